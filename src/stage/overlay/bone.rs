//! Shapes of bones and of the forces on them.

use crate::stage::CameraView;
use glam::{Vec2, Vec3};

/// Position of the widest point, relative to the length of a bone.
const WIDEST_AT: f32 = 0.18;
/// Half width of a kite relative to its length.
const HALF_WIDTH_RATIO: f32 = 0.11;
/// Maximum half width of a kite, in pixels.
const MAX_HALF_WIDTH: f32 = 6.0;

/// A bone drawn as a slender kite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kite {
    /// Corners of a convex quadrilateral: head, side, tip, other side.
    pub outline: [Vec2; 4],
    /// Length in pixels.
    pub length: f32,
}

impl Kite {
    pub fn head(&self) -> Vec2 {
        self.outline[0]
    }

    pub fn tip(&self) -> Vec2 {
        self.outline[2]
    }
}

/// Returns the kite from `head` to `tip`, or `None` if the head or the tip is behind the eye.
pub fn kite(view: &CameraView, head: Vec3, tip: Vec3) -> Option<Kite> {
    let (a, b) = (view.project(head)?.pixel, view.project(tip)?.pixel);
    let length = a.distance(b);
    let along = (b - a).normalize_or(Vec2::Y);
    let middle = a + (b - a) * WIDEST_AT;
    let half = along.perp() * (length * HALF_WIDTH_RATIO).min(MAX_HALF_WIDTH);
    Some(Kite { outline: [a, middle + half, b, middle - half], length })
}

/// The result of comparing a distance with its length at rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LengthStatus {
    /// Shorter than at rest.
    Slack,
    /// Equal to the length at rest, within 1 %.
    AtLength,
    /// Longer than at rest.
    Exceeded,
}

/// Relative difference up to which lengths count as equal.
const LENGTH_TOLERANCE: f32 = 0.01;

/// Compares a distance with its length at rest, both in metres.
pub fn length_status(now: f32, rest: f32) -> LengthStatus {
    let margin = (rest * LENGTH_TOLERANCE).max(1e-5);
    if now > rest + margin {
        LengthStatus::Exceeded
    } else if now < rest - margin {
        LengthStatus::Slack
    } else {
        LengthStatus::AtLength
    }
}

/// Length in pixels of an arrow for 1 m/s².
const UNIT_ARROW_LENGTH: f32 = 12.0;
/// Maximum length of an arrow, in pixels.
const MAX_ARROW_LENGTH: f32 = 64.0;
/// Minimum length of a drawn arrow, in pixels.
const MIN_ARROW_LENGTH: f32 = 6.0;
/// Length of the arrow head, in pixels.
const ARROW_HEAD_LENGTH: f32 = 8.0;

/// Returns the arrow of an acceleration at a point. The length grows with the square root of the acceleration, so small
/// accelerations are visible. Returns `None` if the acceleration is too small or points along the view, or if the point
/// is behind the eye.
pub fn arrow(view: &CameraView, at: Vec3, acceleration: Vec3) -> Option<[Vec2; 2]> {
    let strength = acceleration.length();
    if !(strength.is_finite() && strength > 1e-6) {
        return None;
    }
    let from = view.project(at)?.pixel;
    let length = (UNIT_ARROW_LENGTH * strength.sqrt()).min(MAX_ARROW_LENGTH);
    let metres = view.metres_per_pixel(at) * length;
    let to = view.project(at + acceleration / strength * metres)?.pixel;
    (from.distance(to) >= MIN_ARROW_LENGTH).then_some([from, to])
}

/// Returns the corners of an arrow head, the tip first.
pub fn arrow_head([from, to]: [Vec2; 2]) -> [Vec2; 3] {
    let along = (to - from).normalize_or(Vec2::Y) * ARROW_HEAD_LENGTH.min(from.distance(to));
    let side = along.perp() * 0.42;
    [to, to - along + side, to - along - side]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::{OrbitCamera, ViewRect};

    #[test]
    fn a_kite_runs_from_head_to_tip_with_limited_width() {
        let camera = OrbitCamera::default();
        let view = camera.view(&ViewRect::uncovered(Vec2::new(800.0, 600.0)));
        let (head, tip) = (camera.target, camera.target - Vec3::Y * 0.5);
        let kite = kite(&view, head, tip).expect("in front");
        assert!(kite.head().distance(view.project(head).expect("in front").pixel) < 1e-3);
        assert!(kite.tip().y > kite.head().y && kite.length > 50.0);
        let width = kite.outline[1].distance(kite.outline[3]);
        assert!((width - 2.0 * MAX_HALF_WIDTH).abs() < 1e-3, "{width}");
    }

    #[test]
    fn a_kite_behind_the_eye_is_none_and_one_of_no_length_is_finite() {
        let camera = OrbitCamera::default();
        let view = camera.view(&ViewRect::uncovered(Vec2::new(800.0, 600.0)));
        assert_eq!(kite(&view, camera.target, camera.eye() - view.forward), None);
        let dot = kite(&view, camera.target, camera.target).expect("in front");
        assert!(dot.outline.iter().all(|p| p.is_finite()));
    }

    #[test]
    fn lengths_within_one_percent_count_as_at_length() {
        assert_eq!(length_status(0.201, 0.2), LengthStatus::AtLength);
        assert_eq!(length_status(0.199, 0.2), LengthStatus::AtLength);
        assert_eq!(length_status(0.21, 0.2), LengthStatus::Exceeded);
        assert_eq!(length_status(0.19, 0.2), LengthStatus::Slack);
        assert_eq!(length_status(0.0, 0.0), LengthStatus::AtLength);
    }

    fn arrow_length(acceleration: Vec3) -> Option<f32> {
        let camera = OrbitCamera { target: Vec3::ZERO, yaw: 0.0, pitch: 0.0, ..OrbitCamera::default() };
        let view = camera.view(&ViewRect::uncovered(Vec2::splat(600.0)));
        arrow(&view, Vec3::ZERO, acceleration).map(|[a, b]| a.distance(b))
    }

    #[test]
    fn four_times_the_force_is_an_arrow_twice_as_long_up_to_a_limit() {
        let (small, large) =
            (arrow_length(Vec3::Y * 2.0).expect("visible"), arrow_length(Vec3::Y * 8.0).expect("visible"));
        assert!((large / small - 2.0).abs() < 0.01, "{small} {large}");
        assert!((arrow_length(Vec3::X * 1e6).expect("visible") - MAX_ARROW_LENGTH).abs() < 0.5);
    }

    #[test]
    fn a_weak_force_or_one_along_the_view_has_no_arrow() {
        assert_eq!(arrow_length(Vec3::ZERO), None);
        assert_eq!(arrow_length(Vec3::Z * 5.0), None);
        assert_eq!(arrow_length(Vec3::NAN), None);
    }
}
