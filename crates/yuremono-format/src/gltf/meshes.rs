//! Reads `meshes`, with one copy for every node that shows a mesh. Invalid primitives are skipped with a warning.

use super::LoadProgress;
use super::accessor::Accessors;
use super::primitive;
use super::skins;
use crate::gltf_json::json::{JsonError, JsonObject, finite_f32};
use crate::gltf_json::nodes::GltfNodes;
use std::collections::BTreeMap;
use yuremono_sim::diagnostics::message;
use yuremono_sim::rig::{Mesh, Primitive, Skin};

const MAX_UNUSED_MESHES: usize = 16;

/// The content of a mesh in the file, without a bone.
#[derive(Clone)]
struct MeshData {
    name: Option<String>,
    primitives: Vec<Primitive>,
    morph_weights: Vec<f32>,
    /// Number of nodes that show this mesh and do not have a copy yet.
    remaining_instances: usize,
}

/// Returns one mesh per node that shows a mesh, or `None` if reading is cancelled.
pub(crate) fn read(
    root: &JsonObject<'_>,
    nodes: &GltfNodes<'_>,
    skins: &[Skin],
    accessors: &Accessors<'_>,
    progress: &LoadProgress<'_>,
) -> Result<Option<Vec<Mesh>>, JsonError> {
    let meshes = root.objects("meshes")?.collect::<Result<Vec<_>, _>>()?;
    let instances = mesh_instances(root, nodes, meshes.len(), skins.len())?;
    let mut users = vec![0; meshes.len()];
    for instance in &instances {
        users[instance.mesh] += 1;
    }

    for (mesh, _) in meshes.iter().zip(&users).filter(|(_, users)| **users == 0).take(MAX_UNUSED_MESHES) {
        // Unused meshes are read only for their diagnostics.
        drop(read_mesh_data(mesh, 0, accessors));
        mesh.info(mesh.pointer.clone(), message!("no node shows this mesh"));
    }
    let mut shapes: BTreeMap<usize, MeshData> = BTreeMap::new();
    let mut out = Vec::with_capacity(instances.len());
    for (done, instance) in instances.iter().enumerate() {
        if !progress.report_meshes(done as f32 / instances.len() as f32) {
            return Ok(None);
        }
        if let std::collections::btree_map::Entry::Vacant(entry) = shapes.entry(instance.mesh) {
            entry.insert(read_mesh_data(&meshes[instance.mesh], users[instance.mesh], accessors));
        }
        let data = take_mesh_data(&mut shapes, instance.mesh, accessors, &meshes);
        let Some(MeshData { name, primitives, morph_weights, .. }) = data else { continue };
        let bone = nodes.bone_of_node[instance.node];
        let mut mesh = Mesh {
            name: name.unwrap_or_else(|| nodes.skeleton.name(bone).to_owned()),
            bone,
            skin: instance.skin,
            primitives,
            morph_weights,
            is_hidden: false,
        };
        remove_invalid_skinning(&mut mesh, &nodes.json[instance.node], skins);
        override_morph_weights(&mut mesh, &nodes.json[instance.node]);
        out.push(mesh);
    }
    Ok(Some(out))
}

struct MeshInstance {
    node: usize,
    mesh: usize,
    skin: Option<usize>,
}

/// Returns the nodes with meshes, in node order. The indices of all nodes are checked, including hidden nodes.
fn mesh_instances(
    root: &JsonObject<'_>,
    nodes: &GltfNodes<'_>,
    meshes: usize,
    skins: usize,
) -> Result<Vec<MeshInstance>, JsonError> {
    let mut instances = Vec::new();
    let mut hidden = 0;
    for (node, json) in nodes.json.iter().enumerate() {
        let mesh = json.index("mesh", meshes, "mesh")?;
        let skin = json.index("skin", skins, "skin")?;
        match mesh {
            Some(mesh) if nodes.is_in_scene[node] => instances.push(MeshInstance { node, mesh, skin }),
            Some(_) => hidden += 1,
            None if skin.is_some() => {
                json.warn_at("skin", message!("a skin without a mesh"), "it is ignored");
            }
            None => {}
        }
    }
    if hidden > 0 {
        root.info("/scenes", message!("{hidden} nodes with meshes are outside the scene and not shown", hidden));
    }
    Ok(instances)
}

fn read_mesh_data(mesh: &JsonObject<'_>, users: usize, accessors: &Accessors<'_>) -> MeshData {
    let mut primitives = Vec::new();
    for json in mesh.ok_or_warn(mesh.objects("primitives"), "the mesh is empty").into_iter().flatten() {
        let read = json.and_then(|json| primitive::read(&json, accessors));
        primitives.extend(mesh.ok_or_warn(read, "this part of the mesh is left out").flatten());
    }
    let targets = primitives.iter().map(|p: &Primitive| p.morphs.len()).max().unwrap_or(0);
    if primitives.iter().any(|p| p.morphs.len() != targets) {
        let message = message!("its parts have different numbers of morphs");
        mesh.warn_at("primitives", message, "missing ones move nothing");
    }
    let mut weights = mesh.value_or(read_weights(mesh).map(Some), Vec::new());
    if !weights.is_empty() && weights.len() != targets {
        let message = message!("{count} weights for {targets} morphs", count = weights.len(), targets);
        mesh.warn_at("weights", message, "missing ones are 0");
    }
    weights.resize(targets, 0.0);
    let name = mesh.ok_or_warn(mesh.name("name"), "it is named after its bone").flatten().map(str::to_owned);
    MeshData { name, primitives, morph_weights: weights, remaining_instances: users }
}

fn read_weights(json: &JsonObject<'_>) -> Result<Vec<f32>, JsonError> {
    let number = |value| finite_f32(value).ok_or_else(|| json.error_at("weights", message!("numbers were expected")));
    json.list("weights")?.iter().map(number).collect()
}

/// Returns a copy of the mesh data, or the data itself for its last user. Copies are charged to the budget.
fn take_mesh_data(
    shapes: &mut BTreeMap<usize, MeshData>,
    mesh: usize,
    accessors: &Accessors<'_>,
    meshes: &[JsonObject<'_>],
) -> Option<MeshData> {
    let shape = shapes.get_mut(&mesh)?;
    shape.remaining_instances = shape.remaining_instances.saturating_sub(1);
    if shape.remaining_instances == 0 {
        return shapes.remove(&mesh);
    }
    let bytes =
        shape.primitives.iter().map(primitive::memory_bytes).sum::<u64>() + 4 * shape.morph_weights.len() as u64;
    let charged = accessors.budget().charge(1, bytes).map_err(|why| meshes[mesh].error(why));
    meshes[mesh].ok_or_warn(charged, "one of its copies is left out")?;
    Some(shape.clone())
}

/// Removes joints that the skin does not contain. Without a skin, removes all joints and weights.
fn remove_invalid_skinning(mesh: &mut Mesh, node: &JsonObject<'_>, skins: &[Skin]) {
    let Some(skin) = mesh.skin else {
        for primitive in &mut mesh.primitives {
            primitive.joints.clear();
            primitive.weights.clear();
        }
        return;
    };
    if mesh.primitives.iter().all(|primitive| primitive.joints.is_empty()) {
        node.warn_at("skin", message!("the mesh has no weights to follow a skin"), "it follows its bone");
        mesh.skin = None;
        return;
    }
    let count = skins[skin].joints.len();
    let lost: usize = mesh
        .primitives
        .iter_mut()
        .map(|p| skins::clear_invalid_skin_joints(&mut p.joints, &mut p.weights, count))
        .sum();
    if lost > 0 {
        let message = message!(
            "{lost} vertices of mesh \"{name}\" follow joints that skin {skin} does not have",
            lost,
            name = &mesh.name,
            skin
        );
        node.warn_at("skin", message, "those weights are left out");
    }
}

fn override_morph_weights(mesh: &mut Mesh, node: &JsonObject<'_>) {
    let own = node.value_or(read_weights(node).map(Some), Vec::new());
    for (weight, own) in mesh.morph_weights.iter_mut().zip(own) {
        *weight = own;
    }
}
