//! The parts of the window at its edges.

pub mod drawer;
pub mod inspector;
pub mod menus;
pub mod outliner;
mod parts_words;
pub mod rails;
pub mod status;
pub mod steps;
pub mod strip;
pub mod top_bar;
