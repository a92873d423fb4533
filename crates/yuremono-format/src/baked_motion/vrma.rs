//! Writes a VRM animation: `VRMC_vrm_animation` 1.0.
//!
//! The file has one node per humanoid bone, with unrotated bones in the rest pose of the character. The retargeter
//! transfers the motion, so that the rotation of a bone without a role, such as the root of the character, is part of the
//! humanoid bones below it. VRM animations face +Z and store rotations, and the translation of the hips. Everything else
//! that moves is reported: other translations, scales, eyes, and bones without a humanoid bone below them.

use super::{BakedBones, WrittenMotion};
use crate::gltf_json::animation_data::{AnimationData, FirstIndices};
use crate::gltf_json::bin_chunk;
use crate::gltf_json::splice::shortest_number;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use yuremono_sim::diagnostics::{Diagnostic, Location, MessageText, join_first_names, message};
use yuremono_sim::rig::{
    BoneId, Character, MotionError, MovedBone, PoseTrack, ReducedClip, key_count, normalized_humanoid, reduce_keys,
    retarget,
};

/// Roles that a VRM animation must not contain: it stores the direction of the gaze instead.
const EYES: [&str; 2] = ["leftEye", "rightEye"];

/// Returns what a VRM animation cannot store. Fails if the character has no hips, which the specification requires, or if
/// the animation would be empty.
pub fn check(file: &str, bones: &BakedBones<'_>) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    let stored = StoredBones::new(bones.character);
    let message = if bones.character.humanoid.bone("hips").is_none() {
        message!("the character has no humanoid bones, which a VRM animation needs; write a .glb, .vrm or .csv instead")
    } else if !bones.moved.iter().any(|moved| stored.has_part_of(*moved)) {
        empty_text()
    } else {
        return Ok(losses(file, bones, &stored));
    };
    Err(vec![Diagnostic::error(Location::file(file), message)])
}

/// Returns a VRM animation. Keys are removed within `limit` after the motion was transferred.
pub fn write(
    file: &str,
    bones: &BakedBones<'_>,
    track: &PoseTrack,
    name: &str,
    limit: Option<MotionError>,
) -> Result<WrittenMotion, Vec<Diagnostic>> {
    let losses = check(file, bones)?;
    let (character, target) = (bones.character, normalized_humanoid(bones.character, &is_stored_role));
    let whole = |why: MessageText| vec![Diagnostic::error(Location::file(file), why)];
    let all = track.to_clip(name, &character.skeleton);
    let motion = retarget(&all, character, &target).map_err(|why| whole(why.to_string().into()))?;
    if motion.channels.is_empty() {
        return Err(whole(empty_text()));
    }
    let reduced = limit.and_then(|limit| {
        let track = PoseTrack::from_clip(&motion, &target.skeleton);
        reduce_keys(&track, &target.skeleton, &[], name, limit, &|_| true)
    });
    let ReducedClip { clip, error } = reduced.unwrap_or(ReducedClip { clip: motion, error: MotionError::default() });
    let nodes: Vec<Option<usize>> = clip.channels.iter().map(|channel| Some(channel.bone.index())).collect();
    let data = AnimationData::new(&clip, name, &nodes, FirstIndices { accessor: 0, buffer_view: 0 });
    let json = document(&target, &data).to_string().into_bytes();
    let bytes = bin_chunk::new_glb(json, &data.bytes)
        .ok_or_else(|| whole(message!("the file would be longer than the 4 GiB that a GLB can have")))?;
    let bones = clip.channels.iter().map(|channel| channel.bone).collect::<BTreeSet<_>>().len();
    let (channels, keys) = (clip.channels.len(), key_count(&clip));
    Ok(WrittenMotion { bytes, name: name.to_owned(), losses, bones, channels, keys, error })
}

fn empty_text() -> MessageText {
    message!("the VRM animation would be empty, because no humanoid bone moves; write a .glb, .vrm or .csv instead")
}

fn is_stored_role(role: &str) -> bool {
    !EYES.contains(&role)
}

/// The bones whose motion is part of a VRM animation. Indexed by bone.
#[derive(Debug)]
struct StoredBones {
    /// Bones with a stored role, and their ancestors: their rotations are part of the next bone with a role.
    rotation: Vec<bool>,
    /// The hips and their ancestors.
    translation: Vec<bool>,
}

impl StoredBones {
    fn new(character: &Character) -> Self {
        let skeleton = &character.skeleton;
        let with_ancestors = |bones: &[BoneId]| {
            let mut found = vec![false; skeleton.len()];
            for bone in bones {
                std::iter::once(*bone).chain(skeleton.ancestors(*bone)).for_each(|bone| found[bone.index()] = true);
            }
            found
        };
        let humanoid = character.humanoid.iter().filter(|(role, _)| is_stored_role(role));
        let humanoid: Vec<BoneId> = humanoid.map(|(_, bone)| bone).collect();
        let hips: Vec<BoneId> = character.humanoid.bone("hips").into_iter().collect();
        Self { rotation: with_ancestors(&humanoid), translation: with_ancestors(&hips) }
    }

    fn has_part_of(&self, moved: MovedBone) -> bool {
        let at = moved.bone.index();
        (moved.rotation && self.rotation[at]) || (moved.translation && self.translation[at])
    }
}

fn losses(file: &str, bones: &BakedBones<'_>, stored: &StoredBones) -> Vec<Diagnostic> {
    let is_eye = |bone| bones.character.humanoid.role(bone).is_some_and(|role| EYES.contains(&role));
    let has_place = |moved: &MovedBone| stored.rotation[moved.bone.index()];
    let without_place = bones.moved_names(|moved| !has_place(moved) && !is_eye(moved.bone));
    let eyes = bones.moved_names(|moved| !has_place(moved) && is_eye(moved.bone));
    let translated = |moved: &MovedBone| moved.translation && !stored.translation[moved.bone.index()];
    let translations = bones.moved_names(|moved| has_place(moved) && translated(moved));
    let scales = bones.moved_names(|moved| has_place(moved) && moved.scale);
    let text = |names: &[String]| join_first_names(names);
    let mut messages = Vec::new();
    if !without_place.is_empty() {
        messages.push(message!(
            "a VRM animation stores humanoid bones only; these bones are left out: {names}",
            names = text(&without_place)
        ));
    }
    if !eyes.is_empty() {
        messages.push(message!("a VRM animation stores no eye bones; left out: {names}", names = text(&eyes)));
    }
    if !translations.is_empty() {
        messages.push(message!(
            "a VRM animation stores no translations except that of the hips; left out: {names}",
            names = text(&translations)
        ));
    }
    if !scales.is_empty() {
        messages.push(message!("a VRM animation stores no scales; left out: {names}", names = text(&scales)));
    }
    messages.into_iter().map(|message| Diagnostic::warning(Location::file(file), message)).collect()
}

fn document(target: &Character, data: &AnimationData) -> Value {
    let skeleton = &target.skeleton;
    let mut human_bones = Map::new();
    for (role, bone) in target.humanoid.iter() {
        human_bones.insert(role.to_owned(), json!({ "node": bone.0 }));
    }
    let node = |bone: BoneId| {
        let translation = skeleton.bone(bone).rest.translation.to_array().map(shortest_number);
        let mut node = json!({ "name": skeleton.name(bone), "translation": translation });
        let children: Vec<u32> = skeleton.children(bone).iter().map(|child| child.0).collect();
        if !children.is_empty() {
            node["children"] = json!(children);
        }
        node
    };
    let roots: Vec<u32> = skeleton.roots().map(|bone| bone.0).collect();
    let mut document = json!({
        "asset": { "version": "2.0", "generator": "Yuremono" },
        "scene": 0,
        "scenes": [{ "nodes": roots }],
        "nodes": skeleton.ids().map(node).collect::<Vec<_>>(),
        "extensionsUsed": ["VRMC_vrm_animation"],
        "extensions": { "VRMC_vrm_animation": {
            "specVersion": "1.0",
            "humanoid": { "humanBones": human_bones },
        } },
    });
    // glTF forbids empty lists.
    if !data.accessors.is_empty() {
        document["animations"] = json!([data.animation]);
        document["accessors"] = json!(data.accessors);
        document["bufferViews"] = json!([{ "buffer": 0, "byteOffset": 0, "byteLength": data.bytes.len() }]);
        document["buffers"] = json!([{ "byteLength": data.bytes.len() }]);
    }
    document
}
