use super::{OrbitCamera, Pane};
use glam::{Vec2, Vec3};

/// Finds the nearest place from which a camera sees all of many points, from directions that are known before.
///
/// A frustum's side is one inequality per point, so four numbers remember all points whatever their count.
#[derive(Clone, Copy, Debug)]
pub struct Fit {
    /// What the directions turn about, metres.
    pivot: Vec3,
    /// Half the opening across and along, as a slope.
    slope: Vec2,
    /// How far points stand out to the right, the left, above and below: place less slope times depth.
    out: [f32; 4],
}

impl Fit {
    /// Nothing yet. `room` is how many times larger than its content the picture is, 1 or more.
    pub fn new(pivot: Vec3, fov: f32, pane: &Pane, room: f32) -> Self {
        let free = pane.free_size() / pane.safe_size().y;
        Self { pivot, slope: free * (fov * 0.5).tan() / room, out: [f32::NEG_INFINITY; 4] }
    }

    /// A point that is seen along `axes` (right, up and forward, as [`OrbitCamera::axes`] gives them). One that is
    /// not finite is passed over.
    pub fn add(&mut self, axes: [Vec3; 3], point: Vec3) {
        if !point.is_finite() {
            return;
        }
        let [across, along, depth] = axes.map(|axis| axis.dot(point - self.pivot));
        let [x, y] = [self.slope.x * depth, self.slope.y * depth];
        let out = [across - x, -across - x, along - y, -along - y];
        self.out = std::array::from_fn(|side| self.out[side].max(out[side]));
    }

    /// With the pivot in the middle between left and right, as a camera that goes round needs it.
    #[must_use]
    pub fn centred(self) -> Self {
        let [right, left, above, below] = self.out;
        let aside = right.max(left);
        Self { out: [aside, aside, above, below], ..self }
    }

    /// The camera, looking as it does, at its place; as it is where no point was added.
    pub fn place(&self, camera: &OrbitCamera) -> OrbitCamera {
        let [right, left, above, below] = self.out;
        let distance = ((right + left) / self.slope.x).max((above + below) / self.slope.y) * 0.5;
        if !distance.is_finite() {
            return *camera;
        }
        let [x, y, _] = camera.axes();
        let target = self.pivot + (x * (right - left) + y * (above - below)) * 0.5;
        let mut placed = *camera;
        placed.set(OrbitCamera { target, distance, ..*camera });
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
    fn every_point_lies_inside_and_some_point_at_the_rim() {
        for size in [Vec2::new(300.0, 500.0), Vec2::new(500.0, 200.0)] {
            let pane = Pane::whole(size);
            let camera = OrbitCamera { yaw: 0.7, pitch: 0.3, ..OrbitCamera::default() };
            let mut fit = Fit::new(Vec3::new(0.2, 0.9, 0.1), camera.fov, &pane, 1.0);
            points().for_each(|p| fit.add(camera.axes(), p));
            fit.add(camera.axes(), Vec3::NAN);
            let shot = fit.place(&camera).shot(&pane);
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
    fn a_camera_that_goes_round_keeps_its_distance_and_sees_all() {
        let pane = Pane::whole(Vec2::new(400.0, 400.0));
        let cameras: Vec<_> =
            (0_u8..8).map(|n| OrbitCamera { yaw: f32::from(n) * 0.785, ..OrbitCamera::default() }).collect();
        let mut fit = Fit::new(Vec3::Y, cameras[0].fov, &pane, 1.1);
        for camera in &cameras {
            points().for_each(|p| fit.add(camera.axes(), p));
        }
        let fit = fit.centred();
        for camera in &cameras {
            let shot = fit.place(camera).shot(&pane);
            assert!((fit.place(camera).distance - fit.place(&cameras[0]).distance).abs() < 1e-3);
            for p in points() {
                let at = shot.project(p).expect("in front").pixel;
                assert!(at.cmpge(Vec2::ZERO).all() && at.cmple(pane.size).all(), "{p} at {at}");
            }
        }
    }

    #[test]
    fn without_points_nothing_moves() {
        let camera = OrbitCamera::default();
        let fit = Fit::new(Vec3::ZERO, camera.fov, &Pane::whole(Vec2::splat(9.0)), 1.0);
        assert_eq!(fit.place(&camera), camera);
    }
}
