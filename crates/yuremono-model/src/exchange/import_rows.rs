//! Rows of an import: status, notes and unresolved names.

use super::{CellProblem, FileEntry};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt;
use yuremono_sim::SolverKind;
use yuremono_sim::diagnostics::{Diagnostic, Location, MessageText, excerpt, message};
use yuremono_sim::rig::BoneId;

/// An unresolved name in a component list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnresolvedName {
    /// The name as in the file.
    pub name: String,
    /// Whether the name belongs to a collider instead of a node.
    pub is_collider: bool,
    /// JSON pointer relative to the entry. Empty for the entry itself.
    pub json_pointer: String,
}

impl UnresolvedName {
    /// All unresolved nodes and colliders without duplicates, in the order of the lists.
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

/// Finds names in the JSON of component lists. Colliders are keys. Nodes are values or keys.
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

/// A problem with a part of a row. The other parts are imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportNote {
    /// The name of a missing pivot.
    MissingPivot(String),
    /// The name of the bone whose frame the limits use. With flip axis Z, the import rotates a helper pivot by 180°,
    /// but it cannot rotate a bone. The limits therefore open in the opposite direction. See
    /// `FlipAxis::pivot_from_euler`.
    LimitsFlipped(String),
    /// Names of missing colliders. They are kept for the next export.
    MissingColliders(Vec<String>),
    /// Names of missing length targets. They are kept for the next export.
    MissingLengthTargets(Vec<String>),
    /// Unresolved names in component lists. Entries with these names are skipped.
    MissingListNames(Vec<UnresolvedName>),
    /// The row describes one component, but the chains of the table belong to several components.
    SeveralComponents,
    /// The name of a bone that Unity would move. Yuremono leaves bones unchanged and puts a helper on the bone.
    WouldMoveBone(String),
    /// The root of the chain is one of its excluded bones. `KawaiiPhysics` does not simulate such a chain, and
    /// `DynamicBone` ignores the exclusion. The import ignores the exclusion.
    ExcludedRoot,
    /// Names of missing bones at which the chain would end. The chain continues to its tips.
    MissingEndBones(Vec<String>),
}

/// Maximum number of names in one note.
const MAX_NAMES: usize = 8;

impl ImportNote {
    /// The names of missing pivots, length targets and colliders, and whether each is a collider.
    pub(super) fn missing_references(&self) -> impl Iterator<Item = (&str, bool)> {
        let (names, is_collider) = match self {
            Self::MissingPivot(name) => (std::slice::from_ref(name), false),
            Self::MissingLengthTargets(names) => (names.as_slice(), false),
            Self::MissingColliders(names) => (names.as_slice(), true),
            _ => (&[][..], false),
        };
        names.iter().map(move |name| (name.as_str(), is_collider))
    }

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
            Self::ExcludedRoot => {
                message!("the root of the chain is also an excluded bone; the exclusion is ignored")
            }
            Self::MissingEndBones(names) => {
                message!("excluded bones or end bones do not exist: \"{names}\"; left out", names = list(names))
            }
        }
    }
}

impl fmt::Display for ImportNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message())
    }
}

/// The missing target of an entry's reference.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MissingReference {
    Bone(String),
    /// A bone or helper.
    Node(String),
    /// A joint of an existing bone.
    Joint(String),
    /// A chain whose root is this bone.
    Chain(String),
    LengthTarget(String),
    Collider(String),
    /// A collider group, by its number in the file.
    Group(u32),
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

/// Comment rows that have the same unresolved reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnresolvedRows {
    /// The unresolved reference.
    pub missing: MissingReference,
    /// 1-based line of the first row, or `None` for files without lines.
    pub line: Option<u64>,
    /// The kind of the first row.
    pub entry_kind: String,
    pub rows: usize,
}

impl UnresolvedRows {
    /// Returns a warning about these rows.
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
    /// The row matches an existing bone or element.
    Matches {
        /// The number of changed values. For a new joint, all values count as changed.
        changes: usize,
        /// The stiffness of a joint row: the current value if the joint exists, and the value of the file.
        stiffness: Option<(Option<f32>, f32)>,
        /// Problems with parts of the row.
        notes: Vec<ImportNote>,
    },
    /// The row creates a collider, pivot, node or component.
    New {
        /// Problems with parts of the row.
        notes: Vec<ImportNote>,
    },
    /// The bone or component node does not exist. The row is kept for the next export.
    BoneNotFound,
    /// A referenced node does not exist. The row is kept for the next export.
    NodeNotFound(String),
    /// A reference of the comment row is not resolved. The row is kept for the next export.
    ReferenceNotFound(MissingReference),
    /// No usable joint row refers to the pivot. The row is kept for the next export.
    UnusedPivot,
    InvalidCells(Vec<CellProblem>),
    /// The row repeats a name. Contains the line of the row that is used instead: the last row for a bone, the first
    /// row for any other name.
    Duplicate(u64),
}

impl ImportRowStatus {
    /// Whether the row can be imported.
    pub const fn is_usable(&self) -> bool {
        matches!(self, Self::Matches { .. } | Self::New { .. })
    }

    /// Problems with parts of the row.
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
    /// The name as in the file.
    pub name: String,
    /// The target bone, or the nearest ancestor bone of the target node.
    pub target: Option<BoneId>,
    pub status: ImportRowStatus,
    /// Whether the row is imported. Only usable rows can be included.
    pub included: bool,
    /// Whether a spreadsheet may interpret the name as a formula.
    pub looks_like_formula: bool,
}

impl ImportRow {
    /// The names of the row that the character lacks: the bone, a node, or references of the row.
    pub fn missing_names(&self) -> Vec<String> {
        let of_note = |note: &ImportNote| match note {
            ImportNote::MissingPivot(name) => vec![name.clone()],
            ImportNote::MissingColliders(names)
            | ImportNote::MissingLengthTargets(names)
            | ImportNote::MissingEndBones(names) => names.clone(),
            ImportNote::MissingListNames(names) => names.iter().map(|one| one.name.clone()).collect(),
            ImportNote::LimitsFlipped(_)
            | ImportNote::SeveralComponents
            | ImportNote::WouldMoveBone(_)
            | ImportNote::ExcludedRoot => Vec::new(),
        };
        match &self.status {
            ImportRowStatus::BoneNotFound => vec![self.name.clone()],
            ImportRowStatus::NodeNotFound(name) => vec![name.clone()],
            ImportRowStatus::ReferenceNotFound(missing) => missing.name().map(str::to_owned).into_iter().collect(),
            status => status.notes().iter().flat_map(of_note).collect(),
        }
    }

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

/// What an import does, for a message after the import.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportSummary {
    /// Rows that change the character.
    pub changed: usize,
    /// Imported rows that change nothing.
    pub same: usize,
    /// Rows that the character cannot use. They are kept for the next export.
    pub kept: usize,
    /// Excluded rows, repeated rows and rows with invalid cells.
    pub skipped: usize,
    /// Names that the character lacks, without duplicates, in file order.
    pub not_found: Vec<String>,
}

impl ImportSummary {
    /// `kept` contains the indices of the rows that are kept for the next export.
    pub(super) fn of_rows(rows: &[ImportRow], kept: &BTreeSet<usize>) -> Self {
        let mut summary = Self::default();
        for (at, row) in rows.iter().enumerate() {
            match &row.status {
                _ if kept.contains(&at) => summary.kept += 1,
                _ if !row.included => summary.skipped += 1,
                ImportRowStatus::Matches { changes: 0, .. } => summary.same += 1,
                _ => summary.changed += 1,
            }
            for name in row.missing_names() {
                if !summary.not_found.contains(&name) {
                    summary.not_found.push(name);
                }
            }
        }
        summary
    }
}

/// The number of rows by status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImportCounts {
    /// Rows that can be imported.
    pub usable: usize,
    /// Rows that are imported.
    pub included: usize,
    /// Rows without a target, unused pivots and duplicates.
    pub unusable: usize,
    /// Rows with invalid cells.
    pub invalid: usize,
    /// Joints without a row. The import leaves them unchanged, except for the tails of VRM 0.x chains.
    pub not_in_file: usize,
}
