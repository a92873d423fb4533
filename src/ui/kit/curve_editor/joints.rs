//! The joints of the curve editor: ticks in the box, and beneath each the number that it gets.

use super::plot_transform::PlotTransform;
use super::{CurveChange, CurveEditorInput, JointMark};
use crate::ui::kit::icons::focus_ring;
use crate::ui::kit::paint::{self, faded};
use crate::ui::kit::theme::{TextSize, Theme};
use crate::ui::kit::tokens::alpha;
use egui::{Align2, CursorIcon, Id, Pos2, Rangef, Rect, Response, Role, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};

/// Room under the box for the numbers of the joints.
pub(super) const LABEL_HEIGHT: f32 = 42.0;
/// How near the pointer must be to a tick.
const TICK_HIT_DISTANCE: f32 = 8.0;
/// Half of the room left between two numbers.
const HALF_LABEL_GAP: f32 = 3.0;

/// Lets joints be hovered and clicked, in the box and by their numbers; the one under the pointer.
pub(super) fn joints_ui(
    ui: &Ui,
    place: &PlotTransform,
    id: Id,
    view: &CurveEditorInput<'_>,
    ground: &Response,
    changes: &mut Vec<CurveChange>,
) -> Option<usize> {
    let theme = Theme::of(ui);
    let near = |at: Pos2| {
        let far = |j: &JointMark<'_>| (place.point(j.t, 0.0).x - at.x).abs();
        let found = view.axis.joints().iter().enumerate().min_by(|a, b| far(a.1).total_cmp(&far(b.1)));
        found.filter(|(_, j)| far(j) <= TICK_HIT_DISTANCE).map(|(i, _)| i)
    };
    let mut hovered = ground.hover_pos().filter(|_| ground.hovered()).and_then(near);
    let mut clicked = ground.interact_pointer_pos().filter(|_| ground.clicked()).and_then(near);
    let gap = place.plot.width() / view.axis.joints().len().max(2) as f32;
    for (i, joint) in view.axis.joints().iter().enumerate() {
        let at = pos2(place.point(joint.t, 0.0).x, place.plot.bottom() + LABEL_HEIGHT / 2.0 + 2.0);
        let foot = Rect::from_center_size(at, vec2(gap.clamp(10.0, 64.0), LABEL_HEIGHT - 8.0));
        let response = ui.interact(foot, id.with(("joint", i)), Sense::click());
        let name = theme.tr_with("curve.joint_name", &[("n", joint.number), ("name", view.name)]);
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
    place: &PlotTransform,
    view: &CurveEditorInput<'_>,
    hovered: Option<usize>,
    theme: &Theme,
) {
    let c = theme.color;
    let painter = ui.painter();
    let color = theme.role(view.role);
    let x_of = |joint: &JointMark<'_>| place.point(joint.t, place.low).x;
    let is_lit = |i: usize| view.axis.joints()[i].highlighted || hovered == Some(i);
    for (i, joint) in view.axis.joints().iter().enumerate() {
        let factor = joint.override_factor.unwrap_or_else(|| view.curve.eval(joint.t));
        let head = place.point(joint.t, factor.clamp(place.low, place.high));
        if joint.active {
            painter.vline(head.x, place.plot.y_range(), Stroke::new(1.5, faded(c.accent, alpha::HANDLE_IDLE)));
        } else {
            let strength = if is_lit(i) { 1.0 } else { 0.55 };
            painter.vline(head.x, head.y..=place.plot.bottom(), Stroke::new(1.25, faded(color, strength)));
        }
        let radius = if is_lit(i) { 3.5 } else { 2.5 };
        if joint.override_factor.is_some() {
            // The same ring marks an own value in the inspector.
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
    let lit = (0..view.axis.joints().len()).find(|&i| is_lit(i));
    for i in visible_labels(&spans, active, lit) {
        let joint = &view.axis.joints()[i];
        let text = if joint.active || is_lit(i) { TextSize::Strong } else { TextSize::Number };
        let at = pos2(x_of(joint), place.plot.bottom() + 15.0);
        paint::text(painter, at, Align2::CENTER_CENTER, joint.value, text, c.text);
        let ink = if joint.active { c.accent } else { c.text_3 };
        let at = pos2(at.x, place.plot.bottom() + 31.0);
        paint::text(painter, at, Align2::CENTER_CENTER, &captions[i], TextSize::Tiny, ink);
    }
}

/// The number of a joint, and of the active one what its value means.
fn caption(joint: &JointMark<'_>) -> String {
    if joint.active && !joint.meaning.is_empty() {
        format!("{} {}", joint.number, joint.meaning)
    } else {
        joint.number.to_owned()
    }
}

/// Which of the texts over `spans` are written so that none runs into another: that of the lit joint always, that
/// of the active one unless the lit one covers it, of the others as many as there is room for, from the left.
/// Lighting a joint hides only what it covers, so that the rest stays still under the pointer.
fn visible_labels(spans: &[Rangef], active: Option<usize>, lit: Option<usize>) -> Vec<usize> {
    let mut chosen: Vec<usize> = active.into_iter().collect();
    for (i, span) in spans.iter().enumerate() {
        if !chosen.iter().any(|&other| spans[other].intersects(*span)) {
            chosen.push(i);
        }
    }
    if let Some(lit) = lit {
        chosen.retain(|&other| !spans[other].intersects(spans[lit]));
        chosen.push(lit);
    }
    chosen.sort_unstable();
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(places: &[f32], active: Option<usize>, lit: Option<usize>, expected: &[usize]) {
        let spans: Vec<_> = places.iter().map(|x| Rangef::point(*x).expand(14.0)).collect();
        assert_eq!(visible_labels(&spans, active, lit), expected);
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
