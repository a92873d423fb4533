//! The VRM 1.0 extensions: metadata, humanoid bones, springs and colliders.

use super::features::MORPH_TARGETS;
use super::naming::NamingScheme;
use super::rig::{Rig, SpringChain, SpringFeel};
use super::shape::interpolate;
use serde_json::{Map, Value, json};

/// Returns `VRMC_vrm`. `face` is the node with the morph targets.
pub(super) fn vrm_extension(rig: &Rig, name: &str, face: Option<usize>) -> Value {
    let bones: Map<String, Value> = rig
        .bones
        .iter()
        .enumerate()
        .filter_map(|(i, bone)| Some((bone.role?.to_owned(), json!({ "node": i }))))
        .collect();
    let mut character = json!({
        "specVersion": "1.0",
        "meta": {
            "name": name,
            "version": "2.0",
            "authors": ["The Yuremono authors"],
            "copyrightInformation": "No rights reserved (CC0 1.0)",
            "licenseUrl": "https://vrm.dev/licenses/1.0/",
            "avatarPermission": "everyone",
            "allowExcessivelyViolentUsage": true,
            "allowExcessivelySexualUsage": false,
            "commercialUsage": "corporation",
            "allowPoliticalOrReligiousUsage": true,
            "allowAntisocialOrHateUsage": false,
            "creditNotation": "unnecessary",
            "allowRedistribution": true,
            "modification": "allowModificationRedistribution",
            "otherLicenseUrl": "https://creativecommons.org/publicdomain/zero/1.0/"
        },
        "humanoid": { "humanBones": bones }
    });
    if let Some(face) = face {
        character["expressions"] = json!({ "preset": expressions(face) });
    }
    character
}

/// Expression name, morph targets with weights, and whether the expression blocks blinking.
type Expression = (&'static str, &'static [(&'static str, f64)], bool);

const EXPRESSIONS: [Expression; 13] = [
    ("happy", &[("Joy", 1.0), ("Smile", 1.0)], true),
    ("relaxed", &[("BlinkL", 0.45), ("BlinkR", 0.45), ("Smile", 0.6)], true),
    ("angry", &[("Angry", 1.0)], false),
    ("sad", &[("Sad", 1.0)], false),
    ("surprised", &[("Surprised", 1.0)], true),
    ("aa", &[("A", 1.0)], false),
    ("ih", &[("I", 1.0)], false),
    ("ou", &[("U", 1.0)], false),
    ("ee", &[("E", 1.0)], false),
    ("oh", &[("O", 1.0)], false),
    ("blink", &[("BlinkL", 1.0), ("BlinkR", 1.0)], false),
    ("blinkLeft", &[("BlinkL", 1.0)], false),
    ("blinkRight", &[("BlinkR", 1.0)], false),
];

fn expressions(face: usize) -> Value {
    let target = |name: &str| MORPH_TARGETS.iter().position(|t| *t == name).expect("a target of the face");
    let one = |(name, shares, eyes): &Expression| {
        let binds: Vec<Value> = shares
            .iter()
            .map(|(name, weight)| json!({ "node": face, "index": target(name), "weight": weight }))
            .collect();
        let expression = json!({
            "isBinary": false,
            "overrideBlink": if *eyes { "block" } else { "none" },
            "overrideLookAt": "none",
            "overrideMouth": "none",
            "morphTargetBinds": binds
        });
        ((*name).to_owned(), expression)
    };
    Value::Object(EXPRESSIONS.iter().map(one).collect::<Map<String, Value>>())
}

/// Returns `VRMC_springBone`.
pub(super) fn spring_bone_extension(rig: &Rig, spelling: NamingScheme) -> Value {
    let bumpers = colliders(rig);
    let mut names: Vec<&str> = Vec::new();
    for (group, ..) in &bumpers {
        if !names.contains(group) {
            names.push(group);
        }
    }
    let colliders: Vec<Value> = bumpers
        .iter()
        .map(|(_, bone, shape)| {
            let node = rig.find_bone(bone);
            if shape.get("plane").is_none() {
                return json!({ "node": node, "shape": shape });
            }
            // Readers that do not support planes use this sphere, which nothing touches.
            json!({
                "node": node,
                "shape": { "sphere": { "offset": [0.0, -10000.0, 0.0], "radius": 0.0 } },
                "extensions": { "VRMC_springBone_extended_collider": { "specVersion": "1.0", "shape": shape } }
            })
        })
        .collect();
    let members = |name: &str| -> Vec<usize> { (0..bumpers.len()).filter(|&i| bumpers[i].0 == name).collect() };
    let groups: Vec<Value> = names.iter().map(|name| json!({ "name": name, "colliders": members(name) })).collect();
    let springs: Vec<Value> = rig.springs.iter().map(|s| spring_json(rig, s, &names, spelling)).collect();
    json!({ "specVersion": "1.0", "colliders": colliders, "colliderGroups": groups, "springs": springs })
}

/// Group, bone and shape of a collider. Offsets are in metres from the bone.
type ColliderEntry = (&'static str, String, Value);

fn ball(offset: [f64; 3], radius: f64) -> Value {
    json!({ "sphere": { "offset": offset, "radius": radius } })
}

fn pill(offset: [f64; 3], tail: [f64; 3], radius: f64) -> Value {
    json!({ "capsule": { "offset": offset, "radius": radius, "tail": tail } })
}

/// Returns a capsule across the body, from `x` on the left side to `x` on the right side.
fn crosswise([x, y, z]: [f64; 3], radius: f64) -> Value {
    pill([x, y, z], [-x, y, z], radius)
}

/// Returns all colliders.
fn colliders(rig: &Rig) -> Vec<ColliderEntry> {
    let mut list = trunk_colliders();
    for (letter, side) in [("L", 1.0), ("R", -1.0)] {
        list.extend(arm_colliders(rig, letter, side));
        list.extend(leg_colliders(letter, side));
    }
    list.push((
        "Floor",
        "Root".to_owned(),
        json!({ "plane": { "offset": [0.0, 0.0, 0.0], "normal": [0.0, 1.0, 0.0] } }),
    ));
    list
}

fn trunk_colliders() -> Vec<ColliderEntry> {
    let shapes = [
        ("Head", "Head", ball([0.0, 0.150, -0.010], 0.131)),
        ("Head", "Head", ball([0.0, 0.070, 0.015], 0.106)),
        ("Body", "Neck", pill([0.0, -0.01, 0.0], [0.0, 0.05, 0.008], 0.034)),
        ("Body", "UpperChest", crosswise([0.035, 0.02, 0.003], 0.061)),
        ("Body", "UpperChest", crosswise([0.050, 0.066, -0.010], 0.036)),
        ("Body", "Chest", crosswise([0.020, 0.02, 0.003], 0.068)),
        ("Body", "Chest", crosswise([0.042, 0.062, 0.024], 0.062)),
        ("Body", "Spine", ball([0.0, 0.03, 0.0], 0.07)),
        ("Hips", "Hips", crosswise([0.03, 0.0, -0.002], 0.067)),
        ("Hips", "Hips", crosswise([0.028, 0.05, -0.002], 0.052)),
        // The skirt around the hips, for long hair.
        ("Waist", "Hips", crosswise([0.050, -0.02, 0.0], 0.100)),
        // The collar and the knot of the bow, for the braid and long hair.
        ("Back", "UpperChest", crosswise([0.040, 0.066, -0.024], 0.048)),
        ("Back", "UpperChest", crosswise([0.040, 0.010, -0.036], 0.050)),
        ("Back", "Chest", crosswise([0.030, 0.010, -0.026], 0.052)),
        ("Back", "Spine", crosswise([0.060, 0.055, -0.098], 0.026)),
        // Smaller than the chest collider, because the bell in front of the chest must hang freely.
        ("Bell", "UpperChest", crosswise([0.035, 0.02, 0.003], 0.040)),
    ];
    shapes.into_iter().map(|(group, bone, shape)| (group, format!("J_Bip_C_{bone}"), shape)).collect()
}

fn arm_colliders(rig: &Rig, letter: &str, side: f64) -> Vec<ColliderEntry> {
    let bone = |name: &str| format!("J_Bip_{letter}_{name}");
    let reach = |from: &str, to: &str, share: f32| {
        let way = (rig.bone_position(&bone(to)) - rig.bone_position(&bone(from))) * share;
        way.to_array().map(|x| round_to_four_digits(f64::from(x)))
    };
    let forearm = |share: f32| reach("LowerArm", "Hand", share);
    let bow_loop = pill([side * 0.055, 0.070, -0.100], [side * 0.095, 0.078, -0.106], 0.038);
    vec![
        ("Bow", "J_Bip_C_Spine".to_owned(), bow_loop),
        ("Shoulders", bone("Shoulder"), ball([side * 0.062, -0.008, 0.0], 0.034)),
        ("Arms", bone("UpperArm"), pill([0.0; 3], reach("UpperArm", "LowerArm", 1.0), 0.050)),
        ("Arms", bone("LowerArm"), pill([0.0; 3], forearm(1.2), 0.043)),
        // The sleeve widens towards the hand.
        ("Arms", bone("LowerArm"), pill(forearm(0.35), forearm(0.85), 0.060)),
    ]
}

/// Distance below the hip joint in metres, radius, and outer end of the capsules across a thigh.
const THIGH_BARS: [(f64, f64, f64); 3] = [(0.07, 0.060, 0.030), (0.16, 0.064, 0.080), (0.26, 0.060, 0.110)];
/// Distance below the hip joint in metres, and radius of the capsules of a lap. In wider gaps, tips of the skirt would
/// swing between two capsules without end.
const LAP_BARS: [(f64, f64); 10] = [
    (0.06, 0.060),
    (0.09, 0.0637),
    (0.12, 0.0673),
    (0.15, 0.071),
    (0.18, 0.072),
    (0.21, 0.073),
    (0.24, 0.074),
    (0.27, 0.0727),
    (0.30, 0.0713),
    (0.33, 0.070),
];

fn leg_colliders(letter: &str, side: f64) -> Vec<ColliderEntry> {
    let bone = |name: &str| format!("J_Bip_{letter}_{name}");
    let thigh = |group: &'static str, shape: Value| (group, bone("UpperLeg"), shape);
    let mut list = vec![
        thigh("Legs", pill([0.0, -0.01, 0.0], [side * 0.002, -0.20, 0.006], 0.058)),
        thigh("Legs", pill([side * 0.001, -0.20, 0.006], [side * 0.003, -0.36, 0.010], 0.048)),
    ];
    // Joints of the skirt would slip between round thighs.
    list.extend(THIGH_BARS.map(|(down, radius, end)| {
        thigh("Thighs", pill([side * -0.150, -down, 0.0], [side * end, -down, 0.0], radius))
    }));
    // The front of the skirt would slip off both sides of a raised thigh.
    list.extend(
        LAP_BARS.map(|(down, radius)| {
            thigh("Lap", pill([side * -0.150, -down, 0.004], [side * 0.180, -down, 0.004], radius))
        }),
    );
    list.push(("Legs", bone("LowerLeg"), pill([0.0, -0.02, 0.0], [0.0, -0.28, -0.018], 0.042)));
    list
}

fn spring_json(rig: &Rig, spring: &SpringChain, groups: &[&str], spelling: NamingScheme) -> Value {
    let last = spring.bones.len() - 1;
    let joint = |i: usize| {
        let node = spring.bones[i];
        if i == last {
            return json!({ "node": node });
        }
        let next = spring.bones[i + 1];
        let length = (rig.bones[usize::from(next)].position - rig.bones[usize::from(node)].position).length();
        let share = if last > 1 { i as f32 / (last - 1) as f32 } else { 0.0 };
        joint_params(node, &spring.feel, length, share)
    };
    let label = rig.bones[usize::from(spring.bones[0])].label;
    let name = label.map_or_else(|| spring.name.clone(), |(label, _)| spelling.chain_name(label));
    let avoids: Vec<usize> =
        groups.iter().enumerate().filter(|(_, g)| spring.feel.collider_groups.contains(g)).map(|(i, _)| i).collect();
    json!({
        "name": name,
        "joints": (0..=last).map(joint).collect::<Vec<_>>(),
        "colliderGroups": avoids
    })
}

/// Returns parameters with which a joint of `length` metres has the given feel at 60 Hz.
fn joint_params(node: u16, feel: &SpringFeel, length: f32, share: f32) -> Value {
    let step = 1.0 / 60.0;
    let firm = f64::from(feel.root_frequency_ratio + (1.0 - feel.root_frequency_ratio) * share);
    let omega = std::f64::consts::TAU * f64::from(feel.frequency) * firm;
    let damping = f64::from(feel.damping);
    let kept = libm::exp(-2.0 * damping * omega * step);
    let pull = 1.0 + kept - 2.0 * kept.sqrt() * libm::cos(omega * (1.0 - damping * damping).sqrt() * step);
    let radius = f64::from(interpolate(feel.radius, share));
    json!({
        "node": node,
        "hitRadius": round_to_four_digits(radius),
        "stiffness": round_to_four_digits(pull * f64::from(length) / ((1.0 - pull) * step)),
        "gravityPower": round_to_four_digits(f64::from(feel.weight) * step / (1.0 - pull)),
        "gravityDir": [0.0, -1.0, 0.0],
        "dragForce": round_to_four_digits(1.0 - kept / (1.0 - pull))
    })
}

/// Rounds to four digits: accurate enough for a spring, and independent of the last bit of the platform's `exp`.
fn round_to_four_digits(x: f64) -> f64 {
    (x * 1e4).round() / 1e4
}
