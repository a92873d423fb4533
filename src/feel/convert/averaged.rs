//! VRM 0.x has one set of numbers for a whole tree: trees whose joints differ, and their means.

use super::loss::Loss;
use super::{level, share};
use crate::document::chain::ROUNDING;
use crate::document::{Chain, Document};
use crate::rig::Skeleton;
use crate::schema::{ParamDef, ParamSet, rows};

/// The document with the mean of its joints' numbers in each chain that moves by VRM, and one loss for each chain whose
/// joints differed. Limits, which VRM 0.x lacks too, stay as they are.
pub fn averaged(document: &Document, skeleton: &Skeleton) -> (Document, Vec<Loss>) {
    let mut after = document.clone();
    let mut losses = Vec::new();
    for (id, chain) in document.chains_under(crate::sim::SolverKind::Vrm) {
        let (table, places) = (document.table_of(chain), chain.places(skeleton));
        let exact: Vec<ParamSet> = (0..chain.joints.len()).map(|at| chain.numbers(table, at, places[at])).collect();
        let mut means = exact.clone();
        level(&mut means);
        if exact.iter().all(|set| exact.first() == Some(set)) {
            continue;
        }
        let bones: Vec<&str> = chain.joints.iter().map(|joint| name(skeleton, joint.bone)).collect();
        losses.extend(largest_deviation(&chain.name, &bones, table, &exact, &means));
        let mut made = Chain::new(chain.name.clone(), chain.part, table, Vec::new());
        let mut joints = chain.joints.clone();
        for joint in &mut joints {
            joint.own.clear();
        }
        share(&mut made, joints, &means);
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
) -> Option<Loss> {
    let mut worst: Option<(f32, Loss)> = None;
    for (row, def) in rows(table).filter(|(_, def)| def.scope == crate::schema::Scope::Joint) {
        for ((own, mean), bone) in exact.iter().zip(means).zip(bones) {
            let (from, to) = (own.get(row), mean.get(row));
            let off = deviation(from, to);
            if off > ROUNDING && worst.as_ref().is_none_or(|(most, _)| off > *most) {
                let (chain, bone) = (chain.to_owned(), (*bone).to_owned());
                worst = Some((off, Loss::Averaged { chain, bone, label: def.label, from, to }));
            }
        }
    }
    worst.map(|(_, loss)| loss)
}

/// By which share a number differs from a mean.
pub(super) fn deviation(own: f32, mean: f32) -> f32 {
    let size = own.abs().max(mean.abs());
    if size > 0.0 { (own - mean).abs() / size } else { 0.0 }
}

fn name(skeleton: &Skeleton, bone: crate::rig::BoneId) -> &str {
    if bone.index() < skeleton.len() { skeleton.name(bone) } else { "" }
}
