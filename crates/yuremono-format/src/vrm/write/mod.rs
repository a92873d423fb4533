//! Writes spring bones into the file that they were read from. All other data of the file stays unchanged.
//!
//! The new JSON is built from the objects of the file. The object of an unchanged chain, joint, collider or group keeps
//! its unknown fields, its `extras`, and the text of every unchanged number. Entries that the loader could not read
//! keep their positions. The difference is applied with [`splice`], so all other bytes stay unchanged.
//!
//! Before the result is returned, it is checked with [`rules`] and read back. It must not break a rule more often than
//! the input, and it must contain the requested springs. Existing fallback shapes of extended colliders are not
//! updated.

mod lists;
mod v0;
mod v1;

use super::fields::{EXTENDED_COLLIDER, SPRING_BONE_EXTENSION, file_version};
use super::limits::LIMIT_EXTENSION;
use super::{VrmCollider, VrmSpringChain, VrmSprings, VrmVersion, rules};
use crate::gltf_json::container;
use crate::gltf_json::json::{GltfDiagnostics, JsonObject};
use crate::gltf_json::nodes::GltfNodes;
use crate::gltf_json::splice::{diff, shortest_number, splice};
use glam::Vec3;
use serde_json::{Map, Value};
use std::collections::HashSet;
use yuremono_sim::diagnostics::{Diagnostic, Location, MessageText, Severity, excerpt, message};
use yuremono_sim::rig::BoneId;

/// Returns the file with its springs replaced with `springs`.
///
/// `springs` must have the VRM version of the file; a file that is not a VRM gets VRM 1.0 springs. The bones must
/// belong to the character that was read from the same file. Unchanged springs give the same bytes. The errors list the
/// data that the version cannot store, or the rules that the result would break.
pub fn write(bytes: &[u8], file: &str, springs: &VrmSprings) -> Result<Vec<u8>, Vec<Diagnostic>> {
    let whole = |why: MessageText| vec![Diagnostic::error(Location::file(file), why)];
    let before = container::parse_container(bytes).map_err(whole)?.json;
    let diagnostics = GltfDiagnostics::new(file);
    let (root, nodes) =
        GltfNodes::of_document(&before, &diagnostics).map_err(|fault| vec![diagnostics.error(fault)])?;
    let read = |root: &JsonObject<'_>| super::read(root, &nodes).springs.map(normalized);
    let old = read(&root);
    let springs = &normalized(springs.clone());
    let version = file_version(&before, old.as_ref());
    if version != springs.version {
        let name = |version| if version == VrmVersion::V0 { "VRM 0.x" } else { "VRM 1.0" };
        return Err(whole(message!(
            "the springs are {version}, but the file is {file}; they are not converted",
            version = name(springs.version),
            file = name(version)
        )));
    }
    if old.as_ref().is_some_and(|old| first_difference(old, springs).is_none()) {
        return Ok(bytes.to_vec());
    }
    let mut writer =
        SpringsWriter { file, nodes: &nodes, errors: Vec::new(), adds_extended_collider: false, adds_limit: false };
    let after = writer.updated_document(&before, old.as_ref(), springs);
    if !writer.errors.is_empty() {
        return Err(writer.errors);
    }
    let new = splice(bytes, &diff(&before, &after)).map_err(|why| whole(why.message()))?;
    let broken = new_rule_violations(&before, &after, file);
    if !broken.is_empty() {
        return Err(broken);
    }
    let again = container::parse_container(&new).map_err(whole)?.json;
    let Some(again) = JsonObject::root(&again, &diagnostics).ok().and_then(|root| read(&root)) else {
        return Err(whole(message!("the springs could not be read back")));
    };
    match first_difference(&again, springs) {
        None => Ok(new),
        Some(what) => {
            Err(whole(message!("{what} cannot be written: reading the file back would give a different result", what)))
        }
    }
}

fn normalized(mut springs: VrmSprings) -> VrmSprings {
    let once = |list: &mut Vec<usize>| {
        let mut seen = HashSet::new();
        list.retain(|place| seen.insert(*place));
    };
    for chain in &mut springs.chains {
        once(&mut chain.collider_groups);
        for joint in &mut chain.joints {
            joint.limit = joint.limit.map(super::limits::clamp_rotation);
        }
    }
    springs.collider_groups.iter_mut().for_each(|group| once(&mut group.colliders));
    springs
}

/// Returns the errors of rules that `after` breaks more often than `before`.
fn new_rule_violations(before: &Value, after: &Value, file: &str) -> Vec<Diagnostic> {
    let [there, now] = [before, after].map(rules::count_violations);
    let is_worse = |d: &Diagnostic| {
        let id = d.rule.map_or("", |rule| rule.id);
        now.get(id) > there.get(id)
    };
    rules::check_json(after, file).into_iter().filter(|d| d.severity == Severity::Error && is_worse(d)).collect()
}

fn first_difference(a: &VrmSprings, b: &VrmSprings) -> Option<MessageText> {
    let content = |springs: &VrmSprings, groups: &[usize]| {
        let group = |group: &usize| {
            let group = springs.collider_groups.get(*group);
            let colliders = group.map_or(&[][..], |g| &g.colliders);
            colliders.iter().filter_map(|c| springs.colliders.get(*c)).map(|c| (c.bone, c.shape)).collect::<Vec<_>>()
        };
        groups.iter().map(group).collect::<Vec<_>>()
    };
    let mut sides = [a, b].map(|springs| springs.chains.iter().collect::<Vec<_>>());
    if a.version == VrmVersion::V0 {
        // In VRM 0.x, roots are grouped, which may change the order of the chains.
        for chains in &mut sides {
            chains.sort_by_key(|chain| chain.joints.first().map(|joint| joint.bone));
        }
    }
    let [left, right] = &sides;
    if left.len() != right.len() {
        return Some(message!("the number of chains"));
    }
    for (x, y) in left.iter().zip(right) {
        let alike = x.name == y.name
            && x.joints == y.joints
            && x.center == y.center
            && content(a, &x.collider_groups) == content(b, &y.collider_groups);
        if !alike {
            return Some(message!("the chain \"{name}\"", name = excerpt(&y.name)));
        }
    }
    let plain = |colliders: &[VrmCollider]| colliders.iter().map(|c| (c.bone, c.shape)).collect::<Vec<_>>();
    if a.version == VrmVersion::V1 && plain(&a.colliders) != plain(&b.colliders) {
        return Some(message!("a collider"));
    }
    let group = |springs: &VrmSprings, i: usize| {
        let name = springs.collider_groups[i].name.clone();
        (if springs.version == VrmVersion::V1 { name } else { String::new() }, content(springs, &[i]))
    };
    let count = a.collider_groups.len();
    let alike = count == b.collider_groups.len() && (0..count).all(|i| group(a, i) == group(b, i));
    (!alike).then(|| message!("a collider group"))
}

struct SpringsWriter<'w> {
    file: &'w str,
    nodes: &'w GltfNodes<'w>,
    errors: Vec<Diagnostic>,
    /// Whether an extended collider was added.
    adds_extended_collider: bool,
    /// Whether a limit was added or changed.
    adds_limit: bool,
}

impl SpringsWriter<'_> {
    fn updated_document(&mut self, before: &Value, old: Option<&VrmSprings>, new: &VrmSprings) -> Value {
        let mut after = before.clone();
        match new.version {
            VrmVersion::V1 => {
                let before = before["extensions"].get(SPRING_BONE_EXTENSION).and_then(Value::as_object);
                let made = self.write_v1(before, old, new);
                if let Some(root) = after.as_object_mut() {
                    object_field(root, "extensions").insert(SPRING_BONE_EXTENSION.to_owned(), Value::Object(made));
                }
                for (is_new, name) in [
                    (before.is_none(), SPRING_BONE_EXTENSION),
                    (self.adds_extended_collider, EXTENDED_COLLIDER),
                    (self.adds_limit, LIMIT_EXTENSION),
                ] {
                    if is_new {
                        declare_extension(&mut after, name);
                    }
                }
            }
            VrmVersion::V0 => {
                let before = before["extensions"]["VRM"]["secondaryAnimation"].as_object();
                let made = self.write_v0(before, old, new);
                if let Some(vrm) = after.pointer_mut("/extensions/VRM").and_then(Value::as_object_mut) {
                    vrm.insert("secondaryAnimation".to_owned(), Value::Object(made));
                }
            }
        }
        after
    }

    fn add_error(&mut self, message: impl Into<MessageText>) {
        self.errors.push(Diagnostic::error(Location::file(self.file), message));
    }

    /// Returns the node index of a bone in the file.
    fn node_index(&mut self, bone: BoneId) -> usize {
        let node = self.nodes.node_of_bone.get(bone.index()).copied();
        if node.is_none() {
            self.add_error(message!("bone {bone} is not in the file", bone = bone.0));
        }
        node.unwrap_or(0)
    }

    fn bone_label(&self, bone: BoneId) -> String {
        excerpt(self.nodes.skeleton.name(bone))
    }

    fn read_center(&self, raw: &JsonObject<'_>) -> Option<BoneId> {
        let node = raw.index("center", self.nodes.len(), "node").ok().flatten()?;
        self.nodes.bone_of_node.get(node).copied()
    }

    /// Writes a bone as the index of its node.
    fn set_node(&mut self, map: &mut Map<String, Value>, key: &str, bone: BoneId) {
        map.insert(key.to_owned(), Value::from(self.node_index(bone)));
    }

    fn number_value(&mut self, x: f32, what: &str) -> Value {
        shortest_number(x).unwrap_or_else(|| {
            self.add_error(message!("{what} is {x}; JSON has only finite numbers", what, x));
            Value::Null
        })
    }

    fn set_number(&mut self, map: &mut Map<String, Value>, key: &str, old: Option<f32>, new: f32) {
        if old != Some(new) {
            let value = self.number_value(new, key);
            map.insert(key.to_owned(), value);
        }
    }

    /// Writes a list of three numbers. An unchanged number keeps its text.
    fn set_vector(&mut self, map: &mut Map<String, Value>, key: &str, old: Option<Vec3>, new: Vec3) {
        if old == Some(new) {
            return;
        }
        let parts = new.to_array().map(|x| self.number_value(x, key));
        match (old, map.get_mut(key).and_then(Value::as_array_mut)) {
            (Some(old), Some(list)) if list.len() == 3 && list.iter().all(Value::is_number) => {
                let changed = old.to_array().into_iter().zip(new.to_array()).map(|(o, n)| o != n);
                for ((slot, part), changed) in list.iter_mut().zip(parts).zip(changed) {
                    if changed {
                        *slot = part;
                    }
                }
            }
            _ => drop(map.insert(key.to_owned(), Value::from(parts.to_vec()))),
        }
    }

    /// Writes an object with x, y and z, as VRM 0.x requires. An existing list stays a list.
    fn set_xyz(&mut self, map: &mut Map<String, Value>, key: &str, old: Option<Vec3>, new: Vec3) {
        if old == Some(new) {
            return;
        }
        if map.get(key).is_some_and(Value::is_array) {
            return self.set_vector(map, key, old, new);
        }
        let old = old.filter(|_| map.contains_key(key)).map(|old| old.to_array());
        let object = object_field(map, key);
        for (i, (part, x)) in ["x", "y", "z"].into_iter().zip(new.to_array()).enumerate() {
            self.set_number(object, part, old.map(|old| old[i]), x);
        }
    }
}

/// Returns the object at `key`, and creates the object if it is missing.
fn object_field<'m>(map: &'m mut Map<String, Value>, key: &str) -> &'m mut Map<String, Value> {
    let value = map.entry(key).or_insert(Value::Null);
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    value.as_object_mut().expect("it was made an object")
}

fn declare_extension(root: &mut Value, name: &str) {
    let list = &mut root["extensionsUsed"];
    if !list.is_array() {
        *list = Value::Array(Vec::new());
    }
    if let Some(list) = list.as_array_mut().filter(|list| !list.iter().any(|used| used == name)) {
        list.push(Value::from(name));
    }
}

/// Reads an index. Some exporters write an index as `3.0`.
fn file_index(value: &Value) -> Option<usize> {
    value.as_f64().filter(|x| x.fract() == 0.0 && *x >= 0.0).map(|x| x as usize)
}

/// Writes a string if it changed. An empty string removes the field.
fn set_text(map: &mut Map<String, Value>, key: &str, old: &str, new: &str) {
    if old == new {
        return;
    }
    if new.is_empty() {
        map.shift_remove(key);
    } else {
        map.insert(key.to_owned(), Value::from(new));
    }
}

/// Writes a list. An empty list removes the field, unless the list in the file is also empty.
fn set_list(map: &mut Map<String, Value>, key: &str, list: Vec<Value>) {
    let is_empty = |value: &Value| value.as_array().is_some_and(Vec::is_empty);
    if !list.is_empty() {
        map.insert(key.to_owned(), Value::Array(list));
    } else if map.get(key).is_some_and(|old| old.is_array() && !is_empty(old)) {
        map.shift_remove(key);
    }
}

/// Returns the list at `key`, or an empty list if `key` is missing.
fn list_field<'v>(map: Option<&'v Map<String, Value>>, key: &str) -> &'v [Value] {
    map.and_then(|map| map.get(key)).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Returns a copy of the object, or an empty object if the value is not an object.
fn copy_object(value: Option<&Value>) -> Map<String, Value> {
    value.and_then(Value::as_object).cloned().unwrap_or_default()
}

/// Returns the name of a chain for messages.
fn chain_label(chain: &VrmSpringChain) -> MessageText {
    message!("chain \"{name}\"", name = excerpt(&chain.name))
}
