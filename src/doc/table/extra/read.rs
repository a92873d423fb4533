//! From the cells of a comment row to what it says.

use super::{ALONG, Extra, ForceCells, ListCells, Mentions, RUNS, SWINGS, VERSION, unescape};
use crate::doc::table::columns::{Cursor, row_of, unless_bad};
use crate::doc::table::{ExtraRow, Fault, Problem};
use crate::doc::{NamedExtras, form};
use crate::math::{Curve, Key};
use crate::sim::{ForceKind, SolverKind, SwingLimit, SwingShape};
use glam::Quat;
use serde_json::{Map, Value};

const KEY: [&str; 4] = ["t", "value", "slope in", "slope out"];
const TURN: [&str; 4] = ["turn x", "turn y", "turn z", "turn w"];
const PLACE: [&str; 10] = ["x", "y", "z", "turn x", "turn y", "turn z", "turn w", "scale x", "scale y", "scale z"];

/// Understands the cells after [`EXTRA`](super::EXTRA).
pub fn extra_row(line: u64, cells: Vec<String>) -> ExtraRow {
    let kind = cells.get(1).cloned().unwrap_or_default();
    row_of(line, kind, cells, understand)
}

fn understand(cells: &[String]) -> Result<Extra, Vec<Problem>> {
    let mut c = Cursor::new(cells, false);
    let (version, kind) = (c.text(), c.text());
    if version != VERSION {
        return Err(vec![Problem::new("version", version, Fault::NotUnderstood)]);
    }
    if kind == "group" {
        let number = whole(&mut c);
        let (name, colliders) = (name_of(&mut c), names(&mut c));
        return unless_bad(c.problems, Extra::Group { number, name, colliders });
    }
    if kind == "lists" {
        let lists = lists(&mut c);
        return unless_bad(c.problems, Extra::Lists(Box::new(lists)));
    }
    let first = name_of(&mut c);
    let extra = match kind.as_str() {
        "system" => Extra::System { row: first, value: c.number("value") },
        "named" => Extra::Named { name: first },
        "sits on" => Extra::SitsOn { node: first },
        "joint" => Extra::Joint { bone: first, row: c.text(), value: c.number("value") },
        "enabled" => Extra::Enabled { bone: first, on: c.toggle("enabled") },
        "animated" => Extra::Animated { bone: first, on: c.toggle("animated") },
        "tip" => Extra::TipBone { bone: first, child: name_of(&mut c) },
        "tip at" => Extra::TipAt { bone: first, at: c.finite(["x", "y", "z"], &Fault::TooLarge) },
        "length" => Extra::Length { bone: first, target: name_of(&mut c), constant: c.number("constant") },
        "excluded" => Extra::Excluded { bone: first },
        "renderer" => Extra::Renderer { name: first, on: c.toggle("renderer") },
        "collider" => Extra::Collider { name: first, on: c.toggle("enabled") },
        "chain" => Extra::Chain {
            root: first,
            name: name_of(&mut c),
            part: one_of(&mut c, "part", &crate::doc::Part::ALL.map(|part| (part.key(), part))),
            along: one_of(&mut c, "along", &ALONG),
        },
        "value" => Extra::Value { root: first, row: c.text(), base: c.number("base"), curve: curve(&mut c) },
        "material" => Extra::Material { root: first, name: name_of(&mut c) },
        "groups" => Extra::Groups { root: first, numbers: wholes(&mut c) },
        "center" => Extra::Center { root: first, node: name_of(&mut c) },
        "swing" => Extra::Swing { bone: first, limit: swing(&mut c) },
        "force" => Extra::Force(Box::new(force(first, &mut c))),
        _ => return Err(vec![Problem::new("kind", kind, Fault::NotUnderstood)]),
    };
    unless_bad(c.problems, extra)
}

fn curve(c: &mut Cursor<'_>) -> Option<Curve> {
    if c.rest().iter().all(String::is_empty) {
        return None;
    }
    let runs = one_of(c, "curve", &RUNS);
    let mut keys = Vec::new();
    // A spreadsheet fills rows up with empty cells.
    while c.rest().iter().any(|cell| !cell.is_empty()) {
        let [t, value, slope_in, slope_out] = c.numbers(KEY);
        keys.push(Key { t, value, slope_in, slope_out });
    }
    let curve = Curve::new(keys, runs);
    if curve.is_none() {
        c.bad("curve", String::new(), Fault::NotUnderstood);
    }
    curve
}

fn force(name: String, c: &mut Cursor<'_>) -> ForceCells {
    let (node, parent) = (name_of(c), name_of(c));
    let [px, py, pz, x, y, z, w, sx, sy, sz] = c.finite(PLACE, &Fault::TooLarge);
    let on = c.toggle("enabled");
    let kinds = ForceKind::ALL.map(|kind| (kind.name(), kind));
    let mut kind = one_of(c, "kind", &kinds);
    for (at, field) in kind.fields().iter().enumerate() {
        kind = kind.with_field(at, c.number(field.name));
    }
    let (position, rotation, scale) = ([px, py, pz], [x, y, z, w], [sx, sy, sz]);
    ForceCells { name, node, parent, position, rotation, scale, on, kind }
}

/// A solver's name and a JSON object.
fn lists(c: &mut Cursor<'_>) -> ListCells {
    let kinds: Vec<_> = SolverKind::ALL.iter().map(|kind| (kind.key(), *kind)).collect();
    let solver = one_of(c, "solver", &kinds);
    let cell = c.text();
    let Ok(object) = serde_json::from_str::<Map<String, Value>>(&cell) else {
        c.bad("lists", cell, Fault::NotUnderstood);
        return ListCells { lists: NamedExtras::empty(solver), mentions: Mentions::default(), only: None };
    };
    let mut wrong = None;
    let (lists, _) = form::understand(&object, solver, &mut |at, what| {
        wrong.get_or_insert_with(|| format!("{at}: {what}"));
    });
    if let Some(wrong) = wrong {
        c.bad("lists", wrong, Fault::NotUnderstood);
    }
    ListCells { lists, mentions: Mentions::default(), only: None }
}

fn swing(c: &mut Cursor<'_>) -> SwingLimit {
    let shape = match one_of(c, "swing", &SWINGS) {
        SwingShape::Cone { .. } => SwingShape::Cone { angle: c.number("angle") },
        SwingShape::Hinge { .. } => SwingShape::Hinge { angle: c.number("angle") },
        SwingShape::Spherical { .. } => {
            let [pitch, yaw] = c.numbers(["pitch", "yaw"]);
            SwingShape::Spherical { pitch, yaw }
        }
    };
    SwingLimit { shape, rotation: Quat::from_array(c.finite(TURN, &Fault::TooLarge)) }
}

fn whole(c: &mut Cursor<'_>) -> u32 {
    let cell = c.text();
    cell.parse().unwrap_or_else(|_| {
        c.bad("number", cell, Fault::NotACount);
        0
    })
}

fn wholes(c: &mut Cursor<'_>) -> Vec<u32> {
    let count = filled(c);
    (0..count).map(|_| whole(c)).collect()
}

fn names(c: &mut Cursor<'_>) -> Vec<String> {
    let count = filled(c);
    (0..count).map(|_| name_of(c)).collect()
}

/// How many cells there are before those with which a spreadsheet fills rows up.
fn filled(c: &Cursor<'_>) -> usize {
    c.rest().iter().rposition(|cell| !cell.is_empty()).map_or(0, |last| last + 1)
}

fn one_of<T: Copy>(c: &mut Cursor<'_>, column: &'static str, all: &[(&str, T)]) -> T {
    let cell = c.text();
    if let Some((_, value)) = all.iter().find(|(name, _)| *name == cell) {
        return *value;
    }
    c.bad(column, cell, Fault::NotUnderstood);
    all[0].1
}

fn name_of(c: &mut Cursor<'_>) -> String {
    unescape(&c.text())
}
