//! What an import says of the entries of a file: their rows, and names that are not here.

use super::{CellProblem, FileEntry};
use crate::diagnostics::{Diagnostic, Location, excerpt};
use crate::rig::BoneId;
use crate::sim::SolverKind;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt;

/// A name that a component's lists refer to and that is not here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnresolvedName {
    /// As in the file.
    pub name: String,
    /// Whether it is a collider, not a bone or another node.
    pub is_collider: bool,
    /// JSON pointer from the entry to the name; empty if the entry is the name's place.
    pub json_pointer: String,
}

impl UnresolvedName {
    /// The nodes and colliders that are missing from component lists, each once, in the order of the lists.
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

/// Finds names in the JSON of component lists. Colliders are keys; bones and nodes are values or keys.
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

/// Something of a row that cannot be used as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportNote {
    /// The pivot of this name is neither here nor in the table.
    MissingPivot(String),
    /// The limits refer to the bone of this name. A helper would be turned by half; a bone cannot be, so they open to
    /// the other side, see
    /// `Axis::pivot_from_euler`.
    LimitsFlipped(String),
    /// Colliders of these names are neither here nor in the table; they are kept for the next export.
    MissingColliders(Vec<String>),
    /// Nodes of these names, to which lengths are held, are not here; they are kept for the next export.
    MissingLengthTargets(Vec<String>),
    /// What a component's lists name is not here; what they say of it is left out.
    MissingListNames(Vec<UnresolvedName>),
    /// The row speaks of one component, and the rows of the table go to chains of several.
    SeveralComponents,
    /// The row has the name of this bone of the file, which the engine would move. Bones of the file stay here: a
    /// helper on it stands where the bone would have come to stand.
    WouldMoveBone(String),
}

/// So many names stand in one note.
const MAX_NAMES: usize = 8;

impl fmt::Display for ImportNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |names: &[String]| names.iter().map(|n| excerpt(n)).collect::<Vec<_>>().join("\", \"");
        match self {
            Self::MissingPivot(name) => write!(f, "pivot node \"{}\" is not here", excerpt(name)),
            Self::LimitsFlipped(name) => {
                write!(f, "limits refer to bone \"{}\"; with mirror Z they open to the other side", excerpt(name))
            }
            Self::MissingColliders(names) => write!(f, "colliders are not here: \"{}\"", list(names)),
            Self::MissingLengthTargets(names) => write!(f, "length limit targets are not here: \"{}\"", list(names)),
            Self::MissingListNames(lost) => {
                let names: Vec<_> = lost.iter().take(MAX_NAMES).map(|one| excerpt(&one.name)).collect();
                let more = lost.len() - names.len();
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                write!(f, "not here: \"{}\"{more}; what the component says of them is left out", names.join("\", \""))
            }
            Self::SeveralComponents => {
                f.write_str("lists of a component; the chains here are of several, so that they are left out")
            }
            Self::WouldMoveBone(name) => {
                write!(f, "the engine would move bone \"{}\"; bones of the file stay where they are", excerpt(name))
            }
        }
    }
}

/// What a comment row speaks of and nobody here has.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MissingReference {
    /// The bone of this name.
    Bone(String),
    /// The bone or node of this name.
    Node(String),
    /// A joint on the bone of this name, which does not sway.
    Joint(String),
    /// A chain that begins with the bone of this name.
    Chain(String),
    /// A length that is held to the node of this name.
    LengthTarget(String),
    /// The collider of this name.
    Collider(String),
    /// The group of this number, which no row describes.
    Group(u32),
    /// The parameter of this name.
    Parameter(String),
    /// A component of this solver, whose lists the row has.
    Component(SolverKind),
}

impl MissingReference {
    /// The name that is missing.
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
}

impl fmt::Display for MissingReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bone(name) => write!(f, "there is no bone \"{}\" here", excerpt(name)),
            Self::Node(name) => write!(f, "there is no bone or node \"{}\" here", excerpt(name)),
            Self::Joint(name) => write!(f, "bone \"{}\" does not sway here", excerpt(name)),
            Self::Chain(name) => write!(f, "no chain begins with bone \"{}\" here", excerpt(name)),
            Self::LengthTarget(name) => write!(f, "no length is held to \"{}\" here", excerpt(name)),
            Self::Collider(name) => write!(f, "there is no collider \"{}\" here", excerpt(name)),
            Self::Group(number) => write!(f, "no row describes group {number}"),
            Self::Parameter(name) => write!(f, "the solver has no value \"{}\"", excerpt(name)),
            Self::Component(solver) => write!(f, "there is no component of {} here", solver.key()),
        }
    }
}

/// Comment rows that find nothing here, for one reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnresolvedRows {
    /// What they miss.
    pub missing: MissingReference,
    /// 1-based line of the first of them; `None` where the file has no lines to count.
    pub line: Option<u64>,
    /// What kind of thing the first of them says.
    pub entry_kind: String,
    /// How many.
    pub rows: usize,
}

impl UnresolvedRows {
    /// As a message about a file.
    pub fn diagnostic(&self, file_name: &str) -> Diagnostic {
        let mut place = Location::file(file_name);
        place.line = self.line;
        let kind = excerpt(&self.entry_kind);
        let rows = match self.rows {
            1 => format!("comment row \"{kind}\""),
            rows => format!("{rows} comment rows, the first \"{kind}\""),
        };
        Diagnostic::warning(place, format!("{rows}: {}; kept for an export", self.missing))
    }
}

/// What would happen with a row.
#[derive(Clone, Debug, PartialEq)]
pub enum ImportRowStatus {
    /// What it is about is here.
    Matches {
        /// How many values would change; all of them where the bone does not sway yet.
        changes: usize,
        /// Of the restoring force: now, if the bone sways, and as the file says. Of bone rows only.
        stiffness: Option<(Option<f32>, f32)>,
        /// What of the row cannot be used.
        notes: Vec<ImportNote>,
    },
    /// A collider, pivot, node or component that would be made.
    New {
        /// What of the row cannot be used.
        notes: Vec<ImportNote>,
    },
    /// This character has no bone of that name, or no node of this component; the row is kept for the next export.
    BoneNotFound,
    /// The node of this name, which the row hangs on or speaks of, is not here; the row is kept for the next export.
    NodeNotFound(String),
    /// A comment row that speaks of something that is not here; it is kept for the next export.
    ReferenceNotFound(MissingReference),
    /// A pivot that no row of a bone that is here asks for; kept for the next export.
    UnusedPivot,
    /// Cells that cannot be understood.
    InvalidCells(Vec<CellProblem>),
    /// The row of this line is taken in its place: for a bone a later one, for all else the first of the name.
    Duplicate(u64),
}

impl ImportRowStatus {
    /// Whether the row can be used.
    pub const fn is_usable(&self) -> bool {
        matches!(self, Self::Matches { .. } | Self::New { .. })
    }

    /// What of the row cannot be used.
    pub fn notes(&self) -> &[ImportNote] {
        match self {
            Self::Matches { notes, .. } | Self::New { notes } => notes,
            _ => &[],
        }
    }
}

/// A row of the import window.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportRow {
    /// 1-based line in the file.
    pub line: u64,
    /// As the file has it.
    pub name: String,
    /// The bone that gets the values, or that carries the node of the row.
    pub target: Option<BoneId>,
    /// What would happen.
    pub status: ImportRowStatus,
    /// Whether the row will be used; only usable rows can be.
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

/// How many rows of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImportCounts {
    /// Rows that can be used: what they are about is here or would be made.
    pub usable: usize,
    /// Of these, rows that will be used.
    pub included: usize,
    /// Rows without bone or node, that nothing asks for, or that another row stands for.
    pub unusable: usize,
    /// Rows with cells that cannot be read.
    pub invalid: usize,
    /// Joints that the file says nothing about; they stay as they are.
    pub not_in_file: usize,
}
