//! What the artist holds: drags, a grabbed tip, a recording of a drag, and the motion that a gesture was recorded over.
//!
//! A gesture is short and its clip may be long, so the loop of the two is led back: towards the end what lies under the
//! gesture fades into what came before its beginning, as if the clip had been cut there into a loop.

use super::{FARTHEST, Motion, Playback, Source, TICK};
use crate::document::{Document, Gesture, GestureId, GestureSample, MOST_UNDER, Underlay, Underneath};
use crate::feel::convert::refine::Take;
use crate::rig::{BoneId, Character, Pose, Skeleton};
use crate::stage::TestMotion;
use glam::{Affine3A, Quat, Vec3};

/// At least so many seconds of a motion that repeats, at most so many of one that does not.
const SECONDS: (f64, f64) = (2.4, 8.0);
/// Seconds that hair swings on after a gesture.
const AFTER: f64 = 1.0;
/// What shows how hair feels where nothing does.
const USUAL: [TestMotion; 2] = [TestMotion::Turn, TestMotion::LegLift];
/// Seconds that a drag takes to spring back.
const BACK: f64 = 0.3;
/// Samples of a gesture in a second, whatever the rate of ticks.
const SAMPLES: u64 = 60;
/// Samples of stillness at the end of a recorded gesture.
const GESTURE_TAIL: u32 = 40;
/// Times of samples are met to this share of a sample: seconds that are summed up lose digits.
const MET: f64 = 1e-3;

/// Turns are unit quaternions to this share; what a hand makes is, but for rounding.
const UNIT: f32 = 1e-3;

/// A bone in the artist's hand, relative to where animation puts it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drag {
    /// Which bone.
    pub bone: BoneId,
    /// World offset and turn.
    pub sample: GestureSample,
    /// Seconds since it was let go and springs back; `None` while it is held or kept.
    pub back: Option<f64>,
}

impl Drag {
    /// Where it is now on its way back.
    pub fn now(&self) -> GestureSample {
        let Some(seconds) = self.back else { return self.sample };
        let left = 1.0 - ((seconds / BACK) as f32).min(1.0);
        let share = left * left * left;
        between(&GestureSample::default(), &self.sample, share)
    }
}

/// How far "record my gesture" is.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Recording {
    /// Not recording.
    #[default]
    Off,
    /// The next drag is recorded.
    Armed,
    /// A drag is being recorded.
    Running {
        /// What is dragged.
        bone: BoneId,
        /// What moves the character meanwhile.
        over: Option<Underlay>,
        /// So far, 60 a second.
        samples: Vec<GestureSample>,
        /// Samples since it came to rest.
        still: u32,
        /// Ticks since its beginning.
        ticks: u64,
        /// Pose of the bone in the previous tick.
        last: GestureSample,
    },
}

impl Recording {
    pub(super) fn begin(bone: BoneId, over: Option<Underlay>) -> Self {
        Self::Running { bone, over, samples: Vec::new(), still: 0, ticks: 0, last: GestureSample::default() }
    }

    /// Goes on under another rate of ticks, from the last sample.
    pub(super) fn change_rate(&mut self, rate: u32) {
        if let Self::Running { samples, ticks, .. } = self {
            *ticks = samples.len() as u64 * u64::from(rate) / SAMPLES;
        }
    }
}

/// A drag that was recorded.
#[derive(Clone, Debug)]
pub(in crate::session) struct Recorded {
    pub(in crate::session) gesture: Gesture,
    /// What it was recorded over.
    pub(in crate::session) over: Option<Underlay>,
}

/// What the artist holds.
#[derive(Clone, Debug, Default)]
pub(super) struct Hands {
    pub(super) drags: Vec<Drag>,
    pub(super) grab: Option<(BoneId, Vec3)>,
    pub(super) recording: Recording,
}

impl Hands {
    /// Lets time pass for what springs back.
    pub(super) fn pass(&mut self, seconds: f64) {
        for drag in &mut self.drags {
            drag.back = drag.back.map(|back| back + seconds);
        }
        // Seconds that are summed up lose digits: half a tick more or less tells them apart.
        self.drags.retain(|d| d.back.is_none_or(|back| back <= BACK + seconds / 2.0));
    }

    /// Takes the samples that fall due in a tick at `rate` ticks per second; returns what is complete by now.
    pub(super) fn record(&mut self, rate: u32, document: &Document) -> Option<Recorded> {
        let Recording::Running { bone, samples, still, ticks, last, .. } = &mut self.recording else { return None };
        let drag = self.drags.iter().find(|d| d.bone == *bone);
        let now = drag.map(Drag::now).unwrap_or_default();
        let rate = u64::from(rate);
        while samples.len() as u64 * rate <= *ticks * SAMPLES {
            // Exact in whole numbers: at 60 ticks per second a sample is the pose of its tick.
            let late = *ticks * SAMPLES - samples.len() as u64 * rate;
            samples.push(match late {
                0 => now,
                _ => between(&now, last, (late as f32 / SAMPLES as f32).min(1.0)),
            });
            *still += u32::from(drag.is_none());
            if *still == GESTURE_TAIL {
                return recorded(std::mem::take(&mut self.recording), document);
            }
        }
        (*ticks, *last) = (*ticks + 1, now);
        None
    }
}

/// A displacement of at most [`FARTHEST`] along each axis, with a unit turn. `None` for NaN, infinity and a turn of
/// length zero.
pub(super) fn limited(sample: GestureSample) -> Option<GestureSample> {
    let GestureSample { offset, turn } = sample;
    let length = turn.length();
    if !offset.is_finite() || !length.is_finite() || length < f32::MIN_POSITIVE {
        return None;
    }
    let far = Vec3::splat(FARTHEST);
    let turn = if (length - 1.0).abs() < UNIT { turn } else { turn.normalize() };
    Some(GestureSample { offset: offset.clamp(-far, far), turn })
}

/// How a gesture stands so many samples into it; it begins again at its end.
pub(super) fn sample_at(samples: &[GestureSample], at: f64) -> GestureSample {
    let count = samples.len().max(1);
    let whole = at.round();
    let sample = |at: f64| samples.get(at.rem_euclid(count as f64) as usize % count).copied().unwrap_or_default();
    if (at - whole).abs() < MET {
        return sample(whole);
    }
    between(&sample(at.floor()), &sample(at.floor() + 1.0), (at - at.floor()) as f32)
}

/// A share of the way from one sample to another.
fn between(a: &GestureSample, b: &GestureSample, share: f32) -> GestureSample {
    GestureSample { offset: a.offset.lerp(b.offset, share), turn: a.turn.slerp(b.turn, share) }
}

/// What a recording amounts to; nothing where no tick has passed.
pub(super) fn recorded(recording: Recording, document: &Document) -> Option<Recorded> {
    let Recording::Running { bone, over, samples, .. } = recording else { return None };
    let name = format!("Gesture {}", document.fresh_gesture().0);
    (!samples.is_empty()).then_some(Recorded { gesture: Gesture { name, bone, samples }, over })
}

/// Moves and turns one bone in the world, about its own head, on top of what the pose says.
pub(super) fn displace(skeleton: &Skeleton, pose: &mut Pose, bone: BoneId, sample: &GestureSample) {
    if bone.index() >= pose.local.len() {
        return;
    }
    let mut rotation = Quat::IDENTITY;
    let mut to_world = Affine3A::IDENTITY;
    for above in skeleton.ancestors(bone) {
        let local = pose.local[above.index()];
        rotation = local.rotation * rotation;
        to_world = local.to_affine() * to_world;
    }
    let local = &mut pose.local[bone.index()];
    let offset = to_world.inverse().transform_vector3(sample.offset);
    if offset.is_finite() {
        local.translation += offset;
    }
    let turned = (rotation.inverse() * sample.turn * rotation * local.rotation).normalize();
    if turned.is_finite() {
        local.rotation = turned;
    }
}

/// Seconds at the end of a gesture in which what lies under it is led back to its beginning; half of it at most.
const LEAD: f64 = 0.5;

impl Playback {
    /// What moves the character now, as a recording that begins with the next tick remembers it.
    pub(super) fn underlay(&self, source: Source<'_>) -> Option<Underlay> {
        let (motion, period) = match self.settings.motion {
            Motion::Still => return None,
            Motion::Test(motion) => (Underneath::Test(motion), f64::from(motion.period())),
            Motion::Clip(clip) => {
                let clip = source.character.clips.get(clip)?;
                (Underneath::Clip(clip.name.clone()), f64::from(clip.duration))
            }
            Motion::Gesture(id) => {
                (Underneath::Gesture(id), source.document.gestures.get(&id)?.samples.len() as f64 * TICK)
            }
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
        source: Source<'_>,
        pose: &mut Pose,
        spare: &mut Vec<Pose>,
    ) {
        let (Some(gesture), Some(over)) = (source.document.gestures.get(&id), source.document.underlays.get(&id))
        else {
            return;
        };
        if source.document.gestures_under(id) > MOST_UNDER {
            return;
        }
        let motion = match over.motion {
            Underneath::Test(motion) => Some(Motion::Test(motion)),
            Underneath::Clip(ref name) => clip_named(source.character, name).map(Motion::Clip),
            // Recorded earlier, or gestures would lie under each other in a ring.
            Underneath::Gesture(under) => (under < id).then_some(Motion::Gesture(under)),
        };
        let (Some(motion), length) = (motion, gesture.samples.len() as f64 * TICK) else { return };
        let write = |seconds: f64, pose: &mut Pose, spare: &mut Vec<Pose>| {
            let time = over.start + seconds * over.pace;
            self.motion_at((motion, time, over.amplitude), source, pose, spare);
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

impl Playback {
    /// What moves the character now, from its beginning, with what the artist holds as it is; a turn and a leg lift
    /// where nothing moves. A clip is followed by a turn, since many clips are too quiet to tell speed and damping.
    pub(in crate::session) fn take(&self, source: Source<'_>) -> Take {
        let (mut poses, mut spare) = (Vec::new(), Vec::new());
        for motion in parts(self.settings.motion, source.character) {
            let pace = f64::from(self.settings.motion_speed);
            let seconds = length(motion, source) / pace;
            for tick in 0..self.ticks_in(seconds) {
                let time = f64::from(tick) * self.tick_seconds() * pace;
                let mut pose = Pose::default();
                self.pose_at((motion, time), source, &mut pose, &mut spare);
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
fn length(motion: Motion, source: Source<'_>) -> f64 {
    match motion {
        Motion::Still => 0.0,
        Motion::Test(motion) => {
            let period = f64::from(motion.period());
            period * (SECONDS.0 / period).ceil()
        }
        Motion::Clip(clip) => {
            source.character.clips.get(clip).map_or(0.0, |clip| f64::from(clip.duration)).min(SECONDS.1)
        }
        Motion::Gesture(id) => {
            let samples = source.document.gestures.get(&id).map_or(0, |gesture| gesture.samples.len());
            (samples as f64 * TICK + AFTER).min(SECONDS.1)
        }
    }
}

/// What a gesture was recorded over and is not there any more, by name.
pub(in crate::session) fn missing_underlay(id: GestureId, source: Source<'_>) -> Option<String> {
    let Source { character, document } = source;
    let over = document.underlays.get(&id).filter(|_| document.gestures.contains_key(&id))?;
    match &over.motion {
        Underneath::Clip(name) if clip_named(character, name).is_none() => Some(name.clone()),
        Underneath::Gesture(under) if !document.gestures.contains_key(under) => Some(format!("Gesture {}", under.0)),
        Underneath::Gesture(under) if document.gestures_under(id) > MOST_UNDER => Some(format!("Gesture {}", under.0)),
        Underneath::Gesture(under) if *under < id => missing_underlay(*under, source),
        _ => None,
    }
}

fn clip_named(character: &Character, name: &str) -> Option<usize> {
    character.clips.iter().position(|clip| clip.name == name)
}
