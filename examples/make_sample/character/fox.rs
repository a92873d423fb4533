//! Fox ears, earrings, a tail and a bell.

use super::naming::{ChainKind, ChainLabel};
use super::rig::SpringFeel;
use super::shape::{
    Tube, Vertex, blend_weights, catmull_rom, interpolate, sin_cos_of_turns, single_bone_weights, smoothstep,
    weights_along,
};
use super::{SampleCharacter, SurfaceMaterial};
use glam::{Vec2, Vec3, vec3};

const HEAD: &str = "J_Bip_C_Head";
const EAR: SpringFeel = SpringFeel {
    frequency: 6.0,
    damping: 0.45,
    weight: 0.0,
    root_frequency_ratio: 1.2,
    radius: &[(0.0, 0.020), (1.0, 0.012)],
    collider_groups: &["Head"],
};
const TAIL: SpringFeel = SpringFeel {
    frequency: 2.4,
    damping: 0.5,
    weight: 0.2,
    root_frequency_ratio: 1.4,
    radius: &[(0.0, 0.045), (0.5, 0.075), (1.0, 0.068)],
    collider_groups: &["Head", "Body", "Hips", "Legs", "Thighs", "Floor"],
};
const EARRING: SpringFeel = SpringFeel {
    frequency: 2.2,
    damping: 0.35,
    weight: 3.0,
    root_frequency_ratio: 1.0,
    radius: &[(0.0, 0.006), (1.0, 0.006)],
    collider_groups: &["Head"],
};
const BELL: SpringFeel = SpringFeel {
    frequency: 2.4,
    damping: 0.38,
    weight: 3.0,
    root_frequency_ratio: 1.0,
    radius: &[(0.0, 0.018), (1.0, 0.018)],
    collider_groups: &["Bell"],
};

/// Adds ears and earrings, which [`SampleCharacter::build_enlarged`] enlarges together with the head.
pub(super) fn add_to_head(girl: &mut SampleCharacter) {
    for (letter, side) in [('L', 1.0), ('R', -1.0)] {
        add_ear(girl, letter, side);
        add_earring(girl, letter, side);
    }
}

/// Adds the tail and the bell.
pub(super) fn add_to_body(girl: &mut SampleCharacter) {
    add_tail(girl);
    add_bell(girl);
}

fn add_ear(girl: &mut SampleCharacter, letter: char, side: f32) {
    let head = girl.rig.find_bone(HEAD);
    let place = |x: f32, y: f32, z: f32| vec3(side * x, y, z);
    let path = [
        place(0.057, 1.422, 0.004),
        place(0.067, 1.462, 0.005),
        place(0.080, 1.500, 0.004),
        place(0.098, 1.538, -0.006),
    ];
    let joints = [catmull_rom(&path, 0.25), catmull_rom(&path, 0.62), path[3]];
    let bones = girl.rig.add_spring(ChainLabel::new(letter, ChainKind::Ear, 1), HEAD, &joints, EAR);
    let out = place(0.30, 0.0, 0.95).normalize();
    let width = [(0.0, 0.042), (0.22, 0.047), (0.5, 0.039), (0.8, 0.018), (0.95, 0.005), (1.0, 0.0)];
    let thick = [(0.0, 0.022), (0.4, 0.018), (0.8, 0.009), (1.0, 0.0)];
    let skin = |t: f32| {
        blend_weights(single_bone_weights(head), weights_along(&bones, (t - 0.25) / 0.37), smoothstep(0.20, 0.5, t))
    };
    let tube =
        Tube { path: &path, width: &width, thickness: &thick, outward: out, folds: (0.0, 0.0), rows: 20, columns: 32 };
    let mesh = girl.mesh(SurfaceMaterial::Fur);
    // The ear is hollow at the front, and pink inside.
    let start = mesh.add_grid(tube.rows, tube.columns + 1, |t, u| {
        let (sin, cos) = sin_cos_of_turns(u);
        let (across, outward) = tube.cross_section_axes(t);
        let hollow = smoothstep(0.95, 0.35, cos.abs()) * smoothstep(0.02, 0.2, t) * smoothstep(1.0, 0.8, t);
        let deep = if sin > 0.0 { sin * (1.0 - 1.75 * hollow) } else { sin };
        let at =
            catmull_rom(&path, t) + across * (cos * interpolate(&width, t)) + outward * (deep * interpolate(&thick, t));
        Vertex { position: at, uv: Vec2::new(u, t), weights: skin(t) }
    });
    mesh.remap_uv(start, |v| {
        let front = v.uv.x > 0.085 && v.uv.x < 0.415 && v.uv.y < 0.84;
        if front {
            Vec2::new(0.5 + (v.uv.x - 0.06) / 0.38 * 0.5, 0.98 - v.uv.y * 0.95)
        } else {
            Vec2::new(0.1, 0.12 + v.uv.y * 0.34)
        }
    });
}

fn add_earring(girl: &mut SampleCharacter, letter: char, side: f32) {
    let place = |y: f32| vec3(side * 0.108, y, -0.002);
    let places = [place(1.246), place(1.226), place(1.190)];
    let bones = girl.rig.add_spring(ChainLabel::new(letter, ChainKind::Earring, 1), HEAD, &places, EARRING);
    let line = [place(1.248), place(1.236), place(1.222)];
    let thin = [(0.0, 0.0), (0.1, 0.0045), (0.5, 0.0035), (0.9, 0.0045), (1.0, 0.0)];
    let stem =
        Tube { path: &line, width: &thin, thickness: &thin, outward: Vec3::X, folds: (0.0, 0.0), rows: 7, columns: 8 };
    stem.add(girl.mesh(SurfaceMaterial::Gold), |_| single_bone_weights(bones[0]));
    let line = [place(1.226), place(1.205), place(1.184)];
    let drop = [(0.0, 0.0), (0.15, 0.003), (0.4, 0.0085), (0.65, 0.0120), (0.85, 0.0100), (0.96, 0.0045), (1.0, 0.0)];
    let gem = Tube {
        path: &line,
        width: &drop,
        thickness: &drop,
        outward: Vec3::X,
        folds: (0.0, 0.0),
        rows: 14,
        columns: 12,
    };
    gem.add(girl.mesh(SurfaceMaterial::Gold), |_| single_bone_weights(bones[1]));
}

/// Centre line of the tail: down over the skirt, then up.
const TAIL_PATH: [Vec3; 9] = [
    vec3(0.0, 0.872, -0.055),
    vec3(0.0, 0.852, -0.125),
    vec3(0.0, 0.800, -0.200),
    vec3(0.0, 0.752, -0.280),
    vec3(0.0, 0.738, -0.368),
    vec3(0.0, 0.768, -0.450),
    vec3(0.0, 0.838, -0.508),
    vec3(0.0, 0.926, -0.528),
    vec3(0.0, 1.030, -0.505),
];

fn add_tail(girl: &mut SampleCharacter) {
    let places: [Vec3; 8] = std::array::from_fn(|i| catmull_rom(&TAIL_PATH, i as f32 / 7.0));
    let bones = girl.rig.add_spring(ChainLabel::new('C', ChainKind::Tail, 1), "J_Bip_C_Hips", &places, TAIL);
    let skin = |t: f32| weights_along(&bones, t * 7.0);
    let width = [
        (0.0, 0.012),
        (0.08, 0.022),
        (0.25, 0.047),
        (0.45, 0.073),
        (0.62, 0.085),
        (0.78, 0.075),
        (0.90, 0.044),
        (0.97, 0.016),
        (1.0, 0.0),
    ];
    let out = vec3(0.0, 0.7, 0.7);
    let tube = Tube {
        path: &TAIL_PATH,
        width: &width,
        thickness: &width,
        outward: out,
        folds: (6.0, 0.05),
        rows: 34,
        columns: 36,
    };
    let mesh = girl.mesh(SurfaceMaterial::Fur);
    let start = tube.add(mesh, skin);
    // Tufts: angle around the tail as a fraction of a turn, start and end along the tail, and width.
    let tufts = [
        (0.00, 0.18, 0.62, 0.030),
        (0.50, 0.18, 0.62, 0.030),
        (0.14, 0.40, 0.90, 0.032),
        (0.36, 0.34, 0.84, 0.030),
        (0.64, 0.36, 0.86, 0.032),
        (0.86, 0.42, 0.92, 0.030),
        (0.06, 0.58, 1.00, 0.026),
        (0.45, 0.56, 0.99, 0.026),
        (0.75, 0.52, 0.98, 0.030),
        (0.25, 0.56, 1.00, 0.028),
    ];
    for (around, from, to, w) in tufts {
        let (sin, cos) = sin_cos_of_turns(around);
        let line: Vec<Vec3> = (0..=8_u8)
            .map(|i| {
                let s = f32::from(i) / 8.0;
                let t = from + (to - from) * s;
                let (across, outward) = tube.cross_section_axes(t);
                let off =
                    interpolate(&width, t) * (0.62 + 0.20 * smoothstep(0.0, 0.5, s)) + 0.026 * smoothstep(0.45, 1.0, s);
                catmull_rom(&TAIL_PATH, t) + (across * cos + outward * sin) * off
            })
            .collect();
        let wide = [(0.0, w * 0.2), (0.3, w), (0.6, w * 0.9), (0.88, w * 0.38), (1.0, 0.0)];
        let flat = wide.map(|(t, w)| (t, w * 0.62));
        let (across, outward) = tube.cross_section_axes(f32::midpoint(from, to));
        let away = across * cos + outward * sin;
        let tuft = Tube {
            path: &line,
            width: &wide,
            thickness: &flat,
            outward: away,
            folds: (0.0, 0.0),
            rows: 11,
            columns: 8,
        };
        let first = tuft.add(mesh, |s| skin(from + (to - from) * s));
        for vertex in &mut mesh.vertices[first..] {
            vertex.uv.y = (from + (to - from) * vertex.uv.y) * 0.97;
        }
    }
    // The left half of the texture shows the coat.
    for vertex in &mut mesh.vertices[start..] {
        vertex.uv.x = 0.02 + vertex.uv.x * 0.45;
    }
}

fn add_bell(girl: &mut SampleCharacter) {
    let neck = girl.rig.find_bone("J_Bip_C_Neck");
    // The choker.
    let skin = single_bone_weights(neck);
    girl.mesh(SurfaceMaterial::Navy).add_grid(7, 33, |v, u| {
        let (sin, cos) = sin_cos_of_turns(u);
        let (bulge, _) = sin_cos_of_turns(v * 0.5);
        let r = 0.0305 + 0.0030 * bulge;
        let y = 1.149 + 0.015 * v - 0.006 * sin;
        Vertex { position: vec3(cos * r, y, -0.012 + sin * r), uv: Vec2::new(0.4, 0.3), weights: skin }
    });
    let hinge = vec3(0.0, 1.148, 0.0235);
    let middle = vec3(0.0, 1.124, 0.0370);
    let bones = girl.rig.add_spring(
        ChainLabel::new('C', ChainKind::Bell, 1),
        "J_Bip_C_Neck",
        &[hinge, hinge + (middle - hinge) * 1.5],
        BELL,
    );
    let skin = single_bone_weights(bones[0]);
    let axis = (middle - hinge).normalize();
    let ahead = (Vec3::Z - axis * axis.z).normalize();
    let size = 0.0185;
    let shape = [
        (0.0, 0.0),
        (0.10, 0.60),
        (0.30, 0.93),
        (0.47, 1.0),
        (0.50, 1.09),
        (0.53, 1.0),
        (0.70, 0.93),
        (0.9, 0.6),
        (1.0, 0.0),
    ];
    girl.mesh(SurfaceMaterial::Gold).add_grid(19, 21, |v, u| {
        let (sin, cos) = sin_cos_of_turns(u);
        let along = middle + axis * ((v - 0.5) * 2.0 * size * (1.0 - 0.06 * (v - 0.5).abs()));
        let r = interpolate(&shape, v) * size;
        Vertex { position: along + (Vec3::X * cos + ahead * sin) * r, uv: Vec2::new(u - 0.25, v), weights: skin }
    });
    let ring = [hinge, hinge.lerp(middle, 0.25), hinge.lerp(middle, 0.4)];
    let thin = [(0.0, 0.0035), (0.5, 0.0045), (1.0, 0.0035)];
    let loop_ =
        Tube { path: &ring, width: &thin, thickness: &thin, outward: Vec3::Z, folds: (0.0, 0.0), rows: 5, columns: 8 };
    loop_.add(girl.mesh(SurfaceMaterial::Gold), |_| skin);
}
