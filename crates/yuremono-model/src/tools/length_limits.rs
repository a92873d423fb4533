//! Edits of length limits, which keep the distance from a joint to other nodes. Functions return `None` if nothing
//! changes.

use crate::document::{Chain, ChainId, Document, Edit, Joint, LengthTarget, Node};
use std::collections::BTreeSet;
use yuremono_sim::rig::BoneId;

/// Adds length targets to joints. A joint never gets a target twice, and never its own bone.
pub fn add_length_targets(document: &Document, joints: &[(ChainId, BoneId)], nodes: &[Node]) -> Option<Edit> {
    edit_joints(document, joints, |joint| {
        let mut known: BTreeSet<Node> = joint.length_targets.iter().map(|t| t.node).collect();
        known.insert(Node::Bone(joint.bone));
        let fresh = nodes.iter().filter(|node| known.insert(**node));
        joint.length_targets.extend(fresh.map(|node| LengthTarget::new(*node)));
    })
}

/// Returns whether [`add_length_targets`] would change anything. Stops at the first missing target.
pub fn can_add_length_targets(document: &Document, joints: &[(ChainId, BoneId)], nodes: &[Node]) -> bool {
    let joints = joints.iter().filter_map(|(id, bone)| {
        let chain = document.chains.get(id)?;
        chain.joint_index(*bone).map(|at| &chain.joints[at])
    });
    let lacks = |joint: &Joint, node: &Node| {
        *node != Node::Bone(joint.bone) && joint.length_targets.iter().all(|t| t.node != *node)
    };
    joints.into_iter().any(|joint| nodes.iter().any(|node| lacks(joint, node)))
}

/// Removes a node from the length targets of joints.
pub fn remove_length_target(document: &Document, joints: &[(ChainId, BoneId)], node: Node) -> Option<Edit> {
    edit_joints(document, joints, |joint| joint.length_targets.retain(|t| t.node != node))
}

/// Sets the stiffness of the length limits from joints to a node, in 1/s². With `None`, the joint's own value applies.
pub fn set_length_constant(
    document: &Document,
    joints: &[(ChainId, BoneId)],
    node: Node,
    constant: Option<f32>,
) -> Option<Edit> {
    edit_joints(document, joints, |joint| {
        joint.length_targets.iter_mut().filter(|t| t.node == node).for_each(|t| t.constant = constant);
    })
}

/// Sets whether an animation moves the joints in Unity.
pub fn set_animated(document: &Document, joints: &[(ChainId, BoneId)], animated: bool) -> Option<Edit> {
    edit_joints(document, joints, |joint| joint.animated = animated)
}

pub(super) fn edit_joints(
    document: &Document,
    joints: &[(ChainId, BoneId)],
    change: impl Fn(&mut Joint),
) -> Option<Edit> {
    let edits = document.edit_elements(|id, chain: &mut Chain| {
        for (_, bone) in joints.iter().filter(|(of, _)| *of == id) {
            if let Some(at) = chain.joint_index(*bone) {
                change(&mut chain.joints[at]);
            }
        }
    });
    (!edits.is_empty()).then_some(Edit::Batch(edits))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{ChainPart, HelperId};

    const ID: ChainId = ChainId(3);

    fn document() -> Document {
        let mut document = Document::default();
        let joints = [1, 2, 3].map(|i| Joint::new(BoneId(i))).to_vec();
        document
            .setup
            .chains
            .insert(ID, Chain::new("skirt", ChainPart::Skirt, document.main_system().param_defs(), joints));
        document
    }

    fn joints(bones: &[u32]) -> Vec<(ChainId, BoneId)> {
        bones.iter().map(|b| (ID, BoneId(*b))).collect()
    }

    #[track_caller]
    fn apply(document: &mut Document, edit: Option<Edit>) {
        document.apply(edit.expect("a change")).expect("it fits");
    }

    fn targets(document: &Document, at: usize) -> Vec<Node> {
        document.chains[&ID].joints[at].length_targets.iter().map(|t| t.node).collect()
    }

    #[test]
    fn length_targets_are_added_once_and_never_to_the_joint_itself() {
        let mut d = document();
        let nodes = [1, 2].map(|b| Node::Bone(BoneId(b)));
        let edit = add_length_targets(&d, &joints(&[1, 2]), &nodes);
        apply(&mut d, edit);
        assert_eq!((targets(&d, 0), targets(&d, 1)), (vec![nodes[1]], vec![nodes[0]]));
        assert!(targets(&d, 2).is_empty());
        assert_eq!(add_length_targets(&d, &joints(&[1, 2]), &nodes), None, "they are linked already");
        assert!(
            !can_add_length_targets(&d, &joints(&[1, 2]), &nodes)
                && can_add_length_targets(&d, &joints(&[1, 2, 3]), &nodes)
        );
        let pivot = Node::Helper(HelperId(9));
        assert_eq!(
            add_length_targets(&d, &[(ChainId(70), BoneId(1)), (ID, BoneId(70))], &[pivot]),
            None,
            "there is no such joint"
        );
    }

    #[test]
    fn removing_a_length_target_with_its_constant_is_undone_in_one_step() {
        let mut d = document();
        let node = Node::Bone(BoneId(3));
        let edit = add_length_targets(&d, &joints(&[1, 2]), &[node]);
        apply(&mut d, edit);
        let edit = set_length_constant(&d, &joints(&[2]), node, Some(900.0));
        apply(&mut d, edit);
        let constant = |d: &Document, at: usize| d.chains[&ID].joints[at].length_targets[0].constant;
        assert_eq!((constant(&d, 0), constant(&d, 1)), (None, Some(900.0)));
        let before = d.clone();
        let changes =
            d.apply_recorded(remove_length_target(&d, &joints(&[1, 2]), node).expect("a change")).expect("it fits");
        assert!(targets(&d, 0).is_empty() && targets(&d, 1).is_empty());
        changes.revert(&mut d);
        assert_eq!(d, before);
    }

    #[test]
    fn set_animated_changes_only_the_given_joints() {
        let mut d = document();
        let edit = set_animated(&d, &joints(&[2]), true);
        apply(&mut d, edit);
        assert_eq!(d.chains[&ID].joints.iter().map(|j| j.animated).collect::<Vec<_>>(), [false, true, false]);
        assert_eq!(set_animated(&d, &joints(&[2]), true), None);
    }
}
