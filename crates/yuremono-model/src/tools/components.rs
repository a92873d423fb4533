//! Edits of systems: splitting, merging, and component lists derived from the body.

use crate::document::{
    ChainId, ColliderId, ComponentLists, Document, Edit, EditLabel, Node, RestFrames, System, SystemId, difference,
};
use crate::document::{skirt::Skirt, skirt::leg_bones, skirt::nearest_leg};
use std::collections::{BTreeMap, BTreeSet};
use yuremono_sim::rig::{BoneId, Character};
use yuremono_sim::{BoneConstraint, SolverKind, SyncBone, SyncTarget};

/// Edits a copy of a system. Returns `None` if nothing changes.
pub fn edit_system(document: &Document, id: SystemId, change: impl FnOnce(&mut System)) -> Option<Edit> {
    document.edit_element(id, change)
}

/// Like [`edit_system`], but also returns the label of the undo step.
pub fn labeled_system_edit(
    document: &Document,
    id: SystemId,
    label: EditLabel,
    change_system: impl FnOnce(&mut System),
) -> Option<(Edit, EditLabel)> {
    Some((edit_system(document, id, change_system)?, label))
}

/// Changes a collider field in every system of a solver, because these systems share the collider.
pub fn edit_collider_field(
    document: &Document,
    solver: SolverKind,
    colliders: &[ColliderId],
    field: usize,
    new: impl Fn(f32) -> f32,
) -> Option<Edit> {
    let edits = document.edit_elements(|_, system: &mut System| {
        for collider in colliders.iter().filter(|_| system.solver == solver) {
            let value = new(system.component_lists.collider_field(*collider, field));
            system.component_lists.set_collider_field(*collider, field, value);
        }
    });
    (!edits.is_empty()).then_some(Edit::Batch(edits))
}

/// Moves chains to a copy of their system, and returns the id of the copy. Returns `None` if the chains belong to
/// several systems, or if no chain would remain in the old system.
pub fn split_off_chains(document: &Document, chains: &BTreeSet<ChainId>, name: &str) -> Option<(Edit, SystemId)> {
    let mut from = chains.iter().filter_map(|id| document.chains.get(id)).map(|chain| chain.system);
    let old = from.next()?;
    let stays = document.chains.iter().any(|(id, chain)| chain.system == old && !chains.contains(id));
    if !stays || from.any(|other| other != old) {
        return None;
    }
    let mut after = document.clone();
    let id = after.next_system_id();
    let mut system = after.systems.get(&old)?.clone();
    name.clone_into(&mut system.name);
    let bones = chain_bones(document, chains);
    if let Some(left) = after.systems.get_mut(&old) {
        retain_bone_entries(&mut left.component_lists, |bone| !bones.contains(&bone));
    }
    retain_bone_entries(&mut system.component_lists, |bone| bones.contains(&bone));
    after.systems.insert(id, system);
    after.chains.iter_mut().filter(|(id, _)| chains.contains(id)).for_each(|(_, chain)| chain.system = id);
    Some((difference(document, &after), id))
}

/// Moves chains and their entries in component lists to another system of their solver. Systems without chains are
/// removed. Returns `None` if no chain moves.
pub fn move_chains_to_system(document: &Document, chains: &BTreeSet<ChainId>, into: SystemId) -> Option<Edit> {
    let solver = document.systems.get(&into)?.solver;
    let moves = |id: &&ChainId| {
        document.chains.get(id).is_some_and(|chain| chain.system != into && document.solver_of(chain) == solver)
    };
    let moved: BTreeSet<ChainId> = chains.iter().filter(moves).copied().collect();
    if moved.is_empty() {
        return None;
    }
    let mut after = document.clone();
    let from: BTreeSet<SystemId> = moved.iter().map(|id| document.chains[id].system).collect();
    let bones = chain_bones(document, &moved);
    for id in &from {
        let mut taken = document.systems.get(id)?.component_lists.clone();
        retain_bone_entries(&mut taken, |bone| bones.contains(&bone));
        if let Some(left) = after.systems.get_mut(id) {
            retain_bone_entries(&mut left.component_lists, |bone| !bones.contains(&bone));
        }
        merge_component_lists(&mut after.systems.get_mut(&into)?.component_lists, taken);
    }
    after.chains.iter_mut().filter(|(id, _)| moved.contains(id)).for_each(|(_, chain)| chain.system = into);
    let used = |id: &SystemId| after.chains.values().any(|chain| chain.system == *id);
    let gone: Vec<SystemId> = from.into_iter().filter(|id| !used(id)).collect();
    for id in &gone {
        after.systems.remove(id);
    }
    Some(difference(document, &after))
}

fn chain_bones(document: &Document, chains: &BTreeSet<ChainId>) -> BTreeSet<BoneId> {
    chains.iter().filter_map(|id| document.chains.get(id)).flat_map(|c| &c.joints).map(|j| j.bone).collect()
}

/// Keeps the list entries of the joints that `keeps` selects. Nodes that are not joints, such as grabbers, stay.
fn retain_bone_entries(extras: &mut ComponentLists, keeps: impl Fn(BoneId) -> bool) {
    let node = |node: &Node| matches!(node, Node::Bone(bone) if keeps(*bone));
    match extras {
        ComponentLists::JointDynamics(own) => {
            own.roots.retain(node);
            own.points.retain(|bone, _| keeps(*bone));
        }
        ComponentLists::Kawaii(own) => {
            own.constraints.retain(|pair| pair.bones.iter().any(node));
            own.sync_bones.iter_mut().for_each(|sync| sync.targets.retain(|t| node(&t.bone)));
            own.sync_bones.retain(|sync| !sync.targets.is_empty());
        }
        ComponentLists::None
        | ComponentLists::DynamicBone(_)
        | ComponentLists::EzSoftBone(_)
        | ComponentLists::AnimDynamics(_) => {}
    }
}

/// Merges component lists. Entries of nodes that are not joints are added only if missing.
fn merge_component_lists(into: &mut ComponentLists, from: ComponentLists) {
    match (into, from) {
        (ComponentLists::JointDynamics(into), ComponentLists::JointDynamics(from)) => {
            into.points.extend(from.points);
            push_missing(&mut into.roots, from.roots, PartialEq::eq);
            push_missing(&mut into.grabbers, from.grabbers, |a, b| a.bone == b.bone);
            push_missing(&mut into.planes, from.planes, PartialEq::eq);
            insert_missing(&mut into.colliders, from.colliders);
        }
        (ComponentLists::Kawaii(into), ComponentLists::Kawaii(from)) => {
            push_missing(&mut into.constraints, from.constraints, PartialEq::eq);
            into.sync_bones.extend(from.sync_bones);
            into.base_bone = into.base_bone.or(from.base_bone);
        }
        (ComponentLists::DynamicBone(into), ComponentLists::DynamicBone(from)) => {
            push_missing(&mut into.exclusions, from.exclusions, PartialEq::eq);
            into.reference = into.reference.or(from.reference);
        }
        (ComponentLists::EzSoftBone(into), ComponentLists::EzSoftBone(from)) => {
            into.simulate_space = into.simulate_space.or(from.simulate_space);
            into.gravity_aligner = into.gravity_aligner.or(from.gravity_aligner);
            into.force_field = into.force_field.take().or(from.force_field);
            insert_missing(&mut into.colliders, from.colliders);
        }
        (ComponentLists::AnimDynamics(into), ComponentLists::AnimDynamics(from)) => {
            into.relative_space_bone = into.relative_space_bone.or(from.relative_space_bone);
        }
        _ => {}
    }
}

fn push_missing<T>(into: &mut Vec<T>, from: Vec<T>, is_same: impl Fn(&T, &T) -> bool) {
    let fresh: Vec<T> = from.into_iter().filter(|new| !into.iter().any(|known| is_same(known, new))).collect();
    into.extend(fresh);
}

fn insert_missing<K: Ord, V>(into: &mut BTreeMap<K, V>, from: BTreeMap<K, V>) {
    for (key, value) in from {
        into.entry(key).or_insert(value);
    }
}

/// Constrains joints of neighbouring skirt columns to keep their distance. Returns `None` if nothing changes, or if the
/// solver does not support constraints.
pub fn constrain_neighbour_columns(document: &Document, character: &Character, id: SystemId) -> Option<Edit> {
    let skirt = system_skirt(document, character, id);
    edit_system(document, id, |system| {
        let ComponentLists::Kawaii(own) = &mut system.component_lists else { return };
        for (a, b) in skirt.neighbours() {
            for (i, j) in a.joints.iter().zip(&b.joints) {
                let bone = |chain: ChainId, at: usize| Node::Bone(document.chains[&chain].joints[at].bone);
                let pair = [bone(a.chain, *i), bone(b.chain, *j)];
                let known = |c: &BoneConstraint<Node>| c.bones == pair || c.bones == [pair[1], pair[0]];
                if !own.constraints.iter().any(known) {
                    own.constraints.push(BoneConstraint::new(pair));
                }
            }
        }
    })
}

/// Adds sync bones that move each skirt column with its nearest thigh. Returns `None` if nothing changes, if the solver
/// does not support sync bones, or if the character has no legs.
pub fn add_thigh_sync_bones(document: &Document, character: &Character, id: SystemId) -> Option<Edit> {
    let skirt = system_skirt(document, character, id);
    let stance = RestFrames::of(document, &character.skeleton);
    let legs = leg_bones(character);
    edit_system(document, id, |system| {
        let ComponentLists::Kawaii(own) = &mut system.component_lists else { return };
        for leg in &legs {
            let thigh = Node::Bone(leg[0]);
            let mut targets = Vec::new();
            for column in &skirt.columns {
                let joints = &document.chains[&column.chain].joints;
                let Some(head) = column.joints.last().and_then(|at| stance.head(joints[*at].bone)) else { continue };
                if nearest_leg(&stance, &legs, head) == Some(*leg) {
                    targets.extend(column.joints.iter().map(|at| Node::Bone(joints[*at].bone)));
                }
            }
            if !targets.is_empty() && own.sync_bones.iter().all(|sync| sync.bone != thigh) {
                let targets = targets.into_iter().map(|bone| SyncTarget { bone, scale: 1.0 }).collect();
                own.sync_bones.push(SyncBone::new(thigh, targets));
            }
        }
    })
}

fn system_skirt(document: &Document, character: &Character, id: SystemId) -> Skirt {
    let chains: Vec<ChainId> = document.chains.iter().filter(|(_, c)| c.system == id).map(|(id, _)| *id).collect();
    if chains.is_empty() {
        return Skirt::default();
    }
    Skirt::find(document, &RestFrames::of(document, &character.skeleton), &character.skeleton, &chains)
}
