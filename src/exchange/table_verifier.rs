//! The rows of a file that UnityChan's import window refuses.

use super::name_resolver::NameResolver;
use super::{CellFault, CellProblem, FileEntry, FileSection, SetupFile};
use crate::diagnostics::{Diagnostic, Location, excerpt};
use crate::document::{ByName, Document, Helper, JointEntry, JointScope, Node, NodeRef, SetupEntry};
use crate::rig::{Character, Skeleton};
use std::collections::BTreeSet;
use std::fmt;

/// Which halves of a table the artist wants: the engine's two check boxes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableSections {
    /// Bones and pivots.
    pub bones: bool,
    /// Colliders, bare nodes and components.
    pub colliders: bool,
}

impl Default for TableSections {
    fn default() -> Self {
        Self { bones: true, colliders: true }
    }
}

/// Why the engine refuses a row.
#[derive(Clone, Debug, PartialEq)]
pub enum RowErrorKind {
    /// Cells that cannot be understood.
    InvalidCells(Vec<CellProblem>),
    /// The node of this name, on which it would hang, is not here.
    ParentNotFound(String),
    /// An earlier row has the name.
    DuplicateName,
    /// The mesh of this name is not here.
    MeshNotFound(String),
    /// The row has no name.
    MissingName,
    /// There is no such bone.
    BoneNotFound,
    /// The pivot cell is empty.
    MissingPivotName,
    /// The pivot of this name is neither here nor a good row of the table.
    PivotNotFound(String),
}

impl fmt::Display for RowErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidCells(problems) => {
                let all: Vec<_> = problems.iter().map(ToString::to_string).collect();
                f.write_str(&all.join("; "))
            }
            Self::ParentNotFound(name) => write!(f, "its parent \"{}\" is not here", excerpt(name)),
            Self::DuplicateName => f.write_str("an earlier row has the same name"),
            Self::MeshNotFound(name) => write!(f, "mesh \"{}\" is not here", excerpt(name)),
            Self::MissingName => f.write_str("the row has no name"),
            Self::BoneNotFound => f.write_str("there is no such bone"),
            Self::MissingPivotName => f.write_str("no pivot is named"),
            Self::PivotNotFound(name) => write!(f, "pivot node \"{}\" is not here", excerpt(name)),
        }
    }
}

/// A row that the engine refuses.
#[derive(Clone, Debug, PartialEq)]
pub struct RowError {
    /// Where it stands.
    pub section: FileSection,
    /// Its position in `SetupFile::file_entries`; `None` for a row without any text.
    pub entry_index: Option<usize>,
    /// 1-based line in the file; 0 where there is none.
    pub line: u64,
    /// As the file has it.
    pub name: String,
    /// Why.
    pub kind: RowErrorKind,
}

impl RowError {
    /// As a message about a file.
    pub fn diagnostic(&self, file_name: &str) -> Diagnostic {
        let place = Location::file(file_name).with_bone(excerpt(&self.name));
        let place = if self.line == 0 { place } else { place.with_line(self.line) };
        Diagnostic::warning(place, self.kind.to_string())
    }
}

/// Names of a character's meshes and of the bones that carry them, which is how the engine finds them.
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

/// The mesh that a collider names, in any case and without what is before the last colon of its name.
pub(super) fn find_mesh<'a>(renderers: &'a [String], name: &str) -> Option<&'a String> {
    let bare = |name: &str| name.rsplit(':').next().unwrap_or_default().to_lowercase();
    let wanted = bare(name);
    renderers.iter().find(|known| bare(known) == wanted)
}

/// The node that the collider of an entry is below: the parent of the node that the file describes for it, or else the
/// node itself.
pub(super) fn collider_parent(node: &NodeRef) -> &NodeRef {
    match node {
        NodeRef::Named(_) => node,
        NodeRef::Inline(helper) => &helper.parent,
    }
}

/// Every row that UnityChan's window would list before it builds, in its order, with the last reason that it finds.
/// `renderers` are the names of meshes, see [`mesh_names`].
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

/// A file on its way through the checks.
struct TableVerifier<'a> {
    file: &'a SetupFile,
    names: NameResolver<'a>,
    mesh_names: &'a [String],
    errors: Vec<RowError>,
}

impl<'a> TableVerifier<'a> {
    /// Rows whose cells cannot be understood, blank ones among them, by line.
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
        // The node of another collider of the file is no parent, even if an earlier import has made it.
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

    /// The names of the pivots that are not refused.
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
                // Only a row of a table must name a pivot.
                None if *scope == JointScope::TableRow => kind = Some(RowErrorKind::MissingPivotName),
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
