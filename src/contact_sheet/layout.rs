//! Where the parts of a contact sheet are.

use super::SheetError;

/// The layout of a contact sheet. All values are in pixels from the upper left corner.
///
/// Each row has a line with the name of its motion, a strip of adjacent images, and a line with the time of each
/// image. Many rows are divided into blocks next to each other, so that the sheet is roughly square. Text sizes and
/// distances follow from the height of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SheetLayout {
    picture: [u32; 2],
    columns: u32,
    blocks: u32,
    /// Number of rows of each block. The last block can have fewer.
    block_rows: u32,
}

/// A rectangle of the sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SheetRect {
    pub(super) x: u32,
    pub(super) y: u32,
    pub(super) width: u32,
    pub(super) height: u32,
}

impl SheetLayout {
    /// Largest number of pixels of a sheet, which take 256 MiB.
    pub const MAX_PIXELS: u64 = 64 << 20;
    /// Longest side of a sheet. Many programs cannot open images with longer sides.
    pub const MAX_SIDE: u64 = 32_767;
    const MAX_BLOCKS: u32 = 8;

    /// Lays out `rows` of `columns` images of a size in pixels. Fails if the sheet would be too large.
    pub fn new(picture: [u32; 2], columns: u32, rows: usize) -> Result<Self, SheetError> {
        let layout = Self { picture, columns, blocks: 1, block_rows: 1 };
        let sides = |blocks: u32| layout.size_with(u64::from(blocks), rows.div_ceil(blocks as usize) as u64);
        let elongation = |blocks: &u32| {
            let [width, height] = sides(*blocks);
            libm::log(width as f64 / height as f64).abs()
        };
        let blocks = (1..=Self::MAX_BLOCKS).min_by(|a, b| elongation(a).total_cmp(&elongation(b))).unwrap_or(1);
        let [width, height] = sides(blocks);
        if width.max(height) > Self::MAX_SIDE || width.saturating_mul(height) > Self::MAX_PIXELS {
            return Err(SheetError::TooLarge { width, height });
        }
        Ok(Self { blocks, block_rows: rows.div_ceil(blocks as usize) as u32, ..layout })
    }

    /// Width and height of the sheet.
    pub fn size(&self) -> [u32; 2] {
        self.size_with(u64::from(self.blocks), u64::from(self.block_rows)).map(|side| side as u32)
    }

    fn size_with(&self, blocks: u64, rows: u64) -> [u64; 2] {
        let margin = u64::from(self.margin());
        let strip = u64::from(self.columns) * u64::from(self.picture[0]);
        let width = blocks.saturating_mul(strip + margin) + margin;
        let all = rows.saturating_mul(u64::from(self.row_height()));
        let height = all.saturating_add(u64::from(self.first_row()) + margin - u64::from(self.row_gap()));
        [width, height]
    }

    /// Width of the sheet without its margins.
    pub(super) fn width(&self) -> u32 {
        self.size()[0] - 2 * self.margin()
    }

    /// Font size of the names of motions.
    pub(super) fn text_size(&self) -> u32 {
        (self.picture[1] * 2 / 25).clamp(13, 72)
    }

    /// Font size of the times.
    pub(super) fn small_text_size(&self) -> u32 {
        (self.text_size() * 3 / 4).max(11)
    }

    /// Font size of the title.
    pub(super) fn title_size(&self) -> u32 {
        self.text_size() * 3 / 2
    }

    /// Distance of the content from each edge of the sheet.
    pub(super) fn margin(&self) -> u32 {
        self.text_size() * 3
    }

    /// Baseline of the title.
    pub(super) fn title_baseline(&self) -> u32 {
        self.margin() + self.title_size() * 3 / 4
    }

    fn row_gap(&self) -> u32 {
        self.text_size() * 2
    }

    fn first_row(&self) -> u32 {
        self.title_baseline() + self.row_gap()
    }

    /// Height of the line with the name.
    fn name_height(&self) -> u32 {
        self.text_size() * 3 / 2
    }

    /// Height of the line with the times.
    fn times_height(&self) -> u32 {
        self.small_text_size() * 9 / 5
    }

    fn row_height(&self) -> u32 {
        self.name_height() + self.picture[1] + self.times_height() + self.row_gap()
    }

    fn row_top(&self, row: usize) -> u32 {
        self.first_row() + (row as u32 % self.block_rows) * self.row_height()
    }

    /// Baseline of the name of a row.
    pub(super) fn name_baseline(&self, row: usize) -> u32 {
        self.row_top(row) + self.text_size() * 9 / 10
    }

    /// Baseline of the times of a row.
    pub(super) fn times_baseline(&self, row: usize) -> u32 {
        self.row_top(row) + self.name_height() + self.picture[1] + self.small_text_size() * 3 / 2
    }

    /// The rectangle of an image.
    pub(super) fn picture_rect(&self, row: usize, column: usize) -> SheetRect {
        let [width, height] = self.picture;
        let block = row as u32 / self.block_rows;
        let x = self.margin() + block * (self.columns * width + self.margin()) + column as u32 * width;
        SheetRect { x, y: self.row_top(row) + self.name_height(), width, height }
    }

    /// The rectangle of the first `columns` images of a row.
    pub(super) fn strip_rect(&self, row: usize, columns: usize) -> SheetRect {
        let first = self.picture_rect(row, 0);
        SheetRect { width: first.width * columns as u32, ..first }
    }

    /// Radius of the corners of a strip.
    pub(super) fn corner_radius(&self) -> f32 {
        (self.text_size() as f32 * 0.6).min(self.picture[0].min(self.picture[1]) as f32 * 0.25)
    }
}

impl SheetRect {
    /// Returns how much of a pixel is inside the rectangle with rounded corners, 0 to 1. `radius` is in pixels.
    pub(super) fn coverage(&self, x: u32, y: u32, radius: f32) -> f32 {
        // The distance from the rectangle on which the corners are centred.
        let outside = |at: u32, start: u32, length: u32| {
            let (at, start, end) = (at as f32 + 0.5, start as f32 + radius, (start + length) as f32 - radius);
            (start - at).max(at - end).max(0.0)
        };
        let (dx, dy) = (outside(x, self.x, self.width), outside(y, self.y, self.height));
        (radius - libm::hypotf(dx, dy) + 0.5).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_rows_do_not_overlap_and_stay_inside_the_margins() {
        for picture in [[16, 16], [64, 80], [240, 300], [1000, 200]] {
            let layout = SheetLayout::new(picture, 6, 9).expect("small enough");
            let [width, height] = layout.size();
            let (margin, gap) = (layout.margin(), layout.text_size());
            let mut last = (0, layout.title_baseline());
            for row in 0..9 {
                let strip = layout.strip_rect(row, 6);
                let (name, times) = (layout.name_baseline(row), layout.times_baseline(row));
                if strip.x == last.0 || row == 0 {
                    assert!(last.1 + gap / 2 < name - layout.text_size(), "{picture:?}");
                } else {
                    assert!(strip.x >= last.0 + strip.width + margin, "the next block");
                }
                assert!(name < strip.y && times - layout.small_text_size() >= strip.y + strip.height);
                assert!(strip.x >= margin && strip.x + strip.width <= width - margin);
                assert!(times <= height - margin, "{picture:?}");
                assert_eq!(layout.picture_rect(row, 5).x + picture[0], strip.x + strip.width);
                last = (strip.x, times);
            }
        }
    }

    #[test]
    fn many_rows_are_divided_into_blocks_so_that_the_sheet_is_roughly_square() {
        for rows in 1..80 {
            let layout = SheetLayout::new([300, 300], 6, rows).expect("small enough");
            let [width, height] = layout.size().map(f64::from);
            assert!(height < 2.0 * width, "{rows} rows: {width} x {height}");
            assert!(rows < 4 || width < 2.5 * height, "{rows} rows: {width} x {height}");
            assert!(layout.blocks * layout.block_rows >= rows as u32);
        }
    }

    #[test]
    fn a_sheet_that_is_too_large_is_rejected() {
        assert!(SheetLayout::new([8192, 8192], 60, 3).is_err());
        assert!(SheetLayout::new([240, 300], 6, 80).is_ok());
        assert!(matches!(SheetLayout::new([240, 300], 6, usize::MAX), Err(SheetError::TooLarge { .. })));
        assert!(SheetLayout::new([8192, 8192], u32::MAX, usize::MAX).is_err());
    }

    #[test]
    fn the_corners_of_a_strip_are_rounded() {
        let strip = SheetRect { x: 10, y: 20, width: 100, height: 50 };
        assert_eq!(strip.coverage(10, 20, 8.0), 0.0);
        assert_eq!(strip.coverage(109, 69, 8.0), 0.0);
        for (x, y) in [(10, 45), (60, 20), (18, 28), (109, 45)] {
            assert_eq!(strip.coverage(x, y, 8.0), 1.0, "{x}, {y}");
        }
        let edge = strip.coverage(12, 22, 8.0);
        assert!((0.0..1.0).contains(&edge), "{edge}");
    }
}
