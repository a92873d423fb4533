//! Colliders, forces, pivots and nulls as things that an artist makes, names, moves and throws away.
//!
//! Every function reads the document and returns an [`Edit`] or a plan with one; nothing changes here. Numbers of
//! shapes and forces are written by [`set_shape`] and [`set_force_kind`]; where things hang stands in `place`, what their
//! removal takes along in `remove`, the other side of the body in `other_side`.

mod create;
mod high_leg;
mod mirror_collider;
mod placement;
mod remove;

pub use create::{CreatedElement, NewElement, create_element};
pub use high_leg::{
    add_leg, create_high_leg, high_leg_node_candidates, high_legs_on_helper, remove_leg, set_hip, set_leg,
};
pub use mirror_collider::mirror_collider;
pub use placement::{align_capsule, create_own_node, set_local, set_parent};
pub use remove::remove_elements;

use crate::document::param_edits::EditTargets;
use crate::document::{ColliderId, Document, Edit, ForceId, Helper, HelperId, HelperRole, HighLegId, Node, Tip};
use crate::rig::{BoneId, Skeleton};
use crate::sim::{ColliderShape, ForceKind};

/// Something of the document that stands on a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ElementId {
    /// What pushes.
    Collider(ColliderId),
    /// What blows or pulls.
    Force(ForceId),
    /// A pivot, a null, or what carries one of the others.
    Helper(HelperId),
    /// A node that leans with the raised thigh.
    HighLeg(HighLegId),
}

impl ElementId {
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
pub fn all_nodes(document: &Document, skeleton: &Skeleton) -> Vec<Node> {
    let helpers = document.helpers.keys().map(|id| Node::Helper(*id));
    skeleton.ids().map(Node::Bone).chain(helpers).collect()
}

/// What a part may be hung on: all nodes but its own and what hangs below that.
pub fn parent_candidates(document: &Document, skeleton: &Skeleton, part: ElementId) -> Vec<Node> {
    let own = part.helper(document).map(|(id, _)| id);
    let is_free = |node: &Node| own.is_none_or(|own| !is_or_descends_from(document, *node, own));
    all_nodes(document, skeleton).into_iter().filter(is_free).collect()
}

/// Whether a node is a helper, or hangs on it through other helpers.
fn is_or_descends_from(document: &Document, node: Node, helper: HelperId) -> bool {
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
pub fn unique_name(document: &Document, skeleton: &Skeleton, wanted: &str, but: Option<ElementId>) -> String {
    let own = but.and_then(|part| part.node(document));
    let taken = |name: &str| {
        let helper = |(id, h): (&HelperId, &Helper)| h.name == name && Some(Node::Helper(*id)) != own;
        skeleton.find(name).is_some()
            || document.helpers.iter().any(helper)
            || document.colliders.iter().any(|(id, c)| c.name == name && but != Some(ElementId::Collider(*id)))
            || document.forces.iter().any(|(id, f)| f.name == name && but != Some(ElementId::Force(*id)))
    };
    let numbered = (2_u32..100_000).map(|n| format!("{wanted}{n}"));
    std::iter::once(wanted.to_owned()).chain(numbered).find(|name| !taken(name)).unwrap_or_else(|| wanted.to_owned())
}

/// The joint whose tip a plain node below `parent` moves: the engine counts it among the bone's children. Pivots are
/// not counted, nor is anything where the improvements act or in VRM.
pub fn joint_with_moved_tip(document: &Document, parent: Node, role: HelperRole) -> Option<BoneId> {
    let Node::Bone(bone) = parent else { return None };
    let (chain, at) = document.find_joint(bone)?;
    let chain = &document.chains[&chain];
    let derived = matches!(chain.joints[at].tip, Tip::Children);
    (derived && role != HelperRole::Pivot && document.system_of(chain).helpers_count_as_children()).then_some(bone)
}

/// The joints that a part acts on: those that a collider is assigned to, whose limits a pivot frames, or that keep
/// their distance to a node.
pub fn affected_joints(document: &Document, part: ElementId) -> Vec<BoneId> {
    let joints = document.chains.values().flat_map(|c| c.joints.iter().map(move |joint| (c, joint)));
    let node = part.node(document);
    let uses = |(chain, joint): &(&crate::document::Chain, &crate::document::Joint)| match part {
        ElementId::Collider(id) => document.colliders_of(chain, joint).any(|c| c == id),
        ElementId::Force(_) => false,
        ElementId::Helper(_) | ElementId::HighLeg(_) => {
            node.is_some() && (joint.pivot == node || joint.length_targets.iter().any(|t| Some(t.node) == node))
        }
    };
    joints.filter(uses).map(|(_, joint)| joint.bone).collect()
}

/// Lets colliders push all joints of `targets`, or none of them; each stands in a joint's list once.
pub fn assign_colliders(document: &Document, targets: &EditTargets, colliders: &[ColliderId], on: bool) -> Edit {
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
pub fn set_shape(document: &Document, id: ColliderId, shape: ColliderShape) -> Edit {
    edit_collider(document, id, |collider| collider.shape = shape)
}

/// The mesh that a collider goes with, or none.
pub fn set_renderer(document: &Document, id: ColliderId, renderer: Option<String>) -> Edit {
    edit_collider(document, id, |collider| collider.mesh_name = renderer)
}

/// Other numbers for a force; nothing where it is gone.
pub fn set_force_kind(document: &Document, id: ForceId, kind: ForceKind) -> Edit {
    edit_force(document, id, |force| force.kind = kind)
}

/// Switches colliders and forces on or off; the others have no switch.
pub fn set_enabled(document: &Document, parts: &[ElementId], on: bool) -> Edit {
    let edit = |part: &ElementId| match part {
        ElementId::Collider(id) => Some(edit_collider(document, *id, |collider| collider.enabled = on)),
        ElementId::Force(id) => Some(edit_force(document, *id, |force| force.enabled = on)),
        ElementId::Helper(_) | ElementId::HighLeg(_) => None,
    };
    Edit::Batch(parts.iter().filter_map(edit).collect())
}

/// Another name for a part, and for the helper that shared its old one, made unique. `None` for what is gone, an empty
/// name, or a bone of the file, whose name is not ours.
pub fn rename_element(document: &Document, skeleton: &Skeleton, part: ElementId, name: &str) -> Option<Edit> {
    let name = name.trim();
    if name.is_empty() {
        return None;
    }
    let old = part.name(document, skeleton);
    let name = unique_name(document, skeleton, name, Some(part));
    let mut edits = Vec::new();
    match part {
        ElementId::Collider(id) => edits.push(edit_collider(document, id, |c| c.name.clone_from(&name))),
        ElementId::Force(id) => edits.push(edit_force(document, id, |f| f.name.clone_from(&name))),
        ElementId::Helper(_) | ElementId::HighLeg(_) => {}
    }
    if let Some((id, helper)) = part.helper(document).filter(|(_, helper)| helper.name == old) {
        edits.push(Edit::PutHelper { id, helper: Some(Helper { name, ..helper.clone() }) });
    }
    (!edits.is_empty()).then_some(Edit::Batch(edits))
}

fn edit_collider(document: &Document, id: ColliderId, change: impl FnOnce(&mut crate::document::Collider)) -> Edit {
    let Some(mut collider) = document.colliders.get(&id).cloned() else { return Edit::Batch(Vec::new()) };
    change(&mut collider);
    Edit::PutCollider { id, collider: Some(collider) }
}

fn edit_force(document: &Document, id: ForceId, change: impl FnOnce(&mut crate::document::Force)) -> Edit {
    let Some(mut force) = document.forces.get(&id).cloned() else { return Edit::Batch(Vec::new()) };
    change(&mut force);
    Edit::PutForce { id, force: Some(force) }
}

#[cfg(test)]
mod tests;
