//! `KawaiiPhysics`: reproduces the behaviour of pafuhana1213's plugin for Unreal.
//!
//! Every bone of a chain is a point; the root follows its pose. A frame runs fixed steps or, in legacy mode, one step
//! of its own length. A step moves each point by its velocity, by gravity and forces, and by a share of the
//! component's motion, and pulls the point to its pose relative to its simulated parent. Links restore distances
//! before and after collisions. Finally, parents first, each point is clamped to its cone and plane and moved to the
//! bone's length. Points are in the space of the component, the world or a bone. A bone with one child is rotated by
//! the shortest arc from its pose to the points, and its rotation and translation are written. A bone with several
//! children does not rotate. Units are metres, seconds and degrees in glTF axes; Unreal uses centimetres and its own
//! axes.
//!
//! A joint's parameters apply to the point at its head; the end of a chain uses the parameters of its last joint. By
//! default the component is the topmost bone above the first joint.
//!
//! Differs from `KawaiiPhysics`; a test covers each difference:
//! - the component's scale is not part of the simulation space, so metres stay metres;
//! - a bone that points in the direction of its pose still moves to its point;
//! - Yuremono provides the scene winds, in m/s²;
//! - a gust of the procedural wind starts at an interval, not at a notify.
//!
//! Not included: collision with the level, and external forces except the procedural wind.

mod build;
mod capture;
mod fields;
mod frame_context;
pub mod params;
mod point_batch;
mod relax;
mod response;
mod setup;
mod step;
mod wind;

pub use fields::{BONE_CONSTRAINT_FIELDS, SYNC_BONE_CURVES, SYNC_BONE_FIELDS, SYNC_TARGET_FIELDS};
pub use params::PARAMS;
pub use setup::{Attenuation, BoneConstraint, Compliance, KawaiiSetup, SyncBone, SyncDirection, SyncTarget};

use super::super::{
    ColliderShape, Dynamics, Inspect, RestTarget, Solver, SolverInfo, SolverKind, SolverOrigin, StepPose, SystemSetup,
    TipState, Workload,
};
use crate::collider::{BoundingSphere, ContactSphere, SurfacePoint};
use crate::math::{Frame, Vec3x4};
use crate::params::{ParamId, ParamSet};
use crate::rig::{BoneId, Skeleton, WorldPose};
use crate::solver::ContactQuery;
use crate::vec_util;
use crate::vec_util::IndexRange;
use build::DistanceLink;
use capture::SimulationSpace;
use glam::{Quat, Vec3};

use point_batch::{BatchParams, BoneBatch, PointBatch};
use relax::KawaiiCollider;
use wind::ProceduralWind;

const NO_POINT: u32 = u32::MAX;

/// Shorter lengths, in metres, count as zero. Unreal compares with 1e-4 cm.
const MIN_LENGTH: f32 = 1e-6;

/// The solver.
#[derive(Clone, Copy, Debug)]
pub struct KawaiiPhysics;

#[derive(Clone, Copy, Debug, PartialEq)]
enum PointKind {
    /// The head of a bone.
    Bone,
    /// A virtual end of the parent's bone, in bone space. Dummy bones ignore the bone's scale.
    End { local_offset: Vec3, follows_scale: bool },
    /// A subdivision between two points of a chain.
    Subdivision { ends: [u32; 2], fraction: f32 },
    /// A collision point between the ends of a constraint; not part of a chain.
    Bridge { ends: [u32; 2], fraction: f32 },
}

#[derive(Clone, Debug, PartialEq)]
struct PointRest {
    kind: PointKind,
    /// Bone of the point; `NO_PARENT` unless the point is a bone's head.
    bone: u32,
    /// Parent point; `NO_POINT` for roots and bridges.
    parent: u32,
    /// The only child of the point; `NO_POINT` if the point has no child or several children.
    only_child: u32,
    /// Joints whose parameters the point blends; `fraction` is the share of the second joint.
    joints: [u32; 2],
    fraction: f32,
    /// Whether the point follows its parent rigidly, as in the pose.
    pinned: bool,
    /// Whether the joint at this head is enabled. Only then does its bone rotate.
    rotates: bool,
    /// Distance along the chain: 0 at the root, 1 at the farthest end.
    length_fraction: f32,
    /// Range of [`Rest::colliders`].
    colliders: IndexRange,
    /// Position in the rest pose, in metres in the world.
    rest_position: Vec3,
    /// Radius for drawing, from the parameters, in metres.
    radius: f32,
}

/// Topology and rest data.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rest {
    /// All points, parents before children.
    points: Vec<PointRest>,
    /// `points` as batches.
    point_batches: Vec<PointBatch>,
    /// Whether any points are subdivisions or bridges.
    has_subdivisions: bool,
    /// The point at the head of each joint.
    head_points: Vec<u32>,
    solver_indices: Vec<u32>,
    /// The simulated point at the tip of each joint; the joint's own point if there is no tip.
    tip_points: Vec<u32>,
    /// Offset from head to tip of each joint in the bone's unscaled space at rest, in metres.
    tip_offsets: Vec<Vec3>,
    links: Vec<DistanceLink>,
    /// Collider lists of all points, one after the other. Each list is sorted in the order in which KawaiiPhysics
    /// tests shapes.
    colliders: Vec<u32>,
    /// Batches of the bones whose frames the step updates.
    bone_batches: Vec<BoneBatch>,
    component: u32,
    base_bone: u32,
    sync_bones: Vec<SyncBoneRest>,
}

/// A sync bone whose targets are resolved to points.
#[derive(Clone, Debug, PartialEq)]
struct SyncBoneRest {
    setup: SyncBone,
    /// Rest position of the bone in the component's space.
    rest_position: Vec3,
    /// Point of each target, and the target's index in `setup.targets`.
    targets: Vec<(u32, usize)>,
}

/// Baked values of one joint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Params {
    damping: f32,
    stiffness: f32,
    ignore_movement: f32,
    ignore_rotation: f32,
    /// In metres.
    radius: f32,
    /// In degrees; 0 turns the limit off.
    limit_angle: f32,
    force_rate: f32,
}

/// Baked values of the system.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the engine")]
pub struct System {
    space: SimulationSpace,
    /// 0 without a plane, otherwise 1 plus the axis of the plane's normal.
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

/// State of the simulation. Lists are per point unless noted; positions are in the simulation space.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    positions: Vec<Vec3>,
    previous_positions: Vec<Vec3>,
    /// Pose in this frame and in the last frame.
    pose_positions: Vec<Vec3>,
    pose_rotations: Vec<Quat>,
    previous_pose_positions: Vec<Vec3>,
    previous_pose_rotations: Vec<Quat>,
    /// Target pose of the current step, between the poses of the last frame and of this frame.
    target_positions: Vec<Vec3>,
    target_rotations: Vec<Quat>,
    /// One entry per batch in [`Rest::point_batches`].
    batch_params: Vec<BatchParams>,
    /// Offsets from parents to points in the target pose, per batch.
    animated_offsets: Vec<Vec3x4>,
    /// Acceleration by scene winds, in m/s².
    scene_wind: Vec<Vec3>,
    has_scene_wind: bool,
    /// Sum of the pushes of bridges on each end, and sum of their weights.
    bridge_pushes: Vec<(Vec3, f32)>,
    /// Lagrange multiplier of each link.
    lambda: Vec<f32>,
    /// One entry per collider of the system.
    colliders: Vec<KawaiiCollider>,
    /// One entry per collider, in the simulation space.
    collider_bounds: Vec<BoundingSphere>,
    /// The point at the tip of each joint.
    tip_points: Vec<u32>,
    /// Frame of the simulation space, in the world.
    space: Frame,
    space_kind: SimulationSpace,
    /// Frame of the component when the points last felt its motion.
    felt_component: Frame,
    /// Frame of the base bone in the component's space, when the points last felt its motion.
    felt_base: Frame,
    /// Seconds that no step has simulated yet.
    accumulator: f32,
    /// Length of the last step, in seconds; 0 before the first step.
    previous_dt: f32,
    step_count: u32,
    /// Time of the procedural wind's clock, in seconds.
    wind_time: f32,
    run_phase: RunPhase,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum RunPhase {
    /// No frame has been simulated.
    #[default]
    NotStarted,
    /// The next frame is the first after a reset.
    AfterReset,
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
        // An unscaled space does not change distances.
        let from = self.space.inverse_transform_point(from);
        vec_util::sum_squared_distances(joints, from, |joint| self.positions[self.tip_points[joint as usize] as usize])
    }

    fn tip_slot(&self, joint: usize) -> usize {
        self.tip_points[joint] as usize
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

    fn add_velocity(&mut self, joint: usize, velocity: Vec3, step_seconds: f32) {
        let previous = &mut self.previous_positions[self.tip_points[joint] as usize];
        *previous = self.space.inverse_transform_point(self.space.transform_point(*previous) - velocity * step_seconds);
    }
}

impl Solver for KawaiiPhysics {
    const INFO: SolverInfo = SolverInfo {
        short_name: "Kawaii",
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
        frame_rate_independent_setting: Some((params::USE_FIXED_SUBSTEPPING, 1.0)),
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
        let mut share = |param| get(param).clamp(0.0, 1.0);
        Params {
            damping: share(params::DAMPING),
            stiffness: share(params::STIFFNESS),
            ignore_movement: share(params::WORLD_DAMPING_LOCATION),
            ignore_rotation: share(params::WORLD_DAMPING_ROTATION),
            radius: get(params::RADIUS).max(0.0),
            limit_angle: get(params::LIMIT_ANGLE).max(0.0),
            force_rate: get(params::FORCE_RATE),
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

    fn step(rest: &Rest, params: &[Params], system: &System, state: &mut State, step_pose: &mut StepPose<'_>, dt: f32) {
        step::solve(rest, params, system, state, step_pose, dt);
    }

    fn reset(rest: &Rest, state: &mut State, step_pose: &mut StepPose<'_>) {
        capture::snap_to_pose(rest, state, step_pose);
    }

    fn carry_over(state: &mut State, before: &State) {
        (state.accumulator, state.previous_dt) = (before.accumulator, before.previous_dt);
        (state.step_count, state.wind_time) = (before.step_count, before.wind_time);
        (state.felt_component, state.felt_base, state.run_phase) =
            (before.felt_component, before.felt_base, before.run_phase);
    }

    fn aim_joint_at(rest: &Rest, joint: usize, tip: Vec3, step_pose: &mut StepPose<'_>) {
        step::point_joint_at(rest, joint, tip, step_pose);
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

    fn nearest_surface(query: &ContactQuery<'_, Self>, ball: &ContactSphere<'_>, id: u32) -> Option<SurfacePoint> {
        let (collider, frame) = query.posed_scene.collider(id);
        KawaiiCollider::new(collider, frame, &Frame::WORLD).nearest_surface(ball)
    }
}

fn bake_system(mut get: impl FnMut(ParamId) -> f32) -> System {
    // These parameters are read when the points are built. They are listed here because baking must read every
    // parameter.
    for made in [
        params::DUMMY_BONE_LENGTH,
        params::BONE_FORWARD_AXIS,
        params::AUTO_LINK_DUMMIES,
        params::SUBDIVISION_COUNT,
        params::SUBDIVISION_DENSIFY,
        params::BRIDGE_COUNT,
    ] {
        get(made);
    }
    let gravity = Vec3::from(params::GRAVITY.map(&mut get));
    // KawaiiPhysics multiplies by the project's gravity in cm/s², as a number without a unit.
    let factor = if get(params::USE_PROJECT_GRAVITY) >= 0.5 { 980.0 } else { 1.0 };
    System {
        space: SimulationSpace::from_param(get(params::SIMULATION_SPACE)),
        planar_axis: get(params::PLANAR_CONSTRAINT).round().clamp(0.0, 3.0) as u8,
        target_frame_rate: get(params::TARGET_FRAMERATE).trunc().clamp(1.0, 1000.0),
        fixed_steps: get(params::USE_FIXED_SUBSTEPPING) >= 0.5,
        max_steps: get(params::MAX_SUBSTEPS).trunc().clamp(1.0, 16.0),
        warm_up_frames: get(params::WARM_UP_FRAMES).clamp(0.0, 1000.0) as u32,
        warm_up_at_start: get(params::NEED_WARM_UP) >= 0.5,
        warm_up_on_reset: get(params::WARM_UP_ON_RESET) >= 0.5,
        teleport_distance: get(params::TELEPORT_DISTANCE),
        teleport_angle: get(params::TELEPORT_ROTATION),
        move_scale: Vec3::from(params::SKEL_COMP_MOVE_SCALE.map(&mut get)),
        gravity: gravity * factor,
        gravity_in_world: get(params::USE_WORLD_GRAVITY) >= 0.5,
        legacy_gravity: get(params::USE_LEGACY_GRAVITY) >= 0.5,
        simple_force: Vec3::from(params::SIMPLE_EXTERNAL_FORCE.map(&mut get)),
        simple_force_in_world: get(params::USE_WORLD_SIMPLE_FORCE) >= 0.5,
        scene_wind: get(params::ENABLE_WIND) >= 0.5,
        wind_scale: get(params::WIND_SCALE),
        wind_noise: get(params::WIND_NOISE).clamp(0.0, 180.0),
        compliance: Compliance::from_index(get(params::COMPLIANCE_TYPE)).value(),
        iterations: [params::ITERATIONS_BEFORE, params::ITERATIONS_AFTER]
            .map(|param| get(param).clamp(0.0, 32.0) as u32),
        subdivisions_only_collide: get(params::SUBDIVISION_COLLISION_ONLY) >= 0.5,
        bridge_feedback: get(params::BRIDGE_FEEDBACK).clamp(0.0, 2.0),
        procedural_wind: ProceduralWind::bake(&mut get),
    }
}
