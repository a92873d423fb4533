//! The pose of a sender, and its transfer to a character.

use super::packet::{Message, Placement};
use glam::{Quat, Vec3};
use std::collections::BTreeMap;
use std::f32::consts::PI;
use yuremono_sim::math::Trs;
use yuremono_sim::rig::{
    BoneId, Character, Facing, Pose, PoseRetargeter, RetargetError, WorldPose, node_rotation_in_plus_z,
    normalized_humanoid, with_arms,
};

/// Smallest height of hips that counts, in metres. Some senders send 0 for all positions.
const MIN_HIPS_HEIGHT: f32 = 0.05;
/// Hips of senders whose height differs less count as equally high.
const SAME_HEIGHT_SHARE: f32 = 0.12;
/// Angle within which two rotations count as equal, in radians.
const SAME_ROTATION: f32 = 0.05;
/// Number of bones without which a body is incomplete. A frame of a sender can be many datagrams.
const MIN_BODY_BONES: usize = 15;
/// Number of bones that decide how the sender measures rotations.
const MIN_DECIDING_BONES: usize = 3;

/// How a sender measures the rotations of its bones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SenderBones {
    /// Decided by the first rotations.
    #[default]
    Automatic,
    /// Relative to the T-pose, whatever the model.
    Normalized,
    /// The rotations of the nodes of the same model.
    SameModel,
}

/// The newest values of a sender, and the character that they pose.
#[derive(Clone, Debug)]
pub(super) struct LivePose {
    bones: BTreeMap<&'static str, Placement>,
    root: Option<Placement>,
    /// The height of the hips of the sender in its first message, in metres.
    hips_height: Option<f32>,
    /// Whether the artist has measured the height, so it counts even if it is close to that of the character.
    is_calibrated: bool,
    setting: SenderBones,
    /// What [`SenderBones::Automatic`] decided.
    decided: Option<SenderBones>,
    target: Target,
}

/// The character that is posed.
#[derive(Clone, Debug)]
struct Target {
    /// Unrotated humanoid bones of the character, which face +Z.
    humanoid: Character,
    retargeter: PoseRetargeter,
    rest: Pose,
    /// The character's humanoid bones, with their local rotations at rest.
    bones: Vec<(&'static str, BoneId, Quat)>,
    facing: Facing,
}

impl LivePose {
    /// Fails if the character has no humanoid bones.
    pub(super) fn new(character: &Character, setting: SenderBones) -> Result<Self, RetargetError> {
        // A sender's identity is a T-pose.
        let humanoid = with_arms(normalized_humanoid(character, &|_| true), 0.0);
        let retargeter = PoseRetargeter::by_direction(&humanoid, character)?;
        let rest = Pose::rest(&character.skeleton);
        let bones = character.humanoid.iter().filter(|(_, bone)| bone.index() < rest.local.len());
        let bones = bones.map(|(role, bone)| (role, bone, rest.local[bone.index()].rotation)).collect();
        let target = Target { humanoid, retargeter, rest, bones, facing: character.facing };
        Ok(Self {
            bones: BTreeMap::new(),
            root: None,
            hips_height: None,
            is_calibrated: false,
            setting,
            decided: None,
            target,
        })
    }

    /// Forgets the values of a sender.
    pub(super) fn forget_sender(&mut self) {
        self.bones.clear();
        (self.root, self.hips_height, self.is_calibrated, self.decided) = (None, None, false, None);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bones.is_empty()
    }

    /// Stores a message. Returns whether the message can change the pose.
    pub(super) fn apply(&mut self, message: &Message) -> bool {
        match message {
            Message::Bone(role, placement) => {
                if *role == "hips" && placement.position.y > MIN_HIPS_HEIGHT {
                    self.hips_height.get_or_insert(placement.position.y);
                }
                self.bones.insert(role, *placement);
            }
            Message::Root(placement) => self.root = Some(*placement),
            Message::Loaded(_) | Message::Other => return false,
        }
        true
    }

    /// Measures the height of the hips again, for a sender that now stands upright.
    pub(super) fn calibrate(&mut self) {
        let hips = self.bones.get("hips").map(|hips| hips.position.y);
        self.hips_height = hips.filter(|height| *height > MIN_HIPS_HEIGHT);
        self.is_calibrated = self.hips_height.is_some();
    }

    /// How the rotations of the sender are measured.
    pub(super) fn sender_bones(&mut self) -> SenderBones {
        if self.setting != SenderBones::Automatic {
            return self.setting;
        }
        if self.bones.len() < MIN_BODY_BONES {
            return SenderBones::Normalized;
        }
        *self.decided.get_or_insert_with(|| self.target.decide(&self.bones))
    }

    /// Returns the pose of the character, with `turned` by half a turn.
    pub(super) fn pose(&mut self, turned: bool) -> Pose {
        let kind = self.sender_bones();
        let mut root = self.root.unwrap_or(Placement { position: Vec3::ZERO, rotation: Quat::IDENTITY });
        if turned {
            let half = Quat::from_rotation_y(PI);
            root = Placement { position: half * root.position, rotation: half * root.rotation };
        }
        let target = &mut self.target;
        let rest_hips = target.humanoid.humanoid.bone("hips").map(|bone| target.humanoid.skeleton.bone(bone).rest);
        let rest_hips = rest_hips.unwrap_or(Trs::IDENTITY).translation;
        let height = self.hips_height.unwrap_or(rest_hips.y);
        let ratio = rest_hips.y / height;
        let is_same = !self.is_calibrated && (ratio - 1.0).abs() < SAME_HEIGHT_SHARE;
        // The height of the rest pose is unknown, so equally high hips count as those of the same body.
        let (scale, rest_height) = if is_same || !ratio.is_finite() { (1.0, rest_hips.y) } else { (ratio, height) };
        let moved = self.bones.get("hips").filter(|_| self.hips_height.is_some());
        let moved = moved.map_or(Vec3::ZERO, |hips| hips.position - Vec3::Y * rest_height) * scale;
        let hips = root.position * scale + root.rotation * (rest_hips + moved);

        let mut source = Pose::rest(&target.humanoid.skeleton);
        for (role, bone) in target.humanoid.humanoid.iter() {
            if let (Some(placement), SenderBones::Normalized) = (self.bones.get(role), kind) {
                source.local[bone.index()].rotation = placement.rotation;
            }
            if role == "hips" {
                let local = &mut source.local[bone.index()];
                local.rotation = root.rotation * local.rotation;
                local.translation = hips;
            }
        }
        let world = WorldPose::from_pose(&target.humanoid.skeleton, &source);
        let mut pose = target.rest.clone();
        target.retargeter.transfer(&world, &mut pose);
        if kind == SenderBones::SameModel {
            for (role, bone, _) in &target.bones {
                let sent =
                    self.bones.get(role).map(|placement| node_rotation_in_plus_z(target.facing, placement.rotation));
                let local = &mut pose.local[bone.index()].rotation;
                *local = match sent {
                    // The retargeter has rotated the hips as the root.
                    Some(sent) if *role == "hips" => *local * target.rest.local[bone.index()].rotation.inverse() * sent,
                    Some(sent) => sent,
                    None => target.rest.local[bone.index()].rotation,
                };
            }
        }
        pose
    }

    /// The humanoid bones of the character.
    pub(super) fn posed_bones(&self) -> Vec<BoneId> {
        self.target.bones.iter().map(|(_, bone, _)| *bone).collect()
    }
}

impl Target {
    /// Decides by the bones that are rotated in the rest pose of the character: most bones of a sender are near its rest
    /// pose at any time.
    fn decide(&self, sent: &BTreeMap<&'static str, Placement>) -> SenderBones {
        let (mut like_rest, mut like_identity) = (0, 0);
        for (role, _, rest) in &self.bones {
            let Some(placement) = sent.get(role) else { continue };
            let rotation = node_rotation_in_plus_z(self.facing, placement.rotation);
            if rest.angle_between(Quat::IDENTITY) > 2.0 * SAME_ROTATION {
                like_rest += usize::from(rotation.angle_between(*rest) < SAME_ROTATION);
                like_identity += usize::from(rotation.angle_between(Quat::IDENTITY) < SAME_ROTATION);
            }
        }
        let is_same = like_rest > like_identity && like_rest >= MIN_DECIDING_BONES;
        if is_same { SenderBones::SameModel } else { SenderBones::Normalized }
    }
}
