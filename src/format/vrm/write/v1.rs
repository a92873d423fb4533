//! `VRMC_springBone` from the file's own objects and new springs.

use super::lists::{MergedList, match_old_entries, matched_flags, merge_lists, merge_references};
use super::values::{copy_object, list_field, set_list, set_text};
use super::{SpringsWriter, chain_label, limits};
use crate::format::gltf_json::json::{GltfDiagnostics, JsonObject};
use crate::format::vrm::v1::{newly_moved_bones, read_joint};
use crate::format::vrm::{VrmJointTail, VrmSpringChain, VrmSpringJoint, VrmSprings};
use crate::rig::BoneId;
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};

pub(super) const SPRING_BONE_EXTENSION: &str = "VRMC_springBone";

impl SpringsWriter<'_> {
    pub(super) fn write_v1(
        &mut self,
        before: Option<&Map<String, Value>>,
        old: Option<&VrmSprings>,
        new: &VrmSprings,
    ) -> Map<String, Value> {
        let mut after = before.cloned().unwrap_or_default();
        if before.is_none() {
            after.insert("specVersion".to_owned(), Value::from("1.0"));
        }
        let (colliders, colliders_read) = self.colliders(list_field(before, "colliders"), old, new);
        let (groups, groups_read) =
            merge_collider_groups(list_field(before, "colliderGroups"), old, new, &colliders, &colliders_read);
        let springs = self.springs(list_field(before, "springs"), old, new, &groups, &groups_read);
        for (key, made) in [("colliders", colliders.list), ("colliderGroups", groups.list), ("springs", springs)] {
            set_list(&mut after, key, made);
        }
        after
    }

    fn colliders(&mut self, raw: &[Value], old: Option<&VrmSprings>, new: &VrmSprings) -> (MergedList, Vec<bool>) {
        let olds = old.map_or(&[][..], |old| &old.colliders);
        let pairs =
            match_old_entries(&new.colliders, olds, |c| c.file_index, |a, b| (a.bone, a.shape) == (b.bone, b.shape));
        let mut made = Vec::with_capacity(new.colliders.len());
        for (collider, pair) in new.colliders.iter().zip(pairs) {
            let from = pair.and_then(|pair| olds[pair].file_index);
            let mut map = copy_object(raw, from);
            if pair.is_none_or(|pair| olds[pair].bone != collider.bone) {
                map.insert("node".to_owned(), Value::from(self.node_index(collider.bone)));
            }
            self.set_shape(&mut map, collider.shape);
            made.push((from, Value::Object(map)));
        }
        let is_read = matched_flags(raw.len(), olds.iter().map(|c| c.file_index));
        (merge_lists(raw, &is_read, made), is_read)
    }

    fn springs(
        &mut self,
        raw: &[Value],
        old: Option<&VrmSprings>,
        new: &VrmSprings,
        groups: &MergedList,
        groups_read: &[bool],
    ) -> Vec<Value> {
        let olds = old.map_or(&[][..], |old| &old.chains);
        let root = |chain: &VrmSpringChain| chain.joints.first().map(|joint| joint.bone);
        let pairs = match_old_entries(&new.chains, olds, |c| c.file_index, |a, b| root(a) == root(b));
        let known = FileJointsByNode::of(raw);
        let mut made = Vec::with_capacity(new.chains.len());
        for (chain, pair) in new.chains.iter().zip(pairs) {
            let was = pair.map(|pair| &olds[pair]);
            let from = was.and_then(|was| was.file_index);
            let mut map = copy_object(raw, from);
            set_text(&mut map, "name", was.map_or("", |was| was.name.as_str()), &chain.name);
            let joints = self.joints(chain, was, list_field(Some(&map), "joints"), &known);
            set_list(&mut map, "joints", joints);
            let wanted: Vec<_> =
                chain.collider_groups.iter().filter_map(|g| groups.new_positions.get(*g).copied()).collect();
            let named = merge_references(map.get("colliderGroups"), groups, groups_read, &wanted);
            set_list(&mut map, "colliderGroups", named);
            let whole = Value::Object(map.clone());
            let center = JsonObject::new(&whole, String::new()).ok().and_then(|json| self.read_center(&json));
            match chain.center {
                now if now == center => {}
                Some(bone) => drop(map.insert("center".to_owned(), Value::from(self.node_index(bone)))),
                None => drop(map.shift_remove("center")),
            }
            made.push((from, Value::Object(map)));
        }
        let is_read = matched_flags(raw.len(), olds.iter().map(|c| c.file_index));
        let mut merged = merge_lists(raw, &is_read, made);
        self.drop_newly_moving(&mut merged, new, raw, &known);
        // Springs that could not be read name their groups all the same.
        for (place, _) in is_read.iter().enumerate().filter(|(_, is_read)| !**is_read) {
            let Some(at) = merged.old_positions[place] else { continue };
            if let Some(spring) = merged.list[at].as_object_mut().filter(|spring| spring.contains_key("colliderGroups"))
            {
                let wanted: Vec<_> = list_field(Some(spring), "colliderGroups")
                    .iter()
                    .filter_map(|g| *groups.old_positions.get(usize::try_from(g.as_u64()?).ok()?)?)
                    .collect();
                let named = merge_references(spring.get("colliderGroups"), groups, groups_read, &wanted);
                set_list(spring, "colliderGroups", named);
            }
        }
        merged.list
    }

    /// In place where the path is the same; made of the file's joints of the same nodes otherwise.
    fn joints(
        &mut self,
        chain: &VrmSpringChain,
        was: Option<&VrmSpringChain>,
        raw: &[Value],
        known: &FileJointsByNode<'_>,
    ) -> Vec<Value> {
        if was.is_some_and(|was| chain_bones(was) == chain_bones(chain)) {
            let mut list = raw.to_vec();
            for joint in &chain.joints {
                let node = self.node_index(joint.bone);
                if let Some(map) = list.iter_mut().find(|j| is_joint_of_node(j, node)).and_then(Value::as_object_mut) {
                    self.set_joint(map, chain, joint);
                }
            }
            return list;
        }
        let list = self.build_joint_path(chain, raw, known);
        // What the loader left out stays in between.
        let nodes: HashSet<usize> =
            was.map(chain_bones).unwrap_or_default().into_iter().map(|b| self.node_index(b)).collect();
        let place = |node: usize| raw.iter().position(|joint| is_joint_of_node(joint, node));
        let is_read = matched_flags(raw.len(), nodes.iter().map(|node| place(*node)));
        let from = |joint: &Value| place(joint_node_index(joint)?).filter(|place| is_read[*place]);
        merge_lists(raw, &is_read, list.into_iter().map(|joint| (from(&joint), joint)).collect()).list
    }

    /// The joints of a chain and nothing else.
    fn build_joint_path(&mut self, chain: &VrmSpringChain, raw: &[Value], known: &FileJointsByNode<'_>) -> Vec<Value> {
        let mut list = Vec::with_capacity(chain.joints.len() + 1);
        let mut expected: Option<BoneId> = None;
        for joint in &chain.joints {
            if expected.is_some_and(|bone| bone != joint.bone) {
                let message = format!(
                    "{}: bone \"{}\" is not the tail of the joint before",
                    chain_label(chain),
                    self.bone_label(joint.bone)
                );
                self.add_error(format!("{message}; springs of VRM 1.0 are paths"));
            }
            let node = self.node_index(joint.bone);
            let mut map = known.copy_joint(raw, node);
            self.set_joint(&mut map, chain, joint);
            list.push(Value::Object(map));
            match joint.tail {
                VrmJointTail::Bone(bone) => expected = Some(bone),
                VrmJointTail::Offset(_) => {
                    let message =
                        format!("{}: bone \"{}\" ends in the open", chain_label(chain), self.bone_label(joint.bone));
                    self.add_error(format!("{message}; VRM 1.0 needs a node there"));
                }
            }
        }
        if let Some(bone) = expected {
            let node = self.node_index(bone);
            let mut map = known.copy_joint(raw, node);
            map.entry("node").or_insert_with(|| Value::from(node));
            // The specification forbids it there.
            limits::remove_limit(&mut map);
            list.push(Value::Object(map));
        }
        list
    }

    /// What the loader left out must not begin to move now: such joints go, and such springs.
    fn drop_newly_moving(
        &mut self,
        merged: &mut MergedList,
        new: &VrmSprings,
        raw: &[Value],
        known: &FileJointsByNode<'_>,
    ) {
        let mut chains = vec![None; merged.list.len()];
        merged.new_positions.iter().zip(&new.chains).for_each(|(at, chain)| chains[*at] = Some(chain));
        let mut came = vec![None; merged.list.len()];
        let places = merged.old_positions.iter().enumerate().filter_map(|(place, at)| Some((place, (*at)?)));
        places.for_each(|(place, at)| came[at] = Some(place));
        let mut moving = HashSet::new();
        let mut stays = vec![true; chains.len()];
        for (at, chain) in chains.into_iter().enumerate() {
            let moves = |spring: &Value| {
                let json = JsonObject::new(spring, String::new());
                json.map(|json| newly_moved_bones(&json, self.nodes, &moving)).unwrap_or_default()
            };
            let moved = moves(&merged.list[at]);
            let Some(chain) = chain else {
                stays[at] = moved.is_empty();
                continue;
            };
            let wanted: Vec<_> = chain.joints.iter().map(|joint| (joint.bone, joint.tail)).collect();
            if moved != wanted {
                let own = came[at].map_or(&[][..], |place| list_field(raw[place].as_object(), "joints"));
                merged.list[at]["joints"] = Value::from(self.build_joint_path(chain, own, known));
            }
            moving.extend(wanted.into_iter().map(|(bone, _)| bone));
        }
        let mut count = 0..;
        let now: Vec<_> = stays.iter().map(|stays| stays.then(|| count.next()).flatten()).collect();
        merged.old_positions.iter_mut().for_each(|place| *place = place.and_then(|place| now[place]));
        let mut stays = stays.into_iter();
        merged.list.retain(|_| stays.next().unwrap_or(true));
    }

    fn set_joint(&mut self, map: &mut Map<String, Value>, chain: &VrmSpringChain, new: &VrmSpringJoint) {
        let whole = Value::Object(map.clone());
        let is_new = map.is_empty();
        let old = JsonObject::new(&whole, String::new()).ok().filter(|_| !is_new);
        let old = old.map(|json| read_joint(&json, new.bone, new.tail, &GltfDiagnostics::new("")));
        self.check_joint(chain, new, old);
        if is_new {
            map.insert("node".to_owned(), Value::from(self.node_index(new.bone)));
        }
        self.set_number(map, "hitRadius", old.map(|old| old.hit_radius), new.hit_radius);
        self.set_number(map, "stiffness", old.map(|old| old.stiffness), new.stiffness);
        self.set_number(map, "gravityPower", old.map(|old| old.gravity_power), new.gravity_power);
        self.set_vector(map, "gravityDir", old.map(|old| old.gravity_dir), new.gravity_dir);
        self.set_number(map, "dragForce", old.map(|old| old.drag), new.drag);
        self.set_limit(map, old.and_then(|old| old.limit), new.limit);
    }
}

/// Every bone that a chain names, the last tail included.
fn chain_bones(chain: &VrmSpringChain) -> Vec<BoneId> {
    let tail = |joint: &VrmSpringJoint| match joint.tail {
        VrmJointTail::Bone(bone) => Some(bone),
        VrmJointTail::Offset(_) => None,
    };
    chain.joints.iter().flat_map(|joint| [Some(joint.bone), tail(joint)]).flatten().collect()
}

fn merge_collider_groups(
    raw: &[Value],
    old: Option<&VrmSprings>,
    new: &VrmSprings,
    colliders: &MergedList,
    colliders_read: &[bool],
) -> (MergedList, Vec<bool>) {
    let olds = old.map_or(&[][..], |old| &old.collider_groups);
    let pairs =
        match_old_entries(&new.collider_groups, olds, |g| g.file_index, |a, b| !a.name.is_empty() && a.name == b.name);
    let mut made = Vec::with_capacity(new.collider_groups.len());
    for (group, pair) in new.collider_groups.iter().zip(pairs) {
        let was = pair.map(|pair| &olds[pair]);
        let from = was.and_then(|was| was.file_index);
        let mut map = copy_object(raw, from);
        set_text(&mut map, "name", was.map_or("", |was| was.name.as_str()), &group.name);
        let wanted: Vec<_> = group.colliders.iter().filter_map(|c| colliders.new_positions.get(*c).copied()).collect();
        let named = merge_references(map.get("colliders"), colliders, colliders_read, &wanted);
        if !named.is_empty() || was.is_none_or(|was| !was.colliders.is_empty()) {
            map.insert("colliders".to_owned(), Value::Array(named));
        }
        // An entry that is no object stays what it is while nothing is asked of it.
        let untouched = from.and_then(|from| raw.get(from)).filter(|raw| !raw.is_object() && map.is_empty());
        made.push((from, untouched.cloned().unwrap_or(Value::Object(map))));
    }
    let is_read = matched_flags(raw.len(), olds.iter().map(|g| g.file_index));
    (merge_lists(raw, &is_read, made), is_read)
}

fn is_joint_of_node(joint: &Value, node: usize) -> bool {
    joint_node_index(joint) == Some(node)
}

fn joint_node_index(joint: &Value) -> Option<usize> {
    joint.get("node").and_then(Value::as_f64).filter(|x| x.fract() == 0.0 && *x >= 0.0).map(|x| x as usize)
}

/// The file's joints by node, wherever they stand.
struct FileJointsByNode<'v> {
    by_node: HashMap<u64, &'v Map<String, Value>>,
}

impl<'v> FileJointsByNode<'v> {
    fn of(springs: &'v [Value]) -> Self {
        let mut by_node = HashMap::new();
        for joint in springs.iter().flat_map(|spring| list_field(spring.as_object(), "joints")) {
            if let (Some(map), Some(node)) = (joint.as_object(), joint.get("node").and_then(Value::as_u64)) {
                by_node.entry(node).or_insert(map);
            }
        }
        Self { by_node }
    }

    /// A copy of the joint of a node, of the same spring where it has one; empty where there is none.
    fn copy_joint(&self, spring: &[Value], node: usize) -> Map<String, Value> {
        let own = spring.iter().find(|joint| is_joint_of_node(joint, node)).and_then(Value::as_object);
        own.or_else(|| self.by_node.get(&(node as u64)).copied()).cloned().unwrap_or_default()
    }
}
