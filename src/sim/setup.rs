use crate::params::ParamSet;
use crate::rig::BoneId;
use glam::Vec3;

use super::force::ForceKind;
use super::shape::ColliderShape;

/// Where a joint's tip sits in the rest pose.
#[derive(Clone, Debug, PartialEq)]
pub enum TipSetup {
    /// As the solver derives it from these bones; none means that the bone is a leaf.
    Bones(Vec<BoneId>),
    /// A point in the bone's own space, metres.
    Offset(Vec3),
}

/// A bone that a tip keeps its distance to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LengthTarget {
    /// The other bone; its distance in the rest pose is kept.
    pub bone: BoneId,
    /// How hard, 1/s²; `None` takes the joint's own.
    pub stiffness: Option<f32>,
}

/// One joint as a solver gets it: every value resolved to one number.
#[derive(Clone, Debug, PartialEq)]
pub struct JointSetup {
    /// The bone that turns.
    pub bone: BoneId,
    /// Where its tip is.
    pub tip: TipSetup,
    /// One number per row of the solver's table.
    pub values: ParamSet,
    /// Reference frame of the angle limits.
    pub pivot: Option<BoneId>,
    /// What the tip keeps its distance to.
    pub length_targets: Vec<LengthTarget>,
    /// Positions in [`SystemSetup::colliders`](super::SystemSetup::colliders) in the order in which they are tested.
    pub colliders: Vec<u32>,
    /// Joints of one chain share a number, so that a grabbed tip moves its chain only.
    pub chain: u32,
    /// A joint that is off keeps its animated pose. Read again by [`World::bake`](super::World::bake).
    pub enabled: bool,
    /// Flagged in the engine as moved by animation, for solvers that blend.
    pub animated: bool,
}

/// A shape on a bone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ColliderSetup {
    /// What it hangs on; usually a helper.
    pub bone: BoneId,
    /// What it is.
    pub shape: ColliderShape,
    /// Its own switch.
    pub enabled: bool,
    /// Whether the renderer that it is linked to draws; true where it is linked to none.
    pub renderer_on: bool,
}

impl ColliderSetup {
    /// A collider that is on.
    pub fn new(bone: BoneId, shape: ColliderShape) -> Self {
        Self { bone, shape, enabled: true, renderer_on: true }
    }
}

/// Moving air or a steady force, placed and aimed by a bone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForceSetup {
    /// Where it stands; its +Z is where the force goes.
    pub bone: BoneId,
    /// What it is.
    pub kind: ForceKind,
    /// Its own switch.
    pub enabled: bool,
}

/// A node that leans with the thigh that is raised highest: a frame for the middle columns of a skirt.
#[derive(Clone, Debug, PartialEq)]
pub struct HighLegSetup {
    /// What is turned.
    pub bone: BoneId,
    /// Whose forward and up are meant.
    pub hip: BoneId,
    /// Start and end of each leg.
    pub legs: Vec<[BoneId; 2]>,
}
