//! GL calls that three-d does not provide.
#![expect(unsafe_code, reason = "raw GL: clearing depth alone, sRGB textures, sample coverage, reading pictures back")]

use super::{PixelRect, RenderError};
use crate::rig::{Image, TextureRef, TextureWrap};
use three_d::context::{self as glow, HasContext as _};
use three_d::{Context, Interpolation, Mipmap, Texture2D, Wrapping};

/// Clears the depth in `area` of the bound framebuffer, and sets the scissor to `area`.
pub(super) fn begin_draw(context: &Context, area: PixelRect) {
    context.set_scissor(area.scissor());
    // SAFETY: the calls set state with constants, on a context that is current.
    unsafe {
        // three-d disables the scissor test for an empty scissor, which would allow drawing everywhere.
        context.enable(glow::SCISSOR_TEST);
        context.depth_mask(true);
        context.clear_depth_f32(1.0);
        context.clear(glow::DEPTH_BUFFER_BIT);
    }
}

/// Enables all write masks, because other renderers rely on them.
pub(super) fn end_draw(context: &Context) {
    // SAFETY: the calls only set state.
    unsafe {
        context.color_mask(true, true, true, true);
        context.depth_mask(true);
    }
}

/// Whether the bound framebuffer is multisampled.
pub(super) fn is_multisampled(context: &Context) -> bool {
    // SAFETY: the call queries one integer.
    unsafe { context.get_parameter_i32(glow::SAMPLES) > 1 }
}

/// Sets whether the alpha of a fragment determines how many samples it covers.
pub(super) fn set_alpha_to_coverage(context: &Context, on: bool) {
    // SAFETY: the call only sets state.
    unsafe {
        if on {
            context.enable(glow::SAMPLE_ALPHA_TO_COVERAGE);
        } else {
            context.disable(glow::SAMPLE_ALPHA_TO_COVERAGE);
        }
    }
}

/// Whether the driver renders on the CPU, where texel reads are slow.
pub(super) fn is_software_renderer(context: &Context) -> bool {
    // SAFETY: the call queries a string that every context has.
    let renderer = unsafe { context.get_parameter_string(glow::RENDERER) }.to_lowercase();
    ["llvmpipe", "softpipe", "swiftshader", "software"].iter().any(|name| renderer.contains(name))
}

/// Returns the maximum texture size.
pub(super) fn max_texture_size(context: &Context) -> u32 {
    // SAFETY: the call queries one integer.
    unsafe { context.get_parameter_i32(glow::MAX_TEXTURE_SIZE) }.clamp(64, 16384) as u32
}

fn wrap_mode(wrap: TextureWrap) -> Wrapping {
    match wrap {
        TextureWrap::Repeat => Wrapping::Repeat,
        TextureWrap::Mirror => Wrapping::MirroredRepeat,
        TextureWrap::Clamp => Wrapping::ClampToEdge,
    }
}

/// Uploads `image` with the addressing of a texture. Row 0 is at v = 0. The number of bytes must match the size. Texels
/// of colours are decoded from sRGB.
pub(super) fn image_texture(context: &Context, image: &Image, addressing: &TextureRef, is_color: bool) -> Texture2D {
    assert_eq!(image.rgba.len() as u64, 4 * u64::from(image.width) * u64::from(image.height), "pixels fit the size");
    let magnify = if addressing.nearest { Interpolation::Nearest } else { Interpolation::Linear };
    let [s, t] = addressing.wrap.map(wrap_mode);
    let (w, h) = (image.width, image.height);
    let upload = |_: &Texture2D| {
        let pixels = glow::PixelUnpackData::Slice(Some(&image.rgba));
        let format = if is_color { glow::SRGB8_ALPHA8 } else { glow::RGBA8 } as i32;
        // SAFETY: the slice holds exactly w * h RGBA texels, asserted above.
        unsafe {
            context.pixel_store_i32(glow::UNPACK_ALIGNMENT, 1);
            let (w, h) = (w as i32, h as i32);
            context.tex_image_2d(glow::TEXTURE_2D, 0, format, w, h, 0, glow::RGBA, glow::UNSIGNED_BYTE, pixels);
        }
    };
    let between = if is_software_renderer(context) { Interpolation::Nearest } else { Interpolation::Linear };
    let mipmap = Some(Mipmap { filter: between, max_ratio: 1, ..Mipmap::default() });
    // SAFETY: the callback allocates and fills the base level, and the mip levels are generated from the base level.
    unsafe { Texture2D::new_unchecked::<[u8; 4]>(context, w, h, Interpolation::Linear, magnify, mipmap, s, t, upload) }
}

/// Allocates a data texture that three-d fills: unfiltered `[f32; 4]` for joints, or filtered `u8` for the shadow.
pub(super) fn data_texture<T: three_d::TextureDataType>(
    context: &Context,
    width: u32,
    height: u32,
    smooth: bool,
) -> Texture2D {
    let (format, layout, kind) =
        if smooth { (glow::R8, glow::RED, glow::UNSIGNED_BYTE) } else { (glow::RGBA32F, glow::RGBA, glow::FLOAT) };
    let filter = if smooth { Interpolation::Linear } else { Interpolation::Nearest };
    let edge = Wrapping::ClampToEdge;
    let allocate = |_: &Texture2D| {
        let nothing = glow::PixelUnpackData::Slice(None);
        let (w, h) = (width as i32, height as i32);
        // SAFETY: the call allocates a texture without reading data.
        unsafe { context.tex_image_2d(glow::TEXTURE_2D, 0, format as i32, w, h, 0, layout, kind, nothing) };
    };
    // SAFETY: the callback allocates the only level.
    unsafe { Texture2D::new_unchecked::<T>(context, width, height, filter, filter, None, edge, edge, allocate) }
}

/// The framebuffers that were bound before off-screen drawing. In a window, egui draws into them.
struct BoundFramebuffers {
    draw: Option<glow::Framebuffer>,
    read: Option<glow::Framebuffer>,
}

impl BoundFramebuffers {
    fn of(context: &Context) -> Self {
        // SAFETY: the calls query names of framebuffers.
        unsafe {
            Self {
                draw: context.get_parameter_framebuffer(glow::DRAW_FRAMEBUFFER_BINDING),
                read: context.get_parameter_framebuffer(glow::READ_FRAMEBUFFER_BINDING),
            }
        }
    }

    fn restore(self, context: &Context) {
        // SAFETY: the framebuffers were bound in this context, and off-screen drawing deletes none of them.
        unsafe {
            context.bind_framebuffer(glow::DRAW_FRAMEBUFFER, self.draw);
            context.bind_framebuffer(glow::READ_FRAMEBUFFER, self.read);
        }
    }
}

/// Two framebuffers of the same size: a multisampled framebuffer to draw into, and a framebuffer to read from.
pub(super) struct MultisampleTarget {
    context: Context,
    multisample_framebuffer: glow::Framebuffer,
    resolve_framebuffer: glow::Framebuffer,
    renderbuffers: [glow::Renderbuffer; 3],
    width: u32,
    height: u32,
}

impl MultisampleTarget {
    pub(super) fn new(context: &Context, width: u32, height: u32) -> Result<Self, RenderError> {
        let bound = BoundFramebuffers::of(context);
        // SAFETY: sizes are checked against the limit of the driver, and every GL name is deleted in `drop`.
        unsafe {
            let most = context.get_parameter_i32(glow::MAX_RENDERBUFFER_SIZE).max(1) as u32;
            let fail = |reason: &str| RenderError::ImageSize { width, height, most, reason: reason.to_owned() };
            if width == 0 || height == 0 || width > most || height > most {
                return Err(fail("the size is out of range"));
            }
            let samples = context.get_parameter_i32(glow::MAX_SAMPLES).clamp(0, 4);
            let framebuffer = || context.create_framebuffer().map_err(|e| fail(&e));
            let renderbuffer = || context.create_renderbuffer().map_err(|e| fail(&e));
            let canvas = Self {
                context: context.clone(),
                multisample_framebuffer: framebuffer()?,
                resolve_framebuffer: framebuffer()?,
                renderbuffers: [renderbuffer()?, renderbuffer()?, renderbuffer()?],
                width,
                height,
            };
            let attach = |target: glow::Framebuffer, buffer: usize, samples: i32, format: u32, slot: u32| {
                let (w, h) = (width as i32, height as i32);
                context.bind_framebuffer(glow::FRAMEBUFFER, Some(target));
                context.bind_renderbuffer(glow::RENDERBUFFER, Some(canvas.renderbuffers[buffer]));
                context.renderbuffer_storage_multisample(glow::RENDERBUFFER, samples, format, w, h);
                let name = Some(canvas.renderbuffers[buffer]);
                context.framebuffer_renderbuffer(glow::FRAMEBUFFER, slot, glow::RENDERBUFFER, name);
            };
            attach(canvas.resolve_framebuffer, 0, 0, glow::RGBA8, glow::COLOR_ATTACHMENT0);
            attach(canvas.multisample_framebuffer, 1, samples, glow::RGBA8, glow::COLOR_ATTACHMENT0);
            attach(canvas.multisample_framebuffer, 2, samples, glow::DEPTH_COMPONENT24, glow::DEPTH_ATTACHMENT);
            let status = context.check_framebuffer_status(glow::FRAMEBUFFER);
            context.bind_renderbuffer(glow::RENDERBUFFER, None);
            bound.restore(context);
            if status == glow::FRAMEBUFFER_COMPLETE {
                Ok(canvas)
            } else {
                Err(fail(&format!("framebuffer status {status:#x}")))
            }
        }
    }

    /// Binds the multisampled framebuffer and calls `draw`. Waits for the GPU and returns the pixels as RGBA, starting
    /// with the top row. Afterwards, the framebuffers that were bound before are bound again.
    pub(super) fn capture(&self, draw: impl FnOnce()) -> Vec<u8> {
        let bound = BoundFramebuffers::of(&self.context);
        // SAFETY: the framebuffer exists as long as `self`.
        unsafe { self.context.bind_framebuffer(glow::FRAMEBUFFER, Some(self.multisample_framebuffer)) };
        draw();
        let pixels = self.read_pixels();
        bound.restore(&self.context);
        pixels
    }

    fn read_pixels(&self) -> Vec<u8> {
        let (w, h) = (self.width as i32, self.height as i32);
        let stride = 4 * self.width as usize;
        let mut upside_down = vec![0; stride * self.height as usize];
        // SAFETY: the buffer holds w * h RGBA texels at an alignment of one byte.
        unsafe {
            let gl = &self.context;
            gl.bind_framebuffer(glow::READ_FRAMEBUFFER, Some(self.multisample_framebuffer));
            gl.bind_framebuffer(glow::DRAW_FRAMEBUFFER, Some(self.resolve_framebuffer));
            gl.disable(glow::SCISSOR_TEST);
            gl.blit_framebuffer(0, 0, w, h, 0, 0, w, h, glow::COLOR_BUFFER_BIT, glow::NEAREST);
            gl.bind_framebuffer(glow::FRAMEBUFFER, Some(self.resolve_framebuffer));
            gl.pixel_store_i32(glow::PACK_ALIGNMENT, 1);
            let into = glow::PixelPackData::Slice(Some(&mut upside_down));
            gl.read_pixels(0, 0, w, h, glow::RGBA, glow::UNSIGNED_BYTE, into);
        }
        let mut pixels = Vec::with_capacity(upside_down.len());
        upside_down.chunks_exact(stride).rev().for_each(|row| pixels.extend_from_slice(row));
        pixels
    }
}

impl Drop for MultisampleTarget {
    fn drop(&mut self) {
        // SAFETY: the GL names belong to this target and are not used elsewhere.
        unsafe {
            self.context.delete_framebuffer(self.multisample_framebuffer);
            self.context.delete_framebuffer(self.resolve_framebuffer);
            for buffer in self.renderbuffers {
                self.context.delete_renderbuffer(buffer);
            }
        }
    }
}
