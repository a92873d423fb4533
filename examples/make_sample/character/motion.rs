//! The animations of the sample character.
//!
//! Walking and running stay in place: the supporting foot moves backward at the constant speed of the ground. In all
//! other animations the supporting foot does not move.

use super::gait;
use super::gltf_buffer::{FLOAT, GltfBuffer, SHORT, float_bytes, rounded};
use super::posing::{BodyMeasurements, BodyPose, POSED_BONES};
use super::rig::Rig;
use super::stationary_motions;
use glam::DQuat;
use serde_json::{Value, json};

/// Name, seconds, keys per second, and a function from seconds to the pose.
type MotionDef = (&'static str, f64, f64, fn(&BodyMeasurements, f64) -> BodyPose);

const MOTIONS: [MotionDef; 10] = [
    ("Idle", 6.0, 15.0, stationary_motions::idle),
    ("Walk", gait::WALK.seconds, 30.0, gait::walk),
    ("Run", gait::RUN.seconds, 50.0, gait::run),
    ("Run and stop", gait::LAP_SECONDS, 30.0, gait::run_and_stop),
    ("Jump", 2.0, 30.0, stationary_motions::jump),
    ("Spin", 2.6, 30.0, stationary_motions::spin),
    ("Head shake", 2.0, 30.0, stationary_motions::head_shake),
    ("Sit", 4.0, 20.0, stationary_motions::sit),
    ("Leg lift", 3.2, 30.0, stationary_motions::leg_lift),
    ("Squat", 2.4, 20.0, stationary_motions::squat),
];

/// Adds the animations and returns the `animations` of the glTF document.
pub(super) fn add_animations(rig: &Rig, buffer: &mut GltfBuffer) -> Vec<Value> {
    let body = BodyMeasurements::from_rig(rig);
    let once = add_key_times(buffer, 1, 1.0);
    MOTIONS.iter().map(|motion| add_animation(rig, &body, motion, once, buffer)).collect()
}

fn add_key_times(buffer: &mut GltfBuffer, count: usize, rate: f64) -> usize {
    let time = |i: usize| (i as f64 / rate) as f32;
    let accessor = buffer.add_accessor(&float_bytes((0..count).map(time)), None, FLOAT, "SCALAR", count);
    buffer.accessors[accessor]["min"] = json!([0.0]);
    buffer.accessors[accessor]["max"] = json!([rounded(time(count - 1))]);
    accessor
}

fn add_animation(
    rig: &Rig,
    body: &BodyMeasurements,
    motion: &MotionDef,
    once: usize,
    buffer: &mut GltfBuffer,
) -> Value {
    let (name, seconds, rate, figure) = *motion;
    let count = (seconds * rate).round() as usize + 1;
    let solved: Vec<_> = (0..count).map(|i| body.solve(&figure(body, i as f64 / rate))).collect();
    for (i, (_, _, beyond)) in solved.iter().enumerate() {
        assert!(*beyond < 5e-4, "{name}: at key {i} a foot is {beyond} m out of reach");
    }
    let ticks = add_key_times(buffer, count, rate);
    let (mut samplers, mut channels) = (Vec::new(), Vec::new());
    let mut add = |node: u16, path: &str, input: usize, output: usize| {
        channels.push(json!({ "sampler": samplers.len(), "target": { "node": node, "path": path } }));
        samplers.push(json!({ "input": input, "output": output }));
    };
    let places = float_bytes(solved.iter().flat_map(|(hips, ..)| hips.as_vec3().to_array()));
    let places = buffer.add_accessor(&places, None, FLOAT, "VEC3", count);
    add(rig.find_bone(POSED_BONES[0]), "translation", ticks, places);
    for (i, bone) in POSED_BONES.iter().enumerate() {
        let mut keys: Vec<[i16; 4]> = Vec::with_capacity(count);
        let mut before = DQuat::IDENTITY;
        for (_, turns, _) in &solved {
            // q and -q are the same rotation. The sign nearer to the previous key makes interpolation take the short
            // way.
            let turn = if turns[i].dot(before) < 0.0 { -turns[i] } else { turns[i] };
            before = turn;
            keys.push(turn.to_array().map(|x| (x.clamp(-1.0, 1.0) * 32767.0).round() as i16));
        }
        let steady = keys.iter().all(|k| *k == keys[0]);
        if steady {
            keys.truncate(1);
        }
        let bytes: Vec<u8> = keys.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
        let output = buffer.add_accessor(&bytes, None, SHORT, "VEC4", keys.len());
        buffer.accessors[output]["normalized"] = json!(true);
        add(rig.find_bone(bone), "rotation", if steady { once } else { ticks }, output);
    }
    json!({ "name": name, "samplers": samplers, "channels": channels })
}
