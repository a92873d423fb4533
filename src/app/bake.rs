//! Bakes the present motion on a thread, and writes the result.

use super::App;
use super::character_export::character_gltf;
use super::requests::{file_stem, gltf_extension, is_same_file};
use crate::ui::{BakeResult, FilePurpose, TaskStatus};
use std::path::Path;
use yuremono_format::gltf::external_files;
use yuremono_format::open::file_name;
use yuremono_format::source::{copy_external_files, write_atomic};
use yuremono_format::vrm;
use yuremono_session::{BakeJob, BakeOptions, BakedFormat, BakedMotion, Message};
use yuremono_sim::diagnostics::{Diagnostic, Location, message};

impl App {
    /// Starts the bake. Everything that can be checked is checked before the simulation.
    pub(super) fn start_bake(&mut self, options: BakeOptions, format: BakedFormat, ctx: &egui::Context) {
        let name = self.files.character_name.clone();
        let place = Location::file(&*name);
        let job = BakeJob::new(&self.session, options)
            .map_err(|error| vec![Diagnostic::error(place.clone(), error.message())])
            .and_then(|job| format.check(&job, &character_gltf(self.files.character())?, &name).map(|_| job));
        match job {
            Ok(job) => self.bake.start_bake(job, place, ctx),
            Err(diagnostics) => self.bake.fail(diagnostics),
        }
    }

    fn baked(&self) -> Option<&BakedMotion> {
        match self.bake.status() {
            TaskStatus::Finished(BakeResult::Ok(baked)) => Some(baked),
            _ => None,
        }
    }

    pub(super) fn ask_for_baked_file(&mut self, format: BakedFormat, ctx: &egui::Context) {
        let Some(baked) = self.baked() else { return };
        let extension = match format {
            BakedFormat::Character => self.files.character().map_or("vrm", gltf_extension),
            BakedFormat::Vrma => "vrma",
            BakedFormat::Csv => "csv",
        };
        let motion = baked.clip.name.replace(['/', '\\', ':'], "_");
        let name = format!("{}_{motion}.{extension}", file_stem(&self.files.character_name));
        self.ask_for_file(FilePurpose::SaveBaked(format, extension), &name, ctx);
    }

    pub(super) fn save_baked(&mut self, format: BakedFormat, path: &Path) {
        let done = message!("Animation saved as {name}", name = file_name(path));
        match self.write_baked(format, path) {
            Ok(diagnostics) => {
                self.report_all(diagnostics);
                self.add_message(Message::Done(done));
            }
            Err(diagnostics) => self.report_all(diagnostics),
        }
    }

    /// Writes the baked motion. Returns what the file cannot store.
    fn write_baked(&self, format: BakedFormat, path: &Path) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
        let (name, original) = (file_name(path), self.files.character());
        let Some(baked) = self.baked() else {
            let message = message!("there is no baked motion any more; bake the motion again");
            return Err(vec![Diagnostic::error(Location::file(name), message)]);
        };
        if original.is_some_and(|open| open == path || is_same_file(open, path)) {
            let message = message!("this is the open character; choose another file for the animation");
            return Err(vec![Diagnostic::error(Location::file(name), message)]);
        }
        let bytes = character_gltf(original)?;
        if format == BakedFormat::Character {
            vrm::check_extension(&bytes, &name).map_err(|diagnostic| vec![diagnostic])?;
        }
        let written = baked.to_file(format, self.session.character(), &bytes, &name)?;
        let mut diagnostics = written.losses;
        if let (BakedFormat::Character, Some(original)) = (format, original) {
            diagnostics.extend(copy_external_files(&external_files(&bytes), original, path)?);
        }
        write_atomic(path, &written.bytes).map_err(|diagnostic| vec![diagnostic])?;
        Ok(diagnostics)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{click, send_request, set_tuned_value, wait_until, window};
    use super::*;
    use crate::app::PathBuf;
    use crate::ui::DialogKind;
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;
    use yuremono_session::{Command, Motion};
    use yuremono_sim::rig::TestMotion;

    /// Opens the bake dialog for a test motion of the sample.
    fn window_with_dialog() -> Harness<'static, App> {
        let mut window = window(None);
        window.state_mut().session.handle(Command::SetMotion(Motion::Test(TestMotion::Nod)));
        window.state_mut().ui.state_mut().dialogs_to_open.push(DialogKind::Bake);
        window.run_steps(2);
        window
    }

    fn bake(window: &mut Harness<'static, App>) {
        click(window, "Bake");
        assert!(wait_until(window, |app| !app.bake.is_running()), "the bake ends");
        window.run_steps(2);
    }

    fn save(window: &mut Harness<'static, App>, format: BakedFormat, path: PathBuf) {
        let ctx = window.ctx.clone();
        window.state_mut().use_chosen_path(FilePurpose::SaveBaked(format, "vrm"), path, &ctx);
        window.run_steps(2);
    }

    #[test]
    fn the_dialog_bakes_plays_and_saves_the_motion() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut window = window_with_dialog();
        click(&mut window, "Seamless loop");
        bake(&mut window);
        assert!(window.state().baked().is_some_and(|baked| baked.loop_report.is_some()));
        assert!(window.query_by_label_contains("keys remain").is_some());

        click(&mut window, "Baked motion");
        let playback = |window: &Harness<'static, App>| window.state().session.playback().shows_bake();
        assert!(playback(&window));
        assert!(window.query_by_label_contains("Dashed: live motion.").is_some());
        for (format, name) in
            [(BakedFormat::Character, "a.vrm"), (BakedFormat::Vrma, "a.vrma"), (BakedFormat::Csv, "a.csv")]
        {
            let path = folder.path().join(name);
            save(&mut window, format, path.clone());
            assert!(path.exists(), "{name}");
        }
        let opened = yuremono_format::open::character(&folder.path().join("a.vrm"), &|_| true).expect("a character");
        assert_eq!(opened.character.clips.last().map(|clip| clip.name.as_str()), Some("nod"));

        window.key_press(egui::Key::Escape);
        window.run_steps(2);
        assert!(!playback(&window) && window.state().baked().is_none());
    }

    #[test]
    fn a_result_of_other_options_or_values_cannot_be_saved() {
        let mut window = window_with_dialog();
        bake(&mut window);
        assert!(window.query_by_label("Save animation…").is_some());
        set_tuned_value(&mut window, 0.125);
        window.run_steps(2);
        assert!(window.query_by_label("Save animation…").is_none());
        assert!(window.query_by_label_contains("have changed since the last bake").is_some());
        bake(&mut window);
        click(&mut window, "Seamless loop");
        assert!(window.query_by_label("Save animation…").is_none());
    }

    #[test]
    fn options_that_cannot_be_baked_are_explained() {
        let mut window = window_with_dialog();
        window.state_mut().session.handle(Command::SetMotion(Motion::Still));
        window.run_steps(2);
        click(&mut window, "Seamless loop");
        assert!(window.query_by_label_contains("the rest pose does not repeat").is_some());
        click(&mut window, "Bake");
        assert!(!window.state().bake.is_running());
    }

    #[test]
    fn the_open_character_is_not_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("girl.vrm");
        std::fs::write(&path, super::super::SAMPLE_BYTES).expect("written");
        let mut window = window_with_dialog();
        send_request(&mut window, crate::ui::AppRequest::OpenPath(path.clone()));
        window.run_steps(2);
        bake(&mut window);
        save(&mut window, BakedFormat::Character, path.clone());
        assert_eq!(std::fs::read(&path).expect("the character"), super::super::SAMPLE_BYTES);
    }
}
