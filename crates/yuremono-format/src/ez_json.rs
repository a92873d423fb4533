//! `EZSoftBone` setups as JSON, with the names of the serialized fields.
//!
//! `{"format": "ez-soft-bone", "version": 1, "mirror": "x", "Components": […], "Colliders": […]}`. Each component is
//! one `EZSoftBone` for one chain, so a script in the Unity editor can set its fields with `SerializedObject`. A
//! component contains:
//! - `m_RootBones`, `m_EndBones`, `m_SimulateSpace` and `m_GravityAligner`, by name;
//! - the other fields of the component;
//! - `m_Material`, with the fields of its `EZSoftBoneMaterial`;
//! - `m_ExtraColliders`, a list of names from `Colliders`.
//!
//! A curve is a list of keys with the fields of Unity's `Keyframe`. Every written file contains all curves, because the
//! curves of a new `EZSoftBoneMaterial` are not flat: `m_ResistanceCurve` falls from 1 to 0, `m_SlacknessCurve` from 1
//! to 0.8. A value without its curve would therefore change. A missing curve is read as a constant 1.
//!
//! Materials with the same `m_Name` are one shared asset. A material without a name belongs to a single component.
//! `Colliders` are written as in [`super::setup_json`]. Each collider is a game object with one Unity collider.
//!
//! Only the space is converted. Unity's space is left-handed with Y up, and `mirror` is the axis that changes sign in
//! the conversion to glTF's space. Lengths are in metres. Gravity is in metres per second in each frame, as
//! `EZSoftBone` computes gravity.

mod colliders;
mod read;
mod write;

pub use read::read;
pub use write::write;

use super::unity_space::to_unity;
use yuremono_model::document::ListKind;
use yuremono_model::exchange::{FormatInfo, FormatSignature, SetupLayout};
use yuremono_sim::SolverKind;
use yuremono_sim::params::{ParamDef, ParamId};
use yuremono_sim::solver::ez_soft_bone;

pub const INFO: FormatInfo = FormatInfo {
    key: "ez-soft-bone",
    label: "EZSoftBone JSON",
    hint: "Fields of component and material, for a script in Unity",
    doc: "The fields of EZSoftBone's components and materials, one component per chain.",
    extensions: &["json"],
    solver: Some(SolverKind::EzSoftBone),
    layout: SetupLayout::ChainTrees,
    signature: FormatSignature::Json(FORMAT_NAME),
    single_node_lists: &[ListKind::SimulateSpace, ListKind::GravityAligner],
    stores_shape: |_| true,
    has_cell_names: false,
    has_flip_axis: true,
    read,
    write: |file, options| write(&to_unity(file.clone(), options.flip_axis)),
    unwritable_names: |_, _| Vec::new(),
};

/// The value of the `format` field.
pub const FORMAT_NAME: &str = "ez-soft-bone";
/// The version that is written.
pub const VERSION: u64 = 1;

/// Joint parameters that are fields of the material. The curve of a parameter is the field with the suffix `Curve`.
const MATERIAL_PARAMS: &[ParamId] = ez_soft_bone::MATERIAL_PARAMS;
const MATERIAL_NAME_FIELD: &str = "m_Name";
/// Joint parameters that are fields of the component, with their curves.
const COMPONENT_PARAMS: [ParamId; 1] = [ez_soft_bone::RADIUS];
/// Maximum number of ends, colliders and keys that are copied for all chains of a file. Each further root of a
/// component gets a copy of all of them.
const MAX_COPIES: usize = 1 << 18;
/// Fields of a component that are not values.
const KNOWN_FIELDS: [&str; 5] = ["name", "m_RootBones", "m_EndBones", "m_Material", "m_ExtraColliders"];
/// Fields of a component that name a node.
const NODE_FIELDS: [(ListKind, &str); 2] =
    [(ListKind::SimulateSpace, "m_SimulateSpace"), (ListKind::GravityAligner, "m_GravityAligner")];

fn params() -> &'static [ParamDef] {
    SolverKind::EzSoftBone.info().params
}

fn param_def(param: ParamId) -> &'static ParamDef {
    &params()[param.index()]
}
