//! A table as bytes, laid out as the original lays it out.

use super::ROW;
use crate::doc::ExportOptions;
use crate::doc::table::{
    BadRow, BoneTable, COLLIDER_HEADERS, EXTRA, Layout, LineEnd, MORE_COLLIDER_HEADERS, PIVOT_HEADER, RawRow,
    RawSection, Section, TableRow, bones_name, bones_of, collider_text, component_text, escape, extra_text, has_pivots,
    looks_like_formula, null_text, pivot_text, unreadable_name,
};
use crate::report::{Diagnostic, Place, clip};

/// How a table is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// After every row; rows of components end in a bare line feed, as the original ends them everywhere.
    pub line_end: LineEnd,
    /// Begin with a mark, so that spreadsheets take the text for UTF-8.
    pub bom: bool,
    /// Significant digits of numbers; `None` writes as many as are needed to read the same number back.
    pub digits: Option<u8>,
    /// Numbers as `"0,5"`, as the original writes them in countries that do so; nowhere else can it read them.
    pub decimal_comma: bool,
    /// Rows that no reader gets back as they are, since it would take them for comments or sections or trim their
    /// names, stand in their section all the same. Otherwise they go into comment rows, which [`super::read`] reads.
    pub as_original: bool,
}

impl From<ExportOptions> for Options {
    fn from(options: ExportOptions) -> Self {
        let ExportOptions { line_end, bom, digits, decimal_comma, extras, .. } = options;
        Self { line_end, bom: bom.unwrap_or(false), digits, decimal_comma, as_original: !extras }
    }
}

/// The bytes of a table, for `UnityChan` always version 4, UTF-8 and commas; sections without rows are left out.
pub fn write(table: &BoneTable, options: Options) -> Vec<u8> {
    let mut out = Out {
        text: String::new(),
        end: options.line_end.text(),
        comma: options.decimal_comma,
        as_original: options.as_original,
        escaped: Vec::new(),
    };
    if options.bom {
        out.text.push('\u{feff}');
    }
    let (solver, bones) = (table.solver, bones_name(table.solver));
    if has_pivots(solver) {
        out.line("version,4");
    } else {
        out.line(&format!("// {} by bone name", solver.key()));
    }
    let (layout, digits) = (Layout::of(table.solver), options.digits);
    let bone_header = format!("// bone,{}", layout.headers().join(","));
    // The name of the section says whose values they are.
    let always = !has_pivots(solver) || table.sections.iter().any(is_bones);
    out.section((&bones, always), &[&bone_header], &table.bones, |good| layout.bone_text(good, digits));
    out.section((Section::Pivots.name(), false), &[PIVOT_HEADER], &table.pivots, |good| pivot_text(good, digits));
    let more: &[&str] = if has_pivots(solver) { &[] } else { &MORE_COLLIDER_HEADERS };
    let headers = [&COLLIDER_HEADERS[..], more].concat();
    out.section((Section::Colliders.name(), false), &headers, &table.colliders, |good| collider_text(good, digits));
    out.section((Section::Nulls.name(), false), &[], &table.nulls, |good| null_text(good, digits));
    if !table.components.is_empty() {
        let end = std::mem::replace(&mut out.end, LineEnd::Lf.text());
        out.section((Section::Components.name(), false), &[], &table.components, component_text);
        out.end = end;
    }
    for section in &table.sections {
        out.blank();
        out.raw(&section.header);
        section.rows.iter().for_each(|row| out.raw(row));
    }
    let escaped = std::mem::take(&mut out.escaped);
    if !table.extras.is_empty() || !escaped.is_empty() {
        out.blank();
        for cells in escaped {
            let head = ROW.map(str::to_owned);
            out.named(EXTRA, &head.into_iter().chain(cells).collect::<Vec<_>>());
        }
        for row in &table.extras {
            out.named(EXTRA, &cells_of(&row.cells, extra_text));
        }
    }
    out.text.into_bytes()
}

/// Names that a reader of the file would not get back, and names that a spreadsheet would calculate.
pub fn unwritable(table: &BoneTable, file_name: &str) -> Vec<Diagnostic> {
    let bones = table.bones.iter().map(|r| r.name.as_str());
    let pivots = table.pivots.iter().map(|r| r.name.as_str());
    let colliders = table.colliders.iter().map(|r| r.name.as_str());
    let nulls = table.nulls.iter().map(|r| r.name.as_str());
    let names = bones.chain(pivots).chain(colliders).chain(nulls);
    names
        .filter_map(|name| {
            let formula = looks_like_formula(name).then_some("a spreadsheet may read this name as a formula");
            let message = unreadable_name(name).or(formula)?;
            Some(Diagnostic::warning(Place::file(file_name).bone(clip(name)), message))
        })
        .collect()
}

fn is_bones(section: &RawSection) -> bool {
    section.header.cells.first().is_some_and(|name| bones_of(name).is_some())
}

fn cells_of<T>(cells: &Result<T, BadRow>, good: impl Fn(&T) -> Vec<String>) -> Vec<String> {
    match cells {
        Ok(cells) => good(cells),
        Err(bad) => bad.cells.clone(),
    }
}

/// Whether a row does not come back from a reader that trims cells and passes over comments.
fn escapes(name: &str, cells: &[String]) -> bool {
    unreadable_name(name).is_some() || cells.iter().any(|cell| cell.trim() != cell)
}

struct Out {
    text: String,
    end: &'static str,
    comma: bool,
    as_original: bool,
    /// Rows for the end of the file.
    escaped: Vec<Vec<String>>,
}

impl Out {
    fn section<T>(
        &mut self,
        (section, always): (&str, bool),
        headers: &[&str],
        rows: &[TableRow<T>],
        text: impl Fn(&T) -> Vec<String>,
    ) {
        let mut plain = Vec::with_capacity(rows.len());
        for row in rows {
            let mut cells = cells_of(&row.cells, &text);
            if self.comma && row.cells.is_ok() {
                cells.iter_mut().for_each(with_comma);
            }
            if !self.as_original && escapes(&row.name, &cells) {
                let all = std::iter::once(&row.name).chain(&cells).map(|cell| escape(cell));
                self.escaped.push([section.to_owned()].into_iter().chain(all).collect());
                if unreadable_name(&row.name).is_some() {
                    continue;
                }
                // The original makes something of it, if not the same.
            }
            plain.push((&row.name, cells));
        }
        if plain.is_empty() && !always {
            return;
        }
        self.blank();
        self.line(section);
        for header in headers {
            self.line(header);
        }
        for (name, cells) in plain {
            self.named(name, &cells);
        }
    }

    fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push_str(self.end);
    }

    fn blank(&mut self) {
        self.text.push_str(self.end);
    }

    fn named(&mut self, name: &str, cells: &[String]) {
        self.cell(name);
        for cell in cells {
            self.text.push(',');
            self.cell(cell);
        }
        self.text.push_str(self.end);
    }

    fn raw(&mut self, row: &RawRow) {
        if let Some((first, rest)) = row.cells.split_first() {
            self.named(first, rest);
        }
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
fn with_comma(cell: &mut String) {
    let number = cell.contains('.') && cell.parse::<f32>().is_ok();
    if number {
        *cell = cell.replace('.', ",");
    }
}
