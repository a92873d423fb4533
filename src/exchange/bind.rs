//! Entries of a file, which refer by name, as entries of a document.

use super::Missing;
use super::placement::{Placement, flattened, same_place};
use super::resolver::NameResolver;
use crate::document::{Authored, ById, ByName, ColliderId, Document, Helper, HelperId, Node, NodeRef, Rename};
use crate::math::Number;
use crate::rig::BoneId;
use crate::schema::{FormerValue, ParamSet, Row, Scope, find_row_or_former};
use crate::sim::SolverKind;
use std::collections::BTreeMap;

/// Converts names to ids and remembers names that mean nothing on this character.
///
/// Names mean what the resolver finds. A collider's name means the first collider of that name. A node that a file
/// describes where it is used becomes a helper: [`Binder::finish`] puts it into the document.
pub(super) struct Binder<'n, 'a> {
    names: &'n NameResolver<'a>,
    colliders: BTreeMap<&'a str, ColliderId>,
    missing: Vec<Missing>,
    placed: BTreeMap<HelperId, Helper>,
}

impl<'n, 'a> Binder<'n, 'a> {
    /// A binder to the nodes and colliders of the resolver's document.
    pub(super) fn new(names: &'n NameResolver<'a>) -> Self {
        let mut colliders = BTreeMap::new();
        for (id, collider) in &names.document().colliders {
            colliders.entry(collider.name.as_str()).or_insert(*id);
        }
        Self { names, colliders, missing: Vec::new(), placed: BTreeMap::new() }
    }

    /// The same, where of several colliders with one name the first for which `is_meant` returns true counts.
    pub(super) fn with_colliders(mut self, is_meant: impl Fn(ColliderId) -> bool) -> Self {
        for (id, collider) in self.names.document().colliders.iter().rev().filter(|(id, _)| is_meant(**id)) {
            self.colliders.insert(collider.name.as_str(), *id);
        }
        self
    }

    /// The names that had no meaning since the last call, in the order of the walk.
    pub(super) fn take_missing(&mut self) -> Vec<Missing> {
        std::mem::take(&mut self.missing)
    }

    /// Puts the helpers that entries describe into the document.
    pub(super) fn finish(self, document: &mut Document) {
        document.helpers.extend(self.placed);
    }

    /// The helper that a file describes: one of that name that is there already, directly or through other helpers, or one
    /// of that name below that parent, or else a new one.
    fn placed(&mut self, helper: Helper) -> Node {
        let Helper { name, parent, local, .. } = &helper;
        let document = self.names.document();
        let is_there = |(_, old): &(&HelperId, &Helper)| {
            let (above, at) = flattened(document, old);
            old.name == *name && above == *parent && same_place(&at, local)
        };
        if let Some((id, _)) = document.helpers.iter().find(is_there) {
            return Node::Helper(*id);
        }
        let new = self.placed.iter().find(|(_, h)| h.name == *name && h.parent == *parent).map(|(id, _)| *id);
        let id = Placement::existing(self.names, name, *parent).or(new);
        let fresh = || self.placed.last_key_value().map_or(0, |(id, _)| id.0 + 1).max(document.fresh_helper().0);
        let id = id.unwrap_or_else(|| HelperId(fresh()));
        self.placed.insert(id, helper);
        Node::Helper(id)
    }

    fn or_missing<T>(&mut self, found: Option<T>, missing: impl FnOnce() -> Missing) -> Option<T> {
        if found.is_none() {
            self.missing.push(missing());
        }
        found
    }

    fn rows<V: Clone>(
        &mut self,
        solver: SolverKind,
        values: &BTreeMap<String, V>,
        scope: Scope,
    ) -> Vec<(Row, FormerValue, V)> {
        let (rows, unknown) = rows_by_name(solver, values, scope);
        self.missing.extend(unknown);
        rows
    }
}

/// The rows of values by name, and the names that the solver does not have among rows of that scope. A name may be that of
/// an earlier release; where both are there, today's name counts.
pub(super) fn rows_by_name<V: Clone>(
    solver: SolverKind,
    values: &BTreeMap<String, V>,
    scope: Scope,
) -> (Vec<(Row, FormerValue, V)>, Vec<Missing>) {
    let table = solver.info().params;
    let (mut rows, mut unknown) = (Vec::new(), Vec::new());
    for (name, value) in values {
        let found = find_row_or_former(table, name).filter(|(row, _)| table[row.index()].scope == scope);
        let Some((row, former)) = found else {
            unknown.push(Missing::Parameter(name.clone()));
            continue;
        };
        let today = table[row.index()].name;
        if today == name || !values.contains_key(today) {
            rows.push((row, former, value.clone()));
        }
    }
    (rows, unknown)
}

/// A value under the present name of its row.
pub(super) fn current(former: FormerValue, value: Authored) -> Authored {
    Authored { base: former.current(value.base), ..value }
}

impl Rename<ByName, ById> for Binder<'_, '_> {
    fn node(&mut self, node: &NodeRef) -> Option<Node> {
        match node {
            NodeRef::Named(name) => self.or_missing(self.names.node(name), || Missing::Node(name.clone())),
            NodeRef::Placed(helper) => {
                let helper = helper.rename(self)?;
                Some(self.placed(helper))
            }
        }
    }

    fn bone(&mut self, bone: &String) -> Option<BoneId> {
        self.or_missing(self.names.bone(bone), || Missing::Bone(bone.clone()))
    }

    fn collider(&mut self, name: &String) -> Option<ColliderId> {
        self.or_missing(self.colliders.get(name.as_str()).copied(), || Missing::Collider(name.clone()))
    }

    fn system_values(&mut self, solver: SolverKind, values: &BTreeMap<String, Number>) -> ParamSet {
        let mut set = ParamSet::defaults(solver.info().params);
        for (row, former, Number(value)) in self.rows(solver, values, Scope::System) {
            set.set(row, former.current(value));
        }
        set
    }

    fn chain_values(&mut self, solver: SolverKind, values: &BTreeMap<String, Authored>) -> Vec<Authored> {
        let default = |def: &crate::schema::ParamDef| Authored { base: def.default, curve: None };
        let mut all: Vec<_> = solver.info().params.iter().map(default).collect();
        for (row, former, value) in self.rows(solver, values, Scope::Joint) {
            all[row.index()] = current(former, value);
        }
        all
    }

    fn material_values(&mut self, solver: SolverKind, values: &BTreeMap<String, Authored>) -> BTreeMap<Row, Authored> {
        let table = solver.info().params;
        let default = |row: &Row| (*row, Authored { base: table[row.index()].default, curve: None });
        let mut all: BTreeMap<_, _> = solver.info().material.iter().map(default).collect();
        for (row, former, value) in self.rows(solver, values, Scope::Joint) {
            all.entry(row).and_modify(|slot| *slot = current(former, value));
        }
        all
    }

    fn joint_values(&mut self, solver: SolverKind, values: &BTreeMap<String, Number>) -> BTreeMap<Row, f32> {
        let rows = self.rows(solver, values, Scope::Joint);
        rows.into_iter().map(|(row, former, value)| (row, former.current(value.0))).collect()
    }
}
