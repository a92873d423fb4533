//! Chains and colliders as the extension's sections.

use super::super::tables::system_value;
use super::{COLLIDERS, COMPONENT, COMPONENTS, CURVES, EXCLUSIONS, LISTED, NUMBERS};
use crate::doc::import::Exported;
use crate::doc::table::{ColliderCells, Tree, number_text};
use crate::math::{Curve, Interpolation, Key};
use crate::report::{Diagnostic, Place, clip};
use crate::schema::{Kind, Scope};
use crate::sim::{Shape, SolverKind};
use glam::{EulerRot, Quat};
use std::fmt::Write as _;

/// As the extension's writer ends lines on Windows, where most of its users are.
const END: &str = "\r\n";

/// The bytes of a file.
pub fn write(exported: &Exported) -> Vec<u8> {
    // The extension's writer begins with a mark.
    let mut out = String::from("\u{feff}");
    let section = |out: &mut String, name: &str, rows: Vec<Vec<String>>| {
        _ = write!(out, "{END}[{name}]{END}");
        for row in rows {
            out.push_str(&row.join(","));
            out.push_str(END);
        }
    };
    let good = |name: &&crate::doc::table::ColliderRow| is_writable(&name.name);
    let colliders = exported.table.colliders.iter().filter(good);
    let colliders = colliders.filter_map(|row| collider(&row.name, row.cells.as_ref().ok()?));
    section(&mut out, COLLIDERS, colliders.collect());
    let trees: Vec<&Tree> = exported.trees.iter().filter(|tree| is_writable(&tree.root)).collect();
    section(&mut out, COMPONENTS, trees.iter().map(|tree| component(exported, tree)).collect());
    for (name, row) in CURVES {
        let keys = |tree: &Tree| {
            let curve = tree.curves.iter().find(|(of, _)| *of == row).map(|(_, curve)| curve);
            std::iter::once(object_name(tree)).chain(curve.into_iter().flat_map(keys_of)).collect()
        };
        section(&mut out, name, trees.iter().map(|tree| keys(tree)).collect());
    }
    let named = |tree: &Tree, names: &[String]| {
        let names = names.iter().filter(|name| is_writable(name)).cloned();
        std::iter::once(object_name(tree)).chain(names).collect()
    };
    section(&mut out, LISTED, trees.iter().map(|tree| named(tree, &tree.colliders)).collect());
    section(&mut out, EXCLUSIONS, trees.iter().map(|tree| named(tree, &tree.excluded)).collect());
    out.into_bytes()
}

/// Names that the format, which quotes nothing, cannot hold.
pub fn unwritable(exported: &Exported, file_name: &str) -> Vec<Diagnostic> {
    let roots = exported.trees.iter().map(|tree| &tree.root);
    let listed = exported.trees.iter().flat_map(|tree| tree.excluded.iter().chain(&tree.colliders));
    let names = roots.chain(listed).chain(exported.table.colliders.iter().map(|row| &row.name));
    let names: std::collections::BTreeSet<&String> = names.filter(|name| !is_writable(name)).collect();
    let message = "left out: this format has no place for such a name";
    names.into_iter().map(|name| Diagnostic::warning(Place::file(file_name).bone(clip(name)), message)).collect()
}

/// Whether a reader that splits lines at commas gets the name back.
fn is_writable(name: &str) -> bool {
    let is_section = name.contains('[') && name.contains(']');
    !(name.is_empty() || is_section || name.contains([',', '\n', '\r']))
}

/// The object that carries a component: one beside the chain, since the extension moves the object to where the file
/// says, and what hangs below a root would sway too.
fn object_name(tree: &Tree) -> String {
    format!("{}_DynamicBone", tree.root)
}

fn component(exported: &Exported, tree: &Tree) -> Vec<String> {
    let params = SolverKind::DynamicBone.info().params;
    let mut cells = vec![String::new(); COMPONENT];
    if is_writable(&tree.above) {
        cells[0].clone_from(&tree.above);
    }
    cells[1] = object_name(tree);
    for (cell, text) in cells[2..9].iter_mut().zip(["0", "0", "0", "0", "0", "0", "1"]) {
        text.clone_into(cell);
    }
    cells[9].clone_from(&tree.root);
    for (at, row) in NUMBERS {
        let def = &params[row.index()];
        let value = if def.scope == Scope::Joint { tree.base.get(row) } else { system_value(&exported.table, row) };
        cells[at] = match def.kind {
            Kind::Toggle => if value == 0.0 { "False" } else { "True" }.to_owned(),
            _ => number_text(value, None),
        };
    }
    cells
}

/// Keys with slopes, which a straight curve does not have of itself.
fn keys_of(curve: &Curve) -> Vec<String> {
    let keys = curve.keys();
    let slope = |a: &Key, b: &Key| if b.t > a.t { (b.value - a.value) / (b.t - a.t) } else { 0.0 };
    let straight = curve.interpolation() == Interpolation::Linear;
    let mut cells = Vec::with_capacity(6 * keys.len());
    for (i, key) in keys.iter().enumerate() {
        let behind = i.checked_sub(1).map(|before| slope(&keys[before], key));
        let ahead = keys.get(i + 1).map(|after| slope(key, after));
        let (slope_in, slope_out) = if straight {
            (behind.or(ahead).unwrap_or(0.0), ahead.or(behind).unwrap_or(0.0))
        } else {
            (key.slope_in, key.slope_out)
        };
        let numbers = [key.t, key.value, slope_in, 0.0, slope_out, 0.0];
        cells.extend(numbers.map(|number| number_text(number, None)));
    }
    cells
}

fn collider(name: &str, cells: &ColliderCells) -> Option<Vec<String>> {
    let node = &cells.node;
    let [x, y, z] = node.euler_deg.map(f32::to_radians);
    let rotation = Quat::from_euler(EulerRot::YXZ, y, x, z);
    let [across, up, _] = node.scale.map(f32::abs);
    let (is_inside, direction, numbers) = match cells.shape {
        Shape::Sphere { radius, inside } => (inside, 1, Some([radius * across, 0.0])),
        Shape::Capsule { radius, height, inside } => (inside, 1, Some([radius * across, height * up])),
        Shape::Plane => (false, 2, None),
        _ => return None,
    };
    let middle = numbers.map_or(0.0, |[_, height]| height / 2.0);
    let parent = if is_writable(&node.parent) { node.parent.clone() } else { String::new() };
    let mut all = vec![parent, name.to_owned()];
    let placed = node.position.into_iter().chain(rotation.to_array());
    all.extend(placed.map(|number| number_text(number, None)));
    all.push(direction.to_string());
    all.extend([0.0, middle, 0.0].map(|number| number_text(number, None)));
    all.push(u8::from(is_inside).to_string());
    if let Some([radius, height]) = numbers {
        // The engine's height has the caps in it.
        let whole = if height == 0.0 { 0.0 } else { height + 2.0 * radius };
        all.extend([radius, whole].map(|number| number_text(number, None)));
    }
    Some(all)
}
