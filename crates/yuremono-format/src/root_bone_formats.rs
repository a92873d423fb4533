//! Code shared by the formats that identify chains by their roots. A file has one system, and its entries are in the
//! space of the file.

use super::json_common::{SetupDiagnostics, pointer_token};
use glam::{Quat, Vec3};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use yuremono_model::document::{
    ByName, Collider, ComponentLists, FlipAxis, Helper, HelperRole, ListKind, NodeRef, SetupEntry, System,
};
use yuremono_model::exchange::{CellFault, ChainTree, FileEntry, FileSection, FileSpace, SetupFile};
use yuremono_sim::diagnostics::{Diagnostic, Location, excerpt, message};
use yuremono_sim::math::{JsonNumber, Trs};
use yuremono_sim::params::ParamId;
use yuremono_sim::{ColliderShape, SolverKind};

/// Maximum number of chains in one file.
pub(super) const MAX_TREES: usize = 4096;

/// Parses a finite or infinite number.
pub(super) fn parse_cell(text: &str) -> Result<f32, CellFault> {
    crate::unity_csv::parse_number(text, false)
}

/// Returns the axis that changes sign between the space of a file and glTF's space.
pub(super) const fn flip_axis(file: &SetupFile) -> FlipAxis {
    match file.space {
        FileSpace::Unity(Some(axis)) => axis,
        FileSpace::Unity(None) | FileSpace::Gltf => FlipAxis::X,
    }
}

/// Creates the node of a collider. These formats describe the node together with the collider.
pub(super) fn inline_collider_node(name: &str, parent: &str, local: Trs) -> NodeRef {
    let helper = Helper { name: name.to_owned(), parent: NodeRef::from(parent), local, role: HelperRole::Plain };
    NodeRef::Inline(Box::new(helper))
}

/// Returns the parent name of a collider, and the transform of the collider relative to that parent.
pub(super) fn collider_parent_and_transform(collider: &Collider<ByName>) -> (&str, Trs) {
    match &collider.node {
        NodeRef::Inline(helper) => (helper.parent.name(), helper.local),
        NodeRef::Named(bone) => (bone, Trs::IDENTITY),
    }
}

/// Converts a collider to an entry of a file.
pub(super) fn collider_entry(collider: Collider<ByName>) -> FileEntry {
    FileEntry::new(0, FileSection::Colliders, collider.name.clone(), SetupEntry::Collider(collider))
}

/// A collider of Unity that extends along an axis of its node.
pub(super) struct AxisCollider {
    /// The axis of a capsule, or the normal of a plane: 0 is X, 1 is Y, 2 is Z.
    pub(super) axis: i32,
    pub(super) center: Vec3,
    pub(super) inside: bool,
    pub(super) shape: AxisShape,
}

pub(super) enum AxisShape {
    /// A capsule with its total height. If the height is at most twice the radius, it is a sphere.
    Capsule {
        radius: f32,
        height: f32,
    },
    Plane,
}

impl AxisCollider {
    /// Returns the shape, and its place in the node.
    pub(super) fn place(&self) -> (Trs, ColliderShape) {
        let half = std::f32::consts::FRAC_PI_2;
        let inside = self.inside;
        let (rotation, shape, back) = match self.shape {
            AxisShape::Capsule { radius, height } if height > 2.0 * radius => {
                // Yuremono's capsules start at their node and extend along +Y.
                let rotation = match self.axis {
                    0 => Quat::from_rotation_z(-half),
                    2 => Quat::from_rotation_x(half),
                    _ => Quat::IDENTITY,
                };
                let height = height - 2.0 * radius;
                (rotation, ColliderShape::Capsule { radius, height, inside }, height / 2.0)
            }
            AxisShape::Capsule { radius, .. } => (Quat::IDENTITY, ColliderShape::Sphere { radius, inside }, 0.0),
            AxisShape::Plane => {
                // Yuremono's planes push towards +Z.
                let rotation = match self.axis {
                    0 => Quat::from_rotation_y(half),
                    1 => Quat::from_rotation_x(-half),
                    _ => Quat::IDENTITY,
                };
                let other_side = if inside { Quat::from_rotation_y(2.0 * half) } else { Quat::IDENTITY };
                (rotation * other_side, ColliderShape::Plane, 0.0)
            }
        };
        let translation = self.center - rotation * Vec3::new(0.0, back, 0.0);
        (Trs { translation, rotation, scale: Vec3::ONE }, shape)
    }
}

/// Returns the colliders of a file, in file order.
pub(super) fn colliders(file: &SetupFile) -> impl Iterator<Item = &Collider<ByName>> {
    file.usable_entries(FileSection::Colliders).filter_map(|(.., item)| match item {
        SetupEntry::Collider(collider) => Some(collider),
        _ => None,
    })
}

/// Converts system values to an entry of a file. Returns `None` if there are no values.
pub(super) fn system_entry(solver: SolverKind, values: &[(ParamId, f32)]) -> Option<FileEntry> {
    let named =
        |(param, value): &(ParamId, f32)| (solver.info().params[param.index()].name.to_owned(), JsonNumber(*value));
    let values: BTreeMap<_, _> = values.iter().map(named).collect();
    (!values.is_empty()).then(|| {
        let system =
            System { name: String::new(), solver, values, component: None, component_lists: ComponentLists::None };
        FileEntry::new(0, FileSection::Other, "system", SetupEntry::System(system))
    })
}

pub(super) fn system_value(file: &SetupFile, solver: SolverKind, param: ParamId) -> f32 {
    let def = &solver.info().params[param.index()];
    let value = file.usable_entries(FileSection::Other).filter_map(|(.., item)| match item {
        SetupEntry::System(system) => system.values.get(def.name),
        _ => None,
    });
    value.last().map_or(def.default, |value| value.0)
}

/// Returns the name of a single node of the component, or an empty string.
pub(super) fn component_node(file: &SetupFile, side: ListKind) -> &str {
    let named = file.usable_entries(FileSection::Other).filter_map(|(.., item)| match item {
        SetupEntry::ComponentNodes(nodes) => nodes.get(&side),
        _ => None,
    });
    named.last().and_then(Option::as_deref).unwrap_or_default()
}

/// Collects the single nodes that the components of a file name, with their JSON pointers. The first component wins.
#[derive(Default)]
pub(super) struct ComponentNodeReader(BTreeMap<ListKind, (String, String)>);

impl ComponentNodeReader {
    /// Reads a field of a component. `pointer` is the JSON pointer of the component. An empty string means that the
    /// component has no node.
    pub(super) fn read_field(
        &mut self,
        side: ListKind,
        object: &Map<String, Value>,
        key: &str,
        pointer: &str,
        found: &mut SetupDiagnostics,
    ) {
        let Some(name) = found.text(object, key, pointer) else { return };
        let field_pointer = format!("{pointer}/{}", pointer_token(key));
        let (first, _) = self.0.entry(side).or_insert_with(|| (name.clone(), field_pointer.clone()));
        if *first != name {
            found.warn(
                &field_pointer,
                message!("\"{name}\" differs from the first one, which is used", name = excerpt(&name)),
            );
        }
    }

    /// Returns one entry for each node, because each node has its own JSON pointer.
    pub(super) fn into_entries(self) -> impl Iterator<Item = FileEntry> {
        self.0.into_iter().map(|(side, (name, pointer))| {
            let nodes = BTreeMap::from([(side, Some(name.clone()).filter(|name| !name.is_empty()))]);
            FileEntry {
                json_pointer: pointer,
                ..FileEntry::new(0, FileSection::Other, name, SetupEntry::ComponentNodes(nodes))
            }
        })
    }
}

/// Adds a chain. Reports an error if there are too many chains.
pub(super) fn push_tree(file: &mut SetupFile, tree: ChainTree, place: Location, found: &mut SetupDiagnostics) {
    if file.trees.len() < MAX_TREES {
        file.trees.push(tree);
    } else {
        let message = message!(
            "more than {max_trees} chains; \"{root}\" is left out",
            max_trees = MAX_TREES,
            root = excerpt(&tree.root)
        );
        found.push(Diagnostic::warning(place, message));
    }
}
