//! The window, drawn with egui.
//!
//! Panels read the session and return commands. Panels never store a document. This module uses no OpenGL and no files.
//! No code is specific to one solver: parameter rows come from tables. [`kit`] contains the style, the texts and the
//! widgets. [`MainWindow::show`] draws everything: [`panels`] at the edges, [`viewport`] in the middle, and [`dialogs`]
//! on top.

#![expect(missing_docs, reason = "the window is not an API: names say what items hold")]

/// Builder methods that set one field each.
macro_rules! setters {
    ($($(#[$doc:meta])* $name:ident($($arg:ident: $type:ty)?) => $field:ident = $value:expr;)+) => {$(
        $(#[$doc])*
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
pub mod presets;
pub mod viewport;

pub mod actions;
mod capture;
mod compare;
mod context;
mod curve_ref;
mod drop_overlay;
mod file_view;
mod isolation;
mod main_window;
mod motion_order;
mod prefs;
mod requests;
pub mod setup_tools;

pub use context::{
    BakeResult, CaptureView, ClipProgress, ClippingResult, ColorBy, DrawCharacter, DrawerTab, Highlight, IS_PAGE,
    LiveView, OutlinerTab, OverlayLine, OverlayLineKind, PictureStatus, TaskStatus, TimelineMarks, UiContext, UiInput,
    UiOutput, UiState,
};
pub use curve_ref::{ComponentCurveRef, CurveRef};
pub use file_view::{
    ConvertedChains, DiskStatus, DocumentId, DropAction, DropEntry, FileView, LiveExport, LiveExportKind,
    LiveExportStatus, OpenProgress, ProjectAccess, ProjectVersion, Question, RecoveryChoice, RecoveryState,
    RecoveryView, SheetProgress, SpringChanges, VersionOrigin,
};
pub use main_window::MainWindow;
pub use prefs::{LastMotion, OverlayToggles, Prefs, TableExportPrefs, UNITY_DIGITS, ViewportBackground, ViewportLook};
pub use presets::PresetLibrary;
pub use requests::{AppRequest, ClipOptions, Confirmation, DialogKind, FilePurpose};
