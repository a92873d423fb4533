//! Reads `VRMC_springBone`. N joints in a file are N - 1 simulated joints, because the last joint only marks a tail.

use super::fields::{EXTENDED_COLLIDER, check_spec_version, read_joint_numbers, read_radius, valid_indices};
use super::{
    VrmCollider, VrmColliderGroup, VrmColliderShape, VrmJointTail, VrmSpringChain, VrmSpringJoint, VrmSprings,
    VrmVersion, limits,
};
use crate::gltf_json::json::{JsonError, JsonObject};
use crate::gltf_json::nodes::GltfNodes;
use glam::Vec3;
use std::collections::HashSet;
use yuremono_sim::diagnostics::{excerpt, message};
use yuremono_sim::rig::BoneId;

/// Returns `None` if the springs cannot be read.
pub(super) fn read(json: &JsonObject<'_>, nodes: &GltfNodes<'_>) -> Option<VrmSprings> {
    check_spec_version(json, &["1.0", "1.0-beta"]);
    let mut springs = VrmSprings::empty(VrmVersion::V1);
    // Indexed by the collider's position in the file: its index among the valid colliders.
    let mut places = Vec::new();
    let colliders = json.ok_or_warn(json.objects("colliders"), "there are no colliders");
    for (index, collider) in colliders.into_iter().flatten().enumerate() {
        let collider = collider.and_then(|collider| read_collider(&collider, index, nodes));
        let collider = json.ok_or_warn(collider, "the collider is left out");
        places.push(collider.is_some().then_some(springs.colliders.len()));
        springs.colliders.extend(collider);
    }
    let groups = json.ok_or_warn(json.objects("colliderGroups"), "there are no collider groups");
    for (index, group) in groups.into_iter().flatten().enumerate() {
        let read = group.map(|group| {
            let listed = valid_indices(&group, "colliders", places.len(), "collider");
            let name = group.value_or(group.name("name"), "").to_owned();
            (name, listed.into_iter().filter_map(|collider| places[collider]).collect())
        });
        let (name, colliders) = json.ok_or_warn(read, "the group is empty").unwrap_or_default();
        springs.collider_groups.push(VrmColliderGroup { name, colliders, file_index: Some(index) });
    }
    let mut moved_bones = HashSet::new();
    for (index, spring) in json.ok_or_warn(json.objects("springs"), "there are no springs")?.enumerate() {
        let groups = springs.collider_groups.len();
        let chain = spring.and_then(|spring| read_chain(&spring, index, groups, nodes, &mut moved_bones));
        springs.chains.extend(json.ok_or_warn(chain, "the spring is left out").flatten());
    }
    Some(springs)
}

fn read_collider(collider: &JsonObject<'_>, index: usize, nodes: &GltfNodes<'_>) -> Result<VrmCollider, JsonError> {
    let bone = nodes.bone_of_node[collider.required_index("node", nodes.len(), "node")?];
    Ok(VrmCollider { bone, shape: read_collider_shape(collider)?, file_index: Some(index) })
}

/// Reads the shape of one entry of `colliders`. An extended shape takes precedence over the base shape.
pub(super) fn read_collider_shape(collider: &JsonObject<'_>) -> Result<VrmColliderShape, JsonError> {
    let extended = collider.ok_or_warn(collider.extension(EXTENDED_COLLIDER), "the base shape is used").flatten();
    let base = collider.object("shape");
    if let Some(extended) = extended {
        check_spec_version(&extended, &["1.0", "1.0-draft"]);
        let read = extended.required("shape", JsonObject::object).and_then(|shape| read_shape(&shape, true));
        if !matches!(&base, Ok(Some(_))) {
            collider.warn(collider.missing_error("shape"), "the extended shape is used");
        }
        match (read, &base) {
            (Ok(shape), _) => return Ok(shape),
            (Err(fault), Ok(Some(_))) => collider.warn(fault, "the base shape is used"),
            (Err(fault), _) => return Err(fault),
        }
    }
    read_shape(&base?.ok_or_else(|| collider.missing_error("shape"))?, false)
}

fn read_shape(shape: &JsonObject<'_>, extended: bool) -> Result<VrmColliderShape, JsonError> {
    let point = |json: &JsonObject<'_>, key| Ok(json.numbers(key)?.map_or(Vec3::ZERO, Vec3::from_array));
    let inside = |json: &JsonObject<'_>| if extended { json.flag("inside") } else { Ok(false) };
    if let Some(json) = shape.object("sphere")? {
        let offset = point(&json, "offset")?;
        return Ok(VrmColliderShape::Sphere { offset, radius: read_radius(&json)?, inside: inside(&json)? });
    }
    if let Some(json) = shape.object("capsule")? {
        let (offset, tail) = (point(&json, "offset")?, point(&json, "tail")?);
        return Ok(VrmColliderShape::Capsule { offset, tail, radius: read_radius(&json)?, inside: inside(&json)? });
    }
    match if extended { shape.object("plane")? } else { None } {
        Some(json) => Ok(VrmColliderShape::Plane { offset: point(&json, "offset")?, normal: read_normal(&json)? }),
        None if extended => Err(shape.error(message!("neither a sphere, nor a capsule, nor a plane"))),
        None => Err(shape.error(message!("neither a sphere nor a capsule"))),
    }
}

fn read_normal(plane: &JsonObject<'_>) -> Result<Vec3, JsonError> {
    let written = plane.numbers("normal")?.map_or(Vec3::Z, Vec3::from_array);
    let normal =
        written.try_normalize().ok_or_else(|| plane.error_at("normal", message!("the normal has no direction")))?;
    if (written.length() - 1.0).abs() > 0.01 {
        let message = message!("the normal has length {length}", length = written.length());
        plane.warn_at("normal", message, "it is normalized");
    }
    Ok(normal)
}

/// Reads a spring and adds its bones to `moved_bones`, which contains the bones that earlier springs move.
fn read_chain(
    spring: &JsonObject<'_>,
    file_index: usize,
    group_count: usize,
    nodes: &GltfNodes<'_>,
    moved_bones: &mut HashSet<BoneId>,
) -> Result<Option<VrmSpringChain>, JsonError> {
    let path = read_joint_path(spring, nodes)?;
    if path.len() < 2 {
        let message = message!("fewer than two joints move nothing; the spring is left out");
        spring.info(spring.pointer_to("joints"), message);
        return Ok(None);
    }
    let mut joints = Vec::with_capacity(path.len() - 1);
    for pair in path.windows(2) {
        let [(json, bone), (_, tail)] = pair else { continue };
        if moved_bones.insert(*bone) {
            joints.push(read_joint(json, *bone, VrmJointTail::Bone(*tail)));
        } else {
            let name = excerpt(nodes.skeleton.name(*bone));
            let message = message!("bone \"{name}\" is already moved by another joint", name);
            json.warn_at("node", message, "the joint is left out");
        }
    }
    if joints.is_empty() {
        return Ok(None);
    }
    Ok(Some(VrmSpringChain {
        name: spring.value_or(spring.name("name"), "").to_owned(),
        file_index: Some(file_index),
        center: read_center(spring, path[0].1, nodes),
        collider_groups: valid_indices(spring, "colliderGroups", group_count, "collider group"),
        joints,
    }))
}

fn read_center(spring: &JsonObject<'_>, first: BoneId, nodes: &GltfNodes<'_>) -> Option<BoneId> {
    let node = spring.ok_or_warn(spring.index("center", nodes.len(), "node"), "the world is used").flatten()?;
    let bone = nodes.bone_of_node[node];
    if bone != first && !nodes.is_descendant(bone, first) {
        let name = excerpt(nodes.skeleton.name(bone));
        let message = message!("bone \"{name}\" is neither the first joint nor an ancestor of it", name);
        spring.warn_at("center", message, "it is kept");
    }
    Some(bone)
}

/// Returns the joints with their bones. Joints that are not descendants of the previous joint are skipped.
fn read_joint_path<'j>(
    spring: &JsonObject<'j>,
    nodes: &GltfNodes<'_>,
) -> Result<Vec<(JsonObject<'j>, BoneId)>, JsonError> {
    const LEFT_OUT: &str = "the joint is left out";
    let mut path: Vec<(JsonObject<'j>, BoneId)> = Vec::new();
    for joint in spring.objects("joints")? {
        let found = joint.and_then(|joint| {
            let node = joint.required_index("node", nodes.len(), "node")?;
            Ok((joint, nodes.bone_of_node[node]))
        });
        let Some((joint, bone)) = spring.ok_or_warn(found, LEFT_OUT) else { continue };
        if let Some((_, above)) = path.last().filter(|(_, above)| !nodes.is_descendant(*above, bone)) {
            let name = |bone| excerpt(nodes.skeleton.name(bone));
            let message = message!(
                "bone \"{bone}\" is not a descendant of bone \"{above}\"",
                bone = name(bone),
                above = name(*above)
            );
            joint.warn_at("node", message, LEFT_OUT);
        } else {
            path.push((joint, bone));
        }
    }
    Ok(path)
}

/// Returns the bones that a spring moves, with their tails. Excludes the bones in `moving`, which earlier springs move.
pub(super) fn newly_moved_bones(
    spring: &JsonObject<'_>,
    nodes: &GltfNodes<'_>,
    moving: &HashSet<BoneId>,
) -> Vec<(BoneId, VrmJointTail)> {
    let path = read_joint_path(spring, nodes).unwrap_or_default();
    let pairs = path.iter().zip(path.iter().skip(1)).map(|((_, bone), (_, tail))| (*bone, VrmJointTail::Bone(*tail)));
    pairs.filter(|(bone, _)| !moving.contains(bone)).collect()
}

/// Reads a joint. Invalid values are replaced with their defaults.
pub(super) fn read_joint(json: &JsonObject<'_>, bone: BoneId, tail: VrmJointTail) -> VrmSpringJoint {
    let numbers = read_joint_numbers(json, "stiffness", 0.5);
    let gravity_dir = json.value_or(json.numbers("gravityDir"), Vec3::NEG_Y.to_array());
    VrmSpringJoint { bone, tail, gravity_dir: gravity_dir.into(), limit: limits::read(json), ..numbers }
}
