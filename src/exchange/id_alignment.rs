//! Gives the elements of a document the ids that the same elements have in another document of the character.
//!
//! Two documents of one lineage, such as two states of the history, already have equal ids. A document from a file has
//! ids of its own, so its elements are matched by name.

use crate::document::{
    ById, Chain, ChainValue, ColliderId, Document, GroupId, HelperId, MapNaming, MaterialId, Node, Setup, SystemId,
};
use crate::params::{ParamId, ParamSet};
use crate::rig::BoneId;
use crate::sim::SolverKind;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

/// Returns the document with the ids of `to`. Elements without a counterpart in `to` get ids that `to` does not use. A
/// system keeps its id only if the solver is the same.
pub fn align_ids(document: &Document, to: &Document) -> Document {
    let ids = IdMap::new(document, to);
    let mut setup: Setup = document.setup.map_naming(&mut ReferenceMap(&ids));
    setup.helpers = rename_keys(setup.helpers, &ids.helpers);
    setup.colliders = rename_keys(setup.colliders, &ids.colliders);
    setup.groups = rename_keys(setup.groups, &ids.groups);
    setup.materials = rename_keys(setup.materials, &ids.materials);
    setup.systems = rename_keys(setup.systems, &ids.systems);
    setup.forces = rename_keys(setup.forces, &match_ids(&document.forces, &to.forces, |it| vec![it.name.clone()]));
    let node_key = |it: &crate::document::HighLeg| vec![format!("{:?}", it.node)];
    setup.high_legs = rename_keys(setup.high_legs, &match_ids(&document.high_legs, &to.high_legs, node_key));
    for chain in setup.chains.values_mut() {
        chain.system = ids.systems.get(&chain.system).copied().unwrap_or(chain.system);
        chain.material = chain.material.and_then(|id| ids.materials.get(&id).copied());
    }
    let root = |chain: &Chain| vec![chain.joints.first().map_or_else(String::new, |joint| joint.bone.0.to_string())];
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
            materials: match_ids(&document.materials, &to.materials, |it| {
                vec![format!("{}\n{}", it.solver.key(), it.name)]
            }),
            systems: match_ids(&document.systems, &to.systems, |it| {
                vec![format!("{}\n{}", it.solver.key(), it.name), it.solver.key().to_owned()]
            }),
        }
    }
}

/// Pairs elements with equal keys; `keys` returns the keys of an element, strictest first. Elements with the same id are
/// paired first, the others in order. An element without a partner keeps its id, or gets a new one if `to` uses the id.
fn match_ids<K, V>(from: &BTreeMap<K, V>, to: &BTreeMap<K, V>, keys: impl Fn(&V) -> Vec<String>) -> BTreeMap<K, K>
where
    K: Ord + Copy + Into<u32> + From<u32>,
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
        let mut by_key: HashMap<String, VecDeque<K>> = HashMap::new();
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
    elements.into_iter().map(|(id, element)| (ids.get(&id).copied().unwrap_or(id), element)).collect()
}

/// Maps references to helpers, colliders and groups.
struct ReferenceMap<'a>(&'a IdMap);

impl MapNaming<ById, ById> for ReferenceMap<'_> {
    fn node(&mut self, node: &Node) -> Option<Node> {
        Some(match *node {
            Node::Bone(_) => *node,
            Node::Helper(id) => Node::Helper(self.0.helpers.get(&id).copied().unwrap_or(id)),
        })
    }

    fn bone(&mut self, bone: &BoneId) -> Option<BoneId> {
        Some(*bone)
    }

    fn collider(&mut self, id: &ColliderId) -> Option<ColliderId> {
        Some(self.0.colliders.get(id).copied().unwrap_or(*id))
    }

    fn group(&mut self, id: GroupId) -> Option<GroupId> {
        Some(self.0.groups.get(&id).copied().unwrap_or(id))
    }

    fn system_values(&mut self, _: SolverKind, values: &ParamSet) -> ParamSet {
        values.clone()
    }

    fn chain_values(&mut self, _: SolverKind, values: &Vec<ChainValue>) -> Vec<ChainValue> {
        values.clone()
    }

    fn material_values(
        &mut self,
        _: SolverKind,
        values: &BTreeMap<ParamId, ChainValue>,
    ) -> BTreeMap<ParamId, ChainValue> {
        values.clone()
    }

    fn joint_values(&mut self, _: SolverKind, values: &BTreeMap<ParamId, f32>) -> BTreeMap<ParamId, f32> {
        values.clone()
    }
}
