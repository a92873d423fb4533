//! What earlier imports kept for the next export.

use super::entry::place;
use crate::document::{JointItem, JointScope, Passthrough, SetupItem};
use crate::exchange::ExportOptions;
use crate::exchange::passthrough::{node_section, solver_of_section};
use crate::exchange::solver_part::SolverPart;
use crate::exchange::{ExportLoss, FileItem, Section};
use crate::sim::SolverKind;
use std::collections::BTreeSet;

/// What goes into a table next to these entries. References of joints are in the rows of the joints.
pub(super) fn for_table(part: &SolverPart<'_>, options: ExportOptions, items: &[FileItem]) -> Vec<Passthrough> {
    let here = Here::of(items);
    let is_wanted = |section: Section| match section {
        Section::Joints | Section::Pivots => options.bones,
        Section::Other => options.extras,
        _ => options.colliders,
    };
    let is_written = |kept: &&Passthrough| match kept {
        Passthrough::References { .. } => false,
        Passthrough::Row { section, cells } => match section_of(section, part.solver) {
            KeptSection::Of(section) => is_wanted(section) && !here.has_row(section, cells),
            // The columns of another solver mean nothing here.
            KeptSection::OtherJoints => false,
            KeptSection::Unknown => !section.starts_with('#') || options.extras,
        },
        Passthrough::Item { solver, item } => {
            let is_joint =
                matches!(**item, SetupItem::Joint(JointItem { scope: JointScope::Row | JointScope::Whole, .. }));
            // All other kept entries are comment rows.
            let section = if is_joint { Section::Joints } else { Section::Other };
            is_wanted(section) && (*solver == part.solver || is_of_file(item)) && !here.has(item)
        }
    };
    part.document.setup.passthrough.iter().filter(is_written).cloned().collect()
}

/// What goes into a file that holds everything, of the systems with these solvers.
pub(super) fn for_setup(kept: &[Passthrough], solvers: &BTreeSet<SolverKind>, items: &[FileItem]) -> Vec<Passthrough> {
    let here = Here::of(items);
    let is_written = |kept: &&Passthrough| match kept {
        Passthrough::Item { solver, item } => (solvers.contains(solver) || is_of_file(item)) && !here.has(item),
        Passthrough::Row { section, cells } => {
            engine_section(section).is_none_or(|section| !here.has_row(section, cells))
        }
        Passthrough::References { .. } => true,
    };
    kept.iter().filter(is_written).cloned().collect()
}

/// Kept rows, whose numbers stay in the space of the file that they came from.
pub(super) fn loss(kept: &[Passthrough]) -> Option<ExportLoss> {
    let count = kept.iter().filter(|kept| matches!(kept, Passthrough::Row { .. })).count();
    (count > 0).then_some(ExportLoss::KeptRows(count))
}

/// Everything kept but references, for a format without a place for it.
pub(super) fn loss_of_all(kept: &[Passthrough]) -> Option<ExportLoss> {
    let count = kept.iter().filter(|kept| !matches!(kept, Passthrough::References { .. })).count();
    (count > 0).then_some(ExportLoss::KeptLeftOut(count))
}

/// Whether an entry belongs to the whole file instead of a system.
const fn is_of_file(item: &SetupItem) -> bool {
    match item {
        SetupItem::Node(_)
        | SetupItem::Collider(_)
        | SetupItem::ColliderOff(_)
        | SetupItem::Group(..)
        | SetupItem::Force(_)
        | SetupItem::HighLeg(_)
        | SetupItem::Excluded(_)
        | SetupItem::MeshHidden(_) => true,
        SetupItem::System(_)
        | SetupItem::ComponentNodes(_)
        | SetupItem::Material(..)
        | SetupItem::Chain(_)
        | SetupItem::Joint(_) => false,
    }
}

/// What a section of a CSV is for a table of one solver.
enum KeptSection {
    Of(Section),
    /// Joints of another solver, in a section that its engine names.
    OtherJoints,
    Unknown,
}

/// `bracketed` may have any case.
fn section_of(bracketed: &str, solver: SolverKind) -> KeptSection {
    let is_own = solver_of_section(bracketed) == Some(solver);
    match engine_section(bracketed) {
        Some(Section::Joints) if !is_own => KeptSection::OtherJoints,
        Some(section) => KeptSection::Of(section),
        None if is_own => KeptSection::Of(Section::Joints),
        None => KeptSection::Unknown,
    }
}

/// The section of a bracketed name in any case, where an engine gave it that name.
fn engine_section(bracketed: &str) -> Option<Section> {
    let is_named = |solver: SolverKind| solver.info().csv_section.is_some();
    node_section(bracketed).or_else(|| solver_of_section(bracketed).filter(|s| is_named(*s)).map(|_| Section::Joints))
}

/// The entries of a file, to recognize what is described already.
struct Here<'a> {
    items: &'a [FileItem],
    names: BTreeSet<(Section, &'a str)>,
}

impl<'a> Here<'a> {
    fn of(items: &'a [FileItem]) -> Self {
        let named = items.iter().filter(|item| item.section != Section::Other);
        Self { items, names: named.map(|item| (item.section, item.name.as_str())).collect() }
    }

    fn has_row(&self, section: Section, cells: &[String]) -> bool {
        cells.first().is_some_and(|name| self.names.contains(&(section, name)))
    }

    fn has(&self, item: &SetupItem) -> bool {
        match place(item) {
            (Section::Other, _) => self.items.iter().any(|other| other.content.as_ref() == Ok(item)),
            place => self.names.contains(&place),
        }
    }
}
