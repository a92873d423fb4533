//! The swing of chains, in terms that all solvers share: starting values, conversion between solvers, presets.

pub mod convert;
pub mod params;
pub mod preset;
pub mod starting_feel;
