//! Small things that several widgets paint: text in a given size, hatching, dashes.
//!
//! A name comes from a file: controls and direction marks in it are painted as escapes.

use crate::report::escape;
use crate::ui::kit::theme::Text;
use crate::ui::kit::tokens::alpha;
use egui::text::{LayoutJob, TextFormat, TextWrapping};
use egui::{Align2, Color32, Galley, Painter, Pos2, Rect, Shape, Stroke, Ui, pos2, vec2};
use std::sync::Arc;

/// Distance between hatch lines, across.
const HATCH_STEP: f32 = 6.0;
const HATCH_WIDTH: f32 = 1.4;

/// A colour at an opacity of 0..=1.
pub fn faded(color: Color32, opacity: f32) -> Color32 {
    color.gamma_multiply(opacity)
}

/// Paints one line of text and returns where it is.
pub fn text(painter: &Painter, at: Pos2, anchor: Align2, words: &str, size: Text, color: Color32) -> Rect {
    painter.text(at, anchor, escape(words), size.font(), color)
}

/// One line of text that ends in "…" when it is wider than `width`.
pub fn elided(ui: &Ui, words: &str, size: Text, color: Color32, width: f32) -> Arc<Galley> {
    let mut job = LayoutJob::simple_singleline(escape(words).into_owned(), size.font(), color);
    job.wrap = TextWrapping::truncate_at_width(width.max(0.0));
    ui.painter().layout_job(job)
}

/// Several words of different size and colour in one line.
pub fn line_of(ui: &Ui, words: &[(&str, Text, Color32)], width: f32) -> Arc<Galley> {
    let mut job = LayoutJob::default();
    for (text, size, color) in words {
        job.append(&escape(text), 0.0, TextFormat { font_id: size.font(), color: *color, ..TextFormat::default() });
    }
    job.wrap = TextWrapping::truncate_at_width(width.max(0.0));
    ui.painter().layout_job(job)
}

/// Paints a galley with its left edge at `at.x` and its middle at `at.y`; returns where it is.
pub fn galley_left(painter: &Painter, at: Pos2, galley: Arc<Galley>) -> Rect {
    let corner = pos2(at.x, at.y - galley.size().y / 2.0);
    let rect = Rect::from_min_size(corner, galley.size());
    painter.galley(corner, galley, Color32::PLACEHOLDER);
    rect
}

/// How wide a text is.
pub fn width_of(ui: &Ui, words: &str, size: Text) -> f32 {
    ui.painter().layout_no_wrap(escape(words).into_owned(), size.font(), Color32::PLACEHOLDER).size().x
}

/// Lines at 45°: this has no effect.
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

/// A dashed line through points.
pub fn dashed(painter: &Painter, points: &[Pos2], stroke: Stroke, dash: f32, gap: f32) {
    painter.extend(Shape::dashed_line(points, stroke, dash, gap));
}

/// A hairline between sections, across `rect` at height `y`.
pub fn hairline(painter: &Painter, left: f32, right: f32, y: f32, color: Color32) {
    painter.hline(left..=right, y, Stroke::new(crate::ui::kit::tokens::stroke::HAIRLINE, color));
}
