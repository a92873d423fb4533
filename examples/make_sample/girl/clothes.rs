//! Blouse with wide sleeves, sailor collar, bows, pleated skirt.

use super::body::{arm_bones, limb};
use super::rig::Feel;
use super::shape::{Skin, Tube, Vertex, along, mix, profile, rigid, smooth, turn};
use super::{Cloth, Girl};
use glam::{Vec2, Vec3, vec3};

const SKIRT: Feel =
    Feel { frequency: 2.5, damping: 0.6, weight: 0.4, radius: (0.014, 0.014), avoids: &["Hips", "Legs"] };
const RIBBON: Feel = Feel { frequency: 3.5, damping: 0.35, weight: 0.5, radius: (0.008, 0.008), avoids: &["Body"] };
const CHEST: &str = "J_Bip_C_Chest";
const HIPS: &str = "J_Bip_C_Hips";

/// Adds everything she wears above the knee.
pub(super) fn add(girl: &mut Girl) {
    add_blouse(girl);
    add_collar(girl);
    add_chest_bow(girl);
    add_sleeve(girl, "L");
    add_sleeve(girl, "R");
    add_skirt(girl);
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
    let bones = [HIPS, "J_Bip_C_Spine", CHEST].map(|n| girl.rig.find(n));
    move |y| along(&bones, profile(&[(0.80, 0.0), (0.875, 1.0), (0.975, 2.0), (1.15, 3.0)], y))
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

fn add_sleeve(girl: &mut Girl, letter: &str) {
    let bones = arm_bones(girl, letter);
    let chest = girl.rig.find(CHEST);
    let [arm, elbow, wrist] = bones.map(|i| girl.rig.bones[usize::from(i)].at);
    let start = arm - (elbow - arm) * 0.10;
    let cuff = elbow.lerp(wrist, 0.80);
    let path = [start, start.lerp(elbow, 0.5), elbow, elbow.lerp(cuff, 0.5), cuff];
    let round = [(0.0, 0.008), (0.06, 0.022), (0.16, 0.033), (0.3, 0.037), (0.5, 0.039), (0.75, 0.048), (1.0, 0.062)];
    let skin = |t: f32| mix(rigid(chest), limb(bones, 0.5, t.min(0.9)), smooth(-0.05, 0.16, t));
    let tube =
        Tube { path: &path, width: &round, thick: &round, out: Vec3::Z, folds: (5.0, 0.025), rows: 24, columns: 24 };
    tube.add(girl.mesh(Cloth::White), skin);
    // The band follows the last part of the sleeve, a hair wider; the cloth picture gives it its lines.
    let band = [elbow.lerp(cuff, 0.66), elbow.lerp(cuff, 0.83), elbow.lerp(cuff, 1.015)];
    let wide = [(0.0, 0.0555), (0.5, 0.060), (1.0, 0.0655)];
    let mesh = girl.mesh(Cloth::Navy);
    let first = mesh.vertices.len();
    let tube =
        Tube { path: &band, width: &wide, thick: &wide, out: Vec3::Z, folds: (5.0, 0.025), rows: 6, columns: 24 };
    tube.add(mesh, |t| skin(0.83 + 0.17 * t));
    for vertex in &mut mesh.vertices[first..] {
        vertex.uv = Vec2::new(0.4, 0.97 - 0.22 * vertex.uv.y);
    }
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
    for (letter, side) in [("L", 1.0), ("R", -1.0)] {
        add_loop(girl, chest, knot, vec3(side * 0.060, 0.013, -0.012), Vec3::Z);
        let place = |x: f32, y: f32, z: f32| knot + vec3(side * x, y, z);
        let path = [
            place(0.003, -0.004, 0.0),
            place(0.013, -0.042, 0.004),
            place(0.023, -0.082, 0.001),
            place(0.033, -0.120, -0.004),
        ];
        let bones = girl.rig.add_spring(&format!("J_Sec_Ribbon_{letter}"), CHEST, &path, RIBBON);
        let width = [(0.0, 0.006), (0.3, 0.010), (0.9, 0.0165), (1.0, 0.0165)];
        let thick = [(0.0, 0.004), (0.9, 0.0028), (1.0, 0.0)];
        let tube =
            Tube { path: &path, width: &width, thick: &thick, out: Vec3::Z, folds: (0.0, 0.0), rows: 14, columns: 10 };
        tube.add(girl.mesh(Cloth::Accent), |t| along(&bones, t * 3.0));
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

fn add_skirt(girl: &mut Girl) {
    let columns: Vec<Vec<u16>> = (0..COLUMNS)
        .map(|column| {
            let u = 0.25 - column as f32 / COLUMNS as f32;
            let places = [0.0, 0.25, 0.5, 0.75, 1.0].map(|t| skirt(u, t, 0.5));
            girl.rig.add_spring(&format!("J_Sec_Skirt_{column:02}"), HIPS, &places, SKIRT)
        })
        .collect();
    let last = PLEATS * ACROSS.len();
    girl.mesh(Cloth::Navy).add_grid(15, last + 1, |t, share| {
        let i = (share * last as f32).round() as usize;
        let (pleat, p) = (i / ACROSS.len(), ACROSS[i % ACROSS.len()]);
        let around = pleat as f32 + p;
        let u = 0.25 - around / PLEATS as f32;
        let height = if p < 0.8 { p / 0.8 } else { (1.0 - p) / 0.2 };
        let column = around / PLEATS as f32 * COLUMNS as f32;
        let left = column as usize;
        let down = |c: usize| along(&columns[c % COLUMNS], t * 4.0);
        let skin = mix(down(left), down(left + 1), smooth(0.0, 1.0, column - left as f32));
        Vertex { at: skirt(u, t, height), uv: Vec2::new(around, t), skin }
    });
}
