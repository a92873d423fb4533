//! Finds the rows of a file that Unity's import window rejects.

use super::name_resolver::NameResolver;
use super::{CellFault, CellProblem, FileEntry, FileSection, SetupFile};
use crate::document::{ByName, Document, Helper, JointEntry, Node, NodeRef, ReplacedProperties, SetupEntry};
use std::collections::BTreeSet;
use yuremono_sim::diagnostics::{Diagnostic, Location, MessageText, excerpt, message};
use yuremono_sim::rig::{Character, Skeleton};

/// The sections that are imported: the two check boxes of Unity's import window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableSections {
    /// Joints and pivots.
    pub bones: bool,
    /// Colliders, nulls and components.
    pub colliders: bool,
}

impl Default for TableSections {
    fn default() -> Self {
        Self { bones: true, colliders: true }
    }
}

/// The reason why Unity rejects a row.
#[derive(Clone, Debug, PartialEq)]
pub enum RowErrorKind {
    InvalidCells(Vec<CellProblem>),
    /// The name of a parent that does not exist.
    ParentNotFound(String),
    /// An earlier row has the same name.
    DuplicateName,
    /// The name of a mesh that does not exist.
    MeshNotFound(String),
    MissingName,
    BoneNotFound,
    /// The pivot cell is empty.
    MissingPivotName,
    /// The name of a pivot that is neither in the document nor valid in the file.
    PivotNotFound(String),
}

impl RowErrorKind {
    fn message(&self) -> MessageText {
        match self {
            Self::InvalidCells(problems) => {
                let all = problems.iter().map(CellProblem::message_with_column);
                all.reduce(|first, rest| message!("{first}; {rest}", first, rest)).unwrap_or_else(|| "".into())
            }
            Self::ParentNotFound(name) => message!("parent \"{name}\" does not exist", name = excerpt(name)),
            Self::DuplicateName => message!("an earlier row has the same name"),
            Self::MeshNotFound(name) => message!("mesh \"{name}\" does not exist", name = excerpt(name)),
            Self::MissingName => message!("the row has no name"),
            Self::BoneNotFound => message!("the bone does not exist"),
            Self::MissingPivotName => message!("the row has no pivot name"),
            Self::PivotNotFound(name) => message!("pivot node \"{name}\" does not exist", name = excerpt(name)),
        }
    }
}

/// A row that Unity rejects.
#[derive(Clone, Debug, PartialEq)]
pub struct RowError {
    pub section: FileSection,
    /// Index in `SetupFile::entries`, or `None` for a blank row.
    pub entry_index: Option<usize>,
    /// 1-based line in the file, or 0 if unknown.
    pub line: u64,
    /// The name as in the file.
    pub name: String,
    pub kind: RowErrorKind,
}

impl RowError {
    /// A warning about the file.
    pub fn diagnostic(&self, file_name: &str) -> Diagnostic {
        let place = Location::file(file_name).with_bone(excerpt(&self.name));
        let place = if self.line == 0 { place } else { place.with_line(self.line) };
        Diagnostic::warning(place, self.kind.message())
    }
}

/// The names of meshes and of the bones that they are attached to. Unity finds a mesh by either name.
pub fn mesh_names(character: &Character) -> Vec<String> {
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

/// Compares names as Unity does: case and all text before the last colon are ignored.
pub(super) fn find_mesh<'a>(renderers: &'a [String], name: &str) -> Option<&'a String> {
    let bare = |name: &str| name.rsplit(':').next().unwrap_or_default().to_lowercase();
    let wanted = bare(name);
    renderers.iter().find(|known| bare(known) == wanted)
}

/// The parent of an inline node, or else the node itself.
pub(super) fn collider_parent(node: &NodeRef) -> &NodeRef {
    match node {
        NodeRef::Named(_) => node,
        NodeRef::Inline(helper) => &helper.parent,
    }
}

/// Every row that Unity's import window would list, in the window's order, with the last problem of the row.
/// `renderers` contains mesh names, see [`mesh_names`].
pub fn verify_table(
    file: &SetupFile,
    document: &Document,
    skeleton: &Skeleton,
    renderers: &[String],
    wanted: TableSections,
) -> Vec<RowError> {
    let mut check = TableVerifier {
        file,
        names: NameResolver::without_name_map(document, skeleton),
        mesh_names: renderers,
        errors: Vec::new(),
    };
    if wanted.colliders && file.imports_colliders() {
        check.report_invalid_cells(FileSection::Colliders);
        check.report_invalid_cells(FileSection::Nodes);
        check.verify_nodes();
        check.verify_colliders();
    }
    if wanted.bones && !file.csv.lacks_bone_sections {
        check.report_invalid_cells(FileSection::Pivots);
        let pivots = check.verify_pivots();
        check.report_invalid_cells(FileSection::Joints);
        check.verify_joints(&pivots);
    }
    check.errors
}

struct TableVerifier<'a> {
    file: &'a SetupFile,
    names: NameResolver<'a>,
    mesh_names: &'a [String],
    errors: Vec<RowError>,
}

impl<'a> TableVerifier<'a> {
    /// Reports invalid and blank rows, ordered by line.
    fn report_invalid_cells(&mut self, section: FileSection) {
        let items = self.file.entries.iter().enumerate().filter(|(_, item)| item.section == section);
        let unread = |(at, item): (usize, &FileEntry)| {
            let kind = RowErrorKind::InvalidCells(item.content.as_ref().err()?.clone());
            Some(RowError { section, entry_index: Some(at), line: item.line, name: item.name.clone(), kind })
        };
        let mut found: Vec<RowError> = items.filter_map(unread).collect();
        for (_, line) in self.file.csv.blank_rows.iter().filter(|(of, _)| *of == section) {
            let kind = RowErrorKind::InvalidCells(vec![CellProblem::for_row(CellFault::BlankRow)]);
            found.push(RowError { section, entry_index: None, line: *line, name: String::new(), kind });
        }
        found.sort_by_key(|error| error.line);
        self.errors.append(&mut found);
    }

    fn add_error(&mut self, at: usize, kind: RowErrorKind) {
        let FileEntry { section, line, name, .. } = &self.file.entries[at];
        self.errors.push(RowError { section: *section, entry_index: Some(at), line: *line, name: name.clone(), kind });
    }

    fn section_helpers(&self, section: FileSection) -> Vec<(usize, &'a FileEntry, &'a Helper<ByName>)> {
        let helper = |(at, item, content): (usize, &'a FileEntry, &'a SetupEntry)| match content {
            SetupEntry::Helper(helper) => Some((at, item, helper)),
            _ => None,
        };
        self.file.usable_entries(section).filter_map(helper).collect()
    }

    fn node_exists(&self, name: &str) -> bool {
        self.names.node(name).is_some()
    }

    fn verify_nodes(&mut self) {
        let nodes = self.section_helpers(FileSection::Nodes);
        let all: BTreeSet<&str> = nodes.iter().map(|(.., node)| node.name.as_str()).collect();
        let mut seen = BTreeSet::new();
        for (at, item, node) in nodes {
            let parent = node.parent.name();
            let is_known = self.node_exists(parent) || (all.contains(parent) && parent != node.name);
            let mut kind = (!is_known).then(|| RowErrorKind::ParentNotFound(parent.to_owned()));
            if !seen.insert((item.system, node.name.as_str())) {
                kind = Some(RowErrorKind::DuplicateName);
            }
            if let Some(kind) = kind {
                self.add_error(at, kind);
            }
        }
    }

    fn verify_colliders(&mut self) {
        let file = self.file;
        let colliders: Vec<_> = file
            .usable_entries(FileSection::Colliders)
            .filter_map(|(at, item, content)| match content {
                SetupEntry::Collider(collider) => Some((at, item.system, collider)),
                _ => None,
            })
            .collect();
        let nodes: BTreeSet<&str> =
            self.section_helpers(FileSection::Nodes).iter().map(|(.., node)| node.name.as_str()).collect();
        // The node of another collider of the file is rejected as a parent, even if that node exists from an earlier
        // import.
        let described: BTreeSet<&str> = colliders.iter().map(|(.., collider)| collider.name.as_str()).collect();
        let mut seen = BTreeSet::new();
        for (at, system, collider) in &colliders {
            let parent = collider_parent(&collider.node).name();
            let is_known = match self.names.node(parent) {
                Some(Node::Bone(_)) => true,
                Some(Node::Helper(_)) => !described.contains(parent),
                None => false,
            };
            let mut kind =
                (!is_known && !nodes.contains(parent)).then(|| RowErrorKind::ParentNotFound(parent.to_owned()));
            if !seen.insert((*system, collider.name.as_str())) {
                kind = Some(RowErrorKind::DuplicateName);
            }
            let is_missing = |mesh: &&String| !mesh.is_empty() && find_mesh(self.mesh_names, mesh).is_none();
            if let Some(mesh) = collider.mesh_name.as_ref().filter(is_missing) {
                kind = Some(RowErrorKind::MeshNotFound(mesh.clone()));
            }
            if let Some(kind) = kind {
                self.add_error(*at, kind);
            }
        }
    }

    /// Returns the names of the accepted pivots.
    fn verify_pivots(&mut self) -> BTreeSet<&'a str> {
        let mut valid = BTreeSet::new();
        for (at, _, pivot) in self.section_helpers(FileSection::Pivots) {
            if pivot.name.is_empty() {
                self.add_error(at, RowErrorKind::MissingName);
            } else if !self.node_exists(pivot.parent.name()) {
                self.add_error(at, RowErrorKind::ParentNotFound(pivot.parent.name().to_owned()));
            } else {
                valid.insert(pivot.name.as_str());
            }
        }
        valid
    }

    fn verify_joints(&mut self, pivots: &BTreeSet<&str>) {
        let file = self.file;
        for (at, item, content) in file.usable_entries(FileSection::Joints) {
            let SetupEntry::Joint(JointEntry { scope, joint, .. }) = content else { continue };
            let mut kind = (!self.node_exists(&joint.bone)).then_some(RowErrorKind::BoneNotFound);
            match &joint.pivot {
                _ if !file.solver_of(item).info().uses_pivots => {}
                // Only table rows require a pivot name.
                None if *scope == ReplacedProperties::TableRow => kind = Some(RowErrorKind::MissingPivotName),
                Some(pivot) if !pivots.contains(pivot.name()) && !self.node_exists(pivot.name()) => {
                    kind = Some(RowErrorKind::PivotNotFound(pivot.name().to_owned()));
                }
                _ => {}
            }
            if let Some(kind) = kind {
                self.add_error(at, kind);
            }
        }
    }
}
