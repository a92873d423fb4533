//! What the artist holds: drags, a grabbed tip, a recording of a drag, and the motion that a gesture was recorded over.
//!
//! A gesture is short and its clip may be long, so the loop of the two is led back: towards the end what lies under the
//! gesture fades into what came before its beginning, as if the clip had been cut there into a loop.

use super::{MAX_COORDINATE, Motion, Playback, PlaybackSource, TICK_SECONDS};
use crate::document::{BaseMotion, Document, Gesture, GestureId, GestureSample, MAX_BASE_MOTION_DEPTH, MotionRef};
use crate::feel::convert::motion_fit::RecordedMotion;
use crate::rig::{BoneId, Character, Pose, Skeleton};
use crate::stage::TestMotion;
use glam::{Affine3A, Quat, Vec3};

/// At least so many seconds of a motion that repeats, at most so many of one that does not.
const MOTION_FIT_SECONDS: (f64, f64) = (2.4, 8.0);
/// Seconds that hair swings on after a gesture.
const SETTLE_AFTER_GESTURE_SECONDS: f64 = 1.0;
/// What shows how hair feels where nothing does.
const DEFAULT_TEST_MOTIONS: [TestMotion; 2] = [TestMotion::Turn, TestMotion::LegLift];
/// Seconds that a drag takes to spring back.
const SPRING_BACK_SECONDS: f64 = 0.3;
/// Samples of a gesture in a second, whatever the rate of ticks.
const SAMPLES_PER_SECOND: u64 = 60;
/// Samples of stillness at the end of a recorded gesture.
const GESTURE_TAIL_SAMPLES: u32 = 40;
/// Times of samples are met to this share of a sample: seconds that are summed up lose digits.
const SAMPLE_TIME_TOLERANCE: f64 = 1e-3;

/// Turns are unit quaternions to this share; what a hand makes is, but for rounding.
const UNIT_LENGTH_TOLERANCE: f32 = 1e-3;

/// A bone in the artist's hand, relative to where animation puts it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drag {
    /// Which bone.
    pub bone: BoneId,
    /// World offset and turn.
    pub sample: GestureSample,
    /// Seconds since it was let go and springs back; `None` while it is held or kept.
    pub spring_back_seconds: Option<f64>,
}

impl Drag {
    /// Where it is now on its way back.
    pub fn current_sample(&self) -> GestureSample {
        let Some(seconds) = self.spring_back_seconds else { return self.sample };
        let left = 1.0 - ((seconds / SPRING_BACK_SECONDS) as f32).min(1.0);
        let share = left * left * left;
        lerp_sample(&GestureSample::default(), &self.sample, share)
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
        base_motion: Option<BaseMotion>,
        /// So far, 60 a second.
        samples: Vec<GestureSample>,
        /// Samples since it came to rest.
        still_samples: u32,
        /// Ticks since its beginning.
        ticks: u64,
        /// Pose of the bone in the previous tick.
        last: GestureSample,
    },
}

impl Recording {
    pub(super) fn start(bone: BoneId, over: Option<BaseMotion>) -> Self {
        Self::Running {
            bone,
            base_motion: over,
            samples: Vec::new(),
            still_samples: 0,
            ticks: 0,
            last: GestureSample::default(),
        }
    }

    /// Goes on under another rate of ticks, from the last sample.
    pub(super) fn change_rate(&mut self, rate: u32) {
        if let Self::Running { samples, ticks, .. } = self {
            *ticks = samples.len() as u64 * u64::from(rate) / SAMPLES_PER_SECOND;
        }
    }
}

/// A drag that was recorded.
#[derive(Clone, Debug)]
pub(in crate::session) struct RecordedGesture {
    pub(in crate::session) gesture: Gesture,
    /// What it was recorded over.
    pub(in crate::session) base_motion: Option<BaseMotion>,
}

/// What the artist holds.
#[derive(Clone, Debug, Default)]
pub(super) struct Interaction {
    pub(super) drags: Vec<Drag>,
    pub(super) grab: Option<(BoneId, Vec3)>,
    pub(super) recording: Recording,
}

impl Interaction {
    /// Lets time pass for what springs back.
    pub(super) fn advance(&mut self, seconds: f64) {
        for drag in &mut self.drags {
            drag.spring_back_seconds = drag.spring_back_seconds.map(|back| back + seconds);
        }
        // Seconds that are summed up lose digits: half a tick more or less tells them apart.
        self.drags.retain(|d| d.spring_back_seconds.is_none_or(|back| back <= SPRING_BACK_SECONDS + seconds / 2.0));
    }

    /// Takes the samples that fall due in a tick at `rate` ticks per second; returns what is complete by now.
    pub(super) fn record(&mut self, rate: u32, document: &Document) -> Option<RecordedGesture> {
        let Recording::Running { bone, samples, still_samples: still, ticks, last, .. } = &mut self.recording else {
            return None;
        };
        let drag = self.drags.iter().find(|d| d.bone == *bone);
        let now = drag.map(Drag::current_sample).unwrap_or_default();
        let rate = u64::from(rate);
        while samples.len() as u64 * rate <= *ticks * SAMPLES_PER_SECOND {
            // Exact in whole numbers: at 60 ticks per second a sample is the pose of its tick.
            let late = *ticks * SAMPLES_PER_SECOND - samples.len() as u64 * rate;
            samples.push(match late {
                0 => now,
                _ => lerp_sample(&now, last, (late as f32 / SAMPLES_PER_SECOND as f32).min(1.0)),
            });
            *still += u32::from(drag.is_none());
            if *still == GESTURE_TAIL_SAMPLES {
                return finish_recording(std::mem::take(&mut self.recording), document);
            }
        }
        (*ticks, *last) = (*ticks + 1, now);
        None
    }
}

/// A displacement of at most [`MAX_COORDINATE`] along each axis, with a unit turn. `None` for NaN, infinity and a turn of
/// length zero.
pub(super) fn sanitize_sample(sample: GestureSample) -> Option<GestureSample> {
    let GestureSample { offset, rotation: turn } = sample;
    let length = turn.length();
    if !offset.is_finite() || !length.is_finite() || length < f32::MIN_POSITIVE {
        return None;
    }
    let far = Vec3::splat(MAX_COORDINATE);
    let turn = if (length - 1.0).abs() < UNIT_LENGTH_TOLERANCE { turn } else { turn.normalize() };
    Some(GestureSample { offset: offset.clamp(-far, far), rotation: turn })
}

/// How a gesture stands so many samples into it; it begins again at its end.
pub(super) fn sample_at(samples: &[GestureSample], at: f64) -> GestureSample {
    let count = samples.len().max(1);
    let whole = at.round();
    let sample = |at: f64| samples.get(at.rem_euclid(count as f64) as usize % count).copied().unwrap_or_default();
    if (at - whole).abs() < SAMPLE_TIME_TOLERANCE {
        return sample(whole);
    }
    lerp_sample(&sample(at.floor()), &sample(at.floor() + 1.0), (at - at.floor()) as f32)
}

/// A share of the way from one sample to another.
fn lerp_sample(a: &GestureSample, b: &GestureSample, share: f32) -> GestureSample {
    GestureSample { offset: a.offset.lerp(b.offset, share), rotation: a.rotation.slerp(b.rotation, share) }
}

/// What a recording amounts to; nothing where no tick has passed.
pub(super) fn finish_recording(recording: Recording, document: &Document) -> Option<RecordedGesture> {
    let Recording::Running { bone, base_motion: over, samples, .. } = recording else { return None };
    let name = format!("Gesture {}", document.next_gesture_id().0);
    (!samples.is_empty()).then_some(RecordedGesture { gesture: Gesture { name, bone, samples }, base_motion: over })
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
    let turned = (rotation.inverse() * sample.rotation * rotation * local.rotation).normalize();
    if turned.is_finite() {
        local.rotation = turned;
    }
}

/// Seconds at the end of a gesture in which what lies under it is led back to its beginning; half of it at most.
const LOOP_BLEND_SECONDS: f64 = 0.5;

impl Playback {
    /// What moves the character now, as a recording that begins with the next tick remembers it.
    pub(super) fn current_base_motion(&self, source: PlaybackSource<'_>) -> Option<BaseMotion> {
        let (motion, period) = match self.settings.motion {
            Motion::Still => return None,
            Motion::Test(motion) => (MotionRef::Test(motion), f64::from(motion.period())),
            Motion::Clip(clip) => {
                let clip = source.character.clips.get(clip)?;
                (MotionRef::Clip(clip.name.clone()), f64::from(clip.duration))
            }
            Motion::Gesture(id) => {
                (MotionRef::Gesture(id), source.document.gestures.get(&id)?.samples.len() as f64 * TICK_SECONDS)
            }
        };
        let pace = if self.settings.playing { f64::from(self.settings.motion_speed) } else { 0.0 };
        let start = self.time + self.tick_seconds() * pace;
        let start = if period > 0.0 { start.rem_euclid(period) } else { 0.0 };
        Some(BaseMotion { motion, start, speed: pace, amplitude: self.settings.amplitude })
    }

    /// Writes what a gesture was recorded over, `seconds` into the gesture, over `pose`; `spare` lends memory.
    pub(super) fn apply_base_motion(
        &self,
        (id, seconds): (GestureId, f64),
        source: PlaybackSource<'_>,
        pose: &mut Pose,
        spare: &mut Vec<Pose>,
    ) {
        let (Some(gesture), Some(over)) = (source.document.gestures.get(&id), source.document.base_motions.get(&id))
        else {
            return;
        };
        if source.document.base_motion_depth(id) > MAX_BASE_MOTION_DEPTH {
            return;
        }
        let motion = match over.motion {
            MotionRef::Test(motion) => Some(Motion::Test(motion)),
            MotionRef::Clip(ref name) => clip_index(source.character, name).map(Motion::Clip),
            // Recorded earlier, or gestures would lie under each other in a ring.
            MotionRef::Gesture(under) => (under < id).then_some(Motion::Gesture(under)),
        };
        let (Some(motion), length) = (motion, gesture.samples.len() as f64 * TICK_SECONDS) else { return };
        let write = |seconds: f64, pose: &mut Pose, spare: &mut Vec<Pose>| {
            let time = over.start + seconds * over.speed;
            self.apply_motion((motion, time, over.amplitude), source, pose, spare);
        };
        let seconds = seconds.rem_euclid(length);
        write(seconds, pose, spare);
        let lead = LOOP_BLEND_SECONDS.min(length / 2.0);
        let share = 1.0 - (length - seconds) / lead;
        if share > 0.0 && over.speed > 0.0 {
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
    pub(in crate::session) fn record_motion(&self, source: PlaybackSource<'_>) -> RecordedMotion {
        let (mut poses, mut spare) = (Vec::new(), Vec::new());
        for motion in motions_to_fit(self.settings.motion, source.character) {
            let pace = f64::from(self.settings.motion_speed);
            let seconds = fitted_seconds(motion, source) / pace;
            for tick in 0..self.ticks_for(seconds) {
                let time = f64::from(tick) * self.tick_seconds() * pace;
                let mut pose = Pose::default();
                self.write_input_pose((motion, time), source, &mut pose, &mut spare);
                poses.push(pose);
            }
        }
        RecordedMotion { poses, tick_seconds: self.tick_seconds() as f32 }
    }
}

fn motions_to_fit(motion: Motion, character: &Character) -> Vec<Motion> {
    let usual =
        || DEFAULT_TEST_MOTIONS.into_iter().filter(|motion| motion.supports_character(character)).map(Motion::Test);
    match motion {
        Motion::Still => usual().collect(),
        Motion::Clip(_) => [motion].into_iter().chain(usual().take(1)).collect(),
        _ => vec![motion],
    }
}

/// Seconds of its own time that a motion is looked at.
fn fitted_seconds(motion: Motion, source: PlaybackSource<'_>) -> f64 {
    match motion {
        Motion::Still => 0.0,
        Motion::Test(motion) => {
            let period = f64::from(motion.period());
            period * (MOTION_FIT_SECONDS.0 / period).ceil()
        }
        Motion::Clip(clip) => {
            source.character.clips.get(clip).map_or(0.0, |clip| f64::from(clip.duration)).min(MOTION_FIT_SECONDS.1)
        }
        Motion::Gesture(id) => {
            let samples = source.document.gestures.get(&id).map_or(0, |gesture| gesture.samples.len());
            (samples as f64 * TICK_SECONDS + SETTLE_AFTER_GESTURE_SECONDS).min(MOTION_FIT_SECONDS.1)
        }
    }
}

/// What a gesture was recorded over and is not there any more, by name.
pub(in crate::session) fn missing_base_motion(id: GestureId, source: PlaybackSource<'_>) -> Option<String> {
    let PlaybackSource { character, document } = source;
    let over = document.base_motions.get(&id).filter(|_| document.gestures.contains_key(&id))?;
    match &over.motion {
        MotionRef::Clip(name) if clip_index(character, name).is_none() => Some(name.clone()),
        MotionRef::Gesture(under) if !document.gestures.contains_key(under) => Some(format!("Gesture {}", under.0)),
        MotionRef::Gesture(under) if document.base_motion_depth(id) > MAX_BASE_MOTION_DEPTH => {
            Some(format!("Gesture {}", under.0))
        }
        MotionRef::Gesture(under) if *under < id => missing_base_motion(*under, source),
        _ => None,
    }
}

fn clip_index(character: &Character, name: &str) -> Option<usize> {
    character.clips.iter().position(|clip| clip.name == name)
}
