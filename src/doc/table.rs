//! A table of parameters by bone name: `UnityChan`'s "dynamics CSV" in memory, and its like for every other solver.
//!
//! A table of another solver has its bones in a section that is called after the solver, for example `[VRM]`. Their
//! columns are the solver's own parameters of joints, in the order of its table: numbers, choices by their number,
//! switches as `True` or `False`; then come the names of all colliders that push the joint. There are no pivots and no
//! length limits, and no version row, so that `UnityChan`'s window leaves the bones of its own alone. All other
//! sections are as `UnityChan`'s, with more types of colliders. What has no column stands in comment rows, see
//! [`Extra`].
//!
//! Numbers stand as the file has them, in Unity's left-handed space with degrees; [`super::import`] carries them
//! into a document and back. Nothing of a file is lost: rows that cannot be understood keep their cells and say
//! why, and sections that nobody knows are kept as raw rows. Bytes are the business of the format room.

mod cells;
mod columns;
mod extra;
mod fault;
mod format;
mod tree;

pub use crate::doc::form::Mentions;
pub use cells::{Layout, has_decimal_comma, number_text, parse_number};
pub use columns::{
    COLLIDER_HEADERS, COMPONENT, MORE_COLLIDER_HEADERS, PIVOT_HEADER, collider_row, collider_text, component_row,
    component_text, null_row, null_text, pivot_row, pivot_text,
};
pub use extra::{EXTRA, Extra, ForceCells, ListCells, escape, extra_row, extra_text, unescape};
pub use fault::{Fault, Problem};
pub use format::TableFormat;
pub use tree::Tree;

use super::Axis;
use crate::schema::ParamSet;
use crate::sim::{Shape, SolverKind};

/// How the bytes of a table stood in its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// What kind of file it was.
    pub format: TableFormat,
    /// Name of the encoding, for example `UTF-8`.
    pub encoding: &'static str,
    /// Whether the file began with a byte order mark.
    pub bom: bool,
    /// What stood most often between cells.
    pub separator: char,
    /// What ended the first line.
    pub line_end: LineEnd,
    /// Whether numbers were written as `0,5`.
    pub decimal_comma: bool,
}

impl Default for Source {
    fn default() -> Self {
        let (format, line_end) = (TableFormat::Csv, LineEnd::Lf);
        Self { format, encoding: "UTF-8", bom: false, separator: ',', line_end, decimal_comma: false }
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

/// A row that is kept though it cannot be used.
#[derive(Clone, Debug, PartialEq)]
pub struct BadRow {
    /// The cells after the name.
    pub cells: Vec<String>,
    /// Never empty.
    pub problems: Vec<Problem>,
}

/// A row of a section.
#[derive(Clone, Debug, PartialEq)]
pub struct TableRow<T> {
    /// 1-based line in the file; 0 where there is none.
    pub line: u64,
    /// The first cell, as the file has it.
    pub name: String,
    /// The rest of the row.
    pub cells: Result<T, BadRow>,
}

impl<T> TableRow<T> {
    /// A row that comes from no file.
    pub fn new(name: impl Into<String>, cells: T) -> Self {
        Self { line: 0, name: name.into(), cells: Ok(cells) }
    }
}

/// A row of the bone section.
pub type BoneRow = TableRow<BoneCells>;
/// A row of the pivot section.
pub type PivotRow = TableRow<PivotCells>;
/// A row of the collider section.
pub type ColliderRow = TableRow<ColliderCells>;
/// A row of the section of bare nodes.
pub type NullRow = TableRow<NodeCells>;
/// A row of the component section; its name is that of the node.
pub type ComponentRow = TableRow<HighLegCells>;
/// A comment row of Yuremono's own; its name is what kind of thing it says.
pub type ExtraRow = TableRow<Extra>;

/// One entry of a bone's length limits.
#[derive(Clone, Debug, PartialEq)]
pub struct LengthTarget {
    /// Name of the other bone.
    pub bone: String,
    /// Written by the original as 1.01 and never read.
    pub ratio: f32,
}

/// What a row says about its bone.
#[derive(Clone, Debug, PartialEq)]
pub struct BoneCells {
    /// One number per row of the solver's table, Unity space; only rows of joint scope are meant.
    pub values: ParamSet,
    /// Name of the node that the angle limits refer to; may be empty.
    pub pivot: String,
    /// Usually none.
    pub length_targets: Vec<LengthTarget>,
    /// Names of the colliders that push this bone.
    pub colliders: Vec<String>,
}

/// What a pivot row says.
#[derive(Clone, Debug, PartialEq)]
pub struct PivotCells {
    /// Name of the node that the pivot hangs on.
    pub parent: String,
    /// Unity's local Euler angles x, y, z in degrees; applied z, then x, then y.
    pub euler_deg: [f32; 3],
}

/// How a node stands on its parent, in Unity's space.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeCells {
    /// Name of the node that it hangs on.
    pub parent: String,
    /// Metres.
    pub position: [f32; 3],
    /// Unity's local Euler angles x, y, z in degrees; applied z, then x, then y.
    pub euler_deg: [f32; 3],
    /// Factor along each axis.
    pub scale: [f32; 3],
}

/// What a collider row says.
#[derive(Clone, Debug, PartialEq)]
pub struct ColliderCells {
    /// Where it stands.
    pub node: NodeCells,
    /// What it is; metres in the node's space.
    pub shape: Shape,
    /// Name of the mesh that it goes with; may be empty.
    pub renderer: String,
}

/// What a component row says of a node that leans with the raised thigh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HighLegCells {
    /// Name of the node whose forward and up are meant.
    pub hip: String,
    /// Names of the start and the end of each leg.
    pub legs: Vec<[String; 2]>,
}

/// A kind of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Section {
    /// `[SpringBones]`, or what [`bones_name`] says of another solver.
    Bones,
    /// `[Pivots]`.
    Pivots,
    /// `[Colliders]`.
    Colliders,
    /// `[DynamicsNulls]`.
    Nulls,
    /// `[Components]`.
    Components,
    /// Comment rows of Yuremono's own.
    Extras,
}

impl Section {
    /// In the order in which they are written.
    pub const ALL: [Self; 6] =
        [Self::Bones, Self::Pivots, Self::Colliders, Self::Nulls, Self::Components, Self::Extras];

    /// The bracketed name; that of comment rows is what each begins with.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bones => "[SpringBones]",
            Self::Pivots => "[Pivots]",
            Self::Colliders => "[Colliders]",
            Self::Nulls => "[DynamicsNulls]",
            Self::Components => "[Components]",
            Self::Extras => EXTRA,
        }
    }

    /// The section of a bracketed name, in any case.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().filter(|s| *s != Self::Extras).find(|s| s.name().eq_ignore_ascii_case(name))
    }
}

/// A row that is given back as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawRow {
    /// 1-based line in the file; 0 where there is none.
    pub line: u64,
    /// All cells, comments included.
    pub cells: Vec<String>,
}

/// A section that is given back as it came: second ones and unknown ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawSection {
    /// The first cell is the name in brackets.
    pub header: RawRow,
    /// In file order.
    pub rows: Vec<RawRow>,
}

impl RawSection {
    /// Whether the section has this bracketed name, in any case.
    pub fn is(&self, name: &str) -> bool {
        self.header.cells.first().is_some_and(|c| c.eq_ignore_ascii_case(name))
    }
}

/// Most systems that one file may hold, for whoever reads it: each goes over the whole document.
pub const MOST_SYSTEMS: usize = 64;

/// A dynamics CSV in memory, Unity space.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BoneTable {
    /// Whose parameters these are.
    pub solver: SolverKind,
    /// The version row; `None` where it is missing or no number.
    pub version: Option<u32>,
    /// How the bytes stood.
    pub source: Source,
    /// Which axis changes sign between the table's space and glTF's, where the file says so.
    pub mirror: Option<Axis>,
    /// Chains that the file names by their roots; rows of bones come of them on a skeleton.
    pub trees: Vec<Tree>,
    /// Bone rows in file order, bad ones included.
    pub bones: Vec<BoneRow>,
    /// Pivot rows in file order, bad ones included.
    pub pivots: Vec<PivotRow>,
    /// Collider rows in file order, bad ones included.
    pub colliders: Vec<ColliderRow>,
    /// Rows of bare nodes in file order, bad ones included.
    pub nulls: Vec<NullRow>,
    /// Component rows in file order, those of unknown components included.
    pub components: Vec<ComponentRow>,
    /// Comment rows that say what the original has no place for.
    pub extras: Vec<ExtraRow>,
    /// Sections and lines of rows without any text; the original takes them for broken rows.
    pub blanks: Vec<(Section, u64)>,
    /// Whether the original would not touch bones, since neither a version nor a bone section is there.
    pub no_bones: bool,
    /// All other sections in file order.
    pub sections: Vec<RawSection>,
}

impl BoneTable {
    /// An empty table of the version that is written today.
    pub fn new(solver: SolverKind) -> Self {
        Self { solver, version: Some(4), ..Self::default() }
    }

    /// Whether a name in any row is not ASCII: of a row itself, its parent, pivot, length target or collider.
    pub fn has_non_ascii_name(&self) -> bool {
        let bad = |name: &str| !name.is_ascii();
        let bone = |row: &BoneRow| {
            bad(&row.name)
                || row.cells.as_ref().is_ok_and(|cells| {
                    bad(&cells.pivot)
                        || cells.colliders.iter().any(|name| bad(name))
                        || cells.length_targets.iter().any(|target| bad(&target.bone))
                })
        };
        let pivot = |row: &PivotRow| bad(&row.name) || row.cells.as_ref().is_ok_and(|cells| bad(&cells.parent));
        let collider =
            |row: &ColliderRow| bad(&row.name) || row.cells.as_ref().is_ok_and(|cells| bad(&cells.node.parent));
        let null = |row: &NullRow| bad(&row.name) || row.cells.as_ref().is_ok_and(|cells| bad(&cells.parent));
        self.bones.iter().any(bone)
            || self.pivots.iter().any(pivot)
            || self.colliders.iter().any(collider)
            || self.nulls.iter().any(null)
            || self.components.iter().any(|row| bad(&row.name))
    }

    /// The first section of a bracketed name, in any case.
    pub fn section(&self, name: &str) -> Option<&RawSection> {
        self.sections.iter().find(|s| s.is(name))
    }

    /// What the component that it is of is called; `None` where it does not say.
    pub fn system_name(&self) -> Option<&str> {
        self.extras.iter().rev().find_map(|row| match &row.cells {
            Ok(Extra::Named { name }) if !name.is_empty() => Some(name.as_str()),
            _ => None,
        })
    }

    /// Forgets lines and how the bytes stood, so that tables can be compared by what they say.
    #[must_use]
    pub fn without_source(mut self) -> Self {
        fn forget<T>(rows: &mut [TableRow<T>]) {
            for row in rows {
                row.line = 0;
            }
        }
        self.source = Source::default();
        forget(&mut self.bones);
        forget(&mut self.pivots);
        forget(&mut self.colliders);
        forget(&mut self.nulls);
        forget(&mut self.components);
        forget(&mut self.extras);
        for row in &mut self.extras {
            if let Ok(Extra::Lists(cells)) = &mut row.cells {
                cells.mentions = Mentions::default();
            }
        }
        self.blanks.clear();
        for section in &mut self.sections {
            section.header.line = 0;
            section.rows.iter_mut().for_each(|r| r.line = 0);
        }
        self
    }

    /// Whether the original would bring in colliders, nulls and components.
    pub fn has_collider_rules(&self) -> bool {
        self.version != Some(3)
    }
}

/// Whether joints have a pivot and length limits there, as `UnityChan`'s do.
pub const fn has_pivots(kind: SolverKind) -> bool {
    matches!(kind, SolverKind::UnityChanSpringBone)
}

/// The bracketed name of the section of a solver's bones.
pub fn bones_name(kind: SolverKind) -> String {
    match kind {
        SolverKind::UnityChanSpringBone => Section::Bones.name().to_owned(),
        other => format!("[{}]", other.key()),
    }
}

/// Whose bones stand in a section of that bracketed name, in any case.
pub fn bones_of(name: &str) -> Option<SolverKind> {
    SolverKind::ALL.iter().copied().find(|kind| bones_name(*kind).eq_ignore_ascii_case(name))
}

/// Whether a spreadsheet would take the name for a formula.
pub fn looks_like_formula(name: &str) -> bool {
    name.starts_with(['=', '+', '-', '@'])
}

/// Why a name cannot be read back from a table, if so.
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
