//! Exports all systems, for formats that store a complete setup.

use super::ExportResult;
use super::passthrough;
use crate::document::source_frames::{RestPose, SourceFrames};
use crate::document::{ByName, Chain, Document, MapReferences, Node, Setup, System, SystemId};
use crate::exchange::ExportOptions;
use crate::exchange::unbind::{NameUnbinder, NodeNames, missing_bone_name, without_source_indices};
use crate::exchange::{ExportLoss, MAX_SYSTEMS, SetupFile};
use std::collections::{BTreeMap, BTreeSet};
use yuremono_sim::SolverKind;

/// Exports all systems, or only the systems with [`ExportOptions::solver`]. A system without chains and with default
/// values is skipped, unless it is the only system.
pub(super) fn export_full_setup(document: &Document, rest: RestPose<'_>, options: ExportOptions) -> ExportResult {
    let names = NodeNames::from_document(document, rest.skeleton);
    let part = filter_systems(document, options.solver);
    let mut unbind = NameUnbinder::new(document, &names);
    let setup = without_source_indices(part.map_naming(&mut unbind));
    let mut losses = omitted_system_losses(document, &part);
    losses.extend(omitted_element_losses(&names, &part, &setup));
    let references = unresolvable_reference_losses(unbind.take_unresolvable_names(), &losses);
    losses.extend(references);
    let solvers: BTreeSet<SolverKind> = setup.systems.values().map(|system| system.solver).collect();
    let helpers: Vec<_> = setup.helpers.keys().copied().collect();
    let mut file = SetupFile::from_setup(options.format, setup, &helpers, &|_| String::new());
    file.passthrough = passthrough::passthrough_for_setup(&document.setup.passthrough, &solvers, &file.entries);
    losses.extend(passthrough::passthrough_rows_loss(&file.passthrough));
    file.source_frames = Some(used_frames(&part, &names, rest));
    ExportResult { file, losses }
}

/// The rest frames of all bones that the setup refers to.
fn used_frames(part: &Setup, names: &NodeNames<'_>, rest: RestPose<'_>) -> SourceFrames<String> {
    let mut used = BTreeSet::new();
    let _: Setup = part.map_naming(&mut MapReferences::nodes(|node| {
        used.insert(node);
        node
    }));
    SourceFrames::new(rest, |bone| {
        let name = names.unique_name(bone).filter(|_| used.contains(&Node::Bone(bone)));
        name.map(str::to_owned)
    })
}

/// The setup reduced to the exported systems. If `solver` is set, materials of other solvers are also removed.
fn filter_systems(document: &Document, solver: Option<SolverKind>) -> Setup {
    let has_chains = |id: SystemId| document.chains.values().any(|chain| chain_system(document, chain) == id);
    let is_meant = |(id, system): &(&SystemId, &System)| {
        solver.is_none_or(|solver| solver == system.solver)
            && (has_chains(**id) || **system != System::with_solver(system.solver))
    };
    let mut meant: BTreeSet<SystemId> = document.systems.iter().filter(is_meant).map(|(id, _)| *id).collect();
    if meant.is_empty() {
        let only = solver.and_then(|solver| document.system_with_solver(solver)).map(|(id, _)| id);
        meant.insert(only.unwrap_or_else(|| document.main_system_id()));
    }
    let mut part = document.setup.clone();
    part.chains.values_mut().for_each(|chain| chain.system = chain_system(document, chain));
    part.chains.retain(|_, chain| meant.contains(&chain.system));
    part.systems.retain(|id, _| meant.contains(id));
    if let Some(solver) = solver {
        part.materials.retain(|_, material| material.solver == solver);
    }
    // No entry stores gestures or a pose.
    part.gestures.clear();
    part.kept_pose.clear();
    part
}

/// The system of a chain, or the first system if the chain's system is missing.
fn chain_system(document: &Document, chain: &Chain) -> SystemId {
    if document.systems.contains_key(&chain.system) { chain.system } else { document.main_system_id() }
}

fn omitted_system_losses(document: &Document, part: &Setup) -> Vec<ExportLoss> {
    let count = part.systems.len();
    let many = (count > MAX_SYSTEMS).then_some(ExportLoss::TooManySystems(count));
    let mut left: BTreeMap<SolverKind, usize> = BTreeMap::new();
    for (_, chain) in document.chains.iter().filter(|(id, _)| !part.chains.contains_key(id)) {
        *left.entry(document.solver_of(chain)).or_default() += 1;
    }
    many.into_iter()
        .chain(left.into_iter().map(|(solver, count)| ExportLoss::ChainsOfOtherSolver(solver, count)))
        .collect()
}

fn omitted_element_losses(names: &NodeNames<'_>, part: &Setup, setup: &Setup<ByName>) -> Vec<ExportLoss> {
    let joints = part.chains.values().flat_map(|chain| &chain.joints);
    let lost = joints.filter(|joint| names.unique_name(joint.bone).is_none()).map(|joint| {
        match names.name(Node::Bone(joint.bone)) {
            Some(name) => ExportLoss::DuplicateBoneName(name.to_owned()),
            None => ExportLoss::MissingBone(missing_bone_name(names.document(), joint.bone)),
        }
    });
    let mut all: Vec<ExportLoss> = lost.collect();
    let mut seen = BTreeSet::new();
    for (id, collider) in &part.colliders {
        let name = || collider.name.clone();
        all.extend((!setup.colliders.contains_key(id)).then(|| ExportLoss::ColliderOnMissingBone(name())));
        all.extend((!seen.insert(&collider.name)).then(|| ExportLoss::DuplicateColliderName(name())));
    }
    let high_legs = part.high_legs.iter().filter(|(id, _)| !setup.high_legs.contains_key(id));
    all.extend(high_legs.map(|(_, high_leg)| {
        ExportLoss::HighLegOnMissingNode(names.name(high_leg.node).unwrap_or_default().to_owned())
    }));
    all
}

/// Losses for ambiguous names that no other loss reports.
fn unresolvable_reference_losses(lost: BTreeSet<String>, losses: &[ExportLoss]) -> Vec<ExportLoss> {
    let is_reported = |name: &String| {
        losses.iter().any(|loss| match loss {
            ExportLoss::DuplicateBoneName(other)
            | ExportLoss::MissingBone(other)
            | ExportLoss::ColliderOnMissingBone(other)
            | ExportLoss::DuplicateColliderName(other)
            | ExportLoss::HighLegOnMissingNode(other) => other == name,
            _ => false,
        })
    };
    lost.into_iter().filter(|name| !is_reported(name)).map(ExportLoss::UnresolvableName).collect()
}
