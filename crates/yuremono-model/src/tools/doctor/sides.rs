//! Finds chains whose left and right values differ.

use super::{Examination, Finding, FindingKind, name_list};
use crate::document::RestFrames;
use crate::tools::mirror::{
    MirrorOptions, MirrorPair, MirrorValues, PairMatch, SourceSide, find_pairs, plan_mirror, source_joints,
};
use std::collections::BTreeSet;
use yuremono_sim::diagnostics::message;
use yuremono_sim::params::ParamKind;
use yuremono_sim::rig::BoneId;

/// Relative difference from which two values differ. Files round values.
const TOLERANCE: f32 = 0.01;
/// Absolute difference from which two values differ.
const MIN_DIFFERENCE: f32 = 1e-4;
/// Share of the bone's length from which centres of mass differ. The bones of the two sides are rarely exact mirror images.
const CENTER_TOLERANCE: f32 = 0.1;

pub(super) fn differing_sides(examination: &Examination<'_>) -> Option<Finding> {
    let (document, skeleton) = (examination.document, examination.skeleton());
    let options = MirrorOptions { colliders: false, ..MirrorOptions::default() };
    let rest = RestFrames::of(document, skeleton);
    let sources = source_joints(document, &rest, SourceSide::PlusX, &BTreeSet::new(), options.tolerance);
    let mut pairs = find_pairs(document, skeleton, &rest, &sources, options.tolerance);
    // Bones that only have similar names may belong to parts that differ on purpose.
    let values = MirrorValues::new(skeleton, options.unity_accurate);
    let is_sure = |pair: &MirrorPair| pair.included && pair.match_kind == PairMatch::PositionAndName;
    pairs.retain(|pair| is_sure(pair) && differs(examination, pair, &values));
    let bones: Vec<BoneId> = pairs.iter().flat_map(|pair| [Some(pair.source), pair.target]).flatten().collect();
    if pairs.is_empty() {
        return None;
    }
    let name = |pair: &MirrorPair| {
        let other = pair.target.map_or("", |bone| skeleton.name(bone));
        format!("{} / {other}", skeleton.name(pair.source))
    };
    let message = message!(
        "{joints}: the values of the left and the right joint differ, so the two sides swing differently. If this is not \
         meant, copy the first side to the second",
        joints = name_list(pairs.iter().map(name))
    );
    let fix = plan_mirror(document, skeleton, &pairs, &options).edit;
    Some(Finding::new(FindingKind::SidesDiffer, message, bones).with_fix(Some(fix)))
}

/// Whether the joints of a pair have the same solver, but different values.
fn differs(examination: &Examination<'_>, pair: &MirrorPair, values: &MirrorValues) -> bool {
    let document = examination.document;
    let find = |bone: BoneId| {
        let (id, at) = document.find_joint(bone)?;
        let position = *examination.resolved.curve_positions.get(&id)?.get(at)?;
        Some((&document.chains[&id], at, position))
    };
    let Some(((from, at, position), (to, other_at, other_position))) =
        find(pair.source).zip(pair.target.and_then(find))
    else {
        return false;
    };
    if document.solver_of(from) != document.solver_of(to) {
        return false;
    }
    let centers = document.solver_of(from).info().center_of_mass_params;
    let length = examination.resolved.joint_by_bone.get(&pair.source).and_then(|(chain, at)| {
        let lengths = examination.resolved.joint_lengths.get(chain)?;
        lengths.get(*at).copied()
    });
    let table = document.param_defs_of(from);
    let (mirrored, _) = values.of_joint(from, table, at, position, to.joints[other_at].bone);
    mirrored.into_iter().any(|(param, expected)| {
        let (def, found) = (&table[param.index()], to.joint_value(other_at, param, other_position));
        let difference = (expected - found).abs();
        // A choice has no mirror image that is nearly the same.
        let least = match def.kind {
            ParamKind::Toggle | ParamKind::Choice(_) => 0.5,
            _ if centers.is_some_and(|centers| centers.contains(&param)) => CENTER_TOLERANCE * length.unwrap_or(0.0),
            _ => MIN_DIFFERENCE,
        };
        difference > least.max(TOLERANCE * expected.abs().max(found.abs()))
    })
}
