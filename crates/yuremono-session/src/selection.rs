use std::collections::{BTreeMap, BTreeSet};
use yuremono_model::document::param_edits::EditTargets;
use yuremono_model::document::{ChainId, ColliderId, Document, ForceId, HelperId, Joint};
use yuremono_model::tools::elements::ElementId;
use yuremono_sim::rig::{BoneId, Skeleton};

/// Whether whole chains or single joints are tuned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TuningScope {
    /// The chains that the selected bones belong to.
    #[default]
    Chains,
    /// Only the selected joints.
    Joints,
}

/// How a click changes the selection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SelectMode {
    #[default]
    Replace,
    /// Adds bones that are not selected; removes them if all are selected.
    Toggle,
    Add,
}

/// What a selection of bones contains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SelectionCounts {
    /// Chains that are tuned as a whole.
    pub chains: usize,
    /// Joints of these chains, or individually tuned joints.
    pub joints: usize,
    /// Bones that are not joints.
    pub unsimulated_bones: usize,
}

/// An object of the document that is not a bone of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SceneObject {
    Collider(ColliderId),
    Force(ForceId),
    /// A pivot or another helper node.
    Helper(HelperId),
}

impl SceneObject {
    /// Returns the id of the object as an element of the document.
    pub const fn element_id(self) -> ElementId {
        match self {
            Self::Collider(id) => ElementId::Collider(id),
            Self::Force(id) => ElementId::Force(id),
            Self::Helper(id) => ElementId::Helper(id),
        }
    }

    /// Returns the object to select for an element; for a leg follower, its helper. `None` for a bone.
    pub fn from_element_id(element_id: ElementId, document: &Document) -> Option<Self> {
        match element_id {
            ElementId::Collider(id) => Some(Self::Collider(id)),
            ElementId::Force(id) => Some(Self::Force(id)),
            ElementId::Helper(id) => Some(Self::Helper(id)),
            ElementId::HighLeg(_) => element_id.helper(document).map(|(id, _)| Self::Helper(id)),
        }
    }

    /// Returns whether the document contains the object.
    pub fn is_in(self, document: &Document) -> bool {
        match self {
            Self::Collider(id) => document.colliders.contains_key(&id),
            Self::Force(id) => document.forces.contains_key(&id),
            Self::Helper(id) => document.helpers.contains_key(&id),
        }
    }
}

/// The selected and hovered objects, which the tree, the viewport and the curve editor share.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Selected bones, including bones that are not joints.
    pub bones: BTreeSet<BoneId>,
    /// The bone that was clicked last.
    pub active: Option<BoneId>,
    /// Whether edits apply to whole chains or to single joints.
    pub scope: TuningScope,
    /// The bone under the pointer.
    pub hovered: Option<BoneId>,
    /// Selected colliders, forces and helpers. The inspector shows these objects instead of the bones. The bones stay
    /// selected, so a collider can be assigned to them.
    pub objects: BTreeSet<SceneObject>,
    /// The object in [`Selection::objects`] that was clicked last.
    pub active_object: Option<SceneObject>,
}

impl Selection {
    /// Selects objects and makes the last object active. Bones stay selected.
    pub fn select_objects(&mut self, items: &[SceneObject], mode: SelectMode) {
        match mode {
            SelectMode::Replace => self.objects = items.iter().copied().collect(),
            SelectMode::Toggle if items.iter().all(|item| self.objects.contains(item)) => {
                self.objects.retain(|item| !items.contains(item));
            }
            SelectMode::Add | SelectMode::Toggle => self.objects.extend(items),
        }
        let last = items.last().copied().filter(|item| self.objects.contains(item));
        self.active_object = last.or_else(|| self.objects.last().copied());
    }

    /// Sets whether whole chains or single joints are tuned. For single joints, only the active joint stays selected.
    pub(super) fn set_scope(&mut self, scope: TuningScope) {
        self.scope = scope;
        if scope == TuningScope::Joints
            && let Some(active) = self.active
        {
            self.select_bones(&[active], SelectMode::Replace);
        }
    }

    /// Selects bones, makes the last bone active, and deselects all objects.
    pub fn select_bones(&mut self, bones: &[BoneId], mode: SelectMode) {
        self.objects.clear();
        self.active_object = None;
        match mode {
            SelectMode::Replace => {
                self.bones = bones.iter().copied().collect();
                self.active = bones.last().copied();
            }
            SelectMode::Add => {
                self.bones.extend(bones);
                self.active = bones.last().copied().or(self.active);
            }
            SelectMode::Toggle => {
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

    pub fn clear(&mut self) {
        self.bones.clear();
        self.active = None;
        self.objects.clear();
        self.active_object = None;
        self.scope = TuningScope::Chains;
    }

    /// Returns whether nothing is selected.
    pub fn is_empty(&self) -> bool {
        self.bones.is_empty() && self.objects.is_empty()
    }

    /// Returns the chains of the selected bones, in document order.
    pub fn chains(&self, document: &Document) -> Vec<ChainId> {
        if self.bones.is_empty() {
            return Vec::new();
        }
        let touched = |id: &&ChainId| document.chains[*id].joints.iter().any(|j| self.bones.contains(&j.bone));
        document.chains.keys().filter(touched).copied().collect()
    }

    /// Returns whether a bone is highlighted because the bone is selected or part of a tuned chain.
    pub fn is_highlighted(&self, document: &Document, bone: BoneId) -> bool {
        self.bones.contains(&bone)
            || (self.scope == TuningScope::Chains
                && document
                    .find_joint(bone)
                    .is_some_and(|(id, _)| document.chains[&id].joints.iter().any(|j| self.bones.contains(&j.bone))))
    }

    /// Returns all joints for which [`Selection::is_highlighted`] is true.
    pub fn highlighted_joints(&self, document: &Document) -> BTreeSet<BoneId> {
        let mut found = BTreeSet::new();
        for chain in document.chains.values() {
            let is_in = |joint: &&Joint| self.bones.contains(&joint.bone);
            let whole = self.scope == TuningScope::Chains && chain.joints.iter().any(|j| is_in(&j));
            found.extend(chain.joints.iter().filter(|j| whole || is_in(j)).map(|j| j.bone));
        }
        found
    }

    /// Returns what the selection would contain if these bones were selected, in the current scope.
    pub fn counts_if_selected(&self, document: &Document, bones: &[BoneId]) -> SelectionCounts {
        let after = Self { bones: bones.iter().copied().collect(), ..self.clone() };
        let still = bones.iter().filter(|bone| document.find_joint(**bone).is_none()).count();
        let chains = if self.scope == TuningScope::Chains { after.chains(document).len() } else { 0 };
        SelectionCounts { chains, joints: after.highlighted_joints(document).len(), unsimulated_bones: still }
    }

    /// Returns the targets of edits; all chains if no bone is selected.
    pub fn targets(&self, document: &Document, index: &BTreeMap<BoneId, (ChainId, usize)>) -> EditTargets {
        if self.bones.is_empty() {
            return EditTargets { chains: document.chains.keys().copied().collect(), joints: Vec::new() };
        }
        let joints = self.bones.iter().filter_map(|b| index.get(b).map(|(id, _)| (*id, *b)));
        match self.scope {
            TuningScope::Joints => EditTargets { chains: Vec::new(), joints: joints.collect() },
            TuningScope::Chains => {
                let chains: BTreeSet<_> = joints.map(|(id, _)| id).collect();
                EditTargets { chains: chains.into_iter().collect(), joints: Vec::new() }
            }
        }
    }

    /// Removes bones and objects that no longer exist.
    pub fn remove_missing(&mut self, skeleton: &Skeleton, document: &Document) {
        self.objects.retain(|item| item.is_in(document));
        self.active_object = self.active_object.filter(|item| self.objects.contains(item));
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
    fn check(picks: &[(&[u32], SelectMode)], selected: &[u32], active: Option<u32>) {
        let mut selection = Selection::default();
        for (ids, mode) in picks {
            selection.select_bones(&bones(ids), *mode);
        }
        assert_eq!(selection.bones.iter().map(|b| b.0).collect::<Vec<_>>(), selected);
        assert_eq!(selection.active.map(|b| b.0), active);
    }

    #[test]
    fn a_plain_click_replaces_the_selection_and_activates_the_last_bone() {
        check(&[(&[1, 2], SelectMode::Replace), (&[9, 4], SelectMode::Replace)], &[4, 9], Some(4));
        check(&[(&[1], SelectMode::Replace), (&[], SelectMode::Replace)], &[], None);
    }

    #[test]
    fn adding_nothing_keeps_the_active_bone() {
        check(&[(&[5], SelectMode::Replace), (&[3], SelectMode::Add), (&[], SelectMode::Add)], &[3, 5], Some(3));
    }

    #[test]
    fn selecting_objects_keeps_bones_and_selecting_a_bone_clears_objects() {
        let items = [1, 2].map(|id| SceneObject::Collider(ColliderId(id)));
        let mut selection = Selection::default();
        selection.select_bones(&bones(&[4]), SelectMode::Replace);
        selection.select_objects(&items, SelectMode::Replace);
        assert_eq!((selection.bones.len(), selection.objects.len(), selection.active_object), (1, 2, Some(items[1])));
        selection.select_objects(&items[1..], SelectMode::Toggle);
        assert_eq!((selection.objects.len(), selection.active_object), (1, Some(items[0])));
        selection.select_bones(&bones(&[5]), SelectMode::Add);
        assert!(selection.objects.is_empty() && selection.active_object.is_none());
    }

    #[test]
    fn toggling_deselects_only_if_all_bones_are_selected() {
        check(&[(&[1, 2], SelectMode::Replace), (&[2, 3], SelectMode::Toggle)], &[1, 2, 3], Some(3));
        check(&[(&[1, 2, 3], SelectMode::Replace), (&[2, 3], SelectMode::Toggle)], &[1], Some(1));
        check(&[(&[7], SelectMode::Toggle), (&[7], SelectMode::Toggle)], &[], None);
    }
}
