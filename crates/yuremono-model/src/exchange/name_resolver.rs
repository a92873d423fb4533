//! Resolves names of a file to bones and nodes.

use crate::document::{Document, HelperId, Node};
use crate::exchange::remap::NameMap;
use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};
use yuremono_sim::rig::{BoneId, Skeleton};

pub(super) static EMPTY_NAME_MAP: NameMap = BTreeMap::new();

/// Finds bones and helpers by name. The name map has priority over bones, and bones have priority over helpers.
///
/// Helpers are indexed on the first search, so creating a resolver after every change of the document is cheap.
pub(super) struct NameResolver<'a> {
    document: &'a Document,
    skeleton: &'a Skeleton,
    name_map: &'a NameMap,
    /// If several helpers have the same name, the last in depth-first order is used, as in Unity's importer.
    helpers: OnceCell<HashMap<&'a str, HelperId>>,
}

impl<'a> NameResolver<'a> {
    pub(super) const fn new(document: &'a Document, skeleton: &'a Skeleton, name_map: &'a NameMap) -> Self {
        Self { document, skeleton, name_map, helpers: OnceCell::new() }
    }

    pub(super) const fn without_name_map(document: &'a Document, skeleton: &'a Skeleton) -> Self {
        Self::new(document, skeleton, &EMPTY_NAME_MAP)
    }

    pub(super) const fn document(&self) -> &'a Document {
        self.document
    }

    pub(super) const fn skeleton(&self) -> &'a Skeleton {
        self.skeleton
    }

    pub(super) fn bone(&self, name: &str) -> Option<BoneId> {
        match self.name_map.get(name) {
            Some(Some(bone)) if bone.index() < self.skeleton.len() => Some(*bone),
            Some(None) => None,
            _ => self.skeleton.find(name),
        }
    }

    /// The bone with this name, or else the helper.
    // Differs from UnityChanSpringBone: a bone of the character has priority over a helper with the same name, because
    // some helpers replace a bone that Unity's importer would move.
    pub(super) fn node(&self, name: &str) -> Option<Node> {
        self.bone(name).map(Node::Bone).or_else(|| self.helper(name).map(Node::Helper))
    }

    pub(super) fn helper(&self, name: &str) -> Option<HelperId> {
        self.helpers().get(name).copied()
    }

    /// Returns `None` if the node does not exist.
    pub(super) fn name(&self, node: Node) -> Option<&'a str> {
        match node {
            Node::Bone(bone) => (bone.index() < self.skeleton.len()).then(|| self.skeleton.name(bone)),
            Node::Helper(id) => self.document.helpers.get(&id).map(|helper| helper.name.as_str()),
        }
    }

    /// Whether a name in a file that was exported from this document can refer to the node. If several nodes have the
    /// name, [`NameResolver::node`] may return a different node.
    pub(super) fn can_refer_to(&self, name: &str, node: Node) -> bool {
        self.node(name) == Some(node) || (!self.name_map.contains_key(name) && self.name(node) == Some(name))
    }

    pub(super) fn child_helpers(&self, node: Node) -> impl Iterator<Item = HelperId> + use<'a> {
        self.document.helpers.iter().filter(move |(_, helper)| helper.parent == node).map(|(id, _)| *id)
    }

    fn helpers(&self) -> &HashMap<&'a str, HelperId> {
        self.helpers.get_or_init(|| {
            let nodes = nodes_depth_first(self.document, self.skeleton);
            let helpers = nodes.into_iter().filter_map(|node| match node {
                Node::Helper(id) => Some((self.document.helpers.get(&id)?.name.as_str(), id)),
                Node::Bone(_) => None,
            });
            helpers.collect()
        })
    }
}

/// Nodes in depth-first order. Bones are listed before helpers of the same parent, because helpers are created later.
pub(super) fn nodes_depth_first(document: &Document, skeleton: &Skeleton) -> Vec<Node> {
    let mut below: BTreeMap<Node, Vec<Node>> = BTreeMap::new();
    for (id, helper) in &document.helpers {
        below.entry(helper.parent).or_default().push(Node::Helper(*id));
    }
    let roots: Vec<BoneId> = skeleton.roots().collect();
    let mut stack: Vec<Node> = roots.into_iter().rev().map(Node::Bone).collect();
    let mut nodes = Vec::new();
    while let Some(node) = stack.pop() {
        nodes.push(node);
        stack.extend(below.get(&node).into_iter().flatten().rev());
        if let Node::Bone(bone) = node {
            stack.extend(skeleton.children(bone).iter().rev().map(|bone| Node::Bone(*bone)));
        }
    }
    nodes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Helper, HelperRole};
    use yuremono_sim::math::Trs;
    use yuremono_sim::rig::Bone;

    fn skeleton() -> Skeleton {
        let bone = |name: &str, parent| Bone { name: name.to_owned(), parent, rest: Trs::IDENTITY };
        Skeleton::new(vec![bone("root", None), bone("hair", Some(BoneId(0)))]).expect("parents come first")
    }

    #[test]
    fn a_name_mapped_to_no_bone_resolves_to_nothing() {
        let (skeleton, document) = (skeleton(), Document::default());
        let name_map = NameMap::from([("hair".to_owned(), None), ("bang".to_owned(), Some(BoneId(1)))]);
        let names = NameResolver::new(&document, &skeleton, &name_map);
        assert_eq!((names.bone("hair"), names.node("hair")), (None, None));
        assert_eq!(names.node("bang"), Some(Node::Bone(BoneId(1))));
        assert_eq!(names.bone("root"), Some(BoneId(0)), "nothing maps this name");
        assert_eq!(NameResolver::without_name_map(&document, &skeleton).bone("hair"), Some(BoneId(1)));
    }

    #[test]
    fn a_name_resolves_to_a_bone_or_else_to_the_last_helper_in_depth_first_order() {
        let (skeleton, mut document) = (skeleton(), Document::default());
        let helpers =
            [("hair", Node::Bone(BoneId(0))), ("ball", Node::Bone(BoneId(1))), ("ball", Node::Bone(BoneId(0)))];
        for (id, (name, parent)) in (1..).zip(helpers) {
            let (name, local, role) = (name.to_owned(), Trs::IDENTITY, HelperRole::Plain);
            document.helpers.insert(HelperId(id), Helper { name, parent, local, role });
        }
        let names = NameResolver::without_name_map(&document, &skeleton);
        assert_eq!(names.node("hair"), Some(Node::Bone(BoneId(1))));
        assert_eq!(names.helper("hair"), Some(HelperId(1)));
        assert_eq!(names.node("ball"), Some(Node::Helper(HelperId(3))));
        assert!(names.can_refer_to("ball", Node::Helper(HelperId(2))), "a file contains only the name");
        assert!(!names.can_refer_to("ball", Node::Bone(BoneId(1))));
    }
}
