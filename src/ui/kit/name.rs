//! Names of bones, chains, colliders and files in one line.
//!
//! Names of one character differ at their ends ("left 01", "left 02"), so that a name without room loses its middle. Every
//! panel and window shows names through this module, with the whole name as tooltip.

use super::paint;
use crate::report::escape;
use crate::ui::kit::theme::Text;
use egui::{Color32, Galley, Painter, Pos2, Rect, Response, Ui, pos2};
use std::borrow::Cow;
use std::sync::Arc;

/// Longest name that is measured, characters: files may bring names of any length.
const LONGEST: usize = 240;
const DOTS: char = '…';

/// A name, ready to be painted.
#[derive(Clone, Debug)]
pub struct Name<'a> {
    /// With controls and direction marks as escapes: names come from files.
    whole: Cow<'a, str>,
    galley: Arc<Galley>,
    /// Whether some of the name is not shown.
    pub is_cut: bool,
}

impl<'a> Name<'a> {
    /// Lays out `whole` in at most `width` points.
    pub fn new(ui: &Ui, whole: &'a str, size: Text, color: Color32, width: f32) -> Self {
        let whole = escape(whole);
        let laid = |words: String| ui.painter().layout_no_wrap(words, size.font(), color);
        let clipped = middle_out(&whole, LONGEST / 2, LONGEST / 2);
        let galley = laid(clipped.clone().unwrap_or_else(|| whole.clone().into_owned()));
        if galley.size().x <= width {
            return Self { whole, galley, is_cut: clipped.is_some() };
        }
        let shown = clipped.as_deref().unwrap_or(&whole);
        let advances: Vec<f32> =
            galley.rows.iter().flat_map(|row| &row.row.glyphs).map(|glyph| glyph.advance_width).collect();
        let room = width - paint::width_of(ui, &DOTS.to_string(), size);
        let (head, tail) = ends(&advances, room);
        let words = middle_out(shown, head, tail).unwrap_or_else(|| shown.to_owned());
        let galley = laid(words);
        Self { whole, galley, is_cut: true }
    }

    /// How wide the shown part is, points.
    pub fn width(&self) -> f32 {
        self.galley.size().x
    }

    /// Paints the name with its left edge at `at.x` and its middle at `at.y`; returns where it is.
    pub fn paint_left(&self, painter: &Painter, at: Pos2) -> Rect {
        paint::galley_left(painter, at, Arc::clone(&self.galley))
    }

    /// As [`Name::paint_left`] in a colour that is known only now; the name was laid out in `Color32::PLACEHOLDER`.
    pub fn paint_left_in(&self, painter: &Painter, at: Pos2, color: Color32) {
        painter.galley(pos2(at.x, at.y - self.galley.size().y / 2.0), Arc::clone(&self.galley), color);
    }

    /// Shows the whole name over `response`, where some of it is not shown.
    pub fn tip(&self, response: Response) -> Response {
        if self.is_cut { response.on_hover_text(&*self.whole) } else { response }
    }
}

/// How many characters fit at the head and at the tail; the tail gets what is left over.
fn ends(advances: &[f32], room: f32) -> (usize, usize) {
    let fitting = |advances: &mut dyn Iterator<Item = &f32>, room: f32| {
        let mut used = 0.0;
        let count = advances.take_while(|advance| {
            used += **advance;
            used <= room
        });
        count.count()
    };
    let head = fitting(&mut advances.iter(), room / 2.0);
    let used: f32 = advances[..head].iter().sum();
    (head, fitting(&mut advances[head..].iter().rev(), room - used))
}

/// The first `head` and the last `tail` characters around "…"; `None` where that is all of them.
fn middle_out(name: &str, head: usize, tail: usize) -> Option<String> {
    let count = name.chars().count();
    if count <= head + tail {
        return None;
    }
    let first = name.chars().take(head);
    Some(first.chain([DOTS]).chain(name.chars().skip(count - tail)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_keeps_both_ends() {
        assert_eq!(middle_out("TwinTail_L_01", 3, 4).as_deref(), Some("Twi…L_01"));
        assert_eq!(middle_out("髪", 1, 0), None);
        assert_eq!(middle_out("髪飾り", 0, 0).as_deref(), Some("…"));
    }

    #[test]
    fn the_ends_fill_the_room_and_no_more() {
        assert_eq!(ends(&[1.0; 10], 7.0), (3, 4));
        assert_eq!(ends(&[4.0, 4.0, 1.0, 1.0, 1.0], 6.0), (0, 3));
        assert_eq!(ends(&[1.0; 10], -2.0), (0, 0));
        assert_eq!(ends(&[], 5.0), (0, 0));
    }
}
