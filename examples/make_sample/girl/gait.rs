//! Walking, running, and a lap with a dead stop.

use super::posing::{Arm, Body, Figure, Foot, about, ease, flat, sin, sin_cos, turned};
use glam::{DVec3, dvec3};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// Numbers of a way to go.
pub(super) struct Gait {
    /// A left and a right step.
    pub(super) seconds: f64,
    /// Metres in that time.
    stride: f64,
    /// Share of it that a foot bears her.
    duty: f64,
    /// Metres that the ball is lifted, and degrees that the heel is when it leaves.
    lift: f64,
    push: f64,
    /// Degrees of the toes up before they land.
    strike: f64,
    /// Metres that the middle of the step lies ahead of where the ball rests.
    ahead: f64,
}

pub(super) const WALK: Gait =
    Gait { seconds: 1.0, stride: 0.72, duty: 0.60, lift: 0.055, push: 38.0, strike: 14.0, ahead: -0.045 };
pub(super) const RUN: Gait =
    Gait { seconds: 0.6, stride: 1.24, duty: 0.34, lift: 0.200, push: 54.0, strike: 12.0, ahead: -0.068 };

impl Gait {
    /// A foot at `share` of the cycle, 0 where it lands.
    fn foot(&self, body: &Body, side: usize, share: f64) -> Foot {
        let rest = body.ball(side);
        let s = share.rem_euclid(1.0);
        let half = self.stride * self.duty / 2.0;
        let (z, up, pitch, toes);
        if s < self.duty {
            pitch = self.push * ease(self.duty * 0.45, self.duty * 1.02, s);
            (z, up, toes) = (half - self.stride * s, 0.0, pitch);
        } else {
            let u = (s - self.duty) / (1.0 - self.duty);
            // A curve that leaves and lands with the ground's own speed.
            let speed = -self.stride * (1.0 - self.duty);
            let (u2, u3) = (u * u, u * u * u);
            z = -half * (2.0 * u3 - 3.0 * u2 + 1.0) + half * (3.0 * u2 - 2.0 * u3) + speed * (2.0 * u3 - 3.0 * u2 + u);
            let toes_up = self.strike * ease(0.45, 0.85, u) * (1.0 - ease(0.85, 1.0, u));
            // While the toes point up she comes down on the heel, which must not sink.
            up = self.lift * 4.0 * u * (1.0 - u) * (1.25 - 0.5 * u) + 0.105 * sin(toes_up.to_radians());
            let away = self.push * ease(self.duty * 0.45, self.duty * 1.02, self.duty);
            let kick = self.push * 0.55 * sin((u * 2.0).min(1.0) * PI).max(0.0);
            pitch = away * (1.0 - ease(0.05, 0.75, u)) + kick - toes_up;
            toes = away * (1.0 - ease(0.0, 0.4, u));
        }
        let x = rest.x * 0.72;
        Foot { ball: dvec3(x, rest.y + up, rest.z + self.ahead + z), pitch, toes, heading: 0.0 }
    }
}

/// In place, once round in [`WALK`]'s seconds.
pub(super) fn walk(body: &Body, time: f64) -> Figure {
    let p = time / WALK.seconds;
    let (s, c) = sin_cos(TAU * p);
    let twice = sin_cos(2.0 * TAU * (p - 0.06)).1;
    let arm = |way: f64| Arm { down: 69.0, swing: 3.0 - 21.0 * way, bend: 20.0 - 7.0 * way };
    Figure {
        hips: dvec3(0.010 * sin(TAU * (p - 0.05)), -0.036 - 0.012 * twice, 0.0),
        hips_turn: turned(2.0, -6.0 * c, 1.8 * s),
        spine: turned(1.0, 4.0 * c, -1.4 * s),
        chest: turned(1.0, 7.0 * c, -1.2 * s),
        neck: turned(-2.0, -2.5 * c, 0.4 * s),
        head: turned(-2.0 + 1.2 * twice, -2.5 * c, 0.4 * s),
        arms: [arm(c), arm(-c)],
        feet: [WALK.foot(body, 0, p), WALK.foot(body, 1, p + 0.5)],
        splay: 4.0,
    }
}

/// In place, once round in [`RUN`]'s seconds.
pub(super) fn run(body: &Body, time: f64) -> Figure {
    let p = time / RUN.seconds;
    let feet = [RUN.foot(body, 0, p), RUN.foot(body, 1, p + 0.5)];
    let bob = sin_cos(2.0 * TAU * (p - 0.19)).1;
    Figure { hips: dvec3(0.0, -0.055 - 0.028 * bob, 0.0), feet, ..runner(body, p, 1.0, bob) }
}

/// The upper body of a runner at share `p` of the cycle, `effort` 0 standing.
fn runner(body: &Body, p: f64, effort: f64, bob: f64) -> Figure {
    let stand = body.standing();
    let (s, c) = sin_cos(TAU * p);
    let e = effort;
    let arm = |way: f64| Arm {
        down: 68.0 - 6.0 * e,
        swing: 2.0 + e * (8.0 - 38.0 * way),
        bend: 14.0 + e * (66.0 - 10.0 * way),
    };
    Figure {
        hips_turn: turned(5.0 * e, -8.0 * c * e, 2.0 * s * e),
        spine: turned(3.0 * e, 6.0 * c * e, -1.5 * s * e),
        chest: turned(2.0 * e, 10.0 * c * e, -s * e),
        neck: turned(-4.0 * e, -4.0 * c * e, 0.0),
        head: turned((-6.0 + 2.0 * bob) * e, -4.0 * c * e, 0.0),
        arms: [arm(c), arm(-c)],
        ..stand
    }
}

/// Metres of the circle that she runs, starting and ending where she stands.
const RADIUS: f64 = 0.50;
const START: f64 = 0.30;
const FASTER: f64 = 0.60;
const STEADY: f64 = 1.90;
const BRAKE: f64 = 0.40;
const STOP: f64 = START + FASTER + STEADY + BRAKE;
const STEP: f64 = 0.27;
/// Half of the time that a foot bears her.
const BEAR: f64 = 0.10;
pub(super) const LAP_SECONDS: f64 = 4.8;

/// Radians run at a time.
fn way(time: f64) -> f64 {
    let speed = TAU / (FASTER / 2.0 + STEADY + BRAKE / 2.0);
    let t = (time - START).clamp(0.0, FASTER + STEADY + BRAKE);
    let up = t.min(FASTER);
    let level = (t - FASTER).clamp(0.0, STEADY);
    let down = (t - FASTER - STEADY).max(0.0);
    speed * (up * up / (2.0 * FASTER) + level + down - down * down / (2.0 * BRAKE))
}

/// A place beside the circle, and her heading there in radians.
fn on_lap(angle: f64, local: DVec3) -> (DVec3, f64) {
    let (s, c) = sin_cos(angle);
    let at = flat(RADIUS * (c - 1.0), RADIUS * s);
    (at + about(DVec3::Y, -angle) * local, -angle)
}

/// Round a circle to her right, a dead stop, and a breath.
pub(super) fn run_and_stop(body: &Body, time: f64) -> Figure {
    let angle = way(time);
    let effort = ease(START - 0.15, START + 0.55, time) * (1.0 - ease(STOP - 0.40, STOP + 0.05, time));
    let brake = ease(STOP - 0.55, STOP - 0.10, time) * (1.0 - ease(STOP, STOP + 0.40, time));
    let nod = ease(STOP - 0.05, STOP + 0.30, time) * (1.0 - ease(STOP + 0.35, STOP + 1.0, time));
    let crouch = ease(0.05, START, time) * (1.0 - ease(START, START + 0.5, time));
    // Feet land in the middle of a step; the cycle's 0 is where the left one does.
    let p = (time - START) / (2.0 * STEP) - 0.25;
    let bob = -sin_cos(2.0 * TAU * p + FRAC_PI_2).0 * effort;
    let (at, heading) = on_lap(angle, DVec3::ZERO);
    let mut figure = runner(body, p, effort, bob);
    let stand = body.standing();
    figure.hips = at + DVec3::Y * (stand.hips.y - 0.055 * effort + 0.016 * bob - 0.085 * brake - 0.045 * crouch);
    let lean = turned(-13.0 * brake + 5.0 * nod + 4.0 * crouch, 0.0, 7.0 * effort);
    figure.hips_turn = about(DVec3::Y, heading) * lean * figure.hips_turn;
    figure.chest = turned(6.0 * nod + 4.0 * brake, 0.0, 0.0) * figure.chest;
    figure.head = turned(8.0 * nod - 4.0 * brake, 0.0, 0.0) * figure.head;
    for arm in &mut figure.arms {
        arm.down -= 26.0 * brake;
        arm.swing += 14.0 * brake;
    }
    figure.feet = [lap_foot(body, 0, time), lap_foot(body, 1, time)];
    figure
}

/// When and where a foot stands: from, until, radians of the lap; the last one is at home.
fn footfalls(side: usize) -> Vec<(f64, f64, f64)> {
    let first = START + STEP * (0.9 + side as f64);
    let mut falls: Vec<(f64, f64, f64)> = Vec::new();
    let mut at = first;
    while at < STOP - 0.12 {
        falls.push((at - BEAR, at + BEAR, way(at)));
        at += 2.0 * STEP;
    }
    let last = falls.last().map_or(STOP, |f| f.1);
    falls.insert(0, (f64::MIN, first - BEAR - 0.22, 0.0));
    falls.push((last + 0.26, f64::MAX, TAU));
    falls
}

fn lap_foot(body: &Body, side: usize, time: f64) -> Foot {
    let rest = body.ball(side);
    let falls = footfalls(side);
    let place = |&(_, until, angle): &(f64, f64, f64)| {
        let home = angle == 0.0 || until == f64::MAX;
        // On the run the feet come nearer to the line, and land a little behind.
        let local = if home { rest } else { dvec3(rest.x * 0.7, rest.y, rest.z - 0.05) };
        on_lap(angle, local)
    };
    let i = falls.iter().rposition(|f| f.0 <= time).unwrap_or(0);
    let until = falls[i].1;
    let (ball, heading) = place(&falls[i]);
    let push = 45.0;
    let leaving = |t: f64| if i + 1 < falls.len() { push * ease(until - 0.12, until + 0.01, t) } else { 0.0 };
    if time <= until {
        let pitch = leaving(time);
        return Foot { ball, pitch, toes: pitch, heading: heading.to_degrees() };
    }
    let (next, next_heading) = place(&falls[i + 1]);
    let u = (time - until) / (falls[i + 1].0 - until);
    let share = ease(0.0, 1.0, u);
    let far = (next - ball).length();
    let up = (0.05 + 0.13 * (far / 0.9).min(1.0)) * 9.48 * u * u * (1.0 - u) * (1.0 - u) * (1.6 - u);
    let away = leaving(until);
    Foot {
        ball: ball.lerp(next, share) + DVec3::Y * up,
        pitch: away * (1.0 - ease(0.05, 0.8, u)) + 24.0 * sin((u * 2.0).min(1.0) * PI).max(0.0) * (far / 0.9).min(1.0),
        toes: away * (1.0 - ease(0.0, 0.4, u)),
        heading: (heading + (next_heading - heading) * share).to_degrees(),
    }
}
