//! What the artist holds: drags, a grabbed tip, and a recording of a drag.

use crate::doc::{Document, Gesture, GestureSample, Underlay};
use crate::rig::{BoneId, Pose, Skeleton};
use glam::{Affine3A, Quat, Vec3};

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
        /// How the bone stood in the tick before.
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
            // Exact in whole numbers: at 60 ticks per second a sample is what stood in its tick.
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

/// A displacement of at most [`super::FARTHEST`] along each axis, with a unit turn. `None` for NaN, infinity and a turn of
/// length zero.
pub(super) fn bounded(sample: GestureSample) -> Option<GestureSample> {
    let GestureSample { offset, turn } = sample;
    let length = turn.length();
    if !offset.is_finite() || !length.is_finite() || length < f32::MIN_POSITIVE {
        return None;
    }
    let far = Vec3::splat(super::FARTHEST);
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
