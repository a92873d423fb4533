//! What a file says of bones and nodes that a character lacks, kept in the document for the next export.

use super::{FileEntry, FileSection};
use crate::document::{ChainEntry, Document, HelperRole, JointEntry, JointScope, Passthrough, SetupEntry};
use crate::rig::Skeleton;
use crate::sim::SolverKind;
use std::collections::{BTreeMap, BTreeSet};

/// The bracketed name of the section of a CSV with the joints of a solver.
pub(crate) fn joints_section_name(solver: SolverKind) -> String {
    format!("[{}]", solver.info().csv_section.unwrap_or(solver.key()))
}

/// What an entry of a file is kept as: the row of the file for entries that are rows of a section, which an export writes
/// back verbatim, and the entry itself otherwise. `None` for an unusable entry without row.
fn passthrough_of(solver: SolverKind, entry: &FileEntry) -> Option<Passthrough> {
    match (&entry.csv_row, &entry.content) {
        // Comment rows are kept as entries, because only a codec can read their text again.
        (Some(row), content) if entry.section != FileSection::Other || content.is_err() => Some(row.clone()),
        (_, Ok(item)) => Some(Passthrough::Entry { solver, entry: Box::new(item.clone()) }),
        (_, Err(_)) => None,
    }
}

/// What a kept entry is about. A later file replaces entries with the same subject.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum PassthroughKey {
    /// The joint on the bone of this name, under a solver.
    Joint(SolverKind, String),
    /// The pivot, collider, bare node or raised-thigh node of this name.
    Node(FileSection, String),
    /// Another kind of entry, with what names it; the solver says nothing of entries that are for the whole character.
    Other(SolverKind, &'static str, String),
    /// A row of a section that is unknown, or a comment row that cannot be read; the section and its text.
    Text(String, String),
    /// References of the joint on the bone of this name.
    References(String),
}

impl PassthroughKey {
    fn from_entry(entry: &Passthrough) -> Self {
        match entry {
            Passthrough::CsvRow { section, cells } => Self::from_row(section, cells),
            Passthrough::Entry { solver, entry: item } => Self::from_item(*solver, item),
            Passthrough::References { bone, .. } => Self::References(bone.clone()),
        }
    }

    fn from_row(section: &str, cells: &[String]) -> Self {
        let name = || cells.first().cloned().unwrap_or_default();
        if let Some(solver) = solver_of_section(section) {
            return Self::Joint(solver, name());
        }
        match node_section(section) {
            Some(section) => Self::Node(section, name()),
            None if section.starts_with('[') => Self::Text(section.to_owned(), name()),
            None => Self::Text(section.to_owned(), cells.concat()),
        }
    }

    fn from_item(solver: SolverKind, item: &SetupEntry) -> Self {
        // The same entry may be kept under several solvers.
        let owner = |kind| if is_global_kind(kind) { SolverKind::default() } else { solver };
        let other = |kind, name: &str| Self::Other(owner(kind), kind, name.to_owned());
        match item {
            SetupEntry::System(_) => other("system", ""),
            SetupEntry::ComponentNodes(_) => other("component_nodes", ""),
            SetupEntry::Material(_, material) => other("material", &material.name),
            SetupEntry::Helper(helper) if helper.role == HelperRole::Pivot => {
                Self::Node(FileSection::Pivots, helper.name.clone())
            }
            SetupEntry::Helper(helper) => Self::Node(FileSection::Nodes, helper.name.clone()),
            SetupEntry::Collider(collider) => Self::Node(FileSection::Colliders, collider.name.clone()),
            SetupEntry::DisabledCollider(name) => other("disabled_collider", name),
            SetupEntry::Group(id, _) => other("group", &id.0.to_string()),
            SetupEntry::Force(force) => other("force", &force.name),
            SetupEntry::HighLeg(high_leg) => Self::Node(FileSection::HighLegs, high_leg.node.name().to_owned()),
            SetupEntry::Chain(ChainEntry { root, .. }) => other("chain", root),
            SetupEntry::Joint(JointEntry { scope: JointScope::Details, joint, .. }) => other("joint", &joint.bone),
            SetupEntry::Joint(JointEntry { joint, .. }) => Self::Joint(solver, joint.bone.clone()),
            SetupEntry::ExcludedBone(bone) => other("excluded_bone", bone),
            SetupEntry::HiddenMesh(mesh) => other("hidden_mesh", mesh),
        }
    }
}

/// The section of nodes of a bracketed name in a CSV, in any case.
pub(super) fn node_section(bracketed: &str) -> Option<FileSection> {
    let nodes = [
        ("[Pivots]", FileSection::Pivots),
        ("[Colliders]", FileSection::Colliders),
        ("[DynamicsNulls]", FileSection::Nodes),
        ("[Components]", FileSection::HighLegs),
    ];
    nodes.iter().find(|(known, _)| known.eq_ignore_ascii_case(bracketed)).map(|(_, section)| *section)
}

/// The solver whose joints are in a section, in any case.
pub(super) fn solver_of_section(section: &str) -> Option<SolverKind> {
    SolverKind::ALL.iter().copied().find(|solver| joints_section_name(*solver).eq_ignore_ascii_case(section))
}

/// References of a joint of the character to nodes and colliders that it lacks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct JointReferences {
    /// The joint's bone.
    pub(super) bone: String,
    /// Name of its pivot; empty where that is here.
    pub(super) pivot: String,
    /// Names of nodes that its length is held to.
    pub(super) length_targets: Vec<String>,
    /// Names of colliders.
    pub(super) colliders: Vec<String>,
}

/// Kept entries by their subjects, in a stable order.
#[derive(Clone, Debug, Default)]
pub(super) struct PassthroughList {
    entries: Vec<Option<Passthrough>>,
    index: BTreeMap<PassthroughKey, usize>,
}

impl PassthroughList {
    /// Starts with the kept entries of a document.
    pub(super) fn from_entries(kept: &[Passthrough]) -> Self {
        let at = kept.iter().enumerate().map(|(at, entry)| (PassthroughKey::from_entry(entry), at)).collect();
        Self { entries: kept.iter().cloned().map(Some).collect(), index: at }
    }

    /// Keeps an entry of a file that is lost, in place of the one with its subject. An entry that the character has is not
    /// kept any more.
    pub(super) fn update(&mut self, entry: &FileEntry, solver: SolverKind, is_lost: bool) {
        let Some(kept) = passthrough_of(solver, entry) else { return };
        if is_lost {
            self.insert(kept);
        } else {
            self.remove(&PassthroughKey::from_entry(&kept));
        }
    }

    /// Keeps references of a joint, in place of those that are kept for it.
    pub(super) fn update_references(&mut self, references: &JointReferences) {
        let JointReferences { bone, pivot, length_targets, colliders } = references.clone();
        if pivot.is_empty() && length_targets.is_empty() && colliders.is_empty() {
            self.remove(&PassthroughKey::References(bone));
        } else {
            self.insert(Passthrough::References { bone, pivot, length_targets, colliders });
        }
    }

    fn insert(&mut self, entry: Passthrough) {
        let next = self.entries.len();
        let at = *self.index.entry(PassthroughKey::from_entry(&entry)).or_insert(next);
        if at == next {
            self.entries.push(None);
        }
        self.entries[at] = Some(entry);
    }

    fn remove(&mut self, subject: &PassthroughKey) {
        if let Some(at) = self.index.get(subject) {
            self.entries[*at] = None;
        }
    }

    /// Keeps rows of sections that no entry stands for. They replace all kept rows of their sections, unless they are equal.
    pub(super) fn replace_sections(&mut self, rows: &[Passthrough]) {
        let mut given: BTreeMap<&str, Vec<&Passthrough>> = BTreeMap::new();
        for row in rows {
            match row {
                Passthrough::CsvRow { section, .. } => given.entry(section).or_default().push(row),
                other => self.insert(other.clone()),
            }
        }
        for (name, rows) in given {
            let is_of = |entry: &Passthrough| matches!(entry, Passthrough::CsvRow { section, .. } if section == name);
            if self.entries.iter().flatten().filter(|entry| is_of(entry)).eq(rows.iter().copied()) {
                continue;
            }
            for entry in &mut self.entries {
                entry.take_if(|entry| is_of(entry));
            }
            self.entries.extend(rows.into_iter().cloned().map(Some));
        }
    }

    /// The entries that are kept.
    pub(super) fn into_entries(self) -> Vec<Passthrough> {
        self.entries.into_iter().flatten().collect()
    }
}

/// The kept entries of a document that a replacement of everything that these solvers move leaves alone: joints of other
/// solvers, references of joints that other solvers move, and what other solvers may still use.
pub(super) fn passthrough_of_other_solvers(
    document: &Document,
    skeleton: &Skeleton,
    solvers: &BTreeSet<SolverKind>,
) -> Vec<Passthrough> {
    let is_other = |solver: &SolverKind| !solvers.contains(solver);
    let kept_joints = document.passthrough.iter().filter_map(|entry| match PassthroughKey::from_entry(entry) {
        PassthroughKey::Joint(solver, _) => Some(solver),
        _ => None,
    });
    // Whether there is another solver at all.
    let any = document.systems.values().map(|system| system.solver).chain(kept_joints).any(|solver| is_other(&solver));
    let stays = |entry: &&Passthrough| match PassthroughKey::from_entry(entry) {
        PassthroughKey::Joint(solver, _) => is_other(&solver),
        PassthroughKey::References(bone) => {
            let joint = skeleton.find(&bone).and_then(|bone| document.find_joint(bone));
            joint.is_some_and(|(chain, _)| is_other(&document.solver_of(&document.chains[&chain])))
        }
        // Nodes belong to the file that is replaced.
        PassthroughKey::Node(..) => false,
        PassthroughKey::Other(solver, kind, _) => {
            if is_global_kind(kind) {
                any
            } else {
                is_other(&solver)
            }
        }
        PassthroughKey::Text(section, _) => any && !section.starts_with('['),
    };
    document.passthrough.iter().filter(stays).cloned().collect()
}

/// Whether entries of that kind belong to the whole character, not to a system.
fn is_global_kind(kind: &str) -> bool {
    matches!(kind, "disabled_collider" | "group" | "force" | "excluded_bone" | "hidden_mesh")
}
