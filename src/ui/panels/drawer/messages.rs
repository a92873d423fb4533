//! The messages tab with the newest message first, and the toasts over the viewport.

use super::message_level;
use crate::tr;
use crate::ui::kit::button::secondary;
use crate::ui::kit::frame::{self, toast};
use crate::ui::kit::i18n::Lang;
use crate::ui::kit::icons::{IconButton, paint_icon};
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::tokens::{motion, radius, size, space};
use crate::ui::kit::{icons, paint};
use crate::ui::{DrawerTab, UiContext};
use egui::text::{LayoutJob, TextFormat};
use egui::{Align, Align2, Area, Id, Order, Rect, Role, ScrollArea, Sense, Ui, UiBuilder, WidgetInfo, pos2, vec2};
use std::borrow::Cow;
use std::time::Duration;
use yuremono_session::{Command, MessageEntry, MessageId};
use yuremono_sim::diagnostics::{Location, Severity};

/// Width of the two icon buttons of a line.
const TOOLS_WIDTH: f32 = 56.0;
const TEXT_LEFT: f32 = 36.0;

pub(super) fn tools_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    let list = cx.session().messages().entries();
    if list.is_empty() {
        return;
    }
    ui.spacing_mut().item_spacing.x = space::S;
    if secondary(&tr!(cx, "Clear all")).small().show(ui).clicked() {
        cx.command(Command::ClearMessages);
    }
    if secondary(&tr!(cx, "Copy all")).small().show(ui).clicked() {
        let lines: Vec<String> = list.iter().map(|message| message_line(cx, message)).collect();
        ui.ctx().copy_text(lines.join("\n"));
    }
}

pub(super) fn show(ui: &mut Ui, cx: &mut UiContext<'_>) {
    let list = cx.session().messages().entries();
    if list.is_empty() {
        let text = tr!(cx, "No messages.");
        let color = cx.theme.color.text_3;
        paint::text(ui.painter(), ui.max_rect().center(), Align2::CENTER_CENTER, &text, TextSize::Body, color);
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
    full_line(cx.theme.lang, message)
}

fn message_ui(ui: &mut Ui, cx: &mut UiContext<'_>, message: &MessageEntry) {
    let theme = cx.theme;
    let c = theme.color;
    let diagnostic = &message.diagnostic;
    let width = ui.available_width();
    let location = diagnostic.location.to_string();
    let mut job = LayoutJob::default();
    let format = |size: TextSize, color| TextFormat { font_id: size.font(), color, ..TextFormat::default() };
    if !location.is_empty() {
        job.append(&location, 0.0, format(TextSize::Small, c.text_2));
        job.append("  ", 0.0, format(TextSize::Small, c.text_2));
    }
    let sentence = sentence(theme.lang, message);
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
    let dismiss = tr!(theme, "Dismiss message");
    if IconButton::new(icons::X, &dismiss).tiny().show(&mut tools).clicked() {
        cx.command(Command::DismissMessage(message.id));
    }
    let copy = tr!(theme, "Copy message");
    if IconButton::new(icons::COPY, &copy).tiny().show(&mut tools).clicked() {
        tools.ctx().copy_text(line);
    }
}

/// Maximum number of toasts. More toasts would hide the character.
const MAX_TOASTS: usize = 3;
/// Distance from the bottom, in points. Keeps toasts above the transport strip.
const BOTTOM_MARGIN: f32 = 68.0;

/// Least width next to an open window, in points. In less width, toasts cover the window.
const MIN_WIDTH_BESIDE_WINDOW: f32 = 240.0;

/// Half of the width in the middle of the viewport where the feet of a framed character are, in points.
const FEET_HALF_WIDTH: f32 = 70.0;

/// The toasts that are currently visible.
#[derive(Debug, Default)]
pub(super) struct Toasts {
    /// The newest message that was processed.
    last_seen: Option<MessageId>,
    /// Toasts with the time of appearance, in egui's seconds.
    shown: Vec<(MessageId, f64)>,
}

impl Toasts {
    pub(super) fn show(&mut self, ui: &Ui, cx: &mut UiContext<'_>) {
        let now = ui.input(|i| i.time);
        self.add_new_messages(cx, now);
        let stay = f64::from(motion::TOAST_MS) / 1000.0;
        let list = cx.session().messages().entries();
        // An error stays until the artist dismisses it.
        let entry = |id: MessageId| list.iter().find(|message| message.id == id);
        let is_error = |id: MessageId| entry(id).is_some_and(|m| m.diagnostic.severity == Severity::Error);
        self.shown.retain(|(id, from)| is_error(*id) || (entry(*id).is_some() && now - from < stay));
        // An open message list already shows the message.
        if cx.state.drawer_tab == Some(DrawerTab::Messages) {
            return self.shown.retain(|(id, _)| is_error(*id));
        }
        if let Some((_, from)) = self.shown.iter().find(|(id, _)| !is_error(*id)) {
            ui.ctx().request_repaint_after(Duration::from_secs_f64((from + stay - now).max(0.0)));
        }
        let mut visible: Vec<MessageId> = self.shown.iter().map(|(id, _)| *id).collect();
        while visible.len() > MAX_TOASTS {
            // The newest message stays visible: after a failure, it can be the success of the next try.
            let older = &visible[..MAX_TOASTS];
            visible.remove(older.iter().position(|id| !is_error(*id)).unwrap_or(0));
        }
        if visible.is_empty() {
            return;
        }
        let view = ui.available_rect_before_wrap();
        let hidden = self.shown.len() - visible.len();
        let bottom = view.bottom() - BOTTOM_MARGIN;
        let band = view.with_min_y(bottom - size::BUTTON).with_max_y(bottom);
        // A toast next to an open window does not hide the buttons of the window.
        let left = match frame::windows_right_end(ui.ctx(), band) {
            Some(right) if view.right() - right > MIN_WIDTH_BESIDE_WINDOW => right,
            _ => view.left(),
        };
        // The hint card at the bottom left stays readable, and so do the feet in the middle.
        let has_card = cx.input.file.is_sample && !cx.state.prefs.dismissed_hints[2];
        let (pivot, at) = if has_card {
            (Align2::RIGHT_BOTTOM, pos2(view.right() - space::L, bottom))
        } else {
            (Align2::LEFT_BOTTOM, pos2(left + space::L, bottom))
        };
        let beside_feet = (view.width() / 2.0 - FEET_HALF_WIDTH).max(MIN_WIDTH_BESIDE_WINDOW);
        let area = Area::new(Id::unique("toasts")).order(Order::Foreground).pivot(pivot).fixed_pos(at);
        let mut away = Vec::new();
        area.show(ui.ctx(), |ui| {
            ui.set_max_width((view.right() - left).min(beside_feet) - 2.0 * space::L);
            ui.spacing_mut().item_spacing.y = space::S;
            for id in &visible {
                let Some(message) = entry(*id) else { continue };
                let sentence = sentence(cx.theme.lang, message);
                let text = toast_text(&message.diagnostic.location, &sentence);
                if ui.push_id(id.0, |ui| toast(ui, message_level(message.diagnostic.severity), &text)).inner {
                    away.push(*id);
                }
            }
            if hidden > 0 {
                let text = tr!(cx, "{n} more in Messages", n = hidden);
                if ui.button(text).clicked() {
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

/// Returns the file, the line and the text of a message. The message list shows all details.
fn toast_text(location: &Location, sentence: &str) -> String {
    let location = Location { column: None, bone: None, pointer: None, ..location.clone() }.to_string();
    if location.is_empty() { sentence.to_owned() } else { format!("{location}: {sentence}") }
}

fn sentence(lang: Lang, message: &MessageEntry) -> Cow<'static, str> {
    lang.tr(&message.diagnostic.message)
}

/// Returns a message as one line with its severity, location and text.
fn full_line(lang: Lang, message: &MessageEntry) -> String {
    let severity = match message.diagnostic.severity {
        Severity::Info => tr!(lang, "Info"),
        Severity::Warning => tr!(lang, "Warning"),
        Severity::Error => tr!(lang, "Error"),
    };
    let location = message.diagnostic.location.to_string();
    let gap = if location.is_empty() { "" } else { ": " };
    format!("{severity}: {location}{gap}{}", sentence(lang, message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use yuremono_model::document::EditError;
    use yuremono_session::{Message, MessageLog};
    use yuremono_sim::diagnostics::message;

    #[test]
    fn a_toast_has_file_line_and_sentence() {
        let location = Location::file("hair.csv").with_line(3).with_column("dragForce").with_bone("hair_2");
        let sentence = "\"o.5\" is not a number";
        assert_eq!(toast_text(&location, sentence), "hair.csv:3: \"o.5\" is not a number");
        assert_eq!(toast_text(&Location::default(), "値を読みました"), "値を読みました");
    }

    fn sentence_of(message: Message, lang: Lang) -> Cow<'static, str> {
        let mut messages = MessageLog::default();
        messages.push_message(message);
        sentence(lang, &messages.entries()[0])
    }

    #[track_caller]
    fn check(message: Message, japanese: &str) {
        let english = message.to_string();
        assert_eq!(sentence_of(message.clone(), Lang::Ja), japanese);
        assert_eq!(sentence_of(message, Lang::En), english);
    }

    #[test]
    fn every_message_has_a_japanese_sentence() {
        let left = |more| Message::DetachedFromMaterial { material: "髪".into(), chain: "tail".into(), more };
        check(left(0), "tailは独自の値になり、マテリアル「髪」の共有から外れました。");
        check(left(2), "tailほか2チェーンは独自の値になり、マテリアル「髪」の共有から外れました。");
        check(Message::NoMatchingBone("tail*".into()), "「tail*」に一致するボーンがありません。");
        check(Message::MissingBones(vec!["a".into(), "b".into()]), "次のボーンが見つかりません：a、b");
        let alone = Message::GestureWithoutBaseMotion { gesture: "Gesture 2".into(), base_motion: "idle".into() };
        check(alone, "Gesture 2を記録したときのモーション「idle」がないため、力を抜いたポーズの上で再生します。");
        let reset = |kept| Message::SettingsReset {
            file: "app.ron".into(),
            reason: "egui: zoom_factor 1e30".into(),
            backed_up: kept,
        };
        let expected = "app.ron：設定を使用できないため（egui: zoom_factor 1e30）、初期値を使用します。";
        check(reset(false), expected);
        check(reset(true), &format!("{expected}元のファイルのコピーはapp.unusable.ronとして残しています。"));
        check(Message::EditRefused(EditError::HelperInUse("p".into())), "補助ノード「p」は使用中です。");
        check(
            Message::EditRefused(EditError::InvalidElement("p".into())),
            "「p」に数値でない値、または大きすぎる値があります。",
        );
        check(Message::EditRefused(EditError::NoSuchChain(3)), "チェーンがありません。");
        let fitted = |more| Message::CurveFitted { parameter: "Stiffness", chain: "tail".into(), more };
        let rest = "硬さはジョイントごとの値でした。基準値とカーブ（1ジョイントに1キー）に変換しました。";
        check(fitted(0), &format!("tailの{rest}"));
        check(fitted(2), &format!("tailほか2チェーンの{rest}"));
        check(Message::NothingToDo, "変更はありません。");
    }

    #[test]
    fn tool_results_have_their_count_in_both_languages() {
        let links = |n| Message::Done(message!("{n:length limit|length limits} added", n));
        assert_eq!(sentence_of(links(24), Lang::En), "24 length limits added");
        assert_eq!(sentence_of(links(1), Lang::En), "1 length limit added");
        assert_eq!(sentence_of(links(24), Lang::Ja), "長さ制限24個を追加しました。");
    }
}
