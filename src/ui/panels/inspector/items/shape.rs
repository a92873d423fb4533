//! The numbers of a collider's shape, and its switch.

use super::pick::Picker;
use super::rows::{Field, LABEL_LEFT, written_choice};
use crate::doc::parts::{self, PartId};
use crate::doc::{ColliderId, Edit, Label};
use crate::schema::Kind;
use crate::session::{Command, Item};
use crate::sim::Shape;
use crate::ui::panels::inspector::component::within;
use crate::ui::widgets::param_row::note;
use crate::ui::widgets::section::Section;
use crate::ui::{Cx, Lit, words};
use egui::Ui;

pub(super) fn show(ui: &mut Ui, cx: &mut Cx<'_>, id: ColliderId) {
    let Some(active) = cx.session().document().colliders.get(&id).cloned() else { return };
    let alike = alike(cx, id);
    let title = cx.tr("item.shape");
    let kind = cx.session().system().solver;
    let is_known = kind.info().supports(&active.shape);
    let out = Section { title: &title, fact: "", switch: Some(active.enabled) }.show(ui, |ui| {
        if !is_known {
            let name = words::solver_name(cx.theme.lang, kind);
            note(ui, &cx.tr_with("parts.unknown_shape", &[("solver", &name)]), LABEL_LEFT);
        }
        for (at, def) in active.shape.fields().iter().enumerate() {
            let document = cx.session().document();
            let values: Vec<f32> =
                alike.iter().filter_map(|id| document.colliders.get(id)).map(|c| c.shape.field(at)).collect();
            let was = |id: &ColliderId| cx.session().loaded().colliders.get(id).map(|c| c.shape);
            let same_kind = |shape: &Shape| shape.is_like(&active.shape);
            let loaded: Vec<Option<f32>> =
                alike.iter().map(|id| was(id).filter(same_kind).map(|shape| shape.field(at))).collect();
            let owner = active.shape.name();
            let field = Field {
                owner,
                def,
                values: &values,
                loaded: &loaded,
                subject: u64::from(id.0),
                has_effect: active.enabled && is_known,
                curve: None,
            };
            field.show(ui, cx, |cx, change| {
                let document = cx.session().document();
                let edit = |(i, id): (usize, &ColliderId)| {
                    let shape = document.colliders.get(id)?.shape;
                    let value = change(i, shape.field(at)).max(def.range.0);
                    Some(parts::put_shape(document, *id, shape.with_field(at, value)))
                };
                let edit = Edit::Batch(alike.iter().enumerate().filter_map(edit).collect());
                cx.command(Command::Apply(edit, Label::new("size_part", alike.len()).name(active.name.clone())));
            });
        }
        added_ui(ui, cx, &alike, u64::from(id.0), active.enabled && is_known);
    });
    if ui.rect_contains_pointer(ui.min_rect()) {
        cx.state.lit = Some(Lit::Collider(id));
    }
    if out.switched {
        let chosen: Vec<PartId> = alike.iter().map(|id| PartId::Collider(*id)).collect();
        let what = if active.enabled { "disable_part" } else { "enable_part" };
        let edit = parts::enable(cx.session().document(), &chosen, !active.enabled);
        cx.command(Command::Apply(edit, Label::new(what, chosen.len()).name(active.name)));
    }
}

/// What the tuned solver adds to colliders.
fn added_ui(ui: &mut Ui, cx: &mut Cx<'_>, ids: &[ColliderId], subject: u64, has_effect: bool) {
    let Some(side) = cx.session().collider_side() else { return };
    for (field, def) in side.fields().iter().enumerate() {
        let extras = &cx.session().system().extras;
        let values: Vec<f32> = ids.iter().map(|id| extras.collider_field(*id, field)).collect();
        let owner = side.owner();
        let label = Label::new("component_number", ids.len()).name(words::field_label(cx.theme.lang, owner, def));
        let apply = |cx: &mut Cx<'_>, change: &dyn Fn(usize, f32) -> f32| {
            // Nothing loaded is offered here, so that every value changes alike.
            let within = |old| within(def, old, change(0, old));
            if let Some((edit, label)) = cx.session().change_colliders(ids, field, within, label.clone()) {
                cx.command(Command::Apply(edit, label));
            }
        };
        if matches!(def.kind, Kind::Choice(_)) {
            if let Some(value) = written_choice(ui, cx, owner, def, &values) {
                apply(cx, &|_, _| value);
            }
            continue;
        }
        Field { owner, def, values: &values, loaded: &[], subject, has_effect, curve: None }.show(ui, cx, apply);
    }
    hull_ui(ui, cx, ids, has_effect);
}

/// The mesh whose convex hull stands in place of the shape, where the solver knows such.
fn hull_ui(ui: &mut Ui, cx: &mut Cx<'_>, ids: &[ColliderId], has_effect: bool) {
    let extras = &cx.session().system().extras;
    let corners: Vec<_> = ids.iter().map(|id| extras.hull(*id).map(|hull| hull.points().len())).collect();
    let Some(first) = corners.first().copied() else { return };
    if !cx.session().can_have_hulls() && corners.iter().all(Option::is_none) {
        return;
    }
    let (title, doc, none) = (cx.tr("component.hull"), cx.tr("component.hull_hint"), cx.tr("component.hull_none"));
    let shown = match first {
        _ if corners.iter().any(|other| *other != first) => cx.tr("bar.mixed"),
        Some(n) => cx.tr_with("component.hull_is", &[("n", &n.to_string())]).into(),
        None => none.clone(),
    };
    let all = || {
        let meshes = cx.session().hull_choices(ids).into_iter().map(|(at, name)| (Some((at, name.clone())), name));
        std::iter::once((None, none.to_string())).chain(meshes).collect()
    };
    let picker = Picker { label: &title, doc: &doc, shown: &shown, all: &all, hint: "", has_effect };
    let Some(chosen) = picker.show(ui, cx) else { return };
    let (mesh, label) = match chosen {
        Some((mesh, name)) => (Some(mesh), Label::new("collider_hull", ids.len()).name(name)),
        None => (None, Label::new("no_collider_hull", ids.len())),
    };
    let (edit, label) = cx.session().change_hull(ids, mesh, label.told());
    cx.command(Command::Apply(edit, label));
}

/// The selected colliders of the same kind of shape.
pub(super) fn alike(cx: &Cx<'_>, id: ColliderId) -> Vec<ColliderId> {
    let document = cx.session().document();
    let shape = |id: &ColliderId| document.colliders.get(id).map(|c| c.shape);
    let own = shape(&id);
    let chosen = cx.session().selection().items.iter().filter_map(|item| match item {
        Item::Collider(other) => Some(*other),
        _ => None,
    });
    chosen.filter(|other| shape(other).is_some_and(|shape| own.is_some_and(|own| own.is_like(&shape)))).collect()
}
