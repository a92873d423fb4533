//! The messages tab with the newest message first, the toasts over the viewport, and the texts of messages.

use super::message_level;
use crate::ui::kit::button::secondary;
use crate::ui::kit::frame::{self, toast};
use crate::ui::kit::i18n::{Lang, tr_with};
use crate::ui::kit::icons::{IconButton, paint_icon};
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::tokens::{motion, radius, size, space};
use crate::ui::kit::{i18n, icons, paint};
use crate::ui::panels::labels;
use crate::ui::{DrawerTab, UiContext};
use egui::text::{LayoutJob, TextFormat};
use egui::{Align, Align2, Area, Id, Order, Rect, Role, ScrollArea, Sense, Ui, UiBuilder, WidgetInfo, pos2, vec2};
use std::borrow::Cow;
use std::time::Duration;
use yuremono_model::document::{Document, EditError};
use yuremono_session::{Command, Message, MessageEntry, MessageId, ReducedCount, SuspectParam};
use yuremono_sim::diagnostics::{Location, Severity, excerpt, join_first_names, one_line};

/// Width of the two icon buttons of a line.
const TOOLS_WIDTH: f32 = 56.0;
const TEXT_LEFT: f32 = 36.0;

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
    full_line(cx.theme.lang, cx.document(), message)
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
    let sentence = sentence(theme.lang, cx.document(), message);
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
            visible.remove(visible.iter().position(|id| !is_error(*id)).unwrap_or(0));
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
                let sentence = sentence(cx.theme.lang, cx.document(), message);
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

/// Returns the file, the line and the text of a message. The message list shows all details.
fn toast_text(place: &Location, sentence: &str) -> String {
    let place = Location { column: None, bone: None, pointer: None, ..place.clone() }.to_string();
    if place.is_empty() { sentence.to_owned() } else { format!("{place}: {sentence}") }
}

pub(super) fn sentence(lang: Lang, document: &Document, message: &MessageEntry) -> String {
    match &message.message {
        Some(session_message)
            if lang != Lang::En || matches!(session_message, Message::Done(_) | Message::NothingToDo(_)) =>
        {
            one_line(&translated(lang, document, session_message))
        }
        _ => i18n::message_text(lang, &message.diagnostic.message),
    }
}

/// Returns a message as one line with its severity, place and text.
pub(super) fn full_line(lang: Lang, document: &Document, message: &MessageEntry) -> String {
    let severity = i18n::tr(
        lang,
        match message.diagnostic.severity {
            Severity::Info => "drawer.severity_info",
            Severity::Warning => "drawer.severity_warning",
            Severity::Error => "drawer.severity_error",
        },
    );
    let place = message.diagnostic.location.to_string();
    let gap = if place.is_empty() { "" } else { ": " };
    format!("{severity}: {place}{gap}{}", sentence(lang, document, message))
}

fn translated(lang: Lang, document: &Document, message: &Message) -> String {
    let label = |english: &str| {
        let mut tables = document.systems.values().flat_map(yuremono_model::document::System::param_defs);
        let def = tables.find(|def| def.label == english);
        def.map_or_else(|| english.to_owned(), |def| i18n::param_label(lang, def).into_owned())
    };
    match message {
        Message::EditRefused(err) => refusal_text(lang, err, &label),
        Message::CurveFitted { parameter, chain, more: 0 } => {
            tr_with(lang, "session_message.fitted", &[("row", &label(parameter)), ("chain", chain)])
        }
        Message::CurveFitted { parameter, chain, more } => {
            let values = [("row", &*label(parameter)), ("chain", chain), ("n", &more.to_string())];
            tr_with(lang, "session_message.fitted_more", &values)
        }
        Message::DetachedFromMaterial { material, chain, more: 0 } => {
            tr_with(lang, "session_message.left_material", &[("name", material), ("chain", chain)])
        }
        Message::DetachedFromMaterial { material, chain, more } => {
            let values = [("name", &**material), ("chain", chain), ("n", &more.to_string())];
            tr_with(lang, "session_message.left_material_more", &values)
        }
        Message::Done(label) => labels::done_text(lang, label),
        Message::NothingToDo(_) => i18n::tr(lang, "done.nothing_to_do").into_owned(),
        Message::NoMatchingBone(pattern) => {
            tr_with(lang, "session_message.no_bone_like", &[("name", &excerpt(pattern))])
        }
        Message::CannotStartChain(bone) => tr_with(lang, "session_message.no_chain_from", &[("name", &excerpt(bone))]),
        Message::GestureWithoutBaseMotion { gesture, base_motion: over } => {
            tr_with(lang, "session_message.gesture_alone", &[("name", &excerpt(gesture)), ("over", &excerpt(over))])
        }
        Message::SettingsReset { file, reason: why, backed_up: kept } => {
            let kept = if *kept { i18n::tr(lang, "session_message.settings_kept") } else { Cow::default() };
            tr_with(lang, "session_message.settings_reset", &[("file", file), ("why", why)]) + &kept
        }
        Message::ChainOutOfBounds { joint, more, suspect } => {
            let mut sentence = if *more == 0 {
                tr_with(lang, "session_message.strayed", &[("joint", &excerpt(joint))])
            } else {
                tr_with(lang, "session_message.strayed_more", &[("joint", &excerpt(joint)), ("n", &more.to_string())])
            };
            sentence += &suspect_text(lang, suspect.as_ref(), &label);
            sentence
        }
        Message::ChainHeld { joint, more, suspect } => {
            let values = [("joint", &*excerpt(joint)), ("n", &more.to_string())];
            let key = if *more == 0 { "session_message.held" } else { "session_message.held_more" };
            tr_with(lang, key, &values) + &suspect_text(lang, suspect.as_ref(), &label)
        }
        Message::WorkReduced { solver, reductions: cuts } => {
            let one = |(parameter, asked, done): &ReducedCount| {
                let values = [("row", &*label(parameter)), ("n", &asked.to_string()), ("done", &done.to_string())];
                tr_with(lang, "session_message.work_cut_row", &values)
            };
            let rows: Vec<String> = cuts.iter().map(one).collect();
            let rows = rows.join(&*i18n::tr(lang, "windows.and"));
            tr_with(lang, "session_message.work_cut", &[("solver", solver), ("rows", &rows)])
        }
        Message::MotionLoaded { file, matched, unmatched } => {
            let (n, all) = (matched.to_string(), (matched + unmatched.len()).to_string());
            let names = join_first_names(unmatched, "、");
            let key = if unmatched.is_empty() {
                "session_message.motion_loaded"
            } else {
                "session_message.motion_loaded_in_part"
            };
            tr_with(lang, key, &[("file", &excerpt(file)), ("n", &n), ("all", &all), ("names", &names)])
        }
        Message::Imported { file, summary } => {
            let counts = [summary.changed, summary.same, summary.kept, summary.skipped];
            let all = counts.iter().sum::<usize>().to_string();
            let [changed, same, kept, skipped] = counts.map(|n| n.to_string());
            let (file, names) = (excerpt(file), join_first_names(&summary.not_found, "、"));
            let values: [(&str, &str); 7] = [
                ("file", &file),
                ("all", &all),
                ("changed", &changed),
                ("same", &same),
                ("kept", &kept),
                ("skipped", &skipped),
                ("names", &names),
            ];
            let is_whole = summary.not_found.is_empty();
            tr_with(
                lang,
                if is_whole { "session_message.imported" } else { "session_message.imported_in_part" },
                &values,
            )
        }
        Message::NoMotionBoneFound { file, bones } => {
            let names = join_first_names(bones, "、");
            tr_with(lang, "session_message.motion_fits_nothing", &[("file", &excerpt(file)), ("names", &names)])
        }
        Message::NoCharacterForMotion(file) => {
            tr_with(lang, "session_message.no_character_for_motion", &[("file", &excerpt(file))])
        }
        Message::MissingBones(bones) => {
            let names: Vec<_> = bones.iter().map(|name| excerpt(name)).collect();
            tr_with(lang, "session_message.lost", &[("names", &names.join(&*i18n::tr(lang, "windows.and")))])
        }
    }
}

/// Returns the sentence about the parameter that is probably the cause, or an empty text.
fn suspect_text(lang: Lang, suspect: Option<&SuspectParam>, label: &impl Fn(&str) -> String) -> String {
    let Some(SuspectParam { parameter, value, range, is_declared_range: declared }) = suspect else {
        return String::new();
    };
    let values =
        [("row", &*label(parameter)), ("value", &value.to_string()), ("range", &i18n::range_text(lang, *range))];
    let key = if *declared { "session_message.strayed_by" } else { "session_message.strayed_usual" };
    tr_with(lang, key, &values)
}

fn refusal_text(lang: Lang, err: &EditError, label: &impl Fn(&str) -> String) -> String {
    match err {
        EditError::BoneInUse { chain, .. } => tr_with(lang, "session_message.bone_taken", &[("chain", chain)]),
        EditError::NotANumber { label: row, .. } => {
            tr_with(lang, "session_message.not_a_number", &[("row", &label(row))])
        }
        EditError::HelperInUse(name) => tr_with(lang, "session_message.helper_in_use", &[("name", name)]),
        EditError::InvalidElement(name) => tr_with(lang, "session_message.bad_part", &[("name", name)]),
        // The window never requests an object that does not exist, so this case needs no specific text.
        other => {
            let why = i18n::message_text(lang, &other.message());
            tr_with(lang, "session_message.refused", &[("why", why.trim_end_matches('。'))])
        }
    }
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
    use crate::ui::kit::theme::{Theme, ThemeMode};
    use yuremono_model::document::EditLabel;
    use yuremono_session::MessageLog;

    #[track_caller]
    fn check(message: Message, japanese: &str) {
        let mut messages = MessageLog::default();
        let english = message.to_string();
        messages.push_message(message);
        let document = Document::default();
        assert_eq!(sentence(Lang::Ja, &document, &messages.entries()[0]), japanese);
        assert_eq!(sentence(Lang::En, &document, &messages.entries()[0]), english);
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
        check(Message::EditRefused(EditError::NoSuchChain(3)), "変更できませんでした（チェーンがありません）。");
        let fitted = |more| Message::CurveFitted { parameter: "Stiffness", chain: "tail".into(), more };
        let rest = "硬さはジョイントごとの値でした。基準値とカーブ（1ジョイントに1キー）に変換しました。";
        check(fitted(0), &format!("tailの{rest}"));
        check(fitted(2), &format!("tailほか2チェーンの{rest}"));
    }

    #[test]
    fn tool_results_have_their_count_in_both_languages() {
        let say = |message: Message, lang| {
            let mut messages = MessageLog::default();
            messages.push_message(message);
            sentence(lang, &Document::default(), &messages.entries()[0])
        };
        let links = |n| Message::Done(EditLabel::new("link_columns", n));
        assert_eq!(say(links(24), Lang::En), "24 length limits added");
        assert_eq!(say(links(1), Lang::En), "1 length limit added");
        assert_eq!(say(links(24), Lang::Ja), "長さ制限24個を追加しました。");
        let nothing = |lang| say(Message::NothingToDo(EditLabel::new("link_columns", 0)), lang);
        assert_eq!(nothing(Lang::En), "Nothing to change");
        assert_eq!(nothing(Lang::Ja), "変更はありません。");
        // Commands without a separate text use the text of the undo step.
        assert_eq!(say(Message::Done(EditLabel::new("make_chain", 2)), Lang::En), step_sentence("make_chain", 2));
    }

    fn step_sentence(what: &'static str, n: usize) -> String {
        let theme = Theme::new(ThemeMode::Dark, Lang::En);
        labels::undo_text(&theme, &EditLabel::new(what, n))
    }
}
