//! The humanoid bones of a skeleton.
//!
//! A VRM names its humanoid bones. For other files, [`Humanoid::find`] recognizes them: `names` has the one table of bone
//! names, and `shape` finds a body in the rest pose if the names say nothing.

mod names;
mod shape;

use super::{BoneId, Skeleton};
use std::collections::BTreeMap;

pub use shape::BodyShape;

/// The names of humanoid bones in VRM 1.0, torso first.
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

/// Roles of the torso, upwards from the hips.
const TORSO_ROLES: [&str; 6] = ["hips", "spine", "chest", "upperChest", "neck", "head"];
/// Roles of an arm without the side.
const ARM_ROLES: [&str; 4] = ["Shoulder", "UpperArm", "LowerArm", "Hand"];
/// Roles of a leg without the side.
const LEG_ROLES: [&str; 4] = ["UpperLeg", "LowerLeg", "Foot", "Toes"];
/// The sides in the names of roles.
const SIDES: [&str; 2] = ["left", "right"];

/// How the humanoid bones are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RoleSource {
    /// The file names them.
    #[default]
    File,
    /// The names of the bones follow a known convention.
    BoneNames,
    /// The rest pose has the shape of a body.
    Shape,
}

/// The humanoid bones of a skeleton, by their roles in [`HUMANOID_ROLES`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Humanoid {
    bones: BTreeMap<&'static str, BoneId>,
    source: RoleSource,
}

/// Converts the name of a humanoid bone in Unity, for example "Left Thumb Proximal", or in VRM 0.x, for example
/// "leftThumbProximal", to a role of VRM 1.0. The names of the thumb bones are shifted by one bone towards the tip.
pub fn role_of_unity(name: &str) -> String {
    let mut role: String = name.split(' ').collect();
    if let Some(first) = role.get_mut(..1) {
        first.make_ascii_lowercase();
    }
    match role.as_str() {
        "leftThumbProximal" => "leftThumbMetacarpal".to_owned(),
        "leftThumbIntermediate" => "leftThumbProximal".to_owned(),
        "rightThumbProximal" => "rightThumbMetacarpal".to_owned(),
        "rightThumbIntermediate" => "rightThumbProximal".to_owned(),
        _ => role,
    }
}

impl Humanoid {
    /// Recognizes the humanoid bones of a skeleton by their names, else by the shape of the rest pose. Empty if the
    /// skeleton has no body.
    pub fn find(skeleton: &Skeleton) -> Self {
        let shape = BodyShape::of(skeleton);
        let mut found = names::humanoid_by_names(skeleton);
        if found.is_empty() {
            found = shape.humanoid();
            found.source = RoleSource::Shape;
        } else {
            shape.complete(&mut found);
            found.source = RoleSource::BoneNames;
        }
        found
    }

    /// Returns the roles of a file. Roles that the file needs but does not name are found as in [`Humanoid::find`].
    #[must_use]
    pub fn or_found(self, skeleton: &Skeleton) -> Self {
        // Some files have roles only for the hands.
        let is_body = ["head", "leftUpperLeg"].iter().any(|role| self.bone(role).is_some());
        if self.bone("hips").is_some() {
            return self;
        }
        let found = Self::find(skeleton);
        if !is_body {
            return if found.is_empty() { self } else { found };
        }
        let mut completed = self;
        for (role, bone) in found.iter() {
            if completed.bone(role).is_none() && completed.role(bone).is_none() {
                completed.set(role, bone);
            }
        }
        completed
    }

    /// How the bones are known.
    pub const fn source(&self) -> RoleSource {
        self.source
    }

    /// Removes the bone of a role.
    pub fn remove(&mut self, role: &str) -> Option<BoneId> {
        self.bones.remove(role)
    }

    /// Returns the role of each bone, or else the role of its nearest ancestor that has a role. Only the torso and the
    /// limbs count: fingers are parts of the hand, and toes of the foot.
    pub fn nearest_roles(&self, skeleton: &Skeleton) -> Vec<Option<&'static str>> {
        let is_part = |role: &str, part: &str| SIDES.iter().any(|side| role.strip_prefix(side) == Some(part));
        let limbs = || ARM_ROLES.iter().chain(&LEG_ROLES).filter(|part| **part != "Toes");
        let is_main = |role: &str| TORSO_ROLES.contains(&role) || limbs().any(|part| is_part(role, part));
        let main = self.iter().filter(|(role, _)| is_main(role)).map(|(role, bone)| (bone, role));
        let main: BTreeMap<BoneId, &'static str> = main.collect();
        let mut zones: Vec<Option<&'static str>> = Vec::with_capacity(skeleton.len());
        for bone in skeleton.ids() {
            let above = skeleton.parent(bone).and_then(|parent| zones[parent.index()]);
            zones.push(main.get(&bone).copied().or(above));
        }
        zones
    }

    /// Returns the bone of a role, unless the skeleton lacks the bone.
    pub fn bone_of(&self, skeleton: &Skeleton, role: &str) -> Option<BoneId> {
        self.bone(role).filter(|bone| bone.index() < skeleton.len())
    }

    /// Assigns a bone to a role. Returns `false` and changes nothing if the role is unknown.
    pub fn set(&mut self, role: &str, bone: BoneId) -> bool {
        let known = HUMANOID_ROLES.iter().find(|r| **r == role);
        if let Some(known) = known {
            self.bones.insert(known, bone);
        }
        known.is_some()
    }

    /// Returns the bone of a role.
    pub fn bone(&self, role: &str) -> Option<BoneId> {
        self.bones.get(role).copied()
    }

    /// Returns the role of a bone.
    pub fn role(&self, bone: BoneId) -> Option<&'static str> {
        self.bones.iter().find(|(_, b)| **b == bone).map(|(role, _)| *role)
    }

    /// Returns all roles with their bones, in alphabetical order of the roles.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, BoneId)> + '_ {
        self.bones.iter().map(|(role, bone)| (*role, *bone))
    }

    /// Whether no role has a bone.
    pub fn is_empty(&self) -> bool {
        self.bones.is_empty()
    }
}
