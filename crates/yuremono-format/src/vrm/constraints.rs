//! Node constraints: `VRMC_node_constraint` 1.0 on the constrained node.

use super::fields::check_spec_version;
use crate::gltf_json::json::{JsonError, JsonObject};
use crate::gltf_json::nodes::GltfNodes;
use glam::Vec3;
use yuremono_sim::diagnostics::{excerpt, message};
use yuremono_sim::rig::{BoneId, ConstraintKind, NodeConstraint, NodeConstraints};

const EXTENSION: &str = "VRMC_node_constraint";
const KINDS: [&str; 3] = ["roll", "aim", "rotation"];
const LEFT_OUT: &str = "the constraint is left out";

/// Reads the constraints of all nodes. Constraints that cannot be evaluated are reported and left out.
pub(super) fn read(nodes: &GltfNodes<'_>) -> NodeConstraints {
    let mut constraints = Vec::new();
    for (node, json) in nodes.json.iter().enumerate() {
        let extension = json.ok_or_warn(json.extension(EXTENSION), LEFT_OUT).flatten();
        constraints.extend(extension.and_then(|json| read_constraint(&json, nodes, nodes.bone_of_node[node])));
    }
    let (sorted, cyclic) = NodeConstraints::sort(constraints, &nodes.skeleton);
    for bone in cyclic {
        let name = excerpt(nodes.skeleton.name(bone));
        let fault = message!("the source of the constraint of \"{name}\" depends on \"{name}\" itself", name);
        let node = nodes.node_of_bone[bone.index()];
        let pointer = format!("/nodes/{node}/extensions/{EXTENSION}");
        nodes.json[node].warn(JsonError { pointer, message: fault }, LEFT_OUT);
    }
    sorted
}

fn read_constraint(json: &JsonObject<'_>, nodes: &GltfNodes<'_>, bone: BoneId) -> Option<NodeConstraint> {
    if json.get("specVersion").and_then(serde_json::Value::as_str) == Some("1.0-draft") {
        let fault = message!("constraints of the draft are not supported; version 1.0 was expected");
        json.warn_at("specVersion", fault, LEFT_OUT);
        return None;
    }
    check_spec_version(json, &["1.0", "1.0-beta"]);
    json.ok_or_warn(read_kind(json, nodes, bone), LEFT_OUT)
}

fn read_kind(json: &JsonObject<'_>, nodes: &GltfNodes<'_>, bone: BoneId) -> Result<NodeConstraint, JsonError> {
    let constraint = json.required("constraint", JsonObject::object)?;
    let mut kinds = KINDS.into_iter().filter(|kind| constraint.get(kind).is_some());
    let (Some(name), None) = (kinds.next(), kinds.next()) else {
        return Err(constraint.error(message!("exactly one of {kinds} was expected", kinds = KINDS.join(", "))));
    };
    let json = constraint.required(name, JsonObject::object)?;
    let kind = match name {
        "roll" => ConstraintKind::Roll(read_axis(&json, "rollAxis", &["X", "Y", "Z"])?),
        "aim" => {
            let signed = ["PositiveX", "PositiveY", "PositiveZ", "NegativeX", "NegativeY", "NegativeZ"];
            ConstraintKind::Aim(read_axis(&json, "aimAxis", &signed)?)
        }
        _ => ConstraintKind::Rotation,
    };
    let source = nodes.bone_of_node[json.required_index("source", nodes.len(), "node")?];
    if source == bone {
        let name = excerpt(nodes.skeleton.name(bone));
        return Err(json.error_at("source", message!("\"{name}\" is its own source", name)));
    }
    Ok(NodeConstraint { bone, source, kind, weight: read_weight(&json)? })
}

/// Reads an axis. `names` has the positive axes X, Y, Z, and then the negative axes if there are any.
fn read_axis(json: &JsonObject<'_>, key: &str, names: &[&str]) -> Result<Vec3, JsonError> {
    const AXES: [Vec3; 6] = [Vec3::X, Vec3::Y, Vec3::Z, Vec3::NEG_X, Vec3::NEG_Y, Vec3::NEG_Z];
    let name = json.required(key, JsonObject::text)?;
    let axis = names.iter().zip(AXES).find(|(known, _)| **known == name).map(|(_, axis)| axis);
    axis.ok_or_else(|| {
        let (name, expected) = (excerpt(name), names.join(", "));
        json.error_at(key, message!("there is no axis \"{name}\"; one of {expected} was expected", name, expected))
    })
}

fn read_weight(json: &JsonObject<'_>) -> Result<f32, JsonError> {
    let weight = json.number("weight")?.unwrap_or(1.0);
    let clamped = weight.clamp(0.0, 1.0);
    if clamped != weight {
        let fault = json.error_at("weight", message!("{weight}; 0 to 1 was expected", weight));
        json.warn_with(fault, message!("{default} is used", default = clamped));
    }
    Ok(clamped)
}
