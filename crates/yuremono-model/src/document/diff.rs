//! Computes the difference between two documents as a batch of edits.

use crate::document::{
    Chain, ChainId, Collider, ColliderGroup, Document, Edit, Element, Force, HelperId, HighLeg, Joint, Material, Node,
    SolverChange, System, SystemId,
};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Returns the edit from `before` to `after`, or an empty batch if they are equal. Gestures, the kept pose and
/// missing bones are ignored.
pub fn difference(before: &Document, after: &Document) -> Edit {
    let mut all = Vec::new();
    let before = &*push_material_edits(before, after, &mut all);
    put_helpers(before, after, &mut all);
    put_changed::<Collider>(before, after, &mut all);
    put_changed::<ColliderGroup>(before, after, &mut all);
    if solvers_unchanged(before, after) {
        push_system_edits(before, after, &mut all);
        push_chain_edits(before, after, &mut all);
        remove_missing::<System>(before, after, &mut all);
    } else {
        let (systems, chains) = (after.systems.clone(), after.chains.clone());
        all.push(Edit::SetSolver(Box::new(SolverChange { systems, chains })));
    }
    remove_missing::<Material>(before, after, &mut all);
    put_changed::<HighLeg>(before, after, &mut all);
    put_changed::<Force>(before, after, &mut all);
    // Removals come last, because an element cannot be removed while other elements refer to it.
    remove_missing::<HighLeg>(before, after, &mut all);
    remove_missing::<Force>(before, after, &mut all);
    remove_missing::<ColliderGroup>(before, after, &mut all);
    remove_missing::<Collider>(before, after, &mut all);
    remove_helpers(before, after, &mut all);
    for name in before.hidden_meshes.symmetric_difference(&after.hidden_meshes) {
        all.push(Edit::SetMeshVisible { name: name.clone(), enabled: !after.hidden_meshes.contains(name) });
    }
    for bone in before.excluded_bones.symmetric_difference(&after.excluded_bones) {
        all.push(Edit::SetExcluded { bone: *bone, excluded: after.excluded_bones.contains(bone) });
    }
    if before.passthrough != after.passthrough {
        all.push(Edit::SetPassthrough(after.passthrough.clone()));
    }
    Edit::Batch(all)
}

fn solvers_unchanged(before: &Document, after: &Document) -> bool {
    let same_solver =
        |(id, system): (&SystemId, &System)| before.systems.get(id).is_none_or(|old| old.solver == system.solver);
    let same_system =
        |(id, chain): (&ChainId, &Chain)| before.chains.get(id).is_none_or(|old| old.system == chain.system);
    after.systems.iter().all(same_solver) && after.chains.iter().all(same_system)
}

/// Adds edits for new and changed materials. Returns `before` with these edits applied, because chains hold copies of
/// their material's values.
fn push_material_edits<'a>(before: &'a Document, after: &Document, all: &mut Vec<Edit>) -> Cow<'a, Document> {
    let mut then = Cow::Borrowed(before);
    for (id, material) in changed_entries(&before.materials, &after.materials) {
        let edit = Edit::PutMaterial { id, material: Some(Box::new(material.clone())) };
        // If the document rejects the material, it will also reject the whole edit.
        _ = then.to_mut().apply(edit.clone());
        all.push(edit);
    }
    then
}

fn push_system_edits(before: &Document, after: &Document, all: &mut Vec<Edit>) {
    for (id, system) in changed_entries(&before.systems, &after.systems) {
        match before.systems.get(&id) {
            Some(old) if System { values: system.values.clone(), ..old.clone() } == *system => {
                for (param, _) in yuremono_sim::params::enumerate_params(system.param_defs()) {
                    let value = system.get(param);
                    if old.get(param) != value {
                        all.push(Edit::SetSystemValue { system: id, param, value });
                    }
                }
            }
            _ => all.push(Edit::PutSystem { id, system: Some(Box::new(system.clone())) }),
        }
    }
}

fn put_changed<E: Element>(before: &Document, after: &Document, all: &mut Vec<Edit>) {
    all.extend(changed_entries(E::all(before), E::all(after)).map(|(id, element)| E::put(id, Some(element.clone()))));
}

fn remove_missing<E: Element>(before: &Document, after: &Document, all: &mut Vec<Edit>) {
    all.extend(removed_keys(E::all(before), E::all(after)).map(|id| E::put(id, None)));
}

fn changed_entries<'a, K: Ord + Copy, V: PartialEq>(
    before: &'a BTreeMap<K, V>,
    after: &'a BTreeMap<K, V>,
) -> impl Iterator<Item = (K, &'a V)> {
    after.iter().filter(|(id, value)| before.get(id) != Some(*value)).map(|(id, value)| (*id, value))
}

fn removed_keys<'a, K: Ord + Copy, V>(
    before: &'a BTreeMap<K, V>,
    after: &'a BTreeMap<K, V>,
) -> impl Iterator<Item = K> + use<'a, K, V> {
    before.keys().filter(|id| !after.contains_key(id)).copied()
}

/// Adds edits of helpers in a valid order: a helper needs an existing parent that is not its own descendant.
fn put_helpers(before: &Document, after: &Document, all: &mut Vec<Edit>) {
    let mut waiting: Vec<HelperId> = changed_entries(&before.helpers, &after.helpers).map(|(id, _)| id).collect();
    let mut parents: BTreeMap<HelperId, Node> = before.helpers.iter().map(|(id, h)| (*id, h.parent)).collect();
    while !waiting.is_empty() {
        let count = waiting.len();
        waiting.retain(|id| {
            let helper = &after.helpers[id];
            let ready = can_be_parent(&parents, *id, helper.parent);
            if ready {
                parents.insert(*id, helper.parent);
                all.push(Edit::PutHelper { id: *id, helper: Some(helper.clone()) });
            }
            !ready
        });
        if waiting.len() == count {
            break;
        }
    }
}

/// Whether `node` exists and is not a descendant of the helper `id`.
fn can_be_parent(parents: &BTreeMap<HelperId, Node>, id: HelperId, mut node: Node) -> bool {
    while let Node::Helper(above) = node {
        match parents.get(&above) {
            Some(next) if above != id => node = *next,
            _ => return false,
        }
    }
    true
}

/// Adds removals of helpers in a valid order: a helper can be removed only after its children.
fn remove_helpers(before: &Document, after: &Document, all: &mut Vec<Edit>) {
    let mut waiting: Vec<HelperId> = removed_keys(&before.helpers, &after.helpers).collect();
    while !waiting.is_empty() {
        let now = waiting.clone();
        let has_children = |id: HelperId| now.iter().any(|other| before.helpers[other].parent == Node::Helper(id));
        waiting.retain(|id| {
            if !has_children(*id) {
                all.push(Edit::PutHelper { id: *id, helper: None });
            }
            has_children(*id)
        });
        if waiting.len() == now.len() {
            break;
        }
    }
}

fn push_chain_edits(before: &Document, after: &Document, all: &mut Vec<Edit>) {
    let mut puts = Vec::new();
    for (id, chain) in changed_entries(&before.chains, &after.chains) {
        match before.chains.get(&id) {
            Some(old) if only_overrides_and_pivots_differ(old, chain) => push_joint_edits(id, old, chain, all),
            Some(old) => {
                // Chains may exchange bones, so chains whose bones change are removed first.
                let bones = |chain: &Chain| chain.joints.iter().map(|j| j.bone).collect::<BTreeSet<_>>();
                if bones(old) != bones(chain) {
                    all.push(Edit::PutChain { id, chain: None });
                }
                puts.push((id, chain));
            }
            None => puts.push((id, chain)),
        }
    }
    remove_missing::<Chain>(before, after, all);
    all.extend(puts.into_iter().map(|(id, chain)| Chain::put(id, Some(chain.clone()))));
}

/// Whether only overrides and pivots differ, which single edits can change.
fn only_overrides_and_pivots_differ(old: &Chain, new: &Chain) -> bool {
    let bare = |chain: &Chain| Chain {
        joints: chain.joints.iter().map(|j| Joint { overrides: BTreeMap::new(), pivot: None, ..j.clone() }).collect(),
        ..chain.clone()
    };
    bare(old) == bare(new)
}

fn push_joint_edits(id: ChainId, old: &Chain, new: &Chain, all: &mut Vec<Edit>) {
    for (old, new) in old.joints.iter().zip(&new.joints) {
        let bone = new.bone;
        for param in old.overrides.keys().chain(new.overrides.keys()).collect::<BTreeSet<_>>() {
            let value = new.overrides.get(param).copied();
            if old.overrides.get(param).copied() != value {
                all.push(Edit::SetOverride { chain: id, bone, param: *param, value });
            }
        }
        if old.pivot != new.pivot {
            all.push(Edit::SetPivot { chain: id, bone, pivot: new.pivot });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Helper, HelperRole, Setup};
    use yuremono_sim::SolverKind;
    use yuremono_sim::math::Trs;
    use yuremono_sim::rig::BoneId;

    fn document_with_helpers(parents: [Node; 2]) -> Document {
        let helper = |parent| Helper { name: "n".to_owned(), parent, local: Trs::IDENTITY, role: HelperRole::Null };
        let helpers = parents.into_iter().enumerate().map(|(i, parent)| (HelperId(i as u32 + 1), helper(parent)));
        Document {
            setup: Setup { helpers: helpers.collect(), ..Setup::with_solver(SolverKind::default()) },
            ..Document::default()
        }
    }

    #[test]
    fn helpers_that_swap_parents_are_edited_in_a_valid_order_and_undone() {
        let [bone, one, two] = [Node::Bone(BoneId(0)), Node::Helper(HelperId(1)), Node::Helper(HelperId(2))];
        let (before, after) = (document_with_helpers([bone, one]), document_with_helpers([two, bone]));
        let mut document = before.clone();
        let (inverse, _) = document.apply(difference(&before, &after)).expect("each step fits");
        assert_eq!(document, after);
        document.apply(inverse).expect("an inverse fits");
        assert_eq!(document, before);
    }
}
