//! The players' frame rate that is previewed: how their screens change what the engine does.

use super::transport::Flat;
use crate::session::{Command, PLAYERS_RATES};
use crate::ui::Cx;
use crate::ui::kit::icons;
use crate::ui::kit::number::brief;
use crate::ui::kit::paint;
use crate::ui::kit::param_row::note;
use crate::ui::kit::theme::Text;
use crate::ui::kit::tokens::{radius, size};
use egui::{Align2, Color32, Popup, RectAlign, Response, Sense, Ui, WidgetInfo, pos2, vec2};

const WIDTH: f32 = 216.0;
/// What is used unless the artist says otherwise, frames per second.
const USUAL: u32 = 60;

/// Lets the session run at the rate that the artist prefers, also after another character was opened.
pub(super) fn keep(cx: &mut Cx<'_>) {
    let wanted = cx.state.prefs.players_rate.filter(|rate| PLAYERS_RATES.contains(rate)).unwrap_or(USUAL);
    if cx.session().play().players_rate() != wanted {
        cx.command(Command::SetPlayersRate(wanted));
    }
}

/// The button that names the rate and opens the list of rates.
pub(super) fn button_ui(ui: &mut Ui, cx: &mut Cx<'_>, with_words: bool) {
    let rate = cx.session().play().players_rate().to_string();
    let name = cx.tr_with("players.button", &[("n", &rate)]);
    let shown = if with_words { cx.tr_with("players.fps", &[("n", &rate)]) } else { String::new() };
    let (response, _) = Flat { name: &name, words: &shown, on: false, icon: Some(icons::GAUGE) }.show(ui);
    let menu = Popup::menu(&response).align(RectAlign::TOP_START).gap(10.0);
    menu.show(|ui| menu_ui(ui, cx));
    response.on_hover_text(name);
}

fn menu_ui(ui: &mut Ui, cx: &mut Cx<'_>) {
    ui.set_width(WIDTH);
    ui.spacing_mut().item_spacing.y = 1.0;
    let c = cx.theme.color;
    ui.label(Text::Strong.rich(cx.tr("players.title")).color(c.text));
    ui.add_space(3.0);
    let now = cx.session().play().players_rate();
    let pace_of_one = cx.session().pace() / now as f32;
    // A steady pace is 1 whatever the rate.
    let steady = cx.session().keeps_pace();
    for rate in PLAYERS_RATES {
        let pace = if steady { 1.0 } else { pace_of_one * rate as f32 };
        if row_ui(ui, cx, rate, pace, rate == now).clicked() {
            cx.state.prefs.players_rate = (rate != USUAL).then_some(rate);
            cx.command(Command::SetPlayersRate(rate));
            ui.close();
        }
    }
    ui.add_space(4.0);
    let hint = cx.tr(if steady { "players.hint_steady" } else { "players.hint_unity" });
    note(ui, &hint, 0.0);
}

fn row_ui(ui: &mut Ui, cx: &Cx<'_>, rate: u32, pace: f32, chosen: bool) -> Response {
    let c = cx.theme.color;
    let (place, response) = ui.allocate_exact_size(vec2(WIDTH, size::ROW), Sense::click());
    let words = cx.tr_with("players.fps", &[("n", &rate.to_string())]);
    let pace = cx.tr_with("players.pace", &[("pace", &brief(pace))]);
    response.widget_info(|| WidgetInfo::selected(egui::Role::MenuItemRadio, true, chosen, &words));
    let (fill, ink) = match (chosen, response.hovered()) {
        (true, _) => (c.selection, c.selection_text),
        (false, true) => (c.hover, c.text),
        (false, false) => (Color32::TRANSPARENT, c.text),
    };
    ui.painter().rect_filled(place, radius::FIELD, fill);
    let left = place.left_center() + vec2(10.0, 0.0);
    paint::text(ui.painter(), left, Align2::LEFT_CENTER, &words, Text::Body, ink);
    let right = pos2(place.right() - 10.0, place.center().y);
    let faint = if chosen { ink } else { c.text_3 };
    paint::text(ui.painter(), right, Align2::RIGHT_CENTER, &pace, Text::Small, faint);
    icons::focus_ring(ui, &response, place, radius::FIELD);
    response
}
