//! The parts of the window at its edges.

pub mod drawer;
pub mod inspector;
pub mod outliner;
pub mod status;
pub mod top_bar;
