//! Floor 6: the character on the GPU: meshes, skinning, materials, grid, off-screen pictures. No egui, no editing.
//!
//! [`Scene`] draws into whatever framebuffer is bound, inside a viewport and a scissor, so the same code fills a
//! part of the window, a GUI test's picture and an [`Offscreen`] image. It reads a [`crate::rig::Character`] once
//! and a world pose each frame; what the bones do is decided elsewhere.
//!
//! **Colour**: textures are sRGB on the GPU, shading is linear, and the shader encodes what it writes, so the
//! framebuffer must not encode again. An unlit colour comes out as the very bytes it went in.

mod backdrop;
mod egl;
mod gl;
mod gpu_character;
mod gpu_primitive;
mod ground;
mod material;
mod offscreen;
mod scene;
mod shadow;
mod shrink;
mod surface;

pub use backdrop::Backdrop;
pub use egl::Headless;
pub use offscreen::Offscreen;
pub use scene::{Area, DrawInput, Scene};
pub use shrink::shrink;

use thiserror::Error;

/// Why nothing can be drawn.
#[derive(Debug, Error)]
pub enum ViewError {
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
    Picture {
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
