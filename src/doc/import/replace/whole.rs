//! Replacing a setup of any number of systems: what belongs to the whole character, and one system after the other.

use super::super::extras::Writer;
use super::super::leads::Finder;
use super::super::names::Names;
use super::super::nodes::{high_leg, put_high_leg, put_nulls};
use super::super::place::{self, Placement, says_the_same};
use super::super::setup::named;
use super::super::verify::renderer;
use super::super::{Missing, kept, lists};
use super::build::Build;
use super::{Piece, ReplaceNote, ReplacePlan, taken};
use crate::doc::table::{
    ColliderCells, ColliderRow, Extra, ExtraRow, Layout, Section, collider_text, component_text, extra_text, null_text,
    pivot_text,
};
use crate::doc::{
    Chain, ChainId, Collider, ColliderId, Document, GroupId, HelperRole, KeptRow, MaterialId, Node, Setup, System,
    SystemId, components,
};
use crate::rig::{BoneId, Pose, Skeleton, WorldPose};
use crate::sim::SolverKind;
use std::collections::{BTreeMap, BTreeSet};

/// A document on its way to what a file says.
pub(super) struct Whole<'a> {
    plan: &'a ReplacePlan,
    skeleton: &'a Skeleton,
    /// The bones that each table names as joints.
    named: Vec<BTreeSet<BoneId>>,
    /// The system that each table takes the place of.
    targets: Vec<SystemId>,
    /// Colliders that chains and components of solvers name which the file does not speak of.
    others: BTreeSet<ColliderId>,
    /// Colliders that the file describes.
    described: BTreeSet<ColliderId>,
    /// Cells of comment rows that find nothing.
    strangers: Vec<(SolverKind, Vec<String>)>,
    after: Document,
    notes: Vec<ReplaceNote>,
}

/// What came of it.
pub(super) struct Built {
    pub(super) after: Document,
    /// Colliders that stay for others alone, as they are.
    pub(super) aside: BTreeSet<ColliderId>,
    pub(super) notes: Vec<ReplaceNote>,
}

impl<'a> Whole<'a> {
    /// All steps, in the engine's order.
    pub(super) fn build(plan: &'a ReplacePlan, document: &Document, skeleton: &'a Skeleton) -> Built {
        let finder = Finder::exact(skeleton);
        let mut whole = Self {
            plan,
            skeleton,
            named: plan.pieces.iter().map(|piece| named(&piece.table, finder)).collect(),
            targets: Vec::new(),
            others: of_others(document, &plan.solvers()),
            described: BTreeSet::new(),
            strangers: Vec::new(),
            after: document.clone(),
            notes: Vec::new(),
        };
        whole.gather();
        whole.take_down();
        if plan.pieces.iter().any(|piece| plan.takes_colliders(piece)) {
            whole.colliders();
        }
        for at in 0..plan.pieces.len() {
            whole.system(at);
        }
        whole.forget(document);
        whole.after.kept = whole.kept(document);
        let aside = whole.others.difference(&whole.described).copied();
        let aside = aside.filter(|id| whole.after.colliders.contains_key(id)).collect();
        Built { after: whole.after, aside, notes: whole.notes }
    }

    /// Finds the system of each table, and brings chains under it that have a bone which it names.
    fn gather(&mut self) {
        let settled: BTreeSet<SystemId> = self.plan.pieces.iter().filter_map(|piece| piece.into).collect();
        for piece in &self.plan.pieces {
            let (solver, systems) = (piece.table.solver, &self.after.systems);
            let fits = |id: &SystemId| systems.get(id).is_some_and(|system| system.solver == solver);
            let free = |id: &&SystemId| fits(id) && !settled.contains(id) && !self.targets.contains(id);
            let found = piece.into.filter(fits).or_else(|| systems.keys().find(free).copied());
            let target = found.unwrap_or_else(|| self.after.fresh_system());
            self.after.systems.entry(target).or_insert_with(|| System::under(solver));
            self.targets.push(target);
        }
        let targets: BTreeMap<SystemId, System> =
            self.targets.iter().map(|id| (*id, self.after.systems[id].clone())).collect();
        for at in 0..self.targets.len() {
            if !self.takes_bones(at) {
                continue;
            }
            let bones = &self.named[at];
            let has = |chain: &Chain| chain.joints.iter().any(|joint| bones.contains(&joint.bone));
            let chains: BTreeSet<ChainId> =
                self.after.chains.iter().filter(|(_, chain)| has(chain)).map(|(id, _)| *id).collect();
            if let Some(edit) = components::join(&self.after, &chains, self.targets[at]) {
                // It was made for this very document.
                _ = self.after.apply(edit);
                for (id, system) in &targets {
                    self.after.systems.entry(*id).or_insert_with(|| system.clone());
                }
            }
        }
    }

    fn takes_bones(&self, at: usize) -> bool {
        self.plan.takes_bones(&self.plan.pieces[at])
    }

    fn is_spoken(&self, chain: &Chain) -> bool {
        self.plan.solvers().contains(&self.after.solver_of(chain))
    }

    /// Systems that the file lacks go, and what chains have beyond their joints.
    fn take_down(&mut self) {
        let solvers: BTreeSet<SolverKind> =
            self.plan.pieces.iter().filter(|piece| self.plan.takes_bones(piece)).map(|p| p.table.solver).collect();
        let stays = |id: &SystemId, system: &System| self.targets.contains(id) || !solvers.contains(&system.solver);
        let gone: BTreeSet<SystemId> =
            self.after.systems.iter().filter(|(id, system)| !stays(id, system)).map(|(id, _)| *id).collect();
        if !gone.is_empty() {
            self.notes.push(ReplaceNote::RemovesSystems(gone.len()));
        }
        self.after.chains.retain(|_, chain| !gone.contains(&chain.system));
        self.after.systems.retain(|id, _| !gone.contains(id));
        let taken: BTreeSet<SystemId> =
            self.targets.iter().enumerate().filter(|(at, _)| self.takes_bones(*at)).map(|(_, id)| *id).collect();
        for chain in self.after.chains.values_mut().filter(|chain| taken.contains(&chain.system)) {
            (chain.center, chain.material) = (None, None);
            chain.groups.clear();
        }
    }

    /// Colliders, bare nodes and components of all tables.
    fn colliders(&mut self) {
        let (plan, axis) = (self.plan, self.plan.options.mirror);
        let pieces: Vec<&'a Piece> = plan.pieces.iter().filter(|piece| plan.takes_colliders(piece)).collect();
        let spoken: BTreeSet<ChainId> =
            self.after.chains.iter().filter(|(_, chain)| self.is_spoken(chain)).map(|(id, _)| *id).collect();
        for (_, chain) in self.after.chains.iter_mut().filter(|(id, _)| spoken.contains(id)) {
            chain.groups.clear();
            chain.joints.iter_mut().for_each(|joint| joint.colliders.clear());
        }
        for piece in &pieces {
            let nulls = taken(piece, Section::Nulls, &piece.table.nulls);
            let nulls = nulls.into_iter().map(|(row, cells)| (row.name.as_str(), cells)).collect();
            put_nulls(&mut self.after, self.skeleton, axis, nulls, |name, names| names.find(name));
        }
        self.describe(&pieces);
        let Setup { groups, colliders, systems, .. } = &mut self.after.setup;
        for group in groups.values_mut() {
            group.colliders.retain(|id| colliders.contains_key(id));
        }
        for system in systems.values_mut() {
            system.extras.keep_colliders(|id| colliders.contains_key(&id));
        }
        let base = self.after.clone();
        let names = Names::of(&base, self.skeleton);
        for piece in pieces {
            for (row, cells) in taken(piece, Section::Components, &piece.table.components) {
                if let Some(new) = high_leg(&row.name, cells, |name| names.find(name)) {
                    put_high_leg(&mut self.after, new);
                }
            }
        }
    }

    /// Puts the colliders of all tables in place of those that are there; of one name the first counts.
    fn describe(&mut self, pieces: &[&'a Piece]) {
        let mut next = self.after.fresh_collider().0;
        let old = std::mem::take(&mut self.after.colliders);
        let mut ids = BTreeMap::new();
        for others in [true, false] {
            let some = old.iter().rev().filter(|(id, _)| self.others.contains(id) == others);
            ids.extend(some.map(|(id, collider)| (collider.name.clone(), *id)));
        }
        self.after.colliders = old.into_iter().filter(|(id, _)| self.others.contains(id)).collect();
        let base = self.after.clone();
        let names = Names::of(&base, self.skeleton);
        let mut said: BTreeMap<&str, &ColliderCells> = BTreeMap::new();
        for piece in pieces {
            for (row, cells) in taken(piece, Section::Colliders, &piece.table.colliders) {
                let Some(parent) = names.find(&cells.node.parent) else { continue };
                if let Some(first) = said.get(row.name.as_str()) {
                    if *first != cells {
                        self.notes.push(ReplaceNote::ColliderTwice(row.line, row.name.clone()));
                    }
                    continue;
                }
                said.insert(&row.name, cells);
                let id = ids.remove(row.name.as_str()).unwrap_or_else(|| {
                    next += 1;
                    ColliderId(next - 1)
                });
                self.described.insert(id);
                self.put(&base, &names, (row, cells, parent), id);
            }
        }
    }

    /// A collider where its row says; one that others have is not touched where it stands so.
    fn put(
        &mut self,
        base: &Document,
        names: &Names<'_>,
        (row, cells, parent): (&ColliderRow, &ColliderCells, Node),
        id: ColliderId,
    ) {
        let options = &self.plan.options;
        let renderer = renderer(&options.renderers, &cells.renderer);
        let renderer = renderer.filter(|_| !cells.renderer.is_empty()).cloned();
        if let Some(collider) = self.after.colliders.get(&id)
            && let Some(written) = place::written_collider(base, self.skeleton, names, collider, options.mirror)
            && says_the_same(&written.node, &cells.node)
            && (collider.shape, &collider.renderer) == (cells.shape, &renderer)
        {
            return;
        }
        let local = place::local_of(&cells.node, options.mirror, Some(&cells.shape));
        let at = (row.name.as_str(), parent);
        let placement = Placement::of(names, base, self.skeleton, at, local, HelperRole::Plain);
        if matches!(&placement, Placement::Helper(_, helper) if helper.parent != parent) {
            self.notes.push(ReplaceNote::WouldMoveBone(row.line, row.name.clone()));
        }
        let node = placement.put(&mut self.after);
        self.after.colliders.insert(id, Collider { renderer, ..Collider::new(row.name.clone(), node, cells.shape) });
    }

    /// One system anew, then its comment rows.
    fn system(&mut self, at: usize) {
        let piece = &self.plan.pieces[at];
        let later = self.named[at + 1..].iter().flatten().copied().collect();
        let part = self.after.only_system(self.targets[at]).into_owned();
        let mut build = Build {
            piece,
            options: &self.plan.options,
            skeleton: self.skeleton,
            rest: WorldPose::of(self.skeleton, &Pose::rest(self.skeleton)),
            later: &later,
            meant: &self.described,
            after: part.clone(),
            notes: Vec::new(),
        };
        if self.takes_bones(at) {
            build.bones();
        }
        let extras = build.extras();
        let (mut after, notes) = (build.after, build.notes);
        let finder = Finder::exact(self.skeleton);
        let others = self.after.chains.values().filter(|chain| !self.is_spoken(chain));
        let groups = others.flat_map(|chain| &chain.groups).copied().collect();
        let mut writer = Writer::new(finder, self.plan.options.mirror).beside(groups);
        let went = writer.put_all(&mut after, extras);
        self.notes.extend(notes);
        for row in extras {
            let Ok(Extra::Lists(cells)) = &row.cells else { continue };
            let (_, lost) = lists::found(cells, &after, finder, self.plan.options.mirror);
            if !lost.is_empty() {
                let names = lost.into_iter().map(|one| one.name).collect();
                self.notes.push(ReplaceNote::NoListed(row.line, names));
            }
        }
        let mut missing: Vec<Missing> = Vec::new();
        for (row, went) in extras.iter().zip(went) {
            let lost = went.and_then(Result::err);
            if lost.is_some() || row.cells.is_err() {
                self.strangers.push((piece.table.solver, kept::text(row, extra_text)));
            }
            missing.extend(lost);
        }
        if let Some(first) = missing.first() {
            self.notes.push(ReplaceNote::LostComments(missing.len(), first.clone()));
        }
        self.after = self.after.rejoin(&part, after);
    }

    /// Groups and materials that chains had which the file speaks of, that no chain has any more and no row describes.
    fn forget(&mut self, before: &Document) {
        let solvers = self.plan.solvers();
        let spoken = || before.chains.values().filter(|chain| solvers.contains(&before.solver_of(chain)));
        let rows = self.plan.pieces.iter().filter(|_| self.plan.options.extras).flat_map(|piece| &piece.table.extras);
        let name = |row: &'a ExtraRow| match &row.cells {
            Ok(Extra::Group { name, .. }) => Some(name.as_str()),
            _ => None,
        };
        let described: BTreeSet<&str> = rows.filter_map(name).collect();
        let groups: BTreeSet<GroupId> = spoken().flat_map(|chain| &chain.groups).copied().collect();
        let materials: BTreeSet<MaterialId> = spoken().filter_map(|chain| chain.material).collect();
        let Setup { chains, groups: all, materials: shared, .. } = &mut self.after.setup;
        all.retain(|id, group| {
            let is_used = || chains.values().any(|chain| chain.groups.contains(id));
            !groups.contains(id) || described.contains(group.name.as_str()) || is_used()
        });
        shared.retain(|id, _| !materials.contains(id) || chains.values().any(|chain| chain.material == Some(*id)));
    }

    /// Rows that find nothing here are kept for an export, as long as they say something; those of other solvers stay.
    fn kept(&self, before: &Document) -> Vec<KeptRow> {
        let start = kept::of_other_solvers(before, self.skeleton, &self.plan.solvers());
        let rows = self.plan.pieces.iter().flat_map(|piece| {
            let solver = piece.table.solver;
            lost_rows(piece, self.skeleton)
                .into_iter()
                .map(move |(section, name, cells)| (solver, section, name, cells))
        });
        let strangers = self.strangers.iter().cloned();
        let strangers = strangers.map(|(solver, cells)| (solver, Section::Extras, String::new(), cells));
        kept::of_tables(&start, rows.chain(strangers))
    }
}

/// Colliders that are named by chains or components of other solvers than these.
fn of_others(document: &Document, solvers: &BTreeSet<SolverKind>) -> BTreeSet<ColliderId> {
    let mut found = BTreeSet::new();
    for chain in document.chains.values().filter(|chain| !solvers.contains(&document.solver_of(chain))) {
        found.extend(chain.joints.iter().flat_map(|joint| document.colliders_of(chain, joint)));
    }
    for system in document.systems.values().filter(|system| !solvers.contains(&system.solver)) {
        found.extend(system.extras.colliders());
    }
    found
}

/// Rows of a table that find nothing, with their section and name.
fn lost_rows(piece: &Piece, skeleton: &Skeleton) -> Vec<(Section, String, Vec<String>)> {
    let table = &piece.table;
    let layout = Layout::of(table.solver);
    let mut rows = Vec::new();
    for row in table.bones.iter().filter(|r| skeleton.find(&r.name).is_none()) {
        rows.push((Section::Bones, row.name.clone(), kept::text(row, |c| layout.bone_text(c, None))));
    }
    for (_, row) in table.pivots.iter().enumerate().filter(|(at, _)| piece.refuses(Section::Pivots, *at)) {
        rows.push((Section::Pivots, row.name.clone(), kept::text(row, |c| pivot_text(c, None))));
    }
    for (_, row) in table.colliders.iter().enumerate().filter(|(at, _)| piece.refuses(Section::Colliders, *at)) {
        rows.push((Section::Colliders, row.name.clone(), kept::text(row, |c| collider_text(c, None))));
    }
    for (_, row) in table.nulls.iter().enumerate().filter(|(at, _)| piece.refuses(Section::Nulls, *at)) {
        rows.push((Section::Nulls, row.name.clone(), kept::text(row, |c| null_text(c, None))));
    }
    for row in table.components.iter().filter(|r| r.cells.is_err()) {
        rows.push((Section::Components, row.name.clone(), kept::text(row, component_text)));
    }
    rows
}
