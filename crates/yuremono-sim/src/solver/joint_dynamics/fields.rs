//! Parameter tables of points, grabbers and what the network adds to colliders.

use super::setup::{Grabber, JointDynamicsCollider, JointDynamicsPoint, SurfaceForce};
use crate::params::{FieldValue, ParamMeaning, fields};
use crate::solver::list_fields::{CONTACT_TOGGLE, LENGTH, NUMBER, RATIO, TOGGLE};

fields! {
    /// A grabber.
    pub const GRABBER_FIELDS[N] of Grabber<N>, "SPCRJointDynamicsPointGrabber";

    /// Distance within which points are caught, in metres.
    radius = "_Radius" "Reach" { default: 0.05, ..LENGTH };
    /// Share of the distance to the grabber that a caught point moves per step, 0 to 1.
    force = "_Force" "Grab force" { default: 0.5, meaning: ParamMeaning::Limit, ..RATIO };
    /// A grabber that is off releases all points.
    enabled = "enabled" "Catches" { ..TOGGLE };
}

fields! {
    /// A point of a network.
    pub const POINT_FIELDS[N] of JointDynamicsPoint<N>, "SPCRJointDynamicsPoint";

    /// Whether the point stays on the animated pose; by default only the first point of each column does.
    fixed = "_IsFixed" "Held" { meaning: ParamMeaning::Switch, ..NUMBER.choice(&["Root only", "Free", "Held"]) };
    /// Mass of the point: divides the effect of wind.
    mass = "_Mass" "Mass" { range: (0.001, 1000.0), soft_range: (0.1, 10.0), default: 1.0, ..NUMBER };
    /// Hit radius of the point, in metres.
    radius = "_PointRadius" "Radius" { soft_range: (0.0, 0.1), ..LENGTH };
    /// Greatest distance of the point from its rest position below its grandparent, in metres; below 0 unlimited.
    movable_limit_radius = "_MovableLimitRadius" "Leash" {
        range: (-1.0, 10.0), soft_range: (-1.0, 1.0), default: -1.0, meaning: ParamMeaning::Limit, ..LENGTH
    };
    /// Share of the animated pose in the result, 0 to 1.
    fade = "_DynamicsRatio" "Animated" { meaning: ParamMeaning::Limit, ..RATIO };
    /// Whether triangles at the point collide, if the component enables surface collision.
    surface_collision = "_UseForSurfaceCollision" "Surface" { ..CONTACT_TOGGLE };
    /// Whether inside colliders act on the point.
    invert_collision = "_ApplyInvertCollision" "Kept inside" { ..CONTACT_TOGGLE };
}

fields! {
    /// What a network adds to a collider.
    pub const COLLIDER_FIELDS of JointDynamicsCollider, "SPCRJointDynamicsCollider";

    /// Friction of points that touch the collider, 0 to 1.
    friction = "_Friction" "Friction" { default: 0.5, meaning: ParamMeaning::Contact, ..RATIO };
    /// How a capsule moves triangles that cross its axis: not at all, or out of its first or second end.
    surface_force = "_SurfaceColliderForce" "Cloth inside" {
        meaning: ParamMeaning::Contact, ..NUMBER.choice(&["Stays", "Pushed out", "Pulled out"])
    };
}

impl FieldValue for SurfaceForce {
    fn number_at(&self, _: usize) -> f32 {
        f32::from(*self as u8)
    }

    fn set_number_at(&mut self, _: usize, value: f32) {
        *self = match value {
            value if value >= 1.5 => Self::Pull,
            value if value >= 0.5 => Self::Push,
            _ => Self::Off,
        };
    }
}
