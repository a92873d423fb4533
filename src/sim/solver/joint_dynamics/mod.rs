//! `SPCRJointDynamics` 2.0.11 by SPARK CREATIVE: a network of points, one at the head of each joint, as recorded from
//! the original code.
//!
//! A frame is cut into steps of 1/(rate+1) seconds. In each, every point goes on by inertia, gravity and wind, is pulled
//! towards its *absolute* animated position, caught by grabbers, held near its place and above planes; then triangles
//! between columns, and links between points with whatever they run into, are put right in turn, as often as the
//! relaxation says. What comes out is written in the points' order: position, then the turn that leads the bone's axis
//! to the point of the child that it aims at. Angle limits come after that and show one frame later.
//!
//! Metres, seconds, degrees. Columns are the chains of the set-up, in the order in which the set-up names their roots, then by number. A joint without child
//! whose tip lies beyond it gets a point of its own there, with the joint's numbers; the engine would have a component
//! on the end bone. The engine lets accelerations act by half, leaves what is nearer than 3.2 cm unturned and unpushed,
//! adds thickness in a way of its own and swaps the ends of hollow tapers: rows of the group "improved" do better.
//!
//! Differs from `SPCRJointDynamics`:
//! - a root's turn is taken the short way, whichever sign its quaternion has;
//! - a frame catches up two seconds at most;
//! - each joint names the colliders that it meets, and a link meets those of either end; the engine has one list;
//! - a point that meets no number returns to its animated place.
//!
//! Not shown: fading in and out, warping and scripts' other calls, which only a running game makes.

mod build;
mod collide;
mod grid;
mod params;
mod relax;
mod response;
mod setup;
mod step;
mod surface;
#[cfg(test)]
mod tests;
mod write;

pub use params::*;
pub use setup::{Grabber, JointDynamicsCollider, JointDynamicsPoint, JointDynamicsSetup, LinkKind, SurfaceForce};

use super::super::workload::{VisitCost, Workload};
use super::super::{
    ColliderShape, Dynamics, Inspect, RestTarget, Scene, Solver, SolverInfo, SolverKind, SystemSetup, TipState,
};
use crate::math::Trs;
use crate::params::{ParamId, ParamSet};
use crate::rig::{Skeleton, WorldPose};
use crate::sim::collider::{ContactSphere, SurfacePoint, WorldCollider, mean_scale};
use crate::sim::solver::ContactQuery;
use crate::sim::vec_util;
use crate::sim::vec_util::IndexRange;
use collide::InterpolatedCollider;
use glam::{Quat, Vec3};

/// No point, no bone.
const NONE: u32 = u32::MAX;
/// The engine's measure of next to nothing, for lengths in metres and, by mistake, for their squares.
const EPSILON: f32 = 0.001;

/// The solver.
#[derive(Clone, Copy, Debug)]
pub struct JointDynamics;

/// A point of the network. Joints come first, at their own positions; then ends that have no joint.
#[derive(Clone, Debug, PartialEq)]
pub struct PointRest {
    /// Whose origin it is, but for `offset` in that bone's space.
    bone: u32,
    offset: Vec3,
    /// Whose numbers it has.
    joint: u32,
    parent: u32,
    /// The child that the bone aims at.
    aim_child: u32,
    /// Depth by count, 0 at a root and 1 at the deepest point of all.
    depth_ratio: f32,
    fixed: bool,
    /// 0 stays on the animated pose, 1 moves.
    weight: f32,
    mass: f32,
    radius: f32,
    fade: f32,
    invert_collision: bool,
    /// How far it may go from `limit_offset` on `limit_bone`; below 0 as far as it likes.
    limit_radius: f32,
    limit_bone: u32,
    limit_offset: Vec3,
}

/// What turns a bone.
#[derive(Clone, Debug, PartialEq)]
pub struct JointRest {
    bone: u32,
    parent_bone: u32,
    enabled: bool,
    /// The bone's own rotation at rest.
    rotation: Quat,
    /// Towards the child in the bone's space, unit length or zero.
    axis: Vec3,
    /// Distance to the child at rest, metres in the world.
    length: f32,
    /// Part of [`Rest::skipped_bones`]: bones between the joint above and this one.
    skipped_bones: IndexRange,
}

/// Two points that are kept apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkRest {
    kind: LinkKind,
    a: u32,
    b: u32,
    /// Metres.
    length: f32,
    /// Part of [`Rest::colliders`]; empty where the link meets nothing.
    colliders: IndexRange,
}

/// Four points of two neighbouring columns: a, b, and below them c under b, d under a.
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
    /// The engine's root transform.
    component: u32,
    /// Joints and all that hangs below one, parents first.
    subtree_bones: Vec<u32>,
    skipped_bones: Vec<u32>,
    /// Position of each joint of the setup among `joints`.
    solver_indices: Vec<u32>,
    /// Visits of a step without surfaces, and of a round; then those of the surfaces.
    cost: VisitCost,
    surface_cost: u64,
}

/// Baked numbers of one joint. Strengths are halved: a link has the sum of its ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    velocity_retention: f32,
    hardness: f32,
    mass_scale: f32,
    gravity_scale: f32,
    wind_scale: f32,
    friction: f32,
    /// Metres, halved.
    slack: f32,
    all_shrink: f32,
    all_stretch: f32,
    /// By [`LinkKind`].
    shrink: [f32; 5],
    stretch: [f32; 5],
    wave_power: f32,
    wave_frequency: f32,
    limit_power: f32,
}

/// Baked numbers of the system.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the engine or of ours")]
pub struct System {
    /// Nominal length of a step, seconds.
    nominal_step: f32,
    sub_steps: u32,
    relaxation: u32,
    time_scale: f32,
    paused: bool,
    gravity: Vec3,
    wind: Vec3,
    slide_limit: f32,
    rotate_limit: f32,
    /// Huge where there is none.
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
    /// Degrees; below 0 for none.
    limit_deg: f32,
    limit_from_root: bool,
    surface: bool,
    /// Share of dt² that accelerations get.
    gravity_share: f32,
    round_contact: bool,
    short_bones: bool,
    limit_same_frame: bool,
    apply_limit_power: bool,
}

/// Where a point is and how rough the last touch was.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct PointState {
    position: Vec3,
    friction: f32,
}

/// A link as this frame's numbers make it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct LinkConstraint {
    a: u32,
    b: u32,
    length: f32,
    /// With its slack.
    max_length: f32,
    shrink: f32,
    stretch: f32,
    /// Share of a correction that `a` and `b` take.
    share_a: f32,
    share_b: f32,
    colliders: IndexRange,
}

/// The clocks of a system.
#[derive(Clone, Copy, Debug, PartialEq)]
struct SimulationClock {
    /// Time that no step has used yet, seconds.
    accumulator: f32,
    started: bool,
    /// Until the physics begins, seconds.
    delay: f32,
    /// Share of their radius that colliders have.
    collider_scale: f32,
    /// Radians.
    wave_phase: f32,
}

impl Default for SimulationClock {
    fn default() -> Self {
        Self { accumulator: 0.0, started: false, delay: 0.0, collider_scale: 1.0, wave_phase: 0.0 }
    }
}

/// What steps change; one of each per point where nothing else is said. Metres in the world.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// The point at the tip of each joint.
    tip_points: Vec<u32>,
    points: Vec<PointState>,
    previous: Vec<Vec3>,
    /// Animated positions of the frame before and of this one.
    animated_from: Vec<Vec3>,
    animated_to: Vec<Vec3>,
    /// What is written into the pose.
    output: Vec<Vec3>,
    /// Which grabber holds it and how far off; [`NONE`] for none.
    grabbed: Vec<(u32, f32)>,
    wave_direction: Vec<Vec3>,
    limit_centers: Vec<Vec3>,
    /// Acceleration of this frame.
    accelerations: Vec<Vec3>,
    /// Each joint's local transform as the last frame left it.
    last_locals: Vec<Trs>,
    links: Vec<LinkConstraint>,
    colliders: Vec<InterpolatedCollider>,
    grabbers: Vec<Vec3>,
    /// Upward normal and distance of the origin above the plane; a normal of zero is no plane.
    planes: Vec<(Vec3, f32)>,
    /// The component's place one frame before.
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

    fn previous_tip(&self, joint: usize) -> Vec3 {
        self.previous[self.tip_points[joint] as usize]
    }

    fn set_tip(&mut self, joint: usize, tip: Vec3, previous: Vec3) {
        let point = self.tip_points[joint] as usize;
        self.points[point].position = tip;
        self.previous[point] = previous;
        self.output[point] = tip;
    }
}

/// Rows that decide which links and faces there are.
struct LinkTopology {
    closed: bool,
    compute: [bool; 5],
    collide: [bool; 5],
}

impl LinkTopology {
    fn from_params(mut get: impl FnMut(ParamId) -> f32) -> Self {
        let mut on = |row| get(row) >= 0.5;
        let [v, h, s] = COLLIDE.map(&mut on);
        // Surfaces make every link of theirs meet colliders; bending links never do.
        Self { closed: on(LOOP), compute: COMPUTE.map(&mut on), collide: [v, h, s, false, false] }
    }
}

impl Solver for JointDynamics {
    const INFO: SolverInfo = SolverInfo {
        unsupported: response::UNSUPPORTED,
        rest_target: RestTarget::PosePosition,
        shapes: &[
            ColliderShape::SPHERE,
            ColliderShape::SPHERE.inverted(),
            ColliderShape::CAPSULE,
            ColliderShape::CAPSULE.inverted(),
            ColliderShape::TAPERED_CAPSULE,
            ColliderShape::TAPERED_CAPSULE.inverted(),
            ColliderShape::PLANE,
        ],
        // The network would tie a chain to its neighbours.
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
            shrink: SHRINK.map(|row| get(row) * 0.5),
            stretch: STRETCH.map(|row| get(row) * 0.5),
            wave_power: get(WAVE_POWER),
            wave_frequency: get(WAVE_FREQUENCY),
            limit_power: get(LIMIT_POWER).clamp(0.0, 1.0),
        }
    }

    fn bake_system(mut get: impl FnMut(ParamId) -> f32) -> System {
        // Links and faces are made of these at set-up.
        let _ = LinkTopology::from_params(&mut get);
        // Nothing of the engine's own is read for it here: resets are the program's.
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
            all_shrink: ALL_SHRINK_ON.map(|row| on(get(row))),
            all_stretch: ALL_STRETCH_ON.map(|row| on(get(row))),
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
        response::step_seconds(&Self::bake_system(|row| system.get(row)), frame)
    }

    fn workload(rest: &Rest, system: &System, dt: f32) -> Workload {
        step::work(rest, system, dt)
    }

    fn update_switches(rest: &mut Rest, setup: &SystemSetup) {
        build::update_switches(rest, setup);
    }

    fn step(rest: &Rest, params: &[Params], system: &System, state: &mut State, scene: &mut Scene<'_>, dt: f32) {
        step::solve(rest, params, system, state, scene, dt);
    }

    fn reset(rest: &Rest, state: &mut State, scene: &mut Scene<'_>) {
        step::refresh_animated_frames(rest, scene);
        step::snap_to_pose(rest, state, scene);
        state.clock = SimulationClock::default();
    }

    fn carry_over(state: &mut State, before: &State) {
        state.clock = before.clock;
    }

    fn point_at(rest: &Rest, joint: usize, tip: Vec3, scene: &mut Scene<'_>) {
        write::point_joint_at(rest, joint, tip, scene);
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
        // Links that lie on a collider hold their ends a little off it.
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

    fn nearest_surface(
        query: &ContactQuery<'_, Self>,
        ball: &ContactSphere<'_>,
        collider: u32,
    ) -> Option<SurfacePoint> {
        let (collider, frame) = query.posed_scene.collider(collider);
        if !(collider.enabled && Self::INFO.supports_shape(&collider.shape)) {
            return None;
        }
        let surface = WorldCollider::new(&collider.shape, frame, mean_scale(frame)).nearest_surface(ball.center)?;
        // The engine's planes meet the middle of a point.
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
