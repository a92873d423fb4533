//! `DynamicBone`, after public descriptions of the asset and recordings of its clones.
//!
//! Each tip moves by position Verlet: the last motion less damping, plus gravity, force and a share of the component's
//! motion. Then, parents first: elasticity pulls the tip to its rest position, stiffness clamps it to a sphere around
//! that, colliders push it, a frozen axis clamps it to a plane, and bone length is restored. The rest position is in
//! the *animated* orientation at the *simulated* head, so bends do not add up along a chain. At the end, bones with
//! one tip rotate to it and every bone moves to its tip; a fork does not rotate.
//!
//! Every frame starts from the animated pose. Forces are metres per step², with steps of `1 / m_UpdateRate` s. Gravity
//! acts only as far as the root has rotated from its rest pose; force always acts. Mode Default takes one step per
//! frame and scales elasticity and forces, but not damping, by the frame's length in steps. The other modes keep the
//! rate, catch up a limited number of steps, drop the rest, and in frames without a step move tips along with the
//! component.
//!
//! A joint's values are those of the particle at its *tip*; curves are sampled at the tip's position along the chain.
//! Child joints are further tips of a joint, even if the joint does not name them.
//!
//! Differs from DynamicBone: at a fork, the asset samples curves for each child; here all tips of a joint share its
//! values. A joint with one named tip rotates to that tip, whatever else is below it.
//!
//! [`Implementation::Clone`] reproduces `seinocat/DynamicBone` with its bugs: gravity as a point, capsule ends that
//! push from the wrong end, capsules that ignore scale, no inside capsules, always one step per frame, no frozen axis
//! and no virtual tips. It has a force curve.

mod build;
mod colliders;
mod params;
mod pose_io;
mod step;

pub use build::DynamicBoneSetup;
pub use params::*;

use super::super::{
    ColliderShape, Dynamics, Inspect, RestTarget, Scene, Solver, SolverInfo, SolverKind, SystemSetup, TipState,
    Workload,
};
use super::batch::Batch;
use crate::params::{ParamId, ParamSet};
use crate::rig::{Skeleton, WorldPose};
use crate::sim::collider::{ContactSphere, SurfacePoint};
use crate::sim::solver::ContactQuery;
use crate::sim::vec_util::IndexRange;
use colliders::DynamicBoneCollider;
use glam::{Mat3, Quat, Vec3};

const NONE: u32 = u32::MAX;

/// The solver.
#[derive(Clone, Copy, Debug)]
pub struct DynamicBone;

/// The implementation that the solver reproduces if implementations differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Implementation {
    /// The asset.
    #[default]
    Asset,
    /// The clone by seinocat.
    Clone,
}

impl Implementation {
    /// The implementation of a value of [`RUN_AS`].
    pub const fn of(value: f32) -> Self {
        if value < 0.5 { Self::Asset } else { Self::Clone }
    }
}

/// A simulated point: the head of a root, or a tip.
#[derive(Clone, Debug, Default, PartialEq)]
struct Particle {
    /// The bone with its head at the particle; `NO_PARENT` for a virtual tip.
    bone: u32,
    /// The particle at the head of its joint; `NONE` for a root.
    parent: u32,
    /// The joint with its tip at the particle; for a root, the joint itself.
    joint: u32,
    tree: u32,
    /// Position of a virtual tip in the joint's bone space, metres.
    local_offset: Vec3,
    /// Whether its bone is a direct child of the joint's bone.
    is_direct_child: bool,
    /// Range of [`Rest::skipped_bones`]: bones between the joint and this bone.
    skipped_bones: IndexRange,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct JointRest {
    bone: u32,
    enabled: bool,
    /// The particle at its head.
    head: u32,
    /// Its first tip, or `NONE`.
    tip: u32,
    /// Whether the joint rotates to its tip: the joint has exactly one tip.
    rotates: bool,
    /// Whether the joint rotates, and no bones are between the joint and its tip or the parent joint.
    fast_path: bool,
    /// The parent particle of its head; `NONE` for a root.
    head_parent: u32,
    /// Parent bone, or `NO_PARENT`.
    parent: u32,
    /// Bone of its first tip, or `NO_PARENT`.
    tip_bone: u32,
    /// Position of a virtual tip.
    tip_local: Vec3,
    /// Range of [`Rest::colliders`].
    colliders: IndexRange,
    /// From head to tip at rest, metres in the world.
    length: f32,
    /// From head to tip at rest, in the bone's unscaled space.
    offset: Vec3,
}

/// One root and all below it.
#[derive(Clone, Debug, PartialEq)]
struct ParticleTree {
    bone: u32,
    /// From the world to the root's rest space, for directions.
    local_from_world: Mat3,
    /// The world's origin in the root's rest space, metres.
    world_origin: Vec3,
}

/// Topology and rest data; joints and particles parents first, level by level.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rest {
    joints: Vec<JointRest>,
    particles: Vec<Particle>,
    trees: Vec<ParticleTree>,
    /// Batches of `particles`, roots separate from tips.
    particle_batches: Vec<Batch>,
    /// Batches of `joints`, fast paths separate from others.
    joint_batches: Vec<Batch>,
    /// Tips with bones that have no joint.
    non_joint_tips: Vec<u32>,
    skipped_bones: Vec<u32>,
    colliders: Vec<u32>,
    /// Number of pairs of a tip and a collider.
    collision_tests: u64,
    solver_indices: Vec<u32>,
    /// The component's bone, or `NO_PARENT`.
    component: u32,
    /// Bone from which its distance is measured; `NO_PARENT` for the viewer.
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
    /// Metres.
    radius: f32,
    force_share: f32,
}

/// Baked values of the system.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct System {
    /// Metres per step².
    gravity: Vec3,
    /// Metres per step².
    force: Vec3,
    /// Steps per second.
    update_rate: f32,
    one_step_per_frame: bool,
    max_steps: u32,
    weight: f32,
    /// Normal of the plane that tips stay in.
    freeze_axis: Option<Vec3>,
    /// Distance beyond which the component is off, metres.
    max_distance: Option<f32>,
    implementation: Implementation,
}

/// Metres in the world.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct ParticleState {
    position: Vec3,
    previous: Vec3,
    /// From its head in the animated pose.
    animated_offset: Vec3,
    /// Length of `animated_offset`.
    animated_length: f32,
    collided: bool,
}

/// State of the simulation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    points: Vec<ParticleState>,
    /// The first tip of each joint; the head of a joint without tip.
    tip_particles: Vec<u32>,
    /// Rotation of each bone relative to the animation; only updated if some joint is disabled.
    rotation_offsets: Vec<Quat>,
    /// Gravity that acts on each tree, metres per step².
    gravity: Vec<Vec3>,
    colliders: Vec<DynamicBoneCollider>,
    component_position: Vec3,
    /// Seconds of frames that no step has used yet.
    accumulator: f32,
    /// Whether the last frame moved nothing.
    sleeping: bool,
}

impl TipState for State {
    fn tip(&self, joint: usize) -> Vec3 {
        self.points[self.tip_particles[joint] as usize].position
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
        unsupported: UNSUPPORTED,
        rest_target: RestTarget::PoseRotation,
        shapes: &ColliderShape::ROUND_AND_PLANE,
        params_at_tips: true,
        uses_component: true,
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
        // The particles are read at set-up.
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

    fn step(rest: &Rest, params: &[Params], system: &System, state: &mut State, scene: &mut Scene<'_>, dt: f32) {
        step::solve(rest, params, system, state, scene, dt);
    }

    fn reset(rest: &Rest, state: &mut State, scene: &mut Scene<'_>) {
        pose_io::capture_pose(rest, state, scene);
        pose_io::snap_to_pose(rest, state, scene);
        state.accumulator = 0.0;
    }

    fn carry_over(state: &mut State, before: &State) {
        (state.accumulator, state.sleeping) = (before.accumulator, before.sleeping);
    }

    fn point_at(rest: &Rest, joint: usize, tip: Vec3, scene: &mut Scene<'_>) {
        pose_io::point_joint_at(rest, joint, tip, scene);
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
        // The shape as drawn, even in the clone.
        DynamicBoneCollider::new(collider, frame, Implementation::Asset).surface(ball)
    }
}
