//! What a gesture was recorded over: it plays on top of that, at the times that it had.
//!
//! A gesture is short and its clip may be long, so the loop of the two is led back: towards the end what lies under the
//! gesture fades into what came before its beginning, as if the clip had been cut there into a loop.

use super::{Motion, Play, TICK};
use crate::doc::{Document, GestureId, MOST_UNDER, Underlay, Underneath};
use crate::rig::{Character, Pose};

/// Seconds at the end of a gesture in which what lies under it is led back to its beginning; half of it at most.
const LEAD: f64 = 0.5;

impl Play {
    /// What moves the character now, as a recording that begins with the next tick remembers it.
    pub(super) fn underlay(&self, character: &Character, document: &Document) -> Option<Underlay> {
        let (motion, period) = match self.settings.motion {
            Motion::Still => return None,
            Motion::Test(motion) => (Underneath::Test(motion), f64::from(motion.period())),
            Motion::Clip(clip) => {
                let clip = character.clips.get(clip)?;
                (Underneath::Clip(clip.name.clone()), f64::from(clip.duration))
            }
            Motion::Gesture(id) => (Underneath::Gesture(id), document.gestures.get(&id)?.samples.len() as f64 * TICK),
        };
        let pace = if self.settings.playing { f64::from(self.settings.motion_speed) } else { 0.0 };
        let start = self.time + self.tick_seconds() * pace;
        let start = if period > 0.0 { start.rem_euclid(period) } else { 0.0 };
        Some(Underlay { motion, start, pace, amplitude: self.settings.amplitude })
    }

    /// Writes what a gesture was recorded over, `seconds` into the gesture, over `pose`; `spare` lends memory.
    pub(super) fn lay_under(
        &self,
        (id, seconds): (GestureId, f64),
        character: &Character,
        document: &Document,
        pose: &mut Pose,
        spare: &mut Vec<Pose>,
    ) {
        let (Some(gesture), Some(over)) = (document.gestures.get(&id), document.underlays.get(&id)) else { return };
        if document.gestures_under(id) > MOST_UNDER {
            return;
        }
        let motion = match over.motion {
            Underneath::Test(motion) => Some(Motion::Test(motion)),
            Underneath::Clip(ref name) => clip_named(character, name).map(Motion::Clip),
            // Recorded earlier, or gestures would lie under each other in a ring.
            Underneath::Gesture(under) => (under < id).then_some(Motion::Gesture(under)),
        };
        let (Some(motion), length) = (motion, gesture.samples.len() as f64 * TICK) else { return };
        let write = |seconds: f64, pose: &mut Pose, spare: &mut Vec<Pose>| {
            let time = over.start + seconds * over.pace;
            self.motion_at((motion, time, over.amplitude), character, document, pose, spare);
        };
        let seconds = seconds.rem_euclid(length);
        write(seconds, pose, spare);
        let lead = LEAD.min(length / 2.0);
        let share = 1.0 - (length - seconds) / lead;
        if share > 0.0 && over.pace > 0.0 {
            let mut before = spare.pop().unwrap_or_default();
            before.copy_from(&self.poses.rest);
            write(seconds - length, &mut before, spare);
            let share = (share * share * (3.0 - 2.0 * share)) as f32;
            for (local, before) in pose.local.iter_mut().zip(&before.local) {
                *local = local.lerp(*before, share);
            }
            spare.push(before);
        }
    }
}

/// What a gesture was recorded over and is not there any more, by name.
pub(in crate::session) fn missing_underlay(
    id: GestureId,
    character: &Character,
    document: &Document,
) -> Option<String> {
    let over = document.underlays.get(&id).filter(|_| document.gestures.contains_key(&id))?;
    match &over.motion {
        Underneath::Clip(name) if clip_named(character, name).is_none() => Some(name.clone()),
        Underneath::Gesture(under) if !document.gestures.contains_key(under) => Some(format!("Gesture {}", under.0)),
        Underneath::Gesture(under) if document.gestures_under(id) > MOST_UNDER => Some(format!("Gesture {}", under.0)),
        Underneath::Gesture(under) if *under < id => missing_underlay(*under, character, document),
        _ => None,
    }
}

fn clip_named(character: &Character, name: &str) -> Option<usize> {
    character.clips.iter().position(|clip| clip.name == name)
}
