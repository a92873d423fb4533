//! Maps collider groups of a file to groups of a document.

use super::MissingReference;
use crate::document::{ByName, ChainEntry, ChainId, ColliderGroup, ColliderId, Document, GroupId, Setup, SetupEntry};
use std::collections::{BTreeMap, BTreeSet};
use yuremono_sim::rig::BoneId;

#[derive(Clone, Debug, Default)]
pub(super) struct GroupMap {
    /// Maps ids of the file to ids of the document.
    ids_by_number: BTreeMap<GroupId, GroupId>,
    /// Groups of chains that the file does not contain. These groups stay unchanged.
    reserved: BTreeSet<GroupId>,
    /// The file's ids of the groups that its chains use.
    used_numbers: BTreeSet<GroupId>,
}

impl GroupMap {
    pub(super) fn with_reserved(reserved: BTreeSet<GroupId>) -> Self {
        Self { reserved, ..Self::default() }
    }

    /// Must be called before [`GroupMap::merge_group`].
    pub(super) fn add_used_groups<'a>(&mut self, items: impl IntoIterator<Item = &'a SetupEntry>) {
        for item in items {
            if let SetupEntry::Chain(ChainEntry { chain, .. }) = item {
                self.used_numbers.extend(&chain.groups);
            }
        }
    }

    pub(super) fn get(&self, number: GroupId) -> Option<GroupId> {
        self.ids_by_number.get(&number).copied()
    }

    /// Merges a group into the first unmapped group with its name, or else into a new group. Reserved groups stay
    /// unchanged. An entry that differs from a reserved group is ignored, unless a chain of the file uses the entry.
    /// Missing colliders are skipped. Returns an error if all colliders are missing, or else whether anything changed.
    pub(super) fn merge_group(
        &mut self,
        document: &mut Document,
        number: GroupId,
        group: &ColliderGroup<ByName>,
    ) -> Result<bool, MissingReference> {
        let here = |name: &String| document.colliders.iter().find(|(_, c)| c.name == *name).map(|(id, _)| *id);
        let found: Vec<ColliderId> = group.colliders.iter().filter_map(here).collect();
        if let (true, Some(missing)) = (found.is_empty(), group.colliders.first()) {
            return Err(MissingReference::Collider(missing.clone()));
        }
        let taken: BTreeSet<GroupId> = self.ids_by_number.values().copied().collect();
        let names = |ids: &[ColliderId]| -> Vec<String> {
            ids.iter().filter_map(|id| document.colliders.get(id)).map(|c| c.name.clone()).collect()
        };
        // A file contains only names, so a group with the same collider names is unchanged.
        let same = |old: &ColliderGroup| names(&old.colliders) == names(&found);
        let mut named =
            document.groups.iter().filter(|(id, g)| g.name == group.name && !taken.contains(*id)).peekable();
        let stays =
            |id: &GroupId, old: &_| same(old) || (self.reserved.contains(id) && !self.used_numbers.contains(&number));
        if let Some((id, _)) = named.peek().filter(|(id, old)| stays(id, old)) {
            self.ids_by_number.insert(number, **id);
            return Ok(false);
        }
        let id = named.map(|(id, _)| *id).find(|id| !self.reserved.contains(id));
        let id = id.unwrap_or_else(|| document.next_group_id());
        self.ids_by_number.insert(number, id);
        let old = document.groups.get(&id);
        if old.is_some_and(same) {
            return Ok(false);
        }
        let source = old.and_then(|old| old.source_index);
        document.groups.insert(id, ColliderGroup { name: group.name.clone(), colliders: found, source_index: source });
        Ok(true)
    }

    /// Assigns groups to a chain and removes their colliders from the lists of its joints. Returns whether anything
    /// changed.
    pub(super) fn assign_groups(
        &self,
        document: &mut Document,
        chain: ChainId,
        numbers: &[GroupId],
    ) -> Result<bool, MissingReference> {
        let groups: Vec<GroupId> = numbers.iter().filter_map(|number| self.get(*number)).collect();
        if let (true, Some(missing)) = (groups.is_empty(), numbers.first()) {
            return Err(MissingReference::Group(missing.0));
        }
        let Setup { chains, groups: all, .. } = &mut document.setup;
        let shared: BTreeSet<ColliderId> =
            groups.iter().filter_map(|id| all.get(id)).flat_map(|group| &group.colliders).copied().collect();
        let Some(chain) = chains.get_mut(&chain).filter(|chain| chain.groups != groups) else { return Ok(false) };
        chain.groups = groups;
        chain.joints.iter_mut().for_each(|joint| joint.colliders.retain(|id| !shared.contains(id)));
        Ok(true)
    }
}

/// Reconciles groups and collider lists after an import replaced the collider lists of the bones in `listed`. If all
/// these lists in a chain contain the colliders of its groups, the groups are kept and the colliders are removed from
/// the lists. Otherwise the chain loses its groups, and its other joints list the colliders.
pub(super) fn normalize_group_colliders(document: &mut Document, listed: &BTreeSet<BoneId>) {
    let Setup { chains, groups: all, .. } = &mut document.setup;
    for chain in chains.values_mut().filter(|chain| !chain.groups.is_empty()) {
        let groups = chain.groups.iter().filter_map(|id| all.get(id));
        let mut seen = BTreeSet::new();
        let shared: Vec<ColliderId> =
            groups.flat_map(|group| &group.colliders).copied().filter(|id| seen.insert(*id)).collect();
        let (listed, others): (Vec<_>, Vec<_>) =
            chain.joints.iter_mut().partition(|joint| listed.contains(&joint.bone));
        if listed.is_empty() {
            continue;
        }
        if listed.iter().all(|joint| shared.iter().all(|id| joint.colliders.contains(id))) {
            for joint in listed {
                joint.colliders.retain(|id| !shared.contains(id));
            }
            continue;
        }
        for joint in others {
            let own = std::mem::take(&mut joint.colliders);
            joint.colliders = shared.iter().copied().chain(own.into_iter().filter(|id| !shared.contains(id))).collect();
        }
        chain.groups.clear();
    }
}
