//! A table as bytes, laid out as the original lays it out.

use crate::doc::table::{BadRow, BoneTable, Layout, LineEnd, PivotRow, RawRow, looks_like_formula, unreadable_name};
use crate::report::{Diagnostic, Place, clip};

/// How a table is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// After every row.
    pub line_end: LineEnd,
    /// Begin with a mark, so that spreadsheets take the text for UTF-8.
    pub bom: bool,
    /// Significant digits of numbers; `None` writes as many as are needed to read the same number back.
    pub digits: Option<u8>,
}

const PIVOT_HEADER: &str = "// PivotName,ParentName,local rotation x,y,z";

/// The bytes of a table, always version 4, UTF-8 and commas; sections without rows are left out.
pub fn write(table: &BoneTable, options: Options) -> Vec<u8> {
    let end = options.line_end.text();
    let mut out = String::new();
    if options.bom {
        out.push('\u{feff}');
    }
    out.push_str("version,4");
    out.push_str(end);
    let layout = Layout::of(table.solver);
    if !table.bones.is_empty() {
        let headers = layout.headers().join(",");
        out.extend([end, "[SpringBones]", end, "// bone,", &headers, end]);
        for row in &table.bones {
            push_named(&mut out, &row.name, &cells_of(&row.cells, |good| layout.bone_text(good, options.digits)), end);
        }
    }
    if !table.pivots.is_empty() {
        out.extend([end, "[Pivots]", end, PIVOT_HEADER, end]);
        for row in &table.pivots {
            push_named(&mut out, &row.name, &cells_of(&row.cells, |good| PivotRow::text(good, options.digits)), end);
        }
    }
    for section in &table.sections {
        out.push_str(end);
        push_raw(&mut out, &section.header, end);
        section.rows.iter().for_each(|row| push_raw(&mut out, row, end));
    }
    out.into_bytes()
}

/// Names that a reader of the file would not get back, and names that a spreadsheet would calculate.
pub fn unwritable(table: &BoneTable, file_name: &str) -> Vec<Diagnostic> {
    let bones = table.bones.iter().map(|r| r.name.as_str());
    let pivots = table.pivots.iter().map(|r| r.name.as_str());
    bones
        .chain(pivots)
        .filter_map(|name| {
            let formula = looks_like_formula(name).then_some("a spreadsheet may read this name as a formula");
            let message = unreadable_name(name).or(formula)?;
            Some(Diagnostic::warning(Place::file(file_name).bone(clip(name)), message))
        })
        .collect()
}

fn cells_of<T>(cells: &Result<T, BadRow>, good: impl Fn(&T) -> Vec<String>) -> Vec<String> {
    match cells {
        Ok(cells) => good(cells),
        Err(bad) => bad.cells.clone(),
    }
}

fn push_named(out: &mut String, name: &str, cells: &[String], end: &str) {
    push_cell(out, name);
    for cell in cells {
        out.push(',');
        push_cell(out, cell);
    }
    out.push_str(end);
}

fn push_raw(out: &mut String, row: &RawRow, end: &str) {
    if let Some((first, rest)) = row.cells.split_first() {
        push_named(out, first, rest, end);
    }
}

fn push_cell(out: &mut String, cell: &str) {
    if cell.contains(['"', '\r', '\n', ',', '\t']) {
        out.push('"');
        out.push_str(&cell.replace('"', "\"\""));
        out.push('"');
    } else {
        out.push_str(cell);
    }
}
