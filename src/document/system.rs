use crate::document::naming::{ById, FileNaming, Naming};
use crate::document::{Extras, Node};
use crate::schema::{ParamDef, ParamSet, Row};
use crate::sim::{Improvements, SolverKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One solver with one set of per-character values, for all chains that name it: what an engine has as one manager or
/// component.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(bound = "N: FileNaming", rename = "System")]
#[serde(bound = "N: FileNaming", deny_unknown_fields)]
pub struct System<N: Naming = ById> {
    /// Shown in lists; empty for the solver's own name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// How its chains move.
    #[serde(default)]
    pub solver: SolverKind,
    /// One per row of the solver's table; rows of joint scope are not read.
    #[serde(default)]
    pub values: N::SystemValues,
    /// The node that the engine's component sits on, for solvers that measure its motion or scale; the parent of the
    /// first root where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub component: Option<N::Node>,
    /// Component lists of this system's solver. In an exchange file, a system without them leaves the lists of the
    /// character unchanged.
    #[serde(default, skip_serializing_if = "Extras::is_none")]
    pub extras: Extras<N::Node, N::Bone, N::Collider>,
}

impl System {
    /// With the engine's defaults.
    pub fn under(solver: SolverKind) -> Self {
        let values = ParamSet::defaults(solver.info().params);
        Self { name: String::new(), solver, values, component: None, extras: Extras::under(solver) }
    }

    /// Whether nothing but numbers of lists, or the name, differs that a running world reads again.
    pub(crate) fn is_retuned(&self, other: &Self) -> bool {
        let all = |own: &Self| (own.solver, own.component);
        all(self) == all(other) && self.values == other.values && self.extras.is_retuned(&other.extras)
    }

    /// The solver's table.
    pub fn table(&self) -> &'static [ParamDef] {
        self.solver.info().params
    }

    /// One row of the solver's table.
    pub fn def(&self, row: Row) -> &'static ParamDef {
        &self.table()[row.index()]
    }

    /// A value of the whole system.
    pub fn get(&self, row: Row) -> f32 {
        self.values.get(row)
    }

    /// Every node that it names.
    pub fn nodes(&self) -> impl Iterator<Item = Node> {
        self.component.into_iter().chain(self.extras.nodes())
    }

    /// Whether it runs in the better way, not as the engine does it.
    pub fn is_improved(&self) -> bool {
        self.improvements().is_some()
    }

    /// The solver's improvements, where the system runs with them.
    pub fn improvements(&self) -> Option<Improvements> {
        self.solver.info().improvements.filter(|improvements| self.get(improvements.mode) >= 0.5)
    }

    /// Whether nodes that hang on a bone count among its children when a tip is derived, as Unity does it; pivots never
    /// do.
    pub fn counts_helpers(&self) -> bool {
        self.solver.info().counts_helpers && !self.is_improved()
    }
}
