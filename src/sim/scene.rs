//! What a solver sees of the character during one step, and between two.

use super::setup::ColliderSetup;
use super::shape::ColliderShape;
use super::vec_util::sanitize_shape;
use super::wind::ForceRuntime;
use crate::math::{Frame, Quatx4, Trs, Vec3x4, for_each_lane, from_lanes};
use crate::rig::{BoneId, Skeleton};
use glam::{Quat, Vec3, Vec4};

/// No bone: the world itself.
pub(in crate::sim) const NO_PARENT: u32 = u32::MAX;

/// A shape on a bone, ready for the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ColliderRuntime {
    /// Position of its bone.
    pub bone: u32,
    /// What it is.
    pub shape: ColliderShape,
    /// Its own switch.
    pub enabled: bool,
    /// Whether the renderer that it is linked to draws.
    pub renderer_on: bool,
}

impl ColliderRuntime {
    /// With numbers that arithmetic survives.
    pub(super) fn new(setup: &ColliderSetup) -> Self {
        let ColliderSetup { bone, shape, enabled, renderer_on } = *setup;
        Self { bone: bone.0, shape: sanitize_shape(shape), enabled, renderer_on }
    }
}

/// The pose being solved. A solver writes a bone's rotation and frame and refreshes what hangs below it.
#[derive(Debug)]
pub struct Scene<'a> {
    /// Position of each bone's parent, or [`NO_PARENT`].
    pub(super) parents: &'a [u32],
    /// Local transforms: animation, and what was solved before.
    pub(super) pose: &'a mut [Trs],
    /// World frames, up to date for every bone whose ancestors are solved.
    pub(super) frames: &'a mut [Frame],
    /// All shapes of the system.
    pub(super) colliders: &'a [ColliderRuntime],
    /// All that blows and pulls.
    pub(super) forces: &'a [ForceRuntime],
    /// Where the viewer stands, metres in the world; `None` where nobody told.
    pub(super) viewer: Option<Vec3>,
}

/// The character between two steps.
#[derive(Clone, Copy, Debug)]
pub struct PosedScene<'a> {
    /// World frames, all up to date.
    pub(super) frames: &'a [Frame],
    /// All shapes of the system.
    pub(super) colliders: &'a [ColliderRuntime],
}

impl PosedScene<'_> {
    /// A collider by its position, and the frame of its bone.
    pub(super) fn collider(&self, at: u32) -> (&ColliderRuntime, &Frame) {
        let collider = &self.colliders[at as usize];
        (collider, &self.frames[collider.bone as usize])
    }
}

/// Where four bones hang.
#[derive(Clone, Copy, Debug)]
pub struct ParentFrames<'a> {
    /// Their parents' frames.
    pub frames: [&'a Frame; 4],
    /// The rotations of those.
    pub rotation: Quatx4,
    /// The bones' own origins, metres in the world.
    pub head: Vec3x4,
    /// Which parents' points are more than rotated and moved.
    pub scaled: [bool; 4],
}

impl Scene<'_> {
    /// The frame that a bone hangs in.
    #[inline]
    pub fn parent_frame(&self, parent: u32) -> &Frame {
        // `WORLD` is beyond every bone.
        self.frames.get(parent as usize).unwrap_or(&Frame::WORLD)
    }

    /// Four bones as they hang on their parents, whose frames are up to date.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "four values at once are for registers")]
    pub fn parent_frames(&self, bones: [u32; 4], parents: [u32; 4]) -> ParentFrames<'_> {
        let frames = from_lanes(|lane| self.parent_frame(parents[lane]));
        let offsets = from_lanes(|lane| self.pose[bones[lane] as usize].translation);
        let parent = Quatx4::new(from_lanes(|lane| frames[lane].rotation));
        let mut head = Vec3x4::new(from_lanes(|lane| frames[lane].position)) + parent * Vec3x4::new(offsets);
        let scaled = from_lanes(|lane| frames[lane].scaled);
        if scaled != [false; 4] {
            head = head.replace_lanes(scaled, move |lane, _| frames[lane].transform_point(offsets[lane]));
        }
        ParentFrames { frames, rotation: parent, head, scaled }
    }

    /// Gives a bone a rotation, `local` in its parent's space and `world` in the world, where its origin is at `head`.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "as for `hang`")]
    pub fn set_rotation(&mut self, bone: u32, parent: u32, head: Vec3, local: Quat, world: Quat) {
        if self.is_scaled(bone, parent) {
            self.pose[bone as usize].rotation = local;
            self.frames[bone as usize] = self.parent_frame(parent).child_at(&self.pose[bone as usize], head);
        } else {
            self.set_unscaled_rotation(bone, head, local, world);
        }
    }

    /// As `OverlayScene::set_rotation`, where neither the bone nor its parent is scaled.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "as for `hang`")]
    pub fn set_unscaled_rotation(&mut self, bone: u32, head: Vec3, local: Quat, world: Quat) {
        self.pose[bone as usize].rotation = local;
        self.frames[bone as usize].set_unscaled(world, head);
    }

    /// Whether points of a bone are more than rotated and moved; its parent's frame is up to date.
    #[inline]
    pub fn is_scaled(&self, bone: u32, parent: u32) -> bool {
        self.parent_frame(parent).scaled || self.pose[bone as usize].scale != Vec3::ONE
    }

    /// Recomputes one bone's frame from its parent's.
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

    /// The same for four bones of which none hangs on another, by their parents; a bone may be named twice.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "four values at once are for registers")]
    pub fn refresh_batch(&mut self, bones: [u32; 4], parents: [u32; 4]) {
        let ParentFrames { rotation: parent, head, scaled, .. } = self.parent_frames(bones, parents);
        let rotation = parent * Quatx4::new(from_lanes(|lane| self.pose[bones[lane] as usize].rotation));
        let scale = Vec3x4::new(from_lanes(|lane| self.pose[bones[lane] as usize].scale));
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

/// Position of each bone's parent.
pub(super) fn parent_indices(skeleton: &Skeleton) -> Vec<u32> {
    skeleton.bones().iter().map(|b| b.parent.map_or(NO_PARENT, |p: BoneId| p.0)).collect()
}
