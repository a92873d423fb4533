//! Hair: cap, bangs, side locks, nape, twin tails, a braid and a wisp.

use super::head::skull_point;
use super::naming::{ChainKind, ChainLabel};
use super::rig::SpringFeel;
use super::shape::{
    SkinWeights, Tube, Vertex, blend_weights, catmull_rom, interpolate, sin_cos_of_turns, single_bone_weights,
    smoothstep, weights_along,
};
use super::{SampleCharacter, SurfaceMaterial};
use glam::{Vec2, Vec3, vec3};

const HAIR: SpringFeel = SpringFeel {
    frequency: 3.0,
    damping: 0.6,
    weight: 1.2,
    root_frequency_ratio: 1.0,
    radius: &[(0.0, 0.045), (0.3, 0.070), (0.6, 0.077), (0.8, 0.072), (1.0, 0.042)],
    collider_groups: &["Head", "Body", "Back", "Bow", "Shoulders", "Arms", "Waist", "Legs", "Thighs"],
};
const LOCK: SpringFeel = SpringFeel {
    frequency: 4.2,
    damping: 0.5,
    weight: 0.4,
    root_frequency_ratio: 1.2,
    radius: &[(0.0, 0.020), (1.0, 0.020)],
    collider_groups: &["Head", "Body", "Shoulders", "Arms"],
};
const BANG: SpringFeel = SpringFeel {
    frequency: 4.5,
    damping: 0.5,
    weight: 0.4,
    root_frequency_ratio: 1.2,
    radius: &[(0.0, 0.012), (1.0, 0.014)],
    collider_groups: &["Head"],
};
const BRAID: SpringFeel = SpringFeel {
    frequency: 3.4,
    damping: 0.65,
    weight: 2.0,
    root_frequency_ratio: 1.3,
    radius: &[(0.0, 0.028), (1.0, 0.024)],
    collider_groups: &["Head", "Body", "Back", "Bow", "Arms", "Hips"],
};
const HEAD: &str = "J_Bip_C_Head";

pub(super) fn add(girl: &mut SampleCharacter) {
    add_cap(girl);
    add_bangs(girl);
    add_nape(girl);
    for (letter, side) in [('L', 1.0), ('R', -1.0)] {
        add_side_lock(girl, letter, side);
        add_twin_tail(girl, letter, side);
    }
    add_wisp(girl);
    add_braid(girl);
}

fn add_cap(girl: &mut SampleCharacter) {
    let head = girl.rig.find_bone(HEAD);
    let hairline = [(0.0, 1.405), (0.12, 1.395), (0.2, 1.33), (0.25, 1.275), (0.32, 1.235), (0.5, 1.215)];
    girl.mesh(SurfaceMaterial::Hair).add_grid(20, 61, |v, u| {
        // `away` is the angle from the front as a fraction of a turn: 0 at the brow, 0.5 at the back.
        let away = (u - 0.25 - (u - 0.25).round()).abs();
        let low = interpolate(&hairline, away);
        let (_, cos) = sin_cos_of_turns(v * 0.25);
        let y = low + (1.4595 - low) * cos;
        let volume = 0.017 + 0.006 * smoothstep(0.15, 0.45, away);
        let tuck = 1.0 - 0.8 * smoothstep(0.86, 1.0, v);
        let mut at = skull_point(y, u, volume * tuck);
        at.y += 0.030 * smoothstep(1.30, 1.46, y);
        Vertex { position: at, uv: Vec2::new(u * 3.0, v * 0.30), weights: single_bone_weights(head) }
    });
}

/// A pointed lock along `path`.
struct HairLock<'a> {
    path: &'a [Vec3],
    width: f32,
    outward: Vec3,
    /// V coordinate of the tip on the hair texture.
    tip_v: f32,
}

impl HairLock<'_> {
    fn add(&self, girl: &mut SampleCharacter, skin: impl Fn(f32) -> SkinWeights) {
        let w = self.width;
        let width = [(0.0, w * 0.55), (0.3, w), (0.6, w * 0.86), (0.85, w * 0.45), (1.0, 0.0)];
        let t = (w * 0.42).min(0.012);
        let thick = [(0.0, t * 0.6), (0.3, t), (0.7, t * 0.8), (1.0, 0.0)];
        let tube = Tube {
            path: self.path,
            width: &width,
            thickness: &thick,
            outward: self.outward,
            folds: (0.0, 0.0),
            rows: 12,
            columns: 9,
        };
        let mesh = girl.mesh(SurfaceMaterial::Hair);
        let start = mesh.vertices.len();
        tube.add(mesh, skin);
        for vertex in &mut mesh.vertices[start..] {
            vertex.uv.y = 0.06 + vertex.uv.y * self.tip_v;
        }
    }
}

fn add_bangs(girl: &mut SampleCharacter) {
    let head = girl.rig.find_bone(HEAD);
    // Angles of root and tip as fractions of a turn (0.25 is forward), height of the tip, half width.
    let locks = [
        (0.262, 0.236, 1.315, 0.0255),
        (0.208, 0.186, 1.336, 0.0225),
        (0.300, 0.305, 1.334, 0.0225),
        (0.160, 0.130, 1.310, 0.0235),
        (0.340, 0.372, 1.316, 0.0215),
        (0.120, 0.075, 1.285, 0.0200),
        (0.380, 0.425, 1.285, 0.0200),
    ];
    for (i, (root, tip, low, width)) in (1..).zip(locks) {
        let point = |y: f32, share: f32, extra: f32| skull_point(y, root + (tip - root) * share, extra);
        let path = [
            point(1.452, 0.0, 0.020) + Vec3::Y * 0.012,
            point(1.425, 0.25, 0.026) + Vec3::Y * 0.006,
            point(1.395, 0.55, 0.025),
            point(f32::midpoint(1.395, low), 0.8, 0.021),
            point(low, 1.0, 0.012),
        ];
        let joints = [catmull_rom(&path, 0.35), catmull_rom(&path, 0.68), path[4]];
        let bones = girl.rig.add_spring(ChainLabel::new('C', ChainKind::FrontHair, i), HEAD, &joints, BANG);
        let out = vec3(path[2].x, 0.2, path[2].z).normalize();
        let skin = |t: f32| {
            let hang = weights_along(&bones, (t - 0.35) / 0.325);
            blend_weights(single_bone_weights(head), hang, smoothstep(0.25, 0.6, t))
        };
        HairLock { path: &path, width, outward: out, tip_v: 0.42 }.add(girl, skin);
    }
}

fn add_nape(girl: &mut SampleCharacter) {
    let head = girl.rig.find_bone(HEAD);
    for i in 0..9_u8 {
        let u = 0.58 + f32::from(i) * 0.0425;
        let short = if i % 2 == 0 { 0.0 } else { 0.022 };
        let path = [
            skull_point(1.36, u, 0.016),
            skull_point(1.30, u, 0.022),
            skull_point(1.245, u, 0.020),
            skull_point(1.225, u, 0.024) - Vec3::Y * (0.012 - short),
            skull_point(1.225, u, 0.034) - Vec3::Y * (0.046 - short),
        ];
        let out = vec3(path[1].x, 0.0, path[1].z).normalize();
        HairLock { path: &path, width: 0.021, outward: out, tip_v: 0.40 }.add(girl, |_| single_bone_weights(head));
    }
}

fn add_side_lock(girl: &mut SampleCharacter, letter: char, side: f32) {
    let head = girl.rig.find_bone(HEAD);
    let place = |x: f32, y: f32, z: f32| vec3(side * x, y, z);
    let path = [
        place(0.088, 1.425, 0.040),
        place(0.110, 1.375, 0.050),
        place(0.113, 1.310, 0.052),
        place(0.106, 1.245, 0.052),
        place(0.100, 1.180, 0.058),
        place(0.104, 1.110, 0.070),
    ];
    let joints = [0.3, 0.5, 0.68, 0.85, 1.0].map(|t| catmull_rom(&path, t));
    let bones = girl.rig.add_spring(ChainLabel::new(letter, ChainKind::SideHair, 1), HEAD, &joints, LOCK);
    let skin = |t: f32| {
        blend_weights(single_bone_weights(head), weights_along(&bones, (t - 0.3) / 0.175), smoothstep(0.22, 0.5, t))
    };
    let out = place(0.75, 0.0, 0.65);
    HairLock { path: &path, width: 0.0265, outward: out, tip_v: 0.62 }.add(girl, skin);
    let behind: Vec<Vec3> =
        path.iter().enumerate().map(|(i, p)| p + place(-0.004, 0.0, -0.026) + Vec3::Y * (0.011 * i as f32)).collect();
    HairLock { path: &behind, width: 0.021, outward: out, tip_v: 0.55 }.add(girl, skin);
}

/// Returns the centre line of a twin tail.
fn twin_tail_path(side: f32) -> [Vec3; 9] {
    [
        (0.108, 1.408, -0.030),
        (0.176, 1.452, -0.045),
        (0.247, 1.418, -0.064),
        (0.296, 1.328, -0.092),
        (0.324, 1.215, -0.118),
        (0.338, 1.098, -0.132),
        (0.342, 0.982, -0.136),
        (0.347, 0.872, -0.132),
        (0.370, 0.775, -0.120),
    ]
    .map(|(x, y, z)| vec3(side * x, y, z))
}

fn add_twin_tail(girl: &mut SampleCharacter, letter: char, side: f32) {
    let path = twin_tail_path(side);
    let bones = girl.rig.add_spring(ChainLabel::new(letter, ChainKind::TwinTail, 1), HEAD, &path, HAIR);
    let skin = |t: f32| weights_along(&bones, t * 8.0);
    let width = [
        (0.0, 0.018),
        (0.06, 0.030),
        (0.2, 0.047),
        (0.4, 0.054),
        (0.62, 0.047),
        (0.82, 0.029),
        (0.94, 0.012),
        (1.0, 0.0),
    ];
    let thick = width.map(|(t, w)| (t, w * 0.78));
    let tube = Tube {
        path: &path,
        width: &width,
        thickness: &thick,
        outward: Vec3::Z,
        folds: (6.0, 0.07),
        rows: 34,
        columns: 24,
    };
    tube.add(girl.mesh(SurfaceMaterial::Hair), skin);
    // Strands that separate from the twin tail: offset at the middle, end along the twin tail, width.
    for (across, forward, reach, w) in
        [(-0.040, 0.020, 0.80, 0.026), (0.036, 0.014, 0.90, 0.022), (0.004, -0.030, 0.86, 0.028)]
    {
        let strand: Vec<Vec3> = (0..=8_u8)
            .map(|i| {
                let t = f32::from(i) / 8.0;
                let away = smoothstep(0.0, 0.45, t) * (0.75 + 0.55 * smoothstep(0.6, 1.0, t));
                catmull_rom(&path, 0.04 + t * (reach - 0.04)) + vec3(side * across, 0.0, forward) * away
            })
            .collect();
        let width = [(0.0, w * 0.4), (0.3, w), (0.65, w * 0.9), (0.9, w * 0.36), (1.0, 0.0)];
        let thick = width.map(|(t, w)| (t, w * 0.75));
        let tube = Tube {
            path: &strand,
            width: &width,
            thickness: &thick,
            outward: Vec3::Z,
            folds: (3.0, 0.05),
            rows: 18,
            columns: 8,
        };
        tube.add(girl.mesh(SurfaceMaterial::Hair), |t| skin(0.04 + t * (reach - 0.04)));
    }
}

/// Adds a braid of three strands along the back.
fn add_braid(girl: &mut SampleCharacter) {
    let head = girl.rig.find_bone(HEAD);
    let path = [
        (1.285, -0.104),
        (1.250, -0.122),
        (1.210, -0.128),
        (1.167, -0.124),
        (1.124, -0.119),
        (1.081, -0.116),
        (1.038, -0.119),
        (0.993, -0.130),
        (0.945, -0.150),
    ]
    .map(|(y, z)| vec3(0.0, y, z));
    let places: [Vec3; 8] = std::array::from_fn(|i| catmull_rom(&path, i as f32 / 7.0));
    let bones = girl.rig.add_spring(ChainLabel::new('C', ChainKind::Braid, 1), HEAD, &places, BRAID);
    let skin =
        |t: f32| blend_weights(single_bone_weights(head), weights_along(&bones, t * 7.0), smoothstep(0.0, 0.10, t));
    let fat = [(0.0, 0.70), (0.15, 1.0), (0.5, 0.92), (0.86, 0.62), (1.0, 0.45)];
    let end = 0.87;
    for strand in 0..3_u8 {
        let line: Vec<Vec3> = (0..=48_u8)
            .map(|i| {
                let t = f32::from(i) / 48.0 * end;
                let phase = t * 4.6 + f32::from(strand) / 3.0;
                let size = interpolate(&fat, t);
                let (across, _) = sin_cos_of_turns(phase);
                let (forward, _) = sin_cos_of_turns(phase * 2.0);
                catmull_rom(&path, t) + vec3(across * 0.0215 * size, 0.0, forward * 0.0105 * size)
            })
            .collect();
        let width = [(0.0, 0.0150), (0.15, 0.0205), (0.5, 0.0190), (0.9, 0.0135), (1.0, 0.0090)];
        let thick = width.map(|(t, w)| (t, w * 0.86));
        let tube = Tube {
            path: &line,
            width: &width,
            thickness: &thick,
            outward: Vec3::NEG_Z,
            folds: (0.0, 0.0),
            rows: 48,
            columns: 8,
        };
        let mesh = girl.mesh(SurfaceMaterial::Hair);
        let start = tube.add(mesh, |t| skin(t * end));
        for vertex in &mut mesh.vertices[start..] {
            vertex.uv.y = 0.26 + vertex.uv.y * 0.50;
        }
    }
    // The band around the end of the braid, and the tuft below the band.
    let from = catmull_rom(&path, end - 0.02);
    for (x, z, reach) in [(-0.010, -0.004, 0.052), (0.011, -0.002, 0.056), (0.0, -0.012, 0.068), (0.0, 0.006, 0.060)] {
        let line = [from, from + vec3(x, -reach * 0.45, z - 0.004), from + vec3(x * 0.5, -reach, z - 0.012)];
        HairLock { path: &line, width: 0.013, outward: Vec3::NEG_Z, tip_v: 0.9 }.add(girl, |t| skin(0.86 + 0.14 * t));
    }
    let band = [from + Vec3::Y * 0.010, from, from - Vec3::Y * 0.010];
    let wide = [(0.0, 0.0), (0.12, 0.0150), (0.5, 0.0180), (0.88, 0.0150), (1.0, 0.0)];
    let tube = Tube {
        path: &band,
        width: &wide,
        thickness: &wide,
        outward: Vec3::NEG_Z,
        folds: (0.0, 0.0),
        rows: 8,
        columns: 14,
    };
    tube.add(girl.mesh(SurfaceMaterial::Accent), |_| skin(end - 0.02));
}

fn add_wisp(girl: &mut SampleCharacter) {
    let path = [
        vec3(0.004, 1.468, 0.010),
        vec3(0.010, 1.502, 0.020),
        vec3(-0.006, 1.530, 0.048),
        vec3(-0.030, 1.532, 0.080),
        vec3(-0.044, 1.512, 0.098),
    ];
    let joints = [path[0], catmull_rom(&path, 0.5), path[4]];
    let bones = girl.rig.add_spring(ChainLabel::new('C', ChainKind::Wisp, 1), HEAD, &joints, BANG);
    HairLock { path: &path, width: 0.011, outward: Vec3::X, tip_v: 0.30 }.add(girl, |t| weights_along(&bones, t * 2.0));
}
