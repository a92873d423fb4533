//! Builds small glTF files in memory.

use gltf::binary::{Glb, Header};
use serde_json::{Value, json};
use std::borrow::Cow;

/// A glTF document with one binary buffer.
#[derive(Clone, Debug)]
pub struct GlbBuilder {
    /// The JSON document. Tests can change fields for which no helper exists.
    pub json: Value,
    bin: Vec<u8>,
}

/// A document that contains only `asset`.
impl Default for GlbBuilder {
    fn default() -> Self {
        Self { json: json!({ "asset": { "version": "2.0" } }), bin: Vec::new() }
    }
}

impl GlbBuilder {
    /// Creates a document that contains only `asset`.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a value to a list of the document and returns its index.
    pub fn push_json(&mut self, list: &str, value: Value) -> usize {
        let list = self.json.as_object_mut().expect("an object").entry(list).or_insert_with(|| json!([]));
        let list = list.as_array_mut().expect("a list");
        list.push(value);
        list.len() - 1
    }

    /// Adds bytes as a separate buffer view.
    pub fn buffer_view(&mut self, bytes: &[u8]) -> usize {
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
        let offset = self.bin.len();
        self.bin.extend_from_slice(bytes);
        self.push_json("bufferViews", json!({ "buffer": 0, "byteOffset": offset, "byteLength": bytes.len() }))
    }

    /// Adds an accessor with its own buffer view.
    pub fn accessor(&mut self, kind: &str, component: u32, count: usize, bytes: &[u8]) -> usize {
        let view = self.buffer_view(bytes);
        self.push_json(
            "accessors",
            json!({ "bufferView": view, "componentType": component, "type": kind, "count": count }),
        )
    }

    /// Adds an accessor of floats; `kind` determines the number of components per element.
    pub fn floats(&mut self, kind: &str, numbers: &[f32]) -> usize {
        let size = match kind {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" => 4,
            _ => 16,
        };
        let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        self.accessor(kind, 5126, numbers.len() / size, &bytes)
    }

    /// Adds a mesh of one triangle on the ground and returns its index.
    pub fn triangle_mesh(&mut self) -> usize {
        let position = self.floats("VEC3", &[0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0]);
        self.push_json("meshes", json!({ "primitives": [{ "attributes": { "POSITION": position } }] }))
    }

    /// Adds a chain of named nodes, each 10 cm below the previous one, and returns the index of the first.
    pub fn node_chain(&mut self, names: &[&str]) -> usize {
        let first = self.json["nodes"].as_array().map_or(0, Vec::len);
        for (i, name) in names.iter().enumerate() {
            let mut node = json!({ "name": name, "translation": [0.0, -0.1, 0.0] });
            if i + 1 < names.len() {
                node["children"] = json!([first + i + 1]);
            }
            self.push_json("nodes", node);
        }
        first
    }

    /// Returns the finished GLB.
    pub fn glb(&self) -> Vec<u8> {
        let mut json = self.json.clone();
        if !self.bin.is_empty() && json.get("buffers").is_none() {
            json["buffers"] = json!([{ "byteLength": self.bin.len() }]);
        }
        let length = 0; // Set when the file is written.
        let header = Header { magic: *b"glTF", version: 2, length };
        let bin = (!self.bin.is_empty()).then(|| Cow::Borrowed(&*self.bin));
        Glb { header, json: json.to_string().into_bytes().into(), bin }.to_vec().expect("writing to memory succeeds")
    }
}
