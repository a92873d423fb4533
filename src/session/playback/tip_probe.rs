//! Why tips moved in the last tick.

use super::Playback;
use crate::rig::BoneId;
use crate::sim::TipParts;

impl Playback {
    /// Returns whether the world records why tips move.
    pub fn probes_tips(&self) -> bool {
        self.probed_ticks.is_some()
    }

    /// Returns why the tip of a bone's joint moved in the last tick. `None` if the bone is not a joint, if
    /// [`Self::probes_tips`] is false, or if no tick has run since it became true.
    pub fn tip_parts(&self, bone: BoneId) -> Option<TipParts> {
        self.probed_ticks.filter(|ticks| *ticks > 0)?;
        self.world.tip_parts(self.joint_index(bone)?)
    }

    /// Sets whether the world records why tips move. A recorded tick takes longer, so only the viewport switches this on.
    pub(in crate::session) fn probe_tips(&mut self, on: bool) {
        if on != self.probes_tips() {
            self.probed_ticks = on.then_some(0);
            self.update_probe();
        }
    }

    /// Switches the probe of the live world on or off as needed.
    pub(super) fn update_probe(&mut self) {
        self.world.set_probed(self.probed_ticks.is_some());
    }
}
