//! A running search: the target motion, the simulated world, and the best values so far.

use super::candidate::{Candidate, Granularity, Variable, average_shared_params};
use super::least_squares::{Objective, Points, Residuals, SearchPlan, SplitMix64, minimize};
use super::motion_trace::{MotionTrace, TrackedTip};
use super::simulation::PartialWorld;
use super::skeleton_subset::SkeletonSubset;
use super::{
    ChainDifference, ChainFit, ConversionDifference, EXPENSIVE_MAX_STEPS, EXPENSIVE_MIN_GAIN, EXPENSIVE_VISITS,
    MotionDifference, MotionFitInput, MotionFitResult, RESIDUAL_STRIDE, RecordedMotion, STAGES,
};
use crate::document::{ChainId, Document, ResolvedDocument};
use crate::feel::convert::chains_with_new_solver;
use crate::job::{JobControl, Workers};
use glam::Vec3;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use yuremono_sim::params::ParamId;
use yuremono_sim::rig::BoneId;
use yuremono_sim::{JointIndex, SystemSetup, World};

/// Units with more joints are not searched per joint.
const MAX_JOINTS_PER_UNIT: usize = 40;
/// A world without the other units is built if the share of active joints is lower.
const MAX_PARTIAL_SHARE: f32 = 0.9;

pub(super) struct MotionFitter<'a> {
    recorded: RecordedMotion,
    resolved: ResolvedDocument,
    /// The converted character at rest.
    world: World,
    tracked: Vec<TrackedTip>,
    /// The indices of joints that are searched together, because they affect each other.
    units: Vec<Vec<usize>>,
    /// Whether no unit affects another, so that units can be simulated without the others.
    independent_units: bool,
    candidate: Candidate,
    /// The values of the formula.
    formula_systems: Vec<SystemSetup>,
    formula_trace: MotionTrace,
    target: MotionTrace,
    workers: Workers<'a>,
    evaluations: usize,
    total_evaluations: usize,
}

impl<'a> MotionFitter<'a> {
    /// Simulates the document before the conversion once, and stores the result as the target.
    pub(super) fn new(input: MotionFitInput<'_>, control: JobControl<'a>) -> ControlFlow<(), Self> {
        let MotionFitInput { before, character, after: converted, motion, .. } = input;
        let workers = Workers::new(control);
        let subset = SkeletonSubset::new(&character.skeleton, [before, converted]);
        let motion = RecordedMotion {
            poses: motion.poses.iter().map(|pose| subset.subset_pose(pose)).collect(),
            tick_seconds: motion.tick_seconds,
        };
        let former = subset.subset_document(before).resolve(&subset.skeleton);
        let former_world = World::build(&former.skeleton, &former.systems);
        let after = subset.subset_document(converted);
        let resolved = after.resolve(&subset.skeleton);
        let world = World::build(&resolved.skeleton, &resolved.systems);
        let candidate = Candidate::new(&after, &resolved, &chains_with_new_solver(before, converted));
        let tracked = tracked_tips(&candidate, [(&former, &former_world), (&resolved, &world)]);
        let formula = resolved.systems.clone();
        let start = [former_world, world.clone()].map(PartialWorld::whole);
        let systems = [&former.systems, &formula];
        let record = |at: usize| start[at].simulate(systems[at], &motion, &tracked, &|| workers.report_progress(0.0));
        let mut traces = workers.map(2, record)?.into_iter();
        let (Some(wanted), Some(formula_trace)) = (traces.next(), traces.next()) else {
            return ControlFlow::Break(());
        };
        let units = dependent_units(&resolved, &candidate);
        ControlFlow::Continue(Self {
            recorded: motion,
            resolved,
            world,
            tracked,
            units,
            independent_units: false,
            candidate,
            formula_systems: formula,
            formula_trace,
            target: wanted,
            workers,
            evaluations: 0,
            total_evaluations: 1,
        })
    }

    /// Plans the stages of the search.
    pub(super) fn prepare_search(&mut self) -> ControlFlow<()> {
        let most = |granularity| {
            self.variables(&self.unit_joints(granularity), granularity).iter().map(Vec::len).max().unwrap_or(0)
        };
        let evaluations =
            |(granularity, plan): &(_, SearchPlan)| self.plan_for_solvers(*plan).max_evaluations(most(*granularity));
        self.total_evaluations = STAGES.iter().map(evaluations).sum::<usize>() + 3;
        self.independent_units = self.find_independence()?;
        ControlFlow::Continue(())
    }

    /// Returns how the values of the formula change the motion.
    pub(super) fn formula_difference(&self) -> ConversionDifference {
        let of_joints = |joints: &[usize]| self.formula_trace.difference(&self.target, joints.iter().copied());
        let of_chain =
            |(chain, joints): (ChainId, Vec<usize>)| ChainDifference { chain, difference: of_joints(&joints) };
        let mut chains: Vec<ChainDifference> = self.joints_by_chain().into_iter().map(of_chain).collect();
        chains.sort_by(|a, b| b.difference.max_metres.total_cmp(&a.difference.max_metres));
        let all: Vec<usize> = (0..self.tracked.len()).collect();
        ConversionDifference { all: of_joints(&all), chains, seconds: self.recorded.duration_seconds() }
    }

    /// Returns the indices of the searched joints of each chain.
    fn joints_by_chain(&self) -> BTreeMap<ChainId, Vec<usize>> {
        let mut joints: BTreeMap<ChainId, Vec<usize>> = BTreeMap::new();
        for (at, joint) in self.candidate.joints.iter().enumerate() {
            joints.entry(self.resolved.joint_by_bone[&joint.bone].0).or_default().push(at);
        }
        joints
    }

    fn unit_joints(&self, granularity: Granularity) -> Vec<Vec<usize>> {
        match granularity {
            Granularity::Systems => vec![(0..self.candidate.joints.len()).collect()],
            _ => self.units.clone(),
        }
    }

    fn variables(&self, joints: &[Vec<usize>], granularity: Granularity) -> Vec<Vec<Variable>> {
        // Large networks have too many joints for a search per joint.
        let few = |joints: &&Vec<usize>| granularity != Granularity::Joints || joints.len() <= MAX_JOINTS_PER_UNIT;
        let variables = |joints| {
            Some(joints).filter(few).map_or_else(Vec::new, |joints| self.candidate.variables(joints, granularity))
        };
        joints.iter().map(variables).collect()
    }

    /// Shortens a search if the solvers are expensive.
    pub(super) fn plan_for_solvers(&self, plan: SearchPlan) -> SearchPlan {
        let visits: u64 = self.world.workloads(self.recorded.tick_seconds).map(|work| work.visits).sum();
        if visits <= EXPENSIVE_VISITS * self.tracked.len() as u64 {
            return plan;
        }
        SearchPlan { max_steps: plan.max_steps.min(EXPENSIVE_MAX_STEPS), min_gain: EXPENSIVE_MIN_GAIN, ..plan }
    }

    /// Runs one stage, which starts from the result of the previous stage.
    pub(super) fn run_stage(
        &mut self,
        granularity: Granularity,
        plan: SearchPlan,
        random: &mut SplitMix64,
    ) -> ControlFlow<()> {
        let joints = self.unit_joints(granularity);
        let variables = self.variables(&joints, granularity);
        let unknowns: Vec<usize> = variables.iter().map(Vec::len).collect();
        let evaluations_after_stage =
            self.evaluations + plan.max_evaluations(unknowns.iter().copied().max().unwrap_or(0));
        let points = minimize(
            &unknowns,
            plan,
            random,
            &mut SearchStage { fitter: self, joints: &joints, variables: &variables },
        )?;
        let systems = self.systems_at(&joints, &variables, &points);
        self.candidate.set_systems(systems);
        self.evaluations = evaluations_after_stage;
        ControlFlow::Continue(())
    }

    fn systems_at(&self, joints: &[Vec<usize>], variables: &[Vec<Variable>], points: &[Vec<f64>]) -> Vec<SystemSetup> {
        let mut systems = self.candidate.systems.clone();
        let changed = |point: &[f64]| point.iter().any(|x| *x != 0.0);
        for ((joints, variables), point) in joints.iter().zip(variables).zip(points).filter(|(_, point)| changed(point))
        {
            self.candidate.write_point(joints, variables, point, &mut systems);
        }
        if points.iter().any(|point| changed(point)) {
            average_shared_params(&mut systems);
        }
        systems
    }

    fn progress_fraction(&self) -> f32 {
        (self.evaluations as f32 / self.total_evaluations as f32).min(1.0)
    }

    /// Simulates the character with these values.
    fn simulate(&mut self, systems: &[SystemSetup]) -> ControlFlow<(), MotionTrace> {
        let share = self.progress_fraction();
        self.evaluations += 1;
        let world = PartialWorld::whole(self.world.clone());
        world.simulate(systems, &self.recorded, &self.tracked, &|| self.workers.report_progress(share))
    }

    /// The world with only these joints, and the tips of the joints.
    fn part_with_joints(&self, joints: &[usize]) -> (PartialWorld, Vec<TrackedTip>) {
        let tracked = joints.iter().map(|joint| self.tracked[*joint]).collect();
        let places = joints.iter().map(|joint| self.candidate.joints[*joint].index);
        (PartialWorld::with_joints(&self.world, &self.formula_systems, places), tracked)
    }

    /// Whether each unit moves alike without the other units. For each bit of the units' indices, the units with and
    /// without the bit are simulated separately, so any two units are separated at least once.
    fn find_independence(&self) -> ControlFlow<(), bool> {
        let bits = usize::BITS - self.units.len().saturating_sub(1).leading_zeros();
        let moves_alike = |at: usize| {
            let (bit, is_set) = (at / 2, at % 2 == 1);
            let units = self.units.iter().enumerate().filter(|(index, _)| (index >> bit & 1 == 1) == is_set);
            let joints: Vec<usize> = units.flat_map(|(_, unit)| unit.iter().copied()).collect();
            let (world, tracked) = self.part_with_joints(&joints);
            let progress = || self.workers.report_progress(0.0);
            let trace = world.simulate(&self.formula_systems, &self.recorded, &tracked, &progress)?;
            ControlFlow::Continue(trace.moves_like(&self.formula_trace, joints.iter().copied().enumerate()))
        };
        let alike = self.workers.map(2 * bits as usize, moves_alike)?;
        ControlFlow::Continue(bits > 0 && alike.iter().all(|alike| *alike))
    }

    /// Selects the best of three results: the result of the search, the result with only the improved units, and the
    /// formula.
    pub(super) fn finish(mut self, converted: &Document) -> ControlFlow<(), MotionFitResult> {
        let formula = self.formula_trace.clone();
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
            after: self.write_to_document(converted, &systems),
        })
    }

    /// The result of the search, with the values of the formula for units that the search did not improve.
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
        let off = |trace: &MotionTrace, joints: &[usize]| trace.difference(&self.target, joints.iter().copied());
        let chain_fit = |(chain, joints): (ChainId, Vec<usize>)| {
            let (formula, matched): (MotionDifference, MotionDifference) = (off(formula, &joints), off(found, &joints));
            ChainFit { chain, formula_difference: formula, fitted_difference: matched }
        };
        let mut chains: Vec<ChainFit> = self.joints_by_chain().into_iter().map(chain_fit).collect();
        chains.sort_by(|a, b| b.fitted_difference.metres.total_cmp(&a.fitted_difference.metres));
        chains
    }

    /// The converted document with the values of the search. Parameters that the search did not change stay unchanged.
    fn write_to_document(&self, converted: &Document, systems: &[SystemSetup]) -> Document {
        let mut after = converted.clone();
        for joint in &self.candidate.joints {
            let (system, at) = joint.index;
            let (values, old) = (&systems[system].joints[at].values, &self.formula_systems[system].joints[at].values);
            let Some((chain, position)) = self.resolved.joint_by_bone.get(&joint.bone) else { continue };
            let Some(chain) = after.chains.get_mut(chain) else { continue };
            let rows = (0..values.len()).map(|param| ParamId(param as u16));
            for param in rows.filter(|param| values.get(*param) != old.get(*param)) {
                chain.joints[*position].overrides.insert(param, values.get(param));
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

struct SearchStage<'s, 'a> {
    fitter: &'s mut MotionFitter<'a>,
    joints: &'s [Vec<usize>],
    variables: &'s [Vec<Variable>],
}

impl Objective for SearchStage<'_, '_> {
    fn couples_problems(&self) -> bool {
        self.joints.len() > 1 && !self.fitter.independent_units
    }

    fn can_differ(&self, problem: usize, a: &[f64], b: &[f64]) -> bool {
        let (joints, variables) = (&self.joints[problem], &self.variables[problem]);
        let [a, b] = [a, b].map(|point| self.fitter.candidate.values_at(joints, variables, point));
        a != b
    }

    fn evaluate(&mut self, candidates: &[Points], active: &[bool]) -> ControlFlow<(), Vec<Residuals>> {
        let fitter = &*self.fitter;
        let active_joints = |(joints, active): (&Vec<usize>, &bool)| if *active { joints.clone() } else { Vec::new() };
        let joints: Vec<usize> = self.joints.iter().zip(active).flat_map(active_joints).collect();
        let is_part = (joints.len() as f32) < MAX_PARTIAL_SHARE * fitter.tracked.len() as f32;
        let (world, tracked, joints) = if fitter.independent_units && is_part {
            let (world, tracked) = fitter.part_with_joints(&joints);
            (world, tracked, joints)
        } else {
            let all = (0..fitter.tracked.len()).collect();
            (PartialWorld::whole(fitter.world.clone()), fitter.tracked.clone(), all)
        };
        let mut index_in_trace = vec![0; fitter.tracked.len()];
        joints.iter().enumerate().for_each(|(at, joint)| index_in_trace[*joint] = at);
        let evaluate_one = |at: usize| {
            let share = fitter.progress_fraction();
            let systems = fitter.systems_at(self.joints, self.variables, &candidates[at]);
            let progress = || fitter.workers.report_progress(share);
            let trace = world.simulate(&systems, &fitter.recorded, &tracked, &progress)?;
            let residual = |(joints, active): (&Vec<usize>, &bool)| {
                let joints = if *active { joints.as_slice() } else { &[] };
                let pairs = joints.iter().map(|joint| (index_in_trace[*joint], *joint));
                trace.tip_errors(&fitter.target, pairs, RESIDUAL_STRIDE)
            };
            ControlFlow::Continue(self.joints.iter().zip(active).map(residual).collect())
        };
        let found = fitter.workers.map(candidates.len(), evaluate_one)?;
        self.fitter.evaluations += candidates.len();
        ControlFlow::Continue(found)
    }

    fn check_cancelled(&mut self) -> ControlFlow<()> {
        self.fitter.workers.report_progress(self.fitter.progress_fraction())
    }
}

/// Moves overrides that are equal on all joints to the chain.
fn promote_common_overrides(chain: &mut crate::document::Chain) {
    for param in (0..chain.values.len()).map(|param| ParamId(param as u16)) {
        let own = |at: usize| chain.joints[at].overrides.get(&param).copied();
        let Some(first) = own(0) else { continue };
        if (0..chain.joints.len()).all(|at| own(at) == Some(first)) {
            chain.values[param.index()] = crate::document::ChainValue::constant(first);
            chain.joints.iter_mut().for_each(|joint| _ = joint.overrides.remove(&param));
        }
    }
}

/// The tips of all joints as the old solver defines them, or else as the new solver defines them.
fn tracked_tips(candidate: &Candidate, worlds: [(&ResolvedDocument, &World); 2]) -> Vec<TrackedTip> {
    let places = worlds.map(|(resolved, world)| (joint_indices(resolved), world));
    let tip = |bone: BoneId| {
        let tips = places.iter().filter_map(|(joints, world)| world.tip_offset(*joints.get(&bone)?));
        tips.into_iter().find(|tip| tip.is_finite() && tip.length_squared() > 0.0).unwrap_or(Vec3::ZERO)
    };
    candidate.joints.iter().map(|joint| TrackedTip { bone: joint.bone, tip_offset: tip(joint.bone) }).collect()
}

fn joint_indices(resolved: &ResolvedDocument) -> BTreeMap<BoneId, JointIndex> {
    let of = |(system, setup): (usize, &SystemSetup)| {
        let index = move |joint: usize| JointIndex { system: system as u32, joint: joint as u32 };
        setup.joints.iter().enumerate().map(|(at, joint)| (joint.bone, index(at))).collect::<Vec<_>>()
    };
    resolved.systems.iter().enumerate().flat_map(of).collect()
}

/// Groups the joints of dependent chains into units. A chain and its ancestor chains are in one unit, and so are all
/// chains of one network.
fn dependent_units(resolved: &ResolvedDocument, candidate: &Candidate) -> Vec<Vec<usize>> {
    let mut unit_of: BTreeMap<ChainId, ChainId> = BTreeMap::new();
    let mut networks: BTreeMap<usize, ChainId> = BTreeMap::new();
    let mut join = |a: ChainId, b: ChainId| {
        let of = |unit_of: &BTreeMap<ChainId, ChainId>, id| unit_of.get(&id).copied().unwrap_or(id);
        let (kept, gone) = (of(&unit_of, a).min(of(&unit_of, b)), of(&unit_of, a).max(of(&unit_of, b)));
        unit_of.entry(a).or_insert(a);
        unit_of.entry(b).or_insert(b);
        unit_of.values_mut().filter(|unit| **unit == gone).for_each(|unit| *unit = kept);
    };
    for joint in &candidate.joints {
        let chain = resolved.joint_by_bone[&joint.bone].0;
        join(chain, chain);
        for above in resolved.skeleton.ancestors(joint.bone).filter_map(|bone| resolved.joint_by_bone.get(&bone)) {
            join(chain, above.0);
        }
        if candidate.systems[joint.index.0].solver.info().links_chains {
            join(chain, *networks.entry(joint.index.0).or_insert(chain));
        }
    }
    let mut units: BTreeMap<ChainId, Vec<usize>> = BTreeMap::new();
    for (at, joint) in candidate.joints.iter().enumerate() {
        let chain = resolved.joint_by_bone[&joint.bone].0;
        units.entry(unit_of[&chain]).or_default().push(at);
    }
    units.into_values().collect()
}
