//! Setups of `KawaiiPhysics` as JSON with the property names of the plugin.
//!
//! `{"format": "kawaii-physics", "version": 1, "plugin": "…", "ProjectSettings": {…}, "Nodes": […]}`. Each node is one
//! `FAnimNode_KawaiiPhysics` for one chain, so that a script in the Unreal editor can set its properties one by one. A
//! node contains:
//! - `RootBone` and `ExcludeBones`;
//! - `PhysicsSettings` with its six curves (`DampingCurveData` …);
//! - the other properties of the node;
//! - `SimulationBaseBone` by name;
//! - the external force `ProceduralWind`;
//! - the limits.
//!
//! `ProjectSettings` are the project settings of the plugin.
//!
//! The property names are from the plugin's source of 2026-08-18 or newer. `PLUGIN_VERSION` writes that fact into the
//! file. On that day, after the tag 1.21.0, the properties of `ProceduralWind` were renamed. The earlier names are also
//! read ([`ParamDef::former_names`]). `EnvelopeFrequency` becomes a period.
//!
//! The codec converts units and space:
//! - Lengths, speeds and accelerations are in centimetres in the file: `Radius`, `DummyBoneLength`,
//!   `TeleportDistanceThreshold`, `Gravity`, `SimpleExternalForce`, forces of the wind, offsets and sizes of limits.
//! - Vectors, offsets, rotations and the axes of `BoneForwardAxis` and `PlanarConstraint` are in Unreal's left-handed
//!   space with Z up. As in Unreal's glTF importer, X is glTF's X, Y is glTF's Z, and Z is glTF's Y.
//! - Angles are in degrees on both sides. All other numbers are unchanged.

mod limits;
mod read;
mod write;

pub use read::read;
pub use write::write;

use super::json_common::{self, SetupDiagnostics};
use super::unity_space::to_unity;
use crate::diagnostics::{MessageText, message};
use crate::document::{FlipAxis, ListKind};
use crate::exchange::{FormatInfo, FormatSignature, SetupLayout};
use crate::params::{EntryParams, ParamDef, ParamId, ParamKind, ParamScope, Unit, entries};
use crate::sim::solver::kawaii::params as row;
use crate::sim::{ColliderShape, SolverKind};
use serde_json::{Map, Value, json};

pub const INFO: FormatInfo = FormatInfo {
    key: "kawaii-physics",
    label: "KawaiiPhysics JSON",
    hint: [
        "Properties of the animation node, for a script in Unreal; in centimetres and Unreal’s axes",
        "アニメーションノードのプロパティ。Unreal用スクリプト向け（センチメートル、Unrealの座標軸）",
    ],
    doc: "The properties of KawaiiPhysics' animation nodes, one node per chain.",
    extensions: &["json"],
    solver: Some(SolverKind::KawaiiPhysics),
    layout: SetupLayout::ChainTrees,
    signature: FormatSignature::Json(FORMAT_NAME),
    single_node_lists: &[ListKind::BaseBone],
    stores_shape: |shape| match shape {
        ColliderShape::Sphere { .. } | ColliderShape::Plane => true,
        ColliderShape::Capsule { inside, .. }
        | ColliderShape::TaperedCapsule { inside, .. }
        | ColliderShape::Box { inside, .. } => !*inside,
        _ => false,
    },
    has_cell_names: false,
    has_flip_axis: false,
    read,
    write: |file, options| write(&to_unity(file.clone(), options.flip_axis)),
    unwritable_names: |_, _| Vec::new(),
};

/// The value of the `format` field.
pub const FORMAT_NAME: &str = "kawaii-physics";
/// The version that the writer writes.
pub const VERSION: u64 = 1;

/// The plugin releases that have the property names of the writer.
const PLUGIN_VERSION: &str =
    "KawaiiPhysics of 2026-08-18 or newer (after 1.21.0): earlier ones have other names in ProceduralWind";

/// Joint parameters that are members of `PhysicsSettings`. The curve of each has the suffix `CurveData`.
const SETTINGS_PARAMS: [ParamId; 6] = [
    row::DAMPING,
    row::STIFFNESS,
    row::WORLD_DAMPING_LOCATION,
    row::WORLD_DAMPING_ROTATION,
    row::RADIUS,
    row::LIMIT_ANGLE,
];
/// Parameters that belong to the project settings of the plugin.
const PROJECT_PARAMS: [ParamId; 2] = [row::USE_FIXED_SUBSTEPPING, row::MAX_SUBSTEPS];
/// The bone that defines the simulation space.
const BASE_BONE_FIELD: &str = "SimulationBaseBone";
/// The property with the parameters of the external force.
const WIND_FIELD: &str = "ProceduralWind";

/// The table entries that are properties of a node.
fn node_entries() -> impl Iterator<Item = (EntryParams, &'static ParamDef)> {
    let is_of_node = |(rows, def): &(EntryParams, &ParamDef)| {
        def.scope == ParamScope::System && !def.extension && !PROJECT_PARAMS.contains(&rows.first())
    };
    entries(SolverKind::KawaiiPhysics.info().params).filter(is_of_node)
}

/// Splits a property name: whether it belongs to the external force, its key, and the member if the property is a
/// structure.
fn split_property_path(name: &'static str) -> (bool, &'static str, Option<&'static str>) {
    let mut path = name.split('.').peekable();
    let of_wind = path.next_if_eq(&WIND_FIELD).is_some();
    (of_wind, path.next().unwrap_or_default(), path.next())
}

const ENUM_NAMES: [(ParamId, &[&str]); 4] = [
    (row::BONE_FORWARD_AXIS, &["X_Positive", "X_Negative", "Y_Positive", "Y_Negative", "Z_Positive", "Z_Negative"]),
    (row::PLANAR_CONSTRAINT, &["None", "X", "Y", "Z"]),
    (row::SIMULATION_SPACE, &["ComponentSpace", "WorldSpace", "BaseBoneSpace"]),
    (row::WIND_SPACE, &["ComponentSpace", "WorldSpace", "BoneSpace"]),
];

fn choice_names(row: ParamId, def: &ParamDef) -> Option<&'static [&'static str]> {
    match (ENUM_NAMES.iter().find(|(of, _)| *of == row), def.kind) {
        (Some((_, names)), _) => Some(names),
        (None, ParamKind::Choice(names)) => Some(names),
        _ => None,
    }
}

/// The index of an axis choice in the other space, with Unreal's Y and Z swapped. The function is its own inverse.
fn swap_axis_choice(row: ParamId, choice: usize) -> usize {
    let swapped: &[usize] = match row {
        row::BONE_FORWARD_AXIS => &[0, 1, 4, 5, 2, 3],
        row::PLANAR_CONSTRAINT => &[0, 1, 3, 2],
        _ => return choice,
    };
    swapped.get(choice).copied().unwrap_or(choice)
}

/// The axis that changes sign between glTF's space and the space of the entries that the reader returns.
const READ_MIRROR: FlipAxis = FlipAxis::X;

const fn plugin_scale(def: &ParamDef) -> f64 {
    match def.unit {
        Unit::Metres | Unit::Speed | Unit::Acceleration => CENTIMETRES_PER_METRE,
        _ => 1.0,
    }
}

const CENTIMETRES_PER_METRE: f64 = 100.0;

/// Converts a number to Yuremono's units. The conversion runs in f64, so that no digits are lost.
fn from_plugin_units(value: &Value, by: f64) -> Result<f32, MessageText> {
    if let (Some(number), true) = (value.as_f64(), by != 1.0) {
        let ours = (number / by) as f32;
        return if ours.is_finite() {
            Ok(ours)
        } else {
            Err(message!("{value} is too large for a number; left out", value = json_common::describe_value(value)))
        };
    }
    json_common::number_from_json(value)
}

/// A length in metres. Returns the default if the length is missing or not a number.
fn read_length(value: Option<&Value>, default: f32, at: &str, found: &mut SetupDiagnostics) -> f32 {
    let read = value.map(|value| from_plugin_units(value, CENTIMETRES_PER_METRE));
    read.map_or(default, |read| read.map_err(|why| found.warn(at, why)).unwrap_or(default))
}

/// Converts between Unreal's space and glTF's space.
struct UnrealSpace;

impl UnrealSpace {
    /// Reads a vector in Unreal's axes and returns the components in glTF's axes.
    fn read_vector(value: &Map<String, Value>, by: f64, at: &str, found: &mut SetupDiagnostics) -> [Option<f32>; 3] {
        ["X", "Z", "Y"].map(|axis| {
            let read = value.get(axis).map(|number| from_plugin_units(number, by));
            read.and_then(|read| read.map_err(|why| found.warn(&format!("{at}/{axis}"), why)).ok())
        })
    }

    /// The lengths in a field of an object, along glTF's axes, in metres.
    fn read_lengths(
        object: &Map<String, Value>,
        key: &str,
        at: &str,
        found: &mut SetupDiagnostics,
    ) -> Option<[f32; 3]> {
        let value = found.object(object, key, at)?;
        let parts = Self::read_vector(value, CENTIMETRES_PER_METRE, &format!("{at}/{key}"), found);
        Some(parts.map(|part| part.unwrap_or(0.0)))
    }
}

/// Converts a number to the plugin's units, with the precision of `value`.
fn to_plugin_units(value: f32, by: f64) -> Value {
    if by == 1.0 || !value.is_finite() {
        return json_common::number_to_json(value);
    }
    let decimal: f64 = value.to_string().parse().expect("a finite number is written as one");
    let text = format!("{:.11e}", decimal * by);
    json!(text.parse::<f64>().expect("a number is written as one"))
}

/// A vector in Unreal's axes. The input is in Unity's space if `mirror` is given, else in glTF's space.
fn vector_to_json(mut parts: [f32; 3], mirror: Option<FlipAxis>, by: f64) -> Value {
    if let Some(axis) = mirror {
        parts[axis.index()] = 0.0 - parts[axis.index()];
    }
    let [x, y, z] = parts;
    json!({ "X": to_plugin_units(x, by), "Y": to_plugin_units(z, by), "Z": to_plugin_units(y, by) })
}

/// A length in the plugin's units, centimetres.
fn length_to_json(metres: f32) -> Value {
    to_plugin_units(metres, CENTIMETRES_PER_METRE)
}
