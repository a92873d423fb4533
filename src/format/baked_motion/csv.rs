//! Writes every key of every baked bone as a row, in glTF space: local translations in metres, and local rotations.

use crate::rig::{PoseTrack, Skeleton};
use std::borrow::Cow;
use std::fmt::Write as _;

const HEADER: &str = "frame,time,bone,tx,ty,tz,rx,ry,rz,rw";

/// The bytes of the table. Times are in seconds. Numbers are the shortest text that reads back as the same number.
pub fn write(track: &PoseTrack, skeleton: &Skeleton) -> Vec<u8> {
    let mut out = String::from(HEADER);
    out.push('\n');
    let names: Vec<Cow<'_, str>> = track.bones().iter().map(|bone| quoted(skeleton.name(*bone))).collect();
    for (frame, time) in track.times().iter().enumerate() {
        for (name, local) in names.iter().zip(track.frame(frame)) {
            let ([tx, ty, tz], [rx, ry, rz, rw]) = (local.translation.to_array(), local.rotation.to_array());
            // Writing to a string cannot fail.
            _ = writeln!(out, "{frame},{time},{name},{tx},{ty},{tz},{rx},{ry},{rz},{rw}");
        }
    }
    out.into_bytes()
}

/// A cell as RFC 4180 writes it.
fn quoted(text: &str) -> Cow<'_, str> {
    if text.contains(['"', ',', '\n', '\r']) {
        Cow::Owned(format!("\"{}\"", text.replace('"', "\"\"")))
    } else {
        Cow::Borrowed(text)
    }
}
