//! Draws the character inside egui, by a paint callback that calls the renderer.

use super::adaptive_quality::FrameQuality;
use crate::renderer::{
    Backdrop, DrawInput, ExtraBody, OffscreenTarget, PictureQuality, PixelRect, RenderError, SceneRenderer,
    ViewportTarget, WindowArea,
};
use crate::stage::{CameraView, KeyLight};
use crate::ui::kit::theme::{Theme, ThemeMode};
use crate::ui::{Prefs, ViewportBackground};
use eframe::egui_glow::CallbackFn;
use eframe::glow;
use egui::epaint::ViewportInPixels;
use egui::{PaintCallback, Rect, Shape};
use glam::Vec3;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use yuremono_session::{BodyCopy, BodyPlace, Session};
use yuremono_sim::diagnostics::{MessageText, message};
use yuremono_sim::rig::skinning::rest_bounds;
use yuremono_sim::rig::{Character, WorldPose};

/// The background and the light of the viewport.
#[derive(Clone, Copy, Debug)]
pub(super) struct CanvasLook {
    pub(super) backdrop: Backdrop,
    pub(super) light: KeyLight,
    /// The sRGB colour and the opacity of ghosts.
    ghost: [f32; 4],
}

/// Opacity of ghosts.
const GHOST_OPACITY: f32 = 0.6;

impl CanvasLook {
    pub(super) fn of(prefs: &Prefs) -> Self {
        let backdrop = match (prefs.look.background, prefs.mode) {
            (ViewportBackground::Theme, ThemeMode::Dark) | (ViewportBackground::DarkGradient, _) => Backdrop::DARK,
            (ViewportBackground::Theme, ThemeMode::Light) | (ViewportBackground::LightGradient, _) => Backdrop::LIGHT,
            (ViewportBackground::FlatDark, _) => Backdrop::FLAT_DARK,
            (ViewportBackground::FlatLight, _) => Backdrop::FLAT_LIGHT,
        };
        let [r, g, b, _] = Theme::new(prefs.mode, prefs.lang).color.ghost.to_normalized_gamma_f32();
        Self { backdrop, light: prefs.look.key_light(), ghost: [r, g, b, GHOST_OPACITY] }
    }
}

fn drawing_error(error: &RenderError) -> MessageText {
    message!("the character cannot be drawn: {error}", error = error.message())
}

/// Everything that one image of the character shows. egui draws the image later, so the image owns its content.
#[derive(Debug)]
pub(super) struct CanvasPicture {
    view: CameraView,
    pose: WorldPose,
    extra_bodies: Vec<ExtraBody>,
    visible: Vec<bool>,
    backdrop: Backdrop,
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
            extra_bodies: extra_bodies(session, view.right, look.ghost),
            pose: session.playback().displayed_pose().clone(),
            visible: visible.to_vec(),
            backdrop: look.backdrop,
            ground_height: session.inspection().ground_height(),
            light: look.light.direction(session.character().facing),
            seconds: session.playback().displayed_time(),
        }
    }

    fn input(&self) -> DrawInput<'_> {
        DrawInput {
            camera: &self.view,
            pose: &self.pose,
            extra_bodies: &self.extra_bodies,
            visible: &self.visible,
            morph_weights: &[],
            backdrop: &self.backdrop,
            ground_height: self.ground_height,
            light: self.light,
            seconds: self.seconds,
        }
    }
}

/// Returns the other bodies of a comparison. Bodies side by side are moved along `right`.
fn extra_bodies(session: &Session, right: Vec3, ghost: [f32; 4]) -> Vec<ExtraBody> {
    let spacing = session.body_row().map_or(0.0, |row| row.spacing);
    let body = |copy: BodyCopy<'_>| match copy.place {
        BodyPlace::Ghost => ExtraBody { pose: copy.pose.clone(), ghost: Some(ghost) },
        BodyPlace::Beside(places) => {
            let mut pose = copy.pose.clone();
            pose.frames.iter_mut().for_each(|frame| frame.position += right * (spacing * places as f32));
            ExtraBody { pose, ghost: None }
        }
    };
    session.body_copies().into_iter().map(body).collect()
}

/// The open character on the GPU.
pub(super) struct CharacterCanvas {
    gl: Option<Arc<glow::Context>>,
    pictures: Option<Arc<Mutex<CanvasPictures>>>,
    /// Why the character cannot be drawn.
    pub(super) error: Option<MessageText>,
    /// Bounding box of the character in its rest pose, in metres.
    pub(super) bounds: Option<[Vec3; 2]>,
    is_upload_pending: bool,
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
    /// Whether an image has changed since the last call of [`CharacterCanvas::take_changed`].
    has_changed: bool,
    /// Why the last image could not be drawn, until [`CharacterCanvas::take_failure`].
    failure: Option<MessageText>,
    has_failed: bool,
}

impl CanvasPictures {
    fn paint(&mut self, slot: PictureSlot, quality: PictureQuality, input: &DrawInput<'_>, area: WindowArea) {
        let target = &mut self.targets[slot as usize];
        match target.show(&mut self.scene, input, quality, area) {
            Ok(()) => self.has_failed = false,
            // The next frame tries again. The error is reported once.
            Err(error) if !self.has_failed => {
                self.has_failed = true;
                self.failure = Some(drawing_error(&error));
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
            let pictures = CanvasPictures { scene, targets, has_changed: false, failure: None, has_failed: false };
            Arc::new(Mutex::new(pictures))
        };
        let (pictures, error) = match gl.clone().map(SceneRenderer::new) {
            Some(Ok(scene)) => (Some(pictures(scene)), None),
            Some(Err(error)) => (None, Some(drawing_error(&error))),
            None => (None, None),
        };
        Self { gl, pictures, error, bounds: None, is_upload_pending: false }
    }

    /// Returns the context, for another canvas.
    pub(super) fn gl(&self) -> Option<Arc<glow::Context>> {
        self.gl.clone()
    }

    /// Prepares the view for a character that [`Self::set_character`] uploads later. The window then appears before the
    /// upload, which can take longer than all other work of a start.
    pub(super) fn defer_upload(&mut self, character: &Character) {
        self.bounds = rest_bounds(character);
        self.is_upload_pending = true;
    }

    /// Whether the character of [`Self::defer_upload`] is not uploaded yet.
    pub(super) fn is_upload_pending(&self) -> bool {
        self.is_upload_pending
    }

    /// Uploads a character to the GPU.
    pub(super) fn set_character(&mut self, character: &Character) {
        self.bounds = rest_bounds(character);
        self.is_upload_pending = false;
        if let Some(uploaded) = self.with_scene(|scene| scene.set_character(character)) {
            self.error = uploaded.err().map(|error| drawing_error(&error));
        }
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

    /// Returns the name and the version of the graphics driver.
    pub(super) fn driver(&self) -> Option<String> {
        self.with_scene(|scene| scene.driver())
    }

    /// Returns whether an image has changed since the last call.
    pub(super) fn take_changed(&self) -> bool {
        self.pictures().is_some_and(|mut pictures| std::mem::take(&mut pictures.has_changed))
    }

    /// Returns why an image could not be drawn. Returns each failure once.
    pub(super) fn take_failure(&self) -> Option<MessageText> {
        self.pictures()?.failure.take()
    }

    fn pictures(&self) -> Option<MutexGuard<'_, CanvasPictures>> {
        Some(self.pictures.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the shape that draws an image into `rect`.
    pub(super) fn shape(
        &self,
        slot: PictureSlot,
        rect: Rect,
        picture: CanvasPicture,
        quality: FrameQuality,
    ) -> Option<Shape> {
        let quality = {
            let mut pictures = self.pictures()?;
            let CanvasPictures { scene, targets, has_changed, .. } = &mut *pictures;
            let is_unchanged = targets[slot as usize].has_picture(scene, &picture.input());
            *has_changed |= !is_unchanged;
            if is_unchanged { quality.unchanged } else { quality.changed }
        };
        let pictures = Arc::clone(self.pictures.as_ref()?);
        // WebGL belongs to the thread of the page, on which egui calls back.
        #[cfg(target_arch = "wasm32")]
        let pictures = send_wrapper::SendWrapper::new(pictures);
        let callback = CallbackFn::new(move |info, _painter| {
            let area = WindowArea {
                viewport: pixel_rect(&info.viewport_in_pixels()),
                scissor: pixel_rect(&info.clip_rect_in_pixels()),
            };
            pictures.lock().unwrap_or_else(PoisonError::into_inner).paint(slot, quality, &picture.input(), area);
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
        picture.backdrop.grid = None;
        self.with_scene(|scene| {
            let target = OffscreenTarget::new(scene, width, height)?;
            Ok(target.render_transparent(scene, &picture.input())?.into_raw())
        })
    }
}

fn pixel_rect(p: &ViewportInPixels) -> PixelRect {
    PixelRect { x: p.left_px, y: p.from_bottom_px, width: p.width_px.max(0) as u32, height: p.height_px.max(0) as u32 }
}
