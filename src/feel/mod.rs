//! How chains swing, as parameters that all solvers share: starting values, conversion between solvers, presets.

pub mod convert;
pub mod params;
pub mod preset;
pub mod starting_feel;
