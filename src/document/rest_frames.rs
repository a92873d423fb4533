//! Where bones and helpers stand in the rest pose, for tools that measure and place things there.
//!
//! Unlike [`Document::resolve`](crate::document::Document::resolve) it makes no skeleton and no setup; it only reads.

use crate::document::{Document, HelperId, Joint, Node, Tip};
use crate::math::{Frame, Trs};
use crate::rig::{BoneId, Pose, Skeleton, WorldPose};
use glam::{Quat, Vec3};
use std::collections::BTreeMap;

/// World frames of the rest pose.
#[derive(Clone, Debug)]
pub struct RestFrames {
    rest: WorldPose,
    helpers: BTreeMap<HelperId, Frame>,
}

impl RestFrames {
    /// Of all bones, and of the helpers that hang on bones that are there.
    pub fn of(document: &Document, skeleton: &Skeleton) -> Self {
        let rest = WorldPose::from_pose(skeleton, &Pose::rest(skeleton));
        let mut stance = Self { rest, helpers: BTreeMap::new() };
        loop {
            let before = stance.helpers.len();
            for (id, helper) in &document.helpers {
                if let (false, Some(parent)) = (stance.helpers.contains_key(id), stance.frame(helper.parent)) {
                    stance.helpers.insert(*id, parent.child(&helper.local));
                }
            }
            if stance.helpers.len() == before {
                return stance;
            }
        }
    }

    /// The bones' frames alone.
    pub const fn rest(&self) -> &WorldPose {
        &self.rest
    }

    /// `None` for a node that is not there.
    pub fn frame(&self, node: Node) -> Option<Frame> {
        match node {
            Node::Bone(bone) => self.rest.frames.get(bone.index()).copied(),
            Node::Helper(id) => self.helpers.get(&id).copied(),
        }
    }

    /// Metres in the world.
    pub fn position(&self, node: Node) -> Option<Vec3> {
        self.frame(node).map(|f| f.position)
    }

    /// A bone's head, metres in the world.
    pub fn head(&self, bone: BoneId) -> Option<Vec3> {
        self.position(Node::Bone(bone))
    }

    /// A joint's tip, metres in the world: as it says, or as the engine finds it.
    pub fn tip(&self, skeleton: &Skeleton, joint: &Joint) -> Option<Vec3> {
        self.head(joint.bone)?;
        Some(crate::document::measure::tip_position(skeleton, &self.rest, joint))
    }

    /// What a child of `parent` must have as its own transform to stand so in the world.
    pub fn local_transform_in(&self, parent: Node, position: Vec3, rotation: Quat, scale: Vec3) -> Option<Trs> {
        let frame = self.frame(parent)?;
        let rotation = (frame.rotation.inverse() * rotation).normalize();
        let local = Trs { translation: frame.inverse_transform_point(position), rotation, scale };
        local.is_finite().then_some(local)
    }

    /// Metres from the lowest to the highest bone; 1 where there is no such thing.
    pub fn height(&self) -> f32 {
        let ys = || self.rest.frames.iter().map(|f| f.position.y).filter(|y| y.is_finite());
        let (low, high) = (ys().fold(f32::MAX, f32::min), ys().fold(f32::MIN, f32::max));
        if high > low { high - low } else { 1.0 }
    }
}

/// The bone of the file that a node is or hangs on.
pub fn bone_of_node(document: &Document, node: Node) -> Option<BoneId> {
    let mut node = node;
    // The document refuses helpers below themselves; this ends all the same.
    for _ in 0..=document.helpers.len() {
        match node {
            Node::Bone(bone) => return Some(bone),
            Node::Helper(id) => node = document.helpers.get(&id)?.parent,
        }
    }
    None
}

/// Where a joint's tip leads: the bone that stands at it, or `None` where only a point does.
pub fn tip_bone(skeleton: &Skeleton, joint: &Joint) -> Option<BoneId> {
    let there = |bone: &BoneId| bone.index() < skeleton.len();
    match joint.tip {
        Tip::Bone(bone) => Some(bone).filter(there),
        Tip::Offset(_) => None,
        Tip::Children => match there(&joint.bone).then(|| skeleton.children(joint.bone)) {
            Some([only]) => Some(*only),
            _ => None,
        },
    }
}
