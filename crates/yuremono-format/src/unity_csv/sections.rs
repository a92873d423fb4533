//! Groups the rows of a file by section.

use super::comments::{self, COMMENT_MARK};
use super::is_unity_chan;
use super::records::CsvRecord;
use crate::json_common::SetupDiagnostics;
use yuremono_model::document::Passthrough;
use yuremono_model::exchange::FileSection;
use yuremono_sim::SolverKind;
use yuremono_sim::diagnostics::{Diagnostic, DiagnosticTopic, excerpt, message};

/// Returns the bracketed name of a section. The name of the joint section depends on the solver. The name of the
/// comment section is the mark at the start of its rows.
pub(super) fn section_name(section: FileSection, solver: SolverKind) -> String {
    let name = match section {
        FileSection::Joints if !is_unity_chan(solver) => return format!("[{}]", solver.key()),
        FileSection::Joints => "[SpringBones]",
        FileSection::Pivots => "[Pivots]",
        FileSection::Colliders => "[Colliders]",
        FileSection::Nodes => "[DynamicsNulls]",
        FileSection::HighLegs => "[Components]",
        FileSection::Other => COMMENT_MARK,
    };
    name.to_owned()
}

/// Returns the solver of the joint section with this bracketed name. Case is ignored.
pub(super) fn solver_of_section(name: &str) -> Option<SolverKind> {
    let is_it = |kind: &SolverKind| section_name(FileSection::Joints, *kind).eq_ignore_ascii_case(name);
    SolverKind::ALL.iter().copied().find(is_it)
}

/// Returns the section with this bracketed name, and its solver for a joint section. Case is ignored.
fn parse_section_name(name: &str) -> Option<(FileSection, Option<SolverKind>)> {
    if let Some(solver) = solver_of_section(name) {
        return Some((FileSection::Joints, Some(solver)));
    }
    let is_it = |section: &FileSection| section_name(*section, SolverKind::default()).eq_ignore_ascii_case(name);
    let others = FileSection::ALL.into_iter().filter(|section| *section != FileSection::Other);
    others.filter(|section| *section != FileSection::Joints).find(is_it).map(|section| (section, None))
}

/// Removes the number that distinguishes a repeated section from the section name of passthrough rows.
pub(super) fn without_section_number(section: &str) -> &str {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match section.rsplit_once("] ") {
        Some((name, number)) if is_number(number) => &section[..=name.len()],
        _ => section,
    }
}

#[derive(Default)]
pub(super) struct Sections {
    pub version: Option<u32>,
    has_version: bool,
    /// The solver of the first joint section.
    pub solver: Option<SolverKind>,
    /// Rows before the first section.
    leading_rows: Vec<CsvRecord>,
    /// Indexed by the position of the section in `FileSection::ALL`. The comment rows are last.
    rows: [Vec<CsvRecord>; FileSection::ALL.len()],
    /// The sections and line numbers of rows without any text.
    pub blank_rows: Vec<(FileSection, u64)>,
    /// Rows of repeated and unknown sections. The first row of a section is its header, unless the other rows are
    /// enough to restore the section.
    pub passthrough: Vec<Passthrough>,
    /// The bracketed names of repeated and unknown sections.
    unused_names: Vec<String>,
    /// Indexed like `rows`: whether the file has the section.
    is_present: [bool; FileSection::ALL.len()],
}

/// The section that the next row belongs to.
#[derive(Clone)]
enum CurrentSection {
    BeforeFirst,
    Known(FileSection),
    /// A repeated or unknown section, with the section name of its passthrough rows.
    Unused(String),
}

impl Sections {
    pub(super) fn parse(records: Vec<CsvRecord>, findings: &mut SetupDiagnostics) -> Self {
        let mut sections = Self::default();
        let mut current = CurrentSection::BeforeFirst;
        let mut rows_in_comments = Vec::new();
        for record in records {
            let first = record.cells.first().map_or("", String::as_str);
            if first.eq_ignore_ascii_case(COMMENT_MARK) {
                match comments::parse_row_comment(&record.cells) {
                    Some((section, cells)) => rows_in_comments.push((section, CsvRecord { line: record.line, cells })),
                    None => sections.rows[FileSection::Other as usize].push(record),
                }
            } else if first.starts_with('[') {
                current = sections.open_section(record, findings);
            } else if record.is_comment() {
                if let CurrentSection::Unused(section) = &current {
                    sections.keep_unused_row(section, record);
                }
            } else if first.eq_ignore_ascii_case("version") && sections.expects_version(&current) {
                sections.read_version(&record, findings);
            } else {
                sections.add_row(record, &current);
            }
        }
        for (section, record) in rows_in_comments {
            sections.add_row_from_comment(&section, record);
        }
        sections.drop_redundant_headers();
        sections
    }

    /// Tables for other solvers have no version row, but may have a bone with the name `version`.
    fn expects_version(&self, current: &CurrentSection) -> bool {
        matches!(current, CurrentSection::BeforeFirst) || (!self.has_version && self.solver.is_none_or(is_unity_chan))
    }

    pub(super) fn rows(&self, section: FileSection) -> &[CsvRecord] {
        &self.rows[section as usize]
    }

    pub(super) fn take_rows(&mut self, section: FileSection) -> Vec<CsvRecord> {
        std::mem::take(&mut self.rows[section as usize])
    }

    /// Adds the row that a comment row contains. Unlike a plain row, the row keeps the white space of its cells. The
    /// row replaces the plain row with the same trimmed cells, if there is one.
    fn add_row_from_comment(&mut self, name: &str, record: CsvRecord) {
        let section = match parse_section_name(name) {
            Some((section, solver)) if solver.is_none_or(|solver| solver == self.solver.unwrap_or_default()) => section,
            _ => return self.keep_unused_row(name, record),
        };
        self.is_present[section as usize] = true;
        let rows = &mut self.rows[section as usize];
        let is_trimmed =
            |row: &CsvRecord| row.cells.iter().map(String::as_str).eq(record.cells.iter().map(|c| c.trim()));
        match rows.iter().position(is_trimmed) {
            Some(at) => rows[at] = record,
            None => rows.push(record),
        }
    }

    fn add_row(&mut self, record: CsvRecord, current: &CurrentSection) {
        match current {
            CurrentSection::BeforeFirst => self.leading_rows.push(record),
            CurrentSection::Known(section) if record.is_blank() => self.blank_rows.push((*section, record.line)),
            CurrentSection::Known(section) => self.rows[*section as usize].push(record),
            CurrentSection::Unused(_) if record.is_blank() => {}
            CurrentSection::Unused(section) => self.keep_unused_row(section, record),
        }
    }

    fn keep_unused_row(&mut self, section: &str, record: CsvRecord) {
        self.passthrough.push(Passthrough::CsvRow { section: section.to_owned(), cells: record.cells });
    }

    fn open_section(&mut self, record: CsvRecord, findings: &mut SetupDiagnostics) -> CurrentSection {
        let name = record.cells[0].clone();
        let known = parse_section_name(&name);
        if !self.is_present[FileSection::Joints as usize] {
            self.solver = self.solver.or(known.and_then(|(_, solver)| solver));
        }
        let count = self.unused_names.iter().filter(|other| other.eq_ignore_ascii_case(&name)).count();
        let is_second = match known {
            Some((section, _)) => std::mem::replace(&mut self.is_present[section as usize], true),
            None => count > 0,
        };
        if let (Some((section, _)), false) = (known, is_second) {
            return CurrentSection::Known(section);
        }
        let message = if is_second {
            message!("a second section {name}; its rows are kept, not used", name = excerpt(&name))
        } else {
            message!("section {name} is not known; its rows are kept, not used", name = excerpt(&name))
        };
        findings.push(
            Diagnostic::warning(findings.line_location(record.line), message)
                .with_topic(DiagnosticTopic::AlsoReportedByTable),
        );
        // The number separates the rows of a repeated section from the rows of the first section.
        let is_used = known.is_some_and(|(_, solver)| solver.is_none() || solver == self.solver);
        let number = count + usize::from(is_used) + 1;
        let section = if number > 1 { format!("{name} {number}") } else { name.clone() };
        self.unused_names.push(name);
        self.keep_unused_row(&section, record);
        CurrentSection::Unused(section)
    }

    /// Removes the headers of sections that their rows can restore.
    fn drop_redundant_headers(&mut self) {
        let all = std::mem::take(&mut self.passthrough);
        let mut rest = all.into_iter().peekable();
        while let Some(row) = rest.next() {
            let is_plain = match (&row, rest.peek()) {
                (Passthrough::CsvRow { section, cells }, Some(Passthrough::CsvRow { section: next, .. })) => {
                    next == section
                        && cells.as_slice() == std::slice::from_ref(section)
                        && without_section_number(section) == section
                }
                _ => false,
            };
            self.passthrough.extend((!is_plain).then_some(row));
        }
    }

    fn read_version(&mut self, record: &CsvRecord, findings: &mut SetupDiagnostics) {
        let place = findings.line_location(record.line);
        let text = record.cells.get(1).map_or("", String::as_str);
        if self.has_version {
            findings.push(
                Diagnostic::warning(place, message!("a second version row; not used"))
                    .with_topic(DiagnosticTopic::DuplicateVersionRow),
            );
            return;
        }
        self.has_version = true;
        self.version = text.parse().ok();
        if self.version.is_none() {
            let message = message!("the version is \"{text}\", expected 3 or 4; read as 4", text = excerpt(text));
            findings.push(Diagnostic::warning(place, message));
        }
    }

    /// Assigns the rows before the first section to a section: joints if there is a version and no joint section, or
    /// colliders in the oldest files.
    pub(super) fn assign_leading_rows(&mut self, findings: &mut SetupDiagnostics) {
        if !self.has_version && self.solver.is_none_or(is_unity_chan) {
            let message = message!("there is no version row; read as version 4");
            findings.push(
                Diagnostic::info(findings.whole_file_location(), message)
                    .with_topic(DiagnosticTopic::AlsoReportedByTable),
            );
        }
        let leading = std::mem::take(&mut self.leading_rows);
        let Some(line) = leading.iter().find(|row| !row.is_blank()).map(|row| row.line) else { return };
        if self.version.is_some() && !self.is_present[FileSection::Joints as usize] {
            self.add_leading_rows(leading, FileSection::Joints);
            return;
        }
        let is_collider = |row: &CsvRecord| row.cells.get(11).is_some_and(|c| ["sp", "cp", "pa"].contains(&c.as_str()));
        if !self.has_version && !self.is_present[FileSection::Colliders as usize] && leading.iter().any(is_collider) {
            self.add_leading_rows(leading, FileSection::Colliders);
            let message = message!("rows before the first section are read as colliders, as in the oldest tables");
            findings.push(
                Diagnostic::info(findings.line_location(line), message)
                    .with_topic(DiagnosticTopic::LeadingColliderRows),
            );
        } else {
            let count = leading.iter().filter(|row| !row.is_blank()).count();
            let message = message!("rows before the first section are not used: {count}", count);
            findings.push(
                Diagnostic::warning(findings.line_location(line), message)
                    .with_topic(DiagnosticTopic::UnusedLeadingRows),
            );
        }
    }

    fn add_leading_rows(&mut self, leading: Vec<CsvRecord>, section: FileSection) {
        self.is_present[section as usize] = true;
        for record in leading {
            self.add_row(record, &CurrentSection::Known(section));
        }
    }

    /// Whether the file contains any part of a dynamics CSV.
    pub(super) fn is_table(&self) -> bool {
        self.version.is_some() || self.is_present.contains(&true) || !self.rows(FileSection::Other).is_empty()
    }
}
