//! Reads dances of `MikuMikuDance` (`.vmd`).
//!
//! A VMD has keys for the bones of an MMD model, but no model. [`read`] poses a model with the proportions of the character
//! 60 times a second, legs by inverse kinematics. The result is a character without meshes and one clip, like that of a
//! BVH. Keys of faces and cameras are reported and left out.

mod keys;
mod model;

use keys::{FRAMES_PER_SECOND, VmdKeys};
use model::DancingModel;
use yuremono_sim::diagnostics::{Diagnostic, Location, MessageText, join_first_names, message};
use yuremono_sim::rig::{BoneId, Channel, ChannelInterpolation, ChannelValues, Character, Clip, Pose};

pub(crate) use keys::is_vmd;

/// Samples of the motion for each frame of the file.
const SAMPLES_PER_FRAME: u32 = 2;

/// Whether a file has the name of a VMD.
pub(super) fn has_extension(file_name: &str) -> bool {
    file_name.rsplit_once('.').is_some_and(|(_, extension)| extension.eq_ignore_ascii_case("vmd"))
}

/// Returns the error for a file with the name of a VMD and other content.
pub(super) fn not_a_vmd(file_name: &str) -> Diagnostic {
    let message = message!("byte 0: the file does not start with \"Vocaloid Motion Data\". The motion is not loaded");
    Diagnostic::error(Location::file(file_name), message)
}

/// Reads a motion for a character, and returns what was left out. `file_name` appears in messages, and names the clip.
pub(super) fn read(
    bytes: &[u8],
    file_name: &str,
    character: &Character,
) -> Result<(Character, Vec<Diagnostic>), Vec<Diagnostic>> {
    let file = Location::file(file_name);
    let fail = |message: MessageText| vec![Diagnostic::error(file.clone(), message)];
    let keys = VmdKeys::parse(bytes).map_err(|fault| fail(message!("{fault}. The motion is not loaded", fault)))?;
    if keys.bones.is_empty() {
        let error = fail(message!(
            "the file has no usable bone key; it has {faces} face keys and {cameras} camera keys. The motion is not loaded",
            faces = keys.face_count,
            cameras = keys.camera_count
        ));
        return Err(error.into_iter().chain(unusable_keys(&keys, &file)).collect());
    }
    let model = DancingModel::new(&keys, character).map_err(|err| fail(MessageText::from(err.to_string())))?;
    let name = file_name.rsplit_once('.').map_or(file_name, |(stem, _)| stem);
    let clip = build_clip(&model, &Pose::rest(&model.body().skeleton), model::last_frame(&keys), name);
    if clip.channels.is_empty() {
        let names: Vec<String> = keys.bones.keys().cloned().collect();
        return Err(fail(message!(
            "no bone of the dance is a known bone of MMD: {names}. The motion is not loaded",
            names = join_first_names(&names)
        )));
    }
    let diagnostics = diagnostics(&keys, &model, &file);
    let source =
        Character { name: name.to_owned(), format_name: "VMD".to_owned(), clips: vec![clip], ..model.body().clone() };
    Ok((source, diagnostics))
}

fn build_clip(model: &DancingModel<'_>, rest: &Pose, last_frame: u32, name: &str) -> Clip {
    let frames = (0..=last_frame * SAMPLES_PER_FRAME).map(|sample| sample as f32 / SAMPLES_PER_FRAME as f32);
    let times: Vec<f32> = frames.clone().map(|frame| frame / FRAMES_PER_SECOND).collect();
    let animated: Vec<usize> = (0..rest.local.len()).filter(|bone| model.is_animated(*bone)).collect();
    let mut rotations = vec![Vec::with_capacity(times.len()); animated.len()];
    let mut hips = Vec::with_capacity(times.len());
    let mut pose = rest.clone();
    for frame in frames {
        model.write_pose(frame, &mut pose);
        hips.push(pose.local[0].translation);
        for (bone, rotations) in animated.iter().zip(&mut rotations) {
            rotations.push(pose.local[*bone].rotation);
        }
    }
    let channel = |bone: usize, values| Channel {
        bone: BoneId(bone as u32),
        times: times.clone(),
        values,
        interpolation: ChannelInterpolation::Linear,
    };
    let mut channels: Vec<Channel> = animated
        .iter()
        .zip(rotations)
        .map(|(bone, rotations)| channel(*bone, ChannelValues::Rotation(rotations)))
        .collect();
    if model.is_animated(0) {
        channels.push(channel(0, ChannelValues::Translation(hips)));
    }
    Clip { name: name.to_owned(), duration: times.last().copied().unwrap_or(0.0), channels }
}

/// Reports what the motion leaves out.
fn diagnostics(keys: &VmdKeys, model: &DancingModel<'_>, file: &Location) -> Vec<Diagnostic> {
    let moves =
        |track: &[keys::BoneKey]| track.iter().any(|key| key.position.length() > 1e-5 || key.rotation.w.abs() < 1.0);
    let unknown = keys.bones.iter().filter(|(name, track)| !model.has(name) && moves(track));
    let unknown: Vec<String> = unknown.map(|(name, _)| name.clone()).collect();
    let mut found = Vec::new();
    let mut info = |message| found.push(Diagnostic::info(file.clone(), message));
    if keys.face_count + keys.camera_count > 0 {
        info(message!(
            "{faces} face keys and {cameras} camera keys are left out; only bones are animated",
            faces = keys.face_count,
            cameras = keys.camera_count
        ));
    }
    if !unknown.is_empty() {
        info(message!(
            "no humanoid bone corresponds to {names}; their keys are left out",
            names = join_first_names(&unknown)
        ));
    }
    if let Some(fault) = keys.truncation.clone() {
        found.push(Diagnostic::warning(file.clone(), message!("{fault}. The bones are animated", fault)));
    }
    found.extend(unusable_keys(keys, file));
    found
}

/// Reports the keys that were left out because of their values or names.
fn unusable_keys(keys: &VmdKeys, file: &Location) -> Vec<Diagnostic> {
    let faults = [
        (
            keys.not_finite_count,
            message!(
                "{n:key has|keys have} a value that is not a usable number; expected offsets up to 10000. They are left out",
                n = keys.not_finite_count
            ),
        ),
        (
            keys.late_count,
            message!(
                "{n:key is|keys are} later than 30:00; expected keys up to 30:00. They are left out",
                n = keys.late_count
            ),
        ),
        (
            keys.undecodable_count,
            message!(
                "{n:name is|names are} in an unknown encoding; expected Shift-JIS or UTF-8. Their keys are left out",
                n = keys.undecodable_count
            ),
        ),
    ];
    let warning = |(_, fault)| Diagnostic::warning(file.clone(), fault);
    faults.into_iter().filter(|(count, _)| *count > 0).map(warning).collect()
}
