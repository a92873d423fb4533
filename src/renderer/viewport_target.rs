//! Caches the picture of a viewport until its content changes.
//!
//! Drawing the character again costs a software renderer up to a second. Panels are drawn again whenever the pointer
//! moves over them. [`ViewportTarget`] therefore draws the character into a texture, and copies the texture into the
//! window in every frame. The texture can be smaller than its place in the window, see [`PictureQuality`].

use super::render_target::{FULL_SAMPLES, RenderTarget};
use super::scene_renderer::{PosedState, Reduction};
use super::{Backdrop, DrawInput, ExtraBody, FullScreenPass, PixelRect, RenderError, SceneRenderer, gl, set_uniform};
use crate::stage::CameraView;
use glam::Vec3;
use std::fmt;

/// Least width of outlines in a picture of reduced resolution, in pixels of that picture.
const LEAST_OUTLINE: f32 = 0.7;

/// The resolution, the anti-aliasing and the shadow of a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PictureQuality {
    /// Pixels of the picture per pixel of the window along one side, more than 0 and at most 1.
    pub scale: f32,
    /// Samples per pixel: 1 or 4.
    pub samples: u32,
    /// Whether the character has a shadow on the ground.
    pub has_shadow: bool,
}

impl PictureQuality {
    /// The resolution of the window, with smooth edges.
    pub const FULL: Self = Self { scale: 1.0, samples: FULL_SAMPLES, has_shadow: true };

    fn scaled_size(self, area: PixelRect) -> [u32; 2] {
        [area.width, area.height].map(|side| ((side as f32 * self.scale).ceil() as u32).clamp(1, side.max(1)))
    }
}

/// Where a picture is in the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowArea {
    /// The whole picture.
    pub viewport: PixelRect,
    /// The visible part.
    pub scissor: PixelRect,
}

/// Everything that determines a picture.
#[derive(Debug)]
struct DrawnPicture {
    posed: PosedState,
    extra_bodies: Vec<ExtraBody>,
    camera: CameraView,
    backdrop: Backdrop,
    ground_height: f32,
    light: Vec3,
    /// Time of animated textures.
    seconds: Option<f64>,
    /// The number of the character, see [`SceneRenderer::character_number`].
    character: u64,
}

impl DrawnPicture {
    fn new(scene: &SceneRenderer, input: &DrawInput<'_>) -> Self {
        Self {
            posed: PosedState::new(input),
            extra_bodies: input.extra_bodies.to_vec(),
            camera: *input.camera,
            backdrop: *input.backdrop,
            ground_height: input.ground_height,
            light: input.light,
            seconds: scene.has_animated_textures().then_some(input.seconds),
            character: scene.character_number(),
        }
    }

    fn is_same(&self, scene: &SceneRenderer, input: &DrawInput<'_>) -> bool {
        // Without `..`, a new field of the input does not compile until this comparison includes it.
        let DrawInput {
            camera,
            extra_bodies,
            backdrop,
            ground_height,
            light,
            seconds,
            pose: _,
            visible: _,
            morph_weights: _,
        } = *input;
        self.camera == *camera
            && self.ground_height == ground_height
            && self.light == light
            && self.seconds.is_none_or(|drawn| drawn == seconds)
            && self.character == scene.character_number()
            && self.backdrop == *backdrop
            && self.extra_bodies == extra_bodies
            && self.posed.is_same(input)
    }
}

/// Draws a texture into the window.
struct ScreenPass {
    pass: FullScreenPass,
}

impl ScreenPass {
    fn new(scene: &SceneRenderer) -> Result<Self, RenderError> {
        Ok(Self { pass: FullScreenPass::new(&scene.context, include_str!("shaders/screen.frag"))? })
    }

    fn draw(&self, target: &RenderTarget, viewport: PixelRect) {
        let same_size = target.size() == [viewport.width, viewport.height];
        let program = &self.pass.program;
        set_uniform(program, "origin", three_d::vec2(viewport.x as f32, viewport.y as f32));
        set_uniform(program, "sameSize", i32::from(same_size));
        program.use_texture("picture", target.texture());
        self.pass.draw(viewport.viewport());
    }
}

/// A picture of a [`SceneRenderer`] that is drawn again only after a change.
#[derive(Default)]
pub struct ViewportTarget {
    screen_pass: Option<ScreenPass>,
    target: Option<RenderTarget>,
    quality: Option<PictureQuality>,
    drawn: Option<DrawnPicture>,
    draw_count: u64,
}

impl ViewportTarget {
    /// Draws the picture if it has changed, and copies it into the bound framebuffer.
    ///
    /// After the call, the framebuffer is still bound and all write masks are enabled. Other GL state is undefined. The
    /// context of `scene` must be current on the calling thread, also when the target is dropped.
    pub fn show(
        &mut self,
        scene: &mut SceneRenderer,
        input: &DrawInput<'_>,
        quality: PictureQuality,
        area: WindowArea,
    ) -> Result<(), RenderError> {
        let WindowArea { viewport, scissor } = area;
        if [viewport.width, viewport.height, scissor.width, scissor.height].contains(&0) {
            return Ok(());
        }
        let size = quality.scaled_size(viewport);
        let kept = self.target.take().filter(|target| target.size() == size && self.quality == Some(quality));
        let target = if let Some(kept) = kept {
            kept
        } else {
            self.drawn = None;
            RenderTarget::new(&scene.context, size, quality.samples)?
        };
        self.quality = Some(quality);
        if !self.has_picture(scene, input) {
            // Lines keep their width in the window, but lines thinner than a pixel would be drawn as dashes.
            let thinnest = input.backdrop.line_width.min(1.0);
            let line_width = (input.backdrop.line_width * quality.scale).max(thinnest);
            let backdrop = Backdrop { line_width, ..*input.backdrop };
            let whole = PixelRect::full(size[0], size[1]);
            let least_outline = if quality.scale < 1.0 { LEAST_OUTLINE } else { 0.0 };
            scene.reduction = Reduction { least_outline, without_shadow: !quality.has_shadow };
            let scaled = DrawInput { backdrop: &backdrop, ..*input };
            target.draw(|| scene.draw(&scaled, whole, whole, target.is_multisampled()));
            scene.reduction = Reduction::default();
            self.drawn = Some(DrawnPicture::new(scene, input));
            self.draw_count += 1;
        }
        let screen_pass = match self.screen_pass.take() {
            Some(pass) => pass,
            None => ScreenPass::new(scene)?,
        };
        gl::begin_overlay(&scene.context, scissor);
        screen_pass.draw(&target, viewport);
        gl::end_draw(&scene.context);
        self.screen_pass = Some(screen_pass);
        self.target = Some(target);
        Ok(())
    }

    /// Whether the target has this picture, in any quality.
    pub fn has_picture(&self, scene: &SceneRenderer, input: &DrawInput<'_>) -> bool {
        self.drawn.as_ref().is_some_and(|drawn| drawn.is_same(scene, input))
    }

    /// Returns how often the picture was drawn.
    pub fn draw_count(&self) -> u64 {
        self.draw_count
    }
}

impl fmt::Debug for ViewportTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (quality, count) = (self.quality, self.draw_count);
        f.debug_struct("ViewportTarget").field("quality", &quality).field("drawn", &count).finish_non_exhaustive()
    }
}
