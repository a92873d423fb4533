use super::Document;
use super::pivot::Axis;
use super::table::{LineEnd, TableFormat};
use crate::rig::Character;
use crate::schema::SolverKind;

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
    /// Begin with a mark, so that spreadsheets take the text for UTF-8.
    pub bom: bool,
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
            bom: false,
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

    /// What suits this character: its importer's mirror, this system's line ends, and a mark where a joint's name
    /// needs one.
    pub fn proposed(character: &Character, document: &Document) -> Self {
        let skeleton = &character.skeleton;
        let joints = document.chains.values().flat_map(|c| &c.joints).map(|j| j.bone);
        let here = joints.filter(|b| b.index() < skeleton.len());
        let mut kept = document.kept.iter();
        Self {
            mirror: Axis::usual(character.facing),
            line_end: if cfg!(windows) { LineEnd::CrLf } else { LineEnd::Lf },
            bom: here.map(|b| skeleton.name(b)).any(|n| !n.is_ascii()) || kept.any(|k| !k.bone.is_ascii()),
            ..Self::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doc::{Chain, ChainId, Joint, Part};
    use crate::math::Trs;
    use crate::rig::{Bone, BoneId, Facing, Skeleton};

    fn character(name: &str, facing: Facing) -> (Character, Document) {
        let bone = Bone { name: name.to_owned(), parent: None, rest: Trs::IDENTITY };
        let skeleton = Skeleton::new(vec![bone]).expect("one root");
        let mut document = Document::default();
        let chain = Chain::new(name, Part::Hair, document.main().table(), vec![Joint::new(BoneId(0))]);
        document.chains.insert(ChainId(0), chain);
        (Character { skeleton, facing, ..Character::default() }, document)
    }

    #[test]
    fn names_beyond_ascii_ask_for_a_mark() {
        let (plain, document) = character("hair", Facing::PlusZ);
        assert!(!ExportOptions::proposed(&plain, &document).bom);
        let (japanese, document) = character("髪", Facing::PlusZ);
        assert!(ExportOptions::proposed(&japanese, &document).bom);
    }

    #[test]
    fn characters_that_look_along_minus_z_are_mirrored_in_z() {
        let (old, document) = character("hair", Facing::MinusZ);
        assert_eq!(ExportOptions::proposed(&old, &document).mirror, Axis::Z);
    }
}
