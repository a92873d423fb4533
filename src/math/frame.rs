use super::Trs;
use glam::{Affine3A, Mat3, Quat, Vec3};

/// Where a transform ends up in the world, kept as what solvers ask for.
///
/// `rotation` is the product of the rotations up the tree, without scale, as engines report it;
/// points also feel scale and shear where `scaled` says so.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// Product of all rotations.
    pub rotation: Quat,
    /// Origin, metres.
    pub position: Vec3,
    /// Rotation, scale and shear of points; only kept up where `scaled` says so, see [`Frame::linear`].
    linear: Mat3,
    /// Whether points are more than rotated and moved.
    pub scaled: bool,
}

impl Frame {
    /// The world itself.
    pub const WORLD: Self =
        Self { rotation: Quat::IDENTITY, position: Vec3::ZERO, linear: Mat3::IDENTITY, scaled: false };

    /// The frame of a child with local transform `local`.
    #[inline]
    #[must_use]
    pub fn child(&self, local: &Trs) -> Self {
        self.child_at(local, self.transform_point(local.translation))
    }

    /// The same where the child's origin is known already; metres in the world.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "eighty bytes through memory cost as much as the product")]
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

    /// Puts an unscaled frame somewhere: less to write than a whole one.
    #[inline]
    pub fn set_unscaled(&mut self, rotation: Quat, position: Vec3) {
        (self.rotation, self.position, self.scaled) = (rotation, position, false);
    }

    /// What happens to directions and lengths: rotation, scale and shear.
    pub fn linear(&self) -> Mat3 {
        if self.scaled { self.linear } else { Mat3::from_quat(self.rotation) }
    }

    /// A local point in the world.
    #[inline]
    pub fn transform_point(&self, local: Vec3) -> Vec3 {
        if self.scaled { self.position + self.linear * local } else { self.position + self.rotation * local }
    }

    /// A world point in local coordinates; zero where the frame is flattened to nothing.
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

    /// The whole transform as a matrix for drawing.
    pub fn to_affine(self) -> Affine3A {
        Affine3A::from_mat3_translation(self.linear(), self.position)
    }
}

/// Two frames are the same where they do the same to every point.
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
