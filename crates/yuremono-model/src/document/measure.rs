//! Measures lengths, extents and frames of bones and helpers in the rest pose.

use crate::document::{Chain, Document, HelperId, Joint, Node, Tip};
use glam::{Quat, Vec3};
use std::collections::BTreeMap;
use yuremono_sim::math::{Frame, Trs};
use yuremono_sim::rig::{BoneId, Pose, Skeleton, WorldPose};

/// Length of a leaf if its chain has no other bone, in metres.
const DEFAULT_LEAF_LENGTH: f32 = 0.07;

/// Returns the distance from a joint's head to its tip in the rest pose in metres, or 0 if it is unknown.
pub fn joint_length(joint: &Joint, skeleton: &Skeleton, rest: &WorldPose) -> f32 {
    let Some(frame) = rest.frames.get(joint.bone.index()) else { return 0.0 };
    let to = |point: Vec3| frame.position.distance(point);
    match &joint.tip {
        Tip::Offset(offset) => to(frame.transform_point(*offset)),
        Tip::Bone(bone) => rest.frames.get(bone.index()).map_or(0.0, |f| to(f.position)),
        Tip::Children => {
            let children = skeleton.children(joint.bone);
            let sum: f32 = children.iter().map(|c| to(rest.frame(*c).position)).sum();
            if children.is_empty() { 0.0 } else { sum / children.len() as f32 }
        }
    }
}

/// Returns the authored tip, or else the child, the mean of several children, or a point 0.1 m along the bone.
pub fn tip_position(skeleton: &Skeleton, rest: &WorldPose, joint: &Joint) -> Vec3 {
    let frame = rest.frame(joint.bone);
    match &joint.tip {
        Tip::Offset(offset) => frame.transform_point(*offset),
        Tip::Bone(bone) if bone.index() < skeleton.len() => rest.frame(*bone).position,
        Tip::Bone(_) | Tip::Children => match skeleton.children(joint.bone) {
            [] => frame.position + frame.rotation * Vec3::X * 0.1,
            children => children.iter().map(|c| rest.frame(*c).position).sum::<Vec3>() / children.len() as f32,
        },
    }
}

/// Returns [`joint_length`] for all joints, but never 0. A leaf has the length `leaf`, or the mean length of the other
/// bones.
pub(crate) fn nonzero_joint_lengths(
    chain: &Chain,
    skeleton: &Skeleton,
    rest: &WorldPose,
    leaf: Option<f32>,
) -> Vec<f32> {
    let lengths: Vec<f32> = chain.joints.iter().map(|j| joint_length(j, skeleton, rest)).collect();
    let mean = mean_of_positive(&lengths);
    let leaf = leaf.unwrap_or(if mean > 0.0 { mean } else { DEFAULT_LEAF_LENGTH });
    lengths.into_iter().map(|l| if l.is_finite() && l > 0.0 { l } else { leaf }).collect()
}

/// Returns the tip of a joint in world space. The tip of a leaf is `length` metres away in the direction of the parent
/// bone. Returns `None` if the parent bone has no direction.
pub(crate) fn estimated_tip_position(
    joint: &Joint,
    length: f32,
    skeleton: &Skeleton,
    rest: &WorldPose,
) -> Option<Vec3> {
    let frame = rest.frames.get(joint.bone.index())?;
    if joint.tip != Tip::Children || !skeleton.children(joint.bone).is_empty() {
        return Some(tip_position(skeleton, rest, joint));
    }
    let above = rest.frames.get(skeleton.get_parent(joint.bone)?.index())?;
    Some(frame.position + (frame.position - above.position).try_normalize()? * length)
}

/// Returns the sum of squared distances from each joint's head to the tips of its descendants, in m². `lengths` is the
/// result of [`nonzero_joint_lengths`].
pub(crate) fn unit_mass_inertias(chain: &Chain, lengths: &[f32], skeleton: &Skeleton, rest: &WorldPose) -> Vec<f32> {
    let joints = || chain.joints.iter().zip(lengths).enumerate();
    let tips: Vec<Option<Vec3>> =
        joints().map(|(_, (j, length))| estimated_tip_position(j, *length, skeleton, rest)).collect();
    let mut inertias = vec![0.0; chain.joints.len()];
    for (at, (joint, _)) in joints() {
        let Some(tip) = tips[at] else { continue };
        // Parents precede their children.
        for (above, parent) in chain.joints[..at].iter().enumerate() {
            let Some(frame) = rest.frames.get(parent.bone.index()) else { continue };
            if skeleton.is_known_ancestor(parent.bone, joint.bone) {
                inertias[above] += frame.position.distance_squared(tip);
            }
        }
    }
    inertias.into_iter().map(|square: f32| if square.is_finite() { square } else { 0.0 }).collect()
}

/// Returns the largest extent of all bones along an axis, in metres.
pub(crate) fn max_extent(rest: &WorldPose) -> f32 {
    let (low, high) = rest
        .frames
        .iter()
        .map(|f| f.position)
        .filter(|p| p.is_finite())
        .fold((Vec3::splat(f32::MAX), Vec3::splat(f32::MIN)), |(low, high), p| (low.min(p), high.max(p)));
    (high - low).max_element().max(0.0)
}

/// Returns the mean of the positive lengths, or 0 if there are none.
pub(crate) fn mean_of_positive(lengths: &[f32]) -> f32 {
    let known = || lengths.iter().copied().filter(|l| l.is_finite() && *l > 0.0);
    known().sum::<f32>() / known().count().max(1) as f32
}

/// World frames of the rest pose.
#[derive(Clone, Debug)]
pub struct RestFrames {
    rest: WorldPose,
    helpers: BTreeMap<HelperId, Frame>,
}

impl RestFrames {
    /// Computes the frames of all bones, and of helpers with an existing parent.
    pub fn of(document: &Document, skeleton: &Skeleton) -> Self {
        let rest = WorldPose::from_pose(skeleton, &Pose::rest(skeleton));
        let mut rest_frames = Self { rest, helpers: BTreeMap::new() };
        loop {
            let before = rest_frames.helpers.len();
            for (id, helper) in &document.helpers {
                if let (false, Some(parent)) = (rest_frames.helpers.contains_key(id), rest_frames.frame(helper.parent))
                {
                    rest_frames.helpers.insert(*id, parent.child(&helper.local));
                }
            }
            if rest_frames.helpers.len() == before {
                return rest_frames;
            }
        }
    }

    pub const fn rest(&self) -> &WorldPose {
        &self.rest
    }

    /// Returns the frame of a node, or `None` if the node is missing.
    pub fn frame(&self, node: Node) -> Option<Frame> {
        match node {
            Node::Bone(bone) => self.rest.frames.get(bone.index()).copied(),
            Node::Helper(id) => self.helpers.get(&id).copied(),
        }
    }

    /// Returns the position of a node in world space, in metres.
    pub fn position(&self, node: Node) -> Option<Vec3> {
        self.frame(node).map(|f| f.position)
    }

    /// Returns the head of a bone in world space, in metres.
    pub fn head(&self, bone: BoneId) -> Option<Vec3> {
        self.position(Node::Bone(bone))
    }

    /// Returns the tip of a joint in world space, in metres: the authored tip, or the derived tip.
    pub fn tip(&self, skeleton: &Skeleton, joint: &Joint) -> Option<Vec3> {
        self.head(joint.bone)?;
        Some(tip_position(skeleton, &self.rest, joint))
    }

    /// Returns the local transform of a child of `parent` with the given world transform.
    pub fn local_transform_in(&self, parent: Node, position: Vec3, rotation: Quat, scale: Vec3) -> Option<Trs> {
        let frame = self.frame(parent)?;
        let rotation = (frame.rotation.inverse() * rotation).normalize();
        let local = Trs { translation: frame.inverse_transform_point(position), rotation, scale };
        local.is_finite().then_some(local)
    }

    /// Returns the distance from the lowest to the highest bone in metres, or 1 if all bones have the same height.
    pub fn height(&self) -> f32 {
        let ys = || self.rest.frames.iter().map(|f| f.position.y).filter(|y| y.is_finite());
        let (low, high) = (ys().fold(f32::MAX, f32::min), ys().fold(f32::MIN, f32::max));
        if high > low { high - low } else { 1.0 }
    }
}

/// Returns the bone of the file for a node: the node itself, or the nearest ancestor that is a bone.
pub fn bone_of_node(document: &Document, node: Node) -> Option<BoneId> {
    let mut node = node;
    // The document rejects cycles of helpers. The bound ends the loop even if there is a cycle.
    for _ in 0..=document.helpers.len() {
        match node {
            Node::Bone(bone) => return Some(bone),
            Node::Helper(id) => node = document.helpers.get(&id)?.parent,
        }
    }
    None
}

/// Returns the bone at a joint's tip, or `None` if the tip is a point or several bones.
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
