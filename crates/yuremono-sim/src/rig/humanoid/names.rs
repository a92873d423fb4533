//! Humanoid bones by the naming conventions of animation tools: the one table of bone names.
//!
//! Names are compared without case, punctuation, namespaces (`mixamorig:`), and prefixes and numbers that most bones share
//! (`Bip01 `, `_042`). The convention that names the most bones is used, because equal names mean different bones in
//! different conventions: `LeftShoulder` is the collarbone of Mixamo and the upper arm of Biovision.

use super::{ARM_ROLES, Humanoid, LEG_ROLES, SIDES, TORSO_ROLES};
use crate::rig::{BoneId, Skeleton};
use std::collections::BTreeMap;

/// The names that a tool uses for humanoid bones, in the order of [`TORSO_ROLES`], [`ARM_ROLES`] and [`LEG_ROLES`].
/// Spaces separate the names of one role, best first. The text is empty if the tool has no such bone. If two roles share
/// a name, the order along the limb decides.
struct Convention {
    torso: [&'static str; 6],
    /// Names without the side.
    arm: [&'static str; 4],
    /// Names without the side.
    leg: [&'static str; 4],
}

const CONVENTIONS: &[Convention] = &[
    // Mixamo, MotionBuilder, and captures that were converted for them.
    Convention {
        torso: ["hips", "spine", "spine1", "spine2", "neck", "head"],
        arm: ["shoulder", "arm", "forearm", "hand"],
        leg: ["upleg", "leg", "foot", "toebase"],
    },
    // The CMU library, as converted by B. Hahne.
    Convention {
        torso: ["hips", "lowerback", "spine", "spine1", "neck", "head"],
        arm: ["shoulder", "arm", "forearm", "hand"],
        leg: ["upleg", "leg", "foot", "toebase"],
    },
    // Daz Studio and Poser, and the CMU library for them.
    Convention {
        torso: ["hip", "abdomen", "chest", "", "neck", "head"],
        arm: ["collar", "shldr", "forearm", "hand"],
        leg: ["thigh", "shin", "foot", "toe"],
    },
    // Biovision.
    Convention {
        torso: ["hips", "", "chest", "", "neck", "head"],
        arm: ["collar", "uparm", "lowarm", "hand"],
        leg: ["upleg", "lowleg", "foot", ""],
    },
    // Biovision with the names of the joints, and the BVH export of Xsens MVN.
    Convention {
        torso: ["hips", "chest", "chest2", "chest4", "neck", "head"],
        arm: ["collar", "shoulder", "elbow", "wrist"],
        leg: ["hip", "knee", "ankle", "toe"],
    },
    // The segments of Xsens MVN.
    Convention {
        torso: ["pelvis", "l5", "t12", "t8", "neck", "head"],
        arm: ["shoulder", "upperarm", "forearm", "hand"],
        leg: ["upperleg", "lowerleg", "foot", "toe"],
    },
    // Rokoko.
    Convention {
        torso: ["hips", "spine1", "spine2", "spine4", "neck", "head"],
        arm: ["shoulder", "arm", "forearm", "hand"],
        leg: ["thigh", "shin", "foot", "toe"],
    },
    // Biped of 3ds Max.
    Convention {
        torso: ["pelvis", "spine", "spine1", "spine2", "neck", "head"],
        arm: ["clavicle", "upperarm", "forearm", "hand"],
        leg: ["thigh", "calf", "foot", "toe0"],
    },
    // Unreal's mannequins.
    Convention {
        torso: ["pelvis", "spine01", "spine02 spine03", "spine03 spine05 spine04", "neck01", "head"],
        arm: ["clavicle", "upperarm", "lowerarm", "hand"],
        leg: ["thigh", "calf", "foot", "ball"],
    },
    // Genesis figures of Daz Studio.
    Convention {
        torso: [
            "hip",
            "abdomenlower spine1",
            "abdomenupper spine2",
            "chestlower chest spine3",
            "necklower neck1",
            "head",
        ],
        arm: ["collar shoulder", "shldrbend upperarm", "forearmbend forearm", "hand"],
        leg: ["thighbend thigh", "shin", "foot", "toe toes"],
    },
    // Character Creator.
    Convention {
        torso: ["hip", "waist", "spine01", "spine02", "necktwist01", "head"],
        arm: ["clavicle", "upperarm", "forearm", "hand"],
        leg: ["thigh", "calf", "foot", "toebase"],
    },
    // The skeleton of the CMU library in ASF files, and of AMC conversions.
    Convention {
        torso: ["root", "lowerback", "upperback", "thorax", "lowerneck neck", "head"],
        arm: ["clavicle", "humerus", "radius", "wrist hand"],
        leg: ["femur", "tibia", "foot", "toes"],
    },
    // SMPL and its relatives.
    Convention {
        torso: ["pelvis", "spine1", "spine2", "spine3", "neck", "head"],
        arm: ["collar", "shoulder", "elbow", "wrist"],
        leg: ["hip", "knee", "ankle", "foot"],
    },
    // VRM and Unity, and the bones of VRoid Studio with a "C" for the torso.
    Convention {
        torso: ["hips chips", "spine cspine", "chest cchest", "upperchest cupperchest", "neck cneck", "head chead"],
        arm: ["shoulder", "upperarm", "lowerarm", "hand"],
        leg: ["upperleg", "lowerleg", "foot", "toes toebase"],
    },
    // MikuMikuDance.
    Convention {
        torso: ["下半身 腰", "上半身", "上半身2", "上半身3", "首", "頭"],
        arm: ["肩", "腕", "ひじ", "手首"],
        leg: ["足", "ひざ", "足首", "つま先"],
    },
    // Human rigs of Blender.
    Convention {
        torso: ["hips spine", "spine001", "spine002 chest", "spine003", "spine004 neck", "spine006 head"],
        arm: ["shoulder", "upperarm", "forearm", "hand"],
        leg: ["thigh", "shin", "foot", "toe"],
    },
];

/// Names of many tools and of `MikuMikuDance`, without numbers and the words in [`IGNORED_WORDS`].
const ANY_TOOL: Convention = Convention {
    torso: [
        "hips hip pelvis waist 下半身 腰",
        "spine torso abdomen 上半身 背骨",
        "chest spineupper ribcage 上半身２ 胸",
        "upperchest chestupper",
        "neck 首",
        "head 頭 あたま neck",
    ],
    arm: [
        "shoulder clavicle collar 肩",
        "upperarm uparm armupper arm 腕 上腕",
        "lowerarm forearm armlower elbow arm 肘 ひじ ヒジ 前腕",
        "hand wrist 手首 手",
    ],
    leg: [
        "upperleg upleg legupper thigh leg 足 太腿",
        "lowerleg leglower calf shin knee leg 膝 ひざ ヒザ",
        "foot ankle 足首",
        "toes toe toebase ball つま先",
    ],
};

/// Meaningless words that tools and rigs add.
const IGNORED_WORDS: &str =
    "mixamorig j bip c def org bone bones armature rig skeleton joint jnt b valve biped cc base character";

/// Names of [`SIDES`], at the start or at the end of a name.
const SIDE_WORDS: [[&str; 3]; 2] = [["left", "l", "左"], ["right", "r", "右"]];
/// Names of the fingers, with their roles. A number from 1 to 3 or the name of the joint follows.
const FINGERS: [(&str, &str); 17] = [
    ("thumb", "Thumb"),
    ("findex", "Index"),
    ("index", "Index"),
    ("fmiddle", "Middle"),
    ("middle", "Middle"),
    ("mid", "Middle"),
    ("fring", "Ring"),
    ("ring", "Ring"),
    ("fpinky", "Little"),
    ("pinky", "Little"),
    ("little", "Little"),
    ("small", "Little"),
    ("親指", "Thumb"),
    ("人指", "Index"),
    ("中指", "Middle"),
    ("薬指", "Ring"),
    ("小指", "Little"),
];
/// The fingers of Biped, which have numbers: `Finger0`, `Finger01` and `Finger02` are the thumb.
const NUMBERED_FINGERS: [&str; 5] = ["Thumb", "Index", "Middle", "Ring", "Little"];
const FINGER_JOINTS: [&str; 3] = ["Proximal", "Intermediate", "Distal"];
const THUMB_JOINTS: [&str; 3] = ["Metacarpal", "Proximal", "Distal"];
/// Fewest roles that make a skeleton a humanoid: a tail of bones can contain a "neck" and a "head".
const MIN_ROLES: usize = 6;
/// Largest number of prefixes that are removed from every name.
const MAX_PREFIXES: usize = 4;

/// Finds the humanoid bones of a skeleton by their names. Empty if the names fit no convention.
pub(super) fn humanoid_by_names(skeleton: &Skeleton) -> Humanoid {
    let names = NamedBones::new(skeleton, &bare_names(skeleton));
    let words = NamedBones::new(skeleton, &words_of_names(skeleton));
    let found = CONVENTIONS.iter().map(|convention| convention.humanoid(&names));
    let found = found.chain(std::iter::once_with(|| ANY_TOOL.humanoid(&words)));
    let found: Vec<Humanoid> = found.collect();
    // Of several equally good conventions, the first is used.
    let best = found.into_iter().rev().max_by_key(|humanoid| humanoid.iter().count()).unwrap_or_default();
    if best.iter().count() < MIN_ROLES {
        return Humanoid::default();
    }
    complete_torso(best, &words)
}

/// Adds bones of the torso that the convention does not have, by the names of other tools.
fn complete_torso(mut humanoid: Humanoid, words: &NamedBones<'_>) -> Humanoid {
    let Some(hips) = humanoid.bone("hips") else { return humanoid };
    let by_words = ANY_TOOL.humanoid(words);
    for role in TORSO_ROLES {
        let bone = by_words.bone(role).filter(|bone| words.skeleton.is_ancestor(hips, *bone));
        if let Some(bone) = bone.filter(|bone| humanoid.bone(role).is_none() && humanoid.role(*bone).is_none()) {
            humanoid.set(role, bone);
        }
    }
    humanoid
}

/// Bones by side and by name without the side. A name that can have a side is listed with it and without it.
struct NamedBones<'a> {
    skeleton: &'a Skeleton,
    bones: BTreeMap<(Option<usize>, String), Vec<BoneId>>,
}

impl<'a> NamedBones<'a> {
    fn new(skeleton: &'a Skeleton, names: &[String]) -> Self {
        let mut bones: BTreeMap<_, Vec<BoneId>> = BTreeMap::new();
        for (bone, name) in skeleton.ids().zip(names) {
            bones.entry((None, name.clone())).or_default().push(bone);
            for (side, words) in SIDE_WORDS.iter().enumerate() {
                let rests = words.iter().flat_map(|word| [name.strip_prefix(word), name.strip_suffix(word)]);
                let mut rests: Vec<&str> = rests.flatten().filter(|rest| !rest.is_empty()).collect();
                rests.dedup();
                for rest in rests {
                    bones.entry((Some(side), rest.to_owned())).or_default().push(bone);
                }
            }
        }
        Self { skeleton, bones }
    }

    /// Returns all bones of a name, nearest to the root first.
    fn called(&self, side: Option<usize>, name: &str) -> &[BoneId] {
        self.bones.get(&(side, name.to_owned())).map_or(&[], Vec::as_slice)
    }
}

impl Convention {
    fn humanoid(&self, names: &NamedBones<'_>) -> Humanoid {
        let mut humanoid = Humanoid::default();
        for (role, known_names) in TORSO_ROLES.iter().zip(self.torso) {
            assign(&mut humanoid, names, None, role, known_names, None);
        }
        for (side, _) in SIDES.iter().enumerate() {
            for (roles, known_names) in [(ARM_ROLES, self.arm), (LEG_ROLES, self.leg)] {
                let mut above = None;
                for (role, known_names) in roles.iter().zip(known_names) {
                    above = assign(&mut humanoid, names, Some(side), role, known_names, above).or(above);
                }
            }
        }
        use_last_spine_as_chest(&mut humanoid, names, self.torso[1]);
        if !humanoid.is_empty() {
            assign_fingers(&mut humanoid, names);
        }
        humanoid
    }
}

/// Returns the name of a role with its side.
fn role_name(side: Option<usize>, role: &str) -> String {
    side.map_or_else(|| role.to_owned(), |side| format!("{}{role}", SIDES[side]))
}

/// Assigns the first bone with one of the names, below the bone `above` of the same limb.
fn assign(
    humanoid: &mut Humanoid,
    names: &NamedBones<'_>,
    side: Option<usize>,
    role: &str,
    known_names: &str,
    above: Option<BoneId>,
) -> Option<BoneId> {
    let fits = |bone: &&BoneId| {
        humanoid.role(**bone).is_none() && above.is_none_or(|above| names.skeleton.is_ancestor(above, **bone))
    };
    let mut known_names = known_names.split(' ').filter(|name| !name.is_empty());
    let bone = known_names.find_map(|name| names.called(side, name).iter().find(fits).copied())?;
    humanoid.set(&role_name(side, role), bone);
    Some(bone)
}

/// Uses the last of several spine bones as the chest if no bone is named chest.
fn use_last_spine_as_chest(humanoid: &mut Humanoid, names: &NamedBones<'_>, words: &str) {
    if humanoid.bone("chest").is_some() || humanoid.bone("upperChest").is_some() {
        return;
    }
    let Some(first) = humanoid.bone("spine") else { return };
    let all = words.split(' ').flat_map(|word| names.called(None, word)).copied();
    let below = all.filter(|bone| names.skeleton.is_ancestor(first, *bone));
    if let Some(last) = below.max_by_key(|bone| names.skeleton.depth(*bone)) {
        humanoid.set("chest", last);
    }
}

fn assign_fingers(humanoid: &mut Humanoid, names: &NamedBones<'_>) {
    for ((side, name), bones) in &names.bones {
        if let Some(role) = side.and_then(|_| finger_role(name)).map(|role| role_name(*side, &role))
            && humanoid.bone(&role).is_none()
            && let Some(bone) = bones.iter().find(|bone| humanoid.role(**bone).is_none())
        {
            humanoid.set(&role, *bone);
        }
    }
}

/// Returns the role of a finger bone without its side.
fn finger_role(name: &str) -> Option<String> {
    let finger = name.strip_prefix("hand").unwrap_or(name);
    let named = FINGERS.iter().find_map(|(known, role)| Some((finger.strip_prefix(known)?, *role)));
    let (joint, role) = if let Some((rest, role)) = named {
        // MikuMikuDance counts the joints of thumbs from 0.
        let first = usize::from(!finger.starts_with("親指"));
        let joints = if role == "Thumb" { THUMB_JOINTS } else { FINGER_JOINTS };
        let by_name = joints.iter().position(|joint| rest.eq_ignore_ascii_case(joint));
        (by_name.or_else(|| rest.parse::<usize>().ok()?.checked_sub(first))?, role)
    } else {
        let mut digits = finger.strip_prefix("finger")?.chars().map(|digit| digit.to_digit(10));
        let role = *NUMBERED_FINGERS.get(digits.next()?? as usize)?;
        let joint = digits.next().unwrap_or(Some(0))? as usize;
        (if digits.next().is_some() { return None } else { joint }, role)
    };
    let joints = if role == "Thumb" { THUMB_JOINTS } else { FINGER_JOINTS };
    Some(format!("{role}{}", joints.get(joint)?))
}

/// Returns the names of all bones in lower case, without namespaces, shared prefixes and punctuation.
fn bare_names(skeleton: &Skeleton) -> Vec<String> {
    let without_namespace = |name: &str| {
        let name = name.rsplit_once(':').map_or(name, |(_, rest)| rest).to_lowercase();
        // Some exporters remove the colon.
        let ascii_digit = |c: char| match c {
            '０'..='９' => char::from(b'0' + (c as u32 - '０' as u32) as u8),
            other => other,
        };
        let name: String = name.chars().map(ascii_digit).collect();
        name.strip_prefix("mixamorig").map(str::to_owned).unwrap_or(name)
    };
    let mut names: Vec<String> = skeleton.bones().iter().map(|bone| without_namespace(&bone.name)).collect();
    if names.iter().filter(|name| number_suffix(name).is_some()).count() * 2 > names.len() {
        for name in &mut names {
            name.truncate(number_suffix(name).unwrap_or(name.len()));
        }
    }
    for _ in 0..MAX_PREFIXES {
        let Some(prefix) = shared_prefix(&names) else { break };
        for name in &mut names {
            if let Some(rest) = name.strip_prefix(&prefix) {
                *name = rest.to_owned();
            }
        }
    }
    // VRoid Studio names the bones of bodies and of hair by different prefixes.
    let is_word = |word: &&str| !["j", "bip", "c"].contains(word);
    let words = |name: String| name.split(|c: char| !c.is_alphanumeric()).filter(is_word).collect();
    names.into_iter().map(words).collect()
}

/// Returns the start of a number that an exporter added: `_042`.
fn number_suffix(name: &str) -> Option<usize> {
    let (stem, number) = name.rsplit_once('_')?;
    (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(stem.len())
}

/// Returns the text up to the first separator that most names start with, or the prefix of Rigify's deforming bones.
fn shared_prefix(names: &[String]) -> Option<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for name in names {
        if let Some(end) = name.find(['_', ' ', '-', '.']) {
            *counts.entry(&name[..=end]).or_default() += 1;
        }
    }
    // The bones of one side are less than half of all bones.
    let shared =
        |(prefix, count): &(&&str, &usize)| **count * 2 > names.len() || (**prefix == "def-" && **count > MIN_ROLES);
    counts.iter().find(shared).map(|(prefix, _)| (*prefix).to_owned())
}

/// Returns the names in lower case without numbers and meaningless words.
fn words_of_names(skeleton: &Skeleton) -> Vec<String> {
    let words = |name: &str| {
        let name = name.rsplit_once(':').map_or(name, |(_, rest)| rest).to_lowercase();
        let words =
            name.split(|c: char| !c.is_alphanumeric()).map(|word| word.trim_end_matches(|c: char| c.is_ascii_digit()));
        words.filter(|word| !IGNORED_WORDS.split(' ').any(|ignored| ignored == *word)).collect()
    };
    skeleton.bones().iter().map(|bone| words(&bone.name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Trs;
    use crate::rig::Bone;

    fn skeleton(names: &[&str]) -> Skeleton {
        let bone = |(i, name): (usize, &&str)| Bone {
            name: (*name).to_owned(),
            parent: i.checked_sub(1).map(|parent| BoneId(parent as u32)),
            rest: Trs::IDENTITY,
        };
        Skeleton::new(names.iter().enumerate().map(bone).collect()).expect("parents first")
    }

    /// Checks that each name, listed with its role, gets this role. An empty role means none.
    #[track_caller]
    fn check(pairs: &[(&str, &str)]) {
        let names: Vec<&str> = pairs.iter().map(|pair| pair.0).collect();
        let humanoid = humanoid_by_names(&skeleton(&names));
        for (i, (name, role)) in pairs.iter().enumerate() {
            assert_eq!(humanoid.role(BoneId(i as u32)).unwrap_or_default(), *role, "{name} in {names:?}");
        }
    }

    #[test]
    fn mixamo_joints_have_a_namespace() {
        check(&[
            ("mixamorig:Hips", "hips"),
            ("mixamorig:Spine", "spine"),
            ("mixamorig:Spine1", "chest"),
            ("mixamorig:Spine2", "upperChest"),
            ("mixamorig:LeftShoulder", "leftShoulder"),
            ("mixamorig:LeftArm", "leftUpperArm"),
            ("mixamorig:LeftForeArm", "leftLowerArm"),
            ("mixamorig:LeftHandIndex1", "leftIndexProximal"),
            ("mixamorig:LeftHandThumb1", "leftThumbMetacarpal"),
            ("mixamorig:LeftHandPinky3", "leftLittleDistal"),
            ("mixamorig:LeftHandIndex4", ""),
            ("mixamorig:RightUpLeg", "rightUpperLeg"),
            ("mixamorig:RightLeg", "rightLowerLeg"),
            ("mixamorig:RightToeBase", "rightToes"),
        ]);
    }

    #[test]
    fn a_shoulder_is_a_collarbone_or_an_upper_arm() {
        check(&[
            ("Hips", "hips"),
            ("Chest", "spine"),
            ("Chest2", "chest"),
            ("LeftCollar", "leftShoulder"),
            ("LeftShoulder", "leftUpperArm"),
            ("LeftElbow", "leftLowerArm"),
            ("LeftWrist", "leftHand"),
            ("LeftHip", "leftUpperLeg"),
            ("LeftKnee", "leftLowerLeg"),
            ("LeftAnkle", "leftFoot"),
        ]);
    }

    #[test]
    fn daz_biovision_cmu_and_rokoko_joints_are_known() {
        check(&[
            ("hip", "hips"),
            ("abdomen", "spine"),
            ("chest", "chest"),
            ("lCollar", "leftShoulder"),
            ("lShldr", "leftUpperArm"),
            ("lForeArm", "leftLowerArm"),
            ("rThigh", "rightUpperLeg"),
            ("rShin", "rightLowerLeg"),
        ]);
        check(&[
            ("Hips", "hips"),
            ("Chest", "chest"),
            ("LeftUpArm", "leftUpperArm"),
            ("LeftLowArm", "leftLowerArm"),
            ("LeftUpLeg", "leftUpperLeg"),
            ("LeftLowLeg", "leftLowerLeg"),
        ]);
        check(&[
            ("Hips", "hips"),
            ("LHipJoint", ""),
            ("LeftUpLeg", "leftUpperLeg"),
            ("LeftLeg", "leftLowerLeg"),
            ("LowerBack", "spine"),
            ("Spine", "chest"),
            ("LeftArm", "leftUpperArm"),
            ("LeftForeArm", "leftLowerArm"),
        ]);
        check(&[
            ("Hips", "hips"),
            ("Spine1", "spine"),
            ("Spine2", "chest"),
            ("LeftArm", "leftUpperArm"),
            ("LeftThigh", "leftUpperLeg"),
            ("LeftShin", "leftLowerLeg"),
            ("LeftToe", "leftToes"),
        ]);
    }

    #[test]
    fn prefixes_and_suffixes_are_removed() {
        check(&[
            ("Bip01", ""),
            ("Bip01 Pelvis", "hips"),
            ("Bip01 Spine", "spine"),
            ("Bip01 L Thigh", "leftUpperLeg"),
            ("Bip01 L Calf", "leftLowerLeg"),
            ("Bip01 R UpperArm", "rightUpperArm"),
            ("Bip01 R Forearm", "rightLowerArm"),
        ]);
        check(&[
            ("J_Bip_C_Hips", "hips"),
            ("J_Bip_C_Spine", "spine"),
            ("J_Bip_L_UpperArm", "leftUpperArm"),
            ("J_Bip_L_LowerArm", "leftLowerArm"),
            ("J_Bip_R_UpperLeg", "rightUpperLeg"),
            ("J_Bip_R_Index1", "rightIndexProximal"),
        ]);
        check(&[
            ("spine", "hips"),
            ("spine.001", "spine"),
            ("upper_arm.L", "leftUpperArm"),
            ("forearm.L", "leftLowerArm"),
            ("thigh.R", "rightUpperLeg"),
            ("shin.R", "rightLowerLeg"),
        ]);
        // The first letter of "LowerLeg" is not a side.
        check(&[
            ("Hips", "hips"),
            ("Spine", "spine"),
            ("UpperLeg_L", "leftUpperLeg"),
            ("LowerLeg_L", "leftLowerLeg"),
            ("LowerLeg_R", "rightLowerLeg"),
            ("LowerArm_R", "rightLowerArm"),
        ]);
        check(&[
            ("Pelvis", "hips"),
            ("L5", "spine"),
            ("T12", "chest"),
            ("RightUpperLeg", "rightUpperLeg"),
            ("RightLowerLeg", "rightLowerLeg"),
            ("RightForeArm", "rightLowerArm"),
        ]);
    }

    #[test]
    fn unreal_ready_player_me_and_rigify_bones_are_known() {
        check(&[
            ("root", ""),
            ("pelvis", "hips"),
            ("spine_01", "spine"),
            ("spine_02", "chest"),
            ("spine_03", "upperChest"),
            ("clavicle_l", "leftShoulder"),
            ("upperarm_l", "leftUpperArm"),
            ("lowerarm_l", "leftLowerArm"),
            ("lowerarm_twist_01_l", ""),
            ("hand_l", "leftHand"),
            ("index_01_l", "leftIndexProximal"),
            ("thigh_r", "rightUpperLeg"),
            ("calf_r", "rightLowerLeg"),
            ("foot_r", "rightFoot"),
            ("ball_r", "rightToes"),
            ("ik_foot_r", ""),
        ]);
        check(&[
            ("Hips", "hips"),
            ("Spine", "spine"),
            ("Spine1", "chest"),
            ("Spine2", "upperChest"),
            ("Neck", "neck"),
            ("RightShoulder", "rightShoulder"),
            ("RightArm", "rightUpperArm"),
            ("RightHandMiddle2", "rightMiddleIntermediate"),
        ]);
        check(&[
            ("root", ""),
            ("DEF-spine", "hips"),
            ("DEF-spine.001", "spine"),
            ("DEF-spine.002", "chest"),
            ("DEF-upper_arm.L", "leftUpperArm"),
            ("DEF-upper_arm.L.001", ""),
            ("DEF-forearm.L", "leftLowerArm"),
            ("DEF-hand.L", "leftHand"),
            ("DEF-f_index.01.L", "leftIndexProximal"),
            ("DEF-thigh.R", "rightUpperLeg"),
            ("DEF-shin.R", "rightLowerLeg"),
            ("MCH-thigh.R", ""),
        ]);
    }

    #[test]
    fn genesis_character_creator_biped_and_cmu_bones_are_known() {
        check(&[
            ("hip", "hips"),
            ("abdomenLower", "spine"),
            ("abdomenUpper", "chest"),
            ("chestLower", "upperChest"),
            ("lCollar", "leftShoulder"),
            ("lShldrBend", "leftUpperArm"),
            ("lShldrTwist", ""),
            ("lForearmBend", "leftLowerArm"),
            ("lMid1", "leftMiddleProximal"),
            ("rThighBend", "rightUpperLeg"),
            ("rShin", "rightLowerLeg"),
        ]);
        check(&[
            ("CC_Base_Hip", "hips"),
            ("CC_Base_Waist", "spine"),
            ("CC_Base_Spine01", "chest"),
            ("CC_Base_NeckTwist01", "neck"),
            ("CC_Base_L_Upperarm", "leftUpperArm"),
            ("CC_Base_L_Forearm", "leftLowerArm"),
            ("CC_Base_R_Thigh", "rightUpperLeg"),
            ("CC_Base_R_Calf", "rightLowerLeg"),
        ]);
        check(&[
            ("Bip001 Pelvis", "hips"),
            ("Bip001 Spine", "spine"),
            ("Bip001 L UpperArm", "leftUpperArm"),
            ("Bip001 L Forearm", "leftLowerArm"),
            ("Bip001 L Finger0", "leftThumbMetacarpal"),
            ("Bip001 L Finger11", "leftIndexIntermediate"),
            ("Bip001 R Thigh", "rightUpperLeg"),
            ("Bip001 R Calf", "rightLowerLeg"),
        ]);
        check(&[
            ("root", "hips"),
            ("lowerback", "spine"),
            ("thorax", "upperChest"),
            ("lclavicle", "leftShoulder"),
            ("lhumerus", "leftUpperArm"),
            ("lradius", "leftLowerArm"),
            ("rfemur", "rightUpperLeg"),
            ("rtibia", "rightLowerLeg"),
        ]);
    }

    #[test]
    fn numbers_of_exporters_and_lost_colons_are_ignored() {
        check(&[
            ("mixamorigHips_01", "hips"),
            ("mixamorigSpine_02", "spine"),
            ("mixamorigSpine1_03", "chest"),
            ("mixamorigLeftArm_04", "leftUpperArm"),
            ("mixamorigLeftForeArm_05", "leftLowerArm"),
            ("mixamorigRightUpLeg_06", "rightUpperLeg"),
            ("mixamorigRightLeg_07", "rightLowerLeg"),
        ]);
    }

    #[test]
    fn names_of_mikumikudance_are_known() {
        check(&[
            ("下半身", "hips"),
            ("上半身", "spine"),
            ("上半身２", "chest"),
            ("頭", "head"),
            ("左肩", "leftShoulder"),
            ("左腕", "leftUpperArm"),
            ("左ひじ", "leftLowerArm"),
            ("左手首", "leftHand"),
            ("左親指０", "leftThumbMetacarpal"),
            ("左人指１", "leftIndexProximal"),
            ("右足", "rightUpperLeg"),
            ("右ひざ", "rightLowerLeg"),
            ("右足首", "rightFoot"),
            ("右足ＩＫ", ""),
        ]);
    }

    #[test]
    fn other_skeletons_are_not_humanoids() {
        for names in [&["Root", "Tail1", "Tail2", "Tail3"][..], &["Hips", "Neck", "Head", "Ear_L"], &[], &["", ""]] {
            assert!(humanoid_by_names(&skeleton(names)).is_empty(), "{names:?}");
        }
    }
}
