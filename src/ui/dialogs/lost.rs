//! Bones that a newer version of the character lacks: leads what is authored on them to other bones.

use super::dialog::{Dialog, DialogButton, DialogOutput, DialogResult, Seen};
use super::names::Names;
use crate::document::{Document, Edit, Label, Node, Tip};
use crate::rig::BoneId;
use crate::session::{Command, Session};
use crate::ui::Cx;
use egui::{Context, Rect, Ui};
use std::collections::BTreeMap;

/// Gone bones and where they lead.
#[derive(Debug)]
pub(super) struct Lost {
    /// In the order of the names.
    ids: Vec<BoneId>,
    names: Names,
    seen: Seen,
}

impl Lost {
    /// `None` where nothing is gone.
    pub(super) fn new(lost: Vec<(BoneId, String)>, session: &Session) -> Option<Self> {
        if lost.is_empty() {
            return None;
        }
        let (ids, names) = lost.into_iter().unzip();
        Some(Self { ids, names: Names::for_lost(names, session), seen: Seen::of(session) })
    }
}

impl Dialog for Lost {
    fn title_key(&self) -> &'static str {
        self.names.title_key()
    }

    fn note(&self, cx: &Cx<'_>) -> String {
        self.names.note(cx)
    }

    fn place(&self, ctx: &Context, cx: &Cx<'_>) -> Rect {
        self.names.place(ctx, cx)
    }

    fn refresh(&mut self, ctx: &Context, cx: &mut Cx<'_>) -> DialogResult {
        if !self.seen.same_character(cx.session()) {
            return DialogResult::Closed;
        }
        self.names.prepare(cx.tr("windows.lost.note").into_owned(), self.names.targets().flatten().count());
        self.names.refresh(ctx, cx)
    }

    fn body_ui(&mut self, ui: &mut Ui, cx: &mut Cx<'_>, out: &mut DialogOutput) {
        self.names.body_ui(ui, cx, out);
    }

    fn buttons(&self, cx: &Cx<'_>) -> Vec<DialogButton> {
        self.names.buttons(cx)
    }

    fn foot_note(&self, cx: &Cx<'_>) -> String {
        self.names.foot_note(cx)
    }

    fn overlay_ui(&mut self, ctx: &Context, cx: &mut Cx<'_>, out: &mut DialogOutput) {
        self.names.overlay_ui(ctx, cx, out);
    }

    fn apply(&mut self, cx: &mut Cx<'_>) -> DialogResult {
        let to: BTreeMap<BoneId, BoneId> =
            self.ids.iter().zip(self.names.targets()).filter_map(|(id, to)| Some((*id, to?))).collect();
        let edit = led_to(cx.session().document(), &to);
        cx.command(Command::Apply(edit, Label::new("import", to.len())));
        DialogResult::Closed
    }

    fn extra(&mut self, cx: &mut Cx<'_>) -> DialogResult {
        self.names.extra(cx)
    }

    fn close(&mut self, cx: &mut Cx<'_>) -> DialogResult {
        self.names.close(cx)
    }

    fn escape(&mut self) {
        self.names.escape();
    }
}

/// Puts other bones in place of some, wherever the document names them.
fn led_to(document: &Document, to: &BTreeMap<BoneId, BoneId>) -> Edit {
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
    use crate::document::{Chain, ChainId, Joint, Part};

    #[test]
    fn a_gone_bone_is_replaced_wherever_it_is_named() {
        let mut document = Document::default();
        let joints = vec![Joint { tip: Tip::Bone(BoneId(900)), ..Joint::new(BoneId(1)) }, Joint::new(BoneId(900))];
        document.setup.chains.insert(ChainId(0), Chain::new("hair", Part::Hair, document.main().table(), joints));
        let edit = led_to(&document, &BTreeMap::from([(BoneId(900), BoneId(2))]));
        document.apply(edit).expect("the bone is free");
        let chain = &document.chains[&ChainId(0)];
        assert_eq!((chain.joints[0].tip.clone(), chain.joints[1].bone), (Tip::Bone(BoneId(2)), BoneId(2)));
    }
}
