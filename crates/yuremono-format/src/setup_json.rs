//! Yuremono's own JSON format for setups, in which bones are identified by name.
//!
//! `{"format": "yuremono-setup", "version": 1, "setup": …}`. `setup` is a [`Setup`] over [`ByName`] in glTF's space. A
//! system with `component_lists` replaces the component lists of the character. Without `component_lists`, the lists of
//! the character stay unchanged. [`schema()`] is derived from the same types.
//!
//! Reading is lenient: an unusable value is skipped with a warning that contains its JSON pointer.

mod read;
mod schema;

pub use read::read;
pub use schema::schema;

use super::json_layout;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use yuremono_model::document::source_frames::SourceFrames;
use yuremono_model::document::{ByName, Setup};
use yuremono_model::exchange::{FormatInfo, FormatSignature, SetupFile, SetupLayout};

pub const INFO: FormatInfo = FormatInfo {
    key: "parameters",
    label: "Yuremono JSON",
    hint: "All parameters and settings by bone name; for scripts and backups",
    doc: "Everything: systems, chains with curves, colliders, forces, component lists. \
          [JSON Schema](../assets/schema/yuremono-setup-1.schema.json).",
    extensions: &["json"],
    solver: None,
    layout: SetupLayout::FullSetup,
    signature: FormatSignature::Json(FORMAT_NAME),
    single_node_lists: &[],
    stores_shape: |_| true,
    has_cell_names: false,
    has_flip_axis: true,
    read,
    write: |file, _| write(file),
    unwritable_names: |_, _| Vec::new(),
};

/// The value of the `format` field.
pub const FORMAT_NAME: &str = "yuremono-setup";
/// The version that the writer writes.
pub const VERSION: u64 = 1;
/// The file name of the schema.
pub const SCHEMA_FILE: &str = "yuremono-setup-1.schema.json";
/// Maximum size of a file. Larger files are rejected.
pub const MAX_FILE_MIB: usize = 16;

/// The fields of a file.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SavedSetup {
    /// Where the schema of this file is.
    #[serde(rename = "$schema", default, skip_serializing_if = "String::is_empty")]
    schema: String,
    /// Always `yuremono-setup`.
    format: String,
    /// Always 1.
    version: u64,
    /// Positions, rotations and vectors are in glTF's space: right-handed, Y up, metres.
    #[serde(default)]
    setup: Setup<ByName>,
    /// The rest frames of the bones in `setup`, for a character with other frames. Without them, the frames of both
    /// characters are assumed to be equal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rest_frames: Option<SourceFrames<String>>,
}

/// Returns the bytes of a file. Ids are numbered in the order of the entries.
pub fn write(file: &SetupFile) -> Vec<u8> {
    json_layout::to_json_bytes(&SavedSetup {
        schema: SCHEMA_FILE.to_owned(),
        format: FORMAT_NAME.to_owned(),
        version: VERSION,
        setup: file.to_setup(),
        rest_frames: file.source_frames.clone(),
    })
}

#[cfg(test)]
mod tests;
