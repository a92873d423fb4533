//! The pictures: face, hair, cloth. Drawn in millimetres, x to her left, y up.

use super::head::HALF;
use super::material::{ACCENT, NAVY, SKIN, SKIN_SHADE};
use super::paint::{Canvas, hex, oval};
use super::shape::{smooth, turn};
use glam::{Vec2, Vec3, vec2};

const SIZE: usize = 512;
const FEATURES: usize = 1024;
const LASH: u32 = 0x2a_2350;

/// The skin of the face, seen from the front: blush, the shadow of the hair, a hint of a nose.
pub(super) fn face() -> Canvas {
    let mut canvas = Canvas::new(SIZE, SIZE, hex(SKIN));
    let scale = SIZE as f32 / (2.0 * HALF * 1000.0);
    draw_hair_shadow(&mut Pen { canvas: &mut canvas, scale, side: 1.0, at: Vec2::ZERO });
    for side in [1.0, -1.0] {
        draw_cheek(&mut Pen { canvas: &mut canvas, scale, side, at: vec2(61.0, 58.0) });
    }
    let mut pen = Pen { canvas: &mut canvas, scale, side: 1.0, at: vec2(0.0, 63.0) };
    pen.fill(&oval(Vec2::ZERO, vec2(2.4, 1.5)), |_| (hex(0xe8_94_82), 0.85));
    canvas
}

/// Eyes, mouth and plain patches for lashes and brows; where each lies, [`super::features`] knows.
pub(super) fn features() -> Canvas {
    let mut canvas = Canvas::new(FEATURES, FEATURES, hex(SKIN));
    let unit = FEATURES as f32 / 2.0 / 60.0;
    for (side, middle) in [(1.0, 256.0), (-1.0, 768.0)] {
        let mut ink = Ink { canvas: &mut canvas, scale: unit, origin: vec2(middle, 256.0) };
        draw_eye(&mut ink, side);
    }
    let plain = [LASH, 0x50_4cb4, 0x6b_4a78, 0xd0_8a8c, 0x8a_3448];
    for (i, colour) in plain.into_iter().enumerate() {
        let x = 0.325 + 0.125 * i as f32;
        let corners = [(x, 0.54), (x + 0.06, 0.54), (x + 0.06, 0.62), (x, 0.62)];
        let mut ink = Ink { canvas: &mut canvas, scale: FEATURES as f32, origin: Vec2::ZERO };
        ink.fill(&corners.map(|(x, y)| vec2(x, -y)), |_| (hex(colour), 1.0));
    }
    draw_mouth(&mut Ink { canvas: &mut canvas, scale: FEATURES as f32 / 4.0, origin: vec2(20.0, 532.0) });
    canvas
}

/// Draws in a box of the features' picture, y up.
struct Ink<'a> {
    canvas: &'a mut Canvas,
    scale: f32,
    origin: Vec2,
}

impl Ink<'_> {
    fn fill(&mut self, outline: &[Vec2], colour: impl Fn(Vec2) -> (Vec3, f32)) {
        self.canvas.scale = vec2(self.scale, -self.scale);
        self.canvas.origin = self.origin;
        self.canvas.fill(outline, colour);
    }

    fn flat(&mut self, outline: &[Vec2], colour: u32) {
        self.fill(outline, |_| (hex(colour), 1.0));
    }
}

/// Draws around a point of the face, mirrored for her right side.
struct Pen<'a> {
    canvas: &'a mut Canvas,
    scale: f32,
    side: f32,
    /// Millimetres left of the middle and above the lower edge.
    at: Vec2,
}

impl Pen<'_> {
    fn fill(&mut self, outline: &[Vec2], colour: impl Fn(Vec2) -> (Vec3, f32)) {
        self.canvas.scale = vec2(self.scale * self.side, -self.scale);
        let middle = SIZE as f32 / 2.0;
        let unit = SIZE as f32 / (2.0 * HALF * 1000.0);
        self.canvas.origin = vec2(middle + self.side * unit * self.at.x, SIZE as f32 - unit * self.at.y);
        self.canvas.fill(outline, colour);
    }
}

/// Bangs shade the forehead.
fn draw_hair_shadow(pen: &mut Pen<'_>) {
    let shade = |_: Vec2| (hex(SKIN_SHADE), 0.70);
    let mut fringe = vec![vec2(-100.0, 200.0), vec2(-100.0, 50.0), vec2(-93.0, 84.0)];
    for (x, tip, gap) in [(-82.0, 100.0, 128.0), (-56.0, 107.0, 140.0), (-30.0, 120.0, 147.0), (0.0, 112.0, 147.0)] {
        fringe.extend([vec2(x, tip), vec2(x + 14.0, gap)]);
    }
    for (x, tip, gap) in [(27.0, 121.0, 144.0), (52.0, 107.0, 132.0)] {
        fringe.extend([vec2(x, tip), vec2(x + 15.0, gap)]);
    }
    fringe.extend([vec2(82.0, 100.0), vec2(93.0, 84.0), vec2(100.0, 50.0), vec2(100.0, 200.0)]);
    pen.fill(&fringe, shade);
}

fn draw_cheek(pen: &mut Pen<'_>) {
    let radius = vec2(19.0, 11.5);
    pen.fill(&oval(Vec2::ZERO, radius), |p| (hex(0xff_8484), 0.55 * smooth(1.0, 0.05, (p / radius).length())));
}

/// The ball of an eye as it lies open; the lids are cut by the patch that shows it. `side` keeps the highlights of
/// both eyes on the light's side.
fn draw_eye(ink: &mut Ink<'_>, side: f32) {
    let all = [(-30.0, -30.0), (30.0, -30.0), (30.0, 30.0), (-30.0, 30.0)].map(|(x, y)| vec2(x, y));
    let lid = |p: Vec2, from: f32| smooth(from, from + 4.5, p.y + 0.020 * (p.x - 2.0) * (p.x - 2.0));
    ink.fill(&all, |p| (hex(0xfe_fdff).lerp(hex(0xb4_b8e6), lid(p, 11.0)), 1.0));
    let middle = vec2(-0.3, 1.0);
    let radius = vec2(17.4, 21.8);
    ink.flat(&oval(middle, radius), 0x5a_1c30);
    let glow = |p: Vec2| {
        let upper = hex(0x8c_2430).lerp(hex(0xf0_7a28), smooth(10.0, -3.0, p.y));
        upper.lerp(hex(0xff_d860), smooth(-2.0, -16.0, p.y))
    };
    ink.fill(&oval(middle, radius - 1.5), |p| (glow(p), 1.0));
    // Rays around the pupil, and light gathered below it.
    for i in 0..9_u8 {
        let (sin, cos) = turn(0.56 + f32::from(i) / 9.0 * 0.38);
        let way = vec2(cos * 0.82, sin);
        let across = vec2(-way.y, way.x) * 0.75;
        let (from, to) = (middle + way * 9.0, middle + way * 17.0);
        ink.fill(&[from - across, to - across * 1.6, to + across * 1.6, from + across], |_| (hex(0xff_f0a8), 0.5));
    }
    ink.fill(&oval(middle + vec2(0.0, -12.8), vec2(10.0, 6.0)), |p| (hex(0xff_f8d0), 0.8 * smooth(-5.0, -14.5, p.y)));
    ink.flat(&oval(middle + vec2(0.0, 1.2), vec2(6.8, 9.8)), 0x48_1428);
    ink.fill(&oval(middle + vec2(0.0, -1.0), vec2(3.4, 5.0)), |p| (hex(0xb0_3a30), 0.7 * smooth(2.0, -5.0, p.y)));
    // The lid's shadow on the iris.
    ink.fill(&oval(middle, radius), |p| (hex(0x52_1830), 0.55 * lid(p, 8.6)));
    ink.flat(&oval(vec2(-6.0 * side, 8.4), vec2(5.4, 6.6)), 0xff_ffff);
    ink.flat(&oval(vec2(6.8 * side, -8.4), vec2(2.9, 3.4)), 0xff_ffff);
    ink.fill(&oval(vec2(6.4 * side, 5.0), vec2(1.7, 2.0)), |_| (hex(0xff_ffff), 0.9));
}

/// The open mouth over a unit square: dark above, tongue below.
fn draw_mouth(ink: &mut Ink<'_>) {
    let square = [(-0.1, 0.1), (1.1, 0.1), (1.1, -1.1), (-0.1, -1.1)].map(|(x, y)| vec2(x, y));
    ink.fill(&square, |p| (hex(0x9c_3044).lerp(hex(0xc0_4a58), smooth(-0.1, -0.9, p.y)), 1.0));
    ink.flat(&oval(vec2(0.5, -1.06), vec2(0.36, 0.52)), 0xf5_9290);
    ink.fill(&oval(vec2(0.5, -0.80), vec2(0.12, 0.10)), |_| (hex(0xff_b8b0), 0.7));
}

/// Hair: around it runs u, from the root down runs v.
pub(super) fn hair() -> Canvas {
    let mut canvas = Canvas::new(256, 512, Vec3::ZERO);
    canvas.shade(|u, v, _| {
        let colour =
            hex(0x78_6cec).lerp(hex(0x5a_9cf2), smooth(0.12, 0.62, v)).lerp(hex(0x5c_e8d4), smooth(0.5, 1.0, v));
        // Strands: a few slow waves around, the same at both ends.
        let wave = turn(u * 5.0 + 0.1).0 * 0.5 + turn(u * 11.0 + 0.37).0 * 0.3 + turn(u * 23.0).0 * 0.2;
        // Locks turn away from the viewer at u = 0 and 0.5: darker there, they stand out from one another.
        let rim = smooth(0.05, 0.0, (u * 2.0 - (u * 2.0).round()).abs() / 2.0) * smooth(0.62, 0.36, v);
        let dark = (smooth(0.25, 0.75, wave) * 0.16).max(rim * 0.30);
        let light = smooth(-0.35, -0.8, wave) * 0.20;
        // A ring of light around the crown, its edges broken by the strands.
        let edge = 0.014 * wave + 0.008 * turn(u * 31.0).0;
        let ring = smooth(0.148, 0.164, v + edge) * smooth(0.200, 0.184, v - edge) * 0.36;
        let colour = colour.lerp(hex(0xc9_d4ff), ring);
        (colour * (1.0 - dark)).lerp(hex(0xf2_f4ff), light)
    });
    canvas
}

/// Cloth of skirt and collar: one pleat across, from the waist down to the hem; two white lines above it.
pub(super) fn navy() -> Canvas {
    let mut canvas = Canvas::new(64, 256, hex(NAVY));
    canvas.shade(|u, v, base| {
        let line = |a: f32, b: f32| smooth(a - 0.004, a + 0.004, v) * smooth(b + 0.004, b - 0.004, v);
        let colour = base.lerp(hex(0xf4_f3ff), line(0.83, 0.875).max(line(0.905, 0.92)));
        let fold = smooth(0.80, 0.97, u) * 0.45 * smooth(0.0, 0.15, v);
        colour * (1.0 - fold)
    });
    canvas
}

/// Bare skin: in shadow where v is 0, lit from the middle down.
pub(super) fn skin() -> Canvas {
    let mut canvas = Canvas::new(16, 128, hex(SKIN));
    canvas.shade(|_, v, lit| hex(SKIN_SHADE).lerp(lit, smooth(0.46, 0.54, v)));
    canvas
}

/// Bows: v runs from the knot outward, folds spread around it.
pub(super) fn accent() -> Canvas {
    let mut canvas = Canvas::new(128, 64, hex(ACCENT));
    canvas.shade(|u, v, lit| {
        let knot = smooth(0.30, 0.10, v);
        let fold = smooth(0.70, 0.95, turn(u * 4.0).1) * smooth(0.62, 0.30, v) * 0.8;
        let edge = smooth(0.93, 0.97, v) * 0.35;
        lit.lerp(hex(0xe6_7f32), knot.max(fold).max(edge))
    });
    canvas
}

/// Fur: on the left half of the picture the coat, from the root to the pale tip; on the right the inside of an ear.
pub(super) fn fur() -> Canvas {
    let mut canvas = Canvas::new(256, 256, Vec3::ZERO);
    canvas.shade(|u, v, _| {
        if u < 0.5 {
            let wave = turn(u * 20.0 + 0.1).0 * 0.5 + turn(u * 44.0 + 0.4).0 * 0.3;
            let v = v + 0.030 * wave;
            let coat =
                hex(0x78_6cec).lerp(hex(0x5c_92f2), smooth(0.08, 0.45, v)).lerp(hex(0x58_d8dc), smooth(0.42, 0.70, v));
            let coat = coat * (1.0 - 0.10 * smooth(0.2, 0.7, wave)) + Vec3::splat(0.05 * smooth(-0.2, -0.7, wave));
            coat.lerp(hex(0xf6_fbff), smooth(0.70, 0.76, v))
        } else {
            let across = (u - 0.75).abs() * 4.0;
            let pink = hex(0xff_b9b4).lerp(hex(0xff_dcd0), smooth(0.15, 0.75, v));
            pink.lerp(hex(0xf8_f4ff), smooth(0.55, 0.75, across).max(smooth(0.30, 0.05, v) * 0.9))
        }
    });
    canvas
}

/// Gold: v runs from the top down, with a dark slit near the end for the bell.
pub(super) fn gold() -> Canvas {
    let mut canvas = Canvas::new(64, 128, Vec3::ZERO);
    canvas.shade(|u, v, _| {
        let shine = smooth(0.10, 0.16, v) * smooth(0.34, 0.28, v);
        let coat = hex(0xff_c83c).lerp(hex(0xe8_9020), smooth(0.45, 0.75, v)).lerp(hex(0xff_f2b0), shine * 0.8);
        let around = (u * 2.0 - (u * 2.0).round()).abs();
        let slit = smooth(0.030, 0.018, around) * smooth(0.60, 0.63, v);
        coat.lerp(hex(0x5a_2a18), slit.max(smooth(0.93, 0.95, v)))
    });
    canvas
}
