//! Solves for the solver parameters that give a joint the requested feel parameters.

use super::UnavailableReason;
use yuremono_sim::params::{ParamId, ParamSet};
use yuremono_sim::{FeelParam, OverdampedReturn, ResponseInput, SolverKind, SpringResponse, UNLIMITED_ANGLE_DEG};

/// A feel parameter counts as reached if its relative error is at most this.
const REACHED_TOLERANCE: f32 = 3e-4;
/// Weight of requested terms relative to terms that should stay unchanged.
const REQUEST_WEIGHT: f32 = 100.0;
/// Maximum number of iterations to reach the requested frequency.
const MAX_ITERATIONS: usize = 8;
/// Highest frequency without aliasing, in cycles per step.
const MAX_CYCLES_PER_STEP: f32 = 0.49;
/// Minimum effect of a trial, as a fraction of its step. A term with a smaller effect is unavailable.
const MIN_EFFECT_RATIO: f32 = 0.1;

/// The requested terms of a joint. Absent terms stay unchanged.
#[derive(Clone, Debug, Default)]
pub(super) struct JointRequest {
    /// Values in the unit of [`SpringResponse::get`].
    pub params: Vec<(FeelParam, f32)>,
    /// Hit radius as a fraction of the bone's length.
    pub radius_ratio: Option<f32>,
}

impl JointRequest {
    pub(super) fn for_param(term: FeelParam, value: f32) -> Self {
        Self { params: vec![(term, value)], radius_ratio: None }
    }

    pub(super) fn get(&self, term: FeelParam) -> Option<f32> {
        self.params.iter().find(|(requested, _)| *requested == term).map(|(_, value)| *value)
    }

    pub(super) fn scale(&mut self, term: FeelParam, factor: f32) {
        for (_, value) in self.params.iter_mut().filter(|(requested, _)| *requested == term) {
            *value *= factor;
        }
    }

    fn has(&self, term: FeelParam) -> bool {
        self.get(term).is_some()
    }
}

/// The inputs of the solver for one joint.
#[derive(Clone, Debug)]
pub(super) struct JointResponse<'a> {
    pub solver: SolverKind,
    pub system_params: &'a ParamSet,
    pub joint_params: ParamSet,
    pub bone_length: f32,
    /// See [`ResponseInput::carried_inertia`].
    pub carried_inertia: f32,
    pub frame_seconds: f32,
}

impl JointResponse<'_> {
    pub(super) fn with_joint_params(&self, numbers: &ParamSet) -> Self {
        Self { joint_params: numbers.clone(), ..*self }
    }

    fn response_input(&self) -> ResponseInput<'_> {
        ResponseInput {
            joint_params: &self.joint_params,
            system_params: self.system_params,
            bone_length: self.bone_length,
            carried_inertia: self.carried_inertia,
            frame_seconds: self.frame_seconds,
        }
    }

    pub(super) fn response(&self) -> SpringResponse {
        self.solver.response(&self.response_input())
    }

    pub(super) fn overdamped_return(&self) -> Option<OverdampedReturn> {
        self.solver.overdamped_return(&self.response_input())
    }

    /// The value of a term. Without an angle limit, the max angle is [`UNLIMITED_ANGLE_DEG`]. Returns `None` if the
    /// solver does not support
    /// the term.
    pub(super) fn feel_value(&self, term: FeelParam) -> Option<f32> {
        feel_value_of(self.solver, &self.response(), term)
    }

    /// All terms in the order of [`FeelParam::ALL`].
    pub(super) fn feel_values(&self) -> [Option<f32>; FeelParam::ALL.len()] {
        let response = self.response();
        FeelParam::ALL.map(|term| feel_value_of(self.solver, &response, term))
    }

    /// The parameters that change with a term. `is` is the current value of the term.
    pub(super) fn affected_params(&self, term: FeelParam, is: f32) -> Vec<ParamId> {
        let (low, high) = term.def().soft_range;
        let other = if is > (low + high) * 0.5 { is - 0.1 * (high - low) } else { is + 0.1 * (high - low) };
        self.solve(&JointRequest::for_param(term, other)).into_iter().map(|(param, _)| param).collect()
    }

    /// Hit radius as a fraction of the bone's length.
    pub(super) fn radius_ratio(&self) -> Option<f32> {
        self.response().radius.map(|radius| radius / self.bone_length)
    }

    /// The reason why a term cannot be set: the solver does not support the term, or other values make the term
    /// ineffective.
    pub(super) fn unavailable_reason(&self, term: FeelParam) -> Option<UnavailableReason> {
        if let Some(why) = unsupported_reason(self.solver, term) {
            return Some(UnavailableReason::Unsupported(why));
        }
        let is = self.feel_value(term)?;
        let (low, high) = term.def().soft_range;
        let step = 0.2 * (high - low);
        let moves = |to: f32| {
            let mut tried = self.clone();
            tried.set_params(&self.solve(&JointRequest::for_param(term, to)));
            tried.feel_value(term).is_some_and(|found| (found - is).abs() > MIN_EFFECT_RATIO * (to - is).abs())
        };
        let there = moves((is - step).max(low)) || moves((is + step).min(high));
        (!there).then_some(UnavailableReason::NoEffect)
    }

    pub(super) fn set_params(&mut self, rows: &[(ParamId, f32)]) {
        for (param, value) in rows {
            self.joint_params.set(*param, *value);
        }
    }

    /// The parameters that must change, with their new values. Unsupported terms are skipped. If a range ends before
    /// the requested value, the result is as close as possible, with priority for the speed.
    pub(super) fn solve(&self, requested: &JointRequest) -> Vec<(ParamId, f32)> {
        let now = self.response();
        let wanted = self.target_response(&now, requested);
        let is_finite = FeelParam::ALL.iter().all(|term| wanted.get(*term).is_none_or(f32::is_finite));
        if !is_finite || self.response_error(&now, &wanted, requested) < REACHED_TOLERANCE {
            return Vec::new();
        }
        let acceleration_params = self.acceleration_only_params(&now);
        let fastest = MAX_CYCLES_PER_STEP / self.solver.step_seconds(self.system_params, self.frame_seconds);
        let mut aim = wanted;
        let mut rows = Vec::new();
        for _ in 0..MAX_ITERATIONS {
            aim.frequency_hz = aim.frequency_hz.min(fastest);
            let all = self.params_for(&aim, requested, &acceleration_params);
            let still = self.params_for(&now, requested, &acceleration_params);
            let is_changed = |(param, value): &(ParamId, f32)| !contains_value(&still, *param, *value);
            let least: Vec<_> = all.iter().copied().filter(is_changed).collect();
            let miss =
                |rows: &[(ParamId, f32)]| self.response_error(&self.with_values(rows).response(), &wanted, requested);
            rows = if miss(&least) <= miss(&all) + REACHED_TOLERANCE { least } else { all };
            let found = self.with_values(&rows).response();
            let speed = wanted.frequency_hz / found.frequency_hz;
            if (speed - 1.0).abs() < REACHED_TOLERANCE * 0.1 || !speed.is_finite() {
                break;
            }
            // Otherwise, the search for an unreachable damping ratio would keep changing the speed.
            if (found.damping_ratio / aim.damping_ratio - 1.0).abs() > REACHED_TOLERANCE {
                aim.damping_ratio = found.damping_ratio;
            }
            aim.frequency_hz *= speed.clamp(0.5, 2.0);
        }
        rows.retain(|(param, value)| self.joint_params.get(*param).to_bits() != value.to_bits());
        rows
    }

    /// Whether another value of a parameter leaves the feel of the joint unchanged.
    pub(super) fn has_same_feel(&self, param: ParamId, value: f32) -> bool {
        let (is, other) = (self.response(), self.with_values(&[(param, value)]).response());
        self.response_error(&other, &is, &JointRequest::default()) < REACHED_TOLERANCE
    }

    fn with_values(&self, rows: &[(ParamId, f32)]) -> Self {
        let mut other = self.clone();
        other.set_params(rows);
        other
    }

    fn target_response(&self, now: &SpringResponse, requested: &JointRequest) -> SpringResponse {
        let mut wanted = *now;
        for (term, value) in
            requested.params.iter().filter(|(term, _)| unsupported_reason(self.solver, *term).is_none())
        {
            if *term == FeelParam::MaxAngle && now.max_angle_deg.is_none() && *value >= UNLIMITED_ANGLE_DEG {
                continue;
            }
            wanted.set(*term, *value);
            if *term == FeelParam::Weight && now.acceleration.length() == 0.0 {
                // A solver may support acceleration in only one direction.
                let rows = self.solver.params_for(&wanted, &self.response_input());
                wanted.acceleration = self.with_values(&rows).response().acceleration;
                wanted.set(*term, *value);
            }
        }
        if let (Some(_), Some(share)) = (now.radius, requested.radius_ratio) {
            wanted.radius = Some(share * self.bone_length);
        }
        wanted
    }

    /// The solver's values for a response. Limits, ignored motion and radius are included only if requested.
    fn params_for(
        &self,
        response: &SpringResponse,
        requested: &JointRequest,
        acceleration_params: &[ParamId],
    ) -> Vec<(ParamId, f32)> {
        let mut response = *response;
        response.ignored_motion = response.ignored_motion.filter(|_| requested.has(FeelParam::IgnoreMotion));
        response.max_angle_deg = response.max_angle_deg.filter(|_| requested.has(FeelParam::MaxAngle));
        response.radius = response.radius.filter(|_| requested.radius_ratio.is_some());
        let mut rows = self.solver.params_for(&response, &self.response_input());
        rows.retain(|(param, value)| value.is_finite() && !acceleration_params.contains(param));
        rows
    }

    /// Parameters that depend only on the acceleration, if the solver cannot set the acceleration of joints.
    fn acceleration_only_params(&self, now: &SpringResponse) -> Vec<ParamId> {
        if unsupported_reason(self.solver, FeelParam::Weight).is_none() {
            return Vec::new();
        }
        let mut heavier = *now;
        heavier.set(FeelParam::Weight, now.acceleration.length() * 1.5 + 1.0);
        let [still, rows] = [now, &heavier].map(|response| self.solver.params_for(response, &self.response_input()));
        rows.into_iter()
            .filter(|(param, value)| !contains_value(&still, *param, *value))
            .map(|(param, _)| param)
            .collect()
    }

    /// The weighted sum of the relative errors of all terms.
    fn response_error(&self, found: &SpringResponse, wanted: &SpringResponse, requested: &JointRequest) -> f32 {
        let of = |term: FeelParam| {
            let value_of = |response| feel_value_of(self.solver, response, term);
            let (Some(is), Some(should)) = (value_of(found), value_of(wanted)) else { return 0.0 };
            let off = if term == FeelParam::Weight {
                (found.acceleration - wanted.acceleration).length()
            } else {
                (is - should).abs()
            };
            let (low, high) = term.def().soft_range;
            let share = off / should.abs().max(0.005 * (high - low));
            if requested.has(term) { share * REQUEST_WEIGHT } else { share }
        };
        let radius = match (found.radius, wanted.radius) {
            (Some(is), Some(should)) => (is - should).abs() / should.abs().max(1e-4),
            _ => 0.0,
        };
        let sum = FeelParam::ALL.into_iter().map(of).sum::<f32>() + radius * REQUEST_WEIGHT;
        sum / REQUEST_WEIGHT
    }
}

fn feel_value_of(kind: SolverKind, response: &SpringResponse, term: FeelParam) -> Option<f32> {
    if unsupported_reason(kind, term).is_some() {
        return None;
    }
    let open = (term == FeelParam::MaxAngle).then_some(UNLIMITED_ANGLE_DEG);
    response.get(term).or(open)
}

/// The reason why the solver does not support a term.
pub(super) fn unsupported_reason(kind: SolverKind, term: FeelParam) -> Option<&'static str> {
    kind.info().unsupported.iter().find(|(cannot, _)| *cannot == term).map(|(_, why)| *why)
}

/// Whether a parameter has this value in a list. Compares bits, because a small change near the end of a range can affect
/// the feel.
fn contains_value(values: &[(ParamId, f32)], param: ParamId, value: f32) -> bool {
    values.iter().any(|(other, listed)| *other == param && listed.to_bits() == value.to_bits())
}
