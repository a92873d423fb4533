//! Writes a setup as a table in UnityChan's layout.

use super::comments::{self, COMMENT_MARK};
use super::is_unity_chan;
use super::rows::{COLLIDER_HEADERS, EXTRA_COLLIDER_HEADERS, NumberStyle, PIVOT_HEADER, RowFormat};
use super::sections::{section_name, solver_of_section, without_section_number};
use crate::unity_space::joint_to_unity;
use yuremono_model::document::{
    ByName, FlipAxis, Joint, JointEntry, NodeRef, Passthrough, ReplacedProperties, SetupEntry,
};
use yuremono_model::exchange::{
    ExportOptions, FileSection, FileSpace, LineEnding, SetupFile, looks_like_formula, unreadable_name_reason,
};
use yuremono_sim::SolverKind;
use yuremono_sim::diagnostics::{Diagnostic, Location, MessageText, excerpt, message};

/// The sections with rows that Unity reads, in file order.
const ROW_SECTIONS: [FileSection; 5] =
    [FileSection::Joints, FileSection::Pivots, FileSection::Colliders, FileSection::Nodes, FileSection::HighLegs];

/// Returns the bytes of a table in UTF-8 with commas, for version 4 of UnityChan's format. `file` is in Unity's space,
/// but its comment rows and passthrough entries are in glTF's space. Sections without rows are omitted.
pub fn write(file: &SetupFile, options: ExportOptions) -> Vec<u8> {
    let table = CsvTable::of(file, options.significant_digits);
    let mut out = CsvOutput::new(options);
    let solver = table.format.solver;
    if writes_bom(file, options) {
        out.text.push('\u{feff}');
    }
    if is_unity_chan(solver) {
        out.write_line("version,4");
    } else {
        out.write_line(&format!("// {} by bone name", solver.key()));
    }
    let joint_header = format!("// bone,{}", table.format.joints.headers().join(","));
    let more: &[&str] = if is_unity_chan(solver) { &[] } else { &EXTRA_COLLIDER_HEADERS };
    let collider_headers = [&COLLIDER_HEADERS[..], more].concat();
    for (section, rows) in ROW_SECTIONS.into_iter().zip(&table.rows) {
        let name = section_name(section, solver);
        match section {
            FileSection::Joints => {
                out.write_section(&name, &[&joint_header], rows, table.always_writes_joint_section());
            }
            FileSection::Pivots => out.write_section(&name, &[PIVOT_HEADER], rows, false),
            FileSection::Colliders => out.write_section(&name, &collider_headers, rows, false),
            FileSection::HighLegs => {
                let end = std::mem::replace(&mut out.line_end, LineEnding::Lf.as_str());
                out.write_section(&name, &[], rows, false);
                out.line_end = end;
            }
            _ => out.write_section(&name, &[], rows, false),
        }
    }
    for unused in &table.unused_sections {
        out.write_blank_line();
        out.write_cells(&unused.header);
        unused.rows.iter().for_each(|row| out.write_cells(row));
    }
    if options.write_comment_rows {
        out.write_comments(&table.comments);
    }
    out.text.into_bytes()
}

/// Reports names that would change when the file is read, and names that a spreadsheet would evaluate.
pub fn unwritable_names(file: &SetupFile, file_name: &str) -> Vec<Diagnostic> {
    let table = CsvTable::of(file, None);
    let of_components = ROW_SECTIONS.len() - 1;
    let names = table.rows[..of_components].iter().flatten().map(|row| row.name.as_str());
    let finding = |name: &str| {
        let formula = looks_like_formula(name).then(|| message!("a spreadsheet may read this name as a formula"));
        let message = unreadable_name_reason(name).map(MessageText::from).or(formula)?;
        Some(Diagnostic::warning(Location::file(file_name).with_bone(excerpt(name)), message))
    };
    names.filter_map(finding).collect()
}

/// Whether the table starts with a byte order mark. Without a byte order mark, UnityChan reads the file in the code
/// page of the machine and does not find names with other characters.
pub fn writes_bom(file: &SetupFile, options: ExportOptions) -> bool {
    options.write_bom.unwrap_or_else(|| has_non_ascii_name(file))
}

/// Whether any row contains a non-ASCII name of an entry, parent, pivot, length target or collider.
fn has_non_ascii_name(file: &SetupFile) -> bool {
    let is_bad = |name: &str| !name.is_ascii();
    let of_joint = |joint: &Joint<ByName>| {
        let nodes = joint.pivot.iter().chain(joint.length_targets.iter().map(|target| &target.node));
        is_bad(&joint.bone)
            || nodes.map(NodeRef::name).any(is_bad)
            || joint.colliders.iter().any(|collider| is_bad(collider))
    };
    let of_item = |item: &SetupEntry| match item {
        SetupEntry::Joint(joint) => of_joint(&joint.joint),
        SetupEntry::Helper(node) => is_bad(node.parent.name()),
        SetupEntry::Collider(collider) => match &collider.node {
            NodeRef::Inline(node) => is_bad(node.parent.name()),
            NodeRef::Named(name) => is_bad(name),
        },
        _ => false,
    };
    let solver = file.systems.first().map_or_else(SolverKind::default, |system| system.solver);
    let of_kept = |kept: &Passthrough| match kept {
        Passthrough::CsvRow { section, cells } => match known_section(section, solver) {
            Some(FileSection::Colliders) => cells.iter().take(2).any(|cell| is_bad(cell)),
            Some(FileSection::HighLegs) => cells.iter().take(1).any(|cell| is_bad(cell)),
            Some(_) => cells.iter().any(|cell| is_bad(cell)),
            None => false,
        },
        Passthrough::Entry { entry: item, .. } => matches!(&**item, SetupEntry::Joint(joint) if of_joint(&joint.joint)),
        Passthrough::References { .. } => false,
    };
    let rows = file.entries.iter().filter(|entry| entry.section != FileSection::Other);
    rows.into_iter().any(|entry| is_bad(&entry.name) || entry.content.as_ref().is_ok_and(of_item))
        || file.passthrough.iter().any(of_kept)
}

/// A row of a section that Unity reads.
struct TableRow {
    name: String,
    /// The cells after the name.
    cells: Vec<String>,
    /// Whether the entry is usable. An unusable row is written with the cells of the original file.
    is_valid: bool,
}

struct UnusedSection {
    /// See `Passthrough::CsvRow`.
    key: String,
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// A setup as table rows.
struct CsvTable {
    format: RowFormat,
    style: NumberStyle,
    /// Indexed by the position in [`ROW_SECTIONS`].
    rows: [Vec<TableRow>; ROW_SECTIONS.len()],
    unused_sections: Vec<UnusedSection>,
    comments: Vec<Vec<String>>,
}

impl CsvTable {
    fn of(file: &SetupFile, digits: Option<u8>) -> Self {
        let axis = match file.space {
            FileSpace::Unity(Some(axis)) => axis,
            FileSpace::Unity(None) | FileSpace::Gltf => FlipAxis::default(),
        };
        let solver = file.systems.first().map_or_else(SolverKind::default, |system| system.solver);
        let (format, style) = (RowFormat::of(solver), NumberStyle { digits, axis });
        let mut table =
            Self { format, style, rows: Default::default(), unused_sections: Vec::new(), comments: Vec::new() };
        for entry in &file.entries {
            match (&entry.content, &entry.csv_row) {
                (Ok(item), _) => table.add_item(entry.section, item),
                (Err(_), Some(kept)) => table.add_passthrough(kept),
                (Err(_), None) => {}
            }
        }
        file.passthrough.iter().for_each(|kept| table.add_passthrough(kept));
        table
    }

    /// Adds the entry as a row. If the section has no row for the entry, adds a comment row.
    fn add_item(&mut self, section: FileSection, item: &SetupEntry) {
        match (section_index(section), self.format.write(section, item, self.style)) {
            (Some(at), Some((name, cells))) => self.rows[at].push(TableRow { name, cells, is_valid: true }),
            _ => self.comments.push(comments::entry_comment_cells(item)),
        }
    }

    fn add_passthrough(&mut self, kept: &Passthrough) {
        match kept {
            Passthrough::CsvRow { section, cells } if section == COMMENT_MARK => self.comments.push(cells.clone()),
            Passthrough::CsvRow { section, cells } => self.add_passthrough_row(section, cells),
            Passthrough::Entry { solver, entry: item } => match &**item {
                SetupEntry::Joint(joint)
                    if *solver == self.format.solver && joint.scope != ReplacedProperties::Details =>
                {
                    self.add_joint(joint);
                }
                item => self.comments.push(comments::entry_comment_cells(item)),
            },
            // The row of the joint already contains these references.
            Passthrough::References { .. } => {}
        }
    }

    fn add_passthrough_row(&mut self, section: &str, cells: &[String]) {
        let Some(at) = known_section(section, self.format.solver).and_then(section_index) else {
            return self.add_unused_row(section, cells);
        };
        let Some((name, rest)) = cells.split_first() else { return };
        if name.eq_ignore_ascii_case(section) && rest.iter().all(String::is_empty) {
            // The row is the header of a section that was not used by another solver.
            return;
        }
        let is_good = self.format.read(ROW_SECTIONS[at], name, rest, false).is_ok();
        self.rows[at].push(TableRow { name: name.clone(), cells: rest.to_vec(), is_valid: is_good });
    }

    /// Adds an unused row. A row with the section name in its first cell is the header. A row is skipped if its section
    /// name has no bracket, because no reader returns such a row.
    fn add_unused_row(&mut self, section: &str, cells: &[String]) {
        if !section.starts_with('[') {
            return;
        }
        let name = without_section_number(section);
        let at = self.unused_sections.iter().position(|unused| unused.key == section).unwrap_or_else(|| {
            let (key, header) = (section.to_owned(), vec![name.to_owned()]);
            self.unused_sections.push(UnusedSection { key, header, rows: Vec::new() });
            self.unused_sections.len() - 1
        });
        let Some((first, rest)) = cells.split_first() else { return };
        if first.eq_ignore_ascii_case(name) || first.eq_ignore_ascii_case(section) {
            self.unused_sections[at].header = cells.to_vec();
        } else if first.starts_with('[') || first.eq_ignore_ascii_case(COMMENT_MARK) || !is_trimmed(cells) {
            self.comments.push(comments::row_comment_cells(name, first, rest));
        } else {
            self.unused_sections[at].rows.push(cells.to_vec());
        }
    }

    /// Adds a row for a joint in glTF's space, and a comment row for the values that the row cannot store.
    fn add_joint(&mut self, item: &JointEntry) {
        let mut joint = item.joint.clone();
        joint_to_unity(&mut joint, self.format.solver, self.style.axis);
        let cells = self.format.joints.write(&joint, self.style.digits);
        self.rows[0].push(TableRow { name: joint.bone, cells, is_valid: true });
        if let Some(joint) = self.format.joints.details(&item.joint) {
            let details = JointEntry { scope: ReplacedProperties::Details, chain: item.chain, joint };
            self.comments.push(comments::entry_comment_cells(&SetupEntry::Joint(details)));
        }
    }

    fn always_writes_joint_section(&self) -> bool {
        let is_of_joints =
            |unused: &UnusedSection| unused.header.first().is_some_and(|name| solver_of_section(name).is_some());
        !is_unity_chan(self.format.solver) || self.unused_sections.iter().any(is_of_joints)
    }
}

fn section_index(section: FileSection) -> Option<usize> {
    ROW_SECTIONS.iter().position(|other| *other == section)
}

/// Returns the section with this bracketed name in tables for the solver.
fn known_section(name: &str, solver: SolverKind) -> Option<FileSection> {
    ROW_SECTIONS.into_iter().find(|section| section_name(*section, solver).eq_ignore_ascii_case(name))
}

/// Whether the cells stay unchanged when a reader trims them and skips blank rows.
fn is_trimmed(cells: &[String]) -> bool {
    cells.iter().all(|cell| cell.trim() == cell) && !cells.iter().all(String::is_empty)
}

struct CsvOutput {
    text: String,
    line_end: &'static str,
    decimal_comma: bool,
    write_comment_rows: bool,
    /// Rows that are written as comments at the end of the file.
    rows_in_comments: Vec<Vec<String>>,
}

impl CsvOutput {
    const fn new(options: ExportOptions) -> Self {
        Self {
            text: String::new(),
            line_end: options.line_ending.as_str(),
            decimal_comma: options.decimal_comma,
            write_comment_rows: options.write_comment_rows,
            rows_in_comments: Vec::new(),
        }
    }

    /// Writes a section. An empty section is written only if `always` is true.
    fn write_section(&mut self, name: &str, headers: &[&str], rows: &[TableRow], always: bool) {
        let mut plain = Vec::with_capacity(rows.len());
        for row in rows {
            let mut cells = row.cells.clone();
            if self.decimal_comma && row.is_valid {
                cells.iter_mut().for_each(to_decimal_comma);
            }
            let is_unreadable = unreadable_name_reason(&row.name).is_some();
            if self.write_comment_rows && (is_unreadable || cells.iter().any(|cell| cell.trim() != cell)) {
                self.rows_in_comments.push(comments::row_comment_cells(name, &row.name, &cells));
                if is_unreadable {
                    continue;
                }
                // UnityChan can still use the row, although names in the row change.
            }
            plain.push((&row.name, cells));
        }
        if plain.is_empty() && !always {
            return;
        }
        self.write_blank_line();
        self.write_line(name);
        for header in headers {
            self.write_line(header);
        }
        for (name, cells) in plain {
            self.write_row(name, &cells);
        }
    }

    fn write_comments(&mut self, comments: &[Vec<String>]) {
        let rows = std::mem::take(&mut self.rows_in_comments);
        if rows.is_empty() && comments.is_empty() {
            return;
        }
        self.write_blank_line();
        rows.iter().chain(comments).for_each(|row| self.write_cells(row));
    }

    fn write_line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push_str(self.line_end);
    }

    fn write_blank_line(&mut self) {
        self.text.push_str(self.line_end);
    }

    fn write_cells(&mut self, cells: &[String]) {
        if let Some((first, rest)) = cells.split_first() {
            self.write_row(first, rest);
        }
    }

    fn write_row(&mut self, name: &str, cells: &[String]) {
        self.write_cell(name);
        for cell in cells {
            self.text.push(',');
            self.write_cell(cell);
        }
        self.text.push_str(self.line_end);
    }

    // Differs from UnityChanSpringBone, which never quotes the cells of a component, so a comma in a name splits the
    // name.
    fn write_cell(&mut self, cell: &str) {
        if cell.contains(['"', '\r', '\n', ',', '\t']) {
            self.text.push('"');
            self.text.push_str(&cell.replace('"', "\"\""));
            self.text.push('"');
        } else {
            self.text.push_str(cell);
        }
    }
}

/// Replaces the decimal point of a number with a comma. Other cells stay unchanged.
fn to_decimal_comma(cell: &mut String) {
    let is_number = cell.contains('.') && cell.parse::<f32>().is_ok();
    if is_number {
        *cell = cell.replace('.', ",");
    }
}
