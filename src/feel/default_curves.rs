//! Curves that an engine lays on every chain of its own.

use crate::document::{Chain, ChainValue, CurveDomain, System};
use crate::feel::starting_feel::FRAME_SECONDS;
use crate::math::{Curve, CurveKey, Interpolation};
use crate::params::{ParamId, ParamSet};
use crate::sim::solver::vrm;
use crate::sim::{ResponseInput, SpringResponse};
use std::collections::BTreeSet;

/// Lays the engine's default curves on a chain that comes under `system`, over its depth as the engine counts it. Rows
/// that say how the chain sways keep their numbers: they were chosen.
pub(crate) fn apply_default_curves(chain: &mut Chain, system: &System) {
    let curves = system.solver.info().default_curves;
    if curves.is_empty() {
        return;
    }
    let told = params_written_by_feel(system);
    for (row, ends) in curves.iter().filter(|(row, _)| !told.contains(row)) {
        chain.values[row.index()] = smooth_ramp(*ends);
        chain.joints.iter_mut().for_each(|joint| _ = joint.overrides.remove(row));
    }
    chain.curve_domain = CurveDomain::Depth;
}

/// The rows that a solver expresses feel with.
pub(crate) fn params_written_by_feel(system: &System) -> BTreeSet<ParamId> {
    let joint = ParamSet::defaults(system.param_defs());
    let now = ResponseInput {
        joint_params: &joint,
        system_params: &system.values,
        bone_length: vrm::LEAF_LENGTH,
        carried_inertia: 0.0,
        frame_seconds: FRAME_SECONDS,
    };
    let one = Some(1.0);
    let whole = SpringResponse { ignored_motion: one, max_angle_deg: one, radius: one, ..system.solver.response(&now) };
    system.solver.params_for(&whole, &now).into_iter().map(|(row, _)| row).collect()
}

/// From one value at the root to another at the end, with level slopes.
fn smooth_ramp([from, to]: [f32; 2]) -> ChainValue {
    let base = if from.abs() > to.abs() { from } else { to };
    let keys = vec![CurveKey::flat(0.0, from / base), CurveKey::flat(1.0, to / base)];
    ChainValue { base, curve: Curve::new(keys, Interpolation::Hermite) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{ChainPart, Joint};
    use crate::rig::BoneId;
    use crate::sim::SolverKind;
    use crate::sim::solver::joint_dynamics::{DEFAULT_CURVES, LIMIT_POWER, WAVE_FREQUENCY};

    fn chain_with_default_curves(solver: SolverKind) -> Chain {
        let system = System::with_solver(solver);
        let joints = [0, 1, 2].map(|i| Joint::new(BoneId(i))).to_vec();
        let mut chain = Chain::new("skirt", ChainPart::Skirt, system.param_defs(), joints);
        apply_default_curves(&mut chain, &system);
        chain
    }

    #[test]
    fn a_joint_dynamics_chain_gets_the_default_curves_from_root_to_tip() {
        let chain = chain_with_default_curves(SolverKind::JointDynamics);
        assert_eq!([0.0, 1.0].map(|t| chain.value_at(LIMIT_POWER, t)), [1.0, 0.0]);
        assert_eq!([0.0, 0.5, 1.0].map(|t| chain.value_at(WAVE_FREQUENCY, t)), [0.0, 1.0, 2.0]);
        let mut curved = (0..chain.values.len()).filter(|at| chain.values[*at].curve.is_some());
        let known = |at: usize| DEFAULT_CURVES.iter().any(|(row, _)| row.index() == at);
        assert!(curved.all(known));
        assert_eq!(chain.curve_domain, CurveDomain::Depth);
    }

    #[test]
    fn solvers_without_default_curves_leave_chains_unchanged() {
        for solver in SolverKind::ALL.iter().filter(|kind| **kind != SolverKind::JointDynamics) {
            assert!(chain_with_default_curves(*solver).values.iter().all(|value| value.curve.is_none()), "{solver:?}");
        }
    }
}
