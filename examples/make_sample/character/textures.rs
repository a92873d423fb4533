//! Textures of face, hair, cloth, skin, bows, fur and gold. Face coordinates are in millimetres; x points to the
//! character's left, y up.

use super::head::FACE_HALF_SIZE;
use super::material::{ACCENT, NAVY, SKIN, SKIN_SHADE};
use super::paint::{Canvas, ellipse, rgb_from_hex};
use super::shape::{sin_cos_of_turns, smoothstep};
use glam::{Vec2, Vec3, vec2};

const FACE_TEXTURE_SIZE: usize = 512;
const FEATURES_TEXTURE_SIZE: usize = 1024;
const LASH_COLOR: u32 = 0x2a_2350;

/// Paints the front of the face: blush, the shadow of the hair, and a hint of a nose.
pub(super) fn face_texture() -> Canvas {
    let mut canvas = Canvas::new(FACE_TEXTURE_SIZE, FACE_TEXTURE_SIZE, rgb_from_hex(SKIN));
    let scale = FACE_TEXTURE_SIZE as f32 / (2.0 * FACE_HALF_SIZE * 1000.0);
    draw_hair_shadow(&mut FacePainter { canvas: &mut canvas, scale, side: 1.0, at: Vec2::ZERO });
    for side in [1.0, -1.0] {
        draw_cheek(&mut FacePainter { canvas: &mut canvas, scale, side, at: vec2(61.0, 58.0) });
    }
    let mut pen = FacePainter { canvas: &mut canvas, scale, side: 1.0, at: vec2(0.0, 63.0) };
    pen.fill(&ellipse(Vec2::ZERO, vec2(2.4, 1.5)), |_| (rgb_from_hex(0xe8_94_82), 0.85));
    canvas
}

/// Paints eyes, mouth, and plain patches for lashes and brows. [`super::features`] refers to their positions.
pub(super) fn features_texture() -> Canvas {
    let mut canvas = Canvas::new(FEATURES_TEXTURE_SIZE, FEATURES_TEXTURE_SIZE, rgb_from_hex(SKIN));
    let unit = FEATURES_TEXTURE_SIZE as f32 / 2.0 / 60.0;
    for (side, middle) in [(1.0, 256.0), (-1.0, 768.0)] {
        let mut ink = AtlasPainter { canvas: &mut canvas, scale: unit, origin: vec2(middle, 256.0) };
        draw_eye(&mut ink, side);
    }
    let plain = [LASH_COLOR, 0x50_4cb4, 0x6b_4a78, 0xd0_8a8c, 0x8a_3448];
    for (i, colour) in plain.into_iter().enumerate() {
        let x = 0.325 + 0.125 * i as f32;
        let corners = [(x, 0.54), (x + 0.06, 0.54), (x + 0.06, 0.62), (x, 0.62)];
        let mut ink = AtlasPainter { canvas: &mut canvas, scale: FEATURES_TEXTURE_SIZE as f32, origin: Vec2::ZERO };
        ink.fill(&corners.map(|(x, y)| vec2(x, -y)), |_| (rgb_from_hex(colour), 1.0));
    }
    draw_mouth(&mut AtlasPainter {
        canvas: &mut canvas,
        scale: FEATURES_TEXTURE_SIZE as f32 / 4.0,
        origin: vec2(20.0, 532.0),
    });
    canvas
}

/// Draws in a rectangle of the features texture, with y up.
struct AtlasPainter<'a> {
    canvas: &'a mut Canvas,
    scale: f32,
    origin: Vec2,
}

impl AtlasPainter<'_> {
    fn fill(&mut self, outline: &[Vec2], colour: impl Fn(Vec2) -> (Vec3, f32)) {
        self.canvas.scale = vec2(self.scale, -self.scale);
        self.canvas.origin = self.origin;
        self.canvas.fill(outline, colour);
    }

    fn fill_flat(&mut self, outline: &[Vec2], colour: u32) {
        self.fill(outline, |_| (rgb_from_hex(colour), 1.0));
    }
}

/// Draws around a point of the face, mirrored for the right side.
struct FacePainter<'a> {
    canvas: &'a mut Canvas,
    scale: f32,
    side: f32,
    /// Millimetres from the middle to the character's left, and from the lower edge upwards.
    at: Vec2,
}

impl FacePainter<'_> {
    fn fill(&mut self, outline: &[Vec2], colour: impl Fn(Vec2) -> (Vec3, f32)) {
        self.canvas.scale = vec2(self.scale * self.side, -self.scale);
        let middle = FACE_TEXTURE_SIZE as f32 / 2.0;
        let unit = FACE_TEXTURE_SIZE as f32 / (2.0 * FACE_HALF_SIZE * 1000.0);
        self.canvas.origin = vec2(middle + self.side * unit * self.at.x, FACE_TEXTURE_SIZE as f32 - unit * self.at.y);
        self.canvas.fill(outline, colour);
    }
}

/// Draws the shadow of the bangs on the forehead.
fn draw_hair_shadow(pen: &mut FacePainter<'_>) {
    let shade = |_: Vec2| (rgb_from_hex(SKIN_SHADE), 0.70);
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

fn draw_cheek(pen: &mut FacePainter<'_>) {
    let radius = vec2(19.0, 11.5);
    pen.fill(&ellipse(Vec2::ZERO, radius), |p| {
        (rgb_from_hex(0xff_8484), 0.55 * smoothstep(1.0, 0.05, (p / radius).length()))
    });
}

/// Draws an open eye; the eyelids are the edges of the patch. `side` keeps the highlights of both eyes on the lit side.
fn draw_eye(ink: &mut AtlasPainter<'_>, side: f32) {
    let all = [(-30.0, -30.0), (30.0, -30.0), (30.0, 30.0), (-30.0, 30.0)].map(|(x, y)| vec2(x, y));
    let lid = |p: Vec2, from: f32| smoothstep(from, from + 4.5, p.y + 0.020 * (p.x - 2.0) * (p.x - 2.0));
    ink.fill(&all, |p| (rgb_from_hex(0xfe_fdff).lerp(rgb_from_hex(0xb4_b8e6), lid(p, 11.0)), 1.0));
    let middle = vec2(-0.3, 1.0);
    let radius = vec2(17.4, 21.8);
    ink.fill_flat(&ellipse(middle, radius), 0x5a_1c30);
    let glow = |p: Vec2| {
        let upper = rgb_from_hex(0x8c_2430).lerp(rgb_from_hex(0xf0_7a28), smoothstep(10.0, -3.0, p.y));
        upper.lerp(rgb_from_hex(0xff_d860), smoothstep(-2.0, -16.0, p.y))
    };
    ink.fill(&ellipse(middle, radius - 1.5), |p| (glow(p), 1.0));
    // Rays around the pupil, and light collected below the pupil.
    for i in 0..9_u8 {
        let (sin, cos) = sin_cos_of_turns(0.56 + f32::from(i) / 9.0 * 0.38);
        let way = vec2(cos * 0.82, sin);
        let across = vec2(-way.y, way.x) * 0.75;
        let (from, to) = (middle + way * 9.0, middle + way * 17.0);
        ink.fill(&[from - across, to - across * 1.6, to + across * 1.6, from + across], |_| {
            (rgb_from_hex(0xff_f0a8), 0.5)
        });
    }
    ink.fill(&ellipse(middle + vec2(0.0, -12.8), vec2(10.0, 6.0)), |p| {
        (rgb_from_hex(0xff_f8d0), 0.8 * smoothstep(-5.0, -14.5, p.y))
    });
    ink.fill_flat(&ellipse(middle + vec2(0.0, 1.2), vec2(6.8, 9.8)), 0x48_1428);
    ink.fill(&ellipse(middle + vec2(0.0, -1.0), vec2(3.4, 5.0)), |p| {
        (rgb_from_hex(0xb0_3a30), 0.7 * smoothstep(2.0, -5.0, p.y))
    });
    // The shadow of the eyelid on the iris.
    ink.fill(&ellipse(middle, radius), |p| (rgb_from_hex(0x52_1830), 0.55 * lid(p, 8.6)));
    ink.fill_flat(&ellipse(vec2(-6.0 * side, 8.4), vec2(5.4, 6.6)), 0xff_ffff);
    ink.fill_flat(&ellipse(vec2(6.8 * side, -8.4), vec2(2.9, 3.4)), 0xff_ffff);
    ink.fill(&ellipse(vec2(6.4 * side, 5.0), vec2(1.7, 2.0)), |_| (rgb_from_hex(0xff_ffff), 0.9));
}

/// Draws the open mouth in a unit square, dark at the top and with the tongue at the bottom.
fn draw_mouth(ink: &mut AtlasPainter<'_>) {
    let square = [(-0.1, 0.1), (1.1, 0.1), (1.1, -1.1), (-0.1, -1.1)].map(|(x, y)| vec2(x, y));
    ink.fill(&square, |p| (rgb_from_hex(0x9c_3044).lerp(rgb_from_hex(0xc0_4a58), smoothstep(-0.1, -0.9, p.y)), 1.0));
    ink.fill_flat(&ellipse(vec2(0.5, -1.06), vec2(0.36, 0.52)), 0xf5_9290);
    ink.fill(&ellipse(vec2(0.5, -0.80), vec2(0.12, 0.10)), |_| (rgb_from_hex(0xff_b8b0), 0.7));
}

/// Paints the hair; u runs around the lock, and v from root to tip.
pub(super) fn hair_texture() -> Canvas {
    let mut canvas = Canvas::new(256, 512, Vec3::ZERO);
    canvas.map_pixels(|u, v, _| {
        let colour = rgb_from_hex(0x78_6cec)
            .lerp(rgb_from_hex(0x5a_9cf2), smoothstep(0.12, 0.62, v))
            .lerp(rgb_from_hex(0x5c_e8d4), smoothstep(0.5, 1.0, v));
        // The strands are a few slow waves, periodic in u.
        let wave = sin_cos_of_turns(u * 5.0 + 0.1).0 * 0.5
            + sin_cos_of_turns(u * 11.0 + 0.37).0 * 0.3
            + sin_cos_of_turns(u * 23.0).0 * 0.2;
        // Locks face sideways at u = 0 and 0.5. These edges are darker, so that neighbouring locks are distinguishable.
        let rim = smoothstep(0.05, 0.0, (u * 2.0 - (u * 2.0).round()).abs() / 2.0) * smoothstep(0.62, 0.36, v);
        let dark = (smoothstep(0.25, 0.75, wave) * 0.16).max(rim * 0.30);
        let light = smoothstep(-0.35, -0.8, wave) * 0.20;
        // A ring of light around the crown. The strands make its edges irregular.
        let edge = 0.014 * wave + 0.008 * sin_cos_of_turns(u * 31.0).0;
        let ring = smoothstep(0.148, 0.164, v + edge) * smoothstep(0.200, 0.184, v - edge) * 0.36;
        let colour = colour.lerp(rgb_from_hex(0xc9_d4ff), ring);
        (colour * (1.0 - dark)).lerp(rgb_from_hex(0xf2_f4ff), light)
    });
    canvas
}

/// Paints the cloth of skirt and collar: one pleat across, v from waist to hem, with two white lines above the hem.
pub(super) fn navy_texture() -> Canvas {
    let mut canvas = Canvas::new(64, 256, rgb_from_hex(NAVY));
    canvas.map_pixels(|u, v, base| {
        let line = |a: f32, b: f32| smoothstep(a - 0.004, a + 0.004, v) * smoothstep(b + 0.004, b - 0.004, v);
        let colour = base.lerp(rgb_from_hex(0xf4_f3ff), line(0.83, 0.875).max(line(0.905, 0.92)));
        let fold = smoothstep(0.80, 0.97, u) * 0.45 * smoothstep(0.0, 0.15, v);
        colour * (1.0 - fold)
    });
    canvas
}

/// Paints bare skin: in shadow at v = 0, and lit from the middle to v = 1.
pub(super) fn skin_texture() -> Canvas {
    let mut canvas = Canvas::new(16, 128, rgb_from_hex(SKIN));
    canvas.map_pixels(|_, v, lit| rgb_from_hex(SKIN_SHADE).lerp(lit, smoothstep(0.46, 0.54, v)));
    canvas
}

/// Paints bows; v runs outward from the knot, and folds spread from the knot.
pub(super) fn accent_texture() -> Canvas {
    let mut canvas = Canvas::new(128, 64, rgb_from_hex(ACCENT));
    canvas.map_pixels(|u, v, lit| {
        let knot = smoothstep(0.30, 0.10, v);
        let fold = smoothstep(0.70, 0.95, sin_cos_of_turns(u * 4.0).1) * smoothstep(0.62, 0.30, v) * 0.8;
        let edge = smoothstep(0.93, 0.97, v) * 0.35;
        lit.lerp(rgb_from_hex(0xe6_7f32), knot.max(fold).max(edge))
    });
    canvas
}

/// Paints fur. The left half is the coat from the root to the pale tip; the right half is the inside of an ear.
pub(super) fn fur_texture() -> Canvas {
    let mut canvas = Canvas::new(256, 256, Vec3::ZERO);
    canvas.map_pixels(|u, v, _| {
        if u < 0.5 {
            let wave = sin_cos_of_turns(u * 20.0 + 0.1).0 * 0.5 + sin_cos_of_turns(u * 44.0 + 0.4).0 * 0.3;
            let v = v + 0.030 * wave;
            let coat = rgb_from_hex(0x78_6cec)
                .lerp(rgb_from_hex(0x5c_92f2), smoothstep(0.08, 0.45, v))
                .lerp(rgb_from_hex(0x58_d8dc), smoothstep(0.42, 0.70, v));
            let coat =
                coat * (1.0 - 0.10 * smoothstep(0.2, 0.7, wave)) + Vec3::splat(0.05 * smoothstep(-0.2, -0.7, wave));
            coat.lerp(rgb_from_hex(0xf6_fbff), smoothstep(0.70, 0.76, v))
        } else {
            let across = (u - 0.75).abs() * 4.0;
            let pink = rgb_from_hex(0xff_b9b4).lerp(rgb_from_hex(0xff_dcd0), smoothstep(0.15, 0.75, v));
            pink.lerp(rgb_from_hex(0xf8_f4ff), smoothstep(0.55, 0.75, across).max(smoothstep(0.30, 0.05, v) * 0.9))
        }
    });
    canvas
}

/// Paints gold; v runs downwards. A dark slit near the end is the opening of the bell.
pub(super) fn gold_texture() -> Canvas {
    let mut canvas = Canvas::new(64, 128, Vec3::ZERO);
    canvas.map_pixels(|u, v, _| {
        let shine = smoothstep(0.10, 0.16, v) * smoothstep(0.34, 0.28, v);
        let coat = rgb_from_hex(0xff_c83c)
            .lerp(rgb_from_hex(0xe8_9020), smoothstep(0.45, 0.75, v))
            .lerp(rgb_from_hex(0xff_f2b0), shine * 0.8);
        let around = (u * 2.0 - (u * 2.0).round()).abs();
        let slit = smoothstep(0.030, 0.018, around) * smoothstep(0.60, 0.63, v);
        coat.lerp(rgb_from_hex(0x5a_2a18), slit.max(smoothstep(0.93, 0.95, v)))
    });
    canvas
}
