//! Collider groups, centers and ranges of directions: what VRM's files have beyond numbers, as comment rows and back.

use super::apply::is_known;
use super::extras::own_name;
use super::{Missing, RowNote, View};
use crate::doc::pivot::Axis;
use crate::doc::table::{Extra, ExtraRow};
use crate::doc::{Chain, ChainId, ColliderGroup, ColliderId, Document, GroupId, Joint, Setup};
use crate::rig::BoneId;
use crate::sim::SwingLimit;
use std::collections::{BTreeMap, BTreeSet};

/// All groups, in the order of their numbers.
pub(super) fn of_document(document: &Document) -> Vec<Extra> {
    let name = |id: &ColliderId| document.colliders.get(id).map(|c| c.name.clone());
    let all = document.groups.values().zip(1..).map(|(group, number)| {
        let colliders = group.colliders.iter().filter_map(name).collect();
        Extra::Group { number, name: group.name.clone(), colliders }
    });
    all.collect()
}

/// Which groups push a chain, and what its speed is measured against.
pub(super) fn of_chain(view: &View<'_>, chain: &Chain, root: &str, all: &mut Vec<Extra>) {
    let number = |id: &GroupId| view.document.groups.keys().position(|other| other == id).map(|at| at as u32 + 1);
    let numbers: Vec<u32> = chain.groups.iter().filter_map(number).collect();
    if !numbers.is_empty() {
        all.push(Extra::Groups { root: root.to_owned(), numbers });
    }
    if let Some(node) = chain.center.and_then(|node| view.names.name(node)) {
        all.push(Extra::Center { root: root.to_owned(), node: node.to_owned() });
    }
}

/// How far a joint may turn.
pub(super) fn of_joint(view: &View<'_>, joint: &Joint, axis: Axis) -> Option<Extra> {
    let (limit, bone) = (joint.limit?, own_name(view.skeleton, joint.bone)?);
    Some(Extra::Swing { bone, limit: mirrored_limit(limit, axis) })
}

/// A range in the space of the other side; all shapes are the same on either side of their planes.
pub(super) fn mirrored_limit(limit: SwingLimit, axis: Axis) -> SwingLimit {
    SwingLimit { rotation: axis.turn(limit.rotation), ..limit }
}

/// Groups that rows are about.
#[derive(Default)]
pub(super) struct Groups {
    by_number: BTreeMap<u32, GroupId>,
    /// Groups that chains have which the table does not speak of; they stay as they are.
    aside: BTreeSet<GroupId>,
    /// Numbers of groups that rows give to chains.
    given: BTreeSet<u32>,
}

impl Groups {
    /// None yet, where these groups are others'.
    pub(super) fn beside(aside: BTreeSet<GroupId>) -> Self {
        Self { aside, ..Self::default() }
    }

    /// Looks which groups the rows give to chains.
    pub(super) fn look(&mut self, rows: &[ExtraRow]) {
        let numbers = rows.iter().filter_map(|row| match &row.cells {
            Ok(Extra::Groups { numbers, .. }) => Some(numbers),
            _ => None,
        });
        self.given.extend(numbers.flatten());
    }

    /// Puts a group: one of its name that no row was about yet, else a new one. Colliders that are not here are left
    /// out; it fails where none is. A table says all groups of its document: one of others stays, and the row is passed
    /// over where it says otherwise and no row gives the group to a chain. Whether anything changed.
    pub(super) fn put(
        &mut self,
        document: &mut Document,
        number: u32,
        name: &str,
        colliders: &[String],
    ) -> Result<bool, Missing> {
        let here = |name: &String| document.colliders.iter().find(|(_, c)| c.name == *name).map(|(id, _)| *id);
        let found: Vec<ColliderId> = colliders.iter().filter_map(here).collect();
        if let (true, Some(lost)) = (found.is_empty(), colliders.first()) {
            return Err(Missing::Collider(lost.clone()));
        }
        let taken: BTreeSet<GroupId> = self.by_number.values().copied().collect();
        let names = |ids: &[ColliderId]| -> Vec<String> {
            ids.iter().filter_map(|id| document.colliders.get(id)).map(|c| c.name.clone()).collect()
        };
        // Names are all that a row knows: what is written under the same ones stays as it is.
        let same = |group: &ColliderGroup| names(&group.colliders) == names(&found);
        let mut named = document.groups.iter().filter(|(id, g)| g.name == name && !taken.contains(*id)).peekable();
        if let Some((id, _)) = named
            .peek()
            .filter(|(id, group)| same(group) || (self.aside.contains(*id) && !self.given.contains(&number)))
        {
            self.by_number.insert(number, **id);
            return Ok(false);
        }
        let id = named.map(|(id, _)| *id).find(|id| !self.aside.contains(id));
        let id = id.unwrap_or_else(|| document.fresh_group());
        self.by_number.insert(number, id);
        let old = document.groups.get(&id);
        if old.is_some_and(same) {
            return Ok(false);
        }
        let source = old.and_then(|old| old.source);
        document.groups.insert(id, ColliderGroup { name: name.to_owned(), colliders: found, source });
        Ok(true)
    }

    /// Gives a chain the groups of these numbers; its joints' own colliders that are in one of them go.
    pub(super) fn give(&self, document: &mut Document, chain: ChainId, numbers: &[u32]) -> Result<bool, Missing> {
        let groups: Vec<GroupId> = numbers.iter().filter_map(|n| self.by_number.get(n)).copied().collect();
        if let (true, Some(lost)) = (groups.is_empty(), numbers.first()) {
            return Err(Missing::Group(*lost));
        }
        let shared: BTreeSet<ColliderId> =
            groups.iter().filter_map(|id| document.groups.get(id)).flat_map(|g| &g.colliders).copied().collect();
        let Some(chain) = document.chains.get_mut(&chain) else { return Ok(false) };
        let changed = chain.groups != groups;
        if changed {
            chain.groups = groups;
            chain.joints.iter_mut().for_each(|j| j.colliders.retain(|id| !shared.contains(id)));
        }
        Ok(changed)
    }
}

/// Colliders of a group that are not here; they are left out of it.
pub(super) fn notes(extra: &Extra, document: &Document) -> Vec<RowNote> {
    let Extra::Group { colliders, .. } = extra else { return Vec::new() };
    let lost: Vec<String> = colliders.iter().filter(|name| !is_known(document, name)).cloned().collect();
    if lost.is_empty() { Vec::new() } else { vec![RowNote::NoColliders(lost)] }
}

/// Brings groups in line with joints that were given all their colliders by name: as long as each of them has all that
/// the chain's groups have, these are not listed twice; else the chain has no groups any more, and every joint of it
/// has its own.
pub(super) fn settle(document: &mut Document, listed: &BTreeSet<BoneId>) {
    let Setup { chains, groups: all, .. } = &mut document.setup;
    for chain in chains.values_mut().filter(|chain| !chain.groups.is_empty()) {
        let groups = chain.groups.iter().filter_map(|id| all.get(id));
        let mut seen = BTreeSet::new();
        let shared: Vec<ColliderId> =
            groups.flat_map(|g| &g.colliders).copied().filter(|id| seen.insert(*id)).collect();
        let (listed, others): (Vec<_>, Vec<_>) = chain.joints.iter_mut().partition(|j| listed.contains(&j.bone));
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
