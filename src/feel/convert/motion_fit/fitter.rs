//! One search under way: the motion that is wanted, the world that tries, and what is best so far.

use super::candidate::{Candidate, Granularity, Variable};
use super::least_squares::{Objective, SearchPlan, SplitMix64, minimize};
use super::motion_trace::{MotionTrace, TrackedTip};
use super::skeleton_subset::SkeletonSubset;
use super::{ChainFit, MotionDifference, MotionFitResult, Progress, RESIDUAL_STRIDE, RecordedMotion, STAGES};
use crate::document::{ChainId, Document, ResolvedDocument};
use crate::feel::starting_feel::FRAME_SECONDS;
use crate::feel::{convert::Conversion, convert::chains_with_new_solver};
use crate::params::ParamId;
use crate::rig::{BoneId, Character};
use crate::sim::{JointIndex, SystemSetup, World};
use glam::Vec3;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

/// Units of more joints get no numbers joint by joint.
const MAX_JOINTS_PER_UNIT: usize = 40;

/// A search under way.
pub(super) struct MotionFitter<'a, 'b> {
    recorded: RecordedMotion,
    resolved: ResolvedDocument,
    /// At rest, under the other solver.
    world: World,
    tracked: Vec<TrackedTip>,
    /// Joints, by their positions in the draft, whose numbers are searched together since they move each other.
    units: Vec<Vec<usize>>,
    candidate: Candidate,
    /// As the formula says.
    formula_systems: Vec<SystemSetup>,
    target: MotionTrace,
    progress: &'a mut Progress<'b>,
    evaluations: usize,
    total_evaluations: usize,
}

impl<'a, 'b> MotionFitter<'a, 'b> {
    /// Moves the character once as it was.
    pub(super) fn new(
        before: &Document,
        character: &Character,
        conversion: &Conversion,
        take: &RecordedMotion,
        hear: &'a mut Progress<'b>,
    ) -> ControlFlow<(), Self> {
        let narrow = SkeletonSubset::new(&character.skeleton, [before, &conversion.after]);
        let take = RecordedMotion {
            poses: take.poses.iter().map(|pose| narrow.subset_pose(pose)).collect(),
            tick_seconds: take.tick_seconds,
        };
        let former = narrow.subset_document(before).resolve(&narrow.skeleton);
        let former_world = World::build(&former.skeleton, &former.systems);
        let after = narrow.subset_document(&conversion.after);
        let resolved = after.resolve(&narrow.skeleton);
        let world = World::build(&resolved.skeleton, &resolved.systems);
        let draft =
            Candidate::new(&after, &resolved, &chains_with_new_solver(before, &conversion.after), FRAME_SECONDS);
        let watched = tracked_tips(&draft, [(&former, &former_world), (&resolved, &world)]);
        let wanted = MotionTrace::record(former_world, &take, &watched, &mut || hear(0.0))?;
        let formula = resolved.systems.clone();
        let units = dependent_units(&resolved, &draft);
        let mut matching = Self {
            recorded: take,
            resolved,
            world,
            tracked: watched,
            units,
            candidate: draft,
            formula_systems: formula,
            target: wanted,
            progress: hear,
            evaluations: 0,
            total_evaluations: 1,
        };
        let most =
            |grain| matching.variables(&matching.unit_joints(grain), grain).iter().map(Vec::len).max().unwrap_or(0);
        matching.total_evaluations =
            STAGES.iter().map(|(grain, plan)| plan.max_evaluations(most(*grain))).sum::<usize>() + 3;
        ControlFlow::Continue(matching)
    }

    /// The joints of each problem of a stage.
    fn unit_joints(&self, grain: Granularity) -> Vec<Vec<usize>> {
        match grain {
            Granularity::Systems => vec![(0..self.candidate.joints.len()).collect()],
            _ => self.units.clone(),
        }
    }

    fn variables(&self, joints: &[Vec<usize>], grain: Granularity) -> Vec<Vec<Variable>> {
        // A large network has more joints than could be tried one by one.
        let few = |joints: &&Vec<usize>| grain != Granularity::Joints || joints.len() <= MAX_JOINTS_PER_UNIT;
        let dims =
            |joints| Some(joints).filter(few).map_or_else(Vec::new, |joints| self.candidate.variables(joints, grain));
        joints.iter().map(dims).collect()
    }

    /// Searches at one grain, and goes on from what it finds.
    pub(super) fn run_stage(
        &mut self,
        grain: Granularity,
        plan: SearchPlan,
        random: &mut SplitMix64,
    ) -> ControlFlow<()> {
        let joints = self.unit_joints(grain);
        let dims = self.variables(&joints, grain);
        let unknowns: Vec<usize> = dims.iter().map(Vec::len).collect();
        let looks = self.evaluations + plan.max_evaluations(unknowns.iter().copied().max().unwrap_or(0));
        let points =
            minimize(&unknowns, plan, random, &mut SearchStage { fitter: self, joints: &joints, variables: &dims })?;
        let systems = self.systems_at(&joints, &dims, &points);
        self.candidate.set_systems(systems);
        self.evaluations = looks;
        ControlFlow::Continue(())
    }

    fn systems_at(&self, joints: &[Vec<usize>], dims: &[Vec<Variable>], points: &[Vec<f64>]) -> Vec<SystemSetup> {
        let mut systems = self.candidate.systems.clone();
        for ((joints, dims), point) in joints.iter().zip(dims).zip(points) {
            self.candidate.write_point(joints, dims, point, &mut systems);
        }
        systems
    }

    fn progress_fraction(&self) -> f32 {
        (self.evaluations as f32 / self.total_evaluations as f32).min(1.0)
    }

    /// Moves the character with these numbers.
    fn simulate(&mut self, systems: &[SystemSetup]) -> ControlFlow<(), MotionTrace> {
        let share = self.progress_fraction();
        self.evaluations += 1;
        let mut world = self.world.clone();
        world.bake(systems);
        MotionTrace::record(world, &self.recorded, &self.tracked, &mut || (self.progress)(share))
    }

    /// The best of what was found, of what was found where it helped, and of the formula.
    pub(super) fn finish(mut self, conversion: &Conversion) -> ControlFlow<(), MotionFitResult> {
        let formula = self.simulate(&self.formula_systems.clone())?;
        let found = self.simulate(&self.candidate.systems.clone())?;
        let helped = self.improved_units_only(&formula, &found);
        let mixed = self.simulate(&helped)?;
        let all = |trace: &MotionTrace| trace.difference(&self.target, 0..self.tracked.len());
        let first = all(&formula);
        let tries =
            [(found, self.candidate.systems.clone()), (mixed, helped), (formula.clone(), self.formula_systems.clone())];
        let nearer = |a: &f32, b: &f32| if a.is_finite() { a.total_cmp(b) } else { std::cmp::Ordering::Greater };
        let best = tries.into_iter().min_by(|a, b| nearer(&all(&a.0).metres, &all(&b.0).metres));
        let Some((trace, systems)) = best else { return ControlFlow::Break(()) };
        ControlFlow::Continue(MotionFitResult {
            formula_difference: first,
            fitted_difference: all(&trace),
            chains: self.chain_fits(&formula, &trace),
            after: self.write_to_document(conversion, &systems),
        })
    }

    /// What was found, but the formula's numbers for units that came no nearer by it.
    fn improved_units_only(&self, formula: &MotionTrace, found: &MotionTrace) -> Vec<SystemSetup> {
        let mut systems = self.candidate.systems.clone();
        for unit in &self.units {
            let off = |trace: &MotionTrace| trace.difference(&self.target, unit.iter().copied()).metres;
            if off(found) < off(formula) {
                continue;
            }
            for joint in unit {
                let (system, at) = self.candidate.joints[*joint].index;
                systems[system].joints[at].values.clone_from(&self.formula_systems[system].joints[at].values);
            }
        }
        systems
    }

    fn chain_fits(&self, formula: &MotionTrace, found: &MotionTrace) -> Vec<ChainFit> {
        let mut joints: BTreeMap<ChainId, Vec<usize>> = BTreeMap::new();
        for (at, joint) in self.candidate.joints.iter().enumerate() {
            joints.entry(self.resolved.joint_by_bone[&joint.bone].0).or_default().push(at);
        }
        let off = |trace: &MotionTrace, joints: &[usize]| trace.difference(&self.target, joints.iter().copied());
        let told = |(chain, joints): (ChainId, Vec<usize>)| {
            let (formula, matched): (MotionDifference, MotionDifference) = (off(formula, &joints), off(found, &joints));
            ChainFit { chain, formula_difference: formula, fitted_difference: matched }
        };
        let mut chains: Vec<ChainFit> = joints.into_iter().map(told).collect();
        chains.sort_by(|a, b| b.fitted_difference.metres.total_cmp(&a.fitted_difference.metres));
        chains
    }

    /// The converted document with other numbers; rows that the search left alone stay as they are.
    fn write_to_document(&self, conversion: &Conversion, systems: &[SystemSetup]) -> Document {
        let mut after = conversion.after.clone();
        for joint in &self.candidate.joints {
            let (system, at) = joint.index;
            let (values, old) = (&systems[system].joints[at].values, &self.formula_systems[system].joints[at].values);
            let Some((chain, position)) = self.resolved.joint_by_bone.get(&joint.bone) else { continue };
            let Some(chain) = after.chains.get_mut(chain) else { continue };
            let rows = (0..values.len()).map(|row| ParamId(row as u16));
            for row in rows.filter(|row| values.get(*row) != old.get(*row)) {
                chain.joints[*position].overrides.insert(row, values.get(row));
            }
        }
        for (setup, id) in systems.iter().zip(&self.resolved.system_ids) {
            if let Some(system) = after.systems.get_mut(id) {
                system.values.clone_from(&setup.values);
            }
        }
        let moved: BTreeSet<ChainId> =
            self.candidate.joints.iter().map(|j| self.resolved.joint_by_bone[&j.bone].0).collect();
        after
            .chains
            .iter_mut()
            .filter(|(id, _)| moved.contains(id))
            .for_each(|(_, chain)| promote_common_overrides(chain));
        after
    }
}

/// One grain of the search.
struct SearchStage<'s, 'a, 'b> {
    fitter: &'s mut MotionFitter<'a, 'b>,
    joints: &'s [Vec<usize>],
    variables: &'s [Vec<Variable>],
}

impl Objective for SearchStage<'_, '_, '_> {
    fn evaluate(&mut self, points: &[Vec<f64>]) -> ControlFlow<(), Vec<Vec<f32>>> {
        let systems = self.fitter.systems_at(self.joints, self.variables, points);
        let trace = self.fitter.simulate(&systems)?;
        let off = |joints: &Vec<usize>| trace.tip_errors(&self.fitter.target, joints, RESIDUAL_STRIDE);
        ControlFlow::Continue(self.joints.iter().map(off).collect())
    }

    fn check_cancelled(&mut self) -> ControlFlow<()> {
        let share = self.fitter.progress_fraction();
        (self.fitter.progress)(share)
    }
}

/// What all joints have of their own and alike is the chain's.
fn promote_common_overrides(chain: &mut crate::document::Chain) {
    for row in (0..chain.values.len()).map(|row| ParamId(row as u16)) {
        let own = |at: usize| chain.joints[at].overrides.get(&row).copied();
        let Some(first) = own(0) else { continue };
        if (0..chain.joints.len()).all(|at| own(at) == Some(first)) {
            chain.values[row.index()] = crate::document::ChainValue { base: first, curve: None };
            chain.joints.iter_mut().for_each(|joint| _ = joint.overrides.remove(&row));
        }
    }
}

/// The tips of all joints, as the former solver sees them; where it sees none, as the other does.
fn tracked_tips(draft: &Candidate, worlds: [(&ResolvedDocument, &World); 2]) -> Vec<TrackedTip> {
    let places = worlds.map(|(resolved, world)| (joint_indices(resolved), world));
    let tip = |bone: BoneId| {
        let tips = places.iter().filter_map(|(joints, world)| world.tip_offset(*joints.get(&bone)?));
        tips.into_iter().find(|tip| tip.is_finite() && tip.length_squared() > 0.0).unwrap_or(Vec3::ZERO)
    };
    draft.joints.iter().map(|joint| TrackedTip { bone: joint.bone, tip_offset: tip(joint.bone) }).collect()
}

fn joint_indices(resolved: &ResolvedDocument) -> BTreeMap<BoneId, JointIndex> {
    let of = |(system, setup): (usize, &SystemSetup)| {
        let index = move |joint: usize| JointIndex { system: system as u32, joint: joint as u32 };
        setup.joints.iter().enumerate().map(|(at, joint)| (joint.bone, index(at))).collect::<Vec<_>>()
    };
    resolved.systems.iter().enumerate().flat_map(of).collect()
}

/// Chains that hang on each other, and those of a network, are one unit.
fn dependent_units(resolved: &ResolvedDocument, draft: &Candidate) -> Vec<Vec<usize>> {
    let mut unit_of: BTreeMap<ChainId, ChainId> = BTreeMap::new();
    let mut networks: BTreeMap<usize, ChainId> = BTreeMap::new();
    let mut join = |a: ChainId, b: ChainId| {
        let of = |unit_of: &BTreeMap<ChainId, ChainId>, id| unit_of.get(&id).copied().unwrap_or(id);
        let (kept, gone) = (of(&unit_of, a).min(of(&unit_of, b)), of(&unit_of, a).max(of(&unit_of, b)));
        unit_of.entry(a).or_insert(a);
        unit_of.entry(b).or_insert(b);
        unit_of.values_mut().filter(|unit| **unit == gone).for_each(|unit| *unit = kept);
    };
    for joint in &draft.joints {
        let chain = resolved.joint_by_bone[&joint.bone].0;
        join(chain, chain);
        for above in resolved.skeleton.ancestors(joint.bone).filter_map(|bone| resolved.joint_by_bone.get(&bone)) {
            join(chain, above.0);
        }
        if draft.systems[joint.index.0].solver.info().links_chains {
            join(chain, *networks.entry(joint.index.0).or_insert(chain));
        }
    }
    let mut units: BTreeMap<ChainId, Vec<usize>> = BTreeMap::new();
    for (at, joint) in draft.joints.iter().enumerate() {
        let chain = resolved.joint_by_bone[&joint.bone].0;
        units.entry(unit_of[&chain]).or_default().push(at);
    }
    units.into_values().collect()
}
