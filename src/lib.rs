//! Yuremono (揺れもの): a desktop studio for secondary motion.
//!
//! An artist opens a glTF or VRM character, drags a bone, watches the hair, skirt and tail swing, tunes them live, and
//! transfers the values to other characters and engines by bone name. This package has the window, the drawing and the
//! command line; the crates in `crates/` have everything else. The modules are layers, listed from the lowest to the
//! highest. A module imports only lower layers.

pub mod parallel;
pub mod stage;
pub mod vmc;

pub mod renderer;
pub mod ui;

pub mod contact_sheet;

pub mod app;
#[cfg(not(target_arch = "wasm32"))]
pub mod cli;
