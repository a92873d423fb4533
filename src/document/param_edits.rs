//! Maps requests such as "this value on these chains" to edits.
//!
//! Each function reads the document and returns an [`Edit`]. Chains are edited by base value and curve, joints by
//! overrides. If all joints of a chain override a parameter, for example after an import, the overrides are first
//! fitted to a curve with one key per joint.

use crate::document::{Chain, ChainId, Document, Edit};
use crate::math::Curve;
use crate::params::{ParamId, ParamKind};
use crate::rig::{BoneId, Skeleton};
use std::collections::BTreeSet;

/// The targets of a change.
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

/// Sets a parameter of all targets.
pub fn set_param(document: &Document, skeleton: &Skeleton, targets: &EditTargets, row: ParamId, value: f32) -> Edit {
    edit_values(document, skeleton, targets, row, |_| value)
}

/// Multiplies a parameter of all targets. Their proportions stay unchanged.
pub fn scale_param(document: &Document, skeleton: &Skeleton, targets: &EditTargets, row: ParamId, factor: f32) -> Edit {
    let chains = targets.chains.iter().chain(targets.joints.iter().map(|(chain, _)| chain));
    let mut tables = chains.filter_map(|id| document.chains.get(id)).map(|chain| document.param_defs_of(chain));
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
        if chain.is_overridden_by_all_joints(row) {
            let positions = document.curve_positions(chain, skeleton);
            // A fit would change the other chains of a material.
            match fit_chain_at(chain, &positions, row).filter(|_| material.is_none()) {
                Some(fitted) => {
                    base = fitted.base;
                    edits.extend(fitted.into_edits((id, chain), &positions, row));
                }
                // A curve cannot store infinite values of a file, so each override is edited.
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

/// Sets the curve of all target chains. `None` removes the curve.
pub fn set_curve(
    document: &Document,
    skeleton: &Skeleton,
    chains: &[ChainId],
    row: ParamId,
    curve: Option<&Curve>,
) -> Edit {
    let mut edits = Vec::new();
    for (id, chain) in existing_chains(document, chains) {
        if chain.is_overridden_by_all_joints(row) && document.material_with_param(id, row).is_none() {
            let positions = document.curve_positions(chain, skeleton);
            if let Some(fitted) = fit_chain_at(chain, &positions, row) {
                edits.extend(fitted.into_edits((id, chain), &positions, row));
            }
        }
        edits.push(Edit::SetCurve { chain: id, row, curve: curve.cloned() });
    }
    Edit::Batch(edits)
}

/// Restores the values of `loaded`. If `loaded` lacks the chain or the joint, sets the default.
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

/// Sets the default and removes the curve and the overrides.
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

/// The value of a joint.
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
    // The computation of positions walks over the skeleton, and only a curve needs positions.
    let level = authored.curve.is_none() || chain.joints[joint].overrides.contains_key(&row);
    let position = if level { 0.0 } else { document.curve_positions(chain, skeleton)[joint] };
    Some(chain.joint_value(joint, row, position))
}

/// A base value and a curve that reproduce the overrides of a chain.
#[derive(Clone, Debug, PartialEq)]
pub struct FittedCurve {
    /// The value farthest from zero.
    pub base: f32,
    /// `None` if all values are equal.
    pub curve: Option<Curve>,
}

impl FittedCurve {
    fn value_at(&self, position: f32) -> f32 {
        self.base * self.curve.as_ref().map_or(1.0, |c| c.eval(position))
    }

    /// Clears the overrides that the curve reproduces. Other overrides are kept.
    pub(crate) fn clear_matching_overrides(
        &self,
        (id, chain): (ChainId, &Chain),
        positions: &[f32],
        row: ParamId,
    ) -> Vec<Edit> {
        let joints = chain.joints.iter().zip(positions);
        let matching = joints.filter(|(j, position)| {
            j.overrides.get(&row).is_some_and(|own| within_one_ulp(self.value_at(**position), *own))
        });
        matching.map(|(j, _)| Edit::SetOverride { chain: id, bone: j.bone, row, value: None }).collect()
    }

    fn into_edits(self, (id, chain): (ChainId, &Chain), positions: &[f32], row: ParamId) -> Vec<Edit> {
        let mut edits = self.clear_matching_overrides((id, chain), positions, row);
        edits.push(Edit::SetBaseValue { chain: id, row, value: self.base });
        edits.push(Edit::SetCurve { chain: id, row, curve: self.curve });
        edits
    }
}

/// Whether two values are equal up to one unit in the last place. Division and multiplication by the base can change
/// this unit.
fn within_one_ulp(a: f32, b: f32) -> bool {
    a == b || (a.is_sign_negative() == b.is_sign_negative() && a.to_bits().abs_diff(b.to_bits()) <= 1)
}

/// Fits a chain whose joints all have finite overrides. Otherwise returns `None`. If two branches have different values
/// at one position, the first branch is used.
pub fn fit_chain(chain: &Chain, skeleton: &Skeleton, row: ParamId) -> Option<FittedCurve> {
    if chain.is_overridden_by_all_joints(row) {
        fit_chain_at(chain, &chain.curve_positions(skeleton), row)
    } else {
        None
    }
}

/// Like [`fit_chain`], for known positions of the joints.
pub fn fit_chain_at(chain: &Chain, positions: &[f32], row: ParamId) -> Option<FittedCurve> {
    let own: Option<Vec<f32>> = chain.joints.iter().map(|j| j.overrides.get(&row).copied()).collect();
    let own = own.filter(|own| own.iter().all(|v| v.is_finite()))?;
    Some(fit_values(&own, positions))
}

/// Fits finite values at these positions.
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
    // If joints of several branches have the same position, the key is that of the first branch.
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
