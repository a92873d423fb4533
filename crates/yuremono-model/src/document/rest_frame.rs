//! The rest frames of bones, and the conversion of a value from one rest frame to another.

use crate::document::FlipAxis;
use glam::{Quat, Vec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use yuremono_sim::math::{Trs, shortest_arc};
use yuremono_sim::rig::{BoneId, Pose, Skeleton, WorldPose};

/// The world frame of a bone in the rest pose.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RestFrame {
    /// World rotation: x, y, z, w.
    #[serde(with = "yuremono_sim::math::number")]
    #[schemars(with = "[yuremono_sim::math::JsonNumber; 4]")]
    pub rotation: Quat,
    /// World scale, averaged over the axes.
    #[serde(default = "one", with = "yuremono_sim::math::number", skip_serializing_if = "is_one")]
    #[schemars(with = "yuremono_sim::math::JsonNumber")]
    pub scale: f32,
    /// Unit vector in the world from the head to the first child. Zero for bones without children.
    #[serde(default, with = "yuremono_sim::math::number", skip_serializing_if = "is_zero")]
    #[schemars(with = "[yuremono_sim::math::JsonNumber; 3]")]
    pub direction: Vec3,
}

const fn one() -> f32 {
    1.0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_one(scale: &f32) -> bool {
    *scale == 1.0
}

fn is_zero(direction: &Vec3) -> bool {
    *direction == Vec3::ZERO
}

/// Rotations and relative scales below this are rounding errors, so values stay bit-identical.
const TOLERANCE: f32 = 1e-4;

impl RestFrame {
    /// Returns the frames of all bones of a skeleton.
    pub fn of_skeleton(skeleton: &Skeleton) -> Vec<Self> {
        let rest = WorldPose::from_pose(skeleton, &Pose::rest(skeleton));
        let frame = |bone: BoneId| {
            let frame = rest.frame(bone);
            let direction = match skeleton.children(bone) {
                [child, ..] => (rest.frame(*child).position - frame.position).normalize_or_zero(),
                [] => Vec3::ZERO,
            };
            let scale = if frame.scaled { libm::cbrtf(frame.linear().determinant().abs()) } else { 1.0 };
            Self { rotation: frame.rotation, scale, direction }
        };
        skeleton.ids().map(frame).collect()
    }

    /// Returns the frame in a world that faces the other way.
    #[must_use]
    pub fn turned_around(&self) -> Self {
        Self { rotation: HALF_TURN * self.rotation, direction: HALF_TURN * self.direction, ..*self }
    }

    /// Returns the frame of the mirror image across X = 0. The X axis is also flipped, so the frame stays right-handed.
    #[must_use]
    pub fn mirrored(&self) -> Self {
        let rotation = FlipAxis::X.flip_rotation(self.rotation);
        Self { rotation, direction: FlipAxis::X.flip_point(self.direction), ..*self }
    }

    /// Returns the turn from this bone to a bone of another character. `facing` rotates the world of this character to
    /// the other world. Returns `None` if values in both frames mean the same.
    ///
    /// If both rest poses differ, as an A-pose and a T-pose do, a value can keep its place relative to the world or to
    /// the bone. The smaller turn is used, so values between equal axes never change.
    pub fn turn_to(&self, target: &Self, facing: Quat) -> Option<FrameTurn> {
        let is_known = |frame: &Self| {
            frame.rotation.is_normalized()
                && frame.scale.is_finite()
                && frame.scale > 0.0
                && frame.direction.is_finite()
        };
        if !is_known(self) || !is_known(target) {
            return None;
        }
        let turn = |align: Quat| (target.rotation.inverse() * align * facing * self.rotation).normalize();
        let mut rotation = turn(Quat::IDENTITY);
        if self.direction != Vec3::ZERO && target.direction != Vec3::ZERO {
            let along = turn(Quat::from_rotation_arc(facing * self.direction, target.direction));
            if along.w.abs() > rotation.w.abs() + TOLERANCE * TOLERANCE {
                rotation = along;
            }
        }
        let scale = self.scale / target.scale;
        let is_turned = Vec3::new(rotation.x, rotation.y, rotation.z).length() > 0.5 * TOLERANCE;
        let is_scaled = (scale - 1.0).abs() > TOLERANCE;
        let axis = target.rotation.inverse() * target.direction;
        (is_turned || is_scaled).then_some(FrameTurn { rotation, scale: if is_scaled { scale } else { 1.0 }, axis })
    }
}

/// Half a turn about Y, from a world that faces +Z to a world that faces -Z and back.
pub(super) const HALF_TURN: Quat = Quat::from_xyzw(0.0, 1.0, 0.0, 0.0);

/// The conversion of values from the frame of a bone to the frame of another bone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameTurn {
    /// Rotates vectors of the first bone to the second bone.
    pub rotation: Quat,
    /// Multiplies lengths of the first bone.
    pub scale: f32,
    /// Unit vector in the second bone's frame to its first child, or zero.
    axis: Vec3,
}

impl FrameTurn {
    /// Returns the name of a node with the axes that a bone has on another character.
    pub fn node_name(bone: &str) -> String {
        format!("{bone}_Axes")
    }

    /// Converts a point or an offset.
    pub fn point(&self, point: Vec3) -> Vec3 {
        self.rotation * point * self.scale
    }

    /// Converts the transform of a child.
    #[must_use]
    pub fn local(&self, local: Trs) -> Trs {
        Trs {
            translation: self.point(local.translation),
            rotation: (self.rotation * local.rotation).normalize(),
            scale: local.scale * self.scale,
        }
    }

    /// The transform of a child that keeps the first bone's frame on the second bone.
    pub(super) fn frame(&self) -> Trs {
        Trs { translation: Vec3::ZERO, rotation: self.rotation, scale: Vec3::splat(self.scale) }
    }

    /// Rotates vectors in the space whose X points along the first bone to the same space of the second bone. `None` if the
    /// direction of the bone is unknown.
    pub(super) fn rotation_along_bone(&self) -> Option<Quat> {
        let axis = self.axis.try_normalize()?;
        // The solvers use the same arc, in which rounding errors do not determine the axis of a half turn.
        let from_x = |axis: Vec3| shortest_arc(Vec3::X, axis);
        Some((from_x(axis).inverse() * self.rotation * from_x(self.rotation.inverse() * axis)).normalize())
    }

    /// Converts the rotation of a swing limit, which is relative to the shortest arc from +Y to the bone's direction.
    pub(super) fn limit_rotation(&self, rotation: Quat, tip: Option<Vec3>) -> Quat {
        let Some(axis) = tip.unwrap_or(self.axis).try_normalize() else { return rotation };
        let arc = |axis: Vec3| shortest_arc(Vec3::Y, axis);
        let before = self.rotation.inverse() * axis;
        (arc(axis).inverse() * self.rotation * arc(before) * rotation).normalize()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_errors_of_a_direction_along_minus_x_do_not_turn_the_space_along_the_bone() {
        let [before, after] = [Vec3::new(-1.0, 1e-3, 0.0), Vec3::new(-1.0, 0.0, 1e-3)].map(Vec3::normalize);
        let turn = FrameTurn { rotation: Quat::from_rotation_arc(before, after), scale: 1.0, axis: after };
        let along = turn.rotation_along_bone().expect("the bone has a direction");
        assert!(along.angle_between(Quat::IDENTITY) < 1e-2, "{along}");
    }
}
