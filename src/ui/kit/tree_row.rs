//! One row of the outliner, with indent, rail, icon, name, note and eye.
//!
//! A chain is one flat column. Its joints share one indent, so a long chain fits into the panel.

use super::paint::{self, ElidedName, faded};
use crate::tr;
use crate::ui::kit::i18n::expander_text;
use crate::ui::kit::icons::{self, Icon, focus_ring, paint_chain, paint_icon};
use crate::ui::kit::theme::{TextSize, Theme};
use crate::ui::kit::tokens::{alpha, radius, size, space};
use egui::{Align2, Color32, Rect, Response, Role, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};
use yuremono_sim::diagnostics::escape;

/// Width of one indent level, in points.
pub const INDENT: f32 = 10.0;
/// Side length of a switch, and distance between the centres of two switches, in points.
const SWITCH_SIZE: f32 = 16.0;
const SWITCH_PITCH: f32 = 22.0;

/// The icon before a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeRowIcon {
    Icon(Icon),
    Chain,
    /// A joint on the rail of its chain.
    Joint {
        /// Whether the rail ends at this row.
        last: bool,
    },
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowSelection {
    #[default]
    NotSelected,
    Selected,
    Active,
}

impl RowSelection {
    /// Returns the selection state. Only a selected row can be the active row.
    pub const fn new(is_selected: bool, is_active: bool) -> Self {
        match (is_selected, is_active) {
            (true, true) => Self::Active,
            (true, false) => Self::Selected,
            (false, _) => Self::NotSelected,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct TreeRow<'a> {
    pub name: &'a str,
    /// Text that replaces the name, or empty. Used if a part of the name is enough.
    pub display_name: &'a str,
    /// Indent level; 0 for the outermost rows.
    pub level: usize,
    pub icon: TreeRowIcon,
    /// Whether the children are visible. `None` if the row has no children.
    pub open: Option<bool>,
    pub selection: RowSelection,
    /// Whether the row is highlighted because the pointer is over the same object elsewhere.
    pub highlighted: bool,
    pub is_simulated: bool,
    /// A count or a word at the right, or empty.
    pub note: &'a str,
    /// Whether the object has its own value.
    pub overridden: bool,
    /// Whether the object is visible. `None` if the object cannot be hidden.
    pub eye: Option<bool>,
    /// Switches at the right, from left to right. A switch that is off is visible only on hover.
    pub switches: &'a [RowSwitch<'a>],
}

/// A small switch at the right of a row.
#[derive(Clone, Copy, Debug)]
pub struct RowSwitch<'a> {
    pub mark: RowSwitchMark,
    pub on: bool,
    /// Accessible name and tooltip.
    pub name: &'a str,
    /// Whether the switch has the accent colour while it is on.
    pub accent: bool,
}

#[derive(Clone, Copy, Debug)]
pub enum RowSwitchMark {
    Letter(&'static str),
    Icon(Icon),
}

#[derive(Debug)]
pub struct TreeRowOutput {
    /// Response for clicks, drags, hover and context menu.
    pub response: Response,
    pub toggled: bool,
    pub eye_clicked: bool,
    /// Index of the clicked switch.
    pub clicked_switch: Option<usize>,
}

impl<'a> TreeRow<'a> {
    /// Creates a simulated row that is neither selected nor open.
    pub const fn new(name: &'a str, level: usize, mark: TreeRowIcon) -> Self {
        Self {
            name,
            display_name: "",
            level,
            icon: mark,
            open: None,
            selection: RowSelection::NotSelected,
            highlighted: false,
            is_simulated: true,
            note: "",
            overridden: false,
            eye: None,
            switches: &[],
        }
    }

    /// Draws the row. `salt` distinguishes rows with the same name.
    pub fn show(self, ui: &mut Ui, salt: impl egui::AsIdSalt) -> TreeRowOutput {
        let spacing = std::mem::replace(&mut ui.spacing_mut().item_spacing.y, 0.0);
        let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), size::ROW_TREE), Sense::hover());
        ui.spacing_mut().item_spacing.y = spacing;
        let id = ui.make_persistent_id(("tree", self.name)).with(salt);
        let response = ui.interact(rect, id, Sense::click_and_drag());
        response.widget_info(|| {
            WidgetInfo::selected(Role::TreeItem, true, self.selection != RowSelection::NotSelected, self.name)
        });
        let theme = Theme::of(ui);
        self.paint_background(ui, rect, &response, &theme);
        let left = rect.left() + space::XS + INDENT * self.level as f32;
        let toggled = self.caret_ui(ui, pos2(left + space::M, rect.center().y), &response, &theme);
        self.paint_icon(ui, pos2(left + space::XXL, rect.center().y), rect, &theme);
        let (right, clicked_switch) = self.switches_ui(ui, rect, &response, &theme);
        let (right, eye_clicked) = self.right_ui(ui, rect.with_max_x(right), &response, &theme);
        let color = self.text_color(&theme);
        let name_left = left + 36.0;
        let shown = if self.display_name.is_empty() { self.name } else { self.display_name };
        let name = ElidedName::new(ui, shown, TextSize::Body, color, right - name_left - 6.0);
        name.paint_left(ui.painter(), pos2(name_left, rect.center().y));
        focus_ring(ui, &response, rect.shrink(space::XXS), 2.0);
        let response = if name.is_cut { response.on_hover_text(escape(self.name)) } else { response };
        TreeRowOutput { response, toggled, eye_clicked, clicked_switch }
    }

    fn text_color(&self, theme: &Theme) -> Color32 {
        let c = theme.color;
        match self.selection {
            RowSelection::NotSelected if !self.is_simulated => c.text_3,
            RowSelection::NotSelected => c.text,
            RowSelection::Selected | RowSelection::Active => c.selection_text,
        }
    }

    fn paint_background(&self, ui: &Ui, rect: Rect, response: &Response, theme: &Theme) {
        let c = theme.color;
        let is_highlighted = self.highlighted || response.hovered();
        match self.selection {
            RowSelection::NotSelected if is_highlighted => {
                ui.painter().rect_filled(rect, 0.0, c.hover);
            }
            RowSelection::NotSelected => {}
            RowSelection::Selected => {
                ui.painter().rect_filled(rect, 0.0, c.selection);
                if is_highlighted {
                    ui.painter().rect_filled(rect, 0.0, faded(c.accent, alpha::ROW_HIGHLIGHT));
                }
            }
            RowSelection::Active => {
                ui.painter().rect_filled(rect, 0.0, c.selection);
                ui.painter().rect_filled(rect, 0.0, faded(c.accent, alpha::ROW_HIGHLIGHT_EDGE));
                ui.painter().rect_filled(rect.with_max_x(rect.left() + 3.0), 0.0, c.accent);
            }
        }
    }

    fn caret_ui(&self, ui: &Ui, at: egui::Pos2, row: &Response, theme: &Theme) -> bool {
        let Some(open) = self.open else { return false };
        let hit = Rect::from_center_size(at, vec2(size::HIT_MIN - 6.0, size::HIT_MIN));
        let response = ui.interact(hit, row.id.with("caret"), Sense::CLICK);
        let name = theme.tr(expander_text(self.name, open));
        response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &name));
        let icon = if open { icons::CARET_DOWN } else { icons::CARET_RIGHT };
        let color = if response.hovered() { theme.color.text } else { theme.color.text_3 };
        let color = if self.selection == RowSelection::NotSelected { color } else { theme.color.selection_text };
        paint_icon(ui.painter(), at, icon, size::ICON_TINY, color);
        response.clicked()
    }

    fn paint_icon(&self, ui: &Ui, at: egui::Pos2, rect: Rect, theme: &Theme) {
        let c = theme.color;
        let chosen = self.selection != RowSelection::NotSelected;
        match self.icon {
            TreeRowIcon::Icon(icon) => {
                let color = if chosen { c.selection_text } else { c.text_3 };
                paint_icon(ui.painter(), at, icon, size::ICON_SMALL, color);
            }
            TreeRowIcon::Chain => paint_chain(ui.painter(), at, 15.0, if chosen { c.accent } else { c.text_2 }),
            TreeRowIcon::Joint { last } => {
                let (rail, dot) = if chosen { (c.accent, c.accent) } else { (c.border_strong, c.text_3) };
                let end = if last { at.y } else { rect.bottom() };
                let line = Stroke::new(1.25, faded(rail, alpha::TREE_LINE));
                ui.painter().vline(at.x, rect.top()..=end, line);
                if self.selection == RowSelection::Active {
                    ui.painter().circle(at, 3.5, c.selection_text, Stroke::new(1.0, c.accent));
                } else {
                    ui.painter().circle_filled(at, 2.5, dot);
                }
            }
        }
    }

    /// Draws the switches. Returns the right end of the rest of the row, and the clicked switch.
    fn switches_ui(&self, ui: &Ui, rect: Rect, row: &Response, theme: &Theme) -> (f32, Option<usize>) {
        let shows_all = ui.rect_contains_pointer(rect) || row.has_focus();
        let mut clicked = None;
        let mut right = rect.right();
        if !shows_all && !self.switches.iter().any(|switch| switch.on) {
            return (right, None);
        }
        for (index, switch) in self.switches.iter().enumerate().rev() {
            if !switch.on && !shows_all {
                // A switch must not move when the pointer enters the row.
                right -= SWITCH_PITCH;
                continue;
            }
            let at = pos2(right - space::M - SWITCH_SIZE / 2.0, rect.center().y);
            let hit = Rect::from_center_size(at, vec2(SWITCH_PITCH, size::HIT_MIN));
            let response = ui.interact(hit, row.id.with(("switch", index)), Sense::CLICK);
            response.widget_info(|| WidgetInfo::selected(Role::Button, true, switch.on, switch.name));
            self.paint_switch(ui, Rect::from_center_size(at, vec2(SWITCH_SIZE, SWITCH_SIZE)), switch, theme, &response);
            if response.clicked() {
                clicked = Some(index);
            }
            response.on_hover_text(switch.name);
            right -= SWITCH_PITCH;
        }
        (right, clicked)
    }

    fn paint_switch(&self, ui: &Ui, rect: Rect, switch: &RowSwitch<'_>, theme: &Theme, response: &Response) {
        let c = theme.color;
        let (fill, color) = match (switch.on, self.selection) {
            (true, RowSelection::NotSelected) if switch.accent => (c.accent, c.accent_text),
            (true, RowSelection::NotSelected) => (c.text_2, c.panel),
            (true, _) => (c.selection_text, c.selection),
            (false, _) if response.hovered() => (Color32::TRANSPARENT, c.text),
            (false, RowSelection::NotSelected) => (Color32::TRANSPARENT, c.text_3),
            (false, _) => (Color32::TRANSPARENT, c.selection_text),
        };
        ui.painter().rect_filled(rect, radius::FIELD, fill);
        match switch.mark {
            RowSwitchMark::Letter(letter) => {
                paint::text(ui.painter(), rect.center(), Align2::CENTER_CENTER, letter, TextSize::Tiny, color);
            }
            RowSwitchMark::Icon(icon) => paint_icon(ui.painter(), rect.center(), icon, size::ICON_TINY, color),
        }
    }

    /// Draws the note and the eye. Returns the right end of the name, and whether the eye was clicked.
    fn right_ui(&self, ui: &Ui, rect: Rect, row: &Response, theme: &Theme) -> (f32, bool) {
        let c = theme.color;
        let text_color = if self.selection == RowSelection::NotSelected { c.text_3 } else { c.selection_text };
        let mut right = rect.right() - space::M;
        let mut clicked = false;
        if let Some(visible) = self.eye {
            let at = pos2(right - 7.0, rect.center().y);
            let hit = Rect::from_center_size(at, vec2(size::HIT_MIN, size::HIT_MIN));
            // An open eye is visible only on hover. A closed eye is always visible.
            if !visible || ui.rect_contains_pointer(row.rect) || row.has_focus() {
                let response = ui.interact(hit, row.id.with("eye"), Sense::CLICK);
                let name = self.name;
                let name = if visible { tr!(theme, "Hide {name}", name) } else { tr!(theme, "Show {name}", name) };
                response.widget_info(|| WidgetInfo::labeled(Role::Button, true, &name));
                let icon = if visible { icons::EYE } else { icons::EYE_SLASH };
                let text_color = if response.hovered() { c.text } else { text_color };
                paint_icon(ui.painter(), at, icon, size::ICON_SMALL, text_color);
                clicked = response.clicked();
                right -= 20.0;
            }
        }
        if self.overridden {
            let color = if self.selection == RowSelection::Active { c.selection_text } else { c.accent };
            ui.painter().circle_filled(pos2(right - 3.0, rect.center().y), 2.5, color);
            right -= 12.0;
        }
        if !self.note.is_empty() {
            let note = ElidedName::new(ui, self.note, TextSize::Small, text_color, 90.0);
            right -= note.width();
            note.paint_left(ui.painter(), pos2(right, rect.center().y));
        }
        (right, clicked)
    }
}
