//! A document to the setup of a project.

use crate::document::{Authored, BonePath, BonePaths, ById, ByPath, ColliderId, Document, Node, Rename, Setup};
use crate::math::Number;
use crate::rig::{BoneId, Skeleton};
use crate::schema::{ParamDef, ParamSet, Row, Scope, rows};
use crate::sim::SolverKind;
use std::collections::BTreeMap;

pub(super) fn save(document: &Document, skeleton: &Skeleton) -> Setup<ByPath> {
    document.setup.rename(&mut Save { document, paths: BonePaths::of(skeleton), count: skeleton.len() })
}

struct Save<'a> {
    document: &'a Document,
    paths: BonePaths<'a>,
    /// How many bones the character has.
    count: usize,
}

impl Rename<ById, ByPath> for Save<'_> {
    fn collider(&mut self, id: &ColliderId) -> Option<ColliderId> {
        Some(*id)
    }

    fn node(&mut self, node: &Node) -> Option<Node<BonePath>> {
        match node {
            Node::Bone(bone) => self.bone(bone).map(Node::Bone),
            Node::Helper(id) => Some(Node::Helper(*id)),
        }
    }

    fn bone(&mut self, bone: &BoneId) -> Option<BonePath> {
        if bone.index() < self.count {
            return Some(self.paths.path(*bone));
        }
        // A document made by hand may name bones that never existed: these have no name.
        Some(self.document.lost.path(*bone).cloned().unwrap_or_default())
    }

    fn system_values(&mut self, solver: SolverKind, values: &ParamSet) -> BTreeMap<String, Number> {
        let own = rows(solver.info().params).filter(|(_, def)| def.scope == Scope::System);
        own.map(|(row, def)| (def.name.to_owned(), Number(values.get(row)))).collect()
    }

    fn chain_values(&mut self, solver: SolverKind, values: &Vec<Authored>) -> BTreeMap<String, Authored> {
        let all = solver.info().params.iter().zip(values);
        all.map(|(def, value)| (def.name.to_owned(), value.clone())).collect()
    }

    fn material_values(&mut self, solver: SolverKind, values: &BTreeMap<Row, Authored>) -> BTreeMap<String, Authored> {
        by_name(solver.info().params, values, Clone::clone)
    }

    fn joint_values(&mut self, solver: SolverKind, values: &BTreeMap<Row, f32>) -> BTreeMap<String, Number> {
        by_name(solver.info().params, values, |value| Number(*value))
    }
}

fn by_name<V, W>(table: &[ParamDef], values: &BTreeMap<Row, V>, value: impl Fn(&V) -> W) -> BTreeMap<String, W> {
    values.iter().filter_map(|(row, own)| Some((table.get(row.index())?.name.to_owned(), value(own)))).collect()
}
