//! Parameter table of `EZSoftBone` and `EZSoftBoneMaterial`, with the original names, and the spring response.
//!
//! In `EZSoftBone`, damping, stiffness, resistance, slackness and radius are base values multiplied by a curve along
//! the chain. Here, a joint holds the product at its tip. Forces are in metres per second per frame.
//!
//! The response describes a single bone close to rest, without sibling links and length constraints.

use super::EzSoftBone;
use crate::linear_spring::{LinearRecurrence, SpringFeel};
use crate::params::{
    Invalidates, MirrorRule, ParamDef, ParamGroup, ParamId, ParamKind, ParamMeaning, ParamScope, ParamSet, SliderScale,
    Unit, params,
};
use crate::response::median_vector;
use crate::{Dynamics as _, FeelParam, OverdampedReturn, ResponseInput, ResponseModel, SolverKind, SpringResponse};
use glam::Vec3;

const JOINT: ParamDef = ParamDef { owner: SolverKind::EzSoftBone.key(), curve: true, ..ParamDef::PLAIN.fraction() };
const SYSTEM: ParamDef = ParamDef { scope: ParamScope::System, unit: Unit::None, curve: false, ..JOINT };
const STRUCTURE: ParamDef = ParamDef {
    group: ParamGroup::Switches,
    meaning: ParamMeaning::Switch,
    invalidates: Invalidates::Topology,
    ..SYSTEM
};
const FORCE: ParamDef = ParamDef { group: ParamGroup::World, meaning: ParamMeaning::Gravity, ..SYSTEM.unbounded() };
const TIME: ParamDef = ParamDef { group: ParamGroup::Time, meaning: ParamMeaning::Time, ..SYSTEM };

/// The parameters that `EZSoftBoneMaterial` stores.
pub const MATERIAL_PARAMS: &[ParamId] = &[DAMPING, STIFFNESS, RESISTANCE, SLACKNESS];

const UNIFICATIONS: &[&str] = &["None", "Rooted", "Unified"];
const DELTA_TIME_MODES: &[&str] = &["Delta time", "Unscaled delta time", "Constant"];

params! {
    /// All parameters, in the order of the inspector.
    pub const PARAMS;

    /// Share of the speed lost in every substep, 0 to 1. The effect is stronger at higher frame rates.
    DAMPING = "m_Damping" "Damping" { default: 0.2, meaning: ParamMeaning::Drag, ..JOINT };
    /// Pulls the tip back to the pose: share of the offset removed in every frame, 0 to 1. Higher values and higher
    /// frame rates are stiffer.
    STIFFNESS = "m_Stiffness" "Stiffness" { default: 0.1, ..JOINT };
    /// Share of gravity and wind that is ignored, 0 to 1. EZSoftBone's default curve falls to 0 at the tip.
    RESISTANCE = "m_Resistance" "Resistance" { default: 0.9, meaning: ParamMeaning::Gravity, ..JOINT };
    /// Share of a stretch that remains, 0 to 1. 0 keeps bone and sibling lengths.
    SLACKNESS = "m_Slackness" "Slackness" { default: 0.1, meaning: ParamMeaning::Limit, ..JOINT };
    /// Radius of the sphere at the tip that hits colliders, in metres. 0 turns collision off.
    RADIUS = "m_Radius" "Radius" {
        group: ParamGroup::Collision, unit: Unit::Metres, range: (0.0, f32::MAX), soft_range: (0.0, 0.2),
        scale: SliderScale::Logarithmic, meaning: ParamMeaning::Radius, ..JOINT
    };
    /// Number of bones below each root that follow the pose.
    START_DEPTH = "m_StartDepth" "Start depth" {
        kind: ParamKind::Integer, range: (0.0, f32::MAX), soft_range: (0.0, 4.0), ..STRUCTURE
    };
    /// Keeps the distances between bones of equal depth: not at all, below each root, or across all roots.
    SIBLING_CONSTRAINTS = "m_SiblingConstraints" "Sibling links" { ..STRUCTURE.choice(UNIFICATIONS) };
    /// Links the last bone of each depth to the first, as around a skirt.
    CLOSED_SIBLINGS = "m_ClosedSiblings" "Closed ring" { ..STRUCTURE.toggle() };
    /// A bone is turned by its linked siblings as well as by its own tip.
    SIBLING_ROTATION = "m_SiblingRotationConstraints" "Siblings turn bones" {
        group: ParamGroup::Switches, default: 1.0, meaning: ParamMeaning::Switch, ..SYSTEM.toggle()
    };
    /// Length that a curve spans: that of the longest branch through the bone, below the root of the bone, or below any
    /// root.
    LENGTH_UNIFICATION = "m_LengthUnification" "Curve length" { ..STRUCTURE.choice(UNIFICATIONS) };
    /// Length of a frame. Delta time and unscaled delta time are the same here, because time is not scaled.
    DELTA_TIME_MODE = "m_DeltaTimeMode" "Time step" { ..TIME.choice(DELTA_TIME_MODES) };
    /// Length of each frame in the Constant time step, in seconds.
    CONSTANT_DELTA_TIME = "m_ConstantDeltaTime" "Constant step" {
        unit: Unit::Seconds, range: (1e-6, f32::MAX), soft_range: (0.005, 0.1), scale: SliderScale::Logarithmic,
        default: 0.03, ..TIME
    };
    /// Substeps per frame, 1 to 10. Stiffness, slackness and forces are divided by it, damping is not.
    ITERATIONS = "m_Iterations" "Iterations" {
        kind: ParamKind::Integer, range: (1.0, 10.0), soft_range: (1.0, 10.0), default: 1.0, ..TIME
    };
    /// Squared speed, in m²/s², below which a tip does not move. 0.005 is 7 cm/s.
    SLEEP_THRESHOLD = "m_SleepThreshold" "Sleep threshold" {
        group: ParamGroup::Time, range: (0.0, f32::MAX), soft_range: (0.0, 0.05), default: 0.005, meaning: ParamMeaning::Drag, ..SYSTEM
    };
    GRAVITY: Vector = "m_Gravity" { unit: Unit::Speed, soft_range: (-1.0, 1.0), ..FORCE } [
        /// Gravity along X in the world, in m/s per frame. Each joint's resistance reduces it.
        x "Gravity X" { mirror: MirrorRule::Negate },
        /// Gravity upwards in the world, in m/s per frame. -0.16 is Earth's gravity at 60 frames per second.
        y "Gravity Y",
        /// Gravity along Z in the world, in m/s per frame. Each joint's resistance reduces it.
        z "Gravity Z",
    ];
    /// Factor on the force field. 1 leaves it unchanged.
    FORCE_SCALE = "m_ForceScale" "Force scale" { soft_range: (0.0, 5.0), default: 1.0, meaning: ParamMeaning::Wind, ..FORCE };
}

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

/// Returns the recurrence of one substep with these shares, for a sideways offset from the pose.
fn substep_recurrence(stiffness: f64, damping: f64) -> LinearRecurrence {
    LinearRecurrence {
        velocity_retention: (1.0 - stiffness) * (1.0 - damping),
        offset_removed: stiffness * (1.0 + damping) * 0.5,
        displacement_added: 0.0,
    }
}

/// Returns stiffness and damping of a substep. Damping below 0 means that no parameter values make the joint swing that
/// long.
fn stiffness_and_damping(linear: LinearRecurrence) -> (f64, f64) {
    let b = 2.0 - linear.velocity_retention + 2.0 * linear.offset_removed;
    let stiffness = (b - (b * b - 16.0 * linear.offset_removed).max(0.0).sqrt()) * 0.25;
    (stiffness, 1.0 - linear.velocity_retention / (1.0 - stiffness).max(1e-9))
}

/// Returns the stiffness that gives an undamped joint this frequency, with substeps of `h` seconds.
fn undamped_stiffness(frequency_hz: f32, h: f32) -> f64 {
    let (mut low, mut high) = (0.0, 0.999_f64);
    for _ in 0..50 {
        let middle = (low + high) * 0.5;
        let slower = substep_recurrence(middle, 0.0).to_feel(h).frequency_hz < frequency_hz;
        (low, high) = if slower { (middle, high) } else { (low, middle) };
    }
    (low + high) * 0.5
}

/// Returns the number of substeps, their length in real time, and their length in `EZSoftBone`'s time, in seconds.
fn substep_times(input: &ResponseInput<'_>) -> (f32, f32, f32) {
    let iterations = input.system_params.get(ITERATIONS).round().clamp(1.0, 10.0);
    let counted = EzSoftBone::step_seconds(input.system_params, input.frame_seconds);
    (iterations, input.frame_seconds / iterations, counted / iterations)
}

impl ResponseModel for EzSoftBone {
    fn response(input: &ResponseInput<'_>) -> SpringResponse {
        let number = |param| input.joint_params.get(param);
        let (iterations, h, counted) = substep_times(input);
        let each = f64::from((number(STIFFNESS) / iterations).clamp(0.0, 1.0));
        let linear = substep_recurrence(each, f64::from(number(DAMPING)));
        let feel = linear.to_feel(h);
        // Converts the velocity added per substep to an acceleration.
        let share = (1.0 - number(RESISTANCE)) / iterations * linear.velocity_retention as f32 * counted / (h * h);
        let pull = input.system_param_vector(GRAVITY) * share;
        let radius = Some(number(RADIUS));
        SpringResponse {
            acceleration: pull,
            radius,
            ..SpringResponse::new(SpringFeel { acceleration: 0.0, ..feel }, Vec3::ZERO)
        }
    }

    /// `EZSoftBone` compares the threshold with the squared speed. Below the threshold, only stiffness moves the tip.
    fn overdamped_return(input: &ResponseInput<'_>) -> Option<OverdampedReturn> {
        let (iterations, h, counted) = substep_times(input);
        let below = input.system_params.get(SLEEP_THRESHOLD).max(0.0).sqrt() * counted / h;
        let stiffness = input.joint_params.get(STIFFNESS);
        // Share of the offset that a substep leaves.
        let left = 1.0 - f64::from((stiffness / iterations).clamp(0.0, 1.0));
        let frames = (-1.0 / (libm::log(left) * f64::from(iterations))) as f32;
        (below > 0.0 && frames.is_finite()).then_some(OverdampedReturn {
            speed_threshold: below,
            threshold_param: SLEEP_THRESHOLD,
            time_constant_frames: frames,
            time_constant_seconds: frames * input.frame_seconds,
        })
    }

    fn params_for(response: &SpringResponse, now: &ResponseInput<'_>) -> Vec<(ParamId, f32)> {
        let (iterations, h, counted) = substep_times(now);
        let (stiffness, damping) = stiffness_and_damping_for(response, h);
        let kept = substep_recurrence(stiffness, damping).velocity_retention as f32;
        let mut numbers = vec![
            (STIFFNESS, (stiffness as f32 * iterations).clamp(0.0, 1.0)),
            (DAMPING, (damping as f32).clamp(0.0, 1.0)),
        ];
        let gravity = now.system_param_vector(GRAVITY);
        if let Some(down) = gravity.try_normalize() {
            let felt = response.acceleration.dot(down) * h * h * iterations / (kept * counted * gravity.length());
            numbers.push((RESISTANCE, (1.0 - felt).clamp(0.0, 1.0)));
        }
        numbers.extend(response.radius.map(|radius| (RADIUS, radius)));
        numbers
    }

    /// All joints share one gravity. It has the direction of their median acceleration and is as strong as the
    /// strongest joint needs. The resistance of the other joints reduces it.
    fn system_params_for(joints: &[(SpringResponse, f32)], system: &ParamSet, frame: f32) -> Vec<(ParamId, f32)> {
        let joint = ParamSet::defaults(PARAMS);
        let (iterations, h, counted) = substep_times(&ResponseInput {
            joint_params: &joint,
            system_params: system,
            bone_length: 0.0,
            carried_inertia: 0.0,
            frame_seconds: frame,
        });
        let target: Vec<Vec3> = joints
            .iter()
            .map(|(response, _)| {
                let (stiffness, damping) = stiffness_and_damping_for(response, h);
                response.acceleration
                    * (h * h * iterations
                        / (substep_recurrence(stiffness, damping).velocity_retention.max(1e-9) as f32 * counted))
            })
            .collect();
        let down = median_vector(target.iter().copied()).normalize_or_zero();
        let strongest = target.iter().map(|pull| pull.dot(down)).filter(|pull| pull.is_finite()).fold(0.0, f32::max);
        let gravity = GRAVITY.into_iter().zip((down * strongest).to_array());
        // Only this solver stops slow tips, so disable the threshold.
        gravity.chain([(SLEEP_THRESHOLD, 0.0)]).collect()
    }
}

/// Returns the closest stiffness and damping of a substep of `h` seconds.
fn stiffness_and_damping_for(response: &SpringResponse, h: f32) -> (f64, f64) {
    // Substeps of this length cannot represent a higher frequency.
    let fastest = 0.25 / h;
    let feel = SpringFeel { frequency_hz: response.frequency_hz.min(fastest), ..response.feel() };
    let (stiffness, damping) = stiffness_and_damping(feel.to_recurrence(h));
    if damping < 0.0 { (undamped_stiffness(feel.frequency_hz, h), 0.0) } else { (stiffness, damping) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{ResponseCase, check_feel};

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
                let target = SpringResponse { radius: Some(0.02), ..SpringResponse::new(feel, Vec3::NEG_Y) };
                let found = ResponseCase::<EzSoftBone>::new(&[], rows).round_trip(&target);
                let off = (found.frequency_hz - frequency_hz).abs() + (found.damping_ratio - damping_ratio).abs();
                assert!(off < 2e-3, "{rows:?}: {target:?} came out as {found:?}");
                assert_eq!(found.radius, Some(0.02));
                let heavy = rows.iter().any(|(param, _)| *param == GRAVITY[1]);
                let pull = if heavy { target.acceleration } else { Vec3::ZERO };
                assert!((found.acceleration - pull).length() < 1e-2, "{rows:?}: {found:?}");
            }
        }
    }

    #[test]
    fn a_response_with_too_little_damping_keeps_its_frequency_with_zero_damping() {
        let target =
            SpringResponse::new(SpringFeel { frequency_hz: 3.0, damping_ratio: 0.05, acceleration: 0.0 }, Vec3::Y);
        let found = ResponseCase::<EzSoftBone>::new(&[], &[]).round_trip(&target);
        assert!((found.frequency_hz - 3.0).abs() < 0.01 && found.damping_ratio > 0.05, "{found:?}");
    }

    #[test]
    fn the_default_params_swing_at_about_2_5_hertz() {
        let found = ResponseCase::<EzSoftBone>::new(&[], &[]).response();
        check_feel(&found, [2.5, 0.62], [0.05, 0.01]);
    }
}
