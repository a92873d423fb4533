use super::downsample::recover_alpha;
use super::gl::MultisampleTarget;
use super::{Backdrop, DrawInput, HeadlessContext, PixelRect, RenderError, SceneRenderer};
use image::RgbaImage;
use std::fmt;
use three_d::Context;

/// Draws a `OverlayScene` into pictures, without window or display.
pub struct OffscreenRenderer {
    scene: SceneRenderer,
    target: MultisampleTarget,
    context: HeadlessContext,
    width: u32,
    height: u32,
}

impl OffscreenRenderer {
    /// Pictures of `width` by `height` pixels.
    pub fn new(width: u32, height: u32) -> Result<Self, RenderError> {
        Self::with_context(HeadlessContext::new()?, width, height)
    }

    /// The same on a context that was made before.
    pub fn with_context(headless: HeadlessContext, width: u32, height: u32) -> Result<Self, RenderError> {
        headless.make_current()?;
        let scene = SceneRenderer::new(headless.gl.clone())?;
        let context = Context::from_gl_context(headless.gl.clone()).map_err(|e| RenderError::Context(e.to_string()))?;
        Ok(Self { scene, target: MultisampleTarget::new(&context, width, height)?, context: headless, width, height })
    }

    /// What is drawn.
    pub fn scene(&mut self) -> Result<&mut SceneRenderer, RenderError> {
        self.context.make_current()?;
        Ok(&mut self.scene)
    }

    /// Which driver draws.
    pub fn driver(&self) -> &str {
        &self.context.driver
    }

    /// Draws one picture, opaque, sRGB.
    pub fn render(&mut self, input: &DrawInput<'_>) -> Result<RgbaImage, RenderError> {
        self.context.make_current()?;
        self.target.bind();
        let area = PixelRect::full(self.width, self.height);
        self.scene.draw(input, area, area);
        let (width, height) = (self.width, self.height);
        let reason = "the pixels that came back do not fill it".to_owned();
        let failed = RenderError::ImageSize { width, height, most: width.max(height), reason };
        RgbaImage::from_raw(width, height, self.target.read_pixels()).ok_or(failed)
    }

    /// Draws one picture on a clear ground instead of the backdrop's two colours, sRGB, alpha not multiplied in.
    ///
    /// It is drawn on black and on white: what differs is what shines through, soft edges and the shadow included.
    pub fn render_transparent(&mut self, input: &DrawInput<'_>) -> Result<RgbaImage, RenderError> {
        let mut on = |ground: u8| {
            let backdrop = Backdrop { top: [ground; 3], bottom: [ground; 3], ..*input.backdrop };
            self.render(&DrawInput { backdrop: &backdrop, ..*input })
        };
        Ok(recover_alpha(&on(0)?, &on(255)?))
    }
}

impl Drop for OffscreenRenderer {
    fn drop(&mut self) {
        // Another context may be current, and the fields delete GL names in whichever is. Without ours there is
        // nothing left to delete.
        let _ = self.context.make_current();
    }
}

impl fmt::Debug for OffscreenRenderer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = (self.width, self.height);
        f.debug_struct("Offscreen").field("size", &size).field("driver", &self.context.driver).finish_non_exhaustive()
    }
}
