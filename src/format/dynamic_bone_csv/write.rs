//! Chains and colliders as the extension's sections.

use super::super::by_root::{colliders, placement, system_value};
use super::{COLLIDERS, COMPONENT, COMPONENTS, CURVES, EXCLUSIONS, LISTED, NUMBERS};
use crate::document::axis::unity_euler_from_rotation;
use crate::document::{ByName, Collider};
use crate::exchange::{SetupFile, Tree};
use crate::format::unity_csv::number_text;
use crate::math::{Curve, Key};
use crate::report::{Diagnostic, Place, clip};
use crate::schema::{Kind, Scope};
use crate::sim::{Shape, SolverKind};
use glam::{EulerRot, Quat};
use std::fmt::Write as _;

/// As the extension's writer ends lines on Windows, where most of its users are.
const END: &str = "\r\n";

/// The bytes of a file in Unity's space.
pub fn write(file: &SetupFile) -> Vec<u8> {
    // The extension's writer starts with a byte order mark.
    let mut out = String::from("\u{feff}");
    let section = |out: &mut String, name: &str, rows: Vec<Vec<String>>| {
        _ = write!(out, "{END}[{name}]{END}");
        for row in rows {
            out.push_str(&row.join(","));
            out.push_str(END);
        }
    };
    let rows = colliders(file).filter(|collider| is_writable(&collider.name)).filter_map(collider_cells);
    section(&mut out, COLLIDERS, rows.collect());
    let trees: Vec<&Tree> = file.trees.iter().filter(|tree| is_writable(&tree.root)).collect();
    section(&mut out, COMPONENTS, trees.iter().map(|tree| component(file, tree)).collect());
    for (name, row) in CURVES {
        let keys = |tree: &Tree| {
            std::iter::once(object_name(tree)).chain(tree.curve(row).into_iter().flat_map(keys_of)).collect()
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

/// Reports names that the format, which has no quotes, cannot store.
pub fn unwritable(file: &SetupFile, file_name: &str) -> Vec<Diagnostic> {
    let listed = file.trees.iter().flat_map(|tree| tree.excluded.iter().chain(&tree.colliders));
    let names = file.trees.iter().map(|tree| &tree.root).chain(listed);
    let names = names.chain(colliders(file).map(|collider| &collider.name));
    let names: std::collections::BTreeSet<&String> = names.filter(|name| !is_writable(name)).collect();
    let message = "left out: this format has no place for such a name";
    names.into_iter().map(|name| Diagnostic::warning(Place::file(file_name).bone(clip(name)), message)).collect()
}

/// Whether a reader that splits lines at commas gets the name back.
fn is_writable(name: &str) -> bool {
    let is_section = name.contains('[') && name.contains(']');
    !(name.is_empty() || is_section || name.contains([',', '\n', '\r']))
}

/// The object that has a component. It is a sibling of the root, because the extension moves the object to where the file
/// says, and a child of the root would be simulated too.
fn object_name(tree: &Tree) -> String {
    format!("{}_DynamicBone", tree.root)
}

fn component(file: &SetupFile, tree: &Tree) -> Vec<String> {
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
        let is_of_joint = def.scope == Scope::Joint;
        let value = if is_of_joint { tree.base.get(row) } else { system_value(file, SolverKind::DynamicBone, row) };
        cells[at] = match def.kind {
            Kind::Toggle => if value == 0.0 { "False" } else { "True" }.to_owned(),
            _ => number_text(value, None),
        };
    }
    cells
}

fn keys_of(curve: &Curve) -> Vec<String> {
    let cells = |k: &Key| [k.t, k.value, k.slope_in, 0.0, k.slope_out, 0.0].map(|number| number_text(number, None));
    curve.with_slopes().keys().iter().flat_map(cells).collect()
}

fn collider_cells(collider: &Collider<ByName>) -> Option<Vec<String>> {
    let (parent, local) = placement(collider);
    // Through Unity's angles, as every CSV has them.
    let [x, y, z] = unity_euler_from_rotation(local.rotation).map(f32::to_radians);
    let rotation = Quat::from_euler(EulerRot::YXZ, y, x, z);
    let scale = local.scale.abs();
    let (is_inside, direction, numbers) = match collider.shape {
        Shape::Sphere { radius, inside } => (inside, 1, Some([radius * scale.x, 0.0])),
        Shape::Capsule { radius, height, inside } => (inside, 1, Some([radius * scale.x, height * scale.y])),
        Shape::Plane => (false, 2, None),
        _ => return None,
    };
    let middle = numbers.map_or(0.0, |[_, height]| height / 2.0);
    let parent = if is_writable(parent) { parent } else { "" };
    let mut all = vec![parent.to_owned(), collider.name.clone()];
    let placed = local.translation.to_array().into_iter().chain(rotation.to_array());
    all.extend(placed.map(|number| number_text(number, None)));
    all.push(direction.to_string());
    all.extend([0.0, middle, 0.0].map(|number| number_text(number, None)));
    all.push(u8::from(is_inside).to_string());
    if let Some([radius, height]) = numbers {
        // DynamicBone's height includes the caps.
        let whole = if height == 0.0 { 0.0 } else { height + 2.0 * radius };
        all.extend([radius, whole].map(|number| number_text(number, None)));
    }
    Some(all)
}
