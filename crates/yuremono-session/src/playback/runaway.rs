//! Holds chains that flip from step to step in their rest pose.
//!
//! The guard of the world returns a chain with NaN, or one that is far away, to rest in the same step. A spring that
//! overshoots may stay near its chain and still turn by a wide angle in every step. This watch counts such steps in
//! ticks, so the result does not depend on the display. A held chain is simulated again after the next change of the
//! setup, or after a reset. Solo, mute and pin are no change of the setup: a held chain stays held until then. No motion
//! of a body and no stable spring turns a bone as fast for as long.

use super::{Playback, PlaybackSource};
use std::borrow::Cow;
use std::collections::BTreeMap;
use yuremono_model::document::ChainId;
use yuremono_sim::SystemSetup;
use yuremono_sim::rig::{BoneId, Pose};

/// Cosine of half of the smallest rotation per tick that counts as a flip: 60 degrees.
const COS_HALF_FLIP: f32 = 0.866;
/// Time of flips after which a chain is held, in seconds.
const MAX_FLIP_SECONDS: f64 = 0.3;

#[derive(Clone, Debug, Default)]
pub(super) struct RunawayWatch {
    /// For each joint in the order of the bones, the number of ticks with flips, less the ticks without.
    flips: Vec<u16>,
    /// The joint that flipped, for each held chain.
    held: BTreeMap<ChainId, BoneId>,
    /// Whether the last held chain is not reported yet.
    is_new: bool,
    /// Whether chains are only simulated and never held.
    is_off: bool,
}

impl RunawayWatch {
    pub(super) fn new(joints: usize) -> Self {
        Self { flips: vec![0; joints], ..Self::default() }
    }

    /// Counts the flips between two poses. Returns whether a joint has flipped for too long.
    fn count(&mut self, bones: impl Iterator<Item = BoneId>, [before, after]: [&Pose; 2], most: u32) -> bool {
        let mut any = false;
        for (bone, flips) in bones.zip(&mut self.flips) {
            let (Some(before), Some(after)) = (before.local.get(bone.index()), after.local.get(bone.index())) else {
                continue;
            };
            let is_flip = before.rotation.dot(after.rotation).abs() < COS_HALF_FLIP;
            *flips = if is_flip { flips.saturating_add(1) } else { flips.saturating_sub(1) };
            any |= u32::from(*flips) >= most;
        }
        any
    }

    /// Whether chains are held.
    pub(super) fn holds_chains(&self) -> bool {
        !self.held.is_empty()
    }

    /// Starts again after the world has got all joints from a document.
    pub(super) fn restart(&mut self, joints: usize) {
        *self = Self { is_off: self.is_off, ..Self::new(joints) };
    }
}

impl Playback {
    /// Returns the systems without the joints that the artist holds, and without the chains that flip.
    pub(super) fn simulated_systems<'a>(&self, systems: &'a [SystemSetup]) -> Cow<'a, [SystemSetup]> {
        let mut systems = self.held.applied_to(systems);
        if self.runaways.holds_chains() {
            let joints = systems.to_mut().iter_mut().flat_map(|system| &mut system.joints);
            let is_held = |chain: u32| self.runaways.held.contains_key(&ChainId(chain));
            joints.filter(|joint| is_held(joint.chain)).for_each(|joint| joint.enabled = false);
        }
        systems
    }

    /// Counts the flips of the last tick, and holds chains that have flipped for too long.
    pub(super) fn watch_runaways(&mut self, source: PlaybackSource<'_>) {
        if self.runaways.is_off {
            return;
        }
        let most = self.ticks_for(MAX_FLIP_SECONDS).max(1);
        let poses = [&self.poses.previous, self.world.pose()];
        if !self.runaways.count(self.joints.keys().copied(), poses, most) {
            return;
        }
        let RunawayWatch { flips, held, is_new, .. } = &mut self.runaways;
        let count = held.len();
        for (bone, flips) in self.joints.keys().zip(flips).filter(|(_, flips)| u32::from(**flips) >= most) {
            *flips = 0;
            // An animation may flip the bones of a muted chain.
            if let Some((chain, _)) = source.document.find_joint(*bone).filter(|_| !self.held.holds(*bone)) {
                held.entry(chain).or_insert(*bone);
            }
        }
        // An animation may flip the bones of a held chain.
        if held.len() == count {
            return;
        }
        *is_new = true;
        let systems = source.document.resolve(&source.character.skeleton).systems;
        self.world.bake(&self.simulated_systems(&systems));
    }

    /// Simulates held chains again.
    pub(super) fn release_runaways(&mut self, source: PlaybackSource<'_>) {
        if self.runaways.holds_chains() {
            let systems = source.document.resolve(&source.character.skeleton).systems;
            self.world.bake(&self.held.applied_to(&systems));
        }
        self.runaways.restart(self.joints.len());
    }

    /// Sets whether chains that flip are held.
    pub(super) fn set_holds_runaways(&mut self, holds: bool) {
        self.runaways.is_off = !holds;
    }

    /// Returns the first joint that flipped and the number of further held chains, if a chain has been held since the last
    /// call.
    pub(crate) fn take_new_runaway(&mut self) -> Option<(BoneId, usize)> {
        let is_new = std::mem::take(&mut self.runaways.is_new);
        let (_, bone) = self.runaways.held.first_key_value().filter(|_| is_new)?;
        Some((*bone, self.runaways.held.len() - 1))
    }
}
