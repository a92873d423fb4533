use super::gl::Canvas;
use super::shrink::lifted;
use super::{Area, Backdrop, DrawInput, Headless, Scene, ViewError};
use image::RgbaImage;
use std::fmt;
use three_d::Context;

/// Draws a [`Scene`] into pictures, without window or display.
pub struct Offscreen {
    scene: Scene,
    canvas: Canvas,
    headless: Headless,
    width: u32,
    height: u32,
}

impl Offscreen {
    /// Pictures of `width` by `height` pixels.
    pub fn new(width: u32, height: u32) -> Result<Self, ViewError> {
        Self::on(Headless::new()?, width, height)
    }

    /// The same on a context that was made before.
    pub fn on(headless: Headless, width: u32, height: u32) -> Result<Self, ViewError> {
        headless.make_current()?;
        let scene = Scene::new(headless.gl.clone())?;
        let context = Context::from_gl_context(headless.gl.clone()).map_err(|e| ViewError::Context(e.to_string()))?;
        Ok(Self { scene, canvas: Canvas::new(&context, width, height)?, headless, width, height })
    }

    /// What is drawn.
    pub fn scene(&mut self) -> Result<&mut Scene, ViewError> {
        self.headless.make_current()?;
        Ok(&mut self.scene)
    }

    /// Which driver draws.
    pub fn driver(&self) -> &str {
        &self.headless.driver
    }

    /// Draws one picture, opaque, sRGB.
    pub fn render(&mut self, input: &DrawInput<'_>) -> Result<RgbaImage, ViewError> {
        self.headless.make_current()?;
        self.canvas.bind();
        let area = Area::whole(self.width, self.height);
        self.scene.draw(input, area, area);
        let (width, height) = (self.width, self.height);
        let reason = "the pixels that came back do not fill it".to_owned();
        let failed = ViewError::Picture { width, height, most: width.max(height), reason };
        RgbaImage::from_raw(width, height, self.canvas.pixels()).ok_or(failed)
    }

    /// Draws one picture on a clear ground instead of the backdrop's two colours, sRGB, alpha not multiplied in.
    ///
    /// It is drawn on black and on white: what differs is what shines through, soft edges and the shadow included.
    pub fn render_clear(&mut self, input: &DrawInput<'_>) -> Result<RgbaImage, ViewError> {
        let mut on = |ground: u8| {
            let backdrop = Backdrop { top: [ground; 3], bottom: [ground; 3], ..*input.backdrop };
            self.render(&DrawInput { backdrop: &backdrop, ..*input })
        };
        Ok(lifted(&on(0)?, &on(255)?))
    }
}

impl Drop for Offscreen {
    fn drop(&mut self) {
        // Another context may be current, and the fields delete GL names in whichever is. Without ours there is
        // nothing left to delete.
        let _ = self.headless.make_current();
    }
}

impl fmt::Debug for Offscreen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = (self.width, self.height);
        f.debug_struct("Offscreen").field("size", &size).field("driver", &self.headless.driver).finish_non_exhaustive()
    }
}
