//! The entries of a file into a document, and what each of them changes.
//!
//! Bare nodes and colliders come first, since joints may name them; then joints with their pivots; then everything
//! else, chains before what belongs to them. What the file says nothing about stays unchanged.

use super::TableFormat;
use super::bind::{NameBinder, migrate_value, params_by_name};
use super::document_view::{DocumentView, without_duplicates};
use super::group_map::{self, GroupMap};
use super::material_sharing::{self, MaterialUse};
use super::name_resolver::NameResolver;
use super::node_placement::{self, Placement, reuse_helper_id};
use super::passthrough;
use super::pivot_resolution::{PivotQuery, ResolvedPivot};
use super::{FileEntry, FileSection, ImportNote, ImportRowStatus, MissingReference, SetupFile, UnresolvedName};
use crate::document::names::BoneName;
use crate::document::{
    ByName, Chain, ChainEntry, ChainId, ChainPart, ChainValue, Collider, ColliderId, ComponentLists, Document,
    FlipAxis, Force, ForceId, Helper, HelperId, HelperRole, HighLeg, Joint, JointEntry, JointScope, LengthTarget,
    Material, MaterialId, Node, NodeRef, SetupEntry, System, SystemId, Tip, bone_of_node,
};
use crate::exchange::remap::NameMap;
use crate::math::{JsonNumber, Trs};
use crate::params::{ParamId, ParamKind, ParamMeaning, ParamScope};
use crate::rig::{BoneId, Skeleton};
use std::collections::{BTreeMap, BTreeSet};

/// What a merge reads.
#[derive(Clone, Copy)]
pub(super) struct MergeInput<'a> {
    /// In glTF's space, without trees.
    pub file: &'a SetupFile,
    /// The bones of entries that are known without their names, one per entry.
    pub known_bones: &'a [Option<BoneId>],
    /// The system of each of the file's systems; `None` for all systems of its solver.
    pub target_systems: &'a [Option<SystemId>],
    pub skeleton: &'a Skeleton,
    pub name_map: &'a NameMap,
}

/// What becomes of an entry.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct EntryOutcome {
    /// The bone that gets the values, or that carries the node of the entry.
    pub target: Option<BoneId>,
    pub status: ImportRowStatus,
}

/// The document with the entries of a file.
pub(super) struct MergeResult {
    pub after: Document,
    /// One per entry; entries that are not used have the state that they have without looking at them.
    pub outcomes: Vec<EntryOutcome>,
}

/// Puts the entries of a file that `is_used` says into a document.
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
    let kept = merge.merged_passthrough();
    merge.after.passthrough = kept;
    MergeResult { after: merge.after, outcomes: merge.outcomes }
}

/// Puts the entries of `FileSection::Different` that `is_used` says into a document that has all others already. Chains that the
/// file does not speak of keep the groups that `groups` reserves.
pub(super) fn merge_other_entries(
    input: MergeInput<'_>,
    document: &Document,
    is_used: &dyn Fn(usize) -> bool,
    groups: GroupMap,
) -> MergeResult {
    let mut merge = Merger::new(input, document, is_used);
    merge.merge_other_section(groups);
    MergeResult { after: merge.after, outcomes: merge.outcomes }
}

struct Merger<'a> {
    input: MergeInput<'a>,
    is_used: &'a dyn Fn(usize) -> bool,
    before: &'a Document,
    after: Document,
    outcomes: Vec<EntryOutcome>,
    /// Names of described pivots that joints have now.
    used_pivots: BTreeSet<String>,
    /// The first of the file's pivots of each name.
    first_pivots: BTreeMap<&'a str, usize>,
    /// References of joints to what is not here.
    references: Vec<passthrough::JointReferences>,
    taken_colliders: BTreeSet<ColliderId>,
    taken_forces: BTreeSet<ForceId>,
}

/// What the rows of joints add up to.
struct JointChanges {
    /// New joints with the number of their chain in the file.
    new_joints: BTreeMap<BoneId, (usize, Option<u32>, Joint)>,
    /// Described pivots that were put, by name.
    described_pivots: BTreeMap<String, HelperId>,
    /// Bones whose joints got other colliders.
    bones_with_new_colliders: BTreeSet<BoneId>,
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

    /// Entries of a section that can be understood, as references to the file.
    fn usable_entries(
        &self,
        section: FileSection,
    ) -> impl Iterator<Item = (usize, &'a FileEntry, &'a SetupEntry)> + use<'a> {
        self.input.file.usable_entries(section)
    }

    fn is_csv(&self) -> bool {
        self.input.file.format == TableFormat::Csv
    }

    /// Of several rows of a CSV with one name the first counts; others are marked. Entries that remain.
    fn mark_duplicates(&mut self, section: FileSection) -> Vec<(usize, &'a FileEntry, &'a SetupEntry)> {
        let mut first: BTreeMap<&str, u64> = BTreeMap::new();
        let mut remaining = Vec::new();
        for (at, item, content) in self.usable_entries(section).collect::<Vec<_>>() {
            if self.is_csv()
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

    // Joints: which bones they are for.

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
        // Of several rows for one bone the last counts, as its component acts last in the engine.
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

    // Nodes and colliders.

    /// Bare nodes, parents first. Pivots of a CSV come with the joints that ask for them.
    fn merge_nodes(&mut self) {
        let mut waiting = self.mark_duplicates(FileSection::Nodes);
        if !self.is_csv() {
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
                let parent = resolver.node(helper.parent.name()).filter(|_| helper.parent.name() != item.name);
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
        let existing = find_existing_node(base, helper, parent);
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
            let state = self.merge_collider(&base, &resolver, (parent, local), collider);
            self.outcomes[at] = EntryOutcome { target: bone_of_node(&base, parent), status: state };
        }
    }

    fn merge_collider(
        &mut self,
        base: &Document,
        resolver: &NameResolver<'_>,
        (parent, local): (Node, Option<Trs>),
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
        let enabled = if self.is_csv() { old.is_none_or(|(_, c)| c.enabled) } else { collider.enabled };
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
        if !self.is_csv() {
            self.taken_colliders.insert(id);
        }
        state
    }

    // Joints.

    fn merge_joints(&mut self) {
        let here = self.after.clone();
        let view = DocumentView::new(&here, self.input.skeleton, self.input.name_map);
        let mut changes = JointChanges {
            new_joints: BTreeMap::new(),
            described_pivots: BTreeMap::new(),
            bones_with_new_colliders: BTreeSet::new(),
        };
        let mut binder = NameBinder::new(&view.resolver);
        for (at, item, content) in self.usable_entries(FileSection::Joints) {
            let outcome = &self.outcomes[at];
            let (SetupEntry::Joint(entry), Some(bone), true) = (content, outcome.target, outcome.status.is_usable())
            else {
                continue;
            };
            if !(self.is_used)(at) || bone.index() >= self.input.skeleton.len() {
                continue;
            }
            self.outcomes[at].status = match entry.scope {
                JointScope::TableRow => self.merge_joint_row((item, &entry.joint, bone), &view, &mut changes),
                JointScope::Full | JointScope::Details => {
                    let solver = self.input.file.solver_of(item);
                    let joint = entry.joint.map_naming(solver, &mut binder);
                    let missing = binder.take_missing();
                    self.merge_full_joint((item, entry, joint), &missing, &mut changes)
                }
            };
        }
        binder.insert_new_helpers(&mut self.after);
        if self.is_csv() {
            self.update_pivot_statuses(&view);
        }
        group_map::normalize_group_colliders(&mut self.after, &changes.bones_with_new_colliders);
        material_sharing::update_material_links(self.before, &mut self.after, |after, id| {
            let places = |chain| after.curve_positions_in_pose(chain, &view.rest, view.skeleton);
            after.chains.get(&id).map_or_else(Vec::new, places)
        });
        self.insert_new_joints(changes.new_joints, &view);
    }

    /// The row of a table: values, pivot, length targets and all colliders.
    fn merge_joint_row(
        &mut self,
        (item, row, bone): (&FileEntry, &Joint<ByName>, BoneId),
        view: &DocumentView<'_>,
        changes: &mut JointChanges,
    ) -> ImportRowStatus {
        let info = self.input.file.solver_of(item).info();
        let values = self.param_values(item, row);
        let restore = values.iter().find(|(row, _)| info.params[row.index()].meaning == ParamMeaning::Stiffness);
        let at = view.document.find_joint(bone);
        let stiffness = restore.map(|(row, new)| (at.map(|(chain, i)| view.joint_value(chain, i, *row)), *new));
        let mut notes = Vec::new();
        let pivot = ResolvedPivot::resolve(&self.pivot_query(item, row, bone), view);
        let node = self.pivot_node(&pivot, row, view, changes);
        if pivot == ResolvedPivot::Missing {
            notes.extend(row.pivot.as_ref().map(|pivot| ImportNote::MissingPivot(pivot.name().to_owned())));
        }
        notes.extend(self.flipped_limit_note(item, row, &pivot));
        let colliders = colliders_named(view.document, &row.colliders, info.uses_pivots);
        let targets: Vec<_> = row.length_targets.iter().filter_map(|t| view.resolver.node(t.node.name())).collect();
        self.add_missing_notes(row, view, &mut notes);
        self.references.push(self.missing_references((row, bone), &pivot, view));
        let Some((chain, i)) = at else {
            let pivot =
                if let ResolvedPivot::ParentWithoutLimits(parent) = pivot { Some(Node::Bone(parent)) } else { node };
            let count = values.len();
            let own = values.into_iter().collect();
            let length_targets = targets.into_iter().map(LengthTarget::new).collect();
            let joint = Joint { overrides: own, pivot, length_targets, colliders, ..Joint::new(bone) };
            changes.new_joints.insert(bone, (item.system, None, joint));
            return ImportRowStatus::Matches { changes: count, stiffness, notes };
        };
        let now = &view.document.chains[&chain].joints[i];
        let mut count = values.iter().filter(|(row, new)| view.is_value_different(chain, i, *row, *new)).count();
        let Some(joint) = self.after.chains.get_mut(&chain).map(|chain| &mut chain.joints[i]) else {
            return ImportRowStatus::BoneNotFound;
        };
        let is_known = |name: &String| view.document.colliders.values().any(|c| c.name == *name);
        let supported =
            |id: &ColliderId| view.document.colliders.get(id).is_some_and(|c| info.supports_shape(&c.shape));
        let wanted = without_duplicates(&row.colliders);
        let listed = view.collider_names(chain, now);
        count += usize::from(view.with_missing_colliders(bone, listed.clone()) != wanted);
        let known = |names: Vec<String>| names.into_iter().filter(is_known).collect::<Vec<_>>();
        if known(listed) != known(wanted) {
            // A table does not list colliders of shapes that the solver lacks.
            let unlisted = joint.colliders.iter().copied().filter(|id| !supported(id)).collect::<Vec<_>>();
            joint.colliders = colliders.into_iter().filter(supported).chain(unlisted).collect();
            changes.bones_with_new_colliders.insert(bone);
        }
        if info.uses_pivots {
            count +=
                usize::from(!view.length_target_names(now).iter().eq(row.length_targets.iter().map(|t| t.node.name())));
            let name = |node: &Node| view.resolver.name(*node);
            if !joint.length_targets.iter().map(|t| name(&t.node)).eq(targets.iter().map(name)) {
                let old = std::mem::take(&mut joint.length_targets);
                joint.length_targets = targets.into_iter().map(|node| keep_length_constant(node, &old)).collect();
            }
        }
        for (row, value) in values {
            if view.is_value_different(chain, i, row, value) {
                joint.overrides.insert(row, value);
            }
        }
        if info.uses_pivots {
            count += usize::from(pivot.differs_from(now.pivot) || pivot.rotates_existing_helper(view.document));
            if pivot.differs_from(joint.pivot) {
                joint.pivot = if let ResolvedPivot::ParentWithoutLimits(_) = pivot { None } else { node };
            }
        }
        ImportRowStatus::Matches { changes: count, stiffness, notes }
    }

    /// A joint as a document has it; `None` without its bone.
    fn merge_full_joint(
        &mut self,
        (item, entry, joint): (&FileEntry, &JointEntry, Option<Joint>),
        missing: &[MissingReference],
        changes: &mut JointChanges,
    ) -> ImportRowStatus {
        let Some(joint) = joint else { return ImportRowStatus::BoneNotFound };
        let notes = missing_notes(missing);
        self.references.push(full_joint_references(self.input.skeleton.name(joint.bone), &entry.joint, missing));
        let Some((chain, i)) = self.after.find_joint(joint.bone) else {
            let count = joint.overrides.len().max(1);
            changes.new_joints.insert(joint.bone, (item.system, entry.chain, joint));
            return Self::matches_status(count, notes);
        };
        let Some(slot) = self.after.chains.get_mut(&chain).map(|chain| &mut chain.joints[i]) else {
            return ImportRowStatus::BoneNotFound;
        };
        let count = count_joint_changes(slot, &joint);
        *slot = joint;
        Self::matches_status(count, notes)
    }

    /// Values of a row of joint scope, by the solver's table.
    fn param_values(&self, item: &FileEntry, row: &Joint<ByName>) -> Vec<(ParamId, f32)> {
        let (rows, _) = params_by_name(self.input.file.solver_of(item), &row.overrides, ParamScope::Joint);
        let mut values: Vec<_> =
            rows.into_iter().map(|(row, was, JsonNumber(value))| (row, was.migrate(value))).collect();
        values.sort_by_key(|(row, _)| *row);
        values
    }

    /// The node for a joint; a described pivot is put or turned once for all joints that share it.
    fn pivot_node(
        &mut self,
        found: &ResolvedPivot,
        row: &Joint<ByName>,
        view: &DocumentView<'_>,
        changes: &mut JointChanges,
    ) -> Option<Node> {
        let name = row.pivot.as_ref().map_or("", NodeRef::name);
        match found {
            ResolvedPivot::None | ResolvedPivot::Missing | ResolvedPivot::ParentWithoutLimits(_) => None,
            ResolvedPivot::Existing(node) => {
                self.used_pivots.insert(name.to_owned());
                Some(*node)
            }
            ResolvedPivot::Described(here, helper) => {
                if let Some(id) = changes.described_pivots.get(name) {
                    return Some(Node::Helper(*id));
                }
                let id = here.unwrap_or_else(|| self.after.next_helper_id());
                self.used_pivots.insert(name.to_owned());
                changes.described_pivots.insert(name.to_owned(), id);
                if here.is_none() || found.rotates_existing_helper(view.document) {
                    self.after.helpers.insert(id, helper.clone());
                }
                Some(Node::Helper(id))
            }
        }
    }

    /// A bone as pivot is not turned by half a turn, as a helper would be under mirror Z.
    fn flipped_limit_note(&self, item: &FileEntry, row: &Joint<ByName>, pivot: &ResolvedPivot) -> Option<ImportNote> {
        let (Some(FlipAxis::Z), ResolvedPivot::Existing(Node::Bone(_))) = (self.input.file.flipped_axis, pivot) else {
            return None;
        };
        let acts = self.has_active_limits(item, row);
        row.pivot.as_ref().filter(|_| acts).map(|pivot| ImportNote::LimitsFlipped(pivot.name().to_owned()))
    }

    fn has_active_limits(&self, item: &FileEntry, row: &Joint<ByName>) -> bool {
        let info = self.input.file.solver_of(item).info();
        let values: BTreeMap<ParamId, f32> = self.param_values(item, row).into_iter().collect();
        info.has_active_pivot_limit(|row| values.get(&row).copied().unwrap_or_default())
    }

    fn pivot_query<'q>(&'q self, item: &FileEntry, row: &'q Joint<ByName>, bone: BoneId) -> PivotQuery<'q> {
        PivotQuery {
            file: self.input.file,
            pivots: &self.first_pivots,
            is_used: self.is_used,
            joint: row,
            bone,
            has_active_limits: self.has_active_limits(item, row),
        }
    }

    /// Colliders and length targets that are nowhere.
    fn add_missing_notes(&self, row: &Joint<ByName>, view: &DocumentView<'_>, notes: &mut Vec<ImportNote>) {
        let known = |name: &String| view.document.colliders.values().any(|c| c.name == *name);
        let lost: Vec<String> = row.colliders.iter().filter(|name| !known(name)).cloned().collect();
        if !lost.is_empty() {
            notes.push(ImportNote::MissingColliders(lost));
        }
        let described = |name: &str| {
            let sections = [FileSection::Pivots, FileSection::Nodes, FileSection::Colliders];
            self.input.file.entries.iter().any(|item| sections.contains(&item.section) && item.name == name)
        };
        let targets = row.length_targets.iter().map(|t| t.node.name());
        let lost = targets.filter(|name| view.resolver.node(name).is_none() && !described(name)).map(str::to_owned);
        let lost: Vec<String> = lost.collect();
        if !lost.is_empty() {
            notes.push(ImportNote::MissingLengthTargets(lost));
        }
    }

    /// What a used row refers to and is not here.
    fn missing_references(
        &self,
        (row, bone): (&Joint<ByName>, BoneId),
        pivot: &ResolvedPivot,
        view: &DocumentView<'_>,
    ) -> passthrough::JointReferences {
        let joint = |document: &Document| {
            let (chain, at) = document.find_joint(bone)?;
            document.chains[&chain].joints[at].pivot
        };
        let pivot = if *pivot == ResolvedPivot::Missing {
            row.pivot.as_ref().map_or_else(String::new, |pivot| pivot.name().to_owned())
        } else if joint(self.before).is_some() && joint(self.before) == joint(view.document) {
            // The live pivot is written in place of the kept one, which stays kept.
            view.missing_pivot_name(bone).to_owned()
        } else {
            String::new()
        };
        let targets = row.length_targets.iter().map(|t| t.node.name());
        let is_known = |name: &String| view.document.colliders.values().any(|c| c.name == *name);
        passthrough::JointReferences {
            bone: self.input.skeleton.name(bone).to_owned(),
            pivot,
            length_targets: targets.filter(|name| view.resolver.node(name).is_none()).map(str::to_owned).collect(),
            colliders: without_duplicates(&row.colliders).into_iter().filter(|name| !is_known(name)).collect(),
        }
    }

    /// The states of described pivots: which of them a usable row asks for.
    fn update_pivot_statuses(&mut self, view: &DocumentView<'_>) {
        let mut asks: BTreeMap<&str, (BoneId, &Joint<ByName>)> = BTreeMap::new();
        for (at, _, content) in self.usable_entries(FileSection::Joints) {
            let outcome = &self.outcomes[at];
            if let (SetupEntry::Joint(entry), Some(bone), true) = (content, outcome.target, outcome.status.is_usable())
            {
                asks.insert(entry.joint.pivot.as_ref().map_or("", NodeRef::name), (bone, &entry.joint));
            }
        }
        for (at, item, content) in self.mark_duplicates(FileSection::Pivots) {
            let SetupEntry::Helper(helper) = content else { continue };
            let Some(parent) = view.resolver.node(helper.parent.name()) else {
                self.outcomes[at].status = ImportRowStatus::NodeNotFound(helper.parent.name().to_owned());
                continue;
            };
            self.outcomes[at].target = bone_of_node(view.document, parent);
            let Some((bone, row)) = asks.get(item.name.as_str()) else {
                self.outcomes[at].status = ImportRowStatus::UnusedPivot;
                continue;
            };
            let found = ResolvedPivot::resolve(&self.pivot_query(item, row, *bone), view);
            self.outcomes[at].status = match found {
                ResolvedPivot::Described(None, _) => ImportRowStatus::New { notes: Vec::new() },
                found => Self::matches_status(usize::from(found.rotates_existing_helper(view.document)), Vec::new()),
            };
        }
    }

    /// Joints of bones that had none: those of a chain of the file together, others by the skeleton.
    fn insert_new_joints(&mut self, fresh: BTreeMap<BoneId, (usize, Option<u32>, Joint)>, view: &DocumentView<'_>) {
        let roots = self.chain_roots(view);
        let mut by_number: BTreeMap<(usize, u32), Vec<Joint>> = BTreeMap::new();
        let mut by_skeleton: BTreeMap<usize, BTreeMap<BoneId, Joint>> = BTreeMap::new();
        for (bone, (system, number, joint)) in fresh {
            match number {
                Some(number) => by_number.entry((system, number)).or_default().push(joint),
                None => _ = by_skeleton.entry(system).or_default().insert(bone, joint),
            }
        }
        for (system, joints) in by_skeleton {
            let id = self.target_system(system);
            insert_new_chains(view.skeleton, joints, &roots, id, &mut self.after);
        }
        for ((system, number), joints) in by_number {
            let root = self.chain_entry(number).and_then(|entry| view.resolver.bone(&entry.root));
            let existing = root.and_then(|root| self.after.find_joint(root)).map(|(chain, _)| chain);
            if let Some(chain) = existing.and_then(|id| self.after.chains.get_mut(&id)) {
                chain.joints.extend(joints);
                // A skeleton lists parents before their children.
                chain.joints.sort_by_key(|joint| joint.bone);
            } else {
                let id = self.target_system(system);
                insert_chain(view.skeleton, joints, id, &mut self.after);
            }
        }
    }

    fn chain_entry(&self, number: u32) -> Option<&'a ChainEntry> {
        self.usable_entries(FileSection::Other).find_map(|(_, _, content)| match content {
            SetupEntry::Chain(entry) if entry.number == Some(number) => Some(entry),
            _ => None,
        })
    }

    /// Bones that chains of the file begin with.
    fn chain_roots(&self, view: &DocumentView<'_>) -> BTreeSet<BoneId> {
        let roots = self.usable_entries(FileSection::Other).filter_map(|(_, _, content)| match content {
            SetupEntry::Chain(entry) => view.resolver.bone(&entry.root),
            _ => None,
        });
        roots.collect()
    }

    /// The system that new chains of a system of the file join.
    fn target_system(&self, system: usize) -> SystemId {
        let solver = self.input.file.systems.get(system).map(|system| system.solver).unwrap_or_default();
        let under = || self.after.system_with_solver(solver).map_or_else(|| self.after.main_system_id(), |(id, _)| id);
        self.input.target_systems.get(system).copied().flatten().unwrap_or_else(under)
    }

    // Everything else.

    fn merge_high_legs(&mut self) {
        for (at, item, content) in self.mark_duplicates(FileSection::HighLegs) {
            let SetupEntry::HighLeg(entry) = content else { continue };
            if !(self.is_used)(at) {
                continue;
            }
            let base = self.after.clone();
            let resolver = self.resolver(&base);
            if item.name.is_empty() {
                self.outcomes[at].status = ImportRowStatus::BoneNotFound;
                continue;
            }
            if let Some(old) = base.high_legs.values().find(|old| is_described_high_leg(&resolver, old, entry)) {
                let target = bone_of_node(&base, old.node);
                self.outcomes[at] = EntryOutcome { target, status: Self::matches_status(0, Vec::new()) };
                continue;
            }
            let mut binder = NameBinder::new(&resolver);
            let new: Option<HighLeg> = entry.map_naming(&mut binder);
            let missing = binder.take_missing();
            let (Some(new), None) = (new, missing.first()) else {
                let name = missing.first().and_then(MissingReference::name).unwrap_or_default();
                self.outcomes[at].status = ImportRowStatus::NodeNotFound(name.to_owned());
                continue;
            };
            binder.insert_new_helpers(&mut self.after);
            let old = self.after.high_legs.iter().find(|(_, h)| h.node == new.node).map(|(id, h)| (*id, *h == new));
            let state = match old {
                Some((_, is_same)) => Self::matches_status(usize::from(!is_same), Vec::new()),
                None => ImportRowStatus::New { notes: Vec::new() },
            };
            self.outcomes[at] = EntryOutcome { target: bone_of_node(&self.after, new.node), status: state };
            let id = old.map_or_else(|| self.after.next_high_leg_id(), |(id, _)| id);
            self.after.high_legs.insert(id, new);
        }
    }

    fn merge_other_section(&mut self, mut groups: GroupMap) {
        let phase = |content: &SetupEntry| match content {
            SetupEntry::Group(..) => 0,
            SetupEntry::Chain(_) => 1,
            SetupEntry::System(_) | SetupEntry::ComponentNodes(_) => 3,
            _ => 2,
        };
        groups.add_used_groups(self.usable_entries(FileSection::Other).map(|(_, _, content)| content));
        for now in 0..4 {
            for (at, item, content) in self.usable_entries(FileSection::Other) {
                if phase(content) != now || !(self.is_used)(at) {
                    continue;
                }
                self.outcomes[at].status = match self.merge_other(item, content, &mut groups) {
                    Ok((is_changed, notes)) => Self::matches_status(usize::from(is_changed), notes),
                    Err(missing) => ImportRowStatus::ReferenceNotFound(missing),
                };
            }
        }
        self.share_materials();
    }

    fn merge_other(
        &mut self,
        item: &FileEntry,
        content: &SetupEntry,
        groups: &mut GroupMap,
    ) -> Result<(bool, Vec<ImportNote>), MissingReference> {
        let plain = |is_changed: bool| Ok((is_changed, Vec::new()));
        match content {
            SetupEntry::System(system) => self.merge_system(item, system),
            SetupEntry::ComponentNodes(nodes) => {
                let Some(id) = self.single_target_system(item.system) else { return plain(false) };
                let base = self.after.clone();
                let resolver = self.resolver(&base);
                let mut notes = Vec::new();
                let mut extras = base.systems[&id].component_lists.clone();
                for (side, name) in nodes {
                    let Some(slot) = extras.single_node_mut(*side) else { continue };
                    *slot = name.as_deref().and_then(|name| resolver.node(name));
                    if let (None, Some(name)) = (&slot, name) {
                        notes.push(UnresolvedName {
                            name: name.clone(),
                            is_collider: false,
                            json_pointer: String::new(),
                        });
                    }
                }
                let is_changed = self.set_component_lists(id, extras);
                Ok((is_changed, missing_list_notes(notes)))
            }
            // Chains bring their materials along; one that no chain uses is put as it is.
            SetupEntry::Material(number, material) => plain(self.insert_unused_material(*number, item, material)),
            SetupEntry::DisabledCollider(name) => {
                let collider = self.after.colliders.values_mut().find(|c| c.name == *name);
                plain(replace_if_different(
                    &mut collider.ok_or_else(|| MissingReference::Collider(name.clone()))?.enabled,
                    false,
                ))
            }
            SetupEntry::Group(number, group) => {
                let is_changed = groups.merge_group(&mut self.after, *number, group)?;
                let is_known = |name: &&String| self.after.colliders.values().any(|c| c.name == **name);
                let lost: Vec<String> = group.colliders.iter().filter(|name| !is_known(name)).cloned().collect();
                let notes = if lost.is_empty() { Vec::new() } else { vec![ImportNote::MissingColliders(lost)] };
                Ok((is_changed, notes))
            }
            SetupEntry::Chain(entry) => plain(self.merge_chain(item, entry, groups)?),
            SetupEntry::Joint(entry) => plain(self.merge_joint_details(item, &entry.joint)?),
            SetupEntry::Force(force) => plain(self.merge_force(force)?),
            SetupEntry::ExcludedBone(bone) => {
                let bone = self.resolve_bone(bone)?;
                plain(self.after.excluded_bones.insert(bone))
            }
            SetupEntry::HiddenMesh(name) => plain(self.after.hidden_meshes.insert(name.clone())),
            SetupEntry::Helper(_) | SetupEntry::Collider(_) | SetupEntry::HighLeg(_) => plain(false),
        }
    }

    fn resolve_bone(&self, name: &str) -> Result<BoneId, MissingReference> {
        self.resolver(self.before).bone(name).ok_or_else(|| MissingReference::Bone(name.to_owned()))
    }

    fn resolve_node(&self, name: &str) -> Result<Node, MissingReference> {
        self.resolver(&self.after).node(name).ok_or_else(|| MissingReference::Node(name.to_owned()))
    }

    fn find_joint_mut(&mut self, bone: &str) -> Result<&mut Joint, MissingReference> {
        let lost = || MissingReference::Joint(bone.to_owned());
        let (chain, at) = self.after.find_joint(self.resolve_bone(bone)?).ok_or_else(lost)?;
        self.after.chains.get_mut(&chain).map(|chain| &mut chain.joints[at]).ok_or_else(lost)
    }

    fn find_chain(&self, root: &str) -> Result<ChainId, MissingReference> {
        let found = self.after.find_joint(self.resolve_bone(root)?);
        found.filter(|(_, at)| *at == 0).map(|(id, _)| id).ok_or_else(|| MissingReference::Chain(root.to_owned()))
    }

    /// The system that component entries of a system of the file are for; `None` where its chains have several.
    fn single_target_system(&self, system: usize) -> Option<SystemId> {
        let into = self.input.target_systems.get(system).copied().flatten();
        let solver = self.input.file.systems.get(system)?.solver;
        let alike = || {
            let mut all = self.after.systems.iter().filter(|(_, system)| system.solver == solver);
            all.next().filter(|_| all.next().is_none()).map(|(id, _)| *id)
        };
        into.filter(|id| self.after.systems.contains_key(id)).or_else(alike)
    }

    fn set_component_lists(&mut self, id: SystemId, extras: ComponentLists) -> bool {
        self.after.systems.get_mut(&id).is_some_and(|system| replace_if_different(&mut system.component_lists, extras))
    }

    fn merge_system(
        &mut self,
        item: &FileEntry,
        entry: &System<ByName>,
    ) -> Result<(bool, Vec<ImportNote>), MissingReference> {
        let id = self.target_system(item.system);
        let mut is_changed = false;
        let (rows, unknown) = params_by_name(self.input.file.solver_of(item), &entry.values, ParamScope::System);
        let mut missing = unknown.into_iter().next();
        if let Some(system) = self.after.systems.get_mut(&id) {
            for (row, was, JsonNumber(value)) in rows {
                let value = was.migrate(value);
                is_changed |= system.values.set(row, value) != value;
            }
        }
        let mut notes = Vec::new();
        match self.single_target_system(item.system) {
            Some(id) => {
                if !entry.name.is_empty() {
                    is_changed |= self
                        .after
                        .systems
                        .get_mut(&id)
                        .is_some_and(|s| replace_if_different(&mut s.name, entry.name.clone()));
                }
                if let Some(node) = &entry.component {
                    match self.resolve_node(node.name()) {
                        Ok(node) => {
                            let system = self.after.systems.get_mut(&id);
                            is_changed |= system.is_some_and(|s| replace_if_different(&mut s.component, Some(node)));
                        }
                        Err(lost) => missing = Some(lost),
                    }
                }
                if entry.component_lists.solver().is_some() {
                    let (is_set, lost) = self.merge_component_lists(id, &entry.component_lists)?;
                    is_changed |= is_set;
                    notes = missing_list_notes(lost);
                }
            }
            None if entry.component_lists.solver().is_some() => notes.push(ImportNote::SeveralComponents),
            None => {}
        }
        missing.map_or(Ok((is_changed, notes)), Err)
    }

    fn merge_component_lists(
        &mut self,
        id: SystemId,
        lists: &ComponentLists<NodeRef, String, String>,
    ) -> Result<(bool, Vec<UnresolvedName>), MissingReference> {
        let solver = self.after.systems.get(&id).map(|system| system.solver).unwrap_or_default();
        if let Some(theirs) = lists.solver().filter(|theirs| *theirs != solver) {
            return Err(MissingReference::Component(theirs));
        }
        let base = self.after.clone();
        let resolver = self.resolver(&base);
        let mut binder = NameBinder::new(&resolver);
        let system = System {
            name: String::new(),
            solver,
            values: BTreeMap::new(),
            component: None,
            component_lists: lists.clone(),
        };
        let extras = system.map_naming(&mut binder).component_lists.without_duplicate_nodes();
        let lost = UnresolvedName::from_component_lists(&binder.take_missing(), lists);
        binder.insert_new_helpers(&mut self.after);
        Ok((self.set_component_lists(id, extras), lost))
    }

    fn merge_chain(
        &mut self,
        item: &FileEntry,
        entry: &ChainEntry,
        groups: &GroupMap,
    ) -> Result<bool, MissingReference> {
        let id = self.find_chain(&entry.root)?;
        let solver = self.input.file.solver_of(item);
        let (file, table) = (&entry.chain, solver.info().params);
        let is_whole = entry.number.is_some();
        let center = file.center.as_ref().map(|node| self.resolve_node(node.name())).transpose();
        let skeleton = self.input.skeleton;
        let places =
            self.after.chains.get(&id).map(|chain| self.after.curve_positions(chain, skeleton)).unwrap_or_default();
        let Some(chain) = self.after.chains.get_mut(&id) else {
            return Err(MissingReference::Chain(entry.root.clone()));
        };
        // Formats that name chains by their roots say nothing but the material.
        let is_named = is_whole || !file.name.is_empty();
        let mut is_changed = is_named
            && (replace_if_different(&mut chain.name, file.name.clone())
                | replace_if_different(&mut chain.part, file.part)
                | replace_if_different(&mut chain.curve_domain, file.curve_domain));
        if is_whole || matches!(center, Ok(Some(_))) {
            is_changed |= replace_if_different(&mut chain.center, center.clone().unwrap_or_default());
        }
        let (rows, unknown) = params_by_name(solver, &file.values, ParamScope::Joint);
        let missing = center.err().or_else(|| unknown.into_iter().next());
        let mut given: BTreeMap<ParamId, ChainValue> =
            rows.into_iter().map(|(row, was, value)| (row, migrate_value(was, value))).collect();
        for (at, def) in table.iter().enumerate() {
            let row = ParamId(at as u16);
            let default = || ChainValue { base: def.default, curve: None };
            let Some(new) = given.remove(&row).or_else(|| is_whole.then(default)) else { continue };
            if replace_if_different(&mut chain.values[at], new) {
                is_changed = true;
                if !is_whole {
                    clear_overrides_equal_to_chain(chain, &places, row, def.kind == ParamKind::Toggle);
                }
            }
        }
        if is_whole || !file.groups.is_empty() {
            is_changed |= groups.assign_groups(&mut self.after, id, &file.groups)?;
        }
        missing.map_or(Ok(is_changed), Err)
    }

    fn merge_joint_details(&mut self, item: &FileEntry, details: &Joint<ByName>) -> Result<bool, MissingReference> {
        let values = self.param_values(item, details);
        let tip = match &details.tip {
            Tip::Children => None,
            Tip::Bone(child) => Some(Tip::Bone(self.resolve_bone(child)?)),
            Tip::Offset(at) => Some(Tip::Offset(*at)),
        };
        let mut constants = Vec::new();
        for target in &details.length_targets {
            constants.push((self.resolve_node(target.node.name())?, target));
        }
        let joint = self.find_joint_mut(&details.bone)?;
        let mut is_changed = false;
        for (row, value) in values {
            is_changed |= joint.overrides.insert(row, value) != Some(value);
        }
        is_changed |= tip.is_some_and(|tip| replace_if_different(&mut joint.tip, tip));
        is_changed |= !details.enabled && replace_if_different(&mut joint.enabled, false);
        is_changed |= details.animated && replace_if_different(&mut joint.animated, true);
        is_changed |= details.limit.is_some() && replace_if_different(&mut joint.limit, details.limit);
        for (node, target) in constants {
            // A table may name a target twice; both are the same link.
            let mut found = joint.length_targets.iter_mut().filter(|t| t.node == node).peekable();
            if found.peek().is_none() {
                return Err(MissingReference::LengthTarget(target.node.name().to_owned()));
            }
            is_changed |=
                found.fold(false, |changed, t| replace_if_different(&mut t.constant, target.constant) | changed);
        }
        Ok(is_changed)
    }

    fn merge_force(&mut self, entry: &Force<ByName>) -> Result<bool, MissingReference> {
        let base = self.after.clone();
        let resolver = self.resolver(&base);
        let free = |(id, f): &(&ForceId, &Force)| f.name == entry.name && !self.taken_forces.contains(*id);
        let old = base.forces.iter().find(free).map(|(id, force)| (*id, force));
        let node = match &entry.node {
            NodeRef::Named(name) => self.resolve_node(name)?,
            NodeRef::Inline(helper) => {
                let (parent, local) = node_placement::flatten_description(helper);
                let parent = self.resolve_node(parent)?;
                let stands = |node: Node| {
                    let Node::Helper(id) = node else { return false };
                    let here = &base.helpers[&id];
                    let described = Helper { parent, local, ..here.clone() };
                    let (theirs, ours) = (
                        node_placement::flatten_helper(&base, &described),
                        node_placement::flatten_helper(&base, here),
                    );
                    here.name == helper.name
                        && theirs.0 == ours.0
                        && node_placement::is_nearly_same_transform(&theirs.1, &ours.1)
                };
                if let Some((_, force)) = old.filter(|(_, force)| stands(force.node)) {
                    force.node
                } else {
                    let same = Placement::find_existing(&resolver, &helper.name, parent);
                    let name = helper.name.clone();
                    let helper = Helper { name, parent, local, role: HelperRole::Plain };
                    Placement::Helper(same, helper).apply(&mut self.after)
                }
            }
        };
        let id = old.map_or_else(|| self.after.next_force_id(), |(id, _)| id);
        let force = Force { name: entry.name.clone(), node, kind: entry.kind, enabled: entry.enabled };
        self.taken_forces.insert(id);
        let is_changed = base.forces.get(&id) != Some(&force) || base.helpers != self.after.helpers;
        self.after.forces.insert(id, force);
        Ok(is_changed)
    }

    /// The names of the file's materials by number.
    fn material_names(&self) -> BTreeMap<MaterialId, &'a str> {
        let all = self.input.file.entries.iter().filter_map(|item| match item.content.as_ref().ok()? {
            SetupEntry::Material(number, material) => Some((*number, material.name.as_str())),
            _ => None,
        });
        all.collect()
    }

    fn insert_unused_material(&mut self, number: MaterialId, item: &FileEntry, entry: &Material<ByName>) -> bool {
        let is_used = self
            .usable_entries(FileSection::Other)
            .any(|(_, _, content)| matches!(content, SetupEntry::Chain(entry) if entry.chain.material == Some(number)));
        let solver = self.input.file.solver_of(item);
        let is_here = |old: &Material| old.name == entry.name && old.solver == solver;
        if is_used || self.after.materials.values().any(is_here) {
            return false;
        }
        let base = self.after.clone();
        let resolver = self.resolver(&base);
        let material = entry.map_naming(&mut NameBinder::new(&resolver));
        let id = self.after.next_material_id();
        self.after.materials.insert(id, material);
        true
    }

    fn share_materials(&mut self) {
        let names = self.material_names();
        let mut named = Vec::new();
        for (at, _, content) in self.usable_entries(FileSection::Other) {
            if let SetupEntry::Chain(entry) = content
                && (self.is_used)(at)
                && let Some(name) = entry.chain.material.and_then(|number| names.get(&number))
                && let Ok(chain) = self.find_chain(&entry.root)
            {
                named.push(MaterialUse { entry: at, chain, name });
            }
        }
        for (at, is_changed) in material_sharing::share_materials(&mut self.after, &named) {
            if let ImportRowStatus::Matches { changes, .. } = &mut self.outcomes[at].status {
                *changes = (*changes).max(usize::from(is_changed));
            }
        }
    }

    // What is kept.

    fn merged_passthrough(&self) -> Vec<crate::document::Passthrough> {
        let mut kept = passthrough::PassthroughList::from_entries(&self.after.passthrough);
        for (at, item) in self.input.file.entries.iter().enumerate() {
            let (outcome, solver) = (&self.outcomes[at], self.input.file.solver_of(item));
            let is_used = (self.is_used)(at);
            let is_lost = match (item.section, &outcome.status) {
                (_, ImportRowStatus::Duplicate(_)) => None,
                (FileSection::Joints, ImportRowStatus::InvalidCells(_)) => outcome.target.is_none().then_some(true),
                (FileSection::Pivots, _) if self.is_csv() => Some(!self.used_pivots.contains(&item.name)),
                (_, state) if state.is_usable() => is_used.then_some(false),
                _ => Some(true),
            };
            if let Some(is_lost) = is_lost {
                kept.update(item, solver, is_lost);
            }
        }
        for references in &self.references {
            kept.update_references(references);
        }
        kept.replace_sections(&self.input.file.passthrough);
        kept.into_entries()
    }
}

fn replace_if_different<T: PartialEq>(slot: &mut T, value: T) -> bool {
    let is_changed = *slot != value;
    *slot = value;
    is_changed
}

fn keep_length_constant(node: Node, old: &[LengthTarget]) -> LengthTarget {
    let constant = old.iter().find(|target| target.node == node).and_then(|target| target.constant);
    LengthTarget { node, constant }
}

/// How many fields of a joint differ, each value of its own counted.
fn count_joint_changes(old: &Joint, new: &Joint) -> usize {
    let rows: BTreeSet<&ParamId> = old.overrides.keys().chain(new.overrides.keys()).collect();
    let values = rows.into_iter().filter(|row| old.overrides.get(row) != new.overrides.get(row)).count();
    let fields = [
        old.tip != new.tip,
        old.pivot != new.pivot,
        old.length_targets != new.length_targets,
        old.colliders != new.colliders,
        old.limit != new.limit,
        old.enabled != new.enabled,
        old.animated != new.animated,
    ];
    values + fields.into_iter().filter(|differs| *differs).count()
}

fn missing_notes(missing: &[MissingReference]) -> Vec<ImportNote> {
    let names = |is_collider: bool| {
        let some = missing.iter().filter(|one| matches!(one, MissingReference::Collider(_)) == is_collider);
        some.filter_map(MissingReference::name).map(str::to_owned).collect::<Vec<_>>()
    };
    let (colliders, nodes) = (names(true), names(false));
    let mut notes = Vec::new();
    if !colliders.is_empty() {
        notes.push(ImportNote::MissingColliders(colliders));
    }
    if !nodes.is_empty() {
        notes.push(ImportNote::MissingLengthTargets(nodes));
    }
    notes
}

/// What a joint refers to and is not here, sorted into the fields of a row.
fn full_joint_references(
    bone: &str,
    joint: &Joint<ByName>,
    missing: &[MissingReference],
) -> passthrough::JointReferences {
    let is_lost = |name: &str| missing.iter().any(|one| one.name() == Some(name));
    let pivot = joint.pivot.as_ref().map_or("", NodeRef::name);
    let targets = joint.length_targets.iter().map(|target| target.node.name());
    passthrough::JointReferences {
        bone: bone.to_owned(),
        pivot: if is_lost(pivot) { pivot.to_owned() } else { String::new() },
        length_targets: targets.filter(|name| is_lost(name)).map(str::to_owned).collect(),
        colliders: joint.colliders.iter().filter(|name| is_lost(name)).cloned().collect(),
    }
}

fn missing_list_notes(lost: Vec<UnresolvedName>) -> Vec<ImportNote> {
    if lost.is_empty() { Vec::new() } else { vec![ImportNote::MissingListNames(lost)] }
}

/// Whether a raised-thigh node of the document is what an entry describes: nodes that share a name need not be those that
/// the name finds.
fn is_described_high_leg(names: &NameResolver<'_>, old: &HighLeg, entry: &HighLeg<ByName>) -> bool {
    let here = [old.node, old.hip].into_iter().chain(old.legs.iter().flatten().copied());
    let described = [&entry.node, &entry.hip].into_iter().chain(entry.legs.iter().flatten());
    let is_meant =
        |(name, node): (&NodeRef, Node)| matches!(name, NodeRef::Named(name) if names.can_refer_to(name, node));
    old.legs.len() == entry.legs.len() && described.zip(here).all(is_meant)
}

/// An entry would move a bone of the file, which stays; a helper on the bone takes its place.
fn moved_bone_notes(name: &str, parent: Node, placement: &Placement) -> Vec<ImportNote> {
    if placement.would_move_bone(parent) { vec![ImportNote::WouldMoveBone(name.to_owned())] } else { Vec::new() }
}

/// The node that an entry is about, and how many of its parent and place differ: one of its name, preferably with the
/// same place, else a bare node.
fn find_existing_node(document: &Document, helper: &Helper<ByName>, parent: Node) -> Option<(HelperId, usize)> {
    let is_pivot = helper.role == HelperRole::Pivot;
    let alike =
        |(_, here): &(&HelperId, &Helper)| here.name == helper.name && (here.role == HelperRole::Pivot) == is_pivot;
    let differences = |here: &Helper| {
        let (above, local) = node_placement::flatten_helper(document, here);
        usize::from(above != parent && here.parent != parent)
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

/// A collider that moves takes its node along where nothing else uses the node.
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

/// The colliders of these names, the first of each kind and name; in the engine's order of shapes where `by_shape`.
pub(super) fn colliders_named(document: &Document, names: &[String], by_shape: bool) -> Vec<ColliderId> {
    let mut found = Vec::new();
    for name in without_duplicates(names) {
        let mut kinds = BTreeMap::new();
        for (id, collider) in document.colliders.iter().filter(|(_, c)| c.name == name) {
            kinds.entry(super::document_view::collider_order(&collider.shape)).or_insert(*id);
        }
        found.extend(kinds);
    }
    if by_shape {
        found.sort_by_key(|(kind, _)| *kind);
    }
    found.into_iter().map(|(_, id)| id).collect()
}

/// The part of a chain by the name of its root, else by the name of the bone above unless that belongs to the body.
pub(super) fn chain_part(skeleton: &Skeleton, root: BoneId) -> ChainPart {
    let verdict = |bone: BoneId| BoneName::parse(skeleton.name(bone)).analyze();
    let above = skeleton.get_parent(root).map(verdict).filter(|verdict| !verdict.is_body);
    let mut verdicts = [verdict(root)].into_iter().chain(above);
    verdicts.find_map(|verdict| verdict.part).map_or_else(ChainPart::default, |(part, _)| part)
}

/// New chains, one for each bone whose parent is no new joint, and for each of `roots`.
pub(super) fn insert_new_chains(
    skeleton: &Skeleton,
    fresh: BTreeMap<BoneId, Joint>,
    roots: &BTreeSet<BoneId>,
    system: SystemId,
    after: &mut Document,
) {
    let mut root_of = BTreeMap::new();
    let mut chains: BTreeMap<BoneId, Vec<Joint>> = BTreeMap::new();
    for (bone, joint) in fresh {
        let parent = skeleton.get_parent(bone).filter(|_| !roots.contains(&bone));
        let root = parent.and_then(|parent| root_of.get(&parent).copied()).unwrap_or(bone);
        root_of.insert(bone, root);
        chains.entry(root).or_default().push(joint);
    }
    for joints in chains.into_values() {
        insert_chain(skeleton, joints, system, after);
    }
}

fn insert_chain(skeleton: &Skeleton, joints: Vec<Joint>, system: SystemId, after: &mut Document) {
    let Some(root) = joints.first().map(|joint| joint.bone) else { return };
    let table = after.systems.get(&system).map_or_else(|| after.main_system().param_defs(), System::param_defs);
    let chain = Chain::new(skeleton.name(root), chain_part(skeleton, root), table, joints);
    let id = after.next_chain_id();
    after.chains.insert(id, Chain { system, ..chain });
}

/// Joints whose own value is what the chain says follow the chain.
fn clear_overrides_equal_to_chain(chain: &mut Chain, places: &[f32], row: ParamId, is_toggle: bool) {
    for (at, place) in places.iter().copied().enumerate() {
        let shared = chain.value_at(row, place);
        let own = &mut chain.joints[at].overrides;
        // A file may have been written with seven digits; of toggles it only says whether they are on.
        let is_same = |own: &f32| {
            if is_toggle { (*own != 0.0) == (shared != 0.0) } else { (own - shared).abs() <= 1e-6 * shared.abs() }
        };
        if own.get(&row).is_some_and(is_same) {
            own.remove(&row);
        }
    }
}
