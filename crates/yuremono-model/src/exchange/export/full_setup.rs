//! Exports all systems, for formats that store a complete setup.

use super::ExportResult;
use super::passthrough;
use crate::document::source_frames::{RestPose, SourceFrames};
use crate::document::{
    ByName, Chain, ChainEntry, ChainId, Document, JointEntry, MapReferences, MaterialId, Node, ReplacedProperties,
    Setup, SetupEntry, System, SystemId,
};
use crate::exchange::ExportOptions;
use crate::exchange::setup_file::file_entry;
use crate::exchange::unbind::{NameUnbinder, NodeNames, missing_bone_name, without_source_indices};
use crate::exchange::{ExportLoss, FileEntry, MAX_SYSTEMS, SetupFile, SystemHeader};
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
    let system = |system: &System<ByName>| SystemHeader { solver: system.solver, name: system.name.clone() };
    let systems: Vec<SystemHeader> = setup.systems.values().map(system).collect();
    let items = file_entries(setup);
    let solvers: BTreeSet<SolverKind> = systems.iter().map(|system| system.solver).collect();
    let passthrough = passthrough::passthrough_for_setup(&document.setup.passthrough, &solvers, &items);
    losses.extend(passthrough::passthrough_rows_loss(&passthrough));
    let source_frames = Some(used_frames(&part, &names, rest));
    let file =
        SetupFile { systems, entries: items, passthrough, source_frames, ..SetupFile::without_system(options.format) };
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

/// The entries, grouped by system. Entries that apply to the whole file belong to the first system.
fn file_entries(mut setup: Setup<ByName>) -> Vec<FileEntry> {
    let position: BTreeMap<SystemId, usize> = setup.systems.keys().enumerate().map(|(at, id)| (*id, at)).collect();
    let systems = std::mem::take(&mut setup.systems);
    let homes = material_systems(&systems, &setup);
    let mut chains: Vec<Vec<(ChainId, Chain<ByName>)>> = vec![Vec::new(); systems.len()];
    for (id, chain) in std::mem::take(&mut setup.chains) {
        let at = position.get(&chain.system).copied().unwrap_or_default();
        chains[at].push((id, chain));
    }
    let mut all = Vec::new();
    for ((at, system), chains) in systems.into_values().enumerate().zip(chains) {
        let mut put = |item: SetupEntry| all.push(file_entry(at, item));
        put(SetupEntry::System(system));
        let materials = setup.materials.iter().filter(|(id, _)| homes.get(id) == Some(&at));
        materials.for_each(|(id, material)| put(SetupEntry::Material(*id, material.clone())));
        if at == 0 {
            for node in std::mem::take(&mut setup.helpers).into_values() {
                put(SetupEntry::Helper(node));
            }
            for collider in std::mem::take(&mut setup.colliders).into_values() {
                put(SetupEntry::Collider(collider));
            }
            for (id, group) in std::mem::take(&mut setup.groups) {
                put(SetupEntry::Group(id, group));
            }
            for force in std::mem::take(&mut setup.forces).into_values() {
                put(SetupEntry::Force(force));
            }
            for high_leg in std::mem::take(&mut setup.high_legs).into_values() {
                put(SetupEntry::HighLeg(high_leg));
            }
        }
        for (id, chain) in chains {
            chain_entries(at, id, chain).into_iter().for_each(&mut put);
        }
        if at == 0 {
            for bone in std::mem::take(&mut setup.excluded_bones) {
                put(SetupEntry::ExcludedBone(bone));
            }
            for mesh in std::mem::take(&mut setup.hidden_meshes) {
                put(SetupEntry::HiddenMesh(mesh));
            }
        }
    }
    all
}

/// Maps each material to the index of the first system with the same solver, or to 0 if no system has it.
fn material_systems(
    systems: &BTreeMap<SystemId, System<ByName>>,
    setup: &Setup<ByName>,
) -> BTreeMap<MaterialId, usize> {
    let home = |solver: SolverKind| systems.values().position(|system| system.solver == solver).unwrap_or_default();
    setup.materials.iter().map(|(id, material)| (*id, home(material.solver))).collect()
}

fn chain_entries(system: usize, id: ChainId, mut chain: Chain<ByName>) -> Vec<SetupEntry> {
    let joints = std::mem::take(&mut chain.joints);
    let Some(root) = joints.first().map(|joint| joint.bone.clone()) else { return Vec::new() };
    chain.system = SystemId(u32::try_from(system).unwrap_or(u32::MAX));
    let number = Some(id.0);
    let joint = |joint| SetupEntry::Joint(JointEntry { scope: ReplacedProperties::Full, chain: number, joint });
    let chain = SetupEntry::Chain(ChainEntry { root, number, chain });
    std::iter::once(chain).chain(joints.into_iter().map(joint)).collect()
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
