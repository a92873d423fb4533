//! Components of `EZSoftBone` as chains and colliders.

use super::super::by_root::{MOST_TREES, SingleNodes, push_tree, system_item};
use super::super::json_findings::{self as plain, Findings};
use super::{
    COMPONENT, KNOWN, MATERIAL, MOST_COPIES, NAME_OF_MATERIAL, NODES, VERSION, colliders::read_collider, def, params,
    write::is_one_material,
};
use crate::document::Axis;
use crate::exchange::TableFormat;
use crate::exchange::{FileItem, FileSpace, SetupFile, Tree};
use crate::math::{Curve, Interpolation, Key};
use crate::report::{Diagnostic, clip};
use crate::schema::{EntryRows, ParamSet, Row, Scope, entries};
use crate::sim::SolverKind;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Reads a file in Unity's space; `file_name` is for messages. `Err` only where nothing can be read.
pub fn read(bytes: &[u8], file_name: &str) -> Result<(SetupFile, Vec<Diagnostic>), Vec<Diagnostic>> {
    let fields = plain::open(bytes, file_name)?;
    plain::check_version(&fields, VERSION, file_name)?;
    let mut found = Findings::new(file_name);
    found.unknown(&fields, &["format", "version", "mirror", "Components", "Colliders"], "");
    let mut file = SetupFile::new(TableFormat::EzJson, SolverKind::EzSoftBone);
    file.space = FileSpace::Unity(match fields.get("mirror").and_then(Value::as_str) {
        Some("x") => Some(Axis::X),
        Some("z") => Some(Axis::Z),
        _ => None,
    });
    for (n, value) in found.list(&fields, "Colliders", "").iter().enumerate() {
        let at = format!("/Colliders/{n}");
        let Some(object) = found.expect(value.as_object(), value, "an object", &at) else { continue };
        file.items.extend(read_collider(object, &at, &mut found));
    }
    let (mut first, mut named, mut nodes) = (None, BTreeMap::new(), SingleNodes::default());
    let mut room = Room { trees: MOST_TREES, copies: MOST_COPIES };
    for (n, value) in found.list(&fields, "Components", "").iter().enumerate() {
        let at = format!("/Components/{n}");
        let Some(object) = found.expect(value.as_object(), value, "an object", &at) else { continue };
        let values = of_component(object, &at, &mut found);
        let (_, used) = first.get_or_insert_with(|| (at.clone(), values.clone()));
        if *used != values {
            found.warn(&at, "what belongs to the whole component differs from the first one's, which is used");
        }
        for (side, key) in NODES {
            nodes.read(side, object, (key, &at), &mut found);
        }
        for mut tree in trees(object, &at, &mut room, &mut found) {
            share(&mut tree, &file.trees, &mut named, &at, &mut found);
            let place = found.at(&at);
            push_tree(&mut file, tree, place, &mut found);
        }
        room.trees = MOST_TREES.saturating_sub(file.trees.len());
    }
    let (pointer, values) = first.unwrap_or_default();
    let values = system_item(SolverKind::EzSoftBone, &values).map(|item| FileItem { pointer, ..item });
    file.items.extend(values.into_iter().chain(nodes.into_items()));
    Ok((file, found.into_list()))
}

/// Removes the name of a tree's material where the first tree with that name has other values; `named` has the position
/// of the first tree in `trees`.
fn share(tree: &mut Tree, trees: &[Tree], named: &mut BTreeMap<String, usize>, at: &str, found: &mut Findings) {
    if tree.material.is_empty() || trees.len() >= MOST_TREES {
        return;
    }
    let Some(first) = named.get(&tree.material).and_then(|first| trees.get(*first)) else {
        named.insert(tree.material.clone(), trees.len());
        return;
    };
    if !is_one_material(first, tree) {
        let (name, root) = (clip(&tree.material), clip(&first.root));
        let at = format!("{at}/m_Material");
        found.warn(&at, format!("material \"{name}\" has other numbers at \"{root}\"; these are not shared"));
        tree.material.clear();
    }
}

/// Values of a component that belong to the system.
fn of_component(object: &Map<String, Value>, at: &str, found: &mut Findings) -> Vec<(Row, f32)> {
    let mut values = Vec::new();
    let is_known = |name: &str| KNOWN.contains(&name) || NODES.iter().any(|(_, key)| *key == name);
    let own = COMPONENT.map(|row| [def(row).name.to_owned(), format!("{}Curve", def(row).name)]).concat();
    for (name, value) in object {
        let at = format!("{at}/{}", plain::part(name));
        match entries(params()).find(|(_, def)| def.scope == Scope::System && def.entry == name) {
            Some((EntryRows::Vector(rows), _)) => {
                let Some(parts) = found.expect(value.as_object(), value, "an object with x, y and z", &at) else {
                    continue;
                };
                for (row, axis) in rows.into_iter().zip(["x", "y", "z"]) {
                    let part = parts.get(axis).and_then(|part| found.number(part, &format!("{at}/{axis}")));
                    values.extend(part.map(|part| (row, part)));
                }
            }
            Some((rows, def)) => match plain::value_of(def, value) {
                Ok(value) => values.push((rows.first(), value)),
                Err(why) => found.warn(&at, why),
            },
            None if !is_known(name) && !own.contains(name) => found.warn(&at, "this is not known; left out"),
            None => {}
        }
    }
    values.sort_by_key(|(row, _)| *row);
    values
}

/// How much more is read from a file.
struct Room {
    /// Trees.
    trees: usize,
    /// Ends, colliders and keys that are copied for further roots.
    copies: usize,
}

/// A chain for each root of a component: at most one more than there is room for, which is then reported.
fn trees(object: &Map<String, Value>, at: &str, room: &mut Room, found: &mut Findings) -> Vec<Tree> {
    let (mut base, mut curves) = (ParamSet::defaults(params()), Vec::new());
    let mut with_curve = |of: &Map<String, Value>, row: Row, at: &str, found: &mut Findings| {
        let name = def(row).name;
        if let Some(value) = of.get(name).and_then(|value| found.number(value, &format!("{at}/{name}"))) {
            base.set(row, value);
        }
        curves.extend(curve(of, &format!("{name}Curve"), at, found).map(|curve| (row, curve)));
    };
    let mut shares = String::new();
    if let Some(material) = found.object(object, "m_Material", at) {
        let at = format!("{at}/m_Material");
        let fields = MATERIAL.iter().flat_map(|row| [def(*row).name.to_owned(), format!("{}Curve", def(*row).name)]);
        let known: Vec<String> = fields.chain([NAME_OF_MATERIAL.to_owned()]).collect();
        found.unknown(material, &known.iter().map(String::as_str).collect::<Vec<_>>(), &at);
        for row in MATERIAL {
            with_curve(material, *row, &at, found);
        }
        shares = found.text(material, NAME_OF_MATERIAL, &at).unwrap_or_default();
    }
    for row in COMPONENT {
        with_curve(object, row, at, found);
    }
    let name = found.text(object, "name", at);
    let (ends, colliders) = (found.texts(object, "m_EndBones", at), found.texts(object, "m_ExtraColliders", at));
    let roots = found.texts(object, "m_RootBones", at);
    if roots.is_empty() {
        found.warn(&format!("{at}/m_RootBones"), "the component has no root; left out");
    }
    let tree = |root: String| Tree {
        name: name.clone().unwrap_or_else(|| root.clone()),
        root,
        above: String::new(),
        joints: Vec::new(),
        excluded: Vec::new(),
        ends: ends.clone(),
        base: base.clone(),
        curves: curves.clone(),
        material: shares.clone(),
        colliders: colliders.clone(),
    };
    let keys: usize = curves.iter().map(|(_, curve)| curve.keys().len()).sum();
    let size = 1 + ends.len() + colliders.len() + keys;
    // The first root needs no copies.
    let most = (1 + room.copies / size).min(room.trees + 1);
    if roots.len() > most && most <= room.trees {
        let message = format!(
            "{} roots with {size} ends, colliders and keys each are too much; from \"{}\" on they are left out",
            roots.len(),
            clip(&roots[most])
        );
        found.warn(&format!("{at}/m_RootBones"), message);
    }
    let trees: Vec<Tree> = roots.into_iter().take(most).map(tree).collect();
    room.copies -= trees.len().saturating_sub(1) * size;
    trees
}

fn curve(of: &Map<String, Value>, key: &str, at: &str, found: &mut Findings) -> Option<Curve> {
    let at = format!("{at}/{key}");
    let list = of.get(key)?;
    let list = found.expect(list.as_array(), list, "a list of keys", &at)?;
    let mut keys = Vec::new();
    for (n, value) in list.iter().enumerate() {
        let at = format!("{at}/{n}");
        let object = found.expect(value.as_object(), value, "an object", &at)?;
        let mut number = |name: &str| {
            let read = object.get(name).map(|value| found.number(value, &format!("{at}/{name}")));
            read.map_or(Some(0.0), |read| read)
        };
        let (t, value) = (number("time")?, number("value")?);
        keys.push(Key { t, value, slope_in: number("inTangent")?, slope_out: number("outTangent")? });
    }
    // A value without a curve is written with a constant 1.
    let is_one = |k: &Key| k.value == 1.0 && k.slope_in == 0.0 && k.slope_out == 0.0;
    if keys.iter().all(is_one) {
        return None;
    }
    let curve = Curve::new(keys, Interpolation::Hermite);
    if curve.is_none() {
        found.warn(&at, "a key of the curve is infinite; the curve is left out");
    }
    curve
}
