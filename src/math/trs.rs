use glam::{Affine3A, Mat4, Quat, Vec3};
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
    /// The transform that changes nothing.
    pub const IDENTITY: Self = Self { translation: Vec3::ZERO, rotation: Quat::IDENTITY, scale: Vec3::ONE };

    /// A pure offset.
    pub const fn from_translation(translation: Vec3) -> Self {
        Self { translation, ..Self::IDENTITY }
    }

    /// Splits a matrix; shear is lost.
    pub fn from_matrix(matrix: Mat4) -> Self {
        let (scale, rotation, translation) = matrix.to_scale_rotation_translation();
        Self { translation, rotation, scale }
    }

    /// The same transform as an affine matrix.
    pub fn to_affine(self) -> Affine3A {
        Affine3A::from_scale_rotation_translation(self.scale, self.rotation, self.translation)
    }

    /// Whether every number is finite.
    pub fn is_finite(self) -> bool {
        self.translation.is_finite() && self.rotation.is_finite() && self.scale.is_finite()
    }

    /// Blends towards `other` by `t` in 0..=1; rotations take the short way and stay normalised.
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
