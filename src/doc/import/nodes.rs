//! Rows of bare nodes, colliders, components and pivots: what they would do, and doing it.

use super::apply::FoundPivot;
use super::names::Names;
use super::place::{self, Placement, says_the_same};
use super::{ImportPlan, PlanRow, RowNote, RowState, View};
use crate::doc::pivot::Axis;
use crate::doc::table::{ColliderCells, HighLegCells, NodeCells, Section, TableRow};
use crate::doc::{Collider, ColliderId, Document, Helper, HelperId, HelperRole, HighLeg, Node, bone_under};
use crate::rig::{BoneId, Skeleton};
use std::collections::{BTreeMap, BTreeSet};

impl ImportPlan {
    pub(super) fn plan_nodes(&mut self, view: &View<'_>) {
        let nulls: BTreeSet<&str> = self.table.nulls.iter().filter(|r| r.cells.is_ok()).map(|r| &*r.name).collect();
        let here = |name: &str| self.node_named(name, view).is_some();
        let parent = |name: &str| if here(name) || nulls.contains(name) { None } else { Some(name.to_owned()) };
        let nodes = planned(&self.table.nulls, |row, cells: &NodeCells| {
            if let Some(lost) = parent(&cells.parent).or_else(|| (cells.parent == row.name).then(|| row.name.clone())) {
                return RowState::NoNode(lost);
            }
            let old = existing_null(view.document, &view.names, (&row.name, cells), self.mirror);
            match old.map(|(_, written)| written) {
                Some(old) => node_changes(&old, cells),
                None => RowState::New { notes: self.would_move(&row.name, cells, view) },
            }
        });
        let colliders = if self.table.has_collider_rules() { self.table.colliders.as_slice() } else { &[] };
        let colliders = planned(colliders, |row, cells: &ColliderCells| {
            if let Some(lost) = parent(&cells.node.parent) {
                return RowState::NoNode(lost);
            }
            let at = (view.document, view.skeleton, &view.names);
            let old = existing(at, &row.name, cells, self.mirror).map(|(_, collider)| collider);
            match old.and_then(|c| self.written(c, view)) {
                Some(old) => match node_changes(&old.node, &cells.node) {
                    RowState::Matches { changes, stiffness, notes } => {
                        let more = usize::from(old.shape != cells.shape) + usize::from(old.renderer != cells.renderer);
                        RowState::Matches { changes: changes + more, stiffness, notes }
                    }
                    other => other,
                },
                None => RowState::New { notes: self.would_move(&row.name, &cells.node, view) },
            }
        });
        let components = planned(&self.table.components, |row, cells: &HighLegCells| {
            if let Some(lost) = parent(&row.name) {
                return if lost.is_empty() { RowState::NoBone } else { RowState::NoNode(lost) };
            }
            let mut named = cells.legs.iter().flatten().chain([&cells.hip]);
            if let Some(lost) = named.find_map(|name| parent(name)) {
                return RowState::NoNode(lost);
            }
            if is_written(view.document, &view.names, &row.name, cells) {
                return RowState::Matches { changes: 0, stiffness: None, notes: Vec::new() };
            }
            let node = self.node_named(&row.name, view);
            match view.document.high_legs.values().find(|h| Some(h.node) == node) {
                Some(old) => {
                    let new = self.high_leg(&row.name, cells, &view.names, view.skeleton);
                    let changes = usize::from(new.as_ref() != Some(old));
                    RowState::Matches { changes, stiffness: None, notes: Vec::new() }
                }
                None => RowState::New { notes: Vec::new() },
            }
        });
        let on = |name: Option<&String>| {
            name.and_then(|n| self.node_named(n, view)).and_then(|n| bone_under(view.document, n))
        };
        let mut rows = [nodes, colliders, components];
        for (at, row) in rows[0].iter_mut().enumerate() {
            row.target = on(self.table.nulls[at].cells.as_ref().ok().map(|c| &c.parent));
        }
        for (at, row) in rows[1].iter_mut().enumerate() {
            row.target = on(self.table.colliders[at].cells.as_ref().ok().map(|c| &c.node.parent));
        }
        for (at, row) in rows[2].iter_mut().enumerate() {
            row.target = on(Some(&self.table.components[at].name));
        }
        let [nulls, colliders, components] = rows;
        self.rows[Section::Nulls as usize] = nulls;
        self.rows[Section::Colliders as usize] = colliders;
        self.rows[Section::Components as usize] = components;
    }

    /// Which of the described pivots rows of bones that are here ask for.
    pub(super) fn plan_pivots(&mut self, view: &View<'_>) {
        let asks: BTreeMap<&str, (BoneId, &crate::doc::table::BoneCells)> = self
            .table
            .bones
            .iter()
            .zip(self.rows())
            .filter(|(_, planned)| planned.state.is_usable())
            .filter_map(|(row, planned)| {
                let cells = row.cells.as_ref().ok()?;
                Some((cells.pivot.as_str(), (planned.target?, cells)))
            })
            .collect();
        let rows = planned(&self.table.pivots, |row, cells| {
            if self.node_named(&cells.parent, view).is_none() {
                return RowState::NoNode(cells.parent.clone());
            }
            let Some((bone, asking)) = asks.get(row.name.as_str()) else { return RowState::Unused };
            let found = self.find_pivot(asking, *bone, view);
            if matches!(found, FoundPivot::Described(None, _)) {
                return RowState::New { notes: Vec::new() };
            }
            let changes = usize::from(found.turns(view.document));
            RowState::Matches { changes, stiffness: None, notes: Vec::new() }
        });
        self.rows[Section::Pivots as usize] = rows;
        for at in 0..self.table.pivots.len() {
            let parent = self.table.pivots[at].cells.as_ref().ok().and_then(|c| self.node_named(&c.parent, view));
            self.rows[Section::Pivots as usize][at].target = parent.and_then(|node| bone_under(view.document, node));
        }
    }

    fn written(&self, collider: &Collider, view: &View<'_>) -> Option<ColliderCells> {
        place::written_collider(view.document, view.skeleton, &view.names, collider, self.mirror)
    }

    fn would_move(&self, name: &str, cells: &NodeCells, view: &View<'_>) -> Vec<RowNote> {
        let Some(parent) = self.node_named(&cells.parent, view) else { return Vec::new() };
        let local = place::local_of(cells, self.mirror, None);
        let at = (name, parent);
        match Placement::of(&view.names, view.document, view.skeleton, at, local, HelperRole::Plain) {
            Placement::Helper(_, helper) if helper.parent != parent => vec![RowNote::WouldMoveBone(name.to_owned())],
            _ => Vec::new(),
        }
    }

    /// The node of a name: where the lead goes, else the one of exactly that name.
    pub(super) fn named_in(&self, name: &str, names: &Names<'_>, skeleton: &Skeleton) -> Option<Node> {
        self.finder(skeleton).node(name, names)
    }

    /// Ticked bare nodes; those that hang on others of the file follow them.
    pub(super) fn put_nulls(&self, after: &mut Document, skeleton: &Skeleton) {
        let rows = self.table.nulls.iter().enumerate().filter(|(at, _)| self.is_ticked(Section::Nulls, *at));
        let rows = rows.filter_map(|(_, row)| Some((row.name.as_str(), row.cells.as_ref().ok()?)));
        put_nulls(after, skeleton, self.mirror, rows.collect(), |name, names| self.named_in(name, names, skeleton));
    }

    pub(super) fn put_colliders(&self, after: &mut Document, skeleton: &Skeleton) {
        let base = after.clone();
        let names = Names::of(&base, skeleton);
        for (at, row) in self.table.colliders.iter().enumerate() {
            let (Ok(cells), true) = (&row.cells, self.is_ticked(Section::Colliders, at)) else { continue };
            let Some(parent) = self.named_in(&cells.node.parent, &names, skeleton) else { continue };
            let old = existing((&base, skeleton, &names), &row.name, cells, self.mirror);
            let stays = old.and_then(|(_, c)| {
                let written = place::written_collider(&base, skeleton, &names, c, self.mirror)?;
                says_the_same(&written.node, &cells.node).then_some(c.node)
            });
            let node = stays.unwrap_or_else(|| {
                let local = place::local_of(&cells.node, self.mirror, Some(&cells.shape));
                let at = (row.name.as_str(), parent);
                let placement = Placement::of(&names, &base, skeleton, at, local, HelperRole::Plain);
                moved(placement, &base, old).put(after)
            });
            let id = old.map_or_else(|| after.fresh_collider(), |(id, _)| id);
            let enabled = old.is_none_or(|(_, c)| c.enabled);
            let renderer = Some(cells.renderer.clone()).filter(|r| !r.is_empty());
            let (name, shape) = (row.name.clone(), cells.shape);
            after.colliders.insert(id, Collider { enabled, renderer, ..Collider::new(name, node, shape) });
        }
    }

    pub(super) fn put_components(&self, after: &mut Document, skeleton: &Skeleton) {
        let base = after.clone();
        let names = Names::of(&base, skeleton);
        for (at, row) in self.table.components.iter().enumerate() {
            let (Ok(cells), true) = (&row.cells, self.is_ticked(Section::Components, at)) else { continue };
            if let Some(new) = self.high_leg(&row.name, cells, &names, skeleton)
                && !is_written(&base, &names, &row.name, cells)
            {
                put_high_leg(after, new);
            }
        }
    }

    fn high_leg(&self, name: &str, cells: &HighLegCells, names: &Names<'_>, skeleton: &Skeleton) -> Option<HighLeg> {
        high_leg(name, cells, |name| self.named_in(name, names, skeleton))
    }
}

/// What a row would change of a node that is written already.
fn node_changes(old: &NodeCells, new: &NodeCells) -> RowState {
    let same = |cells: &NodeCells| NodeCells { parent: String::new(), ..cells.clone() };
    let parent = usize::from(old.parent != new.parent);
    let changes = parent + usize::from(!says_the_same(&same(old), &same(new)));
    RowState::Matches { changes, stiffness: None, notes: Vec::new() }
}

/// A component with its nodes; `None` where one of them is missing.
pub(super) fn high_leg(name: &str, cells: &HighLegCells, find: impl Fn(&str) -> Option<Node>) -> Option<HighLeg> {
    let leg = |[from, to]: &[String; 2]| Some([find(from)?, find(to)?]);
    let legs = cells.legs.iter().map(leg).collect::<Option<_>>()?;
    Some(HighLeg { node: find(name)?, hip: find(&cells.hip)?, legs })
}

/// Whether a component of these names is here.
fn is_written(document: &Document, names: &Names<'_>, name: &str, cells: &HighLegCells) -> bool {
    let same = |h: &&HighLeg| names.name(h.node) == Some(name);
    document.high_legs.values().filter(same).any(|h| place::written_high_leg(names, h).as_ref() == Some(cells))
}

/// The new one takes the place of the old one on its node.
pub(super) fn put_high_leg(after: &mut Document, new: HighLeg) {
    let old = after.high_legs.iter().find(|(_, h)| h.node == new.node).map(|(id, _)| *id);
    let id = old.unwrap_or_else(|| after.fresh_high_leg());
    after.high_legs.insert(id, new);
}

/// Bare nodes by name and cells, those that hang on others of them after these.
pub(super) fn put_nulls(
    after: &mut Document,
    skeleton: &Skeleton,
    axis: Axis,
    mut waiting: Vec<(&str, &NodeCells)>,
    find: impl Fn(&str, &Names<'_>) -> Option<Node>,
) {
    while !waiting.is_empty() {
        let count = waiting.len();
        let base = after.clone();
        let names = Names::of(&base, skeleton);
        waiting.retain(|(name, cells)| {
            let Some(parent) = find(&cells.parent, &names) else { return true };
            let local = place::local_of(cells, axis, None);
            let placement = Placement::of(&names, &base, skeleton, (name, parent), local, HelperRole::Null);
            let placement = match existing_null(&base, &names, (name, cells), axis) {
                Some((_, written)) if says_the_same(&written, cells) => return false,
                Some((id, _)) => with_id(placement, id, &base),
                None => placement,
            };
            placement.put(after);
            false
        });
        if waiting.len() == count {
            break;
        }
    }
}

/// A new helper takes the place of one that is there, unless it would hang on itself.
fn with_id(placement: Placement, id: HelperId, base: &Document) -> Placement {
    match placement {
        Placement::Helper(None, helper) if !hangs_on(base, helper.parent, id) => Placement::Helper(Some(id), helper),
        other => other,
    }
}

fn hangs_on(document: &Document, node: Node, id: HelperId) -> bool {
    let above = |node: &Node| match node {
        Node::Helper(id) => document.helpers.get(id).map(|h| h.parent),
        Node::Bone(_) => None,
    };
    std::iter::successors(Some(node), above).take(document.helpers.len() + 1).any(|node| node == Node::Helper(id))
}

/// A collider that moves takes its node along, where nothing else is on it.
fn moved(placement: Placement, base: &Document, old: Option<(ColliderId, &Collider)>) -> Placement {
    let Some((id, Collider { node: Node::Helper(helper), .. })) = old else { return placement };
    let mut without = base.clone();
    without.chains.values_mut().flat_map(|c| &mut c.joints).for_each(|j| j.colliders.retain(|c| *c != id));
    without.colliders.remove(&id);
    if without.uses(Node::Helper(*helper)) { placement } else { with_id(placement, *helper, base) }
}

/// The collider that a row is about: of its name, rather where and as the row says, rather of its shape.
fn existing<'a>(
    (document, skeleton, names): (&'a Document, &Skeleton, &Names<'_>),
    name: &str,
    cells: &ColliderCells,
    axis: Axis,
) -> Option<(ColliderId, &'a Collider)> {
    let kind = |c: &Collider| c.shape.is_like(&cells.shape);
    let written = |c: &Collider| place::written_collider(document, skeleton, names, c, axis);
    let same = |c: &Collider| c.shape == cells.shape && written(c).is_some_and(|w| says_the_same(&w.node, &cells.node));
    let named = || document.colliders.iter().filter(|(_, c)| c.name == name).map(|(id, c)| (*id, c));
    named().find(|(_, c)| same(c)).or_else(|| named().find(|(_, c)| kind(c))).or_else(|| named().next())
}

/// The bare node that a row is about, and how it is written: of its name, rather where the row says.
fn existing_null(
    document: &Document,
    names: &Names<'_>,
    (name, cells): (&str, &NodeCells),
    axis: Axis,
) -> Option<(HelperId, NodeCells)> {
    let bare = |(id, h): (&HelperId, &Helper)| {
        if h.name != name || h.role == HelperRole::Pivot {
            return None;
        }
        let written = place::written_null(document, names, h, axis)?;
        Some((*id, h.role, written))
    };
    let all: Vec<_> = document.helpers.iter().filter_map(bare).collect();
    let same = all.iter().find(|(_, _, written)| says_the_same(written, cells));
    let null = || all.iter().find(|(_, role, _)| *role == HelperRole::Null);
    same.or_else(null).map(|(id, _, written)| (*id, written.clone()))
}

/// One planned row for each of a section; of equal names the first counts.
fn planned<T>(rows: &[TableRow<T>], state: impl Fn(&TableRow<T>, &T) -> RowState) -> Vec<PlanRow> {
    let mut first: BTreeMap<&str, u64> = BTreeMap::new();
    rows.iter()
        .map(|row| {
            let state = match &row.cells {
                Err(bad) => RowState::BadCells(bad.problems.clone()),
                Ok(_) if first.contains_key(row.name.as_str()) => RowState::Repeated(first[row.name.as_str()]),
                Ok(cells) => {
                    first.insert(&row.name, row.line);
                    state(row, cells)
                }
            };
            PlanRow::new(row, None, state)
        })
        .collect()
}
