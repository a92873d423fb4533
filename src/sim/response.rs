//! How a joint sways in terms that every solver shares, so that a feel crosses from one engine to another.
//!
//! Each solver says how its numbers sway ([`FeelMap::sway`](super::ResponseModel::response)) and which numbers sway so
//! ([`FeelMap::numbers`](super::ResponseModel::params_for)); what it has no number for stands in
//! [`SolverInfo::unsupported`](super::SolverInfo::unsupported). The measures are those of [`unify`](super::linear_spring).

use super::linear_spring::SpringFeel;
use crate::params::{ParamDef, ParamId, ParamMeaning, ParamSet, SliderScale, Unit, params};
use glam::Vec3;
use serde::{Deserialize, Serialize};

/// How a joint sways; absent is what its solver has no number for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpringResponse {
    /// Undamped swings per second.
    pub frequency_hz: f32,
    /// 0 swings for ever, 1 just does not overshoot, more creeps.
    pub damping_ratio: f32,
    /// Steady pull in the world, m/s².
    pub acceleration: Vec3,
    /// Share of the body's own motion that is ignored, 0 to 1.
    pub ignored_motion: Option<f32>,
    /// How far the joint may turn away from rest in any direction, degrees.
    pub max_angle_deg: Option<f32>,
    /// Thickness of the tip, metres.
    pub radius: Option<f32>,
}

impl SpringResponse {
    /// With nothing but a feel, and the direction of its pull.
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

    /// Speed, damping and the strength of the pull alone.
    pub fn feel(&self) -> SpringFeel {
        let (frequency_hz, damping_ratio) = (self.frequency_hz, self.damping_ratio);
        SpringFeel { frequency_hz, damping_ratio, acceleration: self.acceleration.length() }
    }

    /// One term: Hz, ratio, m/s², share or degrees; `None` where it is absent.
    pub fn get(&self, term: FeelParam) -> Option<f32> {
        match term {
            FeelParam::Speed => Some(self.frequency_hz),
            FeelParam::Settling => Some(self.damping_ratio),
            FeelParam::Weight => Some(self.acceleration.length()),
            FeelParam::IgnoreMotion => self.ignored_motion,
            FeelParam::MaxAngle => self.max_angle_deg,
        }
    }

    /// Writes one term in the unit of [`SpringResponse::get`]; the pull keeps its direction, or goes down where it has none.
    pub fn set(&mut self, term: FeelParam, value: f32) {
        match term {
            FeelParam::Speed => self.frequency_hz = value,
            FeelParam::Settling => self.damping_ratio = value,
            FeelParam::Weight => self.acceleration = self.acceleration.try_normalize().unwrap_or(Vec3::NEG_Y) * value,
            FeelParam::IgnoreMotion => self.ignored_motion = Some(value),
            FeelParam::MaxAngle => self.max_angle_deg = Some(value),
        }
    }

    /// As `SpringResponse::to_feel`, with the pull along one axis only.
    pub fn feel_along(&self, axis: Vec3) -> SpringFeel {
        SpringFeel { acceleration: self.acceleration.dot(axis), ..self.feel() }
    }
}

/// How a slow tip comes home where its solver ignores its own speed: each step takes away the same share of the way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OverdampedReturn {
    /// The speed below which the tip creeps, m/s.
    pub speed_threshold: f32,
    /// The row that sets that speed.
    pub threshold_param: ParamId,
    /// Frames of the engine until about a third of the way, 1/e, is left.
    pub time_constant_frames: f32,
    /// The same in seconds.
    pub time_constant_seconds: f32,
}

/// The terms of a [`SpringResponse`] that an artist sets.
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
    /// In the order in which artists see them.
    pub const ALL: [Self; 5] = [Self::Speed, Self::Settling, Self::Weight, Self::MaxAngle, Self::IgnoreMotion];

    /// Its name among translations, its unit, and the span and scale of its slider.
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
/// One row per term, in the order of `FeelParam::UNSELECTED_OPACITY`.
const FEEL_PARAMS: &[ParamDef] = params![
    /// How often it would swing in a second without losing speed, in Hz.
    "speed" "Speed" {
        unit: Unit::Hertz, soft_range: (0.2, 10.0), scale: SliderScale::Logarithmic, default: 3.0, ..FEEL_PARAM
    };
    /// Damping ratio: 0 swings for ever, 1 comes back without overshoot, more creeps.
    "settle" "Settle" { soft_range: (0.0, 1.5), default: 0.4, meaning: ParamMeaning::Drag, ..FEEL_PARAM };
    /// Steady pull along the direction that it has now, downwards where it has none, in m/s².
    "weight" "Weight" { unit: Unit::Acceleration, soft_range: (0.0, 15.0), meaning: ParamMeaning::Gravity, ..FEEL_PARAM };
    /// How far it may turn away from rest in any direction, in degrees; 180 is no limit.
    "reach" "Reach" {
        range: (0.0, UNLIMITED_ANGLE_DEG), soft_range: (0.0, UNLIMITED_ANGLE_DEG), default: UNLIMITED_ANGLE_DEG, meaning: ParamMeaning::Limit, ..FEEL_PARAM.degrees()
    };
    /// Share of the body's own motion that is ignored: 0 feels all of it, 1 none.
    "follow" "Follow" { meaning: ParamMeaning::Drag, ..FEEL_PARAM.fraction() };
];

/// The reach of a joint without limits, degrees.
pub const UNLIMITED_ANGLE_DEG: f32 = 180.0;

/// The part that vectors share: the median along each axis, so that a few outliers change nothing; zero for no vectors.
pub(super) fn median_vector(vectors: impl IntoIterator<Item = Vec3>) -> Vec3 {
    let vectors: Vec<Vec3> = vectors.into_iter().filter(|v| v.is_finite()).collect();
    let median = |axis: usize| {
        let mut values: Vec<f32> = vectors.iter().map(|v| v[axis]).collect();
        values.sort_by(f32::total_cmp);
        values.get(values.len().saturating_sub(1) / 2).copied().unwrap_or(0.0)
    };
    Vec3::new(median(0), median(1), median(2))
}

/// What a solver must know to turn its numbers into a [`SpringResponse`] and back.
#[derive(Clone, Copy, Debug)]
pub struct ResponseInput<'a> {
    /// Of the joint, one per row of the table.
    pub joint_params: &'a ParamSet,
    /// Of its system, one per row of the table.
    pub system_params: &'a ParamSet,
    /// From head to tip, metres.
    pub bone_length: f32,
    /// Sum of the squared distances from the head to the tips further down the chain, m²; 0 for a single bone. Bodies
    /// with a mass feel the bodies that they carry.
    pub carried_inertia: f32,
    /// Length of a frame of the engine, seconds.
    pub frame_seconds: f32,
}

impl ResponseInput<'_> {
    /// Three neighbouring rows of the joint.
    pub fn joint_param_vector(&self, rows: [ParamId; 3]) -> Vec3 {
        Vec3::from(rows.map(|row| self.joint_params.get(row)))
    }

    /// Three neighbouring rows of the system.
    pub fn system_param_vector(&self, rows: [ParamId; 3]) -> Vec3 {
        Vec3::from(rows.map(|row| self.system_params.get(row)))
    }
}
