//! What making a fit would do to what its bone carries already; says only, changes nothing.

use super::{Fit, same_named};
use crate::document::{Collider, ColliderId, Document, Stance, bone_under};
use crate::rig::{BoneId, Skeleton};

/// What making a fit would do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    /// Its bone carries no collider: one is made.
    New,
    /// A collider of the same name on the same bone is fitted anew.
    Updates {
        /// That one.
        collider: ColliderId,
        /// Its radius now, metres in the world; `None` where its shape has none.
        from: Option<f32>,
        /// What its radius becomes, metres in the world.
        to: f32,
    },
    /// Its bone carries colliders of other names: one more is made.
    Beside {
        /// The first of them.
        collider: ColliderId,
        /// How many there are besides.
        others: usize,
    },
}

impl Outcome {
    /// Whether the bone carries nothing that the artist or the file put there.
    pub const fn is_new(&self) -> bool {
        matches!(self, Self::New)
    }
}

/// What [`super::plan`] would do with each fit, in their order, with radii `thickness` times as big.
pub fn outcomes(document: &Document, skeleton: &Skeleton, fits: &[Fit], thickness: f32) -> Vec<Outcome> {
    let stance = Stance::of(document, skeleton);
    let outcome = |fit: &Fit| {
        if let Some(collider) = same_named(document, fit) {
            let from = radius(&stance, &document.colliders[&collider]);
            return Outcome::Updates { collider, from, to: fit.shape.field(0) * thickness };
        }
        let mut there = carried(document, fit.bone);
        match there.next() {
            Some(collider) => Outcome::Beside { collider, others: there.count() },
            None => Outcome::New,
        }
    };
    fits.iter().map(outcome).collect()
}

/// The colliders that hang on a bone, directly or by helpers.
fn carried(document: &Document, bone: BoneId) -> impl Iterator<Item = ColliderId> {
    let on = move |c: &Collider| bone_under(document, c.node) == Some(bone);
    document.colliders.iter().filter(move |(_, c)| on(c)).map(|(id, _)| *id)
}

/// A collider's radius in metres of the world.
fn radius(stance: &Stance, collider: &Collider) -> Option<f32> {
    let radius = collider.shape.radius()?;
    let frame = stance.frame(collider.node)?;
    Some(if frame.scaled { radius * frame.linear().determinant().abs().cbrt() } else { radius })
}
