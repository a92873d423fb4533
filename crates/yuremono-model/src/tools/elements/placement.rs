use super::{ElementId, edit_collider, edit_force, is_or_descends_from, node_name, unique_name};
use crate::document::{ColliderId, Document, Edit, Helper, HelperId, HelperRole, Node};
use glam::Vec3;
use yuremono_sim::ColliderShape;
use yuremono_sim::math::{Frame, Trs, shortest_arc};
use yuremono_sim::rig::{Pose, Skeleton, WorldPose};

/// Returns the world frame of a node in the rest pose.
pub(crate) fn node_rest_frame(document: &Document, rest: &WorldPose, node: Node) -> Option<Frame> {
    let mut above = Vec::new();
    let mut node = node;
    for _ in 0..=document.helpers.len() {
        match node {
            Node::Bone(bone) => {
                let frame = *rest.frames.get(bone.index())?;
                return Some(above.iter().rev().fold(frame, |frame: Frame, local| frame.child(local)));
            }
            Node::Helper(id) => {
                let helper = document.helpers.get(&id)?;
                above.push(helper.local);
                node = helper.parent;
            }
        }
    }
    None
}

pub(super) fn rest_world_pose(skeleton: &Skeleton) -> WorldPose {
    WorldPose::from_pose(skeleton, &Pose::rest(skeleton))
}

/// Sets a helper's local transform. Returns an empty edit if the helper does not exist or a number is not finite.
pub fn set_local(document: &Document, id: HelperId, local: Trs) -> Edit {
    match document.helpers.get(&id) {
        Some(helper) if local.is_finite() => Edit::PutHelper { id, helper: Some(Helper { local, ..helper.clone() }) },
        _ => Edit::Batch(Vec::new()),
    }
}

/// Re-parents an element. Its helper keeps its world transform in the rest pose. An element without a helper moves to
/// the node's origin. Returns `None` if the element or the parent does not exist, or if a node would become its own
/// ancestor.
pub fn set_parent(document: &Document, skeleton: &Skeleton, part: ElementId, parent: Node) -> Option<Edit> {
    let rest = rest_world_pose(skeleton);
    let to = node_rest_frame(document, &rest, parent)?;
    let Some((id, helper)) = part.helper(document) else {
        return match part {
            ElementId::Collider(id) => Some(edit_collider(document, id, |c| c.node = parent)),
            ElementId::Force(id) => Some(edit_force(document, id, |f| f.node = parent)),
            ElementId::Helper(_) | ElementId::HighLeg(_) => None,
        };
    };
    if is_or_descends_from(document, parent, id) {
        return None;
    }
    let from = node_rest_frame(document, &rest, Node::Helper(id))?;
    let local = Trs {
        translation: to.inverse_transform_point(from.position),
        rotation: (to.rotation.inverse() * from.rotation).normalize(),
        ..helper.local
    };
    let helper = Helper { parent, local, ..helper.clone() };
    Some(Edit::PutHelper { id, helper: Some(helper) })
}

/// Adds a helper to a collider or force whose node is a bone, so that the element can be moved. Returns `None` if the
/// element has a helper.
pub fn create_own_node(document: &Document, skeleton: &Skeleton, part: ElementId) -> Option<Edit> {
    let parent = part.node(document).filter(|node| matches!(node, Node::Bone(_)))?;
    let id = document.next_helper_id();
    let name = part.name(document, skeleton);
    let wanted = if name == node_name(document, skeleton, parent) { format!("{name}Node") } else { name };
    let name = unique_name(document, skeleton, &wanted, Some(part));
    let helper = Helper { name, parent, local: Trs::IDENTITY, role: HelperRole::Plain };
    let moved = match part {
        ElementId::Collider(collider) => edit_collider(document, collider, |c| c.node = Node::Helper(id)),
        ElementId::Force(force) => edit_force(document, force, |f| f.node = Node::Helper(id)),
        ElementId::Helper(_) | ElementId::HighLeg(_) => return None,
    };
    Some(Edit::Batch(vec![Edit::PutHelper { id, helper: Some(helper) }, moved]))
}

/// Aligns a capsule as UnityChanSpringBone's editor does: from the parent's origin to the mean of its other children.
/// Pivots and collider nodes are not children. Returns `None` for other shapes, and if the capsule has no helper or the
/// parent has no other children.
///
/// UnityChanSpringBone writes world metres into the local height. This function compensates for the scale.
pub fn align_capsule(document: &Document, skeleton: &Skeleton, id: ColliderId) -> Option<Edit> {
    let collider = document.colliders.get(&id)?;
    let ColliderShape::Capsule { radius, inside: false, .. } = collider.shape else { return None };
    let (helper_id, helper) = ElementId::Collider(id).helper(document)?;
    let mut children: Vec<Vec3> = match helper.parent {
        Node::Bone(bone) if bone.index() < skeleton.len() => {
            skeleton.children(bone).iter().map(|c| skeleton.bone(*c).rest.translation).collect()
        }
        _ => Vec::new(),
    };
    let carries = |node| document.colliders.values().any(|c| c.node == node);
    let other = |(at, h): &(&HelperId, &Helper)| {
        h.parent == helper.parent && h.role != HelperRole::Pivot && **at != helper_id && !carries(Node::Helper(**at))
    };
    children.extend(document.helpers.iter().filter(other).map(|(_, h)| h.local.translation));
    if children.is_empty() {
        return None;
    }
    let mean = children.iter().sum::<Vec3>() / children.len() as f32;
    let direction = mean.try_normalize()?;
    let rotation = shortest_arc(Vec3::Y, direction);
    let local = Trs { translation: Vec3::ZERO, rotation, ..helper.local };
    let scale = helper.local.scale.y;
    let height = if scale.abs() > 1e-6 { mean.length() / scale.abs() } else { mean.length() };
    let shape = ColliderShape::Capsule { radius, height, inside: false };
    Some(Edit::Batch(vec![
        set_local(document, helper_id, local),
        edit_collider(document, id, |collider| collider.shape = shape),
    ]))
}
