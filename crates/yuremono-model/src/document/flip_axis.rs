//! Converts rotations and points between glTF's space and Unity's left-handed space, which tables use.

use glam::{DQuat, EulerRot, Quat, Vec3};
use serde::{Deserialize, Serialize};
use yuremono_sim::rig::Facing;

/// The axis whose sign differs between Unity's space and glTF's space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlipAxis {
    /// X, as in Unity's importers and VRM 1.0.
    #[default]
    X,
    /// Z, as in VRM 0.x.
    Z,
}

impl FlipAxis {
    /// Returns the axis that Unity's importer flips for a character with this facing.
    pub const fn default_for(facing: Facing) -> Self {
        match facing {
            Facing::PlusZ => Self::X,
            Facing::MinusZ => Self::Z,
        }
    }

    /// Returns the index of the axis in a vector.
    pub const fn index(self) -> usize {
        match self {
            Self::X => 0,
            Self::Z => 2,
        }
    }

    /// Converts a point to the other space. The function is its own inverse.
    #[must_use]
    pub fn flip_point(self, mut point: Vec3) -> Vec3 {
        // Subtracting from zero avoids a negative zero in files.
        point[self.index()] = 0.0 - point[self.index()];
        point
    }

    /// Converts a rotation to the other space. The function is its own inverse.
    #[must_use]
    pub fn flip_rotation(self, q: Quat) -> Quat {
        self.flip_rotation_f64(q.as_dquat()).as_quat()
    }

    fn flip_rotation_f64(self, q: DQuat) -> DQuat {
        match self {
            Self::X => DQuat::from_xyzw(q.x, -q.y, -q.z, q.w),
            Self::Z => DQuat::from_xyzw(-q.x, -q.y, q.z, q.w),
        }
    }

    /// Returns an additional rotation for nodes that act along an axis. Flipping Z reverses the node's +Z, but flipping
    /// X reverses only its +X.
    const fn facing_correction(self) -> DQuat {
        match self {
            Self::X => DQuat::IDENTITY,
            Self::Z => HALF_TURN_Y,
        }
    }

    /// Does the same as [`FlipAxis::flip_rotation`] from Unity's space, for a node that acts along its +Z.
    #[must_use]
    pub fn flip_facing(self, q: Quat) -> Quat {
        (self.flip_rotation_f64(q.as_dquat()) * self.facing_correction()).as_quat()
    }

    /// Reverses [`FlipAxis::flip_facing`].
    #[must_use]
    pub fn flip_facing_inverse(self, q: Quat) -> Quat {
        self.flip_rotation_f64(q.as_dquat() * self.facing_correction().inverse()).as_quat()
    }

    /// Converts Unity's local Euler angles in degrees to the local rotation in glTF's space. The axes of the node are
    /// also mirrored, which is correct for symmetric shapes and for parents of other nodes.
    pub fn rotation_from_euler(self, euler_deg: [f32; 3]) -> Quat {
        self.flip_rotation_f64(unity_rotation(euler_deg)).as_quat()
    }

    /// Returns Unity's local Euler angles of a node, each 0 to 360°, applied in the order z, x, y.
    pub fn euler_from_rotation(self, rotation: Quat) -> [f32; 3] {
        unity_euler(self.flip_rotation_f64(rotation.as_dquat().normalize()))
    }

    /// Converts Unity's local Euler angles in degrees to the local rotation of a pivot or a panel in glTF's space.
    ///
    /// If Z is flipped, a half turn about Y is added. Without it, Unity's -X would stay -X although the solver expects
    /// +X along the bone, and the +Z of a panel would push to the other side. If X is flipped, no additional rotation
    /// is needed.
    pub fn pivot_from_euler(self, euler_deg: [f32; 3]) -> Quat {
        (self.flip_rotation_f64(unity_rotation(euler_deg)) * self.facing_correction()).as_quat()
    }

    /// Returns Unity's local Euler angles of a pivot or a panel, each 0 to 360°, applied in the order z, x, y.
    pub fn euler_from_pivot(self, rotation: Quat) -> [f32; 3] {
        unity_euler(self.flip_rotation_f64(rotation.as_dquat().normalize() * self.facing_correction().inverse()))
    }
}

/// Returns the rotation in Unity's space for local Euler angles x, y, z in degrees, applied in the order z, x, y.
pub fn rotation_from_unity_euler(euler_deg: [f32; 3]) -> Quat {
    unity_rotation(euler_deg).as_quat()
}

/// Returns local Euler angles of a rotation in Unity's space, each 0 to 360°, or zeros if the rotation is not finite.
///
/// For the results of [`FlipAxis::flip_rotation`] and [`FlipAxis::flip_facing_inverse`], the angles are bit-identical
/// to [`FlipAxis::euler_from_rotation`] and [`FlipAxis::euler_from_pivot`], because changing signs or the order of
/// components loses no precision.
pub fn unity_euler_from_rotation(rotation: Quat) -> [f32; 3] {
    unity_euler(rotation.as_dquat().normalize())
}

fn unity_rotation(euler_deg: [f32; 3]) -> DQuat {
    let [x, y, z] = euler_deg.map(|a| f64::from(a).to_radians());
    DQuat::from_euler(EulerRot::YXZ, y, x, z)
}

/// Returns angles that are written unchanged after they are read again. Reading rounds the rotation to `f32`, so its
/// angles can differ from those in the file; repeated reading ends in one triple of angles, or in a cycle of a few. The
/// angles of very few rotations drift for more rounds than are tried.
fn unity_euler(q: DQuat) -> [f32; 3] {
    const MAX_ROUNDS: usize = 64;
    let read_again = |angles: &[f32; 3]| euler_angles(rotation_from_unity_euler(*angles).as_dquat().normalize());
    let mut found = [[0.0; 3]; MAX_ROUNDS];
    found[0] = euler_angles(q);
    for round in 1..MAX_ROUNDS {
        let next = read_again(&found[round - 1]);
        if let Some(start) = found[..round].iter().position(|angles| *angles == next) {
            let cycle = found[start..round].iter().copied();
            return cycle.min_by_key(|angles| angles.map(f32::to_bits)).unwrap_or(next);
        }
        found[round] = next;
    }
    found[MAX_ROUNDS - 1]
}

fn euler_angles(q: DQuat) -> [f32; 3] {
    if !q.is_finite() {
        return [0.0; 3];
    }
    let (mut y, x, mut z) = q.to_euler(EulerRot::YXZ);
    if libm::cos(x).abs() < 1e-5 {
        // In gimbal lock, y and z rotate about the same axis. Unity stores the whole rotation in y.
        y = 2.0 * libm::atan2(q.y - q.z * x.signum(), q.w + q.x * x.signum());
        z = 0.0;
    }
    [x, y, z].map(|a| {
        let turned = a.to_degrees().rem_euclid(360.0) as f32;
        if turned >= 360.0 { 0.0 } else { turned }
    })
}

const HALF_TURN_Y: DQuat = DQuat::from_xyzw(0.0, 1.0, 0.0, 0.0);

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_euler(euler: [f32; 3]) {
        for axis in [FlipAxis::X, FlipAxis::Z] {
            let q = axis.pivot_from_euler(euler);
            let back = axis.pivot_from_euler(axis.euler_from_pivot(q));
            assert!(q.dot(back).abs() > 1.0 - 1e-6, "{euler:?} {axis:?}: {q} became {back}");
            assert!(axis.euler_from_pivot(q).iter().all(|a| (0.0..360.0).contains(a)));
        }
    }

    #[test]
    fn euler_angles_survive_a_round_trip_with_both_flip_axes() {
        check_euler([0.0, 0.0, 0.0]);
        check_euler([4.324_606, 29.8105, 87.488_06]);
        check_euler([9.999_995, 270.0, 90.0]);
        check_euler([90.0, 40.0, 10.0]);
        check_euler([270.0, 40.0, 310.0]);
        check_euler([89.9999, 1.0, 2.0]);
    }

    #[test]
    fn euler_angles_are_bit_identical_when_computed_in_unity_space() {
        let bits = |angles: [f32; 3]| angles.map(f32::to_bits);
        // Random numbers from a linear congruential generator.
        let mut state = 1_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f32 / (1_u64 << 23) as f32 - 1.0
        };
        let steps = [0.0, -0.0, 0.5, -0.5, 1.0, std::f32::consts::FRAC_1_SQRT_2, -std::f32::consts::FRAC_1_SQRT_2];
        let exact = (0..7_usize.pow(4)).map(|n| Quat::from_array([1, 7, 49, 343].map(|power| steps[n / power % 7])));
        let random = (0..200_000).map(|_| Quat::from_array([next(), next(), next(), next()]).normalize());
        let rotations: Vec<Quat> = exact.chain(random).collect();
        for axis in [FlipAxis::X, FlipAxis::Z] {
            for q in &rotations {
                let (plain, pivot) = (axis.euler_from_rotation(*q), axis.euler_from_pivot(*q));
                assert_eq!(
                    bits(unity_euler_from_rotation(axis.flip_rotation(*q))),
                    bits(plain),
                    "{axis:?} {q} {plain:?}"
                );
                assert_eq!(
                    bits(unity_euler_from_rotation(axis.flip_facing_inverse(*q))),
                    bits(pivot),
                    "{axis:?} {q} {pivot:?}"
                );
            }
        }
    }

    #[test]
    fn angles_stay_the_same_after_they_are_read_again() {
        let mut changed = 0;
        for n in 0..5_000_u32 {
            let euler = [n * 37 % 361, n * 71 % 1009, n * 131 % 787].map(|angle| angle as f32 * 0.731);
            let rotation = rotation_from_unity_euler(euler) * Quat::from_rotation_x(n as f32 * 0.01);
            let angles = unity_euler_from_rotation(rotation);
            let again = unity_euler_from_rotation(rotation_from_unity_euler(angles));
            changed += u32::from(again != angles);
            let turned = rotation_from_unity_euler(angles).angle_between(rotation_from_unity_euler(again));
            assert!(turned < 1e-3, "{angles:?} {again:?}");
        }
        assert!(changed <= 25, "{changed} of 5,000 change, because their angles drift for too many rounds");
    }

    #[test]
    fn rotations_from_euler_angles_are_bit_identical_via_unity_space() {
        for n in 0..20_000_u32 {
            let euler = [n % 360, n * 7 % 1000, n * 13 % 777].map(|angle| angle as f32 * 0.37);
            for axis in [FlipAxis::X, FlipAxis::Z] {
                let unity = rotation_from_unity_euler(euler);
                assert_eq!(axis.flip_rotation(unity), axis.rotation_from_euler(euler), "{axis:?} {euler:?}");
                assert_eq!(axis.flip_facing(unity), axis.pivot_from_euler(euler), "{axis:?} {euler:?}");
            }
        }
    }

    #[test]
    fn pivot_axes_match_unity_with_both_flip_axes() {
        let euler = [20.0_f32, 30.0, 40.0];
        let [x, y, z] = euler.map(f32::to_radians);
        let unity = Quat::from_rotation_y(y) * Quat::from_rotation_x(x) * Quat::from_rotation_z(z);
        for (axis, flip) in [(FlipAxis::X, Vec3::new(-1.0, 1.0, 1.0)), (FlipAxis::Z, Vec3::new(1.0, 1.0, -1.0))] {
            let pivot = axis.pivot_from_euler(euler);
            // Unity uses -X of a pivot as forward, and -Y and -Z as the two sides. The solver uses +X, -Y and -Z.
            for (theirs, ours) in [(Vec3::NEG_X, Vec3::X), (Vec3::NEG_Y, Vec3::NEG_Y), (Vec3::NEG_Z, Vec3::NEG_Z)] {
                let expected = flip * (unity * theirs);
                assert!((pivot * ours - expected).length() < 1e-5, "{axis:?} {ours}");
            }
        }
    }
}
