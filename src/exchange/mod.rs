//! Setups by bone name: what files exchange, onto a character and out of it.
//!
//! A codec of [`crate::format`] turns bytes into a [`SetupFile`] and back. [`ImportPlan`] compares a file with a document
//! and becomes one edit; [`ReplacePlan`] puts a file in place of what is there, as UnityChan's own window does.
//! [`export()`] is the way out.

mod bind;
mod cell_problem;
mod chain_trees;
mod document_view;
mod export;
mod export_loss;
mod export_options;
mod group_map;
mod import_plan;
mod import_rows;
mod mappable_names;
mod material_sharing;
mod merge;
mod mirror_preview;
mod name_resolver;
mod node_merge;
mod node_placement;
mod passthrough;
mod pivot_resolution;
pub mod remap;
mod replace;
mod row_chains;
mod setup_collector;
mod setup_diff;
mod setup_file;
mod solver_subset;
mod system_assignment;
mod table_format;
mod table_verifier;
#[cfg(test)]
mod tests;
mod unbind;

pub use cell_problem::{CellFault, CellProblem, unreadable_name_reason};
pub use export::{ExportResult, export};
pub use export_loss::ExportLoss;
pub use export_options::{ExportOptions, LineEnding};
pub use import_plan::ImportPlan;
pub use import_rows::{
    ImportCounts, ImportNote, ImportRow, ImportRowStatus, MissingReference, UnresolvedName, UnresolvedRows,
};
pub use mappable_names::mappable_names;
pub use mirror_preview::{
    MirrorError, MirrorPreview, PreviewPivot, PreviewShape, VerticesByBone, closer_mirror, mirror_preview,
};
pub use replace::{ReplaceCounts, ReplaceNote, ReplaceOptions, ReplacePlan};
pub use setup_diff::{EntryChange, EntryKind, SetupDifference, diff_setups};
pub use setup_file::{ChainTree, CsvInfo, FileEntry, FileSection, FileSpace, MAX_SYSTEMS, SetupFile, SystemHeader};
pub use table_format::TableFormat;
pub use table_verifier::{RowError, RowErrorKind, TableSections, mesh_names, verify_table};
pub use unbind::setup_by_name;
