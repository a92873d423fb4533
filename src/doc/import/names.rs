//! Nodes by name, as the original finds them, and in the order in which it walks them.

use crate::doc::{Document, HelperId, Node};
use crate::rig::{BoneId, Skeleton};
use std::collections::{BTreeMap, HashMap};

/// The nodes of a document on its skeleton.
pub(super) struct Names<'a> {
    document: &'a Document,
    skeleton: &'a Skeleton,
    helpers: HashMap<&'a str, HelperId>,
    rank: BTreeMap<Node, usize>,
}

impl<'a> Names<'a> {
    pub(super) fn of(document: &'a Document, skeleton: &'a Skeleton) -> Self {
        let rank = ranks(document, skeleton);
        let mut inverse: Vec<_> = rank.iter().map(|(node, at)| (*at, *node)).collect();
        inverse.sort_unstable();
        let mut helpers = HashMap::new();
        for (_, node) in inverse {
            if let Node::Helper(id) = node {
                helpers.insert(document.helpers[&id].name.as_str(), id);
            }
        }
        Self { document, skeleton, helpers, rank }
    }

    /// The node of exactly that name; of several the last in depth-first order.
    // Differs from UnityChanSpringBone: a bone of the file goes before helpers of the same name, since some helpers
    // stand in for a bone that a table would have moved.
    pub(super) fn find(&self, name: &str) -> Option<Node> {
        self.skeleton.find(name).map(Node::Bone).or_else(|| self.helper(name))
    }

    /// The helper of exactly that name.
    pub(super) fn helper(&self, name: &str) -> Option<Node> {
        self.helpers.get(name).copied().map(Node::Helper)
    }

    /// Its name; `None` for what is on no character.
    pub(super) fn name(&self, node: Node) -> Option<&'a str> {
        match node {
            Node::Bone(bone) => (bone.index() < self.skeleton.len()).then(|| self.skeleton.name(bone)),
            Node::Helper(id) => self.document.helpers.get(&id).map(|h| h.name.as_str()),
        }
    }

    /// Its place in depth-first order; last for what hangs on nothing.
    pub(super) fn rank(&self, node: Node) -> usize {
        self.rank.get(&node).copied().unwrap_or(usize::MAX)
    }

    /// The helpers directly below a node, in the order in which they were made.
    pub(super) fn below(&self, node: Node) -> impl Iterator<Item = HelperId> + '_ {
        self.document.helpers.iter().filter(move |(_, h)| h.parent == node).map(|(id, _)| *id)
    }
}

/// Depth first; below one node the file's bones come first, since helpers are made later.
fn ranks(document: &Document, skeleton: &Skeleton) -> BTreeMap<Node, usize> {
    let mut below: BTreeMap<Node, Vec<Node>> = BTreeMap::new();
    for (id, helper) in &document.helpers {
        below.entry(helper.parent).or_default().push(Node::Helper(*id));
    }
    let roots: Vec<BoneId> = skeleton.roots().collect();
    let mut waiting: Vec<Node> = roots.into_iter().rev().map(Node::Bone).collect();
    let mut rank = BTreeMap::new();
    while let Some(node) = waiting.pop() {
        let next = rank.len();
        rank.insert(node, next);
        waiting.extend(below.get(&node).into_iter().flatten().rev());
        if let Node::Bone(bone) = node {
            waiting.extend(skeleton.children(bone).iter().rev().map(|b| Node::Bone(*b)));
        }
    }
    rank
}
