use crate::document::tune::Targets;
use crate::document::{ChainId, ColliderId, Document, ForceId, HelperId, Joint};
use crate::rig::{BoneId, Skeleton};
use crate::tools::parts::PartId;
use std::collections::{BTreeMap, BTreeSet};

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

/// How much a selection of bones reaches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reached {
    /// Chains that are tuned as wholes.
    pub chains: usize,
    /// Joints of these chains, or joints that are tuned one by one.
    pub joints: usize,
    /// Bones that no chain moves.
    pub still: usize,
}

/// Something of the document that is no bone of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Item {
    /// What pushes.
    Collider(ColliderId),
    /// What blows or pulls.
    Force(ForceId),
    /// A pivot or null.
    Helper(HelperId),
}

impl Item {
    /// The part of the document that it is.
    pub const fn part(self) -> PartId {
        match self {
            Self::Collider(id) => PartId::Collider(id),
            Self::Force(id) => PartId::Force(id),
            Self::Helper(id) => PartId::Helper(id),
        }
    }

    /// What is selected for a part: a high-leg node by its helper; `None` where that is a bone.
    pub fn of(part: PartId, document: &Document) -> Option<Self> {
        match part {
            PartId::Collider(id) => Some(Self::Collider(id)),
            PartId::Force(id) => Some(Self::Force(id)),
            PartId::Helper(id) => Some(Self::Helper(id)),
            PartId::HighLeg(_) => part.helper(document).map(|(id, _)| Self::Helper(id)),
        }
    }

    /// Whether the document has it.
    pub fn is_in(self, document: &Document) -> bool {
        match self {
            Self::Collider(id) => document.colliders.contains_key(&id),
            Self::Force(id) => document.forces.contains_key(&id),
            Self::Helper(id) => document.helpers.contains_key(&id),
        }
    }
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
    /// Selected colliders, forces and helpers; their numbers are edited while there are any. Selected bones stay
    /// selected beside them, so that a collider can be assigned to them.
    pub items: BTreeSet<Item>,
    /// The item that was clicked last; one of [`Selection::items`].
    pub active_item: Option<Item>,
}

impl Selection {
    /// Selects items; the last one becomes active. Bones stay as they are.
    pub fn pick_items(&mut self, items: &[Item], pick: Pick) {
        match pick {
            Pick::Replace => self.items = items.iter().copied().collect(),
            Pick::Toggle if items.iter().all(|item| self.items.contains(item)) => {
                self.items.retain(|item| !items.contains(item));
            }
            Pick::Add | Pick::Toggle => self.items.extend(items),
        }
        let last = items.last().copied().filter(|item| self.items.contains(item));
        self.active_item = last.or_else(|| self.items.last().copied());
    }

    /// Selects bones, and no item any more; the last one becomes active.
    pub fn pick(&mut self, bones: &[BoneId], pick: Pick) {
        self.items.clear();
        self.active_item = None;
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
        self.items.clear();
        self.active_item = None;
        self.scope = Scope::Chains;
    }

    /// Whether nothing is selected.
    pub fn is_empty(&self) -> bool {
        self.bones.is_empty() && self.items.is_empty()
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

    /// The joints that are drawn as selected, as [`Selection::shows`] tells of each.
    pub fn shown_joints(&self, document: &Document) -> BTreeSet<BoneId> {
        let mut found = BTreeSet::new();
        for chain in document.chains.values() {
            let is_in = |joint: &&Joint| self.bones.contains(&joint.bone);
            let whole = self.scope == Scope::Chains && chain.joints.iter().any(|j| is_in(&j));
            found.extend(chain.joints.iter().filter(|j| whole || is_in(j)).map(|j| j.bone));
        }
        found
    }

    /// What would be selected if these bones were selected instead, under the present scope.
    pub fn reached_by(&self, document: &Document, bones: &[BoneId]) -> Reached {
        let after = Self { bones: bones.iter().copied().collect(), ..self.clone() };
        let still = bones.iter().filter(|bone| document.joint_of(**bone).is_none()).count();
        let chains = if self.scope == Scope::Chains { after.chains(document).len() } else { 0 };
        Reached { chains, joints: after.shown_joints(document).len(), still }
    }

    /// What tuning reaches; with nothing selected, all chains.
    pub fn targets(&self, document: &Document, index: &BTreeMap<BoneId, (ChainId, usize)>) -> Targets {
        if self.bones.is_empty() {
            return Targets { chains: document.chains.keys().copied().collect(), joints: Vec::new() };
        }
        let joints = self.bones.iter().filter_map(|b| index.get(b).map(|(id, _)| (*id, *b)));
        match self.scope {
            Scope::Joints => Targets { chains: Vec::new(), joints: joints.collect() },
            Scope::Chains => {
                let chains: BTreeSet<_> = joints.map(|(id, _)| id).collect();
                Targets { chains: chains.into_iter().collect(), joints: Vec::new() }
            }
        }
    }

    /// Lets go of bones that the file does not have, and of items that the document does not have.
    pub fn forget_missing(&mut self, skeleton: &Skeleton, document: &Document) {
        self.items.retain(|item| item.is_in(document));
        self.active_item = self.active_item.filter(|item| self.items.contains(item));
        let there = |bone: &BoneId| bone.index() < skeleton.len();
        self.bones.retain(|b| there(b));
        self.active = self.active.filter(there);
        self.hovered = self.hovered.filter(there);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bones(ids: &[u32]) -> Vec<BoneId> {
        ids.iter().copied().map(BoneId).collect()
    }

    #[track_caller]
    fn check(picks: &[(&[u32], Pick)], selected: &[u32], active: Option<u32>) {
        let mut selection = Selection::default();
        for (ids, pick) in picks {
            selection.pick(&bones(ids), *pick);
        }
        assert_eq!(selection.bones.iter().map(|b| b.0).collect::<Vec<_>>(), selected);
        assert_eq!(selection.active.map(|b| b.0), active);
    }

    #[test]
    fn a_plain_click_replaces_and_the_last_bone_is_active() {
        check(&[(&[1, 2], Pick::Replace), (&[9, 4], Pick::Replace)], &[4, 9], Some(4));
        check(&[(&[1], Pick::Replace), (&[], Pick::Replace)], &[], None);
    }

    #[test]
    fn adding_nothing_keeps_the_active_bone() {
        check(&[(&[5], Pick::Replace), (&[3], Pick::Add), (&[], Pick::Add)], &[3, 5], Some(3));
    }

    #[test]
    fn items_are_picked_beside_bones_and_let_go_with_the_next_bone() {
        let items = [1, 2].map(|id| Item::Collider(ColliderId(id)));
        let mut selection = Selection::default();
        selection.pick(&bones(&[4]), Pick::Replace);
        selection.pick_items(&items, Pick::Replace);
        assert_eq!((selection.bones.len(), selection.items.len(), selection.active_item), (1, 2, Some(items[1])));
        selection.pick_items(&items[1..], Pick::Toggle);
        assert_eq!((selection.items.len(), selection.active_item), (1, Some(items[0])));
        selection.pick(&bones(&[5]), Pick::Add);
        assert!(selection.items.is_empty() && selection.active_item.is_none());
    }

    #[test]
    fn toggling_takes_out_what_is_wholly_in_and_brings_in_what_is_not() {
        check(&[(&[1, 2], Pick::Replace), (&[2, 3], Pick::Toggle)], &[1, 2, 3], Some(3));
        check(&[(&[1, 2, 3], Pick::Replace), (&[2, 3], Pick::Toggle)], &[1], Some(1));
        check(&[(&[7], Pick::Toggle), (&[7], Pick::Toggle)], &[], None);
    }
}
