//! The limits of VRM's kind of what is tuned.

use super::{Session, Values};
use crate::doc::swing::{self, SwingKind};
use crate::doc::{Edit, Label, groups};
use crate::rig::BoneId;
use crate::sim::SwingLimit;
use std::collections::BTreeMap;

/// What the limits of the tuned joints come to.
#[derive(Clone, Debug, PartialEq)]
pub struct SwingView {
    /// Whether the file's version has limits.
    pub allowed: bool,
    /// What all have, `Some(None)` for no limit; `None` where they differ.
    pub kind: Option<Option<SwingKind>>,
    /// Their angles in degrees, as many as the shape has; empty where shapes differ.
    pub angles: Vec<Values>,
    /// How many joints have one.
    pub limited: usize,
    /// Some limit is not as it was loaded.
    pub changed: bool,
}

impl Session {
    /// The limits of what is tuned; `None` where the solver has none of this kind, or nothing is tuned.
    pub fn swing(&self) -> Option<SwingView> {
        if !groups::are_known(self.system().solver) {
            return None;
        }
        let limits: Vec<Option<SwingLimit>> = self.target_joints().map(|(_, joint, ..)| joint.limit).collect();
        let kind_of = |limit: &Option<SwingLimit>| limit.map(|limit| SwingKind::of(limit.shape));
        let first = kind_of(limits.first()?);
        let kind = limits.iter().all(|limit| kind_of(limit) == first).then_some(first);
        let angle = |at: usize| {
            let angles = limits.iter().flatten().map(|limit| swing::angle(limit.shape, at).to_degrees());
            Values::of(angles)
        };
        let loaded = self.loaded_limits();
        Some(SwingView {
            allowed: self.target_joints().all(|(chain, ..)| swing::are_allowed(&self.document, chain)),
            kind,
            angles: (0..kind.flatten().map_or(0, SwingKind::angles)).map(angle).collect(),
            limited: limits.iter().flatten().count(),
            changed: self.target_joints().any(|(_, joint, ..)| joint.limit.as_ref() != loaded.get(&joint.bone)),
        })
    }

    /// Gives all tuned joints a limit of that shape, or none.
    pub fn set_swing(&self, kind: Option<SwingKind>) -> (Edit, Label) {
        let joints = self.target_bones();
        let edit = swing::set(&self.document, &joints, |_, old| kind.map(|kind| swing::of_kind(old, kind)));
        (edit, Label::new(if kind.is_some() { "swing_limit" } else { "no_swing_limit" }, joints.len()))
    }

    /// Changes one angle of the limits of all tuned joints; from degrees to degrees.
    pub fn set_swing_angle(&self, at: usize, change: impl Fn(f32) -> f32) -> (Edit, Label) {
        let joints = self.target_bones();
        let changed = |limit: SwingLimit| {
            let degrees = change(swing::angle(limit.shape, at).to_degrees());
            swing::with_angle(limit, at, degrees.to_radians())
        };
        let edit = swing::set(&self.document, &joints, |_, old| old.map(changed));
        (edit, Label::new("swing_angle", joints.len()))
    }

    /// Puts back the limits that were loaded.
    pub fn reset_swing(&self) -> (Edit, Label) {
        let joints = self.target_bones();
        let loaded = self.loaded_limits();
        let edit = swing::set(&self.document, &joints, |bone, _| loaded.get(&bone).copied());
        (edit, Label::new("swing_reset", joints.len()))
    }

    fn loaded_limits(&self) -> BTreeMap<BoneId, SwingLimit> {
        let joints = self.loaded().chains.values().flat_map(|c| &c.joints);
        joints.filter_map(|j| j.limit.map(|limit| (j.bone, limit))).collect()
    }
}
