//! The character on the GPU: meshes, skinning, materials, grid, off-screen pictures. No egui, no editing.
//!
//! `OverlayScene` draws into whatever framebuffer is bound, inside a viewport and a scissor, so the same code fills a
//! part of the window, a GUI test's picture and an [`OffscreenRenderer`] image. It reads a [`crate::rig::Character`] once
//! and a world pose each frame; what the bones do is decided elsewhere.
//!
//! **Colour**: textures are sRGB on the GPU, shading is linear, and the shader encodes what it writes, so the
//! framebuffer must not encode again. An unlit colour comes out as the very bytes it went in.

mod backdrop;
mod downsample;
mod egl;
mod gl;
mod gpu_character;
mod gpu_primitive;
mod material;
mod offscreen;
mod scene_renderer;
mod shadow;
mod surface;

pub use backdrop::Backdrop;
pub use downsample::downsample;
pub use egl::HeadlessContext;
pub use offscreen::OffscreenRenderer;
pub use scene_renderer::{DrawInput, SceneRenderer};

use glam::{Mat4, Vec3};
use thiserror::Error;
use three_d::{
    Blend, Context, Cull, DepthTest, Program, RenderStates, ScissorBox, UniformDataType, Viewport, WriteMask,
};

/// Why nothing can be drawn.
#[derive(Debug, Error)]
pub enum RenderError {
    /// The driver offers no usable GL.
    #[error("no OpenGL 3.3 or OpenGL ES 3.0: {0}")]
    Context(String),
    /// The driver refuses a shader of ours.
    #[error("the graphics driver refuses a shader: {0}")]
    Shader(String),
    /// Off-screen drawing found no EGL device.
    #[error(
        "no EGL device can draw without a display ({0}); Mesa's software driver (libegl1, libgl1-mesa-dri) is enough"
    )]
    NoDevice(String),
    /// The driver cannot make a picture of that size.
    #[error("the graphics driver makes no picture of {width} x {height} pixels, at most {most} x {most}: {reason}")]
    ImageSize {
        /// Pixels across.
        width: u32,
        /// Pixels down.
        height: u32,
        /// Largest side.
        most: u32,
        /// What the driver says.
        reason: String,
    },
}

/// A rectangle of the bound framebuffer; pixels from its lower left corner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PixelRect {
    /// Left edge.
    pub x: i32,
    /// Lower edge.
    pub y: i32,
    /// Pixels across.
    pub width: u32,
    /// Pixels up.
    pub height: u32,
}

impl PixelRect {
    /// A whole framebuffer.
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

/// Colour alone; the framebuffer's alpha stays one.
const COLOR_ONLY: WriteMask = WriteMask { red: true, green: true, blue: true, alpha: false, depth: false };

/// Blended over what is there, hidden by the character, hiding nothing.
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

/// Sets a uniform unless the compiler dropped it.
fn set_uniform<T: UniformDataType>(program: &Program, name: &str, value: T) {
    program.use_uniform_if_required(name, value);
}

fn gl_mat4(m: Mat4) -> three_d::Mat4 {
    m.to_cols_array_2d().into()
}

fn gl_vec3(v: Vec3) -> three_d::Vec3 {
    three_d::vec3(v.x, v.y, v.z)
}

/// Bytes to 0..=1, still encoded.
fn gl_color(bytes: [u8; 3]) -> three_d::Vec3 {
    let [r, g, b] = bytes.map(|c| f32::from(c) / 255.0);
    three_d::vec3(r, g, b)
}
