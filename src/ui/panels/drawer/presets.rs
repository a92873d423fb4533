//! Feels with names: chips by part, search, and a card for each. Hover shows one, a click applies it.

mod card;

use crate::document::ChainPart;
use crate::feel::preset::Preset;
use crate::session::{InspectorSubject, PresetId};
use crate::ui::kit::button::secondary;
use crate::ui::kit::i18n;
use crate::ui::kit::icons;
use crate::ui::kit::paint;
use crate::ui::kit::text_field::search_field;
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::toggle::chip;
use crate::ui::kit::tokens::{motion, size, space};
use crate::ui::presets::{PresetLibrary, chain_to_save};
use crate::ui::{DialogKind, UiContext};
use card::{PresetCard, PresetCardAction};
use egui::{Align, Layout, Rect, Role, ScrollArea, Sense, Ui, UiBuilder, WidgetInfo, pos2, vec2};
use std::sync::Arc;
use std::time::Duration;

/// Narrower than this the search field is shorter.
const NARROW_WIDTH: f32 = 640.0;
const SEARCH_WIDTHS: [f32; 2] = [104.0, 124.0];
const HEADER_HEIGHT: f32 = 28.0;
/// What a card needs at least, and what lies between two.
const CARD_MIN_WIDTH: f32 = 148.0;
const CARD_GAP: f32 = space::M;

/// Which cards are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PresetFilter {
    Part(ChainPart),
    User,
}

/// What the tab keeps.
#[derive(Debug, Default)]
pub(super) struct PresetsTab {
    /// What the artist chose; `None` goes with the selection.
    chosen_filter: Option<PresetFilter>,
    /// The part of the selection that the choice was made for.
    chosen_for_part: Option<ChainPart>,
    search: String,
    /// The card under the pointer, and since when, egui's seconds.
    hovered_card: Option<(PresetId, f64)>,
    /// How many presets of the artist's own there were: a new one is shown.
    user_preset_count: Option<usize>,
}

impl PresetsTab {
    pub(super) fn show(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) {
        let body = ui.max_rect();
        cx.state.presets.drawer_rect = Some(body);
        set_mouse_hints(ui, cx);
        let shelf = Arc::clone(&cx.state.presets.library);
        let inner = body.shrink2(vec2(space::L, 0.0));
        let mut ui = ui.new_child(UiBuilder::new().max_rect(inner).layout(Layout::top_down(Align::Min)));
        ui.set_clip_rect(body);
        ui.spacing_mut().item_spacing = vec2(space::S, 0.0);
        ui.add_space(space::S);
        let chip = self.current_filter(cx, &shelf);
        self.header_ui(&mut ui, cx, &shelf, chip);
        ui.add_space(space::XS);
        if let Some(words) = targets_text(cx) {
            note_ui(&mut ui, cx, &words);
        }
        ui.add_space(space::XS);
        let shown: Vec<(PresetId, &Preset)> =
            shelf.all().filter(|(id, preset)| self.matches(id, preset, chip)).collect();
        if shown.is_empty() {
            let key = if self.search.trim().is_empty() { "presets.none_own" } else { "presets.none_found" };
            let at = ui.available_rect_before_wrap().center();
            let words = paint::elided(&ui, &cx.tr(key), TextSize::Body, cx.theme.color.text_3, inner.width());
            let left = pos2(at.x - words.size().x / 2.0, at.y);
            paint::paint_galley_left(ui.painter(), left, words);
            self.hovered_card = None;
            return;
        }
        self.cards_ui(&mut ui, cx, &shown);
    }

    /// What is shown: the artist's choice as long as the selection is of the same part; else what fits the selection.
    fn current_filter(&mut self, cx: &UiContext<'_>, shelf: &PresetLibrary) -> PresetFilter {
        let session = cx.session();
        let chain = session.inspection().active_chain().and_then(|id| session.document().chains.get(&id));
        let part = chain.map(|chain| chain.part);
        if part.is_some() && part != self.chosen_for_part {
            (self.chosen_filter, self.chosen_for_part) = (None, part);
        }
        let own = shelf.user.len();
        if self.user_preset_count.replace(own).is_some_and(|before| before < own) {
            self.chosen_filter = Some(PresetFilter::User);
            self.search.clear();
        }
        let parts = shelf.parts();
        let there = |chip: &PresetFilter| {
            *chip == PresetFilter::User || parts.iter().any(|part| PresetFilter::Part(*part) == *chip)
        };
        let first = parts.first().map_or(PresetFilter::User, |part| PresetFilter::Part(*part));
        self.chosen_filter.filter(there).or(part.map(PresetFilter::Part).filter(there)).unwrap_or(first)
    }

    /// While something is searched for, it is searched everywhere.
    fn matches(&self, id: &PresetId, preset: &Preset, chip: PresetFilter) -> bool {
        let wanted = self.search.trim().to_lowercase();
        if !wanted.is_empty() {
            let words = [&preset.name, &preset.description];
            return words.iter().any(|w| [&w.en, &w.ja].iter().any(|text| text.to_lowercase().contains(&wanted)));
        }
        match chip {
            PresetFilter::User => id.is_custom,
            PresetFilter::Part(part) => !id.is_custom && preset.parts.first() == Some(&part),
        }
    }

    /// Chips at the left in as many lines as they need, search and saving at the right.
    fn header_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, shelf: &PresetLibrary, shown: PresetFilter) {
        let full = ui.available_rect_before_wrap();
        let save = cx.tr("presets.save");
        let search = SEARCH_WIDTHS[usize::from(full.width() >= NARROW_WIDTH)];
        let save_width = paint::text_width(ui, &save, TextSize::Body) + 2.0 * 11.0 + 22.0;
        let right = Rect::from_min_size(
            pos2(full.right() - search - space::S - save_width, full.top()),
            vec2(search + space::S + save_width, HEADER_HEIGHT),
        );
        let left = Rect::from_min_max(full.min, pos2(right.left() - space::L, full.bottom()));
        let left = left.with_min_y(left.top() + (HEADER_HEIGHT - size::HIT_MIN) / 2.0);
        let layout = Layout::left_to_right(Align::Min).with_main_wrap(true);
        let mut chips = ui.new_child(UiBuilder::new().max_rect(left).layout(layout));
        chips.spacing_mut().item_spacing = vec2(space::XS, space::XXS);
        let searching = !self.search.trim().is_empty();
        let parts = shelf.parts().into_iter().map(PresetFilter::Part);
        for one in parts.chain([PresetFilter::User]) {
            let words = match one {
                PresetFilter::Part(part) => i18n::part_name(cx.theme.lang, part),
                PresetFilter::User => cx.tr("presets.own"),
            };
            if chip(&mut chips, &words, None, one == shown && !searching, None).clicked() {
                self.chosen_filter = Some(one);
                self.search.clear();
            }
        }
        let height = chips.min_rect().height();
        let tools = Layout::left_to_right(Align::Center);
        let place = UiBuilder::new().max_rect(right).layout(tools).id_salt("search");
        search_field(&mut ui.new_child(place), &mut self.search, &cx.tr("presets.search"), search);
        let right = right.with_min_x(right.left() + search + space::S);
        let possible = chain_to_save(cx.session()).is_some();
        let mut tools = ui.new_child(UiBuilder::new().max_rect(right).layout(tools).id_salt("save"));
        let button = secondary(&save).icon(icons::PLUS).enabled(possible).show(&mut tools);
        if button.on_hover_text(cx.tr("presets.save_hint")).clicked() {
            cx.state.presets.dialog_preset = None;
            cx.state.dialogs_to_open.push(DialogKind::SavePreset);
        }
        ui.allocate_exact_size(vec2(full.width(), height.max(HEADER_HEIGHT)), Sense::hover());
    }

    fn cards_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, shown: &[(PresetId, &Preset)]) {
        let down = ui.input(|i| i.pointer.any_down());
        let used = cx.state.presets.preset_in_use(cx.session(), down);
        let running = cx.state.presets.previews.is_running() && cx.session().playback().is_previewing();
        let mut over = None;
        let room = ui.available_height();
        let height =
            card::CARD_HEIGHTS.into_iter().rev().find(|height| *height <= room).unwrap_or(card::CARD_HEIGHTS[0]);
        // The bar stands in the margin.
        let width = ui.available_width();
        let all = ui.available_rect_before_wrap();
        let mut ui = ui.new_child(UiBuilder::new().max_rect(all.with_max_x(all.right() + space::M)));
        ScrollArea::vertical().id_salt("cards").auto_shrink(false).show(&mut ui, |ui| {
            let columns = (((width + CARD_GAP) / (CARD_MIN_WIDTH + CARD_GAP)).floor() as usize).max(1);
            let card = vec2(((width + CARD_GAP) / columns as f32 - CARD_GAP).floor(), height);
            ui.spacing_mut().item_spacing = vec2(CARD_GAP, CARD_GAP);
            for row in shown.chunks(columns) {
                ui.horizontal(|ui| {
                    for (id, preset) in row {
                        let reaches = !cx.session().presets().targets(preset).is_empty();
                        let lit = running && self.hovered_card.as_ref().is_some_and(|(over, _)| over == id);
                        let shown = PresetCard {
                            id,
                            preset,
                            in_use: used.as_ref() == Some(id),
                            has_targets: reaches,
                            is_previewed: lit,
                        };
                        let out = ui.push_id((id.is_custom, &id.key), |ui| shown.show(ui, cx, card)).inner;
                        if out.hovered {
                            over = Some(id.clone());
                        }
                        if let Some(deed) = out.action {
                            run_card_action(cx, id, preset, deed);
                        }
                    }
                });
            }
            ui.add_space(space::M);
        });
        self.hover(&ui, cx, over);
    }

    /// A card that the pointer rests on for a moment, or that has the keyboard, is shown on the character.
    fn hover(&mut self, ui: &Ui, cx: &mut UiContext<'_>, over: Option<PresetId>) {
        let now = ui.input(|i| i.time);
        let Some(over) = over else {
            self.hovered_card = None;
            return;
        };
        if self.hovered_card.as_ref().is_none_or(|(id, _)| *id != over) {
            // From card to card nothing is waited for: the artist is comparing.
            let since = if self.hovered_card.is_some() { f64::NEG_INFINITY } else { now };
            self.hovered_card = Some((over, since));
        }
        let Some((id, since)) = &self.hovered_card else { return };
        let left = f64::from(cx.theme.seconds(motion::PREVIEW_DELAY_MS)) - (now - since);
        if left > 0.0 {
            ui.ctx().request_repaint_after(Duration::from_secs_f64(left));
        } else {
            cx.state.presets.request_preview(cx.session(), id);
        }
    }
}

fn run_card_action(cx: &mut UiContext<'_>, id: &PresetId, preset: &Preset, deed: PresetCardAction) {
    let window = match deed {
        PresetCardAction::Apply => {
            let command = cx.state.presets.apply(cx.session(), (id, preset), cx.theme.is_japanese());
            return cx.command(command);
        }
        PresetCardAction::Compare => DialogKind::ComparePreset,
        PresetCardAction::Rename => DialogKind::SavePreset,
        PresetCardAction::Delete => DialogKind::DeletePreset,
    };
    cx.state.presets.dialog_preset = Some(id.clone());
    cx.state.dialogs_to_open.push(window);
}

/// Whom a preset would reach, where that is not what is selected.
fn targets_text(cx: &UiContext<'_>) -> Option<String> {
    match cx.session().inspection().subject() {
        InspectorSubject::All { chains: 0, .. } => Some(cx.tr("presets.no_chains").into_owned()),
        InspectorSubject::All { .. } => Some(cx.tr("presets.all_of_parts").into_owned()),
        InspectorSubject::UnsimulatedBones(_) => Some(cx.tr("presets.still").into_owned()),
        _ => None,
    }
}

fn note_ui(ui: &mut Ui, cx: &UiContext<'_>, words: &str) {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 18.0), Sense::hover());
    let c = cx.theme.color;
    icons::paint_icon(ui.painter(), rect.left_center() + vec2(7.0, 0.0), icons::INFO, size::ICON_SMALL, c.text_3);
    let galley = paint::elided(ui, words, TextSize::Small, c.text_3, rect.width() - 20.0);
    paint::paint_galley_left(ui.painter(), rect.left_center() + vec2(20.0, 0.0), galley);
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, words));
}

fn set_mouse_hints(ui: &Ui, cx: &mut UiContext<'_>) {
    if !ui.rect_contains_pointer(ui.max_rect()) {
        return;
    }
    let pairs = [("hover", "preview"), ("click", "apply"), ("ctrl", "choose"), ("esc", "stop")];
    let word = |key: &str| cx.tr(&format!("presets.hint.{key}")).into_owned();
    let hint: Vec<_> = pairs.iter().map(|(key, what)| (word(key), word(what))).collect();
    cx.state.mouse_hints = hint;
}
