//! Curves that an engine lays on every chain of its own.

use super::convert::told_by;
use super::{Along, Authored, Chain, System};
use crate::math::{Curve, Interpolation, Key};
use crate::sim::SolverKind;
use crate::sim::solver::joint_dynamics::DEFAULT_CURVES;

/// Lays the engine's default curves on a chain that comes under `system`, over its depth as the engine counts it. Rows
/// that say how the chain sways keep their numbers: they were chosen.
pub(super) fn lay_curves(chain: &mut Chain, system: &System) {
    if system.solver != SolverKind::JointDynamics {
        return;
    }
    let told = told_by(system);
    for (row, ends) in DEFAULT_CURVES.iter().filter(|(row, _)| !told.contains(row)) {
        chain.values[row.index()] = eased(*ends);
        chain.joints.iter_mut().for_each(|joint| _ = joint.own.remove(row));
    }
    chain.along = Along::Depth;
}

/// From one value at the root to another at the end, with level slopes.
fn eased([from, to]: [f32; 2]) -> Authored {
    let base = if from.abs() > to.abs() { from } else { to };
    let keys = vec![Key::flat(0.0, from / base), Key::flat(1.0, to / base)];
    Authored { base, curve: Curve::new(keys, Interpolation::Hermite) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doc::{Joint, Part};
    use crate::rig::BoneId;
    use crate::sim::solver::joint_dynamics::{LIMIT_POWER, WAVE_FREQUENCY};

    fn laid(solver: SolverKind) -> Chain {
        let system = System::under(solver);
        let joints = [0, 1, 2].map(|i| Joint::new(BoneId(i))).to_vec();
        let mut chain = Chain::new("skirt", Part::Skirt, system.table(), joints);
        lay_curves(&mut chain, &system);
        chain
    }

    #[test]
    fn a_network_has_the_engines_curves_from_root_to_end() {
        let chain = laid(SolverKind::JointDynamics);
        assert_eq!([0.0, 1.0].map(|t| chain.shared(LIMIT_POWER, t)), [1.0, 0.0]);
        assert_eq!([0.0, 0.5, 1.0].map(|t| chain.shared(WAVE_FREQUENCY, t)), [0.0, 1.0, 2.0]);
        let mut curved = (0..chain.values.len()).filter(|at| chain.values[*at].curve.is_some());
        let known = |at: usize| DEFAULT_CURVES.iter().any(|(row, _)| row.index() == at);
        assert!(curved.all(known));
        assert_eq!(chain.along, Along::Depth);
    }

    #[test]
    fn other_engines_lay_no_curves() {
        for solver in SolverKind::ALL.iter().filter(|kind| **kind != SolverKind::JointDynamics) {
            assert!(laid(*solver).values.iter().all(|value| value.curve.is_none()), "{solver:?}");
        }
    }
}
