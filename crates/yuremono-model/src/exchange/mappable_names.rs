//! The names of a file that can be mapped to bones of another character.

use super::{FileSection, SetupFile};
use crate::document::{MapNames, NameKind};
use std::collections::BTreeSet;
use yuremono_sim::SolverKind;
use yuremono_sim::rig::Skeleton;

/// The mappable names of a file, without duplicates. Joints and chain roots come first, followed by referenced nodes
/// that neither the file nor the skeleton contains.
pub fn mappable_names(file: &SetupFile, skeleton: &Skeleton) -> Vec<String> {
    let joints = file.entries.iter().filter(|item| item.section == FileSection::Joints && file.trees.is_empty());
    let roots = file.trees.iter().map(|tree| tree.root.as_str());
    let mut known = BTreeSet::new();
    let mut all: Vec<String> = Vec::new();
    for name in joints.map(|item| item.name.as_str()).chain(roots) {
        if known.insert(name.to_owned()) {
            all.push(name.to_owned());
        }
    }
    let sections = [FileSection::Pivots, FileSection::Colliders, FileSection::Nodes];
    let described = file.entries.iter().filter(|item| sections.contains(&item.section)).map(|item| item.name.as_str());
    let described: BTreeSet<&str> = described.collect();
    let mut mentioned = Vec::new();
    for entry in file.entries.iter().filter_map(|item| item.content.as_ref().ok()) {
        let mut collect = MapNames(|kind, name: &str| {
            if kind != NameKind::Collider {
                mentioned.push(name.to_owned());
            }
            None
        });
        _ = entry.map_names(SolverKind::default(), &mut collect);
    }
    for tree in &file.trees {
        mentioned.extend(tree.end_bones.iter().chain(&tree.excluded).cloned());
    }
    let is_open =
        |name: &String| !name.is_empty() && !described.contains(name.as_str()) && skeleton.find(name).is_none();
    all.extend(mentioned.into_iter().filter(is_open).filter(|name| known.insert(name.clone())));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Chain, ChainEntry, Helper, HelperRole, Joint, JointEntry, ReplacedProperties, SetupEntry};
    use crate::exchange::test_format::test_format;
    use crate::exchange::{ChainTree, FileEntry};
    use yuremono_sim::math::Trs;
    use yuremono_sim::rig::{Bone, BoneId};

    fn skeleton() -> Skeleton {
        let bone = |name: &str, parent| Bone { name: name.to_owned(), parent, rest: Trs::IDENTITY };
        Skeleton::new(vec![bone("root", None), bone("hair", Some(BoneId(0)))]).expect("parents come first")
    }

    fn joint(name: &str) -> FileEntry {
        let item = JointEntry { scope: ReplacedProperties::TableRow, chain: None, joint: Joint::new(name.to_owned()) };
        FileEntry::new(0, FileSection::Joints, name, SetupEntry::Joint(item))
    }

    /// A chain with the root `hair` and a center node.
    fn chain_with_center(node: &str) -> FileEntry {
        let chain = Chain { center: Some(node.into()), ..Chain::without_joints("") };
        let item = ChainEntry { root: "hair".to_owned(), number: None, chain };
        FileEntry::new(0, FileSection::Other, "chain", SetupEntry::Chain(item))
    }

    #[test]
    fn mappable_names_start_with_joints_and_omit_existing_and_described_nodes() {
        let shelf =
            Helper { name: "Shelf".to_owned(), parent: "Neck".into(), local: Trs::IDENTITY, role: HelperRole::Null };
        let shelf = FileEntry::new(0, FileSection::Nodes, "Shelf", SetupEntry::Helper(shelf));
        let mut items = vec![joint("hair"), joint("tail"), shelf];
        items.extend(["Head", "root", "Shelf", "Head"].map(chain_with_center));
        let file = SetupFile { entries: items, ..SetupFile::new(test_format(), SolverKind::Vrm) };
        assert_eq!(mappable_names(&file, &skeleton()), ["hair", "tail", "Neck", "Head"]);
    }

    #[test]
    fn trees_list_their_roots_and_end_bones_as_mappable_names() {
        let tree = |root: &str, ends: &str| ChainTree {
            parent: "Neck".to_owned(),
            joints: vec!["tail_1".to_owned()],
            end_bones: vec![ends.to_owned()],
            ..ChainTree::new(SolverKind::KawaiiPhysics, root)
        };
        let trees = vec![tree("tail", "tail_end"), tree("hair", "root")];
        let file = SetupFile { trees, ..SetupFile::new(test_format(), SolverKind::KawaiiPhysics) };
        assert_eq!(mappable_names(&file, &skeleton()), ["tail", "hair", "tail_end"]);
    }
}
