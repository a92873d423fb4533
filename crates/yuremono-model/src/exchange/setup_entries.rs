//! Converts a complete setup to the entries of a file, and back.

use super::setup_file::section_and_name;
use super::{FileEntry, SetupFile, SetupFormat, SystemHeader};
use crate::document::{
    ByName, Chain, ChainEntry, ChainId, ColliderId, ForceId, GroupId, HelperId, HighLegId, Joint, JointEntry,
    MaterialId, NodeRef, Passthrough, ReplacedProperties, Setup, SetupEntry, System, SystemId,
};
use std::collections::BTreeMap;
use yuremono_sim::SolverKind;

impl SetupFile {
    /// The file of a complete setup. Its entries are grouped by system, and entries that apply to the whole file belong
    /// to the first system. `helpers` is the order of the helpers. `pointer` returns the JSON pointer of a path below the
    /// setup, such as `chains/3/joints/0`.
    pub fn from_setup(
        format: SetupFormat,
        setup: Setup<ByName>,
        helpers: &[HelperId],
        pointer: &dyn Fn(&str) -> String,
    ) -> Self {
        let header = |system: &System<ByName>| SystemHeader { solver: system.solver, name: system.name.clone() };
        let systems = setup.systems.values().map(header).collect();
        let mut list = EntryList { pointer, entries: Vec::new() };
        list.add_setup(&setup, helpers);
        Self { systems, entries: list.entries, passthrough: setup.passthrough, ..Self::without_system(format) }
    }

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

/// Lists the entries of a setup with their JSON pointers.
struct EntryList<'a> {
    pointer: &'a dyn Fn(&str) -> String,
    entries: Vec<FileEntry>,
}

impl EntryList<'_> {
    fn add_setup(&mut self, setup: &Setup<ByName>, helpers: &[HelperId]) {
        let solvers: Vec<_> = setup.systems.values().map(|system| system.solver).collect();
        let first_of = |solver: SolverKind| solvers.iter().position(|other| *other == solver).unwrap_or_default();
        let system_of = |id: &SystemId| setup.systems.keys().position(|other| other == id).unwrap_or_default();
        for (at, (id, system)) in setup.systems.iter().enumerate() {
            let name = if system.name.is_empty() { system.solver.key() } else { system.name.as_str() };
            self.add(at, name, format_args!("systems/{}", id.0), SetupEntry::System(system.clone()));
            for (id, material) in setup.materials.iter().filter(|(_, material)| first_of(material.solver) == at) {
                let entry = SetupEntry::Material(*id, material.clone());
                self.add(at, &material.name, format_args!("materials/{}", id.0), entry);
            }
            if at == 0 {
                self.add_shared(setup, helpers);
            }
            for (id, chain) in setup.chains.iter().filter(|(_, chain)| system_of(&chain.system) == at) {
                self.add_chain(at, *id, chain);
            }
            if at == 0 {
                for (at, bone) in setup.excluded_bones.iter().enumerate() {
                    let entry = SetupEntry::ExcludedBone(bone.clone());
                    self.add(0, bone, format_args!("excluded_bones/{at}"), entry);
                }
                for (at, mesh) in setup.hidden_meshes.iter().enumerate() {
                    self.add(0, mesh, format_args!("hidden_meshes/{at}"), SetupEntry::HiddenMesh(mesh.clone()));
                }
            }
        }
    }

    fn add(&mut self, system: usize, name: &str, path: std::fmt::Arguments<'_>, entry: SetupEntry) {
        let (section, _) = section_and_name(&entry);
        let json_pointer = (self.pointer)(&path.to_string());
        self.entries.push(FileEntry { json_pointer, ..FileEntry::new(system, section, name, entry) });
    }

    /// Adds the entries that belong to the whole character.
    fn add_shared(&mut self, setup: &Setup<ByName>, helpers: &[HelperId]) {
        for (id, helper) in helpers.iter().filter_map(|id| Some((id, setup.helpers.get(id)?))) {
            self.add(0, &helper.name, format_args!("helpers/{}", id.0), SetupEntry::Helper(helper.clone()));
        }
        for (id, collider) in &setup.colliders {
            let entry = SetupEntry::Collider(collider.clone());
            self.add(0, &collider.name, format_args!("colliders/{}", id.0), entry);
        }
        for (id, group) in &setup.groups {
            self.add(0, &group.name, format_args!("groups/{}", id.0), SetupEntry::Group(*id, group.clone()));
        }
        for (id, force) in &setup.forces {
            self.add(0, &force.name, format_args!("forces/{}", id.0), SetupEntry::Force(force.clone()));
        }
        for (id, high_leg) in &setup.high_legs {
            let entry = SetupEntry::HighLeg(high_leg.clone());
            self.add(0, high_leg.node.name(), format_args!("high_legs/{}", id.0), entry);
        }
    }

    /// Adds a chain and its joints.
    fn add_chain(&mut self, system: usize, id: ChainId, chain: &Chain<ByName>) {
        let Some(root) = chain.joints.first().map(|joint| joint.bone.clone()) else { return };
        let number = Some(id.0);
        // The id of the system equals `FileEntry::system`.
        let without_joints = Chain { joints: Vec::new(), system: SystemId(system as u32), ..chain.clone() };
        let entry = SetupEntry::Chain(ChainEntry { root: root.clone(), number, chain: without_joints });
        self.add(system, &root, format_args!("chains/{}", id.0), entry);
        for (at, joint) in chain.joints.iter().enumerate() {
            let entry = JointEntry { scope: ReplacedProperties::Full, chain: number, joint: joint.clone() };
            self.add(system, &joint.bone, format_args!("chains/{}/joints/{at}", id.0), SetupEntry::Joint(entry));
        }
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
        let system = |(at, system): (usize, &SystemHeader)| {
            let (name, solver) = (system.name.clone(), system.solver);
            let (values, component, component_lists) = Default::default();
            (SystemId(at as u32), System { name, solver, values, component, component_lists })
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
