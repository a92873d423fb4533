//! `DynamicBone`, after public descriptions of the asset and recordings made from its clones.
//!
//! Each tip falls on by position Verlet: what of its last step the damping leaves, plus gravity, force and its share of the
//! component's own movement. Then, parents first, it is pulled by elasticity towards its rest position, held within a ball
//! about it by stiffness, pushed out of colliders, kept in a plane where an axis is frozen, and put at bone length. The rest
//! position hangs on the *simulated* head in the *animated* orientation, so that bends do not add up along a chain. At the end
//! bones with one tip are turned to it, and every bone is put where its tip swung; a fork is not turned.
//!
//! Every frame begins with the animated pose. Forces count metres per step², one step being `1 / m_UpdateRate` s. Gravity
//! acts only as far as the root has turned away from its rest pose; force always does. Mode Default takes one step per
//! frame and scales elasticity and forces, not damping, by the frame's length in steps; the other modes keep the rate, catch
//! up so many steps, drop what is left, and in frames without a step carry tips along with the component.
//!
//! A joint's numbers are those of the particle at its *tip*; whoever resolves curves reads them at the tip's place along the
//! chain. Bones below a joint that are joints, too, swing as further tips of it even where it does not name them.
//! Differs from DynamicBone: at a fork, where the engine reads curves anew for each child, all tips of a joint have its
//! numbers, and a joint with one tip by name is turned to it whatever else swings below it.
//!
//! [`Implementation::Clone`] shows `seinocat/DynamicBone` with its faults: gravity as a point, the far end of a capsule pushing from the
//! near one, capsules that ignore scale, no room in capsules, one step per frame always, no frozen axis and no virtual
//! tips; and its force curve.

mod build;
mod colliders;
mod params;
mod pose_io;
mod response;
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

/// None of these.
const NONE: u32 = u32::MAX;

/// The solver.
#[derive(Clone, Copy, Debug)]
pub struct DynamicBone;

/// Whose ways are shown where they differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Implementation {
    /// The asset's.
    #[default]
    Asset,
    /// Those of the clone by seinocat.
    Clone,
}

impl Implementation {
    /// The choice that a value of [`RUN_AS`] stands for.
    pub const fn of(value: f32) -> Self {
        if value < 0.5 { Self::Asset } else { Self::Clone }
    }
}

/// A simulated point: the head of a root, or a tip.
#[derive(Clone, Debug, PartialEq)]
struct Particle {
    /// The bone whose head it is, or `WORLD` for a virtual tip.
    bone: u32,
    /// The particle at the head of its joint; `NONE` for a root.
    parent: u32,
    /// Position of the joint whose tip it is; for a root, of the joint itself.
    joint: u32,
    /// Which tree it belongs to.
    tree: u32,
    /// Where a virtual tip is in the joint's bone space, metres.
    local_offset: Vec3,
    /// Whether its bone hangs on the joint's bone directly.
    is_direct_child: bool,
    /// Part of [`Rest::skipped_bones`]: bones that its joint skips.
    skipped_bones: IndexRange,
}

/// Topology and rest data of one joint.
#[derive(Clone, Debug, PartialEq)]
struct JointRest {
    bone: u32,
    enabled: bool,
    /// The particle at its head.
    head: u32,
    /// Its first tip, or `NONE`.
    tip: u32,
    /// Whether it is turned towards its tip: it has exactly one.
    rotates: bool,
    /// Whether it is turned, and no bones lie between it and its tip or the joint above.
    fast_path: bool,
    /// The particle above its head; `NONE` where that is a root.
    head_parent: u32,
    /// What its bone hangs on, or `WORLD`.
    parent: u32,
    /// The bone of its first tip, or `WORLD`.
    tip_bone: u32,
    /// Where a virtual tip is.
    tip_local: Vec3,
    /// Part of [`Rest::colliders`].
    colliders: IndexRange,
    /// From head to tip at rest, metres in the world.
    length: f32,
    /// The same in the bone's own turning space.
    offset: Vec3,
}

/// One root and what hangs on it.
#[derive(Clone, Debug, PartialEq)]
struct ParticleTree {
    bone: u32,
    /// From the world to the root's space at rest, for directions.
    local_from_world: Mat3,
    /// The world's origin in the root's space at rest, metres.
    world_origin: Vec3,
}

/// Topology and rest data; joints and particles parents first, level by level.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rest {
    joints: Vec<JointRest>,
    particles: Vec<Particle>,
    trees: Vec<ParticleTree>,
    /// The particles side by side, roots apart from tips.
    particle_batches: Vec<Batch>,
    /// The joints side by side, plain ones apart from others.
    joint_batches: Vec<Batch>,
    /// Tips whose bones are no joints.
    non_joint_tips: Vec<u32>,
    skipped_bones: Vec<u32>,
    colliders: Vec<u32>,
    /// How many pairs of a tip and a collider a step looks at.
    collision_tests: u64,
    /// Position of each joint of the setup among `joints`.
    solver_indices: Vec<u32>,
    /// The component's bone, or `WORLD`.
    component: u32,
    /// What its distance is measured from; `WORLD` for the viewer.
    reference: u32,
    /// Whether any joint is off.
    any_disabled: bool,
}

/// Baked numbers of one joint, within their ranges.
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

/// Baked numbers of the system.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct System {
    /// Metres per step².
    gravity: Vec3,
    /// Metres per step².
    force: Vec3,
    /// Steps per second.
    update_rate: f32,
    /// Whether steps follow the frames instead of the rate.
    one_step_per_frame: bool,
    max_steps: u32,
    weight: f32,
    /// Across what axis tips are kept in a plane.
    freeze_axis: Option<Vec3>,
    /// Beyond it the component rests, metres.
    max_distance: Option<f32>,
    implementation: Implementation,
}

/// A particle as it moves, metres in the world.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct ParticleState {
    position: Vec3,
    previous: Vec3,
    /// From its head as animated.
    animated_offset: Vec3,
    /// Of the arm.
    animated_length: f32,
    collided: bool,
}

/// What steps change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    points: Vec<ParticleState>,
    /// The first tip of each joint; its head where it has none.
    tip_particles: Vec<u32>,
    /// How far each bone is turned away from its animation; only kept up where some joint is off.
    rotation_offsets: Vec<Quat>,
    /// What of gravity acts on each tree, metres per step².
    gravity: Vec<Vec3>,
    /// The colliders as they stand in this frame.
    colliders: Vec<DynamicBoneCollider>,
    /// Where the component was.
    component_position: Vec3,
    /// Time that no step was taken for, seconds.
    accumulator: f32,
    /// Whether nothing was moved in the last frame.
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
        unsupported: response::UNSUPPORTED,
        rest_target: RestTarget::PoseRotation,
        shapes: &[
            ColliderShape::SPHERE,
            ColliderShape::SPHERE.inverted(),
            ColliderShape::CAPSULE,
            ColliderShape::CAPSULE.inverted(),
            ColliderShape::TAPERED_CAPSULE,
            ColliderShape::TAPERED_CAPSULE.inverted(),
            ColliderShape::PLANE,
        ],
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
        let mut share = |row| get(row).clamp(0.0, 1.0);
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
        // What particles there are is read at set-up.
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
        response::step_seconds(system, frame)
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
        let ContactQuery { rest, params, joint, tip, posed_scene: still, .. } = *query;
        let joint = &rest.joints[joint];
        let radius = params.radius * pose_io::bone_scale_x(still.frames, rest.component);
        (joint.tip != NONE).then(|| ContactSphere::new(tip, radius, joint.colliders.slice(&rest.colliders)))
    }

    fn nearest_surface(
        query: &ContactQuery<'_, Self>,
        ball: &ContactSphere<'_>,
        collider: u32,
    ) -> Option<SurfacePoint> {
        let (collider, frame) = query.posed_scene.collider(collider);
        // Where the shape is drawn, whatever the clone makes of it.
        DynamicBoneCollider::new(collider, frame, Implementation::Asset).surface(ball)
    }
}
