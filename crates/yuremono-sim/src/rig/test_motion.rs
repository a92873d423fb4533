//! Built-in test motions of the body, and the natural idle motion.
//!
//! A motion is a pure function of time, on top of the relaxed pose. All motions except the teleport loop seamlessly.

use super::relaxed_pose::relaxed_rotations;
use crate::math::Trs;
use crate::rig::{BoneId, Character, Facing, Pose, WorldPose};
use glam::{Quat, Vec3};
use serde::{Deserialize, Serialize};
use std::f32::consts::{PI, TAU};
use std::sync::Arc;

/// A motion that a character can perform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TestMotion {
    /// Breathes and shifts the weight from foot to foot.
    Idle,
    /// Rotates left and right about the vertical axis.
    Turn,
    /// Nods the head, or the whole character if there is no head bone.
    Nod,
    /// Bounces and sways as in walking.
    Walk,
    /// Runs forward, then stops abruptly.
    RunAndStop,
    /// Lifts one thigh, then the other.
    LegLift,
    /// Bends and stretches the knees.
    Squat,
    /// Crouches, jumps and lands.
    Jump,
    /// Moves to the side within one tick, and back half a period later.
    Teleport,
}

impl TestMotion {
    /// All motions, in menu order.
    pub const ALL: [Self; 9] = [
        Self::Idle,
        Self::Turn,
        Self::Nod,
        Self::Walk,
        Self::RunAndStop,
        Self::LegLift,
        Self::Squat,
        Self::Jump,
        Self::Teleport,
    ];

    /// Name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Turn => "turn",
            Self::Nod => "nod",
            Self::Walk => "walk",
            Self::RunAndStop => "run-and-stop",
            Self::LegLift => "leg-lift",
            Self::Squat => "squat",
            Self::Jump => "jump",
            Self::Teleport => "teleport",
        }
    }

    /// The motion with a name from the command line.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|m| m.name() == name)
    }

    /// Whether the character has the bones that the motion needs.
    pub fn supports_character(self, character: &Character) -> bool {
        match self {
            Self::Idle => character.humanoid.bone("hips").is_some(),
            Self::LegLift | Self::Squat => character.humanoid.bone("leftUpperLeg").is_some(),
            _ => !character.skeleton.is_empty(),
        }
    }

    /// Period in seconds at a speed of 1.
    pub const fn period(self) -> f32 {
        match self {
            Self::Idle => 8.0,
            Self::Turn | Self::Squat => 2.4,
            Self::Nod => 1.6,
            Self::Walk => 1.1,
            Self::RunAndStop => 3.2,
            Self::LegLift | Self::Jump => 2.8,
            Self::Teleport => 3.0,
        }
    }

    /// Adds the motion at `seconds` to `pose`, the relaxed pose. An `amplitude` of 1 is the full size of the motion;
    /// 0 does not move the character.
    pub fn apply(self, seconds: f32, amplitude: f32, body: &MotionBody, pose: &mut Pose) {
        let s = (seconds / self.period()).rem_euclid(1.0);
        let a = amplitude;
        let wave = libm::sinf(TAU * s);
        match self {
            Self::Idle => pose_idle(s, a, body, pose),
            Self::Turn => body.rotate_roots(pose, Quat::from_rotation_y(a * 1.2 * wave)),
            Self::Nod => {
                let nod = Quat::from_axis_angle(body.right(), -a * 0.45 * wave);
                match body.bone("head") {
                    Some(head) => body.rotate_bone(pose, head, nod),
                    None => body.rotate_roots(pose, Quat::from_axis_angle(body.right(), -a * 0.2 * wave)),
                }
            }
            Self::Walk => pose_walk(s, a, body, pose),
            Self::RunAndStop => body.move_roots(pose, body.forward() * (a * run_distance(s) * body.height)),
            Self::LegLift => {
                let (left, right) = (libm::sinf(TAU * s).max(0.0), (-libm::sinf(TAU * s)).max(0.0));
                body.bend_leg(pose, "left", a * 1.3 * left, a * 1.3 * left);
                body.bend_leg(pose, "right", a * 1.3 * right, a * 1.3 * right);
            }
            Self::Squat => pose_squat(0.5 - 0.5 * libm::cosf(TAU * s), a, body, pose),
            Self::Jump => pose_jump(s, a, body, pose),
            Self::Teleport => {
                let offset = if s < 0.5 { 0.0 } else { 1.0 };
                body.move_roots(pose, body.right() * (a * 1.3 * offset * body.height));
            }
        }
    }
}

/// Two breaths and one shift of the weight from foot to foot. The feet stay in place.
fn pose_idle(s: f32, a: f32, body: &MotionBody, pose: &mut Pose) {
    let breath = libm::sinf(2.0 * TAU * s + 0.35 * libm::sinf(2.0 * TAU * s));
    let shift = libm::sinf(TAU * s);
    let (right, forward) = (body.right(), body.forward());
    // Short legs step less: they would rotate too far below a shifted body.
    let leg = body.leg_length();
    let sway = a * shift * (0.011 * body.height).min(0.02 * leg);
    body.move_bone(pose, "hips", right * sway);
    let lean = if leg > 0.0 { libm::asinf((sway / leg).clamp(-0.5, 0.5)) } else { 0.0 };
    let turns = [
        ("leftUpperLeg", forward, lean),
        ("rightUpperLeg", forward, lean),
        ("leftFoot", forward, -lean),
        ("rightFoot", forward, -lean),
        // The upper body leans against the shift, so that the head stays above the feet.
        ("spine", forward, -a * 0.03 * shift),
        ("chest", right, a * 0.02 * breath),
        ("neck", right, -a * 0.012 * breath),
        ("head", Vec3::Y, a * 0.05 * shift),
        ("leftShoulder", forward, a * 0.02 * breath),
        ("rightShoulder", forward, -a * 0.02 * breath),
        ("leftUpperArm", forward, a * 0.025 * breath),
        ("rightUpperArm", forward, -a * 0.025 * breath),
        ("leftLowerArm", right, a * 0.04 * shift),
        ("rightLowerArm", right, -a * 0.04 * shift),
    ];
    for (role, axis, angle) in turns {
        if let Some(bone) = body.bone(role) {
            body.rotate_bone(pose, bone, Quat::from_axis_angle(axis, angle));
        }
    }
}

fn pose_walk(s: f32, a: f32, body: &MotionBody, pose: &mut Pose) {
    let step = libm::sinf(TAU * s);
    let lift = 0.5 - 0.5 * libm::cosf(2.0 * TAU * s);
    body.move_roots(pose, Vec3::Y * (a * 0.025 * body.height * lift) + body.right() * (a * 0.012 * body.height * step));
    body.bend_leg(pose, "left", a * 0.5 * step, a * 0.5 * (-step).max(0.0));
    body.bend_leg(pose, "right", -a * 0.5 * step, a * 0.5 * step.max(0.0));
    // An arm swings with the leg of the other side.
    for (role, sign) in [("leftUpperArm", 1.0), ("rightUpperArm", -1.0)] {
        if let Some(arm) = body.bone(role) {
            body.rotate_bone(pose, arm, Quat::from_axis_angle(body.right(), -sign * a * 0.4 * step));
        }
    }
    if let Some(spine) = body.bone("spine") {
        body.rotate_bone(pose, spine, Quat::from_rotation_y(a * 0.12 * step));
    }
}

/// Distance of the runner as a multiple of the height: runs forward, stops, and slowly returns.
fn run_distance(s: f32) -> f32 {
    if s < 0.3 {
        1.4 * (s / 0.3)
    } else if s < 0.6 {
        1.4
    } else {
        let back = (s - 0.6) / 0.4;
        1.4 * (0.5 + 0.5 * libm::cosf(PI * back))
    }
}

/// Squats by `depth`, from 0 to 1.
fn pose_squat(depth: f32, a: f32, body: &MotionBody, pose: &mut Pose) {
    let bend = a * 1.2 * depth;
    let drop = body.leg_length() * (1.0 - libm::cosf(bend));
    body.move_roots(pose, Vec3::NEG_Y * drop);
    body.bend_leg(pose, "left", bend, 2.0 * bend);
    body.bend_leg(pose, "right", bend, 2.0 * bend);
    for side in ["leftFoot", "rightFoot"] {
        if let Some(foot) = body.bone(side) {
            body.rotate_bone(pose, foot, Quat::from_axis_angle(body.right(), bend));
        }
    }
}

fn pose_jump(s: f32, a: f32, body: &MotionBody, pose: &mut Pose) {
    let crouch = |from: f32, to: f32| if s > from && s < to { libm::sinf(PI * (s - from) / (to - from)) } else { 0.0 };
    let depth = 0.45 * crouch(0.0, 0.3) + 0.35 * crouch(0.55, 0.8);
    pose_squat(depth, a, body, pose);
    if s > 0.25 && s < 0.6 {
        let t = (s - 0.25) / 0.35;
        body.move_roots(pose, Vec3::Y * (a * 0.3 * body.height * 4.0 * t * (1.0 - t)));
    }
}

/// The body of a character, as motions and drags use it: rest frames, humanoid bones and height.
#[derive(Clone, Debug)]
pub struct MotionBody {
    character: Arc<Character>,
    rest: WorldPose,
    /// The local rotations of the relaxed pose that differ from the rest pose.
    relaxed: Vec<(BoneId, Quat)>,
    /// Height from the lowest to the highest bone, in metres.
    pub height: f32,
}

impl MotionBody {
    /// Measures a character in its rest pose.
    pub fn new(character: &Arc<Character>) -> Self {
        let rest = WorldPose::from_pose(&character.skeleton, &Pose::rest(&character.skeleton));
        let ys = || rest.frames.iter().map(|f| f.position.y);
        let (low, high) = (ys().fold(f32::MAX, f32::min), ys().fold(f32::MIN, f32::max));
        let height = if high > low { high - low } else { 1.0 };
        let relaxed = relaxed_rotations(character, &rest);
        Self { character: Arc::clone(character), rest, relaxed, height }
    }

    /// Turns a rest pose into the relaxed pose, in which all built-in motions start.
    pub fn relax(&self, pose: &mut Pose) {
        for (bone, rotation) in &self.relaxed {
            if let Some(local) = pose.local.get_mut(bone.index()) {
                local.rotation = *rotation;
            }
        }
    }

    /// Returns the number of bones of the character file.
    pub fn bone_count(&self) -> usize {
        self.character.skeleton.len()
    }

    /// Returns the position of the hips in a pose, else that of the first root, in metres in the world.
    pub fn centre(&self, pose: &WorldPose) -> Option<Vec3> {
        let bone = self.bone("hips").or_else(|| self.character.skeleton.roots().next())?;
        pose.frames.get(bone.index()).map(|frame| frame.position)
    }

    /// Returns the position of [`MotionBody::centre`] in the rest pose.
    pub fn rest_centre(&self) -> Option<Vec3> {
        self.centre(&self.rest)
    }

    fn bone(&self, role: &str) -> Option<BoneId> {
        self.character.humanoid.bone(role).filter(|bone| bone.index() < self.character.skeleton.len())
    }

    fn forward(&self) -> Vec3 {
        match self.character.facing {
            Facing::PlusZ => Vec3::Z,
            Facing::MinusZ => Vec3::NEG_Z,
        }
    }

    fn right(&self) -> Vec3 {
        self.forward().cross(Vec3::Y)
    }

    fn leg_length(&self) -> f32 {
        let role = |r| self.bone(r).map(|b| self.rest.frame(b).position);
        role("leftUpperLeg").zip(role("leftFoot")).map_or(0.0, |(a, b)| a.distance(b))
    }

    /// Rotates a bone about its head. `rotation` is in the axes of the world in the rest pose.
    fn rotate_bone(&self, pose: &mut Pose, bone: BoneId, rotation: Quat) {
        let parent = self.character.skeleton.parent(bone).map_or(Quat::IDENTITY, |p| self.rest.frame(p).rotation);
        let local = &mut pose.local[bone.index()];
        local.rotation = parent.inverse() * rotation * parent * local.rotation;
    }

    /// Rotates the thigh forward and the knee backward, by angles in radians.
    fn bend_leg(&self, pose: &mut Pose, side: &str, thigh: f32, knee: f32) {
        let (upper, lower) =
            if side == "left" { ("leftUpperLeg", "leftLowerLeg") } else { ("rightUpperLeg", "rightLowerLeg") };
        if let Some(bone) = self.bone(upper) {
            self.rotate_bone(pose, bone, Quat::from_axis_angle(self.right(), thigh));
        }
        if let Some(bone) = self.bone(lower) {
            self.rotate_bone(pose, bone, Quat::from_axis_angle(self.right(), -knee));
        }
    }

    /// Moves a bone by an offset in the axes of the world in the rest pose.
    fn move_bone(&self, pose: &mut Pose, role: &str, offset: Vec3) {
        let Some(bone) = self.bone(role) else { return };
        let parent = self.character.skeleton.parent(bone).map(|parent| self.rest.frame(parent));
        let local = parent.map_or(offset, |frame| frame.inverse_transform_point(frame.position + offset));
        if local.is_finite() {
            pose.local[bone.index()].translation += local;
        }
    }

    fn move_roots(&self, pose: &mut Pose, offset: Vec3) {
        for root in self.character.skeleton.roots() {
            pose.local[root.index()].translation += offset;
        }
    }

    fn rotate_roots(&self, pose: &mut Pose, rotation: Quat) {
        for root in self.character.skeleton.roots() {
            let local: &mut Trs = &mut pose.local[root.index()];
            local.translation = rotation * local.translation;
            local.rotation = rotation * local.rotation;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{Bone, Skeleton};

    fn character() -> Arc<Character> {
        let bone = |name: &str, parent: Option<u32>, y| Bone {
            name: name.to_owned(),
            parent: parent.map(BoneId),
            rest: Trs::from_translation(Vec3::new(0.0, y, 0.0)),
        };
        let bones = vec![bone("hips", None, 0.8), bone("head", Some(0), 0.6), bone("thigh", Some(0), -0.1)];
        let mut character = Character { skeleton: Skeleton::new(bones).expect("ordered"), ..Character::default() };
        character.humanoid.set("head", BoneId(1));
        character.humanoid.set("leftUpperLeg", BoneId(2));
        Arc::new(character)
    }

    #[test]
    fn every_motion_is_finite_and_zero_amplitude_is_no_motion() {
        let character = character();
        let body = MotionBody::new(&character);
        let rest = Pose::rest(&character.skeleton);
        for motion in TestMotion::ALL {
            for tick in 0..400_u16 {
                let mut pose = rest.clone();
                motion.apply(f32::from(tick) / 60.0, 1.0, &body, &mut pose);
                assert!(pose.local.iter().all(|l| l.is_finite()), "{motion:?} at tick {tick}");
                let mut still = rest.clone();
                motion.apply(f32::from(tick) / 60.0, 0.0, &body, &mut still);
                let off = still.local.iter().zip(&rest.local).map(|(a, b)| a.translation.distance(b.translation));
                assert!(off.fold(0.0, f32::max) < 1e-6, "{motion:?} moves at amplitude 0");
            }
        }
    }

    #[test]
    fn every_motion_except_teleport_loops_seamlessly() {
        let character = character();
        let body = MotionBody::new(&character);
        for motion in TestMotion::ALL.into_iter().filter(|m| *m != TestMotion::Teleport) {
            let at = |seconds| {
                let mut pose = Pose::rest(&character.skeleton);
                motion.apply(seconds, 1.0, &body, &mut pose);
                pose
            };
            let (start, end) = (at(0.0), at(motion.period() - 1e-4));
            for (a, b) in start.local.iter().zip(&end.local) {
                assert!(a.translation.distance(b.translation) < 2e-3, "{motion:?}");
                assert!(a.rotation.angle_between(b.rotation) < 2e-2, "{motion:?}");
            }
        }
    }

    #[test]
    fn motion_names_round_trip() {
        for motion in TestMotion::ALL {
            assert_eq!(TestMotion::from_name(motion.name()), Some(motion));
        }
    }
}
