//! Dialogs. Each dialog previews a change, and one button applies the change.
//!
//! Dialogs, questions and typed paths form one stack. Only the top dialog is visible and gets keys; the dialog below
//! appears again when the top dialog closes. The character keeps moving. A dialog reads the session and returns one
//! command or one request. `dialog` contains the shared frame, `keyboard` decides who gets the keys.

mod bake;
mod body_colliders;
mod clipping;
mod detect_chains;
mod dialog;
mod differences;
mod export;
mod help;
mod import;
mod keyboard;
mod live_motion;
mod map_names;
mod mirror;
mod presets;
mod question;
mod recovery;
mod save_clip;
mod setup_dialogs;
mod sweep;
mod switch_solver;
mod table;
#[cfg(test)]
mod tests;
mod type_path;
mod versions;

use crate::ui::{AppRequest, DialogKind, FilePurpose, FileView, ProjectVersion, UiContext};
use dialog::{Dialog, DialogFrame, DialogResult, DialogStyle};
use egui::Context;
use import::ImportDialog;
pub(in crate::ui) use keyboard::HeldKeys;
use map_names::MapNamesDialog;
use question::QuestionDialog;
use recovery::RecoveryDialog;
use std::path::PathBuf;
use type_path::TypePathDialog;
use yuremono_model::exchange::SetupFile;
use yuremono_model::exchange::remap::RemapRules;
use yuremono_session::Session;
use yuremono_sim::diagnostics::Diagnostic;
use yuremono_sim::rig::BoneId;

#[derive(Debug, Default)]
pub struct Dialogs {
    /// All open dialogs. Only the last dialog is shown.
    stack: Vec<OpenDialog>,
    /// The dialog that was shown in the last frame.
    shown: Option<egui::Id>,
    /// Whether the session highlights a bone for the top dialog.
    highlights_bone: bool,
}

macro_rules! dialogs {
    ($($kind:ident($dialog:ty): $style:expr,)*) => {
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

            const fn style(&self) -> DialogStyle {
                match self {
                    $(Self::$kind(_) => $style,)*
                }
            }

            /// Names of all dialogs, for tests.
            #[cfg(test)]
            const ALL: &[&str] = &[$(stringify!($kind),)*];

            #[cfg(test)]
            const fn name(&self) -> &'static str {
                match self {
                    $(Self::$kind(_) => stringify!($kind),)*
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
    About(help::AboutDialog): DialogStyle::Modal,
    Bake(bake::BakeDialog): DialogStyle::Tool,
    Clipping(clipping::ClippingDialog): DialogStyle::Tool,
    Confirm(setup_dialogs::ConfirmDialog): DialogStyle::Modal,
    BodyColliders(body_colliders::BodyCollidersDialog): DialogStyle::Tool,
    ComparePreset(presets::ComparePresetDialog): DialogStyle::Tool,
    DeletePreset(presets::DeletePresetDialog): DialogStyle::Modal,
    DetectChains(detect_chains::DetectChainsDialog): DialogStyle::Tool,
    Differences(differences::DifferencesDialog): DialogStyle::Tool,
    Export(export::ExportDialog): DialogStyle::Tool,
    SelectByName(setup_dialogs::SelectByNameDialog): DialogStyle::Modal,
    Import(ImportDialog): DialogStyle::Tool,
    LiveMotion(live_motion::LiveMotionDialog): DialogStyle::Tool,
    SaveClip(save_clip::SaveClipDialog): DialogStyle::Modal,
    SavePreset(presets::SavePresetDialog): DialogStyle::Modal,
    MissingBones(MapNamesDialog): DialogStyle::Tool,
    Mirror(mirror::MirrorDialog): DialogStyle::Tool,
    SetParent(setup_dialogs::SetParentDialog): DialogStyle::Tool,
    PasteSpecial(setup_dialogs::PasteSpecialDialog): DialogStyle::Modal,
    Question(QuestionDialog): DialogStyle::Question { width: question::WIDTH },
    Recovery(RecoveryDialog): DialogStyle::Question { width: recovery::WIDTH },
    Shortcuts(help::ShortcutsDialog): DialogStyle::Modal,
    Sweep(sweep::SweepDialog): DialogStyle::Modal,
    SwitchSolver(switch_solver::SwitchSolverDialog): DialogStyle::Tool,
    TypePath(TypePathDialog): DialogStyle::Modal,
    Versions(versions::VersionsDialog): DialogStyle::Modal,
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
        push_or_replace(&mut self.stack, TypePathDialog::instead_of_dialog(purpose, suggested, existing));
    }

    /// Compares the document with other versions of its project.
    pub fn open_versions(&mut self, versions: Vec<ProjectVersion>) {
        push_or_replace(&mut self.stack, versions::VersionsDialog::new(versions));
    }

    /// Closes the dialogs whose answer belongs to the document that was open so far.
    pub fn forget_document(&mut self) {
        self.stack.retain(|open| match open {
            OpenDialog::Versions(_) => false,
            OpenDialog::TypePath(typed) => !typed.writes_document(),
            _ => true,
        });
    }

    /// Opens the question that the application asks, and closes questions that it no longer asks. Must run before the
    /// panels see the keys of a frame.
    pub(in crate::ui) fn sync_question(&mut self, file: &FileView<'_>) {
        let question = file.question.filter(|_| file.recovery.is_none());
        self.stack.retain(|open| match open {
            OpenDialog::Recovery(_) => file.recovery.is_some(),
            OpenDialog::Question(asked) => asked.is_asked(question, file.document),
            _ => true,
        });
        if self.stack.iter().any(|open| matches!(open, OpenDialog::Recovery(_) | OpenDialog::Question(_))) {
            return;
        }
        if file.recovery.is_some() {
            self.stack.push(RecoveryDialog.into());
        } else if let Some(question) = question {
            self.stack.push(QuestionDialog::new(question.clone(), file.document).into());
        }
    }

    /// Opens the dialogs that panels requested, and draws all open dialogs.
    pub fn show(&mut self, ctx: &Context, cx: &mut UiContext<'_>) {
        for wanted in std::mem::take(&mut cx.state.dialogs_to_open) {
            self.open(wanted, cx);
        }
        cx.state.overlay_lines.clear();
        cx.state.timeline_marks = None;
        self.show_top(ctx, cx);
    }

    fn open(&mut self, wanted: DialogKind, cx: &mut UiContext<'_>) {
        let stack = &mut self.stack;
        match wanted {
            DialogKind::Shortcuts => push_or_replace(stack, help::ShortcutsDialog),
            DialogKind::About => push_or_replace(stack, help::AboutDialog),
            DialogKind::TypePath => push_or_replace(stack, TypePathDialog::default()),
            DialogKind::Bake => push_or_replace(stack, bake::BakeDialog::default()),
            DialogKind::LiveMotion => push_or_replace(stack, live_motion::LiveMotionDialog::new(cx)),
            DialogKind::Clipping => push_or_replace(stack, clipping::ClippingDialog::default()),
            DialogKind::DetectChains => push_or_replace(stack, detect_chains::DetectChainsDialog::new(cx.session())),
            DialogKind::Export => push_or_replace(stack, export::ExportDialog::new(cx)),
            DialogKind::Mirror => push_or_replace(stack, mirror::MirrorDialog::new(cx.session())),
            DialogKind::BodyColliders => push_or_replace(stack, body_colliders::BodyCollidersDialog::new(cx.session())),
            DialogKind::SelectByName => push_or_replace(stack, setup_dialogs::SelectByNameDialog::default()),
            DialogKind::SetParent => push_or_replace(stack, setup_dialogs::SetParentDialog::default()),
            DialogKind::PasteSpecial => push_or_replace(stack, setup_dialogs::PasteSpecialDialog::default()),
            DialogKind::Confirm(confirmation) => {
                push_or_replace(stack, setup_dialogs::ConfirmDialog::new(confirmation, cx.session()));
            }
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
        let shown = self.shown.take();
        let Some(top) = self.stack.last_mut() else { return };
        let (style, top) = (top.style(), top.dialog());
        let id = top.id();
        let frame = DialogFrame { style, is_new: shown != Some(id) };
        match dialog::show(top, frame, cx, ctx, &mut self.highlights_bone) {
            DialogResult::Open => {
                self.shown = Some(id);
                cx.state.covered_left = dialog::covered_left(ctx, id);
            }
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
