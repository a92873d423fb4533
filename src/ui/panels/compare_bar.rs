//! The bar of a running comparison or sweep, above the transport.

use super::labels;
use super::menus::{menu_item, menu_separator};
use crate::ui::actions::Action;
use crate::ui::compare::{sweep_format, sweep_name};
use crate::ui::kit::button::secondary;
use crate::ui::kit::frame::{StripDirection, strip_separator};
use crate::ui::kit::icons::{self, IconButton};
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::toggle::{combo_button, segmented};
use crate::ui::kit::tokens::{size, space};
use crate::ui::viewport::{self, BOTTOM_MARGIN};
use crate::ui::{AppRequest, DialogKind, UiContext};
use egui::{Align2, Popup, Rect, Ui};
use std::sync::Arc;
use yuremono_model::feel::preset::LocalizedText;
use yuremono_session::{Command, CompareLayout, CompareSource, CompareWith, Comparison, Sweep};

/// Largest width of the button that shows what B is, in points.
const SOURCE_WIDTH: f32 = 190.0;
/// Width of the viewport below which the bar leaves out words, in points.
const MIN_WIDTH_FOR_WORDS: f32 = 600.0;
/// Maximum number of states of the history in the menu.
const MAX_STATES: usize = 12;
const MENU_HEIGHT: f32 = 380.0;
/// Height of the timeline above the transport, in points.
const TIMELINE_HEIGHT: f32 = size::HIT_MIN + space::S;

pub(in crate::ui) fn show(ui: &mut Ui, rect: Rect, cx: &mut UiContext<'_>) {
    if cx.input.capture.is_active {
        return;
    }
    let session = cx.session();
    let timeline = if cx.state.timeline_marks.is_some() { TIMELINE_HEIGHT } else { 0.0 };
    let within = rect.shrink(space::L).with_max_y(rect.bottom() - BOTTOM_MARGIN + space::L - space::S - timeline);
    let has_words = rect.width() >= MIN_WIDTH_FOR_WORDS;
    if let Some(comparison) = session.comparison() {
        viewport::strip(ui, "compare", Align2::CENTER_BOTTOM, within, StripDirection::Horizontal, |ui| {
            comparison_ui(ui, cx, comparison, has_words);
        });
    } else if let Some(sweep) = session.sweep() {
        viewport::strip(ui, "sweep", Align2::CENTER_BOTTOM, within, StripDirection::Horizontal, |ui| {
            sweep_ui(ui, cx, sweep, has_words);
        });
    }
}

fn comparison_ui(ui: &mut Ui, cx: &mut UiContext<'_>, comparison: &Comparison, has_words: bool) {
    ui.set_height(size::BUTTON);
    ui.add_space(space::S);
    ui.label(TextSize::Strong.rich(cx.tr("compare.b")));
    let name = source_name(cx, &comparison.source);
    let button = combo_button(ui, &cx.tr("compare.what"), &name, SOURCE_WIDTH);
    Popup::menu(&button).show(|ui| source_menu_ui(ui, cx));
    button.on_hover_text(cx.tr("compare.what_hint"));
    let layouts = [(CompareLayout::Ghost, "compare.ghost"), (CompareLayout::SideBySide, "compare.side_by_side")];
    let words = layouts.map(|(_, key)| cx.tr(key));
    let chosen = layouts.iter().position(|(layout, _)| *layout == comparison.layout).unwrap_or(0);
    let choices = words.each_ref().map(|words| (&**words, None));
    if let Some(at) = segmented(ui, &choices, chosen, size::HIT_MIN) {
        cx.command(Command::SetCompareLayout(layouts[at].0));
    }
    let key = Action::FlipComparison.shortcut_text(ui.ctx());
    let flip = cx.tr("compare.flip");
    let flip = IconButton::new(icons::ARROWS_LEFT_RIGHT, &flip).key(&key).on(comparison.is_flipped);
    if flip.sized(size::BUTTON, size::ICON).show(ui).clicked() {
        cx.command(Command::FlipComparison);
    }
    strip_separator(ui, StripDirection::Horizontal);
    let count = comparison.compared.differences.len();
    let words = if has_words { cx.theme.count("compare.differences", count) } else { count.to_string() };
    let button = secondary(&words).small().enabled(count > 0).show(ui);
    if button.on_hover_text(cx.tr("compare.differences_hint")).clicked() {
        cx.state.dialogs_to_open.push(DialogKind::Differences);
    }
    if let Some(warning) = uncompared_text(cx, comparison) {
        let icon = IconButton::new(icons::WARNING, &warning).color(cx.theme.color.warning);
        if icon.show(ui).clicked() {
            cx.state.dialogs_to_open.push(DialogKind::Differences);
        }
    }
    close_ui(ui, cx, "compare.end");
}

fn sweep_ui(ui: &mut Ui, cx: &mut UiContext<'_>, sweep: &Sweep, has_words: bool) {
    ui.set_height(size::BUTTON);
    ui.add_space(space::S);
    ui.spacing_mut().item_spacing.x = space::M;
    let subject = sweep.settings.subject;
    ui.label(TextSize::Strong.rich(sweep_name(cx, subject)));
    let ends = sweep.values.first().zip(sweep.values.last());
    if let Some((low, high)) = ends {
        let format = sweep_format(cx, subject);
        ui.label(TextSize::Body.rich(format!("{} – {}", format.text(*low), format.text(*high))));
    }
    if has_words {
        ui.label(TextSize::Body.rich(cx.tr("compare.sweep.take")).color(cx.theme.color.text_2));
    }
    if secondary(&cx.tr("compare.sweep.change")).small().show(ui).clicked() {
        cx.state.dialogs_to_open.push(DialogKind::Sweep(subject));
    }
    close_ui(ui, cx, "compare.sweep.end");
}

fn close_ui(ui: &mut Ui, cx: &mut UiContext<'_>, key: &str) {
    if IconButton::new(icons::X, &cx.tr(key)).sized(size::BUTTON, size::ICON_TINY).show(ui).clicked() {
        cx.command(Command::EndComparison);
    }
}

/// Returns which chains are not compared, and which bones of B are missing.
pub(in crate::ui) fn uncompared_text(cx: &UiContext<'_>, comparison: &Comparison) -> Option<String> {
    let mut sentences = Vec::new();
    let mut add = |key: &str, count: usize, names: &[String]| {
        if count > 0 {
            let names = names.iter().take(3).cloned().collect::<Vec<_>>().join(&cx.tr("windows.and"));
            let more = if count > 3 && !names.is_empty() { "…" } else { "" };
            sentences.push(cx.theme.count(key, count).replace("%{names}", &format!("{names}{more}")));
        }
    };
    add("compare.only_a", comparison.only_in_a.len(), &comparison.only_in_a);
    add("compare.only_b", comparison.only_in_b.len(), &comparison.only_in_b);
    add("compare.missing_bones", comparison.missing_bones, &[]);
    (!sentences.is_empty()).then(|| sentences.join(if cx.theme.is_japanese() { "" } else { " " }))
}

/// Returns what B is.
pub(in crate::ui) fn source_name(cx: &UiContext<'_>, source: &CompareSource) -> String {
    let named = |key: &str, name: &LocalizedText| cx.tr_with(key, &[("name", name.get(cx.theme.is_japanese()))]);
    match source {
        CompareSource::Present => cx.tr("compare.source.present").into_owned(),
        CompareSource::AsLoaded => cx.tr("compare.source.as_loaded").into_owned(),
        CompareSource::AfterPreset(name) => named("presets.as_applied", name),
        CompareSource::Preset(name) => name.get(cx.theme.is_japanese()).to_owned(),
        CompareSource::HistoryState(None) => cx.tr("compare.source.start").into_owned(),
        CompareSource::HistoryState(Some(label)) => {
            cx.tr_with("compare.source.after", &[("what", &labels::undo_text(&cx.theme, label))])
        }
        CompareSource::File(name) => name.clone(),
    }
}

/// Draws the choice of B.
fn source_menu_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    ui.spacing_mut().item_spacing.y = 0.0;
    let simple = [
        ("compare.source.as_loaded", icons::ARROW_COUNTER_CLOCKWISE, CompareWith::AsLoaded),
        ("compare.source.present", icons::PUSH_PIN, CompareWith::Present),
    ];
    for (key, icon, with) in simple {
        if menu_item(&cx.tr(key)).icon(icon).show(ui).clicked() {
            cx.command(Command::Compare(Box::new(with)));
            ui.close();
        }
    }
    menu_item(&cx.tr("compare.source.preset")).icon(icons::SPARKLE).submenu(ui, |ui| presets_ui(ui, cx));
    let has_history = cx.session().history().states().nth(1).is_some();
    let history = cx.tr("compare.source.history");
    menu_item(&history).icon(icons::ARROW_U_UP_LEFT).enabled(has_history).submenu(ui, |ui| states_ui(ui, cx));
    menu_separator(ui);
    if menu_item(&cx.tr("compare.source.file")).icon(icons::FOLDER_OPEN).show(ui).clicked() {
        cx.request(AppRequest::CompareFileDialog);
        ui.close();
    }
}

fn presets_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    let library = Arc::clone(&cx.state.presets.library);
    egui::ScrollArea::vertical().max_height(MENU_HEIGHT).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        for (id, preset) in library.all() {
            let is_usable = !cx.inspection().preset_targets(preset).is_empty();
            let name = preset.name.get(cx.theme.is_japanese());
            if menu_item(name).enabled(is_usable).show(ui).clicked() {
                let preset = cx.inspection().preset_application(id, preset, None, cx.theme.is_japanese());
                cx.command(Command::Compare(Box::new(CompareWith::Preset(preset))));
                ui.close();
            }
        }
    });
}

/// Draws the newest states of the history, newest first.
fn states_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    let now = cx.session().history().current_state();
    for (state, label) in cx.session().history().states().rev().take(MAX_STATES) {
        let name = source_name(cx, &CompareSource::HistoryState(label.cloned()));
        if menu_item(&name).tick(state == now).show(ui).clicked() {
            cx.command(Command::Compare(Box::new(CompareWith::HistoryState(state))));
            ui.close();
        }
    }
}
