//! Deletes, cleans up and re-parents parts of a setup. Each tool returns one edit with the counts of its changes.

use crate::document::{
    ChainId, ColliderId, Document, Edit, Helper, HelperId, HelperRole, HighLegId, Node, RestFrames, Setup,
    bone_of_node, difference,
};
use glam::{Quat, Vec3};
use std::collections::{BTreeMap, BTreeSet};
use yuremono_sim::ColliderShape;
use yuremono_sim::params::{ParamScope, enumerate_params};
use yuremono_sim::rig::{BoneId, Skeleton};

/// An edit with the counts of its changes.
#[derive(Clone, Debug, PartialEq)]
pub struct CleanupEdit {
    pub edit: Edit,
    /// Number of joints that are removed or changed.
    pub joints: usize,
    /// Number of removed chains.
    pub chains: usize,
    /// Number of removed colliders.
    pub colliders: usize,
    /// Number of helpers that are removed or moved.
    pub helpers: usize,
    /// Number of removed dangling and duplicate references.
    pub references: usize,
}

impl CleanupEdit {
    /// Returns whether nothing changes.
    pub fn is_empty(&self) -> bool {
        self.joints + self.chains + self.colliders + self.helpers + self.references == 0
    }

    fn from_documents(before: &Document, after: &Document, references: usize) -> Self {
        let edit = difference(before, after);
        let joints = before.chains.iter().map(|(id, chain)| {
            let now = after.chains.get(id);
            let same = |j: &crate::document::Joint| now.is_some_and(|c| c.joints.iter().any(|other| other == j));
            chain.joints.iter().filter(|j| !same(j)).count()
        });
        let joints = joints.sum();
        Self {
            joints,
            chains: before.chains.len() - after.chains.len(),
            colliders: before.colliders.len() - after.colliders.len(),
            helpers: before.helpers.iter().filter(|(id, h)| after.helpers.get(id) != Some(h)).count(),
            references,
            edit,
        }
    }
}

/// Clears the collider lists of joints; the colliders stay. Chains with these joints leave their collider groups, and
/// their other joints get the colliders of the groups.
pub fn unassign_colliders(document: &Document, bones: &BTreeSet<BoneId>) -> CleanupEdit {
    let mut after = document.clone();
    let mut references = 0;
    let is_meant = |joint: &crate::document::Joint| bones.contains(&joint.bone);
    for (id, chain) in after.chains.iter_mut().filter(|(_, c)| c.joints.iter().any(is_meant)) {
        let old = &document.chains[id];
        for (joint, was) in chain.joints.iter_mut().zip(&old.joints) {
            let mut seen = BTreeSet::new();
            let all: Vec<_> = document.colliders_of(old, was).filter(|collider| seen.insert(*collider)).collect();
            if is_meant(joint) {
                references += all.len();
                joint.colliders.clear();
            } else if !chain.groups.is_empty() {
                joint.colliders = all;
            }
        }
        chain.groups.clear();
    }
    CleanupEdit::from_documents(document, &after, references)
}

/// Deletes the colliders on bones of `roots` and their descendants, and nodes that become unused.
pub fn delete_colliders_below(document: &Document, skeleton: &Skeleton, roots: &BTreeSet<BoneId>) -> CleanupEdit {
    let below = |node: Node| bone_of_node(document, node).is_some_and(|bone| is_in_subtrees(skeleton, roots, bone));
    let gone = document.colliders.iter().filter(|(_, c)| below(c.node)).map(|(id, _)| *id);
    delete_colliders(document, &gone.collect())
}

/// Deletes colliders, references to them, and nodes that become unused.
pub fn delete_colliders(document: &Document, gone: &BTreeSet<ColliderId>) -> CleanupEdit {
    let mut after = document.clone();
    let references = remove_colliders(&mut after, gone);
    CleanupEdit::from_documents(document, &after, references)
}

fn remove_colliders(after: &mut Document, gone: &BTreeSet<ColliderId>) -> usize {
    let mut references = 0;
    for joint in after.chains.values_mut().flat_map(|c| &mut c.joints) {
        let before = joint.colliders.len();
        joint.colliders.retain(|id| !gone.contains(id));
        references += before - joint.colliders.len();
    }
    for group in after.groups.values_mut() {
        let before = group.colliders.len();
        group.colliders.retain(|id| !gone.contains(id));
        references += before - group.colliders.len();
    }
    let nodes: Vec<Node> = gone.iter().filter_map(|id| after.colliders.remove(id)).map(|c| c.node).collect();
    for node in nodes {
        remove_unused_helpers_upwards(after, node, |role| role == HelperRole::Plain);
    }
    references
}

/// Removes an unreferenced helper, then each parent helper that becomes unreferenced.
fn remove_unused_helpers_upwards(after: &mut Document, node: Node, may_go: impl Fn(HelperRole) -> bool) {
    let mut node = node;
    while let Node::Helper(id) = node
        && let Some(helper) = after.helpers.get(&id)
        && may_go(helper.role)
        && !after.is_node_referenced(node)
    {
        node = helper.parent;
        after.helpers.remove(&id);
    }
}

fn is_in_subtrees(skeleton: &Skeleton, roots: &BTreeSet<BoneId>, bone: BoneId) -> bool {
    roots.contains(&bone) || roots.iter().any(|root| skeleton.is_known_ancestor(*root, bone))
}

/// Removes the joints of `roots` and their descendants. Also removes empty chains, and pivots and leg followers that
/// become unused.
pub fn delete_joints_below(document: &Document, skeleton: &Skeleton, roots: &BTreeSet<BoneId>) -> CleanupEdit {
    let mut after = document.clone();
    for chain in after.chains.values_mut() {
        chain.joints.retain(|j| !is_in_subtrees(skeleton, roots, j.bone));
    }
    after.chains.retain(|_, chain| !chain.joints.is_empty());
    let used: BTreeSet<Node> = used_pivots(document);
    for node in used.difference(&used_pivots(&after)) {
        remove_unused_helpers_upwards(&mut after, *node, |role| role == HelperRole::Pivot);
    }
    remove_unused_high_legs(document, &mut after);
    CleanupEdit::from_documents(document, &after, 0)
}

fn used_pivots(document: &Document) -> BTreeSet<Node> {
    document.chains.values().flat_map(|c| &c.joints).filter_map(|j| j.pivot).collect()
}

/// Removes leg followers that lost all their children and all joints that used them as a pivot.
fn remove_unused_high_legs(before: &Document, after: &mut Document) {
    let carries =
        |node: Node, d: &Document| d.helpers.values().any(|h| h.parent == node) || used_pivots(d).contains(&node);
    let idle = after.high_legs.iter().filter(|(_, h)| carries(h.node, before) && !carries(h.node, after));
    let idle: Vec<HighLegId> = idle.map(|(id, _)| *id).collect();
    for id in idle {
        if let Some(high_leg) = after.high_legs.remove(&id) {
            remove_unused_helpers_upwards(after, high_leg.node, |_| true);
            remove_unused_helpers_upwards(after, high_leg.hip, |_| true);
        }
    }
}

/// The result of [`clean_up`].
#[derive(Clone, Debug, PartialEq)]
pub struct CleanUpPlan {
    /// The edit with counts.
    pub change: CleanupEdit,
    /// Number of colliders that duplicate another collider on the same node.
    pub duplicate_count: usize,
    /// Number of colliders that no joint lists.
    pub unused_count: usize,
    /// Number of unreferenced helpers.
    pub empty_node_count: usize,
}

/// Removes duplicate colliders and list entries, unlisted colliders, unused nodes, and dangling references. Keeps
/// references to missing bones that the document stores. Keeps nulls, because authors create nulls on purpose.
pub fn clean_up(document: &Document, skeleton: &Skeleton) -> CleanUpPlan {
    let mut after = document.clone();
    let mut references = remove_dangling_references(&mut after, skeleton);
    let duplicates = duplicate_colliders(&after);
    let Setup { chains, groups, .. } = &mut after.setup;
    let lists = chains.values_mut().flat_map(|c| &mut c.joints).map(|j| &mut j.colliders);
    for list in lists.chain(groups.values_mut().map(|g| &mut g.colliders)) {
        let before = list.len();
        let mut seen = BTreeSet::new();
        for id in &mut *list {
            *id = duplicates.get(id).copied().unwrap_or(*id);
        }
        list.retain(|id| seen.insert(*id));
        references += before - list.len();
    }
    remove_colliders(&mut after, &duplicates.keys().copied().collect());
    let listed: BTreeSet<ColliderId> =
        after.chains.values().flat_map(|c| c.joints.iter().flat_map(|j| after.colliders_of(c, j))).collect();
    let unused: BTreeSet<ColliderId> = after.colliders.keys().copied().filter(|id| !listed.contains(id)).collect();
    remove_colliders(&mut after, &unused);
    remove_empty_helpers(&mut after);
    let empty_nodes = document.helpers.len() - after.helpers.len();
    let change = CleanupEdit::from_documents(document, &after, references);
    CleanUpPlan { change, duplicate_count: duplicates.len(), unused_count: unused.len(), empty_node_count: empty_nodes }
}

/// Removes dangling references of joints and duplicate length targets. Returns the number of removed references.
fn remove_dangling_references(after: &mut Document, skeleton: &Skeleton) -> usize {
    let helpers: BTreeSet<HelperId> = after.helpers.keys().copied().collect();
    let colliders: BTreeSet<ColliderId> = after.colliders.keys().copied().collect();
    let lost = after.missing_bones.clone();
    let is_there = |node: Node| match node {
        Node::Bone(bone) => bone.index() < skeleton.len() || lost.path(bone).is_some(),
        Node::Helper(id) => helpers.contains(&id),
    };
    let mut gone = 0;
    for center in after.chains.values_mut().map(|chain| &mut chain.center) {
        if center.is_some_and(|node| !is_there(node)) {
            *center = None;
            gone += 1;
        }
    }
    for joint in after.chains.values_mut().flat_map(|c| &mut c.joints) {
        let before = joint.length_targets.len() + joint.colliders.len();
        let mut seen = BTreeSet::new();
        joint.length_targets.retain(|t| is_there(t.node) && seen.insert(t.node));
        joint.colliders.retain(|id| colliders.contains(id));
        gone += before - joint.length_targets.len() - joint.colliders.len();
        if joint.pivot.is_some_and(|node| !is_there(node)) {
            joint.pivot = None;
            gone += 1;
        }
    }
    gone
}

/// Maps each collider with the shape and position of an earlier collider to the id of the earlier collider.
fn duplicate_colliders(document: &Document) -> BTreeMap<ColliderId, ColliderId> {
    let place = |node: Node| match node {
        Node::Helper(id) => document.helpers.get(&id).map(|h| (h.parent, h.local)),
        Node::Bone(_) => None,
    };
    let mut kept: Vec<ColliderId> = Vec::new();
    let mut first_of_duplicate = BTreeMap::new();
    for (id, collider) in &document.colliders {
        let same = |other: &&ColliderId| {
            let o = &document.colliders[*other];
            let there = o.node == collider.node || (place(o.node).is_some() && place(o.node) == place(collider.node));
            there && o.shape == collider.shape && o.mesh_name == collider.mesh_name && o.enabled == collider.enabled
        };
        match kept.iter().find(same) {
            Some(first) => _ = first_of_duplicate.insert(*id, *first),
            None => kept.push(*id),
        }
    }
    first_of_duplicate
}

fn remove_empty_helpers(after: &mut Document) {
    loop {
        let is_idle = |(id, h): &(&HelperId, &Helper)| {
            h.role != HelperRole::Null && !after.is_node_referenced(Node::Helper(**id))
        };
        let idle: Vec<HelperId> = after.helpers.iter().filter(is_idle).map(|(id, _)| *id).collect();
        if idle.is_empty() {
            return;
        }
        for id in idle {
            after.helpers.remove(&id);
        }
    }
}

/// Re-parents helpers without moving them in the rest pose. Skips helpers that would become their own ancestors.
pub fn set_parent(document: &Document, skeleton: &Skeleton, helpers: &BTreeSet<HelperId>, parent: Node) -> CleanupEdit {
    let rest_frames = RestFrames::of(document, skeleton);
    let mut after = document.clone();
    for id in helpers {
        let Some(helper) = document.helpers.get(id) else { continue };
        let Some(frame) = rest_frames.frame(Node::Helper(*id)) else { continue };
        let Some(local) = rest_frames.local_transform_in(parent, frame.position, frame.rotation, helper.local.scale)
        else {
            continue;
        };
        if helper.parent == parent {
            continue;
        }
        let moved = Helper { parent, local, ..helper.clone() };
        // The document rejects a parent that is a descendant of the helper.
        _ = after.apply(Edit::PutHelper { id: *id, helper: Some(moved) });
    }
    CleanupEdit::from_documents(document, &after, 0)
}

/// Aligns capsules as UnityChanSpringBone's tool does: from the parent's origin to the mean of its other children.
/// Skips capsules directly on bones, and capsules whose parent has no other children.
pub fn align_capsules(document: &Document, skeleton: &Skeleton, capsules: &BTreeSet<ColliderId>) -> CleanupEdit {
    let rest_frames = RestFrames::of(document, skeleton);
    let mut after = document.clone();
    let mut moved = 0;
    for id in capsules {
        if let Some((helper, local, shape)) = aligned_capsule(document, skeleton, &rest_frames, *id) {
            if let Some(h) = after.helpers.get_mut(&helper) {
                h.local = local;
            }
            if let Some(c) = after.colliders.get_mut(id) {
                c.shape = shape;
            }
            moved += 1;
        }
    }
    let mut change = CleanupEdit::from_documents(document, &after, 0);
    change.helpers = moved;
    change
}

fn aligned_capsule(
    document: &Document,
    skeleton: &Skeleton,
    rest_frames: &RestFrames,
    id: ColliderId,
) -> Option<(HelperId, yuremono_sim::math::Trs, ColliderShape)> {
    let collider = document.colliders.get(&id)?;
    let (ColliderShape::Capsule { radius, inside: false, .. }, Node::Helper(helper)) = (collider.shape, collider.node)
    else {
        return None;
    };
    let node = document.helpers.get(&helper)?;
    let Node::Bone(parent) = node.parent else { return None };
    let from = rest_frames.head(parent)?;
    let children: Vec<Vec3> = skeleton.children(parent).iter().filter_map(|c| rest_frames.head(*c)).collect();
    let mean = children.iter().sum::<Vec3>() / children.len().max(1) as f32;
    let axis = (mean - from).try_normalize().filter(|_| !children.is_empty())?;
    let turn = Quat::from_rotation_arc(Vec3::Y, axis);
    let local = rest_frames.local_transform_in(node.parent, from, turn, node.local.scale)?;
    Some((helper, local, ColliderShape::Capsule { radius, height: mean.distance(from), inside: false }))
}

/// Resets the values of all systems to the defaults of their solvers. Extensions keep their values.
pub fn reset_system_values(document: &Document) -> Edit {
    let mut edits = Vec::new();
    for (id, system) in &document.systems {
        let own =
            enumerate_params(system.param_defs()).filter(|(_, def)| def.scope == ParamScope::System && !def.extension);
        let changed = own.filter(|(param, def)| system.get(*param).to_bits() != def.default.to_bits());
        edits.extend(changed.map(|(param, def)| Edit::SetSystemValue { system: *id, param, value: def.default }));
    }
    Edit::Batch(edits)
}

/// Returns the chains that contain one of these bones.
pub fn chains_with_bones(document: &Document, bones: &BTreeSet<BoneId>) -> Vec<ChainId> {
    let touched = |id: &&ChainId| document.chains[*id].joints.iter().any(|j| bones.contains(&j.bone));
    document.chains.keys().filter(touched).copied().collect()
}
