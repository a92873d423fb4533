//! The entries of a file into a document, and what each of them changes.
//!
//! Bare nodes and colliders come first, since joints may name them; then joints with their pivots; then everything
//! else, chains before what belongs to them. What the file says nothing about stays unchanged.

use super::TableFormat;
use super::bind::{Binder, current, rows_by_name};
use super::groups::{self, Groups};
use super::materials::{self, MaterialUse};
use super::passthrough;
use super::pivots::{FoundPivot, PivotQuery};
use super::placement::{self, Placement, with_id};
use super::resolver::NameResolver;
use super::view::{DocumentView, without_doubles};
use super::{FileItem, Missing, RowNote, RowState, Section, SetupFile, UnresolvedName};
use crate::document::names::BoneName;
use crate::document::{
    Authored, Axis, ByName, Chain, ChainId, ChainItem, Collider, ColliderId, Document, Extras, Force, ForceId, Helper,
    HelperId, HelperRole, HighLeg, Joint, JointItem, JointScope, LengthTarget, Material, MaterialId, Node, NodeRef,
    Part, SetupItem, System, SystemId, Tip, bone_under,
};
use crate::exchange::remap::Leads;
use crate::math::{Number, Trs};
use crate::rig::{BoneId, Skeleton};
use crate::schema::{Idea, Kind, Row, Scope};
use std::collections::{BTreeMap, BTreeSet};

/// What a merge reads.
#[derive(Clone, Copy)]
pub(super) struct MergeInput<'a> {
    /// In glTF's space, without trees.
    pub file: &'a SetupFile,
    /// The bones of entries that are known without their names, one per entry.
    pub known: &'a [Option<BoneId>],
    /// The system of each of the file's systems; `None` for all systems of its solver.
    pub into: &'a [Option<SystemId>],
    pub skeleton: &'a Skeleton,
    pub leads: &'a Leads,
}

/// What becomes of an entry.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Outcome {
    /// The bone that gets the values, or that carries the node of the entry.
    pub target: Option<BoneId>,
    pub state: RowState,
}

/// The document with the entries of a file.
pub(super) struct Merged {
    pub after: Document,
    /// One per entry; entries that are not used have the state that they have without looking at them.
    pub outcomes: Vec<Outcome>,
}

/// Puts the entries of a file that `is_used` says into a document.
pub(super) fn merge(input: MergeInput<'_>, document: &Document, is_used: &dyn Fn(usize) -> bool) -> Merged {
    let mut merge = Merge::new(input, document, is_used);
    merge.find_joints();
    merge.put_nodes();
    merge.put_colliders();
    merge.put_joints();
    merge.put_high_legs();
    merge.put_others(Groups::default());
    let kept = merge.kept();
    merge.after.passthrough = kept;
    Merged { after: merge.after, outcomes: merge.outcomes }
}

/// Puts the entries of [`Section::Other`] that `is_used` says into a document that has all others already. Chains that the
/// file does not speak of keep the groups that `groups` reserves.
pub(super) fn merge_others(
    input: MergeInput<'_>,
    document: &Document,
    is_used: &dyn Fn(usize) -> bool,
    groups: Groups,
) -> Merged {
    let mut merge = Merge::new(input, document, is_used);
    merge.put_others(groups);
    Merged { after: merge.after, outcomes: merge.outcomes }
}

struct Merge<'a> {
    input: MergeInput<'a>,
    is_used: &'a dyn Fn(usize) -> bool,
    before: &'a Document,
    after: Document,
    outcomes: Vec<Outcome>,
    /// Names of described pivots that joints have now.
    used_pivots: BTreeSet<String>,
    /// The first of the file's pivots of each name.
    pivots: BTreeMap<&'a str, usize>,
    /// References of joints to what is not here.
    references: Vec<passthrough::References>,
    taken_colliders: BTreeSet<ColliderId>,
    taken_forces: BTreeSet<ForceId>,
}

/// What the rows of joints add up to.
struct JointChanges {
    /// New joints with the number of their chain in the file.
    fresh: BTreeMap<BoneId, (usize, Option<u32>, Joint)>,
    /// Described pivots that were put, by name.
    pivots: BTreeMap<String, HelperId>,
    /// Bones whose joints got other colliders.
    listed: BTreeSet<BoneId>,
}

impl<'a> Merge<'a> {
    fn new(input: MergeInput<'a>, document: &'a Document, is_used: &'a dyn Fn(usize) -> bool) -> Self {
        let mut pivots = BTreeMap::new();
        for (at, item, _) in input.file.good(Section::Pivots) {
            pivots.entry(item.name.as_str()).or_insert(at);
        }
        Self {
            input,
            is_used,
            before: document,
            after: document.clone(),
            outcomes: vec![Outcome { target: None, state: RowState::Unused }; input.file.items.len()],
            used_pivots: BTreeSet::new(),
            pivots,
            references: Vec::new(),
            taken_colliders: BTreeSet::new(),
            taken_forces: BTreeSet::new(),
        }
    }

    const fn matches(changes: usize, notes: Vec<RowNote>) -> RowState {
        RowState::Matches { changes, stiffness: None, notes }
    }

    fn resolver<'d>(&self, document: &'d Document) -> NameResolver<'d>
    where
        'a: 'd,
    {
        NameResolver::new(document, self.input.skeleton, self.input.leads)
    }

    /// Entries of a section that can be understood, as references to the file.
    fn good(&self, section: Section) -> impl Iterator<Item = (usize, &'a FileItem, &'a SetupItem)> + use<'a> {
        self.input.file.good(section)
    }

    fn is_csv(&self) -> bool {
        self.input.file.format == TableFormat::Csv
    }

    /// Of several rows of a CSV with one name the first counts; others are marked. Entries that remain.
    fn first_of_names(&mut self, section: Section) -> Vec<(usize, &'a FileItem, &'a SetupItem)> {
        let mut first: BTreeMap<&str, u64> = BTreeMap::new();
        let mut remaining = Vec::new();
        for (at, item, content) in self.good(section).collect::<Vec<_>>() {
            if self.is_csv()
                && let Some(line) = first.get(item.name.as_str())
            {
                self.outcomes[at].state = RowState::Repeated(*line);
                continue;
            }
            first.insert(&item.name, item.line);
            remaining.push((at, item, content));
        }
        remaining
    }

    // Joints: which bones they are for.

    fn find_joints(&mut self) {
        let input = self.input;
        let resolver = self.resolver(self.before);
        let mut outcomes = std::mem::take(&mut self.outcomes);
        for (at, item) in input.file.items.iter().enumerate() {
            if let Err(problems) = &item.content {
                outcomes[at].state = RowState::BadCells(problems.clone());
            }
            if item.section != Section::Joints {
                continue;
            }
            let bone = input.known.get(at).copied().flatten().or_else(|| resolver.bone(&item.name));
            outcomes[at].target = bone;
            if item.content.is_ok() {
                let usable = Self::matches(0, Vec::new());
                outcomes[at].state = if bone.is_some() { usable } else { RowState::NoBone };
            }
        }
        // Of several rows for one bone the last counts, as its component acts last in the engine.
        let mut last: BTreeMap<BoneId, u64> = BTreeMap::new();
        for (outcome, item) in outcomes.iter_mut().zip(&input.file.items).rev() {
            let Some(bone) = outcome.target.filter(|_| outcome.state.is_usable()) else { continue };
            if let Some(line) = last.get(&bone) {
                outcome.state = RowState::Repeated(*line);
            } else {
                last.insert(bone, item.line);
            }
        }
        drop(resolver);
        self.outcomes = outcomes;
    }

    // Nodes and colliders.

    /// Bare nodes, parents first. Pivots of a CSV come with the joints that ask for them.
    fn put_nodes(&mut self) {
        let mut waiting = self.first_of_names(Section::Nodes);
        if !self.is_csv() {
            waiting.extend(self.good(Section::Pivots));
        }
        let used = |at: usize| (self.is_used)(at);
        waiting.retain(|(at, ..)| used(*at));
        while !waiting.is_empty() {
            let count = waiting.len();
            let base = self.after.clone();
            let resolver = self.resolver(&base);
            let mut placed = Vec::new();
            waiting.retain(|(at, item, content)| {
                let SetupItem::Node(helper) = content else { return false };
                let parent = resolver.node(helper.parent.name()).filter(|_| helper.parent.name() != item.name);
                let Some(parent) = parent else { return true };
                placed.push((*at, parent, helper));
                false
            });
            for (at, parent, helper) in placed {
                let state = self.put_node(&base, &resolver, parent, helper);
                self.outcomes[at] = Outcome { target: bone_under(&base, parent), state };
            }
            if waiting.len() == count {
                break;
            }
        }
        for (at, _, content) in waiting {
            if let SetupItem::Node(helper) = content {
                self.outcomes[at].state = RowState::NoNode(helper.parent.name().to_owned());
            }
        }
    }

    fn put_node(
        &mut self,
        base: &Document,
        resolver: &NameResolver<'_>,
        parent: Node,
        helper: &Helper<ByName>,
    ) -> RowState {
        let existing = existing_node(base, helper, parent);
        if let Some((_, 0)) = existing {
            return Self::matches(0, Vec::new());
        }
        let Helper { name, local, role, .. } = helper.clone();
        let placement = Placement::of(resolver, Helper { name, parent, local, role });
        if let Some((id, changes)) = existing {
            with_id(placement, id, base).put(&mut self.after);
            Self::matches(changes, Vec::new())
        } else {
            let notes = would_move(&helper.name, parent, &placement);
            placement.put(&mut self.after);
            RowState::New { notes }
        }
    }

    fn put_colliders(&mut self) {
        if !self.input.file.has_collider_rules() {
            return;
        }
        let base = self.after.clone();
        let resolver = self.resolver(&base);
        for (at, _, content) in self.first_of_names(Section::Colliders) {
            let SetupItem::Collider(collider) = content else { continue };
            if !(self.is_used)(at) {
                continue;
            }
            let (parent_name, local) = match &collider.node {
                NodeRef::Named(name) => (name.as_str(), None),
                NodeRef::Placed(helper) => (helper.parent.name(), Some(helper.local)),
            };
            let Some(parent) = resolver.node(parent_name) else {
                self.outcomes[at].state = RowState::NoNode(parent_name.to_owned());
                continue;
            };
            let state = self.put_collider(&base, &resolver, (parent, local), collider);
            self.outcomes[at] = Outcome { target: bone_under(&base, parent), state };
        }
    }

    fn put_collider(
        &mut self,
        base: &Document,
        resolver: &NameResolver<'_>,
        (parent, local): (Node, Option<Trs>),
        collider: &Collider<ByName>,
    ) -> RowState {
        let place = match (local, parent) {
            (Some(local), parent) => Some((parent, local)),
            (None, Node::Helper(id)) => base.helpers.get(&id).map(|helper| placement::flattened(base, helper)),
            (None, bone) => Some((bone, Trs::IDENTITY)),
        };
        let place_of = |c: &Collider| placement::collider_place(base, self.input.skeleton, c);
        let same_place = |c: &Collider| match (place_of(c), place) {
            (Some((a, at)), Some((b, to))) => a == b && placement::same_place(&at, &to),
            _ => false,
        };
        let named = || {
            let taken = &self.taken_colliders;
            let all = base.colliders.iter().filter(|(id, c)| c.name == collider.name && !taken.contains(id));
            all.map(|(id, c)| (*id, c))
        };
        let old = named()
            .find(|(_, c)| c.shape == collider.shape && same_place(c))
            .or_else(|| named().find(|(_, c)| c.shape.is_like(&collider.shape)))
            .or_else(|| named().next());
        let mut notes = Vec::new();
        let node = match (old, local) {
            (Some((_, old)), _) if same_place(old) => old.node,
            (_, None) => parent,
            (old, Some(local)) => {
                let name = collider.node.name().to_owned();
                let placement = Placement::of(resolver, Helper { name, parent, local, role: HelperRole::Plain });
                notes = would_move(collider.node.name(), parent, &placement);
                moved(placement, base, old).put(&mut self.after)
            }
        };
        let id = old.map_or_else(|| self.after.fresh_collider(), |(id, _)| id);
        let enabled = if self.is_csv() { old.is_none_or(|(_, c)| c.enabled) } else { collider.enabled };
        let (name, shape, renderer) = (collider.name.clone(), collider.shape, collider.renderer.clone());
        let source = old.and_then(|(_, c)| c.source);
        let new = Collider { name, node, shape, enabled, renderer, source };
        let state = match old {
            Some((_, old)) => {
                let changes =
                    [!same_place(old), old.shape != shape, old.renderer != new.renderer, old.enabled != enabled];
                Self::matches(changes.into_iter().filter(|is_changed| *is_changed).count(), Vec::new())
            }
            None => RowState::New { notes },
        };
        self.after.colliders.insert(id, new);
        if !self.is_csv() {
            self.taken_colliders.insert(id);
        }
        state
    }

    // Joints.

    fn put_joints(&mut self) {
        let here = self.after.clone();
        let view = DocumentView::new(&here, self.input.skeleton, self.input.leads);
        let mut changes = JointChanges { fresh: BTreeMap::new(), pivots: BTreeMap::new(), listed: BTreeSet::new() };
        let mut binder = Binder::new(&view.resolver);
        for (at, item, content) in self.good(Section::Joints) {
            let outcome = &self.outcomes[at];
            let (SetupItem::Joint(entry), Some(bone), true) = (content, outcome.target, outcome.state.is_usable())
            else {
                continue;
            };
            if !(self.is_used)(at) || bone.index() >= self.input.skeleton.len() {
                continue;
            }
            self.outcomes[at].state = match entry.scope {
                JointScope::Row => self.put_row((item, &entry.joint, bone), &view, &mut changes),
                JointScope::Whole | JointScope::Details => {
                    let solver = self.input.file.solver_of(item);
                    let joint = entry.joint.rename(solver, &mut binder);
                    let missing = binder.take_missing();
                    self.put_whole((item, entry, joint), &missing, &mut changes)
                }
            };
        }
        binder.finish(&mut self.after);
        if self.is_csv() {
            self.look_at_pivots(&view);
        }
        groups::settle(&mut self.after, &changes.listed);
        materials::settle(self.before, &mut self.after, |after, id| {
            let places = |chain| after.places_in(chain, &view.rest, view.skeleton);
            after.chains.get(&id).map_or_else(Vec::new, places)
        });
        self.put_new_joints(changes.fresh, &view);
    }

    /// The row of a table: values, pivot, length targets and all colliders.
    fn put_row(
        &mut self,
        (item, row, bone): (&FileItem, &Joint<ByName>, BoneId),
        view: &DocumentView<'_>,
        changes: &mut JointChanges,
    ) -> RowState {
        let info = self.input.file.solver_of(item).info();
        let values = self.row_values(item, row);
        let restore = values.iter().find(|(row, _)| info.params[row.index()].idea == Idea::Restore);
        let at = view.document.joint_of(bone);
        let stiffness = restore.map(|(row, new)| (at.map(|(chain, i)| view.value(chain, i, *row)), *new));
        let mut notes = Vec::new();
        let pivot = FoundPivot::of(&self.pivot_query(item, row, bone), view);
        let node = self.pivot_node(&pivot, row, view, changes);
        if pivot == FoundPivot::Missing {
            notes.extend(row.pivot.as_ref().map(|pivot| RowNote::NoPivot(pivot.name().to_owned())));
        }
        notes.extend(self.other_side(item, row, &pivot));
        let colliders = colliders_named(view.document, &row.colliders, info.pivots);
        let targets: Vec<_> = row.length_targets.iter().filter_map(|t| view.resolver.node(t.node.name())).collect();
        self.note_missing(row, view, &mut notes);
        self.references.push(self.missing_references((row, bone), &pivot, view));
        let Some((chain, i)) = at else {
            let pivot = if let FoundPivot::ParentUnused(parent) = pivot { Some(Node::Bone(parent)) } else { node };
            let count = values.len();
            let own = values.into_iter().collect();
            let length_targets = targets.into_iter().map(LengthTarget::new).collect();
            let joint = Joint { own, pivot, length_targets, colliders, ..Joint::new(bone) };
            changes.fresh.insert(bone, (item.system, None, joint));
            return RowState::Matches { changes: count, stiffness, notes };
        };
        let now = &view.document.chains[&chain].joints[i];
        let mut count = values.iter().filter(|(row, new)| view.differs(chain, i, *row, *new)).count();
        let Some(joint) = self.after.chains.get_mut(&chain).map(|chain| &mut chain.joints[i]) else {
            return RowState::NoBone;
        };
        let is_known = |name: &String| view.document.colliders.values().any(|c| c.name == *name);
        let supported = |id: &ColliderId| view.document.colliders.get(id).is_some_and(|c| info.supports(&c.shape));
        let wanted = without_doubles(&row.colliders);
        let listed = view.collider_names(chain, now);
        count += usize::from(view.with_references(bone, listed.clone()) != wanted);
        let known = |names: Vec<String>| names.into_iter().filter(is_known).collect::<Vec<_>>();
        if known(listed) != known(wanted) {
            // A table does not list colliders of shapes that the solver lacks.
            let unlisted = joint.colliders.iter().copied().filter(|id| !supported(id)).collect::<Vec<_>>();
            joint.colliders = colliders.into_iter().filter(supported).chain(unlisted).collect();
            changes.listed.insert(bone);
        }
        if info.pivots {
            count += usize::from(!view.target_names(now).iter().eq(row.length_targets.iter().map(|t| t.node.name())));
            let name = |node: &Node| view.resolver.name(*node);
            if !joint.length_targets.iter().map(|t| name(&t.node)).eq(targets.iter().map(name)) {
                let old = std::mem::take(&mut joint.length_targets);
                joint.length_targets = targets.into_iter().map(|node| with_constant(node, &old)).collect();
            }
        }
        for (row, value) in values {
            if view.differs(chain, i, row, value) {
                joint.own.insert(row, value);
            }
        }
        if info.pivots {
            count += usize::from(pivot.changes(now.pivot) || pivot.turns(view.document));
            if pivot.changes(joint.pivot) {
                joint.pivot = if let FoundPivot::ParentUnused(_) = pivot { None } else { node };
            }
        }
        RowState::Matches { changes: count, stiffness, notes }
    }

    /// A joint as a document has it; `None` without its bone.
    fn put_whole(
        &mut self,
        (item, entry, joint): (&FileItem, &JointItem, Option<Joint>),
        missing: &[Missing],
        changes: &mut JointChanges,
    ) -> RowState {
        let Some(joint) = joint else { return RowState::NoBone };
        let notes = notes_of(missing);
        self.references.push(whole_references(self.input.skeleton.name(joint.bone), &entry.joint, missing));
        let Some((chain, i)) = self.after.joint_of(joint.bone) else {
            let count = joint.own.len().max(1);
            changes.fresh.insert(joint.bone, (item.system, entry.chain, joint));
            return Self::matches(count, notes);
        };
        let Some(slot) = self.after.chains.get_mut(&chain).map(|chain| &mut chain.joints[i]) else {
            return RowState::NoBone;
        };
        let count = joint_changes(slot, &joint);
        *slot = joint;
        Self::matches(count, notes)
    }

    /// Values of a row of joint scope, by the solver's table.
    fn row_values(&self, item: &FileItem, row: &Joint<ByName>) -> Vec<(Row, f32)> {
        let (rows, _) = rows_by_name(self.input.file.solver_of(item), &row.own, Scope::Joint);
        let mut values: Vec<_> = rows.into_iter().map(|(row, was, Number(value))| (row, was.current(value))).collect();
        values.sort_by_key(|(row, _)| *row);
        values
    }

    /// The node for a joint; a described pivot is put or turned once for all joints that share it.
    fn pivot_node(
        &mut self,
        found: &FoundPivot,
        row: &Joint<ByName>,
        view: &DocumentView<'_>,
        changes: &mut JointChanges,
    ) -> Option<Node> {
        let name = row.pivot.as_ref().map_or("", NodeRef::name);
        match found {
            FoundPivot::None | FoundPivot::Missing | FoundPivot::ParentUnused(_) => None,
            FoundPivot::Here(node) => {
                self.used_pivots.insert(name.to_owned());
                Some(*node)
            }
            FoundPivot::Described(here, helper) => {
                if let Some(id) = changes.pivots.get(name) {
                    return Some(Node::Helper(*id));
                }
                let id = here.unwrap_or_else(|| self.after.fresh_helper());
                self.used_pivots.insert(name.to_owned());
                changes.pivots.insert(name.to_owned(), id);
                if here.is_none() || found.turns(view.document) {
                    self.after.helpers.insert(id, helper.clone());
                }
                Some(Node::Helper(id))
            }
        }
    }

    /// A bone as pivot is not turned by half a turn, as a helper would be under mirror Z.
    fn other_side(&self, item: &FileItem, row: &Joint<ByName>, pivot: &FoundPivot) -> Option<RowNote> {
        let (Some(Axis::Z), FoundPivot::Here(Node::Bone(_))) = (self.input.file.mirrored, pivot) else {
            return None;
        };
        let acts = self.limits_act(item, row);
        row.pivot.as_ref().filter(|_| acts).map(|pivot| RowNote::OtherSide(pivot.name().to_owned()))
    }

    fn limits_act(&self, item: &FileItem, row: &Joint<ByName>) -> bool {
        let info = self.input.file.solver_of(item).info();
        let values: BTreeMap<Row, f32> = self.row_values(item, row).into_iter().collect();
        info.limits_act(|row| values.get(&row).copied().unwrap_or_default())
    }

    fn pivot_query<'q>(&'q self, item: &FileItem, row: &'q Joint<ByName>, bone: BoneId) -> PivotQuery<'q> {
        PivotQuery {
            file: self.input.file,
            pivots: &self.pivots,
            is_used: self.is_used,
            row,
            bone,
            limits_act: self.limits_act(item, row),
        }
    }

    /// Colliders and length targets that are nowhere.
    fn note_missing(&self, row: &Joint<ByName>, view: &DocumentView<'_>, notes: &mut Vec<RowNote>) {
        let known = |name: &String| view.document.colliders.values().any(|c| c.name == *name);
        let lost: Vec<String> = row.colliders.iter().filter(|name| !known(name)).cloned().collect();
        if !lost.is_empty() {
            notes.push(RowNote::NoColliders(lost));
        }
        let described = |name: &str| {
            let sections = [Section::Pivots, Section::Nodes, Section::Colliders];
            self.input.file.items.iter().any(|item| sections.contains(&item.section) && item.name == name)
        };
        let targets = row.length_targets.iter().map(|t| t.node.name());
        let lost = targets.filter(|name| view.resolver.node(name).is_none() && !described(name)).map(str::to_owned);
        let lost: Vec<String> = lost.collect();
        if !lost.is_empty() {
            notes.push(RowNote::NoTargets(lost));
        }
    }

    /// What a used row refers to and is not here.
    fn missing_references(
        &self,
        (row, bone): (&Joint<ByName>, BoneId),
        pivot: &FoundPivot,
        view: &DocumentView<'_>,
    ) -> passthrough::References {
        let joint = |document: &Document| {
            let (chain, at) = document.joint_of(bone)?;
            document.chains[&chain].joints[at].pivot
        };
        let pivot = if *pivot == FoundPivot::Missing {
            row.pivot.as_ref().map_or_else(String::new, |pivot| pivot.name().to_owned())
        } else if joint(self.before).is_some() && joint(self.before) == joint(view.document) {
            // The live pivot is written in place of the kept one, which stays kept.
            view.kept_pivot(bone).to_owned()
        } else {
            String::new()
        };
        let targets = row.length_targets.iter().map(|t| t.node.name());
        let is_known = |name: &String| view.document.colliders.values().any(|c| c.name == *name);
        passthrough::References {
            bone: self.input.skeleton.name(bone).to_owned(),
            pivot,
            length_targets: targets.filter(|name| view.resolver.node(name).is_none()).map(str::to_owned).collect(),
            colliders: without_doubles(&row.colliders).into_iter().filter(|name| !is_known(name)).collect(),
        }
    }

    /// The states of described pivots: which of them a usable row asks for.
    fn look_at_pivots(&mut self, view: &DocumentView<'_>) {
        let mut asks: BTreeMap<&str, (BoneId, &Joint<ByName>)> = BTreeMap::new();
        for (at, _, content) in self.good(Section::Joints) {
            let outcome = &self.outcomes[at];
            if let (SetupItem::Joint(entry), Some(bone), true) = (content, outcome.target, outcome.state.is_usable()) {
                asks.insert(entry.joint.pivot.as_ref().map_or("", NodeRef::name), (bone, &entry.joint));
            }
        }
        for (at, item, content) in self.first_of_names(Section::Pivots) {
            let SetupItem::Node(helper) = content else { continue };
            let Some(parent) = view.resolver.node(helper.parent.name()) else {
                self.outcomes[at].state = RowState::NoNode(helper.parent.name().to_owned());
                continue;
            };
            self.outcomes[at].target = bone_under(view.document, parent);
            let Some((bone, row)) = asks.get(item.name.as_str()) else {
                self.outcomes[at].state = RowState::Unused;
                continue;
            };
            let found = FoundPivot::of(&self.pivot_query(item, row, *bone), view);
            self.outcomes[at].state = match found {
                FoundPivot::Described(None, _) => RowState::New { notes: Vec::new() },
                found => Self::matches(usize::from(found.turns(view.document)), Vec::new()),
            };
        }
    }

    /// Joints of bones that had none: those of a chain of the file together, others by the skeleton.
    fn put_new_joints(&mut self, fresh: BTreeMap<BoneId, (usize, Option<u32>, Joint)>, view: &DocumentView<'_>) {
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
            let id = self.system_for(system);
            push_new_chains(view.skeleton, joints, &roots, id, &mut self.after);
        }
        for ((system, number), joints) in by_number {
            let root = self.chain_entry(number).and_then(|entry| view.resolver.bone(&entry.root));
            let existing = root.and_then(|root| self.after.joint_of(root)).map(|(chain, _)| chain);
            if let Some(chain) = existing.and_then(|id| self.after.chains.get_mut(&id)) {
                chain.joints.extend(joints);
                // A skeleton lists parents before their children.
                chain.joints.sort_by_key(|joint| joint.bone);
            } else {
                let id = self.system_for(system);
                put_chain(view.skeleton, joints, id, &mut self.after);
            }
        }
    }

    fn chain_entry(&self, number: u32) -> Option<&'a ChainItem> {
        self.good(Section::Other).find_map(|(_, _, content)| match content {
            SetupItem::Chain(entry) if entry.number == Some(number) => Some(entry),
            _ => None,
        })
    }

    /// Bones that chains of the file begin with.
    fn chain_roots(&self, view: &DocumentView<'_>) -> BTreeSet<BoneId> {
        let roots = self.good(Section::Other).filter_map(|(_, _, content)| match content {
            SetupItem::Chain(entry) => view.resolver.bone(&entry.root),
            _ => None,
        });
        roots.collect()
    }

    /// The system that new chains of a system of the file join.
    fn system_for(&self, system: usize) -> SystemId {
        let solver = self.input.file.systems.get(system).map(|system| system.solver).unwrap_or_default();
        let under = || self.after.system_under(solver).map_or_else(|| self.after.main_id(), |(id, _)| id);
        self.input.into.get(system).copied().flatten().unwrap_or_else(under)
    }

    // Everything else.

    fn put_high_legs(&mut self) {
        for (at, item, content) in self.first_of_names(Section::HighLegs) {
            let SetupItem::HighLeg(entry) = content else { continue };
            if !(self.is_used)(at) {
                continue;
            }
            let base = self.after.clone();
            let resolver = self.resolver(&base);
            if item.name.is_empty() {
                self.outcomes[at].state = RowState::NoBone;
                continue;
            }
            if let Some(old) = base.high_legs.values().find(|old| is_described(&resolver, old, entry)) {
                let target = bone_under(&base, old.node);
                self.outcomes[at] = Outcome { target, state: Self::matches(0, Vec::new()) };
                continue;
            }
            let mut binder = Binder::new(&resolver);
            let new: Option<HighLeg> = entry.rename(&mut binder);
            let missing = binder.take_missing();
            let (Some(new), None) = (new, missing.first()) else {
                let name = missing.first().and_then(Missing::name).unwrap_or_default();
                self.outcomes[at].state = RowState::NoNode(name.to_owned());
                continue;
            };
            binder.finish(&mut self.after);
            let old = self.after.high_legs.iter().find(|(_, h)| h.node == new.node).map(|(id, h)| (*id, *h == new));
            let state = match old {
                Some((_, is_same)) => Self::matches(usize::from(!is_same), Vec::new()),
                None => RowState::New { notes: Vec::new() },
            };
            self.outcomes[at] = Outcome { target: bone_under(&self.after, new.node), state };
            let id = old.map_or_else(|| self.after.fresh_high_leg(), |(id, _)| id);
            self.after.high_legs.insert(id, new);
        }
    }

    fn put_others(&mut self, mut groups: Groups) {
        let turn = |content: &SetupItem| match content {
            SetupItem::Group(..) => 0,
            SetupItem::Chain(_) => 1,
            SetupItem::System(_) | SetupItem::ComponentNodes(_) => 3,
            _ => 2,
        };
        groups.note_used(self.good(Section::Other).map(|(_, _, content)| content));
        for now in 0..4 {
            for (at, item, content) in self.good(Section::Other) {
                if turn(content) != now || !(self.is_used)(at) {
                    continue;
                }
                self.outcomes[at].state = match self.put_other(item, content, &mut groups) {
                    Ok((is_changed, notes)) => Self::matches(usize::from(is_changed), notes),
                    Err(missing) => RowState::Missing(missing),
                };
            }
        }
        self.share_materials();
    }

    fn put_other(
        &mut self,
        item: &FileItem,
        content: &SetupItem,
        groups: &mut Groups,
    ) -> Result<(bool, Vec<RowNote>), Missing> {
        let plain = |is_changed: bool| Ok((is_changed, Vec::new()));
        match content {
            SetupItem::System(system) => self.put_system(item, system),
            SetupItem::ComponentNodes(nodes) => {
                let Some(id) = self.single_system(item.system) else { return plain(false) };
                let base = self.after.clone();
                let resolver = self.resolver(&base);
                let mut notes = Vec::new();
                let mut extras = base.systems[&id].extras.clone();
                for (side, name) in nodes {
                    let Some(slot) = extras.single_mut(*side) else { continue };
                    *slot = name.as_deref().and_then(|name| resolver.node(name));
                    if let (None, Some(name)) = (&slot, name) {
                        notes.push(UnresolvedName { name: name.clone(), is_collider: false, place: String::new() });
                    }
                }
                let is_changed = self.set_extras(id, extras);
                Ok((is_changed, listed_notes(notes)))
            }
            // Chains bring their materials along; one that no chain uses is put as it is.
            SetupItem::Material(number, material) => plain(self.put_unused_material(*number, item, material)),
            SetupItem::ColliderOff(name) => {
                let collider = self.after.colliders.values_mut().find(|c| c.name == *name);
                plain(set(&mut collider.ok_or_else(|| Missing::Collider(name.clone()))?.enabled, false))
            }
            SetupItem::Group(number, group) => {
                let is_changed = groups.put(&mut self.after, *number, group)?;
                let is_known = |name: &&String| self.after.colliders.values().any(|c| c.name == **name);
                let lost: Vec<String> = group.colliders.iter().filter(|name| !is_known(name)).cloned().collect();
                let notes = if lost.is_empty() { Vec::new() } else { vec![RowNote::NoColliders(lost)] };
                Ok((is_changed, notes))
            }
            SetupItem::Chain(entry) => plain(self.put_chain_entry(item, entry, groups)?),
            SetupItem::Joint(entry) => plain(self.put_details(item, &entry.joint)?),
            SetupItem::Force(force) => plain(self.put_force(force)?),
            SetupItem::Excluded(bone) => {
                let bone = self.bone(bone)?;
                plain(self.after.excluded.insert(bone))
            }
            SetupItem::MeshHidden(name) => plain(self.after.renderers_off.insert(name.clone())),
            SetupItem::Node(_) | SetupItem::Collider(_) | SetupItem::HighLeg(_) => plain(false),
        }
    }

    fn bone(&self, name: &str) -> Result<BoneId, Missing> {
        self.resolver(self.before).bone(name).ok_or_else(|| Missing::Bone(name.to_owned()))
    }

    fn node(&self, name: &str) -> Result<Node, Missing> {
        self.resolver(&self.after).node(name).ok_or_else(|| Missing::Node(name.to_owned()))
    }

    fn joint(&mut self, bone: &str) -> Result<&mut Joint, Missing> {
        let lost = || Missing::Joint(bone.to_owned());
        let (chain, at) = self.after.joint_of(self.bone(bone)?).ok_or_else(lost)?;
        self.after.chains.get_mut(&chain).map(|chain| &mut chain.joints[at]).ok_or_else(lost)
    }

    fn chain(&self, root: &str) -> Result<ChainId, Missing> {
        let found = self.after.joint_of(self.bone(root)?);
        found.filter(|(_, at)| *at == 0).map(|(id, _)| id).ok_or_else(|| Missing::Chain(root.to_owned()))
    }

    /// The system that component entries of a system of the file are for; `None` where its chains have several.
    fn single_system(&self, system: usize) -> Option<SystemId> {
        let into = self.input.into.get(system).copied().flatten();
        let solver = self.input.file.systems.get(system)?.solver;
        let alike = || {
            let mut all = self.after.systems.iter().filter(|(_, system)| system.solver == solver);
            all.next().filter(|_| all.next().is_none()).map(|(id, _)| *id)
        };
        into.filter(|id| self.after.systems.contains_key(id)).or_else(alike)
    }

    fn set_extras(&mut self, id: SystemId, extras: Extras) -> bool {
        self.after.systems.get_mut(&id).is_some_and(|system| set(&mut system.extras, extras))
    }

    fn put_system(&mut self, item: &FileItem, entry: &System<ByName>) -> Result<(bool, Vec<RowNote>), Missing> {
        let id = self.system_for(item.system);
        let mut is_changed = false;
        let (rows, unknown) = rows_by_name(self.input.file.solver_of(item), &entry.values, Scope::System);
        let mut missing = unknown.into_iter().next();
        if let Some(system) = self.after.systems.get_mut(&id) {
            for (row, was, Number(value)) in rows {
                let value = was.current(value);
                is_changed |= system.values.set(row, value) != value;
            }
        }
        let mut notes = Vec::new();
        match self.single_system(item.system) {
            Some(id) => {
                if !entry.name.is_empty() {
                    is_changed |= self.after.systems.get_mut(&id).is_some_and(|s| set(&mut s.name, entry.name.clone()));
                }
                if let Some(node) = &entry.component {
                    match self.node(node.name()) {
                        Ok(node) => {
                            let system = self.after.systems.get_mut(&id);
                            is_changed |= system.is_some_and(|s| set(&mut s.component, Some(node)));
                        }
                        Err(lost) => missing = Some(lost),
                    }
                }
                if entry.extras.solver().is_some() {
                    let (is_set, lost) = self.put_lists(id, &entry.extras)?;
                    is_changed |= is_set;
                    notes = listed_notes(lost);
                }
            }
            None if entry.extras.solver().is_some() => notes.push(RowNote::SeveralComponents),
            None => {}
        }
        missing.map_or(Ok((is_changed, notes)), Err)
    }

    fn put_lists(
        &mut self,
        id: SystemId,
        lists: &Extras<NodeRef, String, String>,
    ) -> Result<(bool, Vec<UnresolvedName>), Missing> {
        let solver = self.after.systems.get(&id).map(|system| system.solver).unwrap_or_default();
        if let Some(theirs) = lists.solver().filter(|theirs| *theirs != solver) {
            return Err(Missing::Component(theirs));
        }
        let base = self.after.clone();
        let resolver = self.resolver(&base);
        let mut binder = Binder::new(&resolver);
        let system =
            System { name: String::new(), solver, values: BTreeMap::new(), component: None, extras: lists.clone() };
        let extras = system.rename(&mut binder).extras.without_doubles();
        let lost = UnresolvedName::of_lists(&binder.take_missing(), lists);
        binder.finish(&mut self.after);
        Ok((self.set_extras(id, extras), lost))
    }

    fn put_chain_entry(&mut self, item: &FileItem, entry: &ChainItem, groups: &Groups) -> Result<bool, Missing> {
        let id = self.chain(&entry.root)?;
        let solver = self.input.file.solver_of(item);
        let (file, table) = (&entry.chain, solver.info().params);
        let is_whole = entry.number.is_some();
        let center = file.center.as_ref().map(|node| self.node(node.name())).transpose();
        let skeleton = self.input.skeleton;
        let places = self.after.chains.get(&id).map(|chain| self.after.places(chain, skeleton)).unwrap_or_default();
        let Some(chain) = self.after.chains.get_mut(&id) else { return Err(Missing::Chain(entry.root.clone())) };
        // Formats that name chains by their roots say nothing but the material.
        let is_named = is_whole || !file.name.is_empty();
        let mut is_changed = is_named
            && (set(&mut chain.name, file.name.clone())
                | set(&mut chain.part, file.part)
                | set(&mut chain.along, file.along));
        if is_whole || matches!(center, Ok(Some(_))) {
            is_changed |= set(&mut chain.center, center.clone().unwrap_or_default());
        }
        let (rows, unknown) = rows_by_name(solver, &file.values, Scope::Joint);
        let missing = center.err().or_else(|| unknown.into_iter().next());
        let mut said: BTreeMap<Row, Authored> =
            rows.into_iter().map(|(row, was, value)| (row, current(was, value))).collect();
        for (at, def) in table.iter().enumerate() {
            let row = Row(at as u16);
            let default = || Authored { base: def.default, curve: None };
            let Some(new) = said.remove(&row).or_else(|| is_whole.then(default)) else { continue };
            if set(&mut chain.values[at], new) {
                is_changed = true;
                if !is_whole {
                    follow(chain, &places, row, def.kind == Kind::Toggle);
                }
            }
        }
        if is_whole || !file.groups.is_empty() {
            is_changed |= groups.give(&mut self.after, id, &file.groups)?;
        }
        missing.map_or(Ok(is_changed), Err)
    }

    fn put_details(&mut self, item: &FileItem, details: &Joint<ByName>) -> Result<bool, Missing> {
        let values = self.row_values(item, details);
        let tip = match &details.tip {
            Tip::Children => None,
            Tip::Bone(child) => Some(Tip::Bone(self.bone(child)?)),
            Tip::Offset(at) => Some(Tip::Offset(*at)),
        };
        let mut constants = Vec::new();
        for target in &details.length_targets {
            constants.push((self.node(target.node.name())?, target));
        }
        let joint = self.joint(&details.bone)?;
        let mut is_changed = false;
        for (row, value) in values {
            is_changed |= joint.own.insert(row, value) != Some(value);
        }
        is_changed |= tip.is_some_and(|tip| set(&mut joint.tip, tip));
        is_changed |= !details.enabled && set(&mut joint.enabled, false);
        is_changed |= details.animated && set(&mut joint.animated, true);
        is_changed |= details.limit.is_some() && set(&mut joint.limit, details.limit);
        for (node, target) in constants {
            // A table may name a target twice; both are the same link.
            let mut found = joint.length_targets.iter_mut().filter(|t| t.node == node).peekable();
            if found.peek().is_none() {
                return Err(Missing::Target(target.node.name().to_owned()));
            }
            is_changed |= found.fold(false, |changed, t| set(&mut t.constant, target.constant) | changed);
        }
        Ok(is_changed)
    }

    fn put_force(&mut self, entry: &Force<ByName>) -> Result<bool, Missing> {
        let base = self.after.clone();
        let resolver = self.resolver(&base);
        let free = |(id, f): &(&ForceId, &Force)| f.name == entry.name && !self.taken_forces.contains(*id);
        let old = base.forces.iter().find(free).map(|(id, force)| (*id, force));
        let node = match &entry.node {
            NodeRef::Named(name) => self.node(name)?,
            NodeRef::Placed(helper) => {
                let (parent, local) = placement::flattened_description(helper);
                let parent = self.node(parent)?;
                let stands = |node: Node| {
                    let Node::Helper(id) = node else { return false };
                    let here = &base.helpers[&id];
                    let described = Helper { parent, local, ..here.clone() };
                    let (theirs, ours) = (placement::flattened(&base, &described), placement::flattened(&base, here));
                    here.name == helper.name && theirs.0 == ours.0 && placement::nearly_same_place(&theirs.1, &ours.1)
                };
                if let Some((_, force)) = old.filter(|(_, force)| stands(force.node)) {
                    force.node
                } else {
                    let same = Placement::existing(&resolver, &helper.name, parent);
                    let name = helper.name.clone();
                    let helper = Helper { name, parent, local, role: HelperRole::Plain };
                    Placement::Helper(same, helper).put(&mut self.after)
                }
            }
        };
        let id = old.map_or_else(|| self.after.fresh_force(), |(id, _)| id);
        let force = Force { name: entry.name.clone(), node, kind: entry.kind, enabled: entry.enabled };
        self.taken_forces.insert(id);
        let is_changed = base.forces.get(&id) != Some(&force) || base.helpers != self.after.helpers;
        self.after.forces.insert(id, force);
        Ok(is_changed)
    }

    /// The names of the file's materials by number.
    fn materials(&self) -> BTreeMap<MaterialId, &'a str> {
        let all = self.input.file.items.iter().filter_map(|item| match item.content.as_ref().ok()? {
            SetupItem::Material(number, material) => Some((*number, material.name.as_str())),
            _ => None,
        });
        all.collect()
    }

    fn put_unused_material(&mut self, number: MaterialId, item: &FileItem, entry: &Material<ByName>) -> bool {
        let is_used = self
            .good(Section::Other)
            .any(|(_, _, content)| matches!(content, SetupItem::Chain(entry) if entry.chain.material == Some(number)));
        let solver = self.input.file.solver_of(item);
        let is_here = |old: &Material| old.name == entry.name && old.solver == solver;
        if is_used || self.after.materials.values().any(is_here) {
            return false;
        }
        let base = self.after.clone();
        let resolver = self.resolver(&base);
        let material = entry.rename(&mut Binder::new(&resolver));
        let id = self.after.fresh_material();
        self.after.materials.insert(id, material);
        true
    }

    fn share_materials(&mut self) {
        let names = self.materials();
        let mut named = Vec::new();
        for (at, _, content) in self.good(Section::Other) {
            if let SetupItem::Chain(entry) = content
                && (self.is_used)(at)
                && let Some(name) = entry.chain.material.and_then(|number| names.get(&number))
                && let Ok(chain) = self.chain(&entry.root)
            {
                named.push(MaterialUse { item: at, chain, name });
            }
        }
        for (at, is_changed) in materials::share(&mut self.after, &named) {
            if let RowState::Matches { changes, .. } = &mut self.outcomes[at].state {
                *changes = (*changes).max(usize::from(is_changed));
            }
        }
    }

    // What is kept.

    fn kept(&self) -> Vec<crate::document::Passthrough> {
        let mut kept = passthrough::KeptList::of(&self.after.passthrough);
        for (at, item) in self.input.file.items.iter().enumerate() {
            let (outcome, solver) = (&self.outcomes[at], self.input.file.solver_of(item));
            let is_used = (self.is_used)(at);
            let is_lost = match (item.section, &outcome.state) {
                (_, RowState::Repeated(_)) => None,
                (Section::Joints, RowState::BadCells(_)) => outcome.target.is_none().then_some(true),
                (Section::Pivots, _) if self.is_csv() => Some(!self.used_pivots.contains(&item.name)),
                (_, state) if state.is_usable() => is_used.then_some(false),
                _ => Some(true),
            };
            if let Some(is_lost) = is_lost {
                kept.put(item, solver, is_lost);
            }
        }
        for references in &self.references {
            kept.put_references(references);
        }
        kept.put_sections(&self.input.file.passthrough);
        kept.into_list()
    }
}

fn set<T: PartialEq>(slot: &mut T, value: T) -> bool {
    let is_changed = *slot != value;
    *slot = value;
    is_changed
}

fn with_constant(node: Node, old: &[LengthTarget]) -> LengthTarget {
    let constant = old.iter().find(|target| target.node == node).and_then(|target| target.constant);
    LengthTarget { node, constant }
}

/// How many fields of a joint differ, each value of its own counted.
fn joint_changes(old: &Joint, new: &Joint) -> usize {
    let rows: BTreeSet<&Row> = old.own.keys().chain(new.own.keys()).collect();
    let values = rows.into_iter().filter(|row| old.own.get(row) != new.own.get(row)).count();
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

fn notes_of(missing: &[Missing]) -> Vec<RowNote> {
    let names = |is_collider: bool| {
        let some = missing.iter().filter(|one| matches!(one, Missing::Collider(_)) == is_collider);
        some.filter_map(Missing::name).map(str::to_owned).collect::<Vec<_>>()
    };
    let (colliders, nodes) = (names(true), names(false));
    let mut notes = Vec::new();
    if !colliders.is_empty() {
        notes.push(RowNote::NoColliders(colliders));
    }
    if !nodes.is_empty() {
        notes.push(RowNote::NoTargets(nodes));
    }
    notes
}

/// What a joint refers to and is not here, sorted into the fields of a row.
fn whole_references(bone: &str, joint: &Joint<ByName>, missing: &[Missing]) -> passthrough::References {
    let is_lost = |name: &str| missing.iter().any(|one| one.name() == Some(name));
    let pivot = joint.pivot.as_ref().map_or("", NodeRef::name);
    let targets = joint.length_targets.iter().map(|target| target.node.name());
    passthrough::References {
        bone: bone.to_owned(),
        pivot: if is_lost(pivot) { pivot.to_owned() } else { String::new() },
        length_targets: targets.filter(|name| is_lost(name)).map(str::to_owned).collect(),
        colliders: joint.colliders.iter().filter(|name| is_lost(name)).cloned().collect(),
    }
}

fn listed_notes(lost: Vec<UnresolvedName>) -> Vec<RowNote> {
    if lost.is_empty() { Vec::new() } else { vec![RowNote::NoListed(lost)] }
}

/// Whether a raised-thigh node of the document is what an entry describes: nodes that share a name need not be those that
/// the name finds.
fn is_described(names: &NameResolver<'_>, old: &HighLeg, entry: &HighLeg<ByName>) -> bool {
    let here = [old.node, old.hip].into_iter().chain(old.legs.iter().flatten().copied());
    let described = [&entry.node, &entry.hip].into_iter().chain(entry.legs.iter().flatten());
    let is_meant = |(name, node): (&NodeRef, Node)| matches!(name, NodeRef::Named(name) if names.may_mean(name, node));
    old.legs.len() == entry.legs.len() && described.zip(here).all(is_meant)
}

/// An entry would move a bone of the file, which stays; a helper on the bone takes its place.
fn would_move(name: &str, parent: Node, placement: &Placement) -> Vec<RowNote> {
    if placement.would_move_bone(parent) { vec![RowNote::WouldMoveBone(name.to_owned())] } else { Vec::new() }
}

/// The node that an entry is about, and how many of its parent and place differ: one of its name, preferably with the
/// same place, else a bare node.
fn existing_node(document: &Document, helper: &Helper<ByName>, parent: Node) -> Option<(HelperId, usize)> {
    let is_pivot = helper.role == HelperRole::Pivot;
    let alike =
        |(_, here): &(&HelperId, &Helper)| here.name == helper.name && (here.role == HelperRole::Pivot) == is_pivot;
    let differences = |here: &Helper| {
        let (above, local) = placement::flattened(document, here);
        usize::from(above != parent && here.parent != parent)
            + usize::from(
                !placement::same_place(&local, &helper.local) && !placement::same_place(&here.local, &helper.local),
            )
    };
    let all: Vec<_> = document.helpers.iter().filter(alike).map(|(id, here)| (*id, here, differences(here))).collect();
    let same = all.iter().find(|(_, _, count)| *count == 0);
    let bare = || all.iter().find(|(_, here, _)| here.role == helper.role && here.role != HelperRole::Plain);
    same.or_else(bare).map(|(id, _, count)| (*id, *count))
}

/// A collider that moves takes its node along where nothing else uses the node.
fn moved(placement: Placement, base: &Document, old: Option<(ColliderId, &Collider)>) -> Placement {
    let Some((id, Collider { node: Node::Helper(helper), .. })) = old else { return placement };
    let mut without = base.clone();
    without.chains.values_mut().flat_map(|c| &mut c.joints).for_each(|j| j.colliders.retain(|c| *c != id));
    without.colliders.remove(&id);
    if without.uses(Node::Helper(*helper)) { placement } else { with_id(placement, *helper, base) }
}

/// The colliders of these names, the first of each kind and name; in the engine's order of shapes where `by_shape`.
pub(super) fn colliders_named(document: &Document, names: &[String], by_shape: bool) -> Vec<ColliderId> {
    let mut found = Vec::new();
    for name in without_doubles(names) {
        let mut kinds = BTreeMap::new();
        for (id, collider) in document.colliders.iter().filter(|(_, c)| c.name == name) {
            kinds.entry(super::view::shape_rank(&collider.shape)).or_insert(*id);
        }
        found.extend(kinds);
    }
    if by_shape {
        found.sort_by_key(|(kind, _)| *kind);
    }
    found.into_iter().map(|(_, id)| id).collect()
}

/// The part of a chain by the name of its root, else by the name of the bone above unless that belongs to the body.
pub(super) fn part_of(skeleton: &Skeleton, root: BoneId) -> Part {
    let verdict = |bone: BoneId| BoneName::read(skeleton.name(bone)).verdict();
    let above = skeleton.parent_of(root).map(verdict).filter(|verdict| !verdict.body);
    let mut verdicts = [verdict(root)].into_iter().chain(above);
    verdicts.find_map(|verdict| verdict.part).map_or_else(Part::default, |(part, _)| part)
}

/// New chains, one for each bone whose parent is no new joint, and for each of `roots`.
pub(super) fn push_new_chains(
    skeleton: &Skeleton,
    fresh: BTreeMap<BoneId, Joint>,
    roots: &BTreeSet<BoneId>,
    system: SystemId,
    after: &mut Document,
) {
    let mut root_of = BTreeMap::new();
    let mut chains: BTreeMap<BoneId, Vec<Joint>> = BTreeMap::new();
    for (bone, joint) in fresh {
        let parent = skeleton.parent_of(bone).filter(|_| !roots.contains(&bone));
        let root = parent.and_then(|parent| root_of.get(&parent).copied()).unwrap_or(bone);
        root_of.insert(bone, root);
        chains.entry(root).or_default().push(joint);
    }
    for joints in chains.into_values() {
        put_chain(skeleton, joints, system, after);
    }
}

fn put_chain(skeleton: &Skeleton, joints: Vec<Joint>, system: SystemId, after: &mut Document) {
    let Some(root) = joints.first().map(|joint| joint.bone) else { return };
    let table = after.systems.get(&system).map_or_else(|| after.main().table(), System::table);
    let chain = Chain::new(skeleton.name(root), part_of(skeleton, root), table, joints);
    let id = after.fresh_chain();
    after.chains.insert(id, Chain { system, ..chain });
}

/// Joints whose own value is what the chain says follow the chain.
fn follow(chain: &mut Chain, places: &[f32], row: Row, is_toggle: bool) {
    for (at, place) in places.iter().copied().enumerate() {
        let shared = chain.shared(row, place);
        let own = &mut chain.joints[at].own;
        // A file may have been written with seven digits; of toggles it only says whether they are on.
        let is_same = |own: &f32| {
            if is_toggle { (*own != 0.0) == (shared != 0.0) } else { (own - shared).abs() <= 1e-6 * shared.abs() }
        };
        if own.get(&row).is_some_and(is_same) {
            own.remove(&row);
        }
    }
}
