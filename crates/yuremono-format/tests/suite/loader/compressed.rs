//! Data that is compressed by `EXT_meshopt_compression`. The encoder is another part of the crate that decodes.

use super::{check_rejected, load};
use crate::support::glb::GlbBuilder;
use meshoptimizer_rs::codec::{IndexEncoding, VertexEncoding, encode_index_buffer, encode_vertex_buffer};
use meshoptimizer_rs::{Limits, Workspace};
use serde_json::{Value, json};

/// Two triangles of a square.
const POSITIONS: [f32; 12] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0];
const INDICES: [u32; 6] = [0, 1, 2, 2, 1, 3];

/// A square whose buffer views are compressed. Their own buffer has no bytes.
fn compressed_square() -> GlbBuilder {
    let mut workspace = Workspace::new(Limits::default());
    let bytes: Vec<u8> = POSITIONS.iter().flat_map(|number| number.to_le_bytes()).collect();
    let vertices = encode_vertex_buffer(&bytes, 4, 12, VertexEncoding::new(0, 0).expect("version 0"), &mut workspace)
        .expect("encoded");
    let indices = encode_index_buffer(&INDICES, IndexEncoding::default(), &mut workspace).expect("encoded");
    let mut b = GlbBuilder::new();
    b.json["extensionsRequired"] = json!(["EXT_meshopt_compression"]);
    let data = [(vertices, 12, 4, "ATTRIBUTES"), (indices, 4, 6, "TRIANGLES")].map(|(bytes, stride, count, mode)| {
        let packed = b.buffer_view(&bytes);
        let packed = b.json["bufferViews"][packed].clone();
        json!({
            "buffer": 1, "byteLength": stride * count,
            "extensions": { "EXT_meshopt_compression": {
                "buffer": 0, "byteOffset": packed["byteOffset"], "byteLength": packed["byteLength"],
                "byteStride": stride, "count": count, "mode": mode,
            } },
        })
    });
    b.json["bufferViews"] = json!(data);
    b.push_json("accessors", json!({ "bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 4 }));
    b.push_json("accessors", json!({ "bufferView": 1, "componentType": 5125, "type": "SCALAR", "count": 6 }));
    b.push_json("meshes", json!({ "primitives": [{ "attributes": { "POSITION": 0 }, "indices": 1 }] }));
    b.push_json("nodes", json!({ "name": "square", "mesh": 0 }));
    b
}

/// The file with a fallback buffer that has no bytes.
fn with_fallback(b: &GlbBuilder) -> GlbBuilder {
    let mut b = b.clone();
    let used = b.json["bufferViews"][1]["extensions"]["EXT_meshopt_compression"].clone();
    let number = |value: &Value| value.as_u64().expect("a number");
    let length = number(&used["byteOffset"]) + number(&used["byteLength"]);
    let fallback = json!({ "byteLength": 1024, "extensions": { "EXT_meshopt_compression": { "fallback": true } } });
    b.json["buffers"] = json!([{ "byteLength": length }, fallback]);
    b
}

#[test]
fn compressed_meshes_are_unpacked() {
    let loaded = load(&with_fallback(&compressed_square()));
    let primitive = &loaded.character.meshes[0].primitives[0];
    let positions: Vec<f32> = primitive.positions.iter().flat_map(glam::Vec3::to_array).collect();
    assert_eq!((positions, primitive.indices.len()), (POSITIONS.to_vec(), INDICES.len()));
    assert!(loaded.diagnostics.is_empty(), "{:?}", loaded.diagnostics);
}

#[test]
fn damaged_compression_is_refused_with_its_place() {
    let place = "/bufferViews/0/extensions/EXT_meshopt_compression";
    for (field, value, message) in [
        ("count", json!(8), ": the view cannot be unpacked: "),
        ("byteLength", json!(2), ": the view cannot be unpacked: "),
        ("mode", json!("WAVES"), "/mode: unknown: WAVES"),
        ("filter", json!("OCTAHEDRAL"), ": the view cannot be unpacked: "),
        ("byteOffset", json!(1 << 30), ": buffer 0 has no bytes in this file"),
    ] {
        let mut b = with_fallback(&compressed_square());
        b.json["bufferViews"][0]["extensions"]["EXT_meshopt_compression"][field] = value;
        let found = super::read_glb(&b.glb()).expect_err("damaged")[0].to_string();
        assert!(found.starts_with(&format!("test.glb#{place}{message}")), "{field}: {found}");
    }
    let mut b = with_fallback(&compressed_square());
    b.json["buffers"][1]["byteLength"] = json!(1_u64 << 40);
    b.json["bufferViews"][0]["byteLength"] = json!(12_u64 << 30);
    b.json["bufferViews"][0]["extensions"]["EXT_meshopt_compression"]["count"] = json!(1_u64 << 30);
    check_rejected(&b, &format!("test.glb#{place}: the file has more than 512 MiB of unpacked data"));
}
