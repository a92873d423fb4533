//! What `SPCRJointDynamics` knows of a system beyond what every solver does.

use crate::rig::BoneId;

/// What the engine keeps on points, colliders, grabbers and planes. Empty lists mean the engine's defaults.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointDynamicsSetup {
    /// Of each joint, by position; a joint without an entry has the defaults.
    pub points: Vec<JointDynamicsPoint>,
    /// Of each collider, by position; a collider without an entry has the defaults.
    pub colliders: Vec<JointDynamicsCollider>,
    /// Balls that catch points.
    pub grabbers: Vec<Grabber>,
    /// Nodes whose XZ plane no point sinks below; their +Y is up.
    pub planes: Vec<BoneId>,
}

/// The engine's `SPCRJointDynamicsPoint`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointDynamicsPoint {
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
    pub aim_child: Option<BoneId>,
    /// Share of the animated position, 0 to 1: the engine's `SetPointDynamicsRatio`.
    pub fade: f32,
}

impl Default for JointDynamicsPoint {
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

/// What the engine's collider has beyond its shape.
#[derive(Clone, Copy, Debug, PartialEq)]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grabber {
    /// Where it is.
    pub bone: BoneId,
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
