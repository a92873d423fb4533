//! A leg follower, based on `HighLeg` of `UnityChanSpringBone` by UTJ: a node that points along the thigh that is
//! raised highest.

use super::step_pose::StepPose;
use super::vec_util::unit_or_zero;
use crate::rig::{BoneId, Skeleton};
use glam::{Mat3, Quat, Vec3};

/// A leg follower, for example for the middle columns of a skirt: a node that points along the highest thigh.
#[derive(Clone, Debug, PartialEq)]
pub struct HighLegSetup {
    /// The bone that the leg follower rotates.
    pub bone: BoneId,
    /// The bone whose axes define forward and up.
    pub hip: BoneId,
    /// The bones at the start and at the end of each thigh.
    pub legs: Vec<[BoneId; 2]>,
}

/// A baked leg follower.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct HighLegRuntime {
    hip: u32,
    legs: Vec<[u32; 2]>,
    /// The rotated bone and its descendants, parents first.
    subtree: Vec<u32>,
}

impl HighLegRuntime {
    pub(super) fn new(setup: &HighLegSetup, skeleton: &Skeleton) -> Self {
        let subtree = skeleton.subtree(setup.bone).into_iter().map(|bone| bone.0).collect();
        let legs = setup.legs.iter().map(|leg| leg.map(|bone| bone.0)).collect();
        Self { hip: setup.hip.0, legs, subtree }
    }

    /// Rotates the bone. The frames of the hip, the legs and the parent must be up to date.
    pub(super) fn apply(&self, step_pose: &mut StepPose<'_>) {
        let hip = step_pose.frames[self.hip as usize].rotation;
        let at = |bone: u32| step_pose.frames[bone as usize].position;
        let legs = self.legs.iter().map(|[from, to]| unit_or_zero(at(*to) - at(*from)));
        let bone = self.subtree[0];
        let parent = step_pose.parent_frame(step_pose.parents[bone as usize]).rotation;
        let local = (parent.inverse() * lean_rotation(hip * Vec3::Z, hip * Vec3::Y, legs)).normalize();
        if local.is_finite() {
            step_pose.pose[bone as usize].rotation = local;
        }
        step_pose.refresh_all(&self.subtree);
    }
}

/// Returns the rotation that points along the highest of the `legs` that point forward, in the plane of `forward` and
/// `up`. Points straight down if no leg points forward.
fn lean_rotation(forward: Vec3, up: Vec3, legs: impl Iterator<Item = Vec3>) -> Quat {
    let raised = legs.filter(|leg| leg.dot(forward) >= 0.0).fold(-1.0, |most: f32, leg| most.max(leg.dot(up)));
    let out = (1.0 - raised * raised).clamp(0.0, 1.0).sqrt();
    let hint = if raised > -0.5 { up } else { forward };
    look_rotation(up * raised + forward * out, hint, forward)
}

/// Returns a rotation with +Z along `direction` and +Y close to `hint`. If both are parallel, `fallback` replaces
/// `hint`.
fn look_rotation(direction: Vec3, hint: Vec3, fallback: Vec3) -> Quat {
    let z = unit_or_zero(direction);
    let x = hint.cross(z);
    let x = if x.length() > 1e-5 { x } else { z.cross(fallback) };
    let x = unit_or_zero(x);
    Quat::from_mat3(&Mat3::from_cols(x, z.cross(x), z))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(legs: &[Vec3], direction: Vec3) {
        let rotation = lean_rotation(Vec3::Z, Vec3::Y, legs.iter().map(|leg| unit_or_zero(*leg)));
        assert!((rotation.length() - 1.0).abs() < 1e-5);
        assert!((rotation * Vec3::Z - unit_or_zero(direction)).length() < 1e-4, "{}", rotation * Vec3::Z);
    }

    #[test]
    fn the_node_points_along_the_highest_leg_in_front() {
        let (hanging, raised, behind) = (Vec3::NEG_Y, Vec3::new(0.2, -0.3, 0.8), Vec3::new(0.0, 0.9, -0.4));
        check(&[hanging, hanging], Vec3::NEG_Y);
        check(&[behind], Vec3::NEG_Y);
        let height = raised.normalize().y;
        check(&[hanging, raised, behind], Vec3::new(0.0, height, (1.0 - height * height).sqrt()));
        check(&[Vec3::Y], Vec3::Y);
        check(&[], Vec3::NEG_Y);
    }
}
