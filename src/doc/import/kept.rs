//! What a table says and a document has no place for, carried as rows.
//!
//! A [`KeptRow`] is usually a bone's row for another character; of another solver than `UnityChan`'s it has the
//! section's name and the bone's name as first cell. Any other bracketed name, which no table can give a bone,
//! marks a row of another section as it stood, and `[SpringBones]` the end of a row whose bone is here: the bone's
//! name, a pivot node that is not here, then length limits and colliders that are not. Comment rows of our own keep
//! their first cell as name. All numbers stand as in the file that they came from.

use super::apply::{FoundPivot, is_known};
use super::{ImportPlan, RowState, View, without_doubles};
use crate::doc::table::{
    BoneCells, BoneRow, ColliderRow, ComponentRow, EXTRA, Extra, ExtraRow, Layout, LengthTarget, NullRow, PivotRow,
    RawRow, RawSection, Section, TableRow, bones_name, bones_of, collider_row, collider_text, component_row,
    component_text, extra_row, extra_text, null_row, null_text, number_text, pivot_row, pivot_text,
};
use crate::doc::{Document, KeptRow};
use crate::rig::{BoneId, Skeleton};
use crate::schema::find_row_or_former;
use crate::sim::SolverKind;
use std::collections::{BTreeMap, BTreeSet};

const ENDS: &str = Section::Bones.name();

/// The end of the row of a bone that is here.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct RowEnd {
    pub pivot: String,
    pub length_targets: Vec<LengthTarget>,
    pub colliders: Vec<String>,
}

impl RowEnd {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn to_cells(&self, bone: &str) -> Vec<String> {
        let mut cells = vec![bone.to_owned(), self.pivot.clone(), self.length_targets.len().to_string()];
        for target in &self.length_targets {
            cells.extend([target.bone.clone(), number_text(target.ratio, None)]);
        }
        cells.extend(self.colliders.iter().cloned());
        cells
    }

    fn parse(cells: &[String]) -> Option<Self> {
        let count = cells.get(2)?.parse::<usize>().ok()?;
        let pairs = cells.get(3..count.checked_mul(2)?.checked_add(3)?)?;
        let target = |pair: &[String]| {
            let ratio = crate::doc::table::parse_number(&pair[1], false).unwrap_or(1.01);
            LengthTarget { bone: pair[0].clone(), ratio }
        };
        Some(Self {
            pivot: cells[1].clone(),
            length_targets: pairs.chunks_exact(2).map(target).collect(),
            colliders: cells[3 + pairs.len()..].to_vec(),
        })
    }
}

/// The kept rows after an import: those of before, with what this table says in their place. `view` is of the document
/// with the table's nodes, `strangers` are its comment rows that found nothing here.
pub(super) fn after_import(
    plan: &ImportPlan,
    before: &Document,
    view: &View<'_>,
    used_pivots: &BTreeSet<String>,
    strangers: &BTreeSet<usize>,
) -> Vec<KeptRow> {
    let mut kept = Merge::of(&view.document.kept);
    let layout = Layout::of(plan.table.solver);
    for (at, (row, planned)) in plan.table.bones.iter().zip(plan.rows()).enumerate() {
        match (&row.cells, &planned.state) {
            (Ok(cells), RowState::NoBone) => {
                kept.put_bone(layout.solver(), &row.name, Some(layout.bone_text(cells, None)));
            }
            (Err(bad), _) if planned.target.is_none() => {
                kept.put_bone(layout.solver(), &row.name, Some(bad.cells.clone()));
            }
            (Ok(cells), _) if plan.is_ticked(Section::Bones, at) => {
                let Some(bone) = planned.target else { continue };
                let name = view.skeleton.name(bone);
                let end = end_of(plan, (before, view), cells, bone);
                kept.put(ENDS, name, (!end.is_empty()).then(|| end.to_cells(name)));
                // An older table may have had this row before its bone was found.
                kept.put_bone(layout.solver(), &row.name, None);
            }
            _ => {}
        }
    }
    for pivot in &plan.table.pivots {
        let cells = (!used_pivots.contains(&pivot.name)).then(|| text(pivot, |cells| pivot_text(cells, None)));
        kept.put_row(Section::Pivots, &pivot.name, cells);
    }
    keep_unused(plan, &mut kept, &plan.table.colliders, Section::Colliders, |c| collider_text(c, None));
    keep_unused(plan, &mut kept, &plan.table.nulls, Section::Nulls, |c| null_text(c, None));
    keep_unused(plan, &mut kept, &plan.table.components, Section::Components, component_text);
    for (at, row) in plan.table.extras.iter().enumerate() {
        let cells = text(row, extra_text);
        let keep = row.cells.is_err() || strangers.contains(&at);
        kept.put(Section::Extras.name(), &cells.concat(), keep.then_some(cells));
    }
    let mut kept = kept.into_rows();
    merge_sections(&mut kept, &plan.table.sections);
    kept
}

/// What a used row says of things that are not here.
fn end_of(plan: &ImportPlan, (before, view): (&Document, &View<'_>), cells: &BoneCells, bone: BoneId) -> RowEnd {
    let pivot = plan.find_pivot(cells, bone, view);
    let joint = |document: &Document| {
        let (chain, at) = document.joint_of(bone)?;
        document.chains[&chain].joints[at].pivot
    };
    let pivot = if pivot == FoundPivot::Missing {
        cells.pivot.clone()
    } else if joint(before).is_some() && joint(before) == joint(view.document) {
        // Its live pivot is written in place of the kept one, which waits on.
        view.kept_end(bone).map_or(String::new(), |end| end.pivot.clone())
    } else {
        String::new()
    };
    let colliders = without_doubles(&cells.colliders);
    RowEnd {
        pivot,
        length_targets: cells
            .length_targets
            .iter()
            .filter(|t| plan.node_named(&t.bone, view).is_none())
            .cloned()
            .collect(),
        colliders: colliders.into_iter().filter(|c| !is_known(view.document, c)).collect(),
    }
}

/// Rows that find nothing here stay for the next export; rows that the artist left out do not.
fn keep_unused<T>(
    plan: &ImportPlan,
    kept: &mut Merge,
    rows: &[TableRow<T>],
    section: Section,
    cells: impl Fn(&T) -> Vec<String>,
) {
    for (at, row) in rows.iter().enumerate() {
        let usable = plan.rows_of(section).get(at).is_some_and(|r| r.state.is_usable());
        let again = plan.rows_of(section).get(at).is_some_and(|r| matches!(r.state, RowState::Repeated(_)));
        if !again && (!usable || plan.is_ticked(section, at)) {
            kept.put_row(section, &row.name, (!usable).then(|| text(row, &cells)));
        }
    }
}

/// A row's cells after its name, as they go into a kept row.
pub(super) fn text<T>(row: &TableRow<T>, cells: impl Fn(&T) -> Vec<String>) -> Vec<String> {
    match &row.cells {
        Ok(good) => cells(good),
        Err(bad) => bad.cells.clone(),
    }
}

/// The kept rows of tables that take the place of everything: of things that are not here, in the tables' order, after
/// rows that stay.
pub(super) fn of_tables(
    start: &[KeptRow],
    rows: impl IntoIterator<Item = (SolverKind, Section, String, Vec<String>)>,
) -> Vec<KeptRow> {
    let mut kept = Merge::of(start);
    for (solver, section, name, cells) in rows {
        match section {
            Section::Bones => kept.put_bone(solver, &name, Some(cells)),
            Section::Extras => kept.put(EXTRA, &cells.concat(), Some(cells)),
            _ => kept.put_row(section, &name, Some(cells)),
        }
    }
    kept.into_rows()
}

/// Kept rows of bones that speak of other solvers than these, ends of rows of bones that others move, and comment rows
/// that others may still use.
pub(super) fn of_other_solvers(
    document: &Document,
    skeleton: &Skeleton,
    solvers: &BTreeSet<SolverKind>,
) -> Vec<KeptRow> {
    let is_others = |solver: SolverKind| !solvers.contains(&solver);
    let others = SolverKind::ALL.iter().copied().filter(|solver| is_others(*solver));
    let sections: BTreeSet<String> = others.map(bones_name).collect();
    let waiting = waiting(document, is_others);
    let stays = |row: &&KeptRow| match row.bone.as_str() {
        ENDS => {
            let joint = row.cells.first().and_then(|name| document.joint_of(skeleton.find(name)?));
            joint.is_some_and(|(chain, _)| is_others(document.solver_of(&document.chains[&chain])))
        }
        EXTRA => is_for_others(&row.cells, document, skeleton, (solvers, &waiting)),
        name if name.starts_with('[') => sections.contains(name),
        _ => is_others(SolverKind::UnityChanSpringBone),
    };
    document.kept.iter().filter(stays).cloned().collect()
}

/// The bones of kept rows, and whether any of their rows is of another solver.
fn waiting(document: &Document, is_others: impl Fn(SolverKind) -> bool) -> BTreeMap<&str, bool> {
    let mut waiting = BTreeMap::new();
    for row in &document.kept {
        let (solver, name) = match row.bone.as_str() {
            ENDS | EXTRA => continue,
            section if section.starts_with('[') => (bones_of(section), row.cells.first()),
            _ => (Some(SolverKind::UnityChanSpringBone), Some(&row.bone)),
        };
        if let (Some(solver), Some(name)) = (solver, name) {
            *waiting.entry(name.as_str()).or_insert(false) |= is_others(solver);
        }
    }
    waiting
}

/// Whether a kept comment row waits for another solver than these: by its lists, its parameter, the joint that it is
/// about or the kept row of that. A row that tells nothing of this stays as long as there is another solver to wait for.
fn is_for_others(
    cells: &[String],
    document: &Document,
    skeleton: &Skeleton,
    (solvers, waiting): (&BTreeSet<SolverKind>, &BTreeMap<&str, bool>),
) -> bool {
    let is_others = |solver: SolverKind| !solvers.contains(&solver);
    let any = || {
        document.systems.values().any(|system| is_others(system.solver)) || waiting.values().any(|is_others| *is_others)
    };
    let Ok(extra) = extra_row(0, cells.to_vec()).cells else { return any() };
    if let Extra::Lists(cells) = &extra {
        return cells.lists.solver().is_some_and(is_others);
    }
    if let Extra::System { row, .. } | Extra::Joint { row, .. } | Extra::Value { row, .. } = &extra {
        let knows = |solver: &SolverKind| find_row_or_former(solver.info().params, row).is_some();
        let (theirs, ours): (Vec<_>, Vec<_>) =
            SolverKind::ALL.iter().copied().filter(knows).partition(|solver| is_others(*solver));
        if theirs.is_empty() != ours.is_empty() {
            return ours.is_empty();
        }
    }
    let Some(name) = extra.nodes().first().copied() else { return any() };
    match skeleton.find(name).and_then(|bone| document.joint_of(bone)) {
        Some((chain, _)) => is_others(document.solver_of(&document.chains[&chain])),
        None => waiting.get(name).copied().unwrap_or_else(any),
    }
}

/// Kept rows that can be replaced in place.
struct Merge {
    rows: Vec<Option<KeptRow>>,
    /// By bone name, or by section and first cell.
    at: BTreeMap<(String, String), usize>,
}

impl Merge {
    fn of(kept: &[KeptRow]) -> Self {
        let keyed = |k: &KeptRow| {
            let key = if k.bone == EXTRA {
                k.cells.concat()
            } else if k.bone.starts_with('[') {
                k.cells.first().cloned().unwrap_or_default()
            } else {
                String::new()
            };
            (k.bone.clone(), key)
        };
        let at = kept.iter().enumerate().map(|(i, k)| (keyed(k), i)).collect();
        Self { rows: kept.iter().cloned().map(Some).collect(), at }
    }

    /// Puts, replaces or removes one row.
    fn put(&mut self, bone: &str, key: &str, cells: Option<Vec<String>>) {
        let place = (bone.to_owned(), key.to_owned());
        let row = cells.map(|cells| KeptRow { bone: bone.to_owned(), cells });
        match self.at.get(&place) {
            Some(at) => self.rows[*at] = row,
            None if row.is_some() => {
                self.at.insert(place, self.rows.len());
                self.rows.push(row);
            }
            None => {}
        }
    }

    /// As [`Merge::put`] for a row of a bone.
    fn put_bone(&mut self, solver: SolverKind, name: &str, cells: Option<Vec<String>>) {
        if solver == SolverKind::UnityChanSpringBone {
            return self.put(name, "", cells);
        }
        let cells = cells.map(|rest| std::iter::once(name.to_owned()).chain(rest).collect());
        self.put(&bones_name(solver), name, cells);
    }

    /// As [`Merge::put`] for a row of a section with its name as first cell.
    fn put_row(&mut self, section: Section, name: &str, cells: Option<Vec<String>>) {
        let cells = cells.map(|rest| std::iter::once(name.to_owned()).chain(rest).collect());
        self.put(section.name(), name, cells);
    }

    fn into_rows(self) -> Vec<KeptRow> {
        self.rows.into_iter().flatten().collect()
    }
}

/// A section of the table replaces the kept one of the same name.
fn merge_sections(kept: &mut Vec<KeptRow>, sections: &[RawSection]) {
    let mut given: BTreeMap<&str, Vec<KeptRow>> = BTreeMap::new();
    let unknown = |s: &&RawSection| s.header.cells.first().is_some_and(|name| Section::named(name).is_none());
    for section in sections.iter().filter(unknown) {
        let Some(name) = section.header.cells.first() else { continue };
        let rows = section.rows.iter().map(|r| KeptRow { bone: name.clone(), cells: r.cells.clone() });
        given.entry(name).or_default().extend(rows);
    }
    for (name, rows) in given {
        let old: Vec<_> = kept.iter().filter(|k| k.bone == name).cloned().collect();
        if old != rows {
            kept.retain(|k| k.bone != name);
            kept.extend(rows);
        }
    }
}

/// The kept ends of rows by bone name.
pub(super) fn ends(document: &Document) -> BTreeMap<String, RowEnd> {
    let ends = document.kept.iter().filter(|k| k.bone == ENDS);
    ends.filter_map(|k| Some((k.cells.first()?.clone(), RowEnd::parse(&k.cells)?))).collect()
}

/// The kept rows of a document by kind, for an export.
#[derive(Default)]
pub(super) struct Kept {
    pub bones: Vec<BoneRow>,
    pub pivots: Vec<PivotRow>,
    pub colliders: Vec<ColliderRow>,
    pub nulls: Vec<NullRow>,
    pub components: Vec<ComponentRow>,
    pub extras: Vec<ExtraRow>,
    pub sections: Vec<RawSection>,
}

impl Kept {
    pub(super) fn of(document: &Document) -> Self {
        let layout = Layout::of(document.main().solver);
        let mut all = Self::default();
        let ours = bones_name(document.main().solver);
        for row in &document.kept {
            if row.bone == ours && ours != ENDS {
                if let Some((name, rest)) = row.cells.split_first() {
                    all.bones.push(layout.bone_row(0, name.clone(), rest.to_vec(), false));
                }
                continue;
            }
            let section = Section::named(&row.bone);
            let Some((name, rest)) = section.and_then(|_| row.cells.split_first()) else {
                match row.bone.as_str() {
                    EXTRA => all.extras.push(extra_row(0, row.cells.clone())),
                    name if name.starts_with('[') => all.push_raw(name, &row.cells),
                    // UnityChan's columns mean nothing under another solver; they wait.
                    _ if ours != ENDS => {}
                    name => all.bones.push(layout.bone_row(0, name.to_owned(), row.cells.clone(), false)),
                }
                continue;
            };
            let (name, rest) = (name.clone(), rest.to_vec());
            let comment = name.starts_with("//") || name.starts_with(['#', ';']);
            match section {
                Some(Section::Pivots) => all.pivots.push(pivot_row(0, name, rest, false)),
                // Projects of earlier versions kept these sections with their comments.
                Some(_) if comment => {}
                Some(Section::Colliders) => {
                    all.colliders.push(collider_row(document.main().solver, 0, name, rest, false));
                }
                Some(Section::Nulls) => all.nulls.push(null_row(0, name, rest, false)),
                Some(Section::Components) => all.components.push(component_row(0, name, rest)),
                _ => {}
            }
        }
        all
    }

    /// How many rows there are.
    pub(super) fn count(&self) -> usize {
        let raw: usize = self.sections.iter().map(|s| s.rows.len()).sum();
        let nodes = self.pivots.len() + self.colliders.len() + self.nulls.len() + self.components.len();
        self.bones.len() + nodes + self.extras.len() + raw
    }

    fn push_raw(&mut self, name: &str, cells: &[String]) {
        let row = RawRow { line: 0, cells: cells.to_vec() };
        if let Some(section) = self.sections.iter_mut().find(|s| s.header.cells[0] == name) {
            section.rows.push(row);
        } else {
            let header = RawRow { line: 0, cells: vec![name.to_owned()] };
            self.sections.push(RawSection { header, rows: vec![row] });
        }
    }
}
