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
mod bone_shape;
mod build;
mod contact;
mod improved;
mod limits;
mod params;
mod response;
mod root_motion;
mod shapes;
mod step;
mod warnings;

use super::super::scene::Scene;
use super::super::{
    ColliderShape, Dynamics, Inspect, PivotLimit, Solver, SolverInfo, SolverKind, SystemSetup, TipState, Workload,
};
use super::batch::Batch;
use crate::params::{ParamId, ParamSet};
use crate::rig::{Skeleton, WorldPose};
use crate::sim::collider::{ContactSphere, SurfacePoint};
use crate::sim::param_warning::{ParamWarning, TunedJoints};
use crate::sim::solver::ContactQuery;
use crate::sim::vec_util::IndexRange;
use bake::ImprovedParams;
use bone_shape::BoneShape;
use glam::{Quat, Vec3};
use improved::SimulationClock;
pub use params::*;
use root_motion::{RootMotion, RootPose};

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
    is_chain_start: bool,
    /// Towards the tip in bone space, unit length.
    axis: Vec3,
    /// The same at rest in the parent's space.
    rest_axis: Vec3,
    /// Metres in the world.
    length: f32,
    /// Local rotation in the rest pose.
    rotation: Quat,
    /// Position of the pivot's bone, or `WORLD` for none.
    pivot: u32,
    /// Position among `RemapOutcome::chain_roots`.
    chain: u32,
    /// Part of [`Rest::colliders`].
    colliders: IndexRange,
    /// Part of [`Rest::targets`].
    targets: IndexRange,
    /// Part of [`Rest::bones_to_refresh`]: bones to be moved along before the next joint.
    bones_to_refresh: IndexRange,
}

/// A bone that a tip keeps its distance to.
#[derive(Clone, Copy, Debug, PartialEq)]
struct LengthTargetRest {
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
    batches: Vec<Batch>,
    colliders: Vec<u32>,
    targets: Vec<LengthTargetRest>,
    bones_to_refresh: Vec<u32>,
    /// How many chains there are.
    chain_count: usize,
    /// Position of each joint of the setup among `joints`.
    solver_indices: Vec<u32>,
}

/// Baked numbers of one joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    stiffness: f32,
    velocity_retention: f32,
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
    step_rate: f32,
    dynamic_ratio: f32,
    limits: bool,
    collision: bool,
    lengths: bool,
    paused: bool,
    /// Whether radii follow scale everywhere, as in release 1.2.2.
    scaled_radii: bool,
    improved: Option<ImprovedParams>,
}

/// What steps change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    tips: Vec<Vec3>,
    previous: Vec<Vec3>,
    /// The rotation that each animated joint was given before its last step.
    animated_rotations: Vec<Quat>,
    /// Where each chain's root was when it last stepped; of the better way.
    chain_roots: Vec<RootPose>,
    /// How this frame carries each chain along; of the better way.
    root_motions: Vec<RootMotion>,
    clock: SimulationClock,
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

impl Solver for SpringBone {
    const INFO: SolverInfo = SolverInfo {
        unsupported: response::UNSUPPORTED,
        shapes: &[ColliderShape::SPHERE, ColliderShape::CAPSULE, ColliderShape::PANEL],
        correction_constant: Some(LENGTH_CONSTANT),
        improvements: Some(warnings::IMPROVEMENTS),
        csv_section: Some("SpringBones"),
        pivot_limits: &[
            PivotLimit {
                params: Y_LIMITS,
                editor_default: [-20.0, 20.0],
                axis: Vec3::Z,
                positive_direction: Vec3::NEG_Y,
            },
            PivotLimit {
                params: Z_LIMITS,
                editor_default: [0.0, 20.0],
                axis: Vec3::Y,
                positive_direction: Vec3::NEG_Z,
            },
        ],
        uses_pivots: true,
        counts_helper_nodes: true,
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

    fn solver_indices(rest: &Rest) -> &[u32] {
        &rest.solver_indices
    }

    fn bake(get: impl FnMut(ParamId) -> f32) -> Params {
        bake::bake_joint(get)
    }

    fn bake_system(get: impl FnMut(ParamId) -> f32) -> System {
        bake::bake_system(get)
    }

    fn step_seconds(system: &ParamSet, frame: f32) -> f32 {
        response::step_seconds(system, frame)
    }

    fn frame_rate_independent(system: &ParamSet) -> bool {
        let steady = is_improved(system.get(MODE)) && system.get(FIXED_STEP) != 0.0;
        steady || system.get(SIMULATION_FRAME_RATE) <= 0.0
    }

    fn workload(rest: &Rest, system: &System, dt: f32) -> Workload {
        improved::work(rest, system, dt)
    }

    fn update_switches(rest: &mut Rest, setup: &SystemSetup) {
        build::update_switches(rest, setup);
    }

    fn step(rest: &Rest, params: &[Params], system: &System, state: &mut State, scene: &mut Scene<'_>, dt: f32) {
        match &system.improved {
            None => {
                step::solve(rest, params, system, state, scene, dt);
                state.clock.advance_unimproved(dt);
            }
            Some(better) => improved::solve(rest, params, system, better, state, scene, dt),
        }
    }

    fn reset(rest: &Rest, state: &mut State, scene: &mut Scene<'_>) {
        state.clock = SimulationClock::default();
        for (i, joint) in rest.joints.iter().enumerate() {
            scene.pose[joint.bone as usize].rotation = joint.rotation;
            scene.refresh(joint.bone);
            step::snap_tip_to_pose(i, joint, state, scene);
            step::refresh_below(rest, joint, scene);
        }
    }

    fn carry_over(state: &mut State, before: &State) {
        state.clock = before.clock;
        // Where chains came, went or hang elsewhere, nothing is carried the first time.
        let bones = |state: &Self::State| state.chain_roots.iter().map(|root| root.bone).collect::<Vec<_>>();
        state.clock.roots_known &= bones(state) == bones(before);
        if state.clock.roots_known {
            state.chain_roots.clone_from(&before.chain_roots);
        }
    }

    fn point_at(rest: &Rest, joint: usize, tip: Vec3, scene: &mut Scene<'_>) {
        let joint = &rest.joints[joint];
        step::point_joint_at(joint, tip, scene);
        step::refresh_below(rest, joint, scene);
    }

    fn starts_from_last_rotation(_: &System) -> bool {
        true
    }
}

impl Inspect for SpringBone {
    fn rest_length(rest: &Rest, joint: usize) -> f32 {
        rest.joints[joint].length
    }

    fn tip_offset(rest: &Rest, joint: usize) -> Vec3 {
        rest.joints[joint].axis * rest.joints[joint].length
    }

    fn contact_sphere<'a>(query: &ContactQuery<'a, Self>) -> Option<ContactSphere<'a>> {
        let ContactQuery { rest, params, system, joint, tip, posed_scene: still } = *query;
        let joint = &rest.joints[joint];
        let stretch = || (still.frames[joint.bone as usize].linear() * Vec3::X).length();
        let radius = if system.scaled_radii { params.radius * stretch() } else { params.radius };
        let colliders = if system.collision { joint.colliders } else { IndexRange::default() };
        let ball = ContactSphere::new(tip, radius, colliders.slice(&rest.colliders));
        Some(ContactSphere { ground_height: system.ground, ..ball })
    }

    fn nearest_surface(
        query: &ContactQuery<'_, Self>,
        ball: &ContactSphere<'_>,
        collider: u32,
    ) -> Option<SurfacePoint> {
        let ContactQuery { rest, system, joint, posed_scene: still, .. } = *query;
        let (collider, frame) = still.collider(collider);
        if !contact::is_active(collider) {
            return None;
        }
        let joint = &rest.joints[joint];
        let head = still.frames[joint.bone as usize].position;
        contact::surface(&collider.shape, frame, ball, (head, joint.length), system.scaled_radii)
    }

    fn param_warning(row: ParamId, tuned: &impl TunedJoints) -> Option<ParamWarning> {
        warnings::remark(row, tuned)
    }
}
