//! The parameter bar shows a number that the artist drags, types or steps.
//!
//! Shift makes a drag ten times finer, and Ctrl snaps. A click or Enter starts typing. Arrow keys step. The caller
//! stores the value.
//!
//! A range bar has two handles, for a lower and an upper limit. A press drags the nearer handle. Each handle is a
//! separate slider for the keyboard and for screen readers.

use super::number::{self, NumberFormat, Span};
use super::paint::{self, faded};
use crate::ui::kit::icons::focus_ring;
use crate::ui::kit::theme::{self, TextSize, Theme};
use crate::ui::kit::tokens::{alpha, motion, radius, size, stroke};
use egui::accesskit::{Action, ActionData};
use egui::{
    Align2, Color32, CornerRadius, CursorIcon, Key, Modifiers, Pos2, Rect, Response, Sense, Stroke, StrokeKind, Ui,
    WidgetInfo, pos2, vec2,
};
use yuremono_sim::diagnostics::message;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BarValue {
    One(f32),
    /// The values differ and are in this range.
    Mixed {
        low: f32,
        high: f32,
    },
}

/// Changes in order of occurrence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BarChange {
    /// A drag starts. All changes until [`BarChange::Ended`] are one gesture.
    Started,
    /// Sets the value of all targets.
    Set(f32),
    /// Multiplies all targets by this factor.
    ScaleBy(f32),
    /// The drag is reverted. [`BarChange::Ended`] follows.
    Cancelled,
    Ended,
}

#[derive(Clone, Copy, Debug)]
pub struct ParamBar<'a> {
    /// Accessible name, which is the name of the parameter.
    pub name: &'a str,
    pub value: BarValue,
    pub span: Span,
    pub format: NumberFormat,
    pub role: theme::ColorRole,
    /// Whether the parameter has an effect. A bar without an effect is hatched, but editable.
    pub has_effect: bool,
    /// Text that replaces the number and disables editing, for example "fixed".
    pub replacement_text: Option<&'a str>,
    /// Identity of the value's owner. The bar flashes if the value changes, but not if the owner changes.
    pub subject: u64,
}

#[derive(Debug)]
pub struct BarOutput {
    pub response: Response,
    pub changes: Vec<BarChange>,
}

#[derive(Clone, Debug, Default)]
struct BarMemory {
    drag_fraction: f32,
    last_shown: Option<(u64, [u32; 2])>,
    changed_here: bool,
    flash_start: Option<f64>,
}

impl BarValue {
    /// Returns whether the displayed values differ.
    pub fn is_mixed(self, format: NumberFormat) -> bool {
        matches!(self, Self::Mixed { low, high } if !format.displays_equally(low, high))
    }
}

impl<'a> ParamBar<'a> {
    /// Creates a bar without a physical colour.
    pub fn new(name: &'a str, value: f32, span: Span) -> Self {
        let format = NumberFormat::for_unit(yuremono_sim::params::Unit::None);
        let value = BarValue::One(value);
        Self {
            name,
            value,
            span,
            format,
            role: theme::ColorRole::Neutral,
            has_effect: true,
            replacement_text: None,
            subject: 0,
        }
    }

    /// Draws the bar, 22 points high.
    pub fn show(self, ui: &mut Ui, width: f32) -> BarOutput {
        let (rect, _) = ui.allocate_exact_size(vec2(width, size::BAR), Sense::hover());
        self.show_in(ui, rect)
    }

    /// Draws the bar in an allocated rectangle.
    pub fn show_in(self, ui: &mut Ui, rect: Rect) -> BarOutput {
        let id = ui.make_persistent_id(("bar", self.name));
        let mut memory: BarMemory = ui.data(|d| d.get_temp(id)).unwrap_or_default();
        let editable = self.replacement_text.is_none();
        let sense = if editable { Sense::click_and_drag() } else { Sense::focusable_noninteractive() };
        let response = ui.interact(rect, id, sense);
        let mut changes = Vec::new();
        let typing = number::is_typing(ui, id);
        if editable && !typing {
            self.drag(ui, &response, &mut memory, &mut changes);
            self.step_by_keys(ui, &response, &mut changes);
        }
        if editable && !typing && response.clicked() {
            number::start_typing(ui, id, self.format, self.single_value());
        }
        self.update_accessibility(ui, &response);
        self.paint(ui, rect, &response, &mut memory);
        let typed = number::number_edit(ui, rect, id, self.name, self.format, self.single_value());
        changes.extend(typed.map(|value| BarChange::Set(self.clamped(value))));
        memory.changed_here = !changes.is_empty();
        ui.data_mut(|d| d.insert_temp(id, memory));
        let response =
            if editable { response.on_hover_and_drag_cursor(CursorIcon::ResizeHorizontal) } else { response };
        BarOutput { response, changes }
    }

    /// Returns a typed value clamped to the range, and rounded for integers.
    fn clamped(&self, value: f32) -> f32 {
        if self.span.integer { value.round() } else { value }
    }

    /// Returns the value from which typing and keyboard steps start.
    fn single_value(&self) -> f32 {
        match self.value {
            BarValue::One(value) => value,
            BarValue::Mixed { low, high } => {
                if high.abs() >= low.abs() {
                    high
                } else {
                    low
                }
            }
        }
    }

    fn drag(&self, ui: &Ui, response: &Response, memory: &mut BarMemory, changes: &mut Vec<BarChange>) {
        if response.drag_started() {
            memory.drag_fraction = self.span.fraction(self.single_value());
            changes.push(BarChange::Started);
        }
        if response.dragged() {
            let aim = dragged_value(ui, self.span, response, response.rect.width(), &mut memory.drag_fraction);
            if aim != self.single_value() {
                changes.extend(self.change_to(aim));
            }
        }
        changes.extend(drag_end(ui, response));
    }

    fn change_to(&self, value: f32) -> Option<BarChange> {
        let factor = value / self.single_value();
        match self.value {
            BarValue::One(_) => Some(BarChange::Set(value)),
            // A factor of 0 would make all values equal permanently.
            BarValue::Mixed { .. } if self.single_value() == 0.0 || factor < 1e-3 => None,
            BarValue::Mixed { .. } => Some(BarChange::ScaleBy(factor)),
        }
    }

    fn step_by_keys(&self, ui: &Ui, response: &Response, changes: &mut Vec<BarChange>) {
        let now = self.single_value();
        let (steps, set) = requested_steps(ui, response, self.format, now);
        changes.extend(set.map(|value| BarChange::Set(self.clamped(value))));
        if steps != 0.0 {
            let fine = ui.input(|i| i.modifiers.shift);
            changes.extend(self.change_to(self.span.stepped(now, steps, fine)));
        }
    }

    fn update_accessibility(&self, ui: &Ui, response: &Response) {
        let value = f64::from(self.single_value());
        response.widget_info(|| WidgetInfo::slider(self.replacement_text.is_none(), value, self.name));
        ui.ctx().accesskit_node_builder(response.id, |node| {
            node.set_min_numeric_value(f64::from(self.span.low));
            node.set_max_numeric_value(f64::from(self.span.high));
            node.set_value(self.text());
            if self.replacement_text.is_none() {
                node.add_action(Action::SetValue);
                node.add_action(Action::Increment);
                node.add_action(Action::Decrement);
            }
        });
    }

    fn text(&self) -> String {
        match (self.replacement_text, self.value) {
            (Some(word), _) => word.to_owned(),
            (None, BarValue::One(value)) => self.format.text(value),
            (None, BarValue::Mixed { low, high }) => self.format.range_text(low, high),
        }
    }

    fn paint(&self, ui: &Ui, rect: Rect, response: &Response, memory: &mut BarMemory) {
        let theme = Theme::of(ui);
        let c = theme.color;
        let painter = ui.painter();
        painter.rect_filled(rect, radius::FIELD, c.field);
        let inside = rect.shrink(stroke::EDGE);
        let color = theme.role(self.role);
        if self.has_effect && self.replacement_text.is_none() {
            let flash = self.flash_strength(ui, &theme, memory);
            self.paint_value(ui, inside, color, flash);
        } else {
            paint::hatch(painter, inside, c.text_3);
        }
        self.paint_text(ui, inside, &theme);
        let edge = if response.hovered() || response.dragged() { c.border_strong } else { c.border };
        painter.rect_stroke(rect, radius::FIELD, Stroke::new(stroke::EDGE, edge), StrokeKind::Inside);
        focus_ring(ui, response, rect, radius::FIELD);
    }

    fn paint_value(&self, ui: &Ui, inside: Rect, color: Color32, flash: f32) {
        let painter = ui.painter();
        let x_of = |value: f32| inside.left() + inside.width() * self.span.fraction(value);
        let mixed = self.value.is_mixed(self.format);
        let (from, to) = match self.value {
            BarValue::Mixed { low, high } if mixed => (x_of(low), x_of(high)),
            _ => (inside.left(), x_of(self.single_value())),
        };
        let corner = CornerRadius { nw: 3, sw: 3, ..CornerRadius::ZERO };
        let corner = if mixed { CornerRadius::ZERO } else { corner };
        let opacity = if mixed { alpha::MIXED_FILL } else { alpha::BAR_FILL } + 0.35 * flash;
        // Digits need a plain background, because the end of the fill would cut through a digit.
        let digits = text_rect(ui, inside, Align2::RIGHT_CENTER, &self.text());
        let fill = Rect::from_min_max(pos2(from, inside.top()), pos2(to.min(digits.left()), inside.bottom()));
        if fill.width() > 0.0 {
            painter.rect_filled(fill, corner, faded(color, opacity));
        }
        self.paint_ticks(ui, inside, to);
        let middle = inside.bottom() - size::BAR_LINE / 2.0;
        if mixed {
            let ends = [pos2(from, middle), pos2(to.max(from + 3.0), middle)];
            paint::dashed(painter, &ends, Stroke::new(size::BAR_LINE, color), 3.0, 2.0);
            return;
        }
        let top = inside.bottom() - size::BAR_LINE;
        let line = Rect::from_min_max(pos2(from, top), pos2(to, inside.bottom()));
        painter.rect_filled(line, CornerRadius { sw: 3, ..CornerRadius::ZERO }, color);
        painter.rect_filled(handle_rect(inside, to, &[digits]), 0.0, color);
    }

    fn paint_ticks(&self, ui: &Ui, inside: Rect, value_x: f32) {
        let c = Theme::of(ui).color;
        let zero = (self.span.low < 0.0 && self.span.high > 0.0).then(|| self.span.fraction(0.0));
        for share in self.span.ticks().into_iter().chain(zero) {
            let x = inside.left() + inside.width() * share;
            if (x - value_x).abs() > 3.0 {
                let tick = Rect::from_min_max(pos2(x - 0.5, inside.bottom() - 5.0), pos2(x + 0.5, inside.bottom()));
                ui.painter().rect_filled(tick, 0.0, faded(c.text_3, alpha::FAINT));
            }
        }
    }

    fn paint_text(&self, ui: &Ui, inside: Rect, theme: &Theme) {
        let c = theme.color;
        let plain = self.has_effect && self.replacement_text.is_none();
        let color = match self.value {
            _ if !plain => c.text_3,
            value if value.is_mixed(self.format) => c.text_2,
            _ => c.text,
        };
        let raise = if plain { TEXT_RAISE } else { 0.0 };
        let at = pos2(inside.right() - TEXT_PADDING, inside.center().y - raise);
        let text = self.text();
        // The text of mixed values can be wider than the bar.
        let fits = |size: &TextSize| paint::text_width(ui, &text, *size) <= inside.width() - 2.0 * TEXT_PADDING;
        let size = [TextSize::Number, TextSize::Small].into_iter().find(fits).unwrap_or(TextSize::Tiny);
        if !plain {
            let width = paint::text_width(ui, &text, size);
            let left = (at.x - width - 5.0).max(inside.left());
            let patch = Rect::from_min_max(pos2(left, inside.top()), inside.max);
            ui.painter().rect_filled(patch, CornerRadius { ne: 3, se: 3, ..CornerRadius::ZERO }, c.field);
        }
        paint::text(ui.painter(), at, Align2::RIGHT_CENTER, &text, size, color);
    }

    /// Returns the strength of the flash after an external change, from 1 to 0.
    fn flash_strength(&self, ui: &Ui, theme: &Theme, memory: &mut BarMemory) -> f32 {
        let bits = match self.value {
            BarValue::One(v) => [v.to_bits(); 2],
            BarValue::Mixed { low, high } => [low.to_bits(), high.to_bits()],
        };
        let now = ui.input(|i| i.time);
        let before = memory.last_shown.replace((self.subject, bits));
        let changed = before.is_some_and(|(subject, old)| subject == self.subject && old != bits);
        if changed && !memory.changed_here && !theme.reduce_motion {
            memory.flash_start = Some(now);
        }
        let Some(from) = memory.flash_start else { return 0.0 };
        let left = 1.0 - (now - from) as f32 / theme.seconds(motion::VALUE_FLASH_MS);
        if left <= 0.0 {
            memory.flash_start = None;
            return 0.0;
        }
        ui.ctx().request_repaint();
        left * left * left
    }
}

/// Moves the position of a drag, which is a fraction of the bar, and returns the value. Shift makes the movement ten
/// times finer; Ctrl snaps the value.
fn dragged_value(ui: &Ui, span: Span, response: &Response, width: f32, fraction: &mut f32) -> f32 {
    let keys = ui.input(|i| i.modifiers);
    *fraction += if keys.shift { 0.1 } else { 1.0 } * response.drag_delta().x / width;
    let aim = span.value(*fraction);
    if keys.command { span.snapped(aim) } else { span.rounded(aim, keys.shift) }
}

/// Returns the changes at the end of a drag.
fn drag_end(ui: &Ui, response: &Response) -> impl Iterator<Item = BarChange> + use<> {
    let stopped = response.drag_stopped();
    // egui ends a drag on Esc. Other widgets must not receive this key press.
    let cancelled = stopped && ui.input_mut(|i| i.consume_key(Modifiers::NONE, Key::Escape));
    cancelled.then_some(BarChange::Cancelled).into_iter().chain(stopped.then_some(BarChange::Ended))
}

/// Returns the steps from the keyboard, and the value that a screen reader sets.
fn requested_steps(ui: &Ui, response: &Response, format: NumberFormat, now: f32) -> (f32, Option<f32>) {
    let (mut steps, mut set) = (0.0, None);
    if response.has_focus() {
        ui.ctx().memory_mut(|m| {
            let filter = egui::EventFilter { horizontal_arrows: true, ..Default::default() };
            m.set_focus_lock_filter(response.id, filter);
        });
        steps += ui.input(|i| i.num_presses(Key::ArrowRight) as f32 - i.num_presses(Key::ArrowLeft) as f32);
    }
    ui.input(|i| {
        steps += i.num_accesskit_action_requests(response.id, Action::Increment) as f32;
        steps -= i.num_accesskit_action_requests(response.id, Action::Decrement) as f32;
        for request in i.accesskit_action_requests(response.id, Action::SetValue) {
            match &request.data {
                Some(ActionData::NumericValue(value)) => set = Some(*value as f32),
                Some(ActionData::Value(text)) => set = format.parse(text, now),
                _ => {}
            }
        }
    });
    (steps, set)
}

/// Vertical offset of digits above the value line.
pub(super) const TEXT_RAISE: f32 = 1.5;
pub(super) const TEXT_PADDING: f32 = 5.0;

/// Returns the rectangle of `text` at one side of a field, with padding. The fill and the handle must not overlap this
/// rectangle.
pub(super) fn text_rect(ui: &Ui, inside: Rect, anchor: Align2, text: &str) -> Rect {
    let galley = ui.painter().layout_no_wrap(text.to_owned(), TextSize::Number.font(), Color32::PLACEHOLDER);
    let width = galley.size().x + 2.0 * TEXT_PADDING;
    let left = if anchor == Align2::LEFT_CENTER { inside.left() } else { inside.right() - width };
    Rect::from_min_max(pos2(left.max(inside.left()), inside.top()), pos2(left + width, inside.bottom()))
}

/// Returns the rectangle of the mark at the end of a value line, 3 × 6 points at the lower edge. Below digits, the mark
/// is no higher than the line.
pub(super) fn handle_rect(inside: Rect, x: f32, digits: &[Rect]) -> Rect {
    let [width, height] = size::BAR_HANDLE;
    let left = (x - width).max(inside.left());
    let nub = Rect::from_min_max(Pos2::new(left, inside.bottom() - height), pos2(left + width, inside.bottom()));
    let is_under = digits.iter().any(|digits| digits.x_range().intersects(nub.x_range()));
    if is_under { nub.with_min_y(inside.bottom() - size::BAR_LINE) } else { nub }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RangeEnd {
    Low,
    High,
}

#[derive(Clone, Copy, Debug)]
pub struct RangeBar<'a> {
    /// Name of the parameter. The names of the two ends contain this name.
    pub name: &'a str,
    pub low: f32,
    pub high: f32,
    pub span: Span,
    pub format: NumberFormat,
    pub role: theme::ColorRole,
    /// Whether the parameter has an effect. A bar without an effect is hatched.
    pub has_effect: bool,
}

#[derive(Debug)]
pub struct RangeOutput {
    pub response: Response,
    pub changes: Vec<(RangeEnd, BarChange)>,
}

impl RangeBar<'_> {
    /// Draws the bar, 22 points high.
    pub fn show(self, ui: &mut Ui, width: f32) -> RangeOutput {
        let (rect, _) = ui.allocate_exact_size(vec2(width, size::BAR), Sense::hover());
        self.show_in(ui, rect)
    }

    /// Draws the bar in an allocated rectangle.
    pub fn show_in(self, ui: &mut Ui, rect: Rect) -> RangeOutput {
        let id = ui.make_persistent_id(("range", self.name));
        let inside = rect.shrink(stroke::EDGE);
        let middle = inside.left() + inside.width() * self.middle_fraction();
        // Each end has a separate interactive half with a named slider. A press drags the end of the nearer half.
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
            let mut fraction: f32 = ui.data(|d| d.get_temp(id)).unwrap_or_default();
            let aim = self.clamped(end, dragged_value(ui, self.span, response, rect.width(), &mut fraction));
            if aim != self.value(end) {
                changes.push((end, BarChange::Set(aim)));
            }
            ui.data_mut(|d| d.insert_temp(id, fraction));
        }
        changes.extend(drag_end(ui, response).map(|change| (end, change)));
    }

    fn step_by_keys(&self, ui: &Ui, end: RangeEnd, response: &Response, changes: &mut Vec<(RangeEnd, BarChange)>) {
        let (steps, mut set) = requested_steps(ui, response, self.format, self.value(end));
        if steps != 0.0 {
            let fine = ui.input(|i| i.modifiers.shift);
            set = Some(self.span.stepped(self.value(end), steps, fine));
        }
        changes.extend(set.map(|value| (end, BarChange::Set(self.clamped(end, value)))));
    }

    fn end_name(&self, ui: &Ui, end: RangeEnd) -> String {
        let text = match end {
            RangeEnd::Low => message!("{name}, lower end", name = self.name),
            RangeEnd::High => message!("{name}, upper end", name = self.name),
        };
        Theme::of(ui).tr(text).into_owned()
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
            // Digits need a plain background, as in a parameter bar.
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
            let text = self.format.text(value);
            if !self.has_effect {
                let patch = vec2(paint::text_width(ui, &text, TextSize::Number) + 10.0, inside.height());
                let side = if anchor == Align2::LEFT_CENTER { inside.left() } else { inside.right() - patch.x };
                painter.rect_filled(Rect::from_min_size(pos2(side, inside.top()), patch), 3.0, c.field);
            }
            paint::text(painter, at, anchor, &text, TextSize::Number, color);
        }
        let touched = [low, high].iter().any(|r| r.hovered() || r.dragged());
        let edge = if touched { c.border_strong } else { c.border };
        painter.rect_stroke(rect, radius::FIELD, Stroke::new(stroke::EDGE, edge), StrokeKind::Inside);
        focus_ring(ui, low, rect, radius::FIELD);
        focus_ring(ui, high, rect, radius::FIELD);
    }
}
