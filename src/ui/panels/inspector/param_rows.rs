//! One line for each row of the solver's table: a bar, a switch, or a pair of limits with their switch.

use super::label_line::{LABEL_LEFT, PERCENT, bar_command, curve_is_open, format_of, open_curve};
use super::material::shared_with_text;
use super::switches::{choice_ui, toggle_ui, warnings_in_next_row};
use super::warnings::{EXTENSION_ICON, extension_note, show_with_warning};
use crate::params::{ParamDef, ParamId, ParamKind, Unit};
use crate::session::{Command, DerivedQuantity, ParamLine, ParamView, ParamWarning, SwingAxis, ValueSummary};
use crate::stage::overlay::FanPlane;
use crate::ui::kit::i18n;
use crate::ui::kit::icons;
use crate::ui::kit::number::NumberFormat;
use crate::ui::kit::param_bar::{BarChange, BarValue, ParamBar};
use crate::ui::kit::param_row::{ChangeMarker, ParamControl, ParamRow, ParamRowChange, ParamRowOutput, info_note};
use crate::ui::kit::range_bar::{RangeBar, RangeEnd};
use crate::ui::kit::span::Span;
use crate::ui::kit::theme::{ColorRole, Theme};
use crate::ui::kit::toggle::switch;
use crate::ui::kit::tokens::size;
use crate::ui::{CurveRef, Highlight, UiContext};
use egui::{Rect, Ui, UiBuilder, pos2, vec2};

/// From the right edge of a row to its hint, where limits have their switch.
const HINT_FROM_RIGHT: f32 = 97.0;

/// What rows share.
#[derive(Debug)]
pub(super) struct ParamRows<'a> {
    /// Whether a range is being dragged.
    pub(super) range_dragged: &'a mut bool,
    /// Whose values they are.
    pub(super) subject: u64,
    /// The next line says what is to be said of this one.
    pub(super) warning_in_next_row: bool,
}

impl ParamRows<'_> {
    /// Several lines; what neighbours have in common is said once.
    pub(super) fn entries_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, lines: &[ParamLine]) {
        for (entry, hushed) in lines.iter().zip(warnings_in_next_row(cx, lines)) {
            self.warning_in_next_row = hushed;
            self.entry_ui(ui, cx, *entry);
        }
    }

    fn entry_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, entry: ParamLine) {
        let id = match entry {
            ParamLine::Single(row) | ParamLine::LimitPair { active: row, .. } => row,
        };
        ui.push_id(id.index(), |ui| match entry {
            ParamLine::Single(row) => match cx.session().inspection().system().def(row).kind {
                ParamKind::Toggle => toggle_ui(ui, cx, row, self.warning_in_next_row),
                ParamKind::Choice(_) => choice_ui(ui, cx, row, self.warning_in_next_row),
                ParamKind::Number | ParamKind::Degrees | ParamKind::Integer => self.bar_ui(ui, cx, row),
            },
            ParamLine::LimitPair { active, min, max } => self.range_ui(ui, cx, [active, min, max]),
        });
    }

    fn bar_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, row: ParamId) {
        let view = cx.session().inspection().param_view(row);
        // Some numbers are shown as a share of what they work on.
        let factor = cx.session().inspection().step_share_per_unit(row).map(|share| share * 100.0);
        let shown = factor.unwrap_or(1.0);
        let value = match view.values {
            ValueSummary::None => return,
            ValueSummary::Same(value) => BarValue::One(value * shown),
            ValueSummary::Mixed { low, high } => BarValue::Mixed { low: low * shown, high: high * shown },
        };
        let label = i18n::param_label(cx.theme.lang, view.def);
        let doc = tooltip_text(cx, &view);
        let remark = cx.session().inspection().param_warning(row);
        let bar = ParamBar {
            value,
            format: if factor.is_some() { PERCENT } else { format_of(view.def) },
            role: ColorRole::for_meaning(view.def.meaning),
            has_effect: remark.is_none_or(ParamWarning::has_effect),
            subject: self.subject,
            ..ParamBar::new(&label, 0.0, Span::for_param(view.def).in_percent(factor.is_some()))
        };
        let hint = hint_text(cx, &view, bar.value.is_mixed(bar.format));
        let shared = shared_with_text(cx, row);
        let line = ParamRow {
            tooltip: &doc,
            shared_with: &shared,
            hint: &hint,
            marker: change_marker(&view),
            curve: view.def.curve.then_some(view.curve.as_ref()),
            curve_open: curve_is_open(cx, &[CurveRef::Param(row)]),
            ..ParamRow::new(&label, ParamControl::Bar(bar))
        };
        let out = show_with_warning(ui, cx, line, remark, self.warning_in_next_row);
        if remark.is_none() && cx.session().inspection().is_active_extension(row) {
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
                    |value| Command::SetParam(row, value / stored),
                    |factor| Command::ScaleParam(row, factor),
                )),
                ParamRowChange::Range(..) => {}
                ParamRowChange::OpenCurve => open_curve(cx, CurveRef::Param(row)),
                ParamRowChange::Reset => cx.command(Command::ResetParams(vec![row])),
                ParamRowChange::EngineDefault => cx.command(Command::SetOriginalDefaults(vec![row])),
            }
        }
    }

    /// Two limits in one bar, and their switch where other rows have a hint.
    fn range_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, rows: [ParamId; 3]) {
        let [active, min, max] = rows;
        let views = rows.map(|row| cx.session().inspection().param_view(row));
        let Some((low, high)) = Option::zip(lowest(views[1].values), highest(views[2].values)) else { return };
        let (label, doc) = {
            let def = views[0].def;
            (limit_label(cx, active), i18n::param_doc(cx.theme.lang, def))
        };
        let on = cx.session().inspection().any_toggle_on(active);
        let end = |row| {
            cx.session().inspection().param_warning(row).filter(|remark| matches!(remark, ParamWarning::OutOfRange(_)))
        };
        let remark = end(max).or(cx.session().inspection().param_warning(min));
        let range = RangeBar {
            name: &label,
            low,
            high,
            span: range_span(views[1].def, views[2].def, low, high),
            format: format_of(views[1].def),
            role: ColorRole::for_meaning(views[1].def.meaning),
            has_effect: remark.is_none_or(ParamWarning::has_effect),
        };
        // One picture for two curves: the upper limit's, unless only the lower one has a shape.
        let curved = if views[1].has_curve && !views[2].has_curve { &views[1] } else { &views[2] };
        let dot = match views.each_ref().map(change_marker) {
            all if all.contains(&ChangeMarker::Changed) => ChangeMarker::Changed,
            all if all.contains(&ChangeMarker::Overridden) => ChangeMarker::Overridden,
            _ => ChangeMarker::None,
        };
        let shown = ParamRow {
            tooltip: &doc,
            marker: dot,
            curve: Some(curved.curve.as_ref()),
            curve_open: curve_is_open(cx, &[min, max].map(CurveRef::Param)),
            ..ParamRow::new(&label, ParamControl::Range(range))
        };
        // The switch beside it says as much.
        let said = remark.filter(|r| *r != ParamWarning::LimitOff);
        let out = show_with_warning(ui, cx, shown, said, self.warning_in_next_row);
        highlight_param(cx, &out, views[1].def);
        if limit_switch(ui, cx, out.response.rect, &label, on) {
            cx.command(Command::SetLimitsEnabled(vec![active], !on));
        }
        let mixed = views[1..].iter().any(|v| matches!(v.values, ValueSummary::Mixed { .. }));
        if mixed && on {
            info_note(ui, &cx.tr_with("inspector.limits_mixed", &[("name", &label)]), LABEL_LEFT);
        }
        for change in out.changes {
            match change {
                ParamRowChange::Range(RangeEnd::Low, change) => self.end_changed(cx, &views[1], low, change),
                ParamRowChange::Range(RangeEnd::High, change) => self.end_changed(cx, &views[2], high, change),
                ParamRowChange::Bar(_) => {}
                ParamRowChange::OpenCurve => open_curve(cx, CurveRef::Param(curved.id)),
                ParamRowChange::Reset => cx.command(Command::ResetParams(rows.to_vec())),
                ParamRowChange::EngineDefault => cx.command(Command::SetOriginalDefaults(rows.to_vec())),
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
            // A factor of 0 would make all values equal for good.
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

/// A row under the pointer lights up what it changes in the viewport.
fn highlight_param(cx: &mut UiContext<'_>, out: &ParamRowOutput, def: &ParamDef) {
    if out.hovered {
        cx.state.highlight = Some(Highlight::Meaning(def.meaning));
    }
}

/// The mark of what the engine will not do, where other rows have a hint.
fn paint_extension_mark(ui: &Ui, cx: &UiContext<'_>, row: Rect, free: bool) {
    if free {
        let at = pos2(row.right() - HINT_FROM_RIGHT + 8.0, row.top() + size::ROW / 2.0);
        icons::paint_icon(ui.painter(), at, EXTENSION_ICON, size::ICON_TINY, cx.theme.color.text_3);
    }
}

fn limit_switch(ui: &mut Ui, cx: &UiContext<'_>, row: Rect, label: &str, on: bool) -> bool {
    let left = row.right() - HINT_FROM_RIGHT;
    let place = Rect::from_min_size(pos2(left, row.top() + 1.0), vec2(30.0, size::HIT_MIN));
    let name = cx.tr_with("inspector.limit_on", &[("name", label)]);
    switch(&mut ui.new_child(UiBuilder::new().max_rect(place)), &name, on).clicked()
}

/// What a number looks like, in words.
pub(in crate::ui::panels) fn derived_quantity_text(theme: &Theme, meaning: Option<DerivedQuantity>) -> String {
    match meaning {
        Some(DerivedQuantity::Hertz(hertz)) if hertz < 0.05 => "≈ 0 Hz".to_owned(),
        Some(DerivedQuantity::Hertz(hertz)) => format!("{hertz:.1} Hz"),
        Some(DerivedQuantity::Damping(ratio)) if ratio >= 10.0 => "ζ > 10".to_owned(),
        Some(DerivedQuantity::Damping(ratio)) => format!("ζ {ratio:.2}"),
        Some(DerivedQuantity::NetAcceleration(pull)) => theme.tr_with("inspector.net", &[("n", &signed_text(pull))]),
        None => String::new(),
    }
}

/// With a true minus, and one decimal as long as it fits beside the bar; nothing at all is not negative.
fn signed_text(value: f32) -> String {
    let sign = if value <= -0.05 { "−" } else { "" };
    let decimals = usize::from(value.abs() < 9.95);
    format!("{sign}{:.decimals$}", value.abs())
}

/// What a pair of limits is called: the engine's letter, and the way that the joints swing by it.
pub(super) fn limit_label(cx: &UiContext<'_>, active: ParamId) -> std::borrow::Cow<'static, str> {
    let def = cx.session().inspection().system().def(active);
    let Some(axis) = cx.session().inspection().limit_swing_axis(active) else {
        return i18n::param_label(cx.theme.lang, def);
    };
    let key = match axis {
        SwingAxis::Sideways => "sideways",
        SwingAxis::FrontBack => "front_back",
        SwingAxis::UpDown => "up_down",
        SwingAxis::InOut => "in_out",
        SwingAxis::Around => "around",
        SwingAxis::Twist => "twist",
    };
    let about_z =
        cx.session().inspection().pivot_limits().any(|(side, limits)| side == FanPlane::Z && limits.active == active);
    cx.tr_with(&format!("inspector.limit_axis.{key}"), &[("axis", if about_z { "Z" } else { "Y" })]).into()
}

/// The sentence of a row; of a pull that the character's own gravity joins, also what both come to.
fn tooltip_text(cx: &UiContext<'_>, view: &ParamView) -> String {
    let doc = i18n::param_doc(cx.theme.lang, view.def);
    match cx.session().inspection().system_gravity_along(view.id) {
        Some(pull) => format!("{doc}\n{}", cx.tr_with("inspector.net_doc", &[("pull", &signed_text(pull))])),
        None => doc.into_owned(),
    }
}

/// `mixed`: several values that can be told apart as they are written.
fn hint_text(cx: &UiContext<'_>, view: &ParamView, mixed: bool) -> String {
    if mixed {
        return cx.tr("bar.mixed").into_owned();
    }
    if cx.session().inspection().step_share_per_unit(view.id).is_some()
        && let Some(value) = highest(view.values)
    {
        return NumberFormat::for_unit(view.def.unit).text(value);
    }
    let meaning = cx.session().inspection().derived_quantity(view.id);
    match view.def.unit {
        _ if meaning.is_some() => derived_quantity_text(&cx.theme, meaning),
        Unit::Acceleration => "m/s²".to_owned(),
        Unit::PerSecondSquared => "1/s²".to_owned(),
        Unit::PerSecond => cx.tr("inspector.steps").into_owned(),
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

/// The sliders' span, or all that is allowed once a limit lies beyond it.
fn range_span(min: &ParamDef, max: &ParamDef, low: f32, high: f32) -> Span {
    let soft = (min.soft_range.0, max.soft_range.1);
    if low < soft.0 || high > soft.1 { Span::linear(min.range.0, max.range.1) } else { Span::linear(soft.0, soft.1) }
}
