//! The mesh that a collider goes with.

use super::pick::Picker;
use super::rows::LABEL_LEFT;
use crate::doc::parts;
use crate::doc::{ColliderId, Edit, Label};
use crate::session::Command;
use crate::sim::Shape;
use crate::ui::Cx;
use crate::ui::theme::Text;
use crate::ui::tokens::size;
use crate::ui::widgets::name::Name;
use crate::ui::widgets::param_row::note;
use crate::ui::widgets::section::Section;
use crate::ui::widgets::toggle::switch;
use egui::{Rect, Sense, Ui, UiBuilder, pos2, vec2};

pub(super) fn show(ui: &mut Ui, cx: &mut Cx<'_>, id: ColliderId) {
    let Some(collider) = cx.session().document().colliders.get(&id).cloned() else { return };
    let title = cx.tr("item.mesh");
    Section { title: &title, fact: "", switch: None }.show(ui, |ui| {
        let forgotten = matches!(collider.shape, Shape::Sphere { inside: false, .. });
        let none = cx.tr("item.mesh_none");
        let all = || {
            let named = cx.session().character().meshes.iter().map(|m| (Some(m.name.clone()), m.name.clone()));
            std::iter::once((None, none.to_string())).chain(named).collect()
        };
        let doc = cx.tr("item.mesh_doc");
        let shown = collider.renderer.as_deref().unwrap_or(&none);
        let picker = Picker { label: &title, doc: &doc, shown, all: &all, hint: "", has_effect: !forgotten };
        if let Some(renderer) = picker.show(ui, cx) {
            let edit = parts::link(cx.session().document(), id, renderer);
            cx.command(Command::Apply(edit, Label::new("link_part", 1).name(collider.name.clone())));
        }
        if forgotten {
            note(ui, &cx.tr("item.mesh_sphere"), LABEL_LEFT);
        } else if let Some(name) = &collider.renderer {
            drawn_ui(ui, cx, name);
        }
    });
}

/// Whether Unity draws the mesh.
fn drawn_ui(ui: &mut Ui, cx: &mut Cx<'_>, name: &str) {
    let on = !cx.session().document().renderers_off.contains(name);
    let words = cx.tr_with("item.mesh_drawn", &[("name", name)]);
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), size::ROW), Sense::hover());
    let label = Name::new(ui, &words, Text::Body, cx.theme.color.text, rect.width() - 50.0);
    let written = label.paint_left(ui.painter(), pos2(rect.left() + LABEL_LEFT, rect.center().y));
    label.tip(ui.interact(written, ui.scope_id().with("drawn"), Sense::hover()));
    let place = Rect::from_min_max(pos2(rect.right() - 32.0, rect.top() + 1.0), rect.max);
    if switch(&mut ui.new_child(UiBuilder::new().max_rect(place)), &words, on).clicked() {
        let edit = Edit::SetRenderer { name: name.to_owned(), on: !on };
        cx.command(Command::Apply(edit, Label::new("renderer", 1).name(name)));
    }
    if !on {
        note(ui, &cx.tr("item.mesh_off"), LABEL_LEFT);
    }
}
