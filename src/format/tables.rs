//! Tables by bone name in whatever format they stand: what a file holds says which reader reads it.

mod content;

pub use content::{FileContent, FileKind, KNOWN_KINDS_TEXT, detect_content, has_extension};

use super::unity_space::to_unity;
use super::{dynamic_bone_csv, ez_json, json_common, kawaii_json, setup_json, unity_csv};
use crate::diagnostics::{Diagnostic, Location};
use crate::exchange::{ExportOptions, SetupFile};

pub use crate::exchange::TableFormat;

/// The format that a setup names; `None` where it names none, as a CSV by its own reader may still be.
pub fn setup_format_of(bytes: &[u8]) -> Option<TableFormat> {
    match detect_content(bytes) {
        FileContent::Setup(format) => Some(format),
        _ => None,
    }
}

/// Reads the setup of a file, in the file's own space; `file_name` is for messages. `Err` only where nothing can be read.
pub fn read_setup(bytes: &[u8], file_name: &str) -> Result<(SetupFile, Vec<Diagnostic>), Vec<Diagnostic>> {
    match detect_content(bytes) {
        FileContent::Setup(TableFormat::Parameters) => setup_json::read(bytes, file_name),
        FileContent::Setup(TableFormat::KawaiiJson) => kawaii_json::read(bytes, file_name),
        FileContent::Setup(TableFormat::EzJson) => ez_json::read(bytes, file_name),
        FileContent::Setup(TableFormat::DynamicBoneCsv) => dynamic_bone_csv::read(bytes, file_name),
        FileContent::Setup(TableFormat::Csv) | FileContent::Text => unity_csv::read(bytes, file_name),
        content if json_common::looks_like_json(bytes) => {
            let names = [setup_json::FORMAT_NAME, kawaii_json::FORMAT_NAME, ez_json::FORMAT_NAME].join("\", \"");
            json_common::parse_object(bytes, file_name)?;
            let found = content.describe();
            let message = format!("this is no setup: expected a \"format\" of \"{names}\", found {found}");
            Err(vec![Diagnostic::error(Location::file(file_name).with_pointer("/format"), message)])
        }
        content => {
            let message = format!("this is no setup: found {}; {KNOWN_KINDS_TEXT}", content.describe());
            Err(vec![Diagnostic::error(Location::file(file_name), message)])
        }
    }
}

/// The bytes of a setup in glTF's space, in the format that the options name.
pub fn write_setup(file: &SetupFile, options: ExportOptions) -> Vec<u8> {
    let in_unity = || to_unity(file.clone(), options.flip_axis);
    match options.format {
        TableFormat::Csv => {
            let bom = Some(unity_csv::writes_bom(file, &options));
            unity_csv::write(&in_unity(), ExportOptions { write_bom: bom, ..options }.into())
        }
        TableFormat::Parameters => setup_json::write(file),
        TableFormat::DynamicBoneCsv => dynamic_bone_csv::write(&in_unity()),
        TableFormat::KawaiiJson => kawaii_json::write(&in_unity()),
        TableFormat::EzJson => ez_json::write(&in_unity()),
    }
}

/// Names that a reader of the file would not get back, and names that a spreadsheet would calculate.
pub fn unwritable_names(file: &SetupFile, format: TableFormat, file_name: &str) -> Vec<Diagnostic> {
    match format {
        TableFormat::Csv => unity_csv::unwritable_names(file, file_name),
        TableFormat::DynamicBoneCsv => dynamic_bone_csv::unwritable_names(file, file_name),
        TableFormat::Parameters | TableFormat::KawaiiJson | TableFormat::EzJson => Vec::new(),
    }
}
