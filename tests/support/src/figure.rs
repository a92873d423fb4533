//! Generates a humanoid body of tubes and a sphere with known radii, with hair and a skirt of eight columns.

use glam::{Quat, Vec3};
use std::f32::consts::TAU;
use yuremono_model::document::{Chain, ChainId, ChainPart, Document, Joint};
use yuremono_sim::math::Trs;
use yuremono_sim::rig::{Bone, BoneId, Character, Mesh, Primitive, Skeleton};

/// Name, role, parent and world position in metres of each bone.
const BONES: &[(&str, &str, &str, [f32; 3])] = &[
    ("Hips", "hips", "", [0.0, 0.9, 0.0]),
    ("Spine", "spine", "Hips", [0.0, 1.0, 0.0]),
    ("Chest", "chest", "Spine", [0.0, 1.15, 0.0]),
    ("Neck", "neck", "Chest", [0.0, 1.35, 0.0]),
    ("Head", "head", "Neck", [0.0, 1.43, 0.0]),
    ("Arm_L", "leftUpperArm", "Chest", [0.18, 1.3, 0.0]),
    ("ForeArm_L", "leftLowerArm", "Arm_L", [0.4, 1.3, 0.0]),
    ("Hand_L", "leftHand", "ForeArm_L", [0.6, 1.3, 0.0]),
    ("Arm_R", "rightUpperArm", "Chest", [-0.18, 1.3, 0.0]),
    ("ForeArm_R", "rightLowerArm", "Arm_R", [-0.4, 1.3, 0.0]),
    ("Hand_R", "rightHand", "ForeArm_R", [-0.6, 1.3, 0.0]),
    ("Leg_L", "leftUpperLeg", "Hips", [0.09, 0.85, 0.0]),
    ("Shin_L", "leftLowerLeg", "Leg_L", [0.09, 0.45, 0.0]),
    ("Foot_L", "leftFoot", "Shin_L", [0.09, 0.08, 0.0]),
    ("Leg_R", "rightUpperLeg", "Hips", [-0.09, 0.85, 0.0]),
    ("Shin_R", "rightLowerLeg", "Leg_R", [-0.09, 0.45, 0.0]),
    ("Foot_R", "rightFoot", "Shin_R", [-0.09, 0.08, 0.0]),
];

pub const COLUMNS: usize = 8;
/// Joints per column.
pub const ROWS: usize = 4;

/// Surface radii in metres of the upper arm, the thigh, and the head with the hair around it.
pub const ARM_RADIUS: f32 = 0.04;
pub const THIGH_RADIUS: f32 = 0.07;
pub const HEAD_RADIUS: f32 = 0.1;

/// Returns a character with body bones, then a strand of hair, and then the skirt columns. The strand and each column
/// end in a tip bone.
pub fn character() -> Character {
    let mut bones: Vec<Bone> = Vec::new();
    let mut places: Vec<Vec3> = Vec::new();
    let mut push = |name: &str, parent: Option<usize>, at: Vec3| {
        let from = parent.map_or(Vec3::ZERO, |p| places[p]);
        let rest = Trs { translation: at - from, rotation: Quat::IDENTITY, scale: Vec3::ONE };
        bones.push(Bone { name: name.to_owned(), parent: parent.map(|p| BoneId(p as u32)), rest });
        places.push(at);
        places.len() - 1
    };
    let index = |name: &str| BONES.iter().position(|b| b.0 == name);
    for (name, _, parent, at) in BONES {
        push(name, index(parent), Vec3::from(*at));
    }
    let mut above = index("Head");
    for (i, y) in [1.55, 1.42, 1.28, 1.14].into_iter().enumerate() {
        above = Some(push(&format!("hair_{i}"), above, Vec3::new(0.0, y, if i == 0 { -0.05 } else { -0.13 })));
    }
    for column in 0..COLUMNS {
        let turn = TAU * column as f32 / COLUMNS as f32;
        let mut above = index("Hips");
        for row in 0..=ROWS {
            let out = 0.14 + 0.04 * row as f32;
            let at = Vec3::new(out * libm::sinf(turn), 0.88 - 0.11 * row as f32, out * libm::cosf(turn));
            above = Some(push(&format!("skirt_{column}_{row}"), above, at));
        }
    }
    let skeleton = Skeleton::new(bones).expect("parents first");
    let mut character = Character { name: "figure".to_owned(), meshes: meshes(), skeleton, ..Character::default() };
    for (i, (_, role, ..)) in BONES.iter().enumerate() {
        character.humanoid.set(role, BoneId(i as u32));
    }
    character
}

/// Returns a document with the hair and skirt as chains. Tip bones are not joints.
pub fn document(character: &Character) -> Document {
    let bone = |name: &str| character.skeleton.find(name).expect("a bone of the character");
    let mut document = Document::default();
    let mut put = |id: usize, part, names: Vec<String>| {
        let joints = names.iter().map(|name| Joint::new(bone(name))).collect();
        let chain = Chain::new(names[0].clone(), part, document.main_system().param_defs(), joints);
        document.chains.insert(ChainId(id as u32), chain);
    };
    put(1, ChainPart::Hair, (0..3).map(|i| format!("hair_{i}")).collect());
    for column in 0..COLUMNS {
        put(2 + column, ChainPart::Skirt, (0..ROWS).map(|row| format!("skirt_{column}_{row}")).collect());
    }
    document
}

/// Returns one mesh per body part. Each mesh follows its bone. The hair mesh around the head is recognised by its name.
fn meshes() -> Vec<Mesh> {
    let at = |name: &str| BONES.iter().find(|b| b.0 == name).map_or(Vec3::ZERO, |b| Vec3::from(b.3));
    let mesh = |name: &str, bone: &str, positions: Vec<Vec3>| {
        let origin = at(bone);
        let positions = positions.into_iter().map(|p| p - origin).collect();
        let bone = BoneId(BONES.iter().position(|b| b.0 == bone).unwrap_or_default() as u32);
        let primitives = vec![Primitive { positions, ..Primitive::default() }];
        Mesh { name: name.to_owned(), bone, skin: None, primitives, morph_weights: Vec::new(), is_hidden: false }
    };
    let tube = |from: &str, to: &str, radii: [f32; 2]| tube_vertices(at(from), at(to), radii);
    let ball = |radius: f32| {
        let centre = at("Head") + Vec3::Y * radius;
        let all = (0..12).flat_map(move |i| {
            let y = -1.0 + 2.0 * (i as f32 + 0.5) / 12.0;
            let flat = (1.0 - y * y).sqrt();
            (0..24).map(move |k| (TAU * k as f32 / 24.0, y, flat))
        });
        all.map(|(a, y, flat)| centre + radius * Vec3::new(flat * libm::sinf(a), y, flat * libm::cosf(a)))
            .collect::<Vec<_>>()
    };
    let mut meshes = vec![
        mesh("Face", "Head", ball(HEAD_RADIUS)),
        mesh("Hair", "Head", ball(0.2)),
        mesh("Neck", "Neck", tube("Neck", "Head", [0.035; 2])),
        mesh("Chest", "Chest", tube_vertices(Vec3::new(0.0, 1.12, 0.0), Vec3::new(0.0, 1.32, 0.0), [0.15, 0.09])),
        mesh("Hips", "Hips", tube_vertices(Vec3::new(0.0, 0.82, 0.0), Vec3::new(0.0, 0.95, 0.0), [0.14, 0.1])),
    ];
    for side in ["L", "R"] {
        let name = |bone: &str| format!("{bone}_{side}");
        for (from, to, radius) in [
            ("Arm", "ForeArm", ARM_RADIUS),
            ("ForeArm", "Hand", 0.03),
            ("Leg", "Shin", THIGH_RADIUS),
            ("Shin", "Foot", 0.05),
        ] {
            meshes.push(mesh(&name(from), &name(from), tube(&name(from), &name(to), [radius; 2])));
        }
    }
    meshes
}

/// Returns rings of vertices around a line, with sideways and forward radii.
fn tube_vertices(from: Vec3, to: Vec3, [wide, deep]: [f32; 2]) -> Vec<Vec3> {
    let turn = Quat::from_rotation_arc(Vec3::Y, (to - from).normalize());
    let steps = (0..=10).map(|i| i as f32 / 10.0);
    let around = move |t: f32| (0..24).map(move |k| (t, TAU * k as f32 / 24.0));
    let point =
        |(t, a): (f32, f32)| from.lerp(to, t) + turn * Vec3::new(wide * libm::cosf(a), 0.0, deep * libm::sinf(a));
    steps.flat_map(around).map(point).collect()
}
