use crate::document::naming::{ById, FileNaming, Naming};
use crate::document::{ComponentLists, Node};
use crate::params::{ParamDef, ParamId, ParamSet};
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
    #[serde(default, skip_serializing_if = "ComponentLists::is_none")]
    pub component_lists: ComponentLists<N::Node, N::Bone, N::Collider>,
}

impl System {
    /// With the engine's defaults.
    pub fn with_solver(solver: SolverKind) -> Self {
        let values = ParamSet::defaults(solver.info().params);
        Self {
            name: String::new(),
            solver,
            values,
            component: None,
            component_lists: ComponentLists::for_solver(solver),
        }
    }

    /// Whether nothing but numbers of lists, or the name, differs that a running world reads again.
    pub(crate) fn allows_live_update(&self, other: &Self) -> bool {
        let all = |own: &Self| (own.solver, own.component);
        all(self) == all(other)
            && self.values == other.values
            && self.component_lists.allows_live_update(&other.component_lists)
    }

    /// The solver's table.
    pub fn param_defs(&self) -> &'static [ParamDef] {
        self.solver.info().params
    }

    /// One row of the solver's table.
    pub fn def(&self, row: ParamId) -> &'static ParamDef {
        &self.param_defs()[row.index()]
    }

    /// A value of the whole system.
    pub fn get(&self, row: ParamId) -> f32 {
        self.values.get(row)
    }

    /// Every node that it names.
    pub fn referenced_nodes(&self) -> impl Iterator<Item = Node> {
        self.component.into_iter().chain(self.component_lists.referenced_nodes())
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
    pub fn helpers_count_as_children(&self) -> bool {
        self.solver.info().counts_helper_nodes && !self.is_improved()
    }
}
