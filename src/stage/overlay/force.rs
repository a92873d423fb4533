use crate::stage::CameraView;
use glam::{Vec2, Vec3};

/// Pixels of an arrow for one metre per second squared.
const UNIT_ARROW_LENGTH: f32 = 12.0;
/// Longest arrow, pixels.
const MAX_ARROW_LENGTH: f32 = 64.0;
/// Shorter arrows are not worth a head.
const MIN_ARROW_LENGTH: f32 = 6.0;
/// Length of a head, pixels.
const ARROW_HEAD_LENGTH: f32 = 8.0;

/// The line of an acceleration at a point: its length grows with the square root, so that small ones show.
/// `None` for what is too weak, points into the picture or lies behind the eye.
pub fn arrow(shot: &CameraView, at: Vec3, acceleration: Vec3) -> Option<[Vec2; 2]> {
    let strength = acceleration.length();
    if !(strength.is_finite() && strength > 1e-6) {
        return None;
    }
    let from = shot.project(at)?.pixel;
    let length = (UNIT_ARROW_LENGTH * strength.sqrt()).min(MAX_ARROW_LENGTH);
    let metres = shot.metres_per_pixel(at) * length;
    let to = shot.project(at + acceleration / strength * metres)?.pixel;
    (from.distance(to) >= MIN_ARROW_LENGTH).then_some([from, to])
}

/// The three corners of an arrow's head, its point first.
pub fn arrow_head([from, to]: [Vec2; 2]) -> [Vec2; 3] {
    let along = (to - from).normalize_or(Vec2::Y) * ARROW_HEAD_LENGTH.min(from.distance(to));
    let side = along.perp() * 0.42;
    [to, to - along + side, to - along - side]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::{OrbitCamera, ViewRect};

    fn length(acceleration: Vec3) -> Option<f32> {
        let camera = OrbitCamera { target: Vec3::ZERO, yaw: 0.0, pitch: 0.0, ..OrbitCamera::default() };
        let shot = camera.view(&ViewRect::uncovered(Vec2::splat(600.0)));
        arrow(&shot, Vec3::ZERO, acceleration).map(|[a, b]| a.distance(b))
    }

    #[test]
    fn four_times_the_force_is_an_arrow_twice_as_long_up_to_a_limit() {
        let (one, four) = (length(Vec3::Y * 2.0).expect("seen"), length(Vec3::Y * 8.0).expect("seen"));
        assert!((four / one - 2.0).abs() < 0.01, "{one} {four}");
        assert!((length(Vec3::X * 1e6).expect("seen") - MAX_ARROW_LENGTH).abs() < 0.5);
    }

    #[test]
    fn a_weak_force_or_one_along_the_view_has_no_arrow() {
        assert_eq!(length(Vec3::ZERO), None);
        assert_eq!(length(Vec3::Z * 5.0), None);
        assert_eq!(length(Vec3::NAN), None);
    }
}
