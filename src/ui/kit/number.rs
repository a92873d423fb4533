//! Formats and parses numbers, and maps numbers to positions on a linear or logarithmic bar.
//!
//! Small lengths are shown in millimetres. The displayed minus is U+2212. Typed text may contain either minus, a
//! decimal comma, and full-width digits.

use super::paint;
use crate::ui::kit::first_field;
use crate::ui::kit::icons::focus_ring;
use crate::ui::kit::theme::{TextSize, Theme};
use crate::ui::kit::tokens::{radius, size, space, stroke};
use egui::emath::Numeric;
use egui::text::{CCursor, CCursorRange, CharIndex};
use egui::text_edit::TextEditState;
use egui::{
    Align, Align2, CursorIcon, Event, Id, Key, Rect, Response, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, vec2,
};
use yuremono_sim::params::{ParamDef, ParamKind, SliderScale, Unit};

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NumberFormat {
    pub unit: Unit,
    /// Suffix including its space, for example `" Hz"`. The suffix replaces the suffix of the unit.
    pub suffix: Option<&'static str>,
    /// Number of decimals. `None` shows about three significant digits.
    pub decimals: Option<usize>,
}

impl NumberFormat {
    pub const fn for_unit(unit: Unit) -> Self {
        Self { unit, suffix: None, decimals: None }
    }

    /// Returns the format of a parameter's values.
    pub fn for_param(def: &ParamDef) -> Self {
        let format = Self::for_unit(def.unit);
        if def.kind == ParamKind::Integer { format.decimals(0) } else { format }
    }

    pub const fn with_suffix(suffix: &'static str, decimals: usize) -> Self {
        Self { unit: Unit::None, suffix: Some(suffix), decimals: Some(decimals) }
    }

    #[must_use]
    pub const fn decimals(self, decimals: usize) -> Self {
        Self { decimals: Some(decimals), ..self }
    }

    /// Returns the factor from the stored to the displayed value, and the suffix.
    fn display_unit(self, value: f32) -> (f32, &'static str) {
        match (self.suffix, self.unit) {
            (Some(suffix), _) => (1.0, suffix),
            (None, Unit::Metres) if value.abs() < 1.0 => (1000.0, " mm"),
            (None, Unit::Metres) => (1.0, " m"),
            (None, Unit::Degrees) => (1.0, "°"),
            (None, _) => (1.0, ""),
        }
    }

    pub fn text(self, value: f32) -> String {
        let (factor, suffix) = self.display_unit(value);
        format!("{}{suffix}", self.digits(value * factor))
    }

    /// Formats a range of values, for example `0.6 … 1.0`.
    pub fn range_text(self, low: f32, high: f32) -> String {
        let (factor, suffix) = self.display_unit(high);
        let ends = [low * factor, high * factor];
        // Uses one digit less if both ends keep their value, because each text has only half the width.
        let short = |x: f32| x.abs() < 10.0 && (x * 10.0 - (x * 10.0).round()).abs() < 1e-3;
        let format = if self.decimals.is_none() && self.unit != Unit::Degrees && ends.into_iter().all(short) {
            self.decimals(1)
        } else {
            self
        };
        if self.displays_equally(low, high) {
            return self.text(high);
        }
        let [low, high] = ends.map(|x| format.digits(x));
        if low == high { format!("{low}{suffix}") } else { format!("{low} … {high}{suffix}") }
    }

    /// Returns whether two values have the same displayed text.
    pub fn displays_equally(self, low: f32, high: f32) -> bool {
        let (factor, _) = self.display_unit(high);
        // Compares the texts as numbers, because "30" and "30.0" are equal.
        let read = |x: f32| self.digits(x * factor).replace('−', "-").parse::<f64>().ok();
        read(low) == read(high)
    }

    /// Formats all digits without the unit, for editing.
    pub fn editable(self, value: f32) -> String {
        let (factor, _) = self.display_unit(value);
        // An f32 has six exact digits. More digits would show rounding errors.
        let rounded = format!("{:.6e}", value * factor).parse::<f64>().unwrap_or(0.0);
        format!("{rounded}")
    }

    fn digits(self, shown: f32) -> String {
        let size = shown.abs();
        let whole = (shown - shown.round()).abs() < 1e-4;
        let decimals = self.decimals.unwrap_or(match self.unit {
            Unit::Degrees | Unit::Metres | Unit::PerSecond if whole => 0,
            Unit::Degrees | Unit::Metres | Unit::PerSecond => 1,
            _ if size >= 100.0 => 0,
            _ if size >= 10.0 => 1,
            _ if size >= 0.1 || shown == 0.0 => 2,
            _ if size >= 0.01 => 3,
            _ => 4,
        });
        // Files may contain huge values, with more digits than the field can show.
        let text = if size >= 1e7 { format!("{shown:.2e}") } else { format!("{shown:.decimals$}") };
        let is_zero = text.trim_start_matches('-').chars().all(|c| c == '0' || c == '.');
        match text.strip_prefix('-') {
            Some(positive) if is_zero => positive.to_owned(),
            Some(positive) => format!("−{positive}"),
            None => text,
        }
    }

    /// Parses typed text into the stored value. A number without a unit has the unit of `shown`. Returns `None` if the
    /// text is not a finite number.
    pub fn parse(self, typed: &str, shown: f32) -> Option<f32> {
        let plain: String = typed.trim().chars().map(to_half_width).collect();
        let (mut factor, suffix) = self.display_unit(shown);
        let mut number = plain.trim();
        let others: &[(&str, f32)] = if self.unit == Unit::Metres && self.suffix.is_none() {
            &[("mm", 1000.0), ("cm", 100.0), ("m", 1.0)]
        } else {
            &[]
        };
        if let Some((rest, other)) = others.iter().find_map(|(u, f)| number.strip_suffix(u).map(|rest| (rest, *f))) {
            (number, factor) = (rest, other);
        } else if let Some(rest) = number.strip_suffix(suffix.trim()) {
            number = rest;
        }
        let number = number.trim();
        let number = if number.contains('.') { number.replace(',', "") } else { number.replace(',', ".") };
        let value: f32 = number.parse::<f64>().ok()? as f32 / factor;
        value.is_finite().then_some(value)
    }
}

/// Formats a number for a sentence, with at most two decimals and no trailing zeros.
pub fn short_number(value: f32) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn to_half_width(c: char) -> char {
    match c {
        '−' | '－' | 'ー' | '–' => '-',
        '．' | '。' => '.',
        '，' | '、' => ',',
        '\u{FF01}'..='\u{FF5E}' => char::from_u32(c as u32 - 0xFEE0).unwrap_or(c),
        '\u{3000}' => ' ',
        _ => c,
    }
}

#[derive(Clone, Debug, Default)]
struct NumberEdit {
    text: String,
    initial_text: String,
    /// What was typed in the frame that opened the field.
    early: EarlyInput,
    frames: u8,
}

/// Input after the click or key that opened a field, in the same frame. A slow frame contains both.
#[derive(Clone, Debug, Default)]
struct EarlyInput {
    text: String,
    enter: bool,
}

/// Whether an event presses Enter. A key that is held down repeats, and does not count again.
fn is_enter(event: &Event) -> bool {
    matches!(event, Event::Key { key: Key::Enter, pressed: true, repeat: false, .. })
}

impl EarlyInput {
    fn read(ui: &Ui) -> Self {
        let opens = |event: &Event| is_enter(event) || matches!(event, Event::PointerButton { pressed: false, .. });
        ui.input(|i| {
            let first = i.events.iter().position(opens).map_or(i.events.len(), |at| at + 1);
            let later = &i.events[first..];
            let text =
                later.iter().filter_map(|event| if let Event::Text(text) = event { Some(&**text) } else { None });
            Self { text: text.collect(), enter: later.iter().any(is_enter) }
        })
    }
}

pub fn is_typing(ui: &Ui, id: Id) -> bool {
    ui.data(|d| d.get_temp::<NumberEdit>(id)).is_some()
}

/// Opens the text field of widget `id` with the whole text selected.
pub fn start_typing(ui: &Ui, id: Id, format: NumberFormat, value: f32) {
    let text = format.editable(value);
    ui.data_mut(|d| d.insert_temp(id, NumberEdit { initial_text: text.clone(), text, ..NumberEdit::default() }));
    ui.ctx().request_repaint();
}

/// Draws the text field while the artist types. Returns the number if the artist enters a different number. Enter or
/// loss of focus enters the number; Esc cancels.
pub fn number_edit(ui: &mut Ui, rect: Rect, id: Id, name: &str, format: NumberFormat, shown: f32) -> Option<f32> {
    let mut typed: NumberEdit = ui.data(|d| d.get_temp(id))?;
    typed.frames = typed.frames.saturating_add(1);
    if typed.frames == 1 {
        // The key or click that opened the field must not reach the field, because Enter would close the field
        // immediately.
        typed.early = EarlyInput::read(ui);
        if !typed.early.text.is_empty() {
            typed.text.clone_from(&typed.early.text);
        }
        ui.data_mut(|d| d.insert_temp(id, typed));
        return None;
    }
    let fresh = typed.frames == 2;
    let c = Theme::of(ui).color;
    let edit_id = field_id(id);
    if fresh {
        ui.memory_mut(|m| m.request_focus(edit_id));
        let end = CCursor::new(CharIndex(typed.text.chars().count()));
        let start = if typed.early.text.is_empty() { CCursor::new(CharIndex(0)) } else { end };
        let mut state = TextEditState::load(ui.ctx(), edit_id).unwrap_or_default();
        state.cursor.set_char_range(Some(CCursorRange::two(start, end)));
        state.store(ui.ctx(), edit_id);
    }
    ui.painter().rect(rect, radius::FIELD, c.field, Stroke::new(stroke::EDGE, c.accent), StrokeKind::Inside);
    let edit = egui::TextEdit::singleline(&mut typed.text)
        .id(edit_id)
        .frame(egui::Frame::NONE)
        .font(TextSize::Number.font())
        .align(Align2([Align::RIGHT, Align::Center]))
        .margin(vec2(6.0, 2.0))
        .desired_width(rect.width());
    let response = ui.put(rect, edit).accessible_name(name);
    let (enter, escape) = ui.input(|i| (i.events.iter().any(is_enter), i.key_pressed(Key::Escape)));
    let enter = enter || typed.early.enter;
    // egui does not report that a field lost the focus in the frame in which it got the focus.
    let is_left = response.lost_focus() || enter || escape;
    if !is_left && (fresh || response.has_focus()) {
        ui.data_mut(|d| d.insert_temp(id, typed));
        return None;
    }
    ui.data_mut(|d| d.remove_temp::<NumberEdit>(id));
    if enter || escape {
        ui.memory_mut(|m| m.request_focus(id));
    }
    let entered = !escape && typed.text != typed.initial_text;
    entered.then(|| format.parse(&typed.text, shown)).flatten()
}

fn field_id(id: Id) -> Id {
    id.with("typed")
}

/// Draws an editable number. A click or Enter starts typing. Returns the entered value. `accent` colours the outline of
/// a field that belongs to a selected object.
pub fn number_field(
    ui: &mut Ui,
    name: &str,
    value: Option<f32>,
    format: NumberFormat,
    width: f32,
    accent: Option<egui::Color32>,
) -> (Response, Option<f32>) {
    let (rect, _) = ui.allocate_exact_size(vec2(width, size::BAR), Sense::hover());
    let id = ui.make_persistent_id(("number", name));
    let c = Theme::of(ui).color;
    let sense = if value.is_some() { Sense::click() } else { Sense::hover() };
    let response = ui.interact(rect, id, sense).on_hover_cursor(CursorIcon::Text);
    let text = value.map_or_else(|| "–".to_owned(), |v| format.text(v));
    response.widget_info(|| WidgetInfo {
        value: value.map(f64::from),
        current_text_value: Some(text.clone()),
        ..WidgetInfo::labeled(Role::SpinButton, value.is_some(), name)
    });
    let edge = accent.unwrap_or(if response.hovered() { c.border_strong } else { c.border });
    ui.painter().rect(rect, radius::FIELD, c.field, Stroke::new(stroke::EDGE, edge), StrokeKind::Inside);
    let color = if value.is_some() { c.text } else { c.text_3 };
    paint::text(
        ui.painter(),
        rect.left_center() + vec2(space::M, 0.0),
        Align2::LEFT_CENTER,
        &text,
        TextSize::Number,
        color,
    );
    focus_ring(ui, &response, rect, radius::FIELD);
    let Some(value) = value else { return (response, None) };
    if (first_field::take(ui) || response.clicked()) && !is_typing(ui, id) {
        start_typing(ui, id, format, value);
    }
    let entered = number_edit(ui, rect, id, name, format, value);
    (response, entered)
}

/// The format and the range of a number in a dialog.
#[derive(Clone, Copy, Debug)]
pub struct NumberInput {
    format: NumberFormat,
    range: [f32; 2],
}

impl NumberInput {
    pub const fn new(format: NumberFormat, range: [f32; 2]) -> Self {
        Self { format, range }
    }

    /// Draws the number. Marks the response as changed if the artist enters a number, which is clamped to the range.
    pub fn show<T: Numeric>(self, ui: &mut Ui, name: &str, value: &mut T) -> Response {
        let shown = value.to_f64() as f32;
        let (mut response, entered) = number_field(ui, name, Some(shown), self.format, size::NUMBER_FIELD, None);
        if let Some(entered) = entered {
            *value = T::from_f64(f64::from(entered.clamp(self.range[0], self.range[1])));
            response.mark_changed();
        }
        response
    }
}

/// Share of a logarithmic bar that maps linearly to values near 0.
const LINEAR_START: f32 = 0.04;
/// Lowest value of a logarithmic span that starts at 0, as a share of the maximum.
const LINEAR_RANGE_RATIO: f32 = 1e-4;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    pub low: f32,
    pub high: f32,
    pub scale: SliderScale,
    pub integer: bool,
}

impl Span {
    pub const fn linear(low: f32, high: f32) -> Self {
        Self { low, high, scale: SliderScale::Linear, integer: false }
    }

    /// Creates a logarithmic span. The left end of the bar represents 0, even if `low` is greater.
    pub const fn logarithmic(low: f32, high: f32) -> Self {
        Self { low, high, scale: SliderScale::Logarithmic, integer: false }
    }

    pub const fn for_param(def: &ParamDef) -> Self {
        Self {
            low: def.soft_range.0,
            high: def.soft_range.1,
            scale: def.scale,
            integer: matches!(def.kind, ParamKind::Integer),
        }
    }

    /// Returns the span from 0 to 100, for values that are displayed as percent.
    #[must_use]
    pub const fn in_percent(self, percent: bool) -> Self {
        if percent { Self { low: 0.0, high: 100.0, integer: false, ..self } } else { self }
    }

    /// Returns the start of the logarithmic part. Returns `None` for linear spans, and for spans without a valid
    /// logarithm.
    fn logarithmic_start(self) -> Option<f32> {
        let sensible = self.scale == SliderScale::Logarithmic && self.low >= 0.0 && self.high > self.low;
        sensible.then_some(if self.low > 0.0 { self.low } else { self.high * LINEAR_RANGE_RATIO })
    }

    /// Returns the position of a value, from 0 (left) to 1 (right). Clamps values outside the span.
    pub fn fraction(self, value: f32) -> f32 {
        let share = match self.logarithmic_start() {
            Some(first) if value <= first => LINEAR_START * value / first,
            Some(first) => {
                LINEAR_START + (1.0 - LINEAR_START) * libm::logf(value / first) / libm::logf(self.high / first)
            }
            None if self.high == self.low => 0.0,
            None => (value - self.low) / (self.high - self.low),
        };
        if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) }
    }

    /// Returns the value at a position, 0..=1.
    pub fn value(self, share: f32) -> f32 {
        let share = share.clamp(0.0, 1.0);
        match self.logarithmic_start() {
            Some(first) if share <= LINEAR_START => first * share / LINEAR_START,
            Some(first) => {
                let along = (share - LINEAR_START) / (1.0 - LINEAR_START);
                first * libm::powf(self.high / first, along)
            }
            None => self.low + (self.high - self.low) * share,
        }
    }

    /// Returns the positions of the powers of ten on a logarithmic span.
    pub fn ticks(self) -> Vec<f32> {
        let Some(first) = self.logarithmic_start() else { return Vec::new() };
        let (from, to) = (libm::log10f(first).ceil() as i32, libm::log10f(self.high).floor() as i32);
        let inside = |share: &f32| (0.02..0.98).contains(share);
        (from..=to).map(|power| self.fraction(10_f32.powi(power))).filter(inside).collect()
    }

    /// Rounds a value to the resolution of the bar. `fine` keeps one more digit.
    pub fn rounded(self, value: f32, fine: bool) -> f32 {
        if self.integer {
            return value.round();
        }
        let digits = if fine { 4 } else { 3 };
        if self.logarithmic_start().is_some() {
            return round_to_digits(value, digits);
        }
        let step =
            10_f64.powi(libm::log10(f64::from(self.high - self.low).abs().max(1e-12)).floor() as i32 + 1 - digits);
        ((f64::from(value) / step).round() * step) as f32
    }

    /// Returns the nearest round value: one digit on a logarithmic span, about twenty steps on a linear span.
    pub fn snapped(self, value: f32) -> f32 {
        if self.integer {
            return value.round();
        }
        if self.logarithmic_start().is_some() {
            return round_to_digits(value, 1);
        }
        let step = nice_step((self.high - self.low) / 20.0);
        ((f64::from(value) / step).round() * step) as f32
    }

    /// Like [`Span::stepped`], but for integers. Each step is at least one.
    fn stepped_integer(self, value: f32, steps: f32, part: f32) -> f32 {
        let far = if self.logarithmic_start().is_some() {
            self.value(self.fraction(value) + steps * part) - value
        } else {
            steps * nice_step((self.high - self.low) * part) as f32
        };
        let far = if far.abs() < steps.abs() { steps } else { far };
        (value + far).round().clamp(self.low.min(value).round(), self.high.max(value).round())
    }

    /// Returns the value after a number of steps. One step is 1/100 of the bar; `fine` steps are 1/1000. Integers
    /// change by at least 1.
    pub fn stepped(self, value: f32, steps: f32, fine: bool) -> f32 {
        let part = if fine { 0.001 } else { 0.01 };
        if self.integer {
            return self.stepped_integer(value, steps, part);
        }
        if self.logarithmic_start().is_some() {
            let next = self.rounded(self.value(self.fraction(value) + steps * part), fine);
            // Rounding must not undo the step.
            return if next == value { self.value(self.fraction(value) + steps * part) } else { next };
        }
        let step = nice_step((self.high - self.low) * part);
        self.rounded((value + steps * step as f32).clamp(self.low.min(value), self.high.max(value)), true)
    }
}

/// Returns 1, 2 or 5 times a power of ten, near `width`.
fn nice_step(width: f32) -> f64 {
    let width = f64::from(width.abs().max(1e-9));
    let power = 10_f64.powi(libm::log10(width).floor() as i32);
    let lead = width / power;
    let nice = if lead < 1.5 {
        1.0
    } else if lead < 3.5 {
        2.0
    } else if lead < 7.5 {
        5.0
    } else {
        10.0
    };
    nice * power
}

fn round_to_digits(value: f32, digits: i32) -> f32 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let value = f64::from(value);
    let unit = 10_f64.powi(libm::log10(value.abs()).floor() as i32 + 1 - digits);
    ((value / unit).round() * unit) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::kit::param_bar::BarValue;

    #[track_caller]
    fn check(format: NumberFormat, value: f32, expected: &str) {
        assert_eq!(format.text(value), expected);
    }

    /// A field in a window with as few frames as a slow machine draws.
    struct SlowWindow {
        ctx: egui::Context,
        value: f32,
        field: Option<Response>,
    }

    impl SlowWindow {
        fn new() -> Self {
            let ctx = egui::Context::default();
            crate::ui::kit::fonts::install(&ctx);
            let mut window = Self { ctx, value: 0.5, field: None };
            window.draw(Vec::new());
            window
        }

        fn draw(&mut self, events: Vec<Event>) {
            let screen = Rect::from_min_size(egui::Pos2::ZERO, vec2(200.0, 100.0));
            let input = egui::RawInput { screen_rect: Some(screen), events, ..egui::RawInput::default() };
            let (ctx, mut entered) = (self.ctx.clone(), None);
            ctx.run_ui(input, |ui| {
                let format = NumberFormat::for_unit(Unit::None);
                let (response, number) = number_field(ui, "Drag", Some(self.value), format, 80.0, None);
                self.field = Some(response);
                entered = number;
            })
            .textures_delta
            .clear();
            self.value = entered.unwrap_or(self.value);
        }

        fn field(&self) -> &Response {
            self.field.as_ref().expect("the field was drawn")
        }

        fn click(&self) -> Vec<Event> {
            let pos = self.field().rect.center();
            let button = |pressed| {
                let button = egui::PointerButton::Primary;
                Event::PointerButton { pos, button, pressed, modifiers: egui::Modifiers::NONE }
            };
            vec![Event::PointerMoved(pos), button(true), button(false)]
        }
    }

    fn typing(text: &str) -> Vec<Event> {
        text.chars().map(|c| Event::Text(c.to_string())).collect()
    }

    fn enter() -> Vec<Event> {
        let key = |pressed| {
            let (key, modifiers) = (Key::Enter, egui::Modifiers::NONE);
            Event::Key { key, physical_key: None, pressed, repeat: false, modifiers }
        };
        vec![key(true), key(false)]
    }

    /// Draws a frame for each list of events, and checks that the number is entered and the field has the focus.
    #[track_caller]
    fn check_slow_typing(frames: impl FnOnce(&SlowWindow) -> Vec<Vec<Event>>) {
        let mut window = SlowWindow::new();
        for events in frames(&window) {
            window.draw(events);
        }
        window.draw(Vec::new());
        window.draw(Vec::new());
        assert_eq!(window.value, -0.25);
        assert!(window.field().has_focus(), "arrow keys change the number");
    }

    #[test]
    fn a_number_typed_within_one_frame_is_entered() {
        check_slow_typing(|window| vec![window.click(), [typing("-0.25"), enter()].concat()]);
    }

    #[test]
    fn a_number_typed_in_the_frame_of_the_click_is_entered() {
        check_slow_typing(|window| vec![[window.click(), typing("-0.25"), enter()].concat()]);
        check_slow_typing(|window| vec![[window.click(), typing("-0.")].concat(), [typing("25"), enter()].concat()]);
        check_slow_typing(|window| vec![[window.click(), typing("-")].concat(), typing("0.25"), enter()]);
    }

    #[test]
    fn numbers_have_about_three_significant_digits() {
        let bare = NumberFormat::for_unit(Unit::None);
        check(bare, 623.0, "623");
        check(bare, -12.0, "−12.0");
        check(bare, 0.22, "0.22");
        check(bare, 0.0, "0.00");
        check(bare, -0.0, "0.00");
        check(bare, 0.004, "0.0040");
        check(NumberFormat::with_suffix(" Hz", 1), 3.0, "3.0 Hz");
    }

    #[test]
    fn numbers_are_written_in_display_units() {
        check(NumberFormat::for_unit(Unit::Metres), 0.03, "30 mm");
        check(NumberFormat::for_unit(Unit::Metres), 0.0305, "30.5 mm");
        check(NumberFormat::for_unit(Unit::Metres), 2.0, "2 m");
        check(NumberFormat::for_unit(Unit::Degrees), -50.0, "−50°");
        check(NumberFormat::for_unit(Unit::PerSecond), 60.0, "60");
        assert_eq!(NumberFormat::for_unit(Unit::Degrees).range_text(30.0, 70.0), "30 … 70°");
        assert_eq!(NumberFormat::for_unit(Unit::None).range_text(0.6, 1.0), "0.6 … 1.0");
        assert_eq!(NumberFormat::for_unit(Unit::None).range_text(0.62, 1.0), "0.62 … 1.00");
        assert_eq!(NumberFormat::for_unit(Unit::None).range_text(0.4301, 0.4302), "0.43");
        assert_eq!(NumberFormat::for_unit(Unit::Metres).range_text(0.03, 0.03002), "30.0 mm");
    }

    #[test]
    fn values_are_mixed_only_if_their_shown_digits_differ() {
        let mixed = |low, high, format| BarValue::Mixed { low, high }.is_mixed(format);
        let bare = NumberFormat::for_unit(Unit::None);
        for (low, high, expected) in
            [(0.4301, 0.4302, false), (0.43, 0.44, true), (999.0, 1000.0, true), (0.6, 0.6, false)]
        {
            assert_eq!(mixed(low, high, bare), expected, "{low} {high}");
            // Different values have different texts.
            assert_eq!(bare.range_text(low, high).contains('…'), expected, "{low} {high}");
        }
        assert!(
            !mixed(0.0301, 0.030_104, NumberFormat::for_unit(Unit::Metres))
                && mixed(0.0301, 0.0302, NumberFormat::for_unit(Unit::Metres))
        );
        assert!(!BarValue::One(1.0).is_mixed(bare));
    }

    #[test]
    fn typed_numbers_accept_units_commas_and_wide_digits() {
        let bare = NumberFormat::for_unit(Unit::None);
        assert_eq!(bare.parse(" 12.5 ", 1.0), Some(12.5));
        assert_eq!(bare.parse("−3", 1.0), Some(-3.0));
        assert_eq!(bare.parse("１２．５", 1.0), Some(12.5));
        assert_eq!(bare.parse("0,4", 1.0), Some(0.4));
        assert_eq!(bare.parse("o.5", 1.0), None);
        assert_eq!(bare.parse("inf", 1.0), None);
        assert_eq!(bare.parse("", 1.0), None);
        let metres = NumberFormat::for_unit(Unit::Metres);
        assert_eq!(metres.parse("30", 0.02), Some(0.03));
        assert_eq!(metres.parse("3 cm", 0.02), Some(0.03));
        assert_eq!(metres.parse("0.5 m", 0.02), Some(0.5));
        assert_eq!(NumberFormat::with_suffix(" Hz", 1).parse("2.5 Hz", 1.0), Some(2.5));
        assert_eq!(NumberFormat::for_unit(Unit::Degrees).parse("45°", 1.0), Some(45.0));
    }

    #[test]
    fn editable_text_parses_back_to_the_same_number() {
        for unit in [Unit::None, Unit::Metres, Unit::Degrees] {
            for value in [0.0, 0.03, 0.1, -12.0, 623.0, 1.5e-5, 123_456.0] {
                let format = NumberFormat::for_unit(unit);
                let back = format.parse(&format.editable(value), value).unwrap();
                assert!((back - value).abs() <= value.abs() * 1e-6, "{value} became {back}");
            }
        }
    }

    #[test]
    fn fraction_and_value_are_inverse() {
        for span in [Span::linear(-50.0, 50.0), Span::logarithmic(1.0, 5000.0), Span::logarithmic(0.0, 1.0)] {
            for i in 0..=100_u8 {
                let share = f32::from(i) / 100.0;
                assert!((span.fraction(span.value(share)) - share).abs() < 1e-4, "{span:?} at {share}");
            }
        }
    }

    #[test]
    fn a_logarithmic_span_reaches_zero() {
        let span = Span::logarithmic(1.0, 1000.0);
        assert_eq!(span.value(0.0), 0.0);
        assert_eq!(span.fraction(0.0), 0.0);
        assert!((span.value(0.04) - 1.0).abs() < 1e-6);
        assert!((span.value(1.0) - 1000.0).abs() < 1e-2);
        assert_eq!(span.ticks().len(), 3);
    }

    #[test]
    fn values_outside_the_span_are_clamped() {
        let span = Span::linear(0.0, 1.0);
        assert_eq!(span.fraction(7.0), 1.0);
        assert_eq!(span.fraction(-7.0), 0.0);
        assert_eq!(span.fraction(f32::NAN), 0.0);
        assert_eq!(Span::linear(1.0, 1.0).fraction(1.0), 0.0);
    }

    #[test]
    fn snapping_gives_round_values() {
        assert_eq!(Span::linear(0.0, 1.0).snapped(0.234), 0.25);
        assert_eq!(Span::logarithmic(1.0, 5000.0).snapped(623.0), 600.0);
        assert_eq!(Span::linear(-50.0, 50.0).snapped(-12.3), -10.0);
    }

    #[test]
    fn integer_spans_step_by_integers() {
        let whole = |span: Span| Span { integer: true, ..span };
        for span in [Span::linear(0.0, 6.0), Span::linear(1.0, 500.0), Span::logarithmic(1.0, 10_000.0)].map(whole) {
            for fine in [false, true] {
                let (mut value, mut met) = (span.low, 0);
                while value < span.high {
                    let next = span.stepped(value, 1.0, fine);
                    assert!(next >= value + 1.0 && next.fract() == 0.0, "{span:?} {fine}: {next} after {value}");
                    (value, met) = (next, met + 1);
                    assert!(met <= 10_000, "{span:?}");
                }
                assert_eq!(span.stepped(span.high, 1.0, fine), span.high);
                assert!(span.stepped(span.high, -1.0, fine) <= span.high - 1.0);
            }
            let dragged = span.rounded(span.value(0.37), true);
            assert_eq!((dragged.fract(), span.snapped(span.value(0.37)).fract()), (0.0, 0.0));
        }
        assert_eq!(whole(Span::linear(0.0, 6.0)).stepped(2.0, 1.0, false), 3.0);
        assert_eq!(whole(Span::linear(0.0, 6.0)).stepped(2.0, -1.0, true), 1.0);
    }

    #[test]
    fn a_step_always_changes_the_value() {
        let spans = [Span::linear(0.0, 1.0), Span::logarithmic(1.0, 5000.0), Span::linear(-50.0, 50.0)];
        for span in spans {
            for fine in [false, true] {
                let middle = span.rounded(span.value(0.5), false);
                assert!(span.stepped(middle, 1.0, fine) > middle, "{span:?} {fine}");
                assert!(span.stepped(middle, -1.0, fine) < middle, "{span:?} {fine}");
            }
        }
    }
}
