//! A row whose value is chosen from a list: a label and a button with a menu.

use super::rows::LABEL_LEFT;
use crate::doc::names::Pattern;
use crate::ui::Cx;
use crate::ui::icons::{self, focus_ring, paint_icon};
use crate::ui::theme::Text;
use crate::ui::tokens::{radius, size, stroke};
use crate::ui::widgets::paint;
use crate::ui::widgets::search::search_field;
use egui::{Popup, PopupCloseBehavior, Rect, Role, ScrollArea, Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2, vec2};

const LABEL: f32 = 84.0;
/// Height of the list, and how wide it is.
const LIST: [f32; 2] = [240.0, 260.0];

/// A choice to be shown.
pub(in crate::ui::panels::inspector) struct Picker<'a> {
    pub(in crate::ui::panels::inspector) label: &'a str,
    pub(in crate::ui::panels::inspector) doc: &'a str,
    /// What is chosen now.
    pub(in crate::ui::panels::inspector) shown: &'a str,
    /// What there is, in order.
    pub(in crate::ui::panels::inspector) names: &'a [&'a str],
    pub(in crate::ui::panels::inspector) hint: &'a str,
    pub(in crate::ui::panels::inspector) has_effect: bool,
}

impl Picker<'_> {
    /// Shows it; the place of what was chosen.
    pub(in crate::ui::panels::inspector) fn show(self, ui: &mut Ui, cx: &Cx<'_>) -> Option<usize> {
        let c = cx.theme.color;
        let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), size::ROW), Sense::hover());
        let ink = if self.has_effect { c.text } else { c.text_3 };
        let label = paint::elided(ui, self.label, Text::Body, ink, LABEL - 6.0);
        let place = paint::galley_left(ui.painter(), pos2(rect.left() + LABEL_LEFT, rect.center().y), label);
        ui.interact(place, ui.scope_id().with(("label", self.label)), Sense::hover()).on_hover_text(self.doc);
        let left = rect.left() + LABEL_LEFT + LABEL;
        let field = Rect::from_min_max(
            pos2(left, rect.center().y - size::BAR / 2.0),
            pos2(rect.right(), rect.center().y + size::BAR / 2.0),
        );
        let button = ui.interact(field, ui.scope_id().with(("pick", self.label)), Sense::click());
        let name = format!("{}: {}", self.label, self.shown);
        button.widget_info(|| WidgetInfo::labeled(Role::ComboBox, true, &name));
        let edge = if button.hovered() { c.border_strong } else { c.border };
        ui.painter().rect(field, radius::FIELD, c.field, Stroke::new(stroke::EDGE, edge), StrokeKind::Inside);
        if !self.has_effect {
            paint::hatch(ui.painter(), field.shrink(1.0), c.text_3);
        }
        let words = paint::elided(ui, self.shown, Text::Body, ink, field.width() - 30.0);
        if !self.has_effect {
            let patch = Rect::from_min_size(field.min + vec2(1.0, 1.0), vec2(words.size().x + 12.0, size::BAR - 2.0));
            ui.painter().rect_filled(patch, radius::FIELD, c.field);
        }
        paint::galley_left(ui.painter(), field.left_center() + vec2(7.0, 0.0), words);
        paint_icon(ui.painter(), field.right_center() - vec2(11.0, 0.0), icons::CARET_DOWN, 13.0, c.text_2);
        focus_ring(ui, &button, field, radius::FIELD);
        let mut chosen = None;
        let menu = Popup::menu(&button).close_behavior(PopupCloseBehavior::CloseOnClickOutside);
        menu.show(|ui| {
            ui.set_width(LIST[1]);
            chosen = self.list_ui(ui);
            if chosen.is_some() {
                ui.close();
            }
        });
        chosen
    }

    fn list_ui(&self, ui: &mut Ui) -> Option<usize> {
        let id = ui.scope_id().with("typed");
        let mut typed: String = ui.data(|d| d.get_temp(id)).unwrap_or_default();
        if !self.hint.is_empty() {
            search_field(ui, &mut typed, self.hint, LIST[1]);
            ui.data_mut(|d| d.insert_temp(id, typed.clone()));
            ui.add_space(4.0);
        }
        let pattern = Pattern::new(&typed);
        let found: Vec<usize> = (0..self.names.len()).filter(|i| pattern.matches(self.names[*i])).collect();
        let mut chosen = None;
        ScrollArea::vertical().max_height(LIST[0]).auto_shrink([false, true]).show_rows(
            ui,
            size::ROW_TREE,
            found.len(),
            |ui, range| {
                for i in range {
                    let name = self.names[found[i]];
                    let line = egui::Button::selectable(name == self.shown, name)
                        .min_size(vec2(LIST[1] - 16.0, size::ROW_TREE));
                    if ui.add(line).clicked() {
                        chosen = Some(found[i]);
                    }
                }
            },
        );
        chosen
    }
}
