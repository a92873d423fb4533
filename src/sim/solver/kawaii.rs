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

mod build;
mod capture;
mod collide;
mod output;
pub mod params;
mod point_batch;
mod relax;
mod response;
mod setup;
mod step;
mod wind;

pub use params::PARAMS;
pub use setup::{Attenuation, BoneConstraint, Compliance, KawaiiSetup, SyncBone, SyncDirection, SyncTarget};

use super::super::{
    ColliderShape, Dynamics, Inspect, RestTarget, Scene, Solver, SolverInfo, SolverKind, SolverOrigin, SystemSetup,
    TipState, Workload,
};
use crate::math::{Frame, Vec3x4};
use crate::params::{ParamId, ParamSet};
use crate::rig::{BoneId, Skeleton, WorldPose};
use crate::sim::collider::{ContactSphere, SurfacePoint};
use crate::sim::solver::ContactQuery;
use crate::sim::vec_util;
use crate::sim::vec_util::IndexRange;
use build::DistanceLink;
use capture::SimulationSpace;
use collide::KawaiiCollider;
use glam::{Quat, Vec3};
use params as row;
use point_batch::{BatchParams, BoneBatch as Bones, PointBatch};
use wind::ProceduralWind;

/// No point.
const NO_POINT: u32 = u32::MAX;

/// Lengths below this are none, metres: the engine's 1e-4 cm.
const MIN_LENGTH: f32 = 1e-6;

/// The solver.
#[derive(Clone, Copy, Debug)]
pub struct KawaiiPhysics;

/// What a point stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum PointKind {
    /// A bone's head.
    Bone,
    /// The virtual end of its parent's bone, in that bone's space; a dummy bone does not feel the bone's scale.
    End { local_offset: Vec3, follows_scale: bool },
    /// Between two points of a chain.
    Subdivision { ends: [u32; 2], fraction: f32 },
    /// Between the two ends of a constraint; it belongs to no chain.
    Bridge { ends: [u32; 2], fraction: f32 },
}

/// Topology and rest data of one point.
#[derive(Clone, Debug, PartialEq)]
struct PointRest {
    kind: PointKind,
    /// `WORLD` where it is no bone's head.
    bone: u32,
    /// The point that it hangs from; `NONE` for roots and bridges.
    parent: u32,
    /// The point that hangs from it where there is just one; `NONE` otherwise.
    only_child: u32,
    /// Whose numbers it takes, and how far from the first towards the second.
    joints: [u32; 2],
    fraction: f32,
    /// Moves with its parent, as its pose has it.
    pinned: bool,
    /// The joint at its head is on; a point that is no joint's head is never turned.
    rotates: bool,
    /// Way along the chain, 0 at the root, 1 at the furthest end.
    length_fraction: f32,
    /// Part of `Rest::colliders`.
    colliders: IndexRange,
    /// In the world at rest, metres.
    rest_position: Vec3,
    /// Thickness as authored, for pictures; metres.
    radius: f32,
}

/// Topology and rest data.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rest {
    /// Parents before children.
    points: Vec<PointRest>,
    /// The points by turns.
    point_batches: Vec<PointBatch>,
    /// Some points are no bones and no ends.
    has_subdivisions: bool,
    /// By joint: the point at its head.
    head_points: Vec<u32>,
    /// Joint of the setup to joint of the solver.
    solver_indices: Vec<u32>,
    /// By joint: the point that swings at its end; its own where it has no end.
    tip_points: Vec<u32>,
    /// By joint: from head to tip in the bone's turning space at rest, metres.
    tip_offsets: Vec<Vec3>,
    links: Vec<DistanceLink>,
    /// Collider lists of the points, one behind the other; by kind of shape, as the engine tests them.
    colliders: Vec<u32>,
    /// Bones whose frames the step itself keeps, by turns.
    bone_batches: Vec<Bones>,
    component: u32,
    base_bone: u32,
    sync_bones: Vec<SyncBoneRest>,
}

/// A sync bone, its targets as points.
#[derive(Clone, Debug, PartialEq)]
struct SyncBoneRest {
    setup: SyncBone,
    /// Where the bone is at rest, in the component's space.
    rest_position: Vec3,
    /// Points, and whose shares they get: positions in `from.targets`.
    targets: Vec<(u32, usize)>,
}

/// Baked numbers of one joint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Params {
    damping: f32,
    stiffness: f32,
    ignore_movement: f32,
    ignore_rotation: f32,
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
    space: SimulationSpace,
    /// 0, or the axis of the plane's normal counted from 1.
    planar_axis: u8,
    target_frame_rate: f32,
    fixed_steps: bool,
    max_steps: f32,
    warm_up_frames: u32,
    warm_up_at_start: bool,
    warm_up_on_reset: bool,
    teleport_distance: f32,
    teleport_angle: f32,
    move_scale: Vec3,
    gravity: Vec3,
    gravity_in_world: bool,
    legacy_gravity: bool,
    simple_force: Vec3,
    simple_force_in_world: bool,
    scene_wind: bool,
    wind_scale: f32,
    wind_noise: f32,
    compliance: f32,
    iterations: [u32; 2],
    subdivisions_only_collide: bool,
    bridge_feedback: f32,
    procedural_wind: ProceduralWind,
}

/// What steps change. Vectors are indexed by point unless they say otherwise; places are in the simulation space.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    positions: Vec<Vec3>,
    previous_positions: Vec<Vec3>,
    /// The pose of this frame, and of the one before.
    pose_positions: Vec<Vec3>,
    pose_rotations: Vec<Quat>,
    previous_pose_positions: Vec<Vec3>,
    previous_pose_rotations: Vec<Quat>,
    /// What this step aims for, between the two.
    target_positions: Vec<Vec3>,
    target_rotations: Vec<Quat>,
    /// By four of [`Rest::point_batches`].
    batch_params: Vec<BatchParams>,
    /// From parents to points where this step aims for, by four likewise.
    animated_offsets: Vec<Vec3x4>,
    /// Pull of the scene's winds, m/s².
    scene_wind: Vec<Vec3>,
    /// Whether there are winds at all.
    has_scene_wind: bool,
    /// What points of constraints hand to their ends, with its weight.
    bridge_pushes: Vec<(Vec3, f32)>,
    /// By link.
    lambda: Vec<f32>,
    /// By collider.
    colliders: Vec<KawaiiCollider>,
    /// By joint: its tip's point.
    tip_points: Vec<u32>,
    /// Where the simulation space stands in the world.
    space: Frame,
    space_kind: SimulationSpace,
    /// The component as far as its motion has been felt.
    felt_component: Frame,
    /// The base bone in the component's space, likewise.
    felt_base: Frame,
    /// Seconds that no step has used up.
    accumulator: f32,
    /// Length of the step before, seconds; 0 before the first.
    previous_dt: f32,
    step_count: u32,
    /// Seconds on the procedural wind's clock.
    wind_time: f32,
    run_phase: RunPhase,
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum RunPhase {
    /// The first frame still places the points.
    #[default]
    NotStarted,
    /// Placed by a reset.
    AfterReset,
    /// Under way.
    Running,
}

impl TipState for State {
    fn tip(&self, joint: usize) -> Vec3 {
        self.space.transform_point(self.positions[self.tip_points[joint] as usize])
    }

    fn sum_squared_distances(&self, joints: &[u32], from: Vec3) -> f32 {
        if self.space.scaled {
            return vec_util::sum_squared_distances(joints, from, |joint| self.tip(joint as usize));
        }
        // Distances are the same in the space of the component.
        let from = self.space.inverse_transform_point(from);
        vec_util::sum_squared_distances(joints, from, |joint| self.positions[self.tip_points[joint as usize] as usize])
    }

    fn previous_tip(&self, joint: usize) -> Vec3 {
        self.space.transform_point(self.previous_positions[self.tip_points[joint] as usize])
    }

    fn set_tip(&mut self, joint: usize, tip: Vec3, previous: Vec3) {
        let point = self.tip_points[joint] as usize;
        self.positions[point] = self.space.inverse_transform_point(tip);
        self.previous_positions[point] = self.space.inverse_transform_point(previous);
        self.run_phase = RunPhase::Running;
    }
}

impl Solver for KawaiiPhysics {
    const INFO: SolverInfo = SolverInfo {
        origin: SolverOrigin::Unreal,
        unsupported: response::UNSUPPORTED,
        rest_target: RestTarget::PoseRotation,
        shapes: &[
            ColliderShape::SPHERE,
            ColliderShape::SPHERE.inverted(),
            ColliderShape::CAPSULE,
            ColliderShape::TAPERED_CAPSULE,
            ColliderShape::BOX,
            ColliderShape::PLANE,
        ],
        uses_component: true,
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

    fn solver_indices(rest: &Rest) -> &[u32] {
        &rest.solver_indices
    }

    fn bake(mut get: impl FnMut(ParamId) -> f32) -> Params {
        let mut share = |row| get(row).clamp(0.0, 1.0);
        Params {
            damping: share(row::DAMPING),
            stiffness: share(row::STIFFNESS),
            ignore_movement: share(row::WORLD_DAMPING_LOCATION),
            ignore_rotation: share(row::WORLD_DAMPING_ROTATION),
            radius: get(row::RADIUS).max(0.0),
            limit_angle: get(row::LIMIT_ANGLE).max(0.0),
            force_rate: get(row::FORCE_RATE),
        }
    }

    fn bake_system(get: impl FnMut(ParamId) -> f32) -> System {
        bake_system(get)
    }

    fn step_seconds(system: &ParamSet, frame: f32) -> f32 {
        response::step_seconds(system, frame)
    }

    fn workload(rest: &Rest, system: &System, dt: f32) -> Workload {
        step::workload(rest, system, dt)
    }

    fn update_switches(rest: &mut Rest, setup: &SystemSetup) {
        build::update_switches(rest, setup);
    }

    fn step(rest: &Rest, params: &[Params], system: &System, state: &mut State, scene: &mut Scene<'_>, dt: f32) {
        step::solve(rest, params, system, state, scene, dt);
    }

    fn reset(rest: &Rest, state: &mut State, scene: &mut Scene<'_>) {
        capture::snap_to_pose(rest, state, scene);
    }

    fn carry_over(state: &mut State, before: &State) {
        (state.accumulator, state.previous_dt) = (before.accumulator, before.previous_dt);
        (state.step_count, state.wind_time) = (before.step_count, before.wind_time);
        (state.felt_component, state.felt_base, state.run_phase) =
            (before.felt_component, before.felt_base, before.run_phase);
    }

    fn point_at(rest: &Rest, joint: usize, tip: Vec3, scene: &mut Scene<'_>) {
        output::point_joint_at(rest, joint, tip, scene);
    }
}

impl Inspect for KawaiiPhysics {
    fn sync_offset(rest: &Rest, bone: BoneId, frames: &[Frame]) -> Option<f32> {
        capture::sync_offset(rest, bone, frames)
    }

    fn rest_length(rest: &Rest, joint: usize) -> f32 {
        rest.tip_offsets[joint].length()
    }

    fn tip_offset(rest: &Rest, joint: usize) -> Vec3 {
        rest.tip_offsets[joint]
    }

    fn contact_sphere<'a>(query: &ContactQuery<'a, Self>) -> Option<ContactSphere<'a>> {
        let ContactQuery { rest, joint, tip, .. } = *query;
        let point = &rest.points[rest.tip_points[joint] as usize];
        let colliders = point.colliders.slice(&rest.colliders);
        Some(ContactSphere::new(tip, point.radius, colliders))
    }

    fn nearest_surface(
        query: &ContactQuery<'_, Self>,
        ball: &ContactSphere<'_>,
        collider: u32,
    ) -> Option<SurfacePoint> {
        let (collider, frame) = query.posed_scene.collider(collider);
        KawaiiCollider::new(collider, frame, &Frame::WORLD).nearest_surface(ball)
    }
}

fn bake_system(mut get: impl FnMut(ParamId) -> f32) -> System {
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
        space: SimulationSpace::from_param(get(row::SIMULATION_SPACE)),
        planar_axis: get(row::PLANAR_CONSTRAINT).round().clamp(0.0, 3.0) as u8,
        target_frame_rate: get(row::TARGET_FRAMERATE).trunc().clamp(1.0, 1000.0),
        fixed_steps: get(row::USE_FIXED_SUBSTEPPING) >= 0.5,
        max_steps: get(row::MAX_SUBSTEPS).trunc().clamp(1.0, 16.0),
        warm_up_frames: get(row::WARM_UP_FRAMES).clamp(0.0, 1000.0) as u32,
        warm_up_at_start: get(row::NEED_WARM_UP) >= 0.5,
        warm_up_on_reset: get(row::WARM_UP_ON_RESET) >= 0.5,
        teleport_distance: get(row::TELEPORT_DISTANCE),
        teleport_angle: get(row::TELEPORT_ROTATION),
        move_scale: Vec3::from(row::SKEL_COMP_MOVE_SCALE.map(&mut get)),
        gravity: gravity * factor,
        gravity_in_world: get(row::USE_WORLD_GRAVITY) >= 0.5,
        legacy_gravity: get(row::USE_LEGACY_GRAVITY) >= 0.5,
        simple_force: Vec3::from(row::SIMPLE_EXTERNAL_FORCE.map(&mut get)),
        simple_force_in_world: get(row::USE_WORLD_SIMPLE_FORCE) >= 0.5,
        scene_wind: get(row::ENABLE_WIND) >= 0.5,
        wind_scale: get(row::WIND_SCALE),
        wind_noise: get(row::WIND_NOISE).clamp(0.0, 180.0),
        compliance: Compliance::from_index(get(row::COMPLIANCE_TYPE)).value(),
        iterations: [row::ITERATIONS_BEFORE, row::ITERATIONS_AFTER].map(|row| get(row).clamp(0.0, 32.0) as u32),
        subdivisions_only_collide: get(row::SUBDIVISION_COLLISION_ONLY) >= 0.5,
        bridge_feedback: get(row::BRIDGE_FEEDBACK).clamp(0.0, 2.0),
        procedural_wind: ProceduralWind::bake(&mut get),
    }
}
