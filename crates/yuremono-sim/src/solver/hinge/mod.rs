//! A hinge for rigid accessories, based on a public article about the handle of a bucket (phi16, 2020), with
//! extensions. Comments call it the hinge article.
//!
//! A joint is a single angle about one axis of the bone, relative to the animated pose. Gravity and the body's motion
//! act on the centre of mass. The angular acceleration is the torque divided by the inertia of a point mass, so the
//! mass cancels out. At a limit, the velocity is reversed and scaled. [`VARIANT`] selects one of the article's three
//! listings:
//! - gravity only, without limits;
//! - with the body's motion, computed as 2 dx / dt² as if the body started from rest in every frame;
//! - the author's first, hand-tuned listing.
//!
//! The listings treat rad/s² as degrees per s², so gravity is 57 times too weak. They also mistake their own rotation
//! in the last frame for motion of the body, which slows the hinge down. [`PHYSICAL`] fixes both: it converts radians
//! and uses the body's acceleration, the second difference of the centre of mass in the animated pose. The hand-tuned
//! listing has no units to fix. In the hinge article, the first frame shows the animated pose although the angle is
//! already at the upper limit; [`START`] can reproduce this.
//!
//! Extensions are any axis, limits per joint, shares of gravity and inertia, damping, a spring to a rest angle, and
//! nested hinges. As in the hinge article, there are no colliders and no substeps.
//!
//! Differs from the hinge article: a frame of 0 seconds changes nothing, while the listing divides by zero.

mod params;
mod step;

pub use params::*;

use crate::params::ParamId;
use crate::rig::{Skeleton, WorldPose};
use crate::solver::AimedJoint;
use crate::step_pose::parent_indices;
use crate::vec_util::{IndexRange, max_end_distance, sanitize};
use crate::{
    Dynamics, HingeParams, Inspect, LengthScale, Solver, SolverInfo, SolverKind, StepPose, SystemSetup, TipState,
};
use glam::Vec3;
use step::HingeState;

/// The solver.
#[derive(Clone, Copy, Debug)]
pub struct Hinge;

/// Angle of a hinge in degrees, and its velocity in degrees per second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct HingeMotion {
    angle: f32,
    velocity: f32,
}

/// Allowed angles of a hinge, in degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
struct AngleLimits {
    min: f32,
    max: f32,
}

impl AngleLimits {
    /// Allows every angle.
    const UNLIMITED: Self = Self { min: f32::MIN, max: f32::MAX };

    fn clamp(self, angle: f32) -> f32 {
        angle.clamp(self.min, self.max)
    }
}

/// Topology and rest data of one joint.
#[derive(Clone, Debug, PartialEq)]
pub struct JointRest {
    bone: u32,
    enabled: bool,
    /// Range of [`Rest::bones`]: from the child of the parent hinge's bone to this bone.
    path: IndexRange,
    /// Hinge axis in bone space, unit length.
    axis: Vec3,
    /// Centre of mass in bone space, in metres.
    center: Vec3,
    /// Maximum length of `center`, in metres.
    max_center_distance: f32,
    /// Initial motion.
    start_motion: HingeMotion,
    /// Angle that is displayed until the first step, in degrees.
    displayed_angle: f32,
}

/// Topology and rest data. Parents come before children.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rest {
    joints: Vec<JointRest>,
    bones: Vec<u32>,
    solver_indices: Vec<u32>,
}

impl Rest {
    /// Applies the parameters that change without rebuilding the topology.
    fn update_switches(&mut self, setup: &SystemSetup) {
        let system = Hinge::bake_system(|param| sanitize(setup.values.get(param)));
        for (joint, place) in setup.joints.iter().zip(&self.solver_indices) {
            let p = Hinge::bake(|param| sanitize(joint.values.get(param)));
            let own = &mut self.joints[*place as usize];
            (own.enabled, own.axis) = (joint.enabled, p.axis);
            own.center = p.center.clamp_length_max(own.max_center_distance);
            // In the hinge article, the displayed angle differs from the actual angle until the first step.
            (own.start_motion, own.displayed_angle) = match system.start {
                0 => (HingeMotion { angle: p.rest_angle, ..p.start }, p.rest_angle),
                1 => (p.start, 0.0),
                _ => (HingeMotion { angle: p.limits.max, ..p.start }, 0.0),
            };
        }
    }

    /// Updates the frames from the child of the parent hinge's bone down to this bone.
    #[inline]
    fn refresh_path(&self, joint: &JointRest, step_pose: &mut StepPose<'_>) {
        step_pose.refresh_all(joint.path.slice(&self.bones));
    }
}

/// Baked values of one joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// Hinge axis in bone space, unit length.
    axis: Vec3,
    /// Centre of mass in bone space, in metres.
    center: Vec3,
    rest_angle: f32,
    limits: AngleLimits,
    gravity: f32,
    inertia: f32,
    restitution: f32,
    /// Damping in 1/s.
    damping: f32,
    /// Spring constant in 1/s².
    spring: f32,
    /// Initial motion.
    start: HingeMotion,
}

impl Params {
    /// The limits, which the first listing of the hinge article does not have.
    fn limits_in(&self, system: System) -> AngleLimits {
        if system.variant == HingeVariant::Gravity { AngleLimits::UNLIMITED } else { self.limits }
    }
}

/// The listing of the hinge article that a hinge reproduces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HingeVariant {
    Gravity,
    Full,
    HandTuned,
}

impl HingeVariant {
    const fn of(value: f32) -> Self {
        if value < 0.5 {
            Self::Gravity
        } else if value < 1.5 {
            Self::Full
        } else {
            Self::HandTuned
        }
    }
}

/// Baked values of the system.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct System {
    variant: HingeVariant,
    physical: bool,
    /// Downward gravity in m/s².
    gravity: f32,
    /// Index into `START_CHOICES`.
    start: u8,
}

/// State of the simulation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    hinges: Vec<HingeState>,
    /// Length of the last step, in seconds; 0 before the first step.
    previous_dt: f32,
}

impl TipState for State {
    fn tip(&self, joint: usize) -> Vec3 {
        self.hinges[joint].tip
    }

    fn previous_tip(&self, joint: usize) -> Vec3 {
        self.hinges[joint].previous
    }

    fn set_tip(&mut self, joint: usize, tip: Vec3, previous: Vec3) {
        self.hinges[joint].drag_to(tip, previous);
    }

    fn add_velocity(&mut self, joint: usize, velocity: Vec3, _step_seconds: f32) {
        self.hinges[joint].add_velocity(velocity);
    }
}

impl Solver for Hinge {
    const INFO: SolverInfo = SolverInfo {
        center_of_mass_params: Some(CENTER_OF_MASS),
        hinge_params: Some(HingeParams {
            axis: HINGE_AXIS,
            limits: [MIN_ANGLE, MAX_ANGLE],
            has_limits: |system| HingeVariant::of(system.get(VARIANT)) != HingeVariant::Gravity,
        }),
        // The user must choose the hinge axis, so hinges are never assigned automatically.
        auto_assign: false,
        length_scale: LengthScale::Ignored,
        ..SolverInfo::new(SolverKind::Hinge, PARAMS)
    };
}

impl Dynamics for Hinge {
    type Rest = Rest;
    type Params = Params;
    type System = System;
    type State = State;

    fn build(setup: &SystemSetup, skeleton: &Skeleton, world: &WorldPose) -> (Rest, State) {
        build(setup, skeleton, world)
    }

    fn solver_indices(rest: &Rest) -> &[u32] {
        &rest.solver_indices
    }

    fn bake(mut get: impl FnMut(ParamId) -> f32) -> Params {
        let (low, high) = (get(MIN_ANGLE), get(MAX_ANGLE));
        Params {
            axis: Vec3::from(HINGE_AXIS.map(&mut get)).normalize_or(Vec3::X),
            center: Vec3::from(CENTER_OF_MASS.map(&mut get)),
            rest_angle: get(REST_ANGLE),
            limits: AngleLimits { min: low.min(high), max: high.max(low) },
            gravity: get(GRAVITY_SCALE),
            inertia: get(INERTIA_SCALE),
            restitution: get(RESTITUTION),
            damping: get(DAMPING).max(0.0),
            spring: get(SPRING),
            start: HingeMotion { angle: get(ANGLE), velocity: get(VELOCITY) },
        }
    }

    fn bake_system(mut get: impl FnMut(ParamId) -> f32) -> System {
        System {
            variant: HingeVariant::of(get(VARIANT)),
            physical: get(PHYSICAL) >= 0.5,
            gravity: get(GRAVITY),
            start: get(START).clamp(0.0, 2.0).round() as u8,
        }
    }

    fn update_switches(rest: &mut Rest, setup: &SystemSetup) {
        rest.update_switches(setup);
    }

    fn step(rest: &Rest, params: &[Params], system: &System, state: &mut State, step_pose: &mut StepPose<'_>, dt: f32) {
        step::solve(rest, params, *system, state, step_pose, dt);
    }

    fn reset(rest: &Rest, state: &mut State, step_pose: &mut StepPose<'_>) {
        reset_hinges(rest, state, step_pose);
    }

    fn carry_over(state: &mut State, before: &State) {
        state.previous_dt = before.previous_dt;
    }

    fn aim_joint_at(rest: &Rest, joint: usize, tip: Vec3, step_pose: &mut StepPose<'_>) {
        step::point_joint_at(&rest.joints[joint], tip, step_pose);
    }

    fn reachable_direction(aimed: &AimedJoint<'_, Self>, direction: Vec3) -> Vec3 {
        let limits = aimed.params.limits_in(*aimed.system);
        aimed.state.hinges[aimed.joint].reachable_direction(direction, limits)
    }
}

impl Inspect for Hinge {
    fn rest_length(rest: &Rest, joint: usize) -> f32 {
        rest.joints[joint].center.length()
    }

    fn tip_offset(rest: &Rest, joint: usize) -> Vec3 {
        rest.joints[joint].center
    }
}

fn build(setup: &SystemSetup, skeleton: &Skeleton, world: &WorldPose) -> (Rest, State) {
    let count = setup.joints.len();
    let mut rest = Rest { solver_indices: vec![0; count], ..Rest::default() };
    let hinges = setup.joint_of_bone(skeleton);
    for (place, i) in setup.joints_by_depth(skeleton).into_iter().enumerate() {
        let bone = setup.joints[i].bone;
        let between = skeleton.ancestors(bone).take_while(|b| hinges[b.index()].is_none());
        let below_hinge = skeleton.ancestors(bone).any(|b| hinges[b.index()].is_some());
        let from = rest.bones.len();
        let mut path: Vec<u32> = if below_hinge { between.map(|b| b.0).collect() } else { Vec::new() };
        path.reverse();
        rest.bones.extend(path);
        rest.bones.push(bone.0);
        rest.solver_indices[i] = place as u32;
        rest.joints.push(JointRest {
            bone: bone.0,
            enabled: true,
            path: IndexRange::up_to_end(from, &rest.bones),
            axis: Vec3::X,
            center: Vec3::ZERO,
            max_center_distance: max_end_distance(bone, skeleton, world),
            start_motion: HingeMotion::default(),
            displayed_angle: 0.0,
        });
    }
    rest.update_switches(setup);
    let mut state = State { hinges: vec![HingeState::default(); count], previous_dt: 0.0 };
    let mut pose = crate::rig::Pose::rest(skeleton).local;
    let (mut frames, parents) = (world.frames.clone(), parent_indices(skeleton));
    let mut step_pose = StepPose {
        parents: &parents,
        pose: &mut pose,
        frames: &mut frames,
        colliders: &[],
        forces: &[],
        viewer: None,
        probe: None,
    };
    reset_hinges(&rest, &mut state, &mut step_pose);
    (rest, state)
}

/// Resets every joint to its initial state.
fn reset_hinges(rest: &Rest, state: &mut State, step_pose: &mut StepPose<'_>) {
    for (joint, swing) in rest.joints.iter().zip(&mut state.hinges) {
        rest.refresh_path(joint, step_pose);
        swing.start(joint, joint.start_motion, if joint.enabled { joint.displayed_angle } else { 0.0 }, step_pose);
    }
    state.previous_dt = 0.0;
}
