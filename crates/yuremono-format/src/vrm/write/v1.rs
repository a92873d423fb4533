//! Builds `VRMC_springBone` from the objects of the file and the new springs.

use super::lists::{MergedList, matched_flags, update_list};
use super::{SpringsWriter, chain_label, copy_object, file_index, list_field, object_field, set_list, set_text};
use crate::gltf_json::json::JsonObject;
use crate::vrm::fields::EXTENDED_COLLIDER;
use crate::vrm::limits::{LENGTH_TOLERANCE, LIMIT_EXTENSION, LIMIT_KINDS, angle_fields};
use crate::vrm::v1::{newly_moved_bones, read_collider_shape, read_joint};
use crate::vrm::{VrmCollider, VrmColliderGroup, VrmColliderShape, VrmSpringChain, VrmSpringJoint, VrmSprings};
use serde_json::{Map, Value, json};
use std::collections::{HashMap, HashSet};
use yuremono_sim::diagnostics::message;
use yuremono_sim::rig::BoneId;
use yuremono_sim::{SwingLimit, SwingShape};

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
        let colliders = self.colliders(list_field(before, "colliders"), old, new);
        let groups = update_collider_groups(list_field(before, "colliderGroups"), old, new, &colliders);
        let springs = self.springs(list_field(before, "springs"), old, new, &groups);
        for (key, made) in [("colliders", colliders.list), ("colliderGroups", groups.list), ("springs", springs)] {
            set_list(&mut after, key, made);
        }
        after
    }

    fn colliders(&mut self, raw: &[Value], old: Option<&VrmSprings>, new: &VrmSprings) -> MergedList {
        let olds = old.map_or(&[][..], |old| &old.colliders);
        let alike = |a: &VrmCollider, b: &VrmCollider| (a.bone, a.shape) == (b.bone, b.shape);
        update_list(
            raw,
            olds,
            &new.colliders,
            |c| c.file_index,
            alike,
            |collider, was, raw| {
                let mut map = copy_object(raw);
                if was.is_none_or(|was| was.bone != collider.bone) {
                    self.set_node(&mut map, "node", collider.bone);
                }
                self.set_shape(&mut map, collider.shape);
                Value::Object(map)
            },
        )
    }

    fn springs(
        &mut self,
        raw: &[Value],
        old: Option<&VrmSprings>,
        new: &VrmSprings,
        groups: &MergedList,
    ) -> Vec<Value> {
        let olds = old.map_or(&[][..], |old| &old.chains);
        let known = FileJointsByNode::of(raw);
        let alike = |a: &VrmSpringChain, b: &VrmSpringChain| a.root() == b.root();
        let mut merged = update_list(
            raw,
            olds,
            &new.chains,
            |c| c.file_index,
            alike,
            |chain, was, raw| {
                let mut map = copy_object(raw);
                set_text(&mut map, "name", was.map_or("", |was| was.name.as_str()), &chain.name);
                let joints = self.joints(chain, was, list_field(Some(&map), "joints"), &known);
                set_list(&mut map, "joints", joints);
                let references = groups.references(&map, "colliderGroups", Some(&chain.collider_groups));
                set_list(&mut map, "colliderGroups", references);
                match chain.center {
                    now if now == self.read_center(&JsonObject::silent(&map)) => {}
                    Some(bone) => self.set_node(&mut map, "center", bone),
                    None => drop(map.shift_remove("center")),
                }
                Value::Object(map)
            },
        );
        self.drop_newly_moving(&mut merged, new, raw, &known);
        // Springs that could not be read also refer to collider groups, so their indices are updated too.
        for spring in merged.unread_objects().filter(|spring| spring.contains_key("colliderGroups")) {
            let references = groups.references(spring, "colliderGroups", None);
            set_list(spring, "colliderGroups", references);
        }
        merged.list
    }

    /// Edits the joints in place if the path is unchanged. Otherwise builds the path from the file's joints for the
    /// same nodes.
    fn joints(
        &mut self,
        chain: &VrmSpringChain,
        was: Option<&VrmSpringChain>,
        raw: &[Value],
        known: &FileJointsByNode<'_>,
    ) -> Vec<Value> {
        if was.is_some_and(|was| was.bones().eq(chain.bones())) {
            let mut list = raw.to_vec();
            for joint in &chain.joints {
                let node = Some(self.node_index(joint.bone));
                if let Some(map) = list.iter_mut().find(|j| node_of_joint(j) == node).and_then(Value::as_object_mut) {
                    self.set_joint(map, chain, joint);
                }
            }
            return list;
        }
        let list = self.build_joint_path(chain, raw, known);
        // Joints that the loader ignored keep their positions.
        let place = |node: usize| raw.iter().position(|joint| node_of_joint(joint) == Some(node));
        let nodes = was.into_iter().flat_map(VrmSpringChain::bones).map(|bone| self.node_index(bone));
        let is_read = matched_flags(raw.len(), nodes.map(place));
        let from = |joint: &Value| place(node_of_joint(joint)?).filter(|place| is_read[*place]);
        let made = list.into_iter().map(|joint| (from(&joint), joint)).collect();
        MergedList::merge(raw, is_read, made).list
    }

    /// Builds the joints of a chain, without the entries that the loader ignored.
    fn build_joint_path(&mut self, chain: &VrmSpringChain, raw: &[Value], known: &FileJointsByNode<'_>) -> Vec<Value> {
        let mut list = Vec::with_capacity(chain.joints.len() + 1);
        let mut expected: Option<BoneId> = None;
        for joint in &chain.joints {
            let (label, bone) = (chain_label(chain), self.bone_label(joint.bone));
            if expected.is_some_and(|bone| bone != joint.bone) {
                let message = message!(
                    "{chain}: bone \"{bone}\" is not the tail of the joint before it",
                    chain = label.clone(),
                    bone = &bone
                );
                self.add_error(message!("{message}; a VRM 1.0 spring cannot branch", message));
            }
            let node = self.node_index(joint.bone);
            let mut map = known.copy_joint(raw, node);
            self.set_joint(&mut map, chain, joint);
            list.push(Value::Object(map));
            expected = joint.tail_bone().or(expected);
            if joint.tail_bone().is_none() {
                let message = message!("{chain}: bone \"{bone}\" has no bone at its tail", chain = label, bone);
                self.add_error(message!("{message}; VRM 1.0 needs a node there", message));
            }
        }
        if let Some(bone) = expected {
            let node = self.node_index(bone);
            let mut map = known.copy_joint(raw, node);
            map.entry("node").or_insert_with(|| Value::from(node));
            // The specification forbids a limit on the last joint.
            remove_limit(&mut map);
            list.push(Value::Object(map));
        }
        list
    }

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
            let spring = merged.list[at].as_object().map(JsonObject::silent);
            let moved = spring.map(|json| newly_moved_bones(&json, self.nodes, &moving)).unwrap_or_default();
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
        let is_new = map.is_empty();
        let old = (!is_new).then(|| read_joint(&JsonObject::silent(map), new.bone, new.tail));
        self.check_joint(chain, new, old);
        if is_new {
            self.set_node(map, "node", new.bone);
        }
        self.set_number(map, "hitRadius", old.map(|old| old.hit_radius), new.hit_radius);
        self.set_number(map, "stiffness", old.map(|old| old.stiffness), new.stiffness);
        self.set_number(map, "gravityPower", old.map(|old| old.gravity_power), new.gravity_power);
        self.set_vector(map, "gravityDir", old.map(|old| old.gravity_dir), new.gravity_dir);
        self.set_number(map, "dragForce", old.map(|old| old.drag), new.drag);
        self.set_limit(map, old.and_then(|old| old.limit), new.limit);
    }

    /// Writes a changed shape into its collider. The extended shape is written if the collider has or needs an extended
    /// shape; otherwise the plain shape is written.
    fn set_shape(&mut self, collider: &mut Map<String, Value>, new: VrmColliderShape) {
        let old = read_collider_shape(&JsonObject::silent(collider)).ok();
        if old == Some(new) {
            return;
        }
        let is_plain = !matches!(new, VrmColliderShape::Plane { .. }) && !new.fields().inside;
        let extension = collider.get("extensions").and_then(|extensions| extensions.get(EXTENDED_COLLIDER));
        let has_extended = extension.is_some_and(Value::is_object);
        if is_plain && !has_extended {
            return self.update_shape(object_field(collider, "shape"), old, new);
        }
        if !has_extended {
            self.adds_extended_collider = true;
            collider.insert("shape".to_owned(), fallback_shape(new));
        }
        let extended = object_field(object_field(collider, "extensions"), EXTENDED_COLLIDER);
        if !has_extended {
            extended.insert("specVersion".to_owned(), Value::from("1.0"));
        }
        self.update_shape(object_field(extended, "shape"), old.filter(|_| has_extended), new);
    }

    /// Writes the shape under the key of its kind and removes the other kinds. Unknown fields are kept.
    fn update_shape(&mut self, shape: &mut Map<String, Value>, old: Option<VrmColliderShape>, new: VrmColliderShape) {
        let new = new.fields();
        for other in ["sphere", "capsule", "plane", "palne"].into_iter().filter(|other| *other != new.kind) {
            shape.shift_remove(other);
        }
        let old = old.map(VrmColliderShape::fields).filter(|old| old.kind == new.kind && shape.contains_key(new.kind));
        let map = object_field(shape, new.kind);
        for (i, (key, vector)) in new.vectors.into_iter().flatten().enumerate() {
            let old = old.and_then(|old| old.vectors[i]).map(|(_, vector)| vector);
            self.set_vector(map, key, old, vector);
        }
        if let Some(radius) = new.radius {
            self.set_number(map, "radius", old.and_then(|old| old.radius), radius);
        }
        if new.inside != old.is_some_and(|old| old.inside) {
            map.insert("inside".to_owned(), Value::from(new.inside));
        }
    }

    /// Writes a changed limit into its joint, or removes the extension if there is no limit.
    fn set_limit(&mut self, map: &mut Map<String, Value>, old: Option<SwingLimit>, new: Option<SwingLimit>) {
        if old == new {
            return;
        }
        let Some(new) = new else { return remove_limit(map) };
        self.adds_limit = true;
        let extension = object_field(object_field(map, "extensions"), LIMIT_EXTENSION);
        extension.entry("specVersion").or_insert_with(|| Value::from("1.0"));
        self.update_limit(object_field(extension, "limit"), old, new);
    }

    /// Writes the limit under the key of its kind and removes the other kinds. Unknown fields are kept.
    fn update_limit(&mut self, limit: &mut Map<String, Value>, old: Option<SwingLimit>, new: SwingLimit) {
        let (kind, values) = kind_and_angles(new.shape);
        for other in LIMIT_KINDS.into_iter().filter(|other| *other != kind) {
            limit.shift_remove(other);
        }
        let old = old.filter(|old| kind_and_angles(old.shape).0 == kind && limit.contains_key(kind));
        let map = object_field(limit, kind);
        let before = old.map(|old| kind_and_angles(old.shape).1);
        for (i, ((key, _), value)) in angle_fields(kind).iter().zip(values).enumerate() {
            self.set_number(map, key, before.map(|before| before[i]), value);
        }
        let is_there = map.contains_key("rotation");
        if old.map_or(is_there, |old| old.rotation != new.rotation)
            || (!is_there && new.rotation != glam::Quat::IDENTITY)
        {
            let list = new.rotation.to_array().map(|x| self.number_value(x, "rotation"));
            map.insert("rotation".to_owned(), Value::from(list.to_vec()));
        }
    }

    /// Reports numbers that the schema forbids. A forbidden number from the file may stay unchanged.
    pub(super) fn check_joint(&mut self, chain: &VrmSpringChain, new: &VrmSpringJoint, old: Option<VrmSpringJoint>) {
        let numbers = |joint: &VrmSpringJoint| [joint.hit_radius, joint.stiffness, joint.gravity_power, joint.drag];
        let before = old.map(|old| numbers(&old));
        let names = [("hitRadius", f32::MAX), ("stiffness", f32::MAX), ("gravityPower", f32::MAX), ("dragForce", 1.0)];
        let place = message!("{chain}, bone \"{bone}\"", chain = chain_label(chain), bone = self.bone_label(new.bone));
        for (i, ((key, high), now)) in names.into_iter().zip(numbers(new)).enumerate() {
            let is_kept = before.is_some_and(|before| before[i] == now);
            // `number_value` reports NaN and infinity.
            if !is_kept && now.is_finite() && !(0.0..=high).contains(&now) {
                let expected = if high > 1.0 { message!("0 or more") } else { message!("0 to 1") };
                self.add_error(message!(
                    "{place}: {key} is {now}; {expected} was expected",
                    place = &place,
                    key,
                    now,
                    expected
                ));
            }
        }
        let Some(limit) = new.limit.filter(|limit| old.and_then(|old| old.limit) != Some(*limit)) else { return };
        let (kind, values) = kind_and_angles(limit.shape);
        for ((key, _), angle) in angle_fields(kind).iter().zip(values).filter(|(_, angle)| *angle < 0.0) {
            self.add_error(message!(
                "{place}: {key} of the limit is {angle}; 0 or more was expected",
                place = &place,
                key = *key,
                angle
            ));
        }
        let length = limit.rotation.length();
        if length.is_finite() && (length - 1.0).abs() > LENGTH_TOLERANCE {
            self.add_error(message!(
                "{place}: the rotation of the limit has length {length}; 1 was expected",
                place,
                length
            ));
        }
    }
}

fn update_collider_groups(
    raw: &[Value],
    old: Option<&VrmSprings>,
    new: &VrmSprings,
    colliders: &MergedList,
) -> MergedList {
    let olds = old.map_or(&[][..], |old| &old.collider_groups);
    let alike = |a: &VrmColliderGroup, b: &VrmColliderGroup| !a.name.is_empty() && a.name == b.name;
    update_list(
        raw,
        olds,
        &new.collider_groups,
        |g| g.file_index,
        alike,
        |group, was, raw| {
            let mut map = copy_object(raw);
            set_text(&mut map, "name", was.map_or("", |was| was.name.as_str()), &group.name);
            let references = colliders.references(&map, "colliders", Some(&group.colliders));
            if !references.is_empty() || was.is_none_or(|was| !was.colliders.is_empty()) {
                map.insert("colliders".to_owned(), Value::Array(references));
            }
            // An entry that is not an object stays unchanged, unless a field is written.
            let untouched = raw.filter(|raw| !raw.is_object() && map.is_empty());
            untouched.cloned().unwrap_or(Value::Object(map))
        },
    )
}

fn node_of_joint(joint: &Value) -> Option<usize> {
    file_index(joint.get("node")?)
}

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

    /// Returns a copy of the joint of a node: from `spring` if possible, otherwise from another spring. The copy is
    /// empty if the file has no such joint.
    fn copy_joint(&self, spring: &[Value], node: usize) -> Map<String, Value> {
        let own = spring.iter().find(|joint| node_of_joint(joint) == Some(node)).and_then(Value::as_object);
        own.or_else(|| self.by_node.get(&(node as u64)).copied()).cloned().unwrap_or_default()
    }
}

/// Returns the fallback shape for runtimes without the extension: a distant point for an inside shape, and a huge
/// sphere behind a plane.
fn fallback_shape(shape: VrmColliderShape) -> Value {
    const PLANE_FALLBACK_RADIUS: f32 = 1000.0;
    match shape {
        VrmColliderShape::Plane { offset, normal } => {
            let middle = (offset - normal * PLANE_FALLBACK_RADIUS).to_array();
            json!({ "sphere": { "offset": middle.map(f64::from), "radius": PLANE_FALLBACK_RADIUS } })
        }
        VrmColliderShape::Sphere { .. } | VrmColliderShape::Capsule { .. } => {
            json!({ "sphere": { "offset": [0, -10000, 0], "radius": 0 } })
        }
    }
}

/// Removes the limit, and also `extensions` if it becomes empty.
fn remove_limit(map: &mut Map<String, Value>) {
    let Some(extensions) = map.get_mut("extensions").and_then(Value::as_object_mut) else { return };
    if extensions.shift_remove(LIMIT_EXTENSION).is_some() && extensions.is_empty() {
        map.shift_remove("extensions");
    }
}

/// Returns the kind and its angles in the order of [`angle_fields`].
const fn kind_and_angles(shape: SwingShape) -> (&'static str, [f32; 2]) {
    match shape {
        SwingShape::Cone { angle } => ("cone", [angle, 0.0]),
        SwingShape::Hinge { angle } => ("hinge", [angle, 0.0]),
        SwingShape::Spherical { pitch, yaw } => ("spherical", [pitch, yaw]),
    }
}
