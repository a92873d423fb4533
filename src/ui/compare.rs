//! Texts of comparisons and sweeps that panels, dialogs and the viewport share.

use crate::ui::UiContext;
use crate::ui::kit::i18n;
use crate::ui::kit::number::NumberFormat;
use yuremono_session::{SweepProblem, SweepSettings, SweepSubject, ValueSummary};
use yuremono_sim::FeelParam;
use yuremono_sim::diagnostics::message;
use yuremono_sim::params::ParamKind;

/// Returns the label of a sweep's parameter. Empty if the tuned solver lacks the parameter.
pub(super) fn sweep_name(cx: &UiContext<'_>, subject: SweepSubject) -> String {
    let def = cx.session().sweep_param(subject);
    def.map(|def| i18n::param_label(cx.theme.lang, def).into_owned()).unwrap_or_default()
}

/// Returns how the values of a sweep are written.
pub(super) fn sweep_format(cx: &UiContext<'_>, subject: SweepSubject) -> NumberFormat {
    if subject == SweepSubject::Feel(FeelParam::Speed) {
        return NumberFormat::with_suffix(" Hz", 2);
    }
    match cx.session().sweep_param(subject) {
        Some(def) if def.kind == ParamKind::Integer => NumberFormat::for_unit(def.unit).decimals(0),
        Some(def) => NumberFormat::for_unit(def.unit),
        None => NumberFormat::with_suffix("", 2),
    }
}

/// Returns settings for a sweep around the present value.
pub(super) fn default_sweep(cx: &UiContext<'_>, subject: SweepSubject) -> SweepSettings {
    let (low, high) = cx.session().sweep_param(subject).map_or((0.0, 1.0), |def| def.soft_range);
    let now = match cx.session().swept_values(subject) {
        ValueSummary::Same(value) => value,
        ValueSummary::Mixed { low, high } => 0.5 * (low + high),
        ValueSummary::None => low,
    };
    // Half to double of a value shows its influence best; a value near zero needs the range of the slider.
    let is_usable = now > 0.02 * (high - low) && low >= 0.0;
    let (low, high) = if is_usable { ((0.5 * now).max(low), (2.0 * now).min(high)) } else { (low, high) };
    SweepSettings { subject, low, high, count: 5 }
}

/// Returns why a sweep cannot show anything, as a sentence.
pub(super) fn sweep_problem_text(cx: &UiContext<'_>, problem: SweepProblem) -> String {
    cx.tr(match problem {
        SweepProblem::NoParameter => message!("The selected chains do not have this value. Select chains first."),
        SweepProblem::NoEffect(_) => message!("The solver ignores this value now, so all variants would move alike."),
        SweepProblem::OneValue => message!("Both ends give the same value. Choose a wider range."),
    })
    .into_owned()
}
