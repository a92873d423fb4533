//! The numbers in terms that every solver shares, of one bone close to rest; links and lengths have no part in it.

use super::{DAMPING, EzSoftBone, GRAVITY, ITERATIONS, RADIUS, RESISTANCE, SLEEP_THRESHOLD, STIFFNESS};
use crate::schema::{ParamSet, Row};
use crate::sim::sway::common_part;
use crate::sim::unify::{Feel, Linear};
use crate::sim::{Creep, Dynamics as _, FeelMap, Numbers, Sway, Term};
use glam::Vec3;

pub(super) const UNSUPPORTED: &[(Term, &str)] = &[
    (Term::Weight, "EZSoftBone's gravity is the whole component's; a joint's resistance only says how much it feels."),
    (Term::Follow, "EZSoftBone ignores the body's motion only as a whole, by the space that it simulates in."),
    (Term::Reach, "EZSoftBone has no limit of how far a bone may swing."),
];

/// What one substep does with these shares, for a sideways offset from the pose.
fn linear(stiffness: f64, damping: f64) -> Linear {
    Linear { kept: (1.0 - stiffness) * (1.0 - damping), pulled: stiffness * (1.0 + damping) * 0.5, pushed: 0.0 }
}

/// Stiffness and damping of a substep that does so. Damping below 0 means that no numbers swing that long.
fn shares(linear: Linear) -> (f64, f64) {
    let b = 2.0 - linear.kept + 2.0 * linear.pulled;
    let stiffness = (b - (b * b - 16.0 * linear.pulled).max(0.0).sqrt()) * 0.25;
    (stiffness, 1.0 - linear.kept / (1.0 - stiffness).max(1e-9))
}

/// The stiffness that swings so fast without any damping, with substeps of `h` seconds.
fn undamped(frequency_hz: f32, h: f32) -> f64 {
    let (mut low, mut high) = (0.0, 0.999_f64);
    for _ in 0..50 {
        let middle = (low + high) * 0.5;
        let slower = linear(middle, 0.0).to_feel(h).frequency_hz < frequency_hz;
        (low, high) = if slower { (middle, high) } else { (low, middle) };
    }
    (low + high) * 0.5
}

/// How many substeps; how long each is on the players' clock, and how long it counts in the engine. Seconds.
fn times(numbers: &Numbers<'_>) -> (f32, f32, f32) {
    let iterations = numbers.system.get(ITERATIONS).round().clamp(1.0, 10.0);
    let counted = EzSoftBone::step_seconds(numbers.system, numbers.frame);
    (iterations, numbers.frame / iterations, counted / iterations)
}

impl FeelMap for EzSoftBone {
    fn sway(numbers: &Numbers<'_>) -> Sway {
        let number = |row| numbers.joint.get(row);
        let (iterations, h, counted) = times(numbers);
        let each = f64::from((number(STIFFNESS) / iterations).clamp(0.0, 1.0));
        let linear = linear(each, f64::from(number(DAMPING)));
        let feel = linear.to_feel(h);
        // What the engine adds to the speed in a substep, brought to what it adds to the way.
        let share = (1.0 - number(RESISTANCE)) / iterations * linear.kept as f32 * counted / (h * h);
        let pull = numbers.system_vector(GRAVITY) * share;
        let radius = Some(number(RADIUS));
        Sway { pull, radius, ..Sway::new(Feel { acceleration: 0.0, ..feel }, Vec3::ZERO) }
    }

    /// The engine compares the threshold with the square of the speed; below it, stiffness alone moves the tip.
    fn creep(numbers: &Numbers<'_>) -> Option<Creep> {
        let (iterations, h, counted) = times(numbers);
        let below = numbers.system.get(SLEEP_THRESHOLD).max(0.0).sqrt() * counted / h;
        let stiffness = numbers.joint.get(STIFFNESS);
        // What every substep leaves of the way.
        let left = 1.0 - f64::from((stiffness / iterations).clamp(0.0, 1.0));
        let frames = (-1.0 / (left.ln() * f64::from(iterations))) as f32;
        (below > 0.0 && frames.is_finite()).then_some(Creep {
            below,
            row: SLEEP_THRESHOLD,
            frames,
            seconds: frames * numbers.frame,
        })
    }

    fn numbers(sway: &Sway, now: &Numbers<'_>) -> Vec<(Row, f32)> {
        let (iterations, h, counted) = times(now);
        let (stiffness, damping) = shares_of(sway, h);
        let kept = linear(stiffness, damping).kept as f32;
        let mut numbers = vec![
            (STIFFNESS, (stiffness as f32 * iterations).clamp(0.0, 1.0)),
            (DAMPING, (damping as f32).clamp(0.0, 1.0)),
        ];
        let gravity = now.system_vector(GRAVITY);
        if let Some(down) = gravity.try_normalize() {
            let felt = sway.pull.dot(down) * h * h * iterations / (kept * counted * gravity.length());
            numbers.push((RESISTANCE, (1.0 - felt).clamp(0.0, 1.0)));
        }
        numbers.extend(sway.radius.map(|radius| (RADIUS, radius)));
        numbers
    }

    /// One gravity for all joints of a component: along the common part of their pulls, and as strong as the joint that is
    /// pulled most needs it. The other joints resist.
    fn system_numbers(joints: &[(Sway, f32)], system: &ParamSet, frame: f32) -> Vec<(Row, f32)> {
        let joint = ParamSet::defaults(super::PARAMS);
        let (iterations, h, counted) = times(&Numbers { joint: &joint, system, length: 0.0, carried: 0.0, frame });
        let wanted: Vec<Vec3> = joints
            .iter()
            .map(|(sway, _)| {
                let (stiffness, damping) = shares_of(sway, h);
                sway.pull * (h * h * iterations / (linear(stiffness, damping).kept.max(1e-9) as f32 * counted))
            })
            .collect();
        let down = common_part(wanted.iter().copied()).normalize_or_zero();
        let strongest = wanted.iter().map(|pull| pull.dot(down)).filter(|pull| pull.is_finite()).fold(0.0, f32::max);
        let gravity = GRAVITY.into_iter().zip((down * strongest).to_array());
        // No other solver stops slow tips.
        gravity.chain([(SLEEP_THRESHOLD, 0.0)]).collect()
    }
}

/// Stiffness and damping of a substep of `h` seconds, as near to the sway as the engine comes.
fn shares_of(sway: &Sway, h: f32) -> (f64, f64) {
    // A swing that the frames are too slow for would come out as none.
    let fastest = 0.25 / h;
    let feel = Feel { frequency_hz: sway.frequency_hz.min(fastest), ..sway.feel() };
    let (stiffness, damping) = shares(feel.to_linear(h));
    if damping < 0.0 { (undamped(feel.frequency_hz, h), 0.0) } else { (stiffness, damping) }
}

#[cfg(test)]
mod tests {
    use super::super::{CONSTANT_DELTA_TIME, DELTA_TIME_MODE, PARAMS};
    use super::*;

    const FRAME: f32 = 1.0 / 60.0;

    /// The sway of what is made of `wanted` under a component with these numbers.
    fn around(wanted: &Sway, rows: &[(Row, f32)]) -> Sway {
        let mut system = ParamSet::defaults(PARAMS);
        for (row, value) in rows {
            system.set(*row, *value);
        }
        let joint = ParamSet::defaults(PARAMS);
        let now = Numbers { joint: &joint, system: &system, length: 0.1, carried: 0.0, frame: FRAME };
        let mut made = joint.clone();
        for (row, value) in EzSoftBone::numbers(wanted, &now) {
            assert!(value.is_finite());
            made.set(row, value);
        }
        EzSoftBone::sway(&Numbers { joint: &made, ..now })
    }

    #[test]
    fn numbers_of_a_sway_sway_so_whatever_the_substeps_and_the_step() {
        let settings: [&[(Row, f32)]; 4] = [
            &[],
            &[(ITERATIONS, 4.0)],
            &[(DELTA_TIME_MODE, 2.0), (CONSTANT_DELTA_TIME, 0.03)],
            &[(ITERATIONS, 2.0), (GRAVITY[1], -2.0)],
        ];
        for rows in settings {
            for (frequency_hz, damping_ratio) in [(1.0, 0.8), (2.5, 0.6), (3.0, 0.9), (1.5, 1.3)] {
                let feel = Feel { frequency_hz, damping_ratio, acceleration: 2.0 };
                let wanted = Sway { radius: Some(0.02), ..Sway::new(feel, Vec3::NEG_Y) };
                let found = around(&wanted, rows);
                let off = (found.frequency_hz - frequency_hz).abs() + (found.damping_ratio - damping_ratio).abs();
                assert!(off < 2e-3, "{rows:?}: {wanted:?} came out as {found:?}");
                assert_eq!(found.radius, Some(0.02));
                let heavy = rows.iter().any(|(row, _)| *row == GRAVITY[1]);
                let pull = if heavy { wanted.pull } else { Vec3::ZERO };
                assert!((found.pull - pull).length() < 1e-2, "{rows:?}: {found:?}");
            }
        }
    }

    #[test]
    fn a_swing_that_cannot_last_keeps_its_speed_without_any_damping() {
        let found =
            around(&Sway::new(Feel { frequency_hz: 3.0, damping_ratio: 0.05, acceleration: 0.0 }, Vec3::Y), &[]);
        assert!((found.frequency_hz - 3.0).abs() < 0.01 && found.damping_ratio > 0.05, "{found:?}");
    }

    #[test]
    fn the_engines_own_numbers_at_a_tip_swing_two_and_a_half_times_a_second() {
        let (joint, system) = (ParamSet::defaults(PARAMS), ParamSet::defaults(PARAMS));
        let found =
            EzSoftBone::sway(&Numbers { joint: &joint, system: &system, length: 0.1, carried: 0.0, frame: FRAME });
        assert!((found.frequency_hz - 2.5).abs() < 0.05 && (found.damping_ratio - 0.62).abs() < 0.01, "{found:?}");
    }
}
