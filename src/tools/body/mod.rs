//! Colliders for the whole body at once: shapes fitted to the skin, given to the chains that can touch them.
//!
//! [`fit_body_colliders()`] measures the rest pose; `fit_body_colliders_outcomes()` says what each `fit_body_colliders` would meet; [`plan_body_colliders()`] turns `fit_body_colliderss` into one edit. A
//! character without skin, or whose bones say nothing about a body, gets no fits.

mod body_vertices;
mod collider_fit;
mod fit_outcome;
mod joint_reach;

pub use collider_fit::BodyColliderFit;
pub use fit_outcome::{FitOutcome, fit_outcomes};

use crate::document::names::roles::BoneRoles;
use crate::document::{
    Chain, ChainId, Collider, ColliderId, Document, Edit, Helper, HelperId, HelperRole, Node, RestFrames, bone_of_node,
};
use crate::rig::{Character, Skeleton};
use crate::sim::ColliderShape;
use glam::Vec3;
use joint_reach::WorldCapsule;
use std::collections::{BTreeMap, BTreeSet};

/// Fits a shape to each part of the body that has bones and skin.
pub fn fit_body_colliders(character: &Character, document: &Document) -> Vec<BodyColliderFit> {
    let roles = BoneRoles::of(character);
    let stance = RestFrames::of(&Document::default(), &character.skeleton);
    let flesh = body_vertices::vertices_by_role(character, document, &stance, &roles);
    collider_fit::fit_all(&character.skeleton, &stance, &roles, &flesh)
}

/// What giving a body its colliders would do.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyPlan {
    /// All of it, as one step.
    pub edit: Edit,
    /// Colliders that are new.
    pub created: usize,
    /// Colliders of the same name that are fitted anew.
    pub updated: usize,
    /// Joints that get colliders which they did not have.
    pub joints: usize,
    /// How many joints touch each fit, in its order.
    pub joints_per_fit: Vec<usize>,
}

/// Makes or updates a collider for each fit, with radii `thickness` times as big, and adds it to the joints that can
/// touch it. A collider of the same name on the same bone is updated and keeps its id.
pub fn plan_body_colliders(
    document: &Document,
    skeleton: &Skeleton,
    fits: &[BodyColliderFit],
    thickness: f32,
) -> BodyPlan {
    let stance = RestFrames::of(document, skeleton);
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
        let local = stance.local_transform_in(Node::Bone(fit.bone), fit.position, fit.rotation, Vec3::ONE);
        // What is not made touches nothing: its number goes to the next.
        spots.push((id, spot.filter(|_| local.is_some())));
        let Some(local) = local else { continue };
        let shape = scale_to_node(&stance, fit, shape);
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
    let (chains, joints, touching) = assign_to_joints(document, skeleton, &stance, &spots);
    edits.extend(chains.into_iter().map(|(id, chain)| Edit::PutChain { id, chain: Some(Box::new(chain)) }));
    BodyPlan { edit: Edit::Batch(edits), created: made, updated, joints, joints_per_fit: touching }
}

/// A collider of that name on that bone.
fn find_same_collider(document: &Document, fit: &BodyColliderFit) -> Option<ColliderId> {
    let same = |c: &Collider| c.name == fit.name && bone_of_node(document, c.node) == Some(fit.bone);
    document.colliders.iter().find(|(_, c)| same(c)).map(|(id, _)| *id)
}

/// The helper that carries only this collider.
fn exclusive_helper(document: &Document, id: ColliderId) -> Option<HelperId> {
    let Node::Helper(helper) = document.colliders.get(&id)?.node else { return None };
    let node = Node::Helper(helper);
    let shared = document.colliders.iter().any(|(other, c)| *other != id && c.node == node)
        || document.helpers.values().any(|h| h.parent == node);
    (!shared).then_some(helper)
}

/// Sizes in metres of the world as numbers of the node, which bones may scale.
fn scale_to_node(stance: &RestFrames, fit: &BodyColliderFit, shape: ColliderShape) -> ColliderShape {
    let Some(frame) = stance.frame(Node::Bone(fit.bone)).filter(|f| f.scaled) else { return shape };
    let scale = frame.linear().determinant().abs().cbrt();
    let shrink = |shape: ColliderShape, at: usize| shape.with_field(at, shape.field(at) / scale);
    if scale > 1e-6 { shrink(shrink(shape, 0), 1) } else { shape }
}

/// Chains whose joints get more colliders, how many such joints there are, and how many touch each spot.
fn assign_to_joints(
    document: &Document,
    skeleton: &Skeleton,
    stance: &RestFrames,
    spots: &[(ColliderId, Option<WorldCapsule>)],
) -> (BTreeMap<ChainId, Chain>, usize, Vec<usize>) {
    let mut chains = BTreeMap::new();
    let mut joints = BTreeSet::new();
    let mut touching = vec![0; spots.len()];
    for (id, chain) in &document.chains {
        let mut changed = chain.clone();
        for reach in joint_reach::joint_reaches(document, chain, skeleton, stance) {
            let joint = &mut changed.joints[reach.joint_index];
            for (i, (collider, spot)) in spots.iter().enumerate() {
                if spot.is_some_and(|spot| reach.can_touch(&spot)) {
                    touching[i] += 1;
                    if !document.colliders_of(chain, &chain.joints[reach.joint_index]).any(|known| known == *collider) {
                        joint.colliders.push(*collider);
                        joints.insert((*id, reach.joint_index));
                    }
                }
            }
        }
        if changed != *chain {
            chains.insert(*id, changed);
        }
    }
    (chains, joints.len(), touching)
}

/// The two points between which a fit lies in its bone's own space, and its radius in metres; for drawing.
pub fn capsule_outline(fit: &BodyColliderFit, skeleton: &Skeleton, thickness: f32) -> Option<([Vec3; 2], f32)> {
    let shape = fit.shape.with_field(0, fit.shape.field(0) * thickness);
    let spot = WorldCapsule::from_placed_shape(shape, fit.position, |up| fit.position + fit.rotation * Vec3::Y * up)?;
    let frame = RestFrames::of(&Document::default(), skeleton).frame(Node::Bone(fit.bone))?;
    Some((spot.ends.map(|end| frame.inverse_transform_point(end)), spot.radius))
}

/// Adds colliders that are there already to the joints of some chains that can touch them.
pub fn assign_existing(document: &Document, skeleton: &Skeleton, colliders: &[ColliderId]) -> (Edit, usize) {
    let stance = RestFrames::of(document, skeleton);
    let spot = |id: &ColliderId| {
        let collider = document.colliders.get(id)?;
        Some((*id, WorldCapsule::from_shape(&stance, collider.node, collider.shape)))
    };
    let spots: Vec<_> = colliders.iter().filter_map(spot).collect();
    let (chains, joints, _) = assign_to_joints(document, skeleton, &stance, &spots);
    let edits = chains.into_iter().map(|(id, chain)| Edit::PutChain { id, chain: Some(Box::new(chain)) });
    (Edit::Batch(edits.collect()), joints)
}
