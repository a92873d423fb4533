//! A row whose value is chosen from a list: a label and a button with a menu.

use super::rows::LABEL_LEFT;
use crate::doc::names::Pattern;
use crate::ui::Cx;
use crate::ui::kit::choice::combo_at;
use crate::ui::kit::paint;
use crate::ui::kit::text_field::search_field;
use crate::ui::kit::theme::Text;
use crate::ui::kit::tokens::size;
use egui::{Popup, PopupCloseBehavior, Rect, Role, ScrollArea, Sense, Ui, WidgetInfo, pos2, vec2};
use std::sync::Arc;

const LABEL: f32 = 84.0;
/// Height of the list, and how wide it is.
const LIST: [f32; 2] = [240.0, 260.0];

/// A choice of a `T` to be shown.
pub(in crate::ui::panels::inspector) struct Picker<'a, T> {
    pub(in crate::ui::panels::inspector) label: &'a str,
    pub(in crate::ui::panels::inspector) doc: &'a str,
    /// What is chosen now.
    pub(in crate::ui::panels::inspector) shown: &'a str,
    /// What there is, in order, with its names. Asked once when the list opens, since it may be long to find.
    pub(in crate::ui::panels::inspector) all: &'a dyn Fn() -> Vec<(T, String)>,
    pub(in crate::ui::panels::inspector) hint: &'a str,
    pub(in crate::ui::panels::inspector) has_effect: bool,
}

impl<T: Clone + Send + Sync + 'static> Picker<'_, T> {
    /// Shows it; what was chosen.
    pub(in crate::ui::panels::inspector) fn show(self, ui: &mut Ui, cx: &Cx<'_>) -> Option<T> {
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
        combo_at(ui, field, &button, self.shown, ink, self.has_effect);
        let menu = Popup::menu(&button).close_behavior(PopupCloseBehavior::CloseOnClickOutside);
        let memory = button.id.with("all");
        if !menu.is_open() {
            ui.data_mut(|d| d.remove::<Arc<Vec<(T, String)>>>(memory));
        }
        let shown = menu.show(|ui| {
            ui.set_width(LIST[1]);
            let known = ui.data(|d| d.get_temp::<Arc<Vec<(T, String)>>>(memory));
            let all = known.unwrap_or_else(|| {
                let all = Arc::new((self.all)());
                ui.data_mut(|d| d.insert_temp(memory, all.clone()));
                all
            });
            let chosen = self.list_ui(ui, &all);
            if chosen.is_some() {
                ui.close();
            }
            chosen
        });
        shown.and_then(|shown| shown.inner)
    }

    fn list_ui(&self, ui: &mut Ui, all: &[(T, String)]) -> Option<T> {
        let id = ui.scope_id().with("typed");
        let mut typed: String = ui.data(|d| d.get_temp(id)).unwrap_or_default();
        if !self.hint.is_empty() {
            search_field(ui, &mut typed, self.hint, LIST[1]);
            ui.data_mut(|d| d.insert_temp(id, typed.clone()));
            ui.add_space(4.0);
        }
        let pattern = Pattern::new(&typed);
        let found: Vec<&(T, String)> = all.iter().filter(|(_, name)| pattern.matches(name)).collect();
        let mut chosen = None;
        ScrollArea::vertical().max_height(LIST[0]).auto_shrink([false, true]).show_rows(
            ui,
            size::ROW_TREE,
            found.len(),
            |ui, range| {
                for (thing, name) in found[range].iter().copied() {
                    let line = egui::Button::selectable(name == self.shown, name.as_str())
                        .min_size(vec2(LIST[1] - 16.0, size::ROW_TREE));
                    if ui.add(line).clicked() {
                        chosen = Some(thing.clone());
                    }
                }
            },
        );
        chosen
    }
}
