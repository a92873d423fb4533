//! The orbit camera and its framing.

use super::camera_view::ndc;
use super::{CameraView, ViewRect};
use glam::{Mat4, Vec2, Vec3, Vec4};
use std::f32::consts::{FRAC_PI_2, PI, TAU};
use yuremono_sim::rig::{Facing, WorldPose};

/// A camera that orbits a target. Every method keeps its values finite and in range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OrbitCamera {
    /// Point in the centre of the image, in metres in the world.
    pub target: Vec3,
    /// Angle about +Y in radians; at 0 the camera looks along -Z.
    pub yaw: f32,
    /// Angle in radians, at most a quarter turn; if positive, the camera looks down.
    pub pitch: f32,
    /// Distance from the eye to the target, in metres.
    pub distance: f32,
    /// Vertical field of view, in radians.
    pub fov: f32,
}

/// A preset direction of the camera.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CameraPreset {
    /// From the front.
    Front,
    /// From the back.
    Back,
    /// From the character's left.
    Left,
    /// From the character's right.
    Right,
    /// From above, with the face towards the lower edge of the image.
    Top,
    /// From the front, slightly to the side and from above.
    ThreeQuarter,
}

impl OrbitCamera {
    /// Minimum of `distance`, in metres.
    pub const MIN_DISTANCE: f32 = 0.02;
    /// Maximum of `distance`, in metres.
    pub const MAX_DISTANCE: f32 = 2000.0;
    /// Factor by which [`OrbitCamera::frame`] enlarges the box.
    const FRAME_MARGIN: f32 = 1.06;
    /// Angle above the floor in which orbiting slows down, in radians.
    const SOFT_FLOOR_ANGLE: f32 = 0.15;
    /// Largest coordinate of the target, in metres.
    const MAX_TARGET_COORDINATE: f32 = 1e5;

    /// A camera in front of a person of average height.
    pub fn new(facing: Facing) -> Self {
        let mut camera = Self { target: Vec3::Y * 0.85, yaw: 0.0, pitch: 0.06, distance: 3.6, fov: 0.52 };
        camera.look_from(CameraPreset::Front, facing);
        camera
    }

    /// Orbits around the target by angles in radians: to the right, and down.
    pub fn orbit(&mut self, right: f32, down: f32) {
        self.set_clamped(Self { yaw: self.yaw - right, pitch: self.pitch + down, ..*self });
    }

    /// Orbits like [`OrbitCamera::orbit`], but slows down above `floor`, the height of the ground in metres, and never
    /// takes the eye below the floor. A camera that is already below the floor can only rise.
    pub fn orbit_above(&mut self, right: f32, down: f32, floor: f32) {
        let (before, lowest) = (self.pitch, self.lowest_pitch(floor));
        self.orbit(right, down);
        let (room_before, room) = (before - lowest, self.pitch - lowest);
        if !(room < room_before && room < Self::SOFT_FLOOR_ANGLE) {
            return;
        }
        // Within the soft angle, the distance to the floor decays exponentially. The speed is continuous at its border.
        let start = room_before.min(Self::SOFT_FLOOR_ANGLE);
        let slowed = lowest + start * libm::expf((room - start) / Self::SOFT_FLOOR_ANGLE);
        self.set_clamped(Self { pitch: if start > 0.0 { slowed } else { before }, ..*self });
    }

    /// Raises the eye to `floor` if the eye is lower. Keeps the target and the distance.
    pub fn keep_above(&mut self, floor: f32) {
        let pitch = self.pitch.max(self.lowest_pitch(floor));
        self.set_clamped(Self { pitch, ..*self });
    }

    /// The pitch at which the eye is at the height of `floor`.
    fn lowest_pitch(&self, floor: f32) -> f32 {
        libm::asinf(((floor - self.target.y) / self.distance).clamp(-1.0, 1.0))
    }

    /// Moves the camera so that points at the target's depth follow a pointer movement in pixels, y downwards.
    pub fn pan(&mut self, pixels: Vec2, rect: &ViewRect) {
        let view = self.view(rect);
        let metres = view.metres_per_pixel(self.target);
        self.set_clamped(Self { target: self.target + (view.up * pixels.y - view.right * pixels.x) * metres, ..*self });
    }

    /// Divides the distance by `factor`. The point under `pixel` at the target's depth stays under `pixel`.
    pub fn zoom(&mut self, factor: f32, pixel: Vec2, rect: &ViewRect) {
        if !(factor.is_finite() && factor > 0.0) {
            return;
        }
        let view = self.view(rect);
        let distance = (self.distance / factor).clamp(Self::MIN_DISTANCE, Self::MAX_DISTANCE);
        let anchor = view.ray(pixel).hit_plane(self.target, view.forward).unwrap_or(self.target);
        let target = anchor + (self.target - anchor) * (distance / self.distance);
        self.set_clamped(Self { target, distance, ..*self });
    }

    /// Moves the camera without rotating it so that a box fills the free part of the rectangle.
    pub fn frame(&mut self, low: Vec3, high: Vec3, rect: &ViewRect) {
        let half = (high - low).abs() * 0.5;
        if !(half.is_finite() && (low + high).is_finite()) {
            return;
        }
        let target = (low + high) * 0.5;
        let view = self.view(rect);
        let free = rect.free_size() / rect.valid_size().y * libm::tanf(self.fov * 0.5) / Self::FRAME_MARGIN;
        // The distance at which a corner just fits: the distance that its offset needs, minus its depth.
        let fits = |corner: Vec3| {
            let (across, along) = (corner.dot(view.right).abs(), corner.dot(view.up).abs());
            (across / free.x).max(along / free.y) - corner.dot(view.forward)
        };
        let signs = (0..8).map(|bits| Vec3::from([bits & 1, bits >> 1 & 1, bits >> 2].map(|b| b as f32 * 2.0 - 1.0)));
        let distance = signs.map(|sign| fits(half * sign)).fold(0.05, f32::max);
        self.set_clamped(Self { target, distance, ..*self });
    }

    /// Rotates to a preset direction, and keeps target and distance.
    pub fn look_from(&mut self, preset: CameraPreset, facing: Facing) {
        let front = match facing {
            Facing::PlusZ => 0.0,
            Facing::MinusZ => PI,
        };
        let (yaw, pitch) = match preset {
            CameraPreset::Front => (front, 0.06),
            CameraPreset::Back => (front + PI, 0.06),
            // The left side of a character that faces +Z is +X.
            CameraPreset::Left => (front + FRAC_PI_2, 0.06),
            CameraPreset::Right => (front - FRAC_PI_2, 0.06),
            CameraPreset::Top => (front, FRAC_PI_2),
            CameraPreset::ThreeQuarter => (front + 0.55, 0.16),
        };
        self.set_clamped(Self { yaw, pitch, ..*self });
    }

    /// Sets a new target, and rotates the camera so that the eye is in the direction `towards_eye` from the target.
    /// Keeps the distance. A zero direction only changes the target.
    pub fn look_from_direction(&mut self, target: Vec3, towards_eye: Vec3) {
        let mut turned = Self { target, ..*self };
        if let Some(direction) = towards_eye.try_normalize() {
            // Looking straight up or down keeps the yaw.
            let yaw = if direction.y.abs() < 0.999 { libm::atan2f(direction.x, direction.z) } else { self.yaw };
            turned = Self { yaw, pitch: libm::asinf(direction.y.clamp(-1.0, 1.0)), ..turned };
        }
        self.set_clamped(turned);
    }

    /// The view of this camera in a rectangle.
    pub fn view(&self, rect: &ViewRect) -> CameraView {
        let [right, up, forward] = self.axes();
        let eye = self.eye();
        let rotation = Mat4::from_cols(
            Vec4::new(right.x, up.x, -forward.x, 0.0),
            Vec4::new(right.y, up.y, -forward.y, 0.0),
            Vec4::new(right.z, up.z, -forward.z, 0.0),
            Vec4::W,
        );
        let size = rect.valid_size();
        let slope = libm::tanf(self.fov * 0.5);
        let (near, far) = (self.distance * 0.01, self.distance * 100.0);
        let centre = ndc(rect.free_centre(), size);
        let projection = Mat4::from_cols(
            Vec4::new(size.y / (size.x * slope), 0.0, 0.0, 0.0),
            Vec4::new(0.0, 1.0 / slope, 0.0, 0.0),
            Vec4::new(-centre.x, -centre.y, (near + far) / (near - far), -1.0),
            Vec4::new(0.0, 0.0, 2.0 * near * far / (near - far), 0.0),
        );
        let view = rotation * Mat4::from_translation(-eye);
        CameraView {
            view_matrix: view,
            projection,
            eye,
            right,
            up,
            forward,
            rect: *rect,
            distance: self.distance,
            half_fov_tan: slope,
        }
    }

    /// Right, up and forward axis. They have unit length even if the camera looks straight down.
    pub fn axes(&self) -> [Vec3; 3] {
        let (sy, cy) = libm::sincosf(self.yaw);
        let (sp, cp) = libm::sincosf(self.pitch);
        [Vec3::new(cy, 0.0, -sy), Vec3::new(-sp * sy, cp, -sp * cy), Vec3::new(-cp * sy, -sp, -cp * cy)]
    }

    /// Position of the eye, in metres in the world.
    pub fn eye(&self) -> Vec3 {
        self.target - self.axes()[2] * self.distance
    }

    /// Blends towards `to`: angles along the shorter way, the distance by its ratio. `t` is clamped to 0..=1.
    #[must_use]
    pub fn blend(&self, to: &Self, t: f32) -> Self {
        let t = if t.is_finite() { t.clamp(0.0, 1.0) } else { 1.0 };
        let turn = (to.yaw - self.yaw + PI).rem_euclid(TAU) - PI;
        let mut camera = *self;
        camera.set_clamped(Self {
            target: self.target.lerp(to.target, t),
            yaw: self.yaw + turn * t,
            pitch: self.pitch + (to.pitch - self.pitch) * t,
            distance: self.distance * libm::powf(to.distance / self.distance, t),
            fov: self.fov + (to.fov - self.fov) * t,
        });
        camera
    }

    /// Replaces the camera by `camera`, with all values clamped to their ranges. Ignores a camera with values that
    /// are not finite.
    pub fn set_clamped(&mut self, camera: Self) {
        let numbers = [camera.yaw, camera.pitch, camera.distance, camera.fov];
        if !(camera.target.is_finite() && numbers.iter().all(|n| n.is_finite())) {
            return;
        }
        *self = Self {
            target: camera
                .target
                .clamp(Vec3::splat(-Self::MAX_TARGET_COORDINATE), Vec3::splat(Self::MAX_TARGET_COORDINATE)),
            yaw: (camera.yaw + PI).rem_euclid(TAU) - PI,
            pitch: camera.pitch.clamp(-FRAC_PI_2, FRAC_PI_2),
            distance: camera.distance.clamp(Self::MIN_DISTANCE, Self::MAX_DISTANCE),
            fov: camera.fov.clamp(0.05, 2.4),
        };
    }
}

impl Default for OrbitCamera {
    fn default() -> Self {
        Self::new(Facing::PlusZ)
    }
}

/// An animated camera movement. The caller keeps the time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CameraMove {
    /// Start of the movement.
    pub from: OrbitCamera,
    /// End of the movement.
    pub to: OrbitCamera,
}

impl CameraMove {
    /// The camera at `progress`, from 0 to 1. The movement is fast at the start and slow at the end.
    pub fn at(&self, progress: f32) -> OrbitCamera {
        self.from.blend(&self.to, ease_out_cubic(progress))
    }
}

/// Cubic ease-out of `t`, which is clamped to 0..=1. NaN counts as 1.
pub fn ease_out_cubic(t: f32) -> f32 {
    if t.is_nan() {
        return 1.0;
    }
    1.0 - (1.0 - t.clamp(0.0, 1.0)).powi(3)
}

/// Finds the nearest camera position from which all points are visible, for given view directions.
///
/// Each side of a frustum gives one inequality per point, so four numbers represent any number of points.
#[derive(Clone, Copy, Debug)]
pub struct CameraFit {
    /// Centre of rotation, in metres in the world.
    pivot: Vec3,
    /// Tangents of half the horizontal and half the vertical field of view.
    half_fov_tan: Vec2,
    /// Maximum offset of the points beyond the right, left, upper and lower side. The offset of a point is its
    /// coordinate minus the slope of the side times its depth.
    side_offsets: [f32; 4],
}

impl CameraFit {
    /// A fit without points. `margin` is the ratio of the image's size to the size of its content, 1 or more.
    pub fn new(pivot: Vec3, fov: f32, rect: &ViewRect, margin: f32) -> Self {
        let free = rect.free_size() / rect.valid_size().y;
        Self { pivot, half_fov_tan: free * libm::tanf(fov * 0.5) / margin, side_offsets: [f32::NEG_INFINITY; 4] }
    }

    /// A fit without points whose pivot is the centre of a pose; see [`Self::new`].
    pub fn around(pose: &WorldPose, fov: f32, rect: &ViewRect, margin: f32) -> Self {
        let middle = pose.frames.iter().map(|frame| frame.position).sum::<Vec3>() / pose.frames.len() as f32;
        Self::new(if middle.is_finite() { middle } else { Vec3::ZERO }, fov, rect, margin)
    }

    /// Adds a point that is seen along `axes`: right, up and forward, see [`OrbitCamera::axes`]. Ignores points that
    /// are not finite.
    pub fn add_point(&mut self, axes: [Vec3; 3], point: Vec3) {
        if !point.is_finite() {
            return;
        }
        let [across, along, depth] = axes.map(|axis| axis.dot(point - self.pivot));
        let [x, y] = [self.half_fov_tan.x * depth, self.half_fov_tan.y * depth];
        let out = [across - x, -across - x, along - y, -along - y];
        self.side_offsets = std::array::from_fn(|side| self.side_offsets[side].max(out[side]));
    }

    /// Centres the pivot horizontally, which suits a camera that orbits.
    #[must_use]
    pub fn centred(self) -> Self {
        let [right, left, above, below] = self.side_offsets;
        let widest = right.max(left);
        Self { side_offsets: [widest, widest, above, below], ..self }
    }

    /// Moves the camera to its fitted position and keeps its direction. Returns the same camera if the fit has no
    /// points.
    pub fn fit_camera(&self, camera: &OrbitCamera) -> OrbitCamera {
        let [right, left, above, below] = self.side_offsets;
        let distance = ((right + left) / self.half_fov_tan.x).max((above + below) / self.half_fov_tan.y) * 0.5;
        if !distance.is_finite() {
            return *camera;
        }
        let [x, y, _] = camera.axes();
        let target = self.pivot + (x * (right - left) + y * (above - below)) * 0.5;
        let mut placed = *camera;
        placed.set_clamped(OrbitCamera { target, distance, ..*camera });
        placed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VIEW_RECT: ViewRect = ViewRect::uncovered(Vec2::new(800.0, 600.0));

    #[track_caller]
    fn check_finite(camera: &OrbitCamera) {
        let view = camera.view(&VIEW_RECT);
        assert!(view.view_projection().is_finite(), "{camera:?}");
        assert!((camera.eye() - camera.target).length() > 0.9 * OrbitCamera::MIN_DISTANCE, "{camera:?}");
        for axis in camera.axes() {
            assert!((axis.length() - 1.0).abs() < 1e-4, "{axis}");
        }
    }

    #[test]
    fn extreme_input_keeps_the_camera_finite() {
        let mut camera = OrbitCamera::default();
        for step in [1e9, -1e9, 3.0, f32::NAN, f32::INFINITY, -1e-9] {
            camera.orbit(step, step);
            check_finite(&camera);
            camera.zoom(step, Vec2::splat(step), &VIEW_RECT);
            check_finite(&camera);
            camera.pan(Vec2::splat(step), &VIEW_RECT);
            check_finite(&camera);
            camera.frame(Vec3::splat(step), Vec3::splat(-step), &VIEW_RECT);
            check_finite(&camera);
            camera.frame(Vec3::ZERO, Vec3::ZERO, &ViewRect::uncovered(Vec2::ZERO));
            check_finite(&camera);
        }
    }

    #[test]
    fn orbiting_stops_softly_at_the_floor() {
        let mut camera = OrbitCamera::default();
        let mut speeds = Vec::new();
        for _ in 0..200 {
            let before = camera.pitch;
            camera.orbit_above(0.0, -0.01, 0.0);
            assert!(camera.eye().y > -1e-4, "{}", camera.eye());
            speeds.push(before - camera.pitch);
        }
        assert!((speeds[0] - 0.01).abs() < 1e-5, "free above the floor");
        assert!(speeds.windows(2).all(|pair| pair[1] <= pair[0] + 1e-5), "slower and slower: {speeds:?}");
        assert!(camera.eye().y < 0.05 && speeds[199] < 1e-4, "it arrives: {}", camera.eye());
        let low = camera.pitch;
        camera.orbit_above(0.3, 0.1, 0.0);
        assert!((camera.pitch - low - 0.1).abs() < 1e-5, "the way up is free");
        camera.orbit_above(0.0, -9.0, 0.0);
        assert!(camera.eye().y > -1e-4, "one large step: {}", camera.eye());
        camera.distance *= 3.0;
        camera.keep_above(0.0);
        assert!(camera.eye().y > -1e-4 && camera.target == OrbitCamera::default().target);
        // From a short distance, the head can be seen from below.
        camera.set_clamped(OrbitCamera { distance: 0.3, pitch: 0.0, ..camera });
        camera.orbit_above(0.0, -1.2, 0.0);
        assert!((camera.pitch + 1.2).abs() < 1e-5, "{}", camera.pitch);
        camera.orbit_above(f32::NAN, f32::NAN, f32::NAN);
        check_finite(&camera);
    }

    #[test]
    fn zooming_keeps_the_point_under_the_pointer() {
        let mut camera = OrbitCamera::default();
        let pixel = Vec2::new(620.0, 140.0);
        let view = camera.view(&VIEW_RECT);
        let there = view.ray(pixel).hit_plane(camera.target, view.forward).expect("in front");
        camera.zoom(2.5, pixel, &VIEW_RECT);
        let now = camera.view(&VIEW_RECT).project(there).expect("still in front");
        assert!((now.pixel - pixel).length() < 0.05, "{:?}", now.pixel);
        assert!((camera.distance - 3.6 / 2.5).abs() < 1e-5);
    }

    #[test]
    fn panning_follows_the_pointer() {
        let mut camera = OrbitCamera::default();
        let before = camera.target;
        camera.pan(Vec2::new(30.0, -20.0), &VIEW_RECT);
        let now = camera.view(&VIEW_RECT).project(before).expect("in front");
        assert!((now.pixel - Vec2::new(430.0, 280.0)).length() < 0.05, "{:?}", now.pixel);
    }

    #[test]
    fn a_framed_box_fits_into_the_free_rect() {
        let rect =
            ViewRect { size: Vec2::new(800.0, 600.0), free_rect: [Vec2::new(300.0, 0.0), Vec2::new(800.0, 500.0)] };
        let mut camera = OrbitCamera::default();
        let (low, high) = (Vec3::new(-0.6, 0.0, -0.3), Vec3::new(0.6, 1.7, 0.3));
        for preset in [CameraPreset::Front, CameraPreset::Left, CameraPreset::Top, CameraPreset::ThreeQuarter] {
            camera.look_from(preset, Facing::PlusZ);
            camera.frame(low, high, &rect);
            let view = camera.view(&rect);
            for corner in 0..8 {
                let pick = |bit: usize, l: f32, h: f32| if corner >> bit & 1 == 0 { l } else { h };
                let p = Vec3::new(pick(0, low.x, high.x), pick(1, low.y, high.y), pick(2, low.z, high.z));
                let at = view.project(p).expect("in front").pixel;
                assert!(
                    at.cmpge(rect.free_rect[0]).all() && at.cmple(rect.free_rect[1]).all(),
                    "{preset:?}: {p} at {at}"
                );
            }
        }
    }

    #[test]
    fn presets_respect_the_facing_direction() {
        let mut camera = OrbitCamera::default();
        camera.look_from(CameraPreset::Front, Facing::MinusZ);
        assert!(camera.eye().z < -1.0);
        camera.look_from(CameraPreset::Left, Facing::PlusZ);
        assert!(camera.eye().x > 1.0);
        camera.look_from(CameraPreset::Top, Facing::PlusZ);
        let view = camera.view(&VIEW_RECT);
        let [face, back] = [Vec3::Z, -Vec3::Z].map(|p| view.project(p * 0.2).expect("below").pixel.y);
        assert!(face > back, "the face is towards the lower edge");
    }

    #[test]
    fn looking_from_a_direction_puts_the_eye_there() {
        let target = Vec3::new(0.2, 1.1, -0.3);
        for direction in [Vec3::X, Vec3::NEG_Z, Vec3::new(0.4, -0.5, 0.7), Vec3::Y] {
            let mut camera = OrbitCamera::default();
            camera.look_from_direction(target, direction * 3.0);
            assert!((camera.eye() - target).normalize().dot(direction.normalize()) > 0.9999, "{direction}");
            assert!((camera.distance - 3.6).abs() < 1e-5 && camera.target == target);
        }
        let mut camera = OrbitCamera::default();
        camera.look_from_direction(target, Vec3::NAN);
        check_finite(&camera);
    }

    #[test]
    fn a_camera_move_reaches_both_ends_by_the_short_rotation() {
        let from = OrbitCamera { yaw: 3.0, ..OrbitCamera::default() };
        let to = OrbitCamera { yaw: -3.0, distance: 9.0, ..from };
        let movement = CameraMove { from, to };
        assert_eq!(movement.at(0.0).distance, from.distance);
        assert!((movement.at(1.0).distance - 9.0).abs() < 1e-4 && (movement.at(1.0).yaw + 3.0).abs() < 1e-4);
        let middle = from.blend(&to, 0.5).yaw.abs();
        assert!(middle > 3.0, "{middle}");
        assert!(ease_out_cubic(0.5) > 0.8);
    }

    /// Points whose projections are far apart.
    fn points() -> impl Iterator<Item = Vec3> {
        (0_u16..60).map(|n| {
            let turn = f32::from(n) * 0.9;
            Vec3::new(libm::cosf(turn) * (1.0 + 0.4 * libm::sinf(turn)), 0.03 * f32::from(n), 0.7 * libm::sinf(turn))
                + Vec3::X * 3.0
        })
    }

    #[test]
    fn all_points_fit_and_the_farthest_touches_the_edge() {
        for size in [Vec2::new(300.0, 500.0), Vec2::new(500.0, 200.0)] {
            let rect = ViewRect::uncovered(size);
            let camera = OrbitCamera { yaw: 0.7, pitch: 0.3, ..OrbitCamera::default() };
            let mut fit = CameraFit::new(Vec3::new(0.2, 0.9, 0.1), camera.fov, &rect, 1.0);
            points().for_each(|p| fit.add_point(camera.axes(), p));
            fit.add_point(camera.axes(), Vec3::NAN);
            let view = fit.fit_camera(&camera).view(&rect);
            let share = |p: Vec3| view.project(p).expect("in front").pixel / size * 2.0 - 1.0;
            let far = points().map(|p| share(p).abs().max_element()).fold(0.0, f32::max);
            assert!((far - 1.0).abs() < 1e-3, "the farthest is at {far}");
            let middle = |pick: fn(Vec2) -> f32| {
                let [low, high] = [f32::min, f32::max].map(|f| points().map(|p| pick(share(p))).reduce(f));
                low.zip(high).map(|(l, h)| (l + h).abs()).expect("points")
            };
            assert!(middle(|p| p.x) < 0.12 && middle(|p| p.y) < 0.12, "the points are centred");
        }
    }

    #[test]
    fn a_centred_fit_shows_all_points_from_every_side_at_one_distance() {
        let rect = ViewRect::uncovered(Vec2::new(400.0, 400.0));
        let cameras: Vec<_> =
            (0_u8..8).map(|n| OrbitCamera { yaw: f32::from(n) * 0.785, ..OrbitCamera::default() }).collect();
        let mut fit = CameraFit::new(Vec3::Y, cameras[0].fov, &rect, 1.1);
        for camera in &cameras {
            points().for_each(|p| fit.add_point(camera.axes(), p));
        }
        let fit = fit.centred();
        for camera in &cameras {
            let view = fit.fit_camera(camera).view(&rect);
            assert!((fit.fit_camera(camera).distance - fit.fit_camera(&cameras[0]).distance).abs() < 1e-3);
            for p in points() {
                let at = view.project(p).expect("in front").pixel;
                assert!(at.cmpge(Vec2::ZERO).all() && at.cmple(rect.size).all(), "{p} at {at}");
            }
        }
    }

    #[test]
    fn a_fit_without_points_keeps_the_camera() {
        let camera = OrbitCamera::default();
        let fit = CameraFit::new(Vec3::ZERO, camera.fov, &ViewRect::uncovered(Vec2::splat(9.0)), 1.0);
        assert_eq!(fit.fit_camera(&camera), camera);
    }
}
