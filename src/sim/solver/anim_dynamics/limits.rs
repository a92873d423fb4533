//! Angle limits relative to the animated bone: about each axis, or a cone.
//!
//! A rotation is split into a twist about one axis and a swing of that axis. The rotation vector of the swing has no
//! component along the axis, so its other two components and the twist can be limited separately and recombined.

use crate::math::shortest_arc;
use glam::{Quat, Vec3};
use std::f32::consts::{FRAC_PI_2, PI};

/// The axis that an axis parameter selects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum BoneAxis {
    #[default]
    HeadToTip,
    /// One of the bone's own axes, by index.
    Local(usize),
}

impl BoneAxis {
    pub(super) fn from_param(value: f32) -> Self {
        match value.round() as i32 {
            1 => Self::Local(0),
            2 => Self::Local(1),
            3 => Self::Local(2),
            _ => Self::HeadToTip,
        }
    }

    /// Returns the direction in bone space.
    #[inline]
    pub(super) fn direction(self, along: Vec3) -> Vec3 {
        match self {
            Self::HeadToTip => along,
            Self::Local(at) => Vec3::AXES[at],
        }
    }
}

/// An angle limit, in radians.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum AngularLimit {
    #[default]
    Free,
    /// Maximum angle of the twist axis from its animated direction.
    Cone(f32),
    /// Minimum and maximum angle about each axis.
    Ranges(Vec3, Vec3),
}

/// How far a body may still rotate in one step, about up to three axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct AngularBounds {
    pub axes: [Vec3; 3],
    /// Remaining angle to the lower and to the upper limit, in radians.
    pub low: [f32; 3],
    pub high: [f32; 3],
    pub count: usize,
}

impl AngularLimit {
    /// Creates a cone from its half angle.
    pub(super) fn cone(angle: f32) -> Self {
        Self::Cone(angle.clamp(0.0, FRAC_PI_2))
    }

    /// Creates ranges from angles in degrees, in either order.
    pub(super) fn ranges(a: Vec3, b: Vec3) -> Self {
        let (least, most) = (a.min(b), a.max(b));
        let open = least.max_element() <= -180.0 && most.min_element() >= 180.0;
        let radians = |v: Vec3| (v * (PI / 180.0)).clamp(Vec3::splat(-PI), Vec3::splat(PI));
        if open { Self::Free } else { Self::Ranges(radians(least), radians(most)) }
    }

    /// Returns the remaining bounds for a body with `rotation` if the animated bone has the rotation `frame`.
    pub(super) fn remaining_bounds(&self, twist: BoneAxis, along: Vec3, frame: Quat, rotation: Quat) -> AngularBounds {
        let mut bound = AngularBounds::default();
        match self {
            Self::Free => {}
            Self::Cone(angle) => {
                let (axis, lean) = swing_between(twist.direction(along), frame, rotation);
                bound.add(axis, f32::MIN, angle - lean);
            }
            Self::Ranges(least, most) => {
                let (basis, about) = twist_basis(twist, along);
                let (angles, _) = split_swing_twist(rotation_in_basis(basis, frame, rotation), about);
                for i in 0..3 {
                    let carrier = if i == about { rotation } else { frame };
                    bound.add(carrier * (basis * Vec3::AXES[i]), least[i] - angles[i], most[i] - angles[i]);
                }
            }
        }
        bound
    }

    /// Returns the nearest rotation within the limit.
    pub(super) fn clamp_rotation(&self, twist: BoneAxis, along: Vec3, frame: Quat, rotation: Quat) -> Quat {
        match self {
            Self::Free => rotation,
            Self::Cone(angle) => {
                let (axis, lean) = swing_between(twist.direction(along), frame, rotation);
                if lean > *angle {
                    (Quat::from_axis_angle(axis, angle - lean) * rotation).normalize()
                } else {
                    rotation
                }
            }
            Self::Ranges(least, most) => {
                let (basis, about) = twist_basis(twist, along);
                let (angles, _) = split_swing_twist(rotation_in_basis(basis, frame, rotation), about);
                let held = angles.clamp(*least, *most);
                if held == angles {
                    return rotation;
                }
                let turn = join_swing_twist(held, about);
                (frame * (basis * turn * basis.inverse())).normalize()
            }
        }
    }
}

impl AngularBounds {
    fn add(&mut self, axis: Vec3, low: f32, high: f32) {
        (self.axes[self.count], self.low[self.count], self.high[self.count]) = (axis, low, high);
        self.count += 1;
    }
}

/// Returns the axis and the angle, in radians, by which a direction of the bone differs from the animation.
pub(super) fn swing_between(direction: Vec3, frame: Quat, rotation: Quat) -> (Vec3, f32) {
    axis_angle_between(frame * direction, rotation * direction)
}

/// Returns the axis and the angle between two unit directions; any perpendicular axis if the directions are parallel.
#[inline]
pub(super) fn axis_angle_between(from: Vec3, to: Vec3) -> (Vec3, f32) {
    let cross = from.cross(to);
    let sine = cross.length();
    let angle = sine.atan2(from.dot(to));
    let axis = if sine > 1e-7 { cross / sine } else { from.any_orthogonal_vector().normalize_or(Vec3::X) };
    (axis, angle)
}

/// Returns the space of the range axes, and the index of the twist axis.
fn twist_basis(twist: BoneAxis, along: Vec3) -> (Quat, usize) {
    match twist {
        BoneAxis::HeadToTip => (shortest_arc(Vec3::X, along), 0),
        BoneAxis::Local(at) => (Quat::IDENTITY, at),
    }
}

fn rotation_in_basis(basis: Quat, frame: Quat, rotation: Quat) -> Quat {
    (frame * basis).inverse() * (rotation * basis)
}

/// Returns the angles of a rotation, with the twist at index `about`, and the twist itself.
fn split_swing_twist(turn: Quat, about: usize) -> (Vec3, Quat) {
    // Of the two quaternions for this rotation, take the shorter rotation.
    let turn = if turn.w < 0.0 { -turn } else { turn };
    let part = turn.xyz()[about];
    let length = (part * part + turn.w * turn.w).sqrt();
    let twist = if length > 1e-6 {
        let axis = Vec3::AXES[about] * (part / length);
        Quat::from_xyzw(axis.x, axis.y, axis.z, turn.w / length)
    } else {
        Quat::IDENTITY
    };
    let swing = turn * twist.inverse();
    let mut angles = swing.to_scaled_axis();
    angles[about] = 2.0 * part.atan2(turn.w);
    (angles, twist)
}

/// Inverts [`split_swing_twist`].
fn join_swing_twist(angles: Vec3, about: usize) -> Quat {
    let mut swing = angles;
    swing[about] = 0.0;
    Quat::from_scaled_axis(swing) * Quat::from_axis_angle(Vec3::AXES[about], angles[about])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn join_swing_twist_reverses_split_swing_twist() {
        for about in 0..3 {
            for angles in [Vec3::new(0.3, -0.8, 0.5), Vec3::new(-2.0, 0.4, -1.0), Vec3::ZERO] {
                let (found, _) = split_swing_twist(join_swing_twist(angles, about), about);
                assert!((found - angles).length() < 1e-5, "{about}: {found}, not {angles}");
            }
        }
    }

    #[test]
    fn ranges_clamp_each_axis_separately() {
        let limit = AngularLimit::ranges(Vec3::new(-10.0, -20.0, -30.0), Vec3::new(5.0, 20.0, 0.0));
        let frame = Quat::from_rotation_y(0.7);
        let turn = join_swing_twist(Vec3::new(1.0, -1.0, 1.0), 0);
        let held = limit.clamp_rotation(BoneAxis::Local(0), Vec3::Y, frame, frame * turn);
        let (angles, _) = split_swing_twist(frame.inverse() * held, 0);
        let expected = Vec3::new(5.0, -20.0, 0.0) * (PI / 180.0);
        assert!((angles - expected).length() < 1e-5, "{angles}, not {expected}");
        let inside = frame * join_swing_twist(Vec3::new(0.05, 0.1, -0.2), 0);
        assert_eq!(
            limit.clamp_rotation(BoneAxis::Local(0), Vec3::Y, frame, inside),
            inside,
            "what is within stays as it is"
        );
    }

    #[test]
    fn a_cone_does_not_change_the_twist() {
        let limit = AngularLimit::cone(0.5);
        let turned = Quat::from_rotation_z(1.2) * Quat::from_rotation_y(2.0);
        let held = limit.clamp_rotation(BoneAxis::HeadToTip, Vec3::Y, Quat::IDENTITY, turned);
        let (_, lean) = swing_between(Vec3::Y, Quat::IDENTITY, held);
        assert!((lean - 0.5).abs() < 1e-5);
        let undone = held.inverse() * Quat::from_rotation_z(0.5) * Quat::from_rotation_y(2.0);
        assert!(undone.w.abs() > 0.999_999, "the cone changed the twist");
    }

    #[test]
    fn with_the_twist_axis_along_the_bone_x_limits_the_twist() {
        let along = Vec3::new(0.0, -0.6, 0.8);
        let limit = AngularLimit::ranges(Vec3::new(0.0, -180.0, -180.0), Vec3::new(0.0, 180.0, 180.0));
        let held = limit.clamp_rotation(BoneAxis::HeadToTip, along, Quat::IDENTITY, Quat::from_axis_angle(along, 1.0));
        assert!(held.w > 0.999_999, "the twist is not limited to 0: {held}");
    }

    #[test]
    fn full_ranges_do_not_limit() {
        assert_eq!(AngularLimit::ranges(Vec3::splat(-180.0), Vec3::splat(180.0)), AngularLimit::Free);
        assert_eq!(AngularLimit::ranges(Vec3::splat(180.0), Vec3::splat(-180.0)), AngularLimit::Free);
    }
}
