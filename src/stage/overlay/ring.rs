use crate::stage::CameraView;
use glam::{Vec2, Vec3};
use std::f32::consts::{PI, TAU};

/// Points along half a ring.
const HALF_RING_POINTS: u16 = 32;
/// A ring seen from its level is opened so far that it can be read: height to width.
const MIN_HEIGHT_RATIO: f32 = 0.22;
/// From below, a ring that was opened downwards would lie; from this slope on the true one is drawn.
const MIN_SLOPE_FROM_BELOW: f32 = 0.12;
/// Between the ring and its arrows, and how long those are; pixels.
const ARROW_GAP: f32 = 5.0;
const ARROW_LENGTH: f32 = 7.0;

/// A level ring around a bone, to take hold of.
#[derive(Clone, Debug, PartialEq)]
pub struct Ring {
    /// Its middle.
    pub centre: Vec2,
    /// The half towards the eye, from left to right.
    pub near: Vec<Vec2>,
    /// The half behind the bone, from right to left.
    pub far: Vec<Vec2>,
    /// The grip in front.
    pub handle: Vec2,
    /// Corners of the arrows at the left and the right, their points first.
    pub arrows: [[Vec2; 3]; 2],
    /// Metres from the middle to the ring.
    pub radius: f32,
}

impl Ring {
    /// How far a place on the picture is from the front half or the grip, pixels.
    pub fn distance(&self, place: Vec2) -> f32 {
        let sides = self.near.windows(2).map(|w| crate::stage::distance_to_segment(place, w[0], w[1]));
        let arrows = self.arrows.iter().map(|a| (a[0] + a[1] + a[2]) / 3.0);
        let points = arrows.chain([self.handle]).map(|p| p.distance(place));
        sides.chain(points).fold(f32::MAX, f32::min)
    }
}

/// The ring of `radius` metres, but at least `least` pixels, about `centre`. Its near half lies below its far half
/// on the picture unless it is clearly seen from below, so that a ring at the neck leaves the face free. `None`
/// where the middle is behind the eye.
pub fn ring(shot: &CameraView, centre: Vec3, radius: f32, least: f32) -> Option<Ring> {
    let middle = shot.project(centre)?.pixel;
    let radius = radius.max(shot.metres_per_pixel(centre) * least);
    let across = shot.metres_to_pixels(radius, centre);
    // What a level circle's depth axis looks like: up in the picture by the sine of the camera's pitch.
    let pitch = -shot.forward.y;
    let opening =
        if pitch < -MIN_SLOPE_FROM_BELOW { pitch.min(-MIN_HEIGHT_RATIO) } else { pitch.max(MIN_HEIGHT_RATIO) };
    let at = |turn: f32| middle + Vec2::new(-turn.cos() * across, turn.sin() * across * opening);
    let half = |from: f32| {
        (0..=HALF_RING_POINTS).map(|i| at(from + PI * f32::from(i) / f32::from(HALF_RING_POINTS))).collect::<Vec<_>>()
    };
    let arrow = |side: f32| {
        let foot = middle + Vec2::X * (side * (across + ARROW_GAP));
        [
            foot + Vec2::X * (side * ARROW_LENGTH),
            foot + Vec2::Y * ARROW_LENGTH * 0.6,
            foot - Vec2::Y * ARROW_LENGTH * 0.6,
        ]
    };
    Some(Ring {
        centre: middle,
        near: half(0.0),
        far: half(PI),
        handle: at(TAU / 4.0),
        arrows: [arrow(-1.0), arrow(1.0)],
        radius,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::{OrbitCamera, ViewRect};

    fn at_pitch(pitch: f32) -> Ring {
        let camera = OrbitCamera { target: Vec3::ZERO, pitch, ..OrbitCamera::default() };
        ring(&camera.view(&ViewRect::uncovered(Vec2::splat(600.0))), Vec3::ZERO, 0.1, 26.0).expect("in front")
    }

    #[test]
    fn the_near_half_is_below_the_far_half_from_above_and_level() {
        for pitch in [0.0, 0.06, 0.8, 1.5] {
            let ring = at_pitch(pitch);
            assert!(ring.handle.y > ring.centre.y + 4.0, "pitch {pitch}");
            let highest_near = ring.near.iter().map(|p| p.y).fold(f32::MAX, f32::min);
            assert!(highest_near > ring.centre.y - 1e-2, "the near half leaves what is above it free");
            assert!(ring.far.iter().all(|p| p.y <= ring.centre.y + 1e-2));
        }
        assert!(at_pitch(-0.9).handle.y < -1.0 + at_pitch(-0.9).centre.y, "from far below, the truth");
    }

    #[test]
    fn the_halves_meet_and_the_ring_is_never_too_small() {
        let ring = at_pitch(0.3);
        assert!(ring.near[0].distance(*ring.far.last().expect("points")) < 1e-2);
        assert!(ring.near.last().expect("points").distance(ring.far[0]) < 1e-2);
        let camera = OrbitCamera { target: Vec3::ZERO, distance: 500.0, ..OrbitCamera::default() };
        let small =
            super::ring(&camera.view(&ViewRect::uncovered(Vec2::splat(600.0))), Vec3::ZERO, 0.1, 26.0).expect("seen");
        assert!((small.near[0].distance(small.centre) - 26.0).abs() < 0.1);
    }

    #[test]
    fn points_on_the_ring_are_near_it_and_its_centre_is_not() {
        let ring = at_pitch(0.5);
        assert!(ring.distance(ring.near[5]) < 0.1 && ring.distance(ring.handle) < 0.1);
        assert!(ring.distance(ring.centre) > 8.0);
    }
}
