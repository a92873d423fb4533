//! The plot of the curve editor, with axis, joint values, curve and keys. The plot handles the pointer and the
//! keyboard.

use super::plot_transform::PlotTransform;
use super::{
    CurveAxis, CurveChange, CurveDrag, CurveEditorInput, CurveEditorMemory, JointMark, plot_transform,
    push_committed_change,
};
use crate::tr;
use crate::ui::kit::icons::focus_ring;
use crate::ui::kit::number::NumberFormat;
use crate::ui::kit::paint;
use crate::ui::kit::paint::faded;
use crate::ui::kit::theme::{TextSize, Theme};
use crate::ui::kit::tokens::{alpha, size, space, stroke};
use egui::{
    Align2, Color32, CursorIcon, Id, Key, Mesh, Modifiers, Pos2, Rangef, Rect, Response, Role, Sense, Shape, Stroke,
    Ui, WidgetInfo, pos2, vec2,
};
use yuremono_sim::math::{Curve, CurveKey, Interpolation};

const LEFT_MARGIN: f32 = 44.0;
const TOP_MARGIN: f32 = 14.0;
const RIGHT_MARGIN: f32 = 24.0;
/// A double-click within this distance of the curve adds a key without changing the shape of the curve; points.
const CURVE_HIT_DISTANCE: f32 = 14.0;
/// Keys within this distance of the ends of the axis snap to the ends; points.
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
    let transform = PlotTransform::of(plot, view);
    let theme = Theme::of(ui);
    let ground = ui.interact(plot.expand(space::S), id.with("plot"), Sense::click());
    let name = tr!(theme, "Curve of {name}", name = view.name);
    ground.widget_info(|| WidgetInfo::labeled(Role::Image, true, &name));
    paint_axes(ui, &transform, view, &theme);
    plot_transform::paint_scale(ui, &transform, view, &theme);
    let hovered = joints_ui(ui, &transform, id, view, &ground, changes);
    paint_joints(ui, &transform, view, hovered, &theme);
    paint_ghost(ui, &transform, view, memory, &theme);
    paint_curve(ui, &transform, view, &theme);
    plot_transform::paint_current(ui, &transform, view, &theme);
    keys_ui(ui, &transform, id, view, memory, changes);
    if ground.double_clicked()
        && let Some(at) = ground.interact_pointer_pos()
    {
        add_key(&transform, view, at, memory, changes);
    }
    handle_editor_keys(ui, &ground, view, memory, changes);
}

fn paint_axes(ui: &Ui, transform: &PlotTransform, view: &CurveEditorInput<'_>, theme: &Theme) {
    let c = theme.color;
    let plot = transform.plot;
    let line = |color| Stroke::new(stroke::HAIRLINE, color);
    let steps = ((transform.high - transform.low) * 2.0).round().max(1.0);
    // Draws few lines in a tall plot, but always the lines at the edges.
    let every = (steps / 6.0).ceil().max(1.0);
    let mut step = 0.0;
    while step <= steps {
        let value = transform.low + (transform.high - transform.low) * step / steps;
        let y = transform.point(0.0, value).y;
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
        plot_transform::paint_result_value(ui, transform, view, value, theme);
        step += every;
    }
}

fn curve_points(transform: &PlotTransform, curve: &Curve) -> Vec<Pos2> {
    // Samples every few points and at each key, because linear curves have corners at keys.
    let count = (transform.plot.width() / 4.0).clamp(24.0, 400.0) as usize;
    let mut ts: Vec<f32> = (0..=count).map(|i| i as f32 / count as f32).collect();
    ts.extend(curve.keys().iter().map(|k| k.t.clamp(0.0, 1.0)));
    ts.sort_by(f32::total_cmp);
    ts.into_iter().map(|t| transform.point(t, curve.eval(t).clamp(transform.low, transform.high))).collect()
}

fn paint_ghost(
    ui: &Ui,
    transform: &PlotTransform,
    view: &CurveEditorInput<'_>,
    memory: &CurveEditorMemory,
    theme: &Theme,
) {
    let dragged = memory.drag.as_ref().map(|drag| &drag.curve);
    let Some(before) = dragged.or(view.before).filter(|before| *before != view.curve) else { return };
    let color = faded(theme.color.ghost, alpha::GHOST_LINE);
    let points = curve_points(transform, before);
    let label = tr!(theme, "before");
    let width = paint::text_width(ui, &label, TextSize::Tiny) + 10.0;
    let end = points.iter().rev().take_while(|p| p.x > transform.plot.right() - width);
    let (top, bottom) = end.fold((f32::MAX, f32::MIN), |(top, bottom), p| (top.min(p.y), bottom.max(p.y)));
    let last = points.last().copied().unwrap_or_default();
    paint::dashed(ui.painter(), &points, Stroke::new(stroke::CURVE_GHOST, color), 5.0, 4.0);
    // Places the label between the two lines if they are far enough apart.
    let now = transform.point(1.0, view.curve.eval(1.0));
    let above = now.y > last.y;
    let at = pos2(last.x - 6.0, if above { top - 3.0 } else { bottom + 3.0 });
    let anchor = if above { Align2::RIGHT_BOTTOM } else { Align2::RIGHT_TOP };
    let height = if above { at.y - transform.plot.top() } else { transform.plot.bottom() - at.y };
    if height > 12.0 {
        paint::text(ui.painter(), at, anchor, &label, TextSize::Tiny, theme.color.text_3);
    }
}

fn paint_curve(ui: &Ui, transform: &PlotTransform, view: &CurveEditorInput<'_>, theme: &Theme) {
    let color = theme.role(view.role);
    let points = curve_points(transform, view.curve);
    let mut area = Mesh::default();
    let fill = faded(color, alpha::CURVE_FILL);
    let floor = transform.point(0.0, 0.0).y;
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
    transform: &PlotTransform,
    id: Id,
    view: &CurveEditorInput<'_>,
    memory: &mut CurveEditorMemory,
    changes: &mut Vec<CurveChange>,
) {
    let theme = Theme::of(ui);
    let keys = view.curve.keys();
    for (i, key) in keys.iter().enumerate() {
        let hit = Rect::from_center_size(transform.key(key), vec2(size::KEY_HIT, size::KEY_HIT));
        let response = ui.interact(hit, id.with(("key", i)), Sense::click_and_drag());
        let number = (i + 1).to_string();
        let name = tr!(theme, "Key {n} of {name}", n = &number, name = view.name);
        response.widget_info(|| WidgetInfo::slider(true, f64::from(key.value), &name));
        if response.clicked() || response.drag_started() || response.gained_focus() {
            memory.selected = Some(i);
        }
        if response.drag_started() || response.clicked() {
            response.request_focus();
        }
        let aim = |drag: &CurveDrag, at: Pos2, held: Modifiers| moved_key(transform, view, drag, at, held);
        drag_ui(ui, &response, i, view, memory, changes, aim);
        move_key_by_arrows(ui, &response, i, view, changes);
        paint_key(ui, transform.key(key), &response, memory.selected == Some(i), theme.role(view.role), &theme);
        response.on_hover_and_drag_cursor(CursorIcon::Move);
    }
    if let Some(i) = memory.selected
        && view.curve.interpolation() == Interpolation::Hermite
        && let Some(key) = keys.get(i)
    {
        let first_and_last = [i > 0, i + 1 < keys.len()];
        for (side, exists) in [-1.0, 1.0].into_iter().zip(first_and_last) {
            if exists {
                let handle = SlopeHandle { key_index: i, key, side };
                slope_handle_ui(ui, transform, id, handle, view, memory, changes);
            }
        }
    }
}

/// Handles a drag as one gesture. Esc cancels the gesture.
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
    // egui ends a drag when Esc is pressed.
    let taken_back = ui.input_mut(|i| i.consume_key(Modifiers::NONE, Key::Escape));
    changes.push(if taken_back { CurveChange::Cancelled } else { CurveChange::Committed });
    memory.drag = None;
}

fn moved_key(
    transform: &PlotTransform,
    view: &CurveEditorInput<'_>,
    drag: &CurveDrag,
    at: Pos2,
    held: Modifiers,
) -> Curve {
    let Some(key) = drag.curve.keys().get(drag.key) else { return drag.curve.clone() };
    let mut by = at - drag.start;
    if held.shift {
        by = if by.x.abs() > by.y.abs() { vec2(by.x, 0.0) } else { vec2(0.0, by.y) };
    }
    let aim = transform.key(key) + by;
    let mut t = transform.t(aim);
    let mut value = transform.value(aim);
    let reach = END_SNAP_DISTANCE / transform.plot.width();
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
                plot_transform::ticks(transform.plot.width(), span, format).into_iter().map(|(t, _)| t).collect()
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

/// A handle that changes the slope of the curve at a key.
#[derive(Clone, Copy)]
struct SlopeHandle<'a> {
    key_index: usize,
    key: &'a CurveKey,
    /// Side of the key: −1 is left, 1 is right.
    side: f32,
}

fn slope_handle_ui(
    ui: &Ui,
    transform: &PlotTransform,
    id: Id,
    handle: SlopeHandle<'_>,
    view: &CurveEditorInput<'_>,
    memory: &mut CurveEditorMemory,
    changes: &mut Vec<CurveChange>,
) {
    let SlopeHandle { key_index, key, side } = handle;
    let c = Theme::of(ui).color;
    let at = transform.handle(key, side);
    let hit = Rect::from_center_size(at, vec2(18.0, 18.0));
    let response = ui.interact(hit, id.with(("handle", key_index, side > 0.0)), Sense::drag());
    let line = Stroke::new(stroke::HAIRLINE, c.text_3);
    ui.painter().line_segment([transform.key(key), at], line);
    let ring = if response.hovered() || response.dragged() { c.accent } else { c.text_2 };
    ui.painter().circle(at, size::HANDLE / 2.0, c.panel, Stroke::new(1.5, ring));
    let aim = |drag: &CurveDrag, at: Pos2, held: Modifiers| {
        let Some(key) = drag.curve.keys().get(drag.key) else { return drag.curve.clone() };
        let slope = transform.slope(key, side, at);
        let slope = if held.command { 0.0 } else { (slope * 100.0).round() / 100.0 };
        // Alt breaks the tangent. Without Alt, both sides of the tangent rotate together.
        let (left, right) = (side < 0.0 || !held.alt, side > 0.0 || !held.alt);
        let turned = CurveKey {
            slope_in: if left { slope } else { key.slope_in },
            slope_out: if right { slope } else { key.slope_out },
            ..*key
        };
        drag.curve.with_key_moved(drag.key, turned)
    };
    drag_ui(ui, &response, key_index, view, memory, changes, aim);
    response.on_hover_and_drag_cursor(CursorIcon::Grab);
}

fn add_key(
    transform: &PlotTransform,
    view: &CurveEditorInput<'_>,
    at: Pos2,
    memory: &mut CurveEditorMemory,
    changes: &mut Vec<CurveChange>,
) {
    let t = transform.t(at);
    let (mut curve, index) = view.curve.with_key_added(t);
    let on_line = transform.key(&curve.keys()[index]);
    if (on_line.y - at.y).abs() > CURVE_HIT_DISTANCE {
        let value = (transform.value(at).clamp(transform.low, transform.high) * 100.0).round() / 100.0;
        let key = CurveKey { value, ..curve.keys()[index] };
        curve = curve.with_key_moved(index, key);
    }
    memory.selected = Some(index);
    push_committed_change(curve, changes);
}

/// Handles Delete and Esc if the pointer or the focus is in the plot.
fn handle_editor_keys(
    ui: &Ui,
    ground: &Response,
    view: &CurveEditorInput<'_>,
    memory: &mut CurveEditorMemory,
    changes: &mut Vec<CurveChange>,
) {
    // egui removes the focus on Esc before this function runs, so the focus of the last frame also counts.
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

/// Height of the joint values below the plot.
pub(super) const LABEL_HEIGHT: f32 = 42.0;
const TICK_HIT_DISTANCE: f32 = 8.0;
const HALF_LABEL_GAP: f32 = 3.0;

/// Handles hover and clicks of joints. Returns the hovered joint.
pub(super) fn joints_ui(
    ui: &Ui,
    transform: &PlotTransform,
    id: Id,
    view: &CurveEditorInput<'_>,
    ground: &Response,
    changes: &mut Vec<CurveChange>,
) -> Option<usize> {
    let theme = Theme::of(ui);
    let near = |at: Pos2| {
        let far = |j: &JointMark<'_>| (transform.point(j.t, 0.0).x - at.x).abs();
        let found = view.axis.joints().iter().enumerate().min_by(|a, b| far(a.1).total_cmp(&far(b.1)));
        found.filter(|(_, j)| far(j) <= TICK_HIT_DISTANCE).map(|(i, _)| i)
    };
    let mut hovered = ground.hover_pos().filter(|_| ground.hovered()).and_then(near);
    let mut clicked = ground.interact_pointer_pos().filter(|_| ground.clicked()).and_then(near);
    let gap = transform.plot.width() / view.axis.joints().len().max(2) as f32;
    for (i, joint) in view.axis.joints().iter().enumerate() {
        let at = pos2(transform.point(joint.t, 0.0).x, transform.plot.bottom() + LABEL_HEIGHT / 2.0 + 2.0);
        let foot = Rect::from_center_size(at, vec2(gap.clamp(10.0, 64.0), LABEL_HEIGHT - 8.0));
        let response = ui.interact(foot, id.with(("joint", i)), Sense::click());
        let name = tr!(theme, "Joint {n} of {name}", n = joint.number, name = view.name);
        response.widget_info(|| WidgetInfo::selected(Role::Button, true, joint.active, &name));
        let response = response.on_hover_cursor(CursorIcon::PointingHand);
        focus_ring(ui, &response, foot, 4.0);
        hovered = if response.hovered() { Some(i) } else { hovered };
        clicked = if response.clicked() { Some(i) } else { clicked };
    }
    changes.extend(hovered.map(CurveChange::HoverJoint));
    changes.extend(clicked.filter(|&i| !view.axis.joints()[i].active).map(CurveChange::SelectJoint));
    hovered
}

pub(super) fn paint_joints(
    ui: &Ui,
    transform: &PlotTransform,
    view: &CurveEditorInput<'_>,
    hovered: Option<usize>,
    theme: &Theme,
) {
    let c = theme.color;
    let painter = ui.painter();
    let color = theme.role(view.role);
    let x_of = |joint: &JointMark<'_>| transform.point(joint.t, transform.low).x;
    let is_lit = |i: usize| view.axis.joints()[i].highlighted || hovered == Some(i);
    for (i, joint) in view.axis.joints().iter().enumerate() {
        let factor = joint.override_factor.unwrap_or_else(|| view.curve.eval(joint.t));
        let head = transform.point(joint.t, factor.clamp(transform.low, transform.high));
        if joint.active {
            painter.vline(head.x, transform.plot.y_range(), Stroke::new(1.5, faded(c.accent, alpha::HANDLE_IDLE)));
        } else {
            let strength = if is_lit(i) { 1.0 } else { 0.55 };
            painter.vline(head.x, head.y..=transform.plot.bottom(), Stroke::new(1.25, faded(color, strength)));
        }
        let radius = if is_lit(i) { 3.5 } else { 2.5 };
        if joint.override_factor.is_some() {
            // The inspector uses the same ring for joints that have their own value.
            painter.circle(head, radius + 1.0, c.panel, Stroke::new(1.5, c.accent));
        } else {
            painter.circle_filled(head, radius, color);
        }
    }
    let captions: Vec<String> = view.axis.joints().iter().map(caption).collect();
    let spans: Vec<Rangef> = view
        .axis
        .joints()
        .iter()
        .zip(&captions)
        .map(|(joint, caption)| {
            let wide = paint::text_width(ui, joint.value, TextSize::Strong).max(paint::text_width(
                ui,
                caption,
                TextSize::Tiny,
            ));
            Rangef::point(x_of(joint)).expand(wide / 2.0 + HALF_LABEL_GAP)
        })
        .collect();
    let active = view.axis.joints().iter().position(|j| j.active);
    let highlighted = (0..view.axis.joints().len()).find(|&i| is_lit(i));
    for i in visible_labels(&spans, active, highlighted) {
        let joint = &view.axis.joints()[i];
        let text = if joint.active || is_lit(i) { TextSize::Strong } else { TextSize::Number };
        let at = pos2(x_of(joint), transform.plot.bottom() + 15.0);
        paint::text(painter, at, Align2::CENTER_CENTER, joint.value, text, c.text);
        let caption_color = if joint.active { c.accent } else { c.text_3 };
        let at = pos2(at.x, transform.plot.bottom() + 31.0);
        paint::text(painter, at, Align2::CENTER_CENTER, &captions[i], TextSize::Tiny, caption_color);
    }
}

fn caption(joint: &JointMark<'_>) -> String {
    if joint.active && !joint.meaning.is_empty() {
        format!("{} {}", joint.number, joint.meaning)
    } else {
        joint.number.to_owned()
    }
}

/// Returns the indices of the labels that fit without overlap. The highlighted label is always visible. The active
/// label has second priority, and the other labels follow from the left. Highlighting a joint hides only the labels
/// that overlap the highlighted label, so the other labels do not move under the pointer.
fn visible_labels(spans: &[Rangef], active: Option<usize>, highlighted: Option<usize>) -> Vec<usize> {
    let mut chosen: Vec<usize> = active.into_iter().collect();
    for (i, span) in spans.iter().enumerate() {
        if !chosen.iter().any(|&other| spans[other].intersects(*span)) {
            chosen.push(i);
        }
    }
    if let Some(highlighted) = highlighted {
        chosen.retain(|&other| !spans[other].intersects(spans[highlighted]));
        chosen.push(highlighted);
    }
    chosen.sort_unstable();
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(places: &[f32], active: Option<usize>, highlighted: Option<usize>, expected: &[usize]) {
        let spans: Vec<_> = places.iter().map(|x| Rangef::point(*x).expand(14.0)).collect();
        assert_eq!(visible_labels(&spans, active, highlighted), expected);
    }

    #[test]
    fn labels_that_would_overlap_are_hidden() {
        check(&[0.0, 40.0, 80.0], None, None, &[0, 1, 2]);
        check(&[0.0, 20.0, 40.0, 60.0, 80.0], None, None, &[0, 2, 4]);
    }

    #[test]
    fn joints_at_the_same_place_share_one_label_and_the_active_joint_wins() {
        check(&[0.0, 50.0, 50.0, 100.0], None, None, &[0, 1, 3]);
        check(&[0.0, 50.0, 50.0, 100.0], Some(2), None, &[0, 2, 3]);
    }

    #[test]
    fn a_highlighted_joint_hides_only_overlapped_labels() {
        check(&[0.0, 20.0, 40.0, 60.0, 80.0, 100.0], None, Some(1), &[1, 4]);
        check(&[0.0, 20.0, 40.0, 60.0, 80.0, 100.0], Some(0), Some(1), &[1, 4]);
        check(&[0.0, 30.0, 60.0, 90.0], Some(3), Some(1), &[0, 1, 2, 3]);
    }
}
