//! The pictures: face, hair, cloth. Drawn in millimetres, x to her left, y up.

use super::glb::{ACCENT, NAVY, SKIN, SKIN_SHADE};
use super::head::HALF;
use super::paint::{Canvas, between, closed, hex, oval};
use super::shape::{smooth, turn};
use glam::{Vec2, Vec3, vec2};

const SIZE: usize = 1024;
const EYE: Vec2 = vec2(40.0, 97.0);
const LASH: u32 = 0x2a_2350;

/// The face, seen from the front.
pub(super) fn face() -> Canvas {
    let mut canvas = Canvas::new(SIZE, SIZE, hex(SKIN));
    let scale = SIZE as f32 / (2.0 * HALF * 1000.0);
    draw_hair_shadow(&mut Pen { canvas: &mut canvas, scale, side: 1.0, at: Vec2::ZERO });
    for side in [1.0, -1.0] {
        draw_cheek(&mut Pen { canvas: &mut canvas, scale, side, at: vec2(60.0, 57.0) });
        draw_eye(&mut Pen { canvas: &mut canvas, scale: scale * 1.2, side, at: EYE });
        draw_brow(&mut Pen { canvas: &mut canvas, scale: scale * 1.2, side, at: EYE });
    }
    draw_mouth(&mut Pen { canvas: &mut canvas, scale: scale * 1.15, side: 1.0, at: vec2(0.0, 37.0) });
    canvas
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

    fn flat(&mut self, outline: &[Vec2], colour: u32) {
        self.fill(outline, |_| (hex(colour), 1.0));
    }
}

fn points(list: &[(f32, f32)]) -> Vec<Vec2> {
    list.iter().map(|&(x, y)| vec2(x, y)).collect()
}

/// Bangs shade the forehead, side locks the temples.
fn draw_hair_shadow(pen: &mut Pen<'_>) {
    let shade = |_: Vec2| (hex(SKIN_SHADE), 0.62);
    let mut fringe = vec![vec2(-100.0, 200.0), vec2(-100.0, 40.0), vec2(-88.0, 60.0)];
    for (x, tip, gap) in [(-80.0, 96.0, 128.0), (-56.0, 106.0, 140.0), (-30.0, 118.0, 146.0), (0.0, 110.0, 146.0)] {
        fringe.extend([vec2(x, tip), vec2(x + 14.0, gap)]);
    }
    for (x, tip, gap) in [(27.0, 120.0, 144.0), (52.0, 106.0, 132.0)] {
        fringe.extend([vec2(x, tip), vec2(x + 15.0, gap)]);
    }
    fringe.extend([vec2(80.0, 96.0), vec2(88.0, 60.0), vec2(100.0, 40.0), vec2(100.0, 200.0)]);
    pen.fill(&fringe, shade);
}

fn draw_cheek(pen: &mut Pen<'_>) {
    let radius = vec2(17.0, 10.0);
    pen.fill(&oval(Vec2::ZERO, radius), |p| (hex(0xff_8f8f), 0.5 * smooth(1.0, 0.1, (p / radius).length())));
}

fn draw_eye(pen: &mut Pen<'_>) {
    let white = closed(&points(&[
        (-18.0, -1.0),
        (-17.0, 9.0),
        (-10.0, 18.0),
        (3.0, 21.0),
        (14.0, 16.0),
        (20.0, 5.0),
        (17.5, -8.5),
        (9.0, -17.6),
        (-5.0, -18.0),
        (-14.0, -11.0),
    ]));
    let shadow = |p: Vec2| hex(0xfd_fcff).lerp(hex(0xb9_bfe4), smooth(9.0, 13.0, p.y + 0.02 * p.x * p.x));
    pen.fill(&white, |p| (shadow(p), 1.0));
    draw_iris(pen);
    draw_lashes(pen);
}

fn draw_iris(pen: &mut Pen<'_>) {
    let middle = vec2(-0.3, 1.2);
    let radius = vec2(16.6, 20.2);
    pen.flat(&oval(middle, radius), 0x4e_1a2c);
    let glow = |p: Vec2| {
        let upper = hex(0x8a_2a2e).lerp(hex(0xe8_7a2c), smooth(10.0, -3.0, p.y));
        upper.lerp(hex(0xff_d768), smooth(-3.0, -17.0, p.y))
    };
    pen.fill(&oval(middle, radius - 1.4), |p| (glow(p), 1.0));
    pen.fill(&oval(middle + vec2(0.0, -11.5), vec2(9.0, 5.0)), |p| (hex(0xff_f6c4), 0.75 * smooth(-6.0, -15.0, p.y)));
    pen.flat(&oval(middle + vec2(0.0, 1.0), vec2(6.0, 8.8)), 0x46_1426);
    // The lid's shadow on the iris.
    let lid = |p: Vec2| 0.5 * smooth(7.5, 9.5, p.y + 0.018 * p.x * p.x);
    pen.fill(&oval(middle, radius), |p| (hex(0x4e_1a2c), lid(p)));
    pen.flat(&oval(vec2(-5.5, 8.0), vec2(5.0, 6.2)), 0xff_ffff);
    pen.flat(&oval(vec2(6.2, -8.5), vec2(2.6, 3.0)), 0xff_ffff);
    pen.fill(&oval(vec2(6.6, 4.0), vec2(1.5, 1.8)), |_| (hex(0xff_ffff), 0.8));
}

fn draw_lashes(pen: &mut Pen<'_>) {
    let upper =
        points(&[(-21.5, 2.5), (-19.0, 12.5), (-10.5, 22.0), (3.0, 26.0), (15.0, 22.5), (22.5, 13.5), (27.5, 11.5)]);
    let lower =
        points(&[(-19.5, 2.0), (-16.5, 10.0), (-9.5, 17.6), (3.0, 20.8), (12.8, 16.5), (18.5, 7.5), (19.0, 2.0)]);
    pen.flat(&between(&upper, &lower), LASH);
    // Two small points at the outer corner.
    pen.flat(&points(&[(18.0, 12.0), (26.5, 5.0), (18.5, 3.5)]), LASH);
    let under = points(&[(-7.0, -18.2), (4.0, -19.0), (12.5, -15.0), (18.4, -7.5)]);
    let thin = points(&[(-7.0, -18.5), (4.0, -20.5), (13.6, -16.2), (19.2, -7.0)]);
    pen.flat(&between(&under, &thin), 0x6b_4a78);
    let crease = points(&[(-13.0, 26.0), (0.0, 30.6), (13.0, 28.0), (20.0, 22.0)]);
    let fold = points(&[(-13.0, 26.2), (0.0, 31.8), (13.5, 29.0), (20.0, 22.0)]);
    pen.fill(&between(&crease, &fold), |_| (hex(0xb5_6a78), 0.8));
}

fn draw_brow(pen: &mut Pen<'_>) {
    let upper = points(&[(-14.0, 38.4), (-4.0, 40.6), (8.0, 40.0), (19.0, 34.6)]);
    let lower = points(&[(-14.5, 35.6), (-4.0, 37.5), (8.0, 37.2), (19.5, 34.0)]);
    pen.flat(&between(&upper, &lower), 0x4a_4ba8);
}

fn draw_mouth(pen: &mut Pen<'_>) {
    let upper = points(&[(-10.5, 2.6), (-5.0, 1.2), (0.0, 1.7), (5.0, 1.2), (10.5, 2.6)]);
    let lower = points(&[(-10.5, 2.6), (-6.5, -4.6), (0.0, -7.6), (6.5, -4.6), (10.5, 2.6)]);
    pen.flat(&between(&upper, &lower), 0xa8_3a4c);
    let tongue = points(&[(-6.2, -4.0), (-3.0, -2.3), (0.0, -3.0), (3.0, -2.3), (6.2, -4.0)]);
    let floor = points(&[(-6.2, -4.4), (-3.5, -6.6), (0.0, -7.4), (3.5, -6.6), (6.2, -4.4)]);
    pen.flat(&between(&tongue, &floor), 0xf0_8a86);
    let line = points(&[(-11.8, 3.6), (-5.0, 1.9), (0.0, 2.4), (5.0, 1.9), (11.8, 3.6)]);
    let under = points(&[(-11.8, 3.2), (-5.0, 0.7), (0.0, 1.2), (5.0, 0.7), (11.8, 3.2)]);
    pen.flat(&between(&line, &under), 0x6e_2a44);
    // A hint of a nose.
    pen.fill(&oval(vec2(0.8, 25.4), vec2(1.9, 1.2)), |_| (hex(0xe0_8a78), 0.8));
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
