//! Draws the character inside egui, by a paint callback that calls the renderer.

use crate::diagnostics::{MessageText, message};
use crate::renderer::{Backdrop, DrawInput, OffscreenTarget, PixelRect, RenderError, SceneRenderer};
use crate::rig::{Character, WorldPose};
use crate::session::Session;
use crate::stage::skinning::rest_bounds;
use crate::stage::{CameraView, KeyLight};
use crate::ui::kit::theme::ThemeMode;
use crate::ui::{Prefs, ViewportBackground};
use eframe::egui_glow::CallbackFn;
use eframe::glow;
use egui::{PaintCallback, Rect, Shape};
use glam::Vec3;
use std::sync::{Arc, Mutex, PoisonError};

/// The background and the light of the viewport.
#[derive(Clone, Copy, Debug)]
pub(super) struct CanvasLook {
    pub(super) backdrop: Backdrop,
    pub(super) light: KeyLight,
}

impl CanvasLook {
    pub(super) fn of(prefs: &Prefs) -> Self {
        let backdrop = match (prefs.look.background, prefs.mode) {
            (ViewportBackground::Theme, ThemeMode::Dark) | (ViewportBackground::DarkGradient, _) => Backdrop::DARK,
            (ViewportBackground::Theme, ThemeMode::Light) | (ViewportBackground::LightGradient, _) => Backdrop::LIGHT,
            (ViewportBackground::FlatDark, _) => Backdrop::FLAT_DARK,
            (ViewportBackground::FlatLight, _) => Backdrop::FLAT_LIGHT,
        };
        Self { backdrop, light: prefs.look.key_light() }
    }
}

fn cannot_be_drawn(error: &RenderError) -> MessageText {
    message!("the character cannot be drawn: {error}", error = error.message())
}

/// Everything that one picture of the character shows. egui draws the picture later, so the picture owns its content.
#[derive(Debug)]
pub(super) struct CanvasPicture {
    view: CameraView,
    pose: WorldPose,
    visible: Vec<bool>,
    look: CanvasLook,
    ground_height: f32,
    /// Direction towards the key light.
    light: Vec3,
    seconds: f64,
}

impl CanvasPicture {
    /// `visible` is the visibility of each mesh.
    pub(super) fn new(view: CameraView, visible: &[bool], session: &Session, look: CanvasLook) -> Self {
        Self {
            view,
            pose: session.playback().displayed_pose().clone(),
            visible: visible.to_vec(),
            look,
            ground_height: session.inspection().ground_height(),
            light: look.light.direction(session.character().facing),
            seconds: session.playback().displayed_time(),
        }
    }

    fn input(&self) -> DrawInput<'_> {
        DrawInput {
            camera: &self.view,
            pose: &self.pose,
            visible: &self.visible,
            morph_weights: &[],
            backdrop: &self.look.backdrop,
            ground_height: self.ground_height,
            light: self.light,
            seconds: self.seconds,
        }
    }
}

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
            Some(Err(error)) => (None, Some(cannot_be_drawn(&error))),
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
            let uploaded = scene.lock().unwrap_or_else(PoisonError::into_inner).set_character(character);
            self.error = uploaded.err().map(|error| cannot_be_drawn(&error));
        }
    }

    /// Calls `draw` with the scene that has the character. The window's context must be current. Returns `None` if the
    /// character cannot be drawn.
    pub(super) fn with_scene<T>(&self, draw: impl FnOnce(&mut SceneRenderer) -> T) -> Option<T> {
        let scene = self.scene.as_ref()?;
        Some(draw(&mut scene.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    /// Returns the shape that draws the character into `rect`.
    pub(super) fn shape(&self, rect: Rect, picture: CanvasPicture) -> Option<Shape> {
        let scene = Arc::clone(self.scene.as_ref()?);
        let callback = CallbackFn::new(move |info, _painter| {
            let view = info.viewport_in_pixels();
            let clip = info.clip_rect_in_pixels();
            let area = |p: egui::epaint::ViewportInPixels| PixelRect {
                x: p.left_px,
                y: p.from_bottom_px,
                width: p.width_px.max(0) as u32,
                height: p.height_px.max(0) as u32,
            };
            scene.lock().unwrap_or_else(PoisonError::into_inner).draw(&picture.input(), area(view), area(clip));
        });
        Some(Shape::Callback(PaintCallback { rect, callback: Arc::new(callback) }))
    }

    /// Draws the character without background and grid, as RGBA bytes from the top row. The window's context must be
    /// current. Returns `None` if the character cannot be drawn.
    pub(super) fn transparent_picture(
        &self,
        [width, height]: [u32; 2],
        mut picture: CanvasPicture,
    ) -> Option<Result<Vec<u8>, RenderError>> {
        picture.look.backdrop.grid = None;
        self.with_scene(|scene| {
            let target = OffscreenTarget::new(scene, width, height)?;
            Ok(target.render_transparent(scene, &picture.input())?.into_raw())
        })
    }
}
