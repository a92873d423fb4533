use super::{OrbitCamera, ViewRect};
use glam::{Vec2, Vec3};

/// Finds the nearest place from which a camera sees all of many points, from directions that are known before.
///
/// A frustum's side is one inequality per point, so four numbers remember all points whatever their count.
#[derive(Clone, Copy, Debug)]
pub struct CameraFit {
    /// What the directions turn about, metres.
    pivot: Vec3,
    /// Half the opening across and along, as a slope.
    half_fov_tan: Vec2,
    /// How far points stand out to the right, the left, above and below: place less slope times depth.
    side_offsets: [f32; 4],
}

impl CameraFit {
    /// Nothing yet. `room` is how many times larger than its content the picture is, 1 or more.
    pub fn new(pivot: Vec3, fov: f32, pane: &ViewRect, room: f32) -> Self {
        let free = pane.free_size() / pane.valid_size().y;
        Self { pivot, half_fov_tan: free * (fov * 0.5).tan() / room, side_offsets: [f32::NEG_INFINITY; 4] }
    }

    /// A point that is seen along `axes` (right, up and forward, as [`OrbitCamera::axes`] gives them). One that is
    /// not finite is passed over.
    pub fn add_point(&mut self, axes: [Vec3; 3], point: Vec3) {
        if !point.is_finite() {
            return;
        }
        let [across, along, depth] = axes.map(|axis| axis.dot(point - self.pivot));
        let [x, y] = [self.half_fov_tan.x * depth, self.half_fov_tan.y * depth];
        let out = [across - x, -across - x, along - y, -along - y];
        self.side_offsets = std::array::from_fn(|side| self.side_offsets[side].max(out[side]));
    }

    /// With the pivot in the middle between left and right, as a camera that goes round needs it.
    #[must_use]
    pub fn centred(self) -> Self {
        let [right, left, above, below] = self.side_offsets;
        let widest = right.max(left);
        Self { side_offsets: [widest, widest, above, below], ..self }
    }

    /// The camera, looking as it does, at its place; as it is where no point was added.
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

    /// A star of points, none of them near another's place in the picture.
    fn points() -> impl Iterator<Item = Vec3> {
        (0_u16..60).map(|n| {
            let turn = f32::from(n) * 0.9;
            Vec3::new(turn.cos() * (1.0 + 0.4 * turn.sin()), 0.03 * f32::from(n), 0.7 * turn.sin()) + Vec3::X * 3.0
        })
    }

    #[test]
    fn all_points_fit_and_the_farthest_touches_the_edge() {
        for size in [Vec2::new(300.0, 500.0), Vec2::new(500.0, 200.0)] {
            let pane = ViewRect::uncovered(size);
            let camera = OrbitCamera { yaw: 0.7, pitch: 0.3, ..OrbitCamera::default() };
            let mut fit = CameraFit::new(Vec3::new(0.2, 0.9, 0.1), camera.fov, &pane, 1.0);
            points().for_each(|p| fit.add_point(camera.axes(), p));
            fit.add_point(camera.axes(), Vec3::NAN);
            let shot = fit.fit_camera(&camera).view(&pane);
            let share = |p: Vec3| shot.project(p).expect("in front").pixel / size * 2.0 - 1.0;
            let far = points().map(|p| share(p).abs().max_element()).fold(0.0, f32::max);
            assert!((far - 1.0).abs() < 1e-3, "the farthest is at {far}");
            let middle = |pick: fn(Vec2) -> f32| {
                let [low, high] = [f32::min, f32::max].map(|f| points().map(|p| pick(share(p))).reduce(f));
                low.zip(high).map(|(l, h)| (l + h).abs()).expect("points")
            };
            assert!(middle(|p| p.x) < 0.12 && middle(|p| p.y) < 0.12, "what is seen is in the middle");
        }
    }

    #[test]
    fn a_centred_fit_shows_all_points_from_every_side_at_one_distance() {
        let pane = ViewRect::uncovered(Vec2::new(400.0, 400.0));
        let cameras: Vec<_> =
            (0_u8..8).map(|n| OrbitCamera { yaw: f32::from(n) * 0.785, ..OrbitCamera::default() }).collect();
        let mut fit = CameraFit::new(Vec3::Y, cameras[0].fov, &pane, 1.1);
        for camera in &cameras {
            points().for_each(|p| fit.add_point(camera.axes(), p));
        }
        let fit = fit.centred();
        for camera in &cameras {
            let shot = fit.fit_camera(camera).view(&pane);
            assert!((fit.fit_camera(camera).distance - fit.fit_camera(&cameras[0]).distance).abs() < 1e-3);
            for p in points() {
                let at = shot.project(p).expect("in front").pixel;
                assert!(at.cmpge(Vec2::ZERO).all() && at.cmple(pane.size).all(), "{p} at {at}");
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
