//! The rules at the left: dragged into order, switched, edited, added, kept in files.

use super::Names;
use crate::exchange::{remap::Rule, remap::RuleEntry};
use crate::ui::dialogs::table;
use crate::ui::kit::button::secondary;
use crate::ui::kit::icons::{self, IconButton, focus_ring, paint_icon};
use crate::ui::kit::paint;
use crate::ui::kit::text_field::TextField;
use crate::ui::kit::theme::Text;
use crate::ui::kit::toggle::Tick;
use crate::ui::kit::tokens::{radius, size, space, stroke};
use crate::ui::{Cx, Request};
use egui::{
    Align, CursorIcon, Layout, Popup, Rect, Role, ScrollArea, Sense, Stroke, StrokeKind, Ui, UiBuilder, Vec2,
    WidgetInfo, pos2, vec2,
};

const ROW: f32 = size::ROW_TABLE;

/// What a frame asks of the list.
enum Change {
    Remove(usize),
    Move(usize, usize),
}

impl Names {
    pub(super) fn rules_ui(&mut self, ui: &mut Ui, cx: &mut Cx<'_>) {
        let c = cx.theme.color;
        ui.spacing_mut().item_spacing = Vec2::splat(space::XS);
        let all = ui.max_rect();
        let (head, _) = ui.allocate_exact_size(vec2(all.width(), 20.0), Sense::hover());
        let title = cx.tr("windows.names.rules");
        paint::text(ui.painter(), head.left_center(), egui::Align2::LEFT_CENTER, &title, Text::Strong, c.text);
        let note = cx.tr("windows.names.top_down");
        paint::text(ui.painter(), head.right_center(), egui::Align2::RIGHT_CENTER, &note, Text::Small, c.text_2);
        let height = all.bottom() - ui.cursor().top() - 2.0 * (size::BUTTON + space::M);
        let mut change = None;
        ScrollArea::vertical().id_salt("rules").max_height(height).auto_shrink([false, true]).show(ui, |ui| {
            let mut tops = Vec::new();
            for at in 0..self.rules.list.len() {
                tops.push(ui.cursor().top());
                ui.push_id(at, |ui| change = self.rule_ui(ui, cx, at).or(change.take()));
            }
            self.drag_ui(ui, &tops, &mut change);
        });
        match change {
            Some(Change::Remove(at)) => {
                self.rules.list.remove(at);
                self.edited = None;
            }
            Some(Change::Move(from, to)) => {
                let entry = self.rules.list.remove(from);
                self.rules.list.insert(to, entry);
                self.edited = self.edited.map(|e| if e == from { to } else { e });
            }
            None => {}
        }
        ui.add_space(space::XS);
        self.add_ui(ui, cx, all.width());
        let foot = Rect::from_min_max(pos2(all.left(), all.bottom() - size::BUTTON), all.max);
        let mut foot_ui = ui.new_child(UiBuilder::new().max_rect(foot).layout(Layout::left_to_right(Align::Center)));
        foot_ui.spacing_mut().item_spacing.x = space::M;
        let half = (all.width() - space::M) / 2.0;
        let (open, save) = (cx.tr("windows.names.open"), cx.tr("windows.names.save"));
        if secondary(&open).width(half).show(&mut foot_ui).clicked() {
            cx.request(Request::OpenRules);
        }
        if secondary(&save).width(half).show(&mut foot_ui).clicked() {
            cx.request(Request::SaveRules(self.rules.to_json().into_bytes()));
        }
    }

    /// One rule: handle, tick, words; when edited, its fields below.
    fn rule_ui(&mut self, ui: &mut Ui, cx: &Cx<'_>, at: usize) -> Option<Change> {
        let c = cx.theme.color;
        let edited = self.edited == Some(at);
        let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), ROW), Sense::click());
        let (words, value) = rule_words(cx, &self.rules.list[at].rule);
        let name = format!("{words} {value}");
        response.widget_info(|| WidgetInfo::selected(Role::ListItem, true, edited, name.trim()));
        let (fill, edge) = match () {
            () if edited => (c.selection, c.accent),
            () if response.hovered() => (c.hover, c.border_strong),
            () => (c.raised, c.border),
        };
        ui.painter().rect(rect, radius::FIELD, fill, Stroke::new(stroke::EDGE, edge), StrokeKind::Inside);
        let soft = if edited { c.selection_text } else { c.text_2 };
        let dots = Rect::from_min_size(rect.min, vec2(20.0, ROW));
        paint_icon(
            ui.painter(),
            dots.center() + vec2(space::XXS, 0.0),
            icons::DOTS_SIX_VERTICAL,
            size::ICON_SMALL,
            soft,
        );
        let on = self.rules.list[at].on;
        let tick_name = cx.tr_with("windows.names.rule_on", &[("name", name.trim())]);
        if table::tick(ui, rect, 20.0, &tick_name, Some(Tick::of(on))) {
            self.rules.list[at].on = !on;
        }
        let ink = match () {
            () if edited => c.selection_text,
            () if on => c.text,
            () => c.text_3,
        };
        let parts = [(words.as_str(), Text::Small, ink), (" ", Text::Small, ink), (value.as_str(), Text::Strong, ink)];
        let line = paint::line_of(ui, &parts, rect.width() - 54.0);
        let cut = line.elided;
        paint::galley_left(ui.painter(), pos2(rect.left() + 48.0, rect.center().y), line);
        focus_ring(ui, &response, rect, radius::FIELD);
        if response.clicked() {
            self.edited = if edited { None } else { Some(at) };
        }
        if cut {
            response.on_hover_text(name.trim());
        }
        if edited { self.edit_ui(ui, cx, at) } else { None }
    }

    /// What can be done with the rule: its words, its place, its end.
    fn edit_ui(&mut self, ui: &mut Ui, cx: &Cx<'_>, at: usize) -> Option<Change> {
        let count = self.rules.list.len();
        let width = ui.available_width();
        match &mut self.rules.list[at].rule {
            Rule::StripPrefix(text) | Rule::StripSuffix(text) => {
                text_field(ui, text, &cx.tr("windows.names.affix"), width);
            }
            Rule::Replace { from, to } => {
                text_field(ui, from, &cx.tr("windows.names.from"), width);
                text_field(ui, to, &cx.tr("windows.names.to"), width);
            }
            Rule::Near(least) => {
                let mut percent = (*least * 100.0).round();
                let slider = egui::Slider::new(&mut percent, 30.0..=100.0).integer().suffix(" %");
                ui.spacing_mut().slider_width = width - 70.0;
                if ui.add(slider).accessible_name(cx.tr("windows.names.least")).changed() {
                    *least = percent / 100.0;
                }
            }
            Rule::SameName | Rule::HumanoidRoles | Rule::Sides | Rule::IgnoreCase => {}
        }
        ui.horizontal(|ui| {
            let mut change = None;
            let [up, down, away] = ["up", "down", "remove"].map(|k| cx.tr(&format!("windows.names.rule.{k}")));
            if IconButton::new(icons::ARROW_UP, &up).enabled(at > 0).show(ui).clicked() && at > 0 {
                change = Some(Change::Move(at, at - 1));
            }
            let last = at + 1 == count;
            if IconButton::new(icons::ARROW_DOWN, &down).enabled(!last).show(ui).clicked() && !last {
                change = Some(Change::Move(at, at + 1));
            }
            if IconButton::new(icons::TRASH, &away).show(ui).clicked() {
                change = Some(Change::Remove(at));
            }
            change
        })
        .inner
    }

    /// The handles: a drag moves a rule over its neighbours.
    fn drag_ui(&mut self, ui: &Ui, tops: &[f32], change: &mut Option<Change>) {
        for (at, top) in tops.iter().enumerate() {
            let handle = Rect::from_min_size(pos2(ui.min_rect().left(), *top), vec2(20.0, ROW));
            let response = ui.interact(handle, ui.scope_id().with(("handle", at)), Sense::drag());
            let response = response.on_hover_and_drag_cursor(CursorIcon::Grab);
            if response.drag_started() {
                self.edited = None;
            }
            let Some(pointer) = response.dragged().then(|| response.interact_pointer_pos()).flatten() else { continue };
            let over = tops.iter().rposition(|t| pointer.y >= *t).unwrap_or(0);
            let here = self.dragged.get_or_insert(at);
            if over != *here {
                *change = Some(Change::Move(*here, over));
                *here = over;
            }
        }
        if !ui.input(|i| i.pointer.any_down()) {
            self.dragged = None;
        }
    }

    fn add_ui(&mut self, ui: &mut Ui, cx: &Cx<'_>, width: f32) {
        let words = cx.tr("windows.names.add_rule");
        let button = secondary(&words).icon(icons::PLUS).width(width).show(ui);
        let mut added = None;
        Popup::menu(&button).show(|ui| {
            ui.set_min_width(width);
            let fresh = [
                Rule::StripPrefix(String::new()),
                Rule::StripSuffix(String::new()),
                Rule::Replace { from: String::new(), to: String::new() },
                Rule::Sides,
                Rule::IgnoreCase,
                Rule::SameName,
                Rule::HumanoidRoles,
                Rule::Near(0.6),
            ];
            for rule in fresh {
                let (words, value) = rule_words(cx, &rule);
                if ui.add(egui::Button::new(format!("{words} {value}").trim())).clicked() {
                    added = Some(rule);
                }
            }
        });
        if let Some(rule) = added {
            let asks = matches!(rule, Rule::StripPrefix(_) | Rule::StripSuffix(_) | Rule::Replace { .. });
            // What is only near comes after what is equal.
            let near = self.rules.list.iter().position(|e| matches!(e.rule, Rule::Near(_)));
            let at = near.unwrap_or(self.rules.list.len());
            self.rules.list.insert(at, RuleEntry { on: true, rule });
            self.edited = asks.then_some(at);
        }
    }
}

/// What a rule says, and the artist's own words in it.
fn rule_words(cx: &Cx<'_>, rule: &Rule) -> (String, String) {
    let (key, value) = match rule {
        Rule::SameName => ("same", String::new()),
        Rule::HumanoidRoles => ("roles", String::new()),
        Rule::StripPrefix(text) => ("prefix", text.clone()),
        Rule::StripSuffix(text) => ("suffix", text.clone()),
        Rule::Sides => ("sides", String::new()),
        Rule::Replace { from, to } if from.is_empty() && to.is_empty() => ("replace", String::new()),
        Rule::Replace { from, to } => ("replace", format!("{from} → {to}")),
        Rule::IgnoreCase => ("case", String::new()),
        Rule::Near(least) => ("near", format!("{:.0} %", 100.0 * least)),
    };
    (cx.tr(&format!("windows.names.rule.{key}")).into_owned(), value)
}

/// A line of text with a hint, which is its name for the ear.
fn text_field(ui: &mut Ui, text: &mut String, hint: &str, width: f32) {
    let (rect, _) = ui.allocate_exact_size(vec2(width, size::ROW), Sense::hover());
    TextField { hint, inset: [space::S; 2], ..TextField::new(hint) }.show(ui, rect, text);
}
