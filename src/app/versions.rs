//! Earlier saves of the project, and the version that another program saved.

use super::clock::since_1970;
use super::files::ProjectToOpen;
use super::{App, PendingAction};
use crate::ui::{ProjectVersion, VersionOrigin};
use std::path::{Path, PathBuf};
use yuremono_format::source::read_limited;
use yuremono_format::{backups, open};
use yuremono_model::exchange::DocumentComparison;
use yuremono_sim::diagnostics::{Diagnostic, message};

impl App {
    /// Stores a save of the project. A failure is a warning, because the project itself was written.
    pub(super) fn store_backup(&mut self, project: &Path, bytes: &[u8]) {
        let Some(folder) = &self.backups else { return };
        if let Err(diagnostic) = backups::store(folder, project, bytes, now_ms()) {
            let message = message!("the copy for earlier versions was not stored: {error}", error = diagnostic.message);
            self.report_all(vec![Diagnostic::warning(diagnostic.location, message)]);
        }
    }

    /// Keeps the version of another program before the project file is overwritten.
    pub(super) fn keep_replaced_project(&mut self, project: &Path) {
        if let Ok(bytes) = read_limited(project) {
            self.store_backup(project, &bytes);
        }
    }

    /// Opens the dialog with the earlier saves of the project.
    pub(super) fn show_earlier_versions(&mut self) {
        let Some((project, folder)) = self.files.project().zip(self.backups.as_deref()) else { return };
        let saves = backups::list(folder, project);
        let versions = saves.into_iter().map(|save| {
            let age_seconds = now_ms().saturating_sub(save.time_ms) / 1000;
            self.project_version(save.path, VersionOrigin::Backup { age_seconds })
        });
        let versions = versions.collect();
        self.ui.dialogs_mut().open_versions(versions);
    }

    /// Opens the dialog that compares the document with the file that another program saved.
    pub(super) fn compare_with_disk(&mut self) {
        let Some(project) = self.files.project().map(Path::to_path_buf) else { return };
        let version = self.project_version(project, VersionOrigin::Disk);
        self.ui.dialogs_mut().open_versions(vec![version]);
    }

    fn project_version(&self, path: PathBuf, origin: VersionOrigin) -> ProjectVersion {
        let compared = open::project(&path).map(|(project, _)| {
            let skeleton = &self.session.character().skeleton;
            let (document, _) = project.into_document(self.session.character());
            DocumentComparison::new(self.session.document(), &document, skeleton)
        });
        ProjectVersion { path, origin, compared }
    }

    /// Opens an earlier save, as the unsaved content of the project or as a document without a file. Asks first if the
    /// document has unsaved changes: saving them can delete the oldest save, so the version is read before.
    pub(super) fn open_version(&mut self, version: &Path, as_copy: bool, ctx: &egui::Context) {
        let Some(project_path) = self.files.project().map(Path::to_path_buf) else { return };
        let mut project = match open::project(version) {
            Ok((project, _)) => project,
            Err(diagnostics) => return self.report_all(diagnostics),
        };
        project.make_paths_absolute(&project_path);
        let path = (!as_copy).then_some(project_path);
        let is_read_only = self.files.is_read_only;
        let version = ProjectToOpen { path, is_unsaved: true, is_read_only, ..ProjectToOpen::new(project) };
        if self.may_close() {
            self.open_read_version(version, ctx);
        } else {
            self.pending_action = Some(PendingAction::OpenVersion(Box::new(version)));
        }
    }

    /// Opens a version of the open project.
    pub(super) fn open_read_version(&mut self, mut version: ProjectToOpen, ctx: &egui::Context) {
        // A change of another program stays unknown, so that saving still asks.
        if let Some(known) = self.files.known_project_contents() {
            version.project.fingerprint = known;
        }
        let character = self.files.character().map(Path::to_path_buf);
        self.files.open(character, Some(version), ctx);
    }
}

fn now_ms() -> u64 {
    since_1970().as_millis() as u64
}

#[cfg(test)]
mod tests {
    use super::super::recovery::tests::journaled_window;
    use super::super::tests::{click, send_request, set_tuned_value, tuned_value, wait_until, window};
    use crate::ui::AppRequest;
    use egui_kittest::kittest::Queryable as _;
    use yuremono_format::backups;

    #[test]
    fn an_earlier_save_can_be_restored_or_opened_as_a_copy() {
        for (button, keeps_file) in [("Restore version", true), ("Open as a copy", false)] {
            let data = tempfile::tempdir().expect("a folder");
            let project = data.path().join("hair.yure");
            let mut window = journaled_window(data.path(), None);
            set_tuned_value(&mut window, 0.125);
            send_request(&mut window, AppRequest::WriteTypedPath(project.clone()));
            set_tuned_value(&mut window, 0.25);
            send_request(&mut window, AppRequest::Save);
            let saved = std::fs::read(&project).expect("the project");
            send_request(&mut window, AppRequest::ShowEarlierVersions);
            window.run_steps(2);
            let is_listed = window.query_all_by_label_contains("Stiffness: 0.25 /s² → 0.12 /s²").next().is_some();
            assert!(is_listed, "the differences are listed");
            click(&mut window, button);
            assert_eq!(tuned_value(&window), 0.125);
            assert!(!window.state().may_close(), "the restored version is unsaved");
            assert_eq!(window.state().files.project().is_some(), keeps_file);
            assert_eq!(std::fs::read(&project).expect("the project"), saved, "only saving writes the project");
        }
    }

    #[test]
    fn the_oldest_version_opens_although_saving_the_changes_deletes_its_file() {
        let data = tempfile::tempdir().expect("a folder");
        let project = data.path().join("hair.yure");
        let mut window = journaled_window(data.path(), None);
        for save in 0..10_u8 {
            set_tuned_value(&mut window, f32::from(save) / 16.0);
            let first = AppRequest::WriteTypedPath(project.clone());
            send_request(&mut window, if save == 0 { first } else { AppRequest::Save });
        }
        let folder = window.state().backups.clone().expect("a folder");
        let oldest = backups::list(&folder, &project).pop().expect("a save").path;
        set_tuned_value(&mut window, 0.875);
        send_request(&mut window, AppRequest::OpenVersion { path: oldest.clone(), as_copy: false });
        click(&mut window, "Save");
        let saved = std::fs::read_to_string(&project).expect("the project");
        assert!(!oldest.exists() && saved.contains("0.875"), "the changes are saved as the tenth version");
        assert_eq!(tuned_value(&window), 0.0);
        assert!(!window.state().may_close());
    }

    #[test]
    fn versions_of_one_project_are_not_restored_into_another() {
        let data = tempfile::tempdir().expect("a folder");
        let [first, second] = ["first.yure", "second.yure"].map(|name| data.path().join(name));
        let mut window = journaled_window(data.path(), None);
        send_request(&mut window, AppRequest::WriteTypedPath(second.clone()));
        set_tuned_value(&mut window, 0.125);
        send_request(&mut window, AppRequest::WriteTypedPath(first));
        send_request(&mut window, AppRequest::ShowEarlierVersions);
        window.run_steps(2);
        assert!(window.query_by_label("Restore version").is_some());
        send_request(&mut window, AppRequest::OpenPath(second));
        window.run_steps(2);
        assert!(window.query_by_label("Restore version").is_none());
    }

    #[test]
    fn a_project_of_another_window_opens_as_a_copy_or_read_only() {
        let data = tempfile::tempdir().expect("a folder");
        let project = data.path().join("hair.yure");
        let mut first = journaled_window(data.path(), None);
        set_tuned_value(&mut first, 0.125);
        send_request(&mut first, AppRequest::WriteTypedPath(project.clone()));
        let saved = std::fs::read(&project).expect("the project");
        let other = journaled_window(data.path(), None);
        assert!(wait_until(&mut first, |_| other.state().autosave.is_open_elsewhere(&project)));
        for (button, keeps_file) in [("Open as a copy", false), ("Open read-only", true)] {
            let mut second = journaled_window(data.path(), None);
            send_request(&mut second, AppRequest::OpenPath(project.clone()));
            assert!(second.query_by_label_contains("is open in another window").is_some());
            click(&mut second, button);
            assert_eq!(tuned_value(&second), 0.125);
            assert_eq!(second.state().files.project().is_some(), keeps_file);
            set_tuned_value(&mut second, 0.5);
            send_request(&mut second, AppRequest::Save);
            send_request(&mut second, AppRequest::OverwriteProject);
            assert_eq!(std::fs::read(&project).expect("the project"), saved, "saving asks for another file");
            second.state_mut().session.mark_saved();
            eframe::App::on_exit(second.state_mut(), None);
        }
    }

    #[test]
    fn a_project_that_changed_on_disk_can_be_compared_before_the_choice() {
        let data = tempfile::tempdir().expect("a folder");
        let project = data.path().join("hair.yure");
        let mut mine = journaled_window(data.path(), None);
        send_request(&mut mine, AppRequest::WriteTypedPath(project.clone()));
        let mut other = window(Some(project.clone()));
        set_tuned_value(&mut other, 0.75);
        send_request(&mut other, AppRequest::Save);
        set_tuned_value(&mut mine, 0.5);
        send_request(&mut mine, AppRequest::Save);
        click(&mut mine, "Compare…");
        mine.run_steps(2);
        assert!(mine.query_all_by_label_contains("0.50 /s² → 0.75 /s²").next().is_some());
        click(&mut mine, "Open file on disk");
        assert_eq!(tuned_value(&mine), 0.75);
    }
}
