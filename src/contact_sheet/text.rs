//! Text in images, with the fonts of the window.

use crate::ui::kit::fonts;
use egui::epaint::TextOptions;
use egui::epaint::text::{Fonts, LayoutJob, ViewportKey};
use egui::{Color32, FontFamily, FontId};
use image::{Rgba, RgbaImage};
use std::fmt;
use std::sync::Arc;

/// Longest text that is laid out, in characters; no sheet has room for more.
const MAX_CHARS: usize = 500;

/// Draws lines of text by copying glyphs from a font atlas.
pub(super) struct TextPainter {
    fonts: Fonts,
}

/// How a line of text looks.
#[derive(Clone, Debug)]
pub(super) struct TextStyle {
    /// Font size, in pixels.
    pub(super) size: u32,
    pub(super) family: FontFamily,
    pub(super) color: [u8; 3],
}

/// A line of text and its width in pixels.
pub(super) struct TextLine {
    glyphs: Vec<PlacedGlyph>,
    pub(super) width: u32,
    color: [u8; 3],
}

/// The coverage of a glyph, row by row, and its offset from the start of the baseline, in pixels.
struct PlacedGlyph {
    x: i64,
    y: i64,
    width: usize,
    coverage: Vec<u8>,
}

impl TextPainter {
    pub(super) fn new() -> Self {
        Self { fonts: Fonts::new(TextOptions::default(), fonts::definitions()) }
    }

    /// Lays out a line. A line longer than `max_width` pixels ends in an ellipsis.
    pub(super) fn line(&mut self, text: &str, style: &TextStyle, max_width: u32) -> TextLine {
        // Makes room in the atlas.
        self.fonts.begin_pass(TextOptions::default(), ViewportKey::default());
        let text = text.chars().take(MAX_CHARS).map(|c| if c.is_control() { ' ' } else { c }).collect();
        let font = FontId::new(style.size as f32, style.family.clone());
        let mut job = LayoutJob::simple_singleline(text, font, Color32::WHITE);
        job.wrap.max_width = max_width as f32;
        job.wrap.max_rows = 1;
        job.wrap.break_anywhere = true;
        let galley = self.fonts.layout_uncached(1.0, Arc::new(job));
        let atlas = self.fonts.texture_atlas().image();
        let visible = galley.rows.iter().flat_map(|row| &row.row.glyphs).filter(|glyph| !glyph.uv_rect.is_nothing());
        let glyphs = visible.map(|glyph| {
            let [left, top] = glyph.uv_rect.min.map(usize::from);
            let [right, bottom] = glyph.uv_rect.max.map(usize::from);
            let texels = (top..bottom).flat_map(|y| (left..right).map(move |x| (x, y)));
            PlacedGlyph {
                x: (glyph.pos.x + glyph.uv_rect.offset.x).round() as i64,
                y: glyph.uv_rect.offset.y.round() as i64,
                width: right - left,
                coverage: texels.map(|texel| atlas[texel].a()).collect(),
            }
        });
        TextLine { glyphs: glyphs.collect(), width: galley.size().x.ceil() as u32, color: style.color }
    }
}

impl fmt::Debug for TextPainter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TextPainter").finish_non_exhaustive()
    }
}

impl TextLine {
    /// Draws the line. `x` is its left end and `baseline` its baseline. Pixels outside the image are ignored.
    pub(super) fn draw(&self, picture: &mut RgbaImage, x: u32, baseline: u32) {
        for glyph in &self.glyphs {
            for (index, coverage) in glyph.coverage.iter().enumerate() {
                let at_x = i64::from(x) + glyph.x + (index % glyph.width) as i64;
                let at_y = i64::from(baseline) + glyph.y + (index / glyph.width) as i64;
                if let (Ok(at_x), Ok(at_y)) = (u32::try_from(at_x), u32::try_from(at_y))
                    && let Some(pixel) = picture.get_pixel_mut_checked(at_x, at_y)
                {
                    *pixel = blend(*pixel, self.color, f32::from(*coverage) / 255.0);
                }
            }
        }
    }
}

/// Draws a colour with an alpha of 0 to 1 over a pixel with straight alpha.
pub(super) fn blend(below: Rgba<u8>, color: [u8; 3], alpha: f32) -> Rgba<u8> {
    let [r, g, b, a] = below.0;
    let below_share = f32::from(a) / 255.0 * (1.0 - alpha);
    let whole = alpha + below_share;
    if whole <= 0.0 {
        return Rgba([0; 4]);
    }
    let mix = |below: u8, over: u8| {
        ((f32::from(below) * below_share + f32::from(over) * alpha) / whole).round().clamp(0.0, 255.0) as u8
    };
    Rgba([mix(r, color[0]), mix(g, color[1]), mix(b, color[2]), (whole * 255.0).round() as u8])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn style(size: u32) -> TextStyle {
        TextStyle { size, family: FontFamily::Proportional, color: [0, 0, 0] }
    }

    /// The dark pixels of a line that is drawn at the middle of a white image.
    fn ink(text: &str, size: u32) -> usize {
        let mut picture = RgbaImage::from_pixel(400, 100, Rgba([255; 4]));
        TextPainter::new().line(text, &style(size), 400).draw(&mut picture, 0, 60);
        picture.pixels().filter(|pixel| pixel.0[0] < 128).count()
    }

    #[test]
    fn latin_and_japanese_text_is_drawn() {
        assert_eq!(ink("", 24), 0);
        assert!(ink("Walk", 24) > 100);
        assert!(ink("歩く", 24) > 100);
        assert_ne!(ink("歩く", 24), ink("走る", 24), "the glyphs are not a placeholder");
        assert!(ink("Walk", 48) > 2 * ink("Walk", 24));
    }

    #[test]
    fn long_text_ends_in_an_ellipsis_and_stays_inside() {
        let mut painter = TextPainter::new();
        let line = painter.line(&"歩くWalk\n\u{202e}".repeat(5000), &style(20), 200);
        assert!(line.width <= 200, "{}", line.width);
        let mut picture = RgbaImage::from_pixel(300, 40, Rgba([255; 4]));
        line.draw(&mut picture, 0, 30);
        let right = picture.enumerate_pixels().filter(|(_, _, pixel)| pixel.0[0] < 255).map(|(x, _, _)| x).max();
        assert!(right.is_some_and(|right| (150..=201).contains(&right)), "{right:?}");
        // A line may also be outside.
        line.draw(&mut picture, 299, 0);
    }

    #[test]
    fn text_is_blended_over_transparent_and_opaque_pixels() {
        assert_eq!(blend(Rgba([0; 4]), [10, 20, 30], 0.5).0, [10, 20, 30, 128]);
        assert_eq!(blend(Rgba([0, 0, 0, 255]), [200, 100, 50], 0.5).0, [100, 50, 25, 255]);
        assert_eq!(blend(Rgba([0; 4]), [10, 20, 30], 0.0).0, [0; 4]);
    }
}
