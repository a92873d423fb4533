//! Reads and writes setups for `KawaiiPhysics` as JSON with the property names of the plugin.
//!
//! `{"format": "kawaii-physics", "version": 1, "plugin": "…", "ProjectSettings": {…}, "Nodes": […]}`. Each entry of
//! `Nodes` is one `FAnimNode_KawaiiPhysics`, which moves one chain. A script in the Unreal editor can set the
//! properties of the node one by one. An entry contains:
//! - `RootBone` and `ExcludeBones`;
//! - `PhysicsSettings` with its six curves (`DampingCurveData` …);
//! - the other properties of the node;
//! - the name of `SimulationBaseBone`;
//! - the external force `ProceduralWind`;
//! - the limits.
//!
//! `ProjectSettings` contains the project settings of the plugin.
//!
//! The property names are those of the plugin's source since 2026-08-18, and the file states that version in `plugin`.
//! On that day, after the tag 1.21.0, the plugin renamed the properties of `ProceduralWind`. The reader also accepts
//! the earlier names ([`ParamDef::former_names`]), and converts `EnvelopeFrequency` to a period.
//!
//! The codec converts units and space:
//! - The file stores lengths, speeds and accelerations in centimetres: `Radius`, `DummyBoneLength`,
//!   `TeleportDistanceThreshold`, `Gravity`, `SimpleExternalForce`, the forces of the wind, and the offsets and sizes
//!   of limits.
//! - Vectors, offsets, rotations and the axes of `BoneForwardAxis` and `PlanarConstraint` are in Unreal's left-handed
//!   space with Z up. As in Unreal's glTF importer, X is glTF's X, Y is glTF's Z, and Z is glTF's Y.
//! - Angles are in degrees in the file and in Yuremono. All other numbers are unchanged.

mod limits;
mod read;
mod write;

pub use read::read;
pub use write::write;

use super::json_common::{self, SetupDiagnostics};
use super::unity_space::to_unity;
use serde_json::{Map, Value, json};
use yuremono_model::document::{FlipAxis, ListKind};
use yuremono_model::exchange::{FormatInfo, FormatSignature, SetupLayout};
use yuremono_sim::diagnostics::{MessageText, message};
use yuremono_sim::params::{EntryParams, ParamDef, ParamId, ParamKind, ParamScope, Unit, entries};
use yuremono_sim::solver::kawaii::params;
use yuremono_sim::{ColliderShape, SolverKind};

pub const INFO: FormatInfo = FormatInfo {
    key: "kawaii-physics",
    label: "KawaiiPhysics JSON",
    hint: "Properties of the animation node, for a script in Unreal; in centimetres and Unreal’s axes",
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

/// The plugin versions that use the property names of this module.
const PLUGIN_VERSION: &str =
    "KawaiiPhysics of 2026-08-18 or newer (after 1.21.0): earlier ones have other names in ProceduralWind";

/// Joint parameters that are members of `PhysicsSettings`. The name of their curves ends in `CurveData`.
const SETTINGS_PARAMS: [ParamId; 6] = [
    params::DAMPING,
    params::STIFFNESS,
    params::WORLD_DAMPING_LOCATION,
    params::WORLD_DAMPING_ROTATION,
    params::RADIUS,
    params::LIMIT_ANGLE,
];
/// Parameters that belong to the project settings of the plugin.
const PROJECT_PARAMS: [ParamId; 2] = [params::USE_FIXED_SUBSTEPPING, params::MAX_SUBSTEPS];
/// The bone that defines the simulation space.
const BASE_BONE_FIELD: &str = "SimulationBaseBone";
/// The property with the parameters of the external force.
const WIND_FIELD: &str = "ProceduralWind";

/// Returns the table entries that are properties of a node.
fn node_entries() -> impl Iterator<Item = (EntryParams, &'static ParamDef)> {
    let is_of_node = |(rows, def): &(EntryParams, &ParamDef)| {
        def.scope == ParamScope::System && !def.extension && !PROJECT_PARAMS.contains(&rows.first())
    };
    entries(SolverKind::KawaiiPhysics.info().params).filter(is_of_node)
}

/// Splits a property name. Returns whether the property belongs to the external force, its key, and the name of the
/// member if the property is a structure.
fn split_property_path(name: &'static str) -> (bool, &'static str, Option<&'static str>) {
    let mut path = name.split('.').peekable();
    let of_wind = path.next_if_eq(&WIND_FIELD).is_some();
    (of_wind, path.next().unwrap_or_default(), path.next())
}

const ENUM_NAMES: [(ParamId, &[&str]); 4] = [
    (params::BONE_FORWARD_AXIS, &["X_Positive", "X_Negative", "Y_Positive", "Y_Negative", "Z_Positive", "Z_Negative"]),
    (params::PLANAR_CONSTRAINT, &["None", "X", "Y", "Z"]),
    (params::SIMULATION_SPACE, &["ComponentSpace", "WorldSpace", "BaseBoneSpace"]),
    (params::WIND_SPACE, &["ComponentSpace", "WorldSpace", "BoneSpace"]),
];

fn choice_names(param: ParamId, def: &ParamDef) -> Option<&'static [&'static str]> {
    match (ENUM_NAMES.iter().find(|(of, _)| *of == param), def.kind) {
        (Some((_, names)), _) => Some(names),
        (None, ParamKind::Choice(names)) => Some(names),
        _ => None,
    }
}

/// Swaps Unreal's Y and Z in an axis choice, and returns the new index. The function is its own inverse.
fn swap_axis_choice(param: ParamId, choice: usize) -> usize {
    let swapped: &[usize] = match param {
        params::BONE_FORWARD_AXIS => &[0, 1, 4, 5, 2, 3],
        params::PLANAR_CONSTRAINT => &[0, 1, 3, 2],
        _ => return choice,
    };
    swapped.get(choice).copied().unwrap_or(choice)
}

/// The axis that changes sign between glTF's space and the space of the entries that the reader returns.
const READ_FLIP_AXIS: FlipAxis = FlipAxis::X;

const fn plugin_scale(def: &ParamDef) -> f64 {
    match def.unit {
        Unit::Metres | Unit::Speed | Unit::Acceleration => CENTIMETRES_PER_METRE,
        _ => 1.0,
    }
}

const CENTIMETRES_PER_METRE: f64 = 100.0;

/// Converts a number to Yuremono's units. The conversion uses `f64`, because `f32` would lose digits.
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

/// Reads a length in metres. Returns the default if the length is missing or not a number.
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

    /// Reads three lengths from a field of an object, in metres and in glTF's axes.
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

/// Converts a number to the plugin's units, and rounds away the error of the multiplication.
fn to_plugin_units(value: f32, by: f64) -> Value {
    if by == 1.0 || !value.is_finite() {
        return json_common::number_to_json(value);
    }
    let decimal: f64 = value.to_string().parse().expect("a finite number is written as one");
    let text = format!("{:.11e}", decimal * by);
    json!(text.parse::<f64>().expect("a number is written as one"))
}

/// Converts a vector to Unreal's axes. The input is in Unity's space if `mirror` is given, otherwise in glTF's space.
fn vector_to_json(mut parts: [f32; 3], mirror: Option<FlipAxis>, by: f64) -> Value {
    if let Some(axis) = mirror {
        parts[axis.index()] = 0.0 - parts[axis.index()];
    }
    let [x, y, z] = parts;
    json!({ "X": to_plugin_units(x, by), "Y": to_plugin_units(z, by), "Z": to_plugin_units(y, by) })
}

/// Converts a length to the plugin's unit, centimetres.
fn length_to_json(metres: f32) -> Value {
    to_plugin_units(metres, CENTIMETRES_PER_METRE)
}
