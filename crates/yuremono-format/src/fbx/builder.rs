//! Builds the JSON and the binary data of a GLB.

use crate::gltf_json::animation_data::{AnimationData, FLOAT, FirstIndices};
use crate::gltf_json::bin_chunk;
use glam::Vec3;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use yuremono_sim::rig::Clip;

const UNSIGNED_SHORT: u32 = 5123;
const UNSIGNED_INT: u32 = 5125;

/// A glTF under construction. Indices into a list are the places at which its values were added.
#[derive(Debug, Default)]
pub(super) struct GltfBuilder {
    pub(super) nodes: Vec<Value>,
    pub(super) meshes: Vec<Value>,
    pub(super) skins: Vec<Value>,
    pub(super) materials: Vec<Value>,
    pub(super) textures: Vec<Value>,
    pub(super) samplers: Vec<Value>,
    pub(super) images: Vec<Value>,
    animations: Vec<Value>,
    accessors: Vec<Value>,
    buffer_views: Vec<Value>,
    bin: Vec<u8>,
    /// The extensions that the values use.
    pub(super) extensions: BTreeSet<&'static str>,
}

impl GltfBuilder {
    /// Returns the GLB, or `None` if it would be longer than 4 GiB. The nodes without a parent are the roots of its scene.
    pub(super) fn into_glb(self) -> Option<Vec<u8>> {
        let mut is_root = vec![true; self.nodes.len()];
        let children = self.nodes.iter().filter_map(|node| node["children"].as_array()).flatten();
        for child in children.filter_map(Value::as_u64) {
            is_root[child as usize] = false;
        }
        let roots: Vec<usize> = (0..self.nodes.len()).filter(|node| is_root[*node]).collect();
        let mut json = json!({ "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": roots }] });
        if !self.bin.is_empty() {
            json["buffers"] = json!([{ "byteLength": self.bin.len() }]);
        }
        if !self.extensions.is_empty() {
            json["extensionsUsed"] = json!(self.extensions);
        }
        for (name, list) in [
            ("nodes", self.nodes),
            ("meshes", self.meshes),
            ("skins", self.skins),
            ("materials", self.materials),
            ("textures", self.textures),
            ("samplers", self.samplers),
            ("images", self.images),
            ("animations", self.animations),
            ("accessors", self.accessors),
            ("bufferViews", self.buffer_views),
        ] {
            // glTF does not allow empty lists.
            if !list.is_empty() {
                json[name] = Value::Array(list);
            }
        }
        bin_chunk::new_glb(json.to_string().into_bytes(), &self.bin)
    }

    /// Adds data and returns the index of its buffer view.
    pub(super) fn add_view(&mut self, bytes: impl IntoIterator<Item = u8>) -> usize {
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
        let start = self.bin.len();
        self.bin.extend(bytes);
        let length = self.bin.len() - start;
        self.buffer_views.push(json!({ "buffer": 0, "byteOffset": start, "byteLength": length }));
        self.buffer_views.len() - 1
    }

    /// Adds an animation. The bones of the clip are node indices.
    pub(super) fn add_animation(&mut self, clip: &Clip) {
        let nodes: Vec<Option<usize>> = clip.channels.iter().map(|channel| Some(channel.bone.index())).collect();
        let first = FirstIndices { accessor: self.accessors.len(), buffer_view: self.buffer_views.len() };
        let data = AnimationData::new(clip, &clip.name, &nodes, first);
        self.add_view(data.bytes);
        self.accessors.extend(data.accessors);
        self.animations.push(data.animation);
    }

    /// Adds points with the bounds that the specification requires.
    pub(super) fn add_positions(&mut self, positions: &[Vec3]) -> usize {
        let accessor = self.add_floats("VEC3", positions.iter().map(Vec3::to_array));
        let bounds = |of: fn(Vec3, Vec3) -> Vec3| positions.iter().copied().reduce(of).unwrap_or_default().to_array();
        self.accessors[accessor]["min"] = json!(bounds(Vec3::min));
        self.accessors[accessor]["max"] = json!(bounds(Vec3::max));
        accessor
    }

    pub(super) fn add_floats<const N: usize>(
        &mut self,
        kind: &str,
        values: impl ExactSizeIterator<Item = [f32; N]>,
    ) -> usize {
        let count = values.len();
        let view = self.add_view(values.flatten().flat_map(f32::to_le_bytes));
        self.add_accessor(view, FLOAT, count, kind)
    }

    pub(super) fn add_joints(&mut self, joints: impl ExactSizeIterator<Item = [u16; 4]>) -> usize {
        let count = joints.len();
        let view = self.add_view(joints.flatten().flat_map(u16::to_le_bytes));
        self.add_accessor(view, UNSIGNED_SHORT, count, "VEC4")
    }

    pub(super) fn add_indices(&mut self, indices: &[u32]) -> usize {
        let view = self.add_view(indices.iter().flat_map(|index| index.to_le_bytes()));
        self.add_accessor(view, UNSIGNED_INT, indices.len(), "SCALAR")
    }

    /// Adds offsets that are zero but for some vertices. `offsets` are sorted by vertex.
    pub(super) fn add_sparse_offsets(&mut self, vertex_count: usize, offsets: &[(u32, Vec3)]) -> usize {
        let mut accessor = json!({ "componentType": FLOAT, "count": vertex_count, "type": "VEC3" });
        if !offsets.is_empty() {
            let indices = self.add_view(offsets.iter().flat_map(|(vertex, _)| vertex.to_le_bytes()));
            let values = offsets.iter().flat_map(|(_, offset)| offset.to_array()).flat_map(f32::to_le_bytes);
            let values = self.add_view(values);
            accessor["sparse"] = json!({
                "count": offsets.len(),
                "indices": { "bufferView": indices, "componentType": UNSIGNED_INT },
                "values": { "bufferView": values },
            });
        }
        // The specification requires bounds for positions, which include the vertices without an offset.
        let is_complete = offsets.len() == vertex_count;
        let all = || offsets.iter().map(|(_, offset)| *offset).chain((!is_complete).then_some(Vec3::ZERO));
        accessor["min"] = json!(all().reduce(Vec3::min).unwrap_or_default().to_array());
        accessor["max"] = json!(all().reduce(Vec3::max).unwrap_or_default().to_array());
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    fn add_accessor(&mut self, view: usize, component: u32, count: usize, kind: &str) -> usize {
        self.accessors.push(json!({ "bufferView": view, "componentType": component, "count": count, "type": kind }));
        self.accessors.len() - 1
    }
}
