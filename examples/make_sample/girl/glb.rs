//! Packs the character into one binary glTF file.

use super::shape::{Mesh, Skin};
use super::{Cloth, Girl, face, vrm};
use glam::Vec3;
use serde_json::{Value, json};

/// sRGB of bare skin; the face picture starts from it.
pub(super) const SKIN: u32 = 0xff_e3d3;
/// sRGB of skirt, collar and socks.
pub(super) const NAVY: u32 = 0x3a_4488;

/// sRGB of skin in the shadow of hair, chin or hem.
pub(super) const SKIN_SHADE: u32 = 0xf3_bdae;
/// sRGB of bows and belt.
pub(super) const ACCENT: u32 = 0xff_b238;

const FLOAT: u32 = 5126;
const SHORT: u32 = 5123;
const BYTE: u32 = 5121;

/// The binary part with its views and accessors.
#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Buffer {
    fn view(&mut self, bytes: &[u8], target: Option<u32>) -> usize {
        let mut view = json!({ "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len() });
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.views.push(view);
        self.bytes.extend(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self.views.len() - 1
    }

    fn accessor(&mut self, bytes: &[u8], target: Option<u32>, kind: u32, shape: &str, count: usize) -> usize {
        let view = self.view(bytes, target);
        self.accessors.push(json!({ "bufferView": view, "componentType": kind, "count": count, "type": shape }));
        self.accessors.len() - 1
    }
}

fn floats(values: impl Iterator<Item = f32>) -> Vec<u8> {
    // Adding zero turns -0 into 0.
    values.flat_map(|x| ((x * 1e5).round() / 1e5 + 0.0).to_le_bytes()).collect()
}

fn number(x: f32) -> f64 {
    (f64::from(x) * 1e5).round() / 1e5 + 0.0
}

/// The whole file.
pub(super) fn write(girl: &Girl) -> anyhow::Result<Vec<u8>> {
    let mut buffer = Buffer::default();
    let primitives: Vec<Value> =
        Cloth::ALL.map(|c| primitive(&mut buffer, &girl.meshes[c as usize], c as usize)).into();
    let inverse: Vec<u8> = floats(girl.rig.bones.iter().flat_map(|bone| {
        let p = -bone.at;
        [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, p.x, p.y, p.z, 1.0]
    }));
    let count = girl.rig.bones.len();
    let inverse = buffer.accessor(&inverse, None, FLOAT, "MAT4", count);
    let mut images = Vec::new();
    for (name, picture) in [
        ("Face", face::face()),
        ("Hair", face::hair()),
        ("Cloth", face::navy()),
        ("Skin", face::skin()),
        ("Bow", face::accent()),
    ] {
        let view = buffer.view(&picture.png()?, None);
        images.push(json!({ "name": name, "bufferView": view, "mimeType": "image/png" }));
    }
    let mut nodes = nodes(girl);
    nodes.push(json!({ "name": "Body", "mesh": 0, "skin": 0 }));
    let joints: Vec<usize> = (0..count).collect();
    let document = json!({
        "asset": {
            "version": "2.0",
            "generator": "Yuremono make_sample",
            "copyright": "CC0 1.0: https://creativecommons.org/publicdomain/zero/1.0/"
        },
        "extensionsUsed": ["VRMC_vrm", "VRMC_springBone", "VRMC_materials_mtoon", "KHR_materials_unlit"],
        "scene": 0,
        "scenes": [{ "name": "Sample", "nodes": [0, count] }],
        "nodes": nodes,
        "meshes": [{ "name": "Girl", "primitives": primitives }],
        "skins": [{ "name": "Girl", "inverseBindMatrices": inverse, "skeleton": 0, "joints": joints }],
        "materials": Cloth::ALL.map(material),
        "textures": (0..images.len()).map(|i| json!({ "sampler": 0, "source": i })).collect::<Vec<_>>(),
        "samplers": [{ "magFilter": 9729, "minFilter": 9987, "wrapS": 10497, "wrapT": 33071 }],
        "images": images,
        "accessors": buffer.accessors,
        "bufferViews": buffer.views,
        "buffers": [{ "byteLength": buffer.bytes.len() }],
        "extensions": { "VRMC_vrm": vrm::character(&girl.rig), "VRMC_springBone": vrm::springs(&girl.rig) }
    });
    let mut text = serde_json::to_vec(&document)?;
    text.resize(text.len().next_multiple_of(4), b' ');
    Ok(container(&text, &buffer.bytes))
}

fn container(text: &[u8], binary: &[u8]) -> Vec<u8> {
    let word = |n: usize| (n as u32).to_le_bytes();
    let mut file = b"glTF".to_vec();
    file.extend(word(2));
    file.extend(word(12 + 8 + text.len() + 8 + binary.len()));
    for (kind, chunk) in [(b"JSON", text), (b"BIN\0", binary)] {
        file.extend(word(chunk.len()));
        file.extend(kind);
        file.extend(chunk);
    }
    file
}

fn nodes(girl: &Girl) -> Vec<Value> {
    let bones = &girl.rig.bones;
    let node = |(i, bone): (usize, &super::rig::Bone)| {
        let base = bone.parent.map_or(Vec3::ZERO, |p| bones[usize::from(p)].at);
        let mut node = json!({ "name": bone.name, "translation": (bone.at - base).to_array().map(number) });
        let children: Vec<usize> = (0..bones.len()).filter(|&c| bones[c].parent == Some(i as u16)).collect();
        if !children.is_empty() {
            node["children"] = json!(children);
        }
        node
    };
    bones.iter().enumerate().map(node).collect()
}

fn primitive(buffer: &mut Buffer, mesh: &Mesh, material: usize) -> Value {
    let (array, element) = (Some(34962), Some(34963));
    let count = mesh.vertices.len();
    let places = || mesh.vertices.iter().map(|v| v.at);
    let low = places().reduce(Vec3::min).unwrap_or_default();
    let high = places().reduce(Vec3::max).unwrap_or_default();
    let position = buffer.accessor(&floats(places().flat_map(|p| p.to_array())), array, FLOAT, "VEC3", count);
    buffer.accessors[position]["min"] = json!(low.to_array().map(number));
    buffer.accessors[position]["max"] = json!(high.to_array().map(number));
    let normal = floats(mesh.normals.iter().flat_map(Vec3::to_array));
    let normal = buffer.accessor(&normal, array, FLOAT, "VEC3", count);
    let uv = buffer.accessor(&floats(mesh.vertices.iter().flat_map(|v| v.uv.to_array())), array, FLOAT, "VEC2", count);
    let skins: Vec<[(u8, u8); 4]> = mesh.vertices.iter().map(|v| quantise(v.skin)).collect();
    let joints: Vec<u8> = skins.iter().flatten().map(|s| s.0).collect();
    let weights: Vec<u8> = skins.iter().flatten().map(|s| s.1).collect();
    let joints = buffer.accessor(&joints, array, BYTE, "VEC4", count);
    let weights = buffer.accessor(&weights, array, BYTE, "VEC4", count);
    buffer.accessors[weights]["normalized"] = json!(true);
    let indices: Vec<u8> = mesh.indices.iter().flat_map(|&i| (i as u16).to_le_bytes()).collect();
    let indices = buffer.accessor(&indices, element, SHORT, "SCALAR", mesh.indices.len());
    json!({
        "attributes": { "POSITION": position, "NORMAL": normal, "TEXCOORD_0": uv, "JOINTS_0": joints, "WEIGHTS_0": weights },
        "indices": indices,
        "material": material
    })
}

/// Weights in 255ths that sum to 255, heaviest first; one bone appears once.
fn quantise(skin: Skin) -> [(u8, u8); 4] {
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
        *slot = if part == 0 { (0, 0) } else { (*bone as u8, part) };
        left -= part;
    }
    out[0].1 += left;
    out
}

fn linear(rgb: u32) -> [f64; 3] {
    super::paint::hex(rgb).to_array().map(|c| {
        let c = f64::from(c);
        let l = if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) };
        (l * 1e4).round() / 1e4
    })
}

/// Lit colour, shaded colour, outline colour and picture of a cloth.
fn look(cloth: Cloth) -> (u32, u32, u32, Option<usize>) {
    match cloth {
        Cloth::Face => (0xff_ffff, 0xf6_c9c6, 0x8a_4a50, Some(0)),
        Cloth::Skin => (0xff_ffff, 0xf0_c8c4, 0x8a_4a50, Some(3)),
        Cloth::Hair => (0xff_ffff, 0xa9_9fe0, 0x2b_2f72, Some(1)),
        Cloth::White => (0xfb_faff, 0xc3_c6ea, 0x4a_4a80, None),
        Cloth::Navy => (0xff_ffff, 0xa6_9ccf, 0x1c_1f48, Some(2)),
        Cloth::Accent => (0xff_ffff, 0xe0_a890, 0x7a_3420, Some(4)),
        Cloth::Shoe => (0x5b_62c4, 0x3d_3d8c, 0x22_2350, None),
    }
}

fn material(cloth: Cloth) -> Value {
    let (lit, shade, line, picture) = look(cloth);
    let [r, g, b] = linear(lit);
    let mut base = json!({ "baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.9 });
    let mut toon = json!({
        "specVersion": "1.0",
        "shadeColorFactor": linear(shade),
        "shadingShiftFactor": if cloth == Cloth::Face { 0.25 } else { -0.05 },
        "shadingToonyFactor": 0.92,
        "giEqualizationFactor": 0.9,
        "outlineWidthMode": "worldCoordinates",
        "outlineWidthFactor": 0.0012,
        "outlineColorFactor": linear(line),
        "outlineLightingMixFactor": 0.0
    });
    if let Some(picture) = picture {
        base["baseColorTexture"] = json!({ "index": picture });
        toon["shadeMultiplyTexture"] = json!({ "index": picture });
    }
    json!({
        "name": format!("{cloth:?}"),
        "pbrMetallicRoughness": base,
        "doubleSided": cloth != Cloth::Face && cloth != Cloth::Skin,
        "extensions": { "KHR_materials_unlit": {}, "VRMC_materials_mtoon": toon }
    })
}
