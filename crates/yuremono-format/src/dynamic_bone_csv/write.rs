//! Writes chains and colliders as the sections of the CSV.

use super::super::root_bone_formats::{collider_parent_and_transform, colliders, system_value};
use super::{
    COLLIDER_LIST_SECTION, COLLIDER_SECTION, COMPONENT_CELLS, COMPONENT_SECTION, CURVE_SECTIONS, EXCLUSION_SECTION,
    NUMBER_CELLS,
};
use crate::unity_csv::number_text;
use std::fmt::Write as _;
use yuremono_model::document::flip_axis::{rotation_from_unity_euler, unity_euler_from_rotation};
use yuremono_model::document::{ByName, Collider};
use yuremono_model::exchange::{ChainTree, SetupFile};
use yuremono_sim::diagnostics::{Diagnostic, Location, excerpt, message};
use yuremono_sim::math::{Curve, CurveKey};
use yuremono_sim::params::{ParamKind, ParamScope};
use yuremono_sim::{ColliderShape, SolverKind};

/// `DynamicBoneDynamicsCsv` writes Windows line endings on Windows, which most of its users run.
const LINE_END: &str = "\r\n";

/// Writes a file that is in Unity's space.
pub fn write(file: &SetupFile) -> Vec<u8> {
    // `DynamicBoneDynamicsCsv` writes a byte order mark.
    let mut out = String::from("\u{feff}");
    let section = |out: &mut String, name: &str, rows: Vec<Vec<String>>| {
        _ = write!(out, "{LINE_END}[{name}]{LINE_END}");
        for row in rows {
            out.push_str(&row.join(","));
            out.push_str(LINE_END);
        }
    };
    let rows = colliders(file).filter(|collider| is_writable(&collider.name)).filter_map(collider_cells);
    section(&mut out, COLLIDER_SECTION, rows.collect());
    let trees: Vec<&ChainTree> = file.trees.iter().filter(|tree| is_writable(&tree.root)).collect();
    section(&mut out, COMPONENT_SECTION, trees.iter().map(|tree| component_cells(file, tree)).collect());
    for (name, row) in CURVE_SECTIONS {
        let keys = |tree: &ChainTree| {
            std::iter::once(object_name(tree)).chain(tree.curve(row).into_iter().flat_map(curve_cells)).collect()
        };
        section(&mut out, name, trees.iter().map(|tree| keys(tree)).collect());
    }
    let named = |tree: &ChainTree, names: &[String]| {
        let names = names.iter().filter(|name| is_writable(name)).cloned();
        std::iter::once(object_name(tree)).chain(names).collect()
    };
    section(&mut out, COLLIDER_LIST_SECTION, trees.iter().map(|tree| named(tree, &tree.colliders)).collect());
    section(&mut out, EXCLUSION_SECTION, trees.iter().map(|tree| named(tree, &tree.excluded)).collect());
    out.into_bytes()
}

/// Reports names that the format cannot store, because the format has no quotes.
pub fn unwritable_names(file: &SetupFile, file_name: &str) -> Vec<Diagnostic> {
    let listed = file.trees.iter().flat_map(|tree| tree.excluded.iter().chain(&tree.colliders));
    let names = file.trees.iter().map(|tree| &tree.root).chain(listed);
    let names = names.chain(colliders(file).map(|collider| &collider.name));
    let names: std::collections::BTreeSet<&String> = names.filter(|name| !is_writable(name)).collect();
    let message = message!("left out: this format cannot store the name");
    names
        .into_iter()
        .map(|name| Diagnostic::warning(Location::file(file_name).with_bone(excerpt(name)), message.clone()))
        .collect()
}

/// Whether a reader that splits lines at commas would read the name unchanged.
fn is_writable(name: &str) -> bool {
    let is_section = name.contains('[') && name.contains(']');
    !(name.is_empty() || is_section || name.contains([',', '\n', '\r']))
}

/// The name of the object with the component. The object is a sibling of the root. `DynamicBoneDynamicsCsv` moves the
/// object to the position in the file, and a child of the root would also be simulated.
fn object_name(tree: &ChainTree) -> String {
    format!("{}_DynamicBone", tree.root)
}

fn component_cells(file: &SetupFile, tree: &ChainTree) -> Vec<String> {
    let params = SolverKind::DynamicBone.info().params;
    let mut cells = vec![String::new(); COMPONENT_CELLS];
    if is_writable(&tree.parent) {
        cells[0].clone_from(&tree.parent);
    }
    cells[1] = object_name(tree);
    for (cell, text) in cells[2..9].iter_mut().zip(["0", "0", "0", "0", "0", "0", "1"]) {
        text.clone_into(cell);
    }
    cells[9].clone_from(&tree.root);
    for (at, param) in NUMBER_CELLS {
        let def = &params[param.index()];
        let is_of_joint = def.scope == ParamScope::Joint;
        let value =
            if is_of_joint { tree.base_values.get(param) } else { system_value(file, SolverKind::DynamicBone, param) };
        cells[at] = match def.kind {
            ParamKind::Toggle => if value == 0.0 { "False" } else { "True" }.to_owned(),
            _ => number_text(value, None),
        };
    }
    cells
}

fn curve_cells(curve: &Curve) -> Vec<String> {
    let cells =
        |k: &CurveKey| [k.t, k.value, k.slope_in, 0.0, k.slope_out, 0.0].map(|number| number_text(number, None));
    curve.to_hermite().keys().iter().flat_map(cells).collect()
}

fn collider_cells(collider: &Collider<ByName>) -> Option<Vec<String>> {
    let (parent, local) = collider_parent_and_transform(collider);
    // The rotation is converted to Unity's Euler angles and back, as in every CSV.
    let rotation = rotation_from_unity_euler(unity_euler_from_rotation(local.rotation));
    let scale = local.scale.abs();
    // The height in `DynamicBone` includes the caps.
    let (is_inside, direction, radius_and_height) = match collider.shape {
        ColliderShape::Sphere { radius, inside } => (inside, 1, Some([radius * scale.x, 0.0])),
        ColliderShape::Capsule { radius, height, inside } => {
            let radius = radius * scale.x;
            let caps = if height == 0.0 { 0.0 } else { 2.0 * radius };
            (inside, 1, Some([radius, height * scale.y + caps]))
        }
        ColliderShape::Plane => (false, 2, None),
        _ => return None,
    };
    // Computed from the written numbers, as by a reader, so that another export writes the same centre.
    let middle = radius_and_height.map_or(0.0, |[radius, height]| (height - 2.0 * radius).max(0.0) / 2.0);
    let parent = if is_writable(parent) { parent } else { "" };
    let mut all = vec![parent.to_owned(), collider.name.clone()];
    let placed = local.translation.to_array().into_iter().chain(rotation.to_array());
    all.extend(placed.map(|number| number_text(number, None)));
    all.push(direction.to_string());
    all.extend([0.0, middle, 0.0].map(|number| number_text(number, None)));
    all.push(u8::from(is_inside).to_string());
    all.extend(radius_and_height.into_iter().flatten().map(|number| number_text(number, None)));
    Some(all)
}
