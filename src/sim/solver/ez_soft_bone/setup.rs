//! What `EZSoftBone` knows of a component and its colliders beyond what every solver does.

use crate::math::{Curve, CurveShape};
use crate::rig::BoneId;
use glam::Vec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What `EZSoftBone` adds to a system; `N` names a bone, `C` lists what is added to colliders.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(
    bound = "N: JsonSchema, C: Default + JsonSchema",
    rename = "EzSetup",
    description = "Component lists of `EZSoftBone`."
)]
#[serde(default, deny_unknown_fields, bound(deserialize = "N: Deserialize<'de>, C: Default + Deserialize<'de>"))]
pub struct EzSetup<N = BoneId, C = Vec<EzCollider>> {
    /// Between two frames, positions are kept in the space of this bone, so that its motion is not felt.
    pub simulate_space: Option<N>,
    /// Gravity counts by how far this bone has turned it away: not at all as it stood, in full upside down.
    pub gravity_aligner: Option<N>,
    /// What blows. Its numbers are read again by [`World::bake`](crate::sim::World::bake).
    pub force_field: Option<EzForceField<N>>,
    /// What is added to each collider of the system, by position; one without an entry has none of it. Read again by
    /// [`World::bake`](crate::sim::World::bake), hulls apart.
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
    /// The same with other names for bones and another list of colliders; what names a bone that has none is left out.
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

/// What `EZSoftBone` adds to a collider.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EzCollider {
    /// Metres that it keeps beyond its shape.
    pub margin: f32,
    /// A convex mesh in place of the shape, which is then for pictures only.
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

/// What [`ConvexHull::new`] takes.
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
    /// Corners in metres, and faces by positions among them, wound either way. A face that names a corner that is not
    /// there is no face.
    pub fn new(points: Vec<Vec3>, faces: Vec<[u32; 3]>) -> Self {
        let is_there = |at: &u32| (*at as usize) < points.len();
        let known = faces.iter().filter(|face| face.iter().all(is_there));
        let around = known.flat_map(|[a, b, c]| [[*a, *b], [*b, *c], [*c, *a]]);
        // Two faces share each edge.
        let edges: BTreeSet<[u32; 2]> = around.map(|[a, b]| [a.min(b), a.max(b)]).collect();
        Self { points, faces, edges: edges.into_iter().collect() }
    }

    /// Corners, metres.
    pub fn points(&self) -> &[Vec3] {
        &self.points
    }

    /// Faces by positions among the corners, as they were given.
    pub fn faces(&self) -> &[[u32; 3]] {
        &self.faces
    }

    /// Every edge once, by positions among the corners, the lower first. Made once, for pictures that are drawn often.
    pub fn edges(&self) -> &Arc<[[u32; 2]]> {
        &self.edges
    }
}

/// A steady force along +Z of a bone, with turbulence about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "EzForceField")]
#[serde(deny_unknown_fields)]
pub struct EzForceField<N = BoneId> {
    /// Where it stands; only its rotation matters.
    #[serde(rename = "node")]
    pub bone: N,
    /// Off, it does not blow; its clock goes on.
    pub enabled: bool,
    /// Seconds by which the far end of a chain feels it later than the root.
    pub conductivity: f32,
    /// Along +Z, metres per second in each frame.
    pub force: f32,
    /// How much each axis of the bone swings, metres per second in each frame.
    #[schemars(with = "[f32; 3]")]
    pub turbulence: Vec3,
    /// How it swings.
    pub mode: Turbulence,
}

/// How a force field swings on each axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Turbulence {
    /// By curves over 0 to 1 that begin anew after every cycle; the turbulence times their height.
    Curve {
        /// Seconds.
        cycle: f32,
        /// One of each axis.
        curves: Box<[Curve; 3]>,
    },
    /// By noise to both sides.
    Perlin {
        /// Swings per second, of each axis.
        #[schemars(with = "[f32; 3]")]
        frequency: Vec3,
    },
}

impl EzSetup {
    /// The bones whose frames are read.
    pub(in crate::sim) fn referenced_bones(&self) -> impl Iterator<Item = BoneId> {
        let field = self.force_field.as_ref().map(|field| field.bone);
        [self.simulate_space, self.gravity_aligner, field].into_iter().flatten()
    }
}

impl<N> EzForceField<N> {
    /// With the engine's numbers.
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
    /// The engine's curves: a straight rise, a soft rise and a soft fall, in two seconds.
    pub fn default_curves() -> Self {
        let curves = [CurveShape::LinearRise, CurveShape::SmoothRise, CurveShape::SmoothFall].map(Curve::from_shape);
        Self::Curve { cycle: 2.0, curves: Box::new(curves) }
    }
}
