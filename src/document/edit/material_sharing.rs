//! What chains share with each other through materials.
//!
//! A chain that has a material holds a copy of its numbers, so that whoever reads a chain need not know of materials.
//! Whatever writes such a number writes all copies.

use super::{ApplyResult, Edit, EditError, Invalidation, insert_or_remove};
use crate::document::{Chain, ChainId, ChainValue, Document, Material, MaterialId, Setup};
use crate::params::ParamId;
use std::collections::BTreeMap;

/// A chain with other numbers than its material's has left it.
pub(super) fn unassign_differing_material(materials: &BTreeMap<MaterialId, Material>, chain: &mut Chain) {
    match chain.material.and_then(|id| materials.get(&id)) {
        // Its very bits: -0 is 0.
        Some(material) if material.matches_chain(chain) => material.apply_to_chain(chain),
        _ => chain.material = None,
    }
}

impl Document {
    /// All places where a chain's number stands: in the chain alone, or in its material and every chain that has it.
    pub(super) fn chain_values_mut(&mut self, id: ChainId, row: ParamId) -> Result<Vec<&mut ChainValue>, EditError> {
        let Some(shared) = self.material_with_param(id, row) else {
            return Ok(vec![&mut self.chain_mut(id)?.values[row.index()]]);
        };
        let Setup { chains, materials, .. } = &mut self.setup;
        let own = materials.get_mut(&shared).and_then(|material| material.values.get_mut(&row));
        let chains = chains.values_mut().filter(|chain| chain.material == Some(shared));
        Ok(own.into_iter().chain(chains.map(|chain| &mut chain.values[row.index()])).collect())
    }

    pub(super) fn put_material(&mut self, id: MaterialId, material: Option<Material>) -> ApplyResult {
        let sharing: Vec<ChainId> = self.chains_with_material(id).map(|(chain, _)| chain).collect();
        let Some(material) = material else { return Ok(self.remove_material(id, sharing)) };
        Self::check_material(&material)?;
        if !sharing.is_empty() && self.materials.get(&id).is_some_and(|old| old.solver != material.solver) {
            return Err(EditError::NoSuchMaterial(id.0));
        }
        self.chains
            .values_mut()
            .filter(|chain| chain.material == Some(id))
            .for_each(|chain| material.apply_to_chain(chain));
        let renamed = self.materials.get(&id).is_some_and(|old| old.values == material.values);
        let touched = if sharing.is_empty() || renamed { Invalidation::Nothing } else { Invalidation::Params };
        let material = insert_or_remove(&mut self.materials, id, Some(material)).map(Box::new);
        Ok((Edit::PutMaterial { id, material }, touched))
    }

    /// Chains keep the numbers.
    fn remove_material(&mut self, id: MaterialId, sharing: Vec<ChainId>) -> (Edit, Invalidation) {
        let material = self.materials.remove(&id).map(Box::new);
        let back = Edit::PutMaterial { id, material };
        if sharing.is_empty() {
            return (back, Invalidation::Nothing);
        }
        let left = sharing.into_iter().map(|chain| {
            self.chains.entry(chain).and_modify(|chain| chain.material = None);
            Edit::SetMaterial { chain, material: Some(id) }
        });
        (Edit::Batch(std::iter::once(back).chain(left).collect()), Invalidation::Nothing)
    }

    pub(super) fn set_material(&mut self, id: ChainId, to: Option<MaterialId>) -> ApplyResult {
        let chain = self.chains.get(&id).ok_or(EditError::NoSuchChain(id.0))?;
        let material = to.map(|to| self.check_material_assignment(chain, to).cloned()).transpose()?;
        let chain = self.chain_mut(id)?;
        let was = std::mem::replace(&mut chain.material, to);
        let leave = Edit::SetMaterial { chain: id, material: was };
        let Some(material) = material else { return Ok((leave, Invalidation::Nothing)) };
        let old: Vec<(ParamId, ChainValue)> =
            material.values.keys().map(|row| (*row, chain.values[row.index()].clone())).collect();
        material.apply_to_chain(chain);
        if was.is_some() {
            return Ok((leave, Invalidation::Params));
        }
        // Its own numbers stand nowhere else.
        let own = old.into_iter().flat_map(|(row, ChainValue { base, curve })| {
            [Edit::SetBaseValue { chain: id, row, value: base }, Edit::SetCurve { chain: id, row, curve }]
        });
        Ok((Edit::Batch(std::iter::once(leave).chain(own).collect()), Invalidation::Params))
    }
}
