//! Edits of materials: values that several chains share.
//!
//! Some solvers, such as `EZSoftBone`, store part of a chain's values in an asset that many components refer to.
//! [`SolverInfo::material_params`](crate::sim::SolverInfo::material_params) lists these parameters.

use crate::document::{Chain, ChainId, ChainValue, Document, Edit, Material, MaterialId};
use crate::document::{param_edits::existing_chains, param_edits::fit_chain_at};
use crate::params::ParamId;
use crate::rig::Skeleton;
use std::collections::BTreeMap;

/// Assigns a material to chains of its solver, or unassigns it. Overrides are kept, unless all joints of a chain
/// override a parameter, for example after an import.
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

/// Creates a material with the values of a chain and assigns it to this chain and to other chains of its solver.
/// Returns `None` if the solver has no materials. Overrides on all joints are first fitted to a curve.
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
    if rows.iter().any(|row| chain.is_overridden_by_all_joints(*row)) {
        let positions = document.curve_positions(chain, skeleton);
        for row in rows {
            let Some(fitted) = fit_chain_at(chain, &positions, *row) else { continue };
            let value = ChainValue { base: fitted.base, curve: fitted.curve.clone() };
            material.values.insert(*row, value);
            edits.extend(fitted.clear_matching_overrides((from, chain), &positions, *row));
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

/// Clears the parameters that every joint overrides.
fn clear_overrides(document: &Document, id: ChainId, chain: &Chain) -> Vec<Edit> {
    let rows =
        document.solver_of(chain).info().material_params.iter().filter(|row| chain.is_overridden_by_all_joints(**row));
    let own = |row: &ParamId| {
        let row = *row;
        chain.joints.iter().map(move |joint| Edit::SetOverride { chain: id, bone: joint.bone, row, value: None })
    };
    rows.flat_map(own).collect()
}

/// Keeps only the edits of the first chain that writes a value of a material. The edits were computed chain by chain.
/// Other chains of the material keep their overrides.
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
