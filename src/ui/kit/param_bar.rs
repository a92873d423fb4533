//! The parameter bar: a number that is dragged, typed or stepped.
//!
//! Drag anywhere; Shift is ten times finer, Ctrl snaps; click or Enter types; arrows step. The bar draws a value
//! and tells what the artist did to it; the caller keeps the value.

use super::number::{self, NumberFormat};
use super::paint::{self, faded};
use super::span::Span;
use crate::ui::kit::icons::focus_ring;
use crate::ui::kit::theme::{self, TextSize, Theme};
use crate::ui::kit::tokens::{alpha, motion, radius, size, stroke};
use egui::accesskit::{Action, ActionData};
use egui::{
    Align2, Color32, CornerRadius, CursorIcon, Key, Modifiers, Pos2, Rect, Response, Sense, Stroke, StrokeKind, Ui,
    WidgetInfo, pos2, vec2,
};

/// What a bar shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BarValue {
    /// One number.
    One(f32),
    /// Several numbers between two.
    Mixed {
        /// The least.
        low: f32,
        /// The greatest.
        high: f32,
    },
}

/// What the artist did, in order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BarChange {
    /// A drag began: what follows is one gesture until [`BarChange::Ended`].
    Started,
    /// All targets take this value.
    Set(f32),
    /// Each target is multiplied by this, counted from its present value.
    ScaleBy(f32),
    /// The drag counts for nothing; [`BarChange::Ended`] follows.
    Cancelled,
    /// The drag ended.
    Ended,
}

/// A bar to be shown.
#[derive(Clone, Copy, Debug)]
pub struct ParamBar<'a> {
    /// Accessible name: that of the parameter.
    pub name: &'a str,
    /// The number or numbers.
    pub value: BarValue,
    /// Left and right end.
    pub span: Span,
    /// How numbers are written.
    pub format: NumberFormat,
    /// Colour.
    pub role: theme::ColorRole,
    /// Whether the number does anything; without effect it can still be edited.
    pub has_effect: bool,
    /// Shown instead of the number, for example "fixed"; such a bar cannot be edited.
    pub replacement_text: Option<&'a str>,
    /// Whose value it is. A change of value under the same subject lights up; another subject does not.
    pub subject: u64,
}

/// What came of showing a bar.
#[derive(Debug)]
pub struct BarOutput {
    /// The slider.
    pub response: Response,
    /// What the artist did.
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
    /// Whether several numbers can be told apart as they are written.
    pub fn is_mixed(self, format: NumberFormat) -> bool {
        matches!(self, Self::Mixed { low, high } if !format.displays_equally(low, high))
    }
}

impl<'a> ParamBar<'a> {
    /// A bar for one number without a physical colour.
    pub fn new(name: &'a str, value: f32, span: Span) -> Self {
        let format = NumberFormat::for_unit(crate::params::Unit::None);
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

    /// Adds it, as wide as `width` and 22 high.
    pub fn show(self, ui: &mut Ui, width: f32) -> BarOutput {
        let (rect, _) = ui.allocate_exact_size(vec2(width, size::BAR), Sense::hover());
        self.show_in(ui, rect)
    }

    /// Draws it in a place that was allocated elsewhere.
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

    /// A number that was typed, whole where only such are meant.
    fn clamped(&self, value: f32) -> f32 {
        if self.span.integer { value.round() } else { value }
    }

    /// The number that typing and the keyboard start from.
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
            let keys = ui.input(|i| i.modifiers);
            let speed = if keys.shift { 0.1 } else { 1.0 };
            memory.drag_fraction += speed * response.drag_delta().x / response.rect.width();
            changes.extend(self.drag_change(memory, keys));
        }
        if response.drag_stopped() {
            // egui itself ends a drag on Esc; what lies behind the bar must not hear it too.
            if ui.input_mut(|i| i.consume_key(Modifiers::NONE, Key::Escape)) {
                changes.push(BarChange::Cancelled);
            }
            changes.push(BarChange::Ended);
        }
    }

    fn drag_change(&self, memory: &BarMemory, keys: Modifiers) -> Option<BarChange> {
        let aim = self.span.value(memory.drag_fraction);
        let aim = if keys.command { self.span.snapped(aim) } else { self.span.rounded(aim, keys.shift) };
        let from = self.single_value();
        match self.value {
            BarValue::One(_) => (aim != from).then_some(BarChange::Set(aim)),
            // A factor of 0 would make all values equal for good.
            BarValue::Mixed { .. } if from == 0.0 || aim / from < 1e-3 => None,
            BarValue::Mixed { .. } => (aim != from).then_some(BarChange::ScaleBy(aim / from)),
        }
    }

    fn step_by_keys(&self, ui: &Ui, response: &Response, changes: &mut Vec<BarChange>) {
        let mut steps = 0.0;
        if response.has_focus() {
            ui.ctx().memory_mut(|m| {
                let filter = egui::EventFilter { horizontal_arrows: true, ..Default::default() };
                m.set_focus_lock_filter(response.id, filter);
            });
            ui.input(|i| {
                steps += i.num_presses(Key::ArrowRight) as f32 - i.num_presses(Key::ArrowLeft) as f32;
            });
        }
        let mut set = None;
        ui.input(|i| {
            steps += i.num_accesskit_action_requests(response.id, Action::Increment) as f32;
            steps -= i.num_accesskit_action_requests(response.id, Action::Decrement) as f32;
            for request in i.accesskit_action_requests(response.id, Action::SetValue) {
                match &request.data {
                    Some(ActionData::NumericValue(value)) => set = Some(*value as f32),
                    Some(ActionData::Value(text)) => set = self.format.parse(text, self.single_value()),
                    _ => {}
                }
            }
        });
        changes.extend(set.map(|value| BarChange::Set(self.clamped(value))));
        if steps != 0.0 {
            let fine = ui.input(|i| i.modifiers.shift);
            let aim = self.span.stepped(self.single_value(), steps, fine);
            match self.value {
                BarValue::One(_) => changes.push(BarChange::Set(aim)),
                BarValue::Mixed { .. } if self.single_value() == 0.0 || aim / self.single_value() < 1e-3 => {}
                BarValue::Mixed { .. } => changes.push(BarChange::ScaleBy(aim / self.single_value())),
            }
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
        // Digits stand on the plain field: an edge of the fill among them would cut through one.
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
        let words = self.text();
        if !plain {
            let width = paint::text_width(ui, &words, TextSize::Number);
            let left = (at.x - width - 5.0).max(inside.left());
            let patch = Rect::from_min_max(pos2(left, inside.top()), inside.max);
            ui.painter().rect_filled(patch, CornerRadius { ne: 3, se: 3, ..CornerRadius::ZERO }, c.field);
        }
        paint::text(ui.painter(), at, Align2::RIGHT_CENTER, &words, TextSize::Number, color);
    }

    /// How strongly a change from elsewhere still shows, 1..=0.
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

/// Above the value line digits are centred by so much less than the field.
pub(super) const TEXT_RAISE: f32 = 1.5;
/// From digits to the side edge of the field.
pub(super) const TEXT_PADDING: f32 = 5.0;

/// What `words` take of a field at its left or right side, with room around them: neither fill nor nub goes there.
pub(super) fn text_rect(ui: &Ui, inside: Rect, anchor: Align2, words: &str) -> Rect {
    let galley = ui.painter().layout_no_wrap(words.to_owned(), TextSize::Number.font(), Color32::PLACEHOLDER);
    let width = galley.size().x + 2.0 * TEXT_PADDING;
    let left = if anchor == Align2::LEFT_CENTER { inside.left() } else { inside.right() - width };
    Rect::from_min_max(pos2(left.max(inside.left()), inside.top()), pos2(left + width, inside.bottom()))
}

/// The end of a value line: 3 wide, 6 high, standing on the lower edge; no higher than the line under digits.
pub(super) fn handle_rect(inside: Rect, x: f32, digits: &[Rect]) -> Rect {
    let [width, height] = size::BAR_HANDLE;
    let left = (x - width).max(inside.left());
    let nub = Rect::from_min_max(Pos2::new(left, inside.bottom() - height), pos2(left + width, inside.bottom()));
    let is_under = digits.iter().any(|digits| digits.x_range().intersects(nub.x_range()));
    if is_under { nub.with_min_y(inside.bottom() - size::BAR_LINE) } else { nub }
}
