//! Parses and formats numbers, switches and counts in cells.

use yuremono_model::exchange::{CellFault, CellProblem};

/// Reads the cells of a row from left to right and collects their problems.
pub(super) struct CellReader<'a> {
    cells: &'a [String],
    position: usize,
    decimal_comma: bool,
    pub(super) problems: Vec<CellProblem>,
}

impl<'a> CellReader<'a> {
    pub(super) const fn new(cells: &'a [String], decimal_comma: bool) -> Self {
        Self { cells, position: 0, decimal_comma, problems: Vec::new() }
    }

    /// Returns the next cell, or an empty string after the last cell.
    pub(super) fn text(&mut self) -> String {
        self.position += 1;
        self.cells.get(self.position - 1).cloned().unwrap_or_default()
    }

    /// Returns the number in the next cell. Rejects a cell that is not a number and returns 0.
    pub(super) fn number(&mut self, column: &'static str) -> f32 {
        let cell = self.text();
        parse_number(&cell, self.decimal_comma).unwrap_or_else(|fault| self.reject(column, cell, fault))
    }

    /// Returns 0 or 1. Rejects other cells.
    pub(super) fn toggle(&mut self, column: &'static str) -> f32 {
        let cell = self.text();
        parse_toggle(&cell).unwrap_or_else(|fault| self.reject(column, cell, fault))
    }

    /// Reads finite numbers. An infinite number is rejected with `fault`.
    pub(super) fn finite_numbers<const N: usize>(&mut self, columns: [&'static str; N], fault: &CellFault) -> [f32; N] {
        columns.map(|column| {
            let value = self.number(column);
            if value.is_finite() {
                return value;
            }
            let cell = self.cells.get(self.position - 1).cloned().unwrap_or_default();
            self.reject(column, cell, fault.clone())
        })
    }

    /// Reads a cell with a count, and returns that number of cell pairs.
    pub(super) fn counted_pairs(&mut self, column: &'static str) -> Result<&'a [String], CellProblem> {
        let cells: &'a [String] = self.cells.get(self.position..).unwrap_or_default();
        let text = cells.first().map_or("", String::as_str);
        let Ok(count) = text.parse::<usize>() else { return Err(CellProblem::new(column, text, CellFault::NotACount)) };
        let room = cells.len().saturating_sub(1) / 2;
        if count > room {
            return Err(CellProblem::new(column, text, CellFault::CountExceedsCells { count, available: room }));
        }
        self.position += 1 + 2 * count;
        Ok(&cells[1..=2 * count])
    }

    /// Returns all unread cells.
    pub(super) fn rest(&self) -> &'a [String] {
        self.cells.get(self.position..).unwrap_or_default()
    }

    /// Reports a cell. Returns 0 as a placeholder for its number.
    pub(super) fn reject(&mut self, column: &'static str, cell: String, fault: CellFault) -> f32 {
        self.problems.push(CellProblem::new(column, cell, fault));
        0.0
    }

    /// Returns `value` if no cell was rejected, otherwise the problems.
    pub(super) fn finish<T>(self, value: T) -> Result<T, Vec<CellProblem>> {
        if self.problems.is_empty() { Ok(value) } else { Err(self.problems) }
    }
}

/// Rejects a row with fewer than `least` cells after its name.
pub(super) fn require_cells(cells: &[String], least: usize) -> Result<(), Vec<CellProblem>> {
    if cells.len() >= least {
        return Ok(());
    }
    Err(vec![CellProblem::for_row(CellFault::TooFewCells { found: cells.len() + 1, expected: least + 1 })])
}

pub(crate) fn parse_number(text: &str, decimal_comma: bool) -> Result<f32, CellFault> {
    let unsigned = text.trim_start_matches(['+', '-']);
    if unsigned == "∞" || unsigned.eq_ignore_ascii_case("infinity") {
        return Ok(if text.starts_with('-') { f32::NEG_INFINITY } else { f32::INFINITY });
    }
    let plain = if !text.contains(',') {
        text.to_owned()
    } else if decimal_comma && has_decimal_comma(text) {
        text.replace(',', ".")
    } else if !decimal_comma && has_thousands_separators(text) {
        text.replace(',', "")
    } else if has_decimal_comma(text) {
        return Err(CellFault::UnexpectedComma);
    } else {
        return Err(CellFault::NotANumber);
    };
    match plain.parse::<f32>() {
        Ok(value) if value.is_infinite() && plain.contains(|c: char| c.is_ascii_digit()) => {
            Err(CellFault::TooLargeForF32)
        }
        Ok(value) if !value.is_nan() => Ok(value),
        _ => Err(CellFault::NotANumber),
    }
}

/// Whether the text is a number with a comma instead of a decimal point.
pub(super) fn has_decimal_comma(text: &str) -> bool {
    text.matches(',').count() == 1 && !text.contains('.') && text.replace(',', ".").parse::<f32>().is_ok()
}

/// Whether the text has groups of three digits before the decimal point, for example `1,234.5`.
fn has_thousands_separators(text: &str) -> bool {
    let Some((whole, _)) = text.split_once('.') else { return false };
    let mut groups = whole.trim_start_matches(['+', '-']).split(',');
    let digits = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
    groups.next().is_some_and(|first| (1..=3).contains(&first.len()) && digits(first))
        && groups.all(|group| group.len() == 3 && digits(group))
}

fn parse_toggle(text: &str) -> Result<f32, CellFault> {
    if text.eq_ignore_ascii_case("true") {
        Ok(1.0)
    } else if text.eq_ignore_ascii_case("false") {
        Ok(0.0)
    } else {
        Err(CellFault::NotAToggle)
    }
}

/// Returns `True` or `False`, as .NET writes booleans.
pub(super) fn toggle_text(on: bool) -> String {
    if on { "True" } else { "False" }.to_owned()
}

/// Formats a number like .NET: the shortest text that parses to the same bits, or a text rounded to `digits`
/// significant digits. Numbers below 0.0001 and from ten million up have an exponent.
pub(crate) fn number_text(value: f32, digits: Option<u8>) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    let scientific = match digits {
        Some(digits) => format!("{value:.*e}", usize::from(digits.max(1)) - 1),
        None => format!("{value:e}"),
    };
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or_default();
    let sign = if value < 0.0 { "-" } else { "" };
    let all: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let all = all.trim_end_matches('0');
    if !(-4..7).contains(&exponent) {
        let (first, rest) = all.split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        let exponent_sign = if exponent < 0 { '-' } else { '+' };
        return format!("{sign}{first}{point}{rest}E{exponent_sign}{:02}", exponent.abs());
    }
    if exponent < 0 {
        return format!("{sign}0.{}{all}", "0".repeat((-exponent - 1) as usize));
    }
    let whole = exponent as usize + 1;
    if all.len() <= whole {
        return format!("{sign}{all}{}", "0".repeat(whole - all.len()));
    }
    format!("{sign}{}.{}", &all[..whole], &all[whole..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_text(value: f32, expected: &str) {
        assert_eq!(number_text(value, None), expected);
        assert_eq!(parse_number(expected, false), Ok(value));
    }

    #[test]
    fn numbers_are_written_like_dotnet() {
        check_text(0.05, "0.05");
        check_text(5000.0, "5000");
        check_text(-20.5, "-20.5");
        check_text(1e-5, "1E-05");
        check_text(0.0001, "0.0001");
        check_text(1e7, "1E+07");
        check_text(1_234_567.0, "1234567");
        check_text(1.234e-5, "1.234E-05");
        check_text(99.999_99, "99.99999");
        check_text(f32::INFINITY, "Infinity");
        assert_eq!(number_text(1.0 / 3.0, Some(7)), "0.3333333");
        assert_eq!(number_text(16_777_216.0, Some(7)), "1.677722E+07");
    }

    #[track_caller]
    fn check_rejected(text: &str, expected: &str) {
        let fault = parse_number(text, false).expect_err("not a number");
        assert_eq!(CellProblem::new("", text, fault).to_string(), expected);
    }

    #[test]
    fn text_that_is_not_a_number_is_rejected_and_quoted() {
        check_rejected("o.5", "\"o.5\" is not a number");
        check_rejected("", "empty, expected a number");
        check_rejected("NaN", "\"NaN\" is not a number");
        check_rejected("1e308", "\"1e308\" is too large for a number");
        check_rejected("0,5", "\"0,5\" is not a number: other cells of this file have decimal points");
        check_rejected("0x10", "\"0x10\" is not a number");
        assert_eq!(parse_number("0,5", true), Ok(0.5));
        assert_eq!(parse_number("1,234.5", false), Ok(1234.5));
        assert_eq!(parse_number("-∞", false), Ok(f32::NEG_INFINITY));
    }
}
