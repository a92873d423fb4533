//! From rows to what a step reads.

use super::MASS;
use super::limits::{AngularLimit, BoneAxis};
use super::params::{
    ANGULAR_BIAS, ANGULAR_CONSTRAINT_TYPE, ANGULAR_DAMPING, ANGULAR_LIMITS_MAX, ANGULAR_LIMITS_MIN, ANGULAR_SPRING,
    ANGULAR_SPRING_CONSTANT, ANGULAR_TARGET, ANGULAR_TARGET_AXIS, BODY_ORIGIN, BOX_EXTENTS, COLLISION_TYPE,
    COMPONENT_ACC_CLAMP, COMPONENT_ACC_SCALE, COMPONENT_VEL_SCALE, CONE_ANGLE, DO_EVAL, DO_UPDATE, ENABLE_WIND,
    EXTERNAL_FORCE, GRAVITY_OVERRIDE, GRAVITY_OVERRIDE_IN_SIM_SPACE, GRAVITY_SCALE, ITERATIONS_POST, ITERATIONS_PRE,
    LINEAR_AXES_MAX, LINEAR_AXES_MIN, LINEAR_DAMPING, LINEAR_LIMIT_TYPE, LINEAR_SPRING, LINEAR_SPRING_CONSTANT,
    LOCAL_JOINT_OFFSET, MAX_CATCH_UP_FRAMES, MIN_BOX_SIDE, OVERRIDE_ANGULAR_BIAS, OVERRIDE_ANGULAR_DAMPING,
    OVERRIDE_LINEAR_DAMPING, SIMULATION_SPACE, SPHERE_COLLISION_RADIUS, SUBSTEP_RATE, TWIST_AXIS, USE_GRAVITY_OVERRIDE,
    USE_PLANAR_LIMIT, USE_SPHERICAL_LIMITS, WIND_SCALE,
};
use crate::params::ParamId;
use glam::Vec3;

/// Lengths beyond this leave no digits, metres.
const MAX_LENGTH: f32 = 1e3;
/// What damping falls back to, and what less than it counts as.
const MIN_DAMPING: f32 = 0.7;
/// What the bias falls back to.
const DEFAULT_ANGULAR_BIAS: f32 = 0.95;
/// The engine's gravity, m/s².
pub(super) const UNREAL_GRAVITY: f32 = 9.8;
const MAX_ITERATIONS: f32 = 32.0;

/// How big a ball of the body meets planes and spheres.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct CollisionSphere {
    pub radius: f32,
    /// Whether bones' scale counts: it does for the box.
    pub follows_scale: bool,
}

/// Baked numbers of one joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// About the center, along the box, kg m².
    pub(super) inertia: Vec3,
    /// From the center to the joint in the bone's space, metres.
    pub(super) joint_offset: Vec3,
    /// N/m; 0 while off.
    pub(super) linear_spring: f32,
    /// N m per radian; 0 while off.
    pub(super) angular_spring: f32,
    pub(super) target_axis: BoneAxis,
    /// Unit length; zero for the axis itself.
    pub(super) target_direction: Vec3,
    /// Logarithm of the share of speed kept in a second: of the center and of turns.
    pub(super) log_velocity_retention: [f32; 2],
    pub(super) bias: f32,
    pub(super) gravity_scale: f32,
    pub(super) wind_scale: f32,
    /// Play along each axis, metres.
    pub(super) linear_limits: [Vec3; 2],
    pub(super) locked: bool,
    pub(super) angular_limit: AngularLimit,
    pub(super) twist_axis: BoneAxis,
    pub(super) collision_sphere: CollisionSphere,
}

/// Baked numbers of the system.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the table")]
pub struct System {
    /// Position in the table of spaces.
    pub(super) space_index: usize,
    /// m/s².
    pub(super) gravity: Vec3,
    pub(super) gravity_in_space: bool,
    /// m/s².
    pub(super) external_acceleration: Vec3,
    pub(super) acceleration_scale: Vec3,
    /// 1/s.
    pub(super) velocity_scale: Vec3,
    /// m/s².
    pub(super) acceleration_clamp: Vec3,
    pub(super) pre_iterations: u32,
    pub(super) post_iterations: u32,
    pub(super) planar_limits: bool,
    pub(super) spherical_limits: bool,
    pub(super) simulates: bool,
    pub(super) writes_bones: bool,
    /// Whether the joint is on the bone's head, and the center beside it.
    pub(super) joint_on_bone: bool,
    /// Steps per second; 0 for one a frame.
    pub(super) substep_rate: f32,
    /// Seconds.
    pub(super) max_accumulated: f32,
}

impl System {
    /// Where center and joint of a body are in its bone's space, metres.
    #[inline]
    pub(super) fn center_and_joint(&self, offset: Vec3, size: f32) -> (Vec3, Vec3) {
        let offset = offset * size;
        if self.joint_on_bone { (-offset, Vec3::ZERO) } else { (Vec3::ZERO, offset) }
    }
}

/// Sides as the editor lets them be.
fn clamp_sides(sides: Vec3) -> Vec3 {
    sides.clamp(Vec3::splat(MIN_BOX_SIDE), Vec3::splat(MAX_LENGTH))
}

/// Of a box with these sides about its center, kg m².
pub(super) fn box_inertia(sides: Vec3) -> Vec3 {
    let squares = clamp_sides(sides) * clamp_sides(sides);
    Vec3::new(squares.y + squares.z, squares.z + squares.x, squares.x + squares.y) * (MASS / 12.0)
}

/// Share of the speed that is lost in a second.
pub(super) fn effective_damping(overridden: bool, value: f32) -> f32 {
    if overridden { value.clamp(MIN_DAMPING, 1.0) } else { MIN_DAMPING }
}

pub(super) fn bake_joint(mut get: impl FnMut(ParamId) -> f32) -> Params {
    let sides = clamp_sides(Vec3::from(BOX_EXTENTS.map(&mut get)));
    let offset = Vec3::from(LOCAL_JOINT_OFFSET.map(&mut get)).clamp(Vec3::splat(-MAX_LENGTH), Vec3::splat(MAX_LENGTH));
    let mut spring = |on, constant| {
        let constant = get(constant).clamp(0.0, 1e12);
        if get(on) >= 0.5 { constant } else { 0.0 }
    };
    let linear_spring = spring(LINEAR_SPRING, LINEAR_SPRING_CONSTANT);
    let angular_spring = spring(ANGULAR_SPRING, ANGULAR_SPRING_CONSTANT);
    let mut keeping = |on, value| {
        let (on, value) = (get(on) >= 0.5, get(value));
        // All of it lost would be the logarithm of nothing.
        (1.0 - effective_damping(on, value)).max(1e-30).ln()
    };
    let keeping =
        [keeping(OVERRIDE_LINEAR_DAMPING, LINEAR_DAMPING), keeping(OVERRIDE_ANGULAR_DAMPING, ANGULAR_DAMPING)];
    let (own_bias, bias) = (get(OVERRIDE_ANGULAR_BIAS) >= 0.5, get(ANGULAR_BIAS).clamp(0.0, 1.0));
    let (wind_on, wind) = (get(ENABLE_WIND) >= 0.5, get(WIND_SCALE));
    let limited = LINEAR_LIMIT_TYPE.map(|row| get(row) >= 0.5);
    let ends = [LINEAR_AXES_MIN, LINEAR_AXES_MAX].map(|rows| Vec3::from(rows.map(&mut get)));
    let play = linear_limits(limited, ends);
    let target_axis = BoneAxis::from_param(get(ANGULAR_TARGET_AXIS));
    Params {
        inertia: box_inertia(sides),
        joint_offset: offset,
        linear_spring,
        angular_spring,
        target_axis,
        target_direction: Vec3::from(ANGULAR_TARGET.map(&mut get)).normalize_or_zero(),
        log_velocity_retention: keeping,
        bias: if own_bias { bias } else { DEFAULT_ANGULAR_BIAS },
        gravity_scale: get(GRAVITY_SCALE),
        wind_scale: if wind_on { wind } else { 0.0 },
        linear_limits: play,
        locked: play == [Vec3::ZERO; 2],
        angular_limit: angular_limit(&mut get),
        twist_axis: BoneAxis::from_param(get(TWIST_AXIS)),
        collision_sphere: collision_sphere(get(COLLISION_TYPE), get(SPHERE_COLLISION_RADIUS), sides),
    }
}

/// The ends of each axis in order; as far as numbers go where it is free.
fn linear_limits(limited: [bool; 3], ends: [Vec3; 2]) -> [Vec3; 2] {
    let mut play = [ends[0].min(ends[1]), ends[0].max(ends[1])];
    for (axis, limited) in limited.into_iter().enumerate() {
        if !limited {
            (play[0][axis], play[1][axis]) = (-f32::MAX, f32::MAX);
        }
    }
    play
}

fn angular_limit(get: &mut impl FnMut(ParamId) -> f32) -> AngularLimit {
    let ends = [ANGULAR_LIMITS_MIN, ANGULAR_LIMITS_MAX].map(|rows| Vec3::from(rows.map(&mut *get)));
    let (cone, angle) = (get(ANGULAR_CONSTRAINT_TYPE) >= 0.5, get(CONE_ANGLE));
    if cone { AngularLimit::cone(angle.to_radians()) } else { AngularLimit::ranges(ends[0], ends[1]) }
}

fn collision_sphere(kind: f32, own: f32, sides: Vec3) -> CollisionSphere {
    match kind.round() as i32 {
        1 => CollisionSphere { radius: own.clamp(0.0, MAX_LENGTH), follows_scale: false },
        2 => CollisionSphere { radius: sides.min_element() * 0.5, follows_scale: true },
        3 => CollisionSphere { radius: sides.length() * 0.5, follows_scale: true },
        _ => CollisionSphere::default(),
    }
}

pub(super) fn bake_system(mut get: impl FnMut(ParamId) -> f32) -> System {
    let mut vector = |rows: [ParamId; 3]| Vec3::from(rows.map(&mut get));
    let own_gravity = vector(GRAVITY_OVERRIDE);
    let (push, clamp) = (vector(EXTERNAL_FORCE) / MASS, vector(COMPONENT_ACC_CLAMP).max(Vec3::ZERO));
    let (felt_acceleration, felt_speed) = (vector(COMPONENT_ACC_SCALE), vector(COMPONENT_VEL_SCALE));
    let mut on = |row| get(row) >= 0.5;
    let (own, turns) = (on(USE_GRAVITY_OVERRIDE), on(GRAVITY_OVERRIDE_IN_SIM_SPACE));
    let (planes, spheres) = (on(USE_PLANAR_LIMIT), on(USE_SPHERICAL_LIMITS));
    let (moves, shows, joint_on_bone) = (on(DO_UPDATE), on(DO_EVAL), on(BODY_ORIGIN));
    let mut rounds = |row| get(row).round().clamp(0.0, MAX_ITERATIONS) as u32;
    let (pre, post) = (rounds(ITERATIONS_PRE), rounds(ITERATIONS_POST));
    System {
        space_index: get(SIMULATION_SPACE).round().clamp(0.0, 4.0) as usize,
        gravity: if own { own_gravity } else { Vec3::NEG_Y * UNREAL_GRAVITY },
        gravity_in_space: own && turns,
        external_acceleration: push,
        acceleration_scale: felt_acceleration,
        velocity_scale: felt_speed,
        acceleration_clamp: clamp,
        pre_iterations: pre,
        post_iterations: post,
        planar_limits: planes,
        spherical_limits: spheres,
        simulates: moves,
        writes_bones: shows,
        joint_on_bone,
        substep_rate: get(SUBSTEP_RATE).clamp(0.0, 1e4),
        max_accumulated: get(MAX_CATCH_UP_FRAMES).clamp(1.0, 64.0) / 60.0,
    }
}
