//! `EZSoftBone` by `EZhex1991`, at commit 5cdf84c5, as recorded from its own code.
//!
//! Every bone of the trees below the roots is a particle with a speed. In each substep, depth first: the speed takes in
//! force and loses its damping; the particle moves by it, unless that is less than sleep; a share of the way back to the
//! pose is taken, where the pose hangs on the particle of the parent; the bone's length, and the distances to siblings
//! at the same depth, are kept but for their slackness; colliders push; the new speed is the mean of the old one and of
//! what the particle really did. Then every bone with one child is turned to it, and moved to its particle. The first
//! `m_StartDepth` + 1 bones of each tree follow the pose and are not turned.
//!
//! A joint's numbers are those of its tip, the particle of its child: the numbers that the engine reads off its curves
//! at that child. Children of one fork share them. The bone of a tip that is no joint itself is an end bone.
//!
//! Forces are metres per second in each frame, scaled by the component's own scale; radii follow the largest scale of
//! the component. Boxes thicken by the world's diagonal as their space sees it (Unity's, under a mirrored X), the rooms
//! in spheres do not follow scale, and a tip in a convex mesh is pushed away from the middle of its bounds by no more
//! than its radius: so does the engine. Panels, planes and tapered capsules are nothing to it.
//!
//! Facts: the specification of the recordings; the force field's noise is Unity's, see `noise`.

mod colliders;
mod force_field;
mod hull;
mod params;
mod point_batch;
mod prepare;
mod response;
mod setup;
mod siblings;
mod step;
mod tree;
mod write_back;

pub use params::*;
pub use setup::{ConvexHull, EzCollider, EzForceField, EzSetup, Turbulence};

use super::super::{
    ColliderShape, Dynamics, Inspect, RestTarget, Scene, Solver, SolverInfo, SolverKind, SystemSetup, TipState,
};
use super::batch::Batch;
use crate::math::{Frame, Vec3x4};
use crate::params::{ParamId, ParamSet};
use crate::rig::{Skeleton, WorldPose};
use crate::sim::collider::{ContactSphere, SurfacePoint};
use crate::sim::solver::ContactQuery;
use crate::sim::vec_util::IndexRange;
use colliders::EzWorldCollider;
use glam::{BVec4A, Mat3, Vec3};
use hull::HullCollider;

/// No particle, no joint.
const NONE: u32 = u32::MAX;

/// Steps that last no longer move nothing, seconds.
const MIN_STEP_SECONDS: f32 = 1e-6;

/// The solver.
#[derive(Clone, Copy, Debug)]
pub struct EzSoftBone;

/// A bone of a tree, or a virtual tip.
#[derive(Clone, Debug, PartialEq)]
struct Particle {
    /// Its bone; `WORLD` for a virtual tip.
    bone: u32,
    /// The particle that it hangs on, or [`NONE`].
    parent: u32,
    /// The joint whose tip it is, or [`NONE`].
    head_joint: u32,
    /// The joint that its bone is, or [`NONE`].
    bone_joint: u32,
    depth: u32,
    /// Length from the first simulated bone, as a share of the tree's, 0 to 1.
    length_fraction: f32,
    /// At rest in the parent's space, metres.
    local_offset: Vec3,
    /// Its child where it has just one, or [`NONE`].
    child: u32,
    /// Moves by its own speed: deep enough, and the joint whose tip it is is on.
    is_simulated: bool,
    /// Its bone is turned to its child.
    rotates: bool,
    /// To the left and to the right.
    siblings: [Sibling; 2],
    /// Part of [`Rest::skipped_bones`]: bones above this one that are no particles, up to the next that is one.
    skipped_bones: IndexRange,
}

/// A particle at the same depth.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Sibling {
    /// Which, or [`NONE`].
    particle: u32,
    /// Towards it at rest in the bone's own space, metres.
    offset: Vec3,
}

/// A joint of the setup.
#[derive(Clone, Debug, PartialEq)]
struct JointRest {
    bone: u32,
    enabled: bool,
    /// Position of the tip among the points of the state: a particle, or behind those a point of a leaf.
    tip: u32,
    /// The tip at rest in bone space, metres.
    tip_offset: Vec3,
    /// Its distance from the head at rest, metres in the world.
    length: f32,
    /// Part of [`Rest::colliders`].
    colliders: IndexRange,
}

/// Topology and rest data.
#[derive(Clone, Debug, Default)]
pub struct Rest {
    /// By turns, so parents before children; within one those that follow the pose first, virtual tips last.
    particles: Vec<Particle>,
    point_batches: Vec<PointBatch>,
    /// Some particle has a sibling.
    has_siblings: bool,
    /// Parents before children.
    joints: Vec<JointRest>,
    /// Position of each joint of the setup among `joints`.
    solver_indices: Vec<u32>,
    skipped_bones: Vec<u32>,
    colliders: Vec<u32>,
    margins: Vec<f32>,
    hulls: Vec<HullCollider>,
    /// Particles no deeper follow the pose.
    start_depth: u32,
    /// The node whose scale counts, or `WORLD`.
    component: u32,
    space_bone: u32,
    gravity_aligner: u32,
    force_field: Option<EzForceField>,
}

/// Particles side by side, of one turn, and what a step asks of all four.
#[derive(Clone, Debug, PartialEq)]
struct PointBatch {
    batch: Batch,
    /// Whether they swing; they follow the pose otherwise.
    is_beyond_start_depth: bool,
    /// Whether they are bones, not virtual tips.
    has_bones: bool,
    /// Whether any of them has something between itself and its carrier.
    has_skipped_bones: bool,
    /// Their bones, and the parents of those.
    bones: [u32; 4],
    parent_bones: [u32; 4],
    /// The joints whose tips they are, and the bones of those.
    head_joints: [u32; 4],
    head_bones: [u32; 4],
    /// The particles that they hang on, and their only children; themselves where they are not turned.
    parents: [u32; 4],
    children: [u32; 4],
    /// At rest in the parent's space, metres, and likewise the children; any direction where there is none.
    local_offsets: Vec3x4,
    child_offsets: Vec3x4,
    /// See [`Particle`].
    is_simulated: BVec4A,
    rotates: BVec4A,
}

/// Brings the frames of all particles to the pose as animation left it.
fn refresh_tree(rest: &Rest, scene: &mut Scene<'_>) {
    for abreast in rest.point_batches.iter().filter(|abreast| abreast.has_bones) {
        if abreast.has_skipped_bones {
            refresh_batch_skipped_bones(rest, &abreast.batch, scene);
        }
        scene.refresh_batch(abreast.bones, abreast.parent_bones);
    }
}

/// Moves along what lies between particles and those that carry them.
#[inline(never)]
fn refresh_batch_skipped_bones(rest: &Rest, four: &Batch, scene: &mut Scene<'_>) {
    four.active_indices().iter().for_each(|i| refresh_skipped_bones(rest, &rest.particles[*i as usize], scene));
}

/// The same for one.
fn refresh_skipped_bones(rest: &Rest, particle: &Particle, scene: &mut Scene<'_>) {
    for bone in particle.skipped_bones.slice(&rest.skipped_bones) {
        scene.refresh(*bone);
    }
}

/// Baked numbers of one joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    velocity_retention: f32,
    stiffness: f32,
    /// Share of forces that is felt.
    force_fraction: f32,
    slackness: f32,
    /// Metres.
    radius: f32,
}

/// Baked numbers of the system.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct System {
    sibling_rotation: bool,
    /// Seconds that every frame counts, where that is constant.
    constant_step_seconds: Option<f32>,
    iterations: u16,
    /// Squared speed that moves nothing yet, m²/s².
    sleep_speed_squared: f32,
    /// Metres per second in each frame.
    gravity: Vec3,
    force_scale: f32,
}

/// What steps change. The first four lists have all particles, then the tips of leaves.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Metres in the world.
    points: Vec<Vec3>,
    /// The same a frame before.
    previous: Vec<Vec3>,
    /// Metres per second.
    velocities: Vec<Vec3>,
    /// What particles that swing need in this frame, four by four.
    batch_inputs: Vec<prepare::BatchInput>,
    /// Position among `points` of each joint's tip.
    tip_points: Vec<u32>,
    /// Where the space of the simulation stood when the last step ended.
    previous_space: Frame,
    /// Seconds since the force field began.
    wind_time: f32,
    /// Length of the last frame, seconds.
    frame_seconds: f32,
    world_colliders: Vec<EzWorldCollider>,
    /// Corners of all hulls in the world.
    hull_corners: Vec<Vec3>,
}

impl TipState for State {
    fn tip(&self, joint: usize) -> Vec3 {
        self.points[self.tip_points[joint] as usize]
    }

    fn previous_tip(&self, joint: usize) -> Vec3 {
        self.previous[self.tip_points[joint] as usize]
    }

    fn set_tip(&mut self, joint: usize, tip: Vec3, previous: Vec3) {
        let at = self.tip_points[joint] as usize;
        self.points[at] = tip;
        self.previous[at] = previous;
        self.velocities[at] = (tip - previous) / self.frame_seconds;
    }
}

impl Solver for EzSoftBone {
    const INFO: SolverInfo = SolverInfo {
        unsupported: response::UNSUPPORTED,
        rest_target: RestTarget::PoseRotation,
        shapes: &[
            ColliderShape::SPHERE,
            ColliderShape::SPHERE.inverted(),
            ColliderShape::CAPSULE,
            ColliderShape::CAPSULE.inverted(),
            ColliderShape::BOX,
            ColliderShape::BOX.inverted(),
            ColliderShape::CYLINDER,
            ColliderShape::CYLINDER.inverted(),
        ],
        material_params: MATERIAL_PARAMS,
        params_at_tips: true,
        uses_component: true,
        ..SolverInfo::new(SolverKind::EzSoftBone, PARAMS)
    };
}

impl Dynamics for EzSoftBone {
    type Rest = Rest;
    type Params = Params;
    type System = System;
    type State = State;

    fn build(setup: &SystemSetup, skeleton: &Skeleton, world: &WorldPose) -> (Rest, State) {
        tree::build(setup, skeleton, world)
    }

    fn solver_indices(rest: &Rest) -> &[u32] {
        &rest.solver_indices
    }

    fn bake(mut get: impl FnMut(ParamId) -> f32) -> Params {
        Params {
            velocity_retention: 1.0 - get(DAMPING),
            stiffness: get(STIFFNESS),
            force_fraction: 1.0 - get(RESISTANCE),
            slackness: get(SLACKNESS),
            radius: get(RADIUS),
        }
    }

    fn bake_system(mut get: impl FnMut(ParamId) -> f32) -> System {
        // What decides topology is read at set-up.
        let _topology = [START_DEPTH, SIBLING_CONSTRAINTS, CLOSED_SIBLINGS, LENGTH_UNIFICATION].map(&mut get);
        let (mode, constant) = (get(DELTA_TIME_MODE), get(CONSTANT_DELTA_TIME));
        System {
            sibling_rotation: get(SIBLING_ROTATION) >= 0.5,
            constant_step_seconds: (mode >= 1.5).then_some(constant.max(MIN_STEP_SECONDS)),
            // Differs from EZSoftBone: a script may ask it for more substeps than its inspector offers.
            iterations: get(ITERATIONS).round().clamp(1.0, 10.0) as u16,
            sleep_speed_squared: get(SLEEP_THRESHOLD),
            gravity: Vec3::from(GRAVITY.map(&mut get)),
            force_scale: get(FORCE_SCALE),
        }
    }

    fn step_seconds(system: &ParamSet, frame: f32) -> f32 {
        if system.get(DELTA_TIME_MODE) >= 1.5 { system.get(CONSTANT_DELTA_TIME).max(MIN_STEP_SECONDS) } else { frame }
    }

    fn update_switches(rest: &mut Rest, setup: &SystemSetup) {
        for (joint, place) in setup.joints.iter().zip(&rest.solver_indices) {
            rest.joints[*place as usize].enabled = joint.enabled;
        }
        tree::update_component(rest, setup);
        point_batch::update_switches(rest);
    }

    fn step(rest: &Rest, params: &[Params], system: &System, state: &mut State, scene: &mut Scene<'_>, dt: f32) {
        step::solve(rest, params, system, state, scene, dt);
    }

    fn reset(rest: &Rest, state: &mut State, scene: &mut Scene<'_>) {
        tree::snap_to_pose(rest, state, scene);
    }

    fn carry_over(state: &mut State, before: &State) {
        (state.wind_time, state.previous_space) = (before.wind_time, before.previous_space);
    }

    fn point_at(rest: &Rest, joint: usize, tip: Vec3, scene: &mut Scene<'_>) {
        write_back::point_joint_at(rest, joint, tip, scene);
    }
}

impl Inspect for EzSoftBone {
    fn wind_time(state: &State) -> Option<f32> {
        Some(state.wind_time)
    }

    fn contact_sphere<'a>(query: &ContactQuery<'a, Self>) -> Option<ContactSphere<'a>> {
        let ContactQuery { rest, params, joint, tip, posed_scene: still, .. } = *query;
        let joint = &rest.joints[joint];
        rest.particles.get(joint.tip as usize).filter(|particle| particle.depth > rest.start_depth)?;
        let component = still.frames.get(rest.component as usize);
        let radius = params.radius * component.map_or(1.0, |frame| lossy_scale(frame).max_element());
        (radius > 0.0).then(|| ContactSphere::new(tip, radius, joint.colliders.slice(&rest.colliders)))
    }

    fn nearest_surface(
        query: &ContactQuery<'_, Self>,
        ball: &ContactSphere<'_>,
        collider: u32,
    ) -> Option<SurfacePoint> {
        let ContactQuery { rest, joint, posed_scene: still, .. } = *query;
        let particle = &rest.particles[rest.joints[joint].tip as usize];
        let margin = rest.margins[collider as usize];
        let hull = rest.hulls.iter().find(|hull| hull.collider == collider);
        let (collider, frame) = still.collider(collider);
        if !collider.enabled || collider.bone == particle.bone {
            return None;
        }
        let surface = match hull {
            Some(hull) => hull.nearest_surface(frame, ball.center),
            None => EzWorldCollider::new(collider, frame, 0.0).to_world_collider(frame).nearest_surface(ball.center),
        }?;
        Some(SurfacePoint { distance: surface.distance - margin, ..surface })
    }

    fn rest_length(rest: &Rest, joint: usize) -> f32 {
        rest.joints[joint].length
    }

    fn tip_offset(rest: &Rest, joint: usize) -> Vec3 {
        rest.joints[joint].tip_offset.normalize_or_zero() * rest.joints[joint].length
    }
}

/// A direction with a length in the world.
#[inline]
fn vector_to_world(frame: &Frame, local: Vec3) -> Vec3 {
    if frame.scaled { frame.linear() * local } else { frame.rotation * local }
}

/// The same back; zero where the frame is flattened to nothing.
#[inline]
fn vector_to_local(frame: &Frame, world: Vec3) -> Vec3 {
    if frame.scaled { inverse_or_zero(&frame.linear()) * world } else { frame.rotation.inverse() * world }
}

/// Zero where there is none.
fn inverse_or_zero(linear: &Mat3) -> Mat3 {
    if linear.determinant().abs() < 1e-20 { Mat3::ZERO } else { linear.inverse() }
}

/// How large a frame is along its own axes, without signs, as Unity tells it.
fn lossy_scale(frame: &Frame) -> Vec3 {
    if !frame.scaled {
        return Vec3::ONE;
    }
    let (linear, turn) = (frame.linear(), Mat3::from_quat(frame.rotation));
    let along = |axis: usize| linear.col(axis).dot(turn.col(axis)).abs();
    Vec3::new(along(0), along(1), along(2))
}
