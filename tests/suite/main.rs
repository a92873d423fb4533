//! One test binary; one module per behaviour.

mod body;
mod chrome;
mod cli;
mod csv;
mod documents;
mod edits;
mod floors;
mod gui_viewport;
mod inspector;
mod loader;
mod mirror;
mod pictures;
mod project;
mod remap;
mod sample;
mod session;
mod setup_windows;
mod skirt;
mod solver_contract;
mod spring_bone_golden;
mod support;
mod tidy;
mod viewport;
mod widgets;
mod windows;
