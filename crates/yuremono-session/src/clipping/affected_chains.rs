//! The chains whose motion a change of a document can change.

use std::collections::BTreeSet;
use yuremono_model::document::{Chain, ChainId, Document, Node, bone_of_node};
use yuremono_sim::rig::Skeleton;

/// Returns the chains that may move differently: those that differ, those that test changed colliders, and those that
/// follow bones of such chains.
pub(super) fn affected_chains(before: &Document, after: &Document, skeleton: &Skeleton) -> BTreeSet<ChainId> {
    let is_independent = after.systems.values().all(|system| system.solver.info().independent_chains);
    let others_are_equal = before.systems == after.systems && before.forces == after.forces;
    if !(is_independent && others_are_equal) {
        return after.chains.keys().copied().collect();
    }
    let differs = |id: &ChainId, chain: &Chain| {
        before.chains.get(id).is_none_or(|earlier| earlier != chain || tested(before, earlier) != tested(after, chain))
    };
    let changed = after.chains.iter().filter(|(id, chain)| differs(id, chain)).map(|(id, _)| *id);
    let mut affected: BTreeSet<ChainId> = changed.collect();
    let mut is_moved = vec![false; skeleton.len()];
    loop {
        mark_moved_bones(after, &affected, skeleton, &mut is_moved);
        let follows = |node: Node| {
            bone_of_node(after, node).is_none_or(|bone| is_moved.get(bone.index()).copied().unwrap_or(true))
        };
        let reads = |chain: &Chain| read_nodes(after, chain).into_iter().any(follows);
        let more: Vec<ChainId> = after
            .chains
            .iter()
            .filter(|(id, chain)| !affected.contains(id) && reads(chain))
            .map(|(id, _)| *id)
            .collect();
        if more.is_empty() {
            return affected;
        }
        affected.extend(more);
    }
}

/// The colliders that the joints of a chain test.
fn tested<'a>(document: &'a Document, chain: &'a Chain) -> Vec<Option<&'a yuremono_model::document::Collider>> {
    let of_joint = |joint| document.colliders_of(chain, joint);
    chain.joints.iter().flat_map(of_joint).map(|id| document.colliders.get(&id)).collect()
}

/// The nodes whose motion moves a chain.
fn read_nodes(document: &Document, chain: &Chain) -> Vec<Node> {
    let of_joints = chain.joints.iter().flat_map(|joint| {
        let targets = joint.length_targets.iter().map(|target| target.node);
        [Some(Node::Bone(joint.bone)), joint.pivot].into_iter().flatten().chain(targets)
    });
    let colliders = tested(document, chain).into_iter().flatten().map(|collider| collider.node);
    of_joints.chain(chain.center).chain(colliders).collect()
}

/// Marks the bones of chains and all bones below.
fn mark_moved_bones(document: &Document, chains: &BTreeSet<ChainId>, skeleton: &Skeleton, is_moved: &mut [bool]) {
    for joint in chains.iter().filter_map(|id| document.chains.get(id)).flat_map(|chain| &chain.joints) {
        if let Some(moved) = is_moved.get_mut(joint.bone.index()) {
            *moved = true;
        }
    }
    for bone in skeleton.ids() {
        is_moved[bone.index()] |= skeleton.parent(bone).is_some_and(|parent| is_moved[parent.index()]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use yuremono_model::document::{ChainPart, Collider, ColliderId, Joint};
    use yuremono_sim::math::Trs;
    use yuremono_sim::rig::{Bone, BoneId};
    use yuremono_sim::{ColliderShape, SolverKind};

    /// A root with a bone 1, a bone 2 below it, and a bone 3 beside them.
    fn skeleton() -> Skeleton {
        let bone = |parent: Option<u32>| Bone {
            name: String::new(),
            parent: parent.map(BoneId),
            rest: Trs::from_translation(glam::Vec3::Y),
        };
        Skeleton::new([None, Some(0), Some(1), Some(0)].map(bone).to_vec()).expect("parents first")
    }

    /// A chain on each of the bones 1, 2 and 3.
    fn document(solver: SolverKind) -> Document {
        let mut document = Document::with_solver(solver);
        for bone in 1..=3 {
            let joints = vec![Joint::new(BoneId(bone))];
            let chain = Chain::new("chain", ChainPart::Hair, solver.info().params, joints);
            document.chains.insert(ChainId(bone), chain);
        }
        document
    }

    #[track_caller]
    fn check(before: &Document, change: impl FnOnce(&mut Document), expected: &[u32]) {
        let mut after = before.clone();
        change(&mut after);
        let affected: Vec<u32> = affected_chains(before, &after, &skeleton()).into_iter().map(|id| id.0).collect();
        assert_eq!(affected, expected);
    }

    fn rename(document: &mut Document, chain: u32) {
        document.chains.get_mut(&ChainId(chain)).expect("a chain").name = "other".to_owned();
    }

    #[test]
    fn chains_below_a_changed_chain_and_chains_that_test_its_colliders_follow() {
        let mut before = document(SolverKind::Vrm);
        check(&before, |_| (), &[]);
        check(&before, |document| rename(document, 1), &[1, 2]);
        check(&before, |document| rename(document, 2), &[2]);
        let sphere = ColliderShape::Sphere { radius: 0.1, inside: false };
        before.colliders.insert(ColliderId(1), Collider::new("on bone 2", Node::Bone(BoneId(2)), sphere));
        let joint = &mut before.chains.get_mut(&ChainId(3)).expect("a chain").joints[0];
        joint.colliders.push(ColliderId(1));
        check(&before, |document| rename(document, 1), &[1, 2, 3]);
        let enlarge = |document: &mut Document| {
            document.colliders.get_mut(&ColliderId(1)).expect("a collider").shape = sphere.with_field(0, 0.2);
        };
        check(&before, enlarge, &[3]);
    }

    #[test]
    fn all_chains_of_other_solvers_are_affected() {
        check(&document(SolverKind::EzSoftBone), |document| rename(document, 2), &[1, 2, 3]);
    }
}
