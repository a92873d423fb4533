//! `DynamicBone`, based on public descriptions of the asset and on recordings of its clones.
//!
//! Each tip moves by position Verlet: damped motion, gravity, force and a share of the component's motion. Then each
//! tip is constrained, parents first. Elasticity pulls the tip towards its rest position, stiffness clamps the tip to a
//! sphere around the rest position, colliders push the tip, a frozen axis clamps it to a plane, and the bone length is
//! restored. The rest position has the *animated* orientation at the *simulated* head, so bends do not add up along a
//! chain. Finally, each bone with one tip rotates towards the tip, and every bone moves to its particle. A fork does
//! not rotate.
//!
//! Every frame starts from the animated pose. Forces are in metres per step², with steps of `1 / m_UpdateRate` s.
//! Gravity acts only to the extent that the root has rotated from its rest pose; force always acts. In mode Default,
//! each frame is one step; elasticity and forces, but not damping, are scaled by the frame length in steps. The other
//! modes keep the update rate, catch up a limited number of steps and drop the remaining steps. In a frame without a
//! step, these modes move the tips along with the component.
//!
//! A joint's values apply to the particle at its *tip*; curves are sampled at the tip's position along the chain. Each
//! tip of a fork has values of its own. Child joints become tips of a joint even if the joint does not list them.
//!
//! Differs from DynamicBone: a joint that lists one tip rotates towards that tip, even if it has other children.
//!
//! [`Implementation::Clone`] reproduces `seinocat/DynamicBone` with its bugs: gravity is transformed as a point,
//! capsule ends push from the wrong end, capsules ignore scale, inside capsules have no effect, every frame is one
//! step, and neither a frozen axis nor virtual tips exist. Only this clone has a force curve.

mod build;
mod colliders;
mod params;
mod pose_io;
mod step;

pub use build::DynamicBoneSetup;
pub use params::*;

use super::super::{
    ColliderShape, Dynamics, Inspect, RestTarget, Solver, SolverInfo, SolverKind, StepPose, SystemSetup, TipState,
    Workload,
};
use super::batch::Batch;
use crate::collider::{ContactSphere, SurfacePoint};
use crate::params::{ParamId, ParamSet};
use crate::rig::{Skeleton, WorldPose};
use crate::solver::ContactQuery;
use crate::vec_util::IndexRange;
use colliders::DynamicBoneCollider;
use glam::{Mat3, Quat, Vec3};

const NONE: u32 = u32::MAX;

/// The solver.
#[derive(Clone, Copy, Debug)]
pub struct DynamicBone;

/// The implementation to reproduce where implementations differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Implementation {
    /// The asset.
    #[default]
    Asset,
    /// The `seinocat/DynamicBone` clone.
    Clone,
}

impl Implementation {
    /// Returns the implementation for a value of [`RUN_AS`].
    pub const fn of(value: f32) -> Self {
        if value < 0.5 { Self::Asset } else { Self::Clone }
    }
}

/// A simulated point: the head of a root, or a tip.
#[derive(Clone, Debug, Default, PartialEq)]
struct Particle {
    /// The bone whose head is at the particle; `NO_PARENT` for a virtual tip.
    bone: u32,
    /// The particle at the head of the particle's joint; `NONE` for a root.
    parent: u32,
    /// The joint whose tip is at the particle; for a root, the joint of the root.
    joint: u32,
    /// Index of the particle's values.
    params: u32,
    tree: u32,
    /// Position of a virtual tip in the joint's bone space, in metres.
    local_offset: Vec3,
    /// Whether the particle's bone is a direct child of the joint's bone.
    is_direct_child: bool,
    /// Range of [`Rest::skipped_bones`]: bones between the joint and the particle's bone.
    skipped_bones: IndexRange,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct JointRest {
    bone: u32,
    enabled: bool,
    /// The particle at the joint's head.
    head: u32,
    /// The first tip of the joint, or `NONE`.
    tip: u32,
    /// Whether the joint rotates towards its tip. It does if it has exactly one tip.
    rotates: bool,
    /// Whether the joint rotates and there are no bones between the joint and its tip or its parent joint.
    fast_path: bool,
    /// The parent of the particle at the joint's head; `NONE` for a root.
    head_parent: u32,
    /// Parent bone, or `NO_PARENT`.
    parent: u32,
    /// The bone of the first tip, or `NO_PARENT`.
    tip_bone: u32,
    /// Position of the first tip if that tip is virtual.
    tip_local: Vec3,
    /// Range of [`Rest::colliders`].
    colliders: IndexRange,
    /// Distance from head to tip at rest, in world metres.
    length: f32,
    /// Vector from head to tip at rest, in the bone's unscaled space.
    offset: Vec3,
}

/// A root and all its descendants.
#[derive(Clone, Debug, PartialEq)]
struct ParticleTree {
    bone: u32,
    /// Transforms directions from the world to the root's rest space.
    local_from_world: Mat3,
    /// The world's origin in the root's rest space, in metres.
    world_origin: Vec3,
}

/// Topology and rest data. Joints and particles are sorted by level, parents first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rest {
    joints: Vec<JointRest>,
    particles: Vec<Particle>,
    trees: Vec<ParticleTree>,
    /// Batches of `particles`. Roots and tips are in different batches.
    particle_batches: Vec<Batch>,
    /// Batches of `joints`. Joints with the fast path are in separate batches.
    joint_batches: Vec<Batch>,
    /// Tips on bones that are not joints.
    non_joint_tips: Vec<u32>,
    skipped_bones: Vec<u32>,
    colliders: Vec<u32>,
    /// Number of pairs of a tip and a collider.
    collision_tests: u64,
    solver_indices: Vec<u32>,
    /// The bone of the component, or `NO_PARENT`.
    component: u32,
    /// The bone from which the distance to the component is measured; `NO_PARENT` measures from the viewer.
    reference: u32,
    any_disabled: bool,
}

/// Baked values of one joint, clamped to their ranges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    damping: f32,
    elasticity: f32,
    stiffness: f32,
    inert: f32,
    friction: f32,
    /// Radius in metres.
    radius: f32,
    force_share: f32,
}

/// Baked values of the system.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct System {
    /// Gravity in metres per step².
    gravity: Vec3,
    /// Force in metres per step².
    force: Vec3,
    /// Update rate in steps per second.
    update_rate: f32,
    one_step_per_frame: bool,
    max_steps: u32,
    weight: f32,
    /// Normal of the plane in which tips stay.
    freeze_axis: Option<Vec3>,
    /// Distance beyond which the component is off, in metres.
    max_distance: Option<f32>,
    implementation: Implementation,
}

/// State of a particle in the world, in metres.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct ParticleState {
    position: Vec3,
    previous: Vec3,
    /// Offset from the particle's head in the animated pose.
    animated_offset: Vec3,
    /// Length of `animated_offset`.
    animated_length: f32,
    collided: bool,
}

/// State of the simulation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    points: Vec<ParticleState>,
    /// The first tip of each joint; the head if the joint has no tip.
    tip_particles: Vec<u32>,
    /// Rotation of each bone relative to the animation. Only updated if a joint is disabled.
    rotation_offsets: Vec<Quat>,
    /// The gravity that acts on each tree, in metres per step².
    gravity: Vec<Vec3>,
    colliders: Vec<DynamicBoneCollider>,
    component_position: Vec3,
    /// Frame time that no step has used yet, in seconds.
    accumulator: f32,
    /// Whether the component was off in the last frame.
    was_off: bool,
}

impl TipState for State {
    fn tip(&self, joint: usize) -> Vec3 {
        self.points[self.tip_particles[joint] as usize].position
    }

    fn tip_slot(&self, joint: usize) -> usize {
        self.tip_particles[joint] as usize
    }

    fn previous_tip(&self, joint: usize) -> Vec3 {
        self.points[self.tip_particles[joint] as usize].previous
    }

    fn set_tip(&mut self, joint: usize, tip: Vec3, previous: Vec3) {
        let point = &mut self.points[self.tip_particles[joint] as usize];
        (point.position, point.previous) = (tip, previous);
    }
}

impl Solver for DynamicBone {
    const INFO: SolverInfo = SolverInfo {
        short_name: "Dynamic",
        unsupported: UNSUPPORTED,
        rest_target: RestTarget::PoseRotation,
        shapes: &ColliderShape::ROUND_AND_PLANE,
        params_at_tips: true,
        uses_component: true,
        independent_chains: true,
        // 0 is the update mode Normal.
        frame_rate_independent_setting: Some((UPDATE_MODE, 0.0)),
        ..SolverInfo::new(SolverKind::DynamicBone, PARAMS)
    };
}

impl Dynamics for DynamicBone {
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
        let [damping, elasticity, stiffness, inert, friction] =
            [DAMPING, ELASTICITY, STIFFNESS, INERT, FRICTION].map(&mut share);
        Params {
            damping,
            elasticity,
            stiffness,
            inert,
            friction,
            radius: get(RADIUS).max(0.0),
            force_share: get(FORCE_SHARE),
        }
    }

    fn bake_system(mut get: impl FnMut(ParamId) -> f32) -> System {
        let code = Implementation::of(get(RUN_AS));
        let axis = get(FREEZE_AXIS);
        let axis = [(2.5, Vec3::Z), (1.5, Vec3::Y), (0.5, Vec3::X)].into_iter().find(|(from, _)| axis >= *from);
        let reach = get(DISTANCE_TO_OBJECT);
        // Only the build reads these values; reading them here marks them as used.
        let _ends = (get(END_LENGTH), END_OFFSET.map(&mut get));
        System {
            gravity: Vec3::from(GRAVITY.map(&mut get)),
            force: Vec3::from(FORCE.map(&mut get)),
            update_rate: get(UPDATE_RATE),
            one_step_per_frame: get(UPDATE_MODE) >= 2.5 || code == Implementation::Clone,
            max_steps: get(MAX_STEPS).clamp(1.0, 1000.0) as u32,
            weight: get(BLEND_WEIGHT).clamp(0.0, 1.0),
            freeze_axis: axis.filter(|_| code == Implementation::Asset).map(|(_, axis)| axis),
            max_distance: (get(DISTANT_DISABLE) >= 0.5).then_some(reach),
            implementation: code,
        }
    }

    fn step_seconds(system: &ParamSet, frame: f32) -> f32 {
        step_seconds(system, frame)
    }

    fn workload(rest: &Rest, system: &System, dt: f32) -> Workload {
        step::work(rest, system, dt)
    }

    fn update_switches(rest: &mut Rest, setup: &SystemSetup) {
        for (joint, place) in setup.joints.iter().zip(&rest.solver_indices) {
            rest.joints[*place as usize].enabled = joint.enabled;
        }
        rest.any_disabled = setup.joints.iter().any(|joint| !joint.enabled);
    }

    fn step(rest: &Rest, params: &[Params], system: &System, state: &mut State, step_pose: &mut StepPose<'_>, dt: f32) {
        step::solve(rest, params, system, state, step_pose, dt);
    }

    fn reset(rest: &Rest, state: &mut State, step_pose: &mut StepPose<'_>) {
        pose_io::capture_pose(rest, state, step_pose);
        pose_io::snap_to_pose(rest, state, step_pose);
        state.accumulator = 0.0;
    }

    fn carry_over(state: &mut State, before: &State) {
        (state.accumulator, state.was_off) = (before.accumulator, before.was_off);
    }

    fn aim_joint_at(rest: &Rest, joint: usize, tip: Vec3, step_pose: &mut StepPose<'_>) {
        pose_io::point_joint_at(rest, joint, tip, step_pose);
    }
}

impl Inspect for DynamicBone {
    fn rest_length(rest: &Rest, joint: usize) -> f32 {
        rest.joints[joint].length
    }

    fn tip_offset(rest: &Rest, joint: usize) -> Vec3 {
        rest.joints[joint].offset
    }

    fn contact_sphere<'a>(query: &ContactQuery<'a, Self>) -> Option<ContactSphere<'a>> {
        let ContactQuery { rest, params, joint, tip, posed_scene, .. } = *query;
        let joint = &rest.joints[joint];
        let radius = params.radius * pose_io::bone_scale_x(posed_scene.frames, rest.component);
        (joint.tip != NONE).then(|| ContactSphere::new(tip, radius, joint.colliders.slice(&rest.colliders)))
    }

    fn nearest_surface(query: &ContactQuery<'_, Self>, ball: &ContactSphere<'_>, id: u32) -> Option<SurfacePoint> {
        let (collider, frame) = query.posed_scene.collider(id);
        // Measure the shape as drawn, even for the clone.
        DynamicBoneCollider::new(collider, frame, Implementation::Asset).surface(ball)
    }
}
