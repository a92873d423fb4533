//! Reduces each frame to the area that differs from the previous frame.

use super::{AnimatedImageError, Palette};

/// The part of a frame that is written: a rectangle and its data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FrameDelta {
    /// Left, top, width and height in pixels.
    pub(super) area: [u32; 4],
    /// Rows from the top, with [`FrameDeltaEncoder::bytes_per_pixel`] bytes per pixel.
    pub(super) data: Vec<u8>,
}

/// Crops each frame to the pixels that change the canvas.
#[derive(Debug)]
pub(super) struct FrameDeltaEncoder {
    size: [u32; 2],
    /// Whether frames have transparent pixels, which must not show the previous frame. If there is also a palette, each
    /// frame is drawn on an empty canvas.
    transparent: bool,
    palette: Option<Palette>,
    previous: Vec<u8>,
}

impl FrameDeltaEncoder {
    pub(super) fn new(size: [u32; 2], transparent: bool, palette: Option<Palette>) -> Self {
        Self { size, transparent, palette, previous: Vec::new() }
    }

    /// Bytes per pixel: 1 for a palette index, 3 for RGB, 4 for RGBA.
    pub(super) fn bytes_per_pixel(&self) -> usize {
        match (&self.palette, self.transparent) {
            (Some(_), _) => 1,
            (None, false) => 3,
            (None, true) => 4,
        }
    }

    /// Whether the canvas is cleared before each frame.
    pub(super) fn clears_before_each_frame(&self) -> bool {
        self.transparent && self.palette.is_some()
    }

    /// Returns the changed area of the next frame, `rgba`. The first frame is returned completely.
    pub(super) fn encode_frame(&mut self, rgba: &[u8]) -> Result<FrameDelta, AnimatedImageError> {
        let expected = self.size[0] as usize * self.size[1] as usize * 4;
        if rgba.len() != expected {
            return Err(AnimatedImageError::FrameSize { found: rgba.len(), expected });
        }
        let depth = self.bytes_per_pixel();
        let (pixels, starts_empty) = (rgba.as_chunks::<4>().0, self.clears_before_each_frame());
        let mut now: Vec<u8> = match &mut self.palette {
            Some(palette) => pixels.iter().map(|p| palette.nearest_index(*p)).collect(),
            None => pixels.iter().flat_map(|p| &p[..depth]).copied().collect(),
        };
        if self.previous.is_empty() {
            self.previous.clone_from(&now);
            return Ok(FrameDelta { area: [0, 0, self.size[0], self.size[1]], data: now });
        }
        let shown_already = |at: usize| {
            let pixel = at..at + depth;
            if starts_empty { now[at] == Palette::TRANSPARENT } else { now[pixel.clone()] == self.previous[pixel] }
        };
        let area = self.changed_area(depth, shown_already);
        if self.palette.is_some() && !starts_empty {
            // Unchanged pixels become transparent, because long runs of one byte compress well.
            for (now, before) in now.iter_mut().zip(&mut self.previous) {
                let same = *now == *before;
                *before = *now;
                if same {
                    *now = Palette::TRANSPARENT;
                }
            }
        } else {
            self.previous.clone_from(&now);
        }
        Ok(FrameDelta { area, data: self.crop(&now, area, depth) })
    }

    /// The rectangle around all pixels that are not yet visible, or a single pixel if nothing changed.
    fn changed_area(&self, depth: usize, shown_already: impl Fn(usize) -> bool) -> [u32; 4] {
        let [width, height] = self.size;
        let mut low = [width, height];
        let mut high = [0, 0];
        for y in 0..height {
            for x in 0..width {
                if !shown_already((y * width + x) as usize * depth) {
                    low = [low[0].min(x), low[1].min(y)];
                    high = [high[0].max(x + 1), high[1].max(y + 1)];
                }
            }
        }
        if low[0] < high[0] { [low[0], low[1], high[0] - low[0], high[1] - low[1]] } else { [0, 0, 1, 1] }
    }

    fn crop(&self, pixels: &[u8], [x, y, width, height]: [u32; 4], depth: usize) -> Vec<u8> {
        let stride = self.size[0] as usize * depth;
        let rows = pixels.chunks_exact(stride).skip(y as usize).take(height as usize);
        rows.flat_map(|row| &row[x as usize * depth..(x + width) as usize * depth]).copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::{AnimatedImageFormat, ColorHistogram};
    use super::*;

    const RED: [u8; 4] = [200, 0, 0, 255];
    const BLUE: [u8; 4] = [0, 0, 200, 255];
    const TRANSPARENT: [u8; 4] = [0; 4];

    fn palette() -> Palette {
        let mut histogram = ColorHistogram::new(AnimatedImageFormat::Gif);
        histogram.add([RED, BLUE].as_flattened());
        histogram.palette(16)
    }

    #[test]
    fn only_the_changed_area_is_written() {
        let mut encoder = FrameDeltaEncoder::new([3, 2], false, None);
        assert_eq!(encoder.encode_frame([RED; 6].as_flattened()).expect("first").data.len(), 18);
        let next = [RED, RED, RED, RED, BLUE, RED];
        let delta = encoder.encode_frame(next.as_flattened()).expect("second");
        assert_eq!(delta, FrameDelta { area: [1, 1, 1, 1], data: BLUE[..3].to_vec() });
        assert_eq!(encoder.encode_frame(next.as_flattened()).expect("third").area, [0, 0, 1, 1]);
        assert!(encoder.encode_frame(&[0; 7]).is_err());
    }

    #[test]
    fn unchanged_palette_pixels_are_written_as_transparent() {
        let mut encoder = FrameDeltaEncoder::new([3, 1], false, Some(palette()));
        let first = encoder.encode_frame([RED, RED, BLUE].as_flattened()).expect("first");
        let second = encoder.encode_frame([BLUE, RED, RED].as_flattened()).expect("second");
        assert_eq!(second.area, [0, 0, 3, 1]);
        assert_eq!(second.data, [first.data[2], Palette::TRANSPARENT, first.data[0]]);
    }

    #[test]
    fn a_transparent_frame_is_cropped_to_its_visible_pixels() {
        let mut encoder = FrameDeltaEncoder::new([3, 1], true, Some(palette()));
        encoder.encode_frame([RED, RED, BLUE].as_flattened()).expect("first");
        let second = encoder.encode_frame([TRANSPARENT, RED, TRANSPARENT].as_flattened()).expect("second");
        assert_eq!((second.area, second.data.len()), ([1, 0, 1, 1], 1));
        assert_ne!(second.data[0], Palette::TRANSPARENT, "an unchanged red pixel is written again");
    }
}
