//! Lines that are on or off, or one of a few, and the flags of joints.

use super::label_line::LABEL_LEFT;
use super::warnings::{EXTENSION_ICON, LineWarnings, extension_note, warning_text};
use crate::params::{ParamId, ParamKind};
use crate::session::{Command, ParamLine, ParamWarning, ValueSummary};
use crate::ui::UiContext;
use crate::ui::kit::i18n;
use crate::ui::kit::icons::{self, IconButton, paint_icon};
use crate::ui::kit::paint;
use crate::ui::kit::param_row::info_note;
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::toggle::choice;
use crate::ui::kit::toggle::switch;
use crate::ui::kit::tokens::{radius, size, space};
use egui::{Align2, Layout, Popup, Rect, Response, Sense, Ui, UiBuilder, pos2, vec2};

/// Right of the control, for the button that puts back.
const RESET_WIDTH: f32 = 16.0;
/// What a label of a line needs at least beside its control.
const LABEL_MIN_WIDTH: f32 = 92.0;

/// The left part of a line.
struct SwitchLine<'a> {
    label: &'a str,
    tooltip: &'a str,
    changed: bool,
    has_effect: bool,
    /// Room for the control at the right.
    control_width: f32,
}

impl SwitchLine<'_> {
    /// Label, mark and tooltip; the line's place, the label's end and its response.
    fn show(&self, ui: &mut Ui, cx: &UiContext<'_>) -> (Rect, f32, Response) {
        let c = cx.theme.color;
        let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), size::ROW), Sense::hover());
        if ui.rect_contains_pointer(rect) {
            ui.painter().rect_filled(rect, radius::FIELD, c.hover);
        }
        if self.changed {
            ui.painter().circle_filled(pos2(rect.left() - 1.0, rect.center().y), 2.5, c.accent);
        }
        let ink = if self.has_effect { c.text } else { c.text_3 };
        let words = paint::elided(
            ui,
            self.label,
            TextSize::Body,
            ink,
            rect.width() - self.control_width - RESET_WIDTH - LABEL_LEFT,
        );
        let place = paint::paint_galley_left(ui.painter(), pos2(rect.left() + LABEL_LEFT, rect.center().y), words);
        let said = ui.interact(place.expand2(vec2(0.0, space::XS)), ui.scope_id().with("label"), Sense::click());
        (rect, place.right(), said.on_hover_text(self.tooltip))
    }
}

/// A row of the whole character that is on or off.
pub(super) fn toggle_ui(ui: &mut Ui, cx: &mut UiContext<'_>, row: ParamId, warning_in_next_row: bool) {
    let view = cx.session().inspection().param_view(row);
    let on = match view.values {
        ValueSummary::None => return,
        ValueSummary::Same(value) => value != 0.0,
        ValueSummary::Mixed { .. } => true,
    };
    let label = i18n::param_label(cx.theme.lang, view.def);
    let doc = i18n::param_doc(cx.theme.lang, view.def);
    let beyond = cx.session().inspection().is_active_extension(row);
    let line =
        SwitchLine { label: &label, tooltip: &doc, changed: view.changed, has_effect: true, control_width: 40.0 };
    let (rect, label_end, said) = line.show(ui, cx);
    value_menu(cx, &said, row, view.changed);
    let right = rect.right() - RESET_WIDTH;
    let place = Rect::from_min_max(pos2(right - 34.0, rect.top() + 1.0), pos2(right - space::XS, rect.bottom() - 1.0));
    if beyond {
        extension_badge_ui(
            ui,
            cx,
            Rect::from_min_max(pos2(label_end + 8.0, rect.top()), pos2(place.left() - space::M, rect.bottom())),
        );
    }
    let toggle = switch(&mut ui.new_child(UiBuilder::new().max_rect(place)), &label, on);
    if toggle.clicked() {
        cx.command(Command::SetParam(row, if on { 0.0 } else { 1.0 }));
    }
    value_menu(cx, &toggle, row, view.changed);
    reset_ui(ui, cx, rect, row, &label, view.changed);
    if let Some(remark) = cx.session().inspection().param_warning(row).filter(|_| !warning_in_next_row) {
        info_note(ui, &warning_text(cx, remark), LABEL_LEFT);
    }
}

/// Tells at the right end of a place that the engine will not do it, in words where they fit.
fn extension_badge_ui(ui: &Ui, cx: &UiContext<'_>, place: Rect) {
    let c = cx.theme.color;
    let words = cx.tr("ways.not_unity_short");
    let width = paint::text_width(ui, &words, TextSize::Small);
    let fits = width + 18.0 <= place.width();
    let right = place.right_center();
    if fits {
        paint::text(ui.painter(), right, Align2::RIGHT_CENTER, &words, TextSize::Small, c.text_3);
    }
    let at = right - vec2(if fits { width + 10.0 } else { 6.0 }, 0.0);
    paint_icon(ui.painter(), at, EXTENSION_ICON, size::ICON_TINY, c.text_3);
    let said = ui.interact(place.with_min_x(at.x - 7.0), ui.scope_id().with("not unity"), Sense::hover());
    let sentence = cx.tr("ways.not_unity");
    said.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &*sentence));
    said.on_hover_text(sentence.clone());
}

/// A row that is one of a few.
pub(super) fn choice_ui(ui: &mut Ui, cx: &mut UiContext<'_>, row: ParamId, warning_in_next_row: bool) {
    let view = cx.session().inspection().param_view(row);
    let ParamKind::Choice(choices) = view.def.kind else { return };
    let chosen = match view.values {
        ValueSummary::None => return,
        ValueSummary::Same(value) => Some(value.round().max(0.0) as usize),
        ValueSummary::Mixed { .. } => None,
    };
    let label = i18n::param_label(cx.theme.lang, view.def);
    let doc = i18n::param_doc(cx.theme.lang, view.def);
    let texts: Vec<_> = (0..choices.len()).map(|i| i18n::param_choice(cx.theme.lang, view.def, i)).collect();
    let texts: Vec<&str> = texts.iter().map(|text| &**text).collect();
    let remark = cx.session().inspection().param_warning(row);
    let plain = remark.is_none_or(ParamWarning::has_effect);
    let room = ui.available_width() - LABEL_MIN_WIDTH - RESET_WIDTH - LABEL_LEFT;
    let (rect, _, said) =
        SwitchLine { label: &label, tooltip: &doc, changed: view.changed, has_effect: plain, control_width: room }
            .show(ui, cx);
    value_menu(cx, &said, row, view.changed);
    let place = rect.with_min_x(rect.right() - RESET_WIDTH - 4.0 - room).with_max_x(rect.right() - RESET_WIDTH - 4.0);
    let layout = Layout::right_to_left(egui::Align::Center);
    let mut inner = ui.new_child(UiBuilder::new().max_rect(place).layout(layout).id_salt("choice"));
    if !plain {
        inner.set_opacity(0.6);
    }
    let clicked = choice(&mut inner, &label, &texts, chosen, room);
    if let Some(clicked) = clicked.filter(|clicked| Some(*clicked) != chosen) {
        cx.command(Command::SetParam(row, clicked as f32));
    }
    reset_ui(ui, cx, rect, row, &label, view.changed);
    match remark.filter(|_| !warning_in_next_row) {
        Some(remark) => _ = info_note(ui, &warning_text(cx, remark), LABEL_LEFT),
        None if !warning_in_next_row && cx.session().inspection().is_active_extension(row) => extension_note(ui, cx),
        None => {}
    }
}

fn reset_ui(ui: &mut Ui, cx: &mut UiContext<'_>, rect: Rect, row: ParamId, label: &str, changed: bool) {
    if !changed {
        return;
    }
    let name = cx.tr_with("bar.reset", &[("name", label)]);
    let place = Rect::from_center_size(pos2(rect.right() - 7.0, rect.center().y), vec2(20.0, 20.0));
    let hit = ui.interact(place.expand(space::XXS), ui.scope_id().with("reset"), Sense::click());
    let button = IconButton::new(icons::ARROW_COUNTER_CLOCKWISE, &name).tiny();
    if button.show_at(ui, place, hit).clicked() {
        cx.command(Command::ResetParams(vec![row]));
    }
}

fn value_menu(cx: &mut UiContext<'_>, on: &Response, row: ParamId, changed: bool) {
    Popup::context_menu(on).show(|ui| {
        ui.set_min_width(160.0);
        if ui.add_enabled(changed, egui::Button::new(cx.tr("bar.as_loaded"))).clicked() {
            cx.command(Command::ResetParams(vec![row]));
        }
        if ui.button(cx.tr("bar.engine_default")).clicked() {
            cx.command(Command::SetOriginalDefaults(vec![row]));
        }
    });
}

/// Whether the tuned joints swing, and whether animation moves them.
pub(super) fn flags_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    let [enabled, animated] = cx.session().inspection().joint_flags();
    let is_on = |values: ValueSummary| matches!(values, ValueSummary::Same(value) if value != 0.0);
    if matches!(enabled, ValueSummary::None) {
        return;
    }
    if flag_ui(ui, cx, "simulated", is_on(enabled), matches!(enabled, ValueSummary::Mixed { .. })) {
        let bones = cx.session().inspection().target_bones().into_iter().map(|j| j.1).collect();
        cx.command(Command::SetJointsEnabled(bones, !is_on(enabled)));
    }
    // Only one engine has such a flag.
    if cx.session().inspection().supports_groups() {
        return;
    }
    if flag_ui(ui, cx, "animated", is_on(animated), matches!(animated, ValueSummary::Mixed { .. })) {
        cx.command(Command::SetAnimatedFlag(!is_on(animated)));
    }
}

fn flag_ui(ui: &mut Ui, cx: &UiContext<'_>, what: &str, on: bool, mixed: bool) -> bool {
    let (label, doc) = (cx.tr(&format!("ways.{what}")), cx.tr(&format!("ways.{what}_doc")));
    ui.push_id(what, |ui| {
        let line = SwitchLine { label: &label, tooltip: &doc, changed: false, has_effect: true, control_width: 120.0 };
        let (rect, ..) = line.show(ui, cx);
        let right = rect.right() - RESET_WIDTH;
        let place =
            Rect::from_min_max(pos2(right - 34.0, rect.top() + 1.0), pos2(right - space::XS, rect.bottom() - 1.0));
        if mixed {
            let at = place.left_center() - vec2(space::M, 0.0);
            paint::text(
                ui.painter(),
                at,
                Align2::RIGHT_CENTER,
                &cx.tr("bar.mixed"),
                TextSize::Small,
                cx.theme.color.text_3,
            );
        }
        switch(&mut ui.new_child(UiBuilder::new().max_rect(place)), &label, on).clicked()
    })
    .inner
}

/// What is said of each of several lines, and whether the next one says it too.
pub(super) fn warnings_in_next_row(cx: &UiContext<'_>, lines: &[ParamLine]) -> Vec<bool> {
    let said: Vec<LineWarnings> = lines.iter().map(|entry| LineWarnings::of(cx, *entry)).collect();
    (0..said.len()).map(|i| said[i].is_repeated_by(said.get(i + 1).copied())).collect()
}
