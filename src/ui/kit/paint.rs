//! Painting helpers for text, names, hatching and dashes.
//!
//! Names come from files, so control and direction characters are escaped. The names of one character often differ only
//! at the end ("left 01", "left 02"). A long name is therefore elided in the middle, and its tooltip shows the full
//! name.

use crate::ui::kit::theme::TextSize;
use crate::ui::kit::tokens::alpha;
use egui::text::{LayoutJob, TextFormat, TextWrapping};
use egui::{Align2, Color32, Galley, Painter, Pos2, Rect, Response, Shape, Stroke, Ui, pos2, vec2};
use std::borrow::Cow;
use std::sync::Arc;
use yuremono_model::document::names::split_side;
use yuremono_sim::diagnostics::escape;

const HATCH_STEP: f32 = 6.0;
const HATCH_WIDTH: f32 = 1.4;

pub fn faded(color: Color32, opacity: f32) -> Color32 {
    color.gamma_multiply(opacity)
}

/// Paints one line of text and returns its rectangle.
pub fn text(painter: &Painter, at: Pos2, anchor: Align2, text: &str, size: TextSize, color: Color32) -> Rect {
    painter.text(at, anchor, escape(text), size.font(), color)
}

/// Lays out one line of text that ends in "…" if the text is wider than `width`.
pub fn elided(ui: &Ui, text: &str, size: TextSize, color: Color32, width: f32) -> Arc<Galley> {
    let mut job = LayoutJob::simple_singleline(escape(text).into_owned(), size.font(), color);
    job.wrap = TextWrapping::truncate_at_width(width.max(0.0));
    ui.painter().layout_job(job)
}

/// Lays out one line of body text. If the line is too wide, uses a smaller size. If no size fits, the line ends in "…".
pub fn fitted(ui: &Ui, text: &str, color: Color32, width: f32) -> Arc<Galley> {
    let sizes = [TextSize::Body, TextSize::Small, TextSize::Tiny];
    let size = sizes.into_iter().find(|size| text_width(ui, text, *size) <= width).unwrap_or(TextSize::Tiny);
    elided(ui, text, size, color, width)
}

/// Lays out one line with several sizes and colours.
pub fn layout_line(ui: &Ui, parts: &[(&str, TextSize, Color32)], width: f32) -> Arc<Galley> {
    let mut job = LayoutJob::default();
    for (text, size, color) in parts {
        job.append(&escape(text), 0.0, TextFormat { font_id: size.font(), color: *color, ..TextFormat::default() });
    }
    job.wrap = TextWrapping::truncate_at_width(width.max(0.0));
    ui.painter().layout_job(job)
}

/// Paints a galley left-aligned and vertically centred at `at`. Returns the rectangle of the galley.
pub fn paint_galley_left(painter: &Painter, at: Pos2, galley: Arc<Galley>) -> Rect {
    let corner = pos2(at.x, at.y - galley.size().y / 2.0);
    let rect = Rect::from_min_size(corner, galley.size());
    painter.galley(corner, galley, Color32::PLACEHOLDER);
    rect
}

/// Returns the width of one line of text, in points.
pub fn text_width(ui: &Ui, text: &str, size: TextSize) -> f32 {
    ui.painter().layout_no_wrap(escape(text).into_owned(), size.font(), Color32::PLACEHOLDER).size().x
}

/// Paints 45° lines, which mark parameters without effect.
pub fn hatch(painter: &Painter, rect: Rect, color: Color32) {
    let painter = painter.with_clip_rect(painter.clip_rect().intersect(rect));
    let line = Stroke::new(HATCH_WIDTH, faded(color, alpha::HATCH));
    let count = ((rect.width() + rect.height()) / HATCH_STEP).ceil() as usize;
    painter.extend((0..=count).map(|i| {
        let x = rect.left() + i as f32 * HATCH_STEP;
        let foot = pos2(x - rect.height(), rect.bottom());
        Shape::line_segment([foot, foot + vec2(rect.height(), -rect.height())], line)
    }));
}

pub fn dashed(painter: &Painter, points: &[Pos2], stroke: Stroke, dash: f32, gap: f32) {
    painter.extend(Shape::dashed_line(points, stroke, dash, gap));
}

pub fn hairline(painter: &Painter, left: f32, right: f32, y: f32, color: Color32) {
    painter.hline(left..=right, y, Stroke::new(crate::ui::kit::tokens::stroke::HAIRLINE, color));
}

/// Maximum number of characters that are measured, because names in files can have any length.
const MAX_NAME_CHARS: usize = 240;
const ELLIPSIS: char = '…';

/// A name that is elided in the middle if it is too long.
#[derive(Clone, Debug)]
pub struct ElidedName<'a> {
    /// The full name with escaped characters.
    full_name: Cow<'a, str>,
    galley: Arc<Galley>,
    /// Whether the shown name is elided.
    pub is_cut: bool,
}

impl<'a> ElidedName<'a> {
    pub fn new(ui: &Ui, whole: &'a str, size: TextSize, color: Color32, width: f32) -> Self {
        let whole = escape(whole);
        let layout = |text: String| ui.painter().layout_no_wrap(text, size.font(), color);
        let clipped = elide_middle(&whole, MAX_NAME_CHARS / 2, MAX_NAME_CHARS / 2);
        let galley = layout(clipped.clone().unwrap_or_else(|| whole.clone().into_owned()));
        if galley.size().x <= width {
            return Self { full_name: whole, galley, is_cut: clipped.is_some() };
        }
        let shown = clipped.as_deref().unwrap_or(&whole);
        let advances: Vec<f32> =
            galley.rows.iter().flat_map(|row| &row.row.glyphs).map(|glyph| glyph.advance_width).collect();
        let ellipsis = text_width(ui, &ELLIPSIS.to_string(), size);
        let galley = layout(elide_to_width(shown, &advances, ellipsis, width));
        Self { full_name: whole, galley, is_cut: true }
    }

    pub fn width(&self) -> f32 {
        self.galley.size().x
    }

    /// Paints the name left-aligned and vertically centred at `at`. Returns the rectangle of the name.
    pub fn paint_left(&self, painter: &Painter, at: Pos2) -> Rect {
        paint_galley_left(painter, at, Arc::clone(&self.galley))
    }

    /// Like [`ElidedName::paint_left`], but for a name that was laid out in `Color32::PLACEHOLDER`.
    pub fn paint_left_in(&self, painter: &Painter, at: Pos2, color: Color32) {
        painter.galley(pos2(at.x, at.y - self.galley.size().y / 2.0), Arc::clone(&self.galley), color);
    }

    /// Shows the full name as a tooltip if the name is elided.
    pub fn with_tooltip(&self, response: Response) -> Response {
        if self.is_cut { response.on_hover_text(&*self.full_name) } else { response }
    }
}

/// Elides a name in the middle, but keeps the word for the side of the body: `J_Sec_L_Side1_01` becomes `…L_Side1_01` or
/// `…L_…e1_01`, because the other side has the same name apart from this word. `advances` has the width of each character.
fn elide_to_width(name: &str, advances: &[f32], ellipsis: f32, width: f32) -> String {
    let elided = |skipped: usize, available_width: f32| {
        let (rest, advances) = (skip_chars(name, skipped), &advances[skipped.min(advances.len())..]);
        if advances.iter().sum::<f32>() <= available_width {
            return rest.to_owned();
        }
        let (head, tail) = fitting_ends(advances, available_width - ellipsis);
        elide_middle(rest, head, tail).unwrap_or_else(|| rest.to_owned())
    };
    let middle = elided(0, width);
    let (_, side) = split_side(name);
    if side.is_none() || split_side(&middle).1 == side {
        return middle;
    }
    let starts =
        name.char_indices().enumerate().filter(|(_, (at, _))| name[..*at].ends_with(|c: char| !c.is_alphanumeric()));
    let last = starts.filter(|(_, (at, _))| split_side(&name[*at..]).1 == side).last();
    let Some((skipped, _)) = last else { return middle };
    let from_side = format!("{ELLIPSIS}{}", elided(skipped, width - ellipsis));
    if split_side(&from_side).1 == side { from_side } else { middle }
}

fn skip_chars(name: &str, count: usize) -> &str {
    name.char_indices().nth(count).map_or("", |(at, _)| &name[at..])
}

/// Returns the number of characters that fit at the start and at the end. The end gets the remaining width.
fn fitting_ends(advances: &[f32], width: f32) -> (usize, usize) {
    let fitting = |advances: &mut dyn Iterator<Item = &f32>, width: f32| {
        let mut used = 0.0;
        let count = advances.take_while(|advance| {
            used += **advance;
            used <= width
        });
        count.count()
    };
    let head = fitting(&mut advances.iter(), width / 2.0);
    let used: f32 = advances[..head].iter().sum();
    (head, fitting(&mut advances[head..].iter().rev(), width - used))
}

/// Returns the first `head` and the last `tail` characters, joined by "…". Returns `None` if the name is not longer.
fn elide_middle(name: &str, head: usize, tail: usize) -> Option<String> {
    let count = name.chars().count();
    if count <= head + tail {
        return None;
    }
    let first = name.chars().take(head);
    Some(first.chain([ELLIPSIS]).chain(name.chars().skip(count - tail)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_is_elided_in_the_middle() {
        assert_eq!(elide_middle("TwinTail_L_01", 3, 4).as_deref(), Some("Twi…L_01"));
        assert_eq!(elide_middle("髪", 1, 0), None);
        assert_eq!(elide_middle("髪飾り", 0, 0).as_deref(), Some("…"));
    }

    #[test]
    fn an_elided_name_keeps_its_side() {
        for (name, width, expected) in [
            ("J_Sec_L_SkirtSide1_01", 14, "…L_Skir…de1_01"),
            ("J_Sec_R_SkirtSide1_01", 14, "…R_Skir…de1_01"),
            ("J_Sec_R_Side1_01", 11, "…R_Side1_01"),
            ("TwinTail_01_Left", 9, "Twin…Left"),
            ("J_Sec_C_Bell1_01", 9, "J_Se…1_01"),
        ] {
            let advances = vec![1.0; name.chars().count()];
            assert_eq!(elide_to_width(name, &advances, 1.0, width as f32), expected);
        }
    }

    #[test]
    fn elided_name_ends_fill_the_width() {
        assert_eq!(fitting_ends(&[1.0; 10], 7.0), (3, 4));
        assert_eq!(fitting_ends(&[4.0, 4.0, 1.0, 1.0, 1.0], 6.0), (0, 3));
        assert_eq!(fitting_ends(&[1.0; 10], -2.0), (0, 0));
        assert_eq!(fitting_ends(&[], 5.0), (0, 0));
    }
}
