//! Bytes to values and back, one file per format. Nothing is clamped silently; no path is opened that the caller did not hand over.

mod by_root;
pub mod dynamic_bone_csv;
pub mod ez_json;
pub mod film;
pub mod gltf;
pub mod gltf_json;
mod json_findings;
mod json_layout;
mod json_place;
pub mod kawaii_json;
pub mod motion;
pub mod open;
pub mod preset;
pub mod preset_folder;
pub mod project;
mod repair;
pub mod setup_json;
pub mod shelf;
pub mod source;
pub mod tables;
pub mod unity_csv;
pub mod unity_space;
pub mod vrm;
