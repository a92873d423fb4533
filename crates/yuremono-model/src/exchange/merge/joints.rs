//! Merges joints with their pivots, and creates chains for new joints.

use super::{EntryOutcome, Merger};
use crate::document::names::BoneName;
use crate::document::{
    ByName, Chain, ChainEntry, ChainPart, ColliderId, Document, FlipAxis, HelperId, Joint, JointEntry, LengthTarget,
    Node, NodeRef, Passthrough, ReplacedProperties, SetupEntry, System, SystemId, bone_of_node,
};
use crate::exchange::bind::NameBinder;
use crate::exchange::document_view::{DocumentView, without_duplicates};
use crate::exchange::group_map::{self};
use crate::exchange::material_sharing::{self};
use crate::exchange::pivot_resolution::{PivotQuery, ResolvedPivot};
use crate::exchange::{FileEntry, FileSection, ImportNote, ImportRowStatus, MissingReference};
use std::collections::{BTreeMap, BTreeSet};
use yuremono_sim::params::{ParamId, ParamMeaning};
use yuremono_sim::rig::{BoneId, Skeleton};

struct JointChanges {
    /// The new joint of each bone, with its system and chain number in the file.
    new_joints: BTreeMap<BoneId, (usize, Option<u32>, Joint)>,
    described_pivots: BTreeMap<String, HelperId>,
    bones_with_new_colliders: BTreeSet<BoneId>,
}

impl<'a> Merger<'a> {
    pub(super) fn merge_joints(&mut self) {
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
                ReplacedProperties::TableRow => self.merge_joint_row(item, &entry.joint, bone, &view, &mut changes),
                ReplacedProperties::Full | ReplacedProperties::Details => {
                    let solver = self.input.file.solver_of(item);
                    let joint = entry.joint.map_naming(solver, &mut binder);
                    let missing = binder.take_missing();
                    self.merge_full_joint(item, entry, joint, &missing, &mut changes)
                }
            };
        }
        binder.insert_new_helpers(&mut self.after);
        if self.has_rows() {
            self.update_pivot_statuses(&view);
        }
        self.update_unlisted_tails(&view, &mut changes);
        group_map::normalize_group_colliders(&mut self.after, &changes.bones_with_new_colliders);
        material_sharing::update_material_links(self.before, &mut self.after, |after, id| {
            let places = |chain| after.curve_positions_in_pose(chain, &view.rest, view.skeleton);
            after.chains.get(&id).map_or_else(Vec::new, places)
        });
        self.insert_new_joints(changes.new_joints, &view);
    }

    /// Gives the unlisted tails the values and colliders of the preceding joints, if the other joints of the chain are
    /// imported.
    fn update_unlisted_tails(&mut self, view: &DocumentView<'_>, changes: &mut JointChanges) {
        let tails = self.input.unlisted_tails;
        let joints = self.usable_entries(FileSection::Joints).filter(|(at, ..)| (self.is_used)(*at));
        let used: Vec<&EntryOutcome> = joints.map(|(at, ..)| &self.outcomes[at]).collect();
        let mut known: BTreeSet<BoneId> =
            used.iter().filter(|outcome| outcome.status.is_usable()).filter_map(|outcome| outcome.target).collect();
        known.extend(tails.iter().map(|tail| tail.bone));
        for tail in tails {
            let Some((id, at)) = view.document.find_joint(tail.bone) else { continue };
            let before = &view.document.chains[&id];
            let (Some(parent), Some(chain)) = (before.joint_index(tail.parent), self.after.chains.get_mut(&id)) else {
                continue;
            };
            if !before.joints.iter().all(|joint| known.contains(&joint.bone)) {
                continue;
            }
            for (param, value) in &tail.values {
                if view.is_value_different(id, at, *param, *value) {
                    chain.joints[at].overrides.insert(*param, *value);
                }
            }
            if before.joints[parent].colliders == before.joints[at].colliders {
                let colliders = chain.joints[parent].colliders.clone();
                chain.joints[at].colliders = colliders;
                if changes.bones_with_new_colliders.contains(&tail.parent) {
                    changes.bones_with_new_colliders.insert(tail.bone);
                }
            }
        }
    }

    /// Merges a table row: values, pivot, length targets and all colliders.
    fn merge_joint_row(
        &mut self,
        item: &FileEntry,
        row: &Joint<ByName>,
        bone: BoneId,
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
        self.references.push(self.missing_references(row, bone, &pivot, view));
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
        let wanted = without_duplicates(row.colliders.clone());
        let listed = view.collider_names(chain, now);
        count += usize::from(view.with_missing_colliders(bone, listed.clone()) != wanted);
        let known = |names: Vec<String>| names.into_iter().filter(is_known).collect::<Vec<_>>();
        if known(listed) != known(wanted) {
            // Tables omit colliders of shapes that the solver does not support.
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

    /// Merges a complete joint. `joint` is `None` if the bone is missing.
    fn merge_full_joint(
        &mut self,
        item: &FileEntry,
        entry: &JointEntry,
        joint: Option<Joint>,
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

    /// The pivot node of a joint. A described pivot is created or rotated once for all of its joints.
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

    /// Returns a note if active limits use the frame of a bone and the flip axis is Z. With this flip axis, the import
    /// rotates a helper pivot by 180°, but it cannot rotate a bone.
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

    /// The unresolved references of a used row.
    fn missing_references(
        &self,
        row: &Joint<ByName>,
        bone: BoneId,
        pivot: &ResolvedPivot,
        view: &DocumentView<'_>,
    ) -> Passthrough {
        let joint = |document: &Document| {
            let (chain, at) = document.find_joint(bone)?;
            document.chains[&chain].joints[at].pivot
        };
        let pivot = if *pivot == ResolvedPivot::Missing {
            row.pivot.as_ref().map_or_else(String::new, |pivot| pivot.name().to_owned())
        } else if joint(self.before).is_some() && joint(self.before) == joint(view.document) {
            // The existing pivot is exported instead of the missing name, which stays in the passthrough entries.
            view.missing_names(bone).pivot.to_owned()
        } else {
            String::new()
        };
        let targets = row.length_targets.iter().map(|t| t.node.name());
        let is_known = |name: &String| view.document.colliders.values().any(|c| c.name == *name);
        Passthrough::References {
            bone: self.input.skeleton.name(bone).to_owned(),
            pivot,
            length_targets: targets.filter(|name| view.resolver.node(name).is_none()).map(str::to_owned).collect(),
            colliders: without_duplicates(row.colliders.clone()).into_iter().filter(|name| !is_known(name)).collect(),
        }
    }

    /// Updates the status of described pivots, which depends on whether a usable row refers to them.
    fn update_pivot_statuses(&mut self, view: &DocumentView<'_>) {
        let mut joints_by_pivot_name: BTreeMap<&str, (BoneId, &Joint<ByName>)> = BTreeMap::new();
        for (at, _, content) in self.usable_entries(FileSection::Joints) {
            let outcome = &self.outcomes[at];
            if let (SetupEntry::Joint(entry), Some(bone), true) = (content, outcome.target, outcome.status.is_usable())
            {
                joints_by_pivot_name.insert(entry.joint.pivot.as_ref().map_or("", NodeRef::name), (bone, &entry.joint));
            }
        }
        for (at, item, content) in self.mark_duplicates(FileSection::Pivots) {
            let SetupEntry::Helper(helper) = content else { continue };
            let Some(parent) = view.resolver.node(helper.parent.name()) else {
                self.outcomes[at].status = ImportRowStatus::NodeNotFound(helper.parent.name().to_owned());
                continue;
            };
            self.outcomes[at].target = bone_of_node(view.document, parent);
            let Some((bone, row)) = joints_by_pivot_name.get(item.name.as_str()) else {
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

    /// Inserts new joints. Joints with a chain number form the chain with that number. Other joints form chains along
    /// the hierarchy.
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

    fn chain_roots(&self, view: &DocumentView<'_>) -> BTreeSet<BoneId> {
        let roots = self.usable_entries(FileSection::Other).filter_map(|(_, _, content)| match content {
            SetupEntry::Chain(entry) => view.resolver.bone(&entry.root),
            _ => None,
        });
        roots.collect()
    }
}

fn keep_length_constant(node: Node, old: &[LengthTarget]) -> LengthTarget {
    let constant = old.iter().find(|target| target.node == node).and_then(|target| target.constant);
    LengthTarget { node, constant }
}

fn count_joint_changes(old: &Joint, new: &Joint) -> usize {
    let rows: BTreeSet<&ParamId> = old.overrides.keys().chain(new.overrides.keys()).collect();
    let values = rows.into_iter().filter(|param| old.overrides.get(param) != new.overrides.get(param)).count();
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

fn full_joint_references(bone: &str, joint: &Joint<ByName>, missing: &[MissingReference]) -> Passthrough {
    let is_lost = |name: &str| missing.iter().any(|one| one.name() == Some(name));
    let pivot = joint.pivot.as_ref().map_or("", NodeRef::name);
    let targets = joint.length_targets.iter().map(|target| target.node.name());
    Passthrough::References {
        bone: bone.to_owned(),
        pivot: if is_lost(pivot) { pivot.to_owned() } else { String::new() },
        length_targets: targets.filter(|name| is_lost(name)).map(str::to_owned).collect(),
        colliders: joint.colliders.iter().filter(|name| is_lost(name)).cloned().collect(),
    }
}

/// The first collider of each kind for each name. If `by_shape` is true, the result has the Unity CSV's order of
/// shapes.
pub(in crate::exchange) fn colliders_named(document: &Document, names: &[String], by_shape: bool) -> Vec<ColliderId> {
    let mut found = Vec::new();
    for name in without_duplicates(names.to_vec()) {
        let mut kinds = BTreeMap::new();
        for (id, collider) in document.colliders.iter().filter(|(_, c)| c.name == name) {
            kinds.entry(crate::exchange::document_view::collider_order(&collider.shape)).or_insert(*id);
        }
        found.extend(kinds);
    }
    if by_shape {
        found.sort_by_key(|(kind, _)| *kind);
    }
    found.into_iter().map(|(_, id)| id).collect()
}

/// The part that the name of the root indicates, or else the part that the name of its parent indicates. The name of a
/// parent that is a body bone is ignored.
pub(in crate::exchange) fn chain_part(skeleton: &Skeleton, root: BoneId) -> ChainPart {
    let verdict = |bone: BoneId| BoneName::parse(skeleton.name(bone)).analyze();
    let above = skeleton.get_parent(root).map(verdict).filter(|verdict| !verdict.is_body);
    let mut verdicts = [verdict(root)].into_iter().chain(above);
    verdicts.find_map(|verdict| verdict.part).map_or_else(ChainPart::default, |(part, _)| part)
}

/// Creates chains for new joints. A chain starts at each bone in `roots`, and at each bone whose parent has no new
/// joint.
pub(in crate::exchange) fn insert_new_chains(
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
