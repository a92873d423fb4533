//! `SPCRJointDynamics` 2.0.11 by SPARK CREATIVE: a network of points, one at the head of each joint. The motion is
//! tested against recordings of the original code.
//!
//! A frame is split into steps of 1/(rate+1) seconds. In each step, inertia, gravity and wind move every point;
//! hardness pulls the point to its *absolute* animated position; grabbers, movable limits and planes constrain it.
//! Then triangles between columns and links between points are solved, with collisions, once per relaxation. The
//! result is written in the order of the points: first the position, then the rotation that points the bone's axis at
//! the point of its child. Angle limits are applied after the result is written, so they become visible one frame
//! later.
//!
//! Units are metres, seconds and degrees. Columns are the chains of the setup: first the named roots in their order,
//! then the other chains by number. A joint that has a tip but no child gets an end point at the tip, with the
//! joint's values; in `SPCRJointDynamics` the end bone would have its own component. `SPCRJointDynamics` applies half
//! of every acceleration. It neither rotates bones shorter than 3.2 cm, nor pushes points that are nearer than 3.2 cm
//! to a collider's axis. It adds thicknesses incorrectly and swaps the ends of tapered inside capsules. The
//! parameters of the group "improved" correct these errors.
//!
//! Differs from `SPCRJointDynamics`:
//! - a root rotates along the shorter path for both signs of its quaternion;
//! - a frame catches up on at most two seconds;
//! - each joint lists its own colliders, and a link uses the lists of both ends; `SPCRJointDynamics` has one list;
//! - a point that is not finite returns to its animated position.
//!
//! Not included: fading, warping and the other functions that scripts can call.

mod build;
mod collide;
mod fields;
mod params;
mod relax;
mod setup;
mod step;
#[cfg(test)]
mod tests;

pub use fields::{COLLIDER_FIELDS, GRABBER_FIELDS, POINT_FIELDS};
pub use params::*;
pub use setup::{Grabber, JointDynamicsCollider, JointDynamicsPoint, JointDynamicsSetup, LinkKind, SurfaceForce};

use super::super::workload::{VisitCost, Workload};
use super::super::{
    ColliderShape, Dynamics, Inspect, RestTarget, Solver, SolverInfo, SolverKind, StepPose, SystemSetup, TipState,
};
use crate::collider::{ContactSphere, SurfacePoint, WorldCollider, mean_scale};
use crate::math::Trs;
use crate::params::{ParamId, ParamSet};
use crate::rig::{Skeleton, WorldPose};
use crate::solver::ContactQuery;
use crate::vec_util;
use crate::vec_util::IndexRange;
use collide::InterpolatedCollider;
use glam::{Quat, Vec3};

const NONE: u32 = u32::MAX;
/// The epsilon of `SPCRJointDynamics`, which compares it with lengths in metres and, by mistake, with squared
/// lengths.
const EPSILON: f32 = 0.001;

/// The solver.
#[derive(Clone, Copy, Debug)]
pub struct JointDynamics;

/// A point of the network. The points of the joints come first and have the indices of the joints. End points follow.
#[derive(Clone, Debug, PartialEq)]
pub struct PointRest {
    /// Bone of the point, which is at `offset` in the bone's space.
    bone: u32,
    offset: Vec3,
    /// The joint whose parameters this point uses.
    joint: u32,
    parent: u32,
    /// The child that the bone aims at.
    aim_child: u32,
    /// Depth of the point: 0 at a root, 1 at the deepest point of the network.
    depth_ratio: f32,
    fixed: bool,
    /// 0 if the point follows the animated pose, 1 if it is simulated.
    weight: f32,
    mass: f32,
    radius: f32,
    fade: f32,
    invert_collision: bool,
    /// Largest distance from `limit_offset` on `limit_bone`, in metres; negative if there is no limit.
    limit_radius: f32,
    limit_bone: u32,
    limit_offset: Vec3,
}

/// The bone of a joint.
#[derive(Clone, Debug, PartialEq)]
pub struct JointRest {
    bone: u32,
    parent_bone: u32,
    enabled: bool,
    /// Local rotation at rest.
    rotation: Quat,
    /// Direction to the child in bone space; unit length or zero.
    axis: Vec3,
    /// Distance to the child at rest, in metres in the world.
    length: f32,
    /// Range of [`Rest::skipped_bones`]: the bones between the parent joint and this joint.
    skipped_bones: IndexRange,
}

/// Two points that keep their distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkRest {
    kind: LinkKind,
    a: u32,
    b: u32,
    /// In metres.
    length: f32,
    /// Range of [`Rest::colliders`]; empty if the link does not collide.
    colliders: IndexRange,
}

/// A quad between two neighbouring columns. The corners are a, b, the child of b, and the child of a.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FaceRest {
    corners: [u32; 4],
    colliders: IndexRange,
}

/// Topology and rest data.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rest {
    points: Vec<PointRest>,
    joints: Vec<JointRest>,
    links: Vec<LinkRest>,
    faces: Vec<FaceRest>,
    colliders: Vec<u32>,
    collider_settings: Vec<JointDynamicsCollider>,
    grabbers: Vec<Grabber>,
    plane_bones: Vec<u32>,
    /// Bone of the component; its motion is the root motion of `SPCRJointDynamics`.
    component: u32,
    /// Joints and all their descendants, parents first.
    subtree_bones: Vec<u32>,
    skipped_bones: Vec<u32>,
    solver_indices: Vec<u32>,
    /// Cost of a step and of an iteration without surfaces.
    cost: VisitCost,
    surface_cost: u64,
}

/// Baked values of one joint. Strengths are halved because a link uses the sum of both ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    velocity_retention: f32,
    hardness: f32,
    mass_scale: f32,
    gravity_scale: f32,
    wind_scale: f32,
    friction: f32,
    /// In metres, halved.
    slack: f32,
    all_shrink: f32,
    all_stretch: f32,
    /// Indexed by [`LinkKind`].
    shrink: [f32; 5],
    stretch: [f32; 5],
    wave_power: f32,
    wave_frequency: f32,
    limit_power: f32,
}

/// Baked values of the system.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the engine or of ours")]
pub struct System {
    /// Nominal length of a step, in seconds.
    nominal_step: f32,
    sub_steps: u32,
    relaxation: u32,
    time_scale: f32,
    paused: bool,
    gravity: Vec3,
    wind: Vec3,
    slide_limit: f32,
    rotate_limit: f32,
    /// 1e6 if there is no limit.
    shrink_limit: f32,
    /// Share of the animated pose.
    blend: f32,
    return_start: f32,
    return_speed: f32,
    reset_delay: f32,
    fake_wave: bool,
    wave_speed: f32,
    wave_height: f32,
    all_shrink: [bool; 5],
    all_stretch: [bool; 5],
    /// In degrees; negative if there is no limit.
    limit_deg: f32,
    limit_from_root: bool,
    surface: bool,
    /// Factor on dt² in the displacement by accelerations.
    gravity_share: f32,
    round_contact: bool,
    short_bones: bool,
    limit_same_frame: bool,
    apply_limit_power: bool,
}

/// Position of a point, and the friction of its last contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct PointState {
    position: Vec3,
    friction: f32,
}

/// A link with the values that apply in this frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct LinkConstraint {
    a: u32,
    b: u32,
    length: f32,
    /// Length with the slack of both ends, in metres.
    max_length: f32,
    shrink: f32,
    stretch: f32,
    /// Shares of a correction that move `a` and `b`.
    share_a: f32,
    share_b: f32,
    colliders: IndexRange,
}

/// What grabs a point.
#[derive(Clone, Copy, Debug, PartialEq)]
struct PointGrab {
    /// Index of the grabber; [`NONE`] if the point is not grabbed.
    grabber: u32,
    /// Distance from the grabber that the point keeps, in metres.
    distance: f32,
}

impl PointGrab {
    /// Nothing grabs the point.
    const FREE: Self = Self { grabber: NONE, distance: 0.0 };
}

/// Clocks and other values that a system accumulates.
#[derive(Clone, Copy, Debug, PartialEq)]
struct SimulationClock {
    /// Seconds that no step has simulated yet.
    accumulator: f32,
    started: bool,
    /// Seconds until the simulation starts.
    delay: f32,
    /// Factor on the radii of the colliders.
    collider_scale: f32,
    /// In radians.
    wave_phase: f32,
}

impl Default for SimulationClock {
    fn default() -> Self {
        Self { accumulator: 0.0, started: false, delay: 0.0, collider_scale: 1.0, wave_phase: 0.0 }
    }
}

/// State of the simulation. Lists have one entry per point unless noted; positions are in metres in the world.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// The index of the point at the tip of each joint.
    tip_points: Vec<u32>,
    points: Vec<PointState>,
    previous: Vec<Vec3>,
    /// Animated positions in the last frame and in this frame.
    animated_from: Vec<Vec3>,
    animated_to: Vec<Vec3>,
    /// Positions written to the pose.
    output: Vec<Vec3>,
    grabbed: Vec<PointGrab>,
    wave_direction: Vec<Vec3>,
    limit_centers: Vec<Vec3>,
    /// Accelerations in this frame.
    accelerations: Vec<Vec3>,
    /// Local transforms of the joints at the end of the last frame.
    last_locals: Vec<Trs>,
    links: Vec<LinkConstraint>,
    colliders: Vec<InterpolatedCollider>,
    grabbers: Vec<Vec3>,
    /// Normal (up) of each plane, and height of the origin above the plane; a zero normal disables the plane.
    planes: Vec<(Vec3, f32)>,
    /// Position and rotation of the component in the last frame.
    last_component_pose: (Vec3, Quat),
    clock: SimulationClock,
}

impl TipState for State {
    fn tip(&self, joint: usize) -> Vec3 {
        self.points[self.tip_points[joint] as usize].position
    }

    fn display_points(&self, joint: usize) -> [Vec3; 2] {
        [self.output[joint], self.output[self.tip_points[joint] as usize]]
    }

    fn sum_squared_distances(&self, joints: &[u32], from: Vec3) -> f32 {
        let tip = |joint: u32| self.tip_points[joint as usize] as usize;
        vec_util::sum_squared_distances(joints, from, |joint| self.points[tip(joint)].position)
            + vec_util::sum_squared_distances(joints, from, |joint| self.output[joint as usize])
            + vec_util::sum_squared_distances(joints, from, |joint| self.output[tip(joint)])
    }

    fn tip_slot(&self, joint: usize) -> usize {
        self.tip_points[joint] as usize
    }

    fn previous_tip(&self, joint: usize) -> Vec3 {
        self.previous[self.tip_points[joint] as usize]
    }

    fn set_tip(&mut self, joint: usize, tip: Vec3, previous: Vec3) {
        let point = self.tip_points[joint] as usize;
        self.points[point].position = tip;
        self.previous[point] = previous;
        self.output[point] = tip;
    }

    fn add_velocity(&mut self, joint: usize, velocity: Vec3, step_seconds: f32) {
        self.previous[self.tip_points[joint] as usize] -= velocity * step_seconds;
    }
}

/// Parameters that determine links and faces.
struct LinkTopology {
    closed: bool,
    compute: [bool; 5],
    collide: [bool; 5],
}

impl LinkTopology {
    fn from_params(mut get: impl FnMut(ParamId) -> f32) -> Self {
        let mut on = |param| get(param) >= 0.5;
        let [v, h, s] = COLLIDE.map(&mut on);
        // If surfaces collide, all links except bending links collide too.
        Self { closed: on(LOOP), compute: COMPUTE.map(&mut on), collide: [v, h, s, false, false] }
    }
}

impl Solver for JointDynamics {
    const INFO: SolverInfo = SolverInfo {
        name: "SPCR Joint Dynamics",
        short_name: "SPCR",
        unsupported: UNSUPPORTED,
        rest_target: RestTarget::PosePosition,
        shapes: &ColliderShape::ROUND_AND_PLANE,
        // The network would link a new chain to its neighbours.
        auto_assign: false,
        links_chains: true,
        default_curves: DEFAULT_CURVES,
        uses_component: true,
        ..SolverInfo::new(SolverKind::JointDynamics, PARAMS)
    };
}

impl Dynamics for JointDynamics {
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
        let percent = |value: f32| (value * 0.01).clamp(0.0, 1.0);
        Params {
            velocity_retention: 1.0 - percent(get(RESISTANCE)),
            hardness: percent(get(HARDNESS)),
            mass_scale: get(MASS_SCALE),
            gravity_scale: get(GRAVITY_SCALE),
            wind_scale: get(WIND_SCALE),
            friction: get(FRICTION),
            slack: get(SLIDER_LENGTH) * 0.5,
            all_shrink: get(ALL_SHRINK) * 0.5,
            all_stretch: get(ALL_STRETCH) * 0.5,
            shrink: SHRINK.map(|param| get(param) * 0.5),
            stretch: STRETCH.map(|param| get(param) * 0.5),
            wave_power: get(WAVE_POWER),
            wave_frequency: get(WAVE_FREQUENCY),
            limit_power: get(LIMIT_POWER).clamp(0.0, 1.0),
        }
    }

    fn bake_system(mut get: impl FnMut(ParamId) -> f32) -> System {
        // These parameters are read when links and faces are built.
        let _ = LinkTopology::from_params(&mut get);
        // In `SPCRJointDynamics` only scripts read this parameter; Yuremono has its own reset.
        let _ = get(CANCEL_RESET);
        let on = |value: f32| value >= 0.5;
        let rate = get(RATE).clamp(1.0, 1000.0);
        let wind_blend = get(WIND_BLEND).clamp(0.0, 1.0) * f32::from(u8::from(on(get(WIND_BLEND_ON))));
        let shrink_limit = get(SHRINK_LIMIT);
        let (angles, limit_deg) = (on(get(USE_ANGLES)), get(LIMIT_ANGLE));
        System {
            nominal_step: if on(get(EXACT_RATE)) { 1.0 / rate } else { 1.0 / (rate + 1.0) },
            sub_steps: get(SUB_STEPS).clamp(1.0, 64.0) as u32,
            relaxation: get(RELAXATION).clamp(0.0, 64.0) as u32,
            time_scale: get(TIME_SCALE).clamp(0.0, 10.0),
            paused: on(get(PAUSED)),
            gravity: Vec3::from(GRAVITY.map(&mut get)),
            wind: Vec3::from(WIND.map(&mut get)),
            slide_limit: get(SLIDE_LIMIT),
            rotate_limit: get(ROTATE_LIMIT),
            shrink_limit: if shrink_limit < 0.0 { 1e6 } else { shrink_limit },
            blend: 1.0 - (1.0 - get(BLEND).clamp(0.0, 1.0)) * (1.0 - wind_blend),
            return_start: get(RETURN_START),
            return_speed: get(RETURN_SPEED),
            reset_delay: get(RESET_DELAY).clamp(0.0, 10.0),
            fake_wave: on(get(WAVE)),
            wave_speed: get(WAVE_SPEED),
            wave_height: get(WAVE_HEIGHT),
            all_shrink: ALL_SHRINK_ON.map(|param| on(get(param))),
            all_stretch: ALL_STRETCH_ON.map(|param| on(get(param))),
            limit_deg: if angles { limit_deg } else { -1.0 },
            limit_from_root: on(get(LIMIT_FROM_ROOT)),
            surface: on(get(SURFACE)),
            gravity_share: if on(get(FULL_GRAVITY)) { 1.0 } else { 0.5 },
            round_contact: on(get(ROUND_CONTACT)),
            short_bones: on(get(SHORT_BONES)),
            limit_same_frame: on(get(LIMIT_SAME_FRAME)),
            apply_limit_power: on(get(APPLY_LIMIT_POWER)),
        }
    }

    fn step_seconds(system: &ParamSet, frame: f32) -> f32 {
        step_seconds(&Self::bake_system(|param| system.get(param)), frame)
    }

    fn workload(rest: &Rest, system: &System, dt: f32) -> Workload {
        step::workload(rest, system, dt)
    }

    fn update_switches(rest: &mut Rest, setup: &SystemSetup) {
        build::update_switches(rest, setup);
    }

    fn step(rest: &Rest, params: &[Params], system: &System, state: &mut State, step_pose: &mut StepPose<'_>, dt: f32) {
        step::solve(rest, params, system, state, step_pose, dt);
    }

    fn reset(rest: &Rest, state: &mut State, step_pose: &mut StepPose<'_>) {
        step::refresh_animated_frames(rest, step_pose);
        step::snap_to_pose(rest, state, step_pose);
        state.clock = SimulationClock::default();
    }

    fn carry_over(state: &mut State, before: &State) {
        state.clock = before.clock;
    }

    fn aim_joint_at(rest: &Rest, joint: usize, tip: Vec3, step_pose: &mut StepPose<'_>) {
        step::point_joint_at(rest, joint, tip, step_pose);
    }
}

impl Inspect for JointDynamics {
    fn rest_length(rest: &Rest, joint: usize) -> f32 {
        rest.joints[joint].length
    }

    fn tip_offset(rest: &Rest, joint: usize) -> Vec3 {
        rest.joints[joint].axis * rest.joints[joint].length
    }

    fn contact_sphere<'a>(query: &ContactQuery<'a, Self>) -> Option<ContactSphere<'a>> {
        // Links that touch a collider keep their ends slightly away from the collider.
        const TOUCH: f32 = 1.5e-3;
        let ContactQuery { rest, joint, tip, .. } = *query;
        let child = rest.points[joint].aim_child;
        let radius = rest.points[if child == NONE { joint } else { child as usize }].radius;
        let links = rest.links.iter().filter(|link| [link.a, link.b].contains(&(joint as u32)));
        let met = links.flat_map(|link| link.colliders.slice(&rest.colliders));
        let mut colliders: Vec<u32> = met.copied().collect();
        colliders.sort_unstable();
        colliders.dedup();
        Some(ContactSphere {
            colliders: colliders.into(),
            touch_distance: TOUCH,
            ..ContactSphere::new(tip, radius, &[])
        })
    }

    fn nearest_surface(query: &ContactQuery<'_, Self>, ball: &ContactSphere<'_>, id: u32) -> Option<SurfacePoint> {
        let (collider, frame) = query.posed_scene.collider(id);
        if !(collider.enabled && Self::INFO.supports_shape(&collider.shape)) {
            return None;
        }
        let surface = WorldCollider::new(&collider.shape, frame, mean_scale(frame)).nearest_surface(ball.center)?;
        // As in `SPCRJointDynamics`, planes test the center of a point.
        let more = if collider.shape == ColliderShape::Plane { ball.radius } else { 0.0 };
        Some(SurfacePoint { distance: surface.distance + more, ..surface })
    }

    fn for_each_link(rest: &Rest, state: &State, mut found: impl FnMut(LinkKind, [usize; 2], [Vec3; 2])) {
        for link in &rest.links {
            let ends = [link.a, link.b].map(|point| point as usize);
            found(link.kind, ends.map(|p| rest.points[p].joint as usize), ends.map(|p| state.output[p]));
        }
    }
}
