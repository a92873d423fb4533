//! Migrates springs from VRM 0.x to VRM 1.0 in the same way as UniVRM.
//!
//! VRM 0.x moves whole trees, and VRM 1.0 moves paths. A spring starts at each root and follows the first child of each
//! bone to a leaf. At a branch, the other children are not simulated, and the first child of each starts a new spring.
//! Vectors are converted from Unity's left-handed space. This module does not change a file: `write` stores the result
//! in a VRM 1.0 file or in a file without VRM.

use super::fields::bones_message;
use super::{
    VrmCollider, VrmColliderGroup, VrmColliderShape, VrmJointTail, VrmSpringChain, VrmSpringJoint, VrmSprings,
    VrmVersion,
};
use glam::Vec3;
use std::collections::{HashMap, HashSet};
use yuremono_sim::diagnostics::{Diagnostic, Location, MessageText, excerpt, message};
use yuremono_sim::rig::{BoneId, Facing, Skeleton};

/// Maximum total length of the collider group lists of all migrated springs.
const MAX_GROUP_REFERENCES: usize = 1 << 20;

/// How leaves are migrated. In VRM 0.x, the tail of a leaf is 7 cm further along the bone. VRM 1.0 needs a node at the
/// tail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeafHandling {
    /// Keeps leaves simulated, with a tail offset instead of a node. A document can store the offset, but a VRM 1.0
    /// file cannot.
    KeepSwinging,
    /// Uses a leaf only as the tail of the previous joint, because the file has no node at the tail of the leaf.
    RemoveJoint,
}

/// Returns the springs as VRM 1.0 springs, and diagnostics about losses and missing nodes.
///
/// Bones refer to `skeleton`. `facing` is the current facing of the character: -Z as in the file, or +Z if every node
/// was rotated about Y as in UniVRM. Springs of VRM 1.0 are returned unchanged. Diagnostics refer to `file`.
pub fn to_v1(
    springs: &VrmSprings,
    skeleton: &Skeleton,
    facing: Facing,
    ends: LeafHandling,
    file: &str,
) -> (VrmSprings, Vec<Diagnostic>) {
    if springs.version == VrmVersion::V1 {
        return (springs.clone(), Vec::new());
    }
    let mut moving = Migration { skeleton, facing, leaf_handling: ends, file, diagnostics: Vec::new() };
    let (collider_groups, places) = moving.migrate_groups(springs);
    let mut chains = moving.split_trees(springs, &places);
    moving.migrate_params(&mut chains);
    moving.handle_leaves(&mut chains);
    moving.remove_invalid_centers(&mut chains);
    let collider = |collider: &VrmCollider| {
        let mut shape = collider.shape;
        match &mut shape {
            VrmColliderShape::Sphere { offset, .. } => *offset = apply_facing(*offset, facing),
            VrmColliderShape::Capsule { offset: a, tail: b, .. } | VrmColliderShape::Plane { offset: a, normal: b } => {
                (*a, *b) = (apply_facing(*a, facing), apply_facing(*b, facing));
            }
        }
        VrmCollider { shape, file_index: None, ..*collider }
    };
    let colliders = springs.colliders.iter().map(collider).collect();
    (VrmSprings { version: VrmVersion::V1, chains, colliders, collider_groups }, moving.diagnostics)
}

struct Migration<'m> {
    skeleton: &'m Skeleton,
    facing: Facing,
    leaf_handling: LeafHandling,
    file: &'m str,
    diagnostics: Vec<Diagnostic>,
}

impl Migration<'_> {
    /// Reports one diagnostic about all `bones`, or no diagnostic if the list is empty.
    fn report_bones(&mut self, report: fn(Location, MessageText) -> Diagnostic, bones: &[BoneId], what: MessageText) {
        let message = bones_message(self.skeleton, bones, what);
        self.diagnostics.extend(message.map(|message| report(Location::file(self.file), message)));
    }

    /// Returns the groups that have colliders, and the new index of each old group.
    // Differs from UniVRM, which keeps empty groups although the VRM 1.0 schema forbids them.
    fn migrate_groups(&mut self, springs: &VrmSprings) -> (Vec<VrmColliderGroup>, Vec<Option<usize>>) {
        let (mut groups, mut places) = (Vec::new(), Vec::new());
        for group in &springs.collider_groups {
            places.push((!group.colliders.is_empty()).then_some(groups.len()));
            if !group.colliders.is_empty() {
                groups.push(VrmColliderGroup { file_index: None, ..group.clone() });
            }
        }
        let empty = places.len() - groups.len();
        if empty > 0 {
            let message =
                message!("{empty} collider groups without colliders are left out; VRM 1.0 does not allow them", empty);
            self.diagnostics.push(Diagnostic::info(Location::file(self.file), message));
        }
        (groups, places)
    }

    /// Splits every tree into paths, in the order of UniVRM.
    fn split_trees(&mut self, springs: &VrmSprings, groups: &[Option<usize>]) -> Vec<VrmSpringChain> {
        let (mut chains, mut unsimulated_bones, mut crowded, mut pairs) = (Vec::new(), Vec::new(), Vec::new(), 0);
        for chain in &springs.chains {
            let paths = split_tree_into_paths(chain, self.skeleton, &mut unsimulated_bones);
            let mut named: Vec<_> = chain.collider_groups.iter().filter_map(|g| *groups.get(*g)?).collect();
            // Every path has its own list, so a hostile file with many paths and groups could exhaust the memory.
            pairs += paths.len() * named.len();
            if pairs > MAX_GROUP_REFERENCES {
                crowded.extend(chain.joints.first().map(|joint| joint.bone));
                named.clear();
            }
            chains.extend(paths.into_iter().map(|joints| VrmSpringChain {
                name: chain.name.clone(),
                file_index: None,
                joints,
                collider_groups: named.clone(),
                center: chain.center,
            }));
        }
        self.report_bones(
            Diagnostic::warning,
            &crowded,
            message!("the springs from there do not collide; they have too many collider groups"),
        );
        let what =
            message!("no longer simulated; where a chain branches, UniVRM simulates only the bones below the branch");
        self.report_bones(Diagnostic::warning, &unsimulated_bones, what);
        chains
    }

    /// Converts directions to glTF space and clamps numbers to the ranges of VRM 1.0.
    // Differs from UniVRM, which keeps numbers that the VRM 1.0 schema forbids.
    fn migrate_params(&mut self, chains: &mut [VrmSpringChain]) {
        let (mut lifted, mut held) = (Vec::new(), Vec::new());
        for joint in chains.iter_mut().flat_map(|chain| &mut chain.joints) {
            joint.gravity_dir = apply_facing(unity_to_gltf(joint.gravity_dir), self.facing);
            if let VrmJointTail::Offset(offset) = &mut joint.tail {
                *offset = apply_facing(*offset, self.facing);
            }
            if joint.gravity_power < 0.0 {
                (joint.gravity_power, joint.gravity_dir) = (-joint.gravity_power, Vec3::ZERO - joint.gravity_dir);
                lifted.push(joint.bone);
            }
            let before = (joint.drag, joint.stiffness, joint.hit_radius);
            joint.drag = joint.drag.clamp(0.0, 1.0);
            joint.stiffness = joint.stiffness.max(0.0);
            joint.hit_radius = joint.hit_radius.max(0.0);
            if before != (joint.drag, joint.stiffness, joint.hit_radius) {
                held.push(joint.bone);
            }
        }
        self.report_bones(
            Diagnostic::info,
            &lifted,
            message!("the negative gravityPower is written with the opposite gravityDir"),
        );
        self.report_bones(
            Diagnostic::warning,
            &held,
            message!("dragForce, stiffness or hitRadius is clamped to the range of VRM 1.0"),
        );
    }

    fn handle_leaves(&mut self, chains: &mut Vec<VrmSpringChain>) {
        let mut open = Vec::new();
        for chain in chains.iter_mut() {
            let last = chain.joints.last().filter(|joint| joint.tail_bone().is_none());
            open.extend(last.map(|joint| joint.bone));
            if last.is_some() && self.leaf_handling == LeafHandling::RemoveJoint {
                chain.joints.pop();
            }
        }
        chains.retain(|chain| !chain.joints.is_empty());
        let example = excerpt(open.first().map_or("", |bone| self.skeleton.name(*bone)));
        if self.leaf_handling == LeafHandling::KeepSwinging {
            let what = message!(
                "a VRM 1.0 file needs a node at each tail, such as \"{example}_end\", 7 cm further; without it they cannot be written",
                example
            );
            self.report_bones(Diagnostic::info, &open, what);
        } else {
            let what = message!(
                "no longer simulated; VRM 1.0 needs a node at each tail, such as \"{example}_end\", 7 cm further, which the file lacks",
                example
            );
            self.report_bones(Diagnostic::warning, &open, what);
        }
    }

    /// Removes centers that VRM 1.0 forbids.
    // Differs from UniVRM, which keeps centers that the VRM 1.0 specification forbids.
    fn remove_invalid_centers(&mut self, chains: &mut [VrmSpringChain]) {
        let mut owners: Vec<Option<usize>> = vec![None; self.skeleton.len()];
        for (index, chain) in chains.iter().enumerate() {
            for bone in chain.bones() {
                owners[bone.index()].get_or_insert(index);
            }
        }
        // Indexed by bone: the spring of the bone, or else of its nearest ancestor that is a joint.
        let mut nearest = owners.clone();
        for bone in self.skeleton.ids() {
            let above = self.skeleton.parent(bone).and_then(|parent| nearest[parent.index()]);
            nearest[bone.index()] = owners[bone.index()].or(above);
        }
        let mut lost = Vec::new();
        for (index, chain) in chains.iter_mut().enumerate() {
            let (Some(center), Some(first)) = (chain.center, chain.joints.first()) else { continue };
            let is_above = center == first.bone || self.skeleton.is_known_ancestor(center, first.bone);
            let is_own = owners[center.index()] == Some(index);
            let from = if is_own { self.skeleton.parent(center) } else { Some(center) };
            let mover = from.and_then(|bone| nearest[bone.index()]);
            if !is_above || mover.is_some_and(|mover| mover != index) {
                chain.center = None;
                lost.push(first.bone);
            }
        }
        let what = message!(
            "the springs from there lose their center; VRM 1.0 requires it at or above the first joint and not moved by a spring"
        );
        self.report_bones(Diagnostic::warning, &lost, what);
    }
}

/// Splits a tree into paths. Collects the bones without a joint in `unsimulated_bones`.
fn split_tree_into_paths(
    chain: &VrmSpringChain,
    skeleton: &Skeleton,
    unsimulated_bones: &mut Vec<BoneId>,
) -> Vec<Vec<VrmSpringJoint>> {
    let joints: HashMap<BoneId, &VrmSpringJoint> = chain.joints.iter().map(|joint| (joint.bone, joint)).collect();
    let mut paths: Vec<Vec<VrmSpringJoint>> = Vec::new();
    let mut seen = HashSet::new();
    let Some(root) = chain.joints.first() else { return paths };
    // Each entry contains a bone, the path that leads to the bone, and whether the bone may start a path.
    let mut open = vec![(root.bone, None, true)];
    while let Some((bone, path, may_start)) = open.pop() {
        let Some(joint) = joints.get(&bone).filter(|_| seen.insert(bone)) else { continue };
        let path = path.or_else(|| {
            may_start.then(|| {
                paths.push(Vec::new());
                paths.len() - 1
            })
        });
        match path {
            Some(path) => paths[path].push(**joint),
            None => unsimulated_bones.push(bone),
        }
        let next = joint.tail_bone();
        let others = skeleton.children(bone).iter().rev().filter(|child| Some(**child) != next);
        open.extend(others.map(|child| (*child, None, false)));
        open.extend(next.map(|next| (next, path, true)));
    }
    paths
}

/// Converts a VRM 0.x vector from Unity's left-handed space to glTF space.
fn unity_to_gltf(v: Vec3) -> Vec3 {
    Vec3::new(v.x, v.y, 0.0 - v.z)
}

/// Rotates a vector by 180 degrees about Y if the character faces +Z.
fn apply_facing(v: Vec3, facing: Facing) -> Vec3 {
    match facing {
        Facing::PlusZ => Vec3::new(0.0 - v.x, v.y, 0.0 - v.z),
        Facing::MinusZ => v,
    }
}
