//! Panels and widgets, drawn with egui.
//!
//! Panels read the session and return commands; they never hold a document. This room knows nothing of GL and of any
//! one solver: parameter rows arrive as tables. It reads and writes no files. The look starts in [`kit::tokens`]
//! (every colour and size by name), [`kit::fonts`] and [`kit::theme`]; [`kit::words`] holds what the program says in
//! each language; the rest of [`kit`] are the widgets. [`Ui::show`] draws the whole window: [`panels`] at their edges,
//! [`viewport`] in the middle, [`dialogs`] on top.

/// Methods of a builder that set one field each.
macro_rules! setters {
    ($($(#[$doc:meta])+ $name:ident($($arg:ident: $type:ty)?) => $field:ident = $value:expr;)+) => {$(
        $(#[$doc])+
        #[must_use]
        pub fn $name(mut self $(, $arg: $type)?) -> Self {
            self.$field = $value;
            self
        }
    )+};
}

pub mod dialogs;
pub mod kit;
pub mod panels;
pub mod parts;
pub mod presets;
pub mod viewport;

mod cx;
pub mod deeds;
mod layout;
mod prefs;
pub mod setup;

pub use cx::{
    Ask, Cx, DrawScene, DrawerTab, FileView, Guide, GuideInk, Input, Lit, MatchView, OnDisk, Opening, OutlinerTab,
    Output, PathFor, Request, Shared, Window,
};
pub use cx::{CurveOf, SideOf};
pub use layout::Ui;
pub use prefs::{Prefs, TablePrefs, Toggles, UNITY_DIGITS};
pub use presets::Shelf;
