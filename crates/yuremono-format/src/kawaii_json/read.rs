//! Reads animation nodes as chains.

use super::super::json_common::{self as plain, SetupDiagnostics};
use super::super::root_bone_formats::{ComponentNodeReader, push_tree, system_entry};
use super::{
    BASE_BONE_FIELD, PROJECT_PARAMS, READ_FLIP_AXIS, SETTINGS_PARAMS, UnrealSpace, VERSION, WIND_FIELD, choice_names,
    from_plugin_units, limits::LimitReader, node_entries, params, plugin_scale, split_property_path, swap_axis_choice,
};
use serde_json::{Map, Value};
use yuremono_model::document::ListKind;
use yuremono_model::exchange::{ChainTree, FileEntry, FileSpace, ReadResult, SetupFile};
use yuremono_sim::SolverKind;
use yuremono_sim::diagnostics::{excerpt, message};
use yuremono_sim::math::{Curve, CurveKey, Interpolation};
use yuremono_sim::params::{EntryParams, MirrorRule, ParamDef, ParamId, ParamKind, ParamSet};

/// Fields of a node that are not parameters.
const KNOWN_FIELDS: [&str; 11] = [
    "Name",
    "RootBone",
    "ExcludeBones",
    "PhysicsSettings",
    WIND_FIELD,
    BASE_BONE_FIELD,
    "SphericalLimits",
    "CapsuleLimits",
    "TaperedCapsuleLimits",
    "BoxLimits",
    "PlanarLimits",
];

/// Reads a file and converts it to Unity's space with the axis `READ_FLIP_AXIS`. `file_name` appears in messages. Returns
/// `Err` only if no part of the file can be read.
pub fn read(bytes: &[u8], file_name: &str) -> ReadResult {
    let fields = plain::parse_object(bytes, file_name)?;
    plain::check_version(&fields, VERSION, file_name)?;
    let mut found = SetupDiagnostics::new(file_name);
    found.report_unknown_fields(&fields, &["format", "version", "plugin", "units", "ProjectSettings", "Nodes"], "");
    let mut file = SetupFile::new(&super::INFO, SolverKind::KawaiiPhysics);
    file.space = FileSpace::Unity(Some(READ_FLIP_AXIS));
    let mut system = read_project_settings(&fields, &mut found);
    let (mut first, mut nodes, mut limits) = (None, ComponentNodeReader::default(), LimitReader::default());
    for (n, node) in found.list(&fields, "Nodes", "").iter().enumerate() {
        let at = format!("/Nodes/{n}");
        let Some(node) = found.expect_type(node.as_object(), node, "an object", &at) else { continue };
        let Some(tree) = read_tree(node, &at, &mut limits, &mut found) else { continue };
        let values = node_values(node, &at, &mut found);
        nodes.read_field(ListKind::BaseBone, node, BASE_BONE_FIELD, &at, &mut found);
        let (_, used) = first.get_or_insert_with(|| (at.clone(), values.clone()));
        if *used != values {
            found.warn(
                &at,
                message!("the values of the whole node differ from the first node; the first node's values are used"),
            );
        }
        let place = found.location(&at);
        push_tree(&mut file, tree, place, &mut found);
    }
    let (pointer, values) = first.unwrap_or_default();
    system.extend(values);
    let values =
        system_entry(SolverKind::KawaiiPhysics, &system).map(|item| FileEntry { json_pointer: pointer, ..item });
    file.entries = limits.items;
    file.entries.extend(values.into_iter().chain(nodes.into_entries()));
    Ok((file, found.into_diagnostics()))
}

/// Reads the values of the plugin's project settings.
fn read_project_settings(fields: &Map<String, Value>, found: &mut SetupDiagnostics) -> Vec<(ParamId, f32)> {
    let Some(project) = found.object(fields, "ProjectSettings", "") else { return Vec::new() };
    let setting = |param: ParamId| {
        let def = &SolverKind::KawaiiPhysics.info().params[param.index()];
        let at = format!("/ProjectSettings/{}", def.name);
        Some((param, read_value(param, def, project.get(def.name)?, &at, found)?))
    };
    PROJECT_PARAMS.into_iter().filter_map(setting).collect()
}

fn read_value(param: ParamId, def: &ParamDef, value: &Value, at: &str, found: &mut SetupDiagnostics) -> Option<f32> {
    let read = match (choice_names(param, def), value) {
        (Some(names), Value::String(text)) if !text.ends_with("Infinity") => {
            // The Unreal editor can write `EnumName::Value`.
            let text = text.rsplit("::").next().unwrap_or_default();
            let choice = names.iter().position(|name| *name == text);
            choice.map(|choice| swap_axis_choice(param, choice) as f32).ok_or_else(|| {
                message!(
                    "\"{value}\" is not one of {choices}; left out",
                    value = excerpt(text),
                    choices = names.join(", ")
                )
            })
        }
        (None, _) if def.kind == ParamKind::Toggle => plain::param_from_json(def, value),
        _ => from_plugin_units(value, plugin_scale(def)),
    };
    read.map_err(|why| found.warn(at, why)).ok()
}

/// Reads the values of the system from a node.
fn node_values(node: &Map<String, Value>, at: &str, found: &mut SetupDiagnostics) -> Vec<(ParamId, f32)> {
    let params = SolverKind::KawaiiPhysics.info().params;
    let mut values = Vec::new();
    let wind = found.object(node, WIND_FIELD, at);
    let mut known: Vec<String> = KNOWN_FIELDS.map(str::to_owned).to_vec();
    known.extend(SETTINGS_PARAMS.iter().map(|param| format!("{}CurveData", params[param.index()].name)));
    let mut known_of_wind = vec!["ForceRateByBoneLengthRate".to_owned()];
    for (rows, def) in node_entries() {
        let (of_wind, key, member) = split_property_path(def.entry_name);
        let object = if of_wind { wind } else { Some(node) };
        if of_wind { &mut known_of_wind } else { &mut known }.push(key.to_owned());
        let today = object.and_then(|object| object.get(key));
        let today = match member {
            Some(member) => today
                .and_then(|value| {
                    found.expect_type(value.as_object(), value, "an object", &format!("{at}/{WIND_FIELD}/{key}"))
                })
                .and_then(|value| value.get(member)),
            None => today,
        };
        let former = def.former_names.iter().filter_map(|former| {
            let (_, key, _) = split_property_path(former.name);
            known_of_wind.push(key.to_owned());
            Some((key, former.migration, object?.get(key)?))
        });
        let former: Vec<_> = former.collect();
        let param = rows.first();
        if let (None, Some((key, was, said))) = (today, former.first()) {
            let value = read_value(param, def, said, &format!("{at}/{WIND_FIELD}/{key}"), found);
            values.extend(value.map(|value| (param, was.migrate(value))));
            continue;
        }
        let Some(said) = today else { continue };
        let at = if of_wind { format!("{at}/{WIND_FIELD}/{key}") } else { format!("{at}/{key}") };
        let EntryParams::Vector(rows) = rows else {
            values.extend(read_value(param, def, said, &at, found).map(|value| (param, value)));
            continue;
        };
        if let Some(said) = found.expect_type(said.as_object(), said, "an object with X, Y and Z", &at) {
            let parts = UnrealSpace::read_vector(said, plugin_scale(def), &at, found);
            for (axis, part) in rows.into_iter().zip(parts) {
                let negate = axis == param && def.mirror == MirrorRule::Negate;
                values.extend(part.map(|part| (axis, if negate { 0.0 - part } else { part })));
            }
        }
    }
    let refer = |known: &[String]| known.iter().map(String::as_str).collect::<Vec<_>>().join("\n");
    let (known, known_of_wind) = (refer(&known), refer(&known_of_wind));
    found.report_unknown_fields(node, &known.split('\n').collect::<Vec<_>>(), at);
    if let Some(wind) = wind {
        found.report_unknown_fields(
            wind,
            &known_of_wind.split('\n').collect::<Vec<_>>(),
            &format!("{at}/{WIND_FIELD}"),
        );
    }
    values
}

fn read_tree(
    node: &Map<String, Value>,
    at: &str,
    limits: &mut LimitReader,
    found: &mut SetupDiagnostics,
) -> Option<ChainTree> {
    let params = SolverKind::KawaiiPhysics.info().params;
    let root = found.text(node, "RootBone", at).unwrap_or_default();
    if root.is_empty() {
        found.warn(&format!("{at}/RootBone"), message!("the node has no root; left out"));
        return None;
    }
    let (mut base, mut curves) = (ParamSet::defaults(params), Vec::new());
    if let Some(settings) = found.object(node, "PhysicsSettings", at) {
        let at = format!("{at}/PhysicsSettings");
        found.report_unknown_fields(settings, &SETTINGS_PARAMS.map(|param| params[param.index()].name), &at);
        for param in SETTINGS_PARAMS {
            let def = &params[param.index()];
            if let Some(said) = settings.get(def.name)
                && let Some(value) = read_value(param, def, said, &format!("{at}/{}", def.name), found)
            {
                base.set(param, value);
            }
        }
    }
    for param in SETTINGS_PARAMS {
        let key = format!("{}CurveData", params[param.index()].name);
        curves.extend(read_curve(node, &key, at, found).map(|curve| (param, curve)));
    }
    if let Some(Value::Object(wind)) = node.get(WIND_FIELD) {
        let rate = read_curve(wind, "ForceRateByBoneLengthRate", &format!("{at}/{WIND_FIELD}"), found);
        curves.extend(rate.map(|curve| (params::FORCE_RATE, curve)));
    }
    let colliders = limits.read(node, at, found);
    Some(ChainTree {
        name: found.text(node, "Name", at).unwrap_or_else(|| root.clone()),
        excluded: found.texts(node, "ExcludeBones", at),
        base_values: base,
        curves,
        colliders,
        ..ChainTree::new(SolverKind::KawaiiPhysics, root)
    })
}

fn read_curve(of: &Map<String, Value>, key: &str, at: &str, found: &mut SetupDiagnostics) -> Option<Curve> {
    let data = found.object(of, key, at)?;
    let at = format!("{at}/{key}");
    let data = found.object(data, "EditorCurveData", &at)?;
    let at = format!("{at}/EditorCurveData");
    let (mut keys, mut is_cubic) = (Vec::new(), false);
    for (n, value) in found.list(data, "Keys", &at).iter().enumerate() {
        let at = format!("{at}/Keys/{n}");
        let object = found.expect_type(value.as_object(), value, "an object", &at)?;
        let mut number = |name: &str| {
            let read = object.get(name).map(|value| found.number(value, &format!("{at}/{name}")));
            read.map_or(Some(0.0), |read| read)
        };
        let (t, value) = (number("Time")?, number("Value")?);
        let (slope_in, slope_out) = (number("ArriveTangent")?, number("LeaveTangent")?);
        is_cubic |= object.get("InterpMode").and_then(Value::as_str).is_some_and(|mode| mode.ends_with("Cubic"));
        keys.push(CurveKey { t, value, slope_in, slope_out });
    }
    if keys.is_empty() {
        return None;
    }
    let curve = Curve::new(keys, if is_cubic { Interpolation::Hermite } else { Interpolation::Linear });
    if curve.is_none() {
        found.warn(&at, message!("a key of the curve is infinite; the curve is left out"));
    }
    curve
}
