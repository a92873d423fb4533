//! From rows to the numbers that a step reads.

use super::bone_shape::BoneShape;
use super::params::{
    ANGULAR_STIFFNESS, AUTOMATIC_UPDATES, BONE_SHAPE, BONE_SHAPES, BOUNCE, BOX_HALF, CARRY_TIPS_ON_PAUSE,
    COLLIDE_WITH_GROUND, DRAG, DYNAMIC_RATIO, ENABLE_ANGLE_LIMITS, ENABLE_COLLISION, ENABLE_LENGTH_LIMITS, FADE_IN,
    FIXED_STEP, FRICTION, GRAVITY, GROUND_HEIGHT, HEAD_RADIUS, INERTIA, IS_PAUSED, LENGTH_CONSTANT, MODE, RADIUS,
    SCALE_RULES, SCALED_RADII, SIMULATION_FRAME_RATE, SLIDE_LIMIT, SLIDE_SPEED, SOFT_LIMITS, SOFTNESS, SPRING_FORCE,
    STIFFNESS, STRONG_LENGTH_LIMITS, TELEPORT, TELEPORT_SPEED, TELEPORT_TURN, TIP_SPEED, TIP_SPEED_LIMIT, TURN_LIMIT,
    TURN_SPEED, WARM_UP, WIDE_LIMITS, WIND_INFLUENCE, Y_ACTIVE, Y_MAX, Y_MIN, Z_ACTIVE, Z_MAX, Z_MIN, is_improved,
};
use super::{Params, System};
use crate::params::ParamId;
use glam::Vec3;

/// What goes beyond the engine; there only while the better way is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub(super) struct ImprovedParams {
    pub(super) wide_limits: bool,
    pub(super) soft_limits: bool,
    pub(super) strong_length_limits: bool,
    pub(super) scaled_radii: bool,
    pub(super) fixed_step: bool,
    pub(super) carry_tips_on_pause: bool,
    pub(super) bone_shapes: bool,
    /// Speed in m/s and turning speed in degrees per second from which on a movement is a jump.
    pub(super) teleport: Option<[f32; 2]>,
    /// m/s.
    pub(super) slide_limit: Option<f32>,
    /// Degrees per second.
    pub(super) turn_limit: Option<f32>,
    /// Share of the root's movement that is felt.
    pub(super) inertia: f32,
    /// m/s.
    pub(super) tip_speed: Option<f32>,
    pub(super) warm_up: u32,
    /// Seconds.
    pub(super) fade_in: f32,
}

pub(super) fn bake_joint(mut get: impl FnMut(ParamId) -> f32) -> Params {
    let mut limit = |active, min, max| {
        let (active, min, max) = (get(active), get(min), get(max));
        (active != 0.0).then_some((min, max))
    };
    let (y_limit, z_limit) = (limit(Y_ACTIVE, Y_MIN, Y_MAX), limit(Z_ACTIVE, Z_MIN, Z_MAX));
    Params {
        stiffness: get(STIFFNESS),
        velocity_retention: 1.0 - get(DRAG),
        spring_force: Vec3::from(SPRING_FORCE.map(&mut get)),
        radius: get(RADIUS),
        y_limit,
        z_limit,
        angular_stiffness: get(ANGULAR_STIFFNESS),
        wind_influence: get(WIND_INFLUENCE),
        length_constant: get(LENGTH_CONSTANT),
        softness: get(SOFTNESS).clamp(0.0, 1.0),
        shape: bake_shape(get),
    }
}

fn bake_shape(mut get: impl FnMut(ParamId) -> f32) -> BoneShape {
    let (head, half) = (get(HEAD_RADIUS).max(0.0), BOX_HALF.map(|row| get(row).max(0.0)));
    match get(BONE_SHAPE) {
        1.0 => BoneShape::Capsule(head),
        2.0 => BoneShape::Box(half),
        _ => BoneShape::Tip,
    }
}

pub(super) fn bake_system(mut get: impl FnMut(ParamId) -> f32) -> System {
    // Who calls the step makes no difference to it.
    let _ = get(AUTOMATIC_UPDATES);
    let (on, height) = (get(COLLIDE_WITH_GROUND), get(GROUND_HEIGHT));
    let (follows, improved) = (get(SCALE_RULES) != 0.0, bake_improved(&mut get));
    System {
        gravity: Vec3::from(GRAVITY.map(&mut get)),
        bounce: get(BOUNCE),
        friction: get(FRICTION),
        ground: (on != 0.0).then_some(height),
        step_rate: get(SIMULATION_FRAME_RATE),
        dynamic_ratio: get(DYNAMIC_RATIO),
        limits: get(ENABLE_ANGLE_LIMITS) != 0.0,
        collision: get(ENABLE_COLLISION) != 0.0,
        lengths: get(ENABLE_LENGTH_LIMITS) != 0.0,
        paused: get(IS_PAUSED) != 0.0,
        scaled_radii: follows || improved.is_some_and(|better| better.scaled_radii),
        improved,
    }
}

fn bake_improved(mut get: impl FnMut(ParamId) -> f32) -> Option<ImprovedParams> {
    let mut on = |row| get(row) != 0.0;
    let mut improved = ImprovedParams {
        wide_limits: on(WIDE_LIMITS),
        soft_limits: on(SOFT_LIMITS),
        strong_length_limits: on(STRONG_LENGTH_LIMITS),
        scaled_radii: on(SCALED_RADII),
        fixed_step: on(FIXED_STEP),
        carry_tips_on_pause: on(CARRY_TIPS_ON_PAUSE),
        bone_shapes: on(BONE_SHAPES),
        inertia: get(INERTIA).clamp(0.0, 1.0),
        warm_up: get(WARM_UP).clamp(0.0, 600.0) as u32,
        fade_in: get(FADE_IN),
        ..ImprovedParams::default()
    };
    let mut limit = |switch, row| {
        let (on, value) = (get(switch), get(row));
        (on != 0.0).then_some(value.max(0.0))
    };
    improved.slide_limit = limit(SLIDE_LIMIT, SLIDE_SPEED);
    improved.turn_limit = limit(TURN_LIMIT, TURN_SPEED);
    improved.tip_speed = limit(TIP_SPEED_LIMIT, TIP_SPEED);
    let speed = limit(TELEPORT, TELEPORT_SPEED);
    let turn = get(TELEPORT_TURN);
    improved.teleport = speed.map(|speed| [speed, turn]);
    is_improved(get(MODE)).then_some(improved)
}
