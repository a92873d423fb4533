//! The names of a file that an artist can map to bones of another character.

use super::{Section, SetupFile};
use crate::document::{Authored, ByName, ChainItem, JointItem, NodeRef, Rename, SetupItem};
use crate::math::Number;
use crate::rig::Skeleton;
use crate::sim::SolverKind;
use std::collections::{BTreeMap, BTreeSet};

/// The names of a file that can be mapped to other bones: those of joints and chain roots first, then those of nodes
/// that other entries refer to and neither the file describes nor the skeleton has. Each once.
pub fn mappable_names(file: &SetupFile, skeleton: &Skeleton) -> Vec<String> {
    let joints = file.items.iter().filter(|item| item.section == Section::Joints && file.trees.is_empty());
    let roots = file.trees.iter().map(|tree| tree.root.as_str());
    let mut known = BTreeSet::new();
    let mut all: Vec<String> = Vec::new();
    for name in joints.map(|item| item.name.as_str()).chain(roots) {
        if known.insert(name.to_owned()) {
            all.push(name.to_owned());
        }
    }
    let sections = [Section::Pivots, Section::Colliders, Section::Nodes];
    let described = file.items.iter().filter(|item| sections.contains(&item.section)).map(|item| item.name.as_str());
    let described: BTreeSet<&str> = described.collect();
    let mut mentioned = Mentions::default();
    for item in file.items.iter().filter_map(|item| item.content.as_ref().ok()) {
        mentioned.item(item);
    }
    for tree in &file.trees {
        mentioned.names.extend(tree.ends.iter().chain(&tree.excluded).cloned());
    }
    let is_open =
        |name: &String| !name.is_empty() && !described.contains(name.as_str()) && skeleton.find(name).is_none();
    all.extend(mentioned.names.into_iter().filter(is_open).filter(|name| known.insert(name.clone())));
    all
}

/// Every name of a bone or node that an entry refers to, in the order of the walk.
#[derive(Default)]
struct Mentions {
    names: Vec<String>,
}

impl Mentions {
    fn item(&mut self, item: &SetupItem) {
        let solver = SolverKind::default();
        match item {
            SetupItem::System(system) => drop(system.rename::<ByName>(self)),
            SetupItem::ComponentNodes(nodes) => self.names.extend(nodes.values().flatten().cloned()),
            SetupItem::Node(helper) => {
                self.node(&helper.parent);
            }
            SetupItem::Collider(collider) => drop(collider.rename::<ByName>(self)),
            SetupItem::Force(force) => drop(force.rename::<ByName>(self)),
            SetupItem::HighLeg(high_leg) => drop(high_leg.rename::<ByName>(self)),
            SetupItem::Chain(ChainItem { root, chain, .. }) => {
                self.names.push(root.clone());
                drop(chain.rename::<ByName>(solver, self));
            }
            SetupItem::Joint(JointItem { joint, .. }) => drop(joint.rename::<ByName>(solver, self)),
            SetupItem::Excluded(bone) => self.names.push(bone.clone()),
            SetupItem::Material(..) | SetupItem::ColliderOff(_) | SetupItem::Group(..) | SetupItem::MeshHidden(_) => {}
        }
    }
}

impl Rename<ByName, ByName> for Mentions {
    fn node(&mut self, node: &NodeRef) -> Option<NodeRef> {
        match node {
            NodeRef::Named(name) => self.names.push(name.clone()),
            NodeRef::Placed(helper) => _ = self.node(&helper.parent),
        }
        Some(node.clone())
    }

    fn bone(&mut self, bone: &String) -> Option<String> {
        self.names.push(bone.clone());
        Some(bone.clone())
    }

    fn collider(&mut self, collider: &String) -> Option<String> {
        Some(collider.clone())
    }

    fn system_values(&mut self, _: SolverKind, _: &BTreeMap<String, Number>) -> BTreeMap<String, Number> {
        BTreeMap::new()
    }

    fn chain_values(&mut self, _: SolverKind, _: &BTreeMap<String, Authored>) -> BTreeMap<String, Authored> {
        BTreeMap::new()
    }

    fn material_values(&mut self, _: SolverKind, _: &BTreeMap<String, Authored>) -> BTreeMap<String, Authored> {
        BTreeMap::new()
    }

    fn joint_values(&mut self, _: SolverKind, _: &BTreeMap<String, Number>) -> BTreeMap<String, Number> {
        BTreeMap::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Along, Chain, ChainItem, Helper, HelperRole, Joint, JointScope, Part, SystemId};
    use crate::exchange::{FileItem, TableFormat, Tree};
    use crate::math::Trs;
    use crate::rig::{Bone, BoneId};
    use crate::schema::ParamSet;

    fn skeleton() -> Skeleton {
        let bone = |name: &str, parent| Bone { name: name.to_owned(), parent, rest: Trs::IDENTITY };
        Skeleton::new(vec![bone("root", None), bone("hair", Some(BoneId(0)))]).expect("parents come first")
    }

    fn joint(name: &str) -> FileItem {
        let item = JointItem { scope: JointScope::Row, chain: None, joint: Joint::new(name.to_owned()) };
        FileItem::new(0, Section::Joints, name, SetupItem::Joint(item))
    }

    /// A chain that begins with `hair` and whose speed is measured relative to a node.
    fn center(node: &str) -> FileItem {
        let chain = Chain {
            name: String::new(),
            part: Part::default(),
            system: SystemId::default(),
            along: Along::default(),
            values: BTreeMap::new(),
            material: None,
            joints: Vec::new(),
            groups: Vec::new(),
            center: Some(node.into()),
            source: None,
        };
        let item = ChainItem { root: "hair".to_owned(), number: None, chain };
        FileItem::new(0, Section::Other, "chain", SetupItem::Chain(item))
    }

    #[test]
    fn joints_come_first_and_what_is_here_or_described_needs_no_mapping() {
        let shelf =
            Helper { name: "Shelf".to_owned(), parent: "Neck".into(), local: Trs::IDENTITY, role: HelperRole::Null };
        let shelf = FileItem::new(0, Section::Nodes, "Shelf", SetupItem::Node(shelf));
        let mut items = vec![joint("hair"), joint("tail"), shelf];
        items.extend(["Head", "root", "Shelf", "Head"].map(center));
        let file = SetupFile { items, ..SetupFile::new(TableFormat::Csv, SolverKind::Vrm) };
        assert_eq!(mappable_names(&file, &skeleton()), ["hair", "tail", "Neck", "Head"]);
    }

    #[test]
    fn trees_are_mapped_by_their_roots_and_the_bones_that_bound_them() {
        let tree = |root: &str, ends: &str| Tree {
            name: String::new(),
            root: root.to_owned(),
            above: "Neck".to_owned(),
            joints: vec!["tail_1".to_owned()],
            excluded: Vec::new(),
            ends: vec![ends.to_owned()],
            base: ParamSet::defaults(SolverKind::KawaiiPhysics.info().params),
            curves: Vec::new(),
            material: String::new(),
            colliders: Vec::new(),
        };
        let trees = vec![tree("tail", "tail_end"), tree("hair", "root")];
        let file = SetupFile { trees, ..SetupFile::new(TableFormat::KawaiiJson, SolverKind::KawaiiPhysics) };
        assert_eq!(mappable_names(&file, &skeleton()), ["tail", "hair", "tail_end"]);
    }
}
