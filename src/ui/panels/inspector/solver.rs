//! Which solver moves what is tuned, and whose ways of it are shown.

use crate::session::Command;
use crate::ui::kit::choice::{choice, combo};
use crate::ui::kit::icons;
use crate::ui::kit::paint;
use crate::ui::kit::param_row::note_with;
use crate::ui::kit::theme::Text;
use crate::ui::kit::tokens::size;
use crate::ui::panels::menus::item;
use crate::ui::{Cx, Window, kit::words};
use egui::{Align, Layout, Popup, Sense, Ui, vec2};

const HEIGHT: f32 = 26.0;

/// The solvers behind a button. Another one is not taken at once: its window says first what that costs.
pub(super) fn solver_ui(ui: &mut Ui, cx: &mut Cx<'_>) {
    let now = cx.session().system().solver;
    let (label, hint) = (cx.tr("solver.label"), cx.tr("solver.hint"));
    let shown = words::solver_name(cx.theme.lang, now);
    line(ui, cx, (&label, &hint), |ui, cx, room| {
        let button = combo(ui, &label, &shown, room);
        Popup::menu(&button).show(|ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            for (kind, name) in words::solver_names(cx.theme.lang) {
                if item(&name).tick(kind == now).show(ui).clicked() {
                    if kind != now {
                        cx.state.open.push(Window::Switch(kind));
                    }
                    ui.close();
                }
            }
        });
    });
}

/// Chains that are selected too and that another solver moves.
pub(super) fn others_ui(ui: &mut Ui, cx: &Cx<'_>) {
    for (kind, chains) in cx.session().out_of_reach() {
        let form = if chains == 1 { "inspector.others.one" } else { "inspector.others.many" };
        let solver = words::solver_name(cx.theme.lang, kind);
        let words = cx.tr_with(form, &[("n", &chains.to_string()), ("solver", &*solver)]);
        note_with(ui, icons::INFO, &words, 0.0);
    }
}

/// Whose ways are shown where runtimes of one format differ, and what the chosen one does otherwise.
pub(super) fn preview_ui(ui: &mut Ui, cx: &mut Cx<'_>) {
    let Some(row) = cx.session().preview_row() else { return };
    let def = cx.session().system().def(row);
    let texts: Vec<_> = (0..3).map(|at| words::param_choice(cx.theme.lang, def, at)).collect();
    let texts: Vec<&str> = texts.iter().map(|text| &**text).collect();
    let chosen = cx.session().system().get(row).round().clamp(0.0, 2.0) as usize;
    let (label, doc) = (words::param_label(cx.theme.lang, def), words::param_doc(cx.theme.lang, def));
    line(ui, cx, (&label, &doc), |ui, cx, room| {
        if let Some(at) = choice(ui, &label, &texts, Some(chosen), room).filter(|at| *at != chosen) {
            cx.command(Command::Set(row, at as f32));
        }
    });
    let differs = cx.tr(["solver.preview.specification", "solver.preview.univrm", "solver.preview.three_vrm"][chosen]);
    note_with(ui, icons::INFO, &differs, 0.0);
}

/// A label with its tooltip, and a control at the right in the room that is left.
fn line(ui: &mut Ui, cx: &mut Cx<'_>, (label, hint): (&str, &str), control: impl FnOnce(&mut Ui, &mut Cx<'_>, f32)) {
    ui.horizontal(|ui| {
        let words = paint::elided(ui, label, Text::Body, cx.theme.color.text_2, ui.available_width() * 0.4);
        let (rect, said) = ui.allocate_exact_size(vec2(words.size().x, HEIGHT), Sense::hover());
        paint::galley_left(ui.painter(), rect.left_center(), words);
        said.on_hover_text(hint);
        let room = ui.available_width() - 4.0;
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.set_height(size::HIT_MIN);
            control(ui, cx, room);
        });
    });
}
