//! `meshes`, once for every node that shows one. A broken primitive is left out with a warning.

use super::super::gltf_json::json::{GltfDiagnostics, JsonError, JsonObject};
use super::super::gltf_json::nodes::GltfNodes;
use super::LoadProgress;
use super::accessor::Accessors;
use super::primitive;
use super::skins;
use crate::rig::{Mesh, Primitive, Skin};
use std::collections::BTreeMap;

/// How many meshes that nobody shows are looked at.
const MAX_UNUSED_MESHES: usize = 16;

/// What a mesh of the file holds, before it is hung on a bone.
struct MeshData {
    name: Option<String>,
    primitives: Vec<Primitive>,
    weights: Vec<f32>,
    /// Nodes that still want it.
    remaining_instances: usize,
}

/// One mesh per shown node; `None` when cancelled.
pub(crate) fn read(
    root: &JsonObject<'_>,
    nodes: &GltfNodes<'_>,
    skins: &[Skin],
    accessors: &Accessors<'_>,
    notes: &GltfDiagnostics<'_>,
    progress: &LoadProgress<'_>,
) -> Result<Option<Vec<Mesh>>, JsonError> {
    let meshes = root.objects("meshes")?.collect::<Result<Vec<_>, _>>()?;
    let wishes = mesh_instances(nodes, meshes.len(), skins.len(), notes)?;
    let mut users = vec![0; meshes.len()];
    for wish in &wishes {
        users[wish.mesh] += 1;
    }

    for (mesh, _) in meshes.iter().zip(&users).filter(|(_, users)| **users == 0).take(MAX_UNUSED_MESHES) {
        // Read for its messages only: whoever made the file may wonder where it is.
        drop(read_mesh_data(mesh, 0, accessors, notes));
        notes.info(mesh.pointer.clone(), "no node shows this mesh");
    }
    let mut shapes: BTreeMap<usize, MeshData> = BTreeMap::new();
    let mut out = Vec::with_capacity(wishes.len());
    for (done, wish) in wishes.iter().enumerate() {
        if !progress.report_meshes(done as f32 / wishes.len() as f32) {
            return Ok(None);
        }
        if let std::collections::btree_map::Entry::Vacant(entry) = shapes.entry(wish.mesh) {
            entry.insert(read_mesh_data(&meshes[wish.mesh], users[wish.mesh], accessors, notes));
        }
        let Some((name, primitives, weights)) = take_mesh_data(&mut shapes, wish.mesh, accessors, &meshes, notes)
        else {
            continue;
        };
        let bone = nodes.bone_of_node[wish.node];
        let mut mesh = Mesh {
            name: name.unwrap_or_else(|| nodes.skeleton.name(bone).to_owned()),
            bone,
            skin: wish.skin,
            primitives,
            morph_weights: weights,
        };
        remove_invalid_skinning(&mut mesh, &nodes.json[wish.node], skins, notes);
        override_morph_weights(&mut mesh, &nodes.json[wish.node], notes);
        out.push(mesh);
    }
    Ok(Some(out))
}

struct MeshInstance {
    node: usize,
    mesh: usize,
    skin: Option<usize>,
}

/// Nodes with meshes, in node order; indices are checked on all nodes, shown or not.
fn mesh_instances(
    nodes: &GltfNodes<'_>,
    meshes: usize,
    skins: usize,
    notes: &GltfDiagnostics<'_>,
) -> Result<Vec<MeshInstance>, JsonError> {
    let mut wishes = Vec::new();
    let mut hidden = 0;
    for (node, json) in nodes.json.iter().enumerate() {
        let mesh = json.index("mesh", meshes, "mesh")?;
        let skin = json.index("skin", skins, "skin")?;
        match mesh {
            Some(mesh) if nodes.is_in_scene[node] => wishes.push(MeshInstance { node, mesh, skin }),
            Some(_) => hidden += 1,
            None if skin.is_some() => notes.warn(json.error_at("skin", "a skin without a mesh"), "it is passed over"),
            None => {}
        }
    }
    if hidden > 0 {
        notes.info("/scenes", format!("{hidden} nodes with meshes are outside the scene and not shown"));
    }
    Ok(wishes)
}

fn read_mesh_data(
    mesh: &JsonObject<'_>,
    users: usize,
    accessors: &Accessors<'_>,
    notes: &GltfDiagnostics<'_>,
) -> MeshData {
    let mut primitives = Vec::new();
    if let Some(list) = notes.ok_or_warn(mesh.objects("primitives"), "the mesh is empty") {
        for json in list {
            let read = json.and_then(|json| primitive::read(&json, accessors, notes));
            primitives.extend(notes.ok_or_warn(read, "this part of the mesh is left out").flatten());
        }
    }
    let targets = primitives.iter().map(|p: &Primitive| p.morphs.len()).max().unwrap_or(0);
    if primitives.iter().any(|p| p.morphs.len() != targets) {
        notes.warn(
            mesh.error_at("primitives", "its parts have different numbers of morphs"),
            "missing ones move nothing",
        );
    }
    let mut weights = notes.value_or_default(read_weights(mesh).map(Some), Vec::new());
    if !weights.is_empty() && weights.len() != targets {
        let message = format!("{} weights for {targets} morphs", weights.len());
        notes.warn(mesh.error_at("weights", message), "missing ones are 0");
    }
    weights.resize(targets, 0.0);
    let name = notes.ok_or_warn(mesh.name("name"), "it is named after its bone").flatten().map(str::to_owned);
    MeshData { name, primitives, weights, remaining_instances: users }
}

fn read_weights(json: &JsonObject<'_>) -> Result<Vec<f32>, JsonError> {
    let number = |value| {
        super::super::gltf_json::json::finite_f32(value)
            .ok_or_else(|| json.error_at("weights", "numbers were expected"))
    };
    json.list("weights")?.iter().map(number).collect()
}

type MeshParts = (Option<String>, Vec<Primitive>, Vec<f32>);

/// The shape itself for its last user, a copy for the others; copies are charged to the budget.
fn take_mesh_data(
    shapes: &mut BTreeMap<usize, MeshData>,
    mesh: usize,
    accessors: &Accessors<'_>,
    meshes: &[JsonObject<'_>],
    notes: &GltfDiagnostics<'_>,
) -> Option<MeshParts> {
    let shape = shapes.get_mut(&mesh)?;
    shape.remaining_instances = shape.remaining_instances.saturating_sub(1);
    if shape.remaining_instances == 0 {
        return shapes.remove(&mesh).map(|shape| (shape.name, shape.primitives, shape.weights));
    }
    let bytes = shape.primitives.iter().map(primitive::memory_bytes).sum::<u64>() + 4 * shape.weights.len() as u64;
    let charged = accessors.budget().charge(1, bytes).map_err(|why| meshes[mesh].error(why));
    notes.ok_or_warn(charged, "one of its copies is left out")?;
    Some((shape.name.clone(), shape.primitives.clone(), shape.weights.clone()))
}

/// Joints must be joints of the skin; a mesh without skin needs none.
fn remove_invalid_skinning(mesh: &mut Mesh, node: &JsonObject<'_>, skins: &[Skin], notes: &GltfDiagnostics<'_>) {
    let Some(skin) = mesh.skin else {
        for primitive in &mut mesh.primitives {
            primitive.joints.clear();
            primitive.weights.clear();
        }
        return;
    };
    if mesh.primitives.iter().all(|primitive| primitive.joints.is_empty()) {
        notes.warn(node.error_at("skin", "the mesh has no weights to follow a skin"), "it hangs on its bone");
        mesh.skin = None;
        return;
    }
    let count = skins[skin].joints.len();
    let lost: usize =
        mesh.primitives.iter_mut().map(|p| skins::remove_invalid_joints(&mut p.joints, &mut p.weights, count)).sum();
    if lost > 0 {
        let message = format!("{lost} vertices of mesh \"{}\" follow joints that skin {skin} does not have", mesh.name);
        notes.warn(node.error_at("skin", message), "those weights are left out");
    }
}

fn override_morph_weights(mesh: &mut Mesh, node: &JsonObject<'_>, notes: &GltfDiagnostics<'_>) {
    let own = notes.value_or_default(read_weights(node).map(Some), Vec::new());
    for (weight, own) in mesh.morph_weights.iter_mut().zip(own) {
        *weight = own;
    }
}
