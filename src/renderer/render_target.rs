//! An off-screen framebuffer, whose picture is copied into the window or read back.
#![expect(unsafe_code, reason = "raw GL: framebuffers, resolving samples, reading pixels through a buffer")]

use super::RenderError;
use three_d::context::{self as glow, HasContext as _};
use three_d::{Context, Interpolation, Texture2D, Wrapping};

/// Number of samples per pixel at full quality.
pub(super) const FULL_SAMPLES: u32 = 4;

/// A texture with a depth buffer. Several samples per pixel are resolved into the texture.
pub(super) struct RenderTarget {
    texture: Texture2D,
    names: GlNames,
    size: [u32; 2],
}

/// The GL objects that this module creates, deletes and binds itself.
struct GlNames {
    context: Context,
    /// The framebuffer of the texture.
    framebuffer: Option<glow::Framebuffer>,
    /// The framebuffer of the samples; `None` with one sample per pixel.
    sample_framebuffer: Option<glow::Framebuffer>,
    renderbuffers: Vec<glow::Renderbuffer>,
}

impl Drop for GlNames {
    fn drop(&mut self) {
        // SAFETY: the GL names belong to this value and are not used elsewhere.
        unsafe {
            for framebuffer in [self.framebuffer, self.sample_framebuffer].into_iter().flatten() {
                self.context.delete_framebuffer(framebuffer);
            }
            for buffer in &self.renderbuffers {
                self.context.delete_renderbuffer(*buffer);
            }
        }
    }
}

impl GlNames {
    /// Adds a renderbuffer to the bound framebuffer.
    fn attach_renderbuffer(&mut self, slot: u32, format: u32, samples: i32, size: [u32; 2]) -> Result<(), String> {
        let [width, height] = size.map(|side| side as i32);
        // SAFETY: a framebuffer is bound, and the size is within the limits of the driver.
        unsafe {
            let buffer = self.context.create_renderbuffer()?;
            self.renderbuffers.push(buffer);
            self.context.bind_renderbuffer(glow::RENDERBUFFER, Some(buffer));
            self.context.renderbuffer_storage_multisample(glow::RENDERBUFFER, samples, format, width, height);
            self.context.framebuffer_renderbuffer(glow::FRAMEBUFFER, slot, glow::RENDERBUFFER, Some(buffer));
            self.context.bind_renderbuffer(glow::RENDERBUFFER, None);
        }
        Ok(())
    }

    /// Creates and binds a framebuffer.
    fn bind_new_framebuffer(&self) -> Result<glow::Framebuffer, String> {
        // SAFETY: the name is stored by the caller and deleted in `drop`.
        unsafe {
            let framebuffer = self.context.create_framebuffer()?;
            self.context.bind_framebuffer(glow::FRAMEBUFFER, Some(framebuffer));
            Ok(framebuffer)
        }
    }

    fn check_bound_framebuffer(&self) -> Result<(), String> {
        // SAFETY: the call queries the bound framebuffer.
        match unsafe { self.context.check_framebuffer_status(glow::FRAMEBUFFER) } {
            glow::FRAMEBUFFER_COMPLETE => Ok(()),
            status => Err(format!("framebuffer status {status:#x}")),
        }
    }

    /// Creates the framebuffers around a texture. Leaves one of them bound.
    fn allocate(&mut self, texture: glow::Texture, samples: i32, size: [u32; 2]) -> Result<(), String> {
        self.framebuffer = Some(self.bind_new_framebuffer()?);
        // SAFETY: the texture has one level of the same size.
        unsafe {
            let (slot, kind) = (glow::COLOR_ATTACHMENT0, glow::TEXTURE_2D);
            self.context.framebuffer_texture_2d(glow::FRAMEBUFFER, slot, kind, Some(texture), 0);
        }
        if samples > 1 {
            self.check_bound_framebuffer()?;
            self.sample_framebuffer = Some(self.bind_new_framebuffer()?);
            self.attach_renderbuffer(glow::COLOR_ATTACHMENT0, glow::RGBA8, samples, size)?;
        }
        let samples = if samples > 1 { samples } else { 0 };
        self.attach_renderbuffer(glow::DEPTH_ATTACHMENT, glow::DEPTH_COMPONENT24, samples, size)?;
        self.check_bound_framebuffer()
    }
}

impl RenderTarget {
    /// Creates a target with `samples` per pixel, or with as many as the driver supports.
    pub(super) fn new(context: &Context, size: [u32; 2], samples: u32) -> Result<Self, RenderError> {
        // SAFETY: the calls query three integers.
        let [renderbuffer, texture, most_samples] = unsafe {
            [glow::MAX_RENDERBUFFER_SIZE, glow::MAX_TEXTURE_SIZE, glow::MAX_SAMPLES]
                .map(|limit| context.get_parameter_i32(limit))
        };
        let most = renderbuffer.min(texture).max(1) as u32;
        let fail = |reason: String| RenderError::ImageSize { width: size[0], height: size[1], most, reason };
        if size.iter().any(|side| *side == 0 || *side > most) {
            return Err(fail("the size is out of range".to_owned()));
        }
        let bound = BoundFramebuffers::of(context);
        let (texture, name) = color_texture(context, size);
        let mut names = GlNames {
            context: context.clone(),
            framebuffer: None,
            sample_framebuffer: None,
            renderbuffers: Vec::new(),
        };
        let allocated = match name {
            Some(name) => names.allocate(name, (samples as i32).min(most_samples), size),
            None => Err("the texture has no name".to_owned()),
        };
        bound.restore(context);
        allocated.map_err(fail)?;
        Ok(Self { texture, names, size })
    }

    pub(super) fn size(&self) -> [u32; 2] {
        self.size
    }

    /// Returns the picture of the last draw. Row 0 is the lowest.
    pub(super) fn texture(&self) -> &Texture2D {
        &self.texture
    }

    pub(super) fn is_multisampled(&self) -> bool {
        self.names.sample_framebuffer.is_some()
    }

    /// Binds the framebuffer, calls `draw`, and resolves the samples. Afterwards, the same framebuffers are bound as
    /// before. Other GL state is undefined.
    pub(super) fn draw(&self, draw: impl FnOnce()) {
        let gl = &self.names.context;
        let bound = BoundFramebuffers::of(gl);
        let drawn = self.names.sample_framebuffer.or(self.names.framebuffer);
        // SAFETY: the framebuffer exists as long as `self`.
        unsafe { gl.bind_framebuffer(glow::FRAMEBUFFER, drawn) };
        draw();
        if self.names.sample_framebuffer.is_some() {
            let [w, h] = self.size.map(|side| side as i32);
            // SAFETY: both framebuffers exist and have the same size.
            unsafe {
                gl.bind_framebuffer(glow::READ_FRAMEBUFFER, self.names.sample_framebuffer);
                gl.bind_framebuffer(glow::DRAW_FRAMEBUFFER, self.names.framebuffer);
                gl.disable(glow::SCISSOR_TEST);
                gl.blit_framebuffer(0, 0, w, h, 0, 0, w, h, glow::COLOR_BUFFER_BIT, glow::NEAREST);
            }
        }
        bound.restore(gl);
    }

    /// Starts to copy the picture from the GPU, without waiting for it. The same framebuffers are bound as before.
    pub(super) fn start_reading(&self) -> Result<PixelReadback, RenderError> {
        let gl = &self.names.context;
        let [w, h] = self.size.map(|side| side as i32);
        let Ok(bytes) = i32::try_from(4 * i64::from(w) * i64::from(h)) else {
            return Err(readback_error(self.size, "it has more than 2 GiB".to_owned()));
        };
        let bound = BoundFramebuffers::of(gl);
        // SAFETY: the buffer has space for w * h RGBA texels at an alignment of one byte.
        let buffer = unsafe {
            let buffer = gl.create_buffer().map_err(|reason| readback_error(self.size, reason))?;
            gl.bind_buffer(glow::PIXEL_PACK_BUFFER, Some(buffer));
            gl.buffer_data_size(glow::PIXEL_PACK_BUFFER, bytes, glow::STREAM_READ);
            gl.bind_framebuffer(glow::FRAMEBUFFER, self.names.framebuffer);
            gl.pixel_store_i32(glow::PACK_ALIGNMENT, 1);
            gl.read_pixels(0, 0, w, h, glow::RGBA, glow::UNSIGNED_BYTE, glow::PixelPackData::BufferOffset(0));
            gl.bind_buffer(glow::PIXEL_PACK_BUFFER, None);
            // The GPU copies while the caller prepares the next picture.
            gl.flush();
            buffer
        };
        bound.restore(gl);
        Ok(PixelReadback { context: gl.clone(), buffer, size: self.size })
    }
}

/// The error of a picture whose pixels cannot be read back.
pub(super) fn readback_error([width, height]: [u32; 2], reason: String) -> RenderError {
    RenderError::ImageSize { width, height, most: width.max(height), reason }
}

/// A copy of a picture that the GPU makes.
pub(super) struct PixelReadback {
    context: Context,
    buffer: glow::Buffer,
    size: [u32; 2],
}

impl PixelReadback {
    pub(super) fn size(&self) -> [u32; 2] {
        self.size
    }

    /// Waits for the GPU. Returns the pixels as RGBA bytes, the lowest row first.
    pub(super) fn finish(self) -> Result<Vec<u8>, RenderError> {
        let bytes = 4 * self.size[0] as usize * self.size[1] as usize;
        let gl = &self.context;
        // SAFETY: the buffer has this number of bytes, and the copy ends before the buffer is unmapped.
        unsafe {
            gl.bind_buffer(glow::PIXEL_PACK_BUFFER, Some(self.buffer));
            // WebGL has no mapped buffers, and OpenGL ES 3.0 has nothing else.
            #[cfg(target_arch = "wasm32")]
            let pixels = {
                let mut pixels = vec![0; bytes];
                gl.get_buffer_sub_data(glow::PIXEL_PACK_BUFFER, 0, &mut pixels);
                Some(pixels)
            };
            #[cfg(not(target_arch = "wasm32"))]
            let pixels = {
                let mapped = gl.map_buffer_range(glow::PIXEL_PACK_BUFFER, 0, bytes as i32, glow::MAP_READ_BIT);
                let pixels = (!mapped.is_null()).then(|| std::slice::from_raw_parts(mapped, bytes).to_vec());
                if pixels.is_some() {
                    gl.unmap_buffer(glow::PIXEL_PACK_BUFFER);
                }
                pixels
            };
            gl.bind_buffer(glow::PIXEL_PACK_BUFFER, None);
            pixels.ok_or_else(|| readback_error(self.size, "its pixels cannot be read".to_owned()))
        }
    }
}

impl Drop for PixelReadback {
    fn drop(&mut self) {
        // SAFETY: the buffer belongs to this value.
        unsafe { self.context.delete_buffer(self.buffer) };
    }
}

/// Allocates a texture of one level, and returns its GL name.
fn color_texture(context: &Context, [width, height]: [u32; 2]) -> (Texture2D, Option<glow::Texture>) {
    let (filter, edge) = (Interpolation::Linear, Wrapping::ClampToEdge);
    let mut name = None;
    let allocate = |_: &Texture2D| {
        let nothing = glow::PixelUnpackData::Slice(None);
        let (format, w, h) = (glow::RGBA8 as i32, width as i32, height as i32);
        // SAFETY: three-d has bound the texture; the calls allocate its level without reading data, and query its name.
        unsafe {
            context.tex_image_2d(glow::TEXTURE_2D, 0, format, w, h, 0, glow::RGBA, glow::UNSIGNED_BYTE, nothing);
            name = context.get_parameter_texture(glow::TEXTURE_BINDING_2D);
        }
    };
    // SAFETY: the callback allocates the only level.
    let texture = unsafe {
        Texture2D::new_unchecked::<[u8; 4]>(context, width, height, filter, filter, None, edge, edge, allocate)
    };
    (texture, name)
}

/// The framebuffers that were bound before off-screen drawing. In a window, egui draws into them.
struct BoundFramebuffers {
    draw: Option<glow::Framebuffer>,
    read: Option<glow::Framebuffer>,
}

impl BoundFramebuffers {
    fn of(context: &Context) -> Self {
        // In a browser, egui draws into the framebuffer of the canvas, whose name cannot be queried.
        if cfg!(target_arch = "wasm32") {
            return Self { draw: None, read: None };
        }
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
