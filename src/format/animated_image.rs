//! Writes animated PNG and GIF files frame by frame, with only one frame in memory.
//!
//! All frames share one [`Palette`], because colours that change between frames would flicker. This module chooses the
//! palette itself, because `imagequant` is GPL, and `color_quant` mixes the alpha of soft edges into opaque colours.
//! Only the changed area of a frame is written, see `frame_delta`.

mod encode;
mod frame_delta;
mod palette;

pub use encode::{AnimatedImageOptions, AnimatedImageWriter};
pub use palette::{ColorHistogram, Palette};

use crate::diagnostics::{MessageText, message};
use std::io;

/// The file format of an animation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnimatedImageFormat {
    /// Animated PNG. Viewers without animation support show the first frame.
    Apng,
    /// GIF: at most 256 colours, no partial transparency, at most 50 frames per second.
    Gif,
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
            Self::Write(error) => {
                message!("cannot be written: {error}", error = super::source::write_error_text(error))
            }
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
