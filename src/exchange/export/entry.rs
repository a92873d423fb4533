//! Entries of a file that is written.

use crate::document::{HelperRole, JointItem, JointScope, SetupItem};
use crate::exchange::{FileItem, Section};

/// An entry of the system at that position, in the section of its kind.
pub(super) fn entry(system: usize, item: SetupItem) -> FileItem {
    let (section, name) = place(&item);
    let name = name.to_owned();
    FileItem::new(system, section, name, item)
}

/// The section of an entry, and its name there.
pub(super) fn place(item: &SetupItem) -> (Section, &str) {
    match item {
        SetupItem::Joint(JointItem { scope: JointScope::Details, .. }) => (Section::Other, "joint"),
        SetupItem::Joint(item) => (Section::Joints, &item.joint.bone),
        SetupItem::Node(node) if node.role == HelperRole::Pivot => (Section::Pivots, &node.name),
        SetupItem::Node(node) => (Section::Nodes, &node.name),
        SetupItem::Collider(collider) => (Section::Colliders, &collider.name),
        SetupItem::HighLeg(high_leg) => (Section::HighLegs, high_leg.node.name()),
        SetupItem::System(_) => (Section::Other, "system"),
        SetupItem::ComponentNodes(_) => (Section::Other, "component_nodes"),
        SetupItem::Material(..) => (Section::Other, "material"),
        SetupItem::ColliderOff(_) => (Section::Other, "collider_off"),
        SetupItem::Group(..) => (Section::Other, "group"),
        SetupItem::Force(_) => (Section::Other, "force"),
        SetupItem::Chain(_) => (Section::Other, "chain"),
        SetupItem::Excluded(_) => (Section::Other, "excluded"),
        SetupItem::MeshHidden(_) => (Section::Other, "mesh_hidden"),
    }
}
