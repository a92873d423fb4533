//! Messages: all of them, newest first, until they are cleared; and the newest over the viewport for a moment.

use super::{said, tone_of};
use crate::report::Place;
use crate::session::{Command, Message, MessageId};
use crate::ui::kit::button::secondary;
use crate::ui::kit::frame::toast;
use crate::ui::kit::icons::{self, IconButton, paint_icon};
use crate::ui::kit::paint;
use crate::ui::kit::theme::Text;
use crate::ui::kit::tokens::{motion, radius, size, space};
use crate::ui::{Cx, DrawerTab};
use egui::text::{LayoutJob, TextFormat};
use egui::{Align, Align2, Area, Id, Order, Rect, Role, ScrollArea, Sense, Ui, UiBuilder, WidgetInfo, pos2, vec2};
use std::time::Duration;

/// Room for two icon buttons at the right of a line.
const TOOLS: f32 = 56.0;
const TEXT_LEFT: f32 = 36.0;

/// Copy and clear, at the right of the tabs.
pub(super) fn tools_ui(ui: &mut Ui, cx: &mut Cx<'_>) {
    let list = cx.session().messages().list();
    if list.is_empty() {
        return;
    }
    ui.spacing_mut().item_spacing.x = space::S;
    if secondary(&cx.tr("drawer.clear_all")).small().show(ui).clicked() {
        cx.command(Command::ClearMessages);
    }
    if secondary(&cx.tr("drawer.copy_all")).small().show(ui).clicked() {
        let lines: Vec<String> = list.iter().map(|message| line_of(cx, message)).collect();
        ui.ctx().copy_text(lines.join("\n"));
    }
}

pub(super) fn show(ui: &mut Ui, cx: &mut Cx<'_>) {
    let list = cx.session().messages().list();
    if list.is_empty() {
        let words = cx.tr("drawer.no_messages");
        let color = cx.theme.color.text_3;
        paint::text(ui.painter(), ui.max_rect().center(), Align2::CENTER_CENTER, &words, Text::Body, color);
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

fn line_of(cx: &Cx<'_>, message: &Message) -> String {
    said::line(cx.theme.lang, cx.session().document(), message)
}

fn message_ui(ui: &mut Ui, cx: &mut Cx<'_>, message: &Message) {
    let theme = cx.theme;
    let c = theme.color;
    let diagnostic = &message.diagnostic;
    let width = ui.available_width();
    let place = diagnostic.place.to_string();
    let mut job = LayoutJob::default();
    let format = |size: Text, color| TextFormat { font_id: size.font(), color, ..TextFormat::default() };
    if !place.is_empty() {
        job.append(&place, 0.0, format(Text::Small, c.text_2));
        job.append("  ", 0.0, format(Text::Small, c.text_2));
    }
    let sentence = said::sentence(theme.lang, cx.session().document(), message);
    job.append(&sentence, 0.0, format(Text::Body, c.text));
    job.wrap.max_width = width - TEXT_LEFT - TOOLS - 8.0;
    let galley = ui.painter().layout_job(job);
    let height = (galley.size().y + 8.0).max(size::ROW_TABLE);
    let (rect, response) = ui.allocate_exact_size(vec2(width, height), Sense::hover());
    let line = line_of(cx, message);
    response.widget_info(|| WidgetInfo::labeled(Role::ListItem, true, &line));
    if ui.rect_contains_pointer(rect) {
        ui.painter().rect_filled(rect.shrink2(vec2(space::S, 0.0)), radius::FIELD, c.hover);
    }
    let tone = tone_of(diagnostic.severity);
    let first_line = rect.top() + size::ROW_TABLE / 2.0;
    paint_icon(ui.painter(), pos2(rect.left() + 22.0, first_line), tone.icon(), 15.0, tone.color(&theme));
    let top = rect.center().y - galley.size().y / 2.0;
    ui.painter().galley(pos2(rect.left() + TEXT_LEFT, top), galley, c.text);
    let tools = Rect::from_min_max(
        pos2(rect.right() - TOOLS - 8.0, rect.top() + space::XXS),
        rect.max - vec2(10.0, space::XXS),
    );
    let layout = egui::Layout::right_to_left(Align::Min);
    let mut tools = ui.new_child(UiBuilder::new().max_rect(tools).layout(layout));
    tools.spacing_mut().item_spacing.x = space::XXS;
    let dismiss = theme.tr("drawer.dismiss_one");
    if IconButton::new(icons::X, &dismiss).tiny().show(&mut tools).clicked() {
        cx.command(Command::Dismiss(message.id));
    }
    let copy = theme.tr("drawer.copy_one");
    if IconButton::new(icons::COPY, &copy).tiny().show(&mut tools).clicked() {
        tools.ctx().copy_text(line);
    }
}

/// More at once would hide the character.
const MOST: usize = 3;
/// Above the transport.
const ABOVE_BOTTOM: f32 = 68.0;

/// Which messages are on screen and since when.
#[derive(Debug, Default)]
pub(super) struct Toasts {
    /// The newest message that was looked at.
    seen: Option<MessageId>,
    /// What is shown and when it came, egui's seconds.
    shown: Vec<(MessageId, f64)>,
}

impl Toasts {
    pub(super) fn show(&mut self, ui: &Ui, cx: &mut Cx<'_>) {
        let now = ui.input(|i| i.time);
        self.take_new(cx, now);
        let stay = f64::from(motion::TOAST_MS) / 1000.0;
        let list = cx.session().messages().list();
        self.shown.retain(|(id, from)| now - from < stay && list.iter().any(|m| m.id == *id));
        // The list says it already.
        if cx.state.drawer == Some(DrawerTab::Messages) {
            self.shown.clear();
        }
        let Some(first) = self.shown.first() else { return };
        ui.ctx().request_repaint_after(Duration::from_secs_f64((first.1 + stay - now).max(0.0)));
        let view = ui.available_rect_before_wrap();
        let hidden = self.shown.len().saturating_sub(MOST);
        let at = pos2(view.left() + space::L, view.bottom() - ABOVE_BOTTOM);
        let area = Area::new(Id::unique("toasts")).order(Order::Foreground).pivot(Align2::LEFT_BOTTOM).fixed_pos(at);
        let mut away = Vec::new();
        area.show(ui.ctx(), |ui| {
            ui.set_max_width(view.width() - 2.0 * space::L);
            ui.spacing_mut().item_spacing.y = space::S;
            for (id, _) in self.shown.iter().skip(hidden) {
                let Some(message) = list.iter().find(|m| m.id == *id) else { continue };
                let sentence = said::sentence(cx.theme.lang, cx.session().document(), message);
                let words = short(&message.diagnostic.place, &sentence);
                if ui.push_id(id.0, |ui| toast(ui, tone_of(message.diagnostic.severity), &words)).inner {
                    away.push(*id);
                }
            }
            if hidden > 0 {
                let words = cx.tr_with("drawer.more_messages", &[("n", &hidden.to_string())]);
                if ui.button(words).clicked() {
                    cx.state.drawer = Some(DrawerTab::Messages);
                }
            }
        });
        self.shown.retain(|(id, _)| !away.contains(id));
    }

    fn take_new(&mut self, cx: &Cx<'_>, now: f64) {
        let list = cx.session().messages().list();
        let new = list.iter().filter(|m| self.seen.is_none_or(|seen| m.id > seen));
        self.shown.extend(new.map(|m| (m.id, now)));
        self.seen = list.last().map(|m| m.id).max(self.seen);
    }
}

/// File, line and what is wrong; the list says the rest.
fn short(place: &Place, sentence: &str) -> String {
    let place = Place { column: None, bone: None, pointer: None, ..place.clone() }.to_string();
    if place.is_empty() { sentence.to_owned() } else { format!("{place}: {sentence}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_toast_says_where_and_what() {
        let place = Place::file("hair.csv").line(3).column("dragForce").bone("hair_2");
        let sentence = "\"o.5\" is not a number";
        assert_eq!(short(&place, sentence), "hair.csv:3: \"o.5\" is not a number");
        assert_eq!(short(&Place::default(), "値を読みました"), "値を読みました");
    }
}
