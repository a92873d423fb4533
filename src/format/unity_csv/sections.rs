//! The rows of a file by section.

use super::comments::{self, MARK};
use super::tokens::Record;
use super::{Findings, is_unity_chan};
use crate::document::Passthrough;
use crate::exchange::Section;
use crate::report::{Diagnostic, Topic, clip};
use crate::sim::SolverKind;

/// The bracketed name of a section; that of joints depends on the solver. Comment rows have the mark that they start with.
pub(super) fn section_name(section: Section, solver: SolverKind) -> String {
    let name = match section {
        Section::Joints if !is_unity_chan(solver) => return format!("[{}]", solver.key()),
        Section::Joints => "[SpringBones]",
        Section::Pivots => "[Pivots]",
        Section::Colliders => "[Colliders]",
        Section::Nodes => "[DynamicsNulls]",
        Section::HighLegs => "[Components]",
        Section::Other => MARK,
    };
    name.to_owned()
}

/// The solver whose joints a section of that bracketed name has, in any case.
pub(super) fn solver_of_section(name: &str) -> Option<SolverKind> {
    let is_it = |kind: &SolverKind| section_name(Section::Joints, *kind).eq_ignore_ascii_case(name);
    SolverKind::ALL.iter().copied().find(is_it)
}

/// The section of a bracketed name, in any case, and the solver of its joints.
fn section_of(name: &str) -> Option<(Section, Option<SolverKind>)> {
    if let Some(solver) = solver_of_section(name) {
        return Some((Section::Joints, Some(solver)));
    }
    let is_it = |section: &Section| section_name(*section, SolverKind::default()).eq_ignore_ascii_case(name);
    let others = Section::ALL.into_iter().filter(|section| *section != Section::Other);
    others.filter(|section| *section != Section::Joints).find(is_it).map(|section| (section, None))
}

/// The name of a section that rows are kept under, without the number that sets a second section apart.
pub(super) fn unnumbered(section: &str) -> &str {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match section.rsplit_once("] ") {
        Some((name, number)) if is_number(number) => &section[..=name.len()],
        _ => section,
    }
}

/// The rows of a file by section.
#[derive(Default)]
pub(super) struct Sections {
    pub version: Option<u32>,
    /// Whether there is a version row.
    has_version: bool,
    /// The solver of the first section of joints.
    pub solver: Option<SolverKind>,
    /// Rows before the first section.
    leading: Vec<Record>,
    /// By the position of the section in [`Section::ALL`]; comment rows are the last.
    rows: [Vec<Record>; Section::ALL.len()],
    /// Sections and lines of rows without any text.
    pub blanks: Vec<(Section, u64)>,
    /// Rows of second and unknown sections. A section that rows alone would not bring back has its header as first row.
    pub passthrough: Vec<Passthrough>,
    /// Bracketed names of these sections.
    unused: Vec<String>,
    /// The sections of the file.
    seen: [bool; Section::ALL.len()],
}

/// Where the next row belongs.
#[derive(Clone)]
enum Current {
    Leading,
    Known(Section),
    /// What its rows are kept under.
    Unused(String),
}

impl Sections {
    pub(super) fn split(records: Vec<Record>, findings: &mut Findings) -> Self {
        let mut sections = Self::default();
        let mut current = Current::Leading;
        let mut rows_in_comments = Vec::new();
        for record in records {
            let first = record.cells.first().map_or("", String::as_str);
            if first.eq_ignore_ascii_case(MARK) {
                match comments::row_in(&record.cells) {
                    Some((section, cells)) => rows_in_comments.push((section, Record { line: record.line, cells })),
                    None => sections.rows[Section::Other as usize].push(record),
                }
            } else if first.starts_with('[') {
                current = sections.open(record, findings);
            } else if record.is_comment() {
                if let Current::Unused(section) = &current {
                    sections.keep(section, record);
                }
            } else if first.eq_ignore_ascii_case("version") && sections.expects_version(&current) {
                sections.take_version(&record, findings);
            } else {
                sections.put(record, &current);
            }
        }
        for (section, record) in rows_in_comments {
            sections.put_from_comment(&section, record);
        }
        sections.drop_plain_headers();
        sections
    }

    /// Tables of other solvers have no version, but may have a bone of that name.
    fn expects_version(&self, current: &Current) -> bool {
        matches!(current, Current::Leading) || (!self.has_version && self.solver.is_none_or(is_unity_chan))
    }

    pub(super) fn rows(&self, section: Section) -> &[Record] {
        &self.rows[section as usize]
    }

    pub(super) fn take_rows(&mut self, section: Section) -> Vec<Record> {
        std::mem::take(&mut self.rows[section as usize])
    }

    /// A row from a comment replaces the one that UnityChan reads in its place, whose cells are trimmed.
    fn put_from_comment(&mut self, name: &str, record: Record) {
        let section = match section_of(name) {
            Some((section, solver)) if solver.is_none_or(|solver| solver == self.solver.unwrap_or_default()) => section,
            _ => return self.keep(name, record),
        };
        self.seen[section as usize] = true;
        let rows = &mut self.rows[section as usize];
        let is_trimmed = |row: &Record| row.cells.iter().map(String::as_str).eq(record.cells.iter().map(|c| c.trim()));
        match rows.iter().position(is_trimmed) {
            Some(at) => rows[at] = record,
            None => rows.push(record),
        }
    }

    fn put(&mut self, record: Record, current: &Current) {
        match current {
            Current::Leading => self.leading.push(record),
            Current::Known(section) if record.is_blank() => self.blanks.push((*section, record.line)),
            Current::Known(section) => self.rows[*section as usize].push(record),
            Current::Unused(_) if record.is_blank() => {}
            Current::Unused(section) => self.keep(section, record),
        }
    }

    fn keep(&mut self, section: &str, record: Record) {
        self.passthrough.push(Passthrough::Row { section: section.to_owned(), cells: record.cells });
    }

    fn open(&mut self, record: Record, findings: &mut Findings) -> Current {
        let name = record.cells[0].clone();
        let known = section_of(&name);
        if !self.seen[Section::Joints as usize] {
            self.solver = self.solver.or(known.and_then(|(_, solver)| solver));
        }
        let count = self.unused.iter().filter(|other| other.eq_ignore_ascii_case(&name)).count();
        let is_second = match known {
            Some((section, _)) => std::mem::replace(&mut self.seen[section as usize], true),
            None => count > 0,
        };
        if let (Some((section, _)), false) = (known, is_second) {
            return Current::Known(section);
        }
        let message = if is_second {
            format!("a second section {}; its rows are kept, not used", clip(&name))
        } else {
            format!("section {} is not known; its rows are kept, not used", clip(&name))
        };
        findings.push(Diagnostic::warning(findings.line(record.line), message).about(Topic::OfTable));
        // Rows of a second section must not come back as rows of the first one.
        let is_used = known.is_some_and(|(_, solver)| solver.is_none() || solver == self.solver);
        let number = count + usize::from(is_used) + 1;
        let section = if number > 1 { format!("{name} {number}") } else { name.clone() };
        self.unused.push(name);
        self.keep(&section, record);
        Current::Unused(section)
    }

    /// Removes the headers that rows of their section bring back.
    fn drop_plain_headers(&mut self) {
        let all = std::mem::take(&mut self.passthrough);
        let mut rest = all.into_iter().peekable();
        while let Some(row) = rest.next() {
            let is_plain = match (&row, rest.peek()) {
                (Passthrough::Row { section, cells }, Some(Passthrough::Row { section: next, .. })) => {
                    next == section
                        && cells.as_slice() == std::slice::from_ref(section)
                        && unnumbered(section) == section
                }
                _ => false,
            };
            self.passthrough.extend((!is_plain).then_some(row));
        }
    }

    fn take_version(&mut self, record: &Record, findings: &mut Findings) {
        let place = findings.line(record.line);
        let text = record.cells.get(1).map_or("", String::as_str);
        if self.has_version {
            findings.push(Diagnostic::warning(place, "a second version row; not used").about(Topic::SecondVersion));
            return;
        }
        self.has_version = true;
        self.version = text.parse().ok();
        if self.version.is_none() {
            let message = format!("the version is \"{}\", expected 3 or 4; read as 4", clip(text));
            findings.push(Diagnostic::warning(place, message));
        }
    }

    /// Rows before the first section are joints where there is a version and no section of joints, and colliders in the
    /// oldest files.
    pub(super) fn place_leading_rows(&mut self, findings: &mut Findings) {
        if !self.has_version && self.solver.is_none_or(is_unity_chan) {
            let message = "there is no version row; read as version 4";
            findings.push(Diagnostic::info(findings.file(), message).about(Topic::OfTable));
        }
        let leading = std::mem::take(&mut self.leading);
        let Some(line) = leading.iter().find(|row| !row.is_blank()).map(|row| row.line) else { return };
        if self.version.is_some() && !self.seen[Section::Joints as usize] {
            self.put_leading(leading, Section::Joints);
            return;
        }
        let is_collider = |row: &Record| row.cells.get(11).is_some_and(|c| ["sp", "cp", "pa"].contains(&c.as_str()));
        if !self.has_version && !self.seen[Section::Colliders as usize] && leading.iter().any(is_collider) {
            self.put_leading(leading, Section::Colliders);
            let message = "rows before the first section are taken for colliders, as in the oldest tables";
            findings.push(Diagnostic::info(findings.line(line), message).about(Topic::LeadingColliders));
        } else {
            let count = leading.iter().filter(|row| !row.is_blank()).count();
            let message = format!("rows before the first section are not used: {count}");
            findings.push(Diagnostic::warning(findings.line(line), message).about(Topic::LeadingUnused));
        }
    }

    fn put_leading(&mut self, leading: Vec<Record>, section: Section) {
        self.seen[section as usize] = true;
        for record in leading {
            self.put(record, &Current::Known(section));
        }
    }

    /// Whether there is anything of a dynamics CSV.
    pub(super) fn is_table(&self) -> bool {
        self.version.is_some() || self.seen.contains(&true) || !self.rows(Section::Other).is_empty()
    }
}
