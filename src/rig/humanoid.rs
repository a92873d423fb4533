use super::BoneId;
use std::collections::BTreeMap;

/// VRM 1.0's names of the humanoid roles, torso first.
pub const HUMANOID_ROLES: &[&str] = &[
    "hips",
    "spine",
    "chest",
    "upperChest",
    "neck",
    "head",
    "leftEye",
    "rightEye",
    "jaw",
    "leftUpperLeg",
    "leftLowerLeg",
    "leftFoot",
    "leftToes",
    "rightUpperLeg",
    "rightLowerLeg",
    "rightFoot",
    "rightToes",
    "leftShoulder",
    "leftUpperArm",
    "leftLowerArm",
    "leftHand",
    "rightShoulder",
    "rightUpperArm",
    "rightLowerArm",
    "rightHand",
    "leftThumbMetacarpal",
    "leftThumbProximal",
    "leftThumbDistal",
    "leftIndexProximal",
    "leftIndexIntermediate",
    "leftIndexDistal",
    "leftMiddleProximal",
    "leftMiddleIntermediate",
    "leftMiddleDistal",
    "leftRingProximal",
    "leftRingIntermediate",
    "leftRingDistal",
    "leftLittleProximal",
    "leftLittleIntermediate",
    "leftLittleDistal",
    "rightThumbMetacarpal",
    "rightThumbProximal",
    "rightThumbDistal",
    "rightIndexProximal",
    "rightIndexIntermediate",
    "rightIndexDistal",
    "rightMiddleProximal",
    "rightMiddleIntermediate",
    "rightMiddleDistal",
    "rightRingProximal",
    "rightRingIntermediate",
    "rightRingDistal",
    "rightLittleProximal",
    "rightLittleIntermediate",
    "rightLittleDistal",
];

/// Which bone plays which role of a human body; keys are entries of [`HUMANOID_ROLES`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Humanoid {
    bones: BTreeMap<&'static str, BoneId>,
}

impl Humanoid {
    /// Notes that `bone` plays `role`; unknown roles are not noted and give `false`.
    pub fn set(&mut self, role: &str, bone: BoneId) -> bool {
        let known = HUMANOID_ROLES.iter().find(|r| **r == role);
        if let Some(known) = known {
            self.bones.insert(known, bone);
        }
        known.is_some()
    }

    /// The bone of a role.
    pub fn bone(&self, role: &str) -> Option<BoneId> {
        self.bones.get(role).copied()
    }

    /// The role of a bone.
    pub fn role(&self, bone: BoneId) -> Option<&'static str> {
        self.bones.iter().find(|(_, b)| **b == bone).map(|(role, _)| *role)
    }

    /// All pairs, in alphabetical order of role.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, BoneId)> + '_ {
        self.bones.iter().map(|(role, bone)| (*role, *bone))
    }

    /// Whether no role is taken.
    pub fn is_empty(&self) -> bool {
        self.bones.is_empty()
    }
}
