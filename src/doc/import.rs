//! A table by bone name into a document, and out again.
//!
//! There are two ways in. [`ImportPlan`] merges: every row, what it would change, what cannot be used and why; what
//! the file says nothing about stays. [`ReplacePlan`] does as the engine's own window does: everything that is there
//! is taken down and built anew from the file. Nothing changes until a plan's edit is applied, in one step.
//! [`verify()`] finds the rows that the engine would refuse, and [`export()`] is the way back. What a table says of
//! things that this character lacks travels through [`KeptRow`](super::KeptRow)s, so that an export gives it back.

mod apply;
mod diff;
mod export;
mod extras;
mod ghosts;
mod kept;
mod loss;
mod names;
mod nodes;
mod place;
mod replace;
mod verify;

pub use export::{Exported, export};
pub use ghosts::{Ghost, GhostPivot, GhostShape, Sits, Skin, better};
pub use loss::ExportLoss;
pub use replace::{ReplaceCounts, ReplaceNote, ReplaceOptions, ReplacePlan};
pub use verify::{ErrorKind, RowError, Wanted, renderer_names, verify};

use super::pivot::Axis;
use super::table::{BoneCells, BoneRow, BoneTable, Problem, Section, TableRow, has_table, looks_like_formula};
use super::{ChainId, Document, Joint, Node};
use crate::report::{Diagnostic, Place, clip};
use crate::rig::{BoneId, Pose, Skeleton, WorldPose};
use crate::schema::{Idea, Kind, ParamDef, Row};
use crate::sim::Shape;
use crate::sim::solver::spring_bone::{GRAVITY, SPRING_FORCE};
use kept::RowEnd;
use names::Names;
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
    /// Colliders of these names are neither here nor in the table; they are kept for the next export.
    NoColliders(Vec<String>),
    /// Nodes of these names, to which lengths are held, are not here; they are kept for the next export.
    NoTargets(Vec<String>),
    /// The row has the name of this bone of the file, which the engine would move. Bones of the file stay here: a
    /// helper on it stands where the bone would have come to stand.
    WouldMoveBone(String),
}

impl fmt::Display for RowNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |names: &[String]| names.iter().map(|n| clip(n)).collect::<Vec<_>>().join("\", \"");
        match self {
            Self::NoPivot(name) => write!(f, "pivot node \"{}\" is not here", clip(name)),
            Self::OtherSide(name) => {
                write!(f, "limits refer to bone \"{}\"; with mirror Z they open to the other side", clip(name))
            }
            Self::NoColliders(names) => write!(f, "colliders are not here: \"{}\"", list(names)),
            Self::NoTargets(names) => write!(f, "length limit targets are not here: \"{}\"", list(names)),
            Self::WouldMoveBone(name) => {
                write!(f, "the engine would move bone \"{}\"; bones of the file stay where they are", clip(name))
            }
        }
    }
}

/// What would happen with a row.
#[derive(Clone, Debug, PartialEq)]
pub enum RowState {
    /// What it is about is here.
    Matches {
        /// How many values would change; all of them where the bone does not sway yet.
        changes: usize,
        /// Of the restoring force: now, if the bone sways, and as the file says. Of bone rows only.
        stiffness: Option<(Option<f32>, f32)>,
        /// What of the row cannot be used.
        notes: Vec<RowNote>,
    },
    /// A collider, pivot, node or component that would be made.
    New {
        /// What of the row cannot be used.
        notes: Vec<RowNote>,
    },
    /// This character has no bone of that name, or no node of this component; the row is kept for the next export.
    NoBone,
    /// The node of this name, which the row hangs on or speaks of, is not here; the row is kept for the next export.
    NoNode(String),
    /// A pivot that no row of a bone that is here asks for; kept for the next export.
    Unused,
    /// Cells that cannot be understood.
    BadCells(Vec<Problem>),
    /// The row of this line is taken in its place: for a bone a later one, for all else the first of the name.
    Repeated(u64),
}

impl RowState {
    /// Whether the row can be used.
    pub const fn is_usable(&self) -> bool {
        matches!(self, Self::Matches { .. } | Self::New { .. })
    }

    /// What of the row cannot be used.
    pub fn notes(&self) -> &[RowNote] {
        match self {
            Self::Matches { notes, .. } | Self::New { notes } => notes,
            _ => &[],
        }
    }
}

/// A row of the import window.
#[derive(Clone, Debug, PartialEq)]
pub struct PlanRow {
    /// 1-based line in the file.
    pub line: u64,
    /// As the file has it.
    pub name: String,
    /// The bone that gets the values, or that carries the node of the row.
    pub target: Option<BoneId>,
    /// What would happen.
    pub state: RowState,
    /// Whether the row will be used; only usable rows can be.
    pub ticked: bool,
    /// Whether a spreadsheet may read the name as a formula.
    pub formula: bool,
}

impl PlanRow {
    fn new<T>(row: &TableRow<T>, target: Option<BoneId>, state: RowState) -> Self {
        Self {
            line: row.line,
            name: row.name.clone(),
            target,
            ticked: state.is_usable(),
            state,
            formula: looks_like_formula(&row.name),
        }
    }
}

/// How many rows of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Rows that can be used: what they are about is here or would be made.
    pub matching: usize,
    /// Of these, rows that will be used.
    pub ticked: usize,
    /// Rows without bone or node, that nothing asks for, or that another row stands for.
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
    /// By the position of their section.
    rows: [Vec<PlanRow>; Section::ALL.len()],
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
            rows: <[Vec<PlanRow>; Section::ALL.len()]>::default(),
            not_in_file: 0,
        };
        for (at, pivot) in plan.table.pivots.iter().enumerate() {
            plan.pivots.entry(pivot.name.clone()).or_insert(at);
        }
        let view = View::new(document, skeleton);
        plan.plan_nodes(&view);
        plan.rows[Section::Bones as usize] = plan.table.bones.iter().map(|row| plan.plan_row(row, &view)).collect();
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
                RowState::NoBone | RowState::NoNode(_) | RowState::Unused | RowState::Repeated(_) => {
                    counts.no_bone += 1;
                }
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

    fn plan_row(&self, row: &BoneRow, view: &View<'_>) -> PlanRow {
        let target = self.bone_named(&row.name, view.skeleton);
        let state = match (&row.cells, target) {
            (Err(bad), _) => RowState::BadCells(bad.problems.clone()),
            (Ok(_), None) => RowState::NoBone,
            (Ok(cells), Some(bone)) => self.matching(cells, bone, view),
        };
        PlanRow::new(row, target, state)
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
        if let Some((chain, i)) = at {
            let joint = &view.document.chains[&chain].joints[i];
            let end = view.kept_end(bone);
            changes += usize::from(view.collider_names(joint, end) != without_doubles(&cells.colliders));
            let targets = cells.length_targets.iter().map(|t| &t.bone);
            changes += usize::from(!view.target_names(joint, end).iter().eq(targets));
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

/// Each name once, where it stands first.
fn without_doubles(names: &[String]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    names.iter().filter(|name| seen.insert(*name)).cloned().collect()
}

/// A value on the other side of the space change; its own inverse.
fn mirrored(row: Row, value: f32, axis: Axis) -> f32 {
    let changes_sign = [SPRING_FORCE, GRAVITY].iter().any(|vector| row == vector[axis.index()]);
    // Subtracted from zero so that no negative zero comes into a file.
    if changes_sign { 0.0 - value } else { value }
}

/// A document with its skeleton and where joints stand along their chains.
struct View<'a> {
    document: &'a Document,
    skeleton: &'a Skeleton,
    names: Names<'a>,
    places: BTreeMap<ChainId, Vec<f32>>,
    rest: WorldPose,
    ends: BTreeMap<String, RowEnd>,
}

impl<'a> View<'a> {
    fn new(document: &'a Document, skeleton: &'a Skeleton) -> Self {
        let rest = WorldPose::of(skeleton, &Pose::rest(skeleton));
        let places = document.chains.iter().map(|(id, c)| (*id, c.places_in(&rest, skeleton))).collect();
        let names = Names::of(document, skeleton);
        Self { document, skeleton, names, places, rest, ends: kept::ends(document) }
    }

    /// What a row of this bone says of things that are not here.
    fn kept_end(&self, bone: BoneId) -> Option<&RowEnd> {
        self.ends.get(self.skeleton.name(bone))
    }

    /// Names of a joint's colliders as its row has them: spheres, capsules, panels, each once, then strangers.
    fn collider_names(&self, joint: &Joint, end: Option<&RowEnd>) -> Vec<String> {
        let mut live: Vec<_> = joint.colliders.iter().filter_map(|id| self.document.colliders.get(id)).collect();
        live.sort_by_key(|c| shape_rank(&c.shape));
        let mut names: Vec<String> = live.iter().map(|c| c.name.clone()).collect();
        names.extend(end.into_iter().flat_map(|e| &e.colliders).cloned());
        without_doubles(&names)
    }

    /// Names of the nodes that a joint's lengths are held to, then strangers.
    fn target_names(&self, joint: &Joint, end: Option<&RowEnd>) -> Vec<String> {
        let live = joint.length_targets.iter().filter_map(|t| self.names.name(t.node)).map(str::to_owned);
        live.chain(end.into_iter().flat_map(|e| &e.length_targets).map(|t| t.bone.clone())).collect()
    }

    fn value(&self, chain: ChainId, joint: usize, row: Row) -> f32 {
        self.document.chains[&chain].value(joint, row, self.places[&chain][joint])
    }

    /// Whether a value from a file is another one; of toggles a file only says whether they are on.
    fn differs(&self, chain: ChainId, joint: usize, row: Row, new: f32) -> bool {
        let old = self.value(chain, joint, row);
        if self.document.def(row).kind == Kind::Toggle { (old != 0.0) != (new != 0.0) } else { old != new }
    }
}

/// The order in which a row names its colliders.
const fn shape_rank(shape: &Shape) -> usize {
    match shape {
        Shape::Sphere { .. } => 0,
        Shape::Capsule { .. } => 1,
        Shape::Panel { .. } => 2,
        // The engine has none of these.
        Shape::InsideSphere { .. } | Shape::InsideCapsule { .. } | Shape::Plane => 3,
    }
}

#[cfg(test)]
mod tests;
