//! Retargeting: plays a clip of one skeleton on another, by humanoid bones or by bone names.
//!
//! [`retarget`] transfers the rotation of each humanoid bone away from its rest pose. The rotation is measured in world
//! space, so local axes may differ. If a bone has no counterpart, the next bone that both skeletons have includes its
//! rotation. The movement of the hips is scaled by the height of the hips. Both rest poses must have the same stance
//! (VRM requires a T-pose), but facing directions may differ. Faces, bones without a role and foot contacts are not
//! transferred.
//!
//! [`retarget_by_direction`] does the same for a motion whose rest pose differs from that of the character. It first
//! brings the arms and legs of both into the same directions.
//!
//! [`retarget_in_world_by_name`] transfers rotations like [`retarget`], but matches bones by their names.
//!
//! [`retarget_by_name`] copies the keys of bones with equal rest transforms. Other bones get the same rotation relative
//! to their own rest pose, and translations that are scaled by the distance from the parent.

use super::{
    Bone, BoneId, Channel, ChannelInterpolation, ChannelValues, Character, Clip, Facing, Humanoid, Pose, Skeleton,
    WorldPose,
};
use crate::math::{Frame, Trs, arc_between};
use glam::{Quat, Vec3};
use std::f32::consts::PI;
use thiserror::Error;

/// Why a clip cannot be retargeted.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum RetargetError {
    /// The motion has no humanoid bones.
    #[error("the motion names no humanoid bones")]
    MotionHasNoHumanoid,
    /// The character has no humanoid bones.
    #[error("the character names no humanoid bones")]
    CharacterHasNoHumanoid,
    /// The humanoid bones have no role in common.
    #[error("the motion and the character have no humanoid bone in common")]
    NoCommonBones,
}

/// A humanoid bone that both skeletons have.
#[derive(Clone, Copy, Debug)]
struct BonePair {
    from: BoneId,
    to: BoneId,
    /// Index of the pair with the nearest ancestor in the target skeleton.
    parent_pair: Option<usize>,
    /// Whether the translation of the bone is transferred.
    is_hips: bool,
}

impl BonePair {
    fn new(from: BoneId, to: BoneId, is_hips: bool) -> Self {
        Self { from, to, parent_pair: None, is_hips }
    }
}

/// Retargets `clip` from one character to another. Key times are kept. Clips with curves or steps are sampled 60 times
/// a second.
pub fn retarget(clip: &Clip, from: &Character, to: &Character) -> Result<Clip, RetargetError> {
    check_humanoids(from, to)?;
    retarget_pairs(clip, from, &Pose::rest(&from.skeleton), to, bone_pairs(from, to))
}

/// Like [`retarget`], but the rest pose of the motion can be any standing pose, for example an A-pose. An arm or leg
/// counts as unrotated if it points in the same direction as in the rest pose of the character.
pub fn retarget_by_direction(clip: &Clip, from: &Character, to: &Character) -> Result<Clip, RetargetError> {
    check_humanoids(from, to)?;
    retarget_pairs(clip, from, &pose_in_directions_of(from, to), to, bone_pairs(from, to))
}

/// Like [`retarget`], but matches bones by their names. The first bone that both skeletons have moves the body.
pub fn retarget_in_world_by_name(clip: &Clip, from: &Character, to: &Character) -> Result<Clip, RetargetError> {
    let same = |bone| Some(BonePair::new(bone, bone_with_same_name(bone, &from.skeleton, &to.skeleton)?, false));
    let mut pairs: Vec<BonePair> = from.skeleton.ids().filter_map(same).collect();
    pairs.sort_by_key(|pair| pair.to);
    pairs.dedup_by_key(|pair| pair.to);
    if let Some(first) = pairs.first_mut() {
        first.is_hips = true;
    }
    retarget_pairs(clip, from, &Pose::rest(&from.skeleton), to, with_parent_pairs(pairs, to))
}

fn check_humanoids(from: &Character, to: &Character) -> Result<(), RetargetError> {
    if from.humanoid.is_empty() {
        return Err(RetargetError::MotionHasNoHumanoid);
    }
    if to.humanoid.is_empty() {
        return Err(RetargetError::CharacterHasNoHumanoid);
    }
    Ok(())
}

/// The bones that [`pose_in_directions_of`] rotates, each with the bone that it points to. Roles have no side.
const DIRECTED_BONES: [(&str, &str); 5] = [
    ("UpperArm", "LowerArm"),
    ("LowerArm", "Hand"),
    ("Hand", "MiddleProximal"),
    ("UpperLeg", "LowerLeg"),
    ("LowerLeg", "Foot"),
];

/// Returns a pose of `from` in which arms and legs point as in the rest pose of `to`.
fn pose_in_directions_of(from: &Character, to: &Character) -> Pose {
    let mut pose = Pose::rest(&from.skeleton);
    let mut world = WorldPose::from_pose(&from.skeleton, &pose);
    let to_rest = WorldPose::from_pose(&to.skeleton, &Pose::rest(&to.skeleton));
    let direction = |body: &Character, world: &WorldPose, bone: &str, end: &str| {
        let position = |role: &str| {
            let bone = body.humanoid.bone(role).filter(|bone| bone.index() < body.skeleton.len())?;
            Some(world.frame(bone).position)
        };
        (position(end)? - position(bone)?).try_normalize()
    };
    for side in ["left", "right"] {
        for (bone, end) in DIRECTED_BONES.map(|(bone, end)| (format!("{side}{bone}"), format!("{side}{end}"))) {
            let current = direction(from, &world, &bone, &end);
            let wanted = direction(to, &to_rest, &bone, &end);
            let (Some(current), Some(wanted), Some(id)) = (current, wanted, from.humanoid.bone(&bone)) else {
                continue;
            };
            let turn = Quat::from_rotation_arc(current, facing_rotation(from, to).inverse() * wanted);
            let parent = from.skeleton.parent(id).map_or(Quat::IDENTITY, |parent| world.frame(parent).rotation);
            pose.local[id.index()].rotation = (parent.inverse() * turn * world.frame(id).rotation).normalize();
            world.update(&from.skeleton, &pose);
        }
    }
    pose
}

/// Returns the rotation from the facing direction of one character to that of another.
fn facing_rotation(from: &Character, to: &Character) -> Quat {
    if from.facing == to.facing { Quat::IDENTITY } else { Quat::from_rotation_y(PI) }
}

/// Returns a character with some of the humanoid bones of a character, at the same places of the rest pose. The bones are not
/// rotated and are named by their roles. The new character faces +Z. `includes` chooses the roles.
pub fn normalized_humanoid(character: &Character, includes: &dyn Fn(&str) -> bool) -> Character {
    let rest = WorldPose::from_pose(&character.skeleton, &Pose::rest(&character.skeleton));
    let facing = facing_rotation(character, &Character::default());
    let position = |bone: BoneId| facing * rest.frame(bone).position;
    let is_there = |(role, bone): &(&str, BoneId)| includes(role) && bone.index() < character.skeleton.len();
    let mut bones: Vec<(&str, BoneId)> = character.humanoid.iter().filter(is_there).collect();
    // Parents are before their children.
    bones.sort_by_key(|(_, bone)| *bone);
    bones.dedup_by_key(|(_, bone)| *bone);
    let index_of = |bone: BoneId| bones.iter().position(|(_, other)| *other == bone);
    let mut humanoid = Humanoid::default();
    let mut normalized = Vec::with_capacity(bones.len());
    for (index, (role, bone)) in bones.iter().enumerate() {
        let above = character.skeleton.ancestors(*bone).find_map(|bone| Some((bone, index_of(bone)?)));
        let offset = position(*bone) - above.map_or(Vec3::ZERO, |(bone, _)| position(bone));
        let parent = above.map(|(_, index)| BoneId(index as u32));
        normalized.push(Bone { name: (*role).to_owned(), parent, rest: Trs::from_translation(offset) });
        humanoid.set(role, BoneId(index as u32));
    }
    let skeleton = Skeleton::new(normalized).unwrap_or_default();
    Character { skeleton, humanoid, ..Character::default() }
}

/// Points the arms of a normalized humanoid to the sides, `angle` radians below level. Fingers keep their place relative to the
/// hand.
#[must_use]
pub fn with_arms(mut humanoid: Character, angle: f32) -> Character {
    let world = WorldPose::from_pose(&humanoid.skeleton, &Pose::rest(&humanoid.skeleton));
    let mut positions: Vec<Vec3> = world.frames.iter().map(|frame| frame.position).collect();
    for (side, sign) in [("left", 1.0), ("right", -1.0)] {
        let direction = Vec3::new(sign * libm::cosf(angle), -libm::sinf(angle), 0.0);
        for (part, end) in [("UpperArm", "LowerArm"), ("LowerArm", "Hand"), ("Hand", "MiddleProximal")] {
            let bone = |part: &str| humanoid.humanoid.bone(&format!("{side}{part}"));
            let (Some(bone), Some(end)) = (bone(part), bone(end)) else { continue };
            let pivot = positions[bone.index()];
            let Some(turn) = arc_between(positions[end.index()] - pivot, direction) else { continue };
            for below in humanoid.skeleton.subtree(bone).into_iter().filter(|below| *below != bone) {
                positions[below.index()] = pivot + turn * (positions[below.index()] - pivot);
            }
        }
    }
    let moved = |(bone, position): (&Bone, &Vec3)| {
        let parent = bone.parent.map_or(Vec3::ZERO, |parent| positions[parent.index()]);
        Bone { rest: Trs::from_translation(*position - parent), ..bone.clone() }
    };
    let bones = humanoid.skeleton.bones().iter().zip(&positions).map(moved).collect();
    humanoid.skeleton = Skeleton::new(bones).unwrap_or_default();
    humanoid
}

/// Converts a local rotation between a file that faces a direction and the same file turned to +Z. Both ways are equal.
pub fn node_rotation_in_plus_z(facing: Facing, rotation: Quat) -> Quat {
    match facing {
        Facing::PlusZ => rotation,
        Facing::MinusZ => Quat::from_xyzw(-rotation.x, rotation.y, -rotation.z, rotation.w),
    }
}

/// Transfers poses of one character to another.
#[derive(Clone, Debug)]
pub struct PoseRetargeter {
    pairs: Vec<BonePair>,
    /// For each pair: the inverse of the reference rotation of the source in the world, and in the rest pose of the target,
    /// the rotations of the parent and of the bone in the world.
    references: Vec<[Quat; 3]>,
    facing_rotation: Quat,
    hips: Option<HipsTransfer>,
    /// The rotation of each pair from its rest pose, in the world.
    deltas: Vec<Quat>,
}

/// Moves the hips of one character like those of another.
#[derive(Clone, Copy, Debug)]
struct HipsTransfer {
    pair: usize,
    /// Positions in the rest poses, in metres in the world.
    rest: [Vec3; 2],
    /// Distance of the target per distance of the source.
    scale: f32,
    /// The parent of the hips of the target in the rest pose.
    parent: Frame,
}

impl PoseRetargeter {
    /// Matches humanoid bones, as in [`retarget_by_direction`].
    pub fn by_direction(from: &Character, to: &Character) -> Result<Self, RetargetError> {
        check_humanoids(from, to)?;
        Self::new(from, &pose_in_directions_of(from, to), to, bone_pairs(from, to))
    }

    /// `reference` is the pose of `from` that corresponds to the rest pose of `to`.
    fn new(from: &Character, reference: &Pose, to: &Character, pairs: Vec<BonePair>) -> Result<Self, RetargetError> {
        const MIN_HIPS_HEIGHT: f32 = 1e-3;
        if pairs.is_empty() {
            return Err(RetargetError::NoCommonBones);
        }
        let rest = [(from, reference), (to, &Pose::rest(&to.skeleton))]
            .map(|(body, pose)| WorldPose::from_pose(&body.skeleton, pose));
        let parent =
            |pair: &BonePair| to.skeleton.parent(pair.to).map_or(Frame::WORLD, |parent| *rest[1].frame(parent));
        let reference = |pair: &BonePair| {
            let source = rest[0].frame(pair.from).rotation.inverse();
            [source, parent(pair).rotation, rest[1].frame(pair.to).rotation]
        };
        let hips = pairs.iter().position(|pair| pair.is_hips).map(|at| {
            let pair = &pairs[at];
            let [a, b] = [rest[0].frame(pair.from).position, rest[1].frame(pair.to).position];
            let scale = if a.y > MIN_HIPS_HEIGHT && b.y > MIN_HIPS_HEIGHT { b.y / a.y } else { 1.0 };
            HipsTransfer { pair: at, rest: [a, b], scale, parent: parent(pair) }
        });
        Ok(Self {
            references: pairs.iter().map(reference).collect(),
            facing_rotation: facing_rotation(from, to),
            hips,
            deltas: vec![Quat::IDENTITY; pairs.len()],
            pairs,
        })
    }

    /// Writes the rotations of the matched bones and the translation of the hips. Other bones keep their transform. `from`
    /// is a pose of the source. Allocates nothing.
    pub fn transfer(&mut self, from: &WorldPose, to: &mut Pose) {
        for (index, (pair, [source, parent, rest])) in self.pairs.iter().zip(&self.references).enumerate() {
            let moved = from.frame(pair.from).rotation * *source;
            let delta = (self.facing_rotation * moved * self.facing_rotation.inverse()).normalize();
            self.deltas[index] = delta;
            let above = pair.parent_pair.map_or(Quat::IDENTITY, |above| self.deltas[above]);
            to.local[pair.to.index()].rotation = ((above * *parent).inverse() * delta * *rest).normalize();
        }
        if let Some(hips) = self.hips {
            let pair = &self.pairs[hips.pair];
            let moved = self.facing_rotation * (from.frame(pair.from).position - hips.rest[0]) * hips.scale;
            to.local[pair.to.index()].translation = hips.parent.inverse_transform_point(hips.rest[1] + moved);
        }
    }
}

/// Retargets pairs of bones. `reference` is the pose of `from` that corresponds to the rest pose of `to`.
fn retarget_pairs(
    clip: &Clip,
    from: &Character,
    reference: &Pose,
    to: &Character,
    pairs: Vec<BonePair>,
) -> Result<Clip, RetargetError> {
    let mut retargeter = PoseRetargeter::new(from, reference, to, pairs)?;
    let times = key_times(clip, from.skeleton.len());
    let mut rotations: Vec<Vec<Quat>> = retargeter.pairs.iter().map(|_| Vec::with_capacity(times.len())).collect();
    let mut hips_translations: Vec<Vec3> = Vec::new();
    let rest_pose = Pose::rest(&from.skeleton);
    let (mut pose, mut moved) = (rest_pose.clone(), Pose::rest(&to.skeleton));
    let mut world = WorldPose::from_pose(&from.skeleton, &pose);
    for &time in &times {
        pose.copy_from(&rest_pose);
        clip.sample_clamped(time, &mut pose);
        world.update(&from.skeleton, &pose);
        retargeter.transfer(&world, &mut moved);
        for (pair, rotations) in retargeter.pairs.iter().zip(&mut rotations) {
            let Trs { rotation, translation, .. } = moved.local[pair.to.index()];
            // Neighbouring keys get equal signs, so that interpolation uses the shorter arc.
            let flipped = rotations.last().is_some_and(|last| last.dot(rotation) < 0.0);
            rotations.push(if flipped { -rotation } else { rotation });
            if pair.is_hips {
                hips_translations.push(translation);
            }
        }
    }
    Ok(build_clip(clip, &retargeter.pairs, &times, rotations, hips_translations, to))
}

/// Returns pairs of bones with the same role, parents of the target first.
fn bone_pairs(from: &Character, to: &Character) -> Vec<BonePair> {
    let mut pairs: Vec<BonePair> = from
        .humanoid
        .iter()
        .filter_map(|(role, bone)| Some(BonePair::new(bone, to.humanoid.bone(role)?, role == "hips")))
        .filter(|pair| pair.from.index() < from.skeleton.len() && pair.to.index() < to.skeleton.len())
        .collect();
    pairs.sort_by_key(|pair| pair.to);
    with_parent_pairs(pairs, to)
}

/// Adds the parent pairs to pairs in the order of the target skeleton.
fn with_parent_pairs(mut pairs: Vec<BonePair>, to: &Character) -> Vec<BonePair> {
    for i in 0..pairs.len() {
        let mut above = to.skeleton.ancestors(pairs[i].to);
        pairs[i].parent_pair = above.find_map(|bone| pairs.iter().position(|pair| pair.to == bone));
    }
    pairs
}

/// Returns the times of all keys in seconds, ascending.
fn key_times(clip: &Clip, bones: usize) -> Vec<f32> {
    /// Limits the number of keys. Each key samples the whole skeleton, and a hostile file can have many keys and many
    /// bones.
    const MAX_BONE_SAMPLES: usize = 20_000_000;
    const RATE: f32 = 60.0;
    const SAME_TIME: f32 = 1e-5;
    let max_keys = (MAX_BONE_SAMPLES / bones.max(1)).max(2);
    let mut times: Vec<f32> = clip.channels.iter().flat_map(|c| &c.times).copied().filter(|t| t.is_finite()).collect();
    times.push(0.0);
    times.sort_by(f32::total_cmp);
    times.dedup_by(|b, a| *b - *a < SAME_TIME);
    let end = times.last().copied().unwrap_or(0.0);
    let is_linear = clip.channels.iter().all(|channel| channel.interpolation == ChannelInterpolation::Linear);
    if is_linear && times.len() <= max_keys {
        return times;
    }
    let count = ((end * RATE).ceil() as usize).clamp(1, max_keys - 1);
    (0..=count).map(|i| end * i as f32 / count as f32).collect()
}

/// Returns a clip with channels for all bones that leave their rest pose.
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
        if hips_translations.iter().any(|t| t.distance(rest) > MIN_MOVEMENT)
            && hips_translations.iter().all(|t| t.is_finite())
        {
            channels.push(channel(hips.to, ChannelValues::Translation(hips_translations)));
        }
    }
    Clip { name: clip.name.clone(), duration: times.last().copied().unwrap_or(0.0), channels }
}

/// Maximum difference between rest transforms that count as equal.
const TOLERANCE: f32 = 1e-5;

/// Retargets the channels of bones that exist in both skeletons, by name.
pub fn retarget_by_name(clip: &Clip, from: &Skeleton, to: &Skeleton) -> Clip {
    let channel = |channel: &Channel| {
        let target = bone_with_same_name(channel.bone, from, to)?;
        let rests = [from.bone(channel.bone).rest, to.bone(target).rest];
        let values = retarget_values(&channel.values, channel.interpolation, rests);
        Some(Channel { bone: target, values, times: channel.times.clone(), interpolation: channel.interpolation })
    };
    let channels = clip.channels.iter().filter_map(channel).collect();
    Clip { name: clip.name.clone(), duration: clip.duration, channels }
}

/// Returns the bone of `to` that has the name of `bone`, or `None` if `bone` has no name or `to` has no such bone.
pub fn bone_with_same_name(bone: BoneId, from: &Skeleton, to: &Skeleton) -> Option<BoneId> {
    let name = (bone.index() < from.len()).then(|| from.name(bone)).filter(|name| !name.is_empty())?;
    to.find(name)
}

fn retarget_values(values: &ChannelValues, sampling: ChannelInterpolation, [from, to]: [Trs; 2]) -> ChannelValues {
    // A cubic spline has three entries for each key. The second entry is the value, and the other entries are tangents.
    let is_value = |at: usize| sampling != ChannelInterpolation::CubicSpline || at % 3 == 1;
    match values {
        ChannelValues::Rotation(rotations) if from.rotation.abs_diff_eq(to.rotation, TOLERANCE) => {
            ChannelValues::Rotation(rotations.clone())
        }
        ChannelValues::Rotation(rotations) => {
            let change: Quat = to.rotation * from.rotation.inverse();
            ChannelValues::Rotation(rotations.iter().map(|rotation| change * *rotation).collect())
        }
        ChannelValues::Translation(translations) if from.translation.abs_diff_eq(to.translation, TOLERANCE) => {
            ChannelValues::Translation(translations.clone())
        }
        ChannelValues::Translation(translations) => {
            let ratio = ratio_or_one(to.translation.length(), from.translation.length());
            let scaled = |(at, t): (usize, &Vec3)| {
                if is_value(at) { to.translation + (*t - from.translation) * ratio } else { *t * ratio }
            };
            ChannelValues::Translation(translations.iter().enumerate().map(scaled).collect())
        }
        ChannelValues::Scale(scales) => {
            let [a, b] = [from.scale.to_array(), to.scale.to_array()];
            let ratio = Vec3::from_array([0, 1, 2].map(|axis| ratio_or_one(b[axis], a[axis])));
            ChannelValues::Scale(scales.iter().map(|scale| *scale * ratio).collect())
        }
    }
}

/// Returns `to / from`, or 1 if either number is close to 0.
fn ratio_or_one(to: f32, from: f32) -> f32 {
    let ratio = to / from;
    if ratio.is_finite() && from.abs() > TOLERANCE && to.abs() > TOLERANCE { ratio } else { 1.0 }
}
