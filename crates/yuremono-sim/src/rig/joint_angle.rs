//! How the angle of a joint is measured in any pose, and the limits of this angle.

use crate::params::ParamId;
use crate::rig::{BoneId, WorldPose};
use glam::{Mat3, Quat, Vec3};

/// Which angle is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AngleKind {
    /// The angle to the rest direction under the current parent.
    FromRest,
    /// The angle in the plane of a limit pair with this switch.
    Limit(ParamId),
    /// The angle of a hinge.
    Hinge,
    /// The angle to the axis of a VRM cone.
    Cone,
    /// The angle of a VRM hinge or the first angle of a spherical VRM limit, about X.
    Pitch,
    /// The second angle of a spherical VRM limit, about Z.
    Yaw,
}

/// An angle of a joint in any pose.
#[derive(Clone, Debug, PartialEq)]
pub struct JointAngle {
    pub kind: AngleKind,
    /// The limits of the angle in ascending order, in degrees. Empty without limits.
    pub limits: Vec<f32>,
    /// The bone whose frame the angle is measured in; `None` for the world.
    pub bone: Option<BoneId>,
    /// Rotation from the space of the measurement to the space of the bone.
    pub rotation: Quat,
    pub measure: AngleMeasure,
}

/// How a direction becomes an angle, in the space of the measurement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AngleMeasure {
    /// The unsigned angle to a direction.
    ToDirection(Vec3),
    /// The signed angle in the plane of the directions of 0 and 90 degrees.
    InPlane([Vec3; 2]),
    /// The signed angle between a direction and the plane with this normal.
    OutOfPlane(Vec3),
}

impl JointAngle {
    /// Returns the angle of a direction from head to tip in a pose, in degrees.
    pub fn degrees(&self, frames: &WorldPose, direction: Vec3) -> f32 {
        let frame = self.bone.and_then(|bone| frames.frames.get(bone.index()));
        let rotation = frame.map_or(Quat::IDENTITY, |frame| frame.rotation) * self.rotation;
        let own = rotation.inverse() * direction;
        let radians = match self.measure {
            AngleMeasure::ToDirection(axis) => libm::atan2f(axis.cross(own).length(), axis.dot(own)),
            AngleMeasure::InPlane([zero, right]) => libm::atan2f(own.dot(right), own.dot(zero)),
            AngleMeasure::OutOfPlane(normal) => {
                libm::atan2f(own.dot(normal), own.reject_from_normalized(normal).length())
            }
        };
        radians.to_degrees()
    }

    /// Returns the angle of a direction as a share of its limit: 0 in the middle of the range, 1 at a limit. The middle is
    /// 0 degrees if the range includes 0 degrees. `None` without limits, and for limits of 0 degrees.
    pub fn limit_share(&self, frames: &WorldPose, direction: Vec3) -> Option<f32> {
        let angle = self.degrees(frames, direction);
        let (low, high) = (*self.limits.first()?, *self.limits.last()?);
        let (from_middle, reach) = if low == high {
            (angle.abs(), high.abs())
        } else if low < 0.0 && high > 0.0 {
            (angle.abs(), if angle < 0.0 { -low } else { high })
        } else {
            ((angle - 0.5 * (low + high)).abs(), 0.5 * (high - low))
        };
        (reach > 0.0).then(|| from_middle / reach)
    }

    /// Returns the distance of a direction from the nearest limit, in degrees; `None` without limits.
    pub fn degrees_to_limit(&self, frames: &WorldPose, direction: Vec3) -> Option<f32> {
        let angle = self.degrees(frames, direction);
        self.limits.iter().map(|limit| (limit - angle).abs()).min_by(f32::total_cmp)
    }
}

/// The plane of an angle limit, in the frame of its pivot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitPlane {
    /// The XY plane; positive angles rotate towards -Y.
    Y,
    /// The XZ plane; positive angles rotate towards -Z.
    Z,
}

impl LimitPlane {
    /// Returns the world directions of 0 and 90 degrees, as unit vectors.
    pub fn axes(self, pivot: Quat) -> [Vec3; 2] {
        let across = match self {
            Self::Y => Vec3::NEG_Y,
            Self::Z => Vec3::NEG_Z,
        };
        [pivot * Vec3::X, pivot * across]
    }

    /// Returns the world direction of an angle in degrees, as a unit vector.
    pub fn direction(self, pivot: Quat, degrees: f32) -> Vec3 {
        let [forward, across] = self.axes(pivot);
        let (sin, cos) = libm::sincosf(degrees.to_radians());
        forward * cos + across * sin
    }
}

/// Returns the pivot whose [`LimitPlane::Y`] is the plane of a hinge. 0 degrees is the direction of `zero`; positive
/// angles follow the right-hand rule about `axis`. If `zero` is parallel to the axis, an arbitrary perpendicular
/// direction is used. Returns `None` for an axis of zero length.
pub fn hinge_pivot(axis: Vec3, zero: Vec3) -> Option<Quat> {
    let axis = axis.try_normalize()?;
    let across = zero.reject_from_normalized(axis);
    let forward = if across.length_squared() > zero.length_squared() * 1e-6 { across.try_normalize() } else { None };
    let forward = forward.unwrap_or_else(|| axis.any_orthonormal_vector());
    Some(Quat::from_mat3(&Mat3::from_cols(forward, -axis.cross(forward), -axis)).normalize())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Trs;
    use crate::rig::{Bone, Pose, Skeleton};
    use std::f32::consts::FRAC_PI_2;

    /// The parent of the joint is turned by 90° about Z, so its X axis points upwards.
    fn frames() -> WorldPose {
        let rest = Trs { rotation: Quat::from_rotation_z(FRAC_PI_2), ..Trs::IDENTITY };
        let skeleton = Skeleton::new(vec![Bone { name: "parent".to_owned(), parent: None, rest }]).expect("one bone");
        WorldPose::from_pose(&skeleton, &Pose::rest(&skeleton))
    }

    #[track_caller]
    fn check(measure: AngleMeasure, direction: Vec3, expected: f32) {
        let angle = JointAngle {
            kind: AngleKind::FromRest,
            limits: vec![-50.0, 30.0],
            bone: Some(BoneId(0)),
            rotation: Quat::IDENTITY,
            measure,
        };
        let found = angle.degrees(&frames(), direction);
        assert!((found - expected).abs() < 1e-3, "{found} for {direction}");
        let room = angle.degrees_to_limit(&frames(), direction).expect("limits");
        assert!((room - (expected - 30.0).abs().min((expected + 50.0).abs())).abs() < 1e-3, "{room}");
    }

    #[test]
    fn angles_are_measured_in_the_frame_of_the_bone() {
        let slanted = Vec3::new(-1.0, 1.0, 0.0);
        check(AngleMeasure::ToDirection(Vec3::X), Vec3::Y, 0.0);
        check(AngleMeasure::ToDirection(Vec3::X), slanted, 45.0);
        check(AngleMeasure::InPlane([Vec3::X, Vec3::NEG_Y]), slanted, -45.0);
        check(AngleMeasure::InPlane([Vec3::X, Vec3::NEG_Y]), Vec3::new(1.0, 1.0, 5.0), 45.0);
        check(AngleMeasure::OutOfPlane(Vec3::Z), Vec3::new(0.0, 1.0, 1.0), 45.0);
    }

    #[test]
    fn the_share_of_a_limit_is_1_at_each_limit() {
        let share = |limits: &[f32], degrees: f32| {
            let angle = JointAngle {
                kind: AngleKind::FromRest,
                limits: limits.to_vec(),
                bone: None,
                rotation: Quat::IDENTITY,
                measure: AngleMeasure::InPlane([Vec3::X, Vec3::Y]),
            };
            let direction = Quat::from_rotation_z(degrees.to_radians()) * Vec3::X;
            angle.limit_share(&frames(), direction).map(|share| (share * 1000.0).round() / 1000.0)
        };
        let both_sides = [-10.0, -5.0, 0.0, 25.0, 50.0, 75.0].map(|at| share(&[-10.0, 50.0], at));
        assert_eq!(both_sides, [1.0, 0.5, 0.0, 0.5, 1.0, 1.5].map(Some));
        assert_eq!([20.0, 30.0, 35.0].map(|at| share(&[20.0, 40.0], at)), [1.0, 0.0, 0.5].map(Some), "0 is outside");
        assert_eq!([-15.0, 30.0].map(|at| share(&[30.0], at)), [0.5, 1.0].map(Some), "one limit to all sides");
        assert_eq!((share(&[], 3.0), share(&[0.0], 3.0)), (None, None));
    }
}
