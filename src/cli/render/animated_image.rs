use super::picture_renderer::PictureRenderer;
use super::timing::FrameTiming;
use super::{ProgressReporter, RenderArgs};
use crate::cli::output::path_failure;
use crate::format::animated_image::{
    AnimatedImageError, AnimatedImageFormat, AnimatedImageOptions, AnimatedImageWriter, ColorHistogram, Palette,
};
use crate::format::source::AtomicFile;
use std::io::BufWriter;

/// Pictures whose colours are looked at for the palette; those between have hardly any of their own.
const PALETTE_SAMPLES: u32 = 24;
/// Colours of a GIF unless fewer are asked for.
const GIF_COLORS: u16 = 256;

/// Draws and writes a moving picture, one picture in memory at a time.
pub(super) fn write(
    kind: AnimatedImageFormat,
    file: &mut AtomicFile,
    args: &RenderArgs,
    timing: &FrameTiming,
    look: &mut PictureRenderer,
) -> anyhow::Result<()> {
    let colors = args.colors.or((kind == AnimatedImageFormat::Gif).then_some(GIF_COLORS));
    let palette = colors.map(|colors| palette(kind, colors, timing.frames, look)).transpose()?;
    let (size, clear) = (look.size(), look.is_transparent());
    let film = AnimatedImageOptions {
        size,
        frame_count: timing.frames,
        frame_interval: timing.spacing,
        play_count: args.plays,
        transparent: clear,
        palette,
    };
    let failed = |error: AnimatedImageError| path_failure(&args.out, &error.to_string());
    let mut writer = AnimatedImageWriter::new(kind, BufWriter::new(file), film).map_err(failed)?;
    let progress = ProgressReporter::new(u64::from(timing.frames), "drawing");
    for frame in 0..timing.frames {
        writer.add_frame(look.draw_picture(frame as usize)?.as_raw()).map_err(failed)?;
        progress.step();
    }
    writer.finish().map_err(failed)?;
    progress.finish();
    Ok(())
}

/// One palette for all pictures, from some of them.
fn palette(kind: AnimatedImageFormat, colors: u16, frames: u32, look: &mut PictureRenderer) -> anyhow::Result<Palette> {
    let tasted = frames.min(PALETTE_SAMPLES);
    let progress = ProgressReporter::new(u64::from(tasted), "choosing colours");
    let mut swatches = ColorHistogram::new(kind);
    for taste in 0..tasted {
        swatches.add(look.draw_picture((taste * frames / tasted) as usize)?.as_raw());
        progress.step();
    }
    progress.finish();
    Ok(swatches.palette(usize::from(colors)))
}
