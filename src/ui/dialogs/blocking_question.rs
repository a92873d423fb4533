//! Questions that block the window: unsaved changes before closing or opening, a project file that changed on disk, and
//! the averaging that a VRM 0.x file needs.

use crate::ui::kit::icons::{self, Icon};
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::tokens::{size, space};
use crate::ui::kit::{button, frame};
use crate::ui::{AppRequest, ProjectAccess, UiContext};
use egui::{Align, Context, Id, Key, Layout, Ui, vec2};

const WIDTH: f32 = 420.0;
/// Width of a question with more than three answers.
const WIDE_WIDTH: f32 = 600.0;

/// One question. Each answer has the key of its label and a request.
struct BlockingQuestion {
    id: &'static str,
    title: String,
    text_key: &'static str,
    /// The safest answer.
    main_answer: (&'static str, Icon, AppRequest),
    cancel_key: &'static str,
    /// The other answers, at the left.
    left_answers: Vec<(&'static str, AppRequest)>,
}

#[derive(Debug, Default)]
pub(super) struct BlockingQuestions {
    /// Whether the artist chose *Save*. Closing or opening continues after everything is saved.
    proceeds_after_save: bool,
}

impl BlockingQuestions {
    pub(super) fn show(&mut self, ctx: &Context, cx: &mut UiContext<'_>) {
        let file = cx.input.file;
        let asks_other = file.confirm_overwrite || file.confirm_average || file.project_of_other_window.is_some();
        if !file.confirm_close || asks_other {
            self.proceeds_after_save &= file.confirm_close;
        } else if self.proceeds_after_save && !file.has_unsaved_changes {
            self.proceeds_after_save = false;
            cx.request(AppRequest::ProceedWithoutSaving);
            return;
        }
        let Some(question) = BlockingQuestion::pending(cx) else { return };
        let answer = question.show(ctx, cx);
        self.proceeds_after_save |= file.confirm_close && matches!(answer, Some(AppRequest::Save | AppRequest::SaveAs));
        if let Some(answer) = answer {
            cx.request(answer);
        }
    }
}

impl BlockingQuestion {
    fn pending(cx: &UiContext<'_>) -> Option<Self> {
        let file = cx.input.file;
        let name = file.project.unwrap_or(file.name);
        if file.confirm_overwrite {
            // The safe answers, *Save as* and *Cancel*, are on the right.
            let left_answers = vec![
                ("replacing.overwrite", AppRequest::OverwriteProject),
                ("replacing.reload", AppRequest::ReloadProject),
                ("replacing.compare", AppRequest::CompareWithDisk),
            ];
            return Some(Self {
                id: "replacing",
                title: cx.tr_with("replacing.title", &[("name", name)]),
                text_key: "replacing.what",
                main_answer: ("replacing.save_as", icons::FLOPPY_DISK, AppRequest::SaveAs),
                cancel_key: "common.cancel",
                left_answers,
            });
        }
        if let Some(name) = file.project_of_other_window {
            return Some(Self {
                id: "open_elsewhere",
                title: cx.tr_with("open_elsewhere.title", &[("name", name)]),
                text_key: "open_elsewhere.what",
                main_answer: ("common.open_copy", icons::COPY, AppRequest::ChooseProjectAccess(ProjectAccess::Copy)),
                cancel_key: "common.cancel",
                left_answers: vec![(
                    "open_elsewhere.read_only",
                    AppRequest::ChooseProjectAccess(ProjectAccess::ReadOnly),
                )],
            });
        }
        if file.confirm_average {
            return Some(Self {
                id: "averaging",
                title: cx.tr("averaging.title").into_owned(),
                text_key: "averaging.what",
                main_answer: ("averaging.save", icons::FLOPPY_DISK, AppRequest::SaveAveraged),
                cancel_key: "closing.stay",
                left_answers: Vec::new(),
            });
        }
        let (title, discard) = match file.pending_open {
            Some(other) => {
                let title = cx.tr_with("closing.title_open", &[("name", name), ("other", other)]);
                (title, "closing.discard_open")
            }
            None => (cx.tr_with("closing.title", &[("name", name)]), "closing.discard"),
        };
        let mut left_answers = vec![(discard, AppRequest::ProceedWithoutSaving)];
        if file.project.is_some() {
            left_answers.push(("replacing.save_as", AppRequest::SaveAs));
        }
        file.confirm_close.then_some(Self {
            id: "closing",
            title,
            text_key: "closing.what",
            main_answer: ("closing.save", icons::FLOPPY_DISK, AppRequest::Save),
            cancel_key: "closing.stay",
            left_answers,
        })
    }

    /// Returns the answer. Closing the question returns [`AppRequest::CancelClose`].
    fn show(self, ctx: &Context, cx: &UiContext<'_>) -> Option<AppRequest> {
        let width = if self.left_answers.len() > 1 { WIDE_WIDTH } else { WIDTH };
        // Enter in a focused button presses that button.
        let enter = ctx.memory(|m| m.focused().is_none()) && ctx.input(|i| i.key_pressed(Key::Enter));
        let main_answer = enter.then(|| self.main_answer.2.clone());
        let shown = frame::question(ctx, Id::unique(self.id), width, |ui| self.body_ui(ui, cx));
        // A click next to the question does not close the question, because the click may dismiss a message.
        let escape = shown.is_top_modal && !shown.any_popup_open && ctx.input(|i| i.key_pressed(Key::Escape));
        shown.inner.or(main_answer).or(escape.then_some(AppRequest::CancelClose))
    }

    fn body_ui(self, ui: &mut Ui, cx: &UiContext<'_>) -> Option<AppRequest> {
        let c = cx.theme.color;
        ui.horizontal(|ui| {
            icons::icon(ui, icons::WARNING, size::ICON_LARGE, c.warning);
            ui.add(egui::Label::new(TextSize::Title.rich(self.title).color(c.text)).wrap());
        });
        ui.add_space(space::S);
        ui.label(TextSize::Body.rich(cx.tr(self.text_key)).color(c.text_2));
        ui.add_space(space::XL);
        let row = vec2(ui.available_width(), size::BUTTON);
        let mut answer = None;
        ui.allocate_ui_with_layout(row, Layout::right_to_left(Align::Center), |ui| {
            let (words, icon, request) = self.main_answer;
            if button::primary(&cx.tr(words)).icon(icon).show(ui).clicked() {
                answer = Some(request);
            }
            if button::secondary(&cx.tr(self.cancel_key)).show(ui).clicked() {
                answer = Some(AppRequest::CancelClose);
            }
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                for (words, request) in self.left_answers {
                    if button::secondary(&cx.tr(words)).show(ui).clicked() {
                        answer = Some(request);
                    }
                }
            });
        });
        answer
    }
}
