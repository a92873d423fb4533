//! Rigid boxes on bones, based on Epic's documentation of Unreal's `AnimDynamics` node.
//!
//! Only public pages were used: the node's guide and property reference, and the API pages of the node, of its body and
//! constraint structs, and of `FAnimPhys`. Neither Unreal's source nor recordings were used. The parameters and their
//! meaning are Unreal's; the resulting motion is this solver's own.
//!
//! **Algorithm.** Each joint has a box with a position, an orientation, a mass of 1 kg and the inertia that follows
//! from its side lengths. A joint point attaches the box to the parent body, or to the animated skeleton. A frame is
//! split into steps. Each step
//! 1. applies damping, gravity, wind and springs (`force.rs`);
//! 2. runs the pre-iterations, which solve the velocities of joints, angle limits, planes and spheres (`solve.rs`);
//! 3. moves the bodies, then runs the post-iterations, which solve the positions (`solve.rs`).
//!
//! Then the bones rotate to match their bodies. A bone also moves if its joint has linear play, or if the joint is
//! offset from the bone's head.
//!
//! **Documented** by Epic:
//! - The names and effects of the parameters, and the order of the three parts of a step.
//! - The body is at the bone, and the joint is offset from it.
//! - The box extents determine the inertia.
//! - The target axis is an axis of the child body, and its target is given in the parent body.
//! - A limit has a bias towards the second body.
//! - The minimum damping is 0.7.
//! - Bodies collide only with planes and spheres.
//! - The accumulated time has an upper bound.
//!
//! **Derived**, because no page defines the following:
//! - Mass is 1 kg. Extents are full side lengths. Lengths are in metres, so spring constants are in N/m and N m per
//!   radian.
//! - Damping is the share of the velocity lost per second, relative to the simulation space.
//! - Without damping, a spring on a single bone swings at `ω² = constant / inertia about the joint`. Its impulse is
//!   `4 sin²(ωh/2) / h` times the offset, which is exact for a spring without other forces. Against a constant force,
//!   this impulse makes the spring softer than `ω²h` would, by 1 % at 3 Hz and 60 steps per second. Stiffer springs are
//!   limited so that one period spans at least six steps.
//! - The bias splits the correction of a limit between the two bodies. A spring applies `1 - bias` of its reaction to
//!   the parent. The documentation mentions the bias without a default; the default here is 0.95. The clamp (100 m/s²)
//!   and the iteration counts also have no documented defaults.
//! - By default, angle limits are open and boxes are 1 cm. (According to the guide, Unreal's own defaults allow hardly
//!   any motion.) In Unreal's skeletons X points along the bone, so the axis parameters here default to "Along the
//!   bone".
//! - Linear limits are along the axes of the animated bone. The linear spring pulls towards the animated position.
//! - The velocity scale, in 1/s, times the velocity of the simulation space is an acceleration opposite to that
//!   velocity. Rotation of the space has no effect.
//! - Spherical limits use the same collision sphere as planar limits, although the documentation only describes it for
//!   planar limits. Other shapes have no effect.
//! - The gyroscopic torque is omitted, which preserves the energy of a free body exactly.
//! - The component is [`SystemSetup::component`], else the topmost node; the actor is the topmost node.
//!
//! The last position sweep visits parents first and closes the joints exactly. The velocities of locked joints are
//! computed from the rotations, so a pendulum neither gains nor loses energy. A non-finite body is reset to the
//! animation.
//!
//! **Why no physics crate.** rapier3d adds parry, nalgebra and a broad phase for boxes that never collide here. It is
//! deterministic across machines only with `enhanced-determinism`, which disables some fast paths, and does not
//! guarantee a step without allocations. It supports neither the bias nor two sets of iterations. Only its point joints
//! and one-sided limits would be used, and `solve.rs` implements these. The cost of rapier3d per body was not measured.

mod body_probe;
mod build;
mod force;
mod limits;
mod params;
mod response;
mod solve;
mod step;

pub use build::AnimDynamicsSetup;
pub use params::*;

use super::super::{
    ColliderShape, Dynamics, Inspect, LengthScale, Solver, SolverInfo, SolverKind, SolverOrigin, StepPose, SystemSetup,
    TipState, Workload,
};
use crate::collider::{ContactSphere, SurfacePoint, WorldCollider};
use crate::math::Frame;
use crate::params::{ParamId, ParamSet};
use crate::rig::{Skeleton, WorldPose};
use crate::solver::ContactQuery;
use crate::vec_util::IndexRange;
pub use build::{Params, System};
use glam::{Mat3A, Quat, Vec3, Vec3A};
use limits::{AngularBounds, BoneDirection};
use solve::ContactDistance;
pub use solve::mean_scale;

/// The solver.
#[derive(Clone, Copy, Debug)]
pub struct AnimDynamics;

/// Mass of every body, in kilograms.
const MASS: f32 = 1.0;

const NO_BODY: u32 = u32::MAX;

/// Topology and rest data of one joint.
#[derive(Clone, Debug, PartialEq)]
pub struct JointRest {
    bone: u32,
    parent: u32,
    enabled: bool,
    /// The joint of the parent body, or [`NO_BODY`]. The parent always comes earlier in the list.
    parent_joint: u32,
    /// Range of [`Rest::skipped_bones`]: bones between the parent joint and this joint, top-down.
    skipped_bones: IndexRange,
    /// Range of [`Rest::colliders`].
    colliders: IndexRange,
    /// Rest rotation relative to the parent bone. `translation` is the rest position.
    rotation: Quat,
    translation: Vec3,
    /// Vector from head to tip in the bone's unscaled space, in world metres.
    tip_offset: Vec3,
    bone_direction: BoneDirection,
}

/// Topology and rest data. Parents come before children.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rest {
    joints: Vec<JointRest>,
    skipped_bones: Vec<u32>,
    colliders: Vec<u32>,
    solver_indices: Vec<u32>,
    /// The bone of each simulation space; `NO_PARENT` if there is none.
    space_bones: [u32; 5],
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct BodyPose {
    /// Center of mass in the world, in metres.
    center: Vec3A,
    rotation: Quat,
}

/// Velocity relative to the simulation space.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct BodyVelocity {
    /// Velocity of the center, in m/s.
    linear: Vec3A,
    /// Angular velocity, in radians per second.
    angular: Vec3A,
}

impl BodyVelocity {
    /// Returns the velocity of a point of the body. `arm` is the vector from the center to the point.
    #[inline]
    fn at_point(&self, arm: Vec3A) -> Vec3A {
        self.linear + self.angular.cross(arm)
    }
}

/// Attachment of a joint to its parent body in the animated pose of this frame. A joint without a parent body is
/// attached to the world.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct JointAnchor {
    /// Rotation of the animated bone relative to the parent.
    rotation: Quat,
    /// Joint point relative to the parent's center, in metres.
    position: Vec3A,
    /// Scale of the bone's frame.
    scale: f32,
    /// Animated position of the body's center in the world, in metres.
    body_center: Vec3A,
    /// Rotation and joint point in the last frame, for joints attached to the world.
    previous_rotation: Quat,
    previous_position: Vec3A,
    /// Velocity of the joint point and the animated bone, for joints attached to the world.
    velocity: BodyVelocity,
    /// Acceleration from wind and forces, in m/s².
    external_acceleration: Vec3A,
}

/// Values of a joint that stay constant during the velocity solve of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct JointConstraint {
    /// Inverse inertia in world space; zero for a disabled body.
    inverse_inertia: Mat3A,
    /// Inverse mass in 1/kg; 0 for a disabled body.
    inverse_mass: f32,
    /// Vector from the center to the joint point, in world metres.
    lever_arm: Vec3A,
    /// Vector from the parent's center to the joint point, in world metres.
    parent_lever_arm: Vec3A,
    /// How far a joint with linear play is from its joint point, along the axes of `reference_rotation`, in metres.
    offset: Vec3A,
    /// Velocity change per impulse at the joint point, and its inverse.
    inverse_effective_mass: Mat3A,
    effective_mass: Mat3A,
    /// Rotation of the animated bone on the parent body, at the start of the step.
    reference_rotation: Quat,
    /// Impulse that the joint transmits in this step, in N s.
    accumulated_impulse: Vec3A,
}

/// Pose and velocity of the simulation space at the end of the last frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct PreviousSpace {
    pose: Option<(u32, Quat, Vec3)>,
    /// Velocity in m/s.
    velocity: Option<Vec3>,
}

impl PreviousSpace {
    fn rotation(&self) -> Quat {
        self.pose.map_or(Quat::IDENTITY, |(_, rotation, _)| rotation)
    }
}

/// State of the simulation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    body_poses: Vec<BodyPose>,
    body_velocities: Vec<BodyVelocity>,
    /// Tip positions in the world, in metres.
    tips: Vec<Vec3>,
    previous: Vec<Vec3>,
    /// Which tips the user has moved since the last step.
    tip_was_set: Vec<bool>,
    /// Whether the next step first resets the bodies to the animation.
    starts_from_pose: bool,
    /// Animated frame of each joint's bone.
    animated_frames: Vec<Frame>,
    anchors: Vec<JointAnchor>,
    constraints: Vec<JointConstraint>,
    angular_bounds: Vec<AngularBounds>,
    world_colliders: Vec<WorldCollider>,
    /// The colliders of each joint that are not off in this frame: a range of the next two lists.
    contact_ranges: Vec<IndexRange>,
    /// Indices of colliders. Like the next list, as long as [`Rest::colliders`].
    contact_colliders: Vec<u32>,
    contact_distances: Vec<ContactDistance>,
    previous_space: PreviousSpace,
    /// Frame time that no step has used yet, in seconds.
    accumulator: f32,
    /// Length of the last step, in seconds.
    previous_step_seconds: f32,
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
        self.tip_was_set[joint] = true;
    }

    fn add_velocity(&mut self, joint: usize, velocity: Vec3, _step_seconds: f32) {
        self.body_velocities[joint].linear += Vec3A::from(velocity);
    }
}

impl Solver for AnimDynamics {
    const INFO: SolverInfo = SolverInfo {
        name: "AnimDynamics (Unreal)",
        short_name: "Anim",
        origin: SolverOrigin::Documentation,
        unsupported: response::UNSUPPORTED,
        shapes: &[ColliderShape::SPHERE, ColliderShape::SPHERE.inverted(), ColliderShape::PLANE],
        uses_component: true,
        length_scale: LengthScale::Ignored,
        ..SolverInfo::new(SolverKind::AnimDynamics, PARAMS)
    };
}

impl Dynamics for AnimDynamics {
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
        build::bake_joint(get)
    }

    fn bake_system(get: impl FnMut(ParamId) -> f32) -> System {
        build::bake_system(get)
    }

    fn step_seconds(system: &ParamSet, frame: f32) -> f32 {
        step::step_seconds(system.get(SUBSTEP_RATE), frame)
    }

    fn workload(rest: &Rest, system: &System, dt: f32) -> Workload {
        step::workload(rest, system, dt)
    }

    fn step(rest: &Rest, params: &[Params], system: &System, state: &mut State, step_pose: &mut StepPose<'_>, dt: f32) {
        step::solve(rest, params, system, state, step_pose, dt);
    }

    fn reset(rest: &Rest, state: &mut State, step_pose: &mut StepPose<'_>) {
        build::reset_to_rest(rest, state, step_pose);
    }

    fn update_switches(rest: &mut Rest, setup: &SystemSetup) {
        for (joint, place) in setup.joints.iter().zip(&rest.solver_indices) {
            rest.joints[*place as usize].enabled = joint.enabled;
        }
    }

    fn carry_over(state: &mut State, before: &State) {
        state.accumulator = before.accumulator;
        state.previous_step_seconds = before.previous_step_seconds;
        state.previous_space = before.previous_space;
    }

    fn aim_joint_at(rest: &Rest, joint: usize, tip: Vec3, step_pose: &mut StepPose<'_>) {
        step::point_joint_at(rest, joint, tip, step_pose);
    }
}

impl Inspect for AnimDynamics {
    fn rest_length(rest: &Rest, joint: usize) -> f32 {
        rest.joints[joint].tip_offset.length()
    }

    fn tip_offset(rest: &Rest, joint: usize) -> Vec3 {
        rest.joints[joint].tip_offset
    }

    fn contact_sphere<'a>(query: &ContactQuery<'a, Self>) -> Option<ContactSphere<'a>> {
        let ContactQuery { rest, params, system, joint, posed_scene, .. } = *query;
        let joint = &rest.joints[joint];
        let frame = &posed_scene.frames[joint.bone as usize];
        let size = mean_scale(frame);
        let (center, _) = system.center_and_joint(params.joint_offset, size);
        let center = frame.position + frame.rotation * Vec3::from(center);
        let radius = solve::collision_radius(params, size);
        // Rounding errors may separate a body from a surface on which a contact placed it exactly.
        Some(ContactSphere {
            touch_distance: 1e-5,
            ..ContactSphere::new(center, radius, joint.colliders.slice(&rest.colliders))
        })
    }

    fn nearest_surface(query: &ContactQuery<'_, Self>, ball: &ContactSphere<'_>, id: u32) -> Option<SurfacePoint> {
        let (collider, frame) = query.posed_scene.collider(id);
        solve::world_collider(collider, frame, query.system).nearest_surface(ball.center)
    }
}
