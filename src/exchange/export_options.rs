use super::TableFormat;
use crate::document::FlipAxis;
use crate::rig::Character;
use crate::sim::SolverKind;

/// What an artist chooses before a table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a check box of its own")]
pub struct ExportOptions {
    /// Whose chains are written; `None`: those of the document's first system.
    pub solver: Option<SolverKind>,
    /// What kind of file it goes into.
    pub format: TableFormat,
    /// Which axis changes sign between this space and Unity's.
    pub flip_axis: FlipAxis,
    /// After every row.
    pub line_ending: LineEnding,
    /// Whether a CSV starts with the UTF-8 byte order mark; `None` decides by the names, see [`crate::format::unity_csv::writes_bom`].
    pub write_bom: Option<bool>,
    /// Significant digits of numbers; `None` writes as many as are needed to read the same number back.
    pub significant_digits: Option<u8>,
    /// Numbers as `"0,5"`, as the original writes and expects them on machines of countries that do so.
    pub decimal_comma: bool,
    /// Write bones and pivots.
    pub write_joints: bool,
    /// Write colliders, bare nodes and components.
    pub write_colliders: bool,
    /// A bone without pivot has an empty pivot cell, which the original refuses to load; else its parent's name.
    pub allow_empty_pivots: bool,
    /// Write what the original has no place for as comment rows, which it passes over and Yuremono reads back. Rows
    /// whose names the original could not read go there too.
    pub write_comment_rows: bool,
}

impl Default for ExportOptions {
    fn default() -> Self {
        Self {
            solver: None,
            format: TableFormat::default(),
            flip_axis: FlipAxis::default(),
            line_ending: LineEnding::default(),
            write_bom: None,
            significant_digits: None,
            decimal_comma: false,
            write_joints: true,
            write_colliders: true,
            allow_empty_pivots: false,
            write_comment_rows: true,
        }
    }
}

impl ExportOptions {
    /// The usual choices with this mirror.
    pub fn with_flip_axis(mirror: FlipAxis) -> Self {
        Self { flip_axis: mirror, ..Self::default() }
    }

    /// The same for a kind of file. JSON has room for all that is authored, an engine's own setup for what it knows.
    #[must_use]
    pub fn for_format(self, format: TableFormat) -> Self {
        let settled = Self { format, ..self };
        match format {
            TableFormat::Csv => settled,
            TableFormat::Parameters => {
                Self { write_comment_rows: true, write_joints: true, write_colliders: true, ..settled }
            }
            _ => Self { write_comment_rows: false, write_joints: true, write_colliders: true, ..settled },
        }
    }

    /// What suits this character: its importer's mirror and this system's line ends.
    pub fn default_for(character: &Character) -> Self {
        Self {
            flip_axis: FlipAxis::default_for(character.facing),
            line_ending: if cfg!(windows) { LineEnding::CrLf } else { LineEnding::Lf },
            ..Self::default()
        }
    }
}

/// What ends a line of text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LineEnding {
    /// As on Linux and macOS.
    #[default]
    Lf,
    /// As on Windows.
    CrLf,
    /// As on old Macs.
    Cr,
}

impl LineEnding {
    /// The characters.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Lf => "\n",
            Self::CrLf => "\r\n",
            Self::Cr => "\r",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::Facing;

    #[test]
    fn characters_facing_minus_z_flip_the_z_axis() {
        let old = Character { facing: Facing::MinusZ, ..Character::default() };
        assert_eq!(ExportOptions::default_for(&old).flip_axis, FlipAxis::Z);
    }
}
