//! An `egui_kittest` renderer on `egui_glow` and surfaceless EGL, which draws GUI and 3D into one picture without a
//! display.
#![expect(unsafe_code, reason = "a framebuffer of several samples is made and read with raw GL")]

use eframe::egui_glow::Painter;
use eframe::glow::{self, HasContext as _};
use egui_kittest::TestRenderer;
use image::RgbaImage;
use yuremono::renderer::HeadlessContext;

/// Returns a headless context. Returns `None` and prints the reason if the machine has no EGL device.
#[expect(clippy::print_stderr, reason = "the log must show that the test was skipped")]
pub(crate) fn headless_or_skip() -> Option<HeadlessContext> {
    HeadlessContext::new().map_err(|reason| eprintln!("skipped: {reason}")).ok()
}

/// Draws egui and its paint callbacks with four samples per pixel, as the window does.
pub(crate) struct GlowRenderer {
    painter: Painter,
    headless: HeadlessContext,
}

impl GlowRenderer {
    /// Creates a renderer that owns the context.
    pub(crate) fn new(headless: HeadlessContext) -> Self {
        headless.make_current().expect("the context was made on this thread");
        let painter = Painter::new(headless.gl.clone(), "", None, false).expect("egui's shaders compile");
        Self { painter, headless }
    }

    fn make_current(&self) {
        self.headless.make_current().expect("the context was made on this thread");
    }
}

impl Drop for GlowRenderer {
    fn drop(&mut self) {
        self.make_current();
        self.painter.destroy();
    }
}

impl TestRenderer for GlowRenderer {
    fn setup_eframe(&self, cc: &mut eframe::CreationContext<'_>, _frame: &mut eframe::Frame) {
        cc.gl = Some(self.headless.gl.clone());
    }

    #[expect(clippy::iter_over_hash_type, reason = "textures do not depend on one another")]
    fn handle_delta(&mut self, delta: &mut egui::TexturesDelta) {
        self.make_current();
        for (id, images) in delta.set.drain() {
            images.iter().for_each(|image| self.painter.set_texture(id, image));
        }
        for id in delta.free.drain() {
            self.painter.free_texture(id);
        }
    }

    fn render(&mut self, context: &egui::Context, output: &egui::FullOutput) -> Result<RgbaImage, String> {
        self.make_current();
        let density = context.pixels_per_point();
        let size = context.content_rect().size() * density;
        let size = [size.x.round() as u32, size.y.round() as u32];
        let shapes = context.tessellate(output.shapes.clone(), density);
        let drawn = MultisampleTarget::new(&self.headless.gl, size, 4)?;
        self.painter.clear(size, [0.0, 0.0, 0.0, 1.0]);
        self.painter.paint_primitives(size, density, &shapes);
        drawn.read_pixels()
    }
}

/// A framebuffer with colour and depth.
struct MultisampleTarget<'a> {
    gl: &'a glow::Context,
    framebuffer: glow::Framebuffer,
    buffers: [glow::Renderbuffer; 2],
    size: [u32; 2],
}

impl<'a> MultisampleTarget<'a> {
    /// Creates and binds the framebuffer.
    fn new(gl: &'a glow::Context, size: [u32; 2], samples: i32) -> Result<Self, String> {
        let [w, h] = size.map(|n| n as i32);
        // SAFETY: the context is current; `Drop` deletes the created objects.
        unsafe {
            let framebuffer = gl.create_framebuffer()?;
            let buffers = [gl.create_renderbuffer()?, gl.create_renderbuffer()?];
            gl.bind_framebuffer(glow::FRAMEBUFFER, Some(framebuffer));
            let slots = [(glow::RGBA8, glow::COLOR_ATTACHMENT0), (glow::DEPTH_COMPONENT24, glow::DEPTH_ATTACHMENT)];
            for (buffer, (format, slot)) in buffers.into_iter().zip(slots) {
                gl.bind_renderbuffer(glow::RENDERBUFFER, Some(buffer));
                gl.renderbuffer_storage_multisample(glow::RENDERBUFFER, samples, format, w, h);
                gl.framebuffer_renderbuffer(glow::FRAMEBUFFER, slot, glow::RENDERBUFFER, Some(buffer));
            }
            let status = gl.check_framebuffer_status(glow::FRAMEBUFFER);
            let target = Self { gl, framebuffer, buffers, size };
            if status == glow::FRAMEBUFFER_COMPLETE {
                Ok(target)
            } else {
                Err(format!("framebuffer status {status:#x}"))
            }
        }
    }

    fn read_pixels(&self) -> Result<RgbaImage, String> {
        let resolved = MultisampleTarget::new(self.gl, self.size, 0)?;
        let [w, h] = self.size.map(|n| n as i32);
        let mut pixels = vec![0; 4 * self.size[0] as usize * self.size[1] as usize];
        // SAFETY: both framebuffers exist, and the buffer has space for w * h RGBA texels.
        unsafe {
            self.gl.bind_framebuffer(glow::READ_FRAMEBUFFER, Some(self.framebuffer));
            self.gl.bind_framebuffer(glow::DRAW_FRAMEBUFFER, Some(resolved.framebuffer));
            self.gl.disable(glow::SCISSOR_TEST);
            self.gl.blit_framebuffer(0, 0, w, h, 0, 0, w, h, glow::COLOR_BUFFER_BIT, glow::NEAREST);
            self.gl.bind_framebuffer(glow::FRAMEBUFFER, Some(resolved.framebuffer));
            self.gl.pixel_store_i32(glow::PACK_ALIGNMENT, 1);
            let into = glow::PixelPackData::Slice(Some(&mut pixels));
            self.gl.read_pixels(0, 0, w, h, glow::RGBA, glow::UNSIGNED_BYTE, into);
            self.gl.bind_framebuffer(glow::FRAMEBUFFER, None);
        }
        let mut image = RgbaImage::from_raw(self.size[0], self.size[1], pixels).ok_or("the size is odd")?;
        image::imageops::flip_vertical_in_place(&mut image);
        Ok(image)
    }
}

impl Drop for MultisampleTarget<'_> {
    fn drop(&mut self) {
        // SAFETY: this value created the names and owns them.
        unsafe {
            self.gl.delete_framebuffer(self.framebuffer);
            self.buffers.into_iter().for_each(|buffer| self.gl.delete_renderbuffer(buffer));
        }
    }
}
