//! What making a fit would do to what its bone carries already; says only, changes nothing.

use super::{BodyColliderFit, find_same_collider};
use crate::document::{Collider, ColliderId, Document, RestFrames, bone_of_node};
use crate::rig::{BoneId, Skeleton};

/// What making a fit would do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FitOutcome {
    /// Its bone carries no collider: one is made.
    New,
    /// A collider of the same name on the same bone is fitted anew.
    Updates {
        /// That one.
        collider: ColliderId,
        /// Its radius now, metres in the world; `None` where its shape has none.
        old_radius: Option<f32>,
        /// What its radius becomes, metres in the world.
        new_radius: f32,
    },
    /// Its bone carries colliders of other names: one more is made.
    AddsToExisting {
        /// The first of them.
        collider: ColliderId,
        /// How many there are besides.
        other_count: usize,
    },
}

impl FitOutcome {
    /// Whether the bone carries nothing that the artist or the file put there.
    pub const fn is_new(&self) -> bool {
        matches!(self, Self::New)
    }
}

/// What [`super::plan_body_colliders`] would do with each fit, in their order, with radii `thickness` times as big.
pub fn fit_outcomes(
    document: &Document,
    skeleton: &Skeleton,
    fits: &[BodyColliderFit],
    thickness: f32,
) -> Vec<FitOutcome> {
    let stance = RestFrames::of(document, skeleton);
    let outcome = |fit: &BodyColliderFit| {
        if let Some(collider) = find_same_collider(document, fit) {
            let from = world_radius(&stance, &document.colliders[&collider]);
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

/// The colliders that hang on a bone, directly or by helpers.
fn colliders_on_bone(document: &Document, bone: BoneId) -> impl Iterator<Item = ColliderId> {
    let on = move |c: &Collider| bone_of_node(document, c.node) == Some(bone);
    document.colliders.iter().filter(move |(_, c)| on(c)).map(|(id, _)| *id)
}

/// A collider's radius in metres of the world.
fn world_radius(stance: &RestFrames, collider: &Collider) -> Option<f32> {
    let radius = collider.shape.radius()?;
    let frame = stance.frame(collider.node)?;
    Some(if frame.scaled { radius * frame.linear().determinant().abs().cbrt() } else { radius })
}
