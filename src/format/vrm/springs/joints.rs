//! The joints of a chain as a file of the version has them: paths, or whole trees.

use super::{ROUNDING_TOLERANCE, SpringsBuilder};
use crate::document::Tip;
use crate::format::vrm::{VrmJointTail, VrmSpringJoint, VrmVersion};
use crate::rig::BoneId;
use crate::sim::SwingLimit;
use crate::sim::solver::vrm::{DRAG, GRAVITY_DIR, GRAVITY_POWER, HIT_RADIUS, LEAF_LENGTH, STIFFNESS};
use glam::Vec3;
use std::collections::{BTreeMap, BTreeSet};

impl SpringsBuilder<'_> {
    /// The joints that move, in lists of one chain each: VRM 1.0 knows no forks, VRM 0.x whole trees.
    pub(super) fn build_paths(
        &mut self,
        id: crate::document::ChainId,
        chain: &crate::document::Chain,
    ) -> Vec<Vec<VrmSpringJoint>> {
        let mut paths: Vec<Vec<VrmSpringJoint>> = Vec::new();
        for (at, joint) in chain.joints.iter().enumerate() {
            if joint.bone.index() >= self.character.skeleton.len() {
                self.warn(format!("a joint of \"{}\" is on a bone that this file lacks; it is left out", chain.name));
                continue;
            }
            if !joint.enabled {
                let name = self.bone_label(joint.bone);
                self.warn(format!("bone \"{name}\" is off here; VRM has no such switch, so it will move"));
            }
            let place = self.joint_positions[&id].get(at).copied().unwrap_or(0.0);
            let Some(made) = self.build_joint(chain, at, place) else { continue };
            let continues = |path: &Vec<VrmSpringJoint>| {
                self.springs.version == VrmVersion::V0
                    || path.last().is_some_and(|last| last.tail == VrmJointTail::Bone(made.bone))
            };
            match paths.iter_mut().find(|path| continues(path)) {
                Some(path) => path.push(made),
                None => paths.push(vec![made]),
            }
        }
        paths
    }

    /// VRM 0.x moves whole trees: all that is below a root and no other chain's, in the order in which files are read.
    pub(super) fn build_trees(
        &mut self,
        id: crate::document::ChainId,
        name: &str,
        made: &[VrmSpringJoint],
        owners: &BTreeMap<BoneId, crate::document::ChainId>,
    ) -> Vec<Vec<VrmSpringJoint>> {
        let skeleton = &self.character.skeleton;
        let own: BTreeMap<BoneId, &VrmSpringJoint> = made.iter().map(|joint| (joint.bone, joint)).collect();
        let (mut trees, mut seen) = (Vec::new(), BTreeSet::new());
        let (mut more, mut bent) = (Vec::new(), Vec::new());
        for root in made {
            let (mut tree, mut open) = (Vec::new(), vec![root.bone]);
            while let Some(bone) = open.pop() {
                if owners.get(&bone).is_some_and(|owner| *owner != id) || !seen.insert(bone) {
                    continue;
                }
                let children = skeleton.children(bone);
                open.extend(children.iter().rev());
                let leaf = || {
                    skeleton
                        .bone(bone)
                        .rest
                        .translation
                        .try_normalize()
                        .map(|way| VrmJointTail::Offset(way * LEAF_LENGTH))
                };
                let Some(tail) = children.first().map(|child| VrmJointTail::Bone(*child)).or_else(leaf) else {
                    continue;
                };
                match own.get(&bone) {
                    Some(joint) if joint.tail != tail => bent.push(bone),
                    Some(_) => {}
                    None => more.push(bone),
                }
                let numbers = own.get(&bone).copied().unwrap_or(root);
                tree.push(VrmSpringJoint { bone, tail, limit: None, ..*numbers });
            }
            if !tree.is_empty() {
                trees.push(tree);
            }
        }
        self.warn_bones(&more, &format!("will move with \"{name}\": VRM 0.x moves all bones below a root"));
        self.warn_bones(&bent, "ends otherwise in VRM 0.x: at its first child, or 7 cm further at a leaf");
        trees
    }

    /// One message for all of them.
    fn warn_bones(&mut self, bones: &[BoneId], what: &str) {
        /// More names than these help nobody.
        const MAX_LISTED_BONES: usize = 12;
        if bones.is_empty() {
            return;
        }
        let names: Vec<_> =
            bones.iter().take(MAX_LISTED_BONES).map(|bone| format!("\"{}\"", self.bone_label(*bone))).collect();
        let others = bones.len().saturating_sub(MAX_LISTED_BONES);
        let rest = if others > 0 { format!(" and {others} more") } else { String::new() };
        self.warn(format!("{}{rest}: {what}", names.join(", ")));
    }

    fn build_joint(&mut self, chain: &crate::document::Chain, at: usize, place: f32) -> Option<VrmSpringJoint> {
        let joint = &chain.joints[at];
        let value = |row| chain.joint_value(at, row, place);
        let children = self.character.skeleton.children(joint.bone);
        let tail = match (&joint.tip, self.springs.version) {
            (Tip::Bone(bone), _) => VrmJointTail::Bone(*bone),
            (Tip::Children, _) if !children.is_empty() => VrmJointTail::Bone(children[0]),
            (Tip::Offset(offset), VrmVersion::V0) => VrmJointTail::Offset(*offset),
            (Tip::Children, VrmVersion::V0) => VrmJointTail::Offset(
                self.character.skeleton.bone(joint.bone).rest.translation.normalize_or_zero() * LEAF_LENGTH,
            ),
            (Tip::Offset(_) | Tip::Children, VrmVersion::V1) => {
                let name = self.bone_label(joint.bone);
                self.warn(format!("bone \"{name}\" ends at no bone; VRM 1.0 needs one there, so it is left out"));
                return None;
            }
        };
        let was = self.file_springs.and_then(|file| {
            let joints = file.chains.iter().flat_map(|chain| &chain.joints);
            joints.into_iter().find(|was| was.bone == joint.bone && chain.source_index.is_some())
        });
        let number = |row, was_of: fn(&VrmSpringJoint) -> f32| {
            let now = value(row);
            was.map(was_of).filter(|was| is_nearly_equal(*was, now)).unwrap_or(now)
        };
        let dir = Vec3::from(GRAVITY_DIR.map(value));
        let old_dir =
            was.map(|was| was.gravity_dir).filter(|was| was.abs_diff_eq(dir, ROUNDING_TOLERANCE * dir.length()));
        Some(VrmSpringJoint {
            bone: joint.bone,
            tail,
            hit_radius: number(HIT_RADIUS, |was| was.hit_radius),
            stiffness: number(STIFFNESS, |was| was.stiffness),
            gravity_power: number(GRAVITY_POWER, |was| was.gravity_power),
            gravity_dir: old_dir.unwrap_or(dir),
            drag: number(DRAG, |was| was.drag),
            limit: self.build_limit(joint),
        })
    }

    fn build_limit(&mut self, joint: &crate::document::Joint) -> Option<SwingLimit> {
        let limit = joint.limit?;
        if self.springs.version == VrmVersion::V1 {
            return Some(limit);
        }
        let name = self.bone_label(joint.bone);
        self.warn(format!("VRM 0.x has no limits; that of bone \"{name}\" is left out"));
        None
    }
}

/// Whether two numbers are one up to rounding.
fn is_nearly_equal(a: f32, b: f32) -> bool {
    (a - b).abs() <= ROUNDING_TOLERANCE * a.abs().max(b.abs())
}
