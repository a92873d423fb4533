//! Assigns the systems of a file to systems of a document, before entries are merged.
//!
//! A system of a file matches the document's system with the same solver and name, or else the system with the same
//! solver at the same position. If neither exists, a new system is created. Chains with joints of a file system are
//! converted and moved to the matching system. A chain with joints of several file systems is split. If the file has
//! one system, chains that already use its solver stay in their systems.

use super::SystemHeader;
use crate::document::{Chain, ChainId, Document, System, SystemId};
use crate::feel::{convert::Conversion, convert::ConversionLoss, convert::convert, convert::convert_chains};
use crate::tools::components;
use std::collections::{BTreeMap, BTreeSet};
use yuremono_sim::SolverKind;
use yuremono_sim::rig::{BoneId, Character};

#[derive(Clone, Debug)]
pub(super) struct SystemAssignment {
    /// The conversion of the document and its losses.
    pub conversion: Conversion,
    /// The target of each system of the file. `None` selects all systems with the same solver.
    pub target_systems: Vec<Option<SystemId>>,
}

/// `named` contains the joint bones of each system of the file.
pub(super) fn assign_systems(
    document: &Document,
    character: &Character,
    systems: &[SystemHeader],
    named: &[BTreeSet<BoneId>],
) -> SystemAssignment {
    let Some(first) = systems.first() else {
        return SystemAssignment { conversion: unchanged_conversion(document), target_systems: Vec::new() };
    };
    let has_no_chains_or_solver =
        document.chains.is_empty() && systems.iter().all(|system| system.solver != document.main_system().solver);
    let whole = systems.len() == 1 && document.system_with_solver(first.solver).is_none();
    let start = if has_no_chains_or_solver || whole {
        convert(document, character, first.solver)
    } else {
        unchanged_conversion(document)
    };
    let mut assignment =
        SystemAssigner { character, after: start.after, losses: start.losses, filled_systems: BTreeMap::new() };
    let into = assignment.assign_target_systems(systems);
    assignment.split_chains(named);
    for ((system, named), into) in systems.iter().zip(named).zip(&into) {
        assignment.move_chains_to_target(system.solver, named, *into);
    }
    SystemAssignment {
        conversion: Conversion { after: assignment.after, losses: assignment.losses },
        target_systems: into,
    }
}

fn unchanged_conversion(document: &Document) -> Conversion {
    Conversion { after: document.clone(), losses: Vec::new() }
}

struct SystemAssigner<'a> {
    character: &'a Character,
    after: Document,
    losses: Vec<ConversionLoss>,
    /// Target systems, which are kept even if their last chain is moved away.
    filled_systems: BTreeMap<SystemId, System>,
}

impl SystemAssigner<'_> {
    fn assign_target_systems(&mut self, systems: &[SystemHeader]) -> Vec<Option<SystemId>> {
        let mut into: Vec<Option<SystemId>> = vec![None; systems.len()];
        let of = |document: &Document, solver: SolverKind| -> Vec<SystemId> {
            document.systems.iter().filter(|(_, s)| s.solver == solver).map(|(id, _)| *id).collect()
        };
        for (at, system) in systems.iter().enumerate().filter(|(_, system)| !system.name.is_empty()) {
            let mut alike = of(&self.after, system.solver).into_iter();
            into[at] = alike.find(|id| self.after.systems[id].name == system.name && !into.contains(&Some(*id)));
        }
        for (at, system) in systems.iter().enumerate().filter(|_| systems.len() > 1) {
            if into[at].is_some() {
                continue;
            }
            let number = systems[..at].iter().filter(|other| other.solver == system.solver).count();
            let numbered = of(&self.after, system.solver).get(number).copied().filter(|id| {
                let is_other = !system.name.is_empty() && !self.after.systems[id].name.is_empty();
                !is_other && !into.contains(&Some(*id))
            });
            into[at] = Some(numbered.unwrap_or_else(|| {
                let id = self.after.next_system_id();
                self.after.systems.insert(id, System::with_solver(system.solver));
                id
            }));
        }
        let targets = into.iter().flatten().map(|id| (*id, self.after.systems[id].clone()));
        self.filled_systems = targets.collect();
        into
    }

    /// Splits chains with joints of several file systems. A joint that no file system contains stays with the preceding
    /// joint.
    fn split_chains(&mut self, named: &[BTreeSet<BoneId>]) {
        let owner = |bone: BoneId| named.iter().rposition(|bones| bones.contains(&bone));
        for (id, chain) in self.after.chains.clone() {
            let Some(first) = chain.joints.iter().find_map(|joint| owner(joint.bone)) else { continue };
            let (mut parts, mut last): (BTreeMap<usize, Vec<_>>, _) = (BTreeMap::new(), first);
            for joint in &chain.joints {
                last = owner(joint.bone).unwrap_or(last);
                parts.entry(last).or_default().push(joint.clone());
            }
            if parts.len() < 2 {
                continue;
            }
            for (owner, joints) in parts {
                let stays = owner == first;
                let name = if stays { chain.name.clone() } else { self.bone_name(joints[0].bone) };
                let part = Chain { joints, name, source_index: chain.source_index.filter(|_| stays), ..chain.clone() };
                let id = if stays { id } else { self.after.next_chain_id() };
                self.after.chains.insert(id, part);
            }
        }
    }

    fn bone_name(&self, bone: BoneId) -> String {
        let skeleton = &self.character.skeleton;
        if bone.index() < skeleton.len() { skeleton.name(bone).to_owned() } else { String::new() }
    }

    fn move_chains_to_target(&mut self, solver: SolverKind, named: &BTreeSet<BoneId>, into: Option<SystemId>) {
        let has = |chain: &Chain| chain.joints.iter().any(|joint| named.contains(&joint.bone));
        let chains: BTreeSet<ChainId> =
            self.after.chains.iter().filter(|(_, chain)| has(chain)).map(|(id, _)| *id).collect();
        let others = |id: &ChainId| self.after.solver_of(&self.after.chains[id]) != solver;
        let moved: BTreeSet<ChainId> = chains.iter().copied().filter(others).collect();
        if !moved.is_empty() {
            let made = convert_chains(&self.after, self.character, &moved, solver);
            self.after = made.after;
            self.losses.extend(made.losses);
            self.restore_filled_systems();
        }
        let Some(into) = into else { return };
        if let Some(edit) = components::move_chains_to_system(&self.after, &chains, into) {
            // The edit was made for this document, so it always applies.
            _ = self.after.apply(edit);
            self.restore_filled_systems();
        }
    }

    fn restore_filled_systems(&mut self) {
        for (id, system) in &self.filled_systems {
            self.after.systems.entry(*id).or_insert_with(|| system.clone());
        }
    }
}
