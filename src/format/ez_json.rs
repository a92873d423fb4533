//! Setups of `EZSoftBone` as JSON with the names that its serialized fields have.
//!
//! `{"format": "ez-soft-bone", "version": 1, "mirror": "x", "Components": […], "Colliders": […]}`. Each component is one
//! `EZSoftBone` for one chain, so that a script in Unity's editor can set its fields by `SerializedObject`: `m_RootBones`
//! and `m_EndBones` by name, `m_SimulateSpace` and `m_GravityAligner` by name, the fields of the component, and in `m_Material` those of its `EZSoftBoneMaterial`. A curve
//! is a list of keys as Unity's `Keyframe` has them. Each file has all curves: those of a new `EZSoftBoneMaterial` are not flat
//! (`m_ResistanceCurve` falls from 1 to 0, `m_SlacknessCurve` from 1 to 0.8), so that a number without its curve would not be
//! what it was. A curve that a file lacks is read as a constant 1. Materials
//! with one `m_Name` are one asset of that name, which these components share; without a name it is the component's own.
//! `m_ExtraColliders` are names of `Colliders`, written as in [`super::setup_json`]: game objects with a collider of
//! Unity's each.
//!
//! Nothing is converted but the space: Unity's, left-handed, Y up; `mirror` says which axis changes sign on the way to
//! glTF's. Lengths are metres, gravity is metres per second in each frame, as `EZSoftBone` computes it.

mod colliders;
mod read;
mod write;

pub use read::read;
pub use write::write;

use super::unity_space::to_unity;
use crate::document::ListKind;
use crate::exchange::{FormatInfo, FormatSignature, SetupLayout};
use crate::params::{ParamDef, ParamId};
use crate::sim::SolverKind;
use crate::sim::solver::ez_soft_bone as row;

/// This format.
pub const INFO: FormatInfo = FormatInfo {
    key: "ez-soft-bone",
    label: "EZSoftBone JSON",
    hint: [
        "Fields of component and material, for a script in Unity",
        "コンポーネントとマテリアルのフィールド。Unity用スクリプト向け",
    ],
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

/// What its files call their format.
pub const FORMAT_NAME: &str = "ez-soft-bone";
/// The version that is written.
pub const VERSION: u64 = 1;

/// Rows of joints that are fields of the material; each has a curve of its name and `Curve`.
const MATERIAL_PARAMS: &[ParamId] = row::MATERIAL_PARAMS;
const MATERIAL_NAME_FIELD: &str = "m_Name";
/// Rows of joints that are fields of the component, with their curves.
const COMPONENT_PARAMS: [ParamId; 1] = [row::RADIUS];
/// Most ends, colliders and keys that are copied for all chains of a file: each further root of a component has all of them.
const MAX_COPIES: usize = 1 << 18;
/// Fields of a component that are no values.
const KNOWN_FIELDS: [&str; 5] = ["name", "m_RootBones", "m_EndBones", "m_Material", "m_ExtraColliders"];
/// Fields of a component that name a node.
const NODE_FIELDS: [(ListKind, &str); 2] =
    [(ListKind::SimulateSpace, "m_SimulateSpace"), (ListKind::GravityAligner, "m_GravityAligner")];

fn params() -> &'static [ParamDef] {
    SolverKind::EzSoftBone.info().params
}

fn param_def(row: ParamId) -> &'static ParamDef {
    &params()[row.index()]
}
