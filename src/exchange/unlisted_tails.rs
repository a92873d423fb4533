//! The tails of VRM chains that a file does not list.
//!
//! VRM 1.0 stores no values for the last joint of a chain, but VRM 0.x stores one value for the whole chain. If a file
//! lists all other joints of such a chain, the tail takes the value of the joint before it. Otherwise the value that VRM
//! 0.x stores would be a mean of the file's value and the old value.

use super::document_view::DocumentView;
use crate::document::{Chain, ChainId, ChainValue, Document, joint_scope_params};
use crate::exchange::remap::NameMap;
use crate::feel::convert::convert_chains;
use crate::params::ParamId;
use crate::rig::{BoneId, Character, Skeleton};
use crate::sim::SolverKind;
use std::collections::{BTreeMap, BTreeSet};

/// Values of joints, by bone.
pub(super) type TailValues = BTreeMap<BoneId, BTreeMap<ParamId, f32>>;

/// A tail and the joint before it, as indices of joints in a chain.
#[derive(Clone, Copy)]
pub(super) struct TailJoint {
    pub parent: usize,
    pub tail: usize,
}

/// Returns the joints of a chain without a joint below them, except a chain's only joint.
pub(super) fn tail_joints(chain: &Chain, skeleton: &Skeleton) -> Vec<TailJoint> {
    let parent_of = |bone: BoneId| chain.joint_index(skeleton.get_parent(bone)?);
    let parents: Vec<Option<usize>> = chain.joints.iter().map(|joint| parent_of(joint.bone)).collect();
    let pairs = parents.iter().enumerate().filter_map(|(tail, parent)| Some(TailJoint { parent: (*parent)?, tail }));
    pairs.filter(|pair| !parents.contains(&Some(pair.tail))).collect()
}

/// Returns the values of tails in chains that were converted from VRM: the values of the joint before the tail as VRM,
/// converted to the solver of the tail's chain. `original` is the document before the conversion. Contains only tails
/// that had the values of the joint before them.
pub(super) fn converted_tail_values(original: &Document, converted: &Document, character: &Character) -> TailValues {
    let (skeleton, names) = (&character.skeleton, NameMap::new());
    let was_vrm =
        |id: &ChainId| original.chains.get(id).is_some_and(|chain| original.solver_of(chain) == SolverKind::Vrm);
    let is_converted = |(id, chain): &(&ChainId, &Chain)| was_vrm(id) && converted.solver_of(chain) != SolverKind::Vrm;
    let chains: BTreeSet<ChainId> = converted.chains.iter().filter(is_converted).map(|(id, _)| *id).collect();
    if chains.is_empty() {
        return TailValues::new();
    }
    let before = DocumentView::new(original, skeleton, &names);
    let had_values_of_parent = |id: ChainId, pair: &TailJoint| {
        joint_scope_params(original.param_defs_of(&original.chains[&id])).all(|(param, _)| {
            !before.is_value_different(id, pair.tail, param, before.joint_value(id, pair.parent, param))
        })
    };
    let mut tails: Vec<(ChainId, TailJoint)> = Vec::new();
    // VRM 0.x gets means of all joints, so the tails are left out.
    let mut without_tails = converted.clone();
    for id in &chains {
        let chain = &original.chains[id];
        let found = tail_joints(chain, skeleton).into_iter().filter(|pair| had_values_of_parent(*id, pair));
        let found: Vec<TailJoint> = found.collect();
        if let Some(shortened) =
            without_tails.chains.get_mut(id).filter(|other| other.joints.len() == chain.joints.len())
        {
            let is_tail = |bone: BoneId| found.iter().any(|pair| chain.joints[pair.tail].bone == bone);
            shortened.joints.retain(|joint| !is_tail(joint.bone));
            tails.extend(found.into_iter().map(|pair| (*id, pair)));
        }
    }
    let shortened = convert_chains(&without_tails, character, &chains, SolverKind::Vrm).after;
    let shortened_values = DocumentView::new(&shortened, skeleton, &names);
    let mut vrm = convert_chains(converted, character, &chains, SolverKind::Vrm).after;
    let params: Vec<ParamId> = joint_scope_params(SolverKind::Vrm.info().params).map(|(param, _)| param).collect();
    for (id, pair) in &tails {
        let bone = original.chains[id].joints[pair.parent].bone;
        let parent = shortened.chains.get(id).and_then(|chain| chain.joint_index(bone));
        let Some((parent, chain)) = parent.zip(vrm.chains.get_mut(id)) else { continue };
        for param in &params {
            let value = shortened_values.joint_value(*id, parent, *param);
            if let Some(of_chain) = chain.values.get_mut(param.index()) {
                *of_chain = ChainValue::constant(value);
            }
            for joint in &mut chain.joints {
                joint.overrides.remove(param);
            }
        }
    }
    let mut found = TailValues::new();
    let solvers: BTreeSet<SolverKind> = chains.iter().map(|id| converted.solver_of(&converted.chains[id])).collect();
    for solver in solvers {
        let is_of_solver = |id: &&ChainId| converted.solver_of(&converted.chains[*id]) == solver;
        let chains = chains.iter().filter(is_of_solver).copied().collect();
        let back = convert_chains(&vrm, character, &chains, solver).after;
        let view = DocumentView::new(&back, skeleton, &names);
        for (id, pair) in tails.iter().filter(|(id, _)| chains.contains(id)) {
            let Some(chain) = back.chains.get(id) else { continue };
            let params = joint_scope_params(back.param_defs_of(chain));
            let values = params.map(|(param, _)| (param, view.joint_value(*id, pair.tail, param)));
            found.insert(chain.joints[pair.tail].bone, values.collect());
        }
    }
    found
}
