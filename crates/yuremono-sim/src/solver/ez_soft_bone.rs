//! `EZSoftBone` by `EZhex1991`, at commit 5cdf84c5, based on recordings of its code.
//!
//! Every bone of the trees below the roots is a particle with a velocity. Each substep visits the particles in
//! depth-first order and does the following:
//! 1. Force and damping change the velocity. The particle moves unless its speed is below the sleep threshold.
//! 2. Stiffness removes a share of the offset from the pose, relative to the parent's particle.
//! 3. The bone length and the distances to siblings of the same depth are restored, except for a share given by the
//!    slackness.
//! 4. Colliders push the particle. The new velocity is the mean of the old velocity and the velocity of the actual
//!    motion.
//!
//! Then every bone moves to its particle, and a bone with one child rotates towards the child. Bones up to
//! the depth `m_StartDepth` follow the pose and do not rotate.
//!
//! A joint's values apply to its tip, which is the particle of its child, because `EZSoftBone` samples its curves
//! there. Each child of a fork has values of its own. A bone at a tip that is not a joint is an end bone.
//!
//! Forces are in metres per second per frame, scaled by the component's local scale. Radii scale with the largest axis
//! scale of the component. As in `EZSoftBone`, the margin of a box is added along the diagonal of the world, in the
//! space of the box; inside spheres ignore scale; a tip inside a convex mesh moves away from the center of the mesh's
//! bounds by at most its radius. Panels, planes and tapered capsules are not supported.

mod colliders;
mod fields;
mod params;
mod setup;
mod step;
mod tree;

pub use fields::{COLLIDER_FIELDS, FORCE_FIELD_CURVES, FORCE_FIELD_FIELDS};
pub use params::*;
pub use setup::{ConvexHull, EzCollider, EzForceField, EzSetup, Turbulence};

use super::super::{
    ColliderShape, Dynamics, Inspect, RestTarget, Solver, SolverInfo, SolverKind, StepPose, SystemSetup, TipState,
};
use super::batch::Batch;
use crate::collider::{ContactSphere, SurfacePoint};
use crate::math::{Frame, Vec3x4};
use crate::params::{ParamId, ParamSet};
use crate::rig::{Skeleton, WorldPose};
use crate::solver::ContactQuery;
use crate::vec_util::IndexRange;
use colliders::EzWorldCollider;
use colliders::HullCollider;
use glam::{BVec4A, Mat3, Vec3};

const NONE: u32 = u32::MAX;

/// Shorter steps do not move particles, in seconds.
const MIN_STEP_SECONDS: f32 = 1e-6;

/// The solver.
#[derive(Clone, Copy, Debug)]
pub struct EzSoftBone;

/// A bone of a tree, or a virtual tip.
#[derive(Clone, Debug, PartialEq)]
struct Particle {
    /// The bone; `NO_PARENT` for a virtual tip.
    bone: u32,
    /// Parent particle, or [`NONE`].
    parent: u32,
    /// The joint whose tip is at the particle, or [`NONE`].
    head_joint: u32,
    /// The joint on the particle's bone, or [`NONE`].
    bone_joint: u32,
    /// Index of the particle's values, or [`NONE`] for a root.
    params: u32,
    depth: u32,
    /// Distance from the first simulated bone along the tree, as a share of the curve length, 0 to 1.
    length_fraction: f32,
    /// Rest position in the parent's space, in metres.
    local_offset: Vec3,
    /// The only child, or [`NONE`].
    child: u32,
    /// Whether the particle is simulated. It is if its depth is beyond the start depth and its joint is enabled.
    is_simulated: bool,
    /// Whether the bone of the particle rotates towards its child.
    rotates: bool,
    /// Left and right sibling.
    siblings: [Sibling; 2],
    /// Range of [`Rest::skipped_bones`]: bones between the particle's bone and its parent particle.
    skipped_bones: IndexRange,
}

/// A linked particle of the same depth.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Sibling {
    /// Index, or [`NONE`].
    particle: u32,
    /// Rest offset to the sibling in the bone's space, in metres.
    offset: Vec3,
}

#[derive(Clone, Debug, PartialEq)]
struct JointRest {
    bone: u32,
    enabled: bool,
    /// Index of the tip in [`State::points`], which holds the particles and then the tips of leaves.
    tip: u32,
    /// Rest position of the tip in bone space, in metres.
    tip_offset: Vec3,
    /// Distance from head to tip at rest, in world metres.
    length: f32,
    /// Range of [`Rest::colliders`].
    colliders: IndexRange,
}

/// Topology and rest data.
#[derive(Clone, Debug, Default)]
pub struct Rest {
    /// Sorted by level, so parents come before children. Within a level, particles that follow the pose come first and
    /// virtual tips last.
    particles: Vec<Particle>,
    point_batches: Vec<PointBatch>,
    has_siblings: bool,
    /// Parents come before children.
    joints: Vec<JointRest>,
    solver_indices: Vec<u32>,
    skipped_bones: Vec<u32>,
    colliders: Vec<u32>,
    margins: Vec<f32>,
    hulls: Vec<HullCollider>,
    /// The maximum depth at which particles follow the pose.
    start_depth: u32,
    /// The bone of the component, or `NO_PARENT`.
    component: u32,
    space_bone: u32,
    gravity_aligner: u32,
    force_field: Option<EzForceField>,
}

/// Up to four particles of one level, and the topology that their step reads.
#[derive(Clone, Debug, PartialEq)]
struct PointBatch {
    batch: Batch,
    /// Whether the depth of the particles is beyond the start depth; otherwise they follow the pose.
    is_beyond_start_depth: bool,
    /// Whether the particles are on bones; otherwise they are virtual tips.
    has_bones: bool,
    /// Whether any particle has skipped bones.
    has_skipped_bones: bool,
    /// The bones of the particles, and the parents of the bones.
    bones: [u32; 4],
    parent_bones: [u32; 4],
    /// The bones of the joints whose tips are at the particles.
    head_bones: [u32; 4],
    /// The indices of the values.
    params: [u32; 4],
    /// The parent particles, and the only children. Without exactly one child, `children` is the particle itself.
    parents: [u32; 4],
    children: [u32; 4],
    /// Rest positions in the parents' spaces, in metres. The child offset is `Vec3::Y` if there is no child.
    local_offsets: Vec3x4,
    child_offsets: Vec3x4,
    /// See [`Particle::is_simulated`] and [`Particle::rotates`].
    is_simulated: BVec4A,
    rotates: BVec4A,
}

/// Updates the frames of all particles to the animated pose.
fn refresh_tree(rest: &Rest, step_pose: &mut StepPose<'_>) {
    for point_batch in rest.point_batches.iter().filter(|point_batch| point_batch.has_bones) {
        if point_batch.has_skipped_bones {
            refresh_batch_skipped_bones(rest, &point_batch.batch, step_pose);
        }
        step_pose.refresh_batch(point_batch.bones, point_batch.parent_bones);
    }
}

#[inline(never)]
fn refresh_batch_skipped_bones(rest: &Rest, batch: &Batch, step_pose: &mut StepPose<'_>) {
    batch.active_indices().iter().for_each(|i| refresh_skipped_bones(rest, &rest.particles[*i as usize], step_pose));
}

fn refresh_skipped_bones(rest: &Rest, particle: &Particle, step_pose: &mut StepPose<'_>) {
    step_pose.refresh_all(particle.skipped_bones.slice(&rest.skipped_bones));
}

/// Baked values of one joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    velocity_retention: f32,
    stiffness: f32,
    /// Share of the forces that acts on the joint.
    force_fraction: f32,
    slackness: f32,
    /// Radius in metres.
    radius: f32,
}

/// Baked values of the system.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct System {
    sibling_rotation: bool,
    /// Fixed length of a frame, in seconds; `None` uses the real length.
    constant_step_seconds: Option<f32>,
    iterations: u16,
    /// Square of the sleep threshold, m²/s².
    sleep_speed_squared: f32,
    /// Gravity in metres per second per frame.
    gravity: Vec3,
    force_scale: f32,
}

/// State of the simulation. `points`, `previous` and `velocities` hold all particles, then the tips of leaves.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Positions in the world, in metres.
    points: Vec<Vec3>,
    /// Positions one frame ago.
    previous: Vec<Vec3>,
    /// Velocities in m/s.
    velocities: Vec<Vec3>,
    /// Has one element per entry of [`Rest::point_batches`]. Only simulated batches are updated.
    batch_inputs: Vec<step::BatchInput>,
    /// Index of each joint's tip in `points`.
    tip_points: Vec<u32>,
    /// Frame of the simulation space at the last step.
    previous_space: Frame,
    /// Time since the force field started, in seconds.
    wind_time: f32,
    /// Length of the last frame, in seconds.
    frame_seconds: f32,
    /// Sum of all forces except the force field in the last frame, in m/s.
    force_without_field: Vec3,
    world_colliders: Vec<EzWorldCollider>,
    /// Corners of all hulls in the world, in metres.
    hull_corners: Vec<Vec3>,
}

impl TipState for State {
    fn tip(&self, joint: usize) -> Vec3 {
        self.points[self.tip_points[joint] as usize]
    }

    fn tip_slot(&self, joint: usize) -> usize {
        self.tip_points[joint] as usize
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

    fn add_velocity(&mut self, joint: usize, velocity: Vec3, _step_seconds: f32) {
        self.velocities[self.tip_points[joint] as usize] += velocity;
    }
}

impl Solver for EzSoftBone {
    const INFO: SolverInfo = SolverInfo {
        short_name: "EZ",
        unsupported: UNSUPPORTED,
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
        // Only the build reads these values; reading them here marks them as used.
        let _topology = [START_DEPTH, SIBLING_CONSTRAINTS, CLOSED_SIBLINGS, LENGTH_UNIFICATION].map(&mut get);
        let (mode, constant) = (get(DELTA_TIME_MODE), get(CONSTANT_DELTA_TIME));
        System {
            sibling_rotation: get(SIBLING_ROTATION) >= 0.5,
            constant_step_seconds: (mode >= 1.5).then_some(constant.max(MIN_STEP_SECONDS)),
            // Differs from EZSoftBone, where a script can set more substeps than the inspector allows.
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
        tree::update_switches(rest);
    }

    fn step(rest: &Rest, params: &[Params], system: &System, state: &mut State, step_pose: &mut StepPose<'_>, dt: f32) {
        step::solve(rest, params, system, state, step_pose, dt);
    }

    fn reset(rest: &Rest, state: &mut State, step_pose: &mut StepPose<'_>) {
        tree::snap_to_pose(rest, state, step_pose);
    }

    fn carry_over(state: &mut State, before: &State) {
        (state.wind_time, state.previous_space) = (before.wind_time, before.previous_space);
    }

    fn aim_joint_at(rest: &Rest, joint: usize, tip: Vec3, step_pose: &mut StepPose<'_>) {
        step::point_joint_at(rest, joint, tip, step_pose);
    }
}

impl Inspect for EzSoftBone {
    fn wind_time(state: &State) -> Option<f32> {
        Some(state.wind_time)
    }

    fn contact_sphere<'a>(query: &ContactQuery<'a, Self>) -> Option<ContactSphere<'a>> {
        let ContactQuery { rest, params, joint, tip, posed_scene, .. } = *query;
        let joint = &rest.joints[joint];
        rest.particles.get(joint.tip as usize).filter(|particle| particle.depth > rest.start_depth)?;
        let component = posed_scene.frames.get(rest.component as usize);
        let radius = params.radius * component.map_or(1.0, |frame| lossy_scale(frame).max_element());
        (radius > 0.0).then(|| ContactSphere::new(tip, radius, joint.colliders.slice(&rest.colliders)))
    }

    fn nearest_surface(query: &ContactQuery<'_, Self>, ball: &ContactSphere<'_>, id: u32) -> Option<SurfacePoint> {
        let ContactQuery { rest, joint, posed_scene, .. } = *query;
        let particle = &rest.particles[rest.joints[joint].tip as usize];
        let margin = rest.margins[id as usize];
        let hull = rest.hulls.iter().find(|hull| hull.collider == id);
        let (collider, frame) = posed_scene.collider(id);
        if !collider.enabled || collider.bone == particle.bone {
            return None;
        }
        let surface = match hull {
            Some(hull) => hull.nearest_surface(frame, ball.center),
            None => EzWorldCollider::new(collider, frame, 0.0).world_collider(frame).nearest_surface(ball.center),
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

/// Transforms a vector from a frame's space to the world.
#[inline]
fn vector_to_world(frame: &Frame, local: Vec3) -> Vec3 {
    if frame.scaled { frame.linear() * local } else { frame.rotation * local }
}

/// Transforms a vector from the world to a frame's space. Returns zero for a degenerate frame.
#[inline]
fn vector_to_local(frame: &Frame, world: Vec3) -> Vec3 {
    if frame.scaled { inverse_or_zero(&frame.linear()) * world } else { frame.rotation.inverse() * world }
}

/// Inverts a matrix. Returns zero for a singular matrix.
fn inverse_or_zero(linear: &Mat3) -> Mat3 {
    if linear.determinant().abs() < 1e-20 { Mat3::ZERO } else { linear.inverse() }
}

/// Returns Unity's `lossyScale` without signs.
fn lossy_scale(frame: &Frame) -> Vec3 {
    if !frame.scaled {
        return Vec3::ONE;
    }
    let (linear, turn) = (frame.linear(), Mat3::from_quat(frame.rotation));
    let along = |axis: usize| linear.col(axis).dot(turn.col(axis)).abs();
    Vec3::new(along(0), along(1), along(2))
}
