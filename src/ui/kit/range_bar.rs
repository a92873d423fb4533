//! A bar with two nubs, for a lower and an upper limit.
//!
//! The nub that is nearer to the press is dragged. Each nub is a slider of its own for keyboard and screen reader.

use super::number::{self, NumberFormat};
use super::paint::{self, faded};
use super::param_bar::{BarChange, TEXT_PADDING, TEXT_RAISE, handle_rect, text_rect};
use super::span::Span;
use crate::ui::kit::icons::focus_ring;
use crate::ui::kit::theme::{self, TextSize, Theme};
use crate::ui::kit::tokens::{alpha, radius, size, stroke};
use egui::accesskit::{Action, ActionData};
use egui::{Align2, CursorIcon, Key, Modifiers, Rect, Response, Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2, vec2};

/// Which end of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RangeEnd {
    /// The lower one.
    Low,
    /// The upper one.
    High,
}

/// A range to be shown.
#[derive(Clone, Copy, Debug)]
pub struct RangeBar<'a> {
    /// Name of the parameter; the ends are called after it.
    pub name: &'a str,
    /// Lower limit.
    pub low: f32,
    /// Upper limit.
    pub high: f32,
    /// Left and right end of the bar.
    pub span: Span,
    /// How numbers are written.
    pub format: NumberFormat,
    /// Colour.
    pub role: theme::ColorRole,
    /// Whether the limits do anything.
    pub has_effect: bool,
}

/// What came of showing a range.
#[derive(Debug)]
pub struct RangeOutput {
    /// The whole bar.
    pub response: Response,
    /// What the artist did to which end.
    pub changes: Vec<(RangeEnd, BarChange)>,
}

impl RangeBar<'_> {
    /// Adds it, as wide as `width` and 22 high.
    pub fn show(self, ui: &mut Ui, width: f32) -> RangeOutput {
        let (rect, _) = ui.allocate_exact_size(vec2(width, size::BAR), Sense::hover());
        self.show_in(ui, rect)
    }

    /// Draws it in a place that was allocated elsewhere.
    pub fn show_in(self, ui: &mut Ui, rect: Rect) -> RangeOutput {
        let id = ui.make_persistent_id(("range", self.name));
        let inside = rect.shrink(stroke::EDGE);
        let middle = inside.left() + inside.width() * self.middle_fraction();
        // One interactive half for each end: each is a slider with a name, and a press chooses the nearer nub.
        let low_rect = Rect::from_min_max(rect.min, pos2(middle, rect.bottom()));
        let high_rect = Rect::from_min_max(pos2(middle, rect.top()), rect.max);
        let low = ui.interact(low_rect, id.with("low"), Sense::click_and_drag());
        let high = ui.interact(high_rect, id.with("high"), Sense::click_and_drag());
        let mut changes = Vec::new();
        for (end, response) in [(RangeEnd::Low, &low), (RangeEnd::High, &high)] {
            if !number::is_typing(ui, response.id) {
                self.drag(ui, rect, end, response, &mut changes);
                self.step_by_keys(ui, end, response, &mut changes);
                if response.clicked() {
                    number::start_typing(ui, response.id, self.format, self.value(end));
                }
            }
            self.update_accessibility(ui, end, response);
        }
        self.paint(ui, rect, &low, &high);
        for (end, response, half) in [(RangeEnd::Low, &low, low_rect), (RangeEnd::High, &high, high_rect)] {
            let name = self.end_name(ui, end);
            let typed = number::number_edit(ui, half, response.id, &name, self.format, self.value(end));
            changes.extend(typed.map(|value| (end, BarChange::Set(self.clamped(end, value)))));
        }
        let response = low.union(high).on_hover_and_drag_cursor(CursorIcon::ResizeHorizontal);
        RangeOutput { response, changes }
    }

    fn middle_fraction(&self) -> f32 {
        let middle = f32::midpoint(self.span.fraction(self.low), self.span.fraction(self.high));
        middle.clamp(0.1, 0.9)
    }

    fn value(&self, end: RangeEnd) -> f32 {
        match end {
            RangeEnd::Low => self.low,
            RangeEnd::High => self.high,
        }
    }

    /// An end never passes the other.
    fn clamped(&self, end: RangeEnd, value: f32) -> f32 {
        match end {
            RangeEnd::Low => value.min(self.high),
            RangeEnd::High => value.max(self.low),
        }
    }

    fn drag(&self, ui: &Ui, rect: Rect, end: RangeEnd, response: &Response, changes: &mut Vec<(RangeEnd, BarChange)>) {
        let id = response.id.with("drag");
        if response.drag_started() {
            ui.data_mut(|d| {
                d.insert_temp(id, self.span.fraction(self.value(end)));
            });
            changes.push((end, BarChange::Started));
        }
        if response.dragged() {
            let keys = ui.input(|i| i.modifiers);
            let mut share: f32 = ui.data(|d| d.get_temp(id)).unwrap_or_default();
            let speed = if keys.shift { 0.1 } else { 1.0 };
            share += speed * response.drag_delta().x / rect.width();
            let aim = self.span.value(share);
            let aim = if keys.command { self.span.snapped(aim) } else { self.span.rounded(aim, keys.shift) };
            let aim = self.clamped(end, aim);
            if aim != self.value(end) {
                changes.push((end, BarChange::Set(aim)));
            }
            ui.data_mut(|d| d.insert_temp(id, share));
        }
        if response.drag_stopped() {
            // egui itself ends a drag on Esc; what lies behind the bar must not hear it too.
            if ui.input_mut(|i| i.consume_key(Modifiers::NONE, Key::Escape)) {
                changes.push((end, BarChange::Cancelled));
            }
            changes.push((end, BarChange::Ended));
        }
    }

    fn step_by_keys(&self, ui: &Ui, end: RangeEnd, response: &Response, changes: &mut Vec<(RangeEnd, BarChange)>) {
        let mut steps = 0.0;
        if response.has_focus() {
            ui.ctx().memory_mut(|m| {
                let filter = egui::EventFilter { horizontal_arrows: true, ..Default::default() };
                m.set_focus_lock_filter(response.id, filter);
            });
            steps += ui.input(|i| i.num_presses(Key::ArrowRight) as f32 - i.num_presses(Key::ArrowLeft) as f32);
        }
        let mut set = None;
        ui.input(|i| {
            steps += i.num_accesskit_action_requests(response.id, Action::Increment) as f32;
            steps -= i.num_accesskit_action_requests(response.id, Action::Decrement) as f32;
            for request in i.accesskit_action_requests(response.id, Action::SetValue) {
                match &request.data {
                    Some(ActionData::NumericValue(value)) => set = Some(*value as f32),
                    Some(ActionData::Value(text)) => set = self.format.parse(text, self.value(end)),
                    _ => {}
                }
            }
        });
        if steps != 0.0 {
            let fine = ui.input(|i| i.modifiers.shift);
            set = Some(self.span.stepped(self.value(end), steps, fine));
        }
        changes.extend(set.map(|value| (end, BarChange::Set(self.clamped(end, value)))));
    }

    fn end_name(&self, ui: &Ui, end: RangeEnd) -> String {
        let key = match end {
            RangeEnd::Low => "bar.low_end",
            RangeEnd::High => "bar.high_end",
        };
        Theme::of(ui).tr_with(key, &[("name", self.name)])
    }

    fn update_accessibility(&self, ui: &Ui, end: RangeEnd, response: &Response) {
        let name = self.end_name(ui, end);
        response.widget_info(|| WidgetInfo::slider(true, f64::from(self.value(end)), &name));
        ui.ctx().accesskit_node_builder(response.id, |node| {
            node.set_min_numeric_value(f64::from(self.span.low));
            node.set_max_numeric_value(f64::from(self.span.high));
            node.add_action(Action::SetValue);
        });
    }

    fn paint(&self, ui: &Ui, rect: Rect, low: &Response, high: &Response) {
        let theme = Theme::of(ui);
        let c = theme.color;
        let painter = ui.painter();
        painter.rect_filled(rect, radius::FIELD, c.field);
        let inside = rect.shrink(stroke::EDGE);
        let x_of = |value: f32| inside.left() + inside.width() * self.span.fraction(value);
        let (from, to) = (x_of(self.low), x_of(self.high));
        if self.has_effect {
            let color = theme.role(self.role);
            // Digits stand on the plain field, as in a bar of one number.
            let low_text = text_rect(ui, inside, Align2::LEFT_CENTER, &self.format.text(self.low));
            let high_text = text_rect(ui, inside, Align2::RIGHT_CENTER, &self.format.text(self.high));
            let (left, right) = (from.max(low_text.right()), to.min(high_text.left()));
            if left < right {
                let fill = Rect::from_min_max(pos2(left, inside.top()), pos2(right, inside.bottom()));
                painter.rect_filled(fill, 0.0, faded(color, alpha::BAR_FILL));
            }
            let line = Rect::from_min_max(pos2(from, inside.bottom() - size::BAR_LINE), pos2(to, inside.bottom()));
            painter.rect_filled(line, 0.0, color);
            for end in [from + size::BAR_HANDLE[0], to] {
                painter.rect_filled(handle_rect(inside, end, &[low_text, high_text]), 0.0, color);
            }
            if self.span.low < 0.0 && self.span.high > 0.0 {
                let zero = x_of(0.0);
                let under = [low_text, high_text].into_iter().any(|digits| digits.x_range().contains(zero));
                let height = if under { size::BAR_LINE } else { 8.0 };
                let tick =
                    Rect::from_min_max(pos2(zero - 0.5, inside.bottom() - height), pos2(zero + 0.5, inside.bottom()));
                painter.rect_filled(tick, 0.0, c.text_2);
            }
        } else {
            paint::hatch(painter, inside, c.text_3);
        }
        let color = if self.has_effect { c.text } else { c.text_3 };
        let y = inside.center().y - TEXT_RAISE;
        for (at, anchor, value) in [
            (pos2(inside.left() + TEXT_PADDING, y), Align2::LEFT_CENTER, self.low),
            (pos2(inside.right() - TEXT_PADDING, y), Align2::RIGHT_CENTER, self.high),
        ] {
            let words = self.format.text(value);
            if !self.has_effect {
                let patch = vec2(paint::text_width(ui, &words, TextSize::Number) + 10.0, inside.height());
                let side = if anchor == Align2::LEFT_CENTER { inside.left() } else { inside.right() - patch.x };
                painter.rect_filled(Rect::from_min_size(pos2(side, inside.top()), patch), 3.0, c.field);
            }
            paint::text(painter, at, anchor, &words, TextSize::Number, color);
        }
        let touched = [low, high].iter().any(|r| r.hovered() || r.dragged());
        let edge = if touched { c.border_strong } else { c.border };
        painter.rect_stroke(rect, radius::FIELD, Stroke::new(stroke::EDGE, edge), StrokeKind::Inside);
        focus_ring(ui, low, rect, radius::FIELD);
        focus_ring(ui, high, rect, radius::FIELD);
    }
}
