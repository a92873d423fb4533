//! Questions that block the window: unsaved changes before closing or opening, a project file that changed on disk, a
//! project of another window, and springs that a character file changes.

use super::dialog::{Dialog, DialogButton, DialogOutput, DialogResult, in_middle};
use crate::tr;
use crate::ui::kit::button;
use crate::ui::kit::i18n;
use crate::ui::kit::icons;
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::tokens::{size, space};
use crate::ui::{AppRequest, DocumentId, ProjectAccess, Question, SpringChanges, UiContext};
use egui::{Align, Context, Layout, Rect, Ui, vec2};
use yuremono_sim::diagnostics::{MessageText, message};

pub(super) const WIDTH: f32 = 600.0;

/// Shows the question of the application until the application no longer asks it.
#[derive(Debug)]
pub(super) struct QuestionDialog {
    question: Question,
    /// The document for which the question is asked.
    document: DocumentId,
}

/// An answer: the label of its button, and its request.
type Answer = (MessageText, AppRequest);

impl QuestionDialog {
    pub(super) const fn new(question: Question, document: DocumentId) -> Self {
        Self { question, document }
    }

    /// Whether the application still asks this question for the same document.
    pub(super) fn is_asked(&self, question: Option<&Question>, document: DocumentId) -> bool {
        question == Some(&self.question) && document == self.document
    }

    fn text(&self, cx: &UiContext<'_>) -> MessageText {
        let name = cx.input.file.project.unwrap_or(cx.input.file.name);
        match &self.question {
            Question::UnsavedChanges { other: Some(other) } => {
                message!("Save {name} before opening {other}?", name, other)
            }
            Question::UnsavedChanges { other: None } => message!("Save {name} before closing?", name),
            Question::ProjectChanged => message!("{name} changed on disk since the last read or save.", name),
            Question::OpenElsewhere { name } => message!("{name} is open in another window.", name),
            Question::SaveChangedSprings(_) => message!("Save springs that move differently?"),
        }
    }

    /// Returns the sentence below the question.
    const fn explanation(&self) -> MessageText {
        match self.question {
            Question::UnsavedChanges { .. } => {
                message!("Without saving, all changes since the last save are lost.")
            }
            Question::ProjectChanged => message!(
                "Overwrite replaces the file with what is open here. Reload opens the file and discards what is open \
                 here."
            ),
            Question::OpenElsewhere { .. } => message!(
                "Two windows would overwrite each other's changes. Open a copy, or open the project read-only and save \
                 under another name."
            ),
            Question::SaveChangedSprings(_) => message!("This document stays unchanged."),
        }
    }

    /// Returns the safest answer. Enter chooses this answer.
    const fn main_answer(&self) -> Answer {
        match self.question {
            Question::UnsavedChanges { .. } => (message!("Save"), AppRequest::Save),
            Question::ProjectChanged => (message!("Save as…"), AppRequest::SaveAs),
            Question::OpenElsewhere { .. } => {
                (message!("Open as a copy"), AppRequest::ChooseProjectAccess(ProjectAccess::Copy))
            }
            Question::SaveChangedSprings(_) => (message!("Save springs"), AppRequest::SaveChangedSprings),
        }
    }

    /// Returns the other answers, at the left.
    fn left_answers(&self, cx: &UiContext<'_>) -> Vec<Answer> {
        match &self.question {
            Question::UnsavedChanges { other } => {
                let discard =
                    if other.is_some() { message!("Open without saving") } else { message!("Close without saving") };
                let save_as = cx.input.file.project.map(|_| (message!("Save as…"), AppRequest::SaveAs));
                [(discard, AppRequest::ProceedWithoutSaving)].into_iter().chain(save_as).collect()
            }
            Question::ProjectChanged => vec![
                (message!("Overwrite file"), AppRequest::OverwriteProject),
                (message!("Reload file"), AppRequest::ReloadProject),
                (message!("Compare…"), AppRequest::CompareWithDisk),
            ],
            Question::OpenElsewhere { .. } => {
                vec![(message!("Open read-only"), AppRequest::ChooseProjectAccess(ProjectAccess::ReadOnly))]
            }
            Question::SaveChangedSprings(_) => Vec::new(),
        }
    }

    fn answer(&self, cx: &mut UiContext<'_>, request: AppRequest) {
        cx.request(AppRequest::Answer { document: self.document, request: Box::new(request) });
    }
}

/// Returns what differs between the springs of the document and those of the file.
fn changed_springs_texts(cx: &UiContext<'_>, changes: &SpringChanges) -> Vec<MessageText> {
    let converted = changes.converted.as_ref().map(|chains| {
        let lang = cx.theme.lang;
        let names: Vec<_> = chains.solvers.iter().map(|solver| i18n::solver_name(lang, *solver)).collect();
        message!(
            "The file stores VRM springs, so {n:chain|chains} of {solvers} will be converted. In motion, tips are up to \
             {distance} mm and bones up to {angle}° from their motion here; the largest difference is in {chain}.",
            n = chains.count,
            solvers = names.join(&*tr!(cx, ", ")),
            distance = format_args!("{:.1}", 1000.0 * chains.distance_m),
            angle = format_args!("{:.1}", chains.angle_deg),
            chain = &chains.worst_chain,
        )
    });
    let means = changes.has_mean_values.then(|| {
        message!(
            "VRM 0.x stores one set of values per chain, but joints of a chain differ here. The saved file gets the \
             mean of each chain, and the largest differences are reported."
        )
    });
    converted.into_iter().chain(means).collect()
}

impl Dialog for QuestionDialog {
    /// The body shows the question, so this text only identifies the window.
    fn title_text(&self) -> MessageText {
        self.explanation()
    }

    fn title(&self, _cx: &UiContext<'_>) -> String {
        String::new()
    }

    fn window_rect(&self, ctx: &Context, _cx: &UiContext<'_>) -> Rect {
        in_middle(ctx, vec2(WIDTH, 0.0))
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, _out: &mut DialogOutput) {
        let c = cx.theme.color;
        ui.horizontal(|ui| {
            icons::icon(ui, icons::WARNING, size::ICON_LARGE, c.warning);
            ui.add(egui::Label::new(TextSize::Title.rich(cx.tr(self.text(cx))).color(c.text)).wrap());
        });
        ui.add_space(space::S);
        let details = match &self.question {
            Question::SaveChangedSprings(changes) => changed_springs_texts(cx, changes),
            _ => Vec::new(),
        };
        for text in details.into_iter().chain([self.explanation()]) {
            ui.label(TextSize::Body.rich(cx.tr(text)).color(c.text_2));
        }
    }

    fn buttons(&self, cx: &UiContext<'_>) -> Vec<DialogButton> {
        let (label, _) = self.main_answer();
        vec![DialogButton::apply(cx.tr(label), true), DialogButton::cancel(cx)]
    }

    fn footer_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) {
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            for (label, request) in self.left_answers(cx) {
                if button::secondary(&cx.tr(label)).show(ui).clicked() {
                    self.answer(cx, request);
                }
            }
        });
    }

    /// The question stays until the application no longer asks it.
    fn apply(&mut self, cx: &mut UiContext<'_>) -> DialogResult {
        self.answer(cx, self.main_answer().1);
        DialogResult::Open
    }

    fn close(&mut self, cx: &mut UiContext<'_>) -> DialogResult {
        self.answer(cx, AppRequest::CancelClose);
        DialogResult::Open
    }
}
