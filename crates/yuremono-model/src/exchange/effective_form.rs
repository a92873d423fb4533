//! The effective form of a setup: what the solvers receive, without the way in which it is written.
//!
//! Two setups that move a character equally can be written differently: a value by curve or by joint, colliders by group
//! or by joint, chains with other names. Their effective forms are equal.

use crate::document::{Chain, ChainPart, ChainValue, CurveDomain, Document, Joint, System, Tip, joint_scope_params};
use std::collections::BTreeSet;
use yuremono_sim::rig::Skeleton;
use yuremono_sim::{JointSetup, TipSetup};

/// Returns the document in its effective form. Every joint has the resolved value of each parameter, its colliders
/// include those of groups, and its tip is a bone or a point where the solver has one tip. Curves, rings, materials,
/// groups, the names of chains and systems, and pivots without an angle limit are removed. A chain with a fork keeps its
/// curves if the solver evaluates them at every tip.
pub fn effective_form(document: &Document, skeleton: &Skeleton) -> Document {
    let resolved = document.resolve(skeleton);
    let mut effective = document.clone();
    let mut with_tip_values = BTreeSet::new();
    for (setup, refs) in resolved.systems.iter().zip(&resolved.joint_refs) {
        for (resolved_joint, at) in setup.joints.iter().zip(refs) {
            let Some(chain) = document.chains.get(&at.chain) else { continue };
            let written = effective.chains.get_mut(&at.chain).into_iter().flat_map(|chain| &mut chain.joints);
            for (joint, written) in chain.joints.iter().zip(written).filter(|(joint, _)| joint.bone == at.bone) {
                written.colliders = document.colliders_of(chain, joint).collect();
                write_resolved(resolved_joint, document.system_of(chain), skeleton, written);
            }
            if !resolved_joint.tip_values.is_empty() {
                with_tip_values.insert(at.chain);
            }
        }
    }
    for (id, chain) in &mut effective.chains {
        chain.name.clear();
        chain.part = ChainPart::default();
        chain.groups.clear();
        if !with_tip_values.contains(id) {
            remove_curves(chain, document.system_of(&document.chains[id]));
        }
    }
    effective.systems.values_mut().for_each(|system| system.name.clear());
    let materials: BTreeSet<_> = effective.chains.values().filter_map(|chain| chain.material).collect();
    effective.materials.retain(|id, _| materials.contains(id));
    effective.groups.clear();
    // A hidden mesh switches off the colliders that name it.
    let meshes: BTreeSet<&String> = document.colliders.values().filter_map(|one| one.mesh_name.as_ref()).collect();
    effective.hidden_meshes.retain(|mesh| meshes.contains(mesh));
    effective
}

/// Writes the values and the tip of a joint as the solver receives them.
fn write_resolved(resolved: &JointSetup, system: &System, skeleton: &Skeleton, joint: &mut Joint) {
    let params = joint_scope_params(system.param_defs());
    joint.overrides = params.map(|(param, _)| (param, resolved.values.get(param))).collect();
    match &resolved.tip {
        TipSetup::Bones(bones) if bones.len() == 1 && bones[0].index() < skeleton.len() => {
            joint.tip = Tip::Bone(bones[0]);
        }
        TipSetup::Bones(_) => {}
        TipSetup::Offset(offset) => joint.tip = Tip::Offset(*offset),
    }
    if !system.solver.info().has_active_pivot_limit(|param| resolved.values.get(param)) {
        joint.pivot = None;
    }
}

/// Gives a chain the default values, which the values of its joints override.
fn remove_curves(chain: &mut Chain, system: &System) {
    chain.values = system.param_defs().iter().map(|def| ChainValue::constant(def.default)).collect();
    chain.curve_domain = CurveDomain::default();
    (chain.material, chain.ring) = (None, None);
}
