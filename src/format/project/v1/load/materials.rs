//! Materials, and which chains have them.

use super::super::Material;
use super::{Load, doc};
use crate::doc::{Edit, MaterialId};
use crate::report::clip;
use crate::schema::{Row, find_row};
use crate::sim::SolverKind;
use std::collections::BTreeMap;

impl Load<'_> {
    pub(super) fn material(&mut self, saved: Material, at: &str) {
        let id = MaterialId(saved.id);
        let Some(solver) = SolverKind::named(&saved.solver) else {
            self.warn(at, format!("solver \"{}\" is not known; left out", clip(&saved.solver)));
            return;
        };
        if !self.may_be(saved.id, self.document.materials.contains_key(&id), at) {
            return;
        }
        let (table, rows) = (solver.info().params, solver.info().material);
        let stock = |row: &Row| (*row, doc::Authored { base: table[row.index()].default, curve: None });
        let mut values: BTreeMap<Row, doc::Authored> = rows.iter().map(stock).collect();
        for (name, value) in saved.values {
            match find_row(table, &name).filter(|row| rows.contains(row)) {
                Some(row) => _ = values.insert(row, self.authored(&name, &value, at)),
                None => self.warn(at, format!("parameter \"{}\" is not known; left out", clip(&name))),
            }
        }
        let material = doc::Material { name: saved.name, solver, values };
        self.apply(Edit::PutMaterial { id, material: Some(Box::new(material)) }, at);
    }

    /// The material that a chain names, where it is there and the chain has its numbers.
    pub(super) fn material_for(&mut self, chain: &doc::Chain, id: MaterialId, at: &str) -> Option<MaterialId> {
        let solver = self.document.solver_of(chain);
        let why = match self.document.materials.get(&id) {
            Some(material) if material.solver == solver && material.agrees(chain) => return Some(id),
            Some(material) if material.solver != solver => {
                format!("material \"{}\" is of {}", clip(&material.name), material.solver.key())
            }
            Some(material) => format!("the numbers are not those of material \"{}\"", clip(&material.name)),
            None => format!("there is no material {}", id.0),
        };
        self.warn(at, format!("{why}; chain \"{}\" shares none", clip(&chain.name)));
        None
    }
}
