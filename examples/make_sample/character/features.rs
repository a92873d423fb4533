//! Eyes, lashes, brows and mouth: thin patches on the face. Each patch is the surface between two lines, so a morph
//! target is another pair of lines. Coordinates are in millimetres; x points outward from the nose, and y points up.

use super::head::face_point;
use super::shape::{Vertex, catmull_rom, single_bone_weights};
use super::{SampleCharacter, SurfaceMaterial};
use glam::{Vec2, Vec3, vec2};

/// Morph targets in file order.
pub(super) const MORPH_TARGETS: [&str; 12] =
    ["BlinkL", "BlinkR", "Joy", "Smile", "Angry", "Sad", "Surprised", "A", "I", "U", "E", "O"];

/// Centre of the eye.
pub(super) const EYE_CENTER: Vec2 = vec2(40.5, 96.0);
const EYE_SIZE: f32 = 1.27;
const MOUTH_CENTER: Vec2 = vec2(0.0, 36.5);
const MOUTH_SIZE: f32 = 1.15;

type EdgePoints = &'static [(f32, f32)];
/// Upper and lower edge. Edges of the eye start at the inner end; edges of the mouth start at the character's right.
type PatchEdges = (EdgePoints, EdgePoints);

/// Texture region of a patch.
#[derive(Clone, Copy)]
enum PatchTexture {
    /// The texture of the open eye, placed by the rest shape of the patch.
    Eye,
    /// A rectangle of the texture, given by two opposite corners.
    UvRect(Vec2, Vec2),
}

struct FacePatch {
    at: Vec2,
    size: f32,
    /// Distance from the skin in millimetres.
    layer: f32,
    grid: (usize, usize),
    texture: PatchTexture,
    rest: PatchEdges,
    /// Morph targets with the edges of the patch in each.
    morph_edges: &'static [(&'static str, PatchEdges)],
}

const fn swatch(i: u8) -> PatchTexture {
    let x = 0.34 + 0.125 * i as f32;
    PatchTexture::UvRect(vec2(x, 0.56), vec2(x + 0.03, 0.60))
}

const UPPER_LID: EdgePoints =
    &[(-19.0, 0.5), (-16.0, 10.8), (-8.5, 18.4), (3.0, 21.3), (13.0, 17.6), (18.6, 8.5), (19.8, 0.5)];
const LOWER_LID: EdgePoints =
    &[(-18.8, -1.5), (-15.0, -11.5), (-6.5, -17.6), (3.5, -18.9), (12.5, -15.5), (17.8, -7.5), (19.6, -0.5)];
const LASH_TOP: EdgePoints =
    &[(-22.4, -1.5), (-20.2, 11.5), (-11.5, 22.4), (2.0, 27.0), (15.0, 24.0), (23.6, 15.6), (30.0, 12.6)];
const LASH_LOW: EdgePoints =
    &[(-19.6, -2.0), (-16.6, 9.6), (-9.2, 17.2), (3.0, 20.2), (12.6, 16.2), (18.2, 7.6), (19.4, -1.5)];
const SHUT: EdgePoints =
    &[(-20.5, -5.5), (-15.0, -9.6), (-8.0, -12.4), (0.0, -13.6), (8.5, -12.6), (16.0, -9.4), (23.0, -3.5)];
const SHUT_TOP: EdgePoints =
    &[(-21.0, -4.8), (-15.0, -8.2), (-8.0, -10.6), (0.0, -11.6), (8.5, -10.6), (16.5, -7.2), (26.0, 0.5)];
const SHUT_LOW: EdgePoints =
    &[(-20.5, -6.0), (-15.0, -10.6), (-8.0, -13.8), (0.0, -15.2), (8.5, -14.4), (16.5, -11.6), (24.0, -6.0)];
const ARCH: EdgePoints =
    &[(-19.0, -8.5), (-14.0, -1.0), (-7.5, 4.4), (0.0, 6.2), (8.0, 4.4), (14.5, -1.0), (20.0, -8.5)];
const ARCH_TOP: EdgePoints =
    &[(-20.2, -8.5), (-14.8, 0.4), (-8.0, 6.4), (0.0, 8.4), (8.5, 6.4), (15.5, 0.4), (22.6, -7.6)];
const ARCH_LOW: EdgePoints =
    &[(-18.2, -9.2), (-13.4, -2.2), (-7.0, 2.6), (0.0, 4.0), (7.5, 2.6), (13.6, -2.4), (19.0, -9.6)];
const WIDE_LID: EdgePoints =
    &[(-19.0, 0.5), (-16.4, 12.4), (-8.8, 20.8), (3.0, 23.8), (13.4, 19.8), (18.8, 9.5), (19.8, 0.5)];
const WIDE_TOP: EdgePoints =
    &[(-22.4, -1.5), (-20.4, 13.2), (-11.6, 25.0), (2.0, 29.8), (15.2, 26.4), (23.8, 17.0), (30.0, 13.6)];
const WIDE_LOW: EdgePoints =
    &[(-19.6, -2.0), (-17.0, 11.2), (-9.4, 19.6), (3.0, 22.8), (12.9, 18.6), (18.4, 8.4), (19.4, -1.5)];
const ANGRY_LID: EdgePoints =
    &[(-19.0, -2.5), (-16.0, 4.0), (-8.5, 10.6), (3.0, 15.6), (13.0, 16.2), (18.6, 9.5), (19.8, 0.5)];
const ANGRY_TOP: EdgePoints =
    &[(-22.4, -2.5), (-19.2, 6.5), (-11.0, 14.4), (2.0, 20.6), (15.0, 22.4), (23.8, 17.6), (30.6, 16.0)];
const ANGRY_LOW: EdgePoints =
    &[(-19.6, -3.5), (-16.0, 3.0), (-9.0, 9.6), (3.0, 14.6), (12.6, 15.0), (18.2, 8.4), (19.4, -1.5)];

const UNDER_TOP: EdgePoints = &[(-8.0, -18.0), (-2.0, -18.9), (4.0, -18.9), (9.0, -17.4), (13.0, -14.8), (17.0, -9.0)];
const UNDER_LOW: EdgePoints = &[(-8.0, -18.2), (-2.0, -19.9), (4.0, -20.4), (9.6, -18.8), (14.2, -15.8), (18.4, -8.6)];
const UNDER_SHUT: EdgePoints = &[(-8.0, -12.4), (-2.0, -13.4), (4.0, -13.3), (9.0, -12.4), (13.0, -11.0), (17.0, -8.8)];
const UNDER_ARCH: EdgePoints = &[(-8.0, 4.0), (-2.0, 6.0), (4.0, 5.8), (9.0, 3.9), (13.0, 0.4), (17.0, -4.0)];

const FOLD_TOP: EdgePoints = &[(-13.0, 27.2), (0.0, 32.8), (13.5, 30.4), (21.0, 24.0)];
const FOLD_LOW: EdgePoints = &[(-13.0, 27.0), (0.0, 31.5), (13.0, 29.3), (21.0, 24.0)];
const FOLD_SHUT_TOP: EdgePoints = &[(-13.0, 6.6), (0.0, 9.4), (12.0, 8.2), (20.0, 4.0)];
const FOLD_SHUT_LOW: EdgePoints = &[(-13.0, 6.4), (0.0, 8.4), (12.0, 7.2), (20.0, 4.0)];

const BROW_TOP: EdgePoints = &[(-15.0, 40.4), (-4.0, 43.2), (8.0, 42.6), (20.5, 36.6)];
const BROW_LOW: EdgePoints = &[(-15.6, 37.2), (-4.0, 39.4), (8.0, 39.2), (21.0, 35.9)];
const BROW_HIGH: PatchEdges = (
    &[(-15.0, 44.0), (-4.0, 48.6), (8.0, 48.2), (20.5, 41.0)],
    &[(-15.6, 40.8), (-4.0, 44.9), (8.0, 44.8), (21.0, 40.3)],
);
const BROW_ANGRY: PatchEdges = (
    &[(-17.0, 32.0), (-5.0, 38.0), (8.0, 42.4), (20.0, 43.4)],
    &[(-17.4, 28.6), (-5.0, 34.2), (8.0, 39.0), (20.6, 42.6)],
);
const BROW_SAD: PatchEdges = (
    &[(-14.0, 46.0), (-4.0, 45.6), (8.0, 41.0), (19.5, 33.6)],
    &[(-14.8, 43.2), (-4.0, 42.0), (8.0, 37.6), (20.0, 33.0)],
);

const LIP: EdgePoints = &[(-10.8, 2.8), (-7.5, 1.5), (-3.6, 1.2), (0.0, 1.8), (3.6, 1.2), (7.5, 1.5), (10.8, 2.8)];
const JAW: EdgePoints = &[(-10.8, 2.8), (-8.6, -2.2), (-4.6, -5.8), (0.0, -7.2), (4.6, -5.8), (8.6, -2.2), (10.8, 2.8)];
const LIP_SMILE: EdgePoints =
    &[(-15.5, 5.4), (-10.5, 3.0), (-5.0, 2.0), (0.0, 2.2), (5.0, 2.0), (10.5, 3.0), (15.5, 5.4)];
const JAW_SMILE: EdgePoints =
    &[(-15.5, 5.4), (-12.8, -3.4), (-7.0, -9.8), (0.0, -12.0), (7.0, -9.8), (12.8, -3.4), (15.5, 5.4)];
const LIP_SAD: EdgePoints =
    &[(-9.0, -3.0), (-6.0, -0.6), (-3.0, 0.8), (0.0, 1.2), (3.0, 0.8), (6.0, -0.6), (9.0, -3.0)];
const JAW_SAD: EdgePoints =
    &[(-9.0, -3.2), (-6.0, -1.4), (-3.0, -0.4), (0.0, 0.0), (3.0, -0.4), (6.0, -1.4), (9.0, -3.2)];
const LIP_A: EdgePoints = &[(-9.6, 1.0), (-7.5, 2.6), (-4.0, 3.4), (0.0, 3.8), (4.0, 3.4), (7.5, 2.6), (9.6, 1.0)];
const JAW_A: EdgePoints =
    &[(-9.6, 1.0), (-8.8, -7.0), (-5.0, -12.8), (0.0, -14.6), (5.0, -12.8), (8.8, -7.0), (9.6, 1.0)];
const LIP_I: EdgePoints = &[(-12.0, 1.6), (-8.0, 1.4), (-4.0, 1.4), (0.0, 1.5), (4.0, 1.4), (8.0, 1.4), (12.0, 1.6)];
const JAW_I: EdgePoints =
    &[(-12.0, 1.6), (-9.4, -2.6), (-5.0, -4.0), (0.0, -4.4), (5.0, -4.0), (9.4, -2.6), (12.0, 1.6)];
const LIP_U: EdgePoints = &[(-4.6, -1.0), (-3.6, 0.8), (-2.0, 1.8), (0.0, 2.1), (2.0, 1.8), (3.6, 0.8), (4.6, -1.0)];
const JAW_U: EdgePoints =
    &[(-4.6, -1.0), (-3.8, -3.6), (-2.0, -5.2), (0.0, -5.6), (2.0, -5.2), (3.8, -3.6), (4.6, -1.0)];
const LIP_E: EdgePoints = &[(-10.2, 1.4), (-7.4, 2.0), (-4.0, 2.4), (0.0, 2.6), (4.0, 2.4), (7.4, 2.0), (10.2, 1.4)];
const JAW_E: EdgePoints =
    &[(-10.2, 1.4), (-8.6, -4.6), (-5.0, -8.2), (0.0, -9.4), (5.0, -8.2), (8.6, -4.6), (10.2, 1.4)];
const LIP_O: EdgePoints = &[(-6.6, -1.6), (-5.2, 1.8), (-3.0, 3.4), (0.0, 4.0), (3.0, 3.4), (5.2, 1.8), (6.6, -1.6)];
const JAW_O: EdgePoints =
    &[(-6.6, -1.6), (-5.6, -7.4), (-3.0, -10.6), (0.0, -11.4), (3.0, -10.6), (5.6, -7.4), (6.6, -1.6)];

const EYE_PATCHES: [FacePatch; 5] = [
    FacePatch {
        at: EYE_CENTER,
        size: EYE_SIZE,
        layer: 0.5,
        grid: (9, 25),
        texture: PatchTexture::Eye,
        rest: (UPPER_LID, LOWER_LID),
        morph_edges: &[
            ("Blink", (SHUT, SHUT)),
            ("Joy", (ARCH, ARCH)),
            ("Angry", (ANGRY_LID, LOWER_LID)),
            ("Surprised", (WIDE_LID, LOWER_LID)),
        ],
    },
    FacePatch {
        at: EYE_CENTER,
        size: EYE_SIZE,
        layer: 1.3,
        grid: (4, 29),
        texture: swatch(0),
        rest: (LASH_TOP, LASH_LOW),
        morph_edges: &[
            ("Blink", (SHUT_TOP, SHUT_LOW)),
            ("Joy", (ARCH_TOP, ARCH_LOW)),
            ("Angry", (ANGRY_TOP, ANGRY_LOW)),
            ("Surprised", (WIDE_TOP, WIDE_LOW)),
        ],
    },
    FacePatch {
        at: EYE_CENTER,
        size: EYE_SIZE,
        layer: 1.0,
        grid: (2, 17),
        texture: swatch(2),
        rest: (UNDER_TOP, UNDER_LOW),
        morph_edges: &[("Blink", (UNDER_SHUT, UNDER_SHUT)), ("Joy", (UNDER_ARCH, UNDER_ARCH))],
    },
    FacePatch {
        at: EYE_CENTER,
        size: EYE_SIZE,
        layer: 0.6,
        grid: (2, 17),
        texture: swatch(3),
        rest: (FOLD_TOP, FOLD_LOW),
        morph_edges: &[("Blink", (FOLD_SHUT_TOP, FOLD_SHUT_LOW)), ("Joy", (FOLD_SHUT_TOP, FOLD_SHUT_LOW))],
    },
    FacePatch {
        at: EYE_CENTER,
        size: EYE_SIZE,
        layer: 0.8,
        grid: (3, 17),
        texture: swatch(1),
        rest: (BROW_TOP, BROW_LOW),
        morph_edges: &[("Surprised", BROW_HIGH), ("Joy", BROW_HIGH), ("Angry", BROW_ANGRY), ("Sad", BROW_SAD)],
    },
];

const MOUTH_PATCH: FacePatch = FacePatch {
    at: MOUTH_CENTER,
    size: MOUTH_SIZE,
    layer: 0.6,
    grid: (9, 21),
    texture: PatchTexture::UvRect(vec2(0.02, 0.52), vec2(0.27, 0.77)),
    rest: (LIP, JAW),
    morph_edges: &[
        ("Smile", (LIP_SMILE, JAW_SMILE)),
        ("Sad", (LIP_SAD, JAW_SAD)),
        ("Angry", (LIP_SAD, JAW_SAD)),
        ("Surprised", (LIP_O, JAW_O)),
        ("A", (LIP_A, JAW_A)),
        ("I", (LIP_I, JAW_I)),
        ("U", (LIP_U, JAW_U)),
        ("E", (LIP_E, JAW_E)),
        ("O", (LIP_O, JAW_O)),
    ],
};

pub(super) fn add(girl: &mut SampleCharacter) {
    for side in [1.0, -1.0] {
        for patch in &EYE_PATCHES {
            patch.add(girl, side, 0.0);
        }
    }
    MOUTH_PATCH.add(girl, 1.0, 0.0);
    // The line of the upper lip.
    let line = FacePatch { layer: 1.1, grid: (2, 21), texture: swatch(4), ..MOUTH_PATCH };
    line.add(girl, 1.0, 0.75);
}

impl FacePatch {
    /// Adds the patch. If `band` is not 0, adds a band along the upper edge with that half width instead.
    fn add(&self, girl: &mut SampleCharacter, side: f32, band: f32) {
        let head = girl.rig.find_bone("J_Bip_C_Head");
        let drawn = |(upper, lower): PatchEdges, v: f32, u: f32| {
            let line =
                |knots: EdgePoints, t: f32| catmull_rom(&knots.iter().map(|&(x, y)| vec2(x, y)).collect::<Vec<_>>(), t);
            if band == 0.0 {
                return line(upper, u).lerp(line(lower, u), v);
            }
            // The band is thick in the middle and pointed at both ends, which extend slightly beyond the lips.
            let thick = band * (1.0 - (2.0 * u - 1.0).powi(4));
            line(upper, u) + vec2((2.0 * u - 1.0) * 0.8, (0.5 - v) * 2.0 * thick)
        };
        let place = |lines: PatchEdges, v: f32, u: f32| {
            let p = self.at + drawn(lines, v, u) * self.size;
            face_point(vec2(p.x * side, p.y), self.layer)
        };
        let mesh = girl.mesh(SurfaceMaterial::Eyes);
        let (rows, columns) = self.grid;
        let start = mesh.add_grid(rows, columns, |v, u| {
            let uv = match self.texture {
                PatchTexture::Eye => {
                    let p = drawn(self.rest, v, u);
                    let middle = if side > 0.0 { 0.25 } else { 0.75 };
                    vec2(middle + p.x / 60.0 * 0.5, 0.25 - p.y / 60.0 * 0.5)
                }
                PatchTexture::UvRect(a, b) => a + (b - a) * vec2(u, v),
            };
            Vertex { position: place(self.rest, v, u), uv, weights: single_bone_weights(head) }
        });
        mesh.face_towards(start, Vec3::Z);
        for (i, target) in MORPH_TARGETS.into_iter().enumerate() {
            let own = match target {
                "BlinkL" if side > 0.0 => "Blink",
                "BlinkR" if side < 0.0 => "Blink",
                other => other,
            };
            let Some((_, lines)) = self.morph_edges.iter().find(|p| p.0 == own) else { continue };
            for k in 0..rows * columns {
                let share = |i: usize, n: usize| i as f32 / (n - 1) as f32;
                let moved = place(*lines, share(k / columns, rows), share(k % columns, columns));
                let from = mesh.vertices[start + k].position;
                mesh.morphs[i].push((start + k, moved - from));
            }
        }
    }
}
