//! An MMD model with the proportions of a character, and its poses.
//!
//! A VMD has no skeleton. The bones of MMD models have the axes of the model, so a key is a rotation in these axes. The
//! model here has one bone for each humanoid role, with the bone lengths of the character, so that feet that stand still
//! in the motion also stand still on the character. The arms are in the A-pose of MMD models.

use super::keys::{BoneKey, VmdKeys, sample};
use glam::{Quat, Vec3};
use std::f32::consts::PI;
use yuremono_sim::math::{Trs, arc_between};
use yuremono_sim::rig::{
    Bone, BoneId, Character, Humanoid, Pose, Skeleton, SkeletonError, WorldPose, normalized_humanoid, with_arms,
};

/// A humanoid role with the role of its parent, and the MMD bones whose rotations are multiplied, outermost first.
struct RoleSource {
    role: &'static str,
    parent: &'static str,
    bones: &'static [&'static str],
}

const fn source(role: &'static str, parent: &'static str, bones: &'static [&'static str]) -> RoleSource {
    RoleSource { role, parent, bones }
}

/// Bones of the torso and the head.
const TORSO: [RoleSource; 6] = [
    source("hips", "", &["下半身"]),
    source("spine", "hips", &["上半身"]),
    source("chest", "spine", &["上半身2"]),
    source("upperChest", "chest", &["上半身3"]),
    source("neck", "upperChest", &["首"]),
    source("head", "neck", &["頭"]),
];

/// Bones of one side, parents first. "両" is both sides; other names start with 左 or 右, and roles with "left" or "right"
/// unless they are in [`TORSO`].
const SIDE: [RoleSource; 24] = [
    source("Eye", "head", &["両目", "目"]),
    source("Shoulder", "upperChest", &["肩P", "肩"]),
    source("UpperArm", "Shoulder", &["肩C", "腕", "腕捩"]),
    source("LowerArm", "UpperArm", &["ひじ", "手捩"]),
    source("Hand", "LowerArm", &["手首"]),
    source("ThumbMetacarpal", "Hand", &["親指0"]),
    source("ThumbProximal", "ThumbMetacarpal", &["親指1"]),
    source("ThumbDistal", "ThumbProximal", &["親指2"]),
    source("IndexProximal", "Hand", &["人指1"]),
    source("IndexIntermediate", "IndexProximal", &["人指2"]),
    source("IndexDistal", "IndexIntermediate", &["人指3"]),
    source("MiddleProximal", "Hand", &["中指1"]),
    source("MiddleIntermediate", "MiddleProximal", &["中指2"]),
    source("MiddleDistal", "MiddleIntermediate", &["中指3"]),
    source("RingProximal", "Hand", &["薬指1"]),
    source("RingIntermediate", "RingProximal", &["薬指2"]),
    source("RingDistal", "RingIntermediate", &["薬指3"]),
    source("LittleProximal", "Hand", &["小指1"]),
    source("LittleIntermediate", "LittleProximal", &["小指2"]),
    source("LittleDistal", "LittleIntermediate", &["小指3"]),
    source("UpperLeg", "hips", &["足", "足D"]),
    source("LowerLeg", "UpperLeg", &["ひざ", "ひざD"]),
    source("Foot", "LowerLeg", &["足首", "足首D"]),
    source("Toes", "Foot", &["つま先", "足先EX"]),
];
/// The English and the Japanese name of each side, and the sign of its X.
const SIDES: [(&str, &str, f32); 2] = [("left", "左", 1.0), ("right", "右", -1.0)];
/// Bones above the hips, outermost first. All have offsets.
const ROOTS: [&str; 4] = ["全ての親", "センター", "グルーブ", "腰"];
/// Length of the legs of a typical model from hip to ankle, in MMD units.
const LEG_UNITS: f32 = 10.0;
/// Height of the centre bone of a typical model, in MMD units.
const CENTRE_UNITS: f32 = 8.0;
/// Metres per MMD unit for a character without legs.
const DEFAULT_UNIT: f32 = 0.08;
/// Angle of the arms of a typical model below level, in radians.
const ARM_ANGLE: f32 = 35.0 / 180.0 * PI;

/// A leg of the model: indices of its bones, and the names of its IK bones.
struct Leg {
    bones: [usize; 4],
    /// Whether the character has the leg, and the toes.
    is_whole: bool,
    has_toes: bool,
    ik_parent: String,
    ik: String,
    toes_ik: String,
}

/// An MMD bone with its keys.
struct SourceBone<'a> {
    name: String,
    keys: &'a [BoneKey],
    /// The axis of a twist bone, unit length.
    twist_axis: Option<Vec3>,
}

impl<'a> SourceBone<'a> {
    fn new(name: String, keys: &'a VmdKeys) -> Self {
        let side = SIDES.iter().find(|(_, side, _)| name.starts_with(side) && name.ends_with('捩'));
        let twist_axis = side.map(|(_, _, sign)| arm_direction(*sign));
        Self { keys: keys.bones.get(&name).map_or(&[], Vec::as_slice), name, twist_axis }
    }

    fn rotation(&self, frame: f32) -> Quat {
        let rotation = sample(self.keys, frame).1;
        self.twist_axis.map_or(rotation, |axis| twist_about(rotation, axis))
    }
}

/// A model with its motion.
pub(super) struct DancingModel<'a> {
    keys: &'a VmdKeys,
    /// One bone for each role, named by it, with the places of the character and the arms of the A-pose.
    body: Character,
    /// Positions of the bones in the rest pose, in metres in the world.
    rest: Vec<Vec3>,
    /// For each bone, the MMD bones whose rotations are multiplied.
    sources: Vec<Vec<SourceBone<'a>>>,
    legs: [Leg; 2],
    /// Metres per MMD unit.
    unit: f32,
    /// Whether the file has keys of the IK bones of a leg. Without them, the legs follow their own keys.
    has_ik: bool,
}

impl<'a> DancingModel<'a> {
    pub(super) fn new(keys: &'a VmdKeys, character: &Character) -> Result<Self, SkeletonError> {
        let (body, names) = body_of(character)?;
        let of_bone = |names: Vec<String>| names.into_iter().map(|name| SourceBone::new(name, keys)).collect();
        let sources = names.into_iter().map(of_bone).collect();
        let body = with_arms(body, ARM_ANGLE);
        let world = WorldPose::from_pose(&body.skeleton, &Pose::rest(&body.skeleton));
        let rest: Vec<Vec3> = world.frames.iter().map(|frame| frame.position).collect();
        let legs = SIDES.map(|(english, japanese, _)| Leg::new(&body, character, english, japanese));
        let leg_unit = legs.iter().map(|leg| leg.length(&rest)).fold(0.0, f32::max) / LEG_UNITS;
        let unit = if leg_unit > 0.0 { leg_unit } else { DEFAULT_UNIT };
        let has_ik = legs.iter().any(|leg| keys.bones.contains_key(&leg.ik));
        Ok(Self { keys, body, rest, sources, legs, unit, has_ik })
    }

    /// The model in its rest pose.
    pub(super) const fn body(&self) -> &Character {
        &self.body
    }

    /// Returns whether the motion moves a bone of the model.
    pub(super) fn is_animated(&self, bone: usize) -> bool {
        let is_keyed = |name: &str| self.keys.bones.contains_key(name);
        self.sources[bone].iter().any(|source| !source.keys.is_empty())
            || (self.has_ik && self.legs.iter().any(|leg| leg.bones.contains(&bone)))
            // The spine keeps its direction when the hips turn.
            || (bone <= 1 && ROOTS.iter().chain(&["下半身"]).any(|name| is_keyed(name)))
    }

    /// Returns whether the model has an MMD bone, or needs no such bone.
    pub(super) fn has(&self, name: &str) -> bool {
        let ik = |leg: &Leg| [&leg.ik_parent, &leg.ik, &leg.toes_ik].into_iter().any(|ik| ik == name);
        ROOTS.contains(&name)
            || self.sources.iter().flatten().any(|source| source.name == name)
            || self.legs.iter().any(ik)
    }

    fn key(&self, name: &str, frame: f32) -> (Vec3, Quat) {
        let (position, rotation) = sample(self.keys.bones.get(name).map_or(&[], Vec::as_slice), frame);
        (position * self.unit, rotation)
    }

    /// Returns the product of the rotations of the MMD bones of a bone. Twist bones turn only about the arm.
    fn own_rotation(&self, bone: usize, frame: f32) -> Quat {
        self.sources[bone].iter().map(|source| source.rotation(frame)).product()
    }

    /// Writes the pose at a time in frames: the local rotation of each bone, and the translation of the hips.
    pub(super) fn write_pose(&self, frame: f32, pose: &mut Pose) {
        // The chain above the hips. Each bone turns about its pivot.
        let hips_rest = self.rest[0];
        let centre = CENTRE_UNITS * self.unit;
        let (mut position, mut rotation, mut pivot_before) = (Vec3::ZERO, Quat::IDENTITY, Vec3::ZERO);
        for (name, height) in ROOTS.into_iter().zip([0.0, centre, centre, hips_rest.y]) {
            let pivot = Vec3::new(hips_rest.x, height, hips_rest.z);
            let (offset, turn) = self.key(name, frame);
            position += rotation * (pivot - pivot_before + offset);
            (rotation, pivot_before) = (rotation * turn, pivot);
        }
        let upper_body = rotation;
        // The lower body turns about the start of the spine.
        let waist = hips_rest.with_y(self.rest[1].y);
        position += rotation * (waist - pivot_before);
        rotation *= self.own_rotation(0, frame);
        pose.local[0].rotation = rotation;
        pose.local[0].translation = position + rotation * (hips_rest - waist);

        for bone in 1..self.sources.len() {
            pose.local[bone].rotation = self.own_rotation(bone, frame);
        }
        // In MMD, the upper body is no child of the lower body.
        pose.local[1].rotation = rotation.inverse() * upper_body * pose.local[1].rotation;
        for leg in self.legs.iter().filter(|leg| self.has_ik && leg.is_whole && self.is_on(&leg.ik, frame)) {
            self.write_leg(leg, frame, pose);
        }
    }

    fn is_on(&self, ik: &str, frame: f32) -> bool {
        let switches = self.keys.ik.get(ik).map_or(&[][..], Vec::as_slice);
        let next = switches.partition_point(|(at, _)| *at as f32 <= frame);
        next.checked_sub(1).is_none_or(|last| switches[last].1)
    }

    /// Moves the ankle to the IK bone. The leg starts from its own keys, and bends at the knee.
    fn write_leg(&self, leg: &Leg, frame: f32, pose: &mut Pose) {
        let rest = |bone: usize| self.rest[bone];
        let [upper, lower, foot, toes] = leg.bones;
        let hips = pose.local[0];
        let thigh = hips.rotation * self.sources[upper][0].rotation(frame);
        let root = hips.translation + hips.rotation * (rest(upper) - rest(0));
        let (upper_bone, lower_bone) = (rest(lower) - rest(upper), rest(foot) - rest(lower));

        let (goal, goal_rotation) = self.goal(leg, frame);
        let bend = Quat::from_rotation_x(knee_angle(upper_bone, lower_bone, root.distance(goal)));
        let reach = thigh * (upper_bone + bend * lower_bone);
        let world_upper = arc_between(reach, goal - root).unwrap_or(Quat::IDENTITY) * thigh;
        let world_lower = world_upper * bend;
        let copy = |bone: usize| self.sources[bone][1].rotation(frame);
        pose.local[upper].rotation = hips.rotation.inverse() * world_upper * copy(upper);
        pose.local[lower].rotation = world_upper.inverse() * world_lower * copy(lower);
        if !self.is_on(&leg.toes_ik, frame) {
            return;
        }
        let mut world_foot = goal_rotation;
        if leg.has_toes {
            let along = rest(toes) - rest(foot);
            let toes_goal = goal + goal_rotation * (along + self.key(&leg.toes_ik, frame).0);
            let ankle = root + world_upper * upper_bone + world_lower * lower_bone;
            let aim = arc_between(goal_rotation * along, toes_goal - ankle);
            world_foot = aim.unwrap_or(Quat::IDENTITY) * goal_rotation;
        }
        pose.local[foot].rotation = world_lower.inverse() * world_foot * copy(foot);
    }

    /// Returns the position and rotation of the IK bone of an ankle, in metres in the world.
    fn goal(&self, leg: &Leg, frame: f32) -> (Vec3, Quat) {
        let ankle = self.rest[leg.bones[2]];
        let floor = Vec3::new(ankle.x, 0.0, ankle.z);
        let (mut position, mut rotation) = (Vec3::ZERO, Quat::IDENTITY);
        for (name, offset) in [(ROOTS[0], Vec3::ZERO), (&*leg.ik_parent, floor), (&*leg.ik, ankle - floor)] {
            let (key, turn) = self.key(name, frame);
            position += rotation * (offset + key);
            rotation *= turn;
        }
        (position, rotation)
    }
}

impl Leg {
    fn new(body: &Character, character: &Character, english: &str, japanese: &str) -> Self {
        let parts = ["UpperLeg", "LowerLeg", "Foot", "Toes"].map(|part| format!("{english}{part}"));
        let has = |role: &String| character.humanoid.bone(role).is_some();
        Self {
            bones: parts.each_ref().map(|role| body.humanoid.bone(role).map_or(0, BoneId::index)),
            is_whole: parts[..3].iter().all(has),
            has_toes: has(&parts[3]),
            ik_parent: format!("{japanese}足IK親"),
            ik: format!("{japanese}足IK"),
            toes_ik: format!("{japanese}つま先IK"),
        }
    }

    /// Returns the length from hip to ankle, in metres.
    fn length(&self, rest: &[Vec3]) -> f32 {
        let [hip, knee, ankle, _] = self.bones.map(|bone| rest[bone]);
        hip.distance(knee) + knee.distance(ankle)
    }
}

/// Returns a body with a bone for each role of the table, and the MMD bones of each bone. A bone that the character lacks is at
/// the place of its parent.
fn body_of(character: &Character) -> Result<(Character, Vec<Vec<String>>), SkeletonError> {
    let known = normalized_humanoid(character, &|_| true);
    let world = WorldPose::from_pose(&known.skeleton, &Pose::rest(&known.skeleton));
    let (mut roles, mut bones, mut positions): (Vec<String>, Vec<Bone>, Vec<Vec3>) = Default::default();
    let mut sources = Vec::new();
    let mut add = |role: String, parent: &str, names: Vec<String>| {
        let parent = roles.iter().position(|role| role == parent);
        let above = parent.map_or(Vec3::ZERO, |parent| positions[parent]);
        let position = known.humanoid.bone(&role).map_or(above, |bone| world.frame(bone).position);
        let parent = parent.map(|parent| BoneId(parent as u32));
        bones.push(Bone { name: role.clone(), parent, rest: Trs::from_translation(position - above) });
        roles.push(role);
        positions.push(position);
        sources.push(names);
    };
    for RoleSource { role, parent, bones } in TORSO {
        add(role.to_owned(), parent, bones.iter().map(|bone| (*bone).to_owned()).collect());
    }
    for (english, japanese, _) in SIDES {
        for RoleSource { role, parent, bones } in SIDE {
            let is_shared = TORSO.iter().any(|source| source.role == parent);
            let parent = if is_shared { parent.to_owned() } else { format!("{english}{parent}") };
            let sided =
                |bone: &&str| if bone.starts_with('両') { (*bone).to_owned() } else { format!("{japanese}{bone}") };
            add(format!("{english}{role}"), &parent, bones.iter().map(sided).collect());
        }
    }
    let mut humanoid = Humanoid::default();
    for (index, role) in roles.iter().enumerate() {
        humanoid.set(role, BoneId(index as u32));
    }
    Ok((Character { skeleton: Skeleton::new(bones)?, humanoid, ..Character::default() }, sources))
}

/// Returns the angle of a knee at which the ankle is at a distance from the hip, in radians, or the nearest possible angle.
/// The knee turns about X; positive angles bend the leg backwards. `upper` and `lower` are the bones in the rest pose.
fn knee_angle(upper: Vec3, lower: Vec3, distance: f32) -> f32 {
    // The squared distance is a constant plus `2 * amplitude * cos(angle - straight)`.
    let (cosine, sine) = (upper.y * lower.y + upper.z * lower.z, upper.z * lower.y - upper.y * lower.z);
    let (amplitude, straight) = (libm::hypotf(cosine, sine), libm::atan2f(sine, cosine));
    let constant = upper.length_squared() + lower.length_squared() + 2.0 * upper.x * lower.x;
    let share = (distance * distance - constant) / (2.0 * amplitude);
    if share.is_finite() { straight + libm::acosf(share.clamp(-1.0, 1.0)) } else { 0.0 }
}

/// The direction of both bones of an arm in the rest pose. `sign` is that of the X of its side.
fn arm_direction(sign: f32) -> Vec3 {
    Vec3::new(sign * libm::cosf(ARM_ANGLE), -libm::sinf(ARM_ANGLE), 0.0)
}

/// Returns the part of a rotation about an axis of unit length.
fn twist_about(rotation: Quat, axis: Vec3) -> Quat {
    let along = axis * rotation.xyz().dot(axis);
    let twist = Quat::from_xyzw(along.x, along.y, along.z, rotation.w);
    if twist.length_squared() > 1e-12 { twist.normalize() } else { Quat::IDENTITY }
}

/// Returns the last frame of all tracks.
pub(super) fn last_frame(keys: &VmdKeys) -> u32 {
    let last = |track: &Vec<BoneKey>| track.last().map(|key| key.frame);
    keys.bones.values().filter_map(last).max().unwrap_or(0)
}
