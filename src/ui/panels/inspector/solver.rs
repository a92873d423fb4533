//! The solver of the selected chains, and the mode of the solver.

use super::label_line::EXTENSION_ICON;
use super::label_line::LABEL_LEFT;
use super::param_rows::ParamRows;
use crate::tr;
use crate::ui::kit::button::{primary, secondary};
use crate::ui::kit::collapsible_section::heading_ui;
use crate::ui::kit::param_row::{info_note, note_with_icon};
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::toggle::{chip, choice, combo_button, segmented_with_hints};
use crate::ui::kit::tokens::{size, space};
use crate::ui::kit::{i18n, icons, paint};
use crate::ui::panels::menus::menu_item;
use crate::ui::{AppRequest, DialogKind, IS_PAGE, UiContext, viewport};
use egui::{Align, Layout, Popup, Sense, Ui, vec2};
use std::borrow::Cow;
use yuremono_session::{Command, Motion, ParamLine};
use yuremono_sim::rig::TestMotion;

const HEIGHT: f32 = 26.0;

/// Draws the choice of the solver. A chosen solver opens the switch dialog, which lists losses before the switch.
pub(super) fn solver_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    let now = cx.inspection().system().solver;
    let (label, hint) = (
        tr!(cx, "Solver"),
        tr!(
            cx,
            "Solver of the selected chains, or of all chains if none is selected. A window lists the losses before \
             you switch."
        ),
    );
    let shown = i18n::solver_name(cx.theme.lang, now);
    labelled_control(ui, cx, &label, &hint, |ui, cx, width| {
        let button = combo_button(ui, &label, &shown, width);
        Popup::menu(&button).show(|ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            for (kind, name) in i18n::solver_names(cx.theme.lang) {
                if menu_item(&name).tick(kind == now).show(ui).clicked() {
                    if kind != now {
                        cx.state.dialogs_to_open.push(DialogKind::SwitchSolver(kind));
                    }
                    ui.close();
                }
            }
        });
    });
}

/// Lists selected chains that use another solver.
pub(super) fn other_solvers_ui(ui: &mut Ui, cx: &UiContext<'_>) {
    for (kind, chains) in cx.inspection().untuned_chains_by_solver() {
        let solver = i18n::solver_name(cx.theme.lang, kind);
        let text = match chains {
            1 => tr!(cx, "1 chain here uses {solver}: these values do not apply to it.", solver),
            n => tr!(cx, "{n:chain|chains} here use {solver}: these values do not apply to them.", n, solver),
        };
        note_with_icon(ui, icons::INFO, &text, 0.0);
    }
}

/// Draws the choice of the runtime to preview, if several runtimes interpret the same format in different ways. Also
/// lists the differences.
pub(super) fn runtime_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    let Some(param) = cx.inspection().preview_param() else { return };
    let def = cx.inspection().system().def(param);
    let texts: Vec<_> = (0..3).map(|at| i18n::param_choice(cx.theme.lang, def, at)).collect();
    let texts: Vec<&str> = texts.iter().map(|text| &**text).collect();
    let chosen = cx.inspection().system().get(param).round().clamp(0.0, 2.0) as usize;
    let (label, doc) = (i18n::param_label(cx.theme.lang, def), i18n::param_doc(cx.theme.lang, def));
    labelled_control(ui, cx, &label, &doc, |ui, cx, width| {
        if let Some(at) = choice(ui, &label, &texts, Some(chosen), width).filter(|at| *at != chosen) {
            cx.command(Command::SetParam(param, at as f32));
        }
    });
    let differs = match chosen {
        0 => tr!(cx, "As the specification says: bones keep their length, capsules are tested at the tip."),
        1 => tr!(
            cx,
            "As in UniVRM: capsules are tested at the root end of the bone, the length is restored one step after \
             contact with planes and inside colliders, and collider radii follow scale."
        ),
        _ => tr!(
            cx,
            "As in three-vrm: the length of a bone is measured to the tip of the previous frame, so quick motion \
             stretches hair."
        ),
    };
    note_with_icon(ui, icons::INFO, &differs, 0.0);
}

/// Draws a label with a tooltip, and a control at the right.
fn labelled_control(
    ui: &mut Ui,
    cx: &mut UiContext<'_>,
    label: &str,
    hint: &str,
    control: impl FnOnce(&mut Ui, &mut UiContext<'_>, f32),
) {
    ui.horizontal(|ui| {
        let galley = paint::elided(ui, label, TextSize::Body, cx.theme.color.text_2, ui.available_width() * 0.4);
        let (rect, response) = ui.allocate_exact_size(vec2(galley.size().x, HEIGHT), Sense::hover());
        paint::paint_galley_left(ui.painter(), rect.left_center(), galley);
        response.on_hover_text(hint);
        let width = ui.available_width() - 4.0;
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.set_height(size::HIT_MIN);
            control(ui, cx, width);
        });
    });
}

const MAX_RECENT: usize = 5;

pub(super) fn start_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing = vec2(space::S, space::S);
        open_ui(ui, cx);
        recent_ui(ui, cx);
        ui.add_space(space::M);
        motions_ui(ui, cx);
        ui.add_space(space::M);
        ui.label(TextSize::Small.rich(tr!(cx, "Files stay on this computer.")).color(cx.theme.color.text_3));
        ui.add_space(space::M);
    });
}

fn open_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    heading_ui(ui, &tr!(cx, "Open"), "");
    let width = ui.available_width();
    let open = tr!(cx, "Open character…");
    if primary(&open).icon(icons::FOLDER_OPEN).key("Ctrl+O").left().width(width).show(ui).clicked() {
        cx.request(AppRequest::OpenDialog);
    }
    let import = tr!(cx, "Import CSV…");
    if secondary(&import).icon(icons::FILE_CSV).left().width(width).show(ui).clicked() {
        cx.request(AppRequest::ImportDialog);
    }
    let path = tr!(cx, "Type a path…");
    if !IS_PAGE && secondary(&path).icon(icons::KEYBOARD).left().width(width).show(ui).clicked() {
        cx.state.dialogs_to_open.push(DialogKind::TypePath);
    }
}

/// Lists recent files, newest first.
fn recent_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    if cx.input.file.recent.is_empty() {
        return;
    }
    ui.add_space(space::M);
    heading_ui(ui, &tr!(cx, "Recent files"), "");
    let width = ui.available_width();
    for path in cx.input.file.recent.iter().take(MAX_RECENT) {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        let button = secondary(&name).icon(icons::CLOCK_COUNTER_CLOCKWISE).left().width(width).show(ui);
        if button.on_hover_text(path.to_string_lossy()).clicked() {
            cx.request(AppRequest::OpenPath(path.clone()));
        }
    }
}

fn motions_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    heading_ui(ui, &tr!(cx, "Try a motion"), "");
    let now = cx.playback().settings().motion;
    ui.horizontal_wrapped(|ui| {
        let character = cx.character();
        for motion in TestMotion::ALL.into_iter().filter(|m| m.supports_character(character)) {
            let motion = Motion::Test(motion);
            let text = viewport::motion_name(cx.theme.lang, motion, cx.session());
            if chip(ui, &text, None, now == motion, None).clicked() {
                cx.command(Command::SetMotion(motion));
            }
        }
    });
}

/// Draws the choice between Unity-accurate mode and improved mode, for the whole character.
pub(super) fn mode_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    let Some(param) = cx.inspection().mode_param() else { return };
    let def = cx.inspection().system().def(param);
    let texts = [0, 1].map(|i| i18n::param_choice(cx.theme.lang, def, i));
    let hints = [
        tr!(cx, "The motion that players see, with every quirk of Unity"),
        tr!(cx, "Fixes problems of the original, switch by switch. Not available in Unity."),
    ];
    let chosen = usize::from(cx.inspection().system().is_improved());
    ui.horizontal(|ui| {
        let choices = [(&*texts[0], None), (&*texts[1], None)];
        let wide: f32 = texts.iter().map(|t| paint::text_width(ui, t, TextSize::Strong) + 16.0).sum();
        let name = tr!(cx, "Mode");
        let width = ui.available_width() - wide - 8.0;
        let galley = paint::elided(ui, &name, TextSize::Body, cx.theme.color.text_2, width);
        let (rect, response) = ui.allocate_exact_size(vec2(galley.size().x, HEIGHT), Sense::hover());
        paint::paint_galley_left(ui.painter(), rect.left_center(), galley);
        response.on_hover_text(i18n::param_doc(cx.theme.lang, def));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let clicked = segmented_with_hints(ui, &choices, &[&hints[0], &hints[1]], chosen, HEIGHT);
            if let Some(clicked) = clicked.filter(|c| *c != chosen) {
                cx.command(Command::SetParam(param, clicked as f32));
            }
        });
    });
}

/// Returns a note with the number of active improvements.
pub(super) fn improvements_note(cx: &UiContext<'_>) -> Cow<'static, str> {
    match cx.inspection().active_improvement_count() {
        0 => Cow::default(),
        n => tr!(cx, "{n} on", n),
    }
}

/// Draws the improvements. In Unity-accurate mode, draws one line that switches to improved mode.
pub(super) fn improvements_ui(ui: &mut Ui, cx: &mut UiContext<'_>, rows: &mut ParamRows<'_>, lines: &[ParamLine]) {
    let Some(mode) = cx.inspection().mode_param() else { return };
    if !cx.inspection().system().is_improved() {
        info_note(ui, &tr!(cx, "Improvements apply only in improved mode."), LABEL_LEFT);
        ui.add_space(space::XXS);
        if secondary(&tr!(cx, "Use improved mode")).icon(icons::SPARKLE).small().show(ui).clicked() {
            cx.command(Command::SetParam(mode, 1.0));
        }
        return;
    }
    match cx.inspection().active_improvement_count() {
        0 => {}
        n => {
            let text = tr!(cx, "Has no effect in Unity: {n:improvement is|improvements are} on.", n);
            note_with_icon(ui, EXTENSION_ICON, &text, LABEL_LEFT);
        }
    }
    let others: Vec<ParamLine> = lines.iter().copied().filter(|entry| *entry != ParamLine::Single(mode)).collect();
    rows.entries_ui(ui, cx, &others);
}
