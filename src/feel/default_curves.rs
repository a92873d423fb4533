//! Curves that an engine lays on every chain of its own.

use crate::document::{Along, Authored, Chain, System};
use crate::feel::starting::FRAME;
use crate::math::{Curve, Interpolation, Key};
use crate::schema::{ParamSet, Row};
use crate::sim::solver::vrm;
use crate::sim::{Numbers, Sway};
use std::collections::BTreeSet;

/// Lays the engine's default curves on a chain that comes under `system`, over its depth as the engine counts it. Rows
/// that say how the chain sways keep their numbers: they were chosen.
pub(crate) fn lay_curves(chain: &mut Chain, system: &System) {
    let curves = system.solver.info().default_curves;
    if curves.is_empty() {
        return;
    }
    let told = told_by(system);
    for (row, ends) in curves.iter().filter(|(row, _)| !told.contains(row)) {
        chain.values[row.index()] = eased(*ends);
        chain.joints.iter_mut().for_each(|joint| _ = joint.own.remove(row));
    }
    chain.along = Along::Depth;
}

/// The rows that a solver expresses feel with.
pub(crate) fn told_by(system: &System) -> BTreeSet<Row> {
    let joint = ParamSet::defaults(system.table());
    let now = Numbers { joint: &joint, system: &system.values, length: vrm::LEAF, carried: 0.0, frame: FRAME };
    let one = Some(1.0);
    let whole = Sway { follow: one, reach_deg: one, radius: one, ..system.solver.sway(&now) };
    system.solver.numbers(&whole, &now).into_iter().map(|(row, _)| row).collect()
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
    use crate::document::{Joint, Part};
    use crate::rig::BoneId;
    use crate::sim::SolverKind;
    use crate::sim::solver::joint_dynamics::{DEFAULT_CURVES, LIMIT_POWER, WAVE_FREQUENCY};

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
