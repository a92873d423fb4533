//! Humanoid roles of joints by the naming conventions of motion capture and animation tools.
//!
//! Names are compared without case, punctuation, namespaces (`mixamorig:`) and prefixes that most joints share
//! (`Bip01 `). The convention that names the most joints wins, because equal names mean different joints in different
//! conventions: `LeftShoulder` is the collarbone of Mixamo and the upper arm of Biovision.

use crate::document::names::roles::BoneRoles;
use crate::rig::{HUMANOID_ROLES, Humanoid, Skeleton};
use std::collections::BTreeMap;

/// The names that tools use for humanoid joints: each name with its role. Limbs have no side.
struct Convention {
    torso: &'static [(&'static str, &'static str)],
    limbs: &'static [(&'static str, &'static str)],
}

const CONVENTIONS: &[Convention] = &[
    // Mixamo, MotionBuilder, and captures that were converted for them.
    Convention {
        torso: &[
            ("hips", "hips"),
            ("spine", "spine"),
            ("spine1", "chest"),
            ("spine2", "upperChest"),
            ("neck", "neck"),
            ("head", "head"),
        ],
        limbs: &[
            ("shoulder", "Shoulder"),
            ("arm", "UpperArm"),
            ("forearm", "LowerArm"),
            ("hand", "Hand"),
            ("upleg", "UpperLeg"),
            ("leg", "LowerLeg"),
            ("foot", "Foot"),
            ("toebase", "Toes"),
        ],
    },
    // The CMU library, as converted by B. Hahne.
    Convention {
        torso: &[
            ("hips", "hips"),
            ("lowerback", "spine"),
            ("spine", "chest"),
            ("spine1", "upperChest"),
            ("neck", "neck"),
            ("head", "head"),
        ],
        limbs: &[
            ("shoulder", "Shoulder"),
            ("arm", "UpperArm"),
            ("forearm", "LowerArm"),
            ("hand", "Hand"),
            ("upleg", "UpperLeg"),
            ("leg", "LowerLeg"),
            ("foot", "Foot"),
            ("toebase", "Toes"),
        ],
    },
    // Daz Studio and Poser, and the CMU library for them.
    Convention {
        torso: &[("hip", "hips"), ("abdomen", "spine"), ("chest", "chest"), ("neck", "neck"), ("head", "head")],
        limbs: &[
            ("collar", "Shoulder"),
            ("shldr", "UpperArm"),
            ("forearm", "LowerArm"),
            ("hand", "Hand"),
            ("thigh", "UpperLeg"),
            ("shin", "LowerLeg"),
            ("foot", "Foot"),
            ("toe", "Toes"),
        ],
    },
    // Biovision.
    Convention {
        torso: &[("hips", "hips"), ("chest", "chest"), ("neck", "neck"), ("head", "head")],
        limbs: &[
            ("collar", "Shoulder"),
            ("uparm", "UpperArm"),
            ("lowarm", "LowerArm"),
            ("hand", "Hand"),
            ("upleg", "UpperLeg"),
            ("lowleg", "LowerLeg"),
            ("foot", "Foot"),
        ],
    },
    // Biovision with the names of the joints, and the BVH export of Xsens MVN.
    Convention {
        torso: &[
            ("hips", "hips"),
            ("chest", "spine"),
            ("chest2", "chest"),
            ("chest4", "upperChest"),
            ("neck", "neck"),
            ("head", "head"),
        ],
        limbs: &[
            ("collar", "Shoulder"),
            ("shoulder", "UpperArm"),
            ("elbow", "LowerArm"),
            ("wrist", "Hand"),
            ("hip", "UpperLeg"),
            ("knee", "LowerLeg"),
            ("ankle", "Foot"),
            ("toe", "Toes"),
        ],
    },
    // The segments of Xsens MVN.
    Convention {
        torso: &[
            ("pelvis", "hips"),
            ("l5", "spine"),
            ("t12", "chest"),
            ("t8", "upperChest"),
            ("neck", "neck"),
            ("head", "head"),
        ],
        limbs: &[
            ("shoulder", "Shoulder"),
            ("upperarm", "UpperArm"),
            ("forearm", "LowerArm"),
            ("hand", "Hand"),
            ("upperleg", "UpperLeg"),
            ("lowerleg", "LowerLeg"),
            ("foot", "Foot"),
            ("toe", "Toes"),
        ],
    },
    // Rokoko.
    Convention {
        torso: &[
            ("hips", "hips"),
            ("spine1", "spine"),
            ("spine2", "chest"),
            ("spine4", "upperChest"),
            ("neck", "neck"),
            ("head", "head"),
        ],
        limbs: &[
            ("shoulder", "Shoulder"),
            ("arm", "UpperArm"),
            ("forearm", "LowerArm"),
            ("hand", "Hand"),
            ("thigh", "UpperLeg"),
            ("shin", "LowerLeg"),
            ("foot", "Foot"),
            ("toe", "Toes"),
        ],
    },
    // Biped of 3ds Max.
    Convention {
        torso: &[
            ("pelvis", "hips"),
            ("spine", "spine"),
            ("spine1", "chest"),
            ("spine2", "upperChest"),
            ("neck", "neck"),
            ("head", "head"),
        ],
        limbs: &[
            ("clavicle", "Shoulder"),
            ("upperarm", "UpperArm"),
            ("forearm", "LowerArm"),
            ("hand", "Hand"),
            ("thigh", "UpperLeg"),
            ("calf", "LowerLeg"),
            ("foot", "Foot"),
            ("toe0", "Toes"),
        ],
    },
    // VRM and Unity, and the bones of VRoid Studio with a "C" for the torso.
    Convention {
        torso: &[
            ("hips", "hips"),
            ("chips", "hips"),
            ("spine", "spine"),
            ("cspine", "spine"),
            ("chest", "chest"),
            ("cchest", "chest"),
            ("upperchest", "upperChest"),
            ("cupperchest", "upperChest"),
            ("neck", "neck"),
            ("cneck", "neck"),
            ("head", "head"),
            ("chead", "head"),
        ],
        limbs: &[
            ("shoulder", "Shoulder"),
            ("upperarm", "UpperArm"),
            ("lowerarm", "LowerArm"),
            ("hand", "Hand"),
            ("upperleg", "UpperLeg"),
            ("lowerleg", "LowerLeg"),
            ("foot", "Foot"),
            ("toes", "Toes"),
            ("toebase", "Toes"),
        ],
    },
    // Human rigs of Blender.
    Convention {
        torso: &[
            ("hips", "hips"),
            ("spine", "hips"),
            ("spine001", "spine"),
            ("spine002", "chest"),
            ("spine003", "upperChest"),
            ("spine004", "neck"),
            ("spine006", "head"),
            ("chest", "chest"),
            ("neck", "neck"),
            ("head", "head"),
        ],
        limbs: &[
            ("shoulder", "Shoulder"),
            ("upperarm", "UpperArm"),
            ("forearm", "LowerArm"),
            ("hand", "Hand"),
            ("thigh", "UpperLeg"),
            ("shin", "LowerLeg"),
            ("foot", "Foot"),
            ("toe", "Toes"),
        ],
    },
];

/// Names of the sides, at the start or at the end of a name.
const SIDES: [(&str, [&str; 2]); 2] = [("left", ["left", "l"]), ("right", ["right", "r"])];
/// Names of the fingers, with their roles. A number from 1 to 3 or the name of the joint follows.
const FINGERS: [(&str, &str); 6] = [
    ("thumb", "Thumb"),
    ("index", "Index"),
    ("middle", "Middle"),
    ("ring", "Ring"),
    ("pinky", "Little"),
    ("little", "Little"),
];
const FINGER_JOINTS: [&str; 3] = ["Proximal", "Intermediate", "Distal"];
const THUMB_JOINTS: [&str; 3] = ["Metacarpal", "Proximal", "Distal"];
/// Fewest roles that make a skeleton a humanoid: a tail of joints can contain a "neck" and a "head".
const MIN_ROLES: usize = 6;
/// Largest number of prefixes that are removed from every name.
const MAX_PREFIXES: usize = 4;

/// Finds the humanoid joints of a skeleton by their names. Empty if the names fit no convention.
pub(super) fn humanoid_by_names(skeleton: &Skeleton) -> Humanoid {
    let names = bare_names(skeleton);
    let found = CONVENTIONS.iter().map(|convention| convention.humanoid(skeleton, &names));
    // The first of several equally good conventions counts.
    let best = found.rev().max_by_key(|humanoid| humanoid.iter().count()).unwrap_or_default();
    if best.iter().count() >= MIN_ROLES {
        return best;
    }
    let by_words = BoneRoles::by_name(skeleton);
    let mut humanoid = Humanoid::default();
    for role in HUMANOID_ROLES {
        if let Some(bone) = by_words.bone(role) {
            humanoid.set(role, bone);
        }
    }
    if humanoid.iter().count() >= MIN_ROLES { humanoid } else { Humanoid::default() }
}

impl Convention {
    fn humanoid(&self, skeleton: &Skeleton, names: &[String]) -> Humanoid {
        let mut humanoid = Humanoid::default();
        for (bone, name) in skeleton.ids().zip(names) {
            // The first of several joints with one name is nearest to the root.
            if let Some(role) = self.role(name).filter(|role| humanoid.bone(role).is_none()) {
                humanoid.set(&role, bone);
            }
        }
        humanoid
    }

    fn role(&self, name: &str) -> Option<String> {
        if let Some((_, role)) = self.torso.iter().find(|(known, _)| *known == name) {
            return Some((*role).to_owned());
        }
        SIDES.iter().find_map(|(side, words)| {
            let limbs = words.iter().flat_map(|word| [name.strip_prefix(word), name.strip_suffix(word)]);
            limbs.flatten().find_map(|limb| Some(format!("{side}{}", self.limb_role(limb)?)))
        })
    }

    /// Returns the role of a limb or a finger without its side.
    fn limb_role(&self, name: &str) -> Option<String> {
        if let Some((_, role)) = self.limbs.iter().find(|(known, _)| *known == name) {
            return Some((*role).to_owned());
        }
        let finger = name.strip_prefix("hand").unwrap_or(name);
        let (rest, role) = FINGERS.iter().find_map(|(known, role)| Some((finger.strip_prefix(known)?, *role)))?;
        let joints = if role == "Thumb" { THUMB_JOINTS } else { FINGER_JOINTS };
        let is_joint =
            |number: usize, joint: &str| rest == (number + 1).to_string() || rest.eq_ignore_ascii_case(joint);
        let joint = joints.iter().enumerate().find(|(number, joint)| is_joint(*number, joint))?.1;
        Some(format!("{role}{joint}"))
    }
}

/// Returns the names of all bones in lower case, without namespaces, shared prefixes and punctuation.
fn bare_names(skeleton: &Skeleton) -> Vec<String> {
    let own = |name: &str| name.rsplit_once(':').map_or(name, |(_, own)| own).to_lowercase();
    let mut names: Vec<String> = skeleton.bones().iter().map(|bone| own(&bone.name)).collect();
    for _ in 0..MAX_PREFIXES {
        let Some(prefix) = shared_prefix(&names) else { break };
        for name in &mut names {
            if let Some(rest) = name.strip_prefix(&prefix) {
                *name = rest.to_owned();
            }
        }
    }
    names.into_iter().map(|name| name.chars().filter(|c| c.is_alphanumeric()).collect()).collect()
}

/// Returns the text up to the first separator that most names start with.
fn shared_prefix(names: &[String]) -> Option<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for name in names {
        if let Some(end) = name.find(['_', ' ', '-', '.']) {
            *counts.entry(&name[..=end]).or_default() += 1;
        }
    }
    // The joints of one side are less than half of all joints.
    counts.into_iter().find(|(_, count)| *count * 2 > names.len()).map(|(prefix, _)| prefix.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Trs;
    use crate::rig::{Bone, BoneId};

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
    fn other_skeletons_are_not_humanoids() {
        for names in [&["Root", "Tail1", "Tail2", "Tail3"][..], &["Hips", "Neck", "Head", "Ear_L"], &[], &["", ""]] {
            assert!(humanoid_by_names(&skeleton(names)).is_empty(), "{names:?}");
        }
    }
}
