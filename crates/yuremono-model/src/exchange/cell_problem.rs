//! Problems in table cells. The window has its own texts, so only diagnostics use `message`.

use std::fmt;
use yuremono_sim::diagnostics::{MessageText, excerpt, message};

/// Why a cell or a row is invalid.
#[derive(Clone, Debug, PartialEq)]
pub enum CellFault {
    /// The row is too short.
    TooFewCells {
        /// The number of cells, including the name.
        found: usize,
        /// The required number of cells.
        expected: usize,
    },
    /// The row contains only separators and blanks. Spreadsheets pad files with such rows.
    BlankRow,
    NotANumber,
    /// The cell has a decimal comma, but other cells of the file have decimal points.
    UnexpectedComma,
    /// The number does not fit into `f32`.
    TooLargeForF32,
    /// The number is not a finite angle.
    NotAnAngle,
    /// The text is neither `True` nor `False`.
    NotAToggle,
    /// The text is not a whole number of entries.
    NotACount,
    /// The row has fewer cells than the count requires.
    CountExceedsCells {
        count: usize,
        /// The number of available entries.
        available: usize,
    },
    MissingName,
    /// The type is not `sp`, `cp` or `pa`.
    NotAColliderType,
    /// The component is unknown.
    NotAComponent,
    /// The comment row comes from a later version or was edited.
    UnknownComment,
    /// The value is outside the useful range. The value is used unchanged.
    OutOfRange {
        /// The smallest useful value.
        min: f32,
        /// The largest useful value, or `None` if there is no limit.
        max: Option<f32>,
    },
}

/// An invalid cell.
#[derive(Clone, Debug, PartialEq)]
pub struct CellProblem {
    /// The header of the column. Empty if the problem concerns the whole row.
    pub column: &'static str,
    /// The text of the cell.
    pub cell: String,
    pub fault: CellFault,
}

impl CellProblem {
    /// A problem with one cell.
    pub fn new(column: &'static str, cell: impl Into<String>, fault: CellFault) -> Self {
        Self { column, cell: cell.into(), fault }
    }

    /// A problem with the whole row.
    pub fn for_row(fault: CellFault) -> Self {
        Self::new("", "", fault)
    }

    /// The message without the column.
    pub fn message(&self) -> MessageText {
        let cell = || {
            if self.cell.is_empty() {
                message!("an empty cell")
            } else {
                message!("\"{cell}\"", cell = excerpt(&self.cell))
            }
        };
        match &self.fault {
            CellFault::TooFewCells { found, expected } => {
                message!(
                    "the row has {found} cells, expected at least {expected}",
                    found = *found,
                    expected = *expected
                )
            }
            CellFault::BlankRow => message!("the row is blank"),
            CellFault::NotANumber if self.cell.is_empty() => message!("empty, expected a number"),
            CellFault::NotANumber => message!("{cell} is not a number", cell = cell()),
            CellFault::UnexpectedComma => {
                message!("{cell} is not a number: other cells of this file have decimal points", cell = cell())
            }
            CellFault::TooLargeForF32 => message!("{cell} is too large for a number", cell = cell()),
            CellFault::NotAnAngle => message!("{cell} is not an angle", cell = cell()),
            CellFault::NotAToggle => message!("{cell}, expected True or False", cell = cell()),
            CellFault::NotACount => message!("{cell} is not a count", cell = cell()),
            CellFault::CountExceedsCells { count, available } => message!(
                "the count is {count}, but the row has cells for {available} entries",
                count = *count,
                available = *available
            ),
            CellFault::MissingName => message!("empty, expected a name"),
            CellFault::NotAColliderType => message!("{cell}, expected sp, cp or pa", cell = cell()),
            CellFault::NotAComponent => message!("{cell} is not a known component", cell = cell()),
            CellFault::UnknownComment => message!("{cell} is not understood", cell = cell()),
            CellFault::OutOfRange { .. } if self.cell == "Infinity" => message!("Infinity is not a finite number"),
            CellFault::OutOfRange { min, max: None } => {
                message!("{value} is below {min}", value = &self.cell, min = range_text(*min))
            }
            CellFault::OutOfRange { min, max: Some(max) } => message!(
                "{value} is outside {min} to {max}",
                value = &self.cell,
                min = range_text(*min),
                max = range_text(*max)
            ),
        }
    }

    /// The message with the column, if any.
    pub(super) fn message_with_column(&self) -> MessageText {
        let problem = self.message();
        if self.column.is_empty() { problem } else { message!("{column}: {problem}", column = self.column, problem) }
    }
}

/// The text of a range limit. Large numbers have an exponent in .NET's notation.
fn range_text(value: f32) -> String {
    if value.abs() < 1e7 { value.to_string() } else { format!("{value:E}").replace('E', "E+") }
}

impl fmt::Display for CellProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message_with_column())
    }
}

/// Why a row of the Unity CSV with this name cannot be read back. Returns `None` if the name is readable.
pub fn unreadable_name_reason(name: &str) -> Option<&'static str> {
    if name.is_empty() {
        Some("an empty name cannot be read back")
    } else if name.trim() != name {
        Some("spaces around a name are removed on reading")
    } else if name.starts_with("//") || name.starts_with(['#', ';']) {
        Some("a row with this name is read as a comment")
    } else if name.starts_with('[') {
        Some("a row with this name is read as a section")
    } else {
        None
    }
}
