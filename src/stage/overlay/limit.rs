//! Shapes of angle limits: fans, and ranges of directions.

use super::project_all;
use crate::stage::CameraView;
use crate::stage::pick::EDGE_ON_SINE;
use glam::{Quat, Vec2, Vec3};
use std::f32::consts::TAU;
use yuremono_sim::rig::LimitPlane;

/// Angle between neighbouring points of the arc, in degrees.
const ARC_STEP_DEGREES: f32 = 4.0;

/// Length of the line that shows the current direction of a joint, as a share of the radius of its limit. The line is
/// longer than the radius, so that its end can be picked next to the end of the limit.
pub const LIVE_LINE_SHARE: f32 = 1.2;

/// An angle limit drawn as a fan.
#[derive(Clone, Debug, PartialEq)]
pub struct LimitFan {
    /// Apex of the fan.
    pub head: Vec2,
    /// Arc from the minimum to the maximum angle.
    pub arc: Vec<Vec2>,
    /// End of the line that shows the current direction of the joint, projected into the plane; see
    /// [`LIVE_LINE_SHARE`].
    pub current: Vec2,
    /// Current angle in degrees.
    pub current_degrees: f32,
}

impl LimitFan {
    /// Returns the middle point of the arc.
    pub fn middle(&self) -> Vec2 {
        self.arc.get(self.arc.len() / 2).copied().unwrap_or(self.head)
    }

    /// Returns the area of the fan in square pixels.
    pub fn area(&self) -> f32 {
        self.arc.windows(2).map(|w| (w[0] - self.head).perp_dot(w[1] - self.head).abs() * 0.5).sum()
    }

    /// Returns the ends of the arc, where the limits are dragged.
    pub fn ends(&self) -> [Vec2; 2] {
        [self.arc.first(), self.arc.last()].map(|p| p.copied().unwrap_or(self.head))
    }
}

/// Returns a fan at `head` between two angles in degrees, with a radius of `reach` metres. `towards` is the current
/// direction of the joint. Returns `None` if any part is behind the eye.
pub fn limit_fan(
    view: &CameraView,
    head: Vec3,
    pivot: Quat,
    plane: LimitPlane,
    [min, max]: [f32; 2],
    towards: Vec3,
    reach: f32,
) -> Option<LimitFan> {
    let [forward, across] = plane.axes(pivot);
    let at = |degrees: f32| head + plane.direction(pivot, degrees) * reach;
    let (min, max) = (min.clamp(-360.0, 360.0), max.clamp(-360.0, 360.0));
    let steps = ((max - min).abs() / ARC_STEP_DEGREES).ceil().max(1.0);
    let arc = project_all(view, (0..=steps as u32).map(|i| at(min + (max - min) * i as f32 / steps)))?;
    let angle = libm::atan2f(towards.dot(across), towards.dot(forward)).to_degrees();
    let live = project_all(view, [head, head + plane.direction(pivot, angle) * reach * LIVE_LINE_SHARE])?;
    Some(LimitFan { head: live[0], arc, current: live[1], current_degrees: angle })
}

/// Returns the angle of a pixel in the plane of a fan, in -180..=180 degrees; see [`limit_fan`]. Returns `None` if the
/// plane is seen edge-on.
pub fn fan_angle(view: &CameraView, head: Vec3, pivot: Quat, plane: LimitPlane, pixel: Vec2) -> Option<f32> {
    let [forward, across] = plane.axes(pivot);
    let normal = forward.cross(across);
    let sight = (head - view.eye).try_normalize()?;
    if sight.dot(normal).abs() < EDGE_ON_SINE {
        return None;
    }
    let arm = pixel.is_finite().then(|| view.ray(pixel).hit_plane(head, normal)).flatten()? - head;
    let angle = libm::atan2f(arm.dot(across), arm.dot(forward)).to_degrees();
    angle.is_finite().then_some(angle)
}

/// Angle between neighbouring points of a rim, in radians.
const RIM_STEP_RADIANS: f32 = 0.07;

/// The allowed directions of a joint about +Y of its local space; angles in radians.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SwingRange {
    /// Up to this angle from +Y.
    Cone(f32),
    /// Up to this angle from +Y, rotated about X.
    Hinge(f32),
    /// Maximum angles about X and then about Z.
    Spherical([f32; 2]),
}

impl SwingRange {
    /// Returns the edge as unit directions. The edge is a closed loop, except for a hinge.
    fn rim(self) -> Vec<Vec3> {
        let walk = |from: f32, to: f32| {
            let steps = ((to - from).abs() / RIM_STEP_RADIANS).ceil().max(1.0) as u16;
            (0..=steps).map(move |i| from + (to - from) * f32::from(i) / f32::from(steps))
        };
        match self {
            Self::Cone(angle) => {
                let (sin, cos) = libm::sincosf(angle);
                walk(0.0, TAU).map(|t| Vec3::new(sin * libm::sinf(t), cos, sin * libm::cosf(t))).collect()
            }
            Self::Hinge(angle) => walk(-angle, angle).map(|t| tilted_direction(t, 0.0)).collect(),
            Self::Spherical([pitch, yaw]) => {
                let sides = [
                    walk(-pitch, pitch).map(|t| tilted_direction(t, -yaw)).collect::<Vec<_>>(),
                    walk(-yaw, yaw).map(|t| tilted_direction(pitch, t)).collect(),
                    walk(pitch, -pitch).map(|t| tilted_direction(t, yaw)).collect(),
                    walk(yaw, -yaw).map(|t| tilted_direction(-pitch, t)).collect(),
                ];
                sides.concat()
            }
        }
    }

    /// Returns the directions of the lines from the head to the rim.
    fn spoke_directions(self) -> Vec<Vec3> {
        match self {
            Self::Cone(angle) => {
                let (sin, cos) = libm::sincosf(angle);
                [[sin, 0.0], [0.0, sin], [-sin, 0.0], [0.0, -sin]].map(|[x, z]| Vec3::new(x, cos, z)).to_vec()
            }
            Self::Hinge(angle) => [-angle, angle].map(|t| tilted_direction(t, 0.0)).to_vec(),
            Self::Spherical([pitch, yaw]) => [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]
                .map(|[a, b]| tilted_direction(a * pitch, b * yaw))
                .to_vec(),
        }
    }
}

/// Returns +Y rotated about X and then about Z.
fn tilted_direction(pitch: f32, yaw: f32) -> Vec3 {
    Vec3::new(libm::sinf(yaw), libm::cosf(yaw) * libm::cosf(pitch), libm::cosf(yaw) * libm::sinf(pitch))
}

/// The drawn shape of a [`SwingRange`].
#[derive(Clone, Debug, PartialEq)]
pub struct SwingOutline {
    /// Position of the joint.
    pub head: Vec2,
    /// Centre of the range.
    pub middle: Vec2,
    /// The edge; a closed loop, except for a hinge.
    pub rim: Vec<Vec2>,
    /// Lines from the head to the edge.
    pub spokes: Vec<[Vec2; 2]>,
    /// End of the line that shows the current direction of the joint; see [`LIVE_LINE_SHARE`].
    pub current: Vec2,
}

/// Returns the outline of a range about +Y of `rotation`, at `head`, with a radius of `reach` metres. `towards` is the
/// current direction of the joint. Returns `None` if any part is behind the eye.
pub fn swing_outline(
    view: &CameraView,
    head: Vec3,
    rotation: Quat,
    range: SwingRange,
    towards: Vec3,
    reach: f32,
) -> Option<SwingOutline> {
    let at = |direction: Vec3| head + rotation * direction * reach;
    let points = [head, at(Vec3::Y), head + towards.normalize_or_zero() * reach * LIVE_LINE_SHARE];
    let [start, middle, live] = project_all(view, points)?.try_into().ok()?;
    let rim = project_all(view, range.rim().into_iter().map(at))?;
    let ends = project_all(view, range.spoke_directions().into_iter().map(at))?;
    let spokes = ends.into_iter().map(|end| [start, end]).collect();
    Some(SwingOutline { head: start, middle, rim, spokes, current: live })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::{OrbitCamera, ViewRect};
    use yuremono_sim::rig::hinge_pivot;

    fn fan(min: f32, max: f32, towards: Vec3) -> LimitFan {
        // The camera looks along -Z. The X axis of the pivot points down, and the Y axis points right.
        let camera = OrbitCamera { target: Vec3::ZERO, yaw: 0.0, pitch: 0.0, ..OrbitCamera::default() };
        let view = camera.view(&ViewRect::uncovered(Vec2::new(800.0, 800.0)));
        let pivot = Quat::from_rotation_z(-std::f32::consts::FRAC_PI_2);
        limit_fan(&view, Vec3::ZERO, pivot, LimitPlane::Y, [min, max], towards, 0.3).expect("in front")
    }

    #[test]
    fn a_fan_opens_from_its_least_to_its_greatest_angle() {
        let shown = fan(-50.0, 26.0, Vec3::NEG_Y);
        let [least, greatest] = shown.ends();
        let degrees = |p: Vec2| libm::atan2f(-(p - shown.head).x, (p - shown.head).y).to_degrees();
        assert!((degrees(least) + 50.0).abs() < 0.1, "{}", degrees(least));
        assert!((degrees(greatest) - 26.0).abs() < 0.1, "{}", degrees(greatest));
        assert!(shown.current_degrees.abs() < 1e-3 && (shown.current - shown.head).x.abs() < 1e-2);
    }

    #[test]
    fn all_points_of_a_fan_are_equally_far_from_its_head() {
        let shown = fan(-180.0, 180.0, Vec3::X);
        assert!(shown.area() > fan(-20.0, 20.0, Vec3::X).area() * 8.0);
        let reach = shown.arc[0].distance(shown.head);
        assert!(shown.arc.len() > 80 && shown.arc.iter().all(|p| (p.distance(shown.head) - reach).abs() < 0.1));
        assert!((shown.current_degrees + 90.0).abs() < 1e-3, "{}", shown.current_degrees);
    }

    #[test]
    fn extreme_angles_give_a_finite_fan() {
        let shown = fan(1e9, -1e9, Vec3::ZERO);
        assert!(shown.arc.iter().all(|p| p.is_finite()) && shown.current_degrees.is_finite());
    }

    fn view_from(yaw: f32) -> CameraView {
        OrbitCamera { target: Vec3::ZERO, yaw, pitch: 0.2, ..OrbitCamera::default() }
            .view(&ViewRect::uncovered(Vec2::new(800.0, 600.0)))
    }

    #[test]
    fn the_angle_under_the_end_of_a_fan_is_the_limit() {
        let pivot = Quat::from_rotation_z(-1.4) * Quat::from_rotation_x(0.3);
        for (plane, yaw) in [(LimitPlane::Y, 0.2), (LimitPlane::Z, 1.2)] {
            let view = view_from(yaw);
            let shown = limit_fan(&view, Vec3::ZERO, pivot, plane, [-35.0, 70.0], Vec3::X, 0.3).expect("in front");
            for (end, degrees) in shown.ends().into_iter().zip([-35.0, 70.0]) {
                let found = fan_angle(&view, Vec3::ZERO, pivot, plane, end).expect("not edge-on");
                assert!((found - degrees).abs() < 0.05, "{plane:?}: {found} for {degrees}");
            }
        }
        let from_front = OrbitCamera { target: Vec3::ZERO, yaw: 0.0, pitch: 0.0, ..OrbitCamera::default() };
        let front = from_front.view(&ViewRect::uncovered(Vec2::splat(600.0)));
        assert_eq!(fan_angle(&front, Vec3::ZERO, Quat::IDENTITY, LimitPlane::Z, Vec2::splat(250.0)), None);
    }

    #[test]
    fn angles_in_the_fan_of_a_hinge_pivot_are_hinge_angles() {
        let (axis, zero) = (Vec3::new(0.2, 0.3, 1.0).normalize(), Vec3::new(0.0, -0.2, 0.1));
        let pivot = hinge_pivot(axis, zero).expect("an axis");
        for degrees in [-120.0_f32, -30.0, 0.0, 75.0] {
            let start = zero.reject_from_normalized(axis);
            let arm = Quat::from_axis_angle(axis, degrees.to_radians()) * start;
            let pixel = view_from(0.3).project(arm).expect("in front").pixel;
            let found = fan_angle(&view_from(0.3), Vec3::ZERO, pivot, LimitPlane::Y, pixel).expect("not edge-on");
            assert!((found - degrees).abs() < 0.05, "{found} for {degrees}");
        }
    }

    #[test]
    fn a_hinge_without_arm_has_a_pivot_and_one_without_axis_has_none() {
        let pivot = hinge_pivot(Vec3::Y, Vec3::Y * 0.3).expect("an axis");
        assert!((pivot * Vec3::NEG_Z).distance(Vec3::Y) < 1e-5 && (pivot * Vec3::X).y.abs() < 1e-5);
        assert_eq!(hinge_pivot(Vec3::ZERO, Vec3::Y), None);
        assert!(hinge_pivot(Vec3::X, Vec3::ZERO).is_some_and(Quat::is_finite));
    }

    #[track_caller]
    fn check_swing(range: SwingRange, within: impl Fn(Vec3) -> bool) {
        let rim = range.rim();
        assert!(rim.len() > 4 && rim.iter().all(|d| (d.length() - 1.0).abs() < 1e-5 && within(*d)), "{rim:?}");
        let camera = OrbitCamera { target: Vec3::ZERO, ..OrbitCamera::default() };
        let view = camera.view(&ViewRect::uncovered(Vec2::new(800.0, 800.0)));
        let seen = swing_outline(&view, Vec3::ZERO, Quat::IDENTITY, range, Vec3::Y, 0.2).expect("in front");
        assert_eq!(seen.rim.len(), rim.len());
        let along = (seen.current - seen.head).normalize() - (seen.middle - seen.head).normalize();
        assert!(along.length() < 1e-3, "it points along the middle");
    }

    #[test]
    fn every_rim_point_is_at_the_limit_angle() {
        check_swing(SwingRange::Cone(0.5), |d| (libm::acosf(d.y) - 0.5).abs() < 1e-4);
        check_swing(SwingRange::Hinge(0.8), |d| d.x == 0.0 && libm::acosf(d.y) < 0.8001);
        check_swing(SwingRange::Spherical([0.6, 0.3]), |d| {
            libm::atan2f(d.z, d.y).abs() < 0.6001 && libm::asinf(d.x).abs() < 0.3001
        });
    }

    #[test]
    fn invalid_angles_do_not_panic() {
        for odd in [0.0, f32::NAN, std::f32::consts::PI] {
            let all = [SwingRange::Cone(odd), SwingRange::Hinge(odd), SwingRange::Spherical([odd, odd])];
            assert!(all.iter().all(|o| !o.rim().is_empty()));
        }
    }
}
