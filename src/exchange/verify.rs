//! The rows of a file that UnityChan's import window refuses.

use super::resolver::NameResolver;
use super::{Fault, FileItem, Problem, Section, SetupFile};
use crate::document::{ByName, Document, Helper, JointItem, JointScope, Node, NodeRef, SetupItem};
use crate::report::{Diagnostic, Place, clip};
use crate::rig::{Character, Skeleton};
use std::collections::BTreeSet;
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
    /// Its position in [`SetupFile::items`]; `None` for a row without any text.
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

/// The mesh that a collider names, in any case and without what is before the last colon of its name.
pub(super) fn renderer<'a>(renderers: &'a [String], name: &str) -> Option<&'a String> {
    let bare = |name: &str| name.rsplit(':').next().unwrap_or_default().to_lowercase();
    let wanted = bare(name);
    renderers.iter().find(|known| bare(known) == wanted)
}

/// The node that the collider of an entry is below: the parent of the node that the file describes for it, or else the
/// node itself.
pub(super) fn carrier(node: &NodeRef) -> &NodeRef {
    match node {
        NodeRef::Named(_) => node,
        NodeRef::Placed(helper) => &helper.parent,
    }
}

/// Every row that UnityChan's window would list before it builds, in its order, with the last reason that it finds.
/// `renderers` are the names of meshes, see [`renderer_names`].
pub fn verify(
    file: &SetupFile,
    document: &Document,
    skeleton: &Skeleton,
    renderers: &[String],
    wanted: Wanted,
) -> Vec<RowError> {
    let mut check =
        Verification { file, names: NameResolver::exact(document, skeleton), renderers, errors: Vec::new() };
    if wanted.colliders && file.has_collider_rules() {
        check.unread(Section::Colliders);
        check.unread(Section::Nodes);
        check.nodes();
        check.colliders();
    }
    if wanted.bones && !file.table.no_bones {
        check.unread(Section::Pivots);
        let pivots = check.pivots();
        check.unread(Section::Joints);
        check.joints(&pivots);
    }
    check.errors
}

/// A file on its way through the checks.
struct Verification<'a> {
    file: &'a SetupFile,
    names: NameResolver<'a>,
    renderers: &'a [String],
    errors: Vec<RowError>,
}

impl<'a> Verification<'a> {
    /// Rows whose cells cannot be understood, blank ones among them, by line.
    fn unread(&mut self, section: Section) {
        let items = self.file.items.iter().enumerate().filter(|(_, item)| item.section == section);
        let unread = |(at, item): (usize, &FileItem)| {
            let kind = ErrorKind::Cells(item.content.as_ref().err()?.clone());
            Some(RowError { section, row: Some(at), line: item.line, name: item.name.clone(), kind })
        };
        let mut found: Vec<RowError> = items.filter_map(unread).collect();
        for (_, line) in self.file.table.blanks.iter().filter(|(of, _)| *of == section) {
            let kind = ErrorKind::Cells(vec![Problem::row(Fault::Blank)]);
            found.push(RowError { section, row: None, line: *line, name: String::new(), kind });
        }
        found.sort_by_key(|error| error.line);
        self.errors.append(&mut found);
    }

    fn refuse(&mut self, at: usize, kind: ErrorKind) {
        let FileItem { section, line, name, .. } = &self.file.items[at];
        self.errors.push(RowError { section: *section, row: Some(at), line: *line, name: name.clone(), kind });
    }

    fn helpers(&self, section: Section) -> Vec<(usize, &'a FileItem, &'a Helper<ByName>)> {
        let helper = |(at, item, content): (usize, &'a FileItem, &'a SetupItem)| match content {
            SetupItem::Node(helper) => Some((at, item, helper)),
            _ => None,
        };
        self.file.good(section).filter_map(helper).collect()
    }

    fn is_here(&self, name: &str) -> bool {
        self.names.node(name).is_some()
    }

    fn nodes(&mut self) {
        let nodes = self.helpers(Section::Nodes);
        let all: BTreeSet<&str> = nodes.iter().map(|(.., node)| node.name.as_str()).collect();
        let mut seen = BTreeSet::new();
        for (at, item, node) in nodes {
            let parent = node.parent.name();
            let is_known = self.is_here(parent) || (all.contains(parent) && parent != node.name);
            let mut kind = (!is_known).then(|| ErrorKind::NoParent(parent.to_owned()));
            if !seen.insert((item.system, node.name.as_str())) {
                kind = Some(ErrorKind::SharedName);
            }
            if let Some(kind) = kind {
                self.refuse(at, kind);
            }
        }
    }

    fn colliders(&mut self) {
        let file = self.file;
        let colliders: Vec<_> = file
            .good(Section::Colliders)
            .filter_map(|(at, item, content)| match content {
                SetupItem::Collider(collider) => Some((at, item.system, collider)),
                _ => None,
            })
            .collect();
        let nodes: BTreeSet<&str> = self.helpers(Section::Nodes).iter().map(|(.., node)| node.name.as_str()).collect();
        // The node of another collider of the file is no parent, even if an earlier import has made it.
        let described: BTreeSet<&str> = colliders.iter().map(|(.., collider)| collider.name.as_str()).collect();
        let mut seen = BTreeSet::new();
        for (at, system, collider) in &colliders {
            let parent = carrier(&collider.node).name();
            let is_known = match self.names.node(parent) {
                Some(Node::Bone(_)) => true,
                Some(Node::Helper(_)) => !described.contains(parent),
                None => false,
            };
            let mut kind = (!is_known && !nodes.contains(parent)).then(|| ErrorKind::NoParent(parent.to_owned()));
            if !seen.insert((*system, collider.name.as_str())) {
                kind = Some(ErrorKind::SharedName);
            }
            let is_missing = |mesh: &&String| !mesh.is_empty() && renderer(self.renderers, mesh).is_none();
            if let Some(mesh) = collider.renderer.as_ref().filter(is_missing) {
                kind = Some(ErrorKind::NoRenderer(mesh.clone()));
            }
            if let Some(kind) = kind {
                self.refuse(*at, kind);
            }
        }
    }

    /// The names of the pivots that are not refused.
    fn pivots(&mut self) -> BTreeSet<&'a str> {
        let mut valid = BTreeSet::new();
        for (at, _, pivot) in self.helpers(Section::Pivots) {
            if pivot.name.is_empty() {
                self.refuse(at, ErrorKind::NoName);
            } else if !self.is_here(pivot.parent.name()) {
                self.refuse(at, ErrorKind::NoParent(pivot.parent.name().to_owned()));
            } else {
                valid.insert(pivot.name.as_str());
            }
        }
        valid
    }

    fn joints(&mut self, pivots: &BTreeSet<&str>) {
        let file = self.file;
        for (at, item, content) in file.good(Section::Joints) {
            let SetupItem::Joint(JointItem { scope, joint, .. }) = content else { continue };
            let mut kind = (!self.is_here(&joint.bone)).then_some(ErrorKind::NoBone);
            match &joint.pivot {
                _ if !file.solver_of(item).info().pivots => {}
                // Only a row of a table must name a pivot.
                None if *scope == JointScope::Row => kind = Some(ErrorKind::NoPivotName),
                Some(pivot) if !pivots.contains(pivot.name()) && !self.is_here(pivot.name()) => {
                    kind = Some(ErrorKind::NoPivot(pivot.name().to_owned()));
                }
                _ => {}
            }
            if let Some(kind) = kind {
                self.refuse(at, kind);
            }
        }
    }
}
