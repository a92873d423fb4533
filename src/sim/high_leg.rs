//! A node that leans with the thigh that is raised highest, after UTJ `UnityChanSpringBone`'s `HighLeg`.

use super::scene::Scene;
use super::setup::HighLegSetup;
use super::vec_util::unit_or_zero;
use crate::rig::{BoneId, Skeleton};
use glam::{Mat3, Quat, Vec3};

/// A high leg ready for the step.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct HighLegRuntime {
    hip: u32,
    legs: Vec<[u32; 2]>,
    /// The bone that is turned, then all below it, parents first.
    subtree: Vec<u32>,
}

impl HighLegRuntime {
    pub(super) fn new(setup: &HighLegSetup, skeleton: &Skeleton) -> Self {
        let mut moved = vec![setup.bone.0];
        let mut next = 0;
        while let Some(bone) = moved.get(next) {
            let children = skeleton.children(BoneId(*bone));
            moved.extend(children.iter().map(|child| child.0));
            next += 1;
        }
        let legs = setup.legs.iter().map(|leg| leg.map(|bone| bone.0)).collect();
        Self { hip: setup.hip.0, legs, subtree: moved }
    }

    /// Turns the bone; frames of hip, legs and the bone's parent are up to date.
    pub(super) fn apply(&self, scene: &mut Scene<'_>) {
        let hip = scene.frames[self.hip as usize].rotation;
        let at = |bone: u32| scene.frames[bone as usize].position;
        let legs = self.legs.iter().map(|[from, to]| unit_or_zero(at(*to) - at(*from)));
        let bone = self.subtree[0];
        let parent = scene.parent_frame(scene.parents[bone as usize]).rotation;
        let turned = parent.inverse() * lean_rotation(hip * Vec3::Z, hip * Vec3::Y, legs);
        if turned.is_finite() {
            scene.pose[bone as usize].rotation = turned.normalize();
        }
        self.subtree.iter().for_each(|bone| scene.refresh(*bone));
    }
}

/// The rotation that looks along the highest of the `legs` that point forward, within the plane of `forward` and `up`;
/// straight down where none does.
fn lean_rotation(forward: Vec3, up: Vec3, legs: impl Iterator<Item = Vec3>) -> Quat {
    let raised = legs.filter(|leg| leg.dot(forward) >= 0.0).fold(-1.0, |most: f32, leg| most.max(leg.dot(up)));
    let out = (1.0 - raised * raised).clamp(0.0, 1.0).sqrt();
    let hint = if raised > -0.5 { up } else { forward };
    look_rotation(up * raised + forward * out, hint, forward)
}

/// +Z along `direction` and +Y as near to `hint` as can be; `spare` stands in where these two are one line.
fn look_rotation(direction: Vec3, hint: Vec3, spare: Vec3) -> Quat {
    let z = unit_or_zero(direction);
    let x = hint.cross(z);
    let x = if x.length() > 1e-5 { x } else { z.cross(spare) };
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
