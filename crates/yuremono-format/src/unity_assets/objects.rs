//! The objects of a `.prefab`, `.unity` or `.asset` file: game objects, their transforms, and the components on them.

use super::yaml::Yaml;
use glam::Vec3;
use std::collections::BTreeMap;
use yuremono_sim::diagnostics::{Diagnostic, Location, MessageText, excerpt, message};
use yuremono_sim::math::Trs;

/// Class ids of Unity.
pub(super) const GAME_OBJECT: u32 = 1;
pub(super) const TRANSFORM: u32 = 4;
const RECT_TRANSFORM: u32 = 224;
const MONO_BEHAVIOUR: u32 = 114;
pub(super) const PREFAB_INSTANCE: u32 = 1001;
pub(super) const SKINNED_MESH_RENDERER: u32 = 137;
pub(super) const SPHERE_COLLIDER: u32 = 135;
pub(super) const CAPSULE_COLLIDER: u32 = 136;
const MESH_RENDERER: u32 = 23;
/// Classes that a setup can need.
const KNOWN_CLASSES: [u32; 9] = [
    GAME_OBJECT,
    TRANSFORM,
    RECT_TRANSFORM,
    MONO_BEHAVIOUR,
    PREFAB_INSTANCE,
    SKINNED_MESH_RENDERER,
    SPHERE_COLLIDER,
    CAPSULE_COLLIDER,
    MESH_RENDERER,
];
/// Maximum number of nodes above a node. Characters have fewer than a hundred.
const MAX_DEPTH: usize = 1000;
/// The head of a document: `--- !u!CLASS &ID`.
const HEAD: &str = "--- !u!";

/// An object of a file.
#[derive(Clone, Debug)]
pub(super) struct Object {
    pub(super) class: u32,
    /// Whether the object only refers to an object of another file.
    pub(super) is_stripped: bool,
    /// 1-based line of the head. Objects of an instance have the line of the instance.
    pub(super) line: u64,
    pub(super) body: Yaml,
}

/// The objects of a file by their fileIDs.
pub(super) type Objects = BTreeMap<i64, Object>;

/// A node of the hierarchy.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) name: String,
    pub(super) parent: Option<i64>,
    pub(super) local: Trs,
    /// Whether the node itself is on. A node below an inactive node can be on.
    is_active: bool,
    pub(super) has_children: bool,
}

/// A script on a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Component<'a> {
    /// The fileID of the component.
    pub(super) id: i64,
    /// The transform of its node.
    pub(super) node: i64,
    pub(super) guid: &'a str,
    pub(super) body: &'a Yaml,
    pub(super) line: u64,
}

/// All objects of a file and of its instances.
#[derive(Debug, Default)]
pub(super) struct UnityObjects {
    objects: Objects,
    /// By the fileID of the transform.
    nodes: BTreeMap<i64, Node>,
    /// The transform of each game object.
    transform_of: BTreeMap<i64, i64>,
}

/// Whether a file is text of Unity.
pub(crate) fn is_unity_text(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(512)];
    let start = String::from_utf8_lossy(start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start));
    start.starts_with("%YAML") && start.contains("tag:unity3d.com")
}

/// The message about a file of Unity in binary form.
pub(crate) fn not_text() -> MessageText {
    message!(
        "is not a text file of Unity; set Asset Serialization to Force Text in the project settings, and save the file again"
    )
}

/// Parses the objects that a setup needs. A faulty object is reported and left out. `values_left` is the number of values
/// that may still be read.
pub(super) fn parse(text: &str, file: &str, values_left: &mut usize, found: &mut Vec<Diagnostic>) -> Objects {
    let mut all = Objects::new();
    for document in Document::split(text).filter(|document| KNOWN_CLASSES.contains(&document.class)) {
        match Yaml::parse(document.text, values_left) {
            Ok(Yaml::Map(mut classes)) if !classes.is_empty() => {
                let body = classes.swap_remove(0).1;
                let Document { class, is_stripped, line, id, .. } = document;
                if all.insert(id, Object { class, is_stripped, line, body }).is_some() {
                    found.push(Diagnostic::warning(
                        Location::file(file).with_line(line),
                        message!("object {id} occurs twice; this one is used", id),
                    ));
                }
            }
            Ok(_) => {}
            Err(fault) => found.push(Diagnostic::warning(
                Location::file(file).with_line(document.line + fault.line),
                message!("an object is left out: {error}", error = fault.message),
            )),
        }
        if *values_left == 0 {
            break;
        }
    }
    all
}

impl UnityObjects {
    /// Finds the hierarchy of the objects.
    pub(super) fn new(objects: Objects, file: &str, found: &mut Vec<Diagnostic>) -> Self {
        let mut all = Self { objects, ..Self::default() };
        all.link();
        if let Some(id) = all.find_cycle() {
            let name = excerpt(&all.nodes[&id].name);
            found.push(Diagnostic::warning(
                Location::file(file),
                message!("node \"{name}\" is its own ancestor, so its place is unknown", name),
            ));
        }
        all
    }

    /// Returns a node that is its own ancestor.
    fn find_cycle(&self) -> Option<i64> {
        let mut start_of_walk: BTreeMap<i64, i64> = BTreeMap::new();
        for start in self.nodes.keys().copied() {
            let mut next = Some(start);
            while let Some(id) = next {
                match start_of_walk.get(&id) {
                    Some(walk) if *walk == start => return Some(id),
                    Some(_) => break,
                    None => _ = start_of_walk.insert(id, start),
                }
                next =
                    self.nodes.get(&id).and_then(|node| node.parent).filter(|parent| self.nodes.contains_key(parent));
            }
        }
        None
    }

    /// Finds the nodes of the objects.
    fn link(&mut self) {
        for (id, object) in self.objects.iter().filter(|(_, object)| is_transform(object)) {
            let body = &object.body;
            let game_object = body.get("m_GameObject").map_or(0, reference);
            let Some(owner) = self.objects.get(&game_object).filter(|owner| owner.class == GAME_OBJECT) else {
                continue;
            };
            let local = Trs {
                translation: body.vector("m_LocalPosition", Vec3::ZERO),
                rotation: body.rotation("m_LocalRotation"),
                scale: body.vector("m_LocalScale", Vec3::ONE),
            };
            let father = body.get("m_Father").map_or(0, reference);
            self.transform_of.insert(game_object, *id);
            self.nodes.insert(
                *id,
                Node {
                    name: owner.body.text("m_Name").unwrap_or_default().to_owned(),
                    parent: (father != 0).then_some(father),
                    local: if local.is_finite() { local } else { Trs::IDENTITY },
                    is_active: owner.body.number("m_IsActive") != Some(0.0),
                    has_children: body.get("m_Children").is_some_and(|children| !children.items().is_empty()),
                },
            );
        }
        // The nodes of a model have no lists of children.
        let parents: Vec<i64> = self.nodes.values().filter_map(|node| node.parent).collect();
        for parent in parents {
            if let Some(node) = self.nodes.get_mut(&parent) {
                node.has_children = true;
            }
        }
    }

    /// Returns a node by its transform.
    pub(super) fn node(&self, transform: i64) -> Option<&Node> {
        self.nodes.get(&transform)
    }

    /// Returns an object of a class.
    pub(super) fn object(&self, id: i64, class: u32) -> Option<&Yaml> {
        self.objects.get(&id).filter(|object| object.class == class).map(|object| &object.body)
    }

    /// Returns the transform of the node to which a reference leads: to the transform itself, to its game object, or to a
    /// component.
    pub(super) fn node_of(&self, id: i64) -> Option<i64> {
        let object = self.objects.get(&id)?;
        let game_object = match object.class {
            TRANSFORM | RECT_TRANSFORM => return self.nodes.contains_key(&id).then_some(id),
            GAME_OBJECT => id,
            _ => reference(object.body.get("m_GameObject")?),
        };
        self.transform_of.get(&game_object).copied()
    }

    /// Returns the transforms above a node, nearest first, at most [`MAX_DEPTH`].
    pub(super) fn ancestors(&self, transform: i64) -> impl Iterator<Item = i64> + '_ {
        let above = |id: &i64| self.nodes.get(id)?.parent.filter(|parent| self.nodes.contains_key(parent));
        std::iter::successors(above(&transform), above).take(MAX_DEPTH)
    }

    /// Returns the transforms to which skins refer.
    pub(super) fn skinned_bones(&self) -> impl Iterator<Item = i64> {
        let skins = self.objects.values().filter(|object| object.class == SKINNED_MESH_RENDERER);
        let bones = skins.flat_map(|skin| skin.body.references("m_Bones"));
        bones.filter(|bone| self.nodes.contains_key(bone))
    }

    /// Returns all nodes by their transforms.
    pub(super) fn nodes(&self) -> impl Iterator<Item = (i64, &Node)> {
        self.nodes.iter().map(|(id, node)| (*id, node))
    }

    /// Whether a component acts: it is on, and its node and all nodes above it are on.
    pub(super) fn is_on(&self, component: &Component<'_>) -> bool {
        let is_active = |id: i64| self.nodes.get(&id).is_none_or(|node| node.is_active);
        let mut nodes = std::iter::once(component.node).chain(self.ancestors(component.node));
        component.body.number("m_Enabled") != Some(0.0) && nodes.all(is_active)
    }

    /// Returns the scripts on nodes, in the order of their fileIDs.
    pub(super) fn components(&self) -> impl Iterator<Item = Component<'_>> {
        let scripts = self.objects.iter().filter(|(_, object)| object.class == MONO_BEHAVIOUR && !object.is_stripped);
        scripts.filter_map(|(id, object)| {
            Some(Component {
                id: *id,
                node: self.node_of(*id)?,
                guid: object.body.at(&["m_Script", "guid"])?.as_text()?,
                body: &object.body,
                line: object.line,
            })
        })
    }
}

pub(super) fn is_transform(object: &Object) -> bool {
    matches!(object.class, TRANSFORM | RECT_TRANSFORM) && !object.is_stripped
}

/// The fileID of an object of the same file. 0 if there is no reference, or a reference to another file.
pub(super) fn reference(field: &Yaml) -> i64 {
    if field.get("guid").is_none() { file_id(field) } else { 0 }
}

/// The fileID in a reference to an object of this file or of another file, or 0.
pub(super) fn file_id(field: &Yaml) -> i64 {
    field.text("fileID").and_then(|id| id.parse().ok()).unwrap_or(0)
}

pub(super) fn reference_to(id: i64) -> Yaml {
    Yaml::Map(vec![("fileID".to_owned(), Yaml::Text(id.to_string()))])
}

/// The text of one object.
struct Document<'a> {
    class: u32,
    id: i64,
    is_stripped: bool,
    line: u64,
    text: &'a str,
}

impl<'a> Document<'a> {
    /// Splits a file at the heads of its objects. Heads that cannot be read are left out with their objects.
    fn split(text: &'a str) -> impl Iterator<Item = Self> {
        let mut heads: Vec<(usize, u64)> = Vec::new();
        let mut at = 0;
        for (line, content) in text.split_inclusive('\n').enumerate() {
            if content.starts_with(HEAD) {
                heads.push((at, line as u64 + 1));
            }
            at += content.len();
        }
        let ends: Vec<usize> = heads.iter().skip(1).map(|(start, _)| *start).chain([text.len()]).collect();
        heads.into_iter().zip(ends).filter_map(move |((start, line), end)| {
            let (head, body) = text[start..end].split_once('\n')?;
            let (class, rest) = head.trim_end().strip_prefix(HEAD)?.split_once(" &")?;
            let (id, is_stripped) = rest.strip_suffix(" stripped").map_or((rest, false), |id| (id, true));
            Some(Self { class: class.parse().ok()?, id: id.parse().ok()?, is_stripped, line, text: body })
        })
    }
}
