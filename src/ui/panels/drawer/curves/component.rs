//! Curves of the tuned component: through the cycle of what blows, or over how far a bone has moved.

use super::{CurveBackup, CurvesTab, caret_ui, name_ui};
use crate::document::{EditLabel, ListCurve, ListCurveId, ListKind, System};
use crate::math::{Curve, CurveKey, CurveShape};
use crate::params::Unit;
use crate::session::{Command, Session};
use crate::tools::components;
use crate::ui::UiContext;
use crate::ui::kit::curve_editor::{BaseValue, CurveAxis, CurveChange, CurveEditorInput, curve_editor};
use crate::ui::kit::i18n;
use crate::ui::kit::number::NumberFormat;
use crate::ui::kit::theme::ColorRole;
use crate::ui::panels::inspector::{clamped_to_range, entry_text, format_of};
use egui::Ui;
use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// Keys so far beyond the box stand at its edge: only rounding puts them there.
const ROUNDING_TOLERANCE: f32 = 1e-4;

impl CurvesTab {
    pub(super) fn component_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, of: ListCurveId) {
        let extras = &cx.session().inspection().system().component_lists;
        let Some(usual) = extras.list_curve(of, None) else { return };
        let subject = subject_id(cx.session(), of);
        self.open(subject, &usual.curve, || CurveBackup::Lists(Box::new(extras.clone())));
        // What is seen stays while a key moves, and widens for keys that come to lie beyond it.
        let inside = |course: &ListCurve| {
            course.curve.keys().iter().all(|key| (-ROUNDING_TOLERANCE..=1.0 + ROUNDING_TOLERANCE).contains(&key.t))
                || course.end_field.is_some()
        };
        let course = extras.list_curve(of, self.visible_span).filter(inside).unwrap_or(usual);
        self.visible_span = Some(course.span);
        let before = match &self.backup {
            Some((_, CurveBackup::Lists(before))) => before.list_curve(of, self.visible_span),
            _ => None,
        };
        let name = label_of(cx, of);
        let def = &of.list.curves()[of.curve];
        let end = match course.end_field {
            Some(field) => i18n::field_label(cx.theme.lang, of.list.component_name(), &of.list.fields()[field]),
            None => cx.tr("curve.seen"),
        };
        let base = course.base_field.map(|field| BaseValue {
            value: Some(extras.field(of.list, of.entry, field)),
            format: format_of(&of.list.fields()[field]),
            hint: "",
        });
        let view = CurveEditorInput {
            name: &name,
            curve: &course.curve,
            before: before.as_ref().map(|before| &before.curve),
            axis: CurveAxis::Measure {
                span: course.span,
                format: number_format(course.unit, course.span),
                end_label: &end,
                can_widen: course.end_field.is_none(),
                current: current_fraction(cx, of, &course),
            },
            base,
            role: ColorRole::for_meaning(def.meaning),
            locked_to_unit_range: !self.unlocked_range,
            shapes: if course.is_piecewise_linear { &CurveShape::FOR_LINEAR } else { &CurveShape::FOR_CYCLES },
            is_straight: course.is_piecewise_linear,
            subject,
        };
        for change in curve_editor(ui, &view) {
            self.apply_component_change(cx, of, &course, change);
        }
    }

    fn apply_component_change(
        &mut self,
        cx: &mut UiContext<'_>,
        of: ListCurveId,
        course: &ListCurve,
        change: CurveChange,
    ) {
        match change {
            CurveChange::Replace(curve) => {
                self.begin(cx);
                set_curve(cx, of, course.span, &curve);
            }
            CurveChange::MoveKeyPastEnd(index, place, value) => {
                let wider = [course.span[0], course.span[1].max(place)];
                let Some(seen) = cx.session().inspection().system().component_lists.list_curve(of, Some(wider)) else {
                    return;
                };
                let Some(key) = seen.curve.keys().get(index) else { return };
                let moved = seen.curve.with_key_moved(index, CurveKey { t: 1.0, value, ..*key });
                set_curve(cx, of, wider, &moved);
                // The next frame finds a round span that holds it; a level line has no key that could be held.
                self.visible_span = (moved == seen.curve).then_some(wider);
            }
            CurveChange::Committed => self.end(cx),
            CurveChange::Cancelled => self.cancel(cx),
            CurveChange::SetBase(value) => {
                if let Some(field) = course.base_field {
                    set_number(cx, of, field, value);
                }
            }
            CurveChange::SetEnd(value) => match course.end_field {
                Some(field) => set_number(cx, of, field, value),
                None => self.visible_span = Some([course.span[0], value.max(min_visible_end(course))]),
            },
            CurveChange::ToggleUnitRange => self.unlocked_range = !self.unlocked_range,
            // It runs along no chain.
            CurveChange::SelectJoint(_) | CurveChange::HoverJoint(_) | CurveChange::SetDomain(_) => {}
        }
    }
}

fn label_of(cx: &UiContext<'_>, of: ListCurveId) -> Cow<'static, str> {
    i18n::field_label(cx.theme.lang, of.list.component_name(), &of.list.curves()[of.curve])
}

fn set_curve(cx: &mut UiContext<'_>, of: ListCurveId, span: [f32; 2], curve: &Curve) {
    let label = EditLabel::new("component_curve", 1).name(label_of(cx, of));
    let set = |system: &mut System| system.component_lists.set_list_curve(of, span, curve);
    if let Some((edit, label)) =
        components::labeled_system_edit(cx.session().document(), cx.session().inspection().system_id(), label, set)
    {
        cx.command(Command::ApplyEdit(edit, label));
    }
}

fn set_number(cx: &mut UiContext<'_>, of: ListCurveId, field: usize, value: f32) {
    let def = &of.list.fields()[field];
    let label =
        EditLabel::new("component_number", 1).name(i18n::field_label(cx.theme.lang, of.list.component_name(), def));
    let change = components::labeled_system_edit(
        cx.session().document(),
        cx.session().inspection().system_id(),
        label,
        |system| {
            let old = system.component_lists.field(of.list, of.entry, field);
            system.component_lists.set_field(of.list, of.entry, field, clamped_to_range(def, old, value));
        },
    );
    if let Some((edit, label)) = change {
        cx.command(Command::ApplyEdit(edit, label));
    }
}

/// So far what is seen must reach: to the last key that says anything, and to one centimetre at least.
fn min_visible_end(course: &ListCurve) -> f32 {
    let [from, to] = course.span;
    // The last key of a level line only closes it.
    let last = if course.curve.is_flat() { 0.0 } else { course.curve.keys().last().map_or(0.0, |key| key.t) };
    (from + last * (to - from)).max(from + 0.01)
}

/// Long spans leave no room for hundredths, and need none.
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

/// Where in its cycle the component is, or how far its bone has moved; beyond what is seen at the edge.
fn current_fraction(cx: &UiContext<'_>, of: ListCurveId, course: &ListCurve) -> Option<f32> {
    let [from, to] = course.span;
    let at = if course.unit == Unit::Seconds {
        from + (cx.session().inspection().component_clock()? - from).rem_euclid(to - from)
    } else {
        let entry = cx.session().inspection().system().component_lists.entries(of.list).into_iter().nth(of.entry)?;
        cx.session().inspection().component_sync_offset(*entry.first()?)?
    };
    let share = (at - from) / (to - from);
    share.is_finite().then_some(share.clamp(0.0, 1.0))
}

/// Whose curve it is; what an entry names belongs to it, so that another one in its place is another subject.
fn subject_id(session: &Session, of: ListCurveId) -> u64 {
    let mut hasher = DefaultHasher::new();
    let entry = session.inspection().system().component_lists.entries(of.list).into_iter().nth(of.entry);
    (session.inspection().system_id(), of, entry).hash(&mut hasher);
    hasher.finish()
}

/// All curves of the tuned component, and whether they are more than level.
pub(super) fn component_curves(session: &Session) -> impl Iterator<Item = (ListCurveId, bool)> {
    let extras = &session.inspection().system().component_lists;
    let curves = |side: ListKind| {
        let places =
            (0..extras.entry_count(side)).flat_map(move |entry| (0..side.curves().len()).map(move |at| (entry, at)));
        places.map(move |(entry, curve)| ListCurveId { list: side, entry, curve })
    };
    let sides = session.inspection().component_lists().into_iter().filter(|side| !side.curves().is_empty());
    sides.flat_map(curves).filter_map(|of| extras.list_curve(of, None).map(|course| (of, !course.curve.is_flat())))
}

/// The entry whose curve it is, and the list it is in.
pub(super) fn component_breadcrumb_ui(ui: &mut Ui, cx: &UiContext<'_>, of: ListCurveId) {
    let side = cx.tr(&format!("component.side.{}", of.list.key())).into_owned();
    for words in [component_entry_text(cx, of), side] {
        caret_ui(ui, cx);
        name_ui(ui, &words, cx.theme.color.text_2);
    }
}

/// What its entry names, in words.
pub(super) fn component_entry_text(cx: &UiContext<'_>, of: ListCurveId) -> String {
    let entry = cx
        .session()
        .inspection()
        .system()
        .component_lists
        .entries(of.list)
        .into_iter()
        .nth(of.entry)
        .unwrap_or_default();
    entry_text(cx, of.list, &entry)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_spans_of_seconds_have_fewer_decimals() {
        let words = |cycle: f32| number_format(Unit::Seconds, [0.0, cycle]).text(cycle);
        assert_eq!([2.0, 99.5, 123.5, 3600.0].map(words), ["2.00 s", "99.50 s", "123.5 s", "3600 s"]);
    }
}
