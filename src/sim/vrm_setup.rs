//! What VRM knows of a joint beyond what every solver does.

use crate::math::shortest_arc;
use crate::rig::BoneId;
use glam::{Quat, Vec3};
use serde::{Deserialize, Serialize};

/// What VRM adds to a joint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VrmJoint {
    /// Speed is measured relative to this bone; to the world where absent.
    pub center: Option<BoneId>,
    /// How far the joint may turn away from its rest direction.
    pub limit: Option<SwingLimit>,
}

/// A range of directions about a joint's rest direction, after the draft `VRMC_springBone_limit`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SwingLimit {
    /// The range, about +Y of the limit's own space.
    pub shape: SwingShape,
    /// Turns the limit's space; without it +Y runs from head to tip.
    #[serde(with = "crate::math::number")]
    pub rotation: Quat,
}

impl SwingLimit {
    /// The limit's space in the space of the joint's parent, where the joint has that rest rotation and points along
    /// `axis` (unit length) in its own space.
    pub fn in_parent(&self, rotation: Quat, axis: Vec3) -> Quat {
        let length = self.rotation.length();
        let own = if length.is_finite() && length > 1e-6 { self.rotation * length.recip() } else { Quat::IDENTITY };
        rotation * up_to(axis) * own
    }
}

/// The shortest turn from +Y; half a turn about X where the axis points straight down, as the extension demands.
fn up_to(axis: Vec3) -> Quat {
    if axis.y < -0.999_999 { Quat::from_xyzw(1.0, 0.0, 0.0, 0.0) } else { shortest_arc(Vec3::Y, axis) }
}

/// Which directions a [`SwingLimit`] leaves.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum SwingShape {
    /// All that lean from +Y by no more than an angle.
    Cone {
        /// Radians, 0 to π.
        #[serde(with = "crate::math::number")]
        angle: f32,
    },
    /// Those across X only, which lean from +Y by no more than an angle.
    Hinge {
        /// Radians, 0 to π.
        #[serde(with = "crate::math::number")]
        angle: f32,
    },
    /// Two angles, one after the other.
    Spherical {
        /// About X, radians, 0 to π.
        #[serde(with = "crate::math::number")]
        pitch: f32,
        /// About Z, radians, 0 to π/2.
        #[serde(with = "crate::math::number")]
        yaw: f32,
    },
}
