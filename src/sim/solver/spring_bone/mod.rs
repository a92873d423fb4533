//! UTJ `UnityChanSpringBone`, releases 1.1 and 1.2.2 (MIT, Unity Technologies Japan), after its observable behaviour,
//! and what goes beyond it.
//!
//! Each joint swings its tip about its head by position Verlet, is drawn to what it keeps its length to, is pushed out
//! of ground and colliders, held by its angle limits, and turned to point at its tip, before any joint deeper in the
//! tree is looked at. One step lasts `1 / simulationFrameRate` and is taken once a frame, whatever the frame took.
//! Space is glTF's, which is Unity's with X mirrored: what Unity calls right is -X here, so a pivot's forward, minus
//! right, is +X.
//!
//! `step.rs` reads top to bottom like the engine's step; `improved.rs` is the frame of the better way, built round the
//! same step. With the way "as Unity does it" none of the improvements' numbers is looked at.

mod bake;
mod build;
mod carry;
mod contact;
mod improved;
mod inspect;
mod limits;
mod params;
mod shapes;
mod step;
mod sway;
mod whole_bone;

use super::super::scene::Scene;
use super::super::{Dynamics, Inspect, PivotLimit, Shape, Solver, SolverInfo, SolverKind, SystemSetup, Tips, Work};
use super::fours::Four;
use crate::rig::{Skeleton, WorldPose};
use crate::schema::{ParamSet, Row};
use crate::sim::collider::{ContactBall, Surface};
use crate::sim::kernel::Span;
use crate::sim::remark::{Remark, TunedJoints};
use crate::sim::solver::ContactQuery;
use bake::Improved;
use carry::{Carry, Root};
use glam::{Quat, Vec3};
use improved::Clock;
pub use params::*;
use whole_bone::BoneShape;

/// The solver.
#[derive(Clone, Copy, Debug)]
pub struct SpringBone;

/// Topology and rest data of one joint.
#[derive(Clone, Debug, PartialEq)]
pub struct JointRest {
    bone: u32,
    parent: u32,
    enabled: bool,
    /// Flagged in the engine as moved by animation.
    animated: bool,
    /// Whether it is the first of its chain, whose parent is the chain's root.
    leads: bool,
    /// Towards the tip in bone space, unit length.
    axis: Vec3,
    /// The same at rest in the parent's space.
    rest_axis: Vec3,
    /// Metres in the world.
    length: f32,
    /// Local rotation in the rest pose.
    rotation: Quat,
    /// Position of the pivot's bone, or [`WORLD`](super::super::scene::WORLD) for none.
    pivot: u32,
    /// Position among [`State::roots`].
    chain: u32,
    /// Part of [`Rest::colliders`].
    colliders: Span,
    /// Part of [`Rest::targets`].
    targets: Span,
    /// Part of [`Rest::refresh`]: bones to be moved along before the next joint.
    refresh: Span,
}

/// A bone that a tip keeps its distance to.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Target {
    bone: u32,
    /// Metres in the rest pose.
    length: f32,
    /// 1/s²; `None` takes the joint's own.
    constant: Option<f32>,
}

/// Topology and rest data: joints by depth, parents first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rest {
    joints: Vec<JointRest>,
    /// The joints in their order, as many at a time as do not wait for each other.
    fours: Vec<Four>,
    colliders: Vec<u32>,
    targets: Vec<Target>,
    refresh: Vec<u32>,
    /// How many chains there are.
    chains: usize,
    /// Position of each joint of the setup among `joints`.
    order: Vec<u32>,
}

/// Baked numbers of one joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    stiffness: f32,
    kept: f32,
    spring_force: Vec3,
    radius: f32,
    y_limit: Option<(f32, f32)>,
    z_limit: Option<(f32, f32)>,
    angular_stiffness: f32,
    wind_influence: f32,
    length_constant: f32,
    softness: f32,
    shape: BoneShape,
}

/// Baked numbers of the manager.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct System {
    gravity: Vec3,
    bounce: f32,
    friction: f32,
    /// Height of the ground, where there is one.
    ground: Option<f32>,
    /// Steps per second; 0 or less: a step lasts as long as the frame.
    rate: f32,
    dynamic_ratio: f32,
    limits: bool,
    collision: bool,
    lengths: bool,
    paused: bool,
    /// Whether radii follow scale everywhere, as in release 1.2.2.
    scaled: bool,
    improved: Option<Improved>,
}

/// What steps change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    tips: Vec<Vec3>,
    previous: Vec<Vec3>,
    /// The rotation that each animated joint was given before its last step.
    skin: Vec<Quat>,
    /// Where each chain's root was when it last stepped; of the better way.
    roots: Vec<Root>,
    /// How this frame carries each chain along; of the better way.
    carries: Vec<Carry>,
    clock: Clock,
}

impl Tips for State {
    fn tip(&self, joint: usize) -> Vec3 {
        self.tips[joint]
    }

    fn previous(&self, joint: usize) -> Vec3 {
        self.previous[joint]
    }

    fn place(&mut self, joint: usize, tip: Vec3, previous: Vec3) {
        self.tips[joint] = tip;
        self.previous[joint] = previous;
    }
}

impl Solver for SpringBone {
    const INFO: SolverInfo = SolverInfo {
        unsupported: sway::UNSUPPORTED,
        shapes: &[Shape::SPHERE, Shape::CAPSULE, Shape::PANEL],
        step_share: Some(LENGTH_CONSTANT),
        improvements: Some(inspect::IMPROVEMENTS),
        csv_section: Some("SpringBones"),
        pivot_limits: &[
            PivotLimit { rows: Y_LIMITS, initial: [-20.0, 20.0], turns_about: Vec3::Z, positive: Vec3::NEG_Y },
            PivotLimit { rows: Z_LIMITS, initial: [0.0, 20.0], turns_about: Vec3::Y, positive: Vec3::NEG_Z },
        ],
        pivots: true,
        counts_helpers: true,
        reset_by_import: &[IS_PAUSED, ENABLE_ANGLE_LIMITS, ENABLE_COLLISION, ENABLE_LENGTH_LIMITS],
        ..SolverInfo::new(SolverKind::UnityChanSpringBone, PARAMS)
    };
}

impl Dynamics for SpringBone {
    type Rest = Rest;
    type Params = Params;
    type System = System;
    type State = State;

    fn build(setup: &SystemSetup, skeleton: &Skeleton, world: &WorldPose) -> (Rest, State) {
        build::build(setup, skeleton, world)
    }

    fn order(rest: &Rest) -> &[u32] {
        &rest.order
    }

    fn bake(get: impl FnMut(Row) -> f32) -> Params {
        bake::joint(get)
    }

    fn bake_system(get: impl FnMut(Row) -> f32) -> System {
        bake::system(get)
    }

    fn step_seconds(system: &ParamSet, frame: f32) -> f32 {
        sway::step_seconds(system, frame)
    }

    fn frame_rate_independent(system: &ParamSet) -> bool {
        let steady = is_improved(system.get(WAY)) && system.get(STEADY_PACE) != 0.0;
        steady || system.get(SIMULATION_FRAME_RATE) <= 0.0
    }

    fn work(rest: &Rest, system: &System, dt: f32) -> Work {
        improved::work(rest, system, dt)
    }

    fn update_switches(rest: &mut Rest, setup: &SystemSetup) {
        build::switch(rest, setup);
    }

    fn step(rest: &Rest, params: &[Params], system: &System, state: &mut State, scene: &mut Scene<'_>, dt: f32) {
        match &system.improved {
            None => {
                step::frame(rest, params, system, state, scene, dt);
                state.clock.pass(dt);
            }
            Some(better) => improved::frame(rest, params, system, better, state, scene, dt),
        }
    }

    fn reset(rest: &Rest, state: &mut State, scene: &mut Scene<'_>) {
        state.clock = Clock::default();
        for (i, joint) in rest.joints.iter().enumerate() {
            scene.pose[joint.bone as usize].rotation = joint.rotation;
            scene.refresh(joint.bone);
            step::stand_still(i, joint, state, scene);
            step::refresh_below(rest, joint, scene);
        }
    }

    fn carry_over(state: &mut State, before: &State) {
        state.clock = before.clock;
        // Where chains came, went or hang elsewhere, nothing is carried the first time.
        let bones = |state: &Self::State| state.roots.iter().map(|root| root.bone).collect::<Vec<_>>();
        state.clock.roots_known &= bones(state) == bones(before);
        if state.clock.roots_known {
            state.roots.clone_from(&before.roots);
        }
    }

    fn point_at(rest: &Rest, joint: usize, tip: Vec3, scene: &mut Scene<'_>) {
        let joint = &rest.joints[joint];
        step::aim(joint, tip, scene);
        step::refresh_below(rest, joint, scene);
    }

    fn keeps_rotations(_: &System) -> bool {
        true
    }
}

impl Inspect for SpringBone {
    fn length(rest: &Rest, joint: usize) -> f32 {
        rest.joints[joint].length
    }

    fn tip_offset(rest: &Rest, joint: usize) -> Vec3 {
        rest.joints[joint].axis * rest.joints[joint].length
    }

    fn contact_ball<'a>(query: &ContactQuery<'a, Self>) -> Option<ContactBall<'a>> {
        let ContactQuery { rest, params, system, joint, tip, still } = *query;
        let joint = &rest.joints[joint];
        let stretch = || (still.frames[joint.bone as usize].linear() * Vec3::X).length();
        let radius = if system.scaled { params.radius * stretch() } else { params.radius };
        let colliders = if system.collision { joint.colliders } else { Span::default() };
        let ball = ContactBall::new(tip, radius, colliders.of(&rest.colliders));
        Some(ContactBall { ground: system.ground, ..ball })
    }

    fn surface(query: &ContactQuery<'_, Self>, ball: &ContactBall<'_>, collider: u32) -> Option<Surface> {
        let ContactQuery { rest, system, joint, still, .. } = *query;
        let (collider, frame) = still.collider(collider);
        if !contact::is_on(collider) {
            return None;
        }
        let joint = &rest.joints[joint];
        let head = still.frames[joint.bone as usize].position;
        contact::surface(&collider.shape, frame, ball, (head, joint.length), system.scaled)
    }

    fn remark(row: Row, tuned: &impl TunedJoints) -> Option<Remark> {
        inspect::remark(row, tuned)
    }
}
