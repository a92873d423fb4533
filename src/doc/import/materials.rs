//! Materials that rows of a table name: which chains share one, and which have left theirs.

use crate::doc::{ChainId, Document, Material, MaterialId, Setup};
use std::collections::{BTreeMap, BTreeSet};

/// Lets chains share the materials that rows name: `(row, chain, name)`. Of one name the chains with the numbers of the
/// first share; a chain with other numbers keeps them for itself. Of several rows for a chain the last counts. For each
/// row whether anything changed.
pub(super) fn share(document: &mut Document, named: &[(usize, ChainId, &str)]) -> Vec<(usize, bool)> {
    let last: BTreeMap<ChainId, usize> = named.iter().map(|(at, chain, _)| (*chain, *at)).collect();
    let counts = |at: usize, chain: ChainId| last.get(&chain) == Some(&at);
    let mut by_name: BTreeMap<&str, Vec<ChainId>> = BTreeMap::new();
    for (_, chain, name) in named.iter().filter(|(at, chain, _)| counts(*at, *chain)) {
        by_name.entry(name).or_default().push(*chain);
    }
    let before: BTreeMap<ChainId, Option<String>> = last.keys().map(|id| (*id, material_name(document, *id))).collect();
    for (name, chains) in by_name {
        take(document, name, &chains);
    }
    let changed = |id: &ChainId| before.get(id) != Some(&material_name(document, *id));
    named.iter().map(|(at, id, _)| (*at, counts(*at, *id) && changed(id))).collect()
}

/// Name of the material whose numbers a chain really has.
fn material_name(document: &Document, id: ChainId) -> Option<String> {
    let chain = document.chains.get(&id)?;
    document.material_of(chain).filter(|material| material.agrees(chain)).map(|material| material.name.clone())
}

fn take(document: &mut Document, name: &str, chains: &[ChainId]) {
    // Two materials of one name both stay as they are, if their chains do.
    let is_settled = |id: &&ChainId| material_name(document, **id).as_deref() == Some(name);
    let (settled, open): (Vec<ChainId>, Vec<ChainId>) = chains.iter().partition(is_settled);
    let Some(first) = settled.first().or(open.first()).and_then(|id| document.chains.get(id)) else { return };
    let solver = document.solver_of(first);
    if solver.info().material.is_empty() || open.is_empty() {
        return;
    }
    let material = Material::of_chain(name, solver, first);
    let (sharing, others): (Vec<ChainId>, Vec<ChainId>) =
        open.iter().partition(|id| document.chains.get(id).is_some_and(|chain| material.agrees(chain)));
    let id = first.material.filter(|_| !settled.is_empty()).unwrap_or_else(|| place(document, &material, &sharing));
    let is_there = document.materials.contains_key(&id);
    let name = if is_there { name.to_owned() } else { document.free_material_name(name, None) };
    document.materials.insert(id, Material { name, ..material });
    for (chains, material) in [(sharing, Some(id)), (others, None)] {
        for chain in chains {
            document.chains.entry(chain).and_modify(|chain| chain.material = material);
        }
    }
}

/// The material of that name, if it has these numbers or if nobody else has it; otherwise a new one: chains that the
/// table says nothing of keep theirs, also those that are out of its sight.
fn place(document: &Document, material: &Material, sharing: &[ChainId]) -> MaterialId {
    let fits = |(id, old): &(&MaterialId, &Material)| {
        let nobody_else = || {
            let is_away = document.away.values().any(|away| away == *id);
            !is_away && document.sharing(**id).all(|(chain, _)| sharing.contains(&chain))
        };
        old.name == material.name && old.solver == material.solver && (old.values == material.values || nobody_else())
    };
    document.materials.iter().find(fits).map_or_else(|| document.fresh_material(), |(id, _)| *id)
}

/// After rows gave joints values of their own: a chain whose joints have what its material says follows it, and one where
/// every joint has another value has left it. Chains whose joints are as they were are not looked at.
pub(super) fn settle(before: &Document, after: &mut Document, places: impl Fn(&Document, ChainId) -> Vec<f32>) {
    let changed: BTreeSet<ChainId> = after
        .chains
        .iter()
        .filter(|(id, chain)| {
            chain.material.is_some() && before.chains.get(id).is_some_and(|was| was.joints != chain.joints)
        })
        .map(|(id, _)| *id)
        .collect();
    for id in changed {
        let at = places(after, id);
        let Setup { chains, materials, .. } = &mut after.setup;
        let Some(chain) = chains.get_mut(&id) else { continue };
        let Some(material) = chain.material.and_then(|id| materials.get(&id)) else { continue };
        for row in material.values.keys().filter(|row| chain.is_exact(**row)).copied().collect::<Vec<_>>() {
            let fits = |(joint, place): (usize, &f32)| {
                let shared = chain.shared(row, *place);
                (chain.value(joint, row, *place) - shared).abs() <= NEAR * shared.abs()
            };
            if at.iter().enumerate().all(fits) {
                chain.joints.iter_mut().for_each(|joint| _ = joint.own.remove(&row));
            } else {
                chain.material = None;
            }
        }
    }
}

/// Numbers that differ by less than this share are the same, written with fewer digits.
const NEAR: f32 = 1e-6;
