//! Skeletons and their poses.

use crate::math::{Frame, Trs};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use thiserror::Error;

/// Index of a bone in its skeleton.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BoneId(pub u32);

impl BoneId {
    /// Returns the index into arrays with one entry per bone.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A bone of the file, or a helper node of Yuremono.
#[derive(Clone, Debug, PartialEq)]
pub struct Bone {
    /// Name in the file. Names need not be unique.
    pub name: String,
    /// `None` for root bones.
    pub parent: Option<BoneId>,
    /// Local transform in the rest pose.
    pub rest: Trs,
}

/// Why a list of bones is not a valid skeleton.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum SkeletonError {
    /// A bone is not after its parent in the list.
    #[error("bone {index} \"{name}\" is not after its parent in the list of bones")]
    ParentAfterChild {
        /// Index of the bone.
        index: usize,
        /// Name of the bone.
        name: String,
    },
}

/// Bones, parents before children, in depth-first order of the file's hierarchy.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Skeleton {
    bones: Vec<Bone>,
    children: Vec<Vec<BoneId>>,
    by_name: HashMap<String, Vec<BoneId>>,
}

impl Skeleton {
    /// Creates a skeleton. Fails if a bone is not after its parent.
    pub fn new(bones: Vec<Bone>) -> Result<Self, SkeletonError> {
        let mut skeleton = Self::default();
        bones.into_iter().try_for_each(|bone| skeleton.push(bone).map(drop))?;
        Ok(skeleton)
    }

    /// Adds a bone at the end. Fails if the bone is not after its parent.
    pub fn push(&mut self, bone: Bone) -> Result<BoneId, SkeletonError> {
        let index = self.bones.len();
        let id = BoneId(index as u32);
        if let Some(parent) = bone.parent {
            if parent.index() >= index {
                return Err(SkeletonError::ParentAfterChild { index, name: bone.name });
            }
            self.children[parent.index()].push(id);
        }
        self.by_name.entry(bone.name.clone()).or_default().push(id);
        self.children.push(Vec::new());
        self.bones.push(bone);
        Ok(id)
    }

    /// Returns the number of bones.
    pub fn len(&self) -> usize {
        self.bones.len()
    }

    /// Whether there are no bones.
    pub fn is_empty(&self) -> bool {
        self.bones.is_empty()
    }

    /// Returns all ids, parents first.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = BoneId> + use<> {
        (0..self.bones.len() as u32).map(BoneId)
    }

    /// Returns all bones, parents first.
    pub fn bones(&self) -> &[Bone] {
        &self.bones
    }

    /// Returns a bone. Panics if the skeleton does not have the bone.
    pub fn bone(&self, id: BoneId) -> &Bone {
        &self.bones[id.index()]
    }

    /// Returns the name of a bone, or an empty string if the skeleton does not have the bone.
    pub fn name(&self, id: BoneId) -> &str {
        self.bones.get(id.index()).map_or("", |b| b.name.as_str())
    }

    /// Returns the parent of a bone. Panics if the skeleton does not have the bone.
    pub fn parent(&self, id: BoneId) -> Option<BoneId> {
        self.bones[id.index()].parent
    }

    /// Like [`Skeleton::parent`], but returns `None` if the skeleton does not have the bone.
    pub fn get_parent(&self, id: BoneId) -> Option<BoneId> {
        self.bones.get(id.index()).and_then(|b| b.parent)
    }

    /// Like [`Skeleton::is_ancestor`], but returns `false` if the skeleton does not have the bones.
    pub fn is_known_ancestor(&self, ancestor: BoneId, id: BoneId) -> bool {
        std::iter::successors(self.get_parent(id), |id| self.get_parent(*id)).any(|a| a == ancestor)
    }

    /// Returns the children of a bone in file order.
    pub fn children(&self, id: BoneId) -> &[BoneId] {
        &self.children[id.index()]
    }

    /// Returns the bones without a parent.
    pub fn roots(&self) -> impl Iterator<Item = BoneId> + '_ {
        self.ids().filter(|id| self.parent(*id).is_none())
    }

    /// Returns the bone with exactly this name. If several bones have the name, returns the last bone in depth-first
    /// order, as Unity's importers do.
    pub fn find(&self, name: &str) -> Option<BoneId> {
        self.by_name.get(name).and_then(|ids| ids.last().copied())
    }

    /// Returns all bones with exactly this name.
    pub fn find_all(&self, name: &str) -> &[BoneId] {
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns the number of ancestors.
    pub fn depth(&self, id: BoneId) -> usize {
        self.ancestors(id).count()
    }

    /// Returns the parent, the grandparent and so on.
    pub fn ancestors(&self, id: BoneId) -> impl Iterator<Item = BoneId> + '_ {
        std::iter::successors(self.parent(id), |id| self.parent(*id))
    }

    /// Whether `ancestor` is an ancestor of `id`.
    pub fn is_ancestor(&self, ancestor: BoneId, id: BoneId) -> bool {
        self.ancestors(id).any(|a| a == ancestor)
    }

    /// Returns `id` and all its descendants, parents first.
    pub fn subtree(&self, id: BoneId) -> Vec<BoneId> {
        let mut found = vec![id];
        let mut next = 0;
        while let Some(&bone) = found.get(next) {
            found.extend_from_slice(self.children(bone));
            next += 1;
        }
        found
    }
}

/// The local transform of every bone, in skeleton order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pose {
    /// Indexed by [`BoneId`].
    pub local: Vec<Trs>,
}

impl Pose {
    /// Returns the rest pose.
    pub fn rest(skeleton: &Skeleton) -> Self {
        Self { local: skeleton.bones().iter().map(|b| b.rest).collect() }
    }

    /// Copies `other`. Allocates only if `other` has more bones.
    pub fn copy_from(&mut self, other: &Self) {
        self.local.clone_from(&other.local);
    }

    /// Blends every bone towards `other` by `t` in 0..=1, and writes the result to `out`.
    pub fn lerp_into(&self, other: &Self, t: f32, out: &mut Self) {
        out.local.clear();
        out.local.extend(self.local.iter().zip(&other.local).map(|(a, b)| a.lerp(*b, t)));
    }
}

/// The frame of every bone in world space, in skeleton order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WorldPose {
    /// Indexed by [`BoneId`].
    pub frames: Vec<Frame>,
}

impl WorldPose {
    /// Computes the world frames of a pose.
    pub fn from_pose(skeleton: &Skeleton, pose: &Pose) -> Self {
        let mut world = Self::default();
        world.update(skeleton, pose);
        world
    }

    /// Recomputes every frame. Allocates only if the skeleton has grown.
    pub fn update(&mut self, skeleton: &Skeleton, pose: &Pose) {
        self.frames.resize(skeleton.len(), Frame::WORLD);
        for (index, bone) in skeleton.bones().iter().enumerate() {
            let parent = bone.parent.map_or(Frame::WORLD, |p| self.frames[p.index()]);
            self.frames[index] = parent.child(&pose.local[index]);
        }
    }

    /// Returns the world frame of a bone.
    pub fn frame(&self, bone: BoneId) -> &Frame {
        &self.frames[bone.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bone(name: &str, parent: Option<u32>) -> Bone {
        Bone { name: name.to_owned(), parent: parent.map(BoneId), rest: Trs::IDENTITY }
    }

    #[test]
    fn a_bone_before_its_parent_is_rejected() {
        let err = Skeleton::new(vec![bone("a", Some(1)), bone("b", None)]).expect_err("a is before its parent");
        assert_eq!(err.to_string(), "bone 0 \"a\" is not after its parent in the list of bones");
    }

    #[test]
    fn find_returns_the_last_bone_of_that_name() {
        let s = Skeleton::new(vec![bone("r", None), bone("x", Some(0)), bone("x", Some(0))]).expect("ordered");
        assert_eq!(s.find("x"), Some(BoneId(2)));
        assert_eq!(s.find_all("x").len(), 2);
        assert_eq!(s.subtree(BoneId(0)).len(), 3);
        assert!(s.is_ancestor(BoneId(0), BoneId(2)));
        assert_eq!(s.depth(BoneId(2)), 1);
    }
}
