//! Writes chains as animation nodes.

use super::super::json_common as plain;
use super::super::root_bone_formats::{colliders, component_node, flip_axis, system_value};
use super::{
    BASE_BONE_FIELD, FORMAT_NAME, PLUGIN_VERSION, PROJECT_PARAMS, SETTINGS_PARAMS, VERSION, WIND_FIELD, choice_names,
    limits, node_entries, params, plugin_scale, split_property_path, swap_axis_choice, to_plugin_units, vector_to_json,
};
use serde_json::{Map, Value, json};
use yuremono_model::document::ListKind;
use yuremono_model::exchange::{ChainTree, SetupFile};
use yuremono_sim::SolverKind;
use yuremono_sim::math::{Curve, CurveKey, Interpolation};
use yuremono_sim::params::{EntryParams, MirrorRule, ParamDef, ParamId, ParamKind};

/// Returns the bytes of a file. The input is in Unity's space.
pub fn write(file: &SetupFile) -> Vec<u8> {
    let params = SolverKind::KawaiiPhysics.info().params;
    let project = PROJECT_PARAMS.iter().map(|param| {
        let def = &params[param.index()];
        (def.name.to_owned(), value_to_json(*param, def, system_value(file, SolverKind::KawaiiPhysics, *param)))
    });
    let shared = system_fields(file);
    let nodes: Vec<Value> = file.trees.iter().map(|tree| node_to_json(file, tree, &shared)).collect();
    plain::to_json_bytes(&json!({
        "format": FORMAT_NAME,
        "version": VERSION,
        "plugin": PLUGIN_VERSION,
        "units": "centimetres and degrees; Unreal's axes: X is glTF's X, Y its Z, Z its Y",
        "ProjectSettings": project.collect::<Map<_, _>>(),
        "Nodes": nodes,
    }))
}

fn value_to_json(param: ParamId, def: &ParamDef, value: f32) -> Value {
    let choice = (value >= 0.0 && value.fract() == 0.0).then_some(value as usize);
    match (choice_names(param, def), choice) {
        (Some(names), Some(choice)) if choice < names.len() => json!(names[swap_axis_choice(param, choice)]),
        (Some(_), _) => plain::number_to_json(value),
        (None, _) if def.kind == ParamKind::Toggle => plain::param_to_json(def, value),
        (None, _) if def.kind == ParamKind::Integer => plain::number_to_typed_json(def, value),
        (None, _) => to_plugin_units(value, plugin_scale(def)),
    }
}

/// Returns the properties that are equal for all nodes.
fn system_fields(file: &SetupFile) -> Map<String, Value> {
    let (mut all, mut wind) = (Map::new(), Map::new());
    for (rows, def) in node_entries() {
        let get = |param: ParamId| system_value(file, SolverKind::KawaiiPhysics, param);
        let value = if let EntryParams::Vector(rows) = rows {
            // Only a vector with a direction is mirrored; a scale does not change sign.
            let mirror = (def.mirror == MirrorRule::Negate).then(|| flip_axis(file));
            vector_to_json(rows.map(get), mirror, plugin_scale(def))
        } else {
            value_to_json(rows.first(), def, get(rows.first()))
        };
        let (of_wind, key, member) = split_property_path(def.entry_name);
        let object = if of_wind { &mut wind } else { &mut all };
        match member {
            Some(member) => object.entry(key).or_insert_with(|| json!({}))[member] = value,
            None => _ = object.insert(key.to_owned(), value),
        }
    }
    all.insert(WIND_FIELD.to_owned(), Value::Object(wind));
    all.insert(BASE_BONE_FIELD.to_owned(), json!(component_node(file, ListKind::BaseBone)));
    all
}

fn node_to_json(file: &SetupFile, tree: &ChainTree, shared: &Map<String, Value>) -> Value {
    let params = SolverKind::KawaiiPhysics.info().params;
    let mut node = Map::from_iter([
        ("Name".to_owned(), json!(tree.name)),
        ("RootBone".to_owned(), json!(tree.root)),
        ("ExcludeBones".to_owned(), json!(tree.excluded)),
    ]);
    let setting = |of: &ParamId| {
        let def = &params[of.index()];
        (def.name.to_owned(), value_to_json(*of, def, tree.base_values.get(*of)))
    };
    node.insert("PhysicsSettings".to_owned(), Value::Object(SETTINGS_PARAMS.iter().map(setting).collect()));
    for of in SETTINGS_PARAMS {
        if let Some(curve) = tree.curve(of) {
            node.insert(format!("{}CurveData", params[of.index()].name), curve_to_json(curve));
        }
    }
    node.extend(shared.iter().map(|(name, value)| (name.clone(), value.clone())));
    // In the plugin, the rate has a curve but no base value.
    let rate = tree.base_values.get(params::FORCE_RATE);
    if let Some(wind) = node.get_mut(WIND_FIELD).and_then(Value::as_object_mut)
        && (rate != 1.0 || tree.curve(params::FORCE_RATE).is_some())
    {
        let flat = Curve::constant(1.0);
        let factors = tree.curve(params::FORCE_RATE).unwrap_or(&flat);
        let times = |k: &CurveKey| CurveKey {
            value: k.value * rate,
            slope_in: k.slope_in * rate,
            slope_out: k.slope_out * rate,
            ..*k
        };
        if let Some(curve) = Curve::new(factors.keys().iter().map(times).collect(), factors.interpolation()) {
            wind.insert("ForceRateByBoneLengthRate".to_owned(), curve_to_json(&curve));
        }
    }
    let own = colliders(file).filter(|collider| tree.colliders.contains(&collider.name));
    limits::insert_limits(&mut node, own, flip_axis(file));
    Value::Object(node)
}

fn curve_to_json(curve: &Curve) -> Value {
    let is_linear = curve.interpolation() == Interpolation::Linear;
    let key = |k: &CurveKey| {
        json!({
            "InterpMode": if is_linear { "RCIM_Linear" } else { "RCIM_Cubic" },
            "Time": plain::number_to_json(k.t),
            "Value": plain::number_to_json(k.value),
            "ArriveTangent": plain::number_to_json(k.slope_in),
            "LeaveTangent": plain::number_to_json(k.slope_out),
        })
    };
    json!({ "EditorCurveData": { "Keys": curve.keys().iter().map(key).collect::<Vec<_>>() } })
}
