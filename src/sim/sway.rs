//! How a joint sways in terms that every solver shares, so that a feel crosses from one engine to another.
//!
//! Each solver says how its numbers sway ([`Solver::sway`](super::Solver::sway)) and which numbers sway so
//! ([`Solver::numbers`](super::Solver::numbers)); what it has no number for stands in
//! [`Solver::CANNOT`](super::Solver::CANNOT). The measures are those of [`unify`](super::unify).

use super::unify::Feel;
use crate::schema::{ParamSet, Row};
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

    /// As [`Sway::feel`], with the pull along one axis only.
    pub fn feel_along(&self, axis: Vec3) -> Feel {
        Feel { acceleration: self.pull.dot(axis), ..self.feel() }
    }
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

/// What a solver must know to turn its numbers into a [`Sway`] and back.
#[derive(Clone, Copy, Debug)]
pub struct Numbers<'a> {
    /// Of the joint, one per row of the table.
    pub joint: &'a ParamSet,
    /// Of its system, one per row of the table.
    pub system: &'a ParamSet,
    /// From head to tip, metres.
    pub length: f32,
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
