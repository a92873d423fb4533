//! The presets tab with filters by part, a search field, and cards. Hovering a card starts a preview, and a click
//! applies the preset.

use crate::tr;
use crate::ui::kit::button::secondary;
use crate::ui::kit::icons::{IconButton, focus_ring};
use crate::ui::kit::paint::faded;
use crate::ui::kit::text_field::search_field;
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::toggle::chip;
use crate::ui::kit::tokens::{alpha, motion, radius, size, space, stroke};
use crate::ui::kit::{i18n, icons, paint};
use crate::ui::panels::menus::menu_item;
use crate::ui::presets::{PresetLibrary, PresetUiState, chain_to_save, feel_summary};
use crate::ui::{DialogKind, UiContext};
use egui::{
    Align, Align2, Layout, Popup, Rect, Response, Role, ScrollArea, Sense, Shape, Stroke, StrokeKind, Ui, UiBuilder,
    Vec2, WidgetInfo, pos2, vec2,
};
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;
use yuremono_model::document::ChainPart;
use yuremono_model::feel::preset::{Preset, free_oscillation};
use yuremono_session::{InspectorSubject, PresetId};
use yuremono_sim::diagnostics::message;

/// Drawer width below which the search field is shorter, in points.
const NARROW_WIDTH: f32 = 640.0;
const SEARCH_WIDTHS: [f32; 2] = [104.0, 124.0];
const HEADER_HEIGHT: f32 = 28.0;
/// Minimum width of a card, in points.
const CARD_MIN_WIDTH: f32 = 148.0;
const CARD_GAP: f32 = space::M;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PresetFilter {
    Part(ChainPart),
    User,
}

#[derive(Debug, Default)]
pub(super) struct PresetsTab {
    /// The part that the artist chose. `None` uses the part of the selection.
    chosen_filter: Option<PresetFilter>,
    /// The part of the selection at the time of the choice.
    chosen_for_part: Option<ChainPart>,
    search: String,
    /// The hovered card, and the start of the hover in egui's seconds.
    hovered_card: Option<(PresetId, f64)>,
    /// Number of user presets in the last frame. The list scrolls to a new preset.
    user_preset_count: Option<usize>,
}

impl PresetsTab {
    pub(super) fn show(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) {
        let body = ui.max_rect();
        cx.state.presets.drawer_rect = Some(body);
        let hints = [
            (message!("Hover"), message!("preview")),
            (message!("Click"), message!("apply")),
            (message!("Ctrl+click"), message!("choose properties")),
            (message!("Esc"), message!("stop preview")),
        ];
        cx.set_mouse_hints(ui, &hints);
        let library = Arc::clone(&cx.state.presets.library);
        let inner = body.shrink2(vec2(space::L, 0.0));
        let mut ui = ui.new_child(UiBuilder::new().max_rect(inner).layout(Layout::top_down(Align::Min)));
        ui.set_clip_rect(body);
        ui.spacing_mut().item_spacing = vec2(space::S, 0.0);
        ui.add_space(space::S);
        let chip = self.current_filter(cx, &library);
        self.header_ui(&mut ui, cx, &library, chip);
        ui.add_space(space::XS);
        if let Some(text) = targets_text(cx) {
            note_ui(&mut ui, cx, &text);
        }
        ui.add_space(space::XS);
        let shown: Vec<(PresetId, &Preset)> =
            library.all().filter(|(id, preset)| self.matches(id, preset, chip)).collect();
        if shown.is_empty() {
            let text = if self.search.trim().is_empty() {
                tr!(cx, "You have no presets yet. Select a chain and save its feel as a preset.")
            } else {
                tr!(cx, "No preset has this text in its name or description.")
            };
            let at = ui.available_rect_before_wrap().center();
            let galley = paint::elided(&ui, &text, TextSize::Body, cx.theme.color.text_3, inner.width());
            let left = pos2(at.x - galley.size().x / 2.0, at.y);
            paint::paint_galley_left(ui.painter(), left, galley);
            self.hovered_card = None;
            return;
        }
        self.cards_ui(&mut ui, cx, &shown);
    }

    /// Returns the artist's choice if the part of the selection is unchanged. Otherwise returns the part of the
    /// selection.
    fn current_filter(&mut self, cx: &UiContext<'_>, library: &PresetLibrary) -> PresetFilter {
        let session = cx.session();
        let chain = session.inspection().active_chain().and_then(|id| session.document().chains.get(&id));
        let part = chain.map(|chain| chain.part);
        if part.is_some() && part != self.chosen_for_part {
            (self.chosen_filter, self.chosen_for_part) = (None, part);
        }
        let count = library.user.len();
        if self.user_preset_count.replace(count).is_some_and(|before| before < count) {
            self.chosen_filter = Some(PresetFilter::User);
            self.search.clear();
        }
        let parts = library.parts();
        let there = |chip: &PresetFilter| {
            *chip == PresetFilter::User || parts.iter().any(|part| PresetFilter::Part(*part) == *chip)
        };
        let first = parts.first().map_or(PresetFilter::User, |part| PresetFilter::Part(*part));
        self.chosen_filter.filter(there).or(part.map(PresetFilter::Part).filter(there)).unwrap_or(first)
    }

    /// Returns whether a preset matches the search text or, without a search text, the filter. A search covers all
    /// presets.
    fn matches(&self, id: &PresetId, preset: &Preset, chip: PresetFilter) -> bool {
        let wanted = self.search.trim().to_lowercase();
        if !wanted.is_empty() {
            let texts = [&preset.name, &preset.description];
            return texts.iter().any(|w| [&w.en, &w.ja].iter().any(|text| text.to_lowercase().contains(&wanted)));
        }
        match chip {
            PresetFilter::User => id.is_custom,
            PresetFilter::Part(part) => !id.is_custom && preset.parts.first() == Some(&part),
        }
    }

    /// Draws the filters at the left, wrapped, and the search field and the save button at the right.
    fn header_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, library: &PresetLibrary, shown: PresetFilter) {
        let full = ui.available_rect_before_wrap();
        let save = tr!(cx, "Save preset…");
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
        let parts = library.parts().into_iter().map(PresetFilter::Part);
        for one in parts.chain([PresetFilter::User]) {
            let label = match one {
                PresetFilter::Part(part) => i18n::part_name(cx.theme.lang, part),
                PresetFilter::User => tr!(cx, "Mine"),
            };
            if chip(&mut chips, &label, None, one == shown && !searching, None).clicked() {
                self.chosen_filter = Some(one);
                self.search.clear();
            }
        }
        let height = chips.min_rect().height();
        let tools = Layout::left_to_right(Align::Center);
        let builder = UiBuilder::new().max_rect(right).layout(tools).id_salt("search");
        search_field(&mut ui.new_child(builder), &mut self.search, &tr!(cx, "Search"), search);
        let right = right.with_min_x(right.left() + search + space::S);
        let possible = chain_to_save(cx.session()).is_some();
        let mut tools = ui.new_child(UiBuilder::new().max_rect(right).layout(tools).id_salt("save"));
        let button = secondary(&save).icon(icons::PLUS).enabled(possible).show(&mut tools);
        if button.on_hover_text(tr!(cx, "Saves the feel of the selected chain as a preset of your own")).clicked() {
            cx.state.presets.dialog_preset = None;
            cx.state.dialogs_to_open.push(DialogKind::SavePreset);
        }
        ui.allocate_exact_size(vec2(full.width(), height.max(HEADER_HEIGHT)), Sense::hover());
    }

    fn cards_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, shown: &[(PresetId, &Preset)]) {
        let down = ui.input(|i| i.pointer.any_down());
        let used = cx.state.presets.preset_in_use(cx.session(), down);
        let running = cx.state.presets.previews.is_running() && cx.playback().is_previewing();
        let mut over = None;
        let available_height = ui.available_height();
        let height =
            CARD_HEIGHTS.into_iter().rev().find(|height| *height <= available_height).unwrap_or(CARD_HEIGHTS[0]);
        // Places the scroll bar in the margin.
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
                        let reaches = !cx.inspection().preset_targets(preset).is_empty();
                        let is_highlighted = running && self.hovered_card.as_ref().is_some_and(|(over, _)| over == id);
                        let shown = PresetCard {
                            id,
                            preset,
                            in_use: used.as_ref() == Some(id),
                            has_targets: reaches,
                            is_previewed: is_highlighted,
                        };
                        let out = ui.push_id((id.is_custom, &id.key), |ui| shown.show(ui, cx, card)).inner;
                        if out.hovered {
                            over = Some(id.clone());
                        }
                        if let Some(action) = out.action {
                            run_card_action(cx, id, preset, action);
                        }
                    }
                });
            }
            ui.add_space(space::M);
        });
        self.hover(&ui, cx, over);
    }

    /// Previews a card that is focused, or hovered for a short time.
    fn hover(&mut self, ui: &Ui, cx: &mut UiContext<'_>, over: Option<PresetId>) {
        let now = ui.input(|i| i.time);
        let Some(over) = over else {
            self.hovered_card = None;
            return;
        };
        if self.hovered_card.as_ref().is_none_or(|(id, _)| *id != over) {
            // No delay applies between cards, because the artist is comparing presets.
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

fn run_card_action(cx: &mut UiContext<'_>, id: &PresetId, preset: &Preset, action: PresetCardAction) {
    let window = match action {
        PresetCardAction::Apply => {
            let command = PresetUiState::apply(cx.session(), id, preset, cx.theme.is_japanese());
            return cx.command(command);
        }
        PresetCardAction::Compare => DialogKind::ComparePreset,
        PresetCardAction::Rename => DialogKind::SavePreset,
        PresetCardAction::Delete => DialogKind::DeletePreset,
    };
    cx.state.presets.dialog_preset = Some(id.clone());
    cx.state.dialogs_to_open.push(window);
}

/// Describes the chains to which a preset would apply, if these chains are not the selection.
fn targets_text(cx: &UiContext<'_>) -> Option<Cow<'static, str>> {
    let text = match cx.inspection().subject() {
        InspectorSubject::All { chains: 0, .. } => message!("There are no chains yet. Detect chains first."),
        InspectorSubject::All { .. } => {
            message!("Nothing selected: a preset is applied to all chains of its parts.")
        }
        InspectorSubject::UnsimulatedBones(_) => message!("The selected bones are not simulated. Select a chain."),
        _ => return None,
    };
    Some(cx.tr(text))
}

fn note_ui(ui: &mut Ui, cx: &UiContext<'_>, text: &str) {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 18.0), Sense::hover());
    let c = cx.theme.color;
    icons::paint_icon(ui.painter(), rect.left_center() + vec2(7.0, 0.0), icons::INFO, size::ICON_SMALL, c.text_3);
    let galley = paint::elided(ui, text, TextSize::Small, c.text_3, rect.width() - 20.0);
    paint::paint_galley_left(ui.painter(), rect.left_center() + vec2(20.0, 0.0), galley);
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, text));
}

/// Card heights in a very low, a low and a normal drawer, in points.
pub(super) const CARD_HEIGHTS: [f32; 3] = [70.0, 104.0, 136.0];
const PADDING: f32 = 10.0;
/// Duration of the swing in the card's picture, in seconds.
const SWING_SECONDS: f32 = 1.5;
const SWING_SAMPLES: usize = 96;
/// Distances of name, description and values from the lower edge, in points.
const TEXT_LINES: [f32; 3] = [63.0, 46.0, 19.0];

#[derive(Debug)]
pub(super) struct PresetCard<'a> {
    pub(super) id: &'a PresetId,
    pub(super) preset: &'a Preset,
    pub(super) in_use: bool,
    /// Whether at least one chain would get the preset.
    pub(super) has_targets: bool,
    pub(super) is_previewed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PresetCardAction {
    Apply,
    Compare,
    Rename,
    Delete,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct PresetCardOutput {
    /// Whether the card is hovered or focused.
    pub(super) hovered: bool,
    pub(super) action: Option<PresetCardAction>,
}

impl PresetCard<'_> {
    pub(super) fn show(&self, ui: &mut Ui, cx: &mut UiContext<'_>, size: Vec2) -> PresetCardOutput {
        let sense = if self.has_targets { Sense::click() } else { Sense::hover() };
        let (rect, response) = ui.allocate_exact_size(size, sense);
        let name = self.preset.name.get(cx.theme.is_japanese()).to_owned();
        let tooltip = format!("{}, {}", self.preset.description.get(cx.theme.is_japanese()), feel_summary(self.preset));
        response.widget_info(|| WidgetInfo {
            current_text_value: Some(tooltip.clone()),
            ..WidgetInfo::selected(Role::Button, self.has_targets, self.in_use, &name)
        });
        let near = response.contains_pointer() || response.has_focus();
        self.paint(ui, cx, rect, near);
        focus_ring(ui, &response, rect, radius::BUTTON);
        let mut action = None;
        if response.clicked() {
            let chooses = ui.input(|i| i.modifiers.command);
            action = Some(if chooses { PresetCardAction::Compare } else { PresetCardAction::Apply });
        }
        let more = self.menu_ui(ui, cx, rect, &name, near, &response);
        PresetCardOutput { hovered: self.has_targets && near, action: more.or(action) }
    }

    fn paint(&self, ui: &Ui, cx: &UiContext<'_>, rect: Rect, near: bool) {
        let c = cx.theme.color;
        let (fill, edge) = match () {
            () if self.is_previewed || (near && self.has_targets) => (c.hover, c.accent),
            () => (c.raised, c.border),
        };
        let line = Stroke::new(stroke::EDGE, edge);
        ui.painter().rect(rect, radius::BUTTON, fill, line, StrokeKind::Inside);
        let color = if self.has_targets { c.spring } else { c.text_off };
        // A very low card shows the picture next to the values and omits the description.
        let low = rect.height() < CARD_HEIGHTS[1];
        let curve_rect = if low {
            Rect::from_min_max(pos2(rect.center().x + space::M, rect.top() + 30.0), rect.max - vec2(PADDING, 8.0))
        } else {
            let foot = pos2(rect.right() - PADDING - 2.0, rect.bottom() - TEXT_LINES[0] - 10.0);
            Rect::from_min_max(rect.min + vec2(PADDING + 2.0, 9.0), foot)
        };
        self.paint_swing_curve(ui, curve_rect, color, c.border_strong);
        let faint = if near { c.text_2 } else { c.text_3 };
        let (strong, faint) = if self.has_targets { (c.text, faint) } else { (c.text_off, c.text_off) };
        let width = rect.width() - 2.0 * PADDING;
        let at = |line: f32| pos2(rect.left() + PADDING, rect.bottom() - line);
        let text = |content: &str, size: TextSize, color, line: f32, width: f32| {
            let galley = paint::elided(ui, content, size, color, width);
            paint::paint_galley_left(ui.painter(), at(line), galley);
        };
        let name = if low { rect.height() - 17.0 } else { TEXT_LINES[0] };
        text(self.preset.name.get(cx.theme.is_japanese()), TextSize::Body, strong, name, width);
        if !low {
            text(self.preset.description.get(cx.theme.is_japanese()), TextSize::Small, faint, TEXT_LINES[1], width);
        }
        let (state, tint) = match () {
            () if !self.has_targets => (tr!(cx, "no matching part"), c.text_3),
            () if self.in_use => (tr!(cx, "in use"), c.accent),
            () => (Cow::Borrowed(""), c.text_3),
        };
        let right = pos2(rect.right() - PADDING, rect.bottom() - TEXT_LINES[2]);
        let state = if low { Cow::Borrowed("") } else { state };
        let state = paint::text(ui.painter(), right, Align2::RIGHT_CENTER, &state, TextSize::Small, tint);
        if low && self.in_use {
            icons::paint_icon(ui.painter(), at(40.0) + vec2(space::S, 0.0), icons::CHECK, size::ICON_TINY, c.accent);
        }
        let color = if self.has_targets { c.text_2 } else { c.text_off };
        text(&feel_summary(self.preset), TextSize::Small, color, TEXT_LINES[2], state.left() - space::S - at(0.0).x);
    }

    /// Draws the swing of a released joint.
    fn paint_swing_curve(&self, ui: &Ui, into: Rect, color: egui::Color32, rest: egui::Color32) {
        let zero = into.top() + 0.56 * into.height();
        ui.painter().hline(into.x_range(), zero, Stroke::new(stroke::HAIRLINE, faded(rest, alpha::FAINT)));
        let values = free_oscillation(self.preset, SWING_SECONDS, SWING_SAMPLES);
        let last = values.len().saturating_sub(1).max(1) as f32;
        let point_at = |(i, value): (usize, &f32)| {
            let x = into.left() + into.width() * i as f32 / last;
            pos2(x, (zero - value * 0.56 * into.height()).clamp(into.top(), into.bottom()))
        };
        let points = values.iter().enumerate().map(point_at).collect();
        ui.painter().add(Shape::line(points, Stroke::new(stroke::CURVE, color)));
    }

    /// Draws the menu at the upper right of a card.
    fn menu_ui(
        &self,
        ui: &Ui,
        cx: &UiContext<'_>,
        rect: Rect,
        name: &str,
        near: bool,
        card: &Response,
    ) -> Option<PresetCardAction> {
        let button_rect = Rect::from_min_size(pos2(rect.right() - 28.0, rect.top() + space::XS), Vec2::splat(24.0));
        let is_custom = self.id.is_custom;
        let text =
            if is_custom { tr!(cx, "Menu of {name}", name) } else { tr!(cx, "Choose properties of {name}", name) };
        let sense = if self.has_targets || is_custom { Sense::click() } else { Sense::hover() };
        let response = ui.interact(button_rect, ui.scope_id().with("more"), sense);
        let open = Popup::is_id_open(ui.ctx(), Popup::default_response_id(&response));
        let shown = near || response.contains_pointer() || response.has_focus() || open;
        let button = IconButton { enabled: self.has_targets || is_custom, ..IconButton::new(icons::DOTS_THREE, &text) };
        let response = if shown {
            ui.painter().rect_filled(button_rect.shrink(1.0), radius::FIELD, cx.theme.color.raised);
            button.show_at(ui, button_rect, response)
        } else {
            response.widget_info(|| WidgetInfo::labeled(Role::Button, button.enabled, &text));
            response
        };
        if !is_custom {
            return response.clicked().then_some(PresetCardAction::Compare);
        }
        let mut action = None;
        let mut menu = |ui: &mut Ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            let lines = [
                (message!("Choose properties…"), None, self.has_targets, PresetCardAction::Compare),
                (message!("Rename…"), Some(icons::PENCIL_SIMPLE), true, PresetCardAction::Rename),
                (message!("Delete…"), Some(icons::TRASH), true, PresetCardAction::Delete),
            ];
            for (label, icon, enabled, line_action) in lines {
                let text = cx.tr(label);
                let line = menu_item(&text).enabled(enabled);
                let line = icon.map_or(line, |icon| line.icon(icon));
                if line.show(ui).clicked() {
                    action = Some(line_action);
                    ui.close();
                }
            }
        };
        Popup::menu(&response).show(&mut menu);
        Popup::context_menu(card).show(&mut menu);
        action
    }
}
