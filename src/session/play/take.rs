//! Records what moves the character, so that two ways of swaying can be compared on it.

use super::{Motion, Play, TICK};
use crate::doc::Document;
use crate::doc::convert::refine::Take;
use crate::rig::{Character, Pose};
use crate::stage::TestMotion;

/// At least so many seconds of a motion that repeats, at most so many of one that does not.
const SECONDS: (f64, f64) = (2.4, 8.0);
/// Seconds that hair swings on after a gesture.
const AFTER: f64 = 1.0;
/// What shows how hair feels where nothing does.
const USUAL: [TestMotion; 2] = [TestMotion::Turn, TestMotion::LegLift];

impl Play {
    /// What moves the character now, from its beginning, with what the artist holds as it is; a turn and a leg lift
    /// where nothing moves. A clip is followed by a turn, since many clips are too quiet to tell speed and damping.
    pub(in crate::session) fn take(&self, character: &Character, document: &Document) -> Take {
        let (mut poses, mut spare) = (Vec::new(), Vec::new());
        for motion in parts(self.settings.motion, character) {
            let pace = f64::from(self.settings.motion_speed);
            let seconds = length(motion, character, document) / pace;
            for tick in 0..self.ticks_in(seconds) {
                let time = f64::from(tick) * self.tick_seconds() * pace;
                let mut pose = Pose::default();
                self.pose_at((motion, time), character, document, &mut pose, &mut spare);
                poses.push(pose);
            }
        }
        Take { poses, tick: self.tick_seconds() as f32 }
    }
}

fn parts(motion: Motion, character: &Character) -> Vec<Motion> {
    let usual = || USUAL.into_iter().filter(|motion| motion.suits(character)).map(Motion::Test);
    match motion {
        Motion::Still => usual().collect(),
        Motion::Clip(_) => [motion].into_iter().chain(usual().take(1)).collect(),
        _ => vec![motion],
    }
}

/// Seconds of its own time that a motion is looked at.
fn length(motion: Motion, character: &Character, document: &Document) -> f64 {
    match motion {
        Motion::Still => 0.0,
        Motion::Test(motion) => {
            let period = f64::from(motion.period());
            period * (SECONDS.0 / period).ceil()
        }
        Motion::Clip(clip) => character.clips.get(clip).map_or(0.0, |clip| f64::from(clip.duration)).min(SECONDS.1),
        Motion::Gesture(id) => {
            let samples = document.gestures.get(&id).map_or(0, |gesture| gesture.samples.len());
            (samples as f64 * TICK + AFTER).min(SECONDS.1)
        }
    }
}
