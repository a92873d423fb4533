//! One joint: from a wanted term to the rows that its solver needs changed for it.

use super::UnavailableReason;
use crate::params::{ParamId, ParamSet};
use crate::sim::{FeelParam, OverdampedReturn, ResponseInput, SolverKind, SpringResponse, UNLIMITED_ANGLE_DEG};

/// A term that is off by less than this share is there already.
const REACHED_TOLERANCE: f32 = 3e-4;
/// What was asked counts so much more than what should stay.
const REQUEST_WEIGHT: f32 = 100.0;
/// How often the speed is aimed anew where ranges end.
const MAX_ITERATIONS: usize = 8;
/// Fastest swing that steps tell apart from a slow one, in swings a step.
const MAX_CYCLES_PER_STEP: f32 = 0.49;
/// A term that a trial moves by less of the trial's step has no number here.
const MIN_EFFECT_RATIO: f32 = 0.1;

/// What is wanted of a joint; what is absent stays as it is.
#[derive(Clone, Debug, Default)]
pub(super) struct JointRequest {
    /// In the unit of [`SpringResponse::get`].
    pub params: Vec<(FeelParam, f32)>,
    /// Share of the bone's length.
    pub radius_ratio: Option<f32>,
}

impl JointRequest {
    pub(super) fn for_param(term: FeelParam, value: f32) -> Self {
        Self { params: vec![(term, value)], radius_ratio: None }
    }

    /// What is asked of a term.
    pub(super) fn get(&self, term: FeelParam) -> Option<f32> {
        self.params.iter().find(|(asked, _)| *asked == term).map(|(_, value)| *value)
    }

    pub(super) fn scale(&mut self, term: FeelParam, factor: f32) {
        for (_, value) in self.params.iter_mut().filter(|(asked, _)| *asked == term) {
            *value *= factor;
        }
    }

    fn has(&self, term: FeelParam) -> bool {
        self.get(term).is_some()
    }
}

/// A joint as its solver sees it.
#[derive(Clone, Debug)]
pub(super) struct JointResponse<'a> {
    pub solver: SolverKind,
    pub system_params: &'a ParamSet,
    pub joint_params: ParamSet,
    pub bone_length: f32,
    /// As in `AsJsonNumbers`.
    pub carried_inertia: f32,
    pub frame_seconds: f32,
}

impl JointResponse<'_> {
    /// The same joint with other numbers.
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

    /// How its tip comes home once it is slow.
    pub(super) fn overdamped_return(&self) -> Option<OverdampedReturn> {
        self.solver.overdamped_return(&self.response_input())
    }

    /// A term by which the joint sways; a joint without limits is open all round. `None` where the solver has none.
    pub(super) fn feel_value(&self, term: FeelParam) -> Option<f32> {
        feel_value_of(self.solver, &self.response(), term)
    }

    /// Every term, in the order of `Param::UNSELECTED_OPACITY`.
    pub(super) fn feel_values(&self) -> [Option<f32>; FeelParam::ALL.len()] {
        let sway = self.response();
        FeelParam::ALL.map(|term| feel_value_of(self.solver, &sway, term))
    }

    /// The rows that change when a term goes away from `is`.
    pub(super) fn affected_params(&self, term: FeelParam, is: f32) -> Vec<ParamId> {
        let (low, high) = term.def().soft_range;
        let other = if is > (low + high) * 0.5 { is - 0.1 * (high - low) } else { is + 0.1 * (high - low) };
        self.solve(&JointRequest::for_param(term, other)).into_iter().map(|(row, _)| row).collect()
    }

    /// Thickness as a share of the bone's length.
    pub(super) fn radius_ratio(&self) -> Option<f32> {
        self.response().radius.map(|radius| radius / self.bone_length)
    }

    /// Why a term cannot be set here: the solver has no number for it, or other numbers leave it no effect.
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
        for (row, value) in rows {
            self.joint_params.set(*row, *value);
        }
    }

    /// The rows that must change, and to what. Terms that the solver does not know are passed over; where its ranges
    /// end, what was asked comes as near as it can and the speed is held before the rest.
    pub(super) fn solve(&self, asked: &JointRequest) -> Vec<(ParamId, f32)> {
        let now = self.response();
        let wanted = self.target_response(&now, asked);
        let is_finite = FeelParam::ALL.iter().all(|term| wanted.get(*term).is_none_or(f32::is_finite));
        if !is_finite || self.response_error(&now, &wanted, asked) < REACHED_TOLERANCE {
            return Vec::new();
        }
        let silent = self.acceleration_only_params(&now);
        let fastest = MAX_CYCLES_PER_STEP / self.solver.step_seconds(self.system_params, self.frame_seconds);
        let mut aim = wanted;
        let mut rows = Vec::new();
        for _ in 0..MAX_ITERATIONS {
            aim.frequency_hz = aim.frequency_hz.min(fastest);
            let all = self.params_for(&aim, asked, &silent);
            let still = self.params_for(&now, asked, &silent);
            let least: Vec<_> =
                all.iter().copied().filter(|row| !still.iter().any(|s| is_same_value(*s, *row))).collect();
            let miss =
                |rows: &[(ParamId, f32)]| self.response_error(&self.with_values(rows).response(), &wanted, asked);
            rows = if miss(&least) <= miss(&all) + REACHED_TOLERANCE { least } else { all };
            let found = self.with_values(&rows).response();
            let speed = wanted.frequency_hz / found.frequency_hz;
            if (speed - 1.0).abs() < REACHED_TOLERANCE * 0.1 || !speed.is_finite() {
                break;
            }
            // A damping that cannot be had would keep on pulling the speed away.
            if (found.damping_ratio / aim.damping_ratio - 1.0).abs() > REACHED_TOLERANCE {
                aim.damping_ratio = found.damping_ratio;
            }
            aim.frequency_hz *= speed.clamp(0.5, 2.0);
        }
        rows.retain(|(row, value)| self.joint_params.get(*row).to_bits() != value.to_bits());
        rows
    }

    /// Whether another value of one row comes to the same in every term.
    pub(super) fn has_same_feel(&self, row: ParamId, value: f32) -> bool {
        let (is, other) = (self.response(), self.with_values(&[(row, value)]).response());
        self.response_error(&other, &is, &JointRequest::default()) < REACHED_TOLERANCE
    }

    fn with_values(&self, rows: &[(ParamId, f32)]) -> Self {
        let mut other = self.clone();
        other.set_params(rows);
        other
    }

    fn target_response(&self, now: &SpringResponse, asked: &JointRequest) -> SpringResponse {
        let mut wanted = *now;
        for (term, value) in asked.params.iter().filter(|(term, _)| unsupported_reason(self.solver, *term).is_none()) {
            if *term == FeelParam::MaxAngle && now.max_angle_deg.is_none() && *value >= UNLIMITED_ANGLE_DEG {
                continue;
            }
            wanted.set(*term, *value);
            if *term == FeelParam::Weight && now.acceleration.length() == 0.0 {
                // The solver may pull along one direction only.
                let rows = self.solver.params_for(&wanted, &self.response_input());
                wanted.acceleration = self.with_values(&rows).response().acceleration;
                wanted.set(*term, *value);
            }
        }
        if let (Some(_), Some(share)) = (now.radius, asked.radius_ratio) {
            wanted.radius = Some(share * self.bone_length);
        }
        wanted
    }

    /// What the solver writes for a sway; of limits, follow and radius only what was asked.
    fn params_for(&self, sway: &SpringResponse, asked: &JointRequest, silent: &[ParamId]) -> Vec<(ParamId, f32)> {
        let mut sway = *sway;
        sway.ignored_motion = sway.ignored_motion.filter(|_| asked.has(FeelParam::IgnoreMotion));
        sway.max_angle_deg = sway.max_angle_deg.filter(|_| asked.has(FeelParam::MaxAngle));
        sway.radius = sway.radius.filter(|_| asked.radius_ratio.is_some());
        let mut rows = self.solver.params_for(&sway, &self.response_input());
        rows.retain(|(row, value)| value.is_finite() && !silent.contains(row));
        rows
    }

    /// Rows that answer to the pull alone, where the pull is not the joint's to set.
    fn acceleration_only_params(&self, now: &SpringResponse) -> Vec<ParamId> {
        if unsupported_reason(self.solver, FeelParam::Weight).is_none() {
            return Vec::new();
        }
        let mut heavier = *now;
        heavier.set(FeelParam::Weight, now.acceleration.length() * 1.5 + 1.0);
        let [still, rows] = [now, &heavier].map(|sway| self.solver.params_for(sway, &self.response_input()));
        rows.into_iter().filter(|row| !still.iter().any(|s| is_same_value(*s, *row))).map(|(row, _)| row).collect()
    }

    /// How far a sway is from the wanted one, as shares of the terms.
    fn response_error(&self, found: &SpringResponse, wanted: &SpringResponse, asked: &JointRequest) -> f32 {
        let of = |term: FeelParam| {
            let told = |sway| feel_value_of(self.solver, sway, term);
            let (Some(is), Some(should)) = (told(found), told(wanted)) else { return 0.0 };
            let off = if term == FeelParam::Weight {
                (found.acceleration - wanted.acceleration).length()
            } else {
                (is - should).abs()
            };
            let (low, high) = term.def().soft_range;
            let share = off / should.abs().max(0.005 * (high - low));
            if asked.has(term) { share * REQUEST_WEIGHT } else { share }
        };
        let radius = match (found.radius, wanted.radius) {
            (Some(is), Some(should)) => (is - should).abs() / should.abs().max(1e-4),
            _ => 0.0,
        };
        let sum = FeelParam::ALL.into_iter().map(of).sum::<f32>() + radius * REQUEST_WEIGHT;
        sum / REQUEST_WEIGHT
    }
}

fn feel_value_of(kind: SolverKind, sway: &SpringResponse, term: FeelParam) -> Option<f32> {
    if unsupported_reason(kind, term).is_some() {
        return None;
    }
    let open = (term == FeelParam::MaxAngle).then_some(UNLIMITED_ANGLE_DEG);
    sway.get(term).or(open)
}

/// Why a solver has no number for a term, whatever its numbers.
pub(super) fn unsupported_reason(kind: SolverKind, term: FeelParam) -> Option<&'static str> {
    kind.info().unsupported.iter().find(|(cannot, _)| *cannot == term).map(|(_, why)| *why)
}

/// The same row with the very same value: what hardly differs near the end of a range can differ much in what it does.
fn is_same_value((row, value): (ParamId, f32), (other, then): (ParamId, f32)) -> bool {
    row == other && value.to_bits() == then.to_bits()
}
