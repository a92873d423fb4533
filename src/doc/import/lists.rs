//! What a component knows beyond numbers, by name: out of a document and in again.
//!
//! A file of ours that speaks of a component's lists says all of them: what was there before goes. One of an engine says
//! the single nodes that the engine's component has, see [`TableFormat::single_nodes`]. Bones and nodes go by the leads of
//! the file's joints; colliders go by their own names, and of several of a name the first is meant, as everywhere in a table.

use super::extras::own_name;
use super::leads::Finder;
use super::names::Names;
use super::{ExportLoss, ImportPlan, Missing, RowNote, RowState, SetupPlan, View};
use crate::doc::table::{Extra, ListCells, Mentions, Section, TableFormat};
use crate::doc::{Axis, ColliderId, Document, Extras, NamedExtras, Node, Side};
use crate::report::{Diagnostic, Place, clip};
use crate::rig::BoneId;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// Something that a component's lists name and that is not here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfound {
    /// What it is called.
    pub name: String,
    /// Whether it is a collider, and not a bone or another node.
    pub is_collider: bool,
    /// JSON pointer of its first mention; empty where the file has rows.
    pub at: String,
}

/// The row of the document's only component. A CSV has none where nothing is said, an engine's own format where that has
/// no place for any of it.
pub(super) fn of_component(view: &View<'_>, axis: Axis, format: TableFormat) -> Option<Extra> {
    let extras = &view.document.main().extras;
    let is_empty = match format {
        TableFormat::Csv => extras.is_empty(),
        format => format.is_of_trees() && format.single_nodes().is_empty(),
    };
    let has_lists = extras.solver().is_some() && view.document.systems.len() == 1;
    (has_lists && !is_empty).then(|| {
        let lists = named(view, format).0.mirrored(axis);
        let only = format.is_of_trees().then(|| format.single_nodes().to_vec());
        Extra::Lists(Box::new(ListCells { lists, mentions: Mentions::default(), only }))
    })
}

/// What a file does not hold of the components' lists, or holds for Yuremono alone, and what no name leads to.
pub(super) fn losses(view: &View<'_>, format: TableFormat) -> Vec<ExportLoss> {
    let alone = view.document.systems.len() == 1;
    let count = |side: Side| view.document.systems.values().map(|system| system.extras.count(side)).sum::<usize>();
    let is_held = |side: &Side| alone && format.single_nodes().contains(side);
    let counted = Side::ALL.into_iter().filter(|side| !is_held(side)).map(|side| (side, count(side)));
    let counted = counted.filter(|(_, count)| *count > 0);
    let mut all: Vec<_> = counted.map(|(side, count)| ExportLoss::Lists { side, count, alone }).collect();
    if alone {
        all.extend(named(view, format).1.into_iter().map(ExportLoss::Listed));
    }
    all
}

/// What a format holds of the lists, with names that lead back to what they name, and the names of all that has none. An
/// engine knows no nodes but those of the file.
fn named(view: &View<'_>, format: TableFormat) -> (NamedExtras, Vec<String>) {
    let document = view.document;
    let mut first = BTreeMap::new();
    for (id, collider) in &document.colliders {
        first.entry(collider.name.as_str()).or_insert(*id);
    }
    let lost = RefCell::new(BTreeSet::new());
    let or_lost = |found: Option<String>, name: String| {
        if found.is_none() {
            lost.borrow_mut().insert(name);
        }
        found
    };
    let called = |node: Node| match (view.names.name(node), node) {
        (Some(name), _) => name.to_owned(),
        (None, Node::Bone(bone)) => document.lost.path(bone).map_or_else(String::new, |path| path.name.clone()),
        (None, Node::Helper(_)) => String::new(),
    };
    let node = |node: &Node| {
        let is_known = matches!(node, Node::Bone(_)) || !format.is_of_trees();
        let name = view.names.name(*node).filter(|name| is_known && view.names.find(name) == Some(*node));
        or_lost(name.map(str::to_owned), called(*node))
    };
    let bone = |bone: &BoneId| or_lost(own_name(view.skeleton, *bone), called(Node::Bone(*bone)));
    let collider = |id: &ColliderId| {
        let name = document.colliders.get(id).map(|collider| collider.name.clone()).unwrap_or_default();
        or_lost((first.get(name.as_str()) == Some(id)).then(|| name.clone()), name)
    };
    let mut extras = document.main().extras.clone();
    if format.is_of_trees() {
        let all = std::mem::replace(&mut extras, Extras::under(document.main().solver));
        put_singles(all, &mut extras, format.single_nodes());
    }
    let lists = extras.rename(node, bone, collider);
    (lists, lost.into_inner().into_iter().collect())
}

/// Puts some single nodes in the place of those of another.
fn put_singles(mut from: Extras, into: &mut Extras, sides: &[Side]) {
    for side in sides {
        if let (Some(from), Some(into)) = (from.single_mut(*side), into.single_mut(*side)) {
            *into = *from;
        }
    }
}

/// Whether lists are those of the document's solver; such of another say what they are of.
pub(super) fn check(cells: &ListCells, document: &Document) -> Result<(), Missing> {
    match cells.lists.solver() {
        Some(theirs) if theirs != document.main().solver => Err(Missing::Component(theirs)),
        _ => Ok(()),
    }
}

/// The lists on a document, and what of them is not there: each name once.
pub(super) fn found(cells: &ListCells, document: &Document, finder: Finder<'_>, axis: Axis) -> (Extras, Vec<Unfound>) {
    if cells.lists.solver() != Extras::under(document.main().solver).solver() {
        return (document.main().extras.clone(), Vec::new());
    }
    let names = Names::of(document, finder.skeleton());
    let mut colliders = BTreeMap::new();
    for (id, collider) in &document.colliders {
        colliders.entry(collider.name.as_str()).or_insert(*id);
    }
    let node = |name: &String| finder.node(name, &names);
    let bone = |name: &String| finder.bone(name);
    let collider = |name: &String| colliders.get(name.as_str()).copied();
    // An entry goes with the first of its names that leads nowhere; the others are told too.
    let lost = RefCell::new(BTreeSet::new());
    let told = |is_there: bool, is_collider: bool, name: &String| {
        if !is_there {
            lost.borrow_mut().insert((is_collider, name.clone()));
        }
        Some(())
    };
    _ = cells.lists.rename(
        |name| told(node(name).is_some(), false, name),
        |name| told(bone(name).is_some(), false, name),
        |name| told(collider(name).is_some(), true, name),
    );
    let mut lists = cells.lists.rename(node, bone, collider).without_doubles().mirrored(axis);
    if let Some(only) = &cells.only {
        let said = std::mem::replace(&mut lists, document.main().extras.clone());
        put_singles(said, &mut lists, only);
    }
    let lost = lost.into_inner().into_iter().map(|(is_collider, name)| {
        let all = if is_collider { &cells.mentions.colliders } else { &cells.mentions.nodes };
        let at = all.get(&name).cloned().unwrap_or_default();
        Unfound { name, is_collider, at }
    });
    (lists, lost.collect())
}

/// What of them is not there, for their row.
pub(super) fn notes(cells: &ListCells, document: &Document, finder: Finder<'_>, axis: Axis) -> Vec<RowNote> {
    if document.systems.len() > 1 {
        // An engine's own format has the fields of its component, whatever stands there.
        let says_nothing = cells.only.is_some() && cells.lists.names().is_empty();
        return if says_nothing { Vec::new() } else { vec![RowNote::SeveralComponents] };
    }
    let (_, lost) = found(cells, document, finder, axis);
    if lost.is_empty() { Vec::new() } else { vec![RowNote::NoListed(lost)] }
}

/// Most findings about names that are not here.
const MOST_FINDINGS: usize = 200;

impl SetupPlan {
    /// What the ticked lists of components name and this character lacks, each at its place in the file.
    pub fn findings(&self, file: &str) -> Vec<Diagnostic> {
        let mut all = Vec::new();
        for plan in self.plans() {
            plan.list_findings(file, &mut all);
        }
        let more = all.len().saturating_sub(MOST_FINDINGS);
        all.truncate(MOST_FINDINGS);
        if more > 0 {
            all.push(Diagnostic::warning(Place::file(file), format!("{more} more findings are not listed")));
        }
        all
    }
}

impl ImportPlan {
    fn list_findings(&self, file: &str, all: &mut Vec<Diagnostic>) {
        for (at, row) in self.rows_of(Section::Extras).iter().enumerate() {
            let RowState::Matches { notes, .. } = &row.state else { continue };
            if !self.is_ticked(Section::Extras, at) {
                continue;
            }
            let place = |pointer: &str| match pointer {
                // Elsewhere rows have numbers that no file shows.
                "" if self.table.source.format == TableFormat::Csv => Place::file(file).line(row.line),
                "" => Place::file(file),
                pointer => Place::file(file).at(pointer),
            };
            for note in notes {
                match note {
                    RowNote::NoListed(lost) => all.extend(lost.iter().map(|one| {
                        let kind = if one.is_collider { "collider" } else { "node" };
                        let message = format!(
                            "there is no {kind} \"{}\" here; what the component says of it is left out",
                            clip(&one.name)
                        );
                        Diagnostic::warning(place(&one.at), message)
                    })),
                    RowNote::SeveralComponents => {
                        let lists = match self.table.extras.get(at).map(|row| &row.cells) {
                            Some(Ok(Extra::Lists(cells))) => cells.mentions.at.as_str(),
                            _ => "",
                        };
                        all.push(Diagnostic::warning(place(lists), note.to_string()));
                    }
                    _ => {}
                }
            }
        }
    }
}
