//! The neck, arms, hands, legs, socks and shoes of the sample character.

use super::rig::FINGER_LAYOUT;
use super::shape::{
    SkinWeights, Tube, Vertex, blend_weights, catmull_rom, interpolate, sin_cos_of_turns, single_bone_weights,
    smoothstep, weights_along,
};
use super::{SampleCharacter, SurfaceMaterial};
use glam::{Vec2, Vec3};

pub(super) fn add(girl: &mut SampleCharacter) {
    add_neck(girl);
    for (letter, side) in [('L', 1.0), ('R', -1.0)] {
        add_arm(girl, letter);
        add_hand(girl, letter, side);
        add_leg(girl, letter);
        add_shoe(girl, letter, side);
    }
}

fn add_neck(girl: &mut SampleCharacter) {
    let bones = ["J_Bip_C_UpperChest", "J_Bip_C_Neck", "J_Bip_C_Head"].map(|n| girl.rig.find_bone(n));
    let path = [Vec3::new(0.0, 1.09, -0.008), Vec3::new(0.0, 1.15, -0.014), Vec3::new(0.0, 1.24, -0.006)];
    let width = [(0.0, 0.060), (0.3, 0.040), (0.5, 0.029), (1.0, 0.028)];
    let tube = Tube {
        path: &path,
        width: &width,
        thickness: &width,
        outward: Vec3::Z,
        folds: (0.0, 0.0),
        rows: 10,
        columns: 16,
    };
    let start = tube.add(girl.mesh(SurfaceMaterial::Skin), |t| weights_along(&bones, t * 2.0 + 0.5));
    // The shadow of the chin is an arc that is lowest in the middle.
    let edge = |p: Vec3| 1.152 + 14.0 * p.x * p.x - 0.25 * p.z;
    girl.mesh(SurfaceMaterial::Skin)
        .remap_uv(start, |v| Vec2::new(0.5, 0.5 + (edge(v.position) - v.position.y) * 20.0));
}

/// Returns the skin weights of a limb with two long bones and an end bone; `t` is 0 at the root and 1 at the end.
pub(super) fn limb_weights(bones: [u16; 3], middle: f32, t: f32) -> SkinWeights {
    if t < f32::midpoint(middle, 1.0) {
        let s = smoothstep(middle - 0.10, middle + 0.10, t);
        [(bones[0], 1.0 - s), (bones[1], s), (0, 0.0), (0, 0.0)]
    } else {
        let s = smoothstep(0.93, 1.03, t);
        [(bones[1], 1.0 - s), (bones[2], s), (0, 0.0), (0, 0.0)]
    }
}

pub(super) fn arm_bones(girl: &SampleCharacter, letter: char) -> [u16; 3] {
    ["UpperArm", "LowerArm", "Hand"].map(|n| girl.rig.find_bone(&format!("J_Bip_{letter}_{n}")))
}

fn add_arm(girl: &mut SampleCharacter, letter: char) {
    let bones = arm_bones(girl, letter);
    let [a, b, c] = bones.map(|i| girl.rig.bones[usize::from(i)].position);
    let path = [a, a.midpoint(b), b, b.midpoint(c), c];
    let width = [(0.0, 0.010), (0.1, 0.024), (0.5, 0.023), (0.75, 0.021), (1.0, 0.0140)];
    let tube = Tube {
        path: &path,
        width: &width,
        thickness: &width,
        outward: Vec3::Z,
        folds: (0.0, 0.0),
        rows: 14,
        columns: 12,
    };
    let start = tube.add(girl.mesh(SurfaceMaterial::Skin), |t| limb_weights(bones, 0.5, t));
    // Only the part of the arm below the sleeve is shaded.
    girl.mesh(SurfaceMaterial::Skin).remap_uv(start, |v| Vec2::new(0.5, 0.5 + (v.uv.y - 0.925) * 6.0));
}

fn add_hand(girl: &mut SampleCharacter, letter: char, side: f32) {
    let hand = girl.rig.find_bone(&format!("J_Bip_{letter}_Hand"));
    let rig = &girl.rig;
    let text = letter.to_string();
    let place = |p: Vec3| rig.hand_point(&text, side, p);
    let path = [(-0.020, 0.0), (0.012, 0.001), (0.036, 0.001), (0.064, 0.0)].map(|(x, z)| place(Vec3::new(x, 0.0, z)));
    let ahead = Vec3::Z;
    let width = [(0.0, 0.0140), (0.25, 0.0155), (0.55, 0.0225), (0.82, 0.0215), (0.95, 0.0150), (1.0, 0.0)];
    let thick = [(0.0, 0.0135), (0.3, 0.0125), (0.7, 0.0105), (0.92, 0.0075), (1.0, 0.0)];
    // The first axis of the tube is perpendicular to its path and to `outward`, so `width` holds the thickness.
    let palm = Tube {
        path: &path,
        width: &thick,
        thickness: &width,
        outward: ahead,
        folds: (0.0, 0.0),
        rows: 14,
        columns: 16,
    };
    let mut fingers = Vec::new();
    for (i, (from, way, length)) in FINGER_LAYOUT.into_iter().enumerate() {
        let name = ["Thumb", "Index", "Middle", "Ring", "Little"][i];
        let bones = [1, 2, 3].map(|n| rig.find_bone(&format!("J_Bip_{letter}_{name}{n}")));
        let point = |t: f32| place(from + way.normalize() * (length * t) - Vec3::Z * (0.004 * t * t));
        let path = [-0.18, 0.2, 0.6, 1.0].map(point);
        let fat = [0.0088, 0.0072, 0.0074, 0.0071, 0.0062][i];
        fingers.push((bones, path, fat));
    }
    let start = palm.add(girl.mesh(SurfaceMaterial::Skin), |_| single_bone_weights(hand));
    for (bones, path, fat) in fingers {
        let round =
            [(0.0, fat * 0.8), (0.2, fat), (0.6, fat * 0.92), (0.86, fat * 0.78), (0.96, fat * 0.42), (1.0, 0.0)];
        let finger = Tube {
            path: &path,
            width: &round,
            thickness: &round,
            outward: ahead,
            folds: (0.0, 0.0),
            rows: 10,
            columns: 8,
        };
        finger.add(girl.mesh(SurfaceMaterial::Skin), |t| {
            let x = (t * 1.18 - 0.18) / 0.36;
            blend_weights(single_bone_weights(hand), weights_along(&bones, x.max(0.0)), smoothstep(-0.35, 0.15, x))
        });
    }
    girl.mesh(SurfaceMaterial::Skin).remap_uv(start, |_| LIT_SKIN_UV);
}

/// UV of a lit point of the skin texture.
pub(super) const LIT_SKIN_UV: Vec2 = Vec2::new(0.5, 0.9);

const LEG_RADIUS: [(f32, f32); 10] = [
    (0.0, 0.072),
    (0.12, 0.0705),
    (0.25, 0.064),
    (0.40, 0.0510),
    (0.52, 0.0425),
    (0.60, 0.0425),
    (0.69, 0.0455),
    (0.80, 0.0375),
    (0.91, 0.0262),
    (1.0, 0.0245),
];
/// Forward offset of the centre of the leg. Thighs bulge forward, and calves bulge backward.
const LEG_CENTER_OFFSET: [(f32, f32); 7] =
    [(0.0, -0.004), (0.22, 0.008), (0.48, 0.004), (0.56, 0.001), (0.70, -0.013), (0.88, -0.006), (1.0, 0.0)];

fn add_leg(girl: &mut SampleCharacter, letter: char) {
    let bones = ["UpperLeg", "LowerLeg", "Foot"].map(|n| girl.rig.find_bone(&format!("J_Bip_{letter}_{n}")));
    let [a, b, c] = bones.map(|i| girl.rig.bones[usize::from(i)].position);
    let top = a + Vec3::Y * 0.03;
    let path = [top, top.lerp(b, 0.5), b, b.lerp(c, 0.5), c];
    // Socks reach from the ankle to above the knee. The skin ends slightly inside the socks.
    let sock = 0.40;
    let mut part = |cloth, from: f32, to: f32, extra: &[(f32, f32)], rows| {
        girl.mesh(cloth).add_grid(rows, 21, |v, u| {
            let t = from + (to - from) * v;
            let (sin, cos) = sin_cos_of_turns(u);
            let r = interpolate(&LEG_RADIUS, t) + interpolate(extra, v);
            // Legs are slightly narrower from side to side than from front to back, because the thighs touch.
            let at =
                catmull_rom(&path, t) + Vec3::new(cos * r * 0.95, 0.0, sin * r + interpolate(&LEG_CENTER_OFFSET, t));
            // The skin darkens gradually towards the skirt.
            let v = if cloth == SurfaceMaterial::Skin { 0.5 + (t - 0.225) } else { 0.3 };
            Vertex { position: at, uv: Vec2::new(0.4, v), weights: limb_weights(bones, 0.5, t) }
        });
    };
    part(SurfaceMaterial::Skin, 0.0, sock + 0.03, &[(0.0, 0.0), (1.0, 0.0)], 11);
    part(SurfaceMaterial::Navy, sock, 1.0, &[(0.0, 0.0), (0.02, 0.0035), (1.0, 0.003)], 19);
    part(SurfaceMaterial::Navy, 0.0, 0.235, &[(0.0, 0.004), (1.0, 0.0045)], 7);
    part(
        SurfaceMaterial::White,
        sock + 0.003,
        sock + 0.045,
        &[(0.0, 0.001), (0.15, 0.0055), (0.85, 0.0055), (1.0, 0.002)],
        6,
    );
}

fn add_shoe(girl: &mut SampleCharacter, letter: char, side: f32) {
    let foot = girl.rig.find_bone(&format!("J_Bip_{letter}_Foot"));
    let toes = girl.rig.find_bone(&format!("J_Bip_{letter}_ToeBase"));
    let x = girl.rig.bone_position(&format!("J_Bip_{letter}_Foot")).x;
    // Half width and height of the upper part of the shoe, from heel to toe.
    let width =
        [(0.0, 0.0), (0.06, 0.022), (0.2, 0.031), (0.45, 0.033), (0.7, 0.040), (0.9, 0.030), (0.97, 0.017), (1.0, 0.0)];
    let height = [
        (0.0, 0.040),
        (0.05, 0.066),
        (0.2, 0.074),
        (0.36, 0.068),
        (0.55, 0.050),
        (0.8, 0.036),
        (0.95, 0.026),
        (1.0, 0.016),
    ];
    girl.mesh(SurfaceMaterial::Shoe).add_grid(19, 21, |t, u| {
        let (sin, cos) = sin_cos_of_turns(u);
        let z = -0.057 + 0.185 * t;
        let bend = side * 0.006 * smoothstep(0.3, 1.0, t);
        let top = interpolate(&height, t);
        // The cross-section is flat at the bottom and round at the top.
        let y = if sin < 0.0 { 0.012 + 0.006 * sin.max(-0.6) / 0.6 } else { 0.012 + (top - 0.012) * sin };
        let flare = 1.0 + 0.06 * smoothstep(0.2, -0.6, sin);
        let at = Vec3::new(x + bend + cos * interpolate(&width, t).max(0.0) * flare, y, z);
        let s = smoothstep(0.55, 0.8, t);
        Vertex { position: at, uv: Vec2::ZERO, weights: [(foot, 1.0 - s), (toes, s), (0, 0.0), (0, 0.0)] }
    });
    girl.mesh(SurfaceMaterial::White).add_grid(15, 21, |t, u| {
        let (sin, cos) = sin_cos_of_turns(u);
        let bend = side * 0.006 * smoothstep(0.3, 1.0, t);
        let half = interpolate(&width, t).max(0.0);
        let rim = if half > 0.0 { half * 1.06 + 0.0015 } else { 0.0 };
        let y = 0.007 + 0.007 * (sin * 3.0).clamp(-1.0, 1.0);
        let s = smoothstep(0.55, 0.8, t);
        let skin = [(foot, 1.0 - s), (toes, s), (0, 0.0), (0, 0.0)];
        Vertex { position: Vec3::new(x + bend + cos * rim, y, -0.0585 + 0.188 * t), uv: Vec2::ZERO, weights: skin }
    });
    // The strap across the instep.
    let path = [
        Vec3::new(x - 0.034, 0.030, 0.024),
        Vec3::new(x - 0.022, 0.062, 0.012),
        Vec3::new(x, 0.072, 0.008),
        Vec3::new(x + 0.022, 0.062, 0.012),
        Vec3::new(x + 0.034, 0.030, 0.024),
    ];
    let (width, thick) = ([(0.0, 0.008), (1.0, 0.008)], [(0.0, 0.003), (1.0, 0.003)]);
    let strap = Tube {
        path: &path,
        width: &width,
        thickness: &thick,
        outward: Vec3::Y,
        folds: (0.0, 0.0),
        rows: 12,
        columns: 8,
    };
    let start = strap.add(girl.mesh(SurfaceMaterial::Accent), |_| single_bone_weights(foot));
    girl.mesh(SurfaceMaterial::Accent).remap_uv(start, |_| Vec2::new(0.4, 0.6));
}
