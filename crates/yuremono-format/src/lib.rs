//! Converts bytes to values and back, with one module per format. No value is clamped silently. Only paths that the
//! caller passes are opened.

pub mod animated_image;
pub mod backups;
pub mod baked_motion;
pub mod builtin_presets;
mod bvh;
pub mod character;
pub mod dynamic_bone_csv;
pub mod ez_json;
mod fbx;
pub mod fs;
pub mod gltf;
pub mod gltf_json;
mod json_common;
mod json_layout;
mod json_location;
pub mod kawaii_json;
pub mod motion;
pub mod open;
pub mod parallel;
pub mod preset;
pub mod preset_folder;
pub mod project;
pub mod recovery;
mod repair;
mod root_bone_formats;
pub mod setup_json;
pub mod source;
pub mod tables;
mod unity_assets;
pub mod unity_csv;
pub mod unity_space;
mod vmd;
pub mod vrm;

use yuremono_model::exchange::SetupFormat;
use yuremono_sim::diagnostics::MessageText;

/// All text formats of setups, in the order in which they are listed to the user. The command line, the export dialog, file filters, content detection and `docs/formats.md` use this list.
pub const FORMATS: &[SetupFormat] =
    &[&unity_csv::INFO, &setup_json::INFO, &dynamic_bone_csv::INFO, &kawaii_json::INFO, &ez_json::INFO];

/// The format of files and dialogs for which no other format was chosen.
pub const DEFAULT_FORMAT: SetupFormat = FORMATS[0];

/// Returns a message without arguments. `sentence` is the key of its translation.
pub(crate) fn fixed_text(sentence: &'static str) -> MessageText {
    MessageText::new(sentence, [])
}
