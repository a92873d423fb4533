//! The dynamics CSV of UTJ's `UnityChanSpringBone`, with similar tables for other solvers.
//!
//! The name of the first joint section selects the solver: `[SpringBones]` for UnityChan, otherwise the key of the
//! solver, for example `[VRM]`. For other solvers, the columns are the joint parameters in table order, with choices as
//! numbers and toggles as `True` or `False`. The names of the joint's colliders follow. These tables have no pivots, no
//! length limits and no version row, so UnityChan's importer ignores their bones. All other sections are UnityChan's,
//! with more types of colliders. Comment rows store data that does not fit into columns, see `comments`.
//!
//! Reading follows UnityChan's rules for sections, comments, quotes and versions. The reader also accepts the changes
//! that spreadsheets and other locales make, and reports them: any common encoding, semicolons, decimal commas, padded
//! rows. Unknown sections and rows that cannot be parsed keep their cells.
//!
//! The `csv` crate is not used. The crate opens quotes only at the start of a cell and supports one separator at a
//! time, while UnityChan accepts quotes anywhere and both commas and tabs.

pub(super) mod cells;
mod comments;
mod decode;
mod joints;
mod records;
mod rows;
mod sections;
#[cfg(test)]
mod tests;
mod write;

pub(crate) use cells::{number_text, parse_number};
pub use write::{unwritable_names, write, writes_bom};

pub use super::json_common::MAX_DIAGNOSTICS;
use super::json_common::SetupDiagnostics;
use super::unity_space::to_unity;
use cells::has_decimal_comma;
use joints::JointColumns;
use records::CsvRecord;
use rows::RowFormat;
use sections::{Sections, section_name};
use yuremono_model::document::{Passthrough, SetupEntry};
use yuremono_model::exchange::{CellProblem, CsvInfo, FileEntry, FileSection, FileSpace, SetupFile, SystemHeader};
use yuremono_model::exchange::{FormatInfo, FormatSignature, ReadResult, SetupLayout};
use yuremono_sim::SolverKind;
use yuremono_sim::diagnostics::{Diagnostic, DiagnosticTopic, excerpt, message};

pub const INFO: FormatInfo = FormatInfo {
    key: "csv",
    label: "CSV",
    hint: "For Unity and spreadsheets: one row per bone",
    doc: "UnityChanSpringBone's dynamics CSV, version 4. For other solvers: a table with the parameter names of that \
          solver, in a section with its name, for example `[VRM]`.",
    extensions: &["csv", "txt"],
    solver: None,
    layout: SetupLayout::Rows,
    signature: FormatSignature::AnyText,
    single_node_lists: &[],
    stores_shape: |_| true,
    has_cell_names: true,
    has_flip_axis: true,
    read,
    write: |file, options| write(&to_unity(file.clone(), options.flip_axis), options),
    unwritable_names,
};

/// Maximum size of a file. A table of ten thousand bones needs about 1 MiB.
pub const MAX_FILE_MIB: usize = 16;

/// Whether tables for the solver have pivots, length limits and a version, like UnityChan's tables.
const fn is_unity_chan(solver: SolverKind) -> bool {
    matches!(solver, SolverKind::UnityChanSpringBone)
}

/// Reads a table. `file_name` appears in messages. Returns `Err` only if no part of the file can be read.
///
/// The entries are ordered by section, then by file order. Entries of comment rows are in glTF's space.
pub fn read(bytes: &[u8], file_name: &str) -> ReadResult {
    read_table(bytes, file_name, None)
}

/// Like [`read`], but uses the encoding with this label, for example `euc-jp`, instead of the detected encoding.
pub fn read_with_encoding(bytes: &[u8], file_name: &str, encoding: &str) -> ReadResult {
    read_table(bytes, file_name, Some(encoding))
}

fn read_table(bytes: &[u8], file_name: &str, encoding: Option<&str>) -> ReadResult {
    let mut findings = SetupDiagnostics::new(file_name);
    if bytes.len() > MAX_FILE_MIB << 20 {
        let mib = bytes.len() >> 20;
        return Err(findings.into_failure(message!(
            "the file has {mib} MiB, a table of more than {max_file_mib} MiB is not read",
            mib,
            max_file_mib = MAX_FILE_MIB
        )));
    }
    let decoded = decode::decode(bytes, encoding);
    if let Some(guess) = decoded.warning {
        let topic = if decoded.has_replaced_bytes {
            DiagnosticTopic::InvalidEncoding
        } else {
            DiagnosticTopic::AlsoReportedByTable
        };
        findings.push(Diagnostic::warning(findings.whole_file_location(), guess).with_topic(topic));
    }
    let tokens = records::parse_records(&decoded.text);
    if let Some(line) = tokens.unclosed_quote {
        let message = message!("a quote is opened here and never closed; the rest of the file is one cell");
        findings.push(
            Diagnostic::warning(findings.line_location(line), message).with_topic(DiagnosticTopic::UnclosedQuote),
        );
    }
    if tokens.truncated {
        let message = message!("the file has too many cells; the rest was not read");
        findings.push(
            Diagnostic::warning(findings.whole_file_location(), message).with_topic(DiagnosticTopic::TooManyCells),
        );
    }
    if tokens.records.iter().all(CsvRecord::is_blank) {
        return Err(findings.into_failure(message!("the file has no rows")));
    }
    let mut sections = Sections::parse(tokens.records, &mut findings);
    if let Some(version) = sections.version
        && version != 3
        && version != 4
    {
        return Err(findings.into_failure(message!("the table has version {version}; expected 3 or 4", version)));
    }
    sections.assign_leading_rows(&mut findings);
    if !sections.is_table() {
        let message = message!("this is not a dynamics CSV: there is no [SpringBones] section and no version row");
        return Err(findings.into_failure(message));
    }
    let format = RowFormat::of(sections.solver.unwrap_or_default());
    let names_bones = decoded.text.to_ascii_lowercase().contains("[springbones]");
    let table = CsvInfo {
        // Only UnityChan's tables have a version.
        version: if is_unity_chan(format.solver) { sections.version } else { sections.version.or(Some(4)) },
        encoding: decoded.encoding,
        has_bom: decoded.has_bom,
        has_decimal_comma: has_decimal_commas(&sections, &format.joints),
        blank_rows: std::mem::take(&mut sections.blank_rows),
        lacks_bone_sections: sections.version.is_none() && !names_bones && is_unity_chan(format.solver),
    };
    if table.has_decimal_comma {
        let message = message!("numbers have decimal commas; read as decimal points");
        findings.push(
            Diagnostic::warning(findings.whole_file_location(), message)
                .with_topic(DiagnosticTopic::AlsoReportedByTable),
        );
    }
    let file = build_file(sections, table, &format, &mut findings);
    Ok((file, findings.into_diagnostics()))
}

fn build_file(
    mut sections: Sections,
    table: CsvInfo,
    format: &RowFormat,
    findings: &mut SetupDiagnostics,
) -> SetupFile {
    let mut file = SetupFile {
        space: FileSpace::Unity(None),
        csv: table,
        passthrough: std::mem::take(&mut sections.passthrough),
        ..SetupFile::without_system(&INFO)
    };
    for section in FileSection::ALL {
        let entries = sections.take_rows(section).into_iter().map(|record| match section {
            FileSection::Other => entry_from_comment(record, format.solver),
            _ => entry_from_row(section, record, format, file.csv.has_decimal_comma),
        });
        let entries: Vec<FileEntry> = entries.collect();
        for entry in &entries {
            if let Err(problems) = &entry.content {
                report_problems(entry, problems, findings);
            }
        }
        if section == FileSection::Joints {
            check_joints(&entries, &format.joints, findings);
        }
        file.entries.extend(entries);
    }
    let name = file.entries.iter().rev().find_map(|entry| match &entry.content {
        Ok(SetupEntry::System(system)) if !system.name.is_empty() => Some(system.name.clone()),
        _ => None,
    });
    file.systems = vec![SystemHeader { solver: format.solver, name: name.unwrap_or_default() }];
    check_table(&file, findings);
    file
}

fn entry_from_row(section: FileSection, record: CsvRecord, format: &RowFormat, decimal_comma: bool) -> FileEntry {
    let CsvRecord { line, mut cells } = record;
    let (name, rest) = cells.split_first().map_or(("", [].as_slice()), |(name, rest)| (name.as_str(), rest));
    let (name, content) = (name.to_owned(), format.read(section, name, rest, decimal_comma));
    if decimal_comma && content.is_ok() {
        // The row can have decimal commas even if the other rows have decimal points.
        let numbers = cells.iter_mut().skip(1).filter(|cell| has_decimal_comma(cell));
        numbers.for_each(|cell| *cell = cell.replace(',', "."));
    }
    let verbatim = Some(Passthrough::CsvRow { section: section_name(section, format.solver), cells });
    FileEntry { system: 0, section, name, line, json_pointer: String::new(), csv_row: verbatim, content }
}

fn entry_from_comment(record: CsvRecord, solver: SolverKind) -> FileEntry {
    let CsvRecord { line, cells } = record;
    let (name, content) = comments::parse_entry_comment(&cells);
    let verbatim = match &content {
        Ok(item) => Passthrough::Entry { solver, entry: Box::new(item.clone()) },
        Err(_) => Passthrough::CsvRow { section: comments::COMMENT_MARK.to_owned(), cells },
    };
    let (section, pointer) = (FileSection::Other, String::new());
    FileEntry { system: 0, section, name, line, json_pointer: pointer, csv_row: Some(verbatim), content }
}

/// Whether the file has decimal commas: at least one number has a comma and no number has a point.
fn has_decimal_commas(sections: &Sections, joints: &JointColumns) -> bool {
    let of_joints: Vec<usize> = joints.decimal_columns().map(|at| at + 1).collect();
    let of_nodes: Vec<usize> = (2..14).collect();
    let columns = |section| match section {
        FileSection::Joints => of_joints.as_slice(),
        FileSection::Pivots | FileSection::Colliders | FileSection::Nodes => &of_nodes,
        FileSection::HighLegs | FileSection::Other => &[],
    };
    let mut has_comma = false;
    for section in FileSection::ALL {
        for record in sections.rows(section) {
            for cell in columns(section).iter().map_while(|at| record.cells.get(*at)) {
                if cell.contains('.') && parse_number(cell, false).is_ok() {
                    return false;
                }
                has_comma |= has_decimal_comma(cell);
            }
        }
    }
    has_comma
}

fn report_problems(entry: &FileEntry, problems: &[CellProblem], findings: &mut SetupDiagnostics) {
    let place = findings.line_location(entry.line).with_bone(excerpt(&entry.name));
    findings.report_problems(&place, problems);
}

/// Reports values outside their range, and names that a spreadsheet would evaluate as a formula.
fn check_joints(entries: &[FileEntry], columns: &JointColumns, findings: &mut SetupDiagnostics) {
    for entry in entries {
        if let Ok(SetupEntry::Joint(joint)) = &entry.content {
            report_problems(entry, &columns.range_problems(&joint.joint), findings);
        }
        if entry.looks_like_formula() {
            let place = findings.line_location(entry.line).with_bone(excerpt(&entry.name));
            findings.push(Diagnostic::info(place, message!("a spreadsheet may read this name as a formula")));
        }
    }
}

/// Reports the entries that UnityChan's importer would not import.
fn check_table(file: &SetupFile, findings: &mut SetupDiagnostics) {
    let has = |section| file.entries.iter().any(|entry| entry.section == section);
    let place = findings.whole_file_location();
    let mut report =
        |diagnostic: Diagnostic| findings.push(diagnostic.with_topic(DiagnosticTopic::AlsoReportedByTable));
    if let Some((_, line)) = file.csv.blank_rows.first() {
        let count = file.csv.blank_rows.len();
        let message = message!("rows without any text: {count}; UnityChan reads them as broken rows", count);
        report(Diagnostic::info(place.clone().with_line(*line), message));
    }
    if !file.imports_colliders() && has(FileSection::Colliders) {
        let message = message!("version 3 tables have no colliders; the [Colliders] section is kept, not used");
        report(Diagnostic::warning(place.clone(), message));
    }
    if file.csv.lacks_bone_sections && has(FileSection::Joints) {
        let message = message!("there is neither a version nor a [SpringBones] section; UnityChan ignores the bones");
        report(Diagnostic::warning(place, message));
    }
}
