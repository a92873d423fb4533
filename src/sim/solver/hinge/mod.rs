//! A hinge for rigid accessories, after a public article on a bucket's handle (phi16, 2020), and what goes beyond it.
//!
//! One angle about one axis of the bone, measured from the pose as animation left it. Gravity and the body's motion pull
//! at the centre of mass; the torque about the axis over the inertia of a point mass (mass itself cancels out) speeds the
//! angle up, degrees per second, and at a limit the speed turns round and loses its share. [`VARIANT`] chooses among the
//! article's three listings: gravity alone, without limits; with the body's motion, which the listing takes for a fresh
//! start from rest in every frame, 2 dx / dt²; and the author's first one, tuned by hand.
//!
//! The listings count rad/s² as degrees per s², so that gravity is 57 times too weak, and feel their own turn of the
//! frame before as motion of the body, which brakes. [`PHYSICAL`] mends both: radians are radians, and the body's
//! motion is its acceleration, by second differences of where the centre of mass would be had the bone not turned. The
//! hand-tuned listing has no units to mend. The first frame of the article shows the bone as authored while the angle
//! stands at the upper limit already; [`START`] does so on demand.
//!
//! Beyond the article: any axis, limits of their own, shares of gravity and inertia, damping, a spring to a rest angle,
//! several hinges below each other. No colliders and no sub-steps, as there.
//!
//! Differs from the article: a frame that lasts no time changes nothing, where the listing divides by nothing.

mod params;
mod rest;
mod step;
mod sway;

pub use params::*;
pub use rest::{JointRest, Rest};

use crate::rig::{Skeleton, WorldPose};
use crate::schema::Row;

use crate::sim::{Dynamics, Inspect, Scene, Solver, SolverInfo, SolverKind, SystemSetup, Tips};
use glam::Vec3;
use step::Swing;

/// The solver.
#[derive(Clone, Copy, Debug)]
pub struct Hinge;

/// Baked numbers of one joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// In bone space, unit length.
    axis: Vec3,
    /// Centre of mass in bone space, metres.
    center: Vec3,
    rest_angle: f32,
    /// Lower and upper limit, degrees.
    limits: (f32, f32),
    gravity: f32,
    inertia: f32,
    restitution: f32,
    /// 1/s.
    damping: f32,
    /// 1/s².
    spring: f32,
    /// Degrees, and degrees per second.
    start: (f32, f32),
}

/// Which of the article's listings moves a hinge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Variant {
    Gravity,
    Full,
    Omake,
}

impl Variant {
    const fn of(value: f32) -> Self {
        if value < 0.5 {
            Self::Gravity
        } else if value < 1.5 {
            Self::Full
        } else {
            Self::Omake
        }
    }
}

/// Baked numbers of the system.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct System {
    variant: Variant,
    physical: bool,
    /// m/s², downwards.
    gravity: f32,
    /// Position among [`STARTS`].
    start: u8,
}

/// What steps change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    swings: Vec<Swing>,
    /// How long the step before lasted, seconds; 0 where there was none.
    before: f32,
}

impl Tips for State {
    fn tip(&self, joint: usize) -> Vec3 {
        self.swings[joint].tip
    }

    fn previous(&self, joint: usize) -> Vec3 {
        self.swings[joint].previous
    }

    fn place(&mut self, joint: usize, tip: Vec3, previous: Vec3) {
        self.swings[joint].place(tip, previous);
    }
}

impl Solver for Hinge {
    const INFO: SolverInfo = SolverInfo {
        center: Some(CENTER_AT),
        // Somebody must know the axis.
        auto_assign: false,
        ..SolverInfo::new(SolverKind::Hinge, PARAMS)
    };
}

impl Dynamics for Hinge {
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
        let (low, high) = (get(MIN_ANGLE), get(MAX_ANGLE));
        Params {
            axis: Vec3::from(AXIS_OF.map(&mut get)).normalize_or(Vec3::X),
            center: Vec3::from(CENTER_AT.map(&mut get)),
            rest_angle: get(REST_ANGLE),
            limits: (low.min(high), high.max(low)),
            gravity: get(GRAVITY_SCALE),
            inertia: get(INERTIA_SCALE),
            restitution: get(RESTITUTION),
            damping: get(DAMPING).max(0.0),
            spring: get(SPRING),
            start: (get(ANGLE), get(VELOCITY)),
        }
    }

    fn bake_system(mut get: impl FnMut(Row) -> f32) -> System {
        System {
            variant: Variant::of(get(VARIANT)),
            physical: get(PHYSICAL) >= 0.5,
            gravity: get(GRAVITY),
            start: get(START).clamp(0.0, 2.0).round() as u8,
        }
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
        state.before = before.before;
    }

    fn point_at(rest: &Rest, joint: usize, tip: Vec3, scene: &mut Scene<'_>) {
        step::aim(&rest.joints[joint], tip, scene);
    }
}

impl Inspect for Hinge {
    fn length(rest: &Rest, joint: usize) -> f32 {
        rest.joints[joint].center.length()
    }

    fn tip_offset(rest: &Rest, joint: usize) -> Vec3 {
        rest.joints[joint].center
    }
}
