//! What a tip touches between two steps, for pictures: how deep, and where. Nothing in a step asks for it.

use super::contact::{is_on, shrink};
use super::{Params, Rest, System};
use crate::math::Frame;
use crate::sim::scene::{Overlap, Still};
use crate::sim::{Shape, collide};
use glam::{Vec2, Vec3};

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
    let head = frame.position;
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
            if let Shape::Panel { width, height } = collider.shape {
                let half = Vec2::new(0.5 * width, 0.5 * height);
                let share = if system.scaled { shrink(frame) } else { 1.0 };
                let ball = Ball { head, tip, length: joint.length * share, radius: (radius + TOUCH) * share };
                if let Some((depth, point)) = in_panel(half, frame, &ball) {
                    tell(Some(*id), radius - (depth - TOUCH).max(0.0), point);
                }
            } else if let Some((away, point)) = surface(&collider.shape, frame, tip) {
                tell(Some(*id), away, point);
            }
        }
    }
}

/// How far a point is from a shape's surface in world metres, below zero within it, and the nearest point there;
/// `None` where the engine sees none, and for panels.
fn surface(shape: &Shape, frame: &Frame, point: Vec3) -> Option<(f32, Vec3)> {
    let local = frame.inverse_point(point);
    let (core, radius) = match *shape {
        Shape::Sphere { radius } => (Vec3::ZERO, radius),
        Shape::Capsule { radius, .. } if radius <= 0.0001 => return None,
        Shape::Capsule { radius, height } => (Vec3::new(0.0, local.y.max(0.0).min(height.max(0.0)), 0.0), radius),
        // The engine has none of these.
        _ => return None,
    };
    let on = frame.point(core + (local - core).normalize_or(Vec3::Y) * radius);
    let inside = (local - core).length_squared() < radius * radius;
    let distance = (point - on).length();
    Some((if inside { -distance } else { distance }, on))
}

/// A tip on its bone, against a panel: places in the world, lengths as the panel's frame has them.
struct Ball {
    head: Vec3,
    tip: Vec3,
    length: f32,
    radius: f32,
}

/// How deep a tip is in a panel that pushes it, metres in the world, and the nearest point there; `None` where the step
/// would leave it alone. A panel is solid at any depth, so that depth is the shortest way out: through the front, past an
/// edge, or where the step would put the tip.
fn in_panel(half: Vec2, frame: &Frame, ball: &Ball) -> Option<(f32, Vec3)> {
    let (head, local) = (frame.inverse_point(ball.head), frame.inverse_point(ball.tip));
    let pushed = collide::panel(head, local, half, ball.length, ball.radius)?;
    let axes = frame.linear();
    let front = (ball.radius - local.z) * axes.z_axis.length();
    let past = |half: f32, at: f32, axis: Vec3| (half + ball.radius - at.abs()) * axis.length();
    let edge = past(half.x, local.x, axes.x_axis).min(past(half.y, local.y, axes.y_axis));
    let depth = front.min(edge).min((frame.point(pushed.tip) - ball.tip).length());
    let on = local.truncate().clamp(-half.abs(), half.abs());
    Some((depth, frame.point(on.extend(0.0))))
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
    }

    #[track_caller]
    fn check_panel(head: [f32; 3], tip: [f32; 3], depth: Option<f32>) {
        let (head, tip) = (Vec3::from(head), Vec3::from(tip));
        let ball = Ball { head, tip, length: head.distance(tip), radius: 0.02 };
        let found = in_panel(Vec2::new(0.2, 0.5), &Frame::WORLD, &ball).map(|(depth, _)| depth);
        assert_eq!(found.is_some(), depth.is_some(), "{found:?}");
        assert!((found.unwrap_or(0.0) - depth.unwrap_or(0.0)).abs() < 1e-5, "{found:?}");
    }

    #[test]
    fn a_panel_is_as_deep_as_the_shortest_way_out_of_it_and_only_where_it_pushes() {
        check_panel([0.0, 0.1, 0.1], [0.0, 0.0, 0.01], Some(0.01));
        check_panel([0.0, 0.1, 0.1], [0.0, 0.0, 0.03], None);
        check_panel([0.0, 0.0, -1.0], [0.1, 0.0, -1.0], Some(0.12));
        check_panel([0.3, 0.0, -1.0], [0.2, 0.0, -1.0], Some(0.0));
        check_panel([0.3, 0.0, -1.0], [0.23, 0.0, -1.0], None);
    }
}
