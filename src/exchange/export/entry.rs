//! Entries of a file that is written.

use crate::document::{HelperRole, JointEntry, JointScope, SetupEntry};
use crate::exchange::{FileEntry, FileSection};

/// An entry of the system at that position, in the section of its kind.
pub(super) fn file_entry(system: usize, item: SetupEntry) -> FileEntry {
    let (section, name) = section_and_name(&item);
    let name = name.to_owned();
    FileEntry::new(system, section, name, item)
}

/// The section of an entry, and its name there.
pub(super) fn section_and_name(item: &SetupEntry) -> (FileSection, &str) {
    match item {
        SetupEntry::Joint(JointEntry { scope: JointScope::Details, .. }) => (FileSection::Other, "joint"),
        SetupEntry::Joint(item) => (FileSection::Joints, &item.joint.bone),
        SetupEntry::Helper(node) if node.role == HelperRole::Pivot => (FileSection::Pivots, &node.name),
        SetupEntry::Helper(node) => (FileSection::Nodes, &node.name),
        SetupEntry::Collider(collider) => (FileSection::Colliders, &collider.name),
        SetupEntry::HighLeg(high_leg) => (FileSection::HighLegs, high_leg.node.name()),
        SetupEntry::System(_) => (FileSection::Other, "system"),
        SetupEntry::ComponentNodes(_) => (FileSection::Other, "component_nodes"),
        SetupEntry::Material(..) => (FileSection::Other, "material"),
        SetupEntry::DisabledCollider(_) => (FileSection::Other, "disabled_collider"),
        SetupEntry::Group(..) => (FileSection::Other, "group"),
        SetupEntry::Force(_) => (FileSection::Other, "force"),
        SetupEntry::Chain(_) => (FileSection::Other, "chain"),
        SetupEntry::ExcludedBone(_) => (FileSection::Other, "excluded_bone"),
        SetupEntry::HiddenMesh(_) => (FileSection::Other, "hidden_mesh"),
    }
}
