//! Puts spring bones back into the file that they came from, and changes nothing else of it.
//!
//! The new document is made from the file's own objects: one that stands for the same chain, joint, collider or group
//! keeps its unknown fields, its `extras`, and every number that reads the same. What the loader could not use stays
//! where it is. The difference goes through [`splice`], so all other bytes stay. What comes out is judged by
//! [`rules`] and read back before it is returned: it breaks no rule that the file did not break before, and says what
//! was asked for. Not written: the fallback shapes of extended colliders that the file has.

mod limits;
mod lists;
mod shapes;
mod v0;
mod v1;
mod values;

use super::limits::LIMIT_EXTENSION;
use super::{VrmCollider, VrmSpringChain, VrmSprings, VrmVersion, rules};
use crate::diagnostics::{Diagnostic, Location, Severity};
use crate::format::gltf_json::container;
use crate::format::gltf_json::json::{GltfDiagnostics, JsonObject};
use crate::format::gltf_json::nodes::GltfNodes;
use crate::format::gltf_json::splice::{diff, splice};
use crate::rig::BoneId;
use serde_json::{Map, Value, json};
use std::collections::HashSet;

/// The file with these springs instead of its own.
///
/// `springs` are of the file's own version of VRM; a file that is no VRM takes VRM 1.0's. Bones are those of the
/// character that was read from the same file. Springs that the file already says give the same bytes. Errors name
/// what the version cannot say, or the rules that would be broken.
pub fn write(bytes: &[u8], file: &str, springs: &VrmSprings) -> Result<Vec<u8>, Vec<Diagnostic>> {
    let whole = |why: String| vec![Diagnostic::error(Location::file(file), why)];
    let before = container::parse_container(bytes).map_err(whole)?.json;
    let notes = GltfDiagnostics::new(file);
    let root = JsonObject::new(&before, String::new()).map_err(|fault| vec![notes.error(fault)])?;
    let nodes = GltfNodes::read(&root, &notes).map_err(|fault| vec![notes.error(fault)])?;
    let old = super::read(&root, &nodes, &notes).springs.map(normalized);
    let springs = &normalized(springs.clone());
    check_version(&before, old.as_ref(), springs).map_err(whole)?;
    if old.as_ref().is_some_and(|old| first_difference(old, springs).is_none()) {
        return Ok(bytes.to_vec());
    }
    let mut writer =
        SpringsWriter { file, nodes: &nodes, errors: Vec::new(), adds_extended_collider: false, adds_limit: false };
    let after = writer.updated_document(&before, old.as_ref(), springs);
    if !writer.errors.is_empty() {
        return Err(writer.errors);
    }
    let new = splice(bytes, &diff(&before, &after)).map_err(|why| whole(why.to_string()))?;
    let broken = new_rule_violations(&before, &after, file);
    if !broken.is_empty() {
        return Err(broken);
    }
    let again = container::parse_container(&new).map_err(whole)?.json;
    let read = JsonObject::new(&again, String::new())
        .ok()
        .and_then(|root| super::read(&root, &nodes, &GltfDiagnostics::new(file)).springs.map(normalized));
    match read {
        Some(read) => match first_difference(&read, springs) {
            None => Ok(new),
            Some(what) => Err(whole(format!("{what} cannot be written as it is: it would not read back alike"))),
        },
        None => Err(whole("the springs would not read back".to_owned())),
    }
}

fn check_version(root: &Value, old: Option<&VrmSprings>, new: &VrmSprings) -> Result<(), String> {
    let has = |name: &str| root["extensions"].get(name).is_some_and(Value::is_object);
    let file = match old {
        Some(old) => old.version,
        None if has("VRM") && !has("VRMC_vrm") => VrmVersion::V0,
        None => VrmVersion::V1,
    };
    let name = |version| if version == VrmVersion::V0 { "VRM 0.x" } else { "VRM 1.0" };
    if file == new.version {
        return Ok(());
    }
    Err(format!(
        "the springs are of {}, the file of {}; neither is turned into the other",
        name(new.version),
        name(file)
    ))
}

/// Without what says nothing: groups and colliders that a list names again, and rounding beyond 1 in rotations.
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

/// Errors of rules that are broken more often than before.
fn new_rule_violations(before: &Value, after: &Value, file: &str) -> Vec<Diagnostic> {
    let [there, now] = [before, after].map(rules::count_violations);
    let is_worse = |d: &Diagnostic| {
        let id = d.rule.map_or("", |rule| rule.id);
        now.get(id) > there.get(id)
    };
    rules::check_json(after, file).into_iter().filter(|d| d.severity == Severity::Error && is_worse(d)).collect()
}

/// What both do not say alike; positions in the file do not count.
fn first_difference(a: &VrmSprings, b: &VrmSprings) -> Option<String> {
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
        // Its groups of roots have an order of their own.
        for chains in &mut sides {
            chains.sort_by_key(|chain| chain.joints.first().map(|joint| joint.bone));
        }
    }
    let [left, right] = &sides;
    if left.len() != right.len() {
        return Some("the number of chains".to_owned());
    }
    for (x, y) in left.iter().zip(right) {
        let alike = x.name == y.name
            && x.joints == y.joints
            && x.center == y.center
            && content(a, &x.collider_groups) == content(b, &y.collider_groups);
        if !alike {
            return Some(format!("the chain \"{}\"", crate::diagnostics::excerpt(&y.name)));
        }
    }
    let plain = |colliders: &[VrmCollider]| colliders.iter().map(|c| (c.bone, c.shape)).collect::<Vec<_>>();
    if a.version == VrmVersion::V1 && plain(&a.colliders) != plain(&b.colliders) {
        return Some("a collider".to_owned());
    }
    let group = |springs: &VrmSprings, i: usize| {
        let name = springs.collider_groups[i].name.clone();
        (if springs.version == VrmVersion::V1 { name } else { String::new() }, content(springs, &[i]))
    };
    let count = a.collider_groups.len();
    let alike = count == b.collider_groups.len() && (0..count).all(|i| group(a, i) == group(b, i));
    (!alike).then(|| "a collider group".to_owned())
}

/// Makes the new document and gathers what cannot be said in it.
struct SpringsWriter<'w> {
    file: &'w str,
    nodes: &'w GltfNodes<'w>,
    errors: Vec<Diagnostic>,
    /// An extended collider was added.
    adds_extended_collider: bool,
    /// A limit was added or changed.
    adds_limit: bool,
}

impl SpringsWriter<'_> {
    fn updated_document(&mut self, before: &Value, old: Option<&VrmSprings>, new: &VrmSprings) -> Value {
        let mut after = before.clone();
        match new.version {
            VrmVersion::V1 => {
                let before = before["extensions"].get(v1::SPRING_BONE_EXTENSION).and_then(Value::as_object);
                let made = self.write_v1(before, old, new);
                object_at(&mut after, "extensions").insert(v1::SPRING_BONE_EXTENSION.to_owned(), Value::Object(made));
                let extended = self.adds_extended_collider.then_some(shapes::EXTENDED_COLLIDER);
                let limit = self.adds_limit.then_some(LIMIT_EXTENSION);
                let names =
                    before.is_none().then_some(v1::SPRING_BONE_EXTENSION).into_iter().chain(extended).chain(limit);
                names.for_each(|name| declare_extension(&mut after, name));
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

    fn add_error(&mut self, message: impl Into<crate::diagnostics::MessageText>) {
        self.errors.push(Diagnostic::error(Location::file(self.file), message));
    }

    /// The file's number of a bone.
    fn node_index(&mut self, bone: BoneId) -> usize {
        let node = self.nodes.node_of_bone.get(bone.index()).copied();
        if node.is_none() {
            self.add_error(format!("bone {} is none of the file's", bone.0));
        }
        node.unwrap_or(0)
    }

    fn bone_label(&self, bone: BoneId) -> String {
        crate::diagnostics::excerpt(self.nodes.skeleton.name(bone))
    }

    fn read_center(&self, raw: &JsonObject<'_>) -> Option<BoneId> {
        let node = raw.index("center", self.nodes.len(), "node").ok().flatten()?;
        self.nodes.bone_of_node.get(node).copied()
    }
}

/// An object below another, made where there is none.
fn object_at<'v>(value: &'v mut Value, key: &str) -> &'v mut Map<String, Value> {
    if !value[key].is_object() {
        value[key] = json!({});
    }
    value[key].as_object_mut().expect("it was made an object")
}

fn declare_extension(root: &mut Value, name: &str) {
    if !root["extensionsUsed"].is_array() {
        root["extensionsUsed"] = json!([]);
    }
    if let Some(list) = root["extensionsUsed"].as_array_mut().filter(|list| !list.iter().any(|used| used == name)) {
        list.push(Value::from(name));
    }
}

/// A chain as messages name it.
fn chain_label(chain: &VrmSpringChain) -> String {
    format!("chain \"{}\"", crate::diagnostics::excerpt(&chain.name))
}
