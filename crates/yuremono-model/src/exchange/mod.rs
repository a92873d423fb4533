//! Import and export of setups by bone name.
//!
//! A codec converts bytes to a [`SetupFile`] and back. [`ImportPlan`] compares a file with a
//! document and returns one edit. [`ReplacePlan`] replaces the setup with a file, like the import window in Unity.
//! [`export()`] converts a document to a file.

mod bind;
mod cell_problem;
mod chain_trees;
mod document_diff;
mod document_view;
mod effective_form;
mod export;
mod export_loss;
mod frame_transfer;
mod group_map;
mod id_alignment;
mod import_plan;
mod import_rows;
mod mappable_names;
mod material_sharing;
mod merge;
mod mirror_preview;
mod name_resolver;
mod node_placement;
mod passthrough;
mod pivot_resolution;
pub mod remap;
mod replace;
mod row_chains;
mod setup_diff;
mod setup_entries;
mod setup_file;
mod system_assignment;
mod table_verifier;
mod target_names;
#[cfg(test)]
mod test_format;
#[cfg(test)]
mod tests;
mod unbind;
mod vrm_tails;

pub use cell_problem::{CellFault, CellProblem, unreadable_name_reason};
pub use document_diff::{DocumentComparison, DocumentDifference, FeelDifference, diff_documents, take_chain};
pub use effective_form::effective_form;
pub use export::{ExportResult, export};
pub use export_loss::ExportLoss;
pub use id_alignment::align_ids;
pub use import_plan::ImportPlan;
pub use import_rows::{
    ImportCounts, ImportNote, ImportRow, ImportRowStatus, ImportSummary, MissingReference, UnresolvedName,
    UnresolvedRows,
};
pub use mappable_names::mappable_names;
pub use mirror_preview::{
    MirrorError, MirrorPreview, PreviewPivot, PreviewShape, VerticesByBone, closer_mirror, mirror_preview,
};
pub use replace::{ReplaceCounts, ReplaceNote, ReplaceOptions, ReplacePlan};
pub use setup_diff::{EntryChange, EntryKind, ParamPart, SetupDifference, diff_effects, diff_setups};
pub use setup_file::{
    ChainTree, CsvInfo, ExportOptions, FileEntry, FileSection, FileSpace, FormatInfo, FormatSignature, LineEnding,
    MAX_SYSTEMS, ReadResult, SetupFile, SetupFormat, SetupLayout, SystemHeader, looks_like_formula,
};
pub use table_verifier::{RowError, RowErrorKind, TableSections, mesh_names, verify_table};
pub use unbind::setup_by_name;
