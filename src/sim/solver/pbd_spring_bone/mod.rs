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

mod params;
mod rest;
mod step;
mod sway;
mod swing;

pub use params::*;
pub use rest::{JointRest, Link, Rest};

use crate::rig::{Skeleton, WorldPose};
use crate::schema::{ParamSet, Row};
use crate::sim::collider::{ContactBall, Surface, WorldCollider};
use crate::sim::solver::ContactQuery;
use crate::sim::{Dynamics, Inspect, Scene, Shape, Solver, SolverInfo, SolverKind, SystemSetup, Tips, Work};
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
    scaled: bool,
    /// Steps per second; 0 for one in each frame.
    rate: f32,
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
    begun: Vec<Quat>,
    /// The last link of each joint, whose point is its tip.
    last: Vec<u32>,
    /// The colliders as they stand now.
    solids: Vec<WorldCollider>,
    /// How long the step before lasted, seconds; 0 where there was none.
    before: f32,
    /// Seconds that frames have brought and fixed steps have not used yet.
    owed: f64,
}

impl Tips for State {
    fn tip(&self, joint: usize) -> Vec3 {
        self.points[self.last[joint] as usize]
    }

    fn previous(&self, joint: usize) -> Vec3 {
        self.previous[self.last[joint] as usize]
    }

    fn place(&mut self, joint: usize, tip: Vec3, previous: Vec3) {
        let link = self.last[joint] as usize;
        (self.points[link], self.previous[link]) = (tip, previous);
    }
}

impl Solver for PbdSpringBone {
    const INFO: SolverInfo = SolverInfo {
        unsupported: sway::UNSUPPORTED,
        shapes: &[
            Shape::SPHERE,
            Shape::SPHERE.inverted(),
            Shape::CAPSULE,
            Shape::CAPSULE.inverted(),
            Shape::TAPERED,
            Shape::TAPERED.inverted(),
            Shape::PLANE,
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
        rest::build(setup, skeleton, world)
    }

    fn order(rest: &Rest) -> &[u32] {
        &rest.order
    }

    fn bake(mut get: impl FnMut(Row) -> f32) -> Params {
        Params { spring: get(SPRING), damp: get(DAMP), gravity: get(GRAVITY), radius: get(POINT_SIZE) }
    }

    fn bake_system(mut get: impl FnMut(Row) -> f32) -> System {
        let (ground, height) = (get(COLLIDE_WITH_GROUND) >= 0.5, get(GROUND_HEIGHT));
        System {
            no_animator: get(NO_ANIMATOR) >= 0.5,
            scaled: get(FOLLOW_SCALE) >= 0.5,
            rate: get(STEPS_PER_SECOND).clamp(0.0, MOST_PER_SECOND),
            iterations: get(ITERATIONS).clamp(0.0, MOST_ITERATIONS) as u32,
            ground: ground.then_some(height),
        }
    }

    fn step_seconds(system: &ParamSet, frame: f32) -> f32 {
        sway::step_seconds(system, frame)
    }

    fn work(rest: &Rest, system: &System, dt: f32) -> Work {
        step::work(rest, system, dt)
    }

    fn keeps_rotations(system: &System) -> bool {
        system.no_animator
    }

    fn update_switches(rest: &mut Rest, setup: &SystemSetup) {
        rest.switch(setup);
    }

    fn step(rest: &Rest, params: &[Params], system: &System, state: &mut State, scene: &mut Scene<'_>, dt: f32) {
        step::frame(rest, params, *system, state, scene, dt);
    }

    fn reset(rest: &Rest, state: &mut State, scene: &mut Scene<'_>) {
        rest::rest_tips(rest, state, scene);
    }

    fn carry_over(state: &mut State, before: &State) {
        (state.before, state.owed) = (before.before, before.owed);
    }

    fn point_at(rest: &Rest, joint: usize, tip: Vec3, scene: &mut Scene<'_>) {
        let last = rest.joints[joint].last;
        let head = scene.frames[rest.joints[joint].bone as usize].position;
        step::turn(&rest.joints[joint], &rest.links[last as usize], head, tip, scene);
    }
}

impl Inspect for PbdSpringBone {
    fn length(rest: &Rest, joint: usize) -> f32 {
        rest.links[rest.joints[joint].last as usize].length
    }

    fn tip_offset(rest: &Rest, joint: usize) -> Vec3 {
        rest.links[rest.joints[joint].last as usize].rest
    }

    fn contact_ball<'a>(query: &ContactQuery<'a, Self>) -> Option<ContactBall<'a>> {
        let ContactQuery { rest, params, system, joint, tip, still } = *query;
        let joint = &rest.joints[joint];
        let last = &rest.links[joint.last as usize];
        let radius = params.radius * step::stretch(last, &still.frames[joint.bone as usize], *system);
        let ball = ContactBall::new(tip, radius, joint.colliders.of(&rest.colliders));
        (last.length != 0.0).then_some(ContactBall { ground: system.ground, ..ball })
    }

    fn surface(query: &ContactQuery<'_, Self>, ball: &ContactBall<'_>, collider: u32) -> Option<Surface> {
        let (collider, frame) = query.still.collider(collider);
        Self::INFO.supports(&collider.shape).then(|| WorldCollider::plain(collider, frame).surface(ball.center))?
    }
}
