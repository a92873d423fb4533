//! The response of a joint, as parameters that all solvers share. It lets a feel transfer between solvers.
//!
//! A solver converts its parameters to a response ([`response`](super::ResponseModel::response)) and back
//! ([`params_for`](super::ResponseModel::params_for)). [`SolverInfo::unsupported`](super::SolverInfo::unsupported)
//! lists the terms that its parameters cannot express. [`linear_spring`](super::linear_spring) defines frequency,
//! damping ratio and acceleration.

use super::linear_spring::SpringFeel;
use crate::params::{ParamDef, ParamId, ParamMeaning, ParamSet, SliderScale, Unit, params};
use glam::Vec3;
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// The response of a joint. A term is `None` if the solver does not support it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpringResponse {
    /// Undamped frequency, in Hz.
    pub frequency_hz: f32,
    /// Damping ratio: 0 swings forever, 1 is critically damped.
    pub damping_ratio: f32,
    /// Constant acceleration in world space, in m/s².
    pub acceleration: Vec3,
    /// Share of the body's motion that the joint ignores, 0 to 1.
    pub ignored_motion: Option<f32>,
    /// Maximum angle from rest in any direction, in degrees.
    pub max_angle_deg: Option<f32>,
    /// Radius of the tip, in metres.
    pub radius: Option<f32>,
}

impl SpringResponse {
    /// Creates a response from a feel and the direction of its acceleration.
    pub fn new(feel: SpringFeel, direction: Vec3) -> Self {
        Self {
            frequency_hz: feel.frequency_hz,
            damping_ratio: feel.damping_ratio,
            acceleration: direction * feel.acceleration,
            ignored_motion: None,
            max_angle_deg: None,
            radius: None,
        }
    }

    /// Returns the feel: frequency, damping ratio, and the magnitude of the acceleration.
    pub fn feel(&self) -> SpringFeel {
        let (frequency_hz, damping_ratio) = (self.frequency_hz, self.damping_ratio);
        SpringFeel { frequency_hz, damping_ratio, acceleration: self.acceleration.length() }
    }

    /// Returns a term in Hz, m/s² or degrees, or as a ratio; `None` if the response lacks the term.
    pub fn get(&self, param: FeelParam) -> Option<f32> {
        match param {
            FeelParam::Speed => Some(self.frequency_hz),
            FeelParam::Settling => Some(self.damping_ratio),
            FeelParam::Weight => Some(self.acceleration.length()),
            FeelParam::IgnoreMotion => self.ignored_motion,
            FeelParam::MaxAngle => self.max_angle_deg,
        }
    }

    /// Sets a term in the unit of [`SpringResponse::get`]. The acceleration keeps its direction; a zero acceleration
    /// gets the direction downwards.
    pub fn set(&mut self, param: FeelParam, value: f32) {
        match param {
            FeelParam::Speed => self.frequency_hz = value,
            FeelParam::Settling => self.damping_ratio = value,
            FeelParam::Weight => self.acceleration = self.acceleration.try_normalize().unwrap_or(Vec3::NEG_Y) * value,
            FeelParam::IgnoreMotion => self.ignored_motion = Some(value),
            FeelParam::MaxAngle => self.max_angle_deg = Some(value),
        }
    }

    /// Works like [`SpringResponse::feel`], but with only the component of the acceleration along `axis`.
    pub fn feel_along(&self, axis: Vec3) -> SpringFeel {
        SpringFeel { acceleration: self.acceleration.dot(axis), ..self.feel() }
    }
}

/// How a slow tip returns to rest in a solver that ignores low velocities: each step removes the same share of the
/// distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OverdampedReturn {
    /// The speed below which the solver ignores velocity, in m/s.
    pub speed_threshold: f32,
    /// The parameter that sets this speed.
    pub threshold_param: ParamId,
    /// Number of frames until 1/e of the distance is left.
    pub time_constant_frames: f32,
    /// Time until 1/e of the distance is left, in seconds.
    pub time_constant_seconds: f32,
}

/// The terms of a [`SpringResponse`] that artists set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FeelParam {
    /// [`SpringResponse::frequency_hz`].
    Speed,
    /// [`SpringResponse::damping_ratio`].
    Settling,
    /// [`SpringResponse::acceleration`].
    Weight,
    /// [`SpringResponse::ignored_motion`].
    IgnoreMotion,
    /// [`SpringResponse::max_angle_deg`].
    MaxAngle,
}

impl FeelParam {
    /// All parameters, in display order.
    pub const ALL: [Self; 5] = [Self::Speed, Self::Settling, Self::Weight, Self::MaxAngle, Self::IgnoreMotion];

    /// Returns the translation key, the unit, and the range and scale of the slider.
    pub const fn def(self) -> &'static ParamDef {
        &FEEL_PARAMS[match self {
            Self::Speed => 0,
            Self::Settling => 1,
            Self::Weight => 2,
            Self::MaxAngle => 3,
            Self::IgnoreMotion => 4,
        }]
    }
}

const FEEL_PARAM: ParamDef = ParamDef { owner: "Feel", curve: true, ..ParamDef::PLAIN };
/// Has the same order as the indices in [`FeelParam::def`].
const FEEL_PARAMS: &[ParamDef] = params![
    /// How often it would swing in a second without losing speed, in Hz.
    "speed" "Speed" {
        unit: Unit::Hertz, soft_range: (0.2, 10.0), scale: SliderScale::Logarithmic, default: 3.0, ..FEEL_PARAM
    };
    /// Damping ratio: 0 swings for ever, 1 comes back without overshoot, more creeps.
    "settling" "Settling" { soft_range: (0.0, 1.5), default: 0.4, meaning: ParamMeaning::Drag, ..FEEL_PARAM };
    /// Steady pull along the direction that it has now, downwards where it has none, in m/s².
    "weight" "Weight" { unit: Unit::Acceleration, soft_range: (0.0, 15.0), meaning: ParamMeaning::Gravity, ..FEEL_PARAM };
    /// How far it may turn away from rest in any direction, in degrees; 180 is no limit.
    "max_angle" "Max angle" {
        range: (0.0, UNLIMITED_ANGLE_DEG), soft_range: (0.0, UNLIMITED_ANGLE_DEG), default: UNLIMITED_ANGLE_DEG, meaning: ParamMeaning::Limit, ..FEEL_PARAM.degrees()
    };
    /// Share of the body's own motion that is ignored: 0 feels all of it, 1 none.
    "ignore_motion" "Ignore motion" { meaning: ParamMeaning::Drag, ..FEEL_PARAM.fraction() };
];

/// The maximum angle of a joint without limits, in degrees.
pub const UNLIMITED_ANGLE_DEG: f32 = 180.0;

/// Returns the median of each axis, which ignores a few outliers; zero if there are no vectors.
pub(super) fn median_vector(vectors: impl IntoIterator<Item = Vec3>) -> Vec3 {
    let vectors: Vec<Vec3> = vectors.into_iter().filter(|v| v.is_finite()).collect();
    let median = |axis: usize| {
        let mut values: Vec<f32> = vectors.iter().map(|v| v[axis]).collect();
        values.sort_by(f32::total_cmp);
        values.get(values.len().saturating_sub(1) / 2).copied().unwrap_or(0.0)
    };
    Vec3::new(median(0), median(1), median(2))
}

/// The input of a conversion between parameters and a [`SpringResponse`].
#[derive(Clone, Copy, Debug)]
pub struct ResponseInput<'a> {
    /// Parameters of the joint.
    pub joint_params: &'a ParamSet,
    /// Parameters of its system.
    pub system_params: &'a ParamSet,
    /// Distance from head to tip, in metres.
    pub bone_length: f32,
    /// Sum of the squared distances from the head to the other tips further down the chain, in m²; 0 for a single bone.
    /// A rigid body also moves the inertia of its child bodies.
    pub carried_inertia: f32,
    /// Length of a frame, in seconds.
    pub frame_seconds: f32,
}

impl ResponseInput<'_> {
    /// Returns a vector parameter of the joint.
    pub fn joint_param_vector(&self, params: [ParamId; 3]) -> Vec3 {
        Vec3::from(params.map(|param| self.joint_params.get(param)))
    }

    /// Returns a vector parameter of the system.
    pub fn system_param_vector(&self, params: [ParamId; 3]) -> Vec3 {
        Vec3::from(params.map(|param| self.system_params.get(param)))
    }
}

/// Where the spring of a joint pulls the tip.
///
/// Springs of different solvers pull a tip to different targets, so bends may or may not add up along a chain. A
/// [`SpringResponse`] describes a single bone with a parent that does not move. [`convert_rest_target`] adapts the
/// frequencies of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RestTarget {
    /// A direction that rotates with the simulated parent: bends add up.
    ParentRotation,
    /// The direction in the pose: each joint bends independently.
    PoseRotation,
    /// The position in the pose, whatever the parent does.
    PosePosition,
}

/// A joint in its chain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChainJoint {
    /// Index of the parent joint, which precedes its children; `None` for roots.
    pub parent: Option<usize>,
    /// Distance from head to tip, in metres; positive.
    pub length: f32,
}

/// Share of the compliance that every joint keeps, so that no spring becomes infinitely stiff.
const MIN_COMPLIANCE_FRACTION: f64 = 0.02;

impl RestTarget {
    /// Returns how far a constant acceleration of 1 m/s² displaces the target of a joint, in metres. `tips` are the
    /// displacements of the preceding tips.
    fn target_displacement(self, at: usize, tips: &[f64], links: &[ChainJoint]) -> f64 {
        let Some(parent) = links[at].parent else { return 0.0 };
        match self {
            Self::PosePosition => 0.0,
            Self::PoseRotation => tips[parent],
            Self::ParentRotation => {
                let head = links[parent].parent.map_or(0.0, |above| tips[above]);
                tips[parent] + (tips[parent] - head) * f64::from(links[at].length / links[parent].length)
            }
        }
    }
}

/// Converts the frequencies of a chain between springs with different rest targets, so that a constant acceleration
/// displaces each tip equally far. Valid for small angles and straight chains.
///
/// Damping ratios stay unchanged, because this preserves the motion of the tips better than an unchanged drag does.
/// Accelerations are scaled by the share that the spring keeps per step, so that all joints have the same gravity.
/// `frame` is the length of a step, in seconds.
pub fn convert_rest_target(
    joints: &mut [SpringResponse],
    links: &[ChainJoint],
    from: RestTarget,
    to: RestTarget,
    frame: f32,
) {
    if from == to {
        return;
    }
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for (at, joint) in joints.iter_mut().enumerate() {
        let compliance = (TAU * f64::from(joint.frequency_hz)).powi(-2);
        before.push(compliance + from.target_displacement(at, &before, links));
        let target = to.target_displacement(at, &after, links);
        let changed = (before[at] - target).max(MIN_COMPLIANCE_FRACTION * compliance);
        after.push(changed + target);
        let remaining = |joint: &SpringResponse| 1.0 - joint.feel().to_recurrence(frame).offset_removed;
        let remaining_before = remaining(joint);
        joint.frequency_hz = (1.0 / (TAU * changed.sqrt())) as f32;
        let share = (remaining(joint) / remaining_before) as f32;
        joint.acceleration *= if share.is_finite() && share > 0.0 { share } else { 1.0 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: f32 = 1.0 / 60.0;
    const LINKS: [ChainJoint; 4] = [
        ChainJoint { parent: None, length: 0.1 },
        ChainJoint { parent: Some(0), length: 0.1 },
        ChainJoint { parent: Some(1), length: 0.05 },
        ChainJoint { parent: Some(0), length: 0.2 },
    ];

    fn joints() -> [SpringResponse; 4] {
        [3.0, 2.0, 4.0, 2.5].map(|frequency_hz| {
            SpringResponse::new(SpringFeel { frequency_hz, damping_ratio: 0.5, acceleration: 0.0 }, Vec3::ZERO)
        })
    }

    #[track_caller]
    fn check(to: RestTarget, expected: [f32; 4]) {
        let mut changed = joints();
        convert_rest_target(&mut changed, &LINKS, RestTarget::ParentRotation, to, FRAME);
        for (joint, expected) in changed.iter().zip(expected) {
            assert!((joint.frequency_hz - expected).abs() < 1e-3 * expected, "{changed:?}");
            assert_eq!(joint.damping_ratio, 0.5);
        }
        convert_rest_target(&mut changed, &LINKS, to, RestTarget::ParentRotation, FRAME);
        for (joint, was) in changed.iter().zip(joints()) {
            assert!((joint.frequency_hz - was.frequency_hz).abs() < 1e-3, "{to:?} and back: {changed:?}");
        }
    }

    /// 1/f² is proportional to the displacement of a tip. If springs rotate with the parent, the tips are at 1/9; 2/9 +
    /// 1/4; the second + (1/9 + 1/4)/2 + 1/16; 1/9 + 2/9 + 1/6.25.
    #[test]
    fn converted_springs_bend_equally_far_and_converting_back_restores_frequencies() {
        let tips = [1.0 / 9.0, 0.472_222, 0.715_278, 0.493_333_f32];
        check(RestTarget::PosePosition, tips.map(|tip| tip.sqrt().recip()));
        let parents = [0.0, tips[0], tips[1], tips[0]];
        check(RestTarget::PoseRotation, [0, 1, 2, 3].map(|at| (tips[at] - parents[at]).sqrt().recip()));
        check(RestTarget::ParentRotation, [3.0, 2.0, 4.0, 2.5]);
    }

    #[test]
    fn converted_springs_stay_finite_where_bends_do_not_add_up() {
        let mut even = joints().map(|joint| SpringResponse { frequency_hz: 3.0, ..joint });
        convert_rest_target(&mut even, &LINKS, RestTarget::PoseRotation, RestTarget::ParentRotation, FRAME);
        assert!((even[1].frequency_hz - 3.0 / 0.02_f32.sqrt()).abs() < 1e-2, "{even:?}");
    }
}
