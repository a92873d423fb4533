//! Collects the bones and dots of many joints. Hundreds of separate shapes would cost more than the simulation.

use super::overlay_painter::OverlayPainter;
use crate::ui::kit::tokens::stroke;
use egui::epaint::tessellator::Path;
use egui::epaint::{CircleShape, Mesh, PathStroke};
use egui::{Color32, Pos2, Shape, Stroke};
use glam::Vec2;

/// Outlines and dots that are painted together: first all outlines, then all dots.
pub(super) struct OverlayBatch<'a> {
    painter: &'a OverlayPainter<'a>,
    /// Width of the soft edge of a line, in points, as egui draws it.
    feathering: f32,
    outlines: Mesh,
    dots: Vec<Shape>,
    path: Path,
    points: Vec<Pos2>,
}

impl<'a> OverlayBatch<'a> {
    pub(super) fn new(painter: &'a OverlayPainter<'a>) -> Self {
        let density = painter.painter.pixels_per_point();
        let feathering = painter.painter.ctx().tessellation_options(|options| {
            if options.feathering { options.feathering_size_in_pixels / density } else { 0.0 }
        });
        Self {
            painter,
            feathering,
            outlines: Mesh::default(),
            dots: Vec::new(),
            path: Path::default(),
            points: Vec::new(),
        }
    }

    /// Adds a filled convex outline, as [`OverlayPainter::area`] paints it.
    pub(super) fn area(&mut self, points: &[Vec2], width: f32, color: Color32, fill: Color32) {
        self.set_points(points);
        let halo = PathStroke::new(width + stroke::HALO_EXTRA, self.painter.halo(color));
        for (stroke, fill) in [(halo, Color32::TRANSPARENT), (PathStroke::new(width, color), fill)] {
            self.path.clear();
            self.path.add_line_loop(&self.points);
            self.path.fill_and_stroke(self.feathering, fill, &stroke, &mut self.outlines);
        }
    }

    /// Adds an open line, as [`OverlayPainter::line`] paints it.
    pub(super) fn line(&mut self, points: &[Vec2], width: f32, color: Color32) {
        self.set_points(points);
        let halo = PathStroke::new(width + stroke::HALO_EXTRA, self.painter.halo(color));
        for stroke in [halo, PathStroke::new(width, color)] {
            self.path.clear();
            self.path.add_open_points(&self.points);
            self.path.stroke_open(self.feathering, &stroke, &mut self.outlines);
        }
    }

    /// Adds a dot, as [`OverlayPainter::dot`] paints it without an outline.
    pub(super) fn dot(&mut self, at: Vec2, radius: f32, fill: Color32) {
        let center = self.painter.screen_pos(at);
        let circle = |radius, fill| Shape::Circle(CircleShape { center, radius, fill, stroke: Stroke::NONE });
        self.dots.extend([circle(radius + 1.0, self.painter.halo(fill)), circle(radius, fill)]);
    }

    fn set_points(&mut self, points: &[Vec2]) {
        self.points.clear();
        self.points.extend(points.iter().map(|point| self.painter.screen_pos(*point)));
    }

    pub(super) fn paint(self) {
        if !self.outlines.is_empty() {
            self.painter.painter.add(Shape::mesh(self.outlines));
        }
        self.painter.painter.extend(self.dots);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::kit::i18n::Lang;
    use crate::ui::kit::theme::{Theme, ThemeMode};
    use egui::{Context, Painter, Rect};

    const KITE: [Vec2; 4] =
        [Vec2::new(20.0, 20.0), Vec2::new(26.0, 30.0), Vec2::new(20.0, 60.0), Vec2::new(14.0, 30.0)];
    const COLOR: Color32 = Color32::from_rgb(120, 200, 90);

    /// Returns the vertices that egui draws for the shapes of `paint`, without vertices of circles.
    fn vertices(paint: impl Fn(&OverlayPainter<'_>)) -> Vec<egui::epaint::Vertex> {
        let ctx = Context::default();
        let mut output = ctx.run_ui(egui::RawInput::default(), |ui| {
            let painter: &Painter = ui.painter();
            let rect = Rect::from_min_size(Pos2::ZERO, egui::vec2(100.0, 100.0));
            paint(&OverlayPainter { painter, theme: Theme::new(ThemeMode::Dark, Lang::En), rect });
        });
        output.textures_delta.clear();
        let primitives = ctx.tessellate(output.shapes, output.pixels_per_point);
        let meshes = primitives.into_iter().filter_map(|clipped| match clipped.primitive {
            egui::epaint::Primitive::Mesh(mesh) => Some(mesh.vertices),
            egui::epaint::Primitive::Callback(_) => None,
        });
        meshes.flatten().collect()
    }

    #[test]
    fn a_batch_has_the_same_vertices_as_separate_shapes() {
        let separate = vertices(|painter| {
            painter.area(&KITE, 1.0, COLOR, Color32::from_white_alpha(9));
            painter.line(&KITE[..2], 1.25, COLOR);
            painter.dot(KITE[0], 2.0, COLOR, Stroke::NONE);
        });
        let batched = vertices(|painter| {
            let mut batch = OverlayBatch::new(painter);
            batch.dot(KITE[0], 2.0, COLOR);
            batch.area(&KITE, 1.0, COLOR, Color32::from_white_alpha(9));
            batch.line(&KITE[..2], 1.25, COLOR);
            batch.paint();
        });
        assert!(!separate.is_empty());
        assert_eq!(separate, batched);
    }

    #[test]
    fn an_empty_batch_paints_nothing() {
        assert_eq!(vertices(|painter| OverlayBatch::new(painter).paint()), vertices(|_| {}));
    }
}
