use crate::doc::tune::Targets;
use crate::doc::{ChainId, Document};
use crate::rig::{BoneId, Skeleton};
use std::collections::BTreeSet;

/// Whether tuning reaches whole chains or single joints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// The chains that the selected bones belong to.
    #[default]
    Chains,
    /// The selected joints only.
    Joints,
}

/// How a click joins what is selected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pick {
    /// Instead of it.
    #[default]
    Replace,
    /// In or out.
    Toggle,
    /// As well.
    Add,
}

/// What is selected and hovered; one state for tree, viewport and curve.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Selected bones, joints or not.
    pub bones: BTreeSet<BoneId>,
    /// The one that was clicked last.
    pub active: Option<BoneId>,
    /// What tuning reaches.
    pub scope: Scope,
    /// Under the pointer, wherever the pointer is.
    pub hovered: Option<BoneId>,
}

impl Selection {
    /// Selects bones; the last one becomes active.
    pub fn pick(&mut self, bones: &[BoneId], pick: Pick) {
        match pick {
            Pick::Replace => {
                self.bones = bones.iter().copied().collect();
                self.active = bones.last().copied();
            }
            Pick::Add => {
                self.bones.extend(bones);
                self.active = bones.last().copied().or(self.active);
            }
            Pick::Toggle => {
                let all_in = bones.iter().all(|b| self.bones.contains(b));
                for bone in bones {
                    if all_in {
                        self.bones.remove(bone);
                    } else {
                        self.bones.insert(*bone);
                    }
                }
                self.active = if all_in { self.bones.last().copied() } else { bones.last().copied() };
            }
        }
    }

    /// Selects nothing.
    pub fn clear(&mut self) {
        self.bones.clear();
        self.active = None;
        self.scope = Scope::Chains;
    }

    /// The chains that selected bones belong to, in order.
    pub fn chains(&self, document: &Document) -> Vec<ChainId> {
        let touched = |id: &&ChainId| document.chains[*id].joints.iter().any(|j| self.bones.contains(&j.bone));
        document.chains.keys().filter(touched).copied().collect()
    }

    /// Whether a bone is drawn as selected: itself, or its chain when whole chains are tuned.
    pub fn shows(&self, document: &Document, bone: BoneId) -> bool {
        self.bones.contains(&bone)
            || (self.scope == Scope::Chains
                && document
                    .joint_of(bone)
                    .is_some_and(|(id, _)| document.chains[&id].joints.iter().any(|j| self.bones.contains(&j.bone))))
    }

    /// What tuning reaches; with nothing selected, all chains.
    pub fn targets(&self, document: &Document) -> Targets {
        let chains = self.chains(document);
        if self.bones.is_empty() {
            return Targets { chains: document.chains.keys().copied().collect(), joints: Vec::new() };
        }
        match self.scope {
            Scope::Chains => Targets { chains, joints: Vec::new() },
            Scope::Joints => {
                let joints = self.bones.iter().filter_map(|b| document.joint_of(*b).map(|(id, _)| (id, *b)));
                Targets { chains: Vec::new(), joints: joints.collect() }
            }
        }
    }

    /// Lets go of bones that are gone.
    pub fn forget_missing(&mut self, document: &Document, skeleton: &Skeleton) {
        let there = |bone: &BoneId| bone.index() < skeleton.len() || document.joint_of(*bone).is_some();
        self.bones.retain(|b| there(b));
        self.active = self.active.filter(there);
        self.hovered = self.hovered.filter(there);
    }
}
