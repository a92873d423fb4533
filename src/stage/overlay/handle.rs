//! Handles that the pointer drags: rings, direction balls, boxes.

use super::project_all;
use crate::stage::{CameraView, distance_to_segment};
use glam::{Quat, Vec2, Vec3};
use std::f32::consts::{PI, TAU};

/// Number of segments of half a ring.
const HALF_RING_POINTS: u16 = 32;
/// Minimum ratio of height to width. Keeps a ring at the height of the camera readable.
const MIN_HEIGHT_RATIO: f32 = 0.22;
/// Minimum slope of a view from below at which the ring is drawn as seen from below. At smaller slopes, the ring is
/// drawn as seen from above.
const MIN_SLOPE_FROM_BELOW: f32 = 0.12;
/// Distance between the ring and its arrows, in pixels.
const ARROW_GAP: f32 = 5.0;
const ARROW_LENGTH: f32 = 7.0;

/// A drag handle: a horizontal ring around a bone.
#[derive(Clone, Debug, PartialEq)]
pub struct Ring {
    pub centre: Vec2,
    /// The half in front of the bone, from left to right.
    pub near: Vec<Vec2>,
    /// The half behind the bone, from right to left.
    pub far: Vec<Vec2>,
    /// Centre of the grip at the front of the ring.
    pub handle: Vec2,
    /// Corners of the left and the right arrow, their tips first.
    pub arrows: [[Vec2; 3]; 2],
    /// Radius in metres.
    pub radius: f32,
}

impl Ring {
    /// Returns the distance in pixels from a pixel to the nearest of the front half, the arrows and the grip.
    pub fn distance(&self, pixel: Vec2) -> f32 {
        let sides = self.near.windows(2).map(|w| distance_to_segment(pixel, w[0], w[1]));
        let arrows = self.arrows.iter().map(|a| (a[0] + a[1] + a[2]) / 3.0);
        let points = arrows.chain([self.handle]).map(|p| p.distance(pixel));
        sides.chain(points).fold(f32::MAX, f32::min)
    }
}

/// Returns a ring about `centre` with a radius of `radius` metres, but at least `min_radius` pixels. The near half is
/// below the far half unless the ring is clearly seen from below, so a ring at the neck does not cover the face.
/// Returns `None` if the centre is behind the eye.
pub fn ring(view: &CameraView, centre: Vec3, radius: f32, min_radius: f32) -> Option<Ring> {
    let middle = view.project(centre)?.pixel;
    let radius = radius.max(view.metres_per_pixel(centre) * min_radius);
    let across = view.metres_to_pixels(radius, centre);
    // The depth axis of a horizontal circle is foreshortened by the sine of the pitch.
    let pitch = -view.forward.y;
    let opening =
        if pitch < -MIN_SLOPE_FROM_BELOW { pitch.min(-MIN_HEIGHT_RATIO) } else { pitch.max(MIN_HEIGHT_RATIO) };
    let at = |turn: f32| middle + Vec2::new(-libm::cosf(turn) * across, libm::sinf(turn) * across * opening);
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

/// A ball whose surface represents directions from its centre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DirectionBall {
    /// In pixels, like `radius`.
    centre: Vec2,
    radius: f32,
    /// Axes of the view at the centre, unit length: right, up, towards the eye.
    right: Vec3,
    up: Vec3,
    near: Vec3,
}

impl DirectionBall {
    /// Returns a ball of `radius` metres about `centre`, or `None` if the centre is behind the eye.
    pub fn new(view: &CameraView, centre: Vec3, radius: f32) -> Option<Self> {
        let near = (view.eye - centre).try_normalize()?;
        let right = view.up.cross(near).try_normalize()?;
        let pixels = view.metres_to_pixels(radius, centre);
        let seen = view.project(centre).filter(|_| pixels > 0.0)?;
        Some(Self { centre: seen.pixel, radius: pixels, right, up: near.cross(right), near })
    }

    /// Returns the pixel where a direction (unit length) intersects the surface.
    pub fn pixel(&self, direction: Vec3) -> Vec2 {
        self.centre + Vec2::new(direction.dot(self.right), -direction.dot(self.up)) * self.radius
    }

    /// Returns whether a direction is on the side of the eye.
    pub fn is_front_facing(&self, direction: Vec3) -> bool {
        direction.dot(self.near) >= 0.0
    }

    /// Returns the direction through a pixel on the near or the far side. For a pixel outside the ball, returns the
    /// direction of the nearest point of the rim.
    pub fn direction(&self, pixel: Vec2, is_near: bool) -> Vec3 {
        let flat = (pixel - self.centre) / self.radius;
        let flat = if flat.is_finite() { flat.clamp_length_max(1.0) } else { Vec2::ZERO };
        let depth = (1.0 - flat.length_squared()).max(0.0).sqrt() * if is_near { 1.0 } else { -1.0 };
        (self.right * flat.x - self.up * flat.y + self.near * depth).normalize_or(self.near)
    }
}

/// A box drawn as lines.
#[derive(Clone, Debug, PartialEq)]
pub struct WireBox {
    /// The twelve edges.
    pub edges: Vec<[Vec2; 2]>,
}

/// Returns a box about `centre` with full `sides` in metres, or `None` if any part is behind the eye.
pub fn wire_box(view: &CameraView, centre: Vec3, rotation: Quat, sides: Vec3) -> Option<WireBox> {
    let sign = |i: u8, bit: u8| if i & (1 << bit) == 0 { -0.5 } else { 0.5 };
    let corners = (0..8_u8).map(|i| centre + rotation * (sides * Vec3::new(sign(i, 0), sign(i, 1), sign(i, 2))));
    let corners = project_all(view, corners)?;
    let pairs =
        (0..8_usize).flat_map(|i| (0..3).filter(move |bit| i & (1 << bit) == 0).map(move |bit| (i, i | (1 << bit))));
    Some(WireBox { edges: pairs.map(|(a, b)| [corners[a], corners[b]]).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::{OrbitCamera, ViewRect};

    fn view() -> CameraView {
        OrbitCamera { target: Vec3::ZERO, yaw: 0.3, pitch: 0.2, ..OrbitCamera::default() }
            .view(&ViewRect::uncovered(Vec2::new(800.0, 600.0)))
    }

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
            assert!(highest_near > ring.centre.y - 1e-2, "the near half covers nothing above it");
            assert!(ring.far.iter().all(|p| p.y <= ring.centre.y + 1e-2));
        }
        assert!(at_pitch(-0.9).handle.y < -1.0 + at_pitch(-0.9).centre.y, "the true ring from far below");
    }

    #[test]
    fn the_halves_meet_and_the_ring_is_never_too_small() {
        let ring = at_pitch(0.3);
        assert!(ring.near[0].distance(*ring.far.last().expect("points")) < 1e-2);
        assert!(ring.near.last().expect("points").distance(ring.far[0]) < 1e-2);
        let camera = OrbitCamera { target: Vec3::ZERO, distance: 500.0, ..OrbitCamera::default() };
        let small = super::ring(&camera.view(&ViewRect::uncovered(Vec2::splat(600.0))), Vec3::ZERO, 0.1, 26.0)
            .expect("in front");
        assert!((small.near[0].distance(small.centre) - 26.0).abs() < 0.1);
    }

    #[test]
    fn points_on_the_ring_are_near_it_and_its_centre_is_not() {
        let ring = at_pitch(0.5);
        assert!(ring.distance(ring.near[5]) < 0.1 && ring.distance(ring.handle) < 0.1);
        assert!(ring.distance(ring.centre) > 8.0);
    }

    #[test]
    fn a_direction_survives_a_round_trip_through_the_ball() {
        let ball = DirectionBall::new(&view(), Vec3::new(0.1, 0.0, 0.0), 0.2).expect("in front");
        for direction in [Vec3::X, Vec3::NEG_Z, Vec3::new(0.3, -0.8, 0.4).normalize()] {
            let found = ball.direction(ball.pixel(direction), ball.is_front_facing(direction));
            assert!(found.distance(direction) < 1e-3, "{found} for {direction}");
        }
        let beside = ball.direction(Vec2::new(1e5, 300.0), true);
        assert!((beside.length() - 1.0).abs() < 1e-5 && beside.dot(ball.right) > 0.99, "{beside}");
    }

    #[test]
    fn a_box_has_twelve_edges_as_long_as_its_sides() {
        let front = OrbitCamera { target: Vec3::ZERO, yaw: 0.0, pitch: 0.0, ..OrbitCamera::default() };
        let front = front.view(&ViewRect::uncovered(Vec2::new(800.0, 600.0)));
        let seen = wire_box(&front, Vec3::ZERO, Quat::IDENTITY, Vec3::new(0.2, 0.1, 1e-4)).expect("in front");
        assert_eq!(seen.edges.len(), 12);
        let lengths = |metres: f32| {
            let pixels = front.metres_to_pixels(metres, Vec3::ZERO);
            seen.edges.iter().filter(|[a, b]| (a.distance(*b) - pixels).abs() < pixels * 0.01).count()
        };
        assert_eq!([lengths(0.2), lengths(0.1)], [4, 4]);
    }
}
