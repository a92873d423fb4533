//! Merges the entries of a file into a document, and reports the changes of each entry.
//!
//! Nodes are merged first, then colliders, joints with pivots, and all other entries. This order is necessary because
//! joints refer to nodes, and other entries refer to chains. Elements that the file does not contain stay unchanged.

mod joints;
mod others;

pub(super) use joints::{chain_part, colliders_named, insert_new_chains};

use super::bind::params_by_name;
use super::group_map::GroupMap;
use super::name_resolver::NameResolver;
use super::node_placement::{self, Placement, reuse_helper_id};
use super::vrm_tails::UnlistedTail;
use super::{FileEntry, FileSection, ImportNote, ImportRowStatus, SetupFile, SetupLayout, passthrough};
use crate::document::{
    ByName, Collider, ColliderId, Document, ForceId, Helper, HelperId, HelperRole, Joint, Node, NodeRef, Passthrough,
    RingId, SetupEntry, SystemId, bone_of_node,
};
use crate::exchange::remap::NameMap;
use std::collections::{BTreeMap, BTreeSet};
use yuremono_sim::math::{JsonNumber, Trs};
use yuremono_sim::params::{ParamId, ParamScope};
use yuremono_sim::rig::{BoneId, Skeleton};

#[derive(Clone, Copy)]
pub(super) struct MergeInput<'a> {
    /// The file in glTF space, without trees.
    pub file: &'a SetupFile,
    /// The bone of each entry, if the bone is known without resolving a name.
    pub known_bones: &'a [Option<BoneId>],
    /// The target of each system of the file. `None` selects all systems with the same solver.
    pub target_systems: &'a [Option<SystemId>],
    pub skeleton: &'a Skeleton,
    pub name_map: &'a NameMap,
    pub unlisted_tails: &'a [UnlistedTail],
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct EntryOutcome {
    /// The target bone, or the nearest ancestor bone of the target node.
    pub target: Option<BoneId>,
    pub status: ImportRowStatus,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct MergeResult {
    pub after: Document,
    /// One outcome per entry. Unused entries keep their initial status.
    pub outcomes: Vec<EntryOutcome>,
    /// The indices of the entries that the document keeps for the next export.
    pub kept_entries: BTreeSet<usize>,
}

/// Merges the entries for which `is_used` returns true.
pub(super) fn merge_entries(
    input: MergeInput<'_>,
    document: &Document,
    is_used: &dyn Fn(usize) -> bool,
) -> MergeResult {
    let mut merge = Merger::new(input, document, is_used);
    merge.resolve_joint_bones();
    merge.merge_nodes();
    merge.merge_colliders();
    merge.merge_joints();
    merge.merge_high_legs();
    merge.merge_other_section(GroupMap::default());
    let (passthrough, kept_entries) = merge.merged_passthrough();
    merge.after.passthrough = passthrough;
    MergeResult { after: merge.after, outcomes: merge.outcomes, kept_entries }
}

/// The entries that [`merge_section`] merges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MergedSection {
    Nodes,
    HighLegs,
    /// All entries of [`FileSection::Other`].
    Other,
}

/// Merges only the entries of one section. Chains that the file does not contain keep the reserved groups of `groups`.
pub(super) fn merge_section(
    input: MergeInput<'_>,
    document: &Document,
    section: MergedSection,
    is_used: &dyn Fn(usize) -> bool,
    groups: GroupMap,
) -> MergeResult {
    let wanted = match section {
        MergedSection::Nodes => FileSection::Nodes,
        MergedSection::HighLegs => FileSection::HighLegs,
        MergedSection::Other => FileSection::Other,
    };
    let is_used = |at: usize| input.file.entries[at].section == wanted && is_used(at);
    let mut merge = Merger::new(input, document, &is_used);
    match section {
        MergedSection::Nodes => merge.merge_nodes(),
        MergedSection::HighLegs => merge.merge_high_legs(),
        MergedSection::Other => merge.merge_other_section(groups),
    }
    MergeResult { after: merge.after, outcomes: merge.outcomes, kept_entries: BTreeSet::new() }
}

struct Merger<'a> {
    input: MergeInput<'a>,
    is_used: &'a dyn Fn(usize) -> bool,
    before: &'a Document,
    after: Document,
    outcomes: Vec<EntryOutcome>,
    /// Names of described pivots that joints use.
    used_pivots: BTreeSet<String>,
    /// The index of the first pivot entry with each name.
    first_pivots: BTreeMap<&'a str, usize>,
    /// Unresolved references of joints.
    references: Vec<Passthrough>,
    taken_colliders: BTreeSet<ColliderId>,
    taken_forces: BTreeSet<ForceId>,
    /// The ring of the document for each ring of the file.
    rings: BTreeMap<RingId, RingId>,
}

impl<'a> Merger<'a> {
    fn new(input: MergeInput<'a>, document: &'a Document, is_used: &'a dyn Fn(usize) -> bool) -> Self {
        let mut pivots = BTreeMap::new();
        for (at, item, _) in input.file.usable_entries(FileSection::Pivots) {
            pivots.entry(item.name.as_str()).or_insert(at);
        }
        Self {
            input,
            is_used,
            before: document,
            after: document.clone(),
            outcomes: vec![
                EntryOutcome { target: None, status: ImportRowStatus::UnusedPivot };
                input.file.entries.len()
            ],
            used_pivots: BTreeSet::new(),
            first_pivots: pivots,
            references: Vec::new(),
            taken_colliders: BTreeSet::new(),
            taken_forces: BTreeSet::new(),
            rings: BTreeMap::new(),
        }
    }

    const fn matches_status(changes: usize, notes: Vec<ImportNote>) -> ImportRowStatus {
        ImportRowStatus::Matches { changes, stiffness: None, notes }
    }

    fn resolver<'d>(&self, document: &'d Document) -> NameResolver<'d>
    where
        'a: 'd,
    {
        NameResolver::new(document, self.input.skeleton, self.input.name_map)
    }

    fn usable_entries(
        &self,
        section: FileSection,
    ) -> impl Iterator<Item = (usize, &'a FileEntry, &'a SetupEntry)> + use<'a> {
        self.input.file.usable_entries(section)
    }

    fn has_rows(&self) -> bool {
        self.input.file.format.layout == SetupLayout::Rows
    }

    /// If several rows have the same name, marks all rows except the first as duplicates. Returns the other entries.
    fn mark_duplicates(&mut self, section: FileSection) -> Vec<(usize, &'a FileEntry, &'a SetupEntry)> {
        let mut first: BTreeMap<&str, u64> = BTreeMap::new();
        let mut remaining = Vec::new();
        for (at, item, content) in self.usable_entries(section).collect::<Vec<_>>() {
            if self.has_rows()
                && let Some(line) = first.get(item.name.as_str())
            {
                self.outcomes[at].status = ImportRowStatus::Duplicate(*line);
                continue;
            }
            first.insert(&item.name, item.line);
            remaining.push((at, item, content));
        }
        remaining
    }

    fn resolve_joint_bones(&mut self) {
        let input = self.input;
        let resolver = self.resolver(self.before);
        let mut outcomes = std::mem::take(&mut self.outcomes);
        for (at, item) in input.file.entries.iter().enumerate() {
            if let Err(problems) = &item.content {
                outcomes[at].status = ImportRowStatus::InvalidCells(problems.clone());
            }
            if item.section != FileSection::Joints {
                continue;
            }
            let bone = input.known_bones.get(at).copied().flatten().or_else(|| resolver.bone(&item.name));
            outcomes[at].target = bone;
            if item.content.is_ok() {
                let usable = Self::matches_status(0, Vec::new());
                outcomes[at].status = if bone.is_some() { usable } else { ImportRowStatus::BoneNotFound };
            }
        }
        // If several rows have the same bone, the last row is used, because its component acts last in Unity.
        let mut last: BTreeMap<BoneId, u64> = BTreeMap::new();
        for (outcome, item) in outcomes.iter_mut().zip(&input.file.entries).rev() {
            let Some(bone) = outcome.target.filter(|_| outcome.status.is_usable()) else { continue };
            if let Some(line) = last.get(&bone) {
                outcome.status = ImportRowStatus::Duplicate(*line);
            } else {
                last.insert(bone, item.line);
            }
        }
        drop(resolver);
        self.outcomes = outcomes;
    }

    /// Merges nodes, parents first. The pivots of a table are merged with their joints.
    fn merge_nodes(&mut self) {
        let mut waiting = self.mark_duplicates(FileSection::Nodes);
        if !self.has_rows() {
            waiting.extend(self.usable_entries(FileSection::Pivots));
        }
        let used = |at: usize| (self.is_used)(at);
        waiting.retain(|(at, ..)| used(*at));
        while !waiting.is_empty() {
            let count = waiting.len();
            let base = self.after.clone();
            let resolver = self.resolver(&base);
            let mut placed = Vec::new();
            waiting.retain(|(at, item, content)| {
                let SetupEntry::Helper(helper) = content else { return false };
                // A helper cannot be its own parent, but its parent can be a bone with the same name.
                let can_be_parent = |node: &Node| matches!(node, Node::Bone(_)) || helper.parent.name() != item.name;
                let parent = resolver.node(helper.parent.name()).filter(can_be_parent);
                let Some(parent) = parent else { return true };
                placed.push((*at, parent, helper));
                false
            });
            for (at, parent, helper) in placed {
                let state = self.merge_node(&base, &resolver, parent, helper);
                self.outcomes[at] = EntryOutcome { target: bone_of_node(&base, parent), status: state };
            }
            if waiting.len() == count {
                break;
            }
        }
        for (at, _, content) in waiting {
            if let SetupEntry::Helper(helper) = content {
                self.outcomes[at].status = ImportRowStatus::NodeNotFound(helper.parent.name().to_owned());
            }
        }
    }

    fn merge_node(
        &mut self,
        base: &Document,
        resolver: &NameResolver<'_>,
        parent: Node,
        helper: &Helper<ByName>,
    ) -> ImportRowStatus {
        let existing = find_existing_node(resolver, helper, parent);
        if let Some((_, 0)) = existing {
            return Self::matches_status(0, Vec::new());
        }
        let Helper { name, local, role, .. } = helper.clone();
        let placement = Placement::resolve(resolver, Helper { name, parent, local, role });
        if let Some((id, changes)) = existing {
            reuse_helper_id(placement, id, base).apply(&mut self.after);
            Self::matches_status(changes, Vec::new())
        } else {
            let notes = moved_bone_notes(&helper.name, parent, &placement);
            placement.apply(&mut self.after);
            ImportRowStatus::New { notes }
        }
    }

    fn merge_colliders(&mut self) {
        if !self.input.file.imports_colliders() {
            return;
        }
        let base = self.after.clone();
        let resolver = self.resolver(&base);
        for (at, _, content) in self.mark_duplicates(FileSection::Colliders) {
            let SetupEntry::Collider(collider) = content else { continue };
            if !(self.is_used)(at) {
                continue;
            }
            let (parent_name, local) = match &collider.node {
                NodeRef::Named(name) => (name.as_str(), None),
                NodeRef::Inline(helper) => (helper.parent.name(), Some(helper.local)),
            };
            let Some(parent) = resolver.node(parent_name) else {
                self.outcomes[at].status = ImportRowStatus::NodeNotFound(parent_name.to_owned());
                continue;
            };
            let state = self.merge_collider(&base, &resolver, parent, local, collider);
            self.outcomes[at] = EntryOutcome { target: bone_of_node(&base, parent), status: state };
        }
    }

    fn merge_collider(
        &mut self,
        base: &Document,
        resolver: &NameResolver<'_>,
        parent: Node,
        local: Option<Trs>,
        collider: &Collider<ByName>,
    ) -> ImportRowStatus {
        let place = match (local, parent) {
            (Some(local), parent) => Some((parent, local)),
            (None, Node::Helper(id)) => {
                base.helpers.get(&id).map(|helper| node_placement::flatten_helper(base, helper))
            }
            (None, bone) => Some((bone, Trs::IDENTITY)),
        };
        let place_of = |c: &Collider| node_placement::collider_transform(base, self.input.skeleton, c);
        let same_place = |c: &Collider| match (place_of(c), place) {
            (Some((a, at)), Some((b, to))) => a == b && node_placement::is_same_transform(&at, &to),
            _ => false,
        };
        let named = || {
            let taken = &self.taken_colliders;
            let all = base.colliders.iter().filter(|(id, c)| c.name == collider.name && !taken.contains(id));
            all.map(|(id, c)| (*id, c))
        };
        let old = named()
            .find(|(_, c)| c.shape == collider.shape && same_place(c))
            .or_else(|| named().find(|(_, c)| c.shape.is_same_kind(&collider.shape)))
            .or_else(|| named().next());
        let mut notes = Vec::new();
        let node = match (old, local) {
            (Some((_, old)), _) if same_place(old) => old.node,
            (_, None) => parent,
            (old, Some(local)) => {
                let name = collider.node.name().to_owned();
                let placement = Placement::resolve(resolver, Helper { name, parent, local, role: HelperRole::Plain });
                notes = moved_bone_notes(collider.node.name(), parent, &placement);
                reuse_collider_node(placement, base, old).apply(&mut self.after)
            }
        };
        let id = old.map_or_else(|| self.after.next_collider_id(), |(id, _)| id);
        let enabled = if self.has_rows() { old.is_none_or(|(_, c)| c.enabled) } else { collider.enabled };
        let (name, shape, renderer) = (collider.name.clone(), collider.shape, collider.mesh_name.clone());
        let source = old.and_then(|(_, c)| c.source_index);
        let new = Collider { name, node, shape, enabled, mesh_name: renderer, source_index: source };
        let state = match old {
            Some((_, old)) => {
                let changes =
                    [!same_place(old), old.shape != shape, old.mesh_name != new.mesh_name, old.enabled != enabled];
                Self::matches_status(changes.into_iter().filter(|is_changed| *is_changed).count(), Vec::new())
            }
            None => ImportRowStatus::New { notes },
        };
        self.after.colliders.insert(id, new);
        if !self.has_rows() {
            self.taken_colliders.insert(id);
        }
        state
    }

    fn param_values(&self, item: &FileEntry, row: &Joint<ByName>) -> Vec<(ParamId, f32)> {
        let (rows, _) = params_by_name(self.input.file.solver_of(item), &row.overrides, ParamScope::Joint);
        let mut values: Vec<_> =
            rows.into_iter().map(|(row, was, JsonNumber(value))| (row, was.migrate(value))).collect();
        values.sort_by_key(|(row, _)| *row);
        values
    }

    /// The system to which new chains are added.
    fn target_system(&self, system: usize) -> SystemId {
        let solver = self.input.file.systems.get(system).map(|system| system.solver).unwrap_or_default();
        let under = || self.after.system_with_solver(solver).map_or_else(|| self.after.main_system_id(), |(id, _)| id);
        self.input.target_systems.get(system).copied().flatten().unwrap_or_else(under)
    }

    /// Also returns the indices of the entries that are kept.
    fn merged_passthrough(&mut self) -> (Vec<Passthrough>, BTreeSet<usize>) {
        let mut kept_entries = BTreeSet::new();
        let mut kept = passthrough::PassthroughList::from_entries(&self.after.passthrough);
        for (at, item) in self.input.file.entries.iter().enumerate() {
            let (outcome, solver) = (&self.outcomes[at], self.input.file.solver_of(item));
            let is_used = (self.is_used)(at);
            let is_lost = match (item.section, &outcome.status) {
                (_, ImportRowStatus::Duplicate(_)) => None,
                (FileSection::Joints, ImportRowStatus::InvalidCells(_)) => outcome.target.is_none().then_some(true),
                (FileSection::Pivots, _) if self.has_rows() => Some(!self.used_pivots.contains(&item.name)),
                (_, state) if state.is_usable() => is_used.then_some(false),
                _ => Some(true),
            };
            if is_lost == Some(true) {
                kept_entries.insert(at);
            }
            if let Some(is_lost) = is_lost {
                kept.update(item, solver, is_lost);
            }
        }
        self.references.drain(..).for_each(|references| kept.update_references(references));
        kept.replace_sections(&self.input.file.passthrough);
        (kept.into_entries(), kept_entries)
    }
}

fn moved_bone_notes(name: &str, parent: Node, placement: &Placement) -> Vec<ImportNote> {
    if placement.would_move_bone(parent) { vec![ImportNote::WouldMoveBone(name.to_owned())] } else { Vec::new() }
}

/// The existing node of an entry, and the number of differences in parent and transform. A node at the same place has
/// priority. Any other node must be a null, or a pivot if `helper` is a pivot.
fn find_existing_node(resolver: &NameResolver<'_>, helper: &Helper<ByName>, parent: Node) -> Option<(HelperId, usize)> {
    let document = resolver.document();
    let is_pivot = helper.role == HelperRole::Pivot;
    let alike =
        |(_, here): &(&HelperId, &Helper)| here.name == helper.name && (here.role == HelperRole::Pivot) == is_pivot;
    let differences = |here: &Helper| {
        let (above, local) = node_placement::flatten_helper(document, here);
        let is_below = above == parent || here.parent == parent || resolver.can_refer_to(helper.parent.name(), above);
        usize::from(!is_below)
            + usize::from(
                !node_placement::is_same_transform(&local, &helper.local)
                    && !node_placement::is_same_transform(&here.local, &helper.local),
            )
    };
    let all: Vec<_> = document.helpers.iter().filter(alike).map(|(id, here)| (*id, here, differences(here))).collect();
    let same = all.iter().find(|(_, _, count)| *count == 0);
    let bare = || all.iter().find(|(_, here, _)| here.role == helper.role && here.role != HelperRole::Plain);
    same.or_else(bare).map(|(id, _, count)| (*id, *count))
}

/// A moved collider keeps its node, unless another element also uses that node.
fn reuse_collider_node(placement: Placement, base: &Document, old: Option<(ColliderId, &Collider)>) -> Placement {
    let Some((id, Collider { node: Node::Helper(helper), .. })) = old else { return placement };
    let mut without = base.clone();
    without.chains.values_mut().flat_map(|c| &mut c.joints).for_each(|j| j.colliders.retain(|c| *c != id));
    without.colliders.remove(&id);
    if without.is_node_referenced(Node::Helper(*helper)) {
        placement
    } else {
        reuse_helper_id(placement, *helper, base)
    }
}
