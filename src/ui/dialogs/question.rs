//! Questions that block the window: unsaved changes before closing or opening, a project file that changed on disk, a
//! project of another window, and springs that a character file changes.

use super::dialog::{Dialog, DialogButton, DialogOutput, DialogResult, in_middle};
use crate::ui::kit::button;
use crate::ui::kit::i18n;
use crate::ui::kit::icons;
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::tokens::{size, space};
use crate::ui::{AppRequest, DocumentId, ProjectAccess, Question, SpringChanges, UiContext};
use egui::{Align, Context, Id, Layout, Rect, Ui, vec2};

pub(super) const WIDTH: f32 = 600.0;

/// Shows the question of the application until the application no longer asks it.
#[derive(Debug)]
pub(super) struct QuestionDialog {
    question: Question,
    /// The document for which the question is asked.
    document: DocumentId,
}

/// An answer: the locale key of its button, and its request.
type Answer = (&'static str, AppRequest);

impl QuestionDialog {
    pub(super) const fn new(question: Question, document: DocumentId) -> Self {
        Self { question, document }
    }

    /// Whether the application still asks this question for the same document.
    pub(super) fn is_asked(&self, question: Option<&Question>, document: DocumentId) -> bool {
        question == Some(&self.question) && document == self.document
    }

    const fn key(&self) -> &'static str {
        match self.question {
            Question::UnsavedChanges { .. } => "closing",
            Question::ProjectChanged => "replacing",
            Question::OpenElsewhere { .. } => "open_elsewhere",
            Question::SaveChangedSprings(_) => "changed_springs",
        }
    }

    fn text(&self, cx: &UiContext<'_>) -> String {
        let name = cx.input.file.project.unwrap_or(cx.input.file.name);
        match &self.question {
            Question::UnsavedChanges { other: Some(other) } => {
                cx.tr_with("closing.title_open", &[("name", name), ("other", other)])
            }
            Question::UnsavedChanges { other: None } => cx.tr_with("closing.title", &[("name", name)]),
            Question::ProjectChanged => cx.tr_with("replacing.title", &[("name", name)]),
            Question::OpenElsewhere { name } => cx.tr_with("open_elsewhere.title", &[("name", name)]),
            Question::SaveChangedSprings(_) => cx.tr("changed_springs.title").into_owned(),
        }
    }

    /// Returns the safest answer. Enter chooses this answer.
    const fn main_answer(&self) -> Answer {
        match self.question {
            Question::UnsavedChanges { .. } => ("closing.save", AppRequest::Save),
            Question::ProjectChanged => ("replacing.save_as", AppRequest::SaveAs),
            Question::OpenElsewhere { .. } => {
                ("common.open_copy", AppRequest::ChooseProjectAccess(ProjectAccess::Copy))
            }
            Question::SaveChangedSprings(_) => ("changed_springs.save", AppRequest::SaveChangedSprings),
        }
    }

    const fn cancel_key(&self) -> &'static str {
        match self.question {
            Question::UnsavedChanges { .. } | Question::SaveChangedSprings(_) => "closing.stay",
            Question::ProjectChanged | Question::OpenElsewhere { .. } => "common.cancel",
        }
    }

    /// Returns the other answers, at the left.
    fn left_answers(&self, cx: &UiContext<'_>) -> Vec<Answer> {
        match &self.question {
            Question::UnsavedChanges { other } => {
                let discard = if other.is_some() { "closing.discard_open" } else { "closing.discard" };
                let save_as = cx.input.file.project.map(|_| ("replacing.save_as", AppRequest::SaveAs));
                [(discard, AppRequest::ProceedWithoutSaving)].into_iter().chain(save_as).collect()
            }
            Question::ProjectChanged => vec![
                ("replacing.overwrite", AppRequest::OverwriteProject),
                ("replacing.reload", AppRequest::ReloadProject),
                ("replacing.compare", AppRequest::CompareWithDisk),
            ],
            Question::OpenElsewhere { .. } => {
                vec![("open_elsewhere.read_only", AppRequest::ChooseProjectAccess(ProjectAccess::ReadOnly))]
            }
            Question::SaveChangedSprings(_) => Vec::new(),
        }
    }

    fn answer(&self, cx: &mut UiContext<'_>, request: AppRequest) {
        cx.request(AppRequest::Answer { document: self.document, request: Box::new(request) });
    }
}

/// Returns what differs between the springs of the document and those of the file.
fn changed_springs_texts(cx: &UiContext<'_>, changes: &SpringChanges) -> Vec<String> {
    let converted = changes.converted.as_ref().map(|chains| {
        let lang = cx.theme.lang;
        let names: Vec<_> = chains.solvers.iter().map(|solver| i18n::solver_name(lang, *solver)).collect();
        let values = [
            ("n", &*chains.count.to_string()),
            ("solvers", &names.join(&cx.tr("windows.and"))),
            ("distance", &format!("{:.1}", 1000.0 * chains.distance_m)),
            ("angle", &format!("{:.1}", chains.angle_deg)),
            ("chain", &chains.worst_chain),
        ];
        cx.tr_with("changed_springs.converted", &values)
    });
    let means = changes.has_mean_values.then(|| cx.tr("changed_springs.means").into_owned());
    converted.into_iter().chain(means).collect()
}

impl Dialog for QuestionDialog {
    fn title_key(&self) -> &'static str {
        self.key()
    }

    fn title(&self, _cx: &UiContext<'_>) -> String {
        String::new()
    }

    fn id(&self) -> Id {
        Id::unique(("question", self.key()))
    }

    fn window_rect(&self, ctx: &Context, _cx: &UiContext<'_>) -> Rect {
        in_middle(ctx, vec2(WIDTH, 0.0))
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, _out: &mut DialogOutput) {
        let c = cx.theme.color;
        ui.horizontal(|ui| {
            icons::icon(ui, icons::WARNING, size::ICON_LARGE, c.warning);
            ui.add(egui::Label::new(TextSize::Title.rich(self.text(cx)).color(c.text)).wrap());
        });
        ui.add_space(space::S);
        let details = match &self.question {
            Question::SaveChangedSprings(changes) => changed_springs_texts(cx, changes),
            _ => Vec::new(),
        };
        let what = cx.tr(&format!("{}.what", self.key())).into_owned();
        for text in details.into_iter().chain([what]) {
            ui.label(TextSize::Body.rich(text).color(c.text_2));
        }
    }

    fn buttons(&self, cx: &UiContext<'_>) -> Vec<DialogButton> {
        let (label, _) = self.main_answer();
        vec![DialogButton::apply(cx.tr(label), true), DialogButton::cancel(cx).label(cx.tr(self.cancel_key()))]
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
