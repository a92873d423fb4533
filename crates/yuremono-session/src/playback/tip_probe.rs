//! Why tips moved in the last ticks.
//!
//! Unlike angles and speeds, the parts of a movement do not follow from recorded poses. The world computes them only while
//! the viewport draws them or a graph records them, because a probed step takes longer.

use super::Playback;
use std::collections::VecDeque;
use std::ops::Range;
use yuremono_sim::TipParts;
use yuremono_sim::rig::BoneId;

/// Who asks the world why tips move.
#[derive(Clone, Debug, Default)]
pub(super) struct TipProbe {
    /// Number of ticks since the viewport started to draw the parts of the last tick; `None` while the viewport does not
    /// draw parts.
    drawn_ticks: Option<u64>,
    /// The joint of a graph.
    recorded: Option<Box<RecordedParts>>,
}

impl TipProbe {
    const fn is_on(&self) -> bool {
        self.drawn_ticks.is_some() || self.recorded.is_some()
    }
}

/// The parts of a tip's movement in recorded ticks.
#[derive(Clone, Debug)]
struct RecordedParts {
    bone: BoneId,
    /// Number of the oldest tick with parts.
    first: u64,
    parts: VecDeque<TipParts>,
}

impl RecordedParts {
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
    /// Returns whether [`Self::tip_parts`] returns the parts of all tips.
    pub fn probes_tips(&self) -> bool {
        self.probe.drawn_ticks.is_some()
    }

    /// Returns the bone for whose tip the parts of the movement are recorded.
    pub fn probed_bone(&self) -> Option<BoneId> {
        self.probe.recorded.as_ref().map(|recorded| recorded.bone)
    }

    /// Returns why the tip of the recorded joint moved in a tick; `None` for ticks before the recording.
    pub fn probed_parts(&self, tick: u64) -> Option<TipParts> {
        let recorded = self.probe.recorded.as_ref()?;
        recorded.parts.get(usize::try_from(tick.checked_sub(recorded.first)?).ok()?).copied()
    }

    /// Returns why the tip of a bone's joint moved in the displayed tick. `None` if the bone is not a joint, if
    /// [`Self::probes_tips`] is false, if no tick has run since, or if another world is displayed. Of the recorded ticks,
    /// only those of [`Self::probed_bone`] have parts.
    pub fn tip_parts(&self, bone: BoneId) -> Option<TipParts> {
        self.probe.drawn_ticks.filter(|ticks| *ticks > 0)?;
        if !self.displays_live_world() {
            return None;
        }
        match self.scrubbed_tick() {
            Some(tick) => self.probed_parts(tick).filter(|_| self.probed_bone() == Some(bone)),
            None => self.world.tip_parts(self.joint_index(bone)?),
        }
    }

    /// Sets whether the viewport draws why tips move.
    pub(crate) fn probe_tips(&mut self, on: bool) {
        if on != self.probes_tips() {
            self.probe.drawn_ticks = on.then_some(0);
            self.update_probe();
        }
    }

    /// Starts to record the parts of a tip's movement. `None` stops the recording.
    pub(crate) fn probe_joint(&mut self, bone: Option<BoneId>) {
        let bone = bone.filter(|bone| self.joint_index(*bone).is_some());
        if self.probed_bone() != bone {
            let start = |bone| Box::new(RecordedParts { bone, first: 0, parts: VecDeque::new() });
            self.probe.recorded = bone.map(start);
            self.update_probe();
        }
    }

    /// Ends both probes, for a copy of the playback that nobody looks at.
    pub(super) fn end_probes(&mut self) {
        self.probe = TipProbe::default();
        self.update_probe();
    }

    /// Continues the probes in a world that has replaced the live world.
    pub(super) fn restart_probe(&mut self) {
        self.probe.drawn_ticks = self.probe.drawn_ticks.map(|_| 0);
        self.update_probe();
    }

    fn update_probe(&mut self) {
        self.world.set_probed(self.probe.is_on());
    }

    /// Counts the last tick, and records the parts of the joint of a graph.
    pub(super) fn record_parts(&mut self) {
        self.probe.drawn_ticks = self.probe.drawn_ticks.map(|ticks| ticks + 1);
        let Some(bone) = self.probed_bone() else { return };
        let parts = self.joint_index(bone).and_then(|joint| self.world.tip_parts(joint));
        if let Some((recorded, parts)) = self.probe.recorded.as_mut().zip(parts) {
            recorded.push(parts, &self.recent_motion.ticks());
        }
    }
}
