//! The strip at the foot: time, motion, speed, the players' rate, recording, springing back.

use super::float;
use super::motions;
use super::players;
use crate::session::{Command, Recording, TICK};
use crate::ui::Cx;
use crate::ui::kit::bar::{Bar, BarChange};
use crate::ui::kit::frame::{Run, strip_gap};
use crate::ui::kit::icons::{self, Icon, IconButton, focus_ring, paint_icon};
use crate::ui::kit::number::NumberFormat;
use crate::ui::kit::span::Span;
use crate::ui::kit::theme::Text;
use crate::ui::kit::tokens::{SPACE, radius, size};
use crate::ui::kit::{paint, toggle};
use egui::{Align2, Color32, Rect, Response, Role, Sense, Ui, Vec2, WidgetInfo, pos2, vec2};

/// Side of the round button.
const PLAY: f32 = 34.0;
const SIDE: f32 = 28.0;
/// Windows narrower than this have no words beside the record dot.
const NARROW: f32 = 1300.0;
/// Viewports narrower than this have a short bar, and no words beside the last switch.
const ROOMY: f32 = 660.0;
/// Viewports narrower than this have none at all.
const CRAMPED: f32 = 500.0;

/// Shows it and returns where it is.
pub(super) fn show(ui: &mut Ui, rect: Rect, cx: &mut Cx<'_>) -> Rect {
    let words = Words {
        record: ui.ctx().content_rect().width() >= NARROW && rect.width() >= 640.0,
        others: rect.width() >= CRAMPED,
        all: rect.width() >= ROOMY,
    };
    let within = rect.shrink(SPACE[4]);
    let ((), place) = float::strip(ui, "transport", Align2::CENTER_BOTTOM, within, Run::Across, |ui| {
        ui.set_height(PLAY);
        ui.add_space(2.0);
        time_ui(ui, cx);
        strip_gap(ui, Run::Across);
        motions::button_ui(ui, cx, words.others);
        speed_ui(ui, cx, words.all);
        players::button_ui(ui, cx, words.others);
        strip_gap(ui, Run::Across);
        record_ui(ui, cx, words.record);
        back_ui(ui, cx, words.all);
        ui.add_space(2.0);
    });
    place
}

#[derive(Clone, Copy)]
struct Words {
    record: bool,
    others: bool,
    all: bool,
}

fn time_ui(ui: &mut Ui, cx: &mut Cx<'_>) {
    let button = |ui: &mut Ui, icon: Icon, name: &str, key: &str| {
        IconButton::new(icon, name).key(key).sized(SIDE, 18.0).show(ui).clicked()
    };
    if button(ui, icons::ARROW_COUNTER_CLOCKWISE, &cx.tr("viewport.transport.reset"), "R") {
        cx.command(Command::ResetPose);
    }
    let playing = cx.session().play().is_playing();
    if play_ui(ui, cx, playing).clicked() {
        cx.command(Command::SetPlaying(!playing));
    }
    if button(ui, icons::SKIP_FORWARD, &cx.tr("viewport.transport.step"), ".") {
        cx.command(Command::StepOnce);
    }
}

fn play_ui(ui: &mut Ui, cx: &Cx<'_>, playing: bool) -> Response {
    let c = cx.theme.color;
    let (place, response) = ui.allocate_exact_size(Vec2::splat(PLAY), Sense::click());
    let name = cx.tr(if playing { "viewport.transport.pause" } else { "viewport.transport.play" });
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &*name));
    let fill = if response.hovered() { c.accent_hover } else { c.accent };
    ui.painter().circle_filled(place.center(), PLAY / 2.0, fill);
    if playing {
        for side in [-1.0, 1.0] {
            let bar = Rect::from_center_size(place.center() + vec2(side * 4.0, 0.0), vec2(4.0, 13.0));
            ui.painter().rect_filled(bar, 1.0, c.accent_text);
        }
    } else {
        let at = place.center() + vec2(1.5, 0.0);
        let triangle = vec![at + vec2(-5.5, -7.0), at + vec2(6.5, 0.0), at + vec2(-5.5, 7.0)];
        ui.painter().add(egui::Shape::convex_polygon(triangle, c.accent_text, egui::Stroke::NONE));
    }
    focus_ring(ui, &response, place, PLAY / 2.0);
    let key = cx.tr("viewport.key.space");
    response.on_hover_text(format!("{name}   {key}"))
}

fn speed_ui(ui: &mut Ui, cx: &mut Cx<'_>, roomy: bool) {
    let name = cx.tr("viewport.transport.speed");
    let speed = cx.session().play().speed();
    let format = NumberFormat::with_suffix(" ×", 2);
    let bar = Bar { format, ..Bar::new(&name, speed, Span::linear(0.1, 2.0)) };
    let out = bar.show(ui, if roomy { 92.0 } else { 64.0 });
    for change in out.changes {
        if let BarChange::Set(speed) = change {
            cx.command(Command::SetSpeed(speed));
        }
    }
    if out.response.on_hover_text(cx.tr("viewport.transport.speed_hint")).secondary_clicked() {
        cx.command(Command::SetSpeed(1.0));
    }
}

fn record_ui(ui: &mut Ui, cx: &mut Cx<'_>, with_words: bool) {
    let (on, words) = match cx.session().play().recording() {
        Recording::Off => (false, cx.tr("viewport.transport.record").into_owned()),
        Recording::Armed => (true, cx.tr("viewport.transport.armed").into_owned()),
        Recording::Running { samples, .. } => {
            let seconds = format!("{:.1}", samples.len() as f64 * TICK);
            (true, cx.tr_with("viewport.transport.recording", &[("s", &seconds)]))
        }
    };
    let name = cx.tr(if on { "viewport.transport.stop_recording" } else { "viewport.transport.record" });
    let shown = if with_words || on { words.as_str() } else { "" };
    let color = cx.theme.color.record;
    let button = Flat { name: &name, words: shown, on, icon: None };
    let (response, at) = button.show(ui);
    if on {
        let square = Rect::from_center_size(at, Vec2::splat(9.0));
        ui.painter().rect_filled(square, 1.5, color);
    } else {
        ui.painter().circle_stroke(at, 6.5, egui::Stroke::new(1.0, color));
        ui.painter().circle_filled(at, 4.5, color);
    }
    if response.on_hover_text(cx.tr("viewport.transport.record_hint")).clicked() {
        cx.command(Command::Record(!on));
    }
}

fn back_ui(ui: &mut Ui, cx: &mut Cx<'_>, with_words: bool) {
    let name = cx.tr("viewport.transport.springs_back");
    let on = cx.session().play().springs_back();
    if with_words {
        let (place, _) = ui.allocate_exact_size(vec2(16.0, 24.0), Sense::hover());
        paint_icon(ui.painter(), place.center(), icons::ARROW_BEND_DOWN_LEFT, 15.0, cx.theme.color.text_2);
        ui.label(Text::Body.rich(name.clone()).color(cx.theme.color.text));
    }
    let switch = toggle::switch(ui, &name, on).on_hover_text(cx.tr("viewport.transport.springs_back_hint"));
    if switch.clicked() {
        cx.command(Command::SetSpringsBack(!on));
    }
}

/// A button without an edge: room for a mark, and words.
pub(super) struct Flat<'a> {
    pub name: &'a str,
    pub words: &'a str,
    pub on: bool,
    pub icon: Option<Icon>,
}

impl Flat<'_> {
    /// Adds it; also gives the middle of its mark.
    pub(super) fn show(self, ui: &mut Ui) -> (Response, egui::Pos2) {
        let c = crate::ui::kit::theme::Theme::of(ui).color;
        let room = if self.words.is_empty() { 0.0 } else { 6.0 + paint::width_of(ui, self.words, Text::Body) };
        let width = 8.0 + size::ICON + room + 8.0;
        let (place, response) = ui.allocate_exact_size(vec2(width, SIDE), Sense::click());
        response.widget_info(|| {
            if self.on {
                WidgetInfo::selected(Role::Button, true, true, self.name)
            } else {
                WidgetInfo::labeled(Role::Button, true, self.name)
            }
        });
        let fill = match () {
            () if response.is_pointer_button_down_on() => c.pressed,
            () if response.hovered() => c.hover,
            () => Color32::TRANSPARENT,
        };
        ui.painter().rect_filled(place, radius::BUTTON, fill);
        let mark = pos2(place.left() + 8.0 + size::ICON / 2.0, place.center().y);
        if let Some(icon) = self.icon {
            paint_icon(ui.painter(), mark, icon, size::ICON, c.text_2);
        }
        let at = pos2(mark.x + size::ICON / 2.0 + 6.0, mark.y);
        paint::text(ui.painter(), at, Align2::LEFT_CENTER, self.words, Text::Body, c.text);
        focus_ring(ui, &response, place, radius::BUTTON);
        (response, mark)
    }
}
