//! Walking, running, and a lap that ends in an abrupt stop.

use super::posing::{
    ArmPose, BodyMeasurements, BodyPose, FootPose, STANDING_ARM_DROP, ground_point, rotation_about,
    rotation_from_degrees, sin, sin_cos, smootherstep,
};
use glam::{DVec3, dvec3};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// Parameters of a gait.
pub(super) struct Gait {
    /// Duration of a cycle: a left and a right step.
    pub(super) seconds: f64,
    /// Distance per cycle in metres.
    stride: f64,
    /// Share of the cycle in which a foot supports the character.
    duty_factor: f64,
    /// Lift of the ball of the foot in metres.
    ball_lift: f64,
    /// Pitch of the heel at take-off, in degrees.
    heel_lift_deg: f64,
    /// Pitch of the toes before landing, in degrees.
    toe_lift_deg: f64,
    /// Forward offset of the middle of the step from the rest position of the ball, in metres.
    step_offset: f64,
}

pub(super) const WALK: Gait = Gait {
    seconds: 1.0,
    stride: 0.72,
    duty_factor: 0.60,
    ball_lift: 0.055,
    heel_lift_deg: 38.0,
    toe_lift_deg: 14.0,
    step_offset: -0.045,
};
pub(super) const RUN: Gait = Gait {
    seconds: 0.6,
    stride: 1.24,
    duty_factor: 0.34,
    ball_lift: 0.200,
    heel_lift_deg: 54.0,
    toe_lift_deg: 12.0,
    step_offset: -0.068,
};

impl Gait {
    /// Returns the pose of a foot at `share` of the cycle; 0 is the landing of the foot.
    fn foot_pose(&self, body: &BodyMeasurements, side: usize, share: f64) -> FootPose {
        let rest = body.rest_ball_position(side);
        let s = share.rem_euclid(1.0);
        let half = self.stride * self.duty_factor / 2.0;
        let (z, up, pitch, toes);
        if s < self.duty_factor {
            pitch = self.heel_lift_deg * smootherstep(self.duty_factor * 0.45, self.duty_factor * 1.02, s);
            (z, up, toes) = (half - self.stride * s, 0.0, pitch);
        } else {
            let u = (s - self.duty_factor) / (1.0 - self.duty_factor);
            // The swing starts and ends with the velocity of the ground.
            let speed = -self.stride * (1.0 - self.duty_factor);
            let (u2, u3) = (u * u, u * u * u);
            z = -half * (2.0 * u3 - 3.0 * u2 + 1.0) + half * (3.0 * u2 - 2.0 * u3) + speed * (2.0 * u3 - 3.0 * u2 + u);
            let toes_up = self.toe_lift_deg * smootherstep(0.45, 0.85, u) * (1.0 - smootherstep(0.85, 1.0, u));
            // While the toes point up, the character lands on the heel, which must stay above the ground.
            up = self.ball_lift * 4.0 * u * (1.0 - u) * (1.25 - 0.5 * u) + 0.105 * sin(toes_up.to_radians());
            let away =
                self.heel_lift_deg * smootherstep(self.duty_factor * 0.45, self.duty_factor * 1.02, self.duty_factor);
            let kick = self.heel_lift_deg * 0.55 * sin((u * 2.0).min(1.0) * PI).max(0.0);
            pitch = away * (1.0 - smootherstep(0.05, 0.75, u)) + kick - toes_up;
            toes = away * (1.0 - smootherstep(0.0, 0.4, u));
        }
        let x = rest.x * 0.72;
        FootPose { ball: dvec3(x, rest.y + up, rest.z + self.step_offset + z), pitch, toes, heading: 0.0 }
    }
}

/// Walks in place; one cycle takes [`WALK`]'s seconds.
pub(super) fn walk(body: &BodyMeasurements, time: f64) -> BodyPose {
    let p = time / WALK.seconds;
    let (s, c) = sin_cos(TAU * p);
    let twice = sin_cos(2.0 * TAU * (p - 0.06)).1;
    let arm = |way: f64| ArmPose { drop: STANDING_ARM_DROP, swing: 3.0 - 21.0 * way, bend: 20.0 - 7.0 * way };
    BodyPose {
        hips_offset: dvec3(0.010 * sin(TAU * (p - 0.05)), -0.036 - 0.012 * twice, 0.0),
        hips_rotation: rotation_from_degrees(2.0, -6.0 * c, 1.8 * s),
        spine: rotation_from_degrees(1.0, 4.0 * c, -1.4 * s),
        chest: rotation_from_degrees(1.0, 7.0 * c, -1.2 * s),
        neck: rotation_from_degrees(-2.0, -2.5 * c, 0.4 * s),
        head: rotation_from_degrees(-2.0 + 1.2 * twice, -2.5 * c, 0.4 * s),
        arms: [arm(c), arm(-c)],
        feet: [WALK.foot_pose(body, 0, p), WALK.foot_pose(body, 1, p + 0.5)],
        knee_splay: 4.0,
    }
}

/// Runs in place; one cycle takes [`RUN`]'s seconds.
pub(super) fn run(body: &BodyMeasurements, time: f64) -> BodyPose {
    let p = time / RUN.seconds;
    let feet = [RUN.foot_pose(body, 0, p), RUN.foot_pose(body, 1, p + 0.5)];
    let bob = sin_cos(2.0 * TAU * (p - 0.19)).1;
    BodyPose { hips_offset: dvec3(0.0, -0.055 - 0.028 * bob, 0.0), feet, ..running_upper_body(body, p, 1.0, bob) }
}

/// Returns the upper body of a runner at share `p` of the cycle; with `effort` 0, the character stands.
fn running_upper_body(body: &BodyMeasurements, p: f64, effort: f64, bob: f64) -> BodyPose {
    let stand = body.standing_pose();
    let (s, c) = sin_cos(TAU * p);
    let e = effort;
    let arm = |way: f64| ArmPose {
        drop: STANDING_ARM_DROP - 3.0 * e,
        swing: 2.0 + e * (8.0 - 38.0 * way),
        bend: 14.0 + e * (66.0 - 10.0 * way),
    };
    BodyPose {
        hips_rotation: rotation_from_degrees(5.0 * e, -8.0 * c * e, 2.0 * s * e),
        spine: rotation_from_degrees(3.0 * e, 6.0 * c * e, -1.5 * s * e),
        chest: rotation_from_degrees(2.0 * e, 10.0 * c * e, -s * e),
        neck: rotation_from_degrees(-4.0 * e, -4.0 * c * e, 0.0),
        head: rotation_from_degrees((-6.0 + 2.0 * bob) * e, -4.0 * c * e, 0.0),
        arms: [arm(c), arm(-c)],
        ..stand
    }
}

/// Radius in metres of the lap, a circle through the origin.
const LAP_RADIUS: f64 = 0.50;
const START_TIME: f64 = 0.30;
const ACCELERATION_SECONDS: f64 = 0.60;
const STEADY_SECONDS: f64 = 1.90;
const BRAKING_SECONDS: f64 = 0.40;
const STOP_TIME: f64 = START_TIME + ACCELERATION_SECONDS + STEADY_SECONDS + BRAKING_SECONDS;
const STEP_SECONDS: f64 = 0.27;
/// Half of the time that a foot supports the character.
const HALF_STANCE_SECONDS: f64 = 0.10;
pub(super) const LAP_SECONDS: f64 = 4.8;

/// Returns the angle in radians that the character has run along the lap until `time`.
fn lap_angle(time: f64) -> f64 {
    let speed = TAU / (ACCELERATION_SECONDS / 2.0 + STEADY_SECONDS + BRAKING_SECONDS / 2.0);
    let t = (time - START_TIME).clamp(0.0, ACCELERATION_SECONDS + STEADY_SECONDS + BRAKING_SECONDS);
    let up = t.min(ACCELERATION_SECONDS);
    let level = (t - ACCELERATION_SECONDS).clamp(0.0, STEADY_SECONDS);
    let down = (t - ACCELERATION_SECONDS - STEADY_SECONDS).max(0.0);
    speed * (up * up / (2.0 * ACCELERATION_SECONDS) + level + down - down * down / (2.0 * BRAKING_SECONDS))
}

/// Returns the point at `local` relative to the runner at `angle`, and the runner's heading in radians.
fn lap_position(angle: f64, local: DVec3) -> (DVec3, f64) {
    let (s, c) = sin_cos(angle);
    let at = ground_point(LAP_RADIUS * (c - 1.0), LAP_RADIUS * s);
    (at + rotation_about(DVec3::Y, -angle) * local, -angle)
}

/// Runs a circle to the right, stops abruptly, and nods.
pub(super) fn run_and_stop(body: &BodyMeasurements, time: f64) -> BodyPose {
    let angle = lap_angle(time);
    let effort = smootherstep(START_TIME - 0.15, START_TIME + 0.55, time)
        * (1.0 - smootherstep(STOP_TIME - 0.40, STOP_TIME + 0.05, time));
    let brake = smootherstep(STOP_TIME - 0.55, STOP_TIME - 0.10, time)
        * (1.0 - smootherstep(STOP_TIME, STOP_TIME + 0.40, time));
    let nod = smootherstep(STOP_TIME - 0.05, STOP_TIME + 0.30, time)
        * (1.0 - smootherstep(STOP_TIME + 0.35, STOP_TIME + 1.0, time));
    let crouch = smootherstep(0.05, START_TIME, time) * (1.0 - smootherstep(START_TIME, START_TIME + 0.5, time));
    // Feet land in the middle of a step. The cycle starts with the left foot.
    let p = (time - START_TIME) / (2.0 * STEP_SECONDS) - 0.25;
    let bob = -sin_cos(2.0 * TAU * p + FRAC_PI_2).0 * effort;
    let (at, heading) = lap_position(angle, DVec3::ZERO);
    let mut figure = running_upper_body(body, p, effort, bob);
    let stand = body.standing_pose();
    figure.hips_offset =
        at + DVec3::Y * (stand.hips_offset.y - 0.055 * effort + 0.016 * bob - 0.085 * brake - 0.045 * crouch);
    let lean = rotation_from_degrees(-13.0 * brake + 5.0 * nod + 4.0 * crouch, 0.0, 7.0 * effort);
    figure.hips_rotation = rotation_about(DVec3::Y, heading) * lean * figure.hips_rotation;
    figure.chest = rotation_from_degrees(6.0 * nod + 4.0 * brake, 0.0, 0.0) * figure.chest;
    figure.head = rotation_from_degrees(8.0 * nod - 4.0 * brake, 0.0, 0.0) * figure.head;
    for arm in &mut figure.arms {
        arm.drop -= 26.0 * brake;
        arm.swing += 14.0 * brake;
    }
    figure.feet = [lap_foot_pose(body, 0, time), lap_foot_pose(body, 1, time)];
    figure
}

/// Returns the stance phases of a foot: start, end, and lap angle in radians. The first and the last phase are
/// standing.
fn footfalls(side: usize) -> Vec<(f64, f64, f64)> {
    let first = START_TIME + STEP_SECONDS * (0.9 + side as f64);
    let mut falls: Vec<(f64, f64, f64)> = Vec::new();
    let mut at = first;
    while at < STOP_TIME - 0.12 {
        falls.push((at - HALF_STANCE_SECONDS, at + HALF_STANCE_SECONDS, lap_angle(at)));
        at += 2.0 * STEP_SECONDS;
    }
    let last = falls.last().map_or(STOP_TIME, |f| f.1);
    falls.insert(0, (f64::MIN, first - HALF_STANCE_SECONDS - 0.22, 0.0));
    falls.push((last + 0.26, f64::MAX, TAU));
    falls
}

fn lap_foot_pose(body: &BodyMeasurements, side: usize, time: f64) -> FootPose {
    let rest = body.rest_ball_position(side);
    let falls = footfalls(side);
    let place = |&(_, until, angle): &(f64, f64, f64)| {
        let home = angle == 0.0 || until == f64::MAX;
        // While running, the feet are closer to the centre line and land slightly behind their rest position.
        let local = if home { rest } else { dvec3(rest.x * 0.7, rest.y, rest.z - 0.05) };
        lap_position(angle, local)
    };
    let i = falls.iter().rposition(|f| f.0 <= time).unwrap_or(0);
    let until = falls[i].1;
    let (ball, heading) = place(&falls[i]);
    let push = 45.0;
    let leaving = |t: f64| if i + 1 < falls.len() { push * smootherstep(until - 0.12, until + 0.01, t) } else { 0.0 };
    if time <= until {
        let pitch = leaving(time);
        return FootPose { ball, pitch, toes: pitch, heading: heading.to_degrees() };
    }
    let (next, next_heading) = place(&falls[i + 1]);
    let u = (time - until) / (falls[i + 1].0 - until);
    let share = smootherstep(0.0, 1.0, u);
    let far = (next - ball).length();
    let up = (0.05 + 0.13 * (far / 0.9).min(1.0)) * 9.48 * u * u * (1.0 - u) * (1.0 - u) * (1.6 - u);
    let away = leaving(until);
    FootPose {
        ball: ball.lerp(next, share) + DVec3::Y * up,
        pitch: away * (1.0 - smootherstep(0.05, 0.8, u))
            + 24.0 * sin((u * 2.0).min(1.0) * PI).max(0.0) * (far / 0.9).min(1.0),
        toes: away * (1.0 - smootherstep(0.0, 0.4, u)),
        heading: (heading + (next_heading - heading) * share).to_degrees(),
    }
}
