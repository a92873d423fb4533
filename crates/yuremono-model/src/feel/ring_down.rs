//! Plucks a joint in a copy of a world and measures how its motion dies away.
//!
//! The world settles in a still pose. Then the joint turns by [`PLUCK_DEGREES`] with everything below it, away from the
//! middle of the character, and is released without velocity. The measured angle is the angle between the joint and its
//! settled direction, in the plane of the pluck.
//!
//! The numbers describe the motion as a whole, not the parameters of one joint: the parents of the joint also move, limits and
//! colliders act, and wind blows. For a single free bone, frequency and damping ratio are those of its
//! [`SpringResponse`](yuremono_sim::SpringResponse).

use glam::{Quat, Vec3};
use yuremono_sim::linear_spring::LinearRecurrence;
use yuremono_sim::rig::JointAngle;
use yuremono_sim::rig::{BoneId, Pose};
use yuremono_sim::{JointIndex, StepInput, World};

/// Angle of the pluck, in degrees. Closer limits reduce the angle.
pub const PLUCK_DEGREES: f32 = 20.0;
/// Share of the distance to the nearest limit that a pluck may use.
const LIMIT_SHARE: f32 = 0.8;
/// Smallest angle of a pluck, in degrees.
const MIN_PLUCK_DEGREES: f32 = 1.0;
/// Longest time of settling before the pluck, in seconds.
const MAX_REST_SECONDS: f32 = 6.0;
/// A tip is at rest if it moves less than this share of its bone per tick for [`CALM_SECONDS`].
const CALM_SHARE: f32 = 1e-5;
const CALM_SECONDS: f32 = 0.2;
/// Time in which the jitter at rest is measured, in seconds.
const JITTER_SECONDS: f32 = 0.5;
/// Time of observation after the pluck, in seconds.
pub const OBSERVED_SECONDS: f32 = 5.0;
/// A joint has settled when it stays within this share of the pluck.
pub const SETTLED_SHARE: f32 = 0.02;
/// Swings below this share of the pluck are too small to measure frequency and damping.
const MIN_SWING_SHARE: f64 = 0.01;

/// What a pluck shows about a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RingDownNumbers {
    /// Undamped frequency, in Hz; `None` if the motion shows no frequency.
    pub frequency_hz: Option<f32>,
    /// Damping ratio; `None` if the motion shows no damping.
    pub damping_ratio: Option<f32>,
    /// Time until the joint stays within [`SETTLED_SHARE`] of the pluck, in seconds; `None` if this takes longer than
    /// [`OBSERVED_SECONDS`].
    pub settle_seconds: Option<f32>,
    /// Largest swing to the other side, as a share of the pluck.
    pub overshoot: f32,
    /// Largest distance of the tip from its mean position before the pluck, in metres. Wind also moves the tip.
    pub jitter: f32,
}

/// A running measurement. The work can be spread over frames, and uses neither a clock nor threads.
#[derive(Clone, Debug)]
pub struct RingDown {
    world: World,
    pose: Pose,
    joint: JointIndex,
    bone: BoneId,
    tick_seconds: f32,
    /// The limited angles of the joint.
    angles: Vec<JointAngle>,
    phase: Phase,
}

#[derive(Clone, Debug)]
enum Phase {
    Settling { ticks: u32, calm_ticks: u32 },
    Resting { tips: Vec<Vec3> },
    Ringing { jitter: f32, plane: [Vec3; 2], degrees: Vec<f32> },
    Finished(RingDownNumbers),
}

impl RingDown {
    /// Starts to measure a joint in a still pose. `tick_seconds` is the duration of a tick. Returns `None` if the joint
    /// does not exist.
    pub fn new(
        mut world: World,
        pose: Pose,
        joint: JointIndex,
        angles: Vec<JointAngle>,
        tick_seconds: f32,
    ) -> Option<Self> {
        let bone = world.joint_bone(joint)?;
        world.tip_offset(joint).filter(|offset| offset.length_squared() > 0.0)?;
        world.reset(&pose);
        let phase = Phase::Settling { ticks: 0, calm_ticks: 0 };
        Some(Self { world, pose, joint, bone, tick_seconds, angles, phase })
    }

    /// Runs ticks until the measurement is complete or until about `visits` (see [`yuremono_sim::Workload`]) are used, but
    /// at least one tick. Returns the numbers once they are complete.
    pub fn advance(&mut self, visits: u64) -> Option<RingDownNumbers> {
        let each = self.world.workloads(self.tick_seconds).map(|work| work.visits).sum::<u64>().max(1);
        for _ in 0..(visits / each).max(1) {
            if let Phase::Finished(numbers) = self.phase {
                return Some(numbers);
            }
            self.tick();
        }
        None
    }

    fn ticks_for(&self, seconds: f32) -> u32 {
        (seconds / self.tick_seconds).round().max(1.0) as u32
    }

    fn tip(&self) -> Vec3 {
        self.world.tip(self.joint).unwrap_or_default()
    }

    /// Returns the direction from head to tip, not normalized.
    fn direction(&self) -> Vec3 {
        self.tip() - self.world.frames().frame(self.bone).position
    }

    fn tick(&mut self) {
        let before = self.tip();
        self.world.step(&StepInput { pose: &self.pose, grab: None, dt: self.tick_seconds });
        let (tip, direction) = (self.tip(), self.direction());
        let [most, calm, rest, observed] =
            [MAX_REST_SECONDS, CALM_SECONDS, JITTER_SECONDS, OBSERVED_SECONDS].map(|seconds| self.ticks_for(seconds));
        match &mut self.phase {
            Phase::Settling { ticks, calm_ticks } => {
                let is_calm = tip.distance(before) <= CALM_SHARE * direction.length();
                *calm_ticks = if is_calm { *calm_ticks + 1 } else { 0 };
                *ticks += 1;
                if *calm_ticks >= calm || *ticks >= most {
                    self.phase = Phase::Resting { tips: Vec::with_capacity(rest as usize) };
                }
            }
            Phase::Resting { tips } => {
                tips.push(tip);
                if tips.len() >= rest as usize {
                    let mean = tips.iter().sum::<Vec3>() / tips.len() as f32;
                    let jitter = tips.iter().map(|tip| tip.distance(mean)).fold(0.0, f32::max);
                    self.pluck(jitter);
                }
            }
            Phase::Ringing { plane: [rest, aside], degrees, jitter } => {
                degrees.push(libm::atan2f(direction.dot(*aside), direction.dot(*rest)).to_degrees());
                if degrees.len() > observed as usize {
                    self.phase = Phase::Finished(measure(degrees, self.tick_seconds, *jitter));
                }
            }
            Phase::Finished(_) => {}
        }
    }

    /// Turns the joint and all joints below it in its system, without velocity.
    fn pluck(&mut self, jitter: f32) {
        let frames = self.world.frames();
        let head = frames.frame(self.bone).position;
        let rest = self.direction().normalize_or(Vec3::NEG_Y);
        let middle = frames.frames.iter().map(|frame| frame.position).sum::<Vec3>() / frames.frames.len().max(1) as f32;
        let outwards = (head - middle).with_y(0.0).reject_from_normalized(rest);
        // A bone that points outwards turns upwards.
        let upwards = Vec3::Y.reject_from_normalized(rest);
        let aside = [outwards, upwards].into_iter().find(|way| way.length() > 1e-2);
        let aside = aside.and_then(Vec3::try_normalize).unwrap_or_else(|| rest.any_orthonormal_vector());
        let room = self.angles.iter().filter_map(|angle| angle.degrees_to_limit(frames, rest));
        let degrees = room.map(|room| room * LIMIT_SHARE).fold(PLUCK_DEGREES, f32::min).max(MIN_PLUCK_DEGREES);
        let turn = Quat::from_axis_angle(rest.cross(aside).normalize(), degrees.to_radians());
        let joints = (0_u32..).map(|joint| JointIndex { joint, ..self.joint });
        let joints: Vec<_> = joints.map_while(|joint| Some((joint, self.world.joint_bone(joint)?))).collect();
        for (joint, bone) in joints {
            let is_below = bone == self.bone || self.world.skeleton().is_known_ancestor(self.bone, bone);
            if let Some(tip) = self.world.tip(joint).filter(|_| is_below) {
                let turned = head + turn * (tip - head);
                self.world.set_tip(joint, turned, turned);
            }
        }
        self.phase = Phase::Ringing { jitter, plane: [rest, aside], degrees: vec![degrees] };
    }
}

/// Returns the numbers of a motion that starts with the angle of the pluck and has one angle per tick.
fn measure(degrees: &[f32], tick_seconds: f32, jitter: f32) -> RingDownNumbers {
    let pluck = degrees[0];
    let last_far = degrees.iter().rposition(|angle| angle.abs() > SETTLED_SHARE * pluck).unwrap_or(0);
    let settled = last_far + 1 < degrees.len();
    let feel = frequency_and_damping(degrees, tick_seconds);
    RingDownNumbers {
        frequency_hz: feel.map(|(frequency, _)| frequency),
        damping_ratio: feel.map(|(_, damping)| damping),
        settle_seconds: settled.then_some((last_far + 1) as f32 * tick_seconds),
        overshoot: (degrees.iter().fold(0.0, |lowest: f32, angle| lowest.min(*angle)) / -pluck).max(0.0),
        jitter,
    }
}

/// Returns frequency in Hz and damping ratio. Three or more swings give them by their distance and by the logarithmic
/// decrement, also if several frequencies mix. Fewer swings give them by the best recurrence of a single spring.
fn frequency_and_damping(degrees: &[f32], tick_seconds: f32) -> Option<(f32, f32)> {
    let angles: Vec<f64> = degrees.iter().map(|angle| f64::from(*angle)).collect();
    let swings = swings(&angles);
    if let [first, .., last] = swings.as_slice()
        && swings.len() >= 3
    {
        let intervals = (swings.len() - 1) as f64;
        let half_period = (last.at - first.at) / intervals * f64::from(tick_seconds);
        let decrement = libm::log(first.height / last.height) / intervals;
        let damping = decrement / libm::hypot(decrement, std::f64::consts::PI);
        let damped = 0.5 / half_period;
        let undamped = damped / (1.0 - damping * damping).sqrt();
        return Some((undamped as f32, damping.max(0.0) as f32));
    }
    let end = angles.iter().rposition(|angle| angle.abs() > MIN_SWING_SHARE * angles[0])? + 1;
    let feel = fitted_recurrence(&angles[..end.min(angles.len())])?.to_feel(tick_seconds);
    let found = (feel.frequency_hz, feel.damping_ratio);
    (found.0.is_finite() && found.1.is_finite()).then_some(found)
}

/// The farthest point of a swing to one side.
struct Swing {
    /// Time in ticks.
    at: f64,
    /// Angle without sign.
    height: f64,
}

/// Returns the swings after the first crossing of the settled direction, until they become too small. The parabola
/// through three ticks gives the farthest point between ticks.
fn swings(angles: &[f64]) -> Vec<Swing> {
    let mut found: Vec<Swing> = Vec::new();
    let mut start = angles.iter().position(|angle| *angle <= 0.0).unwrap_or(angles.len());
    while start < angles.len() {
        let side = if angles[start] < 0.0 { -1.0 } else { 1.0 };
        let length = angles[start..].iter().position(|angle| angle * side < 0.0).unwrap_or(angles.len() - start);
        let height = |at: usize| angles[at] * side;
        let top = (start..start + length).max_by(|a, b| height(*a).total_cmp(&height(*b))).unwrap_or(start);
        if height(top) < MIN_SWING_SHARE * angles[0] || top + 1 >= angles.len() {
            break;
        }
        let (before, now, after) = (height(top - 1), height(top), height(top + 1));
        let bend = before - 2.0 * now + after;
        let late = if bend < 0.0 { (0.5 * (before - after) / bend).clamp(-0.5, 0.5) } else { 0.0 };
        found.push(Swing { at: top as f64 + late, height: now - 0.25 * (before - after) * late });
        start += length.max(1);
    }
    found
}

/// Returns the recurrence with the least squared error over all ticks: `y[n+1] = (1 + kept - pulled) y[n] - kept y[n-1]`.
/// Returns `None` for motions that fit many recurrences.
fn fitted_recurrence(angles: &[f64]) -> Option<LinearRecurrence> {
    let (mut aa, mut ab, mut bb, mut ac, mut bc) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for y in angles.windows(3) {
        let (a, b, c) = (y[1], -y[0], y[2]);
        (aa, ab, bb, ac, bc) = (aa + a * a, ab + a * b, bb + b * b, ac + a * c, bc + b * c);
    }
    let determinant = aa * bb - ab * ab;
    if determinant <= 1e-9 * aa * bb {
        return None;
    }
    let (turn, kept) = ((ac * bb - bc * ab) / determinant, (aa * bc - ab * ac) / determinant);
    Some(LinearRecurrence { velocity_retention: kept, offset_removed: 1.0 + kept - turn, displacement_added: 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use yuremono_sim::linear_spring::SpringFeel;

    const TICK: f32 = 1.0 / 60.0;

    /// Returns the motion of a spring that is released at 20°.
    fn motion(frequency_hz: f32, damping_ratio: f32) -> Vec<f32> {
        let feel = SpringFeel { frequency_hz, damping_ratio, acceleration: 0.0 };
        let LinearRecurrence { velocity_retention: kept, offset_removed: pulled, .. } = feel.to_recurrence(TICK);
        let mut angles = vec![20.0_f64, 20.0];
        for at in 1..=300 {
            angles.push((1.0 + kept - pulled) * angles[at] - kept * angles[at - 1]);
        }
        angles[1..].iter().map(|angle| *angle as f32).collect()
    }

    #[test]
    fn frequency_and_damping_of_a_known_spring_are_found() {
        for (frequency, damping) in
            [(3.0, 0.05), (3.0, 0.2), (1.2, 0.4), (5.0, 0.5), (2.0, 0.7), (2.0, 1.0), (1.5, 1.6), (0.4, 0.1)]
        {
            let found = measure(&motion(frequency, damping), TICK, 0.0);
            let (f, d) = (found.frequency_hz.expect("swings"), found.damping_ratio.expect("decays"));
            assert!((f / frequency - 1.0).abs() < 0.02, "{f} Hz for {frequency} Hz, ζ {damping}");
            assert!((d / damping - 1.0).abs() < 0.02, "ζ {d} for {frequency} Hz, ζ {damping}");
        }
    }

    #[test]
    fn overshoot_and_settle_time_follow_from_the_damping() {
        let expected = |damping: f32| libm::expf(-std::f32::consts::PI * damping / (1.0 - damping * damping).sqrt());
        for damping in [0.1, 0.4, 0.7] {
            let found = measure(&motion(2.0, damping), TICK, 0.0);
            assert!((found.overshoot - expected(damping)).abs() < 0.03, "{} for ζ {damping}", found.overshoot);
            let envelope = -(libm::logf(SETTLED_SHARE)) / (damping * std::f32::consts::TAU * 2.0);
            let settle = found.settle_seconds.expect("it settles");
            assert!(settle < envelope + 0.1 && settle > 0.6 * envelope, "{settle} s, envelope {envelope} s");
        }
        assert_eq!(measure(&motion(2.0, 1.2), TICK, 0.0).overshoot, 0.0);
    }

    #[test]
    fn a_motion_that_never_decays_does_not_settle() {
        let found = measure(&motion(2.0, 0.0), TICK, 0.0);
        assert_eq!(found.settle_seconds, None);
        assert!(found.damping_ratio.expect("swings") < 1e-3 && found.overshoot > 0.95);
    }

    #[test]
    fn a_joint_that_stays_at_its_pluck_shows_no_frequency() {
        let found = measure(&[20.0; 301], TICK, 0.0);
        assert_eq!((found.frequency_hz, found.damping_ratio, found.settle_seconds), (None, None, None));
        assert_eq!(found.overshoot, 0.0);
    }
}
