use super::project_all;
use crate::stage::CameraView;
use glam::{Mat3, Quat, Vec2, Vec3};

/// The pivot in whose [`super::FanPlane::Y`] a hinge turns: 0 degrees where `zero` leads, angles above 0 by the right hand
/// about `axis`. A `zero` along the axis leads anywhere across. `None` for an axis of no length.
pub fn hinge_pivot(axis: Vec3, zero: Vec3) -> Option<Quat> {
    let axis = axis.try_normalize()?;
    let across = zero.reject_from_normalized(axis);
    let forward = if across.length_squared() > zero.length_squared() * 1e-6 { across.try_normalize() } else { None };
    let forward = forward.unwrap_or_else(|| axis.any_orthonormal_vector());
    Some(Quat::from_mat3(&Mat3::from_cols(forward, -axis.cross(forward), -axis)).normalize())
}

/// A ball about a point of the world, so that a direction can be held by where it leaves the ball.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DirectionBall {
    /// Pixels.
    centre: Vec2,
    radius: f32,
    /// Of the picture there, unit length: right, up, towards the eye.
    right: Vec3,
    up: Vec3,
    near: Vec3,
}

impl DirectionBall {
    /// About `centre`, `radius` metres; `None` behind the eye.
    pub fn new(shot: &CameraView, centre: Vec3, radius: f32) -> Option<Self> {
        let near = (shot.eye - centre).try_normalize()?;
        let right = shot.up.cross(near).try_normalize()?;
        let pixels = shot.metres_to_pixels(radius, centre);
        let seen = shot.project(centre).filter(|_| pixels > 0.0)?;
        Some(Self { centre: seen.pixel, radius: pixels, right, up: near.cross(right), near })
    }

    /// Where a direction of unit length leaves it.
    pub fn pixel(&self, direction: Vec3) -> Vec2 {
        self.centre + Vec2::new(direction.dot(self.right), -direction.dot(self.up)) * self.radius
    }

    /// Whether a direction leaves it on the side of the eye.
    pub fn is_front_facing(&self, direction: Vec3) -> bool {
        direction.dot(self.near) >= 0.0
    }

    /// The direction that leaves it at a pixel, on the side of the eye or on the far one; beside the ball that of its rim.
    pub fn direction(&self, pixel: Vec2, faces: bool) -> Vec3 {
        let flat = (pixel - self.centre) / self.radius;
        let flat = if flat.is_finite() { flat.clamp_length_max(1.0) } else { Vec2::ZERO };
        let depth = (1.0 - flat.length_squared()).max(0.0).sqrt() * if faces { 1.0 } else { -1.0 };
        (self.right * flat.x - self.up * flat.y + self.near * depth).normalize_or(self.near)
    }
}

/// A box as lines.
#[derive(Clone, Debug, PartialEq)]
pub struct WireBox {
    /// Its twelve edges.
    pub edges: Vec<[Vec2; 2]>,
}

/// A box about `centre` with whole `sides` in metres; `None` where parts of it are behind the eye.
pub fn wire_box(shot: &CameraView, centre: Vec3, rotation: Quat, sides: Vec3) -> Option<WireBox> {
    let sign = |i: u8, bit: u8| if i & (1 << bit) == 0 { -0.5 } else { 0.5 };
    let corners = (0..8_u8).map(|i| centre + rotation * (sides * Vec3::new(sign(i, 0), sign(i, 1), sign(i, 2))));
    let corners = project_all(shot, corners)?;
    let pairs =
        (0..8_usize).flat_map(|i| (0..3).filter(move |bit| i & (1 << bit) == 0).map(move |bit| (i, i | (1 << bit))));
    Some(WireBox { edges: pairs.map(|(a, b)| [corners[a], corners[b]]).collect() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::overlay::FanPlane;
    use crate::stage::{OrbitCamera, ViewRect, fan_angle};

    fn shot() -> CameraView {
        OrbitCamera { target: Vec3::ZERO, yaw: 0.3, pitch: 0.2, ..OrbitCamera::default() }
            .view(&ViewRect::uncovered(Vec2::new(800.0, 600.0)))
    }

    #[test]
    fn angles_in_the_fan_of_a_hinge_pivot_are_hinge_angles() {
        let (axis, zero) = (Vec3::new(0.2, 0.3, 1.0).normalize(), Vec3::new(0.0, -0.2, 0.1));
        let pivot = hinge_pivot(axis, zero).expect("an axis");
        for degrees in [-120.0_f32, -30.0, 0.0, 75.0] {
            let start = zero.reject_from_normalized(axis);
            let arm = Quat::from_axis_angle(axis, degrees.to_radians()) * start;
            let pixel = shot().project(arm).expect("in front").pixel;
            let found = fan_angle(&shot(), (Vec3::ZERO, pivot), FanPlane::Y, pixel).expect("not edge-on");
            assert!((found - degrees).abs() < 0.05, "{found} for {degrees}");
        }
    }

    #[test]
    fn a_hinge_without_arm_has_a_pivot_and_one_without_axis_has_none() {
        let pivot = hinge_pivot(Vec3::Y, Vec3::Y * 0.3).expect("an axis");
        assert!((pivot * Vec3::NEG_Z).distance(Vec3::Y) < 1e-5 && (pivot * Vec3::X).y.abs() < 1e-5);
        assert_eq!(hinge_pivot(Vec3::ZERO, Vec3::Y), None);
        assert!(hinge_pivot(Vec3::X, Vec3::ZERO).is_some_and(Quat::is_finite));
    }

    #[test]
    fn a_direction_survives_a_round_trip_through_the_ball() {
        let ball = DirectionBall::new(&shot(), Vec3::new(0.1, 0.0, 0.0), 0.2).expect("in front");
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
