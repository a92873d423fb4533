//! Reads `animations`: translation, rotation and scale of bones. Invalid channels are skipped with a warning. Morph
//! weights and animation pointers are ignored.

use super::accessor::Accessors;
use crate::gltf_json::json::{JsonError, JsonObject};
use crate::gltf_json::nodes::GltfNodes;
use glam::{Quat, Vec3};
use gltf::json::accessor::ComponentType;
use gltf::json::animation::{Interpolation, Property, VALID_INTERPOLATIONS, VALID_PROPERTIES};
use yuremono_sim::diagnostics::{MessageText, message};
use yuremono_sim::rig::{Channel, ChannelInterpolation, ChannelValues, Clip};

/// Returns all animations that move a bone.
pub(crate) fn read(
    root: &JsonObject<'_>,
    nodes: &GltfNodes<'_>,
    accessors: &Accessors<'_>,
) -> Result<Vec<Clip>, JsonError> {
    let mut clips = Vec::new();
    for (index, json) in root.objects("animations")?.enumerate() {
        let clip = json.and_then(|json| read_clip(&json, index, nodes, accessors));
        clips.extend(root.ok_or_warn(clip, "the animation is left out").filter(|clip| !clip.channels.is_empty()));
    }
    Ok(clips)
}

fn read_clip(
    json: &JsonObject<'_>,
    index: usize,
    nodes: &GltfNodes<'_>,
    accessors: &Accessors<'_>,
) -> Result<Clip, JsonError> {
    let samplers = json.objects("samplers")?.collect::<Result<Vec<_>, _>>()?;
    let mut channels = Vec::new();
    let mut passed_over = 0;
    for channel in json.objects("channels")? {
        let read = channel.and_then(|channel| read_channel(&channel, &samplers, nodes, accessors));
        match json.ok_or_warn(read, "the channel is left out") {
            Some(Some(channel)) => channels.push(channel),
            Some(None) => passed_over += 1,
            None => {}
        }
    }
    if passed_over > 0 {
        let message = message!("{passed_over} channels move no bone and are ignored", passed_over);
        json.info(json.pointer_to("channels"), message);
    }
    let name = json.ok_or_warn(json.name("name"), "it is named after its number").flatten();
    let ends = channels.iter().filter_map(|channel| channel.times.last());
    Ok(Clip {
        name: name.map_or_else(|| format!("Animation {}", index + 1), str::to_owned),
        duration: ends.fold(0.0, |longest, end| end.max(longest)),
        channels,
    })
}

/// Returns `None` for a channel that moves no bone.
fn read_channel(
    channel: &JsonObject<'_>,
    samplers: &[JsonObject<'_>],
    nodes: &GltfNodes<'_>,
    accessors: &Accessors<'_>,
) -> Result<Option<Channel>, JsonError> {
    let target = channel.required("target", JsonObject::object)?;
    let path = match target.required("path", JsonObject::text)? {
        // The `gltf` crate does not support `KHR_animation_pointer`.
        "pointer" => None,
        _ => target.string_enum("path", "path", VALID_PROPERTIES)?.filter(|path| *path != Property::MorphTargetWeights),
    };
    let sampler = &samplers[channel.required_index("sampler", samplers.len(), "sampler")?];
    let node = target.index("node", nodes.len(), "node")?;
    let (Some(node), Some(path)) = (node, path) else { return Ok(None) };
    if nodes.json[node].get("matrix").is_some() {
        return Err(target.error_at("node", message!("node {node} has a matrix, which an animation cannot move", node)));
    }
    let sampling =
        match sampler.string_enum("interpolation", "interpolation", VALID_INTERPOLATIONS)?.unwrap_or_default() {
            Interpolation::Step => ChannelInterpolation::Step,
            Interpolation::Linear => ChannelInterpolation::Linear,
            Interpolation::CubicSpline => ChannelInterpolation::CubicSpline,
        };
    let times = read_times(sampler, accessors)?;
    let values = read_values(sampler, path, sampling, accessors)?;
    let expected = if sampling == ChannelInterpolation::CubicSpline { 3 * times.len() } else { times.len() };
    let found = match &values {
        ChannelValues::Translation(v) | ChannelValues::Scale(v) => v.len(),
        ChannelValues::Rotation(v) => v.len(),
    };
    if found != expected {
        return Err(
            sampler.error_at("output", message!("{found} values where {expected} were expected", found, expected))
        );
    }
    Ok(Some(Channel { bone: nodes.bone_of_node[node], times, values, interpolation: sampling }))
}

fn read_times(sampler: &JsonObject<'_>, accessors: &Accessors<'_>) -> Result<Vec<f32>, JsonError> {
    let index = sampler.required_index("input", accessors.len(), "accessor")?;
    if accessors.get(index).component != ComponentType::F32 {
        return Err(sampler.error_at("input", message!("times are not floats")));
    }
    let times = accessors.floats::<1>(index).map_err(|why| sampler.error_at("input", why))?;
    let times: Vec<f32> = times.into_iter().map(|[t]| t).collect();
    if times.is_empty() {
        return Err(sampler.error_at("input", message!("there are no keys")));
    }
    if let Some(bad) = times.iter().position(|t| !t.is_finite() || *t < 0.0) {
        return Err(sampler.error_at("input", message!("key {bad} is at {bad2} seconds", bad, bad2 = times[bad])));
    }
    if let Some(bad) = times.windows(2).position(|pair| pair[0] > pair[1]) {
        return Err(sampler.error_at("input", message!("key {bad} is earlier than the key before it", bad = bad + 1)));
    }
    Ok(times)
}

fn read_values(
    sampler: &JsonObject<'_>,
    path: Property,
    sampling: ChannelInterpolation,
    accessors: &Accessors<'_>,
) -> Result<ChannelValues, JsonError> {
    let index = sampler.required_index("output", accessors.len(), "accessor")?;
    let wrong = |why: MessageText| sampler.error_at("output", why);
    let not_finite = || sampler.error_at("output", message!("a value is not finite"));
    if path == Property::Rotation {
        let values = accessors.floats::<4>(index).map_err(wrong)?;
        let mut values: Vec<Quat> = values.into_iter().map(Quat::from_array).collect();
        if values.iter().any(|q| !q.is_finite()) {
            return Err(not_finite());
        }
        // A spline has three entries per key, and only the middle entry is a rotation.
        let (first, step) = if sampling == ChannelInterpolation::CubicSpline { (1, 3) } else { (0, 1) };
        let mut odd = 0;
        for value in values.iter_mut().skip(first).step_by(step) {
            let length = value.length();
            odd += usize::from((length - 1.0).abs() > 0.01);
            *value = if length > 1e-6 && length.is_finite() { *value / length } else { Quat::IDENTITY };
        }
        if odd > 0 {
            let message = message!("{odd} rotations are not unit quaternions", odd);
            sampler.warn_at("output", message, "they are normalized");
        }
        return Ok(ChannelValues::Rotation(values));
    }
    let values = accessors.floats::<3>(index).map_err(wrong)?;
    let values: Vec<Vec3> = values.into_iter().map(Vec3::from_array).collect();
    if values.iter().any(|v| !v.is_finite()) {
        return Err(not_finite());
    }
    Ok(if path == Property::Scale { ChannelValues::Scale(values) } else { ChannelValues::Translation(values) })
}
