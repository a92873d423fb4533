//! The preset of the selected chains, the comparison with the previous state, and a button that saves a preset.

use crate::tr;
use crate::ui::actions::{AS_LOADED_KEY, Action};
use crate::ui::kit::button::secondary;
use crate::ui::kit::i18n;
use crate::ui::kit::icons::{self, IconButton, focus_ring, paint_icon};
use crate::ui::kit::paint;
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::tokens::{radius, size, space, stroke};
use crate::ui::panels::menus::{menu_item, menu_separator};
use crate::ui::presets::{PresetLibrary, PresetUiState, chain_to_save, feel_summary};
use crate::ui::{DialogKind, DrawerTab, UiContext};
use egui::{Align2, Popup, Response, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2, vec2};
use std::sync::Arc;
use yuremono_model::feel::preset::Preset;
use yuremono_session::{AppliedPreset, Command, CompareWith, PresetId};

const HEIGHT: f32 = 26.0;
const PADDING: f32 = 8.0;
const CARET_WIDTH: f32 = 22.0;
const MENU_HEIGHT: f32 = 380.0;

struct ShownPreset {
    id: Option<PresetId>,
    name: String,
    is_modified: bool,
}

pub(super) fn preset_ui(ui: &mut Ui, cx: &mut UiContext<'_>) {
    if cx.inspection().selected_chains().is_empty() {
        return;
    }
    let down = ui.input(|i| i.pointer.any_down());
    let shown = shown_preset(cx, down);
    ui.add_space(5.0);
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = space::S;
        let ab = tr!(cx, "A/B");
        let ab_width = paint::text_width(ui, &ab, TextSize::Body) + 2.0 * 12.0;
        let width = ui.available_width() - ab_width - size::BUTTON - 2.0 * space::S;
        let button = combo_ui(ui, cx, &shown, width);
        Popup::menu(&button).show(|ui| menu_ui(ui, cx, shown.id.as_ref()));
        compare_button_ui(ui, cx, &ab, ab_width);
        let save = tr!(cx, "Save this feel as preset");
        let possible = chain_to_save(cx.session()).is_some();
        let icon = IconButton::new(icons::FLOPPY_DISK, &save).enabled(possible).sized(size::BUTTON, size::ICON);
        if icon.show(ui).clicked() {
            cx.state.presets.dialog_preset = None;
            cx.state.dialogs_to_open.push(DialogKind::SavePreset);
        }
    });
}

fn shown_preset(cx: &mut UiContext<'_>, down: bool) -> ShownPreset {
    let used = cx.state.presets.preset_in_use(cx.session(), down);
    let preset_library = Arc::clone(&cx.state.presets.library);
    let name_of =
        |id: &PresetId| preset_library.get(id).map(|preset| preset.name.get(cx.theme.is_japanese()).to_owned());
    match cx.inspection().applied_preset() {
        AppliedPreset::Same { id, name, changed } => {
            let name = name_of(&id).unwrap_or_else(|| name.get(cx.theme.is_japanese()).to_owned());
            ShownPreset { id: Some(id), name, is_modified: changed }
        }
        AppliedPreset::Mixed => ShownPreset { id: None, name: tr!(cx, "Mixed").into_owned(), is_modified: false },
        AppliedPreset::None => {
            let name = used.as_ref().and_then(name_of).unwrap_or_else(|| tr!(cx, "No preset").into_owned());
            ShownPreset { id: used, name, is_modified: false }
        }
    }
}

fn combo_ui(ui: &mut Ui, cx: &UiContext<'_>, shown: &ShownPreset, width: f32) -> Response {
    let c = cx.theme.color;
    let (rect, response) = ui.allocate_exact_size(vec2(width, HEIGHT), Sense::click());
    let state = if shown.is_modified { tr!(cx, "changed") } else { std::borrow::Cow::default() };
    let label = tr!(cx, "Preset");
    let value = if shown.is_modified { format!("{}, {state}", shown.name) } else { shown.name.clone() };
    response.widget_info(|| WidgetInfo {
        current_text_value: Some(value.clone()),
        ..WidgetInfo::labeled(Role::ComboBox, true, &*label)
    });
    let edge = if response.hovered() { c.border_strong } else { c.border };
    ui.painter().rect(rect, radius::FIELD, c.field, Stroke::new(stroke::EDGE, edge), StrokeKind::Inside);
    paint_icon(ui.painter(), pos2(rect.left() + 15.0, rect.center().y), icons::SPARKLE, size::ICON, c.text_2);
    paint_icon(ui.painter(), pos2(rect.right() - space::L, rect.center().y), icons::CARET_DOWN, 12.0, c.text_2);
    let right = pos2(rect.right() - CARET_WIDTH, rect.center().y);
    let state_rect = paint::text(ui.painter(), right, Align2::RIGHT_CENTER, &state, TextSize::Small, c.text_3);
    let left = rect.left() + 28.0;
    let color = if shown.id.is_some() { c.text } else { c.text_2 };
    let galley = paint::elided(ui, &shown.name, TextSize::Body, color, state_rect.left() - PADDING - left);
    let cut = galley.elided;
    paint::paint_galley_left(ui.painter(), pos2(left, rect.center().y), galley);
    focus_ring(ui, &response, rect, radius::FIELD);
    if cut { response.on_hover_text(value) } else { response }
}

/// Draws the button that starts and ends a comparison with the tuning before the last changes.
fn compare_button_ui(ui: &mut Ui, cx: &mut UiContext<'_>, label: &str, width: f32) {
    let on = cx.session().comparison().is_some();
    let button = secondary(label).width(width).on(on).show(ui);
    let key = Action::FlipComparison.shortcut_text(ui.ctx());
    let hint = tr!(
        cx,
        "Compares the tuning (A) with another (B) on the same motion. {key}: show B instead of A. Hold {hold}: show \
         the tuning as loaded.",
        key,
        hold = AS_LOADED_KEY.name()
    );
    if button.on_hover_text(hint).clicked() {
        let start = Command::Compare(Box::new(CompareWith::Before));
        cx.command(if on { Command::EndComparison } else { start });
    }
}

/// Draws a menu of presets. Presets for the selected parts are first; other presets are in submenus.
fn menu_ui(ui: &mut Ui, cx: &mut UiContext<'_>, used: Option<&PresetId>) {
    ui.spacing_mut().item_spacing.y = 0.0;
    let preset_library = Arc::clone(&cx.state.presets.library);
    let document = cx.document();
    let chains = cx.inspection().selected_chains();
    let parts: Vec<_> = chains.iter().filter_map(|id| document.chains.get(id)).map(|chain| chain.part).collect();
    let fits = |preset: &Preset| preset.parts.iter().any(|part| parts.contains(part));
    egui::ScrollArea::vertical().max_height(MENU_HEIGHT).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        for (id, preset) in preset_library.all().filter(|(_, preset)| fits(preset)) {
            line_ui(ui, cx, &id, preset, used);
        }
    });
    other_parts_ui(ui, cx, &preset_library, used, &fits);
    menu_separator(ui);
    let all = tr!(cx, "All presets…");
    if menu_item(&all).icon(icons::SPARKLE).show(ui).clicked() {
        cx.state.drawer_tab = Some(DrawerTab::Presets);
        ui.close();
    }
}

fn other_parts_ui(
    ui: &mut Ui,
    cx: &mut UiContext<'_>,
    library: &PresetLibrary,
    used: Option<&PresetId>,
    fits: &dyn Fn(&Preset) -> bool,
) {
    let rest: Vec<_> = library.all().filter(|(_, preset)| !fits(preset)).collect();
    if rest.is_empty() {
        return;
    }
    menu_separator(ui);
    let custom = rest.iter().any(|(id, _)| id.is_custom).then_some(None);
    for part in library.parts().into_iter().map(Some).chain(custom) {
        let is_in = |(id, preset): &&(PresetId, &Preset)| match part {
            Some(part) => !id.is_custom && preset.parts.first() == Some(&part),
            None => id.is_custom,
        };
        let here: Vec<_> = rest.iter().filter(is_in).collect();
        if here.is_empty() {
            continue;
        }
        let label = part.map_or_else(|| tr!(cx, "Mine"), |part| i18n::part_name(cx.theme.lang, part));
        menu_item(&label).submenu(ui, |ui| {
            for (id, preset) in here {
                line_ui(ui, cx, id, preset, used);
            }
        });
    }
}

fn line_ui(ui: &mut Ui, cx: &mut UiContext<'_>, id: &PresetId, preset: &Preset, used: Option<&PresetId>) {
    let (name, key) = (preset.name.get(cx.theme.is_japanese()).to_owned(), feel_summary(preset));
    let reaches = !cx.session().inspection().preset_targets(preset).is_empty();
    let shown = menu_item(&name).key(&key).tick(used == Some(id)).enabled(reaches).show(ui);
    if shown.clicked() {
        let command = PresetUiState::apply(cx.session(), id, preset, cx.theme.is_japanese());
        cx.command(command);
        ui.close();
    } else if shown.hovered() || shown.has_focus() {
        cx.state.presets.request_preview(cx.session(), id);
    }
}
