//! Moving pictures: animated PNG and GIF, written picture by picture, so that only one is in memory.
//!
//! A film of few colours has one palette for all its pictures ([`Palette`]): colours that change from picture to
//! picture would flicker. `imagequant` is GPL, and `color_quant` lets the cover of soft edges leak into opaque
//! colours, so the palette is chosen here. What stands still costs nothing: only the part of a picture that changed is
//! written, see [`cel`](self).

mod encode;
mod frame_delta;
mod palette;

pub use encode::{AnimatedImageOptions, AnimatedImageWriter};
pub use palette::{ColorHistogram, Palette};

use std::io;
use thiserror::Error;

/// Which format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnimatedImageFormat {
    /// Animated PNG; where animation is unknown, its first picture is shown.
    Apng,
    /// At most 256 colours, every pixel there or not there, at most 50 pictures a second.
    Gif,
}

/// Why a film cannot be written. No variant has a source: each message has the cause in it, once.
#[derive(Debug, Error)]
pub enum AnimatedImageError {
    /// The file does not take the bytes, for example because the disk is full.
    #[error("cannot be written: {0}")]
    Write(io::Error),
    /// As the PNG encoder says it.
    #[error("the animated PNG cannot be encoded: {0}")]
    Png(png::EncodingError),
    /// As the GIF encoder says it.
    #[error("the GIF cannot be encoded: {0}")]
    Gif(gif::EncodingError),
    /// A picture whose pixels do not fill it.
    #[error("{found} bytes instead of {expected} in a picture")]
    FrameSize {
        /// Bytes of the picture.
        found: usize,
        /// Four for each pixel of the film.
        expected: usize,
    },
    /// GIF has no other way.
    #[error("a GIF needs a palette and sides of at most 65535 pixels")]
    UnsupportedGif,
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
