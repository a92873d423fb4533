//! What a tip touches between two steps, for pictures; nothing in a step asks for it.

use super::colliders::{Placed, Solids};
use super::{Params, Rest};
use crate::sim::scene::{Overlap, Still};
use glam::Vec3;

/// A tip that is nearer than this touches, metres: a solved contact is no overlap but for rounding.
const TOUCH: f32 = 1e-4;

pub(super) fn overlaps(
    rest: &Rest,
    joint: usize,
    p: &Params,
    tip: Vec3,
    still: Still<'_>,
    mut found: impl FnMut(Overlap),
) {
    let joint = &rest.joints[joint];
    let Some(particle) = rest.particles.get(joint.tip as usize).filter(|p| p.depth > rest.start_depth) else { return };
    let mut radius = p.radius;
    if let Some(frame) = still.frames.get(rest.component as usize) {
        radius *= super::step::lossy_scale(frame).max_element();
    }
    if radius <= 0.0 {
        return;
    }
    let (placed, corners) = place(rest, still);
    let solids = Solids { placed: &placed, hulls: &rest.hulls, corners: &corners };
    for id in &rest.colliders[joint.colliders.0 as usize..joint.colliders.1 as usize] {
        let way = solids.push(*id, particle.bone, tip, radius + TOUCH) - tip;
        let depth = way.length() - TOUCH;
        if let Some(out) = way.try_normalize() {
            // From the tip to the surface: out of the shape by the depth, and back by the ball's own radius.
            found(Overlap { collider: Some(*id), depth: depth.max(0.0), point: tip + out * (depth - radius) });
        }
    }
}

/// All colliders as they stand now.
fn place(rest: &Rest, still: Still<'_>) -> (Vec<Placed>, Vec<Vec3>) {
    let place = |(collider, margin): (&crate::sim::scene::ColliderRest, &f32)| {
        Placed::new(collider, &still.frames[collider.bone as usize], *margin)
    };
    let mut placed: Vec<_> = still.colliders.iter().zip(&rest.margins).map(place).collect();
    let mut corners = vec![Vec3::ZERO; rest.hulls.iter().map(|h| h.points.len()).sum()];
    for (i, hull) in rest.hulls.iter().enumerate() {
        hull.place(&mut placed, &mut corners, still.colliders, still.frames, &rest.margins, i as u32);
    }
    (placed, corners)
}
