//! Builds topology and rest data from a setup.

use super::improved::{RootMotion, RootPose};
use super::{JointRest, LengthTargetRest, Rest, State};
use crate::collider::BoundingSphere;
use crate::math::Frame;
use crate::rig::{BoneId, Skeleton, WorldPose};
use crate::solver::batch::batch_joints;
use crate::solver::{mark_with_ancestors, referenced_bones};
use crate::step_pose::NO_PARENT;
use crate::vec_util::{IndexRange, sanitize, unit_or_zero};
use crate::{ColliderShape, JointSetup, SystemSetup, TipSetup};
use glam::Vec3;
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn build(setup: &SystemSetup, skeleton: &Skeleton, world: &WorldPose) -> (Rest, State) {
    // Unity's sort is not stable. Here, joints of equal depth keep the order of the setup.
    let sorted = setup.joints_by_depth(skeleton);
    let mut rest = Rest { solver_indices: vec![0; setup.joints.len()], ..Rest::default() };
    let mut state = State::default();
    let mut chains = BTreeMap::new();
    for (place, i) in sorted.iter().enumerate() {
        let joint = &setup.joints[*i];
        let frame = world.frame(joint.bone);
        let tip = finite_tip_or_leaf(tip_in_world(&joint.tip, frame, world), frame);
        let axis = unit_or_zero(frame.inverse_transform_point(tip));
        let rotation = skeleton.bone(joint.bone).rest.rotation.normalize();
        let next = chains.len() as u32;
        let chain = *chains.entry(joint.chain).or_insert(next);
        rest.solver_indices[*i] = place as u32;
        rest.joints.push(JointRest {
            bone: joint.bone.0,
            parent: skeleton.parent(joint.bone).map_or(NO_PARENT, |p| p.0),
            enabled: joint.enabled,
            animated: joint.animated,
            is_chain_start: chain == next,
            axis,
            rest_axis: rotation * axis,
            length: (tip - frame.position).length(),
            rotation,
            pivot: joint.pivot.map_or(NO_PARENT, |p| p.0),
            chain,
            colliders: IndexRange::append(&mut rest.colliders, sorted_colliders(joint, setup)),
            targets: IndexRange::append(&mut rest.targets, length_targets(joint, tip, world)),
            bones_to_refresh: IndexRange::default(),
        });
        state.tips.push(tip);
        state.previous.push(tip);
        state.animated_rotations.push(rotation);
    }
    rest.chain_count = chains.len();
    let chain_starts = rest.joints.iter().filter(|joint| joint.is_chain_start);
    state.chain_roots = chain_starts.map(|joint| RootPose { bone: joint.parent, ..RootPose::default() }).collect();
    state.root_motions = vec![RootMotion::NONE; chains.len()];
    rest.batches = batch_joints(setup, skeleton, &sorted);
    plan_refreshes(&mut rest, setup, skeleton);
    let joints: BTreeSet<BoneId> = setup.joints.iter().map(|joint| joint.bone).collect();
    let moves = |bone: BoneId| joints.contains(&bone) || skeleton.ancestors(bone).any(|above| joints.contains(&above));
    rest.moving_colliders = setup.colliders.iter().map(|collider| moves(collider.bone)).collect();
    state.collider_bounds = vec![BoundingSphere::EVERYWHERE; setup.colliders.len()];
    (rest, state)
}

/// Sorts a joint's colliders in the order in which Unity tests them: capsules, then spheres, then panels.
fn sorted_colliders(joint: &JointSetup, setup: &SystemSetup) -> Vec<u32> {
    let mut ids = joint.colliders.clone();
    ids.sort_by_key(|id| match setup.colliders[*id as usize].shape {
        ColliderShape::Capsule { inside: false, .. } => 0,
        ColliderShape::Sphere { inside: false, .. } => 1,
        ColliderShape::Panel { .. } => 2,
        _ => 3,
    });
    ids
}

pub(super) fn update_switches(rest: &mut Rest, setup: &SystemSetup) {
    for (given, place) in setup.joints.iter().zip(&rest.solver_indices) {
        let joint = &mut rest.joints[*place as usize];
        (joint.enabled, joint.animated) = (given.enabled, given.animated);
        let sorted = sorted_colliders(given, setup);
        let colliders = joint.colliders.slice_mut(&mut rest.colliders);
        colliders.iter_mut().zip(sorted).for_each(|(own, given)| *own = given);
        let targets = joint.targets.slice_mut(&mut rest.targets);
        for (own, given) in targets.iter_mut().zip(&given.length_targets) {
            own.constant = given.stiffness.map(sanitize);
        }
    }
}

fn length_targets(joint: &JointSetup, tip: Vec3, world: &WorldPose) -> impl Iterator<Item = LengthTargetRest> {
    joint.length_targets.iter().map(move |target| LengthTargetRest {
        bone: target.bone.0,
        length: (world.frame(target.bone).position - tip).length(),
        constant: target.stiffness,
    })
}

/// A tip at infinite distance has no direction, so the bone is treated as a leaf.
fn finite_tip_or_leaf(tip: Vec3, frame: &Frame) -> Vec3 {
    if (tip - frame.position).length().is_finite() { tip } else { leaf_tip(frame) }
}

fn leaf_tip(frame: &Frame) -> Vec3 {
    frame.position + frame.rotation * Vec3::X * 0.1
}

/// Position of the tip. Without children, the tip is 0.1 m from the head along the bone's +X axis, which is
/// `-transform.right` in Unity. With one child, the tip is at the child. With several children, the tip is in their
/// mean direction at their mean distance.
fn tip_in_world(tip: &TipSetup, frame: &Frame, world: &WorldPose) -> Vec3 {
    let head = frame.position;
    match tip {
        TipSetup::Offset(offset) => frame.transform_point(*offset),
        TipSetup::Bones(bones) => match bones.as_slice() {
            [] => leaf_tip(frame),
            [child] => world.frame(*child).position,
            children => {
                let count = children.len() as f32;
                let places = children.iter().map(|c| world.frame(*c).position);
                let distance = places.clone().map(|place| (place - head).length()).sum::<f32>() / count;
                let mean = places.sum::<Vec3>() / count - head;
                head + unit_or_zero(mean) * distance
            }
        },
    }
}

/// For each joint, finds the descendants whose frames are read by later joints. All other bones are updated after the
/// step.
fn plan_refreshes(rest: &mut Rest, setup: &SystemSetup, skeleton: &Skeleton) {
    let read = mark_with_ancestors(skeleton, referenced_bones(setup));
    let above_joints = setup.joints.iter().filter_map(|j| skeleton.parent(j.bone));
    let needed = mark_with_ancestors(skeleton, referenced_bones(setup).chain(above_joints));
    let mut is_joint = vec![false; skeleton.len()];
    setup.joints.iter().for_each(|j| is_joint[j.bone.index()] = true);
    for joint in &mut rest.joints {
        let from = rest.bones_to_refresh.len();
        let mut stack: Vec<BoneId> = skeleton.children(BoneId(joint.bone)).to_vec();
        while let Some(bone) = stack.pop() {
            // A descendant that is a joint refreshes its own bones later. They are listed here only if another joint
            // reads them before that.
            let passes = if is_joint[bone.index()] { read[bone.index()] } else { needed[bone.index()] };
            if passes {
                rest.bones_to_refresh.push(bone.0);
                stack.extend_from_slice(skeleton.children(bone));
            }
        }
        joint.bones_to_refresh = IndexRange::up_to_end(from, &rest.bones_to_refresh);
    }
}
