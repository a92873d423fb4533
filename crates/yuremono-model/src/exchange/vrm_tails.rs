//! Tails of chains that a file does not list, on VRM 0.x characters.
//!
//! VRM 0.x stores one set of values per chain, and simulates the last bone of the chain with these values. VRM 1.0 lists
//! no values for the last bone. After the import of a file from VRM 1.0, the last bone takes the values of the preceding
//! joint. Otherwise one chain has two sets of values, which VRM 0.x cannot store.

use super::document_view::DocumentView;
use super::name_resolver::EMPTY_NAME_MAP;
use crate::document::{Chain, ChainId, Document, Joint};
use crate::feel::convert::convert_chains;
use std::collections::{BTreeMap, BTreeSet};
use yuremono_sim::SolverKind;
use yuremono_sim::params::{ParamId, ParamScope, enumerate_params};
use yuremono_sim::rig::{BoneId, Character, Facing, Skeleton};

/// A joint that takes the values of the preceding joint.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct UnlistedTail {
    pub bone: BoneId,
    /// The bone of the preceding joint.
    pub parent: BoneId,
    /// The values of the preceding joint, converted to the length of the tail.
    pub values: Vec<(ParamId, f32)>,
}

/// Returns the tails of chains whose other joints are all in `listed`. `after` contains the imported values.
pub(super) fn find_unlisted_tails(
    after: &Document,
    listed: &BTreeSet<BoneId>,
    character: &Character,
) -> Vec<UnlistedTail> {
    let skeleton = &character.skeleton;
    // Only characters from VRM 0.x files face -Z.
    if character.facing != Facing::MinusZ {
        return Vec::new();
    }
    let tails: BTreeMap<ChainId, Vec<(usize, BoneId)>> = after
        .chains
        .iter()
        .map(|(id, chain)| (*id, unlisted_tails_of_chain(chain, listed, skeleton)))
        .filter(|(_, tails)| !tails.is_empty())
        .collect();
    if tails.is_empty() {
        return Vec::new();
    }
    // The old values of the tails must not affect the values of the chain in VRM.
    let mut without_tails = after.clone();
    for (id, tails) in &tails {
        if let Some(chain) = without_tails.chains.get_mut(id) {
            chain.joints.retain(|joint| !tails.iter().any(|(at, _)| after.chains[id].joints[*at].bone == joint.bone));
        }
    }
    let ids: BTreeSet<ChainId> = tails.keys().copied().collect();
    let mut in_vrm = convert_chains(&without_tails, character, &ids, SolverKind::Vrm).after;
    let view_document = in_vrm.clone();
    let view = DocumentView::new(&view_document, skeleton, &EMPTY_NAME_MAP);
    for (id, tails) in &tails {
        let Some(chain) = in_vrm.chains.get_mut(id) else { continue };
        for (at, parent) in tails {
            let old = &after.chains[id].joints[*at];
            let Some(preceding) = view_document.chains[id].joint_index(*parent) else { continue };
            let overrides = joint_values(&view, *id, preceding).into_iter().collect();
            let tail = Joint { overrides, tip: old.tip.clone(), ..Joint::new(old.bone) };
            chain.joints.insert((*at).min(chain.joints.len()), tail);
        }
    }
    let mut found = Vec::new();
    let solvers: BTreeSet<SolverKind> = ids.iter().map(|id| after.solver_of(&after.chains[id])).collect();
    for solver in solvers {
        let of_solver: BTreeSet<ChainId> =
            ids.iter().copied().filter(|id| after.solver_of(&after.chains[id]) == solver).collect();
        let converted = convert_chains(&in_vrm, character, &of_solver, solver).after;
        let view = DocumentView::new(&converted, skeleton, &EMPTY_NAME_MAP);
        for id in of_solver {
            for (at, parent) in &tails[&id] {
                let bone = after.chains[&id].joints[*at].bone;
                let Some(index) = converted.chains.get(&id).and_then(|chain| chain.joint_index(bone)) else { continue };
                found.push(UnlistedTail { bone, parent: *parent, values: joint_values(&view, id, index) });
            }
        }
    }
    found
}

/// The indices of the unlisted tails of a chain with the bones of the preceding joints. Empty if another joint is
/// unlisted.
fn unlisted_tails_of_chain(chain: &Chain, listed: &BTreeSet<BoneId>, skeleton: &Skeleton) -> Vec<(usize, BoneId)> {
    let parent_of =
        |joint: &Joint| skeleton.get_parent(joint.bone).filter(|parent| chain.joint_index(*parent).is_some());
    let parents: Vec<Option<BoneId>> = chain.joints.iter().map(parent_of).collect();
    let unlisted =
        chain.joints.iter().zip(&parents).enumerate().filter(|(_, (joint, _))| !listed.contains(&joint.bone));
    let tails = unlisted.map(|(at, (joint, parent))| {
        let parent = parent.filter(|_| !parents.contains(&Some(joint.bone)))?;
        Some((at, parent))
    });
    tails.collect::<Option<_>>().unwrap_or_default()
}

fn joint_values(view: &DocumentView<'_>, chain: ChainId, joint: usize) -> Vec<(ParamId, f32)> {
    let table = view.document.param_defs_of(&view.document.chains[&chain]);
    let params = enumerate_params(table).filter(|(_, def)| def.scope == ParamScope::Joint);
    params.map(|(param, _)| (param, view.joint_value(chain, joint, param))).collect()
}
