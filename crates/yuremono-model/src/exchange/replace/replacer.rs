//! Replaces the setup of any number of systems, step by step.

use super::super::group_map::GroupMap;
use super::super::merge::{MergeInput, MergeResult, MergedSection, merge_section};
use super::super::name_resolver::{EMPTY_NAME_MAP, NameResolver};
use super::super::node_placement::{Placement, collider_transform, is_at_described_place};
use super::super::passthrough::{PassthroughList, passthrough_of_other_solvers};
use super::super::table_verifier::{collider_parent, find_mesh};
use super::super::{FileEntry, FileSection, ImportNote, ImportRowStatus, MissingReference};
use super::{ReplaceNote, ReplacePlan};
use crate::document::{
    ByName, Chain, ChainId, Collider, ColliderId, Document, GroupId, Helper, HelperId, HelperRole, JointEntry,
    MaterialId, NodeRef, Passthrough, Setup, SetupEntry, System, SystemId,
};
use crate::tools::components;
use std::collections::{BTreeMap, BTreeSet};
use yuremono_sim::SolverKind;
use yuremono_sim::rig::{BoneId, Pose, Skeleton, WorldPose};

pub(super) struct Replacer<'a> {
    pub(super) plan: &'a ReplacePlan,
    pub(super) skeleton: &'a Skeleton,
    /// Indices of the rejected entries.
    pub(super) rejected_entries: BTreeSet<usize>,
    /// The joint bones of each system of the file.
    pub(super) joint_bones: Vec<BTreeSet<BoneId>>,
    /// The target of each system of the file.
    pub(super) target_systems: Vec<SystemId>,
    /// Colliders of chains and components whose solvers the file does not contain.
    pub(super) colliders_of_other_solvers: BTreeSet<ColliderId>,
    pub(super) described_colliders: BTreeSet<ColliderId>,
    /// Indices of unusable entries of [`FileSection::Other`].
    pub(super) unusable_entries: BTreeSet<usize>,
    /// World frames of the rest pose.
    pub(super) rest: WorldPose,
    /// Pivots that have the name of a bone.
    pub(super) bone_named_pivots: BTreeMap<String, HelperId>,
    pub(super) after: Document,
    pub(super) notes: Vec<ReplaceNote>,
}

pub(super) struct ReplaceResult {
    pub(super) after: Document,
    /// Unchanged colliders that only other solvers use.
    pub(super) colliders_kept_for_others: BTreeSet<ColliderId>,
    pub(super) notes: Vec<ReplaceNote>,
}

impl<'a> Replacer<'a> {
    /// Runs all steps, in the order of `UnityChanSpringBone`'s import window.
    pub(super) fn build(plan: &'a ReplacePlan, document: &Document, skeleton: &'a Skeleton) -> ReplaceResult {
        let mut all = Self {
            plan,
            skeleton,
            rejected_entries: plan.errors.iter().filter_map(|error| error.entry_index).collect(),
            joint_bones: joint_bones_by_system(plan, skeleton),
            target_systems: Vec::new(),
            colliders_of_other_solvers: colliders_of_others(document, &plan.solvers()),
            described_colliders: BTreeSet::new(),
            unusable_entries: BTreeSet::new(),
            rest: WorldPose::from_pose(skeleton, &Pose::rest(skeleton)),
            bone_named_pivots: BTreeMap::new(),
            after: document.clone(),
            notes: Vec::new(),
        };
        all.move_chains_to_targets();
        all.remove_old_setup();
        if plan.replaces_colliders() {
            all.replace_colliders();
        }
        if plan.replaces_joints() {
            all.replace_joints();
        }
        all.merge_other_entries();
        all.remove_unused_groups_and_materials(document);
        all.after.passthrough = all.remaining_passthrough(document);
        let kept_colliders = all.colliders_of_other_solvers.difference(&all.described_colliders).copied();
        let kept_colliders = kept_colliders.filter(|id| all.after.colliders.contains_key(id)).collect();
        ReplaceResult { after: all.after, colliders_kept_for_others: kept_colliders, notes: all.notes }
    }

    /// Finds the target of each system of the file, and moves the chains with bones of that system to the target.
    fn move_chains_to_targets(&mut self) {
        let settled: BTreeSet<SystemId> = self.plan.target_systems.iter().flatten().copied().collect();
        for (at, system) in self.plan.file.systems.iter().enumerate() {
            let (solver, systems) = (system.solver, &self.after.systems);
            let fits = |id: &SystemId| systems.get(id).is_some_and(|system| system.solver == solver);
            let free = |id: &&SystemId| fits(id) && !settled.contains(id) && !self.target_systems.contains(id);
            let into = self
                .plan
                .target_systems
                .get(at)
                .copied()
                .flatten()
                .filter(|id| fits(id) && !self.target_systems.contains(id));
            let found = into.or_else(|| systems.keys().find(free).copied());
            let target = found.unwrap_or_else(|| self.after.next_system_id());
            self.after.systems.entry(target).or_insert_with(|| System::with_solver(solver));
            self.target_systems.push(target);
        }
        if !self.plan.replaces_joints() {
            return;
        }
        let targets: Vec<(SystemId, System)> =
            self.target_systems.iter().map(|id| (*id, self.after.systems[id].clone())).collect();
        for (target, bones) in self.target_systems.iter().zip(&self.joint_bones) {
            let has_one = |chain: &Chain| chain.joints.iter().any(|joint| bones.contains(&joint.bone));
            let chains: BTreeSet<ChainId> =
                self.after.chains.iter().filter(|(_, chain)| has_one(chain)).map(|(id, _)| *id).collect();
            if let Some(edit) = components::move_chains_to_system(&self.after, &chains, *target) {
                // The edit was made for this document, so it always applies.
                _ = self.after.apply(edit);
                for (id, system) in &targets {
                    self.after.systems.entry(*id).or_insert_with(|| system.clone());
                }
            }
        }
    }

    fn is_replaced_chain(&self, chain: &Chain) -> bool {
        self.plan.solvers().contains(&self.after.solver_of(chain))
    }

    /// Removes systems that the file does not contain, and clears centers, materials and groups of the chains
    /// in the target systems.
    fn remove_old_setup(&mut self) {
        if !self.plan.replaces_joints() {
            return;
        }
        let solvers = self.plan.solvers();
        let stays =
            |id: &SystemId, system: &System| self.target_systems.contains(id) || !solvers.contains(&system.solver);
        let gone: BTreeSet<SystemId> =
            self.after.systems.iter().filter(|(id, system)| !stays(id, system)).map(|(id, _)| *id).collect();
        if !gone.is_empty() {
            self.notes.push(ReplaceNote::RemovesSystems(gone.len()));
        }
        self.after.chains.retain(|_, chain| !gone.contains(&chain.system));
        self.after.systems.retain(|id, _| !gone.contains(id));
        let targets = &self.target_systems;
        for chain in self.after.chains.values_mut().filter(|chain| targets.contains(&chain.system)) {
            (chain.center, chain.material) = (None, None);
            chain.groups.clear();
        }
    }

    pub(super) fn accepted_entries(&self, section: FileSection) -> Vec<(usize, &'a FileEntry, &'a SetupEntry)> {
        self.plan.file.usable_entries(section).filter(|(at, ..)| !self.rejected_entries.contains(at)).collect()
    }

    /// Replaces colliders, nodes and leg followers.
    fn replace_colliders(&mut self) {
        let replaced_chains: BTreeSet<ChainId> =
            self.after.chains.iter().filter(|(_, chain)| self.is_replaced_chain(chain)).map(|(id, _)| *id).collect();
        for (_, chain) in self.after.chains.iter_mut().filter(|(id, _)| replaced_chains.contains(id)) {
            chain.groups.clear();
            chain.joints.iter_mut().for_each(|joint| joint.colliders.clear());
        }
        self.after = self.merge_accepted(MergedSection::Nodes);
        self.insert_described_colliders();
        let Setup { groups, colliders, systems, .. } = &mut self.after.setup;
        for group in groups.values_mut() {
            group.colliders.retain(|id| colliders.contains_key(id));
        }
        for system in systems.values_mut() {
            system.component_lists.retain_colliders(|id| colliders.contains_key(&id));
        }
        self.after = self.merge_accepted(MergedSection::HighLegs);
    }

    /// The document after the accepted entries of a section are merged.
    fn merge_accepted(&self, section: MergedSection) -> Document {
        let is_accepted = |at: usize| !self.rejected_entries.contains(&at);
        self.merge_file_section(section, &is_accepted, GroupMap::default()).after
    }

    fn merge_file_section(
        &self,
        section: MergedSection,
        is_used: &dyn Fn(usize) -> bool,
        groups: GroupMap,
    ) -> MergeResult {
        let file = &self.plan.file;
        let known = vec![None; file.entries.len()];
        let into: Vec<_> = self.target_systems.iter().copied().map(Some).collect();
        let input = MergeInput {
            file,
            known_bones: &known,
            target_systems: &into,
            skeleton: self.skeleton,
            name_map: &EMPTY_NAME_MAP,
            unlisted_tails: &[],
        };
        merge_section(input, &self.after, section, is_used, groups)
    }

    /// Replaces the colliders. If several colliders of the file have the same name, the first is used.
    fn insert_described_colliders(&mut self) {
        let mut next = self.after.next_collider_id().0;
        let old = std::mem::take(&mut self.after.colliders);
        let mut ids = BTreeMap::new();
        for is_other in [true, false] {
            let some = old.iter().rev().filter(|(id, _)| self.colliders_of_other_solvers.contains(id) == is_other);
            ids.extend(some.map(|(id, collider)| (collider.name.clone(), *id)));
        }
        self.after.colliders = old.into_iter().filter(|(id, _)| self.colliders_of_other_solvers.contains(id)).collect();
        let base = self.after.clone();
        let names = NameResolver::without_name_map(&base, self.skeleton);
        let mut first: BTreeMap<&str, &Collider<ByName>> = BTreeMap::new();
        for (_, item, content) in self.accepted_entries(FileSection::Colliders) {
            let SetupEntry::Collider(collider) = content else { continue };
            if names.node(collider_parent(&collider.node).name()).is_none() {
                continue;
            }
            if let Some(earlier) = first.get(collider.name.as_str()) {
                if *earlier != collider {
                    self.notes.push(ReplaceNote::DuplicateCollider(item.line, item.name.clone()));
                }
                continue;
            }
            first.insert(&collider.name, collider);
            let id = ids.remove(collider.name.as_str()).unwrap_or_else(|| {
                next += 1;
                ColliderId(next - 1)
            });
            self.described_colliders.insert(id);
            self.insert_collider(&names, item, collider, id);
        }
    }

    /// Inserts a collider of the file. An existing collider that equals the description stays unchanged.
    fn insert_collider(
        &mut self,
        names: &NameResolver<'_>,
        item: &FileEntry,
        collider: &Collider<ByName>,
        id: ColliderId,
    ) {
        let Collider { name, shape, enabled, .. } = collider.clone();
        let mesh = collider.mesh_name.as_deref().filter(|mesh| !mesh.is_empty());
        let renderer = mesh.and_then(|mesh| find_mesh(&self.plan.options.mesh_names, mesh)).cloned();
        if let Some(here) = self.after.colliders.get(&id)
            && self.is_collider_unchanged(names, here, &collider.node)
            && (here.shape, &here.mesh_name) == (shape, &renderer)
        {
            return;
        }
        let node = match &collider.node {
            NodeRef::Named(name) => names.node(name),
            NodeRef::Inline(helper) => names.node(helper.parent.name()).map(|parent| {
                let (name, role) = (helper.name.clone(), HelperRole::Plain);
                let placement = Placement::resolve(names, Helper { name, parent, local: helper.local, role });
                if placement.would_move_bone(parent) {
                    self.notes.push(ReplaceNote::WouldMoveBone(item.line, item.name.clone()));
                }
                placement.apply(&mut self.after)
            }),
        };
        if let Some(node) = node {
            self.after
                .colliders
                .insert(id, Collider { enabled, mesh_name: renderer, ..Collider::new(name, node, shape) });
        }
    }

    fn is_collider_unchanged(&self, names: &NameResolver<'_>, collider: &Collider, node: &NodeRef) -> bool {
        match node {
            NodeRef::Named(name) => names.can_refer_to(name, collider.node),
            NodeRef::Inline(helper) => collider_transform(names.document(), self.skeleton, collider)
                .is_some_and(|(parent, local)| is_at_described_place(names, parent, &local, helper)),
        }
    }

    /// Merges the entries that `UnityChanSpringBone`'s import window ignores.
    fn merge_other_entries(&mut self) {
        if !self.plan.options.use_other_entries {
            return;
        }
        let file = &self.plan.file;
        let mut missing: BTreeMap<usize, MissingReference> = BTreeMap::new();
        for (at, item, content) in file.usable_entries(FileSection::Other) {
            if let Some(lost) = self.missing_in_target_system(item, content) {
                missing.insert(at, lost);
            }
        }
        let others = self.after.chains.values().filter(|chain| !self.is_replaced_chain(chain));
        let groups = GroupMap::with_reserved(others.flat_map(|chain| &chain.groups).copied().collect());
        let merged = self.merge_file_section(MergedSection::Other, &|at| !missing.contains_key(&at), groups);
        for (at, item) in file.entries.iter().enumerate().filter(|(_, item)| item.section == FileSection::Other) {
            if item.content.is_err() {
                self.unusable_entries.insert(at);
                continue;
            }
            let Some(outcome) = merged.outcomes.get(at).filter(|_| !missing.contains_key(&at)) else { continue };
            if let ImportRowStatus::ReferenceNotFound(lost) = &outcome.status {
                missing.insert(at, lost.clone());
            }
            for note in outcome.status.notes() {
                if let ImportNote::MissingListNames(names) = note {
                    let names = names.iter().map(|one| one.name.clone()).collect();
                    self.notes.push(ReplaceNote::MissingListNames(item.line, names));
                }
            }
        }
        self.after = merged.after;
        if let Some(first) = missing.values().next() {
            self.notes.push(ReplaceNote::UnusableCommentRows(missing.len(), first.clone()));
        }
        self.unusable_entries.extend(missing.into_keys());
    }

    /// The missing reference of a chain or joint entry, if its bone is not in the entry's system.
    fn missing_in_target_system(&self, item: &FileEntry, content: &SetupEntry) -> Option<MissingReference> {
        let (bone, missing): (&String, fn(String) -> MissingReference) = match content {
            SetupEntry::Chain(entry) => (&entry.root, MissingReference::Chain),
            SetupEntry::Joint(JointEntry { joint, .. }) => (&joint.bone, MissingReference::Joint),
            _ => return None,
        };
        let Some(id) = self.skeleton.find(bone) else { return Some(MissingReference::Bone(bone.clone())) };
        let chain = self.after.find_joint(id).and_then(|(chain, _)| self.after.chains.get(&chain));
        let is_here = chain.is_some_and(|chain| self.target_systems.get(item.system) == Some(&chain.system));
        (!is_here).then(|| missing(bone.clone()))
    }

    /// Removes groups and materials that only replaced chains used and that the file does not describe.
    fn remove_unused_groups_and_materials(&mut self, before: &Document) {
        let replaced_chains = || self.plan.replaced_chains(before);
        let entries = self.plan.file.usable_entries(FileSection::Other).filter(|_| self.plan.options.use_other_entries);
        let name = |(_, _, content): (usize, &'a FileEntry, &'a SetupEntry)| match content {
            SetupEntry::Group(_, group) => Some(group.name.as_str()),
            _ => None,
        };
        let described: BTreeSet<&str> = entries.filter_map(name).collect();
        let groups: BTreeSet<GroupId> = replaced_chains().flat_map(|chain| &chain.groups).copied().collect();
        let materials: BTreeSet<MaterialId> = replaced_chains().filter_map(|chain| chain.material).collect();
        let Setup { chains, groups: all, materials: shared, .. } = &mut self.after.setup;
        all.retain(|id, group| {
            let is_used = || chains.values().any(|chain| chain.groups.contains(id));
            !groups.contains(id) || described.contains(group.name.as_str()) || is_used()
        });
        shared.retain(|id, _| !materials.contains(id) || chains.values().any(|chain| chain.material == Some(*id)));
    }

    /// The unusable entries, which are kept for the next export, and the passthrough entries of other solvers.
    fn remaining_passthrough(&self, before: &Document) -> Vec<Passthrough> {
        let file = &self.plan.file;
        let mut kept =
            PassthroughList::from_entries(&passthrough_of_other_solvers(before, self.skeleton, &self.plan.solvers()));
        for section in FileSection::ALL {
            for (at, item) in file.entries.iter().enumerate().filter(|(_, item)| item.section == section) {
                let is_lost = match section {
                    FileSection::Joints => self.skeleton.find(joint_bone_name(item)).is_none(),
                    FileSection::Pivots | FileSection::Colliders | FileSection::Nodes => {
                        self.rejected_entries.contains(&at)
                    }
                    FileSection::HighLegs => item.content.is_err(),
                    FileSection::Other => self.unusable_entries.contains(&at),
                };
                if is_lost {
                    kept.update(item, file.solver_of(item), true);
                }
            }
        }
        kept.into_entries()
    }
}

fn joint_bone_name(item: &FileEntry) -> &str {
    match &item.content {
        Ok(SetupEntry::Joint(entry)) => &entry.joint.bone,
        _ => &item.name,
    }
}

fn joint_bones_by_system(plan: &ReplacePlan, skeleton: &Skeleton) -> Vec<BTreeSet<BoneId>> {
    let mut named = vec![BTreeSet::new(); plan.file.systems.len()];
    for item in plan.file.entries.iter().filter(|item| item.section == FileSection::Joints) {
        if let Some(bones) = named.get_mut(item.system) {
            bones.extend(skeleton.find(joint_bone_name(item)));
        }
    }
    named
}

fn colliders_of_others(document: &Document, solvers: &BTreeSet<SolverKind>) -> BTreeSet<ColliderId> {
    let mut found = BTreeSet::new();
    for chain in document.chains.values().filter(|chain| !solvers.contains(&document.solver_of(chain))) {
        found.extend(chain.joints.iter().flat_map(|joint| document.colliders_of(chain, joint)));
    }
    for system in document.systems.values().filter(|system| !solvers.contains(&system.solver)) {
        found.extend(system.component_lists.collider_ids());
    }
    found
}
