//! The bar of a running comparison or sweep, above the transport.

use super::menus::{menu_item, menu_separator};
use crate::tr;
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
use yuremono_session::{Command, CompareLayout, CompareSource, CompareWith, Comparison, Sweep};
use yuremono_sim::diagnostics::{MessageText, message};

/// Largest width of the button that shows what B is, in points.
const SOURCE_WIDTH: f32 = 190.0;
/// Width of the viewport below which the bar leaves out words, in points.
const MIN_WIDTH_FOR_TEXT: f32 = 600.0;
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
    let timeline = if viewport::shows_timeline(cx) { TIMELINE_HEIGHT } else { 0.0 };
    let within = rect.shrink(space::L).with_max_y(rect.bottom() - BOTTOM_MARGIN + space::L - space::S - timeline);
    let has_text = rect.width() >= MIN_WIDTH_FOR_TEXT;
    if let Some(comparison) = session.comparison() {
        viewport::strip(ui, "compare", Align2::CENTER_BOTTOM, within, StripDirection::Horizontal, |ui| {
            comparison_ui(ui, cx, comparison, has_text);
        });
    } else if let Some(sweep) = session.sweep() {
        viewport::strip(ui, "sweep", Align2::CENTER_BOTTOM, within, StripDirection::Horizontal, |ui| {
            sweep_ui(ui, cx, sweep, has_text);
        });
    }
}

fn comparison_ui(ui: &mut Ui, cx: &mut UiContext<'_>, comparison: &Comparison, has_text: bool) {
    ui.set_height(size::BUTTON);
    ui.add_space(space::S);
    ui.label(TextSize::Strong.rich(tr!(cx, "B")));
    let name = source_name(cx, &comparison.source);
    let button = combo_button(ui, &tr!(cx, "Compare with"), &name, SOURCE_WIDTH);
    Popup::menu(&button).show(|ui| source_menu_ui(ui, cx));
    button.on_hover_text(tr!(cx, "The tuning that the character is compared with. Both run on the same motion."));
    let layouts = [(CompareLayout::Ghost, message!("Ghost")), (CompareLayout::SideBySide, message!("Side by side"))];
    let labels = layouts.each_ref().map(|(_, name)| cx.tr(name));
    let chosen = layouts.iter().position(|(layout, _)| *layout == comparison.layout).unwrap_or(0);
    let choices = labels.each_ref().map(|label| (&**label, None));
    if let Some(at) = segmented(ui, &choices, chosen, size::HIT_MIN) {
        cx.command(Command::SetCompareLayout(layouts[at].0));
    }
    let key = Action::FlipComparison.shortcut_text(ui.ctx());
    let flip = tr!(cx, "Show B instead of A");
    let flip = IconButton::new(icons::ARROWS_LEFT_RIGHT, &flip).key(&key).on(comparison.is_flipped);
    if flip.sized(size::BUTTON, size::ICON).show(ui).clicked() {
        cx.command(Command::FlipComparison);
    }
    strip_separator(ui, StripDirection::Horizontal);
    let count = comparison.compared.differences.len();
    let text =
        if has_text { tr!(cx, "{n:difference|differences}{:comparison}", n = count) } else { count.to_string().into() };
    let button = secondary(&text).small().enabled(count > 0).show(ui);
    if button.on_hover_text(tr!(cx, "Lists the differences, and takes values or chains of B across.")).clicked() {
        cx.state.dialogs_to_open.push(DialogKind::Differences);
    }
    if let Some(warning) = uncompared_text(cx, comparison) {
        let icon = IconButton::new(icons::WARNING, &warning).color(cx.theme.color.warning);
        if icon.show(ui).clicked() {
            cx.state.dialogs_to_open.push(DialogKind::Differences);
        }
    }
    close_ui(ui, cx, message!("End comparison"));
}

fn sweep_ui(ui: &mut Ui, cx: &mut UiContext<'_>, sweep: &Sweep, has_text: bool) {
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
    if has_text {
        ui.label(TextSize::Body.rich(tr!(cx, "Click a body to take its value.")).color(cx.theme.color.text_2));
    }
    if secondary(&tr!(cx, "Change…")).small().show(ui).clicked() {
        cx.state.dialogs_to_open.push(DialogKind::Sweep(subject));
    }
    close_ui(ui, cx, message!("End sweep"));
}

fn close_ui(ui: &mut Ui, cx: &mut UiContext<'_>, name: MessageText) {
    if IconButton::new(icons::X, &cx.tr(name)).sized(size::BUTTON, size::ICON_TINY).show(ui).clicked() {
        cx.command(Command::EndComparison);
    }
}

/// Returns which chains are not compared, and which bones of B are missing.
pub(in crate::ui) fn uncompared_text(cx: &UiContext<'_>, comparison: &Comparison) -> Option<String> {
    let joined = |names: &[String]| {
        let first = names.iter().take(3).cloned().collect::<Vec<_>>().join(&tr!(cx, ", "));
        if names.len() > 3 { first + "…" } else { first }
    };
    let mut sentences = Vec::new();
    let (only_a, only_b) = (&comparison.only_in_a, &comparison.only_in_b);
    if !only_a.is_empty() {
        sentences.push(tr!(cx, "B lacks {n:chain|chains}: {names}.", n = only_a.len(), names = joined(only_a)));
    }
    if !only_b.is_empty() {
        sentences.push(tr!(cx, "Only B has {n:chain|chains}: {names}.", n = only_b.len(), names = joined(only_b)));
    }
    if comparison.missing_bones > 0 {
        sentences.push(tr!(
            cx,
            "The character lacks {n:bone of B, so its|bones of B, so their} values have no effect.",
            n = comparison.missing_bones
        ));
    }
    (!sentences.is_empty()).then(|| sentences.join(if cx.theme.is_japanese() { "" } else { " " }))
}

/// Returns what B is.
pub(in crate::ui) fn source_name(cx: &UiContext<'_>, source: &CompareSource) -> String {
    match source {
        CompareSource::Present => tr!(cx, "Snapshot").into_owned(),
        CompareSource::AsLoaded => tr!(cx, "As loaded{:tuning}").into_owned(),
        CompareSource::AfterPreset(name) => {
            tr!(cx, "{name} as applied", name = name.get(cx.theme.is_japanese())).into_owned()
        }
        CompareSource::Preset(name) => name.get(cx.theme.is_japanese()).to_owned(),
        CompareSource::HistoryState(None) => tr!(cx, "Before the first change").into_owned(),
        CompareSource::HistoryState(Some(label)) => tr!(cx, "After: {what}", what = &label.text).into_owned(),
        CompareSource::File(name) => name.clone(),
    }
}

/// Draws the choice of B.
fn source_menu_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    ui.spacing_mut().item_spacing.y = 0.0;
    let simple = [
        (message!("As loaded{:tuning}"), icons::ARROW_COUNTER_CLOCKWISE, CompareWith::AsLoaded),
        (message!("Snapshot"), icons::PUSH_PIN, CompareWith::Present),
    ];
    for (name, icon, with) in simple {
        if menu_item(&cx.tr(name)).icon(icon).show(ui).clicked() {
            cx.command(Command::Compare(Box::new(with)));
            ui.close();
        }
    }
    menu_item(&tr!(cx, "Preset")).icon(icons::SPARKLE).submenu(ui, |ui| presets_ui(ui, cx));
    let has_history = cx.session().history().states().nth(1).is_some();
    let history = tr!(cx, "Earlier state");
    menu_item(&history).icon(icons::ARROW_U_UP_LEFT).enabled(has_history).submenu(ui, |ui| states_ui(ui, cx));
    menu_separator(ui);
    if menu_item(&tr!(cx, "File…")).icon(icons::FOLDER_OPEN).show(ui).clicked() {
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
