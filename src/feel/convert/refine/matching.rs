//! One search under way: the motion that is wanted, the world that tries, and what is best so far.

use super::draft::{Dim, Draft, Grain};
use super::narrow::Narrow;
use super::search::{Field, Plan, Random, search};
use super::trace::{Trace, Watched};
use super::{ChainMatch, Difference, Hear, Matched, STAGES, STRIDE, Take};
use crate::document::{ChainId, Document, Resolved};
use crate::feel::starting::FRAME;
use crate::feel::{convert::Conversion, convert::moved_chains};
use crate::rig::{BoneId, Character};
use crate::schema::Row;
use crate::sim::{JointIndex, SystemSetup, World};
use glam::Vec3;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

/// Units of more joints get no numbers joint by joint.
const MOST_JOINTS: usize = 40;

/// A search under way.
pub(super) struct Matching<'a, 'b> {
    take: Take,
    resolved: Resolved,
    /// At rest, under the other solver.
    world: World,
    watched: Vec<Watched>,
    /// Joints, by their positions in the draft, whose numbers are searched together since they move each other.
    units: Vec<Vec<usize>>,
    draft: Draft,
    /// As the formula says.
    formula: Vec<SystemSetup>,
    wanted: Trace,
    hear: &'a mut Hear<'b>,
    looks: usize,
    all_looks: usize,
}

impl<'a, 'b> Matching<'a, 'b> {
    /// Moves the character once as it was.
    pub(super) fn new(
        before: &Document,
        character: &Character,
        conversion: &Conversion,
        take: &Take,
        hear: &'a mut Hear<'b>,
    ) -> ControlFlow<(), Self> {
        let narrow = Narrow::new(&character.skeleton, [before, &conversion.after]);
        let take = Take { poses: take.poses.iter().map(|pose| narrow.pose(pose)).collect(), tick: take.tick };
        let former = narrow.document(before).resolve(&narrow.skeleton);
        let former_world = World::build(&former.skeleton, &former.systems);
        let after = narrow.document(&conversion.after);
        let resolved = after.resolve(&narrow.skeleton);
        let world = World::build(&resolved.skeleton, &resolved.systems);
        let draft = Draft::new(&after, &resolved, &moved_chains(before, &conversion.after), FRAME);
        let watched = watched(&draft, [(&former, &former_world), (&resolved, &world)]);
        let wanted = Trace::of(former_world, &take, &watched, &mut || hear(0.0))?;
        let formula = resolved.systems.clone();
        let units = units(&resolved, &draft);
        let mut matching =
            Self { take, resolved, world, watched, units, draft, formula, wanted, hear, looks: 0, all_looks: 1 };
        let most = |grain| matching.dims(&matching.joints(grain), grain).iter().map(Vec::len).max().unwrap_or(0);
        matching.all_looks = STAGES.iter().map(|(grain, plan)| plan.looks(most(*grain))).sum::<usize>() + 3;
        ControlFlow::Continue(matching)
    }

    /// The joints of each problem of a stage.
    fn joints(&self, grain: Grain) -> Vec<Vec<usize>> {
        match grain {
            Grain::Whole => vec![(0..self.draft.joints.len()).collect()],
            _ => self.units.clone(),
        }
    }

    fn dims(&self, joints: &[Vec<usize>], grain: Grain) -> Vec<Vec<Dim>> {
        // A large network has more joints than could be tried one by one.
        let few = |joints: &&Vec<usize>| grain != Grain::Joints || joints.len() <= MOST_JOINTS;
        let dims = |joints| Some(joints).filter(few).map_or_else(Vec::new, |joints| self.draft.dims(joints, grain));
        joints.iter().map(dims).collect()
    }

    /// Searches at one grain, and goes on from what it finds.
    pub(super) fn stage(&mut self, grain: Grain, plan: Plan, random: &mut Random) -> ControlFlow<()> {
        let joints = self.joints(grain);
        let dims = self.dims(&joints, grain);
        let unknowns: Vec<usize> = dims.iter().map(Vec::len).collect();
        let looks = self.looks + plan.looks(unknowns.iter().copied().max().unwrap_or(0));
        let points = search(&unknowns, plan, random, &mut Stage { matching: self, joints: &joints, dims: &dims })?;
        let systems = self.systems(&joints, &dims, &points);
        self.draft.take(systems);
        self.looks = looks;
        ControlFlow::Continue(())
    }

    fn systems(&self, joints: &[Vec<usize>], dims: &[Vec<Dim>], points: &[Vec<f64>]) -> Vec<SystemSetup> {
        let mut systems = self.draft.systems.clone();
        for ((joints, dims), point) in joints.iter().zip(dims).zip(points) {
            self.draft.write(joints, dims, point, &mut systems);
        }
        systems
    }

    fn share(&self) -> f32 {
        (self.looks as f32 / self.all_looks as f32).min(1.0)
    }

    /// Moves the character with these numbers.
    fn run(&mut self, systems: &[SystemSetup]) -> ControlFlow<(), Trace> {
        let share = self.share();
        self.looks += 1;
        let mut world = self.world.clone();
        world.bake(systems);
        Trace::of(world, &self.take, &self.watched, &mut || (self.hear)(share))
    }

    /// The best of what was found, of what was found where it helped, and of the formula.
    pub(super) fn finish(mut self, conversion: &Conversion) -> ControlFlow<(), Matched> {
        let formula = self.run(&self.formula.clone())?;
        let found = self.run(&self.draft.systems.clone())?;
        let helped = self.helped(&formula, &found);
        let mixed = self.run(&helped)?;
        let all = |trace: &Trace| trace.difference(&self.wanted, 0..self.watched.len());
        let first = all(&formula);
        let tries = [(found, self.draft.systems.clone()), (mixed, helped), (formula.clone(), self.formula.clone())];
        let nearer = |a: &f32, b: &f32| if a.is_finite() { a.total_cmp(b) } else { std::cmp::Ordering::Greater };
        let best = tries.into_iter().min_by(|a, b| nearer(&all(&a.0).metres, &all(&b.0).metres));
        let Some((trace, systems)) = best else { return ControlFlow::Break(()) };
        ControlFlow::Continue(Matched {
            formula: first,
            matched: all(&trace),
            chains: self.chains(&formula, &trace),
            after: self.written(conversion, &systems),
        })
    }

    /// What was found, but the formula's numbers for units that came no nearer by it.
    fn helped(&self, formula: &Trace, found: &Trace) -> Vec<SystemSetup> {
        let mut systems = self.draft.systems.clone();
        for unit in &self.units {
            let off = |trace: &Trace| trace.difference(&self.wanted, unit.iter().copied()).metres;
            if off(found) < off(formula) {
                continue;
            }
            for joint in unit {
                let (system, at) = self.draft.joints[*joint].at;
                systems[system].joints[at].values.clone_from(&self.formula[system].joints[at].values);
            }
        }
        systems
    }

    fn chains(&self, formula: &Trace, found: &Trace) -> Vec<ChainMatch> {
        let mut joints: BTreeMap<ChainId, Vec<usize>> = BTreeMap::new();
        for (at, joint) in self.draft.joints.iter().enumerate() {
            joints.entry(self.resolved.index[&joint.bone].0).or_default().push(at);
        }
        let off = |trace: &Trace, joints: &[usize]| trace.difference(&self.wanted, joints.iter().copied());
        let told = |(chain, joints): (ChainId, Vec<usize>)| {
            let (formula, matched): (Difference, Difference) = (off(formula, &joints), off(found, &joints));
            ChainMatch { chain, formula, matched }
        };
        let mut chains: Vec<ChainMatch> = joints.into_iter().map(told).collect();
        chains.sort_by(|a, b| b.matched.metres.total_cmp(&a.matched.metres));
        chains
    }

    /// The converted document with other numbers; rows that the search left alone stay as they are.
    fn written(&self, conversion: &Conversion, systems: &[SystemSetup]) -> Document {
        let mut after = conversion.after.clone();
        for joint in &self.draft.joints {
            let (system, at) = joint.at;
            let (values, old) = (&systems[system].joints[at].values, &self.formula[system].joints[at].values);
            let Some((chain, position)) = self.resolved.index.get(&joint.bone) else { continue };
            let Some(chain) = after.chains.get_mut(chain) else { continue };
            let rows = (0..values.len()).map(|row| Row(row as u16));
            for row in rows.filter(|row| values.get(*row) != old.get(*row)) {
                chain.joints[*position].own.insert(row, values.get(row));
            }
        }
        for (setup, id) in systems.iter().zip(&self.resolved.ids) {
            if let Some(system) = after.systems.get_mut(id) {
                system.values.clone_from(&setup.values);
            }
        }
        let moved: BTreeSet<ChainId> = self.draft.joints.iter().map(|j| self.resolved.index[&j.bone].0).collect();
        after.chains.iter_mut().filter(|(id, _)| moved.contains(id)).for_each(|(_, chain)| tidy(chain));
        after
    }
}

/// One grain of the search.
struct Stage<'s, 'a, 'b> {
    matching: &'s mut Matching<'a, 'b>,
    joints: &'s [Vec<usize>],
    dims: &'s [Vec<Dim>],
}

impl Field for Stage<'_, '_, '_> {
    fn look(&mut self, points: &[Vec<f64>]) -> ControlFlow<(), Vec<Vec<f32>>> {
        let systems = self.matching.systems(self.joints, self.dims, points);
        let trace = self.matching.run(&systems)?;
        let off = |joints: &Vec<usize>| trace.off(&self.matching.wanted, joints, STRIDE);
        ControlFlow::Continue(self.joints.iter().map(off).collect())
    }

    fn pause(&mut self) -> ControlFlow<()> {
        let share = self.matching.share();
        (self.matching.hear)(share)
    }
}

/// What all joints have of their own and alike is the chain's.
fn tidy(chain: &mut crate::document::Chain) {
    for row in (0..chain.values.len()).map(|row| Row(row as u16)) {
        let own = |at: usize| chain.joints[at].own.get(&row).copied();
        let Some(first) = own(0) else { continue };
        if (0..chain.joints.len()).all(|at| own(at) == Some(first)) {
            chain.values[row.index()] = crate::document::Authored { base: first, curve: None };
            chain.joints.iter_mut().for_each(|joint| _ = joint.own.remove(&row));
        }
    }
}

/// The tips of all joints, as the former solver sees them; where it sees none, as the other does.
fn watched(draft: &Draft, worlds: [(&Resolved, &World); 2]) -> Vec<Watched> {
    let places = worlds.map(|(resolved, world)| (joints_of(resolved), world));
    let tip = |bone: BoneId| {
        let tips = places.iter().filter_map(|(joints, world)| world.tip_offset(*joints.get(&bone)?));
        tips.into_iter().find(|tip| tip.is_finite() && tip.length_squared() > 0.0).unwrap_or(Vec3::ZERO)
    };
    draft.joints.iter().map(|joint| Watched { bone: joint.bone, tip: tip(joint.bone) }).collect()
}

fn joints_of(resolved: &Resolved) -> BTreeMap<BoneId, JointIndex> {
    let of = |(system, setup): (usize, &SystemSetup)| {
        let index = move |joint: usize| JointIndex { system: system as u32, joint: joint as u32 };
        setup.joints.iter().enumerate().map(|(at, joint)| (joint.bone, index(at))).collect::<Vec<_>>()
    };
    resolved.systems.iter().enumerate().flat_map(of).collect()
}

/// Chains that hang on each other, and those of a network, are one unit.
fn units(resolved: &Resolved, draft: &Draft) -> Vec<Vec<usize>> {
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
        let chain = resolved.index[&joint.bone].0;
        join(chain, chain);
        for above in resolved.skeleton.ancestors(joint.bone).filter_map(|bone| resolved.index.get(&bone)) {
            join(chain, above.0);
        }
        if draft.systems[joint.at.0].solver.info().network {
            join(chain, *networks.entry(joint.at.0).or_insert(chain));
        }
    }
    let mut units: BTreeMap<ChainId, Vec<usize>> = BTreeMap::new();
    for (at, joint) in draft.joints.iter().enumerate() {
        let chain = resolved.index[&joint.bone].0;
        units.entry(unit_of[&chain]).or_default().push(at);
    }
    units.into_values().collect()
}
