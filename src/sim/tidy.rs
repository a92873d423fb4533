//! Numbers that arithmetic survives: files may carry infinities and worse.

use super::shape::Shape;

/// The nearest number that a step can reckon with; 0 for what is none.
pub(super) fn finite(value: f32) -> f32 {
    const MOST: f32 = 1e18;
    if value.is_nan() { 0.0 } else { value.clamp(-MOST, MOST) }
}

/// A shape with such numbers.
pub(super) fn finite_shape(shape: Shape) -> Shape {
    (0..shape.fields().len()).fold(shape, |shape, at| shape.with_field(at, finite(shape.field(at))))
}
