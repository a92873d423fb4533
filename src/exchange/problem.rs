//! What is wrong with a cell, as data: the window says it in the artist's language, `Display` in English.

use crate::report::clip;
use std::fmt;

/// Why a cell or a row cannot be used as it stands.
#[derive(Clone, Debug, PartialEq)]
pub enum Fault {
    /// The row is too short.
    TooFewCells {
        /// Cells of the row, its name included.
        found: usize,
        /// As many are needed.
        expected: usize,
    },
    /// Nothing but separators and blanks, as spreadsheets pad a file.
    Blank,
    /// A number was expected.
    NotANumber,
    /// A number was expected; it has a comma where other cells of the file have points.
    CommaAmongPoints,
    /// The number has no place in 32 bits.
    TooLarge,
    /// A finite angle was expected.
    NotAnAngle,
    /// `True` or `False` was expected.
    NotAToggle,
    /// A whole number of entries was expected.
    NotACount,
    /// More entries are announced than the row has cells for.
    TooManyAnnounced {
        /// As announced.
        count: usize,
        /// Pairs of cells that are there.
        room: usize,
    },
    /// A name was expected.
    NoName,
    /// `sp`, `cp` or `pa` was expected.
    NotAColliderType,
    /// The component of this name is not known.
    NotAComponent,
    /// The comment row is of a later version, or edited beyond understanding.
    NotUnderstood,
    /// The value is kept, but the engine does nothing sensible with it.
    BeyondRange {
        /// Smallest that makes sense.
        from: f32,
        /// Largest that makes sense; `None` where there is no end.
        to: Option<f32>,
    },
}

/// A cell that could not be understood.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// Header of the column; empty for the whole row.
    pub column: &'static str,
    /// What stands there.
    pub cell: String,
    /// What is wrong with it.
    pub fault: Fault,
}

impl Problem {
    /// Of one cell.
    pub fn new(column: &'static str, cell: impl Into<String>, fault: Fault) -> Self {
        Self { column, cell: cell.into(), fault }
    }

    /// Of a whole row.
    pub fn row(fault: Fault) -> Self {
        Self::new("", "", fault)
    }

    /// As [`Display`](fmt::Display) without the column.
    pub fn message(&self) -> String {
        let cell = if self.cell.is_empty() { "an empty cell".to_owned() } else { format!("\"{}\"", clip(&self.cell)) };
        match &self.fault {
            Fault::TooFewCells { found, expected } => {
                format!("the row has {found} cells, expected at least {expected}")
            }
            Fault::Blank => "the row is blank".to_owned(),
            Fault::NotANumber if self.cell.is_empty() => "empty, expected a number".to_owned(),
            Fault::NotANumber => format!("{cell} is not a number"),
            Fault::CommaAmongPoints => {
                format!("{cell} is not a number: other cells of this file have decimal points")
            }
            Fault::TooLarge => format!("{cell} is too large for a number"),
            Fault::NotAnAngle => format!("{cell} is no angle"),
            Fault::NotAToggle => format!("{cell}, expected True or False"),
            Fault::NotACount => format!("{cell} is no count"),
            Fault::TooManyAnnounced { count, room } => {
                format!("{count} entries are announced, the row has room for {room}")
            }
            Fault::NoName => "empty, expected a name".to_owned(),
            Fault::NotAColliderType => format!("{cell}, expected sp, cp or pa"),
            Fault::NotAComponent => format!("{cell} is no component that is known here"),
            Fault::NotUnderstood => format!("{cell} is not understood"),
            Fault::BeyondRange { .. } if self.cell == "Infinity" => "Infinity is not a finite number".to_owned(),
            Fault::BeyondRange { from, to: None } => format!("{} is below {}", self.cell, range_text(*from)),
            Fault::BeyondRange { from, to: Some(to) } => {
                format!("{} is beyond {} to {}", self.cell, range_text(*from), range_text(*to))
            }
        }
    }
}

/// The end of a range; large ones with an exponent, as .NET writes them.
fn range_text(value: f32) -> String {
    if value.abs() < 1e7 { value.to_string() } else { format!("{value:E}").replace('E', "E+") }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.column.is_empty() {
            write!(f, "{}: ", self.column)?;
        }
        f.write_str(&self.message())
    }
}

/// Why a reader of UnityChan's dynamics CSV would not get a row of this name back; `None` where it would.
pub fn unreadable_name(name: &str) -> Option<&'static str> {
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
