//! Builds the character and the clip of a motion capture.

use super::stance::{CapturedBody, Stance};
use super::{ChannelKind, Fault, Joint, Motion, position, rotation};
use glam::{Quat, Vec3};
use yuremono_sim::diagnostics::MessageText;
use yuremono_sim::math::Trs;
use yuremono_sim::rig::{
    Bone, BoneId, Channel, ChannelInterpolation, ChannelValues, Character, Clip, Humanoid, Skeleton,
};

/// Builds the character in its standing pose, and returns what had to be assumed.
pub(super) fn build(joints: &[Joint], motion: &Motion, name: &str) -> Result<(Character, Vec<MessageText>), Fault> {
    let build_skeleton = |bones: Vec<Bone>| {
        Skeleton::new(bones).map_err(|err| Fault { line: None, message: MessageText::from(err.to_string()) })
    };
    let zero_pose = joints.iter().map(|joint| bone(joint, joint.parent, Quat::IDENTITY)).collect();
    let humanoid = Humanoid::find(&build_skeleton(zero_pose)?);
    let body = CapturedBody::new(joints, &humanoid);
    let mut stance = body.stance(motion);

    // The space of the file is a bone above the joints.
    let space = Trs { translation: Vec3::ZERO, rotation: stance.rotation, scale: Vec3::splat(stance.scale) };
    let mut bones = vec![Bone { name: String::new(), parent: None, rest: space }];
    let above = |joint: &Joint| Some(joint.parent.map_or(0, |parent| parent + 1));
    bones.extend(joints.iter().zip(&stance.locals).map(|(joint, local)| bone(joint, above(joint), *local)));
    bones[body.root + 1].rest.translation = stance.root;
    let skeleton = build_skeleton(bones)?;
    let mut shifted = Humanoid::default();
    for (role, bone) in humanoid.iter() {
        shifted.set(role, BoneId(bone.0 + 1));
    }
    let assumptions = std::mem::take(&mut stance.assumptions);
    let clip = build_clip(&body, motion, &stance, name);
    let character = Character {
        name: name.to_owned(),
        format_name: "BVH".to_owned(),
        skeleton,
        humanoid: shifted,
        clips: vec![clip],
        ..Character::default()
    };
    Ok((character, assumptions))
}

fn bone(joint: &Joint, parent: Option<usize>, rotation: Quat) -> Bone {
    let rest = Trs { translation: joint.offset, rotation, scale: Vec3::ONE };
    Bone { name: joint.name.clone(), parent: parent.map(|parent| BoneId(parent as u32)), rest }
}

fn build_clip(body: &CapturedBody<'_>, motion: &Motion, stance: &Stance, name: &str) -> Clip {
    let stride: usize = body.joints.iter().map(|joint| joint.channels.len()).sum();
    let frames = motion.values.chunks_exact(stride.max(1));
    let times: Vec<f32> = (0..frames.len()).map(|frame| (frame as f64 * motion.seconds_per_frame) as f32).collect();
    let channel = |joint: usize, values| Channel {
        bone: BoneId(joint as u32 + 1),
        times: times.clone(),
        values,
        interpolation: ChannelInterpolation::Linear,
    };
    let (mut channels, mut first) = (Vec::new(), 0);
    for (index, joint) in body.joints.iter().enumerate() {
        let own = first..first + joint.channels.len();
        first = own.end;
        let values = || frames.clone().map(|frame| &frame[own.clone()]);
        if joint.channels.iter().any(|kind| matches!(kind, ChannelKind::Rotation(_))) {
            let rotations = values().map(|values| rotation(&joint.channels, values)).collect();
            channels.push(channel(index, ChannelValues::Rotation(rotations)));
        }
        if body.is_moving[index] && body.has_positions() {
            let moved = if index == body.root { stance.offset } else { Vec3::ZERO };
            let positions = values().map(|values| position(joint, values) + moved).collect();
            channels.push(channel(index, ChannelValues::Translation(positions)));
        }
    }
    Clip { name: name.to_owned(), duration: times.last().copied().unwrap_or(0.0), channels }
}
