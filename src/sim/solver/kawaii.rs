//! `KawaiiPhysics`, after the behaviour of pafuhana1213's plugin for Unreal.
//!
//! Every bone of a chain is a point; the root stays on its pose. A frame takes fixed steps (or, the older way, one of its
//! own length). A step moves each point by its speed, gravity and forces, lets it feel a share of the component's motion
//! and pulls it towards its pose beside its parent as simulated; links keep distances before and after colliders push;
//! at last each point, parents first, is held within its cone and plane and at its bone's length. Points live in the
//! space of the component (or the world, or a bone). A bone with one child is turned by the shortest arc from its pose
//! to the points, on the rotation of its pose, and both rotation and place are written; a bone with several is not
//! turned. Units are metres, seconds and degrees, axes glTF's, where the engine has centimetres and its own.
//!
//! A joint's numbers are those of the point at its head; the end of a chain takes those of its last joint. The component
//! is the topmost bone above the first joint where none is named.
//!
//! Differs from `KawaiiPhysics`, each time with a test: the component's scale is no part of the simulation space, so that
//! metres stay metres; a bone whose direction is that of its pose still takes the place of its point; scene winds are
//! this program's, in m/s²; a gust of the procedural wind starts at an interval instead of by a notify. Not here: the
//! level's own collision, and external forces of the lists but the procedural wind.

mod abreast;
mod build;
mod capture;
mod collide;
mod output;
pub mod params;
mod relax;
mod setup;
mod step;
mod sway;
mod wind;

pub use params::PARAMS;
pub use setup::{Attenuation, BoneConstraint, Compliance, KawaiiSetup, SyncBone, SyncDirection, SyncTarget};

use super::super::{
    Dynamics, Inspect, Origin, RestTarget, Scene, Shape, Solver, SolverInfo, SolverKind, SystemSetup, Tips, Work,
};
use crate::math::{Frame, Vec3x4};
use crate::rig::{BoneId, Skeleton, WorldPose};
use crate::schema::{ParamSet, Row};
use crate::sim::collider::{ContactBall, Surface};
use crate::sim::kernel;
use crate::sim::kernel::Span;
use crate::sim::solver::ContactQuery;
use abreast::{Abreast, Row as Bones, Settled};
use build::Link;
use capture::Space;
use collide::Placed;
use glam::{Quat, Vec3};
use params as row;
use wind::ProceduralWind;

/// No point.
const NONE: u32 = u32::MAX;

/// Lengths below this are none, metres: the engine's 1e-4 cm.
const NOWHERE: f32 = 1e-6;

/// The solver.
#[derive(Clone, Copy, Debug)]
pub struct KawaiiPhysics;

/// What a point stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// A bone's head.
    Bone,
    /// The virtual end of its parent's bone, in that bone's space; a dummy bone does not feel the bone's scale.
    End { local: Vec3, scaled: bool },
    /// Between two points of a chain.
    Between { ends: [u32; 2], share: f32 },
    /// Between the two ends of a constraint; it belongs to no chain.
    Bridge { ends: [u32; 2], share: f32 },
}

/// Topology and rest data of one point.
#[derive(Clone, Debug, PartialEq)]
struct Point {
    kind: Kind,
    /// `WORLD` where it is no bone's head.
    bone: u32,
    /// The point that it hangs from; `NONE` for roots and bridges.
    parent: u32,
    /// The point that hangs from it where there is just one; `NONE` otherwise.
    only_child: u32,
    /// Whose numbers it takes, and how far from the first towards the second.
    joints: [u32; 2],
    share: f32,
    /// Moves with its parent, as its pose has it.
    pinned: bool,
    /// The joint at its head is on; a point that is no joint's head is never turned.
    turns: bool,
    /// Way along the chain, 0 at the root, 1 at the furthest end.
    rate: f32,
    /// Part of `Rest::colliders`.
    colliders: Span,
    /// In the world at rest, metres.
    rest: Vec3,
    /// Thickness as authored, for pictures; metres.
    radius: f32,
}

/// Topology and rest data.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rest {
    /// Parents before children.
    points: Vec<Point>,
    /// The points by turns.
    abreast: Vec<Abreast>,
    /// Some points are no bones and no ends.
    has_between: bool,
    /// By joint: the point at its head.
    heads: Vec<u32>,
    /// Joint of the setup to joint of the solver.
    order: Vec<u32>,
    /// By joint: the point that swings at its end; its own where it has no end.
    tips: Vec<u32>,
    /// By joint: from head to tip in the bone's turning space at rest, metres.
    offsets: Vec<Vec3>,
    links: Vec<Link>,
    /// Collider lists of the points, one behind the other; by kind of shape, as the engine tests them.
    colliders: Vec<u32>,
    /// Bones whose frames the step itself keeps, by turns.
    rows: Vec<Bones>,
    component: u32,
    base: u32,
    syncs: Vec<Sync>,
}

/// A sync bone, its targets as points.
#[derive(Clone, Debug, PartialEq)]
struct Sync {
    from: SyncBone,
    /// Where the bone is at rest, in the component's space.
    rest: Vec3,
    /// Points, and whose shares they get: positions in `from.targets`.
    targets: Vec<(u32, usize)>,
}

/// Baked numbers of one joint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Params {
    damping: f32,
    stiffness: f32,
    ignore_movement: f32,
    ignore_turning: f32,
    /// Metres.
    radius: f32,
    /// Degrees; 0 for no limit.
    limit_angle: f32,
    force_rate: f32,
}

/// Baked numbers of the system.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the engine")]
pub struct System {
    space: Space,
    /// 0, or the axis of the plane's normal counted from 1.
    plane: u8,
    rate: f32,
    fixed: bool,
    most_steps: f32,
    warm_up: u32,
    warm_at_start: bool,
    warm_on_reset: bool,
    teleport_distance: f32,
    teleport_angle: f32,
    move_scale: Vec3,
    gravity: Vec3,
    gravity_in_world: bool,
    legacy_gravity: bool,
    push: Vec3,
    push_in_world: bool,
    scene_wind: bool,
    wind_scale: f32,
    wind_noise: f32,
    compliance: f32,
    rounds: [u32; 2],
    only_collide: bool,
    feedback: f32,
    wind: ProceduralWind,
}

/// What steps change. Vectors are indexed by point unless they say otherwise; places are in the simulation space.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    at: Vec<Vec3>,
    previous: Vec<Vec3>,
    /// The pose of this frame, and of the one before.
    pose: Vec<Vec3>,
    pose_turn: Vec<Quat>,
    last_pose: Vec<Vec3>,
    last_turn: Vec<Quat>,
    /// What this step aims for, between the two.
    goal: Vec<Vec3>,
    goal_turn: Vec<Quat>,
    /// By four of [`Rest::abreast`].
    numbers: Vec<Settled>,
    /// From parents to points where this step aims for, by four likewise.
    arms: Vec<Vec3x4>,
    /// Pull of the scene's winds, m/s².
    blown: Vec<Vec3>,
    /// Whether there are winds at all.
    is_blown: bool,
    /// What points of constraints hand to their ends, with its weight.
    pushed: Vec<(Vec3, f32)>,
    /// By link.
    lambda: Vec<f32>,
    /// By collider.
    placed: Vec<Placed>,
    /// By joint: its tip's point.
    tips: Vec<u32>,
    /// Where the simulation space stands in the world.
    space: Frame,
    space_of: Space,
    /// The component as far as its motion has been felt.
    component: Frame,
    /// The base bone in the component's space, likewise.
    base: Frame,
    /// Seconds that no step has used up.
    left: f32,
    /// Length of the step before, seconds; 0 before the first.
    step_before: f32,
    steps: u32,
    /// Seconds on the procedural wind's clock.
    wind_time: f32,
    begun: Begun,
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Begun {
    /// The first frame still places the points.
    #[default]
    New,
    /// Placed by a reset.
    Reset,
    /// Under way.
    Runs,
}

impl Tips for State {
    fn tip(&self, joint: usize) -> Vec3 {
        self.space.point(self.at[self.tips[joint] as usize])
    }

    fn spread(&self, joints: &[u32], from: Vec3) -> f32 {
        if self.space.scaled {
            return kernel::spread(joints, from, |joint| self.tip(joint as usize));
        }
        // Distances are the same in the space of the component.
        let from = self.space.inverse_point(from);
        kernel::spread(joints, from, |joint| self.at[self.tips[joint as usize] as usize])
    }

    fn previous(&self, joint: usize) -> Vec3 {
        self.space.point(self.previous[self.tips[joint] as usize])
    }

    fn place(&mut self, joint: usize, tip: Vec3, previous: Vec3) {
        let point = self.tips[joint] as usize;
        self.at[point] = self.space.inverse_point(tip);
        self.previous[point] = self.space.inverse_point(previous);
        self.begun = Begun::Runs;
    }
}

impl Solver for KawaiiPhysics {
    const INFO: SolverInfo = SolverInfo {
        origin: Origin::Unreal,
        unsupported: sway::UNSUPPORTED,
        rest_target: RestTarget::PoseRotation,
        shapes: &[Shape::SPHERE, Shape::SPHERE.inverted(), Shape::CAPSULE, Shape::TAPERED, Shape::BOX, Shape::PLANE],
        reads_component: true,
        ..SolverInfo::new(SolverKind::KawaiiPhysics, PARAMS)
    };
}

impl Dynamics for KawaiiPhysics {
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

    fn bake(mut get: impl FnMut(Row) -> f32) -> Params {
        let mut share = |row| get(row).clamp(0.0, 1.0);
        Params {
            damping: share(row::DAMPING),
            stiffness: share(row::STIFFNESS),
            ignore_movement: share(row::WORLD_DAMPING_LOCATION),
            ignore_turning: share(row::WORLD_DAMPING_ROTATION),
            radius: get(row::RADIUS).max(0.0),
            limit_angle: get(row::LIMIT_ANGLE).max(0.0),
            force_rate: get(row::FORCE_RATE),
        }
    }

    fn bake_system(get: impl FnMut(Row) -> f32) -> System {
        bake_system(get)
    }

    fn step_seconds(system: &ParamSet, frame: f32) -> f32 {
        sway::step_seconds(system, frame)
    }

    fn work(rest: &Rest, system: &System, dt: f32) -> Work {
        step::work(rest, system, dt)
    }

    fn update_switches(rest: &mut Rest, setup: &SystemSetup) {
        build::switch(rest, setup);
    }

    fn step(rest: &Rest, params: &[Params], system: &System, state: &mut State, scene: &mut Scene<'_>, dt: f32) {
        step::solve(rest, params, system, state, scene, dt);
    }

    fn reset(rest: &Rest, state: &mut State, scene: &mut Scene<'_>) {
        capture::rest_tips(rest, state, scene);
    }

    fn carry_over(state: &mut State, before: &State) {
        (state.left, state.step_before) = (before.left, before.step_before);
        (state.steps, state.wind_time) = (before.steps, before.wind_time);
        (state.component, state.base, state.begun) = (before.component, before.base, before.begun);
    }

    fn point_at(rest: &Rest, joint: usize, tip: Vec3, scene: &mut Scene<'_>) {
        output::aim(rest, joint, tip, scene);
    }
}

impl Inspect for KawaiiPhysics {
    fn sync_offset(rest: &Rest, bone: BoneId, frames: &[Frame]) -> Option<f32> {
        capture::moved(rest, bone, frames)
    }

    fn length(rest: &Rest, joint: usize) -> f32 {
        rest.offsets[joint].length()
    }

    fn tip_offset(rest: &Rest, joint: usize) -> Vec3 {
        rest.offsets[joint]
    }

    fn contact_ball<'a>(query: &ContactQuery<'a, Self>) -> Option<ContactBall<'a>> {
        let ContactQuery { rest, joint, tip, .. } = *query;
        let point = &rest.points[rest.tips[joint] as usize];
        let colliders = point.colliders.of(&rest.colliders);
        Some(ContactBall::new(tip, point.radius, colliders))
    }

    fn surface(query: &ContactQuery<'_, Self>, ball: &ContactBall<'_>, collider: u32) -> Option<Surface> {
        let (collider, frame) = query.still.collider(collider);
        Placed::new(collider, frame, &Frame::WORLD).surface(ball)
    }
}

fn bake_system(mut get: impl FnMut(Row) -> f32) -> System {
    // Read when the points are made; asked for here so that the table is asked for whole.
    for made in [
        row::DUMMY_BONE_LENGTH,
        row::BONE_FORWARD_AXIS,
        row::AUTO_LINK_DUMMIES,
        row::SUBDIVISION_COUNT,
        row::SUBDIVISION_DENSIFY,
        row::BRIDGE_COUNT,
    ] {
        get(made);
    }
    let gravity = Vec3::from(row::GRAVITY.map(&mut get));
    // The engine multiplies by the bare number of its project's gravity in cm/s².
    let factor = if get(row::USE_PROJECT_GRAVITY) >= 0.5 { 980.0 } else { 1.0 };
    System {
        space: Space::of(get(row::SIMULATION_SPACE)),
        plane: get(row::PLANAR_CONSTRAINT).round().clamp(0.0, 3.0) as u8,
        rate: get(row::TARGET_FRAMERATE).trunc().clamp(1.0, 1000.0),
        fixed: get(row::USE_FIXED_SUBSTEPPING) >= 0.5,
        most_steps: get(row::MAX_SUBSTEPS).trunc().clamp(1.0, 16.0),
        warm_up: get(row::WARM_UP_FRAMES).clamp(0.0, 1000.0) as u32,
        warm_at_start: get(row::NEED_WARM_UP) >= 0.5,
        warm_on_reset: get(row::WARM_UP_ON_RESET) >= 0.5,
        teleport_distance: get(row::TELEPORT_DISTANCE),
        teleport_angle: get(row::TELEPORT_ROTATION),
        move_scale: Vec3::from(row::SKEL_COMP_MOVE_SCALE.map(&mut get)),
        gravity: gravity * factor,
        gravity_in_world: get(row::USE_WORLD_GRAVITY) >= 0.5,
        legacy_gravity: get(row::USE_LEGACY_GRAVITY) >= 0.5,
        push: Vec3::from(row::SIMPLE_EXTERNAL_FORCE.map(&mut get)),
        push_in_world: get(row::USE_WORLD_SIMPLE_FORCE) >= 0.5,
        scene_wind: get(row::ENABLE_WIND) >= 0.5,
        wind_scale: get(row::WIND_SCALE),
        wind_noise: get(row::WIND_NOISE).clamp(0.0, 180.0),
        compliance: Compliance::at(get(row::COMPLIANCE_TYPE)).value(),
        rounds: [row::ITERATIONS_BEFORE, row::ITERATIONS_AFTER].map(|row| get(row).clamp(0.0, 32.0) as u32),
        only_collide: get(row::SUBDIVISION_COLLISION_ONLY) >= 0.5,
        feedback: get(row::BRIDGE_FEEDBACK).clamp(0.0, 2.0),
        wind: ProceduralWind::bake(&mut get),
    }
}
