//! Passthrough entries: entries of files that a character cannot use. The document keeps them for the next export.

use super::setup_file::section_and_name;
use super::{FileEntry, FileSection};
use crate::document::{Document, Passthrough, SetupEntry};
use std::collections::{BTreeMap, BTreeSet};
use yuremono_sim::SolverKind;
use yuremono_sim::rig::Skeleton;

/// Bracketed name of a solver's joint section in a CSV.
pub(crate) fn joints_section_name(solver: SolverKind) -> String {
    format!("[{}]", solver.info().csv_section.unwrap_or(solver.key()))
}

/// The passthrough form of an entry. A CSV row is kept verbatim. Any other entry is kept in parsed form. Returns `None`
/// for an unusable entry without a row.
fn passthrough_of(solver: SolverKind, entry: &FileEntry) -> Option<Passthrough> {
    match (&entry.csv_row, &entry.content) {
        // Comment rows are kept in parsed form, because only a codec can parse their text again.
        (Some(row), content) if entry.section != FileSection::Other || content.is_err() => Some(row.clone()),
        (_, Ok(item)) => Some(Passthrough::Entry { solver, entry: Box::new(item.clone()) }),
        (_, Err(_)) => None,
    }
}

/// The identity of a passthrough entry. A later file replaces entries with the same key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum PassthroughKey {
    /// Keyed by solver and bone name.
    Joint(SolverKind, String),
    /// Keyed by name: pivots, colliders, nodes and leg followers.
    Node(FileSection, String),
    /// Keyed by solver, kind and name. Entries of the whole character have no solver.
    Other(Option<SolverKind>, String, String),
    /// Keyed by section and text: rows of unknown sections and unreadable comment rows.
    Text(String, String),
    /// Keyed by bone name.
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
        let (kind, name) = match section_and_name(item) {
            (FileSection::Joints, bone) => return Self::Joint(solver, bone.to_owned()),
            (FileSection::Other, kind) => (kind, other_entry_name(item)),
            (section, name) => return Self::Node(section, name.to_owned()),
        };
        Self::Other((!item.belongs_to_character()).then_some(solver), kind.to_owned(), name)
    }
}

/// The name that identifies an entry of [`FileSection::Other`] among entries of its kind.
fn other_entry_name(item: &SetupEntry) -> String {
    match item {
        SetupEntry::Material(_, material) => material.name.clone(),
        SetupEntry::Group(id, _) => id.0.to_string(),
        SetupEntry::Force(force) => force.name.clone(),
        SetupEntry::Chain(chain) => chain.root.clone(),
        SetupEntry::Joint(entry) => entry.joint.bone.clone(),
        SetupEntry::DisabledCollider(name) | SetupEntry::ExcludedBone(name) | SetupEntry::HiddenMesh(name) => {
            name.clone()
        }
        SetupEntry::System(_)
        | SetupEntry::ComponentNodes(_)
        | SetupEntry::Helper(_)
        | SetupEntry::Collider(_)
        | SetupEntry::HighLeg(_) => String::new(),
    }
}

/// The node section with this bracketed name. Case is ignored.
pub(super) fn node_section(bracketed: &str) -> Option<FileSection> {
    let nodes = [
        ("[Pivots]", FileSection::Pivots),
        ("[Colliders]", FileSection::Colliders),
        ("[DynamicsNulls]", FileSection::Nodes),
        ("[Components]", FileSection::HighLegs),
    ];
    nodes.iter().find(|(known, _)| known.eq_ignore_ascii_case(bracketed)).map(|(_, section)| *section)
}

/// The solver of a joint section. Case is ignored.
pub(super) fn solver_of_section(section: &str) -> Option<SolverKind> {
    SolverKind::ALL.iter().copied().find(|solver| joints_section_name(*solver).eq_ignore_ascii_case(section))
}

/// Passthrough entries by key, in a stable order.
#[derive(Clone, Debug, Default)]
pub(super) struct PassthroughList {
    entries: Vec<Option<Passthrough>>,
    index: BTreeMap<PassthroughKey, usize>,
}

impl PassthroughList {
    pub(super) fn from_entries(kept: &[Passthrough]) -> Self {
        let at = kept.iter().enumerate().map(|(at, entry)| (PassthroughKey::from_entry(entry), at)).collect();
        Self { entries: kept.iter().cloned().map(Some).collect(), index: at }
    }

    /// Keeps an entry if `is_lost` is true. Otherwise removes the passthrough entry with the same key.
    pub(super) fn update(&mut self, entry: &FileEntry, solver: SolverKind, is_lost: bool) {
        let Some(kept) = passthrough_of(solver, entry) else { return };
        if is_lost {
            self.insert(kept);
        } else {
            self.remove(&PassthroughKey::from_entry(&kept));
        }
    }

    /// Keeps the missing references of a bone. If no reference is missing, removes the bone's passthrough entry.
    pub(super) fn update_references(&mut self, references: Passthrough) {
        match &references {
            Passthrough::References { pivot, length_targets, colliders, .. }
                if pivot.is_empty() && length_targets.is_empty() && colliders.is_empty() =>
            {
                self.remove(&PassthroughKey::from_entry(&references));
            }
            _ => self.insert(references),
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

    /// Keeps rows of unknown sections. If the rows of a section differ, they replace the existing rows of that section.
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

    pub(super) fn into_entries(self) -> Vec<Passthrough> {
        self.entries.into_iter().flatten().collect()
    }
}

/// The passthrough entries that remain after a replacement of these solvers: joints and references of other solvers,
/// and entries that other solvers may use.
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
    // Whether another solver is in use.
    let any = document.systems.values().map(|system| system.solver).chain(kept_joints).any(|solver| is_other(&solver));
    let stays = |entry: &&Passthrough| match PassthroughKey::from_entry(entry) {
        PassthroughKey::Joint(solver, _) => is_other(&solver),
        PassthroughKey::References(bone) => {
            let joint = skeleton.find(&bone).and_then(|bone| document.find_joint(bone));
            joint.is_some_and(|(chain, _)| is_other(&document.solver_of(&document.chains[&chain])))
        }
        // Nodes belong to the replaced file.
        PassthroughKey::Node(..) => false,
        PassthroughKey::Other(solver, ..) => solver.as_ref().map_or(any, is_other),
        PassthroughKey::Text(section, _) => any && !section.starts_with('['),
    };
    document.passthrough.iter().filter(stays).cloned().collect()
}
