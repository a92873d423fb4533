//! Compares how far chains swing before and after a conversion, so that no conversion mutes a chain silently.
//!
//! Both documents play the built-in motion *turn* for a fixed number of ticks. The direction of a joint is measured
//! relative to its bone in the animated pose without swing. The swing of a joint is the largest angle between this
//! direction and the direction at the start of the motion. The swing of a chain is the mean over its joints. The
//! direction of a joint with a child bone is the direction to that bone, because some solvers move a child without
//! rotating its parent.
//!
//! The number of ticks limits the work. [`SwingComparison::advance`] can spread the ticks over several frames of a
//! window. The comparison uses neither a clock nor threads, so the result depends only on the input.

use super::motion_fit::SkeletonSubset;
use crate::document::{ChainId, Document};
use glam::Vec3;
use std::collections::BTreeMap;
use std::sync::Arc;
use yuremono_sim::rig::{BoneId, Character, Pose, WorldPose};
use yuremono_sim::rig::{MotionBody, TestMotion};
use yuremono_sim::{StepInput, World};

/// Ticks per second.
const TICKS_PER_SECOND: f32 = 60.0;
/// The number of ticks for which the first pose is held, so that chains are at rest when the motion starts.
const SETTLE_TICKS: usize = 30;
/// The number of ticks of the motion: one period of *turn*.
const MOTION_TICKS: usize = (TestMotion::Turn.period() * TICKS_PER_SECOND) as usize;
/// The amplitude of the motion, which is the default of the window.
const AMPLITUDE: f32 = 0.6;
/// Chains are reported if their swing decreases below this fraction.
const MIN_SWING_RATIO: f32 = 0.5;
/// Chains with a smaller swing, in degrees, are considered static.
const MIN_SWING_DEGREES: f32 = 0.5;

/// A chain that swings less than half as far as before the conversion.
#[derive(Clone, Debug, PartialEq)]
pub struct MutedChain {
    pub chain: ChainId,
    /// The swing before the conversion, in degrees.
    pub before: f32,
    /// The swing after the conversion, in degrees.
    pub after: f32,
}

/// A running comparison.
#[derive(Clone, Debug)]
pub struct SwingComparison {
    body: MotionBody,
    /// The relaxed pose, in which the motion starts.
    start: Pose,
    subset: SkeletonSubset,
    /// The simulations before and after the conversion.
    simulations: [SwingSimulation; 2],
    /// The number of finished ticks.
    tick: usize,
}

/// The simulation of one document.
#[derive(Clone, Debug)]
struct SwingSimulation {
    world: World,
    pose: Pose,
    /// The bones in the animated pose without swing.
    posed_frames: WorldPose,
    joints: Vec<JointSwing>,
}

/// The swing of one joint up to the current tick.
#[derive(Clone, Copy, Debug)]
struct JointSwing {
    chain: ChainId,
    bone: BoneId,
    /// The bone that defines the direction of the joint.
    child: Option<BoneId>,
    /// The direction of a joint without a child, as a unit vector in the bone's own space.
    axis: Vec3,
    /// The direction relative to the animated bone at the start of the motion.
    start_direction: Vec3,
    /// The largest angle to `start_direction`, in degrees.
    max_degrees: f32,
}

impl SwingComparison {
    /// The number of ticks per frame with which a window stays responsive.
    pub const TICKS_PER_FRAME: usize = 6;

    /// Compares the chains whose solver differs between the documents.
    pub fn new(before: &Document, character: &Arc<Character>, after: &Document) -> Self {
        let subset = SkeletonSubset::new(&character.skeleton, [before, after]);
        let moved = super::chains_with_new_solver(before, after);
        let side = |document: &Document| {
            let resolved = subset.subset_document(document).resolve(&subset.skeleton);
            let world = World::build(&resolved.skeleton, &resolved.systems);
            let joint = |bone: BoneId, chain| {
                let child = world.skeleton().children(bone).first().copied();
                let axis = world.skeleton().bone(bone).rest.translation.normalize_or(Vec3::Y);
                JointSwing { chain, bone, child, axis, start_direction: axis, max_degrees: 0.0 }
            };
            let of_moved = resolved.joint_by_bone.iter().filter(|(_, (chain, _))| moved.contains(chain));
            let joints = of_moved.map(|(bone, (chain, _))| joint(*bone, *chain)).collect();
            SwingSimulation { pose: Pose::rest(world.skeleton()), posed_frames: WorldPose::default(), world, joints }
        };
        let sides = [side(before), side(after)];
        let body = MotionBody::new(character);
        let mut start = Pose::rest(&character.skeleton);
        body.relax(&mut start);
        Self { start, body, subset, simulations: sides, tick: 0 }
    }

    /// Simulates up to `ticks` ticks of both documents. Returns whether the comparison is complete.
    pub fn advance(&mut self, ticks: usize) -> bool {
        if self.simulations[0].joints.is_empty() {
            return true;
        }
        let end = self.tick.saturating_add(ticks).min(SETTLE_TICKS + MOTION_TICKS);
        while self.tick < end {
            let seconds = self.tick.saturating_sub(SETTLE_TICKS) as f32 / TICKS_PER_SECOND;
            let mut pose = self.start.clone();
            TestMotion::Turn.apply(seconds, AMPLITUDE, &self.body, &mut pose);
            let pose = self.subset.subset_pose(&pose);
            for side in &mut self.simulations {
                side.step(&pose, self.tick);
            }
            self.tick += 1;
        }
        self.tick == SETTLE_TICKS + MOTION_TICKS
    }

    /// The chains that lost more than half of their swing, worst first. The result is final once the comparison is
    /// complete.
    pub fn muted(&self) -> Vec<MutedChain> {
        let [before, after] = self.simulations.each_ref().map(SwingSimulation::chain_swings);
        let pairs = before.iter().filter_map(|(chain, before)| Some((*chain, *before, *after.get(chain)?)));
        let lost = pairs.filter(|(_, before, after)| *before >= MIN_SWING_DEGREES && *after < MIN_SWING_RATIO * before);
        let mut muted: Vec<_> = lost.map(|(chain, before, after)| MutedChain { chain, before, after }).collect();
        muted.sort_by(|a, b| (a.after / a.before).total_cmp(&(b.after / b.before)));
        muted
    }

    /// The mean swing of all compared joints before and after the conversion, in degrees.
    pub fn mean_swings(&self) -> [f32; 2] {
        self.simulations.each_ref().map(|side| mean(side.joints.iter().map(|joint| joint.max_degrees)))
    }
}

/// Simulates *turn* before and after a conversion. Returns the chains that lost more than half of their swing, worst
/// first.
pub fn muted_chains(before: &Document, character: &Arc<Character>, after: &Document) -> Vec<MutedChain> {
    let mut comparison = SwingComparison::new(before, character, after);
    comparison.advance(usize::MAX);
    comparison.muted()
}

impl SwingSimulation {
    fn step(&mut self, pose: &Pose, tick: usize) {
        self.pose.local.iter_mut().zip(&pose.local).for_each(|(own, given)| *own = *given);
        if tick == 0 {
            self.world.reset(&self.pose);
        }
        self.world.step(&StepInput { pose: &self.pose, grab: None, dt: TICKS_PER_SECOND.recip() });
        if tick + 1 < SETTLE_TICKS {
            return;
        }
        let frames = &self.world.frames().frames;
        self.posed_frames.update(self.world.skeleton(), &self.pose);
        for joint in &mut self.joints {
            let frame = &frames[joint.bone.index()];
            let direction = match joint.child {
                Some(child) => frames[child.index()].position - frame.position,
                None => frame.rotation * joint.axis,
            };
            let direction = self.posed_frames.frame(joint.bone).rotation.inverse() * direction;
            if tick + 1 == SETTLE_TICKS {
                joint.start_direction = direction;
            }
            let angle =
                libm::atan2f(joint.start_direction.cross(direction).length(), joint.start_direction.dot(direction));
            joint.max_degrees = joint.max_degrees.max(angle.to_degrees());
        }
    }

    /// The mean swing of each chain's joints, in degrees.
    fn chain_swings(&self) -> BTreeMap<ChainId, f32> {
        let mut of_chain: BTreeMap<ChainId, Vec<f32>> = BTreeMap::new();
        for joint in &self.joints {
            of_chain.entry(joint.chain).or_default().push(joint.max_degrees);
        }
        of_chain.into_iter().map(|(chain, swings)| (chain, mean(swings.into_iter()))).collect()
    }
}

fn mean(values: impl ExactSizeIterator<Item = f32>) -> f32 {
    let count = values.len().max(1) as f32;
    values.sum::<f32>() / count
}
