//! What is said below a row: why it does nothing, or that the engine will not do it.

use super::label_line::LABEL_LEFT;
use crate::params::ParamId;
use crate::session::{ParamLine, ParamWarning};
use crate::ui::UiContext;
use crate::ui::kit::i18n;
use crate::ui::kit::icons;
use crate::ui::kit::number::{NumberFormat, short_number};
use crate::ui::kit::param_row::{ParamRow, ParamRowOutput, note_with_icon};
use egui::Ui;

/// Unity has no such thing.
pub(super) const EXTENSION_ICON: icons::Icon = icons::LINK_BREAK;

/// What is said of a line; what neighbours have in common is said once, below the last of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LineWarnings {
    warning: Option<ParamWarning>,
    is_extension: bool,
}

impl LineWarnings {
    pub(super) fn of(cx: &UiContext<'_>, entry: ParamLine) -> Self {
        let session = cx.session();
        match entry {
            ParamLine::Single(row) => Self {
                warning: session.inspection().param_warning(row),
                is_extension: session.inspection().is_active_extension(row),
            },
            // The switch beside a pair of limits says as much.
            ParamLine::LimitPair { min, .. } => Self {
                warning: session.inspection().param_warning(min).filter(|r| *r != ParamWarning::LimitOff),
                is_extension: false,
            },
        }
    }

    /// Whether the next line says it as well.
    pub(super) fn is_repeated_by(self, next: Option<Self>) -> bool {
        next == Some(self) && (self.warning.is_some() || self.is_extension)
    }
}

/// Shows a row with what is to be said about it: hatched where it does nothing, with a note where it does.
pub(super) fn show_with_warning(
    ui: &mut Ui,
    cx: &UiContext<'_>,
    row: ParamRow<'_>,
    remark: Option<ParamWarning>,
    warning_in_next_row: bool,
) -> ParamRowOutput {
    let acts = remark.is_none_or(ParamWarning::has_effect);
    let sentence = remark.map(|r| if warning_in_next_row { String::new() } else { warning_text(cx, r) });
    let no_effect = sentence.as_deref().filter(|_| !acts);
    let out = ParamRow { no_effect_reason: no_effect, ..row }.show(ui);
    if acts && let Some(sentence) = sentence.filter(|s| !s.is_empty()) {
        let is_warning = matches!(remark, Some(ParamWarning::OutOfRange(_)));
        note_with_icon(ui, if is_warning { icons::WARNING } else { icons::INFO }, &sentence, LABEL_LEFT);
    }
    out
}

/// The line that tells that the engine will not do it.
pub(super) fn extension_note(ui: &mut Ui, cx: &UiContext<'_>) {
    note_with_icon(ui, EXTENSION_ICON, &cx.tr("ways.not_unity"), LABEL_LEFT);
}

/// A remark in one sentence.
pub(super) fn warning_text(cx: &UiContext<'_>, remark: ParamWarning) -> String {
    let plain = |key: &str| cx.tr(&format!("inspector.remark.{key}")).into_owned();
    let with = |key: &str, n: String| cx.tr_with(&format!("inspector.remark.{key}"), &[("n", &n)]);
    let named = |key: &str, row: ParamId| {
        let name = i18n::param_label(cx.theme.lang, cx.session().inspection().system().def(row));
        cx.tr_with(&format!("inspector.remark.{key}"), &[("name", &name)])
    };
    match remark {
        ParamWarning::OutOfRange([low, high]) => with("out_of_range", i18n::range_text(cx.theme.lang, (low, high))),
        ParamWarning::NoWind => plain("no_wind"),
        ParamWarning::AngleLimitsSwitchedOff => plain("limits_switched_off"),
        ParamWarning::LimitOff => plain("limit_off"),
        ParamWarning::AllLimitsOff => plain("no_limit_on"),
        ParamWarning::NoPivot => plain("no_pivot"),
        ParamWarning::LimitsFolded => plain("folded"),
        ParamWarning::LimitEndFolded => plain("end_folded"),
        ParamWarning::LimitsAreZero => plain("pinned"),
        ParamWarning::Overshoots(most) => with("overshoots", format!("{most:.0}")),
        ParamWarning::AnimatedBonesOnly => plain("only_flagged"),
        ParamWarning::CollisionOff => plain("nothing_to_hit"),
        ParamWarning::NoColliderAssigned => plain("no_collider_assigned"),
        ParamWarning::NoColliderInGroups => plain("no_group_assigned"),
        ParamWarning::NoJointCollides => plain("nothing_collides"),
        ParamWarning::SlowContactsStick(speed) => with("slow_sticks", short_number(speed)),
        ParamWarning::GroundOff => plain("ground_off"),
        ParamWarning::ScaleIgnored(scale) => with("scale_forgotten", short_number(scale)),
        ParamWarning::NoScaledBone => plain("nothing_scaled"),
        ParamWarning::NoLengthTarget => plain("no_length_target"),
        ParamWarning::LengthLimitsSwitchedOff => plain("lengths_switched_off"),
        ParamWarning::WeakLengthLimits(share) => with("weak_lengths", percent_text(share)),
        ParamWarning::ImprovedModeOnly => plain("only_improved"),
        ParamWarning::SwitchOff(row) => named("switch_off", row),
        ParamWarning::SameEffectAs(row) => named("overruled", row),
        ParamWarning::BoneShapeDiffers => plain("other_shape"),
        ParamWarning::TipsFrozenInWorld => plain("frozen"),
        ParamWarning::SteppedByScript => plain("program_steps"),
        ParamWarning::OneValuePerChain => plain("one_per_chain"),
        ParamWarning::OneValuePerChainTuned => plain("one_per_chain_tuned"),
        ParamWarning::TimeScaled(pace) => {
            let fps = cx.session().playback().settings().player_frame_rate.to_string();
            cx.tr_with("inspector.remark.pace", &[("fps", &fps), ("n", &short_number(pace))])
        }
    }
}

/// A share as the artist reads it, 0.014 for 0.00014.
fn percent_text(share: f32) -> String {
    NumberFormat::for_unit(crate::params::Unit::None).text(share * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_warnings_have_at_most_two_decimals() {
        assert_eq!([2.4, 1.0, 0.6, 0.01, 10.0].map(short_number), ["2.4", "1", "0.6", "0.01", "10"]);
        assert_eq!(percent_text(0.5 / 3600.0), "0.014");
    }
}
