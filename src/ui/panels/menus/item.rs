//! One line of a menu: a tick or an icon, words, a key.

use crate::ui::kit::icons::{self, Icon, focus_ring, paint_icon};
use crate::ui::kit::name::Name;
use crate::ui::kit::paint;
use crate::ui::kit::theme::{Text, Theme};
use crate::ui::kit::tokens::{SPACE, radius, size};
use egui::containers::menu::SubMenu;
use egui::{Align2, Color32, Response, Role, Sense, Ui, WidgetInfo, pos2, vec2};

const GUTTER: f32 = 28.0;
const WIDEST: f32 = 380.0;

/// A line to be shown.
#[derive(Clone, Copy, Debug)]
pub struct Item<'a> {
    words: &'a str,
    key: &'a str,
    icon: Option<Icon>,
    tick: Option<bool>,
    enabled: bool,
    leads_on: bool,
}

/// A line of words.
pub fn item(words: &str) -> Item<'_> {
    Item { words, key: "", icon: None, tick: None, enabled: true, leads_on: false }
}

impl<'a> Item<'a> {
    /// With a key at the right.
    #[must_use]
    pub fn key(mut self, key: &'a str) -> Self {
        self.key = key;
        self
    }

    /// With an icon before the words.
    #[must_use]
    pub fn icon(mut self, icon: Icon) -> Self {
        self.icon = Some(icon);
        self
    }

    /// On or off.
    #[must_use]
    pub fn tick(mut self, on: bool) -> Self {
        self.tick = Some(on);
        self
    }

    /// Usable or not.
    #[must_use]
    pub fn enabled(mut self, enabled: bool) -> Self {
        self.enabled = enabled;
        self
    }

    /// Adds it.
    pub fn show(self, ui: &mut Ui) -> Response {
        let theme = Theme::of(ui);
        let c = theme.color;
        let words = Name::new(ui, self.words, Text::Body, Color32::PLACEHOLDER, WIDEST);
        let key_width = if self.key.is_empty() { 0.0 } else { paint::width_of(ui, self.key, Text::Small) + SPACE[7] };
        let caret_width = if self.leads_on { SPACE[6] } else { 0.0 };
        let wanted = vec2(GUTTER + words.width() + key_width + caret_width + SPACE[4], size::ROW_TREE + 2.0);
        let sense = if self.enabled { Sense::click() } else { Sense::hover() };
        let (rect, response) = ui.allocate_at_least(wanted, sense);
        let role = if self.tick.is_some() { Role::MenuItemCheckBox } else { Role::MenuItem };
        response.widget_info(|| match self.tick {
            Some(on) => WidgetInfo::selected(role, self.enabled, on, self.words),
            None => WidgetInfo::labeled(role, self.enabled, self.words),
        });
        let lit = self.enabled && (response.hovered() || response.has_focus());
        if lit {
            ui.painter().rect_filled(rect, radius::FIELD, c.hover);
        }
        let (ink, faint) = match (self.enabled, lit) {
            (false, _) => (c.text_off, c.text_off),
            (true, true) => (c.text, c.text_2),
            (true, false) => (c.text, c.text_3),
        };
        let gutter = pos2(rect.left() + GUTTER / 2.0, rect.center().y);
        match (self.tick, self.icon) {
            (Some(true), _) => paint_icon(ui.painter(), gutter, icons::CHECK, size::ICON, c.accent),
            (None, Some(icon)) => paint_icon(ui.painter(), gutter, icon, size::ICON, if lit { ink } else { faint }),
            _ => {}
        }
        words.paint_left_in(ui.painter(), pos2(rect.left() + GUTTER, rect.center().y), ink);
        let right = pos2(rect.right() - SPACE[3], rect.center().y);
        if self.leads_on {
            paint_icon(ui.painter(), right - vec2(6.0, 0.0), icons::CARET_RIGHT, 13.0, faint);
        } else {
            paint::text(ui.painter(), right, Align2::RIGHT_CENTER, self.key, Text::Small, faint);
        }
        focus_ring(ui, &response, rect.shrink(1.0), radius::FIELD);
        words.tip(response)
    }

    /// Adds it with a menu of its own.
    pub fn menu(mut self, ui: &mut Ui, contents: impl FnOnce(&mut Ui)) {
        self.leads_on = true;
        let response = self.show(ui);
        if self.enabled {
            SubMenu::new().show(ui, &response, |ui| {
                ui.spacing_mut().item_spacing.y = 0.0;
                contents(ui);
            });
        }
    }
}

/// The line between groups.
pub fn line(ui: &mut Ui) {
    let (rect, _) = ui.allocate_at_least(vec2(8.0, 9.0), Sense::hover());
    paint::hairline(ui.painter(), rect.left(), rect.right(), rect.center().y, Theme::of(ui).color.border);
}
