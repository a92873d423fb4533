//! What pushes tips: shapes as they stand in the world, and how deep a tip is in one.

use super::step::NOWHERE;
use super::{Preview, System};
use crate::math::{Frame, closest_on_segment};
use crate::sim::Shape;
use crate::sim::scene::ColliderRest;
use glam::{Mat3, Vec3};

/// What a collider is, in VRM's terms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Kind {
    /// Nothing.
    #[default]
    Off,
    /// A ball.
    Sphere,
    /// The room in a ball.
    InsideSphere,
    /// A thick line.
    Capsule,
    /// The room in one.
    InsideCapsule,
    /// Everything behind it.
    Plane,
}

impl Kind {
    /// Whether the thing encloses tips or stands on one side of them.
    pub(super) const fn is_extended(self) -> bool {
        matches!(self, Self::InsideSphere | Self::InsideCapsule | Self::Plane)
    }
}

/// A collider in the world.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Placed {
    pub kind: Kind,
    /// Middle, first end, or a point of the plane.
    at: Vec3,
    /// The other end, or the plane's normal.
    to: Vec3,
    radius: f32,
}

impl Placed {
    /// Where a collider stands on its bone. A shape that VRM has not is nothing.
    pub(super) fn new(collider: &ColliderRest, frame: &Frame, system: System) -> Self {
        if !collider.enabled {
            return Self::default();
        }
        let univrm = system.preview == Preview::UniVrm;
        let followed = if univrm && frame.scaled { largest_scale(&frame.linear()) } else { 1.0 };
        let at = frame.point(Vec3::ZERO);
        let end = |height| frame.point(Vec3::Y * height);
        let (kind, to, radius) = match collider.shape {
            Shape::Sphere { radius } => (Kind::Sphere, at, radius * followed),
            Shape::InsideSphere { radius } => (Kind::InsideSphere, at, radius),
            Shape::Capsule { radius, height } => (Kind::Capsule, end(height), radius * followed),
            Shape::InsideCapsule { radius, height } => (Kind::InsideCapsule, end(height), radius),
            Shape::Plane => (Kind::Plane, normal(frame), 0.0),
            _ => (Kind::Off, at, 0.0),
        };
        Self { kind, at, to, radius: radius * system.scale }
    }

    /// How deep a ball of `radius` about `tip` is in it, metres, and the way out; `None` where they do not meet.
    /// `probe` is what capsules look for the nearest point to.
    #[inline]
    pub(super) fn depth(&self, tip: Vec3, radius: f32, probe: Vec3) -> Option<(f32, Vec3)> {
        match self.kind {
            Kind::Sphere => push_out(tip - self.at, self.radius + radius),
            Kind::Capsule => push_out(tip - closest_on_segment(probe, self.at, self.to), self.radius + radius),
            Kind::InsideSphere => keep_in(tip - self.at, self.radius - radius),
            Kind::InsideCapsule => keep_in(tip - closest_on_segment(probe, self.at, self.to), self.radius - radius),
            Kind::Plane => {
                let depth = radius - (tip - self.at).dot(self.to);
                (depth > 0.0).then_some((depth, self.to))
            }
            Kind::Off => None,
        }
    }
}

/// Out of a ball of radius `reach`.
#[inline]
fn push_out(from_middle: Vec3, reach: f32) -> Option<(f32, Vec3)> {
    let squared = from_middle.length_squared();
    if squared >= reach * reach || reach <= 0.0 {
        return None;
    }
    let distance = squared.sqrt();
    // Differs from three-vrm: right in the middle it divides by nothing; any way out is right.
    let way = if distance > NOWHERE { from_middle / distance } else { Vec3::NEG_Z };
    Some((reach - distance, way))
}

/// Back into a ball of radius `room`; with a tip thicker than the ball, `room` is less than nothing.
#[inline]
fn keep_in(from_middle: Vec3, room: f32) -> Option<(f32, Vec3)> {
    let squared = from_middle.length_squared();
    if room >= 0.0 && squared <= room * room {
        return None;
    }
    let distance = squared.sqrt();
    // Differs from three-vrm: right in the middle it divides by nothing; there is no better place to be.
    (distance > NOWHERE).then(|| (distance - room, -from_middle / distance))
}

/// Where +Z of a plane's space points, unit length; zero where the space is flattened.
fn normal(frame: &Frame) -> Vec3 {
    if frame.scaled {
        let linear = frame.linear();
        // The inverse transpose, but for a factor that only its sign matters of.
        let cross = linear.x_axis.cross(linear.y_axis);
        (cross * linear.determinant().signum()).normalize_or_zero()
    } else {
        frame.rotation * Vec3::Z
    }
}

/// The largest factor along any axis.
pub(super) fn largest_scale(linear: &Mat3) -> f32 {
    linear.x_axis.length().max(linear.y_axis.length()).max(linear.z_axis.length())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Trs;
    use glam::Quat;

    const PLAIN: System = System { preview: Preview::Specification, old: false, scale: 1.0 };

    fn placed(shape: Shape, local: &Trs, system: System) -> Placed {
        let collider = ColliderRest { bone: 0, shape, enabled: true, renderer_on: true };
        Placed::new(&collider, &Frame::WORLD.child(local), system)
    }

    #[track_caller]
    fn check(shape: Shape, tip: Vec3, expected: Option<(f32, Vec3)>) {
        let found = placed(shape, &Trs::IDENTITY, PLAIN).depth(tip, 0.05, tip);
        let same = match (found, expected) {
            (Some((a, x)), Some((b, y))) => (a - b).abs() < 1e-6 && (x - y).length() < 1e-5,
            (found, expected) => found == expected,
        };
        assert!(same, "{shape:?} at {tip}: {found:?}, expected {expected:?}");
    }

    #[test]
    fn a_sphere_pushes_out_what_comes_too_near() {
        let ball = Shape::Sphere { radius: 0.1 };
        check(ball, Vec3::X * 0.2, None);
        check(ball, Vec3::X * 0.15, None);
        check(ball, Vec3::X * 0.1, Some((0.05, Vec3::X)));
        check(ball, Vec3::ZERO, Some((0.15, Vec3::NEG_Z)));
    }

    #[test]
    fn an_inside_sphere_pulls_back_what_leaves_it() {
        let room = Shape::InsideSphere { radius: 0.1 };
        check(room, Vec3::X * 0.04, None);
        check(room, Vec3::X * 0.1, Some((0.05, Vec3::NEG_X)));
        check(Shape::InsideSphere { radius: 0.03 }, Vec3::ZERO, None);
        check(Shape::InsideSphere { radius: 0.03 }, Vec3::X * 0.01, Some((0.03, Vec3::NEG_X)));
    }

    #[test]
    fn capsules_push_from_the_nearest_point_of_their_axis() {
        let rod = Shape::Capsule { radius: 0.1, height: 0.4 };
        check(rod, Vec3::new(0.1, 0.2, 0.0), Some((0.05, Vec3::X)));
        check(rod, Vec3::new(0.0, 0.5, 0.0), Some((0.05, Vec3::Y)));
        check(rod, Vec3::new(0.0, 0.6, 0.0), None);
        let tube = Shape::InsideCapsule { radius: 0.1, height: 0.4 };
        check(tube, Vec3::new(0.0, 0.44, 0.0), None);
        check(tube, Vec3::new(0.08, 0.2, 0.0), Some((0.03, Vec3::NEG_X)));
    }

    #[test]
    fn a_capsule_can_be_asked_at_the_head_instead() {
        let rod = placed(Shape::Capsule { radius: 0.1, height: 0.4 }, &Trs::IDENTITY, PLAIN);
        let (depth, way) = rod.depth(Vec3::new(0.0, 0.1, 0.0), 0.05, Vec3::NEG_Y).expect("they meet");
        assert!((depth - 0.05).abs() < 1e-6 && way == Vec3::Y, "the lower end pushes: {depth} {way}");
    }

    #[test]
    fn a_plane_keeps_tips_before_it_whatever_its_scale() {
        check(Shape::Plane, Vec3::new(9.0, 9.0, 0.06), None);
        check(Shape::Plane, Vec3::new(9.0, 9.0, -1.0), Some((1.05, Vec3::Z)));
        let slope = Quat::from_rotation_x(-0.7);
        let parent = Trs { scale: Vec3::new(1.0, 3.0, -2.0), ..Trs::IDENTITY };
        let frame = Frame::WORLD.child(&parent).child(&Trs { rotation: slope, ..Trs::IDENTITY });
        let collider = ColliderRest { bone: 0, shape: Shape::Plane, enabled: true, renderer_on: true };
        let plane = Placed::new(&collider, &frame, PLAIN);
        for along in [frame.point(Vec3::X), frame.point(Vec3::Y)] {
            assert!(along.dot(plane.to).abs() < 1e-6, "the normal stands on the plane");
        }
        assert!(frame.point(Vec3::Z).dot(plane.to) > 0.0, "the free side stays the free side in a mirror");
    }

    #[test]
    fn radii_follow_scale_in_univrm_only_and_never_inside() {
        let wide = Trs { scale: Vec3::new(1.0, -2.0, 1.0), ..Trs::IDENTITY };
        let univrm = System { preview: Preview::UniVrm, ..PLAIN };
        let ball = Shape::Sphere { radius: 0.1 };
        assert_eq!(placed(ball, &wide, PLAIN).radius, 0.1);
        assert_eq!(placed(ball, &wide, univrm).radius, 0.2);
        assert_eq!(placed(Shape::InsideSphere { radius: 0.1 }, &wide, univrm).radius, 0.1);
        assert_eq!(placed(ball, &Trs::IDENTITY, System { scale: 3.0, ..PLAIN }).radius, 0.3);
    }

    #[test]
    fn what_is_off_and_what_vrm_does_not_have_pushes_nothing() {
        let panel = placed(Shape::Panel { width: 1.0, height: 1.0 }, &Trs::IDENTITY, PLAIN);
        assert_eq!(panel.depth(Vec3::NEG_Z, 0.1, Vec3::ZERO), None);
        let off = ColliderRest { bone: 0, shape: Shape::Plane, enabled: false, renderer_on: true };
        assert_eq!(Placed::new(&off, &Frame::WORLD, PLAIN).depth(Vec3::NEG_Z, 0.1, Vec3::ZERO), None);
    }
}
