//! The VRM 1.0 extensions: who she is, which bone is what, what swings and what it bumps into.

use super::rig::{Feel, Rig, Spring};
use serde_json::{Map, Value, json};

/// `VRMC_vrm`.
pub(super) fn character(rig: &Rig) -> Value {
    let bones: Map<String, Value> = rig
        .bones
        .iter()
        .enumerate()
        .filter_map(|(i, bone)| Some((bone.role?.to_owned(), json!({ "node": i }))))
        .collect();
    json!({
        "specVersion": "1.0",
        "meta": {
            "name": "Yure",
            "version": "1.0",
            "authors": ["The Yuremono authors"],
            "copyrightInformation": "No rights reserved (CC0 1.0)",
            "licenseUrl": "https://vrm.dev/licenses/1.0/",
            "avatarPermission": "everyone",
            "allowExcessivelyViolentUsage": false,
            "allowExcessivelySexualUsage": false,
            "commercialUsage": "corporation",
            "allowPoliticalOrReligiousUsage": false,
            "allowAntisocialOrHateUsage": false,
            "creditNotation": "unnecessary",
            "allowRedistribution": true,
            "modification": "allowModificationRedistribution",
            "otherLicenseUrl": "https://creativecommons.org/publicdomain/zero/1.0/"
        },
        "humanoid": { "humanBones": bones }
    })
}

/// `VRMC_springBone`.
pub(super) fn springs(rig: &Rig) -> Value {
    let bumpers = bumpers(rig);
    let mut names: Vec<&str> = Vec::new();
    for (group, ..) in &bumpers {
        if !names.contains(group) {
            names.push(group);
        }
    }
    let colliders: Vec<Value> =
        bumpers.iter().map(|(_, bone, shape)| json!({ "node": rig.find(bone), "shape": shape })).collect();
    let members = |name: &str| -> Vec<usize> { (0..bumpers.len()).filter(|&i| bumpers[i].0 == name).collect() };
    let groups: Vec<Value> = names.iter().map(|name| json!({ "name": name, "colliders": members(name) })).collect();
    let springs: Vec<Value> = rig.springs.iter().map(|s| spring(rig, s, &names)).collect();
    json!({ "specVersion": "1.0", "colliders": colliders, "colliderGroups": groups, "springs": springs })
}

/// Group, bone and shape of every collider; lengths in metres from the bone.
fn bumpers(rig: &Rig) -> Vec<(&'static str, String, Value)> {
    let ball = |offset: [f64; 3], radius: f64| json!({ "sphere": { "offset": offset, "radius": radius } });
    let pill = |offset: [f64; 3], tail: [f64; 3], radius: f64| json!({ "capsule": { "offset": offset, "radius": radius, "tail": tail } });
    let mut list = vec![
        ("Head", "J_Bip_C_Head".to_owned(), ball([0.0, 0.150, -0.010], 0.110)),
        ("Head", "J_Bip_C_Head".to_owned(), ball([0.0, 0.070, 0.015], 0.080)),
        ("Body", "J_Bip_C_Neck".to_owned(), pill([0.0, -0.01, 0.0], [0.0, 0.06, 0.008], 0.036)),
        ("Body", "J_Bip_C_Chest".to_owned(), pill([0.035, 0.08, -0.002], [-0.035, 0.08, -0.002], 0.066)),
        ("Body", "J_Bip_C_Chest".to_owned(), pill([0.018, 0.01, 0.004], [-0.018, 0.01, 0.004], 0.068)),
        ("Body", "J_Bip_C_Spine".to_owned(), ball([0.0, 0.03, 0.0], 0.07)),
        ("Hips", "J_Bip_C_Hips".to_owned(), pill([0.03, 0.0, -0.002], [-0.03, 0.0, -0.002], 0.083)),
    ];
    for letter in ["L", "R"] {
        let bone = |name: &str| format!("J_Bip_{letter}_{name}");
        let side = if letter == "L" { 1.0 } else { -1.0 };
        let reach = |from: &str, to: &str, share: f32| {
            let way = (rig.at(&bone(to)) - rig.at(&bone(from))) * share;
            way.to_array().map(|x| digits(f64::from(x)))
        };
        let upper = pill([0.0; 3], reach("UpperArm", "LowerArm", 1.0), 0.036);
        let lower = pill([0.0; 3], reach("LowerArm", "Hand", 1.2), 0.034);
        list.push(("Arms", bone("UpperArm"), upper));
        list.push(("Arms", bone("LowerArm"), lower));
        list.push(("Legs", bone("UpperLeg"), pill([0.0, -0.01, 0.0], [side * 0.002, -0.20, 0.004], 0.070)));
        list.push(("Legs", bone("UpperLeg"), pill([side * 0.001, -0.20, 0.004], [side * 0.002, -0.36, 0.008], 0.054)));
        // Bars across the thigh: between round thighs the columns of the skirt would slip past on either side.
        for (down, radius) in [(0.05, 0.066), (0.11, 0.068), (0.17, 0.068), (0.23, 0.062)] {
            let bar = pill([side * -0.088, -down, 0.0], [side * 0.036, -down, 0.0], radius);
            list.push(("Legs", bone("UpperLeg"), bar));
        }
        list.push(("Legs", bone("LowerLeg"), pill([0.0, -0.02, 0.0], [0.0, -0.28, -0.015], 0.046)));
    }
    list
}

fn spring(rig: &Rig, spring: &Spring, groups: &[&str]) -> Value {
    let last = spring.bones.len() - 1;
    let joint = |i: usize| {
        let node = spring.bones[i];
        if i == last {
            return json!({ "node": node });
        }
        let next = spring.bones[i + 1];
        let length = (rig.bones[usize::from(next)].at - rig.bones[usize::from(node)].at).length();
        let share = if last > 1 { i as f32 / (last - 1) as f32 } else { 0.0 };
        parameters(node, &spring.feel, length, share)
    };
    let avoids: Vec<usize> =
        groups.iter().enumerate().filter(|(_, g)| spring.feel.avoids.contains(g)).map(|(i, _)| i).collect();
    json!({
        "name": spring.name,
        "joints": (0..=last).map(joint).collect::<Vec<_>>(),
        "colliderGroups": avoids
    })
}

/// What a joint of `length` metres needs to swing as `feel` says when stepped at 60 Hz.
fn parameters(node: u16, feel: &Feel, length: f32, share: f32) -> Value {
    let step = 1.0 / 60.0;
    let omega = std::f64::consts::TAU * f64::from(feel.frequency);
    let damping = f64::from(feel.damping);
    let kept = (-2.0 * damping * omega * step).exp();
    let pull = 1.0 + kept - 2.0 * kept.sqrt() * (omega * (1.0 - damping * damping).sqrt() * step).cos();
    let radius = f64::from(feel.radius.0) + f64::from(feel.radius.1 - feel.radius.0) * f64::from(share);
    json!({
        "node": node,
        "hitRadius": digits(radius),
        "stiffness": digits(pull * f64::from(length) / ((1.0 - pull) * step)),
        "gravityPower": digits(f64::from(feel.weight) * step / (1.0 - pull)),
        "gravityDir": [0.0, -1.0, 0.0],
        "dragForce": digits(1.0 - kept / (1.0 - pull))
    })
}

/// Four digits: enough for a spring, and blind to the last bit of the platform's `exp`.
fn digits(x: f64) -> f64 {
    (x * 1e4).round() / 1e4
}
