//! The numbers of a collider's shape, and its switch.

use super::rows::{Field, LABEL_LEFT};
use crate::doc::parts::{self, PartId};
use crate::doc::{ColliderId, Edit, Label};
use crate::session::{Command, Item};
use crate::sim::solver;
use crate::ui::widgets::param_row::note;
use crate::ui::widgets::section::Section;
use crate::ui::{Cx, Lit, words};
use egui::Ui;
use std::mem::discriminant;

pub(super) fn show(ui: &mut Ui, cx: &mut Cx<'_>, id: ColliderId) {
    let Some(active) = cx.session().document().colliders.get(&id).cloned() else { return };
    let alike = alike(cx, id);
    let title = cx.tr("item.shape");
    let kind = cx.session().system().solver;
    let is_known = solver::knows(kind, &active.shape);
    let out = Section { title: &title, fact: "", switch: Some(active.enabled) }.show(ui, |ui| {
        if !is_known {
            let name = words::solver_name(cx.theme.lang, kind);
            note(ui, &cx.tr_with("parts.unknown_shape", &[("solver", &name)]), LABEL_LEFT);
        }
        for (at, def) in active.shape.fields().iter().enumerate() {
            let document = cx.session().document();
            let values: Vec<f32> =
                alike.iter().filter_map(|id| document.colliders.get(id)).map(|c| c.shape.field(at)).collect();
            let loaded = cx.session().loaded().colliders.get(&id).map(|c| c.shape);
            let loaded = loaded.filter(|s| discriminant(s) == discriminant(&active.shape)).map(|s| s.field(at));
            let owner = active.shape.name();
            let field = Field {
                owner,
                def,
                values: &values,
                loaded,
                subject: u64::from(id.0),
                has_effect: active.enabled && is_known,
            };
            field.show(ui, cx, |cx, change| {
                let document = cx.session().document();
                let edit = |id: &ColliderId| {
                    let shape = document.colliders.get(id)?.shape;
                    let value = change(shape.field(at)).max(def.range.0);
                    Some(parts::put_shape(document, *id, shape.with_field(at, value)))
                };
                let edit = Edit::Batch(alike.iter().filter_map(edit).collect());
                cx.command(Command::Apply(edit, Label::new("size_part", alike.len()).name(active.name.clone())));
            });
        }
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

/// The selected colliders of the same kind of shape.
pub(super) fn alike(cx: &Cx<'_>, id: ColliderId) -> Vec<ColliderId> {
    let document = cx.session().document();
    let kind = |id: &ColliderId| document.colliders.get(id).map(|c| discriminant(&c.shape));
    let chosen = cx.session().selection().items.iter().filter_map(|item| match item {
        Item::Collider(other) => Some(*other),
        _ => None,
    });
    chosen.filter(|other| kind(other) == kind(&id)).collect()
}
