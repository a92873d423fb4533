//! Animation nodes as chains.

use super::super::tables::json::{self as plain, Findings};
use super::super::tables::{SingleNodes, system_rows, take_tree};
use super::{
    BASE_BONE, CENTIMETRES, PROJECT, SETTINGS, VERSION, WIND, choices_of, limits, node_entries, other_axis, property,
    row, units,
};
use crate::doc::table::{TableFormat, Tree};
use crate::doc::{Axis, BoneTable, Side};
use crate::math::{Curve, Interpolation, Key};
use crate::report::{Diagnostic, clip};
use crate::schema::{EntryRows, Kind, Mirror, ParamDef, ParamSet, Row};
use crate::sim::SolverKind;
use serde_json::{Map, Value};

/// Fields of a node beside its values.
const KNOWN: [&str; 11] = [
    "Name",
    "RootBone",
    "ExcludeBones",
    "PhysicsSettings",
    WIND,
    BASE_BONE,
    "SphericalLimits",
    "CapsuleLimits",
    "TaperedCapsuleLimits",
    "BoxLimits",
    "PlanarLimits",
];

/// Reads a file; `file_name` is for messages. `Err` only where nothing can be read. The table is mirrored along X.
pub fn read(bytes: &[u8], file_name: &str) -> Result<(BoneTable, Vec<Diagnostic>), Vec<Diagnostic>> {
    let fields = plain::open(bytes, file_name)?;
    plain::check_version(&fields, VERSION, file_name)?;
    let mut found = Findings::new(file_name);
    found.unknown(&fields, &["format", "version", "plugin", "units", "ProjectSettings", "Nodes"], "");
    let mut table = BoneTable::new(SolverKind::KawaiiPhysics);
    table.source.format = TableFormat::KawaiiJson;
    table.mirror = Some(Axis::X);
    let params = SolverKind::KawaiiPhysics.info().params;
    let mut system = Vec::new();
    if let Some(project) = found.object(&fields, "ProjectSettings", "") {
        for row in PROJECT {
            let def = &params[row.index()];
            let at = format!("/ProjectSettings/{}", def.name);
            system.extend(project.get(def.name).and_then(|v| value(row, def, v, &at, &mut found)).map(|v| (row, v)));
        }
    }
    let mut nodes = SingleNodes::default();
    let (mut first, mut known): (Option<Vec<(Row, f32)>>, _) = (None, limits::Known::default());
    for (n, node) in found.list(&fields, "Nodes", "").iter().enumerate() {
        let at = format!("/Nodes/{n}");
        let Some(node) = found.expect(node.as_object(), node, "an object", &at) else { continue };
        let Some(tree) = tree(node, &at, (&mut table, &mut known), &mut found) else { continue };
        let values = of_node(node, &at, &mut found);
        nodes.take(Side::BaseBone, node, (BASE_BONE, &at), &mut found);
        match &first {
            None => first = Some(values),
            Some(first) if *first != values => {
                let message = "what belongs to the whole node differs from the first node's, which is used";
                found.warn(&at, message);
            }
            Some(_) => {}
        }
        let place = found.at(&at);
        take_tree(&mut table, tree, place, &mut found);
    }
    system.extend(first.unwrap_or_default());
    table.extras = system_rows(&table, &system);
    table.extras.extend(nodes.into_row(table.solver));
    Ok((table, found.into_list()))
}

/// A number in our units, by the digits that it has.
fn unscaled(value: &Value, by: f64) -> Result<f32, String> {
    if let (Some(number), true) = (value.as_f64(), by != 1.0) {
        let ours = (number / by) as f32;
        return if ours.is_finite() { Ok(ours) } else { Err(format!("{value} is too large for a number; left out")) };
    }
    plain::number_of(value)
}

fn value(row: Row, def: &ParamDef, value: &Value, at: &str, found: &mut Findings) -> Option<f32> {
    let read = match (choices_of(row, def), value) {
        (Some(names), Value::String(text)) if !text.ends_with("Infinity") => {
            // Editors write `EnumName::Value`.
            let text = text.rsplit("::").next().unwrap_or_default();
            let choice = names.iter().position(|name| *name == text);
            choice
                .map(|choice| other_axis(row, choice) as f32)
                .ok_or_else(|| format!("\"{}\" is not one of {}; left out", clip(text), names.join(", ")))
        }
        (None, _) if def.kind == Kind::Toggle => plain::value_of(def, value),
        _ => unscaled(value, units(def)),
    };
    read.map_err(|why| found.warn(at, why)).ok()
}

/// A length in metres; the default where it is missing or no number.
pub(super) fn lengths_of(value: Option<&Value>, default: f32, at: &str, found: &mut Findings) -> f32 {
    let read = value.map(|value| unscaled(value, CENTIMETRES));
    read.map_or(default, |read| read.map_err(|why| found.warn(at, why)).unwrap_or(default))
}

/// Unreal's space, seen from glTF's.
pub(super) struct Space;

impl Space {
    /// A vector of Unreal's axes in glTF's.
    fn vector(value: &Map<String, Value>, by: f64, at: &str, found: &mut Findings) -> [Option<f32>; 3] {
        ["X", "Z", "Y"].map(|axis| {
            let read = value.get(axis).map(|number| unscaled(number, by));
            read.and_then(|read| read.map_err(|why| found.warn(&format!("{at}/{axis}"), why)).ok())
        })
    }

    /// Lengths of an object's field in glTF's axes, metres.
    pub(super) fn lengths(object: &Map<String, Value>, key: &str, at: &str, found: &mut Findings) -> Option<[f32; 3]> {
        let value = found.object(object, key, at)?;
        let parts = Self::vector(value, CENTIMETRES, &format!("{at}/{key}"), found);
        Some(parts.map(|part| part.unwrap_or(0.0)))
    }
}

/// Values of a node that are no joint's.
fn of_node(node: &Map<String, Value>, at: &str, found: &mut Findings) -> Vec<(Row, f32)> {
    let params = SolverKind::KawaiiPhysics.info().params;
    let mut values = Vec::new();
    let wind = found.object(node, WIND, at);
    let mut known: Vec<String> = KNOWN.map(str::to_owned).to_vec();
    known.extend(SETTINGS.iter().map(|row| format!("{}CurveData", params[row.index()].name)));
    let mut known_of_wind = vec!["ForceRateByBoneLengthRate".to_owned()];
    for (rows, def) in node_entries() {
        let (of_wind, key, member) = property(def.entry);
        let object = if of_wind { wind } else { Some(node) };
        if of_wind { &mut known_of_wind } else { &mut known }.push(key.to_owned());
        let today = object.and_then(|object| object.get(key));
        let today = match member {
            Some(member) => today
                .and_then(|value| found.expect(value.as_object(), value, "an object", &format!("{at}/{WIND}/{key}")))
                .and_then(|value| value.get(member)),
            None => today,
        };
        let former = def.former.iter().filter_map(|former| {
            let (_, key, _) = property(former.name);
            known_of_wind.push(key.to_owned());
            Some((key, former.value, object?.get(key)?))
        });
        let former: Vec<_> = former.collect();
        let row = rows.first();
        if let (None, Some((key, was, said))) = (today, former.first()) {
            let value = value(row, def, said, &format!("{at}/{WIND}/{key}"), found);
            values.extend(value.map(|value| (row, was.current(value))));
            continue;
        }
        let Some(said) = today else { continue };
        let at = if of_wind { format!("{at}/{WIND}/{key}") } else { format!("{at}/{key}") };
        let EntryRows::Vector(rows) = rows else {
            values.extend(value(row, def, said, &at, found).map(|value| (row, value)));
            continue;
        };
        if let Some(said) = found.expect(said.as_object(), said, "an object with X, Y and Z", &at) {
            let parts = Space::vector(said, units(def), &at, found);
            for (axis, part) in rows.into_iter().zip(parts) {
                let negate = axis == row && def.mirror == Mirror::Negate;
                values.extend(part.map(|part| (axis, if negate { 0.0 - part } else { part })));
            }
        }
    }
    let refer = |known: &[String]| known.iter().map(String::as_str).collect::<Vec<_>>().join("\n");
    let (known, known_of_wind) = (refer(&known), refer(&known_of_wind));
    found.unknown(node, &known.split('\n').collect::<Vec<_>>(), at);
    if let Some(wind) = wind {
        found.unknown(wind, &known_of_wind.split('\n').collect::<Vec<_>>(), &format!("{at}/{WIND}"));
    }
    values
}

fn tree(
    node: &Map<String, Value>,
    at: &str,
    (table, known): (&mut BoneTable, &mut limits::Known),
    found: &mut Findings,
) -> Option<Tree> {
    let params = SolverKind::KawaiiPhysics.info().params;
    let root = found.text(node, "RootBone", at).unwrap_or_default();
    if root.is_empty() {
        found.warn(&format!("{at}/RootBone"), "the node has no root; left out");
        return None;
    }
    let (mut base, mut curves) = (ParamSet::defaults(params), Vec::new());
    if let Some(settings) = found.object(node, "PhysicsSettings", at) {
        let at = format!("{at}/PhysicsSettings");
        found.unknown(settings, &SETTINGS.map(|row| params[row.index()].name), &at);
        for row in SETTINGS {
            let def = &params[row.index()];
            if let Some(said) = settings.get(def.name)
                && let Some(value) = value(row, def, said, &format!("{at}/{}", def.name), found)
            {
                base.set(row, value);
            }
        }
    }
    for row in SETTINGS {
        let key = format!("{}CurveData", params[row.index()].name);
        curves.extend(curve(node, &key, at, found).map(|curve| (row, curve)));
    }
    if let Some(Value::Object(wind)) = node.get(WIND) {
        let rate = curve(wind, "ForceRateByBoneLengthRate", &format!("{at}/{WIND}"), found);
        curves.extend(rate.map(|curve| (row::FORCE_RATE, curve)));
    }
    let colliders = limits::take(node, at, (table, known), found);
    Some(Tree {
        name: found.text(node, "Name", at).unwrap_or_else(|| root.clone()),
        root,
        above: String::new(),
        joints: Vec::new(),
        excluded: found.texts(node, "ExcludeBones", at),
        ends: Vec::new(),
        base,
        curves,
        material: String::new(),
        colliders,
    })
}

fn curve(of: &Map<String, Value>, key: &str, at: &str, found: &mut Findings) -> Option<Curve> {
    let data = found.object(of, key, at)?;
    let at = format!("{at}/{key}");
    let data = found.object(data, "EditorCurveData", &at)?;
    let at = format!("{at}/EditorCurveData");
    let (mut keys, mut is_cubic) = (Vec::new(), false);
    for (n, value) in found.list(data, "Keys", &at).iter().enumerate() {
        let at = format!("{at}/Keys/{n}");
        let object = found.expect(value.as_object(), value, "an object", &at)?;
        let mut number = |name: &str| {
            let read = object.get(name).map(|value| found.number(value, &format!("{at}/{name}")));
            read.map_or(Some(0.0), |read| read)
        };
        let (t, value) = (number("Time")?, number("Value")?);
        let (slope_in, slope_out) = (number("ArriveTangent")?, number("LeaveTangent")?);
        is_cubic |= object.get("InterpMode").and_then(Value::as_str).is_some_and(|mode| mode.ends_with("Cubic"));
        keys.push(Key { t, value, slope_in, slope_out });
    }
    if keys.is_empty() {
        return None;
    }
    let curve = Curve::new(keys, if is_cubic { Interpolation::Hermite } else { Interpolation::Linear });
    if curve.is_none() {
        found.warn(&at, "a key of the curve is infinite; the curve is left out");
    }
    curve
}
