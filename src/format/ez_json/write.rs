//! Chains and colliders as components of `EZSoftBone`.

use super::super::by_root::{colliders, mirror_of, single_node, system_value};
use super::super::json_findings as plain;
use super::{COMPONENT, MATERIAL, NAME, NAME_OF_MATERIAL, NODES, VERSION, colliders::collider_json, def, params};
use crate::document::Axis;
use crate::exchange::{SetupFile, Tree};
use crate::math::{Curve, Key};
use crate::schema::{EntryRows, Kind, Row, Scope, entries};
use crate::sim::SolverKind;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The bytes of a file in Unity's space.
pub fn write(file: &SetupFile) -> Vec<u8> {
    let shared = shared(file);
    let names = material_names(&file.trees);
    let components: Vec<Value> =
        file.trees.iter().zip(names).map(|(tree, name)| component(tree, &name, &shared)).collect();
    plain::bytes(&json!({
        "format": NAME,
        "version": VERSION,
        "mirror": if mirror_of(file) == Axis::X { "x" } else { "z" },
        "Components": components,
        "Colliders": colliders(file).map(collider_json).collect::<Vec<_>>(),
    }))
}

/// Fields that all components have in common; choices by their number, as Unity serializes them.
fn shared(file: &SetupFile) -> Map<String, Value> {
    let mut fields = Map::new();
    let get = |row: Row| system_value(file, SolverKind::EzSoftBone, row);
    for (rows, def) in entries(params()).filter(|(_, def)| def.scope == Scope::System && !def.beyond) {
        let value = match (rows, def.kind) {
            (EntryRows::Vector(rows), _) => {
                let [x, y, z] = rows.map(|row| plain::number(get(row)));
                json!({ "x": x, "y": y, "z": z })
            }
            (_, Kind::Toggle) => plain::value(def, get(rows.first())),
            (..) => plain::typed_number(def, get(rows.first())),
        };
        fields.insert(def.entry.to_owned(), value);
    }
    let named = NODES.iter().map(|(side, key)| ((*key).to_owned(), json!(single_node(file, *side))));
    fields.extend(named);
    fields
}

/// The name of each tree's material. A number makes the names of different materials of one name unique, as for files in
/// a folder.
fn material_names(trees: &[Tree]) -> Vec<String> {
    let mut taken: BTreeSet<String> = trees.iter().map(|tree| tree.material.clone()).collect();
    let mut known: BTreeMap<&str, Vec<(&Tree, String)>> = BTreeMap::new();
    let names = trees.iter().map(|tree| {
        let Tree { material, .. } = tree;
        if material.is_empty() {
            return String::new();
        }
        let same = known.entry(material).or_default();
        if let Some((_, name)) = same.iter().find(|(other, _)| is_one_material(other, tree)) {
            return name.clone();
        }
        let numbered = || (2..taken.len() + 3).map(|n| format!("{material} {n}")).find(|name| !taken.contains(name));
        let name = if same.is_empty() { material.clone() } else { numbered().unwrap_or_default() };
        taken.insert(name.clone());
        same.push((tree, name.clone()));
        name
    });
    names.collect()
}

/// Whether two trees have the same values in the rows of a material.
pub(super) fn is_one_material(a: &Tree, b: &Tree) -> bool {
    MATERIAL.iter().all(|row| a.base.get(*row) == b.base.get(*row) && a.curve(*row) == b.curve(*row))
}

fn component(tree: &Tree, name: &str, shared: &Map<String, Value>) -> Value {
    let with_curve = |fields: &mut Map<String, Value>, of: Row| {
        let name = def(of).name;
        fields.insert(name.to_owned(), plain::number(tree.base.get(of)));
        let keys = tree.curve(of).map_or_else(|| keys(&Curve::constant(1.0)), keys);
        fields.insert(format!("{name}Curve"), keys);
    };
    let (mut material, mut fields) = (Map::new(), Map::new());
    fields.insert("name".to_owned(), json!(tree.name));
    fields.insert("m_RootBones".to_owned(), json!([tree.root]));
    // EZSoftBone cannot exclude a bone, but it can end a chain there.
    let ends: Vec<&String> = tree.ends.iter().chain(&tree.excluded).collect();
    fields.insert("m_EndBones".to_owned(), json!(ends));
    if !tree.material.is_empty() {
        material.insert(NAME_OF_MATERIAL.to_owned(), json!(name));
    }
    for row in MATERIAL {
        with_curve(&mut material, *row);
    }
    fields.insert("m_Material".to_owned(), Value::Object(material));
    for row in COMPONENT {
        with_curve(&mut fields, row);
    }
    fields.extend(shared.iter().map(|(name, value)| (name.clone(), value.clone())));
    fields.insert("m_ExtraColliders".to_owned(), json!(tree.colliders));
    Value::Object(fields)
}

/// Keys as Unity's `Keyframe` has them, with the slopes of the lines where the curve is linear.
fn keys(curve: &Curve) -> Value {
    let key = |k: &Key| {
        json!({
            "time": plain::number(k.t),
            "value": plain::number(k.value),
            "inTangent": plain::number(k.slope_in),
            "outTangent": plain::number(k.slope_out),
        })
    };
    Value::Array(curve.with_slopes().keys().iter().map(key).collect())
}
