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

use super::limits::LIMIT;
use super::{Chain, Collider, Springs, Version, rules};
use crate::format::gltf_json::container;
use crate::format::gltf_json::json::{Json, Notes};
use crate::format::gltf_json::nodes::Nodes;
use crate::format::gltf_json::splice::{diff, splice};
use crate::report::{Diagnostic, Place, Severity};
use crate::rig::BoneId;
use serde_json::{Map, Value, json};
use std::collections::HashSet;

/// The file with these springs instead of its own.
///
/// `springs` are of the file's own version of VRM; a file that is no VRM takes VRM 1.0's. Bones are those of the
/// character that was read from the same file. Springs that the file already says give the same bytes. Errors name
/// what the version cannot say, or the rules that would be broken.
pub fn write(bytes: &[u8], file: &str, springs: &Springs) -> Result<Vec<u8>, Vec<Diagnostic>> {
    let whole = |why: String| vec![Diagnostic::error(Place::file(file), why)];
    let before = container::open(bytes).map_err(whole)?.json;
    let notes = Notes::new(file);
    let root = Json::new(&before, String::new()).map_err(|fault| vec![notes.error(fault)])?;
    let nodes = Nodes::read(&root, &notes).map_err(|fault| vec![notes.error(fault)])?;
    let old = super::read(&root, &nodes, &notes).springs.map(settled);
    let springs = &settled(springs.clone());
    check_version(&before, old.as_ref(), springs).map_err(whole)?;
    if old.as_ref().is_some_and(|old| difference(old, springs).is_none()) {
        return Ok(bytes.to_vec());
    }
    let mut writer = Writer { file, nodes: &nodes, said: Vec::new(), needs_extended: false, needs_limit: false };
    let after = writer.document(&before, old.as_ref(), springs);
    if !writer.said.is_empty() {
        return Err(writer.said);
    }
    let new = splice(bytes, &diff(&before, &after)).map_err(|why| whole(why.to_string()))?;
    let broken = newly_broken(&before, &after, file);
    if !broken.is_empty() {
        return Err(broken);
    }
    let again = container::open(&new).map_err(whole)?.json;
    let read = Json::new(&again, String::new())
        .ok()
        .and_then(|root| super::read(&root, &nodes, &Notes::new(file)).springs.map(settled));
    match read {
        Some(read) => match difference(&read, springs) {
            None => Ok(new),
            Some(what) => Err(whole(format!("{what} cannot be written as it is: it would not read back alike"))),
        },
        None => Err(whole("the springs would not read back".to_owned())),
    }
}

fn check_version(root: &Value, old: Option<&Springs>, new: &Springs) -> Result<(), String> {
    let has = |name: &str| root["extensions"].get(name).is_some_and(Value::is_object);
    let file = match old {
        Some(old) => old.version,
        None if has("VRM") && !has("VRMC_vrm") => Version::V0,
        None => Version::V1,
    };
    let name = |version| if version == Version::V0 { "VRM 0.x" } else { "VRM 1.0" };
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
fn settled(mut springs: Springs) -> Springs {
    let once = |list: &mut Vec<usize>| {
        let mut seen = HashSet::new();
        list.retain(|place| seen.insert(*place));
    };
    for chain in &mut springs.chains {
        once(&mut chain.collider_groups);
        for joint in &mut chain.joints {
            joint.limit = joint.limit.map(super::limits::settled);
        }
    }
    springs.collider_groups.iter_mut().for_each(|group| once(&mut group.colliders));
    springs
}

/// Errors of rules that are broken more often than before.
fn newly_broken(before: &Value, after: &Value, file: &str) -> Vec<Diagnostic> {
    let [there, now] = [before, after].map(rules::counts);
    let is_worse = |d: &Diagnostic| {
        let id = d.rule.map_or("", |rule| rule.id);
        now.get(id) > there.get(id)
    };
    rules::check_json(after, file).into_iter().filter(|d| d.severity == Severity::Error && is_worse(d)).collect()
}

/// What both do not say alike; positions in the file do not count.
fn difference(a: &Springs, b: &Springs) -> Option<String> {
    let content = |springs: &Springs, groups: &[usize]| {
        let group = |group: &usize| {
            let group = springs.collider_groups.get(*group);
            let colliders = group.map_or(&[][..], |g| &g.colliders);
            colliders.iter().filter_map(|c| springs.colliders.get(*c)).map(|c| (c.bone, c.shape)).collect::<Vec<_>>()
        };
        groups.iter().map(group).collect::<Vec<_>>()
    };
    let mut sides = [a, b].map(|springs| springs.chains.iter().collect::<Vec<_>>());
    if a.version == Version::V0 {
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
            return Some(format!("the chain \"{}\"", crate::report::clip(&y.name)));
        }
    }
    let plain = |colliders: &[Collider]| colliders.iter().map(|c| (c.bone, c.shape)).collect::<Vec<_>>();
    if a.version == Version::V1 && plain(&a.colliders) != plain(&b.colliders) {
        return Some("a collider".to_owned());
    }
    let group = |springs: &Springs, i: usize| {
        let name = springs.collider_groups[i].name.clone();
        (if springs.version == Version::V1 { name } else { String::new() }, content(springs, &[i]))
    };
    let count = a.collider_groups.len();
    let alike = count == b.collider_groups.len() && (0..count).all(|i| group(a, i) == group(b, i));
    (!alike).then(|| "a collider group".to_owned())
}

/// Makes the new document and gathers what cannot be said in it.
struct Writer<'w> {
    file: &'w str,
    nodes: &'w Nodes<'w>,
    said: Vec<Diagnostic>,
    /// An extended collider was added.
    needs_extended: bool,
    /// A limit was added or changed.
    needs_limit: bool,
}

impl Writer<'_> {
    fn document(&mut self, before: &Value, old: Option<&Springs>, new: &Springs) -> Value {
        let mut after = before.clone();
        match new.version {
            Version::V1 => {
                let before = before["extensions"].get(v1::SPRINGS).and_then(Value::as_object);
                let made = self.v1(before, old, new);
                child(&mut after, "extensions").insert(v1::SPRINGS.to_owned(), Value::Object(made));
                let extended = self.needs_extended.then_some(shapes::EXTENDED);
                let limit = self.needs_limit.then_some(LIMIT);
                let names = before.is_none().then_some(v1::SPRINGS).into_iter().chain(extended).chain(limit);
                names.for_each(|name| declare(&mut after, name));
            }
            Version::V0 => {
                let before = before["extensions"]["VRM"]["secondaryAnimation"].as_object();
                let made = self.v0(before, old, new);
                if let Some(vrm) = after.pointer_mut("/extensions/VRM").and_then(Value::as_object_mut) {
                    vrm.insert("secondaryAnimation".to_owned(), Value::Object(made));
                }
            }
        }
        after
    }

    fn refuse(&mut self, message: impl Into<String>) {
        self.said.push(Diagnostic::error(Place::file(self.file), message));
    }

    /// The file's number of a bone.
    fn node(&mut self, bone: BoneId) -> usize {
        let node = self.nodes.order.get(bone.index()).copied();
        if node.is_none() {
            self.refuse(format!("bone {} is none of the file's", bone.0));
        }
        node.unwrap_or(0)
    }

    fn name(&self, bone: BoneId) -> String {
        crate::report::clip(self.nodes.skeleton.name(bone))
    }

    fn center_of(&self, raw: &Json<'_>) -> Option<BoneId> {
        let node = raw.index("center", self.nodes.len(), "node").ok().flatten()?;
        self.nodes.bones.get(node).copied()
    }
}

/// An object below another, made where there is none.
fn child<'v>(value: &'v mut Value, key: &str) -> &'v mut Map<String, Value> {
    if !value[key].is_object() {
        value[key] = json!({});
    }
    value[key].as_object_mut().expect("it was made an object")
}

fn declare(root: &mut Value, name: &str) {
    if !root["extensionsUsed"].is_array() {
        root["extensionsUsed"] = json!([]);
    }
    if let Some(list) = root["extensionsUsed"].as_array_mut().filter(|list| !list.iter().any(|used| used == name)) {
        list.push(Value::from(name));
    }
}

/// A chain as messages name it.
fn shown(chain: &Chain) -> String {
    format!("chain \"{}\"", crate::report::clip(&chain.name))
}
