//! Chains as animation nodes.

use super::super::tables::{json as plain, single_node, system_value};
use super::{
    BASE_BONE, CENTIMETRES, NAME, PLUGIN, PROJECT, SETTINGS, VERSION, WIND, choices_of, limits, node_entries,
    other_axis, property, row, units,
};
use crate::doc::import::Exported;
use crate::doc::table::{BoneTable, Tree};
use crate::doc::{Axis, Side};
use crate::math::{Curve, Interpolation, Key};
use crate::schema::{EntryRows, Kind, Mirror, ParamDef, Row};
use crate::sim::SolverKind;
use serde_json::{Map, Value, json};

/// The bytes of a file; the table was made under that mirror.
pub fn write(exported: &Exported, mirror: Axis) -> Vec<u8> {
    let table = &exported.table;
    let params = SolverKind::KawaiiPhysics.info().params;
    let project = PROJECT.iter().map(|row| {
        let def = &params[row.index()];
        (def.name.to_owned(), value(*row, def, system_value(table, *row)))
    });
    let shared = system(table, mirror);
    let nodes: Vec<Value> = exported.trees.iter().map(|tree| node(table, tree, &shared, mirror)).collect();
    plain::bytes(&json!({
        "format": NAME,
        "version": VERSION,
        "plugin": PLUGIN,
        "units": "centimetres and degrees; Unreal's axes: X is glTF's X, Y its Z, Z its Y",
        "ProjectSettings": project.collect::<Map<_, _>>(),
        "Nodes": nodes,
    }))
}

/// A number in the engine's units, with the digits that ours has.
pub(super) fn scaled(value: f32, by: f64) -> Value {
    if by == 1.0 || !value.is_finite() {
        return plain::number(value);
    }
    let decimal: f64 = value.to_string().parse().expect("a finite number is written as one");
    let text = format!("{:.11e}", decimal * by);
    json!(text.parse::<f64>().expect("a number is written as one"))
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

/// A vector of the table in Unreal's axes.
pub(super) fn vector(mut parts: [f32; 3], mirror: Option<Axis>, by: f64) -> Value {
    if let Some(axis) = mirror {
        parts[axis.index()] = 0.0 - parts[axis.index()];
    }
    let [x, y, z] = parts;
    json!({ "X": scaled(x, by), "Y": scaled(z, by), "Z": scaled(y, by) })
}

/// What all nodes of a character have alike.
fn system(table: &BoneTable, mirror: Axis) -> Map<String, Value> {
    let (mut all, mut wind) = (Map::new(), Map::new());
    for (rows, def) in node_entries() {
        let get = |row: Row| system_value(table, row);
        let value = if let EntryRows::Vector(rows) = rows {
            // A scale has no sign to change.
            let mirror = (def.mirror == Mirror::Negate).then_some(mirror);
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
    all.insert(BASE_BONE.to_owned(), json!(single_node(table, Side::BaseBone)));
    all
}

fn node(table: &BoneTable, tree: &Tree, shared: &Map<String, Value>, mirror: Axis) -> Value {
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
    let curve = |of: Row| tree.curves.iter().find(|(other, _)| *other == of).map(|(_, curve)| curve);
    for of in SETTINGS {
        if let Some(curve) = curve(of) {
            node.insert(format!("{}CurveData", params[of.index()].name), keys(curve));
        }
    }
    node.extend(shared.iter().map(|(name, value)| (name.clone(), value.clone())));
    // The rate has a curve and no base in the engine.
    let rate = tree.base.get(row::FORCE_RATE);
    if let Some(wind) = node.get_mut(WIND).and_then(Value::as_object_mut)
        && (rate != 1.0 || curve(row::FORCE_RATE).is_some())
    {
        let flat = Curve::constant(1.0);
        let factors = curve(row::FORCE_RATE).unwrap_or(&flat);
        let times =
            |k: &Key| Key { value: k.value * rate, slope_in: k.slope_in * rate, slope_out: k.slope_out * rate, ..*k };
        if let Some(curve) = Curve::new(factors.keys().iter().map(times).collect(), factors.interpolation()) {
            wind.insert("ForceRateByBoneLengthRate".to_owned(), keys(&curve));
        }
    }
    let pushing = table.colliders.iter().filter(|row| tree.colliders.contains(&row.name));
    limits::put(&mut node, pushing, mirror);
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

/// A length in the engine's units.
pub(super) fn length(metres: f32) -> Value {
    scaled(metres, CENTIMETRES)
}
