//! Yuremono (揺れもの): a desktop studio for secondary motion.
//!
//! An artist opens a glTF or VRM character, drags a bone, watches the hair, skirt and tail swing, tunes them live, and
//! transfers the values to other characters and engines by bone name. The modules are layers, listed from the lowest to
//! the highest. A module imports only lower layers.

pub mod diagnostics;
pub mod job;
pub mod math;
pub mod params;

pub mod rig;

pub mod sim;
pub mod stage;

pub mod document;

pub mod feel;

pub mod tools;

pub mod exchange;

pub mod format;

pub mod session;

pub mod renderer;
pub mod ui;

pub mod contact_sheet;

pub mod app;
pub mod cli;
