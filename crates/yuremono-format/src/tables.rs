//! Reads and writes setups in any text format. The content of a file selects the reader.

mod content;

pub use content::{FileContent, FileKind, detect_content, has_extension, is_read_only_character, known_kinds};

use super::unity_assets::{AssetContext, UnityAssets};
use super::{FORMATS, json_common, unity_assets};
use crate::DEFAULT_FORMAT;
use std::path::Path;
use yuremono_model::exchange::{ExportOptions, FormatSignature, ReadResult, SetupFile, SetupFormat, SetupLayout};
use yuremono_sim::diagnostics::{Diagnostic, Location, message};

/// Returns the format with this key.
pub fn find_format(key: &str) -> Option<SetupFormat> {
    FORMATS.iter().copied().find(|format| format.key == key)
}

/// Returns the format that stores a complete setup.
pub fn full_setup_format() -> SetupFormat {
    FORMATS.iter().copied().find(|format| format.layout == SetupLayout::FullSetup).unwrap_or(DEFAULT_FORMAT)
}

/// Returns the format for a path, by its extension. Formats that support all solvers have priority.
pub fn format_for_path(path: &Path) -> Option<SetupFormat> {
    let of_path = FORMATS.iter().copied().filter(|format| has_extension(path, &[format.extension()]));
    of_path.min_by_key(|format| format.solver.is_some())
}

/// Returns the extensions of setup formats for messages, for example `.csv, .json`.
pub fn written_extensions() -> String {
    let mut extensions: Vec<String> = Vec::new();
    for extension in FORMATS.iter().map(|format| format!(".{}", format.extension())) {
        if !extensions.contains(&extension) {
            extensions.push(extension);
        }
    }
    extensions.join(", ")
}

/// Returns the format of a setup, or `None` for other files. Unrecognised text gets the default format, because its
/// reader reports errors.
pub fn setup_format_of(bytes: &[u8]) -> Option<SetupFormat> {
    match detect_content(bytes) {
        FileContent::Setup(format) => Some(format),
        // A prefab of UnityChanSpringBone has the entries of the equal table.
        FileContent::Text | FileContent::UnityAsset => Some(DEFAULT_FORMAT),
        _ => None,
    }
}

/// Reads the setup of a file, in the space of the file. `file_name` appears in messages. Returns `Err` only if no part
/// of the file can be read.
pub fn read_setup(bytes: &[u8], file_name: &str) -> ReadResult {
    let context = AssetContext { assets: &UnityAssets::default(), character: None, read_model: &|_| None };
    read_setup_with(bytes, file_name, context)
}

/// Like [`read_setup`]. A prefab or scene can refer to the other assets of its project and to nodes of models.
pub(crate) fn read_setup_with(bytes: &[u8], file_name: &str, context: AssetContext<'_>) -> ReadResult {
    match detect_content(bytes) {
        FileContent::Setup(format) => (format.read)(bytes, file_name),
        FileContent::Text => (DEFAULT_FORMAT.read)(bytes, file_name),
        FileContent::UnityAsset => unity_assets::read(bytes, file_name, context),
        _ if has_extension(Path::new(file_name), &content::UNITY_EXTENSIONS) => {
            let message = unity_assets::not_text();
            Err(vec![Diagnostic::error(Location::file(file_name), message)])
        }
        content if json_common::looks_like_json(bytes) => {
            json_common::parse_object(bytes, file_name)?;
            let name = |format: &SetupFormat| match format.signature {
                FormatSignature::Json(name) => Some(name),
                FormatSignature::Text(_) | FormatSignature::AnyText => None,
            };
            let names = FORMATS.iter().filter_map(name).collect::<Vec<_>>().join("\", \"");
            let found = content.describe();
            let message =
                message!("this is not a setup: expected a \"format\" of \"{names}\", found {found}", names, found);
            Err(vec![Diagnostic::error(Location::file(file_name).with_pointer("/format"), message)])
        }
        content => {
            let message = message!(
                "this is not a setup: found {describe}; {known_kinds}",
                describe = content.describe(),
                known_kinds = known_kinds()
            );
            Err(vec![Diagnostic::error(Location::file(file_name), message)])
        }
    }
}

/// Returns the bytes of a setup in the format of `options`. `file` is in glTF's space.
pub fn write_setup(file: &SetupFile, options: ExportOptions) -> Vec<u8> {
    (options.format.write)(file, options)
}
