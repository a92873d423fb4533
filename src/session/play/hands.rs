//! What the artist holds: drags, a grabbed tip, and a recording of a drag.

use crate::doc::{Document, Gesture, GestureSample};
use crate::rig::{BoneId, Pose, Skeleton};
use glam::{Affine3A, Quat, Vec3};

/// Ticks that a drag takes to spring back.
pub(super) const BACK: u32 = 18;

/// A bone in the artist's hand, relative to where animation puts it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drag {
    /// Which bone.
    pub bone: BoneId,
    /// World offset and turn.
    pub sample: GestureSample,
    /// Ticks since it was let go and springs back; `None` while it is held or kept.
    pub back: Option<u32>,
}

impl Drag {
    /// Where it is now on its way back.
    pub fn now(&self) -> GestureSample {
        let Some(ticks) = self.back else { return self.sample };
        let left = 1.0 - (ticks as f32 / BACK as f32).min(1.0);
        let share = left * left * left;
        GestureSample { offset: self.sample.offset * share, turn: Quat::IDENTITY.slerp(self.sample.turn, share) }
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
        /// So far.
        samples: Vec<GestureSample>,
        /// Ticks since it came to rest.
        still: u32,
    },
}

/// What the artist holds.
#[derive(Clone, Debug, Default)]
pub(super) struct Hands {
    pub(super) drags: Vec<Drag>,
    pub(super) grab: Option<(BoneId, Vec3)>,
    pub(super) recording: Recording,
}

/// What a recording amounts to; nothing where no tick has passed.
pub(super) fn recorded(recording: Recording, document: &Document) -> Option<Gesture> {
    let Recording::Running { bone, samples, .. } = recording else { return None };
    let name = format!("Gesture {}", document.fresh_gesture().0);
    (!samples.is_empty()).then_some(Gesture { name, bone, samples })
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
