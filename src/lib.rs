//! Yuremono (揺れもの, "things that sway"): a desktop studio for secondary motion.
//!
//! An artist opens a glTF or VRM character, drags a bone, watches hair, skirt and tail swing, tunes them live,
//! and carries the tuning to other characters and engines by bone name. The rooms of the house, floor by floor;
//! a room uses only floors below its own.

pub mod math;

pub mod report;
pub mod rig;
pub mod schema;

pub mod sim;
pub mod stage;

pub mod doc;

pub mod format;

pub mod session;

pub mod ui;
pub mod view;

pub mod app;
pub mod cli;
