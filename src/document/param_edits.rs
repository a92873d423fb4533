//! Turns what an artist asks for into edits.
//!
//! Every function reads the document and returns an [`Edit`]; nothing changes here. Chains are tuned by base and
//! curve, joints by values of their own. A chain whose joints all have their own values (an import writes them so)
//! is first fitted: base times curve with one key per joint.

use crate::document::{Chain, ChainId, Document, Edit};
use crate::math::Curve;
use crate::params::{ParamId, ParamKind};
use crate::rig::{BoneId, Skeleton};
use std::collections::BTreeSet;

/// What a change is for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EditTargets {
    /// Tuned as wholes.
    pub chains: Vec<ChainId>,
    /// Tuned one by one.
    pub joints: Vec<(ChainId, BoneId)>,
}

impl EditTargets {
    /// How many joints a change would reach.
    pub fn joint_count(&self, document: &Document) -> usize {
        let whole: usize = self.chains.iter().filter_map(|id| document.chains.get(id)).map(|c| c.joints.len()).sum();
        whole + self.joints.len()
    }

    /// Whether there is nothing to tune.
    pub fn is_empty(&self) -> bool {
        self.chains.is_empty() && self.joints.is_empty()
    }
}

/// Writes `value` everywhere.
pub fn set_param(document: &Document, skeleton: &Skeleton, targets: &EditTargets, row: ParamId, value: f32) -> Edit {
    edit_values(document, skeleton, targets, row, |_| value)
}

/// Multiplies every value by `factor`, so that differences stay in proportion.
pub fn scale_param(document: &Document, skeleton: &Skeleton, targets: &EditTargets, row: ParamId, factor: f32) -> Edit {
    let chains = targets.chains.iter().chain(targets.joints.iter().map(|(chain, _)| chain));
    let mut tables = chains.filter_map(|id| document.chains.get(id)).map(|chain| document.param_defs_of(chain));
    // Parts of what only comes in whole numbers mean nothing.
    let is_integer = tables.any(|table| table.get(row.index()).is_some_and(|def| def.kind == ParamKind::Integer));
    edit_values(document, skeleton, targets, row, |old| if is_integer { (old * factor).round() } else { old * factor })
}

fn edit_values(
    document: &Document,
    skeleton: &Skeleton,
    targets: &EditTargets,
    row: ParamId,
    f: impl Fn(f32) -> f32,
) -> Edit {
    let (mut edits, mut written) = (Vec::new(), BTreeSet::new());
    for (id, chain) in existing_chains(document, &targets.chains) {
        let mut base = chain.values[row.index()].base;
        let material = document.material_with_param(id, row);
        if chain.all_joints_override(row) {
            let places = document.curve_positions(chain, skeleton);
            // A material is not for one chain to fit.
            match fit_chain_at(chain, &places, row).filter(|_| material.is_none()) {
                Some(fitted) => {
                    base = fitted.base;
                    edits.extend(fitted.into_edits((id, chain), &places, row));
                }
                // Or infinities from a file: no curve leads through them. Each joint is written on its own.
                None => edits.extend(chain.joints.iter().filter_map(|j| {
                    Some(Edit::SetOverride { chain: id, bone: j.bone, row, value: Some(f(*j.overrides.get(&row)?)) })
                })),
            }
        }
        if material.is_none_or(|material| written.insert(material)) {
            edits.push(Edit::SetBaseValue { chain: id, row, value: f(base) });
        }
    }
    for &(chain, bone) in &targets.joints {
        if let Some(old) = joint_value(document, skeleton, chain, bone, row) {
            edits.push(Edit::SetOverride { chain, bone, row, value: Some(f(old)) });
        }
    }
    Edit::Batch(edits)
}

/// Gives every target chain the same curve; `None` makes it level.
pub fn set_curve(
    document: &Document,
    skeleton: &Skeleton,
    chains: &[ChainId],
    row: ParamId,
    curve: Option<&Curve>,
) -> Edit {
    let mut edits = Vec::new();
    for (id, chain) in existing_chains(document, chains) {
        if chain.all_joints_override(row) && document.material_with_param(id, row).is_none() {
            let places = document.curve_positions(chain, skeleton);
            if let Some(fitted) = fit_chain_at(chain, &places, row) {
                edits.extend(fitted.into_edits((id, chain), &places, row));
            }
        }
        edits.push(Edit::SetCurve { chain: id, row, curve: curve.cloned() });
    }
    Edit::Batch(edits)
}

/// Puts back what `loaded` says; where it has no such chain or joint, the engine's default.
pub fn reset_to_loaded(document: &Document, loaded: &Document, targets: &EditTargets, row: ParamId) -> Edit {
    let mut edits = Vec::new();
    for (id, chain) in existing_chains(document, &targets.chains) {
        let was = loaded.chains.get(&id).filter(|was| loaded.solver_of(was) == document.solver_of(chain));
        let Some(def) = document.param_defs_of(chain).get(row.index()) else { continue };
        let authored = was.map(|c| &c.values[row.index()]);
        let base = authored.map_or(def.default, |a| a.base);
        edits.push(Edit::SetBaseValue { chain: id, row, value: base });
        edits.push(Edit::SetCurve { chain: id, row, curve: authored.and_then(|a| a.curve.clone()) });
        for joint in &chain.joints {
            let value = was
                .and_then(|c| c.joint_index(joint.bone).map(|at| &c.joints[at]))
                .and_then(|j| j.overrides.get(&row).copied());
            edits.push(Edit::SetOverride { chain: id, bone: joint.bone, row, value });
        }
    }
    for &(chain, bone) in &targets.joints {
        let was = loaded.chains.get(&chain).and_then(|c| c.joint_index(bone).map(|at| &c.joints[at]));
        let value = was.and_then(|j| j.overrides.get(&row).copied());
        edits.push(Edit::SetOverride { chain, bone, row, value });
    }
    Edit::Batch(edits)
}

/// Writes the engine's own default: level, and no joint with its own value.
pub fn reset_to_default(document: &Document, targets: &EditTargets, row: ParamId) -> Edit {
    let default = |chain: &Chain| document.param_defs_of(chain).get(row.index()).map_or(0.0, |def| def.default);
    let mut edits = Vec::new();
    for (id, chain) in existing_chains(document, &targets.chains) {
        let default = default(chain);
        edits.push(Edit::SetBaseValue { chain: id, row, value: default });
        edits.push(Edit::SetCurve { chain: id, row, curve: None });
        edits.extend(clear_overrides(id, chain, row));
    }
    for &(chain, bone) in &targets.joints {
        let value = document.chains.get(&chain).map(default);
        edits.push(Edit::SetOverride { chain, bone, row, value });
    }
    Edit::Batch(edits)
}

/// The number a joint gets.
pub fn joint_value(
    document: &Document,
    skeleton: &Skeleton,
    chain: ChainId,
    bone: BoneId,
    row: ParamId,
) -> Option<f32> {
    let chain = document.chains.get(&chain)?;
    let joint = chain.joint_index(bone)?;
    let authored = &chain.values[row.index()];
    // Without a curve the place does not matter, and it costs a walk over the skeleton.
    let level = authored.curve.is_none() || chain.joints[joint].overrides.contains_key(&row);
    let place = if level { 0.0 } else { document.curve_positions(chain, skeleton)[joint] };
    Some(chain.joint_value(joint, row, place))
}

/// Base and curve that give each joint of a chain the value that it has now.
#[derive(Clone, Debug, PartialEq)]
pub struct FittedCurve {
    /// The value farthest from zero.
    pub base: f32,
    /// `None` where all values are equal.
    pub curve: Option<Curve>,
}

impl FittedCurve {
    /// The value that this gives a joint at `place`.
    fn value_at(&self, place: f32) -> f32 {
        self.base * self.curve.as_ref().map_or(1.0, |c| c.eval(place))
    }

    /// Joints that this gives another value than they have keep theirs.
    pub(crate) fn clear_matching_overrides(
        &self,
        (id, chain): (ChainId, &Chain),
        places: &[f32],
        row: ParamId,
    ) -> Vec<Edit> {
        let joints = chain.joints.iter().zip(places);
        let met = joints
            .filter(|(j, place)| j.overrides.get(&row).is_some_and(|own| within_one_ulp(self.value_at(**place), *own)));
        met.map(|(j, _)| Edit::SetOverride { chain: id, bone: j.bone, row, value: None }).collect()
    }

    /// What lets a chain follow it.
    fn into_edits(self, (id, chain): (ChainId, &Chain), places: &[f32], row: ParamId) -> Vec<Edit> {
        let mut edits = self.clear_matching_overrides((id, chain), places, row);
        edits.push(Edit::SetBaseValue { chain: id, row, value: self.base });
        edits.push(Edit::SetCurve { chain: id, row, curve: self.curve });
        edits
    }
}

/// Equal but for one unit in the last place: dividing by the base and multiplying by it again loses that much.
fn within_one_ulp(a: f32, b: f32) -> bool {
    a == b || (a.is_sign_negative() == b.is_sign_negative() && a.to_bits().abs_diff(b.to_bits()) <= 1)
}

/// Fits a chain whose joints all have finite values of their own; `None` for other chains. Where two strands want
/// different values at one place, the first one's counts.
pub fn fit_chain(chain: &Chain, skeleton: &Skeleton, row: ParamId) -> Option<FittedCurve> {
    if chain.all_joints_override(row) { fit_chain_at(chain, &chain.curve_positions(skeleton), row) } else { None }
}

/// As `matches_solver`, with the joints' places along the chain at hand.
pub fn fit_chain_at(chain: &Chain, places: &[f32], row: ParamId) -> Option<FittedCurve> {
    let own: Option<Vec<f32>> = chain.joints.iter().map(|j| j.overrides.get(&row).copied()).collect();
    let own = own.filter(|own| own.iter().all(|v| v.is_finite()))?;
    Some(fit_values(&own, places))
}

/// Base and curve that lead through finite values at these places.
pub(crate) fn fit_values(values: &[f32], places: &[f32]) -> FittedCurve {
    let base = values.iter().fold(0.0, |a: f32, b| if b.abs() > a.abs() { *b } else { a });
    if values.iter().all(|v| *v == base) {
        return FittedCurve { base, curve: None };
    }
    FittedCurve { base, curve: Curve::from_points(&curve_points(places, values.iter().map(|v| v / base))) }
}

/// Points of a curve that leads through these values.
pub(crate) fn curve_points(places: &[f32], values: impl Iterator<Item = f32>) -> Vec<(f32, f32)> {
    let mut points: Vec<(f32, f32)> = places.iter().copied().zip(values).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    // Joints of different strands at the same place share one key: the first strand's.
    points.dedup_by(|b, a| b.0 - a.0 < 1e-6);
    points
}

fn clear_overrides(id: ChainId, chain: &Chain, row: ParamId) -> Vec<Edit> {
    let own = chain.joints.iter().filter(|j| j.overrides.contains_key(&row));
    own.map(|j| Edit::SetOverride { chain: id, bone: j.bone, row, value: None }).collect()
}

pub(crate) fn existing_chains<'a>(
    document: &'a Document,
    chains: &'a [ChainId],
) -> impl Iterator<Item = (ChainId, &'a Chain)> {
    chains.iter().filter_map(|id| document.chains.get(id).map(|chain| (*id, chain)))
}
