//! *Sweep*: shows several values of one parameter side by side.

use super::dialog::{
    Dialog, DialogButton, DialogOutput, DialogResult, in_middle, option_label_ui, padded_ui, sentence_ui,
};
use crate::tr;
use crate::ui::UiContext;
use crate::ui::compare::{default_sweep, sweep_format, sweep_name, sweep_problem_text};
use crate::ui::kit::number::number_field;
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::toggle::segmented;
use crate::ui::kit::tokens::{size, space};
use egui::{Context, Label, Rect, Ui};
use yuremono_session::{Command, Motion, SweepSettings, SweepSubject};
use yuremono_sim::SolverKind;
use yuremono_sim::diagnostics::{MessageText, message};
use yuremono_sim::rig::BoneId;

const WINDOW_SIZE: [f32; 2] = [420.0, 276.0];

#[derive(Debug)]
pub(super) struct SweepDialog {
    settings: SweepSettings,
    /// The selected bones and the tuned solver when the dialog opened. The range is theirs.
    targets: (Vec<BoneId>, SolverKind),
}

impl SweepDialog {
    pub(super) fn new(subject: SweepSubject, cx: &UiContext<'_>) -> Self {
        let running = cx.session().sweep().map(|sweep| sweep.settings).filter(|it| it.subject == subject);
        Self { settings: running.unwrap_or_else(|| default_sweep(cx, subject)), targets: targets(cx) }
    }

    fn range_ui(&mut self, ui: &mut Ui, cx: &UiContext<'_>) {
        let format = sweep_format(cx, self.settings.subject);
        let Some(def) = cx.session().sweep_param(self.settings.subject) else { return };
        let ends = [(message!("From{:range}"), &mut self.settings.low), (message!("To"), &mut self.settings.high)];
        for (label, value) in ends {
            let label = cx.tr(label);
            ui.horizontal(|ui| {
                option_label_ui(ui, cx, &label);
                let (_, entered) = number_field(ui, &label, Some(*value), format, size::NUMBER_FIELD, None);
                if let Some(entered) = entered.filter(|entered| entered.is_finite()) {
                    *value = entered.clamp(def.range.0, def.range.1);
                }
            });
        }
    }

    fn count_ui(&mut self, ui: &mut Ui, cx: &UiContext<'_>) {
        ui.horizontal(|ui| {
            option_label_ui(ui, cx, &tr!(cx, "Variants"));
            let counts: Vec<usize> = (SweepSettings::MIN_COUNT..=SweepSettings::MAX_COUNT).collect();
            let labels: Vec<String> = counts.iter().map(usize::to_string).collect();
            let choices: Vec<(&str, Option<usize>)> = labels.iter().map(|label| (label.as_str(), None)).collect();
            let chosen = counts.iter().position(|count| *count == self.settings.count).unwrap_or(0);
            if let Some(at) = segmented(ui, &choices, chosen, size::HIT_MIN) {
                self.settings.count = counts[at];
            }
        });
    }
}

impl Dialog for SweepDialog {
    fn title_text(&self) -> MessageText {
        message!("Sweep")
    }

    fn subtitle(&self, cx: &UiContext<'_>) -> String {
        sweep_name(cx, self.settings.subject)
    }

    fn window_rect(&self, ctx: &Context, _cx: &UiContext<'_>) -> Rect {
        in_middle(ctx, WINDOW_SIZE.into())
    }

    fn refresh(&mut self, _ctx: &Context, cx: &mut UiContext<'_>) -> DialogResult {
        if self.targets == targets(cx) { DialogResult::Open } else { DialogResult::Closed }
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, _out: &mut DialogOutput) {
        ui.add_space(space::M);
        ui.spacing_mut().item_spacing.y = space::S;
        self.range_ui(ui, cx);
        self.count_ui(ui, cx);
        padded_ui(ui, |ui| {
            if let Some(problem) = cx.session().sweep_problem(&self.settings) {
                let text = TextSize::Body.rich(sweep_problem_text(cx, problem)).color(cx.theme.color.warning);
                ui.add(Label::new(text).wrap());
            } else {
                let text = if is_still(cx) {
                    message!("The body does not move, so no variant swings. Choose a motion to see how they swing.")
                } else {
                    message!(
                        "The character stands side by side with each value, on the same motion. A click on a body takes \
                     its value."
                    )
                };
                sentence_ui(ui, cx, &cx.tr(text));
            }
        });
    }

    fn buttons(&self, cx: &UiContext<'_>) -> Vec<DialogButton> {
        let is_possible = cx.session().sweep_problem(&self.settings).is_none();
        vec![DialogButton::apply(tr!(cx, "Show variants"), is_possible), DialogButton::cancel(cx)]
    }

    fn apply(&mut self, cx: &mut UiContext<'_>) -> DialogResult {
        cx.command(Command::StartSweep(self.settings));
        DialogResult::Closed
    }
}

/// Returns the bones and the solver that a sweep would change.
fn targets(cx: &UiContext<'_>) -> (Vec<BoneId>, SolverKind) {
    (cx.selection().bones.iter().copied().collect(), cx.inspection().system().solver)
}

/// Whether the motion moves nothing, so that all variants come to rest.
fn is_still(cx: &UiContext<'_>) -> bool {
    let play = cx.playback();
    match play.settings().motion {
        Motion::Still => true,
        Motion::Clip(clip) => cx.character().clips.get(clip).is_none_or(|clip| clip.duration <= 0.0),
        Motion::Test(_) | Motion::Gesture(_) => false,
    }
}
