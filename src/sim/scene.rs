//! What a solver sees of the character during one step, and between two.

use super::setup::ColliderSetup;
use super::shape::Shape;
use super::tidy::finite_shape;
use super::wind::ForceRest;
use crate::math::{Frame, Quatx4, Trs, Vec3x4, each_lane, lanes};
use crate::rig::{BoneId, Skeleton};
use glam::{Vec3, Vec4};

/// No bone: the world itself.
pub(in crate::sim) const WORLD: u32 = u32::MAX;

/// A shape on a bone, ready for the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ColliderRest {
    /// Position of its bone.
    pub bone: u32,
    /// What it is.
    pub shape: Shape,
    /// Its own switch.
    pub enabled: bool,
    /// Whether the renderer that it is linked to draws.
    pub renderer_on: bool,
}

impl ColliderRest {
    /// With numbers that arithmetic survives.
    pub(super) fn new(setup: &ColliderSetup) -> Self {
        let ColliderSetup { bone, shape, enabled, renderer_on } = *setup;
        Self { bone: bone.0, shape: finite_shape(shape), enabled, renderer_on }
    }
}

/// The pose being solved. A solver writes a bone's rotation and frame and refreshes what hangs below it.
#[derive(Debug)]
pub struct Scene<'a> {
    /// Position of each bone's parent, or [`WORLD`].
    pub(super) parents: &'a [u32],
    /// Local transforms: animation, and what was solved before.
    pub(super) pose: &'a mut [Trs],
    /// World frames, up to date for every bone whose ancestors are solved.
    pub(super) frames: &'a mut [Frame],
    /// All shapes of the system.
    pub(super) colliders: &'a [ColliderRest],
    /// All that blows and pulls.
    pub(super) forces: &'a [ForceRest],
    /// Where the viewer stands, metres in the world; `None` where nobody told.
    pub(super) viewer: Option<Vec3>,
}

/// The character between two steps.
#[derive(Clone, Copy, Debug)]
pub struct Still<'a> {
    /// World frames, all up to date.
    pub(super) frames: &'a [Frame],
    /// All shapes of the system.
    pub(super) colliders: &'a [ColliderRest],
}

/// A tip within, or just touching, something solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// Position in [`SystemSetup::colliders`](super::SystemSetup::colliders); `None` for the ground.
    pub collider: Option<u32>,
    /// How deep, metres; 0 for a mere touch.
    pub depth: f32,
    /// Where on the surface, in the world.
    pub point: Vec3,
}

impl Scene<'_> {
    /// The frame that a bone hangs in.
    #[inline]
    pub fn parent_frame(&self, parent: u32) -> &Frame {
        // `WORLD` is beyond every bone.
        self.frames.get(parent as usize).unwrap_or(&Frame::WORLD)
    }

    /// The rotations of four bones' parents, and where the bones' origins hang on them, metres in the world.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "four values at once are for registers")]
    pub fn hang(&self, bones: [u32; 4], parents: [u32; 4]) -> (Quatx4, Vec3x4) {
        let frames = lanes(|lane| self.parent_frame(parents[lane]));
        let offsets = lanes(|lane| self.pose[bones[lane] as usize].translation);
        let rotation = Quatx4::new(lanes(|lane| frames[lane].rotation));
        let position = Vec3x4::new(lanes(|lane| frames[lane].position)) + rotation * Vec3x4::new(offsets);
        let is_scaled = frames[0].scaled || frames[1].scaled || frames[2].scaled || frames[3].scaled;
        if !is_scaled {
            return (rotation, position);
        }
        let each = position.each();
        let point = |lane: usize| if frames[lane].scaled { frames[lane].point(offsets[lane]) } else { each[lane] };
        (rotation, Vec3x4::new(lanes(point)))
    }

    /// Recomputes one bone's frame from its parent's.
    #[inline]
    pub fn refresh(&mut self, bone: u32) {
        let parent = self.parent_frame(self.parents[bone as usize]);
        let local = &self.pose[bone as usize];
        if parent.scaled || local.scale != Vec3::ONE {
            self.frames[bone as usize] = parent.child(local);
        } else {
            let (rotation, position) = (parent.rotation * local.rotation, parent.point(local.translation));
            self.frames[bone as usize].place(rotation, position);
        }
    }

    /// The same for four bones of which none hangs on another, by their parents; a bone may be named twice.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "four values at once are for registers")]
    pub fn refresh_four(&mut self, bones: [u32; 4], parents: [u32; 4]) {
        let (above, position) = self.hang(bones, parents);
        let rotation = above * Quatx4::new(lanes(|lane| self.pose[bones[lane] as usize].rotation));
        let scale = Vec3x4::new(lanes(|lane| self.pose[bones[lane] as usize].scale));
        let is_scaled = !(scale.x.cmpeq(Vec4::ONE) & scale.y.cmpeq(Vec4::ONE) & scale.z.cmpeq(Vec4::ONE));
        let (is_scaled, rotation, position) = (is_scaled.bitmask(), rotation.each(), position.each());
        each_lane(|lane| {
            if is_scaled >> lane & 1 != 0 || self.parent_frame(parents[lane]).scaled {
                self.refresh(bones[lane]);
            } else {
                self.frames[bones[lane] as usize].place(rotation[lane], position[lane]);
            }
        });
    }
}

/// Position of each bone's parent.
pub(super) fn parents(skeleton: &Skeleton) -> Vec<u32> {
    skeleton.bones().iter().map(|b| b.parent.map_or(WORLD, |p: BoneId| p.0)).collect()
}
