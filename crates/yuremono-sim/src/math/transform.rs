//! Local transforms, and frames in world space.

use glam::{Affine3A, Mat3, Mat4, Quat, Vec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A local transform: scale first, then rotation, then translation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Trs {
    /// Offset from the parent's origin, metres.
    #[schemars(with = "[f32; 3]")]
    pub translation: Vec3,
    /// Unit quaternion.
    #[schemars(with = "[f32; 4]")]
    pub rotation: Quat,
    /// Factor along each local axis.
    #[schemars(with = "[f32; 3]")]
    pub scale: Vec3,
}

impl Trs {
    /// The identity transform.
    pub const IDENTITY: Self = Self { translation: Vec3::ZERO, rotation: Quat::IDENTITY, scale: Vec3::ONE };

    /// Creates a transform that only translates.
    pub const fn from_translation(translation: Vec3) -> Self {
        Self { translation, ..Self::IDENTITY }
    }

    /// Decomposes a matrix. Shear is lost.
    pub fn from_matrix(matrix: Mat4) -> Self {
        let (scale, rotation, translation) = matrix.to_scale_rotation_translation();
        Self { translation, rotation, scale }
    }

    /// Converts the transform to an affine matrix.
    pub fn to_affine(self) -> Affine3A {
        Affine3A::from_scale_rotation_translation(self.scale, self.rotation, self.translation)
    }

    /// Whether every number is finite.
    pub fn is_finite(self) -> bool {
        self.translation.is_finite() && self.rotation.is_finite() && self.scale.is_finite()
    }

    /// Blends towards `other` by `t` in 0..=1. Rotations use the shorter arc and stay normalized.
    #[must_use]
    pub fn lerp(self, other: Self, t: f32) -> Self {
        Self {
            translation: self.translation.lerp(other.translation, t),
            rotation: super::lerp_shortest(self.rotation, other.rotation, t),
            scale: self.scale.lerp(other.scale, t),
        }
    }
}

impl Default for Trs {
    fn default() -> Self {
        Self::IDENTITY
    }
}

/// The transform of a bone in world space.
///
/// `rotation` is the product of the rotations from the root, without scale, as in Unity and Unreal. If `scaled` is
/// true, points are also scaled and sheared.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// Product of all rotations.
    pub rotation: Quat,
    /// Origin, in metres.
    pub position: Vec3,
    /// Rotation, scale and shear of points. Valid only if `scaled` is true; use [`Frame::linear`].
    linear: Mat3,
    /// Whether points are scaled or sheared, and not only rotated and translated.
    pub scaled: bool,
}

impl Frame {
    /// The frame of world space.
    pub const WORLD: Self =
        Self { rotation: Quat::IDENTITY, position: Vec3::ZERO, linear: Mat3::IDENTITY, scaled: false };

    /// Returns the frame of a child with the local transform `local`.
    #[inline]
    #[must_use]
    pub fn child(&self, local: &Trs) -> Self {
        self.child_at(local, self.transform_point(local.translation))
    }

    /// Like [`Frame::child`], for a known world position of the child, in metres.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "passing 80 bytes through memory costs as much as the product")]
    #[must_use]
    pub fn child_at(&self, local: &Trs, position: Vec3) -> Self {
        let rotation = self.rotation * local.rotation;
        if self.scaled || local.scale != Vec3::ONE {
            let own = Mat3::from_quat(local.rotation) * Mat3::from_diagonal(local.scale);
            Self { rotation, position, linear: self.linear() * own, scaled: true }
        } else {
            Self { rotation, position, linear: Mat3::IDENTITY, scaled: false }
        }
    }

    /// Sets rotation and position, and removes scale and shear. The stale `linear` is not read, so it is not reset.
    #[inline]
    pub fn set_unscaled(&mut self, rotation: Quat, position: Vec3) {
        (self.rotation, self.position, self.scaled) = (rotation, position, false);
    }

    /// Returns the matrix of rotation, scale and shear.
    pub fn linear(&self) -> Mat3 {
        if self.scaled { self.linear } else { Mat3::from_quat(self.rotation) }
    }

    /// Transforms a local point to world space.
    #[inline]
    pub fn transform_point(&self, local: Vec3) -> Vec3 {
        if self.scaled { self.position + self.linear * local } else { self.position + self.rotation * local }
    }

    /// Returns the world position of an offset in metres along the axes of the bone. Scale has no effect.
    #[inline]
    pub fn offset_point(&self, offset: Vec3) -> Vec3 {
        self.position + self.rotation * offset
    }

    /// Transforms a world point to local space. Returns zero if the frame has a scale of zero along an axis.
    #[inline]
    pub fn inverse_transform_point(&self, world: Vec3) -> Vec3 {
        let offset = world - self.position;
        if self.scaled {
            if self.linear.determinant().abs() < 1e-20 {
                return Vec3::ZERO;
            }
            self.linear.inverse() * offset
        } else {
            self.rotation.inverse() * offset
        }
    }

    /// Converts the frame to an affine matrix, for drawing.
    pub fn to_affine(self) -> Affine3A {
        Affine3A::from_mat3_translation(self.linear(), self.position)
    }
}

/// Frames are equal if they transform every point equally, so `linear` is compared only if it is valid.
impl PartialEq for Frame {
    fn eq(&self, other: &Self) -> bool {
        let same = self.rotation == other.rotation && self.position == other.position && self.scaled == other.scaled;
        same && (!self.scaled || self.linear == other.linear)
    }
}

impl Default for Frame {
    fn default() -> Self {
        Self::WORLD
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_of_a_scaled_frame_transforms_points_like_the_matrix_product() {
        let a = Trs {
            translation: Vec3::new(1.0, 2.0, 3.0),
            rotation: Quat::from_rotation_y(0.7),
            scale: Vec3::new(2.0, 1.0, 0.5),
        };
        let b = Trs { translation: Vec3::new(0.3, -0.2, 0.1), rotation: Quat::from_rotation_x(-0.4), scale: Vec3::ONE };
        let frame = Frame::WORLD.child(&a).child(&b);
        let p = Vec3::new(0.1, 0.2, 0.3);
        let expected = (a.to_affine() * b.to_affine()).transform_point3(p);
        assert!((frame.transform_point(p) - expected).length() < 1e-6);
        assert!((frame.inverse_transform_point(frame.transform_point(p)) - p).length() < 1e-5);
    }
}
