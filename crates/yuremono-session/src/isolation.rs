//! Soloed and muted chains and pinned joints: which joints the playback simulates.
//!
//! An [`Isolation`] helps to watch single chains. It is a state of the session: no file, no export, no bake and no undo
//! step contains it.

use super::Session;
use super::playback::HeldJoints;
use std::collections::BTreeSet;
use yuremono_model::document::{ChainId, Document};
use yuremono_sim::rig::{BoneId, Skeleton};

/// Chains and joints that follow the animation instead of the simulation, by choice of the artist.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Isolation {
    /// If not empty, all other chains follow the animation.
    soloed: BTreeSet<ChainId>,
    /// Chains that follow the animation, even if they are soloed.
    muted: BTreeSet<ChainId>,
    /// Joints that follow the animation, with the joints above them in their chain.
    pinned: BTreeSet<BoneId>,
}

impl Isolation {
    pub fn soloed(&self) -> &BTreeSet<ChainId> {
        &self.soloed
    }

    pub fn muted(&self) -> &BTreeSet<ChainId> {
        &self.muted
    }

    pub fn pinned(&self) -> &BTreeSet<BoneId> {
        &self.pinned
    }

    /// Returns whether all chains and joints are simulated as the document says.
    pub fn is_empty(&self) -> bool {
        self.soloed.is_empty() && self.muted.is_empty() && self.pinned.is_empty()
    }

    /// Returns whether a chain is simulated, apart from pinned joints.
    pub fn plays(&self, chain: ChainId) -> bool {
        !self.muted.contains(&chain) && (self.soloed.is_empty() || self.soloed.contains(&chain))
    }

    pub(super) fn solo(&mut self, chains: &[ChainId], on: bool) {
        include(&mut self.soloed, chains, on);
    }

    pub(super) fn mute(&mut self, chains: &[ChainId], on: bool) {
        include(&mut self.muted, chains, on);
    }

    pub(super) fn pin(&mut self, bones: &[BoneId], on: bool) {
        include(&mut self.pinned, bones, on);
    }

    /// Removes chains and joints that the document does not contain.
    pub(super) fn remove_missing(&mut self, document: &Document) {
        self.soloed.retain(|id| document.chains.contains_key(id));
        self.muted.retain(|id| document.chains.contains_key(id));
        self.pinned.retain(|bone| document.find_joint(*bone).is_some());
    }

    /// Changes the ids of bones, for a new version of the character.
    pub(super) fn map_bones(&mut self, map: impl FnMut(BoneId) -> BoneId) {
        self.pinned = std::mem::take(&mut self.pinned).into_iter().map(map).collect();
    }

    /// Returns the joints that follow the animation.
    pub(super) fn held_joints(&self, document: &Document, skeleton: &Skeleton) -> HeldJoints {
        let bones_of = |ids: &BTreeSet<ChainId>| -> BTreeSet<BoneId> {
            let chains = ids.iter().filter_map(|id| document.chains.get(id));
            chains.flat_map(|chain| &chain.joints).map(|joint| joint.bone).collect()
        };
        let mut held = bones_of(&self.muted);
        for pinned in &self.pinned {
            let Some((id, _)) = document.find_joint(*pinned) else { continue };
            let chain = &document.chains[&id];
            let path = std::iter::successors(Some(*pinned), |bone| skeleton.get_parent(*bone));
            held.extend(path.filter(|bone| chain.joint_index(*bone).is_some()));
        }
        HeldJoints::new((!self.soloed.is_empty()).then(|| bones_of(&self.soloed)), held)
    }
}

fn include<T: Copy + Ord>(set: &mut BTreeSet<T>, items: &[T], on: bool) {
    for item in items {
        if on {
            set.insert(*item);
        } else {
            set.remove(item);
        }
    }
}

impl Session {
    /// Returns which chains and joints the playback simulates.
    pub fn isolation(&self) -> &Isolation {
        &self.isolation
    }

    /// Changes which joints the playback simulates. Joints that are simulated again start from their present pose.
    pub(super) fn isolate(&mut self, change: impl FnOnce(&mut Isolation)) {
        change(&mut self.isolation);
        self.isolation.remove_missing(&self.document);
        let held = self.isolation.held_joints(&self.document, &self.character.skeleton);
        self.playback.set_held_joints(held, &self.resolved, &self.character.skeleton);
    }

    /// Call this after the document changed, before the playback gets the resolved document.
    pub(super) fn update_isolation(&mut self) {
        self.isolation.remove_missing(&self.document);
        let held = self.isolation.held_joints(&self.document, &self.character.skeleton);
        self.playback.replace_held_joints(held);
    }
}
