//! Collider groups of chains, and the node that a chain's speed is measured from: edits for solvers that know them.

use crate::document::{Chain, ChainId, ColliderGroup, ColliderId, Document, Edit, GroupId, Node, System, bone_of_node};
use crate::rig::{BoneId, Skeleton};
use crate::sim::SolverKind;
use crate::sim::solver::vrm::VERSION;
use std::collections::BTreeSet;

/// Whether chains name groups and a center under this solver.
pub const fn are_supported(solver: SolverKind) -> bool {
    matches!(solver, SolverKind::Vrm)
}

/// Whether the document is for VRM 0.x: one bone for each group, one set of numbers for each chain, and no limits.
pub fn is_vrm_0(document: &Document) -> bool {
    document.system_with_solver(SolverKind::Vrm).is_some_and(|(_, system)| has_values_per_chain(system))
}

/// Whether each chain of a system has one set of numbers for all its joints, as in VRM 0.x.
pub fn has_values_per_chain(system: &System) -> bool {
    system.solver == SolverKind::Vrm && system.get(VERSION) != 0.0
}

/// Lets a group push chains, or no more; a chain names it once.
pub fn assign(document: &Document, chains: &[ChainId], group: GroupId, on: bool) -> Edit {
    edit_chains(document, chains, |chain| {
        if !on {
            chain.groups.retain(|g| *g != group);
        } else if !chain.groups.contains(&group) {
            chain.groups.push(group);
        }
    })
}

/// A new group of what fits into one, and its id.
pub fn create(document: &Document, name: &str, colliders: &[ColliderId]) -> (Edit, GroupId) {
    let id = document.next_group_id();
    let mut group = ColliderGroup { name: name.to_owned(), ..ColliderGroup::default() };
    push_colliders(document, &mut group, colliders);
    (Edit::PutGroup { id, group: Some(group) }, id)
}

/// Another name. `None` for an empty one, or where the group is gone.
pub fn rename(document: &Document, id: GroupId, name: &str) -> Option<Edit> {
    let group = document.groups.get(&id)?;
    let name = name.trim().to_owned();
    (!name.is_empty()).then(|| Edit::PutGroup { id, group: Some(ColliderGroup { name, ..group.clone() }) })
}

/// Takes a group away; chains that named it let go of it, its colliders stay.
pub fn remove(document: &Document, id: GroupId) -> Edit {
    let named: Vec<ChainId> =
        document.chains.iter().filter(|(_, c)| c.groups.contains(&id)).map(|(id, _)| *id).collect();
    Edit::Batch(vec![assign(document, &named, id, false), Edit::PutGroup { id, group: None }])
}

/// Puts colliders into a group, those that are not in it and fit.
pub fn add_colliders(document: &Document, id: GroupId, colliders: &[ColliderId]) -> Edit {
    edit_group(document, id, |group| push_colliders(document, group, colliders))
}

/// Takes colliders out of a group.
pub fn remove_colliders(document: &Document, id: GroupId, colliders: &[ColliderId]) -> Edit {
    edit_group(document, id, |group| group.colliders.retain(|c| !colliders.contains(c)))
}

/// Whether a collider may be put into a group: VRM 0.x has one bone for each.
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

/// What speed of chains is measured from: a node, or the world.
pub fn set_center(document: &Document, chains: &[ChainId], center: Option<Node>) -> Edit {
    edit_chains(document, chains, |chain| chain.center = center)
}

/// The bones that could be the center of all these chains: what stands above all of their roots, the nearest first.
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

/// Colliders that no group has and no joint lists: they push nothing.
pub fn unassigned_colliders(document: &Document) -> Vec<ColliderId> {
    let grouped = document.groups.values().flat_map(|g| &g.colliders);
    let listed = document.chains.values().flat_map(|c| &c.joints).flat_map(|j| &j.colliders);
    let used: BTreeSet<ColliderId> = grouped.chain(listed).copied().collect();
    document.colliders.keys().filter(|id| !used.contains(id)).copied().collect()
}

/// As `edit`, with the colliders that it gives to joints in groups of their chains where the solver has such; `edit` as
/// it is elsewhere, and where it does not apply.
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
                // A fresh id and colliders that are there.
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

/// What any joint of a chain lists, each once.
fn joint_colliders(chain: &Chain) -> Vec<ColliderId> {
    let mut seen = BTreeSet::new();
    chain.joints.iter().flat_map(|j| &j.colliders).copied().filter(|c| seen.insert(*c)).collect()
}

/// Lists that may each be a group.
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
    let edit = |id: &ChainId| {
        let old = document.chains.get(id)?;
        let mut chain = old.clone();
        change(&mut chain);
        (chain != *old).then(|| Edit::PutChain { id: *id, chain: Some(Box::new(chain)) })
    };
    Edit::Batch(chains.iter().filter_map(edit).collect())
}

fn edit_group(document: &Document, id: GroupId, change: impl FnOnce(&mut ColliderGroup)) -> Edit {
    let Some(mut group) = document.groups.get(&id).cloned() else { return Edit::Batch(Vec::new()) };
    change(&mut group);
    Edit::PutGroup { id, group: Some(group) }
}

#[cfg(test)]
mod tests;
