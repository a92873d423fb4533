//! Blouse with wide sleeves, sailor collar, bows, pleated skirt.

use super::body::{arm_bones, limb};
use super::names::{Label, Swaying};
use super::rig::Feel;
use super::shape::{Skin, Tube, Vertex, along, mix, profile, rigid, smooth, spline, turn};
use super::{Cloth, Girl};
use glam::{Vec2, Vec3, vec3};

const SKIRT: Feel =
    Feel { frequency: 4.4, damping: 0.5, weight: 3.0, firm: 1.9, radius: (0.030, 0.030), avoids: &["Hips", "Legs"] };
const RIBBON: Feel =
    Feel { frequency: 3.5, damping: 0.35, weight: 0.5, firm: 1.2, radius: (0.010, 0.010), avoids: &["Body"] };
const SLEEVE: Feel =
    Feel { frequency: 3.2, damping: 0.5, weight: 1.2, firm: 1.2, radius: (0.026, 0.024), avoids: &["Hips", "Legs"] };
const SASH: Feel =
    Feel { frequency: 2.4, damping: 0.5, weight: 2.0, firm: 1.3, radius: (0.020, 0.018), avoids: &["Hips", "Legs"] };
const CHEST: &str = "J_Bip_C_UpperChest";
const HIPS: &str = "J_Bip_C_Hips";

/// Adds everything she wears above the knee.
pub(super) fn add(girl: &mut Girl) {
    add_blouse(girl);
    add_collar(girl);
    add_chest_bow(girl);
    add_sleeve(girl, 'L', 1.0);
    add_sleeve(girl, 'R', -1.0);
    add_skirt(girl);
    add_sash(girl);
    add_shorts(girl);
}

/// Adds the bows where the twin tails begin.
pub(super) fn add_hair_bows(girl: &mut Girl) {
    add_hair_bow(girl, 1.0);
    add_hair_bow(girl, -1.0);
}

const WIDTH: [(f32, f32); 10] = [
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
const FRONT: [(f32, f32); 9] = [
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
const BACK: [(f32, f32); 7] =
    [(0.86, -0.074), (0.92, -0.060), (0.97, -0.064), (1.03, -0.072), (1.08, -0.073), (1.12, -0.062), (1.165, -0.048)];

/// A point of the torso, `extra` metres off it; `u` turns from her left over the front.
fn torso(y: f32, u: f32, extra: f32) -> Vec3 {
    let (sin, cos) = turn(u);
    let (front, back) = (profile(&FRONT, y), profile(&BACK, y));
    let (middle, depth) = (f32::midpoint(front, back), (front - back) / 2.0);
    vec3(cos * (profile(&WIDTH, y) + extra), y, middle + sin * (depth + extra))
}

fn torso_skin(girl: &Girl) -> impl Fn(f32) -> Skin + use<> {
    let bones = [HIPS, "J_Bip_C_Spine", "J_Bip_C_Chest", CHEST].map(|n| girl.rig.find(n));
    move |y| along(&bones, profile(&[(0.80, 0.0), (0.875, 1.0), (0.955, 2.0), (1.045, 3.0), (1.15, 4.0)], y))
}

/// 0 in front, 1 at the back.
fn away(u: f32) -> f32 {
    let from_front = u - 0.25;
    (from_front - from_front.round()).abs() * 2.0
}

/// The inner edge of the collar over [`away`].
const NECKLINE: [(f32, f32); 6] = [(0.0, 1.072), (0.15, 1.100), (0.3, 1.128), (0.5, 1.148), (0.7, 1.153), (1.0, 1.155)];
/// Its outer edge.
const RIM: [(f32, f32); 9] = [
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

fn add_blouse(girl: &mut Girl) {
    let skin = torso_skin(girl);
    let plain = |at: Vec3, skin: Skin| Vertex { at, uv: Vec2::new(0.4, 0.75), skin };
    girl.mesh(Cloth::White).add_grid(22, 41, |v, u| {
        let top = profile(&NECKLINE, away(u)) - 0.004;
        let y = 0.900 + (top - 0.900) * v;
        plain(torso(y, u, 0.004), skin(y))
    });
    girl.mesh(Cloth::Skin).add_grid(10, 33, |v, u| {
        let y = 1.03 + 0.135 * v;
        plain(torso(y, u, -0.002 - 0.018 * smooth(0.75, 1.0, v)), skin(y))
    });
    girl.mesh(Cloth::Accent).add_grid(6, 41, |v, u| {
        let y = 0.893 + 0.034 * v;
        let bulge = turn(v * 0.5).0 * 0.005;
        plain(torso(y, u, 0.006 + bulge), skin(y))
    });
}

fn add_collar(girl: &mut Girl) {
    let skin = torso_skin(girl);
    girl.mesh(Cloth::Navy).add_grid(7, 73, |v, s| {
        let u = 0.25 - s;
        let a = away(u);
        let y = profile(&NECKLINE, a) + (profile(&RIM, a) - profile(&NECKLINE, a)) * v;
        let lift = 0.007 + 0.007 * v + 0.006 * smooth(0.6, 0.8, a) * v;
        Vertex { at: torso(y, u, lift), uv: Vec2::new(0.4, 0.30 + 0.70 * v), skin: skin(y) }
    });
}

/// A sleeve that widens into a bell; what hangs beyond the elbow swings on four short chains.
fn add_sleeve(girl: &mut Girl, letter: char, side: f32) {
    let bones = arm_bones(girl, letter);
    let chest = girl.rig.find(CHEST);
    let [arm, elbow, wrist] = bones.map(|i| girl.rig.bones[usize::from(i)].at);
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
    let tube =
        Tube { path: &path, width: &round, thick: &round, out: Vec3::Z, folds: (6.0, 0.03), rows: 22, columns: 24 };
    // The side that hangs down is longer.
    let along_arm = (wrist - elbow).normalize();
    let inward = vec3(-side * 0.7, -0.7, 0.0);
    let point = |t: f32, u: f32, extra: f32| {
        let (sin, cos) = turn(u);
        let (across, outward) = tube.frame(t);
        let fold = 1.0 + 0.03 * smooth(0.3, 1.0, t) * turn(u * 6.0).1;
        let way = (across * cos + outward * sin) * fold;
        let hang = smooth(0.55, 1.0, t) * (0.5 + 0.5 * way.dot(inward));
        spline(&path, t) + way * (profile(&round, t) + extra) + (inward * 0.030 + along_arm * 0.012) * hang
    };
    let lower = format!("J_Bip_{letter}_LowerArm");
    let chains: Vec<Vec<u16>> = (0..4_u8)
        .map(|i| {
            let u = f32::from(i) / 4.0;
            let places = [0.62, 0.81, 1.0].map(|t| point(t, u, 0.0));
            girl.rig.add_spring(Label::new(letter, Swaying::Sleeve, i + 1), &lower, &places, SLEEVE)
        })
        .collect();
    let skin = |t: f32, u: f32| {
        let body = mix(rigid(chest), limb(bones, 0.52, t.min(0.9)), smooth(-0.08, 0.20, t));
        let hang = smooth(0.60, 0.85, t);
        if hang == 0.0 {
            return body;
        }
        let around = u.fract() * 4.0;
        let (i, share) = (around as usize % 4, smooth(0.0, 1.0, around.fract()));
        // At most two of the body's bones act here, and the forearm is the heavier.
        let forearm = rigid(bones[1]);
        let down = |c: usize| along(&chains[c % 4], (t - 0.62) / 0.19);
        let near = if share < 0.5 { down(i) } else { down(i + 1) };
        let far = if share < 0.5 { down(i + 1) } else { down(i) };
        let swing = [near[0], near[1], heaviest(far), (0, 0.0)];
        let far_share = share.min(1.0 - share);
        let near_share = (1.0 - far_share) * hang;
        [
            (swing[0].0, swing[0].1 * near_share),
            (swing[1].0, swing[1].1 * near_share),
            (swing[2].0, far_share * hang),
            (forearm[0].0, 1.0 - hang),
        ]
    };
    girl.mesh(Cloth::White).add_grid(tube.rows, tube.columns + 1, |t, u| Vertex {
        at: point(t, u, 0.0),
        uv: Vec2::new(u, t),
        skin: skin(t, u),
    });
    // The band follows the last part of the sleeve, a hair wider; the cloth picture gives it its lines.
    girl.mesh(Cloth::Navy).add_grid(7, tube.columns + 1, |v, u| {
        let t = 0.80 + 0.205 * v;
        Vertex {
            at: point(t.min(1.0), u, 0.0016) + along_arm * (t - t.min(1.0)) * 0.3,
            uv: Vec2::new(0.4, 0.97 - 0.22 * v),
            skin: skin(t.min(1.0), u),
        }
    });
}

fn heaviest(skin: Skin) -> (u16, f32) {
    if skin[0].1 >= skin[1].1 { skin[0] } else { skin[1] }
}

/// A loop of a bow from its knot towards `to`.
fn add_loop(girl: &mut Girl, bone: u16, knot: Vec3, to: Vec3, out: Vec3) {
    let path = [knot, knot + to * 0.5 + out * to.length() * 0.16, knot + to];
    let size = to.length();
    let width = [(0.0, 0.10), (0.25, 0.24), (0.7, 0.44), (0.92, 0.36), (1.0, 0.0)].map(|(t, w)| (t, w * size));
    let thick = [(0.0, 0.08), (0.5, 0.20), (0.85, 0.15), (1.0, 0.0)].map(|(t, w)| (t, w * size));
    let tube = Tube { path: &path, width: &width, thick: &thick, out, folds: (0.0, 0.0), rows: 12, columns: 14 };
    tube.add(girl.mesh(Cloth::Accent), |_| rigid(bone));
}

fn add_knot(girl: &mut Girl, bone: u16, at: Vec3, size: Vec3) {
    girl.mesh(Cloth::Accent).add_grid(8, 13, |v, u| {
        let (ring, height) = turn(v * 0.5);
        let (sin, cos) = turn(u);
        Vertex { at: at + vec3(cos * ring, height, sin * ring) * size, uv: Vec2::new(0.4, 0.75), skin: rigid(bone) }
    });
}

fn add_chest_bow(girl: &mut Girl) {
    let chest = girl.rig.find(CHEST);
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
        let bones = girl.rig.add_spring(Label::new(letter, Swaying::ChestRibbon, 1), CHEST, &path, RIBBON);
        let width = [(0.0, 0.006), (0.3, 0.010), (0.9, 0.0165), (1.0, 0.0165)];
        let thick = [(0.0, 0.004), (0.9, 0.0028), (1.0, 0.0)];
        let tube =
            Tube { path: &path, width: &width, thick: &thick, out: Vec3::Z, folds: (0.0, 0.0), rows: 14, columns: 10 };
        tube.add(girl.mesh(Cloth::Accent), |t| along(&bones, t * 3.0));
    }
}

/// What shows when the skirt flies: the upper part of shorts; the legs have the rest.
fn add_shorts(girl: &mut Girl) {
    let hips = girl.rig.find(HIPS);
    let width = [(0.0, 0.0), (0.03, 0.060), (0.14, 0.112), (0.35, 0.124), (0.6, 0.116), (1.0, 0.090)];
    let depth = [(0.0, 0.0), (0.03, 0.045), (0.14, 0.072), (0.35, 0.082), (0.6, 0.080), (1.0, 0.072)];
    girl.mesh(Cloth::Navy).add_grid(12, 29, |v, u| {
        let (sin, cos) = turn(u);
        let at = vec3(cos * profile(&width, v).max(0.0), 0.715 + 0.170 * v, sin * profile(&depth, v).max(0.0));
        Vertex { at, uv: Vec2::new(0.4, 0.3), skin: rigid(hips) }
    });
}

/// The bow at her back with two long streamers.
fn add_sash(girl: &mut Girl) {
    let spine = girl.rig.find("J_Bip_C_Spine");
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
        let bones = girl.rig.add_spring(Label::new(letter, Swaying::BackRibbon, 1), "J_Bip_C_Spine", &path, SASH);
        let width = [(0.0, 0.008), (0.15, 0.022), (0.6, 0.031), (0.97, 0.036), (1.0, 0.036)];
        let thick = [(0.0, 0.005), (0.1, 0.0032), (0.97, 0.0028), (1.0, 0.0)];
        let out = place(0.35, 0.3, -0.9).normalize();
        let tube = Tube { path: &path, width: &width, thick: &thick, out, folds: (0.0, 0.0), rows: 24, columns: 12 };
        let mesh = girl.mesh(Cloth::Accent);
        let start = mesh.vertices.len();
        // Forked at the end, like a swallow's tail.
        tube.add(mesh, |t| along(&bones, t * 5.0));
        let fall = (path[5] - path[4]).normalize();
        for vertex in &mut mesh.vertices[start..] {
            let t = vertex.uv.y;
            let (across, _) = tube.frame(t);
            let off = ((vertex.at - spline(&path, t)).dot(across) / 0.036).abs().min(1.0);
            vertex.at -= fall * ((1.0 - off) * 0.036 * smooth(0.75, 1.0, t));
            vertex.uv.y *= 0.96;
        }
    }
}

fn add_hair_bow(girl: &mut Girl, side: f32) {
    let head = girl.rig.find("J_Bip_C_Head");
    let knot = vec3(side * 0.117, 1.412, -0.028);
    let out = vec3(side * 0.35, 0.1, 0.9).normalize();
    add_knot(girl, head, knot + out * 0.028, vec3(0.013, 0.014, 0.013));
    add_knot(girl, head, knot, vec3(0.016, 0.030, 0.030));
    add_loop(girl, head, knot + out * 0.026, vec3(side * 0.020, 0.060, 0.004), out);
    add_loop(girl, head, knot + out * 0.026, vec3(side * 0.012, -0.058, 0.004), out);
}

const COLUMNS: usize = 16;
const PLEATS: usize = 24;
const ACROSS: [f32; 6] = [0.0, 0.2, 0.4, 0.6, 0.8, 0.9];

/// A point of the skirt, `t` from waist to hem, without and with pleats.
fn skirt(u: f32, t: f32, pleat: f32) -> Vec3 {
    let (sin, cos) = turn(u);
    let x = profile(&[(0.0, 0.080), (0.15, 0.106), (0.4, 0.147), (0.7, 0.193), (1.0, 0.238)], t);
    let z = profile(&[(0.0, 0.064), (0.15, 0.090), (0.4, 0.130), (0.7, 0.174), (1.0, 0.216)], t);
    let fold = 1.0 + (pleat - 0.5) * 0.10 * t;
    vec3(cos * x * fold, 0.906 - 0.285 * t, sin * z * fold)
}

/// Which of her skirt's columns hangs at `column`, 0 in front on her left and on over her left side.
fn skirt_label(column: usize) -> Label {
    let (side, i) = if column < COLUMNS / 2 { ('L', column) } else { ('R', COLUMNS - 1 - column) };
    let (part, strand) = match i {
        0..=2 => (Swaying::SkirtFront, i + 1),
        3..=4 => (Swaying::SkirtSide, i - 2),
        _ => (Swaying::SkirtBack, i - 4),
    };
    Label::new(side, part, strand as u8)
}

fn add_skirt(girl: &mut Girl) {
    let columns: Vec<Vec<u16>> = (0..COLUMNS)
        .map(|column| {
            let u = 0.25 - (column as f32 + 0.5) / COLUMNS as f32;
            let places = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0].map(|t| skirt(u, t, 0.5));
            girl.rig.add_spring(skirt_label(column), HIPS, &places, SKIRT)
        })
        .collect();
    let skin = |t: f32, around: f32| {
        let column = around * COLUMNS as f32 + COLUMNS as f32 - 0.5;
        let left = column as usize;
        let down = |c: usize| along(&columns[c % COLUMNS], t * 5.0);
        mix(down(left), down(left + 1), smooth(0.0, 1.0, column - left as f32))
    };
    let last = PLEATS * ACROSS.len();
    girl.mesh(Cloth::Navy).add_grid(12, last + 1, |t, share| {
        let i = (share * last as f32).round() as usize;
        let (pleat, p) = (i / ACROSS.len(), ACROSS[i % ACROSS.len()]);
        let around = pleat as f32 + p;
        let u = 0.25 - around / PLEATS as f32;
        let height = if p < 0.8 { p / 0.8 } else { (1.0 - p) / 0.2 };
        Vertex { at: skirt(u, t, height), uv: Vec2::new(around, t), skin: skin(t, around / PLEATS as f32) }
    });
    // A frill below the hem.
    girl.mesh(Cloth::White).add_grid(5, 32 * 5 + 1, |v, share| {
        let t = 0.80 + 0.245 * v;
        let wave = turn(share * 32.0).0 * smooth(0.2, 1.0, v);
        let at = skirt(0.25 - share, t, 0.10 + 0.26 * wave);
        Vertex { at, uv: Vec2::ZERO, skin: skin(t.min(1.0), share) }
    });
}
