//! Exports a document to a [`SetupFile`].

mod comments;
mod full_setup;
mod passthrough;
mod table_rows;

use super::chain_trees::{self, TreeSource};
use super::document_view::SolverSubset;
use super::export_loss;
use super::setup_file::{ChainTree, file_entry};
use super::unbind::{NameUnbinder, NodeNames};
use super::{ExportLoss, ExportOptions, FileSection, SetupFile, SetupFormat, SetupLayout, SystemHeader};
use crate::document::source_frames::RestPose;
use crate::document::{ByName, ComponentLists, Document, ListKind, MapNaming as _, Node, SetupEntry, System};
use comments::CommentRows;
use std::collections::{BTreeMap, BTreeSet};
use table_rows::TableRows;

/// The exported file and its losses.
#[derive(Clone, Debug, PartialEq)]
pub struct ExportResult {
    /// The file in glTF space.
    pub file: SetupFile,
    /// All losses, including the losses that comment rows restore. See [`ExportLoss::is_kept_in_comments`].
    pub losses: Vec<ExportLoss>,
}

/// Exports all systems, or only the systems with [`ExportOptions::solver`]. If the format stores one system, only the
/// chains of one solver are exported.
pub fn export<'a>(document: &Document, rest: impl Into<RestPose<'a>>, options: ExportOptions) -> ExportResult {
    let rest = rest.into();
    let skeleton = rest.skeleton;
    let names = NodeNames::from_document(document, skeleton);
    let part = SolverSubset::new(&names, options.solver);
    match options.format.layout {
        SetupLayout::FullSetup => full_setup::export_full_setup(document, rest, options),
        SetupLayout::ChainTrees => export_trees(&part, options),
        SetupLayout::Rows => export_table(&part, options),
    }
}

/// Exports the joints of one solver as a table. Comment rows store all other data.
fn export_table(part: &SolverSubset<'_>, options: ExportOptions) -> ExportResult {
    let rows = TableRows::from_subset(part, options);
    let comments = CommentRows::from_subset(
        part,
        &mut NameUnbinder::for_comments(part.document, part.names, &rows.described_helpers),
    );
    let mut losses = document_losses(part, options.format);
    if part.has_one_system() {
        losses.extend(comments.unresolvable_names_in_lists.into_iter().map(ExportLoss::UnresolvableName));
    }
    losses.extend(rows.losses);
    let mut items = rows.entries;
    export_loss::push_entry_losses(part.solver, &items, &mut losses);
    if part.solver.info().uses_pivots && !options.write_joints {
        losses.push(ExportLoss::UnityDeletesJoints);
    }
    let mut system = SystemHeader { solver: part.solver, name: String::new() };
    if options.write_comment_rows {
        items.extend(comments.items);
        losses.extend(comments.unresolvable_names.into_iter().map(ExportLoss::UnresolvableName));
        if part.has_one_system() {
            system.name.clone_from(&part.main_system.name);
        }
    }
    let passthrough = passthrough::passthrough_for_table(part, options, &items);
    losses.extend(passthrough::passthrough_rows_loss(&passthrough));
    export_loss::retain_format_losses(options.format, &mut losses);
    let file =
        SetupFile { systems: vec![system], entries: items, passthrough, ..SetupFile::without_system(options.format) };
    ExportResult { file, losses }
}

/// Exports chain trees with colliders, component values and single nodes.
fn export_trees(part: &SolverSubset<'_>, options: ExportOptions) -> ExportResult {
    let rows = TableRows::from_subset(part, options);
    let (nodes, lost) = component_node_names(part, options.format);
    let mut losses = document_losses(part, options.format);
    losses.extend(lost.into_iter().map(ExportLoss::UnresolvableName));
    losses.extend(rows.losses);
    export_loss::push_entry_losses(part.solver, &rows.entries, &mut losses);
    let (trees, uneven) = solver_chain_trees(part);
    losses.extend(uneven);
    export_loss::retain_format_losses(options.format, &mut losses);
    losses.extend(passthrough::dropped_passthrough_loss(&part.document.setup.passthrough));
    let colliders = rows.entries.into_iter().filter(|item| item.section == FileSection::Colliders);
    let component =
        [SetupEntry::System(component_system(part))].into_iter().chain(nodes.map(SetupEntry::ComponentNodes));
    let items = component.map(|item| file_entry(0, item)).chain(colliders).collect();
    let systems = vec![SystemHeader { solver: part.solver, name: String::new() }];
    let file = SetupFile { systems, entries: items, trees, ..SetupFile::without_system(options.format) };
    ExportResult { file, losses }
}

/// Losses of the whole document in every format that stores one solver.
fn document_losses(part: &SolverSubset<'_>, format: SetupFormat) -> Vec<ExportLoss> {
    let mut losses = export_loss::other_solver_losses(part);
    losses.extend(export_loss::document_losses(part));
    losses.extend(export_loss::list_losses(part, format));
    losses
}

/// All values of the component, including defaults.
fn component_system(part: &SolverSubset<'_>) -> System<ByName> {
    let values = NameUnbinder::new(part.document, part.names).system_values(part.solver, &part.main_system.values);
    System { name: String::new(), solver: part.solver, values, component: None, component_lists: ComponentLists::None }
}

/// The single nodes of a component, and the names of nodes that are not uniquely named bones. The nodes are `None` if
/// the format does not store single nodes, or if there are several components.
fn component_node_names(
    part: &SolverSubset<'_>,
    format: SetupFormat,
) -> (Option<BTreeMap<ListKind, Option<String>>>, BTreeSet<String>) {
    let sides = format.single_node_lists;
    let mut lost = BTreeSet::new();
    if sides.is_empty() || part.main_system.component_lists.solver().is_none() || !part.has_one_system() {
        return (None, lost);
    }
    let mut name_of = |side: &ListKind| {
        let node = part.main_system.component_lists.entries(*side).first().and_then(|entry| entry.first().copied())?;
        let found = match node {
            Node::Bone(bone) => part.names.unique_name(bone).map(str::to_owned),
            Node::Helper(_) => None,
        };
        if found.is_none() {
            lost.insert(part.names.message_name(node));
        }
        found
    };
    let nodes = sides.iter().map(|side| (*side, name_of(side))).collect();
    (Some(nodes), lost)
}

fn solver_chain_trees(part: &SolverSubset<'_>) -> (Vec<ChainTree>, Vec<ExportLoss>) {
    let places = part.chains().map(|(id, chain)| (id, part.curve_positions(chain))).collect();
    let source =
        TreeSource { document: part.document, skeleton: part.skeleton, rest: part.rest(), curve_positions: &places };
    chain_trees::chain_trees(&source, part.solver)
}
