//! Takes: the animations of an FBX, as keys of local transforms.

use super::builder::GltfBuilder;
use super::nodes::{FbxNodes, vec3};
use super::notes::Notes;
use glam::{Quat, Vec3};
use ufbx::{AnimStack, BakeOpts, BakedNode, SceneRoot};
use yuremono_sim::diagnostics::{excerpt, message};
use yuremono_sim::rig::{BoneId, Channel, ChannelInterpolation, ChannelValues, Clip};

/// Frames per second of a file without a usable rate.
const DEFAULT_RATE: f64 = 30.0;
/// Largest number of keys of a take.
const MAX_KEYS: usize = 20_000_000;
/// Longest time after the last key that belongs to a take.
const MAX_HOLD_SECONDS: f32 = 60.0;
/// Names that tools give to every take.
const COMMON_NAMES: [&str; 3] = ["", "mixamo.com", "Take 001"];

/// Adds all takes that move a node, with keys at the rate of the file.
pub(super) fn add(scene: &SceneRoot, nodes: &FbxNodes<'_>, gltf: &mut GltfBuilder, notes: &mut Notes<'_>) {
    let rate = scene.settings.frames_per_second;
    let rate = if (1.0..=240.0).contains(&rate) { rate } else { DEFAULT_RATE };
    let memory = || ufbx::AllocatorOpts { memory_limit: super::MAX_MEMORY, ..ufbx::AllocatorOpts::default() };
    for stack in &scene.anim_stacks {
        let stack: &AnimStack = stack;
        let options = BakeOpts {
            temp_allocator: memory(),
            result_allocator: memory(),
            trim_start_time: true,
            resample_rate: rate,
            ..BakeOpts::default()
        };
        let take = excerpt(&stack.element.name);
        let baked = match ufbx::bake_anim(scene, &stack.anim, options) {
            Ok(baked) => baked,
            Err(error) => {
                let error = excerpt(&error.description);
                notes.warn(message!("take \"{take}\" cannot be read and is left out: {error}", take, error));
                continue;
            }
        };
        let keys = |node: &BakedNode| node.translation_keys.len() + node.rotation_keys.len() + node.scale_keys.len();
        let keys: usize = baked.nodes.iter().map(keys).sum();
        if keys > MAX_KEYS {
            let most = MAX_KEYS;
            notes.warn(message!(
                "take \"{take}\" has {keys} keys; at most {most} are read. It is left out",
                take,
                keys,
                most
            ));
            continue;
        }
        let mut channels: Vec<Channel> = Vec::new();
        let mut broken = 0;
        for node in &baked.nodes {
            if let Some(index) = nodes.index_by_id(node.typed_id) {
                match channels_of(index, node) {
                    Some(found) => channels.extend(found),
                    None => broken += 1,
                }
            }
        }
        if broken > 0 {
            notes.warn(message!(
                "take \"{take}\" has values that are not finite; the motion of {n:node|nodes} is left out",
                take,
                n = broken
            ));
        }
        if !channels.is_empty() {
            let duration = hold_until(baked.playback_duration as f32, &mut channels);
            gltf.add_animation(&Clip { name: take_name(&stack.element.name, notes.file), duration, channels });
        }
    }
}

/// Holds the last pose until the end of a take, and returns the time of the last key. A take that ends long after its last
/// key is faulty.
fn hold_until(end: f32, channels: &mut [Channel]) -> f32 {
    let last = channels.iter().filter_map(|channel| channel.times.last().copied()).fold(0.0, f32::max);
    if let Some(first) = channels.first_mut().filter(|_| end > last && end < last + MAX_HOLD_SECONDS) {
        first.times.push(end);
        match &mut first.values {
            ChannelValues::Translation(values) | ChannelValues::Scale(values) => values.extend(values.last().copied()),
            ChannelValues::Rotation(values) => values.extend(values.last().copied()),
        }
        return end;
    }
    last
}

/// Returns the channels of a node. Returns `None` if a key is not finite.
fn channels_of(index: usize, node: &BakedNode) -> Option<Vec<Channel>> {
    let translations: Vec<(f64, Vec3)> = node.translation_keys.iter().map(|key| (key.time, vec3(&key.value))).collect();
    let rotation = |q: &ufbx::Quat| Quat::from_xyzw(q.x as f32, q.y as f32, q.z as f32, q.w as f32).normalize();
    let rotations: Vec<(f64, Quat)> = node.rotation_keys.iter().map(|key| (key.time, rotation(&key.value))).collect();
    let scales: Vec<(f64, Vec3)> = node.scale_keys.iter().map(|key| (key.time, vec3(&key.value))).collect();
    let is_finite = translations.iter().chain(&scales).all(|(time, value)| time.is_finite() && value.is_finite())
        && rotations.iter().all(|(time, value)| time.is_finite() && value.is_finite());
    let channel = |(times, values): (Vec<f32>, ChannelValues)| Channel {
        bone: BoneId(index as u32),
        times,
        values,
        interpolation: ChannelInterpolation::Linear,
    };
    let split = |(times, values), of: fn(Vec<Vec3>) -> ChannelValues| (times, of(values));
    is_finite.then(|| {
        let (times, values) = ascending(&rotations);
        [
            split(ascending(&translations), ChannelValues::Translation),
            (times, ChannelValues::Rotation(values)),
            split(ascending(&scales), ChannelValues::Scale),
        ]
        .into_iter()
        .filter(|(times, _)| !times.is_empty())
        .map(channel)
        .collect()
    })
}

/// Splits keys into times and values. Keys that are not later than the key before them in single precision are left out.
fn ascending<T: Copy>(keys: &[(f64, T)]) -> (Vec<f32>, Vec<T>) {
    let (mut times, mut values): (Vec<f32>, Vec<T>) = (Vec::new(), Vec::new());
    for (time, value) in keys {
        let time = (*time as f32).max(0.0);
        if times.last().is_none_or(|last| time > *last) {
            times.push(time);
            values.push(*value);
        }
    }
    (times, values)
}

/// Returns the name of a take without its armature: `HeadTurn` for `Root|HeadTurn`. Names that tools give to every take
/// become the name of the file.
fn take_name(name: &str, file: &str) -> String {
    let own = name.split('|').nth(1).unwrap_or(name);
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    if COMMON_NAMES.contains(&own) { stem } else { own }.to_owned()
}
