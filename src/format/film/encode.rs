use super::cel::{Cel, Cels};
use super::{FilmError, FilmKind, Palette};
use std::io::Write;

/// What all pictures of a film share.
#[derive(Clone, Debug)]
pub struct Film {
    /// Width and height, pixels.
    pub size: [u32; 2],
    /// How many pictures will come.
    pub frames: u32,
    /// Seconds from one to the next.
    pub spacing: f64,
    /// How often it is played; 0 for ever.
    pub plays: u16,
    /// Whether parts of it are clear.
    pub clear: bool,
    /// The colours; `None` for all that there are.
    pub palette: Option<Palette>,
}

/// Writes a film picture by picture.
pub struct FilmWriter<W: Write> {
    cels: Cels,
    spacing: f64,
    written: u32,
    into: Into<W>,
}

enum Into<W: Write> {
    Apng(Box<png::Writer<W>>),
    Gif(gif::Encoder<W>),
}

impl<W: Write> FilmWriter<W> {
    /// Writes the head of the file.
    pub fn new(kind: FilmKind, into: W, film: Film) -> Result<Self, FilmError> {
        let Film { size, spacing, clear, .. } = film;
        let (into, palette) = match kind {
            FilmKind::Apng => (Into::Apng(Box::new(apng(into, &film)?)), film.palette),
            FilmKind::Gif => {
                let palette = film.palette.ok_or(FilmError::NoGif)?.hard();
                let [Ok(width), Ok(height)] = size.map(u16::try_from) else { return Err(FilmError::NoGif) };
                let mut encoder = gif::Encoder::new(into, width, height, &palette.rgb())?;
                match film.plays {
                    // Without the note it is played once; the note counts what comes after that.
                    1 => {}
                    0 => encoder.set_repeat(gif::Repeat::Infinite)?,
                    plays => encoder.set_repeat(gif::Repeat::Finite(plays - 1))?,
                }
                (Into::Gif(encoder), Some(palette))
            }
        };
        Ok(Self { cels: Cels::new(size, clear, palette), spacing, written: 0, into })
    }

    /// The next picture: RGBA, sRGB, rows from the top, alpha not multiplied in.
    pub fn add(&mut self, rgba: &[u8]) -> Result<(), FilmError> {
        let cel = self.cels.next(rgba)?;
        let starts_empty = self.cels.starts_empty();
        let over = self.cels.depth() == 1 && !starts_empty;
        match &mut self.into {
            Into::Apng(writer) => {
                if self.written > 0 {
                    place(writer, &cel)?;
                }
                let blend = if over && self.written > 0 { png::BlendOp::Over } else { png::BlendOp::Source };
                writer.set_blend_op(blend)?;
                let after = if starts_empty { png::DisposeOp::Background } else { png::DisposeOp::None };
                writer.set_dispose_op(after)?;
                writer.write_image_data(&cel.data)?;
            }
            Into::Gif(encoder) => {
                let [left, top, width, height] = cel.area.map(|n| n as u16);
                let dispose = if starts_empty { gif::DisposalMethod::Background } else { gif::DisposalMethod::Keep };
                encoder.write_frame(&gif::Frame {
                    delay: hundredths(self.spacing, self.written),
                    dispose,
                    transparent: Some(Palette::CLEAR),
                    top,
                    left,
                    width,
                    height,
                    buffer: cel.data.into(),
                    ..gif::Frame::default()
                })?;
            }
        }
        self.written += 1;
        Ok(())
    }

    /// Writes the end of the file.
    pub fn finish(self) -> Result<(), FilmError> {
        match self.into {
            Into::Apng(writer) => writer.finish()?,
            Into::Gif(encoder) => encoder.into_inner()?.flush().map_err(FilmError::Write)?,
        }
        Ok(())
    }
}

fn apng<W: Write>(into: W, film: &Film) -> Result<png::Writer<W>, FilmError> {
    let mut encoder = png::Encoder::new(into, film.size[0], film.size[1]);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_deflate_compression(png::DeflateCompression::Level(9));
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    if let Some(palette) = &film.palette {
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_filter(png::Filter::NoFilter);
        encoder.set_palette(palette.rgb());
        encoder.set_trns(palette.alpha());
    } else {
        encoder.set_color(if film.clear { png::ColorType::Rgba } else { png::ColorType::Rgb });
        encoder.set_filter(png::Filter::Adaptive);
    }
    encoder.set_animated(film.frames, u32::from(film.plays))?;
    let (over, under) = delay(film.spacing);
    encoder.set_frame_delay(over, under)?;
    Ok(encoder.write_header()?)
}

fn place<W: Write>(writer: &mut png::Writer<W>, cel: &Cel) -> Result<(), FilmError> {
    let [x, y, width, height] = cel.area;
    // Each is checked against the other as it was: from the corner, any size will do.
    writer.set_frame_position(0, 0)?;
    writer.set_frame_dimension(width, height)?;
    writer.set_frame_position(x, y)?;
    Ok(())
}

/// Seconds as a fraction: one over the rate where that is a whole number, else as fine as it goes.
fn delay(seconds: f64) -> (u16, u16) {
    let rate = 1.0 / seconds;
    if (rate - rate.round()).abs() < 1e-4 && (1.0..65536.0).contains(&rate) {
        return (1, rate.round() as u16);
    }
    let under = (60000.0 / seconds.max(1.0)).floor();
    ((seconds * under).round() as u16, under as u16)
}

/// How long a picture of a GIF stands, so that all together take as long as they should.
fn hundredths(spacing: f64, frame: u32) -> u16 {
    let at = |frame: f64| (frame * spacing * 100.0).round();
    (at(f64::from(frame) + 1.0) - at(f64::from(frame))).clamp(1.0, 65535.0) as u16
}

impl<W: Write> std::fmt::Debug for FilmWriter<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FilmWriter").field("written", &self.written).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disk with room for so many bytes.
    struct FullDisk(usize);

    impl Write for FullDisk {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            let taken = bytes.len().min(self.0);
            self.0 -= taken;
            if taken == 0 { Err(std::io::ErrorKind::StorageFull.into()) } else { Ok(taken) }
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_full_disk_is_reported_once_whatever_the_format_and_wherever_it_is_full() {
        let mut swatches = super::super::Swatches::new(FilmKind::Gif);
        swatches.add(&[200, 0, 0, 255]);
        for kind in [FilmKind::Apng, FilmKind::Gif] {
            for room in [0, 10, 60, 400] {
                let palette = (kind == FilmKind::Gif).then(|| swatches.palette(16));
                let film = Film { size: [32, 32], frames: 2, spacing: 0.1, plays: 0, clear: false, palette };
                let noise: Vec<u8> =
                    (0..32_u32 * 32 * 4).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
                let written = FilmWriter::new(kind, FullDisk(room), film).and_then(|mut writer| {
                    writer.add(&noise)?;
                    writer.add(&noise.iter().rev().copied().collect::<Vec<_>>())?;
                    writer.finish()
                });
                let Err(error) = written else {
                    assert_eq!((kind, room), (FilmKind::Gif, 400), "the film is larger than {room} bytes");
                    continue;
                };
                let said = format!("{:#}", anyhow::Error::from(error));
                assert_eq!(said.matches("no storage space").count(), 1, "{kind:?}, {room} bytes: {said}");
            }
        }
    }

    #[test]
    fn delays_keep_the_time_of_the_whole() {
        assert_eq!(delay(1.0 / 30.0), (1, 30));
        let (over, under) = delay(0.0347);
        assert!((f64::from(over) / f64::from(under) - 0.0347).abs() < 1e-5);
        let (over, under) = delay(10.0);
        assert!((f64::from(over) / f64::from(under) - 10.0).abs() < 1e-3);
        let all: u32 = (0..90).map(|n| u32::from(hundredths(1.0 / 30.0, n))).sum();
        assert_eq!(all, 300);
        assert_eq!([0, 1, 2].map(|n| hundredths(1.0 / 30.0, n)), [3, 4, 3]);
    }
}
