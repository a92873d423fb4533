//! A motion of one humanoid on another, by the roles of their bones.
//!
//! What is carried over is how far each bone is turned from its rest pose, seen in the world: bones may lie
//! differently in their parents, and a role that only one of the two has is made up for by the next one that both
//! have. The way of the hips is scaled by their height above the ground. Both rest poses are taken to show the same
//! stance (VRM asks for a T), looking each its own way. Roles apart, nothing moves: no faces, no fingers that have no
//! role, no feet held to the ground.

use super::{BoneId, Channel, ChannelInterpolation, ChannelValues, Character, Clip, Pose, WorldPose};
use glam::{Quat, Vec3};
use std::f32::consts::PI;
use thiserror::Error;

/// Why a motion cannot be carried over.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum RetargetError {
    /// The file of the motion has no roles.
    #[error("the motion names no humanoid bones")]
    MotionHasNoHumanoid,
    /// The character has no roles.
    #[error("the character names no humanoid bones")]
    CharacterHasNoHumanoid,
    /// Both have roles, but none in common.
    #[error("the motion and the character have no humanoid bone in common")]
    NoCommonBones,
}

/// A role that both have.
struct BonePair {
    from: BoneId,
    to: BoneId,
    /// The nearest pair above, by the character's hierarchy.
    parent_pair: Option<usize>,
    is_hips: bool,
}

/// `clip` of `from`, for `to`; keys at the same times, or 60 a second where the clip has curves or steps.
pub fn retarget(clip: &Clip, from: &Character, to: &Character) -> Result<Clip, RetargetError> {
    if from.humanoid.is_empty() {
        return Err(RetargetError::MotionHasNoHumanoid);
    }
    if to.humanoid.is_empty() {
        return Err(RetargetError::CharacterHasNoHumanoid);
    }
    let pairs = bone_pairs(from, to);
    if pairs.is_empty() {
        return Err(RetargetError::NoCommonBones);
    }
    let rest = [from, to].map(|body| WorldPose::from_pose(&body.skeleton, &Pose::rest(&body.skeleton)));
    let times = key_times(clip, from.skeleton.len());
    let facing_rotation = if from.facing == to.facing { Quat::IDENTITY } else { Quat::from_rotation_y(PI) };

    let mut rotations: Vec<Vec<Quat>> = pairs.iter().map(|_| Vec::with_capacity(times.len())).collect();
    let mut hips_translations: Vec<Vec3> = Vec::new();
    let rest_pose = Pose::rest(&from.skeleton);
    let (mut pose, mut world) = (rest_pose.clone(), rest[0].clone());
    let mut deltas = vec![Quat::IDENTITY; pairs.len()];
    for &time in &times {
        pose.copy_from(&rest_pose);
        clip.sample_clamped(time, &mut pose);
        world.update(&from.skeleton, &pose);
        for (i, pair) in pairs.iter().enumerate() {
            let moved = world.frame(pair.from).rotation * rest[0].frame(pair.from).rotation.inverse();
            deltas[i] = (facing_rotation * moved * facing_rotation.inverse()).normalize();
            let above = pair.parent_pair.map_or(Quat::IDENTITY, |above| deltas[above]);
            let parent = to.skeleton.parent(pair.to).map_or(Quat::IDENTITY, |p| rest[1].frame(p).rotation);
            let local = ((above * parent).inverse() * deltas[i] * rest[1].frame(pair.to).rotation).normalize();
            // Neighbouring keys on one side, so that what lies between takes the short way.
            let flipped = rotations[i].last().is_some_and(|last| last.dot(local) < 0.0);
            rotations[i].push(if flipped { -local } else { local });
            if pair.is_hips {
                hips_translations.push(hips_translation(pair, &world, &rest, facing_rotation, to));
            }
        }
    }
    Ok(build_clip(clip, &pairs, &times, rotations, hips_translations, to))
}

/// Character's parents first.
fn bone_pairs(from: &Character, to: &Character) -> Vec<BonePair> {
    let mut pairs: Vec<BonePair> = from
        .humanoid
        .iter()
        .filter_map(|(role, bone)| {
            Some(BonePair { from: bone, to: to.humanoid.bone(role)?, parent_pair: None, is_hips: role == "hips" })
        })
        .filter(|pair| pair.from.index() < from.skeleton.len() && pair.to.index() < to.skeleton.len())
        .collect();
    pairs.sort_by_key(|pair| pair.to);
    for i in 0..pairs.len() {
        let mut above = to.skeleton.ancestors(pairs[i].to);
        pairs[i].parent_pair = above.find_map(|bone| pairs.iter().position(|pair| pair.to == bone));
    }
    pairs
}

/// Seconds of all keys, ascending.
fn key_times(clip: &Clip, bones: usize) -> Vec<f32> {
    /// Poses of the whole skeleton are sampled at each; a hostile file has many of both.
    const MAX_BONE_SAMPLES: usize = 20_000_000;
    const RATE: f32 = 60.0;
    const SAME_TIME: f32 = 1e-5;
    let most = (MAX_BONE_SAMPLES / bones.max(1)).max(2);
    let mut times: Vec<f32> = clip.channels.iter().flat_map(|c| &c.times).copied().filter(|t| t.is_finite()).collect();
    times.push(0.0);
    times.sort_by(f32::total_cmp);
    times.dedup_by(|b, a| *b - *a < SAME_TIME);
    let end = times.last().copied().unwrap_or(0.0);
    let straight = clip.channels.iter().all(|channel| channel.interpolation == ChannelInterpolation::Linear);
    if straight && times.len() <= most {
        return times;
    }
    let count = ((end * RATE).ceil() as usize).clamp(1, most - 1);
    (0..=count).map(|i| end * i as f32 / count as f32).collect()
}

/// Where the hips lie in their parent's space.
fn hips_translation(pair: &BonePair, world: &WorldPose, rest: &[WorldPose; 2], turn: Quat, to: &Character) -> Vec3 {
    const MIN_HIPS_HEIGHT: f32 = 1e-3;
    let [from_rest, to_rest] = [rest[0].frame(pair.from).position, rest[1].frame(pair.to).position];
    let scale =
        if from_rest.y > MIN_HIPS_HEIGHT && to_rest.y > MIN_HIPS_HEIGHT { to_rest.y / from_rest.y } else { 1.0 };
    let moved = turn * (world.frame(pair.from).position - from_rest) * scale;
    let goal = to_rest + moved;
    to.skeleton.parent(pair.to).map_or(goal, |parent| rest[1].frame(parent).inverse_transform_point(goal))
}

/// Channels of all bones that leave their rest pose.
fn build_clip(
    clip: &Clip,
    pairs: &[BonePair],
    times: &[f32],
    rotations: Vec<Vec<Quat>>,
    hips_translations: Vec<Vec3>,
    to: &Character,
) -> Clip {
    const MIN_MOVEMENT: f32 = 1e-5;
    let channel =
        |bone, values| Channel { bone, times: times.to_vec(), values, interpolation: ChannelInterpolation::Linear };
    let mut channels = Vec::new();
    for (pair, rotations) in pairs.iter().zip(rotations) {
        let rest = to.skeleton.bone(pair.to).rest;
        if rotations.iter().any(|q| (rest.rotation.inverse() * *q).xyz().length() > MIN_MOVEMENT) {
            channels.push(channel(pair.to, ChannelValues::Rotation(rotations)));
        }
    }
    if let Some(hips) = pairs.iter().find(|pair| pair.is_hips) {
        let rest = to.skeleton.bone(hips.to).rest.translation;
        if hips_translations.iter().any(|way| way.distance(rest) > MIN_MOVEMENT)
            && hips_translations.iter().all(|way| way.is_finite())
        {
            channels.push(channel(hips.to, ChannelValues::Translation(hips_translations)));
        }
    }
    Clip { name: clip.name.clone(), duration: times.last().copied().unwrap_or(0.0), channels }
}
