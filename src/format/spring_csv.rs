//! UTJ `UnityChanSpringBone`'s dynamics CSV, and its like for other solvers: bytes to [`BoneTable`] and back.
//!
//! The name of the first section of bones says whose they are, see [`crate::doc::table`].
//!
//! Reading follows the original's rules for sections, comments, quotes and versions, and is kinder where
//! spreadsheets and other countries' settings would otherwise spoil a file: any common encoding, semicolons,
//! decimal commas, padded rows. Every kindness is reported. Names are not looked up here; that is for
//! [`crate::doc::import`]. The row reader is our own because the `csv` crate opens quotes only at the start of a
//! cell and knows one separator at a time, while the original takes quotes anywhere and comma and tab alike.

mod decode;
mod tokens;
mod write;

pub use write::{Options, unwritable, write};

use crate::doc::table::{
    BoneTable, EXTRA, Layout, Problem, RawSection, Section, Source, TableFormat, TableRow, bones_of, collider_row,
    component_row, extra_row, has_decimal_comma, has_pivots, looks_like_formula, null_row, parse_number, pivot_row,
    unescape,
};
use crate::report::{Diagnostic, Place, Topic, clip};
use crate::sim::SolverKind;
use tokens::Record;

/// What begins the cells of a comment row that stands for a row of a section: its bracketed name follows, then the
/// row's cells.
const ROW: [&str; 2] = ["1", "row"];
/// Larger files are refused; a table of ten thousand bones has about one.
pub const LARGEST_MIB: usize = 16;
/// Most findings that one file yields; a last one counts the rest.
pub const MOST_FINDINGS: usize = 200;

/// Reads a table; `file_name` is for messages. `Err` only where nothing can be read.
pub fn read(bytes: &[u8], file_name: &str) -> Result<(BoneTable, Vec<Diagnostic>), Vec<Diagnostic>> {
    read_with(bytes, file_name, None)
}

/// As [`read`] with the encoding told by its label, for example `euc-jp`, for files whose names look wrong.
pub fn read_as(bytes: &[u8], file_name: &str, encoding: &str) -> Result<(BoneTable, Vec<Diagnostic>), Vec<Diagnostic>> {
    read_with(bytes, file_name, Some(encoding))
}

fn read_with(
    bytes: &[u8],
    file_name: &str,
    encoding: Option<&str>,
) -> Result<(BoneTable, Vec<Diagnostic>), Vec<Diagnostic>> {
    let whole = Place::file(file_name);
    if bytes.len() > LARGEST_MIB << 20 {
        let mib = bytes.len() >> 20;
        let message = format!("the file has {mib} MiB, a table of more than {LARGEST_MIB} MiB is not read");
        return Err(vec![Diagnostic::error(whole, message)]);
    }
    let mut found = Findings::new(whole.clone());
    let decoded = decode::decode(bytes, encoding);
    if let Some(guess) = decoded.guess {
        let topic = if decoded.broken { Topic::BrokenText } else { Topic::OfTable };
        found.push(Diagnostic::warning(whole.clone(), guess).about(topic));
    }
    let tokens = tokens::tokenize(&decoded.text);
    let fail = |mut found: Findings, message: String| {
        found.push(Diagnostic::error(whole.clone(), message));
        Err(found.into_list())
    };
    if let Some(line) = tokens.unclosed_quote {
        let message = "a quote is opened here and never closed; the rest of the file went into one cell";
        found.push(Diagnostic::warning(whole.clone().line(line), message).about(Topic::OpenQuote));
    }
    if tokens.cut {
        let message = "the file has too many cells; the rest was not read";
        found.push(Diagnostic::warning(whole.clone(), message).about(Topic::TooManyCells));
    }
    if tokens.records.iter().all(Record::is_blank) {
        return fail(found, "the file holds no rows".to_owned());
    }
    let mut parts = Parts::split(tokens.records, &mut found);
    if let Some(version) = parts.version
        && version != 3
        && version != 4
    {
        return fail(found, format!("the table has version {version}, versions 3 and 4 are known"));
    }
    let asks_for_bones = decoded.text.to_ascii_lowercase().contains("[springbones]");
    let solver = parts.solver.unwrap_or_default();
    parts.no_bones = parts.version.is_none() && !asks_for_bones && solver == SolverKind::default();
    parts.place_leading_rows(&mut found);
    if !parts.means_anything() {
        let message = "there is no [SpringBones] section and no version row: this is no dynamics CSV";
        return fail(found, message.to_owned());
    }
    let layout = Layout::of(solver);
    let source = Source {
        format: TableFormat::Csv,
        encoding: decoded.encoding,
        bom: decoded.bom,
        separator: tokens.separator,
        line_end: tokens.line_end,
        decimal_comma: decimal_comma(&parts, &layout),
    };
    if source.decimal_comma {
        let message = "numbers are written with decimal commas; read as decimal points";
        found.push(Diagnostic::warning(whole, message).about(Topic::OfTable));
    }
    Ok((build(parts, source, &layout, &mut found), found.into_list()))
}

fn build(parts: Parts, source: Source, layout: &Layout, found: &mut Findings) -> BoneTable {
    let comma = source.decimal_comma;
    let solver = layout.solver();
    let plain = BoneTable::new(solver);
    // Only the engine's own tables have a version.
    let version = if has_pivots(solver) { parts.version } else { parts.version.or(plain.version) };
    let mut table = BoneTable { version, source, ..plain };
    let [bones, pivots, colliders, nulls, components, extras] = parts.rows;
    table.bones = understood(bones, found, |line, name, cells| layout.bone_row(line, name, cells, comma));
    for row in &table.bones {
        if let Ok(good) = &row.cells {
            found.problems(row.line, &row.name, &layout.beyond_range(good));
        }
        if looks_like_formula(&row.name) {
            found
                .push(Diagnostic::info(found.at(row.line, &row.name), "a spreadsheet may read this name as a formula"));
        }
    }
    table.pivots = understood(pivots, found, |line, name, cells| pivot_row(line, name, cells, comma));
    table.colliders = understood(colliders, found, |line, name, cells| collider_row(solver, line, name, cells, comma));
    table.nulls = understood(nulls, found, |line, name, cells| null_row(line, name, cells, comma));
    table.components = understood(components, found, component_row);
    table.extras = understood(extras, found, |line, _, cells| extra_row(line, cells));
    table.sections = parts.others;
    table.no_bones = parts.no_bones;
    table.blanks = parts.blanks;
    if !table.blanks.is_empty() {
        let message = format!("rows without any text: {}; the engine takes them for broken rows", table.blanks.len());
        let place = found.whole.clone().line(table.blanks[0].1);
        found.push(Diagnostic::info(place, message).about(Topic::OfTable));
    }
    if !table.has_collider_rules() && !table.colliders.is_empty() {
        let message = "version 3 tables have no colliders; the [Colliders] section is kept, not used";
        found.push(Diagnostic::warning(found.whole.clone(), message).about(Topic::OfTable));
    }
    if table.no_bones && !table.bones.is_empty() {
        let message = "there is neither a version nor a [SpringBones] section; the engine passes bones over";
        found.push(Diagnostic::warning(found.whole.clone(), message).about(Topic::OfTable));
    }
    table
}

/// Rows of one section, with what is wrong with them among the findings.
fn understood<T>(
    records: Vec<Record>,
    found: &mut Findings,
    row: impl Fn(u64, String, Vec<String>) -> TableRow<T>,
) -> Vec<TableRow<T>> {
    let mut rows = Vec::with_capacity(records.len());
    for record in records {
        let (line, name, cells) = record.take_name();
        let row = row(line, name, cells);
        if let Err(bad) = &row.cells {
            found.problems(line, &row.name, &bad.problems);
        }
        rows.push(row);
    }
    rows
}

/// Decimal commas are believed only where a number has one and no number has a point.
fn decimal_comma(parts: &Parts, layout: &Layout) -> bool {
    let decimals: Vec<usize> = layout.decimals().map(|at| at + 1).collect();
    let others: Vec<usize> = (2..14).collect();
    let columns = |section| match section {
        Section::Bones => decimals.as_slice(),
        Section::Pivots | Section::Colliders | Section::Nulls => &others,
        Section::Components | Section::Extras => &[],
    };
    let mut commas = false;
    for section in Section::ALL {
        for record in &parts.rows[section as usize] {
            for cell in columns(section).iter().map_while(|at| record.cells.get(*at)) {
                if cell.contains('.') && parse_number(cell, false).is_ok() {
                    return false;
                }
                commas |= has_decimal_comma(cell);
            }
        }
    }
    commas
}

/// The rows of a file by section.
#[derive(Default)]
struct Parts {
    version: Option<u32>,
    /// Whether there is a version row at all.
    versioned: bool,
    no_bones: bool,
    /// Whose bones the first section of bones has.
    solver: Option<SolverKind>,
    leading: Vec<Record>,
    /// By the position of their section.
    rows: [Vec<Record>; Section::ALL.len()],
    blanks: Vec<(Section, u64)>,
    others: Vec<RawSection>,
    /// Which sections were met.
    seen: [bool; Section::ALL.len()],
}

#[derive(Clone, Copy)]
enum Current {
    Leading,
    Known(Section),
    Other,
}

impl Parts {
    fn split(records: Vec<Record>, found: &mut Findings) -> Self {
        let mut parts = Self::default();
        let mut current = Current::Leading;
        let mut escaped = Vec::new();
        for record in records {
            let first = record.cells[0].as_str();
            if first.eq_ignore_ascii_case(EXTRA) {
                match unescaped(&record) {
                    Some(row) => escaped.push(row),
                    None => parts.rows[Section::Extras as usize].push(record),
                }
            } else if first.starts_with('[') {
                current = parts.open(record, found);
            } else if record.is_comment() {
                if let (Current::Other, Some(section)) = (current, parts.others.last_mut()) {
                    section.rows.push(record.into_raw());
                }
            } else if first.eq_ignore_ascii_case("version") && (!parts.versioned || matches!(current, Current::Leading))
            {
                parts.take_version(&record, found);
            } else {
                parts.put(record, current);
            }
        }
        for (section, record) in escaped {
            parts.put_escaped(section, record);
        }
        parts
    }

    /// A row from a comment takes the place of what the original reads in its stead.
    fn put_escaped(&mut self, section: Section, record: Record) {
        self.seen[section as usize] = true;
        let rows = &mut self.rows[section as usize];
        let trimmed = |r: &Record| r.cells.iter().map(String::as_str).eq(record.cells.iter().map(|c| c.trim()));
        match rows.iter().position(trimmed) {
            Some(at) => rows[at] = record,
            None => rows.push(record),
        }
    }

    fn put(&mut self, record: Record, current: Current) {
        match current {
            Current::Leading => self.leading.push(record),
            Current::Known(section) if record.is_blank() => self.blanks.push((section, record.line)),
            Current::Known(section) => self.rows[section as usize].push(record),
            Current::Other if record.is_blank() => {}
            Current::Other => self.others.last_mut().expect("a section is open").rows.push(record.into_raw()),
        }
    }

    fn open(&mut self, record: Record, found: &mut Findings) -> Current {
        let name = record.cells[0].clone();
        let bones = bones_of(&name);
        let known = bones.map(|_| Section::Bones).or_else(|| Section::named(&name));
        if !self.seen[Section::Bones as usize] {
            self.solver = self.solver.or(bones);
        }
        let again = match known {
            Some(section) => std::mem::replace(&mut self.seen[section as usize], true),
            None => self.others.iter().any(|s| s.is(&name)),
        };
        let mut warn = |message: String| {
            let place = found.whole.clone().line(record.line);
            found.push(Diagnostic::warning(place, message).about(Topic::OfTable));
        };
        if again {
            warn(format!("a second section {}; its rows are kept, not used", clip(&name)));
        }
        match known {
            Some(section) if !again => Current::Known(section),
            _ => {
                if !again {
                    warn(format!("section {} is not known; its rows are kept, not used", clip(&name)));
                }
                self.others.push(RawSection { header: record.into_raw(), rows: Vec::new() });
                Current::Other
            }
        }
    }

    fn take_version(&mut self, record: &Record, found: &mut Findings) {
        let place = found.whole.clone().line(record.line);
        let text = record.cells.get(1).map_or("", String::as_str);
        if self.versioned {
            found.push(Diagnostic::warning(place, "a second version row; not used").about(Topic::SecondVersion));
            return;
        }
        self.versioned = true;
        self.version = text.parse().ok();
        if self.version.is_none() {
            let message = format!("the version is \"{}\", expected 3 or 4; read as 4", clip(text));
            found.push(Diagnostic::warning(place, message));
        }
    }

    /// Rows before the first section are bones where there is no bone section, colliders in the oldest files.
    fn place_leading_rows(&mut self, found: &mut Findings) {
        if !self.versioned && self.solver.is_none_or(has_pivots) {
            let message = "there is no version row; read as version 4";
            found.push(Diagnostic::info(found.whole.clone(), message).about(Topic::OfTable));
        }
        let leading = std::mem::take(&mut self.leading);
        let Some(line) = leading.iter().find(|r| !r.is_blank()).map(|r| r.line) else { return };
        if self.version.is_some() && !self.seen[Section::Bones as usize] {
            self.take_leading(leading, Section::Bones);
            return;
        }
        let collider = |r: &Record| r.cells.get(11).is_some_and(|c| ["sp", "cp", "pa"].contains(&c.as_str()));
        if !self.versioned && !self.seen[Section::Colliders as usize] && leading.iter().any(collider) {
            self.take_leading(leading, Section::Colliders);
            let message = "rows before the first section are taken for colliders, as in the oldest tables";
            found.push(Diagnostic::info(found.whole.clone().line(line), message).about(Topic::LeadingColliders));
        } else {
            let count = leading.iter().filter(|r| !r.is_blank()).count();
            let message = format!("rows before the first section are not used: {count}");
            found.push(Diagnostic::warning(found.whole.clone().line(line), message).about(Topic::LeadingUnused));
        }
    }

    fn take_leading(&mut self, leading: Vec<Record>, section: Section) {
        self.seen[section as usize] = true;
        for record in leading {
            self.put(record, Current::Known(section));
        }
    }

    fn means_anything(&self) -> bool {
        self.version.is_some() || self.seen.contains(&true) || !self.rows[Section::Extras as usize].is_empty()
    }
}

/// The row of a section that a comment row stands for.
fn unescaped(record: &Record) -> Option<(Section, Record)> {
    if record.cells.get(1..3)?.iter().ne(&ROW) {
        return None;
    }
    let name = record.cells.get(3)?;
    let section = if bones_of(name).is_some() { Section::Bones } else { Section::named(name)? };
    let cells: Vec<String> = record.cells.get(4..)?.iter().map(|cell| unescape(cell)).collect();
    (!cells.is_empty()).then_some((section, Record { line: record.line, cells }))
}

/// Findings up to a bound, so that a hostile file cannot fill the memory with messages.
struct Findings {
    whole: Place,
    list: Vec<Diagnostic>,
    more: usize,
}

impl Findings {
    fn new(whole: Place) -> Self {
        Self { whole, list: Vec::new(), more: 0 }
    }

    fn at(&self, line: u64, name: &str) -> Place {
        self.whole.clone().line(line).bone(clip(name))
    }

    fn push(&mut self, diagnostic: Diagnostic) {
        if self.list.len() < MOST_FINDINGS {
            self.list.push(diagnostic);
        } else {
            self.more += 1;
        }
    }

    fn problems(&mut self, line: u64, name: &str, problems: &[Problem]) {
        for problem in problems {
            let mut place = self.at(line, name);
            if !problem.column.is_empty() {
                place = place.column(problem.column);
            }
            self.push(Diagnostic::warning(place, problem.message()));
        }
    }

    fn into_list(mut self) -> Vec<Diagnostic> {
        if self.more > 0 {
            self.list.push(Diagnostic::warning(self.whole, format!("{} more findings are not listed", self.more)));
        }
        self.list
    }
}
