//! Curves of the current component, over the cycle of a force or over the distance that a bone moved.

use super::{CurveBackup, CurvesTab, caret_ui, name_ui};
use crate::tr;
use crate::ui::UiContext;
use crate::ui::kit::curve_editor::{BaseValue, CurveAxis, CurveChange, CurveEditorInput, SideColumn, curve_editor};
use crate::ui::kit::i18n;
use crate::ui::kit::number::NumberFormat;
use crate::ui::kit::theme::ColorRole;
use crate::ui::panels::inspector::{clamped_to_range, entry_text};
use egui::Ui;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use yuremono_model::document::{EditLabel, ListCurve, ListCurveId, ListKind};
use yuremono_session::Session;
use yuremono_sim::diagnostics::message;
use yuremono_sim::math::{Curve, CurveKey, CurveShape};
use yuremono_sim::params::Unit;

/// Rounding can move keys this far outside the plot. These keys are drawn at the edge of the plot.
const ROUNDING_TOLERANCE: f32 = 1e-4;

impl CurvesTab {
    pub(super) fn component_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, of: ListCurveId) {
        let extras = &cx.inspection().system().component_lists;
        let Some(usual) = extras.list_curve(of, None) else { return };
        let subject = subject_id(cx.session(), of);
        self.open(subject, &usual.curve, || CurveBackup::Lists(Box::new(extras.clone())));
        // The visible interval stays fixed while a key moves, and grows for keys outside the plot.
        let inside = |shown_curve: &ListCurve| {
            shown_curve.curve.keys().iter().all(|key| (-ROUNDING_TOLERANCE..=1.0 + ROUNDING_TOLERANCE).contains(&key.t))
                || shown_curve.end_field.is_some()
        };
        let shown_curve = extras.list_curve(of, self.visible_span).filter(inside).unwrap_or(usual);
        self.visible_span = Some(shown_curve.span);
        let before = match &self.backup {
            Some((_, CurveBackup::Lists(before))) => before.list_curve(of, self.visible_span),
            _ => None,
        };
        let name = of.list.curves()[of.curve].label_text();
        let def = &of.list.curves()[of.curve];
        let end = match shown_curve.end_field {
            Some(field) => i18n::param_label(cx.theme.lang, &of.list.fields()[field]),
            None => tr!(cx, "Up to"),
        };
        let base = shown_curve.base_field.map(|field| BaseValue {
            value: Some(extras.field(of.list, of.entry, field)),
            format: NumberFormat::for_param(&of.list.fields()[field]),
            hint: "",
        });
        let view = CurveEditorInput {
            name: &name,
            curve: &shown_curve.curve,
            before: before.as_ref().map(|before| &before.curve),
            axis: CurveAxis::Measure {
                span: shown_curve.span,
                format: number_format(shown_curve.unit, shown_curve.span),
                end_label: &end,
                can_widen: shown_curve.end_field.is_none(),
                current: current_fraction(cx, of, &shown_curve),
            },
            base,
            role: ColorRole::for_meaning(def.meaning),
            locked_to_unit_range: !self.unlocked_range,
            shapes: if shown_curve.is_piecewise_linear { &CurveShape::FOR_LINEAR } else { &CurveShape::FOR_CYCLES },
            is_straight: shown_curve.is_piecewise_linear,
            subject,
            side: SideColumn::Shown,
        };
        for change in curve_editor(ui, &view) {
            self.apply_component_change(cx, of, &shown_curve, change);
        }
    }

    fn apply_component_change(
        &mut self,
        cx: &mut UiContext<'_>,
        of: ListCurveId,
        shown_curve: &ListCurve,
        change: CurveChange,
    ) {
        match change {
            CurveChange::Replace(curve) => {
                self.begin(cx);
                set_curve(cx, of, shown_curve.span, &curve);
            }
            CurveChange::MoveKeyPastEnd(index, position, value) => {
                let wider = [shown_curve.span[0], shown_curve.span[1].max(position)];
                let Some(seen) = cx.inspection().system().component_lists.list_curve(of, Some(wider)) else {
                    return;
                };
                let Some(key) = seen.curve.keys().get(index) else { return };
                let moved = seen.curve.with_key_moved(index, CurveKey { t: 1.0, value, ..*key });
                set_curve(cx, of, wider, &moved);
                // The next frame computes a round interval. A flat curve has no key that the artist could drag.
                self.visible_span = (moved == seen.curve).then_some(wider);
            }
            CurveChange::Committed => self.end(cx),
            CurveChange::Cancelled => self.cancel(cx),
            CurveChange::SetBase(value) => {
                if let Some(field) = shown_curve.base_field {
                    set_number(cx, of, field, value);
                }
            }
            CurveChange::SetEnd(value) => match shown_curve.end_field {
                Some(field) => set_number(cx, of, field, value),
                None => self.visible_span = Some([shown_curve.span[0], value.max(min_visible_end(shown_curve))]),
            },
            CurveChange::ToggleUnitRange => self.unlocked_range = !self.unlocked_range,
            // These changes apply only to curves along a chain.
            CurveChange::SelectJoint(_) | CurveChange::HoverJoint(_) | CurveChange::SetDomain(_) => {}
        }
    }
}

fn set_curve(cx: &mut UiContext<'_>, of: ListCurveId, span: [f32; 2], curve: &Curve) {
    let label = EditLabel::new(message!("Curve of {name}", name = of.list.curves()[of.curve].label_text()));
    cx.edit_system(label, |system| system.component_lists.set_list_curve(of, span, curve));
}

fn set_number(cx: &mut UiContext<'_>, of: ListCurveId, field: usize, value: f32) {
    let def = &of.list.fields()[field];
    let label = EditLabel::new(def.label_text());
    cx.edit_system(label, |system| {
        let old = system.component_lists.field(of.list, of.entry, field);
        system.component_lists.set_field(of.list, of.entry, field, clamped_to_range(def, old, value));
    });
}

/// Returns the smallest visible end: the last relevant key, but at least one centimetre.
fn min_visible_end(list_curve: &ListCurve) -> f32 {
    let [from, to] = list_curve.span;
    // The last key of a flat curve only ends the curve, so this key is not relevant.
    let last = if list_curve.curve.is_flat() { 0.0 } else { list_curve.curve.keys().last().map_or(0.0, |key| key.t) };
    (from + last * (to - from)).max(from + 0.01)
}

/// Returns the number format of an interval. Long intervals need no hundredths.
fn number_format(unit: Unit, [from, to]: [f32; 2]) -> NumberFormat {
    let decimals = match (to - from).abs() {
        long if long >= 1000.0 => 0,
        long if long >= 100.0 => 1,
        _ => 2,
    };
    match unit {
        Unit::Seconds => NumberFormat::with_suffix(" s", decimals),
        other => NumberFormat::for_unit(other),
    }
}

/// Returns the phase of the component's cycle, or the distance that the bone moved. The result is clamped to the
/// visible interval.
fn current_fraction(cx: &UiContext<'_>, of: ListCurveId, list_curve: &ListCurve) -> Option<f32> {
    let [from, to] = list_curve.span;
    let at = if list_curve.unit == Unit::Seconds {
        from + (cx.inspection().component_clock()? - from).rem_euclid(to - from)
    } else {
        let entry = cx.inspection().system().component_lists.entries(of.list).into_iter().nth(of.entry)?;
        cx.inspection().component_sync_offset(*entry.first()?)?
    };
    let share = (at - from) / (to - from);
    share.is_finite().then_some(share.clamp(0.0, 1.0))
}

/// Returns the identity of the curve, including the nodes of the entry. Another entry at the same index has another
/// identity.
fn subject_id(session: &Session, of: ListCurveId) -> u64 {
    let mut hasher = DefaultHasher::new();
    let entry = session.inspection().system().component_lists.entries(of.list).into_iter().nth(of.entry);
    (session.inspection().system_id(), of, entry).hash(&mut hasher);
    hasher.finish()
}

/// Returns all curves of the current component, and whether each curve has a shape.
pub(super) fn component_curves(session: &Session) -> impl Iterator<Item = (ListCurveId, bool)> {
    let extras = &session.inspection().system().component_lists;
    let curves = |side: ListKind| {
        let indices =
            (0..extras.entry_count(side)).flat_map(move |entry| (0..side.curves().len()).map(move |at| (entry, at)));
        indices.map(move |(entry, curve)| ListCurveId { list: side, entry, curve })
    };
    let sides = session.inspection().component_lists().into_iter().filter(|side| !side.curves().is_empty());
    sides
        .flat_map(curves)
        .filter_map(|of| extras.list_curve(of, None).map(|shown_curve| (of, !shown_curve.curve.is_flat())))
}

/// Draws the entry of the curve, and the list that contains the entry.
pub(super) fn component_breadcrumb_ui(ui: &mut Ui, cx: &UiContext<'_>, of: ListCurveId) {
    let side = cx.tr(i18n::component_list_name(of.list));
    for text in [&*component_entry_text(cx, of), &*side] {
        caret_ui(ui, cx);
        name_ui(ui, text, cx.theme.color.text_2);
    }
}

/// Returns the nodes of the entry as text.
pub(super) fn component_entry_text(cx: &UiContext<'_>, of: ListCurveId) -> String {
    let entry = cx.inspection().system().component_lists.entries(of.list).into_iter().nth(of.entry).unwrap_or_default();
    entry_text(cx, of.list, &entry)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_spans_of_seconds_have_fewer_decimals() {
        let text = |cycle: f32| number_format(Unit::Seconds, [0.0, cycle]).text(cycle);
        assert_eq!([2.0, 99.5, 123.5, 3600.0].map(text), ["2.00 s", "99.50 s", "123.5 s", "3600 s"]);
    }
}
