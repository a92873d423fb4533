use super::TableFormat;
use crate::document::Axis;
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
    pub mirror: Axis,
    /// After every row.
    pub line_end: LineEnd,
    /// Whether a CSV starts with the UTF-8 byte order mark; `None` decides by the names, see [`crate::format::unity_csv::writes_bom`].
    pub bom: Option<bool>,
    /// Significant digits of numbers; `None` writes as many as are needed to read the same number back.
    pub digits: Option<u8>,
    /// Numbers as `"0,5"`, as the original writes and expects them on machines of countries that do so.
    pub decimal_comma: bool,
    /// Write bones and pivots.
    pub bones: bool,
    /// Write colliders, bare nodes and components.
    pub colliders: bool,
    /// A bone without pivot has an empty pivot cell, which the original refuses to load; else its parent's name.
    pub empty_pivots: bool,
    /// Write what the original has no place for as comment rows, which it passes over and Yuremono reads back. Rows
    /// whose names the original could not read go there too.
    pub extras: bool,
}

impl Default for ExportOptions {
    fn default() -> Self {
        Self {
            solver: None,
            format: TableFormat::default(),
            mirror: Axis::default(),
            line_end: LineEnd::default(),
            bom: None,
            digits: None,
            decimal_comma: false,
            bones: true,
            colliders: true,
            empty_pivots: false,
            extras: true,
        }
    }
}

impl ExportOptions {
    /// The usual choices with this mirror.
    pub fn with_mirror(mirror: Axis) -> Self {
        Self { mirror, ..Self::default() }
    }

    /// The same for a kind of file. JSON has room for all that is authored, an engine's own setup for what it knows.
    #[must_use]
    pub fn in_format(self, format: TableFormat) -> Self {
        let settled = Self { format, ..self };
        match format {
            TableFormat::Csv => settled,
            TableFormat::Parameters => Self { extras: true, bones: true, colliders: true, ..settled },
            _ => Self { extras: false, bones: true, colliders: true, ..settled },
        }
    }

    /// What suits this character: its importer's mirror and this system's line ends.
    pub fn proposed(character: &Character) -> Self {
        Self {
            mirror: Axis::usual(character.facing),
            line_end: if cfg!(windows) { LineEnd::CrLf } else { LineEnd::Lf },
            ..Self::default()
        }
    }
}

/// What ends a line of text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LineEnd {
    /// As on Linux and macOS.
    #[default]
    Lf,
    /// As on Windows.
    CrLf,
    /// As on old Macs.
    Cr,
}

impl LineEnd {
    /// The characters.
    pub const fn text(self) -> &'static str {
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
    fn characters_that_look_along_minus_z_are_mirrored_in_z() {
        let old = Character { facing: Facing::MinusZ, ..Character::default() };
        assert_eq!(ExportOptions::proposed(&old).mirror, Axis::Z);
    }
}
