//! Reads `extensions.VRM.secondaryAnimation`. A bone group has one set of numbers for whole trees of bones, and all
//! colliders are spheres.
//!
//! Every descendant of a root is simulated, including leaves. Vectors are in Unity's left-handed space.

use super::fields::{read_joint_numbers, read_radius, tree_tail, valid_indices};
use super::{VrmCollider, VrmColliderGroup, VrmColliderShape, VrmSpringChain, VrmSpringJoint, VrmSprings, VrmVersion};
use crate::gltf_json::json::{JsonError, JsonObject};
use crate::gltf_json::nodes::GltfNodes;
use glam::Vec3;
use serde_json::Value;
use std::collections::HashSet;
use yuremono_sim::diagnostics::{excerpt, message};
use yuremono_sim::rig::{BoneId, Skeleton};

/// Maximum total length of the collider group lists of all roots of one bone group.
const MAX_GROUP_REFERENCES: usize = 1 << 20;
const MAX_COLLIDER_GROUPS: usize = 65_536;

/// Returns `None` if the file has no springs or if the springs cannot be read.
pub(super) fn read(vrm: &JsonObject<'_>, nodes: &GltfNodes<'_>) -> Option<VrmSprings> {
    let json = vrm.ok_or_warn(vrm.object("secondaryAnimation"), "there are no springs").flatten()?;
    let mut springs = VrmSprings::empty(VrmVersion::V0);
    for group in json.ok_or_warn(json.objects("colliderGroups"), "there are no colliders").into_iter().flatten() {
        let index = springs.collider_groups.len();
        if index == MAX_COLLIDER_GROUPS {
            let message = message!("more than {max_collider_groups} groups", max_collider_groups = MAX_COLLIDER_GROUPS);
            json.warn_at("colliderGroups", message, "the others are left out");
            break;
        }
        let read = group.and_then(|group| read_colliders(&group, &mut springs.colliders, nodes));
        let (name, colliders) = json.ok_or_warn(read, "the group is empty").unwrap_or_default();
        springs.collider_groups.push(VrmColliderGroup { name, colliders, file_index: Some(index) });
    }
    let mut moving = HashSet::new();
    for (index, group) in json.ok_or_warn(json.objects("boneGroups"), "there are no springs")?.enumerate() {
        let groups = springs.collider_groups.len();
        let read = group.and_then(|group| read_chains(&group, index, groups, nodes, &mut moving));
        springs.chains.extend(json.ok_or_warn(read, "the group is left out").unwrap_or_default());
    }
    Some(springs)
}

/// Returns the name of a group and the indices of its colliders, which are spheres on one bone.
fn read_colliders(
    group: &JsonObject<'_>,
    colliders: &mut Vec<VrmCollider>,
    nodes: &GltfNodes<'_>,
) -> Result<(String, Vec<usize>), JsonError> {
    let bone = nodes.bone_of_node[group.required_index("node", nodes.len(), "node")?];
    let first = colliders.len();
    for (index, json) in group.objects("colliders")?.enumerate() {
        let sphere = json.and_then(|json| read_sphere(&json));
        let collider = |shape| VrmCollider { bone, shape, file_index: Some(index) };
        colliders.extend(group.ok_or_warn(sphere, "the collider is left out").map(collider));
    }
    Ok((nodes.skeleton.name(bone).to_owned(), (first..colliders.len()).collect()))
}

pub(super) fn read_sphere(json: &JsonObject<'_>) -> Result<VrmColliderShape, JsonError> {
    let radius = read_radius(json)?;
    let offset = read_vector(json, "offset", Vec3::ZERO)?;
    Ok(VrmColliderShape::Sphere { offset: Vec3::new(offset.x, offset.y, -offset.z), radius, inside: false })
}

/// Returns one chain for each root of the bone group.
fn read_chains(
    group: &JsonObject<'_>,
    file_index: usize,
    groups: usize,
    nodes: &GltfNodes<'_>,
    moving: &mut HashSet<BoneId>,
) -> Result<Vec<VrmSpringChain>, JsonError> {
    let model = read_shared_params(group)?;
    let name = group.value_or(group.name("comment"), "");
    let mut collider_groups = valid_indices(group, "colliderGroups", groups, "collider group");
    let center = read_center(group, nodes);
    let roots = valid_indices(group, "bones", nodes.len(), "node");
    // Every root has its own list, so a hostile file with many roots and groups could exhaust the memory.
    if roots.len().saturating_mul(collider_groups.len()) > MAX_GROUP_REFERENCES {
        let message =
            message!("{count} collider groups for {count2} roots", count = collider_groups.len(), count2 = roots.len());
        group.warn_at("colliderGroups", message, "none of them is used");
        collider_groups.clear();
    }
    let chain = |root: usize| VrmSpringChain {
        name: name.to_owned(),
        file_index: Some(file_index),
        joints: read_tree(nodes.bone_of_node[root], &model, &nodes.skeleton, moving, group),
        collider_groups: collider_groups.clone(),
        center,
    };
    Ok(roots.into_iter().map(chain).filter(|chain| !chain.joints.is_empty()).collect())
}

/// Reads the numbers that all joints of the group share. The caller must set the bone and tail.
pub(super) fn read_shared_params(group: &JsonObject<'_>) -> Result<VrmSpringJoint, JsonError> {
    // The specification uses the misspelling `stiffiness`; some exporters write the correct spelling.
    let stiffness = if group.get("stiffiness").is_some() { "stiffiness" } else { "stiffness" };
    let model = read_joint_numbers(group, stiffness, 0.4);
    Ok(VrmSpringJoint { gravity_dir: read_vector(group, "gravityDir", Vec3::NEG_Y)?, ..model })
}

/// Returns joints for `root` and its descendants, parents before children.
fn read_tree(
    root: BoneId,
    model: &VrmSpringJoint,
    skeleton: &Skeleton,
    moving: &mut HashSet<BoneId>,
    group: &JsonObject<'_>,
) -> Vec<VrmSpringJoint> {
    let mut joints = Vec::new();
    let mut stack = vec![root];
    while let Some(bone) = stack.pop() {
        let name = || excerpt(skeleton.name(bone));
        if !moving.insert(bone) {
            let message = message!("bone \"{value}\" is already moved by another group", value = name());
            group.warn_at("bones", message, "it and its descendants stay in that group");
            continue;
        }
        stack.extend(skeleton.children(bone).iter().rev());
        if let Some(tail) = tree_tail(skeleton, bone) {
            joints.push(VrmSpringJoint { bone, tail, ..*model });
        } else {
            let message =
                message!("bone \"{value}\" has neither a child nor a direction; it is not simulated", value = name());
            group.info(group.pointer_to("bones"), message);
        }
    }
    joints
}

/// Reads the center. Unity writes -1 for the world.
fn read_center(group: &JsonObject<'_>, nodes: &GltfNodes<'_>) -> Option<BoneId> {
    if group.get("center").and_then(Value::as_f64) == Some(-1.0) {
        return None;
    }
    let node = group.ok_or_warn(group.index("center", nodes.len(), "node"), "the world is used").flatten()?;
    Some(nodes.bone_of_node[node])
}

/// Reads a vector. VRM 0.x stores vectors as objects; lists are also accepted.
fn read_vector(owner: &JsonObject<'_>, key: &str, default: Vec3) -> Result<Vec3, JsonError> {
    if owner.get(key).is_some_and(Value::is_array) {
        return Ok(owner.numbers(key)?.map_or(default, Vec3::from_array));
    }
    let Some(json) = owner.object(key)? else { return Ok(default) };
    let part = |key| Ok(json.number(key)?.unwrap_or(0.0));
    Ok(Vec3::new(part("x")?, part("y")?, part("z")?))
}
