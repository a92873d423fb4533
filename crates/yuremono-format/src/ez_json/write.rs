//! Writes chains and colliders as `EZSoftBone` components.

use super::super::json_common as plain;
use super::super::root_bone_formats::{colliders, component_node, flip_axis, system_value};
use super::{
    COMPONENT_PARAMS, FORMAT_NAME, MATERIAL_NAME_FIELD, MATERIAL_PARAMS, NODE_FIELDS, VERSION,
    colliders::collider_to_json, param_def, params,
};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use yuremono_model::document::FlipAxis;
use yuremono_model::exchange::{ChainTree, SetupFile};
use yuremono_sim::SolverKind;
use yuremono_sim::math::{Curve, CurveKey};
use yuremono_sim::params::{EntryParams, ParamId, ParamKind, ParamScope, entries};

/// Writes a file that is in Unity's space.
pub fn write(file: &SetupFile) -> Vec<u8> {
    let shared = system_fields(file);
    let names = material_names(&file.trees);
    let components: Vec<Value> =
        file.trees.iter().zip(names).map(|(tree, name)| component_to_json(tree, &name, &shared)).collect();
    plain::to_json_bytes(&json!({
        "format": FORMAT_NAME,
        "version": VERSION,
        "mirror": if flip_axis(file) == FlipAxis::X { "x" } else { "z" },
        "Components": components,
        "Colliders": colliders(file).map(collider_to_json).collect::<Vec<_>>(),
    }))
}

/// The fields that are equal for all components. Enumerated values are numbers, as Unity serializes them.
fn system_fields(file: &SetupFile) -> Map<String, Value> {
    let mut fields = Map::new();
    let get = |param: ParamId| system_value(file, SolverKind::EzSoftBone, param);
    for (rows, def) in entries(params()).filter(|(_, def)| def.scope == ParamScope::System && !def.extension) {
        let value = match (rows, def.kind) {
            (EntryParams::Vector(rows), _) => {
                let [x, y, z] = rows.map(|param| plain::number_to_json(get(param)));
                json!({ "x": x, "y": y, "z": z })
            }
            (_, ParamKind::Toggle) => plain::param_to_json(def, get(rows.first())),
            (..) => plain::number_to_typed_json(def, get(rows.first())),
        };
        fields.insert(def.entry_name.to_owned(), value);
    }
    let named = NODE_FIELDS.iter().map(|(side, key)| ((*key).to_owned(), json!(component_node(file, *side))));
    fields.extend(named);
    fields
}

/// The material name of each tree. If different materials have the same name, a number is appended.
fn material_names(trees: &[ChainTree]) -> Vec<String> {
    let mut taken: BTreeSet<String> = trees.iter().map(|tree| tree.material.clone()).collect();
    let mut known: BTreeMap<&str, Vec<(&ChainTree, String)>> = BTreeMap::new();
    let names = trees.iter().map(|tree| {
        let ChainTree { material, .. } = tree;
        if material.is_empty() {
            return String::new();
        }
        let same = known.entry(material).or_default();
        if let Some((_, name)) = same.iter().find(|(other, _)| have_equal_material_values(other, tree)) {
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

/// Whether two trees have the same values of the material parameters.
pub(super) fn have_equal_material_values(a: &ChainTree, b: &ChainTree) -> bool {
    MATERIAL_PARAMS
        .iter()
        .all(|param| a.base_values.get(*param) == b.base_values.get(*param) && a.curve(*param) == b.curve(*param))
}

fn component_to_json(tree: &ChainTree, name: &str, shared: &Map<String, Value>) -> Value {
    let with_curve = |fields: &mut Map<String, Value>, of: ParamId| {
        let name = param_def(of).name;
        fields.insert(name.to_owned(), plain::number_to_json(tree.base_values.get(of)));
        let keys = tree.curve(of).map_or_else(|| curve_to_json(&Curve::constant(1.0)), curve_to_json);
        fields.insert(format!("{name}Curve"), keys);
    };
    let (mut material, mut fields) = (Map::new(), Map::new());
    fields.insert("name".to_owned(), json!(tree.name));
    fields.insert("m_RootBones".to_owned(), json!([tree.root]));
    // EZSoftBone cannot exclude a bone, but it can end a chain at that bone.
    let ends: Vec<&String> = tree.end_bones.iter().chain(&tree.excluded).collect();
    fields.insert("m_EndBones".to_owned(), json!(ends));
    if !tree.material.is_empty() {
        material.insert(MATERIAL_NAME_FIELD.to_owned(), json!(name));
    }
    for param in MATERIAL_PARAMS {
        with_curve(&mut material, *param);
    }
    fields.insert("m_Material".to_owned(), Value::Object(material));
    for param in COMPONENT_PARAMS {
        with_curve(&mut fields, param);
    }
    fields.extend(shared.iter().map(|(name, value)| (name.clone(), value.clone())));
    fields.insert("m_ExtraColliders".to_owned(), json!(tree.colliders));
    Value::Object(fields)
}

/// The keys of a curve as Unity's `Keyframe` stores them. Keys of a linear curve get the slopes of its segments.
fn curve_to_json(curve: &Curve) -> Value {
    let key = |k: &CurveKey| {
        json!({
            "time": plain::number_to_json(k.t),
            "value": plain::number_to_json(k.value),
            "inTangent": plain::number_to_json(k.slope_in),
            "outTangent": plain::number_to_json(k.slope_out),
        })
    };
    Value::Array(curve.to_hermite().keys().iter().map(key).collect())
}
