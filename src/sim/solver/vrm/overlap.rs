//! What a tip touches between two steps, for pictures; nothing in a step asks for it.

use super::colliders::Placed;
use super::{Params, Rest, System};
use crate::sim::scene::{Overlap, Still};
use glam::Vec3;

/// A tip that is nearer than this touches, metres: a solved contact is no overlap but for rounding.
const TOUCH: f32 = 1e-4;

pub(super) fn overlaps(
    rest: &Rest,
    joint: usize,
    p: &Params,
    system: System,
    tip: Vec3,
    still: Still<'_>,
    mut found: impl FnMut(Overlap),
) {
    let joint = &rest.joints[joint];
    let radius = p.radius * system.scale;
    for id in &rest.colliders[joint.colliders.0 as usize..joint.colliders.1 as usize] {
        let collider = &still.colliders[*id as usize];
        let placed = Placed::new(collider, &still.frames[collider.bone as usize], system);
        if let Some((depth, out)) = placed.depth(tip, radius + TOUCH, tip) {
            let depth = depth - TOUCH;
            // From the tip to the surface: out of the shape by the depth, and back by the ball's own radius.
            found(Overlap { collider: Some(*id), depth: depth.max(0.0), point: tip + out * (depth - radius) });
        }
    }
}
