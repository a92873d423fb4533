//! The view of a camera in a rectangle: projection, rays, pixel sizes.

use glam::{Mat4, Vec2, Vec3};
use yuremono_sim::math::Ray;

/// A rectangle with an image, and the part of the rectangle that no panel covers; in pixels or points, y downwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ViewRect {
    /// Width and height.
    pub size: Vec2,
    /// Upper left and lower right corner of the uncovered part. The camera's target is in the centre of this part.
    pub free_rect: [Vec2; 2],
}

impl ViewRect {
    /// A rectangle without panels.
    pub const fn uncovered(size: Vec2) -> Self {
        Self { size, free_rect: [Vec2::ZERO, size] }
    }

    /// The size, at least one pixel in each direction.
    pub fn valid_size(&self) -> Vec2 {
        let safe = |n: f32| if n.is_finite() { n.clamp(1.0, 1e6) } else { 1.0 };
        Vec2::new(safe(self.size.x), safe(self.size.y))
    }

    /// The free part, clamped to the rectangle; the whole rectangle if less than a tenth of the width or height is
    /// free.
    fn valid_free_rect(&self) -> [Vec2; 2] {
        let size = self.valid_size();
        let [low, high] = self.free_rect.map(|p| p.clamp(Vec2::ZERO, size));
        let enough = (high - low).cmpge(size * 0.1).all();
        if enough { [low, high] } else { [Vec2::ZERO, size] }
    }

    /// Size of the free part.
    pub fn free_size(&self) -> Vec2 {
        let [low, high] = self.valid_free_rect();
        high - low
    }

    /// Centre of the free part.
    pub fn free_centre(&self) -> Vec2 {
        let [low, high] = self.valid_free_rect();
        (low + high) * 0.5
    }

    /// Blends the free part towards the free part of `to`. `t` is in 0..=1.
    #[must_use]
    pub fn blend(&self, to: &Self, t: f32) -> Self {
        Self {
            size: to.size,
            free_rect: [self.free_rect[0].lerp(to.free_rect[0], t), self.free_rect[1].lerp(to.free_rect[1], t)],
        }
    }

    /// Scales all coordinates, for example from points to pixels.
    #[must_use]
    pub fn scaled(&self, factor: f32) -> Self {
        Self { size: self.size * factor, free_rect: self.free_rect.map(|p| p * factor) }
    }
}

/// A projected world point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProjectedPoint {
    /// Offset from the upper left corner of the rectangle.
    pub pixel: Vec2,
    /// Distance from the eye along the view direction, in metres; always positive.
    pub depth: f32,
}

/// A camera and the rectangle of its image, with everything that drawing and picking need.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CameraView {
    /// Matrix from world space to eye space. The eye looks along -Z.
    pub view_matrix: Mat4,
    /// Matrix from eye space to clip space, in OpenGL's convention.
    pub projection: Mat4,
    /// Position of the eye in the world.
    pub eye: Vec3,
    /// Direction to the right edge of the image; unit length.
    pub right: Vec3,
    /// Direction to the upper edge of the image; unit length.
    pub up: Vec3,
    /// Direction into the image; unit length.
    pub forward: Vec3,
    /// Rectangle of the image.
    pub rect: ViewRect,
    /// Distance from the eye to the target, in metres.
    pub distance: f32,
    /// Tangent of half the vertical field of view.
    pub(super) half_fov_tan: f32,
}

impl CameraView {
    /// Matrix from world space to clip space.
    pub fn view_projection(&self) -> Mat4 {
        self.projection * self.view_matrix
    }

    /// Distance along the view direction, in metres; negative behind the eye.
    pub fn depth(&self, world: Vec3) -> f32 {
        (world - self.eye).dot(self.forward)
    }

    /// Projects a point in the world; `None` if the point is NaN, at the eye or behind the eye.
    pub fn project(&self, world: Vec3) -> Option<ProjectedPoint> {
        let clip = self.projection * (self.view_matrix * world.extend(1.0));
        if !(clip.is_finite() && clip.w > self.distance * 1e-4) {
            return None;
        }
        let half = self.rect.valid_size() * 0.5;
        let pixel = Vec2::new(half.x * (1.0 + clip.x / clip.w), half.y * (1.0 - clip.y / clip.w));
        Some(ProjectedPoint { pixel, depth: clip.w })
    }

    /// The ray through a pixel.
    pub fn ray(&self, pixel: Vec2) -> Ray {
        let size = self.rect.valid_size();
        let from_centre = ndc(pixel, size) - ndc(self.rect.free_centre(), size);
        let across = self.right * (from_centre.x * self.half_fov_tan * size.x / size.y);
        let direction = self.forward + across + self.up * (from_centre.y * self.half_fov_tan);
        Ray { origin: self.eye, direction: direction.try_normalize().unwrap_or(self.forward) }
    }

    /// Metres per pixel at the depth of `world`.
    pub fn metres_per_pixel(&self, world: Vec3) -> f32 {
        2.0 * self.half_fov_tan * self.depth(world).max(self.distance * 1e-3) / self.rect.valid_size().y
    }

    /// Length of `metres` in pixels, at the depth of `world`.
    pub fn metres_to_pixels(&self, metres: f32, world: Vec3) -> f32 {
        metres / self.metres_per_pixel(world)
    }
}

/// Converts a pixel to coordinates from -1 to 1, y upwards.
pub(super) fn ndc(pixel: Vec2, size: Vec2) -> Vec2 {
    let p = pixel / size * 2.0 - 1.0;
    Vec2::new(p.x, -p.y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::OrbitCamera;

    #[track_caller]
    fn check_round_trip(rect: ViewRect, pixel: Vec2) {
        let camera = OrbitCamera { yaw: 0.7, pitch: 0.4, ..OrbitCamera::default() };
        let view = camera.view(&rect);
        let ray = view.ray(pixel);
        let back = view.project(ray.origin + ray.direction * 2.0).expect("in front");
        assert!((back.pixel - pixel).length() < 0.05, "{:?} for {pixel}", back.pixel);
        assert!(back.depth <= 2.0 && back.depth > 1.0);
    }

    #[test]
    fn a_ray_goes_through_its_pixel() {
        check_round_trip(ViewRect::uncovered(Vec2::new(800.0, 600.0)), Vec2::new(10.0, 580.0));
        let covered =
            ViewRect { size: Vec2::new(900.0, 500.0), free_rect: [Vec2::new(400.0, 0.0), Vec2::new(900.0, 450.0)] };
        check_round_trip(covered, Vec2::new(870.0, 20.0));
    }

    #[test]
    fn the_target_projects_to_the_centre_of_the_free_rect() {
        let rect =
            ViewRect { size: Vec2::new(900.0, 500.0), free_rect: [Vec2::new(400.0, 0.0), Vec2::new(900.0, 450.0)] };
        let camera = OrbitCamera::default();
        let at = camera.view(&rect).project(camera.target).expect("in front");
        assert!((at.pixel - Vec2::new(650.0, 225.0)).length() < 0.01, "{:?}", at.pixel);
        assert!((at.depth - camera.distance).abs() < 1e-4);
    }

    #[test]
    fn points_behind_the_eye_do_not_project() {
        let camera = OrbitCamera::default();
        let view = camera.view(&ViewRect::uncovered(Vec2::new(800.0, 600.0)));
        assert_eq!(view.project(camera.eye() - view.forward), None);
        assert_eq!(view.project(Vec3::NAN), None);
    }

    #[test]
    fn pixel_size_agrees_with_projection() {
        let camera = OrbitCamera::default();
        let view = camera.view(&ViewRect::uncovered(Vec2::new(800.0, 600.0)));
        let p = camera.target + view.forward * 0.5;
        let a = view.project(p).expect("in front").pixel;
        let b = view.project(p + view.right * 0.3).expect("in front").pixel;
        assert!(((b - a).length() - view.metres_to_pixels(0.3, p)).abs() < 0.05);
    }

    #[test]
    fn a_tiny_free_rect_counts_as_the_full_rect() {
        let size = Vec2::new(100.0, 50.0);
        assert_eq!(ViewRect { size, free_rect: [Vec2::splat(40.0), Vec2::splat(41.0)] }.free_centre(), size * 0.5);
        assert_eq!(ViewRect::uncovered(Vec2::new(f32::NAN, 0.0)).valid_size(), Vec2::ONE);
    }
}
