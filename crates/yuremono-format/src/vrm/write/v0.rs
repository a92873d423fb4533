//! Builds `secondaryAnimation` from the objects of the file and the new springs.
//!
//! A bone group has one set of numbers for all its trees. Chains of a group are split into separate groups if their
//! numbers differ. The joints of one tree cannot have different numbers.

use super::lists::{MergedList, matched_flags, update_list};
use super::{SpringsWriter, chain_label, copy_object, file_index, list_field, set_list, set_text};
use crate::gltf_json::json::JsonObject;
use crate::vrm::fields::tree_tail;
use crate::vrm::{
    VrmCollider, VrmColliderGroup, VrmColliderShape, VrmJointTail, VrmSpringChain, VrmSpringJoint, VrmSprings, v0,
};
use glam::Vec3;
use serde_json::{Map, Value};
use std::collections::HashSet;
use yuremono_sim::diagnostics::{excerpt, message};
use yuremono_sim::rig::BoneId;

impl SpringsWriter<'_> {
    pub(super) fn write_v0(
        &mut self,
        before: Option<&Map<String, Value>>,
        old: Option<&VrmSprings>,
        new: &VrmSprings,
    ) -> Map<String, Value> {
        let mut after = before.cloned().unwrap_or_default();
        let groups = self.collider_groups(list_field(before, "colliderGroups"), old, new);
        let made = self.bone_groups(list_field(before, "boneGroups"), old, new, &groups);
        set_list(&mut after, "boneGroups", made);
        set_list(&mut after, "colliderGroups", groups.list);
        after
    }

    fn collider_groups(&mut self, raw: &[Value], old: Option<&VrmSprings>, new: &VrmSprings) -> MergedList {
        let olds = old.map_or(&[][..], |old| &old.collider_groups);
        let colliders = |group: Option<&VrmColliderGroup>, springs: Option<&VrmSprings>| -> Vec<VrmCollider> {
            let listed = group.map_or(&[][..], |group| &group.colliders).iter();
            listed.filter_map(|c| springs?.colliders.get(*c).copied()).collect()
        };
        let write = |group: &VrmColliderGroup, was: Option<&VrmColliderGroup>, raw: Option<&Value>| {
            let (before, now) = (colliders(was, old), colliders(Some(group), Some(new)));
            match raw.filter(|_| before == now) {
                Some(untouched) => untouched.clone(),
                None => Value::Object(self.collider_group(copy_object(raw), &before, &now, group)),
            }
        };
        let mut merged = update_list(raw, olds, &new.collider_groups, |g| g.file_index, |_, _| false, write);
        // The loader reads an invalid group as an empty group, so every group counts as read.
        merged.is_read.fill(true);
        merged
    }

    fn collider_group(
        &mut self,
        mut map: Map<String, Value>,
        before: &[VrmCollider],
        now: &[VrmCollider],
        group: &VrmColliderGroup,
    ) -> Map<String, Value> {
        match now.first() {
            Some(first) if now.iter().any(|c| c.bone != first.bone) => {
                let name = excerpt(&group.name);
                self.add_error(message!(
                    "collider group \"{name}\" is on several bones; VRM 0.x has one bone per group. \
                     Split the group, or save as VRM 1.0",
                    name
                ));
            }
            Some(first) if before.first().is_none_or(|old| old.bone != first.bone) => {
                self.set_node(&mut map, "node", first.bone);
            }
            None if !map.contains_key("node") => {
                self.add_error(message!("a collider group without colliders has no bone, which VRM 0.x needs"));
            }
            _ => {}
        }
        let write = |collider: &VrmCollider, _: Option<&VrmCollider>, raw: Option<&Value>| {
            let mut map = copy_object(raw);
            self.set_sphere(&mut map, collider.shape);
            Value::Object(map)
        };
        let raw = list_field(Some(&map), "colliders");
        let colliders = update_list(raw, before, now, |c| c.file_index, |a, b| a.shape == b.shape, write).list;
        map.insert("colliders".to_owned(), Value::Array(colliders));
        map
    }

    fn set_sphere(&mut self, map: &mut Map<String, Value>, new: VrmColliderShape) {
        let old = v0::read_sphere(&JsonObject::silent(map)).ok().filter(|_| !map.is_empty());
        let VrmColliderShape::Sphere { offset, radius, inside: false } = new else {
            return self.add_error(message!("VRM 0.x supports only spheres that push outwards"));
        };
        // VRM 0.x uses Unity's left-handed space.
        let flip = |v: Vec3| Vec3::new(v.x, v.y, -v.z + 0.0);
        let (old_offset, old_radius) = match old {
            Some(VrmColliderShape::Sphere { offset, radius, .. }) => (Some(flip(offset)), Some(radius)),
            _ => (None, None),
        };
        self.set_xyz(map, "offset", old_offset, flip(offset));
        self.set_number(map, "radius", old_radius, radius);
    }

    fn bone_groups(
        &mut self,
        raw: &[Value],
        old: Option<&VrmSprings>,
        new: &VrmSprings,
        groups: &MergedList,
    ) -> Vec<Value> {
        let olds = old.map_or(&[][..], |old| &old.chains);
        let mut parts: Vec<BoneGroupDraft<'_>> = Vec::new();
        for chain in &new.chains {
            let Some(model) = self.shared_params(chain) else { continue };
            let old_index = || olds.iter().find(|was| was.root() == chain.root())?.file_index;
            let source_group = chain.file_index.or_else(old_index).filter(|place| *place < raw.len());
            let fits =
                |part: &&mut BoneGroupDraft<'_>| part.source_group == source_group && part.accepts(chain, &model);
            if let Some(part) = parts.iter_mut().find(fits) {
                part.chains.push(chain);
                continue;
            }
            let replaced_group = source_group.filter(|_| parts.iter().all(|part| part.source_group != source_group));
            parts.push(BoneGroupDraft { replaced_group, source_group, shared_params: model, chains: vec![chain] });
        }
        // New groups are added at the end, because existing groups must keep their indices.
        parts.sort_by_key(|part| part.replaced_group.map_or((1, 0), |from| (0, from)));
        let moved = new.chains.iter().flat_map(|chain| &chain.joints).map(|joint| joint.bone).collect();
        let made =
            parts.iter().map(|part| (part.replaced_group, self.bone_group(part, raw, olds, groups, &moved))).collect();
        let is_read = matched_flags(
            raw.len(),
            olds.iter().map(|c| c.file_index).chain(parts.iter().map(|part| part.replaced_group)),
        );
        let mut merged = MergedList::merge(raw, is_read, made);
        for group in merged.unread_objects() {
            set_collider_groups(group, None, groups);
            if let Some(bones) = group.get_mut("bones").and_then(Value::as_array_mut) {
                bones.retain(|bone| file_index(bone).is_none_or(|node| !self.would_move(node, &moved)));
            }
        }
        merged.list
    }

    /// Returns the numbers that all joints of a chain share. Reports an error if the joints differ.
    fn shared_params(&mut self, chain: &VrmSpringChain) -> Option<VrmSpringJoint> {
        let first = *chain.joints.first()?;
        let shared = |joint: &VrmSpringJoint| VrmSpringJoint { bone: first.bone, tail: first.tail, ..*joint };
        if let Some(other) = chain.joints.iter().find(|joint| shared(joint) != first) {
            let (root, other) = (self.bone_label(first.bone), self.bone_label(other.bone));
            let message =
                message!("{chain}: bones \"{root}\" and \"{other}\" differ", chain = chain_label(chain), root, other);
            self.add_error(message!("{message}; VRM 0.x has one set of values for a whole tree", message));
        }
        if let Some(joint) = chain.joints.iter().find(|joint| joint.limit.is_some()) {
            let bone = self.bone_label(joint.bone);
            self.add_error(message!(
                "{chain}: bone \"{bone}\" has a limit; VRM 0.x has no limits",
                chain = chain_label(chain),
                bone
            ));
        }
        Some(VrmSpringJoint { bone: BoneId(0), tail: VrmJointTail::Offset(Vec3::ZERO), ..first })
    }

    fn bone_group(
        &mut self,
        part: &BoneGroupDraft<'_>,
        raw: &[Value],
        olds: &[VrmSpringChain],
        groups: &MergedList,
        moved: &HashSet<BoneId>,
    ) -> Value {
        let (Some(chain), place) = (part.chains.first(), part.source_group) else { return Value::Null };
        let mut map = copy_object(place.and_then(|place| raw.get(place)));
        let before = map.clone();
        let json = place.map(|_| JsonObject::silent(&before));
        let was = json.as_ref().and_then(|json| v0::read_shared_params(json).ok());
        let comment = json.as_ref().and_then(|json| json.name("comment").ok().flatten()).unwrap_or("");
        set_text(&mut map, "comment", comment, &chain.name);
        let stiffness =
            if map.contains_key("stiffiness") || !map.contains_key("stiffness") { "stiffiness" } else { "stiffness" };
        let new = &part.shared_params;
        self.check_joint(chain, &VrmSpringJoint { bone: chain.root().unwrap_or(BoneId(0)), ..*new }, was);
        self.set_number(&mut map, stiffness, was.map(|was| was.stiffness), new.stiffness);
        self.set_number(&mut map, "gravityPower", was.map(|was| was.gravity_power), new.gravity_power);
        self.set_xyz(&mut map, "gravityDir", was.map(|was| was.gravity_dir), new.gravity_dir);
        self.set_number(&mut map, "dragForce", was.map(|was| was.drag), new.drag);
        let center = json.as_ref().and_then(|json| self.read_center(json));
        if chain.center != center || place.is_none() {
            let value = chain.center.map_or(Value::from(-1), |bone| Value::from(self.node_index(bone)));
            map.insert("center".to_owned(), value);
        }
        self.set_number(&mut map, "hitRadius", was.map(|was| was.hit_radius), new.hit_radius);
        let bones = self.merge_roots(part, list_field(Some(&map), "bones"), olds, moved);
        map.insert("bones".to_owned(), Value::Array(bones));
        set_collider_groups(&mut map, Some(&chain.collider_groups), groups);
        Value::Object(map)
    }

    /// Returns the roots of the group: first the file's roots that are still used or were never read, including
    /// repeated roots, followed by the new roots.
    fn merge_roots(
        &mut self,
        part: &BoneGroupDraft<'_>,
        raw: &[Value],
        olds: &[VrmSpringChain],
        moved: &HashSet<BoneId>,
    ) -> Vec<Value> {
        let wanted: Vec<usize> =
            part.chains.iter().filter_map(|chain| chain.root()).map(|bone| self.node_index(bone)).collect();
        let read = olds.iter().filter(|old| old.file_index == part.source_group).filter_map(VrmSpringChain::root);
        let read: Vec<usize> = read.map(|bone| self.node_index(bone)).collect();
        let mut missing = wanted.clone();
        let mut bones = Vec::with_capacity(raw.len());
        for value in raw {
            let node = file_index(value);
            let is_wanted = node.is_some_and(|node| wanted.contains(&node));
            let is_idle = node.is_none_or(|node| !read.contains(&node) && !self.would_move(node, moved));
            // A new group copies only the roots of its own chains.
            if is_wanted || (part.replaced_group.is_some() && is_idle) {
                bones.push(value.clone());
            }
            missing.retain(|missing| Some(*missing) != node);
        }
        bones.extend(missing.into_iter().map(Value::from));
        bones
    }

    fn would_move(&self, node: usize, moved: &HashSet<BoneId>) -> bool {
        let bone = self.nodes.bone_of_node.get(node).copied();
        bone.is_some_and(|bone| !moved.contains(&bone) && tree_tail(&self.nodes.skeleton, bone).is_some())
    }
}

fn set_collider_groups(map: &mut Map<String, Value>, wanted: Option<&[usize]>, groups: &MergedList) {
    let references = groups.references(map, "colliderGroups", wanted);
    if map.contains_key("colliderGroups") || !references.is_empty() {
        map.insert("colliderGroups".to_owned(), Value::Array(references));
    }
}

/// Chains that are written as one bone group.
struct BoneGroupDraft<'c> {
    /// Index of the group in the file that this group replaces.
    replaced_group: Option<usize>,
    /// Index of the group in the file that the chains were read from. A new group starts as a copy of that group.
    source_group: Option<usize>,
    shared_params: VrmSpringJoint,
    chains: Vec<&'c VrmSpringChain>,
}

impl BoneGroupDraft<'_> {
    fn accepts(&self, chain: &VrmSpringChain, model: &VrmSpringJoint) -> bool {
        let Some(first) = self.chains.first() else { return true };
        self.shared_params == *model
            && first.name == chain.name
            && first.center == chain.center
            && first.collider_groups == chain.collider_groups
    }
}
