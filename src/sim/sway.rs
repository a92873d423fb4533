//! How a joint sways in terms that every solver shares, so that a feel crosses from one engine to another.
//!
//! Each solver says how its numbers sway ([`FeelMap::sway`](super::FeelMap::sway)) and which numbers sway so
//! ([`FeelMap::numbers`](super::FeelMap::numbers)); what it has no number for stands in
//! [`SolverInfo::unsupported`](super::SolverInfo::unsupported). The measures are those of [`unify`](super::unify).

use super::unify::Feel;
use crate::schema::{Idea, ParamDef, ParamSet, Row, Scale, Unit, params};
use glam::Vec3;
use serde::{Deserialize, Serialize};

/// How a joint sways; absent is what its solver has no number for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sway {
    /// Undamped swings per second.
    pub frequency_hz: f32,
    /// 0 swings for ever, 1 just does not overshoot, more creeps.
    pub damping_ratio: f32,
    /// Steady pull in the world, m/s².
    pub pull: Vec3,
    /// Share of the body's own motion that is ignored, 0 to 1.
    pub follow: Option<f32>,
    /// How far the joint may turn away from rest in any direction, degrees.
    pub reach_deg: Option<f32>,
    /// Thickness of the tip, metres.
    pub radius: Option<f32>,
}

impl Sway {
    /// With nothing but a feel, and the direction of its pull.
    pub fn new(feel: Feel, direction: Vec3) -> Self {
        Self {
            frequency_hz: feel.frequency_hz,
            damping_ratio: feel.damping_ratio,
            pull: direction * feel.acceleration,
            follow: None,
            reach_deg: None,
            radius: None,
        }
    }

    /// Speed, damping and the strength of the pull alone.
    pub fn feel(&self) -> Feel {
        let (frequency_hz, damping_ratio) = (self.frequency_hz, self.damping_ratio);
        Feel { frequency_hz, damping_ratio, acceleration: self.pull.length() }
    }

    /// One term: Hz, ratio, m/s², share or degrees; `None` where it is absent.
    pub fn get(&self, term: Term) -> Option<f32> {
        match term {
            Term::Speed => Some(self.frequency_hz),
            Term::Settle => Some(self.damping_ratio),
            Term::Weight => Some(self.pull.length()),
            Term::Follow => self.follow,
            Term::Reach => self.reach_deg,
        }
    }

    /// Writes one term in the unit of [`Sway::get`]; the pull keeps its direction, or goes down where it has none.
    pub fn set(&mut self, term: Term, value: f32) {
        match term {
            Term::Speed => self.frequency_hz = value,
            Term::Settle => self.damping_ratio = value,
            Term::Weight => self.pull = self.pull.try_normalize().unwrap_or(Vec3::NEG_Y) * value,
            Term::Follow => self.follow = Some(value),
            Term::Reach => self.reach_deg = Some(value),
        }
    }

    /// As [`Sway::feel`], with the pull along one axis only.
    pub fn feel_along(&self, axis: Vec3) -> Feel {
        Feel { acceleration: self.pull.dot(axis), ..self.feel() }
    }
}

/// How a slow tip comes home where its solver ignores its own speed: each step takes away the same share of the way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Creep {
    /// The speed below which the tip creeps, m/s.
    pub below: f32,
    /// The row that sets that speed.
    pub row: Row,
    /// Frames of the engine until about a third of the way, 1/e, is left.
    pub frames: f32,
    /// The same in seconds.
    pub seconds: f32,
}

/// The terms of a [`Sway`] that an artist sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Term {
    /// [`Sway::frequency_hz`].
    Speed,
    /// [`Sway::damping_ratio`].
    Settle,
    /// [`Sway::pull`].
    Weight,
    /// [`Sway::follow`].
    Follow,
    /// [`Sway::reach_deg`].
    Reach,
}

impl Term {
    /// In the order in which artists see them.
    pub const ALL: [Self; 5] = [Self::Speed, Self::Settle, Self::Weight, Self::Reach, Self::Follow];

    /// Its name among translations, its unit, and the span and scale of its slider.
    pub const fn def(self) -> &'static ParamDef {
        &TERMS[match self {
            Self::Speed => 0,
            Self::Settle => 1,
            Self::Weight => 2,
            Self::Reach => 3,
            Self::Follow => 4,
        }]
    }
}

const TERM: ParamDef = ParamDef { owner: "Feel", curve: true, ..ParamDef::PLAIN };
/// One row per term, in the order of [`Term::ALL`].
const TERMS: &[ParamDef] = params![
    /// How often it would swing in a second without losing speed, in Hz.
    "speed" "Speed" {
        unit: Unit::Hertz, soft_range: (0.2, 10.0), scale: Scale::Logarithmic, default: 3.0, ..TERM
    };
    /// Damping ratio: 0 swings for ever, 1 comes back without overshoot, more creeps.
    "settle" "Settle" { soft_range: (0.0, 1.5), default: 0.4, idea: Idea::Drag, ..TERM };
    /// Steady pull along the direction that it has now, downwards where it has none, in m/s².
    "weight" "Weight" { unit: Unit::Acceleration, soft_range: (0.0, 15.0), idea: Idea::Gravity, ..TERM };
    /// How far it may turn away from rest in any direction, in degrees; 180 is no limit.
    "reach" "Reach" {
        range: (0.0, OPEN_DEG), soft_range: (0.0, OPEN_DEG), default: OPEN_DEG, idea: Idea::Limit, ..TERM.degrees()
    };
    /// Share of the body's own motion that is ignored: 0 feels all of it, 1 none.
    "follow" "Follow" { idea: Idea::Drag, ..TERM.share() };
];

/// The reach of a joint without limits, degrees.
pub const OPEN_DEG: f32 = 180.0;

/// The part that vectors share: the median along each axis, so that a few outliers change nothing; zero for no vectors.
pub(super) fn common_part(vectors: impl IntoIterator<Item = Vec3>) -> Vec3 {
    let vectors: Vec<Vec3> = vectors.into_iter().filter(|v| v.is_finite()).collect();
    let median = |axis: usize| {
        let mut values: Vec<f32> = vectors.iter().map(|v| v[axis]).collect();
        values.sort_by(f32::total_cmp);
        values.get(values.len().saturating_sub(1) / 2).copied().unwrap_or(0.0)
    };
    Vec3::new(median(0), median(1), median(2))
}

/// What a solver must know to turn its numbers into a [`Sway`] and back.
#[derive(Clone, Copy, Debug)]
pub struct Numbers<'a> {
    /// Of the joint, one per row of the table.
    pub joint: &'a ParamSet,
    /// Of its system, one per row of the table.
    pub system: &'a ParamSet,
    /// From head to tip, metres.
    pub length: f32,
    /// Sum of the squared distances from the head to the tips further down the chain, m²; 0 for a single bone. Bodies
    /// with a mass feel the bodies that they carry.
    pub carried: f32,
    /// Length of a frame of the engine, seconds.
    pub frame: f32,
}

impl Numbers<'_> {
    /// Three neighbouring rows of the joint.
    pub fn vector(&self, rows: [Row; 3]) -> Vec3 {
        Vec3::from(rows.map(|row| self.joint.get(row)))
    }

    /// Three neighbouring rows of the system.
    pub fn system_vector(&self, rows: [Row; 3]) -> Vec3 {
        Vec3::from(rows.map(|row| self.system.get(row)))
    }
}
