use super::backdrop::{Backdrop, BackdropGradient, GroundGrid};
use super::extra_body::{ExtraBody, MainPose};
use super::gpu_character::{GpuCharacter, GpuPrimitive};
use super::shadow::GroundShadow;
use super::surface::{DrawContext, DrawStep, RenderPass, SurfacePart, SurfacePrograms};
use super::{PixelRect, RenderError, gl};
use crate::stage::CameraView;
use glam::Vec3;
use std::fmt;
use std::sync::Arc;
use three_d::{Context, Viewport};
use yuremono_sim::rig::{Character, WorldPose};

/// Number of indices after which a software renderer starts to draw.
const INDICES_PER_FLUSH: u32 = 6_000;

/// The input of one image.
#[derive(Clone, Copy, Debug)]
pub struct DrawInput<'a> {
    /// The camera. Its pane must have the aspect ratio of the viewport.
    pub camera: &'a CameraView,
    /// The frames of all bones of the character, in skeleton order.
    pub pose: &'a WorldPose,
    /// The bodies in other poses.
    pub extra_bodies: &'a [ExtraBody],
    /// Whether each mesh of the character is visible. Meshes without an entry are visible.
    pub visible: &'a [bool],
    /// Morph weights of each mesh. Meshes without an entry keep the authored weights.
    pub morph_weights: &'a [Vec<f32>],
    /// The colours around the character.
    pub backdrop: &'a Backdrop,
    /// Height of the ground, in metres.
    pub ground_height: f32,
    /// Direction towards the key light.
    pub light: Vec3,
    /// Time of animated textures, in seconds.
    pub seconds: f64,
}

/// A character, the ground and the background.
pub struct SceneRenderer {
    pub(super) context: Context,
    surface: SurfacePrograms,
    gradient: BackdropGradient,
    grid: GroundGrid,
    shadow: GroundShadow,
    character: Option<GpuCharacter>,
    is_software: bool,
    /// Number of characters so far.
    character_number: u64,
    /// The state of the character on the GPU; `None` before the first draw of a character.
    posed: Option<PosedState>,
    /// What the next pictures omit, to be drawn faster.
    pub(super) reduction: Reduction,
}

/// What a picture of a moving character omits, to be drawn faster.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reduction {
    /// Least width of outlines, in pixels. Thinner outlines would have gaps in a small picture.
    pub(super) least_outline: f32,
    pub(super) without_shadow: bool,
}

/// The part of a [`DrawInput`] that determines the joint matrices, the morphed vertices and the surface points.
#[derive(Debug)]
pub(super) struct PosedState {
    pose: WorldPose,
    morph_weights: Vec<Vec<f32>>,
    visible: Vec<bool>,
}

impl PosedState {
    pub(super) fn new(input: &DrawInput<'_>) -> Self {
        Self::of_body(input, input.pose)
    }

    fn of_body(input: &DrawInput<'_>, pose: &WorldPose) -> Self {
        Self { pose: pose.clone(), morph_weights: input.morph_weights.to_vec(), visible: input.visible.to_vec() }
    }

    pub(super) fn is_same(&self, input: &DrawInput<'_>) -> bool {
        self.is_body(input, input.pose)
    }

    fn is_body(&self, input: &DrawInput<'_>, pose: &WorldPose) -> bool {
        self.visible == input.visible && self.morph_weights == input.morph_weights && self.pose == *pose
    }
}

impl SceneRenderer {
    /// Creates a renderer. `gl` must be current on the calling thread, also in every other call.
    pub fn new(gl: Arc<three_d::context::Context>) -> Result<Self, RenderError> {
        let context = Context::from_gl_context(gl).map_err(|e| RenderError::Context(e.to_string()))?;
        if !gl::is_supported(&context) {
            return Err(RenderError::Context(gl::driver(&context)));
        }
        Ok(Self {
            surface: SurfacePrograms::new(&context)?,
            gradient: BackdropGradient::new(&context)?,
            grid: GroundGrid::new(&context)?,
            shadow: GroundShadow::new(&context)?,
            is_software: gl::is_software_renderer(&context),
            context,
            character: None,
            character_number: 0,
            posed: None,
            reduction: Reduction::default(),
        })
    }

    /// Uploads a character, and compiles the shaders that its materials need. After an error there is no character.
    pub fn set_character(&mut self, character: &Character) -> Result<(), RenderError> {
        self.character = None;
        self.character_number += 1;
        self.posed = None;
        let uploaded = GpuCharacter::new(&self.context, character);
        self.surface.compile(&uploaded.shader_variants())?;
        self.character = Some(uploaded);
        Ok(())
    }

    /// Returns a number that is different for each character of this renderer.
    pub fn character_number(&self) -> u64 {
        self.character_number
    }

    /// Whether the time changes the image.
    pub(super) fn has_animated_textures(&self) -> bool {
        self.character.as_ref().is_some_and(GpuCharacter::has_animated_textures)
    }

    /// Whether the driver renders on the CPU.
    pub fn is_software(&self) -> bool {
        self.is_software
    }

    /// Returns the name and the version of the driver.
    pub fn driver(&self) -> String {
        gl::driver(&self.context)
    }

    /// Returns the approximate bounding box of the character in the pose of the last draw, or in the rest pose before
    /// the first draw. Returns `None` if the character has no surface.
    pub fn bounds(&self) -> Option<[Vec3; 2]> {
        self.character.as_ref()?.surface_samples.bounds()
    }

    /// Draws into the bound framebuffer, which must have a depth buffer. Only pixels inside `scissor` change.
    ///
    /// After the call, the framebuffer is still bound and all write masks are enabled. Other GL state is undefined.
    /// `is_multisampled` describes the framebuffer. It is not queried, because a query in a browser waits until the GPU
    /// has drawn everything.
    pub fn draw(&mut self, input: &DrawInput<'_>, viewport: PixelRect, scissor: PixelRect, is_multisampled: bool) {
        if [viewport.width, viewport.height, scissor.width, scissor.height].contains(&0) {
            return;
        }
        gl::begin_draw(&self.context, scissor);
        self.draw_contents(input, viewport.viewport(), is_multisampled);
        gl::end_draw(&self.context);
    }

    fn draw_contents(&mut self, input: &DrawInput<'_>, area: Viewport, multisampled: bool) {
        self.gradient.draw(area, input.backdrop);
        let cell = 0.25 * self.grid_scale();
        let Some(character) = &self.character else {
            self.grid.draw(input.camera, area, input.backdrop, input.ground_height, cell);
            return;
        };
        let has_blended_parts = character.has_blended_parts();
        let least_outline = self.reduction.least_outline;
        let view = |pose, ghost| DrawContext {
            camera: input.camera,
            viewport: area,
            pose,
            light: input.light,
            seconds: input.seconds,
            multisampled,
            ghost,
            least_outline,
        };
        let solid = input.extra_bodies.iter().filter(|body| body.ghost.is_none()).map(|body| &body.pose);
        let bodies: Vec<&WorldPose> = std::iter::once(input.pose).chain(solid).collect();
        // The main body comes last, because `bounds` and the next passes use its pose.
        for pose in bodies.iter().rev() {
            self.pose_body(input, pose);
            self.draw_unblended(input, &view(pose, [0.0; 4]));
        }
        self.grid.draw(input.camera, area, input.backdrop, input.ground_height, cell);
        if has_blended_parts {
            for pose in &bodies {
                self.pose_body(input, pose);
                self.draw_blended(input, &view(pose, [0.0; 4]));
            }
        }
        let mut main = None;
        for ghost in input.extra_bodies {
            let Some(color) = ghost.ghost else { continue };
            let main = &*main.get_or_insert_with(|| self.main_pose(input));
            self.pose_body(input, &ghost.pose);
            self.draw_ghost(input, &view(&ghost.pose, color), main);
        }
    }

    /// Computes and uploads the pose of a body, unless the GPU already has the pose.
    fn pose_body(&mut self, input: &DrawInput<'_>, pose: &WorldPose) {
        // A camera motion leaves the character unchanged.
        if self.posed.as_ref().is_some_and(|posed| posed.is_body(input, pose)) {
            return;
        }
        let Some(character) = &mut self.character else { return };
        character.update_pose(pose, input.morph_weights);
        character.surface_samples.update_pose(&character.palettes, pose, |mesh| is_visible(input, mesh));
        self.shadow.invalidate();
        self.posed = Some(PosedState::of_body(input, pose));
    }

    fn main_pose<'a>(&mut self, input: &DrawInput<'a>) -> MainPose<'a> {
        self.pose_body(input, input.pose);
        let palettes = self.character.as_ref().map(|character| character.palettes.clone()).unwrap_or_default();
        MainPose { pose: input.pose, palettes }
    }

    /// Draws the unblended parts of the posed body, and its shadow.
    fn draw_unblended(&mut self, input: &DrawInput<'_>, view: &DrawContext<'_>) {
        let Some(character) = &self.character else { return };
        // The surfaces hide most of the outlines, which are therefore drawn later.
        let unblended = character.unblended();
        let mut waiting_indices = 0;
        for part in [SurfacePart::Surface, SurfacePart::Outline] {
            for index in &unblended {
                let primitive = &character.primitives[*index];
                if is_visible(input, primitive.mesh) {
                    self.surface.draw(view, character, primitive, DrawStep { pass: RenderPass::Opaque, part });
                }
                waiting_indices += primitive.indices.count();
                // Other processor cores draw these triangles while this core prepares the next triangles. With several
                // samples per pixel, starting again costs more than the cores save.
                if self.is_software && !view.multisampled && waiting_indices >= INDICES_PER_FLUSH {
                    gl::flush(&self.context);
                    waiting_indices = 0;
                }
            }
        }
        if self.reduction.without_shadow {
            return;
        }
        let samples = &character.surface_samples;
        self.shadow.draw(input.camera, view.viewport, input.backdrop, input.ground_height, samples);
    }

    fn draw_blended(&self, input: &DrawInput<'_>, view: &DrawContext<'_>) {
        let Some(character) = &self.character else { return };
        for index in character.blended_in_order(input.camera.eye, input.camera.forward, view.pose) {
            let primitive = &character.primitives[index];
            for part in [SurfacePart::Surface, SurfacePart::Outline] {
                if is_visible(input, primitive.mesh) {
                    self.surface.draw(view, character, primitive, DrawStep { pass: RenderPass::Blended, part });
                }
            }
        }
    }

    /// Draws the parts of the posed body that differ from the main body.
    fn draw_ghost(&self, input: &DrawInput<'_>, view: &DrawContext<'_>, main: &MainPose<'_>) {
        let Some(character) = &self.character else { return };
        let differs = |primitive: &&GpuPrimitive| {
            is_visible(input, primitive.mesh) && main.differs(character, primitive, view.pose)
        };
        let parts: Vec<&GpuPrimitive> = character.primitives.iter().filter(differs).collect();
        gl::set_behind(&self.context, true);
        for pass in [RenderPass::GhostDepth, RenderPass::Ghost] {
            for primitive in &parts {
                self.surface.draw(view, character, primitive, DrawStep { pass, part: SurfacePart::Surface });
            }
        }
        gl::set_behind(&self.context, false);
    }

    /// Returns the power of ten that scales the grid to the size of the character. 1 for the size of a person.
    fn grid_scale(&self) -> f32 {
        let tall = self.bounds().map_or(1.6, |[low, high]| (high - low).max_element());
        if tall > 0.0 { libm::powf(10_f32, libm::log10f(tall / 1.6).round().clamp(-4.0, 4.0)) } else { 1.0 }
    }
}

fn is_visible(input: &DrawInput<'_>, mesh: usize) -> bool {
    input.visible.get(mesh).copied().unwrap_or(true)
}

impl fmt::Debug for SceneRenderer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let primitives = self.character.as_ref().map(|c| c.primitives.len());
        f.debug_struct("Scene").field("primitives", &primitives).finish_non_exhaustive()
    }
}
