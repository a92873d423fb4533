//! One file or folder per way of moving a chain; each reads like its specification.

pub mod spring_bone;
pub mod vrm;
mod vrm_params;

use crate::schema::{ParamDef, SolverKind};

/// The parameter table of a solver.
pub const fn params(kind: SolverKind) -> &'static [ParamDef] {
    match kind {
        SolverKind::UnityChanSpringBone => spring_bone::PARAMS,
        SolverKind::Vrm => vrm::PARAMS,
    }
}
