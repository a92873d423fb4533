//! Bytes to values and back, one file per format. Nothing is clamped silently; no path is opened that the caller did not hand over.

pub mod animated_image;
pub mod builtin_presets;
pub mod dynamic_bone_csv;
pub mod ez_json;
pub mod gltf;
pub mod gltf_json;
mod json_common;
mod json_layout;
mod json_location;
pub mod kawaii_json;
pub mod motion;
pub mod open;
pub mod preset;
pub mod preset_folder;
pub mod project;
mod repair;
mod root_bone_formats;
pub mod setup_json;
pub mod source;
pub mod tables;
pub mod unity_csv;
pub mod unity_space;
pub mod vrm;
