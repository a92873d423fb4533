//! Adds an animation to a copy of a character file.
//!
//! One animation, its accessors, one buffer view and its data are added. A GLB stores the data at the end of its binary
//! chunk, a `.gltf` in a new buffer with a data URI. All other values and bytes stay unchanged.

use super::WrittenMotion;
use super::animation_data::{AnimationData, FirstIndices};
use crate::diagnostics::{Diagnostic, Location, MessageText, excerpt, join_first_names, message};
use crate::format::gltf_json::bin_chunk;
use crate::format::gltf_json::container;
use crate::format::gltf_json::json::GltfDiagnostics;
use crate::format::gltf_json::nodes::GltfNodes;
use crate::format::gltf_json::splice::{Change, Patch, splice};
use crate::rig::{BoneId, Clip};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Fails if an animation of the file cannot move one of the bones: the file lacks the bone, or the node has a matrix.
pub fn check_bones(bytes: &[u8], file: &str, bones: impl IntoIterator<Item = BoneId>) -> Result<(), Vec<Diagnostic>> {
    let json = parse_json(bytes, file)?;
    let diagnostics = GltfDiagnostics::new(file);
    let (_, nodes) = GltfNodes::of_document(&json, &diagnostics).map_err(|fault| vec![diagnostics.error(fault)])?;
    let mut errors = Vec::new();
    for bone in bones {
        let place = Location::file(file);
        match nodes.node_of_bone.get(bone.index()) {
            None => {
                errors.push(Diagnostic::error(place, message!("bone {bone} is not in the file", bone = bone.0)));
            }
            Some(node) if has_matrix(&nodes, *node) => errors.push(Diagnostic::error(
                place.with_pointer(format!("/nodes/{node}")),
                message!(
                    "\"{bone}\" has a matrix, which an animation cannot move",
                    bone = excerpt(nodes.skeleton.name(bone))
                ),
            )),
            Some(_) => {}
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// Returns the file with a new animation. The bones of the clip are those of the character that was read from the same
/// file. The animation gets a number if the file has an animation with its name.
pub fn write(bytes: &[u8], file: &str, clip: &Clip) -> Result<WrittenMotion, Vec<Diagnostic>> {
    let whole = |why: MessageText| vec![Diagnostic::error(Location::file(file), why)];
    let json = parse_json(bytes, file)?;
    let diagnostics = GltfDiagnostics::new(file);
    let (_, nodes) = GltfNodes::of_document(&json, &diagnostics).map_err(|fault| vec![diagnostics.error(fault)])?;
    let mut left_out = BTreeSet::new();
    let mut targets = Vec::new();
    for channel in &clip.channels {
        let node = nodes.node_of_bone.get(channel.bone.index()).copied();
        let node = node.ok_or_else(|| whole(message!("bone {bone} is not in the file", bone = channel.bone.0)))?;
        let can_move = !has_matrix(&nodes, node);
        if !can_move {
            left_out.insert(nodes.skeleton.name(channel.bone).to_owned());
        }
        targets.push(Some(node).filter(|node| can_move && !is_skinned_leaf(&nodes, *node)));
    }
    let name = unique_animation_name(&json, &clip.name);
    let count = |list: &str| json[list].as_array().map_or(0, Vec::len);
    let first = FirstIndices { accessor: count("accessors"), buffer_view: count("bufferViews") };
    let data = AnimationData::new(clip, &name, &targets, first);
    let placed = place_data(bytes, &json, &data.bytes).ok_or_else(|| whole(too_long()))?;
    let patches = animation_patches(&json, data, &placed);
    let new = splice(&placed.file, &patches).map_err(|why| whole(why.message()))?;
    let names: Vec<String> = left_out.into_iter().collect();
    let loss = (!names.is_empty()).then(|| {
        let message = message!(
            "an animation cannot move nodes with a matrix; their motion is left out: {names}",
            names = join_first_names(&names, ", ")
        );
        Diagnostic::warning(Location::file(file), message)
    });
    Ok(WrittenMotion { bytes: new, name, losses: loss.into_iter().collect() })
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
