//! What a tip touches between two steps, for pictures; nothing in a step asks for it.

use super::colliders::Placed;
use super::{Code, NONE, Params, Rest, frame};
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
    if joint.tip == NONE {
        return;
    }
    let radius = p.radius * frame::scale(still.frames, rest.component);
    for id in &rest.colliders[joint.colliders.0 as usize..joint.colliders.1 as usize] {
        let collider = &still.colliders[*id as usize];
        // Where the shape is drawn, whatever the clone makes of it.
        let placed = Placed::new(collider, &still.frames[collider.bone as usize], Code::Asset);
        let Some(way) = placed.way_out(tip, radius, TOUCH) else { continue };
        // From the tip to the surface: out by the depth, and back by the ball's own radius, which planes ignore.
        let away = placed.outwards(tip);
        let depth = way.dot(away).max(0.0);
        let back = if placed.is_plane() { 0.0 } else { radius };
        found(Overlap { collider: Some(*id), depth, point: tip + way - away * back });
    }
}
