//! Materials: numbers that several chains share and that are edited once.
//!
//! Some engines keep part of a chain's numbers in an asset of its own, which many components name. Which rows these are
//! says the solver, see [`SolverInfo::material`](crate::sim::SolverInfo::material_params).

use crate::document::{Chain, ChainId, ChainValue, Document, Edit, Material, MaterialId};
use crate::document::{param_edits::existing_chains, param_edits::fit_chain_at};
use crate::params::ParamId;
use crate::rig::Skeleton;
use std::collections::BTreeMap;

/// Chains with a material, or with none; those of other solvers than the material's stay as they are. Joints keep values
/// of their own, but where all joints of a chain have one, as an import writes them, they follow the material.
pub fn assign(document: &Document, chains: &[ChainId], material: Option<MaterialId>) -> Edit {
    let solver = material.and_then(|id| document.materials.get(&id)).map(|material| material.solver);
    let fits = |chain: &Chain| solver.is_none_or(|solver| document.solver_of(chain) == solver);
    let mut edits = Vec::new();
    for (id, chain) in existing_chains(document, chains).filter(|(_, chain)| fits(chain)) {
        edits.push(Edit::SetMaterial { chain: id, material });
        if material.is_some() {
            edits.extend(clear_overrides(document, id, chain));
        }
    }
    Edit::Batch(edits)
}

/// A new material with the numbers of a chain, for this and other chains of its solver; `None` where its solver has no
/// materials. Joints that have a value each are fitted first, as tuning does.
pub fn create(
    document: &Document,
    skeleton: &Skeleton,
    from: ChainId,
    chains: &[ChainId],
    name: &str,
) -> Option<(MaterialId, Edit)> {
    let chain = document.chains.get(&from)?;
    let solver = document.solver_of(chain);
    let rows = solver.info().material_params;
    if rows.is_empty() {
        return None;
    }
    let id = document.next_material_id();
    let mut material = Material::from_chain(document.unique_material_name(name, None), solver, chain);
    let mut edits = Vec::new();
    if rows.iter().any(|row| chain.all_joints_override(*row)) {
        let places = document.curve_positions(chain, skeleton);
        for row in rows {
            let Some(fitted) = fit_chain_at(chain, &places, *row) else { continue };
            let value = ChainValue { base: fitted.base, curve: fitted.curve.clone() };
            material.values.insert(*row, value);
            edits.extend(fitted.clear_matching_overrides((from, chain), &places, *row));
        }
    }
    edits.push(Edit::PutMaterial { id, material: Some(Box::new(material)) });
    edits.push(Edit::SetMaterial { chain: from, material: Some(id) });
    let others = existing_chains(document, chains)
        .filter(|(other, chain)| *other != from && document.solver_of(chain) == solver);
    for (other, chain) in others {
        edits.push(Edit::SetMaterial { chain: other, material: Some(id) });
        edits.extend(clear_overrides(document, other, chain));
    }
    Some((id, Edit::Batch(edits)))
}

/// Lets joints follow the chain in rows where every one has a value of its own.
fn clear_overrides(document: &Document, id: ChainId, chain: &Chain) -> Vec<Edit> {
    let rows = document.solver_of(chain).info().material_params.iter().filter(|row| chain.all_joints_override(**row));
    let own = |row: &ParamId| {
        let row = *row;
        chain.joints.iter().map(move |joint| Edit::SetOverride { chain: id, bone: joint.bone, row, value: None })
    };
    rows.flat_map(own).collect()
}

/// Of edits that were worked out chain by chain, for each number of a material those of the first chain that writes it:
/// the others that have it follow, and keep the joints' own values that they have.
pub(crate) fn without_duplicate_writes(document: &Document, mut edits: Vec<Edit>) -> Vec<Edit> {
    let mut writers = BTreeMap::new();
    for edit in &edits {
        if let Edit::SetBaseValue { chain, row, .. } | Edit::SetCurve { chain, row, .. } = edit
            && let Some(material) = document.material_with_param(*chain, *row)
        {
            writers.entry((material, *row)).or_insert(*chain);
        }
    }
    edits.retain(|edit| match edit {
        Edit::SetBaseValue { chain, row, .. }
        | Edit::SetCurve { chain, row, .. }
        | Edit::SetOverride { chain, row, .. } => {
            let writer = document.material_with_param(*chain, *row).and_then(|material| writers.get(&(material, *row)));
            writer.is_none_or(|writer| writer == chain)
        }
        _ => true,
    });
    edits
}
