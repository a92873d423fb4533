//! Tables by bone name in whatever format they stand: what a file holds says which reader reads it.

mod content;
pub(super) mod json;
pub(super) mod shapes;

pub use content::{Content, FileKind, KNOWN, content_of, has_ending};

use super::{dynamic_bone_csv, ez_json, kawaii_json, parameters, spring_csv};
use crate::doc::import::Exported;
use crate::doc::table::{Extra, ExtraRow, ListCells, Mentions, Tree};
use crate::doc::{BoneTable, ExportOptions, NamedExtras, Side};
use crate::report::{Diagnostic, Place, clip};
use crate::schema::Row;
use crate::sim::SolverKind;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

pub use crate::doc::table::TableFormat;

/// Most chains that one file may name by their roots.
pub(super) const MOST_TREES: usize = 4096;
pub(super) use crate::doc::table::MOST_SYSTEMS;

/// The format that a setup names; `None` where it names none, as a CSV by its own reader may still be.
pub fn format_of(bytes: &[u8]) -> Option<TableFormat> {
    match content_of(bytes) {
        Content::Setup(format) => Some(format),
        _ => None,
    }
}

/// Reads every system of a file, a table for each; `file_name` is for messages. `Err` only where nothing can be read.
pub fn read_all(bytes: &[u8], file_name: &str) -> Result<(Vec<BoneTable>, Vec<Diagnostic>), Vec<Diagnostic>> {
    let one = |read: Result<(BoneTable, Vec<Diagnostic>), _>| read.map(|(table, found)| (vec![table], found));
    match content_of(bytes) {
        Content::Setup(TableFormat::Parameters) => parameters::read(bytes, file_name),
        Content::Setup(TableFormat::KawaiiJson) => one(kawaii_json::read(bytes, file_name)),
        Content::Setup(TableFormat::EzJson) => one(ez_json::read(bytes, file_name)),
        Content::Setup(TableFormat::DynamicBoneCsv) => one(dynamic_bone_csv::read(bytes, file_name)),
        Content::Setup(TableFormat::Csv) | Content::Text => one(spring_csv::read(bytes, file_name)),
        content if json::looks_like_json(bytes) => {
            let names = [parameters::NAME, kawaii_json::NAME, ez_json::NAME].join("\", \"");
            json::open(bytes, file_name)?;
            let found = content.describe();
            let message = format!("this is no setup: expected a \"format\" of \"{names}\", found {found}");
            Err(vec![Diagnostic::error(Place::file(file_name).at("/format"), message)])
        }
        content => {
            let message = format!("this is no setup: found {}; {KNOWN}", content.describe());
            Err(vec![Diagnostic::error(Place::file(file_name), message)])
        }
    }
}

/// As [`read_all`], for whom one table is all there is room for: the first; others are told.
pub fn read(bytes: &[u8], file_name: &str) -> Result<(BoneTable, Vec<Diagnostic>), Vec<Diagnostic>> {
    let (tables, mut found) = read_all(bytes, file_name)?;
    let count = tables.len();
    let mut tables = tables.into_iter();
    let Some(first) = tables.next() else {
        found.push(Diagnostic::error(Place::file(file_name), "the file holds no system"));
        return Err(found);
    };
    let others: Vec<_> = tables.map(|table| table.solver.key()).collect();
    if !others.is_empty() {
        let (used, others) = (first.solver.key(), others.join(", "));
        let message = format!("the file has {count} systems; used is the first, of {used}, left out are: {others}");
        found.push(Diagnostic::warning(Place::file(file_name).at("/systems"), message));
    }
    Ok((first, found))
}

/// The bytes of an export in the format that its options name.
pub fn write(exported: &Exported, options: ExportOptions) -> Vec<u8> {
    match options.format {
        TableFormat::Csv => {
            let bom = options.writes_bom(&exported.table);
            spring_csv::write(&exported.table, spring_csv::Options { bom, ..options.into() })
        }
        TableFormat::Parameters => parameters::write(std::slice::from_ref(exported), options.mirror),
        TableFormat::DynamicBoneCsv => dynamic_bone_csv::write(exported),
        TableFormat::KawaiiJson => kawaii_json::write(exported, options.mirror),
        TableFormat::EzJson => ez_json::write(exported, options.mirror),
    }
}

/// The bytes of an export of several systems; formats that have no room for more hold the first.
pub fn write_all(exported: &[Exported], options: ExportOptions) -> Vec<u8> {
    match (options.format, exported) {
        (TableFormat::Parameters, all) => parameters::write(all, options.mirror),
        (_, [first, ..]) => write(first, options),
        (_, []) => Vec::new(),
    }
}

/// Names that a reader of the file would not get back, and names that a spreadsheet would calculate.
pub fn unwritable(exported: &Exported, format: TableFormat, file_name: &str) -> Vec<Diagnostic> {
    match format {
        TableFormat::Csv => spring_csv::unwritable(&exported.table, file_name),
        TableFormat::DynamicBoneCsv => dynamic_bone_csv::unwritable(exported, file_name),
        TableFormat::Parameters | TableFormat::KawaiiJson | TableFormat::EzJson => Vec::new(),
    }
}

/// A value of the whole character as a table has it: what its rows say, else the engine's default.
pub(super) fn system_value(table: &BoneTable, row: Row) -> f32 {
    let params = table.solver.info().params;
    let name = params[row.index()].name;
    let said = table.extras.iter().rev().find_map(|extra| match &extra.cells {
        Ok(Extra::System { row, value }) if row == name => Some(*value),
        _ => None,
    });
    said.unwrap_or(params[row.index()].default)
}

/// The rows of values of the whole character, each once, in the order of the solver's table.
pub(super) fn system_rows(table: &BoneTable, values: &[(Row, f32)]) -> Vec<ExtraRow> {
    let params = table.solver.info().params;
    let value = |(row, value): &(Row, f32)| {
        let row = params[row.index()].name.to_owned();
        ExtraRow::from(Extra::System { row, value: *value })
    };
    values.iter().map(value).collect()
}

/// Single nodes that the components of a file name, with their pointers; the first one's count.
#[derive(Default)]
pub(super) struct SingleNodes(BTreeMap<Side, (String, String)>);

impl SingleNodes {
    /// What a component says in a field; an empty text is nothing.
    pub(super) fn take(
        &mut self,
        side: Side,
        object: &Map<String, Value>,
        (key, at): (&str, &str),
        found: &mut json::Findings,
    ) {
        let Some(name) = found.text(object, key, at) else { return };
        let at = format!("{at}/{}", json::part(key));
        let (first, _) = self.0.entry(side).or_insert_with(|| (name.clone(), at.clone()));
        if *first != name {
            found.warn(&at, format!("\"{}\" differs from the first one's, which is used", clip(&name)));
        }
    }

    /// The row of a table that says so.
    pub(super) fn into_row(self, solver: SolverKind) -> Option<ExtraRow> {
        let (mut lists, mut mentions) = (NamedExtras::empty(solver), Mentions::default());
        let only: Vec<Side> = self.0.keys().copied().collect();
        for (side, (name, at)) in self.0 {
            if let Some(slot) = lists.single_mut(side).filter(|_| !name.is_empty()) {
                mentions.nodes.entry(name.clone()).or_insert(at);
                *slot = Some(name);
            }
        }
        let cells = ListCells { lists, mentions, only: Some(only.clone()) };
        (!only.is_empty()).then(|| ExtraRow::from(Extra::Lists(Box::new(cells))))
    }
}

/// The single node that a table's component names; empty where it names none.
pub(super) fn single_node(table: &BoneTable, side: Side) -> String {
    let said = table.extras.iter().rev().find_map(|row| match &row.cells {
        Ok(Extra::Lists(cells)) => cells.lists.clone().single_mut(side)?.take(),
        _ => None,
    });
    said.unwrap_or_default()
}

/// Takes a chain by its root, unless there are too many; the first one too many is told.
pub(super) fn take_tree(table: &mut BoneTable, tree: Tree, place: Place, found: &mut json::Findings) {
    if table.trees.len() < MOST_TREES {
        table.trees.push(tree);
    } else {
        let message = format!("more than {MOST_TREES} chains; \"{}\" is left out", clip(&tree.root));
        found.push(Diagnostic::warning(place, message));
    }
}
