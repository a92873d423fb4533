//! Adds an animation to a copy of a character file.
//!
//! One animation, its accessors, one buffer view and its data are added. A GLB stores the data at the end of its binary
//! chunk, a `.gltf` in a new buffer with a data URI. All other values and bytes stay unchanged.

use super::{BakedBones, WrittenMotion, check_same_bones};
use crate::gltf_json::animation_data::{AnimationData, FirstIndices};
use crate::gltf_json::bin_chunk;
use crate::gltf_json::container;
use crate::gltf_json::json::GltfDiagnostics;
use crate::gltf_json::nodes::GltfNodes;
use crate::gltf_json::splice::{Change, Patch, splice};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use yuremono_sim::diagnostics::{Diagnostic, Location, MessageText, excerpt, join_first_names, message};
use yuremono_sim::rig::{BoneId, Channel, Clip, MotionError, Skeleton};

/// Returns what an animation of the file cannot store. Fails if a node of a simulated bone has a matrix, if no moved bone
/// can be animated, or if the file has other bones than the character.
pub fn check(bytes: &[u8], file: &str, bones: &BakedBones<'_>) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    let json = parse_json(bytes, file)?;
    let diagnostics = GltfDiagnostics::new(file);
    check_nodes(&read_nodes(&json, &diagnostics)?, file, bones)
}

fn check_nodes(nodes: &GltfNodes<'_>, file: &str, bones: &BakedBones<'_>) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    check_same_bones(&nodes.skeleton, &bones.character.skeleton, file)?;
    let place = || Location::file(file);
    let node_of = |bone: BoneId| nodes.node_of_bone[bone.index()];
    let fixed = bones.simulated.iter().filter(|bone| has_matrix(nodes, node_of(**bone)));
    let error = |bone: &BoneId| {
        let message = message!(
            "\"{bone}\" has a matrix, which an animation cannot move",
            bone = excerpt(nodes.skeleton.name(*bone))
        );
        Diagnostic::error(place().with_pointer(format!("/nodes/{}", node_of(*bone))), message)
    };
    let errors: Vec<Diagnostic> = fixed.map(error).collect();
    if !errors.is_empty() {
        return Err(errors);
    }
    let left_out = bones.moved_names(|moved| has_matrix(nodes, node_of(moved.bone)));
    if !bones.moved.iter().any(|moved| can_animate(nodes, node_of(moved.bone))) {
        let message = message!(
            "the animation would be empty: each node that moves has a matrix, or a skin, which hides the motion; write a \
             .csv instead"
        );
        return Err(vec![Diagnostic::error(place(), message)]);
    }
    let loss = (!left_out.is_empty()).then(|| {
        let message = message!(
            "an animation cannot move nodes with a matrix; their motion is left out: {names}",
            names = join_first_names(&left_out)
        );
        Diagnostic::warning(place(), message)
    });
    Ok(loss.into_iter().collect())
}

/// Returns the file with a new animation. The animation gets a number if the file has an animation with its name.
pub fn write(bytes: &[u8], file: &str, bones: &BakedBones<'_>, clip: &Clip) -> Result<WrittenMotion, Vec<Diagnostic>> {
    let whole = |why: MessageText| vec![Diagnostic::error(Location::file(file), why)];
    let json = parse_json(bytes, file)?;
    let diagnostics = GltfDiagnostics::new(file);
    let nodes = read_nodes(&json, &diagnostics)?;
    let losses = check_nodes(&nodes, file, bones)?;
    let node_of = |bone: BoneId| nodes.node_of_bone.get(bone.index()).copied();
    let target = |channel: &Channel| node_of(channel.bone).filter(|node| can_animate(&nodes, *node));
    let targets: Vec<Option<usize>> = clip.channels.iter().map(target).collect();
    let name = unique_animation_name(&json, &clip.name);
    let count = |list: &str| json[list].as_array().map_or(0, Vec::len);
    let first = FirstIndices { accessor: count("accessors"), buffer_view: count("bufferViews") };
    let data = AnimationData::new(clip, &name, &targets, first);
    let placed = place_data(bytes, &json, &data.bytes).ok_or_else(|| whole(too_long()))?;
    let patches = animation_patches(&json, data, &placed);
    let new = splice(&placed.file, &patches).map_err(|why| whole(why.message()))?;
    let written = || clip.channels.iter().zip(&targets).filter(|(_, target)| target.is_some());
    Ok(WrittenMotion {
        bytes: new,
        name,
        losses,
        bones: written().map(|(channel, _)| channel.bone).collect::<BTreeSet<_>>().len(),
        channels: written().count(),
        keys: written().map(|(channel, _)| channel.times.len()).sum(),
        error: MotionError::default(),
    })
}

/// The node of each bone, or `None` if the transform of the node has no effect. Fails if the file has other bones than
/// `skeleton`.
pub(super) fn effective_nodes(
    bytes: &[u8],
    file: &str,
    skeleton: &Skeleton,
) -> Result<Vec<Option<usize>>, Vec<Diagnostic>> {
    let json = parse_json(bytes, file)?;
    let diagnostics = GltfDiagnostics::new(file);
    let nodes = read_nodes(&json, &diagnostics)?;
    check_same_bones(&nodes.skeleton, skeleton, file)?;
    let effective = |node: &usize| Some(*node).filter(|node| !is_skinned_leaf(&nodes, *node));
    Ok(nodes.node_of_bone.iter().map(effective).collect())
}

fn read_nodes<'a>(json: &'a Value, diagnostics: &'a GltfDiagnostics<'a>) -> Result<GltfNodes<'a>, Vec<Diagnostic>> {
    GltfNodes::of_document(json, diagnostics).map(|(_, nodes)| nodes).map_err(|fault| vec![diagnostics.error(fault)])
}

fn parse_json(bytes: &[u8], file: &str) -> Result<Value, Vec<Diagnostic>> {
    let container = container::parse_container(bytes);
    container.map(|container| container.json).map_err(|why| vec![Diagnostic::error(Location::file(file), why)])
}

fn too_long() -> MessageText {
    message!("the file would be longer than the 4 GiB that a GLB can have")
}

fn has_matrix(nodes: &GltfNodes<'_>, node: usize) -> bool {
    nodes.json[node].get("matrix").is_some()
}

/// Whether the transform of a node has no effect: skinned meshes ignore the transform of their node.
fn is_skinned_leaf(nodes: &GltfNodes<'_>, node: usize) -> bool {
    let json = &nodes.json[node];
    json.get("skin").is_some() && json.get("mesh").is_some() && json.get("children").is_none()
}

fn can_animate(nodes: &GltfNodes<'_>, node: usize) -> bool {
    !has_matrix(nodes, node) && !is_skinned_leaf(nodes, node)
}

fn unique_animation_name(json: &Value, name: &str) -> String {
    let animations = json["animations"].as_array();
    let taken: BTreeSet<&str> = animations.into_iter().flatten().filter_map(|a| a["name"].as_str()).collect();
    let numbered = (2..).map(|number| format!("{name} {number}"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    names.find(|name| !taken.contains(name.as_str())).expect("the numbers do not end")
}

/// The file with the data in its binary chunk, and the place of the data.
struct PlacedData {
    file: Vec<u8>,
    buffer: usize,
    byte_offset: usize,
    /// Adds or changes the buffer.
    buffer_patch: Patch,
}

/// Returns `None` if the GLB would be too long.
fn place_data(bytes: &[u8], json: &Value, data: &[u8]) -> Option<PlacedData> {
    let buffers = json["buffers"].as_array();
    let first = buffers.and_then(|buffers| buffers.first());
    let owns_bin = first.is_none_or(|buffer| buffer.get("uri").is_none());
    if container::is_glb(bytes) && owns_bin {
        let byte_offset = bin_chunk::bin_length(bytes).unwrap_or(0).next_multiple_of(4);
        let length = json!(byte_offset + data.len());
        let buffer_patch = match first {
            Some(_) => Patch { pointer: "/buffers/0/byteLength".to_owned(), change: Change::Set(length) },
            None => append_patch(json, "buffers", vec![json!({ "byteLength": length })]).remove(0),
        };
        return Some(PlacedData { file: bin_chunk::append_to_bin(bytes, data)?, buffer: 0, byte_offset, buffer_patch });
    }
    let uri = format!("data:application/octet-stream;base64,{}", STANDARD.encode(data));
    let buffer = json!({ "byteLength": data.len(), "uri": uri });
    Some(PlacedData {
        file: bytes.to_vec(),
        buffer: buffers.map_or(0, Vec::len),
        byte_offset: 0,
        buffer_patch: append_patch(json, "buffers", vec![buffer]).remove(0),
    })
}

fn animation_patches(json: &Value, data: AnimationData, placed: &PlacedData) -> Vec<Patch> {
    let view = json!({
        "buffer": placed.buffer,
        "byteOffset": placed.byte_offset,
        "byteLength": data.bytes.len(),
    });
    let mut patches = vec![placed.buffer_patch.clone()];
    patches.extend(append_patch(json, "bufferViews", vec![view]));
    patches.extend(append_patch(json, "accessors", data.accessors));
    patches.extend(append_patch(json, "animations", vec![data.animation]));
    patches
}

/// Appends values to a list of the document, or adds the list.
fn append_patch(json: &Value, list: &str, values: Vec<Value>) -> Vec<Patch> {
    match json.get(list) {
        Some(Value::Array(_)) => {
            let insert = |value| Patch { pointer: format!("/{list}/-"), change: Change::Insert(value) };
            values.into_iter().map(insert).collect()
        }
        Some(_) => vec![Patch { pointer: format!("/{list}"), change: Change::Set(Value::Array(values)) }],
        None => vec![Patch { pointer: format!("/{list}"), change: Change::Insert(Value::Array(values)) }],
    }
}
