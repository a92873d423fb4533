//! Writes a VRM animation: `VRMC_vrm_animation` 1.0.
//!
//! The file has one node per humanoid bone, with unrotated bones in the rest pose of the character. The retargeter
//! transfers the motion, so that the motion of bones without a role, such as the root of the character, is part of the
//! next humanoid bone. VRM animations face +Z and store rotations, and the translation of the hips.

use super::WrittenMotion;
use super::animation_data::{AnimationData, FirstIndices};
use crate::diagnostics::{Diagnostic, Location, MessageText, join_first_names, message};
use crate::format::gltf_json::bin_chunk;
use crate::format::gltf_json::splice::shortest_number;
use crate::math::Trs;
use crate::rig::{Bone, BoneId, Character, Clip, Facing, Humanoid, Pose, Skeleton, WorldPose, retarget};
use glam::{Quat, Vec3};
use serde_json::{Map, Value, json};
use std::f32::consts::PI;

/// Fails if the character cannot have a VRM animation, because it has no hips. The specification requires this bone.
pub fn check_character(character: &Character, file: &str) -> Result<(), Diagnostic> {
    if character.humanoid.bone("hips").is_some() {
        return Ok(());
    }
    let message = message!(
        "the character has no humanoid bones, which a VRM animation needs; write a .glb, .vrm or .csv instead"
    );
    Err(Diagnostic::error(Location::file(file), message))
}

/// Returns a VRM animation. Bones of the clip without a role are reported, because the file cannot store them.
/// `simulated` are the bones that a solver moved.
pub fn write(
    character: &Character,
    file: &str,
    clip: &Clip,
    simulated: &[BoneId],
) -> Result<WrittenMotion, Vec<Diagnostic>> {
    check_character(character, file).map_err(|error| vec![error])?;
    let target = humanoid_character(character);
    let whole = |why: MessageText| vec![Diagnostic::error(Location::file(file), why)];
    let motion = retarget(clip, character, &target).map_err(|why| whole(why.to_string().into()))?;
    let nodes: Vec<Option<usize>> = motion.channels.iter().map(|channel| Some(channel.bone.index())).collect();
    let data = AnimationData::new(&motion, &clip.name, &nodes, FirstIndices { accessor: 0, buffer_view: 0 });
    let bytes = glb(&document(&target, &data), &data.bytes)
        .ok_or_else(|| whole(message!("the file would be longer than the 4 GiB that a GLB can have")))?;
    let lost: Vec<String> = simulated
        .iter()
        .filter(|bone| character.humanoid.role(**bone).is_none())
        .map(|bone| character.skeleton.name(*bone).to_owned())
        .collect();
    let loss = (!lost.is_empty()).then(|| {
        let names = join_first_names(&lost, ", ");
        let message = message!("a VRM animation stores humanoid bones only; these joints are left out: {names}", names);
        Diagnostic::warning(Location::file(file), message)
    });
    Ok(WrittenMotion { bytes, name: clip.name.clone(), losses: loss.into_iter().collect() })
}

/// A character with only the humanoid bones, unrotated, that faces +Z.
fn humanoid_character(character: &Character) -> Character {
    let rest = WorldPose::from_pose(&character.skeleton, &Pose::rest(&character.skeleton));
    let facing = match character.facing {
        Facing::PlusZ => Quat::IDENTITY,
        Facing::MinusZ => Quat::from_rotation_y(PI),
    };
    let position = |bone: BoneId| facing * rest.frame(bone).position;
    let mut bones: Vec<(BoneId, &'static str)> = character.humanoid.iter().map(|(role, bone)| (bone, role)).collect();
    // Parents are before their children.
    bones.sort_by_key(|(bone, _)| *bone);
    bones.dedup_by_key(|(bone, _)| *bone);
    let index_of = |bone: BoneId| bones.iter().position(|(other, _)| *other == bone);
    let mut humanoid = Humanoid::default();
    let mut list = Vec::with_capacity(bones.len());
    for (index, (bone, role)) in bones.iter().enumerate() {
        let above = character.skeleton.ancestors(*bone).find_map(|bone| Some((bone, index_of(bone)?)));
        let from = above.map_or(Vec3::ZERO, |(bone, _)| position(bone));
        let parent = above.map(|(_, index)| BoneId(index as u32));
        list.push(Bone { name: (*role).to_owned(), parent, rest: Trs::from_translation(position(*bone) - from) });
        humanoid.set(role, BoneId(index as u32));
    }
    let skeleton = Skeleton::new(list).unwrap_or_default();
    Character { skeleton, humanoid, facing: Facing::PlusZ, ..Character::default() }
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

/// A GLB; `None` if it would be too long.
fn glb(document: &Value, data: &[u8]) -> Option<Vec<u8>> {
    let mut json = document.to_string().into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let length = u32::try_from(json.len()).ok()?;
    let header = [b"glTF".to_vec(), 2_u32.to_le_bytes().to_vec(), (length.checked_add(20)?).to_le_bytes().to_vec()];
    let glb = [header.concat(), length.to_le_bytes().to_vec(), b"JSON".to_vec(), json].concat();
    if data.is_empty() { Some(glb) } else { bin_chunk::append_to_bin(&glb, data) }
}
