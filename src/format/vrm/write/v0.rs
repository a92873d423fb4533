//! `secondaryAnimation` from the file's own objects and new springs.
//!
//! One set of numbers belongs to a whole group of trees. Chains of a group that say different things become groups of
//! their own; joints of one tree that differ cannot be said.

use super::lists::{Merged, flags, merge, pair, positions};
use super::values::{list, object, set_list, set_text};
use super::{Writer, shown};
use crate::format::gltf_json::json::{Json, Notes};
use crate::format::vrm::{Chain, Collider, ColliderGroup, Joint, Shape, Springs, Tail, v0};
use crate::rig::BoneId;
use glam::Vec3;
use serde_json::{Map, Value, json};
use std::collections::HashSet;

impl Writer<'_> {
    pub(super) fn v0(
        &mut self,
        before: Option<&Map<String, Value>>,
        old: Option<&Springs>,
        new: &Springs,
    ) -> Map<String, Value> {
        let mut after = before.cloned().unwrap_or_default();
        let groups = self.collider_groups(list(before, "colliderGroups"), old, new);
        let raw = list(before, "boneGroups");
        let made = self.bone_groups(raw, old, new, &groups);
        set_list(&mut after, "boneGroups", made);
        set_list(&mut after, "colliderGroups", groups.list);
        after
    }

    fn collider_groups(&mut self, raw: &[Value], old: Option<&Springs>, new: &Springs) -> Merged {
        let olds = old.map_or(&[][..], |old| &old.collider_groups);
        let pairs = pair(&new.collider_groups, olds, |g| g.file_index, |_, _| false);
        let mut made = Vec::with_capacity(new.collider_groups.len());
        for (group, pair) in new.collider_groups.iter().zip(pairs) {
            let was = pair.map(|pair| &olds[pair]);
            let from = was.and_then(|was| was.file_index);
            let before = |g: &usize| old.and_then(|old| old.colliders.get(*g)).copied();
            let before: Vec<_> = was.map_or(&[][..], |was| &was.colliders).iter().filter_map(before).collect();
            let now: Vec<_> = group.colliders.iter().filter_map(|c| new.colliders.get(*c).copied()).collect();
            let value = match from.and_then(|from| raw.get(from)).filter(|_| before == now) {
                Some(untouched) => untouched.clone(),
                None => Value::Object(self.collider_group(object(raw, from), &before, &now, group)),
            };
            made.push((from, value));
        }
        let is_read = flags(raw.len(), olds.iter().map(|g| g.file_index));
        merge(raw, &is_read, made)
    }

    fn collider_group(
        &mut self,
        mut map: Map<String, Value>,
        before: &[Collider],
        now: &[Collider],
        group: &ColliderGroup,
    ) -> Map<String, Value> {
        match now.first() {
            Some(first) if now.iter().any(|c| c.bone != first.bone) => {
                let name = crate::report::clip(&group.name);
                self.refuse(format!("collider group \"{name}\" is on several bones; VRM 0.x has one bone a group"));
            }
            Some(first) if before.first().is_none_or(|old| old.bone != first.bone) => {
                map.insert("node".to_owned(), Value::from(self.node(first.bone)));
            }
            None if !map.contains_key("node") => {
                self.refuse("a collider group without colliders has no bone, which VRM 0.x needs");
            }
            _ => {}
        }
        let raw = list(Some(&map), "colliders").to_vec();
        let pairs = pair(now, before, |c| c.file_index, |a, b| a.shape == b.shape);
        let mut made = Vec::with_capacity(now.len());
        for (collider, pair) in now.iter().zip(pairs) {
            let from = pair.and_then(|pair| before[pair].file_index);
            let mut map = object(&raw, from);
            self.set_sphere(&mut map, collider.shape);
            made.push((from, Value::Object(map)));
        }
        let is_read = flags(raw.len(), before.iter().map(|c| c.file_index));
        let colliders = merge(&raw, &is_read, made).list;
        map.insert("colliders".to_owned(), Value::Array(colliders));
        map
    }

    fn set_sphere(&mut self, map: &mut Map<String, Value>, new: Shape) {
        let whole = Value::Object(map.clone());
        let old = Json::new(&whole, String::new()).and_then(|json| v0::sphere(&json)).ok().filter(|_| !map.is_empty());
        let Shape::Sphere { offset, radius, inside: false } = new else {
            return self.refuse("VRM 0.x has only spheres that push outwards as colliders");
        };
        // Written in Unity's left-handed space.
        let flip = |v: Vec3| Vec3::new(v.x, v.y, -v.z + 0.0);
        let (was_at, was_wide) = match old {
            Some(Shape::Sphere { offset, radius, .. }) => (Some(flip(offset)), Some(radius)),
            _ => (None, None),
        };
        self.set_xyz(map, "offset", was_at, flip(offset));
        self.set_number(map, "radius", was_wide, radius);
    }

    fn bone_groups(&mut self, raw: &[Value], old: Option<&Springs>, new: &Springs, groups: &Merged) -> Vec<Value> {
        let olds = old.map_or(&[][..], |old| &old.chains);
        let mut parts: Vec<Part<'_>> = Vec::new();
        for chain in &new.chains {
            let Some(model) = self.model(chain) else { continue };
            let root = |was: &&Chain| was.joints.first().map(|j| j.bone) == chain.joints.first().map(|j| j.bone);
            let wished = chain.file_index.or_else(|| olds.iter().find(root).and_then(|was| was.file_index));
            let wished = wished.filter(|place| *place < raw.len());
            if let Some(part) = parts.iter_mut().find(|part| part.wished == wished && part.says(chain, &model)) {
                part.chains.push(chain);
                continue;
            }
            let from = wished.filter(|_| parts.iter().all(|part| part.wished != wished));
            parts.push(Part { from, wished, model, chains: vec![chain] });
        }
        // Split-off parts go behind the others, so that those keep their places.
        parts.sort_by_key(|part| part.from.map_or((1, 0), |from| (0, from)));
        let moved = new.chains.iter().flat_map(|chain| &chain.joints).map(|joint| joint.bone).collect();
        let made = parts.iter().map(|part| (part.from, self.bone_group(part, raw, olds, groups, &moved))).collect();
        let is_read = flags(raw.len(), olds.iter().map(|c| c.file_index).chain(parts.iter().map(|part| part.from)));
        let mut merged = merge(raw, &is_read, made);
        for at in (0..raw.len()).filter(|place| !is_read[*place]).filter_map(|place| merged.old_at[place]) {
            if let Some(group) = merged.list[at].as_object_mut() {
                name_groups(group, None, groups);
                if let Some(bones) = group.get_mut("bones").and_then(Value::as_array_mut) {
                    bones.retain(|bone| node_of(bone).is_none_or(|node| !self.would_move(node, &moved)));
                }
            }
        }
        merged.list
    }

    /// The numbers that all joints of a chain share.
    fn model(&mut self, chain: &Chain) -> Option<Joint> {
        let first = *chain.joints.first()?;
        let shared = |joint: &Joint| Joint { bone: first.bone, tail: first.tail, ..*joint };
        if let Some(other) = chain.joints.iter().find(|joint| shared(joint) != first) {
            let (root, other) = (self.name(first.bone), self.name(other.bone));
            let message = format!("{}: bones \"{root}\" and \"{other}\" differ", shown(chain));
            self.refuse(format!("{message}; VRM 0.x has one set of numbers for a whole tree"));
        }
        if let Some(joint) = chain.joints.iter().find(|joint| joint.limit.is_some()) {
            let bone = self.name(joint.bone);
            self.refuse(format!("{}: bone \"{bone}\" has a limit; VRM 0.x has no limits", shown(chain)));
        }
        Some(Joint { bone: BoneId(0), tail: Tail::Offset(Vec3::ZERO), ..first })
    }

    fn bone_group(
        &mut self,
        part: &Part<'_>,
        raw: &[Value],
        olds: &[Chain],
        groups: &Merged,
        moved: &HashSet<BoneId>,
    ) -> Value {
        let (Some(chain), place) = (part.chains.first(), part.wished) else { return Value::Null };
        let mut map = object(raw, place);
        let whole = Value::Object(map.clone());
        let notes = Notes::new("");
        let json = Json::new(&whole, String::new()).ok().filter(|_| place.is_some());
        let was = json.as_ref().and_then(|json| v0::model(json, &notes).ok());
        let comment = json.as_ref().and_then(|json| json.name("comment").ok().flatten()).unwrap_or("");
        set_text(&mut map, "comment", comment, &chain.name);
        let stiffness =
            if map.contains_key("stiffiness") || !map.contains_key("stiffness") { "stiffiness" } else { "stiffness" };
        let new = &part.model;
        self.check_joint(chain, &Joint { bone: chain.joints.first().map_or(BoneId(0), |j| j.bone), ..*new }, was);
        self.set_number(&mut map, stiffness, was.map(|was| was.stiffness), new.stiffness);
        self.set_number(&mut map, "gravityPower", was.map(|was| was.gravity_power), new.gravity_power);
        self.set_xyz(&mut map, "gravityDir", was.map(|was| was.gravity_dir), new.gravity_dir);
        self.set_number(&mut map, "dragForce", was.map(|was| was.drag), new.drag);
        let center = json.as_ref().and_then(|json| self.center_of(json));
        if chain.center != center || place.is_none() {
            let value = chain.center.map_or(json!(-1), |bone| Value::from(self.node(bone)));
            map.insert("center".to_owned(), value);
        }
        self.set_number(&mut map, "hitRadius", was.map(|was| was.hit_radius), new.hit_radius);
        let bones = self.roots(part, list(Some(&map), "bones"), olds, moved);
        map.insert("bones".to_owned(), Value::Array(bones));
        name_groups(&mut map, Some(&chain.collider_groups), groups);
        Value::Object(map)
    }

    /// The file's roots that are still there or were never read, repeated ones included, then the new ones.
    fn roots(&mut self, part: &Part<'_>, raw: &[Value], olds: &[Chain], moved: &HashSet<BoneId>) -> Vec<Value> {
        let root = |chain: &Chain| chain.joints.first().map(|joint| joint.bone);
        let wanted: Vec<usize> =
            part.chains.iter().filter_map(|chain| root(chain)).map(|bone| self.node(bone)).collect();
        let read: Vec<BoneId> = olds.iter().filter(|old| old.file_index == part.wished).filter_map(root).collect();
        let read: Vec<usize> = read.into_iter().map(|bone| self.node(bone)).collect();
        let mut missing = wanted.clone();
        let mut bones = Vec::with_capacity(raw.len());
        for value in raw {
            let node = node_of(value);
            let is_wanted = node.is_some_and(|node| wanted.contains(&node));
            let is_idle = node.is_none_or(|node| !read.contains(&node) && !self.would_move(node, moved));
            // A part that was split off takes only what is its own.
            if is_wanted || (part.from.is_some() && is_idle) {
                bones.push(value.clone());
            }
            missing.retain(|missing| Some(*missing) != node);
        }
        bones.extend(missing.into_iter().map(Value::from));
        bones
    }

    /// Whether a root that the loader left out would begin to move, as no chain moves it any more.
    fn would_move(&self, node: usize, moved: &HashSet<BoneId>) -> bool {
        let Some(bone) = self.nodes.bones.get(node).copied() else { return false };
        let skeleton = &self.nodes.skeleton;
        let has_tail =
            !skeleton.children(bone).is_empty() || skeleton.bone(bone).rest.translation.try_normalize().is_some();
        has_tail && !moved.contains(&bone)
    }
}

fn node_of(value: &Value) -> Option<usize> {
    value.as_f64().filter(|x| x.fract() == 0.0 && *x >= 0.0).map(|x| x as usize)
}

/// `None` keeps what the file says, under the groups' new numbers.
fn name_groups(map: &mut Map<String, Value>, wanted: Option<&[usize]>, groups: &Merged) {
    let raw = map.get("colliderGroups");
    let wanted: Vec<usize> = if let Some(wanted) = wanted {
        wanted.iter().filter_map(|g| groups.new_at.get(*g).copied()).collect()
    } else {
        let places = raw.and_then(Value::as_array).into_iter().flatten();
        places.filter_map(|g| *groups.old_at.get(usize::try_from(g.as_u64()?).ok()?)?).collect()
    };
    let is_read = vec![true; groups.old_at.len()];
    let named = positions(raw, groups, &is_read, &wanted);
    if map.contains_key("colliderGroups") || !named.is_empty() {
        map.insert("colliderGroups".to_owned(), Value::Array(named));
    }
}

/// Chains that share one group.
struct Part<'c> {
    /// The file's group that becomes this one.
    from: Option<usize>,
    /// The file's group that the chains come from; others are copied from it.
    wished: Option<usize>,
    model: Joint,
    chains: Vec<&'c Chain>,
}

impl Part<'_> {
    fn says(&self, chain: &Chain, model: &Joint) -> bool {
        let Some(first) = self.chains.first() else { return true };
        self.model == *model
            && first.name == chain.name
            && first.center == chain.center
            && first.collider_groups == chain.collider_groups
    }
}
