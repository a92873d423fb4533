//! Posing of the whole body by one dragged bone.
//!
//! A drag displaces the animated pose. The spine bends with a soft falloff, the hips follow when the spine cannot reach
//! the target, limbs bend by inverse kinematics, and standing feet keep the position of the motion. Only the hips move;
//! all other bones rotate, so bone lengths do not change. Every limit is soft, so a target out of reach stretches nothing.
//!
//! The result depends only on the pose and the drag, and computing it allocates nothing.

use super::two_bone::TwoBoneLimb;
use crate::math::{arc_between, rotation_angle, slerp, soft_limit};
use crate::rig::{BoneId, Facing, Pose, Skeleton, WorldPose};
use glam::{Affine3A, Quat, Vec3};

/// Maximum number of spine bones that bend. A longer spine bends at fewer bones.
const MAX_SPINE_BONES: usize = 24;
/// Maximum number of posed limbs.
const MAX_LIMBS: usize = 8;

/// Share of the spine's bend that the hips perform.
const HIPS_BEND: f32 = 0.12;
/// Share of a displacement across the spine that the hips follow, so that skirts and tails feel a drag of the head.
const HIPS_FOLLOW: f32 = 0.22;
/// Largest displacement across the spine, as a share of the spine's length.
const SPINE_REACH: f32 = 0.8;
/// Largest rotation of the last spine bone by a bend, in radians.
const MAX_BEND: f32 = 2.2;
/// Number of steps that solve the bend. Each step divides the error by about ten.
const BEND_STEPS: usize = 8;
/// Share of a bend by which the last spine bone rotates back. Keeps the head more upright.
const HEAD_UPRIGHT: f32 = 0.35;
/// Share of a rotation that reaches the spine bone below the rotated bone.
const ROTATION_FOLLOW: f32 = 0.6;
/// Share of a displacement of the hips that the head does not follow.
const HEAD_LAG: f32 = 0.3;
/// Limits of the hips, as shares of the leg length: sideways, and down.
const HIPS_SIDEWAYS: f32 = 0.4;
const HIPS_DOWN: f32 = 0.45;
/// Limit of the hips without legs, as a share of the character's height.
const HIPS_WITHOUT_LEGS: f32 = 0.5;
/// Largest drop of the hips that keeps the feet in reach, as a share of the leg length.
const MAX_DROP: f32 = 0.35;
/// Share of a displacement of a hand or foot that the body always follows, even if the limb is not stretched.
const BODY_FOLLOW: f32 = 0.08;
/// Extension of a limb, as a share of its length, from which the body follows a hand or foot.
const LIMB_COMFORT: f32 = 0.85;
/// Extension of a limb, as a share of its length, from which its end slows down.
const LIMB_SOFT_REACH: f32 = 0.94;
/// Share of an arm's swing that the shoulder performs.
const SHOULDER_SHARE: f32 = 0.14;
/// A hand that passes the shoulder, or crosses the chest, moves forward by these shares of the arm's length and of the
/// distance.
const SHOULDER_CLEARANCE: f32 = 0.5;
const CHEST_CLEARANCE: f32 = 0.35;
/// The neutral direction of a limb leans forward by this much. The opposite direction, in which a swing is ambiguous, is
/// behind the body.
const NEUTRAL_LEAN: f32 = 0.5;

/// The bones of a limb: two bones that bend, and the hand or foot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimbLandmarks {
    /// For example upper arm, lower arm and hand.
    pub bones: [BoneId; 3],
    /// Whether the limb stands on the ground in the rest pose.
    pub stands: bool,
}

/// The bones by which a body is posed. Every list can be empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BodyLandmarks {
    /// The hips first and the head last. Each bone is an ancestor of the next.
    pub spine: Vec<BoneId>,
    /// The bone of the spine that carries the arms.
    pub chest: Option<BoneId>,
    /// The last bone of the spine, if the bone is a head.
    pub head: Option<BoneId>,
    /// Arms and legs below the spine.
    pub limbs: Vec<LimbLandmarks>,
    /// The first bone of a tail.
    pub tail: Option<BoneId>,
}

impl BodyLandmarks {
    pub fn hips(&self) -> Option<BoneId> {
        self.spine.first().copied()
    }
}

/// The part of the body to which a bone belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BodyPart {
    /// Above the hips, or outside the body.
    Outside,
    /// A bone of the spine by index, or a descendant that is no limb.
    Spine(usize),
    /// A bone of a limb, or a descendant. `limb` is the index of the limb, `joint` that of the bone in the limb.
    Limb { limb: usize, joint: usize },
}

/// A limb and its directions in the rest pose.
#[derive(Clone, Copy, Debug)]
struct Limb {
    bones: [BoneId; 3],
    stands: bool,
    /// Index of the spine bone that carries the limb.
    spine: usize,
    /// A bone between the spine and the limb that rotates with the limb, for example a shoulder.
    shoulder: Option<BoneId>,
    /// Direction in which the limb bends, in the space of the first bone's rotation.
    bend_hint: Vec3,
    /// The neutral direction, the forward direction and the direction away from the body, in the space of the spine
    /// bone's rotation.
    neutral: Vec3,
    forward: Vec3,
    outward: Vec3,
}

/// The position and rotation in world space of a hand or foot that a drag must not move.
#[derive(Clone, Copy, Debug)]
struct PlantedEnd {
    position: Vec3,
    rotation: Quat,
}

/// Indexed as the limbs of [`BodyPosing`].
type PlantedEnds = [Option<PlantedEnd>; MAX_LIMBS];

/// Poses the body of one character. Computed once from the rest pose.
#[derive(Clone, Debug, Default)]
pub struct BodyPosing {
    landmarks: BodyLandmarks,
    limbs: Vec<Limb>,
    /// Indexed by [`BoneId`].
    parts: Vec<BodyPart>,
    /// Height of the character in metres.
    height: f32,
}

/// A displacement of a bone in world space: an offset in metres and a rotation about the bone's head.
#[derive(Clone, Copy, Debug)]
pub struct BodyDisplacement {
    pub bone: BoneId,
    pub offset: Vec3,
    pub rotation: Quat,
}

impl BodyPosing {
    /// Prepares the posing of a skeleton. Ignores landmarks that the skeleton lacks or that are not ordered.
    pub fn new(skeleton: &Skeleton, facing: Facing, landmarks: BodyLandmarks) -> Self {
        let rest = WorldPose::from_pose(skeleton, &Pose::rest(skeleton));
        let heights = || rest.frames.iter().map(|frame| frame.position.y).filter(|y| y.is_finite());
        let height = heights().fold(f32::MIN, f32::max) - heights().fold(f32::MAX, f32::min);
        let mut posing = Self {
            landmarks: valid_landmarks(skeleton, landmarks),
            limbs: Vec::new(),
            parts: vec![BodyPart::Outside; skeleton.len()],
            height: height.max(0.0),
        };
        for (index, bone) in posing.landmarks.spine.iter().enumerate() {
            posing.parts[bone.index()] = BodyPart::Spine(index);
        }
        for (limb, landmarks) in posing.landmarks.limbs.iter().enumerate() {
            for (joint, bone) in landmarks.bones.iter().enumerate() {
                posing.parts[bone.index()] = BodyPart::Limb { limb, joint };
            }
        }
        // Parents come before their children, so one pass propagates the parts to all descendants.
        for bone in skeleton.ids() {
            if let (BodyPart::Outside, Some(parent)) = (posing.parts[bone.index()], skeleton.parent(bone)) {
                posing.parts[bone.index()] = posing.parts[parent.index()];
            }
        }
        let forward = if facing == Facing::PlusZ { Vec3::Z } else { Vec3::NEG_Z };
        let limbs = posing.landmarks.limbs.iter();
        posing.limbs = limbs.filter_map(|limb| posing.prepare_limb(skeleton, &rest, forward, *limb)).collect();
        posing
    }

    fn prepare_limb(&self, skeleton: &Skeleton, rest: &WorldPose, forward: Vec3, limb: LimbLandmarks) -> Option<Limb> {
        let [upper, lower, end] = limb.bones.map(|bone| rest.frame(bone).position);
        let carrier = skeleton.ancestors(limb.bones[0]).find_map(|bone| {
            let index = self.landmarks.spine.iter().position(|spine| *spine == bone)?;
            Some((index, bone))
        });
        let (spine, carrier_bone) = carrier?;
        let parent = skeleton.parent(limb.bones[0])?;
        let reach = (end - upper).normalize_or(Vec3::NEG_Y);
        let bend = (lower - upper).reject_from_normalized(reach);
        // Knees point forward and elbows backward, unless the rest pose bends the limb.
        let default_hint = if limb.stands { forward } else { -forward };
        let length = upper.distance(lower) + lower.distance(end);
        let hint = if bend.length() > length * 0.02 { bend.normalize() } else { default_hint };
        let outward = Vec3::X * (upper.x - rest.frame(carrier_bone).position.x).signum();
        let to_carrier = rest.frame(carrier_bone).rotation.inverse();
        Some(Limb {
            bones: limb.bones,
            stands: limb.stands,
            spine,
            shoulder: (parent != carrier_bone).then_some(parent),
            bend_hint: rest.frame(limb.bones[0]).rotation.inverse() * hint,
            neutral: to_carrier * (reach + forward * NEUTRAL_LEAN).normalize_or(reach),
            forward: to_carrier * forward,
            outward: to_carrier * outward,
        })
    }

    pub fn landmarks(&self) -> &BodyLandmarks {
        &self.landmarks
    }

    /// Returns whether a drag of the bone poses the body.
    pub fn moves_body(&self, bone: BoneId) -> bool {
        self.part(bone) != BodyPart::Outside
    }

    /// Returns the bone itself if it is a landmark, or its nearest ancestor among the spine and the limbs.
    pub fn nearest_body_bone(&self, skeleton: &Skeleton, bone: BoneId) -> Option<BoneId> {
        let is_body = |bone: &BoneId| {
            self.landmarks.spine.contains(bone) || self.landmarks.limbs.iter().any(|limb| limb.bones.contains(bone))
        };
        std::iter::successors(Some(bone), |bone| skeleton.get_parent(*bone)).find(is_body)
    }

    fn part(&self, bone: BoneId) -> BodyPart {
        self.parts.get(bone.index()).copied().unwrap_or(BodyPart::Outside)
    }

    /// Displaces a bone of the body, and poses the rest of the body with it. Returns whether the bone belongs to the
    /// body; otherwise changes nothing. `by` must be finite, with a unit rotation.
    pub fn displace(&self, skeleton: &Skeleton, pose: &mut Pose, by: &BodyDisplacement) -> bool {
        let part = self.part(by.bone);
        if part == BodyPart::Outside || pose.local.len() < self.parts.len() {
            return false;
        }
        if by.offset == Vec3::ZERO && rotation_angle(by.rotation, Quat::IDENTITY) == 0.0 {
            return true;
        }
        let mut rig = PosedRig { skeleton, pose };
        match part {
            BodyPart::Outside => {}
            BodyPart::Spine(index) => {
                let planted = self.planted_ends(&rig, None);
                self.pose_spine(&mut rig, index, by);
                self.plant(&mut rig, &planted);
            }
            BodyPart::Limb { limb, joint } => self.pose_limb(&mut rig, limb, joint, by),
        }
        true
    }

    /// Returns the ends of all standing limbs except one.
    fn planted_ends(&self, rig: &PosedRig<'_>, except: Option<usize>) -> PlantedEnds {
        let mut planted = [None; MAX_LIMBS];
        for (index, limb) in self.limbs.iter().enumerate().filter(|(at, limb)| limb.stands && Some(*at) != except) {
            let (position, rotation) = (rig.position(limb.bones[2]), rig.rotation(limb.bones[2]));
            planted[index] = Some(PlantedEnd { position, rotation });
        }
        planted
    }

    fn planted_limbs<'a>(&'a self, planted: &'a PlantedEnds) -> impl Iterator<Item = (&'a Limb, &'a PlantedEnd)> {
        self.limbs.iter().zip(planted).filter_map(|(limb, end)| Some((limb, end.as_ref()?)))
    }

    /// Lowers the hips until the legs reach their feet, and bends the standing limbs.
    fn plant(&self, rig: &mut PosedRig<'_>, planted: &PlantedEnds) {
        let mut drop = 0.0_f32;
        let mut leg_length = f32::MAX;
        for (limb, end) in self.planted_limbs(planted).filter(|(limb, _)| limb.spine == 0) {
            let leg = rig.limb(limb);
            let to_foot = end.position - leg.root;
            let (length, horizontal) = (leg.length(), to_foot.with_y(0.0).length());
            let highest = (length * length - horizontal * horizontal).max(0.0).sqrt();
            drop = drop.max(-to_foot.y - highest);
            leg_length = leg_length.min(length);
        }
        if drop > 0.0
            && let Some(hips) = self.landmarks.hips()
        {
            rig.translate(hips, Vec3::NEG_Y * drop.min(leg_length * MAX_DROP));
        }
        for (limb, end) in self.planted_limbs(planted) {
            self.reach(rig, limb, end.position);
            rig.set_rotation(limb.bones[2], end.rotation);
        }
    }

    /// Moves the end of a limb to a goal.
    fn reach(&self, rig: &mut PosedRig<'_>, limb: &Limb, goal: Vec3) {
        let joints = rig.limb(limb);
        let swing = self.swing(rig, limb, joints.end - joints.root, goal - joints.root);
        let hint = rig.rotation(limb.bones[0]) * limb.bend_hint;
        if let Some(by) = joints.reach(goal, swing, hint) {
            rig.rotate(limb.bones[0], by.upper);
            rig.rotate(limb.bones[1], by.lower);
        }
    }

    /// Returns the rotation between two directions of a limb. The rotation goes through the neutral direction of the
    /// limb, so that it does not flip anywhere in front of the body.
    fn swing(&self, rig: &PosedRig<'_>, limb: &Limb, from: Vec3, to: Vec3) -> Quat {
        let neutral = rig.rotation(self.landmarks.spine[limb.spine]) * limb.neutral;
        let arc = |to: Vec3| arc_between(neutral, to.normalize_or(neutral)).unwrap_or(Quat::IDENTITY);
        (arc(to) * arc(from).inverse()).normalize()
    }

    /// Limits a displacement of the hips softly to what the legs allow.
    fn limit_hips(&self, rig: &PosedRig<'_>, wanted: Vec3) -> Vec3 {
        let legs = || self.limbs.iter().filter(|limb| limb.stands && limb.spine == 0).map(|limb| rig.limb(limb));
        let length = legs().map(|leg| leg.length()).fold(f32::MAX, f32::min);
        if length == f32::MAX {
            return soft_limit(wanted, self.height * HIPS_WITHOUT_LEGS);
        }
        let rise = |leg: TwoBoneLimb| {
            let to_foot = leg.end - leg.root;
            let horizontal_squared = to_foot.with_y(0.0).length_squared();
            (leg.length() * leg.length() - horizontal_squared).max(0.0).sqrt() + to_foot.y
        };
        let rise = legs().map(rise).fold(f32::MAX, f32::min).max(0.0);
        let horizontal = soft_limit(wanted.with_y(0.0), length * HIPS_SIDEWAYS);
        let vertical = soft_limit(Vec3::Y * wanted.y, if wanted.y > 0.0 { rise } else { length * HIPS_DOWN });
        horizontal + vertical
    }

    fn pose_spine(&self, rig: &mut PosedRig<'_>, index: usize, by: &BodyDisplacement) {
        let spine = &self.landmarks.spine;
        // The rotation of a spine bone does not move its own head, but moves the bones below it.
        let bending = if spine[index] == by.bone { index } else { index + 1 };
        if by.offset != Vec3::ZERO {
            if bending == 0 {
                self.move_hips(rig, by.offset);
            } else {
                self.bend_spine(rig, bending, rig.position(by.bone), by.offset);
            }
        }
        if rotation_angle(by.rotation, Quat::IDENTITY) > 0.0 {
            let mut before = 0.0;
            for (at, bone) in spine[..bending].iter().enumerate() {
                let share = self.bend_share(rig, at, bending);
                let share = share * share * ROTATION_FOLLOW;
                rig.rotate(*bone, slerp(Quat::IDENTITY, by.rotation, share - before));
                before = share;
            }
            rig.rotate(by.bone, slerp(Quat::IDENTITY, by.rotation, 1.0 - before));
        }
    }

    /// Moves the hips. The upper body follows with a lag.
    fn move_hips(&self, rig: &mut PosedRig<'_>, offset: Vec3) {
        let moved = self.limit_hips(rig, offset);
        rig.translate(self.landmarks.spine[0], moved);
        let last = self.landmarks.spine.len() - 1;
        if last > 1 {
            let lag = moved.with_y(0.0) * -HEAD_LAG;
            let end = rig.position(self.landmarks.spine[last]);
            self.bend(rig, 1..last, end, lag);
        }
    }

    /// Bends the first `bending` bones of the spine and moves the hips, so that a point above them moves by `offset`.
    fn bend_spine(&self, rig: &mut PosedRig<'_>, bending: usize, point: Vec3, offset: Vec3) {
        let hips = self.landmarks.spine[0];
        let along = (point - rig.position(hips)).normalize_or(Vec3::Y);
        let stretch = offset.project_onto_normalized(along);
        // A spine cannot stretch, so the hips follow along the spine.
        let wanted = stretch + (offset - stretch) * HIPS_FOLLOW;
        let first = self.limit_hips(rig, wanted);
        let missing = self.bend(rig, 0..bending, point, offset - first);
        let moved = self.limit_hips(rig, wanted + missing);
        rig.translate(hips, moved);
    }

    /// Bends a part of the spine in an arc, so that a point above the part moves by `offset`. Returns the movement that
    /// the bend could not perform.
    fn bend(&self, rig: &mut PosedRig<'_>, part: std::ops::Range<usize>, point: Vec3, offset: Vec3) -> Vec3 {
        let mut segments = [Vec3::ZERO; MAX_SPINE_BONES];
        let mut shares = [0.0; MAX_SPINE_BONES];
        let (first, count) = (part.start, part.len());
        let start = rig.position(self.landmarks.spine[first]);
        let mut weight = 0.0;
        let mut length = 0.0;
        for at in 0..count {
            let head = rig.position(self.landmarks.spine[first + at]);
            let next = if at + 1 < count { rig.position(self.landmarks.spine[first + at + 1]) } else { point };
            segments[at] = next - head;
            shares[at] = self.bend_share(rig, first + at, part.end);
            weight += segments[at].length() * shares[at];
            length += segments[at].length();
        }
        let direct = point - start;
        let target = direct + soft_limit(offset, direct.length() * SPINE_REACH);
        let Some(axis) = direct.cross(target).try_normalize().filter(|_| weight > length * 1e-3) else { return offset };
        let bent = |angle: f32| -> Vec3 {
            let rotated = |at: usize| Quat::from_axis_angle(axis, angle * shares[at]) * segments[at];
            (0..count).map(rotated).sum()
        };
        let angle_to = |to: Vec3| libm::atan2f(axis.dot(direct.cross(to)), direct.dot(to));
        let (wanted, mean) = (angle_to(target), weight / length);
        let mut angle = wanted / mean;
        for _ in 0..BEND_STEPS {
            angle = (angle + (wanted - angle_to(bent(angle))) / mean).clamp(-MAX_BEND, MAX_BEND);
        }
        if !angle.is_finite() {
            return offset;
        }
        let mut before = 0.0;
        for (bone, share) in self.landmarks.spine[part].iter().zip(shares) {
            rig.rotate(*bone, Quat::from_axis_angle(axis, angle * (share - before)));
            before = share;
        }
        if let Some(last) = self.landmarks.spine.get(first + count..).and_then(<[BoneId]>::last) {
            rig.rotate(*last, Quat::from_axis_angle(axis, -angle * before * HEAD_UPRIGHT));
        }
        offset - (bent(angle) - direct)
    }

    /// Returns the share of a bend that a spine bone has performed after its own rotation: little at the hips, and all
    /// of the bend at the last of `bending` bones.
    fn bend_share(&self, rig: &PosedRig<'_>, index: usize, bending: usize) -> f32 {
        let spine = &self.landmarks.spine;
        let lengths = |range: std::ops::Range<usize>| -> f32 {
            range.map(|at| rig.position(spine[at]).distance(rig.position(spine[at + 1]))).sum()
        };
        let (below, all) = (lengths(0..index), lengths(0..bending - 1));
        let along = if all > f32::MIN_POSITIVE {
            below / all
        } else if bending > 1 {
            index as f32 / (bending - 1) as f32
        } else {
            1.0
        };
        HIPS_BEND + (1.0 - HIPS_BEND) * along
    }

    fn pose_limb(&self, rig: &mut PosedRig<'_>, index: usize, joint: usize, by: &BodyDisplacement) {
        let Some(limb) = self.limbs.get(index) else { return };
        let planted = self.planted_ends(rig, Some(index));
        let start = rig.limb(limb);
        let foot = rig.rotation(limb.bones[2]);
        let moved = [start.root, start.middle, start.end][joint] + by.offset;
        let follow = if joint == 0 { by.offset } else { body_follow(&start, joint, moved, by.offset) };
        if by.offset != Vec3::ZERO {
            if limb.spine == 0 {
                self.move_hips(rig, follow);
            } else {
                self.bend_spine(rig, limb.spine + 1, start.root, follow);
            }
            self.plant(rig, &planted);
            match joint {
                0 => {}
                1 => self.aim_upper_bone(rig, limb, moved),
                _ => self.reach_softly(rig, limb, &start, moved),
            }
        }
        if limb.stands {
            rig.set_rotation(limb.bones[2], foot);
        }
        rig.rotate(by.bone, by.rotation);
    }

    /// Points the first bone of a limb to a goal of the second bone.
    fn aim_upper_bone(&self, rig: &mut PosedRig<'_>, limb: &Limb, goal: Vec3) {
        let joints = rig.limb(limb);
        let swing = self.swing(rig, limb, joints.middle - joints.root, goal - joints.root);
        rig.rotate(limb.bones[0], swing);
    }

    /// Moves the end of a limb to a goal. Slows down before the limb is straight, and passes in front of the body.
    fn reach_softly(&self, rig: &mut PosedRig<'_>, limb: &Limb, start: &TwoBoneLimb, goal: Vec3) {
        let now = rig.limb(limb);
        let (mut to_goal, from) = (goal - now.root, start.end - start.root);
        if !limb.stands {
            let clearance = |v: Vec3| self.clearance(rig, limb, v, now.length());
            let carrier = rig.rotation(self.landmarks.spine[limb.spine]);
            to_goal += carrier * limb.forward * (clearance(to_goal) - clearance(from));
        }
        if let Some(shoulder) = limb.shoulder.filter(|_| !limb.stands) {
            let swing = self.swing(rig, limb, now.end - now.root, to_goal);
            let goal = now.root + to_goal;
            rig.rotate(shoulder, slerp(Quat::IDENTITY, swing, SHOULDER_SHARE));
            to_goal = goal - rig.position(limb.bones[0]);
        }
        let root = rig.position(limb.bones[0]);
        let length = now.length();
        let soft = (length * LIMB_SOFT_REACH).max(from.length()).min(length);
        let (distance, room) = (to_goal.length(), length - soft);
        if distance > soft {
            let beyond = if room > length * 1e-4 { room * (1.0 - libm::expf(-(distance - soft) / room)) } else { 0.0 };
            to_goal *= (soft + beyond) / distance;
        }
        self.reach(rig, limb, root + to_goal);
    }

    /// Returns how far a hand must be in front of the body, where `reach` is the hand relative to the shoulder.
    fn clearance(&self, rig: &PosedRig<'_>, limb: &Limb, reach: Vec3, length: f32) -> f32 {
        let carrier = rig.rotation(self.landmarks.spine[limb.spine]);
        let across = (-reach.dot(carrier * limb.outward)).max(0.0);
        let near = (1.0 - reach.length() / (length * SHOULDER_CLEARANCE)).max(0.0);
        let at_chest = CHEST_CLEARANCE * across * across / (across + length * 0.3);
        near * near * length * SHOULDER_CLEARANCE + at_chest
    }
}

/// Returns the displacement by which the body follows a limb: small at first, and larger after the limb is stretched.
fn body_follow(start: &TwoBoneLimb, joint: usize, goal: Vec3, offset: Vec3) -> Vec3 {
    let length = if joint == 1 { start.root.distance(start.middle) } else { start.length() };
    let dragged = if joint == 1 { start.middle } else { start.end };
    let beyond = |point: Vec3| (point.distance(start.root) - length * LIMB_COMFORT).max(0.0);
    let pull = (beyond(goal) - beyond(dragged)).max(0.0);
    offset * BODY_FOLLOW + (goal - start.root).normalize_or_zero() * soft_pull(pull, length)
}

/// Smooths and limits a pull: a short pull has nearly no effect, and the result does not exceed `length`.
fn soft_pull(pull: f32, length: f32) -> f32 {
    let onset = length * 0.1;
    if pull > 0.0 && onset > 0.0 { length * libm::tanhf(pull * pull / (pull + onset) / length) } else { 0.0 }
}

/// Removes landmarks that the skeleton lacks or that are not below each other.
fn valid_landmarks(skeleton: &Skeleton, mut landmarks: BodyLandmarks) -> BodyLandmarks {
    let exists = |bone: &BoneId| bone.index() < skeleton.len();
    let mut ordered: Vec<BoneId> = Vec::new();
    for bone in landmarks.spine.into_iter().filter(exists) {
        if ordered.last().is_none_or(|last| skeleton.is_ancestor(*last, bone)) {
            ordered.push(bone);
        }
    }
    // A long spine bends at evenly distributed bones, and always at its ends.
    if ordered.len() > MAX_SPINE_BONES {
        let last = ordered.len() - 1;
        let kept = |at: usize| ordered[at * last / (MAX_SPINE_BONES - 1)];
        ordered = (0..MAX_SPINE_BONES).map(kept).collect();
    }
    let is_limb = |limb: &LimbLandmarks| {
        limb.bones.iter().all(exists)
            && skeleton.is_ancestor(limb.bones[0], limb.bones[1])
            && skeleton.is_ancestor(limb.bones[1], limb.bones[2])
            && ordered.first().is_some_and(|hips| skeleton.is_ancestor(*hips, limb.bones[0]))
            && !limb.bones.iter().any(|bone| ordered.contains(bone))
    };
    landmarks.limbs.retain(is_limb);
    landmarks.limbs.truncate(MAX_LIMBS);
    let is_kept = |bone: &BoneId| ordered.contains(bone);
    BodyLandmarks {
        chest: landmarks.chest.filter(is_kept),
        head: landmarks.head.filter(is_kept),
        limbs: landmarks.limbs,
        tail: landmarks.tail.filter(exists),
        spine: ordered,
    }
}

/// A pose that is being changed.
struct PosedRig<'a> {
    skeleton: &'a Skeleton,
    pose: &'a mut Pose,
}

impl PosedRig<'_> {
    /// Returns the transform of a bone's parent in world space.
    fn parent_transform(&self, bone: BoneId) -> Affine3A {
        let above = self.skeleton.ancestors(bone);
        above.fold(Affine3A::IDENTITY, |to_world, bone| self.pose.local[bone.index()].to_affine() * to_world)
    }

    fn parent_rotation(&self, bone: BoneId) -> Quat {
        let above = self.skeleton.ancestors(bone);
        above.fold(Quat::IDENTITY, |rotation, bone| self.pose.local[bone.index()].rotation * rotation)
    }

    /// Returns the head of a bone in world space.
    fn position(&self, bone: BoneId) -> Vec3 {
        self.parent_transform(bone).transform_point3(self.pose.local[bone.index()].translation)
    }

    fn rotation(&self, bone: BoneId) -> Quat {
        self.parent_rotation(bone) * self.pose.local[bone.index()].rotation
    }

    fn limb(&self, limb: &Limb) -> TwoBoneLimb {
        let [root, middle, end] = limb.bones.map(|bone| self.position(bone));
        TwoBoneLimb { root, middle, end }
    }

    /// Rotates a bone about its head, in world space.
    fn rotate(&mut self, bone: BoneId, rotation: Quat) {
        self.set_rotation(bone, rotation * self.rotation(bone));
    }

    /// Sets the rotation of a bone in world space.
    fn set_rotation(&mut self, bone: BoneId, rotation: Quat) {
        let local = (self.parent_rotation(bone).inverse() * rotation).normalize();
        if local.is_finite() {
            self.pose.local[bone.index()].rotation = local;
        }
    }

    /// Moves a bone in world space.
    fn translate(&mut self, bone: BoneId, offset: Vec3) {
        let offset = self.parent_transform(bone).inverse().transform_vector3(offset);
        // The offset can overflow if the scale of the parent is close to zero.
        if offset.length_squared().is_finite() {
            self.pose.local[bone.index()].translation += offset;
        }
    }
}
