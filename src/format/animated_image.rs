//! Animated PNG and GIF, written frame by frame, so that only one frame is in memory.
//!
//! All frames share one palette ([`Palette`]): colours that change from frame to
//! frame would flicker. `imagequant` is GPL, and `color_quant` lets the cover of soft edges leak into opaque
//! colours, so the palette is chosen here. Only the changed part of a frame is
//! written, see [`frame_delta`](self).

mod encode;
mod frame_delta;
mod palette;

pub use encode::{AnimatedImageOptions, AnimatedImageWriter};
pub use palette::{ColorHistogram, Palette};

use crate::diagnostics::{MessageText, message};
use std::io;

/// Which format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnimatedImageFormat {
    /// Animated PNG; where animation is unknown, its first picture is shown.
    Apng,
    /// At most 256 colours, every pixel there or not there, at most 50 pictures a second.
    Gif,
}

/// Why an animation cannot be written. Messages include the cause.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.message())]
pub enum AnimatedImageError {
    /// The file does not take the bytes, for example because the disk is full.
    Write(io::Error),
    /// The PNG encoder failed.
    Png(png::EncodingError),
    /// The GIF encoder failed.
    Gif(gif::EncodingError),
    /// A picture whose pixels do not fill it.
    FrameSize {
        /// Bytes of the picture.
        found: usize,
        /// Four bytes per pixel.
        expected: usize,
    },
    /// GIF has no other way.
    UnsupportedGif,
}

impl AnimatedImageError {
    /// What is wrong, for the user.
    pub fn message(&self) -> MessageText {
        match self {
            Self::Write(error) => message!("cannot be written: {error}", error = super::source::io_error_text(error)),
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
