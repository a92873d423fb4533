//! What a codec reads from a file and writes into it: entries by name, in the order of the file.

use super::CellProblem;
use super::TableFormat;
use crate::document::{FlipAxis, Passthrough, SetupEntry};
use crate::math::Curve;
use crate::params::{ParamId, ParamSet};
use crate::sim::SolverKind;

/// The most systems that are read from one file; each is compared with the whole document.
pub const MAX_SYSTEMS: usize = 64;

/// The setup of a file: one or more systems with all that belongs to them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SetupFile {
    /// The kind of file.
    pub format: TableFormat,
    /// The space of all positions, rotations and vector parameters.
    pub space: FileSpace,
    /// The axis that changed its sign on the way to glTF's space; `None` for a file in its own space.
    pub flipped_axis: Option<FlipAxis>,
    /// The systems that entries belong to; never empty.
    pub systems: Vec<SystemHeader>,
    /// In the order of the file, unusable ones included. Files of our own list the entries of one system after the
    /// other; helpers, colliders, groups and forces belong to the first system.
    pub entries: Vec<FileEntry>,
    /// Chains that the file names by their roots. Joints come from the skeleton.
    pub trees: Vec<ChainTree>,
    /// Parts of the file that no entry stands for, kept verbatim.
    pub passthrough: Vec<Passthrough>,
    /// What only a CSV has.
    pub csv: CsvInfo,
}

/// The coordinate system of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FileSpace {
    /// That of glTF and of documents.
    #[default]
    Gltf,
    /// Unity's: left-handed, Y up. The axis changes sign between it and glTF's, where the file names one.
    Unity(Option<FlipAxis>),
}

/// A system of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SystemHeader {
    /// How it moves its chains.
    pub solver: SolverKind,
    /// Empty where the file does not name it.
    pub name: String,
}

/// A kind of entry, for lists and messages; in a CSV a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FileSection {
    /// Joints.
    Joints,
    /// Frames of angle limits.
    Pivots,
    /// Colliders.
    Colliders,
    /// Bare nodes.
    Nodes,
    /// Nodes that follow the raised thigh.
    HighLegs,
    /// Everything else; comment rows in a CSV.
    Other,
}

impl FileSection {
    /// In the order in which they are listed.
    pub const ALL: [Self; 6] = [Self::Joints, Self::Pivots, Self::Colliders, Self::Nodes, Self::HighLegs, Self::Other];
}

/// An entry of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct FileEntry {
    /// Position of its system in [`SetupFile::systems`].
    pub system: usize,
    /// What kind of entry it is, or was meant to be.
    pub section: FileSection,
    /// What the file calls it: the name of its bone, node or collider, or what kind of comment row it is.
    pub name: String,
    /// 1-based line of a CSV; 0 elsewhere.
    pub line: u64,
    /// JSON pointer; empty in a CSV.
    pub json_pointer: String,
    /// The row of a CSV as it is kept where this character cannot use it.
    pub csv_row: Option<Passthrough>,
    /// The entry, or why it cannot be used.
    pub content: Result<SetupEntry, Vec<CellProblem>>,
}

impl FileEntry {
    /// An entry that comes from no file.
    pub fn new(system: usize, section: FileSection, name: impl Into<String>, item: SetupEntry) -> Self {
        let (line, pointer, verbatim) = (0, String::new(), None);
        Self { system, section, name: name.into(), line, json_pointer: pointer, csv_row: verbatim, content: Ok(item) }
    }

    /// Whether a spreadsheet may read the name as a formula.
    pub fn looks_like_formula(&self) -> bool {
        self.name.starts_with(['=', '+', '-', '@'])
    }
}

/// A chain by its root, with one base and curve per parameter for all joints below it.
#[derive(Clone, Debug, PartialEq)]
pub struct ChainTree {
    /// As lists show it; may be empty.
    pub name: String,
    /// Name of the bone that it begins with.
    pub root: String,
    /// Name of the bone above the root; empty where there is none, or the file does not say.
    pub parent: String,
    /// Names of its joints, the root first; empty where the file does not say.
    pub joints: Vec<String>,
    /// Names of bones that are excluded with everything below them.
    pub excluded: Vec<String>,
    /// Names of bones that end it: they are part of it, what is below them is not.
    pub end_bones: Vec<String>,
    /// One number per row of the solver's table; only rows of joint scope are read.
    pub base_values: ParamSet,
    /// Factors over the distance from the root, 0 to 1; at most one per row.
    pub curves: Vec<(ParamId, Curve)>,
    /// Name of the material that has its values; empty where they are its own.
    pub material: String,
    /// Names of the colliders of all of its joints.
    pub colliders: Vec<String>,
}

impl ChainTree {
    /// What a joint gets at a place along the chain, 0 to 1.
    pub fn value_at(&self, row: ParamId, t: f32) -> f32 {
        self.base_values.get(row) * self.curve(row).map_or(1.0, |curve| curve.eval(t))
    }

    /// The curve of a row.
    pub fn curve(&self, row: ParamId) -> Option<&Curve> {
        self.curves.iter().find(|(of, _)| *of == row).map(|(_, curve)| curve)
    }
}

/// What only a CSV has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvInfo {
    /// The version row; `None` where it is missing or is not a number.
    pub version: Option<u32>,
    /// Name of the encoding, for example `UTF-8`.
    pub encoding: &'static str,
    /// Whether the file began with a byte order mark.
    pub has_bom: bool,
    /// Whether numbers were written as `0,5`.
    pub has_decimal_comma: bool,
    /// Sections and lines of rows without any text; UnityChan's window refuses them.
    pub blank_rows: Vec<(FileSection, u64)>,
    /// Whether UnityChan's window would not touch bones, because neither a version nor a section of bones is there.
    pub lacks_bone_sections: bool,
}

impl Default for CsvInfo {
    fn default() -> Self {
        Self {
            version: Some(4),
            encoding: "UTF-8",
            has_bom: false,
            has_decimal_comma: false,
            blank_rows: Vec::new(),
            lacks_bone_sections: false,
        }
    }
}

impl SetupFile {
    /// A file of one system without entries.
    pub fn new(format: TableFormat, solver: SolverKind) -> Self {
        let systems = vec![SystemHeader { solver, name: String::new() }];
        Self { format, systems, ..Self::default() }
    }

    /// The usable entries of a section with their positions.
    pub fn usable_entries(&self, section: FileSection) -> impl Iterator<Item = (usize, &FileEntry, &SetupEntry)> {
        let items = self.entries.iter().enumerate().filter(move |(_, item)| item.section == section);
        items.filter_map(|(at, item)| Some((at, item, item.content.as_ref().ok()?)))
    }

    /// Whether UnityChan's window would import colliders, nodes and components.
    pub fn imports_colliders(&self) -> bool {
        self.csv.version != Some(3)
    }

    /// The solver of an entry's system.
    pub fn solver_of(&self, item: &FileEntry) -> SolverKind {
        self.systems.get(item.system).map_or_else(SolverKind::default, |system| system.solver)
    }
}
