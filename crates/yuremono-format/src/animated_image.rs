//! Writes animated PNG and GIF files frame by frame, with only one frame in memory.
//!
//! All frames share one [`Palette`], because colours that change between frames would flicker. This module chooses the
//! palette itself, because `imagequant` is GPL, and `color_quant` mixes the alpha of soft edges into opaque colours.
//! Only the changed area of a frame is written, see `frame_delta`.

mod compress;
mod encode;
mod frame_delta;
mod frame_store;
mod palette;

pub use encode::{AnimatedImageOptions, AnimatedImageWriter, encode_png};
pub use frame_store::FrameStore;
pub use palette::{ColorHistogram, Palette};

use std::io;
use yuremono_sim::diagnostics::{MessageText, message};

/// Maximum number of frames of an animation: one minute at 60 frames per second, which is enough for any loop.
pub const MAX_FRAMES: u32 = 3600;
/// Maximum frame rate of a GIF. GIF delays are multiples of 0.01 s, and browsers lengthen delays below 0.02 s.
pub const MAX_GIF_RATE: f64 = 50.0;
/// Default number of colours of a GIF.
pub const GIF_COLORS: u16 = 256;
/// Maximum number of frames from which a palette is computed.
const PALETTE_SAMPLES: u32 = 24;

/// Returns the number of frames of an animation, and the interval between two frames in seconds. All intervals are equal,
/// including the interval from the last frame to the first.
pub fn frame_spacing(seconds: f64, rate: f64) -> (u32, f64) {
    let frames = (seconds * rate).round().max(1.0);
    (frames as u32, seconds / frames)
}

/// Returns the indices of the frames from which a palette is computed, evenly spaced.
pub fn palette_samples(frames: u32) -> impl ExactSizeIterator<Item = u32> {
    let samples = frames.min(PALETTE_SAMPLES);
    (0..samples).map(move |sample| sample * frames / samples)
}

/// The file format of an animation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnimatedImageFormat {
    /// Animated PNG. Viewers without animation support show the first frame.
    Apng,
    /// GIF: at most 256 colours, no partial transparency, at most 50 frames per second.
    Gif,
}

impl AnimatedImageFormat {
    /// Returns the file extensions, the usual extension first. Programs open an animated PNG as `.png`.
    pub const fn extensions(self) -> &'static [&'static str] {
        match self {
            Self::Apng => &["png", "apng"],
            Self::Gif => &["gif"],
        }
    }

    /// Whether viewers would slow down frames at this interval, in seconds.
    pub fn is_too_fast(self, frame_interval: f64) -> bool {
        self == Self::Gif && frame_interval * MAX_GIF_RATE < 0.99
    }
}

/// Why an animation cannot be written. Messages include the cause.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.message())]
pub enum AnimatedImageError {
    /// Writing to the file failed, for example because the disk is full.
    Write(io::Error),
    /// The PNG encoder failed.
    Png(png::EncodingError),
    /// The GIF encoder failed.
    Gif(gif::EncodingError),
    /// A frame has the wrong number of bytes.
    FrameSize {
        /// Number of bytes in the frame.
        found: usize,
        /// Expected number of bytes, four per pixel.
        expected: usize,
    },
    /// The GIF has no palette, or a side is longer than 65535 pixels.
    UnsupportedGif,
}

impl AnimatedImageError {
    /// The message for the user.
    pub fn message(&self) -> MessageText {
        match self {
            Self::Write(error) => super::source::write_failure(error),
            Self::Png(error) => message!("the animated PNG cannot be encoded: {error}", error = error.to_string()),
            Self::Gif(error) => message!("the GIF cannot be encoded: {error}", error = error.to_string()),
            Self::FrameSize { found, expected } => {
                message!("a picture has {found} bytes; expected {expected}", found = *found, expected = *expected)
            }
            Self::UnsupportedGif => message!("a GIF needs a palette and sides of at most 65535 pixels"),
        }
    }
}

impl From<png::EncodingError> for AnimatedImageError {
    fn from(error: png::EncodingError) -> Self {
        match error {
            png::EncodingError::IoError(cause) => Self::Write(cause),
            other => Self::Png(other),
        }
    }
}

impl From<gif::EncodingError> for AnimatedImageError {
    fn from(error: gif::EncodingError) -> Self {
        match error {
            gif::EncodingError::Io(cause) => Self::Write(cause),
            other => Self::Gif(other),
        }
    }
}
