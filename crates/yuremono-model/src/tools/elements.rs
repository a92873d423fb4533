//! Creates, renames, places and deletes colliders, forces, pivots and nulls. Every function returns an [`Edit`] or a
//! plan.

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
pub(crate) use placement::node_rest_frame;
pub use placement::{align_capsule, create_own_node, set_local, set_parent};
pub use remove::remove_elements;

use crate::document::param_edits::EditTargets;
use crate::document::{
    Chain, Collider, ColliderId, Document, Edit, Force, ForceId, Helper, HelperId, HelperRole, HighLegId, Joint, Node,
    Tip,
};
use yuremono_sim::rig::{BoneId, Skeleton};
use yuremono_sim::{ColliderShape, ForceKind};

/// An element whose transform comes from a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ElementId {
    Collider(ColliderId),
    Force(ForceId),
    /// A pivot, a null, or the node of another element.
    Helper(HelperId),
    /// A leg follower.
    HighLeg(HighLegId),
}

impl ElementId {
    /// Returns the element's node. Returns `None` if the document does not contain the element.
    pub fn node(self, document: &Document) -> Option<Node> {
        match self {
            Self::Collider(id) => document.colliders.get(&id).map(|c| c.node),
            Self::Force(id) => document.forces.get(&id).map(|f| f.node),
            Self::Helper(id) => document.helpers.contains_key(&id).then_some(Node::Helper(id)),
            Self::HighLeg(id) => document.high_legs.get(&id).map(|h| h.node),
        }
    }

    /// Returns the helper that is the element's node.
    pub fn helper(self, document: &Document) -> Option<(HelperId, &Helper)> {
        match self.node(document)? {
            Node::Helper(id) => document.helpers.get(&id).map(|helper| (id, helper)),
            Node::Bone(_) => None,
        }
    }

    /// Returns the element's name. For helpers and leg followers, returns the name of the node.
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

/// Returns the name of a node. Returns an empty string if the node does not exist.
pub fn node_name<'a>(document: &'a Document, skeleton: &'a Skeleton, node: Node) -> &'a str {
    match node {
        Node::Bone(bone) => skeleton.name(bone),
        Node::Helper(id) => document.helpers.get(&id).map_or("", |h| h.name.as_str()),
    }
}

/// Returns all bones, then all helpers.
pub fn all_nodes(document: &Document, skeleton: &Skeleton) -> Vec<Node> {
    let helpers = document.helpers.keys().map(|id| Node::Helper(*id));
    skeleton.ids().map(Node::Bone).chain(helpers).collect()
}

/// Returns all nodes except the element's own node and the descendants of that node.
pub fn parent_candidates(document: &Document, skeleton: &Skeleton, part: ElementId) -> Vec<Node> {
    let own = part.helper(document).map(|(id, _)| id);
    let is_free = |node: &Node| own.is_none_or(|own| !is_or_descends_from(document, *node, own));
    all_nodes(document, skeleton).into_iter().filter(is_free).collect()
}

fn is_or_descends_from(document: &Document, node: Node, helper: HelperId) -> bool {
    let mut above = Some(node);
    // The document rejects cycles of helpers. The limit ends the loop even if a cycle exists.
    for _ in 0..=document.helpers.len() {
        match above {
            Some(Node::Helper(id)) if id == helper => return true,
            Some(Node::Helper(id)) => above = document.helpers.get(&id).map(|h| h.parent),
            Some(Node::Bone(_)) | None => return false,
        }
    }
    false
}

/// Returns `wanted`, with a number if a bone or another element has this name. The name of `except` does not count.
pub fn unique_name(document: &Document, skeleton: &Skeleton, wanted: &str, except: Option<ElementId>) -> String {
    let own = except.and_then(|part| part.node(document));
    let taken = |name: &str| {
        let helper = |(id, h): (&HelperId, &Helper)| h.name == name && Some(Node::Helper(*id)) != own;
        skeleton.find(name).is_some()
            || document.helpers.iter().any(helper)
            || document.colliders.iter().any(|(id, c)| c.name == name && except != Some(ElementId::Collider(*id)))
            || document.forces.iter().any(|(id, f)| f.name == name && except != Some(ElementId::Force(*id)))
    };
    let numbered = (2_u32..100_000).map(|n| format!("{wanted}{n}"));
    std::iter::once(wanted.to_owned()).chain(numbered).find(|name| !taken(name)).unwrap_or_else(|| wanted.to_owned())
}

/// Returns the joint whose tip moves when a plain node is added to `parent`, because Unity counts the node as a child.
/// Returns `None` for pivots, for VRM, and if the improvements are on.
pub fn joint_with_moved_tip(document: &Document, parent: Node, role: HelperRole) -> Option<BoneId> {
    let Node::Bone(bone) = parent else { return None };
    let (chain, at) = document.find_joint(bone)?;
    let chain = &document.chains[&chain];
    let derived = matches!(chain.joints[at].tip, Tip::Children);
    (derived && role != HelperRole::Pivot && document.system_of(chain).helpers_count_as_children()).then_some(bone)
}

/// Returns the joints that use an element as a collider, pivot or length target.
pub fn affected_joints(document: &Document, part: ElementId) -> Vec<BoneId> {
    let joints = document.chains.values().flat_map(|c| c.joints.iter().map(move |joint| (c, joint)));
    let node = part.node(document);
    let uses = |(chain, joint): &(&Chain, &Joint)| match part {
        ElementId::Collider(id) => document.colliders_of(chain, joint).any(|c| c == id),
        ElementId::Force(_) => false,
        ElementId::Helper(_) | ElementId::HighLeg(_) => {
            node.is_some() && (joint.pivot == node || joint.length_targets.iter().any(|t| Some(t.node) == node))
        }
    };
    joints.filter(uses).map(|(_, joint)| joint.bone).collect()
}

/// Adds colliders to all joints of `targets` if `on`, else removes the colliders.
pub fn assign_colliders(document: &Document, targets: &EditTargets, colliders: &[ColliderId], on: bool) -> Edit {
    Edit::Batch(document.edit_elements(|id, chain: &mut Chain| {
        let whole = targets.chains.contains(&id);
        for joint in chain.joints.iter_mut().filter(|joint| whole || targets.joints.contains(&(id, joint.bone))) {
            joint.colliders.retain(|c| on || !colliders.contains(c));
            for collider in colliders.iter().filter(|_| on) {
                if !joint.colliders.contains(collider) {
                    joint.colliders.push(*collider);
                }
            }
        }
    }))
}

/// Sets a collider's shape. Returns an empty edit if the collider does not exist.
pub fn set_shape(document: &Document, id: ColliderId, shape: ColliderShape) -> Edit {
    edit_collider(document, id, |collider| collider.shape = shape)
}

/// Sets the mesh of a collider.
pub fn set_mesh_name(document: &Document, id: ColliderId, renderer: Option<String>) -> Edit {
    edit_collider(document, id, |collider| collider.mesh_name = renderer)
}

/// Sets the parameters of a force. Returns an empty edit if the force does not exist.
pub fn set_force_kind(document: &Document, id: ForceId, kind: ForceKind) -> Edit {
    edit_force(document, id, |force| force.kind = kind)
}

/// Enables or disables colliders and forces. Other elements are skipped.
pub fn set_enabled(document: &Document, parts: &[ElementId], on: bool) -> Edit {
    let edit = |part: &ElementId| match part {
        ElementId::Collider(id) => Some(edit_collider(document, *id, |collider| collider.enabled = on)),
        ElementId::Force(id) => Some(edit_force(document, *id, |force| force.enabled = on)),
        ElementId::Helper(_) | ElementId::HighLeg(_) => None,
    };
    Edit::Batch(parts.iter().filter_map(edit).collect())
}

/// Renames an element, and also its helper if both have the same name. The name is made unique. Returns `None` for an
/// empty name, for bones, and if the element does not exist.
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

fn edit_collider(document: &Document, id: ColliderId, change: impl FnOnce(&mut Collider)) -> Edit {
    document.edit_element(id, change).unwrap_or_default()
}

fn edit_force(document: &Document, id: ForceId, change: impl FnOnce(&mut Force)) -> Edit {
    document.edit_element(id, change).unwrap_or_default()
}

#[cfg(test)]
mod tests;
