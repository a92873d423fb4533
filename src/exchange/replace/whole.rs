//! Replacing a setup of any number of systems, step by step.

use super::super::bind::Binder;
use super::super::groups::Groups;
use super::super::merge::{MergeInput, merge_others};
use super::super::nodes::{is_there, put_high_leg, put_nodes};
use super::super::passthrough::{KeptList, of_other_solvers};
use super::super::placement::{Placement, collider_place};
use super::super::resolver::NameResolver;
use super::super::verify::{carrier, renderer};
use super::super::{FileItem, Missing, RowNote, RowState, Section};
use super::joints::JointBuild;
use super::{ReplaceNote, ReplacePlan};
use crate::document::{
    ByName, Chain, ChainId, Collider, ColliderId, Document, GroupId, Helper, HelperRole, HighLeg, JointItem,
    MaterialId, NodeRef, Passthrough, Setup, SetupItem, System, SystemId,
};
use crate::exchange::remap::Leads;
use crate::rig::{BoneId, Skeleton};
use crate::sim::SolverKind;
use crate::tools::components;
use std::collections::{BTreeMap, BTreeSet};

/// Names mean exactly what is called so.
static NO_LEADS: Leads = BTreeMap::new();

/// A document on its way to what a file says.
pub(super) struct Replacement<'a> {
    plan: &'a ReplacePlan,
    skeleton: &'a Skeleton,
    /// Positions of entries that UnityChan's window refuses.
    refused: BTreeSet<usize>,
    /// The bones that each system of the file names as joints.
    named: Vec<BTreeSet<BoneId>>,
    /// The system that each system of the file replaces.
    targets: Vec<SystemId>,
    /// Colliders of chains and components of solvers that the file does not speak of.
    others: BTreeSet<ColliderId>,
    /// Colliders that the file describes.
    described: BTreeSet<ColliderId>,
    /// Positions of entries of [`Section::Other`] that cannot be used.
    lost: BTreeSet<usize>,
    after: Document,
    notes: Vec<ReplaceNote>,
}

/// A document after a replacement.
pub(super) struct Replaced {
    pub(super) after: Document,
    /// Colliders that stay unchanged for other solvers alone.
    pub(super) aside: BTreeSet<ColliderId>,
    pub(super) notes: Vec<ReplaceNote>,
}

/// A collider of a file with the position of its entry.
type DescribedCollider<'a> = (usize, &'a FileItem, &'a Collider<ByName>);

impl<'a> Replacement<'a> {
    /// All steps, in the order of UnityChan's window.
    pub(super) fn build(plan: &'a ReplacePlan, document: &Document, skeleton: &'a Skeleton) -> Replaced {
        let mut all = Self {
            plan,
            skeleton,
            refused: plan.errors.iter().filter_map(|error| error.row).collect(),
            named: named_bones(plan, skeleton),
            targets: Vec::new(),
            others: colliders_of_others(document, &plan.solvers()),
            described: BTreeSet::new(),
            lost: BTreeSet::new(),
            after: document.clone(),
            notes: Vec::new(),
        };
        all.gather();
        all.take_down();
        if plan.takes_colliders() {
            all.colliders();
        }
        if plan.takes_bones() {
            all.joints();
        }
        all.other_entries();
        all.forget(document);
        all.after.passthrough = all.kept(document);
        let aside = all.others.difference(&all.described).copied();
        let aside = aside.filter(|id| all.after.colliders.contains_key(id)).collect();
        Replaced { after: all.after, aside, notes: all.notes }
    }

    /// Finds the system that each system of the file replaces, and moves chains to it that have a bone which the file
    /// names.
    fn gather(&mut self) {
        let settled: BTreeSet<SystemId> = self.plan.into.iter().flatten().copied().collect();
        for (at, system) in self.plan.file.systems.iter().enumerate() {
            let (solver, systems) = (system.solver, &self.after.systems);
            let fits = |id: &SystemId| systems.get(id).is_some_and(|system| system.solver == solver);
            let free = |id: &&SystemId| fits(id) && !settled.contains(id) && !self.targets.contains(id);
            let into = self.plan.into.get(at).copied().flatten().filter(|id| fits(id) && !self.targets.contains(id));
            let found = into.or_else(|| systems.keys().find(free).copied());
            let target = found.unwrap_or_else(|| self.after.fresh_system());
            self.after.systems.entry(target).or_insert_with(|| System::under(solver));
            self.targets.push(target);
        }
        if !self.plan.takes_bones() {
            return;
        }
        let targets: Vec<(SystemId, System)> =
            self.targets.iter().map(|id| (*id, self.after.systems[id].clone())).collect();
        for (target, bones) in self.targets.iter().zip(&self.named) {
            let has_one = |chain: &Chain| chain.joints.iter().any(|joint| bones.contains(&joint.bone));
            let chains: BTreeSet<ChainId> =
                self.after.chains.iter().filter(|(_, chain)| has_one(chain)).map(|(id, _)| *id).collect();
            if let Some(edit) = components::join(&self.after, &chains, *target) {
                // The edit was made for this very document.
                _ = self.after.apply(edit);
                for (id, system) in &targets {
                    self.after.systems.entry(*id).or_insert_with(|| system.clone());
                }
            }
        }
    }

    fn is_spoken(&self, chain: &Chain) -> bool {
        self.plan.solvers().contains(&self.after.solver_of(chain))
    }

    /// Removes systems that the file lacks, and what chains have beside their joints.
    fn take_down(&mut self) {
        if !self.plan.takes_bones() {
            return;
        }
        let solvers = self.plan.solvers();
        let stays = |id: &SystemId, system: &System| self.targets.contains(id) || !solvers.contains(&system.solver);
        let gone: BTreeSet<SystemId> =
            self.after.systems.iter().filter(|(id, system)| !stays(id, system)).map(|(id, _)| *id).collect();
        if !gone.is_empty() {
            self.notes.push(ReplaceNote::RemovesSystems(gone.len()));
        }
        self.after.chains.retain(|_, chain| !gone.contains(&chain.system));
        self.after.systems.retain(|id, _| !gone.contains(id));
        let targets = &self.targets;
        for chain in self.after.chains.values_mut().filter(|chain| targets.contains(&chain.system)) {
            (chain.center, chain.material) = (None, None);
            chain.groups.clear();
        }
    }

    /// The usable entries of a section that are not refused.
    fn taken(&self, section: Section) -> Vec<(usize, &'a FileItem, &'a SetupItem)> {
        self.plan.file.good(section).filter(|(at, ..)| !self.refused.contains(at)).collect()
    }

    /// Colliders, bare nodes and raised-thigh nodes.
    fn colliders(&mut self) {
        let spoken: BTreeSet<ChainId> =
            self.after.chains.iter().filter(|(_, chain)| self.is_spoken(chain)).map(|(id, _)| *id).collect();
        for (_, chain) in self.after.chains.iter_mut().filter(|(id, _)| spoken.contains(id)) {
            chain.groups.clear();
            chain.joints.iter_mut().for_each(|joint| joint.colliders.clear());
        }
        let nodes = self.taken(Section::Nodes).into_iter().filter_map(|(_, _, content)| match content {
            SetupItem::Node(helper) => Some(helper),
            _ => None,
        });
        put_nodes(&mut self.after, self.skeleton, &NO_LEADS, nodes.collect());
        self.describe();
        let Setup { groups, colliders, systems, .. } = &mut self.after.setup;
        for group in groups.values_mut() {
            group.colliders.retain(|id| colliders.contains_key(id));
        }
        for system in systems.values_mut() {
            system.extras.keep_colliders(|id| colliders.contains_key(&id));
        }
        let base = self.after.clone();
        let names = NameResolver::exact(&base, self.skeleton);
        let mut binder = Binder::new(&names);
        for (_, _, content) in self.taken(Section::HighLegs) {
            let SetupItem::HighLeg(entry) = content else { continue };
            let new: Option<HighLeg> = entry.rename(&mut binder);
            if let Some(new) = new.filter(|_| binder.take_missing().is_empty()) {
                put_high_leg(&mut self.after, new);
            }
        }
        binder.finish(&mut self.after);
    }

    /// Puts the colliders of the file in place of those that are there; of several with one name the first counts.
    fn describe(&mut self) {
        let mut next = self.after.fresh_collider().0;
        let old = std::mem::take(&mut self.after.colliders);
        let mut ids = BTreeMap::new();
        for is_other in [true, false] {
            let some = old.iter().rev().filter(|(id, _)| self.others.contains(id) == is_other);
            ids.extend(some.map(|(id, collider)| (collider.name.clone(), *id)));
        }
        self.after.colliders = old.into_iter().filter(|(id, _)| self.others.contains(id)).collect();
        let base = self.after.clone();
        let names = NameResolver::exact(&base, self.skeleton);
        let mut first: BTreeMap<&str, &Collider<ByName>> = BTreeMap::new();
        for (at, item, content) in self.taken(Section::Colliders) {
            let SetupItem::Collider(collider) = content else { continue };
            if names.node(carrier(&collider.node).name()).is_none() {
                continue;
            }
            if let Some(earlier) = first.get(collider.name.as_str()) {
                if *earlier != collider {
                    self.notes.push(ReplaceNote::ColliderTwice(item.line, item.name.clone()));
                }
                continue;
            }
            first.insert(&collider.name, collider);
            let id = ids.remove(collider.name.as_str()).unwrap_or_else(|| {
                next += 1;
                ColliderId(next - 1)
            });
            self.described.insert(id);
            self.put_collider(&names, (at, item, collider), id);
        }
    }

    /// Puts a collider of the file. One that other solvers use does not change where it is as the file says.
    fn put_collider(&mut self, names: &NameResolver<'_>, entry: DescribedCollider<'_>, id: ColliderId) {
        let (_, item, collider) = entry;
        let Collider { name, shape, enabled, .. } = collider.clone();
        let mesh = collider.renderer.as_deref().filter(|mesh| !mesh.is_empty());
        let renderer = mesh.and_then(|mesh| renderer(&self.plan.options.renderers, mesh)).cloned();
        if let Some(here) = self.after.colliders.get(&id)
            && self.is_described(names, here, &collider.node)
            && (here.shape, &here.renderer) == (shape, &renderer)
        {
            return;
        }
        let node = match &collider.node {
            NodeRef::Named(name) => names.node(name),
            NodeRef::Placed(helper) => names.node(helper.parent.name()).map(|parent| {
                let (name, role) = (helper.name.clone(), HelperRole::Plain);
                let placement = Placement::of(names, Helper { name, parent, local: helper.local, role });
                if placement.would_move_bone(parent) {
                    self.notes.push(ReplaceNote::WouldMoveBone(item.line, item.name.clone()));
                }
                placement.put(&mut self.after)
            }),
        };
        if let Some(node) = node {
            self.after.colliders.insert(id, Collider { enabled, renderer, ..Collider::new(name, node, shape) });
        }
    }

    /// Whether a collider is where a file says.
    fn is_described(&self, names: &NameResolver<'_>, collider: &Collider, node: &NodeRef) -> bool {
        match node {
            NodeRef::Named(name) => names.may_mean(name, collider.node),
            NodeRef::Placed(helper) => collider_place(names.document(), self.skeleton, collider)
                .is_some_and(|place| is_there(names, place, (&helper.parent, &helper.local))),
        }
    }

    /// The joints of all systems of the file.
    fn joints(&mut self) {
        let build = JointBuild {
            plan: self.plan,
            skeleton: self.skeleton,
            refused: &self.refused,
            named: &self.named,
            targets: &self.targets,
            described: &self.described,
        };
        let (after, notes) = build.build(&self.after);
        self.after = after;
        self.notes.extend(notes);
    }

    /// Everything else, which UnityChan's window ignores.
    fn other_entries(&mut self) {
        if !self.plan.options.extras {
            return;
        }
        let file = &self.plan.file;
        let mut missing: BTreeMap<usize, Missing> = BTreeMap::new();
        for (at, item, content) in file.good(Section::Other) {
            if let Some(lost) = self.elsewhere(item, content) {
                missing.insert(at, lost);
            }
        }
        let others = self.after.chains.values().filter(|chain| !self.is_spoken(chain));
        let groups = Groups::reserving(others.flat_map(|chain| &chain.groups).copied().collect());
        let known = vec![None; file.items.len()];
        let into: Vec<_> = self.targets.iter().copied().map(Some).collect();
        let input = MergeInput { file, known: &known, into: &into, skeleton: self.skeleton, leads: &NO_LEADS };
        let is_used = |at: usize| !missing.contains_key(&at);
        let merged = merge_others(input, &self.after, &is_used, groups);
        for (at, item) in file.items.iter().enumerate().filter(|(_, item)| item.section == Section::Other) {
            if item.content.is_err() {
                self.lost.insert(at);
                continue;
            }
            let Some(outcome) = merged.outcomes.get(at).filter(|_| !missing.contains_key(&at)) else { continue };
            if let RowState::Missing(lost) = &outcome.state {
                missing.insert(at, lost.clone());
            }
            for note in outcome.state.notes() {
                if let RowNote::NoListed(names) = note {
                    let names = names.iter().map(|one| one.name.clone()).collect();
                    self.notes.push(ReplaceNote::NoListed(item.line, names));
                }
            }
        }
        self.after = merged.after;
        if let Some(first) = missing.values().next() {
            self.notes.push(ReplaceNote::LostComments(missing.len(), first.clone()));
        }
        self.lost.extend(missing.into_keys());
    }

    /// What an entry for a chain or joint misses whose bone is not in the system of the entry.
    fn elsewhere(&self, item: &FileItem, content: &SetupItem) -> Option<Missing> {
        let (bone, missing): (&String, fn(String) -> Missing) = match content {
            SetupItem::Chain(entry) => (&entry.root, Missing::Chain),
            SetupItem::Joint(JointItem { joint, .. }) => (&joint.bone, Missing::Joint),
            _ => return None,
        };
        let Some(id) = self.skeleton.find(bone) else { return Some(Missing::Bone(bone.clone())) };
        let chain = self.after.joint_of(id).and_then(|(chain, _)| self.after.chains.get(&chain));
        let is_here = chain.is_some_and(|chain| self.targets.get(item.system) == Some(&chain.system));
        (!is_here).then(|| missing(bone.clone()))
    }

    /// Removes groups and materials of chains that the file speaks of, where no chain has them any more and the file does
    /// not describe them.
    fn forget(&mut self, before: &Document) {
        let spoken = || self.plan.chains(before);
        let entries = self.plan.file.good(Section::Other).filter(|_| self.plan.options.extras);
        let name = |(_, _, content): (usize, &'a FileItem, &'a SetupItem)| match content {
            SetupItem::Group(_, group) => Some(group.name.as_str()),
            _ => None,
        };
        let described: BTreeSet<&str> = entries.filter_map(name).collect();
        let groups: BTreeSet<GroupId> = spoken().flat_map(|chain| &chain.groups).copied().collect();
        let materials: BTreeSet<MaterialId> = spoken().filter_map(|chain| chain.material).collect();
        let Setup { chains, groups: all, materials: shared, .. } = &mut self.after.setup;
        all.retain(|id, group| {
            let is_used = || chains.values().any(|chain| chain.groups.contains(id));
            !groups.contains(id) || described.contains(group.name.as_str()) || is_used()
        });
        shared.retain(|id, _| !materials.contains(id) || chains.values().any(|chain| chain.material == Some(*id)));
    }

    /// Entries that cannot be used here are kept for an export; those of other solvers stay kept.
    fn kept(&self, before: &Document) -> Vec<Passthrough> {
        let file = &self.plan.file;
        let mut kept = KeptList::of(&of_other_solvers(before, self.skeleton, &self.plan.solvers()));
        for section in Section::ALL {
            for (at, item) in file.items.iter().enumerate().filter(|(_, item)| item.section == section) {
                let is_lost = match section {
                    Section::Joints => self.skeleton.find(joint_name(item)).is_none(),
                    Section::Pivots | Section::Colliders | Section::Nodes => self.refused.contains(&at),
                    Section::HighLegs => item.content.is_err(),
                    Section::Other => self.lost.contains(&at),
                };
                if is_lost {
                    kept.put(item, file.solver_of(item), true);
                }
            }
        }
        kept.into_list()
    }
}

/// The name of the bone of a joint entry.
fn joint_name(item: &FileItem) -> &str {
    match &item.content {
        Ok(SetupItem::Joint(entry)) => &entry.joint.bone,
        _ => &item.name,
    }
}

/// The bones that each system of the file names as joints.
fn named_bones(plan: &ReplacePlan, skeleton: &Skeleton) -> Vec<BTreeSet<BoneId>> {
    let mut named = vec![BTreeSet::new(); plan.file.systems.len()];
    for item in plan.file.items.iter().filter(|item| item.section == Section::Joints) {
        if let Some(bones) = named.get_mut(item.system) {
            bones.extend(skeleton.find(joint_name(item)));
        }
    }
    named
}

/// Colliders that chains or components of other solvers refer to.
fn colliders_of_others(document: &Document, solvers: &BTreeSet<SolverKind>) -> BTreeSet<ColliderId> {
    let mut found = BTreeSet::new();
    for chain in document.chains.values().filter(|chain| !solvers.contains(&document.solver_of(chain))) {
        found.extend(chain.joints.iter().flat_map(|joint| document.colliders_of(chain, joint)));
    }
    for system in document.systems.values().filter(|system| !solvers.contains(&system.solver)) {
        found.extend(system.extras.colliders());
    }
    found
}
