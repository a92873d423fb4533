//! Motion files: loading them for the open character, the folder of the last file, and the last motion of a character.

use super::App;
use crate::ui::LastMotion;
use std::path::Path;
use std::sync::Arc;
use yuremono_format::motion::RetargetedMotions;
use yuremono_format::open::file_name;
use yuremono_session::{Command, Message, Motion};

impl App {
    /// Queues the motions of a file to be loaded for the character.
    pub(super) fn load_motion(&mut self, path: &Path) {
        self.files.queued_motions.push_back(std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf()));
    }

    /// Starts to load the next motion if nothing is loading.
    pub(super) fn read_next_motion(&mut self, ctx: &egui::Context) {
        let Some(path) = self.files.next_motion() else { return };
        let character = self.session.character();
        if character.skeleton.is_empty() {
            self.add_message(Message::NoCharacterForMotion(file_name(&path)));
        } else {
            self.files.read_motion(path, Arc::clone(character), ctx);
        }
    }

    /// Adds the motions of a file to the character, or replaces the motions of the same file, and plays the first one.
    /// Without matching bones, the character is unchanged.
    pub(super) fn finish_loading_motion(&mut self, path: &Path, motions: RetargetedMotions) {
        let file = file_name(path);
        self.report_all(motions.diagnostics);
        if motions.clips.is_empty() {
            return self.add_message(Message::NoMotionBoneFound { file, bones: motions.unmatched });
        }
        let (matched, unmatched) = (motions.matched_count, motions.unmatched);
        self.add_message(Message::MotionLoaded { file, matched, unmatched });
        let count = motions.clips.len();
        let replaced = self.files.clips_of_motion(path, self.session.character().clips.len());
        let first = replaced.start;
        self.session.load_motions(replaced, motions.clips);
        self.files.add_loaded_motion(path.to_path_buf(), count);
        let added = &self.session.character().clips[first..first + count];
        let wanted = self.files.wanted_clip.take().filter(|(file, _)| file == path).map(|(_, clip)| clip);
        let chosen = added.iter().position(|clip| Some(&clip.name) == wanted.as_ref()).unwrap_or(0);
        let last = LastMotion::File { path: path.to_path_buf(), clip: added[chosen].name.clone() };
        if chosen > 0 {
            self.session.handle(Command::SetMotion(Motion::Clip(first + chosen)));
        }
        let character = self.session.character().name.clone();
        let prefs = &mut self.ui.state_mut().prefs;
        prefs.remember_motion(&character, last);
        prefs.motion_folder = path.parent().map(Path::to_path_buf);
        self.list_motion_folder();
    }

    /// Updates the list of motion files in the folder of the last motion file.
    pub(super) fn list_motion_folder(&mut self) {
        let folder = self.ui.prefs().motion_folder.clone();
        self.files.list_motion_folder(folder.as_deref());
    }

    /// Plays the motion that the artist chose last for this character. If `may_load` is true, its file may be
    /// loaded, which changes the project.
    pub(super) fn restore_motion(&mut self, may_load: bool) {
        self.list_motion_folder();
        if self.live.is_receiving() {
            return self.session.handle(Command::SetMotion(Motion::Live));
        }
        let character = self.session.character();
        let Some(last) = self.ui.prefs().motion_of(&character.name).cloned() else { return };
        let named = |name: &str| character.clips.iter().position(|clip| clip.name == name).map(Motion::Clip);
        let motion = match last {
            LastMotion::Still => Some(Motion::Still),
            LastMotion::Test(test) => test.supports_character(character).then_some(Motion::Test(test)),
            LastMotion::Clip(name) => named(&name),
            LastMotion::File { path, clip } if self.files.motion_index(&path).is_some() => named(&clip),
            LastMotion::File { path, clip } if may_load => {
                self.load_motion(&path);
                self.files.wanted_clip = Some((path, clip));
                None
            }
            LastMotion::File { .. } => None,
        };
        if let Some(motion) = motion {
            self.session.handle(Command::SetMotion(motion));
            self.session.handle(Command::ResetPose);
        }
    }
}
