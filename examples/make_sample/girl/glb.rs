//! Packs the character into one binary glTF file.

use super::buffer::{BYTE, Buffer, FLOAT, SHORT, container, floats, number};
use super::features::TARGETS;
use super::names::Names;
use super::rig::{ARM_DROP, Rig};
use super::shape::{Mesh, Skin, turn};
use super::{Cloth, Girl, face, material, motion, vrm};
use glam::Vec3;
use serde_json::{Value, json};

/// The file's meshes and what they are made of; the lines come last.
const MESHES: [(&str, &[Cloth]); 4] = [
    ("Face", &[Cloth::Face]),
    ("Eyes and mouth", &[Cloth::Eyes]),
    ("Hair and fur", &[Cloth::Hair, Cloth::Fur]),
    ("Body and clothes", &[Cloth::Skin, Cloth::White, Cloth::Navy, Cloth::Accent, Cloth::Shoe, Cloth::Gold]),
];
/// The mesh with morph targets.
pub(super) const MORPHING: usize = 1;

/// The whole file.
pub(super) fn write(girl: &Girl) -> anyhow::Result<Vec<u8>> {
    let mut buffer = Buffer::default();
    let joints = skin_joints(girl);
    let (meshes, lines) = meshes(&mut buffer, girl, &joints);
    let inverse: Vec<u8> = floats(joints.iter().flat_map(|&bone| {
        let p = -girl.rig.bones[usize::from(bone)].at;
        [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, p.x, p.y, p.z, 1.0]
    }));
    let inverse = buffer.accessor(&inverse, None, FLOAT, "MAT4", joints.len());
    let images = images(&mut buffer)?;
    let count = girl.rig.bones.len();
    let mut nodes = nodes(&girl.rig, Names::Vroid);
    let all = meshes.into_iter().chain(lines);
    let meshes: Vec<Value> = all.collect();
    for (i, mesh) in meshes.iter().enumerate() {
        nodes.push(json!({ "name": mesh["name"], "mesh": i, "skin": 0 }));
    }
    let roots: Vec<usize> = std::iter::once(0).chain(count..nodes.len()).collect();
    let animations = motion::animations(&girl.rig, &mut buffer);
    let morphing = count + MORPHING;
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
        "materials": material::all(),
        "textures": (0..images.len()).map(|i| json!({ "sampler": 0, "source": i })).collect::<Vec<_>>(),
        "samplers": [{ "magFilter": 9729, "minFilter": 9987, "wrapS": 10497, "wrapT": 33071 }],
        "images": images,
        "animations": animations,
        "accessors": buffer.accessors,
        "bufferViews": buffer.views,
        "buffers": [{ "byteLength": buffer.bytes.len() }],
        "extensions": {
            "VRMC_vrm": vrm::character(&girl.rig, "Yure", Some(morphing)),
            "VRMC_springBone": vrm::springs(&girl.rig, Names::Vroid)
        }
    });
    container(&document, &buffer.bytes)
}

/// Her bones, springs and colliders without a surface, under other names.
pub(super) fn write_rig(girl: &Girl, names: Names) -> anyhow::Result<Vec<u8>> {
    let document = json!({
        "asset": asset(),
        "extensionsUsed": ["VRMC_vrm", "VRMC_springBone", "VRMC_springBone_extended_collider"],
        "scene": 0,
        "scenes": [{ "name": "Yure", "nodes": [0] }],
        "nodes": nodes(&girl.rig, names),
        "extensions": {
            "VRMC_vrm": vrm::character(&girl.rig, "Yure's rig", None),
            "VRMC_springBone": vrm::springs(&girl.rig, names)
        }
    });
    container(&document, &[])
}

fn asset() -> Value {
    json!({
        "version": "2.0",
        "generator": "Yuremono make_sample",
        "copyright": "CC0 1.0: https://creativecommons.org/publicdomain/zero/1.0/"
    })
}

fn images(buffer: &mut Buffer) -> anyhow::Result<Vec<Value>> {
    let pictures = [
        ("Face", face::face()),
        ("Hair", face::hair()),
        ("Cloth", face::navy()),
        ("Skin", face::skin()),
        ("Bow", face::accent()),
        ("Eyes and mouth", face::features()),
        ("Fur", face::fur()),
        ("Gold", face::gold()),
    ];
    let mut images = Vec::new();
    for (name, picture) in pictures {
        let view = buffer.view(&picture.png()?, None);
        images.push(json!({ "name": name, "bufferView": view, "mimeType": "image/png" }));
    }
    Ok(images)
}

/// The bones that carry a surface, in order.
fn skin_joints(girl: &Girl) -> Vec<u16> {
    let mut used = vec![false; girl.rig.bones.len()];
    for vertex in girl.meshes.iter().flat_map(|m| &m.vertices) {
        for (bone, _) in quantise(vertex.skin).iter().filter(|s| s.1 > 0) {
            used[usize::from(*bone)] = true;
        }
    }
    (0..).zip(used).filter(|u| u.1).map(|u| u.0).collect()
}

fn nodes(rig: &Rig, names: Names) -> Vec<Value> {
    let bones = &rig.bones;
    let (sin, cos) = turn(ARM_DROP / 2.0);
    let digits = |x: f32| (f64::from(x) * 1e7).round() / 1e7;
    let node = |(i, bone): (usize, &super::rig::Bone)| {
        let base = bone.parent.map_or(Vec3::ZERO, |p| bones[usize::from(p)].at);
        let mut node = json!({ "name": names.bone(bone), "translation": (bone.at - base).to_array().map(number) });
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

/// The meshes, and the lines around all of them as one more: the same vertices a little outward, seen from within.
fn meshes(buffer: &mut Buffer, girl: &Girl, joints: &[u16]) -> (Vec<Value>, Option<Value>) {
    let mut outline = Vec::new();
    let mut made = Vec::new();
    for (name, cloths) in MESHES {
        let mut primitives = Vec::new();
        for &cloth in cloths {
            let mesh = &girl.meshes[cloth as usize];
            let primitive = primitive(buffer, mesh, joints, cloth as usize);
            if let Some((line, width)) = material::line(cloth) {
                outline.push(hull(buffer, mesh, &primitive, width, Cloth::ALL.len() + line));
            }
            primitives.push(primitive);
        }
        let mut mesh = json!({ "name": name, "primitives": primitives });
        if cloths == [Cloth::Eyes] {
            mesh["weights"] = json!(TARGETS.map(|_| 0.0));
            mesh["extras"] = json!({ "targetNames": TARGETS });
            mesh["primitives"][0]["targets"] = targets(buffer, &girl.meshes[Cloth::Eyes as usize]);
        }
        made.push(mesh);
    }
    (made, Some(json!({ "name": "Lines", "primitives": outline })))
}

fn targets(buffer: &mut Buffer, mesh: &Mesh) -> Value {
    let count = mesh.vertices.len();
    let target = |moved: &Vec<(usize, Vec3)>| {
        let moved: Vec<(usize, [f32; 3])> = moved.iter().map(|(i, way)| (*i, way.to_array())).collect();
        json!({ "POSITION": buffer.sparse(count, &moved) })
    };
    mesh.morphs.iter().map(target).collect()
}

const ARRAY: Option<u32> = Some(34962);
const ELEMENT: Option<u32> = Some(34963);

fn positions(buffer: &mut Buffer, places: &[Vec3]) -> usize {
    let low = places.iter().copied().reduce(Vec3::min).unwrap_or_default();
    let high = places.iter().copied().reduce(Vec3::max).unwrap_or_default();
    let bytes = floats(places.iter().flat_map(Vec3::to_array));
    let accessor = buffer.accessor(&bytes, ARRAY, FLOAT, "VEC3", places.len());
    buffer.accessors[accessor]["min"] = json!(low.to_array().map(number));
    buffer.accessors[accessor]["max"] = json!(high.to_array().map(number));
    accessor
}

fn indices(buffer: &mut Buffer, indices: impl Iterator<Item = u32>, count: usize) -> usize {
    let bytes: Vec<u8> = indices.flat_map(|i| (i as u16).to_le_bytes()).collect();
    buffer.accessor(&bytes, ELEMENT, SHORT, "SCALAR", count)
}

fn primitive(buffer: &mut Buffer, mesh: &Mesh, joints: &[u16], material: usize) -> Value {
    let count = mesh.vertices.len();
    let places: Vec<Vec3> = mesh.vertices.iter().map(|v| v.at).collect();
    let position = positions(buffer, &places);
    let normal = floats(mesh.normals.iter().flat_map(Vec3::to_array));
    let normal = buffer.accessor(&normal, ARRAY, FLOAT, "VEC3", count);
    let skins: Vec<[(u16, u8); 4]> = mesh.vertices.iter().map(|v| quantise(v.skin)).collect();
    let slot = |(bone, share): (u16, u8)| {
        let found = joints.iter().position(|j| *j == bone).filter(|_| share > 0);
        found.unwrap_or(0) as u8
    };
    let slots: Vec<u8> = skins.iter().flatten().map(|s| slot(*s)).collect();
    let weights: Vec<u8> = skins.iter().flatten().map(|s| s.1).collect();
    let slots = buffer.accessor(&slots, ARRAY, BYTE, "VEC4", count);
    let weights = buffer.accessor(&weights, ARRAY, BYTE, "VEC4", count);
    buffer.accessors[weights]["normalized"] = json!(true);
    let mut attributes = json!({ "POSITION": position, "NORMAL": normal, "JOINTS_0": slots, "WEIGHTS_0": weights });
    if ![Cloth::White as usize, Cloth::Shoe as usize].contains(&material) {
        let uv = floats(mesh.vertices.iter().flat_map(|v| v.uv.to_array()));
        attributes["TEXCOORD_0"] = json!(buffer.accessor(&uv, ARRAY, FLOAT, "VEC2", count));
    }
    let indices = indices(buffer, mesh.indices.iter().copied(), mesh.indices.len());
    json!({ "attributes": attributes, "indices": indices, "material": material })
}

/// The line around a primitive: it shares weights, and its triangles run the other way round.
fn hull(buffer: &mut Buffer, mesh: &Mesh, of: &Value, width: f32, material: usize) -> Value {
    let places: Vec<Vec3> = mesh.vertices.iter().zip(&mesh.normals).map(|(v, n)| v.at + *n * width).collect();
    let position = positions(buffer, &places);
    let turned = mesh.indices.chunks_exact(3).flat_map(|t| [t[0], t[2], t[1]]);
    let indices = indices(buffer, turned, mesh.indices.len());
    let (joints, weights) = (&of["attributes"]["JOINTS_0"], &of["attributes"]["WEIGHTS_0"]);
    json!({
        "attributes": { "POSITION": position, "JOINTS_0": joints, "WEIGHTS_0": weights },
        "indices": indices,
        "material": material
    })
}

/// Weights in 255ths that sum to 255, heaviest first; one bone appears once.
fn quantise(skin: Skin) -> [(u16, u8); 4] {
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
