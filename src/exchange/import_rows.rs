//! The rows of an import: their status, notes and unresolved names.

use super::{CellProblem, FileEntry};
use crate::diagnostics::{Diagnostic, Location, MessageText, excerpt, message};
use crate::rig::BoneId;
use crate::sim::SolverKind;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt;

/// An unresolved name of a component list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnresolvedName {
    /// As in the file.
    pub name: String,
    /// Whether it is a collider instead of a node.
    pub is_collider: bool,
    /// JSON pointer relative to the entry; empty for the entry itself.
    pub json_pointer: String,
}

impl UnresolvedName {
    /// Each unresolved node and collider once, in the order of the lists.
    pub(super) fn from_component_lists(missing: &[MissingReference], lists: &impl Serialize) -> Vec<Self> {
        let named =
            |one: &MissingReference| Some((one.name()?.to_owned(), matches!(one, MissingReference::Collider(_))));
        let mut search = MissingNameSearch { missing: missing.iter().filter_map(named).collect(), found: Vec::new() };
        if !search.missing.is_empty() {
            search.search(&serde_json::to_value(lists).unwrap_or_default(), "/component_lists");
        }
        let rest = search.missing.into_iter().map(|(name, is_collider)| Self {
            name,
            is_collider,
            json_pointer: String::new(),
        });
        search.found.into_iter().chain(rest).collect()
    }
}

/// Finds names in the JSON of component lists. Colliders are keys; nodes are values or keys.
struct MissingNameSearch {
    missing: BTreeSet<(String, bool)>,
    found: Vec<UnresolvedName>,
}

impl MissingNameSearch {
    fn search(&mut self, json: &Value, at: &str) {
        match json {
            Value::String(name) => self.record_match(name, at, &[false]),
            Value::Array(items) => {
                items.iter().enumerate().for_each(|(n, item)| self.search(item, &format!("{at}/{n}")));
            }
            Value::Object(fields) => {
                for (key, value) in fields {
                    let at = format!("{at}/{}", excerpt(key).replace('~', "~0").replace('/', "~1"));
                    self.record_match(key, &at, &[false, true]);
                    self.search(value, &at);
                }
            }
            _ => {}
        }
    }

    fn record_match(&mut self, name: &str, at: &str, kinds: &[bool]) {
        for is_collider in kinds.iter().copied() {
            let found = self.missing.take(&(name.to_owned(), is_collider));
            let found =
                found.map(|(name, is_collider)| UnresolvedName { name, is_collider, json_pointer: at.to_owned() });
            self.found.extend(found);
        }
    }
}

/// A part of a row that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportNote {
    /// Name of a missing pivot.
    MissingPivot(String),
    /// Limits measured in the bone of this name. A helper would be rotated by 180°, a bone cannot be, so the limits
    /// open to the other side. See `FlipAxis::pivot_from_euler`.
    LimitsFlipped(String),
    /// Names of missing colliders; kept for the next export.
    MissingColliders(Vec<String>),
    /// Names of missing length targets; kept for the next export.
    MissingLengthTargets(Vec<String>),
    /// Unresolved names of component lists; their entries are left out.
    MissingListNames(Vec<UnresolvedName>),
    /// The row describes one component, but the chains of the table belong to several.
    SeveralComponents,
    /// Unity would move the bone of this name. Bones stay; a helper on the bone replaces it.
    WouldMoveBone(String),
}

/// Maximum number of names in one note.
const MAX_NAMES: usize = 8;

impl ImportNote {
    pub(super) fn message(&self) -> MessageText {
        let list = |names: &[String]| names.iter().map(|n| excerpt(n)).collect::<Vec<_>>().join("\", \"");
        match self {
            Self::MissingPivot(name) => message!("pivot node \"{name}\" does not exist", name = excerpt(name)),
            Self::LimitsFlipped(name) => message!(
                "limits refer to bone \"{name}\"; with mirror Z they open to the other side",
                name = excerpt(name)
            ),
            Self::MissingColliders(names) => message!("colliders do not exist: \"{names}\"", names = list(names)),
            Self::MissingLengthTargets(names) => {
                message!("length limit targets do not exist: \"{names}\"", names = list(names))
            }
            Self::MissingListNames(lost) => {
                let names: Vec<_> = lost.iter().take(MAX_NAMES).map(|one| excerpt(&one.name)).collect();
                let others = lost.len() - names.len();
                let more = if others > 0 { message!(" and {others} more", others) } else { "".into() };
                let names = names.join("\", \"");
                message!(
                    "the component lists contain names that do not exist: \"{names}\"{more}; these are left out",
                    names,
                    more
                )
            }
            Self::SeveralComponents => {
                message!("component lists are left out, because the chains belong to several components")
            }
            Self::WouldMoveBone(name) => message!(
                "Unity would move bone \"{name}\"; bones of the character stay where they are",
                name = excerpt(name)
            ),
        }
    }
}

impl fmt::Display for ImportNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message())
    }
}

/// Something that an entry refers to and that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MissingReference {
    /// A bone.
    Bone(String),
    /// A bone or helper.
    Node(String),
    /// A joint of an existing bone.
    Joint(String),
    /// A chain whose root is this bone.
    Chain(String),
    /// A length target.
    LengthTarget(String),
    /// A collider.
    Collider(String),
    /// A collider group, by its number in the file.
    Group(u32),
    /// A parameter.
    Parameter(String),
    /// A component of this solver.
    Component(SolverKind),
}

impl MissingReference {
    /// The missing name.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Bone(name)
            | Self::Node(name)
            | Self::Joint(name)
            | Self::Chain(name)
            | Self::LengthTarget(name)
            | Self::Collider(name)
            | Self::Parameter(name) => Some(name),
            Self::Group(_) | Self::Component(_) => None,
        }
    }

    fn message(&self) -> MessageText {
        let name = excerpt(self.name().unwrap_or_default());
        match self {
            Self::Bone(_) => message!("bone \"{name}\" does not exist", name),
            Self::Node(_) => message!("bone or node \"{name}\" does not exist", name),
            Self::Joint(_) => message!("bone \"{name}\" is not simulated", name),
            Self::Chain(_) => message!("no chain starts at bone \"{name}\"", name),
            Self::LengthTarget(_) => message!("no length limit refers to \"{name}\"", name),
            Self::Collider(_) => message!("collider \"{name}\" does not exist", name),
            Self::Group(number) => message!("collider group {number} is not described", number = *number),
            Self::Parameter(_) => message!("the solver has no parameter \"{name}\"", name),
            Self::Component(solver) => message!("no component of {solver} exists", solver = solver.key()),
        }
    }
}

/// Comment rows with the same unresolved reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnresolvedRows {
    /// The unresolved reference.
    pub missing: MissingReference,
    /// 1-based line of the first row; `None` for files without lines.
    pub line: Option<u64>,
    /// Kind of the first row.
    pub entry_kind: String,
    /// Number of rows.
    pub rows: usize,
}

impl UnresolvedRows {
    /// A warning about the file.
    pub fn diagnostic(&self, file_name: &str) -> Diagnostic {
        let mut place = Location::file(file_name);
        place.line = self.line;
        let (kind, problem) = (excerpt(&self.entry_kind), self.missing.message());
        let message = match self.rows {
            1 => message!("comment row \"{kind}\": {problem}; kept for the next export", kind, problem),
            rows => {
                message!(
                    "{rows} comment rows, first \"{kind}\": {problem}; kept for the next export",
                    rows,
                    kind,
                    problem
                )
            }
        };
        Diagnostic::warning(place, message)
    }
}

/// What an import would do with a row.
#[derive(Clone, Debug, PartialEq)]
pub enum ImportRowStatus {
    /// Changes something that exists.
    Matches {
        /// Number of changed values; all values of a new joint.
        changes: usize,
        /// Stiffness of a joint row: current value if there is a joint, and value of the file.
        stiffness: Option<(Option<f32>, f32)>,
        /// Parts that cannot be used.
        notes: Vec<ImportNote>,
    },
    /// Creates a collider, pivot, node or component.
    New {
        /// Parts that cannot be used.
        notes: Vec<ImportNote>,
    },
    /// The bone or component node does not exist; the row is kept for the next export.
    BoneNotFound,
    /// A referenced node does not exist; the row is kept for the next export.
    NodeNotFound(String),
    /// A comment row with an unresolved reference; kept for the next export.
    ReferenceNotFound(MissingReference),
    /// A pivot that no usable joint row refers to; kept for the next export.
    UnusedPivot,
    /// Invalid cells.
    InvalidCells(Vec<CellProblem>),
    /// Line of the row that is used instead: the last of a bone, otherwise the first of the name.
    Duplicate(u64),
}

impl ImportRowStatus {
    /// Whether the row can be imported.
    pub const fn is_usable(&self) -> bool {
        matches!(self, Self::Matches { .. } | Self::New { .. })
    }

    /// Parts that cannot be used.
    pub fn notes(&self) -> &[ImportNote] {
        match self {
            Self::Matches { notes, .. } | Self::New { notes } => notes,
            _ => &[],
        }
    }
}

/// A row of the import dialog.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportRow {
    /// 1-based line in the file.
    pub line: u64,
    /// As in the file.
    pub name: String,
    /// The target bone, or the bone above the target node.
    pub target: Option<BoneId>,
    /// What would happen.
    pub status: ImportRowStatus,
    /// Whether the row is imported; only usable rows can be.
    pub included: bool,
    /// Whether a spreadsheet may read the name as a formula.
    pub looks_like_formula: bool,
}

impl ImportRow {
    pub(super) fn new(item: &FileEntry, target: Option<BoneId>, state: ImportRowStatus) -> Self {
        let formula = item.looks_like_formula();
        Self {
            line: item.line,
            name: item.name.clone(),
            target,
            included: state.is_usable(),
            status: state,
            looks_like_formula: formula,
        }
    }
}

/// Number of rows by status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImportCounts {
    /// Rows that can be imported.
    pub usable: usize,
    /// Rows that are imported.
    pub included: usize,
    /// Rows without target, unused pivots and duplicates.
    pub unusable: usize,
    /// Rows with invalid cells.
    pub invalid: usize,
    /// Joints without a row; they stay unchanged.
    pub not_in_file: usize,
}
