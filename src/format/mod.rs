//! Floor 4: bytes to values and back, one file per format. Nothing is clamped silently; no path is opened that the caller did not hand over.

pub mod dynamic_bone_csv;
pub mod ez_json;
pub mod film;
pub mod gltf;
mod json_place;
pub mod kawaii_json;
pub mod motion;
pub mod open;
pub mod parameters;
pub mod preset;
pub mod preset_folder;
pub mod project;
mod repair;
pub mod shelf;
pub mod source;
pub mod spring_csv;
pub mod tables;
pub mod vrm;
