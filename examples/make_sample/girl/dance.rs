//! Motions on the spot: feet stand, or are lifted and set down again.

use super::posing::{Arm, Body, Figure, about, ease, flat, sin, turned};
use glam::{DVec3, dvec3};
use std::f64::consts::TAU;

/// Up from 0 at `a` to 1 at `b`, down from `c` to 0 at `d`.
fn hold(a: f64, b: f64, c: f64, d: f64, t: f64) -> f64 {
    ease(a, b, t) * (1.0 - ease(c, d, t))
}

/// Breathing, shifting her weight, looking about.
pub(super) fn idle(body: &Body, time: f64) -> Figure {
    let p = time / 6.0;
    let shift = sin(TAU * p);
    let breath = sin(TAU * 2.0 * p - 0.6);
    let look = hold(0.4, 1.5, 1.9, 3.0, time) - 0.8 * hold(3.1, 4.2, 4.5, 5.7, time);
    let tilt = hold(0.6, 1.7, 2.0, 3.1, time) - hold(3.2, 4.2, 4.7, 5.8, time);
    let mut figure = body.standing();
    figure.hips += dvec3(0.016 * shift, -0.006 + 0.003 * breath, 0.004 * breath);
    figure.hips_turn = turned(0.0, 2.5 * shift, 2.0 * shift);
    figure.spine = turned(0.4 * breath, -shift, -1.5 * shift);
    figure.chest = turned(-1.0 - 1.3 * breath, 2.0 * look, -1.2 * shift);
    figure.neck = turned(0.6 * breath, 7.0 * look, -2.0 * tilt);
    figure.head = turned(1.0 + 0.8 * breath, 13.0 * look, -6.0 * tilt);
    for (arm, side) in figure.arms.iter_mut().zip([1.0, -1.0]) {
        arm.down += -1.2 * breath - 1.5 * side * shift;
        arm.swing += 2.0 * shift * side + breath;
        arm.bend += 2.5 * breath;
    }
    figure
}

/// A crouch, a leap, a soft landing.
pub(super) fn jump(body: &Body, time: f64) -> Figure {
    const OFF: f64 = 0.62;
    const AIR: f64 = 0.48;
    const DOWN: f64 = OFF + AIR;
    let mut figure = body.standing();
    let crouch = hold(0.05, 0.40, 0.42, OFF, time);
    let land = hold(DOWN - 0.02, DOWN + 0.20, DOWN + 0.24, DOWN + 0.72, time);
    let stretch = hold(0.48, OFF, DOWN - 0.10, DOWN + 0.12, time);
    let t = (time - OFF).clamp(0.0, AIR);
    let flight = 0.5 * 9.81 * t * (AIR - t);
    let swing = hold(0.40, OFF + 0.06, DOWN - 0.05, DOWN + 0.45, time);
    figure.hips += dvec3(0.0, -0.17 * crouch - 0.15 * land + 0.030 * stretch + flight, -0.05 * crouch - 0.04 * land);
    figure.hips_turn = turned(24.0 * crouch + 18.0 * land - 4.0 * stretch, 0.0, 0.0);
    figure.spine = turned(8.0 * crouch + 8.0 * land - 3.0 * stretch, 0.0, 0.0);
    figure.chest = turned(4.0 * crouch + 6.0 * land - 3.0 * stretch, 0.0, 0.0);
    figure.neck = turned(-10.0 * crouch - 8.0 * land, 0.0, 0.0);
    figure.head = turned(-14.0 * crouch - 12.0 * land - 6.0 * stretch, 0.0, 0.0);
    for arm in &mut figure.arms {
        arm.swing += -42.0 * crouch + 60.0 * swing - 10.0 * land;
        arm.down -= 14.0 * crouch + 40.0 * swing;
        arm.bend += 20.0 * crouch + 26.0 * swing;
    }
    for (foot, late) in figure.feet.iter_mut().zip([0.0, 0.06]) {
        let tuck = hold(OFF + 0.02, OFF + 0.24, DOWN - 0.22, DOWN - 0.01, time);
        foot.ball += dvec3(0.0, flight + (0.07 + late) * tuck, -(0.05 + late) * tuck);
        foot.pitch = 38.0 * hold(0.46, OFF, DOWN, DOWN + 0.10, time);
        let ground = 1.0 - hold(OFF, OFF + 0.12, DOWN - 0.10, DOWN, time);
        foot.toes = foot.pitch * ground;
    }
    figure
}

/// Once round on the ball of her left foot.
pub(super) fn spin(body: &Body, time: f64) -> Figure {
    const FROM: f64 = 0.62;
    const TO: f64 = 1.72;
    let mut figure = body.standing();
    let wind = hold(0.05, 0.45, 0.50, FROM + 0.25, time);
    let over = hold(0.15, FROM, TO, TO + 0.45, time);
    let up = hold(0.50, FROM + 0.12, TO - 0.06, TO + 0.25, time);
    let turn = 360.0 * ease(FROM, TO, time);
    let follow = hold(TO - 0.35, TO, TO + 0.1, TO + 0.7, time);
    let dip = hold(TO - 0.30, TO + 0.10, TO + 0.16, TO + 0.75, time);
    let left = body.ball(0);
    figure.hips += flat(left.x, left.z - 0.015) * over + DVec3::Y * (-0.050 * wind + 0.024 * up - 0.050 * dip);
    figure.hips_turn = turned(0.0, turn - 16.0 * wind + 6.0 * follow, -2.0 * up);
    figure.spine = turned(0.0, -10.0 * wind + 4.0 * follow, 0.0);
    figure.chest = turned(-3.0 * up, -12.0 * wind + 6.0 * follow, 0.0);
    figure.neck = turned(0.0, 14.0 * wind - 4.0 * follow, 0.0);
    figure.head = turned(-3.0 * up, 20.0 * wind - 6.0 * follow, 0.0);
    figure.arms = [
        Arm { down: 68.0 - 42.0 * up - 8.0 * wind, swing: 2.0 + 20.0 * up + 24.0 * wind, bend: 14.0 + 30.0 * up },
        Arm { down: 68.0 - 42.0 * up - 26.0 * wind, swing: 2.0 + 20.0 * up - 12.0 * wind, bend: 14.0 + 30.0 * up },
    ];
    let heading = about(DVec3::Y, turn.to_radians());
    let [stands, lifted] = &mut figure.feet;
    stands.heading = turn;
    stands.pitch = 34.0 * up;
    stands.toes = stands.pitch;
    // The other is drawn up beside the knee, and set down where it was.
    let high = hold(0.42, FROM + 0.18, TO - 0.22, TO + 0.12, time);
    let middle = flat(left.x, left.z);
    let beside = middle + heading * dvec3(-0.060, 0.30, 0.050);
    let round = middle + heading * (lifted.ball - middle);
    lifted.ball = round.lerp(beside, high);
    lifted.heading = turn - 12.0 * high;
    lifted.pitch = 46.0 * high;
    lifted.toes = 16.0 * hold(0.40, 0.50, 0.55, 0.7, time);
    figure.splay = 4.0 + 8.0 * high;
    figure
}

/// No, no, no.
pub(super) fn head_shake(body: &Body, time: f64) -> Figure {
    let mut figure = idle(body, 0.0);
    let strength = hold(0.05, 0.35, 1.1, 1.75, time);
    let shake = strength * sin(TAU * (time - 0.1) / 0.5);
    let after = strength * sin(TAU * (time - 0.18) / 0.5);
    figure.neck = turned(0.0, 10.0 * shake, 0.0) * figure.neck;
    figure.head = turned(4.0 * strength, 24.0 * shake, 3.0 * after) * figure.head;
    figure.chest = turned(0.0, -3.0 * after, 0.0) * figure.chest;
    for arm in &mut figure.arms {
        arm.bend += 6.0 * strength;
    }
    figure
}

/// Down on a stool that is not there, a while, and up.
pub(super) fn sit(body: &Body, time: f64) -> Figure {
    let mut figure = body.standing();
    let down = hold(0.2, 1.1, 2.5, 3.6, time);
    let lean = hold(0.15, 0.75, 0.9, 1.5, time) + hold(2.2, 2.8, 3.0, 3.7, time);
    figure.hips += dvec3(0.0, -0.335 * down, -0.300 * down);
    figure.hips_turn = turned(26.0 * lean - 3.0 * down, 0.0, 0.0);
    figure.spine = turned(8.0 * lean, 0.0, 0.0);
    figure.neck = turned(-10.0 * lean, 0.0, 0.0);
    figure.head = turned(-14.0 * lean + 2.0 * down, 0.0, 0.0);
    for arm in &mut figure.arms {
        arm.swing += 24.0 * lean + 30.0 * down;
        arm.bend += 16.0 * down;
        arm.down += 4.0 * down;
    }
    figure.splay = 4.0 - 3.0 * down;
    figure
}

/// The left knee up, then the right.
pub(super) fn leg_lift(body: &Body, time: f64) -> Figure {
    let mut figure = body.standing();
    let lifts = [hold(0.15, 0.85, 1.0, 1.6, time), hold(1.75, 2.45, 2.6, 3.2, time)];
    let over = hold(1.75 - 0.15, 2.15, 2.75, 3.2, time) - hold(0.0, 0.45, 1.15, 1.6, time);
    figure.hips += dvec3(0.040 * over, -0.004, -0.010 * over.abs());
    figure.hips_turn = turned(-3.0 * over.abs(), 0.0, 3.0 * over);
    figure.spine = turned(2.0 * over.abs(), 0.0, -3.0 * over);
    figure.head = turned(3.0 * over.abs(), 0.0, -over);
    for (foot, lift) in figure.feet.iter_mut().zip(lifts) {
        foot.ball += dvec3(-0.010 * foot.ball.x.signum(), 0.40, 0.235) * lift;
        foot.pitch = 28.0 * lift;
    }
    for arm in &mut figure.arms {
        arm.down -= 16.0 * over.abs();
        arm.bend += 10.0 * over.abs();
    }
    figure
}

/// Low, arms ahead, and up.
pub(super) fn squat(body: &Body, time: f64) -> Figure {
    let mut figure = body.standing();
    let low = hold(0.1, 1.0, 1.25, 2.3, time);
    figure.hips += dvec3(0.0, -0.36 * low, -0.155 * low);
    figure.hips_turn = turned(30.0 * low, 0.0, 0.0);
    figure.spine = turned(6.0 * low, 0.0, 0.0);
    figure.neck = turned(-12.0 * low, 0.0, 0.0);
    figure.head = turned(-16.0 * low, 0.0, 0.0);
    for arm in &mut figure.arms {
        arm.swing += 62.0 * low;
        arm.bend += 10.0 * low;
    }
    figure.splay = 4.0 + 14.0 * low;
    figure
}
