//! Handles requests from the window: opening and saving files, dialogs and presets.

use super::background::BackgroundTask;
use super::character_export::{CharacterSave, OnChangedSprings, SaveCharacterJob, SaveCharacterResult};
use super::contact_sheet::ContactSheetTask;
use super::dialogs::{DialogAnswer, FileRequest, expand_typed_path};
use super::drop::DropPlan;
use super::files::{LoadedFile, LoadedMotions, ProjectToOpen, is_motion};
use super::{App, PendingAction, sample_session};
use crate::ui::kit::i18n::Lang;
use crate::ui::{
    AppRequest, DialogKind, DiskStatus, DocumentId, FilePurpose, LiveExportKind, PresetLibrary, ProjectAccess,
};
use std::path::{Path, PathBuf};
use yuremono_format::fs;
use yuremono_format::open::{self, OpenedCharacter, file_name};
use yuremono_format::project;
use yuremono_format::source::{Fingerprint, write_atomic};
use yuremono_format::tables::{FileKind, format_for_path, has_extension, is_read_only_character, known_kinds};
use yuremono_format::{builtin_presets, preset_folder, tables, vrm};
use yuremono_model::exchange::{ExportOptions, SetupLayout, export};
use yuremono_model::feel::preset::Preset;
use yuremono_session::{ClippingJob, Command, DoctorJob, Message, MotionFitJob};
use yuremono_sim::diagnostics::MessageText;
use yuremono_sim::diagnostics::{Diagnostic, Location, message};
use yuremono_sim::rig::BoneId;

impl App {
    #[expect(clippy::too_many_lines, reason = "one arm for each request")]
    pub(super) fn handle_request(&mut self, request: AppRequest, ctx: &egui::Context) {
        match request {
            AppRequest::OpenDialog => self.ask_for_file(FilePurpose::Open, "", ctx),
            AppRequest::LocateRecoveredCharacter => self.ask_for_file(FilePurpose::LocateCharacter, "", ctx),
            AppRequest::LoadMotionDialog => self.ask_for_file(FilePurpose::LoadMotion, "", ctx),
            AppRequest::LoadMotion(path) => self.load_motion(&path),
            AppRequest::ImportDialog => self.ask_for_file(FilePurpose::Import, "", ctx),
            AppRequest::ReadTableWithEncoding(encoding) => self.reread_table_as(encoding),
            AppRequest::UseTypedPath(path) => self.use_typed_path(&path, ctx),
            AppRequest::WriteTypedPath(path) => self.write_path(&path, ctx),
            AppRequest::OpenPath(path) if path.starts_with("~") => {
                self.handle_request(AppRequest::OpenPath(expand_typed_path(&path, std::env::home_dir())), ctx);
            }
            AppRequest::OpenPath(path) if FileKind::from_path(&path).is_none() && !open::is_unity_project(&path) => {
                let message = message!("the kind of this file is unknown; {known_kinds}", known_kinds = known_kinds());
                self.report_all(vec![Diagnostic::error(Location::file(file_name(&path)), message)]);
            }
            AppRequest::OpenPath(path) if self.would_discard_changes(&path) => {
                let name = file_name(&path);
                self.pending_action = Some(PendingAction::Open(AppRequest::OpenPath(path), name));
            }
            AppRequest::OpenPath(path) => self.open_path(path, ctx),
            AppRequest::OpenSample if !self.may_close() => {
                self.pending_action = Some(PendingAction::Open(AppRequest::OpenSample, super::SAMPLE_NAME.to_owned()));
            }
            AppRequest::Answer { document, request } => {
                if self.is_for_open_document(document, Location::default()) {
                    self.handle_request(*request, ctx);
                }
            }
            AppRequest::OpenSample => {
                self.files.cancel_loading();
                self.motion_fit.stop();
                self.replace_session(sample_session());
                self.set_character_file(None, ctx);
                self.restore_motion(true);
                self.begin_autosave(None);
            }
            AppRequest::CancelOpening => {
                self.files.cancel_loading();
                self.reserve_project(None);
            }
            AppRequest::SaveContactSheet => {
                let name = format!("{}_sheet.png", file_stem(&self.files.character_name));
                self.ask_for_file(FilePurpose::SaveContactSheet, &name, ctx);
            }
            AppRequest::CancelContactSheet => self.contact_sheet = ContactSheetTask::Idle,
            AppRequest::ReloadCharacter => {
                self.files.character_watch.acknowledge();
                self.files.reload(ctx);
            }
            AppRequest::IgnoreCharacterChange => self.files.character_watch.acknowledge(),
            AppRequest::ReimportTable => {
                if let Some(path) = self.files.take_changed_table() {
                    self.import(&path, ctx);
                }
            }
            AppRequest::IgnoreTableChange => _ = self.files.take_changed_table(),
            AppRequest::FitMotion(chains, to) => {
                self.motion_fit.start_fit(MotionFitJob::new(&self.session, &chains, to), ctx);
            }
            AppRequest::StopMotionFit => self.motion_fit.stop(),
            AppRequest::StartBake(options, format) => self.start_bake(options, format, ctx),
            AppRequest::StopBake => self.bake.stop(),
            AppRequest::FindClipping { motions, visible } => {
                self.clipping.start_clipping(ClippingJob::new(&self.session, &visible), motions, ctx);
            }
            AppRequest::StopClipping => self.clipping.stop(),
            AppRequest::RunDoctor { motions } => self.doctor.start_doctor(DoctorJob::new(&self.session), motions, ctx),
            AppRequest::StopDoctor => self.doctor.stop(),
            AppRequest::StartLive(options) => self.start_live(options),
            AppRequest::StopLive => self.stop_live(),
            AppRequest::TurnLive(turned) => self.live.turn(turned),
            AppRequest::CalibrateLive => self.live.calibrate(),
            AppRequest::RecordLive => self.record_live(ctx),
            AppRequest::SendLive(port) => self.send_live_to(port),
            AppRequest::SaveBakedDialog(format) => self.ask_for_baked_file(format, ctx),
            AppRequest::Quit => ctx.send_viewport_cmd(egui::ViewportCommand::Close),
            AppRequest::ProceedWithoutSaving => self.continue_without_saving(ctx),
            AppRequest::CancelClose => {
                (self.pending_action, self.asks_to_replace_project, self.project_of_other_window) = (None, false, None);
            }
            AppRequest::SaveChangedSprings => {
                if let Some(PendingAction::SaveChangedSprings(path, _)) = self.pending_action.take() {
                    self.save_character(path, OnChangedSprings::Write, ctx);
                }
            }
            AppRequest::ClearRecentFiles => self.files.recent.clear(),
            AppRequest::ExportDialog(options) => {
                let name = self.suggested_setup_name(&options);
                self.ask_for_file(FilePurpose::Export(options), &name, ctx);
            }
            AppRequest::Save => match self.files.writable_project().map(Path::to_path_buf) {
                Some(path) => self.save_project(&path, ctx),
                None => self.handle_request(AppRequest::SaveAs, ctx),
            },
            AppRequest::OverwriteProject => {
                self.asks_to_replace_project = false;
                match self.files.writable_project().map(Path::to_path_buf) {
                    Some(path) => {
                        self.keep_replaced_project(&path);
                        self.write_project(&path, ctx);
                    }
                    None => self.handle_request(AppRequest::SaveAs, ctx),
                }
            }
            AppRequest::ReloadProject => self.reload_project(ctx),
            AppRequest::ShowProjectConflict => self.asks_to_replace_project = self.files.project().is_some(),
            AppRequest::IgnoreProjectChange => self.files.dismiss_project_change(),
            AppRequest::SaveAs => {
                self.asks_to_replace_project = false;
                let name = format!("{}.yure", file_stem(&self.files.character_name));
                self.ask_for_file(FilePurpose::SaveProject, &name, ctx);
            }
            AppRequest::SaveCharacter | AppRequest::AddLiveCharacterDialog if self.is_read_only_character() => {
                // The file cannot store springs, so the artist needs a setup file.
                self.report_all(vec![vrm::read_only_refusal(&self.files.character_name)]);
                self.ui.state_mut().dialogs_to_open.push(DialogKind::Export);
            }
            AppRequest::SaveCharacter => {
                let ending = self.files.character().map_or("vrm", character_extension);
                let name = format!("{}_tuned.{ending}", file_stem(&self.files.character_name));
                self.ask_for_file(FilePurpose::SaveCharacter(ending), &name, ctx);
            }
            AppRequest::SavePicture => {
                let name = format!("{}_view.png", file_stem(&self.files.character_name));
                self.ask_for_file(FilePurpose::SavePicture, &name, ctx);
            }
            AppRequest::SaveClip(options) => {
                let extension = options.format.extensions()[0];
                let name = format!("{}_clip.{extension}", file_stem(&self.files.character_name));
                self.ask_for_file(FilePurpose::SaveClip(options), &name, ctx);
            }
            AppRequest::CancelClip => self.cancel_clip(),
            AppRequest::CompareFileDialog => self.ask_for_file(FilePurpose::CompareWith, "", ctx),
            AppRequest::OpenRules => self.ask_for_file(FilePurpose::OpenRules, "", ctx),
            AppRequest::SavePreset { preset, replaces } => self.save_preset(&preset, replaces),
            AppRequest::DeletePreset { key, name } => self.delete_preset(&key, name),
            AppRequest::SaveRules(bytes) => self.ask_for_file(FilePurpose::SaveRules(bytes), "rules.json", ctx),
            AppRequest::ShowEarlierVersions => self.show_earlier_versions(),
            AppRequest::CompareWithDisk => {
                // The question of a pending action would cover the comparison.
                (self.pending_action, self.asks_to_replace_project) = (None, false);
                self.compare_with_disk();
            }
            AppRequest::OpenVersion { path, as_copy } => self.open_version(&path, as_copy, ctx),
            AppRequest::AddLiveSetupDialog => {
                let options = self.ui.prefs().export_options(self.session.character());
                let name = self.suggested_setup_name(&options);
                self.ask_for_file(FilePurpose::ExportLive(options), &name, ctx);
            }
            AppRequest::AddLiveCharacterDialog => {
                let ending = self.files.character().map_or("vrm", character_extension);
                let name = format!("{}_live.{ending}", file_stem(&self.files.character_name));
                self.ask_for_file(FilePurpose::SaveCharacterLive(ending), &name, ctx);
            }
            AppRequest::SetLiveExports(is_on) => self.live_exports.set_on(is_on),
            AppRequest::RemoveLiveExport(path) => self.live_exports.remove(&path),
            AppRequest::ChooseProjectAccess(access) => self.choose_project_access(access, ctx),
            AppRequest::ChooseRecovery(choice) => self.choose_recovery(choice, ctx),
        }
    }

    pub(super) fn open_dropped_files(&mut self, ctx: &egui::Context) {
        #[cfg(not(target_arch = "wasm32"))]
        let dropped: Vec<PathBuf> =
            ctx.input(|i| i.raw.dropped_files.iter().map(|file| file.path().to_path_buf()).collect());
        #[cfg(target_arch = "wasm32")]
        let dropped = {
            super::browser::read_dropped(ctx.input(|i| i.raw.dropped_files.clone()));
            super::browser::take_dropped()
        };
        self.open_dropped_paths(dropped, ctx);
    }

    /// Loads all motions of a list, and opens the first of the other files.
    pub(super) fn open_dropped_paths(&mut self, dropped: Vec<PathBuf>, ctx: &egui::Context) {
        let DropPlan { motions, others } = DropPlan::new(dropped);
        for path in motions {
            self.load_motion(&path);
        }
        if let Some(path) = others.into_iter().next() {
            self.handle_request(AppRequest::OpenPath(path), ctx);
        }
    }

    /// Sets the file of the open character. `None` is the sample.
    fn set_character_file(&mut self, path: Option<PathBuf>, ctx: &egui::Context) {
        if self.files.character() == path.as_deref() {
            self.live_exports.write_again();
        } else {
            self.live_exports.clear();
        }
        self.files.set_character(path, ctx);
    }

    /// Handles the results of threads and dialogs.
    pub(super) fn poll_tasks(&mut self, ctx: &egui::Context) {
        while let Some(answer) = self.dialogs.answer() {
            match answer {
                // The dialog confirmed replacing this file. Adding an extension can result in another file.
                DialogAnswer::Chosen(request, path) => self.accept_path(request, path.clone(), Some(&path), ctx),
                DialogAnswer::Unavailable(request) => self.ask_for_path(request, None),
            }
        }
        self.files.check_for_changes();
        if self.motion_fit.poll() {
            let message = message!("\"Match motion\" stopped because of an internal error; try again");
            self.report_all(vec![Diagnostic::error(Location::default(), message)]);
        }
        if self.bake.poll() {
            let message = message!("the bake stopped because of an internal error; bake the motion again");
            self.report_all(vec![Diagnostic::error(Location::default(), message)]);
        }
        if self.clipping.poll() {
            let message = message!("the search for clipping stopped because of an internal error; try again");
            self.report_all(vec![Diagnostic::error(Location::default(), message)]);
        }
        if self.doctor.poll() {
            let message = message!("the Doctor stopped because of an internal error; run the motions again");
            self.report_all(vec![Diagnostic::error(Location::default(), message)]);
        }
        match self.files.poll_loaded() {
            Some(Ok(file)) => self.handle_loaded_file(file, ctx),
            Some(Err(diagnostics)) => {
                self.report_all(diagnostics);
                self.reserve_project(None);
                self.offer_recovery_again();
            }
            None => {}
        }
        self.read_next_motion(ctx);
        self.poll_character_save(ctx);
    }

    /// Opens a dialog in the folder of the project or the character. `name` is suggested for a written file.
    pub(super) fn ask_for_file(&mut self, purpose: FilePurpose, name: &str, ctx: &egui::Context) {
        let of_motions = self.ui.prefs().motion_folder.as_deref();
        let beside = match purpose {
            FilePurpose::LoadMotion | FilePurpose::SaveLiveMotion if of_motions.is_some_and(Path::is_dir) => of_motions,
            _ => self.files.project().or_else(|| self.files.character()).and_then(Path::parent),
        };
        let folder = beside
            .map_or_else(|| expand_typed_path(Path::new("~"), std::env::home_dir()), |p| expand_typed_path(p, None));
        let request = FileRequest { purpose, suggested_path: folder.join(name), document: self.document_id };
        if let Err(request) = self.dialogs.open(request, ctx) {
            self.ask_for_path(request, None);
        }
    }

    fn suggested_setup_name(&self, options: &ExportOptions) -> String {
        let solver = options.solver.unwrap_or(self.session.document().main_system().solver);
        let kind = if solver.info().uses_pivots { "Dynamics" } else { solver.key() };
        let kind = if options.format.layout == SetupLayout::Rows { kind } else { options.format.key };
        format!("{}_{kind}.{}", file_stem(&self.files.character_name), options.format.extension())
    }

    /// Rewrites a character after each change. The opened file itself would be reloaded after each change, so another
    /// file is needed.
    fn add_live_character(&mut self, path: PathBuf) {
        if self.files.character().is_some_and(|open| open == path || is_same_file(open, &path)) {
            let message = message!("this is the open character; choose another file to rewrite after each change");
            return self.report_all(vec![Diagnostic::error(Location::file(file_name(&path)), message)]);
        }
        self.live_exports.add(path, LiveExportKind::Character);
    }

    /// Asks for a path in a window of the application. `existing` is a file that the user may choose to replace.
    fn ask_for_path(&mut self, request: FileRequest, existing: Option<PathBuf>) {
        let suggested = request.suggested_path.to_string_lossy();
        self.ui.dialogs_mut().ask_path(request.purpose.clone(), &suggested, existing.clone());
        self.pending_path = Some((request, existing));
    }

    /// Uses a typed path for the pending request.
    fn use_typed_path(&mut self, path: &Path, ctx: &egui::Context) {
        let Some((request, existing)) = self.pending_path.take() else { return };
        self.accept_path(request, expand_typed_path(path, std::env::home_dir()), existing.as_deref(), ctx);
    }

    /// Uses a path for a request. A written file gets the extension of its format, and replaces a file other than
    /// `existing` only after a question. If another document is open since the request, nothing is written.
    pub(super) fn accept_path(
        &mut self,
        request: FileRequest,
        path: PathBuf,
        existing: Option<&Path>,
        ctx: &egui::Context,
    ) {
        let path = request.purpose.written_path(path);
        if request.purpose.written_extension().is_some() {
            if !self.is_for_open_document(request.document, Location::file(file_name(&path))) {
                return;
            }
            if fs::is_regular_file(&path) && existing != Some(path.as_path()) {
                return self.ask_for_path(FileRequest { suggested_path: path.clone(), ..request }, Some(path));
            }
        }
        self.use_chosen_path(request.purpose, path, ctx);
    }

    /// Returns whether an answer belongs to the open document. Otherwise reports that nothing happened. `place` is the
    /// file that would have been written.
    fn is_for_open_document(&mut self, document: DocumentId, place: Location) -> bool {
        let is_current = document == self.document_id;
        if !is_current {
            let message = message!(
                "the answer was for a document that is no longer open; nothing was written and nothing was opened, \
                 repeat the command"
            );
            self.report_all(vec![Diagnostic::error(place, message)]);
        }
        is_current
    }

    /// Writes a table or the project to a path without opening a dialog.
    fn write_path(&mut self, path: &Path, ctx: &egui::Context) {
        let purpose = if is_table(path) {
            let options = self.ui.prefs().export_options(self.session.character());
            let options = format_for_path(path).map_or(options, |format| options.for_format(format));
            FilePurpose::Export(options)
        } else {
            FilePurpose::SaveProject
        };
        let request = FileRequest { purpose, suggested_path: path.to_path_buf(), document: self.document_id };
        self.accept_path(request, expand_typed_path(path, std::env::home_dir()), None, ctx);
    }

    pub(super) fn use_chosen_path(&mut self, purpose: FilePurpose, path: PathBuf, ctx: &egui::Context) {
        match purpose {
            FilePurpose::Open => self.handle_request(AppRequest::OpenPath(path), ctx),
            FilePurpose::LocateCharacter => self.recovery.replace_character(&path),
            FilePurpose::LoadMotion => self.load_motion(&path),
            FilePurpose::Import => self.import(&path, ctx),
            FilePurpose::Export(options) => self.export(&path, options, ctx),
            FilePurpose::SaveProject => self.save_project(&path, ctx),
            FilePurpose::ExportLive(options) => {
                let options = format_for_path(&path).map_or(options, |format| options.for_format(format));
                self.live_exports.add(path, LiveExportKind::Setup(options));
            }
            FilePurpose::SaveCharacterLive(_) => self.add_live_character(path),
            FilePurpose::SaveBaked(format, _) => self.save_baked(format, &path),
            FilePurpose::SaveLiveMotion => self.save_live_motion(&path),
            FilePurpose::SaveCharacter(_) => self.save_character(path, OnChangedSprings::Ask, ctx),
            FilePurpose::CompareWith => self.compare_with_file(&path),
            FilePurpose::OpenRules => self.open_rules(&path),
            FilePurpose::SavePicture if self.ui.prefs().look.transparent_pictures => {
                self.save_transparent_picture(&path, ctx);
            }
            FilePurpose::SavePicture => self.capture.start_picture(path),
            FilePurpose::SaveClip(options) => self.start_clip(path, options, ctx),
            FilePurpose::SaveRules(bytes) => _ = self.write(&path, &bytes),
            FilePurpose::SaveContactSheet => self.start_contact_sheet(path, ctx),
        }
    }

    /// Whether the window can close without losing changes.
    pub(super) fn may_close(&self) -> bool {
        !self.session.history().is_dirty() && !self.files.has_unsaved_motions()
    }

    fn mark_saved(&mut self) {
        self.session.mark_saved();
        self.files.mark_motions_saved();
    }

    /// Opens a project, motion, table or character, depending on the extension.
    fn open_path(&mut self, path: PathBuf, ctx: &egui::Context) {
        if open::is_unity_project(&path) {
            return self.files.open_unity_project(path, ctx);
        }
        match FileKind::from_path(&path) {
            Some(FileKind::Project) => self.open_project(path, ctx),
            Some(FileKind::Motion) => self.load_motion(&path),
            Some(FileKind::Table) => self.import(&path, ctx),
            Some(FileKind::Character) | None => self.files.open(Some(path), None, ctx),
        }
    }

    fn open_project(&mut self, path: PathBuf, ctx: &egui::Context) {
        self.reserve_project(Some(&path));
        if self.autosave.is_open_elsewhere(&path) {
            self.reserve_project(None);
            self.project_of_other_window = Some(path);
        } else if let Some(project) = self.read_project(&path) {
            self.open_read_project(ProjectToOpen { path: Some(path), ..project }, ctx);
        } else {
            self.reserve_project(None);
        }
    }

    /// Reserves a project that loads, or ends the reservation. Reports a failure.
    pub(super) fn reserve_project(&mut self, path: Option<&Path>) {
        if let Err(diagnostic) = self.autosave.reserve(path) {
            self.report_all(vec![diagnostic]);
        }
    }

    /// Reads a project as a document without a file, or reports why it cannot be read.
    fn read_project(&mut self, path: &Path) -> Option<ProjectToOpen> {
        let (mut project, diagnostics) = match open::project(path) {
            Ok(read) => read,
            Err(diagnostics) => {
                self.report_all(diagnostics);
                return None;
            }
        };
        // The messages of the current session are removed together with the session, so the diagnostics are reported
        // later.
        project.diagnostics = diagnostics;
        project.make_paths_absolute(path);
        Some(ProjectToOpen::new(project))
    }

    fn open_read_project(&mut self, project: ProjectToOpen, ctx: &egui::Context) {
        let character = &project.project.metadata.character_path;
        let character = (!character.is_empty()).then(|| PathBuf::from(character));
        self.files.open(character, Some(project), ctx);
    }

    /// Opens a project that another window has open, or not.
    fn choose_project_access(&mut self, access: ProjectAccess, ctx: &egui::Context) {
        let Some(path) = self.project_of_other_window.take().filter(|_| access != ProjectAccess::Cancel) else {
            return;
        };
        let Some(copy) = self.read_project(&path) else { return };
        let is_read_only = access == ProjectAccess::ReadOnly;
        let path = is_read_only.then_some(path);
        self.open_read_project(ProjectToOpen { path, is_read_only, ..copy }, ctx);
    }

    /// Starts a session with a project. `character` is the character's file, or `None` for the sample.
    fn finish_opening_project(
        &mut self,
        mut opened: OpenedCharacter,
        motions: LoadedMotions,
        character: Option<PathBuf>,
        ProjectToOpen { path, project, is_unsaved, is_read_only, recovered_from }: ProjectToOpen,
        ctx: &egui::Context,
    ) {
        let (metadata, contents) = (project.metadata.clone(), project.fingerprint);
        let (document, diagnostics) = project.into_document(&opened.character);
        opened.document = document;
        self.set_opened_character(opened);
        self.set_character_file(character, ctx);
        self.files.motions = motions;
        self.restore_motion(false);
        self.files.metadata = metadata.clone();
        if let Some(path) = path {
            self.files.set_project(path, contents, ctx);
        }
        self.files.is_read_only = is_read_only;
        if is_unsaved {
            self.session.mark_unsaved();
        } else {
            self.ui.restore_view(&metadata.view);
        }
        self.begin_autosave(recovered_from);
        self.report_all(diagnostics);
        self.offer_replacement_bones(self.session.document().missing_bones_in_use());
    }

    /// Reports missing bones and offers to replace them with others.
    fn offer_replacement_bones(&mut self, missing: Vec<(BoneId, String)>) {
        if !missing.is_empty() {
            let names = missing.iter().map(|(_, name)| name.clone()).collect();
            self.add_message(Message::MissingBones(names));
            self.ui.dialogs_mut().open_missing_bones(missing, &self.session);
        }
    }

    /// Saves the project. Asks first if another program changed the file of the open project. The dialog already
    /// confirmed replacing any other file.
    fn save_project(&mut self, path: &Path, ctx: &egui::Context) {
        let is_open_project = self.files.project().is_some_and(|open| open == path || is_same_file(open, path));
        if is_open_project && self.files.compare_project() == DiskStatus::Changed {
            self.asks_to_replace_project = true;
            return;
        }
        if !is_open_project && self.autosave.is_open_elsewhere(path) {
            let message = message!("the project is open in another window; save under another name");
            return self.report_all(vec![Diagnostic::error(Location::file(path.display().to_string()), message)]);
        }
        self.write_project(path, ctx);
    }

    fn write_project(&mut self, path: &Path, ctx: &egui::Context) {
        let was_gone = self.files.project() == Some(path) && self.files.compare_project() == DiskStatus::Missing;
        let metadata = self.files.project_metadata(path, self.ui.view_state());
        let bytes = project::write(self.session.document(), self.session.character(), &metadata);
        if let Err(diagnostic) = write_atomic(path, &bytes) {
            return self.report_all(vec![diagnostic]);
        }
        self.session.mark_saved();
        self.asks_to_replace_project = false;
        self.files.set_project(path.to_path_buf(), Fingerprint::of(&bytes), ctx);
        self.files.is_read_only = false;
        self.store_backup(path, &bytes);
        self.begin_autosave(None);
        let name = file_name(path);
        self.add_message(Message::Done(if was_gone {
            message!("{name} was missing on disk and is saved again", name)
        } else {
            message!("{name} saved", name)
        }));
        self.continue_after_save(ctx);
    }

    /// Reloads the project from disk. Cancels a pending action, so the user sees the other version first.
    fn reload_project(&mut self, ctx: &egui::Context) {
        (self.pending_action, self.asks_to_replace_project) = (None, false);
        if let Some(path) = self.files.project().map(Path::to_path_buf) {
            self.open_project(path, ctx);
        }
    }

    /// Runs the action that was waiting for the save.
    fn continue_after_save(&mut self, ctx: &egui::Context) {
        match self.pending_action.take() {
            Some(PendingAction::Close) => ctx.send_viewport_cmd(egui::ViewportCommand::Close),
            Some(PendingAction::Open(request, _)) => self.handle_request(request, ctx),
            Some(PendingAction::OpenVersion(version)) => self.open_read_version(*version, ctx),
            Some(PendingAction::SaveChangedSprings(..)) | None => {}
        }
    }

    /// Runs the pending action without saving. Changes stay unsaved until another file is open, because opening can
    /// fail.
    fn continue_without_saving(&mut self, ctx: &egui::Context) {
        match self.pending_action.take() {
            Some(PendingAction::Close) => {
                self.mark_saved();
                ctx.send_viewport_cmd(egui::ViewportCommand::Close);
            }
            Some(PendingAction::Open(AppRequest::OpenPath(path), _)) => self.open_path(path, ctx),
            Some(PendingAction::OpenVersion(version)) => self.open_read_version(*version, ctx),
            Some(PendingAction::Open(request, _)) => {
                self.mark_saved();
                self.handle_request(request, ctx);
            }
            Some(PendingAction::SaveChangedSprings(..)) | None => {}
        }
    }

    /// Whether opening this file would discard unsaved changes. Opening a table or a motion keeps the session.
    fn would_discard_changes(&self, path: &Path) -> bool {
        let keeps_session = (is_table(path) || is_motion(path)) && !open::is_unity_project(path);
        !self.may_close() && !keeps_session
    }

    /// Opens the import dialog for a setup file.
    fn import(&mut self, path: &Path, ctx: &egui::Context) {
        match open::setup(path, Some(self.session.character())) {
            Ok((file, found)) => {
                self.ui.dialogs_mut().open_import(&file_name(path), file, found, &self.session);
                self.files.import_dialog_table = Some(path.to_path_buf());
                self.files.watch_table(path, ctx);
            }
            Err(found) => self.report_all(found),
        }
    }

    /// Reads the file of the import dialog again in another encoding.
    fn reread_table_as(&mut self, encoding: &str) {
        let Some(path) = self.files.import_dialog_table.clone() else { return };
        match open::setup_with_encoding(&path, encoding) {
            Ok((file, found)) => {
                self.ui.dialogs_mut().open_import(&file_name(&path), file, found, &self.session);
            }
            Err(found) => self.report_all(found),
        }
    }

    fn export(&mut self, path: &Path, options: ExportOptions, ctx: &egui::Context) {
        let exported = export(self.session.document(), self.session.character(), options);
        if self.write(path, &tables::write_setup(&exported.file, options)) {
            self.files.watch_table(path, ctx);
        }
    }

    /// Starts to write a copy of the character file with the springs of the session.
    fn save_character(&mut self, path: PathBuf, on_changed: OnChangedSprings, ctx: &egui::Context) {
        if let Some(CharacterSave { path, .. }) = &self.character_save {
            let message = message!("is being saved; save again in a moment");
            return self.report_all(vec![Diagnostic::error(Location::file(file_name(path)), message)]);
        }
        let original = self.files.character().map(Path::to_path_buf);
        let job = SaveCharacterJob::new(&self.session, original, path.clone(), on_changed);
        let task = BackgroundTask::start(ctx, move |progress| job.run(progress));
        self.character_save = Some(CharacterSave { task, path, document: self.document_id, closes_window: false });
    }

    /// Handles the end of a save. Questions that are open come first.
    fn poll_character_save(&mut self, ctx: &egui::Context) {
        if self.question().is_some() {
            return;
        }
        let Some(result) = self.character_save.as_ref().and_then(|save| save.task.poll()) else { return };
        let Some(CharacterSave { path, document, closes_window, .. }) = self.character_save.take() else { return };
        let error = |message| vec![Diagnostic::error(Location::file(file_name(&path)), message)];
        match result {
            Ok(Ok(SaveCharacterResult::Asks(changes))) if document == self.document_id => {
                self.pending_action = Some(PendingAction::SaveChangedSprings(path, changes));
            }
            Ok(Ok(SaveCharacterResult::Asks(_))) => {
                self.report_all(error(message!("is not saved, because another character was opened")));
            }
            Ok(Ok(SaveCharacterResult::Written { joints, diagnostics })) => {
                self.report_all(diagnostics);
                self.add_message(Message::Done(message!(
                    "{n:joint|joints} saved into {name}. The rest of the file is unchanged.",
                    n = joints,
                    name = file_name(&path)
                )));
                if self.files.character().is_some_and(|original| is_same_file(original, &path)) {
                    self.files.restart_character_watch(ctx);
                }
                if closes_window {
                    ctx.send_viewport_cmd(egui::ViewportCommand::Close);
                }
            }
            Ok(Err(diagnostics)) => self.report_all(diagnostics),
            Err(_) => self.report_all(error(message!("is not saved because of an internal error; try again"))),
        }
    }

    /// Lets the window close after a running save. Returns whether a save is running.
    pub(super) fn close_after_save(&mut self) -> bool {
        self.character_save.as_mut().is_some_and(|save| {
            save.closes_window = true;
            true
        })
    }

    fn open_rules(&mut self, path: &Path) {
        match open::rules(path) {
            Ok(rules) => self.ui.dialogs_mut().set_rules(rules, &self.session),
            Err(diagnostics) => self.report_all(diagnostics),
        }
    }

    /// Writes a file atomically and reports the result. Returns whether the file was written.
    fn write(&mut self, path: &Path, bytes: &[u8]) -> bool {
        let written = write_atomic(path, bytes);
        let is_written = written.is_ok();
        let report = |()| Diagnostic::info(Location::file(file_name(path)), message!("written"));
        self.report_all(vec![written.map_or_else(|diagnostic| diagnostic, report)]);
        is_written
    }

    fn is_read_only_character(&self) -> bool {
        self.files.character().is_some_and(is_read_only_character)
    }

    pub(super) fn report_all(&mut self, diagnostics: Vec<Diagnostic>) {
        for diagnostic in diagnostics {
            self.session.handle(Command::AddDiagnostic(diagnostic));
        }
    }

    fn handle_loaded_file(&mut self, file: LoadedFile, ctx: &egui::Context) {
        match file {
            LoadedFile::Character { path, opened, motions, project: Some(project) } => {
                self.finish_opening_project(opened, motions, path, *project, ctx);
            }
            LoadedFile::Character { path, opened, .. } => {
                self.set_opened_character(opened);
                self.set_character_file(path, ctx);
                self.restore_motion(true);
                self.begin_autosave(None);
            }
            LoadedFile::Reloaded { opened, motions } => {
                self.files.motions = motions;
                self.contact_sheet = ContactSheetTask::Idle;
                let missing = self.session.replace_character(opened.character);
                self.upload_character();
                self.continue_live();
                self.report_all(opened.diagnostics);
                self.offer_replacement_bones(missing);
            }
            LoadedFile::Motion { path, motions } => self.finish_loading_motion(&path, motions),
            LoadedFile::UnityProject { path, project: Some(project) } => {
                self.set_opened_character(project.opened);
                self.set_character_file(Some(project.model_file), ctx);
                // The model alone has no setup.
                self.files.add_recent(path);
                self.restore_motion(true);
                self.begin_autosave(None);
            }
            LoadedFile::UnityProject { path, project: None } => self.import(&path, ctx),
        }
    }

    /// Reads the presets of the user. Reports each new diagnostic once.
    pub(super) fn reload_presets(&mut self) {
        let (own, diagnostics) = user_preset_folder().map(|folder| preset_folder::read(&folder)).unwrap_or_default();
        let library = PresetLibrary { built_in: builtin_presets::builtin_presets(), user: own };
        self.ui.state_mut().presets.set_library(library);
        let is_new = |diagnostic: &&Diagnostic| !self.reported_preset_diagnostics.contains(diagnostic);
        self.report_all(diagnostics.iter().filter(is_new).cloned().collect());
        self.reported_preset_diagnostics = diagnostics;
    }

    pub(super) fn save_preset(&mut self, preset: &Preset, replaces: bool) {
        let name = preset.name.get(self.ui.prefs().lang == Lang::Ja).to_owned();
        let Some(folder) = user_preset_folder() else {
            let message = message!("this system has no folder for user data; the preset was not saved");
            return self.report_all(vec![Diagnostic::warning(Location::default(), message)]);
        };
        let saved = preset_folder::save(&folder, preset, replaces);
        self.report_preset_change(message!("{name} saved to your presets", name), saved.map(drop));
    }

    pub(super) fn delete_preset(&mut self, key: &str, name: String) {
        let Some(folder) = user_preset_folder() else { return };
        self.report_preset_change(
            message!("{name} deleted from your presets", name),
            preset_folder::delete(&folder, key),
        );
    }

    fn report_preset_change(&mut self, done: MessageText, result: Result<(), Diagnostic>) {
        match result {
            Ok(()) => self.add_message(Message::Done(done)),
            Err(diagnostic) => self.report_all(vec![diagnostic]),
        }
        self.reload_presets();
    }

    pub(super) fn add_message(&mut self, message: Message) {
        self.session.handle(Command::AddMessage(message));
    }
}

/// Returns the folder of the user's presets, or `None` if the system has no folder for user data.
fn user_preset_folder() -> Option<PathBuf> {
    super::user_data_folder().map(|data| preset_folder::path_in(&data))
}

/// Returns the path's extension if it is a known extension of character files, else the default.
pub(super) fn character_extension(path: &Path) -> &'static str {
    let endings = FileKind::Character.extensions();
    endings.iter().find(|ending| has_extension(path, &[ending])).unwrap_or(&endings[0])
}

/// Returns the extension of a copy of a character with an animation. An FBX becomes a `.glb`.
pub(super) fn gltf_extension(path: &Path) -> &'static str {
    if is_read_only_character(path) { "glb" } else { character_extension(path) }
}

pub(super) fn is_same_file(a: &Path, b: &Path) -> bool {
    matches!((fs::canonicalize(a), fs::canonicalize(b)), (Ok(a), Ok(b)) if a == b)
}

fn is_table(path: &Path) -> bool {
    FileKind::from_path(path) == Some(FileKind::Table)
}

/// Returns a file name without its last extension.
pub(super) fn file_stem(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}
