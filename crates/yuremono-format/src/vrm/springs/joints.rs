//! Converts the joints of a chain to the VRM version of the file: paths for VRM 1.0, whole trees for VRM 0.x.

use super::{ROUNDING_TOLERANCE, SpringsBuilder};
use crate::vrm::fields::{bones_message, tree_tail};
use crate::vrm::{VrmJointTail, VrmSpringJoint, VrmVersion};
use glam::Vec3;
use std::collections::{BTreeMap, BTreeSet};
use yuremono_model::document::{Chain, ChainId, Joint, Tip};
use yuremono_sim::SwingLimit;
use yuremono_sim::diagnostics::{excerpt, message};
use yuremono_sim::rig::BoneId;
use yuremono_sim::solver::vrm::{DRAG, GRAVITY_DIR, GRAVITY_POWER, HIT_RADIUS, LEAF_LENGTH, STIFFNESS};

impl SpringsBuilder<'_> {
    pub(super) fn build_paths(&mut self, chain: &Chain) -> Vec<Vec<VrmSpringJoint>> {
        let mut paths: Vec<Vec<VrmSpringJoint>> = Vec::new();
        for ((at, joint), position) in
            chain.joints.iter().enumerate().zip(chain.curve_positions(&self.character.skeleton))
        {
            if !self.has_bone(joint.bone) {
                self.warn(message!(
                    "a joint of \"{name}\" is on a bone that this file lacks; the joint is left out",
                    name = excerpt(&chain.name)
                ));
                continue;
            }
            if !joint.enabled {
                let name = self.bone_label(joint.bone);
                self.warn(message!(
                    "bone \"{name}\" is disabled here; VRM cannot disable joints, so it will move",
                    name
                ));
            }
            let Some(made) = self.build_joint(chain, at, position) else { continue };
            let continues = |path: &Vec<VrmSpringJoint>| {
                self.springs.version == VrmVersion::V0
                    || path.last().is_some_and(|last| last.tail_bone() == Some(made.bone))
            };
            match paths.iter_mut().find(|path| continues(path)) {
                Some(path) => path.push(made),
                None => paths.push(vec![made]),
            }
        }
        paths
    }

    /// Completes the joints to whole trees, because VRM 0.x moves all descendants of a root that belong to no other
    /// chain. The joints are in the order in which the loader reads them.
    pub(super) fn build_trees(
        &mut self,
        id: ChainId,
        name: &str,
        made: &[VrmSpringJoint],
        owners: &BTreeMap<BoneId, ChainId>,
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
                open.extend(skeleton.children(bone).iter().rev());
                let Some(tail) = tree_tail(skeleton, bone) else { continue };
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
        let bent_message = message!("has a different tail in VRM 0.x: its first child, or 7 cm further at a leaf");
        for (bones, what) in [
            (more, message!("will move with \"{name}\": VRM 0.x moves all bones below a root", name)),
            (bent, bent_message),
        ] {
            if let Some(message) = bones_message(skeleton, &bones, what) {
                self.warn(message);
            }
        }
        trees
    }

    fn build_joint(&mut self, chain: &Chain, at: usize, position: f32) -> Option<VrmSpringJoint> {
        let joint = &chain.joints[at];
        let value = |param| chain.joint_value(at, param, position);
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
                self.warn(message!(
                    "bone \"{name}\" has no bone at its tail; VRM 1.0 needs one, so the joint is left out",
                    name
                ));
                return None;
            }
        };
        let was = self.file_springs.and_then(|file| {
            let joints = file.chains.iter().flat_map(|chain| &chain.joints);
            joints.into_iter().find(|was| was.bone == joint.bone && chain.source_index.is_some())
        });
        let number = |param, was_of: fn(&VrmSpringJoint) -> f32| {
            let now = value(param);
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

    fn build_limit(&mut self, joint: &Joint) -> Option<SwingLimit> {
        let limit = joint.limit?;
        if self.springs.version == VrmVersion::V1 {
            return Some(limit);
        }
        let name = self.bone_label(joint.bone);
        self.warn(message!("VRM 0.x has no limits; the limit of bone \"{name}\" is left out", name));
        None
    }
}

/// Whether two numbers are equal within [`ROUNDING_TOLERANCE`].
fn is_nearly_equal(a: f32, b: f32) -> bool {
    (a - b).abs() <= ROUNDING_TOLERANCE * a.abs().max(b.abs())
}
