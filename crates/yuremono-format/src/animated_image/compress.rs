//! Compresses frames of animations. Frames are independent of each other, so several threads can compress.

use super::frame_delta::FrameDelta;
use super::{AnimatedImageError, Palette};
use std::io::Write;

/// The best level for images of characters: level 9 takes three times as long, and saves less than one percent.
const DEFLATE_LEVEL: u8 = 6;

/// How the frames of an animated PNG store colours.
#[derive(Clone, Debug)]
pub(super) struct PngColors {
    color_type: png::ColorType,
    /// Red, green and blue of each entry, and the alpha of each entry.
    palette: Option<(Vec<u8>, Vec<u8>)>,
}

impl PngColors {
    pub(super) fn new(palette: Option<&Palette>, transparent: bool) -> Self {
        match palette {
            Some(palette) => {
                let palette = Some((palette.rgb(), palette.alpha()));
                Self { color_type: png::ColorType::Indexed, palette }
            }
            None if transparent => Self { color_type: png::ColorType::Rgba, palette: None },
            None => Self { color_type: png::ColorType::Rgb, palette: None },
        }
    }

    /// Returns an encoder for images with these colours.
    pub(super) fn encoder<W: Write>(&self, into: W, [width, height]: [u32; 2]) -> png::Encoder<'static, W> {
        let mut encoder = png::Encoder::new(into, width, height);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_color(self.color_type);
        encoder.set_deflate_compression(png::DeflateCompression::Level(DEFLATE_LEVEL));
        encoder.set_filter(png::Filter::Adaptive);
        if let Some((rgb, alpha)) = &self.palette {
            encoder.set_filter(png::Filter::NoFilter);
            encoder.set_palette(rgb.clone());
            encoder.set_trns(alpha.clone());
        }
        encoder
    }

    /// Returns the compressed pixels of a frame, as a PNG stores them.
    pub(super) fn compress(&self, delta: &FrameDelta) -> Result<Vec<u8>, AnimatedImageError> {
        let [_, _, width, height] = delta.area;
        let mut file = Vec::new();
        let mut writer = self.encoder(&mut file, [width, height]).write_header()?;
        writer.write_image_data(&delta.data)?;
        writer.finish()?;
        Ok(image_data(&file))
    }
}

/// Returns the contents of all IDAT chunks of a PNG.
fn image_data(png: &[u8]) -> Vec<u8> {
    const SIGNATURE_BYTES: usize = 8;
    const CRC_BYTES: usize = 4;
    let mut data = Vec::with_capacity(png.len());
    let mut rest = png.get(SIGNATURE_BYTES..).unwrap_or_default();
    while let Some(([length, name], after)) = split_chunk_header(rest) {
        let length = u32::from_be_bytes(length) as usize;
        let Some(content) = after.get(..length) else { break };
        if name == png::chunk::IDAT.0 {
            data.extend_from_slice(content);
        }
        rest = after.get(length + CRC_BYTES..).unwrap_or_default();
    }
    data
}

/// Splits off the length and the name of a chunk.
fn split_chunk_header(bytes: &[u8]) -> Option<([[u8; 4]; 2], &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    let (name, rest) = rest.split_first_chunk()?;
    Some(([*length, *name], rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_compressed_pixels_are_those_of_a_png() {
        let delta = FrameDelta { area: [3, 4, 20, 30], data: (0..20 * 30 * 3).map(|n| (n * 7 % 251) as u8).collect() };
        let colors = PngColors::new(None, false);
        let compressed = colors.compress(&delta).expect("compressed");
        let mut file = Vec::new();
        let mut writer = colors.encoder(&mut file, [20, 30]).write_header().expect("a header");
        writer.write_chunk(png::chunk::IDAT, &compressed).expect("written");
        writer.finish().expect("complete");
        let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().expect("a PNG");
        let mut pixels = vec![0; reader.output_buffer_size().expect("small")];
        reader.next_frame(&mut pixels).expect("a picture");
        assert_eq!(pixels, delta.data);
    }

    #[test]
    fn a_broken_png_has_no_more_image_data_than_it_contains() {
        let colors = PngColors::new(None, true);
        let mut file = Vec::new();
        let mut writer = colors.encoder(&mut file, [8, 8]).write_header().expect("a header");
        writer.write_image_data(&[77; 8 * 8 * 4]).expect("written");
        writer.finish().expect("complete");
        let whole = image_data(&file);
        assert!(!whole.is_empty());
        for end in 0..file.len() {
            assert!(whole.starts_with(&image_data(&file[..end])), "{end} bytes");
        }
    }
}
