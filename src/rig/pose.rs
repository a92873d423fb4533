use super::{BoneId, Skeleton};
use crate::math::{Frame, Trs};

/// The local transform of every bone, in skeleton order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pose {
    /// Indexed by [`BoneId`].
    pub local: Vec<Trs>,
}

impl Pose {
    /// As authored.
    pub fn rest(skeleton: &Skeleton) -> Self {
        Self { local: skeleton.bones().iter().map(|b| b.rest).collect() }
    }

    /// Makes this pose equal to `other` without giving up its memory.
    pub fn copy_from(&mut self, other: &Self) {
        self.local.clone_from(&other.local);
    }

    /// Blends every bone towards `other` by `t` in 0..=1.
    pub fn lerp_into(&self, other: &Self, t: f32, out: &mut Self) {
        out.local.clear();
        out.local.extend(self.local.iter().zip(&other.local).map(|(a, b)| a.lerp(*b, t)));
    }
}

/// The world frame of every bone, in skeleton order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WorldPose {
    /// Indexed by [`BoneId`].
    pub frames: Vec<Frame>,
}

impl WorldPose {
    /// Walks the whole skeleton.
    pub fn from_pose(skeleton: &Skeleton, pose: &Pose) -> Self {
        let mut world = Self::default();
        world.update(skeleton, pose);
        world
    }

    /// Recomputes every frame in place; allocates only when the skeleton grew.
    pub fn update(&mut self, skeleton: &Skeleton, pose: &Pose) {
        self.frames.resize(skeleton.len(), Frame::WORLD);
        for (index, bone) in skeleton.bones().iter().enumerate() {
            let parent = bone.parent.map_or(Frame::WORLD, |p| self.frames[p.index()]);
            self.frames[index] = parent.child(&pose.local[index]);
        }
    }

    /// The frame of one bone.
    pub fn frame(&self, bone: BoneId) -> &Frame {
        &self.frames[bone.index()]
    }
}
