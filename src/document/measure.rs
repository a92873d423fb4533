//! Lengths and extents of bones in the rest pose.

use crate::document::{Chain, Joint, Tip};
use crate::rig::{Skeleton, WorldPose};
use glam::Vec3;

/// Length of a leaf whose chain has no other bone to compare with, metres.
const DEFAULT_LEAF_LENGTH: f32 = 0.07;

/// Distance from a joint's head to its tip in the rest pose, metres; 0 where the file gives none.
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

/// The tip as the original finds it: the child, the mean of several, or a tenth of a metre along the bone.
pub(crate) fn tip_position(skeleton: &Skeleton, rest: &WorldPose, joint: &Joint) -> Vec3 {
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

/// As [`joint_length`] of all joints, but never 0: a leaf is `leaf` metres long, or as long as the
/// other bones are.
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

/// Where a joint's tip is in the world; the tip of a leaf is `length` further along the bone above. `None` where nothing
/// gives a direction.
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

/// `SystemSetup::carried` of all joints; `lengths` as [`nonzero_joint_lengths`] gives them.
pub(crate) fn unit_mass_inertias(chain: &Chain, lengths: &[f32], skeleton: &Skeleton, rest: &WorldPose) -> Vec<f32> {
    let joints = || chain.joints.iter().zip(lengths).enumerate();
    let tips: Vec<Option<Vec3>> =
        joints().map(|(_, (j, length))| estimated_tip_position(j, *length, skeleton, rest)).collect();
    let mut carried = vec![0.0; chain.joints.len()];
    for (at, (joint, _)) in joints() {
        let Some(tip) = tips[at] else { continue };
        // Parents come first.
        for (above, parent) in chain.joints[..at].iter().enumerate() {
            let Some(frame) = rest.frames.get(parent.bone.index()) else { continue };
            if skeleton.is_known_ancestor(parent.bone, joint.bone) {
                carried[above] += frame.position.distance_squared(tip);
            }
        }
    }
    carried.into_iter().map(|square: f32| if square.is_finite() { square } else { 0.0 }).collect()
}

/// Extent of all bones in height, or sideways where that is more; metres.
pub(crate) fn max_extent(rest: &WorldPose) -> f32 {
    let (low, high) = rest
        .frames
        .iter()
        .map(|f| f.position)
        .filter(|p| p.is_finite())
        .fold((Vec3::splat(f32::MAX), Vec3::splat(f32::MIN)), |(low, high), p| (low.min(p), high.max(p)));
    (high - low).max_element().max(0.0)
}

/// Of the lengths that are known; 0 where none is.
pub(crate) fn mean_of_positive(lengths: &[f32]) -> f32 {
    let known = || lengths.iter().copied().filter(|l| l.is_finite() && *l > 0.0);
    known().sum::<f32>() / known().count().max(1) as f32
}
