//! Picking and dragging: the object under the pointer, and the point or angle after a drag.

use super::CameraView;
use glam::{Vec2, Vec3};
use std::f32::consts::PI;
use yuremono_sim::math::Ray;

/// A line segment in the world.
pub type Segment = [Vec3; 2];

/// Returns the index of the point that is nearest to `pointer` on the screen, within `reach` pixels.
///
/// If several points are on the same pixel, returns the point nearest to the camera.
pub fn nearest_point(
    view: &CameraView,
    points: impl IntoIterator<Item = Vec3>,
    pointer: Vec2,
    reach: f32,
) -> Option<usize> {
    let candidates = points.into_iter().enumerate().filter_map(|(index, p)| {
        let at = view.project(p)?;
        Some((index, at.pixel.distance(pointer), at.depth))
    });
    nearest(candidates, reach)
}

/// A point to pick that has its own pick distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PickPoint {
    /// Position in the world, in metres.
    pub at: Vec3,
    /// Pick distance in pixels.
    pub reach: f32,
    /// Whether a surface hides the point. Visible points have priority.
    pub is_hidden: bool,
}

/// Like [`nearest_point`], but each point has its own pick distance, and visible points have priority.
pub fn nearest_pick_point(view: &CameraView, points: &[PickPoint], pointer: Vec2) -> Option<usize> {
    let candidates = |is_hidden: bool| {
        let matching = points.iter().enumerate().filter(move |(_, point)| point.is_hidden == is_hidden);
        matching.filter_map(move |(index, point)| {
            let at = view.project(point.at)?;
            let distance = at.pixel.distance(pointer);
            (distance <= point.reach).then_some((index, distance, at.depth))
        })
    };
    nearest(candidates(false), f32::MAX).or_else(|| nearest(candidates(true), f32::MAX))
}

/// Speed in pixels per second at which a point has its largest pick distance.
const FAST_POINT_SPEED: f32 = 60.0;

/// Returns the pick distance of a point that moves with `speed` pixels per second: the first distance at rest, and the
/// second for a fast point. A pointer lags behind a moving point.
pub fn moving_pick_distance([resting, fast]: [f32; 2], speed: f32) -> f32 {
    let share = if speed.is_nan() { 0.0 } else { (speed / FAST_POINT_SPEED).clamp(0.0, 1.0) };
    resting + (fast - resting) * share
}

/// Returns the index of the segment that is nearest to `pointer` on the screen, within `reach` pixels.
pub fn nearest_segment(
    view: &CameraView,
    segments: impl IntoIterator<Item = Segment>,
    pointer: Vec2,
    reach: f32,
) -> Option<usize> {
    let candidates = segments.into_iter().enumerate().filter_map(|(index, [a, b])| {
        let (a, b) = (view.project(a)?, view.project(b)?);
        Some((index, distance_to_segment(pointer, a.pixel, b.pixel), a.depth.min(b.depth)))
    });
    nearest(candidates, reach)
}

/// Distances that differ by less count as equal, so the depth decides; pixels.
const SAME_POSITION_PIXELS: f32 = 1.0;

fn nearest(candidates: impl Iterator<Item = (usize, f32, f32)>, reach: f32) -> Option<usize> {
    let mut best: Option<(usize, f32, f32)> = None;
    for (index, distance, depth) in candidates.filter(|(_, distance, _)| *distance <= reach) {
        let wins = best.is_none_or(|(_, d, z)| {
            distance < d - SAME_POSITION_PIXELS || (distance < d + SAME_POSITION_PIXELS && depth < z)
        });
        if wins {
            best = Some((index, distance, depth));
        }
    }
    best.map(|(index, ..)| index)
}

/// Returns the distance from `p` to the segment from `a` to `b`, in pixels.
pub fn distance_to_segment(p: Vec2, a: Vec2, b: Vec2) -> f32 {
    let ab = b - a;
    let along = if ab.length_squared() > 1e-12 { ((p - a).dot(ab) / ab.length_squared()).clamp(0.0, 1.0) } else { 0.0 };
    p.distance(a + ab * along)
}

/// Where a dragged point may move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DragConstraint {
    /// In the plane through the point that is parallel to the screen.
    View,
    /// Along a line in this direction; unit length.
    Axis(Vec3),
    /// In a plane with this normal; unit length. +Y keeps the height of the point.
    Plane(Vec3),
}

/// A drag of a point under a constraint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConstrainedDrag {
    /// Position of the point at the start, in metres.
    pub start: Vec3,
    pub constraint: DragConstraint,
    /// Position of the pointer at the start, in pixels.
    start_pointer: Vec2,
}

impl ConstrainedDrag {
    /// Starts a drag of the point `start`. The pointer need not be exactly over the point.
    pub fn begin(start: Vec3, pointer: Vec2, constraint: DragConstraint) -> Self {
        Self { start, constraint, start_pointer: pointer }
    }

    /// Returns the position of the point for a pointer position, within ten view distances of the start.
    pub fn position_at(&self, view: &CameraView, pointer: Vec2) -> Vec3 {
        if !pointer.is_finite() {
            return self.start;
        }
        let moved = match self.constraint {
            DragConstraint::View => {
                self.offset_from_start(view, pointer, |ray| ray.hit_plane(self.start, view.forward))
            }
            DragConstraint::Axis(axis) => self.offset_from_start(view, pointer, |ray| {
                // If the line points towards the eye, no point is nearest to the pointer.
                (axis.dot(view.forward).abs() < 0.995).then(|| ray.nearest_on_line(self.start, axis))
            }),
            DragConstraint::Plane(normal) => {
                self.offset_from_start(view, pointer, |ray| ray.hit_plane(self.start, normal))
            }
        };
        self.start + moved.filter(|m| m.is_finite()).unwrap_or(Vec3::ZERO).clamp_length_max(view.distance * 10.0)
    }

    /// Returns the offset from the position under the first pointer to the position under `pointer`.
    fn offset_from_start(&self, view: &CameraView, pointer: Vec2, place: impl Fn(Ray) -> Option<Vec3>) -> Option<Vec3> {
        Some(place(view.ray(pointer))? - place(view.ray(self.start_pointer))?)
    }
}

/// Sine of the angle below which a plane is seen edge-on.
pub(super) const EDGE_ON_SINE: f32 = 0.12;
/// Rotation per pixel along a ring that is seen edge-on, in radians.
const RADIANS_PER_PIXEL: f32 = 0.01;

/// Returns the angle in radians by which the pointer rotated about `axis` (unit length) through `centre`, in -pi..=pi.
/// For a ring that is seen edge-on, the angle follows the movement along the ring. Never returns NaN.
pub fn drag_angle_about(view: &CameraView, centre: Vec3, axis: Vec3, from: Vec2, to: Vec2) -> f32 {
    if !(from.is_finite() && to.is_finite()) {
        return 0.0;
    }
    let sight_direction = (centre - view.eye).normalize_or(view.forward);
    if sight_direction.dot(axis).abs() > EDGE_ON_SINE {
        let arm = |pixel| view.ray(pixel).hit_plane(centre, axis).map(|hit| hit - centre);
        if let (Some(a), Some(b)) = (arm(from), arm(to)) {
            let angle = libm::atan2f(axis.dot(a.cross(b)), a.dot(b));
            return if angle.is_finite() { angle } else { 0.0 };
        }
        return 0.0;
    }
    // The near side of the ring moves in this direction.
    let along = axis.cross(-sight_direction);
    let flat = Vec2::new(along.dot(view.right), -along.dot(view.up)).normalize_or_zero();
    let angle = (to - from).dot(flat) * RADIANS_PER_PIXEL;
    if angle.is_finite() { angle.clamp(-PI, PI) } else { 0.0 }
}

/// Returns the direction from the centre of a sphere to its surface under a pixel. Of two points, returns the point that
/// is closer to the direction `near`. Next to the sphere, returns the direction to the nearest point under the pixel.
pub fn sphere_direction(view: &CameraView, centre: Vec3, radius: f32, pixel: Vec2, near: Vec3) -> Option<Vec3> {
    let ray = pixel.is_finite().then(|| view.ray(pixel))?;
    let nearest = ray.origin + ray.direction * (centre - ray.origin).dot(ray.direction) - centre;
    let half_chord = (radius * radius - nearest.length_squared()).max(0.0).sqrt();
    let [front, back] = [-half_chord, half_chord].map(|along| nearest + ray.direction * along);
    if front.dot(near) >= back.dot(near) { front.try_normalize() } else { back.try_normalize() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::{OrbitCamera, ViewRect};
    use glam::Quat;

    fn view_from(pitch: f32, yaw: f32) -> CameraView {
        let camera = OrbitCamera { target: Vec3::ZERO, pitch, yaw, ..OrbitCamera::default() };
        camera.view(&ViewRect::uncovered(Vec2::new(800.0, 600.0)))
    }

    fn view() -> CameraView {
        view_from(0.0, 0.0)
    }

    #[test]
    fn the_nearest_point_within_reach_is_picked_and_the_front_one_of_two() {
        let points = [Vec3::ZERO, Vec3::X * 0.2, Vec3::Z * 0.5];
        let near = view().project(points[1]).expect("in front").pixel + Vec2::new(5.0, 0.0);
        assert_eq!(nearest_point(&view(), points, near, 12.0), Some(1));
        assert_eq!(nearest_point(&view(), points, near + Vec2::Y * 30.0, 12.0), None);
        assert_eq!(nearest_point(&view(), points, Vec2::new(400.0, 300.0), 12.0), Some(2));
        assert_eq!(nearest_point(&view(), [Vec3::Z * 99.0, Vec3::NAN], Vec2::new(400.0, 300.0), 1e9), None);
    }

    #[test]
    fn a_moving_point_is_picked_from_farther_away() {
        let pick = |speed: f32, pixels: f32| {
            let point = PickPoint { at: Vec3::ZERO, reach: moving_pick_distance([8.0, 16.0], speed), is_hidden: false };
            let pointer = view().project(Vec3::ZERO).expect("in front").pixel + Vec2::X * pixels;
            nearest_pick_point(&view(), &[point], pointer)
        };
        assert_eq!([pick(0.0, 7.0), pick(0.0, 9.0)], [Some(0), None]);
        assert_eq!([pick(500.0, 15.0), pick(500.0, 17.0), pick(f32::NAN, 9.0)], [Some(0), None, None]);
    }

    #[test]
    fn the_nearest_point_wins_and_visible_points_have_priority() {
        let point = |x: f32, reach: f32, is_hidden| PickPoint { at: Vec3::X * x, reach, is_hidden };
        let pointer = view().project(Vec3::ZERO).expect("in front").pixel;
        let pixel = 1.0 / view().metres_to_pixels(1.0, Vec3::ZERO);
        let pick = |points: [PickPoint; 2]| nearest_pick_point(&view(), &points, pointer);
        assert_eq!(pick([point(6.0 * pixel, 16.0, false), point(3.0 * pixel, 8.0, false)]), Some(1));
        assert_eq!(pick([point(6.0 * pixel, 16.0, false), point(3.0 * pixel, 8.0, true)]), Some(0));
        assert_eq!(pick([point(20.0 * pixel, 16.0, false), point(3.0 * pixel, 8.0, true)]), Some(1));
    }

    #[test]
    fn a_segment_is_picked_along_its_length_but_not_beyond() {
        let segments = [[Vec3::ZERO, Vec3::Y], [Vec3::X * 0.3, Vec3::X]];
        let beside = view().project(Vec3::Y * 0.5).expect("in front").pixel + Vec2::X * 6.0;
        assert_eq!(nearest_segment(&view(), segments, beside, 8.0), Some(0));
        assert_eq!(nearest_segment(&view(), segments, beside, 4.0), None);
        assert_eq!(distance_to_segment(Vec2::new(3.0, 4.0), Vec2::ZERO, Vec2::ZERO), 5.0);
    }

    #[track_caller]
    fn check_drag(constraint: DragConstraint, by: Vec2, expected: impl Fn(Vec3) -> bool) {
        let tilted = view_from(0.5, 0.3);
        let start = Vec3::new(0.1, 0.2, 0.0);
        let press = tilted.project(start).expect("in front").pixel + Vec2::new(4.0, -3.0);
        let drag = ConstrainedDrag::begin(start, press, constraint);
        assert!((drag.position_at(&tilted, press) - start).length() < 1e-5, "a press moves nothing");
        let moved = drag.position_at(&tilted, press + by) - start;
        assert!(expected(moved), "{constraint:?} moved by {moved}");
    }

    #[test]
    fn a_drag_respects_its_constraint() {
        let by = Vec2::new(50.0, -20.0);
        check_drag(DragConstraint::Axis(Vec3::X), by, |m| m.y.abs() < 1e-5 && m.z.abs() < 1e-5 && m.x > 0.01);
        check_drag(DragConstraint::Plane(Vec3::Y), by, |m| m.y.abs() < 1e-5 && m.x > 0.01);
        check_drag(DragConstraint::View, by, |m| m.y > 0.01 && m.x > 0.01);
        check_drag(DragConstraint::Plane(Vec3::Y), Vec2::new(0.0, -1e6), |m| m.length() <= 36.1);
        check_drag(DragConstraint::View, Vec2::NAN, |m| m == Vec3::ZERO);
    }

    #[test]
    fn a_view_drag_stays_under_the_pointer() {
        let view = view();
        let start = Vec3::new(0.3, 0.1, -0.4);
        let press = view.project(start).expect("in front").pixel;
        let there = ConstrainedDrag::begin(start, press, DragConstraint::View)
            .position_at(&view, press + Vec2::new(77.0, 31.0));
        let seen = view.project(there).expect("in front");
        assert!((seen.pixel - press - Vec2::new(77.0, 31.0)).length() < 0.01);
        assert!((seen.depth - view.depth(start)).abs() < 1e-4);
    }

    #[test]
    fn a_drag_around_an_axis_returns_the_angle_between_start_and_end() {
        let view = view_from(0.2, 0.4);
        let centre = Vec3::new(0.1, 0.0, 0.0);
        let at = |angle: f32| {
            let arm = Quat::from_rotation_z(angle) * Vec3::X * 0.3;
            view.project(centre + arm).expect("in front").pixel
        };
        let angle = drag_angle_about(&view, centre, Vec3::Z, at(0.2), at(0.9));
        assert!((angle - 0.7).abs() < 1e-3, "{angle}");
        assert_eq!(drag_angle_about(&view, centre, Vec3::Z, Vec2::NAN, at(0.1)), 0.0);
    }

    #[test]
    fn the_direction_under_a_pixel_is_on_the_wanted_side_of_a_sphere() {
        let view = OrbitCamera { target: Vec3::ZERO, yaw: 0.4, pitch: 0.2, ..OrbitCamera::default() }
            .view(&ViewRect::uncovered(Vec2::splat(600.0)));
        let (centre, radius) = (Vec3::new(0.1, 0.0, 0.0), 0.3);
        for direction in [Vec3::new(0.3, -0.8, 0.5), Vec3::new(-0.2, 0.5, -0.8)].map(Vec3::normalize) {
            let pixel = view.project(centre + direction * radius).expect("in front").pixel;
            let found = sphere_direction(&view, centre, radius, pixel, direction).expect("a direction");
            assert!(found.distance(direction) < 1e-3, "{found} for {direction}");
        }
        let beside = view.project(centre + view.right * 0.9).expect("in front").pixel;
        let found = sphere_direction(&view, centre, radius, beside, Vec3::Y).expect("a direction");
        assert!(found.dot(view.right) > 0.95, "{found} is at the outline, except for the perspective");
        assert_eq!(sphere_direction(&view, centre, radius, Vec2::NAN, Vec3::Y), None);
    }

    #[test]
    fn an_edge_on_ring_follows_its_near_side() {
        let view = view();
        // In a counter-clockwise rotation seen from above, the near side moves to the right.
        let middle = Vec2::new(400.0, 300.0);
        assert!(drag_angle_about(&view, Vec3::ZERO, Vec3::Y, middle, middle + Vec2::X * 50.0) > 0.3);
        assert!(drag_angle_about(&view, Vec3::ZERO, Vec3::Y, middle, middle + Vec2::Y * 50.0).abs() < 1e-3);
    }
}
