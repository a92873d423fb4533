//! The parts of the window at its edges.

pub mod drawer;
pub mod inspector;
pub mod menus;
pub mod outliner;
pub mod rails;
pub mod status;
pub mod steps;
pub mod strip;
pub mod top_bar;
