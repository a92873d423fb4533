//! A hinge for rigid accessories, after a public article on a bucket's handle (phi16, 2020), and what goes beyond it.
//!
//! One angle about one axis of the bone, measured from the pose as animation left it. Gravity and the body's motion pull
//! at the centre of mass; the torque about the axis over the inertia of a point mass (mass itself cancels out) speeds the
//! angle up, degrees per second, and at a limit the speed turns round and loses its share. [`VARIANT`] chooses among the
//! article's three listings: gravity alone, without limits; with the body's motion, which the listing takes for a fresh
//! start from rest in every frame, 2 dx / dt²; and the author's first one, tuned by hand.
//!
//! The listings count rad/s² as degrees per s², so that gravity is 57 times too weak, and feel their own turn of the
//! frame before as motion of the body, which brakes. [`PHYSICAL`] mends both: radians are radians, and the body's
//! motion is its acceleration, by second differences of where the centre of mass would be had the bone not turned. The
//! hand-tuned listing has no units to mend. The first frame of the article shows the bone as authored while the angle
//! stands at the upper limit already; [`START`] does so on demand.
//!
//! Beyond the article: any axis, limits of their own, shares of gravity and inertia, damping, a spring to a rest angle,
//! several hinges below each other. No colliders and no sub-steps, as there.
//!
//! Differs from the article: a frame that lasts no time changes nothing, where the listing divides by nothing.

mod params;
mod response;
mod step;

pub use params::*;

use crate::params::ParamId;
use crate::rig::{Skeleton, WorldPose};
use crate::sim::scene::parent_indices;
use crate::sim::vec_util::{IndexRange, max_end_distance, sanitize};
use crate::sim::{Dynamics, Inspect, Scene, Solver, SolverInfo, SolverKind, SystemSetup, TipState};
use glam::Vec3;
use step::HingeState;

/// The solver.
#[derive(Clone, Copy, Debug)]
pub struct Hinge;

/// Topology and rest data of one joint.
#[derive(Clone, Debug, PartialEq)]
pub struct JointRest {
    bone: u32,
    enabled: bool,
    /// Part of [`Rest::bones`]: from below the hinge above to this one.
    path: IndexRange,
    /// In bone space, unit length.
    axis: Vec3,
    /// Centre of mass in bone space, metres.
    center: Vec3,
    /// Longest distance of that centre, metres.
    max_center_distance: f32,
    /// Angle and speed that it begins with, degrees and degrees per second.
    start_motion: (f32, f32),
    /// Angle that it shows until its first step.
    displayed_angle: f32,
}

/// Topology and rest data; joints parents first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rest {
    joints: Vec<JointRest>,
    bones: Vec<u32>,
    /// Position of each joint of the setup among `joints`.
    solver_indices: Vec<u32>,
}

impl Rest {
    /// Reads again what is switched on, and what of the numbers says where joints are.
    fn update_switches(&mut self, setup: &SystemSetup) {
        let system = Hinge::bake_system(|row| sanitize(setup.values.get(row)));
        for (joint, place) in setup.joints.iter().zip(&self.solver_indices) {
            let p = Hinge::bake(|row| sanitize(joint.values.get(row)));
            let own = &mut self.joints[*place as usize];
            (own.enabled, own.axis) = (joint.enabled, p.axis);
            own.center = p.center.clamp_length_max(own.max_center_distance);
            // The article's angle stands elsewhere before the bone is turned to it.
            (own.start_motion, own.displayed_angle) = match system.start {
                0 => ((p.rest_angle, p.start.1), p.rest_angle),
                1 => (p.start, 0.0),
                _ => ((p.limits.1, p.start.1), 0.0),
            };
        }
    }

    /// Brings the frames from below the hinge above down to this one up to date.
    #[inline]
    fn refresh_path(&self, joint: &JointRest, scene: &mut Scene<'_>) {
        for bone in joint.path.slice(&self.bones) {
            scene.refresh(*bone);
        }
    }
}

/// Baked numbers of one joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// In bone space, unit length.
    axis: Vec3,
    /// Centre of mass in bone space, metres.
    center: Vec3,
    rest_angle: f32,
    /// Lower and upper limit, degrees.
    limits: (f32, f32),
    gravity: f32,
    inertia: f32,
    restitution: f32,
    /// 1/s.
    damping: f32,
    /// 1/s².
    spring: f32,
    /// Degrees, and degrees per second.
    start: (f32, f32),
}

/// Which of the article's listings moves a hinge.
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

/// Baked numbers of the system.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct System {
    variant: HingeVariant,
    physical: bool,
    /// m/s², downwards.
    gravity: f32,
    /// Position among [`START_CHOICES`].
    start: u8,
}

/// What steps change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    hinges: Vec<HingeState>,
    /// How long the step before lasted, seconds; 0 where there was none.
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
}

impl Solver for Hinge {
    const INFO: SolverInfo = SolverInfo {
        center_of_mass_params: Some(CENTER_OF_MASS),
        // Somebody must know the axis.
        auto_assign: false,
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
            limits: (low.min(high), high.max(low)),
            gravity: get(GRAVITY_SCALE),
            inertia: get(INERTIA_SCALE),
            restitution: get(RESTITUTION),
            damping: get(DAMPING).max(0.0),
            spring: get(SPRING),
            start: (get(ANGLE), get(VELOCITY)),
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

    fn step(rest: &Rest, params: &[Params], system: &System, state: &mut State, scene: &mut Scene<'_>, dt: f32) {
        step::solve(rest, params, *system, state, scene, dt);
    }

    fn reset(rest: &Rest, state: &mut State, scene: &mut Scene<'_>) {
        reset_hinges(rest, state, scene);
    }

    fn carry_over(state: &mut State, before: &State) {
        state.previous_dt = before.previous_dt;
    }

    fn point_at(rest: &Rest, joint: usize, tip: Vec3, scene: &mut Scene<'_>) {
        step::point_joint_at(&rest.joints[joint], tip, scene);
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
    let mut sorted: Vec<usize> = (0..count).collect();
    sorted.sort_by_key(|i| (skeleton.depth(setup.joints[*i].bone), *i));
    let mut hinged = vec![false; skeleton.len()];
    setup.joints.iter().for_each(|joint| hinged[joint.bone.index()] = true);
    for (place, i) in sorted.into_iter().enumerate() {
        let bone = setup.joints[i].bone;
        let between = skeleton.ancestors(bone).take_while(|b| !hinged[b.index()]);
        let below_hinge = skeleton.ancestors(bone).any(|b| hinged[b.index()]);
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
            start_motion: (0.0, 0.0),
            displayed_angle: 0.0,
        });
    }
    rest.update_switches(setup);
    let mut state = State { hinges: vec![HingeState::default(); count], previous_dt: 0.0 };
    let mut pose = crate::rig::Pose::rest(skeleton).local;
    let (mut frames, parents) = (world.frames.clone(), parent_indices(skeleton));
    let mut scene =
        Scene { parents: &parents, pose: &mut pose, frames: &mut frames, colliders: &[], forces: &[], viewer: None };
    reset_hinges(&rest, &mut state, &mut scene);
    (rest, state)
}

/// Turns every joint to where it begins; it begins to move in the next step.
fn reset_hinges(rest: &Rest, state: &mut State, scene: &mut Scene<'_>) {
    for (joint, swing) in rest.joints.iter().zip(&mut state.hinges) {
        rest.refresh_path(joint, scene);
        swing.start(joint, joint.start_motion, if joint.enabled { joint.displayed_angle } else { 0.0 }, scene);
    }
    state.previous_dt = 0.0;
}
