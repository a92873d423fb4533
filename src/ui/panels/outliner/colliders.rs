//! The list of colliders: what pushes, and where it hangs.

use super::{list, nothing_ui};
use crate::doc::names::Pattern;
use crate::doc::{ColliderId, Document, Node};
use crate::rig::BoneId;
use crate::session::{Command, Item, Pick};
use crate::sim::Shape;
use crate::ui::Cx;
use crate::ui::icons;
use crate::ui::widgets::tree_row::{Chosen, Mark, TreeRow};
use egui::Ui;

/// Draws it; returns the bone that the collider under the pointer hangs on.
pub(super) fn show(ui: &mut Ui, cx: &mut Cx<'_>, pattern: &Pattern) -> Option<BoneId> {
    let document = cx.session().document();
    let skeleton = &cx.session().character().skeleton;
    let found = |(id, c): (&ColliderId, &crate::doc::Collider)| {
        let bone = bone_of(document, c.node);
        let bone_name = bone.filter(|b| b.index() < skeleton.len()).map(|b| skeleton.name(b)).unwrap_or_default();
        (pattern.matches(&c.name) || pattern.matches(bone_name)).then_some((*id, bone, bone_name))
    };
    let rows: Vec<_> = document.colliders.iter().filter_map(found).collect();
    if rows.is_empty() {
        let key = if document.colliders.is_empty() { "outliner.no_colliders" } else { "outliner.none_found" };
        nothing_ui(ui, cx, key);
    }
    let mut hovered = None;
    list::rows(ui, "colliders", rows.len(), None, |ui, at| {
        let (id, bone, bone_name) = rows[at];
        let collider = &document.colliders[&id];
        let icon = match collider.shape {
            Shape::Sphere { .. } | Shape::InsideSphere { .. } => icons::CIRCLE,
            Shape::Capsule { .. } | Shape::InsideCapsule { .. } => icons::PILL,
            Shape::Panel { .. } | Shape::Plane => icons::RECTANGLE,
        };
        let item = Item::Collider(id);
        let chosen = cx.session().selection().items.contains(&item);
        let output = TreeRow {
            chosen: if chosen { Chosen::Active } else { Chosen::No },
            note: bone_name,
            ..TreeRow::new(&collider.name, 0, Mark::Icon(icon))
        }
        .show(ui, id.0);
        if output.response.hovered() {
            hovered = bone;
        }
        if output.response.clicked() {
            let (items, pick) = if chosen { (Vec::new(), Pick::Replace) } else { (vec![item], Pick::Replace) };
            cx.command(Command::SelectItems(items, pick));
        }
        output.response.on_hover_text(size_words(cx, collider.shape));
    });
    hovered
}

/// "Capsule, 40 mm, 120 mm long".
fn size_words(cx: &Cx<'_>, shape: Shape) -> String {
    let mm = |metres: f32| format!("{:.0}", metres * 1000.0);
    match shape {
        Shape::Sphere { radius } => cx.tr_with("outliner.sphere", &[("r", &mm(radius))]),
        Shape::Capsule { radius, height } => cx.tr_with("outliner.capsule", &[("r", &mm(radius)), ("h", &mm(height))]),
        Shape::Panel { width, height } => cx.tr_with("outliner.panel", &[("w", &mm(width)), ("h", &mm(height))]),
        Shape::InsideSphere { radius } => cx.tr_with("outliner.inside_sphere", &[("r", &mm(radius))]),
        Shape::InsideCapsule { radius, height } => {
            cx.tr_with("outliner.inside_capsule", &[("r", &mm(radius)), ("h", &mm(height))])
        }
        Shape::Plane => cx.tr("outliner.plane").into_owned(),
    }
}

/// The bone of the file that a node hangs on.
fn bone_of(document: &Document, node: Node) -> Option<BoneId> {
    let mut node = node;
    // A helper below itself is refused by the document; this ends all the same.
    for _ in 0..=document.helpers.len() {
        match node {
            Node::Bone(bone) => return Some(bone),
            Node::Helper(id) => node = document.helpers.get(&id)?.parent,
        }
    }
    None
}
