//! Colliders and their groups as a file of the version has them.

use super::Making;
use crate::doc::convert::same_set;
use crate::doc::{self, ColliderId, GroupId, Node};
use crate::format::vrm::document::placed;
use crate::format::vrm::{Collider, ColliderGroup, Shape, Version};
use crate::math::Trs;
use crate::rig::BoneId;
use crate::sim;
use glam::{Affine3A, Vec3};
use std::collections::{BTreeMap, BTreeSet};

impl Making<'_> {
    /// Where each of the document's colliders stands among those that are written.
    pub(super) fn colliders(&mut self) -> BTreeMap<ColliderId, usize> {
        let mut places = BTreeMap::new();
        for (id, collider) in &self.document.colliders {
            let Some((bone, local)) = self.on_bone(collider.node) else {
                self.say(format!("collider \"{}\" hangs on nothing that is there; it is left out", collider.name));
                continue;
            };
            let Some(shape) = self.shape(collider, bone, local) else {
                self.say(format!("VRM has no shape like collider \"{}\"; it is left out", collider.name));
                continue;
            };
            let plain = matches!(shape, Shape::Sphere { inside: false, .. });
            if self.springs.version == Version::V0 && !plain {
                self.say(format!("VRM 0.x has spheres only; collider \"{}\" is left out", collider.name));
                continue;
            }
            let is_hidden = collider.renderer.as_ref().is_some_and(|mesh| self.document.renderers_off.contains(mesh));
            if !collider.enabled || is_hidden {
                self.say(format!(
                    "collider \"{}\" is off here; VRM has no such switch, so it will push",
                    collider.name
                ));
            }
            let file_index = self.collider_source(collider, bone, shape);
            places.insert(*id, self.springs.colliders.len());
            self.springs.colliders.push(Collider { bone, shape, file_index });
        }
        places
    }

    /// The file's bone that a node hangs on, and the node's place in that bone's space.
    fn on_bone(&self, mut node: Node) -> Option<(BoneId, Affine3A)> {
        let mut local = Affine3A::IDENTITY;
        loop {
            match node {
                Node::Bone(bone) => return (bone.index() < self.character.skeleton.len()).then_some((bone, local)),
                Node::Helper(id) => {
                    let helper = self.document.helpers.get(&id)?;
                    local = helper.local.to_affine() * local;
                    node = helper.parent;
                }
            }
        }
    }

    /// As the file has it where that is still where it stands.
    fn shape(&self, collider: &doc::Collider, bone: BoneId, local: Affine3A) -> Option<Shape> {
        let stands = |shape: Shape| {
            let (at, own) = placed(shape);
            own == collider.shape && same(at, local)
        };
        let source = collider.source.map(|i| i as usize);
        let read = self.file.map_or(&[][..], |file| &file.colliders);
        let old = read.iter().find(|c| c.bone == bone && c.file_index == source && source.is_some() && stands(c.shape));
        old.map(|c| c.shape).or_else(|| shape(collider.shape, local))
    }

    /// The file may have been saved since: what stands at the remembered place must still be on the same bone.
    fn collider_source(&self, collider: &doc::Collider, bone: BoneId, shape: Shape) -> Option<usize> {
        let source = collider.source? as usize;
        let read = &self.file?.colliders;
        let there = read.iter().find(|c| c.file_index == Some(source) && c.bone == bone);
        there.or_else(|| read.iter().find(|c| c.bone == bone && c.shape == shape))?.file_index
    }

    /// As above; a group is known by its name.
    fn group_source(&self, group: &doc::ColliderGroup) -> Option<usize> {
        let source = group.source? as usize;
        let read = &self.file?.collider_groups;
        let there = read.iter().find(|g| g.file_index == Some(source) && g.name == group.name);
        there.or_else(|| read.iter().find(|g| g.file_index == Some(source)))?.file_index
    }

    /// Where each of the document's groups stands; one that VRM 0.x must split stands in several places, one that was
    /// left without colliders in none, as far as the version forbids it.
    pub(super) fn groups(&mut self, colliders: &BTreeMap<ColliderId, usize>) -> BTreeMap<GroupId, Vec<usize>> {
        let mut places = BTreeMap::new();
        for (id, group) in &self.document.groups {
            let listed: Vec<usize> = group.colliders.iter().filter_map(|c| colliders.get(c).copied()).collect();
            let source = self.group_source(group);
            let parts = if listed.is_empty() { self.may_be_empty(source).then(Vec::new) } else { None };
            let parts = parts.map_or_else(|| self.by_bone(listed), |none| vec![none]);
            let at = places.entry(*id).or_insert_with(Vec::new);
            for (nth, colliders) in parts.into_iter().enumerate() {
                at.push(self.springs.collider_groups.len());
                let file_index = source.filter(|_| nth == 0);
                self.springs.collider_groups.push(ColliderGroup { name: group.name.clone(), colliders, file_index });
            }
        }
        places
    }

    /// VRM 0.x keeps a group's bone without colliders; VRM 1.0 forbids such groups, but the file may have some.
    fn may_be_empty(&self, source: Option<usize>) -> bool {
        let read = self.file.map_or(&[][..], |file| &file.collider_groups);
        let old = source.and_then(|source| read.iter().find(|g| g.file_index == Some(source)));
        old.is_some_and(|old| self.springs.version == Version::V0 || old.colliders.is_empty())
    }

    /// In VRM 0.x colliders stand in groups only.
    pub(super) fn tell_ungrouped(&mut self, colliders: &BTreeMap<ColliderId, usize>) {
        if self.springs.version == Version::V1 {
            return;
        }
        let grouped: BTreeSet<usize> =
            self.springs.collider_groups.iter().flat_map(|g| &g.colliders).copied().collect();
        for (id, _) in colliders.iter().filter(|(_, at)| !grouped.contains(at)) {
            let name = &self.document.colliders[id].name;
            self.say(format!("collider \"{name}\" is in no group and pushes nothing; VRM 0.x has no place for it"));
        }
    }

    /// A chain's groups, and new ones for what its joints list beside them.
    pub(super) fn groups_of(
        &mut self,
        chain: &doc::Chain,
        groups: &BTreeMap<GroupId, Vec<usize>>,
        colliders: &BTreeMap<ColliderId, usize>,
    ) -> Vec<usize> {
        let mut list: Vec<usize> = chain.groups.iter().filter_map(|g| groups.get(g)).flatten().copied().collect();
        let mut seen = BTreeSet::new();
        let own = || chain.joints.iter().flat_map(|j| &j.colliders);
        let all: Vec<usize> = own().filter(|c| seen.insert(**c)).filter_map(|c| colliders.get(c).copied()).collect();
        if chain.joints.iter().any(|j| !same_set(&j.colliders, &chain.joints[0].colliders)) {
            self.say(format!(
                "in VRM all joints of a chain meet the same colliders; those of \"{}\" get all that one of them has",
                chain.name
            ));
        }
        for part in self.by_bone(all) {
            list.push(self.group_of(&chain.name, part));
        }
        list
    }

    /// In VRM 0.x a group is on one bone.
    fn by_bone(&self, all: Vec<usize>) -> Vec<Vec<usize>> {
        if self.springs.version == Version::V1 {
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

    /// A group that has just these colliders, made where there is none.
    fn group_of(&mut self, chain: &str, colliders: Vec<usize>) -> usize {
        let groups = &mut self.springs.collider_groups;
        groups.iter().position(|g| g.colliders == colliders).unwrap_or_else(|| {
            groups.push(ColliderGroup { name: chain.to_owned(), colliders, file_index: None });
            groups.len() - 1
        })
    }
}

/// Whether a node stands where it was put.
fn same(at: Trs, local: Affine3A) -> bool {
    at.to_affine() == local
}

/// A shape that was made or moved here; `None` where VRM has no such thing.
fn shape(shape: sim::Shape, local: Affine3A) -> Option<Shape> {
    let scale = local.matrix3.determinant().abs().cbrt();
    // A turn is no scale, though its matrix is rounded.
    let scale = if (scale - 1.0).abs() < 1e-5 { 1.0 } else { scale };
    let offset = Vec3::from(local.translation);
    let tail = |height: f32| local.transform_point3(Vec3::Y * height);
    match shape {
        sim::Shape::Sphere { radius } => Some(Shape::Sphere { offset, radius: radius * scale, inside: false }),
        sim::Shape::InsideSphere { radius } => Some(Shape::Sphere { offset, radius: radius * scale, inside: true }),
        sim::Shape::Capsule { radius, height } => {
            Some(Shape::Capsule { offset, tail: tail(height), radius: radius * scale, inside: false })
        }
        sim::Shape::InsideCapsule { radius, height } => {
            Some(Shape::Capsule { offset, tail: tail(height), radius: radius * scale, inside: true })
        }
        sim::Shape::Plane => {
            let normal = local.matrix3.inverse().transpose() * Vec3::Z;
            Some(Shape::Plane { offset, normal: normal.normalize_or(Vec3::Z) })
        }
        _ => None,
    }
}
