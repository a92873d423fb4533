//! Definitions of parameters.
//!
//! Each solver declares its parameters once, as a const slice of [`ParamDef`]. All code that lists, shows, checks,
//! saves or converts parameters loops over this table. A vector is three consecutive parameters. This module has no
//! behaviour; solvers define the effect of a value.

mod declare;

use crate::diagnostics::MessageText;
pub use declare::{FieldValue, ParamFields, concat_entries};
pub(crate) use declare::{fields, params};
use std::ops::Index;

/// Id of a parameter: its index in the solver's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ParamId(pub u16);

impl ParamId {
    /// Returns the id as an index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns `N` consecutive ids, starting with this id.
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

/// Type of a value. Every value is stored as an `f32`.
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
    /// Metres. Small values are displayed in millimetres.
    Metres,
    /// Metres per second squared.
    Acceleration,
    /// Spring constant per unit mass, in 1/s².
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
    /// Returns the symbol that follows a number, or an empty string if there is no symbol.
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
    /// Logarithmic, with a short linear part at zero.
    Logarithmic,
}

/// How a value changes when a chain is mirrored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MirrorRule {
    /// Unchanged.
    Same,
    /// Negated.
    Negate,
    /// Replaced with the negated value of another parameter in the same table.
    SwapNegate(ParamId),
}

/// The axes that a value depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamFrame {
    /// Those of the world or of the component, or none.
    World,
    /// Those of the joint's bone.
    Bone,
    /// Those of the joint's bone, along the axis that a choice of the same table names. The value is negated with the
    /// axis.
    BoneAxis(ParamId),
    /// The space whose X points along the bone, while `unless` is at its first choice. Otherwise those of the bone.
    AlongBone {
        /// The choice of another axis.
        unless: ParamId,
    },
}

/// What a change of the value invalidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Invalidates {
    /// The baked parameters; the motion continues.
    Params,
    /// The joint order and rest data; the world is rebuilt.
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
    /// Limit of an angle or distance.
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

/// Role of a parameter in its entry. The parameters of an entry are consecutive, in the order of these variants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryRole {
    /// The only value.
    Single,
    /// A component of a vector: 0 is x, 1 is y, 2 is z.
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
    /// Returns three consecutive parameters, starting with `first`.
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
    /// Returns the first parameter.
    pub const fn first(&self) -> ParamId {
        match self {
            Self::Single(param) | Self::Vector([param, ..]) | Self::Limits(LimitParams { active: param, .. }) => *param,
        }
    }
}

/// The definition of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParamDef {
    /// Key of the solver whose locale entries translate this parameter. Empty for shapes and forces.
    pub owner: &'static str,
    /// Name in the original solver. Also the key in files and in the owner's translations.
    pub name: &'static str,
    /// Name of the entry. Equal to `name` unless the entry has several values.
    pub entry_name: &'static str,
    /// Role in the entry.
    pub role: EntryRole,
    /// English label.
    pub label: &'static str,
    /// Section of the inspector.
    pub group: ParamGroup,
    /// The owner of the value.
    pub scope: ParamScope,
    /// Type of the value.
    pub kind: ParamKind,
    /// Unit of the value.
    pub unit: Unit,
    /// Values outside this range cause a warning but are never rejected.
    pub range: (f32, f32),
    /// Range of the slider.
    pub soft_range: (f32, f32),
    /// Scale of the slider.
    pub scale: SliderScale,
    /// Default value. Usually that of the original solver.
    pub default: f32,
    /// Whether a chain can have a curve for the value.
    pub curve: bool,
    /// How the value changes when a chain is mirrored.
    pub mirror: MirrorRule,
    /// The axes that the value depends on.
    pub frame: ParamFrame,
    /// What a change invalidates.
    pub invalidates: Invalidates,
    /// Physical meaning.
    pub meaning: ParamMeaning,
    /// Whether the parameter is a Yuremono extension. The files of the original solver cannot store the value.
    pub extension: bool,
    /// Names in earlier releases of the original solver. Files may still use these names.
    pub former_names: &'static [FormerName],
    /// One sentence with unit and source, for tooltips, `yuremono params` and the tables of the docs.
    pub doc: &'static str,
}

/// A name that a parameter had in an earlier release of the original solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormerName {
    /// Former name.
    pub name: &'static str,
    /// How values under that name are converted.
    pub migration: ValueMigration,
}

impl FormerName {
    /// Creates a former name whose values are unchanged.
    pub const fn same(name: &'static str) -> Self {
        Self { name, migration: ValueMigration::Same }
    }

    /// Creates a former name for a frequency that is now a period.
    pub const fn reciprocal(name: &'static str) -> Self {
        Self { name, migration: ValueMigration::Reciprocal }
    }
}

/// How a value of an earlier release is converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueMigration {
    /// Unchanged.
    Same,
    /// 1 / value. A frequency of 0 becomes the longest period.
    Reciprocal,
}

impl ValueMigration {
    /// Returns the converted value.
    pub fn migrate(self, value: f32) -> f32 {
        match self {
            Self::Same => value,
            Self::Reciprocal if value == 0.0 => f32::MAX,
            Self::Reciprocal => (1.0 / value).clamp(f32::MIN, f32::MAX),
        }
    }
}

impl ParamDef {
    /// Returns the label as a text that can be translated.
    pub const fn label_text(&self) -> MessageText {
        MessageText::without_args(self.label)
    }

    /// A joint parameter without name, limits or unit; the base of other definitions.
    pub const PLAIN: Self = Self {
        owner: "",
        name: "",
        entry_name: "",
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
        frame: ParamFrame::World,
        invalidates: Invalidates::Params,
        meaning: ParamMeaning::Stiffness,
        extension: false,
        former_names: &[],
        doc: "",
    };

    /// Whether the value depends on the axes of the joint's bone.
    pub fn in_bone_frame(&self) -> bool {
        self.frame != ParamFrame::World
    }

    /// Returns the declared range if `low..=high` is not inside the range.
    pub fn range_exceeded_by(&self, low: f32, high: f32) -> Option<(f32, f32)> {
        (low < self.range.0 || high > self.range.1).then_some(self.range)
    }

    /// Returns the axis in a vector: 0 is x, 1 is y, 2 is z.
    pub const fn axis(&self) -> Option<usize> {
        match self.role {
            EntryRole::Axis(axis) => Some(axis as usize),
            _ => None,
        }
    }

    /// Makes the parameter a switch, 0 or 1.
    #[must_use]
    pub const fn toggle(self) -> Self {
        Self { kind: ParamKind::Toggle, unit: Unit::None, range: (0.0, 1.0), soft_range: (0.0, 1.0), ..self }
    }

    /// Makes the parameter a choice from `choices`.
    #[must_use]
    pub const fn choice(self, choices: &'static [&'static str]) -> Self {
        let range = (0.0, (choices.len() - 1) as f32);
        Self { kind: ParamKind::Choice(choices), unit: Unit::None, range, soft_range: range, ..self }
    }

    /// Makes the parameter a fraction, 0 to 1.
    #[must_use]
    pub const fn fraction(self) -> Self {
        Self { kind: ParamKind::Number, unit: Unit::Fraction, range: (0.0, 1.0), soft_range: (0.0, 1.0), ..self }
    }

    /// Makes the parameter an angle in degrees.
    #[must_use]
    pub const fn degrees(self) -> Self {
        Self { kind: ParamKind::Degrees, unit: Unit::Degrees, ..self }
    }

    /// Removes the range.
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
    /// Creates a set with the default of each parameter.
    pub fn defaults(table: &[ParamDef]) -> Self {
        Self { values: table.iter().map(|param| param.default).collect() }
    }

    /// Returns a value, or 0 if the table does not have the parameter.
    pub fn get(&self, param: ParamId) -> f32 {
        self.values.get(param.index()).copied().unwrap_or(0.0)
    }

    /// Writes a value and returns the previous value.
    pub fn set(&mut self, param: ParamId, value: f32) -> f32 {
        std::mem::replace(&mut self.values[param.index()], value)
    }

    /// Returns the number of values.
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

/// Returns the parameter that has this name in the original solver.
pub fn find_param(table: &[ParamDef], name: &str) -> Option<ParamId> {
    table.iter().position(|def| def.name == name).map(|i| ParamId(i as u16))
}

/// Returns the parameter that has or had this name, and the conversion of values under that name.
pub fn find_param_or_former(table: &[ParamDef], name: &str) -> Option<(ParamId, ValueMigration)> {
    let former = || {
        table.iter().enumerate().find_map(|(i, def)| {
            let former = def.former_names.iter().find(|former| former.name == name)?;
            Some((ParamId(i as u16), former.migration))
        })
    };
    find_param(table, name).map(|param| (param, ValueMigration::Same)).or_else(former)
}

/// Returns all parameters of a table with their ids.
pub fn enumerate_params(table: &'static [ParamDef]) -> impl Iterator<Item = (ParamId, &'static ParamDef)> {
    table.iter().enumerate().map(|(i, def)| (ParamId(i as u16), def))
}

/// Returns the first parameter of an entry.
pub fn first_of_entry(table: &[ParamDef], param: ParamId) -> ParamId {
    let before = match table.get(param.index()).map_or(EntryRole::Single, |def| def.role) {
        EntryRole::Single | EntryRole::Active => 0,
        EntryRole::Axis(axis) => u16::from(axis),
        EntryRole::Min => 1,
        EntryRole::Max => 2,
    };
    ParamId(param.0 - before)
}

/// Returns the parameter that has the value after a mirroring along an axis (0 is x), and whether the value changes sign.
/// The function is its own inverse. Only the components of vectors move or change sign. The first parameter of a vector
/// has the mirror rule.
pub fn mirrored_component(table: &[ParamDef], param: ParamId, axis: usize) -> (ParamId, bool) {
    let mirror = |index: usize| table.get(index).map_or(MirrorRule::Same, |def| def.mirror);
    let Some(component) = table.get(param.index()).and_then(ParamDef::axis) else { return (param, false) };
    let first = first_of_entry(table, param).index();
    let change = match (mirror(first), mirror(first + 1)) {
        // For a rotation axis or angles, the component along the mirrored axis keeps its sign.
        (MirrorRule::Same, turned) if component != axis => turned,
        (MirrorRule::Same, _) => MirrorRule::Same,
        (along, _) if component == axis => along,
        _ => MirrorRule::Same,
    };
    match change {
        MirrorRule::Same => (param, false),
        MirrorRule::Negate => (param, true),
        // Use the same component of the partner vector.
        MirrorRule::SwapNegate(partner) => (ParamId(first_of_entry(table, partner).0 + component as u16), true),
    }
}

/// Returns all entries of a table, each with its ids and the definition of its first parameter.
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
