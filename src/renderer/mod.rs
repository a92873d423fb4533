//! Renders the character with OpenGL: meshes, skinning, materials, ground and off-screen images. Does not use egui
//! and does not edit.
//!
//! [`SceneRenderer`] draws into the bound framebuffer, inside a viewport and a scissor rectangle. The same code
//! therefore draws into the [`ViewportTarget`] of a window, into the image of a test, and into an
//! [`OffscreenRenderer`]. The renderer reads a [`yuremono_sim::rig::Character`] once and a world pose in every frame.
//!
//! **Colour**: textures are sRGB on the GPU, shading is linear, and the shader encodes its output, so the framebuffer
//! must not encode the colours again. An unlit colour keeps its bytes.
//!
//! **Light**: one key light of a given direction and an ambient light that is the same from all sides. Both are white
//! and add up to 1, so that the lit side of a toon material has exactly the colours of its textures.

mod backdrop;
mod extra_body;
mod gl;
mod gpu_character;
#[cfg(not(any(target_vendor = "apple", target_arch = "wasm32")))]
mod headless;
mod material;
mod offscreen;
mod render_target;
mod scene_renderer;
mod shader_variant;
mod shadow;
mod surface;
mod uv_transform;
mod viewport_target;

pub use backdrop::Backdrop;
pub use extra_body::ExtraBody;
pub use headless::HeadlessContext;
pub use offscreen::{
    OffscreenRenderer, OffscreenTarget, PendingPicture, RawPicture, SUPERSAMPLING, downsample, supersampled_size,
};
pub use scene_renderer::{DrawInput, SceneRenderer};
pub use viewport_target::{PictureQuality, ViewportTarget, WindowArea};

use glam::{Mat4, Vec3};
use std::fmt;
use three_d::{
    Blend, Context, Cull, DepthTest, Program, RenderStates, ScissorBox, UniformDataType, VertexBuffer, Viewport,
    WriteMask,
};
use yuremono_sim::diagnostics::{MessageText, message};

/// Apple systems do not support EGL and pages have no windows, so off-screen rendering is not available.
#[cfg(any(target_vendor = "apple", target_arch = "wasm32"))]
mod headless {
    use crate::renderer::RenderError;
    use std::sync::Arc;

    /// A context that cannot be created on this system.
    #[derive(Debug)]
    pub struct HeadlessContext {
        /// Never set.
        pub gl: Arc<three_d::context::Context>,
        /// Never set.
        pub driver: String,
    }

    impl HeadlessContext {
        /// Always fails.
        pub fn new() -> Result<Self, RenderError> {
            Err(RenderError::NoDevice("this system has no EGL".to_owned()))
        }

        /// Always fails.
        pub fn new_es() -> Result<Self, RenderError> {
            Self::new()
        }

        /// Always fails.
        pub fn make_current(&self) -> Result<(), RenderError> {
            Self::new().map(drop)
        }
    }
}

#[derive(Debug)]
pub enum RenderError {
    /// The driver supports neither OpenGL 3.3 nor OpenGL ES 3.0.
    Context(String),
    /// The driver rejects a shader.
    Shader(String),
    /// No device can draw without a window.
    NoDevice(String),
    /// The driver cannot allocate an image of this size.
    ImageSize {
        width: u32,
        height: u32,
        /// Length of the largest possible side.
        most: u32,
        reason: String,
    },
}

impl RenderError {
    /// Returns the text of the error.
    pub fn message(&self) -> MessageText {
        match self {
            Self::Context(error) => message!("no OpenGL 3.3 or OpenGL ES 3.0: {error}", error),
            Self::Shader(error) => message!("the graphics driver rejects a shader: {error}", error),
            Self::NoDevice(error) => message!(
                "no graphics device can draw without a window ({error}); on Linux, Mesa's software driver (libegl1, \
                 libgl1-mesa-dri) is enough",
                error
            ),
            Self::ImageSize { width, height, most, reason } => message!(
                "the graphics driver cannot make a picture of {width} x {height} pixels, at most {most} x {most}: {reason}",
                width = *width,
                height = *height,
                most = *most,
                reason
            ),
        }
    }
}

impl fmt::Display for RenderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message().fmt(f)
    }
}

impl std::error::Error for RenderError {}

/// A rectangle of the bound framebuffer, in pixels from its lower left corner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PixelRect {
    pub x: i32,
    pub y: i32,
    pub width: u32,
    pub height: u32,
}

impl PixelRect {
    /// Returns the rectangle of a whole framebuffer.
    pub const fn full(width: u32, height: u32) -> Self {
        Self { x: 0, y: 0, width, height }
    }

    fn scissor(self) -> ScissorBox {
        ScissorBox { x: self.x, y: self.y, width: self.width, height: self.height }
    }

    fn viewport(self) -> Viewport {
        Viewport { x: self.x, y: self.y, width: self.width, height: self.height }
    }
}

/// Writes only colour. The alpha of the framebuffer stays 1.
const COLOR_ONLY: WriteMask = WriteMask { red: true, green: true, blue: true, alpha: false, depth: false };

/// Returns the state for blending with depth tests but without depth writes.
fn ground_render_states() -> RenderStates {
    RenderStates {
        write_mask: COLOR_ONLY,
        depth_test: DepthTest::LessOrEqual,
        blend: Blend::STANDARD_TRANSPARENCY,
        cull: Cull::None,
    }
}

fn compile_program(context: &Context, vertex: &str, fragment: &str) -> Result<Program, RenderError> {
    Program::from_source(context, vertex, fragment).map_err(|e| RenderError::Shader(e.to_string()))
}

/// A program that draws every pixel of a viewport, without depth and blending. Its fragment shader reads `uv`, which is
/// (0, 0) in the lower left corner of the viewport and (1, 1) in the upper right corner.
struct FullScreenPass {
    program: Program,
    /// The corners of a triangle that contains the viewport.
    corners: VertexBuffer<[f32; 2]>,
}

impl FullScreenPass {
    fn new(context: &Context, fragment: &str) -> Result<Self, RenderError> {
        let corners = VertexBuffer::new_with_data(context, &[[-1.0, -1.0], [3.0, -1.0], [-1.0, 3.0]]);
        Ok(Self { program: compile_program(context, include_str!("shaders/screen.vert"), fragment)?, corners })
    }

    /// Draws with the uniforms that the program has.
    fn draw(&self, viewport: Viewport) {
        self.program.use_vertex_attribute("corner", &self.corners);
        let states = RenderStates {
            write_mask: WriteMask::COLOR,
            depth_test: DepthTest::Always,
            blend: Blend::Disabled,
            cull: Cull::None,
        };
        self.program.draw_arrays(states, viewport, 3);
    }
}

/// Sets a uniform unless the compiler removed it.
fn set_uniform<T: UniformDataType>(program: &Program, name: &str, value: T) {
    program.use_uniform_if_required(name, value);
}

fn gl_mat4(m: Mat4) -> three_d::Mat4 {
    m.to_cols_array_2d().into()
}

fn gl_vec3(v: Vec3) -> three_d::Vec3 {
    three_d::vec3(v.x, v.y, v.z)
}

/// Converts bytes to 0..=1 without decoding sRGB.
fn gl_color(bytes: [u8; 3]) -> three_d::Vec3 {
    let [r, g, b] = bytes.map(|c| f32::from(c) / 255.0);
    three_d::vec3(r, g, b)
}
