//! VRM spring bones, 1.0 and 0.x, after the reference code of `VRMC_springBone` and what its runtimes do.
//!
//! Each joint swings its tip (VRM: tail) about its head by inertia and a pull towards its rest direction, keeps its
//! length, is pushed out of colliders one after the other, and is turned to point at its tip by the shortest arc, so
//! that no twist ever comes in. Pull and gravity are metres per second: they count `dt` once. Inertia is measured
//! in the space of a joint's center, gravity in the world. A frame that lasts no time changes nothing.
//!
//! Where runtimes differ from the specification, [`PreviewRuntime`] chooses. Not shown: `UniVRM` evaluates springs side by
//! side on the frame's first pose, so that a collider carried by another spring is a frame late there.

mod build;
mod colliders;
mod limits;
mod order;
mod params;
mod response;
mod step;

use limits::BakedLimit;
pub use limits::{SwingLimit, SwingShape, VrmJoint};
pub use params::*;

use super::super::{
    ColliderShape, Dynamics, Inspect, Scene, Solver, SolverInfo, SolverKind, SolverOrigin, SystemSetup, TipState,
};
use super::batch::Batch;
use crate::math::Frame;
use crate::params::ParamId;
use crate::rig::{Skeleton, WorldPose};
use crate::sim::collider::{ContactSphere, SurfacePoint, WorldCollider};
use crate::sim::solver::ContactQuery;
use crate::sim::vec_util::IndexRange;
use glam::{Quat, Vec3};

/// How far beyond a leaf its virtual tip lies, metres.
pub const LEAF_LENGTH: f32 = 0.07;

/// The solver.
#[derive(Clone, Copy, Debug)]
pub struct Vrm;

/// Whose ways are shown where they differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PreviewRuntime {
    /// Those of the specification; `fresh` in the recordings.
    #[default]
    Specification,
    /// Lengths of the rest pose, capsules tested at the head, no second look at the length after planes and inside
    /// shapes, radii that follow scale.
    UniVrm,
    /// Lengths measured to where the tip's bone stood one frame before; `as_shipped` in the recordings.
    ThreeVrm,
}

impl PreviewRuntime {
    /// The choice that a value of [`PREVIEW_AS`] stands for.
    pub const fn from_param(value: f32) -> Self {
        if value < 0.5 {
            Self::Specification
        } else if value < 1.5 {
            Self::UniVrm
        } else {
            Self::ThreeVrm
        }
    }
}

/// Topology and rest data of one joint.
#[derive(Clone, Debug, PartialEq)]
pub struct JointRest {
    bone: u32,
    parent: u32,
    enabled: bool,
    /// Whether the bone itself is scaled in the rest pose.
    scaled: bool,
    /// The bone whose origin is the tip, below `bone`; `WORLD` where the tip is a point of `bone`.
    tip_bone: u32,
    /// The tip at rest in bone space, metres.
    tip: Vec3,
    /// Its distance from the head in bone space, metres.
    local_length: f32,
    /// The same in the world.
    rest_length: f32,
    /// Where the tip begins in bone space, metres: `tip`, but for what some runtimes make of it.
    aim_point: Vec3,
    /// Towards `child`, unit length or zero.
    axis: Vec3,
    /// The same at rest in the parent's space.
    rest_axis_in_parent: Vec3,
    /// The bone's local transform in the rest pose.
    translation: Vec3,
    rotation: Quat,
    scale: Vec3,
    /// What speed is measured relative to, or `WORLD`.
    center: u32,
    /// Position in `RemapOutcome::last_centers`, where there is a center.
    center_index: u32,
    /// Position in [`Rest::limits`]; `u32::MAX` for none.
    limit_index: u32,
    /// Part of [`Rest::colliders`].
    colliders: IndexRange,
    /// Part of [`Rest::bones_to_refresh`]: bones to be moved along before the next joint.
    bones_to_refresh: IndexRange,
    /// Part of [`Rest::child_colliders`]: colliders to be moved along.
    child_colliders: IndexRange,
}

/// Topology and rest data; joints after all that they read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rest {
    joints: Vec<JointRest>,
    /// The joints in their order, as many at a time as do not wait for each other.
    batches: Vec<Batch>,
    colliders: Vec<u32>,
    bones_to_refresh: Vec<u32>,
    child_colliders: Vec<u32>,
    limits: Vec<BakedLimit>,
    /// Position of each joint of the setup among `joints`.
    solver_indices: Vec<u32>,
    /// Read at set-up, since it decides what a joint's axis is.
    preview: PreviewRuntime,
}

/// Baked numbers of one joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// Metres per second.
    stiffness: f32,
    /// Metres per second.
    gravity: Vec3,
    velocity_retention: f32,
    /// Metres.
    radius: f32,
}

/// Baked numbers of the system.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct System {
    preview: PreviewRuntime,
    /// Whether hit radii follow scale where the preview lets radii do so.
    is_vrm0: bool,
    model_scale: f32,
}

/// What steps change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// In the world; carried along when a center moves.
    tips: Vec<Vec3>,
    previous: Vec<Vec3>,
    /// Where the tip bones stood when the last step ended.
    last_tip_bone_positions: Vec<Vec3>,
    /// The centers as they stood when tips were written.
    last_centers: Vec<Frame>,
    /// The colliders as they stand now.
    world_colliders: Vec<WorldCollider>,
}

impl TipState for State {
    fn tip(&self, joint: usize) -> Vec3 {
        self.tips[joint]
    }

    fn previous_tip(&self, joint: usize) -> Vec3 {
        self.previous[joint]
    }

    fn set_tip(&mut self, joint: usize, tip: Vec3, previous: Vec3) {
        self.tips[joint] = tip;
        self.previous[joint] = previous;
    }
}

impl Solver for Vrm {
    const INFO: SolverInfo = SolverInfo {
        origin: SolverOrigin::Format,
        unsupported: response::UNSUPPORTED,
        shapes: &[
            ColliderShape::SPHERE,
            ColliderShape::SPHERE.inverted(),
            ColliderShape::CAPSULE,
            ColliderShape::CAPSULE.inverted(),
            ColliderShape::PLANE,
        ],
        preview_param: Some(PREVIEW_AS),
        leaf_length: Some(LEAF_LENGTH),
        can_set_rest_pose: true,
        ..SolverInfo::new(SolverKind::Vrm, PARAMS)
    };
}

impl Dynamics for Vrm {
    type Rest = Rest;
    type Params = Params;
    type System = System;
    type State = State;

    fn build(setup: &SystemSetup, skeleton: &Skeleton, world: &WorldPose) -> (Rest, State) {
        build::build(setup, skeleton, world)
    }

    fn solver_indices(rest: &Rest) -> &[u32] {
        &rest.solver_indices
    }

    fn bake(mut get: impl FnMut(ParamId) -> f32) -> Params {
        Params {
            stiffness: get(STIFFNESS),
            gravity: Vec3::from(GRAVITY_DIR.map(&mut get)) * get(GRAVITY_POWER),
            velocity_retention: 1.0 - get(DRAG),
            radius: get(HIT_RADIUS),
        }
    }

    fn bake_system(mut get: impl FnMut(ParamId) -> f32) -> System {
        System {
            preview: PreviewRuntime::from_param(get(PREVIEW_AS)),
            is_vrm0: get(VERSION) >= 0.5,
            model_scale: get(MODEL_SCALE),
        }
    }

    fn step(rest: &Rest, params: &[Params], system: &System, state: &mut State, scene: &mut Scene<'_>, dt: f32) {
        step::solve(rest, params, *system, state, scene, dt);
    }

    fn reset(rest: &Rest, state: &mut State, scene: &mut Scene<'_>) {
        build::reset_to_rest(rest, state, scene);
    }

    fn update_switches(rest: &mut Rest, setup: &SystemSetup) {
        for (joint, place) in setup.joints.iter().zip(&rest.solver_indices) {
            rest.joints[*place as usize].enabled = joint.enabled;
        }
    }

    fn set_rest_pose(rest: &mut Rest, state: &mut State, scene: &mut Scene<'_>) {
        build::set_rest_pose(rest, state, scene.pose, scene.parents, scene.frames);
    }

    fn point_at(rest: &Rest, joint: usize, tip: Vec3, scene: &mut Scene<'_>) {
        let joint = &rest.joints[joint];
        step::point_joint_at(joint, scene, tip);
        step::refresh_below(rest, joint, scene);
    }

    fn starts_from_last_rotation(_: &System) -> bool {
        true
    }
}

impl Inspect for Vrm {
    fn contact_sphere<'a>(query: &ContactQuery<'a, Self>) -> Option<ContactSphere<'a>> {
        let ContactQuery { rest, params, system, joint, tip, .. } = *query;
        let joint = &rest.joints[joint];
        Some(ContactSphere::new(tip, params.radius * system.model_scale, joint.colliders.slice(&rest.colliders)))
    }

    fn nearest_surface(
        query: &ContactQuery<'_, Self>,
        ball: &ContactSphere<'_>,
        collider: u32,
    ) -> Option<SurfacePoint> {
        let (collider, frame) = query.posed_scene.collider(collider);
        colliders::world_collider(collider, frame, *query.system).nearest_surface(ball.center)
    }

    fn rest_length(rest: &Rest, joint: usize) -> f32 {
        rest.joints[joint].rest_length
    }

    fn tip_offset(rest: &Rest, joint: usize) -> Vec3 {
        rest.joints[joint].axis * rest.joints[joint].rest_length
    }
}
