//! A document as the setup of a file.

mod comments;
mod entry;
mod kept;
mod rows;
mod whole;

use super::TableFormat;
use super::file::Tree;
use super::loss;
use super::solver_part::SolverPart;
use super::trees::{self, TreeSource};
use super::unbind::{NodeNames, Unbind};
use super::{ExportLoss, FileSystem, Section, SetupFile};
use crate::document::{ByName, Document, Extras, Node, Rename as _, SetupItem, Side, System};
use crate::exchange::ExportOptions;
use crate::rig::Skeleton;
use comments::Comments;
use entry::entry;
use rows::Rows;
use std::collections::{BTreeMap, BTreeSet};

/// A setup for a codec and what it does not hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Exported {
    /// In glTF's space.
    pub file: SetupFile,
    /// For the export dialog; see [`ExportLoss::is_in_comments`] for what comment rows keep.
    pub losses: Vec<ExportLoss>,
}

/// A document as `options.format` holds it: all systems, or those of [`ExportOptions::solver`] alone. A format without
/// room for several systems gets the chains of one solver.
pub fn export(document: &Document, skeleton: &Skeleton, options: ExportOptions) -> Exported {
    if options.format.holds_systems() {
        return whole::export(document, skeleton, options);
    }
    let names = NodeNames::of(document, skeleton);
    let part = SolverPart::new(&names, options.solver);
    if options.format.is_of_trees() { of_trees(&part, options) } else { of_table(&part, options) }
}

/// A table of the joints of one solver, with comment rows for what the table cannot hold.
fn of_table(part: &SolverPart<'_>, options: ExportOptions) -> Exported {
    let rows = Rows::of(part, options);
    let comments = Comments::of(part, &mut Unbind::for_comments(part.document, part.names, &rows.described));
    let mut losses = of_document(part, options.format);
    if part.has_one_system() {
        losses.extend(comments.lost_in_lists.into_iter().map(ExportLoss::Listed));
    }
    losses.extend(rows.losses);
    let mut items = rows.items;
    loss::of_rows(part.solver, &items, &mut losses);
    if part.solver.info().pivots && !options.bones {
        losses.push(ExportLoss::WipesBones);
    }
    let mut system = FileSystem { solver: part.solver, name: String::new() };
    if options.extras {
        items.extend(comments.items);
        losses.extend(comments.lost.into_iter().map(ExportLoss::Listed));
        if part.has_one_system() {
            system.name.clone_from(&part.main.name);
        }
    }
    let passthrough = kept::for_table(part, options, &items);
    losses.extend(kept::loss(&passthrough));
    loss::in_format(options.format, &mut losses);
    let file = SetupFile { format: options.format, systems: vec![system], items, passthrough, ..SetupFile::default() };
    Exported { file, losses }
}

/// Chains by their roots, with colliders, values of the component and its single nodes.
fn of_trees(part: &SolverPart<'_>, options: ExportOptions) -> Exported {
    let rows = Rows::of(part, options);
    let (nodes, lost) = component_nodes(part, options.format);
    let mut losses = of_document(part, options.format);
    losses.extend(lost.into_iter().map(ExportLoss::Listed));
    losses.extend(rows.losses);
    loss::of_rows(part.solver, &rows.items, &mut losses);
    let (trees, uneven) = trees(part);
    losses.extend(uneven);
    loss::in_format(options.format, &mut losses);
    losses.extend(kept::loss_of_all(&part.document.setup.passthrough));
    let colliders = rows.items.into_iter().filter(|item| item.section == Section::Colliders);
    let component = [SetupItem::System(component(part))].into_iter().chain(nodes.map(SetupItem::ComponentNodes));
    let items = component.map(|item| entry(0, item)).chain(colliders).collect();
    let systems = vec![FileSystem { solver: part.solver, name: String::new() }];
    let file = SetupFile { format: options.format, systems, items, trees, ..SetupFile::default() };
    Exported { file, losses }
}

/// What every format of one solver loses of the whole document.
fn of_document(part: &SolverPart<'_>, format: TableFormat) -> Vec<ExportLoss> {
    let mut losses = loss::of_others(part);
    losses.extend(loss::of_document(part));
    losses.extend(loss::of_lists(part, format));
    losses
}

/// All values of the engine's component, defaults included.
fn component(part: &SolverPart<'_>) -> System<ByName> {
    let values = Unbind::new(part.document, part.names).system_values(part.solver, &part.main.values);
    System { name: String::new(), solver: part.solver, values, component: None, extras: Extras::None }
}

/// The nodes that an engine's own format names; `None` if it names none, or if several components have such nodes.
/// Engines know no nodes but bones. The names of all others come second.
fn component_nodes(
    part: &SolverPart<'_>,
    format: TableFormat,
) -> (Option<BTreeMap<Side, Option<String>>>, BTreeSet<String>) {
    let sides = format.single_nodes();
    let mut lost = BTreeSet::new();
    if sides.is_empty() || part.main.extras.solver().is_none() || !part.has_one_system() {
        return (None, lost);
    }
    let mut name_of = |side: &Side| {
        let node = part.main.extras.entries(*side).first().and_then(|entry| entry.first().copied())?;
        let found = match node {
            Node::Bone(bone) => part.names.own_name(bone).map(str::to_owned),
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

/// The chains of a solver by their roots, and what such a chain cannot hold.
fn trees(part: &SolverPart<'_>) -> (Vec<Tree>, Vec<ExportLoss>) {
    let places = part.chains().map(|(id, chain)| (id, part.places(chain))).collect();
    let source = TreeSource { document: part.document, skeleton: part.skeleton, rest: part.rest(), places: &places };
    trees::of_document(&source, part.solver)
}
