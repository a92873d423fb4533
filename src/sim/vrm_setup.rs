//! What VRM knows of a joint beyond what every solver does.

use crate::rig::BoneId;
use glam::Quat;

/// What VRM adds to a joint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VrmJoint {
    /// Speed is measured relative to this bone; to the world where absent.
    pub center: Option<BoneId>,
    /// How far the joint may turn away from its rest direction.
    pub limit: Option<SwingLimit>,
}

/// A range of directions about a joint's rest direction, after the draft `VRMC_springBone_limit`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SwingLimit {
    /// The range, about +Y of the limit's own space.
    pub shape: SwingShape,
    /// Turns the limit's space; without it +Y runs from head to tip.
    pub rotation: Quat,
}

/// Which directions a [`SwingLimit`] leaves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SwingShape {
    /// All that lean from +Y by no more than an angle.
    Cone {
        /// Radians, 0 to π.
        angle: f32,
    },
    /// Those across X only, which lean from +Y by no more than an angle.
    Hinge {
        /// Radians, 0 to π.
        angle: f32,
    },
    /// Two angles, one after the other.
    Spherical {
        /// About X, radians, 0 to π.
        pitch: f32,
        /// About Z, radians, 0 to π/2.
        yaw: f32,
    },
}
