//! The order of the motions, in the list and for *Next motion*, and the last motion of each character.

use super::prefs::LastMotion;
use super::{AppRequest, UiContext};
use std::path::Path;
use std::sync::Arc;
use yuremono_session::{ClipRange, Command, Motion};
use yuremono_sim::diagnostics::{MessageText, message};
use yuremono_sim::rig::TestMotion;

/// The groups of the list, with their headings. Standing motions need no heading.
pub(super) const GROUPS: [(MotionGroup, Option<MessageText>); 5] = [
    (MotionGroup::Standing, None),
    (MotionGroup::Tests, Some(message!("Test motions"))),
    (MotionGroup::FileClips, Some(message!("Clips in file"))),
    (MotionGroup::Added, Some(message!("Added motions"))),
    (MotionGroup::Gestures, Some(message!("Gestures"))),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MotionGroup {
    /// The motions of a character that waits.
    Standing,
    Tests,
    FileClips,
    /// Animations of motion files.
    Added,
    Gestures,
}

/// Returns the motions of a group.
pub(super) fn motions_of(group: MotionGroup, cx: &UiContext<'_>) -> Vec<Motion> {
    let character = Arc::clone(cx.character());
    let added: usize = cx.input.file.added_motions.iter().map(|(_, clips)| clips).sum();
    let file_clip_count = character.clips.len().saturating_sub(added);
    let tests = || TestMotion::ALL.into_iter().filter(|motion| motion.supports_character(&character));
    match group {
        MotionGroup::Standing => {
            let idle = tests().filter(|motion| *motion == TestMotion::Idle).map(Motion::Test);
            let live = cx.input.live.receiver.map(|_| Motion::Live);
            std::iter::once(Motion::Still).chain(idle).chain(live).collect()
        }
        MotionGroup::Tests => tests().filter(|motion| *motion != TestMotion::Idle).map(Motion::Test).collect(),
        MotionGroup::FileClips => (0..file_clip_count).map(Motion::Clip).collect(),
        MotionGroup::Added => (file_clip_count..character.clips.len()).map(Motion::Clip).collect(),
        MotionGroup::Gestures => cx.document().gestures.keys().copied().map(Motion::Gesture).collect(),
    }
}

/// Returns the animation of a part of an animation; other motions are whole.
pub(super) fn whole_motion(motion: Motion) -> Motion {
    motion.clip().map_or(motion, Motion::Clip)
}

/// Plays the motion after the present one, in the order of the list. After the last motion, loads the first file of the motion
/// folder that is not loaded yet; without such a file, the list starts again.
pub(super) fn play_next(cx: &mut UiContext<'_>) {
    let motions: Vec<Motion> = GROUPS.iter().flat_map(|(group, _)| motions_of(*group, cx)).collect();
    let present = whole_motion(cx.playback().settings().motion);
    let next = motions.iter().position(|motion| *motion == present).map_or(0, |at| at + 1);
    // The files are in alphabetical order. A file that could not be loaded is skipped the next time.
    let last_file = cx.state.next_motion_file.clone();
    let next_file = cx.input.file.folder_motions.iter().find(|path| last_file.as_ref().is_none_or(|last| *path > last));
    let motion = match (motions.get(next), next_file) {
        (Some(motion), _) => *motion,
        (None, Some(path)) => {
            cx.state.next_motion_file = Some(path.clone());
            return cx.request(AppRequest::LoadMotion(path.clone()));
        }
        (None, None) => {
            cx.state.next_motion_file = None;
            Motion::Still
        }
    };
    remember_motion(cx, motion);
    cx.command(Command::SetMotion(motion));
}

/// Stores the motion as the last motion of this character. Gestures are not stored, because they belong to a project.
pub(super) fn remember_motion(cx: &mut UiContext<'_>, motion: Motion) {
    let clips = &cx.character().clips;
    let last = match motion {
        Motion::Still => LastMotion::Still,
        Motion::Test(test) => LastMotion::Test(test),
        Motion::Clip(index) | Motion::Range(ClipRange { clip: index, .. }) => {
            let Some(clip) = clips.get(index) else { return };
            match file_of_clip(cx, index) {
                Some(path) => LastMotion::File { path: path.to_path_buf(), clip: clip.name.clone() },
                None => LastMotion::Clip(clip.name.clone()),
            }
        }
        Motion::Gesture(_) | Motion::Live => return,
    };
    let character = cx.character().name.clone();
    cx.state.prefs.remember_motion(&character, last);
}

/// Returns the motion file of a clip, or `None` for a clip of the character file.
fn file_of_clip<'a>(cx: &UiContext<'a>, index: usize) -> Option<&'a Path> {
    let mut end = cx.character().clips.len();
    for (path, count) in cx.input.file.added_motions.iter().rev() {
        let start = end.saturating_sub(*count);
        if (start..end).contains(&index) {
            return Some(path);
        }
        end = start;
    }
    None
}
