//! The box of the curve editor: axis, joints, curve, keys, handles, and what the pointer and keyboard do there.

use super::joints::{LABEL_HEIGHT, joints_ui, paint_joints};
use super::plot_transform::{self, PlotTransform};
use super::{CurveAxis, CurveChange, CurveDrag, CurveEditorInput, CurveEditorMemory, push_committed_change};
use crate::math::{Curve, CurveKey, Interpolation};
use crate::ui::kit::number::NumberFormat;
use crate::ui::kit::paint::{self, faded};
use crate::ui::kit::theme::{TextSize, Theme};
use crate::ui::kit::tokens::{alpha, size, space, stroke};
use egui::{
    Align2, Color32, CursorIcon, Id, Key, Mesh, Modifiers, Pos2, Rect, Response, Role, Sense, Shape, Stroke, Ui,
    WidgetInfo, pos2, vec2,
};

const LEFT_MARGIN: f32 = 44.0;
const TOP_MARGIN: f32 = 14.0;
const RIGHT_MARGIN: f32 = 24.0;
/// How near a double-click must be to the curve to leave its shape as it is.
const CURVE_HIT_DISTANCE: f32 = 14.0;
/// Ends of what the curve runs over hold a key that comes near.
const END_SNAP_DISTANCE: f32 = 5.0;

pub(super) fn plot_ui(
    ui: &mut Ui,
    full: Rect,
    id: Id,
    view: &CurveEditorInput<'_>,
    memory: &mut CurveEditorMemory,
    changes: &mut Vec<CurveChange>,
) {
    let (right, foot) = match view.axis {
        CurveAxis::Chain { .. } => (RIGHT_MARGIN, LABEL_HEIGHT),
        CurveAxis::Measure { .. } => (
            if view.base.is_some() { plot_transform::RESULT_WIDTH } else { RIGHT_MARGIN },
            plot_transform::SCALE_HEIGHT,
        ),
    };
    let plot = Rect::from_min_max(full.min + vec2(LEFT_MARGIN, TOP_MARGIN), full.max - vec2(right, foot));
    let place = PlotTransform::of(plot, view);
    let theme = Theme::of(ui);
    let ground = ui.interact(plot.expand(space::S), id.with("plot"), Sense::click());
    let name = theme.tr_with("curve.plot", &[("name", view.name)]);
    ground.widget_info(|| WidgetInfo::labeled(Role::Image, true, &name));
    paint_axes(ui, &place, view, &theme);
    plot_transform::paint_scale(ui, &place, view, &theme);
    let hovered = joints_ui(ui, &place, id, view, &ground, changes);
    paint_joints(ui, &place, view, hovered, &theme);
    paint_ghost(ui, &place, view, memory, &theme);
    paint_curve(ui, &place, view, &theme);
    plot_transform::paint_current(ui, &place, view, &theme);
    keys_ui(ui, &place, id, view, memory, changes);
    if ground.double_clicked()
        && let Some(at) = ground.interact_pointer_pos()
    {
        add_key(&place, view, at, memory, changes);
    }
    handle_editor_keys(ui, &ground, view, memory, changes);
}

fn paint_axes(ui: &Ui, place: &PlotTransform, view: &CurveEditorInput<'_>, theme: &Theme) {
    let c = theme.color;
    let plot = place.plot;
    let line = |color| Stroke::new(stroke::HAIRLINE, color);
    let steps = ((place.high - place.low) * 2.0).round().max(1.0);
    // Few lines in a tall box, and always its edges.
    let every = (steps / 6.0).ceil().max(1.0);
    let mut step = 0.0;
    while step <= steps {
        let value = place.low + (place.high - place.low) * step / steps;
        let y = place.point(0.0, value).y;
        ui.painter().hline(plot.x_range(), y, line(c.border));
        let at = pos2(plot.left() - 10.0, y);
        paint::text(
            ui.painter(),
            at,
            Align2::RIGHT_CENTER,
            &NumberFormat::with_suffix("", 1).text(value),
            TextSize::Tiny,
            c.text_3,
        );
        plot_transform::paint_result_value(ui, place, view, value, theme);
        step += every;
    }
}

fn curve_points(place: &PlotTransform, curve: &Curve) -> Vec<Pos2> {
    // Every few points and at each key, where a linear curve has a corner.
    let count = (place.plot.width() / 4.0).clamp(24.0, 400.0) as usize;
    let mut ts: Vec<f32> = (0..=count).map(|i| i as f32 / count as f32).collect();
    ts.extend(curve.keys().iter().map(|k| k.t.clamp(0.0, 1.0)));
    ts.sort_by(f32::total_cmp);
    ts.into_iter().map(|t| place.point(t, curve.eval(t).clamp(place.low, place.high))).collect()
}

fn paint_ghost(ui: &Ui, place: &PlotTransform, view: &CurveEditorInput<'_>, memory: &CurveEditorMemory, theme: &Theme) {
    let dragged = memory.drag.as_ref().map(|drag| &drag.curve);
    let Some(before) = dragged.or(view.before).filter(|before| *before != view.curve) else { return };
    let color = faded(theme.color.ghost, alpha::GHOST_LINE);
    let points = curve_points(place, before);
    let words = theme.tr("curve.before");
    let width = paint::text_width(ui, &words, TextSize::Tiny) + 10.0;
    let end = points.iter().rev().take_while(|p| p.x > place.plot.right() - width);
    let (top, bottom) = end.fold((f32::MAX, f32::MIN), |(top, bottom), p| (top.min(p.y), bottom.max(p.y)));
    let last = points.last().copied().unwrap_or_default();
    paint::dashed(ui.painter(), &points, Stroke::new(stroke::CURVE_GHOST, color), 5.0, 4.0);
    // Where the two lines are far enough apart, the word stands between them.
    let now = place.point(1.0, view.curve.eval(1.0));
    let above = now.y > last.y;
    let at = pos2(last.x - 6.0, if above { top - 3.0 } else { bottom + 3.0 });
    let anchor = if above { Align2::RIGHT_BOTTOM } else { Align2::RIGHT_TOP };
    let room = if above { at.y - place.plot.top() } else { place.plot.bottom() - at.y };
    if room > 12.0 {
        paint::text(ui.painter(), at, anchor, &words, TextSize::Tiny, theme.color.text_3);
    }
}

fn paint_curve(ui: &Ui, place: &PlotTransform, view: &CurveEditorInput<'_>, theme: &Theme) {
    let color = theme.role(view.role);
    let points = curve_points(place, view.curve);
    let mut area = Mesh::default();
    let fill = faded(color, alpha::CURVE_FILL);
    let floor = place.point(0.0, 0.0).y;
    for (i, point) in points.iter().enumerate() {
        area.colored_vertex(*point, fill);
        area.colored_vertex(pos2(point.x, floor), fill);
        if i > 0 {
            let n = 2 * i as u32;
            area.add_triangle(n - 2, n - 1, n);
            area.add_triangle(n - 1, n, n + 1);
        }
    }
    ui.painter().add(Shape::mesh(area));
    ui.painter().add(Shape::line(points, Stroke::new(stroke::CURVE, color)));
}

fn keys_ui(
    ui: &Ui,
    place: &PlotTransform,
    id: Id,
    view: &CurveEditorInput<'_>,
    memory: &mut CurveEditorMemory,
    changes: &mut Vec<CurveChange>,
) {
    let theme = Theme::of(ui);
    let keys = view.curve.keys();
    for (i, key) in keys.iter().enumerate() {
        let hit = Rect::from_center_size(place.key(key), vec2(size::KEY_HIT, size::KEY_HIT));
        let response = ui.interact(hit, id.with(("key", i)), Sense::click_and_drag());
        let number = (i + 1).to_string();
        let name = theme.tr_with("curve.key_name", &[("n", &number), ("name", view.name)]);
        response.widget_info(|| WidgetInfo::slider(true, f64::from(key.value), &name));
        if response.clicked() || response.drag_started() || response.gained_focus() {
            memory.selected = Some(i);
        }
        if response.drag_started() || response.clicked() {
            response.request_focus();
        }
        let aim = |drag: &CurveDrag, at: Pos2, held: Modifiers| moved_key(place, view, drag, at, held);
        drag_ui(ui, &response, i, view, memory, changes, aim);
        move_key_by_arrows(ui, &response, i, view, changes);
        paint_key(ui, place.key(key), &response, memory.selected == Some(i), theme.role(view.role), &theme);
        response.on_hover_and_drag_cursor(CursorIcon::Move);
    }
    if let Some(i) = memory.selected
        && view.curve.interpolation() == Interpolation::Hermite
        && let Some(key) = keys.get(i)
    {
        let first_and_last = [i > 0, i + 1 < keys.len()];
        for (side, exists) in [-1.0, 1.0].into_iter().zip(first_and_last) {
            if exists {
                handle_ui(ui, place, id, (i, key, side), view, memory, changes);
            }
        }
    }
}

/// Follows a drag: one gesture that Esc takes back.
fn drag_ui(
    ui: &Ui,
    response: &Response,
    key: usize,
    view: &CurveEditorInput<'_>,
    memory: &mut CurveEditorMemory,
    changes: &mut Vec<CurveChange>,
    aim: impl Fn(&CurveDrag, Pos2, Modifiers) -> Curve,
) {
    if response.drag_started() {
        let from = ui.input(|i| i.pointer.press_origin()).unwrap_or(response.rect.center());
        memory.drag = Some(CurveDrag { curve: view.curve.clone(), key, start: from, pressed_widget: response.id });
    }
    let Some(drag) = memory.drag.as_ref().filter(|drag| drag.pressed_widget == response.id) else { return };
    if response.dragged() {
        if let Some(at) = response.interact_pointer_pos() {
            let curve = aim(drag, at, ui.input(|i| i.modifiers));
            if &curve != view.curve {
                changes.push(CurveChange::Replace(curve));
            }
        }
        return;
    }
    // egui itself ends a drag on Esc.
    let taken_back = ui.input_mut(|i| i.consume_key(Modifiers::NONE, Key::Escape));
    changes.push(if taken_back { CurveChange::Cancelled } else { CurveChange::Committed });
    memory.drag = None;
}

fn moved_key(place: &PlotTransform, view: &CurveEditorInput<'_>, drag: &CurveDrag, at: Pos2, held: Modifiers) -> Curve {
    let Some(key) = drag.curve.keys().get(drag.key) else { return drag.curve.clone() };
    let mut by = at - drag.start;
    if held.shift {
        by = if by.x.abs() > by.y.abs() { vec2(by.x, 0.0) } else { vec2(0.0, by.y) };
    }
    let aim = place.key(key) + by;
    let mut t = place.t(aim);
    let mut value = place.value(aim);
    let reach = END_SNAP_DISTANCE / place.plot.width();
    t = if t < reach {
        0.0
    } else if t > 1.0 - reach {
        1.0
    } else {
        t
    };
    if held.command {
        value = (value * 20.0).round() / 20.0;
        let marks: Vec<f32> = match view.axis {
            CurveAxis::Chain { joints, .. } => joints.iter().map(|j| j.t).collect(),
            CurveAxis::Measure { span, format, .. } => {
                plot_transform::ticks(place.plot.width(), span, format).into_iter().map(|(t, _)| t).collect()
            }
        };
        t = marks.into_iter().min_by(|a, b| (a - t).abs().total_cmp(&(b - t).abs())).unwrap_or(t);
    }
    value = if view.locked_to_unit_range { value.clamp(0.0, 1.0) } else { value };
    value = (value * 1000.0).round() / 1000.0;
    drag.curve.with_key_moved(drag.key, CurveKey { t, value, ..*key })
}

fn move_key_by_arrows(
    ui: &Ui,
    response: &Response,
    index: usize,
    view: &CurveEditorInput<'_>,
    changes: &mut Vec<CurveChange>,
) {
    if !response.has_focus() {
        return;
    }
    ui.memory_mut(|m| {
        let filter = egui::EventFilter { horizontal_arrows: true, vertical_arrows: true, ..Default::default() };
        m.set_focus_lock_filter(response.id, filter);
    });
    let (right, up, fine) = ui.input(|i| {
        let net = |more, less| i.num_presses(more) as f32 - i.num_presses(less) as f32;
        (net(Key::ArrowRight, Key::ArrowLeft), net(Key::ArrowUp, Key::ArrowDown), i.modifiers.shift)
    });
    if right == 0.0 && up == 0.0 {
        return;
    }
    let step = if fine { 0.001 } else { 0.01 };
    let key = view.curve.keys()[index];
    let value = key.value + up * step;
    let value = if view.locked_to_unit_range { value.clamp(0.0, 1.0) } else { value };
    let moved = CurveKey { t: (key.t + right * step).clamp(0.0, 1.0), value, ..key };
    push_committed_change(view.curve.with_key_moved(index, moved), changes);
}

fn paint_key(ui: &Ui, at: Pos2, response: &Response, selected: bool, color: Color32, theme: &Theme) {
    let c = theme.color;
    let half = size::KEY / 2.0 + if response.hovered() { 1.0 } else { 0.0 };
    let corners = [vec2(0.0, -half), vec2(half, 0.0), vec2(0.0, half), vec2(-half, 0.0)].map(|v| at + v);
    let (fill, edge) = if selected { (c.text, c.accent) } else { (color, c.panel) };
    ui.painter().add(Shape::convex_polygon(corners.to_vec(), fill, Stroke::new(1.5, edge)));
    if response.has_focus() {
        ui.painter().circle_stroke(at, half + 4.0, Stroke::new(stroke::FOCUS, c.focus));
    }
}

fn handle_ui(
    ui: &Ui,
    place: &PlotTransform,
    id: Id,
    (index, key, side): (usize, &CurveKey, f32),
    view: &CurveEditorInput<'_>,
    memory: &mut CurveEditorMemory,
    changes: &mut Vec<CurveChange>,
) {
    let c = Theme::of(ui).color;
    let at = place.handle(key, side);
    let hit = Rect::from_center_size(at, vec2(18.0, 18.0));
    let response = ui.interact(hit, id.with(("handle", index, side > 0.0)), Sense::drag());
    let line = Stroke::new(stroke::HAIRLINE, c.text_3);
    ui.painter().line_segment([place.key(key), at], line);
    let ring = if response.hovered() || response.dragged() { c.accent } else { c.text_2 };
    ui.painter().circle(at, size::HANDLE / 2.0, c.panel, Stroke::new(1.5, ring));
    let aim = |drag: &CurveDrag, at: Pos2, held: Modifiers| {
        let Some(key) = drag.curve.keys().get(drag.key) else { return drag.curve.clone() };
        let slope = place.slope(key, side, at);
        let slope = if held.command { 0.0 } else { (slope * 100.0).round() / 100.0 };
        // Alt breaks the key; otherwise both sides turn together.
        let (left, right) = (side < 0.0 || !held.alt, side > 0.0 || !held.alt);
        let turned = CurveKey {
            slope_in: if left { slope } else { key.slope_in },
            slope_out: if right { slope } else { key.slope_out },
            ..*key
        };
        drag.curve.with_key_moved(drag.key, turned)
    };
    drag_ui(ui, &response, index, view, memory, changes, aim);
    response.on_hover_and_drag_cursor(CursorIcon::Grab);
}

fn add_key(
    place: &PlotTransform,
    view: &CurveEditorInput<'_>,
    at: Pos2,
    memory: &mut CurveEditorMemory,
    changes: &mut Vec<CurveChange>,
) {
    let t = place.t(at);
    let (mut curve, index) = view.curve.with_key_added(t);
    let on_line = place.key(&curve.keys()[index]);
    if (on_line.y - at.y).abs() > CURVE_HIT_DISTANCE {
        let value = (place.value(at).clamp(place.low, place.high) * 100.0).round() / 100.0;
        let key = CurveKey { value, ..curve.keys()[index] };
        curve = curve.with_key_moved(index, key);
    }
    memory.selected = Some(index);
    push_committed_change(curve, changes);
}

/// Delete and Esc, while the pointer or the keyboard is in the box.
fn handle_editor_keys(
    ui: &Ui,
    ground: &Response,
    view: &CurveEditorInput<'_>,
    memory: &mut CurveEditorMemory,
    changes: &mut Vec<CurveChange>,
) {
    // egui takes the focus away on Esc before this runs, so last frame's counts too.
    let typing = memory.was_typing || ui.ctx().text_edit_focused();
    let inside =
        ui.rect_contains_pointer(ground.rect) || memory.selected.is_some_and(|_| ui.memory(|m| m.focused().is_some()));
    if typing || !inside || memory.drag.is_some() {
        return;
    }
    let pressed = |key| ui.input_mut(|i| i.consume_key(Modifiers::NONE, key));
    if let Some(index) = memory.selected
        && view.curve.keys().len() > 1
        && (pressed(Key::Delete) || pressed(Key::Backspace))
    {
        memory.selected = None;
        push_committed_change(view.curve.with_key_removed(index), changes);
    }
    if let Some(before) = view.before.filter(|before| *before != view.curve)
        && pressed(Key::Escape)
    {
        push_committed_change(before.clone(), changes);
    }
}
