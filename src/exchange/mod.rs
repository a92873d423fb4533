//! Setups by bone name: what files exchange, onto a character and out of it.
//!
//! A codec of [`crate::format`] turns bytes into a [`SetupFile`] and back. [`ImportPlan`] compares a file with a document
//! and becomes one edit; [`ReplacePlan`] puts a file in place of what is there, as UnityChan's own window does.
//! [`export()`] is the way out.

mod bind;
mod collect;
mod diff;
mod export;
mod export_options;
mod file;
mod format;
mod groups;
mod laying;
mod loss;
mod materials;
mod merge;
mod mirror_preview;
mod names;
mod nodes;
mod passthrough;
mod pivots;
mod placement;
mod plan;
mod plan_rows;
mod problem;
pub mod remap;
mod replace;
mod resolver;
mod row_chains;
mod solver_part;
#[cfg(test)]
mod tests;
mod trees;
mod unbind;
mod verify;
mod view;

pub use diff::{Change, EntryKind, SetupDifference, diff};
pub use export::{Exported, export};
pub use export_options::{ExportOptions, LineEnd};
pub use file::{FileItem, FileSpace, FileSystem, MOST_SYSTEMS, Section, SetupFile, TableFacts, Tree};
pub use format::TableFormat;
pub use loss::ExportLoss;
pub use mirror_preview::{MirrorError, MirrorPreview, PreviewPivot, PreviewShape, Skin, closer_mirror, mirror_preview};
pub use names::mappable_names;
pub use plan::ImportPlan;
pub use plan_rows::{Counts, Missing, PlanRow, RowNote, RowState, UnresolvedName, UnresolvedRows};
pub use problem::{Fault, Problem, unreadable_name};
pub use replace::{ReplaceCounts, ReplaceNote, ReplaceOptions, ReplacePlan};
pub use unbind::unbind;
pub use verify::{ErrorKind, RowError, Wanted, renderer_names, verify};
