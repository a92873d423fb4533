//! Writes the character as a binary glTF file.

use super::features::MORPH_TARGETS;
use super::gltf_buffer::{FLOAT, GltfBuffer, UNSIGNED_BYTE, UNSIGNED_SHORT, float_bytes, glb_container, rounded};
use super::naming::NamingScheme;
use super::rig::{ARM_DROP, Rig};
use super::shape::{Mesh, SkinWeights, sin_cos_of_turns};
use super::{SampleCharacter, SurfaceMaterial, material, motion, textures, vrm};
use glam::Vec3;
use serde_json::{Value, json};

/// Meshes and their materials. The mesh of the outlines is added after these.
const MESHES: [(&str, &[SurfaceMaterial]); 4] = [
    ("Face", &[SurfaceMaterial::Face]),
    ("Eyes and mouth", &[SurfaceMaterial::Eyes]),
    ("Hair and fur", &[SurfaceMaterial::Hair, SurfaceMaterial::Fur]),
    (
        "Body and clothes",
        &[
            SurfaceMaterial::Skin,
            SurfaceMaterial::White,
            SurfaceMaterial::Navy,
            SurfaceMaterial::Accent,
            SurfaceMaterial::Shoe,
            SurfaceMaterial::Gold,
        ],
    ),
];
/// Index of the mesh with morph targets.
pub(super) const MORPH_MESH: usize = 1;

/// Returns the bytes of the VRM file.
pub(super) fn write_vrm(girl: &SampleCharacter) -> anyhow::Result<Vec<u8>> {
    let mut buffer = GltfBuffer::default();
    let joints = skin_joints(girl);
    let (meshes, lines) = add_meshes(&mut buffer, girl, &joints);
    let inverse: Vec<u8> = float_bytes(joints.iter().flat_map(|&bone| {
        let p = -girl.rig.bones[usize::from(bone)].position;
        [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, p.x, p.y, p.z, 1.0]
    }));
    let inverse = buffer.add_accessor(&inverse, None, FLOAT, "MAT4", joints.len());
    let images = add_images(&mut buffer)?;
    let count = girl.rig.bones.len();
    let mut nodes = nodes(&girl.rig, NamingScheme::Vroid);
    let all = meshes.into_iter().chain(lines);
    let meshes: Vec<Value> = all.collect();
    for (i, mesh) in meshes.iter().enumerate() {
        nodes.push(json!({ "name": mesh["name"], "mesh": i, "skin": 0 }));
    }
    let roots: Vec<usize> = std::iter::once(0).chain(count..nodes.len()).collect();
    let animations = motion::add_animations(&girl.rig, &mut buffer);
    let morphing = count + MORPH_MESH;
    let document = json!({
        "asset": asset(),
        "extensionsUsed": [
            "VRMC_vrm", "VRMC_springBone", "VRMC_springBone_extended_collider", "VRMC_materials_mtoon",
            "KHR_materials_unlit"
        ],
        "scene": 0,
        "scenes": [{ "name": "Yure", "nodes": roots }],
        "nodes": nodes,
        "meshes": meshes,
        "skins": [{ "name": "Yure", "inverseBindMatrices": inverse, "skeleton": 0, "joints": joints }],
        "materials": material::all_materials(),
        "textures": (0..images.len()).map(|i| json!({ "sampler": 0, "source": i })).collect::<Vec<_>>(),
        "samplers": [{ "magFilter": 9729, "minFilter": 9987, "wrapS": 10497, "wrapT": 33071 }],
        "images": images,
        "animations": animations,
        "accessors": buffer.accessors,
        "bufferViews": buffer.views,
        "buffers": [{ "byteLength": buffer.bytes.len() }],
        "extensions": {
            "VRMC_vrm": vrm::vrm_extension(&girl.rig, "Yure", Some(morphing)),
            "VRMC_springBone": vrm::spring_bone_extension(&girl.rig, NamingScheme::Vroid)
        }
    });
    glb_container(&document, &buffer.bytes)
}

/// Returns a VRM file with the bones, springs and colliders of the sample character, without meshes and with other
/// names.
pub(super) fn write_rig(girl: &SampleCharacter, names: NamingScheme) -> anyhow::Result<Vec<u8>> {
    let document = json!({
        "asset": asset(),
        "extensionsUsed": ["VRMC_vrm", "VRMC_springBone", "VRMC_springBone_extended_collider"],
        "scene": 0,
        "scenes": [{ "name": "Yure", "nodes": [0] }],
        "nodes": nodes(&girl.rig, names),
        "extensions": {
            "VRMC_vrm": vrm::vrm_extension(&girl.rig, "Yure's rig", None),
            "VRMC_springBone": vrm::spring_bone_extension(&girl.rig, names)
        }
    });
    glb_container(&document, &[])
}

fn asset() -> Value {
    json!({
        "version": "2.0",
        "generator": "Yuremono make_sample",
        "copyright": "CC0 1.0: https://creativecommons.org/publicdomain/zero/1.0/"
    })
}

fn add_images(buffer: &mut GltfBuffer) -> anyhow::Result<Vec<Value>> {
    let pictures = [
        ("Face", textures::face_texture()),
        ("Hair", textures::hair_texture()),
        ("Cloth", textures::navy_texture()),
        ("Skin", textures::skin_texture()),
        ("Bow", textures::accent_texture()),
        ("Eyes and mouth", textures::features_texture()),
        ("Fur", textures::fur_texture()),
        ("Gold", textures::gold_texture()),
    ];
    let mut images = Vec::new();
    for (name, picture) in pictures {
        let view = buffer.add_view(&picture.encode_png()?, None);
        images.push(json!({ "name": name, "bufferView": view, "mimeType": "image/png" }));
    }
    Ok(images)
}

/// Returns the bones with skin weights, in ascending order.
fn skin_joints(girl: &SampleCharacter) -> Vec<u16> {
    let mut used = vec![false; girl.rig.bones.len()];
    for vertex in girl.meshes.iter().flat_map(|m| &m.vertices) {
        for (bone, _) in quantized_weights(vertex.weights).iter().filter(|s| s.1 > 0) {
            used[usize::from(*bone)] = true;
        }
    }
    (0..).zip(used).filter(|u| u.1).map(|u| u.0).collect()
}

fn nodes(rig: &Rig, names: NamingScheme) -> Vec<Value> {
    let bones = &rig.bones;
    let (sin, cos) = sin_cos_of_turns(ARM_DROP / 2.0);
    let digits = |x: f32| (f64::from(x) * 1e7).round() / 1e7;
    let node = |(i, bone): (usize, &super::rig::Bone)| {
        let base = bone.parent.map_or(Vec3::ZERO, |p| bones[usize::from(p)].position);
        let mut node =
            json!({ "name": names.bone_name(bone), "translation": (bone.position - base).to_array().map(rounded) });
        let lift = match bone.role {
            Some("leftUpperArm") => Some(1.0),
            Some("rightUpperArm") => Some(-1.0),
            _ => None,
        };
        if let Some(side) = lift {
            node["rotation"] = json!([0.0, 0.0, digits(side * sin), digits(cos)]);
        }
        let children: Vec<usize> = (0..bones.len()).filter(|&c| bones[c].parent == Some(i as u16)).collect();
        if !children.is_empty() {
            node["children"] = json!(children);
        }
        node
    };
    bones.iter().enumerate().map(node).collect()
}

/// Adds the meshes, and one more mesh with the outlines of all meshes: the same vertices moved outward, with reversed
/// faces.
fn add_meshes(buffer: &mut GltfBuffer, girl: &SampleCharacter, joints: &[u16]) -> (Vec<Value>, Option<Value>) {
    let mut outline = Vec::new();
    let mut made = Vec::new();
    for (name, materials) in MESHES {
        let mut primitives = Vec::new();
        for &material in materials {
            let mesh = &girl.meshes[material as usize];
            let primitive = add_primitive(buffer, mesh, joints, material as usize);
            if let Some((line, width)) = material::outline_of(material) {
                outline.push(add_outline(buffer, mesh, &primitive, width, SurfaceMaterial::ALL.len() + line));
            }
            primitives.push(primitive);
        }
        let mut mesh = json!({ "name": name, "primitives": primitives });
        if materials == [SurfaceMaterial::Eyes] {
            mesh["weights"] = json!(MORPH_TARGETS.map(|_| 0.0));
            mesh["extras"] = json!({ "targetNames": MORPH_TARGETS });
            mesh["primitives"][0]["targets"] = add_morph_targets(buffer, &girl.meshes[SurfaceMaterial::Eyes as usize]);
        }
        made.push(mesh);
    }
    (made, Some(json!({ "name": "Lines", "primitives": outline })))
}

fn add_morph_targets(buffer: &mut GltfBuffer, mesh: &Mesh) -> Value {
    let count = mesh.vertices.len();
    let target = |moved: &Vec<(usize, Vec3)>| {
        let moved: Vec<(usize, [f32; 3])> = moved.iter().map(|(i, way)| (*i, way.to_array())).collect();
        json!({ "POSITION": buffer.add_sparse_accessor(count, &moved) })
    };
    mesh.morphs.iter().map(target).collect()
}

const ARRAY_BUFFER: Option<u32> = Some(34962);
const ELEMENT_ARRAY_BUFFER: Option<u32> = Some(34963);

fn add_positions(buffer: &mut GltfBuffer, places: &[Vec3]) -> usize {
    let low = places.iter().copied().reduce(Vec3::min).unwrap_or_default();
    let high = places.iter().copied().reduce(Vec3::max).unwrap_or_default();
    let bytes = float_bytes(places.iter().flat_map(Vec3::to_array));
    let accessor = buffer.add_accessor(&bytes, ARRAY_BUFFER, FLOAT, "VEC3", places.len());
    buffer.accessors[accessor]["min"] = json!(low.to_array().map(rounded));
    buffer.accessors[accessor]["max"] = json!(high.to_array().map(rounded));
    accessor
}

fn add_indices(buffer: &mut GltfBuffer, indices: impl Iterator<Item = u32>, count: usize) -> usize {
    let bytes: Vec<u8> = indices.flat_map(|i| (i as u16).to_le_bytes()).collect();
    buffer.add_accessor(&bytes, ELEMENT_ARRAY_BUFFER, UNSIGNED_SHORT, "SCALAR", count)
}

fn add_primitive(buffer: &mut GltfBuffer, mesh: &Mesh, joints: &[u16], material: usize) -> Value {
    let count = mesh.vertices.len();
    let places: Vec<Vec3> = mesh.vertices.iter().map(|v| v.position).collect();
    let position = add_positions(buffer, &places);
    let normal = float_bytes(mesh.normals.iter().flat_map(Vec3::to_array));
    let normal = buffer.add_accessor(&normal, ARRAY_BUFFER, FLOAT, "VEC3", count);
    let skins: Vec<[(u16, u8); 4]> = mesh.vertices.iter().map(|v| quantized_weights(v.weights)).collect();
    let slot = |(bone, share): (u16, u8)| {
        let found = joints.iter().position(|j| *j == bone).filter(|_| share > 0);
        found.unwrap_or(0) as u8
    };
    let slots: Vec<u8> = skins.iter().flatten().map(|s| slot(*s)).collect();
    let weights: Vec<u8> = skins.iter().flatten().map(|s| s.1).collect();
    let slots = buffer.add_accessor(&slots, ARRAY_BUFFER, UNSIGNED_BYTE, "VEC4", count);
    let weights = buffer.add_accessor(&weights, ARRAY_BUFFER, UNSIGNED_BYTE, "VEC4", count);
    buffer.accessors[weights]["normalized"] = json!(true);
    let mut attributes = json!({ "POSITION": position, "NORMAL": normal, "JOINTS_0": slots, "WEIGHTS_0": weights });
    if ![SurfaceMaterial::White as usize, SurfaceMaterial::Shoe as usize].contains(&material) {
        let uv = float_bytes(mesh.vertices.iter().flat_map(|v| v.uv.to_array()));
        attributes["TEXCOORD_0"] = json!(buffer.add_accessor(&uv, ARRAY_BUFFER, FLOAT, "VEC2", count));
    }
    let indices = add_indices(buffer, mesh.indices.iter().copied(), mesh.indices.len());
    json!({ "attributes": attributes, "indices": indices, "material": material })
}

/// Adds the outline of a primitive. The outline shares the primitive's joints and weights, and reverses its triangles.
fn add_outline(buffer: &mut GltfBuffer, mesh: &Mesh, of: &Value, width: f32, material: usize) -> Value {
    let places: Vec<Vec3> = mesh.vertices.iter().zip(&mesh.normals).map(|(v, n)| v.position + *n * width).collect();
    let position = add_positions(buffer, &places);
    let turned = mesh.indices.chunks_exact(3).flat_map(|t| [t[0], t[2], t[1]]);
    let indices = add_indices(buffer, turned, mesh.indices.len());
    let (joints, weights) = (&of["attributes"]["JOINTS_0"], &of["attributes"]["WEIGHTS_0"]);
    json!({
        "attributes": { "POSITION": position, "JOINTS_0": joints, "WEIGHTS_0": weights },
        "indices": indices,
        "material": material
    })
}

/// Rounds the weights to multiples of 1/255 with sum 255, largest first. Each bone appears once.
fn quantized_weights(skin: SkinWeights) -> [(u16, u8); 4] {
    let mut merged: Vec<(u16, f32)> = Vec::with_capacity(4);
    for (bone, share) in skin.into_iter().filter(|s| s.1 > 0.002) {
        match merged.iter_mut().find(|m| m.0 == bone) {
            Some(found) => found.1 += share,
            None => merged.push((bone, share)),
        }
    }
    merged.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut out = [(0, 0); 4];
    let mut left = 255;
    for (slot, (bone, share)) in out.iter_mut().zip(&merged) {
        let part = ((share * 255.0).round() as u8).min(left);
        *slot = if part == 0 { (0, 0) } else { (*bone, part) };
        left -= part;
    }
    out[0].1 += left;
    out
}
