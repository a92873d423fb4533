//! Why the tip of one joint moved in the last ticks.
//!
//! Unlike angles and speeds, the parts of a movement do not follow from recorded poses. The world computes them while a
//! graph shows them, because a probed step takes longer.

use super::Playback;
use crate::rig::BoneId;
use crate::sim::TipParts;
use std::collections::VecDeque;
use std::ops::Range;

/// The parts of a tip's movement in recorded ticks.
#[derive(Clone, Debug)]
pub(super) struct ProbedJoint {
    bone: BoneId,
    /// Number of the oldest tick with parts.
    first: u64,
    parts: VecDeque<TipParts>,
}

impl ProbedJoint {
    /// Adds the parts of a tick, and drops those of ticks that are not recorded. Parts before a missing tick are dropped.
    fn push(&mut self, parts: TipParts, recorded: &Range<u64>) {
        let tick = recorded.end.saturating_sub(1);
        if self.first + self.parts.len() as u64 != tick {
            self.parts.clear();
            self.first = tick;
        }
        while self.first < recorded.start && self.parts.pop_front().is_some() {
            self.first += 1;
        }
        self.parts.push_back(parts);
    }
}

impl Playback {
    /// Returns the bone for whose tip the parts of the movement are recorded.
    pub fn probed_bone(&self) -> Option<BoneId> {
        self.probed.as_ref().map(|probed| probed.bone)
    }

    /// Returns why the tip of the probed joint moved in a tick; `None` for ticks before the probe.
    pub fn probed_parts(&self, tick: u64) -> Option<TipParts> {
        let probed = self.probed.as_ref()?;
        probed.parts.get(usize::try_from(tick.checked_sub(probed.first)?).ok()?).copied()
    }

    /// Starts to record the parts of a tip's movement. `None` stops the recording.
    pub(in crate::session) fn probe_joint(&mut self, bone: Option<BoneId>) {
        let bone = bone.filter(|bone| self.joint_index(*bone).is_some());
        if self.probed_bone() != bone {
            self.world.set_probed(bone.is_some());
            self.probed = bone.map(|bone| Box::new(ProbedJoint { bone, first: 0, parts: VecDeque::new() }));
        }
    }

    /// Records the parts of the last tick.
    pub(super) fn record_probed_joint(&mut self) {
        let Some(bone) = self.probed_bone() else { return };
        let parts = self.joint_index(bone).and_then(|joint| self.world.tip_parts(joint));
        if let Some((probed, parts)) = self.probed.as_mut().zip(parts) {
            probed.push(parts, &self.recent_motion.ticks());
        }
    }
}
