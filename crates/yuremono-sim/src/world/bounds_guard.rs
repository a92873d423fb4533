//! The guard that runs after every step: removes NaN, and keeps bones within ten chain lengths of their chain.
//!
//! Extreme values can make a step overflow or fling bones away. Solvers only repair single NaN values. This guard
//! runs after every step of every solver and checks the heads, rotations and tips of all joints. If one joint of a
//! chain is bad, the whole chain returns to its rest pose, because the other joints follow the bad joint.
//!
//! The guard does not change a bit of a world within bounds. A fast test sums the squared distances of a few joints.
//! If the sum is below the bound, each distance is below the bound. NaN in one joint makes the sum NaN. Only if the
//! fast test fails is each joint checked.

use super::solver_instance::SolverJoint;
use crate::math::Frame;
use crate::rig::{BoneId, Pose, Skeleton, WorldPose};
use crate::step_pose::{NO_PARENT, StepPose};
use crate::vec_util::IndexRange;
use crate::{Solver, SystemSetup, TipState as _, vec_util};
use glam::{Quat, Vec3, Vec4};
use std::collections::BTreeMap;

/// Maximum distance of a head or tip from the head of its chain, in chain lengths. The tenth length is left for bones
/// beyond the last joint.
const MAX_DISTANCE_IN_CHAIN_LENGTHS: f32 = 9.0;
/// Minimum length of a chain, in metres; a chain that is a single leaf has length 0.
const MIN_CHAIN_LENGTH: f32 = 0.01;
/// Maximum length of a chain, in metres, which keeps squares finite.
const MAX_CHAIN_LENGTH: f32 = 1e6;
/// Range of the squared length of a valid rotation.
const UNIT_LENGTH_SQUARED: std::ops::RangeInclusive<f32> = 0.9..=1.1;
/// Maximum number of joints per sum. With this number, three points per joint within one chain length sum up to
/// little more than the square of [`MAX_DISTANCE_IN_CHAIN_LENGTHS`].
const JOINTS_PER_SUM: usize = 24;

/// The chains of a system, with the data that the guard checks.
#[derive(Clone, Debug, Default)]
pub(super) struct BoundsGuard {
    chains: Vec<GuardedChain>,
    joints: Vec<GuardedJoint>,
    /// Bone of each joint. For most joints, a step reads no other data.
    bones: Vec<u32>,
    /// Solver indices of the joints whose tips can move, chain by chain.
    tips: Vec<u32>,
    /// The root of each chain and its descendants, parents first, chain by chain.
    subtrees: Vec<u32>,
}

#[derive(Clone, Debug)]
struct GuardedChain {
    /// Range of `BoundsGuard::joints`.
    joints: IndexRange,
    /// Range of `BoundsGuard::tips`.
    tips: IndexRange,
    /// Range of `BoundsGuard::subtrees`.
    subtree: IndexRange,
    root: u32,
    parent: u32,
    /// Length from the head of the chain to its farthest tip at rest, in metres.
    length: f32,
    /// Scale of the parent at rest.
    scale: f32,
    /// Index in the setup of the first joint that went out of bounds since the last bake.
    first_out_of_bounds: Option<u32>,
}

#[derive(Clone, Copy, Debug)]
struct GuardedJoint {
    bone: u32,
    /// Index in the solver's order.
    solver_index: u32,
    /// Index in the setup.
    index: u32,
    /// Local rotation at rest.
    rotation: Quat,
}

impl BoundsGuard {
    /// Measures all chains. `world` is the rest pose.
    pub(super) fn new<S: Solver>(setup: &SystemSetup, rest: &S::Rest, skeleton: &Skeleton, world: &WorldPose) -> Self {
        let mut guard = Self::default();
        let mut chain_of: BTreeMap<(u32, BoneId), usize> = BTreeMap::new();
        let mut chains: Vec<(Vec<GuardedJoint>, BTreeMap<BoneId, f32>, f32)> = Vec::new();
        let mut sorted: Vec<usize> = (0..setup.joints.len()).collect();
        // In a skeleton, parents have lower ids than their children.
        sorted.sort_by_key(|joint| setup.joints[*joint].bone);
        let head = |bone: BoneId| world.frame(bone).position;
        for at in sorted {
            let (own, solver_index) = (&setup.joints[at], S::solver_indices(rest)[at]);
            let chain_with = |bone: BoneId| chain_of.get(&(own.chain, bone)).map(|chain| (bone, *chain));
            let ancestor = skeleton.ancestors(own.bone).find_map(chain_with);
            let chain = ancestor.map_or_else(
                || {
                    chains.push((Vec::new(), BTreeMap::new(), 0.0));
                    chains.len() - 1
                },
                |(_, chain)| chain,
            );
            chain_of.insert((own.chain, own.bone), chain);
            let (joints, distances, longest) = &mut chains[chain];
            let from = ancestor.and_then(|(ancestor, _)| Some((ancestor, *distances.get(&ancestor)?)));
            let distance = from.map_or(0.0, |(ancestor, far)| far + head(ancestor).distance(head(own.bone)));
            distances.insert(own.bone, distance);
            let length = distance + S::rest_length(rest, solver_index as usize);
            if length.is_finite() {
                *longest = longest.max(length);
            }
            let rotation = skeleton.bone(own.bone).rest.rotation;
            joints.push(GuardedJoint { bone: own.bone.0, solver_index, index: at as u32, rotation });
        }
        let roots: Vec<BoneId> = chains.iter().map(|(joints, ..)| BoneId(joints[0].bone)).collect();
        for ((joints, _, length), bones) in chains.into_iter().zip(subtrees(&roots, skeleton)) {
            let root = BoneId(joints[0].bone);
            let parent = skeleton.parent(root);
            guard.chains.push(GuardedChain {
                joints: IndexRange::append(&mut guard.joints, joints),
                tips: IndexRange::default(),
                subtree: IndexRange::append(&mut guard.subtrees, bones),
                root: root.0,
                parent: parent.map_or(NO_PARENT, |bone| bone.0),
                length: length.clamp(MIN_CHAIN_LENGTH, MAX_CHAIN_LENGTH),
                scale: parent.map_or(1.0, |bone| longest_axis_scale(world.frame(bone))),
                first_out_of_bounds: None,
            });
        }
        guard.bones = guard.joints.iter().map(|joint| joint.bone).collect();
        guard
    }

    /// Updates which joints are enabled, and clears the list of chains that went out of bounds.
    pub(super) fn bake<S: Solver>(&mut self, solver_joints: &[SolverJoint]) {
        self.tips.clear();
        for chain in &mut self.chains {
            let joints = chain.joints.slice(&self.joints);
            let moves = |solver_index: &u32| S::INFO.links_chains || solver_joints[*solver_index as usize].enabled;
            chain.tips =
                IndexRange::append(&mut self.tips, joints.iter().map(|joint| joint.solver_index).filter(moves));
            chain.first_out_of_bounds = None;
        }
    }

    /// Checks all chains after a step on the pose `input`, and resets the chains that are out of bounds.
    pub(super) fn check<S: Solver>(
        &mut self,
        rest: &S::Rest,
        state: &mut S::State,
        solver_joints: &[SolverJoint],
        step_pose: &mut StepPose<'_>,
        input: &Pose,
    ) {
        let mut any = false;
        for chain in &mut self.chains {
            let parent = step_pose.parent_frame(chain.parent);
            let anchor = parent.transform_point(input.local[chain.root as usize].translation);
            // A pose with NaN has no reference position. Solvers keep their tips during such a pose.
            if !anchor.is_finite() {
                continue;
            }
            // The scale is at least 1 because an animation that hides a chain by scaling it down may leave the tips
            // at rest length.
            let scale = if parent.scaled { (longest_axis_scale(parent) / chain.scale).max(1.0) } else { 1.0 };
            let reach = MAX_DISTANCE_IN_CHAIN_LENGTHS * chain.length * scale;
            let max_distance_squared = reach * reach;
            let tips = chain.tips.slice(&self.tips);
            if is_within_bounds::<S>(
                chain.joints.slice(&self.bones),
                tips,
                state,
                step_pose,
                anchor,
                max_distance_squared,
            ) {
                continue;
            }
            let joints = chain.joints.slice(&self.joints);
            let is_valid = |joint: &GuardedJoint| {
                let frame = &step_pose.frames[joint.bone as usize];
                let solver_index = joint.solver_index as usize;
                let enabled = solver_joints[solver_index].enabled;
                let tip = if enabled { state.tip(solver_index) } else { anchor };
                let is_near = |at: &Vec3| (*at - anchor).length_squared() <= max_distance_squared;
                // Comparisons with NaN are false.
                is_near(&frame.position)
                    && is_near(&tip)
                    && (!S::INFO.links_chains || state.display_points(solver_index).iter().all(is_near))
                    && UNIT_LENGTH_SQUARED.contains(&frame.rotation.length_squared())
            };
            if let Some(bad) = joints.iter().find(|joint| !is_valid(joint)) {
                chain.first_out_of_bounds.get_or_insert(bad.index);
                any = true;
                let below = chain.subtree.slice(&self.subtrees);
                reset_chain::<S>(joints, below, rest, state, step_pose, input);
            }
        }
        if any && S::INFO.links_chains {
            // Neighbours are linked to the chain and would pull it away again, so all chains are reset.
            for chain in &self.chains {
                let joints = chain.joints.slice(&self.joints);
                let below = chain.subtree.slice(&self.subtrees);
                reset_chain::<S>(joints, below, rest, state, step_pose, input);
            }
            S::reset(rest, state, step_pose);
        }
    }

    /// For each chain that went out of bounds, the index in the setup of its first joint that did.
    pub(super) fn out_of_bounds_joints(&self) -> impl Iterator<Item = u32> {
        self.chains.iter().filter_map(|chain| chain.first_out_of_bounds)
    }

    /// Updates the frames of all chains and their descendants.
    pub(super) fn refresh(&self, step_pose: &mut StepPose<'_>) {
        step_pose.refresh_all(&self.subtrees);
    }
}

/// The fast test: whether all joints of a chain are certainly within bounds. The test reads the frames of `bones` and
/// the positions of moving tips.
#[inline]
fn is_within_bounds<S: Solver>(
    bones: &[u32],
    tips: &[u32],
    state: &S::State,
    step_pose: &StepPose<'_>,
    anchor: Vec3,
    max_distance_squared: f32,
) -> bool {
    let frame = |bone: u32| &step_pose.frames[bone as usize];
    // Comparisons with NaN are false.
    let heads = bones.chunks(JOINTS_PER_SUM).all(|bones| {
        let heads = vec_util::sum_squared_distances(bones, anchor, |bone| frame(bone).position);
        let mut turns = Vec4::ZERO;
        for bone in bones {
            let rotation = Vec4::from(frame(*bone).rotation);
            turns += rotation * rotation;
        }
        // A rotation that is too long cannot hide a rotation that is too short: normalized rotations differ only by
        // rounding.
        heads <= max_distance_squared && (turns.element_sum() - bones.len() as f32).abs() < 0.1
    });
    heads && tips.chunks(JOINTS_PER_SUM).all(|tips| state.sum_squared_distances(tips, anchor) <= max_distance_squared)
}

/// Each root and its descendants, parents first.
fn subtrees(roots: &[BoneId], skeleton: &Skeleton) -> Vec<Vec<u32>> {
    let mut below = vec![Vec::new(); roots.len()];
    // A chain may be a descendant of another chain, so a bone can be a descendant of several roots.
    let mut chains_of: Vec<Vec<usize>> = vec![Vec::new(); skeleton.len()];
    for (chain, root) in roots.iter().enumerate() {
        chains_of[root.index()].push(chain);
    }
    for bone in skeleton.ids() {
        if let Some(parent) = skeleton.parent(bone) {
            let ancestor = chains_of[parent.index()].clone();
            chains_of[bone.index()].extend(ancestor);
        }
        chains_of[bone.index()].iter().for_each(|chain| below[*chain].push(bone.0));
    }
    below
}

/// Resets a chain to its rest pose relative to its parent.
fn reset_chain<S: Solver>(
    joints: &[GuardedJoint],
    below: &[u32],
    rest: &S::Rest,
    state: &mut S::State,
    step_pose: &mut StepPose<'_>,
    input: &Pose,
) {
    for bone in below {
        step_pose.pose[*bone as usize] = input.local[*bone as usize];
    }
    for joint in joints {
        step_pose.pose[joint.bone as usize].rotation = joint.rotation;
    }
    step_pose.refresh_all(below);
    for joint in joints {
        let frame = &step_pose.frames[joint.bone as usize];
        let tip = frame.position + frame.rotation * S::tip_offset(rest, joint.solver_index as usize);
        let tip = if tip.is_finite() { tip } else { frame.position };
        state.set_tip(joint.solver_index as usize, tip, tip);
    }
}

/// The scale of a frame along its longest axis.
fn longest_axis_scale(frame: &Frame) -> f32 {
    if !frame.scaled {
        return 1.0;
    }
    let linear = frame.linear();
    let axes: [Vec3; 3] = [linear.x_axis, linear.y_axis, linear.z_axis];
    axes.map(Vec3::length).into_iter().fold(0.0, f32::max).max(1e-6)
}
