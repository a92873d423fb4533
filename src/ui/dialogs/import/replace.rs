//! Replace: the file takes the place of what is there, as Unity's own window builds it.

use super::rows::section_key;
use super::{Choice, Import, messages};
use crate::exchange::{ReplacePlan, RowError, Section, Wanted};
use crate::ui::Cx;
use crate::ui::dialogs::table::{self, Column, Table};
use crate::ui::kit::frame::{self, Tone};
use crate::ui::kit::icons::{self, paint_icon};
use crate::ui::kit::paint;
use crate::ui::kit::theme::Text;
use crate::ui::kit::toggle::{Tick, tick_box};
use crate::ui::kit::tokens::{size, space};
use egui::{ScrollArea, Sense, Ui, vec2};

/// How many notes are visible without scrolling.
const MOST_NOTES: f32 = 4.0;
const NOTE: f32 = 32.0;
const LINE: f32 = 16.0;
const SECTION: f32 = 64.0;
const NAME: f32 = 160.0;
/// Height of the line above the refused rows.
const ERROR_HEAD: f32 = 28.0;

impl Import {
    /// Everything between the mode and the mirror; `below` is the height of the mirror's row.
    pub(super) fn replace_ui(&self, ui: &mut Ui, cx: &Cx<'_>, below: f32) -> Option<Choice> {
        let plan = self.replacement.as_deref()?;
        let choice = self.wanted_ui(ui, cx);
        outcome_ui(ui, cx, plan);
        self.warning_ui(ui, cx);
        notes_ui(ui, cx, plan);
        let height = ui.available_height() - below;
        errors_ui(ui, cx, plan.errors(), height);
        choice
    }

    /// Unity's two check boxes, and one for rows that only Yuremono reads.
    fn wanted_ui(&self, ui: &mut Ui, cx: &Cx<'_>) -> Option<Choice> {
        let mut choice = None;
        ui.horizontal(|ui| {
            ui.set_height(size::BUTTON);
            ui.add_space(space::XL - 4.0);
            ui.spacing_mut().item_spacing.x = space::XL;
            let mut tick = |key: &str, on: bool, now: Choice| {
                let words = cx.tr(key);
                let clicked = tick_box(ui, &words, &words, Tick::of(on)).clicked();
                choice = if clicked { Some(now) } else { choice };
            };
            let Wanted { bones, colliders } = self.wanted;
            tick("csv.replace.bones", bones, Choice::Wanted(Wanted { bones: !bones, colliders }));
            tick("csv.replace.colliders", colliders, Choice::Wanted(Wanted { bones, colliders: !colliders }));
            if self.plan.rows_of(Section::Other).next().is_some() {
                tick("csv.replace.extras", self.extras, Choice::Extras(!self.extras));
            }
        });
        choice
    }
}

/// The counts after the replacement.
fn outcome_ui(ui: &mut Ui, cx: &Cx<'_>, plan: &ReplacePlan) {
    let c = cx.theme.color;
    let counts = plan.counts();
    let parts = [
        ("joints", counts.joints),
        ("colliders", counts.colliders),
        ("pivots", counts.pivots),
        ("nulls", counts.nulls),
        ("high_legs", counts.high_legs),
    ];
    let parts = parts.iter().filter(|(key, n)| *n > 0 || *key == "joints");
    let parts: Vec<String> =
        parts.map(|(key, n)| cx.tr_with(&format!("csv.replace.after.{key}"), &[("n", &n.to_string())])).collect();
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 26.0), Sense::hover());
    let (head, after) = (cx.tr("csv.replace.after_head"), parts.join(&*cx.tr("windows.and")));
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, format!("{head} {after}")));
    let words = [(&*head, Text::Strong, c.text), ("  ", Text::Small, c.text), (&*after, Text::Body, c.text_2)];
    let line = paint::line_of(ui, &words, rect.width() - 2.0 * space::XL);
    paint::galley_left(ui.painter(), rect.left_center() + vec2(space::XL, 0.0), line);
    ui.add_space(space::S);
}

/// What is removed, and what differs from Unity's window.
fn notes_ui(ui: &mut Ui, cx: &Cx<'_>, plan: &ReplacePlan) {
    if plan.notes().is_empty() {
        return;
    }
    let height = NOTE * (plan.notes().len() as f32).min(MOST_NOTES);
    ScrollArea::vertical().id_salt("replace_notes").max_height(height).auto_shrink([false, true]).show(ui, |ui| {
        for note in plan.notes() {
            let (words, goes) = messages::replace_note(cx, note);
            ui.horizontal(|ui| {
                ui.set_height(NOTE);
                ui.add_space(space::XL);
                let room = vec2(ui.available_width() - space::XL, 28.0);
                let tone = if goes { Tone::Warning } else { Tone::Info };
                ui.allocate_ui(room, |ui| frame::message_strip(ui, tone, &words, None));
            });
        }
    });
    ui.add_space(space::S);
}

/// The rows that Unity's window would refuse, in its order.
fn errors_ui(ui: &mut Ui, cx: &Cx<'_>, errors: &[RowError], height: f32) {
    let c = cx.theme.color;
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ERROR_HEAD), Sense::hover());
    let (icon, color, words) = match errors.len() {
        0 => (icons::CHECK_CIRCLE, c.ok, cx.tr("csv.refused.none").into_owned()),
        n => (icons::X_CIRCLE, c.error, cx.tr_with("csv.refused.head", &[("n", &n.to_string())])),
    };
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &words));
    paint_icon(ui.painter(), rect.left_center() + vec2(space::XL + 8.0, 0.0), icon, size::ICON, color);
    table::words(ui, rect, space::XL + 24.0, rect.width() - space::XL - 40.0, &words, Text::Strong, c.text);
    if errors.is_empty() {
        ui.add_space((height - ERROR_HEAD).max(0.0));
        return;
    }
    let names = ["csv.column.line", "csv.column.section", "csv.column.name", "csv.column.why"].map(|key| cx.tr(key));
    let note = 0.26 * (ui.available_width() - NAME);
    let columns = [
        Column::new(&names[0], SECTION).indented(LINE),
        Column::new(&names[1], NAME - SECTION),
        Column::new(&names[2], note),
        Column::rest(&names[3]),
    ];
    let list = Table { id: "refused_rows", columns: &columns, height: height - ERROR_HEAD, scroll_to: None };
    list.show(
        ui,
        errors.len(),
        |_, _| {},
        |cells| {
            let error = &errors[cells.index()];
            let line = if error.line == 0 { "–".to_owned() } else { error.line.to_string() };
            let start = cells.begin(&error.name, false, |ui, cell| {
                table::words(ui, cell, LINE, cell.width() - LINE - space::M, &line, Text::Number, c.text_2)
            });
            cells.words(space::M, &cx.tr(section_key(error.section)), Text::Small, c.text_2);
            let long = cells.name(10.0, &error.name, c.text);
            let why = messages::refusal(cx, &error.kind);
            let cut = cells.words(space::L, &why, Text::Small, c.error);
            table::tell(&start.response, &error.name, false, &[&line, &why]);
            if long || cut {
                start.response.on_hover_text(format!("{}\n{why}", error.name));
            }
        },
    );
}
