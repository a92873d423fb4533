//! What pushes whole chains, and what their speed is measured from, where the solver knows such things.

use super::Session;
use crate::doc::{ChainId, ColliderGroup, ColliderId, Edit, GroupId, Label, Node, groups};
use crate::rig::BoneId;
use crate::session::Item;

/// A collider group as the tuned chains name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupChoice {
    /// Which.
    pub id: GroupId,
    /// As it goes into files; may be empty.
    pub name: String,
    /// Counted from 1, for those without a name.
    pub number: usize,
    /// How many colliders it has.
    pub colliders: usize,
    /// How many of the tuned chains name it.
    pub chains: usize,
    /// Whether that is all of them.
    pub all: bool,
}

/// What speed of the tuned chains is measured from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Center {
    /// The world, or a node.
    Same(Option<Node>),
    /// Chains differ.
    Mixed,
}

impl Session {
    /// Whether chains have collider groups and a center here.
    pub fn has_groups(&self) -> bool {
        groups::are_known(self.system().solver)
    }

    /// The chains that tuning reaches, whole or in part.
    pub fn target_chains(&self) -> Vec<ChainId> {
        let targets = self.targets();
        let mut chains = targets.chains;
        chains.extend(targets.joints.iter().map(|j| j.0));
        chains.sort_unstable();
        chains.dedup();
        chains
    }

    /// All collider groups, and how many of the tuned chains name each.
    pub fn group_choices(&self) -> Vec<GroupChoice> {
        let tuned = self.target_chains();
        let choice = |(at, (id, group)): (usize, (&GroupId, &ColliderGroup))| {
            let chains = tuned.iter().filter(|c| self.document.chains[*c].groups.contains(id)).count();
            GroupChoice {
                id: *id,
                name: group.name.clone(),
                number: at + 1,
                colliders: group.colliders.len(),
                chains,
                all: chains > 0 && chains == tuned.len(),
            }
        };
        self.document.groups.iter().enumerate().map(choice).collect()
    }

    /// What lets a group push all tuned chains, or none of them; `name` is how it is called.
    pub fn assign_group(&self, id: GroupId, on: bool, name: &str) -> (Edit, Label) {
        let chains = self.target_chains();
        let label = Label::new(if on { "group_on" } else { "group_off" }, chains.len()).name(name);
        (groups::assign(&self.document, &chains, id, on), label)
    }

    /// What speed of the tuned chains is measured from; `None` where nothing is tuned.
    pub fn center(&self) -> Option<Center> {
        let chains = self.target_chains();
        let mut centers = chains.iter().map(|id| self.document.chains[id].center);
        let first = centers.next()?;
        Some(if centers.all(|c| c == first) { Center::Same(first) } else { Center::Mixed })
    }

    /// The bones above all tuned chains, the nearest first.
    pub fn center_choices(&self) -> Vec<BoneId> {
        groups::centers(&self.document, &self.character.skeleton, &self.target_chains())
    }

    /// The active bone where it could be a center but stands not among [`Self::center_choices`]: it is no joint of what
    /// is tuned.
    pub fn active_center(&self) -> Option<BoneId> {
        let bone = self.selection.active?;
        let tuned = self.target_chains();
        let is_joint = tuned.iter().any(|id| self.document.chains[id].position(bone).is_some());
        (!is_joint && bone.index() < self.character.skeleton.len() && !self.center_choices().contains(&bone))
            .then_some(bone)
    }

    /// What measures speed of all tuned chains from a bone, or from the world.
    pub fn set_center(&self, bone: Option<BoneId>) -> (Edit, Label) {
        let chains = self.target_chains();
        let label = Label::new(if bone.is_some() { "center" } else { "no_center" }, chains.len());
        let label = label.name(bone.map_or("", |bone| self.bone_name(bone)));
        (groups::set_center(&self.document, &chains, bone.map(Node::Bone)), label)
    }

    /// The selected colliders.
    pub fn selected_colliders(&self) -> Vec<ColliderId> {
        let collider = |item: &Item| match item {
            Item::Collider(id) => Some(*id),
            Item::Force(_) | Item::Helper(_) => None,
        };
        self.selection.items.iter().filter_map(collider).collect()
    }
}
