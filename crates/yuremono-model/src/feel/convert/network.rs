//! Creates systems for a solver that links columns. Each skirt becomes one network, and other chains stay unlinked.

use crate::document::skirt::Skirt;
use crate::document::{ChainId, ChainPart, ComponentLists, Document, Edit, Node, RestFrames, System, SystemId};
use std::collections::{BTreeMap, BTreeSet};
use yuremono_sim::LinkKind;
use yuremono_sim::rig::{BoneId, Character};
use yuremono_sim::solver::joint_dynamics::{COMPUTE, LOOP};

/// Moves each skirt among the `moved` chains to its own system, and sorts the columns of the skirt. The `moved` chains
/// are already in `into`. The other moved chains get a system that links no columns.
pub(super) fn assign_networks(after: &mut Document, character: &Character, into: SystemId, moved: &BTreeSet<ChainId>) {
    let skirts = group_skirts(after, character, moved);
    let unlinked: Vec<ChainId> = moved.iter().filter(|id| !skirts.iter().any(|s| s.contains(id))).copied().collect();
    let mut is_free = after.chains.iter().all(|(id, chain)| chain.system != into || moved.contains(id));
    let bare = System {
        name: String::new(),
        component_lists: ComponentLists::empty(after.systems[&into].solver),
        ..after.systems[&into].clone()
    };
    let needs_own = |system: &System| matches!(&system.component_lists, ComponentLists::JointDynamics(own) if !own.roots.is_empty());
    if !unlinked.is_empty() {
        let id = if is_free || !needs_own(&after.systems[&into]) { into } else { after.next_system_id() };
        let system = after.systems.entry(id).or_insert_with(|| bare.clone());
        if is_free || id != into {
            for kind in [LinkKind::StructuralHorizontal, LinkKind::Shear, LinkKind::BendingHorizontal] {
                system.values.set(COMPUTE[kind as usize], 0.0);
            }
        }
        move_chains_to_system(after, &unlinked, id);
        is_free = false;
    }
    for chains in skirts {
        let id = if std::mem::take(&mut is_free) { into } else { after.next_system_id() };
        after.systems.entry(id).or_insert_with(|| bare.clone());
        move_chains_to_system(after, &chains, id);
        let updated = NetworkColumns::find(after, character, &chains).apply_to(&after.systems[&id]);
        after.systems.insert(id, updated);
    }
}

/// Sorts the columns of a network around the body, and closes the ring if the columns surround the body. Returns `None`
/// if nothing changes.
pub fn order_columns(document: &Document, character: &Character, id: SystemId) -> Option<Edit> {
    let system = document.systems.get(&id)?;
    let of = document.chains.iter().filter(|(_, chain)| chain.system == id);
    let chains: Vec<ChainId> = of.map(|(id, _)| *id).collect();
    if chains.is_empty() || !matches!(system.component_lists, ComponentLists::JointDynamics(_)) {
        return None;
    }
    let updated = NetworkColumns::find(document, character, &chains).apply_to(system);
    (updated != *system).then(|| Edit::PutSystem { id, system: Some(Box::new(updated)) })
}

/// Groups skirt chains by their parent bone.
fn group_skirts(document: &Document, character: &Character, moved: &BTreeSet<ChainId>) -> Vec<Vec<ChainId>> {
    let mut by_holder: BTreeMap<Option<BoneId>, Vec<ChainId>> = BTreeMap::new();
    for (id, chain) in document.chains.iter().filter(|(id, c)| moved.contains(id) && c.part == ChainPart::Skirt) {
        by_holder.entry(character.skeleton.get_parent(chain.root())).or_default().push(*id);
    }
    by_holder.into_values().filter(|chains| chains.len() > 1).collect()
}

fn move_chains_to_system(document: &mut Document, chains: &[ChainId], id: SystemId) {
    for (_, chain) in document.chains.iter_mut().filter(|(chain, _)| chains.contains(chain)) {
        chain.system = id;
    }
}

/// The root bones of the columns, in order.
struct NetworkColumns {
    roots: Vec<Node>,
    is_ring: bool,
}

impl NetworkColumns {
    fn find(document: &Document, character: &Character, chains: &[ChainId]) -> Self {
        let skeleton = &character.skeleton;
        let rest_frames = RestFrames::of(document, skeleton);
        let skirt = Skirt::find(document, &rest_frames, skeleton, chains);
        let mut roots = Vec::new();
        for column in &skirt.columns {
            let chain = &document.chains[&column.chain];
            let bone = chain.joints[column.joints[0]].bone;
            // A branch belongs to the column that it forks from.
            let is_fork = chain.joints.iter().any(|joint| skeleton.is_known_ancestor(joint.bone, bone));
            if !is_fork {
                roots.push(Node::Bone(bone));
            }
        }
        Self { roots, is_ring: skirt.is_closed }
    }

    fn apply_to(self, system: &System) -> System {
        let mut updated = system.clone();
        if let ComponentLists::JointDynamics(own) = &mut updated.component_lists {
            own.roots = self.roots;
        }
        updated.values.set(LOOP, f32::from(u8::from(self.is_ring)));
        updated
    }
}
