//! Curves of the tuned component: through the cycle of what blows, or over how far a bone has moved.

use super::{Before, Curves, caret_ui, name_ui};
use crate::document::{Course, Label, Side, SideCurve, System};
use crate::math::{Curve, CurveShape, Key};
use crate::schema::Unit;
use crate::session::{Command, Session};
use crate::tools::components;
use crate::ui::Cx;
use crate::ui::kit::curve_editor::{Axis, Base, CurveChange, CurveView, curve_editor};
use crate::ui::kit::number::NumberFormat;
use crate::ui::kit::theme::Role;
use crate::ui::kit::words;
use crate::ui::panels::inspector::{entry_words, format_of, within};
use egui::Ui;
use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// Keys so far beyond the box stand at its edge: only rounding puts them there.
const ROUNDING: f32 = 1e-4;

impl Curves {
    pub(super) fn side_ui(&mut self, ui: &mut Ui, cx: &mut Cx<'_>, of: SideCurve) {
        let extras = &cx.session().inspection().system().extras;
        let Some(usual) = extras.course(of, None) else { return };
        let subject = subject(cx.session(), of);
        self.open(subject, &usual.curve, || Before::Lists(Box::new(extras.clone())));
        // What is seen stays while a key moves, and widens for keys that come to lie beyond it.
        let inside = |course: &Course| {
            course.curve.keys().iter().all(|key| (-ROUNDING..=1.0 + ROUNDING).contains(&key.t)) || course.end.is_some()
        };
        let course = extras.course(of, self.seen).filter(inside).unwrap_or(usual);
        self.seen = Some(course.span);
        let before = match &self.ghost {
            Some((_, Before::Lists(before))) => before.course(of, self.seen),
            _ => None,
        };
        let name = label_of(cx, of);
        let def = &of.side.curves()[of.curve];
        let end = match course.end {
            Some(field) => words::field_label(cx.theme.lang, of.side.owner(), &of.side.fields()[field]),
            None => cx.tr("curve.seen"),
        };
        let base = course.base.map(|field| Base {
            value: Some(extras.field(of.side, of.entry, field)),
            format: format_of(&of.side.fields()[field]),
            hint: "",
        });
        let view = CurveView {
            name: &name,
            curve: &course.curve,
            before: before.as_ref().map(|before| &before.curve),
            axis: Axis::Measure {
                span: course.span,
                format: format(course.unit, course.span),
                end: &end,
                can_widen: course.end.is_none(),
                now: now(cx, of, &course),
            },
            base,
            role: Role::of(def.idea),
            boxed: !self.unboxed,
            shapes: if course.is_straight { &CurveShape::STRAIGHT } else { &CurveShape::CYCLE },
            is_straight: course.is_straight,
            subject,
        };
        for change in curve_editor(ui, &view) {
            self.side_changed(cx, of, &course, change);
        }
    }

    fn side_changed(&mut self, cx: &mut Cx<'_>, of: SideCurve, course: &Course, change: CurveChange) {
        match change {
            CurveChange::Replace(curve) => {
                self.begin(cx);
                put(cx, of, course.span, &curve);
            }
            CurveChange::MoveBeyond(index, place, value) => {
                let wider = [course.span[0], course.span[1].max(place)];
                let Some(seen) = cx.session().inspection().system().extras.course(of, Some(wider)) else { return };
                let Some(key) = seen.curve.keys().get(index) else { return };
                let moved = seen.curve.with_key_moved(index, Key { t: 1.0, value, ..*key });
                put(cx, of, wider, &moved);
                // The next frame finds a round span that holds it; a level line has no key that could be held.
                self.seen = (moved == seen.curve).then_some(wider);
            }
            CurveChange::Committed => self.end(cx),
            CurveChange::Cancelled => self.cancel(cx),
            CurveChange::SetBase(value) => {
                if let Some(field) = course.base {
                    set_number(cx, of, field, value);
                }
            }
            CurveChange::SetEnd(value) => match course.end {
                Some(field) => set_number(cx, of, field, value),
                None => self.seen = Some([course.span[0], value.max(farthest(course))]),
            },
            CurveChange::ToggleBox => self.unboxed = !self.unboxed,
            // It runs along no chain.
            CurveChange::SelectJoint(_) | CurveChange::HoverJoint(_) | CurveChange::SetAlong(_) => {}
        }
    }
}

fn label_of(cx: &Cx<'_>, of: SideCurve) -> Cow<'static, str> {
    words::field_label(cx.theme.lang, of.side.owner(), &of.side.curves()[of.curve])
}

fn put(cx: &mut Cx<'_>, of: SideCurve, span: [f32; 2], curve: &Curve) {
    let label = Label::new("component_curve", 1).name(label_of(cx, of));
    let set = |system: &mut System| system.extras.set_course(of, span, curve);
    if let Some((edit, label)) =
        components::step(cx.session().document(), cx.session().inspection().system_id(), label, set)
    {
        cx.command(Command::Apply(edit, label));
    }
}

fn set_number(cx: &mut Cx<'_>, of: SideCurve, field: usize, value: f32) {
    let def = &of.side.fields()[field];
    let label = Label::new("component_number", 1).name(words::field_label(cx.theme.lang, of.side.owner(), def));
    let change = components::step(cx.session().document(), cx.session().inspection().system_id(), label, |system| {
        let old = system.extras.field(of.side, of.entry, field);
        system.extras.set_field(of.side, of.entry, field, within(def, old, value));
    });
    if let Some((edit, label)) = change {
        cx.command(Command::Apply(edit, label));
    }
}

/// So far what is seen must reach: to the last key that says anything, and to one centimetre at least.
fn farthest(course: &Course) -> f32 {
    let [from, to] = course.span;
    // The last key of a level line only closes it.
    let last = if course.curve.is_flat() { 0.0 } else { course.curve.keys().last().map_or(0.0, |key| key.t) };
    (from + last * (to - from)).max(from + 0.01)
}

/// Long spans leave no room for hundredths, and need none.
fn format(unit: Unit, [from, to]: [f32; 2]) -> NumberFormat {
    let decimals = match (to - from).abs() {
        long if long >= 1000.0 => 0,
        long if long >= 100.0 => 1,
        _ => 2,
    };
    match unit {
        Unit::Seconds => NumberFormat::with_suffix(" s", decimals),
        other => NumberFormat::of(other),
    }
}

/// Where in its cycle the component is, or how far its bone has moved; beyond what is seen at the edge.
fn now(cx: &Cx<'_>, of: SideCurve, course: &Course) -> Option<f32> {
    let [from, to] = course.span;
    let at = if course.unit == Unit::Seconds {
        from + (cx.session().inspection().component_clock()? - from).rem_euclid(to - from)
    } else {
        let entry = cx.session().inspection().system().extras.entries(of.side).into_iter().nth(of.entry)?;
        cx.session().inspection().component_moved(*entry.first()?)?
    };
    let share = (at - from) / (to - from);
    share.is_finite().then_some(share.clamp(0.0, 1.0))
}

/// Whose curve it is; what an entry names belongs to it, so that another one in its place is another subject.
fn subject(session: &Session, of: SideCurve) -> u64 {
    let mut hasher = DefaultHasher::new();
    let entry = session.inspection().system().extras.entries(of.side).into_iter().nth(of.entry);
    (session.inspection().system_id(), of, entry).hash(&mut hasher);
    hasher.finish()
}

/// All curves of the tuned component, and whether they are more than level.
pub(super) fn all(session: &Session) -> impl Iterator<Item = (SideCurve, bool)> {
    let extras = &session.inspection().system().extras;
    let curves = |side: Side| {
        let places = (0..extras.count(side)).flat_map(move |entry| (0..side.curves().len()).map(move |at| (entry, at)));
        places.map(move |(entry, curve)| SideCurve { side, entry, curve })
    };
    let sides = session.inspection().sides().into_iter().filter(|side| !side.curves().is_empty());
    sides.flat_map(curves).filter_map(|of| extras.course(of, None).map(|course| (of, !course.curve.is_flat())))
}

/// The entry whose curve it is, and the list it is in.
pub(super) fn whose_ui(ui: &mut Ui, cx: &Cx<'_>, of: SideCurve) {
    let side = cx.tr(&format!("component.side.{}", of.side.key())).into_owned();
    for words in [entry_of(cx, of), side] {
        caret_ui(ui, cx);
        name_ui(ui, &words, cx.theme.color.text_2);
    }
}

/// What its entry names, in words.
pub(super) fn entry_of(cx: &Cx<'_>, of: SideCurve) -> String {
    let entry =
        cx.session().inspection().system().extras.entries(of.side).into_iter().nth(of.entry).unwrap_or_default();
    entry_words(cx, of.side, &entry)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_have_as_many_decimals_as_their_field_has_room_for() {
        let words = |cycle: f32| format(Unit::Seconds, [0.0, cycle]).text(cycle);
        assert_eq!([2.0, 99.5, 123.5, 3600.0].map(words), ["2.00 s", "99.50 s", "123.5 s", "3600 s"]);
    }
}
