//! Offers the unsaved changes of a window that ended without closing.

use super::dialog::{Dialog, DialogButton, DialogOutput, DialogResult, in_middle};
use crate::tr;
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::tokens::{radius, size, space, stroke};
use crate::ui::kit::{button, i18n, icons};
use crate::ui::{AppRequest, RecoveryChoice, RecoveryState, RecoveryView, UiContext};
use egui::{Align, Context, Layout, Rect, Sense, Stroke, StrokeKind, Ui, vec2};
use yuremono_sim::diagnostics::{MessageText, message};

pub(super) const WIDTH: f32 = 560.0;
/// Height of both pictures, in points.
const PICTURE_HEIGHT: f32 = 300.0;

/// Shows the unsaved changes until the artist chooses.
#[derive(Debug)]
pub(super) struct RecoveryDialog;

impl Dialog for RecoveryDialog {
    /// The body shows the question, so this text only identifies the window.
    fn title_text(&self) -> MessageText {
        message!("Recover")
    }

    fn window_rect(&self, ctx: &Context, _cx: &UiContext<'_>) -> Rect {
        in_middle(ctx, vec2(WIDTH, 0.0))
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, _out: &mut DialogOutput) {
        let Some(view) = cx.input.file.recovery else { return };
        let c = cx.theme.color;
        ui.horizontal(|ui| {
            icons::icon(ui, icons::WARNING, size::ICON_LARGE, c.warning);
            let name = view.project.unwrap_or(view.character);
            let title = tr!(cx, "Recover the unsaved changes of {name}?", name);
            ui.add(egui::Label::new(TextSize::Title.rich(title).color(c.text)).wrap());
        });
        ui.add_space(space::S);
        ui.label(TextSize::Body.rich(description(view, cx)).color(c.text_2));
        ui.add_space(space::L);
        if view.can_draw {
            pictures_ui(ui, view, cx);
            return;
        }
        let text = tr!(
            cx,
            "{name} cannot be opened, so there is no picture. If the file was moved, locate it. The changes are kept \
             until you recover or discard them.",
            name = view.character
        );
        ui.label(TextSize::Body.rich(text).color(c.warning));
        ui.add_space(space::M);
        if button::secondary(&tr!(cx, "Locate character…")).icon(icons::FOLDER_OPEN).show(ui).clicked() {
            cx.request(AppRequest::LocateRecoveredCharacter);
        }
    }

    fn buttons(&self, cx: &UiContext<'_>) -> Vec<DialogButton> {
        let copy = DialogButton::secondary(tr!(cx, "Open as a copy"))
            .hint(tr!(cx, "Opens the changes as a new document. The project file stays unchanged."));
        let later = DialogButton::cancel(cx)
            .label(tr!(cx, "Later"))
            .hint(tr!(cx, "Keeps the changes and offers them again at the next start."));
        vec![DialogButton::apply(tr!(cx, "Recover"), true), copy, later]
    }

    fn footer_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) {
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            let discard = button::secondary(&tr!(cx, "Discard")).show(ui);
            if discard.on_hover_text(tr!(cx, "Deletes the unsaved changes. This cannot be undone.")).clicked() {
                cx.request(AppRequest::ChooseRecovery(RecoveryChoice::Discard));
            }
        });
    }

    fn apply(&mut self, cx: &mut UiContext<'_>) -> DialogResult {
        choose(cx, RecoveryChoice::Recover)
    }

    fn secondary_action(&mut self, cx: &mut UiContext<'_>) -> DialogResult {
        choose(cx, RecoveryChoice::OpenCopy)
    }

    fn close(&mut self, cx: &mut UiContext<'_>) -> DialogResult {
        choose(cx, RecoveryChoice::Later)
    }
}

/// Sends the choice. The dialog stays until the application offers nothing more.
fn choose(cx: &mut UiContext<'_>, choice: RecoveryChoice) -> DialogResult {
    cx.request(AppRequest::ChooseRecovery(choice));
    DialogResult::Open
}

/// Returns the time of the last edit, the number of edits, whether the file has changed, the number of other windows,
/// and the path of the crash report.
fn description(view: RecoveryView<'_>, cx: &UiContext<'_>) -> String {
    let age = i18n::age_text(cx.theme.lang, view.age_seconds);
    let mut sentences = vec![tr!(
        cx,
        "Yuremono closed unexpectedly. Last edit: {age}. Not saved: {n:edit|edits} of {character}.",
        age,
        n = view.edits,
        character = view.character
    )];
    if view.project_changed {
        sentences.push(tr!(cx, "The project file has changed since; saving asks before it overwrites that file."));
    }
    if view.others > 0 {
        sentences.push(tr!(cx, "{n:more document waits|more documents wait} for recovery.", n = view.others));
    }
    if let Some(file) = view.crash_report {
        sentences.push(tr!(cx, "{file} describes the error: attach the file to a bug report.", file));
    }
    sentences.join(if cx.theme.is_japanese() { "" } else { " " })
}

fn pictures_ui(ui: &mut Ui, view: RecoveryView<'_>, cx: &UiContext<'_>) {
    let c = cx.theme.color;
    let picture_size = vec2((ui.available_width() - space::M) / 2.0, PICTURE_HEIGHT);
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = space::M;
        let states = [
            (RecoveryState::Saved, message!("Last saved")),
            (RecoveryState::Recovered, message!("With unsaved changes")),
        ];
        for (state, label) in states {
            ui.vertical(|ui| {
                ui.set_width(picture_size.x);
                let (rect, _) = ui.allocate_exact_size(picture_size, Sense::hover());
                ui.painter().rect_filled(rect, radius::FIELD, c.field);
                match (view.draw)(rect, state) {
                    Some(shape) => _ = ui.painter().add(shape),
                    None => _ = ui.put(rect, egui::Spinner::new()),
                }
                let edge = if state == RecoveryState::Recovered { c.accent } else { c.border_strong };
                ui.painter().rect_stroke(rect, radius::FIELD, Stroke::new(stroke::EDGE, edge), StrokeKind::Inside);
                ui.add_space(space::XS);
                ui.vertical_centered(|ui| ui.label(TextSize::Small.rich(cx.tr(label)).color(c.text_2)));
            });
        }
    });
}
