//! Exports the passthrough entries of earlier imports.

use crate::document::{JointEntry, Passthrough, ReplacedProperties, SetupEntry};
use crate::exchange::ExportOptions;
use crate::exchange::document_view::SolverSubset;
use crate::exchange::passthrough::{node_section, solver_of_section};
use crate::exchange::setup_file::section_and_name;
use crate::exchange::{ExportLoss, FileEntry, FileSection};
use std::collections::BTreeSet;
use yuremono_sim::SolverKind;

/// The passthrough entries for a table. Missing references of joints are part of the joint rows instead.
pub(super) fn passthrough_for_table(
    part: &SolverSubset<'_>,
    options: ExportOptions,
    items: &[FileEntry],
) -> Vec<Passthrough> {
    let here = DescribedEntries::from_entries(items);
    let is_wanted = |section: FileSection| match section {
        FileSection::Joints | FileSection::Pivots => options.write_joints,
        FileSection::Other => options.write_comment_rows,
        _ => options.write_colliders,
    };
    let is_written = |kept: &&Passthrough| match kept {
        Passthrough::References { .. } => false,
        Passthrough::CsvRow { section, cells } => match passthrough_section(section, part.solver) {
            PassthroughSection::Known(section) => is_wanted(section) && !here.has_row(section, cells),
            // The row has the columns of another solver, which do not fit this table.
            PassthroughSection::JointsOfOtherSolver => false,
            PassthroughSection::Unknown => !section.starts_with('#') || options.write_comment_rows,
        },
        Passthrough::Entry { solver, entry: item } => {
            let is_joint = matches!(
                **item,
                SetupEntry::Joint(JointEntry { scope: ReplacedProperties::TableRow | ReplacedProperties::Full, .. })
            );
            // All other passthrough entries are comment rows.
            let section = if is_joint { FileSection::Joints } else { FileSection::Other };
            is_wanted(section) && (*solver == part.solver || item.belongs_to_character()) && !here.contains(item)
        }
    };
    part.document.setup.passthrough.iter().filter(is_written).cloned().collect()
}

/// The passthrough entries for a file that stores a complete setup of these solvers.
pub(super) fn passthrough_for_setup(
    kept: &[Passthrough],
    solvers: &BTreeSet<SolverKind>,
    items: &[FileEntry],
) -> Vec<Passthrough> {
    let here = DescribedEntries::from_entries(items);
    let is_written = |kept: &&Passthrough| match kept {
        Passthrough::Entry { solver, entry: item } => {
            (solvers.contains(solver) || item.belongs_to_character()) && !here.contains(item)
        }
        Passthrough::CsvRow { section, cells } => {
            known_section(section).is_none_or(|section| !here.has_row(section, cells))
        }
        Passthrough::References { .. } => true,
    };
    kept.iter().filter(is_written).cloned().collect()
}

/// Reports CSV rows as a loss, because their numbers remain in the space of their original file.
pub(super) fn passthrough_rows_loss(kept: &[Passthrough]) -> Option<ExportLoss> {
    let count = kept.iter().filter(|kept| matches!(kept, Passthrough::CsvRow { .. })).count();
    (count > 0).then_some(ExportLoss::PassthroughRows(count))
}

pub(super) fn dropped_passthrough_loss(kept: &[Passthrough]) -> Option<ExportLoss> {
    let count = kept.iter().filter(|kept| !matches!(kept, Passthrough::References { .. })).count();
    (count > 0).then_some(ExportLoss::PassthroughDropped(count))
}

enum PassthroughSection {
    Known(FileSection),
    /// A joint section of another solver.
    JointsOfOtherSolver,
    Unknown,
}

fn passthrough_section(bracketed: &str, solver: SolverKind) -> PassthroughSection {
    let is_own = solver_of_section(bracketed) == Some(solver);
    match known_section(bracketed) {
        Some(FileSection::Joints) if !is_own => PassthroughSection::JointsOfOtherSolver,
        Some(section) => PassthroughSection::Known(section),
        None if is_own => PassthroughSection::Known(FileSection::Joints),
        None => PassthroughSection::Unknown,
    }
}

/// The section with this bracketed name, if the Unity CSV defines such a section. Case is ignored.
fn known_section(bracketed: &str) -> Option<FileSection> {
    let is_named = |solver: SolverKind| solver.info().csv_section.is_some();
    node_section(bracketed)
        .or_else(|| solver_of_section(bracketed).filter(|s| is_named(*s)).map(|_| FileSection::Joints))
}

struct DescribedEntries<'a> {
    entries: &'a [FileEntry],
    names: BTreeSet<(FileSection, &'a str)>,
}

impl<'a> DescribedEntries<'a> {
    fn from_entries(items: &'a [FileEntry]) -> Self {
        let named = items.iter().filter(|item| item.section != FileSection::Other);
        Self { entries: items, names: named.map(|item| (item.section, item.name.as_str())).collect() }
    }

    fn has_row(&self, section: FileSection, cells: &[String]) -> bool {
        cells.first().is_some_and(|name| self.names.contains(&(section, name)))
    }

    fn contains(&self, item: &SetupEntry) -> bool {
        match section_and_name(item) {
            (FileSection::Other, _) => self.entries.iter().any(|other| other.content.as_ref() == Ok(item)),
            place => self.names.contains(&place),
        }
    }
}
