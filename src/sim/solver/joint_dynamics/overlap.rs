//! What a tip touches between two steps, for pictures; nothing in a step asks for it.

use super::collide::Placed;
use super::{NONE, Rest};
use crate::sim::Shape;
use crate::sim::scene::{Overlap, Still};
use glam::Vec3;

/// A tip that is nearer than this touches, metres: links that lie on a collider hold their ends a little off it.
const TOUCH: f32 = 1.5e-3;

pub(super) fn overlaps(rest: &Rest, joint: usize, tip: Vec3, still: Still<'_>, mut found: impl FnMut(Overlap)) {
    let point = &rest.points[if rest.points[joint].child == NONE { joint } else { rest.points[joint].child as usize }];
    let link = rest.links.iter().filter(|l| l.b == joint as u32 || l.a == joint as u32);
    let mut met: Vec<u32> =
        link.flat_map(|l| &rest.colliders[l.colliders.0 as usize..l.colliders.1 as usize]).copied().collect();
    met.sort_unstable();
    met.dedup();
    for id in met {
        let collider = &still.colliders[id as usize];
        let frame = &still.frames[collider.bone as usize];
        if collider.enabled && collider.shape == Shape::Plane {
            let normal = frame.rotation * Vec3::Z;
            let above = normal.dot(tip - frame.position);
            if above <= TOUCH {
                found(Overlap { collider: Some(id), depth: (-above).max(0.0), point: tip - normal * above });
            }
            continue;
        }
        let mut placed = Placed::default();
        placed.capture(collider, frame);
        placed.hold_still();
        placed.place(1.0, 1.0);
        if let Some((depth, at)) = placed.depth(tip, point.radius).filter(|(depth, _)| *depth > -TOUCH) {
            found(Overlap { collider: Some(id), depth: depth.max(0.0), point: at });
        }
    }
}
