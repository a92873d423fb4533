//! One preset: how it swings, its name, a sentence, two numbers.

use crate::feel::{preset::Preset, preset::free_oscillation};
use crate::session::PresetId;
use crate::ui::UiContext;
use crate::ui::kit::icons::{self, IconButton, focus_ring};
use crate::ui::kit::paint::{self, faded};
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::tokens::{alpha, radius, size, space, stroke};
use crate::ui::panels::menus::menu_item;
use crate::ui::presets::feel_summary;
use egui::{Align2, Popup, Rect, Response, Role, Sense, Shape, Stroke, StrokeKind, Ui, Vec2, WidgetInfo, pos2, vec2};

/// Of a card in a very low drawer, in a low one, and as it is meant.
pub(super) const CARD_HEIGHTS: [f32; 3] = [70.0, 104.0, 136.0];
const PADDING: f32 = 10.0;
/// What the picture shows of the motion, seconds, and by how many points.
const SECONDS: f32 = 1.5;
const POINTS: usize = 96;
/// Name, sentence and numbers, from the lower edge.
const TEXT_LINES: [f32; 3] = [63.0, 46.0, 19.0];

/// A card to be shown.
#[derive(Debug)]
pub(super) struct PresetCard<'a> {
    pub(super) id: &'a PresetId,
    pub(super) preset: &'a Preset,
    pub(super) in_use: bool,
    /// Whether there is a chain that it goes to.
    pub(super) has_targets: bool,
    /// The character shows it.
    pub(super) is_previewed: bool,
}

/// What the artist did to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PresetCardAction {
    Apply,
    Compare,
    Rename,
    Delete,
}

/// What a frame of it came to.
#[derive(Clone, Copy, Debug)]
pub(super) struct PresetCardOutput {
    /// The pointer is over it, or it has the keyboard.
    pub(super) hovered: bool,
    pub(super) action: Option<PresetCardAction>,
}

impl PresetCard<'_> {
    pub(super) fn show(&self, ui: &mut Ui, cx: &mut UiContext<'_>, size: Vec2) -> PresetCardOutput {
        let sense = if self.has_targets { Sense::click() } else { Sense::hover() };
        let (rect, response) = ui.allocate_exact_size(size, sense);
        let name = self.preset.name.get(cx.theme.is_japanese()).to_owned();
        let told = format!("{}, {}", self.preset.description.get(cx.theme.is_japanese()), feel_summary(self.preset));
        response.widget_info(|| WidgetInfo {
            current_text_value: Some(told.clone()),
            ..WidgetInfo::selected(Role::Button, self.has_targets, self.in_use, &name)
        });
        let near = response.contains_pointer() || response.has_focus();
        self.paint(ui, cx, rect, near);
        focus_ring(ui, &response, rect, radius::BUTTON);
        let mut deed = None;
        if response.clicked() {
            let chooses = ui.input(|i| i.modifiers.command);
            deed = Some(if chooses { PresetCardAction::Compare } else { PresetCardAction::Apply });
        }
        let more = self.menu_ui(ui, cx, rect, &name, near, &response);
        PresetCardOutput { hovered: self.has_targets && near, action: more.or(deed) }
    }

    fn paint(&self, ui: &Ui, cx: &UiContext<'_>, rect: Rect, near: bool) {
        let c = cx.theme.color;
        let (fill, edge) = match () {
            () if self.is_previewed || (near && self.has_targets) => (c.hover, c.accent),
            () => (c.raised, c.border),
        };
        let line = Stroke::new(stroke::EDGE, edge);
        ui.painter().rect(rect, radius::BUTTON, fill, line, StrokeKind::Inside);
        let ink = if self.has_targets { c.spring } else { c.text_off };
        // In a very low one the picture stands beside the numbers, and the sentence is left out.
        let low = rect.height() < CARD_HEIGHTS[1];
        let picture = if low {
            Rect::from_min_max(pos2(rect.center().x + space::M, rect.top() + 30.0), rect.max - vec2(PADDING, 8.0))
        } else {
            let foot = pos2(rect.right() - PADDING - 2.0, rect.bottom() - TEXT_LINES[0] - 10.0);
            Rect::from_min_max(rect.min + vec2(PADDING + 2.0, 9.0), foot)
        };
        self.swing_ui(ui, picture, ink, c.border_strong);
        let faint = if near { c.text_2 } else { c.text_3 };
        let (strong, faint) = if self.has_targets { (c.text, faint) } else { (c.text_off, c.text_off) };
        let room = rect.width() - 2.0 * PADDING;
        let at = |line: f32| pos2(rect.left() + PADDING, rect.bottom() - line);
        let text = |words: &str, size: TextSize, ink, line: f32, room: f32| {
            let galley = paint::elided(ui, words, size, ink, room);
            paint::paint_galley_left(ui.painter(), at(line), galley);
        };
        let name = if low { rect.height() - 17.0 } else { TEXT_LINES[0] };
        text(self.preset.name.get(cx.theme.is_japanese()), TextSize::Body, strong, name, room);
        if !low {
            text(self.preset.description.get(cx.theme.is_japanese()), TextSize::Small, faint, TEXT_LINES[1], room);
        }
        let (state, tint) = match () {
            () if !self.has_targets => (cx.tr("presets.none_here"), c.text_3),
            () if self.in_use => (cx.tr("presets.in_use"), c.accent),
            () => (std::borrow::Cow::Borrowed(""), c.text_3),
        };
        let right = pos2(rect.right() - PADDING, rect.bottom() - TEXT_LINES[2]);
        let state = if low { std::borrow::Cow::Borrowed("") } else { state };
        let state = paint::text(ui.painter(), right, Align2::RIGHT_CENTER, &state, TextSize::Small, tint);
        if low && self.in_use {
            icons::paint_icon(ui.painter(), at(40.0) + vec2(space::S, 0.0), icons::CHECK, size::ICON_TINY, c.accent);
        }
        let ink = if self.has_targets { c.text_2 } else { c.text_off };
        text(&feel_summary(self.preset), TextSize::Small, ink, TEXT_LINES[2], state.left() - space::S - at(0.0).x);
    }

    /// A joint that is let go comes back to rest.
    fn swing_ui(&self, ui: &Ui, into: Rect, ink: egui::Color32, rest: egui::Color32) {
        let zero = into.top() + 0.56 * into.height();
        ui.painter().hline(into.x_range(), zero, Stroke::new(stroke::HAIRLINE, faded(rest, alpha::FAINT)));
        let values = free_oscillation(self.preset, SECONDS, POINTS);
        let last = values.len().saturating_sub(1).max(1) as f32;
        let place = |(i, value): (usize, &f32)| {
            let x = into.left() + into.width() * i as f32 / last;
            pos2(x, (zero - value * 0.56 * into.height()).clamp(into.top(), into.bottom()))
        };
        let points = values.iter().enumerate().map(place).collect();
        ui.painter().add(Shape::line(points, Stroke::new(stroke::CURVE, ink)));
    }

    /// The dots at the upper right: what else can be done with it.
    fn menu_ui(
        &self,
        ui: &Ui,
        cx: &UiContext<'_>,
        rect: Rect,
        name: &str,
        near: bool,
        card: &Response,
    ) -> Option<PresetCardAction> {
        let place = Rect::from_min_size(pos2(rect.right() - 28.0, rect.top() + space::XS), Vec2::splat(24.0));
        let own = self.id.is_custom;
        let key = if own { "presets.more" } else { "presets.choose" };
        let words = cx.tr_with(key, &[("name", name)]);
        let sense = if self.has_targets || own { Sense::click() } else { Sense::hover() };
        let response = ui.interact(place, ui.scope_id().with("more"), sense);
        let open = Popup::is_id_open(ui.ctx(), Popup::default_response_id(&response));
        let shown = near || response.contains_pointer() || response.has_focus() || open;
        let button = IconButton { enabled: self.has_targets || own, ..IconButton::new(icons::DOTS_THREE, &words) };
        let response = if shown {
            ui.painter().rect_filled(place.shrink(1.0), radius::FIELD, cx.theme.color.raised);
            button.show_at(ui, place, response)
        } else {
            response.widget_info(|| WidgetInfo::labeled(Role::Button, button.enabled, &words));
            response
        };
        if !own {
            return response.clicked().then_some(PresetCardAction::Compare);
        }
        let mut deed = None;
        let mut menu = |ui: &mut Ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            let lines = [
                ("presets.choose_short", None, self.has_targets, PresetCardAction::Compare),
                ("presets.rename", Some(icons::PENCIL_SIMPLE), true, PresetCardAction::Rename),
                ("presets.delete", Some(icons::TRASH), true, PresetCardAction::Delete),
            ];
            for (key, icon, enabled, what) in lines {
                let words = cx.tr(key);
                let line = menu_item(&words).enabled(enabled);
                let line = icon.map_or(line, |icon| line.icon(icon));
                if line.show(ui).clicked() {
                    deed = Some(what);
                    ui.close();
                }
            }
        };
        Popup::menu(&response).show(&mut menu);
        Popup::context_menu(card).show(&mut menu);
        deed
    }
}
