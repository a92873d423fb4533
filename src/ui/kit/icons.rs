//! The icons of the program.
//!
//! Most are glyphs of the icon font, see the module `glyphs`; the mark of the program and that of a chain are drawn with
//! the painter.

mod glyphs;

use super::fonts;
use super::theme::Theme;
use super::tokens::{radius, size, stroke};
use egui::epaint::CubicBezierShape;
use egui::{
    Align2, Color32, FontId, Painter, Pos2, Rect, Response, Role, Sense, Shape, Stroke, StrokeKind, Ui, Vec2,
    WidgetInfo, pos2, vec2,
};
pub use glyphs::*;

/// Paints an icon centred on a point; `size` is the side of its square.
pub fn paint_icon(painter: &Painter, center: Pos2, icon: Icon, size: f32, color: Color32) {
    painter.text(center, Align2::CENTER_CENTER, icon.glyph, FontId::new(size, fonts::icons()), color);
}

/// An icon that cannot be clicked, as wide and high as `size`.
pub fn icon(ui: &mut Ui, icon: Icon, size: f32, color: Color32) -> Response {
    let (rect, response) = ui.allocate_exact_size(Vec2::splat(size), Sense::hover());
    paint_icon(ui.painter(), rect.center(), icon, size, color);
    response
}

/// How an icon button looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IconButton<'a> {
    /// The picture.
    pub icon: Icon,
    /// Accessible name and first line of the tooltip.
    pub name: &'a str,
    /// Its key, shown in the tooltip, for example `Ctrl+Z`.
    pub key: &'a str,
    /// Whether it is switched on.
    pub on: bool,
    /// Whether it can be used.
    pub enabled: bool,
    /// Side of the icon.
    pub icon_size: f32,
    /// Side of the button; at least 24.
    pub side: f32,
    /// The icon's colour; `None` for the usual one.
    pub color: Option<Color32>,
}

impl<'a> IconButton<'a> {
    /// A button of the smallest size.
    pub fn new(icon: Icon, name: &'a str) -> Self {
        Self { icon, name, key: "", on: false, enabled: true, icon_size: size::ICON, side: size::HIT_MIN, color: None }
    }

    /// With a key in the tooltip.
    #[must_use]
    pub fn key(mut self, key: &'a str) -> Self {
        self.key = key;
        self
    }

    /// Switched on or off.
    #[must_use]
    pub fn on(mut self, on: bool) -> Self {
        self.on = on;
        self
    }

    /// Usable or not.
    #[must_use]
    pub fn enabled(mut self, enabled: bool) -> Self {
        self.enabled = enabled;
        self
    }

    /// Another size: of the button, of the icon.
    #[must_use]
    pub fn sized(mut self, side: f32, icon_size: f32) -> Self {
        self.side = side.max(size::HIT_MIN);
        self.icon_size = icon_size;
        self
    }

    /// With the smallest icon.
    #[must_use]
    pub fn tiny(mut self) -> Self {
        self.icon_size = size::ICON_TINY;
        self
    }

    /// Another colour for the icon.
    #[must_use]
    pub fn color(mut self, color: Color32) -> Self {
        self.color = Some(color);
        self
    }

    /// Adds it.
    pub fn show(self, ui: &mut Ui) -> Response {
        let sense = if self.enabled { Sense::click() } else { Sense::hover() };
        let (rect, response) = ui.allocate_exact_size(Vec2::splat(self.side), sense);
        self.show_at(ui, rect, response)
    }

    /// Draws it for a response that was made elsewhere.
    pub fn show_at(self, ui: &Ui, rect: Rect, response: Response) -> Response {
        let theme = Theme::of(ui);
        let c = theme.color;
        response.widget_info(|| {
            if self.on {
                WidgetInfo::selected(Role::Button, self.enabled, true, self.name)
            } else {
                WidgetInfo::labeled(Role::Button, self.enabled, self.name)
            }
        });
        let fill = match () {
            () if self.on => Some(c.selection),
            () if !self.enabled => None,
            () if response.is_pointer_button_down_on() => Some(c.pressed),
            () if response.hovered() => Some(c.hover),
            () => None,
        };
        if let Some(fill) = fill {
            ui.painter().rect_filled(rect, radius::BUTTON, fill);
        }
        let color = match () {
            () if !self.enabled => c.text_off,
            () if self.on => c.selection_text,
            () => self.color.unwrap_or(c.text_2),
        };
        paint_icon(ui.painter(), rect.center(), self.icon, self.icon_size, color);
        focus_ring(ui, &response, rect, radius::BUTTON);
        let tip = if self.key.is_empty() { self.name.to_owned() } else { format!("{}   {}", self.name, self.key) };
        response.on_hover_text(tip)
    }
}

/// A plain icon button with a tooltip that names its key; `key` may be empty.
pub fn icon_button(ui: &mut Ui, icon: Icon, name: &str, key: &str) -> Response {
    IconButton::new(icon, name).key(key).show(ui)
}

/// The ring around what has the keyboard, outside of its edge.
pub fn focus_ring(ui: &Ui, response: &Response, rect: Rect, corner: f32) {
    if response.has_focus() {
        let line = Stroke::new(stroke::FOCUS, Theme::of(ui).color.focus);
        ui.painter().rect_stroke(rect, corner, line, StrokeKind::Outside);
    }
}

/// A chain: two joints on a curve that swings out. `side` is its square.
pub fn paint_chain(painter: &Painter, center: Pos2, side: f32, color: Color32) {
    let at = |x: f32, y: f32| center + vec2(x - 0.5, y - 0.5) * side;
    let line = Stroke::new((side * 0.085).max(1.1), color);
    let points = [at(0.30, 0.20), at(0.78, 0.22), at(0.10, 0.62), at(0.66, 0.80)];
    painter.add(CubicBezierShape::from_points_stroke(points, false, Color32::TRANSPARENT, line));
    painter.circle_filled(at(0.24, 0.20), side * 0.11, color);
    painter.circle_filled(at(0.74, 0.80), side * 0.11, color);
}

/// The mark of the program: a strand that swings, thick at its root and fine at its tip.
pub fn paint_mark(painter: &Painter, center: Pos2, side: f32, color: Color32) {
    let at = |x: f32, y: f32| center + vec2(x - 0.5, y - 0.5) * side;
    let curve = CubicBezierShape::from_points_stroke(
        [at(0.14, 0.18), at(0.46, 0.22), at(0.36, 0.70), at(0.88, 0.84)],
        false,
        Color32::TRANSPARENT,
        Stroke::NONE,
    );
    painter.extend((0..24_u8).map(|i| {
        let (a, b) = (f32::from(i) / 24.0, f32::from(i + 1) / 24.0);
        let line = Stroke::new(side * (0.13 - 0.06 * a), color);
        Shape::line_segment([curve.sample(a), curve.sample(b)], line)
    }));
    for (t, r) in [(0.0, 0.115), (0.36, 0.095), (0.68, 0.08), (1.0, 0.065)] {
        painter.circle_filled(curve.sample(t), side * r, color);
    }
}

/// Snaps a point to the middle of a pixel, for crisp hairlines.
pub fn crisp(ui: &Ui, at: Pos2) -> Pos2 {
    let scale = ui.ctx().pixels_per_point();
    let snap = |x: f32| ((x * scale).floor() + 0.5) / scale;
    pos2(snap(at.x), snap(at.y))
}
