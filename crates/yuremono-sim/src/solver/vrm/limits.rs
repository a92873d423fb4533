//! Angle limits of the draft `VRMC_springBone_limit`: cone, hinge and spherical.
//!
//! A limit has its own space. Without a rotation, the +Y axis of this space points from head to tip at rest. All
//! directions have unit length.

use crate::math::shortest_arc;
use crate::rig::BoneId;
use glam::{Quat, Vec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::f32::consts::{FRAC_PI_2, PI};

/// Values that only VRM joints have.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VrmJoint {
    /// Bone relative to which inertia is measured; `None` measures inertia in the world.
    pub center: Option<BoneId>,
    /// The allowed range of directions around the rest direction.
    pub limit: Option<SwingLimit>,
}

/// A range of directions around a joint's rest direction, as defined by the draft `VRMC_springBone_limit`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SwingLimit {
    /// The range around +Y of the limit's space.
    pub shape: SwingShape,
    /// Rotates the limit's space; without it +Y points from head to tip.
    #[serde(with = "crate::math::number")]
    #[schemars(with = "[crate::math::JsonNumber; 4]")]
    pub rotation: Quat,
}

impl SwingLimit {
    /// Rotation from the limit's space to the space of the joint's parent. `rotation` is the joint's rest rotation;
    /// `axis` points from head to tip in bone space and has unit length.
    pub fn in_parent(&self, rotation: Quat, axis: Vec3) -> Quat {
        let length = self.rotation.length();
        let own = if length.is_finite() && length > 1e-6 { self.rotation * length.recip() } else { Quat::IDENTITY };
        rotation * rotation_from_y_to(axis) * own
    }
}

/// The shortest arc from +Y to `axis`. If the axis is -Y, the arc is half a turn about X, as the extension requires.
fn rotation_from_y_to(axis: Vec3) -> Quat {
    if axis.y < -0.999_999 { Quat::from_xyzw(1.0, 0.0, 0.0, 0.0) } else { shortest_arc(Vec3::Y, axis) }
}

/// Shape of a [`SwingLimit`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum SwingShape {
    /// All directions within an angle of +Y.
    Cone {
        /// Radians, 0 to π.
        #[serde(with = "crate::math::JsonNumber")]
        angle: f32,
    },
    /// Directions in the YZ plane within an angle of +Y.
    Hinge {
        /// Radians, 0 to π.
        #[serde(with = "crate::math::JsonNumber")]
        angle: f32,
    },
    /// Pitch about X and yaw about Z, limited separately.
    Spherical {
        /// About X, radians, 0 to π.
        #[serde(with = "crate::math::JsonNumber")]
        pitch: f32,
        /// About Z, radians, 0 to π/2.
        #[serde(with = "crate::math::JsonNumber")]
        yaw: f32,
    },
}

/// Directions with a smaller squared length count as undefined.
const MIN_LENGTH_SQUARED: f32 = 1e-12;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BakedLimit {
    shape: SwingShape,
    setup: SwingLimit,
    /// Rotation from the limit's space to the space of the joint's parent at rest.
    in_parent: Quat,
}

impl BakedLimit {
    /// Clamps the angles to the ranges of the draft. NaN becomes 0.
    pub(super) fn new(setup: &SwingLimit) -> Self {
        let clamp = |angle: f32, most: f32| if angle.is_nan() { 0.0 } else { angle.clamp(0.0, most) };
        let shape = match setup.shape {
            SwingShape::Cone { angle } => SwingShape::Cone { angle: clamp(angle, PI) },
            SwingShape::Hinge { angle } => SwingShape::Hinge { angle: clamp(angle, PI) },
            SwingShape::Spherical { pitch, yaw } => {
                SwingShape::Spherical { pitch: clamp(pitch, PI), yaw: clamp(yaw, FRAC_PI_2) }
            }
        };
        Self { shape, setup: *setup, in_parent: Quat::IDENTITY }
    }

    /// Orients the limit for a joint with a rest rotation and a direction from head to tip in bone space.
    pub(super) fn orient(&mut self, rotation: Quat, axis: Vec3) {
        self.in_parent = self.setup.in_parent(rotation, axis);
    }

    /// Clamps a direction in the world. `parent` is the rotation of the joint's parent.
    pub(super) fn clamp_direction(&self, parent: Quat, direction: Vec3) -> Vec3 {
        let world_from_limit = parent * self.in_parent;
        let own = world_from_limit.inverse() * direction;
        match self.clamp_local(own) {
            Some(held) => world_from_limit * held,
            None => direction,
        }
    }

    /// Clamps a direction in the limit's space; `None` if the direction is within the limit.
    fn clamp_local(&self, d: Vec3) -> Option<Vec3> {
        match self.shape {
            SwingShape::Cone { angle } => clamp_to_cone(d, angle),
            SwingShape::Hinge { angle } => Some(clamp_to_hinge(d, angle)),
            SwingShape::Spherical { pitch, yaw } => clamp_to_spherical(d, pitch, yaw),
        }
    }
}

fn clamp_to_cone(d: Vec3, angle: f32) -> Option<Vec3> {
    let (sin, cos) = libm::sincosf(angle);
    if d.y >= cos {
        return None;
    }
    let flat = d.x * d.x + d.z * d.z;
    if flat < MIN_LENGTH_SQUARED {
        return Some(Vec3::new(0.0, cos, sin));
    }
    let share = sin / flat.sqrt();
    Some(Vec3::new(d.x * share, cos, d.z * share))
}

fn clamp_to_hinge(d: Vec3, angle: f32) -> Vec3 {
    let squared = d.y * d.y + d.z * d.z;
    if squared < MIN_LENGTH_SQUARED {
        return Vec3::Y;
    }
    let length = squared.sqrt();
    let (y, z) = (d.y / length, d.z / length);
    let (sin, cos) = libm::sincosf(angle);
    if y >= cos {
        return Vec3::new(0.0, y, z);
    }
    Vec3::new(0.0, cos, if z < 0.0 { -sin } else { sin })
}

fn clamp_to_spherical(d: Vec3, pitch: f32, yaw: f32) -> Option<Vec3> {
    let across = d.y * d.y + d.z * d.z;
    let leans = if across < MIN_LENGTH_SQUARED {
        0.0
    } else if d.y < 0.0 && d.x * d.x + d.z * d.z < MIN_LENGTH_SQUARED {
        PI
    } else {
        libm::atan2f(d.z, d.y)
    };
    // The arc tangent is more precise than an arc sine near a right angle.
    let swings = libm::atan2f(d.x, across.sqrt());
    if leans.abs() <= pitch && swings.abs() <= yaw {
        return None;
    }
    let (sin_pitch, cos_pitch) = libm::sincosf(leans.clamp(-pitch, pitch));
    let (sin_yaw, cos_yaw) = libm::sincosf(swings.clamp(-yaw, yaw));
    Some(Vec3::new(sin_yaw, cos_yaw * cos_pitch, cos_yaw * sin_pitch))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONE: SwingShape = SwingShape::Cone { angle: 0.5 };
    const HINGE: SwingShape = SwingShape::Hinge { angle: 0.5 };
    const BALL: SwingShape = SwingShape::Spherical { pitch: 0.5, yaw: 0.25 };

    fn limit(shape: SwingShape, rotation: Quat) -> BakedLimit {
        BakedLimit::new(&SwingLimit { shape, rotation })
    }

    #[track_caller]
    fn check(shape: SwingShape, direction: Vec3, expected: Vec3) {
        let direction = direction.normalize();
        let found = limit(shape, Quat::IDENTITY).clamp_local(direction).unwrap_or(direction);
        assert!((found - expected).length() < 1e-5, "{shape:?} makes {found} of {direction}, expected {expected}");
    }

    fn pitched_direction(angle: f32) -> Vec3 {
        Vec3::new(0.0, libm::cosf(angle), libm::sinf(angle))
    }

    #[test]
    fn a_cone_moves_directions_outside_it_to_its_edge() {
        check(CONE, Vec3::Y, Vec3::Y);
        check(CONE, pitched_direction(0.4), pitched_direction(0.4));
        check(CONE, pitched_direction(-2.0), pitched_direction(-0.5));
        check(CONE, Vec3::X, Vec3::new(libm::sinf(0.5_f32), libm::cosf(0.5_f32), 0.0));
        check(CONE, Vec3::NEG_Y, pitched_direction(0.5));
        check(SwingShape::Cone { angle: 9.0 }, Vec3::NEG_Y, Vec3::NEG_Y);
    }

    #[test]
    fn a_hinge_removes_the_component_along_its_axis() {
        check(HINGE, Vec3::new(1.0, 1.0, 0.0), Vec3::Y);
        check(HINGE, Vec3::new(0.3, libm::cosf(0.4_f32), libm::sinf(0.4_f32)), pitched_direction(0.4));
        check(HINGE, pitched_direction(-1.0), pitched_direction(-0.5));
        check(HINGE, Vec3::X, Vec3::Y);
        check(HINGE, Vec3::NEG_Y, pitched_direction(0.5));
    }

    #[test]
    fn a_spherical_limit_clamps_pitch_and_yaw_separately() {
        check(BALL, Vec3::Y, Vec3::Y);
        check(BALL, pitched_direction(0.4), pitched_direction(0.4));
        check(BALL, pitched_direction(1.0), pitched_direction(0.5));
        let yawed = Vec3::new(libm::sinf(0.25_f32), libm::cosf(0.25_f32), 0.0);
        check(BALL, Vec3::new(1.0, 1.0, 0.0), yawed);
        check(BALL, Vec3::X, yawed);
        check(BALL, Vec3::NEG_Y, pitched_direction(0.5));
    }

    #[test]
    fn a_limit_is_centered_on_the_direction_from_head_to_tip() {
        let turn = Quat::from_rotation_x(0.3);
        let mut limit = limit(CONE, Quat::IDENTITY);
        limit.orient(turn, Vec3::NEG_Y);
        let parent = Quat::from_rotation_z(1.0);
        let ahead = parent * turn * Vec3::NEG_Y;
        assert!((limit.clamp_direction(parent, ahead) - ahead).length() < 1e-6);
        let held = limit.clamp_direction(parent, -ahead);
        assert!((held.angle_between(ahead) - 0.5).abs() < 1e-5, "{held}");
    }

    #[test]
    fn the_rotation_of_a_limit_is_in_its_own_space() {
        let mut limit = limit(HINGE, Quat::from_rotation_y(FRAC_PI_2));
        limit.orient(Quat::IDENTITY, Vec3::Y);
        let held = limit.clamp_direction(Quat::IDENTITY, Vec3::new(0.2, 1.0, 0.7).normalize());
        assert!(held.z.abs() < 1e-6 && held.x > 0.0, "the hinge now rotates about Z and keeps {held}");
    }

    #[test]
    fn non_finite_limits_give_finite_directions() {
        for shape in [SwingShape::Cone { angle: f32::NAN }, SwingShape::Spherical { pitch: f32::INFINITY, yaw: -1.0 }] {
            let mut limit = limit(shape, Quat::from_xyzw(f32::NAN, 0.0, 0.0, 0.0));
            limit.orient(Quat::IDENTITY, Vec3::Z);
            assert!(limit.clamp_direction(Quat::IDENTITY, Vec3::X).is_finite());
        }
    }
}
