//! Colliders for the whole body at once: shapes fitted to the skin, given to the chains that can touch them.
//!
//! [`fit()`] measures the rest pose; [`outcomes()`] says what each fit would meet; [`plan()`] turns fits into one edit. A
//! character without skin, or whose bones say nothing about a body, gets no fits.

mod assign;
mod fit;
mod outcome;
mod skin;

pub use fit::Fit;
pub use outcome::{Outcome, outcomes};

use crate::document::names::roles::Roles;
use crate::document::{
    Chain, ChainId, Collider, ColliderId, Document, Edit, Helper, HelperId, HelperRole, Node, Stance, bone_under,
};
use crate::rig::{Character, Skeleton};
use crate::sim::Shape;
use assign::Spot;
use glam::Vec3;
use std::collections::{BTreeMap, BTreeSet};

/// Fits a shape to each part of the body that has bones and skin.
pub fn fit(character: &Character, document: &Document) -> Vec<Fit> {
    let roles = Roles::of(character);
    let stance = Stance::of(&Document::default(), &character.skeleton);
    let flesh = skin::flesh(character, document, &stance, &roles);
    fit::fit_all(&character.skeleton, &stance, &roles, &flesh)
}

/// What giving a body its colliders would do.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyPlan {
    /// All of it, as one step.
    pub edit: Edit,
    /// Colliders that are new.
    pub made: usize,
    /// Colliders of the same name that are fitted anew.
    pub updated: usize,
    /// Joints that get colliders which they did not have.
    pub joints: usize,
    /// How many joints touch each fit, in its order.
    pub touching: Vec<usize>,
}

/// Makes or updates a collider for each fit, with radii `thickness` times as big, and adds it to the joints that can
/// touch it. A collider of the same name on the same bone is updated and keeps its id.
pub fn plan(document: &Document, skeleton: &Skeleton, fits: &[Fit], thickness: f32) -> BodyPlan {
    let stance = Stance::of(document, skeleton);
    let mut edits = Vec::new();
    let (mut made, mut updated) = (0, 0);
    let mut next = (document.fresh_helper().0, document.fresh_collider().0);
    let mut spots: Vec<(ColliderId, Option<Spot>)> = Vec::new();
    for fit in fits {
        let shape = fit.shape.with_field(0, fit.shape.field(0) * thickness);
        let spot = Spot::standing(shape, fit.place, |up| fit.place + fit.turn * Vec3::Y * up);
        let known = same_named(document, fit);
        let id = known.unwrap_or(ColliderId(next.1));
        let local = stance.local_in(Node::Bone(fit.bone), fit.place, fit.turn, Vec3::ONE);
        // What is not made touches nothing: its number goes to the next.
        spots.push((id, spot.filter(|_| local.is_some())));
        let Some(local) = local else { continue };
        let shape = in_node_size(&stance, fit, shape);
        let node = known.and_then(|id| own_node(document, id));
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
    let (chains, joints, touching) = assigned(document, skeleton, &stance, &spots);
    edits.extend(chains.into_iter().map(|(id, chain)| Edit::PutChain { id, chain: Some(Box::new(chain)) }));
    BodyPlan { edit: Edit::Batch(edits), made, updated, joints, touching }
}

/// A collider of that name on that bone.
fn same_named(document: &Document, fit: &Fit) -> Option<ColliderId> {
    let same = |c: &Collider| c.name == fit.name && bone_under(document, c.node) == Some(fit.bone);
    document.colliders.iter().find(|(_, c)| same(c)).map(|(id, _)| *id)
}

/// The helper that carries only this collider.
fn own_node(document: &Document, id: ColliderId) -> Option<HelperId> {
    let Node::Helper(helper) = document.colliders.get(&id)?.node else { return None };
    let node = Node::Helper(helper);
    let shared = document.colliders.iter().any(|(other, c)| *other != id && c.node == node)
        || document.helpers.values().any(|h| h.parent == node);
    (!shared).then_some(helper)
}

/// Sizes in metres of the world as numbers of the node, which bones may scale.
fn in_node_size(stance: &Stance, fit: &Fit, shape: Shape) -> Shape {
    let Some(frame) = stance.frame(Node::Bone(fit.bone)).filter(|f| f.scaled) else { return shape };
    let scale = frame.linear().determinant().abs().cbrt();
    let shrink = |shape: Shape, at: usize| shape.with_field(at, shape.field(at) / scale);
    if scale > 1e-6 { shrink(shrink(shape, 0), 1) } else { shape }
}

/// Chains whose joints get more colliders, how many such joints there are, and how many touch each spot.
fn assigned(
    document: &Document,
    skeleton: &Skeleton,
    stance: &Stance,
    spots: &[(ColliderId, Option<Spot>)],
) -> (BTreeMap<ChainId, Chain>, usize, Vec<usize>) {
    let mut chains = BTreeMap::new();
    let mut joints = BTreeSet::new();
    let mut touching = vec![0; spots.len()];
    for (id, chain) in &document.chains {
        let mut changed = chain.clone();
        for reach in assign::reaches(document, chain, skeleton, stance) {
            let joint = &mut changed.joints[reach.joint];
            for (i, (collider, spot)) in spots.iter().enumerate() {
                if spot.is_some_and(|spot| reach.touches(&spot)) {
                    touching[i] += 1;
                    if !document.colliders_of(chain, &chain.joints[reach.joint]).any(|known| known == *collider) {
                        joint.colliders.push(*collider);
                        joints.insert((*id, reach.joint));
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
pub fn outline(fit: &Fit, skeleton: &Skeleton, thickness: f32) -> Option<([Vec3; 2], f32)> {
    let shape = fit.shape.with_field(0, fit.shape.field(0) * thickness);
    let spot = Spot::standing(shape, fit.place, |up| fit.place + fit.turn * Vec3::Y * up)?;
    let frame = Stance::of(&Document::default(), skeleton).frame(Node::Bone(fit.bone))?;
    Some((spot.ends.map(|end| frame.inverse_point(end)), spot.radius))
}

/// Adds colliders that are there already to the joints of some chains that can touch them.
pub fn assign_existing(document: &Document, skeleton: &Skeleton, colliders: &[ColliderId]) -> (Edit, usize) {
    let stance = Stance::of(document, skeleton);
    let spot = |id: &ColliderId| {
        let collider = document.colliders.get(id)?;
        Some((*id, Spot::of(&stance, collider.node, collider.shape)))
    };
    let spots: Vec<_> = colliders.iter().filter_map(spot).collect();
    let (chains, joints, _) = assigned(document, skeleton, &stance, &spots);
    let edits = chains.into_iter().map(|(id, chain)| Edit::PutChain { id, chain: Some(Box::new(chain)) });
    (Edit::Batch(edits.collect()), joints)
}
