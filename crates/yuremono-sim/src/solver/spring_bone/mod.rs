//! UTJ `UnityChanSpringBone` 1.1 and 1.2.2 (MIT, Unity Technologies Japan): reproduces its observable behaviour and
//! adds improvements.
//!
//! Each joint moves its tip about its head by position Verlet. Length targets, ground and colliders correct the tip;
//! angle limits clamp the tip; finally the bone rotates towards the tip. All steps of a joint finish before any
//! deeper joint moves. A step lasts `1 / simulationFrameRate` and runs once per frame. The space is that of glTF,
//! which is Unity's space with X mirrored. Unity's right is -X here, so a pivot's forward (Unity's -right) is +X.
//!
//! `step.rs` follows Unity's order of operations; `improved.rs` wraps the same step with the improvements. The mode
//! "Unity-accurate" reads no parameters of improvements.

mod build;
mod contact;
mod improved;
mod limits;
mod params;
mod shapes;
mod step;
mod warnings;

use super::super::step_pose::StepPose;
use super::super::{
    ColliderShape, Dynamics, Inspect, PivotLimit, Solver, SolverInfo, SolverKind, SystemSetup, TipState, Workload,
};
use super::batch::Batch;
use crate::collider::{BoundingSphere, ContactSphere, SurfacePoint};
use crate::param_warning::{ParamWarning, TunedJoints};
use crate::params::{ParamId, ParamSet};
use crate::rig::{Skeleton, WorldPose};
use crate::solver::{AimedJoint, ContactQuery};
use crate::vec_util::IndexRange;
use glam::{Quat, Vec3};
use improved::SimulationClock;
use improved::{RootMotion, RootPose};
use params::ImprovedParams;
pub use params::*;
use shapes::BoneShape;

/// The solver.
#[derive(Clone, Copy, Debug)]
pub struct SpringBone;

/// Topology and rest data of one joint.
#[derive(Clone, Debug, PartialEq)]
pub struct JointRest {
    bone: u32,
    parent: u32,
    enabled: bool,
    /// Whether Unity marks the joint as moved by animation.
    animated: bool,
    /// Whether the joint is the first of its chain. Its parent is then the root of the chain.
    is_chain_start: bool,
    /// Direction to the tip in bone space; unit length.
    axis: Vec3,
    /// The direction `axis` at rest, in the parent's space.
    rest_axis: Vec3,
    /// Length of the bone, in metres in the world.
    length: f32,
    /// Local rotation in the rest pose.
    rotation: Quat,
    /// Bone of the pivot, or `NO_PARENT`.
    pivot: u32,
    /// Index in [`State::chain_roots`].
    chain: u32,
    /// Range of [`Rest::colliders`].
    colliders: IndexRange,
    /// Range of [`Rest::targets`].
    targets: IndexRange,
    /// Range of [`Rest::bones_to_refresh`]: the bones to update before the next joint.
    bones_to_refresh: IndexRange,
}

/// A bone to which a tip keeps its distance.
#[derive(Clone, Copy, Debug, PartialEq)]
struct LengthTargetRest {
    bone: u32,
    /// Distance in the rest pose, in metres.
    length: f32,
    /// Constant of the pull, in 1/s²; `None` uses the joint's own constant.
    constant: Option<f32>,
}

/// Topology and rest data. Joints are sorted by depth, parents first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rest {
    joints: Vec<JointRest>,
    /// Batches of independent joints that cover `joints` in order.
    batches: Vec<Batch>,
    colliders: Vec<u32>,
    /// For each collider of the system, whether a joint of the system moves the collider.
    moving_colliders: Vec<bool>,
    targets: Vec<LengthTargetRest>,
    bones_to_refresh: Vec<u32>,
    chain_count: usize,
    solver_indices: Vec<u32>,
}

/// Allowed angles about one axis, in degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
struct AngleLimit {
    min: f32,
    max: f32,
}

/// Baked values of one joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    stiffness: f32,
    velocity_retention: f32,
    spring_force: Vec3,
    radius: f32,
    y_limit: Option<AngleLimit>,
    z_limit: Option<AngleLimit>,
    angular_stiffness: f32,
    wind_influence: f32,
    length_constant: f32,
    softness: f32,
    shape: BoneShape,
}

/// Baked values of the manager.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct System {
    gravity: Vec3,
    bounce: f32,
    friction: f32,
    /// Height of the ground, in metres in the world; `None` without ground.
    ground: Option<f32>,
    /// Steps per second. At 0 or less, a step lasts as long as the frame.
    step_rate: f32,
    dynamic_ratio: f32,
    limits: bool,
    collision: bool,
    lengths: bool,
    paused: bool,
    /// Whether all radii follow the scale, as in release 1.2.2.
    scaled_radii: bool,
    improved: Option<ImprovedParams>,
}

/// State of the simulation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    tips: Vec<Vec3>,
    previous: Vec<Vec3>,
    /// One entry per collider of the system, for the current step.
    collider_bounds: Vec<BoundingSphere>,
    /// The animated rotation of each animated joint, read before its last step.
    animated_rotations: Vec<Quat>,
    /// Pose of each chain's root in its last step; used only in improved mode.
    chain_roots: Vec<RootPose>,
    /// Root motion that moves the tips of each chain along in this frame; used only in improved mode.
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
        name: "UnityChan SpringBone",
        short_name: "UnityChan",
        unsupported: UNSUPPORTED,
        shapes: &[ColliderShape::SPHERE, ColliderShape::CAPSULE, ColliderShape::PANEL],
        correction_constant: Some(LENGTH_CONSTANT),
        improvements: Some(warnings::IMPROVEMENTS),
        csv_section: Some("SpringBones"),
        independent_chains: true,
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
        frame_rate_independent_setting: Some((SIMULATION_FRAME_RATE, 0.0)),
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
        bake_joint(get)
    }

    fn bake_system(get: impl FnMut(ParamId) -> f32) -> System {
        bake_system(get)
    }

    fn step_seconds(system: &ParamSet, frame: f32) -> f32 {
        step_seconds(system, frame)
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

    fn step(rest: &Rest, params: &[Params], system: &System, state: &mut State, step_pose: &mut StepPose<'_>, dt: f32) {
        match &system.improved {
            None => {
                step::solve(rest, params, system, state, step_pose, dt);
                state.clock.advance_unimproved(dt);
            }
            Some(better) => improved::solve(rest, params, system, better, state, step_pose, dt),
        }
    }

    fn reset(rest: &Rest, state: &mut State, step_pose: &mut StepPose<'_>) {
        state.clock = SimulationClock::default();
        for (i, joint) in rest.joints.iter().enumerate() {
            step_pose.pose[joint.bone as usize].rotation = joint.rotation;
            step_pose.refresh(joint.bone);
            step::snap_tip_to_pose(i, joint, state, step_pose);
            step::refresh_below(rest, joint, step_pose);
        }
    }

    fn carry_over(state: &mut State, before: &State) {
        state.clock = before.clock;
        // If any chain root differs, the first step applies no root motion.
        let bones = |state: &Self::State| state.chain_roots.iter().map(|root| root.bone).collect::<Vec<_>>();
        state.clock.roots_known &= bones(state) == bones(before);
        if state.clock.roots_known {
            state.chain_roots.clone_from(&before.chain_roots);
        }
    }

    fn aim_joint_at(rest: &Rest, joint: usize, tip: Vec3, step_pose: &mut StepPose<'_>) {
        let joint = &rest.joints[joint];
        step::point_joint_at(joint, tip, step_pose);
        step::refresh_below(rest, joint, step_pose);
    }

    fn reachable_direction(aimed: &AimedJoint<'_, Self>, direction: Vec3) -> Vec3 {
        let pivot = aimed.posed_scene.frames.get(aimed.rest.joints[aimed.joint].pivot as usize);
        match (pivot.filter(|_| aimed.system.limits), &aimed.system.improved) {
            (Some(pivot), Some(improved)) => {
                limits::clamp_angles::<true>(direction, pivot.rotation, aimed.params, improved)
            }
            (Some(pivot), None) => {
                limits::clamp_angles::<false>(direction, pivot.rotation, aimed.params, &ImprovedParams::default())
            }
            (None, _) => direction,
        }
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
        let ContactQuery { rest, params, system, joint, tip, posed_scene } = *query;
        let joint = &rest.joints[joint];
        let stretch = || (posed_scene.frames[joint.bone as usize].linear() * Vec3::X).length();
        let radius = if system.scaled_radii { params.radius * stretch() } else { params.radius };
        let colliders = if system.collision { joint.colliders } else { IndexRange::default() };
        let ball = ContactSphere::new(tip, radius, colliders.slice(&rest.colliders));
        Some(ContactSphere { ground_height: system.ground, ..ball })
    }

    fn nearest_surface(query: &ContactQuery<'_, Self>, ball: &ContactSphere<'_>, id: u32) -> Option<SurfacePoint> {
        let ContactQuery { rest, system, joint, posed_scene, .. } = *query;
        let (collider, frame) = posed_scene.collider(id);
        if !contact::is_active(collider) {
            return None;
        }
        let joint = &rest.joints[joint];
        let head = posed_scene.frames[joint.bone as usize].position;
        contact::surface(&collider.shape, frame, ball, head, joint.length, system.scaled_radii)
    }

    fn param_warning(param: ParamId, tuned: &impl TunedJoints) -> Option<ParamWarning> {
        warnings::param_warning(param, tuned)
    }
}
