//! Renders off-screen pictures, with or without transparency, and downsamples them.

use super::gl::MultisampleTarget;
use super::{Backdrop, DrawInput, HeadlessContext, PixelRect, RenderError, SceneRenderer};
use image::{Rgba, RgbaImage};
use std::fmt;

/// Pictures of one size that a [`SceneRenderer`] draws, in the context of a window or without a window.
pub struct OffscreenTarget {
    target: MultisampleTarget,
    width: u32,
    height: u32,
}

impl OffscreenTarget {
    /// Creates a target for pictures of `width` by `height` pixels. The context of `scene` must be current on the calling
    /// thread, also in every other call and when the target is dropped.
    pub fn new(scene: &SceneRenderer, width: u32, height: u32) -> Result<Self, RenderError> {
        Ok(Self { target: MultisampleTarget::new(&scene.context, width, height)?, width, height })
    }

    /// Renders one opaque sRGB picture.
    ///
    /// After the call, the same framebuffers are bound as before. Other GL state is undefined.
    pub fn render(&self, scene: &mut SceneRenderer, input: &DrawInput<'_>) -> Result<RgbaImage, RenderError> {
        let (width, height) = (self.width, self.height);
        let area = PixelRect::full(width, height);
        let pixels = self.target.capture(|| scene.draw(input, area, area));
        let reason = "the pixels that came back do not fill it".to_owned();
        let failed = RenderError::ImageSize { width, height, most: width.max(height), reason };
        RgbaImage::from_raw(width, height, pixels).ok_or(failed)
    }

    /// Renders one sRGB picture without a background, with straight alpha.
    ///
    /// Renders the picture on black and on white, and computes the alpha from the difference. The alpha includes soft
    /// edges and the shadow.
    pub fn render_transparent(
        &self,
        scene: &mut SceneRenderer,
        input: &DrawInput<'_>,
    ) -> Result<RgbaImage, RenderError> {
        let mut on = |ground: u8| {
            let backdrop = Backdrop { top: [ground; 3], bottom: [ground; 3], ..*input.backdrop };
            self.render(scene, &DrawInput { backdrop: &backdrop, ..*input })
        };
        Ok(recover_alpha(&on(0)?, &on(255)?))
    }
}

impl fmt::Debug for OffscreenTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OffscreenTarget").field("size", &(self.width, self.height)).finish_non_exhaustive()
    }
}

/// Renders a [`SceneRenderer`] into pictures, without a window or display.
pub struct OffscreenRenderer {
    scene: SceneRenderer,
    target: OffscreenTarget,
    context: HeadlessContext,
}

impl OffscreenRenderer {
    /// Creates a renderer for pictures of `width` by `height` pixels.
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

    /// Makes the context current and returns the scene and the target of its pictures.
    pub fn scene_and_target(&mut self) -> Result<(&mut SceneRenderer, &OffscreenTarget), RenderError> {
        self.context.make_current()?;
        Ok((&mut self.scene, &self.target))
    }

    /// Returns the name of the OpenGL driver.
    pub fn driver(&self) -> &str {
        &self.context.driver
    }

    /// Renders one opaque sRGB picture.
    pub fn render(&mut self, input: &DrawInput<'_>) -> Result<RgbaImage, RenderError> {
        let (scene, target) = self.scene_and_target()?;
        target.render(scene, input)
    }

    /// Renders one sRGB picture without a background, with straight alpha; see [`OffscreenTarget::render_transparent`].
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

/// Averages squares of `factor` by `factor` pixels in linear colour, weighted by alpha. Incomplete squares at the edges
/// are dropped.
pub fn downsample(picture: &RgbaImage, factor: u32) -> RgbaImage {
    if factor <= 1 {
        return picture.clone();
    }
    let light: [f32; 256] = std::array::from_fn(|byte| srgb_to_linear(byte as f32 / 255.0));
    let (width, height) = (picture.width() / factor, picture.height() / factor);
    let stride = picture.width() as usize * 4;
    let bytes = picture.as_raw();
    let mut out = RgbaImage::new(width, height);
    for (x, y, pixel) in out.enumerate_pixels_mut() {
        let mut sum = [0.0_f32; 4];
        for row in y * factor..(y + 1) * factor {
            let start = row as usize * stride + (x * factor) as usize * 4;
            for [r, g, b, a] in bytes[start..start + factor as usize * 4].as_chunks::<4>().0 {
                let share = f32::from(*a);
                sum[0] += light[usize::from(*r)] * share;
                sum[1] += light[usize::from(*g)] * share;
                sum[2] += light[usize::from(*b)] * share;
                sum[3] += share;
            }
        }
        let [r, g, b, share] = sum;
        if share > 0.0 {
            let [r, g, b] = [r, g, b].map(|c| to_byte(linear_to_srgb(c / share)));
            *pixel = Rgba([r, g, b, (share / (factor * factor) as f32).round() as u8]);
        }
    }
    out
}

/// Computes the transparent picture that looks like these pictures on black and on white.
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
    if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
}

fn linear_to_srgb(c: f32) -> f32 {
    if c <= 0.003_130_8 { c * 12.92 } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn downsampling_averages_linear_light_and_ignores_transparent_pixels() {
        let black_white = RgbaImage::from_fn(2, 2, |x, _| Rgba(if x == 0 { [0, 0, 0, 255] } else { [255; 4] }));
        assert_eq!(downsample(&black_white, 2).get_pixel(0, 0).0, [188, 188, 188, 255]);
        let half = RgbaImage::from_fn(3, 2, |x, _| Rgba(if x == 0 { [200, 10, 30, 255] } else { [9, 9, 9, 0] }));
        let small = downsample(&half, 2);
        assert_eq!((small.dimensions(), small.get_pixel(0, 0).0), ((1, 1), [200, 10, 30, 128]));
        assert_eq!(downsample(&half, 1), half);
    }

    #[test]
    fn downsampling_a_flat_color_keeps_every_byte() {
        for level in 0..=255_u8 {
            let picture = RgbaImage::from_pixel(3, 3, Rgba([level, 255 - level, 7, 255]));
            assert_eq!(downsample(&picture, 3).get_pixel(0, 0).0, [level, 255 - level, 7, 255]);
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
