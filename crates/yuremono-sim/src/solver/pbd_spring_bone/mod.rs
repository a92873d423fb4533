//! Cluster's `PbdSpringBone` (MIT, 2017): follows its published source and adds extensions.
//!
//! Every descendant of a root bone is a point. In each frame a point keeps the velocity of the last frame. The spring
//! pulls the point to its rest position in the space of its current parent bone, gravity and damping change the
//! velocity, spheres push the point out one after the other, and the point returns to bone length. Immediately
//! afterwards, the shortest arc rotates the parent bone towards the point. Links run depth first: a bone with several
//! children rotates once per child, and the last child wins. Independent links form batches. Roots follow the body.
//! Spring is in 1/s², gravity in m/s² along the world's -Y; `damp` applies once per frame, however long the frame is.
//!
//! `PbdSpringBone` never resets rotations: without an Animator, the rest direction is the current direction, so
//! shapes are lost and chains droop. [`NO_ANIMATOR`] reproduces this behaviour; otherwise every frame starts from the
//! animated pose. A leaf has no point; a virtual tip adds a point.
//!
//! Extensions: values per joint instead of one value per batch; all shapes of [`push`](crate::push); ground;
//! lengths that follow the scale; fixed steps; iterated constraints, which first move all points freely and then
//! repeat collisions and lengths.
//!
//! Differs from `PbdSpringBone`: a frame of 0 seconds changes nothing, while `PbdSpringBone` loses all velocity and
//! divides by zero. A point at the position of its parent's point uses the bone's current direction.

mod build;
mod link_batch;
mod params;
mod step;

pub use build::{AimLink, JointRest, Rest};
pub use params::*;

use crate::collider::{ContactSphere, SurfacePoint, WorldCollider};
use crate::params::{ParamId, ParamSet};
use crate::rig::{Skeleton, WorldPose};
use crate::solver::ContactQuery;
use crate::{
    ColliderShape, Dynamics, Inspect, LengthScale, Solver, SolverInfo, SolverKind, StepPose, SystemSetup, TipState,
    Workload,
};
use glam::{Quat, Vec3};

/// The solver.
#[derive(Clone, Copy, Debug)]
pub struct PbdSpringBone;

/// Baked values of one joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// In 1/s².
    spring: f32,
    /// Share of the velocity that remains after a step.
    damp: f32,
    /// In m/s², downwards.
    gravity: f32,
    /// In metres.
    radius: f32,
}

/// Baked values of the system.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct System {
    /// Whether the solver keeps rotations because no animation resets the pose in every frame.
    no_animator: bool,
    follow_scale: bool,
    /// Steps per second; 0 runs one step per frame.
    step_rate: f32,
    /// Iterations of the constraints; 0 runs the single pass of `PbdSpringBone`.
    iterations: u32,
    /// Height of the ground, in metres in the world; `None` without ground.
    ground: Option<f32>,
}

/// State of the simulation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// The point of each link, in metres in the world.
    points: Vec<Vec3>,
    /// The points one step earlier.
    previous: Vec<Vec3>,
    /// Local rotation of each joint at the start of the frame.
    start_rotations: Vec<Quat>,
    /// The last link of each joint. The point of this link is the joint's tip.
    tip_links: Vec<u32>,
    colliders: Vec<WorldCollider>,
    /// Length of the last step, in seconds; 0 before the first step.
    previous_dt: f32,
    /// Seconds that no fixed step has simulated yet.
    accumulator: f64,
}

impl TipState for State {
    fn tip(&self, joint: usize) -> Vec3 {
        self.points[self.tip_links[joint] as usize]
    }

    fn tip_slot(&self, joint: usize) -> usize {
        self.tip_links[joint] as usize
    }

    fn previous_tip(&self, joint: usize) -> Vec3 {
        self.previous[self.tip_links[joint] as usize]
    }

    fn set_tip(&mut self, joint: usize, tip: Vec3, previous: Vec3) {
        let link = self.tip_links[joint] as usize;
        (self.points[link], self.previous[link]) = (tip, previous);
    }
}

impl Solver for PbdSpringBone {
    const INFO: SolverInfo = SolverInfo {
        short_name: "PBD",
        unsupported: UNSUPPORTED,
        shapes: &ColliderShape::ROUND_AND_PLANE,
        length_scale: LengthScale::FollowsWith(FOLLOW_SCALE),
        independent_chains: true,
        ..SolverInfo::new(SolverKind::PbdSpringBone, PARAMS)
    };
}

impl Dynamics for PbdSpringBone {
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
        Params { spring: get(SPRING), damp: get(DAMP), gravity: get(GRAVITY), radius: get(POINT_SIZE) }
    }

    fn bake_system(mut get: impl FnMut(ParamId) -> f32) -> System {
        let (ground, height) = (get(COLLIDE_WITH_GROUND) >= 0.5, get(GROUND_HEIGHT));
        System {
            no_animator: get(NO_ANIMATOR) >= 0.5,
            follow_scale: get(FOLLOW_SCALE) >= 0.5,
            step_rate: get(STEPS_PER_SECOND).clamp(0.0, MAX_STEPS_PER_SECOND),
            iterations: get(ITERATIONS).clamp(0.0, MAX_ITERATIONS) as u32,
            ground: ground.then_some(height),
        }
    }

    fn step_seconds(system: &ParamSet, frame: f32) -> f32 {
        step_seconds(system, frame)
    }

    fn workload(rest: &Rest, system: &System, dt: f32) -> Workload {
        step::work(rest, system, dt)
    }

    fn starts_from_last_rotation(system: &System) -> bool {
        system.no_animator
    }

    fn update_switches(rest: &mut Rest, setup: &SystemSetup) {
        rest.update_switches(setup);
    }

    fn step(rest: &Rest, params: &[Params], system: &System, state: &mut State, step_pose: &mut StepPose<'_>, dt: f32) {
        step::solve(rest, params, *system, state, step_pose, dt);
    }

    fn reset(rest: &Rest, state: &mut State, step_pose: &mut StepPose<'_>) {
        build::snap_to_pose(rest, state, step_pose);
    }

    fn carry_over(state: &mut State, before: &State) {
        (state.previous_dt, state.accumulator) = (before.previous_dt, before.accumulator);
    }

    fn aim_joint_at(rest: &Rest, joint: usize, tip: Vec3, step_pose: &mut StepPose<'_>) {
        let last = rest.joints[joint].last_link;
        let head = step_pose.frames[rest.joints[joint].bone as usize].position;
        step::rotate_towards(&rest.joints[joint], &rest.links[last as usize], head, tip, step_pose);
    }
}

impl Inspect for PbdSpringBone {
    fn rest_length(rest: &Rest, joint: usize) -> f32 {
        rest.links[rest.joints[joint].last_link as usize].length
    }

    fn tip_offset(rest: &Rest, joint: usize) -> Vec3 {
        rest.links[rest.joints[joint].last_link as usize].rest_point
    }

    fn contact_sphere<'a>(query: &ContactQuery<'a, Self>) -> Option<ContactSphere<'a>> {
        let ContactQuery { rest, params, system, joint, tip, posed_scene } = *query;
        let joint = &rest.joints[joint];
        let last = &rest.links[joint.last_link as usize];
        let radius = params.radius * step::length_scale(last, &posed_scene.frames[joint.bone as usize], *system);
        let ball = ContactSphere::new(tip, radius, joint.colliders.slice(&rest.colliders));
        (last.length != 0.0).then_some(ContactSphere { ground_height: system.ground, ..ball })
    }

    fn nearest_surface(query: &ContactQuery<'_, Self>, ball: &ContactSphere<'_>, id: u32) -> Option<SurfacePoint> {
        let (collider, frame) = query.posed_scene.collider(id);
        Self::INFO
            .supports_shape(&collider.shape)
            .then(|| WorldCollider::unity_scaled(collider, frame).nearest_surface(ball.center))?
    }
}
