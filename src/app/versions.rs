//! Earlier saves of the project, and the version that another program saved.

use super::App;
use super::clock::since_1970;
use super::files::ProjectToOpen;
use crate::diagnostics::{Diagnostic, message};
use crate::exchange::{diff_setups, setup_by_name};
use crate::format::source::Fingerprint;
use crate::format::{backups, open};
use crate::ui::{ProjectVersion, VersionOrigin};
use std::path::{Path, PathBuf};

impl App {
    /// Stores a save of the project. A failure is a warning, because the project itself was written.
    pub(super) fn store_backup(&mut self, project: &Path, bytes: &[u8]) {
        let Some(folder) = &self.backups else { return };
        if let Err(diagnostic) = backups::store(folder, project, bytes, now_ms()) {
            let message = message!("the copy for earlier versions was not stored: {error}", error = diagnostic.message);
            self.report_all(vec![Diagnostic::warning(diagnostic.location, message)]);
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
        let differences = open::project(&path).map(|(project, _)| {
            let skeleton = &self.session.character().skeleton;
            let (document, _) = project.into_document(skeleton);
            let present = setup_by_name(self.session.document(), skeleton);
            let then = setup_by_name(&document, skeleton);
            diff_setups(&present, &then)
        });
        ProjectVersion { path, origin, differences }
    }

    /// Opens an earlier save, as the unsaved content of the project or as a document without a file.
    pub(super) fn open_version(&mut self, version: &Path, as_copy: bool, ctx: &egui::Context) {
        let Some(project_path) = self.files.project().map(Path::to_path_buf) else { return };
        let mut project = match open::project(version) {
            Ok((project, _)) => project,
            Err(diagnostics) => return self.report_all(diagnostics),
        };
        project.make_motion_paths_absolute(&project_path);
        if let Some(on_disk) = Fingerprint::of_file(&project_path) {
            project.fingerprint = on_disk;
        }
        let character = self.files.character().map(Path::to_path_buf);
        let path = (!as_copy).then_some(project_path);
        let project = ProjectToOpen { path, is_unsaved: true, ..ProjectToOpen::new(project) };
        self.files.open(character, Some(project), ctx);
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
            let is_listed = window.query_all_by_label_contains("Stiffness: 0.25 → 0.125").next().is_some();
            assert!(is_listed, "the differences are listed");
            click(&mut window, button);
            assert_eq!(tuned_value(&window), 0.125);
            assert!(!window.state().may_close(), "the restored version is unsaved");
            assert_eq!(window.state().files.project().is_some(), keeps_file);
            assert_eq!(std::fs::read(&project).expect("the project"), saved, "only saving writes the project");
        }
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
            assert_eq!(std::fs::read(&project).expect("the project"), saved, "saving asks for another file");
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
        assert!(mine.query_all_by_label_contains("0.5 → 0.75").next().is_some());
        click(&mut mine, "Open file on disk");
        assert_eq!(tuned_value(&mine), 0.75);
    }
}
