//! What the artist asks of the program: files in and out.

use super::dialogs::{Answer, Asked, Purpose, typed};
use super::files::{Arrived, LoadedMotions, is_motion};
use super::matching::Arrival;
use super::{App, Question, sample};
use crate::document::Label;
use crate::exchange::export;
use crate::exchange::{ExportOptions, TableFormat};
use crate::feel::convert::averaged::averaged;
use crate::feel::{
    convert::Loss, convert::SwingComparison, convert::convert, convert::loss_diagnostics, convert::muted_losses,
};
use crate::format::gltf::neighbours;
use crate::format::motion::Motions;
use crate::format::open::{self, Opened, file_name};
use crate::format::project::{self, Project};
use crate::format::source::{Fingerprint, copy_beside, read_limited, write_atomic};
use crate::format::tables::{FileKind, has_ending};
use crate::format::{tables, vrm};
use crate::report::grouped;
use crate::report::{Diagnostic, Place};
use crate::rig::BoneId;
use crate::session::{Command, MatchJob, Said};
use crate::sim::SolverKind;
use crate::ui::{OnDisk, Request};
use std::path::{Path, PathBuf};
use std::sync::Arc;

impl App {
    /// Does what was asked of the program.
    pub(super) fn request(&mut self, request: Request, ctx: &egui::Context) {
        match request {
            Request::OpenDialog => self.ask(Purpose::Open, "", ctx),
            Request::LoadMotionDialog => self.ask(Purpose::LoadMotion, "", ctx),
            Request::ImportDialog => self.ask(Purpose::Import, "", ctx),
            Request::ReadTableAs(encoding) => self.read_table_as(encoding),
            Request::UsePath(path) => self.use_path(&path, ctx),
            Request::WritePath(path) => self.write_path(&path, ctx),
            Request::OpenPath(path) if path.starts_with("~") => {
                self.request(Request::OpenPath(typed(&path, std::env::home_dir())), ctx);
            }
            Request::OpenPath(path) if self.would_lose(&path) => {
                let name = file_name(&path);
                self.question = Some(Question::Open(Request::OpenPath(path), name));
            }
            Request::OpenPath(path) => self.open_path(path, ctx),
            Request::OpenSample if !self.may_close() => {
                self.question = Some(Question::Open(Request::OpenSample, super::SAMPLE_NAME.to_owned()));
            }
            Request::OpenSample => {
                self.files.cancel();
                self.matching.stop();
                self.replacing = false;
                self.show_session(sample());
                self.files.opened(None, ctx);
            }
            Request::CancelOpening => _ = self.files.cancel(),
            Request::Reload => {
                self.files.ignore_change();
                self.files.reload(ctx);
            }
            Request::IgnoreChange => self.files.ignore_change(),
            Request::ImportAgain => {
                if let Some(path) = self.files.take_changed_table() {
                    self.import(&path, ctx);
                }
            }
            Request::IgnoreTable => _ = self.files.take_changed_table(),
            Request::Match(chains, to) => self.matching.start(MatchJob::new(&self.session, &chains, to), ctx),
            Request::StopMatching => self.matching.stop(),
            Request::Quit => ctx.send_viewport_cmd(egui::ViewportCommand::Close),
            Request::QuitAnyway => self.go_on_unsaved(ctx),
            Request::StayOpen => (self.question, self.replacing) = (None, false),
            Request::SaveMeans => {
                if let Some(Question::Average(path)) = self.question.take() {
                    self.save_character(&path, true, ctx);
                }
            }
            Request::ForgetRecent => self.files.forget_recent(),
            Request::ExportDialog(options) => {
                let solver = options.solver.unwrap_or(self.session.document().main().solver);
                let kind = if solver.info().pivots { "Dynamics" } else { solver.key() };
                let kind = if options.format == TableFormat::Csv { kind } else { options.format.key() };
                let name = format!("{}_{kind}.{}", stem(self.files.name()), options.format.ending());
                self.ask(Purpose::Export(options), &name, ctx);
            }
            Request::Save => match self.files.project().map(Path::to_path_buf) {
                Some(path) => self.save_project(&path, ctx),
                None => self.request(Request::SaveAs, ctx),
            },
            Request::OverwriteProject => {
                self.replacing = false;
                if let Some(path) = self.files.project().map(Path::to_path_buf) {
                    self.write_project(&path, ctx);
                }
            }
            Request::ReloadProject => self.reload_project(ctx),
            Request::ResolveProject => self.replacing = self.files.project().is_some(),
            Request::IgnoreProjectChange => self.files.dismiss_project_change(),
            Request::SaveAs => {
                self.replacing = false;
                let name = format!("{}.yure", stem(self.files.name()));
                self.ask(Purpose::SaveProject, &name, ctx);
            }
            Request::SaveCharacter => {
                let ending = self.files.character().map_or("vrm", character_ending);
                let name = format!("{}_tuned.{ending}", stem(self.files.name()));
                self.ask(Purpose::SaveCharacter(ending), &name, ctx);
            }
            Request::OpenRules => self.ask(Purpose::OpenRules, "", ctx),
            Request::SavePreset { preset, replaces } => self.save_preset(&preset, replaces),
            Request::DeletePreset { key, name } => self.delete_preset(&key, name),
            Request::SaveRules(bytes) => self.ask(Purpose::SaveRules(bytes), "rules.json", ctx),
        }
    }

    /// Takes what threads, dialogs and the window's drop target have brought since the last frame.
    pub(super) fn take_news(&mut self, ctx: &egui::Context) {
        let dropped = ctx.input(|i| i.raw.dropped_files.first().map(|f| f.path().to_path_buf()));
        if let Some(path) = dropped {
            self.request(Request::OpenPath(path), ctx);
        }
        while let Some(answer) = self.dialogs.answer() {
            match answer {
                // The dialog has asked before it replaces this file, not before one whose name gets an ending here.
                Answer::Chosen(purpose, path) => self.take_path(purpose, path.clone(), Some(&path), ctx),
                Answer::NoDialog(asked) => self.ask_for_path(asked, None),
            }
        }
        self.files.look();
        if self.matching.arrive() == Arrival::Lost {
            let lost = Diagnostic::error(Place::default(), "the search for matching numbers ended without a result");
            self.say(vec![lost]);
        }
        match self.files.arrived() {
            Some(Ok(arrived)) => self.take_arrived(arrived, ctx),
            Some(Err(said)) => self.say(said),
            None => {}
        }
        self.read_next_motion(ctx);
        self.compare_swing(ctx);
    }

    /// Goes on with the comparison of a character that was saved under VRM; a frame does few ticks.
    fn compare_swing(&mut self, ctx: &egui::Context) {
        let Some((swing, after, name)) = &mut self.saved_swing else { return };
        ctx.request_repaint();
        if swing.advance(SwingComparison::TICKS_A_FRAME) {
            let said = loss_diagnostics(&muted_losses(&swing.muted(), after), name);
            self.saved_swing = None;
            self.say(grouped(&said));
        }
    }

    /// Asks for a file, beside the project or the character; `name` is proposed for one that is written.
    fn ask(&mut self, purpose: Purpose, name: &str, ctx: &egui::Context) {
        let beside = self.files.project().or_else(|| self.files.character()).and_then(Path::parent);
        let folder = beside.map_or_else(|| typed(Path::new("~"), std::env::home_dir()), |p| typed(p, None));
        let asked = Asked { purpose, suggested: folder.join(name) };
        if let Err(asked) = self.dialogs.ask(asked, ctx) {
            self.ask_for_path(asked, None);
        }
    }

    /// Asks for a path in a window of our own; `taken` is one where a file is.
    fn ask_for_path(&mut self, asked: Asked, taken: Option<PathBuf>) {
        self.ui.ask_path(asked.purpose.path_for(), &asked.suggested.to_string_lossy(), taken.clone());
        self.path_for = Some((asked, taken));
    }

    /// Takes a typed path for what was asked for.
    fn use_path(&mut self, path: &Path, ctx: &egui::Context) {
        let Some((Asked { purpose, .. }, taken)) = self.path_for.take() else { return };
        self.take_path(purpose, typed(path, std::env::home_dir()), taken.as_deref(), ctx);
    }

    /// Takes a path, with its ending, for what was asked for; asks where it would replace another file than `taken`.
    pub(super) fn take_path(&mut self, purpose: Purpose, path: PathBuf, taken: Option<&Path>, ctx: &egui::Context) {
        let path = match purpose.writes() {
            Some(ending) => with_ending(path, ending),
            None => path,
        };
        if purpose.writes().is_some() && path.is_file() && taken != Some(path.as_path()) {
            return self.ask_for_path(Asked { purpose, suggested: path.clone() }, Some(path));
        }
        self.chosen(purpose, path, ctx);
    }

    /// Writes a table or the project, as if that had been asked for.
    fn write_path(&mut self, path: &Path, ctx: &egui::Context) {
        let purpose = if is_table(path) {
            let options = self.ui.prefs().export_options(self.session.character());
            let options =
                if has_ending(path, &["json"]) { options.in_format(TableFormat::Parameters) } else { options };
            Purpose::Export(options)
        } else {
            Purpose::SaveProject
        };
        self.path_for = Some((Asked { purpose, suggested: path.to_path_buf() }, None));
        self.use_path(path, ctx);
    }

    pub(super) fn chosen(&mut self, purpose: Purpose, path: PathBuf, ctx: &egui::Context) {
        match purpose {
            Purpose::Open => self.request(Request::OpenPath(path), ctx),
            Purpose::LoadMotion => self.load_motion(&path),
            Purpose::Import => self.import(&path, ctx),
            Purpose::Export(options) => self.export(&path, options, ctx),
            Purpose::SaveProject => self.save_project(&path, ctx),
            Purpose::SaveCharacter(_) => self.save_character(&path, false, ctx),
            Purpose::OpenRules => self.open_rules(&path),
            Purpose::SaveRules(bytes) => _ = self.write(&path, &bytes),
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
        match FileKind::of(&path) {
            Some(FileKind::Project) => self.open_project(path, ctx),
            Some(FileKind::Motion) => self.load_motion(&path),
            Some(FileKind::Table) => self.import(&path, ctx),
            Some(FileKind::Character) | None => self.files.open(Some(path), None, ctx),
        }
    }

    fn open_project(&mut self, path: PathBuf, ctx: &egui::Context) {
        let (mut project, said) = match open::project(&path) {
            Ok(read) => read,
            Err(said) => return self.say(said),
        };
        // The messages of the session that is open now go with it.
        project.findings = said;
        let saved = &project.surroundings.character_path;
        let character = (!saved.is_empty()).then(|| project::absolute_path(&path, saved));
        self.files.open(character, Some((path, project)), ctx);
    }

    /// Puts a project's document on its character, which lies at `character` or is the sample.
    fn take_project(
        &mut self,
        mut opened: Opened,
        motions: LoadedMotions,
        character: Option<PathBuf>,
        (path, project): (PathBuf, Project),
        ctx: &egui::Context,
    ) {
        let (surroundings, contents) = (project.surroundings.clone(), project.fingerprint);
        let (document, said) = project.into_document(&opened.character.skeleton);
        opened.document = document;
        self.adopt(opened);
        self.files.opened(character, ctx);
        self.files.set_motions(motions);
        self.files.set_project(path, contents, ctx);
        self.ui.restore_view(&surroundings.view);
        self.files.keep_surroundings(surroundings);
        self.say(said);
        self.offer_lost(self.session.document().lost_in_use());
    }

    /// Offers other bones in place of those that the character lacks.
    fn offer_lost(&mut self, lost: Vec<(BoneId, String)>) {
        if !lost.is_empty() {
            let names = lost.iter().map(|(_, name)| name.clone()).collect();
            self.session.handle(Command::Say(Said::Lost(names)));
            self.ui.windows_mut().offer_lost(lost, &self.session);
        }
    }

    /// Saves the project, unless its file on disk has other contents than were last read or saved: then the artist is
    /// asked. Whoever chooses another file has agreed to replace that one.
    fn save_project(&mut self, path: &Path, ctx: &egui::Context) {
        let is_open_one = self.files.project().is_some_and(|open| open == path || same_file(open, path));
        if is_open_one && self.files.compare_project() == OnDisk::Changed {
            self.replacing = true;
            return;
        }
        self.write_project(path, ctx);
    }

    fn write_project(&mut self, path: &Path, ctx: &egui::Context) {
        let was_gone = self.files.project() == Some(path) && self.files.compare_project() == OnDisk::Gone;
        let surroundings = self.files.surroundings(path, self.ui.view_state());
        let bytes = project::write(self.session.document(), &self.session.character().skeleton, &surroundings);
        if let Err(said) = write_atomic(path, &bytes) {
            return self.say(vec![said]);
        }
        self.session.mark_saved();
        self.replacing = false;
        self.files.set_project(path.to_path_buf(), Fingerprint::of(&bytes), ctx);
        let label = Label::new(if was_gone { "save_again" } else { "save" }, 1).name(file_name(path));
        self.session.handle(Command::Say(Said::Done(label)));
        self.go_on(ctx);
    }

    /// Takes the project as it is on disk now. What waited for the project to be saved does not happen: the artist sees
    /// first what came.
    fn reload_project(&mut self, ctx: &egui::Context) {
        (self.question, self.replacing) = (None, false);
        if let Some(path) = self.files.project().map(Path::to_path_buf) {
            self.open_project(path, ctx);
        }
    }

    /// Nothing is left to lose: does what waited for that.
    fn go_on(&mut self, ctx: &egui::Context) {
        match self.question.take() {
            Some(Question::Close) => ctx.send_viewport_cmd(egui::ViewportCommand::Close),
            Some(Question::Open(request, _)) => self.request(request, ctx),
            Some(Question::Average(_)) | None => {}
        }
    }

    /// Does what waited for an answer, without saving. What is opened may turn out to be unreadable, so that unsaved
    /// work counts as such until something else is open.
    fn go_on_unsaved(&mut self, ctx: &egui::Context) {
        match self.question.take() {
            Some(Question::Close) => {
                self.mark_saved();
                ctx.send_viewport_cmd(egui::ViewportCommand::Close);
            }
            Some(Question::Open(Request::OpenPath(path), _)) => self.open_path(path, ctx),
            Some(Question::Open(request, _)) => {
                self.mark_saved();
                self.request(request, ctx);
            }
            Some(Question::Average(_)) | None => {}
        }
    }

    /// Whether opening this file would take unsaved work away; a table and a motion are only laid over it.
    fn would_lose(&self, path: &Path) -> bool {
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
            self.session.handle(Command::Say(Said::NoCharacterForMotion(file_name(&path))));
        } else {
            self.files.read_motion(path, Arc::clone(character), ctx);
        }
    }

    /// Adds the animations of a file to the character and plays the first; those that the file gave before are replaced.
    /// Where no bone fits, everything stays as it is.
    fn take_motion(&mut self, path: PathBuf, motions: Motions) {
        let file = file_name(&path);
        self.say(motions.diagnostics);
        if motions.clips.is_empty() {
            return self.session.handle(Command::Say(Said::MotionFitsNothing { file, bones: motions.unmatched }));
        }
        self.session.handle(Command::Say(Said::MotionLoaded {
            file,
            matched: motions.matched,
            unmatched: motions.unmatched,
        }));
        let count = motions.clips.len();
        let replaced = self.files.clips_of_motion(&path, self.session.character().clips.len());
        self.session.load_motions(replaced, motions.clips);
        self.files.motion_loaded(path, count);
    }

    /// Shows what a setup file would change; nothing changes before the artist agrees.
    fn import(&mut self, path: &Path, ctx: &egui::Context) {
        match open::setup(path) {
            Ok((file, found)) => {
                self.ui.windows_mut().offer_setup(&file_name(path), file, found, &self.session);
                self.files.offer(path);
                self.files.heed_table(path, ctx);
            }
            Err(found) => self.say(found),
        }
    }

    /// Offers the same file again, read as text of another encoding.
    fn read_table_as(&mut self, encoding: &str) {
        let Some(path) = self.files.offered().map(Path::to_path_buf) else { return };
        match open::setup_as(&path, encoding) {
            Ok((file, found)) => {
                self.ui.windows_mut().offer_setup(&file_name(&path), file, found, &self.session);
            }
            Err(found) => self.say(found),
        }
    }

    fn export(&mut self, path: &Path, options: ExportOptions, ctx: &egui::Context) {
        let exported = export(self.session.document(), &self.session.character().skeleton, options);
        if self.write(path, &tables::write_setup(&exported.file, options)) {
            self.files.heed_table(path, ctx);
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
            None => Ok(super::SAMPLE.to_vec()),
        };
        let name = file_name(path);
        let made = read.and_then(|bytes| {
            vrm::check_ending(&bytes, &name).map_err(|said| vec![said])?;
            let converted = convert(self.session.document(), self.session.character(), SolverKind::Vrm);
            let mut said = converted.diagnostics(&name);
            let swing = SwingComparison::new(self.session.document(), self.session.character(), &converted.after);
            let mut document = converted.after.clone();
            if vrm::in_file(&bytes, &name)?.version == vrm::Version::V0 {
                let (means, losses) = averaged(&document, &self.session.character().skeleton);
                said.extend(loss_diagnostics(&losses, &name));
                document = means;
                let is_mean = |loss: &Loss| matches!(loss, Loss::Averaged { .. });
                if !average && losses.iter().chain(&converted.losses).any(is_mean) {
                    return Ok(None);
                }
            }
            let (made, more) = vrm::save(&bytes, &name, &document, self.session.character())?;
            said.extend(more);
            if let Some(original) = &original {
                said.extend(copy_beside(&neighbours(&bytes), original, path)?);
            }
            Ok(Some((made, grouped(&said), (swing, converted.after, name.clone()))))
        });
        let (bytes, said, swing) = match made {
            Ok(Some(made)) => made,
            Ok(None) => {
                self.question = Some(Question::Average(path.to_path_buf()));
                return;
            }
            Err(said) => return self.say(said),
        };
        self.say(said);
        if let Err(said) = write_atomic(path, &bytes) {
            return self.say(vec![said]);
        }
        self.saved_swing = Some(swing);
        let label = Label::new("save_character", self.session.document().joint_count()).name(name);
        self.session.handle(Command::Say(Said::Done(label)));
        if original.is_some_and(|original| same_file(&original, path)) {
            self.files.expect_change(ctx);
        }
    }

    fn open_rules(&mut self, path: &Path) {
        match open::rules(path) {
            Ok(rules) => self.ui.windows_mut().take_rules(rules, &self.session),
            Err(said) => self.say(said),
        }
    }

    /// Writes a file whole or not at all, says which, and returns whether.
    fn write(&mut self, path: &Path, bytes: &[u8]) -> bool {
        let written = write_atomic(path, bytes);
        let is_written = written.is_ok();
        let said = written.map_or_else(|said| said, |()| Diagnostic::info(Place::file(file_name(path)), "written"));
        self.say(vec![said]);
        is_written
    }

    pub(super) fn say(&mut self, said: Vec<Diagnostic>) {
        for diagnostic in said {
            self.session.handle(Command::Report(diagnostic));
        }
    }

    fn take_arrived(&mut self, arrived: Arrived, ctx: &egui::Context) {
        match arrived {
            Arrived::Character { path, opened, motions, project: Some(project) } => {
                self.take_project(opened, motions, path, *project, ctx);
            }
            Arrived::Character { path, opened, .. } => {
                self.adopt(opened);
                self.files.opened(path, ctx);
            }
            Arrived::Reloaded { opened, motions } => {
                self.files.set_motions(motions);
                let lost = self.session.replace_character(opened.character);
                self.picture.show(self.session.character());
                self.say(opened.diagnostics);
                self.offer_lost(lost);
            }
            Arrived::Motion { path, motions } => self.take_motion(path, motions),
        }
    }
}

/// As a character's file ends.
fn character_ending(path: &Path) -> &'static str {
    let endings = FileKind::Character.endings();
    endings.iter().find(|ending| has_ending(path, &[ending])).unwrap_or(&endings[0])
}

fn same_file(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

fn is_table(path: &Path) -> bool {
    FileKind::of(path) == Some(FileKind::Table)
}

/// A file's name without its last ending.
fn stem(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// The path, with an ending where it has none.
fn with_ending(path: PathBuf, ending: &str) -> PathBuf {
    if path.extension().is_some() { path } else { path.with_extension(ending) }
}
