//! What the tuned joints keep their distance to, and the flags of joints.

use super::{Session, Values};
use crate::doc::{ChainId, Edit, Label, Node, lengths};
use crate::rig::{BoneId, Pose, WorldPose};
use crate::session::Item;
use glam::Vec3;
use std::collections::BTreeMap;

/// One node that tuned joints keep their distance to.
#[derive(Clone, Debug, PartialEq)]
pub struct LengthView {
    /// Which.
    pub node: Node,
    /// Its name.
    pub name: String,
    /// How many of the tuned joints are linked to it.
    pub joints: usize,
    /// From the tip of the active joint, or the first one that is linked, in the rest pose; metres.
    pub rest: Option<f32>,
    /// The same as shown now, metres.
    pub now: Option<f32>,
    /// That joint's own pull to it, 1/s²; `None` as the joint says.
    pub constant: Option<f32>,
}

impl Session {
    /// The joints that tuning reaches.
    pub fn target_bones(&self) -> Vec<(ChainId, BoneId)> {
        let targets = self.targets();
        let of = |id: &ChainId| self.document.chains[id].joints.iter().map(|j| j.bone).collect::<Vec<_>>();
        let whole = targets.chains.iter().flat_map(|id| of(id).into_iter().map(|bone| (*id, bone)));
        whole.chain(targets.joints.iter().copied()).collect()
    }

    /// What the tuned joints keep their distance to, each node once.
    pub fn length_targets(&self) -> Vec<LengthView> {
        let mut found: Vec<(LengthView, BoneId)> = Vec::new();
        let mut places: BTreeMap<Node, usize> = BTreeMap::new();
        for (_, joint, ..) in self.target_joints() {
            let is_active = self.selection.active == Some(joint.bone);
            for target in &joint.length_targets {
                let at = *places.entry(target.node).or_insert_with(|| {
                    let name = self.node_name(target.node);
                    let constant = target.constant;
                    let view = LengthView { node: target.node, name, joints: 0, rest: None, now: None, constant };
                    found.push((view, joint.bone));
                    found.len() - 1
                });
                found[at].0.joints += 1;
                if is_active {
                    found[at].1 = joint.bone;
                    found[at].0.constant = target.constant;
                }
            }
        }
        if found.is_empty() {
            return Vec::new();
        }
        let skeleton = &self.resolved.skeleton;
        let rest = WorldPose::of(skeleton, &Pose::rest(skeleton));
        let measured = |(mut view, bone): (LengthView, BoneId)| {
            view.rest = self.rest_tip(bone, &rest).and_then(|tip| self.distance(tip, view.node, &rest));
            view.now = self.shown_tip(bone).and_then(|tip| self.distance(tip, view.node, self.shown()));
            view
        };
        found.into_iter().map(measured).collect()
    }

    fn rest_tip(&self, bone: BoneId, rest: &WorldPose) -> Option<Vec3> {
        let offset = self.play.world().tip_offset(self.joint_index(bone)?)?;
        rest.frames.get(bone.index()).map(|frame| frame.position + frame.rotation * offset)
    }

    fn distance(&self, tip: Vec3, node: Node, pose: &WorldPose) -> Option<f32> {
        let bone = self.bone_of_node(node)?;
        pose.frames.get(bone.index()).map(|frame| frame.position.distance(tip))
    }

    fn bone_of_node(&self, node: Node) -> Option<BoneId> {
        match node {
            Node::Bone(bone) => Some(bone),
            Node::Helper(_) => self.resolved.bones.get(&node).copied(),
        }
    }

    fn node_name(&self, node: Node) -> String {
        match node {
            Node::Bone(bone) => self.bone_name(bone).to_owned(),
            Node::Helper(id) => self.document.helpers.get(&id).map(|h| h.name.clone()).unwrap_or_default(),
        }
    }

    /// The selected joints that are linked, and what they can be linked to: all that is selected, helpers too.
    fn linkable(&self) -> (Vec<(ChainId, BoneId)>, Vec<Node>) {
        let bones = &self.selection.bones;
        let joints = bones.iter().filter_map(|b| self.resolved.index.get(b).map(|(id, _)| (*id, *b))).collect();
        let helpers = self.selection.items.iter().filter_map(|item| match item {
            Item::Helper(id) => Some(Node::Helper(*id)),
            Item::Collider(_) | Item::Force(_) => None,
        });
        (joints, bones.iter().map(|b| Node::Bone(*b)).chain(helpers).collect())
    }

    /// Whether selected joints can be linked to what else is selected.
    pub fn can_link_lengths(&self) -> bool {
        let (joints, nodes) = self.linkable();
        lengths::can_link(&self.document, &joints, &nodes)
    }

    /// An edit that lets every selected joint keep its distance to all else that is selected; `None` where that
    /// changes nothing.
    pub fn link_lengths(&self) -> Option<(Edit, Label)> {
        let (joints, nodes) = self.linkable();
        let edit = lengths::link(&self.document, &joints, &nodes)?;
        Some((edit, Label::new("link_lengths", joints.len())))
    }

    /// The active bone, where other selected joints can be linked to it.
    pub fn can_link_to_active(&self) -> Option<BoneId> {
        let active = self.selection.active?;
        let (mut joints, _) = self.linkable();
        joints.retain(|j| j.1 != active);
        lengths::can_link(&self.document, &joints, &[Node::Bone(active)]).then_some(active)
    }

    /// An edit that lets every other selected joint keep its distance to the active bone; `None` where that changes
    /// nothing.
    pub fn link_lengths_to_active(&self) -> Option<(Edit, Label)> {
        let active = self.selection.active?;
        let (mut joints, _) = self.linkable();
        joints.retain(|j| j.1 != active);
        let edit = lengths::link(&self.document, &joints, &[Node::Bone(active)])?;
        Some((edit, Label::new("link_length", joints.len()).name(self.bone_name(active))))
    }

    /// An edit that lets the tuned joints forget their distance to a node.
    pub fn unlink_length(&self, node: Node) -> Option<(Edit, Label)> {
        let edit = lengths::unlink(&self.document, &self.target_bones(), node)?;
        Some((edit, Label::new("unlink_length", 1).name(self.node_name(node))))
    }

    /// An edit that gives the tuned joints' distance to a node a pull of its own, 1/s², or takes it away.
    pub fn set_length_pull(&self, node: Node, constant: Option<f32>) -> Option<(Edit, Label)> {
        let edit = lengths::set_constant(&self.document, &self.target_bones(), node, constant)?;
        Some((edit, Label::new("length_pull", 1).name(self.node_name(node))))
    }

    /// Whether the tuned joints are simulated, and whether a program flags them as animated; 0 or 1.
    pub fn flags(&self) -> [Values; 2] {
        let of = |flag: fn(&crate::doc::Joint) -> bool| {
            Values::of(self.target_joints().map(|(_, joint, ..)| f32::from(u8::from(flag(joint)))))
        };
        [of(|j| j.enabled), of(|j| j.animated)]
    }

    /// An edit that flags the tuned joints as animated, or not.
    pub fn flag_animated(&self, animated: bool) -> Option<(Edit, Label)> {
        let joints = self.target_bones();
        let edit = lengths::set_animated(&self.document, &joints, animated)?;
        Some((edit, Label::new(if animated { "flag_animated" } else { "unflag_animated" }, joints.len())))
    }
}
