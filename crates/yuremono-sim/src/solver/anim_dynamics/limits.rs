//! Angle limits relative to the animated bone: about each axis, or a cone.
//!
//! A rotation is split into a twist about one axis and a swing of that axis. The rotation vector of the swing has no
//! component along the axis, so its other two components and the twist can be limited separately and recombined.

use crate::math::shortest_arc;
use glam::{Quat, Vec3, Vec3A};
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
    pub(super) fn direction(self, along: &BoneDirection) -> Vec3A {
        match self {
            Self::HeadToTip => along.direction,
            Self::Local(at) => Vec3A::AXES[at],
        }
    }

    /// Returns the space of the range axes, and the index of the twist axis.
    #[inline]
    fn twist_basis(self, along: &BoneDirection) -> (Quat, usize) {
        match self {
            Self::HeadToTip => (along.from_x, 0),
            Self::Local(at) => (Quat::IDENTITY, at),
        }
    }
}

/// The direction from head to tip in bone space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BoneDirection {
    /// Unit length.
    direction: Vec3A,
    /// Rotates +X to `direction`.
    from_x: Quat,
}

impl BoneDirection {
    /// Creates the direction of a bone with this tip; +Y if the tip is at the head.
    pub(super) fn new(tip_offset: Vec3) -> Self {
        let direction = tip_offset.try_normalize().unwrap_or(Vec3::Y);
        Self { direction: direction.into(), from_x: shortest_arc(Vec3::X, direction) }
    }
}

/// An angle limit, in radians.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum AngularLimit {
    #[default]
    Free,
    /// Maximum angle of the twist axis from its animated direction.
    Cone(f32),
    /// Minimum and maximum angle about each axis; infinite about a free axis.
    Ranges(Vec3A, Vec3A),
}

/// How far a body may still rotate in one step, about up to three axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct AngularBounds {
    pub axes: [Vec3A; 3],
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
        let (least, most) = (Vec3A::from(a.min(b)), Vec3A::from(a.max(b)));
        let free = least.cmple(Vec3A::splat(-180.0)) & most.cmpge(Vec3A::splat(180.0));
        let radians = |v: Vec3A| (v * (PI / 180.0)).clamp(Vec3A::splat(-PI), Vec3A::splat(PI));
        let ends = (
            Vec3A::select(free, Vec3A::NEG_INFINITY, radians(least)),
            Vec3A::select(free, Vec3A::INFINITY, radians(most)),
        );
        if free.all() { Self::Free } else { Self::Ranges(ends.0, ends.1) }
    }

    /// Returns the remaining bounds for a body with `rotation` if the animated bone has the rotation `frame`.
    pub(super) fn remaining_bounds(
        &self,
        twist: BoneAxis,
        along: &BoneDirection,
        frame: Quat,
        rotation: Quat,
    ) -> AngularBounds {
        let mut bound = AngularBounds::default();
        match self {
            Self::Free => {}
            Self::Cone(angle) => {
                let (axis, lean) = swing_between(twist.direction(along), frame, rotation);
                bound.add(axis, f32::MIN, angle - lean);
            }
            Self::Ranges(least, most) => {
                let (basis, about) = twist.twist_basis(along);
                let turn = SwingTwist::new(rotation_in_basis(basis, frame, rotation), about);
                let angles = if has_free_swing(least, about) { turn.twist_only() } else { turn.angles() };
                for i in (0..3).filter(|i| least[*i].is_finite()) {
                    let carrier = if i == about { rotation } else { frame };
                    bound.add(carrier * (basis * Vec3A::AXES[i]), least[i] - angles[i], most[i] - angles[i]);
                }
            }
        }
        bound
    }

    /// Returns the nearest rotation within the limit.
    pub(super) fn clamp_rotation(&self, twist: BoneAxis, along: &BoneDirection, frame: Quat, rotation: Quat) -> Quat {
        match self {
            Self::Free => rotation,
            Self::Cone(angle) => {
                let (axis, lean) = swing_between(twist.direction(along), frame, rotation);
                if lean > *angle {
                    (Quat::from_axis_angle(axis.into(), angle - lean) * rotation).normalize()
                } else {
                    rotation
                }
            }
            Self::Ranges(least, most) => {
                let (basis, about) = twist.twist_basis(along);
                let turn = SwingTwist::new(rotation_in_basis(basis, frame, rotation), about);
                let free_swing = has_free_swing(least, about);
                let held = if free_swing && least[about] == 0.0 && most[about] == 0.0 {
                    // Hair and skirts usually have no twist. The angle of a twist is then not needed.
                    if turn.has_no_twist() {
                        return rotation;
                    }
                    Vec3A::ZERO
                } else {
                    let angles = if free_swing { turn.twist_only() } else { turn.angles() };
                    let held = angles.clamp(*least, *most);
                    if held == angles {
                        return rotation;
                    }
                    held
                };
                let swing = if free_swing { turn.swing } else { swing_from_angles(held, about) };
                let turn = swing * Quat::from_axis_angle(Vec3::AXES[about], held[about]);
                (frame * (basis * turn * basis.inverse())).normalize()
            }
        }
    }
}

impl AngularBounds {
    fn add(&mut self, axis: Vec3A, low: f32, high: f32) {
        (self.axes[self.count], self.low[self.count], self.high[self.count]) = (axis, low, high);
        self.count += 1;
    }
}

/// Returns the axis and the angle, in radians, by which a direction of the bone differs from the animation.
pub(super) fn swing_between(direction: Vec3A, frame: Quat, rotation: Quat) -> (Vec3A, f32) {
    axis_angle_between(frame * direction, rotation * direction)
}

/// Returns the axis and the angle between two unit directions; any perpendicular axis if the directions are parallel.
#[inline]
pub(super) fn axis_angle_between(from: Vec3A, to: Vec3A) -> (Vec3A, f32) {
    let cross = from.cross(to);
    let sine = cross.length();
    let angle = libm::atan2f(sine, from.dot(to));
    let axis = if sine > 1e-7 { cross / sine } else { from.any_orthogonal_vector().normalize_or(Vec3A::X) };
    (axis, angle)
}

fn rotation_in_basis(basis: Quat, frame: Quat, rotation: Quat) -> Quat {
    (frame * basis).inverse() * (rotation * basis)
}

/// Whether the range axes other than the twist axis are free.
fn has_free_swing(least: &Vec3A, about: usize) -> bool {
    (0..3).all(|i| i == about || least[i].is_infinite())
}

/// A rotation, split into a twist about one axis, and a swing of this axis after the twist.
#[derive(Clone, Copy, Debug)]
struct SwingTwist {
    about: usize,
    swing: Quat,
    /// Sine and cosine of half the angle of the twist, times a common factor.
    half_twist: [f32; 2],
}

impl SwingTwist {
    fn new(turn: Quat, about: usize) -> Self {
        // Of the two quaternions for this rotation, take the shorter rotation.
        let turn = if turn.w < 0.0 { -turn } else { turn };
        let part = turn.to_array()[about];
        let length = (part * part + turn.w * turn.w).sqrt();
        let mut swing = turn;
        if length > 1e-6 {
            let axis = Vec3::AXES[about] * (part / length);
            swing = turn * Quat::from_xyzw(-axis.x, -axis.y, -axis.z, turn.w / length);
        }
        Self { about, swing, half_twist: [part, turn.w] }
    }

    fn has_no_twist(self) -> bool {
        self.half_twist[0] == 0.0
    }

    /// Returns the angle of the twist, in radians.
    fn twist(self) -> f32 {
        let [sine, cosine] = self.half_twist;
        2.0 * libm::atan2f(sine, cosine)
    }

    /// Returns the angles about all axes, in radians.
    fn angles(self) -> Vec3A {
        let mut angles = Vec3A::from(self.swing.to_scaled_axis());
        angles[self.about] = self.twist();
        angles
    }

    /// Returns the angle of the twist, and 0 about the other axes.
    fn twist_only(self) -> Vec3A {
        let mut angles = Vec3A::ZERO;
        angles[self.about] = self.twist();
        angles
    }
}

/// Returns the swing with these angles; ignores the angle about the twist axis.
fn swing_from_angles(mut angles: Vec3A, about: usize) -> Quat {
    angles[about] = 0.0;
    Quat::from_scaled_axis(angles.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn join_swing_twist(angles: Vec3, about: usize) -> Quat {
        swing_from_angles(angles.into(), about) * Quat::from_axis_angle(Vec3::AXES[about], angles[about])
    }

    fn along(direction: Vec3) -> BoneDirection {
        BoneDirection::new(direction)
    }

    #[test]
    fn join_swing_twist_reverses_split_swing_twist() {
        for about in 0..3 {
            for angles in [Vec3::new(0.3, -0.8, 0.5), Vec3::new(-2.0, 0.4, -1.0), Vec3::ZERO] {
                let found = Vec3::from(SwingTwist::new(join_swing_twist(angles, about), about).angles());
                assert!((found - angles).length() < 1e-5, "{about}: {found}, not {angles}");
            }
        }
    }

    #[test]
    fn ranges_clamp_each_axis_separately() {
        let limit = AngularLimit::ranges(Vec3::new(-10.0, -20.0, -30.0), Vec3::new(5.0, 20.0, 0.0));
        let frame = Quat::from_rotation_y(0.7);
        let turn = join_swing_twist(Vec3::new(1.0, -1.0, 1.0), 0);
        let held = limit.clamp_rotation(BoneAxis::Local(0), &along(Vec3::Y), frame, frame * turn);
        let angles = Vec3::from(SwingTwist::new(frame.inverse() * held, 0).angles());
        let expected = Vec3::new(5.0, -20.0, 0.0) * (PI / 180.0);
        assert!((angles - expected).length() < 1e-5, "{angles}, not {expected}");
        let inside = frame * join_swing_twist(Vec3::new(0.05, 0.1, -0.2), 0);
        assert_eq!(
            limit.clamp_rotation(BoneAxis::Local(0), &along(Vec3::Y), frame, inside),
            inside,
            "what is within stays as it is"
        );
    }

    #[test]
    fn a_cone_does_not_change_the_twist() {
        let limit = AngularLimit::cone(0.5);
        let turned = Quat::from_rotation_z(1.2) * Quat::from_rotation_y(2.0);
        let held = limit.clamp_rotation(BoneAxis::HeadToTip, &along(Vec3::Y), Quat::IDENTITY, turned);
        let (_, lean) = swing_between(Vec3A::Y, Quat::IDENTITY, held);
        assert!((lean - 0.5).abs() < 1e-5);
        let undone = held.inverse() * Quat::from_rotation_z(0.5) * Quat::from_rotation_y(2.0);
        assert!(undone.w.abs() > 0.999_999, "the cone changed the twist");
    }

    #[test]
    fn with_the_twist_axis_along_the_bone_x_limits_the_twist() {
        let axis = Vec3::new(0.0, -0.6, 0.8);
        let limit = AngularLimit::ranges(Vec3::new(0.0, -180.0, -180.0), Vec3::new(0.0, 180.0, 180.0));
        let held =
            limit.clamp_rotation(BoneAxis::HeadToTip, &along(axis), Quat::IDENTITY, Quat::from_axis_angle(axis, 1.0));
        assert!(held.w > 0.999_999, "the twist is not limited to 0: {held}");
    }

    #[test]
    fn free_axes_keep_their_angle_and_have_no_bound() {
        let limit = AngularLimit::ranges(Vec3::new(-5.0, -180.0, -180.0), Vec3::new(5.0, 180.0, 180.0));
        let turn = join_swing_twist(Vec3::new(0.5, -0.9, 1.4), 0);
        let frame = Quat::from_rotation_y(0.7);
        let (axis, along) = (BoneAxis::Local(0), along(Vec3::Y));
        let held = limit.clamp_rotation(axis, &along, frame, frame * turn);
        let angles = Vec3::from(SwingTwist::new(frame.inverse() * held, 0).angles());
        let expected = Vec3::new(5.0_f32.to_radians(), -0.9, 1.4);
        assert!((angles - expected).length() < 1e-5, "{angles}, not {expected}");
        assert_eq!(limit.remaining_bounds(axis, &along, frame, held).count, 1);
    }

    #[test]
    fn full_ranges_do_not_limit() {
        assert_eq!(AngularLimit::ranges(Vec3::splat(-180.0), Vec3::splat(180.0)), AngularLimit::Free);
        assert_eq!(AngularLimit::ranges(Vec3::splat(180.0), Vec3::splat(-180.0)), AngularLimit::Free);
    }
}
