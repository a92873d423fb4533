//! What the artist asks of the program: files in and out.

use super::dialogs::{DialogAnswer, DialogPurpose, FileRequest, expand_typed_path};
use super::files::{LoadedFile, LoadedMotions, is_motion};
use super::motion_fit::MotionFitPoll;
use super::{App, PendingAction, sample_session};
use crate::diagnostics::group_similar;
use crate::diagnostics::{Diagnostic, Location};
use crate::document::EditLabel;
use crate::exchange::export;
use crate::exchange::{ExportOptions, TableFormat};
use crate::feel::convert::averaging::average_joint_values;
use crate::feel::{
    convert::ConversionLoss, convert::SwingComparison, convert::convert, convert::loss_diagnostics,
    convert::muted_chain_losses,
};
use crate::format::gltf::external_files;
use crate::format::motion::RetargetedMotions;
use crate::format::open::{self, OpenedCharacter, file_name};
use crate::format::project::{self, Project};
use crate::format::source::{Fingerprint, copy_external_files, read_limited, write_atomic};
use crate::format::tables::{FileKind, has_extension};
use crate::format::{tables, vrm};
use crate::rig::BoneId;
use crate::session::{Command, Message, MotionFitJob};
use crate::sim::SolverKind;
use crate::ui::{AppRequest, DiskStatus};
use std::path::{Path, PathBuf};
use std::sync::Arc;

impl App {
    /// Does what was asked of the program.
    pub(super) fn handle_request(&mut self, request: AppRequest, ctx: &egui::Context) {
        match request {
            AppRequest::OpenDialog => self.ask_for_file(DialogPurpose::Open, "", ctx),
            AppRequest::LoadMotionDialog => self.ask_for_file(DialogPurpose::LoadMotion, "", ctx),
            AppRequest::ImportDialog => self.ask_for_file(DialogPurpose::Import, "", ctx),
            AppRequest::ReadTableWithEncoding(encoding) => self.reread_table_as(encoding),
            AppRequest::UseTypedPath(path) => self.use_typed_path(&path, ctx),
            AppRequest::WriteTypedPath(path) => self.write_path(&path, ctx),
            AppRequest::OpenPath(path) if path.starts_with("~") => {
                self.handle_request(AppRequest::OpenPath(expand_typed_path(&path, std::env::home_dir())), ctx);
            }
            AppRequest::OpenPath(path) if self.would_discard_changes(&path) => {
                let name = file_name(&path);
                self.pending_action = Some(PendingAction::Open(AppRequest::OpenPath(path), name));
            }
            AppRequest::OpenPath(path) => self.open_path(path, ctx),
            AppRequest::OpenSample if !self.may_close() => {
                self.pending_action = Some(PendingAction::Open(AppRequest::OpenSample, super::SAMPLE_NAME.to_owned()));
            }
            AppRequest::OpenSample => {
                self.files.cancel_loading();
                self.motion_fit.stop();
                self.asks_to_replace_project = false;
                self.replace_session(sample_session());
                self.files.set_character(None, ctx);
            }
            AppRequest::CancelOpening => _ = self.files.cancel_loading(),
            AppRequest::ReloadCharacter => {
                self.files.ignore_change();
                self.files.reload(ctx);
            }
            AppRequest::IgnoreCharacterChange => self.files.ignore_change(),
            AppRequest::ReimportTable => {
                if let Some(path) = self.files.take_changed_table() {
                    self.import(&path, ctx);
                }
            }
            AppRequest::IgnoreTableChange => _ = self.files.take_changed_table(),
            AppRequest::FitMotion(chains, to) => {
                self.motion_fit.start(MotionFitJob::new(&self.session, &chains, to), ctx);
            }
            AppRequest::StopMotionFit => self.motion_fit.stop(),
            AppRequest::Quit => ctx.send_viewport_cmd(egui::ViewportCommand::Close),
            AppRequest::ProceedWithoutSaving => self.continue_without_saving(ctx),
            AppRequest::CancelClose => (self.pending_action, self.asks_to_replace_project) = (None, false),
            AppRequest::SaveAveraged => {
                if let Some(PendingAction::SaveAverages(path)) = self.pending_action.take() {
                    self.save_character(&path, true, ctx);
                }
            }
            AppRequest::ClearRecentFiles => self.files.clear_recent(),
            AppRequest::ExportDialog(options) => {
                let solver = options.solver.unwrap_or(self.session.document().main_system().solver);
                let kind = if solver.info().uses_pivots { "Dynamics" } else { solver.key() };
                let kind = if options.format == TableFormat::Csv { kind } else { options.format.key() };
                let name = format!("{}_{kind}.{}", file_stem(self.files.name()), options.format.extension());
                self.ask_for_file(DialogPurpose::Export(options), &name, ctx);
            }
            AppRequest::Save => match self.files.project().map(Path::to_path_buf) {
                Some(path) => self.save_project(&path, ctx),
                None => self.handle_request(AppRequest::SaveAs, ctx),
            },
            AppRequest::OverwriteProject => {
                self.asks_to_replace_project = false;
                if let Some(path) = self.files.project().map(Path::to_path_buf) {
                    self.write_project(&path, ctx);
                }
            }
            AppRequest::ReloadProject => self.reload_project(ctx),
            AppRequest::ShowProjectConflict => self.asks_to_replace_project = self.files.project().is_some(),
            AppRequest::IgnoreProjectChange => self.files.dismiss_project_change(),
            AppRequest::SaveAs => {
                self.asks_to_replace_project = false;
                let name = format!("{}.yure", file_stem(self.files.name()));
                self.ask_for_file(DialogPurpose::SaveProject, &name, ctx);
            }
            AppRequest::SaveCharacter => {
                let ending = self.files.character().map_or("vrm", character_extension);
                let name = format!("{}_tuned.{ending}", file_stem(self.files.name()));
                self.ask_for_file(DialogPurpose::SaveCharacter(ending), &name, ctx);
            }
            AppRequest::OpenRules => self.ask_for_file(DialogPurpose::OpenRules, "", ctx),
            AppRequest::SavePreset { preset, replaces } => self.save_preset(&preset, replaces),
            AppRequest::DeletePreset { key, name } => self.delete_preset(&key, name),
            AppRequest::SaveRules(bytes) => self.ask_for_file(DialogPurpose::SaveRules(bytes), "rules.json", ctx),
        }
    }

    /// Takes what threads, dialogs and the window's drop target have brought since the last frame.
    pub(super) fn poll_events(&mut self, ctx: &egui::Context) {
        let dropped = ctx.input(|i| i.raw.dropped_files.first().map(|f| f.path().to_path_buf()));
        if let Some(path) = dropped {
            self.handle_request(AppRequest::OpenPath(path), ctx);
        }
        while let Some(answer) = self.dialogs.answer() {
            match answer {
                // The dialog has asked before it replaces this file, not before one whose name gets an ending here.
                DialogAnswer::Chosen(purpose, path) => self.accept_path(purpose, path.clone(), Some(&path), ctx),
                DialogAnswer::Unavailable(asked) => self.ask_for_path(asked, None),
            }
        }
        self.files.check_for_changes();
        if self.motion_fit.poll() == MotionFitPoll::Failed {
            let lost = Diagnostic::error(Location::default(), "the search for matching numbers ended without a result");
            self.report_all(vec![lost]);
        }
        match self.files.poll_loaded() {
            Some(Ok(arrived)) => self.handle_loaded_file(arrived, ctx),
            Some(Err(said)) => self.report_all(said),
            None => {}
        }
        self.read_next_motion(ctx);
        self.advance_swing_comparison(ctx);
    }

    /// Goes on with the comparison of a character that was saved under VRM; a frame does few ticks.
    fn advance_swing_comparison(&mut self, ctx: &egui::Context) {
        let Some((swing, after, name)) = &mut self.swing_comparison else { return };
        ctx.request_repaint();
        if swing.advance(SwingComparison::TICKS_PER_FRAME) {
            let said = loss_diagnostics(&muted_chain_losses(&swing.muted(), after), name);
            self.swing_comparison = None;
            self.report_all(group_similar(&said));
        }
    }

    /// Asks for a file, beside the project or the character; `name` is proposed for one that is written.
    fn ask_for_file(&mut self, purpose: DialogPurpose, name: &str, ctx: &egui::Context) {
        let beside = self.files.project().or_else(|| self.files.character()).and_then(Path::parent);
        let folder = beside
            .map_or_else(|| expand_typed_path(Path::new("~"), std::env::home_dir()), |p| expand_typed_path(p, None));
        let asked = FileRequest { purpose, suggested_path: folder.join(name) };
        if let Err(asked) = self.dialogs.ask(asked, ctx) {
            self.ask_for_path(asked, None);
        }
    }

    /// Asks for a path in a window of our own; `taken` is one where a file is.
    fn ask_for_path(&mut self, asked: FileRequest, taken: Option<PathBuf>) {
        self.ui.ask_path(asked.purpose.path_for(), &asked.suggested_path.to_string_lossy(), taken.clone());
        self.pending_path = Some((asked, taken));
    }

    /// Takes a typed path for what was asked for.
    fn use_typed_path(&mut self, path: &Path, ctx: &egui::Context) {
        let Some((FileRequest { purpose, .. }, taken)) = self.pending_path.take() else { return };
        self.accept_path(purpose, expand_typed_path(path, std::env::home_dir()), taken.as_deref(), ctx);
    }

    /// Takes a path, with its ending, for what was asked for; asks where it would replace another file than `taken`.
    pub(super) fn accept_path(
        &mut self,
        purpose: DialogPurpose,
        path: PathBuf,
        taken: Option<&Path>,
        ctx: &egui::Context,
    ) {
        let path = match purpose.written_extension() {
            Some(ending) => with_default_extension(path, ending),
            None => path,
        };
        if purpose.written_extension().is_some() && path.is_file() && taken != Some(path.as_path()) {
            return self.ask_for_path(FileRequest { purpose, suggested_path: path.clone() }, Some(path));
        }
        self.use_chosen_path(purpose, path, ctx);
    }

    /// Writes a table or the project, as if that had been asked for.
    fn write_path(&mut self, path: &Path, ctx: &egui::Context) {
        let purpose = if is_table(path) {
            let options = self.ui.prefs().export_options(self.session.character());
            let options =
                if has_extension(path, &["json"]) { options.for_format(TableFormat::Parameters) } else { options };
            DialogPurpose::Export(options)
        } else {
            DialogPurpose::SaveProject
        };
        self.pending_path = Some((FileRequest { purpose, suggested_path: path.to_path_buf() }, None));
        self.use_typed_path(path, ctx);
    }

    pub(super) fn use_chosen_path(&mut self, purpose: DialogPurpose, path: PathBuf, ctx: &egui::Context) {
        match purpose {
            DialogPurpose::Open => self.handle_request(AppRequest::OpenPath(path), ctx),
            DialogPurpose::LoadMotion => self.load_motion(&path),
            DialogPurpose::Import => self.import(&path, ctx),
            DialogPurpose::Export(options) => self.export(&path, options, ctx),
            DialogPurpose::SaveProject => self.save_project(&path, ctx),
            DialogPurpose::SaveCharacter(_) => self.save_character(&path, false, ctx),
            DialogPurpose::OpenRules => self.open_rules(&path),
            DialogPurpose::SaveRules(bytes) => _ = self.write(&path, &bytes),
        }
    }

    /// Whether the window may close without losing anything.
    pub(super) fn may_close(&self) -> bool {
        !self.session.history().is_dirty() && !self.files.has_unsaved_motions()
    }

    /// Nothing is left to lose.
    fn mark_saved(&mut self) {
        self.session.mark_saved();
        self.files.mark_motions_saved();
    }

    /// By its ending: a project, a motion, a table, or else a character.
    fn open_path(&mut self, path: PathBuf, ctx: &egui::Context) {
        match FileKind::from_path(&path) {
            Some(FileKind::Project) => self.open_project(path, ctx),
            Some(FileKind::Motion) => self.load_motion(&path),
            Some(FileKind::Table) => self.import(&path, ctx),
            Some(FileKind::Character) | None => self.files.open(Some(path), None, ctx),
        }
    }

    fn open_project(&mut self, path: PathBuf, ctx: &egui::Context) {
        let (mut project, said) = match open::project(&path) {
            Ok(read) => read,
            Err(said) => return self.report_all(said),
        };
        // The messages of the session that is open now go with it.
        project.diagnostics = said;
        let saved = &project.metadata.character_path;
        let character = (!saved.is_empty()).then(|| project::absolute_path(&path, saved));
        self.files.open(character, Some((path, project)), ctx);
    }

    /// Puts a project's document on its character, which lies at `character` or is the sample.
    fn finish_opening_project(
        &mut self,
        mut opened: OpenedCharacter,
        motions: LoadedMotions,
        character: Option<PathBuf>,
        (path, project): (PathBuf, Project),
        ctx: &egui::Context,
    ) {
        let (surroundings, contents) = (project.metadata.clone(), project.fingerprint);
        let (document, said) = project.into_document(&opened.character.skeleton);
        opened.document = document;
        self.set_opened_character(opened);
        self.files.set_character(character, ctx);
        self.files.set_motions(motions);
        self.files.set_project(path, contents, ctx);
        self.ui.restore_view(&surroundings.view);
        self.files.set_surroundings(surroundings);
        self.report_all(said);
        self.offer_replacement_bones(self.session.document().missing_bones_in_use());
    }

    /// Offers other bones in place of those that the character lacks.
    fn offer_replacement_bones(&mut self, lost: Vec<(BoneId, String)>) {
        if !lost.is_empty() {
            let names = lost.iter().map(|(_, name)| name.clone()).collect();
            self.session.handle(Command::AddMessage(Message::MissingBones(names)));
            self.ui.dialogs_mut().open_missing_bones(lost, &self.session);
        }
    }

    /// Saves the project, unless its file on disk has other contents than were last read or saved: then the artist is
    /// asked. Whoever chooses another file has agreed to replace that one.
    fn save_project(&mut self, path: &Path, ctx: &egui::Context) {
        let is_open_one = self.files.project().is_some_and(|open| open == path || is_same_file(open, path));
        if is_open_one && self.files.compare_project() == DiskStatus::Changed {
            self.asks_to_replace_project = true;
            return;
        }
        self.write_project(path, ctx);
    }

    fn write_project(&mut self, path: &Path, ctx: &egui::Context) {
        let was_gone = self.files.project() == Some(path) && self.files.compare_project() == DiskStatus::Missing;
        let surroundings = self.files.surroundings(path, self.ui.view_state());
        let bytes = project::write(self.session.document(), &self.session.character().skeleton, &surroundings);
        if let Err(said) = write_atomic(path, &bytes) {
            return self.report_all(vec![said]);
        }
        self.session.mark_saved();
        self.asks_to_replace_project = false;
        self.files.set_project(path.to_path_buf(), Fingerprint::of(&bytes), ctx);
        let label = EditLabel::new(if was_gone { "save_again" } else { "save" }, 1).name(file_name(path));
        self.session.handle(Command::AddMessage(Message::Done(label)));
        self.continue_after_save(ctx);
    }

    /// Takes the project as it is on disk now. What waited for the project to be saved does not happen: the artist sees
    /// first what came.
    fn reload_project(&mut self, ctx: &egui::Context) {
        (self.pending_action, self.asks_to_replace_project) = (None, false);
        if let Some(path) = self.files.project().map(Path::to_path_buf) {
            self.open_project(path, ctx);
        }
    }

    /// Nothing is left to lose: does what waited for that.
    fn continue_after_save(&mut self, ctx: &egui::Context) {
        match self.pending_action.take() {
            Some(PendingAction::Close) => ctx.send_viewport_cmd(egui::ViewportCommand::Close),
            Some(PendingAction::Open(request, _)) => self.handle_request(request, ctx),
            Some(PendingAction::SaveAverages(_)) | None => {}
        }
    }

    /// Does what waited for an answer, without saving. What is opened may turn out to be unreadable, so that unsaved
    /// work counts as such until something else is open.
    fn continue_without_saving(&mut self, ctx: &egui::Context) {
        match self.pending_action.take() {
            Some(PendingAction::Close) => {
                self.mark_saved();
                ctx.send_viewport_cmd(egui::ViewportCommand::Close);
            }
            Some(PendingAction::Open(AppRequest::OpenPath(path), _)) => self.open_path(path, ctx),
            Some(PendingAction::Open(request, _)) => {
                self.mark_saved();
                self.handle_request(request, ctx);
            }
            Some(PendingAction::SaveAverages(_)) | None => {}
        }
    }

    /// Whether opening this file would take unsaved work away; a table and a motion are only laid over it.
    fn would_discard_changes(&self, path: &Path) -> bool {
        !self.may_close() && !is_table(path) && !is_motion(path)
    }

    /// Reads the animations of a file for the character, on a thread.
    fn load_motion(&mut self, path: &Path) {
        self.files.load_motion(std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf()));
    }

    /// Starts to read the motion that waits, where nothing else is being read.
    fn read_next_motion(&mut self, ctx: &egui::Context) {
        let Some(path) = self.files.next_motion() else { return };
        let character = self.session.character();
        if character.skeleton.is_empty() {
            self.session.handle(Command::AddMessage(Message::NoCharacterForMotion(file_name(&path))));
        } else {
            self.files.read_motion(path, Arc::clone(character), ctx);
        }
    }

    /// Adds the animations of a file to the character and plays the first; those that the file gave before are replaced.
    /// Where no bone fits, everything stays as it is.
    fn finish_loading_motion(&mut self, path: PathBuf, motions: RetargetedMotions) {
        let file = file_name(&path);
        self.report_all(motions.diagnostics);
        if motions.clips.is_empty() {
            return self
                .session
                .handle(Command::AddMessage(Message::NoMotionBoneFound { file, bones: motions.unmatched }));
        }
        self.session.handle(Command::AddMessage(Message::MotionLoaded {
            file,
            matched: motions.matched_count,
            unmatched: motions.unmatched,
        }));
        let count = motions.clips.len();
        let replaced = self.files.clips_of_motion(&path, self.session.character().clips.len());
        self.session.load_motions(replaced, motions.clips);
        self.files.add_loaded_motion(path, count);
    }

    /// Shows what a setup file would change; nothing changes before the artist agrees.
    fn import(&mut self, path: &Path, ctx: &egui::Context) {
        match open::setup(path) {
            Ok((file, found)) => {
                self.ui.dialogs_mut().open_import(&file_name(path), file, found, &self.session);
                self.files.set_offered_table(path);
                self.files.watch_table(path, ctx);
            }
            Err(found) => self.report_all(found),
        }
    }

    /// Offers the same file again, read as text of another encoding.
    fn reread_table_as(&mut self, encoding: &str) {
        let Some(path) = self.files.offered_table().map(Path::to_path_buf) else { return };
        match open::setup_with_encoding(&path, encoding) {
            Ok((file, found)) => {
                self.ui.dialogs_mut().open_import(&file_name(&path), file, found, &self.session);
            }
            Err(found) => self.report_all(found),
        }
    }

    fn export(&mut self, path: &Path, options: ExportOptions, ctx: &egui::Context) {
        let exported = export(self.session.document(), &self.session.character().skeleton, options);
        if self.write(path, &tables::write_setup(&exported.file, options)) {
            self.files.watch_table(path, ctx);
        }
    }

    /// Writes the springs into the character's file, there or elsewhere; all else of it stays as it is. Under another
    /// solver than VRM's they are put under that first, and what that costs is told.
    /// A VRM 0.x file has one set of numbers for each tree: where joints of a tree differ, the artist is asked before means
    /// are written.
    fn save_character(&mut self, path: &Path, average: bool, ctx: &egui::Context) {
        let original = self.files.character().map(Path::to_path_buf);
        let read = match &original {
            Some(original) => read_limited(original).map_err(|said| vec![said]),
            None => Ok(super::SAMPLE_BYTES.to_vec()),
        };
        let name = file_name(path);
        let made = read.and_then(|bytes| {
            vrm::check_extension(&bytes, &name).map_err(|said| vec![said])?;
            let converted = convert(self.session.document(), self.session.character(), SolverKind::Vrm);
            let mut said = converted.diagnostics(&name);
            let swing = SwingComparison::new(self.session.document(), self.session.character(), &converted.after);
            let mut document = converted.after.clone();
            if vrm::read_springs_and_bones(&bytes, &name)?.version == vrm::VrmVersion::V0 {
                let (means, losses) = average_joint_values(&document, &self.session.character().skeleton);
                said.extend(loss_diagnostics(&losses, &name));
                document = means;
                let is_mean = |loss: &ConversionLoss| matches!(loss, ConversionLoss::ParamsAveraged { .. });
                if !average && losses.iter().chain(&converted.losses).any(is_mean) {
                    return Ok(None);
                }
            }
            let (made, more) = vrm::save_springs(&bytes, &name, &document, self.session.character())?;
            said.extend(more);
            if let Some(original) = &original {
                said.extend(copy_external_files(&external_files(&bytes), original, path)?);
            }
            Ok(Some((made, group_similar(&said), (swing, converted.after, name.clone()))))
        });
        let (bytes, said, swing) = match made {
            Ok(Some(made)) => made,
            Ok(None) => {
                self.pending_action = Some(PendingAction::SaveAverages(path.to_path_buf()));
                return;
            }
            Err(said) => return self.report_all(said),
        };
        self.report_all(said);
        if let Err(said) = write_atomic(path, &bytes) {
            return self.report_all(vec![said]);
        }
        self.swing_comparison = Some(swing);
        let label = EditLabel::new("save_character", self.session.document().joint_count()).name(name);
        self.session.handle(Command::AddMessage(Message::Done(label)));
        if original.is_some_and(|original| is_same_file(&original, path)) {
            self.files.restart_character_watch(ctx);
        }
    }

    fn open_rules(&mut self, path: &Path) {
        match open::rules(path) {
            Ok(rules) => self.ui.dialogs_mut().set_rules(rules, &self.session),
            Err(said) => self.report_all(said),
        }
    }

    /// Writes a file whole or not at all, says which, and returns whether.
    fn write(&mut self, path: &Path, bytes: &[u8]) -> bool {
        let written = write_atomic(path, bytes);
        let is_written = written.is_ok();
        let said = written.map_or_else(|said| said, |()| Diagnostic::info(Location::file(file_name(path)), "written"));
        self.report_all(vec![said]);
        is_written
    }

    pub(super) fn report_all(&mut self, said: Vec<Diagnostic>) {
        for diagnostic in said {
            self.session.handle(Command::AddDiagnostic(diagnostic));
        }
    }

    fn handle_loaded_file(&mut self, arrived: LoadedFile, ctx: &egui::Context) {
        match arrived {
            LoadedFile::Character { path, opened, motions, project: Some(project) } => {
                self.finish_opening_project(opened, motions, path, *project, ctx);
            }
            LoadedFile::Character { path, opened, .. } => {
                self.set_opened_character(opened);
                self.files.set_character(path, ctx);
            }
            LoadedFile::Reloaded { opened, motions } => {
                self.files.set_motions(motions);
                let lost = self.session.replace_character(opened.character);
                self.character_canvas.set_character(self.session.character());
                self.report_all(opened.diagnostics);
                self.offer_replacement_bones(lost);
            }
            LoadedFile::Motion { path, motions } => self.finish_loading_motion(path, motions),
        }
    }
}

/// As a character's file ends.
fn character_extension(path: &Path) -> &'static str {
    let endings = FileKind::Character.extensions();
    endings.iter().find(|ending| has_extension(path, &[ending])).unwrap_or(&endings[0])
}

fn is_same_file(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

fn is_table(path: &Path) -> bool {
    FileKind::from_path(path) == Some(FileKind::Table)
}

/// A file's name without its last ending.
fn file_stem(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// The path, with an ending where it has none.
fn with_default_extension(path: PathBuf, ending: &str) -> PathBuf {
    if path.extension().is_some() { path } else { path.with_extension(ending) }
}
