//! UTJ `UnityChanSpringBone`'s dynamics CSV: bytes to [`BoneTable`] and back.
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
    BoneTable, Layout, PivotRow, Problem, RawRow, RawSection, Source, has_decimal_comma, looks_like_formula,
    parse_number,
};
use crate::report::{Diagnostic, Place, clip};
use crate::schema::SolverKind;
use tokens::Record;

/// Larger files are refused; a table of ten thousand bones has about one.
pub const LARGEST_MIB: usize = 16;
/// Most findings that one file yields; a last one counts the rest.
pub const MOST_FINDINGS: usize = 200;
const BONES: &str = "[SpringBones]";
const PIVOTS: &str = "[Pivots]";
const COLLIDERS: &str = "[Colliders]";

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
        found.push(Diagnostic::warning(whole.clone(), guess));
    }
    let tokens = tokens::tokenize(&decoded.text);
    let fail = |mut found: Findings, message: String| {
        found.push(Diagnostic::error(whole.clone(), message));
        Err(found.into_list())
    };
    if let Some(line) = tokens.unclosed_quote {
        let message = "a quote is opened here and never closed; the rest of the file went into one cell";
        found.push(Diagnostic::warning(whole.clone().line(line), message));
    }
    if tokens.cut {
        let message = "the file has too many cells; the rest was not read";
        found.push(Diagnostic::warning(whole.clone(), message));
    }
    if tokens.records.is_empty() {
        return fail(found, "the file holds no rows".to_owned());
    }
    let mut parts = Parts::split(tokens.records, &mut found);
    if let Some(version) = parts.version
        && version != 3
        && version != 4
    {
        return fail(found, format!("the table has version {version}, versions 3 and 4 are known"));
    }
    parts.place_leading_rows(&mut found);
    if !parts.means_anything() {
        let message = "there is no [SpringBones] section and no version row: this is no dynamics CSV";
        return fail(found, message.to_owned());
    }
    let layout = Layout::of(SolverKind::UnityChanSpringBone);
    let source = Source {
        encoding: decoded.encoding,
        bom: decoded.bom,
        separator: tokens.separator,
        line_end: tokens.line_end,
        decimal_comma: decimal_comma(&parts.bones, &layout),
    };
    if source.decimal_comma {
        let message = "numbers are written with decimal commas; read as decimal points";
        found.push(Diagnostic::warning(whole, message));
    }
    Ok((build(parts, source, &layout, &mut found), found.into_list()))
}

fn build(parts: Parts, source: Source, layout: &Layout, found: &mut Findings) -> BoneTable {
    let comma = source.decimal_comma;
    let mut table = BoneTable { version: parts.version, source, ..BoneTable::new(SolverKind::UnityChanSpringBone) };
    for record in parts.bones {
        let (line, name, cells) = record.take_name();
        let row = layout.bone_row(line, name, cells, comma);
        match &row.cells {
            Ok(good) => found.problems(line, &row.name, &layout.beyond_range(good)),
            Err(bad) => found.problems(line, &row.name, &bad.problems),
        }
        if looks_like_formula(&row.name) {
            found.push(Diagnostic::info(found.at(line, &row.name), "a spreadsheet may read this name as a formula"));
        }
        table.bones.push(row);
    }
    for record in parts.pivots {
        let (line, name, cells) = record.take_name();
        let row = PivotRow::parse(line, name, cells, comma);
        if let Err(bad) = &row.cells {
            found.problems(line, &row.name, &bad.problems);
        }
        table.pivots.push(row);
    }
    table.sections = parts.others;
    if table.version == Some(3) && table.section(COLLIDERS).is_some() {
        let message = "version 3 tables have no colliders; the [Colliders] section is kept, not used";
        found.push(Diagnostic::warning(found.whole.clone(), message));
    }
    table
}

/// Decimal commas are believed only where a number has one and no number has a point.
fn decimal_comma(bones: &[Record], layout: &Layout) -> bool {
    let mut commas = false;
    for record in bones {
        for at in layout.decimals() {
            let Some(cell) = record.cells.get(at + 1) else { break };
            if cell.contains('.') && parse_number(cell, false).is_ok() {
                return false;
            }
            commas |= has_decimal_comma(cell);
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
    leading: Vec<Record>,
    bones: Vec<Record>,
    pivots: Vec<Record>,
    others: Vec<RawSection>,
    /// Whether a bone and a pivot section were met.
    seen: [bool; 2],
}

enum Current {
    Leading,
    Bones,
    Pivots,
    Other,
}

impl Parts {
    fn split(records: Vec<Record>, found: &mut Findings) -> Self {
        let mut parts = Self::default();
        let mut current = Current::Leading;
        for record in records {
            let first = record.cells[0].as_str();
            if first.starts_with('[') {
                current = parts.open(record, found);
            } else if record.is_comment() {
                if let (Current::Other, Some(section)) = (&current, parts.others.last_mut()) {
                    section.rows.push(record.into_raw());
                }
            } else if first.eq_ignore_ascii_case("version") && !matches!(current, Current::Other) {
                parts.take_version(&record, found);
            } else {
                match current {
                    Current::Leading => parts.leading.push(record),
                    Current::Bones => parts.bones.push(record),
                    Current::Pivots => parts.pivots.push(record),
                    Current::Other => {
                        parts.others.last_mut().expect("a section is open").rows.push(record.into_raw());
                    }
                }
            }
        }
        parts
    }

    fn open(&mut self, record: Record, found: &mut Findings) -> Current {
        let name = record.cells[0].clone();
        let known = [BONES, PIVOTS].iter().position(|n| n.eq_ignore_ascii_case(&name));
        let again = match known {
            Some(which) => std::mem::replace(&mut self.seen[which], true),
            None => self.others.iter().any(|s| s.is(&name)),
        };
        if again {
            let place = found.whole.clone().line(record.line);
            let message = format!("a second section {}; its rows are kept, not used", clip(&name));
            found.push(Diagnostic::warning(place, message));
        }
        match known {
            Some(0) if !again => Current::Bones,
            Some(_) if !again => Current::Pivots,
            _ => {
                let known = ["[Colliders]", "[DynamicsNulls]", "[Components]"];
                if !again && !known.iter().any(|n| n.eq_ignore_ascii_case(&name)) {
                    let place = found.whole.clone().line(record.line);
                    let message = format!("section {} is not known; its rows are kept, not used", clip(&name));
                    found.push(Diagnostic::warning(place, message));
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
            found.push(Diagnostic::warning(place, "a second version row; not used"));
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
        if !self.versioned {
            found.push(Diagnostic::info(found.whole.clone(), "there is no version row; read as version 4"));
        }
        if self.leading.is_empty() {
            return;
        }
        let leading = std::mem::take(&mut self.leading);
        let line = leading[0].line;
        if self.version.is_some() && !self.seen[0] {
            self.bones = leading;
            self.seen[0] = true;
            return;
        }
        let collider = |r: &Record| r.cells.get(11).is_some_and(|c| ["sp", "cp", "pa"].contains(&c.as_str()));
        let has_colliders = self.others.iter().any(|s| s.is(COLLIDERS));
        if !self.versioned && !has_colliders && leading.iter().any(collider) {
            let header = RawRow { line: 0, cells: vec![COLLIDERS.to_owned()] };
            let rows = leading.into_iter().map(Record::into_raw).collect();
            self.others.insert(0, RawSection { header, rows });
            let message = "rows before the first section are taken for colliders, as in the oldest tables";
            found.push(Diagnostic::info(found.whole.clone().line(line), message));
        } else {
            let message = format!("rows before the first section are not used: {}", leading.len());
            found.push(Diagnostic::warning(found.whole.clone().line(line), message));
        }
    }

    fn means_anything(&self) -> bool {
        let known = ["[Colliders]", "[DynamicsNulls]", "[Components]"];
        self.version.is_some()
            || self.seen.contains(&true)
            || self.others.iter().any(|s| known.iter().any(|name| s.is(name)))
    }
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
            self.push(Diagnostic::warning(place, problem.message.clone()));
        }
    }

    fn into_list(mut self) -> Vec<Diagnostic> {
        if self.more > 0 {
            self.list.push(Diagnostic::warning(self.whole, format!("{} more findings are not listed", self.more)));
        }
        self.list
    }
}
