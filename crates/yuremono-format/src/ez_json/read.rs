//! Reads `EZSoftBone` components as chains and colliders.

use super::super::json_common::{self as plain, SetupDiagnostics};
use super::super::root_bone_formats::{ComponentNodeReader, MAX_TREES, push_tree, system_entry};
use super::{
    COMPONENT_PARAMS, KNOWN_FIELDS, MATERIAL_NAME_FIELD, MATERIAL_PARAMS, MAX_COPIES, NODE_FIELDS, VERSION,
    colliders::read_collider, param_def, params, write::have_equal_material_values,
};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use yuremono_model::document::FlipAxis;
use yuremono_model::exchange::{ChainTree, FileEntry, FileSpace, ReadResult, SetupFile};
use yuremono_sim::SolverKind;
use yuremono_sim::diagnostics::{excerpt, message};
use yuremono_sim::math::{Curve, CurveKey, Interpolation};
use yuremono_sim::params::{EntryParams, ParamId, ParamScope, ParamSet, entries};

/// Reads a file in Unity's space. `file_name` appears in messages. Returns `Err` only if no part of the file can be
/// read.
pub fn read(bytes: &[u8], file_name: &str) -> ReadResult {
    let fields = plain::parse_object(bytes, file_name)?;
    plain::check_version(&fields, VERSION, file_name)?;
    let mut found = SetupDiagnostics::new(file_name);
    found.report_unknown_fields(&fields, &["format", "version", "mirror", "Components", "Colliders"], "");
    let mut file = SetupFile::new(&super::INFO, SolverKind::EzSoftBone);
    file.space = FileSpace::Unity(match fields.get("mirror").and_then(Value::as_str) {
        Some("x") => Some(FlipAxis::X),
        Some("z") => Some(FlipAxis::Z),
        _ => None,
    });
    for (n, value) in found.list(&fields, "Colliders", "").iter().enumerate() {
        let at = format!("/Colliders/{n}");
        let Some(object) = found.expect_type(value.as_object(), value, "an object", &at) else { continue };
        file.entries.extend(read_collider(object, &at, &mut found));
    }
    let (mut first, mut named, mut nodes) = (None, BTreeMap::new(), ComponentNodeReader::default());
    let mut room = CopyBudget { trees: MAX_TREES, copies: MAX_COPIES };
    for (n, value) in found.list(&fields, "Components", "").iter().enumerate() {
        let at = format!("/Components/{n}");
        let Some(object) = found.expect_type(value.as_object(), value, "an object", &at) else { continue };
        let values = system_values(object, &at, &mut found);
        let (_, used) = first.get_or_insert_with(|| (at.clone(), values.clone()));
        if *used != values {
            found
                .warn(&at, message!("the values of the whole component differ from the first component; the first component's values are used"));
        }
        for (side, key) in NODE_FIELDS {
            nodes.read_field(side, object, key, &at, &mut found);
        }
        for mut tree in read_trees(object, &at, &mut room, &mut found) {
            unshare_differing_material(&mut tree, &file.trees, &mut named, &at, &mut found);
            let place = found.location(&at);
            push_tree(&mut file, tree, place, &mut found);
        }
        room.trees = MAX_TREES.saturating_sub(file.trees.len());
    }
    let (pointer, values) = first.unwrap_or_default();
    let values = system_entry(SolverKind::EzSoftBone, &values).map(|item| FileEntry { json_pointer: pointer, ..item });
    file.entries.extend(values.into_iter().chain(nodes.into_entries()));
    Ok((file, found.into_diagnostics()))
}

/// Removes the material name of a tree if the first tree with that name has other values. `named` contains the index of
/// that first tree in `trees`.
fn unshare_differing_material(
    tree: &mut ChainTree,
    trees: &[ChainTree],
    named: &mut BTreeMap<String, usize>,
    at: &str,
    found: &mut SetupDiagnostics,
) {
    if tree.material.is_empty() || trees.len() >= MAX_TREES {
        return;
    }
    let Some(first) = named.get(&tree.material).and_then(|first| trees.get(*first)) else {
        named.insert(tree.material.clone(), trees.len());
        return;
    };
    if !have_equal_material_values(first, tree) {
        let (name, root) = (excerpt(&tree.material), excerpt(&first.root));
        let at = format!("{at}/m_Material");
        found.warn(
            &at,
            message!("material \"{name}\" has other values at \"{root}\"; these values are not shared", name, root),
        );
        tree.material.clear();
    }
}

/// Reads the values of a component that belong to the system.
fn system_values(object: &Map<String, Value>, at: &str, found: &mut SetupDiagnostics) -> Vec<(ParamId, f32)> {
    let mut values = Vec::new();
    let is_known = |name: &str| KNOWN_FIELDS.contains(&name) || NODE_FIELDS.iter().any(|(_, key)| *key == name);
    let own = COMPONENT_PARAMS
        .map(|param| [param_def(param).name.to_owned(), format!("{}Curve", param_def(param).name)])
        .concat();
    for (name, value) in object {
        let at = format!("{at}/{}", plain::pointer_token(name));
        match entries(params()).find(|(_, def)| def.scope == ParamScope::System && def.entry_name == name) {
            Some((EntryParams::Vector(rows), _)) => {
                let Some(parts) = found.expect_type(value.as_object(), value, "an object with x, y and z", &at) else {
                    continue;
                };
                for (param, axis) in rows.into_iter().zip(["x", "y", "z"]) {
                    let part = parts.get(axis).and_then(|part| found.number(part, &format!("{at}/{axis}")));
                    values.extend(part.map(|part| (param, part)));
                }
            }
            Some((rows, def)) => match plain::param_from_json(def, value) {
                Ok(value) => values.push((rows.first(), value)),
                Err(why) => found.warn(&at, why),
            },
            None if !is_known(name) && !own.contains(name) => {
                found.warn(&at, message!("this field is not known; left out"));
            }
            None => {}
        }
    }
    values.sort_by_key(|(param, _)| *param);
    values
}

/// The remaining limits of a file.
struct CopyBudget {
    trees: usize,
    /// Ends, colliders and keys that can still be copied for further roots.
    copies: usize,
}

/// A chain for each root of a component. The result can contain one chain more than allowed, so that the caller reports
/// the limit.
fn read_trees(
    object: &Map<String, Value>,
    at: &str,
    room: &mut CopyBudget,
    found: &mut SetupDiagnostics,
) -> Vec<ChainTree> {
    let (mut base, mut curves) = (ParamSet::defaults(params()), Vec::new());
    let mut with_curve = |of: &Map<String, Value>, param: ParamId, at: &str, found: &mut SetupDiagnostics| {
        let name = param_def(param).name;
        if let Some(value) = of.get(name).and_then(|value| found.number(value, &format!("{at}/{name}"))) {
            base.set(param, value);
        }
        curves.extend(read_curve(of, &format!("{name}Curve"), at, found).map(|curve| (param, curve)));
    };
    let mut shares = String::new();
    if let Some(material) = found.object(object, "m_Material", at) {
        let at = format!("{at}/m_Material");
        let fields = MATERIAL_PARAMS
            .iter()
            .flat_map(|param| [param_def(*param).name.to_owned(), format!("{}Curve", param_def(*param).name)]);
        let known: Vec<String> = fields.chain([MATERIAL_NAME_FIELD.to_owned()]).collect();
        found.report_unknown_fields(material, &known.iter().map(String::as_str).collect::<Vec<_>>(), &at);
        for param in MATERIAL_PARAMS {
            with_curve(material, *param, &at, found);
        }
        shares = found.text(material, MATERIAL_NAME_FIELD, &at).unwrap_or_default();
    }
    for param in COMPONENT_PARAMS {
        with_curve(object, param, at, found);
    }
    let name = found.text(object, "name", at);
    let (ends, colliders) = (found.texts(object, "m_EndBones", at), found.texts(object, "m_ExtraColliders", at));
    let roots = found.texts(object, "m_RootBones", at);
    if roots.is_empty() {
        found.warn(&format!("{at}/m_RootBones"), message!("the component has no root; left out"));
    }
    let tree = |root: String| ChainTree {
        name: name.clone().unwrap_or_else(|| root.clone()),
        end_bones: ends.clone(),
        base_values: base.clone(),
        curves: curves.clone(),
        material: shares.clone(),
        colliders: colliders.clone(),
        ..ChainTree::new(SolverKind::EzSoftBone, root)
    };
    let keys: usize = curves.iter().map(|(_, curve)| curve.keys().len()).sum();
    let size = 1 + ends.len() + colliders.len() + keys;
    // The first root needs no copies.
    let most = (1 + room.copies / size).min(room.trees + 1);
    if roots.len() > most && most <= room.trees {
        let message = message!(
            "{count} roots with {size} ends, colliders and keys each are too many; roots from \"{most}\" on are left out",
            count = roots.len(),
            size,
            most = excerpt(&roots[most])
        );
        found.warn(&format!("{at}/m_RootBones"), message);
    }
    let trees: Vec<ChainTree> = roots.into_iter().take(most).map(tree).collect();
    room.copies -= trees.len().saturating_sub(1) * size;
    trees
}

fn read_curve(of: &Map<String, Value>, key: &str, at: &str, found: &mut SetupDiagnostics) -> Option<Curve> {
    let at = format!("{at}/{key}");
    let list = of.get(key)?;
    let list = found.expect_type(list.as_array(), list, "a list of keys", &at)?;
    let mut keys = Vec::new();
    for (n, value) in list.iter().enumerate() {
        let at = format!("{at}/{n}");
        let object = found.expect_type(value.as_object(), value, "an object", &at)?;
        let mut number = |name: &str| {
            let read = object.get(name).map(|value| found.number(value, &format!("{at}/{name}")));
            read.map_or(Some(0.0), |read| read)
        };
        let (t, value) = (number("time")?, number("value")?);
        keys.push(CurveKey { t, value, slope_in: number("inTangent")?, slope_out: number("outTangent")? });
    }
    // The writer adds a constant curve of 1 to a value without a curve.
    let is_one = |k: &CurveKey| k.value == 1.0 && k.slope_in == 0.0 && k.slope_out == 0.0;
    if keys.iter().all(is_one) {
        return None;
    }
    let curve = Curve::new(keys, Interpolation::Hermite);
    if curve.is_none() {
        found.warn(&at, message!("a key of the curve is infinite; the curve is left out"));
    }
    curve
}
