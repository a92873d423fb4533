//! A document to the setup of a project.

use crate::document::{BonePath, BonePaths, ById, ByPath, ChainValue, ColliderId, Document, MapNaming, Node, Setup};
use crate::math::JsonNumber;
use crate::params::{ParamDef, ParamId, ParamScope, ParamSet, enumerate_params};
use crate::rig::{BoneId, Skeleton};
use crate::sim::SolverKind;
use std::collections::BTreeMap;

pub(super) fn to_saved_setup(document: &Document, skeleton: &Skeleton) -> Setup<ByPath> {
    document.setup.map_naming(&mut ProjectSaver {
        document,
        paths: BonePaths::of(skeleton),
        bone_count: skeleton.len(),
    })
}

struct ProjectSaver<'a> {
    document: &'a Document,
    paths: BonePaths<'a>,
    /// How many bones the character has.
    bone_count: usize,
}

impl MapNaming<ById, ByPath> for ProjectSaver<'_> {
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
        if bone.index() < self.bone_count {
            return Some(self.paths.path_of(*bone));
        }
        // A document made by hand may name bones that never existed: these have no name.
        Some(self.document.missing_bones.path(*bone).cloned().unwrap_or_default())
    }

    fn system_values(&mut self, solver: SolverKind, values: &ParamSet) -> BTreeMap<String, JsonNumber> {
        let own = enumerate_params(solver.info().params).filter(|(_, def)| def.scope == ParamScope::System);
        own.map(|(row, def)| (def.name.to_owned(), JsonNumber(values.get(row)))).collect()
    }

    fn chain_values(&mut self, solver: SolverKind, values: &Vec<ChainValue>) -> BTreeMap<String, ChainValue> {
        let all = solver.info().params.iter().zip(values);
        all.map(|(def, value)| (def.name.to_owned(), value.clone())).collect()
    }

    fn material_values(
        &mut self,
        solver: SolverKind,
        values: &BTreeMap<ParamId, ChainValue>,
    ) -> BTreeMap<String, ChainValue> {
        values_by_name(solver.info().params, values, Clone::clone)
    }

    fn joint_values(&mut self, solver: SolverKind, values: &BTreeMap<ParamId, f32>) -> BTreeMap<String, JsonNumber> {
        values_by_name(solver.info().params, values, |value| JsonNumber(*value))
    }
}

fn values_by_name<V, W>(
    table: &[ParamDef],
    values: &BTreeMap<ParamId, V>,
    value: impl Fn(&V) -> W,
) -> BTreeMap<String, W> {
    values.iter().filter_map(|(row, own)| Some((table.get(row.index())?.name.to_owned(), value(own)))).collect()
}
