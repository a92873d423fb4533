//! From rows to the numbers that a step reads.

use super::params::{
    ANGULAR_STIFFNESS, AUTOMATIC_UPDATES, BONE_SHAPE, BONE_SHAPES, BOUNCE, BOX_HALF, COLLIDE_WITH_GROUND, DRAG,
    DYNAMIC_RATIO, ENABLE_ANGLE_LIMITS, ENABLE_COLLISION, ENABLE_LENGTH_LIMITS, FADE_IN, FRICTION, GRAVITY,
    GROUND_HEIGHT, HEAD_RADIUS, INERTIA, IS_PAUSED, LENGTH_CONSTANT, NO_KICKS, RADIUS, SCALE_RULES, SCALED_RADII,
    SIMULATION_FRAME_RATE, SLIDE_LIMIT, SLIDE_SPEED, SOFT_LIMITS, SOFTNESS, SPRING_FORCE, STEADY_PACE, STIFFNESS,
    STRONG_LENGTHS, TELEPORT, TELEPORT_SPEED, TELEPORT_TURN, TIP_SPEED, TIP_SPEED_LIMIT, TURN_LIMIT, TURN_SPEED,
    WARM_UP, WAY, WIDE_LIMITS, WIND_INFLUENCE, Y_ACTIVE, Y_MAX, Y_MIN, Z_ACTIVE, Z_MAX, Z_MIN, is_improved,
};
use super::whole_bone::BoneShape;
use super::{Params, System};
use crate::schema::Row;
use glam::Vec3;

/// What goes beyond the engine; there only while the better way is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub(super) struct Improved {
    pub(super) wide_limits: bool,
    pub(super) soft_limits: bool,
    pub(super) strong_lengths: bool,
    pub(super) scaled_radii: bool,
    pub(super) steady_pace: bool,
    pub(super) no_kicks: bool,
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

pub(super) fn joint(mut get: impl FnMut(Row) -> f32) -> Params {
    let mut limit = |active, min, max| {
        let (active, min, max) = (get(active), get(min), get(max));
        (active != 0.0).then_some((min, max))
    };
    let (y_limit, z_limit) = (limit(Y_ACTIVE, Y_MIN, Y_MAX), limit(Z_ACTIVE, Z_MIN, Z_MAX));
    Params {
        stiffness: get(STIFFNESS),
        kept: 1.0 - get(DRAG),
        spring_force: Vec3::from(SPRING_FORCE.map(&mut get)),
        radius: get(RADIUS),
        y_limit,
        z_limit,
        angular_stiffness: get(ANGULAR_STIFFNESS),
        wind_influence: get(WIND_INFLUENCE),
        length_constant: get(LENGTH_CONSTANT),
        softness: get(SOFTNESS).clamp(0.0, 1.0),
        shape: shape(get),
    }
}

fn shape(mut get: impl FnMut(Row) -> f32) -> BoneShape {
    let (head, half) = (get(HEAD_RADIUS).max(0.0), BOX_HALF.map(|row| get(row).max(0.0)));
    match get(BONE_SHAPE) {
        1.0 => BoneShape::Capsule(head),
        2.0 => BoneShape::Box(half),
        _ => BoneShape::Tip,
    }
}

pub(super) fn system(mut get: impl FnMut(Row) -> f32) -> System {
    // Who calls the step makes no difference to it.
    let _ = get(AUTOMATIC_UPDATES);
    let (on, height) = (get(COLLIDE_WITH_GROUND), get(GROUND_HEIGHT));
    let (follows, improved) = (get(SCALE_RULES) != 0.0, improved(&mut get));
    System {
        gravity: Vec3::from(GRAVITY.map(&mut get)),
        bounce: get(BOUNCE),
        friction: get(FRICTION),
        ground: (on != 0.0).then_some(height),
        rate: get(SIMULATION_FRAME_RATE),
        dynamic_ratio: get(DYNAMIC_RATIO),
        limits: get(ENABLE_ANGLE_LIMITS) != 0.0,
        collision: get(ENABLE_COLLISION) != 0.0,
        lengths: get(ENABLE_LENGTH_LIMITS) != 0.0,
        paused: get(IS_PAUSED) != 0.0,
        scaled: follows || improved.is_some_and(|better| better.scaled_radii),
        improved,
    }
}

fn improved(mut get: impl FnMut(Row) -> f32) -> Option<Improved> {
    let mut on = |row| get(row) != 0.0;
    let mut improved = Improved {
        wide_limits: on(WIDE_LIMITS),
        soft_limits: on(SOFT_LIMITS),
        strong_lengths: on(STRONG_LENGTHS),
        scaled_radii: on(SCALED_RADII),
        steady_pace: on(STEADY_PACE),
        no_kicks: on(NO_KICKS),
        bone_shapes: on(BONE_SHAPES),
        inertia: get(INERTIA).clamp(0.0, 1.0),
        warm_up: get(WARM_UP).clamp(0.0, 600.0) as u32,
        fade_in: get(FADE_IN),
        ..Improved::default()
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
    is_improved(get(WAY)).then_some(improved)
}
