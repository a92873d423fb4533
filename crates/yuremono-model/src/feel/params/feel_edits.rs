//! Computes the edits of a chain from the values that its joints need.

use super::joint_response::{JointRequest, JointResponse};
use super::{ChainResponses, FeelContext};
use crate::document::chain::common_value;
use crate::document::param_edits::fit_values;
use crate::document::{Chain, ChainId, Document, Edit, Joint, groups, material, pivot};
use std::collections::BTreeSet;
use yuremono_sim::FeelParam;
use yuremono_sim::params::{ParamId, ParamSet};
use yuremono_sim::rig::BoneId;

/// Factors within this relative difference count as equal.
const FACTOR_TOLERANCE: f32 = 1e-5;
/// Maximum number of iterations for joints that share their values.
const MAX_ITERATIONS: usize = 6;

impl<'a> FeelContext<'a> {
    /// The edits with which the joints of a chain reach the requested terms. Bones with limits that need a pivot are
    /// added to `missing_pivots`. Values of `loaded` are restored if they produce the same result.
    pub(super) fn chain_edits(
        &self,
        missing_pivots: &mut BTreeSet<BoneId>,
        id: ChainId,
        chain: &'a Chain,
        responses: &ChainResponses<'a>,
        requested: &[JointRequest],
        loaded: Option<&Chain>,
    ) -> Vec<Edit> {
        let (rows, after) = self.solve_chain(chain, responses, requested);
        let writing = ParamEditBuilder { document: self.document, id, chain, responses, solved_params: &after };
        let mut edits = Vec::new();
        for param in rows {
            let was = loaded.filter(|was| writing.matches_loaded(param, was));
            edits.extend(was.map_or_else(|| writing.param_edits(param), |was| writing.restore_edits(param, was)));
        }
        if !edits.is_empty() {
            let limited = requested.iter().zip(&chain.joints).filter(|(requested, _)| requests_limit(requested));
            missing_pivots.extend(self.bones_without_pivot(chain, limited.map(|(_, joint)| joint)));
        }
        edits
    }

    /// Returns the parameters that change on any joint, and the values of all joints.
    pub(super) fn solve_chain(
        &self,
        chain: &Chain,
        responses: &ChainResponses<'_>,
        requested: &[JointRequest],
    ) -> (BTreeSet<ParamId>, Vec<ParamSet>) {
        let has_one_set = groups::has_values_per_chain(self.document.system_of(chain));
        if has_one_set { solve_averaged(responses, requested) } else { solve_joints(responses, requested) }
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
        let own = |(param, value)| Edit::SetOverride { chain: id, bone, param, value: Some(value) };
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

    /// One batch of all edits, including edits that create the missing pivots. The pivots are created together, because
    /// separate edits would use the same id twice. If several chains share a material, the edits of the first chain are
    /// used.
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
            // If the document rejects the edit, these limits use the frame of the parent, as in Unity.
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
        .any(|(term, value)| *term == FeelParam::MaxAngle && *value < yuremono_sim::UNLIMITED_ANGLE_DEG)
}

/// Solves each joint separately. Returns the parameters that change on any joint, and the values of all joints.
fn solve_joints(responses: &ChainResponses<'_>, requested: &[JointRequest]) -> (BTreeSet<ParamId>, Vec<ParamSet>) {
    let mut all = BTreeSet::new();
    let joint = |(joint_response, requested): (&JointResponse<'_>, &JointRequest)| {
        let rows = joint_response.solve(requested);
        all.extend(rows.iter().map(|(param, _)| *param));
        let mut joint_response = joint_response.clone();
        joint_response.set_params(&rows);
        joint_response.joint_params
    };
    let after = responses.joints.iter().zip(requested).map(joint).collect();
    (all, after)
}

/// Solves a VRM 0.x chain, in which all joints share their values. The result is the mean of the solutions, scaled
/// until the greatest value of each term equals the greatest requested value.
fn solve_averaged(responses: &ChainResponses<'_>, requested: &[JointRequest]) -> (BTreeSet<ParamId>, Vec<ParamSet>) {
    let mut aim = requested.to_vec();
    let (mut rows, mut after) = (BTreeSet::new(), Vec::new());
    for _ in 0..MAX_ITERATIONS {
        let (more, sets) = solve_joints(responses, &aim);
        rows.extend(more);
        after = sets;
        let count = after.len().max(1) as f32;
        for param in &rows {
            let mean = after.iter().map(|set| set.get(*param)).sum::<f32>() / count;
            for set in &mut after {
                set.set(*param, mean);
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
    fn joint_values(&self, param: ParamId) -> impl Iterator<Item = (&Joint, f32)> {
        self.chain.joints.iter().zip(self.solved_params).map(move |(joint, set)| (joint, set.get(param)))
    }

    fn override_edit(&self, joint: &Joint, param: ParamId, value: Option<f32>) -> Edit {
        Edit::SetOverride { chain: self.id, bone: joint.bone, param, value }
    }

    /// The edits of one parameter. If all joints without an override agree, the edits set a common value. If all values
    /// change by the same factor, the edits scale the base value and the overrides. Otherwise they set an override on
    /// each joint.
    fn param_edits(&self, param: ParamId) -> Vec<Edit> {
        let is_own = |joint: &Joint| joint.overrides.contains_key(&param);
        let base = |value| Edit::SetBaseValue { chain: self.id, param, value };
        let level = |value| [base(value), Edit::SetCurve { chain: self.id, param, curve: None }];
        let owned: Vec<_> = self.joint_values(param).filter(|(joint, _)| is_own(joint)).collect();
        if let Some(all) = self.common_value_for(param, |_| true) {
            let freed = owned.iter().map(|(joint, _)| self.override_edit(joint, param, None));
            return level(all).into_iter().chain(freed).collect();
        }
        let kept = || owned.iter().map(|(joint, value)| self.override_edit(joint, param, Some(*value)));
        if let Some(all) = self.common_value_for(param, |joint| !is_own(joint)) {
            return level(all).into_iter().chain(kept()).collect();
        }
        if let Some(factor) = self.common_factor(param) {
            let scaled = base(self.chain.values[param.index()].base * factor);
            return std::iter::once(scaled).chain(kept()).collect();
        }
        self.fitted_curve_edits(param).unwrap_or_else(|| {
            self.joint_values(param).map(|(joint, value)| self.override_edit(joint, param, Some(value))).collect()
        })
    }

    /// The edits that fit a curve with one key per joint, for a parameter of a material or with a ring curve. Overrides
    /// would not change the material, and would replace the ring curve.
    fn fitted_curve_edits(&self, param: ParamId) -> Option<Vec<Edit>> {
        let has_ring_curve = self.chain.ring.is_some() && self.chain.values[param.index()].around.is_some();
        let has_material = self.document.material_with_param(self.id, param).is_some();
        if !has_ring_curve && !has_material {
            return None;
        }
        let values: Vec<f32> = self.joint_values(param).map(|(_, value)| value).collect();
        let fitted =
            values.iter().all(|v| v.is_finite()).then(|| fit_values(&values, &self.responses.curve_positions))?;
        let base = Edit::SetBaseValue { chain: self.id, param, value: fitted.base };
        let own = self.joint_values(param).filter(|(joint, _)| joint.overrides.contains_key(&param));
        let kept = own.map(|(joint, value)| self.override_edit(joint, param, (!has_material).then_some(value)));
        Some([base, Edit::SetCurve { chain: self.id, param, curve: fitted.curve }].into_iter().chain(kept).collect())
    }

    /// The common value of some joints, if all of them have the same feel with this value. Near the end of a range, a
    /// small change can affect the feel.
    fn common_value_for(&self, param: ParamId, of: impl Fn(&Joint) -> bool) -> Option<f32> {
        let all = common_value(self.joint_values(param).filter(|(joint, _)| of(joint)).map(|(_, value)| value))?;
        let joints = self.chain.joints.iter().zip(&self.responses.joints).zip(self.solved_params);
        let mut joint_response = joints
            .filter(|((joint, _), _)| of(joint))
            .map(|((_, joint_response), set)| joint_response.with_joint_params(set));
        joint_response.all(|joint_response| joint_response.has_same_feel(param, all)).then_some(all)
    }

    /// The common factor of all values of a parameter, if the rounding of the factor does not change the feel.
    fn common_factor(&self, param: ParamId) -> Option<f32> {
        let pairs = || {
            self.responses
                .joints
                .iter()
                .zip(self.solved_params)
                .map(|(joint_response, set)| (joint_response.joint_params.get(param), set.get(param)))
        };
        let (then, now) = pairs().find(|(then, _)| *then != 0.0)?;
        let factor = now / then;
        let mut joint_response = self.responses.joints.iter().zip(self.solved_params);
        let is_factor = pairs().all(|(then, now)| (then * factor - now).abs() <= FACTOR_TOLERANCE * now.abs())
            && joint_response.all(|(joint_response, set)| {
                joint_response
                    .with_joint_params(set)
                    .has_same_feel(param, joint_response.joint_params.get(param) * factor)
            });
        is_factor.then_some(factor)
    }

    /// Whether every joint has the same value of a parameter as in `was`.
    fn matches_loaded(&self, param: ParamId, was: &Chain) -> bool {
        let mut joints = self.chain.joints.iter().zip(&was.joints);
        let same = was.joints.len() == self.chain.joints.len() && joints.all(|(now, then)| now.bone == then.bone);
        let then = |at: usize| was.joint_value_without_ring(at, param, self.responses.curve_positions[at]);
        let alike = |(at, (_, value))| {
            common_value([then(at), value].into_iter()).is_some()
                && self.responses.joints[at].with_joint_params(&self.solved_params[at]).has_same_feel(param, then(at))
        };
        same && self.joint_values(param).enumerate().all(alike)
    }

    fn restore_edits(&self, param: ParamId, was: &Chain) -> Vec<Edit> {
        let authored = was.values[param.index()].clone();
        let own = self.chain.joints.iter().zip(&was.joints);
        let own = own.map(|(joint, then)| self.override_edit(joint, param, then.overrides.get(&param).copied()));
        let base = Edit::SetBaseValue { chain: self.id, param, value: authored.base };
        [base, Edit::SetCurve { chain: self.id, param, curve: authored.curve }].into_iter().chain(own).collect()
    }
}

/// Replaces the value of an override edit with the exact value of `loaded`, if both values are equal up to rounding.
pub(super) fn restore_loaded_value(edit: Edit, loaded: Option<(&Chain, usize)>, position: f32) -> Edit {
    match (edit, loaded) {
        (Edit::SetOverride { chain, bone, param, value: Some(value) }, Some((was, at)))
            if common_value([was.joint_value(at, param, position), value].into_iter()).is_some() =>
        {
            Edit::SetOverride { chain, bone, param, value: was.joints[at].overrides.get(&param).copied() }
        }
        (edit, _) => edit,
    }
}
