use crate::math::Trs;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use thiserror::Error;

/// A bone of a [`Skeleton`]; valid for the skeleton it came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BoneId(pub u32);

impl BoneId {
    /// Position in the skeleton's arrays.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A named transform of the file, or a helper that Yuremono adds.
#[derive(Clone, Debug, PartialEq)]
pub struct Bone {
    /// As written in the file; not necessarily unique.
    pub name: String,
    /// `None` for a bone that hangs in the world.
    pub parent: Option<BoneId>,
    /// Local transform as authored.
    pub rest: Trs,
}

/// Why bones make no skeleton.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum SkeletonError {
    /// A bone comes before its parent, or is its own ancestor.
    #[error("bone {index} \"{name}\" stands before its parent")]
    ParentAfterChild {
        /// Position of the bone.
        index: usize,
        /// Its name.
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
    /// Bones must stand after their parents.
    pub fn new(bones: Vec<Bone>) -> Result<Self, SkeletonError> {
        let mut children = vec![Vec::new(); bones.len()];
        let mut by_name: HashMap<String, Vec<BoneId>> = HashMap::new();
        for (index, bone) in bones.iter().enumerate() {
            if let Some(parent) = bone.parent {
                if parent.index() >= index {
                    return Err(SkeletonError::ParentAfterChild { index, name: bone.name.clone() });
                }
                children[parent.index()].push(BoneId(index as u32));
            }
            by_name.entry(bone.name.clone()).or_default().push(BoneId(index as u32));
        }
        Ok(Self { bones, children, by_name })
    }

    /// A copy with one more bone at the end.
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

    /// How many bones.
    pub fn len(&self) -> usize {
        self.bones.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.bones.is_empty()
    }

    /// All ids, parents first.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = BoneId> + use<> {
        (0..self.bones.len() as u32).map(BoneId)
    }

    /// All bones, parents first.
    pub fn bones(&self) -> &[Bone] {
        &self.bones
    }

    /// One bone.
    pub fn bone(&self, id: BoneId) -> &Bone {
        &self.bones[id.index()]
    }

    /// Its name; empty for a bone that this skeleton does not have.
    pub fn name(&self, id: BoneId) -> &str {
        self.bones.get(id.index()).map_or("", |b| b.name.as_str())
    }

    /// Its parent.
    pub fn parent(&self, id: BoneId) -> Option<BoneId> {
        self.bones[id.index()].parent
    }

    /// As [`Skeleton::parent`], and `None` for a bone that this skeleton does not have.
    pub fn get_parent(&self, id: BoneId) -> Option<BoneId> {
        self.bones.get(id.index()).and_then(|b| b.parent)
    }

    /// As [`Skeleton::is_ancestor`], and `false` for bones that this skeleton does not have.
    pub fn is_known_ancestor(&self, ancestor: BoneId, id: BoneId) -> bool {
        std::iter::successors(self.get_parent(id), |id| self.get_parent(*id)).any(|a| a == ancestor)
    }

    /// Its children in file order.
    pub fn children(&self, id: BoneId) -> &[BoneId] {
        &self.children[id.index()]
    }

    /// Bones without parent.
    pub fn roots(&self) -> impl Iterator<Item = BoneId> + '_ {
        self.ids().filter(|id| self.parent(*id).is_none())
    }

    /// The bone of that exact name; the last in depth-first order where several share it, as Unity's importers do.
    pub fn find(&self, name: &str) -> Option<BoneId> {
        self.by_name.get(name).and_then(|ids| ids.last().copied())
    }

    /// Every bone of that exact name.
    pub fn find_all(&self, name: &str) -> &[BoneId] {
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }

    /// How many ancestors.
    pub fn depth(&self, id: BoneId) -> usize {
        self.ancestors(id).count()
    }

    /// Parent, grandparent and so on.
    pub fn ancestors(&self, id: BoneId) -> impl Iterator<Item = BoneId> + '_ {
        std::iter::successors(self.parent(id), |id| self.parent(*id))
    }

    /// Whether `ancestor` is above `id`.
    pub fn is_ancestor(&self, ancestor: BoneId, id: BoneId) -> bool {
        self.ancestors(id).any(|a| a == ancestor)
    }

    /// `id` and everything below it, parents first.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn bone(name: &str, parent: Option<u32>) -> Bone {
        Bone { name: name.to_owned(), parent: parent.map(BoneId), rest: Trs::IDENTITY }
    }

    #[test]
    fn a_bone_before_its_parent_is_rejected() {
        let err = Skeleton::new(vec![bone("a", Some(1)), bone("b", None)]).expect_err("a stands first");
        assert_eq!(err.to_string(), "bone 0 \"a\" stands before its parent");
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
