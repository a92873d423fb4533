//! The list of rules at the left, with order, switches, fields and rule files.

use super::MapNamesDialog;
use crate::tr;
use crate::ui::dialogs::table;
use crate::ui::kit::button::secondary;
use crate::ui::kit::icons::{self, IconButton, focus_ring, paint_icon};
use crate::ui::kit::paint;
use crate::ui::kit::text_field::TextField;
use crate::ui::kit::theme::TextSize;
use crate::ui::kit::toggle::CheckState;
use crate::ui::kit::tokens::{radius, size, space, stroke};
use crate::ui::{AppRequest, UiContext};
use egui::{
    Align, CursorIcon, Layout, Popup, Rect, Role, ScrollArea, Sense, Stroke, StrokeKind, Ui, UiBuilder, Vec2,
    WidgetInfo, pos2, vec2,
};
use std::borrow::Cow;
use yuremono_model::exchange::{remap::RemapRule, remap::RemapRuleEntry};
use yuremono_sim::diagnostics::message;

const ROW_HEIGHT: f32 = size::ROW_TABLE;

enum RuleChange {
    Remove(usize),
    Move(usize, usize),
}

impl MapNamesDialog {
    pub(super) fn rules_ui(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>) {
        let c = cx.theme.color;
        ui.spacing_mut().item_spacing = Vec2::splat(space::XS);
        let all = ui.max_rect();
        let (head, _) = ui.allocate_exact_size(vec2(all.width(), 20.0), Sense::hover());
        let title = tr!(cx, "Rules");
        paint::text(ui.painter(), head.left_center(), egui::Align2::LEFT_CENTER, &title, TextSize::Strong, c.text);
        let note = tr!(cx, "top to bottom");
        paint::text(ui.painter(), head.right_center(), egui::Align2::RIGHT_CENTER, &note, TextSize::Small, c.text_2);
        let height = all.bottom() - ui.cursor().top() - 2.0 * (size::BUTTON + space::M);
        let mut change = None;
        ScrollArea::vertical().id_salt("rules").max_height(height).auto_shrink([false, true]).show(ui, |ui| {
            let mut tops = Vec::new();
            for at in 0..self.rules.entries.len() {
                tops.push(ui.cursor().top());
                ui.push_id(at, |ui| change = self.rule_ui(ui, cx, at).or(change.take()));
            }
            self.drag_ui(ui, &tops, &mut change);
        });
        match change {
            Some(RuleChange::Remove(at)) => {
                self.rules.entries.remove(at);
                self.edited_rule = None;
            }
            Some(RuleChange::Move(from, to)) => {
                let entry = self.rules.entries.remove(from);
                self.rules.entries.insert(to, entry);
                self.edited_rule = self.edited_rule.map(|e| if e == from { to } else { e });
            }
            None => {}
        }
        ui.add_space(space::XS);
        self.add_ui(ui, cx, all.width());
        let foot = Rect::from_min_max(pos2(all.left(), all.bottom() - size::BUTTON), all.max);
        let mut foot_ui = ui.new_child(UiBuilder::new().max_rect(foot).layout(Layout::left_to_right(Align::Center)));
        foot_ui.spacing_mut().item_spacing.x = space::M;
        let half = (all.width() - space::M) / 2.0;
        let (open, save) = (tr!(cx, "Open…"), tr!(cx, "Save…"));
        if secondary(&open).width(half).show(&mut foot_ui).clicked() {
            cx.request(AppRequest::OpenRules);
        }
        if secondary(&save).width(half).show(&mut foot_ui).clicked() {
            cx.request(AppRequest::SaveRules(self.rules.to_json().into_bytes()));
        }
    }

    /// Draws one rule: drag handle, checkbox and label. An open rule also shows its fields.
    fn rule_ui(&mut self, ui: &mut Ui, cx: &UiContext<'_>, at: usize) -> Option<RuleChange> {
        let c = cx.theme.color;
        let edited = self.edited_rule == Some(at);
        let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW_HEIGHT), Sense::click());
        let (text, value) = rule_text(cx, &self.rules.entries[at].rule);
        let name = format!("{text} {value}");
        response.widget_info(|| WidgetInfo::selected(Role::ListItem, true, edited, name.trim()));
        let (fill, edge) = match () {
            () if edited => (c.selection, c.accent),
            () if response.hovered() => (c.hover, c.border_strong),
            () => (c.raised, c.border),
        };
        ui.painter().rect(rect, radius::FIELD, fill, Stroke::new(stroke::EDGE, edge), StrokeKind::Inside);
        let soft = if edited { c.selection_text } else { c.text_2 };
        let dots = Rect::from_min_size(rect.min, vec2(20.0, ROW_HEIGHT));
        paint_icon(
            ui.painter(),
            dots.center() + vec2(space::XXS, 0.0),
            icons::DOTS_SIX_VERTICAL,
            size::ICON_SMALL,
            soft,
        );
        let on = self.rules.entries[at].on;
        let tick_name = tr!(cx, "Use rule {name}", name = name.trim());
        if table::row_checkbox(ui, rect, 20.0, &tick_name, Some(CheckState::of(on))) {
            self.rules.entries[at].on = !on;
        }
        let color = match () {
            () if edited => c.selection_text,
            () if on => c.text,
            () => c.text_3,
        };
        let parts = [
            (&*text, TextSize::Small, color),
            (" ", TextSize::Small, color),
            (value.as_str(), TextSize::Strong, color),
        ];
        let line = paint::layout_line(ui, &parts, rect.width() - 54.0);
        let cut = line.elided;
        paint::paint_galley_left(ui.painter(), pos2(rect.left() + 48.0, rect.center().y), line);
        focus_ring(ui, &response, rect, radius::FIELD);
        if response.clicked() {
            self.edited_rule = if edited { None } else { Some(at) };
        }
        if cut {
            response.on_hover_text(name.trim());
        }
        if edited { self.edit_ui(ui, cx, at) } else { None }
    }

    /// Draws the fields of the rule, and buttons that move or remove the rule.
    fn edit_ui(&mut self, ui: &mut Ui, cx: &UiContext<'_>, at: usize) -> Option<RuleChange> {
        let count = self.rules.entries.len();
        let width = ui.available_width();
        match &mut self.rules.entries[at].rule {
            RemapRule::StripPrefix(text) | RemapRule::StripSuffix(text) => {
                text_field(ui, text, &tr!(cx, "Text to remove"), width);
            }
            RemapRule::Replace { from, to } => {
                text_field(ui, from, &tr!(cx, "Find"), width);
                text_field(ui, to, &tr!(cx, "Replace with"), width);
            }
            RemapRule::Near(least) => {
                let mut percent = (*least * 100.0).round();
                let slider = egui::Slider::new(&mut percent, 30.0..=100.0).integer().suffix(" %");
                ui.spacing_mut().slider_width = width - 70.0;
                if ui.add(slider).accessible_name(tr!(cx, "Minimum confidence")).changed() {
                    *least = percent / 100.0;
                }
            }
            RemapRule::SameName | RemapRule::HumanoidRoles | RemapRule::Sides | RemapRule::IgnoreCase => {}
        }
        ui.horizontal(|ui| {
            let mut change = None;
            let [up, down, away] = [tr!(cx, "Move rule up"), tr!(cx, "Move rule down"), tr!(cx, "Remove rule")];
            if IconButton::new(icons::ARROW_UP, &up).enabled(at > 0).show(ui).clicked() && at > 0 {
                change = Some(RuleChange::Move(at, at - 1));
            }
            let last = at + 1 == count;
            if IconButton::new(icons::ARROW_DOWN, &down).enabled(!last).show(ui).clicked() && !last {
                change = Some(RuleChange::Move(at, at + 1));
            }
            if IconButton::new(icons::TRASH, &away).show(ui).clicked() {
                change = Some(RuleChange::Remove(at));
            }
            change
        })
        .inner
    }

    /// Handles drags that reorder the rules.
    fn drag_ui(&mut self, ui: &Ui, tops: &[f32], change: &mut Option<RuleChange>) {
        for (at, top) in tops.iter().enumerate() {
            let handle = Rect::from_min_size(pos2(ui.min_rect().left(), *top), vec2(20.0, ROW_HEIGHT));
            let response = ui.interact(handle, ui.scope_id().with(("handle", at)), Sense::drag());
            let response = response.on_hover_and_drag_cursor(CursorIcon::Grab);
            if response.drag_started() {
                self.edited_rule = None;
            }
            let Some(pointer) = response.dragged().then(|| response.interact_pointer_pos()).flatten() else { continue };
            let over = tops.iter().rposition(|t| pointer.y >= *t).unwrap_or(0);
            let here = self.dragged_rule.get_or_insert(at);
            if over != *here {
                *change = Some(RuleChange::Move(*here, over));
                *here = over;
            }
        }
        if !ui.input(|i| i.pointer.any_down()) {
            self.dragged_rule = None;
        }
    }

    fn add_ui(&mut self, ui: &mut Ui, cx: &UiContext<'_>, width: f32) {
        let label = tr!(cx, "Add rule");
        let button = secondary(&label).icon(icons::PLUS).width(width).show(ui);
        let mut added = None;
        Popup::menu(&button).show(|ui| {
            ui.set_min_width(width);
            let new_rules = [
                RemapRule::StripPrefix(String::new()),
                RemapRule::StripSuffix(String::new()),
                RemapRule::Replace { from: String::new(), to: String::new() },
                RemapRule::Sides,
                RemapRule::IgnoreCase,
                RemapRule::SameName,
                RemapRule::HumanoidRoles,
                RemapRule::Near(0.6),
            ];
            for rule in new_rules {
                let (text, value) = rule_text(cx, &rule);
                if ui.add(egui::Button::new(format!("{text} {value}").trim())).clicked() {
                    added = Some(rule);
                }
            }
        });
        if let Some(rule) = added {
            let asks =
                matches!(rule, RemapRule::StripPrefix(_) | RemapRule::StripSuffix(_) | RemapRule::Replace { .. });
            // Rules for similar names come after all exact rules.
            let near = self.rules.entries.iter().position(|e| matches!(e.rule, RemapRule::Near(_)));
            let at = near.unwrap_or(self.rules.entries.len());
            self.rules.entries.insert(at, RemapRuleEntry { on: true, rule });
            self.edited_rule = asks.then_some(at);
        }
    }
}

/// Returns the label of a rule and the text of its fields.
fn rule_text(cx: &UiContext<'_>, rule: &RemapRule) -> (Cow<'static, str>, String) {
    let (label, value) = match rule {
        RemapRule::SameName => (message!("Same name"), String::new()),
        RemapRule::HumanoidRoles => (message!("Same humanoid bone"), String::new()),
        RemapRule::StripPrefix(text) => (message!("Strip prefix"), text.clone()),
        RemapRule::StripSuffix(text) => (message!("Strip suffix"), text.clone()),
        RemapRule::Sides => (message!("Left, right: L .L 左"), String::new()),
        RemapRule::Replace { from, to } if from.is_empty() && to.is_empty() => (message!("Replace"), String::new()),
        RemapRule::Replace { from, to } => (message!("Replace"), format!("{from} → {to}")),
        RemapRule::IgnoreCase => (message!("Ignore case"), String::new()),
        RemapRule::Near(least) => (message!("Similar names"), format!("{:.0} %", 100.0 * least)),
    };
    (cx.tr(label), value)
}

/// Draws a text field that uses the hint as its accessible name.
fn text_field(ui: &mut Ui, text: &mut String, hint: &str, width: f32) {
    let (rect, _) = ui.allocate_exact_size(vec2(width, size::ROW), Sense::hover());
    TextField { hint, inset: [space::S; 2], ..TextField::new(hint) }.show(ui, rect, text);
}
