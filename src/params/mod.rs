//! What a tunable parameter is.
//!
//! Each solver declares its parameters once, as a const slice of [`ParamDef`] rows; everything that lists,
//! shows, checks, saves or converts parameters is a loop over such a table. A vector takes three neighbouring
//! rows. This room has no behaviour: what a value does stands in the solver's file.

mod declare;

pub use declare::{FieldValue, ParamFields, concat_entries};
pub(crate) use declare::{fields, params};
use std::ops::Index;

/// Position in a solver's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ParamId(pub u16);

impl ParamId {
    /// Position as an index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// This row and its neighbours behind.
    pub const fn consecutive<const N: usize>(self) -> [Self; N] {
        let mut rows = [self; N];
        let mut at = 1;
        while at < N {
            rows[at] = Self(self.0 + at as u16);
            at += 1;
        }
        rows
    }
}

/// What one value of a row belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParamScope {
    /// The whole system, for example `UnityChan`'s manager.
    System,
    /// A joint, authored as chain value times curve, or as the joint's own.
    Joint,
    /// A collider's shape.
    Collider,
    /// A wind or force volume.
    Force,
}

/// What a value may be; every value is stored as one `f32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamKind {
    /// Any number.
    Number,
    /// Degrees in the file and on screen alike, as the original engine keeps them.
    Degrees,
    /// 0 or 1.
    Toggle,
    /// Whole number.
    Integer,
    /// One of these, by its position.
    Choice(&'static [&'static str]),
}

/// What a number measures, for display.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A bare number.
    None,
    /// 0..=1 of something.
    Fraction,
    /// Metres, shown as millimetres where small.
    Metres,
    /// Metres per second squared.
    Acceleration,
    /// Spring constant per unit mass, 1/s².
    PerSecondSquared,
    /// Degrees.
    Degrees,
    /// Steps per second.
    PerSecond,
    /// Metres per second.
    Speed,
    /// Degrees per second.
    AngularSpeed,
    /// Seconds.
    Seconds,
    /// Swings per second.
    Hertz,
}

impl Unit {
    /// As it is written behind a number; empty for a bare number.
    pub const fn symbol(self) -> &'static str {
        match self {
            Self::None | Self::Fraction => "",
            Self::Metres => "m",
            Self::Acceleration => "m/s²",
            Self::PerSecondSquared => "1/s²",
            Self::Degrees => "°",
            Self::PerSecond => "1/s",
            Self::Speed => "m/s",
            Self::AngularSpeed => "°/s",
            Self::Seconds => "s",
            Self::Hertz => "Hz",
        }
    }
}

/// How a slider spreads its span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SliderScale {
    /// Evenly.
    Linear,
    /// By decades, with a short linear start so that zero can be reached.
    Logarithmic,
}

/// What happens to a value on the other side of the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MirrorRule {
    /// Stays.
    Same,
    /// Changes sign.
    Negate,
    /// Takes the negated value of this row of the same table.
    SwapNegate(ParamId),
}

/// What must be made anew when a value changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Invalidates {
    /// Baked numbers only; the motion goes on.
    Params,
    /// Orders and rest data.
    Topology,
}

/// What a parameter means physically, so that a feel can cross solvers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParamMeaning {
    /// Pull back to rest.
    Stiffness,
    /// Loss of speed.
    Drag,
    /// Steady pull.
    Gravity,
    /// Thickness.
    Radius,
    /// How far it may go.
    Limit,
    /// Moving air.
    Wind,
    /// What contact does to speed.
    Contact,
    /// Steps and clocks.
    Time,
    /// On and off.
    Switch,
}

/// Inspector section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ParamGroup {
    /// Stiffness, drag, forces.
    Spring,
    /// Angle limits.
    AngleLimits,
    /// Radius, contact.
    Collision,
    /// Length limits.
    LengthLimits,
    /// Per character: forces on everything.
    World,
    /// Per character: clock.
    Time,
    /// Per character: switches.
    Switches,
    /// Per character: what Yuremono does better than the engine, each with its switch.
    Improved,
}

/// Which value of its entry a row is. The rows of an entry are neighbours, in the order of these variants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryRole {
    /// The only one.
    Single,
    /// A component of a vector: 0 x, 1 y, 2 z.
    Axis(u8),
    /// The switch of a pair of limits.
    Active,
    /// The lower one of a pair of limits.
    Min,
    /// The upper one of a pair of limits.
    Max,
}

/// The rows of a pair of limits and of their switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitParams {
    /// Whether the limits act.
    pub active: ParamId,
    /// The lower one.
    pub min: ParamId,
    /// The upper one.
    pub max: ParamId,
}

impl LimitParams {
    /// The three rows from the `first` on.
    pub const fn from_first(first: ParamId) -> Self {
        let [active, min, max] = first.consecutive();
        Self { active, min, max }
    }
}

/// The rows of one entry of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryParams {
    /// A single value.
    Single(ParamId),
    /// A vector: x, y, z.
    Vector([ParamId; 3]),
    /// Two limits and their switch.
    Limits(LimitParams),
}

impl EntryParams {
    /// The first one.
    pub const fn first(&self) -> ParamId {
        match self {
            Self::Single(row) | Self::Vector([row, ..]) | Self::Limits(LimitParams { active: row, .. }) => *row,
        }
    }
}

/// One row of a solver's table: everything the program knows about one parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParamDef {
    /// Whose row it is, as translations are filed: the key of its kind; empty for numbers of shapes and forces.
    pub owner: &'static str,
    /// Name in the original engine; also the key in project files and of the owner's translations.
    pub name: &'static str,
    /// Name of the entry that the row is a value of: its own name, unless the entry has several values.
    pub entry: &'static str,
    /// Which value of the entry it is.
    pub role: EntryRole,
    /// Text beside the control, English.
    pub label: &'static str,
    /// Inspector section.
    pub group: ParamGroup,
    /// Owner of the value.
    pub scope: ParamScope,
    /// What it may be.
    pub kind: ParamKind,
    /// What it measures.
    pub unit: Unit,
    /// Beyond it the engine does nothing sensible: a warning, never a refusal.
    pub range: (f32, f32),
    /// Span of the slider.
    pub soft_range: (f32, f32),
    /// How the slider spreads it.
    pub scale: SliderScale,
    /// The engine's own default.
    pub default: f32,
    /// Whether a curve along the chain applies.
    pub curve: bool,
    /// The other side of the body.
    pub mirror: MirrorRule,
    /// What a change makes stale.
    pub invalidates: Invalidates,
    /// What it means.
    pub meaning: ParamMeaning,
    /// Yuremono's own: the engine has no such parameter, so that no file for it can carry the value.
    pub extension: bool,
    /// Names that the engine gave it in earlier releases: files may still have them.
    pub former_names: &'static [FormerName],
    /// One sentence with unit and source: tooltip, `yuremono params` and the README table.
    pub doc: &'static str,
}

/// A name that a parameter had in an earlier release of its engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormerName {
    /// The name.
    pub name: &'static str,
    /// How a value of that release becomes one of today's.
    pub migration: ValueMigration,
}

impl FormerName {
    /// Only the name was another.
    pub const fn same(name: &'static str) -> Self {
        Self { name, migration: ValueMigration::Same }
    }

    /// The value was a frequency where it is a period now.
    pub const fn reciprocal(name: &'static str) -> Self {
        Self { name, migration: ValueMigration::Reciprocal }
    }
}

/// How a value of an earlier release becomes one of today's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueMigration {
    /// Unchanged.
    Same,
    /// One over it; a frequency of 0 is the longest period.
    Reciprocal,
}

impl ValueMigration {
    /// Today's value.
    pub fn migrate(self, value: f32) -> f32 {
        match self {
            Self::Same => value,
            Self::Reciprocal if value == 0.0 => f32::MAX,
            Self::Reciprocal => (1.0 / value).clamp(f32::MIN, f32::MAX),
        }
    }
}

impl ParamDef {
    /// A nameless number of joints without limits or unit, for tables to vary.
    pub const PLAIN: Self = Self {
        owner: "",
        name: "",
        entry: "",
        role: EntryRole::Single,
        label: "",
        group: ParamGroup::Spring,
        scope: ParamScope::Joint,
        kind: ParamKind::Number,
        unit: Unit::None,
        range: (0.0, f32::MAX),
        soft_range: (0.0, 1.0),
        scale: SliderScale::Linear,
        default: 0.0,
        curve: false,
        mirror: MirrorRule::Same,
        invalidates: Invalidates::Params,
        meaning: ParamMeaning::Stiffness,
        extension: false,
        former_names: &[],
        doc: "",
    };

    /// The declared range, where the values from `low` to `high` leave it.
    pub fn range_exceeded_by(&self, low: f32, high: f32) -> Option<(f32, f32)> {
        (low < self.range.0 || high > self.range.1).then_some(self.range)
    }

    /// Which axis (0 x, 1 y, 2 z) of a vector it is.
    pub const fn axis(&self) -> Option<usize> {
        match self.role {
            EntryRole::Axis(axis) => Some(axis as usize),
            _ => None,
        }
    }

    /// The same as a switch, 0 or 1.
    #[must_use]
    pub const fn toggle(self) -> Self {
        Self { kind: ParamKind::Toggle, unit: Unit::None, range: (0.0, 1.0), soft_range: (0.0, 1.0), ..self }
    }

    /// The same as one of `choices`.
    #[must_use]
    pub const fn choice(self, choices: &'static [&'static str]) -> Self {
        let range = (0.0, (choices.len() - 1) as f32);
        Self { kind: ParamKind::Choice(choices), unit: Unit::None, range, soft_range: range, ..self }
    }

    /// The same as a share, 0 to 1.
    #[must_use]
    pub const fn fraction(self) -> Self {
        Self { kind: ParamKind::Number, unit: Unit::Fraction, range: (0.0, 1.0), soft_range: (0.0, 1.0), ..self }
    }

    /// The same in degrees.
    #[must_use]
    pub const fn degrees(self) -> Self {
        Self { kind: ParamKind::Degrees, unit: Unit::Degrees, ..self }
    }

    /// The same with any number allowed.
    #[must_use]
    pub const fn unbounded(self) -> Self {
        Self { range: (f32::MIN, f32::MAX), ..self }
    }
}

/// One value per row of a table, in table order.
#[derive(Clone, Debug, PartialEq)]
pub struct ParamSet {
    values: Box<[f32]>,
}

impl ParamSet {
    /// The engine's defaults.
    pub fn defaults(table: &[ParamDef]) -> Self {
        Self { values: table.iter().map(|row| row.default).collect() }
    }

    /// Reads one value; 0 for a row that the table does not have.
    pub fn get(&self, row: ParamId) -> f32 {
        self.values.get(row.index()).copied().unwrap_or(0.0)
    }

    /// Writes one value and returns what was there.
    pub fn set(&mut self, row: ParamId, value: f32) -> f32 {
        std::mem::replace(&mut self.values[row.index()], value)
    }

    /// How many rows.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether the table had no rows.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

impl Index<ParamId> for ParamSet {
    type Output = f32;

    fn index(&self, row: ParamId) -> &f32 {
        &self.values[row.index()]
    }
}

/// The row of that original name.
pub fn find_param(table: &[ParamDef], name: &str) -> Option<ParamId> {
    table.iter().position(|def| def.name == name).map(|i| ParamId(i as u16))
}

/// The row that has this name or had it in an earlier release, and how a value under that name becomes today's.
pub fn find_param_or_former(table: &[ParamDef], name: &str) -> Option<(ParamId, ValueMigration)> {
    let former = || {
        table.iter().enumerate().find_map(|(i, def)| {
            let former = def.former_names.iter().find(|former| former.name == name)?;
            Some((ParamId(i as u16), former.migration))
        })
    };
    find_param(table, name).map(|row| (row, ValueMigration::Same)).or_else(former)
}

/// All rows of a table with their positions.
pub fn enumerate_params(table: &'static [ParamDef]) -> impl Iterator<Item = (ParamId, &'static ParamDef)> {
    table.iter().enumerate().map(|(i, def)| (ParamId(i as u16), def))
}

/// The first row of the entry that a row belongs to.
pub fn first_of_entry(table: &[ParamDef], row: ParamId) -> ParamId {
    let before = match table.get(row.index()).map_or(EntryRole::Single, |def| def.role) {
        EntryRole::Single | EntryRole::Active => 0,
        EntryRole::Axis(axis) => u16::from(axis),
        EntryRole::Min => 1,
        EntryRole::Max => 2,
    };
    ParamId(row.0 - before)
}

/// All entries of a table: their rows, and the definition of the first one.
pub fn entries(table: &'static [ParamDef]) -> impl Iterator<Item = (EntryParams, &'static ParamDef)> {
    enumerate_params(table).filter_map(|(row, def)| {
        let entry = match def.role {
            EntryRole::Single => EntryParams::Single(row),
            EntryRole::Axis(0) => EntryParams::Vector(row.consecutive()),
            EntryRole::Active => EntryParams::Limits(LimitParams::from_first(row)),
            EntryRole::Axis(_) | EntryRole::Min | EntryRole::Max => return None,
        };
        Some((entry, def))
    })
}
