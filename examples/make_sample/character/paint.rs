//! A small rasterizer of antialiased polygons in RGB images.
//!
//! Corners are rounded to 1/64 pixel, so the coverage never depends on the last bit of a coordinate.

use super::shape::sin_cos_of_turns;
use anyhow::Context as _;
use glam::{Vec2, Vec3};

/// Returns the colour of a hexadecimal sRGB value.
pub(super) fn rgb_from_hex(rgb: u32) -> Vec3 {
    let part = |shift: u32| ((rgb >> shift) & 255) as f32 / 255.0;
    Vec3::new(part(16), part(8), part(0))
}

/// An RGB image with rows from top to bottom.
#[derive(Debug)]
pub(super) struct Canvas {
    pub(super) width: usize,
    pub(super) height: usize,
    pixels: Vec<Vec3>,
    /// Maps drawing units to pixels: `pixel = origin + unit * scale`.
    pub(super) origin: Vec2,
    pub(super) scale: Vec2,
}

const SCANLINES_PER_PIXEL: usize = 8;

impl Canvas {
    pub(super) fn new(width: usize, height: usize, colour: Vec3) -> Self {
        Self { width, height, pixels: vec![colour; width * height], origin: Vec2::ZERO, scale: Vec2::ONE }
    }

    /// Sets every pixel from its position (both coordinates between 0 and 1) and its old colour.
    pub(super) fn map_pixels(&mut self, colour: impl Fn(f32, f32, Vec3) -> Vec3) {
        for y in 0..self.height {
            for x in 0..self.width {
                let pixel = &mut self.pixels[y * self.width + x];
                *pixel = colour((x as f32 + 0.5) / self.width as f32, (y as f32 + 0.5) / self.height as f32, *pixel);
            }
        }
    }

    /// Fills a closed outline given in drawing units. `colour` returns colour and opacity at a position.
    pub(super) fn fill(&mut self, outline: &[Vec2], colour: impl Fn(Vec2) -> (Vec3, f32)) {
        let corners: Vec<Vec2> =
            outline.iter().map(|p| ((self.origin + *p * self.scale) * 64.0).round() / 64.0).collect();
        let top = corners.iter().fold(f32::MAX, |m, p| m.min(p.y)).max(0.0) as usize;
        let bottom = corners.iter().fold(0.0_f32, |m, p| m.max(p.y)).ceil().max(0.0) as usize;
        let mut cover = vec![0.0_f32; self.width];
        for y in top..bottom.min(self.height) {
            cover.fill(0.0);
            for line in 0..SCANLINES_PER_PIXEL {
                let at = y as f32 + (line as f32 + 0.5) / SCANLINES_PER_PIXEL as f32;
                for span in crossings(&corners, at).chunks_exact(2) {
                    add_span(&mut cover, span[0], span[1]);
                }
            }
            for (x, share) in cover.iter().enumerate().filter(|(_, share)| **share > 0.0) {
                let place = (Vec2::new(x as f32 + 0.5, y as f32 + 0.5) - self.origin) / self.scale;
                let (colour, opacity) = colour(place);
                let pixel = &mut self.pixels[y * self.width + x];
                *pixel = pixel.lerp(colour, (share / SCANLINES_PER_PIXEL as f32).min(1.0) * opacity);
            }
        }
    }

    pub(super) fn encode_png(&self) -> anyhow::Result<Vec<u8>> {
        let bytes: Vec<u8> =
            self.pixels.iter().flat_map(Vec3::to_array).map(|c| (c.clamp(0.0, 1.0) * 255.0).round() as u8).collect();
        let picture = image::RgbImage::from_raw(self.width as u32, self.height as u32, bytes)
            .context("three bytes for each pixel")?;
        let mut file = std::io::Cursor::new(Vec::new());
        picture.write_to(&mut file, image::ImageFormat::Png).context("writing a picture")?;
        Ok(file.into_inner())
    }
}

fn crossings(corners: &[Vec2], y: f32) -> Vec<f32> {
    let mut found = Vec::new();
    for (i, a) in corners.iter().enumerate() {
        let b = corners[(i + 1) % corners.len()];
        if (a.y <= y) != (b.y <= y) {
            found.push(a.x + (b.x - a.x) * ((y - a.y) / (b.y - a.y)));
        }
    }
    found.sort_by(f32::total_cmp);
    found
}

fn add_span(cover: &mut [f32], from: f32, to: f32) {
    let (from, to) = (from.max(0.0), to.min(cover.len() as f32));
    for x in from as usize..(to.ceil().max(0.0) as usize).min(cover.len()) {
        cover[x] += (to.min(x as f32 + 1.0) - from.max(x as f32)).max(0.0);
    }
}

pub(super) fn ellipse(middle: Vec2, radius: Vec2) -> Vec<Vec2> {
    let corner = |i: u8| {
        let (sin, cos) = sin_cos_of_turns(f32::from(i) / 64.0);
        middle + radius * Vec2::new(cos, sin)
    };
    (0..64).map(corner).collect()
}
