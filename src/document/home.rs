//! What a new chain comes under.

use crate::document::{Document, Part, SystemId};
use std::collections::BTreeMap;

impl Document {
    /// The system that a new chain of a part comes under: the one that moves most chains of that part, since hair goes with
    /// hair; where there is none, `tuned`, the one that the artist works on, unless its solver is made for other things:
    /// then the first whose solver takes any chain.
    pub fn home_of(&self, part: Part, tuned: SystemId) -> SystemId {
        let tuned = if self.systems.contains_key(&tuned) { tuned } else { self.main_id() };
        let mut alike: BTreeMap<SystemId, usize> = BTreeMap::new();
        // Of what is nothing in particular nothing can be told from its likes.
        for chain in self.chains.values().filter(|chain| chain.part == part && part != Part::Other) {
            *alike.entry(chain.system).or_default() += 1;
        }
        // Of several with as many, the tuned one, then the first.
        let rank = |(id, count): &(SystemId, usize)| (*count, *id == tuned, std::cmp::Reverse(*id));
        let most = alike.into_iter().filter(|(id, _)| self.systems.contains_key(id)).max_by_key(rank);
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
    fn document(solvers: &[SolverKind], chains: &[(Part, u32)]) -> Document {
        let mut document = Document::under(solvers[0]);
        for (at, solver) in solvers.iter().enumerate() {
            document.systems.insert(SystemId(at as u32), System::under(*solver));
        }
        for (at, (part, system)) in chains.iter().enumerate() {
            let system = SystemId(*system);
            let table = document.systems[&system].table();
            let chain = Chain::new("chain", *part, table, vec![Joint::new(BoneId(at as u32))]);
            document.chains.insert(ChainId(at as u32), Chain { system, ..chain });
        }
        document
    }

    #[track_caller]
    fn check(document: &Document, part: Part, tuned: u32, expected: u32) {
        assert_eq!(document.home_of(part, SystemId(tuned)), SystemId(expected));
    }

    const HAIR_AND_SKIRT: [SolverKind; 2] = [SolverKind::UnityChanSpringBone, SolverKind::JointDynamics];

    #[test]
    fn a_strand_joins_the_system_of_the_hair_whatever_is_tuned() {
        let document = document(&HAIR_AND_SKIRT, &[(Part::Hair, 0), (Part::Skirt, 1), (Part::Skirt, 1)]);
        for tuned in [0, 1] {
            check(&document, Part::Hair, tuned, 0);
            check(&document, Part::Skirt, tuned, 1);
        }
    }

    #[test]
    fn what_has_no_likes_joins_the_tuned_system_where_that_takes_any_chain() {
        let solvers = [SolverKind::UnityChanSpringBone, SolverKind::Vrm, SolverKind::Hinge];
        let mixed = document(&solvers, &[(Part::Other, 0), (Part::Hair, 0), (Part::Accessory, 2)]);
        check(&mixed, Part::Tail, 1, 1);
        check(&mixed, Part::Other, 1, 1);
        check(&mixed, Part::Tail, 2, 0);
        check(&document(&HAIR_AND_SKIRT, &[]), Part::Hair, 1, 0);
        check(&document(&[SolverKind::Hinge], &[]), Part::Hair, 0, 0);
        check(&mixed, Part::Tail, 77, 0);
    }

    #[test]
    fn most_of_the_likes_decide_then_the_tuned_system_then_the_first() {
        let solvers = [SolverKind::Vrm, SolverKind::DynamicBone, SolverKind::KawaiiPhysics];
        let most = document(&solvers, &[(Part::Hair, 0), (Part::Hair, 1), (Part::Hair, 1)]);
        check(&most, Part::Hair, 0, 1);
        let even = document(&solvers, &[(Part::Hair, 0), (Part::Hair, 1)]);
        check(&even, Part::Hair, 1, 1);
        check(&even, Part::Hair, 2, 0);
    }
}
