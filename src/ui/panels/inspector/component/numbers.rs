//! The numbers and curves of the entries of a component's lists.

use super::LABEL;
use crate::doc::{Label, Node, Side, SideCurve};
use crate::math::Curve;
use crate::schema::{Kind, ParamDef};
use crate::session::{Command, Session};
use crate::ui::kit::curve_thumb::curve_thumb_at;
use crate::ui::kit::paint;
use crate::ui::kit::theme::{Role, Text};
use crate::ui::kit::tokens::{radius, size};
use crate::ui::kit::words;
use crate::ui::panels::inspector::items::{Field, written_choice};
use crate::ui::panels::inspector::rows::{LABEL_LEFT, curve_is_open, open_curve};
use crate::ui::{CurveOf, Cx};
use egui::{Sense, Ui, pos2, vec2};

/// A new value in its range, which reaches as high as what a file brought.
pub(in crate::ui::panels) fn within(def: &ParamDef, old: f32, new: f32) -> f32 {
    new.clamp(def.range.0, def.range.1.max(old))
}

/// The numbers of one entry, each with the curve that it has, and then the curves that have none.
pub(super) fn fields_ui(ui: &mut Ui, cx: &mut Cx<'_>, side: Side, at: usize, subject: u64) {
    for (field, def) in side.fields().iter().enumerate() {
        let extras = &cx.session().system().extras;
        if !extras.shows(side, at, field) {
            continue;
        }
        let values = [extras.field(side, at, field)];
        let curves = (0..side.curves().len()).filter(|curve| side.base_of(*curve) == Some(field));
        let curve = curves.map(|curve| SideCurve { side, entry: at, curve }).next();
        let curve = curve.and_then(|of| Some((CurveOf::side(cx.session(), of), extras.course(of, None)?.curve)));
        let curve = curve.as_ref().map(|(of, curve)| (*of, curve));
        field_ui(ui, cx, (side.owner(), def), (&values, curve), subject, |session, label, change| {
            session.change_system(label, |system| {
                let old = system.extras.field(side, at, field);
                system.extras.set_field(side, at, field, within(def, old, change(old)));
            })
        });
    }
    for curve in (0..side.curves().len()).filter(|curve| side.base_of(*curve).is_none()) {
        curve_ui(ui, cx, SideCurve { side, entry: at, curve });
    }
}

/// A curve that stands for itself, in the room of a number.
fn curve_ui(ui: &mut Ui, cx: &mut Cx<'_>, of: SideCurve) {
    let Some(course) = cx.session().system().extras.course(of, None) else { return };
    let (lang, def) = (cx.theme.lang, &of.side.curves()[of.curve]);
    let label = words::field_label(lang, of.side.owner(), def);
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), size::ROW), Sense::hover());
    if ui.rect_contains_pointer(rect) {
        ui.painter().rect_filled(rect.expand2(vec2(5.0, 0.0)), radius::FIELD, cx.theme.color.hover);
    }
    let galley = paint::elided(ui, &label, Text::Body, cx.theme.color.text, LABEL - 6.0);
    let place = paint::galley_left(ui.painter(), pos2(rect.left() + LABEL_LEFT, rect.center().y), galley);
    let doc = words::field_doc(lang, of.side.owner(), def);
    ui.interact(place, ui.scope_id().with(("label", def.name)), Sense::hover()).on_hover_text(doc);
    let middle = (size::ROW - size::BAR) / 2.0;
    let thumb = rect.with_min_x(rect.left() + LABEL_LEFT + LABEL).shrink2(vec2(0.0, middle));
    let hit = ui.interact(thumb, ui.scope_id().with(("curve", def.name)), Sense::click());
    let (role, asked) = (Role::of(def.idea), CurveOf::side(cx.session(), of));
    let open = curve_is_open(cx, &[asked]);
    if curve_thumb_at(ui, thumb, hit, &label, Some(&course.curve), role, open).clicked() {
        open_curve(cx, asked);
    }
}

/// The numbers of the further nodes of an entry: of those that are selected, else of all.
pub(super) fn members_ui(ui: &mut Ui, cx: &mut Cx<'_>, side: Side, (at, entry): (usize, &[Node]), subject: u64) {
    let members = entry.get(1..).unwrap_or_default();
    let selected = cx.session().selected_nodes();
    let mut meant: Vec<usize> = (0..members.len()).filter(|member| selected.contains(&members[*member])).collect();
    if meant.is_empty() {
        meant = (0..members.len()).collect();
    }
    for def in side.member_fields() {
        let extras = &cx.session().system().extras;
        let values: Vec<f32> = meant.iter().map(|member| extras.member_field(side, at, *member)).collect();
        field_ui(ui, cx, (side.member_owner(), def), (&values, None), subject, |session, label, change| {
            session.change_system(label, |system| {
                for member in &meant {
                    let old = system.extras.member_field(side, at, *member);
                    system.extras.set_member_field(side, at, *member, within(def, old, change(old)));
                }
            })
        });
    }
}

/// A number, a switch or a choice of entries that are alike; a number may have a curve.
pub(super) fn field_ui(
    ui: &mut Ui,
    cx: &mut Cx<'_>,
    (owner, def): (&'static str, &'static ParamDef),
    (values, curve): (&[f32], Option<(CurveOf, &Curve)>),
    subject: u64,
    write: impl Fn(&Session, Label, &dyn Fn(f32) -> f32) -> Option<(crate::doc::Edit, Label)>,
) {
    let label = Label::new("component_number", values.len()).name(words::field_label(cx.theme.lang, owner, def));
    match def.kind {
        Kind::Toggle | Kind::Choice(_) => {
            let Some(value) = written_choice(ui, cx, owner, def, values) else { return };
            if let Some((edit, label)) = write(cx.session(), label, &|_| value) {
                cx.command(Command::Apply(edit, label));
            }
        }
        Kind::Number | Kind::Degrees | Kind::Integer => {
            let field = Field { owner, def, values, loaded: &[], subject, has_effect: true, curve };
            field.show(ui, cx, |cx, change| {
                // Nothing loaded is offered here, so that every value changes alike.
                if let Some((edit, label)) = write(cx.session(), label.clone(), &|old| change(0, old)) {
                    cx.command(Command::Apply(edit, label));
                }
            });
        }
    }
}
