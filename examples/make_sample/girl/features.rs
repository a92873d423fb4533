//! Eyes, lashes, brows and mouth: thin patches that lie on the face, each spanned between two lines, so that a
//! morph target is another pair of lines. Drawn in millimetres, x outward from the nose, y up.

use super::head::on_face;
use super::shape::{Vertex, rigid, spline};
use super::{Cloth, Girl};
use glam::{Vec2, Vec3, vec2};

/// What a face can do, in the order of the file's morph targets.
pub(super) const TARGETS: [&str; 12] =
    ["BlinkL", "BlinkR", "Joy", "Smile", "Angry", "Sad", "Surprised", "A", "I", "U", "E", "O"];

/// Middle of the eye, and how much larger than drawn it is.
pub(super) const EYE: Vec2 = vec2(40.5, 96.0);
const EYE_SIZE: f32 = 1.27;
const MOUTH: Vec2 = vec2(0.0, 36.5);
const MOUTH_SIZE: f32 = 1.15;

type Line = &'static [(f32, f32)];
/// Upper and lower edge, both from the inner (or her right) end on.
type Lines = (Line, Line);

/// Where the picture of a patch is.
#[derive(Clone, Copy)]
enum Paint {
    /// The eye's own picture, as it lies open.
    Eye,
    /// A corner and the opposite one, in shares of the picture.
    Span(Vec2, Vec2),
}

struct Patch {
    at: Vec2,
    size: f32,
    /// Millimetres off the skin.
    layer: f32,
    grid: (usize, usize),
    paint: Paint,
    rest: Lines,
    /// Target and the lines it leads to.
    poses: &'static [(&'static str, Lines)],
}

const fn swatch(i: u8) -> Paint {
    let x = 0.34 + 0.125 * i as f32;
    Paint::Span(vec2(x, 0.56), vec2(x + 0.03, 0.60))
}

const LID: Line = &[(-19.0, 0.5), (-16.0, 10.8), (-8.5, 18.4), (3.0, 21.3), (13.0, 17.6), (18.6, 8.5), (19.8, 0.5)];
const FLOOR: Line =
    &[(-18.8, -1.5), (-15.0, -11.5), (-6.5, -17.6), (3.5, -18.9), (12.5, -15.5), (17.8, -7.5), (19.6, -0.5)];
const LASH_TOP: Line =
    &[(-22.4, -1.5), (-20.2, 11.5), (-11.5, 22.4), (2.0, 27.0), (15.0, 24.0), (23.6, 15.6), (30.0, 12.6)];
const LASH_LOW: Line =
    &[(-19.6, -2.0), (-16.6, 9.6), (-9.2, 17.2), (3.0, 20.2), (12.6, 16.2), (18.2, 7.6), (19.4, -1.5)];
const SHUT: Line =
    &[(-20.5, -5.5), (-15.0, -9.6), (-8.0, -12.4), (0.0, -13.6), (8.5, -12.6), (16.0, -9.4), (23.0, -3.5)];
const SHUT_TOP: Line =
    &[(-21.0, -4.8), (-15.0, -8.2), (-8.0, -10.6), (0.0, -11.6), (8.5, -10.6), (16.5, -7.2), (26.0, 0.5)];
const SHUT_LOW: Line =
    &[(-20.5, -6.0), (-15.0, -10.6), (-8.0, -13.8), (0.0, -15.2), (8.5, -14.4), (16.5, -11.6), (24.0, -6.0)];
const ARCH: Line = &[(-19.0, -8.5), (-14.0, -1.0), (-7.5, 4.4), (0.0, 6.2), (8.0, 4.4), (14.5, -1.0), (20.0, -8.5)];
const ARCH_TOP: Line = &[(-20.2, -8.5), (-14.8, 0.4), (-8.0, 6.4), (0.0, 8.4), (8.5, 6.4), (15.5, 0.4), (22.6, -7.6)];
const ARCH_LOW: Line = &[(-18.2, -9.2), (-13.4, -2.2), (-7.0, 2.6), (0.0, 4.0), (7.5, 2.6), (13.6, -2.4), (19.0, -9.6)];
const WIDE_LID: Line =
    &[(-19.0, 0.5), (-16.4, 12.4), (-8.8, 20.8), (3.0, 23.8), (13.4, 19.8), (18.8, 9.5), (19.8, 0.5)];
const WIDE_TOP: Line =
    &[(-22.4, -1.5), (-20.4, 13.2), (-11.6, 25.0), (2.0, 29.8), (15.2, 26.4), (23.8, 17.0), (30.0, 13.6)];
const WIDE_LOW: Line =
    &[(-19.6, -2.0), (-17.0, 11.2), (-9.4, 19.6), (3.0, 22.8), (12.9, 18.6), (18.4, 8.4), (19.4, -1.5)];
const ANGRY_LID: Line =
    &[(-19.0, -2.5), (-16.0, 4.0), (-8.5, 10.6), (3.0, 15.6), (13.0, 16.2), (18.6, 9.5), (19.8, 0.5)];
const ANGRY_TOP: Line =
    &[(-22.4, -2.5), (-19.2, 6.5), (-11.0, 14.4), (2.0, 20.6), (15.0, 22.4), (23.8, 17.6), (30.6, 16.0)];
const ANGRY_LOW: Line =
    &[(-19.6, -3.5), (-16.0, 3.0), (-9.0, 9.6), (3.0, 14.6), (12.6, 15.0), (18.2, 8.4), (19.4, -1.5)];

const UNDER_TOP: Line = &[(-8.0, -18.0), (-2.0, -18.9), (4.0, -18.9), (9.0, -17.4), (13.0, -14.8), (17.0, -9.0)];
const UNDER_LOW: Line = &[(-8.0, -18.2), (-2.0, -19.9), (4.0, -20.4), (9.6, -18.8), (14.2, -15.8), (18.4, -8.6)];
const UNDER_SHUT: Line = &[(-8.0, -12.4), (-2.0, -13.4), (4.0, -13.3), (9.0, -12.4), (13.0, -11.0), (17.0, -8.8)];
const UNDER_ARCH: Line = &[(-8.0, 4.0), (-2.0, 6.0), (4.0, 5.8), (9.0, 3.9), (13.0, 0.4), (17.0, -4.0)];

const FOLD_TOP: Line = &[(-13.0, 27.2), (0.0, 32.8), (13.5, 30.4), (21.0, 24.0)];
const FOLD_LOW: Line = &[(-13.0, 27.0), (0.0, 31.5), (13.0, 29.3), (21.0, 24.0)];
const FOLD_SHUT_TOP: Line = &[(-13.0, 6.6), (0.0, 9.4), (12.0, 8.2), (20.0, 4.0)];
const FOLD_SHUT_LOW: Line = &[(-13.0, 6.4), (0.0, 8.4), (12.0, 7.2), (20.0, 4.0)];

const BROW_TOP: Line = &[(-15.0, 40.4), (-4.0, 43.2), (8.0, 42.6), (20.5, 36.6)];
const BROW_LOW: Line = &[(-15.6, 37.2), (-4.0, 39.4), (8.0, 39.2), (21.0, 35.9)];
const BROW_HIGH: Lines = (
    &[(-15.0, 44.0), (-4.0, 48.6), (8.0, 48.2), (20.5, 41.0)],
    &[(-15.6, 40.8), (-4.0, 44.9), (8.0, 44.8), (21.0, 40.3)],
);
const BROW_ANGRY: Lines = (
    &[(-17.0, 32.0), (-5.0, 38.0), (8.0, 42.4), (20.0, 43.4)],
    &[(-17.4, 28.6), (-5.0, 34.2), (8.0, 39.0), (20.6, 42.6)],
);
const BROW_SAD: Lines = (
    &[(-14.0, 46.0), (-4.0, 45.6), (8.0, 41.0), (19.5, 33.6)],
    &[(-14.8, 43.2), (-4.0, 42.0), (8.0, 37.6), (20.0, 33.0)],
);

const LIP: Line = &[(-10.8, 2.8), (-7.5, 1.5), (-3.6, 1.2), (0.0, 1.8), (3.6, 1.2), (7.5, 1.5), (10.8, 2.8)];
const JAW: Line = &[(-10.8, 2.8), (-8.6, -2.2), (-4.6, -5.8), (0.0, -7.2), (4.6, -5.8), (8.6, -2.2), (10.8, 2.8)];
const LIP_SMILE: Line = &[(-15.5, 5.4), (-10.5, 3.0), (-5.0, 2.0), (0.0, 2.2), (5.0, 2.0), (10.5, 3.0), (15.5, 5.4)];
const JAW_SMILE: Line =
    &[(-15.5, 5.4), (-12.8, -3.4), (-7.0, -9.8), (0.0, -12.0), (7.0, -9.8), (12.8, -3.4), (15.5, 5.4)];
const LIP_SAD: Line = &[(-9.0, -3.0), (-6.0, -0.6), (-3.0, 0.8), (0.0, 1.2), (3.0, 0.8), (6.0, -0.6), (9.0, -3.0)];
const JAW_SAD: Line = &[(-9.0, -3.2), (-6.0, -1.4), (-3.0, -0.4), (0.0, 0.0), (3.0, -0.4), (6.0, -1.4), (9.0, -3.2)];
const LIP_A: Line = &[(-9.6, 1.0), (-7.5, 2.6), (-4.0, 3.4), (0.0, 3.8), (4.0, 3.4), (7.5, 2.6), (9.6, 1.0)];
const JAW_A: Line = &[(-9.6, 1.0), (-8.8, -7.0), (-5.0, -12.8), (0.0, -14.6), (5.0, -12.8), (8.8, -7.0), (9.6, 1.0)];
const LIP_I: Line = &[(-12.0, 1.6), (-8.0, 1.4), (-4.0, 1.4), (0.0, 1.5), (4.0, 1.4), (8.0, 1.4), (12.0, 1.6)];
const JAW_I: Line = &[(-12.0, 1.6), (-9.4, -2.6), (-5.0, -4.0), (0.0, -4.4), (5.0, -4.0), (9.4, -2.6), (12.0, 1.6)];
const LIP_U: Line = &[(-4.6, -1.0), (-3.6, 0.8), (-2.0, 1.8), (0.0, 2.1), (2.0, 1.8), (3.6, 0.8), (4.6, -1.0)];
const JAW_U: Line = &[(-4.6, -1.0), (-3.8, -3.6), (-2.0, -5.2), (0.0, -5.6), (2.0, -5.2), (3.8, -3.6), (4.6, -1.0)];
const LIP_E: Line = &[(-10.2, 1.4), (-7.4, 2.0), (-4.0, 2.4), (0.0, 2.6), (4.0, 2.4), (7.4, 2.0), (10.2, 1.4)];
const JAW_E: Line = &[(-10.2, 1.4), (-8.6, -4.6), (-5.0, -8.2), (0.0, -9.4), (5.0, -8.2), (8.6, -4.6), (10.2, 1.4)];
const LIP_O: Line = &[(-6.6, -1.6), (-5.2, 1.8), (-3.0, 3.4), (0.0, 4.0), (3.0, 3.4), (5.2, 1.8), (6.6, -1.6)];
const JAW_O: Line = &[(-6.6, -1.6), (-5.6, -7.4), (-3.0, -10.6), (0.0, -11.4), (3.0, -10.6), (5.6, -7.4), (6.6, -1.6)];

const EYE_PATCHES: [Patch; 5] = [
    Patch {
        at: EYE,
        size: EYE_SIZE,
        layer: 0.5,
        grid: (9, 25),
        paint: Paint::Eye,
        rest: (LID, FLOOR),
        poses: &[
            ("Blink", (SHUT, SHUT)),
            ("Joy", (ARCH, ARCH)),
            ("Angry", (ANGRY_LID, FLOOR)),
            ("Surprised", (WIDE_LID, FLOOR)),
        ],
    },
    Patch {
        at: EYE,
        size: EYE_SIZE,
        layer: 1.3,
        grid: (4, 29),
        paint: swatch(0),
        rest: (LASH_TOP, LASH_LOW),
        poses: &[
            ("Blink", (SHUT_TOP, SHUT_LOW)),
            ("Joy", (ARCH_TOP, ARCH_LOW)),
            ("Angry", (ANGRY_TOP, ANGRY_LOW)),
            ("Surprised", (WIDE_TOP, WIDE_LOW)),
        ],
    },
    Patch {
        at: EYE,
        size: EYE_SIZE,
        layer: 1.0,
        grid: (2, 17),
        paint: swatch(2),
        rest: (UNDER_TOP, UNDER_LOW),
        poses: &[("Blink", (UNDER_SHUT, UNDER_SHUT)), ("Joy", (UNDER_ARCH, UNDER_ARCH))],
    },
    Patch {
        at: EYE,
        size: EYE_SIZE,
        layer: 0.6,
        grid: (2, 17),
        paint: swatch(3),
        rest: (FOLD_TOP, FOLD_LOW),
        poses: &[("Blink", (FOLD_SHUT_TOP, FOLD_SHUT_LOW)), ("Joy", (FOLD_SHUT_TOP, FOLD_SHUT_LOW))],
    },
    Patch {
        at: EYE,
        size: EYE_SIZE,
        layer: 0.8,
        grid: (3, 17),
        paint: swatch(1),
        rest: (BROW_TOP, BROW_LOW),
        poses: &[("Surprised", BROW_HIGH), ("Joy", BROW_HIGH), ("Angry", BROW_ANGRY), ("Sad", BROW_SAD)],
    },
];

const MOUTH_PATCH: Patch = Patch {
    at: MOUTH,
    size: MOUTH_SIZE,
    layer: 0.6,
    grid: (9, 21),
    paint: Paint::Span(vec2(0.02, 0.52), vec2(0.27, 0.77)),
    rest: (LIP, JAW),
    poses: &[
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

/// Adds all patches with their morph targets.
pub(super) fn add(girl: &mut Girl) {
    for side in [1.0, -1.0] {
        for patch in &EYE_PATCHES {
            patch.add(girl, side, 0.0);
        }
    }
    MOUTH_PATCH.add(girl, 1.0, 0.0);
    // The line of the upper lip: the same lips, as a band.
    let line = Patch { layer: 1.1, grid: (2, 21), paint: swatch(4), ..MOUTH_PATCH };
    line.add(girl, 1.0, 0.75);
}

impl Patch {
    /// Adds the patch; where `band` is not 0 it runs along the upper line alone, that far up and down.
    fn add(&self, girl: &mut Girl, side: f32, band: f32) {
        let head = girl.rig.find("J_Bip_C_Head");
        let drawn = |(upper, lower): Lines, v: f32, u: f32| {
            let line = |knots: Line, t: f32| spline(&knots.iter().map(|&(x, y)| vec2(x, y)).collect::<Vec<_>>(), t);
            if band == 0.0 {
                return line(upper, u).lerp(line(lower, u), v);
            }
            // Thick in the middle, pointed at both ends, which reach a little beyond the lips.
            let thick = band * (1.0 - (2.0 * u - 1.0).powi(4));
            line(upper, u) + vec2((2.0 * u - 1.0) * 0.8, (0.5 - v) * 2.0 * thick)
        };
        let place = |lines: Lines, v: f32, u: f32| {
            let p = self.at + drawn(lines, v, u) * self.size;
            on_face(vec2(p.x * side, p.y), self.layer)
        };
        let mesh = girl.mesh(Cloth::Eyes);
        let (rows, columns) = self.grid;
        let start = mesh.add_grid(rows, columns, |v, u| {
            let uv = match self.paint {
                Paint::Eye => {
                    let p = drawn(self.rest, v, u);
                    let middle = if side > 0.0 { 0.25 } else { 0.75 };
                    vec2(middle + p.x / 60.0 * 0.5, 0.25 - p.y / 60.0 * 0.5)
                }
                Paint::Span(a, b) => a + (b - a) * vec2(u, v),
            };
            Vertex { at: place(self.rest, v, u), uv, skin: rigid(head) }
        });
        mesh.face_towards(start, Vec3::Z);
        for (i, target) in TARGETS.into_iter().enumerate() {
            let own = match target {
                "BlinkL" if side > 0.0 => "Blink",
                "BlinkR" if side < 0.0 => "Blink",
                other => other,
            };
            let Some((_, lines)) = self.poses.iter().find(|p| p.0 == own) else { continue };
            for k in 0..rows * columns {
                let share = |i: usize, n: usize| i as f32 / (n - 1) as f32;
                let moved = place(*lines, share(k / columns, rows), share(k % columns, columns));
                let from = mesh.vertices[start + k].at;
                mesh.morphs[i].push((start + k, moved - from));
            }
        }
    }
}
