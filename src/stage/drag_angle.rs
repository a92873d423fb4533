//! Angles under the pointer: what a drag round an axis turns by, and where a place lies in the plane of a fan.

use super::CameraView;
use crate::stage::overlay::FanPlane;
use glam::{Quat, Vec2, Vec3};

/// A plane seen at less than this sine of an angle is taken as a line.
const EDGE_ON_SINE: f32 = 0.12;
/// Radians for one pixel where a ring is seen edge-on.
const RADIANS_PER_PIXEL: f32 = 0.01;

/// Radians that the pointer turned about `axis` (unit length) through `centre`, from one pixel to another; -pi..=pi.
/// A ring that is seen edge-on turns with the way along it. Never NaN.
pub fn drag_angle_about(shot: &CameraView, centre: Vec3, axis: Vec3, from: Vec2, to: Vec2) -> f32 {
    if !(from.is_finite() && to.is_finite()) {
        return 0.0;
    }
    let sight = (centre - shot.eye).normalize_or(shot.forward);
    if sight.dot(axis).abs() > EDGE_ON_SINE {
        let arm = |pixel| shot.ray(pixel).hit_plane(centre, axis).map(|hit| hit - centre);
        if let (Some(a), Some(b)) = (arm(from), arm(to)) {
            let angle = axis.dot(a.cross(b)).atan2(a.dot(b));
            return if angle.is_finite() { angle } else { 0.0 };
        }
        return 0.0;
    }
    // The near side of the ring runs this way.
    let along = axis.cross(-sight);
    let flat = Vec2::new(along.dot(shot.right), -along.dot(shot.up)).normalize_or_zero();
    let angle = (to - from).dot(flat) * RADIANS_PER_PIXEL;
    if angle.is_finite() { angle.clamp(-std::f32::consts::PI, std::f32::consts::PI) } else { 0.0 }
}

/// The angle in degrees at which a pixel lies in the plane of a fan, -180..=180; see `super::bone_overlay::limit_fan`. `None` where
/// the plane is seen edge-on.
pub fn fan_angle(shot: &CameraView, (head, pivot): (Vec3, Quat), side: FanPlane, pixel: Vec2) -> Option<f32> {
    let [forward, across] = side.axes(pivot);
    let normal = forward.cross(across);
    let sight = (head - shot.eye).try_normalize()?;
    if sight.dot(normal).abs() < EDGE_ON_SINE {
        return None;
    }
    let arm = pixel.is_finite().then(|| shot.ray(pixel).hit_plane(head, normal)).flatten()? - head;
    let angle = arm.dot(across).atan2(arm.dot(forward)).to_degrees();
    angle.is_finite().then_some(angle)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::overlay::limit_fan;
    use crate::stage::{OrbitCamera, ViewRect};

    fn shot(yaw: f32) -> CameraView {
        OrbitCamera { target: Vec3::ZERO, yaw, pitch: 0.2, ..OrbitCamera::default() }
            .view(&ViewRect::uncovered(Vec2::new(800.0, 600.0)))
    }

    #[test]
    fn a_drag_around_an_axis_returns_the_angle_between_start_and_end() {
        let shot = shot(0.4);
        let centre = Vec3::new(0.1, 0.0, 0.0);
        let at = |angle: f32| {
            let arm = Quat::from_rotation_z(angle) * Vec3::X * 0.3;
            shot.project(centre + arm).expect("in front").pixel
        };
        let angle = drag_angle_about(&shot, centre, Vec3::Z, at(0.2), at(0.9));
        assert!((angle - 0.7).abs() < 1e-3, "{angle}");
        assert_eq!(drag_angle_about(&shot, centre, Vec3::Z, Vec2::NAN, at(0.1)), 0.0);
    }

    #[test]
    fn an_edge_on_ring_follows_its_near_side() {
        let shot = OrbitCamera { target: Vec3::ZERO, yaw: 0.0, pitch: 0.0, ..OrbitCamera::default() }
            .view(&ViewRect::uncovered(Vec2::new(800.0, 600.0)));
        // The near side of something that turns counter-clockwise seen from above goes to the right.
        let middle = Vec2::new(400.0, 300.0);
        assert!(drag_angle_about(&shot, Vec3::ZERO, Vec3::Y, middle, middle + Vec2::X * 50.0) > 0.3);
        assert!(drag_angle_about(&shot, Vec3::ZERO, Vec3::Y, middle, middle + Vec2::Y * 50.0).abs() < 1e-3);
    }

    #[test]
    fn the_angle_under_the_end_of_a_fan_is_the_limit() {
        let pivot = Quat::from_rotation_z(-1.4) * Quat::from_rotation_x(0.3);
        for (side, yaw) in [(FanPlane::Y, 0.2), (FanPlane::Z, 1.2)] {
            let shot = shot(yaw);
            let shown = limit_fan(&shot, (Vec3::ZERO, pivot), side, [-35.0, 70.0], (Vec3::X, 0.3)).expect("in front");
            for (end, degrees) in shown.ends().into_iter().zip([-35.0, 70.0]) {
                let found = fan_angle(&shot, (Vec3::ZERO, pivot), side, end).expect("not edge-on");
                assert!((found - degrees).abs() < 0.05, "{side:?}: {found} for {degrees}");
            }
        }
        let from_front = OrbitCamera { target: Vec3::ZERO, yaw: 0.0, pitch: 0.0, ..OrbitCamera::default() };
        let front = from_front.view(&ViewRect::uncovered(Vec2::splat(600.0)));
        assert_eq!(fan_angle(&front, (Vec3::ZERO, Quat::IDENTITY), FanPlane::Z, Vec2::splat(250.0)), None);
    }
}
