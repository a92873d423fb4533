//! Rewrites chosen files after each change of the document, so that engines and viewers that watch them reload.
//!
//! The files are written on a thread from a copy of the document, [`DEBOUNCE`] after the last change.

use super::App;
use super::background::BackgroundTask;
use super::character_export::ConvertedSprings;
use crate::ui::{LiveExport, LiveExportKind, LiveExportStatus};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use web_time::Instant;
use yuremono_format::open::file_name;
use yuremono_format::source::write_atomic;
use yuremono_format::tables;
use yuremono_model::document::Document;
use yuremono_model::exchange::export;
use yuremono_sim::diagnostics::Diagnostic;
use yuremono_sim::rig::Character;

/// Time without a change after which the files are written.
const DEBOUNCE: Duration = Duration::from_millis(300);
/// Time after which a failed export is tried again, because another program may have held the file open.
const RETRY: Duration = Duration::from_secs(2);

/// The result of each file: the notes of the writer, or why nothing was written.
type WrittenFiles = Vec<(PathBuf, Result<Vec<Diagnostic>, Vec<Diagnostic>>)>;

/// The files that are rewritten after each change.
pub(super) struct LiveExports {
    pub(super) files: Vec<LiveExport>,
    pub(super) is_on: bool,
    /// State number of the document that was written last; `None` writes the files even without a change.
    written_state: Option<u64>,
    /// The state number that waits, and the time of its change.
    pending: Option<(u64, Instant)>,
    /// When the last export failed.
    failed_at: Option<Instant>,
    task: Option<BackgroundTask<WrittenFiles>>,
}

/// When files must be written.
enum Due {
    /// Not before another change.
    Never,
    After(Duration),
    Now,
}

impl Default for LiveExports {
    fn default() -> Self {
        Self { files: Vec::new(), is_on: true, written_state: None, pending: None, failed_at: None, task: None }
    }
}

impl LiveExports {
    /// Adds a file, or changes the kind of a known file, and writes it.
    pub(super) fn add(&mut self, path: PathBuf, kind: LiveExportKind) {
        self.files.retain(|file| file.path != path);
        self.files.push(LiveExport { name: file_name(&path), path, kind, status: LiveExportStatus::Waiting });
        (self.is_on, self.written_state) = (true, None);
    }

    pub(super) fn set_on(&mut self, is_on: bool) {
        (self.is_on, self.written_state) = (is_on, None);
        self.task = self.task.take().filter(|_| is_on);
    }

    /// Stops to rewrite a file. The file stays.
    pub(super) fn remove(&mut self, path: &Path) {
        self.files.retain(|file| file.path != path);
        (self.task, self.written_state) = (None, None);
    }

    /// Writes the files again, because the character was opened again.
    pub(super) fn write_again(&mut self) {
        (self.task, self.written_state) = (None, None);
    }

    /// Forgets all files, because another character is open.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Decides when the files must be written.
    #[expect(clippy::disallowed_methods, reason = "the time since the last change decides")]
    fn due(&mut self, state: u64) -> Due {
        if !self.is_on || self.files.is_empty() || self.task.is_some() {
            return Due::Never;
        }
        let now = Instant::now();
        if self.written_state == Some(state) {
            let Some(failed_at) = self.failed_at else { return Due::Never };
            let left = RETRY.saturating_sub(now - failed_at);
            if !left.is_zero() {
                return Due::After(left);
            }
            self.written_state = None;
        }
        let (_, since) = *self.pending.get_or_insert((state, now));
        if self.pending.is_some_and(|(pending, _)| pending != state) {
            self.pending = Some((state, now));
            return Due::After(DEBOUNCE);
        }
        let is_first = self.written_state.is_none();
        if let Some(left) = DEBOUNCE.checked_sub(now - since).filter(|left| !left.is_zero() && !is_first) {
            return Due::After(left);
        }
        (self.pending, self.written_state, self.failed_at) = (None, Some(state), None);
        Due::Now
    }
}

impl App {
    /// Starts to write the files if the document changed, and reports files that were written. A failure is reported
    /// once.
    pub(super) fn update_live_exports(&mut self, ctx: &egui::Context) {
        if let Some(result) = self.live_exports.task.as_ref().and_then(BackgroundTask::poll) {
            self.live_exports.task = None;
            for (path, result) in result.unwrap_or_default() {
                self.finish_live_export(&path, result, ctx);
            }
        }
        match self.live_exports.due(self.session.history().current_state()) {
            Due::Never => {}
            Due::After(left) => ctx.request_repaint_after(left),
            Due::Now => {
                let files: Vec<_> = self.live_exports.files.iter().map(|file| (file.path.clone(), file.kind)).collect();
                let (document, character) = (self.session.document().clone(), Arc::clone(self.session.character()));
                let original = self.files.character().map(Path::to_path_buf);
                self.live_exports.task = Some(BackgroundTask::start(ctx, move |continues| {
                    let write = |(path, kind): (PathBuf, LiveExportKind)| {
                        let result = write_live_export(&path, kind, &document, &character, original.as_deref());
                        (path, result)
                    };
                    // Pausing, removing a file and opening another character cancel the rest.
                    files.into_iter().take_while(|_| continues(0.0)).map(write).collect()
                }));
            }
        }
    }

    fn finish_live_export(
        &mut self,
        path: &Path,
        result: Result<Vec<Diagnostic>, Vec<Diagnostic>>,
        ctx: &egui::Context,
    ) {
        let Some(file) = self.live_exports.files.iter_mut().find(|file| file.path == path) else { return };
        let (status, found) = match result {
            Ok(notes) => (LiveExportStatus::Written, notes),
            Err(errors) => (LiveExportStatus::Failed, errors),
        };
        if status == LiveExportStatus::Failed {
            self.live_exports.failed_at = Some(now());
        }
        // The notes of the first export also apply to the later exports.
        let is_new = file.status != status;
        file.status = status;
        self.files.acknowledge_table(path, ctx);
        if is_new {
            self.report_all(found);
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "a failed export is tried again after a while")]
fn now() -> Instant {
    Instant::now()
}

fn write_live_export(
    path: &Path,
    kind: LiveExportKind,
    document: &Document,
    character: &Character,
    original: Option<&Path>,
) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
    let (bytes, notes) = match kind {
        LiveExportKind::Setup(options) => {
            let exported = export(document, character, options);
            (tables::write_setup(&exported.file, options), Vec::new())
        }
        LiveExportKind::Character => {
            let written = ConvertedSprings::new(original, path, document, character)?.into_file()?;
            (written.bytes, written.diagnostics)
        }
    };
    write_atomic(path, &bytes).map_err(|diagnostic| vec![diagnostic])?;
    Ok(notes)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{send_request, set_tuned_value, wait_until, window};
    use super::*;
    use crate::ui::{AppRequest, FilePurpose};
    use egui_kittest::Harness;
    use yuremono_format::DEFAULT_FORMAT;
    use yuremono_model::exchange::ExportOptions;
    use yuremono_sim::diagnostics::Severity;

    fn add(window: &mut Harness<'static, App>, path: &Path, is_character: bool) {
        let options = ExportOptions::for_character(DEFAULT_FORMAT, window.state().session.character());
        let purpose =
            if is_character { FilePurpose::SaveCharacterLive("vrm") } else { FilePurpose::ExportLive(options) };
        let ctx = window.ctx.clone();
        window.state_mut().use_chosen_path(purpose, path.to_path_buf(), &ctx);
        window.run_steps(2);
    }

    fn error_count(app: &App) -> usize {
        let messages = app.session.messages().entries().iter();
        messages.filter(|entry| entry.diagnostic.severity == Severity::Error).count()
    }

    #[test]
    fn files_follow_each_change_until_the_export_is_paused() {
        let folder = tempfile::tempdir().expect("a folder");
        let paths = ["hair.csv", "hair.json", "girl.vrm"].map(|name| folder.path().join(name));
        let mut window = window(None);
        for path in &paths {
            add(&mut window, path, path.extension().is_some_and(|extension| extension == "vrm"));
        }
        assert!(wait_until(&mut window, |_| paths.iter().all(|path| path.exists())));
        let read = || paths.clone().map(|path| std::fs::read(path).expect("written"));
        let before = read();
        set_tuned_value(&mut window, 0.125);
        assert!(wait_until(&mut window, |_| read().iter().zip(&before).all(|(now, before)| now != before)));
        send_request(&mut window, AppRequest::SetLiveExports(false));
        let paused = read();
        set_tuned_value(&mut window, 0.75);
        for _ in 0..40 {
            std::thread::sleep(Duration::from_millis(20));
            window.run_steps(1);
        }
        assert_eq!(read(), paused);
        assert_eq!(error_count(window.state()), 0);
    }

    #[test]
    fn a_failure_is_reported_once_and_ends_when_the_file_can_be_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("hair.csv");
        std::fs::create_dir(&path).expect("a folder in the way");
        let mut window = window(None);
        add(&mut window, &path, false);
        let status = |app: &App| app.live_exports.files[0].status;
        assert!(wait_until(&mut window, |app| status(app) == LiveExportStatus::Failed));
        let state = |app: &App| app.live_exports.written_state;
        for value in [0.125, 0.25] {
            let before = state(window.state());
            set_tuned_value(&mut window, value);
            assert!(wait_until(&mut window, |app| state(app) != before && app.live_exports.task.is_none()));
        }
        assert_eq!(error_count(window.state()), 1);
        std::fs::remove_dir(&path).expect("removed");
        set_tuned_value(&mut window, 0.5);
        assert!(wait_until(&mut window, |app| status(app) == LiveExportStatus::Written));
    }
}
