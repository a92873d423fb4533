//! What a tip touches between two steps, for pictures: how deep, and where. Nothing in a step asks for it.

use super::contact::is_on;
use super::{Params, Rest, System};
use crate::math::Frame;
use crate::sim::Shape;
use crate::sim::scene::{Overlap, Still};
use glam::Vec3;

/// A tip that is nearer than this touches, metres: a solved contact is no overlap but for rounding.
const TOUCH: f32 = 1e-4;

pub(super) fn overlaps(
    rest: &Rest,
    joint: usize,
    p: &Params,
    system: &System,
    tip: Vec3,
    still: Still<'_>,
    mut found: impl FnMut(Overlap),
) {
    let joint = &rest.joints[joint];
    let frame = &still.frames[joint.bone as usize];
    let radius = if system.scaled { p.radius * (frame.linear() * Vec3::X).length() } else { p.radius };
    let mut tell = |collider, away: f32, point| {
        let depth = radius - away;
        if depth > -TOUCH {
            found(Overlap { collider, depth: depth.max(0.0), point });
        }
    };
    if let Some(ground) = system.ground {
        tell(None, tip.y - ground, tip.with_y(ground));
    }
    if !system.collision {
        return;
    }
    for id in &rest.colliders[joint.colliders.0 as usize..joint.colliders.1 as usize] {
        let collider = &still.colliders[*id as usize];
        if is_on(collider) {
            let frame = &still.frames[collider.bone as usize];
            if let Some((away, point)) = surface(&collider.shape, frame, tip) {
                tell(Some(*id), away, point);
            }
        }
    }
}

/// How far a point is from a shape's surface in world metres, below zero within it, and the nearest point there;
/// `None` beside a panel.
fn surface(shape: &Shape, frame: &Frame, point: Vec3) -> Option<(f32, Vec3)> {
    let local = frame.inverse_point(point);
    let (core, radius) = match *shape {
        Shape::Sphere { radius } => (Vec3::ZERO, radius),
        Shape::Capsule { radius, .. } if radius <= 0.0001 => return None,
        Shape::Capsule { radius, height } => (Vec3::new(0.0, local.y.max(0.0).min(height.max(0.0)), 0.0), radius),
        // The engine has none of these.
        Shape::InsideSphere { .. } | Shape::InsideCapsule { .. } | Shape::Plane => return None,
        Shape::Panel { width, height } => {
            let beside = local.x.abs() >= 0.5 * width || local.y.abs() >= 0.5 * height;
            return (!beside).then(|| {
                let on = frame.point(local.with_z(0.0));
                ((point - on).length().copysign(local.z), on)
            });
        }
    };
    let on = frame.point(core + (local - core).normalize_or(Vec3::Y) * radius);
    let inside = (local - core).length_squared() < radius * radius;
    let distance = (point - on).length();
    Some((if inside { -distance } else { distance }, on))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Trs;

    #[track_caller]
    fn check(shape: Shape, point: [f32; 3], away: f32, on: [f32; 3]) {
        let local = Trs { scale: Vec3::splat(2.0), ..Trs::from_translation(Vec3::X) };
        let found = surface(&shape, &Frame::WORLD.child(&local), Vec3::from(point)).expect("not beside");
        assert!((found.0 - away).abs() < 1e-6 && (found.1 - Vec3::from(on)).length() < 1e-6, "{found:?}");
    }

    #[test]
    fn the_distance_to_each_shape_is_measured_in_the_world() {
        check(Shape::Sphere { radius: 0.1 }, [1.5, 0.0, 0.0], 0.3, [1.2, 0.0, 0.0]);
        check(Shape::Sphere { radius: 0.1 }, [1.0, 0.05, 0.0], -0.15, [1.0, 0.2, 0.0]);
        check(Shape::Capsule { radius: 0.1, height: 0.5 }, [1.3, 0.4, 0.0], 0.1, [1.2, 0.4, 0.0]);
        check(Shape::Capsule { radius: 0.1, height: 0.5 }, [1.0, 1.3, 0.0], 0.1, [1.0, 1.2, 0.0]);
        check(Shape::Panel { width: 1.0, height: 1.0 }, [1.0, 0.3, -0.2], -0.2, [1.0, 0.3, 0.0]);
        let beside = surface(&Shape::Panel { width: 1.0, height: 1.0 }, &Frame::WORLD, Vec3::X);
        assert_eq!(beside, None);
    }
}
