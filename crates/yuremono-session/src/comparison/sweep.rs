//! Several values of one parameter, each in a world of its own.

use crate::{ParamWarning, Session, ValueSummary};
use yuremono_model::document::param_edits::EditTargets;
use yuremono_sim::params::{ParamDef, ParamId, ParamKind, SliderScale};
use yuremono_sim::{FeelParam, SolverKind};

/// What a sweep varies, on the selected chains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SweepSubject {
    Param(ParamId),
    Feel(FeelParam),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweepSettings {
    pub subject: SweepSubject,
    /// The value of the first variant.
    pub low: f32,
    /// The value of the last variant.
    pub high: f32,
    /// Number of variants, [`SweepSettings::MIN_COUNT`] to [`SweepSettings::MAX_COUNT`].
    pub count: usize,
}

impl SweepSettings {
    pub const MIN_COUNT: usize = 3;
    pub const MAX_COUNT: usize = 7;

    /// Returns the values of the variants. On a logarithmic slider, each value is the one before times a constant.
    pub fn values(&self, def: &ParamDef) -> Vec<f32> {
        let count = self.count.clamp(Self::MIN_COUNT, Self::MAX_COUNT);
        let sanitize = |value: f32, soft: f32| if value.is_finite() { value } else { soft };
        let low = sanitize(self.low, def.soft_range.0).clamp(def.range.0, def.range.1);
        let high = sanitize(self.high, def.soft_range.1).clamp(def.range.0, def.range.1);
        let is_logarithmic = def.scale == SliderScale::Logarithmic && low > 0.0 && high > 0.0;
        let value = |at: usize| {
            let share = at as f32 / (count - 1) as f32;
            let value = if is_logarithmic { low * libm::powf(high / low, share) } else { low + (high - low) * share };
            match () {
                () if at == 0 => low,
                () if at == count - 1 => high,
                () if def.kind == ParamKind::Integer => value.round(),
                () => value,
            }
        };
        let mut values: Vec<f32> = (0..count).map(value).collect();
        values.dedup();
        values
    }
}

/// Why a sweep cannot show anything.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SweepProblem {
    /// The selected chains have no such parameter.
    NoParameter,
    /// The value has no effect on the selected chains.
    NoEffect(Option<ParamWarning>),
    /// Both ends of the range are equal, or a whole-number parameter has fewer than two values between them.
    OneValue,
}

/// A running sweep.
#[derive(Debug)]
pub struct Sweep {
    pub settings: SweepSettings,
    /// The value of each variant.
    pub values: Vec<f32>,
    /// The variant whose value is nearest to the present value. It is displayed at the place of the live body.
    pub anchor: usize,
    pub(crate) body_spacing: f32,
    pub(crate) state: u64,
    pub(crate) targets: EditTargets,
    pub(crate) solver: SolverKind,
}

impl Sweep {
    /// Whether the same chains are selected and tuned as when the sweep started.
    pub(crate) fn has_same_targets(&self, session: &Session) -> bool {
        let inspection = session.inspection();
        self.solver == inspection.system().solver && self.targets == inspection.targets()
    }
}

impl Session {
    /// Returns the parameter of a sweep; `None` if the tuned solver lacks the parameter.
    pub fn sweep_param(&self, subject: SweepSubject) -> Option<&'static ParamDef> {
        match subject {
            SweepSubject::Param(param) => self.inspection().system().param_defs().get(param.index()),
            SweepSubject::Feel(feel) => Some(feel.def()),
        }
    }

    /// Returns the present values of a sweep's parameter.
    pub fn swept_values(&self, subject: SweepSubject) -> ValueSummary {
        match subject {
            SweepSubject::Param(_) if self.sweep_param(subject).is_none() => ValueSummary::None,
            SweepSubject::Param(param) => self.inspection().param_view(param).values,
            SweepSubject::Feel(feel) => self.inspection().feel_param_view(feel).values,
        }
    }

    /// Returns why a sweep cannot show anything; `None` if it can.
    pub fn sweep_problem(&self, settings: &SweepSettings) -> Option<SweepProblem> {
        let Some(def) = self.sweep_param(settings.subject) else { return Some(SweepProblem::NoParameter) };
        if self.swept_values(settings.subject) == ValueSummary::None {
            return Some(SweepProblem::NoParameter);
        }
        match settings.subject {
            SweepSubject::Param(param) => {
                let warning = self.inspection().param_warning(param).filter(|warning| !warning.has_effect());
                if warning.is_some() {
                    return Some(SweepProblem::NoEffect(warning));
                }
            }
            SweepSubject::Feel(feel) if self.inspection().feel_param_view(feel).unavailable.is_some() => {
                return Some(SweepProblem::NoEffect(None));
            }
            SweepSubject::Feel(_) => {}
        }
        (settings.values(def).len() < 2).then_some(SweepProblem::OneValue)
    }
}
