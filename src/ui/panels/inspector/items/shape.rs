//! The numbers of colliders' shapes and of forces, their switches, and the mesh that a collider is drawn as.

use super::fields::{FieldRow, ValueChange, choice_field};
use super::wind_plot;
use crate::document::{ColliderId, Document, Edit, EditLabel, ForceId};
use crate::params::{ParamDef, ParamKind};
use crate::session::{Command, SceneObject};
use crate::sim::{ColliderShape, ForceKind, Wind};
use crate::tools::components;
use crate::tools::{elements, elements::ElementId};
use crate::ui::kit::button::primary;
use crate::ui::kit::paint::ElidedName;
use crate::ui::kit::param_row::info_note;
use crate::ui::kit::section::CollapsibleSection;
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::toggle::switch;
use crate::ui::kit::tokens::{size, space};
use crate::ui::kit::{i18n, icons};
use crate::ui::panels::inspector::label_line::{ChoicePicker, LABEL_LEFT, clamped_to_range};
use crate::ui::{Highlight, UiContext};
use egui::{Rect, Sense, Ui, UiBuilder, pos2, vec2};
use std::mem::discriminant;

pub(super) fn show(ui: &mut Ui, cx: &mut UiContext<'_>, id: ColliderId) {
    let Some(active) = cx.session().document().colliders.get(&id).cloned() else { return };
    let alike = same_shape_colliders(cx, id);
    let title = cx.tr("item.shape");
    let kind = cx.session().inspection().system().solver;
    let is_known = kind.info().supports_shape(&active.shape);
    let out = CollapsibleSection { title: &title, note: "", switch: Some(active.enabled) }.show(ui, |ui| {
        if !is_known {
            let name = i18n::solver_name(cx.theme.lang, kind);
            info_note(ui, &cx.tr_with("parts.unknown_shape", &[("solver", &name)]), LABEL_LEFT);
        }
        let numbers = NumberFields {
            owner: active.shape.component_name(),
            defs: active.shape.fields(),
            part_count: alike.len(),
            subject: u64::from(id.0),
            has_effect: active.enabled && is_known,
        };
        let value = |document: &Document, i: usize, at: usize| {
            let shape = document.colliders.get(&alike[i])?.shape;
            shape.is_same_kind(&active.shape).then(|| shape.field(at))
        };
        number_fields_ui(ui, cx, &numbers, value, |cx, at, change| {
            let document = cx.session().document();
            let least = numbers.defs[at].range.0;
            let edit = |(i, id): (usize, &ColliderId)| {
                let shape = document.colliders.get(id)?.shape;
                let value = change(i, shape.field(at)).max(least);
                Some(elements::set_shape(document, *id, shape.with_field(at, value)))
            };
            let edit = Edit::Batch(alike.iter().enumerate().filter_map(edit).collect());
            cx.command(Command::ApplyEdit(edit, EditLabel::new("size_part", alike.len()).name(active.name.clone())));
        });
        solver_fields_ui(ui, cx, &alike, u64::from(id.0), active.enabled && is_known);
    });
    if ui.rect_contains_pointer(ui.min_rect()) {
        cx.state.highlight = Some(Highlight::Collider(id));
    }
    if out.switched {
        let chosen: Vec<ElementId> = alike.iter().map(|id| ElementId::Collider(*id)).collect();
        set_enabled(cx, &chosen, !active.enabled, &active.name);
    }
}

/// The numbers of several parts of one kind.
struct NumberFields {
    owner: &'static str,
    defs: &'static [ParamDef],
    /// How many parts there are.
    part_count: usize,
    subject: u64,
    has_effect: bool,
}

/// A row for each number; `value` reads a number of a part in a document, `write` writes one of all parts.
fn number_fields_ui(
    ui: &mut Ui,
    cx: &mut UiContext<'_>,
    numbers: &NumberFields,
    value: impl Fn(&Document, usize, usize) -> Option<f32>,
    mut write: impl FnMut(&mut UiContext<'_>, usize, ValueChange<'_>),
) {
    let &NumberFields { owner, defs, part_count: count, subject, has_effect } = numbers;
    for (at, def) in defs.iter().enumerate() {
        let values: Vec<f32> = (0..count).filter_map(|i| value(cx.session().document(), i, at)).collect();
        let loaded: Vec<Option<f32>> = (0..count).map(|i| value(cx.session().loaded(), i, at)).collect();
        let field = FieldRow { owner, def, values: &values, loaded: &loaded, subject, has_effect, curve: None };
        field.show(ui, cx, |cx, change| write(cx, at, change));
    }
}

/// What the tuned solver adds to colliders.
fn solver_fields_ui(ui: &mut Ui, cx: &mut UiContext<'_>, ids: &[ColliderId], subject: u64, has_effect: bool) {
    let Some(side) = cx.session().inspection().collider_list_kind() else { return };
    for (field, def) in side.fields().iter().enumerate() {
        let extras = &cx.session().inspection().system().component_lists;
        let values: Vec<f32> = ids.iter().map(|id| extras.collider_field(*id, field)).collect();
        let owner = side.component_name();
        let label = EditLabel::new("component_number", ids.len()).name(i18n::field_label(cx.theme.lang, owner, def));
        let apply = |cx: &mut UiContext<'_>, change: &dyn Fn(usize, f32) -> f32| {
            // Nothing loaded is offered here, so that every value changes alike.
            let within = |old| clamped_to_range(def, old, change(0, old));
            if let Some(edit) = components::edit_collider_field(
                cx.session().document(),
                cx.session().inspection().system().solver,
                ids,
                field,
                within,
            ) {
                cx.command(Command::ApplyEdit(edit, label.clone()));
            }
        };
        if matches!(def.kind, ParamKind::Choice(_)) {
            if let Some(value) = choice_field(ui, cx, owner, def, &values) {
                apply(cx, &|_, _| value);
            }
            continue;
        }
        FieldRow { owner, def, values: &values, loaded: &[], subject, has_effect, curve: None }.show(ui, cx, apply);
    }
    hull_ui(ui, cx, ids, has_effect);
}

/// The mesh whose convex hull stands in place of the shape, where the solver knows such.
fn hull_ui(ui: &mut Ui, cx: &mut UiContext<'_>, ids: &[ColliderId], has_effect: bool) {
    let extras = &cx.session().inspection().system().component_lists;
    let corners: Vec<_> = ids.iter().map(|id| extras.hull(*id).map(|hull| hull.points().len())).collect();
    let Some(first) = corners.first().copied() else { return };
    if !cx.session().inspection().supports_hulls() && corners.iter().all(Option::is_none) {
        return;
    }
    let (title, doc, none) = (cx.tr("component.hull"), cx.tr("component.hull_hint"), cx.tr("component.hull_none"));
    let shown = match first {
        _ if corners.iter().any(|other| *other != first) => cx.tr("bar.mixed"),
        Some(n) => cx.tr_with("component.hull_is", &[("n", &n.to_string())]).into(),
        None => none.clone(),
    };
    let all = || {
        let meshes = cx.session().inspection().hull_mesh_choices(ids).into_iter().map(|(at, name)| (Some(at), name));
        std::iter::once((None, none.to_string())).chain(meshes).collect()
    };
    let picker =
        ChoicePicker { label: &title, tooltip: &doc, chosen_text: &shown, choices: &all, hint: "", has_effect };
    let Some(chosen) = picker.show(ui, cx) else { return };
    cx.command(Command::SetHull(ids.to_vec(), chosen));
}

/// The selected colliders of the same kind of shape.
pub(super) fn same_shape_colliders(cx: &UiContext<'_>, id: ColliderId) -> Vec<ColliderId> {
    let colliders = &cx.session().document().colliders;
    let kind = |id: ColliderId| colliders.get(&id).map(|c| (discriminant(&c.shape), c.shape.is_inside()));
    let of = |item: &SceneObject| if let SceneObject::Collider(id) = item { Some(*id) } else { None };
    same_kind_items(cx, id, of, kind)
}

pub(super) fn show_mesh(ui: &mut Ui, cx: &mut UiContext<'_>, id: ColliderId) {
    let Some(collider) = cx.session().document().colliders.get(&id).cloned() else { return };
    let title = cx.tr("item.mesh");
    CollapsibleSection { title: &title, note: "", switch: None }.show(ui, |ui| {
        let forgotten = matches!(collider.shape, ColliderShape::Sphere { inside: false, .. });
        let none = cx.tr("item.mesh_none");
        let all = || {
            let named = cx.session().character().meshes.iter().map(|m| (Some(m.name.clone()), m.name.clone()));
            std::iter::once((None, none.to_string())).chain(named).collect()
        };
        let doc = cx.tr("item.mesh_doc");
        let shown = collider.mesh_name.as_deref().unwrap_or(&none);
        let picker = ChoicePicker {
            label: &title,
            tooltip: &doc,
            chosen_text: shown,
            choices: &all,
            hint: "",
            has_effect: !forgotten,
        };
        if let Some(renderer) = picker.show(ui, cx) {
            let edit = elements::set_renderer(cx.session().document(), id, renderer);
            cx.command(Command::ApplyEdit(edit, EditLabel::new("link_part", 1).name(collider.name.clone())));
        }
        if forgotten {
            info_note(ui, &cx.tr("item.mesh_sphere"), LABEL_LEFT);
        } else if let Some(name) = &collider.mesh_name {
            mesh_visible_ui(ui, cx, name);
        }
    });
}

/// Whether Unity draws the mesh.
fn mesh_visible_ui(ui: &mut Ui, cx: &mut UiContext<'_>, name: &str) {
    let on = !cx.session().document().hidden_meshes.contains(name);
    let words = cx.tr_with("item.mesh_drawn", &[("name", name)]);
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), size::ROW), Sense::hover());
    let label = ElidedName::new(ui, &words, TextSize::Body, cx.theme.color.text, rect.width() - 50.0);
    let written = label.paint_left(ui.painter(), pos2(rect.left() + LABEL_LEFT, rect.center().y));
    label.with_tooltip(ui.interact(written, ui.scope_id().with("drawn"), Sense::hover()));
    let place = Rect::from_min_max(pos2(rect.right() - space::XXXL, rect.top() + 1.0), rect.max);
    if switch(&mut ui.new_child(UiBuilder::new().max_rect(place)), &words, on).clicked() {
        let edit = Edit::SetRendererEnabled { name: name.to_owned(), enabled: !on };
        cx.command(Command::ApplyEdit(edit, EditLabel::new("renderer", 1).name(name)));
    }
    if !on {
        info_note(ui, &cx.tr("item.mesh_off"), LABEL_LEFT);
    }
}

pub(super) fn show_force(ui: &mut Ui, cx: &mut UiContext<'_>, id: ForceId) {
    let Some(active) = cx.session().document().forces.get(&id).cloned() else { return };
    let alike = same_kind_forces(cx, id);
    let title = cx.tr("item.force");
    let out = CollapsibleSection { title: &title, note: "", switch: Some(active.enabled) }.show(ui, |ui| {
        if let ForceKind::Wind(wind) = active.kind {
            idle_wind_ui(ui, cx, &wind, &alike, &active.name);
        }
        let numbers = NumberFields {
            owner: active.kind.component_name(),
            defs: active.kind.fields(),
            part_count: alike.len(),
            subject: u64::from(id.0),
            has_effect: active.enabled,
        };
        let value = |document: &Document, i: usize, at: usize| {
            let kind = document.forces.get(&alike[i])?.kind;
            (discriminant(&kind) == discriminant(&active.kind)).then(|| kind.field(at))
        };
        number_fields_ui(ui, cx, &numbers, value, |cx, at, change| {
            let (low, high) = numbers.defs[at].range;
            write_forces(cx, &alike, &active.name, |i, kind| {
                kind.with_field(at, change(i, kind.field(at)).clamp(low, high))
            });
        });
        if let ForceKind::Wind(wind) = active.kind {
            ui.add_space(space::M);
            wind_plot::show(ui, cx, id, &wind);
        }
    });
    if out.switched {
        let chosen: Vec<ElementId> = alike.iter().map(|id| ElementId::Force(*id)).collect();
        set_enabled(cx, &chosen, !active.enabled, &active.name);
    }
}

/// Why a wind does not blow, and the one click that lets a fresh one.
fn idle_wind_ui(ui: &mut Ui, cx: &mut UiContext<'_>, wind: &Wind, alike: &[ForceId], name: &str) {
    if wind.blows() {
        return;
    }
    if wind.weight > 0.0 {
        info_note(ui, &cx.tr("item.wind_still"), 0.0);
        return;
    }
    info_note(ui, &cx.tr("item.wind_off"), 0.0);
    ui.add_space(space::XS);
    if primary(&cx.tr("item.wind_on")).icon(icons::WIND).width(ui.available_width()).show(ui).clicked() {
        write_forces(cx, alike, name, |_, kind| match kind {
            ForceKind::Wind(wind) => ForceKind::Wind(Wind { weight: 1.0, ..wind }),
            volume @ ForceKind::Volume { .. } => volume,
        });
    }
    ui.add_space(space::M);
}

fn write_forces(cx: &mut UiContext<'_>, ids: &[ForceId], name: &str, change: impl Fn(usize, ForceKind) -> ForceKind) {
    let document = cx.session().document();
    let edit = |(i, id): (usize, &ForceId)| {
        Some(elements::set_force_kind(document, *id, change(i, document.forces.get(id)?.kind)))
    };
    let edit = Edit::Batch(ids.iter().enumerate().filter_map(edit).collect());
    cx.command(Command::ApplyEdit(edit, EditLabel::new("force_part", ids.len()).name(name)));
}

/// The selected forces of the same kind.
fn same_kind_forces(cx: &UiContext<'_>, id: ForceId) -> Vec<ForceId> {
    let forces = &cx.session().document().forces;
    let kind = |id: ForceId| forces.get(&id).map(|f| discriminant(&f.kind));
    let of = |item: &SceneObject| if let SceneObject::Force(id) = item { Some(*id) } else { None };
    same_kind_items(cx, id, of, kind)
}

/// The selected items of one sort that are of the same kind as one of them.
fn same_kind_items<I: Copy, K: PartialEq>(
    cx: &UiContext<'_>,
    id: I,
    of: impl Fn(&SceneObject) -> Option<I>,
    kind: impl Fn(I) -> Option<K>,
) -> Vec<I> {
    let chosen = cx.session().selection().objects.iter().filter_map(of);
    chosen.filter(|other| kind(*other) == kind(id)).collect()
}

/// Switches parts on or off, as one step.
fn set_enabled(cx: &mut UiContext<'_>, parts: &[ElementId], on: bool, name: &str) {
    let edit = elements::set_enabled(cx.session().document(), parts, on);
    let what = if on { "enable_part" } else { "disable_part" };
    cx.command(Command::ApplyEdit(edit, EditLabel::new(what, parts.len()).name(name)));
}
