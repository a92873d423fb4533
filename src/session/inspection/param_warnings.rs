//! Warnings about parameters: values without effect, and extensions that the original solver does not have.

use super::Inspection;
use crate::document::{ChainId, Joint, groups};
use crate::params::{ParamGroup, ParamId, ParamKind, ParamMeaning, ParamScope};
use crate::sim::solver::vrm::{self, PreviewRuntime};
use crate::sim::{ForceKind, JointFeature, ParamWarning, SolverKind, SolverOrigin, TunedJoints};

impl Inspection<'_> {
    /// Why the targets' value of a parameter has no effect or an unexpected effect; `None` without warning.
    pub fn param_warning(self, row: ParamId) -> Option<ParamWarning> {
        let remark = self.solver_warning(row);
        // A value without effect is more important than a value out of range.
        let range = self.exceeded_range(row).filter(|_| remark.is_none_or(ParamWarning::has_effect));
        range.map(|(low, high)| ParamWarning::OutOfRange([low, high])).or(remark)
    }

    /// The range of a parameter if a target's value exceeds this range.
    fn exceeded_range(self, row: ParamId) -> Option<(f32, f32)> {
        let view = self.param_view(row);
        let (low, high) = view.values.range()?;
        view.def.range_exceeded_by(low, high)
    }

    fn solver_warning(self, row: ParamId) -> Option<ParamWarning> {
        let solver = self.system().solver;
        if solver == SolverKind::Vrm {
            self.vrm_warning(row)
        } else {
            solver.param_warning(row, &InspectedJoints(self))
        }
    }

    fn vrm_warning(self, row: ParamId) -> Option<ParamWarning> {
        let no_group = || {
            let mut joints = self.target_joints();
            joints.all(|(chain, joint, ..)| self.document.colliders_of(chain, joint).next().is_none())
        };
        (row == vrm::HIT_RADIUS && no_group())
            .then_some(ParamWarning::NoColliderInGroups)
            .or_else(|| self.one_set_per_chain_warning(row))
    }

    /// VRM 0.x stores one value for a whole chain.
    fn one_set_per_chain_warning(self, row: ParamId) -> Option<ParamWarning> {
        if self.system().def(row).scope != ParamScope::Joint || !groups::has_values_per_chain(self.system()) {
            return None;
        }
        let several = |chain: &crate::document::Chain| chain.joints.len() > 1;
        let targets = self.targets();
        if targets.joints.iter().any(|(id, _)| several(&self.document.chains[id])) {
            return Some(ParamWarning::OneValuePerChainTuned);
        }
        let differs = |id: &ChainId| {
            let values = self.joint_values(*id, row);
            values.iter().any(|(_, value)| value.to_bits() != values[0].1.to_bits())
        };
        targets.chains.iter().any(differs).then_some(ParamWarning::OneValuePerChain)
    }

    /// Whether a toggle is on for a target joint.
    pub fn any_toggle_on(self, row: ParamId) -> bool {
        self.target_joints().any(|(chain, _, i, place)| chain.joint_value(i, row, place) != 0.0)
    }
}

/// The queries of a solver for a [`ParamWarning`].
struct InspectedJoints<'a>(Inspection<'a>);

impl TunedJoints for InspectedJoints<'_> {
    fn system_value(&self, row: ParamId) -> f32 {
        self.0.system().get(row)
    }

    fn max_abs_value(&self, row: ParamId) -> f32 {
        self.0.param_view(row).values.range().map_or(0.0, |(low, high)| low.abs().max(high.abs()))
    }

    fn any_value(&self, row: ParamId, test: impl Fn(f32) -> bool) -> bool {
        self.0.target_joints().any(|(chain, _, i, place)| test(chain.joint_value(i, row, place)))
    }

    fn any_tuned_joint_with(&self, part: JointFeature) -> bool {
        self.0.target_joints().any(|(_, joint, ..)| has_joint_feature(joint, part))
    }

    fn any_joint_with(&self, part: JointFeature) -> bool {
        self.0.document.chains.values().flat_map(|chain| &chain.joints).any(|joint| has_joint_feature(joint, part))
    }

    fn wind_blows(&self) -> bool {
        let forces = self.0.document.forces.iter();
        let mut there = forces.filter(|(id, force)| force.enabled && self.0.resolved.force_indices.contains_key(id));
        there.any(|(_, force)| match force.kind {
            ForceKind::Volume { .. } => false,
            ForceKind::Wind(wind) => wind.blows(),
        })
    }

    fn first_bone_scale(&self) -> Option<f32> {
        let frames = &self.0.playback.world().frames().frames;
        self.0.target_joints().find_map(|(_, joint, ..)| frames.get(joint.bone.index()).and_then(non_unit_scale))
    }

    fn any_bone_is_scaled(&self) -> bool {
        self.0.playback.world().frames().frames.iter().any(|frame| non_unit_scale(frame).is_some())
    }

    fn step_seconds(&self) -> f32 {
        self.0.step_seconds()
    }

    fn time_scale(&self) -> f32 {
        self.0.time_scale()
    }
}

fn has_joint_feature(joint: &Joint, part: JointFeature) -> bool {
    match part {
        JointFeature::Pivot => joint.pivot.is_some(),
        JointFeature::Colliders => !joint.colliders.is_empty(),
        JointFeature::LengthTargets => !joint.length_targets.is_empty(),
        JointFeature::AnimatedFlag => joint.animated,
    }
}

/// The scale of a frame along its own X axis, if it is not 1.
fn non_unit_scale(frame: &crate::math::Frame) -> Option<f32> {
    let scale = frame.linear().x_axis.length();
    (frame.scaled && (scale - 1.0).abs() > 1e-3).then_some(scale)
}

/// The implementation whose motion is previewed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PreviewTarget {
    /// Unity, with its quirks.
    Unity,
    /// The improved mode.
    Improved,
    /// The VRM specification.
    Specification,
    UniVrm,
    ThreeVrm,
    /// A plugin for Unreal.
    Unreal,
    /// The public documentation of the original solver.
    Documentation,
}

impl Inspection<'_> {
    /// The implementation whose motion is previewed.
    pub fn preview_target(self) -> PreviewTarget {
        let system = self.system();
        match system.solver.info().origin {
            SolverOrigin::Unity if system.is_improved() => PreviewTarget::Improved,
            SolverOrigin::Unity => PreviewTarget::Unity,
            SolverOrigin::Format => {
                match PreviewRuntime::from_param(self.preview_param().map_or(0.0, |row| system.get(row))) {
                    PreviewRuntime::Specification => PreviewTarget::Specification,
                    PreviewRuntime::UniVrm => PreviewTarget::UniVrm,
                    PreviewRuntime::ThreeVrm => PreviewTarget::ThreeVrm,
                }
            }
            SolverOrigin::Unreal => PreviewTarget::Unreal,
            SolverOrigin::Documentation => PreviewTarget::Documentation,
        }
    }

    /// The parameter that chooses between the original and the improved mode.
    pub fn mode_param(self) -> Option<ParamId> {
        self.system().solver.info().improvements.map(|improvements| improvements.mode)
    }

    /// The parameter that chooses the previewed runtime.
    pub fn preview_param(self) -> Option<ParamId> {
        self.system().solver.info().preview_param
    }

    /// Whether the tuned solver uses pivots as frames of limits.
    pub fn supports_pivots(self) -> bool {
        self.system().param_defs().iter().any(|def| def.group == ParamGroup::AngleLimits)
    }

    /// Whether the tuned solver supports wind and forces.
    pub fn supports_forces(self) -> bool {
        let mut rows = self.system().param_defs().iter();
        rows.any(|def| def.scope == ParamScope::Joint && def.meaning == ParamMeaning::Wind)
    }

    /// Whether the parameter has an effect here but not in the original solver. This holds for an active switch of the
    /// improvements, and for an extension with a value that changes the original behaviour.
    pub fn is_active_extension(self, row: ParamId) -> bool {
        let def = self.system().def(row);
        let Some(improvements) = self.system().improvements() else { return false };
        if !def.extension || row == improvements.mode || self.param_warning(row).is_some() {
            return false;
        }
        let neutral = (improvements.neutral_value)(row);
        if def.scope == ParamScope::System {
            let counts = def.kind == ParamKind::Toggle || (improvements.switch_of)(row).is_none();
            return counts && self.system().get(row) != neutral;
        }
        self.target_joints().any(|(chain, _, i, place)| chain.joint_value(i, row, place) != neutral)
    }

    pub fn active_improvement_count(self) -> usize {
        let rows = crate::params::enumerate_params(self.system().param_defs());
        rows.filter(|(row, def)| def.group == ParamGroup::Improved && self.is_active_extension(*row)).count()
    }

    /// Speed of time for players, 1 for real time: the original solver takes one step of fixed length per frame.
    pub fn time_scale(self) -> f32 {
        if self.is_frame_rate_independent() {
            1.0
        } else {
            self.playback.settings().player_frame_rate as f32 * self.step_seconds()
        }
    }

    /// Duration of a step, in seconds.
    pub fn step_seconds(self) -> f32 {
        let frame = 1.0 / self.playback.settings().player_frame_rate as f32;
        self.system().solver.step_seconds(&self.system().values, frame)
    }

    /// Whether the motion is the same at every frame rate of the players: steps follow the frame, or the improved mode
    /// corrects them.
    pub fn is_frame_rate_independent(self) -> bool {
        self.system().solver.frame_rate_independent(&self.system().values)
    }

    /// The share of an error that one unit of a parameter removes per step, for parameters that are shown as a share.
    pub fn step_share_per_unit(self, row: ParamId) -> Option<f32> {
        (self.system().solver.info().correction_constant == Some(row)).then(|| self.step_seconds().powi(2))
    }
}
