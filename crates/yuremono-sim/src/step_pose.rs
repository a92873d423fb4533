//! The pose that a solver reads and writes in a step, and the pose that it reads between steps.
#![expect(clippy::inline_always, reason = "SIMD values must stay in registers")]

use super::force::ForceRuntime;
use super::probe::Probe;
use super::shape::{ColliderSetup, ColliderShape};
use super::vec_util::sanitize_shape;
use crate::math::{Frame, Quatx4, Trs, Vec3x4, for_each_lane, from_lanes};
use crate::rig::{BoneId, Skeleton};
use glam::{Quat, Vec3, Vec4};

/// Parent index of a bone without a parent.
pub(crate) const NO_PARENT: u32 = u32::MAX;

/// A baked collider.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ColliderRuntime {
    pub bone: u32,
    pub shape: ColliderShape,
    pub enabled: bool,
    /// Whether the linked renderer is visible.
    pub renderer_on: bool,
}

impl ColliderRuntime {
    /// Creates a collider with sanitized values.
    pub(super) fn new(setup: &ColliderSetup) -> Self {
        let ColliderSetup { bone, shape, enabled, renderer_on } = *setup;
        Self { bone: bone.0, shape: sanitize_shape(shape), enabled, renderer_on }
    }
}

/// The pose during a step. A solver writes the rotation and frame of a bone, then refreshes the bone's descendants.
#[derive(Debug)]
pub struct StepPose<'a> {
    /// Index of the parent of each bone, or [`NO_PARENT`].
    pub(super) parents: &'a [u32],
    /// Local transforms, from the animation and from joints that were already solved.
    pub(super) pose: &'a mut [Trs],
    /// World frames. A frame is valid once all ancestors of its bone are solved.
    pub(super) frames: &'a mut [Frame],
    /// Colliders of the system.
    pub(super) colliders: &'a [ColliderRuntime],
    /// Forces of the system.
    pub(super) forces: &'a [ForceRuntime],
    /// Camera position in the world, in metres; `None` if unknown.
    pub(super) viewer: Option<Vec3>,
    /// Records why the tips of the system move, if somebody reads the records.
    pub(super) probe: Option<Probe<'a>>,
}

/// The pose of the character between two steps.
#[derive(Clone, Copy, Debug)]
pub struct PosedScene<'a> {
    /// World frames; all are valid.
    pub(super) frames: &'a [Frame],
    /// Colliders of the system.
    pub(super) colliders: &'a [ColliderRuntime],
}

impl PosedScene<'_> {
    /// Returns a collider and the frame of its bone.
    pub(super) fn collider(&self, at: u32) -> (&ColliderRuntime, &Frame) {
        let collider = &self.colliders[at as usize];
        (collider, &self.frames[collider.bone as usize])
    }
}

/// The parent frames of a batch of bones.
#[derive(Clone, Copy, Debug)]
pub struct ParentFrames<'a> {
    /// Frames of the parents.
    pub frames: [&'a Frame; 4],
    /// Rotations of the parents.
    pub rotation: Quatx4,
    /// Heads of the bones in the world, in metres.
    pub head: Vec3x4,
    /// Which parents are scaled.
    pub scaled: [bool; 4],
}

impl StepPose<'_> {
    /// Returns the same pose with the colliders and forces of a system.
    pub(super) fn with_objects<'a>(
        &'a mut self,
        colliders: &'a [ColliderRuntime],
        forces: &'a [ForceRuntime],
    ) -> StepPose<'a> {
        let StepPose { parents, pose, frames, viewer, probe, .. } = self;
        StepPose { parents, pose, frames, colliders, forces, viewer: *viewer, probe: *probe }
    }

    /// Returns the frame of a parent.
    #[inline]
    pub fn parent_frame(&self, parent: u32) -> &Frame {
        // `NO_PARENT` is out of range, so it yields the world.
        self.frames.get(parent as usize).unwrap_or(&Frame::WORLD)
    }

    /// Returns the parent frames of a batch. These frames must be valid.
    #[inline(always)]
    pub fn parent_frames(&self, bones: [u32; 4], parents: [u32; 4]) -> ParentFrames<'_> {
        let frames = from_lanes(|lane| self.parent_frame(parents[lane]));
        let offsets = from_lanes(|lane| self.pose[bones[lane] as usize].translation);
        let parent = Quatx4::from_lanes(|lane| frames[lane].rotation);
        let mut head = Vec3x4::from_lanes(|lane| frames[lane].position) + parent * Vec3x4::new(offsets);
        let scaled = from_lanes(|lane| frames[lane].scaled);
        if scaled != [false; 4] {
            head = head.replace_lanes(scaled, move |lane, _| frames[lane].transform_point(offsets[lane]));
        }
        ParentFrames { frames, rotation: parent, head, scaled }
    }

    /// Sets the rotation of a bone: `local` relative to its parent, `world` in world space, with the head at `head`.
    #[inline(always)]
    pub fn set_rotation(&mut self, bone: u32, parent: u32, head: Vec3, local: Quat, world: Quat) {
        if self.is_scaled(bone, parent) {
            self.pose[bone as usize].rotation = local;
            self.frames[bone as usize] = self.parent_frame(parent).child_at(&self.pose[bone as usize], head);
        } else {
            self.set_unscaled_rotation(bone, head, local, world);
        }
    }

    /// Works like [`StepPose::set_rotation`] if neither the bone nor its parent is scaled.
    #[inline(always)]
    pub fn set_unscaled_rotation(&mut self, bone: u32, head: Vec3, local: Quat, world: Quat) {
        self.pose[bone as usize].rotation = local;
        self.frames[bone as usize].set_unscaled(world, head);
    }

    /// Returns whether the bone is scaled. The frame of its parent must be valid.
    #[inline]
    pub fn is_scaled(&self, bone: u32, parent: u32) -> bool {
        self.parent_frame(parent).scaled || self.pose[bone as usize].scale != Vec3::ONE
    }

    /// Recomputes the frame of a bone from its parent's frame.
    #[inline]
    pub fn refresh(&mut self, bone: u32) {
        let parent = self.parent_frame(self.parents[bone as usize]);
        let local = &self.pose[bone as usize];
        if parent.scaled || local.scale != Vec3::ONE {
            self.frames[bone as usize] = parent.child(local);
        } else {
            let (rotation, position) = (parent.rotation * local.rotation, parent.transform_point(local.translation));
            self.frames[bone as usize].set_unscaled(rotation, position);
        }
    }

    /// Calls [`StepPose::refresh`] for each bone. Parents must come first.
    #[inline]
    pub fn refresh_all(&mut self, bones: &[u32]) {
        for bone in bones {
            self.refresh(*bone);
        }
    }

    /// Works like [`StepPose::refresh`] for a batch of bones. No bone may be an ancestor of another; bones may repeat.
    #[inline(always)]
    pub fn refresh_batch(&mut self, bones: [u32; 4], parents: [u32; 4]) {
        let ParentFrames { rotation: parent, head, scaled, .. } = self.parent_frames(bones, parents);
        let rotation = parent * Quatx4::from_lanes(|lane| self.pose[bones[lane] as usize].rotation);
        let scale = Vec3x4::from_lanes(|lane| self.pose[bones[lane] as usize].scale);
        let is_scaled = !(scale.x.cmpeq(Vec4::ONE) & scale.y.cmpeq(Vec4::ONE) & scale.z.cmpeq(Vec4::ONE));
        let (is_scaled, rotation, position) = (is_scaled.bitmask(), rotation.to_array(), head.to_array());
        for_each_lane(|lane| {
            if is_scaled >> lane & 1 != 0 || scaled[lane] {
                self.refresh(bones[lane]);
            } else {
                self.frames[bones[lane] as usize].set_unscaled(rotation[lane], position[lane]);
            }
        });
    }
}

/// Returns the parent index of each bone.
pub(super) fn parent_indices(skeleton: &Skeleton) -> Vec<u32> {
    skeleton.bones().iter().map(|b| b.parent.map_or(NO_PARENT, |p: BoneId| p.0)).collect()
}
