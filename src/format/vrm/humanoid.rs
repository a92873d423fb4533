//! Which bone plays which role, by VRM 1.0's names.

use crate::format::gltf_json::json::{GltfDiagnostics, JsonError, JsonObject};
use crate::format::gltf_json::nodes::GltfNodes;
use crate::rig::Humanoid;

const LEFT_OUT: &str = "the role is left out";

/// `humanoid.humanBones` of VRM 1.0: an object by role.
pub(super) fn read_v1(vrm: &JsonObject<'_>, nodes: &GltfNodes<'_>, notes: &GltfDiagnostics<'_>) -> Humanoid {
    let mut humanoid = Humanoid::default();
    let bones = vrm.object("humanoid").and_then(|h| h.map_or(Ok(None), |h| h.object("humanBones")));
    let Some(bones) = notes.ok_or_warn(bones, "there is no humanoid").flatten() else { return humanoid };
    for role in bones.keys() {
        let node = bones.object(role).and_then(|bone| {
            let bone = bone.ok_or_else(|| bones.error_at(role, "no bone is named"))?;
            bone.required_index("node", nodes.len(), "node")
        });
        if let Some(node) = notes.ok_or_warn(node, LEFT_OUT) {
            set_role(&mut humanoid, role, node, nodes, || bones.error_at(role, ""), notes);
        }
    }
    humanoid
}

/// `humanoid.humanBones` of VRM 0.x: a list of pairs.
pub(super) fn read_v0(vrm: &JsonObject<'_>, nodes: &GltfNodes<'_>, notes: &GltfDiagnostics<'_>) -> Humanoid {
    let mut humanoid = Humanoid::default();
    let human = notes.ok_or_warn(vrm.object("humanoid"), "there is no humanoid").flatten();
    let Some(human) = human else { return humanoid };
    let Some(bones) = notes.ok_or_warn(human.objects("humanBones"), "there is no humanoid") else { return humanoid };
    for bone in bones {
        let pair = bone.and_then(|bone| {
            // Unity writes -1 for a role that nobody plays.
            if bone.get("node").and_then(serde_json::Value::as_i64) == Some(-1) {
                return Ok(None);
            }
            let role = bone.text("bone")?.ok_or_else(|| bone.missing_error("bone"))?;
            let node = bone.required_index("node", nodes.len(), "node")?;
            Ok(Some((role, node, bone)))
        });
        if let Some((role, node, bone)) = notes.ok_or_warn(pair, LEFT_OUT).flatten() {
            set_role(&mut humanoid, vrm1_role(role), node, nodes, || bone.error_at("bone", ""), notes);
        }
    }
    humanoid
}

fn set_role(
    humanoid: &mut Humanoid,
    role: &str,
    node: usize,
    nodes: &GltfNodes<'_>,
    place: impl Fn() -> JsonError,
    notes: &GltfDiagnostics<'_>,
) {
    let warn = |message: String| notes.warn(JsonError { message, ..place() }, LEFT_OUT);
    let shown = crate::diagnostics::excerpt(role);
    if humanoid.bone(role).is_some() {
        warn(format!("the role \"{shown}\" is given twice"));
    } else if !humanoid.set(role, nodes.bone_of_node[node]) {
        warn(format!("there is no role \"{shown}\""));
    }
}

/// VRM 0.x counts the thumb one bone further out.
fn vrm1_role(role: &str) -> &str {
    match role {
        "leftThumbProximal" => "leftThumbMetacarpal",
        "leftThumbIntermediate" => "leftThumbProximal",
        "rightThumbProximal" => "rightThumbMetacarpal",
        "rightThumbIntermediate" => "rightThumbProximal",
        other => other,
    }
}
