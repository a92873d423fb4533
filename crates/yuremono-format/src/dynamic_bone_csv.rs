//! The CSV of `DynamicBoneDynamicsCsv`, a Unity editor extension that saves and loads `DynamicBone` setups.
//!
//! The source is the public code of <https://github.com/karukaru808/DynamicBoneDynamicsCsv>. A section starts with a
//! bracketed name and ends with an empty line. Cells are separated by commas and never quoted:
//!
//! - `[ColliderBase]`: parent, name, local position x y z, local rotation x y z w, direction (0 X, 1 Y, 2 Z), center x
//!   y z, bound (0 outside, 1 inside), then radius and height, which planes do not have;
//! - `[DynamicBone]`: the same nine cells for the object of the component, then root, update rate, update mode,
//!   damping, elasticity, stiffness, inert, friction, radius, end length, end offset x y z, gravity x y z, force x y z,
//!   freeze axis, distant disable, reference object, distance;
//! - `[m_DampingDistrib]` and five more: the name of the object, then for each key of the curve time, value, slope in,
//!   weight in, slope out, weight out;
//! - `[m_Colliders]`, `[m_Exclusions]`: the name of the object, then names.
//!
//! All values are in Unity's space. Weights of keys are written as 0 and ignored on reading.

mod read;
mod write;

pub use read::read;
pub use write::{unwritable_names, write};

use super::unity_space::to_unity;
use yuremono_model::exchange::{FormatInfo, FormatSignature, SetupLayout};
use yuremono_sim::params::ParamId;
use yuremono_sim::solver::dynamic_bone as db;
use yuremono_sim::{ColliderShape, SolverKind};

pub const INFO: FormatInfo = FormatInfo {
    key: "dynamic-bone",
    label: "DynamicBone CSV",
    hint: "For the editor extension DynamicBoneDynamicsCsv: one component per chain",
    doc: "Components, curves and colliders of DynamicBone, for the editor extension \
          [DynamicBoneDynamicsCsv](https://github.com/karukaru808/DynamicBoneDynamicsCsv).",
    extensions: &["csv"],
    solver: Some(SolverKind::DynamicBone),
    layout: SetupLayout::ChainTrees,
    signature: FormatSignature::Text(is_dynamic_bone_csv),
    single_node_lists: &[],
    stores_shape: |shape| {
        matches!(shape, ColliderShape::Sphere { .. } | ColliderShape::Capsule { .. } | ColliderShape::Plane)
    },
    has_cell_names: true,
    has_flip_axis: true,
    read,
    write: |file, options| write(&to_unity(file.clone(), options.flip_axis)),
    unwritable_names,
};

/// The sections of curves with their parameters, in file order.
const CURVE_SECTIONS: [(&str, ParamId); 6] = [
    ("m_DampingDistrib", db::DAMPING),
    ("m_ElasticityDistrib", db::ELASTICITY),
    ("m_StiffnessDistrib", db::STIFFNESS),
    ("m_InertDistrib", db::INERT),
    ("m_FrictionDistrib", db::FRICTION),
    ("m_RadiusDistrib", db::RADIUS),
];
const COMPONENT_SECTION: &str = "DynamicBone";
const COLLIDER_SECTION: &str = "ColliderBase";
const COLLIDER_LIST_SECTION: &str = "m_Colliders";
const EXCLUSION_SECTION: &str = "m_Exclusions";
/// The number of cells that describe an object: parent, name, position, rotation. The cells of its component follow.
const OBJECT_CELLS: usize = 9;
/// The number of cells that describe an object and its component.
const COMPONENT_CELLS: usize = 32;
const NUMBER_CELLS: [(usize, ParamId); 21] = [
    (10, db::UPDATE_RATE),
    (11, db::UPDATE_MODE),
    (12, db::DAMPING),
    (13, db::ELASTICITY),
    (14, db::STIFFNESS),
    (15, db::INERT),
    (16, db::FRICTION),
    (17, db::RADIUS),
    (18, db::END_LENGTH),
    (19, db::END_OFFSET[0]),
    (20, db::END_OFFSET[1]),
    (21, db::END_OFFSET[2]),
    (22, db::GRAVITY[0]),
    (23, db::GRAVITY[1]),
    (24, db::GRAVITY[2]),
    (25, db::FORCE[0]),
    (26, db::FORCE[1]),
    (27, db::FORCE[2]),
    (28, db::FREEZE_AXIS),
    (29, db::DISTANT_DISABLE),
    (31, db::DISTANCE_TO_OBJECT),
];

/// Whether a file is in this format. Such a file contains at least one of these sections.
fn is_dynamic_bone_csv(bytes: &[u8]) -> bool {
    let has = |name: &str| {
        let name = format!("[{name}]");
        bytes.split(|b| matches!(b, b'\n' | b'\r')).any(|line| line.trim_ascii() == name.as_bytes())
    };
    // A table of `unity_csv` can also have a `DynamicBone` section, in which a comment before the section names the
    // solver. That section is therefore not checked.
    has(COLLIDER_SECTION) || has(CURVE_SECTIONS[0].0) || has(COLLIDER_LIST_SECTION) || has(EXCLUSION_SECTION)
}
