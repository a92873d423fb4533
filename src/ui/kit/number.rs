//! Numbers as the artist reads and types them.
//!
//! Metres are shown as millimetres where small. The minus sign is the true one; what is typed may use either,
//! a comma as the point, and the wide digits of a Japanese keyboard.

use super::paint;
use crate::params::Unit;
use crate::ui::kit::icons::focus_ring;
use crate::ui::kit::theme::{TextSize, Theme};
use crate::ui::kit::tokens::{radius, size, space, stroke};
use egui::text::{CCursor, CCursorRange, CharIndex};
use egui::text_edit::TextEditState;
use egui::{Align, Align2, CursorIcon, Id, Key, Rect, Response, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, vec2};

/// How a number is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NumberFormat {
    /// What it measures.
    pub unit: Unit,
    /// Written behind it, with its space, for example `" Hz"`; replaces that of the unit.
    pub suffix: Option<&'static str>,
    /// Digits behind the point; `None` for about three digits in all.
    pub decimals: Option<usize>,
}

impl NumberFormat {
    /// The usual way for a unit.
    pub const fn for_unit(unit: Unit) -> Self {
        Self { unit, suffix: None, decimals: None }
    }

    /// A bare number with a unit of its own.
    pub const fn with_suffix(suffix: &'static str, decimals: usize) -> Self {
        Self { unit: Unit::None, suffix: Some(suffix), decimals: Some(decimals) }
    }

    /// With so many digits behind the point.
    #[must_use]
    pub const fn decimals(self, decimals: usize) -> Self {
        Self { decimals: Some(decimals), ..self }
    }

    /// Factor from the stored number to the shown one, and the text behind it.
    fn display_unit(self, value: f32) -> (f32, &'static str) {
        match (self.suffix, self.unit) {
            (Some(suffix), _) => (1.0, suffix),
            (None, Unit::Metres) if value.abs() < 1.0 => (1000.0, " mm"),
            (None, Unit::Metres) => (1.0, " m"),
            (None, Unit::Degrees) => (1.0, "°"),
            (None, _) => (1.0, ""),
        }
    }

    /// The number with its unit.
    pub fn text(self, value: f32) -> String {
        let (factor, suffix) = self.display_unit(value);
        format!("{}{suffix}", self.digits(value * factor))
    }

    /// Both ends of several values, `0.6 … 1.0`.
    pub fn range_text(self, low: f32, high: f32) -> String {
        let (factor, suffix) = self.display_unit(high);
        let ends = [low * factor, high * factor];
        // One digit less where both ends can do without it: the text has half the room.
        let short = |x: f32| x.abs() < 10.0 && (x * 10.0 - (x * 10.0).round()).abs() < 1e-3;
        let format = if self.decimals.is_none() && self.unit != Unit::Degrees && ends.into_iter().all(short) {
            self.decimals(1)
        } else {
            self
        };
        // What reads the same is one number to whoever reads it.
        if self.displays_equally(low, high) {
            return self.text(high);
        }
        let [low, high] = ends.map(|x| format.digits(x));
        if low == high { format!("{low}{suffix}") } else { format!("{low} … {high}{suffix}") }
    }

    /// Whether two numbers read the same, so that their difference is below what the digits show.
    pub fn displays_equally(self, low: f32, high: f32) -> bool {
        let (factor, _) = self.display_unit(high);
        // As numbers: "30" and "30.0" say the same.
        let read = |x: f32| self.digits(x * factor).replace('−', "-").parse::<f64>().ok();
        read(low) == read(high)
    }

    /// The number alone with all its digits, to be edited.
    pub fn editable(self, value: f32) -> String {
        let (factor, _) = self.display_unit(value);
        // Six digits are those an f32 keeps; more would show its rounding.
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
        // Nobody tunes with such numbers, but files have them: all their digits would run over everything.
        let text = if size >= 1e7 { format!("{shown:.2e}") } else { format!("{shown:.decimals$}") };
        let is_zero = text.trim_start_matches('-').chars().all(|c| c == '0' || c == '.');
        match text.strip_prefix('-') {
            Some(positive) if is_zero => positive.to_owned(),
            Some(positive) => format!("−{positive}"),
            None => text,
        }
    }

    /// What was typed, as the stored number; `shown` is the value that stood there, whose unit a bare number takes.
    /// `None` when it is not a finite number.
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

/// A number within a sentence: at most two digits behind the point, and no zeros at its end.
pub fn short_number(value: f32) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Wide digits and signs as their narrow ones.
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
    frames: u8,
}

/// Whether a number is being typed for the widget `id`.
pub fn is_typing(ui: &Ui, id: Id) -> bool {
    ui.data(|d| d.get_temp::<NumberEdit>(id)).is_some()
}

/// Opens the text field of the widget `id`, with all of the number selected.
pub fn start_typing(ui: &Ui, id: Id, format: NumberFormat, value: f32) {
    let text = format.editable(value);
    ui.data_mut(|d| d.insert_temp(id, NumberEdit { initial_text: text.clone(), text, frames: 0 }));
    ui.ctx().request_repaint();
}

/// Shows the text field while a number is typed; the number once, when it was entered and differs.
/// Enter or leaving the field enters, Esc puts back.
pub fn number_edit(ui: &mut Ui, rect: Rect, id: Id, name: &str, format: NumberFormat, shown: f32) -> Option<f32> {
    let mut typed: NumberEdit = ui.data(|d| d.get_temp(id))?;
    typed.frames = typed.frames.saturating_add(1);
    if typed.frames == 1 {
        // The key or click that opened the field must not reach it: Enter would close it at once.
        ui.data_mut(|d| d.insert_temp(id, typed));
        return None;
    }
    let fresh = typed.frames == 2;
    let c = Theme::of(ui).color;
    let edit_id = field_id(id);
    if fresh {
        ui.memory_mut(|m| m.request_focus(edit_id));
        let end = CCursor::new(CharIndex(typed.text.chars().count()));
        let mut state = TextEditState::load(ui.ctx(), edit_id).unwrap_or_default();
        state.cursor.set_char_range(Some(CCursorRange::two(CCursor::new(CharIndex(0)), end)));
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
    let (enter, escape) = ui.input(|i| (i.key_pressed(Key::Enter), i.key_pressed(Key::Escape)));
    if !response.lost_focus() && (fresh || response.has_focus()) {
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

/// An exact number in a field: click or Enter types. The new number when one was entered.
/// `accent` colours the edge of a field that belongs to something selected.
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
    let words = value.map_or_else(|| "–".to_owned(), |v| format.text(v));
    response.widget_info(|| WidgetInfo {
        value: value.map(f64::from),
        current_text_value: Some(words.clone()),
        ..WidgetInfo::labeled(Role::SpinButton, value.is_some(), name)
    });
    let edge = accent.unwrap_or(if response.hovered() { c.border_strong } else { c.border });
    ui.painter().rect(rect, radius::FIELD, c.field, Stroke::new(stroke::EDGE, edge), StrokeKind::Inside);
    let color = if value.is_some() { c.text } else { c.text_3 };
    paint::text(
        ui.painter(),
        rect.left_center() + vec2(space::M, 0.0),
        Align2::LEFT_CENTER,
        &words,
        TextSize::Number,
        color,
    );
    focus_ring(ui, &response, rect, radius::FIELD);
    let Some(value) = value else { return (response, None) };
    if response.clicked() && !is_typing(ui, id) {
        start_typing(ui, id, format, value);
    }
    let entered = number_edit(ui, rect, id, name, format, value);
    (response, entered)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::kit::param_bar::BarValue;

    #[track_caller]
    fn check(format: NumberFormat, value: f32, expected: &str) {
        assert_eq!(format.text(value), expected);
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
            // What is told apart is written as two.
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
}
