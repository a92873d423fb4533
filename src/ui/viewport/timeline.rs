//! A thin timeline above the transport: one cycle of the motion with the frames that an open dialog marks, or a long
//! animation with the range that plays.

use crate::tr;
use crate::ui::kit::paint;
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::tokens::{radius, size, space, stroke};
use crate::ui::{TimelineMarks, UiContext};
use egui::{Align2, Pos2, Rect, Response, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2, vec2};
use yuremono_session::{Command, Motion};

const HEIGHT: f32 = size::HIT_MIN;
/// Width of the text with the time, at the right.
const TIME_WIDTH: f32 = 56.0;
/// Width of the text with the time and the duration of an animation.
const ANIMATION_TIME_WIDTH: f32 = 104.0;
/// Height of the mark with the smallest depth, as a share of the highest mark.
const MIN_MARK: f32 = 0.3;

/// Duration from which an animation has a timeline, in seconds. Shorter ones repeat within the recorded seconds.
const MIN_SECONDS: f64 = 10.0;
/// How long the motion plays before the moment to which the artist scrubs, while the pointer is down and after its release,
/// in seconds.
const SCRUB_LEADS: [f64; 2] = [0.25, 1.5];
/// Time from the last moment to the end, in seconds.
const LAST_MOMENT: f64 = 1e-3;

/// Returns whether a timeline is drawn.
pub(in crate::ui) fn is_shown(cx: &UiContext<'_>) -> bool {
    cx.state.timeline_marks.is_some() || animation_seconds(cx).is_some()
}

/// Returns the duration of the present animation if it is long.
fn animation_seconds(cx: &UiContext<'_>) -> Option<f64> {
    let clip = cx.playback().settings().motion.clip()?;
    let seconds = f64::from(cx.character().clips.get(clip)?.duration);
    (seconds >= MIN_SECONDS).then_some(seconds)
}

/// Draws the timeline above the transport: the marks of a dialog, else a long animation.
pub(super) fn show(ui: &mut Ui, rect: Rect, transport: Rect, cx: &mut UiContext<'_>) {
    let width = transport.width().min(rect.width() - 2.0 * space::L);
    let center = pos2(transport.center().x, transport.top() - space::S - HEIGHT / 2.0);
    let strip = Rect::from_center_size(center, vec2(width, HEIGHT));
    let motion = cx.playback().settings().motion;
    if let Some(marks) = cx.state.timeline_marks.clone().filter(|marks| marks.motion == motion) {
        marks_ui(ui, strip, cx, &marks);
    } else if let Some(seconds) = animation_seconds(cx) {
        animation_ui(ui, strip, cx, seconds);
    }
}

/// Draws a long animation. A drag scrubs; with Shift, a drag selects the range that plays.
fn animation_ui(ui: &mut Ui, strip: Rect, cx: &mut UiContext<'_>, seconds: f64) {
    let c = cx.theme.color;
    let response = ui.interact(strip, ui.scope_id().with("animation"), Sense::CLICK | Sense::DRAG);
    let settings = *cx.playback().settings();
    let now = cx.playback().motion_seconds(cx.character(), cx.document());
    let name = tr!(cx, "Time in the motion");
    let value = format!("{} / {}", clock_text(now), clock_text(seconds));
    response.widget_info(|| WidgetInfo {
        value: Some(now),
        current_text_value: Some(value.clone()),
        ..WidgetInfo::labeled(Role::Slider, true, &*name)
    });
    let painter = ui.painter();
    painter.rect(strip, radius::PANEL_FLOAT, c.popup, Stroke::new(stroke::EDGE, c.border), StrokeKind::Inside);
    let track = strip.shrink2(vec2(space::M, 3.0)).with_max_x(strip.right() - ANIMATION_TIME_WIDTH);
    let x = |at: f64| track.left() + track.width() * (at / seconds) as f32;
    let middle = track.center().y;
    paint::hairline(painter, track.left(), track.right(), middle, c.border_strong);
    let range = if let Motion::Range(range) = settings.motion { Some(range.seconds()) } else { None };
    let at = |pointer: Pos2| seconds * f64::from((pointer.x - track.left()) / track.width()).clamp(0.0, 1.0);
    let drag = TimelineDrag::update(ui, &response, cx, &at);
    let selected = drag.filter(|drag| drag.selects).map(|drag| drag.range());
    if let Some([start, end]) = selected.or(range) {
        let bar = Rect::from_x_y_ranges(x(start)..=x(end), middle - 3.0..=middle + 3.0);
        painter.rect_filled(bar, radius::PATCH, c.accent);
    }
    painter.vline(x(now), track.y_range(), Stroke::new(stroke::CURVE, c.text));
    let right = pos2(strip.right() - space::M, strip.center().y);
    paint::text(painter, right, Align2::RIGHT_CENTER, &value, TextSize::Small, c.text_2);
    if response.double_clicked() {
        cx.command(Command::SetMotionRange(None));
    }
    let hint = tr!(
        cx,
        "Drag: time. Shift + drag: the range that plays, also for clipping, the Doctor and matching. Double-click: all."
    );
    response.on_hover_text(format!("{name}  {value}\n{hint}"));
}

/// A press on the timeline of an animation.
#[derive(Clone, Copy, Debug, Default)]
struct TimelineDrag {
    /// Whether a range is selected, and not a time.
    selects: bool,
    /// The time at which the pointer was pressed, in seconds.
    anchor: f64,
    /// The time at the pointer, in seconds.
    target: f64,
    /// Whether the motion played before the press.
    was_playing: bool,
    /// The frame in which the drag was updated last. An older drag was interrupted.
    frame: u64,
}

impl TimelineDrag {
    const fn range(&self) -> [f64; 2] {
        [self.anchor.min(self.target), self.anchor.max(self.target)]
    }

    /// Starts, continues or ends the drag. `at` converts a position of the pointer to a time. Returns the drag while the
    /// pointer is down.
    fn update(ui: &Ui, response: &Response, cx: &mut UiContext<'_>, at: &dyn Fn(Pos2) -> f64) -> Option<Self> {
        let id = response.id.with("drag");
        let frame = ui.ctx().cumulative_frame_nr();
        let before: Option<Self> = ui.data(|data| data.get_temp(id));
        let before = before.filter(|drag| drag.frame + 1 >= frame);
        let pointer = response.interact_pointer_pos().filter(|_| response.is_pointer_button_down_on());
        let Some(pointer) = pointer else {
            ui.data_mut(|data| data.remove_temp::<Self>(id));
            if let Some(drag) = before {
                drag.finish(cx);
            }
            return None;
        };
        let drag = before.unwrap_or_else(|| Self {
            selects: ui.input(|input| input.modifiers.shift),
            anchor: at(ui.input(|input| input.pointer.press_origin()).unwrap_or(pointer)),
            target: f64::NAN,
            was_playing: cx.playback().settings().playing,
            frame,
        });
        let moved = Self { target: at(pointer), frame, ..drag };
        if !drag.selects && moved.target != drag.target {
            seek(cx, moved.target, SCRUB_LEADS[0]);
        }
        ui.data_mut(|data| data.insert_temp(id, moved));
        Some(moved)
    }

    fn finish(self, cx: &mut UiContext<'_>) {
        if self.selects {
            cx.command(Command::SetMotionRange(Some(self.range())));
            cx.command(Command::SetPlaying(true));
            return;
        }
        seek(cx, self.target, SCRUB_LEADS[1]);
        if self.was_playing {
            cx.command(Command::SetPlaying(true));
        }
    }
}

/// Shows a time of the animation, after the motion has played for at most `lead` seconds. A time outside the range that
/// plays shows its nearest end.
fn seek(cx: &mut UiContext<'_>, seconds: f64, lead: f64) {
    let settings = *cx.playback().settings();
    let (character, document) = (cx.character(), cx.document());
    let speed = f64::from(settings.motion_speed);
    let length = cx.playback().period(character, document).map_or(f64::MAX, |period| period * speed);
    // At the end itself, a motion that repeats starts again.
    let time = (seconds - settings.motion.start_seconds()).clamp(0.0, (length - LAST_MOMENT).max(0.0));
    cx.command(Command::Seek { time, lead: lead.min(time / speed) });
}

/// Returns a time such as "3:07.5".
fn clock_text(seconds: f64) -> String {
    let tenths = (seconds * 10.0).round() as u64;
    format!("{}:{:02}.{}", tenths / 600, tenths / 10 % 60, tenths % 10)
}

fn marks_ui(ui: &mut Ui, strip: Rect, cx: &mut UiContext<'_>, marks: &TimelineMarks) {
    let settings = *cx.playback().settings();
    let c = cx.theme.color;
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
