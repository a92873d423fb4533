//! Offers the unsaved changes of a window that ended without closing.

use super::dialog::{Dialog, DialogButton, DialogOutput, DialogResult, in_middle};
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::tokens::{radius, size, space, stroke};
use crate::ui::kit::{button, i18n, icons};
use crate::ui::{AppRequest, RecoveryChoice, RecoveryState, RecoveryView, UiContext};
use egui::{Align, Context, Layout, Rect, Sense, Stroke, StrokeKind, Ui, vec2};

pub(super) const WIDTH: f32 = 560.0;
/// Height of both pictures, in points.
const PICTURE_HEIGHT: f32 = 300.0;

/// Shows the unsaved changes until the artist chooses.
#[derive(Debug)]
pub(super) struct RecoveryDialog;

impl Dialog for RecoveryDialog {
    fn title_key(&self) -> &'static str {
        "recovery.title"
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
            let title = cx.tr_with("recovery.title", &[("name", name)]);
            ui.add(egui::Label::new(TextSize::Title.rich(title).color(c.text)).wrap());
        });
        ui.add_space(space::S);
        ui.label(TextSize::Body.rich(description(view, cx)).color(c.text_2));
        ui.add_space(space::L);
        if view.can_draw {
            pictures_ui(ui, view, cx);
            return;
        }
        let words = cx.tr_with("recovery.no_character", &[("name", view.character)]);
        ui.label(TextSize::Body.rich(words).color(c.warning));
        ui.add_space(space::M);
        if button::secondary(&cx.tr("recovery.locate")).icon(icons::FOLDER_OPEN).show(ui).clicked() {
            cx.request(AppRequest::LocateRecoveredCharacter);
        }
    }

    fn buttons(&self, cx: &UiContext<'_>) -> Vec<DialogButton> {
        let copy = DialogButton::secondary(cx.tr("common.open_copy")).hint(cx.tr("recovery.copy_hint"));
        let later = DialogButton::cancel(cx).label(cx.tr("recovery.later")).hint(cx.tr("recovery.later_hint"));
        vec![DialogButton::apply(cx.tr("recovery.recover"), true), copy, later]
    }

    fn footer_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) {
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            let discard = button::secondary(&cx.tr("recovery.discard")).show(ui);
            if discard.on_hover_text(cx.tr("recovery.discard_hint")).clicked() {
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

/// Returns when the window ended, the number of edits, whether the file has changed, and the number of other windows.
fn description(view: RecoveryView<'_>, cx: &UiContext<'_>) -> String {
    let age = i18n::age_text(cx.theme.lang, view.age_seconds);
    let edits = view.edits.to_string();
    let mut sentences =
        vec![cx.tr_with("recovery.what", &[("age", &age), ("n", &edits), ("character", view.character)])];
    if view.project_changed {
        sentences.push(cx.tr("recovery.project_changed").into_owned());
    }
    if view.others > 0 {
        sentences.push(cx.tr_with("recovery.others", &[("n", &view.others.to_string())]));
    }
    sentences.join(if cx.theme.is_japanese() { "" } else { " " })
}

fn pictures_ui(ui: &mut Ui, view: RecoveryView<'_>, cx: &UiContext<'_>) {
    let c = cx.theme.color;
    let picture = vec2((ui.available_width() - space::M) / 2.0, PICTURE_HEIGHT);
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = space::M;
        let states = [(RecoveryState::Saved, "recovery.saved"), (RecoveryState::Recovered, "recovery.recovered")];
        for (state, label) in states {
            ui.vertical(|ui| {
                ui.set_width(picture.x);
                let (rect, _) = ui.allocate_exact_size(picture, Sense::hover());
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
