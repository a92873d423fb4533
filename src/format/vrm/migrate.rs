//! From VRM 0.x to VRM 1.0: the springs that `UniVRM`'s migration makes of a file's.
//!
//! VRM 0.x moves whole trees, VRM 1.0 paths. From each root a spring follows first children to a leaf; where a tree
//! branches, every further child stands still and its own first child begins a new spring. Vectors leave Unity's
//! left-handed space. Changes no file: `write` puts the result into one of VRM 1.0 or of no VRM.

use super::{
    VrmCollider, VrmColliderGroup, VrmColliderShape, VrmJointTail, VrmSpringChain, VrmSpringJoint, VrmSprings,
    VrmVersion,
};
use crate::diagnostics::{Diagnostic, Location, Severity};
use crate::rig::{BoneId, Facing, Skeleton};
use glam::Vec3;
use std::collections::{HashMap, HashSet};

/// Lists of collider groups that trees may hand to their springs, all together.
const MAX_GROUP_REFERENCES: usize = 1 << 20;

/// What becomes of leaves, whose tails VRM 0.x thinks 7 cm further and VRM 1.0 has only where a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeafHandling {
    /// They keep swinging about a point without a node, which a document can hold and a file cannot.
    KeepSwinging,
    /// They only mark the tail of the joint before, as the file has no node for theirs.
    RemoveJoint,
}

/// The same springs in VRM 1.0's terms, and what they lose or still need.
///
/// Bones stay those of `skeleton`, which the springs belong to. `facing` says where its character looks by now: to
/// -Z as the file has it, or to +Z where every node was turned about Y as `UniVRM` does it. Springs of VRM 1.0 come
/// back as they are. Diagnostics name `file`.
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
    let shape = |collider: &VrmCollider| VrmCollider {
        shape: map_shape_vectors(collider.shape, |v| apply_facing(v, facing)),
        file_index: None,
        ..*collider
    };
    let colliders = springs.colliders.iter().map(shape).collect();
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
    /// One finding for all bones that it is true of; none where there are none.
    fn report_bones(&mut self, severity: Severity, bones: &[BoneId], what: &str) {
        /// More names than these help nobody.
        const MAX_LISTED_BONES: usize = 12;
        if bones.is_empty() {
            return;
        }
        let name = |bone: &BoneId| format!("\"{}\"", crate::diagnostics::excerpt(self.skeleton.name(*bone)));
        let mut names = bones.iter().take(MAX_LISTED_BONES).map(name).collect::<Vec<_>>().join(", ");
        if bones.len() > MAX_LISTED_BONES {
            names = format!("{names} and {} more", bones.len() - MAX_LISTED_BONES);
        }
        let (message, place) = (format!("{names}: {what}"), Location::file(self.file));
        self.diagnostics.push(match severity {
            Severity::Info => Diagnostic::info(place, message),
            Severity::Warning | Severity::Error => Diagnostic::warning(place, message),
        });
    }

    /// The groups with a collider, and by old position where they stand now.
    // Differs from UniVRM: it keeps empty groups, which the schema of VRM 1.0 forbids.
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
            let message = format!("{empty} collider groups without colliders are left out; VRM 1.0 has none");
            self.diagnostics.push(Diagnostic::info(Location::file(self.file), message));
        }
        (groups, places)
    }

    /// Every tree as paths, in the order in which `UniVRM` walks.
    fn split_trees(&mut self, springs: &VrmSprings, groups: &[Option<usize>]) -> Vec<VrmSpringChain> {
        let (mut chains, mut still, mut crowded, mut pairs) = (Vec::new(), Vec::new(), Vec::new(), 0);
        for chain in &springs.chains {
            let paths = split_tree_into_paths(chain, self.skeleton, &mut still);
            let mut named: Vec<_> = chain.collider_groups.iter().filter_map(|g| *groups.get(*g)?).collect();
            // Every path gets its own list; a hostile file would make both long.
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
            Severity::Warning,
            &crowded,
            "the springs from there touch nothing; they have too many collider groups",
        );
        let what = "no longer swing by themselves; of the bones that branch off, UniVRM lets only those below swing";
        self.report_bones(Severity::Warning, &still, what);
        chains
    }

    /// Directions in glTF space, and numbers within what VRM 1.0 allows.
    // Differs from UniVRM: it keeps numbers that the schema of VRM 1.0 forbids.
    fn migrate_params(&mut self, chains: &mut [VrmSpringChain]) {
        let (mut lifted, mut held) = (Vec::new(), Vec::new());
        for joint in chains.iter_mut().flat_map(|chain| &mut chain.joints) {
            joint.gravity_dir = apply_facing(unity_to_gltf(joint.gravity_dir), self.facing);
            if let VrmJointTail::Offset(offset) = joint.tail {
                joint.tail = VrmJointTail::Offset(apply_facing(offset, self.facing));
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
        self.report_bones(Severity::Info, &lifted, "the negative gravityPower is written with gravityDir turned round");
        self.report_bones(
            Severity::Warning,
            &held,
            "dragForce, stiffness or hitRadius is brought to what VRM 1.0 allows",
        );
    }

    /// What lies in the open.
    fn handle_leaves(&mut self, chains: &mut Vec<VrmSpringChain>) {
        let mut open = Vec::new();
        for chain in chains.iter_mut() {
            let last = chain.joints.last().filter(|joint| matches!(joint.tail, VrmJointTail::Offset(_)));
            open.extend(last.map(|joint| joint.bone));
            if last.is_some() && self.leaf_handling == LeafHandling::RemoveJoint {
                chain.joints.pop();
            }
        }
        chains.retain(|chain| !chain.joints.is_empty());
        let example = open.first().map_or("", |bone| self.skeleton.name(*bone));
        let node = format!("such as \"{}_end\", 7 cm further", crate::diagnostics::excerpt(example));
        match self.leaf_handling {
            LeafHandling::KeepSwinging => {
                let what =
                    format!("a VRM 1.0 file needs a node at each tail, {node}; without it they cannot be written");
                self.report_bones(Severity::Info, &open, &what);
            }
            LeafHandling::RemoveJoint => {
                let what =
                    format!("no longer swing; VRM 1.0 needs a node at each tail, {node}, which the file has not");
                self.report_bones(Severity::Warning, &open, &what);
            }
        }
    }

    /// Centers that VRM 1.0 allows.
    // Differs from UniVRM: it keeps centers that the specification of VRM 1.0 forbids.
    fn remove_invalid_centers(&mut self, chains: &mut [VrmSpringChain]) {
        let mut owners: Vec<Option<usize>> = vec![None; self.skeleton.len()];
        for (index, chain) in chains.iter().enumerate() {
            for bone in chain.joints.iter().flat_map(joint_and_tail_bones) {
                owners[bone.index()].get_or_insert(index);
            }
        }
        // By bone: the spring of the nearest joint at or above it.
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
        let what =
            "the springs from there lose their center; VRM 1.0 has it at or above the first joint, moved by no spring";
        self.report_bones(Severity::Warning, &lost, what);
    }
}

/// The paths of a tree, and the bones that get no joint.
fn split_tree_into_paths(
    chain: &VrmSpringChain,
    skeleton: &Skeleton,
    still: &mut Vec<BoneId>,
) -> Vec<Vec<VrmSpringJoint>> {
    let joints: HashMap<BoneId, &VrmSpringJoint> = chain.joints.iter().map(|joint| (joint.bone, joint)).collect();
    let mut paths: Vec<Vec<VrmSpringJoint>> = Vec::new();
    let mut seen = HashSet::new();
    let Some(root) = chain.joints.first() else { return paths };
    // Bone, the path that leads to it, and whether it may begin one.
    let mut open = vec![(root.bone, None, true)];
    while let Some((bone, path, may_begin)) = open.pop() {
        let Some(joint) = joints.get(&bone).filter(|_| seen.insert(bone)) else { continue };
        let path = path.or_else(|| {
            may_begin.then(|| {
                paths.push(Vec::new());
                paths.len() - 1
            })
        });
        match path {
            Some(path) => paths[path].push(**joint),
            None => still.push(bone),
        }
        let next = match joint.tail {
            VrmJointTail::Bone(next) => Some(next),
            VrmJointTail::Offset(_) => None,
        };
        let others = skeleton.children(bone).iter().rev().filter(|child| Some(**child) != next);
        open.extend(others.map(|child| (*child, None, false)));
        open.extend(next.map(|next| (next, path, true)));
    }
    paths
}

fn joint_and_tail_bones(joint: &VrmSpringJoint) -> impl Iterator<Item = BoneId> + use<> {
    let tail = match joint.tail {
        VrmJointTail::Bone(bone) => Some(bone),
        VrmJointTail::Offset(_) => None,
    };
    std::iter::once(joint.bone).chain(tail)
}

/// From Unity's space to glTF's, of VRM 0.x.
fn unity_to_gltf(v: Vec3) -> Vec3 {
    Vec3::new(v.x, v.y, 0.0 - v.z)
}

/// Half a turn about Y where the character was turned so.
fn apply_facing(v: Vec3, facing: Facing) -> Vec3 {
    match facing {
        Facing::PlusZ => Vec3::new(0.0 - v.x, v.y, 0.0 - v.z),
        Facing::MinusZ => v,
    }
}

fn map_shape_vectors(shape: VrmColliderShape, turn: impl Fn(Vec3) -> Vec3) -> VrmColliderShape {
    match shape {
        VrmColliderShape::Sphere { offset, radius, inside } => {
            VrmColliderShape::Sphere { offset: turn(offset), radius, inside }
        }
        VrmColliderShape::Capsule { offset, tail, radius, inside } => {
            VrmColliderShape::Capsule { offset: turn(offset), tail: turn(tail), radius, inside }
        }
        VrmColliderShape::Plane { offset, normal } => {
            VrmColliderShape::Plane { offset: turn(offset), normal: turn(normal) }
        }
    }
}
