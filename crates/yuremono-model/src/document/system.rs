use crate::document::naming::{ById, FileNaming, Naming};
use crate::document::{ComponentLists, Node};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use yuremono_sim::params::{ParamDef, ParamId, ParamSet};
use yuremono_sim::{Improvements, SolverKind};

/// One solver with one set of system values for all of its chains. A system corresponds to one manager or component in
/// the game engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(bound = "N: FileNaming", rename = "System")]
#[serde(bound = "N: FileNaming", deny_unknown_fields)]
pub struct System<N: Naming = ById> {
    /// The name in lists. If it is empty, lists show the name of the solver.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The solver.
    #[serde(default)]
    pub solver: SolverKind,
    /// One value per parameter of the solver. Values of joint scope are ignored.
    #[serde(default)]
    pub values: N::SystemValues,
    /// The node of the component, for solvers that measure the motion or scale of that node. The default is the parent
    /// of the first root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub component: Option<N::Node>,
    /// Component lists of this system's solver. In an exchange file, a system without them leaves the lists of the
    /// character unchanged.
    #[serde(default, skip_serializing_if = "ComponentLists::is_none")]
    pub component_lists: ComponentLists<N::Node, N::Bone, N::Collider>,
}

impl System {
    pub fn with_solver(solver: SolverKind) -> Self {
        let values = ParamSet::defaults(solver.info().params);
        Self { name: String::new(), solver, values, component: None, component_lists: ComponentLists::empty(solver) }
    }

    /// Whether the systems differ only in the name and in component-list values that a running world can reload.
    pub(crate) fn allows_live_update(&self, other: &Self) -> bool {
        let all = |own: &Self| (own.solver, own.component);
        all(self) == all(other)
            && self.values == other.values
            && self.component_lists.allows_live_update(&other.component_lists)
    }

    pub fn param_defs(&self) -> &'static [ParamDef] {
        self.solver.info().params
    }

    pub fn def(&self, param: ParamId) -> &'static ParamDef {
        &self.param_defs()[param.index()]
    }

    pub fn get(&self, param: ParamId) -> f32 {
        self.values.get(param)
    }

    /// Every node that the system refers to.
    pub fn referenced_nodes(&self) -> impl Iterator<Item = Node> {
        self.component.into_iter().chain(self.component_lists.referenced_nodes())
    }

    /// Whether the improved mode is on. Otherwise the Unity-accurate mode is on.
    pub fn is_improved(&self) -> bool {
        self.improvements().is_some()
    }

    /// The improvements of the solver, if the improved mode is on.
    pub fn improvements(&self) -> Option<Improvements> {
        self.solver.info().improvements.filter(|improvements| self.get(improvements.mode) >= 0.5)
    }

    /// Whether helpers on a bone are treated as its children when a tip is derived, as in Unity. Pivots are never
    /// treated as children.
    pub fn helpers_count_as_children(&self) -> bool {
        self.solver.info().counts_helper_nodes && !self.is_improved()
    }
}
