//! The entries of a file as one setup.

use super::{FileItem, SetupFile};
use crate::document::{
    ByName, Chain, ChainId, ChainItem, ColliderId, ForceId, GroupId, HelperId, HighLegId, Joint, JointItem, JointScope,
    MaterialId, NodeRef, Passthrough, Setup, SetupItem, System, SystemId,
};
use crate::sim::SolverKind;
use std::collections::BTreeMap;

impl SetupFile {
    /// The entries as one setup, with ids numbered in the order of the entries. Joints and chains that do not fit
    /// together become [`Setup::passthrough`], as do rows that could not be read. [`SetupFile::trees`] are left out.
    pub fn to_setup(&self) -> Setup<ByName> {
        let mut collect = Collect::new(self);
        for item in &self.items {
            match &item.content {
                Ok(entry) => collect.entry(item, entry),
                Err(_) => collect.setup.passthrough.extend(item.verbatim.clone()),
            }
        }
        collect.chains(self);
        collect.setup
    }
}

#[derive(Default)]
struct Collect {
    setup: Setup<ByName>,
    /// Ids of the setup by those of the file.
    groups: BTreeMap<GroupId, GroupId>,
    materials: BTreeMap<MaterialId, MaterialId>,
}

/// The id behind the last one of a list; 1 for the first.
fn next<K, V>(list: &BTreeMap<K, V>) -> u32 {
    list.len() as u32 + 1
}

impl Collect {
    fn new(file: &SetupFile) -> Self {
        let system = |(at, system): (usize, &super::FileSystem)| {
            let (name, solver) = (system.name.clone(), system.solver);
            let (values, component, extras) = Default::default();
            (SystemId(at as u32), System { name, solver, values, component, extras })
        };
        let setup = Setup {
            systems: file.systems.iter().enumerate().map(system).collect(),
            passthrough: file.passthrough.clone(),
            ..Setup::default()
        };
        Self { setup, ..Self::default() }
    }

    /// Adds everything but chains and joints, which refer to the rest.
    fn entry(&mut self, item: &FileItem, entry: &SetupItem) {
        let setup = &mut self.setup;
        let system = SystemId(item.system as u32);
        match entry {
            SetupItem::System(entry) => self.system(system, entry),
            SetupItem::ComponentNodes(nodes) => {
                let Some(system) = setup.systems.get_mut(&system) else { return };
                if system.extras.is_none() {
                    system.extras = crate::document::Extras::empty(system.solver);
                }
                for (side, node) in nodes {
                    if let Some(place) = system.extras.single_mut(*side) {
                        *place = node.as_deref().map(NodeRef::from);
                    }
                }
            }
            SetupItem::Material(id, material) => {
                let new = MaterialId(next(&setup.materials));
                setup.materials.insert(new, material.clone());
                self.materials.insert(*id, new);
            }
            SetupItem::Node(helper) => {
                setup.helpers.insert(HelperId(next(&setup.helpers)), helper.clone());
            }
            SetupItem::Collider(collider) => {
                setup.colliders.insert(ColliderId(next(&setup.colliders)), collider.clone());
            }
            SetupItem::ColliderOff(name) => {
                if let Some(collider) = setup.colliders.values_mut().find(|collider| collider.name == *name) {
                    collider.enabled = false;
                }
            }
            SetupItem::Group(id, group) => {
                let new = GroupId(next(&setup.groups));
                setup.groups.insert(new, group.clone());
                self.groups.insert(*id, new);
            }
            SetupItem::Force(force) => {
                setup.forces.insert(ForceId(next(&setup.forces)), force.clone());
            }
            SetupItem::HighLeg(high_leg) => {
                setup.high_legs.insert(HighLegId(next(&setup.high_legs)), high_leg.clone());
            }
            SetupItem::Excluded(bone) => _ = setup.excluded.insert(bone.clone()),
            SetupItem::MeshHidden(mesh) => _ = setup.renderers_off.insert(mesh.clone()),
            SetupItem::Chain(_) | SetupItem::Joint(_) => {}
        }
    }

    /// Adds what an entry says to a system.
    fn system(&mut self, id: SystemId, entry: &System<ByName>) {
        let Some(system) = self.setup.systems.get_mut(&id) else { return };
        if !entry.name.is_empty() {
            system.name.clone_from(&entry.name);
        }
        system.solver = entry.solver;
        system.values.extend(entry.values.clone());
        if entry.component.is_some() {
            system.component.clone_from(&entry.component);
        }
        if !entry.extras.is_none() {
            system.extras = entry.extras.clone();
        }
    }

    /// Adds chains with their joints.
    fn chains(&mut self, file: &SetupFile) {
        let mut joints: BTreeMap<u32, Vec<Joint<ByName>>> = BTreeMap::new();
        let mut numbers: BTreeMap<u32, usize> = BTreeMap::new();
        let good = || file.items.iter().filter_map(|item| Some((item, item.content.as_ref().ok()?)));
        for (_, entry) in good() {
            match entry {
                SetupItem::Chain(ChainItem { number: Some(number), .. }) => *numbers.entry(*number).or_default() += 1,
                SetupItem::Joint(JointItem { scope: JointScope::Whole, chain: Some(number), joint }) => {
                    joints.entry(*number).or_default().push(joint.clone());
                }
                _ => {}
            }
        }
        let is_whole = |number: &u32| numbers.get(number) == Some(&1) && joints.contains_key(number);
        for (item, entry) in good() {
            match entry {
                SetupItem::Chain(ChainItem { number: Some(number), chain, .. }) if is_whole(number) => {
                    let joints = joints.get(number).cloned().unwrap_or_default();
                    self.chain(SystemId(item.system as u32), Chain { joints, ..chain.clone() });
                }
                SetupItem::Joint(JointItem { scope: JointScope::Whole, chain: Some(number), .. })
                    if is_whole(number) => {}
                SetupItem::Chain(_) | SetupItem::Joint(_) => self.pass(file.solver_of(item), entry),
                _ => {}
            }
        }
    }

    fn chain(&mut self, system: SystemId, mut chain: Chain<ByName>) {
        chain.system = system;
        chain.material = chain.material.and_then(|id| self.materials.get(&id).copied());
        chain.groups = chain.groups.iter().filter_map(|id| self.groups.get(id).copied()).collect();
        let id = ChainId(next(&self.setup.chains));
        self.setup.chains.insert(id, chain);
    }

    fn pass(&mut self, solver: SolverKind, item: &SetupItem) {
        self.setup.passthrough.push(Passthrough::Item { solver, item: Box::new(item.clone()) });
    }
}
