//! Colliders for the whole body: shapes fitted to the skin, assigned to the joints that can touch them.
//!
//! [`fit_body_colliders()`] measures the rest pose, [`fit_outcomes()`] compares with existing colliders, and
//! [`plan_body_colliders()`] makes one edit. Characters without skin or humanoid bones get no fits.

mod body_vertices;
mod collider_fit;
mod reachable_colliders;

pub use collider_fit::BodyColliderFit;

use crate::document::{
    Chain, ChainId, Collider, ColliderId, Document, Edit, Helper, HelperId, HelperRole, Joint, Node, RestFrames,
    bone_of_node,
};
use glam::Vec3;
use reachable_colliders::WorldCapsule;
use std::collections::BTreeSet;
use yuremono_sim::ColliderShape;
use yuremono_sim::params::ParamId;
use yuremono_sim::rig::{BoneId, Character, Skeleton};

/// Fits a shape to each part of the body that has bones and skin.
pub fn fit_body_colliders(character: &Character, document: &Document) -> Vec<BodyColliderFit> {
    let roles = &character.humanoid;
    let rest_frames = RestFrames::of(&Document::default(), &character.skeleton);
    let vertices = body_vertices::vertices_by_role(character, document, &rest_frames, roles);
    collider_fit::fit_all(&character.skeleton, &rest_frames, roles, &vertices)
}

/// The effect of creating body colliders.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyPlan {
    pub edit: Edit,
    /// Number of new colliders.
    pub created: usize,
    /// Number of existing colliders of the same name that are updated.
    pub updated: usize,
    /// Number of joints that get further colliders.
    pub joints: usize,
    /// For each fit, the number of joints that can touch its collider.
    pub joints_per_fit: Vec<usize>,
}

/// Creates or updates a collider for each fit and adds it to the joints that can touch it. Radii are multiplied by
/// `thickness`. An existing collider of the same name on the same bone keeps its id.
pub fn plan_body_colliders(
    document: &Document,
    skeleton: &Skeleton,
    fits: &[BodyColliderFit],
    thickness: f32,
) -> BodyPlan {
    let rest_frames = RestFrames::of(document, skeleton);
    let mut edits = Vec::new();
    let (mut made, mut updated) = (0, 0);
    let mut next = (document.next_helper_id().0, document.next_collider_id().0);
    let mut spots: Vec<(ColliderId, Option<WorldCapsule>)> = Vec::new();
    for fit in fits {
        let shape = fit.shape.with_field(0, fit.shape.field(0) * thickness);
        let spot =
            WorldCapsule::from_placed_shape(shape, fit.position, |up| fit.position + fit.rotation * Vec3::Y * up);
        let known = find_same_collider(document, fit);
        let id = known.unwrap_or(ColliderId(next.1));
        let local = rest_frames.local_transform_in(Node::Bone(fit.bone), fit.position, fit.rotation, Vec3::ONE);
        // No joint touches a fit without a collider. The next fit gets its id.
        spots.push((id, spot.filter(|_| local.is_some())));
        let Some(local) = local else { continue };
        let shape = scale_to_node(&rest_frames, fit, shape);
        let node = known.and_then(|id| exclusive_helper(document, id));
        let helper = node.unwrap_or(HelperId(next.0));
        let placed = Helper { name: fit.name.clone(), parent: Node::Bone(fit.bone), local, role: HelperRole::Plain };
        let put = match known.map(|id| &document.colliders[&id]) {
            Some(old) => Collider { node: Node::Helper(helper), shape, ..old.clone() },
            None => Collider::new(fit.name.clone(), Node::Helper(helper), shape),
        };
        let is_new = known.is_none();
        next = (next.0 + u32::from(node.is_none()), next.1 + u32::from(is_new));
        (made, updated) = (made + usize::from(is_new), updated + usize::from(!is_new));
        edits.push(Edit::PutHelper { id: helper, helper: Some(placed) });
        edits.push(Edit::PutCollider { id, collider: Some(put) });
    }
    let (chains, joints, touching) = assign_to_joints(document, skeleton, &rest_frames, &spots);
    edits.extend(chains);
    BodyPlan { edit: Edit::Batch(edits), created: made, updated, joints, joints_per_fit: touching }
}

fn find_same_collider(document: &Document, fit: &BodyColliderFit) -> Option<ColliderId> {
    let same = |c: &Collider| c.name == fit.name && bone_of_node(document, c.node) == Some(fit.bone);
    document.colliders.iter().find(|(_, c)| same(c)).map(|(id, _)| *id)
}

/// Returns the helper of a collider if no other element uses the helper.
fn exclusive_helper(document: &Document, id: ColliderId) -> Option<HelperId> {
    let Node::Helper(helper) = document.colliders.get(&id)?.node else { return None };
    let node = Node::Helper(helper);
    let shared = document.colliders.iter().any(|(other, c)| *other != id && c.node == node)
        || document.helpers.values().any(|h| h.parent == node);
    (!shared).then_some(helper)
}

/// Converts world metres to the scale of the bone.
fn scale_to_node(rest_frames: &RestFrames, fit: &BodyColliderFit, shape: ColliderShape) -> ColliderShape {
    let Some(frame) = rest_frames.frame(Node::Bone(fit.bone)).filter(|f| f.scaled) else { return shape };
    let scale = libm::cbrtf(frame.linear().determinant().abs());
    let shrink = |shape: ColliderShape, at: usize| shape.with_field(at, shape.field(at) / scale);
    if scale > 1e-6 { shrink(shrink(shape, 0), 1) } else { shape }
}

/// Returns the edits of the changed chains, the number of changed joints, and the number of joints that touch each
/// collider.
fn assign_to_joints(
    document: &Document,
    skeleton: &Skeleton,
    rest_frames: &RestFrames,
    spots: &[(ColliderId, Option<WorldCapsule>)],
) -> (Vec<Edit>, usize, Vec<usize>) {
    let mut joints = BTreeSet::new();
    let mut touching = vec![0; spots.len()];
    let chains = document.edit_elements(|id, changed: &mut Chain| {
        let chain = &document.chains[&id];
        for reach in reachable_colliders::joint_reaches(document, chain, skeleton, rest_frames) {
            let joint = &mut changed.joints[reach.joint_index];
            for (i, (collider, spot)) in spots.iter().enumerate() {
                if spot.is_some_and(|spot| reach.can_touch(&spot)) {
                    touching[i] += 1;
                    if !document.colliders_of(chain, &chain.joints[reach.joint_index]).any(|known| known == *collider) {
                        joint.colliders.push(*collider);
                        joints.insert((id, reach.joint_index));
                    }
                }
            }
        }
    });
    (chains, joints.len(), touching)
}

/// Returns both ends of a fit in the space of its bone, and its radius in metres, for an overlay.
pub fn capsule_outline(fit: &BodyColliderFit, skeleton: &Skeleton, thickness: f32) -> Option<([Vec3; 2], f32)> {
    let shape = fit.shape.with_field(0, fit.shape.field(0) * thickness);
    let spot = WorldCapsule::from_placed_shape(shape, fit.position, |up| fit.position + fit.rotation * Vec3::Y * up)?;
    let frame = RestFrames::of(&Document::default(), skeleton).frame(Node::Bone(fit.bone))?;
    Some((spot.ends.map(|end| frame.inverse_transform_point(end)), spot.radius))
}

/// Adds existing colliders to the joints that can touch them. Returns the number of changed joints.
pub fn assign_existing(document: &Document, skeleton: &Skeleton, colliders: &[ColliderId]) -> (Edit, usize) {
    let rest_frames = RestFrames::of(document, skeleton);
    let spot = |id: &ColliderId| {
        let collider = document.colliders.get(id)?;
        Some((*id, WorldCapsule::from_shape(&rest_frames, collider.node, collider.shape)))
    };
    let spots: Vec<_> = colliders.iter().filter_map(spot).collect();
    let (chains, joints, _) = assign_to_joints(document, skeleton, &rest_frames, &spots);
    (Edit::Batch(chains), joints)
}

/// Assigns a collider to the joints of chains, whether the rest pose can touch the collider or not. Leaves out joints with
/// a tip inside the collider, because pushing the tip out would deform the rest pose.
pub fn assign_to_chains(
    document: &Document,
    skeleton: &Skeleton,
    collider: ColliderId,
    chains: &BTreeSet<ChainId>,
) -> Edit {
    let rest_frames = RestFrames::of(document, skeleton);
    let found = document.colliders.get(&collider);
    let spot = found.and_then(|found| WorldCapsule::from_shape(&rest_frames, found.node, found.shape));
    let is_inside = |joint: &Joint| {
        let tip = rest_frames.tip(skeleton, joint);
        spot.zip(tip).is_some_and(|(spot, tip)| spot.contains_tip(tip))
    };
    let edits = document.edit_elements(|id, changed: &mut Chain| {
        let chain = &document.chains[&id];
        for (joint, changed) in chain.joints.iter().zip(&mut changed.joints) {
            let is_assigned = document.colliders_of(chain, joint).any(|known| known == collider);
            if found.is_some() && chains.contains(&id) && !is_assigned && !is_inside(joint) {
                changed.colliders.push(collider);
            }
        }
    });
    Edit::Batch(edits)
}

/// Returns the parameter of the joints' hit radius, if the solver of a chain has this parameter.
pub fn hit_radius_param(document: &Document, chain: &Chain) -> Option<ParamId> {
    reachable_colliders::tip_radius_param(document, chain)
}

/// The effect of creating the collider of a fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FitOutcome {
    /// A new collider on a bone without colliders.
    New,
    /// Updates a collider of the same name on the same bone.
    Updates {
        /// The updated collider.
        collider: ColliderId,
        /// Current radius in world metres. `None` if the shape has no radius.
        old_radius: Option<f32>,
        /// New radius in world metres.
        new_radius: f32,
    },
    /// A new collider on a bone that has colliders with other names.
    AddsToExisting {
        /// The first existing collider.
        collider: ColliderId,
        /// Number of further colliders.
        other_count: usize,
    },
}

impl FitOutcome {
    /// Returns whether the bone has no collider yet.
    pub const fn is_new(&self) -> bool {
        matches!(self, Self::New)
    }
}

/// Returns the effect of [`plan_body_colliders`] for each fit. Radii are multiplied by `thickness`.
pub fn fit_outcomes(
    document: &Document,
    skeleton: &Skeleton,
    fits: &[BodyColliderFit],
    thickness: f32,
) -> Vec<FitOutcome> {
    let rest_frames = RestFrames::of(document, skeleton);
    let outcome = |fit: &BodyColliderFit| {
        if let Some(collider) = find_same_collider(document, fit) {
            let from = world_radius(&rest_frames, &document.colliders[&collider]);
            return FitOutcome::Updates { collider, old_radius: from, new_radius: fit.shape.field(0) * thickness };
        }
        let mut there = colliders_on_bone(document, fit.bone);
        match there.next() {
            Some(collider) => FitOutcome::AddsToExisting { collider, other_count: there.count() },
            None => FitOutcome::New,
        }
    };
    fits.iter().map(outcome).collect()
}

fn colliders_on_bone(document: &Document, bone: BoneId) -> impl Iterator<Item = ColliderId> {
    let on = move |c: &Collider| bone_of_node(document, c.node) == Some(bone);
    document.colliders.iter().filter(move |(_, c)| on(c)).map(|(id, _)| *id)
}

/// Returns the radius of a collider in the world, in metres, or `None` if the shape has no radius.
pub(crate) fn world_radius(rest_frames: &RestFrames, collider: &Collider) -> Option<f32> {
    let radius = collider.shape.radius()?;
    let frame = rest_frames.frame(collider.node)?;
    Some(if frame.scaled { radius * libm::cbrtf(frame.linear().determinant().abs()) } else { radius })
}
