//! GL calls that three-d does not provide.
#![expect(unsafe_code, reason = "raw GL: clearing depth alone, sRGB textures, sample coverage")]

use super::PixelRect;
use three_d::context::{self as glow, HasContext as _};
use three_d::{Context, Interpolation, Mipmap, Texture2D, Wrapping};
use yuremono_sim::rig::{Image, TextureRef, TextureWrap};

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

/// Sets the scissor to `area`, to draw over the bound framebuffer without depth.
pub(super) fn begin_overlay(context: &Context, area: PixelRect) {
    context.set_scissor(area.scissor());
    // SAFETY: the call only sets state. three-d disables the scissor test for an empty scissor.
    unsafe { context.enable(glow::SCISSOR_TEST) };
}

/// Enables all write masks, because other renderers rely on them.
pub(super) fn end_draw(context: &Context) {
    // SAFETY: the calls only set state.
    unsafe {
        context.color_mask(true, true, true, true);
        context.depth_mask(true);
    }
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

/// Sets whether surfaces are slightly farther away, so that they lose against equal surfaces that were drawn before.
pub(super) fn set_behind(context: &Context, on: bool) {
    // SAFETY: the calls only set state.
    unsafe {
        if on {
            context.enable(glow::POLYGON_OFFSET_FILL);
            context.polygon_offset(1.0, 4.0);
        } else {
            context.disable(glow::POLYGON_OFFSET_FILL);
        }
    }
}

/// Whether the context has OpenGL 3.3, OpenGL ES 3.0 or WebGL 2, whose version is that of OpenGL ES 3.0.
pub(super) fn is_supported(context: &Context) -> bool {
    let version = context.version();
    (version.major, version.minor) >= if version.is_embedded { (3, 0) } else { (3, 3) }
}

/// Returns the name and the version of the driver.
pub(super) fn driver(context: &Context) -> String {
    // SAFETY: the calls query two strings that every context has.
    let [renderer, version] = [glow::RENDERER, glow::VERSION].map(|name| unsafe { context.get_parameter_string(name) });
    format!("{renderer}, {version}")
}

/// Whether the driver renders on the CPU, where texel reads are slow.
pub(super) fn is_software_renderer(context: &Context) -> bool {
    // SAFETY: the call queries a string that every context has.
    let renderer = unsafe { context.get_parameter_string(glow::RENDERER) }.to_lowercase();
    ["llvmpipe", "softpipe", "swiftshader", "software"].iter().any(|name| renderer.contains(name))
}

/// Makes a software renderer start with the pixels of everything that was drawn so far.
pub(super) fn flush(context: &Context) {
    // SAFETY: the call has no arguments.
    unsafe { context.flush() };
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
