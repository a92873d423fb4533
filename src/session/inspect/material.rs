//! Materials: which one the tuned chains have, and who else is changed with a number.

use super::Session;
use crate::doc::{ChainId, Edit, Label, Material, MaterialId, material};
use crate::schema::Row;
use std::collections::BTreeSet;

/// A material that the tuned chains could have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MaterialChoice {
    /// Which.
    pub id: MaterialId,
    /// As it goes into files.
    pub name: String,
    /// How many chains of the character have it.
    pub chains: usize,
}

/// The material of the tuned chains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaterialState {
    /// This one, or numbers of their own.
    Same(Option<MaterialId>),
    /// Chains differ.
    Mixed,
}

/// Whose number a row is, where a material holds it for some tuned chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shared {
    /// Name of the material; of several the first.
    pub material: String,
    /// Names of all chains that change with it, tuned ones too.
    pub chains: Vec<String>,
}

impl Session {
    /// Whether materials of the tuned system's solver hold a row.
    pub fn is_of_material(&self, row: Row) -> bool {
        self.system().solver.info().material.contains(&row)
    }

    /// The materials that the tuned chains could have.
    pub fn materials(&self) -> Vec<MaterialChoice> {
        let solver = self.system().solver;
        let own = self.document.materials.iter().filter(|(_, material)| material.solver == solver);
        let choice = |(id, material): (&MaterialId, &Material)| MaterialChoice {
            id: *id,
            name: material.name.clone(),
            chains: self.document.sharing(*id).count(),
        };
        own.map(choice).collect()
    }

    /// The material of the tuned chains; `None` where nothing is tuned.
    pub fn material(&self) -> Option<MaterialState> {
        let chains = self.target_chains();
        let mut all = chains.iter().map(|id| self.document.chains[id].material);
        let first = all.next()?;
        Some(if all.all(|id| id == first) { MaterialState::Same(first) } else { MaterialState::Mixed })
    }

    /// What gives all tuned chains a material, or lets each keep its numbers for itself.
    pub fn set_material(&self, id: Option<MaterialId>) -> Option<(Edit, Label)> {
        let mut chains = self.target_chains();
        chains.retain(|chain| self.document.chains[chain].material != id);
        let name = id.map_or(Some(""), |id| self.document.materials.get(&id).map(|material| material.name.as_str()))?;
        let label = match id {
            Some(_) => Label::new("material", chains.len()),
            None => Label::new("no_material", chains.len()).lets_go(),
        };
        let label = label.name(name);
        (!chains.is_empty()).then(|| (material::give(&self.document, &chains, id), label))
    }

    /// What makes a material of the active chain's numbers for all tuned chains; its name is that of the chain.
    pub fn new_material(&self) -> Option<(Edit, Label)> {
        let chains = self.target_chains();
        let active = self.active_chain().filter(|id| chains.contains(id)).or_else(|| chains.first().copied())?;
        let name = self.document.free_material_name(&self.document.chains[&active].name, None);
        let (_, edit) = material::make(&self.document, &self.character.skeleton, active, &chains, &name)?;
        Some((edit, Label::new("new_material", chains.len()).name(name)))
    }

    /// What gives a material another name; `None` where it has that one.
    pub fn rename_material(&self, id: MaterialId, name: &str) -> Option<(Edit, Label)> {
        let old = self.document.materials.get(&id)?;
        let name = self.document.free_material_name(name.trim(), Some(id));
        if name.is_empty() || name == old.name {
            return None;
        }
        let material = Material { name: name.clone(), ..old.clone() };
        let edit = Edit::PutMaterial { id, material: Some(Box::new(material)) };
        Some((edit, Label::new("rename_material", 1).name(name)))
    }

    /// What removes a material; its chains keep the numbers.
    pub fn remove_material(&self, id: MaterialId) -> Option<(Edit, Label)> {
        let name = &self.document.materials.get(&id)?.name;
        Some((Edit::PutMaterial { id, material: None }, Label::new("remove_material", 1).name(name)))
    }

    /// Who changes with a row of the tuned chains; `None` where no material holds it. Joints that are tuned alone have
    /// values of their own.
    pub fn shared_by(&self, row: Row) -> Option<Shared> {
        let holders = self.targets().chains.into_iter().filter_map(|id| self.document.holder(id, row));
        let holders: BTreeSet<MaterialId> = holders.collect();
        let material = self.document.materials.get(holders.first()?)?.name.clone();
        let has = |id: &Option<MaterialId>| id.is_some_and(|id| holders.contains(&id));
        let chains = self.document.chains.values().filter(|chain| has(&chain.material));
        Some(Shared { material, chains: chains.map(|chain| chain.name.clone()).collect() })
    }

    /// The chains whose numbers are those of a material.
    pub(in crate::session) fn sharers(&self) -> Vec<(ChainId, MaterialId)> {
        self.document.chains.iter().filter_map(|(id, chain)| Some((*id, chain.material?))).collect()
    }

    /// Of chains that shared a material before, the first that has numbers of its own now though the material is still
    /// there and of its solver; the material's name, and how many more did so.
    pub(in crate::session) fn left_material(
        &self,
        before: &[(ChainId, MaterialId)],
    ) -> Option<(String, String, usize)> {
        let left = |(id, material): &(ChainId, MaterialId)| {
            let chain = self.document.chains.get(id).filter(|chain| chain.material.is_none())?;
            let material = self.document.materials.get(material)?;
            (material.solver == self.document.solver_of(chain)).then(|| (material.name.clone(), chain.name.clone()))
        };
        let mut all = before.iter().filter_map(left);
        let (material, chain) = all.next()?;
        Some((material, chain, all.count()))
    }
}
