//! Version 1 of the project file: its types, and the way to a document and back.

mod extras;
mod load;
mod save;

pub(super) use load::load;
pub(super) use save::save;

use crate::doc::HelperRole;
use crate::doc::saved::{Curve, Number};
use serde_json::Value;
use std::collections::BTreeMap;

/// Names of the fields of [`Saved`]; all others are kept for writing. A test compares.
pub(super) const FIELDS: &[&str] = &[
    "yuremono",
    "character",
    "solver",
    "bones",
    "system",
    "systems",
    "materials",
    "chains",
    "helpers",
    "colliders",
    "groups",
    "forces",
    "high_legs",
    "renderers_off",
    "excluded",
    "gestures",
    "kept",
    "motions",
    "view",
];

/// A position in the list of bones.
pub(super) type BoneIndex = usize;

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Saved {
    pub yuremono: u64,
    pub character: Character,
    pub solver: String,
    /// All bones that the rest refers to.
    #[serde(default)]
    pub bones: Vec<Bone>,
    #[serde(default)]
    pub system: BTreeMap<String, Number>,
    /// All systems where there are several; `solver` and `system` are then the first one's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub systems: Vec<System>,
    /// Numbers that chains share.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub materials: Vec<Material>,
    #[serde(default)]
    pub chains: Vec<Chain>,
    #[serde(default)]
    pub helpers: Vec<Helper>,
    #[serde(default)]
    pub colliders: Vec<Collider>,
    #[serde(default)]
    pub groups: Vec<Group>,
    #[serde(default)]
    pub forces: Vec<Force>,
    #[serde(default)]
    pub high_legs: Vec<HighLeg>,
    #[serde(default)]
    pub renderers_off: Vec<String>,
    #[serde(default)]
    pub excluded: Vec<BoneIndex>,
    #[serde(default)]
    pub gestures: Vec<Gesture>,
    #[serde(default)]
    pub kept: Vec<Kept>,
    /// Motion files, named as the character's file is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub motions: Vec<String>,
    #[serde(default)]
    pub view: Value,
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Character {
    pub path: String,
    #[serde(default)]
    pub name: String,
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Bone {
    pub name: String,
    /// Names of the ancestors, the root first.
    #[serde(default)]
    pub above: Vec<String>,
    /// Which of several with the same name and path, in file order.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub nth: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(n: &usize) -> bool {
    *n == 0
}

#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Node {
    Bone(BoneIndex),
    Helper(u32),
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Chain {
    pub id: u32,
    pub name: String,
    pub part: String,
    pub along: String,
    /// Which of the systems moves it; the first where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<u32>,
    /// Which of the materials it has. Its values are that material's all the same, for readers that know of none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<u32>,
    pub values: BTreeMap<String, Value1>,
    pub joints: Vec<Joint>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub center: Option<Node>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<u32>,
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Material {
    pub id: u32,
    pub name: String,
    pub solver: String,
    /// A value for each row that materials of the solver hold.
    pub values: BTreeMap<String, Value1>,
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct System {
    pub id: u32,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    pub solver: String,
    #[serde(default)]
    pub values: BTreeMap<String, Number>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub component: Option<Node>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extras: Option<extras::Lists>,
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Group {
    pub id: u32,
    pub name: String,
    pub colliders: Vec<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<u32>,
}

/// Angles in radians, the rotation as x, y, z, w.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Limit {
    Cone { angle: Number, rotation: [Number; 4] },
    Hinge { angle: Number, rotation: [Number; 4] },
    Spherical { pitch: Number, yaw: Number, rotation: [Number; 4] },
}

/// A base value with its curve.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Value1 {
    pub base: Number,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub curve: Option<Curve>,
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Joint {
    pub bone: BoneIndex,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tip: Option<Tip>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub own: BTreeMap<String, Number>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pivot: Option<Node>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub length_targets: Vec<LengthTarget>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub colliders: Vec<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<Limit>,
    #[serde(default = "yes")]
    pub enabled: bool,
    #[serde(default, skip_serializing_if = "is_false")]
    pub animated: bool,
}

#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct LengthTarget {
    pub node: Node,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub constant: Option<Number>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(b: &bool) -> bool {
    !*b
}

const fn yes() -> bool {
    true
}

#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Tip {
    Bone(BoneIndex),
    Offset([Number; 3]),
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Helper {
    pub id: u32,
    pub name: String,
    pub parent: Node,
    pub translation: [Number; 3],
    pub rotation: [Number; 4],
    pub scale: [Number; 3],
    /// Missing in the oldest files: a node that a joint's limits refer to is a pivot.
    #[serde(default)]
    pub role: Option<HelperRole>,
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Collider {
    pub id: u32,
    pub name: String,
    pub node: Node,
    pub shape: Shape,
    #[serde(default = "yes")]
    pub enabled: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub renderer: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<u32>,
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Force {
    pub id: u32,
    pub name: String,
    pub node: Node,
    pub kind: String,
    /// By the names of the kind's own table.
    pub values: BTreeMap<String, Number>,
    #[serde(default = "yes")]
    pub enabled: bool,
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct HighLeg {
    pub id: u32,
    pub node: Node,
    pub hip: Node,
    pub legs: Vec<[Node; 2]>,
}

#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Shape {
    Sphere { radius: Number },
    Capsule { radius: Number, height: Number },
    Panel { width: Number, height: Number },
    InsideSphere { radius: Number },
    InsideCapsule { radius: Number, height: Number },
    Plane {},
    Tapered { radius: Number, tail_radius: Number, height: Number },
    InsideTapered { radius: Number, tail_radius: Number, height: Number },
    Box { width: Number, height: Number, depth: Number },
    InsideBox { width: Number, height: Number, depth: Number },
    Cylinder { radius: Number, height: Number },
    InsideCylinder { radius: Number, height: Number },
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Gesture {
    pub id: u32,
    pub name: String,
    pub bone: BoneIndex,
    /// Offset x, y, z, then the turn x, y, z, w.
    pub samples: Vec<[Number; 7]>,
    /// What it was recorded over; the rest pose where that is not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over: Option<Underlay>,
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Underlay {
    pub motion: Underneath,
    pub start: f64,
    pub pace: f64,
    pub amplitude: Number,
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Underneath {
    /// By its name on the command line.
    Test(String),
    Clip(String),
    Gesture(u32),
}

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Kept {
    pub bone: String,
    pub cells: Vec<String>,
}
