//! The status line with mouse hints and simulation state, and the notice below the top bar. The notice reports files
//! that changed on disk.

use crate::tr;
use crate::ui::kit::frame::{MessageLevel, message_strip};
use crate::ui::kit::icons::{self, IconButton, focus_ring, paint_icon};
use crate::ui::kit::number::short_number;
use crate::ui::kit::paint;
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::tokens::{radius, size, space};
use crate::ui::{AppRequest, DiskStatus, DrawerTab, UiContext, capture};
use egui::{Align, Color32, Layout, Rect, Response, Role, Sense, Ui, UiBuilder, WidgetInfo, pos2};
use yuremono_session::PreviewTarget;
use yuremono_sim::diagnostics::{MessageText, Severity, message};
use yuremono_sim::params::{self, ParamScope, Unit};

/// Minimum window width at which the time per step is shown, in points.
const MIN_WIDTH_FOR_STEP_TIME: f32 = 1300.0;

pub fn show(ui: &mut Ui, cx: &mut UiContext<'_>) {
    let whole = ui.max_rect();
    let shows_step_time = ui.ctx().content_rect().width() >= MIN_WIDTH_FOR_STEP_TIME;
    let inner = whole.shrink2(egui::vec2(space::L, 0.0));
    let left_edge = simulation_info_ui(ui, cx, inner, shows_step_time);
    let left_edge = errors_ui(ui, cx, inner, left_edge);
    let rect = inner.with_max_x(left_edge - space::XXL);
    match cx.input.capture.clip {
        Some(clip) => {
            let layout = Layout::left_to_right(Align::Center);
            capture::progress_ui(&mut ui.new_child(UiBuilder::new().max_rect(rect).layout(layout)), cx, clip);
        }
        None => hint_ui(ui, cx, rect),
    }
}

/// Draws the simulation state, and returns its left edge.
fn simulation_info_ui(ui: &mut Ui, cx: &UiContext<'_>, line_rect: Rect, shows_step_time: bool) -> f32 {
    let c = cx.theme.color;
    let put = |ui: &Ui, right: f32, name: &'static str, text: String, color: Color32| {
        label_ui(ui, line_rect, right, name, &text, color).rect.left() - space::XL
    };
    let mut left = put(ui, line_rect.right(), "rate", step_rate_text(cx), c.text);
    let pace = cx.inspection().time_scale();
    if (pace - 1.0).abs() > 5e-3 {
        let fps = cx.playback().settings().player_frame_rate.to_string();
        left = put(
            ui,
            left,
            "pace",
            tr!(cx, "{fps} fps: {n} × speed for players", fps, n = &short_number(pace)).into_owned(),
            c.warning,
        );
        // Colour alone would not be accessible.
        left -= size::ICON;
        paint_icon(
            ui.painter(),
            pos2(left + space::XL + 5.0, line_rect.center().y),
            icons::WARNING,
            size::ICON_TINY,
            c.warning,
        );
    }
    if let Some(per_second) = cx.input.picture.per_second {
        let text = tr!(cx, "{n} fps", n = format!("{per_second:.0}"));
        left = put(ui, left, "frame rate", text.into_owned(), c.text_2);
    }
    if cx.input.picture.is_reduced {
        let text = tr!(cx, "Reduced resolution");
        let response = label_ui(ui, line_rect, left, "reduced", &text, c.text_2);
        left = response.rect.left() - space::XL;
        response.on_hover_text(tr!(
            cx,
            "This computer draws without a graphics card. While the picture moves, the character is drawn with \
             fewer pixels, so that the motion stays smooth. Still pictures and saved pictures have full resolution."
        ));
    }
    if shows_step_time {
        let ms = format!("{:.2}", cx.input.step_seconds * 1000.0);
        left = put(ui, left, "cost", tr!(cx, "{ms} ms/step", ms).into_owned(), c.text_2);
    }
    let joints = cx.document().joint_count();
    put(ui, left, "joints", tr!(cx, "{n:joint|joints}", n = joints).into_owned(), c.text_2)
}

/// Draws the number of errors, which opens the messages, and returns its left edge.
fn errors_ui(ui: &Ui, cx: &mut UiContext<'_>, line_rect: Rect, right: f32) -> f32 {
    let entries = cx.session().messages().entries();
    let count = entries.iter().filter(|entry| entry.diagnostic.severity == Severity::Error).count();
    if count == 0 {
        return right;
    }
    let color = cx.theme.color.error;
    let text = tr!(cx, "{n:error|errors}", n = count);
    let galley = paint::elided(ui, &text, TextSize::Small, color, line_rect.width() / 2.0);
    let left = right - galley.size().x - size::ICON;
    let rect = Rect::from_min_max(pos2(left, line_rect.top()), pos2(right, line_rect.bottom()));
    let response = ui.interact(rect, ui.scope_id().with("errors"), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &text));
    focus_ring(ui, &response, rect, radius::FIELD);
    if response.hovered() {
        ui.painter().rect_filled(rect.expand2(egui::vec2(space::S, 0.0)), radius::FIELD, cx.theme.color.hover);
    }
    paint_icon(ui.painter(), pos2(left + space::S, line_rect.center().y), icons::X_CIRCLE, size::ICON_TINY, color);
    paint::paint_galley_left(ui.painter(), pos2(left + size::ICON, line_rect.center().y), galley);
    if response.on_hover_text(tr!(cx, "Shows the messages. An error stays here until you dismiss it.")).clicked() {
        cx.state.drawer_tab = Some(DrawerTab::Messages);
    }
    left - space::XL
}

/// Draws a text whose right edge is at `right`. `name` is unique in the status line.
fn label_ui(ui: &Ui, line_rect: Rect, right: f32, name: &'static str, text: &str, color: Color32) -> Response {
    let galley = paint::elided(ui, text, TextSize::Small, color, line_rect.width() / 2.0);
    let at = pos2(right - galley.size().x, line_rect.center().y);
    let rect = paint::paint_galley_left(ui.painter(), at, galley);
    let response = ui.interact(rect, ui.scope_id().with(name), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, text));
    response
}

/// Returns the step rate and the mode, for example "60 steps/s, Unity-accurate".
fn step_rate_text(cx: &UiContext<'_>) -> String {
    let system = cx.inspection().system();
    let param = params::enumerate_params(system.param_defs())
        .find(|(_, d)| d.scope == ParamScope::System && d.unit == Unit::PerSecond);
    let rate = param.map_or(0.0, |(param, _)| system.get(param));
    let steps =
        if rate >= 1.0 { tr!(cx, "{n:step|steps}/s", n = format!("{rate:.0}")) } else { tr!(cx, "1 step per frame") };
    let mode = cx.tr(match cx.inspection().preview_target() {
        PreviewTarget::Unity => message!("Unity-accurate"),
        PreviewTarget::Improved => message!("improved"),
        PreviewTarget::Specification => message!("VRM specification"),
        PreviewTarget::UniVrm => message!("like UniVRM"),
        PreviewTarget::ThreeVrm => message!("like three-vrm"),
        PreviewTarget::Unreal => message!("Unreal-accurate"),
        PreviewTarget::Documentation => message!("as documented"),
    });
    tr!(cx, "{rate}, {mode}", rate = &steps, mode).into_owned()
}

/// Draws the hints, with the keys brighter than their effects.
fn hint_ui(ui: &mut Ui, cx: &UiContext<'_>, line_rect: Rect) {
    let c = cx.theme.color;
    let usual = || {
        use crate::ui::actions::Action;
        let usual_actions = [Action::PlayPause, Action::FrameSelection, Action::FocusSearch, Action::ShowShortcuts];
        usual_actions.map(|d| (d.shortcut_text(ui.ctx()), cx.tr(d.label()).trim_end_matches('…').to_owned())).to_vec()
    };
    let pairs = if cx.state.mouse_hints.is_empty() { usual() } else { cx.state.mouse_hints.clone() };
    let mut parts: Vec<(&str, TextSize, Color32)> = Vec::new();
    for (i, (key, effect)) in pairs.iter().enumerate() {
        let gap = if i > 0 { "    " } else { "" };
        parts.extend([
            (gap, TextSize::Small, c.text_2),
            (key.as_str(), TextSize::Tiny, c.text),
            ("  ", TextSize::Small, c.text_2),
        ]);
        parts.push((effect.as_str(), TextSize::Small, c.text_2));
    }
    let galley = paint::layout_line(ui, &parts, line_rect.width());
    let rect = paint::paint_galley_left(ui.painter(), line_rect.left_center(), galley);
    let hints: Vec<String> = pairs.iter().map(|(key, effect)| format!("{key} {effect}")).collect();
    let response = ui.interact(rect, ui.scope_id().with("hint"), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, hints.join(", ")));
}

/// Height of the notice, in points.
pub const NOTICE_HEIGHT: f32 = 28.0;

pub fn has_file_notice(cx: &UiContext<'_>) -> bool {
    let file = cx.input.file;
    file.project_on_disk != DiskStatus::Unchanged || file.changed_on_disk || file.changed_table.is_some()
}

struct FileNotice {
    sentence: MessageText,
    /// Label of the button.
    action: MessageText,
    /// Request that the button sends.
    accept: AppRequest,
    /// Request that the close button sends.
    dismiss: AppRequest,
}

/// Returns the most important notice. The project has priority, because saving would overwrite the changes on disk. The
/// character is second, and the table is third.
fn file_notice(cx: &UiContext<'_>) -> FileNotice {
    let file = cx.input.file;
    let name = file.project.unwrap_or(file.name);
    let project =
        |sentence, action, yes| FileNotice { sentence, action, accept: yes, dismiss: AppRequest::IgnoreProjectChange };
    match (file.project_on_disk, file.changed_table) {
        (DiskStatus::Missing, _) => project(
            message!("{name} no longer exists on disk. Its contents are still open here.", name),
            message!("Save again"),
            AppRequest::Save,
        ),
        (DiskStatus::Changed, _) if file.has_unsaved_changes => project(
            message!("{name} changed on disk, and there are unsaved changes here.", name),
            message!("Choose version…"),
            AppRequest::ShowProjectConflict,
        ),
        (DiskStatus::Changed, _) => {
            project(message!("{name} changed on disk.", name), message!("Reload"), AppRequest::ReloadProject)
        }
        (DiskStatus::Unchanged, Some(name)) if !file.changed_on_disk => FileNotice {
            sentence: message!("{name} changed on disk.", name),
            action: message!("Show what changed"),
            accept: AppRequest::ReimportTable,
            dismiss: AppRequest::IgnoreTableChange,
        },
        (DiskStatus::Unchanged, _) => FileNotice {
            sentence: message!("{name} changed on disk.", name = file.name),
            action: message!("Reload"),
            accept: AppRequest::ReloadCharacter,
            dismiss: AppRequest::IgnoreCharacterChange,
        },
    }
}

pub fn show_file_notice(ui: &mut Ui, cx: &mut UiContext<'_>) {
    let whole = ui.max_rect();
    let cut = whole.right() - size::HIT_MIN - 8.0;
    let FileNotice { sentence, action, accept: yes, dismiss: no } = file_notice(cx);
    let (sentence, action) = (cx.tr(sentence), cx.tr(action));
    let mut left = ui.new_child(UiBuilder::new().max_rect(whole.with_max_x(cut)));
    if message_strip(&mut left, MessageLevel::Warning, &sentence, Some(&action)) {
        cx.request(yes);
    }
    let button_rect = Rect::from_min_max(pos2(cut + 2.0, whole.top() + space::XXS), whole.max);
    let mut right = ui.new_child(UiBuilder::new().max_rect(button_rect));
    if IconButton::new(icons::X, &tr!(cx, "Dismiss")).tiny().show(&mut right).clicked() {
        cx.request(no);
    }
}
