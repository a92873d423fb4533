//! A blouse with wide sleeves, a sailor collar, bows and a pleated skirt.

use super::body::{arm_bones, limb_weights};
use super::naming::{ChainKind, ChainLabel};
use super::rig::SpringFeel;
use super::shape::{
    SkinWeights, Tube, Vertex, blend_weights, catmull_rom, interpolate, sin_cos_of_turns, single_bone_weights,
    smoothstep, weights_along,
};
use super::{SampleCharacter, SurfaceMaterial};
use glam::{Vec2, Vec3, vec3};

const SKIRT: SpringFeel = SpringFeel {
    frequency: 4.4,
    damping: 0.5,
    weight: 3.0,
    root_frequency_ratio: 1.9,
    radius: &[(0.0, 0.030), (1.0, 0.030)],
    collider_groups: &["Hips", "Legs", "Thighs"],
};
const SKIRT_LAP: SpringFeel = SpringFeel { collider_groups: &["Hips", "Legs", "Lap"], ..SKIRT };
const RIBBON: SpringFeel = SpringFeel {
    frequency: 3.5,
    damping: 0.35,
    weight: 0.5,
    root_frequency_ratio: 1.2,
    radius: &[(0.0, 0.010), (1.0, 0.010)],
    collider_groups: &["Body"],
};
const SLEEVE: SpringFeel = SpringFeel {
    frequency: 3.2,
    damping: 0.5,
    weight: 1.2,
    root_frequency_ratio: 1.2,
    radius: &[(0.0, 0.026), (1.0, 0.024)],
    collider_groups: &["Hips", "Legs"],
};
const SASH: SpringFeel = SpringFeel {
    frequency: 2.4,
    damping: 0.5,
    weight: 2.0,
    root_frequency_ratio: 1.3,
    radius: &[(0.0, 0.020), (1.0, 0.018)],
    collider_groups: &["Bow", "Hips", "Legs", "Thighs"],
};
const CHEST: &str = "J_Bip_C_UpperChest";
const HIPS: &str = "J_Bip_C_Hips";

/// Adds all clothes above the knee.
pub(super) fn add(girl: &mut SampleCharacter) {
    add_blouse(girl);
    add_collar(girl);
    add_chest_bow(girl);
    add_sleeve(girl, 'L', 1.0);
    add_sleeve(girl, 'R', -1.0);
    add_skirt(girl);
    add_sash(girl);
    add_shorts(girl);
}

/// Adds the bows at the roots of the twin tails.
pub(super) fn add_hair_bows(girl: &mut SampleCharacter) {
    add_hair_bow(girl, 1.0);
    add_hair_bow(girl, -1.0);
}

const TORSO_WIDTH: [(f32, f32); 10] = [
    (0.86, 0.092),
    (0.92, 0.076),
    (0.97, 0.082),
    (1.01, 0.088),
    (1.05, 0.091),
    (1.09, 0.090),
    (1.115, 0.082),
    (1.135, 0.064),
    (1.15, 0.047),
    (1.165, 0.037),
];
const TORSO_FRONT: [(f32, f32); 9] = [
    (0.86, 0.074),
    (0.92, 0.060),
    (0.96, 0.068),
    (1.00, 0.083),
    (1.03, 0.086),
    (1.07, 0.075),
    (1.11, 0.052),
    (1.14, 0.031),
    (1.165, 0.020),
];
const TORSO_BACK: [(f32, f32); 7] =
    [(0.86, -0.074), (0.92, -0.060), (0.97, -0.064), (1.03, -0.072), (1.08, -0.073), (1.12, -0.062), (1.165, -0.048)];

/// Returns a point `extra` metres outside the torso; `u` starts at the left side and passes the front.
fn torso_point(y: f32, u: f32, extra: f32) -> Vec3 {
    let (sin, cos) = sin_cos_of_turns(u);
    let (front, back) = (interpolate(&TORSO_FRONT, y), interpolate(&TORSO_BACK, y));
    let (middle, depth) = (f32::midpoint(front, back), (front - back) / 2.0);
    vec3(cos * (interpolate(&TORSO_WIDTH, y) + extra), y, middle + sin * (depth + extra))
}

fn torso_weights(girl: &SampleCharacter) -> impl Fn(f32) -> SkinWeights + use<> {
    let bones = [HIPS, "J_Bip_C_Spine", "J_Bip_C_Chest", CHEST].map(|n| girl.rig.find_bone(n));
    move |y| {
        weights_along(&bones, interpolate(&[(0.80, 0.0), (0.875, 1.0), (0.955, 2.0), (1.045, 3.0), (1.15, 4.0)], y))
    }
}

fn angle_from_front(u: f32) -> f32 {
    let from_front = u - 0.25;
    (from_front - from_front.round()).abs() * 2.0
}

/// Height of the inner edge of the collar over [`angle_from_front`].
const NECKLINE: [(f32, f32); 6] = [(0.0, 1.072), (0.15, 1.100), (0.3, 1.128), (0.5, 1.148), (0.7, 1.153), (1.0, 1.155)];
/// Height of the outer edge of the collar over [`angle_from_front`].
const COLLAR_EDGE: [(f32, f32); 9] = [
    (0.0, 1.036),
    (0.15, 1.054),
    (0.3, 1.083),
    (0.45, 1.112),
    (0.55, 1.112),
    (0.64, 1.080),
    (0.72, 1.035),
    (0.76, 1.022),
    (1.0, 1.022),
];

fn add_blouse(girl: &mut SampleCharacter) {
    let skin = torso_weights(girl);
    let plain = |at: Vec3, skin: SkinWeights| Vertex { position: at, uv: Vec2::new(0.4, 0.75), weights: skin };
    girl.mesh(SurfaceMaterial::White).add_grid(22, 41, |v, u| {
        let top = interpolate(&NECKLINE, angle_from_front(u)) - 0.004;
        let y = 0.900 + (top - 0.900) * v;
        plain(torso_point(y, u, 0.004), skin(y))
    });
    girl.mesh(SurfaceMaterial::Skin).add_grid(10, 33, |v, u| {
        let y = 1.03 + 0.135 * v;
        plain(torso_point(y, u, -0.002 - 0.018 * smoothstep(0.75, 1.0, v)), skin(y))
    });
    girl.mesh(SurfaceMaterial::Accent).add_grid(6, 41, |v, u| {
        let y = 0.893 + 0.034 * v;
        let bulge = sin_cos_of_turns(v * 0.5).0 * 0.005;
        plain(torso_point(y, u, 0.006 + bulge), skin(y))
    });
}

fn add_collar(girl: &mut SampleCharacter) {
    let skin = torso_weights(girl);
    girl.mesh(SurfaceMaterial::Navy).add_grid(7, 73, |v, s| {
        let u = 0.25 - s;
        let a = angle_from_front(u);
        let y = interpolate(&NECKLINE, a) + (interpolate(&COLLAR_EDGE, a) - interpolate(&NECKLINE, a)) * v;
        let lift = 0.007 + 0.007 * v + 0.006 * smoothstep(0.6, 0.8, a) * v;
        Vertex { position: torso_point(y, u, lift), uv: Vec2::new(0.4, 0.30 + 0.70 * v), weights: skin(y) }
    });
}

/// Adds a sleeve that widens to a bell. The part beyond the elbow has four short chains.
fn add_sleeve(girl: &mut SampleCharacter, letter: char, side: f32) {
    let bones = arm_bones(girl, letter);
    let chest = girl.rig.find_bone(CHEST);
    let [arm, elbow, wrist] = bones.map(|i| girl.rig.bones[usize::from(i)].position);
    let start = arm - (elbow - arm) * 0.10;
    let cuff = elbow.lerp(wrist, 0.86);
    let path = [start, start.lerp(elbow, 0.5), elbow, elbow.lerp(cuff, 0.5), cuff];
    let round = [
        (0.0, 0.012),
        (0.05, 0.027),
        (0.14, 0.037),
        (0.28, 0.036),
        (0.48, 0.037),
        (0.70, 0.049),
        (0.88, 0.064),
        (1.0, 0.073),
    ];
    let tube = Tube {
        path: &path,
        width: &round,
        thickness: &round,
        outward: Vec3::Z,
        folds: (6.0, 0.03),
        rows: 22,
        columns: 24,
    };
    // The sleeve is longer on its lower side.
    let along_arm = (wrist - elbow).normalize();
    let inward = vec3(-side * 0.7, -0.7, 0.0);
    let point = |t: f32, u: f32, extra: f32| {
        let (sin, cos) = sin_cos_of_turns(u);
        let (across, outward) = tube.cross_section_axes(t);
        let fold = 1.0 + 0.03 * smoothstep(0.3, 1.0, t) * sin_cos_of_turns(u * 6.0).1;
        let way = (across * cos + outward * sin) * fold;
        let hang = smoothstep(0.55, 1.0, t) * (0.5 + 0.5 * way.dot(inward));
        catmull_rom(&path, t) + way * (interpolate(&round, t) + extra) + (inward * 0.030 + along_arm * 0.012) * hang
    };
    let lower = format!("J_Bip_{letter}_LowerArm");
    let chains: Vec<Vec<u16>> = (0..4_u8)
        .map(|i| {
            let u = f32::from(i) / 4.0;
            let places = [0.62, 0.81, 1.0].map(|t| point(t, u, 0.0));
            girl.rig.add_spring(ChainLabel::new(letter, ChainKind::Sleeve, i + 1), &lower, &places, SLEEVE)
        })
        .collect();
    let skin = |t: f32, u: f32| {
        let body = blend_weights(
            single_bone_weights(chest),
            limb_weights(bones, 0.52, t.min(0.9)),
            smoothstep(-0.08, 0.20, t),
        );
        let hang = smoothstep(0.60, 0.85, t);
        if hang == 0.0 {
            return body;
        }
        let around = u.fract() * 4.0;
        let (i, share) = (around as usize % 4, smoothstep(0.0, 1.0, around.fract()));
        // Four weights per vertex: two bones of the nearer chain, one bone of the farther chain, and the forearm.
        let forearm = single_bone_weights(bones[1]);
        let down = |c: usize| weights_along(&chains[c % 4], (t - 0.62) / 0.19);
        let near = if share < 0.5 { down(i) } else { down(i + 1) };
        let far = if share < 0.5 { down(i + 1) } else { down(i) };
        let swing = [near[0], near[1], main_bone(far), (0, 0.0)];
        let far_share = share.min(1.0 - share);
        let near_share = (1.0 - far_share) * hang;
        [
            (swing[0].0, swing[0].1 * near_share),
            (swing[1].0, swing[1].1 * near_share),
            (swing[2].0, far_share * hang),
            (forearm[0].0, 1.0 - hang),
        ]
    };
    girl.mesh(SurfaceMaterial::White).add_grid(tube.rows, tube.columns + 1, |t, u| Vertex {
        position: point(t, u, 0.0),
        uv: Vec2::new(u, t),
        weights: skin(t, u),
    });
    // The band covers the end of the sleeve and is slightly wider. Its lines are part of the cloth texture.
    girl.mesh(SurfaceMaterial::Navy).add_grid(7, tube.columns + 1, |v, u| {
        let t = 0.80 + 0.205 * v;
        Vertex {
            position: point(t.min(1.0), u, 0.0016) + along_arm * (t - t.min(1.0)) * 0.3,
            uv: Vec2::new(0.4, 0.97 - 0.22 * v),
            weights: skin(t.min(1.0), u),
        }
    });
}

fn main_bone(skin: SkinWeights) -> (u16, f32) {
    if skin[0].1 >= skin[1].1 { skin[0] } else { skin[1] }
}

/// Adds a loop of a bow from its knot towards `to`.
fn add_loop(girl: &mut SampleCharacter, bone: u16, knot: Vec3, to: Vec3, out: Vec3) {
    let path = [knot, knot + to * 0.5 + out * to.length() * 0.16, knot + to];
    let size = to.length();
    let width = [(0.0, 0.10), (0.25, 0.24), (0.7, 0.44), (0.92, 0.36), (1.0, 0.0)].map(|(t, w)| (t, w * size));
    let thick = [(0.0, 0.08), (0.5, 0.20), (0.85, 0.15), (1.0, 0.0)].map(|(t, w)| (t, w * size));
    let tube =
        Tube { path: &path, width: &width, thickness: &thick, outward: out, folds: (0.0, 0.0), rows: 12, columns: 14 };
    tube.add(girl.mesh(SurfaceMaterial::Accent), |_| single_bone_weights(bone));
}

fn add_knot(girl: &mut SampleCharacter, bone: u16, at: Vec3, size: Vec3) {
    girl.mesh(SurfaceMaterial::Accent).add_grid(8, 13, |v, u| {
        let (ring, height) = sin_cos_of_turns(v * 0.5);
        let (sin, cos) = sin_cos_of_turns(u);
        Vertex {
            position: at + vec3(cos * ring, height, sin * ring) * size,
            uv: Vec2::new(0.4, 0.75),
            weights: single_bone_weights(bone),
        }
    });
}

fn add_chest_bow(girl: &mut SampleCharacter) {
    let chest = girl.rig.find_bone(CHEST);
    let knot = vec3(0.0, 1.045, 0.100);
    add_knot(girl, chest, knot, vec3(0.012, 0.013, 0.011));
    for (letter, side) in [('L', 1.0), ('R', -1.0)] {
        add_loop(girl, chest, knot, vec3(side * 0.060, 0.013, -0.012), Vec3::Z);
        let place = |x: f32, y: f32, z: f32| knot + vec3(side * x, y, z);
        let path = [
            place(0.003, -0.004, 0.0),
            place(0.013, -0.042, 0.004),
            place(0.023, -0.082, 0.001),
            place(0.033, -0.120, -0.004),
        ];
        let bones = girl.rig.add_spring(ChainLabel::new(letter, ChainKind::ChestRibbon, 1), CHEST, &path, RIBBON);
        let width = [(0.0, 0.006), (0.3, 0.010), (0.9, 0.0165), (1.0, 0.0165)];
        let thick = [(0.0, 0.004), (0.9, 0.0028), (1.0, 0.0)];
        let tube = Tube {
            path: &path,
            width: &width,
            thickness: &thick,
            outward: Vec3::Z,
            folds: (0.0, 0.0),
            rows: 14,
            columns: 10,
        };
        tube.add(girl.mesh(SurfaceMaterial::Accent), |t| weights_along(&bones, t * 3.0));
    }
}

/// Adds the upper part of the shorts, which is visible when the skirt rises. The legs contain the lower part.
fn add_shorts(girl: &mut SampleCharacter) {
    let hips = girl.rig.find_bone(HIPS);
    let width = [(0.0, 0.0), (0.03, 0.060), (0.14, 0.112), (0.35, 0.124), (0.6, 0.116), (1.0, 0.090)];
    let depth = [(0.0, 0.0), (0.03, 0.045), (0.14, 0.072), (0.35, 0.082), (0.6, 0.080), (1.0, 0.072)];
    girl.mesh(SurfaceMaterial::Navy).add_grid(12, 29, |v, u| {
        let (sin, cos) = sin_cos_of_turns(u);
        let at = vec3(cos * interpolate(&width, v).max(0.0), 0.715 + 0.170 * v, sin * interpolate(&depth, v).max(0.0));
        Vertex { position: at, uv: Vec2::new(0.4, 0.3), weights: single_bone_weights(hips) }
    });
}

/// Adds the bow at the back with its two long ribbons.
fn add_sash(girl: &mut SampleCharacter) {
    let spine = girl.rig.find_bone("J_Bip_C_Spine");
    let knot = vec3(0.0, 0.912, -0.088);
    add_knot(girl, spine, knot, vec3(0.018, 0.020, 0.016));
    for (letter, side) in [('L', 1.0), ('R', -1.0)] {
        add_loop(girl, spine, knot, vec3(side * 0.105, 0.040, -0.020), Vec3::NEG_Z);
        let place = |x: f32, y: f32, z: f32| vec3(side * x, y, z);
        let path = [
            place(0.006, 0.908, -0.090),
            place(0.050, 0.850, -0.146),
            place(0.086, 0.775, -0.196),
            place(0.112, 0.690, -0.232),
            place(0.128, 0.600, -0.254),
            place(0.142, 0.505, -0.262),
        ];
        let bones =
            girl.rig.add_spring(ChainLabel::new(letter, ChainKind::BackRibbon, 1), "J_Bip_C_Spine", &path, SASH);
        let width = [(0.0, 0.008), (0.15, 0.022), (0.6, 0.031), (0.97, 0.036), (1.0, 0.036)];
        let thick = [(0.0, 0.005), (0.1, 0.0032), (0.97, 0.0028), (1.0, 0.0)];
        let out = place(0.35, 0.3, -0.9).normalize();
        let tube = Tube {
            path: &path,
            width: &width,
            thickness: &thick,
            outward: out,
            folds: (0.0, 0.0),
            rows: 24,
            columns: 12,
        };
        let mesh = girl.mesh(SurfaceMaterial::Accent);
        let start = mesh.vertices.len();
        // The end is forked like a swallow's tail.
        tube.add(mesh, |t| weights_along(&bones, t * 5.0));
        let fall = (path[5] - path[4]).normalize();
        for vertex in &mut mesh.vertices[start..] {
            let t = vertex.uv.y;
            let (across, _) = tube.cross_section_axes(t);
            let off = ((vertex.position - catmull_rom(&path, t)).dot(across) / 0.036).abs().min(1.0);
            vertex.position -= fall * ((1.0 - off) * 0.036 * smoothstep(0.75, 1.0, t));
            vertex.uv.y *= 0.96;
        }
    }
}

fn add_hair_bow(girl: &mut SampleCharacter, side: f32) {
    let head = girl.rig.find_bone("J_Bip_C_Head");
    let knot = vec3(side * 0.117, 1.412, -0.028);
    let out = vec3(side * 0.35, 0.1, 0.9).normalize();
    add_knot(girl, head, knot + out * 0.028, vec3(0.013, 0.014, 0.013));
    add_knot(girl, head, knot, vec3(0.016, 0.030, 0.030));
    add_loop(girl, head, knot + out * 0.026, vec3(side * 0.020, 0.060, 0.004), out);
    add_loop(girl, head, knot + out * 0.026, vec3(side * 0.012, -0.058, 0.004), out);
}

const COLUMNS: usize = 16;
const PLEATS: usize = 24;
const PLEAT_POSITIONS: [f32; 6] = [0.0, 0.2, 0.4, 0.6, 0.8, 0.9];

/// Returns a point of the skirt. `t` is 0 at the waist and 1 at the hem; `pleat` is 0 inside a pleat and 1 outside.
fn skirt_point(u: f32, t: f32, pleat: f32) -> Vec3 {
    let (sin, cos) = sin_cos_of_turns(u);
    let x = interpolate(&[(0.0, 0.080), (0.15, 0.106), (0.4, 0.147), (0.7, 0.193), (1.0, 0.238)], t);
    let z = interpolate(&[(0.0, 0.064), (0.15, 0.090), (0.4, 0.130), (0.7, 0.174), (1.0, 0.216)], t);
    let fold = 1.0 + (pleat - 0.5) * 0.10 * t;
    vec3(cos * x * fold, 0.906 - 0.285 * t, sin * z * fold)
}

/// Returns the label of the skirt chain at `column`. Column 0 is at the front left, and columns continue around the
/// left side.
fn skirt_label(column: usize) -> ChainLabel {
    let (side, i) = if column < COLUMNS / 2 { ('L', column) } else { ('R', COLUMNS - 1 - column) };
    let (part, strand) = match i {
        0..=2 => (ChainKind::SkirtFront, i + 1),
        3..=4 => (ChainKind::SkirtSide, i - 2),
        _ => (ChainKind::SkirtBack, i - 4),
    };
    ChainLabel::new(side, part, strand as u8)
}

fn add_skirt(girl: &mut SampleCharacter) {
    let columns: Vec<Vec<u16>> = (0..COLUMNS)
        .map(|column| {
            let u = 0.25 - (column as f32 + 0.5) / COLUMNS as f32;
            let places = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0].map(|t| skirt_point(u, t, 0.5));
            // The three columns at each side of the middle lie on the lap when she sits.
            let is_on_lap = column.min(COLUMNS - 1 - column) < 3;
            girl.rig.add_spring(skirt_label(column), HIPS, &places, if is_on_lap { SKIRT_LAP } else { SKIRT })
        })
        .collect();
    let skin = |t: f32, around: f32| {
        let column = around * COLUMNS as f32 + COLUMNS as f32 - 0.5;
        let left = column as usize;
        let down = |c: usize| weights_along(&columns[c % COLUMNS], t * 5.0);
        blend_weights(down(left), down(left + 1), smoothstep(0.0, 1.0, column - left as f32))
    };
    let last = PLEATS * PLEAT_POSITIONS.len();
    girl.mesh(SurfaceMaterial::Navy).add_grid(12, last + 1, |t, share| {
        let i = (share * last as f32).round() as usize;
        let (pleat, p) = (i / PLEAT_POSITIONS.len(), PLEAT_POSITIONS[i % PLEAT_POSITIONS.len()]);
        let around = pleat as f32 + p;
        let u = 0.25 - around / PLEATS as f32;
        let height = if p < 0.8 { p / 0.8 } else { (1.0 - p) / 0.2 };
        Vertex {
            position: skirt_point(u, t, height),
            uv: Vec2::new(around, t),
            weights: skin(t, around / PLEATS as f32),
        }
    });
    // The frill below the hem.
    girl.mesh(SurfaceMaterial::White).add_grid(5, 32 * 5 + 1, |v, share| {
        let t = 0.80 + 0.245 * v;
        let wave = sin_cos_of_turns(share * 32.0).0 * smoothstep(0.2, 1.0, v);
        let at = skirt_point(0.25 - share, t, 0.10 + 0.26 * wave);
        Vertex { position: at, uv: Vec2::ZERO, weights: skin(t.min(1.0), share) }
    });
}
