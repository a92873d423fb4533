//! UTJ `UnityChanSpringBone`'s dynamics CSV and its like for other solvers.
//!
//! The name of the first section of joints says whose parameters they are: `[SpringBones]` for UnityChan, else the
//! solver's key, for example `[VRM]`. The columns of other solvers are their parameters of joints in the order of their
//! table: numbers, choices by number, switches as `True` or `False`; then the names of all colliders of the joint. These
//! tables have no pivots, no length limits and no version row, so that UnityChan's window does not touch bones. All
//! other sections are UnityChan's, with more types of colliders. Comment rows hold what no column can, see
//! `comments`.
//!
//! Reading follows UnityChan's rules for sections, comments, quotes and versions, and accepts what spreadsheets and
//! other countries' settings do to a file: any common encoding, semicolons, decimal commas, padded rows. Each of these
//! is reported. Rows that cannot be understood keep their cells, and so do unknown sections.
//!
//! The row reader is our own because the `csv` crate opens quotes only at the start of a cell and knows one separator
//! at a time, while UnityChan accepts quotes anywhere and both comma and tab.

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

pub(in crate::format) use cells::{number_text, parse_number};
pub use write::{CsvOptions, has_non_ascii_name, looks_like_formula, unwritable_names, write, writes_bom};

use crate::diagnostics::{Diagnostic, DiagnosticTopic, Location, excerpt};
use crate::document::{Passthrough, SetupEntry};
use crate::exchange::TableFormat;
use crate::exchange::{CellProblem, CsvInfo, FileEntry, FileSection, FileSpace, SetupFile, SystemHeader};
use crate::sim::SolverKind;
use cells::has_decimal_comma;
use joints::JointColumns;
use records::CsvRecord;
use rows::RowFormat;
use sections::{Sections, section_name};

/// Larger files are refused; a table of ten thousand bones has about 1 MiB.
pub const MAX_FILE_MIB: usize = 16;
/// The most findings of one file; a last one counts the rest.
pub const MAX_DIAGNOSTICS: usize = 200;

/// Whether joints have pivots and length limits and files have a version, as UnityChan's.
const fn is_unity_chan(solver: SolverKind) -> bool {
    matches!(solver, SolverKind::UnityChanSpringBone)
}

/// Reads a table; `file_name` is for messages. `Err` only where nothing can be read.
///
/// The entries come section by section, each in file order; those of comment rows are in glTF's space.
pub fn read(bytes: &[u8], file_name: &str) -> Result<(SetupFile, Vec<Diagnostic>), Vec<Diagnostic>> {
    read_table(bytes, file_name, None)
}

/// As [`read`] in the encoding of that label, for example `euc-jp`, for files whose names look wrong.
pub fn read_with_encoding(
    bytes: &[u8],
    file_name: &str,
    encoding: &str,
) -> Result<(SetupFile, Vec<Diagnostic>), Vec<Diagnostic>> {
    read_table(bytes, file_name, Some(encoding))
}

fn read_table(
    bytes: &[u8],
    file_name: &str,
    encoding: Option<&str>,
) -> Result<(SetupFile, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut findings = CsvDiagnostics::new(Location::file(file_name));
    if bytes.len() > MAX_FILE_MIB << 20 {
        let mib = bytes.len() >> 20;
        return Err(findings
            .into_failure(format!("the file has {mib} MiB, a table of more than {MAX_FILE_MIB} MiB is not read")));
    }
    let decoded = decode::decode(bytes, encoding);
    if let Some(guess) = decoded.warning {
        let topic = if decoded.has_replaced_bytes {
            DiagnosticTopic::InvalidEncoding
        } else {
            DiagnosticTopic::AlsoReportedByTable
        };
        findings.push(Diagnostic::warning(findings.file_place(), guess).with_topic(topic));
    }
    let tokens = records::parse_records(&decoded.text);
    if let Some(line) = tokens.unclosed_quote {
        let message = "a quote is opened here and never closed; the rest of the file went into one cell";
        findings
            .push(Diagnostic::warning(findings.line_place(line), message).with_topic(DiagnosticTopic::UnclosedQuote));
    }
    if tokens.truncated {
        let message = "the file has too many cells; the rest was not read";
        findings.push(Diagnostic::warning(findings.file_place(), message).with_topic(DiagnosticTopic::TooManyCells));
    }
    if tokens.records.iter().all(CsvRecord::is_blank) {
        return Err(findings.into_failure("the file holds no rows".to_owned()));
    }
    let mut sections = Sections::parse(tokens.records, &mut findings);
    if let Some(version) = sections.version
        && version != 3
        && version != 4
    {
        return Err(findings.into_failure(format!("the table has version {version}, versions 3 and 4 are known")));
    }
    sections.assign_leading_rows(&mut findings);
    if !sections.is_table() {
        let message = "there is no [SpringBones] section and no version row: this is no dynamics CSV";
        return Err(findings.into_failure(message.to_owned()));
    }
    let format = RowFormat::of(sections.solver.unwrap_or_default());
    let names_bones = decoded.text.to_ascii_lowercase().contains("[springbones]");
    let table = CsvInfo {
        // Only UnityChan's own tables have a version.
        version: if is_unity_chan(format.solver) { sections.version } else { sections.version.or(Some(4)) },
        encoding: decoded.encoding,
        has_bom: decoded.has_bom,
        has_decimal_comma: has_decimal_commas(&sections, &format.joints),
        blank_rows: std::mem::take(&mut sections.blank_rows),
        lacks_bone_sections: sections.version.is_none() && !names_bones && is_unity_chan(format.solver),
    };
    if table.has_decimal_comma {
        let message = "numbers are written with decimal commas; read as decimal points";
        findings
            .push(Diagnostic::warning(findings.file_place(), message).with_topic(DiagnosticTopic::AlsoReportedByTable));
    }
    let file = build_file(sections, table, &format, &mut findings);
    Ok((file, findings.into_diagnostics()))
}

fn build_file(mut sections: Sections, table: CsvInfo, format: &RowFormat, findings: &mut CsvDiagnostics) -> SetupFile {
    let mut file = SetupFile {
        format: TableFormat::Csv,
        space: FileSpace::Unity(None),
        csv: table,
        passthrough: std::mem::take(&mut sections.passthrough),
        ..SetupFile::default()
    };
    for section in FileSection::ALL {
        let entries = sections.take_rows(section).into_iter().map(|record| match section {
            FileSection::Other => item_from_comment(record, format.solver),
            _ => item_from_row(section, record, format, file.csv.has_decimal_comma),
        });
        let entries: Vec<FileEntry> = entries.collect();
        for entry in &entries {
            findings.report_item(entry);
        }
        if section == FileSection::Joints {
            findings.check_joints(&entries, &format.joints);
        }
        file.entries.extend(entries);
    }
    let name = file.entries.iter().rev().find_map(|entry| match &entry.content {
        Ok(SetupEntry::System(system)) if !system.name.is_empty() => Some(system.name.clone()),
        _ => None,
    });
    file.systems = vec![SystemHeader { solver: format.solver, name: name.unwrap_or_default() }];
    findings.check_table(&file);
    file
}

fn item_from_row(section: FileSection, record: CsvRecord, format: &RowFormat, decimal_comma: bool) -> FileEntry {
    let CsvRecord { line, mut cells } = record;
    let (name, rest) = cells.split_first().map_or(("", [].as_slice()), |(name, rest)| (name.as_str(), rest));
    let (name, content) = (name.to_owned(), format.read(section, (name, rest), decimal_comma));
    if decimal_comma && content.is_ok() {
        // A file with decimal points may get the row.
        let numbers = cells.iter_mut().skip(1).filter(|cell| has_decimal_comma(cell));
        numbers.for_each(|cell| *cell = cell.replace(',', "."));
    }
    let verbatim = Some(Passthrough::CsvRow { section: section_name(section, format.solver), cells });
    FileEntry { system: 0, section, name, line, json_pointer: String::new(), csv_row: verbatim, content }
}

fn item_from_comment(record: CsvRecord, solver: SolverKind) -> FileEntry {
    let CsvRecord { line, cells } = record;
    let (name, content) = comments::parse_item_comment(&cells);
    let verbatim = match &content {
        Ok(item) => Passthrough::Entry { solver, entry: Box::new(item.clone()) },
        Err(_) => Passthrough::CsvRow { section: comments::COMMENT_MARK.to_owned(), cells },
    };
    let (section, pointer) = (FileSection::Other, String::new());
    FileEntry { system: 0, section, name, line, json_pointer: pointer, csv_row: Some(verbatim), content }
}

/// Numbers have decimal commas where one of them has a comma and none has a point.
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

/// Findings up to [`MAX_DIAGNOSTICS`], so that a hostile file cannot fill the memory with messages.
struct CsvDiagnostics {
    file: Location,
    diagnostics: Vec<Diagnostic>,
    dropped_count: usize,
}

impl CsvDiagnostics {
    const fn new(file: Location) -> Self {
        Self { file, diagnostics: Vec::new(), dropped_count: 0 }
    }

    fn file_place(&self) -> Location {
        self.file.clone()
    }

    fn line_place(&self, line: u64) -> Location {
        self.file.clone().with_line(line)
    }

    fn push(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < MAX_DIAGNOSTICS {
            self.diagnostics.push(diagnostic);
        } else {
            self.dropped_count += 1;
        }
    }

    /// What is wrong with an entry.
    fn report_item(&mut self, entry: &FileEntry) {
        if let Err(problems) = &entry.content {
            self.report_problems(entry, problems);
        }
    }

    fn report_problems(&mut self, entry: &FileEntry, problems: &[CellProblem]) {
        for problem in problems {
            let mut place = self.line_place(entry.line).with_bone(excerpt(&entry.name));
            if !problem.column.is_empty() {
                place = place.with_column(problem.column);
            }
            self.push(Diagnostic::warning(place, problem.message()));
        }
    }

    /// Values beyond their range, and names that a spreadsheet calculates.
    fn check_joints(&mut self, entries: &[FileEntry], columns: &JointColumns) {
        for entry in entries {
            if let Ok(SetupEntry::Joint(joint)) = &entry.content {
                self.report_problems(entry, &columns.range_problems(&joint.joint));
            }
            if looks_like_formula(&entry.name) {
                let place = self.line_place(entry.line).with_bone(excerpt(&entry.name));
                self.push(Diagnostic::info(place, "a spreadsheet may read this name as a formula"));
            }
        }
    }

    /// What UnityChan's window would not import.
    fn check_table(&mut self, file: &SetupFile) {
        let has = |section| file.entries.iter().any(|entry| entry.section == section);
        if let Some((_, line)) = file.csv.blank_rows.first() {
            let count = file.csv.blank_rows.len();
            let message = format!("rows without any text: {count}; the engine takes them for broken rows");
            self.push(
                Diagnostic::info(self.line_place(*line), message).with_topic(DiagnosticTopic::AlsoReportedByTable),
            );
        }
        if !file.imports_colliders() && has(FileSection::Colliders) {
            let message = "version 3 tables have no colliders; the [Colliders] section is kept, not used";
            self.push(Diagnostic::warning(self.file_place(), message).with_topic(DiagnosticTopic::AlsoReportedByTable));
        }
        if file.csv.lacks_bone_sections && has(FileSection::Joints) {
            let message = "there is neither a version nor a [SpringBones] section; the engine passes bones over";
            self.push(Diagnostic::warning(self.file_place(), message).with_topic(DiagnosticTopic::AlsoReportedByTable));
        }
    }

    /// All findings and a last one that says why nothing can be read.
    fn into_failure(mut self, message: String) -> Vec<Diagnostic> {
        self.push(Diagnostic::error(self.file_place(), message));
        self.into_diagnostics()
    }

    fn into_diagnostics(mut self) -> Vec<Diagnostic> {
        if self.dropped_count > 0 {
            self.diagnostics
                .push(Diagnostic::warning(self.file, format!("{} more findings are not listed", self.dropped_count)));
        }
        self.diagnostics
    }
}
