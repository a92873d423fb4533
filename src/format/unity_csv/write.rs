//! A setup as a table in UnityChan's layout.

use super::comments::{self, MARK};
use super::is_unity_chan;
use super::rows::{COLLIDER_HEADERS, MORE_COLLIDER_HEADERS, NumberStyle, PIVOT_HEADER, RowFormat};
use super::sections::{section_name, solver_of_section, unnumbered};
use crate::document::{Axis, ByName, Joint, JointItem, JointScope, NodeRef, Passthrough, SetupItem};
use crate::exchange::ExportOptions;
use crate::exchange::LineEnd;

use crate::exchange::{FileSpace, Section, SetupFile, unreadable_name};
use crate::format::unity_space::joint_to_unity;
use crate::report::{Diagnostic, Place, clip};
use crate::sim::SolverKind;

/// The sections of rows that engines read, in file order.
const SECTIONS: [Section; 5] =
    [Section::Joints, Section::Pivots, Section::Colliders, Section::Nodes, Section::HighLegs];

/// How a table is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// After every row, except for rows of components: UnityChan ends those in a line feed on every system.
    pub line_end: LineEnd,
    /// Starts with a byte order mark, so that spreadsheets read UTF-8.
    pub bom: bool,
    /// Significant digits of numbers; `None` for as many as are needed to read the same number back.
    pub digits: Option<u8>,
    /// Numbers as `"0,5"`, as UnityChan writes and reads them in countries that do so.
    pub decimal_comma: bool,
    /// Leaves out comment rows. Rows that no reader gets back unchanged are then written as if they were.
    pub without_comments: bool,
}

impl From<ExportOptions> for Options {
    fn from(options: ExportOptions) -> Self {
        let ExportOptions { line_end, bom, digits, decimal_comma, extras, .. } = options;
        Self { line_end, bom: bom.unwrap_or(false), digits, decimal_comma, without_comments: !extras }
    }
}

/// The bytes of a table in UTF-8 with commas, for UnityChan as version 4. `file` is in Unity's space, except for its
/// comment rows and its passthrough entries. Sections without rows are left out.
pub fn write(file: &SetupFile, options: Options) -> Vec<u8> {
    let table = Table::of(file, options.digits);
    let mut out = Output::new(options);
    let solver = table.format.solver;
    if options.bom {
        out.text.push('\u{feff}');
    }
    if is_unity_chan(solver) {
        out.line("version,4");
    } else {
        out.line(&format!("// {} by bone name", solver.key()));
    }
    let joint_header = format!("// bone,{}", table.format.joints.headers().join(","));
    let more: &[&str] = if is_unity_chan(solver) { &[] } else { &MORE_COLLIDER_HEADERS };
    let collider_headers = [&COLLIDER_HEADERS[..], more].concat();
    for (section, rows) in SECTIONS.into_iter().zip(&table.rows) {
        let name = section_name(section, solver);
        match section {
            Section::Joints => out.section(&name, &[&joint_header], rows, table.names_joints()),
            Section::Pivots => out.section(&name, &[PIVOT_HEADER], rows, false),
            Section::Colliders => out.section(&name, &collider_headers, rows, false),
            Section::HighLegs => {
                let end = std::mem::replace(&mut out.line_end, LineEnd::Lf.text());
                out.section(&name, &[], rows, false);
                out.line_end = end;
            }
            _ => out.section(&name, &[], rows, false),
        }
    }
    for unused in &table.unused {
        out.blank();
        out.cells(&unused.header);
        unused.rows.iter().for_each(|row| out.cells(row));
    }
    if !options.without_comments {
        out.comments(&table.comments);
    }
    out.text.into_bytes()
}

/// Names that a reader of the file would not get back, and names that a spreadsheet calculates.
pub fn unwritable(file: &SetupFile, file_name: &str) -> Vec<Diagnostic> {
    let table = Table::of(file, None);
    let of_components = SECTIONS.len() - 1;
    let names = table.rows[..of_components].iter().flatten().map(|row| row.name.as_str());
    let finding = |name: &str| {
        let formula = looks_like_formula(name).then_some("a spreadsheet may read this name as a formula");
        let message = unreadable_name(name).or(formula)?;
        Some(Diagnostic::warning(Place::file(file_name).bone(clip(name)), message))
    };
    names.filter_map(finding).collect()
}

/// Whether a table starts with the UTF-8 byte order mark: as chosen, else where a name is not ASCII. Without the mark,
/// UnityChan reads a file in the code page of its machine and finds none of these names.
pub fn writes_bom(file: &SetupFile, options: &ExportOptions) -> bool {
    options.bom.unwrap_or_else(|| has_non_ascii_name(file))
}

/// Whether a name in any row is not ASCII: of the row itself, its parent, pivot, length target or collider.
pub fn has_non_ascii_name(file: &SetupFile) -> bool {
    let is_bad = |name: &str| !name.is_ascii();
    let of_joint = |joint: &Joint<ByName>| {
        let nodes = joint.pivot.iter().chain(joint.length_targets.iter().map(|target| &target.node));
        is_bad(&joint.bone)
            || nodes.map(NodeRef::name).any(is_bad)
            || joint.colliders.iter().any(|collider| is_bad(collider))
    };
    let of_item = |item: &SetupItem| match item {
        SetupItem::Joint(joint) => of_joint(&joint.joint),
        SetupItem::Node(node) => is_bad(node.parent.name()),
        SetupItem::Collider(collider) => match &collider.node {
            NodeRef::Placed(node) => is_bad(node.parent.name()),
            NodeRef::Named(name) => is_bad(name),
        },
        _ => false,
    };
    let solver = file.systems.first().map_or_else(SolverKind::default, |system| system.solver);
    let of_kept = |kept: &Passthrough| match kept {
        Passthrough::Row { section, cells } => match known_section(section, solver) {
            Some(Section::Colliders) => cells.iter().take(2).any(|cell| is_bad(cell)),
            Some(Section::HighLegs) => cells.iter().take(1).any(|cell| is_bad(cell)),
            Some(_) => cells.iter().any(|cell| is_bad(cell)),
            None => false,
        },
        Passthrough::Item { item, .. } => matches!(&**item, SetupItem::Joint(joint) if of_joint(&joint.joint)),
        Passthrough::References { .. } => false,
    };
    let rows = file.items.iter().filter(|entry| entry.section != Section::Other);
    rows.into_iter().any(|entry| is_bad(&entry.name) || entry.content.as_ref().is_ok_and(of_item))
        || file.passthrough.iter().any(of_kept)
}

/// Whether a spreadsheet would take the name for a formula.
pub fn looks_like_formula(name: &str) -> bool {
    name.starts_with(['=', '+', '-', '@'])
}

/// A row of a section that engines read.
struct Row {
    name: String,
    /// The cells after the name.
    cells: Vec<String>,
    /// Its entry can be used. The cells of other rows stay as they were in their file.
    is_good: bool,
}

/// A section that is written as it was read.
struct UnusedSection {
    /// See [`Passthrough::Row`].
    key: String,
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// A setup as rows.
struct Table {
    format: RowFormat,
    style: NumberStyle,
    /// By the position in [`SECTIONS`].
    rows: [Vec<Row>; SECTIONS.len()],
    unused: Vec<UnusedSection>,
    comments: Vec<Vec<String>>,
}

impl Table {
    fn of(file: &SetupFile, digits: Option<u8>) -> Self {
        let axis = match file.space {
            FileSpace::Unity(Some(axis)) => axis,
            FileSpace::Unity(None) | FileSpace::Gltf => Axis::default(),
        };
        let solver = file.systems.first().map_or_else(SolverKind::default, |system| system.solver);
        let (format, style) = (RowFormat::of(solver), NumberStyle { digits, axis });
        let mut table = Self { format, style, rows: Default::default(), unused: Vec::new(), comments: Vec::new() };
        for entry in &file.items {
            match (&entry.content, &entry.verbatim) {
                (Ok(item), _) => table.put(entry.section, item),
                (Err(_), Some(kept)) => table.pass_through(kept),
                (Err(_), None) => {}
            }
        }
        file.passthrough.iter().for_each(|kept| table.pass_through(kept));
        table
    }

    /// A comment row where the section has no row for the entry.
    fn put(&mut self, section: Section, item: &SetupItem) {
        match (position(section), self.format.write(section, item, self.style)) {
            (Some(at), Some((name, cells))) => self.rows[at].push(Row { name, cells, is_good: true }),
            _ => self.comments.push(comments::entry_cells(item)),
        }
    }

    fn pass_through(&mut self, kept: &Passthrough) {
        match kept {
            Passthrough::Row { section, cells } if section == MARK => self.comments.push(cells.clone()),
            Passthrough::Row { section, cells } => self.pass_row_through(section, cells),
            Passthrough::Item { solver, item } => match &**item {
                SetupItem::Joint(joint) if *solver == self.format.solver && joint.scope != JointScope::Details => {
                    self.put_joint(joint);
                }
                item => self.comments.push(comments::entry_cells(item)),
            },
            // The joint's own row has them.
            Passthrough::References { .. } => {}
        }
    }

    fn pass_row_through(&mut self, section: &str, cells: &[String]) {
        let Some(at) = known_section(section, self.format.solver).and_then(position) else {
            return self.keep_unused(section, cells);
        };
        let Some((name, rest)) = cells.split_first() else { return };
        if name.eq_ignore_ascii_case(section) && rest.iter().all(String::is_empty) {
            // The header of a section that was unused under another solver.
            return;
        }
        let is_good = self.format.read(SECTIONS[at], (name, rest), false).is_ok();
        self.rows[at].push(Row { name: name.clone(), cells: rest.to_vec(), is_good });
    }

    /// A row whose first cell is the name of its section is the header. No reader returns rows of other names.
    fn keep_unused(&mut self, section: &str, cells: &[String]) {
        if !section.starts_with('[') {
            return;
        }
        let name = unnumbered(section);
        let at = self.unused.iter().position(|unused| unused.key == section).unwrap_or_else(|| {
            let (key, header) = (section.to_owned(), vec![name.to_owned()]);
            self.unused.push(UnusedSection { key, header, rows: Vec::new() });
            self.unused.len() - 1
        });
        let Some((first, rest)) = cells.split_first() else { return };
        if first.eq_ignore_ascii_case(name) || first.eq_ignore_ascii_case(section) {
            self.unused[at].header = cells.to_vec();
        } else if first.starts_with('[') || first.eq_ignore_ascii_case(MARK) || !is_trimmed(cells) {
            self.comments.push(comments::row_cells(name, first, rest));
        } else {
            self.unused[at].rows.push(cells.to_vec());
        }
    }

    /// A joint in glTF's space as a row, and a comment row for what that cannot hold.
    fn put_joint(&mut self, item: &JointItem) {
        let mut joint = item.joint.clone();
        joint_to_unity(&mut joint, self.format.solver, self.style.axis);
        let cells = self.format.joints.write(&joint, self.style.digits);
        self.rows[0].push(Row { name: joint.bone, cells, is_good: true });
        if let Some(joint) = self.format.joints.details(&item.joint) {
            let details = JointItem { scope: JointScope::Details, chain: item.chain, joint };
            self.comments.push(comments::entry_cells(&SetupItem::Joint(details)));
        }
    }

    /// Whether the section of joints is written without rows too: its name says whose values the table has.
    fn names_joints(&self) -> bool {
        let is_of_joints =
            |unused: &UnusedSection| unused.header.first().is_some_and(|name| solver_of_section(name).is_some());
        !is_unity_chan(self.format.solver) || self.unused.iter().any(is_of_joints)
    }
}

fn position(section: Section) -> Option<usize> {
    SECTIONS.iter().position(|other| *other == section)
}

/// The section of a bracketed name in tables of that solver.
fn known_section(name: &str, solver: SolverKind) -> Option<Section> {
    SECTIONS.into_iter().find(|section| section_name(*section, solver).eq_ignore_ascii_case(name))
}

/// Whether the cells survive a reader that trims them and skips blank rows.
fn is_trimmed(cells: &[String]) -> bool {
    cells.iter().all(|cell| cell.trim() == cell) && !cells.iter().all(String::is_empty)
}

struct Output {
    text: String,
    line_end: &'static str,
    decimal_comma: bool,
    without_comments: bool,
    /// Rows of sections for the end of the file.
    rows_in_comments: Vec<Vec<String>>,
}

impl Output {
    const fn new(options: Options) -> Self {
        Self {
            text: String::new(),
            line_end: options.line_end.text(),
            decimal_comma: options.decimal_comma,
            without_comments: options.without_comments,
            rows_in_comments: Vec::new(),
        }
    }

    /// `always`: without rows too.
    fn section(&mut self, name: &str, headers: &[&str], rows: &[Row], always: bool) {
        let mut plain = Vec::with_capacity(rows.len());
        for row in rows {
            let mut cells = row.cells.clone();
            if self.decimal_comma && row.is_good {
                cells.iter_mut().for_each(put_decimal_comma);
            }
            let is_unreadable = unreadable_name(&row.name).is_some();
            if !self.without_comments && (is_unreadable || cells.iter().any(|cell| cell.trim() != cell)) {
                self.rows_in_comments.push(comments::row_cells(name, &row.name, &cells));
                if is_unreadable {
                    continue;
                }
                // UnityChan can use the row, though with other names.
            }
            plain.push((&row.name, cells));
        }
        if plain.is_empty() && !always {
            return;
        }
        self.blank();
        self.line(name);
        for header in headers {
            self.line(header);
        }
        for (name, cells) in plain {
            self.row(name, &cells);
        }
    }

    fn comments(&mut self, comments: &[Vec<String>]) {
        let rows = std::mem::take(&mut self.rows_in_comments);
        if rows.is_empty() && comments.is_empty() {
            return;
        }
        self.blank();
        rows.iter().chain(comments).for_each(|row| self.cells(row));
    }

    fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push_str(self.line_end);
    }

    fn blank(&mut self) {
        self.text.push_str(self.line_end);
    }

    fn cells(&mut self, cells: &[String]) {
        if let Some((first, rest)) = cells.split_first() {
            self.row(first, rest);
        }
    }

    fn row(&mut self, name: &str, cells: &[String]) {
        self.cell(name);
        for cell in cells {
            self.text.push(',');
            self.cell(cell);
        }
        self.text.push_str(self.line_end);
    }

    // Differs from UnityChanSpringBone: it never quotes a component's cells, so that a comma in a name breaks them.
    fn cell(&mut self, cell: &str) {
        if cell.contains(['"', '\r', '\n', ',', '\t']) {
            self.text.push('"');
            self.text.push_str(&cell.replace('"', "\"\""));
            self.text.push('"');
        } else {
            self.text.push_str(cell);
        }
    }
}

/// A number's point becomes a comma; other cells stay.
fn put_decimal_comma(cell: &mut String) {
    let is_number = cell.contains('.') && cell.parse::<f32>().is_ok();
    if is_number {
        *cell = cell.replace('.', ",");
    }
}
