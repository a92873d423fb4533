//! Motions in place: the feet stay on the spot, or are raised and lowered.

use super::posing::{
    ArmPose, BodyMeasurements, BodyPose, STANDING_ARM_DROP, ground_point, rotation_about, rotation_from_degrees, sin,
    smootherstep,
};
use glam::{DVec3, dvec3};
use std::f64::consts::TAU;

/// Rises from 0 at `a` to 1 at `b`, and falls from 1 at `c` to 0 at `d`.
fn smooth_plateau(a: f64, b: f64, c: f64, d: f64, t: f64) -> f64 {
    smootherstep(a, b, t) * (1.0 - smootherstep(c, d, t))
}

/// Breathes, shifts the weight and looks around.
pub(super) fn idle(body: &BodyMeasurements, time: f64) -> BodyPose {
    let p = time / 6.0;
    let shift = sin(TAU * p);
    let breath = sin(TAU * 2.0 * p - 0.6);
    let look = smooth_plateau(0.4, 1.5, 1.9, 3.0, time) - 0.8 * smooth_plateau(3.1, 4.2, 4.5, 5.7, time);
    let tilt = smooth_plateau(0.6, 1.7, 2.0, 3.1, time) - smooth_plateau(3.2, 4.2, 4.7, 5.8, time);
    let mut figure = body.standing_pose();
    figure.hips_offset += dvec3(0.016 * shift, -0.006 + 0.003 * breath, 0.004 * breath);
    figure.hips_rotation = rotation_from_degrees(0.0, 2.5 * shift, 2.0 * shift);
    figure.spine = rotation_from_degrees(0.4 * breath, -shift, -1.5 * shift);
    figure.chest = rotation_from_degrees(-1.0 - 1.3 * breath, 2.0 * look, -1.2 * shift);
    figure.neck = rotation_from_degrees(0.6 * breath, 7.0 * look, -2.0 * tilt);
    figure.head = rotation_from_degrees(1.0 + 0.8 * breath, 13.0 * look, -6.0 * tilt);
    for (arm, side) in figure.arms.iter_mut().zip([1.0, -1.0]) {
        arm.drop += -1.2 * breath - 1.5 * side * shift;
        arm.swing += 2.0 * shift * side + breath;
        arm.bend += 2.5 * breath;
    }
    figure
}

/// Crouches, jumps and lands softly.
pub(super) fn jump(body: &BodyMeasurements, time: f64) -> BodyPose {
    const OFF: f64 = 0.62;
    const AIR: f64 = 0.48;
    const DOWN: f64 = OFF + AIR;
    let mut figure = body.standing_pose();
    let crouch = smooth_plateau(0.05, 0.40, 0.42, OFF, time);
    let land = smooth_plateau(DOWN - 0.02, DOWN + 0.20, DOWN + 0.24, DOWN + 0.72, time);
    let stretch = smooth_plateau(0.48, OFF, DOWN - 0.10, DOWN + 0.12, time);
    let t = (time - OFF).clamp(0.0, AIR);
    let flight = 0.5 * 9.81 * t * (AIR - t);
    let swing = smooth_plateau(0.40, OFF + 0.06, DOWN - 0.05, DOWN + 0.45, time);
    figure.hips_offset +=
        dvec3(0.0, -0.17 * crouch - 0.15 * land + 0.030 * stretch + flight, -0.05 * crouch - 0.04 * land);
    figure.hips_rotation = rotation_from_degrees(24.0 * crouch + 18.0 * land - 4.0 * stretch, 0.0, 0.0);
    figure.spine = rotation_from_degrees(8.0 * crouch + 8.0 * land - 3.0 * stretch, 0.0, 0.0);
    figure.chest = rotation_from_degrees(4.0 * crouch + 6.0 * land - 3.0 * stretch, 0.0, 0.0);
    figure.neck = rotation_from_degrees(-10.0 * crouch - 8.0 * land, 0.0, 0.0);
    figure.head = rotation_from_degrees(-14.0 * crouch - 12.0 * land - 6.0 * stretch, 0.0, 0.0);
    for arm in &mut figure.arms {
        arm.swing += -42.0 * crouch + 60.0 * swing - 10.0 * land;
        arm.drop -= 14.0 * crouch + 40.0 * swing;
        arm.bend += 20.0 * crouch + 26.0 * swing;
    }
    for (foot, late) in figure.feet.iter_mut().zip([0.0, 0.06]) {
        let tuck = smooth_plateau(OFF + 0.02, OFF + 0.24, DOWN - 0.22, DOWN - 0.01, time);
        foot.ball += dvec3(0.0, flight + (0.07 + late) * tuck, -(0.05 + late) * tuck);
        foot.pitch = 38.0 * smooth_plateau(0.46, OFF, DOWN, DOWN + 0.10, time);
        let ground = 1.0 - smooth_plateau(OFF, OFF + 0.12, DOWN - 0.10, DOWN, time);
        foot.toes = foot.pitch * ground;
    }
    figure
}

/// Makes one full turn on the ball of the left foot.
pub(super) fn spin(body: &BodyMeasurements, time: f64) -> BodyPose {
    const FROM: f64 = 0.62;
    const TO: f64 = 1.72;
    let mut figure = body.standing_pose();
    let wind = smooth_plateau(0.05, 0.45, 0.50, FROM + 0.25, time);
    let over = smooth_plateau(0.15, FROM, TO, TO + 0.45, time);
    let up = smooth_plateau(0.50, FROM + 0.12, TO - 0.06, TO + 0.25, time);
    let turn = 360.0 * smootherstep(FROM, TO, time);
    let follow = smooth_plateau(TO - 0.35, TO, TO + 0.1, TO + 0.7, time);
    let dip = smooth_plateau(TO - 0.30, TO + 0.10, TO + 0.16, TO + 0.75, time);
    let left = body.rest_ball_position(0);
    figure.hips_offset +=
        ground_point(left.x, left.z - 0.015) * over + DVec3::Y * (-0.050 * wind + 0.024 * up - 0.050 * dip);
    figure.hips_rotation = rotation_from_degrees(0.0, turn - 16.0 * wind + 6.0 * follow, -2.0 * up);
    figure.spine = rotation_from_degrees(0.0, -10.0 * wind + 4.0 * follow, 0.0);
    figure.chest = rotation_from_degrees(-3.0 * up, -12.0 * wind + 6.0 * follow, 0.0);
    figure.neck = rotation_from_degrees(0.0, 14.0 * wind - 4.0 * follow, 0.0);
    figure.head = rotation_from_degrees(-3.0 * up, 20.0 * wind - 6.0 * follow, 0.0);
    figure.arms = [
        ArmPose {
            drop: STANDING_ARM_DROP - 42.0 * up - 8.0 * wind,
            swing: 2.0 + 20.0 * up + 24.0 * wind,
            bend: 14.0 + 30.0 * up,
        },
        ArmPose {
            drop: STANDING_ARM_DROP - 42.0 * up - 26.0 * wind,
            swing: 2.0 + 20.0 * up - 12.0 * wind,
            bend: 14.0 + 30.0 * up,
        },
    ];
    let heading = rotation_about(DVec3::Y, turn.to_radians());
    let [standing, lifted] = &mut figure.feet;
    standing.heading = turn;
    standing.pitch = 34.0 * up;
    standing.toes = standing.pitch;
    // The right foot is raised next to the left knee, and then lowered to its old position.
    let high = smooth_plateau(0.42, FROM + 0.18, TO - 0.22, TO + 0.12, time);
    let middle = ground_point(left.x, left.z);
    let beside = middle + heading * dvec3(-0.060, 0.30, 0.050);
    let round = middle + heading * (lifted.ball - middle);
    lifted.ball = round.lerp(beside, high);
    lifted.heading = turn - 12.0 * high;
    lifted.pitch = 46.0 * high;
    lifted.toes = 16.0 * smooth_plateau(0.40, 0.50, 0.55, 0.7, time);
    figure.knee_splay = 4.0 + 8.0 * high;
    figure
}

pub(super) fn head_shake(body: &BodyMeasurements, time: f64) -> BodyPose {
    let mut figure = idle(body, 0.0);
    let strength = smooth_plateau(0.05, 0.35, 1.1, 1.75, time);
    let shake = strength * sin(TAU * (time - 0.1) / 0.5);
    let after = strength * sin(TAU * (time - 0.18) / 0.5);
    figure.neck = rotation_from_degrees(0.0, 10.0 * shake, 0.0) * figure.neck;
    figure.head = rotation_from_degrees(4.0 * strength, 24.0 * shake, 3.0 * after) * figure.head;
    figure.chest = rotation_from_degrees(0.0, -3.0 * after, 0.0) * figure.chest;
    for arm in &mut figure.arms {
        arm.bend += 6.0 * strength;
    }
    figure
}

/// Sits down on an invisible stool and stands up.
pub(super) fn sit(body: &BodyMeasurements, time: f64) -> BodyPose {
    let mut figure = body.standing_pose();
    let down = smooth_plateau(0.2, 1.1, 2.5, 3.6, time);
    let lean = smooth_plateau(0.15, 0.75, 0.9, 1.5, time) + smooth_plateau(2.2, 2.8, 3.0, 3.7, time);
    figure.hips_offset += dvec3(0.0, -0.335 * down, -0.300 * down);
    figure.hips_rotation = rotation_from_degrees(26.0 * lean - 3.0 * down, 0.0, 0.0);
    figure.spine = rotation_from_degrees(8.0 * lean, 0.0, 0.0);
    figure.neck = rotation_from_degrees(-10.0 * lean, 0.0, 0.0);
    figure.head = rotation_from_degrees(-14.0 * lean + 2.0 * down, 0.0, 0.0);
    for arm in &mut figure.arms {
        arm.swing += 24.0 * lean + 30.0 * down;
        arm.bend += 16.0 * down;
        arm.drop += 4.0 * down;
    }
    figure.knee_splay = 4.0 - 3.0 * down;
    figure
}

/// Lifts the left knee, then the right knee.
pub(super) fn leg_lift(body: &BodyMeasurements, time: f64) -> BodyPose {
    let mut figure = body.standing_pose();
    let lifts = [smooth_plateau(0.15, 0.85, 1.0, 1.6, time), smooth_plateau(1.75, 2.45, 2.6, 3.2, time)];
    let over = smooth_plateau(1.75 - 0.15, 2.15, 2.75, 3.2, time) - smooth_plateau(0.0, 0.45, 1.15, 1.6, time);
    figure.hips_offset += dvec3(0.040 * over, -0.004, -0.010 * over.abs());
    figure.hips_rotation = rotation_from_degrees(-3.0 * over.abs(), 0.0, 3.0 * over);
    figure.spine = rotation_from_degrees(2.0 * over.abs(), 0.0, -3.0 * over);
    figure.head = rotation_from_degrees(3.0 * over.abs(), 0.0, -over);
    for (foot, lift) in figure.feet.iter_mut().zip(lifts) {
        foot.ball += dvec3(-0.010 * foot.ball.x.signum(), 0.40, 0.235) * lift;
        foot.pitch = 28.0 * lift;
    }
    for arm in &mut figure.arms {
        arm.drop -= 16.0 * over.abs();
        arm.bend += 10.0 * over.abs();
    }
    figure
}

/// Squats with the arms stretched forward.
pub(super) fn squat(body: &BodyMeasurements, time: f64) -> BodyPose {
    let mut figure = body.standing_pose();
    let low = smooth_plateau(0.1, 1.0, 1.25, 2.3, time);
    figure.hips_offset += dvec3(0.0, -0.36 * low, -0.155 * low);
    figure.hips_rotation = rotation_from_degrees(30.0 * low, 0.0, 0.0);
    figure.spine = rotation_from_degrees(6.0 * low, 0.0, 0.0);
    figure.neck = rotation_from_degrees(-12.0 * low, 0.0, 0.0);
    figure.head = rotation_from_degrees(-16.0 * low, 0.0, 0.0);
    for arm in &mut figure.arms {
        arm.swing += 62.0 * low;
        arm.bend += 10.0 * low;
    }
    figure.knee_splay = 4.0 + 14.0 * low;
    figure
}
