//! The two ways to run: the choice in the head, and the improvements.

use super::remarks::NOT_UNITY;
use super::rows::{LABEL_LEFT, Rows};
use crate::session::{Command, Entry};
use crate::ui::Cx;
use crate::ui::kit::button::secondary;
use crate::ui::kit::icons;
use crate::ui::kit::paint;
use crate::ui::kit::param_row::{note, note_with};
use crate::ui::kit::theme::Text;
use crate::ui::kit::toggle::segmented_with_hints;
use crate::ui::kit::words;
use egui::{Align, Layout, Ui};

const HEIGHT: f32 = 26.0;

/// As the engine does it, or improved: of the whole character, whatever is selected.
pub(super) fn way_ui(ui: &mut Ui, cx: &mut Cx<'_>) {
    let Some(row) = cx.session().way_row() else { return };
    let def = cx.session().system().def(row);
    let texts = [0, 1].map(|i| words::param_choice(cx.theme.lang, def, i));
    let hints = [cx.tr("ways.as_unity_hint"), cx.tr("ways.improved_hint")];
    let chosen = usize::from(cx.session().system().is_improved());
    ui.horizontal(|ui| {
        let choices = [(&*texts[0], None), (&*texts[1], None)];
        let wide: f32 = texts.iter().map(|t| paint::width_of(ui, t, Text::Strong) + 16.0).sum();
        let name = cx.tr("ways.label");
        let room = ui.available_width() - wide - 8.0;
        let words = paint::elided(ui, &name, Text::Body, cx.theme.color.text_2, room);
        let (rect, said) = ui.allocate_exact_size(egui::vec2(words.size().x, HEIGHT), egui::Sense::hover());
        paint::galley_left(ui.painter(), rect.left_center(), words);
        said.on_hover_text(words::param_doc(cx.theme.lang, def));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let clicked = segmented_with_hints(ui, &choices, &[&hints[0], &hints[1]], chosen, HEIGHT);
            if let Some(clicked) = clicked.filter(|c| *c != chosen) {
                cx.command(Command::Set(row, clicked as f32));
            }
        });
    });
}

/// At the right of the group's head: how many are on.
pub(super) fn improved_fact(cx: &Cx<'_>) -> String {
    match cx.session().improvements_on() {
        0 => String::new(),
        n => cx.tr_with("ways.fact", &[("n", &n.to_string())]),
    }
}

/// The improvements; as the engine does it, one line that leads there.
pub(super) fn improved_ui(ui: &mut Ui, cx: &mut Cx<'_>, rows: &mut Rows<'_>, lines: &[Entry]) {
    let Some(way) = cx.session().way_row() else { return };
    if !cx.session().system().is_improved() {
        note(ui, &cx.tr("ways.need_improved"), LABEL_LEFT);
        ui.add_space(2.0);
        if secondary(&cx.tr("ways.run_improved")).icon(icons::SPARKLE).small().show(ui).clicked() {
            cx.command(Command::Set(way, 1.0));
        }
        return;
    }
    match cx.session().improvements_on() {
        0 => {}
        n => _ = note_with(ui, NOT_UNITY, &cx.tr_with("ways.on", &[("n", &n.to_string())]), LABEL_LEFT),
    }
    let others: Vec<Entry> = lines.iter().copied().filter(|entry| *entry != Entry::One(way)).collect();
    rows.entries_ui(ui, cx, &others);
}
