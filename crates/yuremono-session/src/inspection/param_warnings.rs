//! Warnings about parameters: values without effect, and extensions that the original solver does not have.

use super::Inspection;
use yuremono_model::document::{ChainId, Joint, groups};
use yuremono_sim::params::{ParamGroup, ParamId, ParamKind, ParamMeaning, ParamScope};
use yuremono_sim::solver::vrm::{self, PreviewRuntime};
use yuremono_sim::{ForceKind, JointFeature, ParamWarning, SolverKind, SolverOrigin, TunedJoints};

impl Inspection<'_> {
    /// Returns why the targets' value of a parameter has no effect or an unexpected effect; `None` if there is no
    /// warning.
    pub fn param_warning(self, param: ParamId) -> Option<ParamWarning> {
        let remark = self.solver_warning(param);
        // A missing effect matters more than a value out of range, so it is reported first.
        let range = self.exceeded_range(param).filter(|_| remark.is_none_or(ParamWarning::has_effect));
        range.map(|(low, high)| ParamWarning::OutOfRange([low, high])).or(remark)
    }

    /// Returns the range of a parameter if a target's value is outside of it.
    fn exceeded_range(self, param: ParamId) -> Option<(f32, f32)> {
        let view = self.param_view(param);
        let (low, high) = view.values.range()?;
        view.def.range_exceeded_by(low, high)
    }

    fn solver_warning(self, param: ParamId) -> Option<ParamWarning> {
        let solver = self.system().solver;
        if solver == SolverKind::Vrm {
            self.vrm_warning(param)
        } else {
            solver.param_warning(param, &InspectedJoints(self))
        }
    }

    fn vrm_warning(self, param: ParamId) -> Option<ParamWarning> {
        let no_group = || {
            let mut joints = self.target_joints();
            joints.all(|(chain, joint, ..)| self.document.colliders_of(chain, joint).next().is_none())
        };
        (param == vrm::HIT_RADIUS && no_group())
            .then_some(ParamWarning::NoColliderInGroups)
            .or_else(|| self.one_value_per_chain_warning(param))
    }

    /// Warns about differing joint values that a VRM 0.x file cannot store: it stores one value per chain.
    fn one_value_per_chain_warning(self, param: ParamId) -> Option<ParamWarning> {
        if self.system().def(param).scope != ParamScope::Joint || !groups::has_values_per_chain(self.system()) {
            return None;
        }
        let several = |chain: &yuremono_model::document::Chain| chain.joints.len() > 1;
        let targets = self.targets();
        if targets.joints.iter().any(|(id, _)| several(&self.document.chains[id])) {
            return Some(ParamWarning::OneValuePerChainTuned);
        }
        let differs = |id: &ChainId| {
            let values = self.joint_values(*id, param);
            values.iter().any(|(_, value)| value.to_bits() != values[0].1.to_bits())
        };
        targets.chains.iter().any(differs).then_some(ParamWarning::OneValuePerChain)
    }

    /// Returns whether a toggle is on for any target joint.
    pub fn any_toggle_on(self, param: ParamId) -> bool {
        self.target_joints().any(|(chain, _, i, place)| chain.joint_value(i, param, place) != 0.0)
    }
}

/// Answers a solver's queries from the selection.
struct InspectedJoints<'a>(Inspection<'a>);

impl TunedJoints for InspectedJoints<'_> {
    fn system_value(&self, param: ParamId) -> f32 {
        self.0.system().get(param)
    }

    fn max_abs_value(&self, param: ParamId) -> f32 {
        self.0.param_view(param).values.range().map_or(0.0, |(low, high)| low.abs().max(high.abs()))
    }

    fn any_value(&self, param: ParamId, test: impl Fn(f32) -> bool) -> bool {
        self.0.target_joints().any(|(chain, _, i, place)| test(chain.joint_value(i, param, place)))
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
            ForceKind::Wind(wind) => wind.has_force(),
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

/// Returns the scale of a frame along its own X axis, if the scale is not 1.
fn non_unit_scale(frame: &yuremono_sim::math::Frame) -> Option<f32> {
    let scale = frame.linear().x_axis.length();
    (frame.scaled && (scale - 1.0).abs() > 1e-3).then_some(scale)
}

/// The implementation whose motion the preview reproduces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PreviewTarget {
    /// Unity, including its quirks.
    Unity,
    /// Unity in the improved mode.
    Improved,
    /// The VRM specification.
    Specification,
    UniVrm,
    ThreeVrm,
    /// An Unreal plugin.
    Unreal,
    /// The public documentation of the original solver.
    Documentation,
}

impl Inspection<'_> {
    /// Returns the implementation whose motion the preview reproduces.
    pub fn preview_target(self) -> PreviewTarget {
        let system = self.system();
        match system.solver.info().origin {
            SolverOrigin::Unity if system.is_improved() => PreviewTarget::Improved,
            SolverOrigin::Unity => PreviewTarget::Unity,
            SolverOrigin::Format => {
                match PreviewRuntime::from_param(self.preview_param().map_or(0.0, |param| system.get(param))) {
                    PreviewRuntime::Specification => PreviewTarget::Specification,
                    PreviewRuntime::UniVrm => PreviewTarget::UniVrm,
                    PreviewRuntime::ThreeVrm => PreviewTarget::ThreeVrm,
                }
            }
            SolverOrigin::Unreal => PreviewTarget::Unreal,
            SolverOrigin::Documentation => PreviewTarget::Documentation,
        }
    }

    /// Returns the parameter that switches between the original and the improved mode.
    pub fn mode_param(self) -> Option<ParamId> {
        self.system().solver.info().improvements.map(|improvements| improvements.mode)
    }

    /// Returns the parameter that selects the previewed runtime.
    pub fn preview_param(self) -> Option<ParamId> {
        self.system().solver.info().preview_param
    }

    /// Returns whether the tuned solver measures angle limits from pivots.
    pub fn supports_pivots(self) -> bool {
        self.system().param_defs().iter().any(|def| def.group == ParamGroup::AngleLimits)
    }

    /// Returns whether the tuned solver supports wind and forces.
    pub fn supports_forces(self) -> bool {
        let mut rows = self.system().param_defs().iter();
        rows.any(|def| def.scope == ParamScope::Joint && def.meaning == ParamMeaning::Wind)
    }

    /// Returns whether a parameter has an effect here that the original solver does not have. The parameter is either a
    /// switch of an improvement that is on, or an extension whose value changes the original behaviour.
    pub fn is_active_extension(self, param: ParamId) -> bool {
        let def = self.system().def(param);
        let Some(improvements) = self.system().improvements() else { return false };
        if !def.extension || param == improvements.mode || self.param_warning(param).is_some() {
            return false;
        }
        let neutral = (improvements.neutral_value)(param);
        if def.scope == ParamScope::System {
            let counts = def.kind == ParamKind::Toggle || (improvements.switch_of)(param).is_none();
            return counts && self.system().get(param) != neutral;
        }
        self.target_joints().any(|(chain, _, i, place)| chain.joint_value(i, param, place) != neutral)
    }

    pub fn active_improvement_count(self) -> usize {
        let rows = yuremono_sim::params::enumerate_params(self.system().param_defs());
        rows.filter(|(param, def)| def.group == ParamGroup::Improved && self.is_active_extension(*param)).count()
    }

    /// Returns how fast time passes for players, 1 for real time. The original solver takes one step of fixed length
    /// per frame, so its speed depends on the frame rate.
    pub fn time_scale(self) -> f32 {
        if self.is_frame_rate_independent() {
            1.0
        } else {
            self.playback.settings().player_frame_rate as f32 * self.step_seconds()
        }
    }

    /// Returns the duration of a step, in seconds.
    pub fn step_seconds(self) -> f32 {
        let frame = 1.0 / self.playback.settings().player_frame_rate as f32;
        self.system().solver.step_seconds(&self.system().values, frame)
    }

    /// Returns whether the motion is the same at every frame rate: the step length follows the frame rate, or the
    /// improved mode corrects the motion.
    pub fn is_frame_rate_independent(self) -> bool {
        self.system().solver.frame_rate_independent(&self.system().values)
    }

    /// Returns the share of an error that one unit of a parameter removes per step; `None` for parameters that are not
    /// shown as a share.
    pub fn step_share_per_unit(self, param: ParamId) -> Option<f32> {
        (self.system().solver.info().correction_constant == Some(param)).then(|| self.step_seconds().powi(2))
    }
}
