//! The binary data and the JSON of one glTF animation.

use super::splice::shortest_number;
use glam::{Quat, Vec3};
use serde_json::{Value, json};
use std::collections::HashMap;
use yuremono_sim::rig::{Channel, ChannelInterpolation, ChannelValues, Clip};

/// The component type of single-precision numbers.
pub(crate) const FLOAT: u32 = 5126;

/// An animation whose accessors share one buffer view.
#[derive(Debug)]
pub(crate) struct AnimationData {
    /// Little-endian floats.
    pub(crate) bytes: Vec<u8>,
    /// Accessors in the order of their indices. Byte offsets are relative to the buffer view.
    pub(crate) accessors: Vec<Value>,
    pub(crate) animation: Value,
}

/// The indices that the new entries get in their lists.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FirstIndices {
    pub(crate) accessor: usize,
    pub(crate) buffer_view: usize,
}

impl AnimationData {
    /// `nodes` are the nodes of the channels, in the same order; a channel without node is left out.
    pub(crate) fn new(clip: &Clip, name: &str, nodes: &[Option<usize>], first: FirstIndices) -> Self {
        let mut data = Self { bytes: Vec::new(), accessors: Vec::new(), animation: Value::Null };
        let mut inputs: HashMap<Vec<u32>, usize> = HashMap::new();
        let (mut samplers, mut channels) = (Vec::new(), Vec::new());
        for (channel, node) in clip.channels.iter().zip(nodes) {
            let Some(node) = node else { continue };
            let key = channel.times.iter().map(|time| time.to_bits()).collect();
            let input = *inputs.entry(key).or_insert_with(|| data.add_times(&channel.times, first));
            let (output, path) = data.add_values(&channel.values, first);
            channels.push(json!({ "sampler": samplers.len(), "target": { "node": node, "path": path } }));
            samplers.push(json!({ "input": input, "output": output, "interpolation": interpolation(channel) }));
        }
        data.animation = json!({ "name": name, "samplers": samplers, "channels": channels });
        data
    }

    /// Key times in seconds. The specification requires their smallest and largest value.
    fn add_times(&mut self, times: &[f32], first: FirstIndices) -> usize {
        let bounds = [times.first(), times.last()].map(|time| time.copied().and_then(shortest_number));
        let index = self.add_floats("SCALAR", times.iter().map(|time| [*time]), first);
        let [min, max] = bounds;
        if let Some(accessor) = self.accessors.last_mut() {
            (accessor["min"], accessor["max"]) = (json!([min]), json!([max]));
        }
        index
    }

    fn add_values(&mut self, values: &ChannelValues, first: FirstIndices) -> (usize, &'static str) {
        match values {
            ChannelValues::Translation(v) => {
                (self.add_floats("VEC3", v.iter().map(Vec3::to_array), first), "translation")
            }
            ChannelValues::Scale(v) => (self.add_floats("VEC3", v.iter().map(Vec3::to_array), first), "scale"),
            ChannelValues::Rotation(q) => (self.add_floats("VEC4", q.iter().map(Quat::to_array), first), "rotation"),
        }
    }

    /// Adds an accessor and returns its index.
    fn add_floats<const N: usize>(
        &mut self,
        kind: &str,
        elements: impl ExactSizeIterator<Item = [f32; N]>,
        first: FirstIndices,
    ) -> usize {
        self.accessors.push(json!({
            "bufferView": first.buffer_view,
            "byteOffset": self.bytes.len(),
            "componentType": FLOAT,
            "count": elements.len(),
            "type": kind,
        }));
        self.bytes.extend(elements.flatten().flat_map(f32::to_le_bytes));
        first.accessor + self.accessors.len() - 1
    }
}

fn interpolation(channel: &Channel) -> &'static str {
    match channel.interpolation {
        ChannelInterpolation::Step => "STEP",
        ChannelInterpolation::Linear => "LINEAR",
        ChannelInterpolation::CubicSpline => "CUBICSPLINE",
    }
}
