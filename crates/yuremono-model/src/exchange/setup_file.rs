//! The interface of codecs: format descriptions, and the entries that codecs read and write. Entries use names and are
//! in file order.

use super::CellProblem;
use crate::document::source_frames::SourceFrames;
use crate::document::{FlipAxis, HelperRole, JointEntry, ListKind, Passthrough, ReplacedProperties, SetupEntry};
use std::fmt;
use yuremono_sim::diagnostics::{Diagnostic, Location};
use yuremono_sim::math::Curve;
use yuremono_sim::params::{ParamId, ParamSet};
use yuremono_sim::rig::Character;
use yuremono_sim::{ColliderShape, SolverKind};

/// Maximum number of systems that are read from one file. The number is limited because each system is compared with
/// the whole document.
pub const MAX_SYSTEMS: usize = 64;

/// The setup of a file: one or more systems with everything that belongs to them.
#[derive(Clone, Debug, PartialEq)]
pub struct SetupFile {
    pub format: SetupFormat,
    /// Space of all positions, rotations and vector parameters.
    pub space: FileSpace,
    /// The axis that was flipped to convert the file to glTF space. `None` if the file was not converted.
    pub flipped_axis: Option<FlipAxis>,
    /// The systems of the entries. Never empty.
    pub systems: Vec<SystemHeader>,
    /// All entries in file order, including invalid entries. In Yuremono's own files, entries are grouped by system.
    /// Helpers, colliders, groups and forces belong to the first system.
    pub entries: Vec<FileEntry>,
    /// Chains that are described by their roots. Their joints come from the skeleton.
    pub trees: Vec<ChainTree>,
    /// Parts of the file without an entry, kept verbatim.
    pub passthrough: Vec<Passthrough>,
    /// The rest frames of the character that the file was made for. `None` if unknown.
    pub source_frames: Option<SourceFrames<String>>,
    /// Used only for CSV.
    pub csv: CsvInfo,
}

/// Coordinate system of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FileSpace {
    /// glTF: right-handed, +Y up.
    #[default]
    Gltf,
    /// Unity: left-handed, +Y up. Contains the flipped axis if the file stores it.
    Unity(Option<FlipAxis>),
}

/// A system of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SystemHeader {
    pub solver: SolverKind,
    /// Empty if the file does not name the system.
    pub name: String,
}

/// The kind of an entry. In a CSV, this is a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FileSection {
    Joints,
    /// Frames of angle limits.
    Pivots,
    Colliders,
    Nodes,
    HighLegs,
    /// All other entries. In a CSV, these are comment rows.
    Other,
}

impl FileSection {
    /// All sections, in the order in which they are listed.
    pub const ALL: [Self; 6] = [Self::Joints, Self::Pivots, Self::Colliders, Self::Nodes, Self::HighLegs, Self::Other];
}

/// An entry of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct FileEntry {
    /// Index in [`SetupFile::systems`].
    pub system: usize,
    /// The section, which is also known for an invalid entry.
    pub section: FileSection,
    /// The name of the bone, node or collider, or the kind of a comment row.
    pub name: String,
    /// 1-based line of a CSV. 0 in other formats.
    pub line: u64,
    /// The JSON pointer. Empty in a CSV.
    pub json_pointer: String,
    /// The row of a CSV, which is kept if the entry cannot be used.
    pub csv_row: Option<Passthrough>,
    /// The entry, or its problems.
    pub content: Result<SetupEntry, Vec<CellProblem>>,
}

impl FileEntry {
    /// A new entry without a location in a file.
    pub fn new(system: usize, section: FileSection, name: impl Into<String>, item: SetupEntry) -> Self {
        let (line, pointer, verbatim) = (0, String::new(), None);
        Self { system, section, name: name.into(), line, json_pointer: pointer, csv_row: verbatim, content: Ok(item) }
    }

    /// The line or JSON pointer of the entry.
    pub fn location(&self, file_name: &str) -> Location {
        match (self.line, self.json_pointer.as_str()) {
            (0, "") => Location::file(file_name),
            (0, pointer) => Location::file(file_name).with_pointer(pointer),
            (line, _) => Location::file(file_name).with_line(line),
        }
    }

    /// See [`looks_like_formula`].
    pub fn looks_like_formula(&self) -> bool {
        looks_like_formula(&self.name)
    }
}

/// Whether a spreadsheet may interpret a name as a formula.
pub fn looks_like_formula(name: &str) -> bool {
    name.starts_with(['=', '+', '-', '@'])
}

/// A chain that is described by its root. All joints share one base value and at most one curve per parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct ChainTree {
    /// Index in [`SetupFile::systems`].
    pub system: usize,
    /// 1-based line of the component in a text file. 0 in other formats.
    pub line: u64,
    /// The display name, which may be empty.
    pub name: String,
    /// Name of the root bone.
    pub root: String,
    /// Name of the root's parent. Empty if unknown.
    pub parent: String,
    /// Names of the joints, root first. Empty if unknown.
    pub joints: Vec<String>,
    /// Names of bones that are excluded together with their descendants.
    pub excluded: Vec<String>,
    /// Names of the last bones. Their descendants are excluded.
    pub end_bones: Vec<String>,
    /// One value per parameter of the solver. Only joint parameters are used.
    pub base_values: ParamSet,
    /// Factors over the distance from the root, 0 to 1. At most one curve per parameter.
    pub curves: Vec<(ParamId, Curve)>,
    /// Name of the material that contains these values. Empty without a material.
    pub material: String,
    /// Names of the colliders that all joints use.
    pub colliders: Vec<String>,
}

impl ChainTree {
    /// Creates a tree with the solver's defaults, without a name, in the first system.
    pub fn new(solver: SolverKind, root: impl Into<String>) -> Self {
        Self {
            system: 0,
            line: 0,
            name: String::new(),
            root: root.into(),
            parent: String::new(),
            joints: Vec::new(),
            excluded: Vec::new(),
            end_bones: Vec::new(),
            base_values: ParamSet::defaults(solver.info().params),
            curves: Vec::new(),
            material: String::new(),
            colliders: Vec::new(),
        }
    }

    /// Value at a curve position, 0 to 1.
    pub fn value_at(&self, param: ParamId, t: f32) -> f32 {
        self.base_values.get(param) * self.curve(param).map_or(1.0, |curve| curve.eval(t))
    }

    /// The curve of a parameter.
    pub fn curve(&self, param: ParamId) -> Option<&Curve> {
        self.curves.iter().find(|(of, _)| *of == param).map(|(_, curve)| curve)
    }
}

/// Properties of a CSV file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvInfo {
    /// The version in the version row. `None` if the row is missing or not a number.
    pub version: Option<u32>,
    /// Name of the encoding, for example `UTF-8`. Empty if the file is not a CSV.
    pub encoding: &'static str,
    /// Whether the file starts with a byte order mark.
    pub has_bom: bool,
    /// Whether numbers have decimal commas, as in `0,5`.
    pub has_decimal_comma: bool,
    /// Sections and lines of rows without text. `UnityChanSpringBone`'s import window rejects these rows.
    pub blank_rows: Vec<(FileSection, u64)>,
    /// Whether `UnityChanSpringBone`'s import window leaves bones unchanged, because the file has neither a version nor
    /// a bone section.
    pub lacks_bone_sections: bool,
}

impl Default for CsvInfo {
    fn default() -> Self {
        Self {
            version: Some(4),
            encoding: "",
            has_bom: false,
            has_decimal_comma: false,
            blank_rows: Vec::new(),
            lacks_bone_sections: false,
        }
    }
}

impl SetupFile {
    /// An empty file with one system.
    pub fn new(format: SetupFormat, solver: SolverKind) -> Self {
        let systems = vec![SystemHeader { solver, name: String::new() }];
        Self { systems, ..Self::without_system(format) }
    }

    /// An empty file, to which systems must be added.
    pub fn without_system(format: SetupFormat) -> Self {
        Self {
            format,
            space: FileSpace::Gltf,
            flipped_axis: None,
            systems: Vec::new(),
            entries: Vec::new(),
            trees: Vec::new(),
            passthrough: Vec::new(),
            source_frames: None,
            csv: CsvInfo::default(),
        }
    }

    /// The valid entries of a section with their indices.
    pub fn usable_entries(&self, section: FileSection) -> impl Iterator<Item = (usize, &FileEntry, &SetupEntry)> {
        let items = self.entries.iter().enumerate().filter(move |(_, item)| item.section == section);
        items.filter_map(|(at, item)| Some((at, item, item.content.as_ref().ok()?)))
    }

    /// Whether `UnityChanSpringBone`'s import window would import colliders, nodes and components.
    pub fn imports_colliders(&self) -> bool {
        self.csv.version != Some(3)
    }

    /// The solver of an entry's system.
    pub fn solver_of(&self, item: &FileEntry) -> SolverKind {
        self.solver_at(item.system)
    }

    /// The solver of a tree's system.
    pub fn solver_of_tree(&self, tree: &ChainTree) -> SolverKind {
        self.solver_at(tree.system)
    }

    fn solver_at(&self, system: usize) -> SolverKind {
        self.systems.get(system).map_or_else(SolverKind::default, |system| system.solver)
    }
}

pub(super) fn file_entry(system: usize, item: SetupEntry) -> FileEntry {
    let (section, name) = section_and_name(&item);
    let name = name.to_owned();
    FileEntry::new(system, section, name, item)
}

pub(super) fn section_and_name(item: &SetupEntry) -> (FileSection, &str) {
    match item {
        SetupEntry::Joint(JointEntry { scope: ReplacedProperties::Details, .. }) => (FileSection::Other, "joint"),
        SetupEntry::Joint(item) => (FileSection::Joints, &item.joint.bone),
        SetupEntry::Helper(node) if node.role == HelperRole::Pivot => (FileSection::Pivots, &node.name),
        SetupEntry::Helper(node) => (FileSection::Nodes, &node.name),
        SetupEntry::Collider(collider) => (FileSection::Colliders, &collider.name),
        SetupEntry::HighLeg(high_leg) => (FileSection::HighLegs, high_leg.node.name()),
        SetupEntry::System(_) => (FileSection::Other, "system"),
        SetupEntry::ComponentNodes(_) => (FileSection::Other, "component_nodes"),
        SetupEntry::Material(..) => (FileSection::Other, "material"),
        SetupEntry::DisabledCollider(_) => (FileSection::Other, "disabled_collider"),
        SetupEntry::Group(..) => (FileSection::Other, "group"),
        SetupEntry::Force(_) => (FileSection::Other, "force"),
        SetupEntry::Chain(_) => (FileSection::Other, "chain"),
        SetupEntry::ExcludedBone(_) => (FileSection::Other, "excluded_bone"),
        SetupEntry::HiddenMesh(_) => (FileSection::Other, "hidden_mesh"),
    }
}

/// A format of the closed list of codecs.
pub type SetupFormat = &'static FormatInfo;

/// A setup in the file's own space, with diagnostics. The result is `Err` only if no part of the file can be read.
pub type ReadResult = Result<(SetupFile, Vec<Diagnostic>), Vec<Diagnostic>>;

/// A codec of setups. The codec's module declares its format as `INFO`. Formats are equal if their keys are equal.
pub struct FormatInfo {
    /// Name on the command line.
    pub key: &'static str,
    /// Name in the window, equal in all languages.
    pub label: &'static str,
    /// Tooltip.
    pub hint: &'static str,
    /// The contents of a file, in Markdown, for `docs/formats.md`.
    pub doc: &'static str,
    /// File extensions without dot. The first extension is used for new files.
    pub extensions: &'static [&'static str],
    /// The only solver of the format, or `None` for all solvers.
    pub solver: Option<SolverKind>,
    /// How a file describes chains.
    pub layout: SetupLayout,
    /// How a file is recognised.
    pub signature: FormatSignature,
    /// The single nodes of a component that the format stores, for [`SetupLayout::ChainTrees`].
    pub single_node_lists: &'static [ListKind],
    /// Whether the format can store a shape. Only shapes that the solver supports are passed.
    pub stores_shape: fn(&ColliderShape) -> bool,
    /// Whether names are table cells. Some names cannot be read back from a cell.
    pub has_cell_names: bool,
    /// Whether the artist chooses the mirrored axis of the file.
    pub has_flip_axis: bool,
    /// Parses the bytes of a file with this name.
    pub read: fn(&[u8], &str) -> ReadResult,
    /// Writes a setup that is in glTF's space.
    pub write: fn(&SetupFile, ExportOptions) -> Vec<u8>,
    /// Reports names that a reader would not read back, and names that a spreadsheet would evaluate.
    pub unwritable_names: fn(&SetupFile, &str) -> Vec<Diagnostic>,
}

/// How a format describes chains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetupLayout {
    /// One solver: a row per joint, pivot, collider and node. All other entries are comment rows. If several rows have
    /// the same name, the first is used.
    Rows,
    /// One solver: chains that are described by their roots, each with one base value and one curve per parameter.
    ChainTrees,
    /// Complete setups of several systems.
    FullSetup,
}

/// How the content of a file selects a format.
#[derive(Clone, Copy, Debug)]
pub enum FormatSignature {
    /// A JSON object with this value in its `format` field.
    Json(&'static str),
    /// Text for which the function returns true.
    Text(fn(&[u8]) -> bool),
    /// Text that no other format recognises.
    AnyText,
}

impl FormatInfo {
    /// The extension of written files, without dot.
    pub const fn extension(&self) -> &'static str {
        self.extensions[0]
    }
}

impl PartialEq for FormatInfo {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for FormatInfo {}

impl fmt::Debug for FormatInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.key)
    }
}

/// Options of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a check box of its own")]
pub struct ExportOptions {
    /// The solver of the exported chains. `None` selects the solver of the first system.
    pub solver: Option<SolverKind>,
    pub format: SetupFormat,
    /// Axis that changes sign between glTF's and Unity's space.
    pub flip_axis: FlipAxis,
    pub line_ending: LineEnding,
    /// Whether a CSV starts with a byte order mark. `None` writes the mark if a name is not ASCII.
    pub write_bom: Option<bool>,
    /// Significant digits of numbers. `None` writes as many digits as are needed to read back the same number.
    pub significant_digits: Option<u8>,
    /// Writes numbers as `"0,5"`, as Unity does on computers with a decimal-comma locale.
    pub decimal_comma: bool,
    /// Writes joints and pivots.
    pub write_joints: bool,
    /// Writes colliders, nodes and components.
    pub write_colliders: bool,
    /// Writes empty pivot cells, which Unity rejects, instead of the parent's name.
    pub allow_empty_pivots: bool,
    /// Writes comment rows for data that the table cannot store. Unity skips these rows, but Yuremono reads them. Rows
    /// with names that Unity cannot read also become comment rows.
    pub write_comment_rows: bool,
}

impl ExportOptions {
    /// The default options of a format.
    pub fn new(format: SetupFormat) -> Self {
        let options = Self {
            solver: None,
            format,
            flip_axis: FlipAxis::default(),
            line_ending: LineEnding::default(),
            write_bom: None,
            significant_digits: None,
            decimal_comma: false,
            write_joints: true,
            write_colliders: true,
            allow_empty_pivots: false,
            write_comment_rows: true,
        };
        options.for_format(format)
    }

    /// Default options for a character: the flip axis of its importer and the line ending of the operating system.
    pub fn for_character(format: SetupFormat, character: &Character) -> Self {
        Self {
            flip_axis: FlipAxis::default_for(character.facing),
            line_ending: if cfg!(windows) { LineEnding::CrLf } else { LineEnding::Lf },
            ..Self::new(format)
        }
    }

    /// Sets the flip axis.
    #[must_use]
    pub fn with_flip_axis(self, flip_axis: FlipAxis) -> Self {
        Self { flip_axis, ..self }
    }

    /// Adapts the options to a format. Only tables can omit sections.
    #[must_use]
    pub fn for_format(self, format: SetupFormat) -> Self {
        if format.layout == SetupLayout::Rows {
            return Self { format, ..self };
        }
        let write_comment_rows = format.layout == SetupLayout::FullSetup;
        Self { format, write_comment_rows, write_joints: true, write_colliders: true, ..self }
    }
}

/// Line ending of text files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LineEnding {
    /// Linux and macOS.
    #[default]
    Lf,
    /// Windows.
    CrLf,
    /// Classic Mac OS.
    Cr,
}

impl LineEnding {
    /// The characters of the line ending.
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
    use crate::exchange::test_format::test_format;
    use yuremono_sim::rig::Facing;

    #[test]
    fn characters_facing_minus_z_flip_the_z_axis() {
        let old = Character { facing: Facing::MinusZ, ..Character::default() };
        assert_eq!(ExportOptions::for_character(test_format(), &old).flip_axis, FlipAxis::Z);
    }
}
