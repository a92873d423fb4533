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
mod rows;
mod sections;
#[cfg(test)]
mod tests;
mod tokens;
mod write;

pub(in crate::format) use cells::{number_text, parse_number};
pub use write::{Options, has_non_ascii_name, looks_like_formula, unwritable, write, writes_bom};

use crate::document::{Passthrough, SetupItem};
use crate::exchange::TableFormat;
use crate::exchange::{FileItem, FileSpace, FileSystem, Problem, Section, SetupFile, TableFacts};
use crate::report::{Diagnostic, Place, Topic, clip};
use crate::sim::SolverKind;
use cells::has_decimal_comma;
use joints::JointColumns;
use rows::RowFormat;
use sections::{Sections, section_name};
use tokens::Record;

/// Larger files are refused; a table of ten thousand bones has about 1 MiB.
pub const LARGEST_MIB: usize = 16;
/// The most findings of one file; a last one counts the rest.
pub const MOST_FINDINGS: usize = 200;

/// Whether joints have pivots and length limits and files have a version, as UnityChan's.
const fn is_unity_chan(solver: SolverKind) -> bool {
    matches!(solver, SolverKind::UnityChanSpringBone)
}

/// Reads a table; `file_name` is for messages. `Err` only where nothing can be read.
///
/// The entries come section by section, each in file order; those of comment rows are in glTF's space.
pub fn read(bytes: &[u8], file_name: &str) -> Result<(SetupFile, Vec<Diagnostic>), Vec<Diagnostic>> {
    read_with(bytes, file_name, None)
}

/// As [`read`] in the encoding of that label, for example `euc-jp`, for files whose names look wrong.
pub fn read_as(bytes: &[u8], file_name: &str, encoding: &str) -> Result<(SetupFile, Vec<Diagnostic>), Vec<Diagnostic>> {
    read_with(bytes, file_name, Some(encoding))
}

fn read_with(
    bytes: &[u8],
    file_name: &str,
    encoding: Option<&str>,
) -> Result<(SetupFile, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut findings = Findings::new(Place::file(file_name));
    if bytes.len() > LARGEST_MIB << 20 {
        let mib = bytes.len() >> 20;
        return Err(
            findings.fail(format!("the file has {mib} MiB, a table of more than {LARGEST_MIB} MiB is not read"))
        );
    }
    let decoded = decode::decode(bytes, encoding);
    if let Some(guess) = decoded.guess {
        let topic = if decoded.broken { Topic::BrokenText } else { Topic::OfTable };
        findings.push(Diagnostic::warning(findings.file(), guess).about(topic));
    }
    let tokens = tokens::tokenize(&decoded.text);
    if let Some(line) = tokens.unclosed_quote {
        let message = "a quote is opened here and never closed; the rest of the file went into one cell";
        findings.push(Diagnostic::warning(findings.line(line), message).about(Topic::OpenQuote));
    }
    if tokens.cut {
        let message = "the file has too many cells; the rest was not read";
        findings.push(Diagnostic::warning(findings.file(), message).about(Topic::TooManyCells));
    }
    if tokens.records.iter().all(Record::is_blank) {
        return Err(findings.fail("the file holds no rows".to_owned()));
    }
    let mut sections = Sections::split(tokens.records, &mut findings);
    if let Some(version) = sections.version
        && version != 3
        && version != 4
    {
        return Err(findings.fail(format!("the table has version {version}, versions 3 and 4 are known")));
    }
    sections.place_leading_rows(&mut findings);
    if !sections.is_table() {
        let message = "there is no [SpringBones] section and no version row: this is no dynamics CSV";
        return Err(findings.fail(message.to_owned()));
    }
    let format = RowFormat::of(sections.solver.unwrap_or_default());
    let names_bones = decoded.text.to_ascii_lowercase().contains("[springbones]");
    let table = TableFacts {
        // Only UnityChan's own tables have a version.
        version: if is_unity_chan(format.solver) { sections.version } else { sections.version.or(Some(4)) },
        encoding: decoded.encoding,
        bom: decoded.bom,
        decimal_comma: has_decimal_commas(&sections, &format.joints),
        blanks: std::mem::take(&mut sections.blanks),
        no_bones: sections.version.is_none() && !names_bones && is_unity_chan(format.solver),
    };
    if table.decimal_comma {
        let message = "numbers are written with decimal commas; read as decimal points";
        findings.push(Diagnostic::warning(findings.file(), message).about(Topic::OfTable));
    }
    let file = build(sections, table, &format, &mut findings);
    Ok((file, findings.into_list()))
}

fn build(mut sections: Sections, table: TableFacts, format: &RowFormat, findings: &mut Findings) -> SetupFile {
    let mut file = SetupFile {
        format: TableFormat::Csv,
        space: FileSpace::Unity(None),
        table,
        passthrough: std::mem::take(&mut sections.passthrough),
        ..SetupFile::default()
    };
    for section in Section::ALL {
        let entries = sections.take_rows(section).into_iter().map(|record| match section {
            Section::Other => comment_entry(record, format.solver),
            _ => row_entry(section, record, format, file.table.decimal_comma),
        });
        let entries: Vec<FileItem> = entries.collect();
        for entry in &entries {
            findings.entry(entry);
        }
        if section == Section::Joints {
            findings.odd_joints(&entries, &format.joints);
        }
        file.items.extend(entries);
    }
    let name = file.items.iter().rev().find_map(|entry| match &entry.content {
        Ok(SetupItem::System(system)) if !system.name.is_empty() => Some(system.name.clone()),
        _ => None,
    });
    file.systems = vec![FileSystem { solver: format.solver, name: name.unwrap_or_default() }];
    findings.odd_table(&file);
    file
}

fn row_entry(section: Section, record: Record, format: &RowFormat, decimal_comma: bool) -> FileItem {
    let Record { line, mut cells } = record;
    let (name, rest) = cells.split_first().map_or(("", [].as_slice()), |(name, rest)| (name.as_str(), rest));
    let (name, content) = (name.to_owned(), format.read(section, (name, rest), decimal_comma));
    if decimal_comma && content.is_ok() {
        // A file with decimal points may get the row.
        let numbers = cells.iter_mut().skip(1).filter(|cell| has_decimal_comma(cell));
        numbers.for_each(|cell| *cell = cell.replace(',', "."));
    }
    let verbatim = Some(Passthrough::Row { section: section_name(section, format.solver), cells });
    FileItem { system: 0, section, name, line, pointer: String::new(), verbatim, content }
}

fn comment_entry(record: Record, solver: SolverKind) -> FileItem {
    let Record { line, cells } = record;
    let (name, content) = comments::entry_in(&cells);
    let verbatim = match &content {
        Ok(item) => Passthrough::Item { solver, item: Box::new(item.clone()) },
        Err(_) => Passthrough::Row { section: comments::MARK.to_owned(), cells },
    };
    let (section, pointer) = (Section::Other, String::new());
    FileItem { system: 0, section, name, line, pointer, verbatim: Some(verbatim), content }
}

/// Numbers have decimal commas where one of them has a comma and none has a point.
fn has_decimal_commas(sections: &Sections, joints: &JointColumns) -> bool {
    let of_joints: Vec<usize> = joints.decimals().map(|at| at + 1).collect();
    let of_nodes: Vec<usize> = (2..14).collect();
    let columns = |section| match section {
        Section::Joints => of_joints.as_slice(),
        Section::Pivots | Section::Colliders | Section::Nodes => &of_nodes,
        Section::HighLegs | Section::Other => &[],
    };
    let mut has_comma = false;
    for section in Section::ALL {
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

/// Findings up to [`MOST_FINDINGS`], so that a hostile file cannot fill the memory with messages.
struct Findings {
    file: Place,
    list: Vec<Diagnostic>,
    more: usize,
}

impl Findings {
    const fn new(file: Place) -> Self {
        Self { file, list: Vec::new(), more: 0 }
    }

    fn file(&self) -> Place {
        self.file.clone()
    }

    fn line(&self, line: u64) -> Place {
        self.file.clone().line(line)
    }

    fn push(&mut self, diagnostic: Diagnostic) {
        if self.list.len() < MOST_FINDINGS {
            self.list.push(diagnostic);
        } else {
            self.more += 1;
        }
    }

    /// What is wrong with an entry.
    fn entry(&mut self, entry: &FileItem) {
        if let Err(problems) = &entry.content {
            self.problems(entry, problems);
        }
    }

    fn problems(&mut self, entry: &FileItem, problems: &[Problem]) {
        for problem in problems {
            let mut place = self.line(entry.line).bone(clip(&entry.name));
            if !problem.column.is_empty() {
                place = place.column(problem.column);
            }
            self.push(Diagnostic::warning(place, problem.message()));
        }
    }

    /// Values beyond their range, and names that a spreadsheet calculates.
    fn odd_joints(&mut self, entries: &[FileItem], columns: &JointColumns) {
        for entry in entries {
            if let Ok(SetupItem::Joint(joint)) = &entry.content {
                self.problems(entry, &columns.beyond_range(&joint.joint));
            }
            if looks_like_formula(&entry.name) {
                let place = self.line(entry.line).bone(clip(&entry.name));
                self.push(Diagnostic::info(place, "a spreadsheet may read this name as a formula"));
            }
        }
    }

    /// What UnityChan's window would not import.
    fn odd_table(&mut self, file: &SetupFile) {
        let has = |section| file.items.iter().any(|entry| entry.section == section);
        if let Some((_, line)) = file.table.blanks.first() {
            let count = file.table.blanks.len();
            let message = format!("rows without any text: {count}; the engine takes them for broken rows");
            self.push(Diagnostic::info(self.line(*line), message).about(Topic::OfTable));
        }
        if !file.has_collider_rules() && has(Section::Colliders) {
            let message = "version 3 tables have no colliders; the [Colliders] section is kept, not used";
            self.push(Diagnostic::warning(self.file(), message).about(Topic::OfTable));
        }
        if file.table.no_bones && has(Section::Joints) {
            let message = "there is neither a version nor a [SpringBones] section; the engine passes bones over";
            self.push(Diagnostic::warning(self.file(), message).about(Topic::OfTable));
        }
    }

    /// All findings and a last one that says why nothing can be read.
    fn fail(mut self, message: String) -> Vec<Diagnostic> {
        self.push(Diagnostic::error(self.file(), message));
        self.into_list()
    }

    fn into_list(mut self) -> Vec<Diagnostic> {
        if self.more > 0 {
            self.list.push(Diagnostic::warning(self.file, format!("{} more findings are not listed", self.more)));
        }
        self.list
    }
}
