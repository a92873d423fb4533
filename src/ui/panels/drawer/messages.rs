//! Messages: all of them, newest first, until they are cleared; and the newest over the viewport for a moment.

use super::{message_level, message_text};
use crate::diagnostics::Location;
use crate::session::{Command, MessageEntry, MessageId};
use crate::ui::kit::button::secondary;
use crate::ui::kit::frame::toast;
use crate::ui::kit::icons::{self, IconButton, paint_icon};
use crate::ui::kit::paint;
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::tokens::{motion, radius, size, space};
use crate::ui::{DrawerTab, UiContext};
use egui::text::{LayoutJob, TextFormat};
use egui::{Align, Align2, Area, Id, Order, Rect, Role, ScrollArea, Sense, Ui, UiBuilder, WidgetInfo, pos2, vec2};
use std::time::Duration;

/// Room for two icon buttons at the right of a line.
const TOOLS_WIDTH: f32 = 56.0;
const TEXT_LEFT: f32 = 36.0;

/// Copy and clear, at the right of the tabs.
pub(super) fn tools_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    let list = cx.session().messages().entries();
    if list.is_empty() {
        return;
    }
    ui.spacing_mut().item_spacing.x = space::S;
    if secondary(&cx.tr("drawer.clear_all")).small().show(ui).clicked() {
        cx.command(Command::ClearMessages);
    }
    if secondary(&cx.tr("drawer.copy_all")).small().show(ui).clicked() {
        let lines: Vec<String> = list.iter().map(|message| message_line(cx, message)).collect();
        ui.ctx().copy_text(lines.join("\n"));
    }
}

pub(super) fn show(ui: &mut Ui, cx: &mut UiContext<'_>) {
    let list = cx.session().messages().entries();
    if list.is_empty() {
        let words = cx.tr("drawer.no_messages");
        let color = cx.theme.color.text_3;
        paint::text(ui.painter(), ui.max_rect().center(), Align2::CENTER_CENTER, &words, TextSize::Body, color);
        return;
    }
    ui.spacing_mut().item_spacing.y = 0.0;
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        ui.add_space(space::XS);
        for message in list.iter().rev() {
            ui.push_id(message.id.0, |ui| message_ui(ui, cx, message));
        }
        ui.add_space(space::XS);
    });
}

fn message_line(cx: &UiContext<'_>, message: &MessageEntry) -> String {
    message_text::full_line(cx.theme.lang, cx.session().document(), message)
}

fn message_ui(ui: &mut Ui, cx: &mut UiContext<'_>, message: &MessageEntry) {
    let theme = cx.theme;
    let c = theme.color;
    let diagnostic = &message.diagnostic;
    let width = ui.available_width();
    let place = diagnostic.location.to_string();
    let mut job = LayoutJob::default();
    let format = |size: TextSize, color| TextFormat { font_id: size.font(), color, ..TextFormat::default() };
    if !place.is_empty() {
        job.append(&place, 0.0, format(TextSize::Small, c.text_2));
        job.append("  ", 0.0, format(TextSize::Small, c.text_2));
    }
    let sentence = message_text::sentence(theme.lang, cx.session().document(), message);
    job.append(&sentence, 0.0, format(TextSize::Body, c.text));
    job.wrap.max_width = width - TEXT_LEFT - TOOLS_WIDTH - 8.0;
    let galley = ui.painter().layout_job(job);
    let height = (galley.size().y + 8.0).max(size::ROW_TABLE);
    let (rect, response) = ui.allocate_exact_size(vec2(width, height), Sense::hover());
    let line = message_line(cx, message);
    response.widget_info(|| WidgetInfo::labeled(Role::ListItem, true, &line));
    if ui.rect_contains_pointer(rect) {
        ui.painter().rect_filled(rect.shrink2(vec2(space::S, 0.0)), radius::FIELD, c.hover);
    }
    let tone = message_level(diagnostic.severity);
    let first_line = rect.top() + size::ROW_TABLE / 2.0;
    paint_icon(ui.painter(), pos2(rect.left() + 22.0, first_line), tone.icon(), 15.0, tone.color(&theme));
    let top = rect.center().y - galley.size().y / 2.0;
    ui.painter().galley(pos2(rect.left() + TEXT_LEFT, top), galley, c.text);
    let tools = Rect::from_min_max(
        pos2(rect.right() - TOOLS_WIDTH - 8.0, rect.top() + space::XXS),
        rect.max - vec2(10.0, space::XXS),
    );
    let layout = egui::Layout::right_to_left(Align::Min);
    let mut tools = ui.new_child(UiBuilder::new().max_rect(tools).layout(layout));
    tools.spacing_mut().item_spacing.x = space::XXS;
    let dismiss = theme.tr("drawer.dismiss_one");
    if IconButton::new(icons::X, &dismiss).tiny().show(&mut tools).clicked() {
        cx.command(Command::DismissMessage(message.id));
    }
    let copy = theme.tr("drawer.copy_one");
    if IconButton::new(icons::COPY, &copy).tiny().show(&mut tools).clicked() {
        tools.ctx().copy_text(line);
    }
}

/// More at once would hide the character.
const MAX_TOASTS: usize = 3;
/// Above the transport.
const BOTTOM_MARGIN: f32 = 68.0;

/// Which messages are on screen and since when.
#[derive(Debug, Default)]
pub(super) struct Toasts {
    /// The newest message that was looked at.
    last_seen: Option<MessageId>,
    /// What is shown and when it came, egui's seconds.
    shown: Vec<(MessageId, f64)>,
}

impl Toasts {
    pub(super) fn show(&mut self, ui: &Ui, cx: &mut UiContext<'_>) {
        let now = ui.input(|i| i.time);
        self.add_new_messages(cx, now);
        let stay = f64::from(motion::TOAST_MS) / 1000.0;
        let list = cx.session().messages().entries();
        self.shown.retain(|(id, from)| now - from < stay && list.iter().any(|m| m.id == *id));
        // The list says it already.
        if cx.state.drawer_tab == Some(DrawerTab::Messages) {
            self.shown.clear();
        }
        let Some(first) = self.shown.first() else { return };
        ui.ctx().request_repaint_after(Duration::from_secs_f64((first.1 + stay - now).max(0.0)));
        let view = ui.available_rect_before_wrap();
        let hidden = self.shown.len().saturating_sub(MAX_TOASTS);
        let at = pos2(view.left() + space::L, view.bottom() - BOTTOM_MARGIN);
        let area = Area::new(Id::unique("toasts")).order(Order::Foreground).pivot(Align2::LEFT_BOTTOM).fixed_pos(at);
        let mut away = Vec::new();
        area.show(ui.ctx(), |ui| {
            ui.set_max_width(view.width() - 2.0 * space::L);
            ui.spacing_mut().item_spacing.y = space::S;
            for (id, _) in self.shown.iter().skip(hidden) {
                let Some(message) = list.iter().find(|m| m.id == *id) else { continue };
                let sentence = message_text::sentence(cx.theme.lang, cx.session().document(), message);
                let words = toast_text(&message.diagnostic.location, &sentence);
                if ui.push_id(id.0, |ui| toast(ui, message_level(message.diagnostic.severity), &words)).inner {
                    away.push(*id);
                }
            }
            if hidden > 0 {
                let words = cx.tr_with("drawer.more_messages", &[("n", &hidden.to_string())]);
                if ui.button(words).clicked() {
                    cx.state.drawer_tab = Some(DrawerTab::Messages);
                }
            }
        });
        self.shown.retain(|(id, _)| !away.contains(id));
    }

    fn add_new_messages(&mut self, cx: &UiContext<'_>, now: f64) {
        let list = cx.session().messages().entries();
        let new = list.iter().filter(|m| self.last_seen.is_none_or(|seen| m.id > seen));
        self.shown.extend(new.map(|m| (m.id, now)));
        self.last_seen = list.last().map(|m| m.id).max(self.last_seen);
    }
}

/// File, line and what is wrong; the list says the rest.
fn toast_text(place: &Location, sentence: &str) -> String {
    let place = Location { column: None, bone: None, pointer: None, ..place.clone() }.to_string();
    if place.is_empty() { sentence.to_owned() } else { format!("{place}: {sentence}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_toast_has_file_line_and_sentence() {
        let place = Location::file("hair.csv").with_line(3).with_column("dragForce").with_bone("hair_2");
        let sentence = "\"o.5\" is not a number";
        assert_eq!(toast_text(&place, sentence), "hair.csv:3: \"o.5\" is not a number");
        assert_eq!(toast_text(&Location::default(), "値を読みました"), "値を読みました");
    }
}
