//! Draws the character inside egui, by a paint callback that calls the renderer.

use super::adaptive_quality::FrameQuality;
use crate::diagnostics::{MessageText, message};
use crate::renderer::{Backdrop, DrawInput, PictureQuality, PixelRect, SceneRenderer, ViewportTarget, WindowArea};
use crate::rig::{Character, WorldPose};
use crate::session::Session;
use crate::stage::CameraView;
use crate::stage::skinning::rest_bounds;
use crate::ui::kit::theme::ThemeMode;
use eframe::egui_glow::CallbackFn;
use eframe::glow;
use egui::epaint::ViewportInPixels;
use egui::{PaintCallback, Rect, Shape};
use glam::Vec3;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The open character on the GPU.
pub(super) struct CharacterCanvas {
    gl: Option<Arc<glow::Context>>,
    pictures: Option<Arc<Mutex<CanvasPictures>>>,
    /// Why the character cannot be drawn.
    pub(super) error: Option<MessageText>,
    /// Bounding box of the character in its rest pose, in metres.
    pub(super) bounds: Option<[Vec3; 2]>,
}

/// A place in the window where the canvas shows the character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PictureSlot {
    First,
    /// Next to the first, in a comparison.
    Second,
}

struct CanvasPictures {
    scene: SceneRenderer,
    targets: [ViewportTarget; 2],
    /// Whether a picture has changed since the last call of [`CharacterCanvas::take_changed`].
    has_changed: bool,
    has_failed: bool,
}

/// One picture of the character.
pub(super) struct CharacterPicture<'a> {
    pub(super) rect: Rect,
    pub(super) camera: CameraView,
    /// Whether each mesh is visible.
    pub(super) meshes: &'a [bool],
    pub(super) session: &'a Session,
    pub(super) mode: ThemeMode,
    pub(super) quality: FrameQuality,
}

/// The part of a [`CharacterPicture`] that the paint callback keeps.
struct PaintedPicture {
    camera: CameraView,
    pose: WorldPose,
    visible: Vec<bool>,
    backdrop: Backdrop,
    ground_height: f32,
    quality: PictureQuality,
}

impl PaintedPicture {
    fn input(&self) -> DrawInput<'_> {
        DrawInput {
            camera: &self.camera,
            pose: &self.pose,
            visible: &self.visible,
            morph_weights: &[],
            backdrop: &self.backdrop,
            ground_height: self.ground_height,
        }
    }
}

impl CanvasPictures {
    fn paint(&mut self, slot: PictureSlot, picture: &PaintedPicture, area: WindowArea) {
        let target = &mut self.targets[slot as usize];
        match target.show(&mut self.scene, &picture.input(), picture.quality, area) {
            Ok(()) => self.has_failed = false,
            // The next frame tries again, but the log has the error once.
            Err(error) if !self.has_failed => {
                self.has_failed = true;
                log::error!("{error}");
            }
            Err(_) => {}
        }
    }
}

impl CharacterCanvas {
    /// `gl` is the window's context, which must be current on this thread. Without `gl`, nothing is drawn.
    pub(super) fn new(gl: Option<Arc<glow::Context>>) -> Self {
        let pictures = |scene| {
            let targets = [ViewportTarget::default(), ViewportTarget::default()];
            Arc::new(Mutex::new(CanvasPictures { scene, targets, has_changed: false, has_failed: false }))
        };
        let (pictures, error) = match gl.clone().map(SceneRenderer::new) {
            Some(Ok(scene)) => (Some(pictures(scene)), None),
            Some(Err(err)) => (None, Some(message!("the character cannot be drawn: {error}", error = err.message()))),
            None => (None, None),
        };
        Self { gl, pictures, error, bounds: None }
    }

    /// Returns the context, for another canvas.
    pub(super) fn gl(&self) -> Option<Arc<glow::Context>> {
        self.gl.clone()
    }

    /// Uploads a character to the GPU.
    pub(super) fn set_character(&mut self, character: &Character) {
        self.bounds = rest_bounds(character);
        self.with_scene(|scene| scene.set_character(character));
    }

    /// Calls `draw` with the scene that has the character. The window's context must be current. Returns `None` if the
    /// character cannot be drawn.
    pub(super) fn with_scene<T>(&self, draw: impl FnOnce(&mut SceneRenderer) -> T) -> Option<T> {
        Some(draw(&mut self.pictures()?.scene))
    }

    /// Whether the driver renders on the CPU.
    pub(super) fn is_software(&self) -> bool {
        self.with_scene(|scene| scene.is_software()).unwrap_or(false)
    }

    /// Returns whether a picture has changed since the last call.
    pub(super) fn take_changed(&self) -> bool {
        self.pictures().is_some_and(|mut pictures| std::mem::take(&mut pictures.has_changed))
    }

    fn pictures(&self) -> Option<MutexGuard<'_, CanvasPictures>> {
        Some(self.pictures.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the shape that draws the character into its rectangle.
    pub(super) fn shape(&self, slot: PictureSlot, picture: &CharacterPicture<'_>) -> Option<Shape> {
        let rect = picture.rect;
        let mut painted = PaintedPicture {
            camera: picture.camera,
            pose: picture.session.playback().displayed_pose().clone(),
            visible: picture.meshes.to_vec(),
            backdrop: match picture.mode {
                ThemeMode::Dark => Backdrop::DARK,
                ThemeMode::Light => Backdrop::LIGHT,
            },
            ground_height: picture.session.inspection().ground_height(),
            quality: picture.quality.unchanged,
        };
        {
            let mut pictures = self.pictures()?;
            let CanvasPictures { scene, targets, has_changed, .. } = &mut *pictures;
            if !targets[slot as usize].has_picture(scene, &painted.input()) {
                *has_changed = true;
                painted.quality = picture.quality.changed;
            }
        }
        let pictures = Arc::clone(self.pictures.as_ref()?);
        let callback = CallbackFn::new(move |info, _painter| {
            let area = WindowArea {
                viewport: pixel_rect(&info.viewport_in_pixels()),
                scissor: pixel_rect(&info.clip_rect_in_pixels()),
            };
            pictures.lock().unwrap_or_else(PoisonError::into_inner).paint(slot, &painted, area);
        });
        Some(Shape::Callback(PaintCallback { rect, callback: Arc::new(callback) }))
    }
}

fn pixel_rect(p: &ViewportInPixels) -> PixelRect {
    PixelRect { x: p.left_px, y: p.from_bottom_px, width: p.width_px.max(0) as u32, height: p.height_px.max(0) as u32 }
}
