//! What the inspector offers while the sample stands there and nothing is selected.

use crate::session::{Command, Motion};
use crate::stage::TestMotion;
use crate::ui::kit::button::{primary, secondary};
use crate::ui::kit::icons;
use crate::ui::kit::section::heading;
use crate::ui::kit::theme::Text;
use crate::ui::kit::toggle::chip;
use crate::ui::{Cx, Request, Window};
use egui::{Ui, vec2};

/// Recent files that are listed.
const MOST_RECENT: usize = 5;

pub(super) fn start_ui(ui: &mut Ui, cx: &mut Cx<'_>) {
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing = vec2(6.0, 6.0);
        open_ui(ui, cx);
        recent_ui(ui, cx);
        ui.add_space(8.0);
        motions_ui(ui, cx);
        ui.add_space(8.0);
        ui.label(Text::Small.rich(cx.tr("inspector.files_stay")).color(cx.theme.color.text_3));
        ui.add_space(8.0);
    });
}

fn open_ui(ui: &mut Ui, cx: &mut Cx<'_>) {
    heading(ui, &cx.tr("inspector.open"), "");
    let width = ui.available_width();
    let open = cx.tr("inspector.open_character");
    if primary(&open).icon(icons::FOLDER_OPEN).key("Ctrl+O").left().width(width).show(ui).clicked() {
        cx.request(Request::OpenDialog);
    }
    let import = cx.tr("inspector.import_csv");
    if secondary(&import).icon(icons::FILE_CSV).left().width(width).show(ui).clicked() {
        cx.request(Request::ImportDialog);
    }
    let path = cx.tr("inspector.type_path");
    if secondary(&path).icon(icons::KEYBOARD).left().width(width).show(ui).clicked() {
        cx.state.open.push(Window::TypePath);
    }
}

/// The files that were open last, newest first.
fn recent_ui(ui: &mut Ui, cx: &mut Cx<'_>) {
    if cx.input.file.recent.is_empty() {
        return;
    }
    ui.add_space(8.0);
    heading(ui, &cx.tr("inspector.recent"), "");
    let width = ui.available_width();
    for path in cx.input.file.recent.iter().take(MOST_RECENT) {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        let button = secondary(&name).icon(icons::CLOCK_COUNTER_CLOCKWISE).left().width(width).show(ui);
        if button.on_hover_text(path.to_string_lossy()).clicked() {
            cx.request(Request::OpenPath(path.clone()));
        }
    }
}

fn motions_ui(ui: &mut Ui, cx: &mut Cx<'_>) {
    heading(ui, &cx.tr("inspector.try_motion"), "");
    let now = cx.session().play().motion();
    ui.horizontal_wrapped(|ui| {
        let character = cx.session().character();
        for motion in TestMotion::ALL.into_iter().filter(|m| m.suits(character)) {
            let words = cx.tr(&format!("inspector.motion.{}", motion.name()));
            let motion = Motion::Test(motion);
            if chip(ui, &words, None, now == motion, None).clicked() {
                cx.command(Command::SetMotion(motion));
            }
        }
    });
}
