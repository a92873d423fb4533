//! Rigid boxes on bones, after Epic's documentation of Unreal's `AnimDynamics` node.
//!
//! Only public pages were used: the node's guide and property reference, the API pages of the node, its body and
//! constraint structs and of `FAnimPhys`; neither Unreal's source nor recordings. Parameters and their meaning are
//! Unreal's; the resulting motion is this solver's own.
//!
//! **Algorithm.** Each joint has a box: position, orientation, 1 kg, the inertia of its sides. A joint point attaches
//! the box to the parent body, or to the animated skeleton. A frame is split into steps; each step
//! 1. applies damping, gravity, wind and springs (`force.rs`);
//! 2. solves velocities for joints, angle limits, planes and spheres, the pre-iterations (`solve.rs`);
//! 3. moves the bodies, then solves positions, the post-iterations (`solve.rs`).
//!
//! The bones then rotate to the bodies. Bones of bodies with linear play or a lever also move.
//!
//! **Documented**: names and effects of the parameters, the order of the three parts, the body at the bone and the
//! joint at an offset, box extents for inertia, the target axis of body one against a target in body zero, the bias of
//! a limit towards the second body, 0.7 as the smallest damping, planes and spheres as the only collision, a bounded
//! time debt.
//!
//! **Derived**, because no page defines it:
//! - Mass is 1 kg. Extents are whole sides. Lengths are metres, so spring constants are N/m and N m per radian.
//! - Damping is the share of the velocity lost per second, relative to the simulation space.
//! - A spring on one bone swings at `ω² = constant / inertia about the joint` without damping. Its impulse is
//!   `4 sin²(ωh/2) / h` times the offset, which is exact for a lone spring; against a constant pull it is softer by the
//!   difference to `ω²h`, 1 % at 3 Hz and 60 steps per second. A period has at least six steps.
//! - The bias splits the correction of a limit between the two bodies; a spring acts back on the parent by `1 - bias`.
//!   The documentation names the bias but no default, so the default here is 0.95. The same is true of the clamp, 100
//!   m/s², and of the iterations.
//! - By default angle limits are open and boxes are 1 cm. (The guide says that Unreal's own defaults hardly move.) In
//!   Unreal's skeletons X points along the bone, so the axis parameters default to that.
//! - Linear limits are along the axes of the animated bone; the linear spring pulls to the animated position.
//! - The velocity scale is an acceleration against the space's velocity, 1/s. Rotation of the space has no effect.
//! - Spherical limits use the same collision sphere as planes, for which it is documented. Other shapes have no effect.
//! - The gyroscopic torque is omitted, which keeps the energy of a free body exactly.
//! - The component is [`SystemSetup::component`], else the topmost node; the actor is the topmost node.
//!
//! The last position sweep, parents first, closes the joints exactly. Velocities of locked joints come from the
//! rotations, so that a pendulum neither gains nor loses energy. Non-finite bodies return to the animation.
//!
//! **Why no physics crate.** rapier3d adds parry, nalgebra and a broad phase for boxes that never collide here. It is
//! deterministic across machines only with `enhanced-determinism`, which disables some fast paths, and promises no
//! allocation-free step. It has neither the bias nor the two sets of iterations. Only its point joints and one-sided
//! limits would be used, which `solve.rs` implements. Its cost per body was not measured.

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
    ColliderShape, Dynamics, Inspect, Scene, Solver, SolverInfo, SolverKind, SolverOrigin, SystemSetup, TipState,
    Workload,
};
use crate::math::Frame;
use crate::params::{ParamId, ParamSet};
use crate::rig::{Skeleton, WorldPose};
use crate::sim::collider::{ContactSphere, SurfacePoint, WorldCollider};
use crate::sim::solver::ContactQuery;
use crate::sim::vec_util::IndexRange;
pub use build::{Params, System};
use glam::{Mat3, Quat, Vec3};
use limits::AngularBounds;
use solve::ContactDistance;
pub use solve::mean_scale;

/// The solver.
#[derive(Clone, Copy, Debug)]
pub struct AnimDynamics;

/// Of every body, kilograms.
const MASS: f32 = 1.0;

const NO_BODY: u32 = u32::MAX;

/// Topology and rest data of one joint.
#[derive(Clone, Debug, PartialEq)]
pub struct JointRest {
    bone: u32,
    parent: u32,
    enabled: bool,
    /// The joint of the parent body, or [`NO_BODY`]; always earlier in the list.
    parent_joint: u32,
    /// Range of [`Rest::skipped_bones`]: bones between that joint and this one, from the top.
    skipped_bones: IndexRange,
    /// Range of [`Rest::colliders`].
    colliders: IndexRange,
    /// Local rotation and translation in the rest pose.
    rotation: Quat,
    translation: Vec3,
    /// From head to tip in the bone's unscaled space, metres in the world.
    tip_offset: Vec3,
    /// Direction of `tip_offset`; +Y if it is zero.
    bone_axis: Vec3,
}

/// Topology and rest data; joints parents first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rest {
    joints: Vec<JointRest>,
    skipped_bones: Vec<u32>,
    colliders: Vec<u32>,
    solver_indices: Vec<u32>,
    /// The bone of each simulation space, or no bone.
    space_bones: [u32; 5],
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct BodyPose {
    /// Center of mass in the world, metres.
    center: Vec3,
    rotation: Quat,
}

/// Velocity relative to the simulation space.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct BodyVelocity {
    /// Of the center, metres per second.
    linear: Vec3,
    /// Radians per second.
    angular: Vec3,
}

impl BodyVelocity {
    /// Velocity of a point of the body; `arm` points from the center to it.
    #[inline]
    fn at_point(&self, arm: Vec3) -> Vec3 {
        self.linear + self.angular.cross(arm)
    }
}

/// Attachment of a joint to the parent body in the animated pose of this frame; to the world without a parent body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct JointAnchor {
    /// The animated bone relative to the parent.
    rotation: Quat,
    /// The joint point relative to the parent's center, metres.
    position: Vec3,
    /// Scale of the bone's frame.
    scale: f32,
    /// Animated position of the body's center in the world, metres.
    body_center: Vec3,
    /// Rotation and point in the last frame, for joints attached to the world.
    previous_rotation: Quat,
    previous_position: Vec3,
    /// Velocity of the point and the animated bone, for joints attached to the world.
    velocity: BodyVelocity,
    /// Acceleration of wind and forces, m/s².
    external_acceleration: Vec3,
}

/// Values of a joint that are constant while a step solves velocities.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct JointConstraint {
    /// Inverse world inertia; zero for a disabled body.
    inverse_inertia: Mat3,
    /// 1/kg; 0 for a disabled body.
    inverse_mass: f32,
    /// From the center to the joint point, metres in the world.
    lever_arm: Vec3,
    /// From the parent's center to the joint point.
    parent_lever_arm: Vec3,
    /// Distance of a joint with play from its point, along the axes of `frame`, metres.
    offset: Vec3,
    /// Velocity per impulse at the point, and its inverse.
    inverse_effective_mass: Mat3,
    effective_mass: Mat3,
    /// The animated bone on the parent body, at the start of the step.
    reference_rotation: Quat,
    /// Impulse through the joint in this step, N s.
    accumulated_impulse: Vec3,
}

/// The simulation space at the end of the last frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct PreviousSpace {
    pose: Option<(u32, Quat, Vec3)>,
    /// Metres per second.
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
    /// In the world.
    tips: Vec<Vec3>,
    previous: Vec<Vec3>,
    /// Tips that were moved by hand since the last step.
    tip_was_set: Vec<bool>,
    /// Whether the next step first resets the bodies to the animation.
    starts_from_pose: bool,
    /// Animated frame of each bone.
    animated_frames: Vec<Frame>,
    anchors: Vec<JointAnchor>,
    constraints: Vec<JointConstraint>,
    angular_bounds: Vec<AngularBounds>,
    /// One per entry of [`Rest::colliders`].
    contact_distances: Vec<ContactDistance>,
    world_colliders: Vec<WorldCollider>,
    previous_space: PreviousSpace,
    /// Seconds of frames that no step has used yet.
    accumulator: f32,
    /// Length of the last step, seconds.
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
}

impl Solver for AnimDynamics {
    const INFO: SolverInfo = SolverInfo {
        origin: SolverOrigin::Documentation,
        unsupported: response::UNSUPPORTED,
        shapes: &[ColliderShape::SPHERE, ColliderShape::SPHERE.inverted(), ColliderShape::PLANE],
        uses_component: true,
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

    fn step(rest: &Rest, params: &[Params], system: &System, state: &mut State, scene: &mut Scene<'_>, dt: f32) {
        step::solve(rest, params, system, state, scene, dt);
    }

    fn reset(rest: &Rest, state: &mut State, scene: &mut Scene<'_>) {
        build::reset_to_rest(rest, state, scene);
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

    fn point_at(rest: &Rest, joint: usize, tip: Vec3, scene: &mut Scene<'_>) {
        step::point_joint_at(rest, joint, tip, scene);
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
        let (center, radius) = (frame.position + frame.rotation * center, solve::collision_radius(params, size));
        // Rounding may separate a body that a contact moved exactly onto the surface.
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
