//! Panels and widgets, drawn with egui.
//!
//! Panels read the session and return commands; they never hold a document. This room knows nothing of GL and of any
//! one solver: parameter rows arrive as tables. It reads and writes no files. The look starts in [`kit::tokens`]
//! (every colour and size by name), [`kit::fonts`] and [`kit::theme`]; `kit::label_key` holds what the program says in
//! each language; the rest of [`kit`] are the widgets. `MainWindow::meshes_ui` draws the whole window: [`panels`] at their edges,
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
pub mod focus_regions;
pub mod kit;
pub mod panels;
pub mod presets;
pub mod viewport;

pub mod actions;
mod context;
mod main_window;
mod prefs;
pub mod setup_tools;

pub use context::{
    AppRequest, Confirmation, DialogKind, DiskStatus, DrawCharacter, DrawerTab, FileView, Highlight, MotionFitStatus,
    OpenProgress, OutlinerTab, OverlayLine, OverlayLineKind, PathPurpose, UiContext, UiInput, UiOutput, UiState,
};
pub use context::{ComponentCurveRef, CurveRef};
pub use main_window::MainWindow;
pub use prefs::{OverlayToggles, Prefs, TableExportPrefs, UNITY_DIGITS};
pub use presets::PresetLibrary;
