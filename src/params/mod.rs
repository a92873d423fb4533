//! Definitions of parameters.
//!
//! Each solver declares its parameters once, as a const slice of [`ParamDef`]. Everything that lists, shows, checks,
//! saves or converts parameters is a loop over such a table. A vector is three neighbouring parameters. This module has
//! no behaviour; solvers define what a value does.

mod declare;

pub use declare::{FieldValue, ParamFields, concat_entries};
pub(crate) use declare::{fields, params};
use std::ops::Index;

/// Id of a parameter: its index in the solver's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ParamId(pub u16);

impl ParamId {
    /// The id as an index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// `N` consecutive ids, starting with this one.
    pub const fn consecutive<const N: usize>(self) -> [Self; N] {
        let mut ids = [self; N];
        let mut at = 1;
        while at < N {
            ids[at] = Self(self.0 + at as u16);
            at += 1;
        }
        ids
    }
}

/// The owner of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParamScope {
    /// The system, for example `UnityChan`'s manager.
    System,
    /// A joint: the chain value times the curve, or an override of the joint.
    Joint,
    /// The shape of a collider.
    Collider,
    /// A wind or force volume.
    Force,
}

/// Type of a value. Every value is stored as one `f32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamKind {
    /// Any number.
    Number,
    /// Degrees in files and on screen.
    Degrees,
    /// 0 or 1.
    Toggle,
    /// Whole number.
    Integer,
    /// Index of a choice.
    Choice(&'static [&'static str]),
}

/// Unit of a number, for display.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// No unit.
    None,
    /// A fraction, 0..=1.
    Fraction,
    /// Metres; small values are shown in millimetres.
    Metres,
    /// Metres per second squared.
    Acceleration,
    /// Spring constant per unit mass, 1/s².
    PerSecondSquared,
    /// Degrees.
    Degrees,
    /// Per second.
    PerSecond,
    /// Metres per second.
    Speed,
    /// Degrees per second.
    AngularSpeed,
    /// Seconds.
    Seconds,
    /// Cycles per second.
    Hertz,
}

impl Unit {
    /// The symbol after a number; empty for numbers without unit.
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

/// Scale of a slider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SliderScale {
    /// Linear.
    Linear,
    /// Logarithmic, with a short linear start that reaches zero.
    Logarithmic,
}

/// How a value changes when a chain is mirrored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MirrorRule {
    /// Unchanged.
    Same,
    /// Negated.
    Negate,
    /// Replaced by the negated value of another parameter of the same table.
    SwapNegate(ParamId),
}

/// What a change of the value invalidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Invalidates {
    /// Baked parameters; the motion continues.
    Params,
    /// Joint order and rest data: the world is rebuilt.
    Topology,
}

/// Physical meaning of a parameter, for conversion between solvers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParamMeaning {
    /// Force towards the rest pose.
    Stiffness,
    /// Loss of velocity.
    Drag,
    /// Constant acceleration.
    Gravity,
    /// Radius for collisions.
    Radius,
    /// Limit of angle or distance.
    Limit,
    /// Influence of wind.
    Wind,
    /// Friction and bounce.
    Contact,
    /// Time steps and time scale.
    Time,
    /// A switch.
    Switch,
}

/// Section of the inspector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ParamGroup {
    /// Stiffness, drag, forces.
    Spring,
    /// Angle limits.
    AngleLimits,
    /// Radius and contact.
    Collision,
    /// Length limits.
    LengthLimits,
    /// Per system: gravity, wind, ground.
    World,
    /// Per system: time steps.
    Time,
    /// Per system: switches.
    Switches,
    /// Per system: improvements of the solver, each with a switch.
    Improved,
}

/// Role of a parameter in its entry. The parameters of an entry are neighbours, in the order of these variants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryRole {
    /// The only value.
    Single,
    /// A component of a vector: 0 x, 1 y, 2 z.
    Axis(u8),
    /// Switch of a pair of limits.
    Active,
    /// Lower limit.
    Min,
    /// Upper limit.
    Max,
}

/// The parameters of a pair of limits and their switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitParams {
    /// Whether the limits are on.
    pub active: ParamId,
    /// Lower limit.
    pub min: ParamId,
    /// Upper limit.
    pub max: ParamId,
}

impl LimitParams {
    /// Three consecutive parameters, starting with `first`.
    pub const fn from_first(first: ParamId) -> Self {
        let [active, min, max] = first.consecutive();
        Self { active, min, max }
    }
}

/// The parameters of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryParams {
    /// A single value.
    Single(ParamId),
    /// A vector: x, y, z.
    Vector([ParamId; 3]),
    /// Two limits with a switch.
    Limits(LimitParams),
}

impl EntryParams {
    /// The first parameter.
    pub const fn first(&self) -> ParamId {
        match self {
            Self::Single(param) | Self::Vector([param, ..]) | Self::Limits(LimitParams { active: param, .. }) => *param,
        }
    }
}

/// The definition of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParamDef {
    /// Owner of the translations: the key of the solver; empty for shapes and forces.
    pub owner: &'static str,
    /// Name in the original solver; also the key in files and in the owner's translations.
    pub name: &'static str,
    /// Name of the entry; equal to `name` unless the entry has several values.
    pub entry: &'static str,
    /// Role in the entry.
    pub role: EntryRole,
    /// English label.
    pub label: &'static str,
    /// Section of the inspector.
    pub group: ParamGroup,
    /// What the value belongs to.
    pub scope: ParamScope,
    /// Type of the value.
    pub kind: ParamKind,
    /// Unit of the value.
    pub unit: Unit,
    /// Values outside this range give a warning; they are never rejected.
    pub range: (f32, f32),
    /// Range of the slider.
    pub soft_range: (f32, f32),
    /// Scale of the slider.
    pub scale: SliderScale,
    /// Default of the original solver.
    pub default: f32,
    /// Whether a chain can have a curve for the value.
    pub curve: bool,
    /// How mirroring changes the value.
    pub mirror: MirrorRule,
    /// What a change invalidates.
    pub invalidates: Invalidates,
    /// Physical meaning.
    pub meaning: ParamMeaning,
    /// Whether this is an extension of Yuremono: the files of the original solver cannot store the value.
    pub extension: bool,
    /// Names in earlier releases of the original solver; files may still use them.
    pub former_names: &'static [FormerName],
    /// One sentence with unit and source: tooltip, `yuremono params` and the tables of the docs.
    pub doc: &'static str,
}

/// A name that a parameter had in an earlier release of the original solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormerName {
    /// Former name.
    pub name: &'static str,
    /// Conversion of values under that name.
    pub migration: ValueMigration,
}

impl FormerName {
    /// Only the name differed.
    pub const fn same(name: &'static str) -> Self {
        Self { name, migration: ValueMigration::Same }
    }

    /// The value was a frequency and is a period now.
    pub const fn reciprocal(name: &'static str) -> Self {
        Self { name, migration: ValueMigration::Reciprocal }
    }
}

/// Conversion of a value of an earlier release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueMigration {
    /// Unchanged.
    Same,
    /// 1 / value; a frequency of 0 becomes the longest period.
    Reciprocal,
}

impl ValueMigration {
    /// The converted value.
    pub fn migrate(self, value: f32) -> f32 {
        match self {
            Self::Same => value,
            Self::Reciprocal if value == 0.0 => f32::MAX,
            Self::Reciprocal => (1.0 / value).clamp(f32::MIN, f32::MAX),
        }
    }
}

impl ParamDef {
    /// A joint parameter without name, limits or unit; the base of other definitions.
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

    /// The declared range, if `low..=high` is not inside.
    pub fn range_exceeded_by(&self, low: f32, high: f32) -> Option<(f32, f32)> {
        (low < self.range.0 || high > self.range.1).then_some(self.range)
    }

    /// Axis in a vector: 0 x, 1 y, 2 z.
    pub const fn axis(&self) -> Option<usize> {
        match self.role {
            EntryRole::Axis(axis) => Some(axis as usize),
            _ => None,
        }
    }

    /// As a switch, 0 or 1.
    #[must_use]
    pub const fn toggle(self) -> Self {
        Self { kind: ParamKind::Toggle, unit: Unit::None, range: (0.0, 1.0), soft_range: (0.0, 1.0), ..self }
    }

    /// As one of `choices`.
    #[must_use]
    pub const fn choice(self, choices: &'static [&'static str]) -> Self {
        let range = (0.0, (choices.len() - 1) as f32);
        Self { kind: ParamKind::Choice(choices), unit: Unit::None, range, soft_range: range, ..self }
    }

    /// As a fraction, 0 to 1.
    #[must_use]
    pub const fn fraction(self) -> Self {
        Self { kind: ParamKind::Number, unit: Unit::Fraction, range: (0.0, 1.0), soft_range: (0.0, 1.0), ..self }
    }

    /// In degrees.
    #[must_use]
    pub const fn degrees(self) -> Self {
        Self { kind: ParamKind::Degrees, unit: Unit::Degrees, ..self }
    }

    /// Without range.
    #[must_use]
    pub const fn unbounded(self) -> Self {
        Self { range: (f32::MIN, f32::MAX), ..self }
    }
}

/// One value per parameter, in table order.
#[derive(Clone, Debug, PartialEq)]
pub struct ParamSet {
    values: Box<[f32]>,
}

impl ParamSet {
    /// The defaults of the original solver.
    pub fn defaults(table: &[ParamDef]) -> Self {
        Self { values: table.iter().map(|param| param.default).collect() }
    }

    /// Reads a value; 0 if the table does not have the parameter.
    pub fn get(&self, param: ParamId) -> f32 {
        self.values.get(param.index()).copied().unwrap_or(0.0)
    }

    /// Writes a value and returns the previous one.
    pub fn set(&mut self, param: ParamId, value: f32) -> f32 {
        std::mem::replace(&mut self.values[param.index()], value)
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

impl Index<ParamId> for ParamSet {
    type Output = f32;

    fn index(&self, param: ParamId) -> &f32 {
        &self.values[param.index()]
    }
}

/// The parameter with that name in the original solver.
pub fn find_param(table: &[ParamDef], name: &str) -> Option<ParamId> {
    table.iter().position(|def| def.name == name).map(|i| ParamId(i as u16))
}

/// The parameter that has or had this name, and the conversion of values under that name.
pub fn find_param_or_former(table: &[ParamDef], name: &str) -> Option<(ParamId, ValueMigration)> {
    let former = || {
        table.iter().enumerate().find_map(|(i, def)| {
            let former = def.former_names.iter().find(|former| former.name == name)?;
            Some((ParamId(i as u16), former.migration))
        })
    };
    find_param(table, name).map(|param| (param, ValueMigration::Same)).or_else(former)
}

/// All parameters of a table with their ids.
pub fn enumerate_params(table: &'static [ParamDef]) -> impl Iterator<Item = (ParamId, &'static ParamDef)> {
    table.iter().enumerate().map(|(i, def)| (ParamId(i as u16), def))
}

/// The first parameter of an entry.
pub fn first_of_entry(table: &[ParamDef], param: ParamId) -> ParamId {
    let before = match table.get(param.index()).map_or(EntryRole::Single, |def| def.role) {
        EntryRole::Single | EntryRole::Active => 0,
        EntryRole::Axis(axis) => u16::from(axis),
        EntryRole::Min => 1,
        EntryRole::Max => 2,
    };
    ParamId(param.0 - before)
}

/// All entries of a table: their ids, and the definition of the first parameter.
pub fn entries(table: &'static [ParamDef]) -> impl Iterator<Item = (EntryParams, &'static ParamDef)> {
    enumerate_params(table).filter_map(|(param, def)| {
        let entry = match def.role {
            EntryRole::Single => EntryParams::Single(param),
            EntryRole::Axis(0) => EntryParams::Vector(param.consecutive()),
            EntryRole::Active => EntryParams::Limits(LimitParams::from_first(param)),
            EntryRole::Axis(_) | EntryRole::Min | EntryRole::Max => return None,
        };
        Some((entry, def))
    })
}
