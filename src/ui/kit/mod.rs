//! Widgets and their basis: texts, colours and sizes by name, icons.
//!
//! Each widget takes plain values and returns what the artist did; none holds a document. Each widget has one
//! accessible node with its visible name, works with the keyboard, and shows a focus ring.

pub mod button;
pub mod curve_editor;
pub mod fonts;
pub mod frame;
pub mod i18n;
pub mod icons;
pub mod meter;
pub mod number;
pub mod paint;
pub mod param_bar;
pub mod param_row;
pub mod section;
pub mod text_field;
pub mod theme;
pub mod toggle;
pub mod tokens;
pub mod tree_row;
