//! Tables as JSON.

use super::super::tables::{json as plain, shapes, system_value};
use super::{ALONG, NAME, SCHEMA_FILE, VERSION};
use crate::doc::import::Exported;
use crate::doc::table::{BoneRow, BoneTable, Extra, ExtraRow, RawRow, Tree, component_text, extra_text, has_pivots};
use crate::doc::{Along, Axis, form};
use crate::math::Interpolation;
use crate::schema::{ParamDef, Row, Scope, find_row, rows};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The bytes of a file with these systems, whose tables were made under that mirror.
pub fn write(systems: &[Exported], mirror: Axis) -> Vec<u8> {
    let systems: Vec<Value> = systems.iter().map(|system| Writer::new(&system.table).system(&system.trees)).collect();
    plain::bytes(&json!({
        "$schema": SCHEMA_FILE,
        "format": NAME,
        "version": VERSION,
        "mirror": if mirror == Axis::X { "x" } else { "z" },
        "systems": systems,
    }))
}

struct Writer<'a> {
    table: &'a BoneTable,
    params: &'static [ParamDef],
    /// Comment rows that stand somewhere else already.
    said: BTreeSet<usize>,
    rows: BTreeMap<&'a str, VecDeque<&'a BoneRow>>,
}

impl<'a> Writer<'a> {
    fn new(table: &'a BoneTable) -> Self {
        let mut rows: BTreeMap<&str, VecDeque<&BoneRow>> = BTreeMap::new();
        for row in &table.bones {
            rows.entry(&row.name).or_default().push_back(row);
        }
        Self { table, params: table.solver.info().params, said: BTreeSet::new(), rows }
    }

    /// The comment rows that `want` wants, which need not stand among the comments any more.
    fn take<T>(&mut self, want: impl Fn(&'a Extra) -> Option<T>) -> Vec<T> {
        let good = self.table.extras.iter().enumerate();
        let wanted = good.filter_map(|(at, row)| Some((at, want(row.cells.as_ref().ok()?)?)));
        let wanted: Vec<_> = wanted.filter(|(at, _)| !self.said.contains(at)).collect();
        self.said.extend(wanted.iter().map(|(at, _)| *at));
        wanted.into_iter().map(|(_, value)| value).collect()
    }

    fn row(&self, name: &str, scope: Scope) -> Option<Row> {
        find_row(self.params, name).filter(|row| self.params[row.index()].scope == scope)
    }

    fn system(mut self, trees: &[Tree]) -> Value {
        let mut object = Map::new();
        object.insert("solver".to_owned(), json!(self.table.solver.key()));
        let name = self.take(|extra| if let Extra::Named { name } = extra { Some(name) } else { None });
        let node = self.take(|extra| if let Extra::SitsOn { node } = extra { Some(node) } else { None });
        for (key, said) in [("name", name), ("sits_on", node)] {
            if let Some(said) = said.into_iter().next_back() {
                object.insert(key.to_owned(), json!(said));
            }
        }
        object.insert("values".to_owned(), self.values());
        let chains: Vec<Value> = trees.iter().map(|tree| self.chain(tree)).collect();
        object.insert("chains".to_owned(), Value::Array(chains));
        let loose: Vec<&BoneRow> = self.table.bones.iter().filter(|row| self.is_left(row)).collect();
        let loose: Vec<Value> = loose.into_iter().map(|row| self.joint(row)).collect();
        let pivots = self.table.pivots.iter().map(|row| match &row.cells {
            Ok(cells) => json!({ "name": row.name, "parent": cells.parent,
                "euler": cells.euler_deg.map(plain::number) }),
            Err(bad) => shapes::raw(&row.name, &bad.cells),
        });
        let pivots = pivots.collect();
        let colliders = self.colliders();
        let nulls = self.table.nulls.iter().map(shapes::null).collect();
        let components = self.table.components.iter().map(|row| match &row.cells {
            Ok(cells) => shapes::raw(&row.name, &component_text(cells)),
            Err(bad) => shapes::raw(&row.name, &bad.cells),
        });
        let components = components.collect();
        let lists = self.take(|extra| if let Extra::Lists(cells) = extra { Some(&cells.lists) } else { None });
        if let Some(lists) = lists.into_iter().next_back() {
            object.insert("extras".to_owned(), form::json(lists));
        }
        let comments = self.comments();
        let raw = |row: &RawRow| json!(row.cells);
        let sections = self
            .table
            .sections
            .iter()
            .map(|section| Value::Array(std::iter::once(&section.header).chain(&section.rows).map(raw).collect()));
        let lists: [(&str, Vec<Value>); 7] = [
            ("joints", loose),
            ("pivots", pivots),
            ("colliders", colliders),
            ("nulls", nulls),
            ("components", components),
            ("comments", comments),
            ("sections", sections.collect()),
        ];
        for (key, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
            object.insert(key.to_owned(), Value::Array(list));
        }
        Value::Object(object)
    }

    /// All values of the whole character, the engine's defaults included.
    fn values(&mut self) -> Value {
        let params = self.params;
        let known = |row: &str| find_row(params, row).is_some_and(|row| params[row.index()].scope == Scope::System);
        self.take(|extra| matches!(extra, Extra::System { row, .. } if known(row)).then_some(()));
        let system = rows(params).filter(|(_, def)| def.scope == Scope::System);
        let value =
            |(row, def): (Row, &ParamDef)| (def.name.to_owned(), plain::value(def, system_value(self.table, row)));
        Value::Object(system.map(value).collect())
    }

    fn chain(&mut self, tree: &Tree) -> Value {
        let root = tree.root.as_str();
        let about = self.take(|extra| match extra {
            Extra::Chain { root: of, name, part, along } if of == root => Some((name.clone(), *part, *along)),
            _ => None,
        });
        let (name, part, along) = about
            .into_iter()
            .next_back()
            .unwrap_or_else(|| (tree.name.clone(), crate::doc::Part::Other, Along::Length));
        let part = part.key();
        let along = if along == Along::Length { ALONG[0] } else { ALONG[1] };
        let params = self.params;
        let shared = self.take(|extra| match extra {
            Extra::Value { root: of, row, base, curve } if of == root => {
                let row = find_row(params, row)?;
                Some((row, *base, curve.clone()))
            }
            _ => None,
        });
        let values = shared.into_iter().map(|(row, base, curve)| {
            let def = &params[row.index()];
            let mut value = Map::from_iter([("base".to_owned(), plain::value(def, base))]);
            if let Some(curve) = curve {
                value.insert("linear".to_owned(), json!(curve.interpolation() == Interpolation::Linear));
                value.insert("keys".to_owned(), plain::keys(&curve));
            }
            (def.name.to_owned(), Value::Object(value))
        });
        let mut object = Map::from_iter([
            ("name".to_owned(), json!(name)),
            ("part".to_owned(), json!(part)),
            ("along".to_owned(), json!(along)),
        ]);
        let values: Map<String, Value> = values.collect();
        if !values.is_empty() {
            object.insert("values".to_owned(), Value::Object(values));
        }
        let taken: Vec<&BoneRow> =
            tree.joints.iter().filter_map(|bone| self.rows.get_mut(bone.as_str())?.pop_front()).collect();
        let joints = taken.into_iter().map(|row| self.joint(row)).collect();
        object.insert("joints".to_owned(), Value::Array(joints));
        Value::Object(object)
    }

    /// Whether no chain has this row.
    fn is_left(&self, row: &BoneRow) -> bool {
        let left = self.rows.get(row.name.as_str());
        left.is_some_and(|left| left.iter().any(|other| std::ptr::eq(*other, row)))
    }

    fn joint(&mut self, row: &BoneRow) -> Value {
        let cells = match &row.cells {
            Ok(cells) => cells,
            Err(bad) => return json!({ "bone": row.name, "cells": bad.cells }),
        };
        let bone = row.name.as_str();
        let own = self.take(|extra| match extra {
            Extra::Joint { bone: of, row, value } if of == bone => Some((row.clone(), *value)),
            _ => None,
        });
        let joint_rows = rows(self.params).filter(|(_, def)| def.scope == Scope::Joint && !def.beyond);
        let value = |(row, def): (Row, &ParamDef)| {
            let value = cells.values.get(row);
            // Of switches of joints a table only knows whether they are on.
            let is_toggle = def.kind == crate::schema::Kind::Toggle;
            (def.name.to_owned(), if is_toggle { json!(value != 0.0) } else { plain::value(def, value) })
        };
        let mut values: Map<String, Value> = joint_rows.map(value).collect();
        for (name, value) in own {
            match self.row(&name, Scope::Joint) {
                Some(row) => values.insert(name, plain::value(&self.params[row.index()], value)),
                None => values.insert(name, plain::number(value)),
            };
        }
        let mut object = Map::from_iter([("bone".to_owned(), json!(bone)), ("values".to_owned(), json!(values))]);
        if has_pivots(self.table.solver) {
            object.insert("pivot".to_owned(), json!(cells.pivot));
            let targets = cells.length_targets.iter();
            let targets: Vec<Value> =
                targets.map(|t| json!({ "bone": t.bone, "ratio": plain::number(t.ratio) })).collect();
            object.insert("length_targets".to_owned(), Value::Array(targets));
        }
        object.insert("colliders".to_owned(), json!(cells.colliders));
        Value::Object(object)
    }

    fn colliders(&mut self) -> Vec<Value> {
        let table = self.table;
        let mut seen = BTreeSet::new();
        let collider = |row: &'a crate::doc::table::ColliderRow| {
            let name = row.name.as_str();
            // A comment speaks of the first of its name.
            let is_first = seen.insert(name) && row.cells.is_ok();
            let off = |extra: &Extra| match extra {
                Extra::Collider { name: of, on } if is_first && of == name => Some(*on),
                _ => None,
            };
            let on = self.take(off).into_iter().all(|on| on);
            shapes::collider(row, on)
        };
        table.colliders.iter().map(collider).collect()
    }

    /// What has no place of its own.
    fn comments(&self) -> Vec<Value> {
        let left = self.table.extras.iter().enumerate().filter(|(at, _)| !self.said.contains(at));
        let text = |row: &ExtraRow| match &row.cells {
            Ok(extra) => extra_text(extra),
            Err(bad) => bad.cells.clone(),
        };
        left.map(|(_, row)| json!(text(row))).collect()
    }
}
