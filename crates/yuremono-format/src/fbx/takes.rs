//! Takes: the animations of an FBX, as keys of local transforms.

use super::MAX_MEMORY;
use super::builder::GltfBuilder;
use super::nodes::{FbxNodes, quat, vec3};
use super::notes::Notes;
use glam::{Quat, Vec3};
use ufbx::{AnimStack, BakeOpts, BakedNode, SceneRoot};
use yuremono_sim::diagnostics::{excerpt, message};
use yuremono_sim::math::slerp;
use yuremono_sim::rig::{BoneId, Channel, ChannelInterpolation, ChannelValues, Clip};

/// Frames per second of a file without a usable rate.
const DEFAULT_RATE: f64 = 30.0;
/// Largest number of keys of all takes.
const MAX_KEYS: usize = 20_000_000;
/// Largest number of keys between two keys of the file. A pair that is far apart gets fewer keys than the rate asks for.
const MAX_SEGMENTS: usize = 4096;
/// Memory for a take, in bytes, without its keys and for each key.
const BASE_MEMORY: usize = 64 << 20;
const MEMORY_PER_KEY: usize = 128;
/// Longest time after the last key that belongs to a take.
const MAX_HOLD_SECONDS: f64 = 60.0;
/// Names that tools give to every take.
const COMMON_NAMES: [&str; 3] = ["", "mixamo.com", "Take 001"];

/// Adds all takes that move a node, with keys at the rate of the file. A take starts at 0 s.
pub(super) fn add(scene: &SceneRoot, nodes: &FbxNodes<'_>, gltf: &mut GltfBuilder, notes: &mut Notes<'_>) {
    let rate = scene.settings.frames_per_second;
    let rate = if (1.0..=240.0).contains(&rate) { rate } else { DEFAULT_RATE };
    let mut keys_left = MAX_KEYS;
    for stack in &scene.anim_stacks {
        let stack: &AnimStack = stack;
        let memory = || ufbx::AllocatorOpts {
            memory_limit: (BASE_MEMORY + MEMORY_PER_KEY * keys_left).min(MAX_MEMORY),
            ..ufbx::AllocatorOpts::default()
        };
        let options = BakeOpts {
            temp_allocator: memory(),
            result_allocator: memory(),
            resample_rate: rate,
            max_keyframe_segments: MAX_SEGMENTS,
            ..BakeOpts::default()
        };
        let take = excerpt(&stack.element.name);
        let Ok(baked) = ufbx::bake_anim(scene, &stack.anim, options) else {
            notes.warn(message!("take \"{take}\" cannot be read and is left out", take));
            continue;
        };
        let keys = |node: &BakedNode| node.translation_keys.len() + node.rotation_keys.len() + node.scale_keys.len();
        let keys: usize = baked.nodes.iter().map(keys).sum();
        let Some(left) = keys_left.checked_sub(keys) else {
            let most = MAX_KEYS;
            notes.warn(message!(
                "the takes have more than {most} keys; take \"{take}\" and later ones are left out",
                most,
                take
            ));
            break;
        };
        keys_left = left;
        let range = TakeRange::new(stack, &baked.nodes);
        let mut channels: Vec<Channel> = Vec::new();
        let mut broken = 0;
        for node in &baked.nodes {
            if let Some(index) = nodes.index_by_id(node.typed_id) {
                match range.channels(index, node) {
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
            let duration = channels.iter().filter_map(|channel| channel.times.last().copied()).fold(0.0, f32::max);
            gltf.add_animation(&Clip { name: take_name(&stack.element.name, notes.file), duration, channels });
        }
    }
}

/// The part of the time line that belongs to a take, in seconds.
struct TakeRange {
    begin: f64,
    end: f64,
}

impl TakeRange {
    /// If the file has no range, the range of the keys is used. A take that ends long after its last key is faulty, and ends
    /// there.
    fn new(stack: &AnimStack, nodes: &[BakedNode]) -> Self {
        let times = nodes.iter().flat_map(|node| {
            // The keys of a constant are not those of the file.
            let vectors =
                [(&node.translation_keys, node.constant_translation), (&node.scale_keys, node.constant_scale)];
            let vectors = vectors.into_iter().filter(|(_, is_constant)| !is_constant).flat_map(|(keys, _)| keys.iter());
            let rotations = node.rotation_keys.iter().filter(|_| !node.constant_rotation);
            vectors.map(|key| key.time).chain(rotations.map(|key| key.time))
        });
        let [first, last] = times
            .filter(|time| time.is_finite())
            .fold([f64::MAX, f64::MIN], |[first, last], time| [time.min(first), time.max(last)]);
        let (begin, end) = (stack.time_begin, stack.time_end);
        if begin.is_finite() && end.is_finite() && begin < end {
            let end = if end > last.max(begin) + MAX_HOLD_SECONDS { last.max(begin) } else { end };
            return Self { begin, end };
        }
        Self { begin: first, end: last }
    }

    /// Returns the channels of a node. Returns `None` if a key is not finite.
    fn channels(&self, index: usize, node: &BakedNode) -> Option<Vec<Channel>> {
        let vectors = |keys: &[ufbx::BakedVec3]| -> Vec<(f64, Vec3)> {
            keys.iter().map(|key| (key.time, vec3(&key.value))).collect()
        };
        let (translations, scales) = (vectors(&node.translation_keys), vectors(&node.scale_keys));
        let rotations: Vec<(f64, Quat)> = node.rotation_keys.iter().map(|key| (key.time, quat(&key.value))).collect();
        let is_finite = translations.iter().chain(&scales).all(|(time, value)| time.is_finite() && value.is_finite())
            && rotations.iter().all(|(time, value)| time.is_finite() && value.is_finite());
        let (translations, scales) = (self.cut(&translations, Vec3::lerp), self.cut(&scales, Vec3::lerp));
        let rotations = self.cut(&rotations, slerp);
        let values = [
            (translations.0, ChannelValues::Translation(translations.1)),
            (rotations.0, ChannelValues::Rotation(rotations.1)),
            (scales.0, ChannelValues::Scale(scales.1)),
        ];
        let channels = values.into_iter().filter(|(times, _)| !times.is_empty()).map(|(times, values)| Channel {
            bone: BoneId(index as u32),
            times,
            values,
            interpolation: ChannelInterpolation::Linear,
        });
        is_finite.then(|| channels.collect())
    }

    /// Returns the times from the start of the take, and the values, of all keys within the range and of both of its ends.
    /// Keys that are not later than the key before them in single precision are left out.
    fn cut<T: Copy>(&self, keys: &[(f64, T)], blend: fn(T, T, f32) -> T) -> (Vec<f32>, Vec<T>) {
        let at = |time: f64| {
            let after = keys.partition_point(|(key, _)| *key <= time);
            match (keys.get(after.wrapping_sub(1)), keys.get(after)) {
                (Some((from, a)), Some((to, b))) => Some((time, blend(*a, *b, ((time - from) / (to - from)) as f32))),
                (Some((_, value)), None) | (None, Some((_, value))) => Some((time, *value)),
                (None, None) => None,
            }
        };
        let inside = keys.iter().copied().filter(|(time, _)| (self.begin..self.end).contains(time));
        let (mut times, mut values): (Vec<f32>, Vec<T>) = (Vec::new(), Vec::new());
        for (time, value) in at(self.begin).into_iter().chain(inside).chain(at(self.end)) {
            let time = (time - self.begin) as f32;
            if times.last().is_none_or(|last| time > *last) {
                times.push(time);
                values.push(value);
            }
        }
        (times, values)
    }
}

/// Returns the name of a take without its armature: `HeadTurn` for `Root|HeadTurn`. Names that tools give to every take
/// become the name of the file.
fn take_name(name: &str, file: &str) -> String {
    let own = name.split('|').nth(1).unwrap_or(name);
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    if COMMON_NAMES.contains(&own) { stem } else { own }.to_owned()
}
