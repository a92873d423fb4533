//! What a table says and a document has no place for, carried as rows.
//!
//! A [`KeptRow`] is usually a bone's row for another character. A bracketed name, which no table can give a bone,
//! marks a row of another section: `[Pivots]` and unknown sections as they stood, and `[SpringBones]` for the end
//! of a row whose bone is here: the bone's name, a pivot node that is not here, then length limits and colliders.

use super::apply::FoundPivot;
use super::{ImportPlan, RowState, View};
use crate::doc::table::{BoneRow, Layout, LengthTarget, PivotRow, RawRow, RawSection, number_text};
use crate::doc::{Document, KeptRow};
use std::collections::{BTreeMap, BTreeSet};

const ENDS: &str = "[SpringBones]";
const PIVOTS: &str = "[Pivots]";

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

/// The kept rows after an import: those of before, with what this table says in their place.
pub(super) fn after_import(plan: &ImportPlan, view: &View<'_>, used_pivots: &BTreeSet<String>) -> Vec<KeptRow> {
    let mut kept = Merge::of(&view.document.kept);
    let ends = Kept::of(view.document).ends;
    let layout = Layout::of(plan.table.solver);
    for (at, (row, planned)) in plan.table.bones.iter().zip(&plan.rows).enumerate() {
        match (&row.cells, &planned.state) {
            (Ok(cells), RowState::NoBone) => kept.put(&row.name, "", Some(layout.bone_text(cells, None))),
            (Err(bad), _) if planned.target.is_none() => kept.put(&row.name, "", Some(bad.cells.clone())),
            (Ok(cells), _) if plan.uses(at) => {
                let Some(bone) = planned.target else { continue };
                let known = |name: &String| view.document.colliders.values().any(|c| c.name == *name);
                let name = view.skeleton.name(bone);
                let pivot = plan.find_pivot(cells, bone, view);
                let joint = view.document.joint_of(bone).map(|(chain, at)| &view.document.chains[&chain].joints[at]);
                let pivot = if pivot == FoundPivot::Missing {
                    cells.pivot.clone()
                } else if joint.is_some_and(|j| !pivot.changes(j.pivot)) {
                    ends.get(name).map_or(String::new(), |end| end.pivot.clone())
                } else {
                    String::new()
                };
                let end = RowEnd {
                    pivot,
                    length_targets: cells.length_targets.clone(),
                    colliders: cells.colliders.iter().filter(|c| !known(c)).cloned().collect(),
                };
                kept.put(ENDS, name, (!end.is_empty()).then(|| end.to_cells(name)));
                // An older table may have had this row before its bone was found.
                kept.put(&row.name, "", None);
            }
            _ => {}
        }
    }
    for pivot in &plan.table.pivots {
        let cells = match &pivot.cells {
            _ if used_pivots.contains(&pivot.name) => None,
            Ok(cells) => Some(PivotRow::text(cells, None)),
            Err(bad) => Some(bad.cells.clone()),
        };
        let cells = cells.map(|rest| std::iter::once(pivot.name.clone()).chain(rest).collect());
        kept.put(PIVOTS, &pivot.name, cells);
    }
    let mut kept = kept.into_rows();
    merge_sections(&mut kept, &plan.table.sections);
    kept
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
            let key =
                if k.bone.starts_with('[') { k.cells.first().cloned().unwrap_or_default() } else { String::new() };
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

    fn into_rows(self) -> Vec<KeptRow> {
        self.rows.into_iter().flatten().collect()
    }
}

/// A section of the table replaces the kept one of the same name.
fn merge_sections(kept: &mut Vec<KeptRow>, sections: &[RawSection]) {
    let mut given: BTreeMap<&str, Vec<KeptRow>> = BTreeMap::new();
    for section in sections.iter().filter(|s| !s.is(ENDS) && !s.is(PIVOTS)) {
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

/// The kept rows of a document by kind, for an export.
pub(super) struct Kept {
    pub bones: Vec<BoneRow>,
    pub pivots: Vec<PivotRow>,
    pub sections: Vec<RawSection>,
    pub ends: BTreeMap<String, RowEnd>,
}

impl Kept {
    pub(super) fn of(document: &Document) -> Self {
        let layout = Layout::of(document.solver);
        let mut all = Self { bones: Vec::new(), pivots: Vec::new(), sections: Vec::new(), ends: BTreeMap::new() };
        for row in &document.kept {
            match row.bone.as_str() {
                ENDS => {
                    if let (Some(bone), Some(end)) = (row.cells.first(), RowEnd::parse(&row.cells)) {
                        all.ends.insert(bone.clone(), end);
                    }
                }
                PIVOTS => {
                    if let Some((name, rest)) = row.cells.split_first() {
                        all.pivots.push(PivotRow::parse(0, name.clone(), rest.to_vec(), false));
                    }
                }
                name if name.starts_with('[') => all.push_raw(name, &row.cells),
                name => all.bones.push(layout.bone_row(0, name.to_owned(), row.cells.clone(), false)),
            }
        }
        all
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
