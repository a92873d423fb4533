//! Dialogs. Each dialog previews a change, and one button applies the change.
//!
//! Dialogs form a stack. Only the top dialog is visible; the dialog below appears again when the top dialog closes. The
//! character keeps moving. A dialog reads the session and returns one command or one request. `dialog` contains the
//! shared frame.

mod bake;
mod blocking_question;
mod body_colliders;
mod clipping;
mod detect_chains;
mod dialog;
mod differences;
mod export;
mod help;
mod import;
mod map_names;
mod mirror;
mod presets;
mod recovery;
mod save_clip;
mod setup_dialogs;
mod sweep;
mod switch_solver;
mod table;
mod type_path;
mod versions;

use crate::diagnostics::Diagnostic;
use crate::exchange::SetupFile;
use crate::exchange::remap::RemapRules;
use crate::rig::BoneId;
use crate::session::Session;
use crate::ui::{AppRequest, DialogKind, FilePurpose, ProjectVersion, UiContext};
use dialog::{Dialog, DialogResult};
use egui::{Context, Key, Modifiers};
use import::ImportDialog;
use map_names::MapNamesDialog;
use std::path::PathBuf;
use type_path::TypePathDialog;

#[derive(Debug, Default)]
pub struct Dialogs {
    /// Dialogs that change the document. Only the last dialog is shown.
    stack: Vec<OpenDialog>,
    /// Help and typed paths, shown next to other dialogs.
    independent: Vec<OpenDialog>,
    blocking_questions: blocking_question::BlockingQuestions,
    /// Whether a text field had the keyboard focus in the last frame. If so, the field handles Esc.
    was_typing: bool,
    /// Whether the session highlights a bone for the top dialog.
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
    Bake(bake::BakeDialog),
    Clipping(clipping::ClippingDialog),
    Confirm(setup_dialogs::ConfirmDialog),
    BodyColliders(body_colliders::BodyCollidersDialog),
    ComparePreset(presets::ComparePresetDialog),
    DeletePreset(presets::DeletePresetDialog),
    DetectChains(detect_chains::DetectChainsDialog),
    Differences(differences::DifferencesDialog),
    Export(export::ExportDialog),
    SelectByName(setup_dialogs::SelectByNameDialog),
    Import(ImportDialog),
    SaveClip(save_clip::SaveClipDialog),
    SavePreset(presets::SavePresetDialog),
    MissingBones(MapNamesDialog),
    Mirror(mirror::MirrorDialog),
    SetParent(setup_dialogs::SetParentDialog),
    PasteSpecial(setup_dialogs::PasteSpecialDialog),
    Shortcuts(help::ShortcutsDialog),
    Sweep(sweep::SweepDialog),
    SwitchSolver(switch_solver::SwitchSolverDialog),
    TypePath(TypePathDialog),
    Versions(versions::VersionsDialog),
}

impl Dialogs {
    /// Shows the changes that a setup file would make. `file` is in the space of the file. `found` contains the
    /// diagnostics of the reader.
    pub fn open_import(&mut self, file_name: &str, file: SetupFile, found: Vec<Diagnostic>, session: &Session) {
        let mut import = ImportDialog::new(file_name, file, found, session);
        if let Some(before) = self.import_dialog() {
            import.copy_choices_from(before, session);
        }
        push_or_replace(&mut self.stack, import);
    }

    /// Adds the rules of a file to the open name map.
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

    /// Opens the name map for the bones that are missing in a newer version of the character. `lost` contains these
    /// bones with their names.
    pub fn open_missing_bones(&mut self, lost: Vec<(BoneId, String)>, session: &Session) {
        if let Some(lost) = MapNamesDialog::for_missing_bones(lost, session) {
            push_or_replace(&mut self.stack, lost);
        }
    }

    /// Opens the path dialog, for systems without a file dialog. `existing` is a typed path of an existing file. The
    /// answer is [`AppRequest::UseTypedPath`].
    pub fn ask_path(&mut self, purpose: FilePurpose, suggested: &str, existing: Option<PathBuf>) {
        push_or_replace(&mut self.independent, TypePathDialog::instead_of_dialog(purpose, suggested, existing));
    }

    /// Compares the document with other versions of its project.
    pub fn open_versions(&mut self, versions: Vec<ProjectVersion>) {
        push_or_replace(&mut self.stack, versions::VersionsDialog::new(versions));
    }

    pub fn close_versions(&mut self) {
        self.stack.retain(|open| !matches!(open, OpenDialog::Versions(_)));
    }

    /// Opens the dialogs that panels requested, and draws all open dialogs.
    pub fn show(&mut self, ctx: &Context, cx: &mut UiContext<'_>) {
        for wanted in std::mem::take(&mut cx.state.dialogs_to_open) {
            self.open(wanted, cx);
        }
        self.independent.retain_mut(|open| dialog::show(open.dialog(), ctx, cx, &mut false) == DialogResult::Open);
        // A question blocks the window. While the artist types a path for its answer, the question stays hidden.
        let types = |open: &OpenDialog| matches!(open, OpenDialog::TypePath(typed) if typed.is_instead_of_dialog());
        if !self.independent.iter().any(types) {
            match cx.input.file.recovery {
                Some(view) => recovery::show(view, ctx, cx),
                None => self.blocking_questions.show(ctx, cx),
            }
        }
        cx.state.overlay_lines.clear();
        cx.state.timeline_marks = None;
        self.show_top(ctx, cx);
    }

    fn open(&mut self, wanted: DialogKind, cx: &mut UiContext<'_>) {
        let (stack, beside) = (&mut self.stack, &mut self.independent);
        match wanted {
            DialogKind::Shortcuts => push_or_replace(beside, help::ShortcutsDialog),
            DialogKind::About => push_or_replace(beside, help::AboutDialog),
            DialogKind::TypePath => push_or_replace(beside, TypePathDialog::default()),
            DialogKind::Bake => push_or_replace(stack, bake::BakeDialog::default()),
            DialogKind::Clipping => push_or_replace(stack, clipping::ClippingDialog::default()),
            DialogKind::DetectChains => push_or_replace(stack, detect_chains::DetectChainsDialog::new(cx.session())),
            DialogKind::Export => push_or_replace(stack, export::ExportDialog::new(cx)),
            DialogKind::Mirror => push_or_replace(stack, mirror::MirrorDialog::new(cx.session())),
            DialogKind::BodyColliders => push_or_replace(stack, body_colliders::BodyCollidersDialog::new(cx.session())),
            DialogKind::SelectByName => push_or_replace(stack, setup_dialogs::SelectByNameDialog::default()),
            DialogKind::SetParent => push_or_replace(stack, setup_dialogs::SetParentDialog::default()),
            DialogKind::PasteSpecial => push_or_replace(stack, setup_dialogs::PasteSpecialDialog::default()),
            DialogKind::Confirm(what) => push_or_replace(stack, setup_dialogs::ConfirmDialog::new(what, cx.session())),
            DialogKind::Differences => push_or_replace(stack, differences::DifferencesDialog::default()),
            DialogKind::Sweep(subject) => push_or_replace(stack, sweep::SweepDialog::new(subject, cx)),
            DialogKind::SaveClip => push_or_replace(stack, save_clip::SaveClipDialog::new(cx)),
            DialogKind::ComparePreset => push_or_replace(stack, presets::ComparePresetDialog::new(cx)),
            DialogKind::SavePreset => push_or_replace(stack, presets::SavePresetDialog::new(cx)),
            DialogKind::DeletePreset => push_or_replace(stack, presets::DeletePresetDialog::new(cx)),
            DialogKind::SwitchSolver(to) => {
                // A running search belongs to another solver, so its result is useless.
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

/// Puts a dialog on top of the stack and removes an open dialog of the same kind.
fn push_or_replace(dialogs: &mut Vec<OpenDialog>, dialog: impl Into<OpenDialog>) {
    let dialog = dialog.into();
    let kind = std::mem::discriminant(&dialog);
    dialogs.retain(|open| std::mem::discriminant(open) != kind);
    dialogs.push(dialog);
}
