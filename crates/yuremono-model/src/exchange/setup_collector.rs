//! Collects the entries of a file into one setup.

use super::{FileEntry, SetupFile};
use crate::document::{
    ByName, Chain, ChainEntry, ChainId, ColliderId, ForceId, GroupId, HelperId, HighLegId, Joint, JointEntry,
    MaterialId, NodeRef, Passthrough, ReplacedProperties, Setup, SetupEntry, System, SystemId,
};
use std::collections::BTreeMap;
use yuremono_sim::SolverKind;

impl SetupFile {
    /// The entries as one setup, with new ids in the order of the entries. Incomplete chains and joints, and unreadable
    /// rows, become [`Setup::passthrough`]. [`SetupFile::trees`] are skipped.
    pub fn to_setup(&self) -> Setup<ByName> {
        let mut collect = SetupCollector::new(self);
        for item in &self.entries {
            match &item.content {
                Ok(entry) => collect.add_entry(item, entry),
                Err(_) => collect.setup.passthrough.extend(item.csv_row.clone()),
            }
        }
        collect.add_chains(self);
        collect.setup
    }
}

#[derive(Default)]
struct SetupCollector {
    setup: Setup<ByName>,
    /// Maps ids of the file to ids of the setup.
    groups: BTreeMap<GroupId, GroupId>,
    materials: BTreeMap<MaterialId, MaterialId>,
}

fn next_id<K, V>(list: &BTreeMap<K, V>) -> u32 {
    list.len() as u32 + 1
}

impl SetupCollector {
    fn new(file: &SetupFile) -> Self {
        let system = |(at, system): (usize, &super::SystemHeader)| {
            let (name, solver) = (system.name.clone(), system.solver);
            let (values, component, extras) = Default::default();
            (SystemId(at as u32), System { name, solver, values, component, component_lists: extras })
        };
        let setup = Setup {
            systems: file.systems.iter().enumerate().map(system).collect(),
            passthrough: file.passthrough.clone(),
            ..Setup::default()
        };
        Self { setup, ..Self::default() }
    }

    /// Adds an entry. Chains and joints are added later, because they refer to other entries.
    fn add_entry(&mut self, item: &FileEntry, entry: &SetupEntry) {
        let setup = &mut self.setup;
        let system = SystemId(item.system as u32);
        match entry {
            SetupEntry::System(entry) => self.merge_system(system, entry),
            SetupEntry::ComponentNodes(nodes) => {
                let Some(system) = setup.systems.get_mut(&system) else { return };
                if system.component_lists.is_none() {
                    system.component_lists = crate::document::ComponentLists::empty(system.solver);
                }
                for (side, node) in nodes {
                    if let Some(place) = system.component_lists.single_node_mut(*side) {
                        *place = node.as_deref().map(NodeRef::from);
                    }
                }
            }
            SetupEntry::Material(id, material) => {
                let new = MaterialId(next_id(&setup.materials));
                setup.materials.insert(new, material.clone());
                self.materials.insert(*id, new);
            }
            SetupEntry::Helper(helper) => {
                setup.helpers.insert(HelperId(next_id(&setup.helpers)), helper.clone());
            }
            SetupEntry::Collider(collider) => {
                setup.colliders.insert(ColliderId(next_id(&setup.colliders)), collider.clone());
            }
            SetupEntry::DisabledCollider(name) => {
                if let Some(collider) = setup.colliders.values_mut().find(|collider| collider.name == *name) {
                    collider.enabled = false;
                }
            }
            SetupEntry::Group(id, group) => {
                let new = GroupId(next_id(&setup.groups));
                setup.groups.insert(new, group.clone());
                self.groups.insert(*id, new);
            }
            SetupEntry::Force(force) => {
                setup.forces.insert(ForceId(next_id(&setup.forces)), force.clone());
            }
            SetupEntry::HighLeg(high_leg) => {
                setup.high_legs.insert(HighLegId(next_id(&setup.high_legs)), high_leg.clone());
            }
            SetupEntry::ExcludedBone(bone) => _ = setup.excluded_bones.insert(bone.clone()),
            SetupEntry::HiddenMesh(mesh) => _ = setup.hidden_meshes.insert(mesh.clone()),
            SetupEntry::Chain(_) | SetupEntry::Joint(_) => {}
        }
    }

    fn merge_system(&mut self, id: SystemId, entry: &System<ByName>) {
        let Some(system) = self.setup.systems.get_mut(&id) else { return };
        if !entry.name.is_empty() {
            system.name.clone_from(&entry.name);
        }
        system.solver = entry.solver;
        system.values.extend(entry.values.clone());
        if entry.component.is_some() {
            system.component.clone_from(&entry.component);
        }
        if !entry.component_lists.is_none() {
            system.component_lists = entry.component_lists.clone();
        }
    }

    fn add_chains(&mut self, file: &SetupFile) {
        let mut joints: BTreeMap<u32, Vec<Joint<ByName>>> = BTreeMap::new();
        let mut numbers: BTreeMap<u32, usize> = BTreeMap::new();
        let good = || file.entries.iter().filter_map(|item| Some((item, item.content.as_ref().ok()?)));
        for (_, entry) in good() {
            match entry {
                SetupEntry::Chain(ChainEntry { number: Some(number), .. }) => *numbers.entry(*number).or_default() += 1,
                SetupEntry::Joint(JointEntry { scope: ReplacedProperties::Full, chain: Some(number), joint }) => {
                    joints.entry(*number).or_default().push(joint.clone());
                }
                _ => {}
            }
        }
        let is_whole = |number: &u32| numbers.get(number) == Some(&1) && joints.contains_key(number);
        for (item, entry) in good() {
            match entry {
                SetupEntry::Chain(ChainEntry { number: Some(number), chain, .. }) if is_whole(number) => {
                    let joints = joints.get(number).cloned().unwrap_or_default();
                    self.add_chain(SystemId(item.system as u32), Chain { joints, ..chain.clone() });
                }
                SetupEntry::Joint(JointEntry { scope: ReplacedProperties::Full, chain: Some(number), .. })
                    if is_whole(number) => {}
                SetupEntry::Chain(_) | SetupEntry::Joint(_) => self.add_passthrough(file.solver_of(item), entry),
                _ => {}
            }
        }
    }

    fn add_chain(&mut self, system: SystemId, mut chain: Chain<ByName>) {
        chain.system = system;
        chain.material = chain.material.and_then(|id| self.materials.get(&id).copied());
        chain.groups = chain.groups.iter().filter_map(|id| self.groups.get(id).copied()).collect();
        let id = ChainId(next_id(&self.setup.chains));
        self.setup.chains.insert(id, chain);
    }

    fn add_passthrough(&mut self, solver: SolverKind, item: &SetupEntry) {
        self.setup.passthrough.push(Passthrough::Entry { solver, entry: Box::new(item.clone()) });
    }
}
