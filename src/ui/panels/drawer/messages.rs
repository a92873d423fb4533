//! Everything that was said, newest first, until it is cleared.

use super::{said, tone_of};
use crate::session::{Command, Message};
use crate::ui::Cx;
use crate::ui::kit::button::secondary;
use crate::ui::kit::icons::{self, IconButton, paint_icon};
use crate::ui::kit::paint;
use crate::ui::kit::theme::Text;
use crate::ui::kit::tokens::{radius, size};
use egui::text::{LayoutJob, TextFormat};
use egui::{Align, Align2, Rect, Role, ScrollArea, Sense, Ui, UiBuilder, WidgetInfo, pos2, vec2};

/// Room for two icon buttons at the right of a line.
const TOOLS: f32 = 56.0;
const TEXT_LEFT: f32 = 36.0;

/// Copy and clear, at the right of the tabs.
pub(super) fn tools_ui(ui: &mut Ui, cx: &mut Cx<'_>) {
    let list = cx.session().messages().list();
    if list.is_empty() {
        return;
    }
    ui.spacing_mut().item_spacing.x = 6.0;
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
        ui.add_space(4.0);
        for message in list.iter().rev() {
            ui.push_id(message.id.0, |ui| message_ui(ui, cx, message));
        }
        ui.add_space(4.0);
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
        ui.painter().rect_filled(rect.shrink2(vec2(6.0, 0.0)), radius::FIELD, c.hover);
    }
    let tone = tone_of(diagnostic.severity);
    let first_line = rect.top() + size::ROW_TABLE / 2.0;
    paint_icon(ui.painter(), pos2(rect.left() + 22.0, first_line), tone.icon(), 15.0, tone.color(&theme));
    let top = rect.center().y - galley.size().y / 2.0;
    ui.painter().galley(pos2(rect.left() + TEXT_LEFT, top), galley, c.text);
    let tools = Rect::from_min_max(pos2(rect.right() - TOOLS - 8.0, rect.top() + 2.0), rect.max - vec2(10.0, 2.0));
    let layout = egui::Layout::right_to_left(Align::Min);
    let mut tools = ui.new_child(UiBuilder::new().max_rect(tools).layout(layout));
    tools.spacing_mut().item_spacing.x = 2.0;
    let dismiss = theme.tr("drawer.dismiss_one");
    if (IconButton { icon_size: 13.0, ..IconButton::new(icons::X, &dismiss) }).show(&mut tools).clicked() {
        cx.command(Command::Dismiss(message.id));
    }
    let copy = theme.tr("drawer.copy_one");
    if (IconButton { icon_size: 13.0, ..IconButton::new(icons::COPY, &copy) }).show(&mut tools).clicked() {
        tools.ctx().copy_text(line);
    }
}
