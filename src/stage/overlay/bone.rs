use crate::stage::CameraView;
use glam::{Vec2, Vec3};

/// Share of a bone's length at which its kite is widest.
const WIDEST_AT: f32 = 0.18;
/// Half the width of a kite, as a share of its length.
const HALF_WIDTH_RATIO: f32 = 0.11;
/// Half the width of a kite at most, pixels.
const MAX_HALF_WIDTH: f32 = 6.0;

/// A bone as a slender kite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kite {
    /// Head, one shoulder, tip, the other shoulder; convex.
    pub outline: [Vec2; 4],
    /// Length on the picture, pixels.
    pub length: f32,
}

impl Kite {
    /// Where it begins.
    pub fn head(&self) -> Vec2 {
        self.outline[0]
    }

    /// Where it points.
    pub fn tip(&self) -> Vec2 {
        self.outline[2]
    }
}

/// The kite from `head` to `tip`; `None` where one of them is behind the eye.
pub fn kite(shot: &CameraView, head: Vec3, tip: Vec3) -> Option<Kite> {
    let (a, b) = (shot.project(head)?.pixel, shot.project(tip)?.pixel);
    let length = a.distance(b);
    let along = (b - a).normalize_or(Vec2::Y);
    let middle = a + (b - a) * WIDEST_AT;
    let half = along.perp() * (length * HALF_WIDTH_RATIO).min(MAX_HALF_WIDTH);
    Some(Kite { outline: [a, middle + half, b, middle - half], length })
}

/// How a distance stands to the one that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LengthStatus {
    /// Nearer.
    Slack,
    /// As far as in the rest pose.
    AtLength,
    /// Farther.
    Exceeded,
}

/// Share of the length within which it counts as kept.
const LENGTH_TOLERANCE: f32 = 0.01;

/// How `now` stands to the length at `rest`; metres.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::{OrbitCamera, ViewRect};

    #[test]
    fn a_kite_runs_from_head_to_tip_with_limited_width() {
        let camera = OrbitCamera::default();
        let shot = camera.view(&ViewRect::uncovered(Vec2::new(800.0, 600.0)));
        let (head, tip) = (camera.target, camera.target - Vec3::Y * 0.5);
        let kite = kite(&shot, head, tip).expect("in front");
        assert!(kite.head().distance(shot.project(head).expect("in front").pixel) < 1e-3);
        assert!(kite.tip().y > kite.head().y && kite.length > 50.0);
        let width = kite.outline[1].distance(kite.outline[3]);
        assert!((width - 2.0 * MAX_HALF_WIDTH).abs() < 1e-3, "{width}");
    }

    #[test]
    fn a_kite_behind_the_eye_is_none_and_one_of_no_length_is_finite() {
        let camera = OrbitCamera::default();
        let shot = camera.view(&ViewRect::uncovered(Vec2::new(800.0, 600.0)));
        assert_eq!(kite(&shot, camera.target, camera.eye() - shot.forward), None);
        let dot = kite(&shot, camera.target, camera.target).expect("in front");
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
}
