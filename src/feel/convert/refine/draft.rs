//! Numbers under way: what the search may change, and how a point of the search becomes numbers of joints.
//!
//! The unknowns are the terms of [`Sway`], since equal steps of these are equal to the eye under every solver; the
//! solver turns them into its numbers and keeps them in range. What it cannot say joint by joint it may know for the
//! whole system: then the gravity rows of its table are unknowns too.

use crate::document::measure::carried;
use crate::document::{ChainId, Document, Resolved};
use crate::rig::{BoneId, Pose, WorldPose};
use crate::schema::{Idea, Kind, ParamDef, ParamSet, Row, Scope, Touches, rows};
use crate::sim::solver::vrm;
use crate::sim::{Numbers, SolverKind, Sway, SystemSetup, Term};
use glam::Vec3;
use std::collections::{BTreeMap, BTreeSet};

/// Slowest swing that can become a faster one, Hz, and the least damping that can become more.
const LEAST: (f32, f32) = (0.1, 0.01);
/// A unit of pull, m/s².
const PULL: f32 = 1.0;
/// A unit of thickness, as a power of e.
const THICK: f32 = 0.5;
/// A unit of a number, as a share of the span of its slider.
const SHARE: f32 = 0.25;

/// What a unit of an unknown changes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum What {
    /// Doubles or so the speed.
    Speed,
    /// Doubles or so the damping.
    Settle,
    /// Adds to the pull along an axis.
    Pull(usize),
    /// Half as thick again or so.
    Radius,
    /// Adds to a number of joints: one of those that say how much of the body's motion is ignored.
    Own(Row, f32),
    /// Adds to a number of a system, by its position.
    System(usize, Row, f32),
}

/// Whom an unknown reaches.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Whom {
    All,
    /// The joints at the root most.
    Root,
    /// The last joints most.
    Tip,
    /// By its position among the joints of the draft.
    One(usize),
}

/// One unknown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Dim {
    what: What,
    whom: Whom,
}

/// How finely a unit is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grain {
    /// What belongs to whole systems, and all joints alike.
    Whole,
    /// From root to tip.
    Along,
    /// Each joint by itself.
    Joints,
}

/// One joint of the other solver.
#[derive(Clone, Debug)]
pub(super) struct Drafted {
    pub(super) bone: BoneId,
    /// System, and position in it.
    pub(super) at: (usize, usize),
    /// Along its chain, 0..=1.
    place: f32,
    /// Metres.
    length: f32,
    /// As in [`Numbers`].
    carried: f32,
    sway: Sway,
}

/// A character, some of whose chains are under another solver, with the numbers that are best so far.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub(super) systems: Vec<SystemSetup>,
    pub(super) joints: Vec<Drafted>,
    /// Length of the engine's frame, seconds.
    frame: f32,
}

impl Draft {
    pub(super) fn new(document: &Document, resolved: &Resolved, moved: &BTreeSet<ChainId>, frame: f32) -> Self {
        let rest = WorldPose::of(&resolved.skeleton, &Pose::rest(&resolved.skeleton));
        let of_chain = |id: &ChainId| {
            let chain = document.chains.get(id)?;
            let lengths: Vec<f32> = resolved.lengths[id].iter().map(|length| usable(*length)).collect();
            Some((*id, carried(chain, &lengths, &resolved.skeleton, &rest)))
        };
        let carried: BTreeMap<ChainId, Vec<f32>> = moved.iter().filter_map(of_chain).collect();
        let mut draft = Self { systems: resolved.systems.clone(), joints: Vec::new(), frame };
        for (system, refs) in resolved.joints.iter().enumerate() {
            for (at, joint) in refs.iter().enumerate().filter(|(_, joint)| moved.contains(&joint.chain)) {
                let Some((_, position)) = resolved.index.get(&joint.bone) else { continue };
                let length = usable(resolved.lengths[&joint.chain][*position]);
                let carried = carried[&joint.chain][*position];
                let place = resolved.places[&joint.chain][*position];
                let sway = draft.sway((system, at), length, carried);
                draft.joints.push(Drafted { bone: joint.bone, at: (system, at), place, length, carried, sway });
            }
        }
        draft
    }

    /// As its numbers are.
    fn sway(&self, (system, at): (usize, usize), length: f32, carried: f32) -> Sway {
        let setup = &self.systems[system];
        let now =
            Numbers { joint: &setup.joints[at].values, system: &setup.values, length, carried, frame: self.frame };
        Sway { follow: None, reach_deg: None, ..setup.solver.sway(&now) }
    }

    /// What can be searched for some joints.
    pub(super) fn dims(&self, joints: &[usize], grain: Grain) -> Vec<Dim> {
        let mut dims = Vec::new();
        let systems: Vec<usize> =
            (0..self.systems.len()).filter(|s| joints.iter().any(|j| self.joints[*j].at.0 == *s)).collect();
        if grain == Grain::Whole {
            dims.extend(systems.iter().flat_map(|s| self.system_dims(*s)));
        }
        let level = systems.iter().any(|s| is_level(&self.systems[*s]));
        let whom: Vec<Whom> = match grain {
            _ if level => vec![Whom::All],
            Grain::Joints => joints.iter().map(|j| Whom::One(*j)).collect(),
            _ if joints.len() < 2 => vec![Whom::All],
            _ => vec![Whom::Root, Whom::Tip],
        };
        let mut what = vec![What::Speed, What::Settle];
        what.extend([0, 1, 2].map(What::Pull).into_iter().filter(|_| joints.iter().any(|j| self.is_pulled(*j))));
        what.extend((grain != Grain::Whole).then_some(What::Radius));
        what.extend(systems.iter().flat_map(|s| self.following(&self.systems[*s])));
        dims.extend(whom.iter().flat_map(|whom| what.iter().map(|what| Dim { what: *what, whom: *whom })));
        dims
    }

    /// Whether numbers of a joint answer to its pull. Where an engine has one gravity for the whole system, joints may
    /// still resist it.
    fn is_pulled(&self, joint: usize) -> bool {
        let Drafted { at: (system, at), length, carried, sway, .. } = self.joints[joint];
        let setup = &self.systems[system];
        let now =
            Numbers { joint: &setup.joints[at].values, system: &setup.values, length, carried, frame: self.frame };
        let told = |pull| setup.solver.numbers(&Sway { pull, ..sway }, &now);
        let is = told(sway.pull);
        Vec3::AXES.iter().any(|axis| [PULL, -PULL].iter().any(|by| told(sway.pull + *axis * *by) != is))
    }

    /// Gravity of a system that has none for each joint; not where it pulls on chains that stay as they are.
    fn system_dims(&self, at: usize) -> Vec<Dim> {
        let setup = &self.systems[at];
        let shared = self.joints.iter().filter(|joint| joint.at.0 == at).count() < setup.joints.len();
        if shared || !lacks(setup, Term::Weight) {
            return Vec::new();
        }
        let fits = |def: &ParamDef| {
            def.scope == Scope::System
                && def.idea == Idea::Gravity
                && def.kind == Kind::Number
                && def.touches == Touches::Params
                && !def.beyond
        };
        let dim = |(row, def): (Row, &ParamDef)| Dim { what: What::System(at, row, unit(def)), whom: Whom::All };
        rows(setup.solver.info().params).filter(|(_, def)| fits(def)).map(dim).collect()
    }

    /// The numbers of joints that say how much of the body's motion is ignored; a sway has one share for all of them.
    fn following(&self, setup: &SystemSetup) -> Vec<What> {
        let table = setup.solver.info().params;
        let joint = ParamSet::defaults(table);
        let now = Numbers { joint: &joint, system: &setup.values, length: vrm::LEAF, carried: 0.0, frame: self.frame };
        let plain = Sway { follow: None, reach_deg: None, radius: None, ..setup.solver.sway(&now) };
        let told = |sway: Sway| setup.solver.numbers(&sway, &now).into_iter().map(|(row, _)| row);
        let without: BTreeSet<Row> = told(plain).collect();
        let of_follow = told(Sway { follow: Some(1.0), ..plain }).filter(|row| !without.contains(row));
        of_follow.map(|row| What::Own(row, unit(&table[row.index()]))).collect()
    }

    /// Writes the numbers of a point into `systems`, which are as this draft's are otherwise.
    pub(super) fn write(&self, joints: &[usize], dims: &[Dim], point: &[f64], systems: &mut [SystemSetup]) {
        if point.iter().all(|x| *x == 0.0) {
            return;
        }
        for (dim, x) in dims.iter().zip(point) {
            if let What::System(at, row, unit) = dim.what {
                let def = &systems[at].solver.info().params[row.index()];
                let value = self.systems[at].values.get(row) + unit * *x as f32;
                systems[at].values.set(row, value.clamp(def.range.0, def.range.1));
            }
        }
        for joint in joints {
            self.write_joint(*joint, dims, point, systems);
        }
        level(systems);
    }

    fn write_joint(&self, joint: usize, dims: &[Dim], point: &[f64], systems: &mut [SystemSetup]) {
        let Drafted { at: (system, at), length, carried, .. } = self.joints[joint];
        let setup = &mut systems[system];
        let table = setup.solver.info().params;
        for (dim, x) in dims.iter().zip(point) {
            if let What::Own(row, unit) = dim.what {
                let range = table[row.index()].range;
                let value = setup.joints[at].values.get(row) + unit * *x as f32 * self.share(*dim, joint);
                setup.joints[at].values.set(row, value.clamp(range.0, range.1));
            }
        }
        let Some(sway) = self.swayed(joint, dims, point) else { return };
        let now =
            Numbers { joint: &setup.joints[at].values, system: &setup.values, length, carried, frame: self.frame };
        for (row, value) in setup.solver.numbers(&sway, &now).into_iter().filter(|(_, v)| v.is_finite()) {
            setup.joints[at].values.set(row, value);
        }
    }

    /// How a joint sways at a point; `None` where that is as it is.
    fn swayed(&self, joint: usize, dims: &[Dim], point: &[f64]) -> Option<Sway> {
        let sway = self.joints[joint].sway;
        let mut new = sway;
        let (mut speed, mut settle, mut thick) = (0.0, 0.0, 0.0);
        for (dim, x) in dims.iter().zip(point) {
            let by = *x as f32 * self.share(*dim, joint);
            match dim.what {
                What::Speed => speed += by,
                What::Settle => settle += by,
                What::Pull(axis) => new.pull[axis] += by * PULL,
                What::Radius => thick += by * THICK,
                What::Own(..) | What::System(..) => {}
            }
        }
        if speed != 0.0 || settle != 0.0 {
            new.frequency_hz = new.frequency_hz.max(LEAST.0) * speed.exp();
            new.damping_ratio = new.damping_ratio.max(LEAST.1) * settle.exp();
        }
        if new == sway && thick == 0.0 {
            return None;
        }
        // A thickness that stays is not written anew.
        new.radius = sway.radius.filter(|_| thick != 0.0).map(|radius| radius * thick.exp());
        Some(new)
    }

    /// How much of an unknown reaches a joint.
    fn share(&self, dim: Dim, joint: usize) -> f32 {
        match dim.whom {
            Whom::All => 1.0,
            Whom::Root => 1.0 - self.joints[joint].place,
            Whom::Tip => self.joints[joint].place,
            Whom::One(one) => f32::from(u8::from(one == joint)),
        }
    }

    /// Goes on from other numbers.
    pub(super) fn take(&mut self, systems: Vec<SystemSetup>) {
        self.systems = systems;
        for joint in 0..self.joints.len() {
            let Drafted { at, length, carried, .. } = self.joints[joint];
            self.joints[joint].sway = self.sway(at, length, carried);
        }
    }
}

/// A length that formulas can divide by.
fn usable(length: f32) -> f32 {
    if length.is_finite() && length > 0.0 { length } else { vrm::LEAF }
}

/// How much of a number makes a difference.
fn unit(def: &ParamDef) -> f32 {
    SHARE * (def.soft_range.1 - def.soft_range.0)
}

fn lacks(setup: &SystemSetup, term: Term) -> bool {
    setup.solver.info().unsupported.iter().any(|(lacking, _)| *lacking == term)
}

/// VRM 0.x has one set of numbers for a whole tree.
fn is_level(setup: &SystemSetup) -> bool {
    setup.solver == SolverKind::Vrm && setup.values.get(vrm::VERSION) != 0.0
}

/// Gives the joints of each chain their mean where the solver has one set for all.
fn level(systems: &mut [SystemSetup]) {
    for setup in systems.iter_mut().filter(|setup| is_level(setup)) {
        for joints in setup.joints.chunk_by_mut(|a, b| a.chain == b.chain) {
            let mut numbers: Vec<ParamSet> = joints.iter().map(|j| j.values.clone()).collect();
            super::super::level(&mut numbers);
            joints.iter_mut().zip(numbers).for_each(|(joint, values)| joint.values = values);
        }
    }
}
