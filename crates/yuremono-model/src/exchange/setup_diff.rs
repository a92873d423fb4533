//! Compares two setups by name.
//!
//! Entries are compared as JSON, which includes every field. An absent value equals the default of its solver. Ids are
//! replaced with names, and `source_index` is ignored.

use super::node_placement::rotations_differ;
use crate::document::{ByName, Chain, ChainValue, Joint, Setup, System};
use glam::Quat;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use yuremono_sim::SolverKind;
use yuremono_sim::diagnostics::{MessageText, excerpt, message};
use yuremono_sim::math::JsonNumber;
use yuremono_sim::params::{ParamDef, ParamId, ParamScope, enumerate_params};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryKind {
    System,
    Material,
    /// A helper node.
    Node,
    Collider,
    Group,
    Force,
    /// A leg follower.
    HighLeg,
    /// A chain without its joints.
    Chain,
    Joint,
    /// An excluded bone.
    Excluded,
    /// A hidden mesh.
    MeshHidden,
}

impl EntryKind {
    /// The entry with its kind, for example `chain "Hair_L"`.
    pub fn message(self, name: &str) -> MessageText {
        let name = excerpt(name);
        match self {
            Self::System => message!("system \"{name}\"", name),
            Self::Material => message!("material \"{name}\"", name),
            Self::Node => message!("node \"{name}\"", name),
            Self::Collider => message!("collider \"{name}\"", name),
            Self::Group => message!("collider group \"{name}\"", name),
            Self::Force => message!("force \"{name}\"", name),
            Self::HighLeg => message!("leg follower \"{name}\"", name),
            Self::Chain => message!("chain \"{name}\"", name),
            Self::Joint => message!("joint \"{name}\"", name),
            Self::Excluded => message!("excluded bone \"{name}\"", name),
            Self::MeshHidden => message!("hidden mesh \"{name}\"", name),
        }
    }
}

/// One difference between two setups.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SetupDifference {
    pub entry: EntryKind,
    /// The name of the entry: the bone of a joint, the root of a chain, the solver of an unnamed system. The second
    /// entry with the same name has the suffix `(2)`.
    pub name: String,
    #[serde(flatten)]
    pub change: EntryChange,
    /// Index of the entry among the entries of its kind, in the first and in the second setup.
    #[serde(skip)]
    pub index: [Option<usize>; 2],
}

/// The change of an entry.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum EntryChange {
    /// The entry is only in the second setup.
    Added,
    /// The entry is only in the first setup.
    Removed,
    /// A field differs.
    Changed {
        /// Path of the field: `shape/sphere/radius`, `values/stiffness/base`, `overrides/stiffness`.
        field: String,
        /// The value in the first setup, or `None` if absent.
        old: Option<Value>,
        /// The value in the second setup, or `None` if absent.
        new: Option<Value>,
    },
}

/// The part of a parameter that a change concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamPart {
    Value,
    Curve,
    RingCurve,
}

impl EntryChange {
    /// Returns the name of the changed parameter. Returns `None` for other fields.
    pub fn param(&self) -> Option<(&str, ParamPart)> {
        let Self::Changed { field, .. } = self else { return None };
        let parts: Vec<&str> = field.split('/').collect();
        match *parts.as_slice() {
            ["values", name, "base"] | ["overrides" | "values", name] => Some((name, ParamPart::Value)),
            ["values", name, "curve", ..] => Some((name, ParamPart::Curve)),
            ["values", name, "around", ..] => Some((name, ParamPart::RingCurve)),
            _ => None,
        }
    }
}

impl SetupDifference {
    /// The difference in one line.
    pub fn message(&self) -> MessageText {
        let entry = self.entry.message(&self.name);
        match &self.change {
            EntryChange::Added => message!("{entry} added", entry),
            EntryChange::Removed => message!("{entry} removed", entry),
            EntryChange::Changed { field, old, new } => {
                let text = |value: &Option<Value>| {
                    value.as_ref().map_or_else(|| message!("none"), |value| excerpt(&value.to_string()).into())
                };
                message!(
                    "{entry}, {field}: {old} → {new}",
                    entry,
                    field = excerpt(field),
                    old = text(old),
                    new = text(new)
                )
            }
        }
    }
}

/// The differences from `a` to `b`, sorted by [`EntryKind`]. Within a kind, entries of `a` are listed first, followed
/// by entries that only `b` contains.
///
/// Systems match by name and solver, or else by solver. Chains match by root. Joints match by bone, first within their
/// chain. All other entries match by name. If several entries match, they are paired in order.
pub fn diff_setups(a: &Setup<ByName>, b: &Setup<ByName>) -> Vec<SetupDifference> {
    diff_with_tolerance(a, b, 0.0)
}

/// The differences between two setups in their [effective form](super::effective_form()). `tolerance` is the largest
/// difference of equal numbers, as a share of the larger number, or of the largest number of a vector. A parameter that
/// changes equally in all joints of a chain is one difference of the chain.
pub fn diff_effects(a: &Setup<ByName>, b: &Setup<ByName>, tolerance: f64) -> Vec<SetupDifference> {
    let mut found = diff_with_tolerance(a, b, tolerance);
    for chain in a.chains.values() {
        merge_equal_joint_changes(chain, &mut found);
    }
    found.sort_by_key(|difference| difference.entry);
    found
}

/// Replaces changes of a parameter that are equal in all joints of a chain with one change of the chain.
fn merge_equal_joint_changes(chain: &Chain<ByName>, found: &mut Vec<SetupDifference>) {
    let bones: BTreeSet<&str> = chain.joints.iter().map(|joint| joint.bone.as_str()).collect();
    let is_in_chain = |one: &SetupDifference| one.entry == EntryKind::Joint && bones.contains(one.name.as_str());
    let mut joints_of: HashMap<String, BTreeSet<String>> = HashMap::new();
    for one in found.iter().filter(|one| is_in_chain(one) && one.change.param().is_some()) {
        joints_of.entry(format!("{:?}", one.change)).or_default().insert(one.name.clone());
    }
    let (mut merged, mut done) = (Vec::new(), BTreeSet::new());
    found.retain(|one| {
        let change = format!("{:?}", one.change);
        let is_merged = is_in_chain(one) && joints_of.get(&change).is_some_and(|joints| joints.len() == bones.len());
        if let EntryChange::Changed { field, old, new } = &one.change
            && is_merged
            && done.insert(change)
        {
            let field = field.replacen("overrides/", "values/", 1) + "/base";
            let change = EntryChange::Changed { field, old: old.clone(), new: new.clone() };
            let name = root_name(chain).to_owned();
            merged.push(SetupDifference { entry: EntryKind::Chain, name, change, index: [None, None] });
        }
        !is_merged
    });
    found.append(&mut merged);
}

fn diff_with_tolerance(a: &Setup<ByName>, b: &Setup<ByName>, tolerance: f64) -> Vec<SetupDifference> {
    let (a, b) = (SetupEntries::new(a), SetupEntries::new(b));
    let mut found = Vec::new();
    for (kind, entries) in &a.entries {
        compare_entries(*kind, [entries, b.entries.get(kind).map_or(&[], Vec::as_slice)], tolerance, &mut found);
    }
    for (kind, entries) in b.entries.iter().filter(|(kind, _)| !a.entries.contains_key(kind)) {
        compare_entries(*kind, [&[], entries], tolerance, &mut found);
    }
    found.sort_by_key(|difference| difference.entry);
    found
}

struct ComparedEntry {
    /// The match keys, strictest first. Entries with equal keys match in order.
    keys: Vec<String>,
    name: String,
    json: Value,
}

impl ComparedEntry {
    fn with_name(name: &str, value: &impl Serialize) -> Self {
        Self { keys: vec![name.to_owned()], name: name.to_owned(), json: to_json(value) }
    }
}

struct SetupEntries<'a> {
    setup: &'a Setup<ByName>,
    entries: BTreeMap<EntryKind, Vec<ComparedEntry>>,
}

impl<'a> SetupEntries<'a> {
    fn new(setup: &'a Setup<ByName>) -> Self {
        let mut side = Self { setup, entries: BTreeMap::new() };
        side.add_entries(EntryKind::System, setup.systems.values().map(system_entry));
        let materials = setup.materials.values().map(|material| {
            let mut entry = ComparedEntry::with_name(&material.name, material);
            let own = material.solver.info().material_params;
            fill_chain_value_defaults(&mut entry.json, material.solver, |param, _| own.contains(&param));
            entry
        });
        side.add_entries(EntryKind::Material, materials);
        side.add_entries(
            EntryKind::Node,
            setup.helpers.values().map(|helper| ComparedEntry::with_name(&helper.name, helper)),
        );
        side.add_entries(EntryKind::Collider, setup.colliders.values().map(|c| ComparedEntry::with_name(&c.name, c)));
        side.add_entries(
            EntryKind::Group,
            setup.groups.values().map(|group| ComparedEntry::with_name(&group.name, group)),
        );
        side.add_entries(
            EntryKind::Force,
            setup.forces.values().map(|force| ComparedEntry::with_name(&force.name, force)),
        );
        side.add_entries(
            EntryKind::HighLeg,
            setup.high_legs.values().map(|leg| ComparedEntry::with_name(leg.node.name(), leg)),
        );
        let chains: Vec<_> = setup.chains.values().map(|chain| side.chain_entry(chain)).collect();
        side.add_entries(EntryKind::Chain, chains);
        let joints: Vec<_> = side.joint_entries();
        side.add_entries(EntryKind::Joint, joints);
        side.add_entries(
            EntryKind::Excluded,
            setup.excluded_bones.iter().map(|bone| ComparedEntry::with_name(bone, &())),
        );
        side.add_entries(
            EntryKind::MeshHidden,
            setup.hidden_meshes.iter().map(|mesh| ComparedEntry::with_name(mesh, &())),
        );
        side
    }

    /// Adds entries, and numbers repeated names.
    fn add_entries(&mut self, kind: EntryKind, entries: impl IntoIterator<Item = ComparedEntry>) {
        let mut entries: Vec<ComparedEntry> = entries.into_iter().collect();
        let mut seen: HashMap<String, usize> = HashMap::new();
        for entry in &mut entries {
            if let Some(fields) = entry.json.as_object_mut() {
                fields.shift_remove("source_index");
            }
            let count = seen.entry(entry.name.clone()).or_default();
            *count += 1;
            if *count > 1 {
                entry.name = format!("{} ({count})", entry.name);
            }
        }
        self.entries.insert(kind, entries);
    }

    fn entry_name(&self, kind: EntryKind, at: Option<usize>) -> Value {
        let entry = at.and_then(|at| self.entries.get(&kind)?.get(at));
        entry.map_or(Value::Null, |entry| json!(entry.name))
    }

    /// A chain without its joints, with names instead of ids.
    fn chain_entry(&self, chain: &Chain<ByName>) -> ComparedEntry {
        let root = root_name(chain);
        let mut entry = ComparedEntry::with_name(root, &Chain { joints: Vec::new(), ..chain.clone() });
        let setup = self.setup;
        let system = self.entry_name(EntryKind::System, index_of(&setup.systems, &chain.system));
        entry.json["system"] = system;
        if let Some(id) = chain.material {
            entry.json["material"] = self.entry_name(EntryKind::Material, index_of(&setup.materials, &id));
        }
        if let Some(place) = chain.ring {
            let same = |other: &&Chain<ByName>| other.ring.is_some_and(|other| other.ring == place.ring);
            entry.json["ring"]["ring"] = json!(setup.chains.values().find(same).map(root_name));
        }
        if !chain.groups.is_empty() {
            let name = |id| self.entry_name(EntryKind::Group, index_of(&setup.groups, id));
            entry.json["groups"] = chain.groups.iter().map(name).collect();
        }
        let solver = setup.systems.get(&chain.system).map_or_else(SolverKind::default, |system| system.solver);
        fill_chain_value_defaults(&mut entry.json, solver, |_, def| def.scope == ParamScope::Joint);
        entry
    }

    fn joint_entries(&self) -> Vec<ComparedEntry> {
        let chains = self.setup.chains.values().enumerate();
        let joints = chains.flat_map(|(at, chain)| {
            let name = self.entry_name(EntryKind::Chain, Some(at));
            chain.joints.iter().map(move |joint| joint_entry(joint, &name))
        });
        joints.collect()
    }
}

fn root_name(chain: &Chain<ByName>) -> &str {
    chain.joints.first().map_or("", |joint| &joint.bone)
}

fn index_of<K: Ord, V>(list: &BTreeMap<K, V>, id: &K) -> Option<usize> {
    list.contains_key(id).then(|| list.range(..id).count())
}

fn system_entry(system: &System<ByName>) -> ComparedEntry {
    let solver = system.solver.key();
    let name = if system.name.is_empty() { solver } else { &system.name };
    let mut entry = ComparedEntry::with_name(name, system);
    entry.keys = vec![format!("{solver}\n{}", system.name), solver.to_owned()];
    if let Some(fields) = entry.json.as_object_mut().filter(|_| system.component_lists.is_empty()) {
        fields.shift_remove("component_lists");
    }
    fill_defaults(&mut entry.json, system.solver, |_, def| {
        (def.scope == ParamScope::System).then(|| to_json(&JsonNumber(def.default)))
    });
    entry
}

fn joint_entry(joint: &Joint<ByName>, chain: &Value) -> ComparedEntry {
    let mut entry = ComparedEntry::with_name(&joint.bone, joint);
    entry.keys = vec![format!("{chain}\n{}", joint.bone), joint.bone.clone()];
    entry.json["chain"] = chain.clone();
    if entry.json.get("overrides").is_none() {
        entry.json["overrides"] = json!({});
    }
    entry
}

/// Inserts defaults for absent values.
fn fill_defaults(json: &mut Value, solver: SolverKind, default: impl Fn(ParamId, &ParamDef) -> Option<Value>) {
    let Some(values) = json.get_mut("values").and_then(Value::as_object_mut) else { return };
    let mut filled = Map::new();
    for (param, def) in enumerate_params(solver.info().params) {
        let value = values.shift_remove(def.name).or_else(|| default(param, def));
        filled.extend(value.map(|value| (def.name.to_owned(), value)));
    }
    filled.append(values);
    *values = filled;
}

fn fill_chain_value_defaults(json: &mut Value, solver: SolverKind, has: impl Fn(ParamId, &ParamDef) -> bool) {
    fill_defaults(json, solver, |param, def| has(param, def).then(|| to_json(&ChainValue::constant(def.default))));
}

/// The JSON of files, with the shortest decimals. `serde_json::to_value` would widen `f32` to `f64`.
fn to_json(value: &impl Serialize) -> Value {
    let text = serde_json::to_string(value).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

fn compare_entries(kind: EntryKind, [a, b]: [&[ComparedEntry]; 2], tolerance: f64, found: &mut Vec<SetupDifference>) {
    let mut partner: Vec<Option<usize>> = vec![None; a.len()];
    let mut free: BTreeSet<usize> = (0..b.len()).collect();
    let passes = a.first().map_or(0, |entry| entry.keys.len());
    for pass in 0..passes {
        let mut by_key: HashMap<&str, VecDeque<usize>> = HashMap::new();
        for at in &free {
            by_key.entry(&b[*at].keys[pass]).or_default().push_back(*at);
        }
        for (entry, partner) in a.iter().zip(&mut partner).filter(|(_, partner)| partner.is_none()) {
            *partner = by_key.get_mut(entry.keys[pass].as_str()).and_then(VecDeque::pop_front);
            if let Some(at) = partner {
                free.remove(at);
            }
        }
    }
    for (at, (entry, partner)) in a.iter().zip(partner).enumerate() {
        let index = [Some(at), partner];
        let mut add = |change| found.push(SetupDifference { entry: kind, name: entry.name.clone(), change, index });
        match partner {
            None => add(EntryChange::Removed),
            Some(at) => compare("", [&entry.json, &b[at].json], tolerance, &mut add),
        }
    }
    found.extend(free.into_iter().map(|at| SetupDifference {
        entry: kind,
        name: b[at].name.clone(),
        change: EntryChange::Added,
        index: [None, Some(at)],
    }));
}

/// Compares two values. Objects with a common field are compared field by field.
fn compare(field: &str, [a, b]: [&Value; 2], tolerance: f64, add: &mut impl FnMut(EntryChange)) {
    if a == b || (field.ends_with("rotation") && is_same_rotation(a, b)) || are_close(a, b, tolerance) {
        return;
    }
    if let (Value::Object(a), Value::Object(b)) = (a, b)
        && (field.is_empty() || a.is_empty() || b.is_empty() || a.keys().any(|key| b.contains_key(key)))
    {
        let added = b.keys().filter(|key| !a.contains_key(*key));
        for key in a.keys().chain(added) {
            let field = if field.is_empty() { key.clone() } else { format!("{field}/{key}") };
            match (a.get(key), b.get(key)) {
                (Some(a), Some(b)) => compare(&field, [a, b], tolerance, add),
                (old, new) => add(EntryChange::Changed { field, old: old.cloned(), new: new.cloned() }),
            }
        }
        return;
    }
    add(EntryChange::Changed { field: field.to_owned(), old: Some(a.clone()), new: Some(b.clone()) });
}

/// Whether two numbers, or two vectors, differ by at most `tolerance` times the largest number.
fn are_close(a: &Value, b: &Value, tolerance: f64) -> bool {
    let numbers = |value: &Value| -> Option<Vec<f64>> {
        match value {
            Value::Array(list) => list.iter().map(Value::as_f64).collect(),
            other => Some(vec![other.as_f64()?]),
        }
    };
    let (Some(a), Some(b)) = (numbers(a), numbers(b)) else { return false };
    let largest = a.iter().chain(&b).fold(0.0_f64, |largest, number| largest.max(number.abs()));
    a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| (a - b).abs() <= tolerance * largest)
}

/// Whether two rotations are equal, up to the precision of angles as text.
fn is_same_rotation(a: &Value, b: &Value) -> bool {
    let quat = |value: &Value| serde_json::from_value::<[f32; 4]>(value.clone()).ok().map(Quat::from_array);
    matches!((quat(a), quat(b)), (Some(a), Some(b)) if !rotations_differ(a, b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{ChainId, Collider, ColliderId, NodeRef, SystemId, Tip};
    use yuremono_sim::ColliderShape;
    use yuremono_sim::math::Curve;

    fn setup() -> Setup<ByName> {
        let solver = SolverKind::Vrm;
        let (values, component, extras) = Default::default();
        let system = System { name: String::new(), solver, values, component, component_lists: extras };
        let joints = ["hair_1", "hair_2"].map(|bone| Joint::new(bone.to_owned())).to_vec();
        let chain = Chain {
            part: crate::document::ChainPart::Hair,
            values: BTreeMap::from([("stiffness".to_owned(), ChainValue::constant(2.0))]),
            joints,
            ..Chain::without_joints("hair")
        };
        let ball = |name: &str| {
            Collider::new(name, NodeRef::from("Head"), ColliderShape::Sphere { radius: 0.1, inside: false })
        };
        Setup {
            systems: BTreeMap::from([(SystemId(0), system)]),
            chains: BTreeMap::from([(ChainId(1), chain)]),
            colliders: BTreeMap::from([(ColliderId(1), ball("ball")), (ColliderId(2), ball("ball"))]),
            ..Setup::default()
        }
    }

    fn chain_of(setup: &mut Setup<ByName>) -> &mut Chain<ByName> {
        setup.chains.values_mut().next().expect("a chain")
    }

    #[track_caller]
    fn check(change: impl FnOnce(&mut Setup<ByName>), expected: &[&str]) {
        let (a, mut b) = (setup(), setup());
        change(&mut b);
        let texts: Vec<String> =
            diff_setups(&a, &b).iter().map(|difference| difference.message().to_string()).collect();
        assert_eq!(texts, expected);
        assert_eq!(diff_setups(&b, &a).len(), expected.len(), "in the other direction");
    }

    #[test]
    fn setups_that_differ_only_in_ids_are_equal() {
        check(|_| {}, &[]);
        check(
            |b| {
                let chain = b.chains.remove(&ChainId(1)).expect("a chain");
                b.chains.insert(ChainId(7), Chain { system: SystemId(4), source_index: Some(3), ..chain });
                let system = b.systems.remove(&SystemId(0)).expect("a system");
                b.systems.insert(SystemId(4), system);
            },
            &[],
        );
    }

    #[test]
    fn each_changed_value_is_reported_and_absent_values_equal_the_default() {
        check(
            |b| {
                let values = &mut chain_of(b).values;
                values.insert("stiffness".to_owned(), ChainValue::new(2.5, Some(Curve::constant(1.0))));
                values.insert("dragForce".to_owned(), ChainValue::constant(0.05));
            },
            &[
                r#"chain "hair_1", values/stiffness/base: 2.0 → 2.5"#,
                r#"chain "hair_1", values/stiffness/curve: none → {"keys":[[0.0,1.0,0.0,0.0],[1.0,1.0,0.0,0.0]],"interpolation…"#,
                r#"chain "hair_1", values/dragForce/base: 0.5 → 0.05"#,
            ],
        );
        let stiffness = SolverKind::Vrm.info().params.iter().find(|def| def.name == "stiffness").expect("a row");
        let (mut a, mut b) = (setup(), setup());
        chain_of(&mut a).values.clear();
        chain_of(&mut b).values.insert("stiffness".to_owned(), ChainValue::constant(stiffness.default));
        assert_eq!(diff_setups(&a, &b), []);
    }

    #[test]
    fn rotations_differ_by_angle_not_by_sign() {
        let by_degrees = |degrees: f32| to_json(&Quat::from_rotation_x(degrees.to_radians()).to_array());
        let opposite = to_json(&(-Quat::from_rotation_x(0.5)).to_array());
        assert!(is_same_rotation(&by_degrees(0.5_f32.to_degrees()), &opposite));
        assert!(is_same_rotation(&by_degrees(10.0), &by_degrees(10.001)));
        assert!(!is_same_rotation(&by_degrees(10.0), &by_degrees(10.1)));
    }

    #[test]
    fn an_override_differs_from_no_override() {
        check(
            |b| _ = chain_of(b).joints[1].overrides.insert("stiffness".to_owned(), JsonNumber(f32::INFINITY)),
            &["joint \"hair_2\", overrides/stiffness: none → \"Infinity\""],
        );
    }

    #[test]
    fn entries_with_the_same_name_are_matched_in_order() {
        check(
            |b| {
                let second = b.colliders.get_mut(&ColliderId(2)).expect("a collider");
                second.shape = ColliderShape::Sphere { radius: 0.2, inside: false };
            },
            &["collider \"ball (2)\", shape/sphere/radius: 0.1 → 0.2"],
        );
        check(|b| _ = b.colliders.remove(&ColliderId(1)), &["collider \"ball (2)\" removed"]);
    }

    #[test]
    fn a_shape_of_another_kind_is_one_difference() {
        check(
            |b| {
                let first = b.colliders.get_mut(&ColliderId(1)).expect("a collider");
                first.shape = ColliderShape::Capsule { radius: 0.1, height: 0.5, inside: false };
            },
            &["collider \"ball\", shape: {\"sphere\":{\"radius\":0.1,\"inside\":false}} → \
               {\"capsule\":{\"radius\":0.1,\"height\":0.5,\"inside\":false}}"],
        );
    }

    #[test]
    fn a_joint_that_moves_to_another_chain_keeps_its_other_fields() {
        check(
            |b| {
                let joint = chain_of(b).joints.pop().expect("a joint");
                let chain = Chain { joints: vec![joint], ..chain_of(b).clone() };
                b.chains.insert(ChainId(2), chain);
            },
            &["chain \"hair_2\" added", "joint \"hair_2\", chain: \"hair_1\" → \"hair_2\""],
        );
    }

    #[test]
    fn systems_are_matched_by_name_first_and_by_solver_second() {
        let named = |name: &str| System { name: name.to_owned(), ..setup().systems[&SystemId(0)].clone() };
        let with = |names: &[&str]| {
            let systems = names.iter().enumerate().map(|(at, name)| (SystemId(at as u32), named(name))).collect();
            Setup::<ByName> { systems, ..Setup::default() }
        };
        let texts: Vec<_> = diff_setups(&with(&["A", "B"]), &with(&["B", "C", "D"]))
            .iter()
            .map(|difference| difference.message().to_string())
            .collect();
        assert_eq!(texts, ["system \"A\", name: \"A\" → \"C\"", "system \"D\" added"]);
    }

    #[test]
    fn differences_serialize_to_the_documented_json() {
        let (a, mut b) = (setup(), setup());
        chain_of(&mut b).joints[0].tip = Tip::Bone("end".to_owned());
        b.excluded_bones.insert("Skirt".to_owned());
        let expected = json!([
            { "entry": "joint", "name": "hair_1", "change": "changed", "field": "tip", "old": null, "new": { "bone": "end" } },
            { "entry": "excluded", "name": "Skirt", "change": "added" },
        ]);
        assert_eq!(serde_json::to_value(diff_setups(&a, &b)).expect("JSON"), expected);
    }
}
