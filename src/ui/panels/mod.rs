//! Panels at the edges of the window.

pub(super) mod compare_bar;
pub mod drawer;
pub mod inspector;
pub(super) mod labels;
pub mod menus;
pub mod outliner;
pub mod status;
pub mod top_bar;
