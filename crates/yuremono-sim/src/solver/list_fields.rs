//! Definitions that the tables of list entries share.

use crate::params::{ParamDef, ParamGroup, ParamMeaning, ParamScope, Unit};

pub(super) const NUMBER: ParamDef =
    ParamDef { group: ParamGroup::World, scope: ParamScope::Force, ..ParamDef::PLAIN.unbounded() };
pub(super) const LENGTH: ParamDef = ParamDef {
    unit: Unit::Metres,
    range: (0.0, 10.0),
    soft_range: (0.0, 0.5),
    meaning: ParamMeaning::Radius,
    ..NUMBER
};
pub(super) const RATIO: ParamDef = NUMBER.fraction();
pub(super) const TOGGLE: ParamDef = ParamDef { default: 1.0, meaning: ParamMeaning::Switch, ..NUMBER.toggle() };
pub(super) const CONTACT_TOGGLE: ParamDef = ParamDef { meaning: ParamMeaning::Contact, ..TOGGLE };
