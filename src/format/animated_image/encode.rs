//! Encodes frames as animated PNG or GIF, with the delay and the changed area of each frame.

use super::frame_delta::{FrameDelta, FrameDeltaEncoder};
use super::{AnimatedImageError, AnimatedImageFormat, Palette};
use image::codecs::png::PngEncoder;
use image::{ExtendedColorType, ImageEncoder as _};
use std::io::{self, Write};

/// Returns a picture as PNG. `rgba` contains sRGB bytes; rows start at the top, and alpha is not premultiplied.
pub fn encode_png(size: [u32; 2], rgba: &[u8]) -> io::Result<Vec<u8>> {
    // The encoder would panic.
    if rgba.len() as u64 != u64::from(size[0]) * u64::from(size[1]) * 4 {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut bytes = Vec::new();
    let encoder = PngEncoder::new(&mut bytes);
    encoder.write_image(rgba, size[0], size[1], ExtendedColorType::Rgba8).map_err(io::Error::other)?;
    Ok(bytes)
}

/// Settings of an animation.
#[derive(Clone, Debug)]
pub struct AnimatedImageOptions {
    /// Width and height in pixels.
    pub size: [u32; 2],
    /// Number of frames.
    pub frame_count: u32,
    /// Seconds from one frame to the next.
    pub frame_interval: f64,
    /// Number of times that the animation is played. 0 repeats forever.
    pub play_count: u16,
    /// Whether frames have transparent pixels.
    pub transparent: bool,
    /// The palette. `None` writes true colours, which only animated PNG supports.
    pub palette: Option<Palette>,
}

/// Writes an animation frame by frame.
pub struct AnimatedImageWriter<W: Write> {
    delta_encoder: FrameDeltaEncoder,
    frame_interval: f64,
    frames_written: u32,
    encoder: FormatEncoder<W>,
}

enum FormatEncoder<W: Write> {
    Apng(Box<png::Writer<W>>),
    Gif(gif::Encoder<W>),
}

impl<W: Write> AnimatedImageWriter<W> {
    /// Writes the header of the file.
    pub fn new(kind: AnimatedImageFormat, into: W, options: AnimatedImageOptions) -> Result<Self, AnimatedImageError> {
        let AnimatedImageOptions { size, frame_interval, transparent, .. } = options;
        let (into, palette) = match kind {
            AnimatedImageFormat::Apng => (FormatEncoder::Apng(Box::new(apng_writer(into, &options)?)), options.palette),
            AnimatedImageFormat::Gif => {
                let palette = options.palette.ok_or(AnimatedImageError::UnsupportedGif)?.without_soft_edges();
                let [Ok(width), Ok(height)] = size.map(u16::try_from) else {
                    return Err(AnimatedImageError::UnsupportedGif);
                };
                let mut encoder = gif::Encoder::new(into, width, height, &palette.rgb())?;
                match options.play_count {
                    // Without a repeat extension, the GIF is played once. The extension counts only the repetitions.
                    1 => {}
                    0 => encoder.set_repeat(gif::Repeat::Infinite)?,
                    plays => encoder.set_repeat(gif::Repeat::Finite(plays - 1))?,
                }
                (FormatEncoder::Gif(encoder), Some(palette))
            }
        };
        Ok(Self {
            delta_encoder: FrameDeltaEncoder::new(size, transparent, palette),
            frame_interval,
            frames_written: 0,
            encoder: into,
        })
    }

    /// Adds the next frame as sRGB RGBA bytes. Rows start at the top, and alpha is not premultiplied.
    pub fn add_frame(&mut self, rgba: &[u8]) -> Result<(), AnimatedImageError> {
        let delta = self.delta_encoder.encode_frame(rgba)?;
        let starts_empty = self.delta_encoder.clears_before_each_frame();
        let over = self.delta_encoder.bytes_per_pixel() == 1 && !starts_empty;
        match &mut self.encoder {
            FormatEncoder::Apng(writer) => {
                if self.frames_written > 0 {
                    set_frame_area(writer, &delta)?;
                }
                let blend = if over && self.frames_written > 0 { png::BlendOp::Over } else { png::BlendOp::Source };
                writer.set_blend_op(blend)?;
                let after = if starts_empty { png::DisposeOp::Background } else { png::DisposeOp::None };
                writer.set_dispose_op(after)?;
                writer.write_image_data(&delta.data)?;
            }
            FormatEncoder::Gif(encoder) => {
                let [left, top, width, height] = delta.area.map(|n| n as u16);
                let dispose = if starts_empty { gif::DisposalMethod::Background } else { gif::DisposalMethod::Keep };
                encoder.write_frame(&gif::Frame {
                    delay: delay_centiseconds(self.frame_interval, self.frames_written),
                    dispose,
                    transparent: Some(Palette::TRANSPARENT),
                    top,
                    left,
                    width,
                    height,
                    buffer: delta.data.into(),
                    ..gif::Frame::default()
                })?;
            }
        }
        self.frames_written += 1;
        Ok(())
    }

    /// Writes the trailer of the file.
    pub fn finish(self) -> Result<(), AnimatedImageError> {
        match self.encoder {
            FormatEncoder::Apng(writer) => writer.finish()?,
            FormatEncoder::Gif(encoder) => encoder.into_inner()?.flush().map_err(AnimatedImageError::Write)?,
        }
        Ok(())
    }
}

fn apng_writer<W: Write>(into: W, options: &AnimatedImageOptions) -> Result<png::Writer<W>, AnimatedImageError> {
    let mut encoder = png::Encoder::new(into, options.size[0], options.size[1]);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_deflate_compression(png::DeflateCompression::Level(9));
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    if let Some(palette) = &options.palette {
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_filter(png::Filter::NoFilter);
        encoder.set_palette(palette.rgb());
        encoder.set_trns(palette.alpha());
    } else {
        encoder.set_color(if options.transparent { png::ColorType::Rgba } else { png::ColorType::Rgb });
        encoder.set_filter(png::Filter::Adaptive);
    }
    encoder.set_animated(options.frame_count, u32::from(options.play_count))?;
    let (numerator, denominator) = delay_fraction(options.frame_interval);
    encoder.set_frame_delay(numerator, denominator)?;
    Ok(encoder.write_header()?)
}

fn set_frame_area<W: Write>(writer: &mut png::Writer<W>, delta: &FrameDelta) -> Result<(), AnimatedImageError> {
    let [x, y, width, height] = delta.area;
    // The encoder checks each call against the current area. Position 0, 0 allows any size.
    writer.set_frame_position(0, 0)?;
    writer.set_frame_dimension(width, height)?;
    writer.set_frame_position(x, y)?;
    Ok(())
}

/// Seconds as a fraction: 1 / rate for an integer frame rate, otherwise with the largest possible denominator.
fn delay_fraction(seconds: f64) -> (u16, u16) {
    let rate = 1.0 / seconds;
    if (rate - rate.round()).abs() < 1e-4 && (1.0..65536.0).contains(&rate) {
        return (1, rate.round() as u16);
    }
    let under = (60000.0 / seconds.max(1.0)).floor();
    ((seconds * under).round() as u16, under as u16)
}

fn delay_centiseconds(interval: f64, frame: u32) -> u16 {
    let at = |frame: f64| (frame * interval * 100.0).round();
    (at(f64::from(frame) + 1.0) - at(f64::from(frame))).clamp(1.0, 65535.0) as u16
}

impl<W: Write> std::fmt::Debug for AnimatedImageWriter<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AnimatedImageWriter").field("written", &self.frames_written).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A writer that fails after the given number of bytes, like a full disk.
    struct FullDisk(usize);

    impl Write for FullDisk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let taken = bytes.len().min(self.0);
            self.0 -= taken;
            if taken == 0 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(taken) }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_full_disk_is_reported_once_by_every_format() {
        let mut histogram = super::super::ColorHistogram::new(AnimatedImageFormat::Gif);
        histogram.add(&[200, 0, 0, 255]);
        for kind in [AnimatedImageFormat::Apng, AnimatedImageFormat::Gif] {
            for room in [0, 10, 60, 400] {
                let palette = (kind == AnimatedImageFormat::Gif).then(|| histogram.palette(16));
                let options = AnimatedImageOptions {
                    size: [32, 32],
                    frame_count: 2,
                    frame_interval: 0.1,
                    play_count: 0,
                    transparent: false,
                    palette,
                };
                let noise: Vec<u8> =
                    (0..32_u32 * 32 * 4).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
                let written = AnimatedImageWriter::new(kind, FullDisk(room), options).and_then(|mut writer| {
                    writer.add_frame(&noise)?;
                    writer.add_frame(&noise.iter().rev().copied().collect::<Vec<_>>())?;
                    writer.finish()
                });
                let Err(error) = written else {
                    assert_eq!(
                        (kind, room),
                        (AnimatedImageFormat::Gif, 400),
                        "the animation is larger than {room} bytes"
                    );
                    continue;
                };
                let text = format!("{:#}", anyhow::Error::from(error));
                assert_eq!(text.matches("no storage space").count(), 1, "{kind:?}, {room} bytes: {text}");
            }
        }
    }

    #[test]
    fn frame_delays_add_up_to_the_total_duration() {
        assert_eq!(delay_fraction(1.0 / 30.0), (1, 30));
        let (over, under) = delay_fraction(0.0347);
        assert!((f64::from(over) / f64::from(under) - 0.0347).abs() < 1e-5);
        let (over, under) = delay_fraction(10.0);
        assert!((f64::from(over) / f64::from(under) - 10.0).abs() < 1e-3);
        let all: u32 = (0..90).map(|n| u32::from(delay_centiseconds(1.0 / 30.0, n))).sum();
        assert_eq!(all, 300);
        assert_eq!([0, 1, 2].map(|n| delay_centiseconds(1.0 / 30.0, n)), [3, 4, 3]);
    }
}
