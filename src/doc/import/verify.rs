//! The rows of a table that the engine refuses, as its import window lists them.

use super::names::Names;
use crate::doc::table::{BadRow, BoneTable, Fault, Problem, Section, TableRow, has_pivots};
use crate::doc::{Document, Node};
use crate::report::{Diagnostic, Place, clip};
use crate::rig::{Character, Skeleton};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Which halves of a table the artist wants: the engine's two check boxes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Bones and pivots.
    pub bones: bool,
    /// Colliders, bare nodes and components.
    pub colliders: bool,
}

impl Default for Wanted {
    fn default() -> Self {
        Self { bones: true, colliders: true }
    }
}

/// Why the engine refuses a row.
#[derive(Clone, Debug, PartialEq)]
pub enum ErrorKind {
    /// Cells that cannot be understood.
    Cells(Vec<Problem>),
    /// The node of this name, on which it would hang, is not here.
    NoParent(String),
    /// An earlier row has the name.
    SharedName,
    /// The mesh of this name is not here.
    NoRenderer(String),
    /// The row has no name.
    NoName,
    /// There is no such bone.
    NoBone,
    /// The pivot cell is empty.
    NoPivotName,
    /// The pivot of this name is neither here nor a good row of the table.
    NoPivot(String),
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cells(problems) => {
                let all: Vec<_> = problems.iter().map(ToString::to_string).collect();
                f.write_str(&all.join("; "))
            }
            Self::NoParent(name) => write!(f, "its parent \"{}\" is not here", clip(name)),
            Self::SharedName => f.write_str("an earlier row has the same name"),
            Self::NoRenderer(name) => write!(f, "mesh \"{}\" is not here", clip(name)),
            Self::NoName => f.write_str("the row has no name"),
            Self::NoBone => f.write_str("there is no such bone"),
            Self::NoPivotName => f.write_str("no pivot is named"),
            Self::NoPivot(name) => write!(f, "pivot node \"{}\" is not here", clip(name)),
        }
    }
}

/// A row that the engine refuses.
#[derive(Clone, Debug, PartialEq)]
pub struct RowError {
    /// Where it stands.
    pub section: Section,
    /// Its position among the section's rows; none for a row without any text.
    pub row: Option<usize>,
    /// 1-based line in the file; 0 where there is none.
    pub line: u64,
    /// As the file has it.
    pub name: String,
    /// Why.
    pub kind: ErrorKind,
}

impl RowError {
    /// As a message about a file.
    pub fn diagnostic(&self, file_name: &str) -> Diagnostic {
        let place = Place::file(file_name).bone(clip(&self.name));
        let place = if self.line == 0 { place } else { place.line(self.line) };
        Diagnostic::warning(place, self.kind.to_string())
    }
}

/// Names of a character's meshes and of the bones that carry them, which is how the engine finds them.
pub fn renderer_names(character: &Character) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for mesh in &character.meshes {
        for name in [mesh.name.as_str(), character.skeleton.name(mesh.bone)] {
            if !name.is_empty() && !names.iter().any(|n| n == name) {
                names.push(name.to_owned());
            }
        }
    }
    names
}

/// The mesh that a cell names: whatever its case, without what stands before the last colon.
pub(super) fn renderer<'a>(renderers: &'a [String], cell: &str) -> Option<&'a String> {
    let bare = |name: &str| name.rsplit(':').next().unwrap_or_default().to_lowercase();
    renderers.iter().find(|name| bare(name) == bare(cell))
}

/// Every row that the engine's window would list before it builds, in its order, one message each: the last one
/// that it finds. `renderers` are the names of meshes, see [`renderer_names`].
pub fn verify(
    table: &BoneTable,
    document: &Document,
    skeleton: &Skeleton,
    renderers: &[String],
    wanted: Wanted,
) -> Vec<RowError> {
    let document = &*document.only(table.solver);
    let names = Names::of(document, skeleton);
    let mut errors = Vec::new();
    if wanted.colliders && table.has_collider_rules() {
        unread(table, &table.colliders, Section::Colliders, &mut errors);
        unread(table, &table.nulls, Section::Nulls, &mut errors);
        let here = |name: &str| names.find(name).is_some();
        let nulls = check_nulls(table, here, &mut errors);
        // What is another collider of the file carries none, whether its node is here from an earlier load or not.
        let colliders: BTreeSet<&str> = good(&table.colliders).map(|(_, row, _)| row.name.as_str()).collect();
        let carries = |name: &str| match names.find(name) {
            Some(Node::Bone(_)) => true,
            Some(Node::Helper(_)) => !colliders.contains(name),
            None => false,
        };
        check_colliders(table, |name| carries(name) || nulls.contains(name), renderers, &mut errors);
    }
    if wanted.bones && !table.no_bones {
        unread(table, &table.pivots, Section::Pivots, &mut errors);
        let pivots = check_pivots(table, &names, &mut errors);
        unread(table, &table.bones, Section::Bones, &mut errors);
        check_bones(table, &names, &pivots, &mut errors);
    }
    errors
}

/// Rows whose cells cannot be understood, blank ones among them, by line.
fn unread<T>(table: &BoneTable, rows: &[TableRow<T>], section: Section, errors: &mut Vec<RowError>) {
    let mut found: Vec<RowError> = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        if let Err(BadRow { problems, .. }) = &row.cells {
            found.push(error(section, at, row, ErrorKind::Cells(problems.clone())));
        }
    }
    for (_, line) in table.blanks.iter().filter(|(of, _)| *of == section) {
        let kind = ErrorKind::Cells(vec![Problem::row(Fault::Blank)]);
        found.push(RowError { section, row: None, line: *line, name: String::new(), kind });
    }
    found.sort_by_key(|e| e.line);
    errors.append(&mut found);
}

fn error<T>(section: Section, at: usize, row: &TableRow<T>, kind: ErrorKind) -> RowError {
    RowError { section, row: Some(at), line: row.line, name: row.name.clone(), kind }
}

/// Good rows of a section with their positions.
fn good<T>(rows: &[TableRow<T>]) -> impl Iterator<Item = (usize, &TableRow<T>, &T)> {
    rows.iter().enumerate().filter_map(|(at, row)| Some((at, row, row.cells.as_ref().ok()?)))
}

fn check_nulls<'a>(table: &'a BoneTable, here: impl Fn(&str) -> bool, errors: &mut Vec<RowError>) -> BTreeSet<&'a str> {
    let all: BTreeSet<&str> = good(&table.nulls).map(|(_, row, _)| row.name.as_str()).collect();
    let mut seen = BTreeSet::new();
    for (at, row, cells) in good(&table.nulls) {
        let known = here(&cells.parent) || (all.contains(cells.parent.as_str()) && cells.parent != row.name);
        let mut kind = (!known).then(|| ErrorKind::NoParent(cells.parent.clone()));
        if !seen.insert(row.name.as_str()) {
            kind = Some(ErrorKind::SharedName);
        }
        errors.extend(kind.map(|kind| error(Section::Nulls, at, row, kind)));
    }
    all
}

fn check_colliders(table: &BoneTable, here: impl Fn(&str) -> bool, renderers: &[String], errors: &mut Vec<RowError>) {
    let mut seen = BTreeSet::new();
    for (at, row, cells) in good(&table.colliders) {
        let mut kind = (!here(&cells.node.parent)).then(|| ErrorKind::NoParent(cells.node.parent.clone()));
        if !seen.insert(row.name.as_str()) {
            kind = Some(ErrorKind::SharedName);
        }
        if !cells.renderer.is_empty() && renderer(renderers, &cells.renderer).is_none() {
            kind = Some(ErrorKind::NoRenderer(cells.renderer.clone()));
        }
        errors.extend(kind.map(|kind| error(Section::Colliders, at, row, kind)));
    }
}

fn check_pivots<'a>(table: &'a BoneTable, names: &Names<'_>, errors: &mut Vec<RowError>) -> BTreeSet<&'a str> {
    let mut valid = BTreeSet::new();
    for (at, row, cells) in good(&table.pivots) {
        if row.name.is_empty() {
            errors.push(error(Section::Pivots, at, row, ErrorKind::NoName));
        } else if names.find(&cells.parent).is_none() {
            errors.push(error(Section::Pivots, at, row, ErrorKind::NoParent(cells.parent.clone())));
        } else {
            valid.insert(row.name.as_str());
        }
    }
    valid
}

fn check_bones(table: &BoneTable, names: &Names<'_>, pivots: &BTreeSet<&str>, errors: &mut Vec<RowError>) {
    for (at, row, cells) in good(&table.bones) {
        let mut kind = names.find(&row.name).is_none().then_some(ErrorKind::NoBone);
        if !has_pivots(table.solver) {
            // There is no cell for one.
        } else if cells.pivot.is_empty() {
            kind = Some(ErrorKind::NoPivotName);
        } else if !pivots.contains(cells.pivot.as_str()) && names.find(&cells.pivot).is_none() {
            kind = Some(ErrorKind::NoPivot(cells.pivot.clone()));
        }
        errors.extend(kind.map(|kind| error(Section::Bones, at, row, kind)));
    }
}

/// Positions of the rows that are refused, by section.
pub(super) fn refused(errors: &[RowError]) -> BTreeMap<Section, BTreeSet<usize>> {
    let mut all: BTreeMap<Section, BTreeSet<usize>> = BTreeMap::new();
    for error in errors {
        all.entry(error.section).or_default().extend(error.row);
    }
    all
}
