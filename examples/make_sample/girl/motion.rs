//! Her motions, as animations of the file.
//!
//! Walking and running stay in place: the foot that bears her moves back as steadily as the ground would. In all
//! others it stays where it stands.

use super::buffer::{Buffer, FLOAT, SIGNED_SHORT, floats, number};
use super::dance;
use super::gait;
use super::posing::{Body, Figure, MOVED};
use super::rig::Rig;
use glam::DQuat;
use serde_json::{Value, json};

/// One motion: name, seconds, keys a second, the figure at a time.
type Motion = (&'static str, f64, f64, fn(&Body, f64) -> Figure);

const MOTIONS: [Motion; 10] = [
    ("Idle", 6.0, 15.0, dance::idle),
    ("Walk", gait::WALK.seconds, 30.0, gait::walk),
    ("Run", gait::RUN.seconds, 50.0, gait::run),
    ("Run and stop", gait::LAP_SECONDS, 30.0, gait::run_and_stop),
    ("Jump", 2.0, 30.0, dance::jump),
    ("Spin", 2.6, 30.0, dance::spin),
    ("Head shake", 2.0, 30.0, dance::head_shake),
    ("Sit", 4.0, 20.0, dance::sit),
    ("Leg lift", 3.2, 30.0, dance::leg_lift),
    ("Squat", 2.4, 20.0, dance::squat),
];

/// `animations` of the document.
pub(super) fn animations(rig: &Rig, buffer: &mut Buffer) -> Vec<Value> {
    let body = Body::of(rig);
    let once = times(buffer, 1, 1.0);
    MOTIONS.iter().map(|motion| animation(rig, &body, motion, once, buffer)).collect()
}

fn times(buffer: &mut Buffer, count: usize, rate: f64) -> usize {
    let time = |i: usize| (i as f64 / rate) as f32;
    let accessor = buffer.accessor(&floats((0..count).map(time)), None, FLOAT, "SCALAR", count);
    buffer.accessors[accessor]["min"] = json!([0.0]);
    buffer.accessors[accessor]["max"] = json!([number(time(count - 1))]);
    accessor
}

fn animation(rig: &Rig, body: &Body, motion: &Motion, once: usize, buffer: &mut Buffer) -> Value {
    let (name, seconds, rate, figure) = *motion;
    let count = (seconds * rate).round() as usize + 1;
    let solved: Vec<_> = (0..count).map(|i| body.solve(&figure(body, i as f64 / rate))).collect();
    for (i, (_, _, beyond)) in solved.iter().enumerate() {
        assert!(*beyond < 5e-4, "{name}: at key {i} a foot is {beyond} m out of reach");
    }
    let ticks = times(buffer, count, rate);
    let (mut samplers, mut channels) = (Vec::new(), Vec::new());
    let mut add = |node: u16, path: &str, input: usize, output: usize| {
        channels.push(json!({ "sampler": samplers.len(), "target": { "node": node, "path": path } }));
        samplers.push(json!({ "input": input, "output": output }));
    };
    let places = floats(solved.iter().flat_map(|(hips, ..)| hips.as_vec3().to_array()));
    let places = buffer.accessor(&places, None, FLOAT, "VEC3", count);
    add(rig.find(MOVED[0]), "translation", ticks, places);
    for (i, bone) in MOVED.iter().enumerate() {
        let mut keys: Vec<[i16; 4]> = Vec::with_capacity(count);
        let mut before = DQuat::IDENTITY;
        for (_, turns, _) in &solved {
            // The two spellings of a turn: the one near the key before.
            let turn = if turns[i].dot(before) < 0.0 { -turns[i] } else { turns[i] };
            before = turn;
            keys.push(turn.to_array().map(|x| (x.clamp(-1.0, 1.0) * 32767.0).round() as i16));
        }
        let steady = keys.iter().all(|k| *k == keys[0]);
        if steady {
            keys.truncate(1);
        }
        let bytes: Vec<u8> = keys.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
        let output = buffer.accessor(&bytes, None, SIGNED_SHORT, "VEC4", keys.len());
        buffer.accessors[output]["normalized"] = json!(true);
        add(rig.find(bone), "rotation", if steady { once } else { ticks }, output);
    }
    json!({ "name": name, "samplers": samplers, "channels": channels })
}
