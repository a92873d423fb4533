//! Decides which chains share a material of a file, and which chains lose their material.

use crate::document::{ChainId, Document, Material, MaterialId, Setup};
use std::collections::{BTreeMap, BTreeSet};
use yuremono_sim::SolverKind;

/// Values with a smaller relative difference are equal, because numbers in files have a limited number of digits.
const RELATIVE_TOLERANCE: f32 = 1e-6;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MaterialUse<'a> {
    /// Index of the entry in the file.
    pub(super) entry: usize,
    /// The chain, which already has the values of the file.
    pub(super) chain: ChainId,
    pub(super) name: &'a str,
}

/// Assigns shared materials after all chains have their values. Chains with the same material name share the material
/// if they have the values of the first chain. Other chains keep their own values. If a chain has several entries, the
/// last entry is used. Returns the index of each entry, and whether the entry changed anything.
pub(super) fn share_materials(document: &mut Document, uses: &[MaterialUse<'_>]) -> Vec<(usize, bool)> {
    let last: BTreeMap<ChainId, usize> = uses.iter().map(|entry| (entry.chain, entry.entry)).collect();
    let counts = |entry: &MaterialUse<'_>| last.get(&entry.chain) == Some(&entry.entry);
    let mut by_name: BTreeMap<(SolverKind, &str), Vec<ChainId>> = BTreeMap::new();
    for entry in uses.iter().filter(|entry| counts(entry)) {
        if let Some(chain) = document.chains.get(&entry.chain) {
            by_name.entry((document.solver_of(chain), entry.name)).or_default().push(entry.chain);
        }
    }
    let before: BTreeMap<ChainId, Option<String>> =
        last.keys().map(|id| (*id, agreeing_material_name(document, *id))).collect();
    for ((solver, name), chains) in by_name {
        share_material(document, solver, name, &chains);
    }
    let changed = |id: &ChainId| before.get(id) != Some(&agreeing_material_name(document, *id));
    uses.iter().map(|entry| (entry.entry, counts(entry) && changed(&entry.chain))).collect()
}

/// The name of a chain's material, if the chain has the values of the material.
fn agreeing_material_name(document: &Document, id: ChainId) -> Option<String> {
    let chain = document.chains.get(&id)?;
    document.material_of(chain).filter(|material| material.matches_chain(chain)).map(|material| material.name.clone())
}

fn share_material(document: &mut Document, solver: SolverKind, name: &str, chains: &[ChainId]) {
    // Two materials with the same name are both kept if their chains agree with them.
    let is_settled = |id: &&ChainId| agreeing_material_name(document, **id).as_deref() == Some(name);
    let (settled, open): (Vec<ChainId>, Vec<ChainId>) = chains.iter().partition(is_settled);
    let Some(first) = settled.first().or(open.first()).and_then(|id| document.chains.get(id)) else { return };
    if solver.info().material_params.is_empty() || open.is_empty() {
        return;
    }
    let material = Material::from_chain(name, solver, first);
    let (sharing, others): (Vec<ChainId>, Vec<ChainId>) =
        open.iter().partition(|id| document.chains.get(id).is_some_and(|chain| material.matches_chain(chain)));
    let own = first.material.filter(|_| !settled.is_empty());
    let id = own.unwrap_or_else(|| find_or_create_material(document, &material, &sharing));
    let is_there = document.materials.contains_key(&id);
    let name = if is_there { name.to_owned() } else { document.unique_material_name(name, None) };
    document.materials.insert(id, Material { name, ..material });
    for (chains, material) in [(sharing, Some(id)), (others, None)] {
        for chain in chains {
            document.chains.entry(chain).and_modify(|chain| chain.material = material);
        }
    }
}

/// Returns the material with that name if its values are equal, or if no other chain uses it. Otherwise returns a new
/// material, because chains that the file does not contain keep their values.
fn find_or_create_material(document: &Document, material: &Material, sharing: &[ChainId]) -> MaterialId {
    let fits = |(id, old): &(&MaterialId, &Material)| {
        let only_these = || document.chains_with_material(**id).all(|(chain, _)| sharing.contains(&chain));
        old.name == material.name && old.solver == material.solver && (old.values == material.values || only_these())
    };
    document.materials.iter().find(fits).map_or_else(|| document.next_material_id(), |(id, _)| *id)
}

/// Updates the materials of chains whose joints changed since `before`. If all overrides of a parameter equal the
/// material's value, the overrides are removed. Otherwise the chain loses the material. `places` returns the curve
/// positions of a chain's joints.
pub(super) fn update_material_links(
    before: &Document,
    after: &mut Document,
    places: impl Fn(&Document, ChainId) -> Vec<f32>,
) {
    let has_changed = |(id, chain): &(&ChainId, &crate::document::Chain)| {
        chain.material.is_some() && before.chains.get(id).is_some_and(|old| old.joints != chain.joints)
    };
    let changed: BTreeSet<ChainId> = after.chains.iter().filter(has_changed).map(|(id, _)| *id).collect();
    for id in changed {
        let at = places(after, id);
        let Setup { chains, materials, .. } = &mut after.setup;
        let Some(chain) = chains.get_mut(&id) else { continue };
        let Some(material) = chain.material.and_then(|id| materials.get(&id)) else { continue };
        for param in material
            .values
            .keys()
            .filter(|param| chain.is_overridden_by_all_joints(**param))
            .copied()
            .collect::<Vec<_>>()
        {
            let fits = |(joint, place): (usize, &f32)| {
                let shared = chain.value_at(param, *place);
                (chain.joint_value(joint, param, *place) - shared).abs() <= RELATIVE_TOLERANCE * shared.abs()
            };
            if at.iter().enumerate().all(fits) {
                chain.joints.iter_mut().for_each(|joint| _ = joint.overrides.remove(&param));
            } else {
                chain.material = None;
            }
        }
    }
}
