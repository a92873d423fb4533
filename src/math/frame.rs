use super::Trs;
use glam::{Affine3A, Mat3, Quat, Vec3};

/// Where a transform ends up in the world, kept as what solvers ask for.
///
/// `rotation` is the product of the rotations up the tree, without scale, as engines report it;
/// `linear` carries rotation, scale and any shear, and is only consulted where `scaled` says so.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Product of all rotations.
    pub rotation: Quat,
    /// Origin, metres.
    pub position: Vec3,
    /// Rotation, scale and shear of points.
    pub linear: Mat3,
    /// Whether `linear` differs from `rotation`.
    pub scaled: bool,
}

impl Frame {
    /// The world itself.
    pub const WORLD: Self =
        Self { rotation: Quat::IDENTITY, position: Vec3::ZERO, linear: Mat3::IDENTITY, scaled: false };

    /// The frame of a child with local transform `local`.
    #[inline]
    pub fn child(&self, local: &Trs) -> Self {
        let rotation = self.rotation * local.rotation;
        if self.scaled || local.scale != Vec3::ONE {
            let turned = Mat3::from_quat(local.rotation);
            let scaled = Mat3::from_cols(
                turned.x_axis * local.scale.x,
                turned.y_axis * local.scale.y,
                turned.z_axis * local.scale.z,
            );
            Self {
                rotation,
                position: self.position + self.linear * local.translation,
                linear: self.linear * scaled,
                scaled: true,
            }
        } else {
            Self {
                rotation,
                position: self.position + self.rotation * local.translation,
                linear: Mat3::from_quat(rotation),
                scaled: false,
            }
        }
    }

    /// A local point in the world.
    #[inline]
    pub fn point(&self, local: Vec3) -> Vec3 {
        if self.scaled { self.position + self.linear * local } else { self.position + self.rotation * local }
    }

    /// A world point in local coordinates; zero where the frame is flattened to nothing.
    #[inline]
    pub fn inverse_point(&self, world: Vec3) -> Vec3 {
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

    /// The whole transform as a matrix for drawing.
    pub fn to_affine(self) -> Affine3A {
        Affine3A::from_mat3_translation(self.linear, self.position)
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
    fn a_scaled_chain_agrees_with_matrices() {
        let a = Trs {
            translation: Vec3::new(1.0, 2.0, 3.0),
            rotation: Quat::from_rotation_y(0.7),
            scale: Vec3::new(2.0, 1.0, 0.5),
        };
        let b = Trs { translation: Vec3::new(0.3, -0.2, 0.1), rotation: Quat::from_rotation_x(-0.4), scale: Vec3::ONE };
        let frame = Frame::WORLD.child(&a).child(&b);
        let p = Vec3::new(0.1, 0.2, 0.3);
        let expected = (a.to_affine() * b.to_affine()).transform_point3(p);
        assert!((frame.point(p) - expected).length() < 1e-6);
        assert!((frame.inverse_point(frame.point(p)) - p).length() < 1e-5);
    }
}
