use super::camera_view::ndc;
use super::{CameraView, ViewRect};
use crate::rig::Facing;
use glam::{Mat4, Vec2, Vec3, Vec4};
use std::f32::consts::{FRAC_PI_2, PI, TAU};

/// A camera that goes round a target; every method keeps it finite and off its poles' far side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OrbitCamera {
    /// What it looks at, metres.
    pub target: Vec3,
    /// Radians about +Y; 0 looks along -Z, from the side that +Z points to.
    pub yaw: f32,
    /// Radians; positive looks down from above, at most a quarter turn.
    pub pitch: f32,
    /// Metres from eye to target.
    pub distance: f32,
    /// Vertical opening, radians.
    pub fov: f32,
}

/// Where to look from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CameraPreset {
    /// At the face.
    Front,
    /// At the back of the head.
    Back,
    /// At the character's left side.
    Left,
    /// At the character's right side.
    Right,
    /// From above, face towards the lower edge.
    Top,
    /// From the front, a little aside and above.
    ThreeQuarter,
}

impl OrbitCamera {
    /// Nearest the eye may come, metres.
    pub const MIN_DISTANCE: f32 = 0.02;
    /// Farthest the eye may go, metres.
    pub const MAX_DISTANCE: f32 = 2000.0;
    /// Room left around what [`OrbitCamera::frame`] shows.
    const FRAME_MARGIN: f32 = 1.06;
    /// Farthest that the target may go from the origin along an axis, metres.
    const MAX_TARGET_COORDINATE: f32 = 1e5;

    /// The face of a person of common height, seen from the front.
    pub fn new(facing: Facing) -> Self {
        let mut camera = Self { target: Vec3::Y * 0.85, yaw: 0.0, pitch: 0.06, distance: 3.6, fov: 0.52 };
        camera.look_from(CameraPreset::Front, facing);
        camera
    }

    /// Turns round the target by a pointer movement in radians: to the right, downwards.
    pub fn orbit(&mut self, right: f32, down: f32) {
        self.set_clamped(Self { yaw: self.yaw - right, pitch: self.pitch + down, ..*self });
    }

    /// Moves so that what lies at the target's depth follows the pointer; pixels, y downwards.
    pub fn pan(&mut self, pixels: Vec2, pane: &ViewRect) {
        let shot = self.view(pane);
        let metres = shot.metres_per_pixel(self.target);
        self.set_clamped(Self { target: self.target + (shot.up * pixels.y - shot.right * pixels.x) * metres, ..*self });
    }

    /// Divides the distance by `factor`, keeping what is under `pixel` at the target's depth where it is.
    pub fn zoom(&mut self, factor: f32, pixel: Vec2, pane: &ViewRect) {
        if !(factor.is_finite() && factor > 0.0) {
            return;
        }
        let shot = self.view(pane);
        let distance = (self.distance / factor).clamp(Self::MIN_DISTANCE, Self::MAX_DISTANCE);
        let anchor = shot.ray(pixel).hit_plane(self.target, shot.forward).unwrap_or(self.target);
        let target = anchor + (self.target - anchor) * (distance / self.distance);
        self.set_clamped(Self { target, distance, ..*self });
    }

    /// Shows a box whole in the free part of the pane, from the present direction.
    pub fn frame(&mut self, low: Vec3, high: Vec3, pane: &ViewRect) {
        let half = (high - low).abs() * 0.5;
        if !(half.is_finite() && (low + high).is_finite()) {
            return;
        }
        let target = (low + high) * 0.5;
        let shot = self.view(pane);
        let free = pane.free_size() / pane.valid_size().y * (self.fov * 0.5).tan() / Self::FRAME_MARGIN;
        // The distance at which a corner just fits: its own way towards the eye, and what its place asks for.
        let fits = |corner: Vec3| {
            let (across, along) = (corner.dot(shot.right).abs(), corner.dot(shot.up).abs());
            (across / free.x).max(along / free.y) - corner.dot(shot.forward)
        };
        let signs = (0..8).map(|bits| Vec3::from([bits & 1, bits >> 1 & 1, bits >> 2].map(|b| b as f32 * 2.0 - 1.0)));
        let distance = signs.map(|sign| fits(half * sign)).fold(0.05, f32::max);
        self.set_clamped(Self { target, distance, ..*self });
    }

    /// Turns to a preset direction; target and distance stay.
    pub fn look_from(&mut self, preset: CameraPreset, facing: Facing) {
        let front = match facing {
            Facing::PlusZ => 0.0,
            Facing::MinusZ => PI,
        };
        let (yaw, pitch) = match preset {
            CameraPreset::Front => (front, 0.06),
            CameraPreset::Back => (front + PI, 0.06),
            // Whoever looks along +Z has +X at the left hand.
            CameraPreset::Left => (front + FRAC_PI_2, 0.06),
            CameraPreset::Right => (front - FRAC_PI_2, 0.06),
            CameraPreset::Top => (front, FRAC_PI_2),
            CameraPreset::ThreeQuarter => (front + 0.55, 0.16),
        };
        self.set_clamped(Self { yaw, pitch, ..*self });
    }

    /// Turns so that the eye is in a direction from a new target; the distance stays. A direction of no length changes
    /// the target alone.
    pub fn look_from_direction(&mut self, target: Vec3, towards_eye: Vec3) {
        let mut turned = Self { target, ..*self };
        if let Some(direction) = towards_eye.try_normalize() {
            // Straight up or down the camera keeps its heading.
            let yaw = if direction.y.abs() < 0.999 { direction.x.atan2(direction.z) } else { self.yaw };
            turned = Self { yaw, pitch: direction.y.clamp(-1.0, 1.0).asin(), ..turned };
        }
        self.set_clamped(turned);
    }

    /// This camera's picture in `pane`.
    pub fn view(&self, pane: &ViewRect) -> CameraView {
        let [right, up, forward] = self.axes();
        let eye = self.eye();
        let rotation = Mat4::from_cols(
            Vec4::new(right.x, up.x, -forward.x, 0.0),
            Vec4::new(right.y, up.y, -forward.y, 0.0),
            Vec4::new(right.z, up.z, -forward.z, 0.0),
            Vec4::W,
        );
        let size = pane.valid_size();
        let slope = (self.fov * 0.5).tan();
        let (near, far) = (self.distance * 0.01, self.distance * 100.0);
        let centre = ndc(pane.free_centre(), size);
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
            rect: *pane,
            distance: self.distance,
            half_fov_tan: slope,
        }
    }

    /// Towards the right, the top and into the picture; unit length, also when looking straight down.
    pub fn axes(&self) -> [Vec3; 3] {
        let (sy, cy) = self.yaw.sin_cos();
        let (sp, cp) = self.pitch.sin_cos();
        [Vec3::new(cy, 0.0, -sy), Vec3::new(-sp * sy, cp, -sp * cy), Vec3::new(-cp * sy, -sp, -cp * cy)]
    }

    /// Where the eye is.
    pub fn eye(&self) -> Vec3 {
        self.target - self.axes()[2] * self.distance
    }

    /// Blends towards `to`: angles the short way round, distance by ratio. `t` in 0..=1.
    #[must_use]
    pub fn blend(&self, to: &Self, t: f32) -> Self {
        let t = if t.is_finite() { t.clamp(0.0, 1.0) } else { 1.0 };
        let turn = (to.yaw - self.yaw + PI).rem_euclid(TAU) - PI;
        let mut camera = *self;
        camera.set_clamped(Self {
            target: self.target.lerp(to.target, t),
            yaw: self.yaw + turn * t,
            pitch: self.pitch + (to.pitch - self.pitch) * t,
            distance: self.distance * (to.distance / self.distance).powf(t),
            fov: self.fov + (to.fov - self.fov) * t,
        });
        camera
    }

    /// Takes `wanted` with its numbers brought into their ranges; a camera with NaN in it changes nothing.
    pub fn set_clamped(&mut self, wanted: Self) {
        let numbers = [wanted.yaw, wanted.pitch, wanted.distance, wanted.fov];
        if !(wanted.target.is_finite() && numbers.iter().all(|n| n.is_finite())) {
            return;
        }
        *self = Self {
            target: wanted
                .target
                .clamp(Vec3::splat(-Self::MAX_TARGET_COORDINATE), Vec3::splat(Self::MAX_TARGET_COORDINATE)),
            yaw: (wanted.yaw + PI).rem_euclid(TAU) - PI,
            pitch: wanted.pitch.clamp(-FRAC_PI_2, FRAC_PI_2),
            distance: wanted.distance.clamp(Self::MIN_DISTANCE, Self::MAX_DISTANCE),
            fov: wanted.fov.clamp(0.05, 2.4),
        };
    }
}

impl Default for OrbitCamera {
    fn default() -> Self {
        Self::new(Facing::PlusZ)
    }
}

/// A camera on its way; whoever holds the clock asks for the place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CameraMove {
    /// Where it was.
    pub from: OrbitCamera,
    /// Where it will be.
    pub to: OrbitCamera,
}

impl CameraMove {
    /// The camera at `progress` 0..=1 of the move's time; fast first, slow at the end.
    pub fn at(&self, progress: f32) -> OrbitCamera {
        self.from.blend(&self.to, ease_out_cubic(progress))
    }
}

/// Fast first, slow at the end; clamps to 0..=1, and what is not a number counts as done.
pub fn ease_out_cubic(t: f32) -> f32 {
    if t.is_nan() {
        return 1.0;
    }
    1.0 - (1.0 - t.clamp(0.0, 1.0)).powi(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    const VIEW_RECT: ViewRect = ViewRect::uncovered(Vec2::new(800.0, 600.0));

    #[track_caller]
    fn check_finite(camera: &OrbitCamera) {
        let shot = camera.view(&VIEW_RECT);
        assert!(shot.view_projection().is_finite(), "{camera:?}");
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
    fn zooming_keeps_the_point_under_the_pointer() {
        let mut camera = OrbitCamera::default();
        let pixel = Vec2::new(620.0, 140.0);
        let shot = camera.view(&VIEW_RECT);
        let there = shot.ray(pixel).hit_plane(camera.target, shot.forward).expect("in front");
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
        let pane =
            ViewRect { size: Vec2::new(800.0, 600.0), free_rect: [Vec2::new(300.0, 0.0), Vec2::new(800.0, 500.0)] };
        let mut camera = OrbitCamera::default();
        let (low, high) = (Vec3::new(-0.6, 0.0, -0.3), Vec3::new(0.6, 1.7, 0.3));
        for preset in [CameraPreset::Front, CameraPreset::Left, CameraPreset::Top, CameraPreset::ThreeQuarter] {
            camera.look_from(preset, Facing::PlusZ);
            camera.frame(low, high, &pane);
            let shot = camera.view(&pane);
            for corner in 0..8 {
                let pick = |bit: usize, l: f32, h: f32| if corner >> bit & 1 == 0 { l } else { h };
                let p = Vec3::new(pick(0, low.x, high.x), pick(1, low.y, high.y), pick(2, low.z, high.z));
                let at = shot.project(p).expect("in front").pixel;
                assert!(
                    at.cmpge(pane.free_rect[0]).all() && at.cmple(pane.free_rect[1]).all(),
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
        let shot = camera.view(&VIEW_RECT);
        let [face, back] = [Vec3::Z, -Vec3::Z].map(|p| shot.project(p * 0.2).expect("below").pixel.y);
        assert!(face > back, "the face looks towards the lower edge");
    }

    #[test]
    fn looking_from_a_direction_puts_the_eye_there() {
        let target = Vec3::new(0.2, 1.1, -0.3);
        for way in [Vec3::X, Vec3::NEG_Z, Vec3::new(0.4, -0.5, 0.7), Vec3::Y] {
            let mut camera = OrbitCamera::default();
            camera.look_from_direction(target, way * 3.0);
            assert!((camera.eye() - target).normalize().dot(way.normalize()) > 0.9999, "{way}");
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
        let way = CameraMove { from, to };
        assert_eq!(way.at(0.0).distance, from.distance);
        assert!((way.at(1.0).distance - 9.0).abs() < 1e-4 && (way.at(1.0).yaw + 3.0).abs() < 1e-4);
        let middle = from.blend(&to, 0.5).yaw.abs();
        assert!(middle > 3.0, "{middle}");
        assert!(ease_out_cubic(0.5) > 0.8);
    }
}
