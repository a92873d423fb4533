//! What a new chain comes under.

use crate::document::{ChainPart, Document, SystemId};
use std::collections::BTreeMap;

impl Document {
    /// The system that a new chain of a part comes under: the one that moves most chains of that part, since hair goes with
    /// hair; where there is none, `tuned`, the one that the artist works on, unless its solver is made for other things:
    /// then the first whose solver takes any chain.
    pub fn default_system_for(&self, part: ChainPart, active_system: SystemId) -> SystemId {
        let tuned = if self.systems.contains_key(&active_system) { active_system } else { self.main_system_id() };
        let mut chain_counts: BTreeMap<SystemId, usize> = BTreeMap::new();
        // Of what is nothing in particular nothing can be told from its likes.
        for chain in self.chains.values().filter(|chain| chain.part == part && part != ChainPart::Other) {
            *chain_counts.entry(chain.system).or_default() += 1;
        }
        // Of several with as many, the tuned one, then the first.
        let rank = |(id, count): &(SystemId, usize)| (*count, *id == tuned, std::cmp::Reverse(*id));
        let most = chain_counts.into_iter().filter(|(id, _)| self.systems.contains_key(id)).max_by_key(rank);
        let takes_any = |id: &SystemId| self.systems[id].solver.info().auto_assign;
        let usual = || Some(tuned).filter(takes_any).or_else(|| self.systems.keys().copied().find(takes_any));
        most.map(|(id, _)| id).or_else(usual).unwrap_or(tuned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Chain, ChainId, Joint, System};
    use crate::rig::BoneId;
    use crate::sim::SolverKind;

    /// Systems of these solvers in this order, and chains of parts under them.
    fn document(solvers: &[SolverKind], chains: &[(ChainPart, u32)]) -> Document {
        let mut document = Document::with_solver(solvers[0]);
        for (at, solver) in solvers.iter().enumerate() {
            document.systems.insert(SystemId(at as u32), System::with_solver(*solver));
        }
        for (at, (part, system)) in chains.iter().enumerate() {
            let system = SystemId(*system);
            let table = document.systems[&system].param_defs();
            let chain = Chain::new("chain", *part, table, vec![Joint::new(BoneId(at as u32))]);
            document.chains.insert(ChainId(at as u32), Chain { system, ..chain });
        }
        document
    }

    #[track_caller]
    fn check(document: &Document, part: ChainPart, tuned: u32, expected: u32) {
        assert_eq!(document.default_system_for(part, SystemId(tuned)), SystemId(expected));
    }

    const HAIR_AND_SKIRT: [SolverKind; 2] = [SolverKind::UnityChanSpringBone, SolverKind::JointDynamics];

    #[test]
    fn a_chain_joins_the_system_of_its_part_regardless_of_the_active_system() {
        let document = document(&HAIR_AND_SKIRT, &[(ChainPart::Hair, 0), (ChainPart::Skirt, 1), (ChainPart::Skirt, 1)]);
        for tuned in [0, 1] {
            check(&document, ChainPart::Hair, tuned, 0);
            check(&document, ChainPart::Skirt, tuned, 1);
        }
    }

    #[test]
    fn a_chain_of_a_new_part_joins_the_active_system_if_its_solver_auto_assigns() {
        let solvers = [SolverKind::UnityChanSpringBone, SolverKind::Vrm, SolverKind::Hinge];
        let mixed = document(&solvers, &[(ChainPart::Other, 0), (ChainPart::Hair, 0), (ChainPart::Accessory, 2)]);
        check(&mixed, ChainPart::Tail, 1, 1);
        check(&mixed, ChainPart::Other, 1, 1);
        check(&mixed, ChainPart::Tail, 2, 0);
        check(&document(&HAIR_AND_SKIRT, &[]), ChainPart::Hair, 1, 0);
        check(&document(&[SolverKind::Hinge], &[]), ChainPart::Hair, 0, 0);
        check(&mixed, ChainPart::Tail, 77, 0);
    }

    #[test]
    fn the_system_with_most_chains_of_the_part_wins_then_the_active_then_the_first() {
        let solvers = [SolverKind::Vrm, SolverKind::DynamicBone, SolverKind::KawaiiPhysics];
        let most = document(&solvers, &[(ChainPart::Hair, 0), (ChainPart::Hair, 1), (ChainPart::Hair, 1)]);
        check(&most, ChainPart::Hair, 0, 1);
        let even = document(&solvers, &[(ChainPart::Hair, 0), (ChainPart::Hair, 1)]);
        check(&even, ChainPart::Hair, 1, 1);
        check(&even, ChainPart::Hair, 2, 0);
    }
}
