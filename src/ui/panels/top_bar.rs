//! The top bar with menus, undo, file name, progress, language, import and export.

use super::menus;
use crate::tr;
use crate::ui::actions::Action;
use crate::ui::kit::button::{self, Button};
use crate::ui::kit::icons::{self, IconButton, paint_icon, paint_logo};
use crate::ui::kit::paint::ElidedName;
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::tokens::{size, space};
use crate::ui::kit::{meter, paint};
use crate::ui::{AppRequest, LiveExport, LiveExportStatus, UiContext};
use egui::{Align, Layout, Rect, Role, Sense, Ui, UiBuilder, WidgetInfo, pos2, vec2};
use yuremono_sim::diagnostics::message;

/// Minimum window width for labels on Import and Export, in points. A narrower window shows only their icons.
const MIN_WIDTH_FOR_LABELS: f32 = 1120.0;
/// Minimum width for the character name next to the project name, in points.
const CHARACTER_NAME_MIN_WIDTH: f32 = 40.0;
/// Total width of the percentage, the progress bar and the cancel button, in points.
const PROGRESS_WIDTH: f32 = 200.0;

pub fn show(ui: &mut Ui, cx: &mut UiContext<'_>) {
    let whole = ui.max_rect();
    let shows_labels = whole.width() >= MIN_WIDTH_FOR_LABELS;
    paint_logo(ui.painter(), pos2(whole.left() + 22.0, whole.center().y), 22.0, cx.theme.color.accent);
    let titles =
        Rect::from_center_size(whole.center(), vec2(whole.width(), size::HIT_MIN)).with_min_x(whole.left() + 42.0);
    let row = |x: f32| Rect::from_min_max(pos2(x, whole.top()), pos2(whole.right() - space::M, whole.bottom()));
    let mut left = child_ui(ui, titles, Layout::left_to_right(Align::Center));
    let menus_right = menus::show(&mut left, cx);
    let mut right = child_ui(ui, row(menus_right), Layout::right_to_left(Align::Center));
    let right_edge = actions_ui(&mut right, cx, shows_labels);
    let mut undo = child_ui(ui, row(menus_right).with_max_x(right_edge), Layout::left_to_right(Align::Center));
    let undo_right = undo_ui(&mut undo, cx);
    let free = whole.with_min_x(undo_right + space::M).with_max_x(right_edge - space::L);
    let work = running_work(cx);
    let before = match &work {
        Some(work) => paint::text_width(ui, &work.text, TextSize::Small) + PROGRESS_WIDTH,
        None => next_undo_text(cx).map_or(0.0, |text| paint::text_width(ui, &text, TextSize::Small)),
    };
    let name = file_ui(ui, cx, whole, free, before + space::XL);
    let area = free.with_max_x(name.left() - space::XL);
    match work {
        Some(work) => work_ui(ui, cx, area, work),
        None => next_undo_ui(ui, cx, area),
    }
}

fn child_ui(ui: &mut Ui, rect: Rect, layout: Layout) -> Ui {
    ui.new_child(UiBuilder::new().max_rect(rect).layout(layout))
}

/// Draws the left part of the bar, and returns its right edge.
fn undo_ui(ui: &mut Ui, cx: &mut UiContext<'_>) -> f32 {
    ui.spacing_mut().item_spacing.x = space::XS;
    ui.add_space(space::M);
    let (rect, _) = ui.allocate_exact_size(vec2(1.0, 20.0), Sense::hover());
    ui.painter().rect_filled(rect, 0.0, cx.theme.color.border);
    ui.add_space(space::S);
    for (action, icon) in [(Action::Undo, icons::ARROW_U_UP_LEFT), (Action::Redo, icons::ARROW_U_UP_RIGHT)] {
        let (name, key) = (cx.tr(action.label()), action.shortcut_text(ui.ctx()));
        let button =
            IconButton::new(icon, &name).key(&key).enabled(action.is_enabled(cx)).sized(size::BUTTON, size::ICON);
        if button.show(ui).clicked() {
            action.run(cx);
        }
    }
    ui.min_rect().right()
}

fn next_undo_text(cx: &UiContext<'_>) -> Option<String> {
    let label = cx.session().history().next_undo()?;
    Some(tr!(cx, "Undo: {what}", what = &label.text).into_owned())
}

fn next_undo_ui(ui: &mut Ui, cx: &UiContext<'_>, area: Rect) {
    let Some(text) = next_undo_text(cx) else { return };
    let galley = paint::elided(ui, &text, TextSize::Small, cx.theme.color.text_3, area.width());
    if galley.size().x < 40.0 {
        return;
    }
    let elided = galley.elided;
    let rect = paint::paint_galley_left(ui.painter(), area.left_center(), galley);
    let response = ui.interact(rect, ui.scope_id().with("next undo"), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &text));
    if elided {
        response.on_hover_text(text);
    }
}

/// Draws the file name in the middle of the window, or in the free space, and returns its rectangle. `before` is the
/// width that stays free at the left if possible.
fn file_ui(ui: &mut Ui, cx: &UiContext<'_>, whole: Rect, free: Rect, before: f32) -> Rect {
    let c = cx.theme.color;
    let file = &cx.input.file;
    let title = file.title(cx.theme.lang);
    let of = if file.project.is_some() { file.name } else { "" };
    let unsaved = if file.has_unsaved_changes { tr!(cx, "unsaved") } else { "".into() };
    let (icon_width, dot_width) = (size::ICON + 6.0, if file.has_unsaved_changes { 20.0 } else { 0.0 });
    let unsaved_width = paint::text_width(ui, &unsaved, TextSize::Small);
    let max_name_width = free.width() - icon_width - dot_width - unsaved_width;
    let name = ElidedName::new(ui, &title, TextSize::Strong, c.text, max_name_width);
    let max_of_width = max_name_width - name.width() - space::M;
    let of = ElidedName::new(ui, of, TextSize::Small, c.text_3, max_of_width);
    let of_width =
        if of.width() > 0.0 && max_of_width > CHARACTER_NAME_MIN_WIDTH { of.width() + space::M } else { 0.0 };
    let width = icon_width + name.width() + of_width + dot_width + unsaved_width;
    let most = (free.right() - width).max(free.left());
    let least = (free.left() + before).min(most);
    let left = (whole.center().x - width / 2.0).clamp(least, most);
    let rect = Rect::from_min_size(pos2(left, whole.center().y - 12.0), vec2(width, 24.0));
    paint_icon(ui.painter(), pos2(left + space::M, rect.center().y), icons::PERSON_SIMPLE, size::ICON, c.text_2);
    let shown = name.paint_left(ui.painter(), pos2(left + icon_width, rect.center().y));
    if of_width > 0.0 {
        of.paint_left(ui.painter(), pos2(shown.right() + space::M, rect.center().y));
    }
    if file.has_unsaved_changes {
        let right = shown.right() + of_width;
        ui.painter().circle_filled(pos2(right + 10.0, rect.center().y), 3.5, c.accent);
        let at = pos2(right + dot_width, rect.center().y);
        paint::text(ui.painter(), at, egui::Align2::LEFT_CENTER, &unsaved, TextSize::Small, c.text_2);
    }
    let response = ui.interact(rect, ui.scope_id().with("file"), Sense::hover());
    let name_text = if file.has_unsaved_changes { format!("{title}, {unsaved}") } else { title.clone() };
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &name_text));
    let kind = &cx.character().format_name;
    let character = if file.project.is_some() { file.name } else { "" };
    let lines: Vec<&str> = [&*title, character, kind.as_str()].into_iter().filter(|line| !line.is_empty()).collect();
    response.on_hover_text(lines.join("\n"));
    rect
}

/// Work that takes a while, with the request that cancels the work.
struct RunningWork {
    text: String,
    progress: f32,
    cancel: AppRequest,
}

fn running_work(cx: &UiContext<'_>) -> Option<RunningWork> {
    let file = &cx.input.file;
    if let Some(work) = file.opening {
        let text = tr!(cx, "Opening {name}", name = work.name).into_owned();
        return Some(RunningWork { text, progress: work.progress, cancel: AppRequest::CancelOpening });
    }
    let work = file.contact_sheet?;
    let text = tr!(cx, "Drawing {name}", name = work.name).into_owned();
    Some(RunningWork { text, progress: work.progress, cancel: AppRequest::CancelContactSheet })
}

/// Draws the progress of work to the right of the undo buttons.
fn work_ui(ui: &mut Ui, cx: &mut UiContext<'_>, area: Rect, work: RunningWork) {
    let wanted = paint::text_width(ui, &work.text, TextSize::Small).min(area.width() - PROGRESS_WIDTH).max(0.0);
    let text = elided_text(ui, &work.text, wanted);
    let width = wanted + PROGRESS_WIDTH;
    let rect = Rect::from_min_max(pos2((area.right() - width).max(area.left()), area.top()), area.max);
    let mut inner = child_ui(ui, rect, Layout::left_to_right(Align::Center));
    if meter::progress_bar(&mut inner, &text, Some(work.progress), true) {
        cx.request(work.cancel);
    }
}

fn elided_text(ui: &Ui, text: &str, width: f32) -> String {
    let fits = |text: &str| paint::text_width(ui, text, TextSize::Small) <= width + 0.5;
    if fits(text) {
        return text.to_owned();
    }
    let mut short = text.to_owned();
    while short.pop().is_some() {
        let with_dots = format!("{}…", short.trim_end());
        if fits(&with_dots) {
            return with_dots;
        }
    }
    String::new()
}

/// Draws the language, import and export buttons from the right, and returns their left edge. With the sample
/// character, opening a character is the primary action.
fn actions_ui(ui: &mut Ui, cx: &mut UiContext<'_>, shows_labels: bool) -> f32 {
    ui.spacing_mut().item_spacing.x = space::M;
    let sample = cx.input.file.is_sample;
    // The springs of a VRM go back into the VRM. Solvers without tables also save into the character file.
    let is_vrm = !sample && cx.character().format_name.starts_with("VRM");
    let can_export = Action::Export.is_enabled(cx);
    let saves_character = is_vrm || !can_export;
    let save = if saves_character { Action::SaveCharacter } else { Action::Export };
    let all = [
        sample.then_some((Action::Open, message!("Open character"), icons::FOLDER_OPEN)),
        saves_character.then_some((Action::SaveCharacter, message!("Save into VRM"), icons::UPLOAD_SIMPLE)),
        can_export.then_some((Action::Export, message!("Export CSV"), icons::UPLOAD_SIMPLE)),
        Some((Action::Import, message!("Import CSV"), icons::DOWNLOAD_SIMPLE)),
    ];
    for (action, label, icon) in all.into_iter().flatten() {
        let label = cx.tr(label);
        // A document without chains has nothing to save. The outliner then shows the primary button.
        let is_primary =
            if sample { action == Action::Open } else { action == save && !cx.document().chains.is_empty() };
        let key = action.shortcut_text(ui.ctx());
        let clicked = if shows_labels || is_primary {
            let button: Button<'_> = if is_primary { button::primary(&label) } else { button::secondary(&label) };
            button.icon(icon).show(ui).on_hover_text(format!("{label}   {key}")).clicked()
        } else {
            IconButton::new(icon, &label).key(&key).sized(size::BUTTON, size::ICON).show(ui).clicked()
        };
        if clicked {
            action.run(cx);
        }
    }
    live_exports_ui(ui, cx);
    language_ui(ui, cx)
}

/// Draws the switch of the files that are rewritten after each change.
fn live_exports_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    let (files, is_on) = (cx.input.file.live_exports, cx.input.file.live_exports_on);
    if files.is_empty() {
        return;
    }
    let has_failed = files.iter().any(|file| file.status == LiveExportStatus::Failed);
    let icon = if has_failed && is_on { icons::WARNING } else { icons::REPEAT };
    let name = match files {
        [file] => file.name.clone(),
        _ => tr!(cx, "{n:file|files}", n = files.len()).into_owned(),
    };
    let line = |file: &LiveExport| {
        let status = match file.status {
            _ if !is_on => message!("paused"),
            LiveExportStatus::Waiting => message!("not written yet"),
            LiveExportStatus::Written => message!("up to date"),
            LiveExportStatus::Failed => message!("failed; see the messages"),
        };
        format!("{}: {}", file.path.display(), cx.tr(status))
    };
    let lines: Vec<String> = files.iter().map(line).collect();
    let hint = format!(
        "{}\n{}",
        tr!(cx, "Rewrites these files after each change. Click to pause or continue."),
        lines.join("\n")
    );
    let response = button::secondary(&name).icon(icon).on(is_on).show(ui).on_hover_text(hint);
    if response.clicked() {
        cx.request(AppRequest::SetLiveExports(!is_on));
    }
}

fn language_ui(ui: &mut Ui, cx: &mut UiContext<'_>) -> f32 {
    let name = cx.state.prefs.lang.name();
    let c = cx.theme.color;
    let width = paint::text_width(ui, name, TextSize::Body) + size::ICON + 6.0 + 2.0 * space::M;
    let (rect, response) = ui.allocate_exact_size(vec2(width, size::BUTTON), Sense::click());
    let name_text = tr!(cx, "Language: {name}", name);
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &name_text));
    if response.hovered() {
        ui.painter().rect_filled(rect, crate::ui::kit::tokens::radius::BUTTON, c.hover);
    }
    let icon = pos2(rect.left() + space::M + 8.0, rect.center().y);
    paint_icon(ui.painter(), icon, icons::GLOBE, size::ICON, c.text_2);
    let at = pos2(icon.x + 14.0, rect.center().y);
    paint::text(ui.painter(), at, egui::Align2::LEFT_CENTER, name, TextSize::Body, c.text);
    icons::focus_ring(ui, &response, rect, crate::ui::kit::tokens::radius::BUTTON);
    egui::Popup::menu(&response).show(|ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        menus::languages_ui(ui, cx);
    });
    rect.left()
}
