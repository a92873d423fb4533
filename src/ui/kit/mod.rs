//! Widgets, and their shared base: texts, named colours and sizes, and icons.
//!
//! Each widget reads plain values and returns the action of the artist. No widget stores a document. Each widget has
//! one accessible node with its visible name, works with the keyboard, and shows a focus ring.

pub mod button;
pub mod collapsible_section;
pub mod curve_editor;
pub mod first_field;
pub mod fonts;
pub mod frame;
pub mod i18n;
pub mod icons;
pub mod meter;
pub mod number;
pub mod paint;
pub mod param_bar;
pub mod param_row;
pub mod property_row;
pub mod ring_editor;
pub mod text_field;
pub mod theme;
pub mod toggle;
pub mod tokens;
pub mod tree_row;
