//! Every system of a document as entries, for formats that hold all that is authored.

use super::Exported;
use super::entry::entry;
use super::kept;
use crate::document::{
    ByName, Chain, ChainId, ChainItem, Document, JointItem, JointScope, MaterialId, Node, Setup, SetupItem, System,
    SystemId,
};
use crate::exchange::ExportOptions;
use crate::exchange::unbind::{NodeNames, Unbind, lost_name, of_no_file};
use crate::exchange::{ExportLoss, FileItem, FileSystem, MOST_SYSTEMS, SetupFile};
use crate::rig::Skeleton;
use crate::sim::SolverKind;
use std::collections::{BTreeMap, BTreeSet};

/// All systems, or those of [`ExportOptions::solver`]. A system without chains and with default values is left out
/// unless no other system is there.
pub(super) fn export(document: &Document, skeleton: &Skeleton, options: ExportOptions) -> Exported {
    let names = NodeNames::of(document, skeleton);
    let part = systems_of(document, options.solver);
    let mut unbind = Unbind::new(document, &names);
    let setup = of_no_file(part.rename(&mut unbind));
    let mut losses = other_systems(document, &part);
    losses.extend(left_out(&names, &part, &setup));
    let references = lost_references(unbind.take_lost(), &losses);
    losses.extend(references);
    let system = |system: &System<ByName>| FileSystem { solver: system.solver, name: system.name.clone() };
    let systems: Vec<FileSystem> = setup.systems.values().map(system).collect();
    let items = items(setup);
    let solvers: BTreeSet<SolverKind> = systems.iter().map(|system| system.solver).collect();
    let passthrough = kept::for_setup(&document.setup.passthrough, &solvers, &items);
    losses.extend(kept::loss(&passthrough));
    let file = SetupFile { format: options.format, systems, items, passthrough, ..SetupFile::default() };
    Exported { file, losses }
}

/// The setup without systems that are not meant, and their chains. Materials of other solvers go with them.
fn systems_of(document: &Document, solver: Option<SolverKind>) -> Setup {
    let has_chains = |id: SystemId| document.chains.values().any(|chain| home_of(document, chain) == id);
    let is_meant = |(id, system): &(&SystemId, &System)| {
        solver.is_none_or(|solver| solver == system.solver)
            && (has_chains(**id) || **system != System::under(system.solver))
    };
    let mut meant: BTreeSet<SystemId> = document.systems.iter().filter(is_meant).map(|(id, _)| *id).collect();
    if meant.is_empty() {
        let only = solver.and_then(|solver| document.system_under(solver)).map(|(id, _)| id);
        meant.insert(only.unwrap_or_else(|| document.main_id()));
    }
    let mut part = document.setup.clone();
    part.chains.values_mut().for_each(|chain| chain.system = home_of(document, chain));
    part.chains.retain(|_, chain| meant.contains(&chain.system));
    part.systems.retain(|id, _| meant.contains(id));
    if let Some(solver) = solver {
        part.materials.retain(|_, material| material.solver == solver);
    }
    // No entry holds recorded drags.
    part.gestures.clear();
    part
}

/// The system that moves a chain; the first where the chain names one that is not there.
fn home_of(document: &Document, chain: &Chain) -> SystemId {
    if document.systems.contains_key(&chain.system) { chain.system } else { document.main_id() }
}

/// Entries system by system; those of the whole file belong to the first system.
fn items(mut setup: Setup<ByName>) -> Vec<FileItem> {
    let position: BTreeMap<SystemId, usize> = setup.systems.keys().enumerate().map(|(at, id)| (*id, at)).collect();
    let systems = std::mem::take(&mut setup.systems);
    let homes = material_homes(&systems, &setup);
    let mut chains: Vec<Vec<(ChainId, Chain<ByName>)>> = vec![Vec::new(); systems.len()];
    for (id, chain) in std::mem::take(&mut setup.chains) {
        let at = position.get(&chain.system).copied().unwrap_or_default();
        chains[at].push((id, chain));
    }
    let mut all = Vec::new();
    for ((at, system), chains) in systems.into_values().enumerate().zip(chains) {
        let mut put = |item: SetupItem| all.push(entry(at, item));
        put(SetupItem::System(system));
        let materials = setup.materials.iter().filter(|(id, _)| homes.get(id) == Some(&at));
        materials.for_each(|(id, material)| put(SetupItem::Material(*id, material.clone())));
        if at == 0 {
            for node in std::mem::take(&mut setup.helpers).into_values() {
                put(SetupItem::Node(node));
            }
            for collider in std::mem::take(&mut setup.colliders).into_values() {
                put(SetupItem::Collider(collider));
            }
            for (id, group) in std::mem::take(&mut setup.groups) {
                put(SetupItem::Group(id, group));
            }
            for force in std::mem::take(&mut setup.forces).into_values() {
                put(SetupItem::Force(force));
            }
            for high_leg in std::mem::take(&mut setup.high_legs).into_values() {
                put(SetupItem::HighLeg(high_leg));
            }
        }
        for (id, chain) in chains {
            chain_items(at, id, chain).into_iter().for_each(&mut put);
        }
        if at == 0 {
            for bone in std::mem::take(&mut setup.excluded) {
                put(SetupItem::Excluded(bone));
            }
            for mesh in std::mem::take(&mut setup.renderers_off) {
                put(SetupItem::MeshHidden(mesh));
            }
        }
    }
    all
}

/// The position of the first system with the solver of each material; of the first system where none has it.
fn material_homes(systems: &BTreeMap<SystemId, System<ByName>>, setup: &Setup<ByName>) -> BTreeMap<MaterialId, usize> {
    let home = |solver: SolverKind| systems.values().position(|system| system.solver == solver).unwrap_or_default();
    setup.materials.iter().map(|(id, material)| (*id, home(material.solver))).collect()
}

/// A chain of the system at that position and its joints; nothing where no joint has a name.
fn chain_items(system: usize, id: ChainId, mut chain: Chain<ByName>) -> Vec<SetupItem> {
    let joints = std::mem::take(&mut chain.joints);
    let Some(root) = joints.first().map(|joint| joint.bone.clone()) else { return Vec::new() };
    chain.system = SystemId(u32::try_from(system).unwrap_or(u32::MAX));
    let number = Some(id.0);
    let joint = |joint| SetupItem::Joint(JointItem { scope: JointScope::Whole, chain: number, joint });
    let chain = SetupItem::Chain(ChainItem { root, number, chain });
    std::iter::once(chain).chain(joints.into_iter().map(joint)).collect()
}

/// More systems than readers take, and chains of systems that are left out.
fn other_systems(document: &Document, part: &Setup) -> Vec<ExportLoss> {
    let count = part.systems.len();
    let many = (count > MOST_SYSTEMS).then_some(ExportLoss::TooManySystems(count));
    let mut left: BTreeMap<SolverKind, usize> = BTreeMap::new();
    for (_, chain) in document.chains.iter().filter(|(id, _)| !part.chains.contains_key(id)) {
        *left.entry(document.solver_of(chain)).or_default() += 1;
    }
    many.into_iter().chain(left.into_iter().map(|(solver, count)| ExportLoss::OtherSolver(solver, count))).collect()
}

/// Joints, colliders and raised-thigh nodes that no name finds again, and colliders that share a name.
fn left_out(names: &NodeNames<'_>, part: &Setup, setup: &Setup<ByName>) -> Vec<ExportLoss> {
    let joints = part.chains.values().flat_map(|chain| &chain.joints);
    let lost = joints.filter(|joint| names.own_name(joint.bone).is_none()).map(|joint| {
        match names.name(Node::Bone(joint.bone)) {
            Some(name) => ExportLoss::SharedName(name.to_owned()),
            None => ExportLoss::LostBone(lost_name(names.document(), joint.bone)),
        }
    });
    let mut all: Vec<ExportLoss> = lost.collect();
    let mut seen = BTreeSet::new();
    for (id, collider) in &part.colliders {
        let name = || collider.name.clone();
        all.extend((!setup.colliders.contains_key(id)).then(|| ExportLoss::LostCollider(name())));
        all.extend((!seen.insert(&collider.name)).then(|| ExportLoss::SharedCollider(name())));
    }
    let high_legs = part.high_legs.iter().filter(|(id, _)| !setup.high_legs.contains_key(id));
    all.extend(
        high_legs
            .map(|(_, high_leg)| ExportLoss::LostHighLeg(names.name(high_leg.node).unwrap_or_default().to_owned())),
    );
    all
}

/// Other names that entries refer to and that no name finds again.
fn lost_references(lost: BTreeSet<String>, losses: &[ExportLoss]) -> Vec<ExportLoss> {
    let is_reported = |name: &String| {
        losses.iter().any(|loss| match loss {
            ExportLoss::SharedName(other)
            | ExportLoss::LostBone(other)
            | ExportLoss::LostCollider(other)
            | ExportLoss::SharedCollider(other)
            | ExportLoss::LostHighLeg(other) => other == name,
            _ => false,
        })
    };
    lost.into_iter().filter(|name| !is_reported(name)).map(ExportLoss::Listed).collect()
}
