//! Dialogs: each shows what would change and changes it with one button.
//!
//! The character goes on moving behind them. A dialog that opens over another hides it and gives it back when it
//! closes, so that nothing half done is lost. They read the session and answer with one edit or one request. What they
//! have in common is in `dialog`.

mod body;
mod compare;
mod detect;
mod dialog;
mod export;
mod help;
mod import;
mod keep;
mod lost;
mod mirror;
mod names;
mod question;
mod setup;
mod switch;
mod table;
mod type_path;

use crate::exchange::SetupFile;
use crate::exchange::remap::Rules;
use crate::report::Diagnostic;
use crate::rig::BoneId;
use crate::session::Session;
use crate::ui::{Cx, PathFor, Request, Window};
use dialog::{Dialog, DialogResult};
use egui::{Context, Key, Modifiers};
use import::Import;
use lost::Lost;
use std::path::PathBuf;
use type_path::TypePath;

/// The dialogs that are open, with what they keep.
#[derive(Debug, Default)]
pub struct Dialogs {
    /// Those that change something, one over the other; only the last is shown.
    stack: Vec<OpenDialog>,
    /// Help and typed paths, next to whatever else is shown.
    beside: Vec<OpenDialog>,
    closing: question::Closing,
    /// A text field had the keyboard in the last frame: its Esc is not the dialog's.
    typing: bool,
    /// The session lights a bone for the dialog on top.
    lit: bool,
}

macro_rules! dialogs {
    ($($kind:ident($dialog:ty),)*) => {
        #[derive(Debug)]
        enum OpenDialog {
            $($kind(Box<$dialog>),)*
        }

        impl OpenDialog {
            fn dialog(&mut self) -> &mut dyn Dialog {
                match self {
                    $(Self::$kind(dialog) => dialog.as_mut(),)*
                }
            }
        }

        $(impl From<$dialog> for OpenDialog {
            fn from(dialog: $dialog) -> Self {
                Self::$kind(Box::new(dialog))
            }
        })*
    };
}

dialogs! {
    About(help::About),
    Ask(setup::Asking),
    Body(body::Body),
    Compare(compare::Compare),
    Delete(keep::Delete),
    Detect(detect::Detect),
    Export(export::Export),
    Find(setup::Find),
    Import(Import),
    Keep(keep::Keep),
    Lost(Lost),
    Mirror(mirror::Mirror),
    Parent(setup::Parent),
    Paste(setup::PasteSpecial),
    Shortcuts(help::Shortcuts),
    Switch(switch::Switch),
    TypePath(TypePath),
}

impl Dialogs {
    /// Shows what a setup file, in its own space, would change. `found` are the diagnostics of reading.
    pub fn offer_setup(&mut self, file_name: &str, file: SetupFile, found: Vec<Diagnostic>, session: &Session) {
        let mut import = Import::new(file_name, file, found, session);
        if let Some(before) = self.import() {
            import.keep_choices_of(before, session);
        }
        put(&mut self.stack, import);
    }

    /// Takes rules that were read from a file into the dialog that maps names, if it is open.
    pub fn take_rules(&mut self, rules: Rules, session: &Session) {
        if let Some(import) = self.import() {
            import.take_rules(rules, session);
        }
    }

    fn import(&mut self) -> Option<&mut Import> {
        self.stack.iter_mut().find_map(|open| match open {
            OpenDialog::Import(import) => Some(import.as_mut()),
            _ => None,
        })
    }

    /// Shows which bones a newer version of the character lacks, and leads what is authored on them to others.
    /// `lost` as `Document::lost_in_use` returns it.
    pub fn offer_lost(&mut self, lost: Vec<(BoneId, String)>, session: &Session) {
        if let Some(lost) = Lost::new(lost, session) {
            put(&mut self.stack, lost);
        }
    }

    /// Asks for a path where no file dialog did.
    pub fn ask_path(&mut self, asked_for: PathFor, suggested: &str, taken: Option<PathBuf>) {
        put(&mut self.beside, TypePath::instead_of_dialog(asked_for, suggested, taken));
    }

    /// Opens those that panels asked for, and draws those that are open.
    pub fn show(&mut self, ctx: &Context, cx: &mut Cx<'_>) {
        for wanted in std::mem::take(&mut cx.state.open) {
            self.open(wanted, cx);
        }
        self.beside.retain_mut(|open| dialog::show(open.dialog(), ctx, cx, &mut false) == DialogResult::Open);
        // A question blocks everything; while the path for its answer is typed, it waits.
        let types = |open: &OpenDialog| matches!(open, OpenDialog::TypePath(typed) if typed.is_instead_of_dialog());
        if !self.beside.iter().any(types) {
            self.closing.show(ctx, cx);
        }
        cx.state.guides.clear();
        self.show_top(ctx, cx);
    }

    fn open(&mut self, wanted: Window, cx: &mut Cx<'_>) {
        let (stack, beside) = (&mut self.stack, &mut self.beside);
        match wanted {
            Window::Shortcuts => put(beside, help::Shortcuts),
            Window::About => put(beside, help::About),
            Window::TypePath => put(beside, TypePath::default()),
            Window::DetectChains => put(stack, detect::Detect::new(cx.session())),
            Window::Export => put(stack, export::Export::new(cx)),
            Window::Mirror => put(stack, mirror::Mirror::new(cx.session())),
            Window::BodyColliders => put(stack, body::Body::new(cx.session())),
            Window::SelectByName => put(stack, setup::Find::default()),
            Window::SetParent => put(stack, setup::Parent::default()),
            Window::PasteSpecial => put(stack, setup::PasteSpecial::default()),
            Window::Ask(what) => put(stack, setup::Asking::new(what, cx.session())),
            Window::ComparePreset => put(stack, compare::Compare::new(cx)),
            Window::KeepPreset => put(stack, keep::Keep::new(cx)),
            Window::DeletePreset => put(stack, keep::Delete::new(cx)),
            Window::Switch(to) => {
                // What was found for another solver is of no use.
                cx.request(Request::StopMatching);
                put(stack, switch::Switch::new(to, cx));
            }
        }
    }

    fn show_top(&mut self, ctx: &Context, cx: &mut Cx<'_>) {
        cx.state.covered_left = 0.0;
        let was_typing = std::mem::replace(&mut self.typing, ctx.text_edit_focused());
        let Some(top) = self.stack.last_mut() else { return };
        let top = top.dialog();
        if was_typing && ctx.input_mut(|i| i.consume_key(Modifiers::NONE, Key::Escape)) {
            top.escape();
        }
        match dialog::show(top, ctx, cx, &mut self.lit) {
            DialogResult::Open => cx.state.covered_left = dialog::covered_left(ctx, top.id()),
            DialogResult::Closed => _ = self.stack.pop(),
        }
    }
}

/// Lays a dialog on top, in place of one of its kind.
fn put(dialogs: &mut Vec<OpenDialog>, dialog: impl Into<OpenDialog>) {
    let dialog = dialog.into();
    let kind = std::mem::discriminant(&dialog);
    dialogs.retain(|open| std::mem::discriminant(open) != kind);
    dialogs.push(dialog);
}
