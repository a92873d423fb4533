//! Paints over the character. A halo makes each line readable on any background. This module also paints the lines of
//! open dialogs.

use crate::stage::CameraView;
use crate::ui::kit::icons::{self, paint_icon};
use crate::ui::kit::paint::faded;
use crate::ui::kit::theme::{TextSize, Theme};
use crate::ui::kit::tokens::{alpha, radius, size, space, stroke};
use crate::ui::{OverlayLine, OverlayLineKind};
use egui::epaint::{Mesh, PathShape, PathStroke};
use egui::{Align2, Color32, Painter, Pos2, Rect, Shape, Stroke, StrokeKind, pos2, vec2};
use glam::Vec2;
use std::f32::consts::{FRAC_PI_2, PI, TAU};

/// A painter in pixels of the viewport.
pub(super) struct OverlayPainter<'a> {
    pub painter: &'a Painter,
    pub theme: Theme,
    pub rect: Rect,
}

impl OverlayPainter<'_> {
    /// Converts a pixel of the viewport to a screen position.
    pub(super) fn screen_pos(&self, p: Vec2) -> Pos2 {
        pos2(self.rect.left() + p.x, self.rect.top() + p.y)
    }

    fn screen_points(&self, points: &[Vec2]) -> Vec<Pos2> {
        points.iter().map(|p| self.screen_pos(*p)).collect()
    }

    pub(super) fn halo(&self, color: Color32) -> Color32 {
        // The halo has the opacity of the line, because a strong halo would overpower a faint line.
        faded(self.theme.color.bone_halo, alpha::HALO * f32::from(color.a()) / 255.0)
    }

    pub(super) fn line(&self, points: &[Vec2], width: f32, color: Color32) {
        let points = self.screen_points(points);
        self.painter.add(Shape::line(points.clone(), PathStroke::new(width + stroke::HALO_EXTRA, self.halo(color))));
        self.painter.add(Shape::line(points, PathStroke::new(width, color)));
    }

    /// Paints an open line without a halo, for the background.
    pub(super) fn plain_line(&self, points: &[Vec2], width: f32, color: Color32) {
        self.painter.add(Shape::line(self.screen_points(points), PathStroke::new(width, color)));
    }

    /// Paints a filled convex outline.
    pub(super) fn area(&self, points: &[Vec2], width: f32, color: Color32, fill: Color32) {
        let points = self.screen_points(points);
        let halo = PathStroke::new(width + stroke::HALO_EXTRA, self.halo(color));
        self.painter.add(PathShape { points: points.clone(), closed: true, fill: Color32::TRANSPARENT, stroke: halo });
        self.painter.add(PathShape { points, closed: true, fill, stroke: PathStroke::new(width, color) });
    }

    /// Paints a filled convex outline without a halo, for the background.
    pub(super) fn plain_area(&self, points: &[Vec2], width: f32, color: Color32, fill: Color32) {
        let stroke = PathStroke::new(width, color);
        self.painter.add(PathShape { points: self.screen_points(points), closed: true, fill, stroke });
    }

    /// Paints a pie slice of any angle as a triangle fan.
    pub(super) fn slice(&self, head: Vec2, arc: &[Vec2], fill: Color32) {
        let mut mesh = Mesh::default();
        mesh.colored_vertex(self.screen_pos(head), fill);
        for (i, p) in arc.iter().enumerate() {
            mesh.colored_vertex(self.screen_pos(*p), fill);
            if i > 0 {
                mesh.add_triangle(0, i as u32, i as u32 + 1);
            }
        }
        self.painter.add(Shape::mesh(mesh));
    }

    pub(super) fn dashed_segment(&self, from: Vec2, to: Vec2, width: f32, color: Color32) {
        let ends = [self.screen_pos(from), self.screen_pos(to)];
        self.painter.extend(Shape::dashed_line(
            &ends,
            Stroke::new(width + stroke::HALO_EXTRA, self.halo(color)),
            5.0,
            4.0,
        ));
        self.painter.extend(Shape::dashed_line(&ends, Stroke::new(width, color), 5.0, 4.0));
    }

    /// Paints a dashed polyline. The dashes continue around corners.
    pub(super) fn dashed_line(&self, points: &[Vec2], width: f32, color: Color32) {
        let points = self.screen_points(points);
        for (width, color) in [(width + stroke::HALO_EXTRA, self.halo(color)), (width, color)] {
            self.painter.extend(Shape::dashed_line(&points, Stroke::new(width, color), 5.0, 4.0));
        }
    }

    pub(super) fn circle(&self, at: Vec2, radius: f32, width: f32, color: Color32) {
        let at = self.screen_pos(at);
        self.painter.circle_stroke(at, radius, Stroke::new(width + stroke::HALO_EXTRA, self.halo(color)));
        self.painter.circle_stroke(at, radius, Stroke::new(width, color));
    }

    /// Paints a dot with an outline.
    pub(super) fn dot(&self, at: Vec2, radius: f32, fill: Color32, rim: Stroke) {
        let at = self.screen_pos(at);
        self.painter.circle_filled(at, radius + rim.width * 0.5 + 1.0, self.halo(fill));
        self.painter.circle(at, radius, fill, rim);
    }

    pub(super) fn text(&self, at: Vec2, anchor: Align2, text: &str, color: Color32) {
        self.sized_text(TextSize::Small, at, anchor, text, color);
    }

    pub(super) fn sized_text(&self, size: TextSize, at: Vec2, anchor: Align2, text: &str, color: Color32) {
        let font = size.font();
        let at = self.screen_pos(at);
        let halo = faded(self.theme.color.bone_halo, alpha::HALO);
        for (x, y) in [(-1.0, 0.0), (1.0, 0.0), (0.0, -1.0), (0.0, 1.0)] {
            self.painter.text(at + vec2(x, y), anchor, text, font.clone(), halo);
        }
        self.painter.text(at, anchor, text, font, color);
    }

    /// Paints a tag with a text and a smaller note inside the viewport. `anchor` is the corner at `at`.
    pub(super) fn tag(&self, at: Pos2, anchor: Align2, text: String, note: Option<String>) {
        let c = self.theme.color;
        let text = self.painter.layout_no_wrap(text, TextSize::Body.font(), c.text);
        let note = note.map(|note| self.painter.layout_no_wrap(note, TextSize::Small.font(), c.text_2));
        let below = note.as_ref().map_or(egui::Vec2::ZERO, |note| note.size());
        let size = vec2(text.size().x.max(below.x), text.size().y + below.y) + 2.0 * vec2(space::M, space::XS);
        let (rect, bounds) = (anchor.anchor_size(at, size), self.rect.shrink(space::M));
        let back = (bounds.min - rect.min).max(egui::Vec2::ZERO) - (rect.max - bounds.max).max(egui::Vec2::ZERO);
        let rect = rect.translate(back);
        let edge = Stroke::new(stroke::EDGE, c.border_strong);
        self.painter.rect(rect, radius::BUTTON, c.popup, edge, StrokeKind::Inside);
        let corner = rect.min + vec2(space::M, space::XS);
        let next = corner + vec2(0.0, text.size().y);
        self.painter.galley(corner, text, c.text);
        if let Some(note) = note {
            self.painter.galley(next, note, c.text_2);
        }
    }
}

pub(super) fn paint_overlay_lines(overlay: &OverlayPainter<'_>, view: &CameraView, lines: &[OverlayLine]) {
    for line in lines {
        let seen: Vec<Vec2> = line.points.iter().filter_map(|p| view.project(*p)).map(|p| p.pixel).collect();
        if seen.len() != line.points.len() || seen.is_empty() {
            continue;
        }
        let style = line_style(overlay, line.kind);
        if line.kind == OverlayLineKind::Clipping {
            clipping_mark(overlay, seen[0], &line.label, style.color);
            continue;
        }
        let dashed = matches!(line.kind, OverlayLineKind::Plane | OverlayLineKind::OtherMirror);
        if line.radius > 0.0 {
            outline(overlay, view, line, &seen, style, dashed);
        } else {
            stroke(overlay, &seen, style, dashed);
        }
        if !line.label.is_empty() {
            let is_preview = is_mirror_preview(line.kind);
            let above = if is_preview { view.metres_to_pixels(line.radius, line.points[0]) - 6.0 } else { 0.0 };
            let size = if is_preview { TextSize::Title } else { TextSize::Small };
            let at = seen[0] - Vec2::new(0.0, 10.0 + above);
            overlay.sized_text(size, at, Align2::CENTER_BOTTOM, &line.label, style.color);
        }
    }
}

/// Paints the chains as they swing without the previewed change.
pub(super) fn paint_ghosts(overlay: &OverlayPainter<'_>, view: &CameraView, lines: &[Vec<glam::Vec3>]) {
    for line in lines {
        let seen: Vec<Vec2> = line.iter().filter_map(|p| view.project(*p)).map(|p| p.pixel).collect();
        if seen.len() == line.len() {
            stroke(overlay, &seen, line_style(overlay, OverlayLineKind::OtherMirror), true);
        }
    }
}

fn line_style(overlay: &OverlayPainter<'_>, kind: OverlayLineKind) -> Stroke {
    let c = overlay.theme.color;
    let (color, width) = match kind {
        OverlayLineKind::Source => (c.accent, 2.25),
        OverlayLineKind::Target => (c.text, 1.5),
        OverlayLineKind::Link => (faded(c.accent, alpha::LINK), 1.0),
        OverlayLineKind::CurrentLink => (c.accent_hover, 2.0),
        OverlayLineKind::Plane => (faded(c.error, alpha::GHOST_LINE), 1.25),
        OverlayLineKind::ProposedCollider | OverlayLineKind::Clipping => (c.collision, 1.5),
        OverlayLineKind::ChosenMirror => (c.accent, 2.0),
        OverlayLineKind::OtherMirror => (c.text_2, 1.25),
    };
    Stroke::new(width, color)
}

/// Paints a warning icon at a joint, and a tag with the depth.
fn clipping_mark(overlay: &OverlayPainter<'_>, at: Vec2, depth: &str, color: Color32) {
    let center = overlay.screen_pos(at);
    overlay.painter.circle_filled(center, 0.5 * size::ICON + 1.0, faded(overlay.theme.color.bone_halo, alpha::HALO));
    paint_icon(overlay.painter, center, icons::WARNING, size::ICON, color);
    if !depth.is_empty() {
        let corner = center + vec2(size::ICON, 0.0);
        overlay.tag(corner, Align2::LEFT_CENTER, depth.to_owned(), None);
    }
}

const fn is_mirror_preview(overlay: OverlayLineKind) -> bool {
    matches!(overlay, OverlayLineKind::ChosenMirror | OverlayLineKind::OtherMirror)
}

fn stroke(overlay: &OverlayPainter<'_>, points: &[Vec2], style: Stroke, dashed: bool) {
    if dashed {
        points.windows(2).for_each(|ends| overlay.dashed_segment(ends[0], ends[1], style.width, style.color));
    } else {
        overlay.line(points, style.width, style.color);
    }
}

/// Returns an arc around a pixel as one line, so that dashes continue along the arc.
fn arc(overlay: &OverlayPainter<'_>, at: Vec2, radius: f32, from: f32, turn: f32, style: Stroke, dashed: bool) {
    let points: Vec<Vec2> =
        (0..=32_u8).map(|i| at + radius * Vec2::from_angle(from + turn * f32::from(i) / 32.0)).collect();
    if dashed {
        overlay.dashed_line(&points, style.width, style.color);
    } else {
        overlay.line(&points, style.width, style.color);
    }
}

/// Paints a sphere at each point, and tangents between adjacent spheres. For a capsule of a mirror preview, paints only
/// the outer outline.
fn outline(
    overlay: &OverlayPainter<'_>,
    view: &CameraView,
    line: &OverlayLine,
    seen: &[Vec2],
    style: Stroke,
    dashed: bool,
) {
    let radii: Vec<f32> = line.points.iter().map(|p| view.metres_to_pixels(line.radius, *p)).collect();
    if is_mirror_preview(line.kind) {
        let along = if let [from, to] = seen { (*to - *from).try_normalize() } else { None };
        let Some(along) = along else {
            return arc(overlay, seen[0], radii[0], -FRAC_PI_2, TAU, style, dashed);
        };
        let side = along.to_angle() + FRAC_PI_2;
        arc(overlay, seen[0], radii[0], side, PI, style, dashed);
        arc(overlay, seen[1], radii[1], side - PI, PI, style, dashed);
        for side in [along.perp(), -along.perp()] {
            stroke(overlay, &[seen[0] + side * radii[0], seen[1] + side * radii[1]], style, dashed);
        }
        return;
    }
    for (at, radius) in seen.iter().zip(&radii) {
        overlay.circle(*at, *radius, style.width, style.color);
    }
    for (ends, radii) in seen.windows(2).zip(radii.windows(2)) {
        if let Some(along) = (ends[1] - ends[0]).try_normalize() {
            for side in [along.perp(), -along.perp()] {
                overlay.line(&[ends[0] + side * radii[0], ends[1] + side * radii[1]], style.width, style.color);
            }
        }
    }
}
