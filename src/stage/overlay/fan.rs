use super::project_all;
use crate::stage::CameraView;
use glam::{Quat, Vec2, Vec3};

/// Degrees between two points of the arc.
const STEP_DEGREES: f32 = 4.0;

/// Which way a limited joint may swing, in the frame of its pivot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FanPlane {
    /// In the plane of the pivot's X and Y; positive angles lead towards -Y.
    Y,
    /// In the plane of X and Z; positive angles lead towards -Z.
    Z,
}

impl FanPlane {
    /// In the world: where 0 degrees and where 90 degrees lead; unit length.
    pub fn axes(self, pivot: Quat) -> [Vec3; 2] {
        let across = match self {
            Self::Y => Vec3::NEG_Y,
            Self::Z => Vec3::NEG_Z,
        };
        [pivot * Vec3::X, pivot * across]
    }
}

/// A limit as a pie slice.
#[derive(Clone, Debug, PartialEq)]
pub struct LimitFan {
    /// Its point.
    pub head: Vec2,
    /// Its round edge from the least to the greatest angle.
    pub arc: Vec<Vec2>,
    /// The end of the joint's present direction, laid into the plane of the slice.
    pub current: Vec2,
    /// Degrees of the present direction.
    pub current_degrees: f32,
}

impl LimitFan {
    /// The middle of its round edge.
    pub fn middle(&self) -> Vec2 {
        self.arc.get(self.arc.len() / 2).copied().unwrap_or(self.head)
    }

    /// How much of the picture it covers, square pixels.
    pub fn area(&self) -> f32 {
        self.arc.windows(2).map(|w| (w[0] - self.head).perp_dot(w[1] - self.head).abs() * 0.5).sum()
    }

    /// Where the least and the greatest angle are held.
    pub fn ends(&self) -> [Vec2; 2] {
        [self.arc.first(), self.arc.last()].map(|p| p.copied().unwrap_or(self.head))
    }
}

/// The slice between two angles in degrees, `reach` metres long, at `head`; `towards` is where the joint points.
/// `None` where parts of it are behind the eye.
pub fn limit_fan(
    shot: &CameraView,
    (head, pivot): (Vec3, Quat),
    side: FanPlane,
    [min, max]: [f32; 2],
    (towards, reach): (Vec3, f32),
) -> Option<LimitFan> {
    let [forward, across] = side.axes(pivot);
    let at = |degrees: f32| {
        let (sin, cos) = degrees.to_radians().sin_cos();
        head + (forward * cos + across * sin) * reach
    };
    let (min, max) = (min.clamp(-360.0, 360.0), max.clamp(-360.0, 360.0));
    let steps = ((max - min).abs() / STEP_DEGREES).ceil().max(1.0);
    let arc = project_all(shot, (0..=steps as u32).map(|i| at(min + (max - min) * i as f32 / steps)))?;
    let angle = towards.dot(across).atan2(towards.dot(forward)).to_degrees();
    let live = project_all(shot, [head, at(angle)])?;
    Some(LimitFan { head: live[0], arc, current: live[1], current_degrees: angle })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::{OrbitCamera, ViewRect};

    fn check(min: f32, max: f32, towards: Vec3) -> LimitFan {
        // Looking along -Z, with the pivot's X downwards and its Y to the right.
        let camera = OrbitCamera { target: Vec3::ZERO, yaw: 0.0, pitch: 0.0, ..OrbitCamera::default() };
        let shot = camera.view(&ViewRect::uncovered(Vec2::new(800.0, 800.0)));
        let pivot = Quat::from_rotation_z(-std::f32::consts::FRAC_PI_2);
        limit_fan(&shot, (Vec3::ZERO, pivot), FanPlane::Y, [min, max], (towards, 0.3)).expect("in front")
    }

    #[test]
    fn a_fan_opens_from_its_least_to_its_greatest_angle() {
        let fan = check(-50.0, 26.0, Vec3::NEG_Y);
        let [least, greatest] = fan.ends();
        let degrees = |p: Vec2| (-(p - fan.head).x).atan2((p - fan.head).y).to_degrees();
        assert!((degrees(least) + 50.0).abs() < 0.1, "{}", degrees(least));
        assert!((degrees(greatest) - 26.0).abs() < 0.1, "{}", degrees(greatest));
        assert!(fan.current_degrees.abs() < 1e-3 && (fan.current - fan.head).x.abs() < 1e-2);
    }

    #[test]
    fn all_points_of_a_fan_are_equally_far_from_its_head() {
        let fan = check(-180.0, 180.0, Vec3::X);
        assert!(fan.area() > check(-20.0, 20.0, Vec3::X).area() * 8.0);
        let reach = fan.arc[0].distance(fan.head);
        assert!(fan.arc.len() > 80 && fan.arc.iter().all(|p| (p.distance(fan.head) - reach).abs() < 0.1));
        assert!((fan.current_degrees + 90.0).abs() < 1e-3, "{}", fan.current_degrees);
    }

    #[test]
    fn extreme_angles_give_a_finite_fan() {
        let fan = check(1e9, -1e9, Vec3::ZERO);
        assert!(fan.arc.iter().all(|p| p.is_finite()) && fan.current_degrees.is_finite());
    }
}
