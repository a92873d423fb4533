//! Component lists of `SPCRJointDynamics`: values that only this solver has.

use crate::rig::BoneId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Values of points, colliders, grabbers and planes. Missing entries are defaults. `N` is a bone reference; `P` and
/// `C` are lists of point and collider values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(
    bound = "N: JsonSchema, P: Default + JsonSchema, C: Default + JsonSchema",
    rename = "JointDynamicsSetup",
    description = "Component lists of `SPCRJointDynamics`."
)]
#[serde(
    default,
    deny_unknown_fields,
    bound(deserialize = "N: Deserialize<'de>, P: Default + Deserialize<'de>, C: Default + Deserialize<'de>")
)]
pub struct JointDynamicsSetup<N = BoneId, P = Vec<JointDynamicsPoint<N>>, C = Vec<JointDynamicsCollider>> {
    /// `_RootPointTbl`: root bones of the columns, neighbours adjacent. Columns without entry follow, by the numbers
    /// of their chains.
    #[serde(rename = "columns")]
    pub roots: Vec<N>,
    /// One per joint; missing entries are defaults.
    #[schemars(description = "Points by the bones of their joints; a joint without an entry has the defaults.")]
    pub points: P,
    /// One per collider; missing entries are defaults.
    #[serde(rename = "frictions")]
    #[schemars(description = "Colliders by name; a collider without an entry has the defaults.")]
    pub colliders: C,
    /// Spheres that grab points.
    pub grabbers: Vec<Grabber<N>>,
    /// Nodes whose XZ plane stops points from below; their +Y is up.
    pub planes: Vec<N>,
}

impl<N, P: Default, C: Default> Default for JointDynamicsSetup<N, P, C> {
    fn default() -> Self {
        let (points, colliders) = (P::default(), C::default());
        Self { roots: Vec::new(), points, colliders, grabbers: Vec::new(), planes: Vec::new() }
    }
}

impl<N: Clone, P, C> JointDynamicsSetup<N, P, C> {
    /// Maps the bones and replaces the lists. Bones that map to `None` are removed.
    pub fn map<M, Q, D>(
        &self,
        mut name: impl FnMut(N) -> Option<M>,
        points: Q,
        colliders: D,
    ) -> JointDynamicsSetup<M, Q, D> {
        let roots = self.roots.iter().cloned().filter_map(&mut name).collect();
        let planes = self.planes.iter().cloned().filter_map(&mut name).collect();
        let grabber = |g: &Grabber<N>| {
            Some(Grabber { bone: name(g.bone.clone())?, radius: g.radius, force: g.force, enabled: g.enabled })
        };
        JointDynamicsSetup {
            roots,
            points,
            colliders,
            grabbers: self.grabbers.iter().filter_map(grabber).collect(),
            planes,
        }
    }
}

/// `SPCRJointDynamicsPoint`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "JointDynamicsPoint")]
#[serde(default, deny_unknown_fields)]
pub struct JointDynamicsPoint<N = BoneId> {
    /// Whether the point keeps its animated position; by default only the first of a column.
    pub fixed: Option<bool>,
    /// Divides the wind.
    pub mass: f32,
    /// Thickness, metres.
    pub radius: f32,
    /// Largest distance from its rest position below its grandparent, metres; negative without limit.
    pub movable_limit_radius: f32,
    /// Whether triangles at the point hit colliders.
    pub surface_collision: bool,
    /// Whether inside colliders keep the point.
    pub invert_collision: bool,
    /// The child that the bone aims at; by default the last.
    pub aim_child: Option<N>,
    /// `SetPointDynamicsRatio`: share of the animated position, 0 to 1.
    pub fade: f32,
}

impl<N> Default for JointDynamicsPoint<N> {
    fn default() -> Self {
        Self {
            fixed: None,
            mass: 1.0,
            radius: 0.0,
            movable_limit_radius: -1.0,
            surface_collision: true,
            invert_collision: true,
            aim_child: None,
            fade: 0.0,
        }
    }
}

impl<N: Clone> JointDynamicsPoint<N> {
    /// Maps the bones. An aim child that maps to `None` is removed.
    pub fn map<M>(&self, name: impl FnMut(N) -> Option<M>) -> JointDynamicsPoint<M> {
        let Self { fixed, mass, radius, movable_limit_radius, surface_collision, invert_collision, fade, .. } = *self;
        let aim_child = self.aim_child.clone().and_then(name);
        JointDynamicsPoint {
            fixed,
            mass,
            radius,
            movable_limit_radius,
            surface_collision,
            invert_collision,
            aim_child,
            fade,
        }
    }
}

/// Values of a collider besides its shape.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct JointDynamicsCollider {
    /// 0 to 1.
    pub friction: f32,
    /// What a capsule does to triangles that its side has passed.
    pub surface_force: SurfaceForce,
}

impl Default for JointDynamicsCollider {
    fn default() -> Self {
        Self { friction: 0.5, surface_force: SurfaceForce::Off }
    }
}

/// Direction in which a capsule pushes triangles that cut its axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum SurfaceForce {
    /// No push.
    #[default]
    Off,
    /// Back over its first end.
    Push,
    /// Back over its other end.
    Pull,
}

/// A sphere that grabs near points and moves them along.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Grabber")]
#[serde(deny_unknown_fields)]
pub struct Grabber<N = BoneId> {
    /// Bone of the grabber.
    #[serde(rename = "node")]
    pub bone: N,
    /// Largest distance at which points are grabbed, metres.
    pub radius: f32,
    /// Share of the way to the grabber in every step, 0 to 1.
    pub force: f32,
    /// A disabled grabber releases its points.
    pub enabled: bool,
}

/// Kind of a link of the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LinkKind {
    /// Parent and child.
    StructuralVertical,
    /// Neighbours of one depth.
    StructuralHorizontal,
    /// A point and its neighbour's child.
    Shear,
    /// A point and its grandchild.
    BendingVertical,
    /// Points of one depth, two columns apart.
    BendingHorizontal,
}

impl LinkKind {
    /// All kinds, in the order of the parameter table.
    pub const ALL: [Self; 5] = [
        Self::StructuralVertical,
        Self::StructuralHorizontal,
        Self::Shear,
        Self::BendingVertical,
        Self::BendingHorizontal,
    ];
}
