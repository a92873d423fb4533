//! Writes every key of every baked bone as a row, in glTF space: local translations in metres, local rotations, and local
//! scales. The index of the glTF node distinguishes bones with equal names.

use super::gltf::node_indices;
use super::{BakedBones, WrittenMotion};
use crate::diagnostics::Diagnostic;
use crate::rig::{MotionError, PoseTrack};
use std::borrow::Cow;
use std::fmt::Write as _;

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
    let nodes = node_indices(bytes, file, skeleton)?;
    let mut out = String::from(HEADER);
    out.push('\n');
    let cells = |bone| (quoted(skeleton.name(bone)), nodes[bone.index()]);
    let cells: Vec<(Cow<'_, str>, usize)> = track.bones().iter().map(|bone| cells(*bone)).collect();
    for (frame, time) in track.times().iter().enumerate() {
        for ((bone, node), local) in cells.iter().zip(track.frame(frame)) {
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
        bones: cells.len(),
        channels: cells.len(),
        keys: cells.len() * track.times().len(),
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
