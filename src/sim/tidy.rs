//! Numbers that arithmetic survives: files may carry infinities and worse.

use super::shape::Shape;
use crate::rig::{BoneId, Skeleton, WorldPose};

/// The nearest number that a step can reckon with; 0 for what is none.
pub(super) fn finite(value: f32) -> f32 {
    const MOST: f32 = 1e18;
    if value.is_nan() { 0.0 } else { value.clamp(-MOST, MOST) }
}

/// A shape with such numbers.
pub(super) fn finite_shape(shape: Shape) -> Shape {
    (0..shape.fields().len()).fold(shape, |shape, at| shape.with_field(at, finite(shape.field(at))))
}

/// Longest distance from a bone to an end that parameters place: a virtual tip, a centre of mass. Five times the distance
/// to its farthest relative at rest, and at least a metre, since a leaf may have a short parent.
pub(super) fn farthest_end(bone: BoneId, skeleton: &Skeleton, world: &WorldPose) -> f32 {
    const TIMES: f32 = 5.0;
    const LEAST: f32 = 1.0;
    let place = |bone: BoneId| world.frame(bone).position;
    let children = skeleton.ids().filter(|b| skeleton.parent(*b) == Some(bone));
    let related = children.chain(skeleton.parent(bone)).map(|b| place(b).distance(place(bone)));
    (TIMES * related.filter(|length| length.is_finite()).fold(0.0, f32::max)).max(LEAST)
}
