//! What is said below a row: why it does nothing, or that the engine will not do it.

use super::line::LABEL_LEFT;
use crate::schema::Row;
use crate::session::{Entry, Remark};
use crate::ui::Cx;
use crate::ui::kit::icons;
use crate::ui::kit::number::{NumberFormat, brief};
use crate::ui::kit::param_row::{ParamRow, RowOutput, note_with};
use crate::ui::kit::words;
use egui::Ui;

/// Unity has no such thing.
pub(super) const NOT_UNITY: icons::Icon = icons::LINK_BREAK;

/// What is said of a line; what neighbours have in common is said once, below the last of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Said {
    remark: Option<Remark>,
    beyond: bool,
}

impl Said {
    pub(super) fn of(cx: &Cx<'_>, entry: Entry) -> Self {
        let session = cx.session();
        match entry {
            Entry::One(row) => {
                Self { remark: session.inspection().remark(row), beyond: session.inspection().is_beyond(row) }
            }
            // The switch beside a pair of limits says as much.
            Entry::Range { min, .. } => {
                Self { remark: session.inspection().remark(min).filter(|r| *r != Remark::LimitOff), beyond: false }
            }
        }
    }

    /// Whether the next line says it as well.
    pub(super) fn is_said_by(self, next: Option<Self>) -> bool {
        next == Some(self) && (self.remark.is_some() || self.beyond)
    }
}

/// Shows a row with what is to be said about it: hatched where it does nothing, with a note where it does.
pub(super) fn with_remark(
    ui: &mut Ui,
    cx: &Cx<'_>,
    row: ParamRow<'_>,
    remark: Option<Remark>,
    hushed: bool,
) -> RowOutput {
    let acts = remark.is_none_or(Remark::acts);
    let sentence = remark.map(|r| if hushed { String::new() } else { words_of(cx, r) });
    let no_effect = sentence.as_deref().filter(|_| !acts);
    let out = ParamRow { no_effect, ..row }.show(ui);
    if acts && let Some(sentence) = sentence.filter(|s| !s.is_empty()) {
        let is_warning = matches!(remark, Some(Remark::OutOfRange(_)));
        note_with(ui, if is_warning { icons::WARNING } else { icons::INFO }, &sentence, LABEL_LEFT);
    }
    out
}

/// The line that tells that the engine will not do it.
pub(super) fn beyond_note(ui: &mut Ui, cx: &Cx<'_>) {
    note_with(ui, NOT_UNITY, &cx.tr("ways.not_unity"), LABEL_LEFT);
}

/// A remark in one sentence.
pub(super) fn words_of(cx: &Cx<'_>, remark: Remark) -> String {
    let plain = |key: &str| cx.tr(&format!("inspector.remark.{key}")).into_owned();
    let with = |key: &str, n: String| cx.tr_with(&format!("inspector.remark.{key}"), &[("n", &n)]);
    let named = |key: &str, row: Row| {
        let name = words::param_label(cx.theme.lang, cx.session().inspection().system().def(row));
        cx.tr_with(&format!("inspector.remark.{key}"), &[("name", &name)])
    };
    match remark {
        Remark::OutOfRange([low, high]) => with("out_of_range", words::range(cx.theme.lang, (low, high))),
        Remark::NoWind => plain("no_wind"),
        Remark::LimitsSwitchedOff => plain("limits_switched_off"),
        Remark::LimitOff => plain("limit_off"),
        Remark::NoLimitOn => plain("no_limit_on"),
        Remark::NoPivot => plain("no_pivot"),
        Remark::Folded => plain("folded"),
        Remark::EndFolded => plain("end_folded"),
        Remark::Pinned => plain("pinned"),
        Remark::Overshoots(most) => with("overshoots", format!("{most:.0}")),
        Remark::OnlyFlagged => plain("only_flagged"),
        Remark::NothingToHit => plain("nothing_to_hit"),
        Remark::NoColliderAssigned => plain("no_collider_assigned"),
        Remark::NoGroupAssigned => plain("no_group_assigned"),
        Remark::NothingCollides => plain("nothing_collides"),
        Remark::SlowSticks(speed) => with("slow_sticks", brief(speed)),
        Remark::GroundOff => plain("ground_off"),
        Remark::ScaleForgotten(scale) => with("scale_forgotten", brief(scale)),
        Remark::NothingScaled => plain("nothing_scaled"),
        Remark::NoLengthTarget => plain("no_length_target"),
        Remark::LengthsSwitchedOff => plain("lengths_switched_off"),
        Remark::WeakLengths(share) => with("weak_lengths", percent(share)),
        Remark::OnlyImproved => plain("only_improved"),
        Remark::SwitchOff(row) => named("switch_off", row),
        Remark::Overruled(row) => named("overruled", row),
        Remark::OtherShape => plain("other_shape"),
        Remark::Frozen => plain("frozen"),
        Remark::ProgramSteps => plain("program_steps"),
        Remark::OnePerChain => plain("one_per_chain"),
        Remark::OnePerChainTuned => plain("one_per_chain_tuned"),
        Remark::Pace(pace) => {
            let fps = cx.session().playback().settings().players_rate.to_string();
            cx.tr_with("inspector.remark.pace", &[("fps", &fps), ("n", &brief(pace))])
        }
    }
}

/// A share as the artist reads it, 0.014 for 0.00014.
fn percent(share: f32) -> String {
    NumberFormat::of(crate::schema::Unit::None).text(share * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_sentences_are_brief() {
        assert_eq!([2.4, 1.0, 0.6, 0.01, 10.0].map(brief), ["2.4", "1", "0.6", "0.01", "10"]);
        assert_eq!(percent(0.5 / 3600.0), "0.014");
    }
}
