//! The skull with its soft chin. The human ears are omitted, because hair covers them.

use super::shape::{Vertex, interpolate, sin_cos_of_turns, single_bone_weights};
use super::{SampleCharacter, SurfaceMaterial};
use glam::{Vec2, Vec3};

/// Half width over height, in metres.
const WIDTH: [(f32, f32); 12] = [
    (1.199, 0.0),
    (1.2003, 0.010),
    (1.207, 0.0265),
    (1.222, 0.0455),
    (1.245, 0.0690),
    (1.275, 0.0890),
    (1.31, 0.097),
    (1.35, 0.100),
    (1.39, 0.096),
    (1.425, 0.078),
    (1.450, 0.045),
    (1.460, 0.0),
];
/// Z of the front of the face over height.
const FRONT: [(f32, f32); 10] = [
    (1.199, 0.074),
    (1.203, 0.083),
    (1.215, 0.0895),
    (1.245, 0.0925),
    (1.268, 0.0965),
    (1.29, 0.0945),
    (1.35, 0.0985),
    (1.39, 0.094),
    (1.43, 0.068),
    (1.460, 0.0),
];
/// Z of the back of the head over height.
const BACK: [(f32, f32); 9] = [
    (1.199, 0.074),
    (1.203, 0.055),
    (1.215, 0.025),
    (1.245, -0.030),
    (1.28, -0.080),
    (1.33, -0.104),
    (1.38, -0.104),
    (1.43, -0.072),
    (1.460, 0.0),
];
/// Half the side of the square of the face that the texture covers, in metres. The square starts at `FACE_BOTTOM`.
pub(super) const FACE_HALF_SIZE: f32 = 0.1;
const FACE_BOTTOM: f32 = 1.2;

/// Returns a point `extra` metres outside the skull; `u` starts at the left side and passes the front.
pub(super) fn skull_point(y: f32, u: f32, extra: f32) -> Vec3 {
    let (sin, cos) = sin_cos_of_turns(u);
    let (width, front, back) = (interpolate(&WIDTH, y).max(0.0), interpolate(&FRONT, y), interpolate(&BACK, y));
    // The widest part is behind the middle. The front is flatter than an ellipse.
    let middle = back + (front - back) * 0.45;
    let z = if sin >= 0.0 {
        middle + (front - middle + extra) * flattened_front(sin)
    } else {
        middle + (middle - back + extra) * sin
    };
    Vec3::new(cos * (width + extra), y, z)
}

/// Returns the point of the face at `p`, `layer` millimetres above the skin. `p` is in millimetres, from the middle and
/// from the lower edge of the texture.
pub(super) fn face_point(p: Vec2, layer: f32) -> Vec3 {
    let (x, y) = (p.x / 1000.0, FACE_BOTTOM + p.y / 1000.0);
    let (width, front, back) = (interpolate(&WIDTH, y), interpolate(&FRONT, y), interpolate(&BACK, y));
    let cos = (x / width).clamp(-0.99, 0.99);
    let sin = (1.0 - cos * cos).sqrt();
    let middle = back + (front - back) * 0.45;
    let skin = Vec3::new(x, y, middle + (front - middle) * flattened_front(sin));
    skin + Vec3::new(cos * 0.6, 0.0, sin) * (layer / 1000.0)
}

fn flattened_front(sin: f32) -> f32 {
    sin * (1.22 - 0.22 * sin * sin)
}

pub(super) fn add(girl: &mut SampleCharacter) {
    let head = girl.rig.find_bone("J_Bip_C_Head");
    let rows = 36;
    let start = girl.mesh(SurfaceMaterial::Face).add_grid(rows, 49, |v, u| {
        let (_, cos) = sin_cos_of_turns(v * 0.5);
        let y = 1.3295 - 0.1305 * cos;
        let mut at = skull_point(y, u, 0.0);
        let nose = (1.0 - (at.x / 0.011).powi(2) - ((y - 1.2665) / 0.014).powi(2)).max(0.0);
        if at.z > 0.05 {
            at.z += 0.007 * nose * nose;
        }
        let x = if at.z > 0.0 { at.x } else { FACE_HALF_SIZE.copysign(at.x) };
        let uv =
            Vec2::new((x + FACE_HALF_SIZE) / (2.0 * FACE_HALF_SIZE), 1.0 - (y - FACE_BOTTOM) / (2.0 * FACE_HALF_SIZE));
        Vertex {
            position: at,
            uv: uv.clamp(Vec2::splat(0.002), Vec2::splat(0.998)),
            weights: single_bone_weights(head),
        }
    });
    // The face uses the normals of an egg, because shadows of nose and jaw would disturb the drawn look.
    let mesh = girl.mesh(SurfaceMaterial::Face);
    for i in start..mesh.vertices.len() {
        let egg = (mesh.vertices[i].position - Vec3::new(0.0, 1.315, -0.03)) / Vec3::new(1.0, 1.55, 1.15);
        mesh.normals[i] = mesh.normals[i].lerp(egg.normalize(), 0.85).normalize();
    }
}
