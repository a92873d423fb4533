//! Floor 2: the simulation. No bone names, no curves, no allocation during a step.

mod setup;
pub mod solver;
pub mod unify;

pub use setup::{ColliderSetup, JointSetup, Shape, SystemSetup, TipSetup};
