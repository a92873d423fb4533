//! The objects of a `.prefab` or `.unity` file: game objects, their transforms, and the components on them.

use super::yaml::Yaml;
use glam::{Quat, Vec3};
use std::collections::BTreeMap;
use yuremono_sim::diagnostics::{Diagnostic, Location, excerpt, message};
use yuremono_sim::math::Trs;

/// Class ids of Unity.
const GAME_OBJECT: u32 = 1;
const TRANSFORM: u32 = 4;
const RECT_TRANSFORM: u32 = 224;
const MONO_BEHAVIOUR: u32 = 114;
const PREFAB_INSTANCE: u32 = 1001;
const RENDERERS: [u32; 2] = [23, 137];
/// Maximum number of objects of a file.
const MAX_OBJECTS: usize = 1 << 18;
/// The head of a document: `--- !u!CLASS &ID`.
const HEAD: &str = "--- !u!";

/// An object of a file, identified by its number.
#[derive(Debug)]
struct Object {
    class: u32,
    /// Whether the object only refers to an object of another file.
    is_stripped: bool,
    /// 1-based line of the head.
    line: u64,
    body: Yaml,
}

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
#[derive(Debug)]
pub(super) struct Component<'a> {
    /// The transform of its node.
    pub(super) node: i64,
    pub(super) guid: &'a str,
    pub(super) body: &'a Yaml,
    pub(super) line: u64,
}

impl Component<'_> {
    pub(super) fn is_enabled(&self) -> bool {
        self.body.number("m_Enabled") != Some(0.0)
    }
}

/// All objects of a file.
#[derive(Debug, Default)]
pub(super) struct UnityObjects {
    objects: BTreeMap<i64, Object>,
    /// By the number of the transform.
    nodes: BTreeMap<i64, Node>,
    /// The transform of each game object.
    transform_of: BTreeMap<i64, i64>,
    /// How many instances of other files the file has, and how many objects only refer to objects of other files.
    pub(super) instance_count: usize,
    pub(super) stripped_count: usize,
}

/// Whether a file is text of Unity.
pub(crate) fn is_unity_text(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(512)];
    let start = String::from_utf8_lossy(start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start));
    start.starts_with("%YAML") && start.contains("tag:unity3d.com")
}

impl UnityObjects {
    /// Parses the objects that a setup needs. A faulty object is reported and left out.
    pub(super) fn parse(text: &str, file: &str, found: &mut Vec<Diagnostic>) -> Self {
        let mut all = Self::default();
        for document in Document::split(text) {
            if document.class == PREFAB_INSTANCE {
                all.instance_count += 1;
            }
            all.stripped_count += usize::from(document.is_stripped);
            let is_known = matches!(document.class, GAME_OBJECT | TRANSFORM | RECT_TRANSFORM | MONO_BEHAVIOUR)
                || RENDERERS.contains(&document.class);
            if !is_known {
                continue;
            }
            if all.objects.len() == MAX_OBJECTS {
                let most = MAX_OBJECTS;
                found.push(Diagnostic::warning(
                    Location::file(file),
                    message!("the file has more than {most} objects; the others are left out", most),
                ));
                break;
            }
            match Yaml::parse(document.text) {
                Ok(Yaml::Map(mut classes)) if !classes.is_empty() => {
                    let body = classes.swap_remove(0).1;
                    let Document { class, is_stripped, line, id, .. } = document;
                    if all.objects.insert(id, Object { class, is_stripped, line, body }).is_some() {
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
        }
        all.link();
        if let Some(id) = all.nodes.keys().copied().find(|id| all.ancestors(*id).any(|above| above == *id)) {
            let name = excerpt(&all.nodes[&id].name);
            found.push(Diagnostic::warning(
                Location::file(file),
                message!("node \"{name}\" is its own ancestor, so its place is unknown", name),
            ));
        }
        all
    }

    /// Finds the nodes of the objects.
    fn link(&mut self) {
        for (id, object) in self.objects.iter().filter(|(_, object)| is_transform(object)) {
            let body = &object.body;
            let game_object = body.get("m_GameObject").map_or(0, reference);
            let Some(owner) = self.objects.get(&game_object).filter(|owner| owner.class == GAME_OBJECT) else {
                continue;
            };
            let vector = |key, otherwise: Vec3| {
                let field = body.get(key);
                let number = |axis| field.and_then(|field| field.number(axis)).map(|number| number as f32);
                Vec3::new(
                    number("x").unwrap_or(otherwise.x),
                    number("y").unwrap_or(otherwise.y),
                    number("z").unwrap_or(otherwise.z),
                )
            };
            let w = body.at(&["m_LocalRotation", "w"]).and_then(Yaml::as_text).and_then(|w| w.parse().ok());
            let axis = vector("m_LocalRotation", Vec3::ZERO);
            let rotation = Quat::from_xyzw(axis.x, axis.y, axis.z, w.unwrap_or(1.0));
            let local = Trs {
                translation: vector("m_LocalPosition", Vec3::ZERO),
                rotation: if rotation.length() > 1e-6 { rotation.normalize() } else { Quat::IDENTITY },
                scale: vector("m_LocalScale", Vec3::ONE),
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
    }

    /// Returns a node by its transform.
    pub(super) fn node(&self, transform: i64) -> Option<&Node> {
        self.nodes.get(&transform)
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

    /// Returns the transforms above a node, nearest first. A cycle ends the list.
    pub(super) fn ancestors(&self, transform: i64) -> impl Iterator<Item = i64> + '_ {
        let above = |id: &i64| self.nodes.get(id)?.parent.filter(|parent| self.nodes.contains_key(parent));
        std::iter::successors(above(&transform), above).take(self.nodes.len())
    }

    /// Returns the transform of the root above a node, and of the node below this root that leads to the node.
    pub(super) fn root_and_branch(&self, transform: i64) -> Option<[i64; 2]> {
        let path: Vec<i64> = std::iter::once(transform).chain(self.ancestors(transform)).collect();
        path.last_chunk::<2>().map(|[branch, root]| [*root, *branch])
    }

    /// Whether a node and all nodes above it are on.
    pub(super) fn is_active(&self, transform: i64) -> bool {
        let is_on = |id: i64| self.nodes.get(&id).is_none_or(|node| node.is_active);
        is_on(transform) && self.ancestors(transform).all(is_on)
    }

    /// Returns the scripts on nodes of this file, in the order of their numbers.
    pub(super) fn components(&self) -> impl Iterator<Item = Component<'_>> {
        let scripts = self.objects.iter().filter(|(_, object)| object.class == MONO_BEHAVIOUR && !object.is_stripped);
        scripts.filter_map(|(id, object)| {
            Some(Component {
                node: self.node_of(*id)?,
                guid: object.body.at(&["m_Script", "guid"])?.as_text()?,
                body: &object.body,
                line: object.line,
            })
        })
    }
}

fn is_transform(object: &Object) -> bool {
    matches!(object.class, TRANSFORM | RECT_TRANSFORM) && !object.is_stripped
}

/// The number of an object of the same file. 0 if there is no reference, or a reference to another file.
pub(super) fn reference(field: &Yaml) -> i64 {
    let is_local = field.get("guid").is_none();
    field.text("fileID").filter(|_| is_local).and_then(|id| id.parse().ok()).unwrap_or(0)
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
