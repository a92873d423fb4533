//! One test binary; one module per behaviour.

mod chrome;
mod cli;
mod csv;
mod csv_golden;
mod csv_round;
mod csv_scene;
mod documents;
mod edits;
mod floors;
mod gui_viewport;
mod inspector;
mod loader;
mod pictures;
mod project;
mod remap;
mod sample;
mod session;
mod solver_contract;
mod spring_bone_golden;
mod support;
mod viewport;
mod widgets;
mod windows;
