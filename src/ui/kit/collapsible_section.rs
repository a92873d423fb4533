//! A collapsible section of the inspector: a header with a note and an optional switch, then rows.

use super::paint;
use super::toggle::switch;
use crate::ui::kit::i18n::expander_text;
use crate::ui::kit::icons::{self, focus_ring, paint_icon};
use crate::ui::kit::theme::{TextSize, Theme};
use crate::ui::kit::tokens::{motion, radius, size, space};
use egui::{Align2, Id, Rect, Role, Sense, Ui, UiBuilder, WidgetInfo, pos2, vec2};

const HEADER_HEIGHT: f32 = 28.0;

#[derive(Clone, Copy, Debug)]
pub struct CollapsibleSection<'a> {
    pub title: &'a str,
    /// A note at the right, for example "pivot: Head", or empty.
    pub note: &'a str,
    /// State of the switch. `None` if the section has no switch.
    pub switch: Option<bool>,
}

#[derive(Debug)]
pub struct SectionOutput<R> {
    /// The result of the body. `None` if the section is closed.
    pub body: Option<R>,
    pub switched: bool,
}

impl CollapsibleSection<'_> {
    /// Draws the section. egui stores the open state under the title.
    pub fn show<R>(self, ui: &mut Ui, body: impl FnOnce(&mut Ui) -> R) -> SectionOutput<R> {
        let id = ui.make_persistent_id(("section", self.title));
        let mut open = ui.data_mut(|d| *d.get_persisted_mut_or(id, true));
        let spacing = std::mem::replace(&mut ui.spacing_mut().item_spacing.y, 0.0);
        let (clicked, switched) = self.head_ui(ui, id, open);
        ui.spacing_mut().item_spacing.y = spacing;
        if clicked {
            open = !open;
            ui.data_mut(|d| d.insert_persisted(id, open));
        }
        let body = open.then(|| ui.push_id(id, body).inner);
        ui.add_space(space::M);
        // The line extends across the panel's margins.
        let across = ui.max_rect().expand2(vec2(space::L, 0.0)).intersect(ui.clip_rect()).x_range();
        let y = ui.cursor().top() - spacing;
        paint::hairline(ui.painter(), across.min, across.max, y, Theme::of(ui).color.border);
        ui.add_space((6.0 - spacing).max(0.0));
        SectionOutput { body, switched }
    }

    fn head_ui(&self, ui: &mut Ui, id: Id, open: bool) -> (bool, bool) {
        let theme = Theme::of(ui);
        let c = theme.color;
        let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), HEADER_HEIGHT), Sense::hover());
        let title = paint::elided(ui, self.title, TextSize::Strong, c.text, rect.width() * 0.6);
        let title_right = rect.left() + 18.0 + title.size().x;
        let fact = paint::elided(ui, self.note, TextSize::Small, c.text_3, rect.right() - title_right - 48.0);
        let hit_right = if self.switch.is_some() { title_right + 4.0 } else { rect.right() };
        let response = ui.interact(rect.with_max_x(hit_right), id, Sense::click());
        let name = theme.tr(expander_text(self.title, open));
        response.widget_info(|| WidgetInfo::selected(Role::Button, true, open, &name));
        let glide = ui.ctx().animate_bool_with_time(id.with("open"), open, theme.seconds(motion::PANEL_MS));
        let caret = if glide > 0.5 { icons::CARET_DOWN } else { icons::CARET_RIGHT };
        let color = if response.hovered() { c.text } else { c.text_2 };
        paint_icon(ui.painter(), pos2(rect.left() + space::S, rect.center().y), caret, size::ICON_TINY, color);
        paint::paint_galley_left(ui.painter(), pos2(rect.left() + 18.0, rect.center().y), title);
        let mut switched = false;
        if let Some(on) = self.switch {
            let switch_rect =
                Rect::from_min_size(pos2(title_right + 8.0, rect.top() + space::XXS), vec2(30.0, HEADER_HEIGHT - 4.0));
            let mut inner = ui.new_child(UiBuilder::new().max_rect(switch_rect));
            switched = switch(&mut inner, self.title, on).clicked();
        }
        let at = pos2(rect.right() - fact.size().x, rect.center().y);
        paint::paint_galley_left(ui.painter(), at, fact);
        focus_ring(ui, &response, response.rect.shrink(space::XXS), radius::FIELD);
        (response.clicked(), switched)
    }
}

/// Draws a heading with a fact at the right.
pub fn heading_ui(ui: &mut Ui, title: &str, fact: &str) {
    let c = Theme::of(ui).color;
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), HEADER_HEIGHT), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Heading, true, title));
    paint::text(ui.painter(), rect.left_center(), Align2::LEFT_CENTER, title, TextSize::Strong, c.text);
    paint::text(ui.painter(), rect.right_center(), Align2::RIGHT_CENTER, fact, TextSize::Small, c.text_3);
}
