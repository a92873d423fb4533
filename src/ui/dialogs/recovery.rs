//! Offers the unsaved changes of a window that ended without closing.

use crate::ui::kit::theme::TextSize;
use crate::ui::kit::tokens::{radius, size, space, stroke};
use crate::ui::kit::{button, frame, i18n, icons};
use crate::ui::{AppRequest, RecoveryChoice, RecoveryState, RecoveryView, UiContext};
use egui::{Align, Context, Id, Layout, Sense, Stroke, StrokeKind, Ui, vec2};

const WIDTH: f32 = 560.0;
/// Height of both pictures, in points.
const PICTURE_HEIGHT: f32 = 300.0;

pub(super) fn show(view: RecoveryView<'_>, ctx: &Context, cx: &mut UiContext<'_>) {
    let mut locates = false;
    let shown = frame::question(ctx, Id::unique("recovery"), WIDTH, |ui| body_ui(ui, view, cx, &mut locates));
    if locates {
        cx.request(AppRequest::LocateRecoveredCharacter);
    }
    // A click beside the window must not choose anything.
    let escaped = ctx.input_mut(|i| i.consume_key(egui::Modifiers::NONE, egui::Key::Escape));
    if let Some(choice) = shown.inner.or(escaped.then_some(RecoveryChoice::Later)) {
        cx.request(AppRequest::ChooseRecovery(choice));
    }
}

/// `locates` becomes true if the artist wants to find the moved character.
fn body_ui(ui: &mut Ui, view: RecoveryView<'_>, cx: &UiContext<'_>, locates: &mut bool) -> Option<RecoveryChoice> {
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
    } else {
        ui.label(
            TextSize::Body.rich(cx.tr_with("recovery.no_character", &[("name", view.character)])).color(c.warning),
        );
        ui.add_space(space::M);
        *locates = button::secondary(&cx.tr("recovery.locate")).icon(icons::FOLDER_OPEN).show(ui).clicked();
    }
    ui.add_space(space::XL);
    let row = vec2(ui.available_width(), size::BUTTON);
    let mut choice = None;
    ui.allocate_ui_with_layout(row, Layout::right_to_left(Align::Center), |ui| {
        if button::primary(&cx.tr("recovery.recover")).icon(icons::ARROW_COUNTER_CLOCKWISE).show(ui).clicked() {
            choice = Some(RecoveryChoice::Recover);
        }
        let copy = button::secondary(&cx.tr("common.open_copy")).show(ui);
        if copy.on_hover_text(cx.tr("recovery.copy_hint")).clicked() {
            choice = Some(RecoveryChoice::OpenCopy);
        }
        if button::secondary(&cx.tr("recovery.later")).show(ui).on_hover_text(cx.tr("recovery.later_hint")).clicked() {
            choice = Some(RecoveryChoice::Later);
        }
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            let discard = button::secondary(&cx.tr("recovery.discard")).show(ui);
            if discard.on_hover_text(cx.tr("recovery.discard_hint")).clicked() {
                choice = Some(RecoveryChoice::Discard);
            }
        });
    });
    choice
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
