//! VRM spring bones 1.0 and 0.x. Follows the reference code of `VRMC_springBone` and its runtimes.
//!
//! Each joint moves its tip (VRM: tail) by inertia and by a pull to its rest direction. Afterwards the tip returns to
//! its distance from the head, and the colliders push the tip out one after the other. The shortest arc points the
//! bone at the tip, so no twist is added. Stiffness and gravity are in metres per second: they are multiplied by `dt`
//! once. Inertia is measured in the space of a joint's center, gravity in the world. A frame of 0 seconds changes
//! nothing.
//!
//! [`PreviewRuntime`] selects the runtime to reproduce if runtimes differ from the specification. Not reproduced:
//! `UniVRM` evaluates all springs on the first pose of the frame, so a collider that another spring moves is one
//! frame late in `UniVRM`.

mod build;
mod colliders;
mod limits;
mod params;
mod step;

use limits::BakedLimit;
pub use limits::{SwingLimit, SwingShape, VrmJoint};
pub use params::*;

use super::super::{
    ColliderShape, Dynamics, Inspect, Solver, SolverInfo, SolverKind, SolverOrigin, StepPose, SystemSetup, TipState,
};
use super::batch::Batch;
use crate::collider::{BoundingSphere, ContactSphere, SurfacePoint, WorldCollider};
use crate::math::Frame;
use crate::params::{ParamId, ParamSet};
use crate::rig::{Skeleton, WorldPose};
use crate::solver::{AimedJoint, ContactQuery};
use crate::vec_util::IndexRange;
use glam::{Quat, Vec3};

/// Distance from a leaf to its virtual tip, in metres.
pub const LEAF_LENGTH: f32 = 0.07;

/// The solver.
#[derive(Clone, Copy, Debug)]
pub struct Vrm;

/// The runtime that the solver reproduces if runtimes differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PreviewRuntime {
    /// The specification. Recordings call this runtime `fresh`.
    #[default]
    Specification,
    /// UniVRM: uses the lengths of the rest pose, tests capsules at the head, and scales radii with the bones. Planes
    /// and inside shapes do not restore the length.
    UniVrm,
    /// three-vrm: measures lengths to the position of the tip bone in the last frame. Recordings call this runtime
    /// `as_shipped`. Version 3.5.5 ignores angle limits.
    ThreeVrm,
}

impl PreviewRuntime {
    /// The runtime for a value of [`PREVIEW_AS`].
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
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointRest {
    bone: u32,
    parent: u32,
    enabled: bool,
    scaled: bool,
    /// The descendant of `bone` whose origin is the tip; `NO_PARENT` if the tip is a point of `bone`.
    tip_bone: u32,
    tip: Vec3,
    /// Length of `tip`, in metres.
    local_length: f32,
    /// Distance from head to tip in the world, in metres.
    rest_length: f32,
    /// The point that the bone aims at, in bone space, in metres: `tip`, unless three-vrm or `UniVRM` is previewed.
    aim_point: Vec3,
    /// Direction of `aim_point` in bone space; unit length or zero.
    axis: Vec3,
    /// The direction `axis` at rest, in the parent's space.
    rest_axis_in_parent: Vec3,
    /// Local transform in the rest pose.
    translation: Vec3,
    rotation: Quat,
    scale: Vec3,
    /// Bone relative to which inertia is measured; `NO_PARENT` without a center.
    center: u32,
    /// Index in [`State::last_centers`], if the joint has a center.
    center_index: u32,
    /// Index in [`Rest::limits`]; `u32::MAX` without a limit.
    limit_index: u32,
    /// Range of [`Rest::colliders`].
    colliders: IndexRange,
    /// Range of [`Rest::bones_to_refresh`]: the bones to update before the next joint.
    bones_to_refresh: IndexRange,
    /// Range of [`Rest::child_colliders`]: the colliders that move with this joint.
    child_colliders: IndexRange,
}

/// Topology and rest data. A joint comes after all joints whose frames or colliders it reads.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rest {
    joints: Vec<JointRest>,
    /// Batches of independent joints that cover `joints` in order.
    batches: Vec<Batch>,
    colliders: Vec<u32>,
    bones_to_refresh: Vec<u32>,
    child_colliders: Vec<u32>,
    limits: Vec<BakedLimit>,
    solver_indices: Vec<u32>,
    /// The previewed runtime. Read when the solver is built, because the runtime determines the axis of a joint.
    preview: PreviewRuntime,
}

/// Baked values of one joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// In metres per second.
    stiffness: f32,
    /// In metres per second.
    gravity: Vec3,
    velocity_retention: f32,
    /// In metres.
    radius: f32,
}

/// Baked values of the system.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct System {
    preview: PreviewRuntime,
    /// Whether the system is VRM 0.x, in which hit radii follow the scale in the `UniVRM` preview, and gravity is in Unity's
    /// space.
    is_vrm0: bool,
    model_scale: f32,
}

impl System {
    /// The gravity of a joint in the world. Files of VRM 0.x contain vectors in Unity's left-handed space, in which Z is
    /// reversed. UniVRM reverses Z; three-vrm uses the vector unchanged, and so does the preview of the specification,
    /// because it is tested against recordings of three-vrm.
    fn gravity(self, params: &Params) -> Vec3 {
        let Vec3 { x, y, z } = params.gravity;
        let is_reversed = self.is_vrm0 && self.preview == PreviewRuntime::UniVrm;
        Vec3::new(x, y, if is_reversed { 0.0 - z } else { z })
    }
}

/// State of the simulation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// Positions of the tips in the world. Each tip moves along with the center of its joint.
    tips: Vec<Vec3>,
    previous: Vec<Vec3>,
    /// Positions of the tip bones at the end of the last step.
    last_tip_bone_positions: Vec<Vec3>,
    /// Frames of the centers in the last step.
    last_centers: Vec<Frame>,
    world_colliders: Vec<WorldCollider>,
    /// One entry per world collider.
    collider_bounds: Vec<BoundingSphere>,
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
        name: "VRM spring bone",
        short_name: "VRM",
        origin: SolverOrigin::Format,
        unsupported: UNSUPPORTED,
        shapes: &[
            ColliderShape::SPHERE,
            ColliderShape::SPHERE.inverted(),
            ColliderShape::CAPSULE,
            ColliderShape::CAPSULE.inverted(),
            ColliderShape::PLANE,
        ],
        preview_param: Some(PREVIEW_AS),
        file_params: &[VERSION],
        leaf_length: Some(LEAF_LENGTH),
        can_set_rest_pose: true,
        independent_chains: true,
        ..SolverInfo::new(SolverKind::Vrm, PARAMS)
    };
}

/// Whether a system follows the rules of VRM 0.x: the joints of a chain share one set of values and have no limits.
pub fn is_version_0(solver: SolverKind, values: &ParamSet) -> bool {
    solver == SolverKind::Vrm && values.get(VERSION) != 0.0
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

    fn step(rest: &Rest, params: &[Params], system: &System, state: &mut State, step_pose: &mut StepPose<'_>, dt: f32) {
        step::solve(rest, params, *system, state, step_pose, dt);
    }

    fn reset(rest: &Rest, state: &mut State, step_pose: &mut StepPose<'_>) {
        build::reset_to_rest(rest, state, step_pose);
    }

    fn update_switches(rest: &mut Rest, setup: &SystemSetup) {
        for (joint, place) in setup.joints.iter().zip(&rest.solver_indices) {
            rest.joints[*place as usize].enabled = joint.enabled;
        }
    }

    fn set_rest_pose(rest: &mut Rest, state: &mut State, step_pose: &mut StepPose<'_>) {
        build::set_rest_pose(rest, state, step_pose.pose, step_pose.parents, step_pose.frames);
    }

    fn aim_joint_at(rest: &Rest, joint: usize, tip: Vec3, step_pose: &mut StepPose<'_>) {
        let joint = &rest.joints[joint];
        step::point_joint_at(joint, step_pose, tip);
        step::refresh_below(rest, joint, step_pose);
    }

    fn reachable_direction(aimed: &AimedJoint<'_, Self>, direction: Vec3) -> Vec3 {
        let joint = &aimed.rest.joints[aimed.joint];
        let parent = aimed.posed_scene.frames.get(joint.parent as usize).unwrap_or(&Frame::WORLD);
        let limit = aimed.rest.limits.get(joint.limit_index as usize);
        limit.map_or(direction, |limit| limit.clamp_direction(parent.rotation, direction))
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

    fn nearest_surface(query: &ContactQuery<'_, Self>, ball: &ContactSphere<'_>, id: u32) -> Option<SurfacePoint> {
        let (collider, frame) = query.posed_scene.collider(id);
        colliders::world_collider(collider, frame, *query.system).nearest_surface(ball.center)
    }

    fn rest_length(rest: &Rest, joint: usize) -> f32 {
        rest.joints[joint].rest_length
    }

    fn tip_offset(rest: &Rest, joint: usize) -> Vec3 {
        rest.joints[joint].axis * rest.joints[joint].rest_length
    }
}
