//! Binds the entries of a file, which refer to elements by name, to a document.

use super::MissingReference;
use super::name_resolver::NameResolver;
use super::node_placement::{Placement, flatten_helper, is_same_transform};
use crate::document::{ById, ByName, ChainValue, ColliderId, Document, Helper, HelperId, MapNaming, Node, NodeRef};
use std::collections::BTreeMap;
use yuremono_sim::SolverKind;
use yuremono_sim::math::JsonNumber;
use yuremono_sim::params::{ParamId, ParamScope, ParamSet, ValueMigration, find_param_or_former};
use yuremono_sim::rig::BoneId;

/// Converts names to ids and collects unresolved names.
///
/// A collider name resolves to the first collider with that name. An inline node becomes a helper, which
/// [`NameBinder::insert_new_helpers`] adds to the document.
pub(super) struct NameBinder<'n, 'a> {
    names: &'n NameResolver<'a>,
    colliders: BTreeMap<&'a str, ColliderId>,
    missing: Vec<MissingReference>,
    new_helpers: BTreeMap<HelperId, Helper>,
}

impl<'n, 'a> NameBinder<'n, 'a> {
    pub(super) fn new(names: &'n NameResolver<'a>) -> Self {
        let mut colliders = BTreeMap::new();
        for (id, collider) in &names.document().colliders {
            colliders.entry(collider.name.as_str()).or_insert(*id);
        }
        Self { names, colliders, missing: Vec::new(), new_helpers: BTreeMap::new() }
    }

    /// Among colliders with the same name, prefers a collider for which `is_meant` returns true.
    pub(super) fn prefer_colliders(mut self, is_meant: impl Fn(ColliderId) -> bool) -> Self {
        for (id, collider) in self.names.document().colliders.iter().rev().filter(|(id, _)| is_meant(**id)) {
            self.colliders.insert(collider.name.as_str(), *id);
        }
        self
    }

    /// Returns the names that were not resolved since the last call, in traversal order.
    pub(super) fn take_missing(&mut self) -> Vec<MissingReference> {
        std::mem::take(&mut self.missing)
    }

    pub(super) fn insert_new_helpers(self, document: &mut Document) {
        document.helpers.extend(self.new_helpers);
    }

    /// The helper that a file describes. An existing helper at the same place has priority, then a helper with the same
    /// name and parent, then a new helper.
    fn find_or_create_helper(&mut self, helper: Helper) -> Node {
        let Helper { name, parent, local, .. } = &helper;
        let document = self.names.document();
        let is_there = |(_, old): &(&HelperId, &Helper)| {
            let (above, at) = flatten_helper(document, old);
            old.name == *name && above == *parent && is_same_transform(&at, local)
        };
        if let Some((id, _)) = document.helpers.iter().find(is_there) {
            return Node::Helper(*id);
        }
        let new = self.new_helpers.iter().find(|(_, h)| h.name == *name && h.parent == *parent).map(|(id, _)| *id);
        let id = Placement::find_existing(self.names, name, *parent).or(new);
        let fresh = || self.new_helpers.last_key_value().map_or(0, |(id, _)| id.0 + 1).max(document.next_helper_id().0);
        let id = id.unwrap_or_else(|| HelperId(fresh()));
        self.new_helpers.insert(id, helper);
        Node::Helper(id)
    }

    fn found_or_missing<T>(&mut self, found: Option<T>, missing: impl FnOnce() -> MissingReference) -> Option<T> {
        if found.is_none() {
            self.missing.push(missing());
        }
        found
    }

    fn params<V: Clone>(
        &mut self,
        solver: SolverKind,
        values: &BTreeMap<String, V>,
        scope: ParamScope,
    ) -> Vec<(ParamId, ValueMigration, V)> {
        let (rows, unknown) = params_by_name(solver, values, scope);
        self.missing.extend(unknown);
        rows
    }
}

/// Parameter ids by name, and the names that are unknown in this scope. A name may come from an earlier release. If
/// both the former and the current name occur, the current name is used.
pub(super) fn params_by_name<V: Clone>(
    solver: SolverKind,
    values: &BTreeMap<String, V>,
    scope: ParamScope,
) -> (Vec<(ParamId, ValueMigration, V)>, Vec<MissingReference>) {
    let table = solver.info().params;
    let (mut rows, mut unknown) = (Vec::new(), Vec::new());
    for (name, value) in values {
        let found = find_param_or_former(table, name).filter(|(param, _)| table[param.index()].scope == scope);
        let Some((param, former)) = found else {
            unknown.push(MissingReference::Parameter(name.clone()));
            continue;
        };
        let today = table[param.index()].name;
        if today == name || !values.contains_key(today) {
            rows.push((param, former, value.clone()));
        }
    }
    (rows, unknown)
}

pub(super) fn migrate_value(former: ValueMigration, value: ChainValue) -> ChainValue {
    ChainValue { base: former.migrate(value.base), ..value }
}

impl MapNaming<ByName, ById> for NameBinder<'_, '_> {
    fn node(&mut self, node: &NodeRef) -> Option<Node> {
        match node {
            NodeRef::Named(name) => {
                self.found_or_missing(self.names.node(name), || MissingReference::Node(name.clone()))
            }
            NodeRef::Inline(helper) => {
                let helper = helper.map_naming(self)?;
                Some(self.find_or_create_helper(helper))
            }
        }
    }

    fn bone(&mut self, bone: &String) -> Option<BoneId> {
        self.found_or_missing(self.names.bone(bone), || MissingReference::Bone(bone.clone()))
    }

    fn collider(&mut self, name: &String) -> Option<ColliderId> {
        self.found_or_missing(self.colliders.get(name.as_str()).copied(), || MissingReference::Collider(name.clone()))
    }

    fn system_values(&mut self, solver: SolverKind, values: &BTreeMap<String, JsonNumber>) -> ParamSet {
        let mut set = ParamSet::defaults(solver.info().params);
        for (param, former, JsonNumber(value)) in self.params(solver, values, ParamScope::System) {
            set.set(param, former.migrate(value));
        }
        set
    }

    fn chain_values(&mut self, solver: SolverKind, values: &BTreeMap<String, ChainValue>) -> Vec<ChainValue> {
        let default = |def: &yuremono_sim::params::ParamDef| ChainValue::constant(def.default);
        let mut all: Vec<_> = solver.info().params.iter().map(default).collect();
        for (param, former, value) in self.params(solver, values, ParamScope::Joint) {
            all[param.index()] = migrate_value(former, value);
        }
        all
    }

    fn material_values(
        &mut self,
        solver: SolverKind,
        values: &BTreeMap<String, ChainValue>,
    ) -> BTreeMap<ParamId, ChainValue> {
        let table = solver.info().params;
        let default = |param: &ParamId| (*param, ChainValue::constant(table[param.index()].default));
        let mut all: BTreeMap<_, _> = solver.info().material_params.iter().map(default).collect();
        for (param, former, value) in self.params(solver, values, ParamScope::Joint) {
            all.entry(param).and_modify(|slot| *slot = migrate_value(former, value));
        }
        all
    }

    fn joint_values(&mut self, solver: SolverKind, values: &BTreeMap<String, JsonNumber>) -> BTreeMap<ParamId, f32> {
        let rows = self.params(solver, values, ParamScope::Joint);
        rows.into_iter().map(|(param, former, value)| (param, former.migrate(value.0))).collect()
    }
}
