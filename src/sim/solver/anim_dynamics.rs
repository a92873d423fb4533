//! Rigid boxes on bones, after what Epic's documentation says of Unreal's `AnimDynamics` node.
//!
//! Only public pages were used (the node's guide and property reference, the API pages of the node, its body and
//! constraint structs and of `FAnimPhys`); neither the engine's source nor recordings of it. So the parameters and
//! their sense are the engine's, the numbers that come out are this solver's own.
//!
//! **The rule.** Each joint has a box: position, orientation, 1 kg, the inertia of its sides. A joint point holds it
//! to the body above, or to the animated skeleton. A frame is cut into steps; each step is
//! 1. damping, gravity, wind, springs (`force.rs`);
//! 2. speeds made to fit joints, angle limits, planes and spheres, the pre-iterations (`impulse.rs`);
//! 3. places moved by their speeds, then made to fit as well, the post-iterations (`fit.rs`).
//!
//! The bones are turned after the bodies, and moved where a body has play or a lever.
//!
//! **Documented**: the names, what each does, the order of those three, body at the bone and joint at an offset from it,
//! box extents for inertia, the target axis of body one against a target in body zero, the bias of a limit towards the
//! second body, damping of 0.7 that lower values do not undercut, planes and spheres instead of collision, a bounded
//! time debt.
//!
//! **Derived**, since no page says so:
//! - Mass is 1 kg. Extents are whole sides. Lengths are metres, so spring constants are N/m and N m per radian.
//! - Damping is the share of the speed lost in a second, relative to the simulation space.
//! - A spring on one bone swings at `ω² = constant / inertia about the joint` with no damping of its own: its impulse is
//!   `4 sin²(ωh/2) / h` times the offset, which is exact for the swing of a lone spring; against a steady pull it is
//!   softer by what that falls short of `ω²h`, 1 % at 3 Hz and 60 steps a second. A swing is at least six steps long.
//! - The bias shares what a limit turns between the two bodies; a spring pushes back on the body above by `1 - bias`.
//!   Its default has a name but no number in the documentation; 0.95 here. So too the clamp, 100 m/s², and the iterations.
//! - Angle limits are open and boxes of 1 cm where nothing is set. (The guide says that the engine's own defaults hardly
//!   move.) In its skeletons X runs along the bone, so that this is what the axis rows begin with.
//! - Linear limits run along the axes of the animated bone; the linear spring pulls to where animation has the bone.
//! - The velocity scale is an acceleration against the space's speed, 1/s. Turns of the space are never felt.
//! - Spheres meet the same ball of a body as planes; the documentation names planes only. Other shapes are nothing.
//! - The gyroscopic torque is left out, which keeps the energy of a free body exactly.
//! - The component is [`SystemSetup::component`], else the topmost node; the actor is the topmost node.
//!
//! A joint is kept together exactly by the last sweep, parents first; speeds of locked joints are taken from the turns, so
//! that a pendulum neither gains nor loses. A body that is no number any more goes back to where animation has it.
//!
//! **Why no physics crate.** By its own pages rapier3d brings parry, nalgebra and a broad phase for boxes that never
//! collide here, and gives the same results on every machine only with `enhanced-determinism`, which excludes some of its
//! fast paths. Nothing promises a step without allocation. It has neither the bias nor the two rounds of iterations. What
//! would be used of it is a point joint and one-sided rows, which `impulse.rs` is. What a body costs there was not
//! measured.

mod bake;
mod build;
mod contact;
mod force;
mod limits;
mod params;
mod position_solve;
mod response;
mod step;
mod velocity_solve;

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
pub use bake::{Params, System};
use contact::ContactDistance;
pub use contact::mean_scale;
use glam::{Mat3, Quat, Vec3};
use limits::AngularBounds;

/// The solver.
#[derive(Clone, Copy, Debug)]
pub struct AnimDynamics;

/// Kilograms of every body.
const MASS: f32 = 1.0;

/// No body.
const NO_BODY: u32 = u32::MAX;

/// Topology and rest data of one joint.
#[derive(Clone, Debug, PartialEq)]
pub struct JointRest {
    bone: u32,
    parent: u32,
    enabled: bool,
    /// The joint whose body it hangs on, or [`NO_BODY`]; always before it.
    parent_joint: u32,
    /// Part of [`Rest::skipped_bones`]: bones between that one and this, from the top.
    skipped_bones: IndexRange,
    /// Part of [`Rest::colliders`].
    colliders: IndexRange,
    /// The bone's local turn and place in the rest pose.
    rotation: Quat,
    translation: Vec3,
    /// From head to tip in the bone's turning space, metres in the world.
    tip_offset: Vec3,
    /// The same at unit length; +Y where the bone has none.
    bone_axis: Vec3,
}

/// Topology and rest data; joints parents first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rest {
    joints: Vec<JointRest>,
    skipped_bones: Vec<u32>,
    colliders: Vec<u32>,
    /// Position of each joint of the setup among `joints`.
    solver_indices: Vec<u32>,
    /// The bone of each simulation space, or no bone.
    space_bones: [u32; 5],
}

/// Where a body is, in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
struct BodyPose {
    /// Its center of mass, metres.
    center: Vec3,
    rotation: Quat,
}

/// How a body moves, against the simulation space.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct BodyVelocity {
    /// Of the center, metres per second.
    linear: Vec3,
    /// Radians per second.
    angular: Vec3,
}

impl BodyVelocity {
    /// The speed of a point of the body, `arm` being from the center to it.
    #[inline]
    fn at_point(&self, arm: Vec3) -> Vec3 {
        self.linear + self.angular.cross(arm)
    }
}

/// How a joint hangs on the body above in this frame's animated pose; where there is none, on the world.
#[derive(Clone, Copy, Debug, PartialEq)]
struct JointAnchor {
    /// The animated bone as seen from above.
    rotation: Quat,
    /// The joint's point as seen from the center above, metres.
    position: Vec3,
    /// Factor by which frames scale the bone.
    scale: f32,
    /// Where animation has the body's center, metres in the world.
    body_center: Vec3,
    /// As `turn` and `at` stood in the frame before, for joints that hang on the world.
    previous_rotation: Quat,
    previous_position: Vec3,
    /// How the point and the animated bone move where the joint hangs on the world.
    velocity: BodyVelocity,
    /// Wind and the like, m/s².
    external_acceleration: Vec3,
}

/// What stays the same while the speeds of one step are made to fit.
#[derive(Clone, Copy, Debug, PartialEq)]
struct JointConstraint {
    /// World inertia to the power of -1; nothing for a body that is off.
    inverse_inertia: Mat3,
    /// 1/kg; 0 for a body that is off.
    inverse_mass: f32,
    /// From the center to the joint's point, metres in the world.
    lever_arm: Vec3,
    /// The same from the center above.
    parent_lever_arm: Vec3,
    /// How far a joint with play is from its point, along the axes of `frame`, metres.
    offset: Vec3,
    /// What speed a push at the point gives, and its inverse.
    inverse_effective_mass: Mat3,
    effective_mass: Mat3,
    /// The animated bone on the body above, as the step begins.
    reference_rotation: Quat,
    /// Momentum that went through the joint in this step, N s.
    accumulated_impulse: Vec3,
}

/// What steps change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    body_poses: Vec<BodyPose>,
    body_velocities: Vec<BodyVelocity>,
    /// In the world.
    tips: Vec<Vec3>,
    previous: Vec<Vec3>,
    /// Whose tips were put somewhere since the last step.
    tip_was_set: Vec<bool>,
    /// Whether bodies stand still where animation has their bones before the next step.
    starts_from_pose: bool,
    /// Where animation has each bone.
    animated_frames: Vec<Frame>,
    anchors: Vec<JointAnchor>,
    constraints: Vec<JointConstraint>,
    angular_bounds: Vec<AngularBounds>,
    /// One per entry of [`Rest::colliders`].
    contact_distances: Vec<ContactDistance>,
    world_colliders: Vec<WorldCollider>,
    previous_space: step::PreviousSpace,
    /// Time that no step has used yet, seconds.
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
        bake::bake_joint(get)
    }

    fn bake_system(get: impl FnMut(ParamId) -> f32) -> System {
        bake::bake_system(get)
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
        let ContactQuery { rest, params, system, joint, posed_scene: still, .. } = *query;
        let joint = &rest.joints[joint];
        let frame = &still.frames[joint.bone as usize];
        let size = mean_scale(frame);
        let (center, _) = system.center_and_joint(params.joint_offset, size);
        let (center, radius) = (frame.position + frame.rotation * center, contact::collision_radius(params, size));
        // Rounding parts what was put right on the surface.
        Some(ContactSphere {
            touch_distance: 1e-5,
            ..ContactSphere::new(center, radius, joint.colliders.slice(&rest.colliders))
        })
    }

    fn nearest_surface(
        query: &ContactQuery<'_, Self>,
        ball: &ContactSphere<'_>,
        collider: u32,
    ) -> Option<SurfacePoint> {
        let (collider, frame) = query.posed_scene.collider(collider);
        contact::world_collider(collider, frame, query.system).nearest_surface(ball.center)
    }
}
