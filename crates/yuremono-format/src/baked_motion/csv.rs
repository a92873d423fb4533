//! Writes every key of every baked bone as a row, in glTF space: local translations in metres, local rotations, and local
//! scales. The index of the glTF node distinguishes bones with equal names. Nodes of skinned meshes are left out, because
//! skinned meshes ignore the transform of their node.

use super::gltf::effective_nodes;
use super::{BakedBones, WrittenMotion};
use std::borrow::Cow;
use std::fmt::Write as _;
use yuremono_sim::diagnostics::Diagnostic;
use yuremono_sim::rig::{BoneId, MotionError, PoseTrack};

const HEADER: &str = "frame,time,bone,tx,ty,tz,rx,ry,rz,rw,sx,sy,sz,node";

/// Returns the table. Times are in seconds. Numbers are the shortest text that reads back as the same number. `bytes` is
/// the character file, and `file` is its name in diagnostics.
pub fn write(
    bytes: &[u8],
    file: &str,
    bones: &BakedBones<'_>,
    track: &PoseTrack,
    name: &str,
) -> Result<WrittenMotion, Vec<Diagnostic>> {
    let skeleton = &bones.character.skeleton;
    let nodes = effective_nodes(bytes, file, skeleton)?;
    let mut out = String::from(HEADER);
    out.push('\n');
    let cells = |bone: BoneId| Some((quoted(skeleton.name(bone)), nodes[bone.index()]?));
    let cells: Vec<Option<(Cow<'_, str>, usize)>> = track.bones().iter().map(|bone| cells(*bone)).collect();
    let bone_count = cells.iter().flatten().count();
    for (frame, time) in track.times().iter().enumerate() {
        for (cell, local) in cells.iter().zip(track.frame(frame)) {
            let Some((bone, node)) = cell else { continue };
            let ([tx, ty, tz], [rx, ry, rz, rw]) = (local.translation.to_array(), local.rotation.to_array());
            let [sx, sy, sz] = local.scale.to_array();
            // Writing to a string cannot fail.
            _ = writeln!(out, "{frame},{time},{bone},{tx},{ty},{tz},{rx},{ry},{rz},{rw},{sx},{sy},{sz},{node}");
        }
    }
    Ok(WrittenMotion {
        bytes: out.into_bytes(),
        name: name.to_owned(),
        losses: Vec::new(),
        bones: bone_count,
        channels: bone_count,
        keys: bone_count * track.times().len(),
        error: MotionError::default(),
    })
}

/// A cell as RFC 4180 writes it.
fn quoted(text: &str) -> Cow<'_, str> {
    if text.contains(['"', ',', '\n', '\r']) {
        Cow::Owned(format!("\"{}\"", text.replace('"', "\"\"")))
    } else {
        Cow::Borrowed(text)
    }
}
