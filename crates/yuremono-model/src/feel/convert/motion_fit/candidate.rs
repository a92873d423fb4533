//! The unknowns of the search, and their mapping to values of joints.
//!
//! The unknowns are terms of [`SpringResponse`], because equal steps of these terms look alike with every solver. The
//! solver maps the terms to its parameters and keeps the parameters in range. If a solver has gravity only per system,
//! its gravity parameters are also unknowns.

use crate::document::measure::unit_mass_inertias;
use crate::document::{ChainId, Document, ResolvedDocument};
use crate::feel::starting_feel::response_input;
use glam::Vec3;
use std::collections::{BTreeMap, BTreeSet};
use yuremono_sim::params::{
    Invalidates, ParamDef, ParamId, ParamKind, ParamMeaning, ParamScope, ParamSet, enumerate_params,
};
use yuremono_sim::rig::{BoneId, Pose, WorldPose};
use yuremono_sim::solver::vrm;
use yuremono_sim::{FeelParam, SpringResponse, SystemSetup};

/// Lower frequencies (in Hz) and damping ratios are raised to these values before they are scaled.
const MIN_FREQUENCY_AND_DAMPING: (f32, f32) = (0.1, 0.01);
/// One unit of acceleration, in m/s².
const ACCELERATION_UNIT: f32 = 1.0;
/// One unit of radius, as a power of e.
const RADIUS_UNIT: f32 = 0.5;
/// One unit of a parameter, as a fraction of its slider's range.
const SLIDER_UNIT: f32 = 0.25;

/// The value that an unknown changes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum VariableKind {
    /// Multiplies the frequency by e per unit.
    Speed,
    /// Multiplies the damping ratio by e per unit.
    Damping,
    /// Adds to the acceleration along an axis.
    Acceleration(usize),
    /// Multiplies the radius by e^0.5 per unit.
    Radius,
    /// Adds to a joint parameter for ignored motion.
    JointParam(ParamId, f32),
    /// Adds to a parameter of a system, given by its index.
    SystemParam(usize, ParamId, f32),
}

/// The joints that an unknown affects.
#[derive(Clone, Copy, Debug, PartialEq)]
enum VariableScope {
    All,
    /// Joints are weighted by their distance from the tip.
    Root,
    /// Joints are weighted by their distance from the root.
    Tip,
    /// One joint, by its index in the candidate.
    Joint(usize),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Variable {
    kind: VariableKind,
    scope: VariableScope,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Granularity {
    /// All joints together: a linear change from root to tip, and the gravity of systems.
    Systems,
    /// Each unit of dependent joints: a linear change from root to tip.
    RootToTip,
    /// Each joint separately.
    Joints,
}

/// A converted joint.
#[derive(Clone, Debug)]
pub(super) struct CandidateJoint {
    pub(super) bone: BoneId,
    /// The index of the system, and the index of the joint in the system.
    pub(super) index: (usize, usize),
    /// The position along the chain, 0 to 1.
    curve_position: f32,
    /// In metres.
    length: f32,
    /// See [`carried_inertia`](yuremono_sim::ResponseInput::carried_inertia).
    carried_inertia: f32,
    response: SpringResponse,
}

/// The converted systems with the best values so far.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) systems: Vec<SystemSetup>,
    pub(super) joints: Vec<CandidateJoint>,
}

impl Candidate {
    pub(super) fn new(document: &Document, resolved: &ResolvedDocument, moved: &BTreeSet<ChainId>) -> Self {
        let rest = WorldPose::from_pose(&resolved.skeleton, &Pose::rest(&resolved.skeleton));
        let of_chain = |id: &ChainId| {
            let chain = document.chains.get(id)?;
            let lengths: Vec<f32> = resolved.joint_lengths[id].iter().map(|length| usable_length(*length)).collect();
            Some((*id, unit_mass_inertias(chain, &lengths, &resolved.skeleton, &rest)))
        };
        let carried: BTreeMap<ChainId, Vec<f32>> = moved.iter().filter_map(of_chain).collect();
        let mut candidate = Self { systems: resolved.systems.clone(), joints: Vec::new() };
        for (system, refs) in resolved.joint_refs.iter().enumerate() {
            for (at, joint) in refs.iter().enumerate().filter(|(_, joint)| moved.contains(&joint.chain)) {
                let Some((_, position)) = resolved.joint_by_bone.get(&joint.bone) else { continue };
                let length = usable_length(resolved.joint_lengths[&joint.chain][*position]);
                let carried = carried[&joint.chain][*position];
                let place = resolved.curve_positions[&joint.chain][*position];
                let response = candidate.response(system, at, length, carried);
                candidate.joints.push(CandidateJoint {
                    bone: joint.bone,
                    index: (system, at),
                    curve_position: place,
                    length,
                    carried_inertia: carried,
                    response,
                });
            }
        }
        candidate
    }

    fn response(&self, system: usize, at: usize, length: f32, carried: f32) -> SpringResponse {
        let setup = &self.systems[system];
        let now = response_input(&setup.joints[at].values, &setup.values, length, carried);
        SpringResponse { ignored_motion: None, max_angle_deg: None, ..setup.solver.response(&now) }
    }

    /// The unknowns of some joints.
    pub(super) fn variables(&self, joints: &[usize], granularity: Granularity) -> Vec<Variable> {
        let mut variables = Vec::new();
        let systems: Vec<usize> =
            (0..self.systems.len()).filter(|s| joints.iter().any(|j| self.joints[*j].index.0 == *s)).collect();
        if granularity == Granularity::Systems {
            variables.extend(systems.iter().flat_map(|s| self.gravity_variables(*s)));
        }
        let has_shared_values =
            systems.iter().any(|s| vrm::is_version_0(self.systems[*s].solver, &self.systems[*s].values));
        let scopes: Vec<VariableScope> = match granularity {
            _ if has_shared_values => vec![VariableScope::All],
            Granularity::Joints => joints.iter().map(|j| VariableScope::Joint(*j)).collect(),
            _ if joints.len() < 2 => vec![VariableScope::All],
            _ => vec![VariableScope::Root, VariableScope::Tip],
        };
        let mut kinds = vec![VariableKind::Speed, VariableKind::Damping];
        kinds.extend(
            [0, 1, 2]
                .map(VariableKind::Acceleration)
                .into_iter()
                .filter(|_| joints.iter().any(|j| self.responds_to_acceleration(*j))),
        );
        kinds.extend((granularity != Granularity::Systems).then_some(VariableKind::Radius));
        kinds.extend(systems.iter().flat_map(|s| Self::ignored_motion_variables(&self.systems[*s])));
        variables
            .extend(scopes.iter().flat_map(|scope| kinds.iter().map(|kind| Variable { kind: *kind, scope: *scope })));
        variables
    }

    /// Whether the acceleration of a joint affects the joint's values. If gravity belongs to the system, a joint may
    /// still have a parameter that reduces gravity.
    fn responds_to_acceleration(&self, joint: usize) -> bool {
        let CandidateJoint { index: (system, at), length, carried_inertia: carried, response, .. } = self.joints[joint];
        let setup = &self.systems[system];
        let now = response_input(&setup.joints[at].values, &setup.values, length, carried);
        let params_for = |pull| setup.solver.params_for(&SpringResponse { acceleration: pull, ..response }, &now);
        let is = params_for(response.acceleration);
        Vec3::AXES.iter().any(|axis| {
            [ACCELERATION_UNIT, -ACCELERATION_UNIT]
                .iter()
                .any(|by| params_for(response.acceleration + *axis * *by) != is)
        })
    }

    /// The gravity parameters of a system whose joints have no gravity parameter. Empty if other chains also use the
    /// system.
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
        let variable = |(param, def): (ParamId, &ParamDef)| Variable {
            kind: VariableKind::SystemParam(at, param, param_unit(def)),
            scope: VariableScope::All,
        };
        enumerate_params(setup.solver.info().params).filter(|(_, def)| fits(def)).map(variable).collect()
    }

    /// The joint parameters for ignored motion. A response has one value for all of them.
    fn ignored_motion_variables(setup: &SystemSetup) -> Vec<VariableKind> {
        let table = setup.solver.info().params;
        let joint = ParamSet::defaults(table);
        let now = response_input(&joint, &setup.values, vrm::LEAF_LENGTH, 0.0);
        let plain =
            SpringResponse { ignored_motion: None, max_angle_deg: None, radius: None, ..setup.solver.response(&now) };
        let params_for =
            |response: SpringResponse| setup.solver.params_for(&response, &now).into_iter().map(|(param, _)| param);
        let without: BTreeSet<ParamId> = params_for(plain).collect();
        let of_follow =
            params_for(SpringResponse { ignored_motion: Some(1.0), ..plain }).filter(|param| !without.contains(param));
        of_follow.map(|param| VariableKind::JointParam(param, param_unit(&table[param.index()]))).collect()
    }

    /// Writes the values at a point of the search into `systems`. All other values of `systems` equal this candidate's
    /// values.
    pub(super) fn write_point(
        &self,
        joints: &[usize],
        variables: &[Variable],
        point: &[f64],
        systems: &mut [SystemSetup],
    ) {
        let mut values = self.values_at(joints, variables, point).into_iter();
        for joint in joints {
            let (system, at) = self.joints[*joint].index;
            values.by_ref().take(1).for_each(|values| systems[system].joints[at].values = values);
        }
        systems.iter_mut().zip(values).for_each(|(setup, values)| setup.values = values);
    }

    /// The values of these joints, then those of all systems, at a point of the search.
    pub(super) fn values_at(&self, joints: &[usize], variables: &[Variable], point: &[f64]) -> Vec<ParamSet> {
        let mut systems: Vec<ParamSet> = self.systems.iter().map(|setup| setup.values.clone()).collect();
        for (variable, x) in variables.iter().zip(point) {
            if let VariableKind::SystemParam(at, param, unit) = variable.kind {
                let range = self.systems[at].solver.info().params[param.index()].range;
                let value = systems[at].get(param) + unit * *x as f32;
                systems[at].set(param, value.clamp(range.0, range.1));
            }
        }
        let of_joint = |joint: &usize| {
            let system = self.joints[*joint].index.0;
            self.joint_values(*joint, variables, point, &systems[system])
        };
        let mut values: Vec<ParamSet> = joints.iter().map(of_joint).collect();
        values.append(&mut systems);
        values
    }

    fn joint_values(&self, joint: usize, variables: &[Variable], point: &[f64], system_values: &ParamSet) -> ParamSet {
        let CandidateJoint { index: (system, at), length, carried_inertia: carried, .. } = self.joints[joint];
        let setup = &self.systems[system];
        let mut values = setup.joints[at].values.clone();
        let table = setup.solver.info().params;
        for (variable, x) in variables.iter().zip(point) {
            if let VariableKind::JointParam(param, unit) = variable.kind {
                let range = table[param.index()].range;
                let value = values.get(param) + unit * *x as f32 * self.influence(*variable, joint);
                values.set(param, value.clamp(range.0, range.1));
            }
        }
        let Some(response) = self.response_at(joint, variables, point) else { return values };
        let now = response_input(&values, system_values, length, carried);
        for (param, value) in setup.solver.params_for(&response, &now).into_iter().filter(|(_, v)| v.is_finite()) {
            values.set(param, value);
        }
        values
    }

    /// The response of a joint at a point. Returns `None` if the response is unchanged.
    fn response_at(&self, joint: usize, variables: &[Variable], point: &[f64]) -> Option<SpringResponse> {
        let response = self.joints[joint].response;
        let mut new = response;
        let (mut speed_exponent, mut damping_exponent, mut radius_exponent) = (0.0, 0.0, 0.0);
        for (variable, x) in variables.iter().zip(point) {
            let by = *x as f32 * self.influence(*variable, joint);
            match variable.kind {
                VariableKind::Speed => speed_exponent += by,
                VariableKind::Damping => damping_exponent += by,
                VariableKind::Acceleration(axis) => new.acceleration[axis] += by * ACCELERATION_UNIT,
                VariableKind::Radius => radius_exponent += by * RADIUS_UNIT,
                VariableKind::JointParam(..) | VariableKind::SystemParam(..) => {}
            }
        }
        if speed_exponent != 0.0 || damping_exponent != 0.0 {
            new.frequency_hz = new.frequency_hz.max(MIN_FREQUENCY_AND_DAMPING.0) * libm::expf(speed_exponent);
            new.damping_ratio = new.damping_ratio.max(MIN_FREQUENCY_AND_DAMPING.1) * libm::expf(damping_exponent);
        }
        if new == response && radius_exponent == 0.0 {
            return None;
        }
        // An unchanged radius is not written.
        new.radius =
            response.radius.filter(|_| radius_exponent != 0.0).map(|radius| radius * libm::expf(radius_exponent));
        Some(new)
    }

    /// The weight of an unknown at a joint.
    fn influence(&self, variable: Variable, joint: usize) -> f32 {
        match variable.scope {
            VariableScope::All => 1.0,
            VariableScope::Root => 1.0 - self.joints[joint].curve_position,
            VariableScope::Tip => self.joints[joint].curve_position,
            VariableScope::Joint(one) => f32::from(u8::from(one == joint)),
        }
    }

    /// Replaces the starting values of the search.
    pub(super) fn set_systems(&mut self, systems: Vec<SystemSetup>) {
        self.systems = systems;
        for joint in 0..self.joints.len() {
            let CandidateJoint { index: (system, at), length, carried_inertia: carried, .. } = self.joints[joint];
            self.joints[joint].response = self.response(system, at, length, carried);
        }
    }
}

fn usable_length(length: f32) -> f32 {
    if length.is_finite() && length > 0.0 { length } else { vrm::LEAF_LENGTH }
}

fn param_unit(def: &ParamDef) -> f32 {
    SLIDER_UNIT * (def.soft_range.1 - def.soft_range.0)
}

fn is_unsupported(setup: &SystemSetup, term: FeelParam) -> bool {
    setup.solver.info().unsupported.iter().any(|(lacking, _)| *lacking == term)
}

/// Averages the values of each VRM 0.x chain, because all joints of such a chain share their values.
pub(super) fn average_shared_params(systems: &mut [SystemSetup]) {
    for setup in systems.iter_mut().filter(|setup| vrm::is_version_0(setup.solver, &setup.values)) {
        for joints in setup.joints.chunk_by_mut(|a, b| a.chain == b.chain) {
            let mut numbers: Vec<ParamSet> = joints.iter().map(|j| j.values.clone()).collect();
            super::super::average_params(&mut numbers);
            joints.iter_mut().zip(numbers).for_each(|(joint, values)| joint.values = values);
        }
    }
}
