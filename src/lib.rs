//! Yuremono (揺れもの): a desktop studio for secondary motion.
//!
//! An artist opens a glTF or VRM character, drags a bone, watches hair, skirt and tail swing, tunes them live, and
//! transfers the tuning to other characters and engines by bone name. The modules are layers, the lowest first; a module
//! imports only the layers below it.

pub mod math;

pub mod diagnostics;
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

pub mod app;
pub mod cli;
