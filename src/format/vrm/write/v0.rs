//! `secondaryAnimation` from the file's own objects and new springs.
//!
//! One set of numbers belongs to a whole group of trees. Chains of a group that say different things become groups of
//! their own; joints of one tree that differ cannot be said.

use super::lists::{MergedList, match_old_entries, matched_flags, merge_lists, merge_references};
use super::values::{copy_object, list_field, set_list, set_text};
use super::{SpringsWriter, chain_label};
use crate::format::gltf_json::json::{GltfDiagnostics, JsonObject};
use crate::format::vrm::{
    VrmCollider, VrmColliderGroup, VrmColliderShape, VrmJointTail, VrmSpringChain, VrmSpringJoint, VrmSprings, v0,
};
use crate::rig::BoneId;
use glam::Vec3;
use serde_json::{Map, Value, json};
use std::collections::HashSet;

impl SpringsWriter<'_> {
    pub(super) fn write_v0(
        &mut self,
        before: Option<&Map<String, Value>>,
        old: Option<&VrmSprings>,
        new: &VrmSprings,
    ) -> Map<String, Value> {
        let mut after = before.cloned().unwrap_or_default();
        let groups = self.collider_groups(list_field(before, "colliderGroups"), old, new);
        let raw = list_field(before, "boneGroups");
        let made = self.bone_groups(raw, old, new, &groups);
        set_list(&mut after, "boneGroups", made);
        set_list(&mut after, "colliderGroups", groups.list);
        after
    }

    fn collider_groups(&mut self, raw: &[Value], old: Option<&VrmSprings>, new: &VrmSprings) -> MergedList {
        let olds = old.map_or(&[][..], |old| &old.collider_groups);
        let pairs = match_old_entries(&new.collider_groups, olds, |g| g.file_index, |_, _| false);
        let mut made = Vec::with_capacity(new.collider_groups.len());
        for (group, pair) in new.collider_groups.iter().zip(pairs) {
            let was = pair.map(|pair| &olds[pair]);
            let from = was.and_then(|was| was.file_index);
            let before = |g: &usize| old.and_then(|old| old.colliders.get(*g)).copied();
            let before: Vec<_> = was.map_or(&[][..], |was| &was.colliders).iter().filter_map(before).collect();
            let now: Vec<_> = group.colliders.iter().filter_map(|c| new.colliders.get(*c).copied()).collect();
            let value = match from.and_then(|from| raw.get(from)).filter(|_| before == now) {
                Some(untouched) => untouched.clone(),
                None => Value::Object(self.collider_group(copy_object(raw, from), &before, &now, group)),
            };
            made.push((from, value));
        }
        let is_read = matched_flags(raw.len(), olds.iter().map(|g| g.file_index));
        merge_lists(raw, &is_read, made)
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
                let name = crate::diagnostics::excerpt(&group.name);
                self.add_error(format!("collider group \"{name}\" is on several bones; VRM 0.x has one bone a group"));
            }
            Some(first) if before.first().is_none_or(|old| old.bone != first.bone) => {
                map.insert("node".to_owned(), Value::from(self.node_index(first.bone)));
            }
            None if !map.contains_key("node") => {
                self.add_error("a collider group without colliders has no bone, which VRM 0.x needs");
            }
            _ => {}
        }
        let raw = list_field(Some(&map), "colliders").to_vec();
        let pairs = match_old_entries(now, before, |c| c.file_index, |a, b| a.shape == b.shape);
        let mut made = Vec::with_capacity(now.len());
        for (collider, pair) in now.iter().zip(pairs) {
            let from = pair.and_then(|pair| before[pair].file_index);
            let mut map = copy_object(&raw, from);
            self.set_sphere(&mut map, collider.shape);
            made.push((from, Value::Object(map)));
        }
        let is_read = matched_flags(raw.len(), before.iter().map(|c| c.file_index));
        let colliders = merge_lists(&raw, &is_read, made).list;
        map.insert("colliders".to_owned(), Value::Array(colliders));
        map
    }

    fn set_sphere(&mut self, map: &mut Map<String, Value>, new: VrmColliderShape) {
        let whole = Value::Object(map.clone());
        let old = JsonObject::new(&whole, String::new())
            .and_then(|json| v0::read_sphere(&json))
            .ok()
            .filter(|_| !map.is_empty());
        let VrmColliderShape::Sphere { offset, radius, inside: false } = new else {
            return self.add_error("VRM 0.x has only spheres that push outwards as colliders");
        };
        // Written in Unity's left-handed space.
        let flip = |v: Vec3| Vec3::new(v.x, v.y, -v.z + 0.0);
        let (was_at, was_wide) = match old {
            Some(VrmColliderShape::Sphere { offset, radius, .. }) => (Some(flip(offset)), Some(radius)),
            _ => (None, None),
        };
        self.set_xyz(map, "offset", was_at, flip(offset));
        self.set_number(map, "radius", was_wide, radius);
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
            let root =
                |was: &&VrmSpringChain| was.joints.first().map(|j| j.bone) == chain.joints.first().map(|j| j.bone);
            let wished = chain.file_index.or_else(|| olds.iter().find(root).and_then(|was| was.file_index));
            let wished = wished.filter(|place| *place < raw.len());
            if let Some(part) = parts.iter_mut().find(|part| part.source_group == wished && part.accepts(chain, &model))
            {
                part.chains.push(chain);
                continue;
            }
            let from = wished.filter(|_| parts.iter().all(|part| part.source_group != wished));
            parts.push(BoneGroupDraft {
                replaced_group: from,
                source_group: wished,
                shared_params: model,
                chains: vec![chain],
            });
        }
        // Split-off parts go behind the others, so that those keep their places.
        parts.sort_by_key(|part| part.replaced_group.map_or((1, 0), |from| (0, from)));
        let moved = new.chains.iter().flat_map(|chain| &chain.joints).map(|joint| joint.bone).collect();
        let made =
            parts.iter().map(|part| (part.replaced_group, self.bone_group(part, raw, olds, groups, &moved))).collect();
        let is_read = matched_flags(
            raw.len(),
            olds.iter().map(|c| c.file_index).chain(parts.iter().map(|part| part.replaced_group)),
        );
        let mut merged = merge_lists(raw, &is_read, made);
        for at in (0..raw.len()).filter(|place| !is_read[*place]).filter_map(|place| merged.old_positions[place]) {
            if let Some(group) = merged.list[at].as_object_mut() {
                set_collider_groups(group, None, groups);
                if let Some(bones) = group.get_mut("bones").and_then(Value::as_array_mut) {
                    bones.retain(|bone| parse_node_index(bone).is_none_or(|node| !self.would_move(node, &moved)));
                }
            }
        }
        merged.list
    }

    /// The numbers that all joints of a chain share.
    fn shared_params(&mut self, chain: &VrmSpringChain) -> Option<VrmSpringJoint> {
        let first = *chain.joints.first()?;
        let shared = |joint: &VrmSpringJoint| VrmSpringJoint { bone: first.bone, tail: first.tail, ..*joint };
        if let Some(other) = chain.joints.iter().find(|joint| shared(joint) != first) {
            let (root, other) = (self.bone_label(first.bone), self.bone_label(other.bone));
            let message = format!("{}: bones \"{root}\" and \"{other}\" differ", chain_label(chain));
            self.add_error(format!("{message}; VRM 0.x has one set of numbers for a whole tree"));
        }
        if let Some(joint) = chain.joints.iter().find(|joint| joint.limit.is_some()) {
            let bone = self.bone_label(joint.bone);
            self.add_error(format!("{}: bone \"{bone}\" has a limit; VRM 0.x has no limits", chain_label(chain)));
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
        let mut map = copy_object(raw, place);
        let whole = Value::Object(map.clone());
        let notes = GltfDiagnostics::new("");
        let json = JsonObject::new(&whole, String::new()).ok().filter(|_| place.is_some());
        let was = json.as_ref().and_then(|json| v0::read_shared_params(json, &notes).ok());
        let comment = json.as_ref().and_then(|json| json.name("comment").ok().flatten()).unwrap_or("");
        set_text(&mut map, "comment", comment, &chain.name);
        let stiffness =
            if map.contains_key("stiffiness") || !map.contains_key("stiffness") { "stiffiness" } else { "stiffness" };
        let new = &part.shared_params;
        self.check_joint(
            chain,
            &VrmSpringJoint { bone: chain.joints.first().map_or(BoneId(0), |j| j.bone), ..*new },
            was,
        );
        self.set_number(&mut map, stiffness, was.map(|was| was.stiffness), new.stiffness);
        self.set_number(&mut map, "gravityPower", was.map(|was| was.gravity_power), new.gravity_power);
        self.set_xyz(&mut map, "gravityDir", was.map(|was| was.gravity_dir), new.gravity_dir);
        self.set_number(&mut map, "dragForce", was.map(|was| was.drag), new.drag);
        let center = json.as_ref().and_then(|json| self.read_center(json));
        if chain.center != center || place.is_none() {
            let value = chain.center.map_or(json!(-1), |bone| Value::from(self.node_index(bone)));
            map.insert("center".to_owned(), value);
        }
        self.set_number(&mut map, "hitRadius", was.map(|was| was.hit_radius), new.hit_radius);
        let bones = self.merge_roots(part, list_field(Some(&map), "bones"), olds, moved);
        map.insert("bones".to_owned(), Value::Array(bones));
        set_collider_groups(&mut map, Some(&chain.collider_groups), groups);
        Value::Object(map)
    }

    /// The file's roots that are still there or were never read, repeated ones included, then the new ones.
    fn merge_roots(
        &mut self,
        part: &BoneGroupDraft<'_>,
        raw: &[Value],
        olds: &[VrmSpringChain],
        moved: &HashSet<BoneId>,
    ) -> Vec<Value> {
        let root = |chain: &VrmSpringChain| chain.joints.first().map(|joint| joint.bone);
        let wanted: Vec<usize> =
            part.chains.iter().filter_map(|chain| root(chain)).map(|bone| self.node_index(bone)).collect();
        let read: Vec<BoneId> =
            olds.iter().filter(|old| old.file_index == part.source_group).filter_map(root).collect();
        let read: Vec<usize> = read.into_iter().map(|bone| self.node_index(bone)).collect();
        let mut missing = wanted.clone();
        let mut bones = Vec::with_capacity(raw.len());
        for value in raw {
            let node = parse_node_index(value);
            let is_wanted = node.is_some_and(|node| wanted.contains(&node));
            let is_idle = node.is_none_or(|node| !read.contains(&node) && !self.would_move(node, moved));
            // A part that was split off takes only what is its own.
            if is_wanted || (part.replaced_group.is_some() && is_idle) {
                bones.push(value.clone());
            }
            missing.retain(|missing| Some(*missing) != node);
        }
        bones.extend(missing.into_iter().map(Value::from));
        bones
    }

    /// Whether a root that the loader left out would begin to move, as no chain moves it any more.
    fn would_move(&self, node: usize, moved: &HashSet<BoneId>) -> bool {
        let Some(bone) = self.nodes.bone_of_node.get(node).copied() else { return false };
        let skeleton = &self.nodes.skeleton;
        let has_tail =
            !skeleton.children(bone).is_empty() || skeleton.bone(bone).rest.translation.try_normalize().is_some();
        has_tail && !moved.contains(&bone)
    }
}

fn parse_node_index(value: &Value) -> Option<usize> {
    value.as_f64().filter(|x| x.fract() == 0.0 && *x >= 0.0).map(|x| x as usize)
}

/// `None` keeps what the file says, under the groups' new numbers.
fn set_collider_groups(map: &mut Map<String, Value>, wanted: Option<&[usize]>, groups: &MergedList) {
    let raw = map.get("colliderGroups");
    let wanted: Vec<usize> = if let Some(wanted) = wanted {
        wanted.iter().filter_map(|g| groups.new_positions.get(*g).copied()).collect()
    } else {
        let places = raw.and_then(Value::as_array).into_iter().flatten();
        places.filter_map(|g| *groups.old_positions.get(usize::try_from(g.as_u64()?).ok()?)?).collect()
    };
    let is_read = vec![true; groups.old_positions.len()];
    let named = merge_references(raw, groups, &is_read, &wanted);
    if map.contains_key("colliderGroups") || !named.is_empty() {
        map.insert("colliderGroups".to_owned(), Value::Array(named));
    }
}

/// Chains that share one group.
struct BoneGroupDraft<'c> {
    /// The file's group that becomes this one.
    replaced_group: Option<usize>,
    /// The file's group that the chains come from; others are copied from it.
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
