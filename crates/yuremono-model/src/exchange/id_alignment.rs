//! Gives the elements of a document the ids that the same elements have in another document of the character.
//!
//! Two documents of one lineage, such as two states of the history, already have equal ids. A document from a file has
//! ids of its own, so its elements are matched by name.

use crate::document::{
    Chain, ColliderId, Document, GroupId, HelperId, MapReferences, MaterialId, Node, Setup, SystemId,
};
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::hash::Hash;

/// Returns the document with the ids of `to`. Elements without a counterpart in `to` get ids that `to` does not use. A
/// system keeps its id only if the solver is the same.
pub fn align_ids(document: &Document, to: &Document) -> Document {
    let ids = IdMap::new(document, to);
    let mut setup: Setup = document.setup.map_naming(&mut MapReferences {
        node: |node| match node {
            Node::Bone(_) => node,
            Node::Helper(id) => Node::Helper(new_id(&ids.helpers, id)),
        },
        collider: |id| new_id(&ids.colliders, id),
        group: |id| new_id(&ids.groups, id),
    });
    setup.helpers = rename_keys(setup.helpers, &ids.helpers);
    setup.colliders = rename_keys(setup.colliders, &ids.colliders);
    setup.groups = rename_keys(setup.groups, &ids.groups);
    setup.materials = rename_keys(setup.materials, &ids.materials);
    setup.systems = rename_keys(setup.systems, &ids.systems);
    setup.forces = rename_keys(setup.forces, &match_ids(&document.forces, &to.forces, |it| vec![it.name.clone()]));
    let nodes = match_ids(&document.high_legs, &to.high_legs, |it| vec![it.node]);
    setup.high_legs = rename_keys(setup.high_legs, &nodes);
    for chain in setup.chains.values_mut() {
        chain.system = new_id(&ids.systems, chain.system);
        chain.material = chain.material.map(|id| new_id(&ids.materials, id));
    }
    let root = |chain: &Chain| vec![chain.joints.first().map(|joint| joint.bone)];
    setup.chains = rename_keys(setup.chains, &match_ids(&document.chains, &to.chains, root));
    Document { setup, ..document.clone() }
}

/// The new id of each element that other elements refer to.
struct IdMap {
    helpers: BTreeMap<HelperId, HelperId>,
    colliders: BTreeMap<ColliderId, ColliderId>,
    groups: BTreeMap<GroupId, GroupId>,
    materials: BTreeMap<MaterialId, MaterialId>,
    systems: BTreeMap<SystemId, SystemId>,
}

impl IdMap {
    fn new(document: &Document, to: &Document) -> Self {
        Self {
            helpers: match_ids(&document.helpers, &to.helpers, |it| vec![it.name.clone()]),
            colliders: match_ids(&document.colliders, &to.colliders, |it| vec![it.name.clone()]),
            groups: match_ids(&document.groups, &to.groups, |it| vec![it.name.clone()]),
            materials: match_ids(&document.materials, &to.materials, |it| vec![(it.solver, it.name.clone())]),
            systems: match_ids(&document.systems, &to.systems, |it| {
                vec![(it.solver, Some(it.name.clone())), (it.solver, None)]
            }),
        }
    }
}

/// Pairs elements with equal keys; `keys` returns the keys of an element, strictest first. Elements with the same id are
/// paired first, the others in order. An element without a partner keeps its id, or gets a new one if `to` uses the id.
fn match_ids<K, V, Q>(from: &BTreeMap<K, V>, to: &BTreeMap<K, V>, keys: impl Fn(&V) -> Vec<Q>) -> BTreeMap<K, K>
where
    K: Ord + Copy + Into<u32> + From<u32>,
    Q: Eq + Hash,
{
    let mut ids = BTreeMap::new();
    let mut free: BTreeSet<K> = to.keys().copied().collect();
    let passes = from.values().next().map_or(0, |element| keys(element).len());
    for pass in 0..passes {
        let key = |element: &V| keys(element).swap_remove(pass);
        for (id, element) in from.iter().filter(|(id, _)| !ids.contains_key(*id)).collect::<Vec<_>>() {
            if free.contains(id) && key(&to[id]) == key(element) {
                free.remove(id);
                ids.insert(*id, *id);
            }
        }
        let mut by_key: HashMap<Q, VecDeque<K>> = HashMap::new();
        for id in &free {
            by_key.entry(key(&to[id])).or_default().push_back(*id);
        }
        for (id, element) in from.iter().filter(|(id, _)| !ids.contains_key(*id)).collect::<Vec<_>>() {
            if let Some(partner) = by_key.get_mut(&key(element)).and_then(VecDeque::pop_front) {
                free.remove(&partner);
                ids.insert(*id, partner);
            }
        }
    }
    let highest = from.keys().chain(to.keys()).map(|id| (*id).into()).max().unwrap_or(0);
    let unpaired: Vec<K> = from.keys().filter(|id| !ids.contains_key(*id)).copied().collect();
    let (unused, used): (Vec<K>, Vec<K>) = unpaired.into_iter().partition(|id| !to.contains_key(id));
    ids.extend(unused.into_iter().map(|id| (id, id)));
    ids.extend(used.into_iter().zip(highest.saturating_add(1)..).map(|(id, new)| (id, K::from(new))));
    ids
}

fn rename_keys<K: Ord + Copy, V>(elements: BTreeMap<K, V>, ids: &BTreeMap<K, K>) -> BTreeMap<K, V> {
    elements.into_iter().map(|(id, element)| (new_id(ids, id), element)).collect()
}

fn new_id<K: Ord + Copy>(ids: &BTreeMap<K, K>, id: K) -> K {
    ids.get(&id).copied().unwrap_or(id)
}
