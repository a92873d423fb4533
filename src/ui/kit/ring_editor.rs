//! The ring editor shows a factor around a ring of chains, as seen from above, with the front at the bottom.
//!
//! The distance from the centre is the factor. The editor reads a curve and returns changes; it stores only the start of
//! a drag.

use super::paint::{self, faded};
use crate::ui::kit::icons::focus_ring;
use crate::ui::kit::theme::{ColorRole, TextSize, Theme};
use crate::ui::kit::tokens::{alpha, size, space, stroke};
use egui::{
    Align2, Color32, CursorIcon, Key, Painter, Pos2, Rect, Role, Sense, Shape, Stroke, Ui, Vec2, WidgetInfo, vec2,
};
use yuremono_sim::diagnostics::message;
use yuremono_sim::math::RingCurve;

/// The factor at the edge of the drawing.
const MAX_FACTOR: f32 = 2.0;
/// Radius of the circle with the factor 0, as a share of the radius with [`MAX_FACTOR`].
const HOLE: f32 = 0.12;
/// Step of the arrow keys.
const KEY_STEP: f32 = 0.05;

/// A chain of the ring.
#[derive(Clone, Copy, Debug)]
pub struct RingMark<'a> {
    pub name: &'a str,
    /// Degrees from the front; 90 is the left side of the character.
    pub angle: f32,
    pub factor: f32,
    pub active: bool,
    pub highlighted: bool,
}

#[derive(Clone, Copy, Debug)]
pub struct RingEditorInput<'a> {
    pub name: &'a str,
    pub curve: &'a RingCurve,
    pub marks: &'a [RingMark<'a>],
    pub role: ColorRole,
}

/// Edits in order of occurrence. `Committed` or `Cancelled` ends each series of `Replace` edits.
#[derive(Clone, Debug, PartialEq)]
pub enum RingEditorEvent {
    Replace(RingCurve),
    Committed,
    Cancelled,
    SelectChain(usize),
    HoverChain(usize),
}

/// A drag of a handle.
#[derive(Clone, Debug)]
struct RingDrag {
    before: RingCurve,
}

/// Where angles and factors are on the screen.
#[derive(Clone, Copy)]
struct RingTransform {
    centre: Pos2,
    radius: f32,
}

impl RingTransform {
    /// Direction of an angle: the front is down, and the left side of the character is at the right.
    fn direction(angle: f32) -> Vec2 {
        let (sin, cos) = libm::sincosf(angle.to_radians());
        vec2(sin, cos)
    }

    fn distance(self, factor: f32) -> f32 {
        self.radius * (HOLE + (1.0 - HOLE) * (factor / MAX_FACTOR).clamp(0.0, 1.0))
    }

    fn point(self, angle: f32, factor: f32) -> Pos2 {
        self.centre + Self::direction(angle) * self.distance(factor)
    }

    /// Returns the factor of a pointer position that is moved along the direction of an angle.
    fn factor(self, angle: f32, at: Pos2) -> f32 {
        let distance = (at - self.centre).dot(Self::direction(angle)) / self.radius;
        ((distance - HOLE) / (1.0 - HOLE) * MAX_FACTOR).clamp(0.0, MAX_FACTOR)
    }
}

/// Draws the editor in an area.
pub fn ring_editor(ui: &mut Ui, area: Rect, view: &RingEditorInput<'_>) -> Vec<RingEditorEvent> {
    let theme = Theme::of(ui);
    let sides = [message!("Left"), message!("Right")].map(|key| paint::text_width(ui, &theme.tr(key), TextSize::Tiny));
    let half_size = area.size() / 2.0 - vec2(sides[0].max(sides[1]), TextSize::Tiny.token().line);
    let ring = RingTransform { centre: area.center(), radius: half_size.min_elem() - space::XS };
    let response = ui.interact(area, ui.scope_id().with("ring"), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Image, true, view.name));
    paint_ground(ui.painter(), ring, &theme);
    paint_curve(ui.painter(), ring, view, &theme);
    let mut changes = Vec::new();
    for (index, mark) in view.marks.iter().enumerate() {
        mark_ui(ui, ring, index, mark, &theme, &mut changes);
    }
    for index in 0..view.curve.keys().len() {
        handle_ui(ui, ring, index, view, &mut changes);
    }
    changes
}

fn paint_ground(painter: &Painter, ring: RingTransform, theme: &Theme) {
    let c = theme.color;
    for factor in [0.0, 0.5, 1.0, 1.5, 2.0] {
        let color = if factor == 1.0 { c.border_strong } else { c.border };
        painter.circle_stroke(ring.centre, ring.distance(factor), Stroke::new(stroke::HAIRLINE, color));
    }
    let sides = [
        (0.0, Align2::CENTER_TOP, message!("Front")),
        (90.0, Align2::LEFT_CENTER, message!("Left")),
        (180.0, Align2::CENTER_BOTTOM, message!("Back")),
        (-90.0, Align2::RIGHT_CENTER, message!("Right")),
    ];
    for (angle, anchor, key) in sides {
        let at = ring.centre + RingTransform::direction(angle) * (ring.radius + 3.0);
        paint::text(painter, at, anchor, &theme.tr(key), TextSize::Tiny, c.text_3);
    }
}

fn paint_curve(painter: &Painter, ring: RingTransform, view: &RingEditorInput<'_>, theme: &Theme) {
    let color = theme.role(view.role);
    let point = |degrees: i16| ring.point(f32::from(degrees), view.curve.eval(f32::from(degrees)));
    let points: Vec<Pos2> = (-180..180_i16).step_by(3).map(point).collect();
    let mut area = egui::Mesh::default();
    area.colored_vertex(ring.centre, faded(color, alpha::CURVE_FILL));
    for (index, point) in points.iter().enumerate() {
        area.colored_vertex(*point, faded(color, alpha::CURVE_FILL));
        let next = (index + 1) % points.len();
        area.add_triangle(0, index as u32 + 1, next as u32 + 1);
    }
    painter.add(Shape::mesh(area));
    painter.add(Shape::closed_line(points, Stroke::new(stroke::CURVE, color)));
}

fn mark_ui(
    ui: &Ui,
    ring: RingTransform,
    index: usize,
    mark: &RingMark<'_>,
    theme: &Theme,
    changes: &mut Vec<RingEditorEvent>,
) {
    let c = theme.color;
    let at = ring.point(mark.angle, mark.factor);
    let hit = Rect::from_center_size(at, Vec2::splat(size::HIT_MIN / 2.0));
    let response = ui.interact(hit, ui.scope_id().with(("chain", index)), Sense::click());
    response.widget_info(|| WidgetInfo::selected(Role::Button, true, mark.active, mark.name));
    let is_over = mark.highlighted || response.hovered();
    let (fill, radius) = match (mark.active, is_over) {
        (true, _) => (c.accent, 4.0),
        (false, true) => (c.text, 3.5),
        (false, false) => (c.text_2, 2.5),
    };
    let spoke = Stroke::new(stroke::HAIRLINE, faded(fill, alpha::TREE_LINE));
    ui.painter().line_segment([ring.point(mark.angle, 0.0), at], spoke);
    ui.painter().circle(at, radius, fill, Stroke::new(stroke::HAIRLINE, c.panel));
    if response.clicked() {
        changes.push(RingEditorEvent::SelectChain(index));
    }
    if response.hovered() {
        changes.push(RingEditorEvent::HoverChain(index));
    }
    response.on_hover_text(format!("{} × {:.2}", mark.name, mark.factor));
}

/// Draws a handle for a key. The opposite handle of a mirrored curve shows the same key.
fn handle_ui(
    ui: &mut Ui,
    ring: RingTransform,
    index: usize,
    view: &RingEditorInput<'_>,
    changes: &mut Vec<RingEditorEvent>,
) {
    let key = view.curve.keys()[index];
    let has_twin = view.curve.is_mirrored() && key.angle > 0.0 && key.angle < 180.0;
    let angles = [Some(key.angle), has_twin.then_some(-key.angle)];
    for (side, angle) in angles.into_iter().flatten().enumerate() {
        let at = ring.point(angle, key.factor);
        let hit = Rect::from_center_size(at, Vec2::splat(size::HIT_MIN - 4.0));
        let id = ui.scope_id().with(("handle", index, side));
        let response = ui.interact(hit, id, Sense::CLICK | Sense::DRAG | Sense::FOCUSABLE);
        response.widget_info(|| WidgetInfo::slider(true, f64::from(key.factor), format!("{} {angle:.0}°", view.name)));
        paint_handle(ui, at, &response, view.role);
        let drag: Option<RingDrag> = ui.data(|data| data.get_temp(id));
        if response.drag_started() {
            ui.data_mut(|data| data.insert_temp(id, RingDrag { before: view.curve.clone() }));
        }
        if response.dragged()
            && let Some(pointer) = response.interact_pointer_pos()
        {
            let factor = ring.factor(angle, pointer);
            let is_snapped = !ui.input(|input| input.modifiers.shift) && (factor - 1.0).abs() < 0.04;
            let factor = if is_snapped { 1.0 } else { (factor * 100.0).round() / 100.0 };
            changes.push(RingEditorEvent::Replace(view.curve.with_factor(index, factor)));
        }
        if drag.is_some() && ui.input(|input| input.key_pressed(Key::Escape)) {
            ui.data_mut(|data| data.remove::<RingDrag>(id));
            ui.ctx().stop_dragging();
            changes.push(RingEditorEvent::Cancelled);
        } else if response.drag_stopped() {
            ui.data_mut(|data| data.remove::<RingDrag>(id));
            changes.push(if drag.is_some_and(|drag| drag.before == *view.curve) {
                RingEditorEvent::Cancelled
            } else {
                RingEditorEvent::Committed
            });
        }
        if response.double_clicked() {
            changes.extend([RingEditorEvent::Replace(view.curve.with_factor(index, 1.0)), RingEditorEvent::Committed]);
        }
        keys_ui(ui, &response, index, view, changes);
        response.on_hover_cursor(CursorIcon::Grab).on_hover_text(format!("× {:.2}", key.factor));
    }
}

fn paint_handle(ui: &Ui, at: Pos2, response: &egui::Response, role: ColorRole) {
    let theme = Theme::of(ui);
    let c = theme.color;
    let is_over = response.hovered() || response.dragged() || response.has_focus();
    let half = if is_over { 6.0 } else { 5.0 };
    let corners = [vec2(0.0, -half), vec2(half, 0.0), vec2(0.0, half), vec2(-half, 0.0)].map(|offset| at + offset);
    let fill: Color32 = if is_over { theme.role(role) } else { c.panel };
    ui.painter().add(Shape::convex_polygon(corners.to_vec(), fill, Stroke::new(1.5, theme.role(role))));
    focus_ring(ui, response, Rect::from_center_size(at, Vec2::splat(size::HIT_MIN - 4.0)), 4.0);
}

/// The arrow keys change the factor of the focused handle.
fn keys_ui(
    ui: &Ui,
    response: &egui::Response,
    index: usize,
    view: &RingEditorInput<'_>,
    changes: &mut Vec<RingEditorEvent>,
) {
    if !response.has_focus() {
        return;
    }
    let (up, down) = ui.input(|input| (input.key_pressed(Key::ArrowUp), input.key_pressed(Key::ArrowDown)));
    let step = KEY_STEP * (f32::from(u8::from(up)) - f32::from(u8::from(down)));
    if step != 0.0 {
        let factor = (view.curve.keys()[index].factor + step).clamp(0.0, MAX_FACTOR);
        changes.extend([RingEditorEvent::Replace(view.curve.with_factor(index, factor)), RingEditorEvent::Committed]);
    }
}
