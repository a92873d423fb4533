//! Shared rows for a field of a table, and for the three numbers of a vector.

use crate::tr;
use crate::ui::kit::i18n;
use crate::ui::kit::number::{NumberFormat, Span};
use crate::ui::kit::paint;
use crate::ui::kit::param_bar::{BarChange, BarValue, ParamBar};
use crate::ui::kit::param_row::{ChangeMarker, ParamControl, ParamRow, ParamRowChange};
use crate::ui::kit::theme::{ColorRole, TextSize};
use crate::ui::kit::toggle::switch;
use crate::ui::kit::tokens::size;
use crate::ui::panels::inspector::label_line::show_with_warning;
use crate::ui::panels::inspector::label_line::{ChoicePicker, LabelLine, bar_height_rect, curve_is_open, open_curve};
use crate::ui::{CurveRef, UiContext};
use egui::{Align2, Rect, Ui, UiBuilder, pos2, vec2};
use yuremono_session::{Command, ParamWarning};
use yuremono_sim::math::Curve;
use yuremono_sim::params::{ParamDef, ParamKind, Unit};

const BAR_GAP: f32 = 4.0;

/// A field of a shape or force, for all selected objects of the same kind.
pub(in crate::ui::panels::inspector) struct FieldRow<'a> {
    /// Name of the component in the program that the solver reproduces.
    pub(in crate::ui::panels::inspector) def: &'static ParamDef,
    pub(in crate::ui::panels::inspector) values: &'a [f32],
    /// Loaded value of each object. `None` for a new object, or for an object that has changed its kind.
    pub(in crate::ui::panels::inspector) loaded: &'a [Option<f32>],
    /// Identity of the owner.
    pub(in crate::ui::panels::inspector) subject: u64,
    pub(in crate::ui::panels::inspector) has_effect: bool,
    /// The curve that multiplies the value, and the request that opens this curve.
    pub(in crate::ui::panels::inspector) curve: Option<(CurveRef, &'a Curve)>,
}

/// Returns the new value for an old value and its index in `FieldRow::values`.
pub(in crate::ui::panels::inspector) type ValueChange<'a> = &'a dyn Fn(usize, f32) -> f32;

impl FieldRow<'_> {
    /// Draws the row. After a change, calls `write` with a function that changes the values.
    pub(in crate::ui::panels::inspector) fn show(
        self,
        ui: &mut Ui,
        cx: &mut UiContext<'_>,
        mut write: impl FnMut(&mut UiContext<'_>, ValueChange<'_>),
    ) {
        let lang = cx.theme.lang;
        let label = i18n::param_label(lang, self.def);
        let doc = i18n::param_doc(lang, self.def);
        let low = self.values.iter().copied().fold(f32::INFINITY, f32::min);
        let high = self.values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        if self.values.is_empty() {
            return;
        }
        let value = if low == high { BarValue::One(low) } else { BarValue::Mixed { low, high } };
        let span = field_span(ui, self.def, high);
        let bar = ParamBar {
            value,
            format: NumberFormat::for_param(self.def),
            role: ColorRole::for_meaning(self.def.meaning),
            subject: self.subject,
            has_effect: self.has_effect,
            ..ParamBar::new(&label, 0.0, span)
        };
        let hint = match self.def.unit {
            _ if bar.value.is_mixed(bar.format) => tr!(cx, "mixed"),
            Unit::Acceleration => "m/s²".into(),
            Unit::Seconds => "s".into(),
            Unit::Hertz => "Hz".into(),
            _ => "".into(),
        };
        let changed = self.values.iter().zip(self.loaded).any(|(now, loaded)| loaded.is_some_and(|was| was != *now));
        let dot = if changed { ChangeMarker::Changed } else { ChangeMarker::None };
        let row = ParamRow {
            tooltip: &doc,
            hint: &hint,
            marker: dot,
            curves: self.curve.map(|(_, curve)| std::slice::from_ref(curve)),
            curve_open: self.curve.is_some_and(|(of, _)| curve_is_open(cx, &[of])),
            ..ParamRow::new(&label, ParamControl::Bar(bar))
        };
        let left = self.def.range_exceeded_by(low, high).filter(|_| self.has_effect);
        let remark = left.map(|(low, high)| ParamWarning::OutOfRange([low, high]));
        for change in ui.push_id(self.def.name, |ui| show_with_warning(ui, cx, row, remark, false)).inner.changes {
            match change {
                ParamRowChange::Bar(change) => {
                    // Scaling would give fractional values for integers.
                    let whole = self.def.kind == ParamKind::Integer;
                    let write = |cx: &mut UiContext<'_>, change: ValueChange<'_>| {
                        write(cx, &|at, old| if whole { change(at, old).round() } else { change(at, old) });
                    };
                    apply_bar_change(cx, change, &mut { write });
                }
                ParamRowChange::Reset => {
                    let loaded = |at: usize, now: f32| self.loaded.get(at).copied().flatten().unwrap_or(now);
                    write(cx, &loaded);
                }
                ParamRowChange::OriginalDefault => write(cx, &|_, _| self.def.default),
                ParamRowChange::OpenCurve => {
                    if let Some((of, _)) = self.curve {
                        open_curve(cx, of);
                    }
                }
                ParamRowChange::Range(..) | ParamRowChange::Sweep => {}
            }
        }
    }
}

/// Returns the span of a bar. The span of a count includes the value of the file, because otherwise the first drag
/// would clamp the value. The span stays fixed during any drag.
fn field_span(ui: &Ui, def: &ParamDef, high: f32) -> Span {
    let span = Span::for_param(def);
    if def.kind != ParamKind::Integer {
        return span;
    }
    let id = ui.scope_id().with(("top", def.name));
    let known: Option<f32> = ui.data(|d| d.get_temp(id));
    if let Some(top) = known.filter(|_| ui.ctx().dragged_id().is_some()) {
        return Span { high: top, ..span };
    }
    let top = span.high.max(high);
    ui.data_mut(|d| d.insert_temp(id, top));
    Span { high: top, ..span }
}

/// Applies a change of a bar. One drag is one undo step.
fn apply_bar_change(
    cx: &mut UiContext<'_>,
    change: BarChange,
    write: &mut impl FnMut(&mut UiContext<'_>, ValueChange<'_>),
) {
    match change {
        BarChange::Started => cx.command(Command::BeginUndoGroup),
        BarChange::Set(value) => write(cx, &|_, _| value),
        BarChange::ScaleBy(factor) => write(cx, &|_, old| old * factor),
        BarChange::Cancelled => cx.command(Command::CancelUndoGroup),
        BarChange::Ended => cx.command(Command::EndUndoGroup),
    }
}

pub(super) struct Vec3Row<'a> {
    pub(super) label: &'a str,
    pub(super) tooltip: &'a str,
    pub(super) values: [f32; 3],
    /// Half the range of the sliders.
    pub(super) half_range: f32,
    pub(super) center: f32,
    pub(super) format: NumberFormat,
    pub(super) subject: u64,
}

impl Vec3Row<'_> {
    /// Draws the row. After a change, calls `write` with the index of the component and its new value.
    pub(super) fn show(
        self,
        ui: &mut Ui,
        cx: &mut UiContext<'_>,
        mut write: impl FnMut(&mut UiContext<'_>, usize, f32),
    ) {
        let c = cx.theme.color;
        let line =
            LabelLine { label: self.label, tooltip: self.tooltip, color: c.text, highlights_on_hover: true }.show(ui);
        let bars = bar_height_rect(line);
        let width = (bars.width() - 2.0 * BAR_GAP) / 3.0;
        let span = Span::linear(self.center - self.half_range, self.center + self.half_range);
        for (i, (axis, color)) in [("X", c.axis_x), ("Y", c.axis_y), ("Z", c.axis_z)].into_iter().enumerate() {
            let corner = pos2(bars.left() + (width + BAR_GAP) * i as f32, bars.top());
            let bar_rect = Rect::from_min_size(corner, vec2(width, size::BAR));
            let name = tr!(cx, "{name} {axis}", name = self.label, axis);
            let bar = ParamBar {
                format: self.format,
                subject: self.subject,
                ..ParamBar::new(&name, self.values[i], stable_span(ui, &name, span, self.values[i]))
            };
            let mut inner = ui.new_child(UiBuilder::new().max_rect(bar_rect).id_salt(axis));
            let out = bar.show_in(&mut inner, bar_rect);
            let at = bar_rect.left_center() + vec2(5.0, -1.5);
            // A long number uses the space of the axis letter. The position of the field still identifies the axis.
            if paint::text_width(ui, &self.format.text(self.values[i]), TextSize::Number) + 22.0 < width {
                paint::text(ui.painter(), at, Align2::LEFT_CENTER, axis, TextSize::Tiny, color);
            }
            for change in out.changes {
                apply_bar_change(cx, change, &mut |cx, change| write(cx, i, change(0, self.values[i])));
            }
        }
    }
}

/// Returns a span that includes the value. The span stays fixed during a drag, because otherwise the bar would move
/// away from the pointer.
fn stable_span(ui: &Ui, name: &str, span: Span, value: f32) -> Span {
    let id = ui.scope_id().with(("span", name));
    let known: Option<f32> = ui.data(|d| d.get_temp(id));
    if let Some(reach) = known.filter(|_| ui.ctx().dragged_id().is_some()) {
        let middle = (span.low + span.high) * 0.5;
        return Span::linear(middle - reach, middle + reach);
    }
    let (middle, mut reach) = ((span.low + span.high) * 0.5, (span.high - span.low) * 0.5);
    while reach < (value - middle).abs() && reach < 1e6 {
        reach *= 4.0;
    }
    ui.data_mut(|d| d.insert_temp(id, reach));
    Span::linear(middle - reach, middle + reach)
}

/// Draws a choice. Returns the chosen value.
pub(in crate::ui::panels::inspector) fn choice_field(
    ui: &mut Ui,
    cx: &mut UiContext<'_>,
    def: &'static ParamDef,
    values: &[f32],
) -> Option<f32> {
    let lang = cx.theme.lang;
    let label = i18n::param_label(lang, def);
    let doc = i18n::param_doc(lang, def);
    let first = *values.first()?;
    let same = values.iter().all(|value| *value == first);
    if let ParamKind::Choice(choices) = def.kind {
        let name = |at| i18n::param_choice(lang, def, at);
        let now = (first.round().max(0.0) as usize).min(choices.len().saturating_sub(1));
        let shown = if same { name(now) } else { tr!(cx, "mixed") };
        let all = || (0..choices.len()).map(|at| (at, name(at).into_owned())).collect();
        let at = ChoicePicker::new(&label, &doc, &shown, &all).show(ui, cx)?;
        return (!same || at != now).then_some(at as f32);
    }
    let line =
        LabelLine { label: &label, tooltip: &doc, color: cx.theme.color.text, highlights_on_hover: false }.show(ui);
    let at = Rect::from_min_size(line.min, vec2(34.0, line.height()));
    let on = same && first >= 0.5;
    let mut inner = ui.new_child(UiBuilder::new().max_rect(at).id_salt(def.name));
    switch(&mut inner, &label, on).clicked().then_some(f32::from(u8::from(!on)))
}
