//! Animation nodes as chains.

use super::super::by_root::{SingleNodes, push_tree, system_item};
use super::super::json_findings::{self as plain, Findings};
use super::{
    BASE_BONE, PROJECT, READ_MIRROR, SETTINGS, Space, VERSION, WIND, choices_of, limits::Limits, node_entries,
    other_axis, property, row, units, unscaled,
};
use crate::document::Side;
use crate::exchange::TableFormat;
use crate::exchange::{FileItem, FileSpace, SetupFile, Tree};
use crate::math::{Curve, Interpolation, Key};
use crate::report::{Diagnostic, clip};
use crate::schema::{EntryRows, Kind, Mirror, ParamDef, ParamSet, Row};
use crate::sim::SolverKind;
use serde_json::{Map, Value};

/// Fields of a node that are not values.
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

/// Reads a file, into Unity's space of `READ_MIRROR`; `file_name` is for messages. `Err` only where nothing can be read.
pub fn read(bytes: &[u8], file_name: &str) -> Result<(SetupFile, Vec<Diagnostic>), Vec<Diagnostic>> {
    let fields = plain::open(bytes, file_name)?;
    plain::check_version(&fields, VERSION, file_name)?;
    let mut found = Findings::new(file_name);
    found.unknown(&fields, &["format", "version", "plugin", "units", "ProjectSettings", "Nodes"], "");
    let mut file = SetupFile::new(TableFormat::KawaiiJson, SolverKind::KawaiiPhysics);
    file.space = FileSpace::Unity(Some(READ_MIRROR));
    let mut system = project_settings(&fields, &mut found);
    let (mut first, mut nodes, mut limits) = (None, SingleNodes::default(), Limits::default());
    for (n, node) in found.list(&fields, "Nodes", "").iter().enumerate() {
        let at = format!("/Nodes/{n}");
        let Some(node) = found.expect(node.as_object(), node, "an object", &at) else { continue };
        let Some(tree) = tree(node, &at, &mut limits, &mut found) else { continue };
        let values = of_node(node, &at, &mut found);
        nodes.read(Side::BaseBone, node, (BASE_BONE, &at), &mut found);
        let (_, used) = first.get_or_insert_with(|| (at.clone(), values.clone()));
        if *used != values {
            found.warn(&at, "what belongs to the whole node differs from the first node's, which is used");
        }
        let place = found.at(&at);
        push_tree(&mut file, tree, place, &mut found);
    }
    let (pointer, values) = first.unwrap_or_default();
    system.extend(values);
    let values = system_item(SolverKind::KawaiiPhysics, &system).map(|item| FileItem { pointer, ..item });
    file.items = limits.items;
    file.items.extend(values.into_iter().chain(nodes.into_items()));
    Ok((file, found.into_list()))
}

/// Values of the plugin's project settings.
fn project_settings(fields: &Map<String, Value>, found: &mut Findings) -> Vec<(Row, f32)> {
    let Some(project) = found.object(fields, "ProjectSettings", "") else { return Vec::new() };
    let setting = |row: Row| {
        let def = &SolverKind::KawaiiPhysics.info().params[row.index()];
        let at = format!("/ProjectSettings/{}", def.name);
        Some((row, value(row, def, project.get(def.name)?, &at, found)?))
    };
    PROJECT.into_iter().filter_map(setting).collect()
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

/// Values of a node that belong to the system.
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

fn tree(node: &Map<String, Value>, at: &str, limits: &mut Limits, found: &mut Findings) -> Option<Tree> {
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
    let colliders = limits.read(node, at, found);
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
