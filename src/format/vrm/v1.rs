//! `VRMC_springBone`: N joints make N - 1 that move; the last only marks a tail.

use super::{
    VrmCollider, VrmColliderGroup, VrmJointTail, VrmSpringChain, VrmSpringJoint, VrmSprings, VrmVersion, check_version,
    colliders, limits,
};
use crate::format::gltf_json::json::{GltfDiagnostics, JsonError, JsonObject};
use crate::format::gltf_json::nodes::GltfNodes;
use crate::rig::BoneId;
use glam::Vec3;
use std::collections::HashSet;

/// `None` where nothing can be read.
pub(super) fn read(json: &JsonObject<'_>, nodes: &GltfNodes<'_>, notes: &GltfDiagnostics<'_>) -> Option<VrmSprings> {
    check_version(json, notes);
    let (colliders, places) = read_colliders(json, nodes, notes);
    let collider_groups = read_groups(json, &places, notes);
    let mut reader = SpringReader { nodes, notes, group_count: collider_groups.len(), moved_bones: HashSet::new() };
    let list = notes.ok_or_warn(json.objects("springs"), "there are no springs")?;
    let mut chains = Vec::new();
    for (index, spring) in list.enumerate() {
        let chain = spring.and_then(|spring| reader.read_chain(&spring, index));
        chains.extend(notes.ok_or_warn(chain, "the spring is left out").flatten());
    }
    Some(VrmSprings { version: VrmVersion::V1, chains, colliders, collider_groups })
}

/// The colliders that can be used, and by file number where they stand now.
fn read_colliders(
    json: &JsonObject<'_>,
    nodes: &GltfNodes<'_>,
    notes: &GltfDiagnostics<'_>,
) -> (Vec<VrmCollider>, Vec<Option<usize>>) {
    let mut colliders = Vec::new();
    let mut places = Vec::new();
    let read = |file_index: usize, collider: Result<JsonObject<'_>, JsonError>| {
        let collider = collider?;
        let bone = nodes.bone_of_node[collider.required_index("node", nodes.len(), "node")?];
        Ok(VrmCollider { bone, shape: colliders::read_collider_shape(&collider, notes)?, file_index: Some(file_index) })
    };
    let list = notes.ok_or_warn(json.objects("colliders"), "there are no colliders");
    for (index, collider) in list.into_iter().flatten().enumerate() {
        let collider = notes.ok_or_warn(read(index, collider), "the collider is left out");
        places.push(collider.is_some().then_some(colliders.len()));
        colliders.extend(collider);
    }
    (colliders, places)
}

/// One per group of the file, so that springs can keep their numbers.
fn read_groups(json: &JsonObject<'_>, places: &[Option<usize>], notes: &GltfDiagnostics<'_>) -> Vec<VrmColliderGroup> {
    let mut groups = Vec::new();
    let list = notes.ok_or_warn(json.objects("colliderGroups"), "there are no collider groups");
    for (index, group) in list.into_iter().flatten().enumerate() {
        let file_index = Some(index);
        let Some(group) = notes.ok_or_warn(group, "the group is empty") else {
            groups.push(VrmColliderGroup { name: String::new(), colliders: Vec::new(), file_index });
            continue;
        };
        let named = valid_indices(&group, "colliders", places.len(), "collider", notes);
        groups.push(VrmColliderGroup {
            name: notes.value_or_default(group.name("name"), "").to_owned(),
            colliders: named.into_iter().filter_map(|collider| places[collider]).collect(),
            file_index,
        });
    }
    groups
}

/// The entries of a list of positions that exist, each once.
pub(super) fn valid_indices(
    json: &JsonObject<'_>,
    key: &str,
    count: usize,
    what: &str,
    notes: &GltfDiagnostics<'_>,
) -> Vec<usize> {
    let Some(list) = notes.ok_or_warn(json.list(key), "it is taken as empty") else { return Vec::new() };
    let mut seen = HashSet::new();
    let point = |(i, value)| {
        crate::format::gltf_json::json::parse_index(value, count, what)
            .map_err(|message| JsonError { pointer: format!("{}/{i}", json.pointer_to(key)), message })
    };
    let found = list.iter().enumerate().filter_map(|entry| notes.ok_or_warn(point(entry), "it is left out"));
    found.filter(|index| seen.insert(*index)).collect()
}

struct SpringReader<'r, 'a> {
    nodes: &'r GltfNodes<'a>,
    notes: &'r GltfDiagnostics<'r>,
    group_count: usize,
    /// Bones that an earlier joint moves.
    moved_bones: HashSet<BoneId>,
}

impl SpringReader<'_, '_> {
    fn read_chain(&mut self, spring: &JsonObject<'_>, file_index: usize) -> Result<Option<VrmSpringChain>, JsonError> {
        let path = read_joint_path(spring, self.nodes, self.notes)?;
        if path.len() < 2 {
            self.notes.info(spring.pointer_to("joints"), "fewer than two joints move nothing; the spring is left out");
            return Ok(None);
        }
        let mut joints = Vec::with_capacity(path.len() - 1);
        for pair in path.windows(2) {
            let [(json, bone), (_, tail)] = pair else { continue };
            if self.moved_bones.insert(*bone) {
                joints.push(read_joint(json, *bone, VrmJointTail::Bone(*tail), self.notes));
            } else {
                let name = crate::diagnostics::excerpt(self.nodes.skeleton.name(*bone));
                let fault = json.error_at("node", format!("bone \"{name}\" is already moved by another joint"));
                self.notes.warn(fault, "the joint is left out");
            }
        }
        if joints.is_empty() {
            return Ok(None);
        }
        Ok(Some(VrmSpringChain {
            name: self.notes.value_or_default(spring.name("name"), "").to_owned(),
            file_index: Some(file_index),
            center: self.read_center(spring, path[0].1),
            collider_groups: valid_indices(spring, "colliderGroups", self.group_count, "collider group", self.notes),
            joints,
        }))
    }

    fn read_center(&self, spring: &JsonObject<'_>, first: BoneId) -> Option<BoneId> {
        const WORLD: &str = "the world is used";
        let node = self.notes.ok_or_warn(spring.index("center", self.nodes.len(), "node"), WORLD).flatten()?;
        let bone = self.nodes.bone_of_node[node];
        if bone != first && !self.nodes.is_descendant(bone, first) {
            let name = crate::diagnostics::excerpt(self.nodes.skeleton.name(bone));
            let message = format!("bone \"{name}\" is neither the first joint nor above it");
            self.notes.warn(spring.error_at("center", message), "it is kept");
        }
        Some(bone)
    }
}

/// Joints with their bones, each below the one before; others are left out.
fn read_joint_path<'j>(
    spring: &JsonObject<'j>,
    nodes: &GltfNodes<'_>,
    notes: &GltfDiagnostics<'_>,
) -> Result<Vec<(JsonObject<'j>, BoneId)>, JsonError> {
    const LEFT_OUT: &str = "the joint is left out";
    let mut path: Vec<(JsonObject<'j>, BoneId)> = Vec::new();
    for joint in spring.objects("joints")? {
        let found = joint.and_then(|joint| {
            let node = joint.required_index("node", nodes.len(), "node")?;
            Ok((joint, nodes.bone_of_node[node]))
        });
        let Some((joint, bone)) = notes.ok_or_warn(found, LEFT_OUT) else { continue };
        if let Some((_, above)) = path.last().filter(|(_, above)| !nodes.is_descendant(*above, bone)) {
            let name = |bone| crate::diagnostics::excerpt(nodes.skeleton.name(bone));
            let message = format!("bone \"{}\" is not below bone \"{}\"", name(bone), name(*above));
            notes.warn(joint.error_at("node", message), LEFT_OUT);
        } else {
            path.push((joint, bone));
        }
    }
    Ok(path)
}

/// Which bones a spring moves and their tails, where earlier springs move those of `moving`.
pub(super) fn newly_moved_bones(
    spring: &JsonObject<'_>,
    nodes: &GltfNodes<'_>,
    moving: &HashSet<BoneId>,
) -> Vec<(BoneId, VrmJointTail)> {
    let path = read_joint_path(spring, nodes, &GltfDiagnostics::new("")).unwrap_or_default();
    let pairs = path.iter().zip(path.iter().skip(1)).map(|((_, bone), (_, tail))| (*bone, VrmJointTail::Bone(*tail)));
    pairs.filter(|(bone, _)| !moving.contains(bone)).collect()
}

/// The numbers of a joint; what is broken is replaced by its default.
pub(super) fn read_joint(
    json: &JsonObject<'_>,
    bone: BoneId,
    tail: VrmJointTail,
    notes: &GltfDiagnostics<'_>,
) -> VrmSpringJoint {
    let number = |key, default| notes.value_or_default(json.number(key), default);
    let at_least_zero = |key, default: f32| {
        let value: f32 = number(key, default);
        if value < 0.0 {
            let fault = json.error_at(key, format!("{value}; 0 or more was expected"));
            notes.warn(fault, &format!("{default} is used"));
            return default;
        }
        value
    };
    let drag = number("dragForce", 0.5);
    if !(0.0..=1.0).contains(&drag) {
        notes.warn(json.error_at("dragForce", format!("{drag}; 0 to 1 was expected")), "it is kept");
    }
    VrmSpringJoint {
        bone,
        tail,
        hit_radius: at_least_zero("hitRadius", 0.0),
        stiffness: number("stiffness", 1.0),
        gravity_power: number("gravityPower", 0.0),
        gravity_dir: notes.value_or_default(json.numbers("gravityDir").map(|v| v.map(Vec3::from_array)), Vec3::NEG_Y),
        drag,
        limit: limits::read(json, notes),
    }
}
