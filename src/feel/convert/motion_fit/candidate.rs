//! Numbers under way: what the search may change, and how a point of the search becomes numbers of joints.
//!
//! The unknowns are the terms of [`SpringResponse`], since equal steps of these are equal to the eye under every solver; the
//! solver turns them into its numbers and keeps them in range. What it cannot say joint by joint it may know for the
//! whole system: then the gravity rows of its table are unknowns too.

use crate::document::measure::unit_mass_inertias;
use crate::document::{ChainId, Document, ResolvedDocument};
use crate::params::{Invalidates, ParamDef, ParamId, ParamKind, ParamMeaning, ParamScope, ParamSet, enumerate_params};
use crate::rig::{BoneId, Pose, WorldPose};
use crate::sim::solver::vrm;
use crate::sim::{FeelParam, ResponseInput, SolverKind, SpringResponse, SystemSetup};
use glam::Vec3;
use std::collections::{BTreeMap, BTreeSet};

/// Slowest swing that can become a faster one, Hz, and the least damping that can become more.
const MIN_FREQUENCY_AND_DAMPING: (f32, f32) = (0.1, 0.01);
/// A unit of pull, m/s².
const ACCELERATION_UNIT: f32 = 1.0;
/// A unit of thickness, as a power of e.
const RADIUS_UNIT: f32 = 0.5;
/// A unit of a number, as a share of the span of its slider.
const SLIDER_UNIT: f32 = 0.25;

/// What a unit of an unknown changes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum VariableKind {
    /// Doubles or so the speed.
    Speed,
    /// Doubles or so the damping.
    Damping,
    /// Adds to the pull along an axis.
    Acceleration(usize),
    /// Half as thick again or so.
    Radius,
    /// Adds to a number of joints: one of those that say how much of the body's motion is ignored.
    JointParam(ParamId, f32),
    /// Adds to a number of a system, by its position.
    SystemParam(usize, ParamId, f32),
}

/// Whom an unknown reaches.
#[derive(Clone, Copy, Debug, PartialEq)]
enum VariableScope {
    All,
    /// The joints at the root most.
    Root,
    /// The last joints most.
    Tip,
    /// By its position among the joints of the draft.
    Joint(usize),
}

/// One unknown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Variable {
    kind: VariableKind,
    scope: VariableScope,
}

/// How finely a unit is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Granularity {
    /// What belongs to whole systems, and all joints alike.
    Systems,
    /// From root to tip.
    RootToTip,
    /// Each joint by itself.
    Joints,
}

/// One joint of the other solver.
#[derive(Clone, Debug)]
pub(super) struct CandidateJoint {
    pub(super) bone: BoneId,
    /// System, and position in it.
    pub(super) index: (usize, usize),
    /// Along its chain, 0..=1.
    curve_position: f32,
    /// Metres.
    length: f32,
    /// As in `AsJsonNumbers`.
    carried_inertia: f32,
    response: SpringResponse,
}

/// A character, some of whose chains are under another solver, with the numbers that are best so far.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) systems: Vec<SystemSetup>,
    pub(super) joints: Vec<CandidateJoint>,
    /// Length of the engine's frame, seconds.
    frame_seconds: f32,
}

impl Candidate {
    pub(super) fn new(document: &Document, resolved: &ResolvedDocument, moved: &BTreeSet<ChainId>, frame: f32) -> Self {
        let rest = WorldPose::from_pose(&resolved.skeleton, &Pose::rest(&resolved.skeleton));
        let of_chain = |id: &ChainId| {
            let chain = document.chains.get(id)?;
            let lengths: Vec<f32> = resolved.joint_lengths[id].iter().map(|length| usable_length(*length)).collect();
            Some((*id, unit_mass_inertias(chain, &lengths, &resolved.skeleton, &rest)))
        };
        let carried: BTreeMap<ChainId, Vec<f32>> = moved.iter().filter_map(of_chain).collect();
        let mut draft = Self { systems: resolved.systems.clone(), joints: Vec::new(), frame_seconds: frame };
        for (system, refs) in resolved.joint_refs.iter().enumerate() {
            for (at, joint) in refs.iter().enumerate().filter(|(_, joint)| moved.contains(&joint.chain)) {
                let Some((_, position)) = resolved.joint_by_bone.get(&joint.bone) else { continue };
                let length = usable_length(resolved.joint_lengths[&joint.chain][*position]);
                let carried = carried[&joint.chain][*position];
                let place = resolved.curve_positions[&joint.chain][*position];
                let sway = draft.response((system, at), length, carried);
                draft.joints.push(CandidateJoint {
                    bone: joint.bone,
                    index: (system, at),
                    curve_position: place,
                    length,
                    carried_inertia: carried,
                    response: sway,
                });
            }
        }
        draft
    }

    /// As its numbers are.
    fn response(&self, (system, at): (usize, usize), length: f32, carried: f32) -> SpringResponse {
        let setup = &self.systems[system];
        let now = ResponseInput {
            joint_params: &setup.joints[at].values,
            system_params: &setup.values,
            bone_length: length,
            carried_inertia: carried,
            frame_seconds: self.frame_seconds,
        };
        SpringResponse { ignored_motion: None, max_angle_deg: None, ..setup.solver.response(&now) }
    }

    /// What can be searched for some joints.
    pub(super) fn variables(&self, joints: &[usize], grain: Granularity) -> Vec<Variable> {
        let mut dims = Vec::new();
        let systems: Vec<usize> =
            (0..self.systems.len()).filter(|s| joints.iter().any(|j| self.joints[*j].index.0 == *s)).collect();
        if grain == Granularity::Systems {
            dims.extend(systems.iter().flat_map(|s| self.gravity_variables(*s)));
        }
        let level = systems.iter().any(|s| has_shared_params(&self.systems[*s]));
        let whom: Vec<VariableScope> = match grain {
            _ if level => vec![VariableScope::All],
            Granularity::Joints => joints.iter().map(|j| VariableScope::Joint(*j)).collect(),
            _ if joints.len() < 2 => vec![VariableScope::All],
            _ => vec![VariableScope::Root, VariableScope::Tip],
        };
        let mut what = vec![VariableKind::Speed, VariableKind::Damping];
        what.extend(
            [0, 1, 2]
                .map(VariableKind::Acceleration)
                .into_iter()
                .filter(|_| joints.iter().any(|j| self.responds_to_acceleration(*j))),
        );
        what.extend((grain != Granularity::Systems).then_some(VariableKind::Radius));
        what.extend(systems.iter().flat_map(|s| self.ignored_motion_variables(&self.systems[*s])));
        dims.extend(whom.iter().flat_map(|whom| what.iter().map(|what| Variable { kind: *what, scope: *whom })));
        dims
    }

    /// Whether numbers of a joint answer to its pull. Where an engine has one gravity for the whole system, joints may
    /// still resist it.
    fn responds_to_acceleration(&self, joint: usize) -> bool {
        let CandidateJoint { index: (system, at), length, carried_inertia: carried, response: sway, .. } =
            self.joints[joint];
        let setup = &self.systems[system];
        let now = ResponseInput {
            joint_params: &setup.joints[at].values,
            system_params: &setup.values,
            bone_length: length,
            carried_inertia: carried,
            frame_seconds: self.frame_seconds,
        };
        let told = |pull| setup.solver.params_for(&SpringResponse { acceleration: pull, ..sway }, &now);
        let is = told(sway.acceleration);
        Vec3::AXES.iter().any(|axis| {
            [ACCELERATION_UNIT, -ACCELERATION_UNIT].iter().any(|by| told(sway.acceleration + *axis * *by) != is)
        })
    }

    /// Gravity of a system that has none for each joint; not where it pulls on chains that stay as they are.
    fn gravity_variables(&self, at: usize) -> Vec<Variable> {
        let setup = &self.systems[at];
        let shared = self.joints.iter().filter(|joint| joint.index.0 == at).count() < setup.joints.len();
        if shared || !is_unsupported(setup, FeelParam::Weight) {
            return Vec::new();
        }
        let fits = |def: &ParamDef| {
            def.scope == ParamScope::System
                && def.meaning == ParamMeaning::Gravity
                && def.kind == ParamKind::Number
                && def.invalidates == Invalidates::Params
                && !def.extension
        };
        let dim = |(row, def): (ParamId, &ParamDef)| Variable {
            kind: VariableKind::SystemParam(at, row, param_unit(def)),
            scope: VariableScope::All,
        };
        enumerate_params(setup.solver.info().params).filter(|(_, def)| fits(def)).map(dim).collect()
    }

    /// The numbers of joints that say how much of the body's motion is ignored; a sway has one share for all of them.
    fn ignored_motion_variables(&self, setup: &SystemSetup) -> Vec<VariableKind> {
        let table = setup.solver.info().params;
        let joint = ParamSet::defaults(table);
        let now = ResponseInput {
            joint_params: &joint,
            system_params: &setup.values,
            bone_length: vrm::LEAF_LENGTH,
            carried_inertia: 0.0,
            frame_seconds: self.frame_seconds,
        };
        let plain =
            SpringResponse { ignored_motion: None, max_angle_deg: None, radius: None, ..setup.solver.response(&now) };
        let told = |sway: SpringResponse| setup.solver.params_for(&sway, &now).into_iter().map(|(row, _)| row);
        let without: BTreeSet<ParamId> = told(plain).collect();
        let of_follow =
            told(SpringResponse { ignored_motion: Some(1.0), ..plain }).filter(|row| !without.contains(row));
        of_follow.map(|row| VariableKind::JointParam(row, param_unit(&table[row.index()]))).collect()
    }

    /// Writes the numbers of a point into `systems`, which are as this draft's are otherwise.
    pub(super) fn write_point(&self, joints: &[usize], dims: &[Variable], point: &[f64], systems: &mut [SystemSetup]) {
        if point.iter().all(|x| *x == 0.0) {
            return;
        }
        for (dim, x) in dims.iter().zip(point) {
            if let VariableKind::SystemParam(at, row, unit) = dim.kind {
                let def = &systems[at].solver.info().params[row.index()];
                let value = self.systems[at].values.get(row) + unit * *x as f32;
                systems[at].values.set(row, value.clamp(def.range.0, def.range.1));
            }
        }
        for joint in joints {
            self.write_joint(*joint, dims, point, systems);
        }
        average_shared_params(systems);
    }

    fn write_joint(&self, joint: usize, dims: &[Variable], point: &[f64], systems: &mut [SystemSetup]) {
        let CandidateJoint { index: (system, at), length, carried_inertia: carried, .. } = self.joints[joint];
        let setup = &mut systems[system];
        let table = setup.solver.info().params;
        for (dim, x) in dims.iter().zip(point) {
            if let VariableKind::JointParam(row, unit) = dim.kind {
                let range = table[row.index()].range;
                let value = setup.joints[at].values.get(row) + unit * *x as f32 * self.influence(*dim, joint);
                setup.joints[at].values.set(row, value.clamp(range.0, range.1));
            }
        }
        let Some(sway) = self.response_at(joint, dims, point) else { return };
        let now = ResponseInput {
            joint_params: &setup.joints[at].values,
            system_params: &setup.values,
            bone_length: length,
            carried_inertia: carried,
            frame_seconds: self.frame_seconds,
        };
        for (row, value) in setup.solver.params_for(&sway, &now).into_iter().filter(|(_, v)| v.is_finite()) {
            setup.joints[at].values.set(row, value);
        }
    }

    /// How a joint sways at a point; `None` where that is as it is.
    fn response_at(&self, joint: usize, dims: &[Variable], point: &[f64]) -> Option<SpringResponse> {
        let sway = self.joints[joint].response;
        let mut new = sway;
        let (mut speed, mut settle, mut thick) = (0.0, 0.0, 0.0);
        for (dim, x) in dims.iter().zip(point) {
            let by = *x as f32 * self.influence(*dim, joint);
            match dim.kind {
                VariableKind::Speed => speed += by,
                VariableKind::Damping => settle += by,
                VariableKind::Acceleration(axis) => new.acceleration[axis] += by * ACCELERATION_UNIT,
                VariableKind::Radius => thick += by * RADIUS_UNIT,
                VariableKind::JointParam(..) | VariableKind::SystemParam(..) => {}
            }
        }
        if speed != 0.0 || settle != 0.0 {
            new.frequency_hz = new.frequency_hz.max(MIN_FREQUENCY_AND_DAMPING.0) * speed.exp();
            new.damping_ratio = new.damping_ratio.max(MIN_FREQUENCY_AND_DAMPING.1) * settle.exp();
        }
        if new == sway && thick == 0.0 {
            return None;
        }
        // A thickness that stays is not written anew.
        new.radius = sway.radius.filter(|_| thick != 0.0).map(|radius| radius * thick.exp());
        Some(new)
    }

    /// How much of an unknown reaches a joint.
    fn influence(&self, dim: Variable, joint: usize) -> f32 {
        match dim.scope {
            VariableScope::All => 1.0,
            VariableScope::Root => 1.0 - self.joints[joint].curve_position,
            VariableScope::Tip => self.joints[joint].curve_position,
            VariableScope::Joint(one) => f32::from(u8::from(one == joint)),
        }
    }

    /// Goes on from other numbers.
    pub(super) fn set_systems(&mut self, systems: Vec<SystemSetup>) {
        self.systems = systems;
        for joint in 0..self.joints.len() {
            let CandidateJoint { index: at, length, carried_inertia: carried, .. } = self.joints[joint];
            self.joints[joint].response = self.response(at, length, carried);
        }
    }
}

/// A length that formulas can divide by.
fn usable_length(length: f32) -> f32 {
    if length.is_finite() && length > 0.0 { length } else { vrm::LEAF_LENGTH }
}

/// How much of a number makes a difference.
fn param_unit(def: &ParamDef) -> f32 {
    SLIDER_UNIT * (def.soft_range.1 - def.soft_range.0)
}

fn is_unsupported(setup: &SystemSetup, term: FeelParam) -> bool {
    setup.solver.info().unsupported.iter().any(|(lacking, _)| *lacking == term)
}

/// VRM 0.x has one set of numbers for a whole tree.
fn has_shared_params(setup: &SystemSetup) -> bool {
    setup.solver == SolverKind::Vrm && setup.values.get(vrm::VERSION) != 0.0
}

/// Gives the joints of each chain their mean where the solver has one set for all.
fn average_shared_params(systems: &mut [SystemSetup]) {
    for setup in systems.iter_mut().filter(|setup| has_shared_params(setup)) {
        for joints in setup.joints.chunk_by_mut(|a, b| a.chain == b.chain) {
            let mut numbers: Vec<ParamSet> = joints.iter().map(|j| j.values.clone()).collect();
            super::super::average_params(&mut numbers);
            joints.iter_mut().zip(numbers).for_each(|(joint, values)| joint.values = values);
        }
    }
}
