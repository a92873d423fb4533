//! `meshes`, once for every node that shows one. A broken primitive is left out with a warning.

use super::super::gltf_json::json::{Fault, Json, Notes};
use super::super::gltf_json::nodes::Nodes;
use super::Progress;
use super::accessor::Accessors;
use super::primitive;
use super::skins;
use crate::rig::{Mesh, Primitive, Skin};
use std::collections::BTreeMap;

/// How many meshes that nobody shows are looked at.
const MOST_UNUSED: usize = 16;

/// What a mesh of the file holds, before it is hung on a bone.
struct Shape {
    name: Option<String>,
    primitives: Vec<Primitive>,
    weights: Vec<f32>,
    /// Nodes that still want it.
    users: usize,
}

/// One mesh per shown node; `None` when cancelled.
pub(crate) fn read(
    root: &Json<'_>,
    nodes: &Nodes<'_>,
    skins: &[Skin],
    accessors: &Accessors<'_>,
    notes: &Notes<'_>,
    progress: &Progress<'_>,
) -> Result<Option<Vec<Mesh>>, Fault> {
    let meshes = root.objects("meshes")?.collect::<Result<Vec<_>, _>>()?;
    let wishes = wishes(nodes, meshes.len(), skins.len(), notes)?;
    let mut users = vec![0; meshes.len()];
    for wish in &wishes {
        users[wish.mesh] += 1;
    }

    for (mesh, _) in meshes.iter().zip(&users).filter(|(_, users)| **users == 0).take(MOST_UNUSED) {
        // Read for its messages only: whoever made the file may wonder where it is.
        drop(read_shape(mesh, 0, accessors, notes));
        notes.info(mesh.pointer.clone(), "no node shows this mesh");
    }
    let mut shapes: BTreeMap<usize, Shape> = BTreeMap::new();
    let mut out = Vec::with_capacity(wishes.len());
    for (done, wish) in wishes.iter().enumerate() {
        if !progress.report_meshes(done as f32 / wishes.len() as f32) {
            return Ok(None);
        }
        if let std::collections::btree_map::Entry::Vacant(entry) = shapes.entry(wish.mesh) {
            entry.insert(read_shape(&meshes[wish.mesh], users[wish.mesh], accessors, notes));
        }
        let Some((name, primitives, weights)) = take(&mut shapes, wish.mesh, accessors, &meshes, notes) else {
            continue;
        };
        let bone = nodes.bones[wish.node];
        let mut mesh = Mesh {
            name: name.unwrap_or_else(|| nodes.skeleton.name(bone).to_owned()),
            bone,
            skin: wish.skin,
            primitives,
            morph_weights: weights,
        };
        fit_skin(&mut mesh, &nodes.json[wish.node], skins, notes);
        override_weights(&mut mesh, &nodes.json[wish.node], notes);
        out.push(mesh);
    }
    Ok(Some(out))
}

struct Wish {
    node: usize,
    mesh: usize,
    skin: Option<usize>,
}

/// Nodes with meshes, in node order; indices are checked on all nodes, shown or not.
fn wishes(nodes: &Nodes<'_>, meshes: usize, skins: usize, notes: &Notes<'_>) -> Result<Vec<Wish>, Fault> {
    let mut wishes = Vec::new();
    let mut hidden = 0;
    for (node, json) in nodes.json.iter().enumerate() {
        let mesh = json.index("mesh", meshes, "mesh")?;
        let skin = json.index("skin", skins, "skin")?;
        match mesh {
            Some(mesh) if nodes.shown[node] => wishes.push(Wish { node, mesh, skin }),
            Some(_) => hidden += 1,
            None if skin.is_some() => notes.warn(json.fault("skin", "a skin without a mesh"), "it is passed over"),
            None => {}
        }
    }
    if hidden > 0 {
        notes.info("/scenes", format!("{hidden} nodes with meshes are outside the scene and not shown"));
    }
    Ok(wishes)
}

fn read_shape(mesh: &Json<'_>, users: usize, accessors: &Accessors<'_>, notes: &Notes<'_>) -> Shape {
    let mut primitives = Vec::new();
    if let Some(list) = notes.keep(mesh.objects("primitives"), "the mesh is empty") {
        for json in list {
            let read = json.and_then(|json| primitive::read(&json, accessors, notes));
            primitives.extend(notes.keep(read, "this part of the mesh is left out").flatten());
        }
    }
    let targets = primitives.iter().map(|p: &Primitive| p.morphs.len()).max().unwrap_or(0);
    if primitives.iter().any(|p| p.morphs.len() != targets) {
        notes.warn(mesh.fault("primitives", "its parts have different numbers of morphs"), "missing ones move nothing");
    }
    let mut weights = notes.or(numbers(mesh).map(Some), Vec::new());
    if !weights.is_empty() && weights.len() != targets {
        let message = format!("{} weights for {targets} morphs", weights.len());
        notes.warn(mesh.fault("weights", message), "missing ones are 0");
    }
    weights.resize(targets, 0.0);
    let name = notes.keep(mesh.name("name"), "it is named after its bone").flatten().map(str::to_owned);
    Shape { name, primitives, weights, users }
}

fn numbers(json: &Json<'_>) -> Result<Vec<f32>, Fault> {
    let number = |value| {
        super::super::gltf_json::json::finite(value).ok_or_else(|| json.fault("weights", "numbers were expected"))
    };
    json.list("weights")?.iter().map(number).collect()
}

type Parts = (Option<String>, Vec<Primitive>, Vec<f32>);

/// The shape itself for its last user, a copy for the others; copies are charged to the budget.
fn take(
    shapes: &mut BTreeMap<usize, Shape>,
    mesh: usize,
    accessors: &Accessors<'_>,
    meshes: &[Json<'_>],
    notes: &Notes<'_>,
) -> Option<Parts> {
    let shape = shapes.get_mut(&mesh)?;
    shape.users = shape.users.saturating_sub(1);
    if shape.users == 0 {
        return shapes.remove(&mesh).map(|shape| (shape.name, shape.primitives, shape.weights));
    }
    let bytes = shape.primitives.iter().map(primitive::bytes).sum::<u64>() + 4 * shape.weights.len() as u64;
    let charged = accessors.budget().charge(1, bytes).map_err(|why| meshes[mesh].broken(why));
    notes.keep(charged, "one of its copies is left out")?;
    Some((shape.name.clone(), shape.primitives.clone(), shape.weights.clone()))
}

/// Joints must be joints of the skin; a mesh without skin needs none.
fn fit_skin(mesh: &mut Mesh, node: &Json<'_>, skins: &[Skin], notes: &Notes<'_>) {
    let Some(skin) = mesh.skin else {
        for primitive in &mut mesh.primitives {
            primitive.joints.clear();
            primitive.weights.clear();
        }
        return;
    };
    if mesh.primitives.iter().all(|primitive| primitive.joints.is_empty()) {
        notes.warn(node.fault("skin", "the mesh has no weights to follow a skin"), "it hangs on its bone");
        mesh.skin = None;
        return;
    }
    let count = skins[skin].joints.len();
    let lost: usize = mesh.primitives.iter_mut().map(|p| skins::fit(&mut p.joints, &mut p.weights, count)).sum();
    if lost > 0 {
        let message = format!("{lost} vertices of mesh \"{}\" follow joints that skin {skin} does not have", mesh.name);
        notes.warn(node.fault("skin", message), "those weights are left out");
    }
}

fn override_weights(mesh: &mut Mesh, node: &Json<'_>, notes: &Notes<'_>) {
    let own = notes.or(numbers(node).map(Some), Vec::new());
    for (weight, own) in mesh.morph_weights.iter_mut().zip(own) {
        *weight = own;
    }
}
