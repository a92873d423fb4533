//! Edits of collider groups and centers, for solvers that support them.

use crate::document::{Chain, ChainId, ColliderGroup, ColliderId, Document, Edit, GroupId, Node, System, bone_of_node};
use std::collections::BTreeSet;
use yuremono_sim::SolverKind;
use yuremono_sim::rig::{BoneId, Skeleton};
use yuremono_sim::solver::vrm;

/// Whether chains of this solver have groups and a center.
pub const fn are_supported(solver: SolverKind) -> bool {
    matches!(solver, SolverKind::Vrm)
}

/// Whether the document follows the rules of VRM 0.x: one bone per group, one set of values per chain, no limits.
pub fn is_vrm_0(document: &Document) -> bool {
    document.system_with_solver(SolverKind::Vrm).is_some_and(|(_, system)| has_values_per_chain(system))
}

/// Whether all joints of a chain share one set of values, as in VRM 0.x.
pub fn has_values_per_chain(system: &System) -> bool {
    vrm::is_version_0(system.solver, &system.values)
}

pub fn assign(document: &Document, chains: &[ChainId], group: GroupId, on: bool) -> Edit {
    edit_chains(document, chains, |chain| {
        if !on {
            chain.groups.retain(|g| *g != group);
        } else if !chain.groups.contains(&group) {
            chain.groups.push(group);
        }
    })
}

/// Creates a group with those of `colliders` that can be added. Returns the edit and the id of the group.
pub fn create(document: &Document, name: &str, colliders: &[ColliderId]) -> (Edit, GroupId) {
    let id = document.next_group_id();
    let mut group = ColliderGroup { name: name.to_owned(), ..ColliderGroup::default() };
    push_colliders(document, &mut group, colliders);
    (Edit::PutGroup { id, group: Some(group) }, id)
}

/// Renames a group. Returns `None` if the name is empty or the group is missing.
pub fn rename(document: &Document, id: GroupId, name: &str) -> Option<Edit> {
    let group = document.groups.get(&id)?;
    let name = name.trim().to_owned();
    (!name.is_empty()).then(|| Edit::PutGroup { id, group: Some(ColliderGroup { name, ..group.clone() }) })
}

/// Removes a group and unassigns it from all chains. The group's colliders are kept.
pub fn remove(document: &Document, id: GroupId) -> Edit {
    let named: Vec<ChainId> =
        document.chains.iter().filter(|(_, c)| c.groups.contains(&id)).map(|(id, _)| *id).collect();
    Edit::Batch(vec![assign(document, &named, id, false), Edit::PutGroup { id, group: None }])
}

/// Adds those of `colliders` that can be added and are not yet in the group.
pub fn add_colliders(document: &Document, id: GroupId, colliders: &[ColliderId]) -> Edit {
    document.edit_element(id, |group| push_colliders(document, group, colliders)).unwrap_or_default()
}

pub fn remove_colliders(document: &Document, id: GroupId, colliders: &[ColliderId]) -> Edit {
    let edit =
        document.edit_element(id, |group: &mut ColliderGroup| group.colliders.retain(|c| !colliders.contains(c)));
    edit.unwrap_or_default()
}

/// Whether a collider can be added to a group. In VRM 0.x, all colliders of a group must be on one bone.
pub fn can_add(document: &Document, group: &ColliderGroup, collider: ColliderId) -> bool {
    let bone = |id: &ColliderId| document.colliders.get(id).and_then(|c| bone_of_node(document, c.node));
    let Some(first) = group.colliders.first().filter(|_| is_vrm_0(document)) else { return true };
    bone(first) == bone(&collider)
}

fn push_colliders(document: &Document, group: &mut ColliderGroup, colliders: &[ColliderId]) {
    for id in colliders.iter().filter(|id| document.colliders.contains_key(id)) {
        if !group.colliders.contains(id) && can_add(document, group, *id) {
            group.colliders.push(*id);
        }
    }
}

/// Sets the center of chains. `None` is the world.
pub fn set_center(document: &Document, chains: &[ChainId], center: Option<Node>) -> Edit {
    edit_chains(document, chains, |chain| chain.center = center)
}

/// Returns the common ancestors of the roots of all these chains, nearest first.
pub fn center_candidates(document: &Document, skeleton: &Skeleton, chains: &[ChainId]) -> Vec<BoneId> {
    let there = |bone: &BoneId| bone.index() < skeleton.len();
    let mut roots = chains.iter().filter_map(|id| document.chains.get(id)).map(Chain::root).filter(there);
    let Some(first) = roots.next() else { return Vec::new() };
    let mut found: Vec<BoneId> = skeleton.ancestors(first).collect();
    for root in roots {
        let above: BTreeSet<BoneId> = skeleton.ancestors(root).collect();
        found.retain(|bone| above.contains(bone));
    }
    found
}

/// Returns the colliders without an effect, which are in no group and assigned to no joint.
pub fn unassigned_colliders(document: &Document) -> Vec<ColliderId> {
    let grouped = document.groups.values().flat_map(|g| &g.colliders);
    let listed = document.chains.values().flat_map(|c| &c.joints).flat_map(|j| &j.colliders);
    let used: BTreeSet<ColliderId> = grouped.chain(listed).copied().collect();
    document.colliders.keys().filter(|id| !used.contains(id)).copied().collect()
}

/// Extends `edit`: colliders that it assigns to joints move into groups of the joints' chains, if the solver has
/// groups. Returns `edit` unchanged if it cannot be applied.
pub fn move_joint_colliders_to_groups(document: &Document, edit: Edit) -> Edit {
    let mut after = document.clone();
    if after.apply(edit.clone()).is_err() {
        return edit;
    }
    let grouped = after.chains.iter().filter(|(_, c)| are_supported(after.solver_of(c)));
    let lists: Vec<(ChainId, Vec<ColliderId>)> = grouped.map(|(id, c)| (*id, joint_colliders(c))).collect();
    let given: Vec<_> = lists.into_iter().filter(|(_, list)| !list.is_empty()).collect();
    if given.is_empty() {
        return edit;
    }
    let mut more = vec![edit];
    for (id, list) in given {
        let named = after.chains[&id].groups.clone();
        let has = |c: &ColliderId| named.iter().any(|g| after.groups.get(g).is_some_and(|g| g.colliders.contains(c)));
        let new: Vec<ColliderId> = list.into_iter().filter(|c| !has(c)).collect();
        let mut edits = Vec::new();
        for part in split_into_groups(&after, &new) {
            let group = after.groups.iter().find(|(_, g)| g.colliders == part).map(|(id, _)| *id);
            let group = group.unwrap_or_else(|| {
                let (made, group) = create(&after, &after.chains[&id].name, &part);
                // This edit cannot be rejected, because the id is new and the colliders exist.
                _ = after.apply(made.clone());
                edits.push(made);
                group
            });
            let named = assign(&after, &[id], group, true);
            _ = after.apply(named.clone());
            edits.push(named);
        }
        let emptied = edit_chains(&after, &[id], |chain| chain.joints.iter_mut().for_each(|j| j.colliders.clear()));
        _ = after.apply(emptied.clone());
        edits.push(emptied);
        more.extend(edits);
    }
    Edit::Batch(more)
}

fn joint_colliders(chain: &Chain) -> Vec<ColliderId> {
    let mut seen = BTreeSet::new();
    chain.joints.iter().flat_map(|j| &j.colliders).copied().filter(|c| seen.insert(*c)).collect()
}

fn split_into_groups(document: &Document, colliders: &[ColliderId]) -> Vec<Vec<ColliderId>> {
    let mut parts: Vec<ColliderGroup> = Vec::new();
    for id in colliders {
        match parts.iter_mut().find(|part| can_add(document, part, *id)) {
            Some(part) => part.colliders.push(*id),
            None => parts.push(ColliderGroup { colliders: vec![*id], ..ColliderGroup::default() }),
        }
    }
    parts.into_iter().map(|part| part.colliders).collect()
}

fn edit_chains(document: &Document, chains: &[ChainId], change: impl Fn(&mut Chain)) -> Edit {
    Edit::Batch(chains.iter().filter_map(|id| document.edit_element(*id, &change)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{ChainPart, Collider, Joint};
    use yuremono_sim::ColliderShape;
    use yuremono_sim::math::Trs;
    use yuremono_sim::rig::Bone;

    const SPHERES: [ColliderId; 3] = [ColliderId(1), ColliderId(2), ColliderId(3)];

    /// A character with hips, chest and head. Two of its three strands are children of the head, the other is a child
    /// of the chest. One sphere is on the chest, and two are on the head.
    fn vrm_character() -> (Skeleton, Document) {
        let bone = |name: &str, parent: Option<u32>| Bone {
            name: name.to_owned(),
            parent: parent.map(BoneId),
            rest: Trs::IDENTITY,
        };
        let bones =
            [("hips", None), ("chest", Some(0)), ("head", Some(1)), ("a", Some(2)), ("b", Some(2)), ("c", Some(1))];
        let skeleton = Skeleton::new(bones.map(|(name, parent)| bone(name, parent)).to_vec()).expect("parents first");
        let mut document = Document::with_solver(SolverKind::Vrm);
        for (id, bone) in SPHERES.into_iter().zip([1, 2, 2]) {
            let collider = Collider::new(
                format!("{}", id.0),
                Node::Bone(BoneId(bone)),
                ColliderShape::Sphere { radius: 0.1, inside: false },
            );
            document.apply(Edit::PutCollider { id, collider: Some(collider) }).expect("a collider");
        }
        for (at, name) in ["a", "b", "c"].into_iter().enumerate() {
            let joints = vec![Joint::new(BoneId(3 + at as u32))];
            let chain = Chain::new(name, ChainPart::Hair, document.main_system().param_defs(), joints);
            let put = Edit::PutChain { id: ChainId(at as u32 + 1), chain: Some(Box::new(chain)) };
            document.apply(put).expect("a chain");
        }
        (skeleton, document)
    }

    #[track_caller]
    fn apply(document: &mut Document, edit: Edit) {
        let before = document.clone();
        let changes = document.apply_recorded(edit.clone()).expect("it fits");
        changes.revert(document);
        assert_eq!(*document, before, "undo restores the document");
        document.apply(edit).expect("again");
    }

    #[test]
    fn removing_a_group_unassigns_it_from_all_chains() {
        let (_, mut document) = vrm_character();
        let (made, id) = create(&document, "body", &SPHERES[..2]);
        apply(&mut document, made);
        let chains = [ChainId(1), ChainId(3)];
        let edit = assign(&document, &chains, id, true);
        apply(&mut document, edit);
        assert_eq!(document.chains[&ChainId(1)].groups, [id]);
        assert!(document.chains[&ChainId(2)].groups.is_empty());
        assert_eq!(assign(&document, &chains, id, true), Edit::Batch(Vec::new()), "a chain lists a group only once");
        let gone = remove(&document, id);
        apply(&mut document, gone);
        assert!(document.groups.is_empty() && document.chains.values().all(|c| c.groups.is_empty()));
        assert_eq!(document.colliders.len(), 3);
    }

    #[test]
    fn colliders_are_added_and_removed_and_the_rest_is_unassigned() {
        let (_, mut document) = vrm_character();
        let (made, id) = create(&document, "body", &[]);
        apply(&mut document, made);
        let edit = add_colliders(&document, id, &[SPHERES[2], SPHERES[0], SPHERES[2], ColliderId(90)]);
        apply(&mut document, edit);
        assert_eq!(document.groups[&id].colliders, [SPHERES[2], SPHERES[0]]);
        assert_eq!(unassigned_colliders(&document), [SPHERES[1]]);
        let edit = remove_colliders(&document, id, &SPHERES[..1]);
        apply(&mut document, edit);
        assert_eq!(document.groups[&id].colliders, [SPHERES[2]]);
        let edit = rename(&document, id, " head ").expect("a name");
        apply(&mut document, edit);
        assert_eq!(document.groups[&id].name, "head");
        assert_eq!(rename(&document, id, "  "), None);
    }

    #[test]
    fn a_vrm_0_group_accepts_colliders_of_one_bone_only() {
        let (_, mut document) = vrm_character();
        document.main_system_mut().values.set(vrm::VERSION, 1.0);
        assert!(is_vrm_0(&document));
        let (made, id) = create(&document, "head", &[SPHERES[1], SPHERES[0], SPHERES[2]]);
        apply(&mut document, made);
        assert_eq!(document.groups[&id].colliders, [SPHERES[1], SPHERES[2]]);
        assert!(!can_add(&document, &document.groups[&id], SPHERES[0]));
    }

    #[test]
    fn center_candidates_are_ancestors_of_all_roots() {
        let (skeleton, mut document) = vrm_character();
        let head_chest_hips = [BoneId(2), BoneId(1), BoneId(0)];
        assert_eq!(center_candidates(&document, &skeleton, &[ChainId(1), ChainId(2)]), head_chest_hips);
        assert_eq!(center_candidates(&document, &skeleton, &[ChainId(1), ChainId(3)]), head_chest_hips[1..]);
        let edit = set_center(&document, &[ChainId(1)], Some(Node::Bone(BoneId(0))));
        apply(&mut document, edit);
        assert_eq!(document.chains[&ChainId(1)].center, Some(Node::Bone(BoneId(0))));
    }

    #[test]
    fn joint_colliders_move_into_groups_of_their_chains() {
        let (_, mut document) = vrm_character();
        let give = |document: &Document, ids: &[ColliderId]| {
            edit_chains(document, &[ChainId(1), ChainId(2)], |c| c.joints[0].colliders = ids.to_vec())
        };
        let edit = move_joint_colliders_to_groups(&document, give(&document, &SPHERES));
        apply(&mut document, edit);
        assert_eq!(document.groups.len(), 1, "both chains share the group");
        assert!(document.chains.values().flat_map(|c| &c.joints).all(|j| j.colliders.is_empty()));
        assert_eq!(document.chains[&ChainId(1)].groups, document.chains[&ChainId(2)].groups);
        let again = move_joint_colliders_to_groups(&document, give(&document, &SPHERES));
        apply(&mut document, again);
        assert_eq!(document.groups.len(), 1, "no group is created for colliders that a group of the chain contains");
        let (_, mut old) = vrm_character();
        old.main_system_mut().values.set(vrm::VERSION, 1.0);
        let edit = move_joint_colliders_to_groups(&old, give(&old, &SPHERES));
        apply(&mut old, edit);
        let lists: Vec<usize> = old.groups.values().map(|g| g.colliders.len()).collect();
        assert_eq!(lists, [1, 2], "one group per bone");
        let unity = Document::default();
        assert_eq!(move_joint_colliders_to_groups(&unity, Edit::Batch(Vec::new())), Edit::Batch(Vec::new()));
    }
}
