//! The parts of the window at its edges.

pub mod collapsed_panels;
pub mod drawer;
pub mod inspector;
pub(super) mod labels;
pub mod menus;
pub mod outliner;
pub mod status;
pub mod top_bar;
pub mod viewport_menu;
