//! Set-up: who hangs on whom, and the bodies at rest.

use super::{
    AngularBounds, BodyPose, BodyVelocity, ContactDistance, JointAnchor, JointConstraint, JointRest, NO_BODY, Rest,
    State,
};
use crate::math::Frame;
use crate::rig::{BoneId, Skeleton, WorldPose};
use crate::sim::collider::WorldCollider;
use crate::sim::scene::{NO_PARENT, Scene};
use crate::sim::vec_util::IndexRange;
use crate::sim::{SystemSetup, TipSetup};
use glam::{Mat3, Quat, Vec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What `AnimDynamics` adds to a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "AnimDynamicsSetup")]
#[serde(default, deny_unknown_fields)]
pub struct AnimDynamicsSetup<N = BoneId> {
    /// `RelativeSpaceBone`: the bone whose motion is not felt where the simulation space is relative to a bone; the
    /// component where absent.
    #[serde(rename = "relative_space")]
    pub relative_space_bone: Option<N>,
}

impl<N> Default for AnimDynamicsSetup<N> {
    fn default() -> Self {
        Self { relative_space_bone: None }
    }
}

impl<N: Clone> AnimDynamicsSetup<N> {
    /// The same with other names for bones; what names one that has none is left out.
    pub fn map<M>(&self, mut name: impl FnMut(N) -> Option<M>) -> AnimDynamicsSetup<M> {
        AnimDynamicsSetup { relative_space_bone: self.relative_space_bone.clone().and_then(&mut name) }
    }
}

/// How far beyond a leaf its tip lies, metres. The engine has no tips; the app grabs and draws by them.
const LEAF_LENGTH: f32 = 0.07;

pub(super) fn build(setup: &SystemSetup, skeleton: &Skeleton, world: &WorldPose) -> (Rest, State) {
    let count = setup.joints.len();
    let mut sorted: Vec<usize> = (0..count).collect();
    sorted.sort_by_key(|i| skeleton.depth(setup.joints[*i].bone));
    let mut joint_at = vec![NO_BODY; skeleton.len()];
    let mut rest =
        Rest { solver_indices: vec![0; count], space_bones: space_bones(setup, skeleton), ..Rest::default() };
    for (place, i) in sorted.into_iter().enumerate() {
        let joint = &setup.joints[i];
        rest.solver_indices[i] = place as u32;
        joint_at[joint.bone.index()] = place as u32;
        let (above, between) = parent_joint(joint.bone, &joint_at, skeleton);
        let known = setup.valid_colliders(joint);
        let colliders = IndexRange::append(&mut rest.colliders, known);
        let local = skeleton.bone(joint.bone).rest;
        let tip = tip_offset(&joint.tip, joint.bone, skeleton, world);
        rest.joints.push(JointRest {
            bone: joint.bone.0,
            parent: skeleton.parent(joint.bone).map_or(NO_PARENT, |p| p.0),
            enabled: joint.enabled,
            parent_joint: above,
            skipped_bones: IndexRange::append(&mut rest.skipped_bones, between),
            colliders,
            rotation: local.rotation.normalize(),
            translation: local.translation,
            tip_offset: tip,
            bone_axis: tip.try_normalize().unwrap_or(Vec3::Y),
        });
    }
    let mut state = initial_state(&rest, setup.colliders.len());
    for (i, joint) in rest.joints.iter().enumerate() {
        snap_tip_to_pose(joint, i, &mut state, &world.frames[joint.bone as usize]);
    }
    (rest, state)
}

/// The nearest joint above a bone, and the bones between the two from the top.
fn parent_joint(bone: BoneId, joint_at: &[u32], skeleton: &Skeleton) -> (u32, Vec<u32>) {
    let mut between = Vec::new();
    for above in skeleton.ancestors(bone).filter(|above| *above != bone) {
        if joint_at[above.index()] != NO_BODY {
            between.reverse();
            return (joint_at[above.index()], between);
        }
        between.push(above.0);
    }
    (NO_BODY, Vec::new())
}

/// From head to tip in the bone's turning space, metres in the world: to the mean of its children.
fn tip_offset(tip: &TipSetup, bone: BoneId, skeleton: &Skeleton, world: &WorldPose) -> Vec3 {
    let frame = world.frame(bone);
    let turned = |point: Vec3| frame.rotation.inverse() * (point - frame.position);
    let found = match tip {
        TipSetup::Offset(offset) => Some(turned(frame.transform_point(*offset))),
        TipSetup::Bones(bones) if bones.is_empty() => None,
        TipSetup::Bones(bones) => {
            Some(turned(bones.iter().map(|b| world.frame(*b).position).sum::<Vec3>() / bones.len() as f32))
        }
    };
    // A tip as far off as files can say has no direction.
    let leaf = || skeleton.bone(bone).rest.translation.try_normalize().unwrap_or(Vec3::Y) * LEAF_LENGTH;
    found.filter(|tip| tip.length_squared().is_finite()).unwrap_or_else(leaf)
}

/// The bones that carry the simulation spaces, in the order of the choices.
fn space_bones(setup: &SystemSetup, skeleton: &Skeleton) -> [u32; 5] {
    let Some(first) = setup.joints.first().map(|joint| joint.bone) else { return [NO_PARENT; 5] };
    let up = || skeleton.ancestors(first).filter(|above| *above != first);
    let top = up().last();
    let component = setup.component.or(top);
    let below = |component: BoneId| up().take_while(|above| *above != component).last();
    let root = match setup.component {
        Some(component) if skeleton.is_ancestor(component, first) => below(component).or(Some(component)),
        _ => top,
    };
    let relative = setup.anim_dynamics.relative_space_bone.or(component);
    [component, top, None, root, relative].map(|bone| bone.map_or(NO_PARENT, |b| b.0))
}

fn initial_state(rest: &Rest, colliders: usize) -> State {
    let count = rest.joints.len();
    let hang = JointAnchor {
        rotation: Quat::IDENTITY,
        position: Vec3::ZERO,
        scale: 1.0,
        body_center: Vec3::ZERO,
        previous_rotation: Quat::IDENTITY,
        previous_position: Vec3::ZERO,
        velocity: BodyVelocity::default(),
        external_acceleration: Vec3::ZERO,
    };
    let link = JointConstraint {
        inverse_inertia: Mat3::ZERO,
        inverse_mass: 0.0,
        lever_arm: Vec3::ZERO,
        parent_lever_arm: Vec3::ZERO,
        offset: Vec3::ZERO,
        inverse_effective_mass: Mat3::ZERO,
        effective_mass: Mat3::ZERO,
        reference_rotation: Quat::IDENTITY,
        accumulated_impulse: Vec3::ZERO,
    };
    State {
        body_poses: vec![BodyPose { center: Vec3::ZERO, rotation: Quat::IDENTITY }; count],
        body_velocities: vec![BodyVelocity::default(); count],
        tips: vec![Vec3::ZERO; count],
        previous: vec![Vec3::ZERO; count],
        tip_was_set: vec![false; count],
        starts_from_pose: true,
        animated_frames: vec![Frame::WORLD; count],
        anchors: vec![hang; count],
        constraints: vec![link; count],
        angular_bounds: vec![AngularBounds::default(); count],
        contact_distances: vec![ContactDistance::NONE; rest.colliders.len()],
        world_colliders: vec![WorldCollider::Off; colliders],
        ..State::default()
    }
}

/// Lets a tip stand still where its bone points now.
fn snap_tip_to_pose(joint: &JointRest, i: usize, state: &mut State, frame: &Frame) {
    let tip = frame.position + frame.rotation * joint.tip_offset;
    if tip.is_finite() {
        (state.tips[i], state.previous[i]) = (tip, tip);
    }
}

/// Turns every joint to rest and lets its body stand still there.
pub(super) fn reset_to_rest(rest: &Rest, state: &mut State, scene: &mut Scene<'_>) {
    for (i, joint) in rest.joints.iter().enumerate() {
        let local = &mut scene.pose[joint.bone as usize];
        if joint.enabled {
            (local.rotation, local.translation) = (joint.rotation, joint.translation);
        }
        joint.skipped_bones.slice(&rest.skipped_bones).iter().for_each(|b| scene.refresh(*b));
        scene.refresh(joint.bone);
        state.tip_was_set[i] = false;
        snap_tip_to_pose(joint, i, state, &scene.frames[joint.bone as usize]);
    }
    state.starts_from_pose = true;
    state.accumulator = 0.0;
    state.previous_space = super::step::PreviousSpace::default();
}
