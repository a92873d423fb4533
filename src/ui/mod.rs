//! Floor 6: panels and widgets, drawn with egui.
//!
//! Panels read the session and return commands; they never hold a document. This room knows nothing of GL,
//! of file formats, or of any one solver: parameter rows arrive as tables. The look starts in [`tokens`] (every
//! colour and size by name), [`fonts`] and [`theme`]; [`words`] holds what the program says in each language;
//! [`widgets`] and [`curve_editor`] are the pieces that panels are made of.

pub mod curve_editor;
pub mod fonts;
pub mod icons;
pub mod theme;
pub mod tokens;
pub mod widgets;
pub mod words;
