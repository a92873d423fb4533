//! A thin timeline above the transport: one cycle of the motion, with the frames that an open dialog marks.

use crate::tr;
use crate::ui::UiContext;
use crate::ui::kit::paint;
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::tokens::{radius, size, space, stroke};
use egui::{Align2, Rect, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2, vec2};
use yuremono_session::Command;

const HEIGHT: f32 = size::HIT_MIN;
/// Width of the text with the time, at the right.
const TIME_WIDTH: f32 = 56.0;
/// Height of the mark with the smallest depth, as a share of the highest mark.
const MIN_MARK: f32 = 0.3;

/// Draws the timeline above the transport. Nothing is drawn if no dialog marks frames of the playing motion.
pub(super) fn show(ui: &mut Ui, rect: Rect, transport: Rect, cx: &mut UiContext<'_>) {
    let settings = *cx.playback().settings();
    let Some(marks) = cx.state.timeline_marks.clone().filter(|marks| marks.motion == settings.motion) else { return };
    let c = cx.theme.color;
    let width = transport.width().min(rect.width() - 2.0 * space::L);
    let center = pos2(transport.center().x, transport.top() - space::S - HEIGHT / 2.0);
    let strip = Rect::from_center_size(center, vec2(width, HEIGHT));
    let response = ui.interact(strip, ui.scope_id().with("timeline"), Sense::CLICK | Sense::DRAG);
    let speed = f64::from(settings.motion_speed);
    let now = (cx.playback().time() / speed).rem_euclid(marks.seconds);
    let name = tr!(cx, "Frames in which hair or cloth passes through the body");
    let count = tr!(cx.theme, "{n:frame|frames}", n = marks.marks.len());
    response.widget_info(|| WidgetInfo {
        value: Some(now),
        current_text_value: Some(count.clone().into_owned()),
        ..WidgetInfo::labeled(Role::Slider, true, &*name)
    });
    let painter = ui.painter();
    painter.rect(strip, radius::PANEL_FLOAT, c.popup, Stroke::new(stroke::EDGE, c.border), StrokeKind::Inside);
    let track = strip.shrink2(vec2(space::M, 3.0)).with_max_x(strip.right() - TIME_WIDTH);
    let x = |seconds: f64| track.left() + track.width() * (seconds / marks.seconds) as f32;
    paint::hairline(painter, track.left(), track.right(), track.bottom(), c.border_strong);
    let mark_width = (x(marks.spacing) - track.left()).max(2.0);
    for (seconds, depth) in &marks.marks {
        let height = track.height() * depth.max(MIN_MARK);
        let bar = Rect::from_min_size(pos2(x(*seconds), track.bottom() - height), vec2(mark_width, height));
        painter.rect_filled(bar.with_max_x(bar.right().min(track.right())), 0.0, c.collision);
    }
    painter.vline(x(now), track.y_range(), Stroke::new(stroke::CURVE, c.text));
    let right = pos2(strip.right() - space::M, strip.center().y);
    paint::text(painter, right, Align2::RIGHT_CENTER, &format!("{now:.2} s"), TextSize::Small, c.text_2);
    let pressed = response.clicked() || response.drag_stopped();
    if let Some(pointer) = response.interact_pointer_pos().filter(|_| pressed) {
        let share = f64::from((pointer.x - track.left()) / track.width()).clamp(0.0, 1.0);
        // A frame that was checked is shown.
        let frame = (share * marks.seconds / marks.spacing).floor();
        let seconds = (frame * marks.spacing).min(marks.seconds - 0.5 * marks.spacing).max(0.0);
        let lead = if marks.repeats { f64::MAX } else { seconds };
        cx.command(Command::Seek { time: seconds * speed, lead });
    }
    response.on_hover_text(format!("{name}\n{count}"));
}
