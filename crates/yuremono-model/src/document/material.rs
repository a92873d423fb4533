//! Edits of materials, whose values several chains share.
//!
//! Some solvers, such as `EZSoftBone`, store part of a chain's values in an asset to which many components refer.
//! [`SolverInfo::material_params`](yuremono_sim::SolverInfo::material_params) lists these parameters.

use crate::document::{Chain, ChainId, ChainValue, Document, Edit, Material, MaterialId};
use crate::document::{param_edits::existing_chains, param_edits::fit_chain_at};
use std::collections::BTreeMap;
use yuremono_sim::params::ParamId;
use yuremono_sim::rig::Skeleton;

/// Assigns a material to the chains of its solver, or unassigns the material. Assigning clears the overrides of
/// parameters that all joints of a chain override, for example after an import. Other overrides are kept.
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

/// Creates a material with the values of a chain, and assigns the material to this chain and to other chains of the
/// same solver. A curve is first fitted to overrides on all joints. Returns `None` if the solver has no materials.
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
    if rows.iter().any(|param| chain.is_overridden_by_all_joints(*param)) {
        let positions = document.curve_positions(chain, skeleton);
        for param in rows {
            let Some(fitted) = fit_chain_at(chain, &positions, *param) else { continue };
            let value = ChainValue::new(fitted.base, fitted.curve.clone());
            material.values.insert(*param, value);
            edits.extend(fitted.clear_matching_overrides(from, chain, &positions, *param));
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

/// Clears the overrides of material parameters that every joint overrides.
fn clear_overrides(document: &Document, id: ChainId, chain: &Chain) -> Vec<Edit> {
    let rows = document
        .solver_of(chain)
        .info()
        .material_params
        .iter()
        .filter(|param| chain.is_overridden_by_all_joints(**param));
    let own = |param: &ParamId| {
        let param = *param;
        chain.joints.iter().map(move |joint| Edit::SetOverride { chain: id, bone: joint.bone, param, value: None })
    };
    rows.flat_map(own).collect()
}

/// Filters edits that were computed chain by chain. If several chains write a value of one material, only the edits of
/// the first chain are kept, and the other chains keep their overrides.
pub(crate) fn without_duplicate_writes(document: &Document, mut edits: Vec<Edit>) -> Vec<Edit> {
    let mut writers = BTreeMap::new();
    for edit in &edits {
        if let Edit::SetBaseValue { chain, param, .. } | Edit::SetCurve { chain, param, .. } = edit
            && let Some(material) = document.material_with_param(*chain, *param)
        {
            writers.entry((material, *param)).or_insert(*chain);
        }
    }
    edits.retain(|edit| match edit {
        Edit::SetBaseValue { chain, param, .. }
        | Edit::SetCurve { chain, param, .. }
        | Edit::SetOverride { chain, param, .. } => {
            let writer =
                document.material_with_param(*chain, *param).and_then(|material| writers.get(&(material, *param)));
            writer.is_none_or(|writer| writer == chain)
        }
        _ => true,
    });
    edits
}
