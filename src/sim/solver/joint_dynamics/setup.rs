//! What `SPCRJointDynamics` knows of a system beyond what every solver does.

use crate::rig::BoneId;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the engine keeps on points, colliders, grabbers and planes. Empty lists mean the engine's defaults. `N` names a
/// bone; `P` and `C` list what is kept on points and on colliders.
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
    /// The engine's `_RootPointTbl`: bones that columns begin with, neighbours side by side. Columns that it does not
    /// name stand behind, by the numbers of their chains.
    #[serde(rename = "columns")]
    pub roots: Vec<N>,
    /// Of each joint, by position; a joint without an entry has the defaults.
    #[schemars(description = "Points by the bones of their joints; a joint without an entry has the defaults.")]
    pub points: P,
    /// Of each collider, by position; a collider without an entry has the defaults.
    #[serde(rename = "frictions")]
    #[schemars(description = "Colliders by name; a collider without an entry has the defaults.")]
    pub colliders: C,
    /// Balls that catch points.
    pub grabbers: Vec<Grabber<N>>,
    /// Nodes whose XZ plane no point sinks below; their +Y is up.
    pub planes: Vec<N>,
}

impl<N, P: Default, C: Default> Default for JointDynamicsSetup<N, P, C> {
    fn default() -> Self {
        let (points, colliders) = (P::default(), C::default());
        Self { roots: Vec::new(), points, colliders, grabbers: Vec::new(), planes: Vec::new() }
    }
}

impl<N: Clone, P, C> JointDynamicsSetup<N, P, C> {
    /// The same with other names for bones and other lists of points and colliders; what names a bone that has none is
    /// left out.
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

/// The engine's `SPCRJointDynamicsPoint`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "JointDynamicsPoint")]
#[serde(default, deny_unknown_fields)]
pub struct JointDynamicsPoint<N = BoneId> {
    /// Whether the point keeps its animated position; only the first of a column does where absent.
    pub fixed: Option<bool>,
    /// Divides the wind.
    pub mass: f32,
    /// Thickness, metres.
    pub radius: f32,
    /// How far the point may go from where it stands below its grandparent, metres; below 0 as far as it likes.
    pub movable_limit_radius: f32,
    /// Whether triangles at the point meet colliders.
    pub surface_collision: bool,
    /// Whether colliders that keep things inside keep the point.
    pub invert_collision: bool,
    /// Which of its children the bone aims at; the last one where absent.
    pub aim_child: Option<N>,
    /// Share of the animated position, 0 to 1: the engine's `SetPointDynamicsRatio`.
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
    /// The same with other names for bones.
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

/// What the engine's collider has beyond its shape.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct JointDynamicsCollider {
    /// 0 to 1.
    pub friction: f32,
    /// What a capsule does with triangles that its side has passed.
    pub surface_force: SurfaceForce,
}

impl Default for JointDynamicsCollider {
    fn default() -> Self {
        Self { friction: 0.5, surface_force: SurfaceForce::Off }
    }
}

/// Where a capsule drives triangles that run through its axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum SurfaceForce {
    /// Nowhere.
    #[default]
    Off,
    /// Back out of its first end.
    Push,
    /// Back out of its other end.
    Pull,
}

/// A ball that catches points which come near, and takes them along.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Grabber")]
#[serde(deny_unknown_fields)]
pub struct Grabber<N = BoneId> {
    /// Where it is.
    #[serde(rename = "node")]
    pub bone: N,
    /// How near points must come, metres.
    pub radius: f32,
    /// Share of the way to the grabber in every step, 0 to 1.
    pub force: f32,
    /// A grabber that is off lets go.
    pub enabled: bool,
}

/// What a link of a network keeps apart.
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
    /// All of them; their positions are those of the rows of tables.
    pub const ALL: [Self; 5] = [
        Self::StructuralVertical,
        Self::StructuralHorizontal,
        Self::Shear,
        Self::BendingVertical,
        Self::BendingHorizontal,
    ];
}
