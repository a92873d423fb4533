//! The strip at the bottom with time, motion, speed, frame rate of players, and recording.

use super::motion_list::{menu_row, motion_button_ui};
use super::wind_menu::wind_button_ui;
use crate::tr;
use crate::ui::UiContext;
use crate::ui::actions::Action;
use crate::ui::kit::button::FlatButton;
use crate::ui::kit::frame::{self, StripDirection, strip_separator};
use crate::ui::kit::icons::{self, Icon, IconButton, focus_ring, paint_icon};
use crate::ui::kit::number::Span;
use crate::ui::kit::number::{NumberFormat, short_number};
use crate::ui::kit::param_bar::{BarChange, ParamBar};
use crate::ui::kit::param_row::info_note;
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::tokens::space;
use crate::ui::kit::{paint, toggle};
use egui::{Align2, Popup, Rect, RectAlign, Response, Role, Sense, Ui, UiBuilder, Vec2, WidgetInfo, pos2, vec2};
use yuremono_session::{Command, PLAYER_FRAME_RATES, Recording, TICK_SECONDS};
use yuremono_sim::diagnostics::message;

/// Diameter of the play button, in points.
const PLAY_BUTTON_SIZE: f32 = 34.0;
const BUTTON_SIZE: f32 = 28.0;
/// Minimum window width for a label on the record button, in points.
const MIN_WINDOW_WIDTH_FOR_LABELS: f32 = 1300.0;
/// Minimum viewport width for a long speed bar and a label on the last switch, in points.
const MIN_WIDTH_FOR_LONG_BAR: f32 = 660.0;
/// Minimum viewport width for labels, in points.
const MIN_WIDTH_FOR_LABELS: f32 = 500.0;

pub(super) fn show(ui: &mut Ui, rect: Rect, cx: &mut UiContext<'_>) -> Rect {
    let labels = VisibleLabels {
        record: ui.ctx().content_rect().width() >= MIN_WINDOW_WIDTH_FOR_LABELS && rect.width() >= 640.0,
        others: rect.width() >= MIN_WIDTH_FOR_LABELS,
        all: rect.width() >= MIN_WIDTH_FOR_LONG_BAR,
    };
    let within = rect.shrink(space::L);
    let ((), strip_rect) = strip(ui, "transport", Align2::CENTER_BOTTOM, within, StripDirection::Horizontal, |ui| {
        ui.set_height(PLAY_BUTTON_SIZE);
        ui.add_space(space::XXS);
        time_ui(ui, cx);
        strip_separator(ui, StripDirection::Horizontal);
        motion_button_ui(ui, cx, labels.others);
        speed_ui(ui, cx, labels.all);
        rate_button_ui(ui, cx, labels.others);
        wind_button_ui(ui, cx);
        strip_separator(ui, StripDirection::Horizontal);
        record_ui(ui, cx, labels.record);
        spring_back_ui(ui, cx, labels.all);
        kept_pose_ui(ui, cx);
        ui.add_space(space::XXS);
    });
    strip_rect
}

#[derive(Clone, Copy)]
struct VisibleLabels {
    record: bool,
    others: bool,
    all: bool,
}

fn time_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    let button = |ui: &mut Ui, icon: Icon, name: &str, key: &str| {
        IconButton::new(icon, name).key(key).sized(BUTTON_SIZE, 18.0).show(ui).clicked()
    };
    if button(ui, icons::ARROW_COUNTER_CLOCKWISE, &tr!(cx, "Reset pose"), "R") {
        cx.command(Command::ResetPose);
    }
    let playing = cx.playback().settings().playing;
    if play_ui(ui, cx, playing).clicked() {
        cx.command(Command::SetPlaying(!playing));
    }
    if button(ui, icons::SKIP_BACK, &tr!(cx, "One step back"), ", ←") {
        cx.command(Command::StepBack);
    }
    if button(ui, icons::SKIP_FORWARD, &tr!(cx, "One step"), ". →") {
        cx.command(Command::StepOnce);
    }
}

fn play_ui(ui: &mut Ui, cx: &UiContext<'_>, playing: bool) -> Response {
    let c = cx.theme.color;
    let (rect, response) = ui.allocate_exact_size(Vec2::splat(PLAY_BUTTON_SIZE), Sense::click());
    let name = cx.tr(if playing { message!("Pause") } else { message!("Play") });
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &*name));
    let fill = if response.hovered() { c.accent_hover } else { c.accent };
    ui.painter().circle_filled(rect.center(), PLAY_BUTTON_SIZE / 2.0, fill);
    if playing {
        for side in [-1.0, 1.0] {
            let bar = Rect::from_center_size(rect.center() + vec2(side * 4.0, 0.0), vec2(4.0, 13.0));
            ui.painter().rect_filled(bar, 1.0, c.accent_text);
        }
    } else {
        let at = rect.center() + vec2(1.5, 0.0);
        let triangle = vec![at + vec2(-5.5, -7.0), at + vec2(6.5, 0.0), at + vec2(-5.5, 7.0)];
        ui.painter().add(egui::Shape::convex_polygon(triangle, c.accent_text, egui::Stroke::NONE));
    }
    focus_ring(ui, &response, rect, PLAY_BUTTON_SIZE / 2.0);
    let key = tr!(cx, "Space");
    response.on_hover_text(format!("{name}   {key}"))
}

fn speed_ui(ui: &mut Ui, cx: &mut UiContext<'_>, roomy: bool) {
    let name = tr!(cx, "Playback speed");
    let speed = cx.playback().settings().speed;
    let format = NumberFormat::with_suffix(" ×", 2);
    let bar = ParamBar { format, ..ParamBar::new(&name, speed, Span::linear(0.1, 2.0)) };
    let out = bar.show(ui, if roomy { 92.0 } else { 64.0 });
    for change in out.changes {
        if let BarChange::Set(speed) = change {
            cx.command(Command::SetPlaybackSpeed(speed));
        }
    }
    if out.response.on_hover_text(tr!(cx, "Playback speed, 0.1 × to 2 ×. Right-click: 1 ×.")).secondary_clicked() {
        cx.command(Command::SetPlaybackSpeed(1.0));
    }
}

fn record_ui(ui: &mut Ui, cx: &mut UiContext<'_>, with_label: bool) {
    let (on, label) = match cx.playback().recording() {
        Recording::Off => (false, tr!(cx, "Record gesture")),
        Recording::Armed => (true, tr!(cx, "Waiting for a drag")),
        Recording::Running { samples, .. } => {
            let seconds = format!("{:.1}", samples.len() as f64 * TICK_SECONDS);
            (true, tr!(cx, "Recording {s} s", s = &seconds))
        }
    };
    let name = cx.tr(if on { message!("Stop recording") } else { message!("Record gesture") });
    let shown = if with_label || on { &*label } else { "" };
    let color = cx.theme.color.record;
    let button = FlatButton { name: &name, label: shown, on, icon: None };
    let (response, at) = button.show(ui);
    if on {
        let square = Rect::from_center_size(at, Vec2::splat(9.0));
        ui.painter().rect_filled(square, 1.5, color);
    } else {
        ui.painter().circle_stroke(at, 6.5, egui::Stroke::new(1.0, color));
        ui.painter().circle_filled(at, 4.5, color);
    }
    if response.on_hover_text(tr!(cx, "Records your next drag as a repeating motion")).clicked() {
        cx.command(Command::SetRecording(!on));
    }
}

fn spring_back_ui(ui: &mut Ui, cx: &mut UiContext<'_>, with_label: bool) {
    let name = tr!(cx, "Return on release");
    let on = cx.playback().settings().drags_spring_back;
    if with_label {
        let (icon_rect, _) = ui.allocate_exact_size(vec2(16.0, 24.0), Sense::hover());
        paint_icon(ui.painter(), icon_rect.center(), icons::ARROW_BEND_DOWN_LEFT, 15.0, cx.theme.color.text_2);
        ui.label(TextSize::Body.rich(name.clone()).color(cx.theme.color.text));
    }
    let switch = toggle::switch(ui, &name, on)
        .on_hover_text(tr!(cx, "Returns the dragged bone to its place when you release it"));
    if switch.clicked() {
        cx.command(Command::SetSpringsBack(!on));
    }
}

/// Draws the buttons that keep a pose and discard it. Only drags that do not return can be kept.
fn kept_pose_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    let actions = [
        (Action::KeepPose, icons::PUSH_PIN, !cx.playback().settings().drags_spring_back),
        (Action::DiscardKeptPose, icons::TRASH, !cx.document().kept_pose.is_empty()),
    ];
    for (action, icon, _) in actions.into_iter().filter(|(.., is_shown)| *is_shown) {
        let (name, enabled) = (cx.tr(action.label()), action.is_enabled(cx));
        let button = IconButton { enabled, ..IconButton::new(icon, &name).sized(BUTTON_SIZE, 18.0) };
        let hint = action.hint(cx).unwrap_or_default();
        if button.hint(&hint).show(ui).clicked() {
            action.run(cx);
        }
    }
}

/// Draws a strip inside `within` with the size of its contents. The strip blocks clicks. Returns the result of
/// `contents` and the rectangle of the strip.
pub(in crate::ui) fn strip<R>(
    ui: &mut Ui,
    name: &str,
    anchor: Align2,
    within: Rect,
    run: StripDirection,
    contents: impl FnOnce(&mut Ui) -> R,
) -> (R, Rect) {
    // The position of a strip depends on its size in the last frame. The first frame only measures the strip.
    let id = ui.scope_id().with(("strip", name));
    let known: Option<Vec2> = ui.data(|d| d.get_temp(id));
    let rect = anchor.align_size_within_rect(known.unwrap_or(Vec2::new(40.0, 40.0)), within);
    if known.is_some() {
        // This area blocks the pointer but cannot get the focus.
        ui.interact(rect, id.with("shield"), Sense::CLICK | Sense::DRAG);
    }
    let builder = UiBuilder::new().id_salt(name).max_rect(rect);
    let out = ui.scope_builder(builder, |ui| {
        if known.is_none() {
            ui.set_invisible();
        }
        frame::strip(ui, run, contents)
    });
    let size = out.response.rect.size();
    if known.is_none_or(|known| (known - size).abs().max_elem() > 0.5) {
        ui.data_mut(|d| d.insert_temp(id, size));
        ui.ctx().request_discard("a strip has another size");
    }
    (out.inner, rect)
}

const RATE_MENU_WIDTH: f32 = 216.0;
/// Default frame rate of players, in frames per second.
const DEFAULT_PLAYER_FRAME_RATE: u32 = 60;

/// Applies the artist's preferred frame rate to the session, also after another character has been opened.
pub(super) fn apply_player_rate(cx: &mut UiContext<'_>) {
    let wanted = cx
        .state
        .prefs
        .player_frame_rate
        .filter(|rate| PLAYER_FRAME_RATES.contains(rate))
        .unwrap_or(DEFAULT_PLAYER_FRAME_RATE);
    if cx.playback().settings().player_frame_rate != wanted {
        cx.command(Command::SetPlayerFrameRate(wanted));
    }
}

pub(super) fn rate_button_ui(ui: &mut Ui, cx: &mut UiContext<'_>, with_label: bool) {
    let rate = cx.playback().settings().player_frame_rate.to_string();
    let name = tr!(cx, "Players' frame rate: {n} fps", n = &rate);
    let shown = if with_label { tr!(cx, "{n} fps", n = &rate) } else { "".into() };
    let (response, _) = FlatButton { name: &name, label: &shown, on: false, icon: Some(icons::GAUGE) }.show(ui);
    let menu = Popup::menu(&response).align(RectAlign::TOP_START).gap(10.0);
    menu.show(|ui| rate_menu_ui(ui, cx));
    response.on_hover_text(name);
}

fn rate_menu_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    ui.set_width(RATE_MENU_WIDTH);
    ui.spacing_mut().item_spacing.y = 1.0;
    let c = cx.theme.color;
    ui.label(TextSize::Strong.rich(tr!(cx, "Players' frame rate")).color(c.text));
    ui.add_space(3.0);
    let now = cx.playback().settings().player_frame_rate;
    let pace_of_one = cx.inspection().time_scale() / now as f32;
    // A solver that is independent of the frame rate always has pace 1.
    let steady = cx.inspection().is_frame_rate_independent();
    for rate in PLAYER_FRAME_RATES {
        let pace = if steady { 1.0 } else { pace_of_one * rate as f32 };
        if rate_row_ui(ui, cx, rate, pace, rate == now).clicked() {
            cx.state.prefs.player_frame_rate = (rate != DEFAULT_PLAYER_FRAME_RATE).then_some(rate);
            cx.command(Command::SetPlayerFrameRate(rate));
            ui.close();
        }
    }
    ui.add_space(space::XS);
    info_note(
        ui,
        &cx.tr(if steady {
            message!("In this mode, hair moves at the same speed at every frame rate.")
        } else {
            message!("Unity-accurate mode: one step per frame, however long the frame is.")
        }),
        0.0,
    );
}

fn rate_row_ui(ui: &mut Ui, cx: &UiContext<'_>, rate: u32, pace: f32, chosen: bool) -> Response {
    let label = tr!(cx, "{n} fps", n = rate);
    let pace = tr!(cx, "{pace} ×", pace = &short_number(pace));
    let (response, color) = menu_row(ui, &label, chosen, RATE_MENU_WIDTH);
    let rect = response.rect;
    let left = rect.left_center() + vec2(10.0, 0.0);
    paint::text(ui.painter(), left, Align2::LEFT_CENTER, &label, TextSize::Body, color);
    let right = pos2(rect.right() - 10.0, rect.center().y);
    let faint = if chosen { color } else { cx.theme.color.text_3 };
    paint::text(ui.painter(), right, Align2::RIGHT_CENTER, &pace, TextSize::Small, faint);
    response
}
