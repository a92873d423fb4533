//! One row per parameter: a bar, a switch, a choice, or a pair of limits with a switch. Also draws the flags of joints.

use super::label_line::{
    EXTENSION_ICON, LABEL_LEFT, LineWarnings, PERCENT, bar_command, curve_is_open, extension_note, open_curve,
    show_with_warning, warning_text,
};
use super::material::shared_with_text;
use crate::tr;
use crate::ui::kit::icons::{IconButton, paint_icon};
use crate::ui::kit::number::{NumberFormat, Span};
use crate::ui::kit::param_bar::{BarChange, BarValue, ParamBar, RangeBar, RangeEnd};
use crate::ui::kit::param_row::{ChangeMarker, ParamControl, ParamRow, ParamRowChange, ParamRowOutput, info_note};
use crate::ui::kit::theme::{ColorRole, TextSize, Theme};
use crate::ui::kit::toggle::{choice, switch};
use crate::ui::kit::tokens::{radius, size, space};
use crate::ui::kit::{i18n, icons, paint};
use crate::ui::{CurveRef, DialogKind, Highlight, UiContext};
use egui::{Align2, Layout, Popup, Rect, Response, Sense, Ui, UiBuilder, pos2, vec2};
use std::borrow::Cow;
use yuremono_session::{
    Command, DerivedQuantity, ParamLine, ParamView, ParamWarning, SweepSubject, SwingAxis, ValueSummary,
};
use yuremono_sim::diagnostics::message;
use yuremono_sim::params::{ParamDef, ParamId, ParamKind, Unit};
use yuremono_sim::rig::LimitPlane;

/// Distance of the hint from the right edge, in points. Limits have their switch at this position.
const HINT_FROM_RIGHT: f32 = 97.0;

/// State that rows share.
#[derive(Debug)]
pub(super) struct ParamRows<'a> {
    pub(super) range_dragged: &'a mut bool,
    /// Identity of the owner.
    pub(super) subject: u64,
    /// Whether the next line shows the warning of the current line.
    pub(super) warning_in_next_row: bool,
}

impl ParamRows<'_> {
    /// Draws several lines. Shows a warning that adjacent lines share only once.
    pub(super) fn entries_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, lines: &[ParamLine]) {
        for (entry, warning_in_next_row) in lines.iter().zip(warnings_in_next_row(cx, lines)) {
            self.warning_in_next_row = warning_in_next_row;
            self.entry_ui(ui, cx, *entry);
        }
    }

    fn entry_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, entry: ParamLine) {
        let id = match entry {
            ParamLine::Single(param) | ParamLine::LimitPair { active: param, .. } => param,
        };
        ui.push_id(id.index(), |ui| match entry {
            ParamLine::Single(param) => match cx.inspection().system().def(param).kind {
                ParamKind::Toggle => toggle_ui(ui, cx, param, self.warning_in_next_row),
                ParamKind::Choice(_) => choice_ui(ui, cx, param, self.warning_in_next_row),
                ParamKind::Number | ParamKind::Degrees | ParamKind::Integer => self.bar_ui(ui, cx, param),
            },
            ParamLine::LimitPair { active, min, max } => self.range_ui(ui, cx, [active, min, max]),
        });
    }

    fn bar_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, param: ParamId) {
        let view = cx.inspection().param_view(param);
        // The inspector shows some values as a share of a target value.
        let factor = cx.inspection().step_share_per_unit(param).map(|share| share * 100.0);
        let shown = factor.unwrap_or(1.0);
        let value = match view.values {
            ValueSummary::None => return,
            ValueSummary::Same(value) => BarValue::One(value * shown),
            ValueSummary::Mixed { low, high } => BarValue::Mixed { low: low * shown, high: high * shown },
        };
        let label = i18n::param_label(cx.theme.lang, view.def);
        let doc = tooltip_text(cx, &view);
        let warning = cx.inspection().param_warning(param);
        let bar = ParamBar {
            value,
            format: if factor.is_some() { PERCENT } else { NumberFormat::for_param(view.def) },
            role: ColorRole::for_meaning(view.def.meaning),
            has_effect: warning.is_none_or(ParamWarning::has_effect),
            subject: self.subject,
            ..ParamBar::new(&label, 0.0, Span::for_param(view.def).in_percent(factor.is_some()))
        };
        let hint = hint_text(cx, &view, bar.value.is_mixed(bar.format));
        let shared = shared_with_text(cx, param);
        let line = ParamRow {
            tooltip: &doc,
            shared_with: &shared,
            hint: &hint,
            marker: change_marker(&view),
            curves: view.def.curve.then_some(&view.curves),
            curve_open: curve_is_open(cx, &[CurveRef::Param(param)]),
            can_sweep: true,
            ..ParamRow::new(&label, ParamControl::Bar(bar))
        };
        let out = show_with_warning(ui, cx, line, warning, self.warning_in_next_row);
        if warning.is_none() && cx.inspection().is_active_extension(param) {
            paint_extension_mark(ui, cx, out.response.rect, hint.is_empty());
            if !self.warning_in_next_row {
                extension_note(ui, cx);
            }
        }
        highlight_param(cx, &out, view.def);
        let stored = factor.unwrap_or(1.0);
        for change in out.changes {
            match change {
                ParamRowChange::Bar(change) => cx.command(bar_command(
                    change,
                    |value| Command::SetParam(param, value / stored),
                    |factor| Command::ScaleParam(param, factor),
                )),
                ParamRowChange::Range(..) => {}
                ParamRowChange::OpenCurve => open_curve(cx, CurveRef::Param(param)),
                ParamRowChange::Reset => cx.command(Command::ResetParams(vec![param])),
                ParamRowChange::OriginalDefault => cx.command(Command::SetOriginalDefaults(vec![param])),
                ParamRowChange::Sweep => {
                    cx.state.dialogs_to_open.push(DialogKind::Sweep(SweepSubject::Param(param)));
                }
            }
        }
    }

    /// Draws two limits in one bar. The switch of the limits replaces the hint.
    fn range_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, rows: [ParamId; 3]) {
        let [active, min, max] = rows;
        let views = rows.map(|param| cx.inspection().param_view(param));
        let Some((low, high)) = Option::zip(lowest(views[1].values), highest(views[2].values)) else { return };
        let (label, doc) = {
            let def = views[0].def;
            (limit_label(cx, active), i18n::param_doc(cx.theme.lang, def))
        };
        let on = cx.inspection().any_toggle_on(active);
        let end = |param| {
            cx.inspection().param_warning(param).filter(|warning| matches!(warning, ParamWarning::OutOfRange(_)))
        };
        let warning = end(max).or(cx.inspection().param_warning(min));
        let range = RangeBar {
            name: &label,
            low,
            high,
            span: limit_slider_span(views[1].def, views[2].def, low, high),
            format: NumberFormat::for_param(views[1].def),
            role: ColorRole::for_meaning(views[1].def.meaning),
            has_effect: warning.is_none_or(ParamWarning::has_effect),
        };
        // One thumbnail represents two curves. The thumbnail shows the upper limit, unless only the lower limit has a
        // shape.
        let curved = if views[1].has_curve() && !views[2].has_curve() { &views[1] } else { &views[2] };
        let dot = match views.each_ref().map(change_marker) {
            all if all.contains(&ChangeMarker::Changed) => ChangeMarker::Changed,
            all if all.contains(&ChangeMarker::Overridden) => ChangeMarker::Overridden,
            _ => ChangeMarker::None,
        };
        let shown = ParamRow {
            tooltip: &doc,
            marker: dot,
            curves: Some(&curved.curves),
            curve_open: curve_is_open(cx, &[min, max].map(CurveRef::Param)),
            can_sweep: true,
            ..ParamRow::new(&label, ParamControl::Range(range))
        };
        // The switch already shows this warning.
        let warning = warning.filter(|r| *r != ParamWarning::LimitOff);
        let out = show_with_warning(ui, cx, shown, warning, self.warning_in_next_row);
        highlight_param(cx, &out, views[1].def);
        if limit_switch(ui, cx, out.response.rect, &label, on) {
            cx.command(Command::SetLimitsEnabled(vec![active], !on));
        }
        let is_mixed = |view: &ParamView| {
            let ends = Option::zip(lowest(view.values), highest(view.values));
            ends.is_some_and(|(low, high)| !NumberFormat::for_param(view.def).displays_equally(low, high))
        };
        let mixed = views[1..].iter().any(is_mixed);
        if mixed && on {
            info_note(ui, &tr!(cx, "Values of {name} differ: dragging scales all of them.", name = &label), LABEL_LEFT);
        }
        for change in out.changes {
            match change {
                ParamRowChange::Range(RangeEnd::Low, change) => self.end_changed(cx, &views[1], low, change),
                ParamRowChange::Range(RangeEnd::High, change) => self.end_changed(cx, &views[2], high, change),
                ParamRowChange::Bar(_) => {}
                ParamRowChange::OpenCurve => open_curve(cx, CurveRef::Param(curved.id)),
                ParamRowChange::Reset => cx.command(Command::ResetParams(rows.to_vec())),
                ParamRowChange::OriginalDefault => cx.command(Command::SetOriginalDefaults(rows.to_vec())),
                ParamRowChange::Sweep => {
                    cx.state.dialogs_to_open.push(DialogKind::Sweep(SweepSubject::Param(max)));
                }
            }
        }
    }

    fn end_changed(&mut self, cx: &mut UiContext<'_>, view: &ParamView, shown: f32, change: BarChange) {
        let mixed = matches!(view.values, ValueSummary::Mixed { .. });
        match change {
            BarChange::Started => {
                *self.range_dragged = true;
                cx.command(Command::BeginUndoGroup);
            }
            // A factor of 0 would make all values equal permanently.
            BarChange::Set(value) if mixed && *self.range_dragged && shown != 0.0 => {
                if value / shown > 1e-3 {
                    cx.command(Command::ScaleParam(view.id, value / shown));
                }
            }
            BarChange::Set(value) => cx.command(Command::SetParam(view.id, value)),
            BarChange::ScaleBy(factor) => cx.command(Command::ScaleParam(view.id, factor)),
            BarChange::Cancelled => cx.command(Command::CancelUndoGroup),
            BarChange::Ended => {
                *self.range_dragged = false;
                cx.command(Command::EndUndoGroup);
            }
        }
    }
}

/// Highlights, in the viewport, the elements that a hovered row affects.
fn highlight_param(cx: &mut UiContext<'_>, out: &ParamRowOutput, def: &ParamDef) {
    if out.hovered {
        cx.state.highlight = Some(Highlight::Meaning(def.meaning));
    }
}

/// Marks an extension: a parameter that the reproduced program does not have. The mark replaces the hint.
fn paint_extension_mark(ui: &Ui, cx: &UiContext<'_>, row: Rect, free: bool) {
    if free {
        let at = pos2(row.right() - HINT_FROM_RIGHT + 8.0, row.top() + size::ROW / 2.0);
        paint_icon(ui.painter(), at, EXTENSION_ICON, size::ICON_TINY, cx.theme.color.text_3);
    }
}

fn limit_switch(ui: &mut Ui, cx: &UiContext<'_>, row: Rect, label: &str, on: bool) -> bool {
    let left = row.right() - HINT_FROM_RIGHT;
    let switch_rect = Rect::from_min_size(pos2(left, row.top() + 1.0), vec2(30.0, size::HIT_MIN));
    let name = tr!(cx, "Limit {name}", name = label);
    switch(&mut ui.new_child(UiBuilder::new().max_rect(switch_rect)), &name, on).clicked()
}

pub(in crate::ui::panels) fn derived_quantity_text(theme: &Theme, meaning: Option<DerivedQuantity>) -> String {
    match meaning {
        Some(DerivedQuantity::Hertz(hertz)) if hertz < 0.05 => "≈ 0 Hz".to_owned(),
        Some(DerivedQuantity::Hertz(hertz)) => format!("{hertz:.1} Hz"),
        Some(DerivedQuantity::Damping(ratio)) if ratio >= 10.0 => "ζ > 10".to_owned(),
        Some(DerivedQuantity::Damping(ratio)) => format!("ζ {ratio:.2}"),
        Some(DerivedQuantity::NetAcceleration(pull)) => tr!(theme, "= {n}", n = signed_text(pull)).into_owned(),
        None => String::new(),
    }
}

/// Formats an angle with U+2212 as minus, without a negative zero. Angles below 10° have one decimal.
fn signed_text(value: f32) -> String {
    let sign = if value <= -0.05 { "−" } else { "" };
    let decimals = usize::from(value.abs() < 9.95);
    format!("{sign}{:.decimals$}", value.abs())
}

/// Returns the name of a pair of limits: the axis letter and the direction of swing.
pub(in crate::ui::panels) fn limit_label(cx: &UiContext<'_>, active: ParamId) -> Cow<'static, str> {
    let def = cx.inspection().system().def(active);
    let Some(axis) = cx.inspection().limit_swing_axis(active) else {
        return i18n::param_label(cx.theme.lang, def);
    };
    let about_z = cx.inspection().pivot_limits().any(|(side, limits)| side == LimitPlane::Z && limits.active == active);
    let letter = if about_z { "Z" } else { "Y" };
    match axis {
        SwingAxis::Sideways => tr!(cx, "{axis} sideways", axis = letter),
        SwingAxis::FrontBack => tr!(cx, "{axis} front-back", axis = letter),
        SwingAxis::UpDown => tr!(cx, "{axis} up-down", axis = letter),
        SwingAxis::InOut => tr!(cx, "{axis} in-out", axis = letter),
        SwingAxis::Around => tr!(cx, "{axis} around", axis = letter),
        SwingAxis::Twist => tr!(cx, "{axis} twist", axis = letter),
    }
}

/// Returns the tooltip of a row. The tooltip of a gravity row also shows the sum of this gravity and the gravity of the
/// character.
fn tooltip_text(cx: &UiContext<'_>, view: &ParamView) -> String {
    let mut doc = i18n::param_doc(cx.theme.lang, view.def).into_owned();
    if let Some(pull) = cx.inspection().system_gravity_along(view.id) {
        let pull = signed_text(pull);
        let sum = tr!(cx, "Sum of this value and the character's gravity of {pull} m/s²", pull);
        doc = format!("{doc}\n{sum}");
    }
    if view.has_ring_curve {
        let ring = tr!(
            cx,
            "The value includes the curve around the ring. If the ring gives the chains different values, dragging \
             scales all of them, and a typed number becomes the base value."
        );
        doc = format!("{doc}\n{ring}");
    }
    doc
}

/// Returns the hint of a row. `mixed` means that the displayed values differ.
fn hint_text(cx: &UiContext<'_>, view: &ParamView, mixed: bool) -> String {
    if mixed {
        return cx.tr(if view.has_ring_curve { message!("by ring") } else { message!("mixed") }).into_owned();
    }
    if cx.inspection().step_share_per_unit(view.id).is_some()
        && let Some(value) = highest(view.values)
    {
        return NumberFormat::for_unit(view.def.unit).text(value);
    }
    let meaning = cx.inspection().derived_quantity(view.id);
    match view.def.unit {
        _ if meaning.is_some() => derived_quantity_text(&cx.theme, meaning),
        Unit::Acceleration => "m/s²".to_owned(),
        Unit::PerSecondSquared => "1/s²".to_owned(),
        Unit::PerSecond => tr!(cx, "steps/s").into_owned(),
        Unit::Speed => "m/s".to_owned(),
        Unit::AngularSpeed => "°/s".to_owned(),
        Unit::Seconds => "s".to_owned(),
        Unit::Hertz => "Hz".to_owned(),
        Unit::None | Unit::Fraction | Unit::Metres | Unit::Degrees => String::new(),
    }
}

fn change_marker(view: &ParamView) -> ChangeMarker {
    match (view.changed, view.overridden) {
        (true, _) => ChangeMarker::Changed,
        (false, true) => ChangeMarker::Overridden,
        (false, false) => ChangeMarker::None,
    }
}

fn lowest(values: ValueSummary) -> Option<f32> {
    match values {
        ValueSummary::None => None,
        ValueSummary::Same(value) => Some(value),
        ValueSummary::Mixed { low, .. } => Some(low),
    }
}

fn highest(values: ValueSummary) -> Option<f32> {
    match values {
        ValueSummary::None => None,
        ValueSummary::Same(value) => Some(value),
        ValueSummary::Mixed { high, .. } => Some(high),
    }
}

/// Returns the slider range. If a limit is outside the slider range, returns the full range.
fn limit_slider_span(min: &ParamDef, max: &ParamDef, low: f32, high: f32) -> Span {
    let soft = (min.soft_range.0, max.soft_range.1);
    if low < soft.0 || high > soft.1 { Span::linear(min.range.0, max.range.1) } else { Span::linear(soft.0, soft.1) }
}

const RESET_WIDTH: f32 = 16.0;
/// Minimum width of a label next to a control, in points.
const LABEL_MIN_WIDTH: f32 = 92.0;

struct SwitchLine<'a> {
    label: &'a str,
    tooltip: &'a str,
    changed: bool,
    has_effect: bool,
    control_width: f32,
}

impl SwitchLine<'_> {
    /// Draws the label. Returns the line's rectangle, the right end of the label, and the response.
    fn show(&self, ui: &mut Ui, cx: &UiContext<'_>) -> (Rect, f32, Response) {
        let c = cx.theme.color;
        let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), size::ROW), Sense::hover());
        if ui.rect_contains_pointer(rect) {
            ui.painter().rect_filled(rect, radius::FIELD, c.hover);
        }
        if self.changed {
            ui.painter().circle_filled(pos2(rect.left() - 1.0, rect.center().y), 2.5, c.accent);
        }
        let color = if self.has_effect { c.text } else { c.text_3 };
        let galley = paint::elided(
            ui,
            self.label,
            TextSize::Body,
            color,
            rect.width() - self.control_width - RESET_WIDTH - LABEL_LEFT,
        );
        let text_rect = paint::paint_galley_left(ui.painter(), pos2(rect.left() + LABEL_LEFT, rect.center().y), galley);
        let response =
            ui.interact(text_rect.expand2(vec2(0.0, space::XS)), ui.scope_id().with("label"), Sense::click());
        (rect, text_rect.right(), response.on_hover_text(self.tooltip))
    }
}

pub(super) fn toggle_ui(ui: &mut Ui, cx: &mut UiContext<'_>, param: ParamId, warning_in_next_row: bool) {
    let view = cx.inspection().param_view(param);
    let on = match view.values {
        ValueSummary::None => return,
        ValueSummary::Same(value) => value != 0.0,
        ValueSummary::Mixed { .. } => true,
    };
    let label = i18n::param_label(cx.theme.lang, view.def);
    let doc = i18n::param_doc(cx.theme.lang, view.def);
    let is_extension = cx.inspection().is_active_extension(param);
    let line =
        SwitchLine { label: &label, tooltip: &doc, changed: view.changed, has_effect: true, control_width: 40.0 };
    let (rect, label_end, response) = line.show(ui, cx);
    value_menu(cx, &response, param, view.changed);
    let right = rect.right() - RESET_WIDTH;
    let switch_rect =
        Rect::from_min_max(pos2(right - 34.0, rect.top() + 1.0), pos2(right - space::XS, rect.bottom() - 1.0));
    if is_extension {
        not_in_original_badge_ui(
            ui,
            cx,
            Rect::from_min_max(pos2(label_end + 8.0, rect.top()), pos2(switch_rect.left() - space::M, rect.bottom())),
        );
    }
    let toggle = switch(&mut ui.new_child(UiBuilder::new().max_rect(switch_rect)), &label, on);
    if toggle.clicked() {
        cx.command(Command::SetParam(param, if on { 0.0 } else { 1.0 }));
    }
    value_menu(cx, &toggle, param, view.changed);
    reset_ui(ui, cx, rect, param, &label, view.changed);
    if let Some(warning) = cx.inspection().param_warning(param).filter(|_| !warning_in_next_row) {
        info_note(ui, &warning_text(cx, warning), LABEL_LEFT);
    }
}

/// Marks an extension at the right end. The mark includes a text if enough space is available.
fn not_in_original_badge_ui(ui: &Ui, cx: &UiContext<'_>, rect: Rect) {
    let c = cx.theme.color;
    let text = tr!(cx, "not in Unity");
    let width = paint::text_width(ui, &text, TextSize::Small);
    let fits = width + 18.0 <= rect.width();
    let right = rect.right_center();
    if fits {
        paint::text(ui.painter(), right, Align2::RIGHT_CENTER, &text, TextSize::Small, c.text_3);
    }
    let at = right - vec2(if fits { width + 10.0 } else { 6.0 }, 0.0);
    paint_icon(ui.painter(), at, EXTENSION_ICON, size::ICON_TINY, c.text_3);
    let response = ui.interact(rect.with_min_x(at.x - 7.0), ui.scope_id().with("not unity"), Sense::hover());
    let sentence = tr!(cx, "Has no effect in Unity.");
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &*sentence));
    response.on_hover_text(sentence.clone());
}

pub(super) fn choice_ui(ui: &mut Ui, cx: &mut UiContext<'_>, param: ParamId, warning_in_next_row: bool) {
    let view = cx.inspection().param_view(param);
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
    let warning = cx.inspection().param_warning(param);
    let plain = warning.is_none_or(ParamWarning::has_effect);
    let control_width = ui.available_width() - LABEL_MIN_WIDTH - RESET_WIDTH - LABEL_LEFT;
    let (rect, _, response) =
        SwitchLine { label: &label, tooltip: &doc, changed: view.changed, has_effect: plain, control_width }
            .show(ui, cx);
    value_menu(cx, &response, param, view.changed);
    let control_rect =
        rect.with_min_x(rect.right() - RESET_WIDTH - 4.0 - control_width).with_max_x(rect.right() - RESET_WIDTH - 4.0);
    let layout = Layout::right_to_left(egui::Align::Center);
    let mut inner = ui.new_child(UiBuilder::new().max_rect(control_rect).layout(layout).id_salt("choice"));
    if !plain {
        inner.set_opacity(0.6);
    }
    let clicked = choice(&mut inner, &label, &texts, chosen, control_width);
    if let Some(clicked) = clicked.filter(|clicked| Some(*clicked) != chosen) {
        cx.command(Command::SetParam(param, clicked as f32));
    }
    reset_ui(ui, cx, rect, param, &label, view.changed);
    match warning.filter(|_| !warning_in_next_row) {
        Some(warning) => _ = info_note(ui, &warning_text(cx, warning), LABEL_LEFT),
        None if !warning_in_next_row && cx.inspection().is_active_extension(param) => extension_note(ui, cx),
        None => {}
    }
}

fn reset_ui(ui: &mut Ui, cx: &mut UiContext<'_>, rect: Rect, param: ParamId, label: &str, changed: bool) {
    if !changed {
        return;
    }
    let name = tr!(cx, "Reset {name}", name = label);
    let button_rect = Rect::from_center_size(pos2(rect.right() - 7.0, rect.center().y), vec2(20.0, 20.0));
    let hit = ui.interact(button_rect.expand(space::XXS), ui.scope_id().with("reset"), Sense::click());
    let button = IconButton::new(icons::ARROW_COUNTER_CLOCKWISE, &name).tiny();
    if button.show_at(ui, button_rect, hit).clicked() {
        cx.command(Command::ResetParams(vec![param]));
    }
}

fn value_menu(cx: &mut UiContext<'_>, on: &Response, param: ParamId, changed: bool) {
    Popup::context_menu(on).show(|ui| {
        ui.set_min_width(160.0);
        if ui.add_enabled(changed, egui::Button::new(tr!(cx, "As loaded"))).clicked() {
            cx.command(Command::ResetParams(vec![param]));
        }
        if ui.button(tr!(cx, "Original default")).clicked() {
            cx.command(Command::SetOriginalDefaults(vec![param]));
        }
    });
}

/// Draws two switches: whether the selected joints are simulated, and whether animation moves the joints.
pub(super) fn flags_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    let [enabled, animated] = cx.inspection().joint_flags();
    if matches!(enabled, ValueSummary::None) {
        return;
    }
    let (label, doc) =
        (tr!(cx, "Simulated"), tr!(cx, "Whether this bone swings. Off, the bone keeps its animated pose."));
    if flag_ui(ui, cx, &label, &doc, enabled) {
        let bones = cx.inspection().target_bones().into_iter().map(|j| j.1).collect();
        cx.command(Command::SetJointsEnabled(bones, !is_on(enabled)));
    }
    // Only one solver has this flag.
    if cx.inspection().supports_groups() {
        return;
    }
    let (label, doc) = (
        tr!(cx, "Animated{:switch}"),
        tr!(cx, "A script tells Unity that animation moves this bone. Only then the dynamic ratio applies."),
    );
    if flag_ui(ui, cx, &label, &doc, animated) {
        cx.command(Command::SetAnimatedFlag(!is_on(animated)));
    }
}

fn is_on(values: ValueSummary) -> bool {
    matches!(values, ValueSummary::Same(value) if value != 0.0)
}

/// Draws a switch with a label and a tooltip. Returns whether the switch was clicked.
fn flag_ui(ui: &mut Ui, cx: &UiContext<'_>, label: &str, doc: &str, values: ValueSummary) -> bool {
    let (on, mixed) = (is_on(values), matches!(values, ValueSummary::Mixed { .. }));
    ui.push_id(label, |ui| {
        let line = SwitchLine { label, tooltip: doc, changed: false, has_effect: true, control_width: 120.0 };
        let (rect, ..) = line.show(ui, cx);
        let right = rect.right() - RESET_WIDTH;
        let switch_rect =
            Rect::from_min_max(pos2(right - 34.0, rect.top() + 1.0), pos2(right - space::XS, rect.bottom() - 1.0));
        if mixed {
            let at = switch_rect.left_center() - vec2(space::M, 0.0);
            paint::text(
                ui.painter(),
                at,
                Align2::RIGHT_CENTER,
                &tr!(cx, "mixed"),
                TextSize::Small,
                cx.theme.color.text_3,
            );
        }
        switch(&mut ui.new_child(UiBuilder::new().max_rect(switch_rect)), label, on).clicked()
    })
    .inner
}

/// Returns, for each line, whether the next line repeats its warning.
pub(super) fn warnings_in_next_row(cx: &UiContext<'_>, lines: &[ParamLine]) -> Vec<bool> {
    let warnings: Vec<LineWarnings> = lines.iter().map(|entry| LineWarnings::of(cx, *entry)).collect();
    (0..warnings.len()).map(|i| warnings[i].is_repeated_by(warnings.get(i + 1).copied())).collect()
}
