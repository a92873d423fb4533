//! From a setup to topology and rest data.

use super::carry::{Carry, Root};
use super::{JointRest, Rest, State, Target};
use crate::math::Frame;
use crate::rig::{BoneId, Skeleton, WorldPose};
use crate::sim::kernel::{Span, finite, unit_or_zero};
use crate::sim::scene::WORLD;
use crate::sim::solver::fours::fours;
use crate::sim::solver::{read_bones, with_ancestors};
use crate::sim::{JointSetup, Shape, SystemSetup, TipSetup};
use glam::Vec3;
use std::collections::BTreeMap;

pub(super) fn build(setup: &SystemSetup, skeleton: &Skeleton, world: &WorldPose) -> (Rest, State) {
    // The engine's own sort is not stable; here joints of equal depth keep the setup's order.
    let mut sorted: Vec<usize> = (0..setup.joints.len()).collect();
    sorted.sort_by_key(|i| skeleton.depth(setup.joints[*i].bone));
    let mut rest = Rest { order: vec![0; setup.joints.len()], ..Rest::default() };
    let mut state = State::default();
    let mut chains = BTreeMap::new();
    for (place, i) in sorted.iter().enumerate() {
        let joint = &setup.joints[*i];
        let frame = world.frame(joint.bone);
        let tip = reachable(tip_in_world(&joint.tip, frame, world), frame);
        let axis = unit_or_zero(frame.inverse_point(tip));
        let rotation = skeleton.bone(joint.bone).rest.rotation.normalize();
        let next = chains.len() as u32;
        let chain = *chains.entry(joint.chain).or_insert(next);
        rest.order[*i] = place as u32;
        rest.joints.push(JointRest {
            bone: joint.bone.0,
            parent: skeleton.parent(joint.bone).map_or(WORLD, |p| p.0),
            enabled: joint.enabled,
            animated: joint.animated,
            leads: chain == next,
            axis,
            rest_axis: rotation * axis,
            length: (tip - frame.position).length(),
            rotation,
            pivot: joint.pivot.map_or(WORLD, |p| p.0),
            chain,
            colliders: Span::append(&mut rest.colliders, sorted_colliders(joint, setup)),
            targets: Span::append(&mut rest.targets, targets(joint, tip, world)),
            refresh: Span::default(),
        });
        state.tips.push(tip);
        state.previous.push(tip);
        state.skin.push(rotation);
    }
    rest.chains = chains.len();
    let leads = rest.joints.iter().filter(|joint| joint.leads);
    state.roots = leads.map(|joint| Root { bone: joint.parent, ..Root::default() }).collect();
    state.carries = vec![Carry::NONE; chains.len()];
    rest.fours = fours(setup, skeleton, &sorted);
    plan_refreshes(&mut rest, setup, skeleton);
    (rest, state)
}

/// The engine tests all capsules before all spheres before all panels, each in list order.
fn sorted_colliders(joint: &JointSetup, setup: &SystemSetup) -> Vec<u32> {
    let mut ids = joint.colliders.clone();
    ids.sort_by_key(|id| match setup.colliders[*id as usize].shape {
        Shape::Capsule { inside: false, .. } => 0,
        Shape::Sphere { inside: false, .. } => 1,
        Shape::Panel { .. } => 2,
        _ => 3,
    });
    ids
}

/// Reads again what a change of which is no change of topology.
pub(super) fn switch(rest: &mut Rest, setup: &SystemSetup) {
    for (given, place) in setup.joints.iter().zip(&rest.order) {
        let joint = &mut rest.joints[*place as usize];
        (joint.enabled, joint.animated) = (given.enabled, given.animated);
        let sorted = sorted_colliders(given, setup);
        let colliders = joint.colliders.of_mut(&mut rest.colliders);
        colliders.iter_mut().zip(sorted).for_each(|(own, given)| *own = given);
        let targets = joint.targets.of_mut(&mut rest.targets);
        for (own, given) in targets.iter_mut().zip(&given.length_targets) {
            own.constant = given.constant.map(finite);
        }
    }
}

fn targets(joint: &JointSetup, tip: Vec3, world: &WorldPose) -> impl Iterator<Item = Target> {
    joint.length_targets.iter().map(move |target| Target {
        bone: target.bone.0,
        length: (world.frame(target.bone).position - tip).length(),
        constant: target.constant,
    })
}

/// A tip as far off as files can say has no direction: such a bone is taken for a leaf.
fn reachable(tip: Vec3, frame: &Frame) -> Vec3 {
    if (tip - frame.position).length().is_finite() { tip } else { leaf_tip(frame) }
}

fn leaf_tip(frame: &Frame) -> Vec3 {
    frame.position + frame.rotation * Vec3::X * 0.1
}

/// Childless: a tenth of a metre along Unity's -right. One child: there. Several: at the mean distance towards their mean.
fn tip_in_world(tip: &TipSetup, frame: &Frame, world: &WorldPose) -> Vec3 {
    let head = frame.position;
    match tip {
        TipSetup::Offset(offset) => frame.point(*offset),
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

/// After each joint, the bones below it that later joints will read: those between it and the next joints, and those
/// on the way to what is read. Everything else is refreshed once, after the step.
fn plan_refreshes(rest: &mut Rest, setup: &SystemSetup, skeleton: &Skeleton) {
    let read = with_ancestors(skeleton, read_bones(setup));
    let above_joints = setup.joints.iter().filter_map(|j| skeleton.parent(j.bone));
    let needed = with_ancestors(skeleton, read_bones(setup).chain(above_joints));
    let mut is_joint = vec![false; skeleton.len()];
    setup.joints.iter().for_each(|j| is_joint[j.bone.index()] = true);
    for joint in &mut rest.joints {
        let from = rest.refresh.len();
        let mut stack: Vec<BoneId> = skeleton.children(BoneId(joint.bone)).to_vec();
        while let Some(bone) = stack.pop() {
            // A deeper joint moves its own bones, unless something below it is read before its turn.
            let passes = if is_joint[bone.index()] { read[bone.index()] } else { needed[bone.index()] };
            if passes {
                rest.refresh.push(bone.0);
                stack.extend_from_slice(skeleton.children(bone));
            }
        }
        joint.refresh = Span::since(from, &rest.refresh);
    }
}
