use super::look::Look;
use super::timing::Timing;
use super::{Args, Progress};
use crate::cli::output::failure;
use crate::format::film::{Film, FilmError, FilmKind, FilmWriter, Palette, Swatches};
use crate::format::source::FreshFile;
use std::io::BufWriter;

/// Pictures whose colours are looked at for the palette; those between have hardly any of their own.
const TASTED: u32 = 24;
/// Colours of a GIF unless fewer are asked for.
const GIF_COLORS: u16 = 256;

/// Draws and writes a moving picture, one picture in memory at a time.
pub(super) fn write(
    kind: FilmKind,
    file: &mut FreshFile,
    args: &Args,
    timing: &Timing,
    look: &mut Look,
) -> anyhow::Result<()> {
    let colors = args.colors.or((kind == FilmKind::Gif).then_some(GIF_COLORS));
    let palette = colors.map(|colors| palette(kind, colors, timing.frames, look)).transpose()?;
    let (size, clear) = (look.size(), look.clear());
    let film = Film { size, frames: timing.frames, spacing: timing.spacing, plays: args.plays, clear, palette };
    let failed = |error: FilmError| failure(&args.out, &error.to_string());
    let mut writer = FilmWriter::new(kind, BufWriter::new(file), film).map_err(failed)?;
    let progress = Progress::new(u64::from(timing.frames), "drawing");
    for frame in 0..timing.frames {
        writer.add(look.picture(frame as usize)?.as_raw()).map_err(failed)?;
        progress.step();
    }
    writer.finish().map_err(failed)?;
    progress.finish();
    Ok(())
}

/// One palette for all pictures, from some of them.
fn palette(kind: FilmKind, colors: u16, frames: u32, look: &mut Look) -> anyhow::Result<Palette> {
    let tasted = frames.min(TASTED);
    let progress = Progress::new(u64::from(tasted), "choosing colours");
    let mut swatches = Swatches::new(kind);
    for taste in 0..tasted {
        swatches.add(look.picture((taste * frames / tasted) as usize)?.as_raw());
        progress.step();
    }
    progress.finish();
    Ok(swatches.palette(usize::from(colors)))
}
