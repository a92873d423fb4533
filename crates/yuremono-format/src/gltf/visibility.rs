//! Finds the meshes that a file hides from a camera in front of the character.
//!
//! VRM annotates meshes for the view through the eyes of the character. Meshes of type `firstPersonOnly` are for that
//! view only. All other types are visible from outside: `auto` and `thirdPersonOnly` hide parts from the character's own
//! eyes. `KHR_node_visibility` hides a node with all its descendants.

use crate::gltf_json::json::{JsonError, JsonObject};
use crate::gltf_json::nodes::GltfNodes;
use yuremono_sim::diagnostics::{excerpt, message};
use yuremono_sim::rig::Mesh;

/// Sets [`Mesh::is_hidden`]. Invalid entries are reported and hide nothing.
pub(super) fn hide_meshes(root: &JsonObject<'_>, nodes: &GltfNodes<'_>, meshes: &mut [Mesh]) {
    let mut is_hidden = bones_of_invisible_nodes(nodes);
    if let Some(annotations) = first_person(root, "VRMC_vrm") {
        for node in first_person_only(&annotations, "node", nodes.len()) {
            is_hidden[nodes.bone_of_node[node].index()] = true;
        }
    } else if let (Some(annotations), Ok(file_meshes)) = (first_person(root, "VRM"), root.list("meshes")) {
        for mesh in first_person_only(&annotations, "mesh", file_meshes.len()) {
            hide_users(mesh, file_meshes.len(), nodes, &mut is_hidden);
        }
    }
    for mesh in meshes {
        mesh.is_hidden = is_hidden[mesh.bone.index()];
    }
}

/// Returns for each bone whether `KHR_node_visibility` hides the node or an ancestor.
fn bones_of_invisible_nodes(nodes: &GltfNodes<'_>) -> Vec<bool> {
    let mut is_hidden: Vec<bool> = Vec::with_capacity(nodes.len());
    // Parents come before their children.
    for (bone, node) in nodes.node_of_bone.iter().enumerate() {
        let json = &nodes.json[*node];
        let extension = json.ok_or_warn(json.extension("KHR_node_visibility"), "the node is shown").flatten();
        let own = extension.is_some_and(|visibility| {
            let is_given = visibility.get("visible").is_some();
            is_given && visibility.ok_or_warn(visibility.flag("visible"), "the node is shown") == Some(false)
        });
        let parent = nodes.skeleton.bones()[bone].parent;
        is_hidden.push(own || parent.is_some_and(|parent| is_hidden[parent.index()]));
    }
    is_hidden
}

fn first_person<'a>(root: &JsonObject<'a>, extension: &str) -> Option<JsonObject<'a>> {
    let vrm = root.extension(extension).ok().flatten()?;
    vrm.ok_or_warn(vrm.object("firstPerson"), "all meshes are shown").flatten()
}

/// Returns the nodes or meshes that are annotated for the first-person view only.
fn first_person_only(first_person: &JsonObject<'_>, key: &'static str, count: usize) -> Vec<usize> {
    const SHOWN: &str = "the mesh is shown";
    let list = first_person.ok_or_warn(first_person.objects("meshAnnotations"), "all meshes are shown");
    let is_only = |json: &JsonObject<'_>| -> Result<bool, JsonError> {
        // Drafts of VRM 1.0 use the key of VRM 0.x.
        let field = if json.get("type").is_some() { "type" } else { "firstPersonFlag" };
        let flag = json.text(field)?.unwrap_or("auto");
        match flag.to_ascii_lowercase().as_str() {
            "firstpersononly" => Ok(true),
            "thirdpersononly" | "both" | "auto" => Ok(false),
            _ => Err(json.error_at(
                field,
                message!(
                    "there is no first-person type \"{flag}\"; auto, both, thirdPersonOnly or firstPersonOnly was expected",
                    flag = excerpt(flag)
                ),
            )),
        }
    };
    let hidden = |json: Result<JsonObject<'_>, JsonError>| {
        let json = json?;
        Ok(if is_only(&json)? { Some(json.required_index(key, count, key)?) } else { None })
    };
    let entries = list.into_iter().flatten();
    entries.filter_map(|json| first_person.ok_or_warn(hidden(json), SHOWN).flatten()).collect()
}

/// Hides all nodes that show a mesh.
fn hide_users(mesh: usize, count: usize, nodes: &GltfNodes<'_>, is_hidden: &mut [bool]) {
    for (node, json) in nodes.json.iter().enumerate() {
        if json.index("mesh", count, "mesh").ok().flatten() == Some(mesh) {
            is_hidden[nodes.bone_of_node[node].index()] = true;
        }
    }
}
