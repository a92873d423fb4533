//! Colliders, forces, pivots and nulls as things that an artist makes, names, moves and throws away.
//!
//! Every function reads the document and returns an [`Edit`] or a plan with one; nothing changes here. Numbers of
//! shapes and forces are written by [`put_shape`] and [`put_force`]; where things hang stands in `place`, what their
//! removal takes along in `remove`, the other side of the body in `other_side`.

mod high_leg;
mod make;
mod other_side;
mod place;
mod remove;

pub use high_leg::{add_leg, high_legs_of, make_high_leg, nodes_for_high_leg, remove_leg, set_hip, set_leg};
pub use make::{Made, New, make};
pub use other_side::mirror;
pub use place::{align_capsule, hang, own_node, set_local};
pub use remove::remove;

use crate::document::tune::Targets;
use crate::document::{ColliderId, Document, Edit, ForceId, Helper, HelperId, HelperRole, HighLegId, Node, Tip};
use crate::rig::{BoneId, Skeleton};
use crate::sim::{ForceKind, Shape};

/// Something of the document that stands on a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PartId {
    /// What pushes.
    Collider(ColliderId),
    /// What blows or pulls.
    Force(ForceId),
    /// A pivot, a null, or what carries one of the others.
    Helper(HelperId),
    /// A node that leans with the raised thigh.
    HighLeg(HighLegId),
}

impl PartId {
    /// The node that it stands on; a helper stands on itself. `None` where the document lacks it.
    pub fn node(self, document: &Document) -> Option<Node> {
        match self {
            Self::Collider(id) => document.colliders.get(&id).map(|c| c.node),
            Self::Force(id) => document.forces.get(&id).map(|f| f.node),
            Self::Helper(id) => document.helpers.contains_key(&id).then_some(Node::Helper(id)),
            Self::HighLeg(id) => document.high_legs.get(&id).map(|h| h.node),
        }
    }

    /// The helper that it stands on, with its id.
    pub fn helper(self, document: &Document) -> Option<(HelperId, &Helper)> {
        match self.node(document)? {
            Node::Helper(id) => document.helpers.get(&id).map(|helper| (id, helper)),
            Node::Bone(_) => None,
        }
    }

    /// Its name; that of a high-leg node is its node's.
    pub fn name(self, document: &Document, skeleton: &Skeleton) -> String {
        match self {
            Self::Collider(id) => document.colliders.get(&id).map(|c| c.name.clone()).unwrap_or_default(),
            Self::Force(id) => document.forces.get(&id).map(|f| f.name.clone()).unwrap_or_default(),
            Self::Helper(_) | Self::HighLeg(_) => {
                self.node(document).map(|node| node_name(document, skeleton, node).to_owned()).unwrap_or_default()
            }
        }
    }
}

/// Name of a node; empty where it is gone.
pub fn node_name<'a>(document: &'a Document, skeleton: &'a Skeleton, node: Node) -> &'a str {
    match node {
        Node::Bone(bone) => skeleton.name(bone),
        Node::Helper(id) => document.helpers.get(&id).map_or("", |h| h.name.as_str()),
    }
}

/// All nodes: the file's bones, then helpers.
pub fn nodes(document: &Document, skeleton: &Skeleton) -> Vec<Node> {
    let helpers = document.helpers.keys().map(|id| Node::Helper(*id));
    skeleton.ids().map(Node::Bone).chain(helpers).collect()
}

/// What a part may be hung on: all nodes but its own and what hangs below that.
pub fn parents_for(document: &Document, skeleton: &Skeleton, part: PartId) -> Vec<Node> {
    let own = part.helper(document).map(|(id, _)| id);
    let is_free = |node: &Node| own.is_none_or(|own| !hangs_below(document, *node, own));
    nodes(document, skeleton).into_iter().filter(is_free).collect()
}

/// Whether a node is a helper, or hangs on it through other helpers.
fn hangs_below(document: &Document, node: Node, helper: HelperId) -> bool {
    let mut above = Some(node);
    // A ring of helpers is refused by the document; this ends all the same.
    for _ in 0..=document.helpers.len() {
        match above {
            Some(Node::Helper(id)) if id == helper => return true,
            Some(Node::Helper(id)) => above = document.helpers.get(&id).map(|h| h.parent),
            Some(Node::Bone(_)) | None => return false,
        }
    }
    false
}

/// `wanted`, with a number behind it where a bone or another part of the document has that name already.
/// `but` may keep its name.
pub fn free_name(document: &Document, skeleton: &Skeleton, wanted: &str, but: Option<PartId>) -> String {
    let own = but.and_then(|part| part.node(document));
    let taken = |name: &str| {
        let helper = |(id, h): (&HelperId, &Helper)| h.name == name && Some(Node::Helper(*id)) != own;
        skeleton.find(name).is_some()
            || document.helpers.iter().any(helper)
            || document.colliders.iter().any(|(id, c)| c.name == name && but != Some(PartId::Collider(*id)))
            || document.forces.iter().any(|(id, f)| f.name == name && but != Some(PartId::Force(*id)))
    };
    let numbered = (2_u32..100_000).map(|n| format!("{wanted}{n}"));
    std::iter::once(wanted.to_owned()).chain(numbered).find(|name| !taken(name)).unwrap_or_else(|| wanted.to_owned())
}

/// The joint whose tip a plain node below `parent` moves: the engine counts it among the bone's children. Pivots are
/// not counted, nor is anything where the improvements act or in VRM.
pub fn moves_tip(document: &Document, parent: Node, role: HelperRole) -> Option<BoneId> {
    let Node::Bone(bone) = parent else { return None };
    let (chain, at) = document.joint_of(bone)?;
    let chain = &document.chains[&chain];
    let derived = matches!(chain.joints[at].tip, Tip::Children);
    (derived && role != HelperRole::Pivot && document.system_of(chain).counts_helpers()).then_some(bone)
}

/// The joints that a part acts on: those that a collider is assigned to, whose limits a pivot frames, or that keep
/// their distance to a node.
pub fn users(document: &Document, part: PartId) -> Vec<BoneId> {
    let joints = document.chains.values().flat_map(|c| c.joints.iter().map(move |joint| (c, joint)));
    let node = part.node(document);
    let uses = |(chain, joint): &(&crate::document::Chain, &crate::document::Joint)| match part {
        PartId::Collider(id) => document.colliders_of(chain, joint).any(|c| c == id),
        PartId::Force(_) => false,
        PartId::Helper(_) | PartId::HighLeg(_) => {
            node.is_some() && (joint.pivot == node || joint.length_targets.iter().any(|t| Some(t.node) == node))
        }
    };
    joints.filter(uses).map(|(_, joint)| joint.bone).collect()
}

/// Lets colliders push all joints of `targets`, or none of them; each stands in a joint's list once.
pub fn assign(document: &Document, targets: &Targets, colliders: &[ColliderId], on: bool) -> Edit {
    let mut edits = Vec::new();
    for (id, chain) in &document.chains {
        let whole = targets.chains.contains(id);
        let mut changed = chain.clone();
        for joint in &mut changed.joints {
            if whole || targets.joints.contains(&(*id, joint.bone)) {
                joint.colliders.retain(|c| on || !colliders.contains(c));
                for collider in colliders.iter().filter(|_| on) {
                    if !joint.colliders.contains(collider) {
                        joint.colliders.push(*collider);
                    }
                }
            }
        }
        if changed != *chain {
            edits.push(Edit::PutChain { id: *id, chain: Some(Box::new(changed)) });
        }
    }
    Edit::Batch(edits)
}

/// Another shape for a collider; nothing where it is gone.
pub fn put_shape(document: &Document, id: ColliderId, shape: Shape) -> Edit {
    with_collider(document, id, |collider| collider.shape = shape)
}

/// The mesh that a collider goes with, or none.
pub fn link(document: &Document, id: ColliderId, renderer: Option<String>) -> Edit {
    with_collider(document, id, |collider| collider.renderer = renderer)
}

/// Other numbers for a force; nothing where it is gone.
pub fn put_force(document: &Document, id: ForceId, kind: ForceKind) -> Edit {
    with_force(document, id, |force| force.kind = kind)
}

/// Switches colliders and forces on or off; the others have no switch.
pub fn enable(document: &Document, parts: &[PartId], on: bool) -> Edit {
    let edit = |part: &PartId| match part {
        PartId::Collider(id) => Some(with_collider(document, *id, |collider| collider.enabled = on)),
        PartId::Force(id) => Some(with_force(document, *id, |force| force.enabled = on)),
        PartId::Helper(_) | PartId::HighLeg(_) => None,
    };
    Edit::Batch(parts.iter().filter_map(edit).collect())
}

/// Another name for a part, and for the helper that shared its old one, made unique. `None` for what is gone, an empty
/// name, or a bone of the file, whose name is not ours.
pub fn rename(document: &Document, skeleton: &Skeleton, part: PartId, name: &str) -> Option<Edit> {
    let name = name.trim();
    if name.is_empty() {
        return None;
    }
    let old = part.name(document, skeleton);
    let name = free_name(document, skeleton, name, Some(part));
    let mut edits = Vec::new();
    match part {
        PartId::Collider(id) => edits.push(with_collider(document, id, |c| c.name.clone_from(&name))),
        PartId::Force(id) => edits.push(with_force(document, id, |f| f.name.clone_from(&name))),
        PartId::Helper(_) | PartId::HighLeg(_) => {}
    }
    if let Some((id, helper)) = part.helper(document).filter(|(_, helper)| helper.name == old) {
        edits.push(Edit::PutHelper { id, helper: Some(Helper { name, ..helper.clone() }) });
    }
    (!edits.is_empty()).then_some(Edit::Batch(edits))
}

fn with_collider(document: &Document, id: ColliderId, change: impl FnOnce(&mut crate::document::Collider)) -> Edit {
    let Some(mut collider) = document.colliders.get(&id).cloned() else { return Edit::Batch(Vec::new()) };
    change(&mut collider);
    Edit::PutCollider { id, collider: Some(collider) }
}

fn with_force(document: &Document, id: ForceId, change: impl FnOnce(&mut crate::document::Force)) -> Edit {
    let Some(mut force) = document.forces.get(&id).cloned() else { return Edit::Batch(Vec::new()) };
    change(&mut force);
    Edit::PutForce { id, force: Some(force) }
}

#[cfg(test)]
mod tests;
