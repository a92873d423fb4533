//! Setups of `EZSoftBone` as JSON with the names that its serialized fields have.
//!
//! `{"format": "ez-soft-bone", "version": 1, "mirror": "x", "Components": […], "Colliders": […]}`. Each component is one
//! `EZSoftBone` for one chain, so that a script in Unity's editor can set its fields by `SerializedObject`: `m_RootBones`
//! and `m_EndBones` by name, `m_SimulateSpace` and `m_GravityAligner` by name, the fields of the component, and in `m_Material` those of its `EZSoftBoneMaterial`. A curve
//! is a list of keys as Unity's `Keyframe` has them. Each file has all curves: those of a new `EZSoftBoneMaterial` are not flat
//! (`m_ResistanceCurve` falls from 1 to 0, `m_SlacknessCurve` from 1 to 0.8), so that a number without its curve would not be
//! what it was. A curve that a file lacks is read as a constant 1. Materials
//! with one `m_Name` are one asset of that name, which these components share; without a name it is the component's own.
//! `m_ExtraColliders` are names of `Colliders`, which stand as in [`super::parameters`]: game objects with a collider of
//! Unity's each.
//!
//! Nothing is converted but the space: Unity's, left-handed, Y up; `mirror` says which axis changes sign on the way to
//! glTF's. Lengths are metres, gravity is metres per second in each frame, as the engine reckons it.

use super::tables::json::{self as plain, Findings};
use super::tables::{MOST_TREES, SingleNodes, shapes, single_node, system_rows, system_value, take_tree};
use crate::doc::import::Exported;
use crate::doc::table::{Extra, ExtraRow, TableFormat, Tree};
use crate::doc::{Axis, BoneTable, Side};
use crate::math::{Curve, Interpolation, Key};
use crate::report::{Diagnostic, clip};
use crate::schema::{EntryRows, ParamDef, ParamSet, Row, Scope, entries};
use crate::sim::SolverKind;
use crate::sim::solver::ez_soft_bone as row;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// What its files call their format.
pub const NAME: &str = "ez-soft-bone";
/// The version that is written.
pub const VERSION: u64 = 1;

/// Rows of joints that are fields of the material; each has a curve of its name and `Curve`.
const MATERIAL: &[Row] = row::MATERIAL;
/// Field of a material that tells it from others.
const NAME_OF_MATERIAL: &str = "m_Name";
/// Rows of joints that are fields of the component, with their curves.
const COMPONENT: [Row; 1] = [row::RADIUS];
/// Most ends, colliders and keys that are copied for all chains of a file: each further root of a component has all of them.
const MOST_COPIES: usize = 1 << 18;
/// Fields of a component that are no values.
const KNOWN: [&str; 5] = ["name", "m_RootBones", "m_EndBones", "m_Material", "m_ExtraColliders"];
/// Fields of a component that name a node.
const NODES: [(Side, &str); 2] = [(Side::SimulateSpace, "m_SimulateSpace"), (Side::GravityAligner, "m_GravityAligner")];

fn params() -> &'static [ParamDef] {
    SolverKind::EzSoftBone.info().params
}

fn def(row: Row) -> &'static ParamDef {
    &params()[row.index()]
}

/// The bytes of a file; the table was made under that mirror.
pub fn write(exported: &Exported, mirror: Axis) -> Vec<u8> {
    let shared = shared(&exported.table);
    let names = material_names(&exported.trees);
    let components: Vec<Value> =
        exported.trees.iter().zip(names).map(|(tree, name)| component(tree, &name, &shared)).collect();
    let colliders: Vec<Value> = exported.table.colliders.iter().map(|row| shapes::collider(row, true)).collect();
    plain::bytes(&json!({
        "format": NAME,
        "version": VERSION,
        "mirror": if mirror == Axis::X { "x" } else { "z" },
        "Components": components,
        "Colliders": colliders,
    }))
}

/// Fields that all components have alike; choices by their number, as Unity serializes them.
fn shared(table: &BoneTable) -> Map<String, Value> {
    let mut fields = Map::new();
    for (rows, def) in entries(params()).filter(|(_, def)| def.scope == Scope::System && !def.beyond) {
        let value = match (rows, def.kind) {
            (EntryRows::Vector(rows), _) => {
                let [x, y, z] = rows.map(|row| plain::number(system_value(table, row)));
                json!({ "x": x, "y": y, "z": z })
            }
            (_, crate::schema::Kind::Toggle) => plain::value(def, system_value(table, rows.first())),
            (..) => plain::typed_number(def, system_value(table, rows.first())),
        };
        fields.insert(def.entry.to_owned(), value);
    }
    let named = NODES.iter().map(|(side, key)| ((*key).to_owned(), json!(single_node(table, *side))));
    fields.extend(named);
    fields
}

/// The name of each tree's material: different numbers under one name get a number behind it that makes it no other
/// material's name, as files in a folder do.
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

fn component(tree: &Tree, name: &str, shared: &Map<String, Value>) -> Value {
    let with_curve = |fields: &mut Map<String, Value>, of: Row| {
        let name = def(of).name;
        fields.insert(name.to_owned(), plain::number(tree.base.get(of)));
        let curve = tree.curves.iter().find(|(row, _)| *row == of);
        fields.insert(
            format!("{name}Curve"),
            curve.map_or_else(|| keys(&Curve::constant(1.0)), |(_, curve)| keys(curve)),
        );
    };
    let (mut material, mut fields) = (Map::new(), Map::new());
    fields.insert("name".to_owned(), json!(tree.name));
    fields.insert("m_RootBones".to_owned(), json!([tree.root]));
    // The engine ends a chain with a bone; what is left out here is where it ends there.
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

/// Keys as Unity's `Keyframe` has them, with slopes that a straight curve does not have of itself.
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

/// Reads a file; `file_name` is for messages. `Err` only where nothing can be read.
pub fn read(bytes: &[u8], file_name: &str) -> Result<(BoneTable, Vec<Diagnostic>), Vec<Diagnostic>> {
    let fields = plain::open(bytes, file_name)?;
    plain::check_version(&fields, VERSION, file_name)?;
    let mut found = Findings::new(file_name);
    found.unknown(&fields, &["format", "version", "mirror", "Components", "Colliders"], "");
    let mut table = BoneTable::new(SolverKind::EzSoftBone);
    table.source.format = TableFormat::EzJson;
    table.mirror = match fields.get("mirror").and_then(Value::as_str) {
        Some("x") => Some(Axis::X),
        Some("z") => Some(Axis::Z),
        _ => None,
    };
    for (n, value) in found.list(&fields, "Colliders", "").iter().enumerate() {
        let at = format!("/Colliders/{n}");
        let Some(object) = found.expect(value.as_object(), value, "an object", &at) else { continue };
        let row = shapes::read_collider(table.solver, object, n as u64 + 1, &at, &mut found);
        table.colliders.extend(row.map(|(row, _)| row));
    }
    let mut first: Option<Vec<(Row, f32)>> = None;
    let (mut named, mut nodes, mut room) = (BTreeMap::new(), SingleNodes::default(), MOST_COPIES);
    for (n, value) in found.list(&fields, "Components", "").iter().enumerate() {
        let at = format!("/Components/{n}");
        let Some(object) = found.expect(value.as_object(), value, "an object", &at) else { continue };
        let values = of_component(object, &at, &mut found);
        match &first {
            None => first = Some(values),
            Some(first) if *first != values => {
                found.warn(&at, "what belongs to the whole component differs from the first one's, which is used");
            }
            Some(_) => {}
        }
        for (side, key) in NODES {
            nodes.take(side, object, (key, &at), &mut found);
        }
        let free = MOST_TREES.saturating_sub(table.trees.len());
        for mut tree in trees(object, &at, (free, &mut room), &mut found) {
            share(&mut tree, &table.trees, &mut named, &at, &mut found);
            let place = found.at(&at);
            take_tree(&mut table, tree, place, &mut found);
        }
    }
    table.extras = system_rows(&table, &first.unwrap_or_default());
    table.extras.extend(nodes.into_row(table.solver));
    table.extras.extend(table.trees.iter().flat_map(material_rows).map(ExtraRow::from));
    Ok((table, found.into_list()))
}

/// Leaves a tree's material nameless where the first tree of its name has other numbers; `named` is where that stands in
/// `trees`.
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

/// Whether two trees of one material's name have the same numbers for it.
fn is_one_material(a: &Tree, b: &Tree) -> bool {
    fn curve(tree: &Tree, row: Row) -> Option<&Curve> {
        tree.curves.iter().find(|(of, _)| *of == row).map(|(_, curve)| curve)
    }
    let same = |row: &Row| a.base.get(*row) == b.base.get(*row) && curve(a, *row) == curve(b, *row);
    MATERIAL.iter().all(same)
}

/// What lets a chain have the numbers of its tree's material and share them.
fn material_rows(tree: &Tree) -> Vec<Extra> {
    if tree.material.is_empty() {
        return Vec::new();
    }
    let root = || tree.root.clone();
    let value = |row: &Row| {
        let curve = tree.curves.iter().find(|(of, _)| of == row).map(|(_, curve)| curve.clone());
        Extra::Value { root: root(), row: def(*row).name.to_owned(), base: tree.base.get(*row), curve }
    };
    let name = Extra::Material { root: root(), name: tree.material.clone() };
    MATERIAL.iter().map(value).chain([name]).collect()
}

/// Values of a component that are no joint's.
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

/// A chain for each root of a component, each with all that belongs to it: no more than one over `free`, and of what is copied
/// no more than `room`.
fn trees(object: &Map<String, Value>, at: &str, (free, room): (usize, &mut usize), found: &mut Findings) -> Vec<Tree> {
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
    // One too many is told by whoever takes them.
    // The first root takes what is there.
    let most = (1 + *room / size).min(free + 1);
    if roots.len() > most && most <= free {
        let message = format!(
            "{} roots with {size} ends, colliders and keys each are too much; from \"{}\" on they are left out",
            roots.len(),
            clip(&roots[most])
        );
        found.warn(&format!("{at}/m_RootBones"), message);
    }
    let trees: Vec<Tree> = roots.into_iter().take(most).map(tree).collect();
    *room -= trees.len().saturating_sub(1) * size;
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
    // A constant 1 is what a value without a curve is written with.
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
