//! Stores the frames of an animation on the disk until they are encoded. The palette depends on frames of the whole
//! animation, so no frame can be encoded before the last frame exists.

use super::encode::encode_png;
use crate::fs;
use image::ImageFormat;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

/// Frames in an anonymous temporary file, each compressed without loss. The system deletes the file when the store is
/// dropped or the process ends.
#[derive(Debug)]
pub struct FrameStore {
    file: fs::TemporaryFile,
    /// Width and height of each frame in pixels.
    size: [u32; 2],
    /// The end of each frame in the file, in bytes.
    ends: Vec<u64>,
}

impl FrameStore {
    /// Creates an empty store in `folder`.
    pub fn create_in(folder: &Path, size: [u32; 2]) -> io::Result<Self> {
        Ok(Self { file: fs::create_temporary(folder)?, size, ends: Vec::new() })
    }

    /// Number of stored frames.
    pub fn len(&self) -> u32 {
        self.ends.len() as u32
    }

    /// Whether the store has no frame.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Appends a frame as RGBA bytes.
    pub fn push(&mut self, rgba: &[u8]) -> io::Result<()> {
        let bytes = encode_png(self.size, rgba)?;
        let start = self.ends.last().copied().unwrap_or(0);
        self.file.seek(SeekFrom::Start(start))?;
        self.file.write_all(&bytes)?;
        self.ends.push(start + bytes.len() as u64);
        Ok(())
    }

    /// Returns a frame as RGBA bytes.
    pub fn read(&mut self, index: u32) -> io::Result<Vec<u8>> {
        let index = index as usize;
        let end = *self.ends.get(index).ok_or(io::ErrorKind::NotFound)?;
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        self.file.seek(SeekFrom::Start(start))?;
        let mut bytes = vec![0; (end - start) as usize];
        self.file.read_exact(&mut bytes)?;
        let frame = image::load_from_memory_with_format(&bytes, ImageFormat::Png).map_err(io::Error::other)?;
        Ok(frame.into_rgba8().into_raw())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_read_back_unchanged_in_any_order() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut store = FrameStore::create_in(folder.path(), [3, 2]).expect("created");
        let frames: Vec<Vec<u8>> = (0..4_u8).map(|n| (0..24).map(|i| i * 10 + n).collect()).collect();
        for frame in &frames {
            store.push(frame).expect("stored");
        }
        assert_eq!(store.len(), 4);
        for index in [2, 0, 3, 1] {
            assert_eq!(store.read(index).expect("read"), frames[index as usize]);
        }
        assert!(store.read(4).is_err());
        assert!(store.push(&[0; 5]).is_err(), "a frame of another size");
        drop(store);
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
    }
}
