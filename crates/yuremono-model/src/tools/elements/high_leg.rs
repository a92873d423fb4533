use super::{CreatedElement, ElementId, is_or_descends_from, unique_name};
use crate::document::bone_of_node;
use crate::document::{Document, Edit, Helper, HelperId, HelperRole, HighLeg, HighLegId, Node, RestFrames};
use crate::document::{skirt::leg_bones, skirt::look_rotation};
use glam::Vec3;
use yuremono_sim::math::Trs;
use yuremono_sim::rig::{BoneId, Character, Facing};

/// Creates a leg follower on a new child of `parent`. The bone of `parent` is the hip; the legs are found by roles or
/// names. In the rest pose, the node is oriented like legs that point down.
pub fn create_high_leg(document: &Document, character: &Character, parent: Node) -> CreatedElement {
    let skeleton = &character.skeleton;
    let name = unique_name(document, skeleton, "HighLeg", None);
    let forward = match character.facing {
        Facing::PlusZ => Vec3::Z,
        Facing::MinusZ => Vec3::NEG_Z,
    };
    let stance = RestFrames::of(document, skeleton);
    let down = |at| stance.local_transform_in(parent, at, look_rotation(Vec3::NEG_Y, forward), Vec3::ONE);
    let local = stance.frame(parent).and_then(|frame| down(frame.position)).unwrap_or(Trs::IDENTITY);
    let helper_id = document.next_helper_id();
    let helper = Helper { name: name.clone(), parent, local, role: HelperRole::Null };
    let hip = bone_of_node(document, parent).map_or(parent, Node::Bone);
    let legs = leg_bones(character).into_iter().map(|leg| leg.map(Node::Bone)).collect();
    let id = document.next_high_leg_id();
    let high_leg = HighLeg { node: Node::Helper(helper_id), hip, legs };
    let edit = Edit::Batch(vec![
        Edit::PutHelper { id: helper_id, helper: Some(helper) },
        Edit::PutHighLeg { id, high_leg: Some(high_leg) },
    ]);
    let moves_tip = super::joint_with_moved_tip(document, parent, HelperRole::Null);
    CreatedElement { edit, element: ElementId::HighLeg(id), name, moved_tip_joint: moves_tip }
}

/// Returns the leg followers that rotate a helper.
pub fn high_legs_on_helper(document: &Document, helper: HelperId) -> Vec<HighLegId> {
    let turns = |h: &HighLeg| h.node == Node::Helper(helper);
    document.high_legs.iter().filter(|(_, h)| turns(h)).map(|(id, _)| *id).collect()
}

/// Returns the nodes that can be a hip or an end of a leg: all except descendants of the rotated node.
pub fn high_leg_node_candidates(document: &Document, character: &Character, id: HighLegId) -> Vec<Node> {
    let Some(high_leg) = document.high_legs.get(&id) else { return Vec::new() };
    let is_free = |node: &Node| match (high_leg.node, node) {
        (Node::Helper(turned), node) => !is_or_descends_from(document, *node, turned),
        (Node::Bone(turned), node) => !bone_of_node(document, *node)
            .is_some_and(|bone| bone == turned || character.skeleton.is_known_ancestor(turned, bone)),
    };
    super::all_nodes(document, &character.skeleton).into_iter().filter(is_free).collect()
}

/// Sets the hip. Returns an empty edit if the leg follower does not exist.
pub fn set_hip(document: &Document, id: HighLegId, hip: Node) -> Edit {
    edit_high_leg(document, id, |high_leg| high_leg.hip = hip)
}

/// Sets the start (0) or end (1) of a leg. Returns an empty edit if the leg follower does not exist.
pub fn set_leg(document: &Document, id: HighLegId, at: usize, end: usize, node: Node) -> Edit {
    edit_high_leg(document, id, |high_leg| {
        if let Some(slot) = high_leg.legs.get_mut(at).and_then(|leg| leg.get_mut(end)) {
            *slot = node;
        }
    })
}

/// Adds the first of the character's legs that is missing. If no leg is missing, adds a leg from the hip to its first
/// child.
pub fn add_leg(document: &Document, character: &Character, id: HighLegId) -> Edit {
    let all: Vec<[Node; 2]> = leg_bones(character).into_iter().map(|leg| leg.map(Node::Bone)).collect();
    let skeleton = &character.skeleton;
    edit_high_leg(document, id, |high_leg| {
        let new = all.into_iter().find(|leg| !high_leg.legs.contains(leg));
        let child = |bone: BoneId| skeleton.children(bone).first().copied().map(Node::Bone);
        let hip = bone_of_node(document, high_leg.hip).filter(|bone| bone.index() < skeleton.len());
        let end = hip.and_then(child).unwrap_or(high_leg.hip);
        high_leg.legs.push(new.unwrap_or([high_leg.hip, end]));
    })
}

/// Removes a leg.
pub fn remove_leg(document: &Document, id: HighLegId, at: usize) -> Edit {
    edit_high_leg(document, id, |high_leg| {
        if at < high_leg.legs.len() {
            high_leg.legs.remove(at);
        }
    })
}

fn edit_high_leg(document: &Document, id: HighLegId, change: impl FnOnce(&mut HighLeg)) -> Edit {
    document.edit_element(id, change).unwrap_or_default()
}
