//! Drags of bones and tips, recording of drags, and the base motion of a gesture.
//!
//! A gesture is short, but its base clip may be long. The gesture still has to loop, so near its end the base motion
//! blends into the part of the clip just before the start of the gesture.

use super::crossfade::{Crossfade, blend_into};
use super::{ClipRange, MAX_COORDINATE, Motion, MotionTime, Playback, PlaybackSource, TICK_SECONDS};
use glam::{Affine3A, Quat, Vec3};
use yuremono_model::document::{
    BaseMotion, Document, DragReach, Gesture, GestureId, GestureSample, MAX_BASE_MOTION_DEPTH, MotionRef,
};
use yuremono_model::feel::convert::motion_fit::RecordedMotion;
use yuremono_sim::math::slerp;
use yuremono_sim::rig::{BodyDisplacement, TestMotion};
use yuremono_sim::rig::{BoneId, Character, Pose, Skeleton};
use yuremono_sim::{GrabTarget, WindMoment};

/// In a motion fit: shortest time of a repeating motion, and longest time of other motions, in seconds.
const MOTION_FIT_SECONDS: (f64, f64) = (2.4, 8.0);
/// In a motion fit: time after a gesture, in seconds.
const SETTLE_AFTER_GESTURE_SECONDS: f64 = 1.0;
/// The motions of a motion fit if the character has no motion.
const DEFAULT_TEST_MOTIONS: [TestMotion; 2] = [TestMotion::Turn, TestMotion::LegLift];
/// Time in which a released bone springs back, in seconds.
const SPRING_BACK_SECONDS: f64 = 0.3;
/// Sample rate of gestures, independent of the tick rate.
const SAMPLES_PER_SECOND: u64 = 60;
/// Number of samples without motion after which a recording ends.
const GESTURE_TAIL_SAMPLES: u32 = 40;
/// Tolerance of sample times, as a share of a sample, because summed seconds are not exact.
const SAMPLE_TIME_TOLERANCE: f64 = 1e-3;

/// Tolerance for the length of unit quaternions; drags cause only rounding errors.
const UNIT_LENGTH_TOLERANCE: f32 = 1e-3;

/// A dragged bone, relative to its pose in the motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drag {
    pub bone: BoneId,
    pub reach: DragReach,
    /// Offset and rotation in world space.
    pub sample: GestureSample,
    /// Seconds since the release, if the bone springs back; `None` while the bone is dragged or stays displaced.
    pub spring_back_seconds: Option<f64>,
}

impl Drag {
    /// Returns the current displacement, including while the bone springs back.
    pub fn current_sample(&self) -> GestureSample {
        let Some(seconds) = self.spring_back_seconds else { return self.sample };
        let left = 1.0 - ((seconds / SPRING_BACK_SECONDS) as f32).min(1.0);
        let share = left * left * left;
        lerp_sample(&GestureSample::default(), &self.sample, share)
    }

    /// Returns whether the drag stays until it is dragged again, kept or reset.
    pub fn is_held(&self) -> bool {
        self.spring_back_seconds.is_none()
    }

    fn is_of(&self, bone: BoneId, reach: DragReach) -> bool {
        self.bone == bone && self.reach == reach
    }
}

/// The state of recording.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Recording {
    #[default]
    Off,
    /// The next drag is recorded.
    Armed,
    /// A drag is being recorded.
    Running {
        bone: BoneId,
        reach: DragReach,
        /// The motion of the character during the recording.
        base_motion: Option<BaseMotion>,
        /// The test wind at the start of the recording.
        wind: Option<WindMoment>,
        /// Recorded samples, 60 per second.
        samples: Vec<GestureSample>,
        /// Number of consecutive samples without motion at the end.
        still_samples: u32,
        /// Number of ticks since the start.
        ticks: u64,
        /// Displacement of the bone in the last tick.
        last: GestureSample,
    },
}

impl Recording {
    pub(super) fn start(
        bone: BoneId,
        reach: DragReach,
        base_motion: Option<BaseMotion>,
        wind: Option<WindMoment>,
    ) -> Self {
        Self::Running {
            bone,
            reach,
            base_motion,
            wind,
            samples: Vec::new(),
            still_samples: 0,
            ticks: 0,
            last: GestureSample::default(),
        }
    }

    /// Continues the recording from the last sample at another tick rate.
    pub(super) fn change_rate(&mut self, rate: u32) {
        if let Self::Running { samples, ticks, .. } = self {
            *ticks = samples.len() as u64 * u64::from(rate) / SAMPLES_PER_SECOND;
        }
    }
}

/// A recorded drag.
#[derive(Clone, Debug)]
pub(crate) struct RecordedGesture {
    pub(crate) gesture: Gesture,
    /// The motion of the character during the recording.
    pub(crate) base_motion: Option<BaseMotion>,
}

/// All drags, and the state of the recording.
#[derive(Clone, Debug, Default)]
pub(super) struct Interaction {
    pub(super) drags: Vec<Drag>,
    /// The joint that the pointer holds.
    pub(super) grab: Option<(BoneId, GrabTarget)>,
    pub(super) recording: Recording,
}

impl Interaction {
    /// Starts or continues a drag. A bone can have one drag for each reach.
    pub(super) fn set_drag(&mut self, drag: Drag) {
        match self.drags.iter_mut().find(|other| other.is_of(drag.bone, drag.reach)) {
            Some(old) => *old = drag,
            None => self.drags.push(drag),
        }
    }

    /// Lets the drags of a bone spring back.
    pub(super) fn release(&mut self, bone: BoneId) {
        for drag in self.drags.iter_mut().filter(|drag| drag.bone == bone) {
            drag.spring_back_seconds = Some(0.0);
        }
    }

    /// Advances the bones that spring back.
    pub(super) fn advance(&mut self, seconds: f64) {
        for drag in &mut self.drags {
            drag.spring_back_seconds = drag.spring_back_seconds.map(|back| back + seconds);
        }
        // Half a tick of tolerance, because summed seconds are not exact.
        self.drags.retain(|d| d.spring_back_seconds.is_none_or(|back| back <= SPRING_BACK_SECONDS + seconds / 2.0));
    }

    /// Adds the samples of a tick at `rate` ticks per second. Returns the gesture once the gesture is complete.
    pub(super) fn record(&mut self, rate: u32, document: &Document) -> Option<RecordedGesture> {
        let Recording::Running { bone, reach, samples, still_samples: still, ticks, last, .. } = &mut self.recording
        else {
            return None;
        };
        let drag = self.drags.iter().find(|d| d.is_of(*bone, *reach));
        let now = drag.map(Drag::current_sample).unwrap_or_default();
        let rate = u64::from(rate);
        while samples.len() as u64 * rate <= *ticks * SAMPLES_PER_SECOND {
            // Integers make this exact: at 60 ticks per second, each sample is the displacement in its tick.
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

/// Clamps each axis to [`MAX_COORDINATE`] and normalizes the rotation. Returns `None` if a value is not finite or the
/// rotation has length zero.
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

/// Returns the displacement of a gesture at a sample index. The gesture repeats.
pub(super) fn sample_at(samples: &[GestureSample], at: f64) -> GestureSample {
    let count = samples.len().max(1);
    let whole = at.round();
    let sample = |at: f64| samples.get(at.rem_euclid(count as f64) as usize % count).copied().unwrap_or_default();
    if (at - whole).abs() < SAMPLE_TIME_TOLERANCE {
        return sample(whole);
    }
    lerp_sample(&sample(at.floor()), &sample(at.floor() + 1.0), (at - at.floor()) as f32)
}

fn lerp_sample(a: &GestureSample, b: &GestureSample, share: f32) -> GestureSample {
    GestureSample { offset: a.offset.lerp(b.offset, share), rotation: slerp(a.rotation, b.rotation, share) }
}

/// Returns the gesture of a recording; `None` if nothing was recorded.
pub(super) fn finish_recording(recording: Recording, document: &Document) -> Option<RecordedGesture> {
    let Recording::Running { bone, reach, base_motion, wind, samples, .. } = recording else { return None };
    let name = format!("Gesture {}", document.next_gesture_id().0);
    let gesture = Gesture { name, bone, reach, samples, wind };
    (!gesture.samples.is_empty()).then_some(RecordedGesture { gesture, base_motion })
}

/// Translates a bone, and rotates it about its head, in world space, on top of its pose. Sanitizes the sample, because
/// a gesture from a file may contain any finite numbers.
pub(super) fn displace(skeleton: &Skeleton, pose: &mut Pose, bone: BoneId, sample: GestureSample) {
    let Some(sample) = sanitize_sample(sample).filter(|_| bone.index() < pose.local.len()) else { return };
    let mut rotation = Quat::IDENTITY;
    let mut to_world = Affine3A::IDENTITY;
    for above in skeleton.ancestors(bone) {
        let local = pose.local[above.index()];
        rotation = local.rotation * rotation;
        to_world = local.to_affine() * to_world;
    }
    let local = &mut pose.local[bone.index()];
    let offset = to_world.inverse().transform_vector3(sample.offset);
    // The offset can overflow if the scale of the parent is close to zero.
    if offset.length_squared().is_finite() {
        local.translation += offset;
    }
    let turned = (rotation.inverse() * sample.rotation * rotation * local.rotation).normalize();
    if turned.is_finite() {
        local.rotation = turned;
    }
}

impl Playback {
    /// Displaces a bone on top of its pose: the bone alone, or the body with the bone.
    pub(super) fn displace(&self, pose: &mut Pose, bone: BoneId, reach: DragReach, sample: GestureSample) {
        let skeleton = self.world.skeleton();
        let moves_body = reach == DragReach::WholeBody
            && sanitize_sample(sample).is_some_and(|GestureSample { offset, rotation }| {
                self.posing.displace(skeleton, pose, &BodyDisplacement { bone, offset, rotation })
            });
        if !moves_body {
            displace(skeleton, pose, bone, sample);
        }
    }

    /// Displaces the bones of the kept pose.
    pub(super) fn apply_kept_pose(&self, document: &Document, pose: &mut Pose) {
        for posed in &document.kept_pose {
            self.displace(pose, posed.bone, posed.reach, posed.sample);
        }
    }
}

/// Duration of the blend at the end of a gesture, in seconds; limited to half of the gesture.
const LOOP_BLEND_SECONDS: f64 = 0.5;

impl Playback {
    /// Returns the base motion for a recording that starts with the next tick.
    pub(super) fn current_base_motion(&self, source: PlaybackSource<'_>) -> Option<BaseMotion> {
        let period = self.settings.motion.own_duration(source)?;
        let motion = match self.settings.motion {
            Motion::Still | Motion::Live => return None,
            Motion::Test(motion) => MotionRef::Test(motion),
            Motion::Clip(_) | Motion::Range(_) => {
                let clip = source.character.clips.get(self.settings.motion.clip()?)?;
                MotionRef::Clip(clip.name.clone())
            }
            Motion::Gesture(id) => MotionRef::Gesture(id),
        };
        let pace = if self.settings.playing { f64::from(self.settings.motion_speed) } else { 0.0 };
        let start = self.time + self.tick_seconds() * pace;
        let start = if period > 0.0 { start.rem_euclid(period) } else { 0.0 };
        let range = if let Motion::Range(range) = self.settings.motion { Some(range.seconds()) } else { None };
        Some(BaseMotion { motion, start, speed: pace, amplitude: self.settings.amplitude, range })
    }

    /// Writes the base motion of a gesture at a time in seconds since the start of the gesture. Without a base motion,
    /// writes the relaxed pose with the kept pose. `spare` provides temporary poses.
    pub(super) fn write_base_motion(
        &self,
        id: GestureId,
        seconds: f64,
        source: PlaybackSource<'_>,
        pose: &mut Pose,
        spare: &mut Vec<Pose>,
    ) {
        if self.blend_base_motion(id, seconds, source, pose, spare).is_none() {
            self.write_relaxed(pose);
            self.apply_kept_pose(source.document, pose);
        }
    }

    /// Like [`Self::write_base_motion`]. Returns `None` and changes nothing if there is no base motion.
    fn blend_base_motion(
        &self,
        id: GestureId,
        seconds: f64,
        source: PlaybackSource<'_>,
        pose: &mut Pose,
        spare: &mut Vec<Pose>,
    ) -> Option<()> {
        let gesture = source.document.gestures.get(&id)?;
        let base_motion = source.document.base_motions.get(&id)?;
        if source.document.base_motion_depth(id) > MAX_BASE_MOTION_DEPTH {
            return None;
        }
        let motion = match base_motion.motion {
            MotionRef::Test(motion) => Some(Motion::Test(motion)),
            MotionRef::Clip(ref name) => clip_index(source.character, name).map(|clip| {
                let duration = f64::from(source.character.clips[clip].duration);
                let range = base_motion.range.and_then(|range| ClipRange::new(clip, range, duration));
                range.map_or(Motion::Clip(clip), Motion::Range)
            }),
            // Only an earlier gesture can be a base motion, which rules out cycles.
            MotionRef::Gesture(under) => (under < id).then_some(Motion::Gesture(under)),
        };
        let (motion, length) = (motion?, gesture.samples.len() as f64 * TICK_SECONDS);
        let write = |seconds: f64, pose: &mut Pose, spare: &mut Vec<Pose>| {
            let seconds = base_motion.start + seconds * base_motion.speed;
            let moment = MotionTime { motion, seconds, amplitude: base_motion.amplitude };
            self.write_motion(moment, source, pose, spare);
        };
        let seconds = seconds.rem_euclid(length);
        write(seconds, pose, spare);
        let lead = LOOP_BLEND_SECONDS.min(length / 2.0);
        let share = 1.0 - (length - seconds) / lead;
        if share > 0.0 && base_motion.speed > 0.0 {
            let mut before = spare.pop().unwrap_or_default();
            write(seconds - length, &mut before, spare);
            let share = (share * share * (3.0 - 2.0 * share)) as f32;
            blend_into(pose, &before, share);
            spare.push(before);
        }
        Some(())
    }
}

impl Playback {
    /// Records the current motion from its start with the current drags, for a motion fit. If there is no motion,
    /// records a rotation and a leg lift instead. Adds a rotation after a clip, because a clip with little motion does
    /// not reveal frequency and damping.
    pub(crate) fn record_motion(&self, source: PlaybackSource<'_>) -> RecordedMotion {
        let (mut poses, mut spare) = (Vec::new(), Vec::new());
        let pure = Self { crossfade: Crossfade::default(), ..self.clone() };
        for motion in motions_to_fit(self.settings.motion, source.character) {
            let pace = f64::from(self.settings.motion_speed);
            let seconds = fitted_seconds(motion, source) / pace;
            for tick in 0..self.ticks_for(seconds) {
                let time = f64::from(tick) * self.tick_seconds() * pace;
                let mut pose = Pose::default();
                pure.write_input_pose(motion, time, source, &mut pose, &mut spare);
                poses.push(pose);
            }
        }
        RecordedMotion { poses, tick_seconds: self.tick_seconds() as f32 }
    }
}

fn motions_to_fit(motion: Motion, character: &Character) -> Vec<Motion> {
    let default_motions =
        || DEFAULT_TEST_MOTIONS.into_iter().filter(|motion| motion.supports_character(character)).map(Motion::Test);
    match motion {
        // Breathing does not reveal frequency and damping.
        Motion::Still | Motion::Live | Motion::Test(TestMotion::Idle) => default_motions().collect(),
        Motion::Clip(_) | Motion::Range(_) => [motion].into_iter().chain(default_motions().take(1)).collect(),
        _ => vec![motion],
    }
}

/// Returns the duration of a motion in a motion fit, in seconds of the motion's own time.
fn fitted_seconds(motion: Motion, source: PlaybackSource<'_>) -> f64 {
    let own = motion.own_duration(source).unwrap_or(0.0);
    match motion {
        Motion::Still | Motion::Live => 0.0,
        Motion::Test(_) => own * (MOTION_FIT_SECONDS.0 / own).ceil(),
        Motion::Clip(_) | Motion::Range(_) => own.min(MOTION_FIT_SECONDS.1),
        Motion::Gesture(_) => (own + SETTLE_AFTER_GESTURE_SECONDS).min(MOTION_FIT_SECONDS.1),
    }
}

/// Returns the name of a gesture's base motion if that motion is missing.
pub(crate) fn missing_base_motion(id: GestureId, source: PlaybackSource<'_>) -> Option<String> {
    let PlaybackSource { character, document } = source;
    let base_motion = document.base_motions.get(&id).filter(|_| document.gestures.contains_key(&id))?;
    match &base_motion.motion {
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
