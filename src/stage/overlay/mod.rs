//! The shapes that are drawn over the character, in pixels of a [`CameraView`]'s pane.
//!
//! Plain maths: points in, outlines out. Colours, widths and what is worth drawing are decided by whoever paints.

mod bone;
mod collider;
mod fan;
mod force;
mod hinge;
mod panel;
mod ring;
mod swing_range;

pub use bone::{Kite, LengthStatus, kite, length_status};
pub use collider::{circle_outline, convex_outline, cylinder_outline, sphere_outline, tapered_capsule_outline};
pub use fan::{FanPlane, LimitFan, limit_fan};
pub use force::{arrow, arrow_head};
pub use hinge::{DirectionBall, WireBox, hinge_pivot, wire_box};
pub use panel::{PanelRect, PanelShape, panel_shape};
pub use ring::{Ring, ring};
pub use swing_range::{SwingOutline, SwingRange, swing_outline};

use super::CameraView;
use glam::{Vec2, Vec3};

/// Points along a circle.
const CIRCLE_POINTS: u16 = 48;

/// All points on the picture, or `None` if one of them is behind the eye.
pub fn project_all(shot: &CameraView, points: impl IntoIterator<Item = Vec3>) -> Option<Vec<Vec2>> {
    points.into_iter().map(|p| shot.project(p).map(|seen| seen.pixel)).collect()
}

/// Points of a circle about `centre`, spanned by two axes that are as long as its radius.
fn circle_points(centre: Vec3, [a, b]: [Vec3; 2]) -> impl Iterator<Item = Vec3> {
    (0..CIRCLE_POINTS).map(move |i| {
        let (sin, cos) = (f32::from(i) / f32::from(CIRCLE_POINTS) * std::f32::consts::TAU).sin_cos();
        centre + a * cos + b * sin
    })
}

/// The convex outline round points, in order; repeated and inner points are dropped.
fn convex_hull_2d(mut points: Vec<Vec2>) -> Vec<Vec2> {
    points.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    points.dedup();
    if points.len() < 3 {
        return points;
    }
    let half = |points: &mut dyn Iterator<Item = &Vec2>| {
        let mut side: Vec<Vec2> = Vec::new();
        for p in points {
            while let [.., a, b] = side.as_slice()
                && (b - a).perp_dot(*p - a) <= 0.0
            {
                side.pop();
            }
            side.push(*p);
        }
        side.pop();
        side
    };
    let mut outline = half(&mut points.iter());
    outline.extend(half(&mut points.iter().rev()));
    outline
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hull_of_a_square_ignores_inner_points() {
        let corners = [Vec2::ZERO, Vec2::X, Vec2::ONE, Vec2::Y];
        let mut points = corners.to_vec();
        points.extend([Vec2::splat(0.5), Vec2::new(0.2, 0.9), Vec2::X, Vec2::new(0.5, 0.0)]);
        let outline = convex_hull_2d(points);
        assert_eq!(outline.len(), 4, "{outline:?}");
        assert!(corners.iter().all(|c| outline.contains(c)));
    }

    #[test]
    fn few_points_are_their_own_hull() {
        assert_eq!(convex_hull_2d(vec![]), Vec::<Vec2>::new());
        assert_eq!(convex_hull_2d(vec![Vec2::ONE, Vec2::ONE]), vec![Vec2::ONE]);
    }
}
