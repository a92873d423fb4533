//! What the inspector shows of a parameter: one value or several, changed or not, and its curve.

use super::Session;
use crate::doc::tune::{Targets, fit_at, joint_value};
use crate::doc::{ChainId, Document};
use crate::math::Curve;
use crate::schema::{ParamDef, Row, Scope};

/// One value, or the span of several.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Values {
    /// Nothing is tuned.
    None,
    /// All targets agree.
    Same(f32),
    /// They do not.
    Mixed {
        /// Least.
        low: f32,
        /// Greatest.
        high: f32,
    },
}

impl Values {
    fn of(values: impl Iterator<Item = f32>) -> Self {
        values.fold(Self::None, |all, value| match all {
            Self::None => Self::Same(value),
            Self::Same(same) if same == value => all,
            Self::Same(same) => Self::Mixed { low: same.min(value), high: same.max(value) },
            Self::Mixed { low, high } => Self::Mixed { low: low.min(value), high: high.max(value) },
        })
    }
}

/// A parameter as the inspector shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct RowView {
    /// Which.
    pub row: Row,
    /// Its table row.
    pub def: &'static ParamDef,
    /// Base values of chains, or the values of joints.
    pub values: Values,
    /// Differs from the value as loaded.
    pub changed: bool,
    /// At least one joint, but not all of a chain, has a value of its own.
    pub overridden: bool,
    /// The curve that all target chains share; `None` for level or differing ones.
    pub curve: Option<Curve>,
    /// Some target chain has a curve.
    pub curved: bool,
}

impl Session {
    /// A row of joint scope for the current targets, or of system scope for the character.
    pub fn row_view(&self, row: Row) -> RowView {
        let def = self.document.def(row);
        if def.scope == Scope::System {
            let value = self.document.system.get(row);
            let changed = value != self.loaded.system.get(row);
            return RowView {
                row,
                def,
                values: Values::Same(value),
                changed,
                overridden: false,
                curve: None,
                curved: false,
            };
        }
        let targets = self.targets();
        let chains: Vec<_> = targets.chains.iter().map(|id| (*id, &self.document.chains[id])).collect();
        let skeleton = &self.character.skeleton;
        let whole = chains.iter().map(|(id, chain)| match fit_at(chain, &self.resolved.places[id], row) {
            Some(fitted) => fitted.base,
            None => chain.values[row.index()].base,
        });
        let single =
            targets.joints.iter().filter_map(|(chain, bone)| joint_value(&self.document, skeleton, *chain, *bone, row));
        let values = Values::of(whole.chain(single));
        let mut curves = targets.chains.iter().map(|id| self.curve_of(*id, row));
        let first = curves.next().flatten();
        let curve = curves.all(|c| c == first).then_some(first).flatten();
        RowView {
            row,
            def,
            values,
            changed: self.differs(&targets, row),
            overridden: chains
                .iter()
                .any(|(_, c)| !c.is_exact(row) && c.joints.iter().any(|j| j.own.contains_key(&row))),
            curved: targets.chains.iter().any(|id| self.curve_of(*id, row).is_some()),
            curve,
        }
    }

    /// A chain's curve, or the one that its imported values amount to.
    pub fn curve_of(&self, id: ChainId, row: Row) -> Option<Curve> {
        let chain = self.document.chains.get(&id)?;
        match fit_at(chain, &self.resolved.places[&id], row) {
            Some(fitted) => fitted.curve,
            None => chain.values[row.index()].curve.clone(),
        }
    }

    /// Place along the chain (0..=1) and number of each joint of a chain.
    pub fn joint_values(&self, id: ChainId, row: Row) -> Vec<(f32, f32)> {
        let Some(chain) = self.document.chains.get(&id) else { return Vec::new() };
        let places = &self.resolved.places[&id];
        places.iter().enumerate().map(|(i, t)| (*t, chain.value(i, row, *t))).collect()
    }

    fn differs(&self, targets: &Targets, row: Row) -> bool {
        let own = |document: &Document, chain, bone| {
            let chain = document.chains.get(chain)?;
            chain.position(bone).and_then(|at| chain.joints[at].own.get(&row).copied())
        };
        let chains = targets.chains.iter().any(|id| {
            let now = &self.document.chains[id];
            self.loaded.chains.get(id).is_some_and(|was| {
                now.values[row.index()] != was.values[row.index()]
                    || now.joints.iter().any(|j| {
                        was.position(j.bone).is_some() && j.own.get(&row).copied() != own(&self.loaded, id, j.bone)
                    })
            })
        });
        let joints =
            targets.joints.iter().any(|(id, bone)| own(&self.document, id, *bone) != own(&self.loaded, id, *bone));
        chains || joints
    }
}
