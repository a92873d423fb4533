//! What the formats share that name chains by their roots: items of a file of one system, in the file's own space.

use super::json_findings::{Findings, part};
use crate::document::{Axis, ByName, Collider, Extras, Helper, HelperRole, NodeRef, SetupItem, Side, System};
use crate::exchange::{Fault, FileItem, FileSpace, Section, SetupFile, Tree};
use crate::math::{Number, Trs};
use crate::report::{Diagnostic, Place, clip};
use crate::schema::Row;
use crate::sim::SolverKind;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Most chains that one file may name by their roots.
pub(super) const MOST_TREES: usize = 4096;

/// A finite or infinite number of a cell.
pub(super) fn parse_cell(text: &str) -> Result<f32, Fault> {
    crate::format::unity_csv::parse_number(text, false)
}

/// The axis that changes sign between the space of a file and glTF's.
pub(super) const fn mirror_of(file: &SetupFile) -> Axis {
    match file.space {
        FileSpace::Unity(Some(axis)) => axis,
        FileSpace::Unity(None) | FileSpace::Gltf => Axis::X,
    }
}

/// The node of a collider, which the file describes where it describes the collider.
pub(super) fn placed(name: &str, parent: &str, local: Trs) -> NodeRef {
    let helper = Helper { name: name.to_owned(), parent: NodeRef::from(parent), local, role: HelperRole::Plain };
    NodeRef::Placed(Box::new(helper))
}

/// The name of the parent of a collider, and the collider's transform there.
pub(super) fn placement(collider: &Collider<ByName>) -> (&str, Trs) {
    match &collider.node {
        NodeRef::Placed(helper) => (helper.parent.name(), helper.local),
        NodeRef::Named(bone) => (bone, Trs::IDENTITY),
    }
}

/// A collider as an item of a file.
pub(super) fn collider_item(collider: Collider<ByName>) -> FileItem {
    FileItem::new(0, Section::Colliders, collider.name.clone(), SetupItem::Collider(collider))
}

/// The colliders of a file, in its order.
pub(super) fn colliders(file: &SetupFile) -> impl Iterator<Item = &Collider<ByName>> {
    file.good(Section::Colliders).filter_map(|(.., item)| match item {
        SetupItem::Collider(collider) => Some(collider),
        _ => None,
    })
}

/// Values of the system that a file has; `None` without any.
pub(super) fn system_item(solver: SolverKind, values: &[(Row, f32)]) -> Option<FileItem> {
    let named = |(row, value): &(Row, f32)| (solver.info().params[row.index()].name.to_owned(), Number(*value));
    let values: BTreeMap<_, _> = values.iter().map(named).collect();
    (!values.is_empty()).then(|| {
        let system = System { name: String::new(), solver, values, component: None, extras: Extras::None };
        FileItem::new(0, Section::Other, "system", SetupItem::System(system))
    })
}

/// A value of the system: that of the file, else the engine's default.
pub(super) fn system_value(file: &SetupFile, solver: SolverKind, row: Row) -> f32 {
    let def = &solver.info().params[row.index()];
    let value = file.good(Section::Other).filter_map(|(.., item)| match item {
        SetupItem::System(system) => system.values.get(def.name),
        _ => None,
    });
    value.last().map_or(def.default, |value| value.0)
}

/// The name of a single node of the component; empty without one.
pub(super) fn single_node(file: &SetupFile, side: Side) -> &str {
    let named = file.good(Section::Other).filter_map(|(.., item)| match item {
        SetupItem::ComponentNodes(nodes) => nodes.get(&side),
        _ => None,
    });
    named.last().and_then(Option::as_deref).unwrap_or_default()
}

/// Single nodes that the components of a file name, with their JSON pointers; those of the first component count.
#[derive(Default)]
pub(super) struct SingleNodes(BTreeMap<Side, (String, String)>);

impl SingleNodes {
    /// Reads a field of a component; an empty text names no node.
    pub(super) fn read(
        &mut self,
        side: Side,
        object: &Map<String, Value>,
        (key, at): (&str, &str),
        found: &mut Findings,
    ) {
        let Some(name) = found.text(object, key, at) else { return };
        let at = format!("{at}/{}", part(key));
        let (first, _) = self.0.entry(side).or_insert_with(|| (name.clone(), at.clone()));
        if *first != name {
            found.warn(&at, format!("\"{}\" differs from the first one's, which is used", clip(&name)));
        }
    }

    /// One item per node, so that each has its own pointer.
    pub(super) fn into_items(self) -> impl Iterator<Item = FileItem> {
        self.0.into_iter().map(|(side, (name, pointer))| {
            let nodes = BTreeMap::from([(side, Some(name.clone()).filter(|name| !name.is_empty()))]);
            FileItem { pointer, ..FileItem::new(0, Section::Other, name, SetupItem::ComponentNodes(nodes)) }
        })
    }
}

/// Adds a chain, unless there are too many, which is reported.
pub(super) fn push_tree(file: &mut SetupFile, tree: Tree, place: Place, found: &mut Findings) {
    if file.trees.len() < MOST_TREES {
        file.trees.push(tree);
    } else {
        let message = format!("more than {MOST_TREES} chains; \"{}\" is left out", clip(&tree.root));
        found.push(Diagnostic::warning(place, message));
    }
}
