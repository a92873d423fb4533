//! One line for each row of the solver's table: a bar, a switch, or a pair of limits with their switch.

use super::line::{LABEL_LEFT, PERCENT, bar_command, curve_is_open, format_of, open_curve};
use super::material::shared_words;
use super::remarks::{NOT_UNITY, beyond_note, with_remark};
use super::switches::{choice_ui, hushed, toggle_ui};
use crate::schema::{Kind, ParamDef, Row, Unit};
use crate::session::{Command, Entry, Meaning, Remark, RowView, SwingAxis, Values};
use crate::stage::overlay::FanSide;
use crate::ui::kit::bar::{Bar, BarChange, BarValue};
use crate::ui::kit::icons;
use crate::ui::kit::number::NumberFormat;
use crate::ui::kit::param_row::{Control, Dot, ParamRow, RowChange, RowOutput, note};
use crate::ui::kit::range_bar::{End, RangeBar};
use crate::ui::kit::span::Span;
use crate::ui::kit::theme::{Role, Theme};
use crate::ui::kit::toggle::switch;
use crate::ui::kit::tokens::size;
use crate::ui::kit::words;
use crate::ui::{CurveOf, Cx, Lit};
use egui::{Rect, Ui, UiBuilder, pos2, vec2};

/// From the right edge of a row to its hint, where limits have their switch.
const HINT_FROM_RIGHT: f32 = 97.0;

/// What rows share.
#[derive(Debug)]
pub(super) struct Rows<'a> {
    /// Whether a range is being dragged.
    pub(super) held: &'a mut bool,
    /// Whose values they are.
    pub(super) subject: u64,
    /// The next line says what is to be said of this one.
    pub(super) hushed: bool,
}

impl Rows<'_> {
    /// Several lines; what neighbours have in common is said once.
    pub(super) fn entries_ui(&mut self, ui: &mut Ui, cx: &mut Cx<'_>, lines: &[Entry]) {
        for (entry, hushed) in lines.iter().zip(hushed(cx, lines)) {
            self.hushed = hushed;
            self.entry_ui(ui, cx, *entry);
        }
    }

    fn entry_ui(&mut self, ui: &mut Ui, cx: &mut Cx<'_>, entry: Entry) {
        let id = match entry {
            Entry::One(row) | Entry::Range { active: row, .. } => row,
        };
        ui.push_id(id.index(), |ui| match entry {
            Entry::One(row) => match cx.session().inspection().system().def(row).kind {
                Kind::Toggle => toggle_ui(ui, cx, row, self.hushed),
                Kind::Choice(_) => choice_ui(ui, cx, row, self.hushed),
                Kind::Number | Kind::Degrees | Kind::Integer => self.bar_ui(ui, cx, row),
            },
            Entry::Range { active, min, max } => self.range_ui(ui, cx, [active, min, max]),
        });
    }

    fn bar_ui(&mut self, ui: &mut Ui, cx: &mut Cx<'_>, row: Row) {
        let view = cx.session().inspection().row_view(row);
        // Some numbers are shown as a share of what they work on.
        let factor = cx.session().inspection().share_per_unit(row).map(|share| share * 100.0);
        let shown = factor.unwrap_or(1.0);
        let value = match view.values {
            Values::None => return,
            Values::Same(value) => BarValue::One(value * shown),
            Values::Mixed { low, high } => BarValue::Mixed { low: low * shown, high: high * shown },
        };
        let label = words::param_label(cx.theme.lang, view.def);
        let doc = doc_of(cx, &view);
        let remark = cx.session().inspection().remark(row);
        let bar = Bar {
            value,
            format: if factor.is_some() { PERCENT } else { format_of(view.def) },
            role: Role::of(view.def.idea),
            has_effect: remark.is_none_or(Remark::acts),
            subject: self.subject,
            ..Bar::new(&label, 0.0, Span::of(view.def).in_percent(factor.is_some()))
        };
        let hint = hint_of(cx, &view, bar.value.is_mixed(bar.format));
        let shared = shared_words(cx, row);
        let line = ParamRow {
            doc: &doc,
            shared: &shared,
            hint: &hint,
            dot: dot_of(&view),
            curve: view.def.curve.then_some(view.curve.as_ref()),
            curve_open: curve_is_open(cx, &[CurveOf::Row(row)]),
            ..ParamRow::new(&label, Control::Bar(bar))
        };
        let out = with_remark(ui, cx, line, remark, self.hushed);
        if remark.is_none() && cx.session().inspection().is_beyond(row) {
            mark_beyond(ui, cx, out.response.rect, hint.is_empty());
            if !self.hushed {
                beyond_note(ui, cx);
            }
        }
        light(cx, &out, view.def);
        let stored = factor.unwrap_or(1.0);
        for change in out.changes {
            match change {
                RowChange::Bar(change) => cx.command(bar_command(
                    change,
                    |value| Command::Set(row, value / stored),
                    |factor| Command::Scale(row, factor),
                )),
                RowChange::Range(..) => {}
                RowChange::OpenCurve => open_curve(cx, CurveOf::Row(row)),
                RowChange::Reset => cx.command(Command::Reset(vec![row])),
                RowChange::EngineDefault => cx.command(Command::EngineDefault(vec![row])),
            }
        }
    }

    /// Two limits in one bar, and their switch where other rows have a hint.
    fn range_ui(&mut self, ui: &mut Ui, cx: &mut Cx<'_>, rows: [Row; 3]) {
        let [active, min, max] = rows;
        let views = rows.map(|row| cx.session().inspection().row_view(row));
        let Some((low, high)) = Option::zip(lowest(views[1].values), highest(views[2].values)) else { return };
        let (label, doc) = {
            let def = views[0].def;
            (limit_label(cx, active), words::param_doc(cx.theme.lang, def))
        };
        let on = cx.session().inspection().any_on(active);
        let end = |row| cx.session().inspection().remark(row).filter(|remark| matches!(remark, Remark::OutOfRange(_)));
        let remark = end(max).or(cx.session().inspection().remark(min));
        let range = RangeBar {
            name: &label,
            low,
            high,
            span: range_span(views[1].def, views[2].def, low, high),
            format: format_of(views[1].def),
            role: Role::of(views[1].def.idea),
            has_effect: remark.is_none_or(Remark::acts),
        };
        // One picture for two curves: the upper limit's, unless only the lower one has a shape.
        let curved = if views[1].curved && !views[2].curved { &views[1] } else { &views[2] };
        let dot = match views.each_ref().map(dot_of) {
            all if all.contains(&Dot::Changed) => Dot::Changed,
            all if all.contains(&Dot::Overridden) => Dot::Overridden,
            _ => Dot::None,
        };
        let shown = ParamRow {
            doc: &doc,
            dot,
            curve: Some(curved.curve.as_ref()),
            curve_open: curve_is_open(cx, &[min, max].map(CurveOf::Row)),
            ..ParamRow::new(&label, Control::Range(range))
        };
        // The switch beside it says as much.
        let said = remark.filter(|r| *r != Remark::LimitOff);
        let out = with_remark(ui, cx, shown, said, self.hushed);
        light(cx, &out, views[1].def);
        if limit_switch(ui, cx, out.response.rect, &label, on) {
            cx.command(Command::SwitchLimits(vec![active], !on));
        }
        let mixed = views[1..].iter().any(|v| matches!(v.values, Values::Mixed { .. }));
        if mixed && on {
            note(ui, &cx.tr_with("inspector.limits_mixed", &[("name", &label)]), LABEL_LEFT);
        }
        for change in out.changes {
            match change {
                RowChange::Range(End::Low, change) => self.end_changed(cx, &views[1], low, change),
                RowChange::Range(End::High, change) => self.end_changed(cx, &views[2], high, change),
                RowChange::Bar(_) => {}
                RowChange::OpenCurve => open_curve(cx, CurveOf::Row(curved.row)),
                RowChange::Reset => cx.command(Command::Reset(rows.to_vec())),
                RowChange::EngineDefault => cx.command(Command::EngineDefault(rows.to_vec())),
            }
        }
    }

    fn end_changed(&mut self, cx: &mut Cx<'_>, view: &RowView, shown: f32, change: BarChange) {
        let mixed = matches!(view.values, Values::Mixed { .. });
        match change {
            BarChange::Started => {
                *self.held = true;
                cx.command(Command::BeginGesture);
            }
            // A factor of 0 would make all values equal for good.
            BarChange::Set(value) if mixed && *self.held && shown != 0.0 => {
                if value / shown > 1e-3 {
                    cx.command(Command::Scale(view.row, value / shown));
                }
            }
            BarChange::Set(value) => cx.command(Command::Set(view.row, value)),
            BarChange::ScaleBy(factor) => cx.command(Command::Scale(view.row, factor)),
            BarChange::Cancelled => cx.command(Command::CancelGesture),
            BarChange::Ended => {
                *self.held = false;
                cx.command(Command::EndGesture);
            }
        }
    }
}

/// A row under the pointer lights up what it changes in the viewport.
fn light(cx: &mut Cx<'_>, out: &RowOutput, def: &ParamDef) {
    if out.hovered {
        cx.state.lit = Some(Lit::Idea(def.idea));
    }
}

/// The mark of what the engine will not do, where other rows have a hint.
fn mark_beyond(ui: &Ui, cx: &Cx<'_>, row: Rect, free: bool) {
    if free {
        let at = pos2(row.right() - HINT_FROM_RIGHT + 8.0, row.top() + size::ROW / 2.0);
        icons::paint_icon(ui.painter(), at, NOT_UNITY, size::ICON_TINY, cx.theme.color.text_3);
    }
}

fn limit_switch(ui: &mut Ui, cx: &Cx<'_>, row: Rect, label: &str, on: bool) -> bool {
    let left = row.right() - HINT_FROM_RIGHT;
    let place = Rect::from_min_size(pos2(left, row.top() + 1.0), vec2(30.0, size::HIT_MIN));
    let name = cx.tr_with("inspector.limit_on", &[("name", label)]);
    switch(&mut ui.new_child(UiBuilder::new().max_rect(place)), &name, on).clicked()
}

/// What a number looks like, in words.
pub(in crate::ui::panels) fn meaning_words(theme: &Theme, meaning: Option<Meaning>) -> String {
    match meaning {
        Some(Meaning::Hertz(hertz)) if hertz < 0.05 => "≈ 0 Hz".to_owned(),
        Some(Meaning::Hertz(hertz)) => format!("{hertz:.1} Hz"),
        Some(Meaning::Damping(ratio)) if ratio >= 10.0 => "ζ > 10".to_owned(),
        Some(Meaning::Damping(ratio)) => format!("ζ {ratio:.2}"),
        Some(Meaning::Net(pull)) => theme.tr_with("inspector.net", &[("n", &signed(pull))]),
        None => String::new(),
    }
}

/// With a true minus, and one decimal as long as it fits beside the bar; nothing at all is not negative.
fn signed(value: f32) -> String {
    let sign = if value <= -0.05 { "−" } else { "" };
    let decimals = usize::from(value.abs() < 9.95);
    format!("{sign}{:.decimals$}", value.abs())
}

/// What a pair of limits is called: the engine's letter, and the way that the joints swing by it.
pub(super) fn limit_label(cx: &Cx<'_>, active: Row) -> std::borrow::Cow<'static, str> {
    let def = cx.session().inspection().system().def(active);
    let Some(axis) = cx.session().inspection().limit_axis(active) else {
        return words::param_label(cx.theme.lang, def);
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
        cx.session().inspection().pivot_limits().any(|(side, limits)| side == FanSide::Z && limits.active == active);
    cx.tr_with(&format!("inspector.limit_axis.{key}"), &[("axis", if about_z { "Z" } else { "Y" })]).into()
}

/// The sentence of a row; of a pull that the character's own gravity joins, also what both come to.
fn doc_of(cx: &Cx<'_>, view: &RowView) -> String {
    let doc = words::param_doc(cx.theme.lang, view.def);
    match cx.session().inspection().character_pull(view.row) {
        Some(pull) => format!("{doc}\n{}", cx.tr_with("inspector.net_doc", &[("pull", &signed(pull))])),
        None => doc.into_owned(),
    }
}

/// `mixed`: several values that can be told apart as they are written.
fn hint_of(cx: &Cx<'_>, view: &RowView, mixed: bool) -> String {
    if mixed {
        return cx.tr("bar.mixed").into_owned();
    }
    if cx.session().inspection().share_per_unit(view.row).is_some()
        && let Some(value) = highest(view.values)
    {
        return NumberFormat::of(view.def.unit).text(value);
    }
    let meaning = cx.session().inspection().meaning(view.row);
    match view.def.unit {
        _ if meaning.is_some() => meaning_words(&cx.theme, meaning),
        Unit::Acceleration => "m/s²".to_owned(),
        Unit::PerSecondSquared => "1/s²".to_owned(),
        Unit::PerSecond => cx.tr("inspector.steps").into_owned(),
        Unit::Speed => "m/s".to_owned(),
        Unit::TurnSpeed => "°/s".to_owned(),
        Unit::Seconds => "s".to_owned(),
        Unit::Hertz => "Hz".to_owned(),
        Unit::None | Unit::Share | Unit::Metres | Unit::Degrees => String::new(),
    }
}

fn dot_of(view: &RowView) -> Dot {
    match (view.changed, view.overridden) {
        (true, _) => Dot::Changed,
        (false, true) => Dot::Overridden,
        (false, false) => Dot::None,
    }
}

fn lowest(values: Values) -> Option<f32> {
    match values {
        Values::None => None,
        Values::Same(value) => Some(value),
        Values::Mixed { low, .. } => Some(low),
    }
}

fn highest(values: Values) -> Option<f32> {
    match values {
        Values::None => None,
        Values::Same(value) => Some(value),
        Values::Mixed { high, .. } => Some(high),
    }
}

/// The sliders' span, or all that is allowed once a limit lies beyond it.
fn range_span(min: &ParamDef, max: &ParamDef, low: f32, high: f32) -> Span {
    let soft = (min.soft_range.0, max.soft_range.1);
    if low < soft.0 || high > soft.1 { Span::linear(min.range.0, max.range.1) } else { Span::linear(soft.0, soft.1) }
}
