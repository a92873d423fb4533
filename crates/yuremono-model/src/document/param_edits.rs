//! Converts requests such as "this value on these chains" to edits.
//!
//! Each function reads the document and returns an [`Edit`]. For chains, the edit changes base values and curves; for
//! joints, overrides. If all joints of a chain override a parameter, for example after an import, a curve with one key
//! per joint is first fitted to the overrides.

use crate::document::{Chain, ChainId, Document, Edit, ring};
use std::collections::BTreeSet;
use yuremono_sim::math::{Curve, RingCurve};
use yuremono_sim::params::{ParamId, ParamKind};
use yuremono_sim::rig::{BoneId, Skeleton};

/// The chains and joints that a change affects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EditTargets {
    pub chains: Vec<ChainId>,
    pub joints: Vec<(ChainId, BoneId)>,
}

impl EditTargets {
    pub fn joint_count(&self, document: &Document) -> usize {
        let whole: usize = self.chains.iter().filter_map(|id| document.chains.get(id)).map(|c| c.joints.len()).sum();
        whole + self.joints.len()
    }

    /// Whether there are no targets.
    pub fn is_empty(&self) -> bool {
        self.chains.is_empty() && self.joints.is_empty()
    }
}

/// How an edit changes the values of its targets.
#[derive(Clone, Copy)]
enum ValueChange {
    Set(f32),
    SetBase(f32),
    Scale { factor: f32, is_integer: bool },
}

impl ValueChange {
    /// Returns the new value for `old`.
    fn apply(self, old: f32) -> f32 {
        match self {
            Self::Set(value) | Self::SetBase(value) => value,
            Self::Scale { factor, is_integer: true } => (old * factor).round(),
            Self::Scale { factor, is_integer: false } => old * factor,
        }
    }

    /// Returns the new base value of a chain that its ring multiplies by `ring_factor`.
    fn apply_to_base(self, old: f32, ring_factor: f32) -> f32 {
        match self {
            Self::Set(value) => value / ring_factor,
            Self::SetBase(_) | Self::Scale { .. } => self.apply(old),
        }
    }
}

/// Sets a parameter of all targets. If ring curves multiply all target chains by one factor, the chains get the base value
/// that results in `value`; otherwise `value` is their base value.
pub fn set_param(document: &Document, skeleton: &Skeleton, targets: &EditTargets, param: ParamId, value: f32) -> Edit {
    edit_values(document, skeleton, targets, param, ValueChange::Set(value))
}

/// Sets the base value of all target chains, which curves and ring curves multiply.
pub fn set_base(document: &Document, skeleton: &Skeleton, chains: Vec<ChainId>, param: ParamId, value: f32) -> Edit {
    let targets = EditTargets { chains, joints: Vec::new() };
    edit_values(document, skeleton, &targets, param, ValueChange::SetBase(value))
}

/// Returns the factor by which ring curves multiply a parameter of all chains; 1 if the factors differ or are 0.
pub fn common_ring_factor(document: &Document, chains: &[ChainId], param: ParamId) -> f32 {
    common_factor(existing_chains(document, chains).map(|(_, chain)| chain.ring_factor(param)))
}

/// Factors whose relative difference is smaller count as equal.
const FACTOR_TOLERANCE: f32 = 1e-3;

/// Returns the common value of factors by which a value can be divided; 1 if there is none.
pub fn common_factor(mut factors: impl Iterator<Item = f32>) -> f32 {
    let first = factors.next().filter(|factor| factor.is_normal());
    first.filter(|first| factors.all(|factor| (factor / first - 1.0).abs() < FACTOR_TOLERANCE)).unwrap_or(1.0)
}

/// Multiplies a parameter of all targets by `factor`, which keeps their proportions.
pub fn scale_param(
    document: &Document,
    skeleton: &Skeleton,
    targets: &EditTargets,
    param: ParamId,
    factor: f32,
) -> Edit {
    let chains = targets.chains.iter().chain(targets.joints.iter().map(|(chain, _)| chain));
    let mut tables = chains.filter_map(|id| document.chains.get(id)).map(|chain| document.param_defs_of(chain));
    let is_integer = tables.any(|table| table.get(param.index()).is_some_and(|def| def.kind == ParamKind::Integer));
    edit_values(document, skeleton, targets, param, ValueChange::Scale { factor, is_integer })
}

fn edit_values(
    document: &Document,
    skeleton: &Skeleton,
    targets: &EditTargets,
    param: ParamId,
    change: ValueChange,
) -> Edit {
    let ring_factor = common_ring_factor(document, &targets.chains, param);
    let (mut edits, mut written) = (Vec::new(), BTreeSet::new());
    for (id, chain) in existing_chains(document, &targets.chains) {
        let mut base = chain.values[param.index()].base;
        let material = document.material_with_param(id, param);
        if chain.is_overridden_by_all_joints(param) {
            let positions = document.curve_positions(chain, skeleton);
            // A fit would change the other chains with the material.
            match fit_chain_at(chain, &positions, param).filter(|_| material.is_none()) {
                Some(fitted) => {
                    base = fitted.base;
                    edits.extend(fitted.into_edits(id, chain, &positions, param));
                }
                // A curve cannot store infinite values from a file, so each override is edited.
                None => edits.extend(chain.joints.iter().filter_map(|j| {
                    Some(Edit::SetOverride {
                        chain: id,
                        bone: j.bone,
                        param,
                        value: Some(change.apply(*j.overrides.get(&param)?)),
                    })
                })),
            }
        }
        if material.is_none_or(|material| written.insert(material)) {
            edits.push(Edit::SetBaseValue { chain: id, param, value: change.apply_to_base(base, ring_factor) });
        }
    }
    for &(chain, bone) in &targets.joints {
        if let Some(old) = joint_value(document, skeleton, chain, bone, param) {
            edits.push(Edit::SetOverride { chain, bone, param, value: Some(change.apply(old)) });
        }
    }
    Edit::Batch(edits)
}

/// Sets or removes the curve of all target chains.
pub fn set_curve(
    document: &Document,
    skeleton: &Skeleton,
    chains: &[ChainId],
    param: ParamId,
    curve: Option<&Curve>,
) -> Edit {
    let mut edits = Vec::new();
    for (id, chain) in existing_chains(document, chains) {
        if chain.is_overridden_by_all_joints(param) && document.material_with_param(id, param).is_none() {
            let positions = document.curve_positions(chain, skeleton);
            if let Some(fitted) = fit_chain_at(chain, &positions, param) {
                edits.extend(fitted.into_edits(id, chain, &positions, param));
            }
        }
        edits.push(Edit::SetCurve { chain: id, param, curve: curve.cloned() });
    }
    Edit::Batch(edits)
}

/// Sets or removes the ring curve of a parameter, in all rings of these chains. Values of all joints of a chain become a
/// base value and a curve first, because a value of a joint would hide the ring curve.
pub fn set_ring_curve(
    document: &Document,
    skeleton: &Skeleton,
    chains: &[ChainId],
    param: ParamId,
    curve: Option<&RingCurve>,
) -> Edit {
    let members: Vec<ChainId> = ring::members(document, chains).into_iter().collect();
    let mut edits = Vec::new();
    for (id, chain) in existing_chains(document, &members) {
        if chain.is_overridden_by_all_joints(param) && document.material_with_param(id, param).is_none() {
            let positions = document.curve_positions(chain, skeleton);
            if let Some(fitted) = fit_chain_at(chain, &positions, param) {
                edits.extend(fitted.into_edits(id, chain, &positions, param));
            }
        }
    }
    edits.push(ring::set_ring_curve(document, chains, param, curve));
    Edit::Batch(edits)
}

/// Restores the values of `loaded`. Sets the default if `loaded` lacks the chain or the joint.
pub fn reset_to_loaded(document: &Document, loaded: &Document, targets: &EditTargets, param: ParamId) -> Edit {
    let mut edits = Vec::new();
    for (id, chain) in existing_chains(document, &targets.chains) {
        let was = loaded.chains.get(&id).filter(|was| loaded.solver_of(was) == document.solver_of(chain));
        let Some(def) = document.param_defs_of(chain).get(param.index()) else { continue };
        let authored = was.map(|c| &c.values[param.index()]);
        let base = authored.map_or(def.default, |a| a.base);
        edits.push(Edit::SetBaseValue { chain: id, param, value: base });
        edits.push(Edit::SetCurve { chain: id, param, curve: authored.and_then(|a| a.curve.clone()) });
        let around = authored.and_then(|authored| authored.around.as_ref());
        edits.push(ring::set_ring_curve(document, &[id], param, around));
        for joint in &chain.joints {
            let value = was
                .and_then(|c| c.joint_index(joint.bone).map(|at| &c.joints[at]))
                .and_then(|j| j.overrides.get(&param).copied());
            edits.push(Edit::SetOverride { chain: id, bone: joint.bone, param, value });
        }
    }
    for &(chain, bone) in &targets.joints {
        let was = loaded.chains.get(&chain).and_then(|c| c.joint_index(bone).map(|at| &c.joints[at]));
        let value = was.and_then(|j| j.overrides.get(&param).copied());
        edits.push(Edit::SetOverride { chain, bone, param, value });
    }
    Edit::Batch(edits)
}

/// Sets the default, and removes the curve and the overrides.
pub fn reset_to_default(document: &Document, targets: &EditTargets, param: ParamId) -> Edit {
    let default = |chain: &Chain| document.param_defs_of(chain).get(param.index()).map_or(0.0, |def| def.default);
    let mut edits = Vec::new();
    for (id, chain) in existing_chains(document, &targets.chains) {
        let default = default(chain);
        edits.push(Edit::SetBaseValue { chain: id, param, value: default });
        edits.push(Edit::SetCurve { chain: id, param, curve: None });
        edits.push(ring::set_ring_curve(document, &[id], param, None));
        edits.extend(clear_overrides(id, chain, param));
    }
    for &(chain, bone) in &targets.joints {
        let value = document.chains.get(&chain).map(default);
        edits.push(Edit::SetOverride { chain, bone, param, value });
    }
    Edit::Batch(edits)
}

pub fn joint_value(
    document: &Document,
    skeleton: &Skeleton,
    chain: ChainId,
    bone: BoneId,
    param: ParamId,
) -> Option<f32> {
    let chain = document.chains.get(&chain)?;
    let joint = chain.joint_index(bone)?;
    let authored = &chain.values[param.index()];
    // Only a curve needs the position, and computing positions visits the whole skeleton.
    let needs_no_position = authored.curve.is_none() || chain.joints[joint].overrides.contains_key(&param);
    let position = if needs_no_position { 0.0 } else { document.curve_positions(chain, skeleton)[joint] };
    Some(chain.joint_value(joint, param, position))
}

/// Relative rounding error of a division by a ring factor.
const RING_TOLERANCE: f32 = 1e-6;

/// A base value and a curve that reproduce the overrides of a chain.
#[derive(Clone, Debug, PartialEq)]
pub struct FittedCurve {
    /// The value with the largest magnitude.
    pub base: f32,
    /// `None` if all values are equal.
    pub curve: Option<Curve>,
}

impl FittedCurve {
    fn value_at(&self, position: f32) -> f32 {
        self.base * self.curve.as_ref().map_or(1.0, |c| c.eval(position))
    }

    /// Clears the overrides that the curve reproduces, and keeps other overrides.
    pub(crate) fn clear_matching_overrides(
        &self,
        id: ChainId,
        chain: &Chain,
        positions: &[f32],
        param: ParamId,
    ) -> Vec<Edit> {
        let joints = chain.joints.iter().zip(positions);
        let factor = chain.ring_factor(param);
        let matching = joints.filter(|(j, position)| {
            j.overrides.get(&param).is_some_and(|own| is_reproduced(self.value_at(**position) * factor, *own, factor))
        });
        matching.map(|(j, _)| Edit::SetOverride { chain: id, bone: j.bone, param, value: None }).collect()
    }

    fn into_edits(self, id: ChainId, chain: &Chain, positions: &[f32], param: ParamId) -> Vec<Edit> {
        let mut edits = self.clear_matching_overrides(id, chain, positions, param);
        edits.push(Edit::SetBaseValue { chain: id, param, value: self.base });
        edits.push(Edit::SetCurve { chain: id, param, curve: self.curve });
        edits
    }
}

/// Whether a fitted value counts as equal to the override. Dividing by a ring factor and multiplying again has more
/// rounding errors.
fn is_reproduced(fitted: f32, own: f32, factor: f32) -> bool {
    within_one_ulp(fitted, own) || factor != 1.0 && (fitted - own).abs() <= RING_TOLERANCE * own.abs()
}

/// Whether two values differ by at most one unit in the last place, which dividing and multiplying by the base can
/// change.
fn within_one_ulp(a: f32, b: f32) -> bool {
    a == b || (a.is_sign_negative() == b.is_sign_negative() && a.to_bits().abs_diff(b.to_bits()) <= 1)
}

/// Fits a curve to a chain whose joints all have finite overrides; otherwise returns `None`. If branches have different
/// values at the same position, the first branch is used.
pub fn fit_chain(chain: &Chain, skeleton: &Skeleton, param: ParamId) -> Option<FittedCurve> {
    if chain.is_overridden_by_all_joints(param) {
        fit_chain_at(chain, &chain.curve_positions(skeleton), param)
    } else {
        None
    }
}

/// Does the same as [`fit_chain`], for known positions of the joints.
pub fn fit_chain_at(chain: &Chain, positions: &[f32], param: ParamId) -> Option<FittedCurve> {
    let own: Option<Vec<f32>> = chain.joints.iter().map(|j| j.overrides.get(&param).copied()).collect();
    let own = own.filter(|own| own.iter().all(|v| v.is_finite()))?;
    let factor = chain.ring_factor(param);
    if factor == 1.0 {
        return Some(fit_values(&own, positions));
    }
    // The ring curve multiplies the fitted values again.
    let own: Vec<f32> = own.into_iter().map(|value| value / factor).collect();
    own.iter().all(|value| value.is_finite()).then(|| fit_values(&own, positions))
}

/// Fits a base value and a curve to finite values at these positions.
pub(crate) fn fit_values(values: &[f32], positions: &[f32]) -> FittedCurve {
    let base = values.iter().fold(0.0, |a: f32, b| if b.abs() > a.abs() { *b } else { a });
    if values.iter().all(|v| *v == base) {
        return FittedCurve { base, curve: None };
    }
    FittedCurve { base, curve: Curve::from_points(&curve_points(positions, values.iter().map(|v| v / base))) }
}

pub(crate) fn curve_points(positions: &[f32], values: impl Iterator<Item = f32>) -> Vec<(f32, f32)> {
    let mut points: Vec<(f32, f32)> = positions.iter().copied().zip(values).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    // If joints of several branches have the same position, the key of the first branch is kept.
    points.dedup_by(|b, a| b.0 - a.0 < 1e-6);
    points
}

fn clear_overrides(id: ChainId, chain: &Chain, param: ParamId) -> Vec<Edit> {
    let own = chain.joints.iter().filter(|j| j.overrides.contains_key(&param));
    own.map(|j| Edit::SetOverride { chain: id, bone: j.bone, param, value: None }).collect()
}

pub(crate) fn existing_chains<'a>(
    document: &'a Document,
    chains: &'a [ChainId],
) -> impl Iterator<Item = (ChainId, &'a Chain)> {
    chains.iter().filter_map(|id| document.chains.get(id).map(|chain| (*id, chain)))
}
