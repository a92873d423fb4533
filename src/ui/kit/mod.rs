//! The pieces that windows and panels are made of: words, colours and sizes by name, icons, and widgets.
//!
//! Each widget takes plain values and returns what the artist did; none holds a document. All have one accessible node
//! with the name that the artist reads, can be worked with the keyboard, and show a ring when they have it.

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
pub mod range_bar;
pub mod section;
pub mod span;
pub mod text_field;
pub mod theme;
pub mod toggle;
pub mod tokens;
pub mod tree_row;
