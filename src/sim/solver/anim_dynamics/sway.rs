//! `AnimDynamics`' numbers in terms that every solver shares: one bone alone, swinging about its joint.

use super::bake::{damping, inertia};
use super::force::{kept, pulled};
use super::params::{
    ANGULAR_CONSTRAINT_TYPE, ANGULAR_DAMPING, ANGULAR_LIMITS_MAX, ANGULAR_LIMITS_MIN, ANGULAR_SPRING,
    ANGULAR_SPRING_CONSTANT, ANGULAR_TARGET_AXIS, BODY_AT, BOX_EXTENTS, COLLISION_TYPE, COMPONENT_ACC_SCALE,
    CONE_ANGLE, EXTERNAL_FORCE, GRAVITY_OVERRIDE, GRAVITY_SCALE, LINEAR_DAMPING, LINEAR_SPRING, LINEAR_SPRING_CONSTANT,
    LOCAL_JOINT_OFFSET, OVERRIDE_ANGULAR_DAMPING, OVERRIDE_LINEAR_DAMPING, SIMULATION_SPACE, SPHERE_COLLISION_RADIUS,
    SUBSTEP_RATE, TWIST_AXIS, USE_GRAVITY_OVERRIDE,
};
use super::step::step_seconds;
use super::{AnimDynamics, MASS, bake};
use crate::schema::{ParamSet, Row};
use crate::sim::sway::common_part;
use crate::sim::unify::{Feel, Linear};
use crate::sim::{FeelMap, Numbers, OPEN_DEG, Sway, Term};
use glam::Vec3;

pub(super) const UNSUPPORTED: &[(Term, &str)] =
    &[(Term::Follow, "AnimDynamics ignores the body's motion only as a whole, by its simulation space.")];

/// The greatest damping that is not a full stop: the last number before 1.
const MOST_DAMPING: f64 = 1.0 - 6e-8;
/// Choices of the simulation space.
const COMPONENT: f32 = 0.0;
const WORLD: f32 = 2.0;
/// The cone opens no wider, degrees.
const WIDEST: f32 = 90.0;

/// Pulls that differ less from straight down need no gravity of their own: the cosine of the angle.
const DOWN: f32 = 0.9998;

/// How a body resists a swing about its joint, kg m².
#[derive(Clone, Copy, Debug)]
struct Weight {
    /// Of the box and of the lever together.
    whole: f32,
    /// The same with the bodies further down the chain, where bodies have a lever and their joints are on the bones.
    carrying: f32,
    /// Share of it that is the lever's.
    lever_share: f32,
    /// From the center to the joint, metres.
    lever: f32,
}

/// Over the two directions across the bone: the target axis, else the lever, else all three alike.
fn weight(numbers: &Numbers<'_>) -> Weight {
    let own = inertia(numbers.vector(BOX_EXTENTS));
    let lever = numbers.vector(LOCAL_JOINT_OFFSET);
    let squared = lever.length_squared();
    let axis = match numbers.joint.get(ANGULAR_TARGET_AXIS).round() as usize {
        at @ 1..=3 => Some(Vec3::AXES[at - 1]),
        _ => lever.try_normalize(),
    };
    let across = |trace: f32, along: f32| if axis.is_some() { (trace - along) * 0.5 } else { trace / 3.0 };
    let axis = axis.unwrap_or(Vec3::ZERO);
    let turned = across(own.element_sum(), (axis * axis).dot(own));
    let carried = MASS * across(2.0 * squared, squared - lever.dot(axis).powi(2));
    let whole = turned + carried;
    // `carried` is measured from heads to tips. Bodies are there only where their joints are on the bones' heads.
    let joint_on_bone = numbers.system.get(BODY_AT) >= 0.5;
    let below = if joint_on_bone && squared > 0.0 { MASS * numbers.carried } else { 0.0 };
    Weight { whole, carrying: whole + below, lever_share: carried / whole, lever: squared.sqrt() }
}

fn is_on(numbers: &Numbers<'_>, row: Row) -> bool {
    numbers.joint.get(row) >= 0.5
}

/// Share of an offset that the linear spring takes away per step of `h` seconds: it acts by the lever.
fn pulled_by_place(numbers: &Numbers<'_>, weight: Weight, h: f32) -> f32 {
    if !is_on(numbers, LINEAR_SPRING) {
        return 0.0;
    }
    pulled(numbers.joint.get(LINEAR_SPRING_CONSTANT).max(0.0) / MASS, h) * weight.lever_share
}

/// What pulls at all bodies, m/s², before and after the gravity scale.
fn pulls(numbers: &Numbers<'_>) -> (Vec3, Vec3) {
    let own = numbers.system.get(USE_GRAVITY_OVERRIDE) >= 0.5;
    let gravity = if own { numbers.system_vector(GRAVITY_OVERRIDE) } else { Vec3::NEG_Y * bake::GRAVITY };
    (gravity, numbers.system_vector(EXTERNAL_FORCE) / MASS)
}

/// How much of an acceleration of the body arrives at the tip.
fn leverage(weight: Weight, length: f32) -> f32 {
    MASS * weight.lever * length / weight.whole
}

impl FeelMap for AnimDynamics {
    fn sway(numbers: &Numbers<'_>) -> Sway {
        let h = step_seconds(numbers.system.get(SUBSTEP_RATE), numbers.frame);
        let number = |row| numbers.joint.get(row);
        let weight = weight(numbers);
        let keeping = |on, row| kept((1.0 - damping(is_on(numbers, on), number(row))).max(1e-30).ln(), h);
        let (placed, turned) =
            (keeping(OVERRIDE_LINEAR_DAMPING, LINEAR_DAMPING), keeping(OVERRIDE_ANGULAR_DAMPING, ANGULAR_DAMPING));
        let by_angle = if is_on(numbers, ANGULAR_SPRING) {
            pulled(number(ANGULAR_SPRING_CONSTANT).max(0.0) / weight.carrying, h)
        } else {
            0.0
        };
        let linear = Linear {
            kept: f64::from(placed * weight.lever_share + turned * (1.0 - weight.lever_share)),
            pulled: f64::from(by_angle + pulled_by_place(numbers, weight, h)),
            pushed: 0.0,
        };
        let (gravity, push) = pulls(numbers);
        let pull = (gravity * number(GRAVITY_SCALE) + push) * leverage(weight, numbers.length);
        let feel = Feel { acceleration: pull.length(), ..linear.to_feel(h) };
        Sway {
            reach_deg: reach(numbers),
            radius: (number(COLLISION_TYPE).round() == 1.0).then(|| number(SPHERE_COLLISION_RADIUS)),
            ..Sway::new(feel, pull.normalize_or_zero())
        }
    }

    fn numbers(sway: &Sway, now: &Numbers<'_>) -> Vec<(Row, f32)> {
        let h = step_seconds(now.system.get(SUBSTEP_RATE), now.frame);
        let weight = weight(now);
        let linear = sway.feel().to_linear(h);
        let lost = (1.0 - linear.kept.powf(1.0 / f64::from(h))).min(MOST_DAMPING) as f32;
        let lost = damping(true, lost);
        let by_angle = (linear.pulled as f32 - pulled_by_place(now, weight, h)).clamp(0.0, 1.0);
        let fast = 2.0 * (by_angle.sqrt() * 0.5).asin() / h;
        let mut numbers = vec![
            (ANGULAR_SPRING, 1.0),
            (ANGULAR_SPRING_CONSTANT, fast * fast * weight.carrying),
            (OVERRIDE_LINEAR_DAMPING, 1.0),
            (LINEAR_DAMPING, lost),
            (OVERRIDE_ANGULAR_DAMPING, 1.0),
            (ANGULAR_DAMPING, lost),
        ];
        let (gravity, push) = pulls(now);
        let leverage = leverage(weight, now.length);
        if leverage > 0.0 && gravity.length_squared() > 0.0 {
            // Only what runs along gravity: the scale is one number.
            let scale = (sway.pull / leverage - push).dot(gravity) / gravity.length_squared();
            numbers.push((GRAVITY_SCALE, scale));
        }
        if let Some(reach) = sway.reach_deg.filter(|reach| *reach >= OPEN_DEG) {
            numbers.push((ANGULAR_CONSTRAINT_TYPE, 0.0));
            numbers.extend(ANGULAR_LIMITS_MIN.map(|row| (row, -reach)));
            numbers.extend(ANGULAR_LIMITS_MAX.map(|row| (row, reach)));
        } else if let Some(reach) = sway.reach_deg {
            numbers.extend([(ANGULAR_CONSTRAINT_TYPE, 1.0), (CONE_ANGLE, reach.clamp(0.0, WIDEST))]);
        }
        if let Some(radius) = sway.radius {
            numbers.extend([(COLLISION_TYPE, 1.0), (SPHERE_COLLISION_RADIUS, radius)]);
        }
        numbers
    }

    /// Gravity along the common part of the joints' pulls; each joint scales it. Joints that feel most of the body's motion
    /// swing in the world, the others in the component's space with the share of its acceleration that they feel. A body's
    /// joint is on the bone's head, so that its lever moves no bone.
    fn system_numbers(joints: &[(Sway, f32)], _: &ParamSet, _: f32) -> Vec<(Row, f32)> {
        let mut numbers = vec![(BODY_AT, 1.0)];
        let down = common_part(joints.iter().map(|(sway, _)| sway.pull)).normalize_or_zero();
        if down != Vec3::ZERO && down.dot(Vec3::NEG_Y) < DOWN {
            numbers.push((USE_GRAVITY_OVERRIDE, 1.0));
            numbers.extend(GRAVITY_OVERRIDE.into_iter().zip((down * bake::GRAVITY).to_array()));
        }
        let ignored =
            common_part(joints.iter().map(|(sway, _)| Vec3::X * sway.follow.unwrap_or(0.0))).x.clamp(0.0, 1.0);
        if ignored < 0.5 {
            numbers.push((SIMULATION_SPACE, WORLD));
        } else {
            numbers.push((SIMULATION_SPACE, COMPONENT));
            numbers.extend(COMPONENT_ACC_SCALE.map(|row| (row, 1.0 - ignored)));
        }
        numbers
    }

    /// A box as long as the bone with its center at the tip. Bodies of other shapes would not swing as the points of other
    /// engines do: a lighter box is thrown about by the child bodies, and without a lever nothing pulls at it. The
    /// body does not twist about the bone. Where the body's center is on the bone, a lever would move the bone.
    fn body_numbers(tip: Vec3, system: &ParamSet) -> Vec<(Row, f32)> {
        if system.get(BODY_AT) < 0.5 || !tip.is_finite() {
            // The engine's whole gravity would also pull through the child bodies.
            return vec![(GRAVITY_SCALE, 0.0)];
        }
        let mut numbers: Vec<(Row, f32)> = BOX_EXTENTS.map(|row| (row, tip.length())).to_vec();
        numbers.extend(LOCAL_JOINT_OFFSET.into_iter().zip((-tip).to_array()));
        numbers.extend([(ANGULAR_LIMITS_MIN[0], 0.0), (ANGULAR_LIMITS_MAX[0], 0.0)]);
        numbers
    }
}

/// The cone's angle, or that to the nearest end of the ranges across the twist axis.
fn reach(numbers: &Numbers<'_>) -> Option<f32> {
    if is_on(numbers, ANGULAR_CONSTRAINT_TYPE) {
        return Some(numbers.joint.get(CONE_ANGLE));
    }
    let twist = match numbers.joint.get(TWIST_AXIS).round() as usize {
        at @ 1..=3 => at - 1,
        _ => 0,
    };
    let ends = [ANGULAR_LIMITS_MIN, ANGULAR_LIMITS_MAX].map(|rows| numbers.vector(rows).abs());
    let across = (0..3).filter(|axis| *axis != twist).map(|axis| ends[0][axis].min(ends[1][axis]));
    Some(across.fold(OPEN_DEG, f32::min)).filter(|reach| *reach < OPEN_DEG)
}

#[cfg(test)]
mod tests {
    use super::super::PARAMS;
    use super::*;

    fn joint(offset: Vec3, side: f32) -> ParamSet {
        let mut joint = ParamSet::defaults(PARAMS);
        let sides = BOX_EXTENTS.into_iter().map(|row| (row, side));
        for (row, value) in sides.chain(LOCAL_JOINT_OFFSET.into_iter().zip(offset.to_array())) {
            joint.set(row, value);
        }
        joint
    }

    #[test]
    fn numbers_of_a_sway_sway_so_whatever_the_box_the_lever_and_the_step() {
        for (offset, side, rate) in
            [(Vec3::ZERO, 0.05, 0.0), (Vec3::Y * 0.1, 0.02, 0.0), (Vec3::new(0.02, -0.1, 0.0), 0.1, 120.0)]
        {
            let mut system = ParamSet::defaults(PARAMS);
            system.set(SUBSTEP_RATE, rate);
            let mut joint = joint(offset, side);
            joint.set(LINEAR_SPRING, 1.0);
            joint.set(LINEAR_SPRING_CONSTANT, 30.0);
            let now = Numbers { joint: &joint, system: &system, length: 0.1, carried: 0.0, frame: 1.0 / 60.0 };
            let feel = Feel { frequency_hz: 3.0, damping_ratio: 0.3, acceleration: 4.0 };
            let wanted = Sway { radius: Some(0.02), reach_deg: Some(40.0), ..Sway::new(feel, Vec3::NEG_Y) };
            let mut made = joint.clone();
            for (row, value) in AnimDynamics::numbers(&wanted, &now) {
                made.set(row, value);
            }
            let found = AnimDynamics::sway(&Numbers { joint: &made, ..now });
            assert!((found.frequency_hz - 3.0).abs() < 3e-3 && (found.damping_ratio - 0.3).abs() < 3e-3, "{found:?}");
            assert_eq!((found.reach_deg, found.radius), (Some(40.0), Some(0.02)));
            if offset != Vec3::ZERO {
                assert!((found.pull - wanted.pull).length() < 1e-3, "{found:?}");
            }
        }
    }

    #[test]
    fn without_a_lever_gravity_has_nothing_to_pull_at() {
        let (joint, system) = (joint(Vec3::ZERO, 0.05), ParamSet::defaults(PARAMS));
        let now = Numbers { joint: &joint, system: &system, length: 0.1, carried: 0.0, frame: 1.0 / 60.0 };
        assert_eq!(AnimDynamics::sway(&now).pull, Vec3::ZERO);
        let heavy = Sway::new(Feel { frequency_hz: 2.0, damping_ratio: 0.2, acceleration: 5.0 }, Vec3::NEG_Y);
        assert!(AnimDynamics::numbers(&heavy, &now).iter().all(|(row, _)| *row != GRAVITY_SCALE));
    }

    #[test]
    fn damping_stays_between_what_has_an_effect_and_a_full_stop() {
        let (joint, system) = (joint(Vec3::ZERO, 0.05), ParamSet::defaults(PARAMS));
        let now = Numbers { joint: &joint, system: &system, length: 0.1, carried: 0.0, frame: 1.0 / 60.0 };
        for (ratio, expected) in [(0.0, 0.7), (5.0, MOST_DAMPING as f32)] {
            let wanted = Sway::new(Feel { frequency_hz: 4.0, damping_ratio: ratio, acceleration: 0.0 }, Vec3::ZERO);
            assert!(AnimDynamics::numbers(&wanted, &now).contains(&(ANGULAR_DAMPING, expected)), "{ratio}");
        }
        assert!((MOST_DAMPING as f32) < 1.0);
    }
}
