//! One file or folder per way of moving a chain; each reads like its specification.

pub mod anim_dynamics;
pub mod dynamic_bone;
pub mod ez_soft_bone;
pub mod hinge;
pub mod joint_dynamics;
pub mod kawaii;
pub mod pbd_spring_bone;
pub mod spring_bone;
pub mod vrm;
mod vrm_params;

use super::sway::{Creep, Numbers, Sway, Term};
use super::{Origin, PivotLimit, RestTarget, Shape, Solver};
use crate::schema::{ParamDef, ParamSet, Row, SolverKind};
use glam::Vec3;

/// Calls one generic expression with the type of a kind.
macro_rules! of_kind {
    ($kind:expr, $solver:ident => $body:expr) => {
        of_kind!($kind, $solver => $body;
            UnityChanSpringBone: spring_bone::SpringBone,
            Vrm: vrm::Vrm,
            PbdSpringBone: pbd_spring_bone::PbdSpringBone,
            DynamicBone: dynamic_bone::DynamicBone,
            EzSoftBone: ez_soft_bone::EzSoftBone,
            JointDynamics: joint_dynamics::JointDynamics,
            KawaiiPhysics: kawaii::KawaiiPhysics,
            AnimDynamics: anim_dynamics::AnimDynamics,
            Hinge: hinge::Hinge,
        )
    };
    ($kind:expr, $solver:ident => $body:expr; $($name:ident: $type:path,)*) => {
        match $kind {
            $(SolverKind::$name => {
                type $solver = $type;
                $body
            })*
        }
    };
}

/// The parameter table of a solver.
pub const fn params(kind: SolverKind) -> &'static [ParamDef] {
    of_kind!(kind, S => <S as Solver>::PARAMS)
}

/// Whether a joint's numbers are those of its tip: the engine keeps them on the particle there.
pub const fn reads_at_tips(kind: SolverKind) -> bool {
    matches!(kind, SolverKind::DynamicBone | SolverKind::EzSoftBone)
}

/// Length of a step where a frame lasts `frame` seconds, see [`Solver::step_seconds`].
pub fn step_seconds(kind: SolverKind, system: &ParamSet, frame: f32) -> f32 {
    of_kind!(kind, S => S::step_seconds(system, frame))
}

/// How a joint sways, see [`Solver::sway`].
pub fn sway(kind: SolverKind, numbers: &Numbers<'_>) -> Sway {
    of_kind!(kind, S => S::sway(numbers))
}

/// How a slow tip comes home, see [`Solver::creep`].
pub fn creep(kind: SolverKind, numbers: &Numbers<'_>) -> Option<Creep> {
    of_kind!(kind, S => S::creep(numbers))
}

/// The numbers that sway so, see [`Solver::numbers`].
pub fn numbers(kind: SolverKind, sway: &Sway, now: &Numbers<'_>) -> Vec<(Row, f32)> {
    of_kind!(kind, S => S::numbers(sway, now))
}

/// The system's numbers that serve these joints best, see [`Solver::system_numbers`].
pub fn system_numbers(kind: SolverKind, joints: &[(Sway, f32)], system: &ParamSet, frame: f32) -> Vec<(Row, f32)> {
    of_kind!(kind, S => S::system_numbers(joints, system, frame))
}

/// The numbers of a joint's rigid body, see [`Solver::body_numbers`].
pub fn body_numbers(kind: SolverKind, tip: Vec3, system: &ParamSet) -> Vec<(Row, f32)> {
    of_kind!(kind, S => S::body_numbers(tip, system))
}

/// What a solver cannot express, and why, see [`Solver::CANNOT`].
pub const fn cannot(kind: SolverKind) -> &'static [(Term, &'static str)] {
    of_kind!(kind, S => <S as Solver>::CANNOT)
}

/// The rows of joints that a material of a solver holds, in the order of its table, see [`Solver::MATERIAL`]; none for most.
pub const fn material_rows(kind: SolverKind) -> &'static [Row] {
    of_kind!(kind, S => <S as Solver>::MATERIAL)
}

/// Whether any chain may come under a solver unasked, see [`Solver::TAKES_ANY`].
pub const fn takes_any(kind: SolverKind) -> bool {
    of_kind!(kind, S => <S as Solver>::TAKES_ANY)
}

/// Where springs pull tips to, see [`Solver::REST_TARGET`].
pub const fn rest_target(kind: SolverKind) -> RestTarget {
    of_kind!(kind, S => <S as Solver>::REST_TARGET)
}

/// The rows of where a joint's weight sits, see [`Solver::CENTER`].
pub const fn center_rows(kind: SolverKind) -> Option<[Row; 3]> {
    of_kind!(kind, S => <S as Solver>::CENTER)
}

/// The row that chooses whose ways are shown, see [`Solver::PREVIEW`].
pub const fn preview_row(kind: SolverKind) -> Option<Row> {
    of_kind!(kind, S => <S as Solver>::PREVIEW)
}

/// The angle limits that a solver measures in the frame of a joint's pivot, see [`Solver::PIVOT_LIMITS`].
pub const fn pivot_limits(kind: SolverKind) -> &'static [PivotLimit] {
    of_kind!(kind, S => <S as Solver>::PIVOT_LIMITS)
}

/// Whether the shown pose can be taken for rest, see [`Solver::TAKES_REST`].
pub const fn takes_rest(kind: SolverKind) -> bool {
    of_kind!(kind, S => <S as Solver>::TAKES_REST)
}

/// The row that is a share of an error in each step, see [`Solver::STEP_SHARE`].
pub const fn step_share(kind: SolverKind) -> Option<Row> {
    of_kind!(kind, S => <S as Solver>::STEP_SHARE)
}

/// Where a solver's rule comes from.
pub const fn origin(kind: SolverKind) -> Origin {
    of_kind!(kind, S => <S as Solver>::ORIGIN)
}

/// Whether time runs alike at every frame rate, see [`Solver::keeps_pace`].
pub fn keeps_pace(kind: SolverKind, system: &ParamSet) -> bool {
    of_kind!(kind, S => S::keeps_pace(system))
}

/// Whether a solver has such a shape, see [`Solver::knows`].
pub fn knows(kind: SolverKind, shape: &Shape) -> bool {
    of_kind!(kind, S => S::knows(shape))
}
