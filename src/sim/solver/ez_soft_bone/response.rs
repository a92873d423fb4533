//! The numbers in terms that every solver shares, of one bone close to rest; links and lengths have no part in it.

use super::{DAMPING, EzSoftBone, GRAVITY, ITERATIONS, RADIUS, RESISTANCE, SLEEP_THRESHOLD, STIFFNESS};
use crate::params::{ParamId, ParamSet};
use crate::sim::linear_spring::{LinearRecurrence, SpringFeel};
use crate::sim::response::median_vector;
use crate::sim::{Dynamics as _, FeelParam, OverdampedReturn, ResponseInput, ResponseModel, SpringResponse};
use glam::Vec3;

pub(super) const UNSUPPORTED: &[(FeelParam, &str)] = &[
    (
        FeelParam::Weight,
        "EZSoftBone's gravity is the whole component's; a joint's resistance only says how much it feels.",
    ),
    (
        FeelParam::IgnoreMotion,
        "EZSoftBone ignores the body's motion only as a whole, by the space that it simulates in.",
    ),
    (FeelParam::MaxAngle, "EZSoftBone has no limit of how far a bone may swing."),
];

/// What one substep does with these shares, for a sideways offset from the pose.
fn substep_recurrence(stiffness: f64, damping: f64) -> LinearRecurrence {
    LinearRecurrence {
        velocity_retention: (1.0 - stiffness) * (1.0 - damping),
        offset_removed: stiffness * (1.0 + damping) * 0.5,
        displacement_added: 0.0,
    }
}

/// Stiffness and damping of a substep that does so. Damping below 0 means that no numbers swing that long.
fn stiffness_and_damping(linear: LinearRecurrence) -> (f64, f64) {
    let b = 2.0 - linear.velocity_retention + 2.0 * linear.offset_removed;
    let stiffness = (b - (b * b - 16.0 * linear.offset_removed).max(0.0).sqrt()) * 0.25;
    (stiffness, 1.0 - linear.velocity_retention / (1.0 - stiffness).max(1e-9))
}

/// The stiffness that swings so fast without any damping, with substeps of `h` seconds.
fn undamped_stiffness(frequency_hz: f32, h: f32) -> f64 {
    let (mut low, mut high) = (0.0, 0.999_f64);
    for _ in 0..50 {
        let middle = (low + high) * 0.5;
        let slower = substep_recurrence(middle, 0.0).to_feel(h).frequency_hz < frequency_hz;
        (low, high) = if slower { (middle, high) } else { (low, middle) };
    }
    (low + high) * 0.5
}

/// How many substeps; how long each is on the players' clock, and how long it counts in the engine. Seconds.
fn substep_times(numbers: &ResponseInput<'_>) -> (f32, f32, f32) {
    let iterations = numbers.system_params.get(ITERATIONS).round().clamp(1.0, 10.0);
    let counted = EzSoftBone::step_seconds(numbers.system_params, numbers.frame_seconds);
    (iterations, numbers.frame_seconds / iterations, counted / iterations)
}

impl ResponseModel for EzSoftBone {
    fn response(numbers: &ResponseInput<'_>) -> SpringResponse {
        let number = |row| numbers.joint_params.get(row);
        let (iterations, h, counted) = substep_times(numbers);
        let each = f64::from((number(STIFFNESS) / iterations).clamp(0.0, 1.0));
        let linear = substep_recurrence(each, f64::from(number(DAMPING)));
        let feel = linear.to_feel(h);
        // What the engine adds to the speed in a substep, brought to what it adds to the way.
        let share = (1.0 - number(RESISTANCE)) / iterations * linear.velocity_retention as f32 * counted / (h * h);
        let pull = numbers.system_param_vector(GRAVITY) * share;
        let radius = Some(number(RADIUS));
        SpringResponse {
            acceleration: pull,
            radius,
            ..SpringResponse::new(SpringFeel { acceleration: 0.0, ..feel }, Vec3::ZERO)
        }
    }

    /// The engine compares the threshold with the square of the speed; below it, stiffness alone moves the tip.
    fn overdamped_return(numbers: &ResponseInput<'_>) -> Option<OverdampedReturn> {
        let (iterations, h, counted) = substep_times(numbers);
        let below = numbers.system_params.get(SLEEP_THRESHOLD).max(0.0).sqrt() * counted / h;
        let stiffness = numbers.joint_params.get(STIFFNESS);
        // What every substep leaves of the way.
        let left = 1.0 - f64::from((stiffness / iterations).clamp(0.0, 1.0));
        let frames = (-1.0 / (left.ln() * f64::from(iterations))) as f32;
        (below > 0.0 && frames.is_finite()).then_some(OverdampedReturn {
            speed_threshold: below,
            threshold_param: SLEEP_THRESHOLD,
            time_constant_frames: frames,
            time_constant_seconds: frames * numbers.frame_seconds,
        })
    }

    fn params_for(sway: &SpringResponse, now: &ResponseInput<'_>) -> Vec<(ParamId, f32)> {
        let (iterations, h, counted) = substep_times(now);
        let (stiffness, damping) = stiffness_and_damping_for(sway, h);
        let kept = substep_recurrence(stiffness, damping).velocity_retention as f32;
        let mut numbers = vec![
            (STIFFNESS, (stiffness as f32 * iterations).clamp(0.0, 1.0)),
            (DAMPING, (damping as f32).clamp(0.0, 1.0)),
        ];
        let gravity = now.system_param_vector(GRAVITY);
        if let Some(down) = gravity.try_normalize() {
            let felt = sway.acceleration.dot(down) * h * h * iterations / (kept * counted * gravity.length());
            numbers.push((RESISTANCE, (1.0 - felt).clamp(0.0, 1.0)));
        }
        numbers.extend(sway.radius.map(|radius| (RADIUS, radius)));
        numbers
    }

    /// One gravity for all joints of a component: along the common part of their pulls, and as strong as the joint that is
    /// pulled most needs it. The other joints resist.
    fn system_params_for(joints: &[(SpringResponse, f32)], system: &ParamSet, frame: f32) -> Vec<(ParamId, f32)> {
        let joint = ParamSet::defaults(super::PARAMS);
        let (iterations, h, counted) = substep_times(&ResponseInput {
            joint_params: &joint,
            system_params: system,
            bone_length: 0.0,
            carried_inertia: 0.0,
            frame_seconds: frame,
        });
        let wanted: Vec<Vec3> = joints
            .iter()
            .map(|(sway, _)| {
                let (stiffness, damping) = stiffness_and_damping_for(sway, h);
                sway.acceleration
                    * (h * h * iterations
                        / (substep_recurrence(stiffness, damping).velocity_retention.max(1e-9) as f32 * counted))
            })
            .collect();
        let down = median_vector(wanted.iter().copied()).normalize_or_zero();
        let strongest = wanted.iter().map(|pull| pull.dot(down)).filter(|pull| pull.is_finite()).fold(0.0, f32::max);
        let gravity = GRAVITY.into_iter().zip((down * strongest).to_array());
        // No other solver stops slow tips.
        gravity.chain([(SLEEP_THRESHOLD, 0.0)]).collect()
    }
}

/// Stiffness and damping of a substep of `h` seconds, as near to the sway as the engine comes.
fn stiffness_and_damping_for(sway: &SpringResponse, h: f32) -> (f64, f64) {
    // A swing that the frames are too slow for would come out as none.
    let fastest = 0.25 / h;
    let feel = SpringFeel { frequency_hz: sway.frequency_hz.min(fastest), ..sway.feel() };
    let (stiffness, damping) = stiffness_and_damping(feel.to_recurrence(h));
    if damping < 0.0 { (undamped_stiffness(feel.frequency_hz, h), 0.0) } else { (stiffness, damping) }
}

#[cfg(test)]
mod tests {
    use super::super::{CONSTANT_DELTA_TIME, DELTA_TIME_MODE, PARAMS};
    use super::*;

    const FRAME: f32 = 1.0 / 60.0;

    /// The sway of what is made of `wanted` under a component with these numbers.
    fn round_trip(wanted: &SpringResponse, rows: &[(ParamId, f32)]) -> SpringResponse {
        let mut system = ParamSet::defaults(PARAMS);
        for (row, value) in rows {
            system.set(*row, *value);
        }
        let joint = ParamSet::defaults(PARAMS);
        let now = ResponseInput {
            joint_params: &joint,
            system_params: &system,
            bone_length: 0.1,
            carried_inertia: 0.0,
            frame_seconds: FRAME,
        };
        let mut made = joint.clone();
        for (row, value) in EzSoftBone::params_for(wanted, &now) {
            assert!(value.is_finite());
            made.set(row, value);
        }
        EzSoftBone::response(&ResponseInput { joint_params: &made, ..now })
    }

    #[test]
    fn params_for_a_response_reproduce_it_for_every_substep_count_and_time_step() {
        let settings: [&[(ParamId, f32)]; 4] = [
            &[],
            &[(ITERATIONS, 4.0)],
            &[(DELTA_TIME_MODE, 2.0), (CONSTANT_DELTA_TIME, 0.03)],
            &[(ITERATIONS, 2.0), (GRAVITY[1], -2.0)],
        ];
        for rows in settings {
            for (frequency_hz, damping_ratio) in [(1.0, 0.8), (2.5, 0.6), (3.0, 0.9), (1.5, 1.3)] {
                let feel = SpringFeel { frequency_hz, damping_ratio, acceleration: 2.0 };
                let wanted = SpringResponse { radius: Some(0.02), ..SpringResponse::new(feel, Vec3::NEG_Y) };
                let found = round_trip(&wanted, rows);
                let off = (found.frequency_hz - frequency_hz).abs() + (found.damping_ratio - damping_ratio).abs();
                assert!(off < 2e-3, "{rows:?}: {wanted:?} came out as {found:?}");
                assert_eq!(found.radius, Some(0.02));
                let heavy = rows.iter().any(|(row, _)| *row == GRAVITY[1]);
                let pull = if heavy { wanted.acceleration } else { Vec3::ZERO };
                assert!((found.acceleration - pull).length() < 1e-2, "{rows:?}: {found:?}");
            }
        }
    }

    #[test]
    fn a_response_with_too_little_damping_keeps_its_frequency_with_zero_damping() {
        let found = round_trip(
            &SpringResponse::new(SpringFeel { frequency_hz: 3.0, damping_ratio: 0.05, acceleration: 0.0 }, Vec3::Y),
            &[],
        );
        assert!((found.frequency_hz - 3.0).abs() < 0.01 && found.damping_ratio > 0.05, "{found:?}");
    }

    #[test]
    fn the_default_params_swing_at_about_2_5_hertz() {
        let (joint, system) = (ParamSet::defaults(PARAMS), ParamSet::defaults(PARAMS));
        let found = EzSoftBone::response(&ResponseInput {
            joint_params: &joint,
            system_params: &system,
            bone_length: 0.1,
            carried_inertia: 0.0,
            frame_seconds: FRAME,
        });
        assert!((found.frequency_hz - 2.5).abs() < 0.05 && (found.damping_ratio - 0.62).abs() < 0.01, "{found:?}");
    }
}
