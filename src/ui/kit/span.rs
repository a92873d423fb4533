//! Where on a bar a value lies, and back: even or by decades.

use crate::params::{ParamKind, SliderScale};

/// Share of a logarithmic bar that runs evenly down to 0.
const LINEAR_START: f32 = 0.04;
/// A logarithmic span that begins at 0 shows so much of its top.
const SHOWN_DECADES: f32 = 1e-4;

/// The span of a bar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// Value at the left.
    pub low: f32,
    /// Value at the right.
    pub high: f32,
    /// How it is spread.
    pub scale: SliderScale,
    /// Only whole numbers lie on it.
    pub integer: bool,
}

impl Span {
    /// An even span.
    pub const fn linear(low: f32, high: f32) -> Self {
        Self { low, high, scale: SliderScale::Linear, integer: false }
    }

    /// A span by decades; the left end stands for 0.
    pub const fn logarithmic(low: f32, high: f32) -> Self {
        Self { low, high, scale: SliderScale::Logarithmic, integer: false }
    }

    /// The span of a parameter's slider.
    pub const fn for_param(def: &crate::params::ParamDef) -> Self {
        Self {
            low: def.soft_range.0,
            high: def.soft_range.1,
            scale: def.scale,
            integer: matches!(def.kind, ParamKind::Integer),
        }
    }

    /// The same spread over 0 to 100 where `percent`: for numbers that are shown as shares.
    #[must_use]
    pub const fn in_percent(self, percent: bool) -> Self {
        if percent { Self { low: 0.0, high: 100.0, integer: false, ..self } } else { self }
    }

    /// The value at which the decades begin; `None` for an even span, also where decades make no sense.
    fn first_decade(self) -> Option<f32> {
        let sensible = self.scale == SliderScale::Logarithmic && self.low >= 0.0 && self.high > self.low;
        sensible.then_some(if self.low > 0.0 { self.low } else { self.high * SHOWN_DECADES })
    }

    /// Place of a value, 0 (left) to 1 (right); values outside lie at the ends.
    pub fn fraction(self, value: f32) -> f32 {
        let share = match self.first_decade() {
            Some(first) if value <= first => LINEAR_START * value / first,
            Some(first) => LINEAR_START + (1.0 - LINEAR_START) * (value / first).ln() / (self.high / first).ln(),
            None if self.high == self.low => 0.0,
            None => (value - self.low) / (self.high - self.low),
        };
        if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) }
    }

    /// The value at a place, 0..=1.
    pub fn value(self, share: f32) -> f32 {
        let share = share.clamp(0.0, 1.0);
        match self.first_decade() {
            Some(first) if share <= LINEAR_START => first * share / LINEAR_START,
            Some(first) => {
                let along = (share - LINEAR_START) / (1.0 - LINEAR_START);
                first * (self.high / first).powf(along)
            }
            None => self.low + (self.high - self.low) * share,
        }
    }

    /// Places of the powers of ten within a logarithmic span.
    pub fn ticks(self) -> Vec<f32> {
        let Some(first) = self.first_decade() else { return Vec::new() };
        let (from, to) = (first.log10().ceil() as i32, self.high.log10().floor() as i32);
        let inside = |share: &f32| (0.02..0.98).contains(share);
        (from..=to).map(|power| self.fraction(10_f32.powi(power))).filter(inside).collect()
    }

    /// `value` with as many digits as a bar can tell apart; `fine` for one more.
    pub fn rounded(self, value: f32, fine: bool) -> f32 {
        if self.integer {
            return value.round();
        }
        let digits = if fine { 4 } else { 3 };
        if self.first_decade().is_some() {
            return round_to_digits(value, digits);
        }
        let step = 10_f64.powi((f64::from(self.high - self.low).abs().max(1e-12)).log10().floor() as i32 + 1 - digits);
        ((f64::from(value) / step).round() * step) as f32
    }

    /// The nearest round value: one digit on a logarithmic span, about twenty steps on an even one.
    pub fn snapped(self, value: f32) -> f32 {
        if self.integer {
            return value.round();
        }
        if self.first_decade().is_some() {
            return round_to_digits(value, 1);
        }
        let step = nice_step((self.high - self.low) / 20.0);
        ((f64::from(value) / step).round() * step) as f32
    }

    /// As [`Span::stepped`] from one whole number to another, at least to the next.
    fn stepped_integer(self, value: f32, steps: f32, part: f32) -> f32 {
        let far = if self.first_decade().is_some() {
            self.value(self.fraction(value) + steps * part) - value
        } else {
            steps * nice_step((self.high - self.low) * part) as f32
        };
        let far = if far.abs() < steps.abs() { steps } else { far };
        (value + far).round().clamp(self.low.min(value).round(), self.high.max(value).round())
    }

    /// The value some steps on: one step is a hundredth of the bar, `fine` a thousandth; of whole numbers at least one.
    pub fn stepped(self, value: f32, steps: f32, fine: bool) -> f32 {
        let part = if fine { 0.001 } else { 0.01 };
        if self.integer {
            return self.stepped_integer(value, steps, part);
        }
        if self.first_decade().is_some() {
            let next = self.rounded(self.value(self.fraction(value) + steps * part), fine);
            // Rounding must not swallow the step.
            return if next == value { self.value(self.fraction(value) + steps * part) } else { next };
        }
        let step = nice_step((self.high - self.low) * part);
        self.rounded((value + steps * step as f32).clamp(self.low.min(value), self.high.max(value)), true)
    }
}

/// 1, 2 or 5 times a power of ten, near `width`.
fn nice_step(width: f32) -> f64 {
    let width = f64::from(width.abs().max(1e-9));
    let power = 10_f64.powi(width.log10().floor() as i32);
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
    let unit = 10_f64.powi(value.abs().log10().floor() as i32 + 1 - digits);
    ((value / unit).round() * unit) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

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
