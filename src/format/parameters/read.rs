//! JSON to tables.

use super::super::tables::json::{self as plain, Findings};
use super::super::tables::{MOST_SYSTEMS, shapes};
use super::{ALONG, CHAIN, JOINT, SYSTEM, VERSION, empty};
use crate::doc::table::{
    Extra, ExtraRow, Layout, ListCells, RawRow, RawSection, bones_name, component_row, escape, extra_row, number_text,
    pivot_row,
};
use crate::doc::{Axis, BoneTable, form};
use crate::report::{Diagnostic, Place, clip};
use crate::schema::{Kind, ParamDef, Scope, find_row, find_row_or_former};
use crate::sim::SolverKind;
use serde_json::{Map, Value};

/// Fields of the file itself.
const FIELDS: [&str; 5] = ["$schema", "format", "version", "mirror", "systems"];

/// Reads all systems of a file; `file_name` is for messages. `Err` only where nothing can be read.
pub fn read(bytes: &[u8], file_name: &str) -> Result<(Vec<BoneTable>, Vec<Diagnostic>), Vec<Diagnostic>> {
    let fields = plain::open(bytes, file_name)?;
    plain::check_version(&fields, VERSION, file_name)?;
    let mut found = Findings::new(file_name);
    found.unknown(&fields, &FIELDS, "");
    let mirror = match fields.get("mirror").map(|value| (value, value.as_str())) {
        None => None,
        Some((_, Some("x"))) => Some(Axis::X),
        Some((_, Some("z"))) => Some(Axis::Z),
        Some((value, _)) => {
            found.expect::<()>(None, value, "\"x\" or \"z\"", "/mirror");
            None
        }
    };
    let mut tables = Vec::new();
    let systems = found.list(&fields, "systems", "");
    for (n, value) in systems.iter().enumerate() {
        let at = format!("/systems/{n}");
        if n == MOST_SYSTEMS {
            let count = systems.len();
            found.warn(
                &at,
                format!("the file has {count} systems, more than {MOST_SYSTEMS}; from here on they are left out"),
            );
            break;
        }
        if let Some(object) = found.expect(value.as_object(), value, "an object", &at)
            && let Some(mut table) = System::read(object, &at, &mut found)
        {
            table.mirror = mirror;
            tables.push(table);
        }
    }
    let mut found = found.into_list();
    if tables.is_empty() {
        found.push(Diagnostic::error(Place::file(file_name).at("/systems"), "the file holds no system"));
        return Err(found);
    }
    Ok((tables, found))
}

struct System<'a> {
    table: BoneTable,
    layout: Layout,
    params: &'static [ParamDef],
    /// Number of the row that is read, in place of its line.
    line: u64,
    found: &'a mut Findings,
}

impl<'a> System<'a> {
    fn read(object: &Map<String, Value>, at: &str, found: &'a mut Findings) -> Option<BoneTable> {
        let name = found.text(object, "solver", at).unwrap_or_default();
        let Some(solver) = SolverKind::named(&name) else {
            let known: Vec<_> = SolverKind::ALL.iter().map(|kind| kind.key()).collect();
            let message = format!("\"{}\" is no solver, expected one of {}", clip(&name), known.join(", "));
            found.warn(&format!("{at}/solver"), format!("{message}; the system is left out"));
            return None;
        };
        found.unknown(object, &SYSTEM, at);
        let (layout, params) = (Layout::of(solver), solver.info().params);
        let mut system = Self { table: empty(solver), layout, params, line: 0, found };
        if let Some(name) = system.found.text(object, "name", at).filter(|name| !name.is_empty()) {
            system.extra(Extra::Named { name });
        }
        if let Some(node) = system.found.text(object, "sits_on", at).filter(|node| !node.is_empty()) {
            system.extra(Extra::SitsOn { node });
        }
        system.values(object, at);
        for (n, value) in system.found.list(object, "chains", at).iter().enumerate() {
            system.chain(value, &format!("{at}/chains/{n}"));
        }
        system.joints(object, at);
        system.nodes(object, at);
        system.lists(object, at);
        system.comments(object, at);
        Some(system.table)
    }

    fn next(&mut self) -> u64 {
        self.line += 1;
        self.line
    }

    fn values(&mut self, object: &Map<String, Value>, at: &str) {
        let Some(values) = self.found.object(object, "values", at) else { return };
        for (name, value) in values {
            let at = format!("{at}/values/{}", plain::part(name));
            let row = find_row_or_former(self.params, name);
            let Some((row, was)) = row.filter(|(row, _)| self.params[row.index()].scope == Scope::System) else {
                self.found.warn(&at, "the solver has no such value of the character; left out");
                continue;
            };
            let def = &self.params[row.index()];
            if def.name != name && values.contains_key(def.name) {
                self.found.warn(&at, format!("the same value is there as \"{}\", which is used", def.name));
                continue;
            }
            match plain::value_of(def, value) {
                Ok(value) => {
                    self.extra(Extra::System { row: def.name.to_owned(), value: was.current(value) });
                }
                Err(why) => self.found.warn(&at, why),
            }
        }
    }

    fn extra(&mut self, extra: Extra) {
        let line = self.next();
        self.table.extras.push(ExtraRow { line, ..ExtraRow::from(extra) });
    }

    fn chain(&mut self, value: &Value, at: &str) {
        let Some(object) = self.found.expect(value.as_object(), value, "an object", at) else { return };
        self.found.unknown(object, &CHAIN, at);
        let before = self.table.bones.len();
        self.joints(object, at);
        let Some(root) = self.table.bones.get(before).map(|row| row.name.clone()) else { return };
        if ["name", "part", "along"].iter().any(|key| object.contains_key(*key)) {
            let name = self.found.text(object, "name", at).unwrap_or_else(|| root.clone());
            let part = self.found.text(object, "part", at).unwrap_or_else(|| "other".to_owned());
            let along = self.found.text(object, "along", at).unwrap_or_else(|| ALONG[0].to_owned());
            let cells = ["1".to_owned(), "chain".to_owned(), escape(&root), escape(&name), part, along];
            self.extra_cells(cells.to_vec(), at);
        }
        let Some(values) = self.found.object(object, "values", at) else { return };
        for (name, value) in values {
            let at = format!("{at}/values/{}", plain::part(name));
            if let Some(object) = self.found.expect(value.as_object(), value, "an object", &at) {
                self.shared(&root, name, object, &at);
            }
        }
    }

    /// A value of a whole chain.
    fn shared(&mut self, root: &str, name: &str, object: &Map<String, Value>, at: &str) {
        let Some(row) = self.joint_row(name, at) else { return };
        self.found.unknown(object, &["base", "linear", "keys"], at);
        let base = object.get("base").unwrap_or(&Value::Null);
        let base = match plain::value_of(&self.params[row], base) {
            Ok(base) => base,
            Err(why) => return self.found.warn(&format!("{at}/base"), why),
        };
        let mut cells =
            vec!["1".to_owned(), "value".to_owned(), escape(root), name.to_owned(), number_text(base, None)];
        let keys = self.found.list(object, "keys", at);
        if !keys.is_empty() {
            let is_linear = object.get("linear") == Some(&Value::Bool(true));
            cells.push(if is_linear { "linear" } else { "hermite" }.to_owned());
        }
        for (n, key) in keys.iter().enumerate() {
            let four = key.as_array().filter(|key| key.len() == 4);
            let at = format!("{at}/keys/{n}");
            let Some(four) = self.found.expect(four, key, "a list of four numbers", &at) else { return };
            cells.extend(four.iter().map(plain::cell));
        }
        self.extra_cells(cells, at);
    }

    fn joint_row(&mut self, name: &str, at: &str) -> Option<usize> {
        let row = find_row(self.params, name).filter(|row| self.params[row.index()].scope == Scope::Joint);
        if row.is_none() {
            self.found.warn(at, "the solver has no such value of joints; left out");
        }
        row.map(crate::schema::Row::index)
    }

    /// A comment row; one that cannot be understood is told and left out.
    fn extra_cells(&mut self, cells: Vec<String>, at: &str) {
        let row = extra_row(self.next(), cells);
        shapes::tell(&row, at, self.found);
        if row.cells.is_ok() {
            self.table.extras.push(row);
        }
    }

    fn joints(&mut self, object: &Map<String, Value>, at: &str) {
        for (n, value) in self.found.list(object, "joints", at).iter().enumerate() {
            let at = format!("{at}/joints/{n}");
            if let Some(object) = self.found.expect(value.as_object(), value, "an object", &at) {
                self.joint(object, &at);
            }
        }
    }

    fn joint(&mut self, object: &Map<String, Value>, at: &str) {
        self.found.unknown(object, &JOINT, at);
        let Some(bone) = self.found.text(object, "bone", at) else {
            return self.found.warn(at, "there is no \"bone\"; left out");
        };
        let line = self.next();
        let cells = if object.contains_key("cells") {
            self.found.texts(object, "cells", at)
        } else {
            self.joint_cells(&bone, object, at)
        };
        let row = self.layout.bone_row(line, bone, cells, false);
        let place = self.found.at(at).bone(clip(&row.name));
        match &row.cells {
            Ok(good) => self.tell(&self.layout.beyond_range(good), &place, at),
            Err(bad) => self.tell(&bad.problems, &place, at),
        }
        self.table.bones.push(row);
    }

    /// Tells what is wrong with the values of a joint, each at its own place.
    fn tell(&mut self, problems: &[crate::doc::table::Problem], place: &Place, at: &str) {
        for problem in problems {
            let place = match self.layout.row_of(problem.column) {
                Some(row) => place.clone().at(format!("{at}/values/{}", self.params[row.index()].name)),
                None => place.clone(),
            };
            self.found.push(Diagnostic::warning(place, problem.message()));
        }
    }

    /// The cells that a CSV would have for a joint.
    fn joint_cells(&mut self, bone: &str, object: &Map<String, Value>, at: &str) -> Vec<String> {
        let none = Map::new();
        let values = self.found.object(object, "values", at).unwrap_or(&none);
        let (mut cells, mut missing) = (Vec::new(), Vec::new());
        for row in self.layout.rows().collect::<Vec<_>>() {
            let Some(row) = row else {
                cells.push(self.found.text(object, "pivot", at).unwrap_or_default());
                continue;
            };
            let def = &self.params[row.index()];
            let value = values.get(def.name);
            if value.is_none() {
                missing.push(def.name);
            }
            cells.push(value.map_or_else(|| default_cell(def), |value| value_cell(def, value)));
        }
        if !missing.is_empty() {
            let message = format!("not given, the engine's defaults are used: {}", missing.join(", "));
            self.found.push(Diagnostic::info(self.found.at(at).bone(clip(bone)), message));
        }
        self.own_values(bone, values, at);
        if crate::doc::table::has_pivots(self.table.solver) {
            let targets = self.found.list(object, "length_targets", at);
            cells.push(targets.len().to_string());
            for target in targets {
                let field = |key: &str, default: &str| target.get(key).map_or_else(|| default.to_owned(), plain::cell);
                cells.extend([field("bone", ""), field("ratio", "1.01")]);
            }
        }
        cells.extend(self.found.texts(object, "colliders", at));
        cells
    }

    /// Values of a joint that the engine does not have, and such that nobody knows.
    fn own_values(&mut self, bone: &str, values: &Map<String, Value>, at: &str) {
        for (name, value) in values {
            let at = format!("{at}/values/{}", plain::part(name));
            let Some(row) = self.joint_row(name, &at) else { continue };
            if !self.params[row].beyond {
                continue;
            }
            match plain::value_of(&self.params[row], value) {
                Ok(value) => self.extra(Extra::Joint { bone: bone.to_owned(), row: name.clone(), value }),
                Err(why) => self.found.warn(&at, why),
            }
        }
    }

    /// Objects of a list, each with its pointer.
    fn objects<'v>(
        &mut self,
        of: &'v Map<String, Value>,
        key: &str,
        at: &str,
    ) -> Vec<(&'v Map<String, Value>, String)> {
        let mut all = Vec::new();
        for (n, value) in self.found.list(of, key, at).iter().enumerate() {
            let at = format!("{at}/{key}/{n}");
            all.extend(self.found.expect(value.as_object(), value, "an object", &at).map(|object| (object, at)));
        }
        all
    }

    fn nodes(&mut self, object: &Map<String, Value>, at: &str) {
        for (pivot, at) in self.objects(object, "pivots", at) {
            let Some((name, raw)) = shapes::name_and_cells(pivot, &at, self.found) else { continue };
            self.found.unknown(pivot, &["name", "cells", "parent", "euler"], &at);
            let mut cells = vec![self.found.text(pivot, "parent", &at).unwrap_or_default()];
            cells.extend(self.found.list(pivot, "euler", &at).iter().map(plain::cell));
            let row = pivot_row(self.next(), name, raw.unwrap_or(cells), false);
            shapes::tell(&row, &at, self.found);
            self.table.pivots.push(row);
        }
        for (collider, at) in self.objects(object, "colliders", at) {
            let line = self.next();
            let Some((row, on)) = shapes::read_collider(self.table.solver, collider, line, &at, self.found) else {
                continue;
            };
            if !on {
                self.extra(Extra::Collider { name: row.name.clone(), on });
            }
            self.table.colliders.push(row);
        }
        for (null, at) in self.objects(object, "nulls", at) {
            let line = self.next();
            self.table.nulls.extend(shapes::read_null(null, line, &at, self.found));
        }
        for (component, at) in self.objects(object, "components", at) {
            let Some((name, cells)) = shapes::name_and_cells(component, &at, self.found) else { continue };
            self.found.unknown(component, &["name", "cells"], &at);
            let row = component_row(self.next(), name, cells.unwrap_or_default());
            shapes::tell(&row, &at, self.found);
            self.table.components.push(row);
        }
    }

    /// What the component knows beyond numbers.
    fn lists(&mut self, object: &Map<String, Value>, at: &str) {
        let Some(lists) = self.found.object(object, "extras", at) else { return };
        let at = format!("{at}/extras");
        let found = &mut *self.found;
        let say = &mut |below: &str, what: String| found.warn(&format!("{at}{below}"), what);
        let (lists, mut mentions) = form::understand(lists, self.table.solver, say);
        for pointer in mentions.nodes.values_mut().chain(mentions.colliders.values_mut()) {
            pointer.insert_str(0, &at);
        }
        mentions.at = at;
        self.extra(Extra::Lists(Box::new(ListCells { lists, mentions, only: None })));
    }

    /// Comment rows and sections that nobody knows, as a CSV keeps them.
    fn comments(&mut self, object: &Map<String, Value>, at: &str) {
        for n in 0..self.found.list(object, "comments", at).len() {
            let cells = self.row_of_texts(object, "comments", n, at);
            let row = extra_row(self.next(), cells);
            shapes::tell(&row, &format!("{at}/comments/{n}"), self.found);
            self.table.extras.push(row);
        }
        for (n, section) in self.found.list(object, "sections", at).iter().enumerate() {
            let at = format!("{at}/sections/{n}");
            let Some(rows) = self.found.expect(section.as_array(), section, "a list of rows", &at) else { continue };
            let row = |row: &Value| {
                let cells = row.as_array().map(|cells| cells.iter().map(plain::cell).collect());
                RawRow { line: 0, cells: cells.unwrap_or_default() }
            };
            let mut rows = rows.iter().map(row).filter(|row| !row.cells.is_empty());
            let Some(header) = rows.next() else { continue };
            let is_ours = header.cells[0].eq_ignore_ascii_case(&bones_name(self.table.solver));
            if header.cells[0].starts_with('[') && !is_ours {
                self.table.sections.push(RawSection { header, rows: rows.collect() });
            } else {
                self.found.warn(&at, "a section begins with its name in brackets; left out");
            }
        }
    }

    fn row_of_texts(&mut self, object: &Map<String, Value>, key: &str, n: usize, at: &str) -> Vec<String> {
        let Some(row) = object.get(key).and_then(|list| list.get(n)) else { return Vec::new() };
        let cells = self.found.expect(row.as_array(), row, "a list of texts", &format!("{at}/{key}/{n}"));
        cells.map(|cells| cells.iter().map(plain::cell).collect()).unwrap_or_default()
    }
}

fn default_cell(def: &ParamDef) -> String {
    if def.kind == Kind::Toggle {
        plain::cell(&Value::Bool(def.default != 0.0))
    } else {
        number_text(def.default, None)
    }
}

/// A value's cell: switches and choices by what they stand for, all else as it is, for the table to judge.
fn value_cell(def: &ParamDef, value: &Value) -> String {
    match (def.kind, plain::value_of(def, value)) {
        (Kind::Toggle, Ok(number)) => plain::cell(&Value::Bool(number != 0.0)),
        (Kind::Choice(_), Ok(number)) => number_text(number, None),
        _ => plain::cell(value),
    }
}
