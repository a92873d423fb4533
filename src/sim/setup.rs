use crate::rig::BoneId;
use crate::schema::{ParamSet, SolverKind};
use glam::Vec3;

/// Where a joint's tip sits in the rest pose.
#[derive(Clone, Debug, PartialEq)]
pub enum TipSetup {
    /// As the solver derives it from these bones; none means that the bone is a leaf.
    Bones(Vec<BoneId>),
    /// A point in the bone's own space, metres.
    Offset(Vec3),
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
    /// Positions in [`SystemSetup::colliders`] in the order in which they are tested.
    pub colliders: Vec<u32>,
    /// Joints of one chain share a number, so that a grabbed tip moves its chain only.
    pub chain: u32,
    /// A joint that is off keeps its animated pose.
    pub enabled: bool,
    /// Flagged in the engine as moved by animation, for solvers that blend.
    pub animated: bool,
}

/// What pushes tips away; metres in the space of its bone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// Around the bone's origin.
    Sphere {
        /// Metres.
        radius: f32,
    },
    /// Around the segment from the origin to `(0, height, 0)`.
    Capsule {
        /// Metres.
        radius: f32,
        /// Metres, without the caps.
        height: f32,
    },
}

/// A shape on a bone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ColliderSetup {
    /// What it hangs on; usually a helper.
    pub bone: BoneId,
    /// What it is.
    pub shape: Shape,
}

/// All chains under one solver with that solver's per-character values.
#[derive(Clone, Debug, PartialEq)]
pub struct SystemSetup {
    /// How they move.
    pub solver: SolverKind,
    /// One number per row; only rows of system scope are read.
    pub values: ParamSet,
    /// In any order; a bone stands in it once.
    pub joints: Vec<JointSetup>,
    /// Referred to by the joints.
    pub colliders: Vec<ColliderSetup>,
}
