//! The binary part of a glTF file, and its container.

use serde_json::{Value, json};

pub(super) const FLOAT: u32 = 5126;
pub(super) const UNSIGNED_SHORT: u32 = 5123;
pub(super) const SHORT: u32 = 5122;
pub(super) const UNSIGNED_BYTE: u32 = 5121;

/// The binary buffer, and the JSON of its views and accessors.
#[derive(Default)]
pub(super) struct GltfBuffer {
    pub(super) bytes: Vec<u8>,
    pub(super) views: Vec<Value>,
    pub(super) accessors: Vec<Value>,
}

impl GltfBuffer {
    pub(super) fn add_view(&mut self, bytes: &[u8], target: Option<u32>) -> usize {
        let mut view = json!({ "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len() });
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.views.push(view);
        self.bytes.extend(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self.views.len() - 1
    }

    pub(super) fn add_accessor(
        &mut self,
        bytes: &[u8],
        target: Option<u32>,
        kind: u32,
        shape: &str,
        count: usize,
    ) -> usize {
        let view = self.add_view(bytes, target);
        self.accessors.push(json!({ "bufferView": view, "componentType": kind, "count": count, "type": shape }));
        self.accessors.len() - 1
    }

    /// Adds a sparse accessor: zeros except for the given vertices, in ascending order.
    pub(super) fn add_sparse_accessor(&mut self, count: usize, moved: &[(usize, [f32; 3])]) -> usize {
        let indices: Vec<u8> = moved.iter().flat_map(|(i, _)| (*i as u16).to_le_bytes()).collect();
        let indices = self.add_view(&indices, None);
        let values = self.add_view(&float_bytes(moved.iter().flat_map(|m| m.1)), None);
        let edge = |pick: fn(f32, f32) -> f32, i: usize| moved.iter().map(|m| m.1[i]).fold(0.0, pick);
        let (low, high) =
            ([0, 1, 2].map(|i| rounded(edge(f32::min, i))), [0, 1, 2].map(|i| rounded(edge(f32::max, i))));
        self.accessors.push(json!({
            "componentType": FLOAT, "count": count, "type": "VEC3", "min": low, "max": high,
            "sparse": {
                "count": moved.len(),
                "indices": { "bufferView": indices, "componentType": UNSIGNED_SHORT },
                "values": { "bufferView": values }
            }
        }));
        self.accessors.len() - 1
    }
}

pub(super) fn float_bytes(values: impl Iterator<Item = f32>) -> Vec<u8> {
    // Adding 0 turns -0 into 0.
    values.flat_map(|x| ((x * 1e5).round() / 1e5 + 0.0).to_le_bytes()).collect()
}

/// Rounds a number to the five digits of [`float_bytes`], for JSON.
pub(super) fn rounded(x: f32) -> f64 {
    f64::from((x * 1e5).round() / 1e5 + 0.0)
}

/// Returns a GLB file with the JSON document and the binary buffer.
pub(super) fn glb_container(document: &Value, binary: &[u8]) -> anyhow::Result<Vec<u8>> {
    let word = |n: usize| (n as u32).to_le_bytes();
    let mut text = serde_json::to_vec(document)?;
    text.resize(text.len().next_multiple_of(4), b' ');
    let parts = [(b"JSON", text.as_slice()), (b"BIN\0", binary)];
    let parts = parts.iter().filter(|p| !p.1.is_empty());
    let mut file = b"glTF".to_vec();
    file.extend(word(2));
    file.extend(word(12 + parts.clone().map(|p| 8 + p.1.len()).sum::<usize>()));
    for (kind, chunk) in parts {
        file.extend(word(chunk.len()));
        file.extend(*kind);
        file.extend(*chunk);
    }
    Ok(file)
}
