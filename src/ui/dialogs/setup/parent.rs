//! Set parent: hangs the selected helpers and the nodes of selected colliders and forces on a bone, where they stand.

use super::{Deed, Stays, footer_ui, padded, sentence};
use crate::doc::names::fold;
use crate::doc::{HelperId, Label, Node, tidy};
use crate::rig::{BoneId, Character};
use crate::session::{Command, Item, Session};
use crate::ui::Cx;
use crate::ui::dialogs::{grid, place};
use crate::ui::kit::frame;
use crate::ui::kit::icons::{self, paint_icon};
use crate::ui::kit::search::search_field;
use crate::ui::kit::tokens::{SPACE, size};
use egui::{Context, Ui};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What was typed and chosen.
#[derive(Debug, Default)]
pub(in crate::ui::dialogs) struct Parent {
    search: String,
    chosen: Option<BoneId>,
    /// Whose bones are listed: another version of it gives their numbers to others.
    character: Option<Arc<Character>>,
    shown: bool,
    hovered: bool,
}

/// The helpers that are selected, or carry what is.
pub(in crate::ui) fn meant(session: &Session) -> BTreeSet<HelperId> {
    let document = session.document();
    let of = |item: &Item| {
        let node = match item {
            Item::Helper(id) => Some(Node::Helper(*id)),
            Item::Collider(id) => document.colliders.get(id).map(|c| c.node),
            Item::Force(id) => document.forces.get(id).map(|f| f.node),
        };
        match node? {
            Node::Helper(id) => Some(id),
            Node::Bone(_) => None,
        }
    };
    session.selection().items.iter().filter_map(of).collect()
}

impl Parent {
    pub(in crate::ui::dialogs) fn show(&mut self, ctx: &Context, cx: &mut Cx<'_>) -> (String, Stays) {
        let helpers = meant(cx.session());
        let character = cx.session().character();
        if !self.character.as_ref().is_some_and(|c| Arc::ptr_eq(c, character)) {
            self.character = Some(Arc::clone(character));
            self.chosen = None;
        }
        let title = cx.tr("parent.title").into_owned();
        let at = place(ctx, 0.3, [380.0, 420.0], 520.0);
        let (mut deed, mut hovered) = (None, None);
        let mut both = (&mut *self, &mut *cx);
        let out = frame::window(
            ctx,
            &title,
            "",
            at,
            &mut both,
            |ui, (parent, cx)| hovered = parent.body_ui(ui, cx, helpers.len()),
            |ui, (parent, cx)| {
                let possible = parent.chosen.is_some() && !helpers.is_empty();
                deed = footer_ui(ui, cx, &cx.theme.count("parent.apply", helpers.len()), possible);
            },
        );
        if hovered.is_some() || self.hovered {
            cx.command(Command::Hover(hovered));
        }
        self.hovered = hovered.is_some();
        let keys = out.closed.then_some(Deed::Close).or(out.applied.then_some(Deed::Apply));
        let stays = match (deed.or(keys), self.chosen) {
            (Some(Deed::Apply), Some(bone)) => {
                let (document, skeleton) = (cx.session().document(), &cx.session().character().skeleton);
                let tidy = tidy::set_parent(document, skeleton, &helpers, Node::Bone(bone));
                let label = Label::new("set_parent", tidy.helpers).name(skeleton.name(bone)).told();
                cx.command(Command::Apply(tidy.edit, label));
                Stays::Closed
            }
            (Some(Deed::Close), _) => Stays::Closed,
            _ => Stays::Open,
        };
        if stays == Stays::Closed && self.hovered {
            cx.command(Command::Hover(None));
        }
        (title, stays)
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &Cx<'_>, helpers: usize) -> Option<BoneId> {
        padded(ui, |ui| {
            ui.spacing_mut().item_spacing.y = SPACE[2];
            let key = if helpers == 0 { "parent.select_first" } else { "parent.sentence" };
            sentence(ui, cx, &cx.tr(key));
            let width = ui.available_width();
            let field = search_field(ui, &mut self.search, &cx.tr("windows.names.search_bone"), width);
            if !std::mem::replace(&mut self.shown, true) {
                field.request_focus();
            }
        });
        let skeleton = &cx.session().character().skeleton;
        let wanted = fold(&self.search);
        let fits = |b: &BoneId| wanted.is_empty() || fold(skeleton.name(*b)).contains(&wanted);
        let bones: Vec<BoneId> = skeleton.ids().filter(fits).collect();
        let mut hovered = None;
        let height = ui.available_height().max(size::ROW_TABLE);
        grid::body(ui, "parents", height, bones.len(), None, |ui, at| {
            let bone = bones[at];
            let name = skeleton.name(bone);
            let chosen = self.chosen == Some(bone);
            let (rect, response) = grid::row(ui, name, chosen);
            let c = cx.theme.color;
            let ink = if chosen { c.selection_text } else { c.text };
            paint_icon(ui.painter(), rect.left_center() + egui::vec2(24.0, 0.0), icons::BONE, 14.0, c.text_3);
            grid::name(ui, rect, 40.0, rect.width() - 52.0, name, ink);
            if response.hovered() {
                hovered = Some(bone);
            }
            if response.clicked() {
                self.chosen = Some(bone);
            }
        });
        hovered
    }
}
