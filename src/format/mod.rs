//! Floor 4: bytes to values and back, one file per format. Nothing is clamped silently; no path is opened that the caller did not hand over.

pub mod gltf;
pub mod open;
pub mod preset;
pub mod preset_folder;
pub mod project;
pub mod shelf;
pub mod source;
pub mod spring_csv;
pub mod vrm;
