//! Encodes frames as animated PNG or GIF, with the delay and the changed area of each frame.

use super::compress::PngColors;
use super::frame_delta::{FrameDelta, FrameDeltaEncoder};
use super::{AnimatedImageError, AnimatedImageFormat, Palette};
use crate::parallel;
use image::codecs::png::PngEncoder;
use image::{ExtendedColorType, ImageEncoder as _};
use std::io::{self, Write};

/// Returns an image as PNG. `rgba` contains sRGB bytes; rows start at the top, and alpha is not premultiplied.
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
///
/// Several threads compress a few frames at the same time, so an error can be reported some frames late.
pub struct AnimatedImageWriter<W: Write> {
    delta_encoder: FrameDeltaEncoder,
    /// Frames that are not compressed yet, at most [`frames_per_batch`].
    waiting: Vec<FrameDelta>,
    encoder: FormatEncoder<W>,
}

enum FormatEncoder<W: Write> {
    Apng(Box<ApngEncoder<W>>),
    Gif(GifEncoder<W>),
}

/// Returns the number of frames that are compressed at the same time. More frames would only need more memory.
fn frames_per_batch() -> usize {
    parallel::thread_count().clamp(1, 16)
}

impl<W: Write> AnimatedImageWriter<W> {
    /// Writes the header of the file.
    pub fn new(
        kind: AnimatedImageFormat,
        into: W,
        mut options: AnimatedImageOptions,
    ) -> Result<Self, AnimatedImageError> {
        let encoder = match kind {
            AnimatedImageFormat::Apng => FormatEncoder::Apng(Box::new(ApngEncoder::new(into, &options)?)),
            AnimatedImageFormat::Gif => {
                options.palette = options.palette.map(Palette::without_soft_edges);
                FormatEncoder::Gif(GifEncoder::new(into, &options)?)
            }
        };
        Ok(Self {
            delta_encoder: FrameDeltaEncoder::new(options.size, options.transparent, options.palette),
            waiting: Vec::new(),
            encoder,
        })
    }

    /// Adds the next frame as sRGB RGBA bytes. Rows start at the top, and alpha is not premultiplied.
    pub fn add_frame(&mut self, rgba: &[u8]) -> Result<(), AnimatedImageError> {
        self.waiting.push(self.delta_encoder.encode_frame(rgba)?);
        if self.waiting.len() >= frames_per_batch() { self.write_waiting() } else { Ok(()) }
    }

    fn write_waiting(&mut self) -> Result<(), AnimatedImageError> {
        let frames = std::mem::take(&mut self.waiting);
        match &mut self.encoder {
            FormatEncoder::Apng(encoder) => encoder.write_frames(&frames),
            FormatEncoder::Gif(encoder) => encoder.write_frames(frames),
        }
    }

    /// Writes the remaining frames and the trailer of the file.
    pub fn finish(mut self) -> Result<(), AnimatedImageError> {
        self.write_waiting()?;
        match self.encoder {
            FormatEncoder::Apng(encoder) => encoder.writer.finish()?,
            FormatEncoder::Gif(encoder) => encoder.encoder.into_inner()?.flush().map_err(AnimatedImageError::Write)?,
        }
        Ok(())
    }
}

struct ApngEncoder<W: Write> {
    writer: png::Writer<W>,
    colors: PngColors,
    delay: (u16, u16),
    dispose: png::DisposeOp,
    blend: png::BlendOp,
    frames_written: u32,
    /// The number of the next chunk of the animation.
    sequence: u32,
}

impl<W: Write> ApngEncoder<W> {
    fn new(into: W, options: &AnimatedImageOptions) -> Result<Self, AnimatedImageError> {
        let colors = PngColors::new(options.palette.as_ref(), options.transparent);
        let mut encoder = colors.encoder(into, options.size);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        encoder.set_animated(options.frame_count, u32::from(options.play_count))?;
        // With a palette, unchanged pixels are transparent, unless the canvas is cleared.
        let (dispose, blend) = match (options.palette.is_some(), options.transparent) {
            (true, true) => (png::DisposeOp::Background, png::BlendOp::Source),
            (true, false) => (png::DisposeOp::None, png::BlendOp::Over),
            (false, _) => (png::DisposeOp::None, png::BlendOp::Source),
        };
        let delay = delay_fraction(options.frame_interval);
        let writer = encoder.write_header()?;
        Ok(Self { writer, colors, delay, dispose, blend, frames_written: 0, sequence: 0 })
    }

    fn write_frames(&mut self, frames: &[FrameDelta]) -> Result<(), AnimatedImageError> {
        let compressed: Vec<_> = parallel::map(frames.iter().collect(), |frame| self.colors.compress(frame));
        for (frame, data) in frames.iter().zip(compressed) {
            self.write_frame(frame.area, &data?)?;
        }
        Ok(())
    }

    /// Writes the control chunk and the data chunk of a frame.
    fn write_frame(&mut self, [x, y, width, height]: [u32; 4], data: &[u8]) -> Result<(), AnimatedImageError> {
        let is_first = self.frames_written == 0;
        let blend = if is_first { png::BlendOp::Source } else { self.blend };
        let mut control = Vec::with_capacity(26);
        for number in [self.next_sequence(), width, height, x, y] {
            control.extend(number.to_be_bytes());
        }
        control.extend([self.delay.0, self.delay.1].map(u16::to_be_bytes).as_flattened());
        control.extend([self.dispose as u8, blend as u8]);
        self.writer.write_chunk(png::chunk::fcTL, &control)?;
        if is_first {
            self.writer.write_chunk(png::chunk::IDAT, data)?;
        } else {
            let sequence = self.next_sequence().to_be_bytes();
            self.writer.write_chunk(png::chunk::fdAT, &[&sequence, data].concat())?;
        }
        self.frames_written += 1;
        Ok(())
    }

    fn next_sequence(&mut self) -> u32 {
        self.sequence += 1;
        self.sequence - 1
    }
}

struct GifEncoder<W: Write> {
    encoder: gif::Encoder<W>,
    frame_interval: f64,
    dispose: gif::DisposalMethod,
    frames_written: u32,
}

impl<W: Write> GifEncoder<W> {
    /// The palette of `options` must not have soft edges.
    fn new(into: W, options: &AnimatedImageOptions) -> Result<Self, AnimatedImageError> {
        let palette = options.palette.as_ref().ok_or(AnimatedImageError::UnsupportedGif)?;
        let [Ok(width), Ok(height)] = options.size.map(u16::try_from) else {
            return Err(AnimatedImageError::UnsupportedGif);
        };
        let mut encoder = gif::Encoder::new(into, width, height, &palette.rgb())?;
        match options.play_count {
            // Without a repeat extension, the GIF is played once. The extension counts only the repetitions.
            1 => {}
            0 => encoder.set_repeat(gif::Repeat::Infinite)?,
            plays => encoder.set_repeat(gif::Repeat::Finite(plays - 1))?,
        }
        let dispose = if options.transparent { gif::DisposalMethod::Background } else { gif::DisposalMethod::Keep };
        Ok(Self { encoder, frame_interval: options.frame_interval, dispose, frames_written: 0 })
    }

    fn write_frames(&mut self, frames: Vec<FrameDelta>) -> Result<(), AnimatedImageError> {
        let (first, interval, dispose) = (self.frames_written, self.frame_interval, self.dispose);
        let compress = |(index, delta): (usize, FrameDelta)| {
            let [left, top, width, height] = delta.area.map(|n| n as u16);
            let mut frame = gif::Frame {
                delay: delay_centiseconds(interval, first + index as u32),
                dispose,
                transparent: Some(Palette::TRANSPARENT),
                top,
                left,
                width,
                height,
                buffer: delta.data.into(),
                ..gif::Frame::default()
            };
            frame.make_lzw_pre_encoded();
            frame
        };
        let compressed = parallel::map(frames.into_iter().enumerate().collect(), compress);
        for frame in &compressed {
            self.encoder.write_lzw_pre_encoded_frame(frame)?;
            self.frames_written += 1;
        }
        Ok(())
    }
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
        f.debug_struct("AnimatedImageWriter").field("waiting", &self.waiting.len()).finish_non_exhaustive()
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
