//! What pushes tips: shapes as they stand in the world, and the way out of them.

use super::{Code, frame};
use crate::math::Frame;
use crate::sim::Shape;
use crate::sim::collider::{ContactBall, Surface, WorldCollider};
use crate::sim::scene::ColliderRest;
use glam::Vec3;

/// Ends whose thickness differs by less count as alike in the engine, metres before scale.
const ALIKE: f32 = 0.01;

/// What a collider is, in the engine's terms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Kind {
    /// Nothing.
    #[default]
    Off,
    /// Everything behind it.
    Plane,
    /// A ball.
    Sphere,
    /// A thick line.
    Capsule,
}

/// A collider in the world.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Placed {
    kind: Kind,
    /// Whether tips are kept in it instead of out of it.
    inside: bool,
    /// Middle, first end, or a point of the plane.
    at: Vec3,
    /// From there to the other end, or the plane's normal.
    along: Vec3,
    /// Thickness at the first end and at the other, metres.
    radius: (f32, f32),
    /// The clone's fault: whoever meets the far end is pushed from the first.
    crossed: bool,
}

impl Placed {
    /// Where a collider stands on its bone. A shape that the engine has not is nothing.
    pub(super) fn new(collider: &ColliderRest, frame: &Frame, code: Code) -> Self {
        if !collider.enabled {
            return Self::default();
        }
        let clone = code == Code::Clone;
        let scale = frame::scale(std::slice::from_ref(frame), 0);
        let (kind, inside, height, radius) = match collider.shape {
            Shape::Sphere { radius, inside: false } => (Kind::Sphere, false, 0.0, (radius, radius)),
            Shape::Sphere { radius, inside: true } => (Kind::Sphere, true, 0.0, (radius, radius)),
            Shape::Capsule { radius, height, inside: false } => (Kind::Capsule, false, height, (radius, radius)),
            Shape::Capsule { inside: true, .. } if clone => return Self::default(),
            Shape::Capsule { radius, height, inside: true } => (Kind::Capsule, true, height, (radius, radius)),
            Shape::Tapered { radius, tail_radius, height, inside: false } => {
                let (height, tail) = plain_if_alike(radius, tail_radius, height);
                (Kind::Capsule, false, height, (radius, tail))
            }
            Shape::Tapered { radius, tail_radius, height, inside: true } => {
                let (height, tail) = plain_if_alike(radius, tail_radius, height);
                (Kind::Capsule, true, height, (radius, tail))
            }
            Shape::Plane => (Kind::Plane, false, 0.0, (0.0, 0.0)),
            _ => return Self::default(),
        };
        let at = frame.position;
        let along =
            if kind == Kind::Plane { frame.rotation * Vec3::Z } else { frame.point(Vec3::Y * height.max(0.0)) - at };
        if !(at.is_finite() && along.length_squared().is_finite()) {
            return Self::default();
        }
        let grown = if clone && kind == Kind::Capsule { 1.0 } else { scale };
        Self { kind, inside, at, along, radius: (radius.0 * grown, radius.1 * grown), crossed: clone }
    }

    /// The way that takes a ball of `radius` about `at` out of it, or back into it, metres; `None` where they do not meet
    /// or no way is better than another.
    #[inline]
    pub(super) fn way_out(&self, at: Vec3, radius: f32) -> Option<Vec3> {
        match self.kind {
            Kind::Off => None,
            // As in the engine, planes meet the middle of the ball.
            Kind::Plane => {
                let above = (at - self.at).dot(self.along);
                (above < 0.0).then(|| self.along * -above)
            }
            Kind::Sphere => self.off_point(at - self.at, self.radius.0, radius),
            Kind::Capsule => self.off_axis(at - self.at, radius),
        }
    }

    /// The surface that is nearest to a ball. As in the engine, planes meet the middle of the ball.
    pub(super) fn surface(&self, ball: &ContactBall<'_>) -> Option<Surface> {
        let (inside, radii) = (self.inside, [self.radius.0, self.radius.1]);
        let collider = match self.kind {
            Kind::Off => WorldCollider::Off,
            Kind::Plane => WorldCollider::Plane { point: self.at, normal: self.along },
            Kind::Sphere => WorldCollider::Sphere { center: self.at, radius: radii[0], inside },
            Kind::Capsule => WorldCollider::Capsule { ends: [self.at, self.at + self.along], radii, inside },
        };
        let surface = collider.surface(ball.center)?;
        let more = if self.kind == Kind::Plane { ball.radius } else { 0.0 };
        Some(Surface { distance: surface.distance + more, ..surface })
    }

    fn off_axis(&self, offset: Vec3, radius: f32) -> Option<Vec3> {
        let share = offset.dot(self.along);
        let whole = self.along.length_squared();
        if share <= 0.0 {
            self.off_point(offset, self.radius.0, radius)
        } else if share >= whole {
            let from_end = offset - self.along;
            let way = self.off_point(from_end, self.radius.1, radius)?;
            Some(if self.crossed { way - self.along } else { way })
        } else {
            let share = share / whole;
            let thickness = self.radius.0 + (self.radius.1 - self.radius.0) * share;
            self.off_point(offset - self.along * share, thickness, radius)
        }
    }

    /// Away from a point, or back to it.
    #[inline]
    fn off_point(&self, offset: Vec3, thickness: f32, radius: f32) -> Option<Vec3> {
        let squared = offset.length_squared();
        // Differs from DynamicBone: a ball thicker than the room around it comes to its middle, not through it.
        let reach = if self.inside { (thickness - radius).max(0.0) } else { thickness + radius };
        let meets = if self.inside { squared > reach * reach } else { squared < reach * reach && reach > 0.0 };
        if !meets || squared <= 0.0 {
            return None;
        }
        let distance = squared.sqrt();
        Some(offset * ((reach - distance) / distance))
    }
}

/// Height without the caps, and the thickness of the far end, as the engine has them of a whole of the same length: ends of
/// nearly one thickness, and a far end of none, are those of a plain capsule.
fn plain_if_alike(radius: f32, tail: f32, height: f32) -> (f32, f32) {
    if tail <= 0.0 || (radius - tail).abs() < ALIKE { (height + tail - radius, radius) } else { (height, tail) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Trs;

    fn placed(shape: Shape, local: &Trs, code: Code) -> Placed {
        let collider = ColliderRest { bone: 0, shape, enabled: true, renderer_on: true };
        Placed::new(&collider, &Frame::WORLD.child(local), code)
    }

    #[track_caller]
    fn check(shape: Shape, at: [f32; 3], expected: Option<[f32; 3]>) {
        check_on(&placed(shape, &Trs::IDENTITY, Code::Asset), at, expected);
    }

    #[track_caller]
    fn check_on(collider: &Placed, at: [f32; 3], expected: Option<[f32; 3]>) {
        let at = Vec3::from(at);
        let found = collider.way_out(at, 0.05).map(|way| at + way);
        let same = match (found, expected) {
            (Some(found), Some(expected)) => found.distance(Vec3::from(expected)) < 1e-6,
            (found, expected) => found.is_none() && expected.is_none(),
        };
        assert!(same, "{collider:?} puts {at} to {found:?}, expected {expected:?}");
    }

    #[test]
    fn a_sphere_pushes_out_and_its_inside_keeps_in() {
        let ball = Shape::Sphere { radius: 0.1, inside: false };
        check(ball, [0.16, 0.0, 0.0], None);
        check(ball, [0.1, 0.0, 0.0], Some([0.15, 0.0, 0.0]));
        check(ball, [0.0; 3], None);
        let room = Shape::Sphere { radius: 0.1, inside: true };
        check(room, [0.04, 0.0, 0.0], None);
        check(room, [0.0, -0.3, 0.0], Some([0.0, -0.05, 0.0]));
    }

    #[test]
    fn a_ball_thicker_than_its_room_comes_to_the_middle() {
        check(Shape::Sphere { radius: 0.02, inside: true }, [0.0, 0.3, 0.0], Some([0.0; 3]));
        check(Shape::Sphere { radius: 0.02, inside: true }, [0.0; 3], None);
    }

    #[test]
    fn capsules_push_from_the_nearest_point_of_their_axis() {
        let rod = Shape::Capsule { radius: 0.1, height: 0.4, inside: false };
        check(rod, [0.1, 0.2, 0.0], Some([0.15, 0.2, 0.0]));
        check(rod, [0.0, 0.5, 0.0], Some([0.0, 0.55, 0.0]));
        check(rod, [0.0, -0.1, 0.0], Some([0.0, -0.15, 0.0]));
        check(rod, [0.0, 0.2, 0.0], None);
        let tube = Shape::Capsule { radius: 0.1, height: 0.4, inside: true };
        check(tube, [0.3, 0.2, 0.0], Some([0.05, 0.2, 0.0]));
        check(tube, [0.0, 0.9, 0.0], Some([0.0, 0.45, 0.0]));
        check(tube, [0.04, 0.2, 0.0], None);
    }

    #[test]
    fn a_tapered_capsule_changes_evenly_and_pushes_straight_off_its_axis() {
        let cone = Shape::Tapered { radius: 0.1, tail_radius: 0.04, height: 0.3, inside: false };
        check(cone, [0.05, 0.15, 0.0], Some([0.12, 0.15, 0.0]));
        check(cone, [0.0, 0.35, 0.0], Some([0.0, 0.39, 0.0]));
        check(cone, [0.13, 0.15, 0.0], None);
        let horn = Shape::Tapered { radius: 0.1, tail_radius: 0.08, height: 0.3, inside: true };
        check(horn, [0.5, 0.15, 0.0], Some([0.04, 0.15, 0.0]));
    }

    #[test]
    fn ends_of_nearly_one_thickness_are_a_plain_capsule_of_the_same_whole_length() {
        let nearly = placed(
            Shape::Tapered { radius: 0.1, tail_radius: 0.095, height: 0.3, inside: false },
            &Trs::IDENTITY,
            Code::Asset,
        );
        let plain = placed(Shape::Capsule { radius: 0.1, height: 0.295, inside: false }, &Trs::IDENTITY, Code::Asset);
        assert!(nearly.along.distance(plain.along) < 1e-6 && nearly.radius == plain.radius);
    }

    #[test]
    fn a_plane_meets_the_middle_of_the_ball_on_its_back_only() {
        check(Shape::Plane, [3.0, 1.0, 0.01], None);
        check(Shape::Plane, [3.0, 1.0, -0.2], Some([3.0, 1.0, 0.0]));
    }

    #[test]
    fn radii_follow_the_first_axis_of_scale_and_ends_the_whole_of_it() {
        let wide = Trs { scale: Vec3::new(-2.0, 3.0, 1.0), ..Trs::IDENTITY };
        let rod = placed(Shape::Capsule { radius: 0.1, height: 0.4, inside: false }, &wide, Code::Asset);
        assert!((rod.radius.0 - 0.2).abs() < 1e-6 && rod.along.distance(Vec3::Y * 1.2) < 1e-6);
        let clone = placed(Shape::Capsule { radius: 0.1, height: 0.4, inside: false }, &wide, Code::Clone);
        assert_eq!(clone.radius.0, 0.1);
        let ball = placed(Shape::Sphere { radius: 0.1, inside: false }, &wide, Code::Clone);
        assert!((ball.radius.0 - 0.2).abs() < 1e-6);
    }

    #[test]
    fn the_clone_pushes_from_the_wrong_end_and_knows_no_room_in_capsules() {
        let rod = placed(Shape::Capsule { radius: 0.1, height: 0.4, inside: false }, &Trs::IDENTITY, Code::Clone);
        check_on(&rod, [0.0, 0.5, 0.0], Some([0.0, 0.15, 0.0]));
        let tube = placed(Shape::Capsule { radius: 0.1, height: 0.4, inside: true }, &Trs::IDENTITY, Code::Clone);
        check_on(&tube, [0.3, 0.2, 0.0], None);
    }

    #[test]
    fn what_is_off_and_what_the_engine_does_not_have_pushes_nothing() {
        check(Shape::Panel { width: 1.0, height: 1.0 }, [0.0, 0.0, -0.1], None);
        check(Shape::Box { width: 1.0, height: 1.0, depth: 1.0, inside: false }, [0.0, 0.0, -0.1], None);
        let off = ColliderRest { bone: 0, shape: Shape::Plane, enabled: false, renderer_on: true };
        check_on(&Placed::new(&off, &Frame::WORLD, Code::Asset), [0.0, 0.0, -0.1], None);
    }
}
