//! Buttons with text.

use super::paint;
use crate::ui::kit::icons::{Icon, focus_ring, paint_icon};
use crate::ui::kit::theme::{TextSize, Theme};
use crate::ui::kit::tokens::{radius, size, space, stroke};
use egui::{Align2, Color32, Pos2, Response, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2, vec2};

#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is one word of a builder")]
pub struct Button<'a> {
    label: &'a str,
    icon: Option<Icon>,
    key: &'a str,
    primary: bool,
    enabled: bool,
    on: bool,
    small: bool,
    width: Option<f32>,
    left: bool,
}

/// Creates the primary button of a dialog or panel, in the accent colour.
pub fn primary(label: &str) -> Button<'_> {
    Button { primary: true, ..secondary(label) }
}

/// Creates a button with an outline.
pub fn secondary(label: &str) -> Button<'_> {
    Button {
        label,
        icon: None,
        key: "",
        primary: false,
        enabled: true,
        on: false,
        small: false,
        width: None,
        left: false,
    }
}

impl<'a> Button<'a> {
    setters! {
        /// Sets an icon before the text.
        icon(icon: Icon) => icon = Some(icon);
        /// Sets the shortcut at the right edge of a wide button.
        key(key: &'a str) => key = key;
        enabled(enabled: bool) => enabled = enabled;
        /// Draws the outline of a selected item.
        on(on: bool) => on = on;
        /// Makes the button 22 points high instead of 28.
        small() => small = true;
        /// Sets a fixed width instead of the width of the text.
        width(width: f32) => width = Some(width);
        /// Aligns the text at the left.
        left() => left = true;
    }

    pub fn show(self, ui: &mut Ui) -> Response {
        let text_size = if self.primary { TextSize::Strong } else { TextSize::Body };
        let pad = if self.small { 8.0 } else { 11.0 };
        let icon_width = if self.icon.is_some() { size::ICON + 6.0 } else { 0.0 };
        let natural_width = paint::text_width(ui, self.label, text_size);
        let height = if self.small { size::BUTTON_SMALL } else { size::BUTTON };
        let width = self.width.unwrap_or(natural_width + icon_width + 2.0 * pad).max(size::HIT_MIN);
        let sense = if self.enabled { Sense::click() } else { Sense::hover() };
        let (rect, response) = ui.allocate_exact_size(vec2(width, height), sense);
        response.widget_info(|| {
            if self.on {
                WidgetInfo::selected(Role::Button, self.enabled, true, self.label)
            } else {
                WidgetInfo::labeled(Role::Button, self.enabled, self.label)
            }
        });
        let (fill, edge, color) = self.colors(ui, &response);
        let line = Stroke::new(stroke::EDGE, edge);
        ui.painter().rect(rect, radius::BUTTON, fill, line, StrokeKind::Inside);
        let label_width = rect.width() - 2.0 * pad - icon_width;
        let galley = paint::elided(ui, self.label, text_size, color, label_width);
        let used = icon_width + galley.size().x;
        let start = if self.left { rect.left() + pad } else { rect.center().x - used / 2.0 };
        if let Some(icon) = self.icon {
            let at = pos2(start + size::ICON / 2.0, rect.center().y);
            paint_icon(ui.painter(), at, icon, size::ICON, color);
        }
        paint::paint_galley_left(ui.painter(), pos2(start + icon_width, rect.center().y), galley);
        if !self.key.is_empty() {
            let at = rect.right_center() - vec2(pad, 0.0);
            paint::text(ui.painter(), at, Align2::RIGHT_CENTER, self.key, TextSize::Tiny, color);
        }
        focus_ring(ui, &response, rect, radius::BUTTON);
        response
    }

    fn colors(self, ui: &Ui, response: &Response) -> (Color32, Color32, Color32) {
        let c = Theme::of(ui).color;
        let down = response.is_pointer_button_down_on();
        match () {
            () if !self.enabled => (c.panel, c.border, c.text_off),
            () if self.primary && response.hovered() => (c.accent_hover, c.accent_hover, c.accent_text),
            () if self.primary => (c.accent, c.accent, c.accent_text),
            () if self.on => (c.hover, c.accent, c.text),
            () if down => (c.pressed, c.border_strong, c.text),
            () if response.hovered() => (c.hover, c.border_strong, c.text),
            () => (c.raised, c.border, c.text),
        }
    }
}

/// A button without an outline, with an icon and text.
#[derive(Clone, Copy, Debug)]
pub struct FlatButton<'a> {
    /// Accessible name.
    pub name: &'a str,
    /// Text after the icon, or empty.
    pub label: &'a str,
    pub on: bool,
    /// The icon. `None` if the caller paints the icon.
    pub icon: Option<Icon>,
}

impl FlatButton<'_> {
    /// Draws the button. Also returns the centre of the icon.
    pub fn show(self, ui: &mut Ui) -> (Response, Pos2) {
        let c = Theme::of(ui).color;
        let label_width =
            if self.label.is_empty() { 0.0 } else { 6.0 + paint::text_width(ui, self.label, TextSize::Body) };
        let width = 8.0 + size::ICON + label_width + 8.0;
        let (rect, response) = ui.allocate_exact_size(vec2(width, size::BUTTON), Sense::click());
        response.widget_info(|| {
            if self.on {
                WidgetInfo::selected(Role::Button, true, true, self.name)
            } else {
                WidgetInfo::labeled(Role::Button, true, self.name)
            }
        });
        let fill = match () {
            () if response.is_pointer_button_down_on() => c.pressed,
            () if response.hovered() => c.hover,
            () => Color32::TRANSPARENT,
        };
        ui.painter().rect_filled(rect, radius::BUTTON, fill);
        let mark = pos2(rect.left() + space::M + size::ICON / 2.0, rect.center().y);
        if let Some(icon) = self.icon {
            let color = if self.on { c.accent } else { c.text_2 };
            paint_icon(ui.painter(), mark, icon, size::ICON, color);
        }
        let at = pos2(mark.x + size::ICON / 2.0 + 6.0, mark.y);
        paint::text(ui.painter(), at, Align2::LEFT_CENTER, self.label, TextSize::Body, c.text);
        focus_ring(ui, &response, rect, radius::BUTTON);
        (response, mark)
    }
}
