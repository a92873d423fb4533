//! Bones that a newer version of the character lacks: leads what is authored on them to other bones.

use super::dialog::{Dialog, DialogButton, DialogOutput, DialogResult, SessionSnapshot};
use super::map_names::MapNamesDialog;
use crate::document::{Document, Edit, EditLabel, Node, Tip};
use crate::rig::BoneId;
use crate::session::{Command, Session};
use crate::ui::UiContext;
use egui::{Context, Rect, Ui};
use std::collections::BTreeMap;

/// Gone bones and where they lead.
#[derive(Debug)]
pub(super) struct MissingBonesDialog {
    /// In the order of the names.
    ids: Vec<BoneId>,
    map_names: MapNamesDialog,
    snapshot: SessionSnapshot,
}

impl MissingBonesDialog {
    /// `None` where nothing is gone.
    pub(super) fn new(lost: Vec<(BoneId, String)>, session: &Session) -> Option<Self> {
        if lost.is_empty() {
            return None;
        }
        let (ids, names) = lost.into_iter().unzip();
        Some(Self {
            ids,
            map_names: MapNamesDialog::for_missing_bones(names, session),
            snapshot: SessionSnapshot::of(session),
        })
    }
}

impl Dialog for MissingBonesDialog {
    fn title_key(&self) -> &'static str {
        self.map_names.title_key()
    }

    fn subtitle(&self, cx: &UiContext<'_>) -> String {
        self.map_names.subtitle(cx)
    }

    fn window_rect(&self, ctx: &Context, cx: &UiContext<'_>) -> Rect {
        self.map_names.window_rect(ctx, cx)
    }

    fn refresh(&mut self, ctx: &Context, cx: &mut UiContext<'_>) -> DialogResult {
        if !self.snapshot.same_character(cx.session()) {
            return DialogResult::Closed;
        }
        self.map_names.set_summary(cx.tr("windows.lost.note").into_owned(), self.map_names.targets().flatten().count());
        self.map_names.refresh(ctx, cx)
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, out: &mut DialogOutput) {
        self.map_names.body_ui(ui, cx, out);
    }

    fn buttons(&self, cx: &UiContext<'_>) -> Vec<DialogButton> {
        self.map_names.buttons(cx)
    }

    fn footer_note(&self, cx: &UiContext<'_>) -> String {
        self.map_names.footer_note(cx)
    }

    fn overlay_ui(&mut self, ctx: &Context, cx: &mut UiContext<'_>, out: &mut DialogOutput) {
        self.map_names.overlay_ui(ctx, cx, out);
    }

    fn apply(&mut self, cx: &mut UiContext<'_>) -> DialogResult {
        let to: BTreeMap<BoneId, BoneId> =
            self.ids.iter().zip(self.map_names.targets()).filter_map(|(id, to)| Some((*id, to?))).collect();
        let edit = replace_bones(cx.session().document(), &to);
        cx.command(Command::ApplyEdit(edit, EditLabel::new("import", to.len())));
        DialogResult::Closed
    }

    fn secondary_action(&mut self, cx: &mut UiContext<'_>) -> DialogResult {
        self.map_names.secondary_action(cx)
    }

    fn close(&mut self, cx: &mut UiContext<'_>) -> DialogResult {
        self.map_names.close(cx)
    }

    fn cancel_text_edit(&mut self) {
        self.map_names.cancel_text_edit();
    }
}

/// Puts other bones in place of some, wherever the document names them.
fn replace_bones(document: &Document, to: &BTreeMap<BoneId, BoneId>) -> Edit {
    let lead = |bone: &mut BoneId| {
        let other = to.get(bone).copied();
        *bone = other.unwrap_or(*bone);
        other.is_some()
    };
    let lead_node = |node: &mut Node| match node {
        Node::Bone(bone) => lead(bone),
        Node::Helper(_) => false,
    };
    let mut edits = Vec::new();
    for (id, helper) in &document.helpers {
        let mut helper = helper.clone();
        if lead_node(&mut helper.parent) {
            edits.push(Edit::PutHelper { id: *id, helper: Some(helper) });
        }
    }
    for (id, collider) in &document.colliders {
        let mut collider = collider.clone();
        if lead_node(&mut collider.node) {
            edits.push(Edit::PutCollider { id: *id, collider: Some(collider) });
        }
    }
    for (id, chain) in &document.chains {
        let mut chain = chain.clone();
        let mut changed = chain.center.as_mut().is_some_and(lead_node);
        for joint in &mut chain.joints {
            changed |= lead(&mut joint.bone);
            if let Tip::Bone(bone) = &mut joint.tip {
                changed |= lead(bone);
            }
            changed |= joint.pivot.as_mut().is_some_and(lead_node);
        }
        if changed {
            edits.push(Edit::PutChain { id: *id, chain: Some(Box::new(chain)) });
        }
    }
    for (id, gesture) in &document.gestures {
        let mut gesture = gesture.clone();
        if lead(&mut gesture.bone) {
            edits.push(Edit::PutGesture { id: *id, gesture: Some(gesture) });
        }
    }
    Edit::Batch(edits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Chain, ChainId, ChainPart, Joint};

    #[test]
    fn a_missing_bone_is_replaced_in_every_reference() {
        let mut document = Document::default();
        let joints = vec![Joint { tip: Tip::Bone(BoneId(900)), ..Joint::new(BoneId(1)) }, Joint::new(BoneId(900))];
        document
            .setup
            .chains
            .insert(ChainId(0), Chain::new("hair", ChainPart::Hair, document.main_system().param_defs(), joints));
        let edit = replace_bones(&document, &BTreeMap::from([(BoneId(900), BoneId(2))]));
        document.apply(edit).expect("the bone is free");
        let chain = &document.chains[&ChainId(0)];
        assert_eq!((chain.joints[0].tip.clone(), chain.joints[1].bone), (Tip::Bone(BoneId(2)), BoneId(2)));
    }
}
