//! Chains as animation nodes.

use super::super::by_root::{colliders, mirror_of, single_node, system_value};
use super::super::json_findings as plain;
use super::{
    BASE_BONE, NAME, PLUGIN, PROJECT, SETTINGS, VERSION, WIND, choices_of, limits, node_entries, other_axis, property,
    row, scaled, units, vector,
};
use crate::document::Side;
use crate::exchange::{SetupFile, Tree};
use crate::math::{Curve, Interpolation, Key};
use crate::schema::{EntryRows, Kind, Mirror, ParamDef, Row};
use crate::sim::SolverKind;
use serde_json::{Map, Value, json};

/// The bytes of a file in Unity's space.
pub fn write(file: &SetupFile) -> Vec<u8> {
    let params = SolverKind::KawaiiPhysics.info().params;
    let project = PROJECT.iter().map(|row| {
        let def = &params[row.index()];
        (def.name.to_owned(), value(*row, def, system_value(file, SolverKind::KawaiiPhysics, *row)))
    });
    let shared = system(file);
    let nodes: Vec<Value> = file.trees.iter().map(|tree| node(file, tree, &shared)).collect();
    plain::bytes(&json!({
        "format": NAME,
        "version": VERSION,
        "plugin": PLUGIN,
        "units": "centimetres and degrees; Unreal's axes: X is glTF's X, Y its Z, Z its Y",
        "ProjectSettings": project.collect::<Map<_, _>>(),
        "Nodes": nodes,
    }))
}

fn value(row: Row, def: &ParamDef, value: f32) -> Value {
    let choice = (value >= 0.0 && value.fract() == 0.0).then_some(value as usize);
    match (choices_of(row, def), choice) {
        (Some(names), Some(choice)) if choice < names.len() => json!(names[other_axis(row, choice)]),
        (Some(_), _) => plain::number(value),
        (None, _) if def.kind == Kind::Toggle => plain::value(def, value),
        (None, _) if def.kind == Kind::Integer => plain::typed_number(def, value),
        (None, _) => scaled(value, units(def)),
    }
}

/// The properties that all nodes have in common.
fn system(file: &SetupFile) -> Map<String, Value> {
    let (mut all, mut wind) = (Map::new(), Map::new());
    for (rows, def) in node_entries() {
        let get = |row: Row| system_value(file, SolverKind::KawaiiPhysics, row);
        let value = if let EntryRows::Vector(rows) = rows {
            // A scale has no sign to change.
            let mirror = (def.mirror == Mirror::Negate).then(|| mirror_of(file));
            vector(rows.map(get), mirror, units(def))
        } else {
            value(rows.first(), def, get(rows.first()))
        };
        let (of_wind, key, member) = property(def.entry);
        let object = if of_wind { &mut wind } else { &mut all };
        match member {
            Some(member) => object.entry(key).or_insert_with(|| json!({}))[member] = value,
            None => _ = object.insert(key.to_owned(), value),
        }
    }
    all.insert(WIND.to_owned(), Value::Object(wind));
    all.insert(BASE_BONE.to_owned(), json!(single_node(file, Side::BaseBone)));
    all
}

fn node(file: &SetupFile, tree: &Tree, shared: &Map<String, Value>) -> Value {
    let params = SolverKind::KawaiiPhysics.info().params;
    let mut node = Map::from_iter([
        ("Name".to_owned(), json!(tree.name)),
        ("RootBone".to_owned(), json!(tree.root)),
        ("ExcludeBones".to_owned(), json!(tree.excluded)),
    ]);
    let setting = |of: &Row| {
        let def = &params[of.index()];
        (def.name.to_owned(), value(*of, def, tree.base.get(*of)))
    };
    node.insert("PhysicsSettings".to_owned(), Value::Object(SETTINGS.iter().map(setting).collect()));
    for of in SETTINGS {
        if let Some(curve) = tree.curve(of) {
            node.insert(format!("{}CurveData", params[of.index()].name), keys(curve));
        }
    }
    node.extend(shared.iter().map(|(name, value)| (name.clone(), value.clone())));
    // In the plugin, the rate has a curve and no base.
    let rate = tree.base.get(row::FORCE_RATE);
    if let Some(wind) = node.get_mut(WIND).and_then(Value::as_object_mut)
        && (rate != 1.0 || tree.curve(row::FORCE_RATE).is_some())
    {
        let flat = Curve::constant(1.0);
        let factors = tree.curve(row::FORCE_RATE).unwrap_or(&flat);
        let times =
            |k: &Key| Key { value: k.value * rate, slope_in: k.slope_in * rate, slope_out: k.slope_out * rate, ..*k };
        if let Some(curve) = Curve::new(factors.keys().iter().map(times).collect(), factors.interpolation()) {
            wind.insert("ForceRateByBoneLengthRate".to_owned(), keys(&curve));
        }
    }
    let own = colliders(file).filter(|collider| tree.colliders.contains(&collider.name));
    limits::put(&mut node, own, mirror_of(file));
    Value::Object(node)
}

/// Keys as the engine's `FRichCurveKey` has them.
fn keys(curve: &Curve) -> Value {
    let is_linear = curve.interpolation() == Interpolation::Linear;
    let key = |k: &Key| {
        json!({
            "InterpMode": if is_linear { "RCIM_Linear" } else { "RCIM_Cubic" },
            "Time": plain::number(k.t),
            "Value": plain::number(k.value),
            "ArriveTangent": plain::number(k.slope_in),
            "LeaveTangent": plain::number(k.slope_out),
        })
    };
    json!({ "EditorCurveData": { "Keys": curve.keys().iter().map(key).collect::<Vec<_>>() } })
}
