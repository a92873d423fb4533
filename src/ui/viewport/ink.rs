//! Lines over the picture: each drawn twice, a halo and then the colour, so that they read on anything.

use crate::ui::kit::paint::faded;
use crate::ui::kit::theme::{Text, Theme};
use crate::ui::kit::tokens::{SPACE, alpha, radius, stroke};
use egui::epaint::{Mesh, PathShape, PathStroke};
use egui::{Align2, Color32, Painter, Pos2, Rect, Shape, Stroke, StrokeKind, pos2, vec2};
use glam::Vec2;

/// A painter that takes pixels of the pane.
pub(super) struct Ink<'a> {
    pub painter: &'a Painter,
    pub theme: Theme,
    pub rect: Rect,
}

impl Ink<'_> {
    /// A place of the pane on the screen.
    pub(super) fn at(&self, p: Vec2) -> Pos2 {
        pos2(self.rect.left() + p.x, self.rect.top() + p.y)
    }

    fn all(&self, points: &[Vec2]) -> Vec<Pos2> {
        points.iter().map(|p| self.at(*p)).collect()
    }

    fn halo(&self, color: Color32) -> Color32 {
        // As strong as the line itself, so that faint lines do not wear a strong coat.
        faded(self.theme.color.bone_halo, alpha::HALO * f32::from(color.a()) / 255.0)
    }

    /// An open line.
    pub(super) fn line(&self, points: &[Vec2], width: f32, color: Color32) {
        let points = self.all(points);
        self.painter.add(Shape::line(points.clone(), PathStroke::new(width + stroke::HALO_EXTRA, self.halo(color))));
        self.painter.add(Shape::line(points, PathStroke::new(width, color)));
    }

    /// An open line that stays in the background: no halo.
    pub(super) fn thin(&self, points: &[Vec2], width: f32, color: Color32) {
        self.painter.add(Shape::line(self.all(points), PathStroke::new(width, color)));
    }

    /// A closed convex outline with a filling.
    pub(super) fn area(&self, points: &[Vec2], width: f32, color: Color32, fill: Color32) {
        let points = self.all(points);
        let halo = PathStroke::new(width + stroke::HALO_EXTRA, self.halo(color));
        self.painter.add(PathShape { points: points.clone(), closed: true, fill: Color32::TRANSPARENT, stroke: halo });
        self.painter.add(PathShape { points, closed: true, fill, stroke: PathStroke::new(width, color) });
    }

    /// A closed convex outline that stays in the background: no halo.
    pub(super) fn faint(&self, points: &[Vec2], width: f32, color: Color32, fill: Color32) {
        let stroke = PathStroke::new(width, color);
        self.painter.add(PathShape { points: self.all(points), closed: true, fill, stroke });
    }

    /// A pie slice, of any angle: triangles from its point.
    pub(super) fn slice(&self, head: Vec2, arc: &[Vec2], fill: Color32) {
        let mut mesh = Mesh::default();
        mesh.colored_vertex(self.at(head), fill);
        for (i, p) in arc.iter().enumerate() {
            mesh.colored_vertex(self.at(*p), fill);
            if i > 0 {
                mesh.add_triangle(0, i as u32, i as u32 + 1);
            }
        }
        self.painter.add(Shape::mesh(mesh));
    }

    /// A dashed line.
    pub(super) fn dashes(&self, from: Vec2, to: Vec2, width: f32, color: Color32) {
        let ends = [self.at(from), self.at(to)];
        self.painter.extend(Shape::dashed_line(
            &ends,
            Stroke::new(width + stroke::HALO_EXTRA, self.halo(color)),
            5.0,
            4.0,
        ));
        self.painter.extend(Shape::dashed_line(&ends, Stroke::new(width, color), 5.0, 4.0));
    }

    /// A dashed line through many points, its dashes running on round the corners.
    pub(super) fn dashed(&self, points: &[Vec2], width: f32, color: Color32) {
        let points = self.all(points);
        for (width, color) in [(width + stroke::HALO_EXTRA, self.halo(color)), (width, color)] {
            self.painter.extend(Shape::dashed_line(&points, Stroke::new(width, color), 5.0, 4.0));
        }
    }

    /// A circle on the picture.
    pub(super) fn circle(&self, at: Vec2, radius: f32, width: f32, color: Color32) {
        let at = self.at(at);
        self.painter.circle_stroke(at, radius, Stroke::new(width + stroke::HALO_EXTRA, self.halo(color)));
        self.painter.circle_stroke(at, radius, Stroke::new(width, color));
    }

    /// A dot with a rim.
    pub(super) fn dot(&self, at: Vec2, radius: f32, fill: Color32, rim: Stroke) {
        let at = self.at(at);
        self.painter.circle_filled(at, radius + rim.width * 0.5 + 1.0, self.halo(fill));
        self.painter.circle(at, radius, fill, rim);
    }

    /// Words with a halo.
    pub(super) fn words(&self, at: Vec2, anchor: Align2, words: &str, color: Color32) {
        self.words_in(Text::Small, at, anchor, words, color);
    }

    /// The same in another size.
    pub(super) fn words_in(&self, size: Text, at: Vec2, anchor: Align2, words: &str, color: Color32) {
        let font = size.font();
        let at = self.at(at);
        let halo = faded(self.theme.color.bone_halo, alpha::HALO);
        for (x, y) in [(-1.0, 0.0), (1.0, 0.0), (0.0, -1.0), (0.0, 1.0)] {
            self.painter.text(at + vec2(x, y), anchor, words, font.clone(), halo);
        }
        self.painter.text(at, anchor, words, font, color);
    }

    /// A tag that never leaves the pane: words and a smaller note below them, on a plate of which `anchor` is at `at`.
    pub(super) fn tag(&self, at: Pos2, anchor: Align2, words: String, note: Option<String>) {
        let c = self.theme.color;
        let words = self.painter.layout_no_wrap(words, Text::Body.font(), c.text);
        let note = note.map(|note| self.painter.layout_no_wrap(note, Text::Small.font(), c.text_2));
        let below = note.as_ref().map_or(egui::Vec2::ZERO, |note| note.size());
        let size = vec2(words.size().x.max(below.x), words.size().y + below.y) + 2.0 * vec2(SPACE[3], SPACE[1]);
        let (place, room) = (anchor.anchor_size(at, size), self.rect.shrink(SPACE[3]));
        let back = (room.min - place.min).max(egui::Vec2::ZERO) - (place.max - room.max).max(egui::Vec2::ZERO);
        let place = place.translate(back);
        let edge = Stroke::new(stroke::EDGE, c.border_strong);
        self.painter.rect(place, radius::BUTTON, c.popup, edge, StrokeKind::Inside);
        let corner = place.min + vec2(SPACE[3], SPACE[1]);
        let next = corner + vec2(0.0, words.size().y);
        self.painter.galley(corner, words, c.text);
        if let Some(note) = note {
            self.painter.galley(next, note, c.text_2);
        }
    }
}
