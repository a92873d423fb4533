//! Humanoid roles of joints by the naming conventions of motion capture and animation tools.
//!
//! Names are compared without case, punctuation, namespaces (`mixamorig:`) and prefixes that most joints share
//! (`Bip01 `). The convention that names the most joints is used, because equal names mean different joints in different
//! conventions: `LeftShoulder` is the collarbone of Mixamo and the upper arm of Biovision.

use crate::document::names::roles::BoneRoles;
use crate::rig::{HUMANOID_ROLES, Humanoid, Skeleton};
use std::collections::BTreeMap;

/// The names that a tool uses for humanoid joints, in the order of [`TORSO_ROLES`], [`ARM_ROLES`] and [`LEG_ROLES`].
/// Spaces separate the names of one role. The text is empty if the tool has no such joint.
struct Convention {
    torso: [&'static str; 6],
    /// Names without the side.
    arm: [&'static str; 4],
    /// Names without the side.
    leg: [&'static str; 4],
}

const TORSO_ROLES: [&str; 6] = ["hips", "spine", "chest", "upperChest", "neck", "head"];
/// Roles of an arm without the side.
const ARM_ROLES: [&str; 4] = ["Shoulder", "UpperArm", "LowerArm", "Hand"];
/// Roles of a leg without the side.
const LEG_ROLES: [&str; 4] = ["UpperLeg", "LowerLeg", "Foot", "Toes"];

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
    // VRM and Unity, and the bones of VRoid Studio with a "C" for the torso.
    Convention {
        torso: ["hips chips", "spine cspine", "chest cchest", "upperchest cupperchest", "neck cneck", "head chead"],
        arm: ["shoulder", "upperarm", "lowerarm", "hand"],
        leg: ["upperleg", "lowerleg", "foot", "toes toebase"],
    },
    // Human rigs of Blender.
    Convention {
        torso: ["hips spine", "spine001", "spine002 chest", "spine003", "spine004 neck", "spine006 head"],
        arm: ["shoulder", "upperarm", "forearm", "hand"],
        leg: ["thigh", "shin", "foot", "toe"],
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
    // Of several equally good conventions, the first is used.
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
        if let Some(role) = role_of_name(&TORSO_ROLES, &self.torso, name) {
            return Some(role.to_owned());
        }
        SIDES.iter().find_map(|(side, words)| {
            let limbs = words.iter().flat_map(|word| [name.strip_prefix(word), name.strip_suffix(word)]);
            limbs.flatten().find_map(|limb| Some(format!("{side}{}", self.limb_role(limb)?)))
        })
    }

    /// Returns the role of a limb or a finger without its side.
    fn limb_role(&self, name: &str) -> Option<String> {
        let role = role_of_name(&ARM_ROLES, &self.arm, name).or_else(|| role_of_name(&LEG_ROLES, &self.leg, name));
        if let Some(role) = role {
            return Some(role.to_owned());
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

/// Returns the role whose names contain `name`. `names` has one text for each role.
fn role_of_name(roles: &[&'static str], names: &[&str], name: &str) -> Option<&'static str> {
    let mut named = roles.iter().zip(names);
    named.find(|(_, names)| names.split_whitespace().any(|known| known == name)).map(|(role, _)| *role)
}

/// Returns the names of all bones in lower case, without namespaces, shared prefixes and punctuation.
fn bare_names(skeleton: &Skeleton) -> Vec<String> {
    let without_namespace = |name: &str| name.rsplit_once(':').map_or(name, |(_, rest)| rest).to_lowercase();
    let mut names: Vec<String> = skeleton.bones().iter().map(|bone| without_namespace(&bone.name)).collect();
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
