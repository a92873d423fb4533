//! `extensions.VRM.secondaryAnimation`: one set of numbers for whole trees of bones, spheres as colliders.
//!
//! Every bone below a root swings, leaves included: a leaf gets a tail 7 cm further along its own direction. The
//! tail of any other bone is its first child. Vectors are written in Unity's left-handed space.

use super::v1::valid_indices;
use super::{
    VrmCollider, VrmColliderGroup, VrmColliderShape, VrmJointTail, VrmSpringChain, VrmSpringJoint, VrmSprings,
    VrmVersion,
};
use crate::format::gltf_json::json::{GltfDiagnostics, JsonError, JsonObject};
use crate::format::gltf_json::nodes::GltfNodes;
use crate::rig::{BoneId, Skeleton};
use crate::sim::solver::vrm::LEAF_LENGTH;
use glam::Vec3;
use std::collections::HashSet;

/// Lists of collider groups that one bone group may hand to its roots, all together.
const MAX_GROUP_REFERENCES: usize = 1 << 20;
/// Collider groups of a file.
const MAX_COLLIDER_GROUPS: usize = 65_536;

/// `None` where the file has no springs or nothing can be read.
pub(super) fn read(vrm: &JsonObject<'_>, nodes: &GltfNodes<'_>, notes: &GltfDiagnostics<'_>) -> Option<VrmSprings> {
    let json = notes.ok_or_warn(vrm.object("secondaryAnimation"), "there are no springs").flatten()?;
    let mut springs =
        VrmSprings { version: VrmVersion::V0, chains: Vec::new(), colliders: Vec::new(), collider_groups: Vec::new() };
    for group in notes.ok_or_warn(json.objects("colliderGroups"), "there are no colliders").into_iter().flatten() {
        if springs.collider_groups.len() == MAX_COLLIDER_GROUPS {
            notes.warn(
                json.error_at("colliderGroups", format!("more than {MAX_COLLIDER_GROUPS} groups")),
                "the others are left out",
            );
            break;
        }
        let file_index = Some(springs.collider_groups.len());
        let read = group.and_then(|group| read_colliders(&group, &mut springs.colliders, nodes, notes));
        let read = read.map(|group| VrmColliderGroup { file_index, ..group });
        let empty = || VrmColliderGroup { name: String::new(), colliders: Vec::new(), file_index };
        springs.collider_groups.push(notes.ok_or_warn(read, "the group is empty").unwrap_or_else(empty));
    }
    let mut moving = HashSet::new();
    for (index, group) in notes.ok_or_warn(json.objects("boneGroups"), "there are no springs")?.enumerate() {
        let groups = springs.collider_groups.len();
        let read = group.and_then(|group| read_chains(&group, index, groups, nodes, &mut moving, notes));
        springs.chains.extend(notes.ok_or_warn(read, "the group is left out").unwrap_or_default());
    }
    Some(springs)
}

/// The spheres of one bone.
fn read_colliders(
    group: &JsonObject<'_>,
    colliders: &mut Vec<VrmCollider>,
    nodes: &GltfNodes<'_>,
    notes: &GltfDiagnostics<'_>,
) -> Result<VrmColliderGroup, JsonError> {
    let bone = nodes.bone_of_node[group.required_index("node", nodes.len(), "node")?];
    let first = colliders.len();
    for (index, json) in group.objects("colliders")?.enumerate() {
        let sphere = json.and_then(|json| read_sphere(&json));
        let collider = |shape| VrmCollider { bone, shape, file_index: Some(index) };
        colliders.extend(notes.ok_or_warn(sphere, "the collider is left out").map(collider));
    }
    let name = nodes.skeleton.name(bone).to_owned();
    Ok(VrmColliderGroup { name, colliders: (first..colliders.len()).collect(), file_index: None })
}

pub(super) fn read_sphere(json: &JsonObject<'_>) -> Result<VrmColliderShape, JsonError> {
    let radius = json.number("radius")?.unwrap_or(0.0);
    if radius < 0.0 {
        return Err(json.error_at("radius", format!("a radius of {radius}; 0 or more was expected")));
    }
    let offset = read_vector(json, "offset", Vec3::ZERO)?;
    Ok(VrmColliderShape::Sphere { offset: Vec3::new(offset.x, offset.y, -offset.z), radius, inside: false })
}

/// One chain per root of the group.
fn read_chains(
    group: &JsonObject<'_>,
    file_index: usize,
    groups: usize,
    nodes: &GltfNodes<'_>,
    moving: &mut HashSet<BoneId>,
    notes: &GltfDiagnostics<'_>,
) -> Result<Vec<VrmSpringChain>, JsonError> {
    let model = read_shared_params(group, notes)?;
    let name = notes.value_or_default(group.name("comment"), "");
    let mut collider_groups = valid_indices(group, "colliderGroups", groups, "collider group", notes);
    let center = read_center(group, nodes, notes);
    let roots = valid_indices(group, "bones", nodes.len(), "node", notes);
    // Every root gets its own list; a hostile file would make both long.
    if roots.len().saturating_mul(collider_groups.len()) > MAX_GROUP_REFERENCES {
        let message = format!("{} collider groups for {} roots", collider_groups.len(), roots.len());
        notes.warn(group.error_at("colliderGroups", message), "none of them is used");
        collider_groups.clear();
    }
    let mut chains = Vec::new();
    for root in roots {
        let root = nodes.bone_of_node[root];
        let joints = read_tree(root, &model, &nodes.skeleton, moving, group, notes);
        if !joints.is_empty() {
            let collider_groups = collider_groups.clone();
            let file_index = Some(file_index);
            chains.push(VrmSpringChain { name: name.to_owned(), file_index, joints, collider_groups, center });
        }
    }
    Ok(chains)
}

/// The numbers that all joints of the group share; bone and tail are still to be set.
pub(super) fn read_shared_params(
    group: &JsonObject<'_>,
    notes: &GltfDiagnostics<'_>,
) -> Result<VrmSpringJoint, JsonError> {
    let number = |key, default| notes.value_or_default(group.number(key), default);
    let drag = number("dragForce", 0.4);
    if !(0.0..=1.0).contains(&drag) {
        notes.warn(group.error_at("dragForce", format!("{drag}; 0 to 1 was expected")), "it is kept");
    }
    let mut hit_radius = number("hitRadius", 0.0);
    if hit_radius < 0.0 {
        notes.warn(group.error_at("hitRadius", format!("{hit_radius}; 0 or more was expected")), "0 is used");
        hit_radius = 0.0;
    }
    Ok(VrmSpringJoint {
        bone: BoneId(0),
        tail: VrmJointTail::Offset(Vec3::ZERO),
        hit_radius,
        // The specification spells it so; some writers correct it.
        stiffness: number(if group.get("stiffiness").is_some() { "stiffiness" } else { "stiffness" }, 1.0),
        gravity_power: number("gravityPower", 0.0),
        gravity_dir: read_vector(group, "gravityDir", Vec3::NEG_Y)?,
        drag,
        limit: None,
    })
}

/// Every bone from `root` down, parents first.
fn read_tree(
    root: BoneId,
    model: &VrmSpringJoint,
    skeleton: &Skeleton,
    moving: &mut HashSet<BoneId>,
    group: &JsonObject<'_>,
    notes: &GltfDiagnostics<'_>,
) -> Vec<VrmSpringJoint> {
    let mut joints = Vec::new();
    let mut stack = vec![root];
    while let Some(bone) = stack.pop() {
        let name = || crate::diagnostics::excerpt(skeleton.name(bone));
        if !moving.insert(bone) {
            let message = format!("bone \"{}\" is already moved by another group", name());
            notes.warn(group.error_at("bones", message), "it and what hangs from it are left there");
            continue;
        }
        let children = skeleton.children(bone);
        stack.extend(children.iter().rev());
        let leaf =
            || skeleton.bone(bone).rest.translation.try_normalize().map(|way| VrmJointTail::Offset(way * LEAF_LENGTH));
        let Some(tail) = children.first().map(|child| VrmJointTail::Bone(*child)).or_else(leaf) else {
            let message = format!("bone \"{}\" has neither a child nor a direction; it does not swing", name());
            notes.info(group.pointer_to("bones"), message);
            continue;
        };
        joints.push(VrmSpringJoint { bone, tail, ..*model });
    }
    joints
}

/// -1 stands for the world.
pub(super) fn read_center(
    group: &JsonObject<'_>,
    nodes: &GltfNodes<'_>,
    notes: &GltfDiagnostics<'_>,
) -> Option<BoneId> {
    if group.get("center").and_then(serde_json::Value::as_f64) == Some(-1.0) {
        return None;
    }
    let node = notes.ok_or_warn(group.index("center", nodes.len(), "node"), "the world is used").flatten()?;
    Some(nodes.bone_of_node[node])
}

/// VRM 0.x writes vectors as objects; a list is taken as well.
fn read_vector(owner: &JsonObject<'_>, key: &str, default: Vec3) -> Result<Vec3, JsonError> {
    if owner.get(key).is_some_and(serde_json::Value::is_array) {
        return Ok(owner.numbers(key)?.map_or(default, Vec3::from_array));
    }
    let Some(json) = owner.object(key)? else { return Ok(default) };
    let part = |key| Ok(json.number(key)?.unwrap_or(0.0));
    Ok(Vec3::new(part("x")?, part("y")?, part("z")?))
}
