//! A table by bone name into a document, and out again.
//!
//! There are two ways in. [`ImportPlan`] merges: every row, what it would change, what cannot be used and why; what
//! the file says nothing about stays. [`ReplacePlan`] does as the engine's own window does: everything that is there
//! is taken down and built anew from the file. Nothing changes until a plan's edit is applied, in one step.
//! [`verify()`] finds the rows that the engine would refuse, and [`export()`] is the way back. What a table says of
//! things that this character lacks travels through [`KeptRow`](super::KeptRow)s, so that an export gives it back.

mod apply;
mod export;
mod extras;
mod ghosts;
mod groups;
mod kept;
mod leads;
mod lists;
mod loss;
mod materials;
mod names;
mod nodes;
mod place;
mod replace;
mod rows;
mod setup;
mod trees;
mod verify;
mod view;

pub use export::{Exported, export, export_systems};
pub use ghosts::{Ghost, GhostPivot, GhostShape, Sits, Skin, better};
pub use leads::spoken;
pub use lists::Unfound;
pub use loss::ExportLoss;
pub use replace::{ReplaceCounts, ReplaceNote, ReplaceOptions, ReplacePlan};
pub use rows::{Counts, Missing, PlanRow, RowNote, RowState, Stranger};
pub use setup::SetupPlan;
pub use verify::{ErrorKind, RowError, Wanted, renderer_names, verify};

use super::pivot::Axis;
use super::remap::Leads;
use super::table::{BoneCells, BoneTable, Section, TableFormat, has_pivots};
use super::{Document, Node};
use crate::report::{Diagnostic, Place};
use crate::rig::{BoneId, Skeleton};
use crate::schema::{Idea, Row};
use leads::Finder;
use std::collections::{BTreeMap, BTreeSet};
use view::{View, carried, mirrored, shape_rank, without_doubles};

/// An import that has not happened yet.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportPlan {
    table: BoneTable,
    diagnostics: Vec<Diagnostic>,
    mirror: Axis,
    leads: Leads,
    /// Bones of rows that came of trees, row by row; empty where rows stand in the file.
    grown: Vec<Option<BoneId>>,
    /// First row of each name among the table's pivots.
    pivots: BTreeMap<String, usize>,
    /// By the position of their section.
    rows: [Vec<PlanRow>; Section::ALL.len()],
    not_in_file: usize,
}

/// A table without what only makes sense under another solver than the document's.
fn of_solver(table: BoneTable, mut diagnostics: Vec<Diagnostic>, document: &Document) -> (BoneTable, Vec<Diagnostic>) {
    if table.solver == document.main().solver {
        return (table, diagnostics);
    }
    let (theirs, ours) = (table.solver.key(), document.main().solver.key());
    let message = format!("the table is for {theirs}, the character is under {ours}; its bones are not taken");
    diagnostics.push(Diagnostic::error(Place::default(), message));
    let (bones, trees, pivots, extras) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    (BoneTable { trees, bones, pivots, extras, ..table }, diagnostics)
}

impl ImportPlan {
    /// Compares a table with what is there, under the table's solver: [`convert`](super::convert::convert) puts a document
    /// under it, and one under another takes no rows of bones and says so. Names in `leads` go where these say, in rows of every section, others
    /// to the bone of exactly that name; `diagnostics` are those of reading.
    pub fn new(
        table: BoneTable,
        diagnostics: Vec<Diagnostic>,
        document: &Document,
        skeleton: &Skeleton,
        mirror: Axis,
        leads: &Leads,
    ) -> Self {
        let document = &*document.only(table.solver);
        let (table, diagnostics) = of_solver(table, diagnostics, document);
        let mut plan = Self {
            table,
            diagnostics,
            mirror,
            leads: leads.clone(),
            grown: Vec::new(),
            pivots: BTreeMap::new(),
            rows: <[Vec<PlanRow>; Section::ALL.len()]>::default(),
            not_in_file: 0,
        };
        let mut table = std::mem::take(&mut plan.table);
        plan.grown = trees::grow(&mut table, skeleton, |name| plan.finder(skeleton).bone(name));
        plan.table = table;
        for (at, pivot) in plan.table.pivots.iter().enumerate() {
            plan.pivots.entry(pivot.name.clone()).or_insert(at);
        }
        let view = View::new(document, skeleton);
        plan.plan_nodes(&view);
        plan.rows[Section::Bones as usize] = (0..plan.table.bones.len()).map(|at| plan.plan_row(at, &view)).collect();
        plan.mark_repeated();
        plan.plan_pivots(&view);
        plan.plan_extras(&view);
        let targets: BTreeSet<_> = plan.rows().iter().filter_map(|r| r.target).collect();
        let joints = document.chains.values().flat_map(|c| &c.joints);
        plan.not_in_file = joints.filter(|j| !targets.contains(&j.bone)).count();
        plan
    }

    /// Bone rows in file order.
    pub fn rows(&self) -> &[PlanRow] {
        self.rows_of(Section::Bones)
    }

    /// Rows of one section in file order, one for each of the table's.
    pub fn rows_of(&self, section: Section) -> &[PlanRow] {
        &self.rows[section as usize]
    }

    /// The table that is imported.
    pub fn table(&self) -> &BoneTable {
        &self.table
    }

    /// What was found when the table was read.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Which axis changes sign.
    pub fn mirror(&self) -> Axis {
        self.mirror
    }

    /// How many bone rows have a force along an axis: a mirror of that axis turns it round.
    pub fn pushed_along(&self, axis: Axis) -> usize {
        let params = self.table.solver.info().params;
        let turned: Vec<Row> = super::chain::joint_rows(params)
            .filter(|(row, def)| !def.beyond && carried(params, *row, axis) != (*row, false))
            .map(|(row, _)| row)
            .collect();
        let bones = self.table.bones.iter().filter_map(|r| r.cells.as_ref().ok());
        bones.filter(|c| turned.iter().any(|row| c.values.get(*row) != 0.0)).count()
    }

    /// Whether a mirror of an axis makes a difference to the table.
    pub fn depends_on(&self, axis: Axis) -> bool {
        let table = &self.table;
        table.pivots.len() + table.colliders.len() + table.nulls.len() > 0 || self.pushed_along(axis) > 0
    }

    /// How many bone rows of each kind.
    pub fn counts(&self) -> Counts {
        Counts { not_in_file: self.not_in_file, ..self.counts_of(Section::Bones) }
    }

    /// How many rows of a section of each kind.
    pub fn counts_of(&self, section: Section) -> Counts {
        let mut counts = Counts::default();
        for row in self.rows_of(section) {
            match row.state {
                RowState::Matches { .. } | RowState::New { .. } => counts.matching += 1,
                RowState::NoBone
                | RowState::NoNode(_)
                | RowState::Missing(_)
                | RowState::Unused
                | RowState::Repeated(_) => counts.no_bone += 1,
                RowState::BadCells(_) => counts.bad += 1,
            }
            counts.ticked += usize::from(row.ticked);
        }
        counts
    }

    /// Uses a bone row or leaves it out; rows that cannot be used stay out.
    pub fn set_tick(&mut self, row: usize, ticked: bool) {
        self.set_tick_of(Section::Bones, row, ticked);
    }

    /// As [`ImportPlan::set_tick`] for any section.
    pub fn set_tick_of(&mut self, section: Section, row: usize, ticked: bool) {
        if let Some(row) = self.rows[section as usize].get_mut(row) {
            row.ticked = ticked && row.state.is_usable();
        }
    }

    fn is_ticked(&self, section: Section, row: usize) -> bool {
        self.rows_of(section).get(row).is_some_and(|r| r.ticked && r.state.is_usable())
    }

    fn plan_row(&self, at: usize, view: &View<'_>) -> PlanRow {
        let row = &self.table.bones[at];
        let target = self.bone_of_row(at, view.skeleton);
        let state = match (&row.cells, target) {
            (Err(bad), _) => RowState::BadCells(bad.problems.clone()),
            (Ok(_), None) => RowState::NoBone,
            (Ok(cells), Some(bone)) => self.matching(cells, bone, view),
        };
        PlanRow::new(row, target, state)
    }

    fn matching(&self, cells: &BoneCells, bone: BoneId, view: &View<'_>) -> RowState {
        let values = self.values_of(cells);
        let restore = values.iter().find(|(row, _)| view.document.main().def(*row).idea == Idea::Restore);
        let at = view.document.joint_of(bone);
        let stiffness = restore.map(|(row, new)| (at.map(|(chain, i)| view.value(chain, i, *row)), *new));
        let mut changes = match at {
            Some((chain, i)) => values.iter().filter(|(row, new)| view.differs(chain, i, *row, *new)).count(),
            None => values.len(),
        };
        let mut notes = Vec::new();
        let pivot = self.find_pivot(cells, bone, view);
        if pivot == apply::FoundPivot::Missing {
            notes.push(RowNote::NoPivot(cells.pivot.clone()));
        } else if let Some((chain, i)) = at {
            let now = view.document.chains[&chain].joints[i].pivot;
            changes += usize::from(self.has_pivots() && (pivot.changes(now) || pivot.turns(view.document)));
        }
        if let (Axis::Z, apply::FoundPivot::Here(Node::Bone(_))) = (self.mirror, &pivot)
            && self.limits_act(cells)
        {
            notes.push(RowNote::OtherSide(cells.pivot.clone()));
        }
        if let Some((chain, i)) = at {
            let joint = &view.document.chains[&chain].joints[i];
            let end = view.kept_end(bone);
            changes += usize::from(view.collider_names(chain, joint, end) != without_doubles(&cells.colliders));
            let targets = cells.length_targets.iter().map(|t| &t.bone);
            changes += usize::from(self.has_pivots() && !view.target_names(joint, end).iter().eq(targets));
        }
        self.note_strangers(cells, view, &mut notes);
        RowState::Matches { changes, stiffness, notes }
    }

    /// Of several rows for one bone the last one counts, as its component acts last in the original.
    fn mark_repeated(&mut self) {
        let mut last = BTreeMap::new();
        let rows = &mut self.rows[Section::Bones as usize];
        for row in rows.iter_mut().rev().filter(|r| r.state.is_usable()) {
            let Some(target) = row.target else { continue };
            if let Some(line) = last.get(&target) {
                row.state = RowState::Repeated(*line);
                row.ticked = false;
            } else {
                last.insert(target, row.line);
            }
        }
    }

    /// Colliders and length targets that are nowhere.
    fn note_strangers(&self, cells: &BoneCells, view: &View<'_>, notes: &mut Vec<RowNote>) {
        let colliders = self.rows_of(Section::Colliders);
        let described = |name: &String| colliders.iter().any(|r| r.name == *name && r.state.is_usable());
        let known = |name: &String| view.document.colliders.values().any(|c| c.name == *name);
        let strangers = |names: Vec<&String>| names.into_iter().cloned().collect::<Vec<_>>();
        let lost = strangers(cells.colliders.iter().filter(|n| !known(n) && !described(n)).collect());
        if !lost.is_empty() {
            notes.push(RowNote::NoColliders(lost));
        }
        let will_be = |name: &String| {
            self.table.nulls.iter().any(|r| r.name == *name) || described(name) || self.pivots.contains_key(name)
        };
        let targets = cells.length_targets.iter().map(|t| &t.bone);
        let lost = strangers(targets.filter(|n| self.node_named(n, view).is_none() && !will_be(n)).collect());
        if !lost.is_empty() {
            notes.push(RowNote::NoTargets(lost));
        }
    }

    fn finder<'a>(&'a self, skeleton: &'a Skeleton) -> Finder<'a> {
        Finder::new(&self.leads, skeleton)
    }

    fn bone_named(&self, name: &str, skeleton: &Skeleton) -> Option<BoneId> {
        self.finder(skeleton).bone(name)
    }

    /// The bone of a row of bones.
    fn bone_of_row(&self, at: usize, skeleton: &Skeleton) -> Option<BoneId> {
        // Rows of a tree have names of this very skeleton, which no lead is for.
        self.grown.get(at).copied().unwrap_or_else(|| self.bone_named(&self.table.bones[at].name, skeleton))
    }

    /// What comment rows speak of and nobody here has, each once, in the order of the file.
    pub fn strangers(&self) -> Vec<Stranger> {
        let mut found: Vec<Stranger> = Vec::new();
        let mut known: BTreeMap<&Missing, usize> = BTreeMap::new();
        // JSON counts rows, not lines.
        let has_lines = self.table.source.format == TableFormat::Csv;
        for row in self.rows_of(Section::Extras) {
            let RowState::Missing(missing) = &row.state else { continue };
            if let Some(at) = known.get(missing) {
                found[*at].rows += 1;
                continue;
            }
            known.insert(missing, found.len());
            let line = Some(row.line).filter(|line| has_lines && *line > 0);
            found.push(Stranger { missing: missing.clone(), line, kind: row.name.clone(), rows: 1 });
        }
        found
    }

    /// Values of joint scope that a table carries, in the document's space.
    fn values_of(&self, cells: &BoneCells) -> Vec<(Row, f32)> {
        let table = self.table.solver.info().params;
        let rows = super::chain::joint_rows(table).filter(|(_, def)| !def.beyond);
        rows.map(|(row, _)| (row, mirrored(table, row, self.mirror, |row| cells.values.get(row)))).collect()
    }

    /// Whether the table speaks of pivots and lengths.
    fn has_pivots(&self) -> bool {
        has_pivots(self.table.solver)
    }

    /// Whether a row has an angle limit on that refers to a pivot.
    fn limits_act(&self, cells: &BoneCells) -> bool {
        self.has_pivots() && apply::limits_act(&cells.values)
    }
}

#[cfg(test)]
mod tests;
