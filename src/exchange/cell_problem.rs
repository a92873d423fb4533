//! What is wrong with a cell, as data: the window says it in the artist's language, `Display` in English.

use crate::diagnostics::excerpt;
use std::fmt;

/// Why a cell or a row cannot be used as it stands.
#[derive(Clone, Debug, PartialEq)]
pub enum CellFault {
    /// The row is too short.
    TooFewCells {
        /// Cells of the row, its name included.
        found: usize,
        /// As many are needed.
        expected: usize,
    },
    /// Nothing but separators and blanks, as spreadsheets pad a file.
    BlankRow,
    /// A number was expected.
    NotANumber,
    /// A number was expected; it has a comma where other cells of the file have points.
    UnexpectedComma,
    /// The number has no place in 32 bits.
    TooLargeForF32,
    /// A finite angle was expected.
    NotAnAngle,
    /// `True` or `False` was expected.
    NotAToggle,
    /// A whole number of entries was expected.
    NotACount,
    /// More entries are announced than the row has cells for.
    CountExceedsCells {
        /// As announced.
        count: usize,
        /// Pairs of cells that are there.
        available: usize,
    },
    /// A name was expected.
    MissingName,
    /// `sp`, `cp` or `pa` was expected.
    NotAColliderType,
    /// The component of this name is not known.
    NotAComponent,
    /// The comment row is of a later version, or edited beyond understanding.
    UnknownComment,
    /// The value is kept, but the engine does nothing sensible with it.
    OutOfRange {
        /// Smallest that makes sense.
        min: f32,
        /// Largest that makes sense; `None` where there is no end.
        max: Option<f32>,
    },
}

/// A cell that could not be understood.
#[derive(Clone, Debug, PartialEq)]
pub struct CellProblem {
    /// Header of the column; empty for the whole row.
    pub column: &'static str,
    /// What stands there.
    pub cell: String,
    /// What is wrong with it.
    pub fault: CellFault,
}

impl CellProblem {
    /// Of one cell.
    pub fn new(column: &'static str, cell: impl Into<String>, fault: CellFault) -> Self {
        Self { column, cell: cell.into(), fault }
    }

    /// Of a whole row.
    pub fn for_row(fault: CellFault) -> Self {
        Self::new("", "", fault)
    }

    /// As [`Display`](fmt::Display) without the column.
    pub fn message(&self) -> String {
        let cell =
            if self.cell.is_empty() { "an empty cell".to_owned() } else { format!("\"{}\"", excerpt(&self.cell)) };
        match &self.fault {
            CellFault::TooFewCells { found, expected } => {
                format!("the row has {found} cells, expected at least {expected}")
            }
            CellFault::BlankRow => "the row is blank".to_owned(),
            CellFault::NotANumber if self.cell.is_empty() => "empty, expected a number".to_owned(),
            CellFault::NotANumber => format!("{cell} is not a number"),
            CellFault::UnexpectedComma => {
                format!("{cell} is not a number: other cells of this file have decimal points")
            }
            CellFault::TooLargeForF32 => format!("{cell} is too large for a number"),
            CellFault::NotAnAngle => format!("{cell} is no angle"),
            CellFault::NotAToggle => format!("{cell}, expected True or False"),
            CellFault::NotACount => format!("{cell} is no count"),
            CellFault::CountExceedsCells { count, available: room } => {
                format!("{count} entries are announced, the row has room for {room}")
            }
            CellFault::MissingName => "empty, expected a name".to_owned(),
            CellFault::NotAColliderType => format!("{cell}, expected sp, cp or pa"),
            CellFault::NotAComponent => format!("{cell} is no component that is known here"),
            CellFault::UnknownComment => format!("{cell} is not understood"),
            CellFault::OutOfRange { .. } if self.cell == "Infinity" => "Infinity is not a finite number".to_owned(),
            CellFault::OutOfRange { min: from, max: None } => format!("{} is below {}", self.cell, range_text(*from)),
            CellFault::OutOfRange { min: from, max: Some(to) } => {
                format!("{} is beyond {} to {}", self.cell, range_text(*from), range_text(*to))
            }
        }
    }
}

/// The end of a range; large ones with an exponent, as .NET writes them.
fn range_text(value: f32) -> String {
    if value.abs() < 1e7 { value.to_string() } else { format!("{value:E}").replace('E', "E+") }
}

impl fmt::Display for CellProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.column.is_empty() {
            write!(f, "{}: ", self.column)?;
        }
        f.write_str(&self.message())
    }
}

/// Why a reader of UnityChan's dynamics CSV would not get a row of this name back; `None` where it would.
pub fn unreadable_name_reason(name: &str) -> Option<&'static str> {
    if name.is_empty() {
        Some("an empty name cannot be read back")
    } else if name.trim() != name {
        Some("blanks around a name are lost on reading")
    } else if name.starts_with("//") || name.starts_with(['#', ';']) {
        Some("a row that begins so is read as a comment")
    } else if name.starts_with('[') {
        Some("a row that begins so is read as a section")
    } else {
        None
    }
}
