//! Renders off-screen images, with or without transparency, and downsamples them.

use super::render_target::{FULL_SAMPLES, PixelReadback, RenderTarget, readback_error};
use super::{Backdrop, DrawInput, HeadlessContext, PixelRect, RenderError, SceneRenderer};
use image::{Rgba, RgbaImage};
use std::fmt;
use std::ops::Range;
use std::sync::LazyLock;

/// Images of one size that a [`SceneRenderer`] draws, in the context of a window or without a window.
pub struct OffscreenTarget {
    target: RenderTarget,
}

impl OffscreenTarget {
    /// Creates a target for images of `width` by `height` pixels. The context of `scene` must be current on the calling
    /// thread, also in every other call and when the target is dropped.
    pub fn new(scene: &SceneRenderer, width: u32, height: u32) -> Result<Self, RenderError> {
        Ok(Self { target: RenderTarget::new(&scene.context, [width, height], FULL_SAMPLES)? })
    }

    /// Renders one opaque sRGB image.
    ///
    /// After the call, the same framebuffers are bound as before. Other GL state is undefined.
    pub fn render(&self, scene: &mut SceneRenderer, input: &DrawInput<'_>) -> Result<RgbaImage, RenderError> {
        self.start(scene, input)?.finish()?.into_image()
    }

    /// Renders one sRGB image without a background, with straight alpha.
    ///
    /// Renders the image on black and on white, and computes the alpha from the difference. The alpha includes soft
    /// edges and the shadow.
    pub fn render_transparent(
        &self,
        scene: &mut SceneRenderer,
        input: &DrawInput<'_>,
    ) -> Result<RgbaImage, RenderError> {
        self.start_transparent(scene, input)?.finish()?.into_image()
    }

    /// Like [`Self::render`], without waiting for the GPU.
    pub fn start(&self, scene: &mut SceneRenderer, input: &DrawInput<'_>) -> Result<PendingPicture, RenderError> {
        Ok(PendingPicture { readback: self.start_readback(scene, input)?, on_white: None })
    }

    /// Like [`Self::render_transparent`], without waiting for the GPU.
    pub fn start_transparent(
        &self,
        scene: &mut SceneRenderer,
        input: &DrawInput<'_>,
    ) -> Result<PendingPicture, RenderError> {
        let mut on = |ground: u8| {
            let backdrop = Backdrop { top: [ground; 3], bottom: [ground; 3], ..*input.backdrop };
            self.start_readback(scene, &DrawInput { backdrop: &backdrop, ..*input })
        };
        Ok(PendingPicture { readback: on(0)?, on_white: Some(on(255)?) })
    }

    fn start_readback(&self, scene: &mut SceneRenderer, input: &DrawInput<'_>) -> Result<PixelReadback, RenderError> {
        let [width, height] = self.target.size();
        let area = PixelRect::full(width, height);
        self.target.draw(|| scene.draw(input, area, area, self.target.is_multisampled()));
        self.target.start_reading()
    }
}

/// An image that the GPU is still drawing.
pub struct PendingPicture {
    readback: PixelReadback,
    /// The same image on white, if the image is transparent.
    on_white: Option<PixelReadback>,
}

impl PendingPicture {
    /// Waits for the GPU. The context of the target must be current on the calling thread.
    pub fn finish(self) -> Result<RawPicture, RenderError> {
        let size = self.readback.size();
        let on_white = self.on_white.map(PixelReadback::finish).transpose();
        Ok(RawPicture { pixels: self.readback.finish()?, on_white: on_white?, size })
    }
}

impl fmt::Debug for PendingPicture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PendingPicture").field("size", &self.readback.size()).finish_non_exhaustive()
    }
}

/// The pixels of an image as the GPU stores them. Any thread can decode them.
pub struct RawPicture {
    /// RGBA bytes, the lowest row first.
    pixels: Vec<u8>,
    on_white: Option<Vec<u8>>,
    size: [u32; 2],
}

impl RawPicture {
    /// Returns the image, with straight alpha.
    pub fn into_image(self) -> Result<RgbaImage, RenderError> {
        let image = |pixels: Vec<u8>| {
            let failed = || readback_error(self.size, "the pixels that came back do not fill it".to_owned());
            let mut image = RgbaImage::from_raw(self.size[0], self.size[1], pixels).ok_or_else(failed)?;
            image::imageops::flip_vertical_in_place(&mut image);
            Ok(image)
        };
        let picture = image(self.pixels)?;
        match self.on_white {
            Some(on_white) => Ok(recover_alpha(&picture, &image(on_white)?)),
            None => Ok(picture),
        }
    }
}

impl fmt::Debug for RawPicture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RawPicture").field("size", &self.size).finish_non_exhaustive()
    }
}

impl fmt::Debug for OffscreenTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OffscreenTarget").field("size", &self.target.size()).finish_non_exhaustive()
    }
}

/// Renders a [`SceneRenderer`] into images, without a window or display.
pub struct OffscreenRenderer {
    scene: SceneRenderer,
    target: OffscreenTarget,
    context: HeadlessContext,
}

impl OffscreenRenderer {
    /// Creates a renderer for images of `width` by `height` pixels.
    pub fn new(width: u32, height: u32) -> Result<Self, RenderError> {
        Self::with_context(HeadlessContext::new()?, width, height)
    }

    /// Like [`Self::new`], but uses an existing context.
    pub fn with_context(headless: HeadlessContext, width: u32, height: u32) -> Result<Self, RenderError> {
        headless.make_current()?;
        let scene = SceneRenderer::new(headless.gl.clone())?;
        Ok(Self { target: OffscreenTarget::new(&scene, width, height)?, scene, context: headless })
    }

    /// Makes the context current and returns the scene.
    pub fn scene(&mut self) -> Result<&mut SceneRenderer, RenderError> {
        Ok(self.scene_and_target()?.0)
    }

    /// Makes the context current and returns the scene and the target of its images.
    pub fn scene_and_target(&mut self) -> Result<(&mut SceneRenderer, &OffscreenTarget), RenderError> {
        self.context.make_current()?;
        Ok((&mut self.scene, &self.target))
    }

    /// Returns the name of the OpenGL driver.
    pub fn driver(&self) -> &str {
        &self.context.driver
    }

    /// Renders one opaque sRGB image.
    pub fn render(&mut self, input: &DrawInput<'_>) -> Result<RgbaImage, RenderError> {
        let (scene, target) = self.scene_and_target()?;
        target.render(scene, input)
    }

    /// Renders one sRGB image without a background, with straight alpha; see [`OffscreenTarget::render_transparent`].
    pub fn render_transparent(&mut self, input: &DrawInput<'_>) -> Result<RgbaImage, RenderError> {
        let (scene, target) = self.scene_and_target()?;
        target.render_transparent(scene, input)
    }
}

impl Drop for OffscreenRenderer {
    fn drop(&mut self) {
        // The fields delete GL names in the current context, so this context must be current. If it cannot be made
        // current, its GL names no longer exist.
        let _ = self.context.make_current();
    }
}

impl fmt::Debug for OffscreenRenderer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let driver = &self.context.driver;
        f.debug_struct("Offscreen").field("target", &self.target).field("driver", driver).finish_non_exhaustive()
    }
}

/// By how much saved images are drawn larger before they are scaled down, along each side.
///
/// With four samples for each drawn pixel, a saved pixel has six samples at different heights. A factor of 2 takes almost
/// twice as long without a GPU, and its edges look the same.
pub const SUPERSAMPLING: f32 = 1.25;

/// Returns the size of an image that is drawn larger by `factor` along each side.
pub fn supersampled_size(size: [u32; 2], factor: f32) -> [u32; 2] {
    size.map(|side| ((side as f32 * factor).round() as u32).max(1))
}

/// Scales an image down to `size`. A pixel is the average of the area that it covers, in linear colour, weighted by
/// alpha.
pub fn downsample(picture: &RgbaImage, size: [u32; 2]) -> RgbaImage {
    let [width, height] = size;
    if picture.dimensions() == (width, height) {
        return picture.clone();
    }
    let light: [f32; 256] = std::array::from_fn(|byte| srgb_to_linear(byte as f32 / 255.0));
    let (columns, rows) = (covered_pixels(picture.width(), width), covered_pixels(picture.height(), height));
    let pixels = picture.as_raw().as_chunks::<4>().0;
    let mut out = RgbaImage::new(width, height);
    for (x, y, pixel) in out.enumerate_pixels_mut() {
        let (columns, rows) = (&columns[x as usize], &rows[y as usize]);
        let first = pixels[rows.first * picture.width() as usize + columns.first];
        let is_flat = rows.range().all(|row| {
            let start = row * picture.width() as usize;
            pixels[start..][columns.range()].iter().all(|pixel| *pixel == first)
        });
        if is_flat {
            // Most of an image is background.
            *pixel = if first[3] > 0 { Rgba(first) } else { Rgba([0; 4]) };
            continue;
        }
        let mut sum = [0.0_f32; 4];
        let mut area = 0.0;
        for (row, height) in rows.pixels() {
            let start = row * picture.width() as usize;
            for (column, width) in columns.pixels() {
                let [r, g, b, a] = pixels[start + column];
                let share = f32::from(a) * width * height;
                sum[0] += light[usize::from(r)] * share;
                sum[1] += light[usize::from(g)] * share;
                sum[2] += light[usize::from(b)] * share;
                sum[3] += share;
                area += width * height;
            }
        }
        let [r, g, b, share] = sum;
        if share > 0.0 {
            let [r, g, b] = [r, g, b].map(|c| SRGB_ENCODER.byte(c / share));
            *pixel = Rgba([r, g, b, (share / area).round() as u8]);
        }
    }
    out
}

/// The pixels of a line that one pixel of a shorter line covers.
struct CoveredPixels {
    first: usize,
    /// The covered part of each pixel, 0..=1.
    shares: Vec<f32>,
}

impl CoveredPixels {
    fn range(&self) -> Range<usize> {
        self.first..self.first + self.shares.len()
    }

    fn pixels(&self) -> impl Iterator<Item = (usize, f32)> + '_ {
        self.shares.iter().enumerate().map(|(index, share)| (self.first + index, *share))
    }
}

/// Divides a line of `from` pixels into `to` equal parts.
fn covered_pixels(from: u32, to: u32) -> Vec<CoveredPixels> {
    let (whole, parts) = (u64::from(from), u64::from(to));
    let part = |index: u64| {
        // In units of 1 / `parts` of a pixel, all borders are integers.
        let (start, end) = (index * whole, (index + 1) * whole);
        let share = |pixel: u64| {
            let covered = end.min((pixel + 1) * parts) - start.max(pixel * parts);
            covered as f32 / parts as f32
        };
        let first = start / parts;
        CoveredPixels { first: first as usize, shares: (first..end.div_ceil(parts)).map(share).collect() }
    };
    (0..parts).map(part).collect()
}

static SRGB_ENCODER: LazyLock<SrgbEncoder> = LazyLock::new(SrgbEncoder::new);

/// Converts linear values to sRGB bytes with tables, because an image has millions of values and a power takes long.
struct SrgbEncoder {
    /// The lowest linear value of each byte.
    lowest: [f32; 256],
    /// The byte of the lowest value of each cell; cells have equal widths.
    bytes: [u8; Self::CELLS],
}

impl SrgbEncoder {
    const CELLS: usize = 4096;

    fn new() -> Self {
        let exact = |value: f32| to_byte(linear_to_srgb(value));
        // The bits of positive numbers have the order of the numbers.
        let lowest = |byte: usize| {
            let (mut below, mut above) = (0, 1.0_f32.to_bits());
            while below < above {
                let middle = u32::midpoint(below, above);
                if usize::from(exact(f32::from_bits(middle))) < byte {
                    below = middle + 1;
                } else {
                    above = middle;
                }
            }
            f32::from_bits(above)
        };
        Self {
            lowest: std::array::from_fn(lowest),
            bytes: std::array::from_fn(|cell| exact(cell as f32 / Self::CELLS as f32)),
        }
    }

    /// Returns the same as `to_byte(linear_to_srgb(value))`.
    fn byte(&self, value: f32) -> u8 {
        let cell = (value * Self::CELLS as f32) as usize;
        let mut byte = self.bytes[cell.min(Self::CELLS - 1)];
        while byte < u8::MAX && value >= self.lowest[usize::from(byte) + 1] {
            byte += 1;
        }
        byte
    }
}

/// Computes the transparent image that looks like these images on black and on white.
pub(super) fn recover_alpha(on_black: &RgbaImage, on_white: &RgbaImage) -> RgbaImage {
    let mut out = on_black.clone();
    for (pixel, white) in out.pixels_mut().zip(on_white.pixels()) {
        let [r, g, b, _] = pixel.0;
        let shines_through: i32 = [0, 1, 2].map(|c| i32::from(white.0[c]) - i32::from(pixel.0[c])).iter().sum();
        let alpha = (255.0 - shines_through as f32 / 3.0).clamp(0.0, 255.0);
        let whole = |c: u8| if alpha > 0.0 { to_byte(f32::from(c) / alpha) } else { 0 };
        *pixel = Rgba([whole(r), whole(g), whole(b), alpha.round() as u8]);
    }
    out
}

fn to_byte(value: f32) -> u8 {
    (value.clamp(0.0, 1.0) * 255.0).round() as u8
}

fn srgb_to_linear(c: f32) -> f32 {
    if c <= 0.040_45 { c / 12.92 } else { libm::powf((c + 0.055) / 1.055, 2.4) }
}

fn linear_to_srgb(c: f32) -> f32 {
    if c <= 0.003_130_8 { c * 12.92 } else { 1.055 * libm::powf(c, 1.0 / 2.4) - 0.055 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn downsampling_averages_linear_light_and_ignores_transparent_pixels() {
        let black_white = RgbaImage::from_fn(2, 2, |x, _| Rgba(if x == 0 { [0, 0, 0, 255] } else { [255; 4] }));
        assert_eq!(downsample(&black_white, [1, 1]).get_pixel(0, 0).0, [188, 188, 188, 255]);
        let half = RgbaImage::from_fn(2, 2, |x, _| Rgba(if x == 0 { [200, 10, 30, 255] } else { [9, 9, 9, 0] }));
        let small = downsample(&half, [1, 1]);
        assert_eq!((small.dimensions(), small.get_pixel(0, 0).0), ((1, 1), [200, 10, 30, 128]));
        assert_eq!(downsample(&half, [2, 2]), half);
    }

    #[test]
    fn downsampling_weights_pixels_by_the_covered_area() {
        let alpha = |values: [u8; 3]| RgbaImage::from_fn(3, 3, |x, _| Rgba([255, 255, 255, values[x as usize]]));
        let small = |values: [u8; 3]| downsample(&alpha(values), [2, 2]).get_pixel(0, 1).0[3];
        assert_eq!([small([255, 0, 0]), small([0, 255, 0]), small([0, 0, 255])], [170, 85, 0]);
        for (from, to) in [(3, 2), (5, 3), (1350, 900), (1201, 801), (7, 1), (12_288, 8192)] {
            let covered = covered_pixels(from, to);
            let total: f32 = covered.iter().flat_map(|part| &part.shares).sum();
            assert!((total / from as f32 - 1.0).abs() < 1e-4, "{total} of {from}");
            let last = covered.last().expect("at least one part");
            assert_eq!(last.first + last.shares.len(), from as usize);
        }
    }

    #[test]
    fn srgb_bytes_from_tables_are_exact() {
        let exact = |value: f32| to_byte(linear_to_srgb(value));
        let near = |value: f32, ulps: i32| f32::from_bits(value.to_bits().saturating_add_signed(ulps));
        let borders = SRGB_ENCODER.lowest.iter().flat_map(|value| (-4..=4).map(|ulps| near(*value, ulps)));
        let even = (0..=100_000_u32).map(|n| n as f32 / 100_000.0);
        for value in borders.chain(even).chain([0.0, f32::MIN_POSITIVE, 1.0, 1.5]).filter(|value| *value >= 0.0) {
            assert_eq!(SRGB_ENCODER.byte(value), exact(value), "{value}");
        }
    }

    #[test]
    fn downsampling_a_flat_color_keeps_every_byte() {
        for level in 0..=255_u8 {
            let picture = RgbaImage::from_pixel(3, 3, Rgba([level, 255 - level, 7, 255]));
            for size in [[1, 1], [2, 2]] {
                assert_eq!(downsample(&picture, size).get_pixel(0, 0).0, [level, 255 - level, 7, 255]);
            }
        }
    }

    #[test]
    fn alpha_is_recovered_from_black_and_white_backgrounds() {
        let over = |ground: f32| {
            let mix = |c: f32| (c * 0.4 + ground * 0.6).round() as u8;
            RgbaImage::from_fn(3, 1, |x, _| match x {
                0 => Rgba([ground as u8, ground as u8, ground as u8, 255]),
                1 => Rgba([mix(250.0), mix(100.0), mix(0.0), 255]),
                _ => Rgba([12, 34, 56, 255]),
            })
        };
        let lifted = recover_alpha(&over(0.0), &over(255.0));
        assert_eq!(lifted.get_pixel(0, 0).0, [0; 4]);
        assert_eq!(lifted.get_pixel(1, 0).0, [250, 100, 0, 102]);
        assert_eq!(lifted.get_pixel(2, 0).0, [12, 34, 56, 255]);
    }
}
