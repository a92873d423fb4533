use super::CameraView;
use crate::math::Ray;
use glam::{Vec2, Vec3};

/// A line between two points of the world.
pub type Segment = [Vec3; 2];

/// Index of the point that appears nearest to `pointer`, if any within `reach` pixels.
///
/// Of points on the same pixel the one in front wins.
pub fn nearest_point(
    shot: &CameraView,
    points: impl IntoIterator<Item = Vec3>,
    pointer: Vec2,
    reach: f32,
) -> Option<usize> {
    let seen = points.into_iter().enumerate().filter_map(|(index, p)| {
        let at = shot.project(p)?;
        Some((index, at.pixel.distance(pointer), at.depth))
    });
    nearest(seen, reach)
}

/// Index of the segment that appears nearest to `pointer`, if any within `reach` pixels.
pub fn nearest_segment(
    shot: &CameraView,
    segments: impl IntoIterator<Item = Segment>,
    pointer: Vec2,
    reach: f32,
) -> Option<usize> {
    let seen = segments.into_iter().enumerate().filter_map(|(index, [a, b])| {
        let (a, b) = (shot.project(a)?, shot.project(b)?);
        Some((index, distance_to_segment(pointer, a.pixel, b.pixel), a.depth.min(b.depth)))
    });
    nearest(seen, reach)
}

/// Pixels closer than this count as the same place, so that depth decides.
const SAME_POSITION_PIXELS: f32 = 1.0;

fn nearest(seen: impl Iterator<Item = (usize, f32, f32)>, reach: f32) -> Option<usize> {
    let mut best: Option<(usize, f32, f32)> = None;
    for (index, distance, depth) in seen.filter(|(_, distance, _)| *distance <= reach) {
        let wins = best.is_none_or(|(_, d, z)| {
            distance < d - SAME_POSITION_PIXELS || (distance < d + SAME_POSITION_PIXELS && depth < z)
        });
        if wins {
            best = Some((index, distance, depth));
        }
    }
    best.map(|(index, ..)| index)
}

/// From `p` to the segment `a`..`b`, pixels.
pub fn distance_to_segment(p: Vec2, a: Vec2, b: Vec2) -> f32 {
    let ab = b - a;
    let along = if ab.length_squared() > 1e-12 { ((p - a).dot(ab) / ab.length_squared()).clamp(0.0, 1.0) } else { 0.0 };
    p.distance(a + ab * along)
}

/// Where a dragged point may go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DragConstraint {
    /// Along the picture.
    View,
    /// Along a line; unit length.
    Axis(Vec3),
    /// Along a plane with this normal; unit length. +Y keeps the height.
    Plane(Vec3),
}

/// A point held by the pointer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConstrainedDrag {
    /// Where the point was when it was taken.
    pub start: Vec3,
    /// Where it may go.
    pub constraint: DragConstraint,
    /// Where the pointer was then.
    start_pointer: Vec2,
}

impl ConstrainedDrag {
    /// Takes hold of `start` with the pointer at `pointer`, which need not be exactly over it.
    pub fn begin(start: Vec3, pointer: Vec2, constraint: DragConstraint) -> Self {
        Self { start, constraint, start_pointer: pointer }
    }

    /// Where the point is with the pointer at `pointer`; it never leaps farther than ten view distances.
    pub fn position_at(&self, shot: &CameraView, pointer: Vec2) -> Vec3 {
        if !pointer.is_finite() {
            return self.start;
        }
        let moved = match self.constraint {
            DragConstraint::View => self.offset_between(shot, pointer, |ray| ray.hit_plane(self.start, shot.forward)),
            DragConstraint::Axis(axis) => self.offset_between(shot, pointer, |ray| {
                // An axis that points at the eye cannot be followed.
                (axis.dot(shot.forward).abs() < 0.995).then(|| ray.nearest_on_line(self.start, axis))
            }),
            DragConstraint::Plane(normal) => {
                self.offset_between(shot, pointer, |ray| ray.hit_plane(self.start, normal))
            }
        };
        self.start + moved.filter(|m| m.is_finite()).unwrap_or(Vec3::ZERO).clamp_length_max(shot.distance * 10.0)
    }

    /// From the place under the first pointer to that under this one.
    fn offset_between(&self, shot: &CameraView, pointer: Vec2, place: impl Fn(Ray) -> Option<Vec3>) -> Option<Vec3> {
        Some(place(shot.ray(pointer))? - place(shot.ray(self.start_pointer))?)
    }
}

/// An offset that follows `pull` closely at first and ever less from then on, never beyond `reach`; metres.
pub fn soft_limit(pull: Vec3, reach: f32) -> Vec3 {
    let length = pull.length();
    if !(length > 1e-9 && reach > 0.0) {
        return Vec3::ZERO;
    }
    pull * (reach * (length / reach).tanh() / length)
}

/// The pull that [`soft_limit`] makes `offset` of, to go on pulling from there.
pub fn inverse_soft_limit(offset: Vec3, reach: f32) -> Vec3 {
    let length = offset.length();
    if !(length > 1e-9 && reach > 0.0) {
        return Vec3::ZERO;
    }
    // At the very end of its reach every pull looks alike.
    offset * (reach * (length / reach).min(0.995).atanh() / length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::{OrbitCamera, ViewRect};

    fn shot() -> CameraView {
        OrbitCamera { target: Vec3::ZERO, pitch: 0.0, ..OrbitCamera::default() }
            .view(&ViewRect::uncovered(Vec2::new(800.0, 600.0)))
    }

    #[test]
    fn the_nearest_point_within_reach_is_picked_and_the_front_one_of_two() {
        let points = [Vec3::ZERO, Vec3::X * 0.2, Vec3::Z * 0.5];
        let near = shot().project(points[1]).expect("in front").pixel + Vec2::new(5.0, 0.0);
        assert_eq!(nearest_point(&shot(), points, near, 12.0), Some(1));
        assert_eq!(nearest_point(&shot(), points, near + Vec2::Y * 30.0, 12.0), None);
        assert_eq!(nearest_point(&shot(), points, Vec2::new(400.0, 300.0), 12.0), Some(2));
        assert_eq!(nearest_point(&shot(), [Vec3::Z * 99.0, Vec3::NAN], Vec2::new(400.0, 300.0), 1e9), None);
    }

    #[test]
    fn a_segment_is_picked_along_its_length_but_not_beyond() {
        let segments = [[Vec3::ZERO, Vec3::Y], [Vec3::X * 0.3, Vec3::X]];
        let beside = shot().project(Vec3::Y * 0.5).expect("in front").pixel + Vec2::X * 6.0;
        assert_eq!(nearest_segment(&shot(), segments, beside, 8.0), Some(0));
        assert_eq!(nearest_segment(&shot(), segments, beside, 4.0), None);
        assert_eq!(distance_to_segment(Vec2::new(3.0, 4.0), Vec2::ZERO, Vec2::ZERO), 5.0);
    }

    #[track_caller]
    fn check_drag(constraint: DragConstraint, by: Vec2, expected: impl Fn(Vec3) -> bool) {
        let tilted = OrbitCamera { target: Vec3::ZERO, pitch: 0.5, yaw: 0.3, ..OrbitCamera::default() }
            .view(&ViewRect::uncovered(Vec2::new(800.0, 600.0)));
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
        let shot = shot();
        let start = Vec3::new(0.3, 0.1, -0.4);
        let press = shot.project(start).expect("in front").pixel;
        let there = ConstrainedDrag::begin(start, press, DragConstraint::View)
            .position_at(&shot, press + Vec2::new(77.0, 31.0));
        let seen = shot.project(there).expect("in front");
        assert!((seen.pixel - press - Vec2::new(77.0, 31.0)).length() < 0.01);
        assert!((seen.depth - shot.depth(start)).abs() < 1e-4);
    }

    #[test]
    fn the_soft_limit_follows_small_offsets_and_never_exceeds_its_reach() {
        let small = Vec3::new(0.01, -0.005, 0.0);
        assert!((soft_limit(small, 0.2) - small).length() < 1e-4);
        let far = soft_limit(Vec3::X * 9.0, 0.2);
        assert!(far.x > 0.199 && far.x <= 0.2 && far.y == 0.0, "{far}");
        assert!(soft_limit(Vec3::X * 0.3, 0.2).x > soft_limit(Vec3::X * 0.2, 0.2).x);
        assert_eq!(soft_limit(Vec3::ZERO, 0.2), Vec3::ZERO);
    }

    #[test]
    fn the_inverse_soft_limit_restores_the_offset() {
        let pull = Vec3::new(0.1, 0.2, -0.05);
        assert!((inverse_soft_limit(soft_limit(pull, 0.2), 0.2) - pull).length() < 1e-4);
        assert!(inverse_soft_limit(Vec3::X * 0.2, 0.2).is_finite());
        assert_eq!(inverse_soft_limit(Vec3::ZERO, 0.2), Vec3::ZERO);
    }
}
