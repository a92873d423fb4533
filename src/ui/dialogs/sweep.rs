//! *Sweep*: shows several values of one parameter side by side.

use super::dialog::{Dialog, DialogButton, DialogOutput, DialogResult, in_middle, sentence_ui};
use crate::tr;
use crate::ui::UiContext;
use crate::ui::compare::{default_sweep, sweep_format, sweep_name, sweep_problem_text};
use crate::ui::kit::number::NumberInput;
use crate::ui::kit::property_row::{PropertyRow, property_rows};
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::toggle::Choice;
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

    fn settings_ui(&mut self, ui: &mut Ui, cx: &UiContext<'_>) {
        let Some(def) = cx.session().sweep_param(self.settings.subject) else { return };
        let input = NumberInput::new(sweep_format(cx, self.settings.subject), [def.range.0, def.range.1]);
        PropertyRow::new(&tr!(cx, "From{:range}")).number(ui, input, &mut self.settings.low);
        PropertyRow::new(&tr!(cx, "To")).number(ui, input, &mut self.settings.high);
        let counts = SweepSettings::MIN_COUNT..=SweepSettings::MAX_COUNT;
        let counts: Vec<_> = counts.map(|count| Choice::new(count, count.to_string())).collect();
        PropertyRow::new(&tr!(cx, "Variants")).choice(ui, &counts, &mut self.settings.count);
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
        property_rows(ui, |ui| {
            self.settings_ui(ui, cx);
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
        Motion::Still | Motion::Live => true,
        Motion::Clip(clip) => cx.character().clips.get(clip).is_none_or(|clip| clip.duration <= 0.0),
        Motion::Test(_) | Motion::Range(_) | Motion::Gesture(_) => false,
    }
}
