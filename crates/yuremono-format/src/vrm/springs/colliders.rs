//! Converts colliders and collider groups to the VRM version of the file.

use super::{ROUNDING_TOLERANCE, SpringsBuilder};
use crate::vrm::document::collider_placement;
use crate::vrm::{VrmCollider, VrmColliderGroup, VrmColliderShape, VrmSpringChain, VrmSprings, VrmVersion};
use glam::{Affine3A, Vec3};
use std::collections::{BTreeMap, BTreeSet};
use yuremono_model::document::{Chain, Collider, ColliderGroup, ColliderId, Document, GroupId, Node};
use yuremono_model::feel::convert::same_set;
use yuremono_sim;
use yuremono_sim::diagnostics::{excerpt, message};
use yuremono_sim::rig::BoneId;

impl SpringsBuilder<'_> {
    pub(super) fn add_colliders(&mut self) -> BTreeMap<ColliderId, usize> {
        let mut places = BTreeMap::new();
        for (id, collider) in &self.document.colliders {
            let name = excerpt(&collider.name);
            let Some((bone, local)) = self.bone_and_transform(collider.node) else {
                self.warn(message!("the parent of collider \"{name}\" does not exist; the collider is left out", name));
                continue;
            };
            let Some(shape) = self.collider_shape(collider, bone, local) else {
                self.warn(message!(
                    "VRM does not support the shape of collider \"{name}\"; the collider is left out",
                    name
                ));
                continue;
            };
            let plain = matches!(shape, VrmColliderShape::Sphere { inside: false, .. });
            if self.springs.version == VrmVersion::V0 && !plain {
                self.warn(message!("VRM 0.x supports only spheres; collider \"{name}\" is left out", name));
                continue;
            }
            let is_hidden = collider.mesh_name.as_ref().is_some_and(|mesh| self.document.hidden_meshes.contains(mesh));
            if !collider.enabled || is_hidden {
                self.warn(message!(
                    "collider \"{name}\" is disabled here; VRM cannot disable colliders, so it will collide",
                    name
                ));
            }
            let file_index = self.source_collider(collider, bone, shape);
            places.insert(*id, self.springs.colliders.len());
            self.springs.colliders.push(VrmCollider { bone, shape, file_index });
        }
        places
    }

    fn bone_and_transform(&self, mut node: Node) -> Option<(BoneId, Affine3A)> {
        let mut local = Affine3A::IDENTITY;
        loop {
            match node {
                Node::Bone(bone) => return self.has_bone(bone).then_some((bone, local)),
                Node::Helper(id) => {
                    let helper = self.document.helpers.get(&id)?;
                    local = helper.local.to_affine() * local;
                    node = helper.parent;
                }
            }
        }
    }

    fn collider_shape(&self, collider: &Collider, bone: BoneId, local: Affine3A) -> Option<VrmColliderShape> {
        let is_unchanged = |shape: VrmColliderShape| {
            let (placement, unplaced) = collider_placement(shape);
            unplaced == collider.shape && placement.to_affine() == local
        };
        let source = collider.source_index.map(|i| i as usize);
        let read = self.file_springs.map_or(&[][..], |file| &file.colliders);
        let is_source = |c: &&VrmCollider| c.bone == bone && c.file_index == source && source.is_some();
        let old = read.iter().filter(is_source).find(|c| is_unchanged(c.shape));
        if let Some(old) = old {
            return Some(old.shape);
        }
        // A table or another solver may have rounded the numbers.
        let made = to_vrm_shape(collider.shape, local)?;
        let near = read.iter().filter(|c| c.bone == bone).find(|c| are_nearly_equal(c.shape, made));
        Some(near.map_or(made, |c| c.shape))
    }

    fn source_collider(&self, collider: &Collider, bone: BoneId, shape: VrmColliderShape) -> Option<usize> {
        let source = collider.source_index? as usize;
        let read = &self.file_springs?.colliders;
        let there = read.iter().find(|c| c.file_index == Some(source) && c.bone == bone);
        there.or_else(|| read.iter().find(|c| c.bone == bone && c.shape == shape))?.file_index
    }

    /// Like `source_collider`, but compares groups by name.
    fn source_group(&self, group: &ColliderGroup) -> Option<usize> {
        let source = group.source_index? as usize;
        let read = &self.file_springs?.collider_groups;
        let there = read.iter().find(|g| g.file_index == Some(source) && g.name == group.name);
        there.or_else(|| read.iter().find(|g| g.file_index == Some(source)))?.file_index
    }

    /// Adds the collider groups and returns the new indices of each group of the document. In VRM 0.x, a group may be
    /// split into several groups. A group without colliders has no index if the version forbids empty groups.
    pub(super) fn add_groups(&mut self, colliders: &BTreeMap<ColliderId, usize>) -> BTreeMap<GroupId, Vec<usize>> {
        let mut places = BTreeMap::new();
        for (id, group) in &self.document.groups {
            let listed: Vec<usize> = group.colliders.iter().filter_map(|c| colliders.get(c).copied()).collect();
            let source = self.source_group(group);
            let parts = if listed.is_empty() { self.may_be_empty(source).then(Vec::new) } else { None };
            let parts = parts.map_or_else(|| self.split_by_bone(listed), |none| vec![none]);
            let at = places.entry(*id).or_insert_with(Vec::new);
            for (nth, colliders) in parts.into_iter().enumerate() {
                at.push(self.springs.collider_groups.len());
                let file_index = source.filter(|_| nth == 0);
                self.springs.collider_groups.push(VrmColliderGroup { name: group.name.clone(), colliders, file_index });
            }
        }
        places
    }

    /// Restores the collider groups of the file after the document used another solver. Conversion to another solver
    /// drops the groups. The conversion back creates one group for each chain, named after the chain, with all its
    /// colliders. If the chain's groups in the file have the same colliders, this function replaces the generated group
    /// with the groups of the file.
    pub(super) fn with_restored_groups(&self, colliders: &BTreeMap<ColliderId, usize>) -> Option<Document> {
        let file = self.file_springs?;
        let mut after = self.document.clone();
        let ids = self.match_file_colliders(file, colliders);
        let listed = |group: &VrmColliderGroup| -> Vec<Option<ColliderId>> {
            group.colliders.iter().map(|c| ids.get(*c).copied().flatten()).collect()
        };
        let restored = |group: &VrmColliderGroup| ColliderGroup {
            name: group.name.clone(),
            colliders: listed(group).into_iter().flatten().collect(),
            source_index: group.file_index.map(|at| at as u32),
        };
        let has_chain_name = |group: &ColliderGroup| self.document.chains.values().any(|c| c.name == group.name);
        let mut made: BTreeMap<usize, GroupId> = BTreeMap::new();
        let mut replaced: BTreeSet<GroupId> = BTreeSet::new();
        for (id, chain) in &self.document.chains {
            let is_source = |was: &&VrmSpringChain| {
                was.file_index.map(|at| at as u32) == chain.source_index
                    && was.joints.iter().any(|a| chain.joints.iter().any(|b| a.bone == b.bone))
            };
            let was = file.chains.iter().find(is_source);
            let Some(was) = was.filter(|_| chain.source_index.is_some() && !chain.groups.is_empty()) else { continue };
            let groups: Option<Vec<_>> = chain.groups.iter().map(|id| self.document.groups.get(id)).collect();
            let Some(groups) = groups else { continue };
            let now: Vec<ColliderId> = groups.iter().flat_map(|g| &g.colliders).copied().collect();
            let then: Option<Vec<ColliderId>> =
                was.collider_groups.iter().filter_map(|g| file.collider_groups.get(*g)).flat_map(&listed).collect();
            let all_made = groups.iter().all(|group| group.source_index.is_none() && has_chain_name(group));
            if !all_made || !then.is_some_and(|then| same_set(&then, &now)) {
                continue;
            }
            replaced.extend(&chain.groups);
            let mut restore = |at: &usize| {
                *made.entry(*at).or_insert_with(|| {
                    let id = after.next_group_id();
                    after.groups.insert(id, restored(&file.collider_groups[*at]));
                    id
                })
            };
            let groups = was.collider_groups.iter().map(&mut restore).collect();
            if let Some(chain) = after.chains.get_mut(id) {
                chain.groups = groups;
            }
        }
        if made.is_empty() {
            return None;
        }
        let used: BTreeSet<GroupId> = after.chains.values().flat_map(|chain| &chain.groups).copied().collect();
        after.groups.retain(|id, _| used.contains(id) || !replaced.contains(id));
        // Groups that no chain uses were dropped together with the other groups.
        if after.groups.len() == made.len() {
            for (at, group) in file.collider_groups.iter().enumerate() {
                if !made.contains_key(&at) && listed(group).iter().all(Option::is_some) {
                    let id = after.next_group_id();
                    made.insert(at, id);
                    after.groups.insert(id, restored(group));
                }
            }
        }
        // Restored groups keep the order of the file and come before new groups.
        let order: Vec<GroupId> = made.values().copied().collect();
        let rest = after.groups.keys().copied().filter(|id| !order.contains(id)).collect::<Vec<_>>();
        let numbers: BTreeMap<GroupId, GroupId> =
            order.into_iter().chain(rest).zip(0..).map(|(id, at)| (id, GroupId(at))).collect();
        after.groups = std::mem::take(&mut after.groups).into_iter().map(|(id, group)| (numbers[&id], group)).collect();
        for chain in after.chains.values_mut() {
            chain.groups.iter_mut().for_each(|id| *id = numbers.get(id).copied().unwrap_or(*id));
        }
        Some(after)
    }

    /// Returns, for each collider of the file, the matching collider of the document.
    fn match_file_colliders(
        &self,
        file: &VrmSprings,
        colliders: &BTreeMap<ColliderId, usize>,
    ) -> Vec<Option<ColliderId>> {
        let mut free: Vec<(ColliderId, VrmCollider)> =
            colliders.iter().map(|(id, at)| (*id, self.springs.colliders[*at])).collect();
        let mut found = vec![None; file.colliders.len()];
        // Unchanged colliders are matched first, because in VRM 0.x `file_index` is unique only within a group.
        for exactly in [true, false] {
            for (was, found) in file.colliders.iter().zip(&mut found).filter(|(_, found)| found.is_none()) {
                let alike = |now: &VrmCollider| {
                    let at_place = was.file_index.is_some() && now.file_index == was.file_index;
                    now.bone == was.bone && if exactly { now.shape == was.shape } else { at_place }
                };
                if let Some(at) = free.iter().position(|(_, now)| alike(now)) {
                    *found = Some(free.swap_remove(at).0);
                }
            }
        }
        found
    }

    /// Whether the group may be empty. In VRM 0.x, a group without colliders still has a bone. VRM 1.0 forbids empty
    /// groups, but a file may contain them.
    fn may_be_empty(&self, source: Option<usize>) -> bool {
        let read = self.file_springs.map_or(&[][..], |file| &file.collider_groups);
        let old = source.and_then(|source| read.iter().find(|g| g.file_index == Some(source)));
        old.is_some_and(|old| self.springs.version == VrmVersion::V0 || old.colliders.is_empty())
    }

    pub(super) fn warn_ungrouped(&mut self, colliders: &BTreeMap<ColliderId, usize>) {
        if self.springs.version == VrmVersion::V1 {
            return;
        }
        let grouped: BTreeSet<usize> =
            self.springs.collider_groups.iter().flat_map(|g| &g.colliders).copied().collect();
        for (id, _) in colliders.iter().filter(|(_, at)| !grouped.contains(at)) {
            let name = &self.document.colliders[id].name;
            self.warn(message!("collider \"{name}\" is in no group and has no effect; VRM 0.x cannot store it", name));
        }
    }

    pub(super) fn chain_groups(
        &mut self,
        chain: &Chain,
        groups: &BTreeMap<GroupId, Vec<usize>>,
        colliders: &BTreeMap<ColliderId, usize>,
    ) -> Vec<usize> {
        let mut list: Vec<usize> = chain.groups.iter().filter_map(|g| groups.get(g)).flatten().copied().collect();
        let mut seen = BTreeSet::new();
        let own = || chain.joints.iter().flat_map(|j| &j.colliders);
        let all: Vec<usize> = own().filter(|c| seen.insert(**c)).filter_map(|c| colliders.get(c).copied()).collect();
        if chain.joints.iter().any(|j| !same_set(&j.colliders, &chain.joints[0].colliders)) {
            self.warn(message!("in VRM, all joints of a chain have the same colliders; the joints of \"{name}\" get the colliders of all its joints", name = excerpt(&chain.name)));
        }
        for part in self.split_by_bone(all) {
            list.push(self.find_or_add_group(&chain.name, part));
        }
        list
    }

    /// Splits colliders by bone for VRM 0.x, because all colliders of a VRM 0.x group are on one bone.
    fn split_by_bone(&self, all: Vec<usize>) -> Vec<Vec<usize>> {
        if self.springs.version == VrmVersion::V1 {
            return if all.is_empty() { Vec::new() } else { vec![all] };
        }
        let mut parts: Vec<(BoneId, Vec<usize>)> = Vec::new();
        for collider in all {
            let bone = self.springs.colliders[collider].bone;
            match parts.iter_mut().find(|(other, _)| *other == bone) {
                Some((_, part)) => part.push(collider),
                None => parts.push((bone, vec![collider])),
            }
        }
        parts.into_iter().map(|(_, part)| part).collect()
    }

    /// Returns the index of the group with exactly these colliders. Adds the group if it does not exist.
    fn find_or_add_group(&mut self, chain: &str, colliders: Vec<usize>) -> usize {
        let groups = &mut self.springs.collider_groups;
        groups.iter().position(|g| g.colliders == colliders).unwrap_or_else(|| {
            groups.push(VrmColliderGroup { name: chain.to_owned(), colliders, file_index: None });
            groups.len() - 1
        })
    }
}

/// Whether two shapes are equal within [`ROUNDING_TOLERANCE`].
fn are_nearly_equal(a: VrmColliderShape, b: VrmColliderShape) -> bool {
    let near = |a: Vec3, b: Vec3| a.abs_diff_eq(b, ROUNDING_TOLERANCE * a.length().max(b.length()).max(1e-2));
    let same = |a: f32, b: f32| (a - b).abs() <= ROUNDING_TOLERANCE * a.abs().max(b.abs());
    let (a, b) = (a.fields(), b.fields());
    a.kind == b.kind
        && a.inside == b.inside
        && std::iter::zip(a.vectors, b.vectors).all(|(a, b)| a.zip(b).is_none_or(|((_, a), (_, b))| near(a, b)))
        && a.radius.zip(b.radius).is_none_or(|(a, b)| same(a, b))
}

/// Converts a shape that was added or moved in the document. Returns `None` if VRM does not support the shape.
fn to_vrm_shape(shape: yuremono_sim::ColliderShape, local: Affine3A) -> Option<VrmColliderShape> {
    let scale = libm::cbrtf(local.matrix3.determinant().abs());
    // The rounded matrix of a pure rotation must not count as scaled.
    let scale = if (scale - 1.0).abs() < 1e-5 { 1.0 } else { scale };
    let offset = Vec3::from(local.translation);
    let tail = |height: f32| local.transform_point3(Vec3::Y * height);
    match shape {
        yuremono_sim::ColliderShape::Sphere { radius, inside } => {
            Some(VrmColliderShape::Sphere { offset, radius: radius * scale, inside })
        }
        yuremono_sim::ColliderShape::Capsule { radius, height, inside } => {
            Some(VrmColliderShape::Capsule { offset, tail: tail(height), radius: radius * scale, inside })
        }
        yuremono_sim::ColliderShape::Plane => {
            let normal = local.matrix3.inverse().transpose() * Vec3::Z;
            Some(VrmColliderShape::Plane { offset, normal: normal.normalize_or(Vec3::Z) })
        }
        _ => None,
    }
}
