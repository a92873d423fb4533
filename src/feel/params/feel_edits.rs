//! Edits of a chain, computed from the values that its joints need.

use super::joint_response::{JointRequest, JointResponse};
use super::{ChainResponses, FeelContext};
use crate::document::chain::common_value;
use crate::document::param_edits::fit_values;
use crate::document::{Chain, ChainId, Document, Edit, Joint, groups, material, pivot};
use crate::params::{ParamId, ParamSet};
use crate::rig::BoneId;
use crate::sim::FeelParam;
use std::collections::BTreeSet;

/// Factors are equal within this relative difference.
const FACTOR_TOLERANCE: f32 = 1e-5;
/// Greatest number of iterations for joints that share their values.
const MAX_ITERATIONS: usize = 6;

impl<'a> FeelContext<'a> {
    /// The edits that give the joints of a chain the requested terms. Bones whose limits need a pivot are added to
    /// `missing_pivots`. Values of `loaded` are restored if they give the same result.
    pub(super) fn chain_edits(
        &self,
        missing_pivots: &mut BTreeSet<BoneId>,
        id: ChainId,
        chain: &'a Chain,
        responses: &ChainResponses<'a>,
        requested: &[JointRequest],
        loaded: Option<&Chain>,
    ) -> Vec<Edit> {
        let has_one_set = groups::has_values_per_chain(self.document.system_of(chain));
        let (rows, after) =
            if has_one_set { solve_averaged(responses, requested) } else { solve_joints(responses, requested) };
        let writing = ParamEditBuilder { document: self.document, id, chain, responses, solved_params: &after };
        let mut edits = Vec::new();
        for row in rows {
            let was = loaded.filter(|was| writing.matches_loaded(row, was));
            edits.extend(was.map_or_else(|| writing.param_edits(row), |was| writing.restore_edits(row, was)));
        }
        if !edits.is_empty() {
            let limited = requested.iter().zip(&chain.joints).filter(|(requested, _)| requests_limit(requested));
            missing_pivots.extend(self.bones_without_pivot(chain, limited.map(|(_, joint)| joint)));
        }
        edits
    }

    /// Like `chain_edits`, for one joint. The edits set overrides.
    pub(super) fn joint_edits(
        &self,
        missing_pivots: &mut BTreeSet<BoneId>,
        id: ChainId,
        bone: BoneId,
        requested: impl Fn(&JointResponse<'_>, f32) -> Option<JointRequest>,
    ) -> Vec<Edit> {
        let Some(chain) = self.document.chains.get(&id) else { return Vec::new() };
        let Some(at) = chain.joint_index(bone) else { return Vec::new() };
        let responses = self.chain_responses(chain);
        let Some(requested) = requested(&responses.joints[at], responses.curve_positions[at]) else {
            return Vec::new();
        };
        let rows = responses.joints[at].solve(&requested);
        let own = |(row, value)| Edit::SetOverride { chain: id, bone, row, value: Some(value) };
        let edits: Vec<Edit> = rows.into_iter().map(own).collect();
        if !edits.is_empty() && requests_limit(&requested) {
            missing_pivots.extend(self.bones_without_pivot(chain, std::iter::once(&chain.joints[at])));
        }
        edits
    }

    /// Bones with limits but without a pivot. Without a pivot, the frame of the limits is undefined.
    fn bones_without_pivot<'b>(
        &self,
        chain: &Chain,
        joints: impl Iterator<Item = &'b Joint>,
    ) -> impl Iterator<Item = BoneId> {
        let measures = self.document.solver_of(chain).info().has_pivot_limits();
        joints.filter(move |joint| measures && joint.pivot.is_none()).map(|joint| joint.bone)
    }

    /// One batch with the pivots that limits need. The pivots are created together, because separate edits would use
    /// one id twice. If several chains share a material, the edits of the first chain are used.
    pub(crate) fn batch_with_pivots(&self, edits: Vec<Edit>, missing_pivots: &BTreeSet<BoneId>) -> Edit {
        let mut edits = material::without_duplicate_writes(self.document, edits);
        let made = |bones: &[BoneId]| {
            let edit = pivot::align_pivots(self.document, self.skeleton, bones);
            self.document.clone().apply(edit.clone()).is_ok().then_some(edit)
        };
        if missing_pivots.is_empty() {
            return Edit::Batch(edits);
        }
        let all: Vec<BoneId> = missing_pivots.iter().copied().collect();
        edits.extend(made(&all).or_else(|| {
            // If the document refuses the edit, these limits use the frame of the parent, as in Unity.
            let mut kept = Vec::new();
            for bone in all {
                kept.push(bone);
                if made(&kept).is_none() {
                    kept.pop();
                }
            }
            made(&kept)
        }));
        Edit::Batch(edits)
    }
}

fn requests_limit(requested: &JointRequest) -> bool {
    requested
        .params
        .iter()
        .any(|(term, value)| *term == FeelParam::MaxAngle && *value < crate::sim::UNLIMITED_ANGLE_DEG)
}

/// Solves each joint separately. Returns the parameters that change on any joint, and the values of all joints.
fn solve_joints(responses: &ChainResponses<'_>, requested: &[JointRequest]) -> (BTreeSet<ParamId>, Vec<ParamSet>) {
    let mut all = BTreeSet::new();
    let joint = |(joint_response, requested): (&JointResponse<'_>, &JointRequest)| {
        let rows = joint_response.solve(requested);
        all.extend(rows.iter().map(|(row, _)| *row));
        let mut joint_response = joint_response.clone();
        joint_response.set_params(&rows);
        joint_response.joint_params
    };
    let after = responses.joints.iter().zip(requested).map(joint).collect();
    (all, after)
}

/// Solves a VRM 0.x chain, whose joints share their values. The result is the mean of the solutions, scaled so that the
/// greatest value of each term equals the request.
fn solve_averaged(responses: &ChainResponses<'_>, requested: &[JointRequest]) -> (BTreeSet<ParamId>, Vec<ParamSet>) {
    let mut aim = requested.to_vec();
    let (mut rows, mut after) = (BTreeSet::new(), Vec::new());
    for _ in 0..MAX_ITERATIONS {
        let (more, sets) = solve_joints(responses, &aim);
        rows.extend(more);
        after = sets;
        let count = after.len().max(1) as f32;
        for row in &rows {
            let mean = after.iter().map(|set| set.get(*row)).sum::<f32>() / count;
            for set in &mut after {
                set.set(*row, mean);
            }
        }
        for term in FeelParam::ALL {
            let wanted = requested.iter().filter_map(|joint| joint.get(term)).fold(0.0, f32::max);
            let found = responses
                .joints
                .iter()
                .zip(&after)
                .filter_map(|(joint_response, set)| joint_response.with_joint_params(set).feel_value(term));
            let found = found.fold(0.0, f32::max);
            if wanted > 0.0 && found > 0.0 {
                for joint in &mut *aim {
                    joint.scale(term, wanted / found);
                }
            }
        }
    }
    (rows, after)
}

struct ParamEditBuilder<'a, 'b> {
    document: &'a Document,
    id: ChainId,
    chain: &'a Chain,
    responses: &'b ChainResponses<'a>,
    solved_params: &'b [ParamSet],
}

impl ParamEditBuilder<'_, '_> {
    fn joint_values(&self, row: ParamId) -> impl Iterator<Item = (&Joint, f32)> {
        self.chain.joints.iter().zip(self.solved_params).map(move |(joint, set)| (joint, set.get(row)))
    }

    fn override_edit(&self, joint: &Joint, row: ParamId, value: Option<f32>) -> Edit {
        Edit::SetOverride { chain: self.id, bone: joint.bone, row, value }
    }

    /// The edits of one parameter. If all joints without an override agree, sets a common value. If all values change
    /// by the same factor, scales the base value and the overrides. Otherwise sets an override on each joint.
    fn param_edits(&self, row: ParamId) -> Vec<Edit> {
        let is_own = |joint: &Joint| joint.overrides.contains_key(&row);
        let base = |value| Edit::SetBaseValue { chain: self.id, row, value };
        let level = |value| [base(value), Edit::SetCurve { chain: self.id, row, curve: None }];
        let owned: Vec<_> = self.joint_values(row).filter(|(joint, _)| is_own(joint)).collect();
        if let Some(all) = self.common_value_for(row, |_| true) {
            let freed = owned.iter().map(|(joint, _)| self.override_edit(joint, row, None));
            return level(all).into_iter().chain(freed).collect();
        }
        let kept = || owned.iter().map(|(joint, value)| self.override_edit(joint, row, Some(*value)));
        if let Some(all) = self.common_value_for(row, |joint| !is_own(joint)) {
            return level(all).into_iter().chain(kept()).collect();
        }
        if let Some(factor) = self.common_factor(row) {
            let scaled = base(self.chain.values[row.index()].base * factor);
            return std::iter::once(scaled).chain(kept()).collect();
        }
        self.fitted_curve_edits(row).unwrap_or_else(|| {
            self.joint_values(row).map(|(joint, value)| self.override_edit(joint, row, Some(value))).collect()
        })
    }

    /// The edits that fit a curve with one key per joint, for a parameter of a material. Overrides would not change the
    /// material.
    fn fitted_curve_edits(&self, row: ParamId) -> Option<Vec<Edit>> {
        self.document.material_with_param(self.id, row)?;
        let values: Vec<f32> = self.joint_values(row).map(|(_, value)| value).collect();
        let fitted =
            values.iter().all(|v| v.is_finite()).then(|| fit_values(&values, &self.responses.curve_positions))?;
        let base = Edit::SetBaseValue { chain: self.id, row, value: fitted.base };
        let own = self.chain.joints.iter().filter(|joint| joint.overrides.contains_key(&row));
        let freed = own.map(|joint| self.override_edit(joint, row, None));
        Some([base, Edit::SetCurve { chain: self.id, row, curve: fitted.curve }].into_iter().chain(freed).collect())
    }

    /// The common value of some joints, if the value gives all of them the same feel. Near the end of a range, a small
    /// change can matter.
    fn common_value_for(&self, row: ParamId, of: impl Fn(&Joint) -> bool) -> Option<f32> {
        let all = common_value(self.joint_values(row).filter(|(joint, _)| of(joint)).map(|(_, value)| value))?;
        let joints = self.chain.joints.iter().zip(&self.responses.joints).zip(self.solved_params);
        let mut joint_response = joints
            .filter(|((joint, _), _)| of(joint))
            .map(|((_, joint_response), set)| joint_response.with_joint_params(set));
        joint_response.all(|joint_response| joint_response.has_same_feel(row, all)).then_some(all)
    }

    /// The common factor of all values of a parameter, if the rounding of the factor does not change the feel.
    fn common_factor(&self, row: ParamId) -> Option<f32> {
        let pairs = || {
            self.responses
                .joints
                .iter()
                .zip(self.solved_params)
                .map(|(joint_response, set)| (joint_response.joint_params.get(row), set.get(row)))
        };
        let (then, now) = pairs().find(|(then, _)| *then != 0.0)?;
        let factor = now / then;
        let mut joint_response = self.responses.joints.iter().zip(self.solved_params);
        let is_factor = pairs().all(|(then, now)| (then * factor - now).abs() <= FACTOR_TOLERANCE * now.abs())
            && joint_response.all(|(joint_response, set)| {
                joint_response.with_joint_params(set).has_same_feel(row, joint_response.joint_params.get(row) * factor)
            });
        is_factor.then_some(factor)
    }

    /// Whether every joint has the value of `was` for a parameter.
    fn matches_loaded(&self, row: ParamId, was: &Chain) -> bool {
        let mut joints = self.chain.joints.iter().zip(&was.joints);
        let same = was.joints.len() == self.chain.joints.len() && joints.all(|(now, then)| now.bone == then.bone);
        let then = |at: usize| was.joint_value(at, row, self.responses.curve_positions[at]);
        let alike = |(at, (_, value))| {
            common_value([then(at), value].into_iter()).is_some()
                && self.responses.joints[at].with_joint_params(&self.solved_params[at]).has_same_feel(row, then(at))
        };
        same && self.joint_values(row).enumerate().all(alike)
    }

    fn restore_edits(&self, row: ParamId, was: &Chain) -> Vec<Edit> {
        let authored = was.values[row.index()].clone();
        let own = self.chain.joints.iter().zip(&was.joints);
        let own = own.map(|(joint, then)| self.override_edit(joint, row, then.overrides.get(&row).copied()));
        let base = Edit::SetBaseValue { chain: self.id, row, value: authored.base };
        [base, Edit::SetCurve { chain: self.id, row, curve: authored.curve }].into_iter().chain(own).collect()
    }
}

/// The edit of an override. If the value equals the value of `loaded` up to rounding, the exact loaded value is used.
pub(super) fn restore_loaded_value(edit: Edit, loaded: Option<(&Chain, usize)>, position: f32) -> Edit {
    match (edit, loaded) {
        (Edit::SetOverride { chain, bone, row, value: Some(value) }, Some((was, at)))
            if common_value([was.joint_value(at, row, position), value].into_iter()).is_some() =>
        {
            Edit::SetOverride { chain, bone, row, value: was.joints[at].overrides.get(&row).copied() }
        }
        (edit, _) => edit,
    }
}
