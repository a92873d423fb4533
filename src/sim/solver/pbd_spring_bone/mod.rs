//! Cluster's `PbdSpringBone` (MIT, 2017), after its published source, and what goes beyond it.
//!
//! Every bone below a root is a point. In each frame a point goes on with the speed that it had over the frame before
//! (metres per second by *that* frame's length), is drawn to where it rests in its parent bone as that bone is turned
//! now, falls, loses a share of its speed, is put out of spheres one after the other, and then to bone length from its
//! parent's point; at once its parent is turned towards it by the shortest arc. Points go depth first, so that a bone
//! with several children is turned once for each, and the last one wins; those that wait for none of each other go together. Roots only follow the body. Spring is
//! 1/s², gravity m/s² along the world's -Y, `damp` counts once a frame whatever its length.
//!
//! The engine writes no rotation back to rest: without an Animator the rest direction is where the bone points
//! already, so that shapes have no memory and chains droop. [`NO_ANIMATOR`] shows that; otherwise every frame begins
//! with the pose as animation left it. A leaf has no point of its own; give it a virtual tip where it shall swing.
//!
//! Beyond the engine: its four numbers may differ from joint to joint; any shape that
//! [`push`](crate::sim::push) knows; ground; lengths that follow scale; fixed steps; and iterated constraints, where all
//! points first go free and are then put out of solids and to their lengths so many times.
//!
//! Differs from `PbdSpringBone`: a frame that lasts no time changes nothing, where the engine loses all speed and then
//! divides by nothing. A point upon its parent's goes where the bone points already.

mod build;
mod link_batch;
mod params;
mod response;
mod step;

pub use build::{AimLink, JointRest, Rest};
pub use params::*;

use crate::params::{ParamId, ParamSet};
use crate::rig::{Skeleton, WorldPose};
use crate::sim::collider::{ContactSphere, SurfacePoint, WorldCollider};
use crate::sim::solver::ContactQuery;
use crate::sim::{
    ColliderShape, Dynamics, Inspect, Scene, Solver, SolverInfo, SolverKind, SystemSetup, TipState, Workload,
};
use glam::{Quat, Vec3};

/// The solver.
#[derive(Clone, Copy, Debug)]
pub struct PbdSpringBone;

/// Baked numbers of one joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// 1/s².
    spring: f32,
    /// Share of the speed that is kept in a step.
    damp: f32,
    /// m/s², downwards.
    gravity: f32,
    /// Metres.
    radius: f32,
}

/// Baked numbers of the system.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct System {
    /// Whether no animation writes the pose anew.
    no_animator: bool,
    /// Whether lengths and radii follow scale.
    follow_scale: bool,
    /// Steps per second; 0 for one in each frame.
    step_rate: f32,
    /// Rounds of constraints; 0 for the engine's single pass.
    iterations: u32,
    /// Height of the ground, metres.
    ground: Option<f32>,
}

/// What steps change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// The point of each link in the world, metres.
    points: Vec<Vec3>,
    /// The same one step before.
    previous: Vec<Vec3>,
    /// Each joint's local rotation as the frame began.
    start_rotations: Vec<Quat>,
    /// The last link of each joint, whose point is its tip.
    tip_links: Vec<u32>,
    /// The colliders as they stand now.
    colliders: Vec<WorldCollider>,
    /// How long the step before lasted, seconds; 0 where there was none.
    previous_dt: f32,
    /// Seconds that frames have brought and fixed steps have not used yet.
    accumulator: f64,
}

impl TipState for State {
    fn tip(&self, joint: usize) -> Vec3 {
        self.points[self.tip_links[joint] as usize]
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
        unsupported: response::UNSUPPORTED,
        shapes: &[
            ColliderShape::SPHERE,
            ColliderShape::SPHERE.inverted(),
            ColliderShape::CAPSULE,
            ColliderShape::CAPSULE.inverted(),
            ColliderShape::TAPERED_CAPSULE,
            ColliderShape::TAPERED_CAPSULE.inverted(),
            ColliderShape::PLANE,
        ],
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
        response::step_seconds(system, frame)
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

    fn step(rest: &Rest, params: &[Params], system: &System, state: &mut State, scene: &mut Scene<'_>, dt: f32) {
        step::solve(rest, params, *system, state, scene, dt);
    }

    fn reset(rest: &Rest, state: &mut State, scene: &mut Scene<'_>) {
        build::snap_to_pose(rest, state, scene);
    }

    fn carry_over(state: &mut State, before: &State) {
        (state.previous_dt, state.accumulator) = (before.previous_dt, before.accumulator);
    }

    fn point_at(rest: &Rest, joint: usize, tip: Vec3, scene: &mut Scene<'_>) {
        let last = rest.joints[joint].last_link;
        let head = scene.frames[rest.joints[joint].bone as usize].position;
        step::rotate_towards(&rest.joints[joint], &rest.links[last as usize], head, tip, scene);
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
        let ContactQuery { rest, params, system, joint, tip, posed_scene: still } = *query;
        let joint = &rest.joints[joint];
        let last = &rest.links[joint.last_link as usize];
        let radius = params.radius * step::length_scale(last, &still.frames[joint.bone as usize], *system);
        let ball = ContactSphere::new(tip, radius, joint.colliders.slice(&rest.colliders));
        (last.length != 0.0).then_some(ContactSphere { ground_height: system.ground, ..ball })
    }

    fn nearest_surface(
        query: &ContactQuery<'_, Self>,
        ball: &ContactSphere<'_>,
        collider: u32,
    ) -> Option<SurfacePoint> {
        let (collider, frame) = query.posed_scene.collider(collider);
        Self::INFO
            .supports_shape(&collider.shape)
            .then(|| WorldCollider::unity_scaled(collider, frame).nearest_surface(ball.center))?
    }
}
