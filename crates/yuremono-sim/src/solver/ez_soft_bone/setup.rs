//! Values that only `EZSoftBone` has, including its force field.

use crate::math::{Curve, CurveShape, Frame};
use crate::rig::BoneId;
use glam::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Values that `EZSoftBone` adds to a system. `N` is a bone reference, `C` a list of collider values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(
    bound = "N: JsonSchema, C: Default + JsonSchema",
    rename = "EzSetup",
    description = "Component lists of `EZSoftBone`."
)]
#[serde(default, deny_unknown_fields, bound(deserialize = "N: Deserialize<'de>, C: Default + Deserialize<'de>"))]
pub struct EzSetup<N = BoneId, C = Vec<EzCollider>> {
    /// Points keep their positions in the space of this bone between frames, so its motion has no effect.
    pub simulate_space: Option<N>,
    /// Scales gravity by the rotation of this bone: 0 in its rest rotation, 1 upside down.
    pub gravity_aligner: Option<N>,
    /// [`World::bake`](crate::World::bake) reads its values again.
    pub force_field: Option<EzForceField<N>>,
    /// Values of each collider of the system, by index; missing entries are defaults.
    /// [`World::bake`](crate::World::bake) reads them again, except hulls.
    #[serde(rename = "margins")]
    #[schemars(description = "What `EZSoftBone` adds to colliders, by the names of the colliders.")]
    pub colliders: C,
}

impl<N, C: Default> Default for EzSetup<N, C> {
    fn default() -> Self {
        Self { simulate_space: None, gravity_aligner: None, force_field: None, colliders: C::default() }
    }
}

impl<N: Clone, C> EzSetup<N, C> {
    /// Maps the bones and replaces the colliders. Drops bones for which `name` returns `None`.
    pub fn map<M, D>(&self, mut name: impl FnMut(N) -> Option<M>, colliders: D) -> EzSetup<M, D> {
        let force_field = self.force_field.as_ref().and_then(|field| {
            let EzForceField { bone, enabled, conductivity, force, turbulence, mode } = field;
            let (enabled, conductivity, force, turbulence) = (*enabled, *conductivity, *force, *turbulence);
            Some(EzForceField {
                bone: name(bone.clone())?,
                enabled,
                conductivity,
                force,
                turbulence,
                mode: mode.clone(),
            })
        });
        let simulate_space = self.simulate_space.clone().and_then(&mut name);
        EzSetup { simulate_space, gravity_aligner: self.gravity_aligner.clone().and_then(name), force_field, colliders }
    }
}

/// Values that `EZSoftBone` adds to a collider.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EzCollider {
    /// Margin around the shape, metres.
    pub margin: f32,
    /// A convex mesh instead of the shape, which is then only drawn.
    pub hull: Option<ConvexHull>,
}

/// A convex mesh in the space of its collider's bone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "RawHull")]
pub struct ConvexHull {
    #[schemars(with = "Vec<[f32; 3]>")]
    points: Vec<Vec3>,
    faces: Vec<[u32; 3]>,
    #[serde(skip)]
    edges: Arc<[[u32; 2]]>,
}

/// Arguments of [`ConvexHull::new`].
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RawHull {
    #[schemars(with = "Vec<[f32; 3]>")]
    points: Vec<Vec3>,
    faces: Vec<[u32; 3]>,
}

impl From<RawHull> for ConvexHull {
    fn from(RawHull { points, faces }: RawHull) -> Self {
        Self::new(points, faces)
    }
}

impl ConvexHull {
    /// Creates a mesh from corners in metres and faces of corner indices in either winding. Faces with missing corners
    /// have no edges.
    pub fn new(points: Vec<Vec3>, faces: Vec<[u32; 3]>) -> Self {
        let is_there = |at: &u32| (*at as usize) < points.len();
        let known = faces.iter().filter(|face| face.iter().all(is_there));
        let around = known.flat_map(|[a, b, c]| [[*a, *b], [*b, *c], [*c, *a]]);
        // Two faces share each edge, so the set removes duplicates.
        let edges: BTreeSet<[u32; 2]> = around.map(|[a, b]| [a.min(b), a.max(b)]).collect();
        Self { points, faces, edges: edges.into_iter().collect() }
    }

    /// Returns the corners, in metres.
    pub fn points(&self) -> &[Vec3] {
        &self.points
    }

    /// Returns the faces as corner indices.
    pub fn faces(&self) -> &[[u32; 3]] {
        &self.faces
    }

    /// Returns every edge once, as corner indices in ascending order. The edges are computed once, because the viewport
    /// draws them often.
    pub fn edges(&self) -> &Arc<[[u32; 2]]> {
        &self.edges
    }
}

/// A constant force along +Z of a bone, with turbulence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "EzForceField")]
#[serde(deny_unknown_fields)]
pub struct EzForceField<N = BoneId> {
    /// The bone; only its rotation matters.
    #[serde(rename = "node")]
    pub bone: N,
    /// While disabled it has no force; its clock continues.
    pub enabled: bool,
    /// Delay between root and tip of a chain, seconds.
    pub conductivity: f32,
    /// Along +Z, metres per second per frame.
    pub force: f32,
    /// Amplitude on each axis of the bone, metres per second per frame.
    #[schemars(with = "[f32; 3]")]
    pub turbulence: Vec3,
    /// Kind of turbulence.
    pub mode: Turbulence,
}

/// Turbulence of a force field on each axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Turbulence {
    /// Curves over 0 to 1 that repeat after every cycle; multiplied by the turbulence.
    Curve {
        /// Seconds.
        cycle: f32,
        /// One per axis.
        curves: Box<[Curve; 3]>,
    },
    /// Noise in both directions.
    Perlin {
        /// Frequency on each axis, Hz.
        #[schemars(with = "[f32; 3]")]
        frequency: Vec3,
    },
}

impl EzSetup {
    pub(crate) fn referenced_bones(&self) -> impl Iterator<Item = BoneId> {
        let field = self.force_field.as_ref().map(|field| field.bone);
        [self.simulate_space, self.gravity_aligner, field].into_iter().flatten()
    }
}

impl<N> EzForceField<N> {
    /// Creates a force field with the default values of `EZSoftBone`.
    pub fn new(bone: N) -> Self {
        Self {
            bone,
            enabled: true,
            conductivity: 0.15,
            force: 1.0,
            turbulence: Vec3::new(1.0, 0.5, 2.0),
            mode: Turbulence::Perlin { frequency: Vec3::new(1.0, 1.0, 1.5) },
        }
    }
}

impl Turbulence {
    /// Returns the default curves of `EZSoftBone`: a linear rise, a smooth rise and a smooth fall within two seconds.
    pub fn default_curves() -> Self {
        let curves = [CurveShape::LinearRise, CurveShape::SmoothRise, CurveShape::SmoothFall].map(Curve::from_shape);
        Self::Curve { cycle: 2.0, curves: Box::new(curves) }
    }
}

/// Returns the force at position `along` on the chain (0 to 1) and time `clock` in seconds, in world space, in metres
/// per second per frame.
pub(super) fn force_at(field: Option<&EzForceField>, clock: f32, along: f32, frames: &[Frame]) -> Vec3 {
    let Some(field) = field.filter(|field| field.enabled) else { return Vec3::ZERO };
    let Some(frame) = frames.get(field.bone.index()) else { return Vec3::ZERO };
    let force = frame.rotation * local_force(field, clock - field.conductivity * along);
    if force.is_finite() { force } else { Vec3::ZERO }
}

fn local_force(field: &EzForceField, time: f32) -> Vec3 {
    let swing = match &field.mode {
        Turbulence::Curve { cycle, curves } => {
            let share = time.rem_euclid(*cycle) / cycle;
            Vec3::from([0, 1, 2].map(|axis| curves[axis].eval(share)))
        }
        // Each axis samples a different line of the noise.
        Turbulence::Perlin { frequency } => {
            let noise = |swings: f32, line| perlin(time * swings, line) * 2.0 - 1.0;
            Vec3::new(noise(frequency.x, 0.0), noise(frequency.y, 0.5), noise(frequency.z, 1.0))
        }
    };
    Vec3::Z * field.force + field.turbulence * swing
}

/// Ken Perlin's permutation, from the reference of "Improving Noise" (SIGGRAPH 2002).
const PERMUTATION: [u8; 256] = [
    151, 160, 137, 91, 90, 15, 131, 13, 201, 95, 96, 53, 194, 233, 7, 225, 140, 36, 103, 30, 69, 142, 8, 99, 37, 240,
    21, 10, 23, 190, 6, 148, 247, 120, 234, 75, 0, 26, 197, 62, 94, 252, 219, 203, 117, 35, 11, 32, 57, 177, 33, 88,
    237, 149, 56, 87, 174, 20, 125, 136, 171, 168, 68, 175, 74, 165, 71, 134, 139, 48, 27, 166, 77, 146, 158, 231, 83,
    111, 229, 122, 60, 211, 133, 230, 220, 105, 92, 41, 55, 46, 245, 40, 244, 102, 143, 54, 65, 25, 63, 161, 1, 216,
    80, 73, 209, 76, 132, 187, 208, 89, 18, 169, 200, 196, 135, 130, 116, 188, 159, 86, 164, 100, 109, 198, 173, 186,
    3, 64, 52, 217, 226, 250, 124, 123, 5, 202, 38, 147, 118, 126, 255, 82, 85, 212, 207, 206, 59, 227, 47, 16, 58, 17,
    182, 189, 28, 42, 223, 183, 170, 213, 119, 248, 152, 2, 44, 154, 163, 70, 221, 153, 101, 155, 167, 43, 172, 9, 129,
    22, 39, 253, 19, 98, 108, 110, 79, 113, 224, 232, 178, 185, 112, 104, 218, 246, 97, 228, 251, 34, 242, 193, 238,
    210, 144, 12, 191, 179, 162, 241, 81, 51, 145, 235, 249, 14, 239, 107, 49, 192, 214, 31, 181, 199, 106, 157, 184,
    84, 204, 176, 115, 121, 50, 45, 127, 4, 150, 254, 138, 236, 205, 93, 222, 114, 67, 29, 24, 72, 243, 141, 128, 195,
    78, 66, 215, 61, 156, 180,
];

/// Bounds of the noise that Unity maps to 0 and 1. At integers, the noise is 0 and maps to 0.465.
const NOISE_MIN: f32 = -0.69;
const NOISE_MAX: f32 = 0.793;

/// Returns smooth noise of about 0 to 1, like Unity's `Mathf.PerlinNoise`.
pub(super) fn perlin(x: f32, y: f32) -> f32 {
    (noise(x.abs(), y.abs()) - NOISE_MIN) / (NOISE_MAX - NOISE_MIN)
}

fn noise(x: f32, y: f32) -> f32 {
    let (column, row) = (lattice_index(x), lattice_index(y));
    let (x, y) = (x - x.floor(), y - y.floor());
    let (u, v) = (fade(x), fade(y));
    let corner = |right: u8, up: u8| {
        let hash = permute(permute(permute(column.wrapping_add(right)).wrapping_add(row.wrapping_add(up))));
        gradient(hash, x - f32::from(right), y - f32::from(up))
    };
    let low = lerp(u, corner(0, 0), corner(1, 0));
    let high = lerp(u, corner(0, 1), corner(1, 1));
    lerp(v, low, high)
}

fn lattice_index(x: f32) -> u8 {
    (x.floor() as i64 & 255) as u8
}

fn permute(at: u8) -> u8 {
    PERMUTATION[usize::from(at)]
}

fn fade(t: f32) -> f32 {
    t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
}

fn lerp(t: f32, a: f32, b: f32) -> f32 {
    a + t * (b - a)
}

/// Returns the gradient along one of twelve directions to the edges of a cube, projected to XY.
fn gradient(hash: u8, x: f32, y: f32) -> f32 {
    let h = hash & 15;
    let u = if h < 8 { x } else { y };
    let v = match h {
        0..4 => y,
        12 | 14 => x,
        _ => 0.0,
    };
    (if h & 1 == 0 { u } else { -u }) + (if h & 2 == 0 { v } else { -v })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Trs;
    use glam::Quat;

    fn field(mode: Turbulence) -> EzForceField {
        EzForceField { conductivity: 0.5, mode, ..EzForceField::new(BoneId(0)) }
    }

    fn frames() -> [Frame; 1] {
        [Frame::WORLD.child(&Trs { rotation: Quat::from_rotation_y(1.0), ..Trs::IDENTITY })]
    }

    #[track_caller]
    fn assert_near(a: Vec3, b: Vec3) {
        assert!((a - b).length() < 1e-5, "{a}, not {b}");
    }

    #[test]
    fn turbulence_curves_add_to_the_constant_force_and_repeat() {
        let field = field(Turbulence::default_curves());
        assert_near(local_force(&field, 0.0), Vec3::new(0.0, 0.0, 3.0));
        assert_near(local_force(&field, 1.0), Vec3::new(0.5, 0.25, 2.0));
        assert_near(local_force(&field, 1.5), local_force(&field, 3.5));
        assert_near(local_force(&field, -0.5), local_force(&field, 1.5));
    }

    #[test]
    fn the_force_reaches_the_tip_after_a_delay_and_follows_the_bones_rotation() {
        for mode in [Turbulence::default_curves(), EzForceField::new(BoneId(0)).mode] {
            let field = field(mode);
            assert_near(force_at(Some(&field), 1.5, 1.0, &frames()), force_at(Some(&field), 1.0, 0.0, &frames()));
            assert_near(force_at(Some(&field), 1.0, 0.0, &frames()), frames()[0].rotation * local_force(&field, 1.0));
            assert!(local_force(&field, 0.3) != local_force(&field, 1.3));
            assert_eq!(force_at(Some(&EzForceField { enabled: false, ..field }), 1.0, 0.0, &frames()), Vec3::ZERO);
        }
    }

    #[test]
    fn non_finite_fields_give_a_finite_force() {
        let Turbulence::Curve { curves, .. } = Turbulence::default_curves() else { panic!("curves") };
        let none = [
            EzForceField { force: f32::NAN, ..field(Turbulence::default_curves()) },
            EzForceField { conductivity: f32::INFINITY, ..EzForceField::new(BoneId(0)) },
            EzForceField { turbulence: Vec3::INFINITY, ..EzForceField::new(BoneId(0)) },
            field(Turbulence::Curve { cycle: f32::NAN, curves: curves.clone() }),
        ];
        for field in none {
            let found = force_at(Some(&field), 1.0, 1.0, &frames());
            assert!(found.is_finite(), "{field:?}: {found}");
        }
        assert!(force_at(Some(&field(Turbulence::Curve { cycle: 0.0, curves })), 1.0, 1.0, &frames()).is_finite());
    }

    #[test]
    fn the_permutation_contains_each_number_once() {
        let mut all = PERMUTATION;
        all.sort_unstable();
        assert!(all.iter().enumerate().all(|(i, n)| usize::from(*n) == i));
    }

    #[test]
    fn perlin_matches_unity_at_integers_and_is_smooth() {
        for i in 0..300_u16 {
            let at = f32::from(i);
            assert!((perlin(at, 0.0) - 0.465_273_1).abs() < 1e-6);
            let (before, after) = (perlin(at + 0.499, 0.5), perlin(at + 0.501, 0.5));
            assert!((before - after).abs() < 0.02, "a jump at {at}");
        }
    }

    #[test]
    fn perlin_covers_about_0_to_1() {
        let all: Vec<f32> = (0..5000_u16).map(|i| perlin(f32::from(i) * 0.073, 0.5)).collect();
        let (low, high) = all.iter().fold((1.0_f32, 0.0_f32), |(low, high), v| (low.min(*v), high.max(*v)));
        assert!(low > -0.1 && low < 0.25 && high < 1.1 && high > 0.75, "{low} to {high}");
    }
}
