//! Toggles and choices: switches, checkboxes, segments, chips and tabs.

use super::paint::{self, ElidedName};
use crate::ui::kit::icons::{self, Icon, focus_ring, paint_icon};
use crate::ui::kit::theme::{TextSize, Theme};
use crate::ui::kit::tokens::{motion, radius, size, space, stroke};
use egui::{Align2, Color32, Popup, Rect, Response, Role, Sense, Stroke, StrokeKind, Ui, Vec2, WidgetInfo, pos2, vec2};
use std::borrow::Cow;
use yuremono_sim::diagnostics::message;

const SWITCH_SIZE: [f32; 2] = [26.0, 14.0];

/// Draws a switch without a label. The caller toggles the value after a click.
pub fn switch(ui: &mut Ui, name: &str, on: bool) -> Response {
    let (rect, response) = ui.allocate_exact_size(vec2(SWITCH_SIZE[0] + 4.0, size::HIT_MIN), Sense::click());
    let theme = Theme::of(ui);
    let c = theme.color;
    response.widget_info(|| WidgetInfo::selected(Role::Switch, true, on, name));
    let body = Rect::from_center_size(rect.center(), vec2(SWITCH_SIZE[0], SWITCH_SIZE[1]));
    let glide = ui.ctx().animate_bool_with_time(response.id, on, theme.seconds(motion::HOVER_MS));
    let fill = match (on, response.hovered()) {
        (true, false) => c.accent,
        (true, true) => c.accent_hover,
        (false, _) => c.field,
    };
    let edge = if on { fill } else { c.border_strong };
    ui.painter().rect(body, SWITCH_SIZE[1] / 2.0, fill, Stroke::new(stroke::EDGE, edge), StrokeKind::Inside);
    let knob = pos2(body.left() + 7.0 + glide * (body.width() - 14.0), body.center().y);
    ui.painter().circle_filled(knob, 4.5, if on { c.accent_text } else { c.text_2 });
    focus_ring(ui, &response, body, SWITCH_SIZE[1] / 2.0);
    response
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckState {
    Off,
    On,
    Mixed,
}

impl CheckState {
    pub const fn of(on: bool) -> Self {
        if on { Self::On } else { Self::Off }
    }

    /// Returns the state when `taken` of `all` items are checked.
    pub const fn of_count(taken: usize, all: usize) -> Self {
        match taken {
            0 => Self::Off,
            n if n == all => Self::On,
            _ => Self::Mixed,
        }
    }
}

/// Draws a labelled checkbox that toggles `on` and marks its response as changed.
pub fn labelled_checkbox(ui: &mut Ui, label: &str, on: &mut bool) -> Response {
    let mut response = checkbox(ui, label, label, CheckState::of(*on));
    if response.clicked() {
        *on = !*on;
        response.mark_changed();
    }
    response
}

/// Draws a checkbox. `name` is the accessible name, and `label` may be empty.
pub fn checkbox(ui: &mut Ui, name: &str, label: &str, tick: CheckState) -> Response {
    let c = Theme::of(ui).color;
    let label_width = if label.is_empty() { 0.0 } else { 6.0 + paint::text_width(ui, label, TextSize::Body) };
    let (rect, response) = ui.allocate_exact_size(vec2(size::HIT_MIN + label_width, size::HIT_MIN), Sense::click());
    response.widget_info(|| WidgetInfo::selected(Role::CheckBox, true, tick != CheckState::Off, name));
    let center = pos2(rect.left() + size::HIT_MIN / 2.0, rect.center().y);
    let square = Rect::from_center_size(center, Vec2::splat(size::CHECKBOX));
    let (fill, edge) = match (tick, response.hovered()) {
        (CheckState::On, hovered) => [(c.accent, c.accent), (c.accent_hover, c.accent_hover)][usize::from(hovered)],
        (CheckState::Mixed, _) => (c.field, c.accent),
        (CheckState::Off, true) => (c.field, c.text_3),
        (CheckState::Off, false) => (c.field, c.border_strong),
    };
    ui.painter().rect(square, radius::CHECKBOX, fill, Stroke::new(stroke::EDGE, edge), StrokeKind::Inside);
    match tick {
        CheckState::On => paint_icon(ui.painter(), center, icons::CHECK, 12.0, c.accent_text),
        CheckState::Mixed => {
            ui.painter().rect_filled(Rect::from_center_size(center, vec2(7.0, 2.0)), 0.0, c.accent);
        }
        CheckState::Off => {}
    }
    let at = pos2(rect.left() + size::HIT_MIN + 2.0, rect.center().y);
    paint::text(ui.painter(), at, Align2::LEFT_CENTER, label, TextSize::Body, c.text);
    focus_ring(ui, &response, square, radius::CHECKBOX);
    response
}

/// Draws a labelled radio button.
pub fn radio(ui: &mut Ui, label: &str, chosen: bool) -> Response {
    let c = Theme::of(ui).color;
    let width = size::HIT_MIN + 6.0 + paint::text_width(ui, label, TextSize::Body);
    let (rect, response) = ui.allocate_exact_size(vec2(width, size::HIT_MIN), Sense::click());
    response.widget_info(|| WidgetInfo::selected(Role::RadioButton, true, chosen, label));
    let center = pos2(rect.left() + size::HIT_MIN / 2.0, rect.center().y);
    let edge = match (chosen, response.hovered()) {
        (true, _) => c.accent,
        (false, true) => c.text_3,
        (false, false) => c.border_strong,
    };
    let circle_radius = size::CHECKBOX / 2.0;
    ui.painter().circle(center, circle_radius, c.field, Stroke::new(stroke::EDGE, edge));
    if chosen {
        ui.painter().circle_filled(center, circle_radius / 2.0, c.accent);
    }
    let at = pos2(rect.left() + size::HIT_MIN + 2.0, rect.center().y);
    paint::text(ui.painter(), at, Align2::LEFT_CENTER, label, TextSize::Body, c.text);
    focus_ring(ui, &response, Rect::from_center_size(center, Vec2::splat(size::CHECKBOX)), circle_radius);
    response
}

/// Draws a segmented choice with an optional count per segment. Returns the clicked index.
pub fn segmented(ui: &mut Ui, choices: &[(&str, Option<usize>)], chosen: usize, height: f32) -> Option<usize> {
    segmented_with_hints(ui, choices, &[], chosen, height)
}

/// Like [`segmented`], but with a tooltip for each choice.
pub fn segmented_with_hints(
    ui: &mut Ui,
    choices: &[(&str, Option<usize>)],
    hints: &[&str],
    chosen: usize,
    height: f32,
) -> Option<usize> {
    let c = Theme::of(ui).color;
    let count_text = |count: &Option<usize>| count.map(|n| n.to_string()).unwrap_or_default();
    let width_of = |(label, count): &(&str, Option<usize>)| {
        let count = count_text(count);
        let extra = if count.is_empty() { 0.0 } else { 10.0 + paint::text_width(ui, &count, TextSize::Small) };
        paint::text_width(ui, label, TextSize::Strong) + extra + 16.0
    };
    let widths: Vec<f32> = choices.iter().map(width_of).collect();
    let (rect, _) = ui.allocate_exact_size(vec2(widths.iter().sum(), height), Sense::hover());
    ui.painter().rect_filled(rect, radius::BUTTON, c.field);
    let mut clicked = None;
    let mut left = rect.left();
    for (i, ((label, count), width)) in choices.iter().zip(&widths).enumerate() {
        let part = Rect::from_min_size(pos2(left, rect.top()), vec2(*width, height));
        left += width;
        let response = ui.interact(part, ui.scope_id().with(("segment", i, label)), Sense::click());
        response.widget_info(|| WidgetInfo::selected(Role::RadioButton, true, i == chosen, label));
        let (color, text_size) = match (i == chosen, response.hovered()) {
            (true, _) => (c.selection_text, TextSize::Strong),
            (false, true) => (c.text, TextSize::Body),
            (false, false) => (c.text_2, TextSize::Body),
        };
        if i == chosen {
            ui.painter().rect_filled(part, radius::BUTTON - 1.0, c.selection);
        } else if response.hovered() {
            ui.painter().rect_filled(part.shrink(1.0), radius::BUTTON - 1.0, c.hover);
        }
        let count = count_text(count);
        if count.is_empty() {
            paint::text(ui.painter(), part.center(), Align2::CENTER_CENTER, label, text_size, color);
        } else {
            let at = part.left_center() + vec2(space::M, 0.0);
            paint::text(ui.painter(), at, Align2::LEFT_CENTER, label, text_size, color);
            let at = part.right_center() - vec2(space::M, 0.0);
            paint::text(ui.painter(), at, Align2::RIGHT_CENTER, &count, TextSize::Small, color);
        }
        focus_ring(ui, &response, part, radius::BUTTON);
        clicked = if response.clicked() { Some(i) } else { clicked };
        if let Some(hint) = hints.get(i).filter(|hint| !hint.is_empty()) {
            response.on_hover_text(*hint);
        }
    }
    ui.painter().rect_stroke(rect, radius::BUTTON, Stroke::new(stroke::EDGE, c.border), StrokeKind::Inside);
    clicked
}

/// A value of [`segmented_choice`].
#[derive(Clone, Debug)]
pub struct Choice<'a, T> {
    value: T,
    label: Cow<'a, str>,
    hint: Cow<'a, str>,
    count: Option<usize>,
}

impl<'a, T> Choice<'a, T> {
    pub fn new(value: T, label: impl Into<Cow<'a, str>>) -> Self {
        Self { value, label: label.into(), hint: Cow::default(), count: None }
    }

    /// Sets the tooltip.
    #[must_use]
    pub fn hint(self, hint: impl Into<Cow<'a, str>>) -> Self {
        Self { hint: hint.into(), ..self }
    }

    /// Shows a count after the label.
    #[must_use]
    pub fn count(self, count: usize) -> Self {
        Self { count: Some(count), ..self }
    }
}

/// Draws a segmented choice of values. Returns whether the artist chose another value.
pub fn segmented_choice<T: Copy + PartialEq>(ui: &mut Ui, choices: &[Choice<'_, T>], value: &mut T) -> bool {
    let labels: Vec<_> = choices.iter().map(|choice| (&*choice.label, choice.count)).collect();
    let hints: Vec<_> = choices.iter().map(|choice| &*choice.hint).collect();
    let chosen = choices.iter().position(|choice| choice.value == *value).unwrap_or_default();
    let clicked = segmented_with_hints(ui, &labels, &hints, chosen, size::HIT_MIN);
    let before = *value;
    *value = clicked.map_or(before, |at| choices[at].value);
    *value != before
}

/// Draws a pill for a filter, a part or a name. `color` tints the outline and the text.
pub fn chip(ui: &mut Ui, label: &str, icon: Option<Icon>, on: bool, color: Option<Color32>) -> Response {
    let c = Theme::of(ui).color;
    let icon_width = if icon.is_some() { 17.0 } else { 0.0 };
    let name =
        ElidedName::new(ui, label, TextSize::Small, Color32::PLACEHOLDER, ui.max_rect().width() - icon_width - 20.0);
    let width = name.width() + icon_width + 20.0;
    let (rect, response) = ui.allocate_exact_size(vec2(width, size::HIT_MIN), Sense::click());
    response.widget_info(|| WidgetInfo::selected(Role::Button, true, on, label));
    let body = Rect::from_center_size(rect.center(), vec2(width, 20.0));
    let (fill, edge, text_color) = match () {
        () if on => (c.selection, c.accent, c.selection_text),
        () if response.hovered() => (c.hover, c.border_strong, c.text),
        () => (c.raised, c.border, c.text_2),
    };
    let (edge, text_color) = color.map_or((edge, text_color), |color| (color, color));
    ui.painter().rect(body, body.height() / 2.0, fill, Stroke::new(stroke::EDGE, edge), StrokeKind::Inside);
    if let Some(icon) = icon {
        paint_icon(ui.painter(), pos2(body.left() + space::XL, body.center().y), icon, size::ICON_TINY, text_color);
    }
    let at = pos2(body.left() + 10.0 + icon_width, body.center().y);
    name.paint_left_in(ui.painter(), at, text_color);
    focus_ring(ui, &response, body, body.height() / 2.0);
    name.with_tooltip(response)
}

/// Draws a pill that does not react to clicks, for example "8 joints".
pub fn badge(ui: &mut Ui, label: &str) -> Response {
    let c = Theme::of(ui).color;
    let width = paint::text_width(ui, label, TextSize::Small) + 16.0;
    let (rect, response) = ui.allocate_exact_size(vec2(width, 18.0), Sense::hover());
    ui.painter().rect(rect, 9.0, c.raised, Stroke::new(stroke::EDGE, c.border), StrokeKind::Inside);
    paint::text(ui.painter(), rect.center(), Align2::CENTER_CENTER, label, TextSize::Small, c.text_2);
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, label));
    response
}

#[derive(Clone, Copy, Debug)]
pub struct Tab<'a> {
    pub label: &'a str,
    pub icon: Option<Icon>,
    /// Icon, colour and count after the label, for example two warnings.
    pub badge: Option<(Icon, Color32, usize)>,
}

impl<'a> Tab<'a> {
    /// Returns a tab without an icon and without a badge.
    pub const fn new(label: &'a str) -> Self {
        Self { label, icon: None, badge: None }
    }

    fn width(&self, ui: &Ui) -> f32 {
        let icon = if self.icon.is_some() { size::ICON + 5.0 } else { 0.0 };
        let badge = self.badge.map_or(0.0, |(_, _, n)| 24.0 + paint::text_width(ui, &n.to_string(), TextSize::Number));
        icon + paint::text_width(ui, self.label, TextSize::Strong) + badge + 16.0
    }
}

/// Draws tabs with a height of 32 points. `open` is `None` if all tabs are closed. Returns the clicked index.
pub fn tab_bar(ui: &mut Ui, tabs: &[Tab<'_>], open: Option<usize>) -> Option<usize> {
    let c = Theme::of(ui).color;
    let widths: Vec<f32> = tabs.iter().map(|tab| tab.width(ui)).collect();
    let (rect, _) = ui.allocate_exact_size(vec2(widths.iter().sum(), size::TAB), Sense::hover());
    let across = ui.max_rect().x_range();
    paint::hairline(ui.painter(), across.min, across.max, rect.bottom() - 0.5, c.border);
    let mut left = rect.left();
    let mut clicked = None;
    for (i, (tab, width)) in tabs.iter().zip(&widths).enumerate() {
        let part = Rect::from_min_size(pos2(left, rect.top()), vec2(*width, size::TAB));
        left += width;
        let response = ui.interact(part, ui.scope_id().with(("tab", i, tab.label)), Sense::click());
        let is_open = open == Some(i);
        response.widget_info(|| WidgetInfo {
            current_text_value: tab.badge.map(|(_, _, count)| count.to_string()),
            ..WidgetInfo::selected(Role::Tab, true, is_open, tab.label)
        });
        let (text_color, text_size) = match (is_open, response.hovered()) {
            (true, _) => (c.text, TextSize::Strong),
            (false, true) => (c.text, TextSize::Body),
            (false, false) => (c.text_2, TextSize::Body),
        };
        let mut x = part.left() + space::M;
        if let Some(icon) = tab.icon {
            paint_icon(ui.painter(), pos2(x + size::ICON / 2.0, part.center().y), icon, size::ICON, text_color);
            x += size::ICON + 5.0;
        }
        let at = pos2(x, part.center().y);
        let label_rect = paint::text(ui.painter(), at, Align2::LEFT_CENTER, tab.label, text_size, text_color);
        if let Some((icon, color, count)) = tab.badge {
            paint_icon(ui.painter(), pos2(label_rect.right() + 13.0, part.center().y), icon, size::ICON_SMALL, color);
            let at = pos2(label_rect.right() + 22.0, part.center().y);
            paint::text(ui.painter(), at, Align2::LEFT_CENTER, &count.to_string(), TextSize::Number, color);
        }
        if is_open {
            let line = Rect::from_min_max(
                pos2(part.left() + space::XXS, part.bottom() - space::XXS),
                part.max - vec2(space::XXS, 0.0),
            );
            ui.painter().rect_filled(line, 1.0, c.accent);
        }
        focus_ring(ui, &response, part.shrink(space::XXS), radius::FIELD);
        clicked = if response.clicked() { Some(i) } else { clicked };
    }
    clicked
}

const SEGMENT_PADDING: f32 = 16.0;
const CARET_WIDTH: f32 = 20.0;
const BUTTON_PADDING: f32 = 8.0;

/// Draws a segmented choice, or a menu if the segments are wider than `max_width`. `chosen` is `None` for mixed values.
/// Returns the clicked index.
pub fn choice(ui: &mut Ui, name: &str, labels: &[&str], chosen: Option<usize>, max_width: f32) -> Option<usize> {
    let wide: f32 = labels.iter().map(|label| paint::text_width(ui, label, TextSize::Strong) + SEGMENT_PADDING).sum();
    if wide <= max_width {
        let choices: Vec<(&str, Option<usize>)> = labels.iter().map(|label| (*label, None)).collect();
        return segmented(ui, &choices, chosen.unwrap_or(usize::MAX), size::BAR);
    }
    let mixed = Theme::of(ui).tr(message!("mixed"));
    let shown = chosen.and_then(|i| labels.get(i).copied()).unwrap_or(&mixed);
    let button = combo_button(ui, name, shown, max_width);
    let mut clicked = None;
    Popup::menu(&button).show(|ui| {
        for (i, label) in labels.iter().enumerate() {
            let item = ui.add(egui::Button::new(*label).selected(chosen == Some(i)));
            clicked = if item.clicked() { Some(i) } else { clicked };
        }
    });
    clicked
}

/// Draws a button that shows the current choice. The caller adds a menu.
pub fn combo_button(ui: &mut Ui, name: &str, shown: &str, max_width: f32) -> Response {
    let width = (paint::text_width(ui, shown, TextSize::Body) + 2.0 * BUTTON_PADDING + CARET_WIDTH).min(max_width);
    let (rect, response) = ui.allocate_exact_size(vec2(width, size::BAR), Sense::click());
    response.widget_info(|| WidgetInfo {
        current_text_value: Some(shown.to_owned()),
        ..WidgetInfo::labeled(Role::ComboBox, true, name)
    });
    combo_button_at(ui, rect, &response, shown, Theme::of(ui).color.text, true);
    response
}

/// Paints a combo button for an existing response. A button without effect is hatched. The caller sets the accessible
/// name.
pub fn combo_button_at(ui: &Ui, rect: Rect, response: &Response, shown: &str, color: Color32, has_effect: bool) {
    let c = Theme::of(ui).color;
    let edge = if response.hovered() { c.border_strong } else { c.border };
    ui.painter().rect(rect, radius::FIELD, c.field, Stroke::new(stroke::EDGE, edge), StrokeKind::Inside);
    let name = ElidedName::new(ui, shown, TextSize::Body, color, rect.width() - BUTTON_PADDING - CARET_WIDTH);
    if !has_effect {
        paint::hatch(ui.painter(), rect.shrink(1.0), c.text_3);
        let patch = Rect::from_min_size(rect.min + vec2(1.0, 1.0), vec2(name.width() + space::L, size::BAR - 2.0));
        ui.painter().rect_filled(patch, radius::FIELD, c.field);
    }
    name.paint_left(ui.painter(), rect.left_center() + vec2(BUTTON_PADDING, 0.0));
    name.with_tooltip(response.clone());
    paint_icon(ui.painter(), pos2(rect.right() - space::L, rect.center().y), icons::CARET_DOWN, 12.0, c.text_2);
    focus_ring(ui, response, rect, radius::FIELD);
}
