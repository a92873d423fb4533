//! How chains swing, as parameters that all solvers share: starting values, conversion between solvers, presets.

pub mod convert;
pub mod params;
pub mod preset;
pub mod ring_down;
pub mod starting_feel;
