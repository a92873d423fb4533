//! How chains swing, in terms that every solver shares: starting values, conversion between solvers, presets.

pub mod convert;
pub(crate) mod default_curves;
pub mod params;
pub mod preset;
pub mod starting_feel;
