//! VRM 0.x has one set of numbers for a whole tree: trees whose joints differ, and their means.

use super::loss::ConversionLoss;
use super::{average_params, set_chain_values};
use crate::document::chain::RELATIVE_TOLERANCE;
use crate::document::{Chain, Document};
use crate::params::{ParamDef, ParamSet, enumerate_params};
use crate::rig::Skeleton;

/// The document with the mean of its joints' numbers in each chain that moves by VRM, and one loss for each chain whose
/// joints differed. Limits, which VRM 0.x lacks too, stay as they are.
pub fn average_joint_values(document: &Document, skeleton: &Skeleton) -> (Document, Vec<ConversionLoss>) {
    let mut after = document.clone();
    let mut losses = Vec::new();
    for (id, chain) in document.chains_with_solver(crate::sim::SolverKind::Vrm) {
        let (table, places) = (document.param_defs_of(chain), chain.curve_positions(skeleton));
        let exact: Vec<ParamSet> =
            (0..chain.joints.len()).map(|at| chain.joint_params(table, at, places[at])).collect();
        let mut means = exact.clone();
        average_params(&mut means);
        if exact.iter().all(|set| exact.first() == Some(set)) {
            continue;
        }
        let bones: Vec<&str> = chain.joints.iter().map(|joint| bone_name(skeleton, joint.bone)).collect();
        losses.extend(largest_deviation(&chain.name, &bones, table, &exact, &means));
        let mut made = Chain::new(chain.name.clone(), chain.part, table, Vec::new());
        let mut joints = chain.joints.clone();
        for joint in &mut joints {
            joint.overrides.clear();
        }
        set_chain_values(&mut made, joints, &means);
        let values = made.values;
        if let Some(chain) = after.chains.get_mut(&id) {
            chain.values = values;
            chain.joints = made.joints;
        }
    }
    (after, losses)
}

/// The number and the bone that deviate most from the mean; `None` where all joints agree.
pub(super) fn largest_deviation(
    chain: &str,
    bones: &[&str],
    table: &'static [ParamDef],
    exact: &[ParamSet],
    means: &[ParamSet],
) -> Option<ConversionLoss> {
    let mut worst: Option<(f32, ConversionLoss)> = None;
    for (row, def) in enumerate_params(table).filter(|(_, def)| def.scope == crate::params::ParamScope::Joint) {
        for ((own, mean), bone) in exact.iter().zip(means).zip(bones) {
            let (from, to) = (own.get(row), mean.get(row));
            let off = relative_deviation(from, to);
            if off > RELATIVE_TOLERANCE && worst.as_ref().is_none_or(|(most, _)| off > *most) {
                let (chain, bone) = (chain.to_owned(), (*bone).to_owned());
                worst = Some((off, ConversionLoss::ParamsAveraged { chain, bone, label: def.label, from, to }));
            }
        }
    }
    worst.map(|(_, loss)| loss)
}

/// By which share a number differs from a mean.
pub(super) fn relative_deviation(own: f32, mean: f32) -> f32 {
    let size = own.abs().max(mean.abs());
    if size > 0.0 { (own - mean).abs() / size } else { 0.0 }
}

fn bone_name(skeleton: &Skeleton, bone: crate::rig::BoneId) -> &str {
    if bone.index() < skeleton.len() { skeleton.name(bone) } else { "" }
}
