//! Dialogs: each shows what would change and changes it with one button.
//!
//! The character goes on moving behind them. A dialog that opens over another hides it and gives it back when it
//! closes, so that nothing half done is lost. They read the session and answer with one edit or one request. What they
//! have in common is in `dialog`.

mod blocking_question;
mod body_colliders;
mod compare_preset;
mod detect_chains;
mod dialog;
mod export;
mod help;
mod import;
mod map_names;
mod mirror;
mod missing_bones;
mod save_preset;
mod setup_dialogs;
mod switch_solver;
mod table;
mod type_path;

use crate::diagnostics::Diagnostic;
use crate::exchange::SetupFile;
use crate::exchange::remap::RemapRules;
use crate::rig::BoneId;
use crate::session::Session;
use crate::ui::{AppRequest, DialogKind, PathPurpose, UiContext};
use dialog::{Dialog, DialogResult};
use egui::{Context, Key, Modifiers};
use import::ImportDialog;
use missing_bones::MissingBonesDialog;
use std::path::PathBuf;
use type_path::TypePathDialog;

/// The dialogs that are open, with what they keep.
#[derive(Debug, Default)]
pub struct Dialogs {
    /// Those that change something, one over the other; only the last is shown.
    stack: Vec<OpenDialog>,
    /// Help and typed paths, next to whatever else is shown.
    side_dialogs: Vec<OpenDialog>,
    blocking_questions: blocking_question::BlockingQuestions,
    /// A text field had the keyboard in the last frame: its Esc is not the dialog's.
    was_typing: bool,
    /// The session lights a bone for the dialog on top.
    highlights_bone: bool,
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
    About(help::AboutDialog),
    Confirm(setup_dialogs::ConfirmDialog),
    BodyColliders(body_colliders::BodyCollidersDialog),
    ComparePreset(compare_preset::ComparePresetDialog),
    DeletePreset(save_preset::DeletePresetDialog),
    DetectChains(detect_chains::DetectChainsDialog),
    Export(export::ExportDialog),
    SelectByName(setup_dialogs::SelectByNameDialog),
    Import(ImportDialog),
    SavePreset(save_preset::SavePresetDialog),
    MissingBones(MissingBonesDialog),
    Mirror(mirror::MirrorDialog),
    SetParent(setup_dialogs::SetParentDialog),
    PasteSpecial(setup_dialogs::PasteSpecialDialog),
    Shortcuts(help::ShortcutsDialog),
    SwitchSolver(switch_solver::SwitchSolverDialog),
    TypePath(TypePathDialog),
}

impl Dialogs {
    /// Shows what a setup file, in its own space, would change. `found` are the diagnostics of reading.
    pub fn open_import(&mut self, file_name: &str, file: SetupFile, found: Vec<Diagnostic>, session: &Session) {
        let mut import = ImportDialog::new(file_name, file, found, session);
        if let Some(before) = self.import_dialog() {
            import.copy_choices_from(before, session);
        }
        push_or_replace(&mut self.stack, import);
    }

    /// Takes rules that were read from a file into the dialog that maps names, if it is open.
    pub fn set_rules(&mut self, rules: RemapRules, session: &Session) {
        if let Some(import) = self.import_dialog() {
            import.set_rules(rules, session);
        }
    }

    fn import_dialog(&mut self) -> Option<&mut ImportDialog> {
        self.stack.iter_mut().find_map(|open| match open {
            OpenDialog::Import(import) => Some(import.as_mut()),
            _ => None,
        })
    }

    /// Shows which bones a newer version of the character lacks, and leads what is authored on them to others.
    /// `lost` as `Document::lost_in_use` returns it.
    pub fn open_missing_bones(&mut self, lost: Vec<(BoneId, String)>, session: &Session) {
        if let Some(lost) = MissingBonesDialog::new(lost, session) {
            push_or_replace(&mut self.stack, lost);
        }
    }

    /// Asks for a path where no file dialog did.
    pub fn ask_path(&mut self, asked_for: PathPurpose, suggested: &str, taken: Option<PathBuf>) {
        push_or_replace(&mut self.side_dialogs, TypePathDialog::instead_of_dialog(asked_for, suggested, taken));
    }

    /// Opens those that panels asked for, and draws those that are open.
    pub fn show(&mut self, ctx: &Context, cx: &mut UiContext<'_>) {
        for wanted in std::mem::take(&mut cx.state.dialogs_to_open) {
            self.open(wanted, cx);
        }
        self.side_dialogs.retain_mut(|open| dialog::show(open.dialog(), ctx, cx, &mut false) == DialogResult::Open);
        // A question blocks everything; while the path for its answer is typed, it waits.
        let types = |open: &OpenDialog| matches!(open, OpenDialog::TypePath(typed) if typed.is_instead_of_dialog());
        if !self.side_dialogs.iter().any(types) {
            self.blocking_questions.show(ctx, cx);
        }
        cx.state.overlay_lines.clear();
        self.show_top(ctx, cx);
    }

    fn open(&mut self, wanted: DialogKind, cx: &mut UiContext<'_>) {
        let (stack, beside) = (&mut self.stack, &mut self.side_dialogs);
        match wanted {
            DialogKind::Shortcuts => push_or_replace(beside, help::ShortcutsDialog),
            DialogKind::About => push_or_replace(beside, help::AboutDialog),
            DialogKind::TypePath => push_or_replace(beside, TypePathDialog::default()),
            DialogKind::DetectChains => push_or_replace(stack, detect_chains::DetectChainsDialog::new(cx.session())),
            DialogKind::Export => push_or_replace(stack, export::ExportDialog::new(cx)),
            DialogKind::Mirror => push_or_replace(stack, mirror::MirrorDialog::new(cx.session())),
            DialogKind::BodyColliders => push_or_replace(stack, body_colliders::BodyCollidersDialog::new(cx.session())),
            DialogKind::SelectByName => push_or_replace(stack, setup_dialogs::SelectByNameDialog::default()),
            DialogKind::SetParent => push_or_replace(stack, setup_dialogs::SetParentDialog::default()),
            DialogKind::PasteSpecial => push_or_replace(stack, setup_dialogs::PasteSpecialDialog::default()),
            DialogKind::Confirm(what) => push_or_replace(stack, setup_dialogs::ConfirmDialog::new(what, cx.session())),
            DialogKind::ComparePreset => push_or_replace(stack, compare_preset::ComparePresetDialog::new(cx)),
            DialogKind::SavePreset => push_or_replace(stack, save_preset::SavePresetDialog::new(cx)),
            DialogKind::DeletePreset => push_or_replace(stack, save_preset::DeletePresetDialog::new(cx)),
            DialogKind::SwitchSolver(to) => {
                // What was found for another solver is of no use.
                cx.request(AppRequest::StopMotionFit);
                push_or_replace(stack, switch_solver::SwitchSolverDialog::new(to, cx));
            }
        }
    }

    fn show_top(&mut self, ctx: &Context, cx: &mut UiContext<'_>) {
        cx.state.covered_left = 0.0;
        let was_typing = std::mem::replace(&mut self.was_typing, ctx.text_edit_focused());
        let Some(top) = self.stack.last_mut() else { return };
        let top = top.dialog();
        if was_typing && ctx.input_mut(|i| i.consume_key(Modifiers::NONE, Key::Escape)) {
            top.cancel_text_edit();
        }
        match dialog::show(top, ctx, cx, &mut self.highlights_bone) {
            DialogResult::Open => cx.state.covered_left = dialog::covered_left(ctx, top.id()),
            DialogResult::Closed => _ = self.stack.pop(),
        }
    }
}

/// Lays a dialog on top, in place of one of its kind.
fn push_or_replace(dialogs: &mut Vec<OpenDialog>, dialog: impl Into<OpenDialog>) {
    let dialog = dialog.into();
    let kind = std::mem::discriminant(&dialog);
    dialogs.retain(|open| std::mem::discriminant(open) != kind);
    dialogs.push(dialog);
}
