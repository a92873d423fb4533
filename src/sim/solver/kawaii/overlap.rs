//! What a tip touches between two steps, for pictures; nothing in a step asks for it.

use super::Rest;
use super::collide::Placed;
use crate::math::Frame;
use crate::sim::scene::{Overlap, Still};
use glam::Vec3;

/// A tip that is nearer than this touches, metres: a solved contact is no overlap but for rounding.
const TOUCH: f32 = 1e-4;

pub(super) fn overlaps(rest: &Rest, joint: usize, tip: Vec3, still: Still<'_>, mut found: impl FnMut(Overlap)) {
    let point = &rest.points[rest.tips[joint] as usize];
    for id in &rest.colliders[point.colliders.0 as usize..point.colliders.1 as usize] {
        let collider = &still.colliders[*id as usize];
        let placed = Placed::new(collider, &still.frames[collider.bone as usize], &Frame::WORLD);
        let Some(pushed) = placed.push(tip, tip, point.radius + TOUCH) else { continue };
        let way = pushed - tip;
        let depth = way.length() - TOUCH;
        let out = way.normalize_or_zero();
        if depth.is_finite() {
            // From the tip to the surface: out of the shape by the depth, and back by the ball's own radius.
            found(Overlap { collider: Some(*id), depth: depth.max(0.0), point: tip + out * (depth - point.radius) });
        }
    }
}
