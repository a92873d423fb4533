//! A table by bone name into a document, and out again.
//!
//! [`ImportPlan`] is what the import window shows: every row, what it would change, what cannot be used and why.
//! Nothing changes until its edit is applied, in one step. [`export()`] is the way back. What a table says and a
//! document has no place for yet travels through [`KeptRow`](super::KeptRow)s, so that an export gives it back.

mod apply;
mod export;
mod kept;

pub use export::{ExportLoss, Exported, export};

use super::pivot::Axis;
use super::table::{BoneCells, BoneRow, BoneTable, has_table, looks_like_formula};
use super::{ChainId, Document, Node};
use crate::report::{Diagnostic, Place, clip};
use crate::rig::{BoneId, Pose, Skeleton, WorldPose};
use crate::schema::{Idea, Kind, ParamDef, Row};
use crate::sim::solver::spring_bone::SPRING_FORCE;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Something of a row that cannot be used as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowNote {
    /// The pivot of this name is neither here nor in the table.
    NoPivot(String),
    /// The limits refer to the bone of this name. A helper would be turned by half; a bone cannot be, so they open to
    /// the other side, see [`Axis::pivot_from_euler`].
    OtherSide(String),
}

impl fmt::Display for RowNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoPivot(name) => write!(f, "pivot node \"{}\" is not here", clip(name)),
            Self::OtherSide(name) => {
                write!(f, "limits refer to bone \"{}\"; with mirror Z they open to the other side", clip(name))
            }
        }
    }
}

/// What would happen with a row.
#[derive(Clone, Debug, PartialEq)]
pub enum RowState {
    /// The bone is here.
    Matches {
        /// How many values would change; all of them where the bone does not sway yet.
        changes: usize,
        /// Of the restoring force: now, if the bone sways, and as the file says.
        stiffness: Option<(Option<f32>, f32)>,
        /// What of the row cannot be used.
        notes: Vec<RowNote>,
    },
    /// This character has no such bone; the row is kept for the next export.
    NoBone,
    /// Cells that cannot be understood.
    BadCells(Vec<String>),
    /// The bone gets its values from a later row of this line.
    Repeated(u64),
}

/// A row of the import window.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanRow {
    /// 1-based line in the file.
    pub line: u64,
    /// As the file has it.
    pub name: String,
    /// The bone that gets the values.
    pub target: Option<BoneId>,
    /// What would happen.
    pub state: RowState,
    /// Whether the row will be used; only rows that match can be.
    pub ticked: bool,
    /// Whether a spreadsheet may read the name as a formula.
    pub formula: bool,
}

/// How many rows of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Rows whose bone is here.
    pub matching: usize,
    /// Of these, rows that will be used.
    pub ticked: usize,
    /// Rows without bone, or for one that a later row gives too.
    pub no_bone: usize,
    /// Rows with cells that cannot be read.
    pub bad: usize,
    /// Joints that the file says nothing about; they stay as they are.
    pub not_in_file: usize,
}

/// An import that has not happened yet.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportPlan {
    table: BoneTable,
    diagnostics: Vec<Diagnostic>,
    mirror: Axis,
    mapping: BTreeMap<String, BoneId>,
    /// First row of each name among the table's pivots.
    pivots: BTreeMap<String, usize>,
    rows: Vec<PlanRow>,
    not_in_file: usize,
}

/// Nothing of a table, for a document whose solver knows no tables.
fn refused(table: &BoneTable) -> (BoneTable, Vec<Diagnostic>) {
    let message = "the character's solver has no such tables; nothing is taken from it";
    (BoneTable::new(table.solver), vec![Diagnostic::error(Place::default(), message)])
}

impl ImportPlan {
    /// Compares a table with what is there. Names in `mapping` go to its bones, others to the bone of exactly that
    /// name; `diagnostics` are those of reading.
    pub fn new(
        table: BoneTable,
        diagnostics: Vec<Diagnostic>,
        document: &Document,
        skeleton: &Skeleton,
        mirror: Axis,
        mapping: &BTreeMap<String, BoneId>,
    ) -> Self {
        let (table, diagnostics) = if has_table(document.solver) { (table, diagnostics) } else { refused(&table) };
        let mut plan = Self {
            table,
            diagnostics,
            mirror,
            mapping: mapping.clone(),
            pivots: BTreeMap::new(),
            rows: Vec::new(),
            not_in_file: 0,
        };
        for (at, pivot) in plan.table.pivots.iter().enumerate() {
            plan.pivots.entry(pivot.name.clone()).or_insert(at);
        }
        let view = View::new(document, skeleton);
        plan.rows = plan.table.bones.iter().map(|row| plan.plan_row(row, &view)).collect();
        plan.mark_repeated();
        let targets: BTreeSet<_> = plan.rows.iter().filter_map(|r| r.target).collect();
        let joints = document.chains.values().flat_map(|c| &c.joints);
        plan.not_in_file = joints.filter(|j| !targets.contains(&j.bone)).count();
        plan
    }

    /// Rows in file order.
    pub fn rows(&self) -> &[PlanRow] {
        &self.rows
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

    /// How many rows of each kind.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts { not_in_file: self.not_in_file, ..Counts::default() };
        for row in &self.rows {
            match row.state {
                RowState::Matches { .. } => counts.matching += 1,
                RowState::NoBone | RowState::Repeated(_) => counts.no_bone += 1,
                RowState::BadCells(_) => counts.bad += 1,
            }
            counts.ticked += usize::from(row.ticked);
        }
        counts
    }

    /// Uses a row or leaves it out; rows that do not match stay out.
    pub fn set_tick(&mut self, row: usize, ticked: bool) {
        if let Some(row) = self.rows.get_mut(row) {
            row.ticked = ticked && matches!(row.state, RowState::Matches { .. });
        }
    }

    fn plan_row(&self, row: &BoneRow, view: &View<'_>) -> PlanRow {
        let target = self.bone_named(&row.name, view.skeleton);
        let state =
            match (&row.cells, target) {
                (Err(bad), _) => RowState::BadCells(
                    bad.problems
                        .iter()
                        .map(|p| {
                            if p.column.is_empty() { p.message.clone() } else { format!("{}: {}", p.column, p.message) }
                        })
                        .collect(),
                ),
                (Ok(_), None) => RowState::NoBone,
                (Ok(cells), Some(bone)) => self.matching(cells, bone, view),
            };
        PlanRow {
            line: row.line,
            name: row.name.clone(),
            target,
            ticked: matches!(state, RowState::Matches { .. }),
            state,
            formula: looks_like_formula(&row.name),
        }
    }

    fn matching(&self, cells: &BoneCells, bone: BoneId, view: &View<'_>) -> RowState {
        let values = self.values_of(cells, view.document.table());
        let restore = values.iter().find(|(row, _)| view.document.def(*row).idea == Idea::Restore);
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
            changes += usize::from(pivot.changes(now) || pivot.turns(view.document));
        }
        if let (Axis::Z, apply::FoundPivot::Here(Node::Bone(_))) = (self.mirror, &pivot)
            && apply::limits_act(cells)
        {
            notes.push(RowNote::OtherSide(cells.pivot.clone()));
        }
        RowState::Matches { changes, stiffness, notes }
    }

    /// Of several rows for one bone the last one counts, as its component acts last in the original.
    fn mark_repeated(&mut self) {
        let mut last = BTreeMap::new();
        for row in self.rows.iter_mut().rev().filter(|r| matches!(r.state, RowState::Matches { .. })) {
            let Some(target) = row.target else { continue };
            if let Some(line) = last.get(&target) {
                row.state = RowState::Repeated(*line);
                row.ticked = false;
            } else {
                last.insert(target, row.line);
            }
        }
    }

    fn bone_named(&self, name: &str, skeleton: &Skeleton) -> Option<BoneId> {
        let mapped = self.mapping.get(name).copied().filter(|b| b.index() < skeleton.len());
        mapped.or_else(|| skeleton.find(name))
    }

    /// Values of joint scope that a table carries, in the document's space.
    fn values_of(&self, cells: &BoneCells, table: &'static [ParamDef]) -> Vec<(Row, f32)> {
        let rows = super::chain::joint_rows(table).filter(|(_, def)| !def.beyond);
        rows.map(|(row, _)| (row, mirrored(row, cells.values.get(row), self.mirror))).collect()
    }
}

/// A value on the other side of the space change; its own inverse.
fn mirrored(row: Row, value: f32, axis: Axis) -> f32 {
    // Subtracted from zero so that no negative zero comes into a file.
    if row == SPRING_FORCE[axis.index()] { 0.0 - value } else { value }
}

/// A document with its skeleton and where joints stand along their chains.
struct View<'a> {
    document: &'a Document,
    skeleton: &'a Skeleton,
    places: BTreeMap<ChainId, Vec<f32>>,
    rest: WorldPose,
}

impl<'a> View<'a> {
    fn new(document: &'a Document, skeleton: &'a Skeleton) -> Self {
        let rest = WorldPose::of(skeleton, &Pose::rest(skeleton));
        let places = document.chains.iter().map(|(id, c)| (*id, c.places_in(&rest, skeleton))).collect();
        Self { document, skeleton, places, rest }
    }

    fn value(&self, chain: ChainId, joint: usize, row: Row) -> f32 {
        self.document.chains[&chain].value(joint, row, self.places[&chain][joint])
    }

    /// Whether a value from a file is another one; of toggles a file only says whether they are on.
    fn differs(&self, chain: ChainId, joint: usize, row: Row, new: f32) -> bool {
        let old = self.value(chain, joint, row);
        if self.document.def(row).kind == Kind::Toggle { (old != 0.0) != (new != 0.0) } else { old != new }
    }

    fn node_name(&self, node: Node) -> Option<&str> {
        match node {
            Node::Bone(bone) => (bone.index() < self.skeleton.len()).then(|| self.skeleton.name(bone)),
            Node::Helper(id) => self.document.helpers.get(&id).map(|h| h.name.as_str()),
        }
    }
}

#[cfg(test)]
mod tests;
