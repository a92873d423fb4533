//! Draws the character inside egui, by a paint callback that calls the renderer.

use crate::diagnostics::{MessageText, message};
use crate::renderer::{Backdrop, DrawInput, PixelRect, SceneRenderer};
use crate::rig::Character;
use crate::session::Session;
use crate::stage::CameraView;
use crate::stage::skinning::rest_bounds;
use crate::ui::kit::theme::ThemeMode;
use eframe::egui_glow::CallbackFn;
use eframe::glow;
use egui::{PaintCallback, Rect, Shape};
use glam::Vec3;
use std::sync::{Arc, Mutex, PoisonError};

/// The open character on the GPU.
pub(super) struct CharacterCanvas {
    gl: Option<Arc<glow::Context>>,
    scene: Option<Arc<Mutex<SceneRenderer>>>,
    /// Why the character cannot be drawn.
    pub(super) error: Option<MessageText>,
    /// Bounding box of the character in its rest pose, in metres.
    pub(super) bounds: Option<[Vec3; 2]>,
}

impl CharacterCanvas {
    /// `gl` is the window's context, which must be current on this thread. Without `gl`, nothing is drawn.
    pub(super) fn new(gl: Option<Arc<glow::Context>>) -> Self {
        let (scene, error) = match gl.clone().map(SceneRenderer::new) {
            Some(Ok(scene)) => (Some(Arc::new(Mutex::new(scene))), None),
            Some(Err(err)) => (None, Some(message!("the character cannot be drawn: {error}", error = err.message()))),
            None => (None, None),
        };
        Self { gl, scene, error, bounds: None }
    }

    /// Returns the context, for another canvas.
    pub(super) fn gl(&self) -> Option<Arc<glow::Context>> {
        self.gl.clone()
    }

    /// Uploads a character to the GPU.
    pub(super) fn set_character(&mut self, character: &Character) {
        self.bounds = rest_bounds(character);
        if let Some(scene) = &self.scene {
            scene.lock().unwrap_or_else(PoisonError::into_inner).set_character(character);
        }
    }

    /// Calls `draw` with the scene that has the character. The window's context must be current. Returns `None` if the
    /// character cannot be drawn.
    pub(super) fn with_scene<T>(&self, draw: impl FnOnce(&mut SceneRenderer) -> T) -> Option<T> {
        let scene = self.scene.as_ref()?;
        Some(draw(&mut scene.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    /// Returns the shape that draws the character into `rect`.
    pub(super) fn shape(
        &self,
        rect: Rect,
        shot: CameraView,
        meshes: &[bool],
        session: &Session,
        mode: ThemeMode,
    ) -> Option<Shape> {
        let scene = Arc::clone(self.scene.as_ref()?);
        let pose = session.playback().displayed_pose().clone();
        let visible = meshes.to_vec();
        let backdrop = match mode {
            ThemeMode::Dark => Backdrop::DARK,
            ThemeMode::Light => Backdrop::LIGHT,
        };
        let ground = session.inspection().ground_height();
        let callback = CallbackFn::new(move |info, _painter| {
            let view = info.viewport_in_pixels();
            let clip = info.clip_rect_in_pixels();
            let area = |p: egui::epaint::ViewportInPixels| PixelRect {
                x: p.left_px,
                y: p.from_bottom_px,
                width: p.width_px.max(0) as u32,
                height: p.height_px.max(0) as u32,
            };
            let input = DrawInput {
                camera: &shot,
                pose: &pose,
                visible: &visible,
                morph_weights: &[],
                backdrop: &backdrop,
                ground_height: ground,
            };
            scene.lock().unwrap_or_else(PoisonError::into_inner).draw(&input, area(view), area(clip));
        });
        Some(Shape::Callback(PaintCallback { rect, callback: Arc::new(callback) }))
    }
}
