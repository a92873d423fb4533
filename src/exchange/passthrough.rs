//! What a file says of bones and nodes that a character lacks, kept in the document for the next export.

use super::{FileItem, Section};
use crate::document::{ChainItem, Document, HelperRole, JointItem, JointScope, Passthrough, SetupItem};
use crate::rig::Skeleton;
use crate::sim::SolverKind;
use std::collections::{BTreeMap, BTreeSet};

/// The bracketed name of the section of a CSV with the joints of a solver.
pub(crate) fn joints_section(solver: SolverKind) -> String {
    format!("[{}]", solver.info().csv_section.unwrap_or(solver.key()))
}

/// What an entry of a file is kept as: the row of the file for entries that are rows of a section, which an export writes
/// back verbatim, and the entry itself otherwise. `None` for an unusable entry without row.
fn kept_entry(solver: SolverKind, entry: &FileItem) -> Option<Passthrough> {
    match (&entry.verbatim, &entry.content) {
        // Comment rows are kept as entries, because only a codec can read their text again.
        (Some(row), content) if entry.section != Section::Other || content.is_err() => Some(row.clone()),
        (_, Ok(item)) => Some(Passthrough::Item { solver, item: Box::new(item.clone()) }),
        (_, Err(_)) => None,
    }
}

/// What a kept entry is about. A later file replaces entries with the same subject.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Subject {
    /// The joint on the bone of this name, under a solver.
    Joint(SolverKind, String),
    /// The pivot, collider, bare node or raised-thigh node of this name.
    Node(Section, String),
    /// Another kind of entry, with what names it; the solver says nothing of entries that are for the whole character.
    Other(SolverKind, &'static str, String),
    /// A row of a section that is unknown, or a comment row that cannot be read; the section and its text.
    Text(String, String),
    /// References of the joint on the bone of this name.
    References(String),
}

impl Subject {
    fn of(entry: &Passthrough) -> Self {
        match entry {
            Passthrough::Row { section, cells } => Self::of_row(section, cells),
            Passthrough::Item { solver, item } => Self::of_item(*solver, item),
            Passthrough::References { bone, .. } => Self::References(bone.clone()),
        }
    }

    fn of_row(section: &str, cells: &[String]) -> Self {
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

    fn of_item(solver: SolverKind, item: &SetupItem) -> Self {
        // The same entry may be kept under several solvers.
        let owner = |kind| if is_for_all(kind) { SolverKind::default() } else { solver };
        let other = |kind, name: &str| Self::Other(owner(kind), kind, name.to_owned());
        match item {
            SetupItem::System(_) => other("system", ""),
            SetupItem::ComponentNodes(_) => other("component_nodes", ""),
            SetupItem::Material(_, material) => other("material", &material.name),
            SetupItem::Node(helper) if helper.role == HelperRole::Pivot => {
                Self::Node(Section::Pivots, helper.name.clone())
            }
            SetupItem::Node(helper) => Self::Node(Section::Nodes, helper.name.clone()),
            SetupItem::Collider(collider) => Self::Node(Section::Colliders, collider.name.clone()),
            SetupItem::ColliderOff(name) => other("collider_off", name),
            SetupItem::Group(id, _) => other("group", &id.0.to_string()),
            SetupItem::Force(force) => other("force", &force.name),
            SetupItem::HighLeg(high_leg) => Self::Node(Section::HighLegs, high_leg.node.name().to_owned()),
            SetupItem::Chain(ChainItem { root, .. }) => other("chain", root),
            SetupItem::Joint(JointItem { scope: JointScope::Details, joint, .. }) => other("joint", &joint.bone),
            SetupItem::Joint(JointItem { joint, .. }) => Self::Joint(solver, joint.bone.clone()),
            SetupItem::Excluded(bone) => other("excluded", bone),
            SetupItem::MeshHidden(mesh) => other("mesh_hidden", mesh),
        }
    }
}

/// The section of nodes of a bracketed name in a CSV, in any case.
pub(super) fn node_section(bracketed: &str) -> Option<Section> {
    let nodes = [
        ("[Pivots]", Section::Pivots),
        ("[Colliders]", Section::Colliders),
        ("[DynamicsNulls]", Section::Nodes),
        ("[Components]", Section::HighLegs),
    ];
    nodes.iter().find(|(known, _)| known.eq_ignore_ascii_case(bracketed)).map(|(_, section)| *section)
}

/// The solver whose joints are in a section, in any case.
pub(super) fn solver_of_section(section: &str) -> Option<SolverKind> {
    SolverKind::ALL.iter().copied().find(|solver| joints_section(*solver).eq_ignore_ascii_case(section))
}

/// References of a joint of the character to nodes and colliders that it lacks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct References {
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
pub(super) struct KeptList {
    entries: Vec<Option<Passthrough>>,
    at: BTreeMap<Subject, usize>,
}

impl KeptList {
    /// Starts with the kept entries of a document.
    pub(super) fn of(kept: &[Passthrough]) -> Self {
        let at = kept.iter().enumerate().map(|(at, entry)| (Subject::of(entry), at)).collect();
        Self { entries: kept.iter().cloned().map(Some).collect(), at }
    }

    /// Keeps an entry of a file that is lost, in place of the one with its subject. An entry that the character has is not
    /// kept any more.
    pub(super) fn put(&mut self, entry: &FileItem, solver: SolverKind, is_lost: bool) {
        let Some(kept) = kept_entry(solver, entry) else { return };
        if is_lost {
            self.keep(kept);
        } else {
            self.remove(&Subject::of(&kept));
        }
    }

    /// Keeps references of a joint, in place of those that are kept for it.
    pub(super) fn put_references(&mut self, references: &References) {
        let References { bone, pivot, length_targets, colliders } = references.clone();
        if pivot.is_empty() && length_targets.is_empty() && colliders.is_empty() {
            self.remove(&Subject::References(bone));
        } else {
            self.keep(Passthrough::References { bone, pivot, length_targets, colliders });
        }
    }

    fn keep(&mut self, entry: Passthrough) {
        let next = self.entries.len();
        let at = *self.at.entry(Subject::of(&entry)).or_insert(next);
        if at == next {
            self.entries.push(None);
        }
        self.entries[at] = Some(entry);
    }

    fn remove(&mut self, subject: &Subject) {
        if let Some(at) = self.at.get(subject) {
            self.entries[*at] = None;
        }
    }

    /// Keeps rows of sections that no entry stands for. They replace all kept rows of their sections, unless they are equal.
    pub(super) fn put_sections(&mut self, rows: &[Passthrough]) {
        let mut given: BTreeMap<&str, Vec<&Passthrough>> = BTreeMap::new();
        for row in rows {
            match row {
                Passthrough::Row { section, .. } => given.entry(section).or_default().push(row),
                other => self.keep(other.clone()),
            }
        }
        for (name, rows) in given {
            let is_of = |entry: &Passthrough| matches!(entry, Passthrough::Row { section, .. } if section == name);
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
    pub(super) fn into_list(self) -> Vec<Passthrough> {
        self.entries.into_iter().flatten().collect()
    }
}

/// The kept entries of a document that a replacement of everything that these solvers move leaves alone: joints of other
/// solvers, references of joints that other solvers move, and what other solvers may still use.
pub(super) fn of_other_solvers(
    document: &Document,
    skeleton: &Skeleton,
    solvers: &BTreeSet<SolverKind>,
) -> Vec<Passthrough> {
    let is_other = |solver: &SolverKind| !solvers.contains(solver);
    let kept_joints = document.passthrough.iter().filter_map(|entry| match Subject::of(entry) {
        Subject::Joint(solver, _) => Some(solver),
        _ => None,
    });
    // Whether there is another solver at all.
    let any = document.systems.values().map(|system| system.solver).chain(kept_joints).any(|solver| is_other(&solver));
    let stays = |entry: &&Passthrough| match Subject::of(entry) {
        Subject::Joint(solver, _) => is_other(&solver),
        Subject::References(bone) => {
            let joint = skeleton.find(&bone).and_then(|bone| document.joint_of(bone));
            joint.is_some_and(|(chain, _)| is_other(&document.solver_of(&document.chains[&chain])))
        }
        // Nodes belong to the file that is replaced.
        Subject::Node(..) => false,
        Subject::Other(solver, kind, _) => {
            if is_for_all(kind) {
                any
            } else {
                is_other(&solver)
            }
        }
        Subject::Text(section, _) => any && !section.starts_with('['),
    };
    document.passthrough.iter().filter(stays).cloned().collect()
}

/// Whether entries of that kind belong to the whole character, not to a system.
fn is_for_all(kind: &str) -> bool {
    matches!(kind, "collider_off" | "group" | "force" | "excluded" | "mesh_hidden")
}
